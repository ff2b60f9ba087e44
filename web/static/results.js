// The tables of a run and the charts above them, drawn again while it plays.

import { COLOURS, curve, intervals } from './chart.js';
import { box, element } from './dom.js';
import { percent, whole } from './numbers.js';

/** Rows that are listed and drawn; an experiment may have thousands of cells. */
const ROWS_MAX = 500;
const DRAWN_MAX = 40;
/** Tables of more rows are closed at first. */
const OPEN_MAX = 24;
const COLUMNS = ['games', 'won %', 'interval %', 'mean moves', ''];

/** @typedef {Description['cells'][number] & { at: number }} Cell */

/** The number that a parameter's value stands for on an axis: 4 for 4x4. @param {string} value */
const numberOf = (value) => (/^-?[\d.]+(x\d+)?$/.test(value) ? Number.parseFloat(value) : null);

/** What tells a cell from the others of its table. @param {Cell} cell @param {string | null} [without] */
const labelOf = ({ parameters, key }, without = null) =>
  parameters.filter(([name]) => name !== without).map(([name, value]) => (numberOf(value) === null ? value : `${name.replaceAll('_', ' ')} ${value}`)).join(', ') || (without === null ? key : '');

/** The parameter that is an axis: numbers, and more of them than of any other. @param {Cell[]} cells */
function axisOf(cells) {
  /** @type {Map<string, Set<string>>} */
  const values = new Map();
  for (const [name, value] of cells.flatMap(({ parameters }) => parameters)) {
    values.set(name, (values.get(name) ?? new Set()).add(value));
  }
  const numeric = [...values].filter(([, found]) => found.size > 2 && [...found].every((value) => numberOf(value) !== null));
  numeric.sort(([, one], [, other]) => other.size - one.size);
  return numeric[0]?.[0] ?? null;
}

/** One table of an experiment. */
class Table {
  #chart = element('div', 'chart-host');
  #cells;
  #axis;
  #title;
  /** @type {HTMLTableCellElement[][]} */
  #fields = [];

  /** @param {string} title @param {Cell[]} cells */
  constructor(title, cells) {
    this.#title = title;
    this.#cells = cells;
    this.#axis = axisOf(cells);
    const head = element('tr');
    for (const text of ['cell', ...COLUMNS]) {
      const field = element('th', '', text);
      field.scope = 'col';
      head.append(field);
    }
    const rows = cells.slice(0, ROWS_MAX).map((cell) => {
      const row = element('tr');
      const name = element('th', '', labelOf(cell));
      name.scope = 'row';
      name.title = cell.key;
      const fields = COLUMNS.map(() => element('td'));
      this.#fields.push(fields);
      row.append(name, ...fields);
      return row;
    });
    const table = element('table', 'numbers');
    const body = element('tbody');
    body.append(...rows);
    const header = element('thead');
    header.append(head);
    table.append(header, body);
    const scroll = box('scroll', table);
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

  /** @param {CellState[]} states @param {string | null} here where the slider stands */
  update(states, here) {
    const points = this.#cells.map((cell) => {
      const { winPct, lo, hi } = states[cell.at] ?? { winPct: null };
      const value = cell.parameters.find(([name]) => name === this.#axis)?.[1] ?? '';
      return winPct === null ? null : { x: numberOf(value) ?? 0, y: winPct, lo, hi };
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

  /** @param {({ x: number, y: number, lo?: number | null, hi?: number | null } | null)[]} points @param {string | null} here */
  #draw(points, here) {
    const label = `${this.#title}: win rate in percent, with intervals`;
    if (points.every((point) => point === null)) {
      return [];
    }
    if (this.#axis === null) {
      const rows = this.#cells.slice(0, DRAWN_MAX).map((cell, at) => ({ name: labelOf(cell), point: points[at] ?? null }));
      return [intervals(label, rows)];
    }
    /** @type {Map<string, import('./chart.js').Point[]>} */
    const series = new Map();
    points.forEach((point, at) => {
      const cell = this.#cells[at];
      const name = cell === undefined ? '' : labelOf(cell, this.#axis);
      if (point !== null) {
        series.set(name, [...(series.get(name) ?? []), point].sort((one, other) => one.x - other.x));
      }
    });
    const drawn = [...series].slice(0, COLOURS);
    const at = here === null ? null : numberOf(here);
    const chart = curve({ label, xLabel: this.#axis.replaceAll('_', ' '), series: drawn.map(([name, own]) => ({ name, points: own })), ...(at === null ? {} : { at }) });
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
  /** @type {Description['cells']} */
  #cells = [];
  /** @type {CellState[]} */
  #states = [];

  /** Begins a run: empty tables. @param {Description} description */
  begin({ titles, cells }) {
    this.#cells = cells;
    this.#states = [];
    this.#tables = titles.map((title, number) => new Table(title, cells.map((cell, at) => ({ ...cell, at })).filter(({ table }) => table === number)));
    this.root.replaceChildren(...this.#tables.map((table) => table.root));
  }

  /** @param {CellState[] | null} states @param {string | null} here where the slider of the laboratory stands */
  update(states, here) {
    this.#states = states ?? this.#states;
    this.#tables.forEach((table) => table.update(this.#states, here));
  }

  /** The rate at this value of the parameter, in words. @param {string} here */
  at(here) {
    const place = this.#cells.findIndex(({ parameters }) => parameters.some(([, value]) => value === here));
    const state = this.#states[place];
    return state === undefined || state.winPct === null ? '' : `${percent(state.winPct, state.hi)} % won (${percent(state.lo ?? 0, state.hi)} to ${percent(state.hi ?? 0, state.hi)} %)`;
  }
}
