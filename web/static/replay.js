// Stepping through a file that `tilelab replay --json` has written.

import { Board, element } from './board.js';
import { Facts, button, count } from './controls.js';
import { slides } from './slides.js';

const FILE_BYTES_MAX = 64 * 1024 * 1024;
const RATES = [1, 2, 5, 10, 30, 100];
/** Moves are animated up to this many a second. */
const ANIMATED_RATE_MAX = 5;

const blank = { text: '', tone: 'blank', bits: 0, owner: null, mark: null };

/** A number as a cell shows it. */
function numberCell(number, tone = null, mark = null) {
  const bits = BigInt(number) === 0n ? 0 : BigInt(number).toString(2).replace('-', '').length;
  return { text: String(number), tone: tone ?? (number < 0 ? 'negative' : 'number'), bits, owner: null, mark };
}

/** A whole number of a line, or an error that names the line. */
function whole(line, name, value) {
  if (!Number.isInteger(value)) {
    throw new Error(`line ${line}: ${name}: ${JSON.stringify(value) ?? 'missing'} is not a whole number`);
  }
  return value;
}

/** Positions of 67! and 2048: the boards stand in the file. */
function boardFrames(turns) {
  const frames = turns.map((turn, number) => ({ cells: turn.cells, facts: turn.facts, last: turns[number - 1]?.move ?? null }));
  const end = turns.at(-1);
  if (end.after !== null) {
    frames.push({ cells: end.after, facts: end.facts, last: end.move });
  }
  return { length: frames.length, at: (number) => frames[number] };
}

/** Positions of Calculator: a display. */
function calculatorFrames(lines) {
  const frames = lines.map((fields, number) => ({
    cells: [[numberCell(whole(number + 1, 'value', fields.value))]],
    facts: [
      ['presses left', String(fields.left)],
      ['stored', String(fields.stored ?? '')],
    ],
    last: lines[number - 1]?.button ?? null,
  }));
  const end = lines.at(-1);
  if (typeof end.button === 'string') {
    const facts = [['presses left', String(end.left - (end.button === 'Store' ? 0 : 1))]];
    frames.push({ cells: [[numberCell(whole(lines.length, 'after', end.after))]], facts, last: end.button });
  }
  return { length: frames.length, at: (number) => frames[number] };
}

/** Positions of the multiplication game: the number. */
function zeroSumFrames(lines) {
  const facts = (scores) => [0, 1].map((seat) => [`seat ${seat}`, String(scores?.[seat] ?? '')]);
  const last = (fields) => (Number.isInteger(fields?.move) ? `× ${fields.move}` : null);
  const frames = lines.map((fields, number) => ({
    cells: [[numberCell(whole(number + 1, 'number', fields.number))]],
    facts: facts(fields.scores),
    last: last(lines[number - 1]),
  }));
  const end = lines.at(-1);
  if (Number.isInteger(end.move)) {
    const cells = [[numberCell(whole(lines.length, 'after', end.after))]];
    frames.push({ cells, facts: facts(end.scores_after), last: last(end) });
  }
  return { length: frames.length, at: (number) => frames[number] };
}

/** Positions of Offset, from its moves: every cell begins with a pile of one coin. */
function offsetFrames(lines) {
  const moves = lines.map((fields, number) => {
    if (fields.move === null) {
      return null;
    }
    const [source, target] = Array.isArray(fields.move) && fields.move.length === 2 ? fields.move : [];
    const places = [source, target].flatMap((end) => (Array.isArray(end) && end.length === 2 ? end : [null, null]));
    places.forEach((place) => {
      if (whole(number + 1, 'move', place) < 0 || place > 63) {
        throw new Error(`line ${number + 1}: move: ${place} is not on a board`);
      }
    });
    return { places, seat: whole(number + 1, 'seat', fields.seat), value: whole(number + 1, 'value', fields.value) };
  });
  // The file does not name the size; the moves of a whole game reach the edges.
  const side = 1 + Math.max(3, ...moves.flatMap((move) => move?.places ?? []));
  const at = (number) => {
    const cells = Array.from({ length: side }, () => Array.from({ length: side }, () => numberCell(1)));
    moves.slice(0, number).forEach((move, made) => {
      if (move !== null) {
        const [fromX, fromY, toX, toY] = move.places;
        cells[fromY][fromX] = blank;
        const mark = made === number - 1 ? 'made' : null;
        cells[toY][toX] = { ...numberCell(move.value, 'owned', mark), owner: move.seat };
      }
    });
    const scores = number === 0 ? [0, 0] : lines[number - 1].scores;
    const last = moves[number - 1] ?? null;
    const pair = (seat) => lines.find((fields) => fields.seat === seat)?.pair ?? '';
    return {
      cells,
      facts: [0, 1].map((seat) => [`seat ${seat}`, `(${pair(seat)}) ${scores?.[seat] ?? ''}`]),
      last: last === null ? null : `${last.places[0]},${last.places[1]}-${last.places[2]},${last.places[3]}`,
    };
  };
  return { length: lines.length + 1, at };
}

/** The positions of one game, from its lines and the turns that were read from them. */
function framesOf(lines, turns) {
  if (turns[0].cells.length > 0) {
    return boardFrames(turns);
  }
  const [first] = lines;
  if ('button' in first) {
    return calculatorFrames(lines);
  }
  if ('number' in first) {
    return zeroSumFrames(lines);
  }
  if ('pair' in first) {
    return offsetFrames(lines);
  }
  throw new Error('line 1: not a line of a game that this page shows');
}

/** The lines of each game in a file, by the number of the game. */
function gamesOf(text) {
  const games = new Map();
  text.split('\n').forEach((line, number) => {
    if (line.trim() === '') {
      return;
    }
    let index = '';
    try {
      index = String(JSON.parse(line)?.game_index ?? '');
    } catch (error) {
      throw new Error(`line ${number + 1}: not a JSON object (${error.message}); drop what tilelab replay --json writes`);
    }
    games.set(index, [...(games.get(index) ?? []), line]);
  });
  return games;
}

/** The part of Play that steps through a replay. */
export class ReplayView {
  constructor(host, { replayOf, animates, closed }) {
    this.replayOf = replayOf;
    this.animates = animates;
    this.isOpen = false;
    this.isPlaying = false;
    this.root = element('div', 'stage replay');
    this.root.hidden = true;
    this.main = element('div', 'main');
    const side = element('div', 'side');
    const head = element('div', 'head');
    this.title = element('h2', 'title', 'Replay');
    this.name = element('p', 'goal');
    head.append(this.title, this.name);
    this.main.append(head);
    this.facts = new Facts(this.main);
    this.boardHost = element('div', 'board-host');
    this.message = element('p', 'message');
    this.message.setAttribute('role', 'status');
    this.slider = element('input');
    this.slider.type = 'range';
    this.slider.min = '0';
    this.slider.setAttribute('aria-label', 'Turn');
    this.slider.addEventListener('input', () => {
      this.pause();
      this.show(Number(this.slider.value));
    });
    const steps = element('div', 'actions steps');
    this.playing = button('Play', () => this.toggle(), { key: 'space' });
    steps.append(
      button('|◀', () => this.first(), { label: 'First', key: 'Home' }),
      button('◀', () => this.back(), { label: 'Back', key: 'ArrowLeft' }),
      this.playing,
      button('▶', () => this.forward(), { label: 'Forward', key: 'ArrowRight' }),
      button('▶|', () => this.last(), { label: 'Last', key: 'End' }),
    );
    this.main.append(this.message, this.boardHost, this.slider, steps);
    this.game = element('select');
    this.game.addEventListener('change', () => this.#open(this.game.value));
    this.gameRow = element('label', 'setting', 'game ');
    this.gameRow.append(this.game);
    this.rate = element('select');
    for (const rate of RATES) {
      const option = element('option', '', `${rate} a second`);
      option.value = String(rate);
      this.rate.append(option);
    }
    this.rate.value = '2';
    const speed = element('label', 'setting', 'speed ');
    speed.append(this.rate);
    side.append(this.gameRow, speed, button('Close replay', closed, { key: 'Escape' }));
    side.append(element('p', 'keys', 'Arrow keys step, Home and End go to the ends, the space bar plays and pauses, Esc closes.'));
    this.root.append(this.main, side);
    this.closed = closed;
    host.append(this.root);
  }

  /** Reads a file and shows its first position. Fails with what is wrong with it. */
  async read(file) {
    if (file.size > FILE_BYTES_MAX) {
      throw new Error(`more than ${FILE_BYTES_MAX / 1024 / 1024} MiB`);
    }
    const games = gamesOf(await file.text());
    if (games.size === 0) {
      throw new Error('the file is empty; drop what tilelab replay --json writes');
    }
    this.games = games;
    this.name.textContent = file.name;
    this.game.replaceChildren(
      ...[...games.keys()].map((index) => {
        const option = element('option', '', index);
        option.value = index;
        return option;
      }),
    );
    this.gameRow.hidden = games.size < 2;
    this.#open(games.keys().next().value);
    this.isOpen = true;
    this.root.hidden = false;
    this.playing.focus();
  }

  #open(index) {
    this.pause();
    const lines = this.games.get(index);
    const turns = JSON.parse(this.replayOf(lines.join('\n')));
    this.frames = framesOf(lines.map((line) => JSON.parse(line)), turns);
    this.outcome = turns.at(-1).outcome;
    this.boardHost.replaceChildren();
    this.board = new Board(this.boardHost, { label: 'Board of the replay' });
    this.slider.max = String(this.frames.length - 1);
    this.number = 0;
    this.root.classList.toggle('wide', (this.frames.at(0).cells[0]?.length ?? 0) > 16);
    this.show(0);
  }

  close() {
    this.pause();
    this.isOpen = false;
    this.root.hidden = true;
  }

  /** Shows a position by its number. */
  show(number, animate = false) {
    const before = this.board.view;
    const frame = this.frames.at(number);
    const view = { ...frame, cells: marked(before, frame, animate) };
    this.number = number;
    this.board.show(view, { animate: animate && this.animates() });
    this.facts.show(frame.facts.filter(([, value]) => value !== ''));
    this.slider.value = String(number);
    const last = this.frames.length - 1;
    const result = { won: 'Won', lost: 'Lost', drawn: 'Drawn' }[this.outcome];
    const end = number === last && result !== undefined ? ` · ${result} after ${count(last, 'turn')}` : '';
    const move = frame.last === null ? '' : ` · last move ${frame.last}`;
    this.message.textContent = `Position ${number} of ${last}${move}${end}`;
    this.message.className = `message ${number === last ? { won: 'good', lost: 'bad' }[this.outcome] ?? '' : ''}`;
  }

  first() {
    this.pause();
    this.show(0);
  }

  last() {
    this.pause();
    this.show(this.frames.length - 1);
  }

  back() {
    this.pause();
    this.show(Math.max(this.number - 1, 0));
  }

  forward() {
    this.pause();
    this.#step();
  }

  /** Plays on, or pauses. */
  toggle() {
    if (this.isPlaying) {
      this.pause();
      return;
    }
    if (this.number === this.frames.length - 1) {
      this.show(0);
    }
    this.isPlaying = true;
    this.playing.textContent = 'Pause';
    this.#wait();
  }

  /** Does what a key asks for; whether it asks for anything. */
  key(event) {
    const act = {
      ArrowLeft: () => this.back(),
      ArrowRight: () => this.forward(),
      Home: () => this.first(),
      End: () => this.last(),
      ' ': () => this.toggle(),
      Escape: () => this.closed(),
    }[event.key];
    if (act === undefined || event.target === this.slider) {
      return false;
    }
    act();
    return true;
  }

  #step() {
    if (this.number < this.frames.length - 1) {
      this.show(this.number + 1, !this.isPlaying || Number(this.rate.value) <= ANIMATED_RATE_MAX);
    }
  }

  #wait() {
    this.timer = setTimeout(() => {
      this.#step();
      if (this.number === this.frames.length - 1) {
        this.pause();
      } else {
        this.#wait();
      }
    }, 1000 / Number(this.rate.value));
  }

  /** Stops playing on. */
  pause() {
    clearTimeout(this.timer);
    this.isPlaying = false;
    this.playing.textContent = 'Play';
  }
}

/** The cells of a position with the tiles that a slide made marked, which files do not name. */
function marked(before, frame, animate) {
  const isSlide = animate && before !== null && ['up', 'down', 'left', 'right'].includes(frame.last);
  if (!isSlide || before.cells.length !== frame.cells.length) {
    return frame.cells;
  }
  const cells = frame.cells.map((row) => row.map((cell) => ({ ...cell })));
  for (const { to: [row, col], made } of slides(before.cells, frame.cells, frame.last)) {
    if (made && cells[row][col].tone !== 'operator') {
      cells[row][col].mark = 'made';
    }
  }
  return cells;
}
