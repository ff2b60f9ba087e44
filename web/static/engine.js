// The only file that loads the WebAssembly module: on the page's thread and in workers alike.

import * as classes from './tilelab_web.js';

/** The player that needs the networks; see networks.rs of tilelab-web. */
const NETWORK_PLAYER = 'planner';

/** @type {Promise<WebAssembly.Module> | null} */
let compiled = null;
/** @typedef {typeof classes} Engine */

/** @type {Promise<Engine> | null} */
let loaded = null;
/** @type {Promise<unknown> | null} */
let networks = null;

/** The compiled module. What failed to load is asked for again by the next call. */
export function engineModule() {
  compiled ??= compile().catch((error) => {
    compiled = null;
    throw error;
  });
  return compiled;
}

async function compile() {
  const response = await fetch(new URL('./tilelab_web_bg.wasm.gz', import.meta.url)).catch(() => null);
  if (response === null || !response.ok || response.body === null) {
    throw new Error(`the engine could not be loaded (${response === null ? 'no connection' : response.status})`);
  }
  // Compressed by the build, as most simple servers do not compress. Some call the file itself an
  // encoding; then the browser has undone it.
  const isDone = response.headers.get('content-encoding') === 'gzip';
  const plain = isDone ? response.body : response.body.pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compileStreaming(new Response(plain, { headers: { 'content-type': 'application/wasm' } }));
}

/** Takes a module that another thread compiled. @param {WebAssembly.Module} given */
export function takeModule(given) {
  compiled = Promise.resolve(given);
}

/** The exports of the module, once it is loaded: `Game`, `catalog`, `experiments` and so on. */
export function engine() {
  loaded ??= engineModule()
    .then((module_or_path) => classes.default({ module_or_path }))
    .then(() => classes)
    .catch((error) => {
      loaded = null;
      throw error;
    });
  return loaded;
}

/**
 * The exports, with the built-in networks where this text (a cell or an experiment) names the player
 * that needs them. Without a network that cannot be loaded, that player says so when it is made.
 * @param {string} text
 */
export async function engineFor(text) {
  const exports = await engine();
  if (text.includes(NETWORK_PLAYER)) {
    /** @type {string[]} */
    const missing = JSON.parse(exports.missingNetworks());
    networks ??= Promise.all(missing.map((file) => loadNetwork(exports, file)));
    await networks;
    if (JSON.parse(exports.missingNetworks()).length > 0) {
      networks = null;
    }
  }
  return exports;
}

/** @param {Engine} engineExports @param {string} file */
async function loadNetwork(engineExports, file) {
  try {
    const response = await fetch(new URL(`./networks/${encodeURIComponent(file)}`, import.meta.url));
    if (response.ok) {
      engineExports.provideNetwork(file, new Uint8Array(await response.arrayBuffer()));
    }
  } catch {
    // No connection; the next call asks again.
  }
}
