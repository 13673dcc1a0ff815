// The graph of one target word: its decoder rows, the cross rows, the encoder rows of the sources they read, all layers joined.
// Edges come with what goes along each, from Python or the page's model; which are shown, and the paths through a node, are found here.

import {
  MONO, SANS, STEPS, Stage, board, chip, clamp, controls, disc, fields, fitted, floatsOf, headline, label, legendKey, make, many,
  missing, prepared, say, slider, span, stroke, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const FIELDS = 6;

/** The edges of a row from a threshold on, the widest first: { kind, layer, head, from, to, amount } with nodes by name. */
export function edgesOf(numbers, { starts, kinds, n_layers }, row, threshold) {
  const edges = [];
  for (let at = starts[row]; at < starts[row + 1]; at++) {
    const [kind, layer, head, from, to, amount] = numbers.subarray(at * FIELDS, (at + 1) * FIELDS), name = kinds[kind];
    if (amount < threshold) continue;
    const [first, residual] = name.split(" "), upper = first === "encoder" ? "encoder" : "decoder";
    const lower = first === "cross" ? ["encoder", n_layers] : [upper, layer];
    edges.push({ kind: residual ?? first, layer, head, amount, from: [upper, layer + 1, from].join(" "), to: [...lower, to].join(" ") });
  }
  return edges.sort((a, b) => b.amount - a.amount);
}

/** Every node at an end of these edges, with what comes into it along them. */
export function nodesOf(edges) {
  const nodes = new Map();
  for (const { from, to, amount } of edges) {
    if (!nodes.has(from)) nodes.set(from, 0);
    nodes.set(to, (nodes.get(to) ?? 0) + amount);
  }
  return nodes;
}

/** The edges on ways through a node: above it those that lead to it, below it those that leave it. */
export function through(edges, node) {
  const follow = (start, here, there) => {
    const [reached, taken] = [new Set([start]), new Set()];
    for (let grows = true; grows;) {
      grows = false;
      for (const edge of edges) {
        if (!taken.has(edge) && reached.has(edge[here])) { taken.add(edge); reached.add(edge[there]); grows = true; }
      }
    }
    return taken;
  };
  return new Set([...follow(node, "to", "from"), ...follow(node, "from", "to")]);
}

/** The heads that make some edges, those along which most goes first: [[kind, layer, head], amount]. */
export function headsOf(edges) {
  const amounts = new Map();
  for (const { kind, layer, head, amount } of edges) {
    if (kind === "residual") continue;
    const name = [kind, layer, head].join(" ");
    amounts.set(name, (amounts.get(name) ?? 0) + amount);
  }
  return [...amounts].sort((a, b) => b[1] - a[1]).map(([name, amount]) =>
    [name.split(" ").map((part, i) => (i ? Number(part) : part)), amount]);
}

/** The list of heads with one more, or without it where it is there. */
export const toggled = (off, at) => (off.some((one) => String(one) === String(at)) ? off.filter((one) => String(one) !== String(at))
  : [...off, at]);

/** A node in words. */
export function nodeName(node, { source, inputs, n_layers }) {
  const [stack, level, place] = node.split(" "), word = visible((stack === "encoder" ? source : inputs)[place]);
  const where = Number(level) === 0 ? "embedding" : `${stack} after layer ${level - 1}${Number(level) === n_layers ? ", the last" : ""}`;
  return `${word}, ${where}`;
}

/** An edge's maker in words. */
const makerName = ({ kind, head }) => (kind === "residual" ? "the residual" : `${kind} head ${head}`);

/** What a node holds of the target word, and the largest share of that; amount: of the word's whole, missing where nothing comes. */
export function nodeInWords(node, amount, edges, meta) {
  const strongest = edges.find(({ from }) => from === node);
  const next = strongest ? `; the largest share of it is from ${nodeName(strongest.to, meta)}: `
    + `${written(strongest.amount)} of the same whole, by ${makerName(strongest)}` : "";
  return `${nodeName(node, meta)}: ${missing(amount) ? "nothing" : written(amount)} of the target word’s whole${next}`;
}

/** A head's short name: its kind, layer·head. */
export const headName = ([kind, layer, head]) => `${kind} ${layer}·${head}`;

/** Which heads were taken out, and what that does to the first translation; total: of its log-probability, after less before. */
export const lossInWords = (off, total) =>
  `without ${off.map(headName).join(", ")} the first translation is ${written(Math.abs(total))} nats ${total < 0 ? "less" : "more"} likely`;

/** Where nodes lie: the encoder left, the decoder right, the embeddings below; room: the pixels that slanted words take there. */
export function layoutOf(width, height, { source, inputs, n_layers }, room) {
  const [left, right, top, bottom, gap] = [10 + room.left, width - 10, 16, height - room.below, 40];
  const step = (right - left - gap) / (source.length + inputs.length), tall = (bottom - top) / n_layers;
  return (node) => {
    const [stack, level, place] = node.split(" ").map((part, i) => (i ? Number(part) : part));
    const start = stack === "encoder" ? left : left + gap + step * source.length;
    return [start + (place + 0.5) * step, bottom - level * tall];
  };
}

// ------------------------------------------------------------------------------------------------------- the view

const INKS = { encoder: "key", decoder: "query", cross: "value", residual: "quiet" };
const EDGES = { residual: "the residual", cross: "cross-attention", decoder: "decoder self-attention", encoder: "encoder self-attention" };
const LEAST = 0.005, MOST = 0.3;   // of the threshold's slider, which is logarithmic
const HEADS = 8;   // of a path, offered to be taken out
const NAMES = { font: `13px ${MONO}`, slant: Math.PI / 4, longest: 140 };   // of the words, below

class View extends Stage {
  constructor(model, el) {
    super(model, el, "What one word is made of");
    this.over = null;
    this.start(["data", "row", "threshold", "pin", "off", "ablation"]);
  }

  get at() { return clamp(this.get("row"), this.get("meta").target.length); }

  load() {
    const { title, target } = this.get("meta");
    this.numbers = floatsOf(this.get("data"));
    this.chips = target.map((word, row) => chip(visible(word), () => this.pick({ row }), { class: "view-chip evi-word" }));
    this.bar = slider("threshold", { min: 0, max: 100, step: 1, class: "evi-slider" },
      ({ target: bar }) => this.pick({ threshold: LEAST * (MOST / LEAST) ** (bar.valueAsNumber / 100) }));
    this.count = span("view-value", "");
    this.told = make("p", { class: "view-cell" });
    this.path = make("div", { class: "view-chips evi-path" });
    this.after = make("p", { class: "view-translation evi-said" });
    this.drawing = board({ class: "evi-graph", "aria-label": "Graph of contributions: encoder left, decoder right, last layers above. "
      + "Arrow keys walk from node to node, Enter holds its paths." }, {
      at: (x, y) => this.nodeUnder(x, y), look: (node) => this.point(node), click: (node) => this.hold(node),
      key: (event) => this.walk(event),
    });
    const legend = Object.entries(EDGES).map(([kind, name]) => legendKey(`evi-edge evi-${kind}`, name));
    this.frame(headline(title), controls(fields("Word", make("span", { class: "view-chips" }, ...this.chips)),
      fields("Edges from", this.bar, this.count)), make("figure", { class: "view-map" }, this.drawing),
    make("div", { class: "dec-legend" }, ...legend, "the wider an edge, the larger its share"), this.told, this.path, this.after);
  }

  csv() {
    return [["kind", "layer", "head", "from", "to", "amount"], ...this.edges.map(({ kind, layer, head, from, to, amount }) =>
      [kind, layer, head, nodeName(from, this.get("meta")), nodeName(to, this.get("meta")), amount])];
  }

  pick(changes) {
    this.over = null;
    this.set("row" in changes ? { ...changes, pin: "" } : changes);
    this.announce(() => this.told.textContent);
    this.schedule();
  }

  point(node) {
    this.over = node;
    this.schedule();
  }

  /** Hold the paths through a node in the light, or let go of them. */
  hold(node) {
    this.set({ pin: this.get("pin") === node ? "" : node });
    this.schedule();
  }

  atPointer() { return this.over ? this.told.textContent : ""; }

  nodeUnder(x, y) {
    const near = [...this.nodes.keys()].map((node) => [node, Math.hypot(...this.placed(node).map((at, i) => at - [x, y][i]))]);
    const [node, far] = near.reduce((best, one) => (one[1] < best[1] ? one : best), [null, 14]);
    return far < 14 ? node : null;
  }

  /** Arrow keys: to the nearest node in that direction; at first to the word's own. */
  walk({ key }) {
    if (key === "Enter" && this.over) { this.hold(this.over); return true; }
    const move = STEPS[key];
    if (!move) return false;
    const from = this.over ?? this.first, [x, y] = this.placed(from);
    const ahead = [...this.nodes.keys()].filter((node) => node !== from).map((node) => {
      const [dx, dy] = this.placed(node).map((at, i) => at - [x, y][i]), along = dx * move[1] + dy * move[0];
      return [node, along > 1 ? along + 2 * Math.abs(dx * move[0] + dy * move[1]) : Infinity];
    });
    const [node, cost] = ahead.reduce((best, one) => (one[1] < best[1] ? one : best), [from, Infinity]);
    this.over = this.over && cost < Infinity ? node : from;
    this.announce(this.inWords(this.over));
    this.schedule();
    return true;
  }

  get first() { return ["decoder", this.get("meta").n_layers, this.at].join(" "); }

  inWords(node) {
    return nodeInWords(node, node === this.first ? 1 : this.held.get(node), this.edges, this.get("meta"));
  }

  // ---- texts and states

  wear() {
    const meta = this.get("meta"), threshold = this.get("threshold");
    this.edges = edgesOf(this.numbers, meta, this.at, threshold);
    this.nodes = nodesOf(this.edges);
    this.held = nodesOf(edgesOf(this.numbers, meta, this.at, 0));   // what hidden edges bring is held too
    if (!this.nodes.has(this.first)) this.nodes.set(this.first, 0);
    if (this.over && !this.nodes.has(this.over)) this.over = null;
    this.lit = this.over ?? (this.nodes.has(this.get("pin")) ? this.get("pin") : null);
    this.chips.forEach((node, row) => node.setAttribute("aria-pressed", row === this.at));
    this.bar.value = Math.round(100 * Math.log(Math.max(threshold, LEAST) / LEAST) / Math.log(MOST / LEAST));
    say(this.count, `${written(threshold)}: ${many(this.edges.length, "edge")}`);
    const sources = [...this.held].filter(([node]) => node.startsWith("encoder 0 ")).sort((a, b) => b[1] - a[1]).slice(0, 3);
    const list = sources.map(([node, amount]) => `${visible(meta.source[node.split(" ")[2]])} ${written(amount)}`).join(", ");
    say(this.told, this.lit ? this.inWords(this.lit) : `${visible(meta.target[this.at])} is said in the row that reads `
      + `${visible(meta.inputs[this.at])}. The source words with the largest shares of it: ${list || "none"}.`);
    this.wearPath();
    this.drawing.style.height = `${120 + 52 * meta.n_layers}px`;
    Object.assign(this.root.dataset, { row: this.at, edges: this.edges.length, threshold });
  }

  /** The heads along the paths that are held, to be taken out; and what the model says without them. */
  wearPath() {
    const pin = this.nodes.has(this.get("pin")) ? this.get("pin") : this.first, off = this.get("off"), ablation = this.get("ablation");
    const along = headsOf(through(this.edges, pin)).slice(0, HEADS).map(([at]) => at);
    const offered = [...along, ...off.filter((at) => !along.some((one) => String(one) === String(at)))];
    this.fill(this.path, [offered, off, this.connected], () => [span("view-quiet", "take out"), ...offered.map((at) => {
      const isOff = off.some((one) => String(one) === String(at));
      return chip(headName(at), () => this.pick({ off: toggled(this.get("off"), at) }),
        { class: "view-chip evi-head", "aria-pressed": String(isOff), "data-key": at.join(" "), disabled: !this.connected });
    })]);
    const now = off.length && String(ablation.off) === String(off);
    const told = this.connected ? "translating" : "it needs the model (open the notebook and run it) to translate";
    const waits = off.length ? `${told} without ${off.map(headName).join(", ")} …` : "";
    const words = (now ? ablation.words : []).flatMap(([word, isNew]) => [make(isNew ? "mark" : "span", {}, word), " "]);
    this.after.replaceChildren(...(now ? [span("view-quiet", "→ "), ...words, span("view-quiet",
      ` ${lossInWords(off, ablation.total)}`)] : [waits]));
  }

  // ---- painting

  placed(node) { return this.layout ? this.layout(node) : [0, 0]; }

  paint() {
    const page = prepared(this.drawing);
    if (!page) return;
    const { ctx, width, height } = page, meta = this.get("meta");
    this.layout = layoutOf(width, height, meta, this.room(ctx, width));
    const lit = this.lit ? through(this.edges, this.lit) : null;
    for (const edge of [...this.edges].reverse()) {
      ctx.globalAlpha = lit && !lit.has(edge) ? 0.12 : 0.7;
      Object.assign(ctx, { strokeStyle: this.look[INKS[edge.kind]], lineWidth: Math.max(0.6, 10 * Math.sqrt(edge.amount)) });
      stroke(ctx, [this.placed(edge.from), this.placed(edge.to)]);
    }
    ctx.globalAlpha = 1;
    for (const node of this.nodes.keys()) this.paintNode(ctx, node);
    this.paintWords(ctx, meta);
  }

  paintNode(ctx, node) {
    ctx.fillStyle = node === this.lit || node === this.first ? this.look.ink : this.look.quiet;
    disc(ctx, ...this.placed(node), node === this.lit ? 6 : 3.5);
  }

  /** The pixels that the words take left of the first node and below the lowest. */
  room(ctx, width) {
    ctx.font = NAMES.font;
    const { source, inputs } = this.get("meta"), words = [...source, ...inputs];
    const slanted = words.map((word) => Math.sin(NAMES.slant) * ctx.measureText(fitted(ctx, visible(word), NAMES.longest)).width);
    const widest = Math.max(...slanted), step = (width - 60 - widest) / words.length;
    return { left: Math.max(0, ...slanted.map((wide, place) => wide - place * step)), below: 24 + widest };
  }

  paintWords(ctx, { source, inputs, n_layers }) {
    const step = this.placed("encoder 0 1")[0] - this.placed("encoder 0 0")[0];
    for (const [stack, words, ink] of [["encoder", source, "key"], ["decoder", inputs, "query"]]) {
      words.forEach((word, place) => {
        const [x, y] = this.placed(`${stack} 0 ${place}`);
        ctx.save();
        ctx.translate(x + 4, y + 12);
        ctx.rotate(-NAMES.slant);
        label(ctx, fitted(ctx, visible(word), NAMES.longest), 0, 0, NAMES.font, this.look[ink], "right");
        ctx.restore();
      });
    }
    const [x, y] = this.placed(`decoder ${n_layers} 0`);
    label(ctx, "encoder", 10, 8, `12px ${SANS}`, this.look.quiet);
    label(ctx, "decoder", x - step / 2, y - 8, `12px ${SANS}`, this.look.quiet);
  }
}

/** What the controls do, by name or class. */
const HINTS = { "threshold": "hide edges along which less goes", ".evi-word": "what this word is made of",
  ".evi-head": "take this head (layer·head) out of the model, or put it back" };

export default widget(View, HINTS);
