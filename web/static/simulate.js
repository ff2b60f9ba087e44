// Simulate: an experiment is set up or written, run on all cores, and shown while it runs.

import { download, find, onFile, reason, toPng } from './dom.js';
import { Lab } from './lab.js';
import { Results } from './results.js';
import { Run } from './run.js';
import { read, write } from './store.js';

const SHOW_EVERY_MS = 400;
const CORES_MAX = 64;
/** What is said in each state of a run. */
const SAID = {
  waiting: '',
  playing: 'Playing.',
  pausing: 'Pausing: games in progress are finished first.',
  paused: 'Paused. The files contain the finished cells.',
  stopped: 'Stopped. The files contain the finished cells.',
  done: 'Done.',
  failed: '',
};

/** The page's part in which experiments run. */
export class Simulate {
  /** @type {Run | null} */
  #run = null;
  /** Whether the laboratory set up the run. */
  #isLab = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #kept = read('simulate', { own: '', before: '' });
  #results = new Results();
  /** @type {{ name: string, text: string }[]} */
  #experiments;
  #section;
  #lab;

  /** @param {HTMLElement} section @param {typeof import('./engine_lab.js')} engine */
  constructor(section, engine) {
    this.#section = section;
    this.#experiments = JSON.parse(engine.experiments());
    this.#lab = new Lab(engine, (text) => this.#laboratory(text));
    this.#find('#cores').value = Math.min(navigator.hardwareConcurrency || 1, CORES_MAX);
    const shipped = this.#find('#shipped');
    shipped.append(...this.#experiments.map(({ name }) => new Option(name)));
    shipped.addEventListener('change', () => this.#choose(shipped.value));
    this.#find('textarea').addEventListener('input', () => {
      shipped.value = '';
      this.#kept.own = this.#find('textarea').value;
      write('simulate', this.#kept);
    });
    this.#find('form').addEventListener('submit', (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#isLab = false;
      this.#begin();
    });
    const back = () => this.#setText(this.#kept.before, '', true);
    this.#find('#before').addEventListener('click', back);
    this.#find('#pause').addEventListener('click', () => this.#pauseOrContinue());
    this.#find('#stop').addEventListener('click', () => this.#run?.stop());
    for (const made of this.#files) {
      const { file = '', type = '', call = '' } = made.dataset;
      const save = async () => {
        const content = await this.#run?.ask(call, location.href);
        download(file, type, type === 'image/png' ? await toPng(content) : content).click();
      };
      made.addEventListener('click', () => save().catch((error) => this.#fail(reason(error))));
    }
    onFile((file) => this.#read(file), this.#find('#experiment-file'), section);
    const [first] = this.#experiments;
    const { own } = this.#kept;
    this.#setText(own || (first?.text ?? ''), own === '' ? (first?.name ?? '') : '');
  }

  /** An element of the section. @param {string} selector @returns {any} */
  #find(selector) {
    return find(selector, this.#section);
  }

  /** The buttons of the files of a run. @returns {HTMLButtonElement[]} */
  get #files() {
    return /** @type {any[]} */ ([...this.#section.querySelectorAll('[data-file]')]);
  }

  /** Shows what a query says; `experiment` names a shipped one. @param {URLSearchParams} query */
  show(query) {
    const name = query.get('experiment');
    if (name !== null) {
      this.#find('.advanced').open = true;
      this.#lab.show(new URLSearchParams(), false);
      this.#choose(name);
    } else if (query.has('parameter') || this.#run === null) {
      this.#lab.show(query);
    }
  }

  /** Shows a shipped experiment, or with no name the person's own. @param {string} name */
  #choose(name) {
    const found = this.#experiments.find((experiment) => experiment.name === name);
    this.#setText(found?.text ?? this.#kept.own, name);
  }

  /** Replaces the text; a person's own is kept. @param {string} text @param {string} shipped */
  #setText(text, shipped, isOwn = false) {
    const { value } = this.#find('textarea');
    if (value !== text && value !== '' && value === this.#kept.own) {
      this.#kept.before = value;
    }
    this.#find('textarea').value = text;
    this.#find('#shipped').value = shipped;
    if (isOwn) {
      this.#kept.own = text;
    }
    this.#find('#before').hidden = this.#kept.before === '' || this.#kept.before === text;
    write('simulate', this.#kept);
  }

  /** @param {File} file */
  async #read(file) {
    this.#find('.advanced').open = true;
    this.#setText(await file.text(), '', true);
  }

  /** Plays what the laboratory asks for; `null`: its slider moved. @param {string | null} text */
  #laboratory(text) {
    if (text === null) {
      this.#show();
    } else {
      this.#setText(text, '');
      this.#isLab = true;
      this.#begin();
    }
    history.replaceState(null, '', `#${this.#lab.link}`);
  }

  async #begin() {
    await this.#keepEarlier();
    this.#fail('');
    this.#find('.said').textContent = 'Reading the experiment.';
    const source = ['textarea', '#games', '#seed'].map((field) => this.#find(field).value);
    const run = new Run(source, this.#find('#cores').valueAsNumber, () => this.#changed(run));
    this.#run = run;
    try {
      await run.open();
    } catch (error) {
      if (this.#run === run) {
        run.end();
        this.#run = null;
        this.#fail(reason(error));
        this.#buttons();
      }
      return;
    }
    if (this.#run === run) {
      this.#find('.running').hidden = false;
      this.#find('h2').textContent = this.#isLab ? '' : run.description.name;
      this.#results.begin(this.#find('.results'), run.description);
      run.start();
      this.#show();
    }
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
    const { name } = run.description;
    /** @type {Uint8Array<ArrayBuffer> | null} */
    const csv = await run.ask('cellsCsv').catch(() => null);
    run.end();
    if (csv !== null && name !== 'laboratory' && csv.includes(10, csv.indexOf(10) + 1)) {
      const earlier = this.#find('.earlier');
      const between = earlier.hasChildNodes() ? ', ' : 'Earlier runs: ';
      earlier.append(between, download('cells.csv', 'text/csv', csv), ` of ${name}`);
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
    Object.assign(this.#find('.error'), { hidden: message === '', textContent: message });
    this.#find('.said').textContent = '';
  }

  #buttons() {
    const { state = 'failed', isGoing = false } = this.#run ?? {};
    const pause = this.#find('#pause');
    pause.textContent = state === 'paused' ? 'Continue' : 'Pause';
    pause.disabled = state !== 'playing' && state !== 'paused';
    this.#find('#stop').disabled = !isGoing && state !== 'paused';
    this.#files.forEach((file) => (file.disabled = !['done', 'paused', 'stopped'].includes(state)));
  }

  /** @param {Run} run */
  #changed(run) {
    if (this.#run === run) {
      this.#buttons();
      this.#find('.said').textContent = SAID[run.state];
      if (run.state === 'failed') {
        this.#fail(run.error);
      } else if (!run.isGoing) {
        this.#show();
      }
    }
  }

  /** Shows the progress, again and again while the run plays; in the laboratory at its slider. */
  async #show() {
    clearTimeout(this.#timer);
    const run = this.#run;
    const here = this.#isLab ? this.#lab.at : undefined;
    const progress = await run?.progress(here).catch(() => null);
    if (run === null || this.#run !== run) {
      return;
    }
    if (progress) {
      this.#find('progress').value = progress.share;
      this.#find('.line').textContent = progress.line;
      this.#results.update(progress);
      const [, percent = '', interval] = progress.cells[here ?? -1] ?? [];
      this.#find('.here-text').textContent = percent && `${percent} % won (${interval} %)`;
    }
    if (run.isGoing) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#show(), SHOW_EVERY_MS);
    }
  }
}
