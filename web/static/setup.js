// What is played: a game, its parameters, players and seed, as values, as the text of a cell, and
// as a form made from the catalogue.

import { element } from './board.js';

/** Parameters that have no use in a game that is watched move by move. */
const HIDDEN = ['lanes', 'method'];
/** Parameters whose values hold white space, which the text of a cell cannot. */
const OWN_LEVEL = ['start', 'goal', 'moves', 'buttons', 'portal'];
/** Players' parameters that need a clock, so that games could not be played again, or a file. */
const UNFIT = ['budget_ms', 'weights'];
/** What stands for the last player in a game's list that fits. */
export const ANY_PLAYER = 'the strongest that fits';
/** The largest board of this page. */
const SIDE_MAX = 16;

/** A parameter's name for people. */
const words = (name) => name.replaceAll('_', ' ');

/** The parameters of a game that the form shows. */
export function shownParams(game) {
  const hidden = game.levels === undefined ? HIDDEN : OWN_LEVEL;
  return game.params.filter((param) => !hidden.includes(param.name));
}

/** The name of a game for people, from its summary. */
export function gameTitle(game) {
  const title = game.summary.split(':')[0];
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Game, size and whatever differs from the defaults. */
export function setupTitle(game, setup) {
  const value = (name) => setup.params[name] ?? game.params.find((param) => param.name === name)?.default;
  const parts = [gameTitle(game)];
  if (game.params.some((param) => param.name === 'rows')) {
    parts.push(`${value('rows')}×${value('cols')}`);
  }
  if (game.levels !== undefined) {
    parts.push(`level ${setup.params.level ?? '1'}`);
  }
  for (const [name, text] of Object.entries(setup.params)) {
    if (!['rows', 'cols', 'level', 'start'].includes(name)) {
      parts.push(name === 'rules' ? text : `${words(name)} ${text}`);
    }
  }
  return parts.join(' · ');
}

/** A seed that differs from one moment to the next. */
export function newSeed() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000);
}

/** The setup of a game with its defaults. `players` are texts as cells write them; '' is any. */
export function defaultSetup(game) {
  return { game: game.name, params: {}, players: new Array(game.seats).fill(''), seat: 0, seed: newSeed(), index: '0' };
}

/** The text of a cell: the game, what differs from its defaults, and these players. */
export function cellText(setup, players = []) {
  const settings = Object.entries(setup.params).map(([name, value]) => `${name}=${value}`);
  const seats = players.map((player, seat) => `${['player', 'opponent'][seat]}=${player}`);
  return [setup.game, ...settings, ...seats].join(' ');
}

/** Reads the text of a cell. Fails with a message for people. */
export function readCellText(catalog, text) {
  const [name, ...words] = text.trim().split(/\s+/);
  const game = catalog.find((entry) => entry.name === name || entry.aliases.includes(name));
  if (game === undefined) {
    throw new Error(`${name}: no such game; accepted: ${catalog.map((entry) => entry.name).join(', ')}`);
  }
  const setup = defaultSetup(game);
  for (const word of words) {
    const at = word.indexOf('=');
    const key = word.slice(0, at);
    const value = word.slice(at + 1);
    if (at < 0) {
      throw new Error(`${word}: not a setting; write key=value`);
    }
    if (key === 'player') {
      setup.players[0] = value;
    } else if (key === 'opponent' && game.seats === 2) {
      setup.players[1] = value;
    } else if (key === 'size' && /^\d+x\d+$/.test(value)) {
      [setup.params.rows, setup.params.cols] = value.split('x');
    } else {
      setup.params[key] = value;
    }
  }
  return setup;
}

/**
 * The texts of cells to try for these players, the best first: a player that is not named is the
 * last in the game's list that can play by these parameters.
 */
export function candidates(game, setup) {
  if (setup.players.every((player) => player !== '')) {
    return [cellText(setup, setup.players)];
  }
  const names = game.players.map((player) => player.name).reverse();
  return names.map((name) => cellText(setup, setup.players.map((player) => player || name)));
}

/** The player of a seat in the text of a cell. */
export function playerOf(spec, seat) {
  const key = `${['player', 'opponent'][seat]}=`;
  return spec.split(' ').find((word) => word.startsWith(key))?.slice(key.length) ?? 'random';
}

/** What follows # in a link that opens a game after these moves. */
export function linkText(setup, moves) {
  const { seed, index, players, seat } = setup;
  const seats = players.map((player, place) => (player === '' ? '' : ` ${['player', 'opponent'][place]}=${player}`));
  const fields = { game: cellText(setup) + seats.join(''), seed, index, ...(seat === 0 ? {} : { seat }), moves: moves.join(',') };
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `play?${pairs.join('&')}`;
}

/** Setup and moves of a link. Fails with a message for people. */
export function readLink(catalog, query) {
  const setup = readCellText(catalog, query.get('game'));
  setup.seed = query.get('seed') ?? '0';
  setup.index = query.get('index') ?? '0';
  setup.seat = query.get('seat') === '1' && setup.players.length === 2 ? 1 : 0;
  // The names of moves of Offset have commas themselves.
  const moves = (query.get('moves') ?? '').match(/\d+,\d+-\d+,\d+|[^,]+/g) ?? [];
  return { setup, moves };
}

/** The command that plays the same game in a terminal. */
export function command(setup) {
  const quoted = (text) => (/^[\w.,+\-/=:]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const settings = Object.entries(setup.params).map(([name, value]) => ` --set ${name}=${quoted(value)}`);
  return `tilelab play ${setup.game}${settings.join('')} --seed ${setup.seed} --game ${setup.index}`;
}

let fields = 0;

/** A label with its field, and what the field means. */
function labelled(text, field, help = '') {
  fields += 1;
  const row = element('div', 'field');
  const label = element('label', '', text);
  field.id = `field-${fields}`;
  label.htmlFor = field.id;
  row.append(label, field);
  if (help !== '') {
    const note = element('p', 'help', help);
    note.id = `help-${fields}`;
    field.setAttribute('aria-describedby', note.id);
    row.append(note);
  }
  return row;
}

function choice(options, chosen) {
  const select = element('select');
  for (const [value, text] of options) {
    const option = element('option', '', text);
    option.value = value;
    option.selected = value === chosen;
    select.append(option);
  }
  return select;
}

/** The field of one parameter; an empty field means the default. */
function paramField(param, value) {
  if (param.kind === 'choice' || param.kind === 'bool') {
    const choices = param.kind === 'bool' ? ['true', 'false'] : param.choices;
    const options = choices.map((text) => [text, text]);
    return choice(param.default === null ? [['', 'unset'], ...options] : options, value ?? param.default ?? '');
  }
  const input = element('input');
  input.value = value ?? '';
  input.placeholder = param.default ?? 'unset';
  input.autocomplete = 'off';
  input.spellcheck = false;
  if (param.kind === 'int' || param.kind === 'float') {
    input.type = 'number';
    input.step = param.kind === 'int' ? '1' : 'any';
    const isSide = ['rows', 'cols'].includes(param.name);
    const max = isSide ? SIDE_MAX : param.max;
    if (param.min !== null) {
      input.min = String(param.min);
    }
    if (max !== null) {
      input.max = String(max);
    }
  }
  return input;
}

/** Fields for parameters, those that are rarely changed in a part that opens. */
class ParamFields {
  constructor(params, values, isOpen = () => true) {
    this.fields = params.map((param) => ({ param, field: paramField(param, values[param.name]) }));
    this.rows = [];
    this.more = [];
    for (const { param, field } of this.fields) {
      const row = labelled(words(param.name), field, param.help);
      (isOpen(param) ? this.rows : this.more).push(row);
    }
  }

  /** The values that differ from the defaults. */
  values() {
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
  constructor(game, title, text) {
    const name = text.split('(')[0];
    const inside = /\((.*)\)$/.exec(text)?.[1] ?? '';
    const pairs = inside.split(',').filter(Boolean).map((pair) => pair.split('=').map((part) => part.trim()));
    const values = Object.fromEntries(pairs);
    const options = [['', ANY_PLAYER], ...game.players.map((player) => [player.name, player.name])];
    this.game = game;
    this.select = choice(options, name);
    this.box = element('div', 'player-fields');
    this.params = null;
    this.root = element('div');
    this.row = labelled(title, this.select);
    this.root.append(this.row, this.box);
    this.select.addEventListener('change', () => this.#fill({}));
    this.#fill(values);
  }

  /** Names the field. */
  entitle(title) {
    this.row.querySelector('label').textContent = title;
  }

  /** The player as cells write it. */
  text() {
    const changed = Object.entries(this.params?.values() ?? {}).map(([name, value]) => `${name}=${value}`);
    return this.select.value + (changed.length > 0 ? `(${changed.join(',')})` : '');
  }

  #fill(values) {
    const player = this.game.players.find((entry) => entry.name === this.select.value);
    this.params = null;
    this.box.replaceChildren();
    if (player === undefined) {
      return;
    }
    this.box.append(element('p', 'help', player.summary));
    const params = player.params.filter((param) => !UNFIT.includes(param.name));
    if (params.length > 0) {
      this.params = new ParamFields(params, values);
      const part = element('details');
      part.append(element('summary', '', `parameters of ${player.name}`), ...this.params.rows);
      part.open = Object.keys(values).length > 0;
      this.box.append(part);
    }
  }
}

/** The fields in which a game is set up. */
class SetupFields {
  constructor(game, setup, { roles, asksSeat }) {
    this.game = game;
    this.setup = setup;
    this.root = element('div', 'setup');
    this.#rules();
    const titles = roles(game, setup.seat);
    this.players = titles.map((title, seat) => new PlayerFields(game, title, setup.players[seat] ?? ''));
    const who = element('fieldset');
    who.append(...this.players.map((player) => player.root));
    if (asksSeat && game.seats === 2) {
      this.seat = choice([['0', 'seat 0'], ['1', 'seat 1']], String(setup.seat));
      who.prepend(labelled('your seat', this.seat));
      this.seat.addEventListener('change', () => {
        roles(game, Number(this.seat.value)).forEach((title, seat) => this.players[seat].entitle(title));
      });
    }
    who.prepend(element('legend', '', game.seats === 2 ? 'Players' : 'Player'));
    this.seed = element('input');
    this.seed.value = setup.seed;
    this.index = element('input');
    this.index.value = setup.index;
    for (const field of [this.seed, this.index]) {
      field.inputMode = 'numeric';
      field.autocomplete = 'off';
    }
    const dealt = element('fieldset');
    const random = element('button', '', 'another seed');
    random.type = 'button';
    random.addEventListener('click', () => {
      this.seed.value = newSeed();
    });
    const numbers = element('div', 'fields');
    numbers.append(labelled('seed', this.seed), labelled('number of the game', this.index));
    dealt.append(element('legend', '', 'Which game'), numbers, random);
    dealt.append(element('p', 'help', 'The same seed and number give the same game, here and on the command line.'));
    this.root.append(who, dealt);
  }

  /** The setup as the fields say. */
  value() {
    return {
      game: this.game.name,
      params: this.#paramValues(),
      players: this.players.map((player) => player.text()),
      seat: this.seat === undefined ? 0 : Number(this.seat.value),
      seed: this.seed.value.trim() || '0',
      index: this.index.value.trim() || '0',
    };
  }

  #paramValues() {
    if (this.level === undefined) {
      return this.params.values();
    }
    return this.level.value === '1' ? {} : { level: this.level.value };
  }

  /** Empty fields show the values that a preset of the rules gives. */
  #followPreset(name) {
    const preset = this.game.presets.find((entry) => entry.name === name);
    for (const { param, field } of this.params.fields) {
      if (preset !== undefined && 'placeholder' in field) {
        field.placeholder = preset.params[param.name] || 'unset';
      }
    }
  }

  #rules() {
    const part = element('fieldset');
    part.append(element('legend', '', 'Rules'));
    if (this.game.levels !== undefined) {
      const options = this.game.levels.map((level) => [
        String(level.number),
        `${level.number}: from ${level.start} to ${level.goal} in ${level.moves} ${level.moves === 1 ? 'press' : 'presses'}`,
      ]);
      this.level = choice(options, this.setup.params.level ?? '1');
      part.append(labelled('level', this.level));
      this.root.append(part);
      return;
    }
    this.params = new ParamFields(shownParams(this.game), this.setup.params, (param) => param.main);
    const rules = this.params.fields.find(({ param }) => param.name === 'rules')?.field;
    rules?.addEventListener('change', () => this.#followPreset(rules.value));
    this.#followPreset(rules?.value);
    const grid = element('div', 'fields');
    grid.append(...this.params.rows);
    part.append(grid);
    if (this.params.more.length > 0) {
      const more = element('details');
      const inside = element('div', 'fields');
      inside.append(...this.params.more);
      more.append(element('summary', '', 'more parameters'), inside);
      part.append(more);
    }
    this.root.append(part);
  }
}

/**
 * A form in which a game is set up.
 *
 * `roles(game, seat)` are the titles of the players' fields, `action` is what stands on the button.
 * `check(value)` fails for a setup that cannot be played; `accepted(value)` gets one that can.
 */
export function setupForm(game, setup, { roles, asksSeat, action, check, accepted, cancelled }) {
  const form = element('form', 'setup-form');
  const inside = new SetupFields(game, setup, { roles, asksSeat });
  const problem = element('p', 'message bad');
  problem.setAttribute('role', 'alert');
  const start = element('button', 'main', action);
  start.type = 'submit';
  const cancel = element('button', '', 'Cancel');
  cancel.type = 'button';
  cancel.addEventListener('click', cancelled);
  const buttons = element('div', 'actions');
  buttons.append(start, cancel);
  form.append(inside.root, problem, buttons);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const value = inside.value();
    try {
      await check(value);
    } catch (error) {
      problem.textContent = error.message;
      return;
    }
    accepted(value);
  });
  return form;
}
