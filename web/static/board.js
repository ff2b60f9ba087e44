// A board: cells in a grid, tiles in the cells, and the slides between two positions.

import { slides } from './slides.js';

/** How long tiles slide, and how long new tiles take to appear, in milliseconds. */
const SLIDE_MS = 110;
const APPEAR_MS = 130;
/** Boards of more cells than this are redrawn without slides. */
const ANIMATED_CELLS_MAX = 1024;
/** The last colour class of numbers and of negative numbers, by bits. */
const NUMBER_TONES = 13;
const NEGATIVE_TONES = 4;

const DIRECTIONS = ['up', 'down', 'left', 'right'];

/** Whether the page asks for less motion. */
export function prefersLessMotion() {
  return window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

/** An element with a class, and a text if one is given. */
export function element(tag, className = '', text = null) {
  const made = document.createElement(tag);
  if (className !== '') {
    made.className = className;
  }
  if (text !== null) {
    made.textContent = text;
  }
  return made;
}

/**
 * A number in at most `width` characters: in full, as a power of two, or as digits and the number
 * of zeros to add: 123456789 in 5 is 123e6.
 */
export function fit(text, width) {
  if (text.length <= width) {
    return text;
  }
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.slice(sign.length);
  if (!/^\d+$/.test(digits)) {
    return `${text.slice(0, Math.max(1, width - 1))}…`;
  }
  if (sign === '') {
    const value = BigInt(digits);
    const power = value.toString(2).length - 1;
    const short = `^${power}`;
    if (value === 1n << BigInt(power) && short.length <= width) {
      return short;
    }
  }
  for (let kept = Math.min(digits.length - 1, width); kept > 0; kept -= 1) {
    const short = `${sign}${digits.slice(0, kept)}e${digits.length - kept}`;
    if (short.length <= width) {
      return short;
    }
  }
  return '#'.repeat(width);
}

/** Operators as they are printed. */
const GLYPHS = { '-': '−', '*': '×' };

/** What stands on a tile, in at most `width` characters. */
function inscription(cell, width) {
  return cell.tone === 'operator' ? (GLYPHS[cell.text] ?? cell.text) : fit(cell.text, width);
}

/** The colour class of a cell. */
function toneClass(cell) {
  switch (cell.tone) {
    case 'number':
      return `number-${Math.min(cell.bits, NUMBER_TONES)}`;
    case 'negative':
      return `negative-${Math.min(cell.bits, NEGATIVE_TONES)}`;
    case 'owned':
      return `owned-${cell.owner}`;
    default:
      return cell.tone;
  }
}

let boards = 0;

/** Draws positions into a host element. */
export class Board {
  /**
   * `host` takes the board; `chosen(row, col)` is called for a click or tap on a cell; `owners`
   * are the names of the seats, for cells that belong to one.
   */
  constructor(host, { label, chosen = null, owners = ['seat 0', 'seat 1'] }) {
    boards += 1;
    this.name = `board-${boards}`;
    this.owners = owners;
    this.rows = 0;
    this.cols = 0;
    this.cells = [];
    this.running = new Set();
    this.box = element('div', 'board-box');
    this.grid = element('div', 'board');
    this.grid.setAttribute('role', 'grid');
    this.grid.setAttribute('aria-readonly', 'true');
    this.grid.tabIndex = 0;
    this.label = label;
    this.box.append(this.grid);
    host.append(this.box);
    this.view = null;
    this.width = 6;
    this.size = 0;
    if (chosen !== null) {
      this.grid.classList.add('can-choose');
      this.grid.addEventListener('click', (event) => {
        const cell = event.target.closest('.cell');
        if (cell !== null) {
          chosen(Number(cell.dataset.row), Number(cell.dataset.col));
        }
      });
    }
    new ResizeObserver(() => this.#measure()).observe(this.grid);
  }

  /**
   * Shows a position. With `animate`, tiles move from where they were in the position that was
   * shown before: along `view.last` where that is a direction, otherwise new tiles appear.
   */
  show(view, { animate = false } = {}) {
    this.finish();
    const before = this.view;
    const rows = view.cells.length;
    const cols = rows > 0 ? view.cells[0].length : 0;
    const isSameSize = rows === this.rows && cols === this.cols;
    if (!isSameSize) {
      this.#build(rows, cols);
    }
    this.view = view;
    for (let row = 0; row < rows; row += 1) {
      for (let col = 0; col < cols; col += 1) {
        this.#paint(row, col, view.cells[row][col]);
      }
    }
    if (animate && before !== null && isSameSize && rows * cols <= ANIMATED_CELLS_MAX && !prefersLessMotion()) {
      this.#animate(before, view);
    }
  }

  /** Ends all movements at once. */
  finish() {
    for (const { animation, ghost } of this.running) {
      animation.cancel();
      ghost?.remove();
    }
    this.running.clear();
  }

  /** Marks cells: the one under the cursor, the one chosen first, and those that can follow. */
  point({ cursor = null, first = null, targets = [], hinted = [] } = {}) {
    for (const cell of this.grid.querySelectorAll('.cursor, .first, .target, .hinted')) {
      cell.classList.remove('cursor', 'first', 'target', 'hinted');
      cell.removeAttribute('aria-selected');
    }
    const mark = (place, name) => this.cell(place)?.classList.add(name);
    targets.forEach((place) => mark(place, 'target'));
    hinted.forEach((place) => mark(place, 'hinted'));
    if (first !== null) {
      mark(first, 'first');
      this.cell(first)?.setAttribute('aria-selected', 'true');
    }
    if (cursor === null) {
      this.grid.removeAttribute('aria-activedescendant');
    } else {
      mark(cursor, 'cursor');
      const cell = this.cell(cursor);
      if (cell !== undefined) {
        this.grid.setAttribute('aria-activedescendant', cell.id);
      }
    }
  }

  /** The element of a cell. */
  cell([row, col]) {
    return this.cells[row]?.[col]?.element;
  }

  /** Scrolls a cell of a large board into sight. */
  reveal(place) {
    const cell = this.cell(place);
    if (cell === undefined) {
      return;
    }
    const box = this.box.getBoundingClientRect();
    const at = cell.getBoundingClientRect();
    if (at.left < box.left || at.right > box.right) {
      this.box.scrollLeft += (at.left + at.right - box.left - box.right) / 2;
    }
    if (at.top < 0 || at.bottom > window.innerHeight) {
      cell.scrollIntoView({ block: 'center' });
    }
  }

  #build(rows, cols) {
    this.rows = rows;
    this.cols = cols;
    this.grid.style.setProperty('--rows', String(rows));
    this.grid.style.setProperty('--cols', String(cols));
    this.grid.classList.toggle('display', rows * cols === 1);
    this.grid.classList.toggle('small', Math.max(rows, cols) <= 5);
    this.grid.setAttribute('aria-label', rows * cols === 1 ? this.label : `${this.label}, ${rows} rows, ${cols} columns`);
    this.cells = [];
    const lines = [];
    for (let row = 0; row < rows; row += 1) {
      const line = element('div', 'board-row');
      line.setAttribute('role', 'row');
      this.cells.push([]);
      for (let col = 0; col < cols; col += 1) {
        const cell = element('div', 'cell');
        cell.setAttribute('role', 'gridcell');
        cell.id = `${this.name}-${row}-${col}`;
        cell.dataset.row = String(row);
        cell.dataset.col = String(col);
        const tile = element('span', 'tile blank');
        cell.append(tile);
        line.append(cell);
        this.cells[row].push({ element: cell, tile, text: '', look: 'tile blank' });
      }
      lines.push(line);
    }
    this.grid.replaceChildren(...lines);
    this.#measure();
  }

  /** The size of a cell in pixels, and how many characters of a number fit into it. */
  #measure() {
    const cell = this.cells[0]?.[0]?.element;
    if (cell === undefined) {
      return;
    }
    const pixels = cell.getBoundingClientRect().width;
    this.size = pixels;
    const isDisplay = this.rows * this.cols === 1;
    const width = isDisplay ? 24 : pixels === 0 ? this.width : pixels < 24 ? 3 : pixels < 34 ? 4 : pixels < 46 ? 5 : 6;
    if (width !== this.width) {
      this.width = width;
      if (this.view !== null) {
        for (let row = 0; row < this.rows; row += 1) {
          for (let col = 0; col < this.cols; col += 1) {
            this.cells[row][col].look = '';
            this.#paint(row, col, this.view.cells[row][col]);
          }
        }
      }
    }
  }

  #paint(row, col, cell) {
    const kept = this.cells[row][col];
    const mark = cell.mark ? ` ${cell.mark}` : '';
    const short = inscription(cell, this.width);
    const look = `tile ${toneClass(cell)}${mark} length-${Math.min(short.length, 7)}`;
    if (kept.text !== cell.text || kept.look !== look) {
      kept.tile.className = look;
      kept.tile.textContent = short;
      kept.text = cell.text;
      kept.look = look;
      if (cell.tone === 'owned') {
        kept.element.setAttribute('aria-label', `${cell.text}, ${this.owners[cell.owner]}`);
      } else if (short !== cell.text && cell.tone !== 'operator') {
        kept.element.setAttribute('aria-label', cell.text);
        kept.element.title = cell.text;
      } else {
        kept.element.removeAttribute('aria-label');
        kept.element.removeAttribute('title');
      }
    }
  }

  #animate(before, view) {
    if (this.rows * this.cols === 1) {
      // A display: its number is new or it is not.
      if (before.cells[0][0].text !== view.cells[0][0].text) {
        const frames = [{ transform: 'scale(0.9)', opacity: 0.3 }, { transform: 'none', opacity: 1 }];
        this.#run(this.cells[0][0].tile, frames, { duration: APPEAR_MS, easing: 'ease-out' });
      }
      return;
    }
    const isSlide = DIRECTIONS.includes(view.last);
    const moved = isSlide ? slides(before.cells, view.cells, view.last) : [];
    // Cells are squares side by side. Their size is known: to read it here would cost a layout.
    const offset = (from, to) => `translate(${this.size * (from[1] - to[1])}px, ${this.size * (from[0] - to[0])}px)`;
    for (const { from, to, made } of moved) {
      const isStill = from[0] === to[0] && from[1] === to[1];
      const target = this.cells[to[0]][to[1]];
      if (made) {
        // The tiles of an operation slide as ghosts below the tile that they become.
        const source = before.cells[from[0]][from[1]];
        const short = inscription(source, this.width);
        const ghost = element('span', `tile ghost ${toneClass(source)} length-${Math.min(short.length, 7)}`, short);
        ghost.setAttribute('aria-hidden', 'true');
        target.element.append(ghost);
        const frames = [{ transform: isStill ? 'none' : offset(from, to) }, { transform: 'none' }];
        this.#run(ghost, frames, { duration: SLIDE_MS, easing: 'ease-in-out' }, ghost);
      } else if (!isStill) {
        const frames = [{ transform: offset(from, to) }, { transform: 'none' }];
        this.#run(target.tile, frames, { duration: SLIDE_MS, easing: 'ease-in-out' });
      }
    }
    const delay = isSlide ? SLIDE_MS : 0;
    view.cells.forEach((cells, row) => {
      cells.forEach((cell, col) => {
        const { tile } = this.cells[row][col];
        const options = { duration: APPEAR_MS, delay, easing: 'ease-out', fill: 'backwards' };
        if (cell.mark === 'dealt') {
          this.#run(tile, [{ transform: 'scale(0.3)', opacity: 0 }, { transform: 'none', opacity: 1 }], options);
        } else if (cell.mark === 'made') {
          const frames = [
            { transform: 'scale(0.9)', opacity: 0 },
            { transform: 'scale(1.14)', opacity: 1, offset: 0.4 },
            { transform: 'none', opacity: 1 },
          ];
          this.#run(tile, isSlide ? frames : frames.map(({ transform }) => ({ transform })), options);
        }
      });
    });
  }

  #run(tile, frames, options, ghost = null) {
    const animation = tile.animate(frames, options);
    const entry = { animation, ghost };
    this.running.add(entry);
    animation.onfinish = () => {
      ghost?.remove();
      this.running.delete(entry);
    };
  }
}
