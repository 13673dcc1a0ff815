// A recurrent translator step by step: how well each source state fits (e), what share it gets (α), what is read (c).
//
// Everything is computed here, from the vectors that Python sent: h, s, and W s, U h, v where scores are additive.

import {
  MONO, SANS, STEPS, Stage, board, chip, choice, clamp, controls, fields, fitted, floatsOf, headline, hit, label,
  level, make, mapLabels, mapLayout, number, paintCells, paintGrid, prepared, say, slantRoom, slider, span, table, visible,
  widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The vectors of one sentence and model: name -> Float32Array, by their places in all the numbers. */
export const partsOf = (numbers, places) =>
  Object.fromEntries(Object.entries(places).map(([name, [start, count]]) => [name, numbers.subarray(start, start + count)]));

/** What e_ij is the sum of, one row a component: [a, b, term] for dot, [W s, U h, tanh of their sum, v, term] for additive. */
export function termsOf(score, parts, width, step, place) {
  const at = (values, row, k) => values[row * width + k];
  return Array.from({ length: width }, (_, k) => {
    if (score === "dot") return [at(parts.before, step, k), at(parts.states, place, k)];
    const sum = [at(parts.w, step, k), at(parts.u, place, k)];
    return [...sum, Math.tanh(sum[0] + sum[1]), parts.v[k]];
  }).map((row) => [...row, row.at(-1) * row.at(-2)]);
}

/** e_ij of a step for every source word. */
export const scoresOf = (score, parts, width, step) =>
  Array.from({ length: parts.states.length / width },
  (_, j) => termsOf(score, parts, width, step, j).reduce((sum, row) => sum + row.at(-1), 0));

/** α_ij = exp(e_ij) / Σ exp(e_ij), the largest score taken from all so that nothing overflows. */
export function softmax(scores) {
  const top = Math.max(...scores), exps = scores.map((score) => Math.exp(score - top));
  const sum = exps.reduce((total, one) => total + one, 0);
  return exps.map((one) => one / sum);
}

/** c_i = Σ_j α_ij h_j. */
export const contextOf = (weights, states, width) =>
  Array.from({ length: width }, (_, k) => weights.reduce((sum, weight, j) => sum + weight * states[j * width + k], 0));

/** The words of a row of attention, the strongest first. */
export const strongest = (weights) => weights.indexOf(Math.max(...weights));

/** Where component k of one fixed vector comes from: the forward half from the last word, the backward half from the first. */
export const cameFrom = (k, width, count) => (k < width / 2 ? count - 1 : 0);

/** The columns of a step's picture, by the width there is: words, states, scores, weights. */
export function columns(width) {
  const words = clamp(Math.round(width * 0.17), 150), free = width - words - 24;
  const states = Math.round(free * 0.3), score = Math.round(free * 0.32);
  return { words, states: [words + 12, states], score: [words + 24 + states, score],
    weight: [words + 36 + states + score, free - states - score - 36] };
}

/** A step in words. */
export function spoken({ queries, likeliest, text }, step) {
  const before = step ? `having said ${visible(queries[step - 1])}, ` : "at the beginning ";
  const others = (likeliest[step] ?? []).map(([word, p]) => `${visible(word)} ${(100 * p).toFixed(1)} %`).join(", ");
  return `Step ${step + 1} of ${queries.length}: ${before}it says ${visible(queries[step])}${others ? ` (${others})` : ""}.`
    + (text ? ` Whole: ${text}` : "");
}

// ------------------------------------------------------------------------------------------------------- the view

const ROW = 26, HEAD = 74, FOOT = 58;
const SHORT = { additive: "additive", dot: "dot product", fixed: "one fixed vector" };
const FORMULAS = { additive: "e = vᵀ tanh(W s + U h)", dot: "e = s · h", fixed: "no scores: c is the same at every step" };
const HEADS = { additive: ["k", "(W s)ₖ", "(U h)ₖ", "tanh of the sum", "vₖ", "vₖ · tanh"], dot: ["k", "sₖ", "hₖ", "sₖ · hₖ"] };

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Recurrent translator, step by step");
    this.over = null;
    this.start(["data", "sentence", "score", "step", "place", "unit"]);
  }

  // ---- what is shown

  get sentences() { return this.get("meta").sentences; }
  get chosen() { return clamp(this.get("sentence"), this.sentences.length); }
  get kinds() { return Object.keys(this.sentences[this.chosen].models); }
  get kind() { return this.kinds.includes(this.get("score")) ? this.get("score") : this.kinds[0]; }
  get shown() { return this.sentences[this.chosen].models[this.kind]; }
  get at() { return clamp(this.get("step"), this.shown.queries.length); }
  get fixed() { return this.kind === "fixed"; }
  get unit() { return clamp(this.get("unit"), this.shown.width); }
  get place() {
    if (this.get("place") >= 0) return clamp(this.get("place"), this.shown.keys.length);
    return this.fixed ? cameFrom(this.unit, this.shown.width, this.shown.keys.length) : strongest(this.rows[this.at].weights);
  }

  /** Scores, weights and context of every step, worked out once a sentence and model. */
  work() {
    const name = `${this.chosen} ${this.kind}`;
    if (this.worked === name) return;
    const { width, places, queries } = this.shown;
    this.worked = name;
    this.parts = partsOf(this.numbers, places);
    this.rows = queries.map((_, i) => {
      if (this.fixed) return { scores: [], weights: [], context: [...this.parts.c] };
      const scores = scoresOf(this.kind, this.parts, width, i), weights = softmax(scores);
      return { scores, weights, context: contextOf(weights, this.parts.states, width) };
    });
    this.most = Math.max(1e-9, ...this.rows.flatMap(({ scores }) => scores.map(Math.abs)));
    this.largest = Math.max(1e-9, ...Array.from(this.parts.states, Math.abs));
    this.bitmaps = new Map();
  }

  // ---- the page

  load() {
    this.numbers = floatsOf(this.get("data"));
    this.over = null;   // a place of what was shown before
    this.worked = this.chipsOf = this.tablesOf = this.termsOfKind = "";
    this.told = make("p", { class: "rnn-told" });
    this.chips = make("div", { class: "rnn-chips", role: "group", "aria-label": "what it says, word by word",
      onkeydown: (event) => this.alongChips(event) });
    this.termsTitle = make("div", { class: "view-name" });
    this.terms = make("div", { class: "view-wide rnn-terms", tabindex: 0, role: "region", "aria-label": "what the score is the sum of" });
    this.sumTitle = make("div", { class: "view-name" });
    this.sum = make("div", { class: "view-wide" });
    this.unitSlider = slider("component of c", { min: 0, step: 1, class: "rnn-slider" },
      ({ target }) => this.set({ unit: target.valueAsNumber }));
    this.frame(headline(make("b", {}, this.get("meta").title)),
      this.controls(), this.chips, this.told,
      make("div", { class: "rnn-grid" }, this.stepFigure(), this.mapFigure()),
      make("div", { class: "rnn-lower" },
        make("div", {}, this.termsTitle, this.terms),
        make("div", {}, make("div", { class: "rnn-line" }, this.sumTitle, this.unitSlider), this.sum)));
  }

  controls() {
    const { names } = this.get("meta"), every = [...new Set(this.sentences.flatMap(({ models }) => Object.keys(models)))];
    const list = this.tabs("how states are scored", "score", every.map((kind) => [kind, SHORT[kind]]),
      { now: () => this.kind, open: (kind) => this.pick({ score: kind }), titles: names });
    this.picker = choice("Shown", this.sentences.map(({ name }, i) => [i, name]),
      ({ target }) => this.pick({ sentence: Number(target.value), step: 0 }));
    this.bar = slider("step", { min: 1, step: 1, class: "rnn-slider" }, ({ target }) => this.pick({ step: target.valueAsNumber - 1 }));
    this.count = span("view-value", "");
    return controls(every.length > 1 ? fields("Score", list) : null,
      this.sentences.length > 1 ? fields("Shown", this.picker) : null, fields("Step", this.bar, this.count));
  }

  /** Change what is shown; the score that is taken apart is again the strongest one's, and the step is told. */
  pick(changes) {
    this.over = null;   // it may have another sentence's columns now
    this.set({ place: -1, ...changes });
    this.work();
    this.announce(spoken(this.shown, this.at));
    this.schedule();
  }

  stepFigure() {
    this.steps = board({ class: "rnn-steps",
      "aria-label": "One step: each source word with its state, score and weight. Up and down walk the words, left and right the "
        + "steps." }, {
      at: (x, y) => { const row = Math.floor((y - HEAD) / ROW);
        return row >= 0 && row < this.shown.keys.length ? { row: this.at, col: row } : null; },
      look: (found) => this.point(found), click: ({ col }) => this.set({ place: col }), key: (event) => this.walk(event, false),
    });
    return make("figure", { class: "view-map" }, this.steps);
  }

  mapFigure() {
    this.note = make("div", { class: "view-note" });
    this.map = board({ class: "rnn-map",
      "aria-label": "Alignment matrix: rows are what it says, columns the source words. Arrow keys walk." }, {
      at: (x, y) => { const found = this.layout && hit(this.layout, x, y);
        return found && (found.row >= 0 || found.col >= 0) ? found : null; },
      look: (found) => this.point(found), click: ({ row, col }) =>
        this.pick({ ...(row >= 0 ? { step: row } : {}), ...(col >= 0 ? { place: col } : {}) }),
      key: (event) => this.walk(event, true),
    });
    this.mapBox = make("figure", { class: "view-map" }, make("div", { class: "view-name" }, "alignment matrix α"), this.note, this.map);
    return this.mapBox;
  }

  point(found) {
    this.over = found;
    this.schedule();
  }

  atPointer(canvas) {
    return canvas === this.map && this.over?.row >= 0 && this.over.col >= 0 ? this.told.textContent : "";
  }

  /** Arrows: along the words and along the steps; in the matrix rows are the steps, in a step's picture the words. */
  walk({ key }, inMap) {
    const move = STEPS[key];
    if (!move) return false;
    const [step, place] = inMap ? move : [move[1], move[0]];
    const next = { step: clamp(this.at + step, this.shown.queries.length) };
    if (place) next.place = clamp(this.place + place, this.shown.keys.length);
    this.pick(next);
    if (!this.fixed) this.announce(`${spoken(this.shown, this.at)} ${this.cell(this.at, this.place)}`);
    return true;
  }

  alongChips(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!move) return;
    this.pick({ step: clamp(this.at + move, this.shown.queries.length) });
    this.chips.children[this.at]?.focus();
    event.preventDefault();
  }

  /** A cell in words. */
  cell(row, col) {
    const { keys, queries } = this.shown, { scores, weights } = this.rows[row];
    return `${visible(queries[row])} reads ${visible(keys[col])}: e ${written(scores[col])}, α ${written(weights[col])}`;
  }

  // ---- texts and states

  wear() {
    this.work();
    const { queries, keys, width } = this.shown;
    for (const [kind, tab] of Object.entries(this.tablists.get("score").buttons)) tab.hidden = !this.kinds.includes(kind);
    this.picker.value = this.chosen;
    Object.assign(this.bar, { max: queries.length, value: this.at + 1 });
    Object.assign(this.unitSlider, { max: width - 1, value: this.unit });
    say(this.count, `${this.at + 1} of ${queries.length}`);
    this.wearChips();
    const over = this.over && !this.fixed && this.over.row >= 0 && this.over.col >= 0;
    say(this.told, over ? this.cell(this.over.row, this.over.col) : spoken(this.shown, this.at));
    say(this.note, this.fixed ? "none: one vector for all steps" : "rows are queries (what is said), columns are keys; each row sums to 1");
    this.wearTables();
    this.steps.style.height = `${HEAD + FOOT + ROW * keys.length}px`;
    this.map.style.height = `${Math.max(220, 100 + 26 * queries.length)}px`;
    Object.assign(this.root.dataset, { step: this.at, kind: this.kind, place: this.place, unit: this.unit });
  }

  wearChips() {
    const name = `${this.worked} ${this.shown.text}`;
    if (this.chipsOf !== name) {
      this.chipsOf = name;
      this.chips.replaceChildren(...this.shown.queries.map((word, i) =>
        make("button", { type: "button", class: "rnn-chip", onclick: () => this.pick({ step: i }) }, visible(word))));
    }
    [...this.chips.children].forEach((chip, i) => {
      chip.setAttribute("aria-pressed", String(i === this.at));
      chip.tabIndex = i === this.at ? 0 : -1;
      chip.classList.toggle("rnn-later", i > this.at);
    });
  }

  wearTables() {
    const name = [this.worked, this.at, this.place, this.unit].join();
    if (this.tablesOf === name) return;
    this.tablesOf = name;
    const { keys, width } = this.shown, word = visible(keys[this.place]);
    say(this.sumTitle, this.fixed ? `component ${this.unit} of c` : `component ${this.unit} of c = Σ α · h`);
    this.sum.replaceChildren(this.fixed ? this.ends() : this.summed());
    say(this.termsTitle, this.fixed ? "the score: none" : `the score of ${word}: ${FORMULAS[this.kind]}`);
    if (this.fixed) return this.terms.replaceChildren(make("p", { class: "view-hint" },
      `Whatever the sentence's length, all the decoder gets is these ${width} numbers, the same at every step.`));
    const rows = termsOf(this.kind, this.parts, width, this.at, this.place);
    const total = rows.reduce((sum, row) => sum + row.at(-1), 0);
    if (this.rewritten([total, ...rows.flat()])) return undefined;
    this.terms.replaceChildren(table("rnn-numbers", HEADS[this.kind], [
      this.totalRow("sum = e", rows[0].length - 1, total),
      ...rows.map((row, k) => make("tr", {}, make("th", { scope: "row" }, String(k)), ...row.map((value) => number(value))))]));
    this.termCells = [...this.terms.querySelectorAll("td[title]")];
    this.termsOfKind = `${this.kind} ${rows.length}`;
    return undefined;
  }

  /** Put other numbers into the same table, which is quicker than a new one; whether it was the same. */
  rewritten(values) {
    const same = this.termsOfKind === `${this.kind} ${this.shown.width}` && this.termCells.length === values.length;
    if (same && this.terms.contains(this.termCells[0])) {
      this.termCells.forEach((cell, i) => { cell.title = values[i].toPrecision(8); cell.textContent = written(values[i]); });
      return true;
    }
    return false;
  }

  totalRow(label, blanks, ...values) {
    return make("tr", { class: "rnn-total" }, make("th", { scope: "row" }, label),
      ...Array.from({ length: blanks }, () => make("td", {})), ...values.map((value) => number(value)));
  }

  /** Each word's part in one component of the context. */
  summed() {
    const { keys, width } = this.shown, { scores, weights, context } = this.rows[this.at], top = Math.max(...scores);
    const rows = keys.map((key, j) => {
      const h = this.parts.states[j * width + this.unit];
      return make("tr", { class: j === this.place ? "rnn-here" : undefined }, make("th", { scope: "row", class: "view-k" }, visible(key)),
        ...[scores[j], Math.exp(scores[j] - top), weights[j], h, weights[j] * h].map((value) => number(value)));
    });
    const sums = [scores.reduce((sum, e) => sum + Math.exp(e - top), 0), weights.reduce((sum, a) => sum + a, 0)];
    const last = make("tr", { class: "rnn-total" }, make("th", { scope: "row" }, "sum"), make("td", {}),
      ...sums.map((value) => number(value)), make("td", {}), number(context[this.unit]));
    return table("rnn-numbers", ["source word", "e", "exp(e − max)", "α", `h[${this.unit}]`, "α · h"], [...rows, last]);
  }

  /** Where the one vector's component comes from. */
  ends() {
    const { keys, width } = this.shown, from = cameFrom(this.unit, width, keys.length);
    const way = from ? "forward half: what was read last, left to right" : "backward half: what was read last, right to left";
    return table("rnn-numbers", ["source word", "h", "way"],
      [make("tr", {}, make("th", { scope: "row", class: "view-k" }, visible(keys[from])), number(this.parts.c[this.unit]),
      make("td", {}, way))]);
  }

  // ---- painting

  dressed() { this.bitmaps = new Map(); }

  paint() {
    const page = prepared(this.steps);
    if (page) this.paintStep(page);
    const beside = prepared(this.map);
    if (beside) this.paintMap(beside);
  }

  paintStep({ ctx, width }) {
    const { keys } = this.shown, at = columns(width), { scores, weights, context } = this.rows[this.at];
    this.paintHead(ctx, at);
    keys.forEach((key, j) => {
      const y = HEAD + j * ROW + ROW / 2, here = j === (this.over?.col ?? this.place);
      if (here) this.rect(ctx, this.look.line, 0, y - ROW / 2, width, ROW, 0.45);
      this.write(ctx, visible(key), at.words, y, "key", "right", here, at.words - 4);
      this.strip(ctx, this.parts.states.subarray(j * this.shown.width, (j + 1) * this.shown.width), at.states, y, `h ${j}`);
      if (!this.fixed) this.bars(ctx, at, y, scores[j], weights[j]);
    });
    const y = HEAD + keys.length * ROW + 26;
    this.write(ctx, this.fixed ? "c" : `c${sub(this.at + 1)} = Σ α h`, at.words, y, "value", "right", true, at.words);
    this.strip(ctx, context, at.states, y, `c ${this.fixed ? 0 : this.at}`);
    this.outline(ctx, at.states, y, this.look.value);
    if (!this.fixed) this.write(ctx, "rows above × α, added", at.score[0], y, "quiet", "left");
  }

  paintHead(ctx, at) {
    const { width } = this.shown, state = this.parts.before.subarray(this.at * width, (this.at + 1) * width);
    this.write(ctx, `state s${sub(this.at)}`, at.words, 22, "query", "right", true);
    this.strip(ctx, state, at.states, 22, `s ${this.at}`);
    this.outline(ctx, at.states, 22, this.look.query);
    const formula = this.fixed ? FORMULAS.fixed : `${FORMULAS[this.kind]},  α = softmax(e)`;
    this.write(ctx, formula, at.score[0], 22, "ink", "left", false, at.weight[0] + at.weight[1] - at.score[0]);
    this.write(ctx, "source", at.words, 56, "quiet", "right");
    this.write(ctx, `h, ${width} numbers`, at.states[0], 56, "quiet", "left", false, at.states[1]);
    if (this.fixed) return;
    this.write(ctx, "score e", at.score[0], 56, "quiet", "left");
    this.write(ctx, "weight α", at.weight[0], 56, "quiet", "left", false, at.weight[1]);
  }

  bars(ctx, { score: [x, wide], weight: [left, room] }, y, e, alpha) {
    const middle = x + 62 + (wide - 70) / 2, reach = (wide - 70) / 2;
    this.write(ctx, written(e), x + 52, y, "ink", "right");
    this.rect(ctx, this.look.quiet, e < 0 ? middle + (e / this.most) * reach : middle, y - 6, (Math.abs(e) / this.most) * reach, 12, 0.8);
    this.rect(ctx, this.look.line, middle - 0.5, y - 10, 1, 20);
    this.write(ctx, alpha.toFixed(3), left + 42, y, "ink", "right", alpha > 0.5);
    this.rect(ctx, this.look.value, left + 52, y - 7, Math.max(alpha * (room - 56), 0.5), 14);
  }

  rect(ctx, colour, x, y, width, height, alpha = 1) {
    ctx.globalAlpha = alpha;
    ctx.fillStyle = colour;
    ctx.fillRect(x, y, width, height);
    ctx.globalAlpha = 1;
  }

  write(ctx, text, x, y, colour, align, strong = false, room = 400) {
    ctx.font = `${strong ? 700 : 500} 14px ${colour === "key" ? MONO : SANS}`;
    ctx.fillStyle = this.look[colour];
    ctx.textAlign = align;
    ctx.fillText(fitted(ctx, text, room), x, y);
    ctx.textAlign = "left";
  }

  /** A vector as cells on the two-sided scale, with numbers where there is room; drawn once, then copied. */
  strip(ctx, values, [x, wide], y, name) {
    const n = values.length, cell = wide / n, shades = this.shadesOf(values);
    if (!this.bitmaps.has(name)) this.bitmaps.set(name, bitmap(shades, this.signed));
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.bitmaps.get(name), 0, 0, n, 1, x, y - 9, wide, 18);
    if (cell >= 34) shades.forEach((shade, k) => this.inCell(ctx, values[k], shade, x + (k + 0.5) * cell, y));
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 1;
    ctx.strokeRect(x + this.unit * cell + 0.5, y - 9.5, Math.max(cell - 1, 1), 19);
  }

  shadesOf(values) { return Array.from(values, (value) => 128 + Math.round(clampTo(value / this.largest) * 110)); }

  inCell(ctx, value, shade, x, y) {
    ctx.textAlign = "center";
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = Math.abs(shade - 128) > 70 ? this.look.page : this.look.ink;
    ctx.fillText(written(value), x, y);
    ctx.textAlign = "left";
  }

  outline(ctx, [x, wide], y, colour) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    ctx.strokeRect(x - 1, y - 10, wide + 2, 20);
  }

  paintMap({ ctx, width, height }) {
    this.layout = null;
    if (this.fixed) return this.write(ctx, "No row has weights of its own.", 10, 30, "quiet", "left");
    const { keys, queries } = this.shown, widest = (words) => Math.max(...words.map((word) => ctx.measureText(visible(word)).width));
    ctx.font = `13px ${MONO}`;
    const left = Math.min(widest(queries) + 14, width * 0.4), top = Math.min(slantRoom(widest(keys)), 120);
    this.layout = mapLayout(width, height, queries.length, keys.length, left, top, 40);
    const layout = this.layout, numbers = this.rows.flatMap(({ weights }) => weights.map((weight) => level(weight, 1, false)));
    Object.assign(this.map.dataset, { left, top, cell: layout.cell });
    paintCells(ctx, numbers, this.colours, layout);
    paintGrid(ctx, layout, this.look.line);
    mapLabels(ctx, layout, queries.map((word, i) => [visible(word), this.look.query, i === this.at]),
      keys.map((word, j) => [visible(word), this.look.key, j === (this.over?.col ?? this.place)]), 13);
    ctx.strokeStyle = this.look.query;
    ctx.lineWidth = 2;
    ctx.strokeRect(layout.left - 1, layout.top + this.at * layout.cell, layout.right - layout.left + 2, layout.cell);
    return undefined;
  }

}

/** Colour numbers as a picture one pixel high. */
function bitmap(shades, colours) {
  const image = new ImageData(shades.length, 1), canvas = new OffscreenCanvas(shades.length, 1);
  new Uint32Array(image.data.buffer).set(shades.map((shade) => colours[shade]));
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

const clampTo = (share) => Math.min(1, Math.max(-1, share));
const sub = (n) => [...String(n)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/** What the controls do, by name or class. */
const HINTS = {
  "Shown": "which sentence is translated", "step": "how many words have been said", ".rnn-chip": "go to this step",
  "component of c": "one number of the context vector",
};

export default widget(View, HINTS);
