// Thinks for Play and Watch: one game at a time, away from the page's thread.
//
// Messages are { id, call, args }, answers { id, result } or { id, error }.

import { engineFor } from './engine.js';

/** The game that is held: what it is, its object, and the names of its moves. */
let held = null;

const isSameGame = (one, other) => one.spec === other.spec && one.seed === other.seed && one.index === other.index;

async function open(game) {
  const { Game } = await engineFor(game.spec);
  held?.game.free();
  held = null;
  held = { spec: game.spec, seed: game.seed, index: game.index, game: new Game(game.spec, game.seed, game.index), moves: [] };
}

/**
 * Holds this game after these moves. Moves are taken back and made from where the held game
 * stands. `rival` is the seat of a player that draws random numbers: it is asked for each of its
 * moves, so that its stream is where it would be in the command line's game.
 */
async function hold(game, rival = null) {
  if (held === null || !isSameGame(held, game)) {
    await open(game);
  }
  let common = 0;
  while (common < Math.min(held.moves.length, game.moves.length) && held.moves[common] === game.moves[common]) {
    common += 1;
  }
  while (held.moves.length > common) {
    // The streams of a game for two go on when a move is taken back, so it is played again.
    if (rival !== null || !held.game.undo()) {
      await open(game);
      break;
    }
    held.moves.pop();
  }
  for (const name of game.moves.slice(held.moves.length)) {
    if (rival !== null && JSON.parse(held.game.view()).seat === rival) {
      held.game.choose();
    }
    held.game.playName(name);
    held.moves.push(name);
  }
}

/** What the player thinks of the legal moves; `null` where it does not say. */
function values(game, view) {
  return view.outcome === null ? JSON.parse(game.evaluate()) : null;
}

/** The position for Watch, with what the player thinks of it. */
function position(wantsValues) {
  const view = JSON.parse(held.game.view());
  return { view, values: wantsValues ? values(held.game, view) : null };
}

const CALLS = {
  /** The number of the first of these cells that can be played. */
  async fitting({ specs, seed, index }) {
    const { Game } = await engineFor(specs.join(' '));
    let problem = null;
    for (const [number, spec] of specs.entries()) {
      try {
        new Game(spec, seed, index).free();
        return number;
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  },

  /** A hint: `kind`, `move` (a number among the legal moves) and `moves`. */
  async hint({ game, rival }) {
    await hold(game, rival);
    return JSON.parse(held.game.hint());
  },

  /** The name of the move that the player of the seat to move chooses; the held game makes it. */
  async choose({ game, rival }) {
    await hold(game, rival);
    const chosen = held.game.choose();
    const name = JSON.parse(held.game.view()).legal[chosen];
    held.game.play(chosen);
    held.moves.push(name);
    return name;
  },

  /** Opens a game to watch. */
  async open({ game, wantsValues }) {
    await open(game);
    const { view, values: thoughts } = position(wantsValues);
    return { view, values: thoughts, rules: held.game.rules(), goal: held.game.goal(), key: held.game.key() };
  },

  /** Lets the players move: up to `moves` moves, and no more once `milliseconds` have passed. */
  async run({ moves, milliseconds, wantsValues }) {
    const begun = performance.now();
    let made = 0;
    while (made < moves && (made === 0 || performance.now() - begun < milliseconds) && held.game.run(1) === 1) {
      made += 1;
    }
    return { made, ...position(wantsValues) };
  },

  /** Takes the last move back. */
  async undo({ wantsValues }) {
    const undone = held.game.undo();
    return { undone, ...position(wantsValues) };
  },
};

let queue = Promise.resolve();

self.addEventListener('message', ({ data: { id, call, args } }) => {
  // One call after another: they share the held game.
  queue = queue.then(async () => {
    try {
      self.postMessage({ id, result: await CALLS[call](args) });
    } catch (error) {
      held = null;
      self.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
    }
  });
});
