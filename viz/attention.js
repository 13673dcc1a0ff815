// The attention view: heat maps, lines and thumbnails of every head on canvases, from one array of bytes.
//
// Bytes: for each kind in meta.kinds, one after another, round(255 √weight) in C order [layer][head][query][key].
// Rows are queries, columns are keys, each row of weights sums to 1. Exact numbers are asked of Python (msg:custom);
// in an exported page, where there is none, numbers are decoded from the bytes and printed with two digits and ≈.

import {
  MONO, SANS, STEPS, Stage, board, choice, clamp, evident, fitted, hint, hit, joined, labelStart, level, make,
  mapLayout, missing, number, paintCells, paintGrid, prepared, refill, say, slider, small, span, table, visible,
  walkTabs, widget, written,
} from "./canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The weight that a byte stands for. */
export const WEIGHT = Float32Array.from({ length: 256 }, (_, byte) => (byte / 255) ** 2);

/** Cut the one array of bytes into one array per kind; refuses a wrong length. */
export function unpack(data, kinds) {
  const bytes = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
  const arrays = {};
  let start = 0;
  for (const kind of kinds) {
    const size = kind.n_layers * kind.n_heads * kind.queries.length * kind.keys.length;
    arrays[kind.name] = bytes.subarray(start, start + size);
    start += size;
  }
  if (start !== bytes.length) throw new Error(`${bytes.length} bytes came, the shapes need ${start}`);
  return arrays;
}

/** One head's weights (queries × keys), decoded. */
export function headMap(bytes, kind, layer, head) {
  const size = kind.queries.length * kind.keys.length;
  const start = (layer * kind.n_heads + head) * size;
  return Float32Array.from(bytes.subarray(start, start + size), (byte) => WEIGHT[byte]);
}

/** Which tokens make up each row (or column) shown: whole words if merged, no special ones if hidden. */
export function blocks(words, special, { merge, hide }) {
  const shown = [];
  words.forEach((word, i) => {
    if (merge && i > 0 && word === words[i - 1]) shown.at(-1).push(i);
    else shown.push([i]);
  });
  const open = shown.filter((block) => !hide || block.some((i) => !special[i]));
  return open.length ? open : shown;
}

/** Weights between blocks: summed over a key's pieces, averaged over a query's, so that rows still sum to 1. */
export function grouped(map, width, rows, cols) {
  const out = new Float32Array(rows.length * cols.length);
  rows.forEach((row, r) => cols.forEach((col, c) => {
    let sum = 0;
    for (const i of row) for (const j of col) sum += map[i * width + j];
    out[r * cols.length + c] = sum / row.length;
  }));
  return out;
}

/** The mean or the maximum of several maps, cell by cell. */
export function reduced(maps, how) {
  if (maps.length === 1) return maps[0];
  const out = new Float32Array(maps[0].length);
  for (const map of maps) map.forEach((w, i) => { out[i] = how === "max" ? Math.max(out[i], w) : out[i] + w / maps.length; });
  return out;
}

/** 1 where a cell is among the largest of its row that together hold `share` of the row's mass, else 0. */
export function kept(map, width, share) {
  const mask = new Uint8Array(map.length).fill(share >= 1 ? 1 : 0);
  for (let start = 0; share < 1 && start < map.length; start += width) {
    const order = Array.from({ length: width }, (_, j) => start + j).sort((a, b) => map[b] - map[a]);
    const goal = share * order.reduce((sum, i) => sum + map[i], 0);
    for (let sum = 0, n = 0; n < width && sum < goal - 1e-9; n++) { mask[order[n]] = 1; sum += map[order[n]]; }
  }
  return mask;
}

/** 1 for the largest of a row, 2 for the next …; equals share a rank. */
export const rank = (row, j) => 1 + row.reduce((n, w) => n + (w > row[j] ? 1 : 0), 0);

const MASKED = "masked: may not look";

/** What a screen reader says of a cell. */
export function spoken({ query, key, weight, exact, place, masked = false }) {
  return `query '${query}', key '${key}', ${masked ? MASKED : `${written(weight, exact)}, rank ${place}`}`;
}

/** What a screen reader says of a cell of a difference. */
export function spokenGap({ query, key, a, b, exact, masked = false }) {
  const gap = `${written(a, exact)} minus ${written(b, exact)} is ${written(a - b, exact)}`;
  return `query '${query}', key '${key}', ${masked ? MASKED : gap}`;
}

/** What a screen reader says of a map as a whole: its strongest link. */
export function strongest(map, rowNames, colNames, exact) {
  const at = map.reduce((best, w, i) => (w > map[best] ? i : best), 0), row = Math.floor(at / colNames.length);
  return `strongest: query '${rowNames[row].reads}' reads key '${colNames[at % colNames.length]}' with ${written(map[at], exact)}`;
}

/** The heads shown after a gesture: a click toggles (one always stays), a solo leaves one, again brings all back. */
export function nextHeads(heads, head, gesture, n) {
  const all = Array.from({ length: n }, (_, i) => i);
  if (gesture === "all") return all;
  if (gesture === "solo") return heads.length === 1 && heads[0] === head ? all : [head];
  const next = heads.includes(head) ? heads.filter((h) => h !== head) : [...heads, head].sort((a, b) => a - b);
  return next.length ? next : heads;
}

/** Sort a table of facts by a column; what has no value goes last. */
export function sortedRows(rows, column, down) {
  const missing = (v) => v === null || v === undefined;
  return [...rows].sort((a, b) => {
    const [x, y] = [a[column], b[column]];
    if (missing(x) || missing(y)) return missing(x) - missing(y);
    return (typeof x === "string" ? x.localeCompare(y) : x - y) * (down ? -1 : 1);
  });
}

// --------------------------------------------------------------------------------------- what panes are made of

const HEIGHT = { map: 336, side: 404, legend: 30 };
const rowText = ({ reads, predicts }) => (predicts === null ? reads : `${reads} → ${predicts}`);

/** A sentence with the words marked that the other sentence lacks. */
function words(list, name) {
  const marked = list.flatMap(([word, changed]) => [make(changed ? "mark" : "span", {}, word), " "]);
  return make("p", { class: `att-translation ${name}` }, ...marked);
}

/** Δ log-probability of each token, as numbers and as bars to the left (worse) and right of a middle line. */
function deltas({ tokens, log_prob, delta }) {
  const worst = Math.max(...delta.map(Math.abs), 0.05);
  return table("att-delta", ["token", "log p", "Δ", ""], tokens.map((token, n) => {
    const style = `width:${Math.round(50 * Math.abs(delta[n]) / worst)}%`;
    const bar = make("td", { class: "att-barcell" }, make("span", { class: delta[n] < 0 ? "att-worse" : "att-better", style }));
    const change = make("td", { title: delta[n].toPrecision(8) }, (delta[n] > 0 ? "+" : "") + written(delta[n]));
    return make("tr", {}, make("th", { scope: "row" }, visible(token)), number(log_prob[n]), change, bar);
  }));
}

/** q and k, number by number, with their products: tinted by size, hatched where negative. */
function vectors(q, k) {
  const products = q.map((x, n) => x * k[n]), top = Math.max(...[...q, ...k].map(Math.abs)), peak = Math.max(...products.map(Math.abs));
  const each = Math.ceil(q.length / Math.ceil(q.length / 11)), rows = [];
  const cell = (value, most) => make("td", { title: value.toPrecision(8), class: value < 0 ? "att-minus" : "att-plus",
    style: `--tint:${Math.round(100 * Math.abs(value) / most)}%` }, value.toFixed(2).replace("-", "−"));
  const line = (name, label, values, most) => make("tr", { class: name }, make("th", { scope: "row" }, label),
    ...values.map((value) => cell(value, most)));
  for (let n = 0; n < q.length; n += each) {
    rows.push(line("att-rowq", "q", q.slice(n, n + each), top), line("att-rowk", "k", k.slice(n, n + each), top),
      line("att-rowp", "q·k", products.slice(n, n + each), peak));
  }
  return make("table", { class: "att-vectors", "aria-label": "query and key, number by number" }, ...rows);
}

/** q · k, divided, exponentiated, normalised, and held against the recorded weight. */
function steps(kind, reply, i, j) {
  const step = (n, ...text) => make("p", { class: "att-step" }, make("b", {}, `${n} `), ...text);
  const softmax = reply.scores.map((score, n) => make("tr", { class: n === j ? "att-here" : "" },
    make("th", { scope: "row", class: "att-k" }, visible(kind.keys[n])),
    ...(score === null ? ["−∞ (masked)", "0", "0"].map((text) => make("td", {}, text))
      : [score, reply.exps[n], reply.softmax[n]].map((value) => number(value)))));
  const gap = Math.abs(reply.weight - reply.recomputed).toExponential(1);
  return [
    step(1, `q · k, ${reply.q.length} products added`), vectors(reply.q, reply.k),
    step(2, `q · k = ${written(reply.dot)},  ÷ √${reply.q.length} = `, make("b", {}, written(reply.score))),
    step(3, "softmax over the row"), table("att-softmax", ["key", "score", "exp(score − max)", "weight"], softmax),
    step(4, `recorded ${reply.weight.toPrecision(8)}, recomputed ${reply.recomputed.toPrecision(8)}, `,
      make("b", { class: "att-gap" }, `difference ${gap}`)),
    small(reply.where), make("pre", { class: "att-source" }, reply.source),
  ];
}

const TRAITS = ["data", "meta", "look", "kind", "layer", "heads", "pin", "threshold", "over_heads", "over_layers", "sqrt",
  "per_row", "hide_special", "merge_words", "cell", "compare", "off", "ablation", "facts", "panel"];
const PANELS = [["heads", "All heads"], ["cell", "One cell"], ["off", "Heads off"], ["facts", "Head facts"],
  ["difference", "Difference"], ["text", "As text"]];

const LEAST = 0.02, MOST_LINES = 6000;   // more lines can neither be told apart nor drawn in time

/** The weight from which lines are drawn: 0.02, or so much more that they are no more than `most`. */
export function leastDrawn(maps, most = MOST_LINES) {
  const counts = new Uint32Array(1001);
  for (const map of maps) for (const weight of map) if (weight >= LEAST) counts[Math.min(1000, Math.floor(1000 * weight))]++;
  let n = 0, at = 1000;
  while (at >= 0 && (n += counts[at]) <= most) at--;
  return at < 0 ? LEAST : (at + 1) / 1000;
}

// ------------------------------------------------------------------------------------------------------ the view

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Attention view");
    this.hover = { kind: null, row: -1, col: -1 };
    this.exact = new Map();      // "kind:layer:head" → Float32Array, as Python sent it
    this.memo = new Map();       // maps as shown; emptied when what they depend on changes
    this.asked = new Set();
    this.layouts = {};
    this.sort = { column: "layer", down: false };
    this.atlases = new Map();
    this.start(TRAITS);
  }

  changed(name) {
    if (["hide_special", "merge_words"].includes(name)) this.memo.clear();
    if (name === "cell") this.askCell();
    if (name === "facts") this.counted = (this.counted ?? 0) + 1;
    super.changed(name);
  }

  /** Take new weights and tokens; the page is rebuilt only if its shape changed. */
  load() {
    const { data, meta } = { data: this.get("data"), meta: this.get("meta") };
    const bytes = unpack(data, meta.kinds);
    this.kinds = meta.kinds.map((kind) => ({ ...kind, bytes: bytes[kind.name] }));
    for (const cache of [this.exact, this.memo, this.asked, this.atlases]) cache.clear();
    this.arithmetic = null;
    this.hover = { kind: null, row: -1, col: -1 };
    const shape = JSON.stringify([meta.model, meta.kinds.map((k) => [k.name, k.n_layers, k.n_heads])]);
    if (shape !== this.shape) { this.shape = shape; this.build(); }
    say(this.badge, meta.shows);
    this.sentence.replaceChildren(make("div", { title: meta.title }, meta.title));
    if (meta.translation !== null) {
      this.sentence.append(make("div", { title: meta.translation }, span("att-quiet", "→ "), make("b", {}, meta.translation)));
    }
    if (this.get("cell").length) this.askCell();
  }

  // ---------------------------------------------------------------------------------------------- what is shown

  get kind() { return this.kinds.find((kind) => kind.name === this.get("kind")) ?? this.kinds[0]; }
  layerOf(kind) { return Math.min(this.get("layer"), kind.n_layers - 1); }
  headsOf(kind) {
    const heads = this.get("heads").filter((head) => head < kind.n_heads);
    return heads.length ? heads : [0];
  }

  /** Rows and columns of a kind as blocks of token positions. */
  grid(kind) {
    return this.remember(`grid:${kind.name}`, () => {
      const how = { merge: this.get("merge_words"), hide: this.get("hide_special") };
      const rows = blocks(kind.query_words, kind.special_queries, how), cols = blocks(kind.key_words, kind.special_keys, how);
      return { rows, cols, rowNames: rows.map((row) => this.rowName(kind, row)), colNames: cols.map((col) => this.name(kind.keys, col)) };
    });
  }

  name(tokens, block) {
    const pieces = block.map((i) => tokens[i]);
    return visible(this.get("merge_words") ? joined(pieces) : pieces.join(""));
  }

  rowName(kind, row) {
    const reads = this.name(kind.queries, row);
    return { reads, predicts: kind.predicts ? this.name(kind.predicts, row) : null };
  }

  remember(name, compute) {
    if (!this.memo.has(name)) this.memo.set(name, compute());
    return this.memo.get(name);
  }

  raw(kind, layer, head) {
    const name = `${kind.name}:${layer}:${head}`;
    return this.exact.get(name) ?? this.remember(`raw:${name}`, () => headMap(kind.bytes, kind, layer, head));
  }

  /** One head's weights between the blocks shown; whole: over every key, hidden or not. */
  head(kind, layer, head, whole = false) {
    const { rows, cols } = this.grid(kind), every = whole ? kind.keys.map((_, j) => [j]) : cols;
    return this.remember(`head:${kind.name}:${layer}:${head}:${whole}`,
      () => grouped(this.raw(kind, layer, head), kind.keys.length, rows, every));
  }

  /** The (layer, head) pairs behind what is shown of a kind. */
  sources(kind, heads = this.headsOf(kind)) {
    const layers = this.get("over_layers") === "one" ? [this.layerOf(kind)] : Array.from({ length: kind.n_layers }, (_, l) => l);
    return layers.flatMap((layer) => heads.map((head) => [layer, head]));
  }

  /** The map of a kind for some heads: over layers first, then over heads. */
  map(kind, heads = this.headsOf(kind), whole = false) {
    const [overLayers, overHeads] = [this.get("over_layers"), this.get("over_heads")];
    const one = (head) => reduced(this.sources(kind, [head]).map(([layer]) => this.head(kind, layer, head, whole)), overLayers);
    return this.remember(["map", kind.name, this.layerOf(kind), heads, overLayers, overHeads, whole].join(":"),
      () => reduced(heads.map(one), overHeads));
  }

  isExact(kind, heads = this.sources(kind)) { return heads.every(([layer, head]) => this.exact.has(`${kind.name}:${layer}:${head}`)); }

  /** Ask Python, once, for the float32 maps behind the numbers shown. */
  ask(kind, heads = this.sources(kind)) {
    const missing = heads.filter(([layer, head]) => !this.asked.has(`${kind.name}:${layer}:${head}`));
    if (!missing.length || !this.connected) return;
    for (const [layer, head] of missing) this.asked.add(`${kind.name}:${layer}:${head}`);
    this.tell({ ask: "maps", kind: kind.name, heads: missing });
  }

  answered(message, buffers) {
    if (message.answer === "maps") {
      const kind = this.kinds.find((k) => k.name === message.kind), size = kind.queries.length * kind.keys.length;
      const bytes = buffers[0];
      message.heads.forEach(([layer, head], n) => {
        const floats = new Float32Array(size);
        for (let i = 0; i < size; i++) floats[i] = bytes.getFloat32(4 * (n * size + i), true);
        this.exact.set(`${kind.name}:${layer}:${head}`, floats);
      });
      const grids = [...this.memo].filter(([name]) => name.startsWith("grid:"));
      this.memo = new Map(grids);
    }
    if (message.answer === "cell" && String(message.cell) === String(this.get("cell"))) this.arithmetic = message;
  }

  askCell() {
    const cell = this.get("cell");
    if (!cell.length) return;
    this.arithmetic = null;
    this.tell({ ask: "cell", cell });
  }

  /** Which rows and columns are in focus: what the pointer or the keyboard is on, else the pins. */
  focus(kind) {
    const { rows, cols } = this.grid(kind);
    if (this.hover.kind === kind.name && (this.hover.row >= 0 || this.hover.col >= 0)) {
      return { rows: this.hover.row >= 0 ? [this.hover.row] : [], cols: this.hover.col >= 0 ? [this.hover.col] : [], pinned: false };
    }
    if (kind !== this.kind) return { rows: [], cols: [], pinned: false };
    const find = (side, shown) => this.get("pin").filter(([s]) => s === side)
      .map(([, i]) => shown.findIndex((block) => block.includes(i))).filter((i) => i >= 0);
    return { rows: [...new Set(find("query", rows))], cols: [...new Set(find("key", cols))], pinned: true };
  }

  /** The same tokens elsewhere: the row of a target word in both of the decoder's maps, the encoder's row of what it reads. */
  echo(kind) {
    const from = this.kinds.find((k) => k.name === this.hover.kind) ?? this.kind, { rows, cols } = this.focus(from);
    if (from === kind || !from.query_side) return { rows: [], cols: [] };
    const shown = this.grid(from), map = this.map(from), width = shown.cols.length, keys = new Set(cols.flatMap((c) => shown.cols[c]));
    const queries = new Set(rows.flatMap((r) => shown.rows[r]));
    if (from.name === "cross" && !cols.length) for (const r of rows) {
      const row = map.subarray(r * width, (r + 1) * width);
      shown.cols[row.indexOf(Math.max(...row))].forEach((j) => keys.add(j));
    }
    const here = this.grid(kind), places = (list, wanted) => list.flatMap((block, n) => (block.some((i) => wanted.has(i)) ? [n] : []));
    const none = new Set(), side = kind.query_side;
    return { rows: places(here.rows, from.query_side === side ? queries : from.key_side === side ? keys : none),
      cols: places(here.cols, kind.name === "cross" && from.query_side === "source" ? queries : none) };
  }

  // --------------------------------------------------------------------------------------------- gestures

  move(kind, row, col) {
    const same = this.hover.kind === kind?.name && this.hover.row === row && this.hover.col === col;
    if (same) return;
    this.hover = { kind: kind?.name ?? null, row, col };
    this.schedule();
  }

  pin(kind, side, place) {
    const { rows, cols } = this.grid(kind), block = (side === "query" ? rows : cols)[place];
    const pins = kind === this.kind ? this.get("pin") : [];
    const held = pins.some(([s, i]) => s === side && block.includes(i));
    const next = pins.filter(([s, i]) => !(s === side && block.includes(i)));
    this.set({ kind: kind.name, pin: held ? next : [...next, [side, block[0]]] });
    const { rowNames, colNames } = this.grid(kind), name = side === "query" ? rowNames[place].reads : colNames[place];
    this.announce(`${held ? "unpinned" : "pinned"} ${side} '${name}'`);
  }

  /** Open the arithmetic of the cell: of the head, and the pieces, that carry most of it. */
  open(kind, row, col, heads = this.sources(kind)) {
    const { rows, cols } = this.grid(kind);
    let best = null;
    for (const [layer, head] of heads) {
      const map = this.raw(kind, layer, head);
      for (const i of rows[row]) for (const j of cols[col]) {
        const weight = map[i * kind.keys.length + j];
        if (!best || weight > best.weight) best = { weight, cell: [kind.name, layer, head, i, j] };
      }
    }
    this.set({ kind: kind.name, cell: best.cell, panel: "cell", ...(kind === this.kind ? {} : { pin: [] }) });
  }

  choose(kind) { if (kind !== this.kind) this.set({ kind: kind.name, pin: [] }); }

  toggleOff(kind, layer, head) {
    const same = ([k, l, h]) => k === kind.name && l === layer && h === head;
    const off = this.get("off"), next = off.some(same) ? off.filter((x) => !same(x)) : [...off, [kind.name, layer, head]];
    this.set({ off: next, panel: "off" });
  }

  announce(text) { say(this.live, text); }

  /** Query, key and mask of a cell, to be spoken. */
  cellOf(kind, row, col) {
    const { rows, cols, rowNames, colNames } = this.grid(kind);
    return { query: rowNames[row].reads, key: colNames[col], masked: this.masked(kind, rows[row], cols[col]) };
  }

  announceCell(kind, row, col) {
    const n = this.grid(kind).cols.length, values = this.map(kind).slice(row * n, (row + 1) * n);
    const cell = { ...this.cellOf(kind, row, col), weight: values[col], place: rank(values, col) };
    this.announce(spoken({ ...cell, exact: this.isExact(kind) }));
  }

  announceGap(kind, row, col) {
    const places = this.places(kind), at = row * this.grid(kind).cols.length + col;
    const [a, b] = places.map(([layer, head]) => this.head(kind, layer, head)[at]);
    this.announce(spokenGap({ ...this.cellOf(kind, row, col), a, b, exact: this.isExact(kind, places) }));
  }

  /** Arrows walk, Enter opens the cell (in a difference the first head's), q pins the query, k the key, Escape lets go. */
  walk(event, kind, differs = false) {
    const { rows, cols } = this.grid(kind), step = STEPS[event.key], inside = this.hover.kind === kind.name;
    let { row, col } = inside ? this.hover : { row: -1, col: -1 };
    if (!step && event.key !== "Home" && event.key !== "End") return this.act(event.key, kind, row, col, differs);
    if (step && row >= 0 && col >= 0) [row, col] = [row + step[0], col + step[1]];
    if (!step) col = event.key === "Home" ? 0 : cols.length - 1;
    [row, col] = [clamp(row, rows.length), clamp(col, cols.length)];
    this.move(kind, row, col);
    this[differs ? "announceGap" : "announceCell"](kind, row, col);
    return true;
  }

  act(key, kind, row, col, differs) {
    const heads = differs ? this.places(kind).slice(0, 1) : this.sources(kind);
    if ((key === "Enter" || key === " ") && row >= 0 && col >= 0) this.open(kind, row, col, heads);
    else if (key === "q" && row >= 0) this.pin(kind, "query", row);
    else if (key === "k" && col >= 0) this.pin(kind, "key", col);
    else if (key === "Escape") this.letGo();
    else return false;
    return true;
  }

  letGo() {
    this.move(null, -1, -1);
    if (this.get("pin").length) this.set({ pin: [] });
  }

  // ------------------------------------------------------------------------------------------ page, built once

  /** Heights are fixed when the page is built: nothing jumps when a value or a sentence changes. */
  heights(many) {
    const { queries, keys, n_layers, n_heads } = this.kinds[0], tokens = Math.max(queries.length, keys.length);
    const own = Math.min(HEIGHT.side, 30 * tokens + 120), pane = n_layers * n_heads > 1 ? HEIGHT.side : 240;
    return many ? { map: HEIGHT.map, lines: HEIGHT.side, pane: HEIGHT.side } : { map: own, lines: own, pane };
  }

  build() {
    const many = this.kinds.length > 1, layers = Math.max(...this.kinds.map((k) => k.n_layers));
    this.height = this.heights(many);
    this.badge = make("span", { class: "att-badge", title: "what this picture shows" });
    this.sentence = make("div", { class: "att-sentence" });
    this.live = make("div", { class: "att-live", "aria-live": "polite", role: "status" });
    this.maps = Object.fromEntries(this.kinds.map((kind) => [kind.name, this.buildMap(kind, many)]));
    this.readout = make("div", { class: "att-readout" }, make("div", { class: "att-cell" }), make("div", { class: "att-mass" }));
    this.legend = make("canvas", { class: "att-legend", role: "img", style: `height:${HEIGHT.legend}px` });
    const figures = Object.values(this.maps).map((map) => map.figure);
    const [links, side] = [this.buildLines(), this.buildSide()];
    this.root.classList.toggle("att-single", !many);
    this.root.replaceChildren(
      make("div", { class: "att-top" }, this.sentence, this.badge),
      this.buildControls(layers),
      make("div", { class: "att-maps" }, ...figures, many ? null : links),
      make("div", { class: "att-below" }, this.legend, this.readout),
      make("div", { class: "att-lower" }, many ? links : null, side), this.live);
  }

  buildControls(layers) {
    this.layer = slider("Layer", { min: 0, max: layers - 1, step: 1, class: "att-layer" },
      (event) => this.set({ layer: Number(event.target.value) }));
    this.layerText = make("output", { class: "att-value" });
    this.overLayers = choice("Layers", [["one", "one layer"], ["mean", "mean of all layers"], ["max", "max of all layers"]],
      (event) => this.set({ over_layers: event.target.value }));
    this.overHeads = choice("Several heads", [["mean", "mean of heads"], ["max", "max of heads"]],
      (event) => this.set({ over_heads: event.target.value }));
    this.threshold = slider("Mass kept", { min: 0, max: 1, step: 0.01, class: "att-threshold" },
      (event) => this.set({ threshold: Number(event.target.value) }));
    this.thresholdText = make("output", { class: "att-value" });
    this.strip = make("div", { class: "att-strip", role: "group", "aria-label": "Heads", onkeydown: (event) => this.walkStrip(event) });
    const one = layers > 1 ? "" : "hidden", alone = this.kinds.every((kind) => kind.n_heads === 1) ? "hidden" : "";
    this.strip.classList.toggle("hidden", alone !== "");
    return make("div", { class: "att-controls" },
      make("label", { class: `att-field ${one}` }, make("span", { class: "att-name" }, "Layer"), this.layer, this.layerText),
      this.strip,
      make("div", { class: `att-field ${one && alone}` }, make("span", { class: alone }, this.overHeads), make("span", { class: one }, this.overLayers)),
      make("label", { class: "att-field" }, make("span", { class: "att-name" }, "Mass kept"), this.threshold, this.thresholdText),
      this.buildOptions());
  }

  buildOptions() {
    const options = [["hide_special", "hide special tokens"], ["merge_words", "merge sub-words"], ["sqrt", "√ colours"],
      ["per_row", "colours per row"]];
    this.options = Object.fromEntries(options.map(([name, text]) => [name,
      make("input", { type: "checkbox", "aria-label": text, onchange: (event) => this.set({ [name]: event.target.checked }) })]));
    return make("div", { class: "att-options", role: "group", "aria-label": "Options" },
      ...options.map(([name, text]) => make("label", {}, this.options[name], text)));
  }

  /** A button for each head, and below it the switch that takes the head out of the model. */
  buildStrip(kind) {
    const shape = `${kind.name}:${kind.n_heads}`;
    if (this.stripShape === shape) return;
    this.stripShape = shape;
    const gesture = (head, how) => this.set({ heads: nextHeads(this.headsOf(this.kind), head, how, this.kind.n_heads) });
    this.buttons = Array.from({ length: kind.n_heads }, (_, head) => make("button", {
      type: "button", class: "att-head", "data-head": head, "aria-label": `Head ${head}`,
      title: "click: show or hide · double click: this one alone, again: all",
      onclick: () => gesture(head, "toggle"), ondblclick: () => gesture(head, "solo"),
    }, String(head)));
    this.switches = Array.from({ length: kind.n_heads }, (_, head) => make("button", {
      type: "button", role: "switch", class: "att-switch", "data-head": head, "aria-checked": "true",
      title: "take this head out of the model, and translate again",
      onclick: () => this.toggleOff(this.kind, this.layerOf(this.kind), head),
    }));
    const all = make("button", { type: "button", class: "att-all", "aria-label": "All heads", onclick: () => gesture(0, "all") }, "all");
    const { model } = this.get("meta");
    const cells = this.buttons.map((button, head) => make("div", { class: "att-column" }, button, model ? this.switches[head] : null));
    const names = make("div", { class: "att-column att-names" }, make("span", { class: "att-name" }, "Heads"),
      model ? make("span", { class: "att-small" }, "in the model") : null);
    this.strip.replaceChildren(names, ...cells, make("div", { class: "att-column" }, all));
  }

  walkStrip(event) {
    const head = this.buttons.indexOf(event.target), step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (head < 0 || (!step && event.key !== "s" && event.key !== "a")) return;
    if (step) this.buttons[(head + step + this.buttons.length) % this.buttons.length].focus();
    else this.set({ heads: nextHeads(this.headsOf(this.kind), head, event.key === "s" ? "solo" : "all", this.kind.n_heads) });
    event.preventDefault();
  }

  buildMap({ name, title: text }, many) {
    const kind = () => this.kinds.find((k) => k.name === name);   // of the sentence shown now
    const canvas = board({
      class: "att-heat", "data-kind": name, "aria-roledescription": "heat map", style: `height:${this.height.map}px`,
    }, {
      at: (x, y) => this.layouts[name] && hit(this.layouts[name], x, y),
      look: (place) => (place ? this.move(kind(), place.row, place.col) : this.move(null, -1, -1)),
      click: ({ row, col }) => {
        if (row >= 0 && col >= 0) this.open(kind(), row, col);
        else if (row >= 0) this.pin(kind(), "query", row);
        else if (col >= 0) this.pin(kind(), "key", col);
        else this.choose(kind());
      },
      key: (event) => this.walk(event, kind()),
    });
    const title = make("button", { type: "button", class: "att-kind", "data-kind": name, onclick: () => this.choose(kind()) }, text);
    const note = make("div", { class: "att-note" });
    return { canvas, title, note, figure: make("figure", { class: "att-map", "data-kind": name }, many ? title : null, note, canvas) };
  }

  buildLines() {
    this.lines = board({
      class: "att-lines", "aria-roledescription": "line view",
      "aria-label": "Queries and keys joined by lines. Up and down walk the queries, with Shift the keys; Enter pins",
    }, {
      at: (x, y) => {
        const { step, top, middle } = this.lineLayout, { rows, cols } = this.grid(this.kind), left = x < middle;
        const n = Math.floor((y - top) / step), place = n >= 0 && n < (left ? rows : cols).length ? n : -1;
        return left ? { row: place, col: -1 } : { row: -1, col: place };
      },
      look: (place) => (place ? this.move(this.kind, place.row, place.col) : this.move(null, -1, -1)),
      click: (place) => this.pinPlace(place),
      key: (event) => this.walkLines(event),
    });
    this.linesTitle = make("div", { class: "att-caption" });
    return make("section", { class: "att-links", "aria-label": "Lines" }, this.linesTitle,
      make("div", { class: "att-scroll", style: `height:${this.height.lines}px` }, this.lines));
  }

  pinPlace({ row, col }) {
    if (row >= 0) this.pin(this.kind, "query", row);
    if (col >= 0) this.pin(this.kind, "key", col);
  }

  walkLines(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], { kind } = this, { rows, cols, rowNames, colNames } = this.grid(kind);
    const { row, col } = this.hover, keys = event.shiftKey;
    if (step) {
      const place = clamp((keys ? col : row) + step, (keys ? cols : rows).length);
      this.move(kind, keys ? -1 : place, keys ? place : -1);
      this.announceLinks(kind, keys ? "key" : "query", place, keys ? colNames[place] : rowNames[place].reads);
    } else if (event.key === "Enter" || event.key === " ") this.pinPlace({ row, col });
    else if (event.key === "Escape") this.letGo();
    else return false;
    return true;
  }

  announceLinks(kind, side, place, name) {
    const { rows, cols, rowNames, colNames } = this.grid(kind), map = this.map(kind);
    const others = side === "query" ? cols.map((_, c) => [colNames[c], map[place * cols.length + c]])
      : rows.map((_, r) => [rowNames[r].reads, map[r * cols.length + place]]);
    const top = others.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([other, w]) => `'${other}' ${written(w, this.isExact(kind))}`);
    this.announce(`${side} '${name}': ${top.join(", ")}`);
  }

  buildSide() {
    const { model } = this.get("meta"), many = this.kinds.some((kind) => kind.n_layers * kind.n_heads > 1);
    this.tabs = {};
    this.panes = {};
    for (const [name, text] of PANELS) {
      if ((name === "off" && !model) || (["heads", "difference"].includes(name) && !many)) continue;
      const open = () => this.set({ panel: name }), style = `height:${this.height.pane}px`;
      this.tabs[name] = make("button", { type: "button", role: "tab", class: "att-tab", "data-panel": name, onclick: open }, text);
      this.panes[name] = make("div", { role: "tabpanel", class: `att-pane att-pane-${name}`, "aria-label": text, tabindex: 0, style });
    }
    this.panes.heads?.append(this.buildThumbs());
    if (this.panes.difference) this.buildDifference();
    const walk = (event) => walkTabs(event, this.tabs, this.panel, (panel) => this.set({ panel })), tablist = make("div", { class: "att-tabs", role: "tablist", onkeydown: walk });
    tablist.append(...Object.values(this.tabs));
    return make("section", { class: "att-side", "aria-label": "More about the heads" }, tablist, ...Object.values(this.panes));
  }

  get panel() { return this.tabs[this.get("panel")] ? this.get("panel") : Object.keys(this.tabs)[0]; }

  buildThumbs() {
    const look = (place) => { if (String(this.thumb) !== String(place)) { this.thumb = place; this.schedule(); } };
    const go = ([layer, head]) => this.set({ layer, heads: [head], over_layers: "one" });
    this.thumbs = board({
      class: "att-thumbs", "aria-roledescription": "grid of heads", style: `height:${this.height.pane - 8}px`,
      "aria-label": "All layers and heads as thumbnails. Arrows walk, Enter shows that head",
    }, {
      at: (x, y) => {
        const { left, top, dx, dy } = this.thumbLayout, head = Math.floor((x - left) / dx), layer = Math.floor((y - top) / dy);
        return head >= 0 && layer >= 0 && head < this.kind.n_heads && layer < this.kind.n_layers ? [layer, head] : null;
      },
      look,
      click: go,
      key: (event) => {
        const step = STEPS[event.key], [layer, head] = this.thumb ?? [this.layerOf(this.kind), this.headsOf(this.kind)[0]];
        if (event.key === "Enter" || event.key === " ") { go([layer, head]); return true; }
        if (!step) return false;
        look([clamp(layer + step[0], this.kind.n_layers), clamp(head + step[1], this.kind.n_heads)]);
        this.announce(`layer ${this.thumb[0]}, head ${this.thumb[1]}`);
        return true;
      },
    });
    return this.thumbs;
  }

  buildDifference() {
    const change = (which, part, value) => {
      const pair = this.get("compare").map((place) => [...place]);
      pair[which][part] = clamp(Number(value) || 0, part ? this.kind.n_heads : this.kind.n_layers);
      this.set({ compare: pair });
    };
    const input = (label, which, part) => make("input", { type: "number", min: 0, "aria-label": label,
      onchange: (event) => change(which, part, event.target.value) });
    this.pair = ["First", "Second"].map((label, which) => [input(`${label} layer`, which, 0), input(`${label} head`, which, 1)]);
    this.differ = board({
      class: "att-differ", "aria-roledescription": "difference map", style: `height:${this.height.pane - 80}px`,
      "aria-label": "First head minus second head. Arrows walk, Enter opens the first head's cell",
    }, {
      at: (x, y) => {
        const { difference: layout } = this.layouts;
        return layout && hit(layout, x - layout.wide * Math.min(Math.floor(x / layout.wide), layout.n - 1), y);
      },
      look: (place) => (place ? this.move(this.kind, place.row, place.col) : this.move(null, -1, -1)),
      key: (event) => this.walk(event, this.kind, true),
    });
    this.differNote = make("div", { class: "att-caption" });
    const field = ([layer, head]) => make("span", { class: "att-field" }, make("label", {}, "layer ", layer),
      make("label", {}, "head ", head));
    const row = make("div", { class: "att-row" }, field(this.pair[0]), "minus", field(this.pair[1]));
    this.panes.difference.append(row, this.differ, this.differNote);
  }

  // --------------------------------------------------------------------------------- what the controls and panes say

  /** Dress the page in the look of its surroundings, and let every control show the state. */
  dressed() { this.atlases.clear(); }

  wear() {
    const { kind } = this, layer = this.layerOf(kind), heads = this.headsOf(kind), pin = JSON.stringify(this.get("pin"));
    Object.assign(this.root.dataset, { kind: kind.name, layer, heads: heads.join(" "), pin });
    this.buildStrip(kind);
    this.wearControls(kind, layer);
    this.wearHeads(kind, layer, heads);
    for (const k of this.kinds) this.wearMap(k);
    this.wearReadout(kind);
    this.wearPanes(kind);
  }

  wearControls(kind, layer) {
    this.layer.value = this.get("layer");
    this.layer.disabled = this.get("over_layers") !== "one";
    this.layer.setAttribute("aria-valuetext", `layer ${layer}`);
    say(this.layerText, this.layer.disabled ? "all" : `${layer} of 0–${kind.n_layers - 1}`);
    this.threshold.value = this.get("threshold");
    say(this.thresholdText, `${Math.round(100 * this.get("threshold"))} %`);
    this.overLayers.value = this.get("over_layers");
    this.overHeads.value = this.get("over_heads");
    for (const [name, box] of Object.entries(this.options)) box.checked = this.get(name);
    const pieces = (list) => list.some((word, i) => i > 0 && word === list[i - 1]);
    this.options.merge_words.disabled = !this.kinds.some((k) => pieces(k.query_words) || pieces(k.key_words));
    this.options.hide_special.disabled = !this.kinds.some((k) => [...k.special_keys, ...k.special_queries].some(Boolean));
  }

  wearPanes(kind) {
    const left = Object.keys(this.panes).find((name) => name !== this.panel && this.panes[name].contains(this.focused));
    for (const [name, tab] of Object.entries(this.tabs)) {
      const open = name === this.panel;
      tab.setAttribute("aria-selected", open);
      tab.tabIndex = open ? 0 : -1;
      this.panes[name].hidden = !open;
    }
    if (left) this.panes[this.panel].focus({ preventScroll: true });
    const wear = { cell: this.wearCell, off: this.wearOff, facts: this.wearFacts, text: this.wearText, difference: this.wearDifference };
    wear[this.panel]?.call(this, kind);
  }

  wearHeads(kind, layer, heads) {
    const off = this.get("off");
    this.buttons.forEach((button, head) => {
      button.setAttribute("aria-pressed", heads.includes(head));
      button.style.setProperty("--att-head", this.colour(head));
      const gone = off.some(([k, l, h]) => k === kind.name && l === layer && h === head);
      button.classList.toggle("att-gone", gone);
      this.switches[head].setAttribute("aria-checked", !gone);
      this.switches[head].disabled = !this.connected || this.get("over_layers") !== "one";
      this.switches[head].setAttribute("aria-label", `${evident(kind.title)}, layer ${layer}, head ${head} in the model`);
    });
  }

  colour(head) { return this.look.heads[head % this.look.heads.length]; }

  wearMap(kind) {
    const { title, note, figure, canvas } = this.maps[kind.name], chosen = kind === this.kind;
    title.setAttribute("aria-pressed", chosen);
    figure.classList.toggle("att-chosen", chosen && this.kinds.length > 1);
    const max = this.get("over_heads") === "max" && this.headsOf(kind).length > 1 || this.get("over_layers") === "max";
    const [low, high] = kind.row_sums.map((sum) => sum.toFixed(3));
    const hidden = this.get("hide_special") && kind.special_keys.some(Boolean), sum = low === high ? low : `${low}–${high}`;
    const rows = max ? "rows of a maximum" : hidden ? `sum ${sum} with hidden` : `each row sums to ${sum}`;
    say(note, `rows: queries, columns: keys, ${rows}`);
    const { rowNames, colNames } = this.grid(kind), most = strongest(this.map(kind), rowNames, colNames, this.isExact(kind));
    const summary = evident(`${kind.title}, ${this.shownInWords(kind)}, ${most}. Rows are queries, columns are keys. `
      + "Arrows walk, Enter opens a cell, q pins the query, k the key");
    if (canvas.getAttribute("aria-label") !== summary) canvas.setAttribute("aria-label", summary);
  }

  shownInWords(kind) {
    const heads = this.headsOf(kind), [overHeads, overLayers] = [this.get("over_heads"), this.get("over_layers")];
    const layer = overLayers === "one" ? `layer ${this.layerOf(kind)}` : `${overLayers} of layers`;
    return `${heads.length === 1 ? `head ${heads[0]}` : `${overHeads} of heads ${heads.join(", ")}`}, ${layer}`;
  }

  /** The line of numbers: the cell or the tokens in focus, which heads, and where the mass is. */
  wearReadout(chosen) {
    const kind = this.kinds.find((k) => k.name === this.hover.kind) ?? chosen, focus = this.focus(kind), { row, col } = this.hover;
    this.ask(kind);
    const map = this.map(kind);
    const parts = this.hover.kind && row >= 0 && col >= 0 ? this.cellInWords(kind, map, row, col)
      : focus.rows.length || focus.cols.length ? this.focusInWords(kind, map, focus)
        : this.thumb ? this.headInWords(kind, ...this.thumb)
          : [span("att-hint", "Point at a cell or a token. Click a cell for its arithmetic, a token to pin it.")];
    const [first, second] = this.readout.children;
    if (first.textContent !== evident(parts.map((part) => part.textContent ?? part).join(""))) refill(first, ...parts);
    say(second, [this.shownInWords(kind), ...this.massInWords(kind, focus, map)].join(" · "));
    for (const line of [first, second]) if (line.title !== line.textContent) line.title = line.textContent;   // where it is cut
  }

  cellInWords(kind, map, row, col) {
    const { rowNames, colNames, rows, cols } = this.grid(kind), { reads, predicts } = rowNames[row], exact = this.isExact(kind);
    const key = span("att-k", colNames[col]);
    if (this.masked(kind, rows[row], cols[col])) return ["query ", span("att-q", reads), ", key ", key, `, ${MASKED}`];
    const values = map.slice(row * cols.length, (row + 1) * cols.length), weight = values[col];
    return ["query ", span("att-q", reads), ...(predicts === null ? [] : [" (predicts ", span("att-q", predicts), ")"]),
      " reads key ", key, " with ", make("b", {}, written(weight, exact)),
      exact ? span("att-full", ` ${weight.toPrecision(8)}`) : "", `, rank ${rank(values, col)} of ${cols.length}`];
  }

  focusInWords(kind, map, { rows, cols, pinned }) {
    const { rowNames, colNames } = this.grid(kind), exact = this.isExact(kind);
    const received = (c) => written(rowNames.reduce((sum, _, r) => sum + map[r * colNames.length + c], 0), exact);
    const several = [rows.length > 1 && "queries", cols.length > 1 && "keys"].filter(Boolean).join(" and ");
    const said = (predicts) => (predicts === null ? " " : ` → ${predicts} `);
    return [pinned ? `pinned${several ? `, the bars add up the ${several}` : ""}: ` : "",
      ...rows.flatMap((r) => ["query ", span("att-q", rowNames[r].reads), said(rowNames[r].predicts)]),
      ...cols.flatMap((c) => ["key ", span("att-k", colNames[c]), ` receives ${received(c)} in all. `])];
  }

  /** What was computed of a head whose thumbnail is pointed at. */
  headInWords(kind, layer, head) {
    const facts = this.get("facts").rows?.find((row) => row.kind === kind.name && row.layer === layer && row.head === head);
    const said = ["entropy", "confidence", "distance", "alignment", "sink"].filter((name) => typeof facts?.[name] === "number");
    const numbers = said.map((name) => ` · ${name} ${written(facts[name])}`);
    return [make("b", {}, `layer ${layer}, head ${head}`), facts?.role ? `: ${facts.role}` : "", ...numbers];
  }

  /** Row sums, the mass on hidden tokens and the mass kept: always said, so that no option hides data unseen. */
  massInWords(kind, focus, map) {
    const { rows, cols } = this.grid(kind), chosen = focus.rows.length ? focus.rows : rows.map((_, r) => r), n = kind.keys.length;
    const whole = this.map(kind, this.headsOf(kind), true), exact = this.isExact(kind);   // over all keys, hidden ones too
    const inRow = (r, wanted) => kind.special_keys.reduce((sum, special, j) => sum + (wanted(special) ? whole[r * n + j] : 0), 0);
    const mass = (wanted) => chosen.reduce((sum, r) => sum + inRow(r, wanted), 0);
    const total = mass(() => true), mean = total / chosen.length, said = [];
    said.push(`${chosen.length === 1 ? "row sum" : "mean row sum"} ${exact ? mean.toFixed(3) : `≈${mean.toFixed(2)}`}`);
    if (kind.special_keys.some(Boolean)) {
      const hidden = this.get("hide_special") ? ", hidden" : "";
      said.push(`${Math.round(100 * mass((special) => special) / total)} % of it on special tokens${hidden}`);
    }
    if (this.get("threshold") < 1) {
      const mask = this.keptOf(kind, map), links = mask.reduce((sum, m) => sum + m, 0), seen = map.reduce((sum, w) => sum + w, 0);
      const held = map.reduce((sum, w, i) => sum + (mask[i] ? w : 0), 0);
      said.push(`${links} of ${rows.length * cols.length} links kept, with ${Math.round(100 * held / (seen || 1))} % of the mass`);
    }
    return said;
  }

  keptOf(kind, map = this.map(kind)) {
    const share = this.get("threshold");
    return kept(map, this.grid(kind).cols.length, share);
  }

  /** The element that has the keyboard, also inside a shadow tree. */
  get focused() { return this.root.getRootNode().activeElement; }

  /** Fill a pane anew only if what it shows has changed; the keyboard stays where it was, or else in the pane. */
  fill(name, state, content) {
    const signature = JSON.stringify([state, this.get("meta").version]), pane = this.panes[name], { focused } = this;
    if (pane.dataset.shows === signature) return;
    const inside = pane !== focused && pane.contains(focused);
    pane.dataset.shows = signature;
    pane.replaceChildren(...content().filter(Boolean));
    const same = inside && [...pane.querySelectorAll("[data-key]")].find((node) => node.dataset.key === focused.dataset.key);
    if (inside) (same || pane).focus({ preventScroll: true });
  }

  copier(label, text) {
    const press = async () => {
      try { await navigator.clipboard.writeText(text); } catch { return say(button, "not copied: select the text"); }
      say(button, "copied");
    };
    const button = make("button", { type: "button", class: "att-copy", "aria-label": label, "data-key": label, onclick: press }, "copy");
    return button;
  }

  chip(label, text, onclick, more = "") {
    return make("button", { type: "button", class: `att-chip ${more}`, "aria-label": label, "data-key": label, onclick }, text);
  }

  // ---- one cell

  address(kind, layer, head, row, col) {
    if (kind.address.includes("{layer}")) return `trace["${kind.address.replace("{layer}", layer)}"][0, ${head}, ${row}, ${col}]`;
    return `${kind.address}[${[...kind.index.map((axis) => ({ layer, head })[axis]), row, col].join(", ")}]`;
  }

  wearCell() {
    const [name, layer, head, i, j] = this.get("cell"), kind = this.kinds.find((k) => k.name === name), reply = this.arithmetic;
    const valid = kind && layer < kind.n_layers && head < kind.n_heads && i < kind.queries.length && j < kind.keys.length;
    this.fill("cell", [this.get("cell"), reply !== null, valid, this.connected], () => {
      if (!valid) return [hint("Click a cell of a map, or press Enter on it: its arithmetic appears here.")];
      const address = this.address(kind, layer, head, i, j);
      const weight = headMap(kind.bytes, kind, layer, head)[i * kind.keys.length + j];
      const [query, key] = [span("att-q", visible(kind.queries[i])), span("att-k", visible(kind.keys[j]))];
      const top = make("p", {}, span("att-small", `${kind.title}, layer ${layer}, head ${head}. `), "query ", query, ", key ", key, ": ",
        make("b", {}, reply ? written(reply.weight) : written(weight, false)));
      const where = make("p", { class: "att-where" }, make("code", { class: "att-address" }, address),
        this.copier("Copy the address", address));
      if (reply?.q) return [top, where, ...steps(kind, reply, i, j)];
      const missing = !this.connected ? "The arithmetic needs Python: open the notebook and run it."
        : reply ? "These weights came without q and k; explore_attention shows a model's own arithmetic." : "asking Python …";
      return [top, where, hint(missing)];
    });
  }

  // ---- heads off

  wearOff() {
    const off = this.get("off"), result = this.get("ablation"), alone = !this.connected;
    const needs = hint("Switching heads off or on needs the model: open the notebook and run it.");
    this.fill("off", [off, result, alone], () => {
      if (!off.length && alone) return [needs];
      if (!off.length) return [hint("The switch under a head takes it out of the model, which then translates again. What changed stands here.")];
      const title = (name) => this.kinds.find((k) => k.name === name)?.title ?? name;
      const chips = off.map(([k, l, h], n) => this.chip(`${title(k)}, layer ${l}, head ${h}: on again`, `${title(k)} ${l}.${h} ×`,
        () => this.set({ off: off.filter((_, other) => other !== n) })));
      const all = this.chip("All heads on again", "all on again", () => this.set({ off: [] }), "att-restore");
      const row = make("p", { class: "att-chips" }, "off: ", ...chips, all);
      for (const chip of row.children) chip.disabled = alone;
      if (JSON.stringify(result.off) !== JSON.stringify(off)) return [row, alone ? needs : hint("translating …")];
      const after = result.changed ? "without these heads (changed words marked)" : "without these heads: the same words";
      return [row, small("with all heads"), words(result.before, "att-before"), small(after), words(result.words, "att-after"),
        small(`Δ log-probability of each token of the first translation, ${written(result.total)} in all`),
        deltas(result), alone ? needs : null];
    });
  }

  // ---- head facts

  wearFacts() {
    const { columns, rows, notes } = this.get("facts"), { column, down } = this.sort, { kind } = this;
    const layer = this.layerOf(kind), heads = this.headsOf(kind), possible = this.connected && this.get("meta").model;
    this.fill("facts", [this.counted, column, down, kind.name, layer, heads, possible], () => {
      if (!rows?.length) return [hint("No facts were computed for these weights.")];
      const mine = rows.filter((row) => row.kind === kind.name);
      const names = ["layer", "head", ...columns.map(([name]) => name)].filter((name) => mine.some((row) => !missing(row[name])));
      const head = names.map((name) => this.sorter(name, Object.fromEntries(columns)[name] ?? name));
      const body = sortedRows(mine, column, down).map((row) =>
        this.factRow(row, names, row.layer === layer && heads.length === 1 && heads[0] === row.head));
      const box = make("div", { class: "att-wide att-tall" }, make("table", { class: "att-facts" },
        make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
      const scroll = this.panes.facts.querySelector(".att-wide")?.scrollTop ?? 0;
      requestAnimationFrame(() => { box.scrollTop = scroll; });
      const measure = this.chip("Measure each head's effect", "measure each head's effect", () => {
        say(measure, "measuring …");
        this.tell({ ask: "effects" });
      }, "att-measure");
      const wanted = possible && rows.every((row) => missing(row.effect));
      return [make("div", { class: "att-caption" }, `${kind.title}. ${notes[kind.name]} `, wanted ? measure : ""), box];
    });
  }

  sorter(name, meaning) {
    const { column, down } = this.sort, here = name === column;
    const press = () => {
      this.sort = { column: name, down: here ? !down : !["layer", "head", "role"].includes(name) };
      this.schedule();
    };
    const named = { class: "att-sort", "data-column": name, "data-key": name, title: meaning };
    const button = make("button", { type: "button", ...named, onclick: press }, name + (here ? (down ? " ↓" : " ↑") : ""));
    return make("th", { scope: "col", "aria-sort": here ? (down ? "descending" : "ascending") : "none" }, button);
  }

  factRow(row, names, here) {
    const go = () => this.set({ layer: row.layer, heads: [row.head], over_layers: "one" });
    const key = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      go();
      event.preventDefault();
    };
    const cell = (name) => missing(row[name]) ? make("td", {}, "–")
      : typeof row[name] === "string" || ["layer", "head"].includes(name) ? make("td", {}, String(row[name])) : number(row[name]);
    const place = { "data-layer": row.layer, "data-head": row.head, "data-key": `${row.layer},${row.head}` };
    return make("tr", { tabindex: 0, ...place, "aria-selected": here, onclick: go, onkeydown: key },
      ...names.map(cell));
  }

  // ---- values as text

  wearText(kind) {
    const differs = this.textOf === "difference", wanted = differs ? this.places(kind) : this.sources(kind);
    const { rows, cols, rowNames, colNames } = this.grid(kind), many = kind.n_layers * kind.n_heads > 1;
    this.ask(kind, wanted);
    const exact = this.isExact(kind, wanted), map = differs ? this.difference(kind) : this.map(kind);
    this.fill("text", [kind.name, wanted, differs, exact, rows, cols, this.get("over_heads"), this.get("over_layers")], () => {
      const lines = rows.map((_, r) => [...map.subarray(r * cols.length, (r + 1) * cols.length)]), corner = "query \\ key";
      const tsv = [[corner, ...colNames], ...lines.map((line, r) => [rowNames[r].reads, ...line])]
        .map((line) => line.join("\t")).join("\n");
      const what = choice("Values of", [["map", "the map shown"], ["difference", "the difference of two heads"]],
        (event) => { this.textOf = event.target.value; this.schedule(); });
      what.value = differs ? "difference" : "map";
      const head = [make("th", { scope: "col" }, corner), ...colNames.map((name) => make("th", { scope: "col", class: "att-k" }, name))];
      const body = lines.map((line, r) => make("tr", {}, make("th", { scope: "row", class: "att-q" }, rowText(rowNames[r])),
        ...line.map((value) => number(value, exact))));
      return [make("div", { class: "att-caption" }, `${kind.title}: rows are queries, columns are keys. `, many ? what : "",
        this.copier("Copy the table", tsv)),
      make("div", { class: "att-wide att-tall", tabindex: 0, "aria-label": "Values as text", "data-key": "values" },
        make("table", { class: "att-text" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)))];
    });
  }

  // ---- the difference of two heads

  /** The two heads compared, within a kind's bounds. */
  places(kind) { return this.get("compare").map(([layer, head]) => [clamp(layer, kind.n_layers), clamp(head, kind.n_heads)]); }

  difference(kind) {
    const [a, b] = this.places(kind).map(([layer, head]) => this.head(kind, layer, head));
    return a.map((weight, i) => weight - b[i]);
  }

  wearDifference(kind) {
    const places = this.places(kind), { rows, cols } = this.grid(kind), { row, col } = this.hover;
    this.pair.forEach((inputs, which) => inputs.forEach((input, part) => {
      input.max = (part ? kind.n_heads : kind.n_layers) - 1;
      if (document.activeElement !== input) input.value = places[which][part];
    }));
    this.ask(kind, places);
    const gap = this.difference(kind), exact = this.isExact(kind, places);
    const moved = gap.reduce((sum, g) => sum + Math.abs(g), 0) / (2 * rows.length), at = row * cols.length + col;
    const [a, b] = places.map(([layer, head]) => written(this.head(kind, layer, head)[at] ?? 0, exact));
    const here = this.hover.kind === kind.name && row >= 0 && col >= 0;
    say(this.differNote, `${kind.title}. ` + (here ? `${a} − ${b} = ${written(gap[at], exact)}`
      : `The two heads place ${Math.round(100 * moved)} % of a row's mass differently.`));
  }

  // ------------------------------------------------------------------------------------------------ drawing

  paint() {
    for (const kind of this.kinds) this.drawMap(kind);
    this.drawLegend();
    this.drawLines();
    if (this.panel === "heads") this.drawThumbs();
    if (this.panel === "difference") this.drawDifference();
  }

  /** Levels of a map as it is shown: below the threshold nothing, on the scale chosen. */
  levels(map, width, mask) {
    const [sqrt, perRow] = [this.get("sqrt"), this.get("per_row")], out = new Uint8Array(map.length);
    for (let start = 0; start < map.length; start += width) {
      const top = perRow ? Math.max(...map.subarray(start, start + width)) : 1;
      for (let i = start; i < start + width; i++) out[i] = mask && !mask[i] ? 0 : level(map[i], top, sqrt);
    }
    return out;
  }

  masked({ allowed }, row, col) { return allowed && row.every((i) => col.every((j) => j < allowed[i][0] || j >= allowed[i][1])); }

  drawMap(kind) {
    const { canvas } = this.maps[kind.name], tall = `${Math.max(this.height.map, this.grid(kind).rows.length + 130)}px`;
    if (canvas.style.height !== tall) canvas.style.height = tall;   // a row is a pixel high at the least
    const page = prepared(canvas);
    if (!page) return;
    const { ctx, width, height } = page, { rows, cols } = this.grid(kind), map = this.map(kind);
    const layout = this.layouts[kind.name] = this.frameOf(ctx, width, height, kind);
    for (const side of ["left", "top", "cell", "rows", "cols"]) canvas.dataset[side] = layout[side];
    paintCells(ctx, this.levels(map, cols.length, this.keptOf(kind, map)), this.colours, layout);
    this.rule(ctx, layout, kind);
    this.labels(ctx, layout, kind);
    this.marks(ctx, layout, kind);
  }

  frameOf(ctx, width, height, kind) {
    const { rowNames, colNames } = this.grid(kind);
    ctx.font = `12px ${MONO}`;
    const widest = (names) => Math.max(...names.map((name) => ctx.measureText(name).width));
    const names = rowNames.map(({ reads, predicts }) => reads + (predicts === null ? "" : ` → ${predicts}`));
    const left = Math.min(widest(names) + 28, width * (kind.predicts ? 0.46 : 0.36)), top = Math.min(0.72 * widest(colNames) + 30, 112);
    const step = Math.min(30, (width - left) / colNames.length);   // slanted names may reach beyond the last column
    const beyond = colNames.map((name, c) => 0.7 * ctx.measureText(name).width - (colNames.length - 1.5 - c) * step);
    return mapLayout(width, height, rowNames.length, colNames.length, left, top, Math.min(Math.max(8, ...beyond), 70));
  }

  /** The frame, the lines between cells, and what may not be looked at. */
  rule(ctx, layout, kind) {
    const { left, top, cell } = layout, grid = this.grid(kind);
    ctx.fillStyle = this.look.line;
    ctx.globalAlpha = 0.55;
    grid.rows.forEach((row, r) => grid.cols.forEach((col, c) => {
      if (this.masked(kind, row, col)) ctx.fillRect(left + c * cell, top + r * cell, cell, cell);
    }));
    ctx.globalAlpha = 1;
    paintGrid(ctx, layout, this.look.line);
  }

  labels(ctx, layout, kind) {
    const { left, top, cell, bottom, slant } = layout, { rowNames, colNames } = this.grid(kind), focus = this.focus(kind);
    const size = Math.min(12, Math.max(9, cell - 1)), every = Math.ceil(9.5 / cell);   // small cells: only every n-th name
    const near = (i, places) => every > 1 && places.some((p) => p !== i && Math.abs(p - i) * cell < 11);
    const drawn = (i, places) => places.includes(i) || (i % every === 0 && !near(i, places));
    ctx.textAlign = "right";
    rowNames.forEach(({ reads, predicts }, r) => {
      if (!drawn(r, focus.rows)) return;
      const y = top + (r + 0.5) * cell, font = `${focus.rows.includes(r) ? "700 " : ""}${size}px ${MONO}`;
      ctx.font = font;
      const main = fitted(ctx, predicts ?? reads, predicts === null ? left - 24 : (left - 24) * 0.62), wide = ctx.measureText(main).width;
      ctx.fillStyle = this.look.query;
      ctx.fillText(main, left - 6, y);
      if (predicts === null) return;
      ctx.fillStyle = this.look.quiet;
      ctx.fillText(`${fitted(ctx, reads, left - 42 - wide)} →`, left - 10 - wide, y);
    });
    ctx.textAlign = "left";
    colNames.forEach((name, c) => {
      if (!drawn(c, focus.cols)) return;
      ctx.save();
      ctx.translate(...labelStart(layout, c));
      ctx.rotate(-slant);
      ctx.font = `${focus.cols.includes(c) ? "700 " : ""}${Math.max(9, Math.min(12, 0.74 * cell * every))}px ${MONO}`;
      ctx.fillStyle = this.look.key;
      ctx.fillText(fitted(ctx, name, (top - 24) / 0.72), 0, 0);
      ctx.restore();
    });
    this.axisNames(ctx, layout, kind, (top + bottom) / 2);
  }

  axisNames(ctx, { left, top, right }, kind, middle) {
    ctx.font = `600 11px ${SANS}`;
    ctx.textAlign = "center";
    ctx.fillStyle = this.look.key;
    ctx.fillText(`keys${kind.key_side ? `: ${kind.key_side}` : ""}`, (left + right) / 2, 8);
    ctx.save();
    ctx.translate(8, Math.max(middle, 70));
    ctx.rotate(-Math.PI / 2);
    ctx.fillStyle = this.look.query;
    ctx.fillText(`queries${kind.query_side ? `: ${kind.query_side}` : ""}`, 0, 0);
    ctx.restore();
    ctx.fillStyle = this.look.ink;
  }

  /** Frames around the row and the column in focus, and around the cell whose arithmetic is open. */
  marks(ctx, { left, top, right, bottom, cell }, kind) {
    const focus = this.focus(kind), open = this.get("cell"), { rows, cols } = this.grid(kind);
    const frame = (x, y, w, h, colour, thick) => { ctx.strokeStyle = colour; ctx.lineWidth = thick; ctx.strokeRect(x, y, w, h); };
    const echo = this.echo(kind);
    ctx.globalAlpha = 0.5;
    for (const r of echo.rows) frame(left, top + r * cell, right - left, cell, this.look.query, 1.5);
    for (const c of echo.cols) frame(left + c * cell, top, cell, bottom - top, this.look.key, 1.5);
    ctx.globalAlpha = 1;
    for (const r of focus.rows) frame(left, top + r * cell, right - left, cell, this.look.query, 2);
    for (const c of focus.cols) frame(left + c * cell, top, cell, bottom - top, this.look.key, 2);
    const here = this.hover.kind === kind.name && this.hover.row >= 0 && this.hover.col >= 0;
    if (here) frame(left + this.hover.col * cell, top + this.hover.row * cell, cell, cell, this.look.ink, 2);
    const mine = open[0] === kind.name && this.sources(kind).some(([l, h]) => l === open[1] && h === open[2]);
    const r = mine ? rows.findIndex((row) => row.includes(open[3])) : -1, c = mine ? cols.findIndex((col) => col.includes(open[4])) : -1;
    if (r >= 0 && c >= 0) frame(left + c * cell + 1, top + r * cell + 1, cell - 2, cell - 2, this.look.wrong, 2);
  }

  drawLegend() {
    const page = prepared(this.legend);
    if (!page) return;
    const { ctx, width } = page, bar = Math.min(200, width - 80), left = 6, place = this.get("sqrt") ? Math.sqrt : (share) => share;
    for (let x = 0; x < bar; x++) {
      const at = 6 * Math.round(255 * x / (bar - 1));
      ctx.fillStyle = `#${this.look.weights.slice(at, at + 6)}`;
      ctx.fillRect(left + x, 2, 1, 10);
    }
    ctx.strokeStyle = this.look.line;
    ctx.strokeRect(left - 0.5, 1.5, bar + 1, 11);
    ctx.fillStyle = this.look.quiet;
    ctx.font = `11px ${SANS}`;
    ctx.textAlign = "center";
    const end = this.get("per_row") ? "max" : "1", ticks = this.get("per_row") ? [0, 1] : [0, 0.25, 0.5, 0.75, 1];
    for (const tick of ticks) ctx.fillText(tick === 1 ? end : String(tick), left + bar * place(tick), 22);
    if (this.kinds.some((kind) => kind.allowed)) {
      ctx.fillText("masked", left + bar + 40, 22);
      ctx.globalAlpha = 0.55;
      ctx.fillStyle = this.look.line;
      ctx.fillRect(left + bar + 34, 2, 11, 11);
      ctx.globalAlpha = 1;
    }
    const top = this.get("per_row") ? "each row's largest" : "1", how = this.get("sqrt") ? ", by square root" : "";
    this.legend.setAttribute("aria-label", `Colour scale of weights, from 0 (the page's colour) to ${top}${how}`);
  }

  /** Two columns of tokens joined by lines; beside the tokens opposite to the focus, a bar for each head. */
  drawLines() {
    const { kind } = this, { rows, cols } = this.grid(kind), n = Math.max(rows.length, cols.length), heads = this.headsOf(kind);
    const high = this.height.lines, step = Math.min(24, Math.max(13, (high - 34) / n));
    const tall = `${Math.max(high - 4, Math.ceil(n * step + 34))}px`;
    if (this.lines.style.height !== tall) this.lines.style.height = tall;
    const page = prepared(this.lines);
    if (!page) return;
    const { ctx, width } = page, x0 = width * (kind.predicts ? 0.43 : 0.31), x1 = width * 0.66;
    const layout = { step, top: 26, x0, x1, middle: (x0 + x1) / 2, width };
    this.lineLayout = layout;
    const focus = this.focus(kind), some = focus.rows.length + focus.cols.length > 0, layers = this.get("over_layers");
    const maps = heads.map((head) => reduced(this.sources(kind, [head]).map(([l]) => this.head(kind, l, head)), layers));
    const least = layout.least = leastDrawn(maps);
    maps.forEach((map, i) => this.links(ctx, layout, kind, map, this.keptOf(kind, map), this.colour(heads[i]), focus, some));
    this.columns(ctx, layout, kind, focus);
    if (focus.rows.length) this.bars(ctx, layout, kind, heads, focus.rows, true);
    if (focus.cols.length) this.bars(ctx, layout, kind, heads, focus.cols, false);
    const who = heads.length === 1 ? `head ${heads[0]}` : `${heads.length} heads, each in its colour`;
    const layer = layers === "one" ? `layer ${this.layerOf(kind)}` : `${layers} of layers`;
    say(this.linesTitle, `${kind.title}, ${layer}, ${who}. The stronger a line the larger its weight; under ${least === LEAST ? LEAST : `${least.toFixed(3)}, for there are many,`} none is drawn.`);
  }

  links(ctx, { step, top, x0, x1, least }, kind, map, mask, colour, focus, some) {
    const { rows, cols } = this.grid(kind), bend = (x1 - x0) * 0.4;
    ctx.strokeStyle = colour;
    for (let r = 0; r < rows.length; r++) for (let c = 0; c < cols.length; c++) {
      const weight = map[r * cols.length + c];
      if (weight < least || !mask[r * cols.length + c]) continue;
      const lit = !some || focus.rows.includes(r) || focus.cols.includes(c);
      if (!lit && weight < 0.15) continue;
      ctx.globalAlpha = !lit ? 0.06 : some ? Math.min(1, 0.3 + 0.9 * weight) : Math.min(1, 0.08 + 0.92 * weight);
      ctx.lineWidth = !lit ? 1 : some ? 1 + 5 * weight : 0.8 + 3 * weight;
      const [y0, y1] = [top + (r + 0.5) * step, top + (c + 0.5) * step];
      ctx.beginPath();
      ctx.moveTo(x0 + 4, y0);
      ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  columns(ctx, { step, top, x0, x1 }, kind, focus) {
    const { rowNames, colNames } = this.grid(kind), size = Math.min(13, step - 1);
    const write = (text, x, y, align, colour, bold, room) => {
      ctx.font = `${bold ? "700 " : ""}${size}px ${MONO}`;
      ctx.textAlign = align;
      ctx.fillStyle = colour;
      const shown = fitted(ctx, text, room);
      ctx.fillText(shown, x, y);
      return ctx.measureText(shown).width;
    };
    rowNames.forEach(({ reads, predicts }, r) => {
      const y = top + (r + 0.5) * step, room = (x0 - 88) * (predicts === null ? 1 : 0.62);
      const wide = write(predicts ?? reads, x0, y, "right", this.look.query, focus.rows.includes(r), room);
      if (predicts === null) return;
      write("→", x0 - wide - 4, y, "right", this.look.quiet, false, 20);
      write(reads, x0 - wide - 17, y, "right", this.look.quiet, false, x0 - 105 - wide);
    });
    colNames.forEach((name, c) => write(name, x1, top + (c + 0.5) * step, "left", this.look.key, focus.cols.includes(c), 0.3 * x1));
    ctx.font = `600 11px ${SANS}`;
    ctx.textAlign = "right";
    ctx.fillStyle = this.look.query;
    ctx.fillText(kind.predicts ? "queries: reads → predicts" : "queries", x0, 12);
    ctx.textAlign = "left";
    ctx.fillStyle = this.look.key;
    ctx.fillText("keys", x1, 12);
  }

  /** Beside every token opposite to the queries (or keys) in focus: each head's weight as a bar, and their number in figures. */
  bars(ctx, { step, top, width }, kind, heads, among, byQuery) {
    const { rows, cols } = this.grid(kind), exact = this.isExact(kind), whole = this.map(kind);
    const at = (i, place) => (byQuery ? i * cols.length + place : place * cols.length + i);
    const sum = (map, place) => among.reduce((total, i) => total + map[at(i, place)], 0);
    const room = byQuery ? 66 : 32, slot = room / heads.length, start = byQuery ? width - room - 52 : 54, most = among.length;
    const perHead = heads.map((head) => this.map(kind, [head]));
    ctx.font = `11px ${SANS}`;
    for (let place = 0; place < (byQuery ? cols : rows).length; place++) {
      const y = top + place * step, tall = step - 4;
      heads.forEach((head, n) => {
        const share = Math.min(sum(perHead[n], place) / most, 1);
        ctx.fillStyle = this.colour(head);
        if (heads.length === 1) ctx.fillRect(byQuery ? start : start + room * (1 - share), y + step / 2 - 3, room * share, 6);
        else ctx.fillRect(start + n * slot, y + 2 + tall * (1 - share), slot - 1.5, tall * share);
      });
      const total = sum(whole, place);
      ctx.fillStyle = total >= 0.1 ? this.look.ink : this.look.quiet;
      ctx.textAlign = "right";
      if (total >= 0.005) ctx.fillText(written(total, exact), byQuery ? width - 4 : 50, y + step / 2);
    }
  }

  /** Every head of the kind as one picture, made anew only when weights, kind or colours change. */
  atlas(kind) {
    const name = [kind.name, this.get("sqrt"), this.get("per_row")].join(":");
    if (!this.atlases.has(name)) {
      const [T, S] = [kind.queries.length, kind.keys.length], picture = document.createElement("canvas");
      [picture.width, picture.height] = [S * kind.n_heads, T * kind.n_layers];
      const image = new ImageData(picture.width, picture.height), pixels = new Uint32Array(image.data.buffer);
      for (let layer = 0; layer < kind.n_layers; layer++) for (let head = 0; head < kind.n_heads; head++) {
        const numbers = this.levels(headMap(kind.bytes, kind, layer, head), S, null);
        const at = (i) => (layer * T + Math.floor(i / S)) * picture.width + head * S + (i % S);
        numbers.forEach((number, i) => { pixels[at(i)] = this.colours[number]; });
      }
      picture.getContext("2d").putImageData(image, 0, 0);
      this.atlases.set(name, picture);
    }
    return this.atlases.get(name);
  }

  drawThumbs() {
    const page = prepared(this.thumbs);
    if (!page) return;
    const { ctx, width, height } = page, { kind } = this, picture = this.atlas(kind), [T, S] = [kind.queries.length, kind.keys.length];
    const left = 46, top = 22, gap = 6, dy = Math.min((height - top) / kind.n_layers, 120);
    const dx = Math.min((width - left) / kind.n_heads, (dy - gap) * Math.max(S / T, 0.7) + gap);
    this.thumbLayout = { left, top, dx, dy };
    Object.assign(this.thumbs.dataset, this.thumbLayout);
    const [w, h] = [Math.min(dx - gap, (dy - gap) * S / T), Math.min(dy - gap, (dx - gap) * Math.max(T / S, 0.6))];
    ctx.font = `11px ${SANS}`;
    ctx.fillStyle = this.look.quiet;
    ctx.textAlign = "center";
    for (let head = 0; head < kind.n_heads; head++) ctx.fillText(head ? String(head) : "head 0", left + head * dx + w / 2, 10);
    ctx.textAlign = "right";
    for (let layer = 0; layer < kind.n_layers; layer++) {
      ctx.fillText(layer ? String(layer) : "layer 0", left - 7, top + layer * dy + h / 2);
    }
    const active = new Set(this.sources(kind).map(String));
    const off = new Set(this.get("off").filter(([name]) => name === kind.name).map(([, layer, head]) => `${layer},${head}`));
    ctx.imageSmoothingEnabled = w < S || h < T;
    for (let layer = 0; layer < kind.n_layers; layer++) for (let head = 0; head < kind.n_heads; head++) {
      const [x, y, name] = [left + head * dx, top + layer * dy, `${layer},${head}`];
      ctx.globalAlpha = off.has(name) ? 0.25 : 1;
      ctx.drawImage(picture, head * S, layer * T, S, T, x, y, w, h);
      ctx.globalAlpha = 1;
      const looked = String(this.thumb) === name;
      ctx.strokeStyle = looked ? this.look.ink : active.has(name) ? this.colour(head) : this.look.line;
      ctx.lineWidth = looked || active.has(name) ? 2.5 : 1;
      ctx.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
      if (off.has(name)) { ctx.fillStyle = this.look.wrong; ctx.textAlign = "center"; ctx.fillText("off", x + w / 2, y + h / 2); }
    }
  }

  /** The difference, and left of it, where there is room, the two heads it is made of. */
  drawDifference() {
    const page = prepared(this.differ);
    if (!page) return;
    const { ctx, width, height } = page, { kind } = this, n = width < 700 ? 1 : 3, wide = (width - 60) / n;
    const layout = this.layouts.difference = { ...this.frameOf(ctx, wide, height - 18, kind), wide, n };
    const stretch = this.get("sqrt") ? Math.sqrt : (share) => share;
    const share = (gap) => Math.sign(gap) * stretch(Math.min(Math.abs(gap), 1));
    const picture = (name, numbers, table) => {
      paintCells(ctx, numbers, table, layout);
      this.rule(ctx, layout, kind);
      this.labels(ctx, layout, kind);
      this.marks(ctx, layout, kind);
      ctx.font = `600 12px ${SANS}`;
      ctx.textAlign = "center";
      if (n > 1) ctx.fillText(name, (layout.left + layout.right) / 2, layout.bottom + 12);
    };
    ctx.save();
    for (const [layer, head] of n > 1 ? this.places(kind) : []) {
      picture(`layer ${layer}, head ${head}`, this.levels(this.head(kind, layer, head), layout.cols), this.colours);
      ctx.translate(wide, 0);
    }
    picture("difference", Uint16Array.from(this.difference(kind), (gap) => 128 + Math.round(128 * share(gap))), this.signed);
    const [x, y, tall] = [layout.right + 16, layout.top, Math.max(60, Math.min(layout.bottom - layout.top, 160))];
    for (let i = 0; i < tall; i++) {
      const at = 6 * Math.round(256 * (1 - i / (tall - 1)));
      ctx.fillStyle = `#${this.look.differences.slice(at, at + 6)}`;
      ctx.fillRect(x, y + i, 10, 1);
    }
    ctx.fillStyle = this.look.quiet;
    ctx.font = `11px ${SANS}`;
    ctx.textAlign = "left";
    ["+1", "0", "−1"].forEach((text, i) => ctx.fillText(text, x + 15, y + 5 + (tall - 10) * i / 2));
    ctx.restore();
  }
}

export default widget(View);
