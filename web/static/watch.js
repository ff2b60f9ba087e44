// Watch: players of the catalogue play, and show what they think of each move.

import { Board } from './board.js';
import { Caller } from './caller.js';
import { box, button, checkbox, choice, count, dialog, element, keyList, labelled } from './dom.js';
import { setupForm } from './form.js';
import { DIRECTIONS, isTaken, keyName } from './input.js';
import { ANY_PLAYER, candidates, defaultSetup, gameTitle, linkText, playerOf, readLink, setupTitle } from './setup.js';
import { gameList, showAddress, Stage } from './stage.js';
import { read, write } from './store.js';
import { Bars } from './values.js';

const RATE_MAX = 1000;
/** Moves are animated up to this many a second, and played one by one up to the second figure. */
const ANIMATED_RATE_MAX = 6;
const SINGLE_RATE_MAX = 30;
/** Time between two pictures at high speed, and the most time that a batch may take. */
const PICTURE_MS = 33;
const BATCH_MS = 100;
/** How long a finished game stays before the next one, in milliseconds. */
const BETWEEN_MS = 1500;
/** What stands for the solver of a game in the choice of players. */
const SOLVER = 'the solver';

/** The slider's place from 0 to 100 as moves a second, and back. @param {number} place */
const rateOf = (place) => {
  const rate = RATE_MAX ** (place / 100);
  return rate < 10 ? Math.round(rate * 2) / 2 : rate < 100 ? Math.round(rate) : Math.round(rate / 10) * 10;
};
/** @param {number} rate */
const placeOf = (rate) => Math.round((100 * Math.log(rate)) / Math.log(RATE_MAX));

/**
 * `opening`: a game is made ready; `paused`; `playing`: moves are made; `between`: the game is over
 * and the next one follows; `over`.
 * @typedef {'opening' | 'paused' | 'playing' | 'between' | 'over'} State
 */

/** @typedef {{ view: View, values: Values | null, moves: string[], made?: number, undone?: boolean }} Answer */

/** The page's part in which players play. */
export class Watch {
  /** @type {State} */
  #state = 'opening';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** Counts opened games, so that answers about earlier ones are dropped. */
  #opened = 0;
  /** Whether the worker is at work on a move. */
  #isAsking = false;
  #settings = read('watch', { current: '', rate: 4, thoughts: true, onward: false });
  /** @type {Record<string, Setup>} */
  #setups = read('watch.games', {});
  #thinker = new Caller('play');
  #stage = new Stage();
  #bars = new Bars();
  #players = element('div', 'fields');
  #record = element('p', 'identity');
  #speed = element('input');
  #rateTold = element('output');
  #playing = button('Play', () => this.toggle(), { className: 'main', key: 'space' });
  #rules = '';
  #spec = '';
  /** @type {View | null} */
  #view = null;
  /** @type {string[]} */
  #moves = [];
  /** Where the speed is measured from. */
  #since = { at: 0, moves: 0, shown: '' };
  /** When the last batch began. */
  #played = 0;
  /** @type {Setup} */
  #setup = { game: '', params: {}, players: [], seat: 0, seed: '0', index: '0' };
  /** @type {GameEntry[]} */
  #catalog;
  #section;
  #board;
  #games;
  #setupDialog;
  #help;

  /** @param {HTMLElement} section @param {typeof import('./engine_play.js')} exports */
  constructor(section, { catalog }) {
    this.#section = section;
    this.#catalog = JSON.parse(catalog());
    this.#board = new Board(this.#stage.boardHost, { label: 'Board' });
    this.#games = gameList(this.#catalog, gameTitle, (name) => this.#resume(name));
    this.#setupDialog = dialog(section, 'Set up a game to watch');
    this.#help = dialog(section, 'Rules and keys');
    this.#draw();
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  /** @param {URLSearchParams} query */
  show(query) {
    if (query.has('game')) {
      try {
        const { setup, moves } = readLink(this.#catalog, query);
        this.open(setup, false, moves);
      } catch (error) {
        this.#stage.say(`Cannot open this link: ${error instanceof Error ? error.message : error}`, 'bad');
      }
    } else if (this.#opened === 0) {
      const known = this.#catalog.find(({ name }) => name === this.#settings.current) ?? this.#catalog[0];
      this.#resume(known?.name ?? '');
    }
  }

  get #entry() {
    const found = this.#catalog.find((game) => game.name === this.#setup.game);
    return /** @type {GameEntry} */ (found);
  }

  get #rate() {
    return rateOf(Number(this.#speed.value));
  }

  /** Whether the solver chooses: nobody else was asked for. */
  get #solves() {
    return this.#entry.solves && this.#setup.players[0] === '';
  }

  #draw() {
    const { main, side, root } = this.#stage;
    main.append(
      box(
        'actions steps',
        button('◀', () => this.back(), { label: 'Back', key: 'ArrowLeft' }),
        this.#playing,
        button('▶', () => this.step(), { label: 'Step', key: 'ArrowRight' }),
        button('Next game', () => this.next(), { key: 'n' }),
      ),
    );
    Object.assign(this.#speed, { type: 'range', min: '0', max: '100', value: String(placeOf(Math.min(Math.max(this.#settings.rate, 1), RATE_MAX))) });
    this.#speed.addEventListener('input', () => {
      this.#tellSpeed();
      this.#settings.rate = this.#rate;
      this.#save();
      if (this.#state === 'playing') {
        this.#enter('playing');
      }
    });
    const speed = element('label', 'speed');
    speed.append(element('span', '', 'speed'), this.#speed, this.#rateTold);
    side.append(
      this.#players,
      speed,
      checkbox('show evaluations', this.#settings.thoughts, (isChecked) => {
        this.#settings.thoughts = isChecked;
        this.#save();
        if (this.#state === 'paused') {
          this.#ask('run', [0, 0, isChecked, false], false);
        }
      }),
      checkbox('autoplay next game', this.#settings.onward, (isChecked) => {
        this.#settings.onward = isChecked;
        this.#save();
      }),
      this.#bars.root,
      box(
        'actions',
        button('Set up…', () => this.#showSetup(), { key: 'o' }),
        button('Rules', () => this.#showHelp(), { key: '?' }),
        button('Play from here', () => location.assign(`#${linkText('play', { setup: this.#setup, moves: this.#moves })}`)),
      ),
      this.#record,
    );
    this.#section.append(box('play watch', this.#games.root, root));
    this.#tellSpeed();
  }

  #tellSpeed() {
    this.#rateTold.textContent = `${this.#rate} a second`;
    this.#speed.setAttribute('aria-valuetext', `${this.#rate} moves a second`);
  }

  /** Goes over into a state: the only place where timers are set and dropped. @param {State} state */
  #enter(state) {
    clearTimeout(this.#timer);
    if (state === 'playing' && this.#state !== 'playing') {
      this.#since = { at: performance.now(), moves: this.#view?.moves ?? 0, shown: '' };
      this.#played = performance.now();
    }
    this.#state = state;
    const isGoing = state === 'playing' || state === 'between';
    this.#playing.textContent = isGoing ? 'Pause' : 'Play';
    this.#playing.disabled = state === 'opening';
    if (state === 'playing') {
      this.#timer = setTimeout(() => this.#tick(), 0);
    } else if (state === 'between') {
      this.#timer = setTimeout(() => this.next(), BETWEEN_MS);
    }
  }

  /** Opens a game; `goesOn` keeps playing. @param {Setup} setup @param {boolean} goesOn @param {string[]} moves */
  async open(setup, goesOn = false, moves = []) {
    this.#enter('opening');
    this.#thinker.end();
    this.#opened += 1;
    const opened = this.#opened;
    this.#isAsking = false;
    this.#setup = setup;
    this.#games.select(setup.game);
    this.#drawPlayers();
    this.#stage.title.textContent = setupTitle(this.#entry, setup);
    this.#stage.goal.textContent = '';
    this.#stage.say('Opening…');
    try {
      const { seed, index } = setup;
      const specs = candidates(this.#entry, setup);
      const fitting = await this.#thinker.call('fitting', specs, seed, index);
      const spec = specs[fitting] ?? '';
      const answer = await this.#thinker.call('open', { spec, seed, index, moves }, this.#settings.thoughts);
      if (opened !== this.#opened) {
        return;
      }
      this.#spec = spec;
      this.#rules = answer.rules;
      this.#stage.goal.textContent = answer.goal;
      this.#board = new Board(this.#stage.boardHost, { label: `Board of ${gameTitle(this.#entry)}`, axes: answer.view.sources.length > 0 });
      this.#stage.fit(answer.view.cells);
      this.#enter(goesOn ? 'playing' : 'paused');
      this.#show(answer, false);
      this.#save();
    } catch (error) {
      if (opened === this.#opened) {
        this.#stage.say(error instanceof Error ? error.message : String(error), 'bad');
      }
    }
  }

  /** The next game of this seed, played on where this one was. */
  next() {
    const next = { ...this.#setup, index: String(BigInt(this.#setup.index) + 1n) };
    const { levels } = this.#entry;
    if (levels !== undefined) {
      const level = (Number(this.#setup.params.level ?? 1) % levels.length) + 1;
      next.params = { ...this.#setup.params, level: String(level) };
      next.index = this.#setup.index;
    }
    this.open(next, ['playing', 'between'].includes(this.#state));
  }

  /** Plays, or pauses. */
  toggle() {
    if (this.#state === 'playing') {
      this.#enter('paused');
    } else if (this.#state === 'between') {
      this.#enter('over');
    } else if (this.#state === 'paused') {
      this.#enter('playing');
    } else if (this.#state === 'over') {
      this.open(this.#setup, true);
    }
  }

  /** Another part of the page comes into view, or a person does something else: the players wait. */
  hide() {
    if (this.#state === 'playing' || this.#state === 'between') {
      this.toggle();
    }
  }

  /** One move. */
  async step() {
    this.hide();
    if (this.#state === 'paused') {
      await this.#ask('run', [1, 0, this.#settings.thoughts, this.#solves], true);
    }
  }

  /** One move back. */
  async back() {
    this.hide();
    if (this.#state === 'over') {
      this.#enter('paused');
    }
    if (this.#state === 'paused') {
      const answer = await this.#ask('undo', [this.#settings.thoughts], false);
      if (answer?.undone === false) {
        this.#stage.say('This is the first position.');
      }
    }
  }

  /** Plays what is due, and comes back when more is. */
  async #tick() {
    const begun = performance.now();
    const rate = this.#rate;
    const isSingle = rate <= SINGLE_RATE_MAX;
    const pause = isSingle ? 1000 / rate : PICTURE_MS;
    // What is due since the last batch; players that cannot keep up are not hurried later.
    const due = (rate * Math.min(begun - this.#played, 2 * BATCH_MS)) / 1000;
    this.#played = begun;
    const moves = isSingle ? 1 : Math.max(1, Math.round(due));
    await this.#ask('run', [moves, BATCH_MS, this.#settings.thoughts, this.#solves], rate <= ANIMATED_RATE_MAX);
    if (this.#state === 'playing') {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#tick(), Math.max(0, pause - (performance.now() - begun)));
    }
  }

  /** Asks the worker for a call and shows its answer. @param {string} call @param {unknown[]} args @param {boolean} animate */
  async #ask(call, args, animate) {
    if (this.#isAsking) {
      return null;
    }
    const opened = this.#opened;
    this.#isAsking = true;
    try {
      /** @type {Answer} */
      const answer = await this.#thinker.call(call, ...args);
      if (opened !== this.#opened) {
        return null;
      }
      this.#show(answer, animate && answer.made === 1);
      return answer;
    } catch (error) {
      if (opened === this.#opened) {
        this.#enter('paused');
        this.#stage.say(error instanceof Error ? error.message : String(error), 'bad');
      }
      return null;
    } finally {
      if (opened === this.#opened) {
        this.#isAsking = false;
      }
    }
  }

  /** @param {Answer} answer @param {boolean} animate */
  #show({ view, values, moves }, animate) {
    this.#view = view;
    this.#moves = moves;
    this.#board.show(view, animate);
    this.#showFacts(view);
    this.#showThoughts(view, values);
    this.#stage.say(view.last === null ? '' : `Last move: ${view.last}`);
    if (!this.#section.hidden) {
      showAddress(linkText('watch', { setup: this.#setup, moves }));
    }
    if (view.outcome !== null) {
      this.#finish(view, view.outcome.result);
    }
  }

  /** Facts, moves, and how fast the players are. @param {View} view */
  #showFacts(view) {
    /** @type {Facts} */
    const facts = [...view.facts, ['moves', String(view.moves)]];
    if (this.#state === 'playing') {
      const seconds = (performance.now() - this.#since.at) / 1000;
      if (seconds > 0.5) {
        this.#since.shown = ((view.moves - this.#since.moves) / seconds).toPrecision(3);
      }
      if (seconds > 3) {
        this.#since = { ...this.#since, at: performance.now(), moves: view.moves };
      }
      facts.push(['moves a second', this.#since.shown]);
    }
    this.#stage.facts.show(facts);
    this.#record.textContent = `${this.#spec} · seed ${this.#setup.seed} · game ${this.#setup.index}`;
  }

  /** @param {View} view @param {Values | null} values */
  #showThoughts(view, values) {
    this.#board.point();
    if (!this.#settings.thoughts) {
      this.#bars.clear('Switched off.');
    } else if (view.outcome !== null) {
      this.#bars.clear('The game is over.');
    } else if (values === null) {
      this.#bars.clear(this.#solves ? 'The solver plays a shortest solution.' : `${this.#playerName(view.seat)} does not evaluate single moves.`);
    } else {
      this.#bars.show(values, DIRECTIONS.includes(view.legal[0] ?? '') ? DIRECTIONS : []);
      this.#board.point({ hinted: values.moves[0]?.path ?? [] });
    }
  }

  /** @param {View} view @param {Result} result */
  #finish({ moves, whyOver }, result) {
    const title = this.#entry.seats === 2 ? this.#winner(result) : { won: 'Won', lost: 'Lost', drawn: 'Drawn' }[result];
    this.#stage.say(`${title} after ${count(moves, 'move')}${whyOver === '' ? '' : `: ${whyOver}`}.`, result === 'won' ? 'good' : '');
    this.#enter(this.#state === 'playing' && this.#settings.onward ? 'between' : 'over');
  }

  /** @param {Result} result */
  #winner(result) {
    const seat = result === 'won' ? 0 : 1;
    return result === 'drawn' ? 'Drawn' : `Seat ${seat} (${this.#playerName(seat)}) won`;
  }

  /** @param {number} seat */
  #playerName(seat) {
    return playerOf(this.#spec, seat).split('(')[0] ?? '';
  }

  /** The choice of players beside the board. */
  #drawPlayers() {
    const rows = this.#setup.players.map((text, seat) => {
      const names = this.#entry.players.map((player) => [player.name]);
      const select = choice([['', this.#entry.solves ? SOLVER : ANY_PLAYER], ...names], text.split('(')[0] ?? '');
      select.addEventListener('change', () => {
        const players = this.#setup.players.with(seat, select.value);
        this.open({ ...this.#setup, players }, this.#state === 'playing');
      });
      return labelled(this.#entry.seats === 2 ? `seat ${seat}` : 'player', select);
    });
    this.#players.replaceChildren(...rows);
  }

  #showSetup() {
    this.hide();
    const { box: made, show: open } = this.#setupDialog;
    const entry = this.#entry;
    const form = setupForm(entry, this.#setup, {
      asksSeat: false,
      roles: () => (entry.seats === 2 ? ['seat 0', 'seat 1'] : ['plays']),
      action: 'Open',
      check: (value) => this.#thinker.call('fitting', candidates(entry, value), value.seed, value.index),
      accepted: (value) => {
        made.close();
        this.open(value);
      },
      cancelled: () => made.close(),
    });
    open(form);
  }

  #showHelp() {
    const rules = this.#rules.trim().split('\n').map((line) => element('p', '', line));
    const keys = keyList([
      ['space', 'play, pause'],
      ['→', 'one move'],
      ['←', 'one move back'],
      ['+ -', 'speed'],
      ['n', 'next game'],
      ['o', 'set up'],
      ['?', 'these rules'],
    ]);
    this.#help.show(...rules, element('h3', '', 'Keys'), keys);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#section.hidden || isTaken(event)) {
      return;
    }
    /** @param {number} by */
    const faster = (by) => {
      this.#speed.value = String(Number(this.#speed.value) + by);
      this.#speed.dispatchEvent(new Event('input'));
    };
    /** @type {Record<string, () => unknown>} */
    const acts = {
      ' ': () => this.toggle(),
      '.': () => this.step(),
      right: () => this.step(),
      u: () => this.back(),
      left: () => this.back(),
      '+': () => faster(5),
      '=': () => faster(5),
      '-': () => faster(-5),
      n: () => this.next(),
      o: () => this.#showSetup(),
      '?': () => this.#showHelp(),
    };
    const act = acts[keyName(event)];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  }

  /** @param {string} name */
  #resume(name) {
    const entry = this.#catalog.find((game) => game.name === name);
    const kept = this.#setups[name];
    if (entry !== undefined) {
      this.open(kept?.game === name && Array.isArray(kept.players) ? kept : defaultSetup(entry));
    }
  }

  #save() {
    this.#settings.current = this.#setup.game;
    this.#setups[this.#setup.game] = this.#setup;
    write('watch', this.#settings);
    write('watch.games', this.#setups);
  }
}
