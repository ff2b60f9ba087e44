// A board: cells in a grid, tiles in the cells, and the slides between two positions.

import { element } from './dom.js';
import { fit } from './numbers.js';

/** How long tiles slide, and how long new tiles take to appear, in milliseconds. */
const SLIDE_MS = 110;
const APPEAR_MS = 130;
/** The last colour class of numbers and of negative numbers, by bits. */
const TONES = { number: 13, negative: 4 };
/** Operators as they are printed. */
const GLYPHS = { '-': '−', '*': '×' };
const APPEAR = [{ transform: 'scale(0.3)', opacity: 0 }, { transform: 'none', opacity: 1 }];
const POP = [
  { transform: 'scale(0.9)', opacity: 0 },
  { transform: 'scale(1.14)', opacity: 1, offset: 0.4 },
  { transform: 'none', opacity: 1 },
];

/** Whether the page asks for less motion. */
export const prefersLessMotion = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The colour class of a tone. @param {string} tone */
function toneClass(tone) {
  const [kind = '', bits] = tone.split('-');
  const most = /** @type {Record<string, number>} */ (TONES)[kind];
  return most === undefined ? tone : `${kind}-${Math.min(Number(bits), most)}`;
}

/** What stands on a cell in at most `width` characters, and its classes. @param {CellData} cell @param {number} width */
function looks(cell, width) {
  if (cell === 0) {
    return { short: '', look: 'tile blank' };
  }
  const [text, tone, mark] = cell;
  const short = tone === 'operator' ? (/** @type {Record<string, string>} */ (GLYPHS)[text] ?? text) : fit(text, width);
  return { short, look: `tile ${toneClass(tone)} length-${Math.min(short.length, 7)}${mark === undefined ? '' : ` ${mark}`}` };
}

/** The text of a cell in full. @param {CellData | undefined} cell */
const textOf = (cell) => (cell === 0 || cell === undefined ? '' : cell[0]);

let boards = 0;

/** Draws positions into a host element. */
export class Board {
  /** @type {Position | null} */
  position = null;
  /** @type {{ element: HTMLElement, tile: HTMLElement, text: string, look: string }[][]} */
  #cells = [];
  /** @type {Set<{ animation: Animation, ghost: HTMLElement | null }>} */
  #running = new Set();
  #width = 6;
  /** The size of a cell in pixels. */
  #size = 0;
  #label;
  #owners;
  #name;
  #grid = element('div', 'board');
  #box = element('div', 'board-box');
  #cols = element('div', 'axis cols');
  #rows = element('div', 'axis rows');

  /**
   * `chosen` is called for a click or tap on a cell; `owners` are the names of the seats, for cells
   * that belong to one; with `axes`, columns and rows are numbered.
   * @param {HTMLElement} host
   * @param {{ label: string, chosen?: ((place: Place) => void) | null, owners?: string[], axes?: boolean }} options
   */
  constructor(host, { label, chosen = null, owners = ['seat 0', 'seat 1'], axes = false }) {
    boards += 1;
    this.#name = `board-${boards}`;
    this.#label = label;
    this.#owners = owners;
    this.#grid.setAttribute('role', 'grid');
    this.#grid.setAttribute('aria-readonly', 'true');
    this.#grid.tabIndex = 0;
    this.#box.append(this.#grid);
    this.#box.classList.toggle('has-axes', axes);
    if (axes) {
      this.#box.append(this.#cols, this.#rows);
      this.#cols.ariaHidden = 'true';
      this.#rows.ariaHidden = 'true';
    }
    host.replaceChildren(this.#box);
    if (chosen !== null) {
      this.#grid.classList.add('can-choose');
      this.#grid.addEventListener('click', (event) => {
        const cell = event.target instanceof Element ? event.target.closest('.cell') : null;
        if (cell instanceof HTMLElement) {
          chosen([Number(cell.dataset.row), Number(cell.dataset.col)]);
        }
      });
    }
    new ResizeObserver(() => this.#measure()).observe(this.#grid);
  }

  /**
   * Shows a position. With `animate`, tiles move as its slides say and new tiles appear.
   * @param {Position} position
   */
  show(position, animate = false) {
    this.finish();
    const before = this.position;
    const { cells } = position;
    const isSameSize = cells.length === this.#cells.length && cells[0]?.length === this.#cells[0]?.length;
    if (!isSameSize) {
      this.#build(cells.length, cells[0]?.length ?? 0);
    }
    this.position = position;
    cells.forEach((row, y) => row.forEach((cell, x) => this.#paint(y, x, cell)));
    if (animate && before !== null && isSameSize && !prefersLessMotion()) {
      this.#animate(before, position);
    }
  }

  /** Ends all movements at once. */
  finish() {
    for (const { animation, ghost } of this.#running) {
      animation.cancel();
      ghost?.remove();
    }
    this.#running.clear();
  }

  /**
   * Marks cells: the one under the cursor, the one chosen first, and those that can follow.
   * @param {{ cursor?: Place | null, first?: Place | null, targets?: Place[], hinted?: Place[] }} [marks]
   */
  point({ cursor = null, first = null, targets = [], hinted = [] } = {}) {
    for (const cell of this.#grid.querySelectorAll('.cursor, .first, .target, .hinted')) {
      cell.classList.remove('cursor', 'first', 'target', 'hinted');
      cell.removeAttribute('aria-selected');
    }
    /** @param {Place | null} place @param {string} name */
    const mark = (place, name) => {
      const cell = place === null ? undefined : this.#cell(place);
      cell?.classList.add(name);
      return cell;
    };
    targets.forEach((place) => mark(place, 'target'));
    hinted.forEach((place) => mark(place, 'hinted'));
    mark(first, 'first')?.setAttribute('aria-selected', 'true');
    const active = mark(cursor, 'cursor');
    this.#grid.toggleAttribute('aria-activedescendant', active !== undefined);
    if (active !== undefined) {
      this.#grid.setAttribute('aria-activedescendant', active.id);
    }
  }

  /** Scrolls a cell of a large board into sight. @param {Place} place */
  reveal(place) {
    this.#cell(place)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** @param {Place} place */
  #cell([row, col]) {
    return this.#cells[row]?.[col]?.element;
  }

  /** @param {number} rows @param {number} cols */
  #build(rows, cols) {
    const isDisplay = rows * cols === 1;
    this.#box.style.setProperty('--rows', String(rows));
    this.#box.style.setProperty('--cols', String(cols));
    this.#grid.classList.toggle('display', isDisplay);
    this.#grid.setAttribute('aria-label', isDisplay ? this.#label : `${this.#label}, ${rows} rows, ${cols} columns`);
    this.#cells = Array.from({ length: rows }, (_row, row) =>
      Array.from({ length: cols }, (_col, col) => {
        const cell = element('div', 'cell');
        cell.setAttribute('role', 'gridcell');
        cell.id = `${this.#name}-${row}-${col}`;
        cell.dataset.row = String(row);
        cell.dataset.col = String(col);
        const tile = element('span', 'tile blank');
        cell.append(tile);
        return { element: cell, tile, text: '', look: 'tile blank' };
      }),
    );
    const lines = this.#cells.map((row) => {
      const line = element('div', 'board-row');
      line.setAttribute('role', 'row');
      line.append(...row.map((cell) => cell.element));
      return line;
    });
    this.#grid.replaceChildren(...lines);
    this.#cols.replaceChildren(...lines[0] === undefined ? [] : Array.from({ length: cols }, (_, col) => element('span', '', String(col))));
    this.#rows.replaceChildren(...lines.map((_, row) => element('span', '', String(row))));
    this.#measure();
  }

  /** The size of a cell in pixels, and how many characters of a number fit into it. */
  #measure() {
    const pixels = this.#cells[0]?.[0]?.element.getBoundingClientRect().width ?? 0;
    if (pixels === 0) {
      return;
    }
    this.#size = pixels;
    const isDisplay = this.#grid.classList.contains('display');
    const width = isDisplay ? 24 : pixels < 24 ? 3 : pixels < 34 ? 4 : pixels < 46 ? 5 : 6;
    if (width !== this.#width) {
      this.#width = width;
      this.position?.cells.forEach((row, y) => row.forEach((cell, x) => this.#paint(y, x, cell)));
    }
  }

  /** @param {number} row @param {number} col @param {CellData} cell */
  #paint(row, col, cell) {
    const kept = this.#cells[row]?.[col];
    const { short, look } = looks(cell, this.#width);
    const text = textOf(cell);
    if (kept === undefined || (kept.text === text && kept.look === look && kept.tile.textContent === short)) {
      return;
    }
    kept.tile.className = look;
    kept.tile.textContent = short;
    kept.text = text;
    kept.look = look;
    const [, tone = ''] = cell === 0 ? [] : cell;
    const isShortened = short !== text && tone !== 'operator';
    const owner = tone.startsWith('owned') ? this.#owners[Number(tone.slice(-1))] : undefined;
    kept.element.title = isShortened ? text : '';
    if (owner !== undefined) {
      kept.element.setAttribute('aria-label', `${text}, ${owner}`);
    } else if (isShortened) {
      kept.element.setAttribute('aria-label', text);
    } else {
      kept.element.removeAttribute('aria-label');
    }
  }

  /** @param {Position} before @param {Position} position */
  #animate(before, { cells, slides }) {
    const shown = this.#cells[0]?.[0];
    if (this.#grid.classList.contains('display')) {
      // A display: its number is new or it is not.
      if (shown !== undefined && textOf(before.cells[0]?.[0]) !== textOf(cells[0]?.[0])) {
        this.#run(shown.tile, POP, { duration: APPEAR_MS });
      }
      return;
    }
    /** How many tiles came to a cell. @type {Map<string, number>} */
    const arrivals = new Map();
    for (const [, , row, col] of slides) {
      arrivals.set(`${row},${col}`, (arrivals.get(`${row},${col}`) ?? 0) + 1);
    }
    const sliding = { duration: SLIDE_MS, easing: 'ease-in-out' };
    for (const [fromRow, fromCol, row, col] of slides) {
      const target = this.#cells[row]?.[col];
      const source = before.cells[fromRow]?.[fromCol];
      if (target === undefined || source === undefined) {
        continue;
      }
      // Cells are squares side by side. Their size is known: to read it here would cost a layout.
      const from = `translate(${this.#size * (fromCol - col)}px, ${this.#size * (fromRow - row)}px)`;
      const frames = [{ transform: from }, { transform: 'none' }];
      if ((arrivals.get(`${row},${col}`) ?? 0) > 1) {
        // Tiles that become one slide as ghosts below it.
        const { short, look } = looks(source, this.#width);
        const ghost = element('span', `${look} ghost`, short);
        ghost.ariaHidden = 'true';
        target.element.append(ghost);
        this.#run(ghost, frames, sliding, ghost);
      } else if (fromRow !== row || fromCol !== col) {
        this.#run(target.tile, frames, sliding);
      }
    }
    const later = { duration: APPEAR_MS, delay: slides.length > 0 ? SLIDE_MS : 0, easing: 'ease-out' };
    this.#cells.forEach((row, y) =>
      row.forEach(({ tile }, x) => {
        const cell = cells[y]?.[x] ?? 0;
        if (cell !== 0 && (arrivals.get(`${y},${x}`) ?? 0) > 1) {
          this.#run(tile, POP, { ...later, fill: 'backwards' });
        } else if (cell !== 0 && cell[2] === 'dealt') {
          this.#run(tile, APPEAR, { ...later, fill: 'backwards' });
        }
      }),
    );
  }

  /** @param {HTMLElement} tile @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options @param {HTMLElement | null} [ghost] */
  #run(tile, frames, options, ghost = null) {
    const animation = tile.animate(frames, options);
    const entry = { animation, ghost };
    this.#running.add(entry);
    animation.onfinish = () => {
      ghost?.remove();
      this.#running.delete(entry);
    };
  }
}
