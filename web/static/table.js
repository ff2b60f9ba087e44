// A game on the page: the games to choose from, a position with its board, dialogs, keys, and the
// address. Play and Watch are made of it and add who moves.

import { Board } from './board.js';
import { button, copies, count, download, element, factRows, find } from './dom.js';
import { openDialog, reason } from './dom.js';
import { setupForm } from './form.js';
import { Thinker } from './caller.js';
import { isTaken, keyName } from './input.js';
import { cellText, linkText, newSeed } from './setup.js';
import { isPlayed, read, write } from './store.js';

/** Columns from which a board gets the whole width. */
const WIDE_COLS = 16;
const OUTCOMES = { won: 'Won', lost: 'Lost', drawn: 'Drawn' };
const SETTINGS = { current: '', animate: true, rate: 4, thoughts: true, onward: false };

/** @typedef {typeof import('./engine_play.js')} Engine */
/** @typedef {import('./engine_play.js').Game} Game */

/** What Play and Watch have in common. */
export class Table {
  /** @type {Played} */
  played = /** @type {any} */ ({ setup: { game: '' }, moves: [] });
  /** @type {View} */
  view = /** @type {any} */ ({ legal: [], sources: [], outcome: null });
  /** The game, once one is open. @type {Game | null} */
  game = null;
  /** @type {Board | null} */
  board = null;
  /** What the buttons of the section do, by their names. @type {Record<string, () => unknown>} */
  acts = {
    setup: () => this.showSetup(),
    rules: () => this.showRules(),
    link: () => this.showLink(),
    save: () => {
      const person = this.part === 'play' ? this.played.setup.seat : undefined;
      const text = this.game?.record(JSON.stringify(this.thinker.players), person);
      download('game.jsonl', 'application/jsonl', text ?? '').click();
    },
  };
  /** @type {GameEntry[]} */
  catalog;
  /** Counts positions, so that answers to earlier ones are dropped. */
  #position = 0;
  #isThinking = false;

  /** @param {HTMLElement} section @param {Engine} engine @param {boolean} answers see `Thinker` */
  constructor(section, engine, answers) {
    this.section = section;
    this.part = section.id;
    this.engine = engine;
    this.thinker = new Thinker(answers);
    this.catalog = JSON.parse(engine.catalog());
    /** @type {typeof SETTINGS} */
    this.settings = read(this.part, SETTINGS);
    for (const { name, title } of this.catalog) {
      find('.games', section).append(button(title, () => this.resume(name), 'choice'));
    }
    for (const made of this.#keyed) {
      made.title = `${made.ariaLabel ?? made.textContent} (${made.dataset.keys})`;
    }
    section.addEventListener('click', ({ target }) => {
      const made = target instanceof Element ? target.closest('[data-act]') : null;
      if (made instanceof HTMLElement) {
        this.acts[made.dataset.act ?? '']?.();
      }
    });
    section.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.dataset.setting !== undefined) {
        this.set({ [target.dataset.setting]: target.checked });
      }
    });
    this.set({});
    document.addEventListener('keydown', (event) => {
      if (!section.hidden && this.game !== null && !isTaken(event) && this.key(keyName(event))) {
        event.preventDefault();
      }
    });
  }

  /** @returns {GameEntry} */
  get entry() {
    return this.#entryOf(this.played.setup.game);
  }

  /** @param {string} name @returns {GameEntry} */
  #entryOf(name) {
    const found = this.catalog.find((game) => game.name === name) ?? this.catalog[0];
    return /** @type {GameEntry} */ (found);
  }

  /** The buttons that have keys. @returns {HTMLElement[]} */
  get #keyed() {
    return /** @type {any[]} */ ([...this.section.querySelectorAll('[data-keys]')]);
  }

  /** An element of the section. @param {string} selector @returns {any} */
  find(selector) {
    return find(selector, this.section);
  }

  /** Does what a key asks for; whether it asks for anything. @param {string} name */
  key(name) {
    const made = this.#keyed.find(({ dataset }) => dataset.keys === name);
    made?.click();
    return made !== undefined;
  }

  /** Opens a game after its moves; whether it could. @param {Played} played @returns {unknown} */
  open(played) {
    return false;
  }

  /** A person clicked on a cell. @param {Place} place */
  chosen(place) {}

  /** The names of the seats. @returns {string[]} */
  get seats() {
    return ['seat 0', 'seat 1'];
  }

  /** Puts a game on the table; what is wrong with its moves. @param {Played} played */
  place({ setup, moves }) {
    const game = new this.engine.Game(cellText(setup), setup.seed, setup.index);
    this.game?.free();
    this.game = game;
    this.played = { setup, moves: [] };
    let problem = '';
    try {
      this.advance(moves);
    } catch (error) {
      problem = `Move ${this.played.moves.length + 1} of ${moves.length}: ${reason(error)}`;
    }
    const { entry } = this;
    /** @type {View} */
    const view = JSON.parse(game.view());
    const cols = view.cells[0]?.length ?? 0;
    this.board = new Board(this.find('.board-host'), {
      label: `Board of ${entry.title}`,
      chosen: (place) => this.chosen(place),
      owners: this.seats,
      axes: view.sources.length > 0,
    });
    const chosen = setup.daily === undefined ? entry.title : `Daily ${entry.title}`;
    for (const made of this.find('.games').children) {
      made.ariaPressed = String(made.textContent === chosen);
    }
    // On a phone the row is wider than the screen.
    const [games, pressed] = [this.find('.games'), this.find('[aria-pressed=true]')];
    games.scrollLeft = 0;
    games.scrollLeft = pressed.offsetLeft + (pressed.offsetWidth - games.clientWidth) / 2;
    this.find('.title').textContent = this.#title(game.title());
    this.find('.goal').textContent = game.goal();
    const stage = this.find('.stage');
    stage.style.setProperty('--ratio', String(cols / Math.max(view.cells.length, 1)));
    stage.classList.toggle('wide', cols > WIDE_COLS);
    this.identify([]);
    return problem;
  }

  /** Says which game it is, by these players. @param {string[]} players */
  identify(players) {
    const { seed, index } = this.played.setup;
    this.find('.identity').textContent = [...players, `seed ${seed}`, `game ${index}`].join(' · ');
  }

  /** @param {string} title */
  #title(title) {
    const { lesson, daily } = this.played.setup;
    const { title: name, lessons } = this.entry;
    if (lesson !== undefined) {
      return `${name} · step ${lesson + 1} of ${lessons.length}`;
    }
    return daily === undefined ? title : `Daily ${name} of ${daily}`;
  }

  /** Makes moves without showing them. Fails at one that is not legal. @param {string[]} names */
  advance(names) {
    for (const name of names) {
      this.game?.playName(name);
      this.played.moves.push(name);
    }
  }

  /** Takes the last move back without showing it. */
  takeBack() {
    this.game?.undo();
    this.played.moves.pop();
  }

  /** Shows the position. @param {boolean} animate */
  refresh(animate) {
    this.view = JSON.parse(this.game?.view() ?? '');
    this.board?.show(this.view, animate);
    const { facts, moves } = this.view;
    /** @type {Facts} */
    const named = facts.map(([name, value]) => [this.named(name), value]);
    this.find('.facts').replaceChildren(...factRows([...named, ['moves', String(moves)]]));
  }

  /** A text of the engine with the names of the seats. @param {string} text */
  named(text) {
    const { seats } = this;
    const isDuel = this.entry.seats === 2;
    return isDuel ? text.replace(/seat (\d)/g, (_, seat) => seats[seat] ?? '') : text;
  }

  /** What follows # in the address of this position. */
  get address() {
    return linkText(this.part, this.played);
  }

  /** Makes this position the address, while this part is shown. */
  showAddress() {
    if (!this.section.hidden) {
      history.replaceState(null, '', `#${this.address}`);
    }
  }

  /** Asks about the position; `null` where it changed since, or no answer comes. */
  async think(/** @type {string} */ call, args = /** @type {any[]} */ ([]), played = this.played) {
    if (this.#isThinking) {
      return null;
    }
    const position = this.#position;
    this.#isThinking = true;
    try {
      const answer = await this.thinker.ask(played, call, args);
      return position === this.#position ? answer : null;
    } catch (error) {
      if (position === this.#position) {
        this.fail(error);
      }
      return null;
    } finally {
      this.#isThinking &&= position !== this.#position;
    }
  }

  /** Drops what is thought of a position; `ends` the worker if it is busy with it. */
  stopThinking(ends = true) {
    this.#position += 1;
    this.#isThinking = false;
    if (ends && this.thinker.isBusy) {
      this.thinker.end();
    }
  }

  /** Says something above the board. @param {string} text @param {'' | 'good' | 'bad'} mood */
  say(text, mood = '') {
    const message = this.find('.message');
    message.textContent = text;
    message.className = `message ${mood}`;
  }

  /** Tells an error. @param {unknown} error */
  fail(error, what = '') {
    this.say(what + reason(error), 'bad');
  }

  /** The end of the game, from the side of a seat. @param {number} seat */
  ending(seat) {
    const { outcome, moves, whyOver } = this.view;
    /** @type {Record<Result, Result>} */
    const turned = { won: 'lost', lost: 'won', drawn: 'drawn' };
    const result = seat === 0 ? (outcome ?? 'drawn') : turned[outcome ?? 'drawn'];
    const why = whyOver === '' ? '' : `: ${whyOver}`;
    return { result, text: `${OUTCOMES[result]} after ${count(moves, 'move')}${why}.` };
  }

  // What the browser keeps.

  /** The kept game of this name. @param {string} name @returns {Kept | null} */
  load(name) {
    return read(`${this.part}.${name}`, null, (found) => isPlayed(found, name));
  }

  /** Keeps the game. @param {Played[]} [earlier] */
  save(earlier) {
    const { game } = this.played.setup;
    write(`${this.part}.${game}`, { ...this.played, earlier });
    this.set({ current: game });
  }

  /** Changes, shows and keeps settings. @param {Partial<typeof SETTINGS>} changed */
  set(changed) {
    Object.assign(this.settings, changed);
    for (const field of this.section.querySelectorAll('input')) {
      field.checked = Boolean(this.settings[/** @type {'animate'} */ (field.dataset.setting)]);
    }
    write(this.part, this.settings);
  }

  /** Goes on with the kept game of this name, or starts one. @param {string} name */
  resume(name) {
    const entry = this.#entryOf(name);
    const kept = this.load(entry.name);
    if (kept === null || this.open(kept) === false) {
      this.open({ setup: this.firstSetup(entry), moves: [] });
    }
  }

  /** A new game that people begin with. @param {GameEntry} entry @returns {Setup} */
  firstSetup({ opening }) {
    const seed = this.engine.firstDeal(cellText(opening), newSeed());
    return { ...opening, seed: String(seed) };
  }

  /** The game after this one; `isLevel` where it is another level. @param {boolean} isWon */
  nextGame(isWon) {
    const { setup } = this.played;
    const { game, params, index } = setup;
    const level = params.level === undefined ? undefined : Number(params.level);
    const next = JSON.parse(this.engine.nextGame(game, level, index, isWon));
    const leveled = next.level === undefined ? params : { ...params, level: next.level };
    return { setup: { ...setup, params: leveled, index: next.index }, isLevel: next.isLevel };
  }

  // Dialogs.

  /** @param {Node[]} more what stands between the rules and the keys */
  showRules(...more) {
    const lines = this.game?.rules().trim().split('\n') ?? [];
    const keys = this.#keyed.map((made) => {
      const { keys: key = '' } = made.dataset;
      const what = made.ariaLabel ?? made.textContent ?? '';
      const term = element('dt', '', element('kbd', '', key));
      return element('div', '', term, element('dd', '', what));
    });
    const rules = lines.map((line) => element('p', '', line));
    const list = element('dl', 'key-list', ...keys);
    return openDialog('rules', ...rules, ...more, element('h3', '', 'Keys'), list);
  }

  /** @param {(seat: number) => string[]} roles the titles of the players, for the person's seat */
  showSetup(roles = () => []) {
    const close = () => made.close();
    const form = setupForm(this.entry, this.played.setup, {
      roles,
      asksSeat: this.part === 'play',
      check: async (setup) => {
        new this.engine.Game(cellText(setup), setup.seed, setup.index).free();
        if (setup.players.some(Boolean)) {
          await this.thinker.open(setup);
        }
      },
      accepted: (setup) => {
        close();
        this.open({ setup, moves: [] });
      },
      cancelled: close,
    });
    const made = openDialog('setup', form);
  }

  showLink() {
    const made = openDialog('link');
    /** @type {HTMLInputElement} */
    const field = find('.link', made);
    field.value = `${location.href.split('#')[0]}#${this.address}`;
    copies(find('.copy', made), () => field.value);
    find('.command', made).textContent = this.game?.command() ?? '';
    field.select();
  }
}
