// Play and Watch in headless Chromium: `node web/tests/play.mjs`.
//
// It needs what core.mjs needs.

import axe from 'axe-core';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve, SUB_PATH } from './server.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const tilelab = process.env.TILELAB ?? path.join(here, '../../target/release/tilelab');

const EXPERIMENT = `
name = "web"
seed = 5
games = 3
[[table]]
title = "67!"
game = "sixty-seven"
player = "greedy"
rules = ["original", "gapless", "merge-pairs", "merge-runs"]
size = "5x6"
[[table]]
title = "2048"
game = "twenty-forty-eight"
player = "corner"
[[table]]
title = "Calculator"
game = "calculator"
player = "random"
level = [3, 20]
[[table]]
title = "Offset"
game = "offset"
side = 8
player = "greedy"
opponent = "mobility"
[[table]]
title = "multiplication game"
game = "zero-sum"
player = "greedy"
opponent = "random"
`;

let browser;
let server;
/** The address of the page, below a path. */
let home;
let folder;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'tilelab-web-'));
  writeFileSync(path.join(folder, 'web.toml'), EXPERIMENT);
  const served = await serve(process.env.DIST ?? path.join(here, '../dist'));
  server = served.server;
  home = served.root.replace(/\/$/, SUB_PATH);
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
const DESKTOP = { viewport: { width: 1200, height: 850 } };

/** Runs `use(page, context, requests)` on a page of its own; whatever the page complains about is an error. */
async function withPage(use, { hash = '', ...options } = DESKTOP) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints = [];
  const requests = [];
  context.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && !request.url().startsWith('blob:')) {
      complaints.push(`asks for ${request.url()}`);
    }
  });
  await page.goto(home + hash);
  await page.locator('section:not([hidden]) .board').first().waitFor();
  await use(page, context, requests);
  assert.deepEqual(complaints, []);
  await context.close();
}

const link = (cell, { seed = 5, index = 0, moves = [], seat = 0 } = {}) =>
  `#play?game=${encodeURIComponent(cell)}&seed=${seed}&index=${index}&seat=${seat}&moves=${encodeURIComponent(moves.join(','))}`;

const play = (page) => page.locator('#play');

/** The tiles of the board as the page shows them, in full. */
const tiles = (page, part = '#play .stage:not([hidden])') =>
  page.locator(`${part} .board`).evaluate((board) => {
    const text = (cell) => cell.title || cell.querySelector('.tile:not(.ghost)').textContent;
    const plain = { '−': '-', '×': '*' };
    return [...board.querySelectorAll('.board-row')].map((row) => [...row.children].map((cell) => plain[text(cell)] ?? text(cell)));
  });

const fact = (page, name, part = '#play .stage:not([hidden])') =>
  page.locator(`${part} .fact`, { has: page.locator(`dt:text-is("${name}")`) }).locator('dd').innerText();

const message = (page) => play(page).locator('.stage:not([hidden]) .message').innerText();

const legal = (page) => play(page).locator('.move[aria-disabled=false]').evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label') ?? button.querySelector('.move-name').textContent));

/** Draws a finger over the board. */
async function swipe(page, direction) {
  const box = await page.locator('#play .stage:not([hidden]) .board').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const [right, down] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[direction];
  const session = await page.context().newCDPSession(page);
  const touch = (type, far) => session.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: x + right * far, y: y + down * far }] });
  await touch('touchStart', 0);
  for (const far of [10, 25, 45, 60]) {
    await touch('touchMove', far);
  }
  await touch('touchEnd', 60);
  await session.detach();
}

const waitForMoves = (page, moves, part = '#play .stage:not([hidden])') =>
  page.locator(`${part} .fact`, { has: page.locator('dt:text-is("moves")') }).filter({ hasText: new RegExp(`^moves\\s*${moves}$`) }).waitFor();

const KEYS = { up: 'ArrowUp', down: 's', left: 'a', right: 'ArrowRight' };

/** Plays some moves of a game of directions, each with `move(direction)`. */
async function playDirections(page, cell, move) {
  for (let made = 0; made < 12; made += 1) {
    const [direction] = (await legal(page)).slice(made % 2);
    const name = direction ?? (await legal(page))[0];
    await move(name);
    await waitForMoves(page, made + 1);
  }
  const board = await tiles(page);
  assert.ok(board.flat().filter((text) => text !== '').length >= 2, `${cell}: tiles were dealt`);
}

for (const cell of ['sixty-seven', 'twenty-forty-eight']) {
  test(`${cell}: by keys`, () =>
    withPage((page) => playDirections(page, cell, (direction) => page.keyboard.press(KEYS[direction])), { ...DESKTOP, hash: link(cell) }));

  test(`${cell}: by touch`, () =>
    withPage((page) => playDirections(page, cell, (direction) => swipe(page, direction)), { ...PHONE, hash: link(cell) }));
}

test('67!: by the mouse, on the arrows and by dragging', () =>
  withPage(
    async (page) => {
      const [first] = await legal(page);
      await play(page).getByRole('button', { name: first, exact: true }).click();
      await waitForMoves(page, 1);
      const box = await page.locator('#play .board').first().boundingBox();
      await page.mouse.move(box.x + 100, box.y + 100);
      await page.mouse.down();
      const [second] = await legal(page);
      const [right, down] = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] }[second];
      await page.mouse.move(box.x + 100 + 60 * right, box.y + 100 + 60 * down, { steps: 4 });
      await page.mouse.up();
      await waitForMoves(page, 2);
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

test('Calculator: a level is solved by keys, by hints, and the next one by touch', async () => {
  await withPage(
    async (page) => {
      for (let press = 0; (await message(page)) === '' || !(await message(page)).startsWith('Won'); press += 1) {
        assert.ok(press < 9, 'the solver leads to the goal');
        await page.keyboard.press('h');
        await play(page).locator('.move.hinted').waitFor();
        const key = await play(page).locator('.move.hinted kbd').innerText();
        await page.keyboard.press(key);
        await waitForMoves(page, press + 1);
      }
      await play(page).getByRole('button', { name: 'Next level' }).click();
      assert.match(await play(page).locator('.title').first().innerText(), /level 4/);
    },
    { ...DESKTOP, hash: link('calculator level=3') },
  );
  await withPage(
    async (page) => {
      const before = await tiles(page);
      await play(page).locator('.move').first().tap();
      await waitForMoves(page, 1);
      await play(page).getByRole('button', { name: 'Undo' }).first().tap();
      await waitForMoves(page, 0);
      assert.deepEqual(await tiles(page), before);
    },
    { ...PHONE, hash: link('calculator level=20') },
  );
});

/** Waits until the opponent has answered, so that it is the person's turn after this many moves. */
const waitForAnswer = (page, moves) => waitForMoves(page, moves);

test('Offset: piles chosen by keys, the mouse and touch', async () => {
  const cell = 'offset side=8 d=5 player=greedy opponent=greedy';
  await withPage(
    async (page) => {
      await page.keyboard.press('.');
      await page.keyboard.press('Enter');
      assert.ok((await play(page).locator('.cell.target').count()) > 0);
      await page.keyboard.press('.');
      await page.keyboard.press('Enter');
      await waitForAnswer(page, 2);
      await page.keyboard.press('h');
      await play(page).locator('.cell.hinted').first().waitFor();
      const [first, second] = await play(page).locator('.cell.hinted').evaluateAll((cells) => cells.map((one) => one.id));
      await page.locator(`#${first}`).click();
      await page.locator(`#${second}`).click();
      await waitForAnswer(page, 4);
      await page.keyboard.press('u');
      await waitForMoves(page, 2);
    },
    { ...DESKTOP, hash: link(cell) },
  );
  await withPage(
    async (page) => {
      await page.locator('#play .board').first().scrollIntoViewIfNeeded();
      await play(page).getByRole('button', { name: 'Hint' }).tap();
      await play(page).locator('.cell.hinted').first().waitFor();
      for (const id of await play(page).locator('.cell.hinted').evaluateAll((cells) => cells.map((one) => one.id))) {
        await page.locator(`#${id}`).tap();
      }
      await waitForAnswer(page, 2);
    },
    { ...PHONE, hash: link(cell) },
  );
});

test("an opponent that draws answers as in the command line's game, over hints, undo and a reload", () =>
  withPage(
    async (page) => {
      for (let round = 0; round < 4; round += 1) {
        await page.keyboard.press('h');
        await play(page).locator('.cell.hinted').first().waitFor();
        const path = await play(page).locator('.cell.hinted').evaluateAll((cells) => cells.map((one) => one.id));
        for (const id of path) {
          await page.locator(`#${id}`).click();
        }
        await waitForAnswer(page, 2 * round + 2);
        if (round === 1) {
          await page.reload();
          await waitForMoves(page, 4);
        }
        if (round === 2) {
          await page.keyboard.press('u');
          await waitForMoves(page, 4);
          for (const id of path) {
            await page.locator(`#${id}`).click();
          }
          await waitForAnswer(page, 6);
        }
      }
      await play(page).getByRole('button', { name: 'Link…' }).click();
      const address = await page.getByLabel('Link to this game').last().inputValue();
      const moves = new URLSearchParams(address.split('?')[1]).get('moves').match(/\d+,\d+-\d+,\d+/g);
      const own = moves.filter((_, number) => number % 2 === 0);
      const settings = ['--set', 'side=8', '--set', 'd=5', '--hints', 'greedy', '--opponent', 'greedy', '--seed', '5', '--game', '7'];
      const told = execFileSync(tilelab, ['play', 'offset', '--plain', ...settings], { input: `${own.join('\n')}\nquit\n`, encoding: 'utf8', stdio: ['pipe', 'pipe', 'ignore'] });
      const answers = [...told.matchAll(/^greedy: (\S+)$/gm)].map((found) => found[1]);
      assert.deepEqual(moves.filter((_, number) => number % 2 === 1), answers);
    },
    { ...DESKTOP, hash: link('offset side=8 d=5 player=greedy opponent=greedy', { index: 7 }) },
  ));

test('multiplication game: by keys and by touch, on either seat', async () => {
  const cell = 'zero-sum player=exact opponent=exact';
  await withPage(
    async (page) => {
      for (let moves = 0; (await message(page)).match(/^(Won|Lost|Drawn)/) === null; ) {
        await page.keyboard.press('h');
        await play(page).locator('.move.hinted').waitFor();
        await page.keyboard.press((await play(page).locator('.move.hinted .move-name').innerText()).replace('× ', ''));
        moves += 1;
        await page.waitForFunction((least) => {
          const names = [...document.querySelectorAll('#play .fact')];
          const made = Number(names.find((pair) => pair.firstChild.textContent === 'moves').lastChild.textContent);
          const text = document.querySelector('#play .message').textContent;
          return made >= least && !text.includes('thinking');
        }, moves);
      }
    },
    { ...DESKTOP, hash: link(cell) },
  );
  await withPage(
    async (page) => {
      await waitForAnswer(page, 1);
      await play(page).locator('.move').nth(1).tap();
      await waitForAnswer(page, 3);
      assert.match(await fact(page, 'you'), /-?\d/);
    },
    { ...PHONE, hash: link(cell, { seat: 1 }) },
  );
});

test('hint of 67! without freezing the page, by a network that is loaded for it', () =>
  withPage(
    async (page, _, requests) => {
      const networks = () => requests.filter((url) => url.includes('/networks/')).length;
      assert.equal(networks(), 0);
      await page.evaluate(() => {
        window.longest = 0;
        let last = performance.now();
        const frame = () => {
          const now = performance.now();
          window.longest = Math.max(window.longest, now - last);
          last = now;
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      });
      await page.keyboard.press('h');
      await play(page).locator('.move.hinted').waitFor({ timeout: 120_000 });
      assert.match(await message(page), /^Hint: (up|down|left|right) · .*win chance \d+\.\d+ %, next best \w+ \d+\.\d+ % \(planner/);
      assert.ok(networks() > 0);
      const longest = await page.evaluate(() => window.longest);
      assert.ok(longest < 1000, `frames were at most ${longest} ms apart`);
    },
    { ...DESKTOP, hash: link('sixty-seven', { moves: [] }) },
  ));

test('undo meets the same tiles again; a reload and a link keep the game', () =>
  withPage(
    async (page, context) => {
      const moves = [];
      for (let made = 0; made < 6; made += 1) {
        moves.push((await legal(page))[0]);
        await page.keyboard.press(KEYS[moves.at(-1)]);
        await waitForMoves(page, made + 1);
      }
      const board = await tiles(page);
      await page.keyboard.press('u');
      await waitForMoves(page, 5);
      await page.keyboard.press(KEYS[moves.at(-1)]);
      await waitForMoves(page, 6);
      assert.deepEqual(await tiles(page), board);
      await page.reload();
      await waitForMoves(page, 6);
      assert.deepEqual(await tiles(page), board);
      await play(page).getByRole('button', { name: 'Link…' }).click();
      const address = await page.getByLabel('Link to this game').last().inputValue();
      const other = await context.newPage();
      await other.goto(address);
      await waitForMoves(other, 6);
      assert.deepEqual(await tiles(other), board);
    },
    { ...DESKTOP, hash: link('sixty-seven rules=gapless size=4x5', { seed: 67, index: 3 }) },
  ));

test('a link that is wrong says why', () =>
  withPage(
    async (page) => {
      assert.match(await message(page), /rules=funny.*original/s);
      await page.goto(home + link('sixty-seven', { moves: ['left', 'sideways'] }));
      await page.waitForFunction(() => document.querySelector('#play .message').textContent.includes('sideways'));
      await waitForMoves(page, 1);
      await page.goto(home + link('sixty-six'));
      await page.waitForFunction(() => document.querySelector('#play .message').textContent.includes('sixty-six: unknown game'));
    },
    { ...DESKTOP, hash: link('sixty-seven rules=funny') },
  ));

/** The cells of the experiment with a transcript of game 1 of each. */
function transcripts() {
  const file = path.join(folder, 'web.toml');
  const listed = execFileSync(tilelab, ['check', '--no-forecast', file], { encoding: 'utf8' });
  const keys = listed.split('\n').filter((line) => line.includes('/')).map((line) => line.split(' ')[0]);
  return keys.map((key) => {
    const text = execFileSync(tilelab, ['replay', file, '--cell', key, '--game', '1', '--json'], { encoding: 'utf8' });
    // After the header.
    const [, ...turns] = text.trim().split('\n').map((line) => JSON.parse(line));
    return { key, text, turns };
  });
}

/** The text of a cell from its key. */
function cellOf(key) {
  const [game, params, ...players] = key.split('/');
  const settings = params.split(',').filter((setting) => !setting.endsWith('='));
  const seats = players.map((player, seat) => `${['player', 'opponent'][seat]}=${player}`);
  return [game, ...settings, ...seats].join(' ');
}

const moveName = (turn) => {
  const made = turn.move ?? turn.button ?? null;
  return Array.isArray(made) ? made.map((place) => place.join(',')).join('-') : made === null ? null : String(made);
};

/** What the page must show after the last line of a transcript. */
function expectedEnd(turns) {
  const end = turns.at(-1);
  const board = end.after ?? end.board ?? null;
  if (Array.isArray(board)) {
    return board.map((row) => row.map((tile) => (tile === '_' || tile === 0 ? '' : String(tile))));
  }
  if ('scores' in end && 'pair' in end) {
    return null;
  }
  return [[String(end.after ?? end.value ?? end.number)]];
}

/** Opens a record, and waits for the first of its positions in Watch. */
async function openRecord(page, name, text) {
  await play(page).locator('input[type=file]').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await page.locator('#watch:not([hidden]) .board').waitFor();
  await waitForMoves(page, 0, '#watch');
  await page.waitForFunction(() => document.querySelector('#watch .message').textContent !== 'Opening…');
}

test("every game is the command line's game, and its record is stepped through", async () => {
  for (const { key, text, turns } of transcripts()) {
    const moves = turns.map(moveName).filter((name) => name !== null);
    const expected = expectedEnd(turns);
    const result = turns.at(-1).outcome;
    const cell = cellOf(key);
    await withPage(
      async (page) => {
        await waitForMoves(page, moves.length);
        const shown = await tiles(page);
        if (expected === null) {
          const scores = [await fact(page, 'you'), await fact(page, 'opponent')].map((value) => Number(value.split(' ').at(-1)));
          assert.deepEqual(scores, turns.at(-1).scores, key);
        } else {
          assert.deepEqual(shown, expected, key);
        }
        assert.ok((await message(page)).toLowerCase().startsWith(result), `${key}: ${await message(page)}`);

        await openRecord(page, 'game.jsonl', text);
        const watch = page.locator('#watch');
        const first = await tiles(page, '#watch');
        assert.equal(await watch.getByLabel('Position').getAttribute('max'), String(moves.length), key);
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await waitForMoves(page, 2, '#watch');
        await page.keyboard.press('ArrowLeft');
        await waitForMoves(page, 1, '#watch');
        await page.keyboard.press('End');
        await waitForMoves(page, moves.length, '#watch');
        assert.deepEqual(await tiles(page, '#watch'), shown, key);
        assert.match((await watch.locator('.message').innerText()).toLowerCase(), new RegExp(result === 'lost' && cell.includes('opponent') ? 'won' : result), key);
        await page.keyboard.press('Home');
        await waitForMoves(page, 0, '#watch');
        assert.deepEqual(await tiles(page, '#watch'), first, key);
        await watch.locator('.speed input').fill('8');
        await watch.getByRole('button', { name: 'Play', exact: true }).click();
        await waitForMoves(page, moves.length, '#watch');
        assert.deepEqual(await tiles(page, '#watch'), shown, key);
      },
      { ...DESKTOP, hash: link(cell, { index: 1, moves }) },
    );
  }
});

test('a record is dropped on the page, and a game is saved as one', () =>
  withPage(
    async (page) => {
      await page.keyboard.press(KEYS[(await legal(page))[0]]);
      await waitForMoves(page, 1);
      const board = await tiles(page);
      const [file] = await Promise.all([page.waitForEvent('download'), play(page).getByRole('button', { name: 'Save game' }).click()]);
      const text = readFileSync(await file.path(), 'utf8');
      await page.evaluate((content) => {
        const data = new DataTransfer();
        data.items.add(new File([content], 'dropped.jsonl'));
        document.querySelector('#play .board').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      }, text);
      const watch = page.locator('#watch');
      await watch.locator('.board').waitFor();
      await waitForMoves(page, 0, '#watch');
      await page.waitForFunction(() => document.querySelector('#watch .message').textContent !== 'Opening…');
      await watch.getByLabel('Position').fill('1');
      await waitForMoves(page, 1, '#watch');
      assert.deepEqual(await tiles(page, '#watch'), board);
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

test('moves are told to screen readers', () =>
  withPage(
    async (page) => {
      await page.keyboard.press(KEYS[(await legal(page))[0]]);
      await waitForMoves(page, 1);
      const told = await play(page).locator('[aria-live=polite].visually-hidden').innerText();
      assert.match(told, /^(up|down|left|right);.* new \S+ in row \d+ column \d+.* round 2, best /);
      assert.match(await play(page).getByRole('grid').getAttribute('aria-label'), /Board of 67!, 6 rows, 7 columns/);
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

test('a wrong record says what is wrong, and is never markup', () =>
  withPage(
    async (page) => {
      const header = JSON.stringify({ format: 'tilelab game', version: 1, game: 'sixty-seven', cell: 'sixty-seven/<img src=x onerror=alert(1)>=1', seed: 1, game_index: 0, moves: [] });
      for (const [text, expected] of [
        ['', /empty/],
        ['{"round": 1', /line 1/],
        ['{"round":1,"board":[["1"]],"legal":["up"],"move":"left","outcome":null}', /line 1: a game without a header/],
        ['<img src=x onerror=alert(1)>', /line 1/],
      ]) {
        await play(page).locator('input[type=file]').setInputFiles({ name: '<b>wrong</b>.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) });
        await page.waitForFunction((start) => document.querySelector('#play .message').textContent.startsWith(start), '<b>wrong</b>.jsonl');
        assert.match(await message(page), expected);
      }
      await play(page).locator('input[type=file]').setInputFiles({ name: 'x.jsonl', mimeType: 'text/plain', buffer: Buffer.from(header) });
      await page.locator('#watch .message.bad').waitFor();
      assert.equal(await page.locator('main img, main b').count(), 0);
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

test('Watch: every player of every game moves', () =>
  withPage(
    async (page) => {
      const watch = page.locator('#watch');
      for (const title of await watch.locator('.games button').allInnerTexts()) {
        await watch.locator('.games button', { hasText: title }).click();
        const names = await watch.locator('.fields select').first().locator('option').evaluateAll((options) => options.map((option) => option.value));
        for (const name of names) {
          await watch.locator('.fields select').first().selectOption(name);
          await page.waitForFunction(() => !document.querySelector('#watch .message').textContent.startsWith('Opening'));
          await watch.getByRole('button', { name: 'Step' }).click();
          await waitForMoves(page, 1, '#watch');
          assert.notEqual(await watch.locator('.thoughts').innerText(), '');
        }
      }
    },
    { ...DESKTOP, hash: '#watch' },
  ));

test('Watch: plays, pauses, goes back, and is fast', () =>
  withPage(
    async (page) => {
      const watch = page.locator('#watch');
      await watch.locator('.games button', { hasText: '67!' }).click();
      await watch.locator('.fields select').first().selectOption('greedy');
      await page.waitForFunction(() => !document.querySelector('#watch .message').textContent.startsWith('Opening'));
      assert.equal(await watch.locator('.bars li').count(), 4);
      await page.keyboard.press('ArrowRight');
      await waitForMoves(page, 1, '#watch');
      await page.keyboard.press('ArrowLeft');
      await waitForMoves(page, 0, '#watch');
      await watch.locator('.speed input').fill('11');
      assert.match(await watch.locator('.speed').innerText(), /1000 a second/);
      await watch.locator('.fields select').first().selectOption('random');
      await page.waitForFunction(() => !document.querySelector('#watch .message').textContent.startsWith('Opening'));
      assert.match(await watch.locator('.thoughts').innerText(), /does not evaluate/);
      await watch.getByRole('button', { name: 'Play', exact: true }).click();
      await page.waitForFunction(() => /^(Won|Lost)/.test(document.querySelector('#watch .message').textContent), null, { timeout: 20_000 });
    },
    { ...DESKTOP, hash: '#watch' },
  ));

test('the keyboard alone is enough', () =>
  withPage(
    async (page) => {
      // From the top of the page by Tab to the games, to the board, and to the dialogs.
      const reached = new Set();
      for (let stop = 0; stop < 40; stop += 1) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.getAttribute('role')));
      }
      for (const name of ['2048', 'Offset', 'Undo', 'Hint', 'New game', 'Set up…', 'Rules', 'Link…', 'Open replay…']) {
        assert.ok([...reached].some((text) => text === name), `${name} is reached by Tab`);
      }
      await page.keyboard.press('?');
      await page.locator('dialog[open]').waitFor();
      assert.match(await page.locator('dialog[open]').innerText(), /Make a tile of exactly 67/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('o');
      await page.locator('dialog[open]').waitFor();
      await page.getByLabel('rows', { exact: true }).fill('3');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.querySelector('#play .title').textContent.includes('3×7'));
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

test('a setup that is wrong says what is accepted', () =>
  withPage(
    async (page) => {
      await page.keyboard.press('o');
      await page.locator('dialog[open]').waitFor();
      await page.locator('dialog[open] summary', { hasText: 'more parameters' }).click();
      await page.getByLabel('digits', { exact: true }).fill('abc');
      await page.locator('dialog[open] button', { hasText: 'Start' }).click();
      assert.match(await page.locator('dialog[open] [role=alert]').innerText(), /digits=abc.*0123456789/s);
    },
    { ...DESKTOP, hash: link('sixty-seven') },
  ));

const CELLS = ['sixty-seven', 'sixty-seven size=16x16', 'twenty-forty-eight', 'calculator level=100', 'offset', 'zero-sum'];

test('a phone of 360 pixels has no horizontal scrolling', () =>
  withPage(
    async (page) => {
      for (const cell of CELLS) {
        await page.goto(home + link(cell));
        await page.waitForFunction(() => document.querySelector('#play .title').textContent !== '' && !location.hash.includes('seat=0'), cell);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 360, `${cell}: ${wide} pixels wide`);
      }
      await page.goto(`${home}#watch`);
      await page.locator('#watch .board').waitFor();
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'Watch');
    },
    { ...PHONE, hash: link('sixty-seven') },
  ));

test('how fast it is: the first board, and frames while tiles move', async (t) => {
  for (const cell of ['sixty-seven', 'sixty-seven size=16x16 tiles_per_turn=12']) {
    await withPage(
      async (page) => {
        const first = await page.evaluate(() => performance.now());
        await page.evaluate(() => {
          window.frames = [];
          let last = performance.now();
          const frame = (now) => {
            window.frames.push(now - last);
            last = now;
            requestAnimationFrame(frame);
          };
          requestAnimationFrame(frame);
        });
        const keys = ['a', 'w', 'd', 's'];
        for (let made = 0; made < 40; made += 1) {
          await page.keyboard.press(keys[made % 4]);
          await page.waitForTimeout(100);
        }
        const frames = (await page.evaluate(() => window.frames)).sort((one, other) => one - other);
        const at = (share) => frames[Math.floor(share * (frames.length - 1))].toFixed(1);
        t.diagnostic(`${cell}: board after ${first.toFixed(0)} ms; frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
        assert.ok(first < 10_000);
        assert.ok(at(0.5) < 100);
      },
      { ...DESKTOP, hash: link(cell) },
    );
  }
});

test('less motion: nothing is animated', async () => {
  const animations = async (options) => {
    let most = 0;
    await withPage(
      async (page) => {
        for (const key of ['a', 'w', 'd', 's']) {
          await page.keyboard.press(key);
          most = Math.max(most, await page.evaluate(() => document.getAnimations().length));
        }
      },
      { ...DESKTOP, ...options, hash: link('sixty-seven') },
    );
    return most;
  };
  assert.ok((await animations({})) > 0);
  assert.equal(await animations({ reducedMotion: 'reduce' }), 0);
});

test('axe-core finds nothing serious, in light and in dark', async () => {
  for (const colorScheme of ['light', 'dark']) {
    await withPage(
      async (page) => {
        const check = async (what) => {
          await page.evaluate(axe.source);
          await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => null))));
          const { violations } = await page.evaluate(() => window.axe.run());
          const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
          const told = serious.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join('; ')}`);
          assert.deepEqual(told, [], `${what}, ${colorScheme}`);
        };
        for (const cell of CELLS) {
          const moves = cell.startsWith('sixty') ? ['left', 'up', 'right', 'down'] : [];
          await page.goto(home + link(cell, { moves }));
          await page.waitForFunction(() => document.querySelector('#play .title')?.textContent !== '' && !location.hash.includes('seat=0'), cell);
          await check(cell);
        }
        await page.keyboard.press('o');
        await check('set up');
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await check('rules');
        await page.keyboard.press('Escape');
        await page.goto(`${home}#watch`);
        await page.locator('#watch .board').waitFor();
        await check('watch');
      },
      { ...DESKTOP, colorScheme, hash: link('sixty-seven') },
    );
  }
});
