// Play: a person plays the games of the catalog; players answer and give hints.

import { Board } from './board.js';
import { Thinker } from './caller.js';
import { Chooser } from './chooser.js';
import { begin, dailySetup, keepResult, streak } from './daily.js';
import { box, button, copies, count, drawing, element, find, onFile, openDialog } from './dom.js';
import { DIRECTIONS, MoveButtons, onSwipe } from './input.js';
import { gameKey, linkText, readLink } from './setup.js';
import { onOtherTab } from './store.js';
import { Table } from './table.js';

/** How long the rival's answer waits at least, so that one's own move is seen, in milliseconds. */
const ANSWER_MS = 250;
/** How many earlier games can be brought back. */
const EARLIER_MAX = 20;
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The page's part in which a person plays. */
export class Play extends Table {
  /** The seat that made the last move; -1 where the position was not reached by a move. */
  #lastSeat = -1;
  /** Whether the board has the goal, which ends not every game. */
  #hasGoal = false;
  /** Games that can be brought back, the last one last. @type {Played[]} */
  #earlier = [];
  /** @type {Chooser | null} */
  #chooser = null;
  #buttons;
  /** Who plays the daily deal beside a person, and is not ended when the person moves. */
  #rival = new Thinker(false);
  /** @type {Board | null} */
  #rivalBoard = null;

  /** @param {HTMLElement} section @param {import('./table.js').Engine} engine */
  constructor(section, engine) {
    super(section, engine, true);
    this.#buttons = new MoveButtons(this.find('.moves'), (name) => this.tryMove(name));
    Object.assign(this.acts, {
      undo: () => this.undo(),
      hint: () => this.hint(),
      next: () => this.next(),
      restart: () => this.open({ setup: this.played.setup, moves: [] }),
      watch: () => location.assign(`#${linkText('watch', this.played)}`),
      open: () => this.find('input[type=file]').click(),
    });
    const daily = button('Daily 67!', () => location.assign('#play?daily'), 'choice');
    this.find('.games').prepend(daily);
    const swiped = (/** @type {string} */ to) => this.#buttons.areDirections && this.tryMove(to);
    onSwipe(this.find('.stage > .main'), swiped);
    onFile((file) => this.#read(file), this.find('input[type=file]'), section);
    onOtherTab((name) => {
      const { game } = this.played.setup;
      if (name === `play.${game}`) {
        this.resume(game);
        this.say('This game continued in another tab.');
      }
    });
  }

  /** Opens the game of a link, otherwise the one played last. @param {URLSearchParams} query */
  show(query) {
    const { current } = this.settings;
    const [first] = this.catalog;
    if (query.has('game')) {
      this.#openLink(query);
    } else if (query.has('daily') && first !== undefined) {
      const setup = dailySetup(first, query.get('daily') ?? '');
      begin(setup.daily);
      const kept = this.load(first.name);
      const isKept = kept !== null && gameKey(kept.setup) === gameKey(setup);
      this.open(isKept ? kept : { setup, moves: [] });
    } else if (this.game === null && current === '' && first !== undefined) {
      this.#teach(first, 0);
    } else if (this.game === null) {
      this.resume(current);
    } else {
      this.showAddress();
    }
  }

  get #isMyTurn() {
    const { outcome, seat } = this.view;
    return outcome === null && (this.entry.seats === 1 || seat === this.played.setup.seat);
  }

  get seats() {
    return this.played.setup.seat === 0 ? ['you', 'opponent'] : ['opponent', 'you'];
  }

  /** Opens a game in the place of its kept one, which undo brings back. @param {Played} played */
  open(played, /** @type {Played[] | undefined} */ earlier = undefined) {
    const kept = this.load(played.setup.game);
    const isLost = earlier === undefined && kept !== null && !goesOn(kept, played);
    const before = earlier ?? (Array.isArray(kept?.earlier) ? kept.earlier : []);
    const lost = isLost ? [{ setup: kept.setup, moves: kept.moves }] : [];
    this.stopThinking();
    try {
      // Not before: the board would jump.
      this.find('.rule').classList.toggle('read', this.view.moves > 0 || played.moves.length > 0);
      const problem = this.place(played);
      this.#earlier = [...before, ...lost].slice(-EARLIER_MAX);
      this.#chooser = this.board && this.game && new Chooser(this.board, this.game);
      const { lessons } = this.entry;
      const text = lessons[played.setup.lesson ?? -1]?.text ?? '';
      this.find('.lesson').textContent = text;
      this.find('.lesson').hidden = text === '';
      this.find('.rule').hidden = lessons.length === 0;
      this.#refresh();
      this.find('.board-host').classList.toggle('swipes', this.#buttons.areDirections);
      if (problem !== '') {
        this.say(problem, 'bad');
      } else if (isLost && this.view.outcome === null && this.#isMyTurn) {
        const own = 'Your own game is saved. To restore it, undo past the first move.';
        this.say(played.moves.length === 0 ? 'Undo restores your last game.' : own);
      }
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  /** The next lesson or level once one is won, otherwise the next number of this seed. */
  next() {
    const { lesson, daily } = this.played.setup;
    const { outcome } = this.view;
    const isWon = outcome === 'won';
    if (lesson !== undefined) {
      this.#teach(this.entry, lesson + (isWon || outcome === null ? 1 : 0));
    } else {
      const isDaily = daily !== undefined;
      const setup = isDaily ? this.firstSetup(this.entry) : this.nextGame(isWon).setup;
      this.open({ setup, moves: [] });
    }
  }

  /** Opens a lesson, or the game after all. @param {GameEntry} entry @param {number} lesson */
  #teach(entry, lesson) {
    const found = entry.lessons[lesson]?.setup;
    this.open({ setup: found ? { ...found, lesson } : this.firstSetup(entry), moves: [] });
  }

  /** Makes the move with this name, or says why it is not legal. @param {string} name */
  tryMove(name) {
    if (this.view.outcome !== null) {
      return;
    }
    const why = this.game?.whyIllegal(name) ?? '';
    if (!this.#isMyTurn) {
      this.say('The opponent is thinking…');
    } else if (why !== '') {
      this.say(why, 'bad');
    } else {
      this.stopThinking();
      this.#make(name);
    }
  }

  /** Takes back the person's last move; before the first, brings the last game back. */
  undo() {
    this.stopThinking();
    const { moves } = this.played;
    const last = this.#earlier.at(-1);
    if (moves.length > 0) {
      do {
        this.takeBack();
        this.view = JSON.parse(this.game?.view() ?? '');
      } while (moves.length > 0 && !this.#isMyTurn);
      this.#refresh();
    } else if (last !== undefined) {
      this.open(last, this.#earlier.slice(0, -1));
    } else {
      this.say('Nothing to undo.');
    }
  }

  /** Asks the strongest player that fits for a hint. */
  async hint() {
    if (!this.#isMyTurn) {
      return;
    }
    this.say('Thinking…');
    /** @type {Hint | null} */
    const hint = await this.think('hint');
    if (hint !== null) {
      this.say(hint.text);
      this.#buttons.hint(hint.name ?? '');
      this.#chooser?.hint(hint.path ?? []);
    }
  }

  /** Lets the rival answer, as often as it is its turn. */
  async #answer() {
    this.say(`${this.#passed()}The opponent is thinking…`);
    const { view } = this;
    const waited = new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    const [name] = await Promise.all([this.think('choose'), waited]);
    if (name !== null && view === this.view) {
      this.#make(name);
    }
  }

  /** @param {string} name */
  #make(name) {
    this.advance([name]);
    this.#refresh(this.view.seat);
    this.find('.heard').textContent = this.named(this.view.heard);
  }

  /** Who had to pass before this position, in words. */
  #passed() {
    const { seat, outcome } = this.view;
    if (this.entry.seats === 1 || outcome !== null || seat !== this.#lastSeat) {
      return '';
    }
    const other = 'The opponent has no legal move and passes. ';
    return this.#isMyTurn ? other : 'You have no legal move and pass. ';
  }

  /** Shows the position and what follows; a seat may have moved. @param {number} lastSeat */
  #refresh(lastSeat = -1) {
    this.#lastSeat = lastSeat;
    this.refresh(lastSeat >= 0 && this.settings.animate);
    const { outcome, cells, sources, how } = this.view;
    const isOver = outcome !== null;
    const had = this.#hasGoal;
    this.#hasGoal = cells.flat().some((cell) => cell !== 0 && cell[1].includes('goal'));
    const reached = this.#hasGoal && !had && lastSeat >= 0 ? 'The goal is reached: go on. ' : '';
    this.#buttons.show(this.view, this.#isMyTurn);
    this.#chooser?.follow(this.view, this.#isMyTurn);
    const asked = sources.length > 0 && this.#isMyTurn ? how : '';
    this.say(this.#passed() + reached + asked, reached === '' ? '' : 'good');
    this.find('[data-act=hint]').disabled = isOver;
    this.find('[data-act=next]').textContent = this.#nextText();
    this.find('.keys').textContent = how;
    this.find('.after').replaceChildren();
    this.showAddress();
    this.save(this.#earlier);
    this.#race();
    if (isOver) {
      this.#finish(lastSeat >= 0);
    } else if (!this.#isMyTurn) {
      this.#answer();
    }
  }

  get address() {
    return this.played.setup.lesson === undefined ? super.address : 'play';
  }

  #nextText() {
    const { lesson } = this.played.setup;
    const { outcome } = this.view;
    const isWon = outcome === 'won';
    if (lesson !== undefined) {
      const further = lesson + 1 < this.entry.lessons.length ? 'Next step' : 'To the game';
      return isWon ? further : outcome === null ? 'Skip' : 'Try again';
    }
    return this.nextGame(isWon).isLevel ? 'Next level' : 'New game';
  }

  /** Tells the result, and offers what can be made of it. @param {boolean} isNow */
  #finish(isNow) {
    const { setup } = this.played;
    const { daily, lesson } = setup;
    const { result, text } = this.ending(setup.seat);
    const moods = /** @type {const} */ ({ won: 'good', lost: 'bad', drawn: '' });
    this.say(text, moods[result]);
    if (this.entry.seats > 1 || this.entry.levels !== undefined || lesson !== undefined) {
      return;
    }
    if (this.entry.chances) {
      this.find('.after').append(button('Where was it decided?', () => this.#showReview()));
    }
    if (daily !== undefined) {
      const ended = { result, moves: this.view.moves };
      const counts = keepResult(daily, ended);
      const show = () => this.#showDaily(daily, counts, ended);
      this.find('.after').prepend(button('Result', show));
      if (isNow) {
        show();
      }
    }
  }

  /** The game, in which the strongest player has no name yet. */
  get #nameless() {
    const { setup, moves } = this.played;
    return { setup: { ...setup, players: setup.players.map(() => '') }, moves };
  }

  /** Shows how the strongest player stands after as many moves of the daily deal. */
  async #race() {
    const [line, host] = [this.find('.race'), this.find('.rival')];
    line.hidden = host.hidden = this.played.setup.daily === undefined;
    const asked = line.hidden ? null : this.#rival.ask(this.#nameless, 'race', []);
    const view = await asked?.catch(() => null);
    if (view) {
      line.textContent = `${this.#rival.players[0]?.split('(')[0]} beside you: ${standing(view)}`;
      const options = { label: '', chosen: () => {}, owners: [], axes: false };
      this.#rivalBoard ??= new Board(host, options);
      this.#rivalBoard.show(view);
    }
  }

  /** Plots the chance to win over the moves, and lists those that cost most. */
  async #showReview() {
    const { setup, moves } = this.played;
    const after = this.find('.after');
    const before = [...after.childNodes];
    after.replaceChildren(element('p', 'muted', 'Analysing the moves…'));
    /** @type {Review | null} */
    const review = await this.think('review', [], this.#nameless);
    if (review === null) {
      after.replaceChildren(...before);
      return;
    }
    const rows = review.mistakes.map(({ at, text }) => {
      const playOn = () => this.open({ setup, moves: moves.slice(0, at) });
      return box('mistake', `${text} `, button('Continue from here', playOn));
    });
    const end = review.result === 'won' ? 'wins' : 'loses';
    const cost = rows.length === 0 ? 'No move cost 5 % or more.' : 'The costliest moves:';
    const text = `The ${review.player} ${end} this deal in ${count(review.moves, 'move')}. ${cost}`;
    after.replaceChildren(drawing(review.chart), element('p', '', text), ...rows);
    this.find('.heard').textContent = text;
  }

  /** The result that counts, beside the strongest player's. @param {string} daily */
  async #showDaily(daily, /** @type {Ended} */ counts, /** @type {Ended} */ ended) {
    const isFirst = told(counts) === told(ended);
    const made = openDialog('daily');
    /** @param {Record<string, string>} texts */
    const tell = (texts) =>
      Object.entries(texts).forEach(([name, text]) => (find(name, made).textContent = text));
    tell({ h2: `Daily 67! of ${daily}`, '.own': told(counts), '.streak': String(streak()) });
    const other = isFirst ? '' : `This game was ${told(ended)}; your first result counts.`;
    tell({ '.counts': other, '.machine': '…', '.squares': '', '.sharpest': '' });
    const link = `${location.href.split('#')[0]}#play?daily=${daily}`;
    copies(find('.copy', made), () => {
      const squares = find('.squares', made).textContent;
      return [`67! ${daily}: ${told(counts)}`, squares, link].filter(Boolean).join('\n');
    });
    find('.decided', made).onclick = () => this.#showReview();
    const review = await this.think('review', [], this.#nameless);
    if (review !== null) {
      const { player, squares, sharpest } = review;
      tell({ '.player': player, '.machine': told(review), '.sharpest': sharpest });
      tell({ '.squares': isFirst ? squares : '' });
    }
  }

  /** Chooses a cell of a move that is made of two. @param {Place} place */
  chosen(place) {
    if (this.view.outcome !== null || this.view.sources.length === 0) {
      return;
    }
    if (!this.#isMyTurn) {
      this.say('The opponent is thinking…');
      return;
    }
    const { name, problem = '' } = this.#chooser?.choose(place) ?? {};
    this.say(problem, 'bad');
    if (name !== undefined) {
      this.tryMove(name);
    }
  }

  /** Does what a key asks for; whether it asks for anything. @param {string} name */
  key(name) {
    const move = this.#buttons.named(name);
    const chooser = this.view.sources.length > 0 ? this.#chooser : null;
    if (chooser !== null && (DIRECTIONS.includes(name) || name === '.')) {
      chooser.step(name);
    } else if (chooser !== null && (name === 'enter' || name === 'space')) {
      this.chosen(chooser.at);
    } else if (chooser !== null && name === 'escape') {
      chooser.release();
    } else if (move !== undefined) {
      this.tryMove(move);
    } else {
      return super.key(name === 'backspace' ? 'u' : name);
    }
    return true;
  }

  showRules() {
    const { entry } = this;
    const first = button('First steps', () => this.#teach(entry, 0));
    first.dataset.close = '';
    const how = element('p', '', this.view.how);
    return super.showRules(how, ...(entry.lessons.length > 0 ? [first] : []));
  }

  showSetup() {
    const seats = Array.from({ length: this.entry.seats }, (_, seat) => seat);
    const words = (/** @type {boolean} */ isMine) => (isMine ? 'gives you hints' : 'your opponent');
    super.showSetup((mine) => seats.map((seat) => words(seat === mine)));
  }

  /** @param {URLSearchParams} query */
  #openLink(query) {
    const isFirst = this.game === null;
    try {
      const played = readLink(query, this.engine.readCell);
      const { setup } = played;
      const [first] = this.catalog;
      // Only the game of the day is the day's.
      if (first && gameKey(setup) !== gameKey(dailySetup(first, setup.daily))) {
        delete setup.daily;
      }
      if (!this.open(played)) {
        throw new Error(this.find('.message').textContent);
      }
    } catch (error) {
      if (isFirst) {
        this.resume(this.settings.current);
      }
      this.fail(error, 'Cannot open this link: ');
    }
  }

  /** Opens a game of a file in Watch. @param {File} file */
  async #read(file) {
    try {
      if (file.size > FILE_BYTES_MAX) {
        throw new Error(`more than ${FILE_BYTES_MAX / 1024 / 1024} MiB`);
      }
      /** @type {Played} */
      const game = JSON.parse(this.engine.readRecord(await file.text()));
      location.assign(`#${linkText('watch', game)}&at=0`);
    } catch (error) {
      this.fail(error, `${file.name}: `);
    }
  }
}

/** How a game ended. @param {Ended} ended */
const told = ({ result, moves }) =>
  `${result} ${result === 'won' ? 'in' : 'after'} ${count(moves, 'move')}`;

/** How a game stands. @param {View} view */
const standing = ({ outcome, moves, facts }) =>
  outcome ? told({ result: outcome, moves }) : facts.map((fact) => fact.join(' ')).join(', ');

/** Whether a game goes on in another one. @param {Played} kept @param {Played} played */
function goesOn({ setup, moves }, played) {
  const isSame = gameKey(setup) === gameKey(played.setup);
  return moves.length === 0 || (isSame && moves.every((name, at) => name === played.moves[at]));
}
