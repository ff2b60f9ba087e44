// The game of the day: the same for everybody, with a streak that this browser keeps.

import { read, write } from './store.js';

/** The person's date some days ago, as 2026-11-23. @param {number} ago */
function dateOf(ago) {
  const date = new Date();
  date.setDate(date.getDate() - ago);
  // As Swedes write it.
  return date.toLocaleDateString('sv');
}

/** The setup of today's game. @param {GameEntry} game @returns {Setup} */
export function dailySetup({ daily: setup }) {
  const daily = dateOf(0);
  return { ...setup, seed: daily.replaceAll('-', ''), daily };
}

/** Keeps the first result of today's game. @param {string} date @param {Result} result */
export function keepResult(date, result) {
  /** @type {Record<string, { result: Result }>} */
  const days = read('daily', {});
  if (date === dateOf(0) && days[date] === undefined) {
    write('daily', { ...days, [date]: { result } });
  }
}

/** Days in a row that were won, up to today or, where today's game was not played, yesterday. */
export function streak() {
  /** @type {Record<string, { result: Result }>} */
  const days = read('daily', {});
  const first = days[dateOf(0)] === undefined ? 1 : 0;
  let length = 0;
  while (days[dateOf(first + length)]?.result === 'won') {
    length += 1;
  }
  return length;
}
