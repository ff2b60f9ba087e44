// The only file that loads the WebAssembly module: on the page's thread and in workers alike.

import * as classes from './tilelab_web.js';

/** The player that needs the networks; see networks.rs of tilelab-web. */
const NETWORK_PLAYER = 'planner';

let loaded = null;
let networks = null;

/** The exports of the module, once it is loaded: `Game`, `catalog`, `experiments` and so on. */
export function engine() {
  loaded ??= classes.default({ module_or_path: new URL('./tilelab_web_bg.wasm', import.meta.url) }).then(() => classes);
  return loaded;
}

/**
 * The exports, with the built-in networks where this text (a cell or an experiment) names the player
 * that needs them. Without a network that cannot be loaded, that player says so when it is made.
 */
export async function engineFor(text) {
  const exports = await engine();
  if (text.includes(NETWORK_PLAYER)) {
    networks ??= Promise.all(JSON.parse(exports.missingNetworks()).map((file) => loadNetwork(exports, file)));
    await networks;
  }
  return exports;
}

async function loadNetwork(exports, file) {
  try {
    const response = await fetch(new URL(`./networks/${encodeURIComponent(file)}`, import.meta.url));
    if (response.ok) {
      exports.provideNetwork(file, new Uint8Array(await response.arrayBuffer()));
    }
  } catch {
    // No connection; asked for again only when the page is loaded again.
  }
}
