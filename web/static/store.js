// What the page keeps over a reload, in the browser's storage: one entry a game and one for the
// settings of each part, so that two tabs do not overwrite each other.

const PREFIX = 'tilelab.';
/** What the browser has no room for. @type {Map<string, string>} */
const held = new Map();

/** What is kept, if `isSound`. @param {string} name @param {(kept: any) => boolean} isSound */
export function read(name, /** @type {any} */ otherwise, isSound = () => true) {
  try {
    const kept = JSON.parse(held.get(name) ?? localStorage.getItem(PREFIX + name) ?? 'null');
    const whole = typeof kept === 'object' ? { ...otherwise, ...kept } : kept;
    return kept !== null && isSound(kept) ? whole : otherwise;
  } catch {
    return otherwise;
  }
}

/** Keeps this under a name. @param {string} name @param {unknown} value */
export function write(name, value) {
  const text = JSON.stringify(value);
  try {
    held.delete(name);
    localStorage.setItem(PREFIX + name, text);
  } catch {
    held.set(name, text);
  }
}

/** Names to `changed` what another tab has written. @param {(name: string) => void} changed */
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
  const { params, players } = setup ?? {};
  return isNamed && params !== null && typeof params === 'object' && Array.isArray(players);
}
