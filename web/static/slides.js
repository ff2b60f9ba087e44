// Which tile went where: the movements of a slide, from the boards before and after it.
//
// Tiles keep their order along a line, so each tile after the slide comes from neighbouring tiles
// before it: from one that slid, from equal operators that became one, or from the tiles of an
// operation. The cheapest way to split the line into such groups is found from left to right.

/** What a group costs whose ends fit, but whose value does not. A right operation costs nothing. */
const DOUBTFUL = 5;

/**
 * The movements of a slide.
 *
 * `before` and `after` are boards (rows of cells with `text`, `tone` and `mark`), `direction` is
 * `up`, `down`, `left` or `right`. Dealt tiles of `after` are left out. Returns
 * `[{ from: [row, col], to: [row, col], made }]`, one for each tile before the slide; lines that
 * cannot be explained have none.
 */
export function slides(before, after, direction) {
  const rows = before.length;
  const cols = rows > 0 ? before[0].length : 0;
  const alongRows = direction === 'left' || direction === 'right';
  const [lines, length] = alongRows ? [rows, cols] : [cols, rows];
  const found = [];
  for (let line = 0; line < lines; line += 1) {
    const place = (at) => (alongRows ? [line, at] : [at, line]);
    const tiles = (board, keep) => {
      const list = [];
      for (let at = 0; at < length; at += 1) {
        const [row, col] = place(at);
        const cell = board[row][col];
        if (cell.tone !== 'blank' && keep(cell)) {
          list.push({ cell, place: [row, col] });
        }
      }
      return list;
    };
    const sources = tiles(before, () => true);
    const targets = tiles(after, (cell) => cell.mark !== 'dealt');
    found.push(...movements(sources, targets));
  }
  return found;
}

/** The movements along one line. */
function movements(sources, targets) {
  const from = sources.length;
  const to = targets.length;
  // best[i][j]: the least cost of explaining the first j targets by the first i sources.
  const best = Array.from({ length: from + 1 }, () => new Array(to + 1).fill(Infinity));
  const begun = Array.from({ length: from + 1 }, () => new Array(to + 1).fill(0));
  best[0][0] = 0;
  for (let j = 1; j <= to; j += 1) {
    for (let i = j; i <= from; i += 1) {
      for (let first = j - 1; first < i; first += 1) {
        if (best[first][j - 1] === Infinity) {
          continue;
        }
        const group = sources.slice(first, i).map((source) => source.cell);
        const sum = best[first][j - 1] + cost(group, targets[j - 1].cell);
        if (sum < best[i][j]) {
          best[i][j] = sum;
          begun[i][j] = first;
        }
      }
    }
  }
  if (best[from][to] === Infinity) {
    return [];
  }
  const found = [];
  let i = from;
  for (let j = to; j > 0; j -= 1) {
    const first = begun[i][j];
    for (let source = first; source < i; source += 1) {
      found.push({ from: sources[source].place, to: targets[j - 1].place, made: i - first > 1 });
    }
    i = first;
  }
  return found;
}

/** What it costs to explain a tile by a group of tiles before the slide. */
function cost(group, tile) {
  const isMade = tile.mark === 'made';
  if (group.length === 1) {
    return !isMade && group[0].text === tile.text ? 0 : Infinity;
  }
  const isOperator = (cell) => cell.tone === 'operator';
  if (isOperator(tile)) {
    return group.every((cell) => cell.text === tile.text) ? 0 : Infinity;
  }
  if (isOperator(group[0]) || isOperator(group[group.length - 1])) {
    return Infinity;
  }
  const value = BigInt(tile.text);
  if (!group.some(isOperator)) {
    // Two equal numbers merge.
    const [first, second] = group.map((cell) => BigInt(cell.text));
    return group.length === 2 && first === second && value === first + second ? 0 : Infinity;
  }
  return evaluated(group) === value ? 0 : DOUBTFUL;
}

/** The value of numbers and operators from left to right; `null` where two numbers meet. */
function evaluated(group) {
  let value = BigInt(group[0].text);
  let operator = null;
  for (const cell of group.slice(1)) {
    if (cell.tone === 'operator') {
      if (operator !== null && operator !== cell.text) {
        return null;
      }
      operator = cell.text;
      continue;
    }
    const operand = BigInt(cell.text);
    switch (operator) {
      case '+':
        value += operand;
        break;
      case '-':
        value -= operand;
        break;
      case '*':
        value *= operand;
        break;
      default:
        return null;
    }
    operator = null;
  }
  return value;
}
