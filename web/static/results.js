// The tables of a run and the charts above them, drawn again while it plays.

import { COLOURS, curve, intervals } from './chart.js';
import { box, element } from './dom.js';
import { percent, whole } from './numbers.js';
import { words } from './setup.js';

/** Rows that are listed and drawn; an experiment may have thousands of cells. */
const ROWS_MAX = 500;
const DRAWN_MAX = 40;
/** Tables of more rows are closed at first. */
const OPEN_MAX = 24;
const COLUMNS = ['games', 'won %', 'interval %', 'mean moves', ''];

/** @typedef {Description['cells'][number] & { at: number }} Cell */

/** One table of an experiment. */
class Table {
  #chart = element('div', 'chart-host');
  #cells;
  #table;
  /** @type {HTMLTableCellElement[][]} */
  #fields = [];

  /** @param {Description['tables'][number]} table @param {Cell[]} cells */
  constructor(table, cells) {
    this.#table = table;
    this.#cells = cells;
    const { title } = table;
    const head = element('tr');
    for (const text of ['cell', ...COLUMNS]) {
      const field = element('th', '', text);
      field.scope = 'col';
      head.append(field);
    }
    const rows = cells.slice(0, ROWS_MAX).map((cell) => {
      const row = element('tr');
      const name = element('th', '', cell.label);
      name.scope = 'row';
      name.title = cell.key;
      const fields = COLUMNS.map(() => element('td'));
      this.#fields.push(fields);
      row.append(name, ...fields);
      return row;
    });
    const listed = element('table', 'numbers');
    const body = element('tbody');
    body.append(...rows);
    const header = element('thead');
    header.append(head);
    listed.append(header, body);
    const scroll = box('scroll', listed);
    scroll.tabIndex = 0;
    scroll.setAttribute('role', 'region');
    scroll.setAttribute('aria-label', title);
    const left = cells.length - rows.length;
    const details = element('details');
    details.open = cells.length <= OPEN_MAX;
    const more = left > 0 ? `; ${whole(left)} more are played but not listed` : '';
    details.append(element('summary', '', `Table of ${cells.length} cells${more}`), scroll);
    this.root = box('result', element('h3', '', title), this.#chart, details);
  }

  /** @param {CellState[]} states @param {number | null} here the cell at which the slider stands */
  update(states, here) {
    const points = this.#cells.map(({ at, x }) => {
      const { winPct, lo, hi } = states[at] ?? { winPct: null };
      return winPct === null ? null : { x: x ?? 0, y: winPct, lo, hi };
    });
    this.#chart.replaceChildren(...this.#draw(points, here));
    this.#fields.forEach((fields, row) => {
      const cell = this.#cells[row];
      const state = cell === undefined ? undefined : states[cell.at];
      if (state !== undefined) {
        texts(state).forEach((text, at) => {
          const field = fields[at];
          if (field !== undefined && field.textContent !== text) {
            field.textContent = text;
          }
        });
      }
    });
  }

  /** @param {(import('./chart.js').Point | null)[]} points @param {number | null} here */
  #draw(points, here) {
    const { title, axis } = this.#table;
    const label = `${title}: win rate in percent, with intervals`;
    if (points.every((point) => point === null)) {
      return [];
    }
    if (axis === null) {
      const rows = this.#cells.slice(0, DRAWN_MAX).map((cell, at) => ({ name: cell.label, point: points[at] ?? null }));
      return [intervals(label, rows)];
    }
    /** @type {Map<string, import('./chart.js').Point[]>} */
    const series = new Map();
    points.forEach((point, at) => {
      const name = this.#cells[at]?.series ?? '';
      if (point !== null) {
        series.set(name, [...(series.get(name) ?? []), point].sort((one, other) => one.x - other.x));
      }
    });
    const drawn = [...series].slice(0, COLOURS);
    const at = this.#cells[here ?? -1]?.x;
    const chart = curve({ label, xLabel: words(axis), series: drawn.map(([name, own]) => ({ name, points: own })), ...(typeof at === 'number' ? { at } : {}) });
    const legend = element('ul', 'legend');
    legend.append(...drawn.map(([name], number) => element('li', `colour-${number}`, name)));
    const rest = series.size - drawn.length;
    return [chart, ...(drawn.length > 1 ? [legend] : []), ...(rest > 0 ? [element('p', 'help', `${rest} more curves are in the table.`)] : [])];
  }
}

/** The fields of a row. @param {CellState} state */
function texts({ games, winPct, lo, hi, movesMean, done, error }) {
  const state = error !== null ? `failed: ${error}` : done ? 'done' : games > 0 ? 'playing' : 'waiting';
  const interval = lo === null || hi === null ? '' : `${percent(lo, hi)} to ${percent(hi, hi)}`;
  return [whole(games), winPct === null ? '' : percent(winPct, hi), interval, movesMean === null ? '' : movesMean.toFixed(2), state];
}

/** All tables of a run. */
export class Results {
  root = element('div', 'results');
  /** @type {Table[]} */
  #tables = [];
  /** @type {CellState[]} */
  #states = [];

  /** Begins a run: empty tables. @param {Description} description */
  begin({ tables, cells }) {
    this.#states = [];
    this.#tables = tables.map((table, number) => new Table(table, cells.map((cell, at) => ({ ...cell, at })).filter(({ table: of }) => of === number)));
    this.root.replaceChildren(...this.#tables.map((table) => table.root));
  }

  /** @param {CellState[] | null} states @param {number | null} here the cell at which the slider of the laboratory stands */
  update(states, here) {
    this.#states = states ?? this.#states;
    this.#tables.forEach((table) => table.update(this.#states, here));
  }

  /** The rate of a cell, in words. @param {number} at */
  at(at) {
    const state = this.#states[at];
    return state === undefined || state.winPct === null ? '' : `${percent(state.winPct, state.hi)} % won (${percent(state.lo ?? 0, state.hi)} to ${percent(state.hi ?? 0, state.hi)} %)`;
  }
}
