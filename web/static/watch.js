// Watch: players of the catalogue play, and show what they think of each move.

import { Board, element } from './board.js';
import { DIRECTIONS, Facts, Games, button, count, dialog, gameHead, isTaken, keyList, keyName } from './controls.js';
import { engine } from './engine.js';
import { ANY_PLAYER, candidates, defaultSetup, gameTitle, playerOf, setupForm, setupTitle } from './setup.js';
import { isSetup, readStore, writeStore } from './store.js';
import { Thinker } from './thinker.js';

const STORE = 'tilelab.watch';
const RATE_MAX = 1000;
/** Moves are animated up to this many a second, and played one by one up to the second figure. */
const ANIMATED_RATE_MAX = 6;
const SINGLE_RATE_MAX = 30;
/** Time between two pictures at high speed, and the most time that a batch may take. */
const PICTURE_MS = 33;
const BATCH_MS = 100;
/** How long a finished game stays before the next one, in milliseconds. */
const BETWEEN_MS = 1500;
/** The most moves whose values are shown. */
const BARS_MAX = 8;

/** The slider's place from 0 to 100 as moves a second, and back. */
const rateOf = (place) => {
  const rate = RATE_MAX ** (place / 100);
  return rate < 10 ? Math.round(rate * 2) / 2 : rate < 100 ? Math.round(rate) : Math.round(rate / 10) * 10;
};
const placeOf = (rate) => Math.round((100 * Math.log(rate)) / Math.log(RATE_MAX));

/** What the player thinks of each move, as bars. */
class Bars {
  constructor(host) {
    this.root = element('div', 'thoughts');
    this.note = element('p', 'help');
    this.list = element('ul', 'bars');
    this.root.append(element('h3', '', 'What it thinks of each move'), this.note, this.list);
    host.append(this.root);
  }

  /** Shows pairs of a move's name and its value, or why there are none. */
  show(values, note) {
    this.note.textContent = note;
    this.note.hidden = note === '';
    this.list.hidden = values === null;
    if (values === null) {
      return;
    }
    const isDirections = values.every(({ name }) => DIRECTIONS.includes(name));
    const best = () => values.filter(({ value }) => value !== null).sort((one, other) => other.value - one.value);
    const sorted = isDirections ? values : best().slice(0, BARS_MAX);
    const known = sorted.filter(({ value }) => value !== null).map(({ value }) => value);
    const least = Math.min(...known);
    const most = Math.max(...known);
    while (this.list.children.length > sorted.length) {
      this.list.lastChild.remove();
    }
    while (this.list.children.length < sorted.length) {
      const row = element('li');
      const bar = element('span', 'bar');
      bar.append(element('span', 'fill'));
      row.append(element('span', 'bar-name'), bar, element('span', 'bar-value'));
      this.list.append(row);
    }
    sorted.forEach(({ name, value, isLegal = true }, place) => {
      const row = this.list.children[place];
      const [label, bar, number] = row.children;
      label.textContent = name;
      number.textContent = value === null ? (isLegal ? 'not looked at' : 'not legal') : shortNumber(value);
      const share = value === null ? 0 : most > least ? (value - least) / (most - least) : 1;
      bar.firstChild.style.width = value === null ? '0' : `${6 + 94 * share}%`;
      row.classList.toggle('best', value !== null && value === most);
    });
  }
}

/** A value in few characters. */
function shortNumber(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) {
    return String(value);
  }
  const size = Math.abs(value);
  return size >= 1e7 || (size < 1e-3 && size > 0) ? value.toExponential(2) : value.toPrecision(4);
}

/** The page's part in which players play. */
class Watch {
  constructor(section, { catalog }) {
    this.section = section;
    this.catalog = JSON.parse(catalog());
    this.thinker = new Thinker();
    this.stored = readStore(STORE, { rate: 4, thoughts: true, onward: false }, isSetup);
    /** Counts opened games, so that answers about earlier ones are dropped. */
    this.opened = 0;
    this.isPlaying = false;
    this.timer = null;
    this.view = null;
    this.#draw();
    document.addEventListener('keydown', (event) => this.#key(event));
    const known = this.catalog.some((game) => game.name === this.stored.current);
    this.#resume(known ? this.stored.current : this.catalog[0].name);
  }

  get entry() {
    return this.catalog.find((game) => game.name === this.setup.game);
  }

  get rate() {
    return rateOf(Number(this.speed.value));
  }

  #draw() {
    const root = element('div', 'play watch');
    this.games = new Games(root, this.catalog, gameTitle, (name) => this.#resume(name));
    const stage = element('div', 'stage');
    const main = element('div', 'main');
    const side = element('div', 'side');
    ({ title: this.title, goal: this.goal } = gameHead(main));
    this.facts = new Facts(main);
    this.boardHost = element('div', 'board-host');
    this.message = element('p', 'message');
    this.message.setAttribute('role', 'status');
    main.append(this.message, this.boardHost);
    const steps = element('div', 'actions steps');
    this.playing = button('Play', () => this.toggle(), { className: 'main', key: 'space' });
    steps.append(
      button('◀', () => this.back(), { label: 'Back', key: 'ArrowLeft' }),
      this.playing,
      button('▶', () => this.step(), { label: 'Step', key: 'ArrowRight' }),
      button('Next game', () => this.next(), { key: 'n' }),
      button('Set up…', () => this.#showSetup(), { key: 'o' }),
      button('Rules', () => this.#showHelp(), { key: '?' }),
    );
    main.append(steps);
    this.players = element('div', 'fields');
    const speed = element('label', 'speed');
    this.speed = element('input');
    this.speed.type = 'range';
    this.speed.min = '0';
    this.speed.max = '100';
    this.speed.value = String(placeOf(Math.min(Math.max(this.stored.rate, 1), RATE_MAX)));
    this.told = element('output');
    speed.append(element('span', '', 'speed'), this.speed, this.told);
    this.speed.addEventListener('input', () => {
      this.#tellSpeed();
      this.stored.rate = this.rate;
      this.#save();
      if (this.isPlaying) {
        this.#schedule(0);
      }
    });
    const check = (name, text) => {
      const box = element('input');
      box.type = 'checkbox';
      box.checked = this.stored[name];
      box.addEventListener('change', () => {
        this.stored[name] = box.checked;
        this.#save();
        this.#think();
      });
      const label = element('label', 'setting');
      label.append(box, text);
      return label;
    };
    this.bars = new Bars(side);
    this.record = element('p', 'identity');
    side.prepend(this.players, speed, check('thoughts', 'show what it thinks'), check('onward', 'go on with the next game'));
    side.append(this.record);
    this.stage = stage;
    stage.append(main, side);
    root.append(stage);
    this.section.append(root);
    this.setupDialog = dialog(this.section, 'Set up a game to watch');
    this.help = dialog(this.section, 'Rules and keys');
    this.#tellSpeed();
  }

  #tellSpeed() {
    this.told.textContent = `${this.rate} a second`;
    this.speed.setAttribute('aria-valuetext', `${this.rate} moves a second`);
  }

  /** Opens a game; `goesOn` keeps playing. */
  async open(setup, goesOn = false) {
    this.pause();
    this.thinker.abandon();
    this.opened += 1;
    const opened = this.opened;
    this.setup = setup;
    this.games.select(setup.game);
    this.#drawPlayers();
    this.title.textContent = setupTitle(this.entry, setup);
    this.goal.textContent = '';
    this.#say('Opening…');
    try {
      const { seed, index } = setup;
      const specs = candidates(this.entry, setup);
      const fitting = await this.thinker.ask('fitting', { specs, seed, index });
      const answer = await this.thinker.ask('open', {
        game: { spec: specs[fitting], seed, index },
        wantsValues: this.stored.thoughts,
      });
      if (opened !== this.opened) {
        return;
      }
      this.spec = specs[fitting];
      this.rules = answer.rules;
      this.goal.textContent = answer.goal;
      this.boardHost.replaceChildren();
      this.board = new Board(this.boardHost, { label: `Board of ${gameTitle(this.entry)}` });
      this.stage.classList.toggle('wide', (answer.view.cells[0]?.length ?? 0) > 16);
      this.#show(answer, false);
      this.#save();
      if (goesOn) {
        this.toggle();
      }
    } catch (error) {
      if (opened === this.opened) {
        this.#say(error.message, 'bad');
      }
    }
  }

  /** The next game of this seed. */
  next(goesOn = this.isPlaying) {
    const next = { ...this.setup, index: String(BigInt(this.setup.index) + 1n) };
    const levels = this.entry.levels;
    if (levels !== undefined) {
      const level = (Number(this.setup.params.level ?? 1) % levels.length) + 1;
      next.params = { ...this.setup.params, level: String(level) };
      next.index = this.setup.index;
    }
    this.open(next, goesOn);
  }

  /** Plays, or pauses. */
  toggle() {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    if (this.view === null || this.view.outcome !== null) {
      return;
    }
    this.isPlaying = true;
    this.playing.textContent = 'Pause';
    this.since = { at: performance.now(), moves: this.view.moves };
    this.measured = undefined;
    this.played = performance.now();
    this.#schedule(0);
  }

  pause() {
    clearTimeout(this.timer);
    this.isPlaying = false;
    this.playing.textContent = 'Play';
  }

  /** One move. */
  async step() {
    this.pause();
    await this.#run(1, true);
  }

  /** One move back. */
  async back() {
    this.pause();
    if (this.view === null || this.isAsking) {
      return;
    }
    const opened = this.opened;
    this.isAsking = true;
    try {
      const answer = await this.thinker.ask('undo', { wantsValues: this.stored.thoughts });
      if (opened === this.opened) {
        this.#show(answer, false);
        this.#say(answer.undone ? '' : 'This is the first position.');
      }
    } finally {
      this.isAsking = false;
    }
  }

  #schedule(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#tick(), wait);
  }

  /** Plays what is due, and comes back when more is. */
  async #tick() {
    const begun = performance.now();
    const rate = this.rate;
    const isSingle = rate <= SINGLE_RATE_MAX;
    const pause = isSingle ? 1000 / rate : PICTURE_MS;
    // What is due since the last batch; players that cannot keep up are not hurried later.
    const due = (rate * Math.min(begun - this.played, 2 * BATCH_MS)) / 1000;
    this.played = begun;
    await this.#run(isSingle ? 1 : Math.max(1, Math.round(due)), rate <= ANIMATED_RATE_MAX);
    if (this.isPlaying) {
      this.#schedule(Math.max(0, pause - (performance.now() - begun)));
    }
  }

  async #run(moves, animate) {
    if (this.view === null || this.view.outcome !== null || this.isAsking) {
      return;
    }
    const opened = this.opened;
    this.isAsking = true;
    try {
      const answer = await this.thinker.ask('run', { moves, milliseconds: BATCH_MS, wantsValues: this.stored.thoughts });
      if (opened !== this.opened) {
        return;
      }
      this.#show(answer, animate && answer.made === 1);
    } catch (error) {
      if (opened === this.opened) {
        this.pause();
        this.#say(error.message, 'bad');
      }
    } finally {
      if (opened === this.opened) {
        this.isAsking = false;
      }
    }
  }

  #show({ view, values }, animate) {
    this.isAsking = false;
    this.view = view;
    this.board.show(view, { animate });
    this.#showRate();
    this.#showThoughts(values);
    this.#say(view.last === null ? '' : `Last move: ${view.last}`);
    if (view.outcome !== null) {
      this.#finish();
    }
  }

  /** Facts, moves, and how fast the players are. */
  #showRate() {
    const facts = [...this.view.facts, ['moves', String(this.view.moves)]];
    if (this.isPlaying && this.since !== undefined) {
      const seconds = (performance.now() - this.since.at) / 1000;
      const made = this.view.moves - this.since.moves;
      if (seconds > 0.5) {
        this.measured = made / seconds;
      }
      if (seconds > 3) {
        this.since = { at: performance.now(), moves: this.view.moves };
      }
      facts.push(['moves a second', this.measured === undefined ? '' : this.measured.toPrecision(3)]);
    }
    this.facts.show(facts);
    this.record.textContent = `${this.spec} · seed ${this.setup.seed} · game ${this.setup.index}`;
  }

  #showThoughts(values) {
    if (!this.stored.thoughts) {
      this.bars.show(null, 'Switched off.');
      return;
    }
    if (this.view.outcome !== null) {
      this.bars.show(null, 'The game is over.');
      return;
    }
    if (values === null) {
      this.bars.show(null, `${this.#playerName(this.view.seat)} cannot say what it thinks of single moves.`);
      return;
    }
    const named = values.map(({ move, value }) => ({ name: typeof move === 'number' ? this.view.legal[move] : move, value }));
    const isDirections = named.length > 0 && named.every(({ name }) => DIRECTIONS.includes(name));
    const direction = (name) => named.find((one) => one.name === name) ?? { name, value: null, isLegal: false };
    const all = isDirections ? DIRECTIONS.map(direction) : named;
    const isLong = all.length > BARS_MAX;
    const best = `The best ${BARS_MAX} of ${count(all.length, 'legal move')}; the first one is marked on the board.`;
    this.bars.show(all, isLong ? best : 'Bars run from the worst legal move to the best.');
    const known = values.filter(({ value }) => value !== null);
    const highest = known.reduce((most, one) => (one.value > most.value ? one : most), known[0]);
    this.board.point({ hinted: this.view.paths[highest?.move] ?? [] });
  }

  /** Asks again for values, after they were switched on. */
  async #think() {
    if (this.view === null || this.isPlaying || this.isAsking) {
      return;
    }
    const opened = this.opened;
    this.isAsking = true;
    try {
      const { values } = await this.thinker.ask('run', { moves: 0, milliseconds: 0, wantsValues: this.stored.thoughts });
      if (opened === this.opened) {
        this.#showThoughts(values);
      }
    } finally {
      this.isAsking = false;
    }
  }

  #finish() {
    const { outcome, moves, whyOver } = this.view;
    const { result } = outcome;
    const title = this.entry.seats === 2 ? this.#winner(result) : { won: 'Won', lost: 'Lost', drawn: 'Drawn' }[result];
    const why = whyOver === '' ? '' : `: ${whyOver}`;
    this.#say(`${title} after ${count(moves, 'move')}${why}.`, result === 'won' ? 'good' : '');
    this.board.point();
    const goesOn = this.isPlaying && this.stored.onward;
    this.pause();
    if (goesOn) {
      this.isPlaying = true;
      this.playing.textContent = 'Pause';
      this.timer = setTimeout(() => this.next(true), BETWEEN_MS);
    }
  }

  #winner(result) {
    if (result === 'drawn') {
      return 'Drawn';
    }
    const seat = result === 'won' ? 0 : 1;
    return `Seat ${seat} (${this.#playerName(seat)}) won`;
  }

  #playerName(seat) {
    return playerOf(this.spec, seat).split('(')[0];
  }

  /** The choice of players beside the board. */
  #drawPlayers() {
    const rows = this.setup.players.map((text, seat) => {
      const select = element('select');
      const names = ['', ...this.entry.players.map((player) => player.name)];
      for (const name of names) {
        const option = element('option', '', name === '' ? ANY_PLAYER : name);
        option.value = name;
        select.append(option);
      }
      select.value = text.split('(')[0];
      select.addEventListener('change', () => {
        const players = [...this.setup.players];
        players[seat] = select.value;
        this.open({ ...this.setup, players }, this.isPlaying);
      });
      const label = element('label', 'field', this.entry.seats === 2 ? `seat ${seat}` : 'player');
      label.append(select);
      return label;
    });
    this.players.replaceChildren(...rows);
  }

  #showSetup() {
    this.pause();
    const { box, show } = this.setupDialog;
    const form = setupForm(this.entry, this.setup, {
      asksSeat: false,
      roles: (game) => (game.seats === 2 ? ['seat 0', 'seat 1'] : ['plays']),
      action: 'Open',
      check: (value) => {
        const { seed, index } = value;
        return this.thinker.ask('fitting', { specs: candidates(this.entry, value), seed, index });
      },
      accepted: (value) => {
        box.close();
        this.open(value);
      },
      cancelled: () => box.close(),
    });
    show(form);
  }

  #showHelp() {
    const rules = (this.rules ?? '').trim().split('\n').map((line) => element('p', '', line));
    const keys = keyList([
      ['space', 'play, pause'],
      ['→', 'one move'],
      ['←', 'one move back'],
      ['+ -', 'speed'],
      ['n', 'next game'],
      ['o', 'set up'],
      ['?', 'these rules'],
    ]);
    this.help.show(...rules, element('h3', '', 'Keys'), keys);
  }

  #key(event) {
    if (this.section.hidden || this.section.offsetParent === null || isTaken(event)) {
      return;
    }
    const faster = (by) => {
      this.speed.value = String(Number(this.speed.value) + by);
      this.speed.dispatchEvent(new Event('input'));
    };
    const act = {
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
    }[keyName(event)];
    if (act !== undefined) {
      event.preventDefault();
      act();
    }
  }

  #say(text, mood = '') {
    this.message.textContent = text;
    this.message.className = `message ${mood}`;
  }

  #resume(name) {
    const kept = this.stored.games[name];
    this.open(kept ?? defaultSetup(this.catalog.find((game) => game.name === name)));
  }

  #save() {
    this.stored.current = this.setup.game;
    this.stored.games[this.setup.game] = this.setup;
    writeStore(STORE, this.stored);
  }
}

let watch = null;

/** Shows Watch in its section. */
export async function show(section) {
  watch ??= engine().then((exports) => new Watch(section, exports));
  await watch;
}

/** Another part of the page comes into view: the players wait. */
export async function hide() {
  (await watch)?.pause();
}
