// What players of the page rely on, in headless Chromium: `node --test web/tests/page.mjs`.
//
// It needs web/dist (web/build), the packages of package.json and Chromium (CHROMIUM).

import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { serve } from './server.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const DESKTOP = { viewport: { width: 1200, height: 850 } };

let browser;
let server;
let home;

before(async () => {
  const served = await serve(process.env.DIST ?? path.join(here, '../dist'));
  server = served.server;
  home = served.root;
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A page of a context of its own. */
async function open(hash, options = DESKTOP) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  await page.goto(home + hash);
  return page;
}

/** Closes a page that had no errors. */
async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const link = (cell, { part = 'play', seed = 5, index = 0, moves = [] } = {}) =>
  `#${part}?game=${encodeURIComponent(cell)}&seed=${seed}&index=${index}&moves=${encodeURIComponent(moves.join(','))}`;

const waitForMoves = (page, moves) =>
  page.waitForFunction((text) => [...document.querySelectorAll('section:not([hidden]) .fact')].some((pair) => pair.textContent === text), `moves${moves}`, { timeout: 20_000 });

const message = (page, part = 'play') => page.locator(`#${part} .stage:not([hidden]) .message`).innerText();

/** Presses the key of the first legal direction. */
async function move(page) {
  const name = await page.locator('#play .move[aria-disabled=false]').first().getAttribute('aria-label');
  await page.keyboard.press(`Arrow${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  return name;
}

/** The colours of these places of a screenshot. */
async function colours(page, places) {
  const shot = (await page.screenshot()).toString('base64');
  const reader = await page.context().browser().newPage();
  const found = await reader.evaluate(
    async ({ shot, places }) => {
      const bytes = Uint8Array.from(atob(shot), (letter) => letter.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return places.map(([x, y]) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3));
    },
    { shot, places },
  );
  await reader.close();
  return found;
}

test('tiles are seen while they slide, in all four directions', async () => {
  const page = await open(link('twenty-forty-eight', { seed: 3 }));
  await waitForMoves(page, 0);
  // Slower, so that a picture can be taken half-way.
  const seen = new Set();
  for (let made = 0; made < 40 && seen.size < 4; made += 1) {
    const legal = await page.locator('#play .move[aria-disabled=false]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
    const name = legal.find((one) => !seen.has(one)) ?? legal[made % legal.length];
    const places = await page.evaluate((direction) => {
      const key = `Arrow${direction.charAt(0).toUpperCase()}${direction.slice(1)}`;
      document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      const found = [];
      for (const animation of document.getAnimations()) {
        const { target } = animation.effect;
        if (!target.classList.contains('tile') || target.closest('#play .board') === null) {
          continue;
        }
        animation.pause();
        animation.currentTime = 55;
        const isSliding = (animation.effect.getKeyframes()[0].transform ?? '').startsWith('translate(') && !target.classList.contains('ghost');
        const at = target.getBoundingClientRect();
        const cell = target.parentElement.getBoundingClientRect();
        if (isSliding && Math.hypot(at.x - cell.x, at.y - cell.y) > 20) {
          found.push({ place: [Math.round(at.x + 0.15 * at.width), Math.round(at.y + 0.15 * at.height)], colour: getComputedStyle(target).backgroundColor });
        }
      }
      return found;
    }, name);
    if (places.length > 0) {
      const shown = await colours(page, places.map(({ place }) => place));
      shown.forEach((colour, at) => assert.equal(`rgb(${colour.join(', ')})`, places[at].colour, `${name}: a sliding tile is hidden`));
      seen.add(name);
    }
    await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()));
  }
  assert.deepEqual([...seen].sort(), ['down', 'left', 'right', 'up']);
  await close(page);
});

test('Watch goes on with the next game, pauses between games, and goes back from an end', async () => {
  const page = await open(link('zero-sum player=random opponent=random', { part: 'watch' }));
  const watch = page.locator('#watch');
  await waitForMoves(page, 0);
  await watch.getByLabel('autoplay next game').check();
  await watch.locator('.speed input').fill('9');
  await watch.getByRole('button', { name: 'Play', exact: true }).click();
  await watch.getByText(/game 2$/).waitFor({ timeout: 20_000 });
  await page.waitForFunction(() => /^(Won|Lost|Drawn|Seat)/.test(document.querySelector('#watch .message').textContent));
  await page.keyboard.press('Space');
  await watch.getByRole('button', { name: 'Play', exact: true }).waitFor();
  const index = await watch.locator('.identity').innerText();
  await page.waitForTimeout(2000);
  assert.equal(await watch.locator('.identity').innerText(), index, 'paused between games');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction(() => document.querySelector('#watch .message').textContent.startsWith('Last move'));
  await close(page);
});

test('nothing a person made is lost: new game, link and end of a game', async () => {
  const page = await open(link('sixty-seven'));
  await waitForMoves(page, 0);
  for (let made = 1; made <= 3; made += 1) {
    await move(page);
    await waitForMoves(page, made);
  }
  await page.waitForFunction(() => (location.hash.match(/moves=.*/)?.[0] ?? '').split('%2C').length === 3);
  const own = page.url();
  await page.keyboard.press('n');
  await waitForMoves(page, 0);
  assert.match(await message(page), /Undo restores your last game/);
  await page.keyboard.press('u');
  await waitForMoves(page, 3);
  // The address is that of the position.
  await page.waitForURL(own);
  await page.goto(home + link('sixty-seven rules=gapless', { seed: 9 }));
  await waitForMoves(page, 0);
  await page.reload();
  await waitForMoves(page, 0);
  await page.keyboard.press('u');
  await waitForMoves(page, 3);
  await page.waitForURL(own);

  await page.goto(home + link('calculator level=3'));
  await waitForMoves(page, 0);
  const boxes = () => page.locator('#play .main > .actions button').evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect().x) + one.getBoundingClientRect().y));
  const before = await boxes();
  for (let press = 0; !(await message(page)).startsWith('Won'); press += 1) {
    assert.ok(press < 9);
    await page.keyboard.press('h');
    await page.locator('#play .move.hinted').waitFor();
    await page.locator('#play .move.hinted').click();
    await waitForMoves(page, press + 1);
  }
  assert.deepEqual((await boxes()).slice(0, 2), before.slice(0, 2), 'buttons stay where they are');
  await close(page);
});

test('two tabs play one game', async () => {
  const page = await open(link('sixty-seven'));
  await waitForMoves(page, 0);
  const other = await page.context().newPage();
  await other.goto(`${home}#play`);
  await waitForMoves(other, 0);
  await move(page);
  await waitForMoves(other, 1);
  await other.keyboard.press('n');
  await waitForMoves(other, 0);
  await waitForMoves(page, 0);
  await page.keyboard.press('u');
  await waitForMoves(page, 1);
  await waitForMoves(other, 1);
  await close(page);
});

test('what a player thinks has one named scale', async () => {
  const page = await open(link('sixty-seven player=greedy', { part: 'watch' }));
  await page.locator('#watch .bars li').first().waitFor();
  const bars = () =>
    page.locator('#watch .bars li').evaluateAll((rows) =>
      rows.map((row) => ({ width: Number.parseFloat(row.querySelector('.fill').style.width), text: row.querySelector('.bar-value').textContent, isBest: row.classList.contains('best') })),
    );
  assert.equal(await page.locator('#watch .thoughts h3').innerText(), 'Win chance');
  const chances = (await bars()).filter(({ text }) => text !== 'not legal');
  for (const { width, text } of chances) {
    assert.match(text, /^\d+\.\d+ %$/);
    assert.ok(Math.abs(width - Number.parseFloat(text)) < 0.06, `${text} has a bar of ${width} %`);
  }
  assert.equal(chances.filter(({ isBest }) => isBest).length, 1);

  await page.goto(home + link('twenty-forty-eight player=expectimax', { part: 'watch' }));
  await page.getByText('only differences are meaningful').waitFor({ timeout: 20_000 });
  const values = (await bars()).filter(({ text }) => text !== 'not legal');
  assert.equal(values.filter(({ text, isBest }) => text === 'best' && isBest).length, 1);
  assert.ok(values.filter(({ isBest }) => !isBest).every(({ text }) => /^(−|±)/.test(text)), JSON.stringify(values));

  // Calculator's only player draws its moves; its solver is what is watched.
  await page.goto(home + link('calculator level=3', { part: 'watch' }));
  await page.getByText('The solver plays a shortest solution').waitFor();
  await page.keyboard.press('Space');
  await page.waitForFunction(() => document.querySelector('#watch .message').textContent.startsWith('Won'), null, { timeout: 20_000 });
  await close(page);
});

test('a board is there before the engine, and a failed load can be tried again', async () => {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  let letThrough;
  const waiting = new Promise((resolve) => {
    letThrough = resolve;
  });
  let isBlocked = true;
  await page.route('**/*.wasm.gz', async (route) => {
    await waiting;
    await (isBlocked ? route.abort() : route.continue());
  });
  await page.goto(home);
  await page.locator('.boot-board .tile').first().waitFor();
  assert.ok(await page.locator('.rule').isVisible());
  assert.ok((await page.locator('link[rel=modulepreload]').count()) > 5);
  letThrough();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  isBlocked = false;
  await again.click();
  await page.locator('#play .board').first().waitFor();
  await context.close();

  const without = await browser.newContext({ ...DESKTOP, javaScriptEnabled: false });
  const dead = await without.newPage();
  await dead.goto(home);
  assert.match(await dead.content(), /<noscript>.*This page needs JavaScript\./s);
  // Where scripts are blocked, or the page is opened from the disk, it says so after a while.
  await dead.getByText('Nothing happens?').waitFor({ timeout: 12_000 });
  await without.close();
});

test('Play loads at most 450 kB, compressed as servers do, and hints one network', async () => {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  const loaded = new Map();
  context.on('response', (response) => loaded.set(response.url(), response.body()));
  await page.goto(home);
  await page.locator('#play .board .tile').first().waitFor();
  let bytes = 0;
  for (const [url, body] of loaded) {
    const plain = url.endsWith('.gz') ? gunzipSync(await body) : await body;
    bytes += brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } }).length;
  }
  assert.ok(bytes <= 450_000, `${bytes} bytes`);
  await page.keyboard.press('h');
  await page.locator('#play .move.hinted').waitFor({ timeout: 60_000 });
  assert.equal([...loaded.keys()].filter((url) => url.includes('/networks/')).length, 1);
  await context.close();
});

test('Simulate: plots while it runs, before the table; one compilation; a killed worker is replaced', async () => {
  const context = await browser.newContext(DESKTOP);
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(error.message));
  const requests = [];
  context.on('request', (request) => requests.push(request.url()));
  await page.goto(`${home}#simulate?experiment=sweep`);
  await page.locator('#experiment').waitFor();
  await page.fill('#experiment', 'name = "own"\nseed = 1\ngames = "200k"\n[[table]]\ntitle = "t"\ngame = "sixty-seven"\nsize = ["4x4", "5x5", "6x6", "7x7"]\n');
  await page.fill('#cores', '4');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.locator('#simulate .chart').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Pause' }).isEnabled(), 'there is a plot while it runs');
  const isFirst = await page.evaluate(() => {
    const chart = document.querySelector('#simulate .chart');
    return (chart.compareDocumentPosition(document.querySelector('#simulate .numbers')) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  });
  assert.ok(isFirst, 'the plot stands before the table');
  assert.equal(requests.filter((url) => url.endsWith('-lab.wasm.gz')).length, 1);
  // One that plays: the first of the workers holds the run.
  const workers = page.workers().filter((worker) => worker.url().endsWith('/worker.js'));
  await workers.at(-1).evaluate(() => self.close()).catch(() => {});
  await page.getByText('Done.', { exact: true }).waitFor({ timeout: 120_000 });
  const states = await page.locator('#simulate .numbers td:last-child').allInnerTexts();
  assert.deepEqual(states, ['done', 'done', 'done', 'done']);
  const names = await page.locator('#simulate .numbers tbody th').allInnerTexts();
  assert.equal(new Set(names).size, 4, names.join('; '));

  // The person's own text comes back after one that ships with tilelab.
  await page.selectOption('#shipped', 'readme');
  await page.getByRole('button', { name: 'Undo: previous text' }).click();
  assert.match(await page.inputValue('#experiment'), /name = "own"/);
  // A run that was stopped can be downloaded.
  await page.fill('#games', '10000k');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForFunction(() => document.querySelector('#simulate progress').value > 0 && document.querySelector('#simulate progress').value < 1);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText(/^Stopped/).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Download cells.csv' }).isEnabled());
  assert.equal(await page.locator('#simulate .earlier a').count(), 1, 'the run before can be downloaded, too');
  await close(page);
});

test('Offset opens with a board for people, coordinates, and tells forced passes', async () => {
  const page = await open('#play');
  await page.locator('#play .games button', { hasText: 'Offset' }).click();
  await page.locator('#play .axis.cols span').first().waitFor();
  assert.equal(await page.locator('#play .axis.cols span').count(), 8);
  const { bytes, moves } = await page.evaluate(async () => {
    const { engine } = await import(new URL('engine.js', document.querySelector('script[src]').src));
    const { Game, Thinker } = await engine('play');
    const bytes = new Game('offset', '1', '0').view().length;
    // A game in which the person's move leaves the opponent without one.
    const cell = 'offset side=8 d=5';
    for (let index = 0; index < 200; index += 1) {
      const thinker = new Thinker(`${cell} player=random opponent=random`, '1', String(index));
      const { made } = JSON.parse(thinker.run('[]', 1000, 60_000, false, false));
      const game = new Game(cell, '1', String(index));
      let seat = 0;
      for (const [at, name] of made.entries()) {
        game.playName(name);
        const view = JSON.parse(game.view());
        if (view.outcome === null && view.seat === seat && seat === 0) {
          return { bytes, moves: { index, names: made.slice(0, at + 1) } };
        }
        seat = view.seat;
      }
      thinker.free();
      game.free();
    }
    return { bytes, moves: null };
  });
  assert.ok(bytes < 60_000, `a view of 32 × 32 cells has ${bytes} bytes`);
  assert.notEqual(moves, null);
  await page.goto(home + link('offset side=8 d=5', { seed: 1, index: moves.index, moves: moves.names.slice(0, -1) }));
  await waitForMoves(page, moves.names.length - 1);
  const [from, to] = moves.names.at(-1).split('-').map((place) => place.split(','));
  for (const [col, row] of [from, to]) {
    await page.locator(`#play .cell[data-row="${row}"][data-col="${col}"]`).click();
  }
  await waitForMoves(page, moves.names.length);
  assert.match(await message(page), /^The opponent has no legal move and passes/);
  await close(page);
});

test('boards are large, the header is one row, and colours can be told apart', async () => {
  for (const [width, height, cell, share] of [
    [2560, 1440, 'sixty-seven', 0.55],
    [1280, 800, 'sixty-seven', 0.45],
    [844, 390, 'sixty-seven', 0.7],
    // A first visit, with a lesson above the board.
    [844, 390, '', 0.7],
    [390, 844, '', 0.38],
    [768, 1024, 'sixty-seven', 0.55],
    [390, 844, 'twenty-forty-eight', 0.38],
  ]) {
    const page = await open(cell === '' ? '' : link(cell), { viewport: { width, height } });
    await waitForMoves(page, 0);
    const board = await page.locator('#play .board').first().boundingBox();
    const header = await page.locator('header').boundingBox();
    assert.ok(board.height >= share * height, `${width}×${height}: the board has ${board.height.toFixed(0)} pixels`);
    assert.ok(board.y + board.height <= height && board.x + board.width <= width, `${width}×${height}: the board is cut off`);
    assert.ok(header.height < 56, `the header has ${header.height} pixels`);
    const actions = await page.locator('#play .main > .actions').first().boundingBox();
    assert.ok(actions.y + actions.height <= height, `${width}×${height}: undo, hint and new game are out of sight`);
    await close(page);
  }
  const page = await open(link('sixty-seven'), { ...DESKTOP, forcedColors: 'active' });
  await waitForMoves(page, 0);
  const looks = await page.evaluate(() => {
    const tile = getComputedStyle(document.querySelector('#play .board .tile:not(.blank)')).backgroundColor;
    const cell = getComputedStyle(document.querySelector('#play .board .cell'), '::before');
    return { tile, outline: cell.outlineStyle, blank: cell.backgroundColor };
  });
  assert.notEqual(looks.tile, looks.blank, 'tiles have a colour of their own');
  assert.equal(looks.outline, 'solid', 'cells can be seen');
  await close(page);
});

test('the first steps lead to the game', async () => {
  const page = await open('');
  await page.locator('#play .lesson').waitFor();
  for (let lesson = 1; lesson <= 3; lesson += 1) {
    await page.waitForFunction((text) => document.querySelector('#play .title').textContent.includes(text), `step ${lesson} of 3`);
    for (let turn = 0; !/^(Won|Lost)/.test(await message(page)); turn += 1) {
      assert.ok(turn < 120, 'a lesson has an end');
      await page.keyboard.press('h');
      await page.locator('#play .move.hinted').waitFor({ timeout: 30_000 });
      await page.locator('#play .move.hinted').click();
      await waitForMoves(page, turn + 1);
    }
    assert.match(await message(page), /^Won/, `hints win lesson ${lesson}`);
    await page.keyboard.press('n');
  }
  await page.waitForFunction(() => document.querySelector('#play .title').textContent === '67! · 6×7');
  assert.ok((await page.locator('#play .board [class*=number-]').count()) > 0, 'the first deal has a number');
  await close(page);
});

test('the laboratory plots a curve and its address opens it again', async () => {
  const page = await open('#simulate?game=zero-sum&parameter=start&player=random&at=12');
  await page.locator('#simulate .chart .band').waitFor({ timeout: 20_000 });
  await page.getByText('Done.', { exact: true }).waitFor({ timeout: 120_000 });
  assert.match(await page.locator('.lab output').innerText(), /start 12/);
  assert.match(await page.locator('.here-text').innerText(), /% won \(/);
  await page.locator('.lab input[type=range]').fill('0');
  assert.match(page.url(), /at=8/);
  await close(page);
});

test('every position of Watch can be played, and the other way round', async () => {
  const page = await open(link('sixty-seven player=greedy', { part: 'watch' }));
  await waitForMoves(page, 0);
  await page.keyboard.press('ArrowRight');
  await waitForMoves(page, 1);
  await page.keyboard.press('ArrowRight');
  await waitForMoves(page, 2);
  await page.getByRole('button', { name: 'Play from here' }).click();
  await page.locator('#play:not([hidden]) .board').first().waitFor();
  await waitForMoves(page, 2);
  await page.locator('#play').getByRole('button', { name: 'Watch from here' }).click();
  await page.locator('#watch:not([hidden]) .board').waitFor();
  await waitForMoves(page, 2);
  await close(page);
});

test('without a connection the page works once it was loaded', async () => {
  const page = await open('#play');
  // The page registers it over HTTPS alone.
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('./offline.js');
    await navigator.serviceWorker.ready;
  });
  await page.reload();
  await page.context().setOffline(true);
  await page.reload();
  await page.locator('#play .board').first().waitFor();
  await page.goto(home + link('twenty-forty-eight', { part: 'watch' }));
  await waitForMoves(page, 0);
  // What was never asked for: a network, and the engine of Simulate.
  await page.goto(home + link('sixty-seven'));
  await waitForMoves(page, 0);
  await page.keyboard.press('h');
  await page.locator('#play .move.hinted').waitFor({ timeout: 60_000 });
  await page.goto(`${home}#simulate?game=zero-sum&parameter=start&player=random`);
  await page.locator('#simulate .chart').waitFor({ timeout: 60_000 });
  await page.context().setOffline(false);
  await close(page);
});

test('the daily game goes on when it is opened again, and its moves are judged at the end', async () => {
  const page = await open('#play?daily');
  await page.waitForFunction(() => document.querySelector('#play .title')?.textContent.startsWith('Daily 67!'));
  await move(page);
  await waitForMoves(page, 1);
  await page.goto(`${home}#about`);
  await page.goto(`${home}#play?daily`);
  await waitForMoves(page, 1);
  // A game to its end by whatever is legal first.
  for (let made = 1; !/^(Won|Lost)/.test(await message(page)); made += 1) {
    await move(page);
    await waitForMoves(page, made + 1);
  }
  // The result beside that of the planner, with squares and a link to send.
  const result = page.locator('dialog#daily');
  await result.waitFor();
  await result.getByText(/^[🟩🟨🟥]{1,10}$/u).waitFor({ timeout: 60_000 });
  assert.match(await result.locator('.own').innerText(), /^(won in|lost after) \d+ moves?$/i);
  assert.match(await result.locator('.machine').innerText(), /^(won in|lost after) \d+ moves?$/i);
  assert.equal(await result.locator('.player').innerText(), 'planner');
  assert.match(await result.locator('.streak').innerText(), /^\d$/);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await result.getByRole('button', { name: 'Copy result' }).click();
  await result.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^67! \d{4}-\d\d-\d\d: (won in|lost after) \d+ moves?\n[🟩🟨🟥]{1,10}\nhttp\S+#play\?daily=\d{4}-\d\d-\d\d$/u);
  assert.match(await result.locator('.sharpest').innerText(), /^(Your sharpest mistake, at move \d+: you \d+ %, planner \d+ %\. Would you have seen it\?|No move cost 5 % or more\.)$/);
  await result.getByRole('button', { name: 'Where was it decided?' }).click();
  await result.waitFor({ state: 'hidden' });
  await page.locator('#play .after .chart').waitFor({ timeout: 60_000 });
  // Also to people who do not see the plot.
  const heard = page.locator('#play [aria-live=polite].heard');
  assert.match(await heard.textContent(), /^The planner (wins|loses) this deal in \d+ moves?\. /);
  assert.match(await page.locator('#play .after').innerText(), /The \w+ (wins|loses) this deal in \d+ moves/);
  const again = page.getByRole('button', { name: 'Continue from here' }).first();
  if ((await again.count()) > 0) {
    await again.click();
    await page.waitForFunction(() => document.querySelector('#play .message').textContent.startsWith('Your own game is saved'));
  }
  await close(page);
});

test('the daily is a race: the planner has as many moves on the same deal, also after undo, and its game does not end with mine', async () => {
  const page = await open('#play?daily');
  const race = page.locator('#play .race');
  await page.waitForFunction(() => document.querySelector('#play .title')?.textContent.startsWith('Daily 67!'));
  assert.ok(await race.isVisible(), 'the line is there from the start: the board does not jump');
  assert.equal(await page.locator('#play .choice[aria-pressed=true]').innerText(), 'Daily 67!');
  const board = (part) => page.locator(`${part} .board`).evaluate((root) => [...root.querySelectorAll('.tile:not(.ghost)')].map((tile) => tile.textContent).join());
  const told = async (round) => {
    await page.waitForFunction((round) => document.querySelector('#play .race').textContent.startsWith(`planner beside you: round ${round}, best `), round, { timeout: 60_000 });
    return board('#play .rival');
  };
  // The same deal, and from it the moves of each.
  const boards = [await told(1)];
  assert.equal(await board('#play .main'), boards[0]);
  for (let made = 1; made <= 6; made += 1) {
    await move(page);
    await waitForMoves(page, made);
    boards.push(await told(made + 1));
  }
  assert.equal(new Set(boards).size, 7, 'it moves');
  await page.keyboard.press('u');
  assert.equal(await told(6), boards[5], 'one move back');
  await move(page);
  assert.equal(await told(7), boards[6], 'and on as before');
  // What Watch shows of the same game.
  const { setup } = await page.evaluate(() => JSON.parse(localStorage.getItem('tilelab.play.sixty-seven')));
  const cell = [setup.game, ...Object.entries(setup.params).map(([name, value]) => `${name}=${value}`), 'player=planner'].join(' ');
  await page.goto(`${home}#watch?game=${encodeURIComponent(cell)}&seed=${setup.seed}&index=${setup.index}&moves=`);
  await waitForMoves(page, 0);
  for (let made = 1; made <= 6; made += 1) {
    await page.keyboard.press('ArrowRight');
    await waitForMoves(page, made);
  }
  assert.equal(await board('#watch'), boards[6]);
  // No other game is a race.
  await page.goto(home + link('sixty-seven'));
  await page.waitForFunction(() => document.querySelector('#play .title').textContent.startsWith('67!'));
  assert.ok(await race.isHidden() && (await page.locator('#play .rival').isHidden()));
  await close(page);
});

const SIDE = [{ width: 844, height: 390 }, { width: 667, height: 375 }];
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

/** Plays to the end by what is legal first, and waits for the result. */
async function playToEnd(page) {
  for (let made = 0; made < 400 && !/^(Won|Lost)/.test(await message(page)); made += 1) {
    await move(page);
  }
  await page.locator('dialog#daily .own').waitFor();
}

test("a daily's first result counts, also past midnight, and its link is dated", async () => {
  const context = await browser.newContext({ ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await context.clock.setFixedTime(new Date(2026, 10, 20, 23, 50));
  await page.goto(`${home}#play?daily`);
  await page.waitForFunction(() => document.querySelector('#play .title')?.textContent === 'Daily 67! of 2026-11-20');
  await move(page);
  await context.clock.setFixedTime(new Date(2026, 10, 21, 0, 5));
  await playToEnd(page);
  const kept = await page.evaluate(() => JSON.parse(localStorage.getItem('tilelab.daily')));
  assert.deepEqual(Object.keys(kept), ['2026-11-20']);
  const { result, moves } = kept['2026-11-20'];
  const own = `${result} ${result === 'won' ? 'in' : 'after'} ${moves} moves`;
  assert.equal((await page.locator('dialog#daily .own').innerText()).toLowerCase(), own);
  // Another end of the same game.
  await page.keyboard.press('Escape');
  await page.locator('dialog#daily').waitFor({ state: 'hidden' });
  for (let taken = 0; taken < 4; taken += 1) {
    await page.keyboard.press('u');
  }
  await page.locator('#play .move[aria-disabled=false]').last().click();
  await playToEnd(page);
  assert.equal((await page.locator('dialog#daily .own').innerText()).toLowerCase(), own);
  const length = Number(/moves(\d+)/.exec(await page.locator('#play .facts').innerText().then((text) => text.replace(/\s/g, '')))[1]);
  if (length !== moves) {
    assert.match(await page.locator('dialog#daily .counts').innerText(), /your first result counts\.$/);
  }
  await page.locator('dialog#daily .machine').filter({ hasText: 'moves' }).waitFor({ timeout: 60_000 });
  await page.getByRole('button', { name: 'Copy result' }).click();
  await page.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith(`67! 2026-11-20: ${own}\n`) && copied.endsWith('#play?daily=2026-11-20'), copied);
  // The link leads to the same deal days later, and is not that day's game.
  await context.clock.setFixedTime(new Date(2026, 10, 25, 12, 0));
  await page.goto(home);
  await page.goto(`${home}#play?daily=2026-11-20`);
  await page.waitForFunction(() => document.querySelector('#play .title').textContent === 'Daily 67! of 2026-11-20');
  const board = () => page.locator('#play .main .board').innerText();
  const old = await board();
  await page.goto(`${home}#play?daily`);
  await page.waitForFunction(() => document.querySelector('#play .title').textContent === 'Daily 67! of 2026-11-25');
  assert.notEqual(await board(), old);
  // Another game cannot take the place of today's.
  await page.goto(`${home}#play?game=${encodeURIComponent('sixty-seven size=2x2')}&seed=3&moves=&daily=2026-11-25`);
  await page.waitForFunction(() => document.querySelector('#play .title').textContent.includes('2×2'));
  await context.close();
});

test('2048 tells its goal and goes on, and offers no judgement that nobody gives', async () => {
  const page = await open(link('twenty-forty-eight size=2x2 goal=16'));
  let isTold = false;
  for (let made = 0; !/^(Won|Lost)/.test(await message(page)); made += 1) {
    assert.ok(made < 300, 'a small board is full soon');
    await move(page);
    isTold ||= (await message(page)).startsWith('The goal is reached: go on.');
  }
  const isWon = (await message(page)).startsWith('Won');
  assert.ok(isTold || !isWon, 'a won game told its goal before');
  assert.equal(await page.getByRole('button', { name: 'Where was it decided?' }).count(), 0);
  await close(page);
});

for (const viewport of SIDE) {
  test(`a display shows its whole number on a phone on its side, ${viewport.width} pixels wide`, async () => {
    for (const cell of ['calculator', 'zero-sum']) {
      const page = await open(link(cell), { viewport, hasTouch: true });
      await waitForMoves(page, 0);
      const [text, host] = await page.evaluate(() => {
        const range = document.createRange();
        range.selectNodeContents(document.querySelector('#play .board .tile'));
        return [range, document.querySelector('#play .board-box')].map((one) => one.getBoundingClientRect().toJSON());
      });
      assert.ok(text.width > 5 && text.left >= host.left && text.right <= host.right && text.bottom <= viewport.height, `${cell}: ${JSON.stringify([text, host])}`);
      await close(page);
    }
  });
}

test('on a phone the daily is in sight, the board keeps its place, and swipes begin anywhere', async () => {
  const page = await open(link('offset'), PHONE);
  await waitForMoves(page, 0);
  const inSight = async (selector) => {
    const { x, y, width, height } = await page.locator(selector).boundingBox();
    return x >= 0 && x + width <= 390 && y >= 0 && y + height <= 844;
  };
  assert.ok(await inSight('#play .choice:first-child'), 'the daily beside Offset');
  assert.ok(await inSight('#play [data-act=hint]'), 'the hint of Offset');
  assert.notEqual((await message(page)).trim(), '', 'Offset says what to do');
  for (const [cell, title] of [['calculator', 'Calculator'], ['twenty-forty-eight', '2048']]) {
    await page.goto(home + link(cell));
    await page.waitForFunction((title) => document.querySelector('#play .choice[aria-pressed=true]')?.textContent === title, title);
    const daily = await page.locator('#play .choice:first-child').boundingBox();
    const { x, width } = await page.locator('#play .choice[aria-pressed=true]').boundingBox();
    assert.ok(x >= daily.x + daily.width && x + width <= 390, `${title} is seen beside the daily: ${x} to ${x + width}`);
  }
  await page.goto(home + link('sixty-seven'));
  await page.waitForFunction(() => document.querySelector('#play .title').textContent.startsWith('67!'));
  const top = async () => (await page.locator('#play .board').boundingBox()).y;
  const before = await top();
  await move(page);
  await waitForMoves(page, 1);
  assert.ok(Math.abs((await top()) - before) <= 1, 'the board jumped');
  // Beside the board, in every direction until one is legal.
  const { x, y, width } = await page.locator('#play .facts').boundingBox();
  for (const by of [-80, 80]) {
    await page.mouse.move(x + width / 2, y + 5);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + by, y + 8, { steps: 4 });
    await page.mouse.up();
  }
  const made = await page.evaluate(() => document.querySelector('#play .facts').textContent);
  assert.doesNotMatch(made, /moves1$/);
  await close(page);
});

test('every part has one heading, and Simulate loads no engine but its own', async () => {
  for (const part of ['play', 'watch', 'simulate', 'about']) {
    const context = await browser.newContext(DESKTOP);
    const page = await context.newPage();
    const engines = [];
    context.on('response', (response) => engines.push(...(/engine\/\w+-(\w+)\.wasm/.exec(response.url()) ?? []).slice(1)));
    await page.goto(`${home}#${part}`);
    await page.locator('body.started').waitFor();
    assert.equal(await page.locator(`#${part} h1`).count(), 1, part);
    assert.deepEqual([...new Set(engines)], [part === 'simulate' ? 'lab' : 'play'], part);
    await context.close();
  }
});

test('a curve of the laboratory is saved as SVG and PNG, with its address', async () => {
  const page = await open('#simulate?game=zero-sum&parameter=start&player=random&at=12');
  await page.getByText('Done.', { exact: true }).waitFor({ timeout: 120_000 });
  const saved = async (name) => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) {
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  };
  const svg = (await saved('Picture as SVG')).toString();
  for (const words of ['<title>Win rate by start</title>', '95 %', 'Source: ', '#simulate?game=zero-sum']) {
    assert.ok(svg.includes(words), `${words}: ${svg}`);
  }
  const png = await saved('Picture as PNG');
  assert.equal(png.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.readUInt32BE(16) === 1080, 'twice its width');
  await close(page);
});
