// The page: which part is shown, and its colours.
//
// The address after # is PART or PART?KEY=VALUE&…. The modules play.js, watch.js and simulate.js
// export `show(section, query)`, called with the part's <section> and a URLSearchParams whenever
// the part comes into view or its query changes, and may export `hide()`, called when another part
// comes into view. A module is loaded when its part is first shown.

import { box, button, element } from './dom.js';
import { engine } from './engine.js';
import { read, write } from './store.js';

/** @typedef {{ show: (section: HTMLElement, query: URLSearchParams) => unknown, hide?: () => unknown }} Part */

/** @type {Record<string, () => Promise<Part>>} */
const PARTS = {
  play: () => import('./play.js'),
  watch: () => import('./watch.js'),
  simulate: () => import('./simulate.js'),
  about: () => Promise.resolve({ show: about }),
};
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
    await PARTS[before]?.().then((part) => part.hide?.(), () => {});
  }
  const section = byId(name);
  section.querySelector('.failed')?.remove();
  try {
    const part = await PARTS[name]?.();
    if (shown === name) {
      await part?.show(section, new URLSearchParams(query));
      document.body.classList.add('started');
    }
  } catch (error) {
    const message = element('p', 'error', `This part of the page could not be started: ${error instanceof Error ? error.message : error}`);
    message.setAttribute('role', 'alert');
    section.prepend(box('failed', message, button('Try again', () => (error instanceof TypeError ? location.reload() : route()))));
  }
}

async function about() {
  const { version } = await engine('play');
  byId('version').textContent = version();
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
