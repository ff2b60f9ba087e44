// What Play and Watch have in common besides the board: facts, dialogs, the controls of moves.

import { element } from './board.js';

export const DIRECTIONS = ['up', 'down', 'left', 'right'];
export const ARROWS = { left: '←', up: '↑', down: '↓', right: '→' };
/** The keys of buttons in games that have buttons; letters with another meaning are left out. */
export const BUTTON_KEYS = '1234567890bcefgijklmprtvxyz';

/** A number with its noun. */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** A button with a text, and what it does. */
export function button(text, clicked, { className = '', label = null, key = null } = {}) {
  const made = element('button', className, text);
  made.type = 'button';
  if (label !== null) {
    made.setAttribute('aria-label', label);
    made.title = label;
  }
  if (key !== null) {
    made.setAttribute('aria-keyshortcuts', key);
    made.title = `${label ?? text} (${key})`;
  }
  made.addEventListener('click', clicked);
  return made;
}

/** The title and the goal of the game that a section shows, at the end of `host`. */
export function gameHead(host) {
  const title = element('h2', 'title');
  const goal = element('p', 'goal');
  const head = element('div', 'head');
  head.append(title, goal);
  host.append(head);
  return { title, goal };
}

/** A dialog with a heading and a button that closes it; `show(…content)` fills and opens it. */
export function dialog(host, title) {
  const box = element('dialog', 'play-dialog');
  const heading = element('h2', '', title);
  heading.id = `dialog-${title.toLowerCase().replaceAll(/\W+/g, '-')}-${host.id}`;
  heading.tabIndex = -1;
  box.setAttribute('aria-labelledby', heading.id);
  const head = element('div', 'dialog-head');
  head.append(heading, button('✕', () => box.close(), { className: 'quiet', label: 'Close' }));
  const body = element('div', 'dialog-body');
  box.append(head, body);
  box.addEventListener('click', (event) => {
    // A click on the backdrop is a click on the dialog itself.
    if (event.target === box) {
      box.close();
    }
  });
  host.append(box);
  const show = (...content) => {
    body.replaceChildren(...content);
    box.showModal();
    body.scrollTop = 0;
    // Not on the button that closes, which comes first.
    heading.focus();
  };
  return { box, show };
}

/** Keys and what they do. */
export function keyList(entries) {
  const list = element('dl', 'key-list');
  for (const [key, what] of entries) {
    const pair = element('div');
    const term = element('dt');
    term.append(element('kbd', '', key));
    pair.append(term, element('dd', '', what));
    list.append(pair);
  }
  return list;
}

/** Names and values side by side. */
export class Facts {
  constructor(host) {
    this.root = element('dl', 'facts');
    host.append(this.root);
    this.values = new Map();
  }

  /** Shows pairs of name and value; elements stay as long as the names do. */
  show(pairs) {
    const names = pairs.map(([name]) => name).join('\n');
    if (names !== this.names) {
      this.names = names;
      this.values.clear();
      this.root.replaceChildren(
        ...pairs.map(([name]) => {
          const value = element('dd');
          this.values.set(name, value);
          const pair = element('div', 'fact');
          pair.append(element('dt', '', name), value);
          return pair;
        }),
      );
    }
    for (const [name, text] of pairs) {
      const value = this.values.get(name);
      if (value.textContent !== text) {
        value.textContent = text;
      }
    }
  }
}

/** The list of games to choose from; `chosen(name)` is called. */
export class Games {
  constructor(host, catalog, titleOf, chosen) {
    this.root = element('div', 'games');
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', 'Game');
    this.buttons = new Map(
      catalog.map((game) => [game.name, button(titleOf(game), () => chosen(game.name), { className: 'choice' })]),
    );
    this.root.append(...this.buttons.values());
    host.append(this.root);
  }

  select(name) {
    for (const [known, made] of this.buttons) {
      made.setAttribute('aria-pressed', String(known === name));
    }
  }
}

/** Buttons for the moves that have names: arrows, the buttons of a level, or factors. */
export class MoveButtons {
  /** `pressed(name)` is called for a move, legal or not. */
  constructor(host, pressed) {
    this.root = element('div', 'moves');
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', 'Moves');
    this.pressed = pressed;
    this.names = null;
    this.buttons = new Map();
    host.append(this.root);
  }

  /** Shows the moves of a position; `label` turns a name into what stands on its button. */
  show(view, label, isPersonsTurn) {
    const names = moveNames(view, this.names);
    const isSame = this.names !== null && names.join('\n') === this.names.join('\n');
    if (!isSame) {
      this.names = names;
      const hadFocus = this.root.contains(document.activeElement);
      this.buttons = new Map(
        names.map((name, place) => {
          const isDirection = DIRECTIONS.includes(name);
          const key = isDirection ? '' : view.buttons.length > 0 ? (BUTTON_KEYS[place] ?? '') : name;
          const made = button('', () => this.pressed(name), { className: 'move' });
          if (isDirection) {
            made.textContent = ARROWS[name];
            made.setAttribute('aria-label', name);
          } else {
            made.append(element('span', 'move-name', label(name)));
            if (key !== '' && view.buttons.length > 0) {
              const shown = element('kbd', '', key);
              shown.setAttribute('aria-hidden', 'true');
              made.append(shown);
            }
            made.setAttribute('aria-keyshortcuts', key);
          }
          return [name, made];
        }),
      );
      this.root.classList.toggle('arrows', names.length > 0 && DIRECTIONS.includes(names[0]));
      this.root.replaceChildren(...this.buttons.values());
      this.root.hidden = names.length === 0;
      if (hadFocus) {
        this.buttons.values().next().value?.focus();
      }
    }
    for (const [name, made] of this.buttons) {
      made.setAttribute('aria-disabled', String(!isPersonsTurn || !view.legal.includes(name)));
      made.classList.remove('hinted');
    }
  }

  /** Marks the move that was hinted at. */
  hint(name) {
    this.buttons.get(name)?.classList.add('hinted');
  }
}

/** The names on the buttons of a position; those of a finished game are the ones before. */
function moveNames(view, before) {
  if (view.buttons.length > 0) {
    return view.buttons;
  }
  if (view.paths.length > 0) {
    return [];
  }
  if (view.legal.length === 0) {
    return before ?? [];
  }
  return DIRECTIONS.includes(view.legal[0]) ? Object.keys(ARROWS) : view.legal;
}

/** What happened, for people who do not see the board. */
export function described(view, owners) {
  if (view.last === null) {
    return '';
  }
  const cols = view.cells[0]?.length ?? 0;
  const cells = view.cells.flatMap((row, y) => row.map((cell, x) => ({ cell, place: `row ${y + 1} column ${x + 1}` })));
  const list = (mark) => {
    const found = cells.filter(({ cell }) => cell.mark === mark);
    const told = found.slice(0, 8).map(({ cell, place }) => `${cell.text}${cells.length > 1 ? ` in ${place}` : ''}`);
    return told.join(', ') + (found.length > 8 ? ` and ${found.length - 8} more` : '');
  };
  const parts = [view.last];
  if (cols > 0 && cells.length === 1) {
    parts.push(`shows ${cells[0].cell.text}`);
  } else {
    const made = list('made');
    const dealt = list('dealt');
    if (made !== '') {
      parts.push(`made ${made}`);
    }
    if (dealt !== '') {
      parts.push(`new ${dealt}`);
    }
  }
  const facts = view.facts.map(([name, value]) => `${owners(name)} ${value}`);
  return `${parts.join('; ')}. ${facts.join(', ')}.`;
}

/** Calls `swiped(direction)` when a finger or the mouse is drawn over an element. */
export function onSwipe(target, swiped) {
  const LEAST = 24;
  let from = null;
  target.addEventListener('pointerdown', (event) => {
    if (event.isPrimary && event.button === 0) {
      from = { x: event.clientX, y: event.clientY, id: event.pointerId };
    }
  });
  target.addEventListener('pointermove', (event) => {
    if (from === null || event.pointerId !== from.id) {
      return;
    }
    const x = event.clientX - from.x;
    const y = event.clientY - from.y;
    if (Math.max(Math.abs(x), Math.abs(y)) < LEAST) {
      return;
    }
    from = null;
    if (Math.abs(x) > Math.abs(y)) {
      swiped(x > 0 ? 'right' : 'left');
    } else {
      swiped(y > 0 ? 'down' : 'up');
    }
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
    target.addEventListener(end, () => {
      from = null;
    });
  }
}

/** The name that a key has in a game: arrows and wasd are directions. */
export function keyName(event) {
  const arrows = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' };
  const names = { ...arrows, w: 'up', a: 'left', s: 'down', d: 'right' };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return names[key] ?? key;
}

/** Whether a key belongs to the element that has the focus, or to the browser. */
export function isTaken(event) {
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) {
    return true;
  }
  const target = event.target;
  if (!(target instanceof Element)) {
    return false;
  }
  if (target.closest('dialog, select, textarea, [role=tab]') !== null) {
    return true;
  }
  if (target instanceof HTMLInputElement && target.type === 'range') {
    return event.key.length > 1 && event.key !== 'Escape';
  }
  if (target instanceof HTMLInputElement) {
    return !['button', 'checkbox'].includes(target.type) || event.key === ' ';
  }
  return target.closest('button, a, summary') !== null && ['Enter', ' '].includes(event.key);
}
