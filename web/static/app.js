// The page: which part is shown, and its colours.
//
// The address after # is PART or PART?KEY=VALUE&…. A part is made when it is first shown. Its
// `show(query)` is called whenever it comes into view or its query changes, and its `hide()` when
// another part comes into view.

import { box, button, element, find, reason } from './dom.js';
import { engine, once } from './engine.js';
import { read, write } from './store.js';

/** @typedef {{ show: (query: URLSearchParams) => unknown, hide?: () => unknown }} Part */

/** The classes of the parts and their engines. @type {Record<string, [string, 'play' | 'lab']>} */
const PARTS = {
  play: ['Play', 'play'],
  watch: ['Watch', 'play'],
  simulate: ['Simulate', 'lab'],
  about: ['', 'play'],
};
/** @type {Map<string, Promise<Part>>} */
const parts = new Map();
const THEMES = ['auto', 'light', 'dark'];

/** @type {string | null} */
let shown = null;

/** Makes a part. @param {string} name @returns {Promise<Part>} */
async function make(name) {
  const [part = '', which = 'play'] = PARTS[name] ?? [];
  if (part === '') {
    find('#version').textContent = (await engine(which)).version();
    return { show: () => {} };
  }
  const [module, exports] = await Promise.all([import(`./${name}.js`), engine(which)]);
  return new module[part](find(`#${name}`), exports);
}

async function route() {
  if (location.hash === '#main') {
    return;
  }
  const [named = '', query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  const name = Object.hasOwn(PARTS, named) ? named : 'play';
  for (const link of document.querySelectorAll('nav a')) {
    const isShown = link.getAttribute('href') === `#${name}`;
    link.ariaCurrent = isShown ? 'page' : null;
    document.title = isShown ? `${link.textContent} – tilelab` : document.title;
  }
  const before = shown;
  shown = name;
  for (const part of Object.keys(PARTS)) {
    find(`#${part}`).hidden = part !== name;
  }
  if (before !== null && before !== name) {
    await parts.get(before)?.then((part) => part.hide?.(), () => {});
  }
  const section = find(`#${name}`);
  section.querySelector('.failed')?.remove();
  try {
    const part = await once(parts, name, () => make(name));
    if (shown === name) {
      part.show(new URLSearchParams(query));
      document.body.classList.add('started');
    }
  } catch (error) {
    const told = `This part of the page could not be started: ${reason(error)}`;
    const message = element('p', 'error', told);
    message.role = 'alert';
    const again = () => (error instanceof TypeError ? location.reload() : route());
    section.prepend(box('failed', message, button('Try again', again)));
  }
}

function startTheme() {
  let theme = read('theme', 'auto', (kept) => THEMES.includes(kept));
  const chosen = find('#theme');
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    const label = `Theme: ${theme === 'auto' ? 'system' : theme}`;
    Object.assign(chosen, { ariaLabel: label, title: label });
  };
  apply();
  chosen.addEventListener('click', () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
    apply();
    write('theme', theme);
  });
}

startTheme();
window.addEventListener('hashchange', route);
await route();
// Afterwards: it loads what other parts need, too.
if (location.protocol === 'https:' && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('./offline.js').catch(() => {});
}
