// The game of the day: the same for everybody, with a streak that this browser keeps.

import { read, write } from './store.js';

/** The person's date some days ago, as 2026-11-23: as Swedes write it. @param {number} ago */
function dateOf(ago) {
  const date = new Date();
  date.setDate(date.getDate() - ago);
  return date.toLocaleDateString('sv');
}

/** Days whose game was begun on the day, with how it ended. @returns {Record<string, Ended>} */
const known = () => read('daily', {});

/** The setup of a day's game; of today's for another text. @param {GameEntry} game @returns {Setup} */
export function dailySetup({ daily: setup }, date = '') {
  const daily = /^20\d\d-\d\d-\d\d$/.test(date) && date < dateOf(0) ? date : dateOf(0);
  return { ...setup, seed: daily.replaceAll('-', ''), daily };
}

/** Keeps that today's game was begun: it may end tomorrow. @param {string} [date] */
export function begin(date = '') {
  if (date === dateOf(0)) {
    write('daily', { [date]: {}, ...known() });
  }
}

/** The result that counts, the first of a game begun on its day. @param {string} date */
export function keepResult(date, /** @type {Ended} */ ended) {
  const days = known();
  if (days[date] !== undefined && days[date].result === undefined) {
    write('daily', { ...days, [date]: ended });
  }
  return { ...ended, ...known()[date] };
}

/** Days in a row that were won, up to today or, where today's game was not played, yesterday. */
export function streak() {
  const days = known();
  const first = days[dateOf(0)]?.result === undefined ? 1 : 0;
  let length = 0;
  while (days[dateOf(first + length)]?.result === 'won') {
    length += 1;
  }
  return length;
}
