// Play: a person plays the games of the catalogue; players answer and give hints.

import { Board, element } from './board.js';
import { Chooser } from './chooser.js';
import {
  BUTTON_KEYS,
  DIRECTIONS,
  Facts,
  Games,
  MoveButtons,
  button,
  count,
  described,
  dialog,
  gameHead,
  isTaken,
  keyList,
  keyName,
  onSwipe,
} from './controls.js';
import { engine } from './engine.js';
import { ReplayView } from './replay.js';
import {
  candidates,
  cellText,
  command,
  defaultSetup,
  gameTitle,
  linkText,
  playerOf,
  readLink,
  setupForm,
  setupTitle,
} from './setup.js';
import { isSetup, readStore, writeStore } from './store.js';
import { Thinker, WITHOUT_CHANCE } from './thinker.js';

const STORE = 'tilelab.play';
/** How long the rival's answer waits at least, so that one's own move is seen, in milliseconds. */
const ANSWER_MS = 250;

/** The page's part in which a person plays. */
class Play {
  constructor(section, { Game, catalog, replayOf }) {
    this.section = section;
    this.Game = Game;
    this.catalog = JSON.parse(catalog());
    this.thinker = new Thinker();
    this.stored = readStore(STORE, { animate: true }, isKept);
    /** Counts positions, so that answers to earlier ones are dropped. */
    this.position = 0;
    this.isThinking = false;
    this.game = null;
    this.#draw(replayOf);
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Opens the game that a link names, otherwise the one played last. */
  show(query) {
    if (query.has('game')) {
      this.#openLink(query);
    } else if (this.game === null) {
      const known = this.catalog.some((game) => game.name === this.stored.current);
      this.#resume(known ? this.stored.current : this.catalog[0].name);
    }
  }

  /** Stops what runs by itself. */
  hide() {
    this.replay.pause();
  }

  get entry() {
    return this.catalog.find((game) => game.name === this.setup.game);
  }

  get isMyTurn() {
    return this.view.outcome === null && (this.entry.seats === 1 || this.view.seat === this.setup.seat);
  }

  /** The elements of the section. */
  #draw(replayOf) {
    const root = element('div', 'play');
    this.games = new Games(root, this.catalog, gameTitle, (name) => this.#resume(name));
    const stage = element('div', 'stage');
    const side = element('div', 'side');
    const main = element('div', 'main');
    ({ title: this.title, goal: this.goal } = gameHead(main));
    this.facts = new Facts(main);
    this.message = element('p', 'message');
    this.message.setAttribute('role', 'status');
    this.boardHost = element('div', 'board-host');
    this.after = element('div', 'after');
    main.append(this.message, this.boardHost, this.after);
    this.buttons = new MoveButtons(main, (name) => this.tryMove(name));
    const actions = element('div', 'actions');
    actions.append(
      button('Undo', () => this.undo(), { key: 'u' }),
      button('Hint', () => this.askHint(), { key: 'h' }),
      button('New game', () => this.next(), { key: 'n' }),
      button('Start over', () => this.open(this.setup, [])),
      button('Set up…', () => this.#showSetup(), { key: 'o' }),
      button('Rules', () => this.#showHelp(), { key: '?' }),
      button('Link…', () => this.#showLink()),
    );
    const file = element('input', 'visually-hidden');
    file.type = 'file';
    file.accept = '.json,.jsonl,.txt';
    file.setAttribute('aria-label', 'Replay file');
    file.tabIndex = -1;
    file.addEventListener('change', () => {
      this.#read(file.files[0]);
      file.value = '';
    });
    actions.append(button('Open replay…', () => file.click()), file);
    const animate = element('input');
    animate.type = 'checkbox';
    animate.checked = this.stored.animate;
    animate.addEventListener('change', () => {
      this.stored.animate = animate.checked;
      this.#save();
    });
    const setting = element('label', 'setting');
    setting.append(animate, 'animate moves');
    this.keys = element('p', 'keys');
    this.identity = element('p', 'identity');
    side.append(actions, setting, this.keys, this.identity);
    this.spoken = element('div', 'visually-hidden');
    this.spoken.setAttribute('aria-live', 'polite');
    stage.append(main, side);
    root.append(stage, this.spoken);
    this.stage = stage;
    this.replay = new ReplayView(root, {
      replayOf,
      animates: () => this.stored.animate,
      closed: () => this.#closeReplay(),
    });
    this.help = dialog(this.section, 'Rules and keys');
    this.setupDialog = dialog(this.section, 'Set up a game');
    this.linkDialog = dialog(this.section, 'Link to this game');
    this.section.append(root);
    onSwipe(this.boardHost, (direction) => {
      if (this.view.paths.length === 0 && this.buttons.buttons.has(direction)) {
        this.tryMove(direction);
      }
    });
    for (const name of ['dragover', 'drop']) {
      this.section.addEventListener(name, (event) => {
        event.preventDefault();
        if (name === 'drop' && event.dataTransfer.files.length > 0) {
          this.#read(event.dataTransfer.files[0]);
        }
      });
    }
  }

  /** Opens a game after these moves; `problem` is told instead of the goal. */
  open(setup, moves, problem = null) {
    this.thinker.abandon();
    this.isThinking = false;
    let game;
    try {
      game = new this.Game(cellText(setup), setup.seed, setup.index);
    } catch (error) {
      this.#say(error.message, 'bad');
      return false;
    }
    this.game?.free();
    this.game = game;
    this.setup = setup;
    this.spec = null;
    this.moves = [];
    for (const [number, name] of moves.entries()) {
      try {
        game.playName(name);
      } catch (error) {
        problem = `Move ${number + 1} of the ${moves.length} moves kept: ${error.message}`;
        break;
      }
      this.moves.push(name);
    }
    this.boardHost.replaceChildren();
    this.board = new Board(this.boardHost, {
      label: `Board of ${gameTitle(this.entry)}`,
      chosen: this.entry.name === 'offset' ? (row, col) => this.#choose([row, col]) : null,
      owners: setup.seat === 0 ? ['yours', "the opponent's"] : ["the opponent's", 'yours'],
    });
    this.games.select(setup.game);
    this.title.textContent = setupTitle(this.entry, setup);
    this.goal.textContent = game.goal();
    this.stage.classList.toggle('wide', (JSON.parse(game.view()).cells[0]?.length ?? 0) > 16);
    this.identity.textContent = `seed ${setup.seed} · game ${setup.index}`;
    this.chooser = new Chooser(this.board);
    this.boardHost.classList.toggle('swipes', false);
    this.#refresh(false);
    this.boardHost.classList.toggle('swipes', this.buttons.root.classList.contains('arrows'));
    if (problem !== null) {
      this.#say(problem, 'bad');
    }
    return true;
  }

  /** The next game: the next level once a level is won, otherwise the next number of this seed. */
  next() {
    if (this.entry.levels !== undefined) {
      const level = Number(this.setup.params.level ?? 1);
      const isWon = this.view.outcome?.result === 'won';
      const target = isWon && level < this.entry.levels.length ? level + 1 : level;
      this.open({ ...this.setup, params: { ...this.setup.params, level: String(target) } }, []);
      return;
    }
    this.open({ ...this.setup, index: String(BigInt(this.setup.index) + 1n) }, []);
  }

  /** Makes the move with this name, or says why it is not legal. */
  tryMove(name) {
    if (this.view.outcome !== null) {
      return;
    }
    if (!this.isMyTurn) {
      this.#say('The opponent is thinking…');
      return;
    }
    if (!this.view.legal.includes(name)) {
      const legal = this.view.legal.length <= 8 ? `; legal: ${this.view.legal.join(' ')}` : '';
      this.#say(`${name} is not legal: ${this.game.whyIllegal(name)}${legal}`, 'bad');
      return;
    }
    this.thinker.abandon();
    this.isThinking = false;
    this.#make(name);
  }

  /** Takes moves back up to the person's own last one. */
  undo() {
    if (this.isThinking || this.thinker.isBusy) {
      this.thinker.abandon();
      this.isThinking = false;
    }
    let any = false;
    while (this.moves.length > 0 && this.game.undo()) {
      any = true;
      this.moves.pop();
      this.view = JSON.parse(this.game.view());
      if (this.isMyTurn) {
        break;
      }
    }
    this.#refresh(false);
    if (!any) {
      this.#say('Nothing to undo.');
    }
  }

  /** Asks the strongest player that fits for a hint. */
  async askHint() {
    if (this.view.outcome !== null || !this.isMyTurn || this.isThinking) {
      return;
    }
    const position = this.position;
    this.isThinking = true;
    this.#say('Thinking…');
    try {
      const hint = await this.#think('hint');
      if (position === this.position) {
        this.#showHint(hint);
      }
    } catch (error) {
      if (position === this.position) {
        this.#say(error.message, 'bad');
      }
    } finally {
      if (position === this.position) {
        this.isThinking = false;
      }
    }
  }

  #showHint({ kind, move, moves }) {
    if (kind === 'unsolvable') {
      this.#say('Hint: the goal is out of reach from here; undo a move.');
      return;
    }
    const name = this.view.legal[move];
    const solution = `${moves} ${moves === 1 ? 'press' : 'presses'} to the goal`;
    const why = kind === 'solution' ? solution : playerOf(this.spec, this.setup.seat);
    this.#say(`Hint: ${this.#moveLabel(name)} (${why})`);
    this.buttons.hint(name);
    const path = this.view.paths[move];
    if (path !== undefined) {
      this.chooser.hint(path);
    }
  }

  /** Lets the rival answer, as often as it is its turn. */
  async #answer() {
    const position = this.position;
    this.isThinking = true;
    this.#say('The opponent is thinking…');
    try {
      const [name] = await Promise.all([this.#think('choose'), new Promise((resolve) => setTimeout(resolve, ANSWER_MS))]);
      if (position === this.position) {
        this.isThinking = false;
        this.#make(name);
      }
    } catch (error) {
      if (position === this.position) {
        this.isThinking = false;
        this.#say(error.message, 'bad');
      }
    }
  }

  /** Asks the worker about the position. */
  async #think(call) {
    const { seed, index } = this.setup;
    const moves = [...this.moves];
    const setup = this.setup;
    if (this.spec === null) {
      const specs = candidates(this.entry, setup);
      const fitting = await this.thinker.ask('fitting', { specs, seed, index });
      if (this.setup === setup) {
        this.spec = specs[fitting];
      }
    }
    const rival = this.entry.seats === 2 ? 1 - setup.seat : null;
    const hasChance = rival !== null && !WITHOUT_CHANCE.includes(playerOf(this.spec, rival).split('(')[0]);
    return this.thinker.ask(call, { game: { spec: this.spec, seed, index, moves }, rival: hasChance ? rival : null });
  }

  #make(name) {
    this.game.playName(name);
    this.moves.push(name);
    this.#refresh(true);
    const words = described(this.view, (fact) => this.#factName(fact));
    this.spoken.textContent = words;
  }

  /** Shows the position again after it changed. */
  #refresh(animate) {
    this.position += 1;
    this.view = JSON.parse(this.game.view());
    this.board.show(this.view, { animate: animate && this.stored.animate });
    const facts = this.view.facts.map(([name, value]) => [this.#factName(name), value]);
    this.facts.show([...facts, ['moves', String(this.view.moves)]]);
    this.buttons.show(this.view, (name) => this.#moveLabel(name), this.isMyTurn);
    this.chooser.follow(this.view, this.isMyTurn);
    this.#say('');
    this.#verdict();
    this.#keysText();
    this.#save();
    if (this.view.outcome === null && !this.isMyTurn) {
      this.#answer();
    }
  }

  #verdict() {
    this.after.replaceChildren();
    const { outcome, moves, whyOver } = this.view;
    if (outcome === null) {
      return;
    }
    const isFirst = this.setup.seat === 0;
    const result = outcome.result === 'drawn' ? 'drawn' : (outcome.result === 'won') === isFirst ? 'won' : 'lost';
    const title = { won: 'Won', lost: 'Lost', drawn: 'Drawn' }[result];
    const why = whyOver === '' ? '' : `: ${whyOver}`;
    this.#say(`${title} after ${count(moves, 'move')}${why}.`, { won: 'good', lost: 'bad', drawn: '' }[result]);
    const isLastLevel = this.entry.levels?.length === Number(this.setup.params.level ?? 1);
    if (this.entry.levels === undefined) {
      this.after.append(button('Next game', () => this.next()));
    } else if (result === 'won' && !isLastLevel) {
      this.after.append(button('Next level', () => this.next()));
    } else {
      this.after.append(button('Once more', () => this.open(this.setup, [])));
    }
    this.after.append(button('Undo', () => this.undo()));
  }

  #factName(name) {
    if (this.entry.seats === 1 || !name.startsWith('seat ')) {
      return name;
    }
    return name === `seat ${this.setup.seat}` ? 'you' : 'opponent';
  }

  #moveLabel(name) {
    return this.entry.name === 'zero-sum' ? `× ${name}` : name;
  }

  #say(text, mood = '') {
    this.message.textContent = text;
    this.message.className = `message ${mood}`;
  }

  #keysText() {
    if (this.view.outcome === null) {
      this.keys.textContent = howToMove(this.view);
    }
  }

  /** Chooses a cell of a move that is made of two. */
  #choose(place) {
    if (this.view.outcome !== null) {
      return;
    }
    if (!this.isMyTurn) {
      this.#say('The opponent is thinking…');
      return;
    }
    this.#say('');
    const { name, useless } = this.chooser.choose(place);
    if (useless !== undefined) {
      this.#say(`${useless[1]},${useless[0]} is not part of a legal move.`, 'bad');
    } else if (name !== undefined) {
      this.tryMove(name);
    }
  }

  // Keys.

  #key(event) {
    if (this.section.hidden || this.section.offsetParent === null || isTaken(event)) {
      return;
    }
    if (this.replay.isOpen) {
      if (this.replay.key(event)) {
        event.preventDefault();
      }
      return;
    }
    if (this.#act(keyName(event))) {
      event.preventDefault();
    }
  }

  /** Does what a key asks for; whether it asks for anything. */
  #act(name) {
    const command = {
      u: () => this.undo(),
      Backspace: () => this.undo(),
      h: () => this.askHint(),
      n: () => this.next(),
      o: () => this.#showSetup(),
      '?': () => this.#showHelp(),
    }[name];
    if (command !== undefined) {
      command();
      return true;
    }
    const place = BUTTON_KEYS.indexOf(name);
    if (this.view.buttons.length > 0) {
      const pressed = name.length === 1 && place >= 0 ? this.view.buttons[place] : undefined;
      if (pressed !== undefined) {
        this.tryMove(pressed);
      }
      return pressed !== undefined;
    }
    if (this.view.paths.length > 0) {
      if (DIRECTIONS.includes(name) || name === '.') {
        this.chooser.step(name);
      } else if (name === 'Enter' || name === ' ') {
        this.#choose(this.chooser.at);
      } else if (name === 'Escape') {
        this.chooser.release();
      } else {
        return false;
      }
      return true;
    }
    if (this.buttons.buttons.has(name)) {
      this.tryMove(name);
      return true;
    }
    return false;
  }

  // Dialogs.

  #showHelp() {
    const paragraphs = this.game.rules().trim().split('\n').map((line) => element('p', '', line));
    const keys = keyList([
      ['u', 'undo'],
      ['h', 'hint'],
      ['n', 'new game'],
      ['o', 'set up'],
      ['?', 'these rules'],
    ]);
    this.help.show(...paragraphs, element('h3', '', 'Keys'), element('p', '', this.keys.textContent), keys);
  }

  #showSetup() {
    const { box, show } = this.setupDialog;
    const form = setupForm(this.entry, this.setup, {
      asksSeat: true,
      roles: (game, mine) => [0, 1].slice(0, game.seats).map((seat) => (seat === mine ? 'gives you hints' : 'your opponent')),
      action: 'Start',
      check: (value) => this.#check(value),
      accepted: (value) => {
        box.close();
        this.open(value, []);
      },
      cancelled: () => box.close(),
    });
    show(form);
  }

  /** Fails where this cannot be played. Any player fits where none is named. */
  async #check(setup) {
    const { seed, index } = setup;
    if (setup.players.some((player) => player !== '')) {
      await this.thinker.ask('fitting', { specs: candidates(this.entry, setup), seed, index });
    } else {
      new this.Game(cellText(setup), seed, index).free();
    }
  }

  #showLink() {
    const field = element('input', 'link');
    field.readOnly = true;
    field.value = this.link();
    field.setAttribute('aria-label', 'Link to this game');
    const told = element('p', 'message');
    told.setAttribute('role', 'status');
    const copy = button('Copy', async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
        told.textContent = 'Copied.';
      } catch {
        told.textContent = 'The link is selected; copy it with Ctrl+C.';
      }
    });
    this.linkDialog.show(
      element('p', '', `Opens this very game after ${count(this.moves.length, 'move')}.`),
      field,
      copy,
      told,
      element('p', '', 'The same game from its start on the command line:'),
      element('code', 'command', command(this.setup)),
    );
    field.select();
  }

  // Links, storage and replays.

  /** A link that opens this game after these moves. */
  link() {
    return `${location.href.split('#')[0]}#${linkText(this.setup, this.moves)}`;
  }

  #openLink(query) {
    // The address is read once: a reload shows what has been played since.
    history.replaceState(null, '', '#play');
    try {
      const { setup, moves } = readLink(this.catalog, query);
      this.#closeReplay();
      if (!this.open(setup, moves)) {
        throw new Error(this.message.textContent);
      }
    } catch (error) {
      if (this.game === null) {
        this.#resume(this.catalog[0].name);
      }
      this.#say(`This link opens no game: ${error.message}`, 'bad');
    }
  }

  /** Goes on with the kept game of this name, or starts one. */
  #resume(name) {
    const kept = this.stored.games[name];
    if (kept !== undefined && this.open(kept.setup, kept.moves)) {
      return;
    }
    this.open(defaultSetup(this.catalog.find((game) => game.name === name)), []);
  }

  #save() {
    this.stored.current = this.setup.game;
    this.stored.games[this.setup.game] = { setup: this.setup, moves: this.moves };
    writeStore(STORE, this.stored);
  }

  async #read(file) {
    try {
      await this.replay.read(file);
      this.stage.hidden = true;
      this.games.root.hidden = true;
    } catch (error) {
      this.#closeReplay();
      this.#say(`${file.name}: ${error.message}`, 'bad');
    }
  }

  #closeReplay() {
    this.replay.close();
    this.stage.hidden = false;
    this.games.root.hidden = false;
  }
}

/** How moves are made in a position, in a sentence. */
function howToMove(view) {
  if (view.buttons.length > 0) {
    return 'The keys on the buttons press them.';
  }
  if (view.paths.length > 0) {
    return 'Click two piles, or move with the arrow keys and choose with Enter; . goes to the next pile, Esc lets go.';
  }
  const isSlide = DIRECTIONS.includes(view.legal[0]);
  return isSlide ? 'Arrow keys or W A S D move; on a touch screen, swipe.' : 'The keys 2, 3 and 4 multiply.';
}

/** Whether a kept game has a setup and moves. */
const isKept = (kept, game) => isSetup(kept?.setup, game) && Array.isArray(kept.moves);

let play = null;

/** Shows Play in its section, and the game that the query of the address names. */
export async function show(section, query) {
  play ??= engine().then((exports) => new Play(section, exports));
  (await play).show(query);
}

/** Another part of the page comes into view. */
export async function hide() {
  (await play)?.hide();
}
