// The frame that Play, Watch and the replay share: title, facts, message, board, and a side.

import { box, element, FactList } from './dom.js';

/** How long a position stays before it becomes the address, in milliseconds. */
const ADDRESS_MS = 200;
/** Columns from which a board gets the whole width. */
const WIDE_COLS = 16;

export class Stage {
  main = element('div', 'main');
  side = element('div', 'side');
  boardHost = element('div', 'board-host');
  title = element('h2', 'title');
  goal = element('p', 'goal');
  facts = new FactList();
  #message = element('p', 'message');

  constructor(className = '') {
    this.#message.setAttribute('role', 'status');
    this.main.append(box('head', this.title, this.goal), this.facts.root, this.#message, this.boardHost);
    this.root = box(`stage ${className}`, this.main, this.side);
  }

  /** Says something above the board. @param {string} text @param {'' | 'good' | 'bad'} mood */
  say(text, mood = '') {
    this.#message.textContent = text;
    this.#message.className = `message ${mood}`;
  }

  get said() {
    return this.#message.textContent ?? '';
  }

  /** Gives the board its part of the width. @param {CellData[][]} cells */
  fit(cells) {
    const cols = cells[0]?.length ?? 0;
    this.root.style.setProperty('--ratio', String(cols / Math.max(cells.length, 1)));
    this.root.classList.toggle('wide', cols > WIDE_COLS);
  }
}

/**
 * The list of games to choose from.
 * @param {GameEntry[]} catalog
 * @param {(game: GameEntry) => string} titleOf
 * @param {(name: string) => void} chosen
 */
export function gameList(catalog, titleOf, chosen) {
  const root = element('div', 'games');
  root.setAttribute('role', 'group');
  root.setAttribute('aria-label', 'Game');
  const buttons = catalog.map((game) => {
    const made = element('button', 'choice', titleOf(game));
    made.type = 'button';
    made.addEventListener('click', () => chosen(game.name));
    return /** @type {const} */ ([game.name, made]);
  });
  root.append(...buttons.map(([, made]) => made));
  /** @param {string} name */
  const select = (name) => buttons.forEach(([known, made]) => made.setAttribute('aria-pressed', String(known === name)));
  return { root, select };
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let addressTimer;

/** Makes this the address of what is shown; not at once, as browsers limit how often that may be. @param {string} hash */
export function showAddress(hash) {
  const part = hash.split('?')[0] ?? '';
  const before = location.hash;
  const shown = before.slice(1).split('?')[0];
  clearTimeout(addressTimer);
  addressTimer = setTimeout(() => {
    // A link that was opened in the meantime stays.
    if (location.hash === before && (shown === part || (shown === '' && part === 'play'))) {
      history.replaceState(null, '', `#${hash}`);
    }
  }, ADDRESS_MS);
}

/** What happened, for people who do not see the board. @param {View} view @param {(name: string) => string} factName */
export function described(view, factName) {
  if (view.last === null) {
    return '';
  }
  const isDisplay = view.cells.length === 1 && view.cells[0]?.length === 1;
  const cells = view.cells.flatMap((row, y) => row.map((cell, x) => ({ cell, place: isDisplay ? '' : ` in row ${y + 1} column ${x + 1}` })));
  /** @param {(cell: CellData) => boolean} isListed */
  const list = (isListed) => {
    const found = cells.filter(({ cell }) => isListed(cell));
    const told = found.slice(0, 8).map(({ cell, place }) => (cell === 0 ? '' : cell[0] + place));
    return told.join(', ') + (found.length > 8 ? ` and ${found.length - 8} more` : '');
  };
  /** @param {string} mark */
  const marked = (mark) => list((cell) => cell !== 0 && cell[2] === mark);
  const told = isDisplay ? [['shows', list((cell) => cell !== 0)]] : [['made', marked('made')], ['new', marked('dealt')]];
  const parts = [view.last, ...told.filter(([, text]) => text !== '').map((pair) => pair.join(' '))];
  return `${parts.join('; ')}. ${view.facts.map(([name, value]) => `${factName(name)} ${value}`).join(', ')}.`;
}
