// SPDX-License-Identifier: Apache-2.0
// Draws the charts, sorts tables, filters, copies code. Everything else of the page is there without it.
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
    padding: { left: 5, top: 5, right: 24, bottom: 5 }, // half of the last label of an axis stands beyond its end
    axis: { labelColor: ink, titleColor: ink, domainColor: ink, tickColor: ink, gridColor: ink, gridOpacity: 0.12, labelFontSize: 12, labelFlush: false, titleFontWeight: "normal" },
    axisXQuantitative: { tickCount: 10, labelSeparation: 10 },
    legend: { labelColor: ink, titleColor: ink, labelFontSize: 12, orient: "top", titleFontWeight: "normal" },
    title: { color: ink },
  };

  async function draw(place) {
    if (place.dataset.drawn) return;
    place.dataset.drawn = "yes";
    try {
      const options = { mode: "vega-lite", actions: false, renderer: "svg", config, tooltip: { theme: "dark" } };
      const spec = charts[place.dataset.chart];
      place.facets = spec.spec?.width === "container"; // Vega does not fit these
      if (place.facets) spec.spec.width = facetWidth(place);
      const result = await vegaEmbed(place, spec, options);
      place.view = result.view;
      feed(place);
      place.dispatchEvent(new Event("drawn"));
      // Vega labels its drawing piece by piece; the place as a whole has one label.
      place.querySelector("svg")?.setAttribute("aria-hidden", "true");
    } catch (error) {
      place.classList.add("failed");
      console.error(error);
    }
  }

  const facetWidth = (place) => Math.max(300, place.clientWidth - 130); // less names and axis
  const PAPER = 640; // CSS pixels: letters of a chart stay readable on A4

  function drawWhenSeen() {
    const watch = new IntersectionObserver(
      (entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => { watch.unobserve(entry.target); draw(entry.target); }),
      { rootMargin: "600px" },
    );
    each("[data-chart]", (place) => watch.observe(place));
    window.addEventListener("beforeprint", () => {
      each("[data-chart]", (place) => place.getClientRects().length && draw(place));
      each("[data-chart]", (place) => place.view?.width() > PAPER && place.view.width(PAPER).resize().run());
      fitFacets(() => PAPER - 80);
      showAll();
    });
    window.addEventListener("afterprint", () => window.dispatchEvent(new Event("resize")));
    window.addEventListener("resize", () => fitFacets(facetWidth));
  }

  const fitFacets = (width) => each("[data-chart]", (place) => place.facets && place.view?.signal("child_width", width(place)).resize().run());

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

  const FEW = 4; // rows that need no order but their own
  function makeSortable(table) {
    if (table.tBodies[0].rows.length < FEW) return;
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

  // Code without the lines that say where it goes.
  const pasted = (text) => text.split("\n").filter((line) => !/^\s*(\/\/|! |# )/.test(line)).join("\n");

  function makeCopyable(button) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const code = button.parentElement.querySelector("pre");
      try {
        await navigator.clipboard.writeText(pasted(code.textContent));
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // a page from a file may not write to the clipboard everywhere
        button.textContent = "Selected: press Ctrl+C";
      }
    });
  }

  // One filter, which the whole page follows: a thread, an object, a time.
  const remote = data("remote");
  const short = (value) => Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 }).format(value);
  const chosen = { thread: "", object: "", from: 0, to: Infinity };
  let root = null; // of the flame graph: a frame, or all

  const inTime = (start, end) => end > chosen.from && start < chosen.to;
  const taken = () => (remote?.rows ?? []).filter(([, thread, object, , step]) =>
    (chosen.thread === "" || thread === Number(chosen.thread)) && (chosen.object === "" || object === Number(chosen.object)) &&
    inTime(step * remote.seconds, (step + 1) * remote.seconds));

  function makeFilter(form) {
    form.hidden = false;
    const read = () => {
      chosen.thread = form.thread?.value ?? "";
      chosen.object = form.object?.value ?? "";
      chosen.from = form.from.valueAsNumber || 0;
      chosen.to = Number.isNaN(form.to.valueAsNumber) ? Infinity : form.to.valueAsNumber;
      follow(form.querySelector("output"));
    };
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", read);
    form.addEventListener("reset", () => setTimeout(read));
  }

  function follow(output) {
    const rows = taken();
    const sum = (some) => some.reduce((total, row) => total + row[5], 0);
    const all = sum(remote?.rows ?? []);
    const active = chosen.thread !== "" || chosen.object !== "" || chosen.from > 0 || chosen.to < Infinity;
    output.textContent = active && all ? `${short(sum(rows))} of ${short(all)} remote accesses sampled` : "";
    const seen = (column) => new Set(rows.map((row) => String(row[column])));
    fade("[data-thread]", "thread", chosen.thread === "" ? null : new Set([chosen.thread]));
    fade("[data-object]", "object", chosen.object !== "" ? new Set([chosen.object]) : active && remote?.rows.some((row) => row[2] !== null) ? seen(2) : null);
    fade("[data-line]", "line", active && remote ? seen(3) : null);
    fade("[data-cpu]", "cpu", chosen.thread === "" ? null : new Set((data("cpus")[chosen.thread] ?? []).map(String)));
    each("[data-chart]", (place) => place.view && feed(place));
  }

  const fade = (selector, name, kept) => each(selector, (part) => part.classList.toggle("faded", kept !== null && !kept.has(part.dataset[name])));

  // What a chart shows of the selection.
  function feed(place) {
    const view = place.view;
    if (place.dataset.chart === "flame") view.data("frames", frames(taken())).runAsync();
    if (place.dataset.chart === "threads") view.data("requests", charts.threads.datasets.requests.filter((row) => chosen.thread === "" || row.id === Number(chosen.thread))).runAsync();
    if (place.dataset.chart === "timeline") {
      const threads = data("threads-over-time");
      const one = chosen.thread === "" ? null : threads?.lines[chosen.thread];
      const { rates: every, gaps } = charts.timeline.datasets;
      const within = (some, start, end) => some.filter((row) => inTime(row[start], row[end]));
      const found = within(one ? rates(threads, one) : every, "t", "until");
      view.data("rates", found.length ? found : [{ t: 0, until: 0, placement: "local", low: 0, high: 0, rate: 0 }]);
      view.data("gaps", within(one ? uncounted(threads, one) : gaps, "start", "end")).runAsync();
    }
  }

  // Frames as boxes: beside each other under their caller, the heaviest first.
  function frames(rows) {
    const { names, callers, deepest } = remote;
    const weights = new Map();
    let total = 0;
    for (const [frame, , , , , weight] of rows) {
      const up = [];
      for (let at = frame; at !== null; at = callers[at]) up.push(at);
      if (root !== null && !up.includes(root)) continue;
      total += weight;
      up.forEach((at) => weights.set(at, (weights.get(at) ?? 0) + weight));
    }
    const below = Map.groupBy ? Map.groupBy(weights.keys(), (at) => callers[at]) : grouped(weights.keys(), callers);
    const boxes = [];
    const lay = (at, start, depth) => {
      const share = weights.get(at) / total;
      boxes.push({ id: at, name: names[at], depth, start, end: start + share, share, text: short(weights.get(at)) });
      if (depth + 1 < deepest) layAll(below.get(at), start, depth + 1);
    };
    const layAll = (some, start, depth) => (some ?? []).sort((a, b) => weights.get(b) - weights.get(a)).forEach((at) => {
      lay(at, start, depth);
      start += weights.get(at) / total;
    });
    if (total) layAll(root === null ? below.get(null) : [root], 0, 0);
    return boxes;
  }

  function grouped(keys, callers) {
    const found = new Map();
    for (const at of keys) found.set(callers[at], [...(found.get(callers[at]) ?? []), at]);
    return found;
  }

  function makeFlame(place) {
    const search = document.getElementById("search");
    search.closest("[hidden]").hidden = false;
    const view = () => place.view;
    const look = () => {
      const text = search.value.toLowerCase();
      view()?.signal("search", text).runAsync();
      const under = new Set(); // frames that match, or are called below one that does
      remote.names.forEach((name, at) => { if (text && (name.toLowerCase().includes(text) || under.has(remote.callers[at]))) under.add(at); });
      const [hit, all] = taken().reduce(([hit, all], row) => [hit + (under.has(row[0]) ? row[5] : 0), all + row[5]], [0, 0]);
      document.getElementById("matches").textContent = text && all ? `${(100 * hit / all).toFixed(1)} % of these` : "";
    };
    search.addEventListener("input", look);
    document.getElementById("whole").addEventListener("click", () => { root = null; feed(place); });
    place.addEventListener("drawn", () => {
      view().addEventListener("click", (_, item) => { if (item?.datum?.id !== undefined) { root = item.datum.id; feed(place); } });
      look();
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
  each(".filter", makeFilter);
  if (remote) each('[data-chart="flame"]', makeFlame);
  drawWhenSeen();
  window.addEventListener("hashchange", openTarget);
  openTarget();
})();
