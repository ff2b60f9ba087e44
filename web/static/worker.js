// A worker: it holds an object of an engine and answers calls of its methods, one after another.
//
// The first message is { engine, module, name }, further ones are { id, call, args }. A call with
// the name of a class makes the object. Answers are { id, result } or { id, error, isBroken }:
// after a trap the module cannot be used again.

import { reason } from './dom.js';
import { engine, takeModule, withNetworks } from './engine.js';

/** @type {Promise<any>} */
let exports;
/** @type {any} */
let held;
/** @type {Promise<unknown>} */
let queue = Promise.resolve();

/** @param {string} call @param {unknown[]} args */
async function answer(call, args) {
  const classes = await exports;
  return withNetworks(classes, () => {
    if (call in classes) {
      held = new classes[call](...args);
      return null;
    }
    return held[call](...args);
  });
}

self.addEventListener('message', ({ data }) => {
  if (data.module !== undefined) {
    takeModule(data.engine, data.module);
    exports = engine(data.engine);
    // Held for ever, so that the page learns when this worker is no more.
    navigator.locks?.request(data.name, () => {
      self.postMessage({ isReady: true });
      return new Promise(() => {});
    });
    return;
  }
  const { id, call, args } = data;
  queue = queue.then(async () => {
    try {
      self.postMessage({ id, result: await answer(call, args) });
    } catch (error) {
      const isBroken = error instanceof WebAssembly.RuntimeError;
      const { tilelabPanic } = /** @type {any} */ (self);
      self.postMessage({ id, error: (isBroken && tilelabPanic) || reason(error), isBroken });
    }
  });
});
