// The gate by hand: Q and C·U of one layer, mixed by λ into Q̂ (keys alike), then scores, softmax, a row of weights.
//
// A model, in Python or in the page, gives Q, C·U and its own λ for every layer, head and word, of one sentence or of several
// that differ in one word. Everything after the mix is computed here.

import {
  MONO, SANS, STEPS, Stage, board, choice, clamp, controls, field, fields, fitted, floatsOf, headline, hit, label, legendKey,
  level, make, mapLabels, mapLayout, number, paintCells, paintGrid, prepared, say, slider, small, span, stroke, table, visible,
  widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** (1 − λ) own + λ context, number by number. */
export const mix = (own, context, gate) => Float64Array.from(own, (x, i) => (1 - gate) * x + gate * context[i]);

export const dot = (one, other) => one.reduce((sum, x, i) => sum + x * other[i], 0);

export function softmax(scores) {
  const top = Math.max(...scores), exps = scores.map((score) => Math.exp(score - top)), sum = exps.reduce((a, b) => a + b, 0);
  return exps.map((one) => one / sum);
}

/** The four products that a score of mixed vectors is the sum of: word · word, context · word, word · context, context · context. */
export function parts(q, contextQ, k, contextK, gateQ, gateK) {
  const root = Math.sqrt(q.length);
  return [(1 - gateQ) * (1 - gateK) * dot(q, k) / root, gateQ * (1 - gateK) * dot(contextQ, k) / root,
    (1 - gateQ) * gateK * dot(q, contextK) / root, gateQ * gateK * dot(contextQ, contextK) / root];
}

/** The numbers of a sentence in a layer: data holds, layer by layer, q, C·U_Q, k, C·U_K (H, n, K), then λ_Q and λ_K (n, G). */
export function reader(data, { n_sentences, n_layers, n_heads, n, d_k, n_gates }) {
  const block = n_heads * n * d_k, one = 4 * block + 2 * n * n_gates;
  if (data.length !== n_sentences * n_layers * one) throw new Error(`${data.length} numbers, not ${n_sentences * n_layers * one}`);
  const start = (sentence, layer) => (sentence * n_layers + layer) * one;
  return {
    vector(sentence, layer, what, head, i) {
      const from = start(sentence, layer) + ["q", "context_q", "k", "context_k"].indexOf(what) * block + (head * n + i) * d_k;
      return data.subarray(from, from + d_k);
    },
    gate(sentence, layer, side, head, i) {
      return data[start(sentence, layer) + 4 * block + (side === "q" ? 0 : n * n_gates) + i * n_gates + (n_gates > 1 ? head : 0)];
    },
  };
}

/** A head's attention with a gate for each query and key: gates(side, i) → λ. Scores and weights, row by row. */
export function attention(read, { sentence, layer, head, n }, gates) {
  const side = (name) => Array.from({ length: n }, (_, i) => mix(read.vector(sentence, layer, name, head, i),
    read.vector(sentence, layer, `context_${name}`, head, i), gates(name, i)));
  const queries = side("q"), keys = side("k"), root = Math.sqrt(queries[0].length);
  const scores = queries.map((q) => keys.map((k) => dot(q, k) / root));
  return { queries, keys, scores, weights: scores.map(softmax) };
}

/** Where the bars of one vector's numbers lie: x and width of each, y of 0 and how many pixels 1 is. */
export function bars(width, count, top, height, most) {
  const step = width / count;
  return { at: (i) => i * step + 1, wide: Math.max(1, step - 2), zero: top + height / 2, unit: height / 2 / (most || 1) };
}

// ------------------------------------------------------------------------------------------------------- the view

const SIDES = { q: { name: "queries", one: "query", letter: "Q", colour: "query" },
  k: { name: "keys", one: "key", letter: "K", colour: "key" } };
const HANDS = { q: "gate_q", k: "gate_k" }, PLACES = { q: "query", k: "key" };

class GateStage extends Stage {
  constructor(model, el) {
    super(model, el, "The gate between a word and its context");
    this.start(["data", "sentence", "layer", "head", "query", "key", "gate_q", "gate_k"]);
  }

  get tokens() { return this.get("meta").sentences[this.place.sentence].tokens; }

  // ---- the page

  load() {
    this.read = reader(floatsOf(this.get("data")), this.get("meta"));
    this.title = headline();
    this.boards = {};
    this.tuners = {};
    this.texts = {};
    this.root.classList.add("gate");
    this.frame(this.title, this.controls(),
      make("div", { class: "gate-tuners" }, this.tuner("q"), this.tuner("k")), this.figures());
  }

  controls() {
    const meta = this.get("meta");
    const pick = (name) => ({ target }) => { this.set({ [name]: Number(target.value) }); this.speak(); };
    const counted = (n, word, from = 0) => Array.from({ length: n }, (_, i) => [i, `${word}${i + from}`]);
    const words = meta.sentences[0].tokens.map((_, i) => [i, ""]);
    this.choices = {
      sentence: choice("Sentence", meta.sentences.map(({ name }, i) => [i, name]), pick("sentence")),
      layer: choice("Layer", meta.layers.map((layer, i) => [i, `layer ${layer}`]), pick("layer")),
      head: choice("Head", counted(meta.n_heads, "head "), pick("head")),
      query: choice("Query", words, pick("query")), key: choice("Key", words, pick("key")),
    };
    const fields = [field("Layer", this.choices.layer), field("Head", this.choices.head), field("Query", this.choices.query),
      field("Key", this.choices.key)];
    if (meta.sentences.length > 1) fields.unshift(field("Word", this.choices.sentence));
    return make("div", { class: "view-controls gate-controls" }, ...fields);
  }

  /** A slider for λ of one side, the model's own values as marks below it, and a button that goes back to them. */
  tuner(side) {
    const { name } = SIDES[side], label = `λ of ${name}`;
    const input = slider(label, { class: "gate-slider", min: 0, max: 1, step: 0.01 },
      ({ target }) => this.turn(side, target.valueAsNumber));
    const marks = make("div", { class: "gate-marks", "aria-hidden": "true" }), value = span("view-value gate-value", "");
    const back = make("button", { class: "view-chip", type: "button", onclick: () => this.turn(side, -1) }, "as the model has it");
    this.tuners[side] = { input, marks, value, back };
    return make("div", { class: `gate-tuner gate-${side}` }, make("label", { class: "gate-name" }, label),
      make("div", { class: "gate-track" }, input, marks), value, back);
  }

  turn(side, value) {
    this.set({ [HANDS[side]]: value });
    this.speak();
  }

  figures() {
    const canvas = (name, label, at, look) => {
      this.boards[name] = board({ class: `gate-board gate-${name}`, "aria-label": label }, {
        at, look: look ?? (() => {}), click: (found) => this.go(found), key: (event) => this.key(event) });
      return this.boards[name];
    };
    const map = (x, y) => {
      const found = this.layout && hit(this.layout, x, y);
      return found && (found.row >= 0 || found.col >= 0)
        ? { ...(found.row >= 0 && { query: found.row }), ...(found.col >= 0 && { key: found.col }) } : null;
    };
    this.vectorTitles = { q: make("div", { class: "view-name" }), k: make("div", { class: "view-name" }) };
    const vectors = (side) => make("figure", { class: "view-map" }, this.vectorTitles[side],
      small(`the word alone, its context, and the mix`),
      canvas(side, `The ${SIDES[side].one} as bars: ${SIDES[side].letter}, C·U, and the mix of both.`, () => null));
    this.rowTitle = make("div", { class: "view-name" });
    this.pair = make("div", { class: "gate-pair" });
    const row = canvas("row", "Weights of the query's row. Left and right arrows choose the key, up and down the query.",
      (x) => this.columnAt(x));
    return make("div", { class: "gate-figures" }, vectors("q"), vectors("k"),
      make("figure", { class: "view-map" }, make("div", { class: "view-name" }, "all weights of this head"),
      small("rows are queries, columns keys; each row sums to 1"),
        canvas("map", "Weights of the head: rows queries, columns keys. Arrow keys walk.", map)),
      make("figure", { class: "view-map gate-whole" }, this.rowTitle, row, this.legend()),
      make("figure", { class: "view-map" }, make("div", { class: "view-name" }, "the score of the pair"), this.pair));
  }

  legend() {
    const key = (name, text) => legendKey(`gate-key gate-key-${name}`, text);
    return make("div", { class: "dec-legend" }, key("now", "now"), key("model", "as the model has it"),
      key("none", "without context (λ = 0)"));
  }

  columnAt(x) {
    if (!this.columns) return null;
    const key = Math.floor((x - this.columns.left) / this.columns.wide);
    return key >= 0 && key < this.get("meta").n ? { key } : null;
  }

  key(event) {
    const step = STEPS[event.key];
    if (!step) return false;
    const { n } = this.get("meta");
    this.go({ query: clamp(this.get("query") + step[0], n), key: clamp(this.get("key") + step[1], n) });
    return true;
  }

  go(place) {
    this.set(place);
    this.speak();
  }

  /** What a change did, in words. */
  speak() {
    this.wear();
    const { query, key } = this.place, now = this.now.weights[query][key];
    const gates = `λ of ${this.word(query)} ${written(this.gate("q", query))}, of ${this.word(key)} ${written(this.gate("k", key))}`;
    this.announce(`${gates}: ${this.word(query)} gives ${this.word(key)} the weight ${written(now)}, `
      + `${written(this.bare.weights[query][key])} without context`);
  }

  word(i) { return visible(this.tokens[i]); }

  csv() {
    const words = this.tokens.map((_, i) => this.word(i)), { layer, head } = this.place;
    return [[`weights as the sliders have them, layer ${layer}, head ${head}`, ...words],
      ...this.now.weights.map((row, i) => [words[i], ...row])];
  }

  // ---- texts and states

  has(side) { return this.get("meta").has[this.place.layer][side]; }
  own(side, i) { return this.read.gate(this.place.sentence, this.place.layer, side, this.place.head, i); }
  gate(side, i) { return this.get(HANDS[side]) < 0 || !this.has(side) ? this.own(side, i) : this.get(HANDS[side]); }

  vectors(side, i) {
    const { sentence, layer, head } = this.place;
    return [side, `context_${side}`].map((what) => this.read.vector(sentence, layer, what, head, i));
  }

  wear() {
    const { n, n_layers, n_heads, sentences } = this.get("meta");
    const ends = { sentence: sentences.length, layer: n_layers, head: n_heads, query: n, key: n };
    this.place = { n, ...Object.fromEntries(Object.entries(ends).map(([name, end]) => [name, clamp(this.get(name), end)])) };
    const gates = { now: (side, i) => this.gate(side, i), own: (side, i) => this.own(side, i), bare: () => 0,
      whole: (side) => (this.has(side) ? 1 : 0) };
    for (const [name, of] of Object.entries(gates)) this[name === "own" ? "trained" : name] = attention(this.read, this.place, of);
    this.wearChoices();
    for (const side of ["q", "k"]) this.wearTuner(side);
    this.wearPair();
  }

  wearChoices() {
    const { sentences } = this.get("meta"), { sentence } = this.place;
    say(this.title, sentences[sentence].text);
    for (const [name, node] of Object.entries(this.choices)) {
      if (name === "query" || name === "key") [...node.options].forEach((option, i) => say(option, `${i} ${this.word(i)}`));
      node.value = this.place[name];
    }
  }

  wearTuner(side) {
    const { input, marks, value, back } = this.tuners[side], { n } = this.get("meta"), here = this.place[PLACES[side]],
      gate = this.gate(side, here);
    if (input.valueAsNumber !== Math.round(100 * gate) / 100) input.value = gate;
    input.disabled = back.disabled = !this.has(side);
    say(value, this.has(side) ? `${gate.toFixed(2)} ${this.get(HANDS[side]) < 0 ? "of its own" : "for all"}` : "no context here");
    back.setAttribute("aria-pressed", String(this.get(HANDS[side]) < 0));
    const text = [here, ...Array.from({ length: n }, (_, i) => this.own(side, i))].join();
    if (this.texts[side] === text) return;
    this.texts[side] = text;
    marks.replaceChildren(...Array.from({ length: this.has(side) ? n : 0 }, (_, i) => this.mark(side, i, i === here)));
  }

  mark(side, i, here) {
    const own = this.own(side, i), node = make("span",
      { class: `gate-mark${here ? " gate-here" : ""}`, title: `${this.word(i)}: λ ${written(own)}` });
    node.style.setProperty("--at", own);
    const left = own > 0.6, name = this.word(i), told = own.toFixed(2);
    if (here) node.append(left ? `${name} ${told} ▲` : `▲ ${told} ${name}`);
    if (here && left) node.classList.add("gate-left");
    return node;
  }

  wearPair() {
    const { query, key } = this.place, [q, contextQ] = this.vectors("q", query), [k, contextK] = this.vectors("k", key);
    const four = parts(q, contextQ, k, contextK, this.gate("q", query), this.gate("k", key)), score = this.now.scores[query][key];
    const text = [query, key, this.place.layer, this.place.head, this.place.sentence, ...four].join();
    if (this.texts.pair === text) return;
    this.texts.pair = text;
    const names = ["word · word", "context · word", "word · context", "context · context"];
    const rows = names.map((name, i) => make("tr", {}, make("th", { scope: "row" }, name), number(four[i])));
    const sum = make("tr", { class: "view-here" }, make("th", { scope: "row" }, "score"),
      make("td", { title: score.toPrecision(12) }, score.toFixed(7).replace("-", "−")));
    this.pair.replaceChildren(make("div", { class: "gate-who" }, span("view-q", this.word(query)), " → ", span("view-k", this.word(key)),
      ` in layer ${this.get("meta").layers[this.place.layer]}`),
      table("gate-table", ["query · key, over √d_k", ""], [...rows, sum]), make("div", { class: "view-small" }, this.compared(score)));
  }

  /** What became of the score where another word was put into the sentence. */
  compared(score) {
    const { sentences } = this.get("meta"), { sentence, query, key } = this.place;
    if (!sentence) return sentences.length > 1 ? "Now choose another Word: does this number move?" : "";
    const before = attention(this.read, { ...this.place, sentence: 0 }, (side, i) => (this.get(HANDS[side]) < 0 || !this.has(side)
      ? this.read.gate(0, this.place.layer, side, this.place.head, i) : this.get(HANDS[side]))).scores[query][key];
    this.root.dataset.moved = String(score - before);
    const was = `with ${sentences[0].name} it was ${before.toFixed(7)}: `.replace("-", "−");
    return was + (score === before ? "unchanged to the last digit" : `changed by ${written(score - before)}`);
  }

  // ---- canvases

  paint() {
    for (const side of ["q", "k"]) this.drawVectors(side);
    this.drawRow();
    this.drawMap();
    const { query, key } = this.place;
    Object.assign(this.root.dataset, { score: this.now.scores[query][key].toPrecision(8),
      weight: this.now.weights[query][key].toFixed(6) });
  }

  drawVectors(side) {
    const page = prepared(this.boards[side]), i = this.place[PLACES[side]], { letter, one, colour } = SIDES[side];
    this.vectorTitles[side].replaceChildren(`the ${one} of `, span(side === "q" ? "view-q" : "view-k", this.word(i)));
    if (!page) return;
    const { ctx, width, height } = page, [own, context] = this.vectors(side, i), gate = this.gate(side, i), mixed = mix(own, context, gate);
    const most = Math.max(1e-9, ...own.map(Math.abs), ...context.map(Math.abs)), each = height / 3, left = 46;
    const strength = { [letter]: 1 - gate, "C·U": gate, [`${letter}̂`]: 1 };
    [own, context, mixed].forEach((vector, n) => {
      const name = Object.keys(strength)[n], place = bars(width - left - 4, vector.length, n * each + 4, each - 8, most);
      label(ctx, name, left - 26, n * each + each / 2 - 7, `700 14px ${SANS}`, this.look[colour], "center");
      if (n < 2) label(ctx, `× ${strength[name].toFixed(2)}`, left - 24, n * each + each / 2 + 10, `13px ${SANS}`, this.look.quiet,
        "center");
      ctx.globalAlpha = 0.25 + 0.75 * strength[name];
      ctx.fillStyle = n === 1 ? this.look.quiet : this.look[colour];
      vector.forEach((x, at) => this.bar(ctx, left + place.at(at), place, x));
      ctx.globalAlpha = 1;
      ctx.strokeStyle = this.look.line;
      ctx.lineWidth = 1;
      stroke(ctx, [[left, Math.round(place.zero) + 0.5], [width - 4, Math.round(place.zero) + 0.5]]);
    });
  }

  bar(ctx, x, { wide, zero, unit }, value) { ctx.fillRect(x, Math.min(zero, zero - value * unit), wide, Math.abs(value) * unit); }

  /** The query's row as bars; hollow and dashed: without context; a line: as the model has it. */
  drawRow() {
    const { query, key } = this.place, { n } = this.get("meta");
    this.rowTitle.replaceChildren("where ", span("view-q", this.word(query)), " reads: its row of weights");
    const page = prepared(this.boards.row);
    if (!page) return;
    const { ctx, width, height } = page, left = 4, wide = (width - 8) / n, base = height - 56, tall = base - 6;
    this.columns = { left, wide };
    const rows = ["now", "trained", "bare", "whole"].map((name) => this[name].weights[query]), top = Math.max(0.2, ...rows.flat());
    const y = (weight) => base - (weight / top) * tall;
    for (let j = 0; j < n; j++) {
      const x = left + j * wide, now = this.now.weights[query][j], box = Math.min(wide - 6, 64), from = x + (wide - box) / 2;
      if (j === key) { ctx.fillStyle = this.look.line; ctx.globalAlpha = 0.5; ctx.fillRect(x, 0, wide, height); ctx.globalAlpha = 1; }
      ctx.fillStyle = this.look.key;
      ctx.fillRect(from + 3, y(now), box - 6, base - y(now));
      this.outline(ctx, from, y(this.bare.weights[query][j]), box, base, y(this.trained.weights[query][j]));
      if (wide > 26) label(ctx, now.toFixed(2), x + wide / 2, base + 45, `13px ${SANS}`, this.look.ink, "center");
      ctx.font = `${j === key ? "700 " : ""}13px ${MONO}`;
      label(ctx, fitted(ctx, this.word(j), 2 * wide - 2), x + wide / 2, base + (j % 2 ? 28 : 12), ctx.font, this.look.key, "center");
    }
    ctx.strokeStyle = this.look.quiet;
    stroke(ctx, [[left, base + 0.5], [width - 4, base + 0.5]]);
  }

  outline(ctx, x, top, wide, base, trained) {
    ctx.strokeStyle = this.look.quiet;
    ctx.lineWidth = 1.5;
    ctx.setLineDash([4, 3]);
    stroke(ctx, [[x, base], [x, top], [x + wide, top], [x + wide, base]]);
    ctx.setLineDash([]);
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 3;
    stroke(ctx, [[x - 1, trained], [x + wide + 1, trained]]);
  }

  drawMap() {
    const page = prepared(this.boards.map);
    if (!page) return;
    const { ctx, width, height } = page, { n } = this.get("meta"), { query, key } = this.place;
    ctx.font = `13px ${MONO}`;
    const longest = Math.max(...this.tokens.map((token) => ctx.measureText(visible(token)).width));
    const layout = mapLayout(width, height, n, n, Math.min(longest + 12, 90), Math.min(longest * 0.75 + 16, 70));
    this.layout = layout;
    Object.assign(this.boards.map.dataset, { left: layout.left, top: layout.top, cell: layout.cell });
    paintCells(ctx, this.now.weights.flat().map((weight) => level(weight, 1, false)), this.colours, layout);
    paintGrid(ctx, layout, this.look.line);
    this.labels(ctx, layout);
    ctx.lineWidth = 2;
    ctx.strokeStyle = this.look.query;
    ctx.strokeRect(layout.left, layout.top + query * layout.cell, layout.cell * n, layout.cell);
    ctx.strokeStyle = this.look.key;
    ctx.strokeRect(layout.left + key * layout.cell + 1, layout.top + query * layout.cell + 1, layout.cell - 2, layout.cell - 2);
  }

  labels(ctx, layout) {
    const { query, key } = this.place, names = (colour, chosen) => this.tokens.map((_, i) => [this.word(i), colour, i === chosen]);
    mapLabels(ctx, layout, names(this.look.query, query), names(this.look.key, key), Math.min(12, Math.max(9, layout.cell - 2)));
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Sentence": "which sentence is read", "Layer": "of the encoder, counted from 0", "Head": "the head shown, counted from 0",
  "Query": "the word that asks", "Key": "the word that is read", "λ of queries": "0: the word alone, 1: its context alone",
  "λ of keys": "0: the word alone, 1: its context alone", "as the model has it": "the gates that were learned",
};

export default widget(GateStage, HINTS);
