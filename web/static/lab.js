// The laboratory: one game, one parameter, one slider; its experiment is written as TOML.

import { find, words } from './dom.js';

const FIELDS = /** @type {const} */ (['game', 'parameter', 'player']);

export class Lab {
  #engine;
  #catalog;
  #changed;
  /** @type {HTMLInputElement} */
  #slider = find('#lab-value');

  /** `changed` gets the text of an experiment to play; `null` says that the slider moved. */
  constructor(
    /** @type {import('./engine.js').Lab} */ engine,
    /** @type {(text: string | null) => void} */ changed,
  ) {
    this.#engine = engine;
    /** @type {GameEntry[]} */
    const catalog = JSON.parse(engine.catalog());
    this.#catalog = catalog.filter((game) => game.sweeps.length > 0);
    this.#changed = changed;
    const titles = this.#catalog.map(({ name, title }) => new Option(title, name));
    this.#select('game').append(...titles);
    for (const field of FIELDS) {
      const all = () => this.show(new URLSearchParams(this.#chosen));
      const renew = () => this.#renew('', true);
      this.#select(field).addEventListener('change', field === 'game' ? all : renew);
    }
    this.#slider.addEventListener('input', () => this.#tell(null));
  }

  /** Shows what the address says; `plays` asks for its curve. @param {URLSearchParams} query */
  show(query, plays = true) {
    const wanted = query.get('game');
    const entry = this.#catalog.find(({ name }) => name === wanted) ?? this.#catalog[0];
    this.#select('game').value = entry?.name ?? '';
    const { sweeps = [], quick = [] } = entry ?? {};
    const names = { parameter: sweeps.map(({ name }) => name), player: quick };
    for (const [field, all] of Object.entries(names)) {
      const select = this.#select(field);
      select.replaceChildren(...all.map((name) => new Option(words(name), name)));
      select.value = all.find((name) => name === query.get(field)) ?? all[0] ?? '';
    }
    this.#renew(query.get('at') ?? '', plays);
  }

  /** What follows # in the address of this. */
  get link() {
    return `simulate?${new URLSearchParams({ ...this.#chosen, at: this.#values[this.at] ?? '' })}`;
  }

  /** The number of the value at which the slider stands, from 0. */
  get at() {
    return Number(this.#slider.value);
  }

  /** @param {string} field @returns {HTMLSelectElement} */
  #select(field) {
    return find(`#lab-${field}`);
  }

  /** @returns {Record<typeof FIELDS[number], string>} */
  get #chosen() {
    /** @param {string} field */
    const value = (field) => this.#select(field).value;
    return { game: value('game'), parameter: value('parameter'), player: value('player') };
  }

  get #values() {
    const { game, parameter } = this.#chosen;
    const entry = this.#catalog.find(({ name }) => name === game);
    return entry?.sweeps.find(({ name }) => name === parameter)?.values ?? [];
  }

  /** Shows the values, with the slider `at` one. @param {string} at @param {boolean} plays */
  #renew(at, plays) {
    const values = this.#values;
    const found = values.indexOf(at);
    this.#slider.max = String(values.length - 1);
    this.#slider.value = String(found < 0 ? Math.floor(values.length / 2) : found);
    const { game, parameter, player } = this.#chosen;
    const text = () => this.#engine.laboratory(game, parameter, player, values.join(' '));
    this.#tell(plays ? text() : undefined);
  }

  /** Names the value, and asks for what it changes. @param {string | null} [wanted] */
  #tell(wanted) {
    const value = this.#values[this.at] ?? '';
    const name = words(this.#chosen.parameter);
    find('.lab output').textContent = `${name} ${value}`;
    this.#slider.setAttribute('aria-valuetext', value);
    this.#slider.ariaLabel = name;
    if (wanted !== undefined) {
      this.#changed(wanted);
    }
  }
}
