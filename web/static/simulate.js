// Simulate: an experiment is set up or written, run on all cores, and shown while it runs.

import { box, button, choice, element, labelled, save } from './dom.js';
import { Lab } from './lab.js';
import { duration, scaled, whole } from './numbers.js';
import { Results } from './results.js';
import { Run } from './run.js';
import { read, write } from './store.js';

const SHOW_EVERY_MS = 400;
const CORES_MAX = 64;

/** @param {Run['state'] | undefined} state */
const isGoing = (state) => state === 'playing' || state === 'pausing';

/** The page's part in which experiments run. */
export class Simulate {
  /** @type {Run | null} */
  #run = null;
  /** Whether the laboratory set up the run. */
  #isLab = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** @type {string[]} */
  #plotUrls = [];
  #kept = read('simulate', { own: '', before: '' });
  #text = element('textarea');
  #games = element('input');
  #seed = element('input');
  #cores = element('input');
  #file = element('input');
  #error = element('p', 'error');
  #said = element('p', 'muted');
  #here = element('p', 'here-text');
  #title = element('h2');
  #bar = element('progress');
  #line = element('p', 'muted');
  #plots = element('div', 'plots');
  #earlier = element('p', 'earlier');
  #results = new Results();
  #pause = button('Pause', () => this.#pauseOrContinue());
  #stop = button('Stop', () => this.#run?.stop());
  #files = [
    button('Download cells.csv', async () => save('cells.csv', 'text/csv', (await this.#run?.cells('csv')) ?? '')),
    button('Download cells.json', async () => save('cells.json', 'application/json', (await this.#run?.cells('json')) ?? '')),
    button('Download report.html', async () => save('report.html', 'text/html', (await this.#run?.report())?.page ?? '')),
  ];
  #back = button('Undo: previous text', () => this.#setText(this.#kept.before, '', true));
  #running = element('div');
  #advanced = element('details');
  #form = element('form', 'card');
  /** @type {{ name: string, text: string }[]} */
  #experiments;
  #shipped;
  #lab;

  /** @param {HTMLElement} section @param {typeof import('./engine_lab.js')} exports */
  constructor(section, { catalog, experiments }) {
    this.#experiments = JSON.parse(experiments());
    this.#shipped = choice([['', 'your own'], ...this.#experiments.map(({ name }) => [name])], '');
    this.#lab = new Lab(JSON.parse(catalog()), (text) => this.#laboratory(text));
    this.#draw(section);
    this.#setText(this.#kept.own || (this.#experiments[0]?.text ?? ''), this.#kept.own === '' ? (this.#experiments[0]?.name ?? '') : '');
  }

  /** Shows what a query says; `experiment` names one that ships with tilelab. @param {URLSearchParams} query */
  show(query) {
    const name = query.get('experiment');
    if (name !== null) {
      this.#advanced.open = true;
      this.#lab.show(new URLSearchParams(), false);
      this.#choose(name);
    } else if (query.has('parameter')) {
      this.#lab.show(query);
    } else if (this.#run === null) {
      this.#lab.show(new URLSearchParams());
    }
  }

  /** @param {HTMLElement} section */
  #draw(section) {
    Object.assign(this.#text, { id: 'experiment', rows: 14, spellcheck: false });
    Object.assign(this.#file, { type: 'file', id: 'experiment-file', accept: '.toml,text/plain' });
    Object.assign(this.#games, { id: 'games', size: 9, autocomplete: 'off', placeholder: 'from file' });
    Object.assign(this.#seed, { id: 'seed', size: 9, autocomplete: 'off', placeholder: 'from file' });
    const cores = Math.min(navigator.hardwareConcurrency || 1, CORES_MAX);
    Object.assign(this.#cores, { id: 'cores', type: 'number', min: 1, max: CORES_MAX, value: cores, required: true });
    this.#shipped.id = 'shipped';
    this.#shipped.addEventListener('change', () => this.#choose(this.#shipped.value));
    this.#text.addEventListener('input', () => {
      this.#shipped.value = '';
      this.#kept.own = this.#text.value;
      write('simulate', this.#kept);
    });
    this.#file.addEventListener('change', () => this.#read(this.#file.files?.[0]));
    const start = element('button', 'main', 'Run');
    start.type = 'submit';
    this.#form.append(
      box('fields', labelled('experiment', this.#shipped), labelled('or a file', this.#file)),
      labelled('experiment file', this.#text, 'An experiment file in TOML. Write it here, drop a file, or choose one that ships with tilelab. The program tilelab plays the same file 6 to 11 times as fast.'),
      box('row', this.#back),
      box('fields', labelled('games a cell', this.#games), labelled('seed', this.#seed), labelled('workers', this.#cores)),
      start,
    );
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#isLab = false;
      this.#begin();
    });
    this.#advanced.append(element('summary', '', 'Advanced: the experiment file'), this.#form);
    this.#error.setAttribute('role', 'alert');
    this.#error.hidden = true;
    this.#said.setAttribute('role', 'status');
    this.#bar.setAttribute('aria-label', 'Games played');
    this.#running.hidden = true;
    const buttons = box('row', this.#pause, this.#stop, ...this.#files);
    this.#running.append(this.#title, this.#here, this.#results.root, this.#bar, this.#line, buttons, this.#plots);
    section.replaceChildren(element('h1', '', 'Simulate'), this.#lab.root, this.#error, this.#said, this.#running, this.#advanced, this.#earlier);
    // A file that is dropped beside the form would take the place of the page.
    section.addEventListener('dragover', (event) => {
      event.preventDefault();
      this.#form.classList.add('dropping');
    });
    section.addEventListener('dragleave', () => this.#form.classList.remove('dropping'));
    section.addEventListener('drop', (event) => {
      event.preventDefault();
      this.#form.classList.remove('dropping');
      this.#advanced.open = true;
      const [file] = event.dataTransfer?.files ?? [];
      const text = event.dataTransfer?.getData('text/plain') ?? '';
      if (file !== undefined) {
        this.#read(file);
      } else if (text !== '') {
        this.#setText(text, '', true);
      }
    });
  }

  /** Shows an experiment that ships with tilelab, or with no name the person's own text. @param {string} name */
  #choose(name) {
    const found = this.#experiments.find((experiment) => experiment.name === name);
    this.#setText(found?.text ?? this.#kept.own, name);
  }

  /** Replaces the text; one that a person wrote can be brought back. @param {string} text @param {string} shipped @param {boolean} isOwn */
  #setText(text, shipped, isOwn = false) {
    const { value } = this.#text;
    if (value !== text && value !== '' && value === this.#kept.own) {
      this.#kept.before = value;
    }
    this.#text.value = text;
    this.#shipped.value = shipped;
    if (isOwn) {
      this.#kept.own = text;
    }
    this.#back.hidden = this.#kept.before === '' || this.#kept.before === text;
    write('simulate', this.#kept);
  }

  /** @param {File | undefined} file */
  async #read(file) {
    if (file !== undefined) {
      this.#setText(await file.text(), '', true);
    }
  }

  /** Plays what the laboratory asks for; without a text, only its slider has moved. @param {string | null} text */
  #laboratory(text) {
    if (text === null) {
      this.#showHere();
      this.#results.update(null, this.#lab.at);
    } else {
      this.#setText(text, '');
      this.#isLab = true;
      this.#begin();
    }
    history.replaceState(null, '', `#${this.#lab.link}`);
  }

  #showHere() {
    this.#here.textContent = this.#isLab ? this.#results.at(this.#lab.at) : '';
  }

  async #begin() {
    await this.#keepEarlier();
    this.#fail('');
    this.#said.textContent = 'Reading the experiment.';
    const source = { experiment: this.#text.value, games: this.#games.value, seed: this.#seed.value };
    const run = new Run(source, this.#cores.valueAsNumber, () => this.#changed(run));
    this.#run = run;
    try {
      await run.open();
    } catch (error) {
      if (this.#run === run) {
        run.end();
        this.#run = null;
        this.#fail(error instanceof Error ? error.message : String(error));
        this.#buttons();
      }
      return;
    }
    if (this.#run !== run) {
      return;
    }
    this.#running.hidden = false;
    this.#clearPlots();
    this.#title.textContent = this.#isLab ? '' : run.description.name;
    this.#results.begin(run.description);
    run.start();
    this.#show();
  }

  /** Ends the run before, whose cells can still be downloaded. */
  async #keepEarlier() {
    clearTimeout(this.#timer);
    const run = this.#run;
    this.#run = null;
    if (run === null) {
      return;
    }
    run.stop();
    const [name, csv] = [run.description.name, await run.cells('csv').catch(() => null)];
    run.end();
    if (csv !== null && name !== 'laboratory' && csv.includes(10, csv.indexOf(10) + 1)) {
      const link = element('a', '', `cells.csv of ${name}`);
      link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
      link.download = 'cells.csv';
      this.#earlier.append(this.#earlier.hasChildNodes() ? ', ' : 'Earlier runs: ', link);
    }
  }

  #pauseOrContinue() {
    if (this.#run?.state === 'playing') {
      this.#run.pause();
    } else {
      this.#run?.start();
      this.#show();
    }
  }

  /** @param {string} message */
  #fail(message) {
    this.#error.hidden = message === '';
    this.#error.textContent = message;
    if (message !== '') {
      this.#said.textContent = '';
    }
  }

  #buttons() {
    const state = this.#run?.state;
    this.#pause.textContent = state === 'paused' ? 'Continue' : 'Pause';
    this.#pause.disabled = state !== 'playing' && state !== 'paused';
    this.#stop.disabled = !isGoing(state) && state !== 'paused';
    const hasRows = state === 'done' || state === 'paused' || state === 'stopped';
    this.#files.forEach((file) => {
      file.disabled = !hasRows;
    });
  }

  /** @param {Run} run */
  async #changed(run) {
    if (this.#run !== run) {
      return;
    }
    this.#buttons();
    const told = {
      waiting: '',
      playing: 'Playing.',
      pausing: 'Pausing: games in progress are finished first.',
      paused: 'Paused. The files contain the finished cells.',
      stopped: 'Stopped. The files contain the finished cells.',
      done: 'Done.',
      failed: '',
    };
    this.#said.textContent = told[run.state];
    if (run.state === 'failed') {
      this.#fail(run.error);
    } else if (['done', 'paused', 'stopped'].includes(run.state)) {
      await this.#update(run);
      await this.#drawPlots(run);
    }
  }

  /** Shows the progress again and again while the run plays. */
  async #show() {
    const run = this.#run;
    if (run === null) {
      return;
    }
    await this.#update(run);
    if (this.#run === run && isGoing(run.state)) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#show(), SHOW_EVERY_MS);
    }
  }

  /** @param {Run} run */
  async #update(run) {
    const progress = await run.progress().catch(() => null);
    if (progress === null || this.#run !== run) {
      return;
    }
    const { games, gamesMax, moves, work, left, cells } = progress;
    const seconds = run.milliseconds / 1000;
    this.#bar.value = gamesMax > 0 ? games / gamesMax : 0;
    const parts = [
      `${((100 * games) / Math.max(gamesMax, 1)).toFixed(1)} %`,
      `${cells.filter((cell) => cell.done).length} of ${cells.length} cells`,
      `${whole(games)} games`,
      `${scaled(moves / Math.max(seconds, 0.001))} moves/s`,
      `${duration(seconds)} played`,
    ];
    // Workers do `work` seconds of work in `seconds`.
    if (run.state !== 'done' && left !== null && work > 0) {
      parts.push(`about ${duration((left * seconds) / work)} left`);
    }
    this.#line.textContent = parts.join(' · ');
    this.#results.update(cells, this.#isLab ? this.#lab.at : null);
    this.#showHere();
  }

  /** The plots of report.html, of the cells that are done. @param {Run} run */
  async #drawPlots(run) {
    const report = this.#isLab ? null : await run.report().catch(() => null);
    if (report === null || this.#run !== run) {
      return;
    }
    this.#clearPlots();
    for (const { file, title, svg } of report.plots) {
      // An image runs no scripts and takes no styles from the page.
      const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      this.#plotUrls.push(url);
      const image = element('img');
      Object.assign(image, { src: url, alt: title });
      const link = element('a', '', file);
      Object.assign(link, { href: url, download: file });
      const caption = element('figcaption', 'help');
      caption.append(link);
      const figure = element('figure');
      figure.append(image, caption);
      this.#plots.append(figure);
    }
  }

  #clearPlots() {
    this.#plots.replaceChildren();
    this.#plotUrls.forEach((url) => URL.revokeObjectURL(url));
    this.#plotUrls = [];
  }
}
