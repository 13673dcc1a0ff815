// The attention view: heat maps, lines and thumbnails of every head on canvases, from one array of bytes.
//
// Bytes: for each kind in meta.kinds, one after another, round(255 √weight) in C order [layer][head][query][key].
// Rows are queries, columns are keys, each row of weights sums to 1. Exact numbers are asked of the model (msg:custom), in Python or
// in the page; where there is none, numbers are decoded from the bytes and printed with two digits and ≈.

import {
  Challenge, MONO, SANS, STEPS, Stage, WEIGHT, board, bytesOf, chip, choice, chord, clamp, controls, copier, evident, field,
  fitted, floatsOf, headline, hint, hit, joined, label, level, make, many, mapLabels, mapLayout, missing, number, paintCells,
  paintGrid, prepared, refill, say, slantRoom, slider, small, span, stroke, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Cut the one array of bytes into one array per kind; refuses a wrong length. */
export function unpack(data, kinds) {
  const bytes = bytesOf(data), arrays = {};
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

/** What each row of a map of n columns sums to. */
const rowSums = (map, n) => Array.from({ length: map.length / n }, (_, r) => map.subarray(r * n, (r + 1) * n).reduce((a, b) => a + b, 0));

/** What a screen reader says of a map as a whole: its strongest link. */
export function strongest(map, rowNames, colNames, exact) {
  const at = map.reduce((best, w, i) => (w > map[best] ? i : best), 0), row = Math.floor(at / colNames.length);
  return `strongest: query '${rowNames[row].reads}' reads key '${colNames[at % colNames.length]}' with ${written(map[at], exact)}`;
}

const FINDS_NOTHING = "A row has to sum to 1, also where the head finds nothing to read: then much of it may rest on a special token.";
const READS_FIRST = "A row reads before it says: it stands at the piece that it has read, and looks for what it says next.";
const NOT_CAUSAL = "Cross-attention is not causally masked: the whole source is there from the first row on, so a row may look ahead.";
const BESIDE = "In self-attention some heads look at the piece beside, whatever it means.";

/** What people usually get wrong, where it fits a guess that was wrong; places count tokens, before: where the row above looks most. */
export function misread({ predicts, special_keys }, row, guess, most, before) {
  if (guess < 0 || guess === most) return "";
  if (special_keys[most]) return FINDS_NOTHING;
  if (predicts) return guess === before ? READS_FIRST : most > row && guess < most ? NOT_CAUSAL : "";
  return Math.abs(most - row) === 1 ? BESIDE : "";
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

/** The changes of words after one more: what is done a second time is taken back, and a word has one replacement. */
export function withChange(changes, act, place, more) {
  if (act === "swap") {
    const [last, ...pair] = changes.at(-1) ?? [], back = last === "swap" && pair.includes(place) && pair.includes(more);
    return back ? changes.slice(0, -1) : [...changes, [act, place, more]];
  }
  const others = changes.filter(([a, p]) => a !== act || p !== place);
  if (act === "replace") return more === null ? others : [...others, [act, place, more]];
  return others.length < changes.length ? others : [...others, [act, place]];
}

/** Whether a word stands otherwise than in the sentence that was typed. */
export const isOtherwise = ({ word, was, place, deleted, masked }, at) => word !== was || place !== at || deleted || masked;

/** The place of the word beside one, those deleted left out; nothing at the ends. */
export function besideWord(words, place, step) {
  const standing = words.filter((word) => !word.deleted || word.place === place);
  return standing[standing.findIndex((word) => word.place === place) + step]?.place;
}

/** What was done to a word, to be read. */
export function changeInWords([act, place, more], words) {
  const name = (at) => `“${words.find((word) => word.place === at)?.was ?? at}”`;
  return { replace: `${name(place)} → “${more}”`, delete: `without ${name(place)}`, mask: `nobody reads ${name(place)}`,
    swap: `${name(place)} ⇄ ${name(more)}` }[act];
}

/** A map whose rows are over what is not special: those keys at 0, the rest of each row divided by its sum. */
export function rescaled(map, special) {
  const n = special.length, out = Float32Array.from(map, (weight, i) => (special[i % n] ? 0 : weight));
  for (let start = 0; start < out.length; start += n) {
    const row = out.subarray(start, start + n), sum = row.reduce((a, b) => a + b, 0);
    if (sum > 0) row.forEach((weight, j) => { row[j] = weight / sum; });
  }
  return out;
}

/** A row in which key j has another weight; shares: the others have what is left in proportion to what they had, or else to `recorded`. */
export function withWeight(row, j, weight, shares, recorded = row) {
  const others = (values) => values.map((value, k) => (k === j ? 0 : value)), total = (values) => values.reduce((a, b) => a + b, 0);
  const from = [row, recorded, row.map(() => 1)].map(others).find((values) => total(values) > 0);
  return row.map((value, k) => (k === j ? weight : shares && from ? (1 - weight) * from[k] / total(from) : value));
}

/** The rows held after one more: a query of a head has one row; weights null: as the model makes it. */
export function withRow(held, place, weights) {
  const others = held.filter(([kind, layer, head, query]) => String([kind, layer, head, query]) !== String(place));
  return weights ? [...others, [...place, weights]] : others;
}

/** Why a row that is held does nothing; kind: as the sentence has it now. */
export function idleInWords([name, , , query, weights], { keys, queries }) {
  const other = name !== "decoder" && (weights.length !== keys.length || (name === "encoder" && query >= queries.length));
  return other ? `it has ${weights.length} weights and is not used: the sentence has ${keys.length} tokens now`
    : `it is not used: the new translation ends before step ${query}`;
}

// --------------------------------------------------------------------------------------- what panes are made of

const BARS = 98;   // pixels of the bars on the right of the line picture and their numbers
const TIGHT = 520;   // a narrower line picture has no room for bars on its left
const MANY = 24, LARGE = 15;   // above how many tokens large cells are offered, and the pixels of one
const HEIGHT = { map: 336, side: 404, legend: 30 };
const NARROW = 860;   // pixels of a view whose parts stand one below the other, as canvas.css has it
const rowText = ({ reads, predicts }) => (predicts === null ? reads : `${reads} → ${predicts}`);

/** A sentence's words, those marked that the other sentence lacks. */
const marked = (list) => list.flatMap(([word, changed]) => [make(changed ? "mark" : "span", {}, word), " "]);

const words = (list, name) => make("p", { class: `view-translation ${name}` }, ...marked(list));

/** Slanted lines over a rectangle: what stands below has no effect. */
function hatch(ctx, left, top, wide, tall, colour, gap = 7) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, wide, tall);
  ctx.clip();
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1;
  for (let x = left - tall; x < left + wide; x += gap) stroke(ctx, [[x, top + tall], [x + tall, top]]);
  ctx.restore();
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

/** The first translation and the new one beside it, and what became of each token of the first. */
function retold(result, before, now) {
  const after = result.changed ? `${now} (changed words marked)` : `${now}: the same words`;
  return [make("div", { class: "att-beside" }, make("div", {}, small(before), words(result.before, "att-before")),
    make("div", {}, small(after), words(result.words, "att-after"))),
  small(`Δ log-probability of each token of the first translation, ${written(result.total)} in all`), deltas(result)];
}

/** q and k, number by number, at most so many in a row, with their products: tinted by size, hatched where negative. */
function vectors(q, k, most) {
  const products = q.map((x, n) => x * k[n]), top = Math.max(...[...q, ...k].map(Math.abs)), peak = Math.max(...products.map(Math.abs));
  const each = Math.ceil(q.length / Math.ceil(q.length / most)), rows = [];
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
function steps(kind, reply, i, j, across) {
  const step = (n, ...text) => make("p", { class: "att-step" }, make("b", {}, `${n} `), ...text);
  const softmax = reply.scores.map((score, n) => make("tr", { class: n === j ? "view-here" : "" },
    make("th", { scope: "row", class: "view-k" }, visible(kind.keys[n])),
    ...(score === null ? ["−∞ (masked)", "0", "0"].map((text) => make("td", {}, text))
      : [score, reply.exps[n], reply.softmax[n]].map((value) => number(value)))));
  const gap = Math.abs(reply.weight - reply.recomputed).toExponential(1);
  return [
    step(1, `q · k, ${reply.q.length} products added`), vectors(reply.q, reply.k, across),
    step(2, `q · k = ${written(reply.dot)},  ÷ √${reply.q.length} = `, make("b", {}, written(reply.score))),
    step(3, "softmax over the row"), table("att-softmax", ["key", "score", "exp(score − max)", "weight"], softmax),
    step(4, `recorded ${reply.weight.toPrecision(8)}, recomputed ${reply.recomputed.toPrecision(8)}, `,
      make("b", { class: "att-gap" }, `difference ${gap}`)),
    small(reply.where), make("pre", { class: "view-source" }, reply.source),
  ];
}

const TRAITS = ["data", "kind", "layer", "heads", "pin", "threshold", "over_heads", "over_layers", "sqrt",
  "per_row", "colours_to", "hide_special", "renormalise", "merge_words", "cell", "compare", "off", "words", "held",
  "ablation", "facts", "panel", "predict", "guesses"];

const LEAST = 0.02, MOST_LINES = 6000;   // more lines can neither be told apart nor drawn in time

/** The weight from which lines are drawn: 0.02, or so much more that they are no more than `most`. */
export function leastDrawn(maps, most = MOST_LINES) {
  const counts = new Uint32Array(1001);
  for (const map of maps) for (const weight of map) if (weight >= LEAST) counts[Math.min(1000, Math.floor(1000 * weight))]++;
  let n = 0, at = 1000;
  while (at >= 0 && (n += counts[at]) <= most) at--;
  return at < 0 ? LEAST : (at + 1) / 1000;
}

/** How strongly a line of a weight is drawn: the weakest can still be seen, on a dark page too. */
export const strength = (weight) => Math.min(1, 0.35 + 0.9 * weight);

/** What a chip of a pane is called, so that the keyboard finds it again when the pane is filled anew. */
const called = (label, more = "") => ({ class: `view-chip ${more}`, "aria-label": label, "data-key": label });

/** Elements that together are one stop for Tab: the one that has the keyboard or had it last, else the first that can have it. */
function oneStop(nodes, here = nodes.find((node) => node.tabIndex === 0)) {
  const stop = here && !here.disabled ? here : nodes.find((node) => !node.disabled);
  for (const node of nodes) node.tabIndex = node === stop ? 0 : -1;
}

// -------------------------------------------------------------------------------------------------------- the weights

/** The weights behind the view: decoded from bytes or exact, as the model gave them, and joined as the reader asks. */
class Weights extends Stage {
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

  /** One head's weights as the model made them, but the rows that the reader holds as those were set. */
  standing(kind, layer, head) {
    const made = this.raw(kind, layer, head), n = kind.keys.length;
    const mine = this.heldRows(kind).filter(([, l, h]) => l === layer && (h === head || h < 0));
    if (!mine.length) return made;
    const map = Float32Array.from(made);
    for (const [, , , query, weights] of mine) map.fill(0, query * n, (query + 1) * n).set(weights, query * n);
    return map;
  }

  /** The rows held that are of this sentence. */
  heldRows({ name, queries, keys }) {
    return this.get("held").filter(([kind, , , query, weights]) => kind === name && query < queries.length
      && weights.length === (name === "decoder" ? query + 1 : keys.length));
  }

  /** One head's weights between the blocks shown; whole: over every key, hidden or not. */
  head(kind, layer, head, whole = false) {
    const { rows, cols } = this.grid(kind), every = whole ? kind.keys.map((_, j) => [j]) : cols;
    return this.remember(`head:${kind.name}:${layer}:${head}:${whole}`,
      () => grouped(whole ? this.standing(kind, layer, head) : this.shown(kind, layer, head), kind.keys.length, rows, every));
  }

  get rescales() { return this.get("hide_special") && this.get("renormalise"); }

  /** One head's weights; where the reader asks so, over what is not hidden. */
  shown(kind, layer, head) {
    const map = this.standing(kind, layer, head);
    return this.rescales && !kind.special_keys.every(Boolean) ? rescaled(map, kind.special_keys) : map;
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

  /** Ask, once, for the float32 maps behind the numbers shown. */
  ask(kind, heads = this.sources(kind)) {
    const missing = heads.filter(([layer, head]) => !this.asked.has(`${kind.name}:${layer}:${head}`));
    if (!missing.length || !this.connected) return;
    for (const [layer, head] of missing) this.asked.add(`${kind.name}:${layer}:${head}`);
    this.tell({ ask: "maps", kind: kind.name, heads: missing });
  }

  keptOf(kind, map = this.map(kind)) {
    const share = this.get("threshold");
    return kept(map, this.grid(kind).cols.length, share);
  }

  /** Levels of a map as it is shown: below the threshold nothing, on the scale chosen. */
  levels(map, width, mask) {
    const [sqrt, perRow] = [this.get("sqrt"), this.get("per_row")], out = new Uint8Array(map.length);
    for (let start = 0; start < map.length; start += width) {
      const top = perRow ? Math.max(...map.subarray(start, start + width)) : this.get("colours_to");
      for (let i = start; i < start + width; i++) out[i] = mask && !mask[i] ? 0 : level(map[i], top, sqrt);
    }
    return out;
  }

  masked({ allowed, masked }, row, col) {
    const shut = (i, j) => masked?.includes(j) || (allowed && (j < allowed[i][0] || j >= allowed[i][1]));
    return (allowed || masked) && row.every((i) => col.every((j) => shut(i, j)));
  }

  /** The two heads compared, within a kind's bounds. */
  places(kind) { return this.get("compare").map(([layer, head]) => [clamp(layer, kind.n_layers), clamp(head, kind.n_heads)]); }

  difference(kind) {
    const [a, b] = this.places(kind).map(([layer, head]) => this.head(kind, layer, head));
    return a.map((weight, i) => weight - b[i]);
  }

  /** How much weight two heads place differently, in all rows shown together, also on keys that are hidden. */
  moved(kind, places) {
    const { rows, cols } = this.grid(kind), n = kind.keys.length;
    const every = this.rescales ? cols : blocks(kind.key_words, kind.special_keys, { merge: this.get("merge_words"), hide: false });
    const [p, q] = places.map(([layer, head]) => grouped(this.shown(kind, layer, head), n, rows, every));
    return p.reduce((sum, weight, i) => sum + Math.abs(weight - q[i]), 0) / 2;
  }

  /** Take the numbers that were sent: every map is made anew, the grids stay. */
  takeExact({ kind: name, heads }, data) {
    const kind = this.kinds.find((each) => each.name === name), size = kind.queries.length * kind.keys.length;
    const weights = floatsOf(data);
    heads.forEach(([layer, head], n) => this.exact.set(`${name}:${layer}:${head}`, weights.subarray(n * size, (n + 1) * size)));
    this.memo = new Map([...this.memo].filter(([what]) => what.startsWith("grid:")));
  }
}

// ----------------------------------------------------------------------------------------------- predict, then reveal

/** The weights with a question before them: a row that is not shown until the reader has said where it looks. */
class Asked extends Weights {
  /** The row that is asked about: the first that is pinned, else the one in the middle. */
  askedRow({ rows }) {
    const pinned = this.get("pin").filter(([side]) => side === "query").map(([, i]) => rows.findIndex((row) => row.includes(i)));
    return pinned.find((row) => row >= 0) ?? rows.length >> 1;
  }

  /** What is asked of a row: where the heads that are shown look most. */
  question(row = this.askedRow(this.grid(this.kind))) {
    const { kind } = this, { rows, cols, rowNames, colNames } = this.grid(kind), n = cols.length, { reads, predicts } = rowNames[row];
    const shown = [this.layerOf(kind), this.headsOf(kind), this.get("over_heads"), this.get("over_layers"), this.get("hide_special")];
    const nameOf = (r) => [this.get("meta").version, kind.name, ...shown, rows[r][0]].join(" ");
    const after = rows.map((_, r) => (row + 1 + r) % rows.length).find((r) => !this.challenge.answerTo(nameOf(r)));
    const open = cols.map((_, c) => c).filter((c) => !this.masked(kind, rows[row], cols[c]));
    return { name: nameOf(row), choices: open.map((c) => [cols[c][0], colNames[c]]),
      asks: `Where does ${reads}${predicts === null ? "" : ` → ${predicts}`} look most, in ${this.shownInWords(kind)}?`,
      judge: (place) => this.judged(kind, row, cols.findIndex((col) => col.includes(place)), n),
      next: after === undefined || after === row ? null : { pin: [["query", rows[after][0]]] } };
  }

  judged(kind, row, guess, n) {
    const { rows, cols, colNames } = this.grid(kind), map = this.map(kind), exact = this.isExact(kind);
    const values = (r) => map.slice(r * n, (r + 1) * n), most = (r) => values(r).indexOf(Math.max(...values(r)));
    const weights = values(row), best = most(row), right = guess >= 0 && weights[guess] === weights[best];
    const other = guess < 0 || right ? "" : `, ${colNames[guess]} has ${written(weights[guess], exact)}, rank ${rank(weights, guess)}`;
    const place = (c) => (c < 0 ? -1 : cols[c][0]), before = row ? place(most(row - 1)) : -1;
    const often = misread(kind, rows[row][0], place(guess), place(best), before);
    return { right, said: `the most, ${written(weights[best], exact)}, lies on ${colNames[best]}${other}.`, often: right ? "" : often };
  }

  /** The row that is asked about and not shown yet; -1: none. */
  get hiddenRow() {
    if (!this.get("predict")) return -1;
    const row = this.askedRow(this.grid(this.kind));
    return this.challenge.isOpen(this.question(row)) ? row : -1;
  }

  isHidden(kind, row) { return row >= 0 && kind === this.kind && row === this.hiddenRow; }

  /** A cell of the row that is asked about was chosen. */
  guess(kind, row, col) {
    const { rows, cols } = this.grid(kind);
    if (this.masked(kind, rows[row], cols[col])) return this.announce(MASKED);
    this.challenge.answer(this.question(), cols[col][0]);
  }

  /** The map, a row that is to be predicted left out. */
  toldMap(kind) {
    const { cols } = this.grid(kind), n = cols.length, hidden = this.hiddenRow;
    return this.isHidden(kind, hidden) ? this.map(kind).map((weight, i) => (Math.floor(i / n) === hidden ? 0 : weight)) : this.map(kind);
  }
}

// ---------------------------------------------------------------------------------------------------------- the panes

/** A part of the view: its node, built once, what it says and what it draws. */
class Pane {
  constructor(view) {
    this.view = view;
    this.node = this.build();
  }

  build() { return null; }
  wear() {}
  paint() {}
}

/** A pane behind a tab. */
class Side {
  constructor(view, name, text) {
    this.view = view;
    this.node = make("div", { role: "tabpanel", class: `att-pane att-pane-${name}`, "aria-label": text, tabindex: 0,
      style: `height:${view.height.pane}px` }, ...this.build());
  }

  build() { return []; }
  wear() {}
  paint() {}
}

/** The sentence, word by word: each can be replaced, deleted, masked or swapped with its neighbour where it stands. */
class Words extends Pane {
  build() {
    return make("div", { class: "att-words", onkeydown: (event) => this.walk(event),
      onfocusin: ({ target }) => { if (this.buttons.includes(target)) oneStop(this.buttons, target); } });
  }

  get buttons() { return [...this.node.querySelectorAll(".att-word")]; }

  wear() {
    const { view } = this, { words, title } = view.get("meta"), { chosen = null } = this, changes = view.get("words");
    view.fill(this.node, [words, title, chosen, changes, view.connected], () => {
      if (!words || !view.connected) return [span("", title)];
      this.node.setAttribute("role", "group");
      this.node.setAttribute("aria-label", "The sentence: each word can be replaced, deleted, masked or swapped");
      requestAnimationFrame(() => oneStop(this.buttons, this.buttons.find((button) => button.dataset.key === `word ${this.last}`)));
      const groups = [];   // a full stop stays with its word
      words.forEach((word, at) => {
        if (word.apart || !at) groups.push(" ", make("span", { class: "att-slot" }));
        groups.at(-1).append(this.word(word, at, words));
      });
      return groups.slice(1);
    });
  }

  word(word, at, words) {
    const state = [word.deleted && "deleted", word.masked && "masked: nobody reads it", word.word !== word.was && `was “${word.was}”`,
      word.place !== at && "moved"].filter(Boolean);
    const open = this.chosen === word.place, said = state.length ? { "aria-label": `${word.word}: ${state.join(", ")}` } : {};
    const mark = [word.deleted ? "att-deleted" : isOtherwise(word, at) ? "att-other" : "", word.masked ? "att-masked" : ""].join(" ");
    const button = make("button", { type: "button", class: `att-word ${mark}`, "data-key": `word ${word.place}`,
      "aria-expanded": String(open), "data-place": word.place, ...said, onclick: () => this.choose(open ? null : word.place) }, word.word);
    return make("span", { class: "att-slot" }, button, open ? this.editor(word, at, words) : null);
  }

  /** What can be done with a word, below it. */
  editor(word, at, words) {
    const { view } = this, act = (text, ...change) => chip(text, () => this.change(...change), { "data-key": text });
    const input = make("input", { type: "text", value: word.word, "aria-label": `Another word for “${word.was}”`, "data-key": "another",
      onkeydown: ({ key }) => { if (key === "Enter") this.replace(word, input.value); } });
    const swaps = [["⇄ before", -1], ["⇄ after", 1]].map(([text, step]) => [text, besideWord(words, word.place, step)]);
    const changed = view.get("words").some(([, ...places]) => places.includes(word.place));
    requestAnimationFrame(() => { if (input.isConnected && !this.node.contains(view.cursor?.closest(".att-edit"))) input.select(); });
    return make("span", { class: "att-edit", role: "group", "aria-label": `Change “${word.was}”` }, input,
      chip("replace", () => this.replace(word, input.value)), act(word.deleted ? "put back" : "delete", "delete", word.place),
      act(word.masked ? "unmask" : "mask", "mask", word.place),
      ...swaps.map(([text, other]) => (other === undefined || word.deleted ? null : act(text, "swap", word.place, other))),
      changed ? chip("as it was", () => this.restore(word.place)) : null);
  }

  choose(place) {
    this.chosen = this.last = place ?? this.chosen;
    this.go();
    if (place === null) this.chosen = null;
    this.view.schedule();
  }

  /** The keyboard goes to the word last worked on. */
  go() { this.buttons.find((button) => button.dataset.place === String(this.last))?.focus(); }

  replace(word, text) {
    const next = text.trim();
    if (!next || next === word.word) return this.choose(null);
    this.change("replace", word.place, next === word.was ? null : next);
  }

  change(act, place, more) { this.lay(withChange(this.view.get("words"), act, place, more), place); }

  restore(place) {
    this.lay(this.view.get("words").filter(([act, at, other]) => at !== place && !(act === "swap" && other === place)), place);
  }

  lay(words, place) {
    const { view } = this;
    [this.last, this.chosen] = [place, null];
    this.go();
    if (words.filter(([act]) => act === "delete").length === view.get("meta").words.length) return view.announce("one word must stay");
    view.set({ words, panel: "off" });
    view.schedule();
  }

  /** Arrows go along the words; Delete, m, and Shift with an arrow change the word that has the keyboard; Escape shuts what is open. */
  walk(event) {
    const { buttons } = this, at = buttons.indexOf(event.target), { key } = event, step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (key === "Escape" && !missing(this.chosen)) this.choose(null);
    else if (at < 0 || chord(event)) return;
    else if (step && event.shiftKey) {
      const place = Number(event.target.dataset.place), other = besideWord(this.view.get("meta").words, place, step);
      if (other !== undefined) this.change("swap", place, other);
    } else if (step) buttons[clamp(at + step, buttons.length)].focus();
    else if (key === "Home" || key === "End") buttons.at(key === "Home" ? 0 : -1).focus();
    else if (key === "Delete" || key === "m") this.change(key === "m" ? "mask" : "delete", Number(event.target.dataset.place));
    else return;
    event.preventDefault();
  }
}

/** The layer, the heads and the options. */
class Controls extends Pane {
  build() {
    const { view } = this;
    const layers = Math.max(...view.kinds.map((kind) => kind.n_layers));
    this.layer = slider("Layer", { min: 0, max: layers - 1, step: 1, class: "view-layer" },
      (event) => view.set({ layer: Number(event.target.value) }));
    this.layerText = make("output", { class: "view-value" });
    this.overLayers = choice("Layers", [["one", "one layer"], ["mean", "mean of all layers"], ["max", "max of all layers"]],
      (event) => view.set({ over_layers: event.target.value }));
    this.overHeads = choice("Several heads", [["mean", "mean of heads"], ["max", "max of heads"]],
      (event) => view.set({ over_heads: event.target.value }));
    this.threshold = slider("Of each row keep at least", { min: 0, max: 1, step: 0.01, class: "att-threshold" },
      (event) => view.set({ threshold: Number(event.target.value) }));
    this.thresholdText = make("output", { class: "view-value" });
    this.coloursTo = slider("Colours up to", { min: 0.05, max: 1, step: 0.05, class: "att-threshold" },
      (event) => view.set({ colours_to: Number(event.target.value) }));
    this.coloursText = make("output", { class: "att-short" });
    this.strip = make("div", { class: "att-strip", role: "toolbar", "aria-label": "Heads", onkeydown: (event) => this.walkStrip(event),
      onfocusin: ({ target }) => oneStop([...this.buttons, this.all, ...this.switches], target) });
    const one = layers > 1 ? "" : "hidden", alone = view.kinds.every((kind) => kind.n_heads === 1) ? "hidden" : "";
    this.strip.classList.toggle("hidden", alone !== "");
    return controls(
      make("label", { class: `view-field ${one}` }, span("view-name", "Layer"), this.layer, this.layerText),
      this.strip,
      make("div", { class: `view-field ${one && alone}` }, make("span", { class: alone }, this.overHeads),
        make("span", { class: one }, this.overLayers)),
      field("Of each row keep at least", this.threshold, this.thresholdText),
      field("Colours up to", this.coloursTo, this.coloursText),
      this.buildOptions());
  }

  buildOptions() {
    const { view } = this;
    const options = [["hide_special", "hide special tokens"], ["renormalise", "renormalise the rest"], ["merge_words", "merge sub-words"],
      ["sqrt", "√ colours"], ["per_row", "colours per row"], ["predict", "predict"]];
    this.options = Object.fromEntries(options.map(([name, text]) => [name,
      make("input", { type: "checkbox", "aria-label": text, onchange: (event) => view.set({ [name]: event.target.checked }) })]));
    this.large = make("input", { type: "checkbox", "aria-label": "large cells",
      onchange: ({ target }) => { view.large = target.checked; view.schedule(); } });
    this.largeLabel = make("label", {}, this.large, "large cells");
    return make("div", { class: "view-options", role: "toolbar", "aria-label": "Options", onkeydown: (event) => this.walkOptions(event),
      onfocusin: ({ target }) => oneStop(this.boxes, target) },
      ...options.map(([name, text]) => make("label", {}, this.options[name], text)), this.largeLabel);
  }

  /** A button for each head, and below it the switch that takes the head out of the model. */
  buildStrip(kind) {
    const { view } = this;
    const shape = `${kind.name}:${kind.n_heads}`;
    if (this.stripShape === shape) return;
    this.stripShape = shape;
    const gesture = (head, how) => view.set({ heads: nextHeads(view.headsOf(view.kind), head, how, view.kind.n_heads) });
    this.buttons = Array.from({ length: kind.n_heads }, (_, head) => make("button", {
      type: "button", class: "att-head", "data-head": head, "aria-label": `Head ${head}`,
      title: "click: show or hide · double click: this one alone, again: all",
      onclick: () => gesture(head, "toggle"), ondblclick: () => gesture(head, "solo"),
    }, String(head)));
    this.switches = Array.from({ length: kind.n_heads }, (_, head) => make("button", {
      type: "button", role: "switch", class: "att-switch", "data-head": head, "aria-checked": "true",
      title: "take this head out of the model, and translate again",
      onclick: () => view.toggleOff(view.kind, view.layerOf(view.kind), head),
    }));
    this.all = make("button", { type: "button", class: "view-all", "aria-label": "All heads", onclick: () => gesture(0, "all") }, "all");
    const { model } = view.get("meta");
    const cells = this.buttons.map((button, head) => make("div", { class: "att-column" }, button, model ? this.switches[head] : null));
    const names = make("div", { class: "att-column att-names" }, make("span", { class: "view-name" }, "Heads"),
      model ? make("span", { class: "view-small" }, "in the model") : null);
    this.strip.replaceChildren(names, ...cells, make("div", { class: "att-column" }, this.all));
  }

  /** The strip is one stop for Tab: arrow keys go along the heads, and down to the switch of a head; s shows it alone, a all. */
  walkStrip(event) {
    const { view } = this, lines = [[...this.buttons, this.all], this.switches];
    const line = lines.find((nodes) => nodes.includes(event.target)) ?? [], at = line.indexOf(event.target), n = line.length;
    const to = { ArrowLeft: line[(at - 1 + n) % n], ArrowRight: line[(at + 1) % n], Home: line[0], End: line[n - 1],
      ArrowUp: lines[0][at], ArrowDown: lines[1][at] }[event.key];
    const show = { a: "all", s: at < this.switches.length && "solo" }[event.key];
    if (at < 0 || chord(event) || (!to && !show)) return;
    if (to) to.focus();
    else view.set({ heads: nextHeads(view.headsOf(view.kind), at, show, view.kind.n_heads) });
    event.preventDefault();
  }

  get boxes() {
    return [...Object.values(this.options), this.large].filter((box) => !box.disabled && !box.closest("[hidden]"));
  }

  walkOptions(event) {
    const { boxes } = this, step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || chord(event)) return;
    boxes.at((boxes.indexOf(event.target) + step) % boxes.length).focus();
    event.preventDefault();
  }

  wear(kind, layer, heads) {
    const { view } = this;
    this.buildStrip(kind);
    this.wearStrip(kind, layer, heads);
    this.layer.value = view.get("layer");
    this.layer.disabled = view.get("over_layers") !== "one";
    this.layer.setAttribute("aria-valuetext", `layer ${layer}`);
    say(this.layerText, this.layer.disabled ? "all" : `${layer} (0 to ${kind.n_layers - 1})`);
    this.threshold.value = view.get("threshold");
    say(this.thresholdText, `${Math.round(100 * view.get("threshold"))} % of the mass`);
    this.coloursTo.value = view.get("colours_to");
    this.coloursTo.disabled = view.get("per_row");
    say(this.coloursText, view.get("per_row") ? "max" : String(view.get("colours_to")));
    this.overLayers.value = view.get("over_layers");
    this.overHeads.value = view.get("over_heads");
    for (const [name, box] of Object.entries(this.options)) box.checked = view.get(name);
    const most = view.root.clientWidth < TIGHT ? MANY / 2 : MANY;   // on a phone every second name would be left out
    this.largeLabel.hidden = Math.max(...view.kinds.flatMap(({ queries, keys }) => [queries.length, keys.length])) <= most && !view.large;
    const pieces = (list) => list.some((word, i) => i > 0 && word === list[i - 1]);
    this.options.merge_words.disabled = !view.kinds.some((k) => pieces(k.query_words) || pieces(k.key_words));
    this.options.hide_special.disabled = !view.kinds.some((k) => [...k.special_keys, ...k.special_queries].some(Boolean));
    this.options.renormalise.disabled = !view.get("hide_special") || this.options.hide_special.disabled;
    oneStop(this.boxes);
  }

  wearStrip(kind, layer, heads) {
    const { view } = this;
    this.buttons.forEach((button, head) => {
      button.setAttribute("aria-pressed", heads.includes(head));
      button.style.setProperty("--att-head", view.colour(head));
      const gone = view.isOff(kind, layer, head);
      button.classList.toggle("att-gone", gone);
      this.switches[head].setAttribute("aria-checked", !gone);
      this.switches[head].disabled = !view.connected || view.get("over_layers") !== "one";
      this.switches[head].setAttribute("aria-label", `${evident(kind.title)}, layer ${layer}, head ${head} in the model`);
    });
    oneStop([...this.buttons, this.all, ...this.switches]);
  }
}

/** How a map is drawn around its cells: labels, axes, what is masked, what is in focus. */
class Picture {
  constructor(view) { this.view = view; }

  frameOf(ctx, width, height, kind) {
    const { rowNames, colNames } = this.view.grid(kind);
    ctx.font = `13px ${MONO}`;
    const widest = (names) => Math.max(...names.map((name) => ctx.measureText(name).width));
    const names = rowNames.map(({ reads, predicts }) => reads + (predicts === null ? "" : ` → ${predicts}`));
    const left = Math.min(widest(names) + 28, width * (kind.predicts ? 0.46 : 0.36)), top = Math.min(slantRoom(widest(colNames)) + 16, 124);
    const most = this.view.kinds.length > 1 ? 30 : 42;   // of a cell: a map alone fills its place
    const step = Math.min(most, (width - left) / colNames.length);   // slanted names may reach beyond the last column
    const beyond = colNames.map((name, c) => 0.7 * ctx.measureText(name).width - (colNames.length - 1.5 - c) * step);
    return mapLayout(width, height, rowNames.length, colNames.length, left, top, Math.min(Math.max(8, ...beyond), 70), 8, most);
  }

  /** The frame, the lines between cells, and what may not be looked at. */
  rule(ctx, layout, kind) {
    const { view } = this;
    const { left, top, cell } = layout, grid = view.grid(kind);
    ctx.fillStyle = view.look.line;
    ctx.globalAlpha = 0.55;
    grid.rows.forEach((row, r) => grid.cols.forEach((col, c) => {
      if (view.masked(kind, row, col)) ctx.fillRect(left + c * cell, top + r * cell, cell, cell);
    }));
    ctx.globalAlpha = 1;
    if (view.isHidden(kind, view.hiddenRow)) this.cover(ctx, layout, view.hiddenRow);
    paintGrid(ctx, layout, view.look.line);
  }

  /** A row that is to be predicted. */
  cover(ctx, { left, right, top, cell }, row) {
    const { look } = this.view;
    ctx.fillStyle = look.page;
    ctx.fillRect(left, top + row * cell, right - left, cell);
    label(ctx, "?", (left + right) / 2, top + (row + 0.5) * cell, `700 ${clamp(Math.round(cell), 15)}px ${SANS}`, look.query, "center");
  }

  labels(ctx, layout, kind) {
    const { view } = this;
    const { left, top, cell, bottom } = layout, { rowNames, colNames } = view.grid(kind), focus = view.focus(kind);
    const size = Math.min(13, Math.max(10, 0.94 * cell)), every = Math.ceil(11.5 / cell);   // small cells: only every n-th name
    const near = (i, places) => every > 1 && places.some((p) => p !== i && Math.abs(p - i) * cell < 11);
    const drawn = (i, places) => places.includes(i) || (i % every === 0 && !near(i, places));
    ctx.textAlign = "right";
    rowNames.forEach(({ reads, predicts }, r) => {
      if (!drawn(r, focus.rows)) return;
      const y = top + (r + 0.5) * cell, font = `${focus.rows.includes(r) ? "700 " : ""}${size}px ${MONO}`;
      ctx.font = font;
      const main = fitted(ctx, predicts ?? reads, predicts === null ? left - 24 : (left - 24) * 0.62), wide = ctx.measureText(main).width;
      ctx.fillStyle = view.look.query;
      ctx.fillText(main, left - 6, y);
      if (predicts === null) return;
      ctx.fillStyle = view.look.quiet;
      ctx.fillText(`${fitted(ctx, reads, left - 42 - wide)} →`, left - 10 - wide, y);
    });
    const names = colNames.map((name, c) => [drawn(c, focus.cols) ? name : "", view.look.key, focus.cols.includes(c)]);
    mapLabels(ctx, layout, [], names, 13, 24, every);
    this.axisNames(ctx, layout, kind, (top + bottom) / 2);
  }

  axisNames(ctx, { left, top, right }, kind, middle) {
    const { view } = this;
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = "center";
    ctx.fillStyle = view.look.key;
    ctx.fillText(`keys${kind.key_side ? `: ${kind.key_side}` : ""}`, (left + right) / 2, 8);
    ctx.save();
    ctx.translate(8, Math.max(middle, 70));
    ctx.rotate(-Math.PI / 2);
    ctx.fillStyle = view.look.query;
    ctx.fillText(`queries${kind.query_side ? `: ${kind.query_side}` : ""}`, 0, 0);
    ctx.restore();
    ctx.fillStyle = view.look.ink;
  }

  /** Frames around the row and the column in focus, and around the cell whose arithmetic is open. */
  marks(ctx, { left, top, right, bottom, cell }, kind) {
    const { view } = this;
    const focus = view.focus(kind), open = view.get("cell"), { rows, cols } = view.grid(kind);
    const frame = (x, y, w, h, colour, thick) => { ctx.strokeStyle = colour; ctx.lineWidth = thick; ctx.strokeRect(x, y, w, h); };
    const echo = view.echo(kind);
    ctx.globalAlpha = 0.5;
    for (const r of echo.rows) frame(left, top + r * cell, right - left, cell, view.look.query, 1.5);
    for (const c of echo.cols) frame(left + c * cell, top, cell, bottom - top, view.look.key, 1.5);
    ctx.globalAlpha = 1;
    for (const r of focus.rows) frame(left, top + r * cell, right - left, cell, view.look.query, 2);
    for (const c of focus.cols) frame(left + c * cell, top, cell, bottom - top, view.look.key, 2);
    for (const r of view.rowsHeld(kind)) frame(left - 2, top + r * cell - 1, right - left + 4, cell + 2, view.look.wrong, 1.5);
    const here = view.hover.kind === kind.name && view.hover.row >= 0 && view.hover.col >= 0;
    if (here) frame(left + view.hover.col * cell, top + view.hover.row * cell, cell, cell, view.look.ink, 2);
    const mine = open[0] === kind.name && view.sources(kind).some(([l, h]) => l === open[1] && h === open[2]);
    const r = mine ? rows.findIndex((row) => row.includes(open[3])) : -1, c = mine ? cols.findIndex((col) => col.includes(open[4])) : -1;
    if (r >= 0 && c >= 0) frame(left + c * cell + 1, top + r * cell + 1, cell - 2, cell - 2, view.look.wrong, 2);
  }
}

/** A heat map of each kind, and the scale of their colours. */
class Maps extends Pane {
  build() {
    const { kinds } = this.view;
    this.picture = new Picture(this.view);
    this.maps = Object.fromEntries(kinds.map((kind) => [kind.name, this.figure(kind, kinds.length > 1)]));
    this.legend = make("canvas", { class: "att-legend", role: "img", style: `height:${HEIGHT.legend}px` });
    return Object.values(this.maps).map(({ figure }) => figure);
  }

  figure({ name, title: text }, many) {
    const { view } = this;
    const kind = () => view.kinds.find((k) => k.name === name);   // of the sentence shown now
    const canvas = board({
      class: "att-heat", "data-kind": name, "aria-roledescription": "heat map", style: `height:${view.height.map}px`,
    }, {
      at: (x, y) => view.layouts[name] && hit(view.layouts[name], x, y),
      look: (place) => (place ? view.move(kind(), place.row, place.col) : view.move(null, -1, -1)),
      click: ({ row, col }) => {
        if (row >= 0 && col >= 0) view.open(kind(), row, col);
        else if (row >= 0) view.pin(kind(), "query", row);
        else if (col >= 0) view.pin(kind(), "key", col);
        else view.choose(kind());
      },
      key: (event) => view.walk(event, kind()),
    });
    const title = make("button", { type: "button", class: "att-kind", "data-kind": name, onclick: () => view.choose(kind()) }, text);
    const note = make("div", { class: "view-note" });
    return { canvas, title, note, figure: make("figure", { class: "view-map", "data-kind": name }, many ? title : null, note, canvas) };
  }

  wear(kind) {
    const { view } = this;
    const { title, note, figure, canvas } = this.maps[kind.name], chosen = kind === view.kind;
    title.setAttribute("aria-pressed", chosen);
    figure.classList.toggle("att-chosen", chosen && view.kinds.length > 1);
    const max = view.get("over_heads") === "max" && view.headsOf(kind).length > 1 || view.get("over_layers") === "max";
    const sums = view.rowsHeld(kind).length ? rowSums(view.map(kind, view.headsOf(kind), true), kind.keys.length) : kind.row_sums;
    const [low, high] = [Math.min(...sums), Math.max(...sums)].map((sum) => sum.toFixed(3));
    const hidden = view.get("hide_special") && kind.special_keys.some(Boolean), sum = low === high ? low : `${low}–${high}`;
    const left = view.rescales ? "renormalised" : `sum ${sum} with hidden`;
    const rows = max ? "rows of a maximum" : hidden ? left : `row sums ${sum}`;
    say(note, `rows: queries, columns: keys, ${rows}`);
    const { rowNames, colNames } = view.grid(kind), most = strongest(view.toldMap(kind), rowNames, colNames, view.isExact(kind));
    const summary = evident(`${kind.title}, ${view.shownInWords(kind)}, ${most}. Rows are queries, columns are keys. `
      + `Arrows walk, ${view.get("meta").small ? "" : `Enter opens a cell, ${view.get("meta").model ? "e sets its row, " : ""}`}`
      + "q pins the query, k the key");
    if (canvas.getAttribute("aria-label") !== summary) canvas.setAttribute("aria-label", summary);
  }

  /** Whether a single map has nothing beside it. */
  get alone() { return this.view.kinds.length === 1 && this.view.root.clientWidth <= NARROW; }

  /** How high a map as wide as its canvas is. */
  needs(kind, canvas, most) {
    return Math.ceil(this.picture.frameOf(canvas.getContext("2d"), canvas.clientWidth, most, kind).bottom) + 12;
  }

  paint(kind) {
    const { view } = this;
    const { canvas } = this.maps[kind.name], [n, m] = [view.grid(kind).rows.length, view.grid(kind).cols.length];
    const most = Math.max(view.height.map, (view.large ? LARGE : 1) * n + 130);   // a row is a pixel high at the least
    const tall = `${this.alone && !view.large ? Math.min(most, this.needs(kind, canvas, most)) : most}px`;
    if (canvas.style.height !== tall) canvas.style.height = tall;
    canvas.style.minWidth = view.large ? `${LARGE * m + 290}px` : "";
    const page = prepared(canvas);
    if (!page) return;
    const { ctx, width, height } = page, { rows, cols } = view.grid(kind), map = view.map(kind);
    const layout = view.layouts[kind.name] = this.picture.frameOf(ctx, width, height, kind);
    for (const side of ["left", "top", "cell", "rows", "cols"]) canvas.dataset[side] = layout[side];
    paintCells(ctx, view.levels(map, cols.length, view.keptOf(kind, map)), view.colours, layout);
    this.picture.rule(ctx, layout, kind);
    if (view.sources(kind).every((source) => view.isOff(kind, ...source))) {
      hatch(ctx, layout.left, layout.top, layout.right - layout.left, layout.bottom - layout.top, view.look.wrong);
    }
    this.picture.labels(ctx, layout, kind);
    this.picture.marks(ctx, layout, kind);
  }

  paintLegend() {
    const { view } = this;
    const page = prepared(this.legend);
    if (!page) return;
    const { ctx, width } = page, bar = Math.min(200, width - 80), left = 6, place = view.get("sqrt") ? Math.sqrt : (share) => share;
    for (let x = 0; x < bar; x++) {
      const at = 6 * Math.round(255 * x / (bar - 1));
      ctx.fillStyle = `#${view.look.weights.slice(at, at + 6)}`;
      ctx.fillRect(left + x, 2, 1, 10);
    }
    ctx.strokeStyle = view.look.line;
    ctx.strokeRect(left - 0.5, 1.5, bar + 1, 11);
    ctx.fillStyle = view.look.quiet;
    ctx.font = `13px ${SANS}`;
    ctx.textAlign = "center";
    const most = view.get("colours_to"), ticks = view.get("per_row") ? [0, 1] : [0, 0.25, 0.5, 0.75, 1];
    const end = view.get("per_row") ? "max" : most === 1 ? "1" : `≥ ${most}`;
    const text = (tick) => (tick === 1 ? end : String(Number((tick * most).toPrecision(3))));
    for (const tick of ticks) ctx.fillText(text(tick), left + bar * place(tick), 22);
    if (view.kinds.some((kind) => kind.allowed)) {
      ctx.fillText("masked", left + bar + 46, 22);
      ctx.globalAlpha = 0.55;
      ctx.fillStyle = view.look.line;
      ctx.fillRect(left + bar + 40, 2, 11, 11);
      ctx.globalAlpha = 1;
    }
    const how = view.get("sqrt") ? ", by square root" : "";
    const top = view.get("per_row") ? "each row's largest" : most === 1 ? "1" : `${most} and more`;
    this.legend.setAttribute("aria-label", `Colour scale of weights, from 0 (the page's colour) to ${top}${how}`);
  }
}

/** The line of numbers: the cell or the tokens in focus, which heads, and where the mass is. */
class Readout extends Pane {
  build() {
    return make("div", { class: "att-readout" }, make("div", { class: "view-cell" }), make("div", { class: "att-mass" }),
      make("div", { class: "att-still", hidden: true }));
  }

  /** The line of numbers: the cell or the tokens in focus, which heads, and where the mass is. */
  wear(chosen) {
    const { view } = this;
    const kind = view.kinds.find((k) => k.name === view.hover.kind) ?? chosen, focus = view.focus(kind), { row, col } = view.hover;
    view.ask(kind);
    const map = view.map(kind);
    const parts = view.hover.kind && row >= 0 && col >= 0 ? this.cellInWords(kind, map, row, col)
      : focus.rows.length || focus.cols.length ? this.focusInWords(kind, map, focus)
        : view.thumb ? this.headInWords(kind, ...view.thumb)
          : [span("view-hint", view.get("meta").small ? "Point at a cell or a token. Click a token to pin it."
            : "Point at a cell or a token. Click a cell for its arithmetic, a token to pin it.")];
    const [first, second, third] = this.node.children, still = view.stillInWords();
    third.hidden = !still;
    say(third, still);
    if (first.textContent !== evident(parts.map((part) => part.textContent ?? part).join(""))) refill(first, ...parts);
    say(second, [view.shownInWords(kind), ...this.massInWords(kind, focus, map)].join(" · "));
    for (const line of [first, second]) if (line.title !== line.textContent) line.title = line.textContent;   // where it is cut
  }

  cellInWords(kind, map, row, col) {
    const { view } = this;
    const { rowNames, colNames, rows, cols } = view.grid(kind), { reads, predicts } = rowNames[row], exact = view.isExact(kind);
    const key = span("view-k", colNames[col]);
    if (view.isHidden(kind, row)) return ["query ", span("view-q", reads), ", key ", key, ": is it here that the row looks most?"];
    if (view.masked(kind, rows[row], cols[col])) return ["query ", span("view-q", reads), ", key ", key, `, ${MASKED}`];
    const values = map.slice(row * cols.length, (row + 1) * cols.length), weight = values[col];
    return ["query ", span("view-q", reads), ...(predicts === null ? [] : [" (predicts ", span("view-q", predicts), ")"]),
      " reads key ", key, " with ", make("b", {}, written(weight, exact)),
      exact ? span("att-full", ` (${weight.toPrecision(8)})`) : "", `, rank ${rank(values, col)} of ${cols.length}`];
  }

  focusInWords(kind, map, { rows, cols, pinned }) {
    const { rowNames, colNames } = this.view.grid(kind), exact = this.view.isExact(kind);
    const received = (c) => written(rowNames.reduce((sum, _, r) => sum + map[r * colNames.length + c], 0), exact);
    const several = [rows.length > 1 && "queries", cols.length > 1 && "keys"].filter(Boolean).join(" and ");
    const said = (predicts) => (predicts === null ? " " : ` → ${predicts} `);
    return [pinned ? `pinned${several ? `, the bars add up the ${several}` : ""}: ` : "",
      ...rows.flatMap((r) => ["query ", span("view-q", rowNames[r].reads), said(rowNames[r].predicts)]),
      ...cols.flatMap((c) => ["key ", span("view-k", colNames[c]), ` receives ${received(c)} in all. `])];
  }

  /** What was computed of a head whose thumbnail is pointed at. */
  headInWords(kind, layer, head) {
    const facts = this.view.get("facts").rows?.find((row) => row.kind === kind.name && row.layer === layer && row.head === head);
    const said = ["entropy", "confidence", "distance", "alignment", "sink"].filter((name) => typeof facts?.[name] === "number");
    const numbers = said.map((name) => ` · ${name} ${written(facts[name])}`);
    return [make("b", {}, `layer ${layer}, head ${head}`), facts?.role ? `: ${facts.role}` : "", ...numbers];
  }

  /** Row sums, the mass on hidden tokens and the mass kept: always said, so that no option hides data unseen. */
  massInWords(kind, focus, map) {
    const { view } = this;
    const { rows, cols } = view.grid(kind), n = kind.keys.length;
    const asked = focus.rows.some((r) => view.isHidden(kind, r)), chosen = focus.rows.length && !asked ? focus.rows : rows.map((_, r) => r);
    const whole = view.map(kind, view.headsOf(kind), true), exact = view.isExact(kind);   // over all keys, hidden ones too
    const inRow = (r, wanted) => kind.special_keys.reduce((sum, special, j) => sum + (wanted(special) ? whole[r * n + j] : 0), 0);
    const mass = (wanted) => chosen.reduce((sum, r) => sum + inRow(r, wanted), 0);
    const total = mass(() => true), mean = total / chosen.length, said = [];
    said.push(`${chosen.length === 1 ? "row sum" : "mean row sum"} ${exact ? mean.toFixed(3) : `≈${mean.toFixed(2)}`}`);
    if (kind.special_keys.some(Boolean)) {
      const special = mass((is) => is), what = chosen.length === 1 ? "of this row" : "of a row, on average";
      if (total > 0) said.push(`${Math.round(100 * special / total)} % of it on special tokens`);
      if (view.get("hide_special")) {
        said.push(`hidden: ${written(special / chosen.length, exact)} ${what}${view.rescales ? ", shared out to the rest" : ""}`);
      }
    }
    if (view.get("threshold") < 1) {
      const mask = view.keptOf(kind, map), links = mask.reduce((sum, m) => sum + m, 0), seen = map.reduce((sum, w) => sum + w, 0);
      const held = map.reduce((sum, w, i) => sum + (mask[i] ? w : 0), 0);
      const open = rows.reduce((sum, row) => sum + cols.filter((col) => !view.masked(kind, row, col)).length, 0);
      said.push(`${links} of ${open} links kept, with ${Math.round(100 * held / (seen || 1))} % of the mass`);
    }
    return said;
  }
}

/** Queries and keys joined by lines, and each head's share as bars beside them. */
class Lines extends Pane {
  build() {
    const { view } = this;
    this.lines = board({
      class: "att-lines", "aria-roledescription": "line view",
      "aria-label": "Queries and keys joined by lines. Up and down walk the queries, with Shift the keys; Enter pins",
    }, {
      at: (x, y) => {
        const { step, top, middle } = this.lineLayout, { rows, cols } = view.grid(view.kind), left = x < middle;
        const n = Math.floor((y - top) / step), place = n >= 0 && n < (left ? rows : cols).length ? n : -1;
        return left ? { row: place, col: -1 } : { row: -1, col: place };
      },
      look: (place) => (place ? view.move(view.kind, place.row, place.col) : view.move(null, -1, -1)),
      click: (place) => this.pinPlace(place),
      key: (event) => this.walkLines(event),
    });
    this.linesTitle = make("div", { class: "view-caption" });
    return make("section", { class: "att-links", "aria-label": "Lines" }, this.linesTitle,
      make("div", { class: "att-scroll", style: `height:${view.height.lines}px` }, this.lines));
  }

  pinPlace({ row, col }) {
    const { view } = this;
    if (row >= 0) view.pin(view.kind, "query", row);
    if (col >= 0) view.pin(view.kind, "key", col);
  }

  walkLines(event) {
    const { view } = this;
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key], { kind } = view, { rows, cols, rowNames, colNames } = view.grid(kind);
    const { row, col } = view.hover, keys = event.shiftKey;
    if (step) {
      const place = clamp((keys ? col : row) + step, (keys ? cols : rows).length);
      view.move(kind, keys ? -1 : place, keys ? place : -1);
      this.announceLinks(kind, keys ? "key" : "query", place, keys ? colNames[place] : rowNames[place].reads);
    } else if (event.key === "Enter" || event.key === " ") this.pinPlace({ row, col });
    else if (event.key === "Escape") view.letGo();
    else return false;
    return true;
  }

  announceLinks(kind, side, place, name) {
    const { view } = this;
    const { rows, cols, rowNames, colNames } = view.grid(kind), map = view.map(kind);
    if (side === "query" && view.isHidden(kind, place)) return view.announce(`query '${name}': predict where it looks`);
    const others = side === "query" ? cols.map((_, c) => [colNames[c], map[place * cols.length + c]])
      : rows.map((_, r) => [rowNames[r].reads, map[r * cols.length + place]]).filter((_, r) => !view.isHidden(kind, r));
    const top = others.sort((a, b) => b[1] - a[1]).slice(0, 3).map(([other, w]) => `'${other}' ${written(w, view.isExact(kind))}`);
    view.announce(`${side} '${name}': ${top.join(", ")}`);
  }

  /** Two columns of tokens joined by lines; beside the tokens opposite to the focus, a bar for each head. */
  paint() {
    const { view } = this;
    const { kind } = view, { rows, cols } = view.grid(kind), n = Math.max(rows.length, cols.length), heads = view.headsOf(kind);
    const high = view.height.lines, step = Math.min(24, Math.max(13, (high - 34) / n));
    const tall = `${Math.max(high - 4, Math.ceil(n * step + 34))}px`;
    if (this.lines.style.height !== tall) this.lines.style.height = tall;
    const page = prepared(this.lines);
    if (!page) return;
    const { ctx, width } = page, { x0, x1 } = this.ends(ctx, kind, step, width);
    const layout = { step, top: 26, x0, x1, middle: (x0 + x1) / 2, width };
    this.lineLayout = layout;
    const focus = view.focus(kind), some = focus.rows.length + focus.cols.length > 0, layers = view.get("over_layers");
    const maps = heads.map((head) => reduced(view.sources(kind, [head]).map(([l]) => view.head(kind, l, head)), layers));
    const least = layout.least = leastDrawn(maps);
    maps.forEach((map, i) => this.links(ctx, layout, kind, map, view.keptOf(kind, map), view.colour(heads[i]), focus, some));
    this.columns(ctx, layout, kind, focus);
    if (focus.rows.length) this.bars(ctx, layout, kind, heads, focus.rows, true);
    if (focus.cols.length && width >= TIGHT) this.bars(ctx, layout, kind, heads, focus.cols, false);
    const who = heads.length === 1 ? `head ${heads[0]}` : `${heads.length} heads, each in its colour`;
    const layer = layers === "one" ? `layer ${view.layerOf(kind)}` : `${layers} of layers`;
    say(this.linesTitle,
      `${kind.title}, ${layer}, ${who}. The stronger a line the larger its weight; under `
        + `${least === LEAST ? LEAST : `${least.toFixed(3)}, for there are many,`} none is drawn.`);
  }

  /** Where the queries end and the keys begin: as near to the edges as the longest of them lets them; a phone has no bars on the left. */
  ends(ctx, kind, step, width) {
    ctx.font = `700 ${Math.min(13, step - 1)}px ${MONO}`;
    const { rowNames, colNames } = this.view.grid(kind), longest = (names) => Math.max(...names.map((name) => ctx.measureText(name).width));
    const queries = longest(rowNames.map(({ reads, predicts }) => (predicts === null ? reads : `${reads} → ${predicts}`)));
    const most = width * (kind.predicts ? 0.47 : 0.34);
    if (width >= TIGHT) return { x0: Math.min(most, Math.max(96, queries + 92)), x1: width * 0.66 };
    return { x0: Math.min(most, Math.max(64, queries + 8)), x1: Math.max(width * 0.5, width - BARS - 4 - longest(colNames)) };
  }

  links(ctx, { step, top, x0, x1, least }, kind, map, mask, colour, focus, some) {
    const { rows, cols } = this.view.grid(kind), bend = (x1 - x0) * 0.4, hidden = this.view.hiddenRow;
    ctx.strokeStyle = colour;
    for (let r = 0; r < rows.length; r++) for (let c = 0; c < cols.length && r !== hidden; c++) {
      const weight = map[r * cols.length + c];
      if (weight < least || !mask[r * cols.length + c]) continue;
      const lit = !some || focus.rows.includes(r) || focus.cols.includes(c);
      if (!lit && weight < 0.15) continue;
      ctx.globalAlpha = lit ? strength(weight) : 0.06;
      ctx.lineWidth = !lit ? 1 : some ? 1 + 5 * weight : 0.8 + 3 * weight;
      const [y0, y1] = [top + (r + 0.5) * step, top + (c + 0.5) * step];
      ctx.beginPath();
      ctx.moveTo(x0 + 4, y0);
      ctx.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }

  columns(ctx, { step, top, x0, x1, width }, kind, focus) {
    const { view } = this, [edge, room] = width < TIGHT ? [4, width - BARS - x1] : [88, 0.3 * x1];
    const { rowNames, colNames } = view.grid(kind), size = Math.min(13, step - 1);
    const write = (text, x, y, align, colour, bold, room) => {
      ctx.font = `${bold ? "700 " : ""}${size}px ${MONO}`;
      ctx.textAlign = align;
      ctx.fillStyle = colour;
      const shown = fitted(ctx, text, room);
      ctx.fillText(shown, x, y);
      return ctx.measureText(shown).width;
    };
    rowNames.forEach(({ reads, predicts }, r) => {
      const y = top + (r + 0.5) * step, room = (x0 - edge) * (predicts === null ? 1 : 0.62);
      const wide = write(predicts ?? reads, x0, y, "right", view.look.query, focus.rows.includes(r), room);
      if (predicts === null) return;
      write("→", x0 - wide - 4, y, "right", view.look.quiet, false, 20);
      write(reads, x0 - wide - 17, y, "right", view.look.quiet, false, x0 - edge - 17 - wide);
    });
    colNames.forEach((name, c) => write(name, x1, top + (c + 0.5) * step, "left", view.look.key, focus.cols.includes(c), room));
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = "right";
    ctx.fillStyle = view.look.query;
    const heading = kind.predicts ? "queries: reads → predicts" : "queries";
    ctx.fillText(ctx.measureText(heading).width < x0 ? heading : "queries", x0, 12);
    ctx.textAlign = "left";
    ctx.fillStyle = view.look.key;
    ctx.fillText("keys", x1, 12);
  }

  /** Beside every token opposite to the queries (or keys) in focus: each head's weight as a bar, and their number in figures. */
  bars(ctx, { step, top, width }, kind, heads, among, byQuery) {
    const { view } = this;
    const { rows, cols } = view.grid(kind), exact = view.isExact(kind), whole = view.map(kind), hidden = view.hiddenRow;
    if (byQuery && among.includes(hidden)) return;
    const at = (i, place) => (byQuery ? i * cols.length + place : place * cols.length + i);
    const sum = (map, place) => among.reduce((total, i) => total + map[at(i, place)], 0);
    const room = byQuery ? 48 : 32, slot = room / heads.length, start = byQuery ? width - room - 50 : 54, most = among.length;
    const perHead = heads.map((head) => view.map(kind, [head]));
    ctx.font = `13px ${SANS}`;
    for (let place = 0; place < (byQuery ? cols : rows).length; place++) {
      const y = top + place * step, tall = step - 4;
      if (!byQuery && place === hidden) continue;
      heads.forEach((head, n) => {
        const share = Math.min(sum(perHead[n], place) / most, 1);
        ctx.fillStyle = view.colour(head);
        if (heads.length === 1) ctx.fillRect(byQuery ? start : start + room * (1 - share), y + step / 2 - 3, room * share, 6);
        else ctx.fillRect(start + n * slot, y + 2 + tall * (1 - share), slot - 1.5, tall * share);
      });
      const total = sum(whole, place);
      ctx.fillStyle = total >= 0.1 ? view.look.ink : view.look.quiet;
      ctx.textAlign = "right";
      if (total >= 0.005) ctx.fillText(written(total, exact), byQuery ? width - 4 : 50, y + step / 2);
    }
  }
}

/** Every head as a thumbnail. */
class ThumbsPane extends Side {
  build() {
    const { view } = this;
    const look = (place) => { if (String(view.thumb) !== String(place)) { view.thumb = place; view.schedule(); } };
    const go = ([layer, head]) => view.set({ layer, heads: [head], over_layers: "one" });
    this.thumbs = board({
      class: "att-thumbs", "aria-roledescription": "grid of heads", style: `height:${view.height.pane - 8}px`,
      "aria-label": "All layers and heads as thumbnails. Arrows walk, Enter shows that head",
    }, {
      at: (x, y) => {
        const { left, top, dx, dy } = this.thumbLayout, head = Math.floor((x - left) / dx), layer = Math.floor((y - top) / dy);
        return head >= 0 && layer >= 0 && head < view.kind.n_heads && layer < view.kind.n_layers ? [layer, head] : null;
      },
      look,
      click: go,
      key: (event) => {
        const step = STEPS[event.key], [layer, head] = view.thumb ?? [view.layerOf(view.kind), view.headsOf(view.kind)[0]];
        if (event.key === "Enter" || event.key === " ") { go([layer, head]); return true; }
        if (!step) return false;
        look([clamp(layer + step[0], view.kind.n_layers), clamp(head + step[1], view.kind.n_heads)]);
        view.announce(`layer ${view.thumb[0]}, head ${view.thumb[1]}`);
        return true;
      },
    });
    return [this.thumbs];
  }

  /** The pieces of a row that is to be predicted. */
  cover(ctx, places, x, y, wide, tall) {
    ctx.fillStyle = this.view.look.page;
    for (const place of places) ctx.fillRect(x, y + place * tall - 0.5, wide, tall + 1);
  }

  /** Every head of the kind as one picture, made anew only when weights, kind or colours change. */
  atlas(kind) {
    const { view } = this;
    const name = [kind.name, view.get("sqrt"), view.get("per_row"), view.get("colours_to")].join(":");
    if (!view.atlases.has(name)) {
      const [T, S] = [kind.queries.length, kind.keys.length], picture = document.createElement("canvas");
      [picture.width, picture.height] = [S * kind.n_heads, T * kind.n_layers];
      const image = new ImageData(picture.width, picture.height), pixels = new Uint32Array(image.data.buffer);
      for (let layer = 0; layer < kind.n_layers; layer++) for (let head = 0; head < kind.n_heads; head++) {
        const numbers = view.levels(view.standing(kind, layer, head), S, null);
        const at = (i) => (layer * T + Math.floor(i / S)) * picture.width + head * S + (i % S);
        numbers.forEach((number, i) => { pixels[at(i)] = view.colours[number]; });
      }
      picture.getContext("2d").putImageData(image, 0, 0);
      view.atlases.set(name, picture);
    }
    return view.atlases.get(name);
  }

  paint() {
    const { view } = this;
    const page = prepared(this.thumbs);
    if (!page) return;
    const { ctx, width, height } = page, { kind } = view, picture = this.atlas(kind), [T, S] = [kind.queries.length, kind.keys.length];
    const left = 54, top = 22, gap = 6, dy = Math.min((height - top) / kind.n_layers, 120);
    const dx = Math.min((width - left) / kind.n_heads, (dy - gap) * Math.max(S / T, 0.7) + gap);
    this.thumbLayout = { left, top, dx, dy };
    Object.assign(this.thumbs.dataset, this.thumbLayout);
    const [w, h] = [Math.min(dx - gap, (dy - gap) * S / T), Math.min(dy - gap, (dx - gap) * Math.max(T / S, 0.6))];
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = view.look.quiet;
    ctx.textAlign = "center";
    for (let head = 0; head < kind.n_heads; head++) ctx.fillText(head ? String(head) : "head 0", left + head * dx + w / 2, 10);
    ctx.textAlign = "right";
    for (let layer = 0; layer < kind.n_layers; layer++) {
      ctx.fillText(layer ? String(layer) : "layer 0", left - 7, top + layer * dy + h / 2);
    }
    const active = new Set(view.sources(kind).map(String));
    ctx.imageSmoothingEnabled = w < S || h < T;
    for (let layer = 0; layer < kind.n_layers; layer++) for (let head = 0; head < kind.n_heads; head++) {
      const [x, y, name] = [left + head * dx, top + layer * dy, `${layer},${head}`];
      ctx.drawImage(picture, head * S, layer * T, S, T, x, y, w, h);
      if (view.hiddenRow >= 0) this.cover(ctx, view.grid(kind).rows[view.hiddenRow], x, y, w, h / T);
      if (view.isOff(kind, layer, head)) hatch(ctx, x, y, w, h, view.look.wrong, 5);
      ctx.strokeStyle = view.look.wrong;
      ctx.lineWidth = 1;
      for (const query of view.queriesHeld(kind, layer, head).filter((query) => query < T)) {
        ctx.strokeRect(x - 1.5, y + query * h / T - 0.5, w + 3, h / T + 1);
      }
      const looked = String(view.thumb) === name;
      ctx.strokeStyle = looked ? view.look.ink : active.has(name) ? view.colour(head) : view.look.line;
      ctx.lineWidth = looked || active.has(name) ? 2.5 : 1;
      ctx.strokeRect(x - 0.5, y - 0.5, w + 1, h + 1);
    }
  }
}

/** The arithmetic of one cell. */
class CellPane extends Side {
  address(kind, layer, head, row, col) {
    if (kind.address.includes("{layer}")) return `trace["${kind.address.replace("{layer}", layer)}"][0, ${head}, ${row}, ${col}]`;
    return `${kind.address}[${[...kind.index.map((axis) => ({ layer, head })[axis]), row, col].join(", ")}]`;
  }

  wear() {
    const { view } = this;
    const [name, layer, head, i, j] = view.get("cell"), kind = view.kinds.find((k) => k.name === name), reply = view.arithmetic;
    const valid = kind && layer < kind.n_layers && head < kind.n_heads && i < kind.queries.length && j < kind.keys.length;
    const asked = valid && view.hiddenRow >= 0 && view.isHidden(kind, view.grid(kind).rows.findIndex((row) => row.includes(i)));
    view.fill(this.node, [view.get("cell"), reply && (reply.error ?? true), valid, view.connected, asked], () => {
      if (asked) return [hint("This row is to be predicted first.")];
      if (!valid) return [hint("Click a cell of a map, or press Enter on it: its arithmetic appears here.")];
      const address = this.address(kind, layer, head, i, j);
      const weight = headMap(kind.bytes, kind, layer, head)[i * kind.keys.length + j];
      const [query, key] = [span("view-q", visible(kind.queries[i])), span("view-k", visible(kind.keys[j]))];
      const top = make("p", {}, span("view-small", `${kind.title}, layer ${layer}, head ${head}. `), "query ", query, ", key ", key, ": ",
        make("b", {}, reply ? written(reply.weight) : written(weight, false)), " ", view.get("meta").model && view.connected
          ? chip("change this row", () => view.editRow(kind, i, layer, head), { "data-key": "change this row" }) : "");
      const where = make("p", { class: "att-where" }, make("code", { class: "view-address" }, address),
        copier("Copy the address", address));
      if (reply?.q) return [top, where, ...steps(kind, reply, i, j, view.root.clientWidth < TIGHT ? 4 : 8)];
      const missing = !view.connected ? "The arithmetic needs the model: open the notebook and run it." : !reply ? "asking the model …"
        : reply.error ?? "These weights came without q and k; explore_attention shows a model's own arithmetic.";
      return [top, where, hint(missing)];
    });
  }
}

/** What the model says without some heads, with words changed, or with rows held. */
class OffPane extends Side {
  wear() {
    const { view } = this;
    const [off, changes, held] = ["off", "words", "held"].map((name) => view.get(name));
    const result = view.get("ablation"), alone = !view.connected, some = off.length + changes.length + held.length > 0;
    const needs = hint("To change the model or the sentence needs the model: open the notebook and run it.");
    view.fill(this.node, [off, changes, held, result, alone], () => {
      if (!some && alone) return [needs];
      if (!some) return [hint("The switch under a head takes it out of the model; a word of the sentence above can be replaced, deleted, "
        + "masked or swapped where it stands; a row of weights can be set behind “Edit a row”. The model then translates again: what "
        + "changed stands here.")];
      const rows = [this.heads(off), this.changes(changes), this.held(held, result)].filter(Boolean);
      for (const row of rows) for (const button of row.children) button.disabled = alone;
      if (!view.isAnswered) return [...rows, alone ? needs : hint("translating …")];
      const [first] = view.get("meta").first ?? [], how = off.length ? "with all heads" : "with its own weights";
      const before = changes.length ? `as typed: ${first}` : how;
      const now = changes.length || held.length ? "as it stands" : "without these heads";
      return [...rows, ...retold(result, before, now), alone ? needs : null];
    });
  }

  /** The heads that are off, each to be switched on. */
  heads(off) {
    const { view } = this, title = (name) => view.kinds.find((k) => k.name === name)?.title ?? name;
    const chips = off.map(([k, l, h], n) => chip(`${title(k)} ${l}.${h} ×`,
      () => view.set({ off: off.filter((_, other) => other !== n) }), called(`${title(k)}, layer ${l}, head ${h}: on again`)));
    const all = chip("all on again", () => view.set({ off: [] }), called("All heads on again", "att-restore"));
    return off.length ? make("p", { class: "view-chips" }, "off: ", ...chips, all) : null;
  }

  /** The words that are changed, each to be taken back. */
  changes(changes) {
    const { view } = this, { words: standing } = view.get("meta");
    const chips = changes.map((change, n) => {
      const said = changeInWords(change, standing);
      return chip(`${said} ×`, () => view.set({ words: changes.filter((_, other) => other !== n) }), called(`${said}: take back`));
    });
    const all = chip("all as typed", () => view.set({ words: [] }), called("All words as typed", "att-restore"));
    return changes.length ? make("p", { class: "view-chips" }, "words: ", ...chips, all) : null;
  }

  /** The rows that are held, each to be let go; of those that do nothing, why. */
  held(held, { idle = [] }) {
    const { view } = this;
    const chips = held.flatMap((row, n) => {
      const said = view.rowInWords(row), why = view.isAnswered && idle.includes(n);
      return [chip(`${said} ×`, () => view.set({ held: held.filter((_, other) => other !== n) }), called(`${said}: as it was`)),
        why ? span("view-quiet", idleInWords(row, view.kinds.find(({ name }) => name === row[0]))) : null];
    });
    const all = chip("all as they were", () => view.set({ held: [] }), called("All rows as they were", "att-restore"));
    return held.length ? make("p", { class: "view-chips" }, "rows: ", ...chips, all) : null;
  }
}

const STEP = 0.05;   // of an arrow key

/** One row of weights, to be set key by key: the model reads so, and translates again. */
class RowPane extends Side {
  scope = "head";   // whose row is set: the head's, the layer's or all
  shares = true;    // whether the other keys have what is left

  build() {
    const { view } = this, toggle = ({ target }) => { this.shares = target.checked; if (this.shares) this.share(); view.schedule(); };
    this.query = choice("Query of the row", [], ({ target }) => view.set({ pin: [["query", Number(target.value)]] }));
    this.heads = choice("Heads whose row is set", [], ({ target }) => { this.scope = target.value; view.schedule(); });
    this.box = make("input", { type: "checkbox", "aria-label": "the others share the rest", checked: true, onchange: toggle });
    this.back = chip("as it was", () => this.lay(null), called("This row as it was", "att-restore"));
    this.editor = make("div", { class: "att-weights", role: "group", onkeydown: (event) => this.walk(event),
      onfocusin: ({ target }) => [this.sliders, this.numbers].forEach((line) => oneStop(line, line[target.dataset.place])) });
    [this.about, this.result] = [make("p", { class: "view-small" }), make("div", { class: "att-told" })];
    [this.sliders, this.numbers, this.was] = [[], [], []];
    return [make("p", { class: "att-row" }, make("label", {}, "query ", this.query), make("label", {}, "of ", this.heads),
      make("label", {}, this.box, " the others share the rest"), this.back), this.about, this.editor, this.result];
  }

  /** [kind, layer, head, query], −1 for all: the query that is pinned, else that of the cell that is open. */
  place(kind) {
    const { view, scope } = this, [name, , , row] = view.get("cell"), pinned = view.get("pin").find(([side]) => side === "query")?.[1];
    const query = clamp(pinned ?? (name === kind.name ? row : 0), kind.queries.length);
    return [kind.name, scope === "all" ? -1 : view.layerOf(kind), scope === "head" ? view.headsOf(kind)[0] : -1, query];
  }

  /** The same for each layer. */
  places(kind, [name, layer, ...rest]) {
    return layer < 0 ? Array.from({ length: kind.n_layers }, (_, l) => [name, l, ...rest]) : [[name, layer, ...rest]];
  }

  /** What the model made of the row; of several heads their mean. */
  recorded(kind, place) {
    const { view } = this, n = kind.keys.length, [, , head, query] = place, all = Array.from({ length: kind.n_heads }, (_, h) => h);
    const sources = this.places(kind, place).flatMap(([, layer]) => (head < 0 ? all : [head]).map((h) => [layer, h]));
    view.ask(kind, sources);
    const row = [...reduced(sources.map(([layer, h]) => view.raw(kind, layer, h).subarray(query * n, (query + 1) * n)), "mean")];
    return kind.name === "decoder" ? row.slice(0, query + 1) : row;
  }

  /** The row held there, the last that is set for these heads, alike in each layer; null where there is none. */
  held(kind, place) {
    const rows = this.places(kind, place).map((each) => this.heldIn(kind, each, (head) => head === each[2] || head < 0));
    return rows.every((row) => row && String(row[4]) === String(rows[0][4])) ? rows[0] : null;
  }

  /** The last row held in a layer, for one of the heads that are fit. */
  heldIn(kind, [, layer, , query], fits) {
    return this.view.heldRows(kind).filter(([, l, head, q]) => l === layer && q === query && fits(head)).at(-1) ?? null;
  }

  /** A row held for some of these heads, or layers, alone. */
  heldInPart(kind, place) { return this.places(kind, place).map((each) => this.heldIn(kind, each, (head) => each[2] < 0)).find(Boolean); }

  /** The row as it is set, while a slider moves as far as that; else as it is held, or as the model made it. */
  weights(kind, place) {
    const moved = this.moved && String(this.moved[0]) === String(place) && this.moved[1];
    return moved || (this.held(kind, place)?.[4] ?? this.recorded(kind, place));
  }

  wear(kind) {
    const { view } = this, place = this.place(kind), recorded = this.recorded(kind, place);
    const held = view.get("held"), now = JSON.stringify([held, place]);
    if (this.now !== now) [this.now, this.moved] = [now, null];
    this.wearChoices(kind, place[3]);
    this.buildRows(kind, place, recorded.length);
    const weights = this.weights(kind, place), sum = weights.reduce((a, b) => a + b, 0);
    weights.forEach((weight, j) => {
      this.sliders[j].value = weight;
      this.sliders[j].setAttribute("aria-valuetext", written(weight));
      if (this.numbers[j] !== view.cursor) this.numbers[j].value = Number(weight.toFixed(3));
      say(this.was[j], `was ${recorded[j].toFixed(3)}`);
    });
    const row = this.held(kind, place), set = row && row[2] === place[2], whole = Math.abs(sum - 1) < 5e-4;
    this.editor.hidden = view.isHidden(kind, view.grid(kind).rows.findIndex((row) => row.includes(place[3])));
    if (this.editor.hidden) return say(this.about, "Predict first where this row looks, in the map: then its weights can be set.");
    this.back.disabled = !set || !view.connected;
    const other = set ? null : row ?? this.heldInPart(kind, place);
    const state = other ? `set${row ? "" : " in part"} by another choice of heads: ${view.rowInWords(other)}`
      : !set ? "as the model makes it" : `held, ${whole ? "" : "not "}renormalised: it sums to ${sum.toFixed(3)}`;
    say(this.about, `${evident(kind.title)}. The row is ${state}. Drag, or ←→ change a weight, ↑↓ go to the next key; or type a number.`);
    this.wearResult(held);
  }

  wearChoices(kind, query) {
    const { view } = this, names = kind.queries.map((name, i) => visible(name) + (kind.predicts ? ` → ${visible(kind.predicts[i])}` : ""));
    const first = view.headsOf(kind)[0], layer = view.layerOf(kind), option = (value, text) => make("option", { value }, text);
    const scopes = [["head", `head ${first} of layer ${layer}`], ["layer", `all heads of layer ${layer}`],
      ["all", "all heads of all layers"]];
    view.fill(this.query, [names], () => names.map((name, i) => option(i, name)));
    view.fill(this.heads, [scopes], () => scopes.map((scope) => option(...scope)));
    [this.query.value, this.heads.value, this.box.checked] = [query, this.scope, this.shares];
  }

  /** A slider and a number for each key that the query may read. */
  buildRows(kind, place, n) {
    const { view } = this;
    view.fill(this.editor, [place, n, kind.keys, kind.masked, view.connected], () => {
      this.editor.setAttribute("aria-label", `The weights of query “${visible(kind.queries[place[3]])}”`);
      const rows = kind.keys.slice(0, n).map((token, j) => {
        const key = visible(token), disabled = !view.connected || (kind.name !== "decoder" && Boolean(kind.masked?.includes(j)));
        const more = { "data-place": j, disabled };
        this.sliders[j] = slider(`Weight of “${key}”`, { min: 0, max: 1, step: 0.001, ...more, "data-key": `slider ${j}` },
          ({ target }) => this.move(j, Number(target.value)));
        this.numbers[j] = make("input", { type: "number", min: 0, max: 1, step: STEP, ...more, "data-key": `number ${j}`,
          "aria-label": `Weight of “${key}”, typed`, onchange: ({ target }) => this.type(j, target.value) });
        this.was[j] = span("view-quiet", "");
        return make("div", { class: "att-weight" }, span("view-k", key), this.sliders[j], this.numbers[j], this.was[j]);
      });
      for (const line of [this.sliders, this.numbers, this.was]) line.length = n;
      for (const line of [this.sliders, this.numbers]) oneStop(line, line[0]);
      return rows;
    });
  }

  wearResult(held) {
    const { view } = this, result = view.get("ablation");
    view.fill(this.result, [held, result, view.connected], () => {
      if (!view.connected) return [hint("To hold a row needs the model: open the notebook and run it.")];
      if (!held.length) return [hint("The model then reads so, and translates the sentence again.")];
      if (!view.isAnswered) return [hint("translating …")];
      const why = (row) => idleInWords(row, view.kinds.find(({ name }) => name === row[0]));
      const idle = result.idle.map((n) => hint(`${view.rowInWords(held[n])}: ${why(held[n])}.`));
      return [...idle, ...retold(result, "as it was", view.changesInWords())];
    });
  }

  /** A weight is set: the row follows at once, the model after a rest in milliseconds, so that a slider's drag asks it once. */
  move(j, weight, rest = 250) {
    const { view } = this, { kind } = view, place = this.place(kind);
    const weights = withWeight(this.weights(kind, place), j, weight, this.shares, this.recorded(kind, place));
    this.moved = [place, weights];
    clearTimeout(this.resting);
    this.resting = setTimeout(() => { if (this.moved?.[1] === weights) this.lay(weights, j); }, rest);
    view.schedule();
  }

  type(j, text) {
    const weight = Number(text);
    if (text.trim() && weight >= 0 && weight <= 1) return this.move(j, weight, 0);
    this.view.announce("a weight is a number from 0 to 1");
    this.view.schedule();
  }

  /** The rest of a row that does not sum to 1 is shared out anew. */
  share() {
    const { kind } = this.view, place = this.place(kind), weights = this.weights(kind, place), sum = weights.reduce((a, b) => a + b, 0);
    if (sum > 0 && Math.abs(sum - 1) > 5e-4) this.lay(weights.map((weight) => weight / sum));
  }

  /** Hold the row so; null: as the model makes it. */
  lay(weights, j) {
    const { view } = this, { kind } = view, six = weights?.map((weight) => Number(Math.min(weight, 1).toFixed(6)));
    this.moved = null;
    const places = this.places(kind, this.place(kind));
    view.set({ held: places.reduce((held, place) => withRow(held, place, six ?? null), view.get("held")) });
    const sum = six?.reduce((a, b) => a + b, 0).toFixed(3);
    const what = j === undefined ? "the row" : `key '${visible(kind.keys[j])}' ${six && written(six[j])}, the row`;
    view.announce(six ? `${what} sums to ${sum}` : "the row is as it was");
    view.schedule();
  }

  /** Left and right change a weight by a step, up and down go to another key; what is typed has its own keys. */
  walk(event) {
    const { target, key } = event, j = Number(target.dataset.place);
    const line = [this.sliders, this.numbers].find((nodes) => nodes.includes(target));
    if (!line || chord(event)) return;
    const step = { ArrowUp: -1, ArrowDown: 1 }[key], by = { ArrowLeft: -STEP, ArrowRight: STEP }[key];
    if (step) line[clamp(j + step, line.length)].focus();
    else if (by && line === this.sliders) this.move(j, Math.min(1, Math.max(0, Math.round((Number(target.value) + by) * 1000) / 1000)));
    else return;
    event.preventDefault();
  }
}

/** What was computed of each head. */
class FactsPane extends Side {
  sort = { column: "layer", down: false };

  wear() {
    const { view } = this;
    const { columns, rows, notes } = view.get("facts"), { column, down } = this.sort, { kind } = view;
    const layer = view.layerOf(kind), heads = view.headsOf(kind), possible = view.connected && view.get("meta").model;
    view.fill(this.node, [view.counted, column, down, kind.name, layer, heads, possible], () => {
      if (!rows?.length) return [hint("No facts were computed for these weights.")];
      const mine = rows.filter((row) => row.kind === kind.name);
      const names = ["layer", "head", ...columns.map(([name]) => name)].filter((name) => mine.some((row) => !missing(row[name])));
      const head = names.map((name) => this.sorter(name, Object.fromEntries(columns)[name] ?? name));
      const body = sortedRows(mine, column, down).map((row) =>
        this.factRow(row, names, row.layer === layer && heads.length === 1 && heads[0] === row.head));
      const box = make("div", { class: "view-wide view-tall" }, make("table", { class: "att-facts" },
        make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)));
      const scroll = this.node.querySelector(".view-wide")?.scrollTop ?? 0;
      requestAnimationFrame(() => { box.scrollTop = scroll; });
      const measure = chip("measure each head's effect", () => {
        say(measure, "measuring …");
        view.tell({ ask: "effects" });
      }, called("Measure each head's effect", "att-measure"));
      const wanted = possible && rows.every((row) => missing(row.effect));
      return [make("div", { class: "view-caption" }, `${kind.title}. ${notes[kind.name]} `, wanted ? measure : ""), box];
    });
  }

  sorter(name, meaning) {
    const { column, down } = this.sort, here = name === column;
    const press = () => {
      this.sort = { column: name, down: here ? !down : !["layer", "head", "role"].includes(name) };
      this.view.schedule();
    };
    const named = { class: "view-sort", "data-column": name, "data-key": name, title: meaning };
    const button = make("button", { type: "button", ...named, onclick: press }, name + (here ? (down ? " ↓" : " ↑") : ""));
    return make("th", { scope: "col", "aria-sort": here ? (down ? "descending" : "ascending") : "none" }, button);
  }

  factRow(row, names, here) {
    const go = () => this.view.set({ layer: row.layer, heads: [row.head], over_layers: "one" });
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
}

/** The values as text. */
class TextPane extends Side {
  wear(kind) {
    const { view } = this;
    const differs = this.textOf === "difference", wanted = differs ? view.places(kind) : view.sources(kind);
    const { rows, cols, rowNames, colNames } = view.grid(kind), many = kind.n_layers * kind.n_heads > 1;
    view.ask(kind, wanted);
    const exact = view.isExact(kind, wanted), map = differs ? view.difference(kind) : view.map(kind);
    view.fill(this.node, [kind.name, wanted, differs, exact, rows, cols, view.get("over_heads"), view.get("over_layers"),
      view.hiddenRow], () => {
      const told = (r) => (value) => (view.isHidden(kind, r) ? "?" : value), corner = "query \\ key";
      const lines = rows.map((_, r) => [...map.subarray(r * cols.length, (r + 1) * cols.length)].map(told(r)));
      const tsv = [[corner, ...colNames], ...lines.map((line, r) => [rowNames[r].reads, ...line])]
        .map((line) => line.join("\t")).join("\n");
      const what = choice("Values of", [["map", "the map shown"], ["difference", "the difference of two heads"]],
        (event) => { this.textOf = event.target.value; view.schedule(); });
      what.value = differs ? "difference" : "map";
      const head = [make("th", { scope: "col" }, corner), ...colNames.map((name) => make("th", { scope: "col", class: "view-k" }, name))];
      const body = lines.map((line, r) => make("tr", {}, make("th", { scope: "row", class: "view-q" }, rowText(rowNames[r])),
        ...line.map((value) => (value === "?" ? make("td", {}, value) : number(value, exact)))));
      return [make("div", { class: "view-caption" }, `${kind.title}: rows are queries, columns are keys. `, many ? what : "",
        copier("Copy the table", tsv)),
      make("div", { class: "view-wide view-tall", tabindex: 0, "aria-label": "Values as text", "data-key": "values" },
        make("table", { class: "att-text" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body)))];
    });
  }
}

/** The difference of two heads. */
class DifferencePane extends Side {
  build() {
    const { view } = this;
    this.picture = new Picture(view);
    const change = (which, part, field) => {
      const pair = view.get("compare").map((place) => [...place]);
      pair[which][part] = field.value = clamp(Number(field.value) || 0, part ? view.kind.n_heads : view.kind.n_layers);
      view.set({ compare: pair });
    };
    const input = (label, which, part) => make("input", { type: "number", min: 0, "aria-label": label,
      onchange: (event) => change(which, part, event.target) });
    this.pair = ["First", "Second"].map((label, which) => [input(`${label} layer`, which, 0), input(`${label} head`, which, 1)]);
    this.differ = board({
      class: "att-differ", "aria-roledescription": "difference map", style: `height:${view.height.pane - 80}px`,
      "aria-label": "First head minus second head. Arrows walk, Enter opens the first head's cell",
    }, {
      at: (x, y) => {
        const { difference: layout } = view.layouts;
        return layout && hit(layout, x - layout.wide * Math.min(Math.floor(x / layout.wide), layout.n - 1), y);
      },
      look: (place) => (place ? view.move(view.kind, place.row, place.col) : view.move(null, -1, -1)),
      key: (event) => view.walk(event, view.kind, true),
    });
    this.differNote = make("div", { class: "view-caption" });
    const place = ([layer, head]) => make("span", { class: "view-field" }, make("label", {}, "layer ", layer),
      make("label", {}, "head ", head));
    const row = make("div", { class: "att-row" }, place(this.pair[0]), "minus", place(this.pair[1]));
    return [row, this.differ, this.differNote];
  }

  wear(kind) {
    const { view } = this;
    const places = view.places(kind), { rows, cols } = view.grid(kind), { row, col } = view.hover;
    this.pair.forEach((inputs, which) => inputs.forEach((input, part) => {
      input.max = (part ? kind.n_heads : kind.n_layers) - 1;
      if (document.activeElement !== input) input.value = places[which][part];
    }));
    view.ask(kind, places);
    const gap = view.difference(kind), exact = view.isExact(kind, places);
    const moved = view.moved(kind, places) / rows.length, at = row * cols.length + col;
    const [a, b] = places.map(([layer, head]) => written(view.head(kind, layer, head)[at] ?? 0, exact));
    const here = view.hover.kind === kind.name && row >= 0 && col >= 0;
    say(this.differNote, `${kind.title}. ` + (here && !view.isHidden(kind, row) ? `${a} − ${b} = ${written(gap[at], exact)}`
      : `The two heads place ${Math.round(100 * moved)} % of a row's mass differently.`));
  }

  /** The difference, and left of it, where there is room, the two heads it is made of. */
  paint() {
    const { view } = this;
    const page = prepared(this.differ);
    if (!page) return;
    const { ctx, width, height } = page, { kind } = view, n = width < 700 ? 1 : 3, wide = (width - 60) / n;
    const layout = view.layouts.difference = { ...this.picture.frameOf(ctx, wide, height - 18, kind), wide, n };
    const stretch = view.get("sqrt") ? Math.sqrt : (share) => share;
    const share = (gap) => Math.sign(gap) * stretch(Math.min(Math.abs(gap), 1));
    const picture = (name, numbers, table) => {
      paintCells(ctx, numbers, table, layout);
      this.picture.rule(ctx, layout, kind);
      this.picture.labels(ctx, layout, kind);
      this.picture.marks(ctx, layout, kind);
      ctx.font = `600 13px ${SANS}`;
      ctx.textAlign = "center";
      if (n > 1) ctx.fillText(name, (layout.left + layout.right) / 2, layout.bottom + 12);
    };
    ctx.save();
    for (const [layer, head] of n > 1 ? view.places(kind) : []) {
      picture(`layer ${layer}, head ${head}`, view.levels(view.head(kind, layer, head), layout.cols), view.colours);
      ctx.translate(wide, 0);
    }
    picture("difference", Uint16Array.from(view.difference(kind), (gap) => 128 + Math.round(128 * share(gap))), view.signed);
    const [x, y, tall] = [layout.right + 16, layout.top, Math.max(60, Math.min(layout.bottom - layout.top, 160))];
    for (let i = 0; i < tall; i++) {
      const at = 6 * Math.round(256 * (1 - i / (tall - 1)));
      ctx.fillStyle = `#${view.look.differences.slice(at, at + 6)}`;
      ctx.fillRect(x, y + i, 10, 1);
    }
    ctx.fillStyle = view.look.quiet;
    ctx.font = `13px ${SANS}`;
    ctx.textAlign = "left";
    ["+1", "0", "−1"].forEach((text, i) => ctx.fillText(text, x + 15, y + 5 + (tall - 10) * i / 2));
    ctx.restore();
  }
}

const SIDES = [["heads", "All heads", ThumbsPane], ["cell", "One cell", CellPane], ["row", "Edit a row", RowPane],
  ["off", "What if", OffPane], ["facts", "Head facts", FactsPane], ["difference", "Difference", DifferencePane],
  ["text", "As text", TextPane]];

// ----------------------------------------------------------------------------------------------------------- the view

class View extends Asked {
  constructor(model, el) {
    super(model, el, "Attention view");
    this.hover = { kind: null, row: -1, col: -1 };
    this.exact = new Map();      // "kind:layer:head" → Float32Array, as it was sent
    this.memo = new Map();       // maps as shown; emptied when what they depend on changes
    this.asked = new Set();
    this.layouts = {};
    this.atlases = new Map();
    this.start(TRAITS);
  }

  changed(name) {
    if (["hide_special", "merge_words", "renormalise", "held"].includes(name)) this.memo.clear();
    if (name === "held") this.atlases.clear();
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
    const tokens = JSON.stringify(meta.kinds.map(({ queries, keys }) => [queries, keys]));
    if (tokens !== this.tokens) this.hover = { kind: null, row: -1, col: -1 };
    this.tokens = tokens;
    const shape = JSON.stringify([meta.model, meta.kinds.map((k) => [k.name, k.n_layers, k.n_heads])]);
    if (shape !== this.shape) { this.shape = shape; this.build(); }
    say(this.badge, meta.shows);
    const lines = [meta.words ? this.words.node : make("div", { title: meta.title }, meta.title)];
    if (meta.translation !== null) lines.push(this.before);
    if (meta.model) lines.push(this.without);
    const { cursor } = this, inside = this.words.node.contains(cursor);
    this.sentence.replaceChildren(...lines);
    if (inside) cursor.focus();
    if (this.get("cell").length) this.askCell();
  }

  answered(message, buffers) {
    if (message.answer === "maps") this.takeExact(message, buffers[0]);
    if (message.answer === "effects") this.counted = (this.counted ?? 0) + 1;
    if (message.answer === "cell" && String(message.cell) === String(this.get("cell"))) this.arithmetic = message;
  }

  askCell() {
    const cell = this.get("cell");
    if (!cell.length) return;
    this.arithmetic = null;
    this.tell({ ask: "cell", cell });
  }

  atPointer() {
    const { kind, row, col } = this.hover;
    return (kind && (row >= 0 || col >= 0)) || this.thumb ? this.readout.node.firstElementChild.textContent : "";
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
    if (from.name === "cross" && !cols.length) for (const r of rows.filter((each) => !this.isHidden(from, each))) {
      const row = map.subarray(r * width, (r + 1) * width);
      shown.cols[row.indexOf(Math.max(...row))].forEach((j) => keys.add(j));
    }
    const here = this.grid(kind), places = (list, wanted) => list.flatMap((block, n) => (block.some((i) => wanted.has(i)) ? [n] : []));
    const none = new Set(), side = kind.query_side;
    return { rows: places(here.rows, from.query_side === side ? queries : from.key_side === side ? keys : none),
      cols: places(here.cols, kind.name === "cross" && from.query_side === "source" ? queries : none) };
  }

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
    if (this.isHidden(kind, row)) return this.guess(kind, row, col);
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

  isOff(kind, layer, head) { return this.get("off").some(([k, l, h]) => k === kind.name && l === layer && h === head); }

  toggleOff(kind, layer, head) {
    const off = this.get("off"), others = off.filter(([k, l, h]) => k !== kind.name || l !== layer || h !== head);
    const next = others.length < off.length ? others : [...off, [kind.name, layer, head]];
    this.set({ off: next, panel: "off" });
  }

  /** Choose the row of a query, to be set in its pane. */
  editRow(kind, query, layer = this.layerOf(kind), head = this.headsOf(kind)[0]) {
    if (!this.side.row) return;
    this.set({ kind: kind.name, layer, heads: [head], over_layers: "one", pin: [["query", query]], panel: "row" });
    requestAnimationFrame(() => requestAnimationFrame(() => this.side.row.sliders.find(({ tabIndex }) => tabIndex === 0)?.focus()));
  }

  /** The queries whose rows are held in a head. */
  queriesHeld(kind, layer, head) {
    return this.heldRows(kind).filter(([, l, h]) => l === layer && (h === head || h < 0)).map(([, , , query]) => query);
  }

  /** Where rows are held in what is shown of a kind. */
  rowsHeld(kind) {
    const { rows } = this.grid(kind), queries = this.sources(kind).flatMap(([layer, head]) => this.queriesHeld(kind, layer, head));
    return [...new Set(queries)].map((query) => rows.findIndex((row) => row.includes(query))).filter((row) => row >= 0);
  }

  rowInWords([name, layer, head, query]) {
    const kind = this.kinds.find((each) => each.name === name), token = kind?.queries[query];
    const of = token === undefined ? `step ${query}` : `query “${visible(token)}”`;
    return `${kind?.title ?? name} ${layer}${head < 0 ? ", all heads" : `.${head}`}, ${of}`;
  }

  /** Whether the model has said what it says with all that is changed now. */
  get isAnswered() {
    const { off = [], rewritten = [], held = [] } = this.get("ablation");
    return JSON.stringify([off, rewritten, held]) === JSON.stringify(["off", "words", "held"].map((name) => this.get(name)));
  }

  /** What is changed, in words: "1 source word changed, 1 row set in 6 layers, without 2 heads". */
  changesInWords() {
    const n = this.get("off").length, words = this.get("meta").words?.filter(isOtherwise).length ?? 0, held = this.get("held");
    const rows = new Set(held.map(([kind, , head, query]) => String([kind, head, query]))).size;
    const layers = new Set(held.map(([, layer]) => layer)).size, where = layers > 1 ? ` in ${layers} layers` : "";
    return [words && `${many(words, "source word")} changed`,
      rows && `${many(rows, "row")} set${where}`, n && `without ${many(n, "head")}`]
      .filter(Boolean).join(", ");
  }

  /** Which weights the maps show while heads are off or rows are set. */
  stillInWords() {
    const off = this.get("off").length, held = this.kinds.some((kind) => this.heldRows(kind).length);
    const all = off ? ", with all its heads" : "";
    if (!off && !held) return "";
    const set = held ? "A row that you set is drawn as set, in a red frame; every other" : "Every map";
    return `${set} is the model's as it was${all}. What it says with your change stands below the sentence, and under What if.`;
  }

  /** Below the sentence: what the model says of it, or said of it as it was typed. */
  wearBefore() {
    const { translation, first, words } = this.get("meta"), { before } = this.get("ablation"), other = words?.some(isOtherwise);
    if (translation === null) return;
    this.fill(this.before, [translation, first, other, other && before], () => (other
      ? [span("view-quiet", "first → "), ...before ? marked(before) : [first[1]]]
      : [span("view-quiet", "→ "), make("b", {}, translation)]));
    const said = other ? `${first[0]} → ${first[1]}` : translation;
    if (this.before.title !== said) this.before.title = said;   // where it is cut
  }

  /** Below the translation: what the model says with all that is changed. */
  wearWithout() {
    const off = this.get("off"), changes = this.get("words"), held = this.get("held");
    const result = this.get("ablation"), n = off.length + changes.length + held.length;
    this.without.classList.toggle("hidden", !n && !this.connected);
    this.fill(this.without, [off, changes, held, result, this.connected], () => {
      const ways = this.get("meta").small ? "Change a word" : "Change a word, set a row or switch heads off";
      if (!n) return [hint(`${ways}: what is then said stands here.`)];
      const changed = span("view-quiet", `${this.changesInWords()} → `);
      if (!this.isAnswered) return [changed, hint(this.connected ? "translating …" : "it needs the model: open the notebook and run it.")];
      const change = span("view-quiet", ` Δ log-probability of the first ${written(result.total)}`);
      this.announce(() => this.without.textContent);
      return [changed, ...result.changed ? marked(result.words) : ["the same words."], change];
    });
    const said = this.without.textContent;
    if (this.without.title !== said) this.without.title = said;   // where it is cut
  }

  /** Query, key and mask of a cell, to be spoken. */
  cellOf(kind, row, col) {
    const { rows, cols, rowNames, colNames } = this.grid(kind);
    return { query: rowNames[row].reads, key: colNames[col], masked: this.masked(kind, rows[row], cols[col]) };
  }

  announceCell(kind, row, col) {
    if (this.isHidden(kind, row)) return this.announce(`key '${this.cellOf(kind, row, col).key}': Enter if the row looks most here`);
    const n = this.grid(kind).cols.length, values = this.map(kind).slice(row * n, (row + 1) * n);
    const cell = { ...this.cellOf(kind, row, col), weight: values[col], place: rank(values, col) };
    this.announce(spoken({ ...cell, exact: this.isExact(kind) }));
  }

  announceGap(kind, row, col) {
    if (this.isHidden(kind, row)) return this.announce("this row is to be predicted first");
    const places = this.places(kind), at = row * this.grid(kind).cols.length + col;
    const [a, b] = places.map(([layer, head]) => this.head(kind, layer, head)[at]);
    this.announce(spokenGap({ ...this.cellOf(kind, row, col), a, b, exact: this.isExact(kind, places) }));
  }

  /** Arrows walk, Enter opens the cell (in a difference the first head's), e sets its row, q pins the query, k the key, Escape lets go. */
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
    else if (key === "e" && row >= 0 && this.side.row) this.editRow(kind, this.grid(kind).rows[row][0], ...heads[0]);
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

  /** Heights are fixed when the page is built: nothing jumps when a value or a sentence changes. */
  heights(many) {
    const { queries, keys, n_layers, n_heads } = this.kinds[0], tokens = Math.max(queries.length, keys.length);
    const own = Math.min(HEIGHT.side, 30 * tokens + 120), pane = n_layers * n_heads > 1 ? HEIGHT.side : 240;
    return many ? { map: HEIGHT.map, lines: HEIGHT.side, pane: HEIGHT.side } : { map: own, lines: own, pane };
  }

  colour(head) { return this.look.heads[head % this.look.heads.length]; }

  shownInWords(kind) {
    const heads = this.headsOf(kind), [overHeads, overLayers] = [this.get("over_heads"), this.get("over_layers")];
    const layer = overLayers === "one" ? `layer ${this.layerOf(kind)}` : `${overLayers} of layers`;
    const off = heads.filter((head) => this.sources(kind, [head]).every((source) => this.isOff(kind, ...source)));
    const which = off.length === heads.length ? "" : `, of which ${off.join(", ")}`, gone = off.length ? `${which} off in the model` : "";
    return `${heads.length === 1 ? `head ${heads[0]}` : `${overHeads} of heads ${heads.join(", ")}`}, ${layer}${gone}`;
  }

  // -------------------------------------------------------------------------------------------- the page, built once

  build() {
    const many = this.kinds.length > 1;
    this.height = this.heights(many);
    [this.sentence, this.before, this.without] = [headline(), make("div"), make("div", { class: "att-without" })];
    this.words = new Words(this);
    this.challenge = new Challenge(this);
    [this.bar, this.maps, this.readout, this.lines] = [Controls, Maps, Readout, Lines].map((Part) => new Part(this));
    const side = this.sides();
    this.root.classList.toggle("att-single", !many);
    this.frame(this.sentence, this.bar.node, this.challenge.node,
      make("div", { class: "att-maps" }, ...this.maps.node, many ? null : this.lines.node),
      make("div", { class: "att-below" }, this.maps.legend, this.readout.node),
      make("div", { class: "att-lower" }, many ? this.lines.node : null, side));
  }

  /** The panes beside the lines, each behind its tab: those that these weights can fill. */
  sides() {
    const { model } = this.get("meta"), many = this.kinds.some((kind) => kind.n_layers * kind.n_heads > 1);
    const open = SIDES.filter(([name]) => (!["off", "row"].includes(name) || model) && (many || !["heads", "difference"].includes(name)));
    this.side = Object.fromEntries(open.map(([name, text, Part]) => [name, new Part(this, name, text)]));
    const panes = Object.fromEntries(Object.entries(this.side).map(([name, { node }]) => [name, node]));
    const tabs = this.tabs("What is shown of the heads", "panel", open.map(([name, text]) => [name, text]),
      { panes, now: () => this.panel });
    return make("section", { class: "att-side", "aria-label": "More about the heads" }, tabs, ...Object.values(panes));
  }

  /** The map of the kind that is chosen, as it is drawn. */
  csv() {
    const { kind } = this, { rowNames, colNames } = this.grid(kind), n = colNames.length;
    const map = [...this.map(kind)], exact = this.isExact(kind);
    const about = `${kind.title}, ${this.shownInWords(kind)}${exact ? "" : " (each to within 1/255 of its root)"}`;
    const digits = (weight) => (exact ? weight : Number(weight.toPrecision(3)));
    const told = (row) => (weight) => (this.isHidden(kind, row) ? "?" : digits(weight));
    return [[about, ...colNames], ...rowNames.map(({ reads }, row) => [reads, ...map.slice(row * n, (row + 1) * n).map(told(row))])];
  }

  get panel() { return this.side[this.get("panel")] ? this.get("panel") : Object.keys(this.side)[0]; }

  dressed() { this.atlases.clear(); }

  wear() {
    const { kind } = this, layer = this.layerOf(kind), heads = this.headsOf(kind), pin = JSON.stringify(this.get("pin"));
    Object.assign(this.root.dataset, { kind: kind.name, layer, heads: heads.join(" "), pin });
    this.bar.wear(kind, layer, heads);
    this.challenge.wear(this.get("predict") ? this.question() : null);
    this.words.wear();
    this.wearBefore();
    if (this.get("meta").model) this.wearWithout();
    for (const each of this.kinds) this.maps.wear(each);
    this.readout.wear(kind);
    this.side[this.panel].wear(kind);
  }

  paint() {
    for (const kind of this.kinds) this.maps.paint(kind);
    this.maps.paintLegend();
    this.lines.paint();
    this.side[this.panel].paint();
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Layer": "the layer whose heads the maps show, counted from 0", "All heads": "all of them at once",
  "Several heads": "how several chosen heads become one map",
  "Layers": "the maps of one layer, or the mean or the largest over all",
  "Of each row keep at least": "hide the smallest weights of each row, until this share of its mass is left",
  "hide special tokens": "leave out <s> and </s>; what lies on them is said below",
  "renormalise the rest": "of hidden special tokens: the rest of each row is divided by its sum, so that it sums to 1 again",
  "merge sub-words": "pieces of one word as one row or column: their weights are added or averaged",
  "Colours up to": "the weight from which a cell has the darkest colour: less than 1 tells small weights apart",
  "√ colours": "colours by the root of a weight, so that small ones are seen",
  "colours per row": "each row's darkest colour is its largest weight",
  "predict": "hide a row until you have said where it looks; it asks once",
  "large cells": "cells of a size to read, in a map that scrolls", "Encoder self-attention": "source pieces read source pieces",
  "Decoder self-attention": "target pieces read target pieces up to themselves",
  "Cross-attention": "target pieces read source pieces", "One cell": "the arithmetic of a weight: query times key, scale, softmax",
  "What if": "what the model says with heads taken out, words changed, or rows set",
  "Edit a row": "set the weights of one query: the model reads so, and translates again",
  "the others share the rest": "renormalised: when one weight changes, the others share what is left, so that the row sums to 1",
  "This row as it was": "the model makes this row again", "Query of the row": "whose row is set",
  "Heads whose row is set": "of one head, of every head of the layer, or of all",
  "Head facts": "every head in numbers: entropy, distance, alignment",
  "Difference": "two heads, one less the other", "As text": "the map as numbers in a table",
  ".att-word": "click to replace, delete, mask or swap it · arrow keys go along, Delete, m, and Shift with an arrow do it at once",
  "First layer": "layer of the head from which is taken", "First head": "the head from which is taken",
  "Second layer": "layer of the head that is taken away", "Second head": "the head that is taken away",
};

export default widget(View, HINTS);
