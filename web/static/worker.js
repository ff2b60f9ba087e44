// A worker of Simulate: calls functions of the engine away from the page's thread.
//
// Messages are { id, call, args }, answers { id, result } or { id, error }.

import { engine } from './engine.js';

/** The object that this worker holds between calls. */
let held = null;

const CALLS = {};

self.addEventListener('message', async ({ data: { id, call, args } }) => {
  try {
    self.postMessage({ id, result: await CALLS[call](await engine(), ...args) });
  } catch (error) {
    self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
