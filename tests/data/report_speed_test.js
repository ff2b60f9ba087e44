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
  await pressed("show more", "#more");
  const rowsMore = document.querySelectorAll("#table tbody tr").length;
  await pressed("sort", 'button[data-column="win_pct"]');
  await pressed("sort again", 'button[data-column="win_pct"]');
  const result = document.body.appendChild(document.createElement("pre"));
  result.id = "test-result";
  result.textContent = JSON.stringify({ passed: [], failed: [], usable, rows, rowsMore, filters });
})();
