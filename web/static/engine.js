// The only file that loads the engines, which are WebAssembly modules: `play` has games and
// players, `lab` has experiments, too, and the kernels that play them. They are loaded on the
// page's thread and in workers alike.

import { FILES } from './files.js';

/** @typedef {typeof import('./engine_play.js')} Play */
/** @typedef {typeof import('./engine_lab.js')} Lab */
/** @typedef {{ play: Play, lab: Lab }} Engines */

/** @type {Map<string, Promise<WebAssembly.Module>>} */
const compiled = new Map();
/** @type {Map<string, Promise<any>>} */
const loaded = new Map();

/**
 * What `make` promises, made once; what failed is made again by the next call. @template T
 * @param {Map<string, Promise<T>>} made @param {string} name @param {() => Promise<T>} make
 */
export function once(made, name, make) {
  const known = made.get(name);
  if (known !== undefined) {
    return known;
  }
  const promise = make().catch((error) => {
    made.delete(name);
    throw error;
  });
  made.set(name, promise);
  return promise;
}

/** Asks for a file that the build named. @param {string} file */
async function load(file) {
  const response = await fetch(new URL(FILES[file] ?? file, import.meta.url)).catch(() => null);
  if (response === null || !response.ok || response.body === null) {
    const offline = 'There is no connection, and not everything was loaded before.';
    const why = response === null ? offline : `${file} could not be loaded (${response.status})`;
    throw new Error(why);
  }
  return { body: response.body, headers: response.headers };
}

/** The compiled module of an engine. @param {keyof Engines} name */
export function engineModule(name) {
  return once(compiled, name, async () => {
    const { body, headers } = await load(`engine/${name}.wasm.gz`);
    // Compressed by the build, as most simple servers do not compress. Some call the file itself an
    // encoding; then the browser has undone it.
    const isPlain = headers.get('content-encoding') === 'gzip';
    const plain = isPlain ? body : body.pipeThrough(new DecompressionStream('gzip'));
    const type = { 'content-type': 'application/wasm' };
    return WebAssembly.compileStreaming(new Response(plain, { headers: type }));
  });
}

/** Takes what another thread compiled. @param {string} name @param {WebAssembly.Module} given */
export function takeModule(name, given) {
  compiled.set(name, Promise.resolve(given));
}

/**
 * The exports of an engine: `Game`, `catalog` and so on. @template {keyof Engines} K
 * @param {K} name @returns {Promise<Engines[K]>}
 */
export function engine(name) {
  return once(loaded, name, async () => {
    const imported = name === 'lab' ? import('./engine_lab.js') : import('./engine_play.js');
    const [classes, module_or_path] = await Promise.all([imported, engineModule(name)]);
    await classes.default({ module_or_path });
    return classes;
  });
}

/** What `make` makes; its networks are loaded. @param {Play} exports @param {() => any} make */
export async function withNetworks({ missingNetworks, provideNetwork }, make) {
  for (;;) {
    try {
      return make();
    } catch (error) {
      /** @type {string[]} */
      const missing = JSON.parse(missingNetworks());
      if (missing.length === 0) {
        throw error;
      }
      for (const file of missing) {
        const { body } = await load(`networks/${file}`);
        provideNetwork(file, new Uint8Array(await new Response(body).arrayBuffer()));
      }
    }
  }
}
