// A worker's side of caller.js: answers calls, one after another in the order in which they came.
//
// The first message is { engine, module, name }, further ones are { id, call, args }. Answers are
// { id, result } or { id, error, isBroken }: after a trap the module cannot be used again.

import { takeModule } from './engine.js';

/** @type {Promise<unknown>} */
let queue = Promise.resolve();

/** @param {Record<string, (...args: any[]) => unknown>} calls @param {() => void} failed */
export function serve(calls, failed = () => {}) {
  self.addEventListener('message', ({ data }) => {
    if (data.module !== undefined) {
      takeModule(data.engine, data.module);
      const isReady = () => self.postMessage({ isReady: true });
      // Held for ever, so that the page learns when this worker is no more.
      navigator.locks?.request(data.name, () => {
        isReady();
        return new Promise(() => {});
      });
      return;
    }
    const { id, call, args } = data;
    queue = queue.then(async () => {
      try {
        self.postMessage({ id, result: await calls[call]?.(...args) });
      } catch (error) {
        failed();
        const isBroken = error instanceof WebAssembly.RuntimeError;
        const message = error instanceof Error ? error.message : String(error);
        const panic = /** @type {{ tilelabPanic?: string }} */ (/** @type {unknown} */ (self)).tilelabPanic;
        self.postMessage({ id, error: (isBroken && panic) || message, isBroken });
      }
    });
  });
}
