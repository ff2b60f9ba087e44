// The game of the day: the same for everybody, with a streak that this browser keeps.

import { readCellText } from './setup.js';
import { read, write } from './store.js';

/** Small enough to be won by a person in a few minutes. */
const CELL = 'sixty-seven rules=merge-runs size=6x6';
const DAY_MS = 86_400_000;

/** The date of a time as 2026-11-23. @param {number} time */
function dateOf(time) {
  const date = new Date(time);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** @param {string} date */
export const isToday = (date) => date === dateOf(Date.now());

/** The setup of today's game. @param {GameEntry} game @returns {Setup} */
export function dailySetup(game) {
  const daily = dateOf(Date.now());
  return { ...readCellText([game], CELL), seed: daily.replaceAll('-', ''), daily };
}

/** Remembers the first result of a day. @param {string} date @param {Result} result @param {number} moves */
export function keepResult(date, result, moves) {
  /** @type {Record<string, { result: Result, moves: number }>} */
  const days = read('daily', {});
  if (isToday(date) && days[date] === undefined) {
    write('daily', { ...days, [date]: { result, moves } });
  }
}

/** Days in a row that were won, up to today. */
export function streak() {
  /** @type {Record<string, { result: Result }>} */
  const days = read('daily', {});
  let length = 0;
  while (days[dateOf(Date.now() - length * DAY_MS)]?.result === 'won') {
    length += 1;
  }
  return length;
}

/**
 * A result to send to others: a square for each part of the game, by the chance that its moves gave
 * away.
 * @param {string} date @param {Result} result @param {number} moves @param {number[]} losses @param {string} link
 */
export function shareText(date, result, moves, losses, link) {
  const parts = Math.min(losses.length, 10);
  const squares = Array.from({ length: parts }, (_, part) => {
    const own = losses.slice(Math.floor((part * losses.length) / parts), Math.floor(((part + 1) * losses.length) / parts));
    const most = Math.max(0, ...own);
    return most < 0.02 ? '🟩' : most < 0.1 ? '🟨' : '🟥';
  });
  const told = result === 'won' ? `won in ${moves} moves` : `lost after ${moves} moves`;
  return [`67! ${date}: ${told}`, squares.join(''), link].filter(Boolean).join('\n');
}
