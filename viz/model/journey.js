// The model view: Figure 1 of a model, every block of which answers to a click, and a sentence that travels through it.
//
// Bytes: first, for each of meta.strips, a block's output (n × d) as signed bytes, value = byte / 127 · scale; then, for each
// of meta.maps, attention weights [head][query][key] as round(255 √weight). Drawings come ready from Python, in units that
// are scaled to the canvas; "*" in a name stands for the layer shown. A new sentence is answered by Python or by the page's
// model; all else is done here.

import {
  MONO, SANS, STEPS, Stage, WEIGHT, board, bytesOf, choice, clamp, controls, disc, field, fitted, headline, hint, joined,
  label, make, number, paintCells, paintGrid, pointIn, prepared, say, slider, small, span, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Cut the bytes into outputs of blocks and attention maps; refuses a wrong length. */
export function unpack(data, strips, maps) {
  const bytes = bytesOf(data), out = { strips: {}, maps: {} };
  let start = 0;
  const take = (size) => bytes.subarray(start, (start += size));
  for (const [name, { n, d, scale }] of Object.entries(strips)) {
    const part = take(n * d);
    out.strips[name] = { n, d, scale, values: new Int8Array(part.buffer, part.byteOffset, part.length) };
  }
  for (const [name, [heads, rows, cols]] of Object.entries(maps)) out.maps[name] = { heads, rows, cols, bytes: take(heads * rows * cols) };
  if (start !== bytes.length) throw new Error(`${bytes.length} bytes came, the shapes need ${start}`);
  return out;
}

/** The name of a block of the drawing when the layer shown is `layer`. */
export const resolved = (name, layer) => name.replace("*", layer);

/** Where the sentence halts: pieces, ids, embeddings, positions, every layer of the encoder, every step of the decoder, text. */
export function stops(meta) {
  const layers = Array.from({ length: meta.n_layers }, (_, layer) => layer);
  return [
    { kind: "pieces", title: "The sentence in pieces", blocks: [] },
    { kind: "ids", title: "Pieces become ids", blocks: [] },
    { kind: "embedding", title: "Ids become vectors", blocks: ["src_embedding"] },
    { kind: "positions", title: "Positions are added", blocks: ["src_positions", "src_sum"] },
    ...layers.map((layer) => ({ kind: "encoder", title: `Encoder, layer ${layer}`, layer, blocks: [`encoder.${layer}`] })),
    ...meta.steps.map((_, step) => ({ kind: "decoder", title: `Decoder, step ${step + 1}`, step,
      blocks: ["tgt_", "decoder", "linear", "softmax"] })),
    { kind: "text", title: "Pieces become text", blocks: [] },
  ];
}

/** Whether a block takes part in a stop: a stop names blocks, or what their names begin with. */
export const takesPart = (name, stop) =>
  stop.blocks.some((part) => name === part || name.startsWith(part.endsWith("_") ? part : `${part}.`));

/** A tensor's shape as text; while the decoder is at a step, T is how many pieces it has read. */
export function shapeText({ letters, shape }, { words = false, T = null } = {}) {
  const sides = shape.map((n, i) => (words ? letters[i] : letters[i] === "T" && T !== null ? T : n));
  return `(${sides.join(", ")}${sides.length === 1 ? "," : ""})`;
}

/** A formula cut into runs: `_` lowers and `^` raises the word, letter or {group} after it; Q, K, V carry their colours. */
export function runs(formula) {
  const found = [];
  for (const [, mark, group, word, text] of formula.matchAll(/([_^])(?:\{([^}]*)\}|(\w+))|([^_^]+)/gu)) {
    if (mark) found.push({ text: group ?? word, as: mark === "_" ? "sub" : "sup" });
    else for (const part of text.split(/\b([QKV])\b/u)) if (part) found.push({ text: part, as: "" });
  }
  const role = { Q: "query", K: "key", V: "value" };
  return found.map((run) => ({ ...run, role: role[run.text] ?? "" }));
}

/** The smallest box under a point, or null: a block before the layer it stands in. */
export function boxAt(boxes, x, y) {
  const under = boxes.filter((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h);
  return under.sort((a, b) => a.w * a.h - b.w * b.h)[0] ?? null;
}

/** The nearest box in a direction (down, right) from a box; itself where there is none. */
export function neighbour(boxes, from, [down, right]) {
  const middle = (b) => [b.x + b.w / 2, b.y + b.h / 2], [x0, y0] = middle(from);
  let best = from, least = Infinity;
  for (const box of boxes) {
    if (box === from || box.kind === "layer") continue;
    const [x, y] = middle(box), along = right * (x - x0) + down * (y - y0), aside = Math.abs(right ? y - y0 : x - x0);
    if (along <= 1 || along < 0.35 * aside) continue;
    const far = along + 2 * aside;
    if (far < least) [best, least] = [box, far];
  }
  return best;
}

/** Pieces in groups: bytes that together spell a character stand in one group with it, other pieces alone. */
export function groups(pieces) {
  const found = [];
  pieces.forEach((piece, i) => {
    const byte = /^<0x[0-9A-F]{2}>$/.test(piece), last = found.at(-1);
    if (byte && last?.byte) last.places.push(i);
    else found.push({ byte, places: [i] });
  });
  return found.map(({ byte, places }) => ({ byte, places, text: byte ? joined(places.map((i) => pieces[i])) : pieces[places[0]] }));
}

/** How Python addresses a module: encoder.0.add_norm.1 is model.encoder[0].add_norm[1]. */
export const address = (module) => `model${module && "."}${module}`.replace(/\.(\d+)/g, "[$1]");

/** Where a notebook is: beside the open one in JupyterLab, beside this page in exported ones. */
export function linkTo(name, { base, path }) {
  if (base === null) return `${name}.html`;
  return path.endsWith(".ipynb") ? `${name}.ipynb` : `${base}lab/tree/notebooks/${name}.ipynb`;
}

/** What makes JupyterLab open the notebook beside the open one itself, in a tab of its own, when its link is clicked. */
export const openedByLab = (name, path) => (path === undefined ? {} : { "data-commandlinker-command": "docmanager:open",
  "data-commandlinker-args": JSON.stringify({ path: path.replace(/[^/]*$/, `${name}.ipynb`) }) });

/** The point at a share of the way along a line of points, from 0 to 1. */
export function along(points, share) {
  const legs = points.slice(1).map((to, i) => [points[i], to, Math.hypot(to[0] - points[i][0], to[1] - points[i][1])]);
  let left = share * legs.reduce((sum, [, , far]) => sum + far, 0);
  for (const [from, to, far] of legs) {
    if (left <= far && far) return [from[0] + (to[0] - from[0]) * left / far, from[1] + (to[1] - from[1]) * left / far];
    left -= far;
  }
  return points.at(-1);
}

/** What of the translation is there at a stop: the pieces so far; all of it before the journey begins and when it has ended. */
export function sofar(stop, stops, { translation, steps }) {
  const { kind, step } = stops[stop];
  if (stop === 0 || kind === "text") return translation;
  const pieces = kind === "decoder" ? steps.slice(0, step + 1).map(({ piece }) => piece).filter((piece) => piece !== "</s>") : [];
  return pieces.length ? `${joined(pieces)} …` : "…";
}

/** The average over heads of a block's weights, its first rows and columns only. */
export function meanMap({ heads, rows, cols, bytes }, nRows = rows, nCols = cols) {
  const out = new Float32Array(nRows * nCols);
  for (let h = 0; h < heads; h++) for (let i = 0; i < nRows; i++) for (let j = 0; j < nCols; j++) {
    out[i * nCols + j] += WEIGHT[bytes[(h * rows + i) * cols + j]] / heads;
  }
  return out;
}

/** Whole numbers with commas. */
export const counted = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// ------------------------------------------------------------------------------------------------------ the view

const TRAITS = ["data", "block", "layer", "stop", "unfolded", "norm", "letters", "panel"];
const UNIT = { width: 760, height: 656 };
const PAUSE = 1100;   // milliseconds a stop is shown while the journey plays
const TRAVEL = 900;   // of them the tokens are on their way
const TOKENS = 5;     // at most so many on a wire

/** How Figure 1 is drawn: its wires, its boxes, and what the journey has reached. */
class Figure {
  constructor(view) { this.view = view; }

  active(name) { return takesPart(resolved(name, this.view.layer), this.view.stops[this.view.stop]) && this.view.own; }

  wire(ctx, { start, end, points, role }) {
    const { view } = this;
    const on = this.active(end) && view.get("panel") === "journey", [a, b] = points.slice(-2), angle = Math.atan2(b[1] - a[1], b[0] - a[0]);
    ctx.strokeStyle = view.look[role] ?? (on ? view.look.ink : view.look.quiet);
    ctx.lineWidth = on ? 2.2 : 1.3;
    ctx.setLineDash(role === "residual" ? [4, 3] : []);
    ctx.beginPath();
    points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const turn of [0.45, -0.45]) { ctx.moveTo(...b);
      ctx.lineTo(b[0] - 6 * Math.cos(angle + turn), b[1] - 6 * Math.sin(angle + turn)); }
    ctx.stroke();
  }

  box(ctx, box) {
    const { view } = this;
    const name = resolved(box.name, view.layer), chosen = name === view.get("block") && view.get("panel") === "block";
    const looked = view.hover?.name === box.name, on = this.active(box.name) && view.get("panel") === "journey";
    ctx.beginPath();
    ctx.roundRect(box.x, box.y, box.w, box.h, box.w === box.h ? box.h / 2 : 5);
    if (box.kind !== "layer") {
      ctx.fillStyle = view.look.page;
      ctx.fill();
      ctx.fillStyle = box.kind === "attention" ? `#${view.look.weights.slice(6 * 110, 6 * 110 + 6)}` : view.look.ink;
      ctx.globalAlpha = (box.kind === "attention" ? 0.3 : 0.05) + (looked ? 0.06 : 0) + (on ? 0.13 : 0);
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    ctx.strokeStyle = chosen || on || looked ? view.look.ink : view.look.line;
    ctx.lineWidth = chosen ? 2.6 : on ? 1.6 : 1.2;
    ctx.stroke();
    const words = box.kind === "positions" ? box.label.split(" ") : [box.label];
    ctx.fillStyle = view.look.ink;
    ctx.textAlign = "center";
    ctx.font = `${box.w < 100 ? Math.min(11, box.h - 2) : box.label.length > 24 ? 12 : 13}px ${SANS}`;
    words.forEach((word, i) => ctx.fillText(fitted(ctx, word, box.w - 2), box.x + box.w / 2,
      box.y + box.h / 2 + 13 * (i - (words.length - 1) / 2)));
  }

  /** The tokens on a wire, a disc each, one behind the other, the lower wires first; share: of the whole way, from 0 to 1. */
  tokens(ctx, { end, points, role }, share) {
    if (!this.active(end) || role === "residual") return;
    const { how, meta, look } = this.view, n = Math.min(TOKENS, how.T ?? meta.src.pieces.length);
    const late = 1 - Math.max(...points.map(([, y]) => y)) / UNIT.height, here = share * 2.4 - late * 1.4;
    ctx.fillStyle = look[role] ?? look.ink;
    for (let i = 0; i < n; i++) {
      const way = here * (1 + 0.12 * (n - 1)) - 0.12 * i;
      if (way >= 0 && way <= 1) disc(ctx, ...along(points, way), 4.5);
    }
  }

  /** A wire's shape, on the colour of the page where it lies across a line. */
  label(ctx, { start, at }) {
    const { view } = this;
    const tensor = at && view.leaving(start);
    if (!tensor) return;
    ctx.font = `11px ${SANS}`;
    ctx.textAlign = "left";
    const text = shapeText(tensor, view.how);
    ctx.fillStyle = view.look.page;
    ctx.fillRect(at[0] - 1, at[1] - 6, ctx.measureText(text).width + 2, 12);
    ctx.fillStyle = this.active(start) && view.get("panel") === "journey" ? view.look.ink : view.look.quiet;
    ctx.fillText(text, ...at);
  }
}

/** The canvases of a pane: vectors as strips, heads as maps. */
class Pictures {
  constructor(view) { this.view = view; }

  /** A canvas in the pane, with a line below that says what is under the pointer. */
  picture(height, label, paint, under, spoken = label) {
    const said = make("div", { class: "view-caption" }, label);
    const canvas = make("canvas", { class: "mod-picture", style: `height:${height}px`, role: "img", "aria-label": spoken });
    const point = (text) => { this.view.under = text; say(said, text ?? label); };
    canvas.addEventListener("pointermove", (event) => point(under(...pointIn(event))));
    canvas.addEventListener("pointerleave", () => point(null));
    this.view.pictures.push({ canvas, paint });
    return make("figure", { class: "mod-figure-small" }, canvas, said);
  }

  /** A block's output: a row for each piece, a column for each feature. */
  strip(name, pieces, label) {
    const { view } = this;
    const { n, d, scale, values } = view.numbers.strips[name], tall = clamp(Math.floor(190 / n), 17) || 4, left = 84, layout = {};
    const legend = `${label}; ${n} × ${d}, from −${written(scale)} (green) to +${written(scale)} (purple)`;
    const paint = (ctx, width) => {
      Object.assign(layout, { rows: n, cols: d, left, top: 0, right: width - 1, bottom: n * tall, cell: tall });
      paintCells(ctx, Uint16Array.from(values, (v) => 128 + v), view.signed, layout);
      ctx.strokeStyle = view.look.line;
      ctx.strokeRect(left - 0.5, 0.5, width - left - 0.5, n * tall - 1);
      ctx.font = `${Math.min(11, tall + 1)}px ${MONO}`;
      ctx.textAlign = "right";
      ctx.fillStyle = view.look.ink;
      pieces.forEach((piece, i) => { if (tall >= 8) ctx.fillText(fitted(ctx, visible(piece), left - 8), left - 6, (i + 0.5) * tall); });
    };
    const under = (x, y) => {
      const row = Math.floor(y / tall), col = Math.floor((x - left) / (layout.right - left) * d);
      if (row < 0 || row >= n || col < 0 || col >= d) return null;
      return `${visible(pieces[row])}, feature ${col}: ${written(values[row * d + col] / 127 * scale, false)}`;
    };
    return this.picture(n * tall + 1, legend, paint, under);
  }

  /** Every head of an attention block as a small map. */
  heads(name) {
    const { view } = this;
    const { heads, rows, cols, bytes } = view.numbers.maps[name], across = Math.min(heads, 4), gap = 8;
    const [queries, keys] = this.sides(name), down = Math.ceil(heads / across), places = [], tall = Math.min(100 * rows / cols, 100);
    const paint = (ctx, width) => {
      const wide = Math.min((width - gap * (across - 1)) / across, tall * cols / rows), high = wide * rows / cols;
      for (let head = 0; head < heads; head++) {
        const left = head % across * (wide + gap), top = 13 + Math.floor(head / across) * (tall + 18);
        const layout = places[head] = { rows, cols, left, top, right: left + wide, bottom: top + high, cell: wide / cols };
        paintCells(ctx, Uint8Array.from(bytes.subarray(head * rows * cols, (head + 1) * rows * cols), (b) => Math.round(b * b / 255)),
          view.colours, layout);
        paintGrid(ctx, { ...layout, cell: 1 }, view.look.quiet);
        ctx.font = `13px ${SANS}`;
        ctx.textAlign = "left";
        ctx.fillStyle = view.look.quiet;
        ctx.fillText(head ? String(head) : "head 0", left, top - 7);
      }
    };
    const under = (x, y) => {
      const head = places.findIndex((p) => x >= p.left && x < p.right && y >= p.top && y < p.bottom), at = places[head];
      if (!at) return null;
      const row = Math.floor((y - at.top) / (at.bottom - at.top) * rows), col = Math.floor((x - at.left) / (at.right - at.left) * cols);
      return `head ${head}: query ${visible(queries[row])} reads key ${visible(keys[col])}: `
        + `${written(WEIGHT[bytes[(head * rows + row) * cols + col]], false)}`;
    };
    return this.picture(down * (tall + 18),
      `weights of ${heads} heads, each (${rows}, ${cols}): rows are queries, columns keys, rows sum to 1`, paint, under);
  }

  /** The pieces that ask and those that are read in an attention block. */
  sides(name) {
    const { src, tgt } = this.view.meta;
    if (name.startsWith("encoder")) return [src.pieces, src.pieces];
    return [tgt.pieces, name.endsWith("cross_attention") ? src.pieces : tgt.pieces];
  }

  /** The three uses of attention side by side, with their sizes. */
  trio(maps) {
    const { view } = this;
    const gap = 14;
    const paint = (ctx, width) => {
      const wide = (width - 2 * gap - 2) / 3;
      maps.forEach(([who, whom, map, rows, cols], n) => {
        const cell = Math.min(wide / cols, 88 / rows, 14), left = n * (wide + gap);
        const layout = { rows, cols, left, top: 30, right: left + cell * cols, bottom: 30 + cell * rows, cell: 1 };
        paintCells(ctx, Array.from(meanMap(map, rows, cols), (w) => Math.round(255 * Math.min(w, 1))), view.colours, layout);
        paintGrid(ctx, layout, view.look.quiet);
        ctx.textAlign = "left";
        ctx.font = `13px ${SANS}`;
        ctx.fillStyle = view.look.quiet;
        ctx.fillText(fitted(ctx, `${who} reads`, wide), left, 6);
        ctx.fillText(fitted(ctx, `${whom} (${rows}, ${cols})`, wide), left, 20);
      });
    };
    const sizes = maps.map(([who, whom, , rows, cols]) => `${who} reads ${whom} (${rows}, ${cols})`).join(", ");
    return this.picture(122, "rows are queries, columns keys, rows sum to 1", paint, () => null, sizes);
  }
}

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Model view");
    this.pictured = new Pictures(this);
    this.figure = new Figure(this);
    this.hover = null;
    this.share = null;   // of their way that travelling tokens have made
    this.build();
    this.start(TRAITS);
  }

  build() {
    this.sentence = headline();
    this.canvas = board({ class: "mod-figure", "aria-label": "Figure 1: arrow keys walk from block to block" }, {
      at: (x, y) => boxAt(this.boxes, x / this.scale, y / this.scale) ?? {},
      look: (box) => { this.hover = box?.name ? box : null; this.schedule(); },
      click: (box) => { if (box.name) this.open(resolved(box.name, this.layer)); },
      key: (event) => this.walk(event),
    });
    this.caption = make("div", { class: "view-caption mod-caption" });
    this.pane = make("div", { class: "mod-pane" });
    const tabs = this.tabs("Beside the figure", "panel", [["journey", "The sentence's journey"], ["block", "The block"]]);
    this.frame(this.sentence, this.controls(),
      make("div", { class: "mod-body" }, make("div", { class: "mod-left" }, this.canvas, this.caption),
        make("div", { class: "mod-side" }, make("div", { class: "mod-fill" },
          tabs, this.pane))));
  }

  controls() {
    const button = (text, label, onclick) => make("button", { class: "view-chip", "aria-label": label, onclick }, text);
    this.stopSlider = slider("Stop", { min: 0, class: "mod-stop" }, () => this.go(+this.stopSlider.value));
    this.stopValue = span("mod-count", "");
    this.layerSlider = slider("Layer", { min: 0, class: "view-layer" }, () => this.toLayer(+this.layerSlider.value));
    this.layerValue = span("mod-layer", "");
    this.playing = button("▶ play", "Play the journey", () => this.play(this.pause));
    this.playing.classList.add("mod-play");
    this.speed = choice("Speed", [["0.5", "½ ×"], ["1", "1 ×"], ["2", "2 ×"]], () => this.pulse && (this.rest(), this.play(this.pause)));
    this.speed.value = "1";
    this.all = make("input", { type: "checkbox", onchange: () => this.set({ unfolded: this.all.checked }) });
    this.words = make("input", { type: "checkbox", onchange: () => this.set({ letters: this.words.checked }) });
    this.norms = choice("Layer norm", [["post", "after (the paper)"], ["pre", "before"]],
      () => this.set({ norm: this.norms.value }));
    return controls(
      make("span", { class: "view-field" }, field("Journey", this.stopSlider), this.stopValue,
        button("‹", "One stop back", () => this.go(this.stop - 1)), button("›", "One stop on", () => this.go(this.stop + 1)),
        this.playing, this.speed),
      field("Layer", this.layerSlider, this.layerValue), field("Layer norm", this.norms),
      make("span", { class: "view-options" }, make("label", {}, this.all, "all layers"),
        make("label", {}, this.words, "shapes as letters")));
  }

  load() {
    const meta = this.meta = this.get("meta");
    this.numbers = unpack(this.get("data"), meta.strips, meta.maps);
    this.stops = stops(meta);
    this.byName = {};
    for (const [norm, blocks] of Object.entries(meta.blocks)) {
      this.byName[norm] = Object.fromEntries(blocks.map((block) => [block.name, block]));
    }
    this.shown = null;
    this.stopSlider.max = this.stops.length - 1;
    this.layerSlider.max = meta.n_layers - 1;
    this.outcome = make("b", {});
    const room = make("b", { "aria-hidden": "true" }, meta.translation);   // is kept
    this.sentence.replaceChildren(make("div", { title: meta.text }, meta.text),
      make("div", { class: "mod-outcome", title: meta.translation }, span("view-quiet", "→ "), this.outcome, room));
  }

  // ---------------------------------------------------------------------------------------------- what is shown

  get stop() { return clamp(this.get("stop"), this.stops.length); }
  get at() { return this.stop; }                           // what plays is the journey
  get last() { return this.stops.length - 1; }
  get pause() { return PAUSE / this.speed.value; }
  get layer() { return clamp(this.get("layer"), this.meta.n_layers); }
  get norm() { return this.get("norm"); }
  get own() { return this.norm === this.meta.own; }
  get plan() { return this.meta.drawings[this.norm][this.get("unfolded") ? "unfolded" : "folded"]; }
  get boxes() { return this.plan.boxes; }
  get scale() { return this.canvas.clientWidth / UNIT.width; }
  get blocks() { return this.byName[this.norm]; }

  /** How a shape is written now: letters, or numbers with T as far as the decoder has come. */
  get how() {
    const at = this.stops[this.stop];
    return { words: this.get("letters"), T: at.kind === "decoder" ? at.step + 1 : null };
  }

  /** What leaves a block; "src" and "tgt" are the ids. */
  leaving(name) {
    const ids = { src: "src_embedding", tgt: "tgt_embedding" }[name];
    return ids ? this.blocks[ids].ins[0] : this.blocks[resolved(name, this.layer)]?.outs[0];
  }

  // ------------------------------------------------------------------------------------------------ what is done

  open(block) {
    const layer = this.blocks[block]?.layer;
    this.set({ block, panel: "block", ...(Number.isInteger(layer) ? { layer } : {}) });
  }

  toLayer(layer) {
    this.set({ layer, block: this.get("block").replace(/^((?:en|de)coder\.)\d+/, `$1${layer}`) });
  }

  go(stop) {
    const to = clamp(stop, this.stops.length), { layer } = this.stops[to];
    this.set({ stop: to, panel: "journey", ...(Number.isInteger(layer) ? { layer } : {}) });
    this.leave();
  }

  /** Tokens set out along the wires that lead to this stop's blocks. */
  leave() {
    this.animate(TRAVEL / this.speed.value, (share) => {
      this.share = share;
      this.paintFigure();
    });
  }

  walk(event) {
    if (event.key === "Escape") { this.set({ panel: "journey" }); return true; }
    if (!(event.key in STEPS)) return false;
    const here = this.boxes.find((box) => resolved(box.name, this.layer) === this.get("block"));
    const next = here ? neighbour(this.boxes, here, STEPS[event.key]) : this.boxes.find((box) => box.kind === "attention");
    this.open(resolved(next.name, this.layer));
    return true;
  }

  // --------------------------------------------------------------------------------------------- texts and states

  wear() {
    const { meta, stop, layer } = this, last = this.stops.length - 1;
    say(this.badge, this.own ? meta.shows : "untrained twin: shapes only");
    say(this.outcome, sofar(stop, this.stops, meta));
    this.stopSlider.value = stop;
    this.stopSlider.setAttribute("aria-valuetext", this.stops[stop].title);
    say(this.stopValue, `${stop + 1} of ${last + 1}`);
    this.layerSlider.value = layer;
    say(this.layerValue, String(layer));
    this.norms.value = this.norm;
    this.all.checked = this.get("unfolded");
    this.words.checked = this.get("letters");
    say(this.playing, this.pulse ? "❚❚ pause" : "▶ play");
    this.playing.setAttribute("aria-pressed", Boolean(this.pulse));
    Object.assign(this.root.dataset, { block: this.get("block"), layer, stop, norm: this.norm, unfolded: this.get("unfolded"),
      panel: this.get("panel") });
    const block = this.hover && this.blocks[resolved(this.hover.name, layer)];
    const lines = this.get("unfolded") ? "Left out: queries, and the lines around each sub-layer." : "Dashed lines go around a sub-layer.";
    say(this.caption, block ? this.said(block) : `Click a block, or walk with the arrow keys. ${lines}`);
    this.wearPane();
  }

  atPointer(canvas) {
    if (canvas !== this.canvas) return this.under;
    return this.hover && this.caption.textContent;
  }

  /** A block in one line. */
  said(block) {
    const layer = block.layer === null ? "" : ` · ${block.name.split(".")[0]} layer ${block.layer}`;
    const label = block.kind === "residual" || block.label !== "+" ? block.label : "Embedding + position";
    return `${label}${layer} · ${counted(block.n_parameters)} parameters · out ${shapeText(block.outs[0], this.how)}`;
  }

  /** Fill the pane beside the figure, if what it shows has changed. */
  wearPane() {
    const panel = this.get("panel"), block = this.get("block");
    const key = JSON.stringify([panel, this.norm, this.get("letters"), panel === "block" ? [block, this.how] : [this.stop, this.layer]]);
    if (key === this.shown) return;
    const first = this.shown === null;
    this.shown = key;
    this.pictures = [];
    const about = this.blocks[block];
    if (panel === "journey") this.pane.replaceChildren(...this.halt(this.stops[this.stop]));
    else this.pane.replaceChildren(...(about ? this.page(about)
      : [hint("Click a block of the figure: its formula, its parameters, the shapes that pass, and the lines of the core that compute "
        + "it.")]));
    this.pane.scrollTop = 0;
    if (!first) this.announce(panel === "block" && about ? this.said(about) : this.stops[this.stop].title);
  }

  // ------------------------------------------------------------------------------------------------- the journey

  halt(stop) {
    const title = make("h4", { class: "mod-title" }, stop.title,
      this.own ? null : span("view-quiet", ` · trained model, norm ${this.meta.own === "post" ? "after" : "before"}`));
    const pages = { pieces: "atPieces", ids: "atIds", embedding: "atEmbedding", positions: "atPositions", encoder: "atEncoder",
      decoder: "atDecoder", text: "atText" };
    return [title, ...this[pages[stop.kind]](stop)];
  }

  /** Pieces as chips; bytes stand with the character they spell. */
  chips({ pieces, ids }, { withIds = false, upTo = pieces.length } = {}) {
    const one = (i) => make("span", { class: "mod-chip" }, make("span", { class: "mod-piece" }, visible(pieces[i])),
      withIds ? span("mod-id", String(ids[i])) : null);
    const shown = groups(pieces.slice(0, upTo)).map(({ byte, places, text }) => (byte
      ? make("span", { class: "mod-bytes", title: `bytes of ${text}` }, ...places.map(one), span("view-quiet", ` = ${text}`))
      : one(places[0])));
    return make("div", { class: "mod-chips" }, ...shown);
  }

  para(...parts) { return make("p", {}, ...parts); }
  code(text) { return make("code", { class: "mod-code" }, text); }

  atPieces() {
    const { src, vocabulary } = this.meta;
    return [this.para(`A vocabulary of ${counted(vocabulary)} pieces, learned from both languages, spells every sentence: frequent words `
      + `whole, rare ones in parts, unknown characters in bytes.`),
      this.chips(src), this.para(`Here ${src.pieces.length} pieces. `, this.code("▁"), " begins a word, ", this.code("</s>"),
      " ends the sentence."),
      this.para(span("view-quiet", "› goes on to the next stop, play goes through them all."))];
  }

  atIds() {
    const { src } = this.meta;
    return [this.para("Each piece is a row number of the vocabulary. Only these numbers enter the model: shape ",
      this.code(shapeText(this.leaving("src"), this.how)), ", one sentence of ", String(src.ids.length), " ids."),
      this.chips(src, { withIds: true })];
  }

  atEmbedding() {
    return [this.para("Each id picks its row of the embedding matrix: one learned vector for each piece, the same wherever the piece "
      + "stands."),
      this.pictured.strip("src_embedding", this.meta.src.pieces, "one row per piece, one column per feature")];
  }

  atPositions() {
    const { pieces } = this.meta.src;
    return [this.para("The vectors are made √d_model times larger, and each place adds its own pattern. Now a piece at place 1 and the "
      + "same piece at place 9 differ."),
      this.pictured.strip("src_positions", pieces, "the positions"),
      this.pictured.strip("src_sum", pieces, "√d_model · embedding + position: what the encoder reads")];
  }

  atEncoder({ layer }) {
    const name = `encoder.${layer}`;
    return [this.para("Every piece reads from every piece (self-attention), then each is worked on alone (feed forward). The shape stays ",
      this.code(shapeText(this.leaving("src_sum"), this.how)), "; the content changes from layer to layer."),
      this.pictured.heads(`${name}.self_attention`),
        this.pictured.strip(`${name}.add_norm.1`, this.meta.src.pieces, `what leaves layer ${layer}`)];
  }

  atDecoder({ step }) {
    const { tgt, steps, src } = this.meta, T = step + 1, S = src.pieces.length, guess = steps[step];
    const here = (name) => this.numbers.maps[`${name}.${this.layer}.${name === "cross" ? "" : "self_"}attention`];
    const cross = this.numbers.maps[`decoder.${this.layer}.cross_attention`];
    const maps = [["encoder", "itself", here("encoder"), S, S], ["decoder", "itself", here("decoder"), T, T],
      ["decoder", "encoder", cross, T, S]];
    return [this.para("The decoder has said:"), this.chips(tgt, { upTo: T }),
      this.para("Its last vector, times the embedding matrix, scores every piece; the softmax makes probabilities of the scores. The "
        + "largest is taken:"),
      this.bars(guess), this.para(span("view-quiet", `Three uses of attention, layer ${this.layer}, mean of its heads:`)),
        this.pictured.trio(maps)];
  }

  bars({ top, piece, total }) {
    const rest = total - top.reduce((sum, [, p]) => sum + p, 0), others = this.meta.vocabulary - top.length;
    const row = (name, p, kind) => make("tr", { class: kind }, make("th", { scope: "row" }, name),
      make("td", { class: "mod-bar" }, make("span", { style: `width:${Math.max(0, 100 * p).toFixed(2)}%` })),
      make("td", { title: String(p) }, kind.endsWith("mod-sum") ? p.toFixed(3) : written(p)));
    return make("table", { class: "mod-bars" },
      make("tbody", {}, ...top.map(([name, p], i) => row(visible(name), p, i === 0 && name === piece ? "mod-chosen" : "")),
      row(`${counted(others)} others`, Math.max(rest, 0), "view-quiet"), row("sum", total, "view-quiet mod-sum")));
  }

  atText() {
    const { meta } = this, chance = meta.steps.reduce((product, step) => product * step.probability, 1);
    return [this.para("The pieces are joined, and ", this.code("▁"), " becomes a space:"),
      make("p", { class: "view-translation" }, meta.translation),
      this.para(`${meta.steps.length} steps, each reading what came before. The product of their probabilities is ${written(chance)}.`),
      this.para(meta.same ? "Decoded again with keys and values kept from step to step, as the core does it: the same pieces, every one."
        : "Decoded again with keys and values kept, as the core does it, another piece came out: two were almost equally likely.")];
  }

  // ---------------------------------------------------------------------------------------------- a block's page

  page(block) {
    const { file, name, line } = this.meta.sources[block.source];
    const where = block.layer === null ? "" : ` · ${block.name.split(".")[0]} layer ${block.layer}`;
    const parts = [make("h4", { class: "mod-title" },
      block.label === "+" && block.kind === "sum" ? "Embedding + position" : block.label === "+" ? "The sum" : block.label,
      span("view-quiet", where)),
      make("p", { class: "mod-formula" }, ...block.formula.map((text) => this.formula(text))), this.para(block.what), this.facts(block),
        ...this.links(block)];
    if (this.own && this.numbers.maps[block.name]) parts.push(this.pictured.heads(block.name));
    if (this.own && this.numbers.strips[block.name]) {
      const side = /^(src|encoder)/.test(block.name) ? this.meta.src : this.meta.tgt;
      parts.push(this.pictured.strip(block.name, side.pieces, "what leaves it, for each piece"));
    }
    if (block.kind === "softmax" && this.own) parts.push(this.para(span("view-quiet", "The last step's likeliest pieces:")),
      this.bars(this.meta.steps[(this.how.T ?? this.meta.steps.length) - 1]));
    return [...parts, this.para(make("b", {}, `${file}:${line}`), ` ${name}`), this.source(block)];
  }

  formula(text) {
    return make("span", { class: "mod-line" }, ...runs(text).map(({ text: words, as, role }) =>
      make(as || "span", { class: role && `mod-${role}` }, words)));
  }

  facts(block) {
    const row = (name, wire, kind) => make("tr", { class: kind }, make("th", { scope: "row" }, name),
      make("td", {}, shapeText(wire, { words: true })), make("td", {}, shapeText(wire, { ...this.how, words: false })));
    const role = { q: "mod-query", k: "mod-key", v: "mod-value" };
    const rows = [...block.ins.map((wire) => row(`in: ${wire.name}`, wire, "")),
      ...block.inner.map((wire) => row(`inside: ${wire.name}`, wire, role[wire.name] ?? "")),
      ...block.outs.map((wire) => row("out", wire, ""))];
    const n = `${counted(block.n_parameters)} parameters${block.note && ` (${block.note})`}`;
    return make("div", {}, this.para(make("b", {}, n), " · ", make("code", { class: "view-address" }, address(block.module))),
      table("mod-shapes", [], rows));
  }

  links(block) {
    const config = document.getElementById("jupyter-config-data");
    const place = { base: config ? JSON.parse(config.textContent).baseUrl ?? "/" : null, path: decodeURIComponent(location.pathname) };
    if (!block.notebooks.length) return [];
    const lab = this.model.widget_manager?.context?.path;
    const named = block.notebooks.map((name) =>
      make("a", { class: "mod-link", href: linkTo(name, place), ...openedByLab(name, lab) }, name.replaceAll("_", " ")));
    return [this.para("Taken apart in ", ...named.flatMap((link, i) => (i ? [" and ", link] : [link])))];
  }

  source(block) {
    const { text, first, line } = this.meta.sources[block.source];
    return make("pre", { class: "view-source mod-source", tabindex: 0 }, ...text.split("\n").map((words, i) =>
      make("span", { class: first + i === line ? "mod-here" : "" }, `${words}\n`)));
  }

  // -------------------------------------------------------------------------------------------------- pictures

  // ---------------------------------------------------------------------------------------------------- painting

  paintFigure() {
    const page = prepared(this.canvas);
    if (!page) return;
    const { ctx } = page, { scale } = this;
    ctx.scale(scale, scale);
    for (const line of this.plan.lines) this.figure.wire(ctx, line);
    for (const box of this.boxes) if (box.kind === "layer") this.figure.box(ctx, box);
    for (const line of this.plan.lines) this.figure.label(ctx, line);   // over the frames of layers, under blocks
    if (this.share !== null) for (const line of this.plan.lines) this.figure.tokens(ctx, line, this.share);
    for (const box of this.boxes) if (box.kind !== "layer") this.figure.box(ctx, box);
    ctx.fillStyle = this.look.ink;
    ctx.font = `13px ${SANS}`;
    for (const [text, x, y, anchor] of this.plan.words) {
      ctx.textAlign = anchor === "middle" ? "center" : anchor;
      ctx.fillText(text, x, y);
    }
    Object.assign(this.canvas.dataset, { scale, attention: this.boxes.filter((box) => box.kind === "attention").length });
  }

  paint() {
    this.paintFigure();
    for (const { canvas, paint } of this.pictures) {
      const small = prepared(canvas);
      if (small) paint(small.ctx, small.width);
    }
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Stop": "how far the sentence has come", "One stop back": "the stop before", "One stop on": "the next stop",
  "Play the journey": "go through all stops, one after the other", "Speed": "how fast it plays",
  "Layer": "the layer that the drawing stands for, counted from 0",
  "Layer norm": "after each sub-layer as in the paper, or before it", "all layers": "draw every layer instead of one",
  "shapes as letters": "B, S, T, D in the place of numbers", "The sentence's journey": "what becomes of the sentence at this stop",
  "The block": "formula, parameters, shapes and code of the block clicked",
};

export default widget(View, HINTS);
