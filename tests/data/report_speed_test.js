// Times report.html: until it can be used, and one change of each filter. Leaves milliseconds in #test-result.
(async () => {
  // Reading the layout makes the browser finish what it has put off.
  const settle = async () => {
    for (let i = 0; i < 20; i += 1) await null;
    document.body.getBoundingClientRect();
  };
  await settle();
  const usable = performance.now();
  const rows = document.querySelectorAll("#table tbody tr").length;
  const filters = {};
  const timed = async (name, input, value) => {
    const start = performance.now();
    input.value = value;
    input.dispatchEvent(new Event(input.type === "search" ? "input" : "change", { bubbles: true }));
    await settle();
    filters[name] = performance.now() - start;
  };
  const plot = document.querySelector('#axes select[data-name="plot"]');
  const lines = [...plot.options].find((option) => option.text.startsWith("lines by operator_rate"));
  for (const value of [plot.value, lines.value]) {
    plot.value = value;
    plot.dispatchEvent(new Event("change"));
    for (const input of document.querySelectorAll("#filters select")) {
      await timed(`${value}: ${input.dataset.name}`, input, "1");
      await timed(`${value}: ${input.dataset.name}, all`, input, "");
    }
    await timed(`${value}: search`, document.getElementById("words"), "gapless 6x7");
    await timed(`${value}: no search`, document.getElementById("words"), "");
  }
  const pressed = async (name, selector) => {
    const start = performance.now();
    document.querySelector(selector).click();
    await settle();
    filters[name] = performance.now() - start;
  };
  // The whole table: each column sorts it, and any of its rows is scrolled to.
  document.getElementById("every").click();
  const table = document.getElementById("table"), scroll = table.parentElement;
  const sorted = {};
  const rowAt = () => {
    const box = scroll.getBoundingClientRect(), row = document.elementFromPoint(box.left + 20, box.bottom - 30)?.closest("tr");
    return Number(row?.getAttribute("aria-rowindex"));
  };
  const ends = [];
  for (const name of [...table.querySelectorAll("th")].map((head) => head.textContent)) {
    await pressed(name, `button[data-column="${name}"]`);
    sorted[name] = filters[name];
    delete filters[name];
  }
  for (const share of [0.5, 1, 0]) {
    const start = performance.now();
    scroll.scrollIntoView();
    scroll.scrollTop = share * scroll.scrollHeight;
    scroll.dispatchEvent(new Event("scroll"));
    await settle();
    filters[`rows at ${share}`] = performance.now() - start;
    ends.push(rowAt());
  }
  dispatchEvent(new Event("beforeprint"));
  const printed = table.querySelectorAll("tbody tr").length;
  dispatchEvent(new Event("afterprint"));
  const told = table.getAttribute("aria-rowcount");
  const result = document.body.appendChild(document.createElement("pre"));
  result.id = "test-result";
  result.textContent = JSON.stringify({ passed: [], failed: [], usable, rows, ends, printed, told, slowest: Math.max(...Object.values(sorted)), sorted, filters });
})();
