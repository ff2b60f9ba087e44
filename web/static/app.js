// The page: which part is shown, and its colours.
//
// The address after # is PART or PART?KEY=VALUE&…. The modules play.js, watch.js and simulate.js
// export `show(section, query)`, called with the part's <section> and a URLSearchParams whenever
// the part comes into view or its query changes, and may export `hide()`, called when another part
// comes into view. A module is loaded when its part is first shown.

import { engine } from './engine.js';

const PARTS = {
  play: () => import('./play.js'),
  watch: () => import('./watch.js'),
  simulate: () => import('./simulate.js'),
  about: () => Promise.resolve({ show: about }),
};

let shown = null;

/** Part and query of the address. */
function place() {
  const [name, query = ''] = location.hash.slice(1).split(/\?(.*)/s);
  return { name: Object.hasOwn(PARTS, name) ? name : 'play', query: new URLSearchParams(query) };
}

async function route() {
  if (location.hash === '#main') {
    return;
  }
  const { name, query } = place();
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('href') === `#${name}`) {
      link.setAttribute('aria-current', 'page');
      document.title = `${link.textContent} – tilelab`;
    } else {
      link.removeAttribute('aria-current');
    }
  }
  for (const part of Object.keys(PARTS)) {
    document.getElementById(part).hidden = part !== name;
  }
  if (shown !== null && shown !== name) {
    (await PARTS[shown]()).hide?.();
  }
  shown = name;
  const section = document.getElementById(name);
  try {
    const part = await PARTS[name]();
    if (shown === name) {
      await part.show(section, query);
    }
  } catch (error) {
    const message = document.createElement('p');
    message.className = 'error';
    message.setAttribute('role', 'alert');
    message.textContent = `This part of the page could not be started: ${error.message}`;
    section.replaceChildren(message);
  }
}

async function about() {
  const { version } = await engine();
  document.getElementById('version').textContent = version();
}

const THEME = 'tilelab.theme';

/** What was kept under a key; storage may be switched off. */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function startTheme() {
  const choice = document.getElementById('theme');
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    choice.value = theme;
  };
  apply(['light', 'dark'].includes(kept(THEME)) ? kept(THEME) : 'auto');
  choice.addEventListener('change', () => {
    apply(choice.value);
    try {
      localStorage.setItem(THEME, choice.value);
    } catch {
      // Then the choice lasts until the page is closed.
    }
  });
}

startTheme();
window.addEventListener('hashchange', route);
route();
