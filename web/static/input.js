// Keys, swipes and the buttons of moves.

import { element } from './dom.js';

export const DIRECTIONS = ['up', 'down', 'left', 'right'];
/** @type {Record<string, string>} */
export const ARROWS = { left: '←', up: '↑', down: '↓', right: '→' };
/** The keys of buttons in games that have buttons; letters with another meaning are left out. */
const BUTTON_KEYS = '1234567890bcefgijklmprtvxyz';

/** The names on the buttons of a position; those of a finished game are the ones before. @param {View} view @param {string[]} before */
function moveNames(view, before) {
  if (view.buttons.length > 0) {
    return view.buttons;
  }
  if (view.legal.length === 0) {
    return view.outcome === null ? [] : before;
  }
  return DIRECTIONS.includes(view.legal[0] ?? '') ? Object.keys(ARROWS) : view.legal;
}

/** Buttons for the moves that have names: arrows, the buttons of a level, or factors. */
export class MoveButtons {
  root = element('div', 'moves');
  /** @type {string[]} */
  names = [];
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  #pressed;

  /** @param {(name: string) => void} pressed called for a move, legal or not */
  constructor(pressed) {
    this.#pressed = pressed;
    this.root.setAttribute('role', 'group');
    this.root.setAttribute('aria-label', 'Moves');
  }

  /** Whether the moves are directions. */
  get areDirections() {
    return DIRECTIONS.includes(this.names[0] ?? '');
  }

  /** The move that a key makes. @param {string} key */
  named(key) {
    const isPressed = !this.areDirections && this.#hasKeys;
    const name = isPressed ? this.names[key.length === 1 ? BUTTON_KEYS.indexOf(key) : -1] : key;
    return name !== undefined && this.names.includes(name) ? name : null;
  }

  #hasKeys = false;

  /**
   * Shows the moves of a position.
   * @param {View} view
   * @param {(name: string) => string} label what stands on the button of a name
   * @param {boolean} isPersonsTurn
   */
  show(view, label, isPersonsTurn) {
    const names = moveNames(view, this.names);
    if (names.join('\n') !== this.names.join('\n') || this.#buttons.size !== names.length) {
      this.names = names;
      this.#hasKeys = view.buttons.length > 0;
      const hadFocus = this.root.contains(document.activeElement);
      this.#buttons = new Map(names.map((name, place) => [name, this.#button(name, place, label)]));
      this.root.classList.toggle('arrows', this.areDirections);
      this.root.replaceChildren(...this.#buttons.values());
      this.root.hidden = names.length === 0;
      if (hadFocus) {
        this.#buttons.values().next().value?.focus();
      }
    }
    for (const [name, made] of this.#buttons) {
      made.setAttribute('aria-disabled', String(!isPersonsTurn || !view.legal.includes(name)));
      made.classList.remove('hinted');
    }
  }

  /** Marks the move that was hinted at. @param {string} name */
  hint(name) {
    this.#buttons.get(name)?.classList.add('hinted');
  }

  /** @param {string} name @param {number} place @param {(name: string) => string} label */
  #button(name, place, label) {
    const made = element('button', 'move');
    made.type = 'button';
    made.addEventListener('click', () => this.#pressed(name));
    const arrow = ARROWS[name];
    if (arrow !== undefined) {
      made.textContent = arrow;
      made.setAttribute('aria-label', name);
      return made;
    }
    const key = this.#hasKeys ? (BUTTON_KEYS[place] ?? '') : name;
    made.append(element('span', 'move-name', label(name)));
    made.setAttribute('aria-keyshortcuts', key);
    if (key !== '' && this.#hasKeys) {
      const shown = element('kbd', '', key);
      shown.ariaHidden = 'true';
      made.append(shown);
    }
    return made;
  }
}

/** Calls `swiped` when a finger or the mouse is drawn over an element. @param {HTMLElement} target @param {(direction: string) => void} swiped */
export function onSwipe(target, swiped) {
  const LEAST = 24;
  /** @type {{ x: number, y: number, id: number } | null} */
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

/** The name that a key has in a game: arrows and wasd are directions. @param {KeyboardEvent} event */
export function keyName(event) {
  /** @type {Record<string, string>} */
  const names = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right', w: 'up', a: 'left', s: 'down', d: 'right' };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return names[key] ?? key;
}

/** Whether a key belongs to the element that has the focus, or to the browser. @param {KeyboardEvent} event */
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
