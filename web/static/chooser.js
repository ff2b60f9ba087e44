// Choosing the two cells of a move, as in Offset: a cursor, the cell chosen first, and the cells
// that complete a move with it.

const STEPS = { up: [-1, 0], down: [1, 0], left: [0, -1], right: [0, 1] };

const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

/** The cursor on a board in which two cells are chosen. Cells are [row, column]. */
export class Chooser {
  constructor(board) {
    this.board = board;
    this.at = null;
    this.first = null;
    this.hinted = [];
    this.view = null;
    this.isActive = false;
  }

  /** Shows a new position; `isActive` where a person may choose in it. */
  follow(view, isActive) {
    this.view = view;
    this.isActive = isActive && view.paths.length > 0;
    this.first = null;
    this.hinted = [];
    if (this.isActive && this.at === null) {
      this.at = [Math.floor(view.cells.length / 2), Math.floor(view.cells[0].length / 2)];
    }
    this.#show();
  }

  /** Marks the two cells of a move. */
  hint(path) {
    this.hinted = path;
    this.#show();
    path.forEach((place) => this.board.reveal(place));
  }

  /** Moves the cursor in a direction, or with `.` to the next cell that can be chosen. */
  step(name) {
    const rows = this.view.cells.length;
    const cols = this.view.cells[0].length;
    const [row, col] = this.at;
    if (name === '.') {
      const rank = ([y, x]) => y * cols + x;
      const places = this.first === null ? this.view.paths.map(([from]) => from) : this.#targets();
      const sorted = [...places].sort((one, other) => rank(one) - rank(other));
      this.at = sorted.find((place) => rank(place) > rank(this.at)) ?? sorted[0] ?? this.at;
    } else {
      const [down, along] = STEPS[name];
      this.at = [Math.min(Math.max(row + down, 0), rows - 1), Math.min(Math.max(col + along, 0), cols - 1)];
    }
    this.#show();
    this.board.reveal(this.at);
  }

  /**
   * Chooses a cell. Returns the name of the move that it completes, as `{ name }`, or why there is
   * none: `{ useless: place }` for a cell that begins no move; otherwise `{}`.
   */
  choose(place) {
    this.at = place;
    this.hinted = [];
    let answer = {};
    if (this.first === null) {
      if (this.view.paths.some(([from]) => isSame(from, place))) {
        this.first = place;
      } else {
        answer = { useless: place };
      }
    } else if (isSame(this.first, place)) {
      this.first = null;
    } else {
      // Moves are named by column and row.
      answer = { name: `${this.first[1]},${this.first[0]}-${place[1]},${place[0]}` };
    }
    this.#show();
    return answer;
  }

  /** Lets go of the cell that was chosen first. */
  release() {
    this.first = null;
    this.#show();
  }

  #targets() {
    return this.first === null ? [] : this.view.paths.filter(([from]) => isSame(from, this.first)).map(([, to]) => to);
  }

  #show() {
    const { at, first, hinted } = this;
    this.board.point(this.isActive ? { cursor: at, first, targets: this.#targets(), hinted } : {});
  }
}
