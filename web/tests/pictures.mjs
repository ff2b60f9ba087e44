// The pictures of docs/web.md, from the page in web/dist: `node web/tests/pictures.mjs`.
//
// It needs what page.mjs needs.

import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from './server.mjs';

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { server, root } = await serve(process.env.DIST ?? at('../dist'));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1000, height: 640 }, reducedMotion: 'reduce' });
page.setDefaultTimeout(120_000);
const take = (name) => page.screenshot({ path: at(`../../docs/pictures/${name}.png`) });

await page.goto(`${root}#watch?game=${encodeURIComponent('sixty-seven player=planner')}&seed=67&index=0&moves=`);
for (let moves = 0; moves <= 20; moves += 1) {
  await page.waitForFunction((text) => [...document.querySelectorAll('#watch .fact')].some((pair) => pair.textContent === text), `moves${moves}`);
  if (moves < 20) {
    await page.keyboard.press('ArrowRight');
  }
}
await page.locator('#watch .bars li').first().waitFor();
await take('web-watch');

await page.goto(`${root}#simulate?game=sixty-seven&parameter=operator_rate&player=random&at=0.3`);
await page.getByText('Done.', { exact: true }).waitFor();
await page.setViewportSize({ width: 1000, height: 860 });
await take('web-simulate');

await browser.close();
server.close();
