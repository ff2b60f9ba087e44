// Elements of the page: making them, dialogs, and small parts that are used everywhere.

/**
 * An element with a class, and a text if one is given.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string | null} [text]
 * @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, className = '', text = null) {
  const made = document.createElement(tag);
  if (className !== '') {
    made.className = className;
  }
  if (text !== null) {
    made.textContent = text;
  }
  return made;
}

/**
 * An element with this class that holds these.
 * @param {string} className
 * @param {(Node | string)[]} children
 */
export function box(className, ...children) {
  const made = element('div', className);
  made.append(...children);
  return made;
}

/** A number with its noun. @param {number} number @param {string} noun */
export const count = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/**
 * A button with a text, and what it does.
 * @param {string} text
 * @param {() => unknown} clicked
 * @param {{ className?: string, label?: string, key?: string }} [options]
 */
export function button(text, clicked, { className = '', label, key } = {}) {
  const made = element('button', className, text);
  made.type = 'button';
  if (label !== undefined) {
    made.setAttribute('aria-label', label);
    made.title = label;
  }
  if (key !== undefined) {
    made.setAttribute('aria-keyshortcuts', key);
    made.title = `${label ?? text} (${key})`;
  }
  made.addEventListener('click', clicked);
  return made;
}

/** A labelled checkbox. @param {string} text @param {boolean} isChecked @param {(isChecked: boolean) => void} changed */
export function checkbox(text, isChecked, changed) {
  const field = element('input');
  field.type = 'checkbox';
  field.checked = isChecked;
  field.addEventListener('change', () => changed(field.checked));
  const label = element('label', 'setting');
  label.append(field, text);
  return label;
}

/** A choice among values with their texts. @param {string[][]} options @param {string} chosen */
export function choice(options, chosen) {
  const select = element('select');
  for (const [value = '', text = value] of options) {
    const option = element('option', '', text);
    option.value = value;
    option.selected = value === chosen;
    select.append(option);
  }
  return select;
}

let fields = 0;

/** A field below its label, and what it means. @param {string} text @param {HTMLElement} field */
export function labelled(text, field, help = '') {
  fields += 1;
  const row = element('div', 'field');
  const label = element('label', '', text);
  field.id ||= `field-${fields}`;
  label.htmlFor = field.id;
  row.append(label, field);
  if (help !== '') {
    const note = element('p', 'help', help);
    note.id = `help-${fields}`;
    field.setAttribute('aria-describedby', note.id);
    row.append(note);
  }
  return row;
}

/**
 * A dialog with a heading and a button that closes it; `show(…content)` fills and opens it.
 * @param {HTMLElement} host
 * @param {string} title
 */
export function dialog(host, title) {
  const made = element('dialog', 'play-dialog');
  const heading = element('h2', '', title);
  heading.id = `dialog-${title.toLowerCase().replaceAll(/\W+/g, '-')}-${host.id}`;
  heading.tabIndex = -1;
  made.setAttribute('aria-labelledby', heading.id);
  const close = button('✕', () => made.close(), { className: 'quiet', label: 'Close' });
  const body = element('div', 'dialog-body');
  made.append(box('dialog-head', heading, close), body);
  made.addEventListener('click', (event) => {
    // A click on the backdrop is a click on the dialog itself.
    if (event.target === made) {
      made.close();
    }
  });
  host.append(made);
  /** @param {(Node | string)[]} content */
  const show = (...content) => {
    body.replaceChildren(...content);
    made.showModal();
    body.scrollTop = 0;
    // Not on the button that closes, which comes first.
    heading.focus();
  };
  return { box: made, show };
}

/** Keys and what they do. @param {[string, string][]} entries */
export function keyList(entries) {
  const list = element('dl', 'key-list');
  for (const [key, what] of entries) {
    const term = element('dt');
    term.append(element('kbd', '', key));
    list.append(box('', term, element('dd', '', what)));
  }
  return list;
}

/** Names and values side by side; elements stay as long as the names do. */
export class FactList {
  root = element('dl', 'facts');
  /** @type {Map<string, HTMLElement>} */
  #values = new Map();
  #names = '';

  /** @param {Facts} facts */
  show(facts) {
    const names = facts.map(([name]) => name).join('\n');
    if (names !== this.#names) {
      this.#names = names;
      this.#values.clear();
      const pairs = facts.map(([name]) => {
        const value = element('dd');
        this.#values.set(name, value);
        return box('fact', element('dt', '', name), value);
      });
      this.root.replaceChildren(...pairs);
    }
    for (const [name, text] of facts) {
      const value = this.#values.get(name);
      if (value !== undefined && value.textContent !== text) {
        value.textContent = text;
      }
    }
  }
}

/** Offers bytes or text as a file. @param {string} name @param {string} type @param {BlobPart} content */
export function save(name, type, content) {
  const link = element('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/**
 * Copies a text; whether the browser allowed it.
 * @param {string} text
 */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
