// What a player thinks of its moves: one named scale, the best move marked, differences as they are.

import { element } from './dom.js';

/** @type {Record<Scale, string>} */
const NAMES = {
  chance: 'Win chance',
  margin: 'Points ahead at the end of its search',
  points: 'Points still to come',
  own: 'Its own evaluation: only differences are meaningful',
};

/** A number of points, without more digits than it needs. @param {number} value */
function points(value) {
  const digits = Math.abs(value) < 100 && !Number.isInteger(value) ? 1 : 0;
  return Math.abs(value).toLocaleString('en', { maximumFractionDigits: digits });
}

/** @param {number} value */
const signed = (value) => `${value < 0 ? '−' : '+'}${points(value)}`;

/** A chance in percent; close to another one, with the digits that tell them apart. @param {number} value @param {number} [other] */
function chance(value, other) {
  const digits = other !== undefined && value !== other && Math.abs(value - other) < 0.002 ? 2 : 1;
  return `${(100 * value).toFixed(digits)} %`;
}

/** The value of a move in words. @param {Values} values @param {MoveValue} move */
export function valueText({ scale, moves }, { value, decided }) {
  const best = moves[0]?.value ?? null;
  if (value === null || best === null) {
    return 'not evaluated';
  }
  if (decided !== null) {
    return decided === 'won' ? 'wins' : 'loses';
  }
  switch (scale) {
    case 'chance':
      return chance(value, value === best ? (moves[1]?.value ?? undefined) : best);
    case 'margin':
      return signed(value);
    case 'points':
      return value === best ? points(value) : signed(value - best);
    default:
      return value === best ? 'best' : `${value - best === 0 ? '±' : ''}${signed(value - best)}`;
  }
}

/** Where the bar of a value begins and how long it is, in percent. @param {Values} values @param {number} value */
function bar({ scale, moves }, value) {
  const sizes = moves.map((move) => (move.decided === null ? Math.abs(move.value ?? 0) : 0));
  const most = Math.max(...sizes, Number.MIN_VALUE);
  if (scale === 'chance') {
    return { left: 0, width: 100 * value };
  }
  if (scale === 'margin') {
    const width = Math.min(50, (50 * Math.abs(value)) / most);
    return { left: value < 0 ? 50 - width : 50, width };
  }
  return { left: 0, width: Math.max(0, (100 * value) / most) };
}

/** What a player thinks of each move, as bars. */
export class Bars {
  root = element('div', 'thoughts');
  #note = element('p', 'help');
  #list = element('ul', 'bars');
  #title = element('h3');

  constructor() {
    this.root.append(this.#title, this.#note, this.#list);
  }

  /** Says why there are no values. @param {string} note */
  clear(note) {
    this.#title.textContent = 'Evaluation of each move';
    this.#note.textContent = note;
    this.#list.hidden = true;
  }

  /** @param {Values} values @param {string[]} all the moves to list in this order; none: the best ones first */
  show(values, all) {
    const isLong = all.length === 0 && values.count > values.moves.length;
    this.#title.textContent = NAMES[values.scale];
    this.#note.textContent = isLong ? `The best ${values.moves.length} of ${values.count} legal moves; the first is marked on the board.` : '';
    this.#list.hidden = false;
    const known = (/** @type {string} */ name) => values.moves.find((move) => move.name === name) ?? null;
    const rows = all.length > 0 ? all.map((name) => ({ name, move: known(name) })) : values.moves.map((move) => ({ name: move.name, move }));
    this.#list.classList.toggle('is-signed', values.scale === 'margin');
    this.#list.replaceChildren(
      ...rows.map(({ name, move }) => {
        const row = element('li', move !== null && move === values.moves[0] ? 'best' : '');
        const track = element('span', 'bar');
        const fill = element('span', 'fill');
        const { left, width } = move === null || move.value === null ? { left: 0, width: 0 } : bar(values, move.value);
        fill.style.left = `${left}%`;
        fill.style.width = `${width}%`;
        track.append(fill);
        row.append(element('span', 'bar-name', name), track, element('span', 'bar-value', move === null ? 'not legal' : valueText(values, move)));
        return row;
      }),
    );
  }
}

/** A hint in words: what the move makes, what it is worth, and the next best. @param {Hint} hint @param {(name: string) => string} label @param {string} player */
export function hintText(hint, label, player) {
  if (hint.kind === 'unsolvable') {
    return 'Hint: the goal cannot be reached from here; undo a move.';
  }
  const parts = [`Hint: ${label(hint.name)}`];
  if (hint.wins) {
    parts.push('wins at once');
  } else if (hint.makes.length > 0 && hint.path === null) {
    parts.push(`makes ${hint.makes.slice(0, 3).join(' and ')}`);
  }
  const { kind, moves, values } = hint;
  if (kind === 'solution') {
    parts.push(`${moves} ${moves === 1 ? 'press' : 'presses'} to the goal`);
  } else if (values !== null && !hint.wins) {
    const own = values.moves.find(({ name }) => name === hint.name);
    const other = values.moves.find(({ name, value }) => name !== hint.name && value !== null);
    if (own !== undefined && values.scale !== 'own') {
      const units = { chance: 'win chance', margin: 'points ahead', points: 'points to come' };
      const next = other === undefined ? '' : `, next best ${label(other.name)} ${valueText(values, other)}`;
      parts.push(`${units[values.scale]} ${valueText(values, own)}${next}`);
    }
  }
  return `${parts.join(' · ')} (${player})`;
}
