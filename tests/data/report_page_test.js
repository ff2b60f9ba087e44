// Drives report.html as a person would and leaves what went wrong, and each check's name, in #test-result.
(() => {
  const passed = [];
  const failed = [...window.testErrors];
  const check = (name, holds, seen) => (holds ? passed.push(name) : failed.push(`${name}: ${seen}`));
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const column = (name) => {
    const index = all("#table th").findIndex((head) => head.textContent === name);
    return all("#table tbody tr").map((row) => row.children[index].title || row.children[index].textContent);
  };
  const choose = (selector, value) => {
    const input = one(selector);
    input.value = value;
    input.dispatchEvent(new Event(input.type === "search" ? "input" : "change", { bubbles: true }));
  };
  const data = JSON.parse(one("#data").textContent);

  check("all cells are listed", all("#table tbody tr").length === data.rows.length, all("#table tbody tr").length);

  one('button[data-column="win_pct"]').click();
  const ascending = column("win_pct").map(Number);
  check("sorts ascending", ascending.every((value, i) => i === 0 || ascending[i - 1] <= value), ascending);
  check("says how it is sorted", one('th[aria-sort="ascending"]')?.textContent === "win_pct", one("th[aria-sort]")?.outerHTML);
  one('button[data-column="win_pct"]').click();
  const descending = column("win_pct").map(Number);
  check("sorts descending", descending.every((value, i) => i === 0 || descending[i - 1] >= value), descending);
  check("keeps the keyboard's place", document.activeElement?.dataset.column === "win_pct", document.activeElement?.outerHTML);

  const marksBefore = all("#plot .mark[data-row]").length;
  choose('#filters select[data-name="rules"]', "1");
  const kept = new Set(column("rules"));
  check("filters the table", kept.size === 1 && kept.has(data.factors.find((f) => f.name === "rules").values[1]), [...kept]);
  check("filters the plot", all("#plot .mark[data-row]").length < marksBefore, marksBefore);
  check("counts what is left", one("#count").textContent.startsWith(`${column("rules").length} of`), one("#count").textContent);
  choose("#words", "no such cell");
  check("an empty filter says so", all("#table tbody tr").length === 0 && one("#plot").textContent.includes("No cell"), one("#plot").textContent);
  one("#reset").click();
  check("resets", all("#table tbody tr").length === data.rows.length && one("#words").value === "", all("#table tbody tr").length);
  choose("#words", window.testSearch);
  check("searches every word", column("rules").length > 0 && column("rules").every((rules) => rules === "gapless"), column("rules"));
  one("#reset").click();

  const labels = () => all("#plot > svg > text").map((text) => text.textContent);
  choose('#axes select[data-name="parameter (x)"]', String(data.factors.findIndex((factor) => factor.name === "operator_rate")));
  check("chooses the x axis", labels().includes("operator_rate"), labels());
  check("draws every cell", all("#plot .mark[data-row]").length === data.rows.filter((row) => row[data.columns.indexOf("win_pct")] !== "").length, all("#plot .mark[data-row]").length);
  choose('#shape', "lines");
  check("draws lines where asked to", all("#plot > svg .series").length > 0, one("#plot").textContent);
  choose('#shape', "map");
  check("draws heat maps where asked to", all("#plot > svg .tile").length > 0, one("#plot").textContent);
  choose('#axes select[data-name="figure (y)"]', "moves_mean");
  check("chooses the y axis", labels().some((label) => label.startsWith("moves mean")), labels());
  choose('#axes select[data-name="a colour for each"]', "rules");
  // Where there are too many lines, only the first are drawn, and the plot says of how many.
  const coloured = () => one("#plot").textContent.match(/\d+ more lines/)
    ? new Set(all("#plot .mark[data-row]").map((mark) => data.rows[mark.dataset.row][data.columns.indexOf("rules")])).size
    : data.factors.find((factor) => factor.name === "rules").values.length;
  check("colours by a factor", all("#plot .legend button").length === coloured(), all("#plot .legend button").length);
  // A click changes the scale, whichever the page has chosen.
  const isLog = () => labels().some((label) => label.includes("(log scale)"));
  const logBefore = isLog();
  one("#log").click();
  check("changes the scale", isLog() !== logBefore && one("#log").checked === isLog(), labels());
  if (!isLog()) one("#log").click();
  check("takes a log scale", isLog(), labels());

  const mark = one("#plot .mark[data-row]");
  const row = Number(mark.dataset.row);
  const value = (name) => data.rows[row][data.columns.indexOf(name)];
  mark.dispatchEvent(new PointerEvent("pointerenter", { clientX: 200, clientY: 200 }));
  const tip = one(".tip");
  check("hovering shows the cell", !tip.hidden && tip.textContent.includes(value("cell")), tip.textContent);
  check("hovering shows the figure", tip.textContent.includes(`moves mean: ${Number(Number(value("moves_mean")).toPrecision(4))}`), tip.textContent);
  check("hovering marks the row", one("tr.hit")?.dataset.row === String(row), one("tr.hit")?.outerHTML);
  mark.dispatchEvent(new PointerEvent("pointerleave"));
  check("leaving hides it", tip.hidden, tip.textContent);
  mark.focus();
  check("the keyboard shows it too", !tip.hidden, document.activeElement?.outerHTML);
  mark.blur();

  check("curves of the move counts", all("#curves .mark[data-row], #curves svg path").length > 1, one("#curves")?.innerHTML);
  const bands = all("#curves .survival");
  check("bands of the curves", bands.length > 0 && bands.every((band) => /^M[-\d. HVLZ]+Z$/.test(band.getAttribute("d"))) && one("#curves .hint").textContent.includes("Wilson"), bands[0]?.getAttribute("d"));
  check("the experiment file", one("#experiment").textContent.includes(`name = "${window.testName}"`), one("#experiment").textContent);
  check("the command", one("dl").textContent.includes("tilelab run"), one("dl").textContent);
  one("#every").click();
  check("every column", all("#table th").length === data.columns.length, all("#table th").length);
  const nameless = all("select, input").filter((input) => !input.labels?.length);
  check("every control has a label", nameless.length === 0, nameless.map((input) => input.outerHTML));

  // The SVG files: well formed, inside their frame, no text on text.
  for (const [name, source] of Object.entries(window.testPlots)) {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    check(`${name} is well formed`, !parsed.querySelector("parsererror"), parsed.documentElement.textContent.slice(0, 200));
    const holder = document.body.appendChild(document.createElement("div"));
    const root = holder.attachShadow({ mode: "open" });
    root.append(document.importNode(parsed.documentElement, true));
    const frame = root.firstChild.getBoundingClientRect();
    const boxes = [...root.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
    const outside = boxes.filter(([, box]) => box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom);
    check(`${name} keeps its text inside`, outside.length === 0, outside.map(([text]) => text));
    const slack = 1.5;
    const overlaps = boxes.flatMap(([text, box], i) => boxes.slice(i + 1)
      .filter(([, other]) => box.left + slack < other.right && other.left + slack < box.right && box.top + slack < other.bottom - slack && other.top + slack < box.bottom - slack)
      .map(([other]) => `${text} / ${other}`));
    check(`${name} has no text on text`, overlaps.length === 0, overlaps.slice(0, 5));
    holder.remove();
  }
  failed.push(...window.testErrors.filter((error) => !failed.includes(error)));
  const result = document.body.appendChild(document.createElement("pre"));
  result.id = "test-result";
  result.textContent = JSON.stringify({ passed, failed });
})();
