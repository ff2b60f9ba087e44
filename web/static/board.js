// A board: cells in a grid, tiles in the cells, and the slides between two positions.

import { element } from './dom.js';

/** How long tiles slide, and how long new tiles take to appear, in milliseconds. */
const SLIDE_MS = 110;
const APPEAR_MS = 130;
const APPEAR = [{ transform: 'scale(0.3)', opacity: 0 }, { transform: 'none', opacity: 1 }];
const POP = [
  { transform: 'scale(0.9)', opacity: 0 },
  { transform: 'scale(1.14)', opacity: 1, offset: 0.4 },
  { transform: 'none', opacity: 1 },
];

/** What stands on a cell, and its classes. @param {CellData | undefined} cell */
function looks(cell) {
  const [short, look, text = short] = cell || ['', 'blank'];
  return { short, text, look: `tile ${look} length-${Math.min(short.length, 7)}` };
}

let boards = 0;

/** Draws positions into a host element. */
export class Board {
  /** @type {Position | null} */
  #position = null;
  /** @type {{ cell: HTMLElement, tile: HTMLElement }[][]} */
  #cells = [];
  /** @type {Set<Animation>} */
  #running = new Set();
  #label;
  #owners;
  #name;
  #grid = element('div', 'board');
  #box = element('div', 'board-box', this.#grid);

  /** @param {HTMLElement} host @param {BoardOptions} options */
  constructor(host, { label, chosen, owners, axes }) {
    boards += 1;
    this.#name = `board-${boards}`;
    this.#label = label;
    this.#owners = owners;
    this.#grid.role = 'grid';
    this.#grid.ariaReadOnly = 'true';
    this.#grid.tabIndex = 0;
    this.#box.classList.toggle('has-axes', axes);
    this.#grid.classList.toggle('can-choose', axes);
    host.replaceChildren(this.#box);
    this.#grid.addEventListener('click', ({ target }) => {
      const cell = target instanceof Element ? target.closest('.cell') : null;
      if (cell instanceof HTMLElement) {
        chosen([Number(cell.dataset.row), Number(cell.dataset.col)]);
      }
    });
  }

  /** Shows a position; with `animate`, how it came about. @param {Position} position */
  show(position, animate = false) {
    this.#running.forEach((animation) => animation.finish());
    const before = this.#position;
    const { cells } = position;
    const [first = []] = cells;
    const [shown = []] = this.#cells;
    const isSameSize = cells.length === this.#cells.length && first.length === shown.length;
    if (!isSameSize) {
      this.#build(cells.length, first.length);
    }
    this.#position = position;
    cells.forEach((row, y) => row.forEach((cell, x) => this.#paint(y, x, cell)));
    const isStill = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (animate && before !== null && isSameSize && !isStill) {
      this.#animate(before, position);
    }
  }

  /** Marks cells, and no others. @param {Partial<Marks>} [marks] */
  point({ cursor = null, first = null, targets = [], hinted = [] } = {}) {
    for (const cell of this.#grid.querySelectorAll('.cursor, .first, .target, .hinted')) {
      cell.classList.remove('cursor', 'first', 'target', 'hinted');
      cell.ariaSelected = null;
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
    this.#grid.setAttribute('aria-activedescendant', mark(cursor, 'cursor')?.id ?? '');
  }

  /** Scrolls a cell of a large board into sight. @param {Place} place */
  reveal(place) {
    this.#cell(place)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  /** @param {Place} place */
  #cell([row, col]) {
    return this.#cells[row]?.[col]?.cell;
  }

  /** @param {number} rows @param {number} cols */
  #build(rows, cols) {
    const isDisplay = rows * cols === 1;
    this.#box.style.setProperty('--rows', String(rows));
    this.#box.style.setProperty('--cols', String(cols));
    this.#grid.classList.toggle('display', isDisplay);
    const size = isDisplay ? '' : `, ${rows} rows, ${cols} columns`;
    this.#grid.ariaLabel = this.#label + size;
    this.#cells = Array.from({ length: rows }, (_row, row) =>
      Array.from({ length: cols }, (_col, col) => {
        const tile = element('span', 'tile blank');
        const cell = element('div', 'cell', tile);
        cell.role = 'gridcell';
        cell.id = `${this.#name}-${row}-${col}`;
        Object.assign(cell.dataset, { row, col });
        return { cell, tile };
      }),
    );
    const lines = this.#cells.map((row) => {
      const line = element('div', 'board-row', ...row.map(({ cell }) => cell));
      line.role = 'row';
      return line;
    });
    this.#grid.replaceChildren(...lines);
    if (this.#box.classList.contains('has-axes')) {
      this.#box.replaceChildren(this.#grid, axis('cols', cols), axis('rows', rows));
    }
  }

  /** @param {number} row @param {number} col @param {CellData} data */
  #paint(row, col, data) {
    const shown = this.#cells[row]?.[col];
    const { short, text, look } = looks(data);
    const isSame = shown?.tile.className === look && shown.tile.textContent === short;
    if (shown === undefined || isSame) {
      return;
    }
    const { cell, tile } = shown;
    tile.className = look;
    tile.textContent = short;
    const [, seat] = /owned-(\d)/.exec(look) ?? [];
    const owner = seat === undefined ? '' : `, ${this.#owners[Number(seat)]}`;
    cell.title = text === short ? '' : text;
    cell.ariaLabel = text + owner === short ? null : text + owner;
  }

  /** @param {Position} before @param {Position} position */
  #animate(before, { cells, slides }) {
    const shown = this.#cells[0]?.[0];
    if (this.#grid.classList.contains('display') && shown !== undefined) {
      // A display: its number is new or it is not.
      if (looks(before.cells[0]?.[0]).text !== looks(cells[0]?.[0]).text) {
        this.#run(shown.tile, POP, { duration: APPEAR_MS });
      }
      return;
    }
    /** How many tiles came to a cell. @type {Map<string, number>} */
    const arrivals = new Map();
    for (const [, , row, col] of slides) {
      arrivals.set(`${row},${col}`, (arrivals.get(`${row},${col}`) ?? 0) + 1);
    }
    for (const [fromRow, fromCol, row, col] of slides) {
      const target = this.#cells[row]?.[col];
      const down = `calc(var(--cell) * ${fromRow - row})`;
      const along = `calc(var(--cell) * ${fromCol - col})`;
      const frames = [{ transform: `translate(${along}, ${down})` }, { transform: 'none' }];
      const sliding = { duration: SLIDE_MS, easing: 'ease-in-out' };
      if ((arrivals.get(`${row},${col}`) ?? 0) > 1) {
        // Tiles that become one slide as ghosts below it.
        const { short, look } = looks(before.cells[fromRow]?.[fromCol]);
        const ghost = element('span', `${look} ghost`, short);
        ghost.ariaHidden = 'true';
        target?.cell.append(ghost);
        this.#run(ghost, frames, sliding, () => ghost.remove());
      } else if (target !== undefined && (fromRow !== row || fromCol !== col)) {
        this.#run(target.tile, frames, sliding);
      }
    }
    const delay = slides.length > 0 ? SLIDE_MS : 0;
    this.#cells.forEach((row, y) =>
      row.forEach(({ tile }, x) => {
        const isMade = (arrivals.get(`${y},${x}`) ?? 0) > 1 && cells[y]?.[x] !== 0;
        if (isMade || tile.classList.contains('dealt')) {
          const appearing = { duration: APPEAR_MS, delay, easing: 'ease-out' };
          this.#run(tile, isMade ? POP : APPEAR, { ...appearing, fill: 'backwards' });
        }
      }),
    );
  }

  /** @param {HTMLElement} tile @param {Keyframe[]} frames @param {object} timing */
  #run(tile, frames, timing, ended = () => {}) {
    const animation = tile.animate(frames, timing);
    this.#running.add(animation);
    animation.onfinish = () => {
      ended();
      this.#running.delete(animation);
    };
  }
}

/** The numbers of columns or rows. @param {string} name @param {number} length */
function axis(name, length) {
  const numbers = Array.from({ length }, (_, number) => element('span', '', String(number)));
  const made = element('div', `axis ${name}`, ...numbers);
  made.ariaHidden = 'true';
  return made;
}
