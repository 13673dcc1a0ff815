// Table 1 under the reader's hands: what a layer costs, what in it must wait, and how far apart two positions are.
//
// The formulas come from Python (meta.rows) as data: multiply-adds as sums of products of letters, 4nd² being [4, "ndd"],
// chains and paths by name. So every number here is computed in the page, with no Python; only measuring asks for it.

import {
  MONO, Stage, board, choice, fields, headline, label, logAxis, make, number, powersOn, prepared, pushedApart, raised,
  say, slider, stroke, visible, widget,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** A sum of products of letters: [[4, "ndd"], [2, "nnd"]] is 4nd² + 2n²d. */
export function multiplyAdds(row, size, core) {
  const product = (letters) => [...letters].reduce((value, letter) => value * size[letter], 1);
  return row[core ? "core" : "terms"].reduce((sum, [times, letters]) => sum + times * product(letters), 0);
}

/** How many matrix products wait for one another. */
export const chainOf = (row, n) => (row.chain === "n" ? n : row.chain);

/** Layers (or cells) between the farthest of n positions; null where they never meet, or no formula holds. */
export function pathLength({ path }, { n, k, r }, causal) {
  if (path === "∞" || (path.startsWith("log") && !causal)) return null;
  if (path === "1") return 1;
  if (path === "n") return n;
  if (path === "n/k" || path === "n/r") return Math.ceil(((n - 1) * (causal ? 1 : 2)) / ((path === "n/k" ? k : r) - 1));
  const base = path === "log k" ? k : 2;
  let layers = 0;
  while (((k - 1) * (base ** layers - 1)) / (base - 1) < n - 1) layers += 1;
  return layers;
}

/** The n at which two layers take equally many multiply-adds, null if none: all are a·n + b·n². */
export function crossing(one, other, size, core) {
  const at = (row, n) => multiplyAdds(row, { ...size, n }, core), gap = (n) => at(one, n) - at(other, n);
  const curve = (gap(2) - 2 * gap(1)) / 2, slope = gap(1) - curve;
  return curve && -slope / curve > 0 ? -slope / curve : null;
}

/** Whole numbers from low to high, each about a fifth more than the last: where a slider stops. */
export function stops(low, high) {
  const found = [low];
  for (let i = Math.ceil(4 * Math.log2(low)); 2 ** (i / 4) <= high; i++) found.push(Math.round(2 ** (i / 4)));
  return [...new Set([...found, high])].sort((a, b) => a - b);
}

/** The place of the stop nearest to a value, by ratio. */
export function nearest(list, value) {
  const off = (stop) => Math.abs(Math.log(stop / value));
  return list.reduce((best, stop, i) => (off(stop) < off(list[best]) ? i : best), 0);
}

/** A whole number with its thousands apart. */
export const whole = (value) => (value === null ? "never" : Math.round(value).toLocaleString("en-US"));

/** Layers or cells of a path: "never" where the ends do not meet, "no formula" where none is known. */
export const steps = (row, path) => (path === null && row.path !== "∞" ? "no formula" : whole(path));

/** Below which lengths a layer is the cheaper one of two, in words. */
export function verdict(one, other, size, core) {
  const n = crossing(one, other, size, core);
  const cheaper = multiplyAdds(one, { ...size, n: 1 }, core) <= multiplyAdds(other, { ...size, n: 1 }, core);
  if (n === null || n <= 1) return cheaper && n === null ? "always" : "never";
  return `for n < ${whole(n)}`;
}

/** What a screen reader says of a layer. */
export function spoken(row, size, core, causal) {
  const path = pathLength(row, size, causal), none = row.path === "∞" ? "no path between positions" : "no formula for the path";
  const chain = chainOf(row, size.n), waits = `${whole(chain)} sequential operation${chain === 1 ? "" : "s"}`;
  return `${row.name} at n = ${size.n}: ${whole(multiplyAdds(row, size, core))} multiply-adds, ${waits}, `
    + (path === null ? none : `path length ${whole(path)}`);
}

// ------------------------------------------------------------------------------------------------------ the view

const RANGES = { n: [2, 4096], d: [8, 2048], k: [2, 31], r: [2, 255] };
const MEANS = { n: "positions", d: "width", k: "kernel", r: "window" };
const COLUMNS = [["cost", "Multiply-adds per layer"], ["chain", "Sequential operations"], ["path", "Maximum path length"]];
const TRAITS = ["n", "d", "k", "r", "core", "causal", "shown", "picked"];
const DASHES = { solid: [], dash: [7, 4], dot: [2, 3] };
const HEIGHT = 300;

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Table 1 view");
    this.hover = null;      // a length under the pointer
    this.measured = null;
    this.start(TRAITS);
  }

  get size() { return { n: this.get("n"), d: this.get("d"), k: this.get("k"), r: this.get("r") }; }
  get length() { return this.hover ?? this.get("n"); }
  get rows() { return this.get("meta").rows; }
  get visible() { return this.rows.filter((row) => this.get("shown").includes(row.name)); }
  get picked() { return this.visible.find((row) => row.name === this.get("picked")) ?? this.visible[0]; }

  changed(name) {
    if (["n", "d", "k", "r", "causal"].includes(name)) this.measured = null;    // it was of other sizes
    super.changed(name);
  }

  value(column, row, size) {
    if (column === "cost") return multiplyAdds(row, size, this.get("core"));
    return column === "chain" ? chainOf(row, size.n) : pathLength(row, size, this.get("causal"));
  }

  // ------------------------------------------------------------------------------------------ page, built once

  load() {
    const meta = this.get("meta");
    this.measured = meta.measured;
    this.boards = Object.fromEntries(COLUMNS.map(([column, title]) => [column, this.buildBoard(column, title)]));
    this.verdicts = make("p", { class: "cpl-verdicts" });
    this.readout = make("p", { class: "cpl-readout" });
    this.body = make("tbody");
    this.root.classList.add("cpl");
    this.frame(headline(make("b", {}, meta.title)),
      this.buildSliders(), this.buildChips(),
      make("div", { class: "cpl-boards" }, ...COLUMNS.map(([column, title]) =>
        make("figure", { class: "view-map" }, make("figcaption", { class: "cpl-title" }, title), this.boards[column]))),
      this.readout, this.verdicts, this.buildTable());
  }

  buildSliders() {
    this.inputs = {};
    const sizes = Object.entries(RANGES).map(([letter, [low, high]]) => {
      const list = stops(low, high);
      const bar = slider(`${letter}, ${MEANS[letter]}`, { min: 0, max: list.length - 1, step: 1, class: "cpl-slider" },
        (event) => this.resize(letter, list[Number(event.target.value)]));
      const box = make("input", { type: "number", min: low, max: high, step: 1, class: "cpl-number", "aria-label": `${letter}, exactly`,
        onchange: (event) => this.resize(letter, Number(event.target.value)) });
      this.inputs[letter] = { list, bar, box };
      return fields(letter, make("span", { class: "view-quiet" }, MEANS[letter]), bar, box);
    });
    this.core = choice("Which multiply-adds", [["core", "as the paper counts"], ["whole", "with the projections"]],
      (event) => this.set({ core: event.target.value === "core" }));
    this.causal = choice("Which positions", [["causal", "causal"], ["centred", "centred"]],
      (event) => this.direct(event.target.value === "causal"));
    this.measure = make("button", { type: "button", class: "view-all", onclick: () => this.askMeasures() }, "Measure these layers");
    return make("div", { class: "view-controls cpl-controls" }, ...sizes, this.core, this.causal, this.measure);
  }

  resize(letter, value) {
    const [low, high] = RANGES[letter], odd = !this.get("causal") && (letter === "k" || letter === "r");
    let size = Math.min(high, Math.max(low, Math.round(value || low)));
    if (odd && size % 2 === 0) size += size < high ? 1 : -1;          // a centred kernel reaches as far back as ahead
    this.set({ [letter]: size });
    this.inputs[letter].box.value = size;
  }

  /** Centred, an even kernel or window becomes the next odd one. */
  direct(causal) {
    const odd = (letter) => { const size = this.get(letter); return size % 2 ? size : size + (size < RANGES[letter][1] ? 1 : -1); };
    this.set(causal ? { causal } : { k: odd("k"), r: odd("r"), causal });
  }

  /** Which layers are shown; the order is the table's. */
  buildChips() {
    this.chips = this.rows.map((row) => {
      const swatch = make("canvas", { class: "cpl-swatch", "aria-hidden": "true" });
      return { row, swatch, button: make("button", { type: "button", class: "cpl-chip", "data-name": row.name,
        onclick: () => this.toggle(row.name) }, swatch, row.name) };
    });
    return make("div", { class: "cpl-chips", role: "group", "aria-label": "Layers shown" }, ...this.chips.map(({ button }) => button));
  }

  toggle(name) {
    const shown = this.get("shown"), next = shown.includes(name) ? shown.filter((other) => other !== name) : [...shown, name];
    if (next.length) this.set({ shown: next, picked: shown.includes(name) ? next[0] : name });
  }

  buildBoard(column, title) {
    return board({ class: "cpl-board", "aria-label": title, "data-column": column, style: `height:${HEIGHT}px` }, {
      at: (x) => this.lengthAt(column, x),
      look: (n) => this.lookAt(n),
      click: (n) => this.resize("n", n),
      key: (event) => this.walk(event.key),
    });
  }

  buildTable() {
    const heads = ["layer", "formula", "multiply-adds", "self-attention is 1", "O(…)", "sequential operations", "path length",
      "measured here"];
    return make("div", { class: "view-wide" }, make("table", { class: "cpl-table" },
      make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), this.body));
  }

  // --------------------------------------------------------------------------------------------- gestures

  lengthAt(column, x) {
    const across = this.axes?.[column]?.across;
    if (!across) return null;
    return Math.round(Math.min(across.high, Math.max(across.low, across.value(x))));
  }

  lookAt(n) {
    if (this.hover === n) return;
    this.hover = n;
    this.schedule();
  }

  /** Left and right change n, up and down the layer that is picked. */
  walk(key) {
    const list = this.inputs.n.list, along = { ArrowLeft: -1, ArrowRight: 1 }[key], among = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (along) this.resize("n", list[Math.min(list.length - 1, Math.max(0, nearest(list, this.get("n")) + along))]);
    else if (key === "Home" || key === "End") this.resize("n", key === "Home" ? list[0] : list.at(-1));
    else if (among) {
      const rows = this.visible, place = rows.indexOf(this.picked) + among;
      this.set({ picked: rows[Math.min(rows.length - 1, Math.max(0, place))].name });
    } else return false;
    this.announce(spoken(this.picked, this.size, this.get("core"), this.get("causal")));
    return true;
  }

  askMeasures() {
    this.busy = true;
    this.tell({ ask: "measure", ...this.size, causal: this.get("causal"), names: this.visible.map((row) => row.name) });
    this.schedule();
  }

  goOnAlone() {
    this.busy = false;
    super.goOnAlone();
  }

  answered(message) {
    if (message.answer !== "measure") return;
    this.busy = false;
    const { n, d, k, r } = this.size;
    if (message.n === n && message.d === d && message.k === k && message.r === r
      && message.causal === this.get("causal")) this.measured = message.measured ?? this.measured;
  }

  // ---------------------------------------------------------------------------------------- texts and states

  wear() {
    const size = this.size, core = this.get("core"), causal = this.get("causal");
    for (const [letter, { list, bar, box }] of Object.entries(this.inputs)) {
      bar.value = nearest(list, size[letter]);
      bar.setAttribute("aria-valuetext", `${letter} = ${size[letter]}`);
      if (document.activeElement !== box) box.value = size[letter];
      this.root.dataset[letter] = size[letter];
    }
    this.core.value = core ? "core" : "whole";
    this.causal.value = causal ? "causal" : "centred";
    this.measure.disabled = !this.connected || this.busy;
    say(this.measure, this.busy ? "measuring …" : this.connected ? "Measure these layers" : "measuring needs Python");
    this.measure.title = this.connected ? "count, chain and path of the real layers, here and now" : "needs Python";
    this.root.classList.toggle("cpl-unmeasured", !this.connected && !this.measured && !this.get("meta").measured);
    this.wearChips();
    this.wearVerdicts(size, core);
    this.body.replaceChildren(...this.visible.map((row) => this.tableRow(row, size)));
    say(this.readout, this.picked ? spoken(this.picked, { ...size, n: this.length }, core, causal) : "");
  }

  wearChips() {
    for (const { row, button, swatch } of this.chips) {
      const on = this.get("shown").includes(row.name), place = prepared(swatch);
      button.setAttribute("aria-pressed", String(on));
      if (place) this.stroke(place.ctx, row, [[1, place.height / 2], [place.width - 1, place.height / 2]], 2.5);
    }
  }

  wearVerdicts(size, core) {
    const first = this.rows[0], others = this.visible.filter((row) => row !== first);
    const said = others.map((row) => `${row.name}: ${verdict(first, row, size, core)}`).join(" · ");
    say(this.verdicts, others.length ? `${first.name} takes fewer multiply-adds than the … ${said}` : "");
  }

  tableRow(row, size) {
    const [cost, chain, path] = COLUMNS.map(([column]) => this.value(column, row, size));
    const ratio = cost / this.value("cost", this.rows[0], size), seen = this.measured?.[row.name];
    const same = seen && seen.multiply_adds === multiplyAdds(row, size, false) && seen.sequential === chain
      && (seen.path === path || seen.path === "not tried");
    const words = seen
      ? `${whole(seen.multiply_adds)} · ${whole(seen.sequential)} · ${seen.path === "not tried" ? seen.path : whole(seen.path)} `
        + `${same ? "= formula" : "≠ formula"}` : "";
    const cells = [row[this.get("core") ? "core_formula" : "formula"], whole(cost), `× ${ratio.toPrecision(3)}`, row.order, whole(chain),
      steps(row, path), words];
    return make("tr", { "data-name": row.name, "aria-selected": String(row === this.picked),
      onclick: () => this.set({ picked: row.name }) },
      make("th", { scope: "row" }, row.name), ...cells.map((text) => make("td", {}, text)));
  }

  // ------------------------------------------------------------------------------------------------ pictures

  stroke(ctx, row, points, width) {
    ctx.beginPath();
    points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.setLineDash(DASHES[row.dash]);
    ctx.lineWidth = width;
    ctx.strokeStyle = this.look.heads[row.colour];
    ctx.stroke();
    ctx.setLineDash([]);
  }

  paint() {
    this.axes = {};
    for (const [column] of COLUMNS) {
      const place = prepared(this.boards[column]);
      if (place) this.paintBoard(column, place);
    }
  }

  /** The values of the curves at the ends of the axis decide its height; it moves with the sliders, never by a jump. */
  axesOf(column, width, height) {
    const across = logAxis(...RANGES.n, 46, width - 98), left = 10, size = this.size;
    const ends = this.visible.flatMap((row) => RANGES.n.map((n) => this.value(column, row, { ...size, n }))).filter((value) => value);
    const low = column === "cost" ? Math.min(...ends) / 1.6 : 0.8, high = column === "cost" ? Math.max(...ends) * 1.6 : 5500;
    return { across, up: logAxis(low, high, height - 34, left) };
  }

  paintBoard(column, { ctx, width, height }) {
    const { across, up } = this.axes[column] = this.axesOf(column, width, height), lengths = this.inputs.n.list;
    this.paintAxes(ctx, across, up, height);
    const ends = [];
    for (const row of this.visible) {
      const points = lengths.map((n) => [n, this.value(column, row, { ...this.size, n })]).filter(([, value]) => value !== null)
        .map(([n, value]) => [across.at(n), up.at(Math.max(value, up.low))]);
      this.stroke(ctx, row, points, row === this.picked ? 3.4 : 1.8);
      if (points.length) ends.push({ row, y: points.at(-1)[1] });
    }
    this.paintNames(ctx, ends, across.at(across.high), height);
    if (column === "cost") this.paintCrossings(ctx, across, up);
    this.paintDots(ctx, column, across, up);
  }

  paintAxes(ctx, across, up, height) {
    const { line, quiet } = this.look, left = across.at(across.low), right = across.at(across.high), foot = up.at(up.low);
    ctx.font = `13px ${MONO}`;
    ctx.lineWidth = 1;
    const rule = (x0, y0, x1, y1) => { ctx.beginPath(); ctx.moveTo(x0, y0); ctx.lineTo(x1, y1); ctx.stroke(); };
    ctx.strokeStyle = line;
    ctx.fillStyle = quiet;
    ctx.textAlign = "right";
    for (const value of powersOn(up, 10, 7)) {
      rule(left, up.at(value), right, up.at(value));
      const power = Math.round(Math.log10(value));
      ctx.fillText(power < 4 ? String(value) : `10${raised(power)}`, left - 5, up.at(value));
    }
    ctx.textAlign = "center";
    for (const value of powersOn(across, 2, (right - left) / 44)) {
      rule(across.at(value), foot, across.at(value), foot + 4);
      ctx.fillText(String(value), across.at(value), foot + 13);
    }
    ctx.fillText("n", (left + right) / 2, height - 6);
    ctx.strokeStyle = quiet;
    rule(across.at(this.length), foot, across.at(this.length), up.at(up.high));
  }

  /** The layers' names, each led to the end of its line: lines may lie on each other, names may not. */
  paintNames(ctx, ends, x, height) {
    const places = pushedApart(ends.map(({ y }) => y), 15, 8, height - 40);
    ctx.lineWidth = 1;
    ends.forEach(({ row, y }, i) => {
      ctx.strokeStyle = this.look.heads[row.colour];
      stroke(ctx, [[x, y], [x + 3, y], [x + 15, places[i]], [x + 19, places[i]]]);
      label(ctx, row.short, x + 22, places[i], `${row === this.picked ? "bold " : ""}13px ${MONO}`, this.look.ink);
    });
  }

  /** A dot on every curve at n: filled by the formula, ringed where the real layer was measured. */
  paintDots(ctx, column, across, up) {
    const size = { ...this.size, n: this.length }, x = across.at(size.n),
      name = { cost: "multiply_adds", chain: "sequential", path: "path" }[column];
    for (const row of this.visible) {
      const value = this.value(column, row, size), seen = this.hover === null && this.measured?.[row.name]?.[name];
      if (value !== null) this.dot(ctx, x, up.at(value), 3.2, this.look.heads[row.colour], true);
      if (typeof seen === "number" && (column !== "cost" || !this.get("core"))) this.dot(ctx, x, up.at(seen), 7, this.look.ink, false);
    }
  }

  dot(ctx, x, y, radius, colour, filled) {
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    ctx.fillStyle = ctx.strokeStyle = colour;
    ctx.lineWidth = 1.6;
    if (filled) ctx.fill(); else ctx.stroke();
  }

  /** Where self-attention stops being the cheaper one. */
  paintCrossings(ctx, across, up) {
    const first = this.rows[0], core = this.get("core"), found = [];
    if (!this.visible.includes(first)) return;
    for (const row of this.visible) {
      const n = row === first ? null : crossing(first, row, this.size, core);
      if (n === null || n < across.low || n > across.high) continue;
      found.push([row.name, n]);
    }
    const lengths = [...new Set(found.map(([, n]) => n))];
    const heights = lengths.map((n) => up.at(multiplyAdds(first, { ...this.size, n }, core)));
    const places = pushedApart(heights.map((y) => y - 8), 15, 8, up.at(up.low) - 8);
    ctx.font = `bold 13px ${MONO}`;
    lengths.forEach((n, i) => {
      const text = `n = ${n === this.get("d") ? "d = " : ""}${whole(n)}`, x = across.at(n) - 9, wide = ctx.measureText(text).width;
      ctx.fillStyle = this.look.page;
      ctx.fillRect(x - wide - 3, places[i] - 8, wide + 6, 15);
      label(ctx, text, x, places[i], ctx.font, this.look.ink, "right");
      this.dot(ctx, across.at(n), heights[i], 5, this.look.ink, false);
    });
    this.boards.cost.dataset.crossings = JSON.stringify(found);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  ".cpl-slider": "drag: the counts and the curves follow", ".cpl-number": "the same number, typed",
  "Which multiply-adds": "of attention alone, or with its projections", "Which positions": "those before alone, or both sides",
  ".cpl-chip": "show or hide this kind of layer", ".view-sort": "sort by this column",
};

export default widget(View, HINTS);
