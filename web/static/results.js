// The tables of a run and the charts above them, shown again while it plays.

import { box, count, drawing, element } from './dom.js';

/** Rows that are listed; an experiment may have thousands of cells. */
const ROWS_MAX = 500;
/** Tables of more rows are closed at first. */
const OPEN_MAX = 24;

/** All tables of a run. */
export class Results {
  /** @type {HTMLElement[]} */
  #charts = [];
  /** Cells and their fields in a table. @type {{ cell: number, fields: HTMLElement[] }[]} */
  #rows = [];

  /** Begins a run: empty tables. @param {HTMLElement} host @param {Description} description */
  begin(host, { tables, fields }) {
    this.#rows = [];
    this.#charts = tables.map(() => box('chart-host'));
    const shown = tables.map(({ title, rows }, at) => {
      const scroll = box('scroll', this.#table(rows, fields));
      Object.assign(scroll, { tabIndex: 0, role: 'region', ariaLabel: title });
      const left = rows.length - ROWS_MAX;
      const more = left > 0 ? `; ${left} more are played but not listed` : '';
      const summary = element('summary', '', `Table of ${count(rows.length, 'cell')}${more}`);
      const details = element('details', '', summary, scroll);
      details.open = rows.length <= OPEN_MAX;
      return box('result', element('h3', '', title), this.#charts[at] ?? '', details);
    });
    host.replaceChildren(...shown);
  }

  /** @param {Description['tables'][number]['rows']} rows @param {string[]} columns */
  #table(rows, columns) {
    /** @param {string} text @param {string} scope */
    const head = (text, scope) => Object.assign(element('th', '', text), { scope });
    const names = ['cell', ...columns].map((text) => head(text, 'col'));
    const listed = rows.slice(0, ROWS_MAX).map(({ cell, key, label }) => {
      const name = Object.assign(head(label, 'row'), { title: key });
      const fields = columns.map(() => element('td'));
      this.#rows.push({ cell, fields });
      return element('tr', '', name, ...fields);
    });
    const body = element('tbody', '', ...listed);
    return element('table', 'numbers', element('thead', '', element('tr', '', ...names)), body);
  }

  /** @param {Progress} progress */
  update({ cells, charts }) {
    charts.forEach((chart, at) => {
      this.#charts[at]?.replaceChildren(...(chart === null ? [] : [drawing(chart)]));
    });
    for (const { cell, fields } of this.#rows) {
      fields.forEach((field, at) => (field.textContent = cells[cell]?.[at] ?? ''));
    }
  }
}
