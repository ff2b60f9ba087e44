// Drives report.html as a person would and leaves what went wrong, and each check's name, in #test-result. All waits are
// for microtasks, so the page has finished loading only when the checks are done.
(async () => {
  const passed = [];
  const failed = [...window.testErrors];
  const check = (name, holds, seen) => (holds ? passed.push(name) : failed.push(`${name}: ${seen}`));
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const drawn = async () => { for (let i = 0; i < 20; i += 1) await null; };
  const column = (name) => {
    const index = all("#table th").findIndex((head) => head.textContent === name);
    return all("#table tbody tr").map((row) => row.children[index].title || row.children[index].textContent);
  };
  const choose = (selector, value) => {
    const input = one(selector);
    input.value = value;
    input.dispatchEvent(new Event(input.type === "search" ? "input" : "change", { bubbles: true }));
  };
  const choosePlot = (name) => choose('#axes select[data-name="plot"]', [...one('#axes select[data-name="plot"]').options].find((option) => option.text === name)?.value);
  const charts = () => all("#plot figure > svg");
  const points = () => all("#plot .mark[data-row]").length;
  const place = (mark) => mark.getAttribute("transform").match(/-?\d[\d.]*/g).map(Number);
  const data = JSON.parse(one("#data").textContent);
  const field = (row, name) => {
    const { texts, numbers } = data.columns.find((known) => known.name === name);
    return texts ? texts[0][texts[1][row]] : numbers[row];
  };
  const count = data.columns[0].texts[1].length;
  const rules = data.factors.find((factor) => factor.name === "rules");

  check("all cells are listed", all("#table tbody tr").length === count, all("#table tbody tr").length);
  one('button[data-column="win_pct"]').click();
  const ascending = column("win_pct").map(Number);
  check("sorts ascending", ascending.every((value, i) => i === 0 || ascending[i - 1] <= value), ascending);
  check("says how it is sorted", one('th[aria-sort="ascending"]')?.textContent === "win_pct", one("th[aria-sort]")?.outerHTML);
  one('button[data-column="win_pct"]').click();
  const descending = column("win_pct").map(Number);
  check("sorts descending", descending.every((value, i) => i === 0 || descending[i - 1] >= value), descending);
  check("keeps the keyboard's place", document.activeElement?.dataset.column === "win_pct", document.activeElement?.outerHTML);
  one('button[data-column="operator_rate"]').click();
  const rates = column("operator_rate").map(Number);
  check("sorts parameters as numbers", rates.every((value, i) => i === 0 || rates[i - 1] <= value), rates);

  choosePlot("lines by size");
  check("draws lines", charts().length > 0 && points() > 0, one("#plot").textContent);
  const before = points();
  choose('#filters select[data-name="rules"]', "1");
  const kept = new Set(column("rules"));
  check("filters the table", kept.size === 1 && kept.has(rules.values[1]), [...kept]);
  check("filters the plot", points() > 0 && points() < before, points());
  check("counts what is left", one("#count").textContent.startsWith(`${column("rules").length} of`), one("#count").textContent);
  choose("#words", "no such cell");
  check("an empty filter says so", all("#table tbody tr").length === 0 && one("#plot").textContent.includes("No cell"), one("#plot").textContent);
  one("#reset").click();
  check("resets", all("#table tbody tr").length === count && one("#words").value === "" && points() === before, all("#table tbody tr").length);
  choose("#words", window.testSearch);
  check("searches every word", column("rules").length > 0 && column("rules").every((name) => name === "gapless"), column("rules"));
  one("#reset").click();

  const labels = () => [...charts()[0].querySelectorAll("text")].map((text) => text.textContent);
  const namesOf = (chart) => [...chart.querySelectorAll(".entry")].map((entry) => [...entry.querySelectorAll("text")].map((text) => text.textContent).join(" "));
  choosePlot("lines by operator_rate");
  check("chooses the parameter", labels().includes("operator_rate"), labels());
  const values = data.factors.find((factor) => factor.name === "operator_rate").values.map(Number);
  // A number and its pixel are in proportion.
  const stand = charts().every((chart) => {
    const marks = [...chart.querySelectorAll(".mark[data-row]")].map((mark) => [Number(field(Number(mark.dataset.row), "operator_rate")), place(mark)[0]]);
    const [low, high] = [marks.reduce((a, b) => (a[0] <= b[0] ? a : b)), marks.reduce((a, b) => (a[0] >= b[0] ? a : b))];
    return marks.every(([value, x]) => Math.abs(low[1] + (value - low[0]) / (high[0] - low[0] || 1) * (high[1] - low[1]) - x) < 0.1);
  });
  check("numbers stand at their place", stand && values.length > 1, charts()[0].outerHTML);
  const lines = data.lines.find((plot) => data.factors[plot.axis.factor].name === "operator_rate").panels.flatMap((panel) => panel.lines);
  const told = one("#plot").textContent.match(/Left out: (\d+) more lines/);
  check("draws every line or says how many are left out", lines.length === all("#plot path.line").length + Number(told?.[1] ?? 0), one("#plot").textContent);
  const cells = lines.reduce((sum, line) => sum + line.rows.length, 0);
  check("says which cells are in no line", cells === count || one("#plot").textContent.includes(`Left out: ${count - cells} cells without`), one("#plot").textContent);
  const names = namesOf(charts()[0]), drawnBefore = charts()[0].querySelectorAll("path.line").length;
  check("labels differ", new Set(names).size === names.length && names.length === drawnBefore, names);
  const entry = () => charts()[0].querySelector(".entry");
  entry().dispatchEvent(new MouseEvent("click", { bubbles: true }));
  check("a click in the legend hides a line", charts()[0].querySelectorAll("path.line").length === drawnBefore - 1 && entry().getAttribute("aria-pressed") === "false", names);
  entry().dispatchEvent(new KeyboardEvent("keydown", { bubbles: true, key: "Enter" }));
  check("a key in the legend shows it again", charts()[0].querySelectorAll("path.line").length === drawnBefore, names);
  choose('#axes select[data-name="figure"]', String(data.figures.findIndex((figure) => figure.name === "moves_mean")));
  check("chooses the figure", labels().some((text) => text.startsWith("moves mean")), labels());
  check("bars have the table's confidence", one("#plot").textContent.includes("95 % interval (mean ± 1.96 standard errors)"), one("#plot").textContent);
  // A click changes the scale, whichever the page has chosen.
  const isLog = () => labels().some((text) => text.startsWith("moves mean") && text.includes("(log scale)"));
  const logBefore = isLog();
  one("#log").click();
  check("changes the scale", isLog() !== logBefore && one("#log").checked === isLog(), labels());
  if (!isLog()) one("#log").click();
  check("takes a log scale", isLog(), labels());

  choosePlot("lines by rules");
  choose('#axes select[data-name="figure"]', "0");
  const rowNames = rules.values.filter((value) => labels().includes(value));
  check("categories are rows with names, and no line joins them", all("#plot path.line").length === 0 && rowNames.length > 1, labels());

  choosePlot("lines by operator_rate");
  choose('#axes select[data-name="figure"]', String(data.figures.findIndex((figure) => figure.name === "moves_mean")));
  const chart = charts()[0];
  const shape = chart.querySelector(".mark[data-row]");
  const drawnBox = shape.getBoundingClientRect();
  const at = { bubbles: true, clientX: drawnBox.left + drawnBox.width / 2, clientY: drawnBox.top + drawnBox.height / 2 };
  chart.dispatchEvent(new PointerEvent("pointermove", at));
  const tip = one(".tip");
  const hit = Number(one("tr.hit")?.dataset.row);
  check("pointing shows the cell", !tip.hidden && tip.textContent.includes(field(hit, "cell")), tip.textContent);
  check("pointing shows the figure", tip.textContent.includes(`moves mean: ${Number(field(hit, "moves_mean").toPrecision(4))}`), tip.textContent);
  check("pointing shows the mark's cell", place(all(`#plot .mark[data-row="${hit}"]`)[0]).every((value, index) => Math.abs(value - place(shape)[index]) < 1), tip.textContent);
  chart.dispatchEvent(new PointerEvent("pointerleave"));
  check("leaving hides it", tip.hidden, tip.textContent);
  const frame = chart.querySelector(".frame").getBoundingClientRect();
  const wasDrawn = points();
  for (const [type, share] of [["pointerdown", 0.3], ["pointerup", 0.7]]) charts()[0].dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "mouse", clientX: frame.left + share * frame.width, clientY: frame.top + 20 }));
  check("dragging zooms", points() > 0 && points() < wasDrawn, points());
  charts()[0].dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  check("a double click shows all again", points() === wasDrawn, points());
  // A saved picture is whole: title, legend, notes and source, on light paper, without the page's properties.
  const saved = one("#plot figure").file(), savedTexts = [...new DOMParser().parseFromString(saved, "image/svg+xml").querySelectorAll("text")].map((text) => text.textContent).join(" ");
  const wanted = [namesOf(charts()[0])[0], "95 % interval", `Source: ${data.name}`, "moves mean"].filter((part) => part && !savedTexts.includes(part));
  check("a plot is saved with all that it needs", wanted.length === 0 && !saved.includes("var(") && saved.includes(data.colours.paper) && all("#plot .save button").length === 2 * charts().length, [wanted, savedTexts]);

  choosePlot("heat map of size and operator_rate");
  const panels = data.grids.find(({ across }) => data.factors[across].name === "operator_rate").panels;
  const grid = panels.flatMap((panel) => panel.rows);
  // Six panels at a time; a cell of two tables is one tile.
  const shown = new Set(panels.slice(0, 6).flatMap((panel) => panel.rows).map((row) => field(row, "cell")));
  check("draws heat maps", all("#plot .tile").length === shown.size, `${all("#plot .tile").length} of ${shown.size}`);
  check("says which cells are in no grid", grid.length === count || one("#plot").textContent.includes(`Left out: ${count - grid.length} cells that`), one("#plot").textContent);
  one("#plot .tile").dispatchEvent(new PointerEvent("pointermove", { bubbles: true, clientX: 100, clientY: 100 }));
  check("pointing at a tile shows the cell", !tip.hidden && tip.textContent.includes("cell: "), tip.textContent);

  const curves = one("#curves svg"), ends = data.curves.cells.map(({ longer }) => data.curves.moves[longer.length - 1]);
  check("curves of the move counts", curves?.querySelectorAll("path.line").length > 0 && curves.querySelectorAll(".band").length > 0 && one("#curves").textContent.includes("Wilson"), one("#curves")?.textContent);
  check("curves end where the data end", data.curves.axes.every(({ hi }) => ends.includes(hi)), data.curves.axes);
  check("a sentence to quote", /^\S.* wins [\d.]+ % \[[\d.]+, [\d.]+\]/.test(one(".quote")?.textContent), one(".quote")?.textContent);
  check("the experiment file", one("#experiment").textContent.includes(`name = "${window.testName}"`), one("#experiment").textContent);
  check("the command", one("dl").textContent.includes("tilelab run"), one("dl").textContent);
  one("#every").click();
  check("every column", all("#table th").length === data.columns.length, all("#table th").length);
  const nameless = all("select, input").filter((input) => !input.labels?.length);
  check("every control has a label", nameless.length === 0, nameless.map((input) => input.outerHTML));

  // On a desk and on a phone, in every plot.
  const overlapping = (boxes, slack = 1.5) => boxes.flatMap(([text, box], i) => boxes.slice(i + 1)
    .filter(([, other]) => box.left + slack < other.right && other.left + slack < box.right && box.top + slack < other.bottom - slack && other.top + slack < box.bottom - slack)
    .map(([other]) => `${text} / ${other}`));
  const boxesOf = (root) => [...root.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  for (const width of ["", "350px"]) {
    one("#page").style.width = width;
    const touching = [...one('#axes select[data-name="plot"]').options].flatMap(({ text, value }) => {
      choose('#axes select[data-name="plot"]', value);
      return charts().flatMap((svg) => overlapping(boxesOf(svg)).map((pair) => `${text}: ${pair}`));
    });
    check(`no text on text, ${width || "desk"}`, touching.length === 0, touching.slice(0, 5));
  }
  one("#page").style.width = "";

  // The SVG files: well formed, inside their frame, no text on text.
  for (const [name, source] of Object.entries(window.testPlots)) {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    check(`${name} is well formed`, !parsed.querySelector("parsererror"), parsed.documentElement.textContent.slice(0, 200));
    const holder = document.body.appendChild(document.createElement("div"));
    const root = holder.attachShadow({ mode: "open" });
    root.append(document.importNode(parsed.documentElement, true));
    const frame = root.firstChild.getBoundingClientRect();
    const boxes = boxesOf(root);
    const outside = boxes.filter(([, box]) => box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom);
    check(`${name} keeps its text inside`, outside.length === 0, outside.map(([text]) => text));
    const overlaps = overlapping(boxes);
    check(`${name} has no text on text`, overlaps.length === 0, overlaps.slice(0, 5));
    holder.remove();
  }
  failed.push(...window.testErrors.filter((error) => !failed.includes(error)));
  const result = document.body.appendChild(document.createElement("pre"));
  result.id = "test-result";
  result.textContent = JSON.stringify({ passed, failed });
})().catch((error) => document.body.append(Object.assign(document.createElement("pre"), { id: "test-result", textContent: JSON.stringify({ passed: [], failed: [String(error.stack)] }) })));
