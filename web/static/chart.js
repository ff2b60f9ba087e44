// Curves with bands, and rows of intervals, as SVG. Colours come from the style sheet.

/** @typedef {{ x: number, y: number, lo?: number | null, hi?: number | null }} Point */
/** @typedef {{ name?: string, points: Point[] }} Series */

const WIDTH = 640;
const HEIGHT = 300;
const LEFT = 66;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 52;
const ROW = 38;
/** Curves and classes of colours; further ones repeat them. */
export const COLOURS = 6;

/**
 * @param {string} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
function svg(name, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

/** Round numbers between two, about `count` of them. @param {number} from @param {number} to @param {number} count */
function ticks(from, to, count) {
  const rough = (to - from) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** The least and the largest of some numbers, apart. @param {number[]} numbers */
function range(numbers) {
  const least = Math.min(...numbers);
  const most = Math.max(...numbers);
  return most > least ? { least, most } : { least: least - 0.5, most: most + 0.5 };
}

/** @param {string} label @param {number} height @param {Node[]} content */
function frame(label, height, ...content) {
  const made = svg('svg', { class: 'chart', viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': label }, ...content);
  return made;
}

/** The largest value that an axis of percents needs. @param {Point[]} points */
function top(points) {
  const most = Math.max(0.1, ...points.map(({ y, hi }) => Math.min(hi ?? y, 2 * y + 1)));
  return Math.min(100, ticks(0, 1.3 * most, 5).at(-1) ?? 100);
}

/**
 * Curves over a number, each with the band of its intervals.
 * @param {{ label: string, xLabel: string, series: Series[], marks?: Point[], yMax?: number, at?: number }} options
 */
export function curve({ label, xLabel, series, marks = [], yMax, at }) {
  const points = series.flatMap((one) => one.points);
  const { least, most } = range(points.map(({ x }) => x));
  const high = yMax ?? top(points);
  const x = (/** @type {number} */ value) => LEFT + ((value - least) / (most - least)) * (WIDTH - LEFT - RIGHT);
  const y = (/** @type {number} */ value) => HEIGHT - BOTTOM - (Math.min(value, high) / high) * (HEIGHT - TOP - BOTTOM);
  const place = (/** @type {number} */ one, /** @type {number} */ other) => `${x(one).toFixed(1)},${y(other).toFixed(1)}`;
  const across = ticks(0, high, 5).flatMap((value) => [
    svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    svg('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, `${value} %`),
  ]);
  const along = ticks(least, most, 8).map((value) => svg('text', { class: 'tick', x: x(value), y: HEIGHT - BOTTOM + 20, 'text-anchor': 'middle' }, String(value)));
  const drawn = series.flatMap(({ points: own }, number) => {
    const known = own.filter(({ lo, hi }) => typeof lo === 'number' && typeof hi === 'number');
    const upper = known.map((point) => place(point.x, point.hi ?? 0));
    const lower = known.map((point) => place(point.x, point.lo ?? 0)).reverse();
    const colour = `colour-${number % COLOURS}`;
    return [
      ...(known.length > 1 ? [svg('polygon', { class: `band ${colour}`, points: [...upper, ...lower].join(' ') })] : []),
      svg('polyline', { class: `curve ${colour}`, points: own.map((point) => place(point.x, point.y)).join(' ') }),
      ...(own.length <= 60 ? own.map((point) => svg('circle', { class: `dot ${colour}`, cx: x(point.x), cy: y(point.y), r: 3 })) : []),
    ];
  });
  const ends = marks.map((point) => svg('circle', { class: 'mark', cx: x(point.x), cy: y(point.y), r: 7 }));
  const here = at === undefined ? [] : [svg('line', { class: 'here', x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM })];
  const title = svg('text', { class: 'axis-title', x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 8, 'text-anchor': 'middle' }, xLabel);
  return frame(label, HEIGHT, ...across, ...along, ...here, ...drawn, ...ends, title);
}

/**
 * A row for each name: its rate as a dot on its interval, below the name.
 * @param {string} label
 * @param {{ name: string, point: Point | null }[]} rows
 */
export function intervals(label, rows) {
  const margin = 30;
  const bottom = TOP + ROW * rows.length;
  // Without the players' parameters, where these tell nothing apart.
  const bare = rows.map(({ name }) => name.replaceAll(/\([^()]*\)/g, ''));
  const areBare = new Set(bare).size === rows.length;
  // All of every interval is seen.
  const high = top(rows.map(({ point }) => ({ x: 0, y: point?.hi ?? point?.y ?? 0 })));
  const x = (/** @type {number} */ value) => margin + (Math.min(value, high) / high) * (WIDTH - 2 * margin);
  const content = ticks(0, high, 5).flatMap((value) => [
    svg('line', { class: 'grid', x1: x(value), x2: x(value), y1: TOP, y2: bottom }),
    svg('text', { class: 'tick', x: x(value), y: bottom + 18, 'text-anchor': 'middle' }, `${value} %`),
  ]);
  rows.forEach(({ name, point }, at) => {
    const y = TOP + ROW * (at + 1) - 8;
    content.push(svg('text', { class: 'tick', x: margin, y: y - 10 }, (areBare ? bare[at] : undefined) ?? name));
    if (point !== null) {
      content.push(
        svg('line', { class: 'interval', x1: x(point.lo ?? point.y), x2: x(point.hi ?? point.y), y1: y, y2: y }),
        svg('circle', { class: 'dot colour-0', cx: x(point.y), cy: y, r: 4 }),
      );
    }
  });
  return frame(label, bottom + 28, ...content);
}
