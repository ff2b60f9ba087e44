// The page's side of play-worker.js.

/** Players that choose the same move in the same position, so that they need not be asked again. */
export const WITHOUT_CHANCE = ['minimax', 'alpha-beta', 'exact', 'cycle', 'corner', 'seed-lookahead'];

/** A worker that thinks, started when it is first asked. */
export class Thinker {
  #worker = null;
  #waiting = new Map();
  #next = 0;

  /** Whether an answer is outstanding. */
  get isBusy() {
    return this.#waiting.size > 0;
  }

  /** Asks for a call of the worker; the promise fails with the message of its error. */
  ask(call, args) {
    if (this.#worker === null) {
      this.#start();
    }
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, call, args });
    });
  }

  /** Abandons whatever is being thought about; its promises never settle. */
  abandon() {
    if (this.isBusy) {
      this.#worker.terminate();
      this.#worker = null;
      this.#waiting.clear();
    }
  }

  #start() {
    this.#worker = new Worker(new URL('./play-worker.js', import.meta.url), { type: 'module' });
    this.#worker.addEventListener('message', ({ data: { id, result, error } }) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) {
        waiting?.resolve(result);
      } else {
        waiting?.reject(new Error(error));
      }
    });
    this.#worker.addEventListener('error', (event) => {
      const lost = [...this.#waiting.values()];
      this.#waiting.clear();
      this.#worker = null;
      lost.forEach(({ reject }) => reject(new Error(event.message ?? 'the worker stopped')));
    });
  }
}
