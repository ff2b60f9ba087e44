// The run of an experiment on several workers, without anything to see.

import { Caller, WorkerError } from './caller.js';

/** Batches that each worker has at a time, so that none waits for the next. */
const AHEAD = 2;
/** How long a worker without a batch waits before it asks again, in milliseconds. */
const IDLE_MS = 20;

/** @typedef {{ experiment: string, games: string, seed: string }} Source */

/** A run. `changed` is called when it starts, pauses, stops, ends or fails. */
export class Run {
  /** @type {'waiting' | 'playing' | 'pausing' | 'paused' | 'stopped' | 'done' | 'failed'} */
  state = 'waiting';
  /** Why it failed. */
  error = '';
  /** The experiment, once it is open. @type {Description} */
  description = { name: '', tables: [], cells: [] };
  #source;
  #cores;
  #changed;
  #simulation = new Caller('lab');
  /** @type {{ caller: Caller, ready: Promise<unknown> }[]} */
  #players = [];
  #played = 0;
  #begun = 0;

  /** @param {Source} source @param {number} cores @param {(run: Run) => void} changed */
  constructor({ experiment, games, seed }, cores, changed) {
    this.#source = [experiment, games, seed];
    this.#cores = cores;
    this.#changed = changed;
  }

  /** Reads the experiment. Fails with what is wrong with it. */
  async open() {
    this.description = await this.#simulation.call('open', ...this.#source);
  }

  /** Plays until the run is done, paused or stopped. */
  async start() {
    this.#set('playing');
    this.#begun = performance.now();
    try {
      while (this.#players.length < this.#cores) {
        this.#players.push(this.#player());
      }
      await Promise.all(this.#players.flatMap((_, at) => Array.from({ length: AHEAD }, () => this.#feed(at))));
    } catch (error) {
      if (this.state !== 'stopped') {
        this.error = error instanceof Error ? error.message : String(error);
        this.#set('failed');
      }
      return;
    }
    this.#played += performance.now() - this.#begun;
    this.#set(this.state === 'pausing' ? 'paused' : 'done');
  }

  /** Lets the batches that are being played end, and plays no further ones. */
  pause() {
    if (this.state === 'playing') {
      this.#set('pausing');
    }
  }

  /** Ends the players; what has been played stays. */
  stop() {
    this.#played = this.milliseconds;
    this.#set('stopped');
    this.#players.forEach(({ caller }) => caller.end());
    this.#players = [];
  }

  /** Gives everything back. */
  end() {
    this.stop();
    this.#simulation.end();
  }

  /** Milliseconds that the run has played. */
  get milliseconds() {
    return this.#played + (['playing', 'pausing'].includes(this.state) ? performance.now() - this.#begun : 0);
  }

  /** @returns {Promise<Progress>} */
  progress() {
    return this.#simulation.call('progress');
  }

  /** The bytes of cells.csv or cells.json. @param {'csv' | 'json'} form @returns {Promise<Uint8Array<ArrayBuffer>>} */
  cells(form) {
    return this.#simulation.call(form);
  }

  /** @returns {Promise<Report>} */
  report() {
    return this.#simulation.call('report');
  }

  /** @param {Run['state']} state */
  #set(state) {
    this.state = state;
    this.#changed(this);
  }

  #player() {
    const caller = new Caller('lab');
    const ready = caller.call('openBatches', ...this.#source);
    ready.catch(() => {});
    return { caller, ready };
  }

  /** Keeps one batch after another with a worker, while there are any. @param {number} at */
  async #feed(at) {
    /** @type {PlayedBatch[]} */
    let played = [];
    for (;;) {
      const wanted = this.state === 'playing' ? 1 : 0;
      const { batches, isDone } = await this.#simulation.call('step', played, wanted);
      if (isDone || wanted === 0) {
        return;
      }
      played = [];
      if (batches.length === 0) {
        // Another worker plays what is left; a rule may ask for more afterwards.
        await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      } else {
        played = [await this.#play(at, batches[0])];
      }
    }
  }

  /** Plays a batch; a worker that broke is replaced. @param {number} at @param {Batch} batch @returns {Promise<PlayedBatch>} */
  async #play(at, batch) {
    let isSecond = false;
    for (;;) {
      const player = this.#players[at];
      if (player === undefined) {
        throw new Error('the run was stopped');
      }
      try {
        await player.ready;
        return await player.caller.call('play', batch);
      } catch (error) {
        if (!(error instanceof WorkerError && error.isBroken) || this.state === 'stopped') {
          throw error;
        }
        // Whichever of its batches sees it first replaces the worker.
        if (this.#players[at] === player) {
          this.#players[at] = this.#player();
          player.caller.end(error.message);
        }
        if (isSecond) {
          return { id: batch.id, reason: error.message };
        }
        isSecond = true;
      }
    }
  }
}
