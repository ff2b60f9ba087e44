// Choosing the two cells of a move, as in Offset: a cursor, the cell chosen first, and the cells
// that complete a move with it.

/** @type {Record<string, Place>} */
const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

/** @param {Place} one @param {Place} other */
const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

/** The cursor on a board in which two cells are chosen. */
export class Chooser {
  /** @type {Place | null} */
  at = null;
  /** @type {Place | null} */
  #first = null;
  /** @type {[row: number, col: number, name: string][]} */
  #targets = [];
  /** @type {Place[]} */
  #hinted = [];
  /** @type {View | null} */
  #view = null;
  #isActive = false;
  #board;
  #targetsOf;

  /**
   * `targetsOf` answers with the cells that complete a move, each with the name of the move.
   * @param {import('./board.js').Board} board
   * @param {(place: Place) => [row: number, col: number, name: string][]} targetsOf
   */
  constructor(board, targetsOf) {
    this.#board = board;
    this.#targetsOf = targetsOf;
  }

  /** Shows a new position. @param {View} view @param {boolean} isActive whether a person may choose in it */
  follow(view, isActive) {
    this.#view = view;
    this.#isActive = isActive && view.sources.length > 0;
    this.#hinted = [];
    if (this.#isActive && this.at === null) {
      this.at = [Math.floor(view.cells.length / 2), Math.floor((view.cells[0]?.length ?? 0) / 2)];
    }
    this.release();
  }

  /** Marks the two cells of a move. @param {Place[]} path */
  hint(path) {
    this.#hinted = path;
    this.#show();
    path.forEach((place) => this.#board.reveal(place));
  }

  /** Moves the cursor in a direction, or with `.` to the next cell that can be chosen. @param {string} name */
  step(name) {
    const view = this.#view;
    if (view === null || this.at === null) {
      return;
    }
    const rows = view.cells.length;
    const cols = view.cells[0]?.length ?? 0;
    const [row, col] = this.at;
    if (name === '.') {
      /** @param {Place} place */
      const rank = ([y, x]) => y * cols + x;
      const here = rank(this.at);
      const places = this.#first === null ? view.sources : this.#targets.map(([y, x]) => /** @type {Place} */ ([y, x]));
      const sorted = [...places].sort((one, other) => rank(one) - rank(other));
      this.at = sorted.find((place) => rank(place) > here) ?? sorted[0] ?? this.at;
    } else {
      const [down, along] = STEPS[name] ?? [0, 0];
      this.at = [Math.min(Math.max(row + down, 0), rows - 1), Math.min(Math.max(col + along, 0), cols - 1)];
    }
    this.#show();
    this.#board.reveal(this.at);
  }

  /**
   * Chooses a cell. Answers with the name of the move that it completes, or with what is wrong:
   * `useless` for a cell that begins no move.
   * @param {Place} place
   * @returns {Chosen}
   */
  choose(place) {
    this.at = place;
    this.#hinted = [];
    const first = this.#first;
    if (first === null) {
      const isSource = this.#view?.sources.some((source) => isSame(source, place)) ?? false;
      if (isSource) {
        this.#first = place;
        this.#targets = this.#targetsOf(place);
      }
      this.#show();
      return isSource ? null : { useless: place };
    }
    if (isSame(first, place)) {
      this.release();
      return null;
    }
    const target = this.#targets.find(([row, col]) => isSame([row, col], place));
    // The name says what was tried: by column and row.
    return { name: target?.[2] ?? `${first[1]},${first[0]}-${place[1]},${place[0]}` };
  }

  /** Lets go of the cell that was chosen first. */
  release() {
    this.#first = null;
    this.#targets = [];
    this.#show();
  }

  #show() {
    const targets = this.#targets.map(([row, col]) => /** @type {Place} */ ([row, col]));
    this.#board.point(this.#isActive ? { cursor: this.at, first: this.#first, targets, hinted: this.#hinted } : {});
  }
}
