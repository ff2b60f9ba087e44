// What the page keeps over a reload, in the browser's storage: one entry a game and one for the
// settings of each part, so that two tabs do not overwrite each other.

const PREFIX = 'tilelab.';

/**
 * What is kept under a name, if `isSound` accepts it.
 * @template T
 * @param {string} name
 * @param {T} otherwise
 * @param {(kept: any) => boolean} isSound
 * @returns {T}
 */
export function read(name, otherwise, isSound = () => true) {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + name) ?? 'null');
    return kept !== null && isSound(kept) ? kept : otherwise;
  } catch {
    return otherwise;
  }
}

/** Keeps this under a name, where the browser has storage and room in it. @param {string} name @param {unknown} value */
export function write(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // Then it lasts until the page is closed; everything else works all the same.
  }
}

/** Calls `changed` with the name of what another tab has written. @param {(name: string) => void} changed */
export function onOtherTab(changed) {
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key?.startsWith(PREFIX) && newValue !== null) {
      changed(key.slice(PREFIX.length));
    }
  });
}

/** Whether a kept game can be one of this name. @param {any} kept @param {string} game */
export function isPlayed(kept, game) {
  const { setup, moves } = kept ?? {};
  const texts = [setup?.seed, setup?.index, ...(Array.isArray(moves) ? moves : [0])];
  const isNamed = setup?.game === game && texts.every((text) => typeof text === 'string');
  return isNamed && typeof setup.params === 'object' && setup.params !== null && Array.isArray(setup.players);
}
