// What is played: a game, its parameters, players and seed, as values, as the text of a cell, and
// as a link.

/** What stands for the last player in a game's list that fits. */
export const ANY_PLAYER = 'strongest suitable player';

/** A seed that differs from one moment to the next. */
export const newSeed = () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) % 1_000_000;

/** Game, settings and these players. @param {Setup} setup @param {string[]} players */
export function cellText({ game, params }, players = []) {
  const settings = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const [own = '', opponent = ''] = players;
  const seats = [own && `player=${own}`, opponent && `opponent=${opponent}`];
  return [game, ...settings, ...seats.filter(Boolean)].join(' ');
}

/** The address after # of a game after these moves. @param {string} part @param {Played} played */
export function linkText(part, { setup, moves }) {
  const { seed, index, players, seat, daily = '' } = setup;
  const fields = Object.entries({
    game: cellText(setup, players),
    seed,
    index,
    seat: seat === 0 ? '' : String(seat),
    moves: moves.join(','),
    daily,
  });
  const given = fields.filter(([name, value]) => value !== '' || name === 'moves');
  const pairs = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${part}?${pairs.join('&')}`;
}

/** The game of a link; fails with a message for people. @param {URLSearchParams} query */
export function readLink(query, /** @type {(text: string) => string} of the engine */ readCell) {
  /** @type {Setup} */
  const setup = JSON.parse(readCell(query.get('game') ?? ''));
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

/** What tells a game from others. @param {Setup} setup */
export const gameKey = (setup) =>
  JSON.stringify([cellText(setup, setup.players), setup.seed, setup.index, setup.seat]);
