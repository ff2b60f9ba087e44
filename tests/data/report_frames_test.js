// Shows every figure of report.html on each scale in every plot of lines: no mark and no interval is outside its frame, and a
// mark that stands higher, or further to the right in a row, has a larger figure. Leaves the number of marks in #test-result.
(async () => {
  const failed = [...window.testErrors];
  const data = JSON.parse(document.querySelector("#data").textContent);
  const charts = () => [...document.querySelectorAll("#plot figure > svg")];
  const select = (name) => document.querySelector(`#axes select[data-name="${name}"]`);
  const choose = (name, value) => {
    select(name).value = value;
    select(name).dispatchEvent(new Event("change"));
  };
  const log = document.querySelector("#log");
  const slack = 0.01;
  const pixels = (text) => text.match(/-?[\d.]+(e-?\d+)?/g).map(Number);
  let marks = 0, intervals = 0;
  const look = (what, name) => {
    for (const chart of charts()) {
      const frame = chart.querySelector(".frame"), [left, top, width, height] = ["x", "y", "width", "height"].map((side) => Number(frame.getAttribute(side)));
      const isInside = ([x, y]) => x >= left - slack && x <= left + width + slack && y >= top - slack && y <= top + height + slack;
      const own = [...chart.querySelectorAll(".mark[data-row]")].map((mark) => ({ at: pixels(mark.getAttribute("transform")), value: data.columns.find((column) => column.name === name).numbers[mark.dataset.row] }));
      const isUpright = chart.querySelector("path.line") !== null;
      const bars = [...chart.querySelectorAll(".bar")].flatMap((bar) => {
        const [x, y, to] = pixels(bar.getAttribute("d"));
        return [[x, y], isUpright ? [x, to] : [to, y]];
      });
      const outside = [...own.map(({ at }) => at), ...bars].filter((at) => !isInside(at));
      if (outside.length > 0) failed.push(`${what}: outside the frame: ${outside.slice(0, 3)}`);
      const sorted = own.sort((a, b) => a.value - b.value).map(({ at, value }) => ({ value, along: isUpright ? -at[1] : at[0] }));
      if (sorted.some(({ along, value }, index) => index > 0 && (along < sorted[index - 1].along - slack || (value > 1.01 * sorted[index - 1].value + 1e-9 && log.checked && along <= sorted[index - 1].along)))) failed.push(`${what}: out of order`);
      marks += own.length;
      intervals += bars.length / 2;
    }
  };
  for (const plot of [...select("plot").options].filter(({ text }) => text.startsWith("lines"))) {
    choose("plot", plot.value);
    for (const figure of select("figure").options) {
      choose("figure", figure.value);
      for (const turns of [0, 1].slice(0, log.disabled ? 1 : 2)) {
        if (turns === 1) log.click();
        look(`${plot.text}, ${figure.text}, log ${log.checked}`, data.figures[figure.value].name);
      }
    }
  }
  failed.push(...window.testErrors.filter((error) => !failed.includes(error)));
  const result = document.body.appendChild(document.createElement("pre"));
  result.id = "test-result";
  result.textContent = JSON.stringify({ passed: [], failed, marks, intervals, lacking: document.querySelector("#page > .lacking")?.textContent });
})().catch((error) => document.body.append(Object.assign(document.createElement("pre"), { id: "test-result", textContent: JSON.stringify({ passed: [], failed: [String(error.stack)] }) })));
