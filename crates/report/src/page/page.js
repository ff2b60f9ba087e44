"use strict";
// Shows the data of a run. Which cells are a line, what it is called, and the axes with their ticks are in the data.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  // Rows of the table beside those in sight, and by how many they change; longer texts lose their ends.
  const ROWS_MIN = 60, STEP = 20, TEXT_MAX = 40, PAPER_TEXT = 24;
  const CURVES_MAX = 7;
  const FAILED_MAX = 5;
  // Rows of a picture: a sheet of paper holds them.
  const PICTURE_ROWS = 50;
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
  /** What a person can do here, which nobody can on paper. */
  const advice = (...parts) => Object.assign(hint(...parts), { className: "hint advice" });
  const select = (label, options, value, change) =>
    element("label", {}, label, element("select", { onchange: (event) => change(event.target.value), "data-name": label },
      ...options.map(([key, name]) => element("option", { value: key, selected: key === value }, name))));

  // --- one filter for the plots and the table ---------------------------------------------------------------------------
  const table = columns.get("table");
  const filters = [...(table?.texts[0].length > 1 ? [{ name: "table", values: table.texts[0], ofRow: table.texts[1] }] : []), ...data.factors];
  const state = { words: [], chosen: filters.map(() => null), sort: null, descending: false, every: false };
  const view = { plot: data.first, figure: 0, log: null, zoom: [0, 1], hidden: new Set(), hiddenCurves: new Set() };
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

  // --- pictures ---------------------------------------------------------------------------------------------------------
  // All colours are properties of the page; a saved picture has those of its light scheme.
  const colour = (name) => `var(--${name})`;
  const SHAPES = ["M4 0A4 4 0 1 1-4 0 4 4 0 1 1 4 0Z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-5 5 0 0 5-5 0z", "M0-4.8 4.6 3.4h-9.2z", "M0 4.8 4.6-3.4h-9.2z",
    "M-4.8-2h2.8v-2.8h4v2.8h2.8v4h-2.8v2.8h-4v-2.8h-2.8z", "M-5.2 0-2.6-4.4h5.2L5.2 0 2.6 4.4h-5.2z"];
  const look = (series) => colour(`c${series % SHAPES.length}`);
  const isHollow = (series) => series >= SHAPES.length;
  const LEFT = 74, RIGHT = 14, STRIP = 22, LINE = 17;
  const shape = (tag, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== false) node.setAttribute(key, value);
    node.append(...children.flat());
    return node;
  };
  const words = (x, y, text, attributes = {}) => shape("text", { x, y, fill: colour("ink"), ...attributes }, text);
  const line = (x1, y1, x2, y2, attributes = {}) => shape("line", { x1, y1, x2, y2, stroke: colour("grid"), ...attributes });
  const mark = (series, x, y, attributes = {}) => shape("path", { d: SHAPES[series % SHAPES.length], transform: `translate(${x} ${y})`,
    fill: isHollow(series) ? colour("paper") : look(series), stroke: isHollow(series) ? look(series) : colour("paper"), ...attributes });
  const pen = document.createElement("canvas").getContext("2d");
  const widthOf = (text, font = "12px system-ui") => { pen.font = font; return pen.measureText(text).width + 2; };
  /** A text in lines that are not wider. */
  const wrapped = (text, width, font) => text.split(" ").reduce((lines, word) => {
    const longer = `${lines.at(-1)} ${word}`.trim();
    return widthOf(longer, font) <= width ? [...lines.slice(0, -1), longer] : [...lines, word];
  }, [""]).filter(Boolean);
  /** Those of texts centred at places that do not touch, always with the last. */
  const apart = (texts) => {
    let free = -Infinity;
    const edge = texts.length > 0 ? texts.at(-1).x - widthOf(texts.at(-1).text) / 2 - 6 : 0;
    return texts.filter(({ x, text }, index) => {
      const half = widthOf(text) / 2, fits = index === texts.length - 1 || (x - half >= free && x + half <= edge);
      if (fits) free = x + half + 6;
      return fits;
    });
  };
  /** The tightest of the ready axes that holds these numbers; on a logarithmic one, those up to 0 have a strip. */
  function tightest(axes, log, numbers) {
    let lo = Infinity, hi = -Infinity;
    for (const value of numbers) if (!log || value > 0) [lo, hi] = [Math.min(lo, value), Math.max(hi, value)];
    const size = (axis) => (log ? axis.hi / axis.lo : axis.hi - axis.lo);
    return axes.filter((axis) => axis.log === log && axis.lo <= lo && axis.hi >= hi).reduce((best, axis) => (size(axis) < size(best) ? axis : best));
  }
  const shareOf = (axis, value) => (axis.log ? Math.log(value / axis.lo) / Math.log(axis.hi / axis.lo) : (value - axis.lo) / (axis.hi - axis.lo));
  /** Pixels of values on an axis from `from` to `to`; a strip at `from` has the zeros of a logarithmic one. */
  function scaled(axis, from, to, hasZeros) {
    const floor = axis.log && hasZeros ? from + STRIP * Math.sign(to - from) : from;
    const at = (value) => (axis.log && value <= 0 ? from + (floor - from) * 0.35 : floor + shareOf(axis, value) * (to - floor));
    return { at, floor, lowerEnd: (lo) => (axis.log && lo <= 0 ? from : at(lo)) };
  }

  /** A picture below a title, with a legend whose entries hide what they name, and links that save it. */
  function picture(title, width, legend, notes, draw) {
    const font = "600 13px system-ui";
    // In sight also where a heat map is wider than a phone.
    const seen = Math.min(width, find("page").clientWidth - 40);
    const heads = wrapped(title, seen - 8, font).map((text, at) => words(seen / 2, 15 + LINE * at, text, { "text-anchor": "middle", "font-weight": 600, class: "title" }));
    const body = shape("g");
    let y = draw(body, heads.length * LINE + 8), x = 8;
    for (const { series, label, toggle, hidden } of legend) {
      const name = wrapped(label, width - 34), taken = 20 + Math.max(...name.map((text) => widthOf(text, "13px system-ui"))) + 16;
      if (x > 8 && x + taken > width) [x, y] = [8, y + LINE + 3];
      const press = (event) => { event.preventDefault(); toggle(); };
      body.append(shape("g", { class: "entry", opacity: hidden ? 0.35 : null, ...(toggle && { role: "button", tabindex: 0, "aria-pressed": String(!hidden) }) }, mark(series, x + 6, y + 9),
        name.map((text, at) => words(x + 16, y + 14 + LINE * at, text))));
      if (toggle) {
        body.lastChild.addEventListener("click", press);
        body.lastChild.addEventListener("keydown", (event) => [" ", "Enter"].includes(event.key) && press(event));
      }
      y += LINE * (name.length - 1);
      x += taken;
    }
    const height = y + (legend.length > 0 ? LINE + 8 : 4);
    const made = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: legend.some(({ toggle }) => toggle) ? "group" : "img", "aria-label": title, "font-family": "system-ui, sans-serif", "font-size": 12 }, heads, body);
    /** The whole picture as a file: on paper, with its notes and where it is from. */
    const file = () => {
      const copy = made.cloneNode(true);
      const below = [...notes, data.source].filter(Boolean).flatMap((text) => wrapped(text, width - 16));
      const tall = height + LINE * below.length + 6;
      copy.prepend(shape("rect", { width, height: tall, fill: colour("paper") }));
      copy.append(...below.map((text, at) => words(8, height + LINE * (at + 0.8), text, { fill: colour("muted") })));
      for (const [key, value] of [["height", tall], ["viewBox", `0 0 ${width} ${tall}`]]) copy.setAttribute(key, value);
      return new XMLSerializer().serializeToString(copy).replace(/var\(--(\w+)\)/g, (_, name) => data.colours[name]);
    };
    const address = () => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(file())}`;
    const name = `${data.name} ${title}`.replace(/[^\w.-]+/g, "_");
    const save = (link, href) => element("a", { href, download: `${name}.${link}` }).click();
    const png = async () => {
      const image = new Image();
      image.src = address();
      await image.decode();
      const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      save("png", canvas.toDataURL());
    };
    const holder = element("figure", {}, made, element("p", { class: "save" }, element("button", { type: "button", onclick: () => save("svg", address()) }, "SVG"), " ", element("button", { type: "button", onclick: png }, "PNG")));
    holder.file = file;
    return holder;
  }
  /** Shows the cell of the nearest of some marks beside the pointer. */
  function points(holder, marks) {
    const made = holder.querySelector("svg");
    made.addEventListener("pointermove", (event) => {
      const frame = made.getBoundingClientRect(), ratio = frame.width / made.viewBox.baseVal.width || 1;
      let best = null, least = 30;
      for (const { row, x, y } of marks) {
        const away = Math.hypot(frame.left + x * ratio - event.clientX, frame.top + y * ratio - event.clientY);
        if (away < least) [best, least] = [row, away];
      }
      showTip(best, event);
    });
    made.addEventListener("pointerleave", () => showTip(null));
    return holder;
  }
  /** Drags across a frame zoom; a double click shows all again. */
  function zooms(holder, left, right) {
    const made = holder.querySelector("svg");
    const share = (event) => {
      const frame = made.getBoundingClientRect(), x = (event.clientX - frame.left) * made.viewBox.baseVal.width / frame.width;
      return view.zoom[0] + Math.min(1, Math.max(0, (x - left) / (right - left))) * (view.zoom[1] - view.zoom[0]);
    };
    let from = null;
    made.addEventListener("pointerdown", (event) => { from = event.pointerType === "mouse" ? share(event) : null; });
    made.addEventListener("pointerup", (event) => {
      const ends = from === null ? [] : [from, share(event)].sort((a, b) => a - b);
      if (ends[1] - ends[0] > 0.03 * (view.zoom[1] - view.zoom[0])) { view.zoom = ends; redraw(); }
    });
    made.addEventListener("dblclick", () => { view.zoom = [0, 1]; redraw(); });
  }
  const drawGridLine = (body, ticks, draw) => ticks.forEach(([value, label]) => body.append(...draw(value, label)));

  // --- plots of lines ---------------------------------------------------------------------------------------------------
  function drawLines(plot, figure, holder) {
    const { places, ordered, to_scale: toScale, factor: swept, title } = plot.axis;
    const { values: names, ofRow } = data.factors[swept];
    const panels = [];
    const inZoom = (row) => !ordered || (places[ofRow[row]] >= view.zoom[0] && places[ofRow[row]] <= view.zoom[1]);
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
    const canBeLog = figure.axes.some((axis) => axis.log) && lines.some(({ rows }) => rows.some((row) => number(row, figure.name) > 0));
    const log = (view.log ?? figure.log) && canBeLog;
    Object.assign(find("log"), { checked: log, disabled: !canBeLog });
    const wide = Math.max(300, holder.clientWidth - 20);
    const isLong = !ordered && new Set(lines.flatMap(({ rows }) => rows.map((row) => ofRow[row]))).size > PICTURE_ROWS;
    const across = (isLong || (panels.length > 1 && ordered)) && wide >= 760 ? 2 : 1;
    const width = Math.floor(wide / across) - 4, height = panels.length > 1 ? 240 : 360;
    const unit = figure.title + (log ? " (log scale)" : "");
    const notes = [figure.note, log && lines.some(({ rows }) => rows.some((row) => number(row, figure.name) === 0)) ? "Zeros are in the strip at the edge." : "", leftOut > 0 ? `Left out: ${leftOut} more lines; narrow the filter.` : "",
      visible.length > inLines ? `Left out: ${visible.length - inLines} cells without another that differs in ${data.factors[swept].name} only.` : ""];
    const toggle = (label) => { if (!view.hidden.delete(label)) view.hidden.add(label); redraw(); };
    const drawn = panels.flatMap(({ name, lines: members }) => {
      const legend = members.map(({ label }) => ({ series: series.get(label), label: nameOf(label), hidden: view.hidden.has(label), toggle: () => toggle(label) })).filter(({ label }) => label !== "");
      const seen = members.filter(({ label }) => !view.hidden.has(label)).map(({ label, rows }) => ({ look: series.get(label), rows: rows.filter(inZoom).map((row) => ({ row, value: number(row, figure.name), bounds: boundsOf(row, figure) })) }));
      const all = seen.flatMap(({ rows }) => rows);
      const isLog = log && all.some(({ value }) => value > 0);
      const hasZeros = all.some(({ value }) => value === 0);
      const axis = all.length > 0 ? tightest(figure.axes, isLog, all.flatMap(({ value, bounds }) => [value, ...bounds])) : null;
      let marks = [];
      const bars = (body, along, { look: own, rows }, place) => {
        for (const { row, value, bounds: [lo, hi] } of rows) {
          const across = place(row), [from, to, at] = [along.lowerEnd(lo), along.at(hi), along.at(value)];
          const caps = isLog && lo <= 0 ? [to] : [from, to];
          const path = ordered ? `M${across} ${from}V${to}${caps.map((end) => `M${across - 3} ${end}h6`).join("")}` : `M${from} ${across}H${to}${caps.map((end) => `M${end} ${across - 3}v6`).join("")}`;
          const [x, y] = ordered ? [across, at] : [at, across];
          body.append(shape("path", { d: path, stroke: look(own), "stroke-width": 1.5, fill: "none", class: "bar" }), mark(own, x, y, { class: "mark", "data-row": row }));
          marks.push({ row, x, y });
        }
      };
      const upright = (body, top) => {
        const bottom = top + height, right = width - RIGHT;
        const x = (place) => LEFT + ((place - view.zoom[0]) / (view.zoom[1] - view.zoom[0])) * (right - LEFT);
        if (axis) {
          const y = scaled(axis, bottom, top, hasZeros);
          drawGridLine(body, axis.ticks, (value, label) => [line(LEFT, y.at(value), right, y.at(value), { class: "grid" }), words(LEFT - 6, y.at(value) + 4, label, { "text-anchor": "end", fill: colour("muted") })]);
          if (y.floor !== bottom) body.append(line(LEFT, y.floor, right, y.floor, { stroke: colour("muted"), "stroke-dasharray": "2 3" }), words(LEFT - 6, y.at(0) + 4, "0", { "text-anchor": "end", fill: colour("muted") }));
          for (const own of seen) {
            // A line says that values between its points exist: it does not lead to the strip of zeros.
            const path = own.rows.map(({ row, value }, at) => (isLog && value <= 0 ? "" : `${at > 0 && !(isLog && own.rows[at - 1].value <= 0) ? "L" : "M"}${x(places[ofRow[row]])} ${y.at(value)}`)).join("");
            body.append(shape("path", { d: path || "M0 0", stroke: look(own.look), fill: "none", "stroke-width": 1.75, "stroke-dasharray": isHollow(own.look) ? "6 3" : null, class: "line" }));
          }
          for (const own of seen) bars(body, y, own, (row) => x(places[ofRow[row]]));
        }
        body.append(line(LEFT, bottom, right, bottom, { stroke: colour("muted") }), shape("rect", { x: LEFT, y: top, width: right - LEFT, height, fill: "none", class: "frame" }));
        const used = [...new Set(members.flatMap(({ rows }) => rows.filter(inZoom).map((row) => ofRow[row])))].sort((a, b) => a - b).map((value) => ({ x: x(places[value]), text: names[value] }));
        for (const { x: at } of used) body.append(line(at, bottom, at, bottom + 4, { stroke: colour("muted") }));
        body.append(...apart(used).map(({ x: at, text }) => words(Math.min(at, width - widthOf(text) / 2), bottom + 17, text, { "text-anchor": "middle", fill: colour("muted") })));
        body.append(words((LEFT + right) / 2, bottom + 36, title, { "text-anchor": "middle" }), words(14, top + height / 2, unit, { "text-anchor": "middle", transform: `rotate(-90 14 ${top + height / 2})` }));
        return bottom + 46;
      };
      // Values without an order are rows with their names, the best first.
      const mean = (value) => { const own = all.filter(({ row }) => ofRow[row] === value); return own.reduce((sum, it) => sum + it.value, 0) / own.length; };
      const sorted = ordered ? [] : [...new Set(all.map(({ row }) => ofRow[row]))].map((value) => [mean(value), value]).sort((a, b) => b[0] - a[0]).map(([, value]) => value);
      const rowwise = (order) => (body, top) => {
        const room = Math.min(220, width * 0.4), labels = order.map((value) => wrapped(names[value], room));
        const from = Math.min(room, Math.max(30, ...labels.flat().map((text) => widthOf(text)))) + 16, right = width - RIGHT - 12;
        const step = Math.max(22, 9 * seen.length + 8, ...labels.map((own) => 14 * own.length + 6)), bottom = top + step * order.length;
        body.append(line(from, top, from, bottom, { stroke: colour("muted") }), shape("rect", { x: from, y: top, width: right - from, height: bottom - top, fill: "none", class: "frame" }));
        if (axis) {
          const x = scaled(axis, from, right, hasZeros);
          for (const [value] of axis.ticks) body.append(line(x.at(value), top, x.at(value), bottom, { class: "grid" }));
          body.append(...apart(axis.ticks.map(([value, text]) => ({ x: x.at(value), text }))).map(({ x: at, text }) => words(at, bottom + 16, text, { "text-anchor": "middle", fill: colour("muted") })));
          if (x.floor !== from) body.append(line(x.floor, top, x.floor, bottom, { stroke: colour("muted"), "stroke-dasharray": "2 3" }), words(x.at(0), bottom + 16, "0", { "text-anchor": "middle", fill: colour("muted") }));
          labels.forEach((own, at) => body.append(...own.map((text, part) => words(from - 8, top + step * (at + 0.5) + 4 + 14 * (part - (own.length - 1) / 2), text, { "text-anchor": "end", fill: colour("muted") }))));
          const here = new Set(order);
          seen.forEach((own, index) => bars(body, x, { ...own, rows: own.rows.filter(({ row }) => here.has(ofRow[row])) }, (row) => top + step * (order.indexOf(ofRow[row]) + 0.5) + 9 * (index - (seen.length - 1) / 2)));
        }
        body.append(words((from + right) / 2, bottom + 36, unit, { "text-anchor": "middle" }));
        return bottom + 46;
      };
      const heading = name || `${figure.title} by ${data.factors[swept].name}`;
      const made = (title, draw) => {
        marks = [];
        return points(picture(title, width, legend, notes, draw), marks);
      };
      if (!ordered) {
        const parts = Array.from({ length: Math.max(1, Math.ceil(sorted.length / PICTURE_ROWS)) }, (_, part) => PICTURE_ROWS * part);
        return parts.map((from) => made(parts.length === 1 ? heading : `${heading}, ${from + 1} to ${Math.min(from + PICTURE_ROWS, sorted.length)} of ${sorted.length}`, rowwise(sorted.slice(from, from + PICTURE_ROWS))));
      }
      const plotted = made(heading, upright);
      if (toScale) zooms(plotted, LEFT, width - RIGHT);
      return [plotted];
    });
    return [...drawn, hint(...notes), advice("Point at a mark for its cell;", toScale ? "drag to zoom, double-click to zoom out;" : "", "a click in the legend hides a line.")];
  }

  // --- heat maps --------------------------------------------------------------------------------------------------------
  function drawGrid({ down, across, panels }, figure, holder) {
    const [side, foot] = [data.factors[down], data.factors[across]];
    const kept = panels.map(({ title, rows }) => ({ title, rows: rows.filter((row) => isVisible[row] && number(row, figure.name) !== null) })).filter(({ rows }) => rows.length > 0);
    const shown = kept.slice(0, data.panels_max);
    if (shown.length === 0) return [hint("No cell matches the filter.")];
    const values = shown.flatMap(({ rows }) => rows.map((row) => number(row, figure.name)));
    const canBeLog = figure.axes.some((axis) => axis.log) && values.some((value) => value > 0);
    const log = (view.log ?? figure.log) && canBeLog;
    Object.assign(find("log"), { checked: log, disabled: !canBeLog });
    const axis = tightest(figure.colours, log, values);
    const shadeOf = (value) => (log && value <= 0 ? [colour("grid"), colour("ink")] : data.shades[Math.round(shareOf(axis, value) * (data.shades.length - 1))]);
    const occur = (factor, rows) => [...new Set(rows.map((row) => factor.ofRow[row]))].sort((a, b) => a - b);
    const heads = occur(foot, shown.flatMap(({ rows }) => rows));
    const tall = 26, wide = Math.max(40, ...values.map((value) => widthOf(short(value, 2)) + 8), ...heads.map((head) => widthOf(foot.values[head]) + 8));
    const unit = figure.title + (log ? " (log scale)" : "");
    const outside = visible.length - kept.reduce((sum, { rows }) => sum + rows.length, 0);
    const notes = [log && values.some((value) => value <= 0) ? "Grey: zero." : "", kept.length > shown.length ? `Left out: ${kept.length - shown.length} more panels; narrow the filter.` : "",
      outside > 0 ? `Left out: ${outside} cells that are in no grid of these two parameters.` : ""];
    const maps = shown.map(({ title, rows }) => {
      const lines = occur(side, rows), left = Math.max(30, widthOf(`${side.name} \u2193`), ...lines.map((value) => widthOf(side.values[value]))) + 12;
      const width = Math.max(left + wide * heads.length + 8, 340);
      return picture(title || `${figure.title} by ${side.name} and ${foot.name}`, width, [], notes, (body, top) => {
        body.append(words(left - 8, top + 10, `${side.name} \u2193`, { "text-anchor": "end", fill: colour("muted") }));
        lines.forEach((value, at) => body.append(words(left - 8, top + 18 + tall * (at + 0.5) + 4, side.values[value], { "text-anchor": "end", fill: colour("muted") })));
        // A cell of two tables is one tile.
        for (const row of new Map(rows.map((own) => [`${side.ofRow[own]} ${foot.ofRow[own]}`, own])).values()) {
          const x = left + wide * heads.indexOf(foot.ofRow[row]), y = top + 18 + tall * lines.indexOf(side.ofRow[row]), [fill, ink] = shadeOf(number(row, figure.name));
          body.append(shape("g", { class: "tile", "data-row": row }, shape("rect", { x, y, width: wide - 1.5, height: tall - 1.5, fill }), words(x + wide / 2, y + tall / 2 + 4, short(number(row, figure.name), 2), { "text-anchor": "middle", fill: ink })));
        }
        const bottom = top + 18 + tall * lines.length;
        heads.forEach((head, at) => body.append(words(left + wide * (at + 0.5), bottom + 14, foot.values[head], { "text-anchor": "middle", fill: colour("muted") })));
        body.append(words(left + wide * heads.length / 2, bottom + 32, foot.name, { "text-anchor": "middle" }));
        // The colours with their numbers.
        const length = width - 80, y = bottom + 46;
        data.shades.forEach(([fill], at) => body.append(shape("rect", { x: 40 + length * at / data.shades.length, y, width: length / data.shades.length + 0.4, height: 10, fill })));
        body.append(...apart(axis.ticks.map(([value, text]) => ({ x: 40 + shareOf(axis, value) * length, text }))).map(({ x, text }) => words(x, y + 24, text, { "text-anchor": "middle", fill: colour("muted") })),
          words(width / 2, y + 42, unit, { "text-anchor": "middle" }));
        return y + 50;
      });
    });
    return [...maps, hint(...notes), advice("Point at a tile for its cell.")];
  }

  function drawPlot() {
    const holder = find("plot");
    const figure = data.figures[view.figure];
    const made = view.plot < data.lines.length ? drawLines(data.lines[view.plot], figure, holder) : drawGrid(data.grids[view.plot - data.lines.length], figure, holder);
    holder.replaceChildren(...made);
  }

  // --- how long games last ----------------------------------------------------------------------------------------------
  function drawCurves() {
    const holder = find("curves");
    if (!holder) return;
    const { moves, axes, share, cells } = data.curves;
    const known = cells.filter(({ row }) => isVisible[row]), shown = known.slice(0, CURVES_MAX);
    if (shown.length === 0) return holder.replaceChildren(hint("No cell of the filter has a distribution."));
    const varying = data.factors.filter((factor) => new Set(shown.map(({ row }) => factor.ofRow[row])).size > 1);
    const nameOf = (row) => varying.filter((factor) => factor.ofRow[row] !== null).map((factor) => (factor.numeric ? `${factor.name} ` : "") + factor.values[factor.ofRow[row]]).join(", ") || text(row, "cell");
    const seen = shown.map((curve, index) => ({ ...curve, series: index })).filter(({ row }) => !view.hiddenCurves.has(row));
    const toggle = (row) => { if (!view.hiddenCurves.delete(row)) view.hiddenCurves.add(row); redraw(); };
    const legend = shown.map(({ row }, series) => ({ series, label: nameOf(row), hidden: view.hiddenCurves.has(row), toggle: () => toggle(row) }));
    const ends = (seen.length > 0 ? seen : shown).flatMap(({ longer }) => [moves[0], moves[longer.length - 1]]);
    const axis = tightest(axes, axes[0].log, ends);
    const notes = [shown.some(({ lo }) => lo.length > 0) ? "Bands: interval of each point by itself (Wilson), where games do not share a trajectory." : "",
      known.length > shown.length ? `The first ${shown.length} of ${known.length} cells; narrow the filter for others.` : ""];
    const width = Math.max(300, holder.clientWidth - 20), right = width - RIGHT;
    const figure = picture("Games that last longer than each number of moves", width, legend, notes, (body, top) => {
      const bottom = top + 320, x = scaled(axis, LEFT, right, false), y = scaled(share, bottom, top, false);
      drawGridLine(body, share.ticks, (value, label) => [line(LEFT, y.at(value), right, y.at(value), { class: "grid" }), words(LEFT - 6, y.at(value) + 4, label, { "text-anchor": "end", fill: colour("muted") })]);
      body.append(...apart(axis.ticks.map(([value, text]) => ({ x: x.at(value), text }))).map(({ x: at, text }) => words(at, bottom + 17, text, { "text-anchor": "middle", fill: colour("muted") })), line(LEFT, bottom, right, bottom, { stroke: colour("muted") }));
      const path = (list) => list.map((value, at) => `${x.at(moves[at])} ${y.at(value)}`);
      for (const { series, longer, lo, hi } of seen) {
        if (lo.length > 0) body.append(shape("path", { d: `M${[...path(hi), ...path(lo).reverse()].join("L")}Z`, fill: look(series), opacity: 0.2, class: "band" }));
        body.append(shape("path", { d: `M${path(longer).join("L")}`, stroke: look(series), fill: "none", "stroke-width": 1.75, class: "line" }));
      }
      body.append(words((LEFT + right) / 2, bottom + 36, `moves${axis.log ? " (log scale)" : ""}`, { "text-anchor": "middle" }), words(14, (top + bottom) / 2, "games that last longer, %", { "text-anchor": "middle", transform: `rotate(-90 14 ${(top + bottom) / 2})` }));
      return bottom + 46;
    });
    holder.replaceChildren(figure, hint(...notes));
  }

  // --- the table --------------------------------------------------------------------------------------------------------
  const { compare: inOrder } = new Intl.Collator("en", { numeric: true });
  /** What a column is sorted by: numbers, or places of its texts in order. */
  function ranks({ numbers, texts }) {
    if (numbers) return numbers.map((value) => value ?? -Infinity);
    const numeric = texts[0].every((value) => value === "" || Number.isFinite(Number(value)));
    const order = texts[0].map((_, at) => at).sort((a, b) => (numeric ? texts[0][a] - texts[0][b] : inOrder(texts[0][a], texts[0][b])));
    const rank = [];
    order.forEach((value, place) => { rank[value] = place; });
    return texts[1].map((value) => rank[value]);
  }
  /** A field, shortened and whole. */
  const shortened = (row, { name, numbers }) => {
    const whole = text(row, name), value = numbers && whole !== "" ? short(numbers[row], 5) : whole;
    return [value, value === whole && value.length <= TEXT_MAX ? "" : whole];
  };
  /** The longest field of a column: other rows are no reason to make it wider. */
  function longest(column) {
    const { numbers, texts } = column;
    if (column.longest === undefined) {
      const known = numbers ? numbers.map((value) => (value === null || Number.isInteger(value) ? value : Number(value.toPrecision(5)))) : texts[0];
      const at = known.reduce((best, value, at) => (String(value ?? "").length > String(known[best] ?? "").length ? at : best), 0);
      [column.longest] = shortened(numbers ? at : texts[1].indexOf(at), column);
    }
    return column.longest;
  }
  let list = () => {};
  function drawTable() {
    const shown = data.columns.filter(({ name }) => state.every || data.shown.includes(name));
    const rows = [...visible];
    if (state.sort !== null) {
      const rank = ranks(columns.get(state.sort)), sign = state.descending ? -1 : 1;
      rows.sort((a, b) => sign * (rank[a] < rank[b] ? -1 : rank[a] > rank[b] ? 1 : 0) || a - b);
    }
    // Browsers repeat a head on every sheet unless it has buttons; there, long names break after a "_".
    const head = shown.map(({ name, help, numbers }) => element("th", { scope: "col", "data-name": name.replaceAll("_", "_\u200b"), class: numbers ? "n" : null, "aria-sort": state.sort === name ? (state.descending ? "descending" : "ascending") : null },
      element("button", { type: "button", title: help, "data-column": name, onclick: () => sortBy(name) }, name)));
    // Text of many rows is read faster than their elements are made.
    const safe = (value) => value.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
    const kinds = shown.map(({ name, numbers }) => `${numbers ? "n" : ""}${/_lo$|_hi$|_se$/.test(name) ? " lo" : ""}`);
    const cell = (row, column, at) => {
      const [value, whole] = shortened(row, column);
      return `<td class="${kinds[at]}"${whole === "" ? "" : ` title="${safe(whole)}"`}>${safe(value)}</td>`;
    };
    const html = (row, place) => `<tr data-row="${row}" aria-rowindex="${place + 2}"${text(row, "error") ? ' class="failed"' : ""}>${shown.map((column, at) => cell(row, column, at)).join("")}</tr>`;
    const body = element("tbody"), table = find("table"), scroll = table.parentElement;
    const space = () => element("tr", { "aria-hidden": true }, element("td", { colspan: shown.length }));
    const [above, below] = [space(), space()];
    const widest = element("tr", { class: "widest", "aria-hidden": true }, ...shown.map((column) => element("td", {}, longest(column))));
    table.replaceChildren(element("thead", {}, element("tr", { "aria-rowindex": 1 }, ...head), above), body, element("tfoot", {}, below, widest));
    table.setAttribute("aria-rowcount", rows.length + 1);
    // On paper, letters are as large as the sheet allows.
    const wide = shown.map((column) => Math.max(2 + Math.min(longest(column).length, column.numbers ? Infinity : PAPER_TEXT), ...column.name.split("_").map((part) => 3 + part.length)));
    table.style.setProperty("--letters", wide.reduce((sum, letters) => sum + letters, 0));
    find("count").textContent = `${rows.length} of ${count} cells`;
    let drawn = "";
    // Only rows near those in sight have elements: a browser would lay out all of them for seconds.
    list = (all = false) => {
      const tall = body.firstChild?.offsetHeight || 1;
      const size = all ? rows.length : Math.min(rows.length, ROWS_MIN + Math.ceil(scroll.clientHeight / tall));
      const sought = STEP * Math.floor((scroll.scrollTop / tall - ROWS_MIN / 2) / STEP);
      const from = Math.max(0, Math.min(sought, rows.length - size));
      if (drawn === `${from} ${size}`) return;
      drawn = `${from} ${size}`;
      body.innerHTML = rows.slice(from, from + size).map((row, at) => html(row, from + at)).join("");
      [[above, from], [below, rows.length - from - size]].forEach(([row, left]) => {
        row.hidden = left === 0;
        row.firstChild.style.height = `${left * (body.firstChild?.offsetHeight ?? 0)}px`;
      });
    };
    scroll.scrollTop = 0;
    list();
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
  // What has no result is said first: its column may be off the screen.
  const failed = Array.from({ length: count }, (_, row) => row).filter((row) => text(row, "error") !== "");
  const lacking = data.lacking === null ? null : element("div", { class: "lacking" }, element("p", {}, data.lacking),
    element("ul", {}, ...failed.slice(0, FAILED_MAX).map((row) => element("li", {}, `${text(row, "cell")}: ${text(row, "error")}`)), failed.length > FAILED_MAX ? element("li", {}, `${failed.length - FAILED_MAX} more, in the table`) : null));
  const plots = [...data.lines.map(({ axis }) => `lines by ${data.factors[axis.factor].name}`), ...data.grids.map(({ down, across }) => `heat map of ${data.factors[down].name} and ${data.factors[across].name}`)];
  const page = [
    element("h1", {}, data.name), data.quote === null ? null : element("p", { class: "quote" }, data.quote), lacking, element("p", { class: "lead" }, data.lead.join(" · ")), advice("Filters apply to the plots and the table."), controls,
    ...(hasPlots ? [element("h2", {}, "Figures by parameter"),
      element("div", { class: "controls", id: "axes" },
        select("figure", data.figures.map(({ title }, at) => [String(at), title]), "0", (value) => { Object.assign(view, { figure: Number(value), log: null }); redraw(); }),
        select("plot", plots.map((name, at) => [String(at), name]), String(view.plot), (value) => { Object.assign(view, { plot: Number(value), log: null, zoom: [0, 1], hidden: new Set() }); redraw(); }),
        element("label", { class: "check" }, element("input", { type: "checkbox", id: "log", onchange: (event) => { view.log = event.target.checked; redraw(); } }), "log scale")),
      element("div", { class: "plot", id: "plot", onpointermove: (event) => { const tile = event.target.closest(".tile"); if (tile) showTip(Number(tile.dataset.row), event); }, onpointerleave: () => showTip(null) })] : []),
    ...(data.curves ? [element("h2", {}, "How long games last"), element("div", { class: "plot", id: "curves" })] : []),
    element("h2", { class: "wide" }, "Cells"),
    element("div", { class: "controls" }, element("span", { class: "hint", id: "count", role: "status" }),
      element("label", { class: "check" }, element("input", { type: "checkbox", id: "every", onchange: (event) => { state.every = event.target.checked; drawTable(); } }), "every column")),
    element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cells" }, element("table", { id: "table" })),
    element("h2", {}, "Run details"),
    data.machine.length === 0 ? null : element("dl", {}, ...data.machine.flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, value)])),
    data.experiment === null ? null : element("details", {}, element("summary", {}, "Experiment file"), element("pre", { id: "experiment" }, data.experiment)),
    element("details", {}, element("summary", {}, "What the columns mean"), element("dl", {}, ...data.columns.filter(({ help }) => help).flatMap(({ name, help }) => [element("dt", {}, name), element("dd", {}, help)]))),
  ];
  document.getElementById("page").replaceChildren(...page.filter(Boolean), tip);
  refilter();
  // Rows follow as they are scrolled to; on paper all are there.
  document.querySelector(".scroll").addEventListener("scroll", () => list());
  addEventListener("beforeprint", () => list(true));
  addEventListener("afterprint", () => list());
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
})();
