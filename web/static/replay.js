// Stepping through a file that `tilelab replay --json` has written.

import { Board } from './board.js';
import { box, button, choice, count, element } from './dom.js';
import { Stage } from './stage.js';

const FILE_BYTES_MAX = 64 * 1024 * 1024;
const RATES = [1, 2, 5, 10, 30, 100];
/** Moves are animated up to this many a second. */
const ANIMATED_RATE_MAX = 5;

/** The part of Play that steps through a replay. */
export class ReplayView {
  isOpen = false;
  #stage = new Stage('replay');
  #slider = element('input');
  #playing = button('Play', () => this.#toggle(), { key: 'space' });
  #game = element('select');
  #gameRow = element('label', 'setting', 'game ');
  #rate = choice(RATES.map((rate) => [String(rate), `${rate} a second`]), '2');
  #number = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {import('./engine_play.js').Replay | null} */
  #file = null;
  /** @type {{ index: string, length: number, outcome: Result | null }[]} */
  #games = [];
  #board;
  #Replay;
  #animates;
  #closed;

  /** @param {typeof import('./engine_play.js').Replay} Replay @param {() => boolean} animates @param {() => void} closed */
  constructor(Replay, animates, closed) {
    this.#Replay = Replay;
    this.#animates = animates;
    this.#closed = closed;
    const { main, side, root, boardHost, title } = this.#stage;
    this.root = root;
    root.hidden = true;
    title.textContent = 'Replay';
    this.#board = new Board(boardHost, { label: 'Board of the replay' });
    this.#slider.type = 'range';
    this.#slider.min = '0';
    this.#slider.setAttribute('aria-label', 'Turn');
    this.#slider.addEventListener('input', () => this.#go(Number(this.#slider.value)));
    main.append(
      this.#slider,
      box(
        'actions steps',
        button('|◀', () => this.#go(0), { label: 'First', key: 'Home' }),
        button('◀', () => this.#go(this.#number - 1), { label: 'Back', key: 'ArrowLeft' }),
        this.#playing,
        button('▶', () => this.#go(this.#number + 1, true), { label: 'Forward', key: 'ArrowRight' }),
        button('▶|', () => this.#go(this.#last), { label: 'Last', key: 'End' }),
      ),
    );
    this.#game.addEventListener('change', () => this.#open());
    this.#gameRow.append(this.#game);
    const speed = element('label', 'setting', 'speed ');
    speed.append(this.#rate);
    side.append(
      this.#gameRow,
      speed,
      button('Close replay', closed, { key: 'Escape' }),
      element('p', 'keys', 'Arrow keys step, Home and End go to the ends, the space bar plays and pauses, Esc closes.'),
    );
  }

  /** Reads a file and shows its first position. Fails with what is wrong with it. @param {File} file */
  async read(file) {
    if (file.size > FILE_BYTES_MAX) {
      throw new Error(`more than ${FILE_BYTES_MAX / 1024 / 1024} MiB`);
    }
    const read = new this.#Replay(await file.text());
    this.#file?.free();
    this.#file = read;
    this.#games = JSON.parse(read.games());
    this.#stage.goal.textContent = file.name;
    const options = this.#games.map(({ index }, at) => new Option(index, String(at)));
    this.#game.replaceChildren(...options);
    this.#gameRow.hidden = options.length < 2;
    this.root.hidden = false;
    this.#open();
    this.isOpen = true;
    this.#playing.focus();
  }

  close() {
    this.pause();
    this.isOpen = false;
    this.root.hidden = true;
  }

  /** Stops playing on. */
  pause() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#playing.textContent = 'Play';
  }

  /** Does what a key asks for; whether it asks for anything. @param {KeyboardEvent} event */
  key(event) {
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowLeft: () => this.#go(this.#number - 1),
      ArrowRight: () => this.#go(this.#number + 1, true),
      Home: () => this.#go(0),
      End: () => this.#go(this.#last),
      ' ': () => this.#toggle(),
      Escape: () => this.#closed(),
    };
    const act = event.target === this.#slider ? undefined : acts[event.key];
    act?.();
    return act !== undefined;
  }

  get #chosen() {
    return this.#games[Number(this.#game.value)];
  }

  get #last() {
    return (this.#chosen?.length ?? 1) - 1;
  }

  #open() {
    this.#slider.max = String(this.#last);
    this.#go(0);
  }

  /** @param {number} number @param {boolean} animate */
  #go(number, animate = false) {
    this.pause();
    this.#show(Math.min(Math.max(number, 0), this.#last), animate);
  }

  /** @param {number} number @param {boolean} animate */
  #show(number, animate) {
    /** @type {Position} */
    const position = JSON.parse(this.#file?.position(Number(this.#game.value), number) ?? '');
    this.#number = number;
    this.#stage.fit(position.cells);
    this.#board.show(position, animate && this.#animates());
    this.#stage.facts.show(position.facts.filter(([, value]) => value !== ''));
    this.#slider.value = String(number);
    const last = this.#last;
    const outcome = number === last ? (this.#chosen?.outcome ?? null) : null;
    const end = outcome === null ? '' : ` · ${{ won: 'Won', lost: 'Lost', drawn: 'Drawn' }[outcome]} after ${count(last, 'turn')}`;
    const move = position.last === null ? '' : ` · last move ${position.last}`;
    this.#stage.say(`Position ${number} of ${last}${move}${end}`, outcome === 'won' ? 'good' : outcome === 'lost' ? 'bad' : '');
  }

  /** Plays on, or pauses. */
  #toggle() {
    if (this.#timer !== undefined) {
      this.pause();
      return;
    }
    if (this.#number === this.#last) {
      this.#show(0, false);
    }
    this.#playing.textContent = 'Pause';
    this.#wait();
  }

  #wait() {
    const rate = Number(this.#rate.value);
    this.#timer = setTimeout(() => {
      this.#show(this.#number + 1, rate <= ANIMATED_RATE_MAX);
      if (this.#number === this.#last) {
        this.pause();
      } else {
        this.#wait();
      }
    }, 1000 / rate);
  }
}
