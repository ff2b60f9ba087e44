// What the page's engine answers, without a browser: `node --test web/tests/units.mjs`.
//
// It needs web/dist (web/build).

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { gameKey, linkText, readLink } from '../static/setup.js';

const dist = process.env.DIST ?? fileURLToPath(new URL('../dist', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'tilelab-units-'));
let engine;
let lab;

/** The engine of this name. */
async function load(name) {
  const version = readdirSync(dist).find((one) => /^[0-9a-f]{12}$/.test(one));
  const module = path.join(folder, `${name}.mjs`);
  writeFileSync(module, readFileSync(path.join(dist, version, `engine_${name}.js`)));
  const loaded = await import(pathToFileURL(module).href);
  const [file] = readdirSync(path.join(dist, 'engine')).filter((one) => one.endsWith(`-${name}.wasm.gz`));
  const bytes = gunzipSync(readFileSync(path.join(dist, 'engine', file)));
  await loaded.default({ module_or_path: await WebAssembly.compile(bytes) });
  return loaded;
}

before(async () => {
  [engine, lab] = [await load('play'), await load('lab')];
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Makes something, with the networks that it needs. */
function withNetworks(make) {
  for (;;) {
    try {
      return make();
    } catch (error) {
      const missing = JSON.parse(engine.missingNetworks());
      assert.notEqual(missing.length, 0, error);
      for (const name of missing) {
        const file = readdirSync(path.join(dist, 'networks')).find((one) => one.endsWith(`-${name.replaceAll('+', '_')}`));
        engine.provideNetwork(name, readFileSync(path.join(dist, 'networks', file)));
      }
    }
  }
}

const thinker = (cell, rival) => withNetworks(() => new engine.Thinker(cell, '5', '0', rival));

test('a link opens the game that it was made from', () => {
  for (const [text, moves] of [
    ['sixty-seven rules=gapless player=monte-carlo(playouts=8)', ['left', 'up']],
    ['offset side=8 opponent=greedy', ['1,2-3,4', '5,6-7,8']],
  ]) {
    const setup = { ...JSON.parse(engine.readCell(text)), seed: '12345678901234567890', index: '3' };
    const [, query] = linkText('play', { setup, moves }).split('?');
    const read = readLink(new URLSearchParams(query), engine.readCell);
    assert.deepEqual(read, { setup, moves });
    assert.equal(gameKey(read.setup), gameKey(setup));
  }
});

test('texts of cells are read, and wrong ones say why', () => {
  const setup = JSON.parse(engine.readCell('67 size=3x4 digits=67'));
  assert.deepEqual(setup.params, { rows: '3', cols: '4', digits: '67' });
  const game = new engine.Game('sixty-seven rows=3 cols=4 digits=67 target=67', '1', '2');
  assert.equal(game.title(), '67! · 3×4 · digits 67');
  assert.equal(game.command(), 'tilelab play sixty-seven --set rows=3 --set cols=4 --set digits=67 --set target=67 --seed 1 --game 2');
  assert.throws(() => engine.readCell('sixty-six'), /sixty-six: unknown game; accepted: sixty-seven, /);
  assert.throws(() => engine.readCell('offset d'), /d: not a setting; write key=value/);
});

test('a player that is not named is the strongest that fits', () => {
  assert.match(JSON.parse(thinker('sixty-seven').players())[0], /^planner\b/);
  assert.deepEqual(JSON.parse(thinker('sixty-seven rows=5 cols=5 player=greedy').players()), ['greedy']);
  assert.equal(JSON.parse(thinker('offset side=8 opponent=greedy', 1).players())[1], 'greedy');
});

test('chances that differ are told apart, and differences are told as what they are', () => {
  const greedy = thinker('sixty-seven player=greedy');
  const moves = [];
  let close = 0;
  for (let turn = 0; turn < 60; turn += 1) {
    const { made, values } = JSON.parse(greedy.run(JSON.stringify(moves), 1, 0, false, true));
    moves.push(...made);
    const rows = values?.rows.filter(({ text }) => text !== 'not legal') ?? [];
    for (const one of rows) {
      assert.match(one.text, /^\d+\.\d{1,2} %$/);
      assert.ok(Math.abs(one.width - Number.parseFloat(one.text)) < 0.06);
      const best = rows.find(({ isBest }) => isBest);
      close += one.text.split('.')[1].length === 4 && one !== best ? 1 : 0;
      assert.ok(one === best || one.width === best.width || one.text !== best.text || best.width - one.width < 0.01);
    }
  }
  assert.ok(close > 0, 'there were chances close to each other');
  const expectimax = JSON.parse(thinker('twenty-forty-eight player=expectimax').run('[]', 0, 0, false, true));
  const texts = expectimax.values.rows.map(({ text }) => text).filter((text) => text !== 'not legal');
  assert.equal(texts.filter((text) => text === 'best').length, 1);
  assert.ok(texts.every((text) => /^(best|[−±+]\d[\d,.]*)$/.test(text)), texts.join(' '));
});

test('a game is judged, and shared in squares', () => {
  const judge = thinker('sixty-seven rules=merge-runs size=4x4');
  const { made } = JSON.parse(judge.run('[]', 1000, 60_000, false, false));
  const review = JSON.parse(judge.review(JSON.stringify(made)));
  assert.equal(review.moves, made.length, 'the planner plays its own game again');
  assert.match(review.squares, /^[🟩🟨🟥]{1,10}$/u);
  assert.match(review.chart, /^<svg [^]*<polyline [^]*<\/svg>$/);
  const random = JSON.parse(thinker('sixty-seven rules=merge-runs size=4x4 player=random').run('[]', 1000, 60_000, false, false));
  const { mistakes } = JSON.parse(judge.review(JSON.stringify(random.made)));
  assert.ok(mistakes.length > 0, 'a random game has mistakes');
  assert.match(mistakes[0].text, /^Move \d+: \w+ \d+ %, \w+ \d+ %\.$/);
});

test('a game that is taken back beyond what a session keeps is played again', () => {
  const game = new engine.Game('twenty-forty-eight rows=8 cols=8', '1', '0');
  const views = [game.view()];
  for (let made = 0; made < 1100; made += 1) {
    game.playName(JSON.parse(game.view()).legal[made % 2] ?? JSON.parse(game.view()).legal[0]);
    views.push(game.view());
  }
  for (let left = 1099; left >= 0; left -= 1) {
    assert.ok(game.undo());
  }
  assert.equal(game.undo(), false);
  assert.deepEqual(JSON.parse(game.view()).cells.flat().filter(Boolean).map(([text]) => text), JSON.parse(views[0]).cells.flat().filter(Boolean).map(([text]) => text));
});

test('a record opens the game that it was made from', () => {
  const game = new engine.Game('offset side=8 d=5', '7', '3');
  const name = JSON.parse(game.targets(...JSON.parse(game.view()).sources[0]))[0][2];
  game.playName(name);
  const record = game.record('["minimax","greedy"]', 0);
  const { setup, moves } = JSON.parse(engine.readRecord(record));
  assert.deepEqual([setup.game, setup.players, setup.seed, setup.index, moves], ['offset', ['', 'greedy'], '7', '3', [name]]);
  for (const [text, expected] of [
    ['', /holds no record of a game/],
    ['{"round": 1', /line 1: not a JSON object/],
    ['{"round":1,"board":[["1"]],"legal":["up"],"move":"left","outcome":null}', /line 1: a record begins with a header/],
    [record.replaceAll('offset', 'onset'), /line 1: game: .*onset/],
  ]) {
    assert.throws(() => engine.readRecord(text), expected);
  }
});

/** The charts of an experiment that was played to its end, and the rates of its cells: value, lower and upper end. */
function simulated(text, games, seed) {
  const simulation = new lab.Simulation(text, games, seed);
  const batches = new lab.Batches(text, games, seed);
  for (let played = ''; ;) {
    const batch = simulation.exchange(played, true);
    if (batch === 'false') {
      break;
    }
    played = batches.play(batch);
  }
  const { cells, charts } = JSON.parse(simulation.progress(1));
  const rates = cells.map(([, won, interval]) => [Number(won), ...interval.split(' to ').map(Number)]);
  const picture = simulation.picture('https://example.org/#simulate?at=1');
  batches.free();
  simulation.free();
  return { charts, rates, picture };
}

const attributes = (tag) => Object.fromEntries([...tag.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
const elements = (svg, name) => [...svg.matchAll(new RegExp(`<${name} ([^>]*)>([^<]*)`, 'g'))].map(([, tag, text]) => ({ ...attributes(tag), text }));

/** Reads a chart back: where marks and bands are, by its own ticks. */
function checkChart(svg, rates, what) {
  const ticks = elements(svg, 'text').filter((one) => one.class === 'tick' && one.text.endsWith('%'));
  const isUpright = ticks[0]['text-anchor'] === 'end';
  const placed = ticks.map((one) => [Number.parseFloat(one.text), isUpright ? Number(one.y) - 4 : Number(one.x)]);
  const [[low, from], [high, to]] = [placed[0], placed.at(-1)];
  const at = (value) => from + ((value - low) / (high - low)) * (to - from);
  // Percents have two digits here.
  const slack = 0.15 + Math.abs(to - from) * 0.006 / (high - low);
  const dots = elements(svg, 'circle').filter(({ r }) => r !== '5').map(({ cx, cy }) => Number(isUpright ? cy : cx));
  assert.equal(dots.length, rates.length, what);
  const order = isUpright ? rates : [...rates].sort((a, b) => b[0] - a[0]);
  order.forEach(([rate], index) => assert.ok(Math.abs(dots[index] - at(rate)) <= slack, `${what}: ${rate} % stands at ${dots[index]}, not at ${at(rate)}: ${svg}`));
  const band = elements(svg, 'polygon').flatMap(({ points }) => points.split(' ').map((one) => Number(one.split(',')[1])));
  const bars = elements(svg, 'line').filter((one) => one.class === 'interval').flatMap(({ x1, x2 }) => [Number(x1), Number(x2)]);
  const ends = isUpright ? [...rates.map(([, , hi]) => hi), ...rates.map(([, lo]) => lo).reverse()] : order.flatMap(([, lo, hi]) => [lo, hi]);
  const seen = isUpright ? band : bars;
  assert.equal(seen.length, ends.length, what);
  ends.forEach((end, index) => assert.ok(Math.abs(seen[index] - at(end)) <= slack, `${what}: ${end} % stands at ${seen[index]}, not at ${at(end)}`));
  const [least, most] = isUpright ? [12, 248] : [30, 610];
  assert.ok([...dots, ...seen].every((place) => place >= least - 0.1 && place <= most + 0.1), `${what}: outside the axes`);
}

test('no rate and no interval of Simulate is clamped or outside its axes', () => {
  // From 17 and 18 greedy has 41.42 % and 41 %, which stood on the line of 40 %.
  const sweeps = [['zero-sum', 'start', '17 18', '20000', '1']];
  let state = 57;
  const random = (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  for (let number = 0; number < 150; number += 1) {
    const isDuel = number % 3 > 0;
    const values = new Set(Array.from({ length: 3 + random(8) }, () => (isDuel ? 8 + random(11) : (1 + random(9)) / 10)));
    const games = 1 + Math.floor(10 ** (random(3000) / 1000));
    const sorted = [...values].sort((a, b) => a - b).join(' ');
    sweeps.push([...(isDuel ? ['zero-sum', 'start'] : ['sixty-seven', 'operator_rate']), sorted, String(games), String(random(1e6))]);
  }
  let tried = 0;
  for (const [game, parameter, values, games, seed] of sweeps.filter(([, , values]) => values.includes(' '))) {
    const player = game === 'zero-sum' ? 'greedy' : 'random';
    const { charts, rates, picture } = simulated(lab.laboratory(game, parameter, player, values), games, seed);
    checkChart(charts[0], rates, `${game}, ${values}, ${games} games, seed ${seed}`);
    tried += rates.length;
    assert.match(picture, /<title>Win rate by (start|operator_rate)<\/title>[^]*interval[^]*Source: [^]*https:\/\/example.org/);
  }
  assert.ok(tried > 500, tried);
});

test('levels are rows with their names, not places on an axis', () => {
  const text = 'name = "levels"\nseed = 1\n[[table]]\ntitle = "t"\ngame = "calculator"\nplayer = "random"\nlevel = [1, 2, 113, 199]\ngames = 40\n';
  const { charts: [svg], rates } = simulated(text, '', '');
  assert.equal(elements(svg, 'polyline').length, 0);
  checkChart(svg, rates, 'levels');
});

test('the page stays small: at most 3,000 lines of JavaScript, none longer than 110 characters', () => {
  const statics = fileURLToPath(new URL('../static', import.meta.url));
  const files = readdirSync(statics).filter((name) => name.endsWith('.js'));
  const lines = files.flatMap((name) => readFileSync(path.join(statics, name), 'utf8').split('\n').slice(0, -1));
  assert.ok(lines.length <= 3000, `${lines.length} lines`);
  assert.deepEqual(lines.filter((line) => line.length > 110), []);
});
