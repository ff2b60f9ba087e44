// Simulate: an experiment is chosen, run on all cores, and shown while it runs.

import { engine } from './engine.js';
import { Run } from './run.js';

/** Rows that are drawn; an experiment may have thousands of cells. */
const ROWS_MAX = 500;
const SHOW_EVERY_MS = 400;
const CORES_MAX = 64;

let part = null;

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

const row = (...children) => element('div', { className: 'row' }, ...children);

/** A number as people read it. */
const whole = (number) => number.toLocaleString('en').replaceAll(',', '\u202f');

function scaled(number) {
  const [divisor, letter] = [[1e9, ' G'], [1e6, ' M'], [1e3, ' k']].find(([least]) => number >= least) ?? [1, ''];
  return (number / divisor).toPrecision(3).replace(/e\+.*/, '') + letter;
}

function duration(seconds) {
  const whole = Math.round(seconds);
  if (whole < 60) {
    return `${whole} s`;
  }
  const minutes = Math.floor(whole / 60);
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The decimals with which a rate is written whose interval ends here. */
const decimals = (hi) => (hi !== null && hi < 1 ? 4 : 2);

/** The parts of a cell's key; commas in parentheses belong to a player. */
const keyParts = (key) => key.split(/\/|,(?![^(]*\))/);

/** What tells the cells of a table apart, and what they share. */
function labels(cells) {
  const parts = cells.map(({ key }) => keyParts(key));
  if (cells.length < 2 || parts.some((one) => one.length !== parts[0].length)) {
    return { shared: '', of: cells.map(({ key }) => key) };
  }
  const differs = parts[0].map((part, at) => parts.some((one) => one[at] !== part));
  const join = (one, wanted) => one.filter((_, at) => differs[at] === wanted).join(', ');
  // The same cell may be in a table twice.
  return { shared: join(parts[0], false), of: parts.map((one, at) => join(one, true) || cells[at].key) };
}

function save(name, type, bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  element('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

class Simulate {
  #section;
  #experiments;
  #run = null;
  #cells = [];
  #timer = null;
  #plotUrls = [];

  constructor(section, experiments) {
    this.#section = section;
    this.#experiments = experiments;
    this.#form();
    this.#output();
    section.replaceChildren(element('h1', { textContent: 'Simulate' }), this.form, this.output);
    this.choose(experiments[0].name);
  }

  #form() {
    this.shipped = element('select', { id: 'shipped' });
    this.shipped.append(element('option', { value: '', textContent: 'your own' }));
    this.#experiments.forEach(({ name }) => this.shipped.append(element('option', { value: name, textContent: name })));
    this.shipped.addEventListener('change', () => this.choose(this.shipped.value));
    this.file = element('input', { type: 'file', id: 'experiment-file', accept: '.toml,text/plain' });
    this.file.addEventListener('change', () => this.#read(this.file.files[0]));
    this.text = element('textarea', { id: 'experiment', rows: 14, spellcheck: false, autocapitalize: 'off' });
    this.text.setAttribute('aria-describedby', 'experiment-help');
    this.text.addEventListener('input', () => {
      this.shipped.value = '';
    });
    this.games = element('input', { id: 'games', size: 9, autocomplete: 'off', placeholder: 'as written' });
    this.seed = element('input', { id: 'seed', size: 9, autocomplete: 'off', placeholder: 'as written' });
    const cores = Math.min(navigator.hardwareConcurrency || 1, CORES_MAX);
    this.cores = element('input', { id: 'cores', type: 'number', min: 1, max: CORES_MAX, value: cores, required: true });
    this.start = element('button', { type: 'submit', className: 'main', textContent: 'Run' });
    const label = (text, field) => element('label', {}, `${text} `, field);
    const help = 'An experiment file in TOML. Write it here, drop a file, or choose one that ships with tilelab.';
    this.form = element(
      'form',
      { className: 'card' },
      row(label('Experiment', this.shipped), label('or a file', this.file)),
      element('label', { htmlFor: 'experiment', textContent: 'Experiment file' }),
      this.text,
      element('p', { id: 'experiment-help', className: 'help', textContent: help }),
      row(label('Games a cell', this.games), label('Seed', this.seed), label('Workers', this.cores), this.start),
    );
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#begin();
    });
    // A file that is dropped beside the form would take the place of the page.
    this.#section.addEventListener('dragover', (event) => {
      event.preventDefault();
      this.form.classList.add('dropping');
    });
    this.#section.addEventListener('dragleave', () => this.form.classList.remove('dropping'));
    this.#section.addEventListener('drop', (event) => {
      event.preventDefault();
      this.form.classList.remove('dropping');
      this.#drop(event.dataTransfer);
    });
  }

  #output() {
    this.error = element('p', { className: 'error', hidden: true });
    this.error.setAttribute('role', 'alert');
    this.title = element('h2');
    this.bar = element('progress', { max: 1, value: 0 });
    this.bar.setAttribute('aria-label', 'Games played');
    this.line = element('p', { className: 'muted' });
    this.said = element('p', { className: 'muted' });
    this.said.setAttribute('role', 'status');
    this.pause = element('button', { type: 'button', textContent: 'Pause' });
    this.pause.addEventListener('click', () => this.#pauseOrContinue());
    this.stop = element('button', { type: 'button', textContent: 'Stop' });
    this.stop.addEventListener('click', () => this.#stop());
    this.csv = element('button', { type: 'button', textContent: 'Download cells.csv' });
    this.csv.addEventListener('click', async () => save('cells.csv', 'text/csv', await this.#run.csv()));
    this.page = element('button', { type: 'button', textContent: 'Download report.html' });
    this.page.addEventListener('click', async () => save('report.html', 'text/html', (await this.#run.report()).page));
    this.tables = element('div');
    this.plots = element('div', { className: 'plots' });
    this.running = element(
      'div',
      { hidden: true },
      this.title,
      this.bar,
      this.line,
      row(this.pause, this.stop, this.csv, this.page),
      this.tables,
      this.plots,
    );
    this.output = element('div', {}, this.error, this.said, this.running);
  }

  /** Shows an experiment that ships with tilelab. */
  choose(name) {
    const found = this.#experiments.find((experiment) => experiment.name === name);
    if (found !== undefined) {
      this.shipped.value = name;
      this.text.value = found.text;
    }
  }

  async #drop(data) {
    const file = data.files[0];
    if (file !== undefined) {
      await this.#read(file);
    } else if (data.getData('text/plain') !== '') {
      this.text.value = data.getData('text/plain');
      this.shipped.value = '';
    }
  }

  async #read(file) {
    if (file !== undefined) {
      this.text.value = await file.text();
      this.shipped.value = '';
    }
  }

  async #begin() {
    this.#stop();
    this.#fail(null);
    this.said.textContent = 'Reading the experiment.';
    const source = { experiment: this.text.value, games: this.games.value, seed: this.seed.value };
    const run = new Run(source, this.cores.valueAsNumber, () => this.#changed(run));
    this.#run = run;
    try {
      await run.open();
    } catch (error) {
      if (this.#run === run) {
        this.#stop();
        this.#fail(error);
      }
      return;
    }
    if (this.#run !== run) {
      return;
    }
    this.running.hidden = false;
    this.#clearPlots();
    this.#fill(run.description);
    run.start();
    this.#show();
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#run?.end();
    this.#run = null;
    this.#buttons();
    this.said.textContent = '';
    if (!this.running.hidden) {
      this.said.textContent = 'Stopped.';
    }
  }

  #pauseOrContinue() {
    if (this.#run.state === 'playing') {
      this.#run.pause();
    } else {
      this.#run.start();
      this.#show();
    }
  }

  #fail(error) {
    this.error.hidden = error === null;
    this.error.textContent = error === null ? '' : error.message;
    if (error !== null) {
      this.said.textContent = '';
    }
  }

  #buttons() {
    const state = this.#run?.state;
    const isPlaying = state === 'playing' || state === 'pausing';
    this.pause.textContent = state === 'paused' ? 'Continue' : 'Pause';
    this.pause.disabled = state !== 'playing' && state !== 'paused';
    this.stop.disabled = !isPlaying && state !== 'paused';
    const hasRows = state === 'done' || state === 'paused';
    this.csv.disabled = !hasRows;
    this.page.disabled = !hasRows;
  }

  async #changed(run) {
    if (this.#run !== run) {
      return;
    }
    this.#buttons();
    const words = {
      playing: 'Playing.',
      pausing: 'Pausing: the games that are being played are finished first.',
      paused: 'Paused. Files hold the cells that are done.',
      done: 'Done.',
      failed: '',
    };
    this.said.textContent = words[run.state] ?? '';
    if (run.state === 'failed') {
      this.#fail(run.error);
    } else if (run.state === 'done' || run.state === 'paused') {
      await this.#update(run);
      await this.#draw(run);
    }
  }

  /** An empty row for each cell. */
  #fill({ name, titles, cells }) {
    this.title.textContent = name;
    this.#cells = [];
    let drawn = 0;
    const tables = titles.map((title, number) => {
      const own = cells.map((cell, at) => ({ ...cell, at })).filter(({ table }) => table === number);
      const { shared, of } = labels(own);
      const head = element('tr', {});
      for (const text of ['cell', 'games', 'won %', 'interval %', 'mean moves', '']) {
        head.append(element('th', { scope: 'col', textContent: text }));
      }
      const body = element('tbody');
      own.slice(0, Math.max(0, ROWS_MAX - drawn)).forEach(({ key, at }, place) => {
        const fields = Array.from({ length: 5 }, () => element('td'));
        body.append(element('tr', {}, element('th', { scope: 'row', textContent: of[place], title: key }), ...fields));
        this.#cells[at] = fields;
      });
      const left = own.length - body.rows.length;
      drawn += body.rows.length;
      const table = element('table', { className: 'numbers' });
      table.append(element('caption', { textContent: title }), element('thead', {}, head), body);
      const box = element('div', { className: 'scroll', tabIndex: 0 }, table);
      box.setAttribute('role', 'region');
      box.setAttribute('aria-label', title);
      const notes = [shared, left > 0 ? `${whole(left)} further cells are played and not listed here` : ''];
      const note = notes.filter((text) => text !== '').join('; ');
      return element('div', {}, box, element('p', { className: 'help', textContent: note }));
    });
    this.tables.replaceChildren(...tables);
  }

  /** Shows the progress again and again while the run plays. */
  async #show() {
    const run = this.#run;
    await this.#update(run);
    if (this.#run === run && ['playing', 'pausing'].includes(run.state)) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#show(), SHOW_EVERY_MS);
    }
  }

  async #update(run) {
    const progress = await run.progress().catch(() => null);
    if (progress === null || this.#run !== run) {
      return;
    }
    const { games, gamesMax, moves, work, left, cells } = progress;
    const seconds = run.milliseconds / 1000;
    this.bar.value = gamesMax > 0 ? games / gamesMax : 0;
    const done = cells.filter((cell) => cell.done).length;
    const parts = [
      `${((100 * games) / Math.max(gamesMax, 1)).toFixed(1)} %`,
      `${done} of ${cells.length} cells`,
      `${whole(games)} games`,
      `${scaled(moves / Math.max(seconds, 0.001))} moves/s`,
      `${duration(seconds)} played`,
    ];
    // Workers do `work` seconds of work in `seconds`.
    if (run.state !== 'done' && left !== null && work > 0) {
      parts.push(`about ${duration((left * seconds) / work)} left`);
    }
    this.line.textContent = parts.join(' · ');
    this.#cells.forEach((fields, at) => {
      const { games: played, winPct, lo, hi, movesMean, done: isDone, error } = cells[at];
      const texts = [
        whole(played),
        winPct === null ? '' : winPct.toFixed(decimals(hi)),
        lo === null ? '' : `${lo.toFixed(decimals(hi))} to ${hi.toFixed(decimals(hi))}`,
        movesMean === null ? '' : movesMean.toFixed(2),
        error !== null ? `failed: ${error}` : isDone ? 'done' : played > 0 ? 'playing' : 'waiting',
      ];
      texts.forEach((text, place) => {
        if (fields[place].textContent !== text) {
          fields[place].textContent = text;
        }
      });
    });
  }

  /** The plots of report.html, of the cells that are done. */
  async #draw(run) {
    const report = await run.report().catch(() => null);
    if (report === null || this.#run !== run) {
      return;
    }
    this.#clearPlots();
    for (const { file, title, svg } of report.plots) {
      // An image runs no scripts and takes no styles from the page.
      const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
      this.#plotUrls.push(url);
      const image = element('img', { src: url, alt: title });
      const link = element('a', { href: url, download: file, textContent: file });
      this.plots.append(element('figure', {}, image, element('figcaption', { className: 'help' }, link)));
    }
  }

  #clearPlots() {
    this.plots.replaceChildren();
    this.#plotUrls.forEach((url) => URL.revokeObjectURL(url));
    this.#plotUrls = [];
  }
}

/** Shows the part; `experiment` of the query names one that ships with tilelab. */
export async function show(section, query) {
  if (part === null) {
    const { experiments } = await engine();
    part = new Simulate(section, JSON.parse(experiments()));
  }
  if (query.has('experiment')) {
    part.choose(query.get('experiment'));
  }
}
