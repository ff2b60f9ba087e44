// Thinks for Play and Watch: one game at a time, away from the page's thread.

import { engine, withNetworks } from './engine.js';
import { serve } from './serve.js';

/** @type {{ text: GameText, game: import('./engine_play.js').Game } | null} */
let held = null;

/** The names of the moves made in the held game. @returns {string[]} */
const made = () => (held === null ? [] : JSON.parse(held.game.moves()));

/** @param {string} spec @param {string} seed @param {string} index */
async function newGame(spec, seed, index) {
  const exports = await engine('play');
  return withNetworks(exports, () => new exports.Game(spec, seed, index));
}

/** @param {GameText} text */
async function open(text) {
  held?.game.free();
  held = null;
  held = { text, game: await newGame(text.spec, text.seed, text.index) };
  return held.game;
}

/**
 * Holds this game after these moves. Moves are taken back and made from where the held game
 * stands. `rival` is the seat of a player that draws random numbers: it is asked for each of its
 * moves, so that its stream is where it would be in the command line's game.
 * @param {GameText} text
 * @param {number | null} rival
 */
async function hold(text, rival = null) {
  const isSame = held !== null && ['spec', 'seed', 'index'].every((key) => held?.text[/** @type {'spec'} */ (key)] === text[/** @type {'spec'} */ (key)]);
  let game = held !== null && isSame ? held.game : await open(text);
  const before = made();
  const different = before.findIndex((name, at) => name !== text.moves[at]);
  for (let left = before.length - (different < 0 ? before.length : different); left > 0; left -= 1) {
    // The streams of a game for two go on when a move is taken back, so it is played again.
    if (rival !== null || !game.undo()) {
      game = await open(text);
      break;
    }
  }
  for (const name of text.moves.slice(made().length)) {
    if (rival !== null && JSON.parse(game.view()).seat === rival) {
      game.choose();
    }
    game.playName(name);
  }
  return game;
}

/** The position for Watch, with what the player thinks of it. @param {boolean} wantsValues */
function position(wantsValues) {
  const game = /** @type {NonNullable<typeof held>} */ (held).game;
  /** @type {View} */
  const view = JSON.parse(game.view());
  /** @type {Values | null} */
  const values = wantsValues && view.outcome === null ? JSON.parse(game.evaluate()) : null;
  return { view, values, moves: made() };
}

const CALLS = {
  /** The number of the first of these cells that can be played. @param {string[]} specs @param {string} seed @param {string} index */
  async fitting(specs, seed, index) {
    let problem = null;
    for (const [number, spec] of specs.entries()) {
      try {
        (await newGame(spec, seed, index)).free();
        return number;
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  },

  /** @param {GameText} text @param {number | null} rival @returns {Promise<Hint>} */
  async hint(text, rival) {
    return JSON.parse((await hold(text, rival)).hint());
  },

  /** The name of the move that the player of the seat to move chooses. @param {GameText} text @param {number | null} rival */
  async choose(text, rival) {
    const game = await hold(text, rival);
    const name = game.choose();
    game.playName(name);
    return name;
  },

  /** Opens a game to watch, after its moves. @param {GameText} text @param {boolean} wantsValues */
  async open(text, wantsValues) {
    held?.game.free();
    held = null;
    const game = await hold(text);
    return { ...position(wantsValues), rules: game.rules(), goal: game.goal() };
  },

  /**
   * Lets the players move: up to `moves` moves, and no more once `milliseconds` have passed.
   * @param {number} moves @param {number} milliseconds @param {boolean} wantsValues @param {boolean} solves
   */
  run(moves, milliseconds, wantsValues, solves) {
    const begun = performance.now();
    let count = 0;
    while (count < moves && (count === 0 || performance.now() - begun < milliseconds) && held?.game.run(1, solves) === 1) {
      count += 1;
    }
    return { made: count, ...position(wantsValues) };
  },

  /** Takes the last move back. @param {boolean} wantsValues */
  undo(wantsValues) {
    const undone = held?.game.undo() ?? false;
    return { undone, ...position(wantsValues) };
  },

  /**
   * What the player thinks of every position up to the end of these moves: its value of the best
   * move and of the one that was made.
   * @param {GameText} text
   */
  async review(text) {
    const game = await open({ ...text, moves: [] });
    /** @type {{ name: string, best: string, chance: number, made: number }[]} */
    const found = [];
    for (const name of text.moves) {
      /** @type {Values | null} */
      const values = JSON.parse(game.evaluate());
      const best = values?.moves[0];
      if (values === null || values.scale !== 'chance' || best === undefined) {
        return null;
      }
      const own = values.moves.find((move) => move.name === name);
      found.push({ name, best: best.name, chance: best.value ?? 0, made: own?.value ?? 0 });
      game.playName(name);
    }
    return found;
  },
};

serve(CALLS, () => {
  held = null;
});
