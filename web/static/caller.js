// The page's side of a worker; worker.js is the other side.

import { engineModule } from './engine.js';
import { cellText } from './setup.js';

/** An error of a worker; `isBroken`: it is useless now; `isLost`: by another call. @param {string} message */
const failure = (message, isBroken = true, isLost = true) =>
  Object.assign(new Error(message), { isBroken, isLost });

/** A worker, given the compiled module and started with the first call. */
export class Caller {
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #waiting = new Map();
  #calls = 0;
  #engine;

  /** @param {'play' | 'lab'} engine */
  constructor(engine) {
    this.#engine = engine;
  }

  /** Whether an answer is outstanding. */
  get isBusy() {
    return this.#waiting.size > 0;
  }

  /** Calls a method of the worker's object, or with the name of a class makes the object. */
  async call(/** @type {string} */ call, /** @type {unknown[]} */ ...args) {
    const module = await engineModule(this.#engine);
    this.#worker ??= this.#start(module);
    this.#calls += 1;
    const id = this.#calls;
    /** @type {Promise<any>} */
    const answer = new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker?.postMessage({ id, call, args });
    });
    return answer;
  }

  /** Ends the worker; what it has not answered fails. The next call starts another. */
  end(message = 'the worker was terminated') {
    this.#worker?.terminate();
    this.#worker = null;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    lost.forEach(({ reject }) => reject(failure(message)));
  }

  /** @param {WebAssembly.Module} module */
  #start(module) {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    const name = `tilelab-worker-${Math.random()}`;
    /** @param {string} message */
    const lose = (message) => {
      if (this.#worker === worker) {
        this.end(message);
      }
    };
    worker.addEventListener('message', ({ data: { id, result, error, isBroken, isReady } }) => {
      if (isReady) {
        // A worker holds a lock while it lives: a browser that kills one says so in no other way.
        navigator.locks?.request(name, () => lose('the worker stopped'));
        return;
      }
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) {
        waiting?.resolve(result);
      } else {
        waiting?.reject(failure(error, isBroken, false));
      }
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      lose(event.message || 'a worker could not be started');
    });
    worker.postMessage({ engine: this.#engine, module, name });
    return worker;
  }
}

/** A worker that thinks about one game at a time. */
export class Thinker {
  #caller = new Caller('play');
  #opened = '';
  /** The players of the game that was opened last, as cells write them. @type {string[]} */
  players = [];
  #answers;

  /** @param {boolean} answers whether a player answers a person, who has the other seat */
  constructor(answers) {
    this.#answers = answers;
  }

  get isBusy() {
    return this.#caller.isBusy;
  }

  /** What `Thinker` answers. @param {Played} played @param {string} call @param {unknown[]} args */
  async ask({ setup, moves }, call, args) {
    await this.open(setup);
    return JSON.parse(await this.#caller.call(call, JSON.stringify(moves), ...args));
  }

  /** Opens a game, unless it is open. Fails where no player fits. @param {Setup} setup */
  async open(setup) {
    const { players, seat, seed, index } = setup;
    const cell = cellText(setup, players);
    const rival = players.length === 2 && this.#answers ? 1 - seat : undefined;
    const opened = JSON.stringify([cell, seed, index, rival]);
    if (this.#opened !== opened) {
      this.#opened = '';
      await this.#caller.call('Thinker', cell, seed, index, rival);
      this.players = JSON.parse(await this.#caller.call('players'));
      this.#opened = opened;
    }
  }

  /** Gives up what it thinks about. */
  end() {
    this.#opened = '';
    this.#caller.end();
  }
}
