// The page in headless Firefox: `node --test web/tests/firefox.mjs`.
//
// It needs web/dist (web/build), the packages of package.json and Firefox (FIREFOX). Playwright needs
// a Firefox of its own; Puppeteer drives any, by WebDriver BiDi.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';
import { serve } from './server.mjs';

let browser;
let server;
let home;

before(async () => {
  const served = await serve(process.env.DIST ?? fileURLToPath(new URL('../dist', import.meta.url)));
  server = served.server;
  home = served.root;
  browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr', headless: true, defaultViewport: null });
});

after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

async function withPage(hash, use) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(home + hash);
  await use(page);
  assert.deepEqual(problems, []);
  await context.close();
}

const text = (page, selector) => page.evaluate((at) => document.querySelector(at)?.textContent ?? '', selector);

/** Waits for a text; the policy of the page forbids the evaluation that `waitForFunction` needs. */
async function waitForText(page, selector, wanted) {
  for (let waited = 0; !wanted.test(await text(page, selector)); waited += 1) {
    assert.ok(waited < 600, `${selector} says ${await text(page, selector)}, not ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test('Play: moves, undo and a hint', () =>
  withPage('#play?game=sixty-seven&seed=5&index=0&moves=', async (page) => {
    await page.waitForSelector('#play .board .tile:not(.blank)');
    const name = await page.$eval('#play .move[aria-disabled=false]', (found) => found.getAttribute('aria-label'));
    await page.keyboard.press(`Arrow${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    await waitForText(page, '#play .facts', /moves1$/);
    await page.keyboard.press('h');
    await page.waitForSelector('#play .move.hinted', { timeout: 60_000 });
    assert.match(await text(page, '#play .message'), /win chance \d+\.\d+ %.*\(planner/);
    await page.keyboard.press('u');
    await waitForText(page, '#play .facts', /moves0$/);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the page is too wide');
  }));

test('Watch: a player moves, and its values are shown', () =>
  withPage(`#watch?game=${encodeURIComponent('twenty-forty-eight player=expectimax')}&seed=5&index=0&moves=`, async (page) => {
    await page.waitForSelector('#watch .bars li', { timeout: 60_000 });
    await page.keyboard.press(' ');
    await waitForText(page, '#watch .facts', /moves(\d\d|[2-9])/);
  }));

test('Simulate: the laboratory plots its curve, on several workers', () =>
  withPage('#simulate?game=zero-sum&parameter=start&player=random&at=12', async (page) => {
    await waitForText(page, '#simulate [role=status]', /^Done/);
    assert.match(await text(page, '#simulate .here-text'), /% won \(/);
    assert.ok((await page.$$('#simulate .chart .dot')).length > 5);
  }));
