// Where a game was decided: the chance to win over its moves, as the strongest player sees it.

import { curve } from './chart.js';
import { box, button, element } from './dom.js';
import { candidates, cellText } from './setup.js';

/** From this loss of chance on, a move is called a mistake. */
const MISTAKE = 0.05;
/** The most mistakes that are listed. */
const LISTED_MAX = 3;

/** @typedef {{ name: string, best: string, chance: number, made: number }} Judged */

export class Review {
  #playFrom;

  /** @param {(moves: string[]) => void} playFrom plays on after these moves */
  constructor(playFrom) {
    this.#playFrom = playFrom;
  }

  /** What each move gave away. @param {GameEntry} entry @param {Played} played @param {import('./caller.js').Caller} thinker */
  async losses(entry, played, thinker) {
    const { judged } = await this.#judge(entry, played, thinker);
    return judged.map(({ chance, made }) => Math.max(0, chance - made));
  }

  /** Shows it in `host`. @param {HTMLElement} host @param {GameEntry} entry @param {Played} played @param {import('./caller.js').Caller} thinker */
  after = async (host, entry, played, thinker) => {
    host.replaceChildren(element('p', 'muted', 'Analysing the moves…'));
    const found = await this.#judge(entry, played, thinker).catch((error) => {
      host.replaceChildren(element('p', 'muted', error.message));
    });
    if (found === undefined) {
      return;
    }
    const { judged, player, moves } = found;
    const points = judged.map(({ chance }, at) => ({ x: at + 1, y: 100 * chance }));
    const mistakes = judged
      .map((move, at) => ({ ...move, at, loss: move.chance - move.made }))
      .filter(({ loss }) => loss >= MISTAKE)
      .sort((one, other) => other.loss - one.loss);
    const marks = mistakes.slice(0, LISTED_MAX).map(({ at }) => points[at]).filter((point) => point !== undefined);
    const chart = curve({ label: 'Win chance before each move, in percent', xLabel: 'move', series: [{ points }], marks, yMax: 100 });
    const list = mistakes.slice(0, LISTED_MAX).map(({ name, best, at, chance, made }) =>
      box(
        'mistake',
        `Move ${at + 1}: ${name} ${(100 * made).toFixed(0)} %, ${best} ${(100 * chance).toFixed(0)} %. `,
        button('Continue from here', () => this.#playFrom(played.moves.slice(0, at))),
      ),
    );
    const machine = moves === null ? '' : `${player} ${moves.isWon ? 'wins' : 'loses'} this deal in ${moves.count} moves. `;
    const told = mistakes.length === 0 ? 'No move cost 5 % or more.' : 'The most costly moves:';
    host.replaceChildren(chart, element('p', '', machine + told), ...list);
  };

  /** @param {GameEntry} entry @param {Played} played @param {import('./caller.js').Caller} thinker */
  async #judge(entry, { setup, moves }, thinker) {
    const { seed, index } = setup;
    const specs = candidates(entry, { ...setup, players: setup.players.map(() => '') });
    const spec = specs[await thinker.call('fitting', specs, seed, index)] ?? cellText(setup);
    /** @type {Judged[] | null} */
    const judged = await thinker.call('review', { spec, seed, index, moves });
    if (judged === null) {
      throw new Error('No player of this game estimates win chances.');
    }
    await thinker.call('open', { spec, seed, index, moves: [] }, false);
    const { view } = await thinker.call('run', 10_000, 60_000, false, false);
    const own = /** @type {View} */ (view);
    const player = /player=([\w-]+)/.exec(spec)?.[1] ?? '';
    return { judged, player, moves: own.outcome === null ? null : { count: own.moves, isWon: own.outcome.result === 'won' } };
  }
}
