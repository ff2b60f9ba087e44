// What is played: a game, its parameters, players and seed, as values, as the text of a cell, and
// as a link.

/** What stands for the last player in a game's list that fits. */
export const ANY_PLAYER = 'strongest suitable player';
/** The keys of the players in the text of a cell. */
const SEATS = ['player', 'opponent'];

/** A parameter's name for people. @param {string} name */
export const words = (name) => name.replaceAll('_', ' ');

/** The name of a game for people, from its summary. @param {GameEntry} game */
export function gameTitle(game) {
  const title = game.summary.split(':')[0] ?? game.name;
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** Game, size and whatever differs from the defaults. @param {GameEntry} game @param {Setup} setup */
export function setupTitle(game, setup) {
  if (setup.daily !== undefined) {
    return `Daily ${gameTitle(game)} of ${setup.daily}`;
  }
  const parts = [gameTitle(game)];
  if (setup.lesson !== undefined) {
    return `${parts[0]} · step ${setup.lesson + 1} of ${game.lessons.length}`;
  }
  /** @param {string} name */
  const value = (name) => setup.params[name] ?? game.params.find((param) => param.name === name)?.default;
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
export const newSeed = () => String((crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 1_000_000);

/** The setup that people begin with. @param {GameEntry} game @returns {Setup} */
export function defaultSetup(game) {
  return { ...readCellText([game], `${game.name} ${game.opening}`), seed: newSeed() };
}

/** The setup of a lesson. @param {GameEntry} game @param {number} lesson @returns {Setup | null} */
export function lessonSetup(game, lesson) {
  const found = game.lessons[lesson];
  return found === undefined ? null : { ...readCellText([game], found.cell), seed: found.seed, lesson };
}

/** The text of a cell: the game, what differs from its defaults, and these players. @param {Setup} setup @param {string[]} players */
export function cellText(setup, players = []) {
  const settings = Object.entries(setup.params).map(([name, value]) => `${name}=${value}`);
  const seats = players.map((player, seat) => (player === '' ? '' : `${SEATS[seat]}=${player}`));
  return [setup.game, ...settings, ...seats.filter(Boolean)].join(' ');
}

/** Reads the text of a cell. Fails with a message for people. @param {GameEntry[]} catalog @param {string} text @returns {Setup} */
export function readCellText(catalog, text) {
  const [name = '', ...settings] = text.trim().split(/\s+/);
  const game = catalog.find((entry) => entry.name === name || entry.aliases.includes(name));
  if (game === undefined) {
    throw new Error(`${name}: no such game; accepted: ${catalog.map((entry) => entry.name).join(', ')}`);
  }
  /** @type {Setup} */
  const setup = { game: game.name, params: {}, players: Array.from({ length: game.seats }, () => ''), seat: 0, seed: '0', index: '0' };
  for (const word of settings) {
    const at = word.indexOf('=');
    const key = word.slice(0, at);
    const value = word.slice(at + 1);
    const seat = SEATS.indexOf(key);
    const size = /^(\d+)x(\d+)$/.exec(value);
    if (at < 0) {
      throw new Error(`${word}: not a setting; write key=value`);
    }
    if (seat >= 0 && seat < game.seats) {
      setup.players[seat] = value;
    } else if (key === 'size' && size !== null) {
      setup.params.rows = size[1] ?? '';
      setup.params.cols = size[2] ?? '';
    } else {
      setup.params[key] = value;
    }
  }
  return setup;
}

/**
 * The texts of cells to try for these players, the best first: a player that is not named is the
 * last in the game's list that can play by these parameters.
 * @param {GameEntry} game
 * @param {Setup} setup
 */
export function candidates(game, setup) {
  if (setup.players.every((player) => player !== '')) {
    return [cellText(setup, setup.players)];
  }
  const names = game.players.map((player) => player.name).reverse();
  return names.map((name) => cellText(setup, setup.players.map((player) => player || name)));
}

/** The player of a seat in the text of a cell. @param {string} spec @param {number} seat */
export function playerOf(spec, seat) {
  const key = `${SEATS[seat]}=`;
  return spec.split(' ').find((word) => word.startsWith(key))?.slice(key.length) ?? 'random';
}

/** The address after # of a game after these moves. @param {string} part @param {Played} played */
export function linkText(part, { setup, moves }) {
  const { seed, index, players, seat, daily } = setup;
  const fields = { game: cellText(setup, players), seed, index, ...(seat === 0 ? {} : { seat: String(seat) }), moves: moves.join(','), ...(daily === undefined ? {} : { daily }) };
  return `${part}?${Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`;
}

/** The game of a link. Fails with a message for people. @param {GameEntry[]} catalog @param {URLSearchParams} query @returns {Played} */
export function readLink(catalog, query) {
  const setup = readCellText(catalog, query.get('game') ?? '');
  setup.seed = query.get('seed') ?? '0';
  setup.index = query.get('index') ?? '0';
  setup.seat = query.get('seat') === '1' && setup.players.length === 2 ? 1 : 0;
  const daily = query.get('daily');
  if (daily !== null) {
    setup.daily = daily;
  }
  // The names of moves of Offset have commas themselves.
  return { setup, moves: (query.get('moves') ?? '').match(/\d+,\d+-\d+,\d+|[^,]+/g) ?? [] };
}

/** Whether two setups are the same game. @param {Setup} one @param {Setup} other */
export const isSameGame = (one, other) =>
  cellText(one, one.players) === cellText(other, other.players) && one.seed === other.seed && one.index === other.index && one.seat === other.seat;

/** The command that plays the same game in a terminal. @param {Setup} setup */
export function command(setup) {
  /** @param {string} text */
  const quoted = (text) => (/^[\w.,+\-/=:]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  const settings = Object.entries(setup.params).map(([name, value]) => ` --set ${name}=${quoted(value)}`);
  return `tilelab play ${setup.game}${settings.join('')} --seed ${setup.seed} --game ${setup.index}`;
}
