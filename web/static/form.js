// The form in which a game is set up, made from the catalogue.

import { box, button, choice, element, labelled } from './dom.js';
import { ANY_PLAYER, newSeed, words } from './setup.js';

/** Parameters that have no use in a game that is played move by move. */
const HIDDEN = ['lanes', 'method'];
/** Players' parameters that need a clock, so that games could not be played again, or a file. */
const UNFIT = ['budget_ms', 'weights'];
/** The largest board of this page. */
const SIDE_MAX = 16;

/** The field of one parameter; an empty field means the default. @param {Param} param @param {string | undefined} value */
function paramField(param, value) {
  if (param.kind === 'choice' || param.kind === 'bool') {
    const options = (param.choices ?? ['true', 'false']).map((text) => [text]);
    return choice(param.default === null ? [['', 'unset'], ...options] : options, value ?? param.default ?? '');
  }
  const input = element('input');
  input.value = value ?? '';
  input.placeholder = param.default ?? 'unset';
  input.autocomplete = 'off';
  input.spellcheck = false;
  if (param.kind !== 'text') {
    input.type = 'number';
    input.step = param.kind === 'int' ? '1' : 'any';
    const max = ['rows', 'cols'].includes(param.name) ? SIDE_MAX : param.max;
    input.min = param.min === null || param.min === undefined ? '' : String(param.min);
    input.max = max === null || max === undefined ? '' : String(max);
  }
  return input;
}

/** Fields for parameters. */
class ParamFields {
  /** @param {Param[]} params @param {Record<string, string>} values */
  constructor(params, values) {
    this.fields = params.map((param) => {
      const field = paramField(param, values[param.name]);
      return { param, field, row: labelled(words(param.name), field, param.help) };
    });
  }

  /** The values that differ from the defaults. */
  values() {
    /** @type {Record<string, string>} */
    const changed = {};
    for (const { param, field } of this.fields) {
      const value = field.value.trim();
      if (value !== '' && value !== param.default) {
        changed[param.name] = value;
      }
    }
    return changed;
  }
}

/** A choice of a player and its parameters. */
class PlayerFields {
  root = element('div');
  #box = element('div', 'player-fields');
  /** @type {ParamFields | null} */
  #params = null;
  #game;
  #select;
  #row;

  /** @param {GameEntry} game @param {string} title @param {string} text */
  constructor(game, title, text) {
    const [name = ''] = text.split('(');
    const inside = /\((.*)\)$/.exec(text)?.[1] ?? '';
    const pairs = inside.split(',').filter(Boolean).map((pair) => pair.split('=').map((part) => part.trim()));
    this.#game = game;
    this.#select = choice([['', ANY_PLAYER], ...game.players.map((player) => [player.name])], name);
    this.#row = labelled(title, this.#select);
    this.root.append(this.#row, this.#box);
    this.#select.addEventListener('change', () => this.#fill({}));
    this.#fill(Object.fromEntries(pairs));
  }

  /** Names the field. @param {string} title */
  entitle(title) {
    const label = this.#row.querySelector('label');
    if (label !== null) {
      label.textContent = title;
    }
  }

  /** The player as cells write it. */
  text() {
    const changed = Object.entries(this.#params?.values() ?? {}).map(([name, value]) => `${name}=${value}`);
    return this.#select.value + (changed.length > 0 ? `(${changed.join(',')})` : '');
  }

  /** @param {Record<string, string>} values */
  #fill(values) {
    const player = this.#game.players.find((entry) => entry.name === this.#select.value);
    this.#params = null;
    this.#box.replaceChildren();
    if (player === undefined) {
      return;
    }
    this.#box.append(element('p', 'help', player.summary));
    const params = player.params.filter((param) => !UNFIT.includes(param.name));
    if (params.length > 0) {
      this.#params = new ParamFields(params, values);
      const part = element('details');
      part.append(element('summary', '', `parameters of ${player.name}`), ...this.#params.fields.map(({ row }) => row));
      part.open = Object.keys(values).length > 0;
      this.#box.append(part);
    }
  }
}

/** @param {string} title @param {Node[]} content */
function group(title, ...content) {
  const made = element('fieldset');
  made.append(element('legend', '', title), ...content);
  return made;
}

/** The fields of the rules: their values, and what shows them. @param {GameEntry} game @param {Setup} setup */
function rulesFields(game, setup) {
  if (game.levels !== undefined) {
    const texts = game.levels.map(({ number, start, goal, moves }) => [
      String(number),
      `${number}: from ${start} to ${goal} in ${moves} ${moves === 1 ? 'press' : 'presses'}`,
    ]);
    const level = choice(texts, setup.params.level ?? '1');
    /** @returns {Record<string, string>} */
    const values = () => (level.value === '1' ? {} : { level: level.value });
    return { root: group('Rules', labelled('level', level)), values };
  }
  const fields = new ParamFields(game.params.filter((param) => !HIDDEN.includes(param.name)), setup.params);
  const { fields: all } = fields;
  const rules = all.find(({ param }) => param.name === 'rules')?.field;
  const followPreset = () => {
    // Empty fields show the values that a preset of the rules gives.
    const preset = game.presets.find((entry) => entry.name === rules?.value);
    for (const { param, field } of all) {
      if (preset !== undefined && field instanceof HTMLInputElement) {
        field.placeholder = preset.params[param.name] || 'unset';
      }
    }
  };
  rules?.addEventListener('change', followPreset);
  followPreset();
  const more = element('details');
  const rows = (/** @type {boolean} */ isMain) => all.filter(({ param }) => param.main === isMain).map(({ row }) => row);
  more.append(element('summary', '', 'more parameters'), box('fields', ...rows(false)));
  more.hidden = rows(false).length === 0;
  return { root: group('Rules', box('fields', ...rows(true)), more), values: () => fields.values() };
}

/**
 * A form in which a game is set up.
 *
 * `roles` are the titles of the players' fields, `action` is what stands on the button. `check`
 * fails for a setup that cannot be played; `accepted` gets one that can.
 * @param {GameEntry} game
 * @param {Setup} setup
 * @param {{ roles: (seat: number) => string[], asksSeat: boolean, action: string, check: (value: Setup) => Promise<unknown>, accepted: (value: Setup) => void, cancelled: () => void }} options
 */
export function setupForm(game, setup, { roles, asksSeat, action, check, accepted, cancelled }) {
  const rules = rulesFields(game, setup);
  const players = roles(setup.seat).map((title, seat) => new PlayerFields(game, title, setup.players[seat] ?? ''));
  const seat = choice([['0', 'first'], ['1', 'second']], String(setup.seat));
  seat.addEventListener('change', () => roles(Number(seat.value)).forEach((title, at) => players[at]?.entitle(title)));
  const who = group(game.seats === 2 ? 'Players' : 'Player');
  if (asksSeat && game.seats === 2) {
    who.append(labelled('you move', seat));
  }
  who.append(...players.map((player) => player.root));
  const numbers = [setup.seed, setup.index].map((value) => {
    const field = element('input');
    field.value = value;
    field.inputMode = 'numeric';
    field.autocomplete = 'off';
    return field;
  });
  const [seed, index] = /** @type {[HTMLInputElement, HTMLInputElement]} */ (numbers);
  const dealt = group(
    'Which game',
    box('fields', labelled('seed', seed), labelled('game number', index)),
    button('new seed', () => {
      seed.value = newSeed();
    }),
    element('p', 'help', 'The same seed and number give the same game, here and on the command line.'),
  );
  const problem = element('p', 'message bad');
  problem.setAttribute('role', 'alert');
  const start = element('button', 'main', action);
  start.type = 'submit';
  const form = element('form', 'setup-form');
  form.append(box('setup', rules.root, who, dealt), problem, box('actions', start, button('Cancel', cancelled)));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    /** @type {Setup} */
    const value = {
      game: game.name,
      params: rules.values(),
      players: players.map((player) => player.text()),
      seat: Number(seat.value),
      seed: seed.value.trim() || '0',
      index: index.value.trim() || '0',
    };
    try {
      await check(value);
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : String(error);
      return;
    }
    accepted(value);
  });
  return form;
}
