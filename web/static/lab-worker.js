// A worker of Simulate. One worker holds the simulation and says what is played next; the others
// play batches of games.

import { engine, withNetworks } from './engine.js';
import { serve } from './serve.js';

/** @type {import('./engine_lab.js').Simulation} */
let simulation;
/** @type {import('./engine_lab.js').Batches} */
let batches;

serve({
  /** Reads an experiment and holds its run. @param {string} experiment @param {string} games @param {string} seed @returns {Promise<Description>} */
  async open(experiment, games, seed) {
    const exports = await engine('lab');
    simulation = await withNetworks(exports, () => new exports.Simulation(experiment, games, seed));
    return JSON.parse(simulation.describe());
  },

  /** Takes in batches that were played, and names up to `wanted` further ones. @param {PlayedBatch[]} played @param {number} wanted */
  step(played, wanted) {
    for (const { id, tally, milliseconds, reason } of played) {
      if (tally !== undefined) {
        simulation.complete(id, tally, milliseconds ?? 0);
      } else {
        simulation.fail(id, reason ?? '');
      }
    }
    /** @type {Batch[]} */
    const next = [];
    while (next.length < wanted) {
      const batch = JSON.parse(simulation.next());
      if (batch === null) {
        break;
      }
      next.push(batch);
    }
    return { batches: next, isDone: simulation.isDone() };
  },

  /** @returns {Progress} */
  progress: () => JSON.parse(simulation.progress()),

  /** The bytes of cells.csv. */
  csv: () => simulation.cellsCsv(),

  /** The bytes of cells.json. */
  json: () => simulation.cellsJson(),

  /** Tables, plots and page. @returns {Report} */
  report: () => JSON.parse(simulation.report()),

  /** Gets ready to play batches of an experiment. @param {string} experiment @param {string} games @param {string} seed */
  async openBatches(experiment, games, seed) {
    const exports = await engine('lab');
    batches = await withNetworks(exports, () => new exports.Batches(experiment, games, seed));
  },

  /** Plays a batch. @param {Batch} batch @returns {PlayedBatch} */
  play(batch) {
    const begun = performance.now();
    const tally = batches.play(batch.cell, BigInt(batch.start), BigInt(batch.end));
    return { id: batch.id, tally, milliseconds: performance.now() - begun };
  },
});
