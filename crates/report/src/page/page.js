"use strict";
// Shows the data of a run. Which cells are a line, what it is called and which scale it needs is in the data; uPlot draws.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ROWS_MAX = 60;
  const CURVES_MAX = 7;
  const columns = new Map(data.columns.map((column) => [column.name, column]));
  const count = data.columns[0].texts[1].length;
  const text = (row, name) => {
    const column = columns.get(name);
    return column === undefined ? "" : column.texts ? column.texts[0][column.texts[1][row]] : String(column.numbers[row] ?? "");
  };
  const number = (row, name) => columns.get(name)?.numbers?.[row] ?? null;
  const find = (id) => document.getElementById(id);

  /** An element with attributes and children; a key that starts with "on" is a listener. */
  const element = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };
  // One for all numbers: to make one takes longer than to use it.
  const decimal = new Intl.NumberFormat("en", { maximumFractionDigits: 15 });
  const short = (value, digits = 4) => {
    const rounded = Number.isInteger(value) ? value : Number(value.toPrecision(digits));
    return decimal.format(rounded).replace(/,/g, "\u202f");
  };
  const hint = (...parts) => element("p", { class: "hint" }, parts.filter(Boolean).join(" "));
  const select = (label, options, value, change) =>
    element("label", {}, label, element("select", { onchange: (event) => change(event.target.value), "data-name": label },
      ...options.map(([key, name]) => element("option", { value: key, selected: key === value }, name))));

  // --- one filter for the plots and the table ---------------------------------------------------------------------------
  const table = columns.get("table");
  const filters = [...(table?.texts[0].length > 1 ? [{ name: "table", values: table.texts[0], ofRow: table.texts[1] }] : []), ...data.factors];
  const state = { words: [], chosen: filters.map(() => null), sort: null, descending: false, every: false, rows: ROWS_MAX };
  const view = { plot: data.first, figure: 0, log: null };
  let visible = [];
  const isVisible = new Uint8Array(count);
  let searched = null;
  const wordsOf = (row) =>
    [...filters.map((filter) => (filter.ofRow[row] === null ? "" : `${filter.name} ${filter.values[filter.ofRow[row]]}`)), text(row, "cell"), text(row, "error")].join(" ").toLowerCase();
  function applyFilter() {
    if (state.words.length > 0) searched ??= Array.from({ length: count }, (_, row) => wordsOf(row));
    const used = filters.map((filter, at) => [filter.ofRow, state.chosen[at]]).filter(([, chosen]) => chosen !== null);
    visible = [];
    for (let row = 0; row < count; row += 1) {
      const matches = used.every(([ofRow, chosen]) => ofRow[row] === chosen) && state.words.every((word) => searched[row].includes(word));
      isVisible[row] = matches ? 1 : 0;
      if (matches) visible.push(row);
    }
    state.rows = ROWS_MAX;
  }

  // --- what is known of a cell, beside the pointer ----------------------------------------------------------------------
  const tip = element("div", { class: "tip", role: "status", hidden: true });
  const boundsOf = (row, figure) => {
    const value = number(row, figure.name);
    if (figure.interval) return figure.interval.map((end) => number(row, end) ?? value);
    const reach = figure.error ? (number(row, figure.error[0]) ?? 0) * figure.error[1] : 0;
    return [value - reach, value + reach];
  };
  function describe(row) {
    const figure = data.figures[view.figure];
    const value = number(row, figure.name);
    const [lo, hi] = value === null ? [0, 0] : boundsOf(row, figure);
    return [...data.factors.filter((factor) => factor.ofRow[row] !== null).map((factor) => `${factor.name}: ${factor.values[factor.ofRow[row]]}`),
      value === null ? "" : `${figure.title}: ${short(value)}${lo < hi ? ` (${short(lo)} – ${short(hi)})` : ""}`,
      `games: ${short(number(row, "games") ?? 0)}`, `cell: ${text(row, "cell")}`].filter(Boolean).join("\n");
  }
  function showTip(row, event) {
    document.querySelector("tr.hit")?.classList.remove("hit");
    tip.hidden = row === null;
    if (row === null) return;
    document.querySelector(`tr[data-row="${row}"]`)?.classList.add("hit");
    tip.textContent = describe(row);
    const box = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
    tip.style.top = `${event.clientY + box.height + 22 > innerHeight ? event.clientY - box.height - 10 : event.clientY + 14}px`;
  }

  // --- plots of lines ---------------------------------------------------------------------------------------------------
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`);
  const SHAPES = ["M4 0A4 4 0 1 1-4 0 4 4 0 1 1 4 0Z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5 5 0 0 5-5 0z", "M0-4.8 4.6 3.4h-9.2z", "M0 4.8 4.6-3.4h-9.2z",
    "M-4.8-2h2.8v-2.8h4v2.8h2.8v4h-2.8v2.8h-4v-2.8h-2.8z", "M-5.2 0-2.6-4.4h5.2L5.2 0 2.6 4.4h-5.2z"];
  const MARKS = SHAPES.map((path) => new Path2D(path));
  const look = (series) => colour(`c${series % MARKS.length}`);
  const dash = (series) => [[], [6, 3]][Math.floor(series / MARKS.length) % 2];
  let charts = [];
  /** Draws on a plot, inside its frame and in units of the page. */
  const inside = (chart, paint) => {
    const { ctx, bbox } = chart;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    paint(ctx, devicePixelRatio);
    ctx.restore();
  };
  const padded = (log, part) => (_, lo, hi) => {
    if (log) return [lo / (hi > lo ? (hi / lo) ** part : 2), hi * (hi > lo ? (hi / lo) ** part : 2)];
    return hi > lo ? [lo - (hi - lo) * part, hi + (hi - lo) * part] : [lo - 1, hi + 1];
  };
  /** A plot with zoom and a legend that hides series, and a link that saves it. */
  function chart(title, size, options, values) {
    const ink = colour("ink");
    const axis = (more) => ({ stroke: ink, grid: { stroke: colour("grid"), width: 1 }, ticks: { stroke: colour("grid"), width: 1 }, labelSize: 22, labelFont: "13px system-ui", font: "12px system-ui", ...more });
    const holder = element("figure", {}, title ? element("figcaption", {}, title) : null);
    const made = new uPlot({ ...size, legend: { live: false }, ...options, axes: options.axes.map(axis) }, values, holder);
    const save = element("a", { href: "#", class: "save", download: `${title || data.name}.png`, onclick: (event) => { event.target.href = made.ctx.canvas.toDataURL(); } }, "save as PNG");
    holder.append(save);
    // The legend has the marks of the plot, which can be told apart without their colours.
    holder.querySelectorAll(".u-marker").forEach((marker, index) => {
      const { mark } = options.series[index + 1];
      if (mark === undefined) return;
      marker.style.border = 0;
      marker.innerHTML = `<svg viewBox="-6 -6 12 12" stroke="${look(mark)}" fill="${mark < MARKS.length ? look(mark) : "none"}"><path d="${SHAPES[mark % MARKS.length]}"/></svg>`;
    });
    made.root.chart = made;
    charts.push(made);
    return holder;
  }

  function drawLines(plot, figure, holder) {
    const { at, numeric, ordered, log: xLog, factor: swept, title } = plot.axis;
    const { values: names, ofRow } = data.factors[swept];
    const panels = [];
    let leftOut = 0, inLines = 0;
    for (const { title: name, lines } of plot.panels) {
      const shown = lines.map(({ label, rows }) => ({ label, rows: rows.filter((row) => isVisible[row] && number(row, figure.name) !== null) })).filter(({ rows }) => rows.length > 0);
      inLines += shown.reduce((sum, { rows }) => sum + rows.length, 0);
      const kept = panels.length < data.panels_max ? data.lines_max : 0;
      leftOut += Math.max(0, shown.length - kept);
      if (shown.length > 0 && kept > 0) panels.push({ name, lines: shown.slice(0, kept) });
    }
    if (panels.length === 0) return [hint("No cell matches the filter.")];
    const lines = panels.flatMap((panel) => panel.lines);
    const varies = plot.labels[0].map((_, part) => new Set(lines.map(({ label }) => plot.labels[label][part])).size > 1);
    const nameOf = (label) => plot.labels[label].filter((part, index) => part !== "" && varies[index]).join(", ");
    const series = new Map([...new Set(lines.map(({ label }) => label))].map((label, index) => [label, index]));
    const positive = lines.flatMap(({ rows }) => rows.map((row) => number(row, figure.name))).filter((value) => value > 0);
    const log = (view.log ?? figure.log) && positive.length > 0;
    find("log").checked = log;
    // Zero has no place on a logarithmic axis: it stands at its foot.
    const foot = positive.reduce((least, value) => Math.min(least, value), Infinity) / 2;
    const height = (value) => (log ? Math.max(value, foot) : value);
    const wide = holder.clientWidth - 16;
    const across = panels.length > 1 && wide >= 760 ? 2 : 1;
    const size = { width: Math.floor(wide / across) - 4, height: panels.length > 1 ? 280 : 420 };
    const drawn = panels.map(({ name, lines: members }) => {
      const points = members.map(({ label, rows }, index) => ({
        look: series.get(label), label: nameOf(label),
        points: rows.map((row) => ({ row, x: at[ofRow[row]] + (ordered ? 0 : ((index + 1) / (members.length + 1) - 0.5) * 0.7), y: height(number(row, figure.name)), bounds: boundsOf(row, figure).map(height) })),
      }));
      const xs = [...new Set(points.flatMap((line) => line.points.map(({ x }) => x)))].sort((a, b) => a - b);
      const place = new Map(xs.map((x, index) => [x, index]));
      const byPlace = points.map((line) => { const cells = xs.map(() => null); for (const point of line.points) cells[place.get(point.x)] = point; return cells; });
      const marks = (made) => inside(made, (ctx, ratio) => points.forEach((line, index) => {
        if (!made.series[index + 1].show) return;
        ctx.strokeStyle = look(line.look);
        for (const { x, y, bounds } of line.points) {
          const left = made.valToPos(x, "x", true), [lo, hi] = bounds.map((bound) => made.valToPos(bound, "y", true));
          ctx.lineWidth = 1.5 * ratio;
          ctx.stroke(new Path2D(`M${left - 3 * ratio} ${hi}h${6 * ratio}M${left} ${hi}V${lo}M${left - 3 * ratio} ${lo}h${6 * ratio}`));
          ctx.save();
          ctx.translate(left, made.valToPos(y, "y", true));
          ctx.scale(ratio, ratio);
          ctx.fillStyle = line.look < MARKS.length ? look(line.look) : colour("paper");
          ctx.fill(MARKS[line.look % MARKS.length]);
          if (line.look >= MARKS.length) ctx.stroke(MARKS[line.look % MARKS.length]);
          ctx.restore();
        }
      }));
      const pointed = (made) => {
        const { left, top, event } = made.cursor;
        let best = null, least = 30;
        points.forEach((line, index) => {
          if (!made.series[index + 1].show || left < 0) return;
          for (const { row, x, y } of line.points) {
            const away = Math.hypot(made.valToPos(x, "x") - left, made.valToPos(y, "y") - top);
            if (away < least) [best, least] = [row, away];
          }
        });
        showTip(best, event);
      };
      const ends = (made, lo, hi) => {
        const seen = points.filter((_, index) => made.series[index + 1].show).flatMap((line) => line.points).filter(({ x }) => x >= made.series[0].min && x <= made.series[0].max).flatMap(({ bounds }) => bounds);
        if (seen.length === 0) return [lo ?? 1, hi ?? 2];
        const [least, most] = [Math.min(...seen), Math.max(...seen)];
        return log ? uPlot.rangeLog(least, most, 10, false) : uPlot.rangeNum(least, most, 0.1, true);
      };
      const ticks = (made, splits) => {
        let free = -Infinity;
        return splits.map((split) => {
          const label = names[at.indexOf(split)] ?? "", half = label.length * 3.2, middle = made.valToPos(split, "x");
          if (middle - half < free) return null;
          free = middle + half + 3;
          return label;
        });
      };
      const used = at.filter((_, value) => points.some((line) => line.points.some(({ row }) => ofRow[row] === value)));
      return chart(name, size, {
        scales: { x: { time: false, distr: xLog ? 3 : 1, range: numeric ? padded(xLog, 0.04) : (_, lo, hi) => [Math.round(lo) - 0.5, Math.round(hi) + 0.5] }, y: { distr: log ? 3 : 1, range: ends } },
        axes: [{ label: title, size: 34, splits: () => used, values: ticks }, { label: figure.title + (log ? " (log scale)" : ""), size: 62, values: (_, splits) => splits.map((split) => (split === null ? null : short(split))) }],
        series: [{}, ...points.map((line) => ({ label: line.label || figure.title, mark: line.look, stroke: look(line.look), width: 1.75, dash: dash(line.look), spanGaps: true, paths: ordered ? undefined : () => null, points: { show: false } }))],
        cursor: { points: { show: false }, y: false, drag: { x: ordered, y: false } },
        hooks: { draw: [marks], setCursor: [pointed] },
      }, [xs, ...byPlace.map((cells) => cells.map((point) => (point === null ? null : point.y)))]);
    });
    return [...drawn, hint(figure.note, log && positive.length < lines.flatMap(({ rows }) => rows).length ? "Zeros stand at the foot." : "", leftOut > 0 ? `Left out: ${leftOut} more lines; narrow the filter.` : "",
      visible.length > inLines ? `Left out: ${visible.length - inLines} cells without another that differs in ${data.factors[swept].name} only.` : "",
      "Point at a mark for its cell; drag to zoom, double-click to zoom out; a click in the legend hides a line.")];
  }

  // --- heat maps --------------------------------------------------------------------------------------------------------
  const shade = (share) => {
    const last = data.palette.length - 1, place = Math.min(1, Math.max(0, share)) * last, low = Math.min(last - 1, Math.floor(place));
    return data.palette[low].map((from, channel) => Math.round(from + (data.palette[low + 1][channel] - from) * (place - low)));
  };
  const inkOn = ([r, g, b]) => (0.2126 * r + 0.7152 * g + 0.0722 * b > 127 ? "#000" : "#fff");
  function drawGrid({ down, across, panels }, figure) {
    const [side, foot] = [data.factors[down], data.factors[across]];
    const kept = panels.map(({ title, rows }) => ({ title, rows: rows.filter((row) => isVisible[row] && number(row, figure.name) !== null) })).filter(({ rows }) => rows.length > 0);
    const shown = kept.slice(0, data.panels_max);
    if (shown.length === 0) return [hint("No cell matches the filter.")];
    const values = shown.flatMap(({ rows }) => rows.map((row) => number(row, figure.name)));
    const positive = values.filter((value) => value > 0);
    const log = (view.log ?? figure.log) && positive.length > 0;
    find("log").checked = log;
    const [lo, hi] = [Math.min(...(log ? positive : values)), Math.max(...values)];
    const share = (value) => (hi <= lo ? 0.5 : log ? Math.log(value / lo) / Math.log(hi / lo) : (value - lo) / (hi - lo));
    const occur = (factor, rows) => [...new Set(rows.map((row) => factor.ofRow[row]))].sort((a, b) => a - b);
    const heads = occur(foot, shown.flatMap(({ rows }) => rows));
    const maps = shown.map(({ title, rows }) => {
      const at = new Map(rows.map((row) => [side.ofRow[row] * foot.values.length + foot.ofRow[row], row]));
      const tile = (line, head) => {
        const row = at.get(line * foot.values.length + head);
        if (row === undefined) return element("td");
        const value = number(row, figure.name), fill = log && !(value > 0) ? null : shade(share(value));
        return element("td", { class: "tile", "data-row": row, style: fill && `background:rgb(${fill});color:${inkOn(fill)}` }, short(value, 2));
      };
      return element("figure", {}, element("table", { class: "map" }, element("caption", {}, title),
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, `${side.name} \\ ${foot.name}`), ...heads.map((head) => element("th", { scope: "col" }, foot.values[head])))),
        element("tbody", {}, ...occur(side, rows).map((line) => element("tr", {}, element("th", { scope: "row" }, side.values[line]), ...heads.map((head) => tile(line, head)))))));
    });
    const key = element("p", { class: "key" }, `${figure.title}${log ? " (log scale)" : ""}: ${short(lo)} `, element("span", { style: `background:linear-gradient(90deg, ${data.palette.map((step) => `rgb(${step})`)})` }), ` ${short(hi)}`);
    const outside = visible.length - kept.reduce((sum, { rows }) => sum + rows.length, 0);
    return [key, ...maps, hint(log && positive.length < values.length ? "Grey: zero." : "", kept.length > shown.length ? `Left out: ${kept.length - shown.length} more panels; narrow the filter.` : "",
      outside > 0 ? `Left out: ${outside} cells that are in no grid of these two.` : "", "Point at a tile for its cell.")];
  }

  function drawPlot() {
    const holder = find("plot");
    const figure = data.figures[view.figure];
    const made = view.plot < data.lines.length ? drawLines(data.lines[view.plot], figure, holder) : drawGrid(data.grids[view.plot - data.lines.length], figure);
    holder.replaceChildren(...made);
  }

  // --- how long games last ----------------------------------------------------------------------------------------------
  function drawCurves() {
    const holder = find("curves");
    if (!holder) return;
    const { moves, log, cells } = data.curves;
    const known = cells.filter(({ row }) => isVisible[row]), shown = known.slice(0, CURVES_MAX);
    if (shown.length === 0) return holder.replaceChildren(hint("No cell of the filter has a distribution."));
    const varying = data.factors.filter((factor) => new Set(shown.map(({ row }) => factor.ofRow[row])).size > 1);
    const nameOf = (row) => varying.filter((factor) => factor.ofRow[row] !== null).map((factor) => (factor.numeric ? `${factor.name} ` : "") + factor.values[factor.ofRow[row]]).join(", ") || text(row, "cell");
    const length = Math.max(...shown.map(({ longer }) => longer.length));
    const full = (list) => moves.slice(0, length).map((_, at) => list[at] ?? null);
    const hidden = { stroke: "transparent", width: 0, points: { show: false } };
    const series = shown.flatMap(({ row }, index) => [{ label: nameOf(row), stroke: look(index), width: 1.75, points: { show: false } }, { ...hidden }, { ...hidden }]);
    const options = {
      scales: { x: { time: false, distr: log ? 3 : 1 }, y: { range: [0, 100] } },
      axes: [{ label: `moves${log ? " (log scale)" : ""}`, values: (_, splits) => splits.map((split) => (split === null ? null : short(split))) }, { label: "games that last longer, %", size: 62 }],
      series: [{}, ...series],
      bands: shown.map((_, index) => ({ series: [3 * index + 3, 3 * index + 2], fill: `color-mix(in srgb, ${look(index)} 20%, transparent)` })),
      cursor: { points: { show: false }, y: false },
      // A band goes with its curve.
      hooks: { setSeries: [(made, index, { show }) => { if (show !== undefined && index % 3 === 1) for (const end of [1, 2]) made.setSeries(index + end, { show }, false); }] },
    };
    const figure = chart("", { width: holder.clientWidth - 20, height: 360 }, options, [moves.slice(0, length), ...shown.flatMap(({ longer, lo, hi }) => [full(longer), full(lo), full(hi)])]);
    // The ends of the bands are no curves of their own.
    figure.querySelectorAll(".u-series").forEach((row, index) => index % 3 === 0 || row.remove());
    holder.replaceChildren(figure, hint(shown.some(({ lo }) => lo.length > 0) ? "Bands: interval of each point by itself (Wilson), where games do not share a trajectory." : "",
      known.length > shown.length ? `The first ${shown.length} of ${known.length} cells; narrow the filter for others.` : ""));
  }

  // --- the table --------------------------------------------------------------------------------------------------------
  /** What a column is sorted by: numbers, or places of its texts in order. */
  function ranks({ numbers, texts }) {
    if (numbers) return numbers.map((value) => value ?? -Infinity);
    const numeric = texts[0].every((value) => value === "" || Number.isFinite(Number(value)));
    const order = texts[0].map((_, at) => at).sort((a, b) => (numeric ? texts[0][a] - texts[0][b] : texts[0][a].localeCompare(texts[0][b], "en", { numeric: true })));
    const rank = [];
    order.forEach((value, place) => { rank[value] = place; });
    return texts[1].map((value) => rank[value]);
  }
  function drawTable() {
    const shown = data.columns.filter(({ name }) => state.every || data.shown.includes(name));
    const rows = [...visible];
    if (state.sort !== null) {
      const rank = ranks(columns.get(state.sort)), sign = state.descending ? -1 : 1;
      rows.sort((a, b) => sign * (rank[a] < rank[b] ? -1 : rank[a] > rank[b] ? 1 : 0) || a - b);
    }
    const head = shown.map(({ name, help, numbers }) => element("th", { scope: "col", class: numbers ? "n" : null, "aria-sort": state.sort === name ? (state.descending ? "descending" : "ascending") : null },
      element("button", { type: "button", title: help, "data-column": name, onclick: () => sortBy(name) }, name)));
    const cell = (row, { name, numbers }) => {
      const whole = text(row, name), value = numbers && whole !== "" ? short(numbers[row], 5) : whole;
      return element("td", { class: `${numbers ? "n" : ""}${/_lo$|_hi$|_se$/.test(name) ? " lo" : ""}`, title: value === whole ? null : whole }, value);
    };
    const body = rows.slice(0, state.rows).map((row) => element("tr", { "data-row": row, class: text(row, "error") ? "failed" : null }, ...shown.map((column) => cell(row, column))));
    find("table").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    find("count").textContent = `${rows.length} of ${count} cells${rows.length > state.rows ? `, the first ${state.rows} shown` : ""}`;
    find("more").hidden = rows.length <= state.rows;
  }
  function sortBy(name) {
    state.descending = state.sort === name ? !state.descending : false;
    state.sort = name;
    drawTable();
    document.querySelector(`button[data-column="${name}"]`)?.focus();
  }

  // --- the page ---------------------------------------------------------------------------------------------------------
  const hasPlots = data.lines.length + data.grids.length > 0 && data.figures.length > 0;
  const redraw = () => {
    charts.forEach((made) => made.destroy());
    charts = [];
    showTip(null);
    if (hasPlots) drawPlot();
    drawCurves();
  };
  const refilter = () => { applyFilter(); redraw(); drawTable(); };
  const controls = element("div", { class: "controls", id: "filters" },
    element("label", {}, "Search", element("input", { type: "search", id: "words", placeholder: "any words", oninput: (event) => { state.words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean); refilter(); } })),
    ...filters.map((filter, at) => select(filter.name, [["", "all"], ...filter.values.map((value, key) => [String(key), value])], "", (value) => { state.chosen[at] = value === "" ? null : Number(value); refilter(); })),
    element("button", { type: "button", id: "reset", onclick: () => {
      Object.assign(state, { words: [], chosen: filters.map(() => null), sort: null, descending: false });
      for (const input of document.querySelectorAll("#filters select, #filters input")) input.value = "";
      refilter();
    } }, "Reset"));
  const plots = [...data.lines.map(({ axis }) => `lines by ${data.factors[axis.factor].name}`), ...data.grids.map(({ down, across }) => `heat map of ${data.factors[down].name} and ${data.factors[across].name}`)];
  const page = [
    element("h1", {}, data.name), element("p", { class: "lead" }, data.lead.join(" · ")), hint("Filters apply to the plots and the table."), controls,
    ...(hasPlots ? [element("h2", {}, "Figures by parameter"),
      element("div", { class: "controls", id: "axes" },
        select("figure", data.figures.map(({ title }, at) => [String(at), title]), "0", (value) => { Object.assign(view, { figure: Number(value), log: null }); redraw(); }),
        select("plot", plots.map((name, at) => [String(at), name]), String(view.plot), (value) => { Object.assign(view, { plot: Number(value), log: null }); redraw(); }),
        element("label", { class: "check" }, element("input", { type: "checkbox", id: "log", onchange: (event) => { view.log = event.target.checked; redraw(); } }), "log scale")),
      element("div", { class: "plot", id: "plot", onpointermove: (event) => { const tile = event.target.closest(".tile"); if (tile) showTip(Number(tile.dataset.row), event); }, onpointerleave: () => showTip(null) })] : []),
    ...(data.curves ? [element("h2", {}, "How long games last"), element("div", { class: "plot", id: "curves" })] : []),
    element("h2", {}, "Cells"),
    element("div", { class: "controls" }, element("span", { class: "hint", id: "count", role: "status" }),
      element("button", { type: "button", id: "more", onclick: () => { state.rows = Infinity; drawTable(); } }, "Show all"),
      element("label", { class: "check" }, element("input", { type: "checkbox", id: "every", onchange: (event) => { state.every = event.target.checked; drawTable(); } }), "every column")),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cells" }, element("table", { id: "table" })),
    element("h2", {}, "Run details"),
    element("dl", {}, ...data.machine.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)])),
    data.experiment === null ? null : element("details", {}, element("summary", {}, "Experiment file"), element("pre", { id: "experiment" }, data.experiment)),
    element("details", {}, element("summary", {}, "What the columns mean"), element("dl", {}, ...data.columns.filter(({ help }) => help).flatMap(({ name, help }) => [element("dt", {}, name), element("dd", {}, help)]))),
  ];
  document.getElementById("page").replaceChildren(...page.filter(Boolean), tip);
  refilter();
  // A page that is loaded again, as while a run goes on, keeps what was chosen. Options are kept by
  // their texts: new cells may have new values.
  const KEPT = `tilelab ${data.name}`;
  const chosen = () => [...document.querySelectorAll("#page select, #page input")].map((input) => [input.id || input.dataset.name, input]);
  addEventListener("pagehide", () => {
    const values = chosen().map(([name, input]) => [name, input.type === "checkbox" ? input.checked : input.selectedOptions?.[0].text ?? input.value]);
    try { sessionStorage.setItem(KEPT, JSON.stringify([Object.fromEntries(values), scrollY])); } catch { /* Nothing may be stored. */ }
  });
  try {
    const [values, scroll] = JSON.parse(sessionStorage.getItem(KEPT) ?? "[{}, 0]");
    for (const [name, input] of chosen()) {
      const value = values[name], option = [...(input.options ?? [])].find(({ text }) => text === value);
      if (value === undefined || (input.options && (!option || option.selected)) || (!input.options && (input.checked === value || input.value === value))) continue;
      if (input.type === "checkbox") input.checked = value;
      else input.value = option ? option.value : value;
      input.dispatchEvent(new Event(input.type === "search" ? "input" : "change"));
    }
    scrollTo(0, scroll);
  } catch { /* As on a first visit. */ }
  let drawnAt = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === drawnAt) return;
    drawnAt = innerWidth;
    redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
})();
