// Play: a person plays the games of the catalogue; players answer and give hints.

import { Board } from './board.js';
import { Caller } from './caller.js';
import { Chooser } from './chooser.js';
import { dailySetup, isToday, keepResult, shareText, streak } from './daily.js';
import { box, button, checkbox, copy, count, dialog, element, keyList } from './dom.js';
import { setupForm } from './form.js';
import { DIRECTIONS, isTaken, keyName, MoveButtons, onSwipe } from './input.js';
import { ReplayView } from './replay.js';
import { Review } from './review.js';
import { candidates, cellText, command, defaultSetup, gameTitle, isSameGame, lessonSetup, linkText, playerOf, readLink, setupTitle } from './setup.js';
import { described, gameList, showAddress, Stage } from './stage.js';
import { isPlayed, onOtherTab, read, write } from './store.js';
import { hintText } from './values.js';

/** How long the rival's answer waits at least, so that one's own move is seen, in milliseconds. */
const ANSWER_MS = 250;
/** How many earlier games can be brought back. */
const EARLIER_MAX = 20;
/** Players that choose the same move in the same position, so that they need not be asked again. */
const WITHOUT_CHANCE = ['minimax', 'alpha-beta', 'exact', 'cycle', 'corner', 'seed-lookahead'];
/** Deals that are tried for a first board with a number. */
const DEALS_MAX = 30;

/** @typedef {Played & { earlier: Played[] }} Kept the game that is played, and those before it */

/** The page's part in which a person plays. */
export class Play {
  /** @type {Map<string, Kept>} */
  #kept = new Map();
  #settings = read('play', { current: '', animate: true });
  #thinker = new Caller('play');
  /** Counts positions, so that answers to earlier ones are dropped. */
  #position = 0;
  #isThinking = false;
  /** The cell with the players that think, once it is known which ones fit. @type {string | null} */
  #spec = null;
  #stage = new Stage();
  #after = element('div', 'after');
  #keys = element('p', 'keys');
  #identity = element('p', 'identity');
  #spoken = element('div', 'visually-hidden');
  #lesson = element('p', 'lesson');
  #nextButton = button('New game', () => this.next(), { key: 'n' });
  #hintButton = button('Hint', () => this.askHint(), { key: 'h' });
  /** @type {import('./engine_play.js').Game | null} */
  #game = null;
  /** @type {Played} */
  #played = { setup: { game: '', params: {}, players: [], seat: 0, seed: '0', index: '0' }, moves: [] };
  /** @type {View} */
  #view = { cells: [], facts: [], slides: [], last: null, seat: 0, legal: [], sources: [], moves: 0, outcome: null, whyOver: '', buttons: [] };
  #section;
  #Game;
  /** @type {GameEntry[]} */
  #catalog;

  /** @param {HTMLElement} section @param {typeof import('./engine_play.js')} exports */
  constructor(section, { Game, Replay, catalog }) {
    this.#section = section;
    this.#Game = Game;
    this.#catalog = JSON.parse(catalog());
    for (const { name } of this.#catalog) {
      this.#load(name);
    }
    this.#rule = section.querySelector('.rule');
    section.replaceChildren();
    this.#buttons = new MoveButtons((name) => this.tryMove(name));
    this.#board = new Board(this.#stage.boardHost, { label: 'Board' });
    this.#chooser = new Chooser(this.#board, () => []);
    this.#games = gameList(this.#catalog, gameTitle, (name) => this.#resume(name));
    this.#review = new Review((moves) => this.#replace({ setup: this.#played.setup, moves }));
    this.#replay = new ReplayView(Replay, () => this.#settings.animate, () => this.#closeReplay());
    this.#help = dialog(section, 'Rules and keys');
    this.#setupDialog = dialog(section, 'Set up a game');
    this.#linkDialog = dialog(section, 'Link to this game');
    this.#draw();
    document.addEventListener('keydown', (event) => this.#key(event));
    onOtherTab((name) => {
      const [part, game = ''] = name.split('.');
      if (part === 'play' && this.#load(game) && game === this.#played.setup.game) {
        this.#resume(game);
        this.#stage.say('This game continued in another tab.');
      }
    });
  }

  #rule;
  #buttons;
  #board;
  #chooser;
  #games;
  #review;
  #replay;
  #help;
  #setupDialog;
  #linkDialog;

  /** Opens the game that a link names, otherwise the one played last. @param {URLSearchParams} query */
  show(query) {
    const isNew = this.#settings.current === '';
    if (query.has('game')) {
      this.#openLink(query);
    } else if (query.has('daily')) {
      const [entry] = this.#catalog;
      const played = this.#kept.get(entry?.name ?? '');
      const setup = entry === undefined ? null : dailySetup(entry);
      if (setup !== null && played !== undefined && isSameGame(played.setup, setup)) {
        this.#resume(setup.game);
      } else if (setup !== null) {
        this.#replace({ setup, moves: [] });
      }
    } else if (this.#game === null) {
      const known = this.#catalog.find(({ name }) => name === this.#settings.current) ?? this.#catalog[0];
      const first = known !== undefined && isNew ? lessonSetup(known, 0) : null;
      if (first !== null) {
        this.open({ setup: first, moves: [] });
      } else {
        this.#resume(known?.name ?? '');
      }
    }
  }

  /** Stops what runs by itself. */
  hide() {
    this.#replay.pause();
  }

  get #entry() {
    const found = this.#catalog.find((game) => game.name === this.#played.setup.game);
    return /** @type {GameEntry} */ (found);
  }

  get #isMyTurn() {
    return this.#view.outcome === null && (this.#entry.seats === 1 || this.#view.seat === this.#played.setup.seat);
  }

  /** The elements of the section. */
  #draw() {
    const { main, side, root, boardHost } = this.#stage;
    main.prepend(this.#lesson);
    const undo = button('Undo', () => this.undo(), { key: 'u' });
    const file = element('input', 'visually-hidden');
    file.type = 'file';
    file.accept = '.json,.jsonl,.txt';
    file.setAttribute('aria-label', 'Replay file');
    file.tabIndex = -1;
    file.addEventListener('change', () => {
      this.#read(file.files?.[0]);
      file.value = '';
    });
    main.append(this.#buttons.root, box('actions', undo, this.#hintButton, this.#nextButton), this.#after);
    side.append(
      box(
        'actions',
        button('Start over', () => this.#replace({ setup: this.#played.setup, moves: [] })),
        button('Set up…', () => this.#showSetup(), { key: 'o' }),
        button('Rules', () => this.#showHelp(), { key: '?' }),
        button('Watch from here', () => location.assign(`#${linkText('watch', this.#played)}`)),
        button('Link…', () => this.#showLink()),
        button('Open replay…', () => file.click()),
        file,
      ),
      checkbox('animate moves', this.#settings.animate, (isChecked) => {
        this.#settings.animate = isChecked;
        write('play', this.#settings);
      }),
      this.#keys,
      this.#identity,
    );
    this.#spoken.ariaLive = 'polite';
    const daily = button('Daily 67!', () => location.assign('#play?daily'), { className: 'choice' });
    this.#games.root.prepend(daily);
    const play = box('play', this.#games.root, root, this.#replay.root, this.#spoken);
    this.#section.prepend(play);
    onSwipe(boardHost, (direction) => {
      if (this.#buttons.areDirections) {
        this.tryMove(direction);
      }
    });
    this.#section.addEventListener('dragover', (event) => event.preventDefault());
    this.#section.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#read(event.dataTransfer?.files[0]);
    });
  }

  /**
   * Opens a game after its moves; `problem` is told instead of the goal.
   * @param {Played} played
   * @param {Played[]} earlier the games that can be brought back
   */
  open(played, earlier = this.#kept.get(played.setup.game)?.earlier ?? [], problem = '') {
    const { setup, moves } = played;
    this.#stopThinking();
    let game;
    try {
      game = new this.#Game(cellText(setup), setup.seed, setup.index);
    } catch (error) {
      this.#say(error);
      return false;
    }
    this.#game?.free();
    this.#game = game;
    this.#spec = null;
    this.#played = { setup, moves: [] };
    for (const [number, name] of moves.entries()) {
      try {
        game.playName(name);
      } catch (error) {
        problem = `Saved move ${number + 1} of ${moves.length}: ${error instanceof Error ? error.message : error}`;
        break;
      }
      this.#played.moves.push(name);
    }
    this.#kept.set(setup.game, { ...this.#played, earlier });
    const view = /** @type {View} */ (JSON.parse(game.view()));
    const isChosen = view.sources.length > 0;
    this.#board = new Board(this.#stage.boardHost, {
      label: `Board of ${gameTitle(this.#entry)}`,
      chosen: isChosen ? (place) => this.#choose(place) : null,
      owners: setup.seat === 0 ? ['yours', "the opponent's"] : ["the opponent's", 'yours'],
      axes: isChosen,
    });
    this.#chooser = new Chooser(this.#board, ([row, col]) => JSON.parse(game.targets(row, col)));
    this.#games.select(setup.game);
    this.#stage.title.textContent = setupTitle(this.#entry, setup);
    this.#stage.goal.textContent = game.goal();
    this.#stage.fit(view.cells);
    this.#identity.textContent = `seed ${setup.seed} · game ${setup.index}`;
    const lesson = setup.lesson === undefined ? undefined : this.#entry.lessons[setup.lesson];
    this.#lesson.textContent = lesson?.text ?? '';
    this.#lesson.hidden = lesson === undefined;
    if (this.#rule !== null) {
      this.#stage.root.prepend(this.#rule);
      this.#rule.toggleAttribute('hidden', this.#entry.lessons.length === 0);
    }
    this.#refresh(false);
    this.#stage.boardHost.classList.toggle('swipes', this.#buttons.areDirections);
    if (problem !== '') {
      this.#stage.say(problem, 'bad');
    }
    return true;
  }

  /** Opens a game in the place of the one of the same name, which undo brings back. @param {Played} played */
  #replace(played) {
    const kept = this.#kept.get(played.setup.game);
    const earlier = kept?.earlier ?? [];
    const isPart = kept !== undefined && isSameGame(kept.setup, played.setup) && kept.moves.every((name, at) => name === played.moves[at]);
    const isLost = kept !== undefined && kept.moves.length > 0 && !isPart;
    const before = isLost ? [...earlier, { setup: kept.setup, moves: kept.moves }].slice(-EARLIER_MAX) : earlier;
    const isOpen = this.open(played, before);
    if (isOpen && isLost && this.#stage.said === '') {
      this.#stage.say(played.moves.length === 0 ? 'Undo restores your last game.' : 'Your own game is saved. To restore it, undo past the first move.');
    }
    return isOpen;
  }

  /** The next game: the next lesson or level once one is won, otherwise the next number of this seed. */
  next() {
    const { setup } = this.#played;
    const entry = this.#entry;
    const isWon = this.#view.outcome?.result === 'won';
    if (setup.lesson !== undefined) {
      const next = lessonSetup(entry, setup.lesson + (isWon ? 1 : 0));
      this.#replace({ setup: next ?? this.#firstSetup(entry), moves: [] });
    } else if (setup.daily !== undefined) {
      this.#replace({ setup: this.#firstSetup(entry), moves: [] });
    } else if (entry.levels !== undefined) {
      const level = Number(setup.params.level ?? 1);
      const target = isWon && level < entry.levels.length ? level + 1 : level;
      this.#replace({ setup: { ...setup, params: { ...setup.params, level: String(target) } }, moves: [] });
    } else {
      this.#replace({ setup: { ...setup, index: String(BigInt(setup.index) + 1n) }, moves: [] });
    }
  }

  /** Makes the move with this name, or says why it is not legal. @param {string} name */
  tryMove(name) {
    if (this.#view.outcome !== null || this.#game === null) {
      return;
    }
    if (!this.#isMyTurn) {
      this.#stage.say('The opponent is thinking…');
      return;
    }
    const why = this.#game.whyIllegal(name);
    if (why !== '') {
      const { legal } = this.#view;
      this.#stage.say(`${name} is not legal: ${why}${legal.length > 0 && legal.length <= 8 ? `; legal: ${legal.join(' ')}` : ''}`, 'bad');
      return;
    }
    this.#stopThinking();
    this.#make(name);
  }

  /** Takes moves back up to the person's own last one; before the first, brings the last game back. */
  undo() {
    this.#stopThinking();
    const { moves } = this.#played;
    const earlier = this.#kept.get(this.#played.setup.game)?.earlier ?? [];
    const last = earlier.at(-1);
    if (moves.length === 0) {
      if (last === undefined) {
        this.#stage.say('Nothing to undo.');
      } else {
        this.open(last, earlier.slice(0, -1));
      }
      return;
    }
    while (moves.length > 0 && this.#game?.undo()) {
      moves.pop();
      this.#view = JSON.parse(this.#game.view());
      if (this.#isMyTurn) {
        break;
      }
    }
    this.#refresh(false);
  }

  /** Asks the strongest player that fits for a hint. */
  async askHint() {
    if (this.#view.outcome !== null || !this.#isMyTurn || this.#isThinking) {
      return;
    }
    this.#stage.say('Thinking…');
    /** @type {Hint | null} */
    const hint = await this.#ask('hint');
    if (hint === null) {
      return;
    }
    this.#stage.say(hintText(hint, (name) => this.#moveLabel(name), playerOf(this.#spec ?? '', this.#played.setup.seat)));
    if (hint.kind !== 'unsolvable') {
      this.#buttons.hint(hint.name);
      this.#chooser.hint(hint.path ?? []);
    }
  }

  /** Lets the rival answer, as often as it is its turn. */
  async #answer() {
    this.#stage.say(`${this.#passed()}The opponent is thinking…`);
    const [name] = await Promise.all([this.#ask('choose'), new Promise((resolve) => setTimeout(resolve, ANSWER_MS))]);
    if (name !== null) {
      this.#make(name);
    }
  }

  /** Asks the worker about the position; `null` where the position has changed since. @param {'hint' | 'choose'} call */
  async #ask(call) {
    const position = this.#position;
    const { setup, moves } = this.#played;
    const { seed, index } = setup;
    this.#isThinking = true;
    try {
      if (this.#spec === null) {
        const specs = candidates(this.#entry, setup);
        const fitting = await this.#thinker.call('fitting', specs, seed, index);
        if (position !== this.#position) {
          return null;
        }
        this.#spec = specs[fitting] ?? '';
      }
      const rival = this.#entry.seats === 2 ? 1 - setup.seat : null;
      const hasChance = rival !== null && !WITHOUT_CHANCE.includes(playerOf(this.#spec, rival).split('(')[0] ?? '');
      const answer = await this.#thinker.call(call, { spec: this.#spec, seed, index, moves: [...moves] }, hasChance ? rival : null);
      return position === this.#position ? answer : null;
    } catch (error) {
      if (position === this.#position) {
        this.#say(error);
      }
      return null;
    } finally {
      if (position === this.#position) {
        this.#isThinking = false;
      }
    }
  }

  #stopThinking() {
    this.#position += 1;
    this.#isThinking = false;
    if (this.#thinker.isBusy) {
      this.#thinker.end();
    }
  }

  /** @param {string} name */
  #make(name) {
    this.#game?.playName(name);
    this.#played.moves.push(name);
    this.#refresh(true);
    this.#spoken.textContent = described(this.#view, (fact) => this.#factName(fact));
  }

  /** Who had to pass before this position, in words. */
  #passed() {
    const { moves } = this.#played;
    const isPassed = this.#entry.seats === 2 && moves.length > 0 && this.#view.seat === this.#lastSeat && this.#view.outcome === null;
    return isPassed ? `${this.#isMyTurn ? 'The opponent has' : 'You have'} no legal move and ${this.#isMyTurn ? 'passes' : 'pass'}. ` : '';
  }

  /** The seat that made the last move. */
  #lastSeat = -1;

  /** Shows the position again after it changed. @param {boolean} isMove */
  #refresh(isMove) {
    this.#position += 1;
    this.#lastSeat = isMove ? this.#view.seat : -1;
    this.#view = JSON.parse(this.#game?.view() ?? '');
    this.#board.show(this.#view, isMove && this.#settings.animate);
    this.#rule?.classList.toggle('read', this.#view.moves > 0);
    const facts = this.#view.facts.map(([name, value]) => /** @type {[string, string]} */ ([this.#factName(name), value]));
    this.#stage.facts.show([...facts, ['moves', String(this.#view.moves)]]);
    this.#buttons.show(this.#view, (name) => this.#moveLabel(name), this.#isMyTurn);
    this.#chooser.follow(this.#view, this.#isMyTurn);
    this.#stage.say(this.#passed());
    this.#hintButton.disabled = this.#view.outcome !== null;
    this.#nextButton.textContent = this.#nextText();
    if (this.#view.outcome === null) {
      this.#keys.textContent = howToMove(this.#view);
      this.#after.replaceChildren();
    } else {
      this.#finish(this.#view.outcome.result);
    }
    this.#save();
    if (this.#view.outcome === null && !this.#isMyTurn) {
      this.#answer();
    }
  }

  #nextText() {
    const { setup } = this.#played;
    const isWon = this.#view.outcome?.result === 'won';
    if (setup.lesson !== undefined) {
      return isWon ? (setup.lesson + 1 < this.#entry.lessons.length ? 'Next step' : 'To the game') : 'Try again';
    }
    const { levels } = this.#entry;
    return levels !== undefined && isWon && Number(setup.params.level ?? 1) < levels.length ? 'Next level' : 'New game';
  }

  /** Tells the result; below, what can be made of the game. @param {Result} seat0 */
  #finish(seat0) {
    const { setup, moves } = this.#played;
    const { whyOver } = this.#view;
    const result = seat0 === 'drawn' ? 'drawn' : (seat0 === 'won') === (setup.seat === 0) ? 'won' : 'lost';
    const title = { won: 'Won', lost: 'Lost', drawn: 'Drawn' }[result];
    const mood = /** @type {const} */ ({ won: 'good', lost: 'bad', drawn: '' })[result];
    this.#stage.say(`${title} after ${count(this.#view.moves, 'move')}${whyOver === '' ? '' : `: ${whyOver}`}.`, mood);
    this.#after.replaceChildren();
    if (this.#entry.seats > 1 || this.#entry.levels !== undefined || setup.lesson !== undefined) {
      return;
    }
    const { after } = this.#review;
    this.#after.append(button('Where was it decided?', () => after(this.#after, this.#entry, this.#played, this.#thinker)));
    if (setup.daily !== undefined) {
      keepResult(setup.daily, result, moves.length);
      const told = element('span', 'muted', isToday(setup.daily) ? ` ${count(streak(), 'day')} in a row` : '');
      const link = `${location.href.split('#')[0]}#play?daily`;
      const share = button('Copy result', async () => {
        const losses = await this.#review.losses(this.#entry, this.#played, this.#thinker).catch(() => []);
        const text = shareText(setup.daily ?? '', result, moves.length, losses, link);
        share.textContent = (await copy(text)) ? 'Copied' : 'Copying is not allowed here';
      });
      this.#after.prepend(share, told);
    }
  }

  /** @param {string} name */
  #factName(name) {
    const [, seat] = /^seat (\d)$/.exec(name) ?? [];
    if (this.#entry.seats === 1 || seat === undefined) {
      return name;
    }
    return Number(seat) === this.#played.setup.seat ? 'you' : 'opponent';
  }

  /** @param {string} name */
  #moveLabel(name) {
    return /^\d$/.test(name) && this.#entry.seats === 2 ? `× ${name}` : name;
  }

  /** Tells an error. @param {unknown} error */
  #say(error) {
    this.#stage.say(error instanceof Error ? error.message : String(error), 'bad');
  }

  /** Chooses a cell of a move that is made of two. @param {Place | null} place */
  #choose(place) {
    if (this.#view.outcome !== null || place === null) {
      return;
    }
    if (!this.#isMyTurn) {
      this.#stage.say('The opponent is thinking…');
      return;
    }
    this.#stage.say('');
    const chosen = this.#chooser.choose(place);
    if (chosen !== null && 'useless' in chosen) {
      const [row, col] = chosen.useless;
      this.#stage.say(`No legal move starts at ${col},${row}.`, 'bad');
    } else if (chosen !== null) {
      this.tryMove(chosen.name);
    }
  }

  // Keys.

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#section.hidden || this.#game === null || isTaken(event)) {
      return;
    }
    if (this.#replay.isOpen ? this.#replay.key(event) : this.#act(keyName(event))) {
      event.preventDefault();
    }
  }

  /** Does what a key asks for; whether it asks for anything. @param {string} name */
  #act(name) {
    /** @type {Record<string, () => void>} */
    const commands = {
      u: () => this.undo(),
      Backspace: () => this.undo(),
      h: () => this.askHint(),
      n: () => this.next(),
      o: () => this.#showSetup(),
      '?': () => this.#showHelp(),
    };
    /** @type {Record<string, () => void>} */
    const choosing = {
      Enter: () => this.#choose(this.#chooser.at),
      ' ': () => this.#choose(this.#chooser.at),
      Escape: () => this.#chooser.release(),
    };
    const move = this.#buttons.named(name);
    const isStep = DIRECTIONS.includes(name) || name === '.';
    const chosen = this.#view.sources.length > 0 ? (isStep ? () => this.#chooser.step(name) : choosing[name]) : undefined;
    const act = commands[name] ?? chosen ?? (move === null ? undefined : () => this.tryMove(move));
    act?.();
    return act !== undefined;
  }

  // Dialogs.

  #showHelp() {
    const paragraphs = this.#game?.rules().trim().split('\n').map((line) => element('p', '', line)) ?? [];
    const keys = keyList([
      ['u', 'undo; before the first move, restore the last game'],
      ['h', 'hint'],
      ['n', 'new game'],
      ['o', 'set up'],
      ['?', 'these rules'],
    ]);
    const lessons = this.#entry.lessons.length > 0 ? [button('First steps', () => this.#firstSteps())] : [];
    this.#help.show(...paragraphs, ...lessons, element('h3', '', 'Keys'), element('p', '', this.#keys.textContent), keys);
  }

  #firstSteps() {
    const setup = lessonSetup(this.#entry, 0);
    this.#help.box.close();
    if (setup !== null) {
      this.#replace({ setup, moves: [] });
    }
  }

  #showSetup() {
    const { box: made, show: open } = this.#setupDialog;
    const entry = this.#entry;
    const form = setupForm(entry, { ...this.#played.setup }, {
      asksSeat: true,
      roles: (mine) => Array.from({ length: entry.seats }, (_, seat) => (seat === mine ? 'gives you hints' : 'your opponent')),
      action: 'Start',
      check: (value) => this.#check(value),
      accepted: (value) => {
        made.close();
        this.#replace({ setup: value, moves: [] });
      },
      cancelled: () => made.close(),
    });
    open(form);
  }

  /** Fails where this cannot be played. Any player fits where none is named. @param {Setup} setup */
  async #check(setup) {
    const { seed, index } = setup;
    if (setup.players.some((player) => player !== '')) {
      await this.#thinker.call('fitting', candidates(this.#entry, setup), seed, index);
    } else {
      new this.#Game(cellText(setup), seed, index).free();
    }
  }

  #showLink() {
    const field = element('input', 'link');
    field.readOnly = true;
    field.value = this.link();
    field.setAttribute('aria-label', 'Link to this game');
    const told = element('p', 'message');
    told.setAttribute('role', 'status');
    const copying = button('Copy', async () => {
      field.select();
      told.textContent = (await copy(field.value)) ? 'Copied.' : 'The link is selected; copy it with Ctrl+C.';
    });
    this.#linkDialog.show(
      element('p', '', `Opens this game after ${count(this.#played.moves.length, 'move')}.`),
      field,
      copying,
      told,
      element('p', '', 'The same game from its start on the command line:'),
      element('code', 'command', command(this.#played.setup)),
    );
    field.select();
  }

  // Links, storage and replays.

  /** A link that opens this game after these moves. */
  link() {
    return `${location.href.split('#')[0]}#${linkText('play', this.#played)}`;
  }

  /** @param {URLSearchParams} query */
  #openLink(query) {
    try {
      const linked = readLink(this.#catalog, query);
      const kept = this.#kept.get(linked.setup.game);
      // The address is late by a moment; a reload goes on with what is kept of the same game.
      const goesOn = kept !== undefined && this.#game === null && isReload() && isSameGame(kept.setup, linked.setup);
      const played = goesOn ? kept : linked;
      this.#closeReplay();
      if (!this.#replace(played)) {
        throw new Error(this.#stage.said);
      }
    } catch (error) {
      if (this.#game === null) {
        this.#resume(this.#catalog[0]?.name ?? '');
      }
      this.#stage.say(`Cannot open this link: ${error instanceof Error ? error.message : error}`, 'bad');
    }
  }

  /** Goes on with the kept game of this name, or starts one. @param {string} name */
  #resume(name) {
    const kept = this.#kept.get(name);
    const entry = this.#catalog.find((game) => game.name === name);
    if (entry !== undefined && (kept === undefined || !this.open(kept, kept.earlier))) {
      this.open({ setup: this.#firstSetup(entry), moves: [] });
    }
  }

  /** A new game whose first board has a number, where it has a board. @param {GameEntry} entry */
  #firstSetup(entry) {
    let setup = defaultSetup(entry);
    for (let deal = 0; deal < DEALS_MAX; deal += 1) {
      const game = new this.#Game(cellText(setup), setup.seed, setup.index);
      /** @type {View} */
      const { cells } = JSON.parse(game.view());
      game.free();
      if (cells.flat().some((cell) => cell !== 0 && cell[1].startsWith('number'))) {
        break;
      }
      setup = defaultSetup(entry);
    }
    return setup;
  }

  /** Reads what is kept of a game; whether there is any. @param {string} name */
  #load(name) {
    const kept = read(`play.${name}`, /** @type {Kept | null} */ (null), (found) => isPlayed(found, name));
    if (kept !== null) {
      const earlier = Array.isArray(kept.earlier) ? kept.earlier.filter((played) => isPlayed(played, name)) : [];
      this.#kept.set(name, { setup: kept.setup, moves: kept.moves, earlier });
    }
    return kept !== null;
  }

  #save() {
    const { setup, moves } = this.#played;
    const kept = { setup, moves, earlier: this.#kept.get(setup.game)?.earlier ?? [] };
    this.#kept.set(setup.game, kept);
    write(`play.${setup.game}`, kept);
    this.#settings.current = setup.game;
    write('play', this.#settings);
    if (!this.#section.hidden) {
      showAddress(setup.lesson === undefined ? linkText('play', this.#played) : 'play');
    }
  }

  /** @param {File | undefined} file */
  async #read(file) {
    if (file === undefined) {
      return;
    }
    try {
      await this.#replay.read(file);
      this.#stage.root.hidden = true;
      this.#games.root.hidden = true;
    } catch (error) {
      this.#closeReplay();
      this.#stage.say(`${file.name}: ${error instanceof Error ? error.message : error}`, 'bad');
    }
  }

  #closeReplay() {
    this.#replay.close();
    this.#stage.root.hidden = false;
    this.#games.root.hidden = false;
  }
}

/** Whether the browser loaded the page again. */
function isReload() {
  const [entry] = performance.getEntriesByType('navigation');
  return entry instanceof PerformanceNavigationTiming && entry.type === 'reload';
}

/** How moves are made in a position, in a sentence. @param {View} view */
function howToMove(view) {
  if (view.buttons.length > 0) {
    return 'To press a button, use the key shown on it.';
  }
  if (view.sources.length > 0) {
    return 'Click two piles, or move with the arrow keys and choose with Enter; . goes to the next pile, Esc cancels.';
  }
  const isSlide = DIRECTIONS.includes(view.legal[0] ?? '');
  return isSlide ? 'Arrow keys or W A S D move; on a touch screen, swipe.' : `Keys for the moves: ${view.legal.join(', ')}.`;
}
