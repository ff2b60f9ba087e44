// The laboratory: one game, one parameter, one slider; its experiment is written as TOML.

import { choice, element, labelled } from './dom.js';
import { gameTitle, words } from './setup.js';

const GAMES = 20_000;

export class Lab {
  root = element('div', 'lab');
  #catalog;
  #changed;
  #slider = element('input');
  #told = element('output');
  #host = element('div', 'fields');
  #game;
  #param = element('select');
  #player = element('select');

  /**
   * `changed` is called with the text of an experiment when another one is to be played, and with
   * `null` when the slider moves.
   * @param {GameEntry[]} catalog
   * @param {(text: string | null) => void} changed
   */
  constructor(catalog, changed) {
    this.#catalog = catalog.filter((game) => game.sweeps.length > 0);
    this.#changed = changed;
    this.#game = choice(this.#catalog.map((game) => [game.name, gameTitle(game)]), '');
    Object.assign(this.#slider, { type: 'range', min: '0' });
    this.#slider.addEventListener('input', () => {
      this.#tell();
      this.#changed(null);
    });
    this.#game.addEventListener('change', () => this.#fill({}));
    this.#param.addEventListener('change', () => this.#renew());
    this.#player.addEventListener('change', () => this.#renew());
    const slider = element('label', 'speed');
    slider.append(this.#told, this.#slider);
    this.#host.append(labelled('game', this.#game), labelled('parameter', this.#param), labelled('player', this.#player));
    this.root.append(this.#host, slider);
  }

  /** Shows what a query of the address says; `plays` asks for the experiment. @param {URLSearchParams} query @param {boolean} plays */
  show(query, plays = true) {
    this.#game.value = query.get('game') ?? this.#catalog[0]?.name ?? '';
    this.#fill({ param: query.get('parameter'), player: query.get('player'), at: query.get('at') }, plays);
  }

  /** What follows # in the address of this. */
  get link() {
    return `simulate?${new URLSearchParams({ game: this.#game.value, parameter: this.#param.value, player: this.#player.value, at: this.#value })}`;
  }

  /** The number of the value at which the slider stands, from 0. */
  get at() {
    return Number(this.#slider.value);
  }

  get #value() {
    return this.#sweep.values[this.at] ?? '';
  }

  get #entry() {
    return /** @type {GameEntry} */ (this.#catalog.find(({ name }) => name === this.#game.value) ?? this.#catalog[0]);
  }

  get #sweep() {
    const found = this.#entry.sweeps.find(({ name }) => name === this.#param.value) ?? this.#entry.sweeps[0];
    return /** @type {{ name: string, values: string[] }} */ (found);
  }

  /** @param {{ param?: string | null, player?: string | null, at?: string | null }} wanted */
  #fill({ param, player, at }, plays = true) {
    const { sweeps, quick } = this.#entry;
    this.#param.replaceChildren(...sweeps.map(({ name }) => new Option(words(name), name)));
    this.#player.replaceChildren(...quick.map((name) => new Option(name)));
    this.#param.value = sweeps.find(({ name }) => name === param)?.name ?? sweeps[0]?.name ?? '';
    this.#player.value = quick.find((name) => name === player) ?? quick[0] ?? '';
    this.#renew(at ?? null, plays);
  }

  /** @param {string | null} at */
  #renew(at = null, plays = true) {
    const { values } = this.#sweep;
    const found = at === null ? -1 : values.indexOf(at);
    this.#slider.max = String(values.length - 1);
    this.#slider.value = String(found < 0 ? Math.floor(values.length / 2) : found);
    this.#tell();
    if (plays) {
      this.#changed(this.#text());
    }
  }

  #tell() {
    this.#told.textContent = `${words(this.#param.value)} ${this.#value}`;
    this.#slider.setAttribute('aria-valuetext', this.#value);
    this.#slider.setAttribute('aria-label', words(this.#param.value));
  }

  #text() {
    const { name, values } = this.#sweep;
    const listed = values.map((value) => (/^[\d.]+$/.test(value) ? value : `"${value}"`)).join(', ');
    return [
      `name = "laboratory"`,
      'seed = 67',
      `games = ${GAMES}`,
      '',
      '[[table]]',
      `title = "${gameTitle(this.#entry)} by ${words(name)}"`,
      `game = "${this.#entry.name}"`,
      `player = "${this.#player.value}"`,
      `${name} = [${listed}]`,
      '',
    ].join('\n');
  }
}
