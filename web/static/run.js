// The run of an experiment on several workers, without anything to see.

/** A worker that answers calls. */
class Caller {
  #worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  #waiting = new Map();
  #calls = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data: { id, result, error, isBroken } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) {
        resolve(result);
      } else {
        reject(Object.assign(new Error(error), { isBroken }));
      }
    });
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault();
      for (const { reject } of this.#waiting.values()) {
        reject(new Error(event.message || 'a worker could not be started'));
      }
      this.#waiting.clear();
    });
  }

  call(call, ...args) {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call, args });
    });
  }

  /** Ends the worker; what it has not answered fails. */
  end() {
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) {
      reject(Object.assign(new Error('the worker was ended'), { isBroken: true }));
    }
    this.#waiting.clear();
  }
}

/** Batches that each worker has at a time, so that none waits for the next. */
const AHEAD = 2;

/**
 * A run. `open` reads the experiment, `start` plays it, `pause` and `start` again interrupt it,
 * `end` gives its workers back. `changed` is called when it starts, pauses, ends or fails.
 */
export class Run {
  /** waiting, playing, pausing, paused, done or failed */
  state = 'waiting';
  /** Why it failed. */
  error = null;
  /** The experiment, once it is open. */
  description = null;
  #source;
  #cores;
  #changed;
  #simulation = new Caller();
  #players = [];
  #isEnded = false;
  #played = 0;
  #begun = 0;

  constructor({ experiment, games, seed }, cores, changed) {
    this.#source = [experiment, games, seed];
    this.#cores = cores;
    this.#changed = changed;
  }

  async open() {
    this.description = await this.#simulation.call('open', ...this.#source);
  }

  /** Plays until the run is done or paused. */
  async start() {
    this.#set('playing');
    this.#begun = performance.now();
    try {
      while (this.#players.length < this.#cores) {
        this.#players.push(this.#player());
      }
      await Promise.all(this.#players.flatMap((player, at) => Array.from({ length: AHEAD }, () => this.#feed(at))));
    } catch (error) {
      if (!this.#isEnded) {
        this.error = error;
        this.#set('failed');
      }
      return;
    }
    this.#played += performance.now() - this.#begun;
    if (!this.#isEnded) {
      this.#set(this.state === 'pausing' ? 'paused' : 'done');
    }
  }

  /** Lets the batches that are being played end, and plays no further ones. */
  pause() {
    if (this.state === 'playing') {
      this.#set('pausing');
    }
  }

  /** Ends all workers at once. */
  end() {
    this.#isEnded = true;
    this.#simulation.end();
    this.#players.forEach((player) => player.end());
  }

  /** Milliseconds that the run has played. */
  get milliseconds() {
    return this.#played + (['playing', 'pausing'].includes(this.state) ? performance.now() - this.#begun : 0);
  }

  progress() {
    return this.#simulation.call('progress');
  }

  csv() {
    return this.#simulation.call('csv');
  }

  report() {
    return this.#simulation.call('report');
  }

  #set(state) {
    this.state = state;
    this.#changed(this);
  }

  #player() {
    const player = new Caller();
    player.ready = player.call('openBatches', ...this.#source);
    return player;
  }

  /** Keeps one batch after another with a worker, while there are any. */
  async #feed(at) {
    let played = [];
    for (;;) {
      const wanted = this.state === 'playing' ? 1 : 0;
      const { batches, isDone } = await this.#simulation.call('step', played, wanted);
      if (isDone || wanted === 0) {
        return;
      }
      if (batches.length === 0) {
        // Another worker plays what is left; a rule may ask for more afterwards.
        played = [];
        await new Promise((resolve) => setTimeout(resolve, 20));
        continue;
      }
      played = [await this.#play(at, batches[0])];
    }
  }

  /** Plays a batch; a worker that broke is replaced. */
  async #play(at, batch) {
    for (;;) {
      const player = this.#players[at];
      try {
        await player.ready;
        return await player.call('play', batch);
      } catch (error) {
        if (!error.isBroken || this.#isEnded) {
          throw error;
        }
        // Where another batch broke the worker, this one is played by its successor.
        if (this.#players[at] === player) {
          this.#players[at] = this.#player();
          player.end();
          return { id: batch.id, reason: error.message };
        }
      }
    }
  }
}
