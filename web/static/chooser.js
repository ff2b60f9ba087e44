// Choosing the two cells of a move, as in Offset: a cursor, the cell chosen first, and the cells
// that complete a move with it.

/** @type {Record<string, Place>} */
const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

/** @param {Place} one @param {Place} other */
const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

/** @param {number} value @param {number} size */
const within = (value, size) => Math.min(Math.max(value, 0), size - 1);

/** The cursor on a board in which two cells are chosen. */
export class Chooser {
  /** The cell under the cursor. @type {Place} */
  at = [0, 0];
  /** @type {Place | null} */
  #first = null;
  /** Cells that complete a move, with its name. @type {[...Place, string][]} */
  #targets = [];
  /** @type {Place[]} */
  #hinted = [];
  /** Cells that begin a move; none while a person may not choose. @type {Place[]} */
  #sources = [];
  #rows = 0;
  #cols = 0;
  #board;
  #game;

  /** @param {import('./board.js').Board} board @param {import('./table.js').Game} game */
  constructor(board, game) {
    this.#board = board;
    this.#game = game;
  }

  /** Shows a position, to choose in. @param {View} view @param {boolean} isActive */
  follow({ cells, sources }, isActive) {
    if (this.#rows === 0) {
      this.#rows = cells.length;
      this.#cols = cells[0]?.length ?? 0;
      this.at = [Math.floor(this.#rows / 2), Math.floor(this.#cols / 2)];
    }
    this.#sources = isActive ? sources : [];
    this.#hinted = [];
    this.release();
  }

  /** Marks the two cells of a move. @param {Place[]} path */
  hint(path) {
    this.#hinted = path;
    this.#show();
    path.forEach((place) => this.#board.reveal(place));
  }

  /** Moves the cursor, with `.` to the next cell that can be chosen. @param {string} name */
  step(name) {
    const [row, col] = this.at;
    if (name === '.') {
      /** @param {Place} place */
      const rank = ([y, x]) => y * this.#cols + x;
      const places = this.#first === null ? [...this.#sources] : this.#targetPlaces;
      places.sort((one, other) => rank(one) - rank(other));
      this.at = places.find((place) => rank(place) > rank(this.at)) ?? places[0] ?? this.at;
    } else {
      const [down, along] = STEPS[name] ?? [0, 0];
      this.at = [within(row + down, this.#rows), within(col + along, this.#cols)];
    }
    this.#show();
    this.#board.reveal(this.at);
  }

  /** Chooses a cell; the move that it completes, or why it is useless. @param {Place} place */
  choose(place) {
    this.at = place;
    this.#hinted = [];
    const first = this.#first;
    if (first === null) {
      const isSource = this.#sources.some((source) => isSame(source, place));
      if (isSource) {
        this.#first = place;
        this.#targets = JSON.parse(this.#game.targets(...place));
      }
      this.#show();
      return isSource ? {} : { problem: `No legal move starts at ${place[1]},${place[0]}.` };
    }
    if (isSame(first, place)) {
      this.release();
      return {};
    }
    const [, , name] = this.#targets.find(([row, col]) => isSame([row, col], place)) ?? [];
    // The name says what was tried: by column and row.
    return { name: name ?? `${first[1]},${first[0]}-${place[1]},${place[0]}` };
  }

  /** Lets go of the cell that was chosen first. */
  release() {
    this.#first = null;
    this.#targets = [];
    this.#show();
  }

  get #targetPlaces() {
    return this.#targets.map(([row, col]) => /** @type {Place} */ ([row, col]));
  }

  #show() {
    this.#board.point({
      cursor: this.#sources.length > 0 ? this.at : null,
      first: this.#first,
      targets: this.#targetPlaces,
      hinted: this.#hinted,
    });
  }
}
