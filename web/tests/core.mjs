// The shell and Simulate in headless Chromium: `node web/tests/core.mjs`.
//
// It needs web/dist (web/build), the packages of package.json (npm install), Chromium (CHROMIUM, by
// default /usr/bin/chromium) and the program tilelab (TILELAB, by default target/release/tilelab),
// whose files are compared with those of the page.

import axe from 'axe-core';
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve, SUB_PATH } from './server.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const tilelab = process.env.TILELAB ?? here('../../target/release/tilelab');
const scratch = mkdtempSync(join(tmpdir(), 'tilelab-web-'));

const { server, root } = await serve(process.env.DIST ?? here('../dist').replace(/\/$/, ''));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });

/** A page on which every error, violation of the policy and foreign request is kept. */
async function open(address, options = {}) {
  const context = await browser.newContext({ acceptDownloads: true, ...options });
  const page = await context.newPage();
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      page.problems.push(`console: ${message.text()} ${message.location().url}`);
    }
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(root) && !request.url().startsWith('blob:')) {
      page.problems.push(`request: ${request.url()}`);
    }
  });
  await page.goto(address);
  return page;
}

async function close(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const button = (page, name) => page.getByRole('button', { name, exact: true });

/** Opens Simulate with an experiment. */
async function simulate(text, options = {}) {
  const page = await open(`${root}#simulate?experiment=sweep`, options);
  await page.fill('#experiment', text);
  return page;
}

/** Waits until a run is done, or was refused with a message. */
async function ended(page, expectsError = false) {
  await page.waitForFunction(() => {
    const said = document.querySelector('#simulate [role=status]').textContent;
    return said === 'Done.' || !document.querySelector('#simulate .error').hidden;
  }, null, { timeout: 120_000 });
  const error = await page.textContent('#simulate .error');
  assert.equal(error !== '', expectsError, error);
}

async function run(page, expectsError = false) {
  await button(page, 'Run').click();
  await ended(page, expectsError);
}

async function download(page, name) {
  const [file] = await Promise.all([page.waitForEvent('download'), button(page, name).click()]);
  return readFileSync(await file.path());
}

/** The cells.csv that the command line writes. */
function native(text, name, ...options) {
  const file = join(scratch, `${name}.toml`);
  writeFileSync(file, text);
  execFileSync(tilelab, ['run', file, '--out', scratch, '--quiet', '--fresh', ...options], { stdio: 'pipe' });
  return readFileSync(join(scratch, name, 'cells.csv'));
}

async function check(page, what) {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document));
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => `${what}: ${id}: ${nodes[0].html}`), []);
}

async function fitsPhone(page, what) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 360, `${what}: ${width} px wide on a phone of 360`);
}

/** The fields of a CSV file; those in quotes may hold commas. */
function records(text) {
  const fields = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(,|$)/g)].map(([, field]) => field).slice(0, -1);
  const [head, ...rows] = text.trim().split('\n').map(fields);
  return { head, rows };
}

const EVERY_GAME = `name = "every-game"
seed = 67
games = 40
[[table]]
title = "67!"
game = "sixty-seven"
rules = ["original", "gapless", "merge-runs"]
size = ["4x4", "6x7"]
games = 3_000
[[table]]
title = "Stops"
game = "sixty-seven"
size = ["2x2", "3x3"]
stop = { half_width = 0.02, max_games = 20_000 }
[[table]]
title = "Lanes"
game = "sixty-seven"
lanes = 16
games = 320
[[table]]
title = "Players, \\"quoted\\" <b>&amp;"
game = "sixty-seven"
size = "4x4"
games = 6
player = ["greedy", { name = "monte-carlo", playouts = 8 }, "expectimax", { name = "planner", near = 32, far = 0 }]
[[table]]
title = "2048"
game = "twenty-forty-eight"
size = ["3x3", "4x4"]
[[table]]
title = "Calculator"
game = "calculator"
level = [10, 42]
[[table]]
title = "Multiplication game"
game = "zero-sum"
start = [16, 18]
player = ["greedy", "alpha-beta"]
[[table]]
title = "Offset"
game = "offset"
d = 5
player = ["greedy", "monte-carlo"]
games = 4
`;

const TESTS = {
  async 'an experiment has the bytes of the command line'() {
    const page = await simulate(EVERY_GAME);
    await run(page);
    const csv = await download(page, 'Download cells.csv');
    assert.ok(csv.equals(native(EVERY_GAME, 'every-game')), 'cells.csv differs');
    const json = await download(page, 'Download cells.json');
    execFileSync(tilelab, ['report', join(scratch, 'every-game'), '--format', 'json'], { stdio: 'pipe' });
    assert.ok(json.equals(readFileSync(join(scratch, 'every-game', 'cells.json'))), 'cells.json differs');
    const names = await page.$$eval('#simulate .numbers', (tables) => tables.map((table) => [...table.querySelectorAll('tbody th')].map((name) => name.textContent)));
    names.forEach((own) => assert.equal(new Set(own).size, own.length, own.join('; ')));
    const { head, rows } = records(csv.toString());
    const shown = await page.$$eval('#simulate .numbers tbody tr', (all) => all.map((one) => [...one.cells].map((cell) => cell.textContent)));
    assert.equal(shown.length, rows.length);
    shown.forEach(([, games, won, interval], place) => {
      const number = (name) => Number(rows[place][head.indexOf(name)]);
      const digits = number('win_pct_hi') < 1 ? 4 : 2;
      assert.equal(games.replace(/\D/g, ''), String(number('games')));
      const texts = [won, ...interval.split(' to ')];
      ['win_pct', 'win_pct_lo', 'win_pct_hi'].forEach((name, at) => {
        assert.match(texts[at], new RegExp(`^\\d+\\.\\d{${digits}}$`));
        assert.ok(Math.abs(Number(texts[at]) - number(name)) <= 0.51 * 10 ** -digits, `${texts[at]} for ${number(name)}`);
      });
    });
    assert.ok((await download(page, 'Download report.html')).includes('<title>every-game'));
    assert.equal(await page.locator('#simulate svg.chart').count(), 8, 'every table has a plot');
    assert.equal(await page.locator('#simulate b').count(), 0, 'a title became markup');
    await check(page, 'Simulate');
    await close(page);
  },

  async 'report.html is printed whole and dark on white, also from a dark system, and saves whole pictures'() {
    native(EVERY_GAME.replace('every-game', 'printed'), 'printed');
    const context = await browser.newContext({ colorScheme: 'dark', viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    await page.goto(`file://${join(scratch, 'printed', 'report.html')}`);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    /** Every text that is seen, with its contrast to white; what is wider than its sheet; rows. */
    const paper = async (width) => {
      await page.setViewportSize({ width, height: 1000 });
      return page.evaluate((width) => {
        const luminance = (colour) => {
          const parts = colour.match(/[\d.]+/g).slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
          return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
        };
        const isSeen = (node) => node.checkVisibility({ visibilityProperty: true }) && node.getClientRects().length > 0;
        // Numbers on tiles have the ink of their tiles.
        const texts = [...document.querySelectorAll('main *')].filter((node) => isSeen(node) && !node.closest('.tile') && [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim() !== ''));
        const faint = texts.map((node) => [node.textContent, 1.05 / (luminance(getComputedStyle(node)[node.namespaceURI.endsWith('svg') ? 'fill' : 'color']) + 0.05)]).filter(([, contrast]) => contrast < 4.5);
        const wide = [...document.querySelectorAll('figure svg, table, pre')].filter((node) => isSeen(node) && node.getBoundingClientRect().right > width + 1).map((node) => node.outerHTML.slice(0, 100));
        const tall = [...document.querySelectorAll('figure')].map((figure) => figure.getBoundingClientRect().height);
        const cut = [...document.querySelectorAll('#table tbody td')].filter((cell) => cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent);
        const lines = (cell) => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return new Set([...range.getClientRects()].map(({ top }) => top)).size;
        };
        const broken = [...document.querySelectorAll('#table td.n')].filter((cell) => lines(cell) > 1).map((cell) => cell.textContent);
        const pressed = [...document.querySelectorAll('select, input, button, summary')].filter(isSeen).length;
        const [ground] = [document.body].map((node) => getComputedStyle(node).backgroundColor);
        return { faint, wide, tallest: Math.max(...tall), cut, broken, pressed, ground, rows: document.querySelectorAll('#table tbody tr').length, texts: texts.length };
      }, width);
    };
    // Within margins of 12 mm, a sheet of A4 has 703 by 1032 pixels; the table has one on its side.
    const upright = await paper(703);
    assert.ok(upright.texts > 200, `${upright.texts} texts`);
    assert.deepEqual([upright.faint, upright.pressed, upright.ground], [[], 0, 'rgb(255, 255, 255)']);
    assert.deepEqual(upright.wide.filter((markup) => !markup.startsWith('<table')), []);
    assert.ok(upright.tallest <= 1032, `a figure of ${upright.tallest} pixels`);
    const sideways = await paper(1032);
    assert.deepEqual([sideways.wide, sideways.cut, sideways.broken], [[], [], []]);
    assert.equal(sideways.rows, 23);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    const sheets = [...pdf.matchAll(/\/MediaBox \[0 0 (\d+)/g)].map(([, width]) => Number(width));
    assert.ok(sheets.includes(594) && sheets.includes(841), sheets.join());
    // A picture is saved as it would be on paper, with what stands around it on the page.
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await page.setViewportSize({ width: 1280, height: 800 });
    const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#plot .save button').last().click({ force: true })]);
    assert.match(saved.suggestedFilename(), /\.png$/);
    const bytes = readFileSync(await saved.path()).toString('base64');
    const pixels = await page.evaluate(async (bytes) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${bytes}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
      canvas.drawImage(image, 0, 0);
      const { data } = canvas.getImageData(0, 0, image.width, image.height);
      const band = (from, to) => {
        let dark = 0;
        for (let at = 4 * image.width * from; at < 4 * image.width * to; at += 4) dark += data[at] < 128 && data[at + 1] < 128 ? 1 : 0;
        return dark;
      };
      let clear = 0;
      for (let at = 3; at < data.length; at += 4) clear += data[at] < 255 ? 1 : 0;
      const svg = [...document.querySelectorAll('#plot figure > svg')].at(-1);
      const scale = image.width / svg.viewBox.baseVal.width, below = svg.viewBox.baseVal.height * scale;
      return { clear, corner: [...data.slice(0, 3)], title: band(0, Math.round(22 * scale)), source: band(Math.round(below), image.height), taller: image.height - below };
    }, bytes);
    assert.deepEqual([pixels.clear, pixels.corner], [0, [255, 255, 255]]);
    assert.ok(pixels.title > 50 && pixels.source > 50 && pixels.taller > 0, JSON.stringify(pixels));
    await context.close();
  },

  async 'games and seed replace those of the file'() {
    const page = await open(`${root}#simulate?experiment=sweep`);
    await page.waitForFunction(() => document.querySelector('#experiment')?.value.includes('[[table]]'));
    const text = await page.inputValue('#experiment');
    await page.fill('#games', '200');
    await page.fill('#seed', '12345678901234567890');
    await run(page);
    const csv = await download(page, 'Download cells.csv');
    const name = /name = "(.*)"/.exec(text)[1];
    assert.ok(csv.equals(native(text, name, '--games', '200', '--seed', '12345678901234567890')));
    await close(page);
  },

  async 'a run pauses and continues to the same bytes'() {
    const text = EVERY_GAME.replace('3_000', '40_000').replace('every-game', 'paused');
    const page = await simulate(text);
    await button(page, 'Run').click();
    await page.waitForFunction(() => Number(document.querySelector('#simulate progress').value) > 0);
    await button(page, 'Pause').click();
    await page.waitForFunction(() => document.querySelector('#simulate [role=status]').textContent.startsWith('Paused.'), null, { timeout: 60_000 });
    const value = () => page.evaluate(() => document.querySelector('#simulate progress').value);
    const paused = await value();
    assert.ok(paused < 1, 'it was over before it could be paused');
    await page.waitForTimeout(700);
    assert.equal(await value(), paused);
    await button(page, 'Continue').click();
    await ended(page);
    const csv = await download(page, 'Download cells.csv');
    assert.ok(csv.equals(native(text, 'paused')));
    await close(page);
  },

  async 'a wrong experiment shows the messages of the command line'() {
    const wrong = 'name = "wrong"\ngames = 0\n[[table]]\ntitle = "<b>t"\ngame = "sixty-seven"\nsize = "1x99"\nplayr = "random"\n';
    const page = await simulate(wrong);
    await run(page, true);
    const shown = (await page.textContent('#simulate .error')).split('\n');
    const file = join(scratch, 'experiment.toml');
    writeFileSync(file, wrong);
    let said = '';
    try {
      execFileSync(tilelab, ['check', file], { stdio: 'pipe' });
    } catch (error) {
      said = error.stderr.toString();
    }
    const lines = said.trim().split('\n').map((line) => line.replace(/^error: /, '').replace(file, 'experiment.toml'));
    assert.deepEqual(shown, lines);
    assert.equal(await page.locator('#simulate b').count(), 0);
    await page.fill('#experiment', 'name = "p"\nseed = 1\ngames = 2\n[[table]]\ntitle = "t"\ngame = "sixty-seven"\nplayer = "monte-carlo(budget_ms=10)"\n');
    await run(page, true);
    assert.match(await page.textContent('#simulate .error'), /budget_ms\b.*a time budget makes games differ/s);
    await page.fill('#experiment', EVERY_GAME);
    await page.fill('#games', 'many');
    await run(page, true);
    assert.match(await page.textContent('#simulate .error'), /^games: many: not accepted/);
    await close(page);
  },

  async 'a file is dropped, and a run is stopped'() {
    const page = await simulate('');
    await page.setInputFiles('#experiment-file', { name: 'x.toml', mimeType: 'text/plain', buffer: Buffer.from(EVERY_GAME) });
    await page.waitForFunction(() => document.querySelector('#experiment').value.includes('every-game'));
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['name = "dropped"\nseed = 1\ngames = "1e9"\n[[table]]\ntitle = "s"\ngame = "sixty-seven"\nsize = "2x2"\ngames = 20\n[[table]]\ntitle = "t"\ngame = "sixty-seven"\n'], 'y.toml'));
      document.querySelector('#simulate form').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page.waitForFunction(() => document.querySelector('#experiment').value.includes('dropped'));
    await button(page, 'Run').click();
    await page.waitForFunction(() => Number(document.querySelector('#simulate progress').value) > 0);
    await page.locator('#simulate .numbers td:last-child', { hasText: 'done' }).waitFor();
    await button(page, 'Stop').click();
    assert.match(await page.textContent('#simulate [role=status]'), /^Stopped/);
    assert.match((await download(page, 'Download report.html')).toString(), /unfinished: 1 of 2 cells have ended/, 'the report says that it is unfinished');
    await close(page);
  },

  async 'a worker that breaks is replaced, and only its cell fails'() {
    const page = await open(`${root}#about`);
    const fault = `if (call === 'play' && JSON.parse(args[0]).cell === 1) { self.tilelabPanic = 'a game panicked'; throw new WebAssembly.RuntimeError('unreachable'); }`;
    await page.route('**/worker.js', async (route) => {
      const source = await (await route.fetch()).text();
      const body = source.replace('async function answer(call, args) {', `async function answer(call, args) { ${fault}`);
      assert.notEqual(body, source);
      await route.fulfill({ body, contentType: 'text/javascript' });
    });
    await page.goto(`${root}#simulate?experiment=sweep`);
    await page.fill('#experiment', 'name = "breaks"\nseed = 1\ngames = 2000\n[[table]]\ntitle = "t"\ngame = "sixty-seven"\nsize = ["3x3", "4x4", "5x5", "6x7"]\n');
    await run(page);
    const states = await page.$$eval('#simulate .numbers td:last-child', (all) => all.map((cell) => cell.textContent));
    assert.deepEqual(states, ['done', 'failed: a game panicked', 'done', 'done']);
    const { head, rows } = records((await download(page, 'Download cells.csv')).toString());
    assert.deepEqual(rows.map((row) => row[head.indexOf('games')]), ['2000', '', '2000', '2000']);
    await close(page);
  },

  async 'the page works below a sub-path, on a phone, dark and by keys'() {
    const page = await open(`${root.slice(0, -1)}${SUB_PATH}#simulate?experiment=sweep`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark', hasTouch: true });
    await page.waitForSelector('#experiment');
    await page.fill('#experiment', EVERY_GAME);
    await page.fill('#games', '5');
    await page.focus('#cores');
    await page.keyboard.press('Enter');
    await ended(page);
    await fitsPhone(page, 'Simulate');
    await check(page, 'Simulate, dark');
    await page.getByRole('link', { name: 'About' }).click();
    await page.waitForFunction(() => document.querySelector('#version').textContent !== '');
    await fitsPhone(page, 'About');
    await check(page, 'About, dark');
    await page.click('#theme');
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(await background(), 'rgb(247, 246, 242)');
    await check(page, 'About, light');
    await page.reload();
    assert.equal(await background(), 'rgb(247, 246, 242)', 'the choice of colours is kept');
    await close(page);
  },

  async 'speed beside the portable kernel of the command line, one worker and one thread'() {
    const text = 'name = "speed"\nseed = 1\ngames = "300k"\n[[table]]\ntitle = "6x7"\ngame = "sixty-seven"\n';
    const begun = performance.now();
    native(text, 'speed', '--kernel', 'portable', '--threads', '1');
    const seconds = (performance.now() - begun) / 1000;
    const times = readFileSync(join(scratch, 'speed', 'times.csv'), 'utf8').trim().split('\n').map((line) => line.split(','));
    // The last fields are numbers; fields before them may hold commas in quotes.
    const portable = Number(times[1].at(times[0].indexOf('moves') - times[0].length)) / seconds;
    const page = await simulate(text);
    await page.fill('#cores', '1');
    await run(page);
    const line = await page.textContent('#simulate progress + p');
    const [, number, letter] = /([\d.]+) ([kM]?) ?moves\/s/.exec(line);
    const here = Number(number) * { k: 1e3, M: 1e6, '': 1 }[letter];
    console.log(`   ${(here / 1e6).toFixed(2)} M moves/s in Chromium, ${(portable / 1e6).toFixed(2)} M with portable: ${(here / portable).toFixed(2)} times as fast`);
    await close(page);
  },

  async 'no script or style of the page stands in its markup'() {
    const page = await open(`${root}#about`);
    const inline = await page.evaluate(() => [...document.querySelectorAll('script:not([src]), style')].length);
    assert.equal(inline, 0);
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ranInline = true';
      document.body.append(script);
      return globalThis.ranInline === true;
    });
    assert.equal(ran, false, 'the policy lets inline scripts run');
    page.problems = page.problems.filter((problem) => !problem.includes('inline script'));
    await close(page);
  },
};

const wanted = process.argv.slice(2);
let failed = 0;
for (const [name, test] of Object.entries(TESTS)) {
  if (wanted.length > 0 && !wanted.some((word) => name.includes(word))) {
    continue;
  }
  const begun = performance.now();
  try {
    await test();
    console.log(`ok: ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.error(`FAILED: ${name}\n${error.stack}`);
  }
}
await browser.close();
server.close();
process.exit(failed === 0 ? 0 : 1);
