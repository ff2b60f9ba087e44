// The form in which a game is set up, made from the catalog.

import { box, button, choice, element, labelled, reason, words } from './dom.js';
import { ANY_PLAYER, newSeed } from './setup.js';

/** The field of a parameter; an empty one means the default. @param {Param} param */
function paramField(param, value = param.default ?? '') {
  const { kind, choices = ['true', 'false'] } = param;
  if (kind === 'choice' || kind === 'bool') {
    const unset = param.default === null ? [['', 'unset']] : [];
    return choice([...unset, ...choices.map((text) => [text])], value);
  }
  const input = textField(value === param.default ? '' : value);
  input.placeholder = param.default ?? 'unset';
  if (kind !== 'text') {
    const [min, max] = [param.min, param.max].map((bound) => bound ?? '');
    Object.assign(input, { type: 'number', step: kind === 'int' ? '1' : 'any', min, max });
  }
  return input;
}

/** @param {string} value */
function textField(value) {
  const input = element('input');
  return Object.assign(input, { value, autocomplete: 'off', spellcheck: false });
}

/** Fields for parameters. @param {Param[]} params @param {Record<string, string>} values */
function paramFields(params, values) {
  const fields = params.map((param) => {
    const field = paramField(param, values[param.name]);
    return { param, field, row: labelled(words(param.name), field, param.help) };
  });
  /** The values that differ from the defaults. @returns {Record<string, string>} */
  const changed = () => {
    const all = fields.map(({ param, field }) => ({ param, value: field.value.trim() }));
    const given = all.filter(({ param, value }) => value !== '' && value !== param.default);
    return Object.fromEntries(given.map(({ param, value }) => [param.name, value]));
  };
  return { fields, changed };
}

/** A choice of a player. @param {GameEntry} game @param {string} title */
function playerField(game, title, text = '') {
  const names = new Set(['', ...game.players.map(({ name }) => name), text]);
  const select = choice([...names].map((name) => [name, name || ANY_PLAYER]), text);
  const about = element('p', 'help');
  const tell = () => {
    const name = select.value.split('(')[0];
    about.textContent = game.players.find((player) => player.name === name)?.summary ?? '';
  };
  select.addEventListener('change', tell);
  tell();
  const row = labelled(title, select);
  /** @param {string} name */
  const entitle = (name) => row.querySelector('label')?.replaceChildren(name);
  return { root: box('', row, about), select, entitle };
}

/** @param {string} title @param {Node[]} content */
const group = (title, ...content) =>
  element('fieldset', '', element('legend', '', title), ...content);

/** The fields of the rules. @param {GameEntry} game @param {Setup} setup */
function rulesFields(game, setup) {
  if (game.levels !== undefined) {
    const levels = game.levels.map(({ number, start, goal, moves }) => [
      String(number),
      `${number}: from ${start} to ${goal} in ${moves} ${moves === 1 ? 'press' : 'presses'}`,
    ]);
    const level = choice(levels, setup.params.level ?? '1');
    /** @returns {Record<string, string>} */
    const changed = () => (level.value === '1' ? {} : { level: level.value });
    return { root: group('Rules', labelled('level', level)), changed };
  }
  const { fields, changed } = paramFields(game.params, setup.params);
  const rules = fields.find(({ param }) => param.name === 'rules')?.field;
  const followPreset = () => {
    // Empty fields show the values that a preset of the rules gives.
    const preset = game.presets.find((entry) => entry.name === rules?.value);
    for (const { param, field } of fields) {
      if (preset !== undefined && field instanceof HTMLInputElement) {
        field.placeholder = preset.params[param.name] || 'unset';
      }
    }
  };
  rules?.addEventListener('change', followPreset);
  followPreset();
  /** @param {boolean} isMain */
  const rows = (isMain) =>
    fields.filter(({ param }) => param.main === isMain).map(({ row }) => row);
  const summary = element('summary', '', 'more parameters');
  const more = element('details', '', summary, box('fields', ...rows(false)));
  more.hidden = rows(false).length === 0;
  return { root: group('Rules', box('fields', ...rows(true)), more), changed };
}

/** Sets up a game. @param {GameEntry} game @param {Setup} setup @param {FormOptions} options */
export function setupForm(game, setup, { roles, asksSeat, check, accepted, cancelled }) {
  const rules = rulesFields(game, setup);
  const players = roles(setup.seat).map((title, at) => playerField(game, title, setup.players[at]));
  const seat = choice([['0', 'first'], ['1', 'second']], String(setup.seat));
  seat.addEventListener('change', () =>
    roles(Number(seat.value)).forEach((title, at) => players[at]?.entitle(title)),
  );
  const seats = asksSeat && game.seats === 2 ? [labelled('you move', seat)] : [];
  const who = group('Players', ...seats, ...players.map(({ root }) => root));
  const seed = textField(setup.seed);
  const index = textField(setup.index);
  const renew = () => (seed.value = String(newSeed()));
  const dealt = group(
    'Which game',
    box('fields', labelled('seed', seed), labelled('game number', index)),
    button('new seed', renew),
    element('p', 'help', 'The same seed and number give the same game, also on the command line.'),
  );
  const problem = element('p', 'message bad');
  problem.role = 'alert';
  const start = element('button', 'main', 'Start');
  start.type = 'submit';
  const fields = box('setup', rules.root, who, dealt);
  const actions = box('actions', start, button('Cancel', cancelled));
  const form = element('form', 'setup-form', fields, problem, actions);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    /** @type {Setup} */
    const value = {
      game: game.name,
      params: rules.changed(),
      players: players.map(({ select }) => select.value),
      seat: Number(seat.value),
      seed: seed.value.trim() || '0',
      index: index.value.trim() || '0',
    };
    try {
      await check(value);
      accepted(value);
    } catch (error) {
      problem.textContent = reason(error);
    }
  });
  return form;
}
