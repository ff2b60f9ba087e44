// What a part of the page keeps over a reload, in the browser's storage.

/**
 * Reads what is kept under a name: `defaults` changed by what was stored. Kept games that
 * `isSound(game, name)` rejects are dropped, and so is anything that cannot be read.
 */
export function readStore(name, defaults, isSound) {
  const empty = { ...defaults, version: 1, current: null, games: {} };
  try {
    const stored = JSON.parse(localStorage.getItem(name) ?? 'null');
    if (stored?.version !== 1 || typeof stored.games !== 'object' || stored.games === null) {
      return empty;
    }
    const games = Object.entries(stored.games).filter(([game, kept]) => isSound(kept, game));
    const same = Object.entries(defaults).filter(([key, value]) => typeof stored[key] === typeof value);
    const settings = Object.fromEntries(same.map(([key]) => [key, stored[key]]));
    return { ...empty, ...settings, current: stored.current, games: Object.fromEntries(games) };
  } catch {
    return empty;
  }
}

/** Keeps this under a name, where the browser has storage and room in it. */
export function writeStore(name, stored) {
  try {
    localStorage.setItem(name, JSON.stringify(stored));
  } catch {
    // Then nothing outlives a reload; the page works all the same.
  }
}

/** Whether a kept setup can be that of this game. */
export function isSetup(setup, game) {
  const isObject = typeof setup?.params === 'object' && setup.params !== null;
  const isNamed = setup?.game === game && typeof setup.seed === 'string' && typeof setup.index === 'string';
  return isNamed && isObject && Array.isArray(setup.players);
}
