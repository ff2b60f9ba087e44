// The only file that loads the WebAssembly module: on the page's thread and in workers alike.

import * as classes from './tilelab_web.js';

let loaded = null;

/** The exports of the module, once it is loaded: `Game`, `catalog`, `experiments` and so on. */
export function engine() {
  loaded ??= classes.default().then(() => classes);
  return loaded;
}
