// Keys, swipes and the buttons of moves.

import { element } from './dom.js';

export const DIRECTIONS = ['up', 'down', 'left', 'right'];

/** Buttons for the moves that have names: arrows, the buttons of a level, or factors. */
export class MoveButtons {
  /** @type {View['choices']} */
  #choices = [];
  /** @type {Map<string, HTMLButtonElement>} */
  #buttons = new Map();
  #pressed;

  /** `pressed` gets any move. @param {HTMLElement} root @param {(name: string) => void} pressed */
  constructor(root, pressed) {
    this.root = root;
    this.#pressed = pressed;
  }

  /** Whether the moves are directions. */
  get areDirections() {
    return DIRECTIONS.includes(this.#choices[0]?.[0] ?? '');
  }

  /** The move that a key makes. @param {string} key */
  named(key) {
    return this.#choices.find(([, , own]) => own === key)?.[0];
  }

  /** At the end of a game, the moves stay. @param {View} view @param {boolean} isMyTurn */
  show(view, isMyTurn) {
    const choices = view.outcome === null ? view.choices : this.#choices;
    if (String(choices) !== String(this.#choices)) {
      this.#choices = choices;
      const hadFocus = this.root.contains(document.activeElement);
      this.#buttons = new Map(choices.map((own) => [own[0], this.#button(...own)]));
      this.root.replaceChildren(...this.#buttons.values());
      if (hadFocus) {
        this.#buttons.values().next().value?.focus();
      }
    }
    this.root.classList.toggle('arrows', this.areDirections);
    this.root.hidden = choices.length === 0;
    for (const [name, made] of this.#buttons) {
      made.ariaDisabled = String(!isMyTurn || !view.legal.includes(name));
      made.classList.remove('hinted');
    }
  }

  /** Marks the move that was hinted at. @param {string} name */
  hint(name) {
    this.#buttons.get(name)?.classList.add('hinted');
  }

  /** @param {string} name @param {string} label @param {string} key */
  #button(name, label, key) {
    const made = element('button', 'move', element('span', 'move-name', label));
    made.type = 'button';
    made.addEventListener('click', () => this.#pressed(name));
    if (DIRECTIONS.includes(name)) {
      made.ariaLabel = name;
    } else if (key !== '' && key !== name) {
      const shown = element('kbd', '', key);
      shown.ariaHidden = 'true';
      made.append(shown);
    }
    return made;
  }
}

/** How far a finger is drawn for a move, in pixels. */
const SWIPE = 24;

/** A finger or the mouse drawn over an element. @param {(direction: string) => void} swiped */
export function onSwipe(/** @type {HTMLElement} */ target, swiped) {
  /** @type {PointerEvent | null} */
  let from = null;
  target.addEventListener('pointerdown', (event) => {
    const on = event.target instanceof Element ? event.target.closest('button, a, input') : null;
    from = event.isPrimary && event.button === 0 && on === null ? event : null;
  });
  target.addEventListener('pointermove', (event) => {
    const x = event.clientX - (from?.clientX ?? event.clientX);
    const y = event.clientY - (from?.clientY ?? event.clientY);
    if (event.pointerId === from?.pointerId && Math.max(Math.abs(x), Math.abs(y)) >= SWIPE) {
      from = null;
      const across = x > 0 ? 'right' : 'left';
      const along = y > 0 ? 'down' : 'up';
      swiped(Math.abs(x) > Math.abs(y) ? across : along);
    }
  });
  for (const end of ['pointerup', 'pointercancel', 'pointerleave']) {
    target.addEventListener(end, () => (from = null));
  }
}

/** The name of a key; arrows and wasd are directions. @param {KeyboardEvent} event */
export function keyName({ key }) {
  const name = key.length === 1 ? key.toLowerCase() : key.replace(/^Arrow/, '').toLowerCase();
  return { w: 'up', a: 'left', s: 'down', d: 'right', ' ': 'space' }[name] ?? name;
}

/** Whether a key belongs to what has the focus, or to the browser. @param {KeyboardEvent} event */
export function isTaken(event) {
  const { target, key } = event;
  if (event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey) {
    return true;
  }
  if (!(target instanceof Element)) {
    return false;
  }
  if (target.closest('dialog, select, textarea, [role=tab]') !== null) {
    return true;
  }
  if (target instanceof HTMLInputElement) {
    const isText = !['button', 'checkbox', 'range'].includes(target.type);
    return isText || (target.type === 'range' ? key.length > 1 && key !== 'Escape' : key === ' ');
  }
  return target.closest('button, a, summary') !== null && ['Enter', ' '].includes(key);
}
