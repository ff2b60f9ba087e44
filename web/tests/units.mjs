// What the page computes without a browser: `node web/tests/units.mjs`.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareText } from '../static/daily.js';
import { duration, fit, percent, scaled, whole } from '../static/numbers.js';
import { candidates, cellText, isSameGame, linkText, playerOf, readCellText, readLink, setupTitle } from '../static/setup.js';
import { valueText } from '../static/values.js';

const param = (name, value) => ({ name, kind: 'int', default: value, main: true, help: '' });
const CATALOG = [
  { name: 'sixty-seven', aliases: ['67'], summary: '67!: make 67', seats: 1, params: [param('rows', '6'), param('cols', '7')], players: [{ name: 'random' }, { name: 'planner' }], lessons: [] },
  { name: 'offset', aliases: [], summary: 'Offset: piles', seats: 2, params: [], players: [{ name: 'greedy' }], lessons: [] },
];

test('numbers fit on tiles', () => {
  for (const [text, width, expected] of [
    ['67', 3, '67'],
    ['131072', 4, '^17'],
    ['123456789', 5, '123e6'],
    ['-123456', 5, '-12e4'],
    ['1'.repeat(200), 3, '###'],
    ['Reverse', 4, 'Rev…'],
  ]) {
    assert.equal(fit(text, width), expected);
  }
});

test('numbers, rates and times are readable', () => {
  assert.deepEqual([whole(1234567), scaled(1234567), scaled(12), percent(0.12345, 0.2), percent(12.345, 13)], ['1\u202f234\u202f567', '1.23 M', '12.0', '0.1235', '12.35']);
  assert.deepEqual([duration(59.4), duration(61), duration(7300)], ['59 s', '1 min 1 s', '2 h 1 min']);
});

test('a link opens the game that it was made from', () => {
  for (const [text, moves] of [
    ['sixty-seven rules=gapless player=monte-carlo(playouts=8)', ['left', 'up']],
    ['offset side=8 opponent=greedy', ['1,2-3,4', '5,6-7,8']],
  ]) {
    const setup = { ...readCellText(CATALOG, text), seed: '12345678901234567890', index: '3' };
    const [, query] = linkText('play', { setup, moves }).split('?');
    const read = readLink(CATALOG, new URLSearchParams(query));
    assert.deepEqual(read, { setup, moves });
    assert.ok(isSameGame(read.setup, setup));
  }
});

test('texts of cells are read, and wrong ones say why', () => {
  const setup = readCellText(CATALOG, '67 size=3x4 digits=67');
  assert.deepEqual(setup.params, { rows: '3', cols: '4', digits: '67' });
  assert.equal(cellText(setup, ['planner']), 'sixty-seven rows=3 cols=4 digits=67 player=planner');
  assert.equal(setupTitle(CATALOG[0], setup), '67! · 3×4 · digits 67');
  assert.deepEqual(candidates(CATALOG[0], setup).map((spec) => playerOf(spec, 0)), ['planner', 'random']);
  assert.throws(() => readCellText(CATALOG, 'sixty-six'), /sixty-six: no such game; accepted: sixty-seven, offset/);
  assert.throws(() => readCellText(CATALOG, 'offset d'), /d: not a setting; write key=value/);
});

test('values have one scale, and differences are told as what they are', () => {
  const values = (scale, ...all) => ({ scale, count: all.length, moves: all.map((value) => ({ name: 'a', path: null, value, decided: null })) });
  const texts = (shown) => shown.moves.map((move) => valueText(shown, move));
  assert.deepEqual(texts(values('chance', 0.7426, 0.7412, 0.1)), ['74.26 %', '74.12 %', '10.0 %']);
  assert.deepEqual(texts(values('own', 1_608_000, 1_606_760, null)), ['best', '−1,240', 'not evaluated']);
  assert.deepEqual(texts(values('points', 12_000, 11_950)), ['12,000', '−50']);
  assert.deepEqual(texts(values('margin', 2.5, -3)), ['+2.5', '−3']);
});

test('a result is shared in squares', () => {
  const text = shareText('2026-11-23', 'won', 41, [0, 0.01, 0.05, 0.3], 'https://example.org/#play?daily');
  assert.equal(text, '67! 2026-11-23: won in 41 moves\n🟩🟩🟨🟥\nhttps://example.org/#play?daily');
});
