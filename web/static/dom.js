// Elements of the page: finding and making them, dialogs, files, and words.

/** The element that a selector finds. @type {(selector: string, root?: ParentNode) => any} */
export const find = (selector, root = document) => root.querySelector(selector);

/**
 * An element with a class and children. @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {(Node | string)[]} children @returns {HTMLElementTagNameMap[T]}
 */
export function element(tag, className = '', ...children) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} className @param {(Node | string)[]} children */
export const box = (className, ...children) => element('div', className, ...children);

/** A number with its noun. @param {number} number @param {string} noun */
export const count = (number, noun) =>
  `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** A parameter's name for people. @param {string} name */
export const words = (name) => name.replaceAll('_', ' ');

/** What an error says. @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} text @param {() => unknown} clicked */
export function button(text, clicked, className = '') {
  const made = element('button', className, text);
  made.type = 'button';
  made.addEventListener('click', clicked);
  return made;
}

/** A choice among values with their texts. @param {string[][]} options @param {string} chosen */
export function choice(options, chosen) {
  const made = options.map(([value = '', text = value]) => new Option(text, value));
  const select = element('select', '', ...made);
  select.value = chosen;
  return select;
}

let fields = 0;

/** A field below its label, and what it means. @param {string} text @param {HTMLElement} field */
export function labelled(text, field, help = '') {
  fields += 1;
  field.id = `field-${fields}`;
  const label = element('label', '', text);
  label.htmlFor = field.id;
  const row = box('field', label, field);
  if (help !== '') {
    const note = element('p', 'help', help);
    note.id = `help-${fields}`;
    field.setAttribute('aria-describedby', note.id);
    row.append(note);
  }
  return row;
}

/** Opens a dialog, with a new content if any. @param {string} id @param {Node[]} content */
export function openDialog(id, ...content) {
  /** @type {HTMLDialogElement} */
  const made = find(`#${id}`);
  const body = find('.dialog-body', made);
  if (content.length > 0) {
    body.replaceChildren(...content);
  }
  // On the button that closes, or on the backdrop, which is the dialog itself.
  made.onclick = ({ target }) => {
    if (target === made || (target instanceof Element && target.closest('[data-close]'))) {
      made.close();
    }
  };
  if (!made.open) {
    made.showModal();
  }
  body.scrollTop = 0;
  find('h2', made).focus();
  return made;
}

/** Names and values side by side. @param {Facts} facts */
export const factRows = (facts) =>
  facts.map(([name, value]) => box('fact', element('dt', '', name), element('dd', '', value)));

/** A drawing of the engine; it has no scripts, and none would run. @param {string} svg */
export const drawing = (svg) =>
  document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);

/** The pixels of a drawing, two for one of its own. @param {string} svg @returns {Promise<Blob>} */
export async function toPng(svg) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  await image.decode();
  const canvas = element('canvas');
  [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob((blob) => resolve(blob ?? new Blob())));
}

/** Takes files that a field opens or that are dropped. @param {(file: File) => unknown} chosen */
export function onFile(chosen, /** @type {HTMLElement} */ field, /** @type {HTMLElement} */ on) {
  /** @param {FileList | null | undefined} files */
  const take = (files) => files?.[0] && chosen(files[0]);
  field.addEventListener('change', () => {
    const opened = /** @type {HTMLInputElement} */ (field);
    take(opened.files);
    opened.value = '';
  });
  // A file that is dropped beside the field would take the place of the page.
  on.addEventListener('dragover', (event) => event.preventDefault());
  on.addEventListener('drop', (event) => {
    event.preventDefault();
    take(event.dataTransfer?.files);
  });
}

/** A link to a file. @param {string} name @param {string} type @param {BlobPart} content */
export function download(name, type, content) {
  const link = element('a', '', name);
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  return link;
}

/** Lets a button copy a text. @param {HTMLElement} made @param {() => string} content */
export function copies(made, content) {
  const text = made.textContent;
  made.onclick = async () => {
    try {
      await navigator.clipboard.writeText(content());
      made.textContent = 'Copied';
    } catch {
      made.textContent = 'Copying is not allowed here';
    }
    setTimeout(() => made.replaceChildren(text), 2000);
  };
}
