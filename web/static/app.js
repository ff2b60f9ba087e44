// The page: which part is shown, and its colours.
//
// The address after # is PART or PART?KEY=VALUE&…. A part is made when it is first shown. Its
// `show(query)` is called whenever it comes into view or its query changes, and its `hide()` when
// another part comes into view.

import { box, button, element } from './dom.js';
import { engine, once } from './engine.js';
import { read, write } from './store.js';

/** @typedef {{ show: (query: URLSearchParams) => unknown, hide?: () => unknown }} Part */

/** @type {Record<string, (section: HTMLElement) => Promise<Part>>} */
const PARTS = {
  async play(section) {
    const [{ Play }, exports] = await Promise.all([import('./play.js'), engine('play')]);
    return new Play(section, exports);
  },
  async watch(section) {
    const [{ Watch }, exports] = await Promise.all([import('./watch.js'), engine('play')]);
    return new Watch(section, exports);
  },
  async simulate(section) {
    const [{ Simulate }, exports] = await Promise.all([import('./simulate.js'), engine('lab')]);
    return new Simulate(section, exports);
  },
  async about() {
    byId('version').textContent = (await engine('play')).version();
    return { show: () => {} };
  },
};
/** @type {Map<string, Promise<Part>>} */
const parts = new Map();
const THEMES = ['auto', 'light', 'dark'];

/** @type {string | null} */
let shown = null;

/** An element of index.html. @param {string} id */
const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

async function route() {
  if (location.hash === '#main') {
    return;
  }
  const [named = '', query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  const name = Object.hasOwn(PARTS, named) ? named : 'play';
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${name}`) {
      link.setAttribute('aria-current', 'page');
      document.title = `${link.textContent} – tilelab`;
    } else {
      link.removeAttribute('aria-current');
    }
  }
  const before = shown;
  shown = name;
  for (const part of Object.keys(PARTS)) {
    byId(part).hidden = part !== name;
  }
  if (before !== null && before !== name) {
    await parts.get(before)?.then((part) => part.hide?.(), () => {});
  }
  const section = byId(name);
  section.querySelector('.failed')?.remove();
  try {
    const part = await once(parts, name, () => /** @type {(section: HTMLElement) => Promise<Part>} */ (PARTS[name])(section));
    if (shown === name) {
      part.show(new URLSearchParams(query));
      document.body.classList.add('started');
    }
  } catch (error) {
    const message = element('p', 'error', `This part of the page could not be started: ${error instanceof Error ? error.message : error}`);
    message.setAttribute('role', 'alert');
    section.prepend(box('failed', message, button('Try again', () => (error instanceof TypeError ? location.reload() : route()))));
  }
}

function startTheme() {
  let theme = read('theme', 'auto', (kept) => THEMES.includes(kept));
  const chosen = byId('theme');
  const apply = () => {
    document.documentElement.dataset.theme = theme;
    const label = `Theme: ${theme === 'auto' ? 'system' : theme}`;
    chosen.setAttribute('aria-label', label);
    chosen.title = label;
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
route();
if (location.protocol === 'https:' && 'serviceWorker' in navigator) {
  navigator.serviceWorker.register('./offline.js').catch(() => {});
}
