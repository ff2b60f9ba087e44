// The page's side of a worker that answers calls; serve.js is the other side.

import { engineModule } from './engine.js';

/** An error of a worker; `isBroken` where the worker cannot be used again. */
export class WorkerError extends Error {
  /** @param {string} message @param {boolean} isBroken */
  constructor(message, isBroken) {
    super(message);
    this.isBroken = isBroken;
  }
}

let callers = 0;

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

  /**
   * Asks for a call of the worker. Fails with the message of its error.
   * @param {string} call
   * @param {any[]} args
   * @returns {Promise<any>}
   */
  async call(call, ...args) {
    const module = await engineModule(this.#engine);
    this.#worker ??= this.#start(module);
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker?.postMessage({ id, call, args });
    });
  }

  /** Ends the worker; what it has not answered fails. The next call starts another. */
  end(message = 'the worker was terminated') {
    this.#worker?.terminate();
    this.#worker = null;
    const lost = [...this.#waiting.values()];
    this.#waiting.clear();
    lost.forEach(({ reject }) => reject(new WorkerError(message, true)));
  }

  /** @param {WebAssembly.Module} module */
  #start(module) {
    callers += 1;
    const worker = new Worker(new URL(`./${this.#engine}-worker.js`, import.meta.url), { type: 'module' });
    const name = `tilelab-worker-${callers}-${Math.random()}`;
    worker.addEventListener('message', ({ data: { id, result, error, isBroken, isReady } }) => {
      if (isReady) {
        // A worker holds a lock as long as it lives: a browser that kills one says so in no other way.
        navigator.locks?.request(name, () => this.#lose(worker, 'the worker stopped'));
        return;
      }
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) {
        waiting?.resolve(result);
      } else {
        waiting?.reject(new WorkerError(error, isBroken));
      }
    });
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#lose(worker, event.message || 'a worker could not be started');
    });
    worker.postMessage({ engine: this.#engine, module, name });
    return worker;
  }

  /** @param {Worker} worker @param {string} message */
  #lose(worker, message) {
    if (this.#worker === worker) {
      this.end(message);
    }
  }
}
