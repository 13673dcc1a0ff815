// What a context is made of: which cells of which layers a word's context reads, how wide it is, what it costs.

import {
  MONO, SANS, STEPS, Stage, board, chip, choice, clamp, controls, field, fields, fitted, label, make, prepared, say,
  slider, span, stroke, table, visible, widget,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

export const KINDS = ["global", "deep", "deep-global"];

/** What C is put together from in a layer, counted from 0: the mean of a layer's input, or this word's own vector in it. */
export function segments(kinds, layer) {
  const below = Array.from({ length: layer }, (_, m) => m);
  const made = { global: [[layer, true]], deep: below.map((m) => [m, false]), "deep-global": [...below, layer].map((m) => [m, true]) };
  return KINDS.filter((kind) => kinds.includes(kind)).flatMap((kind) => made[kind].map(([from, mean]) => ({ kind, from, mean })));
}

/** Which positions a mean for word i reads: all real words, or in a decoder those up to i. */
export const seen = (real, i, causal) => real.map((one, j) => Boolean(one) && (!causal || j <= i));

/** The kinds of context for which word i's C reads position j of a layer's input. */
export function readers(kinds, layer, i, real, causal, from, j) {
  const inMean = seen(real, i, causal)[j];
  const found = segments(kinds, layer).filter((part) => part.from === from && (part.mean ? inMean : j === i));
  return found.map(({ kind }) => kind);
}

/** Width of C, and what U_Q, U_K and the gates add in this layer. */
export function cost(kinds, layer, d) {
  const width = segments(kinds, layer).length * d;
  return { width, u: 2 * width * d, gates: width ? 4 * d : 0 };
}

export function total(kinds, layers, d, sides = 1) {
  const each = Array.from({ length: layers }, (_, layer) => cost(kinds, layer, d));
  return { u: sides * each.reduce((sum, { u }) => sum + u, 0), gates: sides * each.reduce((sum, { gates }) => sum + gates, 0) };
}

/** 18874368 is 18,874,368. */
export const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

/** The width as the paper counts its layers, from 1: "(2l − 1) d". */
export function formula(kinds) {
  const l = kinds.filter((kind) => kind !== "global").length, one = (kinds.includes("global") ? 1 : 0) - (kinds.includes("deep") ? 1 : 0);
  const many = l > 1 ? `${l}l` : l ? "l" : "", rest = one > 0 ? (many ? " + 1" : "1") : one < 0 ? " − 1" : "";
  return many && rest ? `(${many}${rest})·d` : `${many || ""}${many ? "·" : ""}d`;
}

// ------------------------------------------------------------------------------------------------------- the view

const SUPER = "⁰¹²³⁴⁵⁶⁷⁸⁹", SIDES = [["encoder", "encoder"], ["decoder", "decoder"], ["both", "both"]];
const H = (layer) => `H${[...String(layer + 1)].map((digit) => SUPER[digit]).join("")}`;
const SHADES = { global: 3, deep: 4, "deep-global": 5 };   // of the eight colours: no query, key or value
const ROW = 34, TOP = 34;

class ContextStage extends Stage {
  constructor(model, el) {
    super(model, el, "What a context is made of");
    this.start(["kinds", "layer", "side", "word", "d_model"]);
  }

  get causal() { return this.get("side") === "decoder"; }
  get words() { return this.get("meta")[this.causal ? "decoder" : "encoder"]; }

  // ---- the page

  load() {
    const meta = this.get("meta");
    this.drawing = board({ class: "ctx-board",
      "aria-label": "Inputs of the layers, words from left to right. Left and right arrows choose the word, up and down the layer." }, {
      at: (x, y) => this.under(x, y), look: () => {}, click: (found) => this.pick(found), key: (event) => this.key(event) });
    this.drawing.style.setProperty("height", `${TOP + ROW * meta.n_layers + 36}px`);
    this.said = make("div", { class: "ctx-said" });
    this.costs = make("div", { class: "view-wide" });
    this.frame(meta.title,
      this.controls(), make("div", {}, this.drawing), this.said, this.costs);
  }

  controls() {
    const { n_layers } = this.get("meta");
    this.chips = Object.fromEntries(KINDS.map((kind) =>
      [kind, make("button", { class: `view-chip ctx-${kind}`, type: "button", onclick: () => this.toggle(kind) }, kind)]));
    this.layers = slider("Layer", { class: "ctx-slider", min: 0, max: n_layers - 1, step: 1 },
      ({ target }) => this.pick({ layer: target.valueAsNumber }));
    this.layerText = span("view-value ctx-value", "");
    this.sides = choice("Side", SIDES, ({ target }) => this.pick({ side: target.value }));
    this.widths = choice("d_model", [[512, "512 (base)"], [1024, "1024 (big)"]],
      ({ target }) => this.pick({ d_model: Number(target.value) }));
    return controls(fields("Context", make("span", { class: "view-chips" }, ...Object.values(this.chips))),
      field("Layer", this.layers, this.layerText), field("Side", this.sides), field("d_model", this.widths));
  }

  toggle(kind) {
    const kinds = this.get("kinds"), after = KINDS.filter((one) => (one === kind) !== kinds.includes(one));
    if (after.length) this.pick({ kinds: after });   // the last one stays
  }

  pick(changes) {
    this.set(changes);
    this.wear();
    this.announce(this.said.textContent);
  }

  key(event) {
    const step = STEPS[event.key];
    if (!step) return false;
    this.pick({ layer: clamp(this.get("layer") - step[0], this.get("meta").n_layers),
      word: clamp(this.word + step[1], this.words.tokens.length) });
    return true;
  }

  under(x, y) {
    if (!this.place) return null;
    const { left, cell } = this.place, word = Math.floor((x - left) / cell), up = Math.floor((y - TOP) / ROW),
      { n_layers } = this.get("meta");
    if (up < 0 || up >= n_layers || word >= this.words.tokens.length) return null;
    return word < 0 ? { layer: n_layers - 1 - up } : { word, layer: n_layers - 1 - up };
  }

  // ---- texts and states

  get word() { return clamp(this.get("word"), this.words.tokens.length); }

  wear() {
    const kinds = this.get("kinds"), layer = this.get("layer"), d = this.get("d_model"), { width } = cost(kinds, layer, d);
    for (const [kind, chip] of Object.entries(this.chips)) chip.setAttribute("aria-pressed", String(kinds.includes(kind)));
    if (this.layers.valueAsNumber !== layer) this.layers.value = layer;
    this.sides.value = this.get("side");
    this.widths.value = d;
    say(this.layerText, `${layer} (l = ${layer + 1})`);
    say(this.said, this.inWords(kinds, layer, d, width));
    this.wearCosts(kinds, layer, d);
    this.root.dataset.width = width;
  }

  inWords(kinds, layer, d, width) {
    const name = visible(this.words.tokens[this.word]), parts = segments(kinds, layer);
    if (!parts.length) return `Layer ${layer} has no layer below it: no deep context here, its attention is the plain one.`;
    const widths = [...new Set([formula(kinds), parts.length === 1 ? "d" : `${parts.length}d`, grouped(width)])].join(" = ");
    const made = parts.map(({ from, mean }) => (mean ? `mean of ${H(from)}` : H(from))).join(", ");
    const mean = !parts.some((one) => one.mean) ? "" : this.causal ? " Each mean ends with the word itself."
      : " Padding is left out of every mean.";
    return `The context of ${name} in layer ${layer}: [${made}], width ${widths}.${mean}`;
  }

  wearCosts(kinds, layer, d) {
    const { n_layers, printed } = this.get("meta"), side = this.get("side"), both = side === "both" ? 2 : 1;
    const text = [kinds, layer, d, side].join("|");
    if (this.shown === text) return;
    this.shown = text;
    const row = (name, cells, mine) => make("tr", mine ? { class: "view-here" } : {}, make("th", { scope: "row" }, name),
      ...cells.map((one) => make("td", {}, one)));
    const each = Array.from({ length: n_layers }, (_, m) => ({ m, ...cost(kinds, m, d) })), all = total(kinds, n_layers, d, both);
    const count = (name) => (one) => grouped(both * one[name]);
    const sum = printed[[kinds.join("+"), d, side].join(" ")];
    const rows = [["width of C", "width", each.map((one) => grouped(one.width))], ["U_Q and U_K", "u", each.map(count("u"))],
      ["gates", "gates", each.map(count("gates"))]];
    const totals = { width: "", u: grouped(all.u), gates: grouped(all.gates) };
    const lines = rows.map(([name, key, cells]) => row(name, [...cells, totals[key]]));
    this.costs.replaceChildren(table("ctx-table", ["parameters", ...each.map(({ m }) => `layer ${m}`), "in all"], lines),
      make("div", { class: "view-small" },
      `U_Q and U_K are d_c × d each; the gates are four vectors of d numbers${both > 1 ? "; both sides counted" : ""}.`
      + (sum ? ` ${sum}` : "")));
    [...this.costs.querySelectorAll("tr")].forEach((line) => line.children[layer + 1]?.classList.add("ctx-here"));
  }

  // ---- canvas

  paint() {
    const page = prepared(this.drawing);
    if (!page) return;
    const { ctx, width } = page, { tokens } = this.words, { n_layers } = this.get("meta"), left = 108;
    this.place = { left, cell: Math.min(74, (width * 0.6 - left) / tokens.length) };
    for (let m = 0; m < n_layers; m++) this.drawLayer(ctx, m);
    this.drawNames(ctx);
    this.drawVector(ctx, width);
  }

  y(m) { return TOP + (this.get("meta").n_layers - 1 - m) * ROW; }

  drawLayer(ctx, m) {
    const { left, cell } = this.place, layer = this.get("layer"), { tokens, real } = this.words, y = this.y(m), here = m === layer;
    const name = m === 0 ? `${H(m)} embeddings` : H(m);
    label(ctx, name, left - 10, y + ROW / 2 - 2, `${here ? "700 " : ""}13px ${SANS}`, m > layer ? this.look.quiet : this.look.ink, "right");
    tokens.forEach((_, j) => {
      const x = left + j * cell, kinds = m > layer ? [] : readers(this.get("kinds"), layer, this.word, real, this.causal, m, j);
      ctx.globalAlpha = m > layer ? 0.35 : 1;
      this.cell(ctx, x + 2, y + 2, cell - 4, ROW - 8, kinds, real[j]);
      ctx.globalAlpha = 1;
    });
    if (!here) return;
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 2;
    ctx.strokeRect(left - 1, y - 1, cell * tokens.length + 2, ROW - 2);
  }

  /** One word's vector in one layer: filled by the kinds that read it, hatched where it is padding. */
  cell(ctx, x, y, wide, tall, kinds, real) {
    kinds.forEach((kind, i) => {
      ctx.fillStyle = this.look.heads[SHADES[kind]];
      ctx.fillRect(x, y + (i * tall) / kinds.length, wide, tall / kinds.length);
    });
    ctx.strokeStyle = real ? this.look.quiet : this.look.line;
    ctx.lineWidth = 1;
    ctx.setLineDash(real ? [] : [3, 3]);
    ctx.strokeRect(x + 0.5, y + 0.5, wide - 1, tall - 1);
    ctx.setLineDash([]);
  }

  drawNames(ctx) {
    const { left, cell } = this.place, { tokens, real } = this.words, below = this.y(0) + ROW + 6, { word } = this;
    tokens.forEach((token, j) => label(ctx, fitted(ctx, visible(token), cell), left + (j + 0.5) * cell, below,
      `${j === word ? "700 " : ""}13px ${MONO}`,
      j === word ? this.look.ink : real[j] ? this.look.quiet : this.look.line, "center"));
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 2;
    stroke(ctx, [[left + word * cell + 4, below + 10], [left + (word + 1) * cell - 4, below + 10]]);
    label(ctx, this.causal ? "decoder: target words" : "encoder: source words", left, 14, `13px ${SANS}`, this.look.quiet);
  }

  /** C as a stack of parts of d numbers, a line from each to the layer it comes from. */
  drawVector(ctx, width) {
    const parts = segments(this.get("kinds"), this.get("layer")), { left, cell } = this.place, { tokens } = this.words;
    const from = left + cell * tokens.length + 6, x = Math.max(from + 90, width * 0.72), most = 2 * this.get("meta").n_layers + 1;
    const bottom = this.y(0) + ROW - 6, tall = (bottom - TOP + 10) / Math.max(most - 1, parts.length), wide = Math.min(150, width - x - 70);
    parts.forEach(({ kind, from: m, mean }, i) => {
      const y = bottom - (i + 1) * tall, colour = this.look.heads[SHADES[kind]];
      ctx.strokeStyle = colour;
      ctx.globalAlpha = 0.7;
      ctx.lineWidth = 1.5;
      const start = mean ? from : left + (this.word + 1) * cell - 2, at = this.y(m) + ROW / 2 - 2;
      stroke(ctx, [[start, at], [from, at], [x - 4, y + tall / 2]]);
      ctx.globalAlpha = 1;
      ctx.fillStyle = colour;
      ctx.fillRect(x, y + 1, wide, tall - 2);
      label(ctx, mean ? `mean of ${H(m)}` : `${H(m)} of the word`, x + 8, y + tall / 2, `600 13px ${SANS}`, "#111418");
      label(ctx, "d", x + wide + 8, y + tall / 2, `13px ${SANS}`, this.look.quiet);
    });
    const middle = x + wide / 2;
    label(ctx, parts.length ? `C, ${parts.length === 1 ? "d" : `${parts.length}d`} wide` : "no context", middle, bottom + 16,
      `600 13px ${SANS}`, this.look.ink, "center");
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  ".ctx-global": "the mean of the words, in the decoder of those up to this one", ".ctx-deep": "the same word in the layers below",
  ".ctx-deep-global": "the means of the layers below and of this one", "Layer": "whose context is drawn, counted from 0",
  "Side": "encoder or decoder", "d_model": "for which width costs are counted",
};

export default widget(ContextStage, HINTS);
