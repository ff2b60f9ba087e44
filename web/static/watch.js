// Watch: players of the catalog play, and show what they think of each move. Games that were
// played are stepped through here, too.

import { choice, element, labelled } from './dom.js';
import { ANY_PLAYER, linkText, readLink } from './setup.js';
import { Table } from './table.js';

/** Moves a second. */
const RATES = [0.5, 1, 2, 4, 8, 15, 30, 60, 125, 250, 500, 1000];
/** Moves are animated up to this many a second, and played one by one up to the second figure. */
const ANIMATED_RATE_MAX = 8;
const SINGLE_RATE_MAX = 30;
/** Time between two pictures at high speed, and the most time that a batch may take. */
const PICTURE_MS = 33;
const BATCH_MS = 100;
/** How long a finished game stays before the next one, in milliseconds. */
const BETWEEN_MS = 1500;
/** How long a position stays before it is evaluated, in milliseconds. */
const SETTLED_MS = 50;
/** What stands for the solver of a game in the choice of players. */
const SOLVER = 'the solver';

/**
 * `opening`: a game is made ready; `paused`; `playing`: moves are made; `between`: the game is over
 * and the next one follows; `over`.
 * @typedef {'opening' | 'paused' | 'playing' | 'between' | 'over'} State
 */

/** The page's part in which players play. */
export class Watch extends Table {
  /** @type {State} */
  #state = 'opening';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Moves that were taken back, or those of a game that is stepped through. @type {string[]} */
  #ahead = [];
  /** @type {HTMLInputElement} */
  #speed;
  /** @type {HTMLInputElement} */
  #position;

  /** @param {HTMLElement} section @param {import('./table.js').Engine} engine */
  constructor(section, engine) {
    super(section, engine, false);
    this.#speed = this.find('.speed input');
    this.#position = this.find('.position');
    Object.assign(this.acts, {
      toggle: () => this.toggle(),
      step: () => this.#step(1),
      back: () => this.#step(-1),
      next: () => this.next(),
      play: () => location.assign(`#${linkText('play', this.played)}`),
    });
    this.#position.addEventListener('input', () => this.#jump(Number(this.#position.value)));
    const rate = RATES.findIndex((one) => one >= this.settings.rate);
    Object.assign(this.#speed, { max: RATES.length - 1, value: rate });
    this.#speed.addEventListener('input', () => this.#setSpeed());
    this.#setSpeed();
    section.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.dataset.setting === 'thoughts') {
        this.#ask(0);
      }
    });
  }

  /** Opens the game of a link, otherwise the one watched last. @param {URLSearchParams} query */
  show(query) {
    if (query.has('game')) {
      try {
        const linked = readLink(query, this.engine.readCell);
        this.open(linked, { at: Number(query.get('at') ?? linked.moves.length) });
      } catch (error) {
        this.fail(error, 'Cannot open this link: ');
      }
    } else if (this.game === null) {
      this.resume(this.settings.current);
    } else {
      this.showAddress();
    }
  }

  /** Whether the solver chooses: nobody else was asked for. */
  get #solves() {
    return this.entry.solves && this.played.setup.players[0] === '';
  }

  get #line() {
    return [...this.played.moves, ...this.#ahead];
  }

  /** The address names the moves ahead, too. */
  get address() {
    const { setup, moves } = this.played;
    const link = linkText('watch', { setup, moves: this.#line });
    return this.#ahead.length === 0 ? link : `${link}&at=${moves.length}`;
  }

  /** Takes over the speed of the slider, changed by some steps. */
  #setSpeed(by = 0) {
    this.#speed.value = String(Number(this.#speed.value) + by);
    const rate = RATES[Number(this.#speed.value)] ?? 1;
    this.set({ rate });
    this.find('.speed output').textContent = `${rate} a second`;
    this.#speed.setAttribute('aria-valuetext', `${rate} moves a second`);
    this.#enter(this.#state);
  }

  /** Goes over into a state: the only place that sets timers. @param {State} state */
  #enter(state) {
    clearTimeout(this.#timer);
    this.#state = state;
    const toggle = this.find('[data-act=toggle]');
    toggle.textContent = state === 'playing' || state === 'between' ? 'Pause' : 'Play';
    toggle.disabled = state === 'opening';
    if (state === 'playing') {
      this.#timer = setTimeout(() => this.#tick(), 0);
    } else if (state === 'between') {
      this.#timer = setTimeout(() => this.next(), BETWEEN_MS);
    } else if (this.game !== null) {
      // Not while it plays, as browsers limit how often the address may change.
      this.showAddress();
    }
  }

  /**
   * Opens a game at one of its positions; `goesOn` keeps playing. @param {Played} played
   * @param {{ at?: number, goesOn?: boolean }} [options]
   */
  async open({ setup, moves }, { at = moves.length, goesOn = false } = {}) {
    this.#enter('opening');
    this.stopThinking();
    let { played } = this;
    try {
      const problem = this.place({ setup, moves });
      ({ played } = this);
      this.#ahead = [];
      this.#go(Math.min(at, played.moves.length), false);
      this.#drawPlayers();
      this.say('Opening…');
      await this.thinker.open(setup);
      if (played === this.played) {
        this.identify(this.#solves ? [SOLVER] : this.thinker.players);
        this.#enter(goesOn ? 'playing' : 'paused');
        await this.#ask(0);
      }
      if (played === this.played) {
        this.#settle(problem);
      }
    } catch (error) {
      if (played === this.played) {
        this.fail(error);
      }
    }
  }

  /** The next game of this seed, played on where this one was. */
  next() {
    const goesOn = this.#state === 'playing' || this.#state === 'between';
    this.open({ setup: this.nextGame(true).setup, moves: [] }, { goesOn });
  }

  /** Plays, or pauses. */
  toggle() {
    if (this.#state === 'over') {
      this.open({ setup: this.played.setup, moves: [] }, { goesOn: true });
    } else if (this.#state === 'between') {
      this.#enter('over');
    } else if (this.#state !== 'opening') {
      this.#enter(this.#state === 'playing' ? 'paused' : 'playing');
    }
  }

  /** Another part of the page comes into view: the players wait. */
  hide() {
    if (this.#state === 'playing' || this.#state === 'between') {
      this.toggle();
    }
  }

  /** One move, or one back. @param {1 | -1} by */
  #step(by) {
    const at = this.played.moves.length + by;
    if (at < 0 || at <= this.#line.length) {
      this.#jump(at, by > 0);
    } else if (this.#state !== 'over') {
      this.hide();
      this.stopThinking(false);
      this.#ask(1, 0, true);
    }
  }

  /** Goes to a position because a person wants to. @param {number} at @param {boolean} animate */
  #jump(at, animate = false) {
    if (this.#state !== 'opening') {
      this.stopThinking();
      this.#enter('paused');
      this.#go(at, animate);
      this.#settle();
      // Not at once, as a slider moves through many positions.
      this.#timer = setTimeout(() => this.#ask(0), SETTLED_MS);
    }
  }

  /** Shows a position of the moves that are known. @param {number} at @param {boolean} animate */
  #go(at, animate) {
    const line = this.#line;
    const { moves } = this.played;
    const to = Math.min(Math.max(at, 0), line.length);
    while (moves.length > to) {
      this.takeBack();
    }
    this.advance(line.slice(moves.length, to));
    this.#ahead = line.slice(to);
    this.refresh(animate);
    Object.assign(this.#position, { max: line.length, value: to });
    this.#position.hidden = line.length === 0;
  }

  /** Says what happened, or is wrong, and where the game is over, what follows. */
  #settle(problem = '') {
    const { last, outcome } = this.view;
    if (outcome === null) {
      this.say(problem || (last === null ? '' : `Last move: ${last}`), problem ? 'bad' : '');
      return;
    }
    const isDuel = this.entry.seats === 2 && outcome !== 'drawn';
    const winner = outcome === 'won' ? 0 : 1;
    const { text } = this.ending(isDuel ? winner : 0);
    const who = isDuel ? `Seat ${winner} (${this.#nameOf(winner)}): ` : '';
    this.say(who + text, outcome === 'won' ? 'good' : '');
    this.#enter(this.#state === 'playing' && this.settings.onward ? 'between' : 'over');
  }

  /** Makes the moves that are due, and waits for the next ones. */
  async #tick() {
    const { rate } = this.settings;
    const isSingle = rate <= SINGLE_RATE_MAX;
    const pause = isSingle ? 1000 / rate : PICTURE_MS;
    const begun = performance.now();
    const count = isSingle ? 1 : Math.max(1, Math.round((rate * PICTURE_MS) / 1000));
    const animate = rate <= ANIMATED_RATE_MAX;
    if (this.#ahead.length > 0) {
      this.#go(this.played.moves.length + count, animate);
      this.#settle();
      await this.#ask(0);
    } else {
      await this.#ask(count, BATCH_MS, animate);
    }
    if (this.#state === 'playing') {
      clearTimeout(this.#timer);
      const left = Math.max(0, pause - (performance.now() - begun));
      this.#timer = setTimeout(() => this.#tick(), left);
    }
  }

  /** Lets the players make moves, and shows them and what they think. @param {number} count */
  async #ask(count, milliseconds = 0, animate = false) {
    const thoughts = this.settings.thoughts && !this.#solves;
    /** @type {{ made: string[], values: Values | null } | null} */
    const answer = await this.think('run', [count, milliseconds, this.#solves, thoughts]);
    if (answer === null) {
      return;
    }
    const { made, values } = answer;
    if (made.length > 0) {
      this.#ahead = made;
      this.#go(this.played.moves.length + made.length, animate && made.length === 1);
      this.#settle();
      this.save();
    }
    this.#showThoughts(values);
  }

  /** What the player to move thinks, or why nothing. @param {Values | null} values */
  #showThoughts(values) {
    this.board?.point({ hinted: values?.path ?? [] });
    const silent = `${this.#nameOf(this.view.seat)} does not evaluate single moves.`;
    const why = [
      !this.settings.thoughts && 'Switched off.',
      this.view.outcome !== null && 'The game is over.',
      this.#solves && 'The solver plays a shortest solution.',
    ];
    const { title = 'Evaluation of each move', note, isSigned = false, rows = [] } = values ?? {};
    const [head, help, list] = this.find('.thoughts').children;
    head.textContent = title;
    help.textContent = note ?? (why.find(Boolean) || silent);
    list.hidden = rows.length === 0;
    list.classList.toggle('is-signed', isSigned);
    const drawn = rows.map(({ name, text, left, width, isBest }) => {
      const fill = element('span', 'fill');
      Object.assign(fill.style, { left: `${left}%`, width: `${width}%` });
      const bar = element('span', 'bar', fill);
      const value = element('span', 'bar-value', text);
      return element('li', isBest ? 'best' : '', element('span', 'bar-name', name), bar, value);
    });
    list.replaceChildren(...drawn);
  }

  /** The player of a seat. @param {number} seat */
  #nameOf(seat) {
    return this.thinker.players[seat]?.split('(')[0] ?? '';
  }

  /** The choice of players beside the board. */
  #drawPlayers() {
    const { setup } = this.played;
    const { players, seats, solves } = this.entry;
    const names = [['', solves ? SOLVER : ANY_PLAYER], ...players.map(({ name }) => [name])];
    const rows = setup.players.map((text, seat) => {
      const select = choice(names, text.split('(')[0] ?? '');
      select.addEventListener('change', () => {
        const chosen = { ...setup, players: setup.players.with(seat, select.value) };
        this.open({ setup: chosen, moves: [] }, { goesOn: this.#state === 'playing' });
      });
      return labelled(seats === 2 ? `seat ${seat}` : 'player', select);
    });
    this.find('.fields').replaceChildren(...rows);
  }

  showSetup() {
    this.hide();
    super.showSetup(() => (this.entry.seats === 2 ? this.seats : ['plays']));
  }

  /** Does what a key asks for; whether it asks for anything. @param {string} name */
  key(name) {
    /** @type {Record<string, () => void>} */
    const acts = {
      home: () => this.#jump(0),
      end: () => this.#jump(this.#line.length),
      '+': () => this.#setSpeed(1),
      '=': () => this.#setSpeed(1),
      '-': () => this.#setSpeed(-1),
    };
    acts[name]?.();
    return acts[name] !== undefined || super.key(name);
  }

  showRules() {
    const keys = 'Home and End go to the ends of the moves, + and - change the speed.';
    return super.showRules(element('p', '', keys));
  }
}
