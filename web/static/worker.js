// A worker of Simulate. One worker holds the simulation and says what is played next; the others
// play batches of games.
//
// Messages are { id, call, args }, answers { id, result } or { id, error, isBroken }: after a trap
// the module cannot be used again.

import { engineFor } from './engine.js';

/** The object that this worker holds between calls: a Simulation or a Batches. */
let held = null;

const CALLS = {
  /** Reads an experiment and holds its run; answers with its description. */
  async open(experiment, games, seed) {
    const { Simulation } = await engineFor(experiment);
    held = new Simulation(experiment, games, seed);
    return JSON.parse(held.describe());
  },

  /**
   * Takes in batches that were played, and names up to `wanted` further ones. Played ones are
   * { id, tally, milliseconds } or { id, reason }.
   */
  step(played, wanted) {
    for (const { id, tally, milliseconds, reason } of played) {
      if (reason === undefined) {
        held.complete(id, tally, milliseconds);
      } else {
        held.fail(id, reason);
      }
    }
    const batches = [];
    while (batches.length < wanted) {
      const batch = JSON.parse(held.next());
      if (batch === null) {
        break;
      }
      batches.push(batch);
    }
    return { batches, isDone: held.isDone() };
  },

  progress: () => JSON.parse(held.progress()),

  /** The bytes of cells.csv. */
  csv: () => held.cellsCsv(),

  /** Tables, plots and page. */
  report: () => JSON.parse(held.report()),

  /** Gets ready to play batches of an experiment. */
  async openBatches(experiment, games, seed) {
    const { Batches } = await engineFor(experiment);
    held = new Batches(experiment, games, seed);
  },

  /** Plays a batch. */
  play(batch) {
    const begun = performance.now();
    const tally = held.play(batch.cell, BigInt(batch.start), BigInt(batch.end));
    return { id: batch.id, tally, milliseconds: performance.now() - begun };
  },
};

let queue = Promise.resolve();

self.addEventListener('message', ({ data: { id, call, args } }) => {
  // One after another, in the order in which they came.
  queue = queue.then(async () => {
    try {
      self.postMessage({ id, result: await CALLS[call](...args) });
    } catch (error) {
      const isBroken = error instanceof WebAssembly.RuntimeError;
      const message = error instanceof Error ? error.message : String(error);
      self.postMessage({ id, error: (isBroken && self.tilelabPanic) || message, isBroken });
    }
  });
});
