"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("page");
  const SVG = "http://www.w3.org/2000/svg";
  const LOOKS = 7;
  const at = new Map(data.columns.map((name, index) => [name, index]));
  const field = (row, name) => (at.has(name) ? data.rows[row][at.get(name)] : "");
  const number = (row, name) => { const text = field(row, name); return text === "" ? null : Number(text); };

  /** An element with attributes and children; a key that starts with "on" is a listener. */
  const element = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const shape = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  const short = (value, digits = 4) => {
    if (value === null || !Number.isFinite(value)) return "";
    const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(digits));
    return rounded.toLocaleString("en", { maximumFractionDigits: 15 }).replace(/,/g, "\u202f");
  };
  const numericColumn = (name) => data.rows.every((row) => row[at.get(name)] === "" || Number.isFinite(Number(row[at.get(name)])));

  // --- what is shown: one filter for the tables and the plots ---------------------------------------------------------------
  const tables = [...new Set(data.rows.map((_, row) => field(row, "table")))];
  const state = { words: "", table: "", chosen: data.factors.map(() => ""), sort: null, descending: false, every: false };
  const matches = (row) =>
    (state.table === "" || field(row, "table") === state.table) &&
    data.factors.every((factor, index) => state.chosen[index] === "" || factor.ofRow[row] === Number(state.chosen[index])) &&
    state.words.toLowerCase().split(/\s+/).every((word) => wordsOf(row).includes(word));
  const wordsOf = (row) => `${data.rows[row].join(" ")} ${labelOf(row, data.factors)}`.toLowerCase();
  const visible = () => data.rows.map((_, row) => row).filter(matches);
  const labelOf = (row, factors) =>
    factors.filter((factor) => factor.ofRow[row] !== null)
      .map((factor) => (factor.numeric ? `${factor.name} ` : "") + factor.values[factor.ofRow[row]]).join(", ");

  const select = (label, options, value, change) => {
    const choice = element("select", { onchange: (event) => change(event.target.value), "data-name": label },
      ...options.map(([key, text]) => element("option", { value: key, selected: key === value }, text)));
    return element("label", {}, label, choice);
  };

  // --- tooltips -------------------------------------------------------------------------------------------------------------
  const tip = element("div", { class: "tip", role: "status", hidden: true });
  const showTip = (text, x, y) => {
    tip.textContent = text;
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${y + box.height + 22 > innerHeight ? y - box.height - 10 : y + 14}px`;
  };
  const hideTip = () => { tip.hidden = true; };
  const hints = (text, row) => ({
    onpointerenter: (event) => { showTip(text, event.clientX, event.clientY); highlight(row); },
    onpointerleave: () => { hideTip(); highlight(null); },
    onfocus: (event) => { const box = event.target.getBoundingClientRect(); showTip(text, box.right, box.bottom); highlight(row); },
    onblur: () => { hideTip(); highlight(null); },
  });
  const highlight = (row) => {
    for (const line of document.querySelectorAll("tr.hit")) line.classList.remove("hit");
    if (row !== null) document.querySelector(`tr[data-row="${row}"]`)?.classList.add("hit");
  };

  // --- scales ---------------------------------------------------------------------------------------------------------------
  function scale(lo, hi, from, to, log) {
    if (!(hi > lo)) { hi = log ? lo * 10 : lo + 1; }
    const share = log
      ? (value) => (Math.log(Math.max(value, lo)) - Math.log(lo)) / (Math.log(hi) - Math.log(lo))
      : (value) => (value - lo) / (hi - lo);
    const place = (value) => from + Math.min(1, Math.max(0, share(value))) * (to - from);
    place.ticks = (count) => {
      const ticks = [];
      if (log) {
        const decades = Math.log10(hi / lo);
        const digits = decades * 3 <= count ? [1, 2, 5] : [1];
        const every = Math.max(1, Math.ceil(decades / count));
        for (let power = Math.floor(Math.log10(lo)); power <= Math.ceil(Math.log10(hi)); power += every)
          for (const digit of digits) ticks.push(digit * 10 ** power);
      } else {
        const raw = (hi - lo) / count, power = 10 ** Math.floor(Math.log10(raw));
        const step = power * [1, 2, 5, 10].find((one) => raw <= one * power * 1.0001);
        for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-9); i += 1) ticks.push(Number((i * step).toPrecision(12)));
      }
      return ticks.filter((tick) => tick >= lo * 0.9999 && tick <= hi * 1.0001);
    };
    return place;
  }

  const MARKS = [
    null,
    "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5 5 0 0 5-5 0z", "M0-4.8 4.6 3.4h-9.2z", "M0 4.8 4.6-3.4h-9.2z",
    "M-4.8-2h2.8v-2.8h4v2.8h2.8v4h-2.8v2.8h-4v-2.8h-2.8z", "M-5.2 0-2.6-4.4h5.2L5.2 0 2.6 4.4h-5.2z",
  ];
  const mark = (series, x, y, attributes = {}) => {
    const look = series % LOOKS, fillColour = `var(--c${look})`;
    return look === 0
      ? shape("circle", { cx: x, cy: y, r: 4.2, fill: fillColour, class: "mark", ...attributes })
      : shape("path", { d: MARKS[look], transform: `translate(${x} ${y})`, fill: fillColour, class: "mark", ...attributes });
  };
  const dash = (series) => [null, "6 3", "2 3"][Math.min(2, Math.floor(series / LOOKS))];
  const text = (x, y, content, attributes = {}) => shape("text", { x, y, ...attributes }, content);

  // --- the plot of a figure against a factor ----------------------------------------------------------------------------------
  const spreadOf = (name) => {
    if (name === "win_pct") return (row) => [number(row, "win_pct_lo"), number(row, "win_pct_hi")];
    const se = `${name}_se`;
    if (!at.has(se)) return null;
    return (row) => { const [mean, error] = [number(row, name), number(row, se)]; return error === null ? [mean, mean] : [mean - 1.96 * error, mean + 1.96 * error]; };
  };
  const skip = new Set(["table", "cell", "game", "player", "seed", "confidence", "stopped", "error", ...data.parameters]);
  const figures = data.columns.filter((name) =>
    !skip.has(name) && !/_se$|_lo$|_hi$|_p$/.test(name) && numericColumn(name) && data.rows.some((row) => row[at.get(name)] !== ""));
  const unit = (name) => (name === "win_pct" ? "games won, %" : name.replace(/_pct$/, ", %").replace(/_/g, " "));
  const view = {
    y: figures.includes("win_pct") ? "win_pct" : figures[0],
    x: data.factors.reduce((best, factor, index) => (factor.values.length > data.factors[best].values.length ? index : best), 0),
    lines: "all", log: null, shape: null,
  };
  /** The width of a drawing: that of the page, so that its text keeps its size on small screens. */
  const widthOf = (holder) => Math.max(320, Math.min(1080, holder.clientWidth - 14));

  function drawPlot() {
    const holder = document.getElementById("plot");
    const factor = data.factors[view.x];
    const others = data.factors.filter((other) => other !== factor);
    const lookBy = others.find((other) => other.name === view.lines);
    const rows = visible();
    const varies = (other) => new Set(rows.map((row) => other.ofRow[row])).size > 1;
    const varying = others.filter(varies);
    const groups = new Map();
    for (const row of rows) {
      const y = number(row, view.y);
      if (y === null || factor.ofRow[row] === null) continue;
      const key = others.map((other) => other.ofRow[row]).join("|");
      if (!groups.has(key)) {
        const look = lookBy ? lookBy.ofRow[row] ?? lookBy.values.length : groups.size;
        groups.set(key, { look, label: labelOf(row, varying), key: labelOf(row, lookBy ? [lookBy] : varying), points: [] });
      }
      groups.get(key).points.push({ row, y, x: factor.ofRow[row], bounds: spreadOf(view.y)?.(row) ?? [y, y] });
    }
    // More lines than colours cannot be told apart: then a heat map shows all cells.
    const asMap = varying.length > 0 && (view.shape ?? (groups.size > LOOKS ? "map" : "lines")) === "map";
    document.getElementById("shape").value = asMap ? "map" : "lines";
    holder.classList.toggle("maps", asMap);
    const lines = lookBy ? [...groups.values()] : [...groups.values()].slice(0, 3 * LOOKS);
    if (!lines.length) holder.replaceChildren(element("p", { class: "hint" }, "No cell matches the filter."));
    else if (asMap) holder.replaceChildren(...maps(factor, varying, [...groups.values()].flatMap((line) => line.points), widthOf(holder)));
    else holder.replaceChildren(...frame(factor, lines, groups.size, widthOf(holder)));
  }

  // Viridis in 9 steps: its lightness rises evenly.
  const VIRIDIS = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];
  const shade = (share) => {
    const place = Math.min(1, Math.max(0, share)) * (VIRIDIS.length - 1), low = Math.min(VIRIDIS.length - 2, Math.floor(place));
    return VIRIDIS[low].map((from, i) => Math.round(from + (VIRIDIS[low + 1][i] - from) * (place - low)));
  };
  const inkOn = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b > 127 ? "#000" : "#fff");

  /** Heat maps of all cells: one factor across, another down, a panel for each combination of the others. */
  function maps(factor, varying, points, available) {
    const rank = (other) => (other.ordered ? 1000 : 0) + other.values.length;
    const down = varying.reduce((best, other) => (rank(other) > rank(best) ? other : best));
    const rest = varying.filter((other) => other !== down);
    const positive = points.map((point) => point.y).filter((y) => y > 0);
    const least = Math.min(...positive), most = Math.max(...points.map((point) => point.y)), lowest = Math.min(...points.map((point) => point.y));
    const log = (view.log ?? most / least > 30) && positive.length > 0 && lowest >= 0;
    document.getElementById("log").checked = log;
    const place = log ? scale(least, most, 0, 1, true) : scale(lowest, most, 0, 1, false);
    const panels = new Map();
    for (const point of points) {
      const key = rest.map((other) => other.ofRow[point.row]).join("|");
      if (!panels.has(key)) panels.set(key, { title: labelOf(point.row, rest), points: [] });
      panels.get(key).points.push(point);
    }
    const shown = (other, list) => [...new Set(list.map((point) => other.ofRow[point.row]))].filter((value) => value !== null).sort((a, b) => a - b);
    const across = shown(factor, points);
    const drawings = [...panels.values()].map(({ title, points: members }) => {
      const sides = shown(down, members);
      const left = Math.min(150, Math.max(...sides.map((value) => down.values[value].length)) * 6.8 + 12);
      const wide = Math.max(7, Math.min(46, 420 / across.length, (available - left - 28) / across.length)), high = 24, top = 38;
      const bottom = top + high * sides.length, right = left + wide * across.length;
      const width = Math.max(right + 26, 7.4 * title.length + 6, 200);
      const drawing = shape("svg", { width, height: bottom + 40, viewBox: `0 0 ${width} ${bottom + 40}`, role: "group", "aria-label": `${unit(view.y)} by ${factor.name} and ${down.name}` });
      drawing.append(text(2, 14, title, { class: "head" }),
        text((left + right) / 2, bottom + 34, factor.name === "size" ? "size (rows x columns)" : factor.name, { "text-anchor": "middle" }),
        text(2, 31, `${down.name} \u2193`, { class: "tick" }));
      sides.forEach((value, at) => drawing.append(text(left - 5, top + high * (at + 0.5) + 4, down.values[value], { class: "tick", "text-anchor": "end" })));
      let free = -Infinity;
      across.forEach((value, at) => {
        const x = left + wide * (at + 0.5), half = factor.values[value].length * 3.4 + 2;
        if (x - half < free) return;
        drawing.append(text(x, bottom + 16, factor.values[value], { class: "tick", "text-anchor": "middle" }));
        free = x + half;
      });
      for (const point of members) {
        const zero = log && !(point.y > 0), colour = zero ? null : shade(place(point.y));
        const x = left + wide * across.indexOf(factor.ofRow[point.row]), y = top + high * sides.indexOf(down.ofRow[point.row]);
        if (down.ofRow[point.row] === null) continue;
        const told = describe(point, factor, labelOf(point.row, varying));
        drawing.append(shape("rect", { x, y, width: wide - 1, height: high - 1, class: zero ? "mark tile zero" : "mark tile", fill: zero ? null : `rgb(${colour})`,
          tabindex: 0, role: "img", "aria-label": told, "data-row": point.row, ...hints(told, point.row) }));
        const figure = short(point.y, 2);
        if (figure.length * 6.6 < wide) drawing.append(text(x + wide / 2, y + high / 2 + 4, figure, { class: "figure", "text-anchor": "middle", style: zero ? null : `fill:${inkOn(colour)}` }));
      }
      return drawing;
    });
    const key = shape("svg", { width: 330, height: 50, viewBox: "0 0 330 50", preserveAspectRatio: "xMinYMid meet", role: "img", "aria-label": "What the colours mean" }, text(2, 12, unit(view.y) + (log ? " (log scale)" : ""), {}));
    for (let i = 0; i < 60; i += 1) key.append(shape("rect", { x: 12 + i * 5, y: 18, width: 5.2, height: 12, fill: `rgb(${shade(i / 59)})` }));
    for (const tick of place.ticks(5)) key.append(text(12 + 300 * place(tick), 44, short(tick), { class: "tick", "text-anchor": "middle" }));
    const zeros = log && positive.length < points.length ? " Grey: zero." : "";
    return [key, ...drawings, element("p", { class: "hint" }, `All ${points.length} cells of the filter.${zeros} Point at a cell, or reach it with the Tab key, for its figures.`)];
  }

  function frame(factor, lines, total, width) {
    const [height, left, right, top] = [420, 70, 20, 14];
    const points = lines.flatMap((line) => line.points);
    const hi = Math.max(...points.map((point) => point.bounds[1]));
    const lo = Math.min(...points.map((point) => point.bounds[0]));
    const positive = points.map((point) => point.y).filter((y) => y > 0);
    const least = positive.length ? Math.min(...positive) : 1;
    const wide = Math.max(...positive, least) / least > 30 && (points.length - positive.length) * 8 <= points.length;
    const log = (view.log ?? wide) && positive.length > 0;
    document.getElementById("log").checked = log;
    const floor = Math.max(Math.min(...points.map((point) => point.bounds[0]).filter((bound) => bound > 0), least), least / 30) * 0.85;
    const pad = (hi - lo) * 0.05;
    // Zero has no place on a logarithmic axis: it stands in a strip below.
    const bottom = 372, zeros = log && positive.length < points.length, base = zeros ? bottom - 26 : bottom;
    const y = log ? scale(floor, hi * 1.1, base, top, true)
      : scale(lo < 0.4 * hi && lo >= 0 ? 0 : lo - pad, hi + pad, bottom, top, false);
    const yOf = (value) => (zeros && !(value > 0) ? bottom - 9 : y(value));
    const values = factor.values.map(Number);
    const toScale = factor.numeric;
    const along = toScale
      ? scale(values[0], values[values.length - 1], left + 24, width - right - 24, values[0] > 0 && values.length > 3 && values[values.length - 1] / values[0] >= 16)
      : (index) => left + ((index + 0.5) / values.length) * (width - right - left);
    const apart = Math.min(toScale ? 4 : 10, ((width - left) / values.length) * 0.6 / lines.length);
    const place = (point, position) => along(toScale ? values[point.x] : point.x) + (position - (lines.length - 1) / 2) * apart;
    const drawing = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `${unit(view.y)} by ${factor.name}` });
    for (const tick of y.ticks(7)) {
      drawing.append(shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }),
        text(left - 8, y(tick) + 4, short(tick), { class: "tick", "text-anchor": "end" }));
    }
    drawing.append(shape("line", { x1: left, x2: width - right, y1: bottom, y2: bottom, class: "axis" }));
    if (zeros) drawing.append(shape("line", { x1: left, x2: width - right, y1: base, y2: base, class: "axis", "stroke-dasharray": "2 3" }), text(left - 8, bottom - 5, "0", { class: "tick", "text-anchor": "end" }));
    let free = -Infinity;
    factor.values.forEach((value, index) => {
      const x = along(toScale ? values[index] : index), half = value.length * 3.2 + 2;
      drawing.append(shape("line", { x1: x, x2: x, y1: bottom, y2: bottom + 4, class: "axis" }));
      if (x - half < free) return;
      drawing.append(text(x, bottom + 18, value, { class: "tick", "text-anchor": "middle" }));
      free = x + half + 3;
    });
    drawing.append(
      text((left + width - right) / 2, bottom + 40, factor.name === "size" ? "size (rows x columns)" : factor.name, { "text-anchor": "middle" }),
      text(18, (top + bottom) / 2, unit(view.y) + (log ? " (log scale)" : ""), { "text-anchor": "middle", transform: `rotate(-90 18 ${(top + bottom) / 2})` }));
    const legend = element("div", { class: "legend" });
    const keyed = new Set();
    lines.forEach((line, position) => {
      line.points.sort((a, b) => a.x - b.x);
      const series = line.look;
      const group = shape("g", { class: "series", "data-look": series });
      const colour = `var(--c${series % LOOKS})`;
      // A line says that values between its points exist: categories are not joined.
      let path = "", pen = "M";
      for (const point of factor.ordered ? line.points : []) {
        if (zeros && !(point.y > 0)) { pen = "M"; continue; }
        path += `${pen}${place(point, position).toFixed(1)} ${y(point.y).toFixed(1)}`;
        pen = "L";
      }
      if (path) group.append(shape("path", { d: path, fill: "none", stroke: colour, "stroke-width": 1.75, "stroke-dasharray": dash(series) }));
      for (const point of line.points) {
        const x = place(point, position);
        const [from, to] = point.bounds.map(y);
        group.append(shape("path", { d: `M${x - 3} ${to}h6M${x} ${to}V${from}M${x - 3} ${from}h6`, stroke: colour, "stroke-width": 1.5, fill: "none" }));
      }
      for (const point of line.points) {
        const told = describe(point, factor, line.label);
        group.append(mark(series, place(point, position), yOf(point.y), { tabindex: 0, role: "img", "aria-label": told, "data-row": point.row, ...hints(told, point.row) }));
      }
      drawing.append(group);
      if (!line.key || keyed.has(series)) return;
      keyed.add(series);
      const key = shape("svg", { width: 26, height: 12, viewBox: "0 -6 26 12", "aria-hidden": "true" },
        factor.ordered ? shape("path", { d: "M0 0H26", stroke: colour, "stroke-width": 1.75, "stroke-dasharray": dash(series) }) : null, mark(series, 13, 0));
      const others = () => [...drawing.querySelectorAll(".series")].filter((other) => other.dataset.look !== String(series));
      const toggle = (on) => others().forEach((other) => other.classList.toggle("dim", on));
      legend.append(element("button", { type: "button", onpointerenter: () => toggle(true), onpointerleave: () => toggle(false), onfocus: () => toggle(true), onblur: () => toggle(false) }, key, line.key));
    });
    const some = (holds) => lines.some((line) => line.points.some(holds));
    const point = ({ bounds }) => bounds[0] === bounds[1], stopped = ({ row }) => ["precision", "max-games"].includes(field(row, "stopped"));
    const ways = ["Clopper–Pearson", some(({ row }) => field(row, "trajectories") !== "") ? "on effective counts where games share a trajectory" : "",
      some((at) => stopped(at) && !point(at)) ? "corrected for repeated looks in cells with a stopping rule" : "",
      some(point) ? "none where nothing is left to chance" : ""].filter(Boolean);
    const drawn = view.y === "win_pct" ? `Bars: confidence interval (${ways.join("; ")}).` : spreadOf(view.y) ? "Bars: mean ± 1.96 standard errors." : "";
    const more = total > lines.length ? ` ${total - lines.length} more lines: narrow the filter.` : "";
    return [drawing, legend, element("p", { class: "hint" }, `${drawn}${more} Point at a mark, or reach it with the Tab key, for its figures.`)];
  }

  function describe(point, factor, label) {
    const [lo, hi] = point.bounds;
    const range = lo === hi ? "" : ` (${short(lo)} – ${short(hi)})`;
    return [label, `${factor.name}: ${factor.values[point.x]}`, `${unit(view.y)}: ${short(point.y)}${range}`,
      `games: ${short(number(point.row, "games"))}`, `cell: ${field(point.row, "cell")}`].filter(Boolean).join("\n");
  }

  // --- how long games last ----------------------------------------------------------------------------------------------------
  const CURVES_MAX = LOOKS;
  /** Wilson's interval for so many of all games. */
  const wilson = (count, all) => {
    const z = data.deviate ?? 0, rate = count / all, scaled = (z * z) / all;
    const half = Math.sqrt(scaled * rate * (1 - rate) + (scaled * scaled) / 4);
    return [-half, half].map((side) => Math.min(1, Math.max(0, (rate + scaled / 2 + side) / (1 + scaled))));
  };
  function drawCurves() {
    const holder = document.getElementById("curves");
    if (!holder) return;
    const rows = visible().filter((row) => data.distributions[row].length > 0);
    const shown = rows.slice(0, CURVES_MAX);
    if (!shown.length) { holder.replaceChildren(element("p", { class: "hint" }, "No cell matches the filter.")); return; }
    const width = widthOf(holder);
    const [height, left, right, top, bottom] = [360, 70, 20, 14, 312];
    const lo = Math.min(...shown.map((row) => data.distributions[row][0]));
    const hi = Math.max(...shown.map((row) => data.distributions[row].at(-2)), lo);
    const log = lo >= 1 && hi / lo > 12;
    const x = scale(lo, hi, left, width - right, log), y = scale(0, 100, bottom, top, false);
    const drawing = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share of games still going by move" });
    for (const tick of y.ticks(5)) drawing.append(shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }), text(left - 8, y(tick) + 4, short(tick), { class: "tick", "text-anchor": "end" }));
    for (const tick of x.ticks(Math.max(3, Math.min(10, width / 90)))) drawing.append(shape("line", { x1: x(tick), x2: x(tick), y1: top, y2: bottom, class: "grid" }), text(x(tick), bottom + 18, short(tick), { class: "tick", "text-anchor": "middle" }));
    drawing.append(text((left + width - right) / 2, bottom + 40, `moves${log ? " (log scale)" : ""}`, { "text-anchor": "middle" }),
      text(18, (top + bottom) / 2, "games that last longer, %", { "text-anchor": "middle", transform: `rotate(-90 18 ${(top + bottom) / 2})` }));
    const varying = data.factors.filter((factor) => new Set(shown.map((row) => factor.ofRow[row])).size > 1);
    const legend = element("div", { class: "legend" });
    shown.forEach((row, series) => {
      const list = data.distributions[row];
      let left_over = 0;
      // Three numbers a bin: its lower and upper end, and its games.
      for (let i = 2; i < list.length; i += 3) left_over += list[i];
      const all = left_over;
      let path = `M${x(lo).toFixed(1)} ${y(100)}`;
      const ends = [path, path];
      for (let i = 0; i < list.length; i += 3) {
        left_over -= list[i + 2];
        const across = x(list[i + 1]).toFixed(1);
        path += `H${across}V${y((100 * left_over) / all).toFixed(1)}`;
        wilson(left_over, all).forEach((share, end) => { ends[end] += `H${across}V${y(100 * share).toFixed(1)}`; });
      }
      // Games that share a trajectory are not independent: no band.
      if (data.deviate !== null && field(row, "trajectories") === "") {
        const back = ends[1].slice(1).split(/(?=[HV])/), steps = [];
        let [at_x, at_y] = back.shift().split(" ").map(Number);
        for (const step of back) {
          steps.push([at_x, at_y]);
          if (step[0] === "H") at_x = Number(step.slice(1)); else at_y = Number(step.slice(1));
        }
        steps.push([at_x, at_y]);
        const outline = `${ends[0]}${steps.reverse().map(([across, down]) => `L${across} ${down}`).join("")}Z`;
        drawing.append(shape("path", { d: outline, fill: `var(--c${series})`, opacity: 0.18, class: "survival", "pointer-events": "none" }));
      }
      const label = labelOf(row, varying) || field(row, "cell");
      const told = `${label}\nhalf of the games end within ${short(number(row, "moves_p50"))} moves\n90 % within ${short(number(row, "moves_p90"))}\n99 % within ${short(number(row, "moves_p99"))}\nlongest: ${short(number(row, "moves_max"))}`;
      drawing.append(shape("path", { d: path, fill: "none", stroke: `var(--c${series})`, "stroke-width": 1.75, "pointer-events": "none" }));
      drawing.append(mark(series, x(number(row, "moves_p50")), y(50), { tabindex: 0, role: "img", "aria-label": told, ...hints(told, row) }));
      legend.append(element("span", {}, shape("svg", { width: 14, height: 12, viewBox: "-7 -6 14 12", "aria-hidden": "true" }, mark(series, 0, 0)), " ", label));
    });
    const banded = drawing.querySelector(".survival") !== null;
    const more = rows.length > shown.length ? ` The first ${shown.length} of ${rows.length} cells: narrow the filter for others.` : "";
    holder.replaceChildren(drawing, legend, element("p", { class: "hint" }, `Marks: half of the games are over.${banded ? " Bands: confidence interval of each point by itself (Wilson), where games do not share a trajectory." : ""}${more}`));
  }

  // --- the table --------------------------------------------------------------------------------------------------------------
  const constant = (name) => new Set(data.rows.map((row) => row[at.get(name)])).size < 2;
  const asked = ["games", "wins", "win_pct", "win_pct_lo", "win_pct_hi", "moves_mean", "moves_mean_se", "moves_win_mean", "moves_p50", "moves_p99", "moves_max", "published_win_pct", "published_p", "stopped", "error"];
  const shownColumns = () => state.every ? data.columns : data.columns.filter((name) =>
    (data.parameters.includes(name) || name === "table") ? !constant(name)
      : asked.includes(name) ? data.rows.some((row) => row[at.get(name)] !== "") : /_mean$|_ge_\d+_pct$/.test(name) || name === "draws" || name === "effective_games");
  function drawTable() {
    const columns = shownColumns(), rows = visible();
    if (state.sort !== null) {
      const numeric = numericColumn(state.sort), sizes = new Map();
      const key = (row) => { const value = field(row, state.sort); return numeric ? (value === "" ? -Infinity : Number(value)) : value; };
      rows.forEach((row) => sizes.set(row, key(row)));
      rows.sort((a, b) => {
        const order = numeric ? sizes.get(a) - sizes.get(b) || 0 : sizes.get(a).localeCompare(sizes.get(b), "en", { numeric: true });
        return (state.descending ? -order : order) || a - b;
      });
    }
    const head = columns.map((name) => element("th", {
      scope: "col", class: numericColumn(name) ? "n" : null,
      "aria-sort": state.sort === name ? (state.descending ? "descending" : "ascending") : null,
    }, element("button", { type: "button", title: data.help[name] ?? null, "data-column": name, onclick: () => sortBy(name) }, name)));
    const cell = (row, name) => {
      const value = field(row, name), numeric = numericColumn(name);
      const told = numeric && value !== "" && !data.parameters.includes(name) && name !== "seed" ? short(Number(value), 5) : value;
      return element("td", { class: `${numeric ? "n" : ""}${/_lo$|_hi$|_se$/.test(name) ? " lo" : ""}`, title: told === value ? null : value }, told);
    };
    const body = rows.map((row) => element("tr", { "data-row": row, class: field(row, "error") ? "failed" : null }, ...columns.map((name) => cell(row, name))));
    document.getElementById("table").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    document.getElementById("count").textContent = `${rows.length} of ${data.rows.length} cells`;
  }
  function sortBy(name) {
    state.descending = state.sort === name ? !state.descending : false;
    state.sort = name;
    drawTable();
    document.querySelector(`button[data-column="${name}"]`)?.focus();
  }

  // --- the page ---------------------------------------------------------------------------------------------------------------
  const redraw = () => { if (data.factors.length && figures.length) drawPlot(); drawCurves(); drawTable(); };
  const filters = element("div", { class: "controls", id: "filters" },
    element("label", {}, "Search", element("input", { type: "search", id: "words", placeholder: "any words", oninput: (event) => { state.words = event.target.value; redraw(); } })),
    tables.length > 1 ? select("table", [["", "all"], ...tables.map((title) => [title, title])], "", (value) => { state.table = value; redraw(); }) : null,
    ...data.factors.map((factor, index) =>
      select(factor.name, [["", "all"], ...factor.values.map((value, key) => [String(key), value])], "", (value) => { state.chosen[index] = value; redraw(); })),
    element("button", { type: "button", id: "reset", onclick: () => {
      Object.assign(state, { words: "", table: "", chosen: data.factors.map(() => ""), sort: null, descending: false });
      for (const input of document.querySelectorAll("#filters select, #filters input")) input.value = "";
      redraw();
    } }, "Reset"));
  const total = data.rows.reduce((sum, _, row) => sum + (number(row, "games") ?? 0), 0);
  const machine = new Map(data.machine);
  const level = number(0, "confidence");
  const lead = [`${data.rows.length} cells`, `${short(total)} games`, `seed ${[...new Set(data.rows.map((_, row) => field(row, "seed")))].join(", ")}`,
    level === null ? null : `${short(100 * level)} % confidence`, machine.has("version") ? `tilelab ${machine.get("version")}` : null].filter(Boolean);
  main.replaceChildren(...[
    element("h1", {}, data.name), element("p", { class: "lead" }, lead.join(" · ")),
    element("p", { class: "hint" }, "The filter holds for the plots and for the table."), filters,
    ...(data.factors.length && figures.length ? [
      element("h2", {}, "Figures by parameter"),
      element("div", { class: "controls", id: "axes" },
        select("figure (y)", figures.map((name) => [name, unit(name)]), view.y, (value) => { view.y = value; view.log = null; drawPlot(); }),
        element("label", {}, "drawn as", element("select", { id: "shape", onchange: (event) => { view.shape = event.target.value; drawPlot(); } },
          element("option", { value: "lines" }, "lines"), element("option", { value: "map" }, "heat map"))),
        select("parameter (x)", data.factors.map((factor, index) => [String(index), factor.name]), String(view.x), (value) => { view.x = Number(value); drawPlot(); }),
        select("a colour for each", [["all", "combination of the others"], ...data.factors.map((factor) => [factor.name, factor.name])], "all", (value) => { view.lines = value; if (value !== "all") view.shape = "lines"; drawPlot(); }),
        element("label", { class: "check" }, element("input", { type: "checkbox", id: "log", onchange: (event) => { view.log = event.target.checked; drawPlot(); } }), "log scale")),
      element("div", { class: "plot", id: "plot" })] : []),
    ...(data.distributions ? [element("h2", {}, "How long games last"), element("div", { class: "plot", id: "curves" })] : []),
    element("h2", {}, "Cells"),
    element("div", { class: "controls" }, element("span", { class: "hint", id: "count", role: "status" }),
      element("label", { class: "check" }, element("input", { type: "checkbox", id: "every", onchange: (event) => { state.every = event.target.checked; drawTable(); } }), "every column")),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cells" }, element("table", { id: "table" })),
    element("h2", {}, "Where this comes from"),
    element("dl", {}, ...data.machine.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)])),
    data.experiment === null ? null : element("details", {}, element("summary", {}, "Experiment file"), element("pre", { id: "experiment" }, data.experiment)),
    element("details", {}, element("summary", {}, "What the columns mean"),
      element("dl", {}, ...data.columns.filter((name) => data.help[name]).flatMap((name) => [element("dt", {}, name), element("dd", {}, data.help[name])]))),
  ].filter(Boolean), tip);
  redraw();
  let drawnAt = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === drawnAt) return;
    drawnAt = innerWidth;
    redraw();
  });
})();
