// The only file that loads the WebAssembly module: on the page's thread and in workers alike.

import * as classes from './tilelab_web.js';

let loaded = null;

/** The exports of the module, once it is loaded: `Game`, `catalog`, `experiments` and so on. */
export function engine() {
  loaded ??= classes.default({ module_or_path: new URL('./tilelab_web_bg.wasm', import.meta.url) }).then(() => classes);
  return loaded;
}
