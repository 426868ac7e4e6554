// SPDX-License-Identifier: Apache-2.0
// Draws the charts, sorts tables, copies code. Everything else of the page is there without it.
"use strict";
(() => {
  const data = (id) => JSON.parse(document.getElementById("data-" + id)?.textContent ?? "null");
  const each = (selector, act) => document.querySelectorAll(selector).forEach(act);
  const charts = data("charts") ?? {};

  // currentColor: a chart follows the page from light to dark, and to paper.
  const ink = "currentColor";
  const config = {
    background: "transparent",
    font: "system-ui, sans-serif",
    view: { stroke: null },
    axis: { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridColor: ink, gridOpacity: 0.12, labelFontSize: 12, titleFontWeight: "normal" },
    legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, orient: "top", titleFontWeight: "normal" },
    title: { color: ink },
  };

  async function draw(place) {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "yes";
    try {
      const options = { mode: "vega-lite", actions: false, renderer: "svg", config, tooltip: { theme: "dark" } };
      const result = await vegaEmbed(place, charts[place.dataset.chart], options);
      place.view = result.view;
      // Vega labels its drawing piece by piece; the place as a whole has one label.
      place.querySelector("svg")?.setAttribute("aria-hidden", "true");
    } catch (error) {
      place.classList.add("failed");
      console.error(error);
    }
  }

  const PAPER = 640; // CSS pixels: letters of a chart stay readable on A4

  function drawWhenSeen() {
    const watch = new IntersectionObserver(
      (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => { watch.unobserve(entry.target); draw(entry.target); }),
      { rootMargin: "600px" },
    );
    each("[data-chart]", (place) => watch.observe(place));
    window.addEventListener("beforeprint", () => {
      each("[data-chart]", (place) => place.getClientRects().length && draw(place));
      each("[data-chart]", (place) => place.view?.width() > PAPER && place.view.width(PAPER).run());
      showAll();
    });
    window.addEventListener("afterprint", () => window.dispatchEvent(new Event("resize")));
  }

  const words = new Intl.Collator("en", { numeric: true });
  const value = (cell) => (cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort));
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : words.compare(a, b));
  const orders = new Map(); // rows of each table that was sorted

  function sort(table, column, head) {
    const downwards = head.getAttribute("aria-sort") === "ascending" || (!head.hasAttribute("aria-sort") && head.classList.contains("number"));
    table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", downwards ? "descending" : "ascending");
    const keyed = [...(orders.get(table) ?? table.tBodies[0].rows)].map((row) => [value(row.cells[column]), row]);
    keyed.sort(([a], [b]) => compare(a, b) * (downwards ? -1 : 1));
    orders.set(table, keyed.map(([, row]) => row));
    show(table, orders.get(table));
  }

  // Thousands of rows take a browser a second to lay out: those that are seen come first, the others when it has time.
  const AT_ONCE = 100;
  function show(table, rows) {
    const body = table.tBodies[0];
    const follow = (at) => {
      if (at >= rows.length || orders.get(table) !== rows || body.rows.length === rows.length) return;
      body.append(...rows.slice(at, at + AT_ONCE));
      whenIdle(() => follow(at + AT_ONCE));
    };
    body.replaceChildren(...rows.slice(0, AT_ONCE));
    whenIdle(() => follow(AT_ONCE));
  }

  const showAll = () => orders.forEach((rows, table) => table.tBodies[0].append(...rows));
  const whenIdle = (act) => (window.requestIdleCallback ?? setTimeout)(act, { timeout: 200 });

  // Laid out piece by piece from the start, not all at once when it is scrolled to.
  function layOutInPieces(table) {
    if (table.tBodies[0].rows.length <= AT_ONCE) return;
    orders.set(table, [...table.tBodies[0].rows]);
    table.closest(".long").style.contentVisibility = "visible";
    show(table, orders.get(table));
  }

  function makeSortable(table) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(table, column, head));
    });
    table.querySelectorAll(".sorting").forEach((hint) => { hint.hidden = false; });
  }

  function makeCopyable(button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // a page from a file may not write to the clipboard everywhere
        button.textContent = "Selected: press Ctrl+C";
      }
    });
  }

  // The time line of one thread, in place of all.
  function chooseThread(menu) {
    const place = document.querySelector('[data-chart="timeline"]');
    const threads = data("threads-over-time");
    if (!place || !threads) return;
    menu.closest("[hidden]").hidden = false;
    menu.addEventListener("change", () => {
      const rows = menu.value === "" ? charts.timeline.datasets.rates : rates(threads, threads.lines[menu.value]);
      const gaps = menu.value === "" ? charts.timeline.datasets.gaps : uncounted(threads, threads.lines[menu.value]);
      place.view?.data("rates", rows).data("gaps", gaps).runAsync();
    });
  }

  function rates(threads, [local, remote]) {
    const known = local.map((_, at) => at).filter((at) => local[at] !== null && remote[at] !== null);
    return known.flatMap((at) => {
      const [below, above] = [local[at] / threads.seconds, remote[at] / threads.seconds];
      const step = { t: at * threads.seconds, until: (at + 1) * threads.seconds };
      return [
        { ...step, placement: "local", low: 0, high: below, rate: below },
        { ...step, placement: "remote", low: below, high: below + above, rate: above },
      ];
    });
  }

  const uncounted = (threads, [local, remote]) => local.flatMap((_, at) =>
    local[at] === null || remote[at] === null ? [{ start: at * threads.seconds, end: (at + 1) * threads.seconds }] : []);

  // A link into a closed part opens it.
  function openTarget() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name && !document.getElementById(name)) showAll();
    const target = name && document.getElementById(name);
    if (!target) return;
    target.querySelectorAll("details").forEach((part) => { part.open = true; });
    for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
    target.scrollIntoView();
  }

  each("table.sortable", makeSortable);
  each(".long > table", layOutInPieces);
  each("button.copy", makeCopyable);
  each("#whose", chooseThread);
  drawWhenSeen();
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
