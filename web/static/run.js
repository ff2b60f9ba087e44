// The run of an experiment on several workers, without anything to see.

import { Caller } from './caller.js';
import { reason } from './dom.js';

/** Batches that each worker has at a time, so that none waits for the next. */
const AHEAD = 2;
/** How long a worker without a batch waits before it asks again, in milliseconds. */
const IDLE_MS = 20;

/** A run. `changed` is called when it starts, pauses, stops, ends or fails. */
export class Run {
  /** @type {'waiting' | 'playing' | 'pausing' | 'paused' | 'stopped' | 'done' | 'failed'} */
  state = 'waiting';
  /** Why it failed. */
  error = '';
  /** The experiment, once it is open. @type {Description} */
  description = { name: '', fields: [], tables: [] };
  #source;
  #cores;
  #changed;
  #simulation = new Caller('lab');
  /** @type {{ caller: Caller, ready: Promise<unknown> }[]} */
  #players = [];
  #played = 0;
  #begun = 0;

  /** Text, games and seed are `source`. @param {string[]} source @param {() => void} changed */
  constructor(source, cores = 1, changed) {
    this.#source = source;
    this.#cores = cores;
    this.#changed = changed;
  }

  /** Reads the experiment. Fails with what is wrong with it. */
  async open() {
    await this.#simulation.call('Simulation', ...this.#source);
    this.description = JSON.parse(await this.ask('describe'));
  }

  /** Plays until the run is done, paused or stopped. */
  async start() {
    this.#set('playing');
    this.#begun = performance.now();
    try {
      while (this.#players.length < this.#cores) {
        this.#players.push(this.#player());
      }
      const feeds = this.#players.flatMap((_, at) => Array.from({ length: AHEAD }, () => at));
      await Promise.all(feeds.map((at) => this.#feed(at)));
    } catch (error) {
      if (this.state !== 'stopped') {
        this.error = reason(error);
        this.#set('failed');
      }
      return;
    }
    this.#played += performance.now() - this.#begun;
    this.#set(this.state === 'pausing' ? 'paused' : 'done');
  }

  get isGoing() {
    return this.state === 'playing' || this.state === 'pausing';
  }

  /** Lets the batches that are being played end, and plays no further ones. */
  pause() {
    this.#set('pausing');
  }

  /** Ends the players; what has been played stays. */
  stop() {
    this.#played = this.#milliseconds;
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
  get #milliseconds() {
    return this.#played + (this.isGoing ? performance.now() - this.#begun : 0);
  }

  /** How far the run is; charts have a line at a cell. @returns {Promise<Progress>} */
  async progress(/** @type {number | undefined} */ here) {
    return JSON.parse(await this.ask('progress', this.#milliseconds / 1000, here));
  }

  /** What the simulation answers. @param {string} call @param {unknown[]} args */
  ask(call, ...args) {
    return this.#simulation.call(call, ...args);
  }

  /** @param {Run['state']} state */
  #set(state) {
    this.state = state;
    this.#changed();
  }

  #player() {
    const caller = new Caller('lab');
    const ready = caller.call('Batches', ...this.#source);
    ready.catch(() => {});
    return { caller, ready };
  }

  /** Keeps one batch after another with a worker, while there are any. @param {number} at */
  async #feed(at) {
    let played = '';
    for (;;) {
      const wants = this.state === 'playing';
      /** @type {string} */
      const batch = await this.#simulation.call('exchange', played, wants);
      if (batch === 'false' || !wants) {
        return;
      }
      played = '';
      if (batch === 'null') {
        // Another worker plays what is left; a rule may ask for more afterwards.
        await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      } else {
        played = await this.#play(at, batch);
      }
    }
  }

  /** Plays a batch; a worker that broke is replaced. @param {number} at @param {string} batch */
  async #play(at, batch) {
    for (let strikes = 0; ; ) {
      const player = this.#players[at];
      if (player === undefined) {
        throw new Error('the run was stopped');
      }
      try {
        await player.ready;
        return await player.caller.call('play', batch);
      } catch (/** @type {any} */ error) {
        if (!error.isBroken || this.state === 'stopped') {
          throw error;
        }
        // Whichever of its batches sees it first replaces the worker.
        if (this.#players[at] === player) {
          this.#players[at] = this.#player();
          player.caller.end(error.message);
        }
        // A batch that breaks its worker has two attempts; what others lose, they try again.
        strikes += error.isLost ? 1 : 10;
        if (strikes >= 20) {
          return JSON.stringify({ id: JSON.parse(batch).id, reason: error.message });
        }
      }
    }
  }
}
