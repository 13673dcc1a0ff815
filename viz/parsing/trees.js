// Parsing: a tree that grows token by token beside the stack that reads it; and a gold tree against a predicted one.
//
// Python gives words, lines of tree tokens and, where a model wrote the line, its cross-attention. The reading with a
// stack, each step of repair and EVALB's counting are done here too (the tests hold both sides against each other), so
// that a line can be stepped through, broken, edited and scored in a page without Python.

import {
  MONO, SANS, Stage, board, chip, choice, clamp, controls, evident, field, fitted, floatsOf, headline, hint, initialize, label,
  legendKey, level, make, many, number, paintCells, prepared, say, slider, small, span, stroke, table, visible, widget, wordsOf,
  written,
} from "../canvas.js";

// --------------------------------------------------------------------------- reading a line (node --test)

const known = (name) => /^[^()]+$/.test(name);

function opened(state, label, origin, start, end) {
  const node = { id: state.nodes.length, label, start, end, parent: -1, origin, opened: state.step, closed: -1 };
  state.nodes.push(node);
  return node;
}

/** Put these brackets, and the words that are in none, under a new one. */
function gathered(state, node) {
  for (const top of state.tops) top.parent = node.id;
  for (const word of state.loose) state.leaf[word] = node.id;
  [state.tops, state.loose] = [[node], []];
  node.closed = state.step;
  return node;
}

function push(state, label) {
  const node = opened(state, label, "said", state.at, state.at);
  if (state.stack.length) node.parent = state.stack.at(-1).id;
  else state.tops.push(node);
  state.stack.push(node);
  return { act: "push", node: node.id };
}

function pop(state, label) {
  const node = state.stack.pop();
  if (!node) return { act: "pop", node: gathered(state, opened(state, label, "opened", 0, state.at)).id, faults: [["opened", 1]] };
  [node.end, node.closed] = [state.at, state.step];
  return { act: "pop", node: node.id, faults: label === node.label ? [] : [["mislabelled", 1]] };
}

function place(state, tag) {
  if (state.at === state.n) return { act: "drop", faults: [["surplus", 1]] };
  const top = state.stack.at(-1);
  state.leaf[state.at] = top ? top.id : -1;
  if (!top) state.loose.push(state.at);
  state.tags.push(tag);
  state.at++;
  return { act: "word", node: top ? top.id : -1 };
}

function take(state, token) {
  const name = "()".includes(token[0]) ? token.slice(1) : token;
  if (!known(name) || (name === token && token !== "XX" && !state.keepTags)) return { act: "drop", faults: [["unknown", 1]] };
  return token[0] === "(" ? push(state, name) : token[0] === ")" ? pop(state, name) : place(state, token);
}

/** The words that are left over go under the only root, or wait for one. */
function addMissing(state) {
  const [only] = state.tops, alone = state.tops.length === 1 && !state.loose.length;
  for (let word = state.at; word < state.n; word++) {
    state.leaf[word] = alone ? only.id : -1;
    if (!alone) state.loose.push(word);
  }
  if (alone) only.end = state.n;
}

/** What is left to do at the end: one tree over all words, as corpora.treebank.Repair does it. */
function finish(state) {
  const faults = [["closed", state.stack.length]];
  for (const node of state.stack.splice(0).reverse()) [node.end, node.closed] = [state.at, state.step];
  if (!state.nodes.length && !state.at) {
    state.loose = state.leaf.map((_, word) => word);
    gathered(state, opened(state, "S", "flat", 0, state.n));
    return { act: "end", faults: [...faults, ["flat", 1]] };
  }
  faults.push(["missing", state.n - state.at]);
  addMissing(state);
  for (const node of state.nodes) node.dropped = node.start >= node.end;
  faults.push(["emptied", state.nodes.filter(({ dropped }) => dropped).length]);
  const roots = state.loose.length + state.tops.filter(({ dropped }) => !dropped).length;
  if (roots > 1) {
    gathered(state, opened(state, "S", "wrapped", 0, state.n));
    faults.push(["wrapped", 1]);
  }
  return { act: "end", faults };
}

/**
 * A line of tree tokens over n words, read with a stack: steps[k] is what stood after k tokens, the last one what was done
 * at the end; nodes: every bracket, in the order in which they came; brackets: those of the tree, in order; counts: repairs.
 * keepTags: a word's token is its part of speech, else XX.
 */
export function read(line, n, keepTags = false) {
  const state = { n, keepTags, tags: [], at: 0, step: 0, nodes: [], stack: [], tops: [], loose: [], leaf: Array(n).fill(-1) }, counts = {};
  const steps = [{ token: "", act: "start", faults: [], stack: [], at: 0 }], tokens = wordsOf(line);
  const note = (token, { act, node = -1, faults = [] }) => {
    const found = faults.filter(([, times]) => times);
    for (const [name, times] of found) counts[name] = (counts[name] ?? 0) + times;
    steps.push({ token, act, node, faults: found, stack: state.stack.map(({ id }) => id), at: state.at });
  };
  for (const token of tokens) {
    state.step++;
    note(token, take(state, token));
  }
  state.step++;
  note("", finish(state));
  const of = (origin) => state.nodes.filter((node) => node.origin === origin);
  const kept = [...of("wrapped"), ...of("flat"), ...of("opened").reverse(), ...of("said")].filter(({ dropped }) => !dropped);
  return { n, tokens, steps, nodes: state.nodes, leaf: state.leaf, tags: state.tags, counts,
    brackets: kept.map(({ label, start, end }) => ({ label, start, end })) };
}

// ----------------------------------------------------------------------- trees and their tokens (node --test)

/** Brackets in order as nodes that know their parent; leaf: the innermost bracket of each word. */
export function linked(brackets, n) {
  const nodes = brackets.map((bracket, id) => ({ ...bracket, id, parent: -1 })), open = [], leaf = [];
  let next = 0;
  for (let word = 0; word < n; word++) {
    for (; nodes[next]?.start === word; next++) {
      nodes[next].parent = open.at(-1)?.id ?? -1;
      open.push(nodes[next]);
    }
    leaf.push(open.at(-1)?.id ?? -1);
    while (open.at(-1)?.end === word + 1) open.pop();
  }
  return { nodes, leaf };
}

/** The same as a tree of parts: { id, label, kids }, where a kid that is a number is a word. */
export function nested(brackets, n) {
  const { nodes, leaf } = linked(brackets, n), parts = nodes.map(({ id, label }) => ({ id, label, kids: [] })),
    root = { id: -1, label: "", kids: [] };
  let next = 0;
  for (let word = 0; word < n; word++) {
    for (; nodes[next]?.start === word; next++) (parts[nodes[next].parent] ?? root).kids.push(parts[next]);
    (parts[leaf[word]] ?? root).kids.push(word);
  }
  return root;
}

/** A tree of parts as tokens: n + 2m of them for n words and m brackets; brackets without a word are left out. */
export function linear(root) {
  const filled = (part) => typeof part === "number" || part.kids.some(filled);
  const said = (part) => (typeof part === "number" ? ["XX"] : filled(part)
    ? [`(${part.label}`, ...part.kids.flatMap(said), `)${part.label}`] : []);
  return root.kids.flatMap(said).join(" ");
}

const family = (root, id, above = []) => {
  for (const [at, kid] of root.kids.entries()) {
    if (typeof kid === "number") continue;
    if (kid.id === id) return { kid, at, parent: root, above };
    const found = family(kid, id, [root, ...above]);
    if (found) return found;
  }
  return null;
};

/**
 * A line with one bracket changed: "remove", "higher" (out of its parent, if it is its first or last part), "lower" (into the
 * bracket beside it), or "relabel". null where that cannot be done.
 */
export function edited(line, n, id, what, label = "") {
  const root = nested(read(line, n).brackets, n), found = family(root, id);
  if (!found) return null;
  const { kid, at, parent, above: [over] } = found, { kids } = parent, last = at === kids.length - 1;
  if (what === "relabel") kid.label = label;
  else if (what === "remove") {
    if (parent === root) return null;
    kids.splice(at, 1, ...kid.kids);
  } else if (what === "higher") {
    if (!over || over === root || kids.length < 2 || (at && !last)) return null;
    kids.splice(at, 1);
    over.kids.splice(over.kids.indexOf(parent) + (last ? 1 : 0), 0, kid);
  } else {
    const into = [kids[at - 1], kids[at + 1]].find((beside) => beside?.kids);
    if (!into) return null;
    kids.splice(at, 1);
    if (into === kids[at - 1]) into.kids.push(kid); else into.kids.unshift(kid);
  }
  return linear(root);
}

// --------------------------------------------------------------------------------- EVALB's counts (node --test)

const DELETED = new Set(["TOP", "-NONE-", ",", ":", "``", "''", "."]);   // COLLINS.prm

/** What each bracket is compared as, punctuation gone and the rest numbered anew; null: it does not count. */
export function compared(brackets, tags) {
  const place = [0];
  for (const tag of tags) place.push(place.at(-1) + (DELETED.has(tag) ? 0 : 1));
  return brackets.map(({ label, start, end }) => {
    const name = label.split(/[-=]/)[0];
    if (place[start] === place[end] || DELETED.has(name)) return null;
    return { label: name === "PRT" ? "ADVP" : name, start: place[start], end: place[end] };
  });
}

/** Precision, recall and F1 in percent, a row for each different bracket, and of each bracket whether it is matched. */
export function scored(gold, predicted, tags) {
  const rows = new Map(), sides = { gold: compared(gold, tags), predicted: compared(predicted, tags) };
  const name = ({ label, start, end }) => `${label} ${start} ${end}`;
  for (const [side, list] of Object.entries(sides)) {
    for (const one of list.filter(Boolean)) {
      if (!rows.has(name(one))) rows.set(name(one), { ...one, gold: 0, predicted: 0 });
      rows.get(name(one))[side]++;
    }
  }
  const all = [...rows.values()].map((row) => ({ ...row, matched: Math.min(row.gold, row.predicted) }));
  const sum = (what) => all.reduce((total, row) => total + row[what], 0), share = (part, whole) => (whole ? (100 * part) / whole : 0);
  const fates = Object.fromEntries(Object.entries(sides).map(([side, list]) => {
    const left = new Map(all.map((row) => [name(row), row.matched]));
    return [side, list.map((one) => {
      if (!one) return "uncounted";
      left.set(name(one), left.get(name(one)) - 1);
      return left.get(name(one)) >= 0 ? "matched" : "wrong";
    })];
  }));
  const [g, p, m] = [sum("gold"), sum("predicted"), sum("matched")];
  const order = (one, other) => one.start - other.start || other.end - one.end;
  return { rows: all.sort(order), gold: g, predicted: p, matched: m, precision: share(m, p), recall: share(m, g), f1: share(2 * m, p + g),
    fates };
}

// ------------------------------------------------------------------------------------ where a tree lies (node --test)

/** How wide each word's place is: the word itself, or the longest label that stands over it alone. */
export function slots(trees, words, wide) {
  return words.map((word, i) => Math.max(wide(word, true), ...trees.flatMap(({ nodes }) => nodes)
    .filter(({ start, end }) => start === i && end === i + 1).map(({ label }) => wide(label, false))));
}

/** Middles of the words: as far apart as their widths ask, at most 40 pixels more than that, in the middle of the page. */
export function spreadWords(widths, width, least = 12, most = 40) {
  const need = widths.reduce((sum, one) => sum + one, 0), gaps = widths.length;
  const gap = Math.min(most, Math.max(least, (width - need) / gaps)), total = need + gap * gaps;
  let x = Math.max(0, (width - total) / 2);
  const middles = widths.map((one) => {
    const middle = x + (gap + one) / 2;
    x += one + gap;
    return middle;
  });
  return { middles, gap, end: x };
}

const SIZES = [[15, 12, 34], [14, 7, 32], [13, 4, 30]];   // of the words in pixels, the least gap, the least width of a column

/** The roomiest size at which the words fit the page; the closest one for a sentence that is wider all the same. */
export function fitWords(widthsOf, width, columns = false) {
  const all = SIZES.map(([size, gap, least]) =>
    ({ size, ...spreadWords(widthsOf(size).map((one) => (columns ? Math.max(one, least) : one)), width, gap) }));
  return all.find(({ end }) => end <= width) ?? all.at(-1);
}

/** Of each node, the depth below the root and the middle of its parts; an empty bracket stands between two words. */
export function layoutTree({ nodes, leaf }, { middles, gap }) {
  const depth = [], kids = nodes.map(() => []), x = [];
  const deep = (id) => (depth[id] ??= id < 0 ? -1 : nodes[id].parent < 0 ? 0 : deep(nodes[id].parent) + 1);
  nodes.forEach(({ id, parent }) => { deep(id); if (parent >= 0) kids[parent].push(id); });
  const words = nodes.map(() => []);
  leaf.forEach((id, word) => { if (id >= 0) words[id].push(word); });
  for (const { id, start } of [...nodes].sort((one, other) => depth[other.id] - depth[one.id])) {
    const full = kids[id].filter((kid) => nodes[kid].start < nodes[kid].end);
    const parts = [...words[id].map((word) => middles[word]), ...(full.length || words[id].length ? full : kids[id]).map((kid) => x[kid])];
    const between = start < middles.length ? (middles[start] ?? 0) - gap : (middles.at(-1) ?? 0) + 2 * gap;
    x[id] = parts.length ? (Math.min(...parts) + Math.max(...parts)) / 2 : between;
  }
  return { x, depth, kids, words, rows: Math.max(0, ...depth) + 1 };
}

/** The node whose box holds a point, or -1. boxes: { id, x, y, w, h } of those drawn. */
export const nodeUnder = (boxes, x, y, room = 3) =>
  boxes.find((box) => Math.abs(x - box.x) <= box.w / 2 + room && Math.abs(y - box.y) <= box.h / 2 + room)?.id ?? -1;

/** The node that an arrow key leads to: up to the parent, down to the first child, sideways to the next of that depth. */
export function walkTree({ depth, kids }, nodes, id, key, shown) {
  if (key === "ArrowUp") return shown(nodes[id].parent) ? nodes[id].parent : id;
  if (key === "ArrowDown") return kids[id].find(shown) ?? id;
  const level = nodes.filter((node) => depth[node.id] === depth[id]
    && shown(node.id)).sort((a, b) => a.start - b.start).map((node) => node.id);
  return level[clamp(level.indexOf(id) + (key === "ArrowRight" ? 1 : -1), level.length)];
}

/** The mean over the layers and heads asked for, -1 for all: rows[t][s]. */
export function rowsOf(weights, { T, S, L, H }, layer, head) {
  const ls = layer < 0 ? Array.from({ length: L }, (_, l) => l) : [layer], hs = head < 0 ? Array.from({ length: H }, (_, h) => h) : [head];
  return Array.from({ length: T }, (_, t) => Array.from({ length: S }, (_, s) => {
    let sum = 0;
    for (const l of ls) for (const h of hs) sum += weights[((t * L + l) * H + h) * S + s];
    return sum / (ls.length * hs.length);
  }));
}

const range = (start, end) => (end <= start ? "no word" : end - start === 1 ? `word ${start + 1}` : `words ${start + 1}–${end}`);

/** A step in words. */
export function told({ nodes, steps, n, tokens, brackets }, k, words, repairs) {
  const { token, act, node, faults, stack, at } = steps[k], it = nodes[node], why = faults.map(([name]) => name)[0];
  const said = ({ start, end }) => `${range(start, end)}, “${words.slice(start, end).join(" ")}”`;
  if (act === "start") return "Nothing has been said yet; the stack is empty.";
  if (act === "push") return `${token} pushes ${it.label}: it will begin with word `
    + `${at + 1}${words[at] === undefined ? ", which there is not" : `, “${words[at]}”`}.`;
  if (act === "word") return `${token} places word ${at}, “${words[at - 1]}”, `
    + `${node < 0 ? "outside of all brackets" : `into ${it.label}`}.`;
  if (act === "drop") return why === "surplus" ? `${token}, but there are no more words: dropped.`
    : `${token} is no (X, XX or )X: dropped.`;
  if (act === "pop"
    && why === "opened") return `${token}, but nothing is open: ${it.label} is opened at the very beginning, `
      + `${at ? `over ${range(0, at)}` : "with no word in it"}.`;
  if (act === "pop") {
    const over = it.start < at ? `over ${said({ start: it.start, end: at })}` : "with no word in it";   // words may be put under it later
    return why ? `${token} pops ${it.label}, whatever it says: the label stays ${it.label}, ${over}.`
      : `${token} pops ${it.label}: ${over}. Open: ${stack.length}.`;
  }
  if (faults.length) return `At the end, ${faults.map(([name, times]) => `${repairs[name]}: ${times}`).join("; ")}.`;
  const clean = steps.every((step) => !step.faults.length);
  return `The end: nothing is open, every word has its place.`
    + (clean ? ` ${many(n, "word")} + 2 × ${many(brackets.length, "bracket")} = ${tokens.length} tokens.` : "");
}

// ------------------------------------------------------------------------------------------------ drawing a tree

const BOX = { h: 22, font: `600 14px ${MONO}` };

function measurer(ctx, size) {
  return (text, isWord) => {
    ctx.font = isWord ? `${size}px ${SANS}` : BOX.font;
    return Math.ceil(ctx.measureText(isWord ? visible(text) : text).width) + (isWord ? 6 : 14);
  };
}

/**
 * Draw the brackets that are shown: a stem, a rail and a drop to each part. y: of a depth, yWord: of the words' edge;
 * down: 1 where the root is above the words, -1 below. style(id) gives { ink, fill, dash, wide, text } and folded whether
 * only a roof over its words is drawn. Returns the boxes.
 */
function drawTree(ctx, { nodes, place, middles, shown, folded, style, y, yWord, down, placed }) {
  const boxes = [], hidden = (id) => { for (let up = nodes[id].parent; up >= 0; up = nodes[up].parent) if (folded(up)) return true;
    return false; };
  const seen = nodes.filter(({ id }) => shown(id) && !hidden(id));
  for (const { id } of seen) drawParts(ctx, { nodes, place, middles, shown, folded, style, y, yWord, down, placed }, id);
  for (const { id, label } of seen) {
    const { ink, fill, dash = [], wide = 1.2, text } = style(id);
    ctx.font = BOX.font;
    const box = { id, x: place.x[id], y: y(place.depth[id]), w: ctx.measureText(label).width + 12, h: BOX.h };
    ctx.beginPath();
    ctx.roundRect(box.x - box.w / 2, box.y - box.h / 2, box.w, box.h, 6);
    ctx.fillStyle = fill;
    ctx.fill();
    ctx.setLineDash(dash);
    ctx.lineWidth = wide;
    ctx.strokeStyle = ink;
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillStyle = text;
    ctx.textAlign = "center";
    ctx.fillText(label, box.x, box.y + 0.5);
    boxes.push(box);
  }
  ctx.textAlign = "left";
  return boxes;
}

function drawParts(ctx, { nodes, place, middles, shown, folded, style, y, yWord, down, placed }, id) {
  const x = place.x[id], top = y(place.depth[id]) + (down * BOX.h) / 2, rail = top + down * 8, { ink, dash = [], wide = 1.2 } = style(id);
  const words = place.words[id].filter(placed), kids = place.kids[id].filter(shown);
  ctx.strokeStyle = ink;
  ctx.lineWidth = Math.min(wide, 1.6);
  ctx.setLineDash(dash);
  if (folded(id)) {
    const under = middles.filter((_, word) => word >= nodes[id].start && word < nodes[id].end && placed(word));
    if (under.length) stroke(ctx, [[x, top], [under[0] - 10, yWord], [under.at(-1) + 10, yWord], [x, top]]);
  } else {
    const ends = [...words.map((word) => [middles[word], yWord]),
      ...kids.map((kid) => [place.x[kid], y(place.depth[kid]) - (down * BOX.h) / 2])];
    if (ends.length) stroke(ctx, [[x, top], [x, rail]]);
    for (const [end, to] of ends) stroke(ctx, [[x, rail], [end, rail], [end, to]]);
  }
  ctx.setLineDash([]);
}

// --------------------------------------------------------------------------------------------- the growing tree

const PACE = 420, ROW = 19, TOP = 20;

class ParseStage extends Stage {
  constructor(model, el) {
    super(model, el, "A tree, token by token");
    this.over = -1;
    this.tallest = 0;
    this.start(["data", "example", "line", "step", "layer", "head", "folded", "beam_size"]);
  }

  get given() { return this.get("meta").examples[this.get("example")]; }
  get line() { return this.get("meta").editable ? this.get("line") : this.given.line; }
  get last() { return this.reading.steps.length - 1; }
  get at() { const step = this.get("step"); return step < 0 ? this.last : Math.min(step, this.last); }
  get attended() { return this.get("meta").n_layers > 0; }

  // ---- the page

  load() {
    const meta = this.get("meta");
    this.attention = floatsOf(this.get("data"));
    [this.read, this.keyed] = ["", ""];
    this.title = headline();
    this.scroll = make("div", { class: "prs-scroll" }, this.canvas());
    this.said = make("div", { class: "prs-said" });
    this.stack = make("div", { class: "prs-stack", role: "group", "aria-label": "the stack, its top on the right" });
    this.below = make("div", { class: "prs-below" });
    this.root.classList.add("prs");
    this.root.dataset.view = meta.editable ? "repair" : "parse";
    this.frame(this.title, this.controls(), meta.editable ? this.lineInput() : "",
      make("div", { class: "prs-body" }, this.scroll, make("div", {}, this.listHead = small(""), this.lists())),
      this.said, this.stack, this.below);
  }

  controls() {
    const meta = this.get("meta");
    const button = (text, label, by) => make("button",
      { class: "view-chip", type: "button", "aria-label": label, onclick: () => { this.rest(); this.go(this.at + by); } }, text);
    this.sentences = choice(meta.editable ? "Line" : "Example", meta.examples.map(({ name }, i) => [i, name]),
      ({ target }) => this.choose(Number(target.value)));
    this.player = chip("▶ play", () => this.play(PACE), { class: "view-chip prs-play" });
    this.steps = slider("Tokens said", { class: "prs-slider", min: 0, max: 1, step: 1 },
      ({ target }) => { this.rest(); this.go(target.valueAsNumber); });
    this.count = span("view-value prs-count", "");
    const some = (n, all) => [[-1, all], ...Array.from({ length: n }, (_, i) => [i, String(i)])];
    this.layers = choice("Layer", some(meta.n_layers, "mean"), ({ target }) => this.set({ layer: Number(target.value) }));
    this.heads = choice("Head", some(meta.n_heads, "mean"), ({ target }) => this.set({ head: Number(target.value) }));
    this.beams = choice("Search", meta.beams.map((n) => [n, n === 1 ? "greedy" : `beam of ${n}`]),
      ({ target }) => this.set({ beam_size: Number(target.value) }));
    return controls(field(meta.editable ? "Line" : "Example", this.sentences), this.player,
      make("span", { class: "view-field" }, button("◀", "One token back", -1), this.steps, button("▶", "One token on", 1), this.count),
      ...(this.attended ? [field("Layer", this.layers), field("Head", this.heads)] : []),
      ...(meta.beams.length ? [field("Search", this.beams)] : []));
  }

  lineInput() {
    this.input = make("textarea", { class: "prs-input", rows: 2, spellcheck: "false", "aria-label": "Tree tokens",
      oninput: ({ target }) => this.set({ line: target.value, step: -1, folded: [] }) });
    return make("div", { class: "prs-line" }, this.input,
      make("div", { class: "view-chips" }, this.remove = chip("remove this token", () => this.without()),
      this.twice = chip("say it twice", () => this.without(2)), chip("as it was", () => this.choose(this.get("example")))));
  }

  /** Take the token of the step shown away, or say it so many times. */
  without(times = 0) {
    const { at } = this, tokens = this.reading.tokens.slice();
    if (at < 1 || at > tokens.length) return;
    tokens.splice(at - 1, 1, ...Array(times).fill(tokens[at - 1]));
    this.set({ line: tokens.join(" "), step: Math.min(at, tokens.length), folded: [] });
  }

  choose(example) {
    this.rest();
    const given = this.get("meta").examples[example];
    this.set({ example, step: -1, folded: [], ...(this.get("meta").editable ? { line: given.line } : {}) });
    this.announce(given.words.join(" "));
  }

  canvas() {
    this.tree = board({ class: "prs-canvas",
      "aria-label": "The tree. Left and right arrows: a token back or on; Enter or a click folds a bracket; up and down choose one." }, {
      at: (x, y) => ({ node: nodeUnder(this.boxes ?? [], x, y) }),
      look: (found) => this.point(found?.node ?? -1), click: ({ node }) => { if (node >= 0) this.fold(node); },
        key: (event) => this.treeKey(event),
    });
    return this.tree;
  }

  lists() {
    this.list = board({ class: "prs-list",
      "aria-label": "The tokens, one a row; a click goes there. Up and down arrows: a token back or on." }, {
      at: (x, y) => ({ row: Math.floor(y / ROW) + 1, column: Math.floor((x - this.cells.left) / this.cells.wide) }),
      look: (found) => this.overCell(found), click: ({ row }) => { this.rest(); this.go(row); }, key: ({ key }) => this.listKey(key),
    });
    return (this.listScroll = make("div", { class: "prs-listscroll" }, this.list));
  }

  // ---- gestures

  go(step) {
    const at = clamp(step, this.last + 1);
    this.set({ step: at === this.last ? -1 : at });
    this.announce(told(this.reading, at, this.given.words, this.get("meta").repairs));
  }

  point(node) {
    if (this.over === node) return;
    this.over = node;
    this.schedule();
  }

  overCell(found) {
    this.cell = found && found.row <= this.last && found.column >= 0 && found.column < this.cells.n ? found : null;
    this.schedule();
  }

  fold(node) {
    const folded = this.get("folded"), has = folded.includes(node), { label } = this.reading.nodes[node];
    this.set({ folded: has ? folded.filter((one) => one !== node) : [...folded, node] });
    this.announce(`${label} ${has ? "unfolded" : "folded"}`);
  }

  treeKey({ key }) {
    if (key === "ArrowLeft" || key === "ArrowRight") { this.rest(); this.go(this.at + (key === "ArrowLeft" ? -1 : 1)); return true; }
    const drawn = (this.boxes ?? []).map(({ id }) => id), here = drawn.indexOf(this.over);
    if (key === "ArrowUp" || key === "ArrowDown") {
      this.over = drawn[clamp(here + (key === "ArrowUp" ? -1 : 1), drawn.length)] ?? -1;
      const node = this.reading.nodes[this.over];
      if (node) this.announce(`${node.label}, ${range(node.start, node.end)}`);
      this.schedule();
      return true;
    }
    if ((key === "Enter" || key === " ") && here >= 0) { this.fold(this.over); return true; }
    return false;
  }

  listKey(key) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (!by) return false;
    this.rest();
    this.go(this.at + by);
    return true;
  }

  // ---- texts and states

  wear() {
    const meta = this.get("meta"), { words } = this.given, key = `${this.get("example")}|${meta.version}|${this.line}`;
    if (this.read !== key) {
      [this.read, this.reading] = [key, read(this.line, words.length, meta.keep_tags)];
      if (this.exampleDrawn !== this.get("example")) [this.exampleDrawn, this.tallest] = [this.get("example"), 0];
      if (this.input && this.input.value !== this.line) this.input.value = this.line;
    }
    this.rows = this.attended ? this.weights() : null;
    const { at, last } = this, { steps, tokens } = this.reading;
    say(this.title, words.join(" "));
    say(this.badge, this.given.shows ?? meta.shows);
    [this.steps.max, this.steps.value] = [last, at];
    say(this.count, at > tokens.length ? `all ${tokens.length}, and the end` : `${at} of ${tokens.length}`);
    say(this.player, this.pulse ? "❚❚ stop" : at === last ? "▶ play from the start" : "▶ play");
    for (const [select, name] of [[this.sentences, "example"], [this.layers, "layer"], [this.heads, "head"],
      [this.beams, "beam_size"]]) select.value = this.get(name);
    this.beams.disabled = !this.connected;
    say(this.said, told(this.reading, at, words, meta.repairs));
    this.said.classList.toggle("prs-fault", steps[at].faults.length > 0);
    say(this.listHead,
      this.rows ? `each token, and what it read: rows are queries, columns keys (${words.length} words, </s>), rows sum to 1`
      : "each token, and what the stack does");
    for (const button of [this.remove, this.twice]) if (button) button.disabled = at < 1 || at > tokens.length;
    this.wearStack(steps[at]);
    this.wearBelow();
    Object.assign(this.root.dataset, { step: at, last, stack: steps[at].stack.map((id) => this.reading.nodes[id].label).join(" "),
      brackets: this.reading.brackets.length, counts: JSON.stringify(this.reading.counts) });
  }

  weights() {
    const { words, begin, n_rows: T } = this.given, { n_layers: L, n_heads: H } = this.get("meta"), S = words.length + 1;
    const key = `${this.read}|${this.get("layer")}|${this.get("head")}`;
    if (this.keyed !== key) [this.keyed, this.kept] = [key,
      rowsOf(this.attention.subarray(begin, begin + T * L * H * S), { T, S, L, H }, this.get("layer"), this.get("head"))];
    return this.kept;
  }

  wearStack({ stack }) {
    const { nodes } = this.reading, chips = stack.map((id, i) =>
      span(i === stack.length - 1 ? "prs-open prs-top" : "prs-open", nodes[id].label));
    this.stack.replaceChildren(span("view-quiet", "stack"), ...(chips.length ? chips : [span("view-quiet", "(empty)")]),
      ...(chips.length ? [span("view-quiet", "← the next )X pops this one")] : []));
  }

  /** The steps of repair with their counts so far; nothing where nothing was ever repaired and nothing can be broken. */
  wearBelow() {
    const { repairs, editable } = this.get("meta"), { steps, counts } = this.reading, text = `${this.read}|${this.at}`;
    if (this.belowAs === text) return;
    this.belowAs = text;
    if (!editable && !Object.keys(counts).length) return this.below.replaceChildren(hint("Well-formed: nothing to repair."));
    const so_far = {};
    for (const [name, times] of steps.slice(0, this.at + 1).flatMap(({ faults }) => faults)) so_far[name] = (so_far[name] ?? 0) + times;
    const row = ([name, what]) => make("tr", { class: so_far[name] ? "prs-did" : "", "data-repair": name },
      make("td", {}, String(so_far[name] ?? 0)), make("th", { scope: "row" }, what));
    this.below.replaceChildren(table("prs-repairs", ["so far", "repair, in the order in which it is done"],
      Object.entries(repairs).map(row)));
  }

  // ---- the canvases

  paint() {
    const room = this.scroll.clientWidth;
    if (!room) return;
    this.measure(room);
    const { end, place } = this.laid, foot = this.rows ? 62 : 30;
    this.room = this.get("meta").keep_tags ? 30 : 14;   // between the words and the lines: a tag stands there
    this.tall = Math.max(34, Math.min(46, 420 / place.rows));
    this.yWord = TOP + place.rows * this.tall + this.room - 14;
    this.tallest = Math.max(this.tallest, this.yWord + foot, 250);
    this.tree.style.width = `${Math.max(room, end + (this.rows ? 50 : 8))}px`;
    this.tree.style.height = `${this.tallest}px`;
    this.listScroll.style.height = `${this.tallest - 18}px`;
    const page = prepared(this.tree);
    if (!page) return;
    this.followWord(room);
    this.paintTree(page.ctx);
    this.paintWords(page.ctx);
    this.paintList();
  }

  measure(room) {
    const key = `${this.read}|${room}`;
    if (this.measured === key) return;
    this.measured = key;
    const ctx = this.tree.getContext("2d"), { words } = this.given, widthsOf = (size) => slots([this.reading], words, measurer(ctx, size));
    const spread = fitWords(widthsOf, room - (this.rows ? 50 : 10), Boolean(this.rows));
    this.laid = { ...spread, place: layoutTree(this.reading, spread) };
  }

  /** Of a tree wider than the page, keep the last word placed in sight. */
  followWord(room) {
    const { middles } = this.laid, key = `${this.read}|${this.at}`;
    if (this.followed === key) return;
    this.followed = key;
    const x = middles[Math.max(0, this.reading.steps[this.at].at - 1)] ?? 0;
    this.scroll.scrollLeft = this.at === this.last ? 0 : Math.max(0, x - room + 120);
  }

  paintTree(ctx) {
    const { look, at, last } = this, { nodes, steps, leaf } = this.reading, { stack } = steps[at], { place, middles } = this.laid,
      folded = this.get("folded");
    const here = steps[at].node, gone = (node) => at === last && node.dropped;
    this.boxes = drawTree(ctx, {
      nodes, place, middles, down: 1, y: (depth) => TOP + depth * this.tall, yWord: this.yWord - this.room,
        shown: (id) => nodes[id].opened <= at, folded: (id) => folded.includes(id),
      placed: (word) => word < steps[at].at || (at === last && leaf[word] >= 0),
      style: (id) => {
        const node = nodes[id], odd = node.origin !== "said" || gone(node), open = stack.includes(id),
          ink = odd ? look.wrong : id === here ? look.query : look.ink;
        return { ink, fill: open ? ink : look.page, text: open ? look.page : ink, dash: odd ? [4, 3] : [],
          wide: id === here || id === this.over ? 2.6 : 1.2 };
      },
    });
    this.tree.dataset.boxes = JSON.stringify(this.boxes.map(({ id, x, y }) => [nodes[id].label, Math.round(x), Math.round(y)]));
  }

  /** The words; below them, where the token of this step was reading. */
  paintWords(ctx) {
    const { look, at, yWord } = this, { middles, end, size } = this.laid, { words } = this.given, { steps, tags } = this.reading,
      { keep_tags } = this.get("meta"), row = this.rows?.[at - 1];
    ctx.textAlign = "center";
    words.forEach((word, i) => {
      const done = i < steps[at].at, now = i === steps[at].at - 1 && steps[at].act === "word";
      ctx.font = `${now ? "700 " : ""}${size}px ${SANS}`;
      ctx.fillStyle = done ? (this.rows ? look.key : look.ink) : look.quiet;
      ctx.globalAlpha = done ? 1 : 0.75;
      ctx.fillText(visible(word), middles[i], yWord);
      ctx.globalAlpha = 1;
      if (done && keep_tags) this.paintTag(ctx, tags[i], middles[i], yWord - 19, now);
    });
    if (!this.rows) return void (ctx.textAlign = "left");
    const places = [...middles, end + 24], wide = Math.min(40, ...middles.map((x, i) => places[i + 1] - x - 2));
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = look.quiet;
    ctx.fillText("</s>", places.at(-1), yWord);
    if (row) places.forEach((x, i) => this.paintWeight(ctx, row[i], x, yWord + 16, wide));
    ctx.textAlign = "left";
  }

  paintTag(ctx, tag, x, y, now) {
    ctx.font = `${now ? "700" : "500"} 13px ${MONO}`;
    ctx.fillStyle = now ? this.look.query : this.look.quiet;
    ctx.fillText(tag, x, y);
  }

  paintWeight(ctx, weight, x, y, wide) {
    ctx.fillStyle = this.shade(weight);
    ctx.fillRect(x - wide / 2, y, wide, 14);
    ctx.strokeStyle = this.look.line;
    ctx.lineWidth = 1;
    ctx.strokeRect(x - wide / 2 + 0.5, y + 0.5, wide - 1, 13);
    ctx.fillStyle = weight >= 0.1 ? this.look.ink : this.look.quiet;
    ctx.font = `${weight >= 0.1 ? "600 " : ""}${wide < 38 ? 10 : 11}px ${SANS}`;
    ctx.fillText(weight < 0.01 ? "<0.01" : wide < 38 ? weight.toFixed(3) : written(weight), x, y + 24);   // all digits: point at the row
  }

  shade(weight) {
    const at = 6 * Math.round(255 * Math.min(1, Math.max(0, weight)));
    return `#${this.look.weights.slice(at, at + 6)}`;
  }

  paintList() {
    const { at, last } = this, width = this.listScroll.clientWidth - 14, n = this.given.words.length + 1;
    this.list.style.height = `${ROW * last}px`;
    this.list.style.width = `${width}px`;
    const page = prepared(this.list);
    if (!page) return;
    const { ctx } = page, left = this.rows ? Math.max(118, width - 17 * n - 4) : 118;
    this.cells = { left, wide: (width - left - 4) / n, n: this.rows ? n : 0 };
    if (this.rows) this.paintMap(ctx, at);
    for (let k = 1; k <= last; k++) this.paintRow(ctx, k, width, k <= at ? 1 : 0.35);
    ctx.globalAlpha = 1;
    if (this.cell) this.paintCell(ctx);
    if (this.shownRow !== `${this.read}|${at}`) {
      this.shownRow = `${this.read}|${at}`;
      const y = at * ROW, { scrollTop, clientHeight } = this.listScroll;
      if (y > scrollTop + clientHeight - ROW) this.listScroll.scrollTop = y - clientHeight + 2 * ROW;
      if (y - ROW < scrollTop) this.listScroll.scrollTop = Math.max(0, y - 2 * ROW);
    }
  }

  /** All rows at once, those still to come paler. */
  paintMap(ctx, at) {
    const { rows } = this, { left, wide, n } = this.cells,
      place = { rows: rows.length, cols: n, left, top: 0, right: left + wide * n, bottom: ROW * rows.length };
    paintCells(ctx, rows.flat().map((weight) => level(weight, 1, false)), this.colours, place);
    ctx.fillStyle = this.look.page;
    ctx.globalAlpha = 0.6;
    ctx.fillRect(left, ROW * at, wide * n, ROW * (rows.length - at));
    ctx.globalAlpha = 1;
  }

  paintRow(ctx, k, width, alpha) {
    const { look, at, last } = this, { steps, nodes } = this.reading, { token, act, stack, faults, node } = steps[k], y = (k - 0.5) * ROW;
    ctx.globalAlpha = alpha;
    if (k === at) {
      ctx.fillStyle = look.line;
      ctx.fillRect(0, y - ROW / 2, this.cells.n ? this.cells.left - 1 : width, ROW);
    }
    const deep = Math.min(8, act === "push" ? stack.length - 1 : stack.length), x = 6 + 7 * deep,
      text = k === last ? "</s>" : visible(token);
    ctx.font = `${k === at ? "700" : "500"} 13px ${MONO}`;
    ctx.fillStyle = faults.length ? look.wrong : this.rows ? look.query : look.ink;
    ctx.fillText(fitted(ctx, text, this.cells.left - x - 6), x, y);
    if (faults.length) { ctx.fillRect(x, y + 7, Math.min(ctx.measureText(text).width, this.cells.left - x - 6), 2); }
    if (this.rows) {
      ctx.lineWidth = k === at ? 2 : 1;
      ctx.strokeStyle = k === at ? look.query : look.line;
      ctx.strokeRect(this.cells.left - 0.5, y - ROW / 2 + 0.5, this.cells.wide * this.cells.n, ROW - 1);
    } else {
      const what = faults.length ? faults.map(([name]) => name).join(", ")
        : { push: "push", word: `word ${steps[k].at}`, pop: "pop", end: "end" }[act] ?? act;
      ctx.font = `13px ${SANS}`;
      ctx.fillStyle = faults.length ? look.wrong : look.quiet;
      ctx.fillText(fitted(ctx, node >= 0 && act !== "word" ? `${what} ${nodes[node].label}` : what, width - this.cells.left - 8),
        this.cells.left + 4, y);
    }
  }

  /** The weight under the pointer, in the place of its row's shades. */
  paintCell(ctx) {
    const { row, column } = this.cell, weight = this.rows?.[row - 1]?.[column];
    if (weight === undefined) return;
    const key = this.given.words[column] ?? "</s>", text = `${visible(key)} ${written(weight)}`, y = (row - 0.5) * ROW;
    ctx.font = `600 13px ${SANS}`;
    const wide = ctx.measureText(text).width + 10,
      x = Math.min(this.cells.left + column * this.cells.wide, this.cells.left + this.cells.wide * this.cells.n - wide);
    ctx.fillStyle = this.look.page;
    ctx.fillRect(x, y - ROW / 2, wide, ROW);
    ctx.strokeStyle = this.look.ink;
    ctx.strokeRect(x + 0.5, y - ROW / 2 + 0.5, wide - 1, ROW - 1);
    ctx.fillStyle = this.look.ink;
    ctx.fillText(text, x + 5, y);
    this.list.title = evident(`query ${this.reading.steps[row].token || "</s>"}, key ${key}: ${weight.toPrecision(8)}`);
  }
}

// --------------------------------------------------------------------------------------- gold against predicted

const SIDES = ["gold", "predicted"];

class ScoreStage extends Stage {
  constructor(model, el) {
    super(model, el, "Gold against predicted");
    this.over = null;
    this.tallest = 0;
    this.start(["example", "predicted", "node"]);
  }

  get given() { return this.get("meta").examples[this.get("example")]; }

  load() {
    const meta = this.get("meta");
    this.keyed = "";
    this.title = headline();
    this.examples = choice("Example", meta.examples.map(({ name }, i) => [i, name]), ({ target }) => this.choose(Number(target.value)));
    this.scroll = make("div", { class: "prs-scroll" }, this.canvas());
    this.sums = make("div", { class: "prs-sums" });
    this.list = make("div", { class: "view-wide prs-brackets", tabindex: 0, role: "group",
      "aria-label": "brackets and how often each counts" });
    this.root.classList.add("prs");
    this.root.dataset.view = "score";
    this.frame(this.title,
      controls(field("Example", this.examples), this.legend()),
      make("div", { class: "prs-body" }, this.scroll, this.list), this.editing(), this.sums);
  }

  legend() {
    const key = (name, text) => legendKey(`prs-mark prs-${name}`, text);
    return make("span", { class: "dec-legend" }, key("matched", "✓ in both"), key("wrong", "✗ in one only"),
      key("uncounted", "does not count (grey words: punctuation)"));
  }

  editing() {
    const button = (text, what) => make("button",
      { class: "view-chip", type: "button", "data-edit": what, onclick: () => this.edit(what) }, text);
    this.labels = choice("Label", [], ({ target }) => this.edit("relabel", target.value));
    this.chosen = span("prs-chosen", "");
    this.buttons = [button("remove it", "remove"), button("attach higher", "higher"), button("attach lower", "lower")];
    this.input = make("textarea", { class: "prs-input", rows: 2, spellcheck: "false", "aria-label": "The predicted tree as tokens",
      oninput: ({ target }) => this.set({ predicted: target.value, node: -1 }) });
    this.mended = span("view-quiet", "");
    return make("div", { class: "prs-line" },
      make("div", { class: "view-chips prs-edit" }, this.chosen, this.labels, ...this.buttons,
      make("button", { class: "view-chip", type: "button", onclick: () => this.choose(this.get("example")) }, "as it was")),
      this.input, this.mended);
  }

  canvas() {
    const at = (x, y) => {
      for (const side of SIDES) {
        const id = nodeUnder(this.boxes?.[side] ?? [], x, y);
        if (id >= 0) return { side, id };
      }
      return { side: "", id: -1 };
    };
    this.tree = board({ class: "prs-canvas",
      "aria-label": "The gold tree above the words, the predicted one below. Arrow keys walk the predicted tree; Delete removes a "
        + "bracket." }, {
      at, look: (found) => this.point(found), click: ({ side, id }) => { if (side === "predicted") this.pick(id); },
        key: ({ key }) => this.walk(key),
    });
    return this.tree;
  }

  // ---- gestures

  choose(example) {
    this.tallest = 0;
    this.set({ example, predicted: this.get("meta").examples[example].predicted, node: -1 });
  }

  point(found) {
    const over = found && found.id >= 0 ? found : null;
    if (this.over?.id === over?.id && this.over?.side === over?.side) return;
    this.over = over;
    this.schedule();
  }

  pick(node) {
    this.set({ node: node === this.get("node") ? -1 : node });
    const one = this.work.predicted.nodes[node];
    this.announce(`${one.label}, ${range(one.start, one.end)}: ${this.work.score.fates.predicted[node]}`);
  }

  walk(key) {
    const node = this.get("node"), { nodes } = this.work.predicted;
    if (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(key)) {
      const up = { ArrowUp: "ArrowDown", ArrowDown: "ArrowUp" }[key] ?? key;   // its root is below
      const next = nodes[node] ? walkTree(this.laid.places.predicted, nodes, node, up, (id) => id >= 0) : 0;
      if (nodes[next] && next !== node) this.pick(next);
      return true;
    }
    if (key !== "Delete" && key !== "Backspace") return false;
    this.edit("remove");
    return true;
  }

  edit(what, label = "") {
    const line = edited(this.get("predicted"), this.given.words.length, this.get("node"), what, label);
    if (line === null) return;
    const { f1: before } = this.work.score;
    this.set({ predicted: line, node: what === "relabel" ? this.get("node") : -1 });
    this.announce(`F1 ${before.toFixed(1)} becomes ${this.work.score.f1.toFixed(1)}`);
  }

  // ---- texts and states

  /** All that follows from the two lines, worked out once. */
  get work() {
    const { words, tags, gold } = this.given, key = `${this.get("meta").version}|${this.get("example")}|${this.get("predicted")}`;
    if (this.keyed !== key) {
      const n = words.length, read_both = { gold: read(gold, n), predicted: read(this.get("predicted"), n) };
      const both = Object.fromEntries(SIDES.map((side) => [side, linked(read_both[side].brackets, n)]));
      this.keyed = key;
      this.worked = { ...both, counts: read_both.predicted.counts,
        score: scored(read_both.gold.brackets, read_both.predicted.brackets, tags) };
    }
    return this.worked;
  }

  wear() {
    const { words, shows } = this.given, { score, counts } = this.work, meta = this.get("meta");
    say(this.title, words.join(" "));
    say(this.badge, shows ?? meta.shows);
    this.examples.value = this.get("example");
    if (this.input.value !== this.get("predicted")) this.input.value = this.get("predicted");
    const mended = Object.entries(counts).map(([name, times]) => `${meta.repairs[name]}: ${times}`).join("; ");
    say(this.mended, mended ? `repaired before it is scored; ${mended}` : "well-formed");
    this.wearChosen();
    this.wearSums(score);
    this.wearList(score);
    Object.assign(this.root.dataset, { matched: score.matched, gold: score.gold, predicted: score.predicted, f1: score.f1.toFixed(2) });
  }

  wearChosen() {
    const id = this.get("node"), one = this.work.predicted.nodes[id], n = this.given.words.length;
    say(this.chosen, one ? `${one.label} over ${range(one.start, one.end)}:` : "Click a bracket of the predicted tree to change it.");
    for (const button of this.buttons) button.disabled = !one || edited(this.get("predicted"), n, id, button.dataset.edit) === null;
    this.labels.disabled = !one;
    const labels = [...new Set([...this.get("meta").labels, ...this.work.predicted.nodes.map(({ label }) => label)])].sort();
    if (this.labelled !== labels.join(" ")) {
      this.labelled = labels.join(" ");
      this.labels.replaceChildren(...labels.map((label) => make("option", { value: label }, label)));
    }
    if (one) this.labels.value = one.label;
  }

  wearSums({ matched, gold, predicted, precision, recall, f1 }) {
    const sum = (name, above, below, value) => make("div", { class: "prs-sum" }, span("prs-name", name),
      make("span", { class: "prs-fraction" }, span("", above), span("", below)), span("prs-number", `= ${value.toFixed(1)}`));
    this.sums.replaceChildren(sum("precision", `${matched} matched`, `${predicted} predicted`, precision),
      sum("recall", `${matched} matched`, `${gold} gold`, recall),
      sum("F1", `2 × ${matched}`, `${predicted} + ${gold}`, f1));
  }

  wearList({ rows }) {
    const here = this.over ?? { side: "predicted", id: this.get("node") }, lit = here.id >= 0 ? this.like(here) : null;
    const row = (one) => {
      const mine = lit && lit.label === one.label && lit.start === one.start && lit.end === one.end,
        kind = one.gold === one.predicted ? "prs-both" : "prs-one";
      return make("tr", { class: `${kind} ${mine ? "view-here" : ""}` }, make("th", { scope: "row" }, one.label),
        make("td", {}, `${one.start}–${one.end}`),
        make("td", {}, String(one.gold)), make("td", {}, String(one.predicted)), make("td", {}, String(one.matched)));
    };
    const sums = this.work.score, total = make("tr", { class: "prs-total" }, make("th", { scope: "row" }, "all"), make("td", {}, ""),
      ...[sums.gold, sums.predicted, sums.matched].map((n) => make("td", {}, String(n))));
    this.list.replaceChildren(table("prs-table", ["label", "span", "gold", "predicted", "matched"], [...rows.map(row), total]));
  }

  /** As what a bracket is compared. */
  like({ side, id }) {
    const { words, tags } = this.given, list = this.work[side].nodes;
    return words.length && list[id] ? compared([list[id]], tags)[0] : null;
  }

  // ---- the canvas

  paint() {
    const room = this.scroll.clientWidth, { words } = this.given;
    if (!room) return;
    const key = `${this.keyed}|${room}`;
    if (this.measured !== key) {
      this.measured = key;
      const both = SIDES.map((side) => this.work[side]), ctx = this.tree.getContext("2d");
      const wide = (size) => (text, isWord) => measurer(ctx, size)(text, isWord) + (isWord ? 0 : 12);
      const spread = fitWords((size) => slots(both, words, wide(size)), room - 10);
      this.laid = { ...spread, places: Object.fromEntries(SIDES.map((side) => [side, layoutTree(this.work[side], spread)])) };
    }
    const { end, places } = this.laid, tall = Math.max(34, Math.min(42, 460 / (places.gold.rows + places.predicted.rows)));
    this.middle = TOP + 16 + Math.max(places.gold.rows, 1) * tall;
    this.tallest = Math.max(this.tallest, this.middle + 40 + places.predicted.rows * tall, 260);
    this.tree.style.width = `${Math.max(room, end + 8)}px`;
    this.tree.style.height = `${this.tallest}px`;
    const page = prepared(this.tree);
    if (page) this.draw(page.ctx, tall);
  }

  draw(ctx, tall) {
    const { look, middle } = this, { middles, places, size } = this.laid, { words, tags } = this.given;
    ctx.font = `600 13px ${SANS}`;
    ctx.fillStyle = look.quiet;
    ctx.fillText("gold", 2, 10);
    ctx.fillText("predicted", 2, middle + 36 + (places.predicted.rows - 1) * tall + 18);
    const sides = { gold: { down: 1, yWord: middle - 12,
      y: (depth) => TOP + 12 + depth * tall + (Math.max(0, middle - TOP - 16 - places.gold.rows * tall)) },
      predicted: { down: -1, yWord: middle + 12, y: (depth) => middle + 34 + (places.predicted.rows - 1 - depth) * tall } };
    this.boxes = Object.fromEntries(SIDES.map((side) => [side, this.drawSide(ctx, side, sides[side])]));
    ctx.textAlign = "center";
    words.forEach((word, i) => {
      const counts = !DELETED.has(tags[i]);
      ctx.font = `${size}px ${SANS}`;
      ctx.fillStyle = counts ? look.ink : look.quiet;
      ctx.fillText(visible(word), middles[i], middle);
    });
    ctx.textAlign = "left";
    const marked = (side) => this.boxes[side].map(({ id, x, y }) =>
      [this.work[side].nodes[id].label, Math.round(x), Math.round(y), this.work.score.fates[side][id]]);
    this.tree.dataset.boxes = JSON.stringify(Object.fromEntries(SIDES.map((side) => [side, marked(side)])));
  }

  drawSide(ctx, side, where) {
    const { look } = this, { nodes } = this.work[side], fates = this.work.score.fates[side],
      colours = { matched: look.value, wrong: look.wrong, uncounted: look.quiet };
    const lit = this.over && this.like(this.over),
      mine = (id) => { const own = lit && this.like({ side, id });
      return own && own.label === lit.label && own.start === lit.start && own.end === lit.end; };
    const boxes = drawTree(ctx, { nodes, place: this.laid.places[side], middles: this.laid.middles, ...where, shown: () => true,
      folded: () => false, placed: () => true,
      style: (id) => {
        const ink = colours[fates[id]], picked = side === "predicted" && id === this.get("node");
        return { ink, fill: picked ? ink : look.page, text: picked ? look.page : ink, dash: fates[id] === "matched" ? [] : [4, 3],
          wide: picked || mine(id) ? 3 : 1.4 };
      } });
    ctx.font = `700 13px ${SANS}`;
    for (const { id, x, y, w } of boxes) {
      ctx.fillStyle = colours[fates[id]];
      ctx.fillText({ matched: "✓", wrong: "✗" }[fates[id]] ?? "", x + w / 2 + 2, y - 1);
    }
    return boxes;
  }
}

const VIEWS = { parse: ParseStage, score: ScoreStage };

/** What the controls do, by name or class. */
const HINTS = {
  ".prs-play": "say the tree token by token, or rest", "One token back": "one token earlier",
  "One token on": "one token later", "Tokens said": "how much of the tree has been said", "Layer": "whose cross-attention is shown",
  "Head": "whose cross-attention is shown", "Search": "how the tree was searched", "Line": "another example",
  "Tree tokens": "the line of tokens; change it", "remove this token": "and see how the line is repaired",
  "say it twice": "and see how the line is repaired", "as it was": "take back what was changed here",
  "Example": "another sentence and its tree", "Label": "another label for the bracket chosen",
  "remove it": "take the bracket out of the predicted tree", "attach higher": "take it out of its parent",
  "attach lower": "put it into its neighbour", "The predicted tree as tokens": "change the tree that is scored",
};

export default { initialize, render: (given) => widget(VIEWS[given.model.get("meta").view], HINTS).render(given) };
