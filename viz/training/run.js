// The training view: curves of a run and cross-attention as it forms, live from Python or looked back on.
//
// A run is rows of numbers (one a step) and frames (the maps of every head at some steps). Live, Python sends what is new;
// looking back, choosing heads and pointing need no Python.

import {
  MONO, SANS, STEPS, Stage, WEIGHT, board, bytesOf, choice, clamp, controls, disc, field, floatsOf, hit, label, level,
  make, mapLabels, mapLayout, paintCells, paintGrid, prepared, say, slantRoom, slider, small, span, stroke, visible, widget,
  written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

export const FIELDS = ["step", "loss", "nll", "rate", "norm", "speed"];

/** Bytes of float32 as rows of one step each: [{ step, loss, nll, rate, norm, speed }, …]. */
export function readCurve(bytes) {
  if (!bytes?.byteLength) return [];
  const values = floatsOf(bytes);
  return Array.from({ length: values.length / FIELDS.length }, (_, row) =>
    Object.fromEntries(FIELDS.map((name, i) => [name, values[row * FIELDS.length + i]])));
}

/** The last frame at or before a step; the first if none is. */
export function frameAt(frames, step) {
  let found = 0;
  frames.forEach((at, i) => { if (at <= step) found = i; });
  return found;
}

/** Where each sentence's frames begin in the data, one after another, each layer by layer and head by head. */
export function offsets(sentences, n_frames, n_maps) {
  let start = 0;
  return sentences.map(({ queries, keys }) => {
    const at = start, size = queries.length * keys.length;
    start += size * n_maps * n_frames;
    return { at, size };
  });
}

/** One head's map as weights: bytes hold round(255 √w). */
export const weights = (data, at, size) => Array.from(data.subarray(at, at + size), (byte) => WEIGHT[byte]);

/** Round numbers from low to high, about n of them. */
export function ticks(low, high, n) {
  const rough = (high - low) / Math.max(n, 1), power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = power * ([1, 2, 5, 10].find((by) => by * power >= rough) ?? 10), found = [];
  for (let at = Math.ceil(low / step); at * step <= high + step * 1e-9; at++) found.push(Number((at * step).toPrecision(6)));
  return found;
}

/** The ends of what is drawn: of finite numbers, with a little room. */
export function extent(values, zero = true) {
  const real = values.filter(Number.isFinite);
  if (!real.length) return [0, 1];
  const low = zero ? 0 : Math.min(...real), high = Math.max(...real);
  return [low, high > low ? high + 0.05 * (high - low) : low + 1];
}

/** Ends without the largest few: one wild step must not flatten all others. */
export function calm(values, share = 0.98) {
  const real = values.filter(Number.isFinite).sort((a, b) => a - b);
  return extent(real.slice(0, Math.max(1, Math.ceil(share * real.length))));
}

/** The highest rate's factor as a reader says it. */
export const times = (factor) => `× ${Number(factor.toPrecision(2))}`;

/** After going back to a step: what stays of the run, and what is left behind. */
export function cutBack(curve, frames, checks, step) {
  const n = curve.filter((row) => row.step <= step).length, m = frames.filter((at) => at <= step).length;
  return { curve: curve.slice(0, n), left: curve.slice(Math.max(n - 1, 0)), frames: frames.slice(0, m),
    checks: checks.filter((check) => check.step <= step) };
}

// ------------------------------------------------------------------------------------------------------- the view

const PANELS = {
  nats: { title: "nats per token", tall: 2.1 }, rate: { title: "learning rate", tall: 0.8 },
  norm: { title: "gradient norm", tall: 0.8 }, bleu: { title: "BLEU, unseen sentences", tall: 0.9 },
  error: { title: "alignment error (AER) of each head", tall: 1.5 }, entropy: { title: "entropy of each head, nats", tall: 1.2 },
};
const GOLD = { naive: "in the row that says the word", shifted: "in the row that has read it", none: "nowhere" };
const HEIGHT = 430, GAP = 26;

/** How the curves of a run are drawn, a panel below the other. */
class Curves {
  constructor(view) { this.view = view; }

  series() {
    const { view } = this;
    const { layer, head } = { layer: view.get("layer"), head: view.get("head") },
      error = view.get("gold") === "shifted" ? "shifted" : "naive";
    const each = (name) => view.checks.length && view.checks[0][name] ? view.checks[0][name].flatMap((row, l) => row.map((_, h) => ({
      points: view.checks.map((check) => [check.step, check[name][l][h]]), quiet: l !== layer || h !== head }))) : [];
    const line = (name, rows = view.curve) => rows.map((row) => [row.step, row[name]]);
    const ghost = (name) => ({ points: line(name, view.ghost), ghost: true });
    const bleu = { points: view.checks.map(({ step, bleu }) => [step, bleu]), dots: true, colour: "value" };
    if (view.meta.can_run) return {
      nats: [ghost("nll"), { points: line("loss"), label: "loss", colour: "quiet" }, { points: line("nll"), label: "nll", colour: "ink" }],
      rate: [ghost("rate"), { points: line("rate"), colour: "ink" }], norm: [ghost("norm"), { points: line("norm"), colour: "ink" }],
        bleu: [bleu],
    };
    return { nats: [{ points: line("nll"), label: "training", colour: "quiet" },
      { points: view.checks.map(({ step, nll }) => [step, nll]), label: "unseen", colour: "ink" }],
    error: each(error), entropy: each("entropy"), bleu: [bleu] };
  }

  paintCurves() {
    const { view } = this;
    const page = prepared(view.chart);
    if (!page) return;
    const { ctx, width, height } = page, all = this.series(), left = 52, right = 66;
    const steps = [...view.curve.map(({ step }) => step), ...view.ghost.map(({ step }) => step), 10], last = Math.max(...steps) * 1.01;
    const total = Object.keys(all).reduce((sum, name) => sum + PANELS[name].tall, 0);
    const unit = (height - 22 - GAP * Object.keys(all).length) / total;
    view.across = { x: (step) => left + (step / last) * (width - left - right),
      value: (x) => clamp(Math.round(((x - left) / (width - left - right)) * last), last + 1) };
    let top = GAP - 6;
    for (const [name, lines] of Object.entries(all)) {
      const tall = PANELS[name].tall * unit;
      this.paintPanel(ctx, name, lines, { left, right: width - right, top, bottom: top + tall });
      top += tall + GAP;
    }
    this.paintSteps(ctx, last, top - GAP + 14, left, width - right);
  }

  paintPanel(ctx, name, lines, box) {
    const { view } = this;
    const values = lines.flatMap(({ points }) => points.map(([, y]) => y));
    const [low, high] = name === "norm" ? calm(values) : name === "error" ? [0, 1] : extent(values);
    const y = (value) => box.bottom - ((clampTo(value, low, high) - low) / (high - low)) * (box.bottom - box.top);
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = "left";
    ctx.fillStyle = view.look.ink;
    ctx.fillText(PANELS[name].title, box.left, box.top - 10);
    ctx.font = `13px ${SANS}`;
    ctx.lineWidth = 1;
    for (const tick of ticks(low, high, (box.bottom - box.top) / 26)) {
      ctx.strokeStyle = view.look.line;
      stroke(ctx, [[box.left, y(tick)], [box.right, y(tick)]]);
      ctx.fillStyle = view.look.quiet;
      ctx.textAlign = "right";
      ctx.fillText(tick && Math.abs(tick) < 0.01 ? tick.toExponential(0).replace("-", "−") : String(tick), box.left - 6, y(tick));
    }
    if (name === "nats" && view.meta.floor) this.paintFloor(ctx, y(view.meta.floor), box);
    for (const line of lines) this.paintLine(ctx, line, y, box);
    ctx.strokeStyle = view.look.query;
    ctx.lineWidth = 1.5;
    if (view.frames.length) stroke(ctx, [[view.across.x(view.step), box.top - 2], [view.across.x(view.step), box.bottom]]);
  }

  paintFloor(ctx, y, box) {
    const { view } = this;
    ctx.setLineDash([4, 4]);
    ctx.strokeStyle = view.look.quiet;
    stroke(ctx, [[box.left, y], [box.right, y]]);
    ctx.setLineDash([]);
    ctx.textAlign = "right";
    ctx.fillText(`the loss cannot go below ${written(view.meta.floor)}`, box.right, y - 8);
  }

  paintLine(ctx, { points, label, colour, quiet, ghost, dots }, y, box) {
    const { view } = this;
    if (!points.length) return;
    ctx.strokeStyle = ctx.fillStyle = view.look[colour ?? (ghost || quiet ? "quiet" : "key")];
    ctx.globalAlpha = ghost ? 0.45 : quiet ? 0.4 : 1;
    ctx.lineWidth = ghost || quiet ? 1 : 2;
    stroke(ctx, points.map(([step, value]) => [view.across.x(step), y(value)]));
    if (dots) for (const [step, value] of points) disc(ctx, view.across.x(step), y(value), 3);
    ctx.globalAlpha = 1;
    if (!label) return;
    const [step, value] = points[points.length - 1];
    ctx.textAlign = "left";
    ctx.fillText(label, Math.min(view.across.x(step) + 5, box.right + 4), y(value) + (colour === "quiet" ? -7 : 6));
  }

  paintSteps(ctx, last, y, left, right) {
    const { view } = this;
    ctx.fillStyle = view.look.quiet;
    ctx.font = `13px ${SANS}`;
    ctx.textAlign = "center";
    for (const tick of ticks(0, last, (right - left) / 80)) ctx.fillText(String(tick), view.across.x(tick), y);
    ctx.textAlign = "right";
    ctx.fillText("step", right + 40, y);
  }
}

class TrainingStage extends Stage {
  constructor(model, el) {
    super(model, el, "A training run");
    this.plot = new Curves(this);
    this.curve = [];
    this.start(["data", "curve", "frames", "checks", "snapshots", "running", "factor", "frame", "layer", "head", "sentence",
      "gold", "trouble"]);
    this.beat = setInterval(() => { if (this.running) this.tell({ ask: "here" }); }, 10000);   // also when scrolled out of sight
  }

  left() {
    clearInterval(this.beat);
    clearTimeout(this.late);
  }

  get meta() { return this.get("meta"); }
  get sentence() { return this.meta.sentences[this.get("sentence")]; }
  get running() { return this.get("running") && this.connected; }   // a run whose Python is gone does not
  get maps() { return this.meta.n_layers * this.meta.n_heads; }

  /** The frame looked at: the newest where the trait is -1. */
  get shown() {
    const n = this.frames.length, asked = this.get("frame");
    return asked < 0 ? n - 1 : clamp(asked, n);
  }

  get step() { return this.frames[this.shown] ?? 0; }

  // ---- what comes from Python

  load() {
    this.take();
    this.ghost = [];
    this.build();
  }

  /** What stands in the traits: the whole run as it was when it last stopped. */
  take() {
    this.curve = readCurve(this.get("curve"));
    this.frames = [...this.get("frames")];
    this.checks = [...this.get("checks")];
    this.bytes = bytesOf(this.get("data"));
    this.fresh = [];
  }

  changed(name) {
    if (["data", "curve", "frames", "checks"].includes(name)) {
      if (this.frames && !this.get("running")) this.take();
      this.schedule();
    } else super.changed(name);
  }

  answered(message, buffers) {
    if (message.ask) this.heardOf(message.error ?? "");
    if (message.answer === "news") {
      this.curve.push(...readCurve(buffers[0]));
      const more = bytesOf(buffers[1]), grown = new Uint8Array(this.bytes.length + more.length);
      grown.set(this.bytes);
      grown.set(more, this.bytes.length);
      this.bytes = grown;
      this.frames.push(...message.frames);
      this.checks.push(...message.checks);
    } else if (message.answer === "gone back") {
      const cut = cutBack(this.curve, this.frames, this.checks, message.step);
      this.ghost = cut.left;
      Object.assign(this, { curve: cut.curve, frames: cut.frames, checks: cut.checks });
      this.bytes = this.bytes.slice(0, this.frames.length * this.maps * this.sentence.queries.length * this.sentence.keys.length);
    }
  }

  csv() { return [FIELDS, ...this.curve.map((at) => FIELDS.map((name) => at[name]))]; }

  // ---- the page

  build() {
    const { title, can_run } = this.meta;
    this.said = make("div", { class: "view-cell" });
    this.tells = make("div", { class: "tra-says" });
    this.frame(title, ...(can_run ? [this.controls()] : []), this.figures(), this.tells, make("div", { class: "tra-grid" },
      make("div", {}, this.curves()), this.attention()), this.scrubber(), this.said);
  }

  controls() {
    this.press = make("button", { type: "button", class: "view-all tra-press",
      onclick: () => this.ask({ ask: this.running ? "pause" : "start" }) });
    this.rate = slider("learning rate, times the recipe's", { min: -10, max: 10, step: 1, class: "tra-rate" },
      ({ target }) => this.set({ factor: 10 ** (Number(target.value) / 10) }));
    this.rateText = span("view-value", "");
    this.back = choice("Kept checkpoint to go back to", [], () => {});
    this.go = make("button", { type: "button", class: "view-all tra-press", onclick: () => this.goBack() }, "Go back");
    this.note = make("span", { class: "view-quiet", role: "status" });
    return controls(this.press, field("Learning rate", this.rate, this.rateText),
      field("Kept", this.back), this.go, this.note);
  }

  goBack() {
    this.ask({ ask: "back", step: Number(this.back.value) });
    this.set({ frame: -1 });
  }

  /** Ask Python; where it does not answer soon, say that it is busy. */
  ask(message) {
    this.tell(message);
    clearTimeout(this.late);
    this.late = setTimeout(() => { this.problem = "asked; Python is busy and does it as soon as the running cell has ended";
      this.schedule(); }, 800);
  }

  heardOf(problem) {
    clearTimeout(this.late);
    this.problem = problem;
  }

  figures() {
    const names = this.meta.can_run ? ["step", "loss", "nll", "learning rate", "tokens/s", "gradient norm", "BLEU"]
      : ["step", "nll", "BLEU", "AER of this head", "best AER of any head", "entropy of this head"];
    this.numbers = Object.fromEntries(names.map((name) => [name, span("tra-number", "")]));
    return make("div", { class: "tra-numbers" }, ...names.map((name) => make("div", {}, this.numbers[name], span("view-small", name))));
  }

  curves() {
    this.chart = board({ class: "tra-curves", "aria-label": "Curves of the run; arrow keys go through its frames",
      style: `height:${HEIGHT}px` }, {
      at: (x) => (this.across ? { x } : null),
      look: (found) => { this.over = found && this.across ? this.across.value(found.x) : null; this.schedule(); },
      click: ({ x }) => this.lookAt(frameAt(this.frames, this.across.value(x))),
      key: (event) => this.walk(event.key),
    });
    return this.chart;
  }

  walk(key) {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -1e6, End: 1e6 }[key];
    if (by) this.lookAt(clamp(this.shown + by, this.frames.length), true);
    return Boolean(by);
  }

  /** Look at a frame; at the last one, follow what comes. */
  lookAt(frame, aloud = false) {
    this.set({ frame: frame >= this.frames.length - 1 && this.meta.can_run ? -1 : frame });
    if (aloud) this.announce(this.summary());
  }

  attention() {
    const { n_heads, n_layers, sentences } = this.meta;
    this.map = board({ class: "tra-map",
      "aria-label": "Cross-attention of the head chosen: rows are target tokens read, columns source tokens" }, {
      at: (x, y) => { const found = this.layout && hit(this.layout, x, y); return found && found.row >= 0 ? found : null; },
      look: (found) => { this.cell = found; this.schedule(); },
      key: (event) => this.walkMap(event.key),
    });
    this.thumbs = board({ class: "tra-thumbs", "aria-label": "Every head; arrow keys choose one" }, {
      at: (x, y) => this.headAt(x, y), look: () => {}, click: (place) => this.set(place),
      key: (event) => {
        const step = STEPS[event.key];
        if (!step) return false;
        this.set({ layer: clamp(this.get("layer") + step[0], n_layers), head: clamp(this.get("head") + step[1], n_heads) });
        this.announce(`layer ${this.get("layer")}, head ${this.get("head")}`);
        return true;
      },
    });
    this.mapTitle = make("div", { class: "view-name" });
    this.goldPick = choice("The truth, framed in green", Object.entries(GOLD), ({ target }) => this.set({ gold: target.value }));
    this.sentencePick = choice("Sentence", sentences.map(({ title }, i) => [i, title]),
      ({ target }) => this.set({ sentence: Number(target.value) }));
    const pick = make("div", { class: "tra-picks" }, sentences.length > 1 ? this.sentencePick : null,
      make("label", { class: "view-small" }, "the truth, framed in green, ", this.goldPick));
    return make("div", { class: "tra-attention" }, make("div", {}, this.mapTitle, this.map, pick),
      make("div", { class: "tra-heads" }, make("div", { class: "view-name" }, "all heads"), this.thumbs,
        make("div", { class: "view-small" }, "rows: layers, columns: heads")));
  }

  walkMap(key) {
    const step = STEPS[key], { queries, keys } = this.sentence;
    if (!step) return false;
    const here = this.cell ?? { row: 0, col: 0 };
    this.cell = { row: clamp(here.row + step[0], queries.length), col: clamp(Math.max(here.col, 0) + step[1], keys.length) };
    this.announce(this.inWords());
    this.schedule();
    return true;
  }

  scrubber() {
    this.scrub = slider("step looked at", { min: 0, max: 0, step: 1, class: "tra-scrub" },
      ({ target }) => this.lookAt(Number(target.value)));
    this.scrubText = span("view-value", "");
    return make("label", { class: "view-field tra-scrubber" }, span("view-name", "Look at"), this.scrub, this.scrubText);
  }

  // ---- texts and states

  /** The row of the curve at the step looked at, or the last before it. */
  row() {
    const rows = this.get("frame") < 0 ? this.curve : this.curve.filter(({ step }) => step <= this.step);
    return rows[rows.length - 1];
  }

  check() {
    const until = this.get("frame") < 0 ? Infinity : this.step, past = this.checks.filter(({ step }) => step <= until);
    return past[past.length - 1];
  }

  wear() {
    const last = this.frames.length - 1;
    if (this.meta.can_run) this.wearControls();
    this.wearNumbers();
    Object.assign(this.scrub, { max: Math.max(last, 0), value: this.shown });
    this.scrub.setAttribute("aria-valuetext", `step ${this.step}`);
    say(this.scrubText, `step ${this.step}${this.shown === last && this.running ? ", the newest" : ""}`);
    this.goldPick.value = this.get("gold");
    this.sentencePick.value = this.get("sentence");
    say(this.mapTitle, `cross-attention, layer ${this.get("layer")}, head ${this.get("head")}, step ${this.step}`);
    say(this.said, this.cell ? this.inWords() : "Point at a cell of the map, or at the curves: the numbers stand here.");
    if (!this.cell && this.over !== null && this.over !== undefined) say(this.said, this.onCurve(this.over));
    this.wearSays();
    Object.assign(this.root.dataset, { step: this.row()?.step ?? 0, frames: this.frames.length, running: String(this.running) });
  }

  atPointer(canvas) {
    const on = canvas === this.map ? this.cell : canvas === this.chart && typeof this.over === "number";
    return on ? this.said.textContent : "";
  }

  wearControls() {
    const { running, connected, meta: { goal, peak } } = this, snapshots = this.get("snapshots"), factor = this.get("factor"),
      trouble = this.get("trouble");
    const done = (this.curve[this.curve.length - 1]?.step ?? 0) >= goal;
    say(this.press, running ? "❚❚ Pause" : this.curve.length ? "▶ Go on" : "▶ Start");
    this.press.disabled = !connected || (done && !running);
    this.rate.disabled = !connected;
    this.go.disabled = !connected || !snapshots.length;
    if (document.activeElement !== this.rate) this.rate.value = Math.round(10 * Math.log10(factor));
    this.rate.setAttribute("aria-valuetext", times(factor));
    say(this.rateText, `${times(factor)}, peak ${written(factor * peak)}`);
    this.wearSnapshots(snapshots);
    const told = !connected ? "no Python here: the recorded run can be looked back on" : done ? `done: ${goal} steps` : `of ${goal} steps`;
    say(this.note, (connected && (this.problem || trouble)) || told);
    this.note.classList.toggle("tra-trouble", Boolean(trouble));
  }

  /** What can be gone back to; what the reader has chosen stays chosen when there is more. */
  wearSnapshots(snapshots) {
    if (this.snapshotsShown === snapshots.join()) return;
    this.snapshotsShown = snapshots.join();
    const { options, selectedIndex, value } = this.back, chosen = selectedIndex < options.length - 1 && snapshots.includes(Number(value));
    this.back.replaceChildren(...snapshots.map((step) => make("option", { value: step }, `step ${step}`)));
    if (snapshots.length) this.back.value = chosen ? value : snapshots[snapshots.length - 1];
  }

  wearNumbers() {
    const row = this.row(), check = this.check(), shown = (value) => (value === undefined || value === null ? "–" : written(value));
    const of = (name) => check?.[name]?.[this.get("layer")]?.[this.get("head")];
    const error = this.get("gold") === "shifted" ? "shifted" : "naive";
    const values = this.meta.can_run
      ? { step: row?.step, loss: row?.loss, nll: row?.nll, "learning rate": row?.rate, "tokens/s": row?.speed, "gradient norm": row?.norm,
      BLEU: check?.bleu }
      : { step: this.step, nll: check?.nll, BLEU: check?.bleu, "AER of this head": of(error), "entropy of this head": of("entropy"),
        "best AER of any head": check && Math.min(...check[error].flat()) };
    for (const [name, node] of Object.entries(this.numbers)) {
      const value = values[name];
      say(node, name === "step" ? String(value ?? 0) : name === "tokens/s" && value ? Math.round(value).toLocaleString("en")
        : shown(value));
      if (value !== undefined && value !== null) node.title = String(value);
    }
  }

  /** What the model says of the sentence, live; the sentence pair where the run is over. */
  wearSays() {
    const check = this.check(), { english, german } = this.sentence;
    const text = [english, german, check?.translation, check?.step].join("|");
    if (this.saysText === text) return;
    this.saysText = text;
    const line = (name, words) => make("div", {}, span("tra-what", name), make("b", {}, words));
    this.tells.replaceChildren(line("source", english), line("right", german),
      ...(this.meta.can_run ? [line(check ? `says at step ${check.step}` : "says", check?.translation || "nothing yet")] : []));
  }

  onCurve(step) {
    const row = this.curve.reduce((best, one) => (Math.abs(one.step - step) < Math.abs((best?.step ?? Infinity) - step) ? one : best),
      undefined);
    if (!row) return "nothing has been learned yet";
    const rest = this.meta.can_run ? `, loss ${written(row.loss)}, gradient norm ${written(row.norm)}` : "";
    return `step ${row.step}: nll ${written(row.nll)} nats${rest}, learning rate ${written(row.rate)}`;
  }

  inWords() {
    const { queries, keys } = this.sentence, { row, col } = this.cell, cells = this.weights();
    if (!(col >= 0) || !cells) return `row '${visible(queries[row])}'`;
    const says = queries[row + 1] ?? "</s>";
    return `having read '${visible(queries[row])}' (it has to say '${visible(says)}'), the head reads '${visible(keys[col])}' with weight `
      + `${written(cells[row * keys.length + col], false)}`;
  }

  summary() {
    const row = this.row(), check = this.check();
    return `step ${this.step}${row ? `, nll ${written(row.nll)}` : ""}${check ? `, BLEU ${written(check.bleu)}` : ""}`;
  }

  /** A head's map in a frame, as weights; nothing before the first frame. */
  weights(layer = this.get("layer"), head = this.get("head")) {
    if (!this.frames.length) return null;
    const { at, size } = offsets(this.meta.sentences, this.frames.length, this.maps)[this.get("sentence")];
    const start = at + (this.shown * this.maps + layer * this.meta.n_heads + head) * size;
    return weights(this.bytes, start, size);
  }

  // ---- canvases

  paint() {
    this.plot.paintCurves();
    this.paintMap();
    this.paintThumbs();
  }

  /** The map's cells by the width there is; its height follows before anything is painted. */
  room() {
    const { queries, keys } = this.sentence, ctx = this.map.getContext("2d");
    ctx.font = `13px ${MONO}`;
    const widest = (tokens) => Math.max(...tokens.map((token) => ctx.measureText(visible(token)).width));
    const left = Math.min(widest(queries) + 12, 120), top = Math.min(slantRoom(widest(keys)), 110);
    this.layout = mapLayout(this.map.clientWidth, 1e4, queries.length, keys.length, left, top, 20);
    this.map.style.height = `${Math.ceil(this.layout.bottom) + 4}px`;
    Object.assign(this.map.dataset, { left, top, cell: this.layout.cell });
  }

  paintMap() {
    this.room();
    const page = prepared(this.map), layout = this.layout;
    if (!page) return;
    const { ctx } = page;
    const cells = this.weights();
    if (cells) paintCells(ctx, cells.map((weight) => level(weight, 1, false)), this.colours, layout);
    paintGrid(ctx, layout, this.look.line);
    this.paintGold(ctx, layout);
    this.paintLabels(ctx, layout);
  }

  /** Where the words that mean the same stand: the truth, which the model is never told. */
  paintGold(ctx, { left, top, cell, bottom }) {
    const gold = this.sentence.gold[this.get("gold")] ?? [];
    ctx.strokeStyle = this.look.value;
    ctx.lineWidth = 2;
    for (const [row, col] of gold) if (top + row * cell < bottom) ctx.strokeRect(left + col * cell + 1.5, top + row * cell + 1.5,
      cell - 3, cell - 3);
    if (!(this.cell?.col >= 0)) return;
    ctx.strokeStyle = this.look.ink;
    ctx.strokeRect(left + this.cell.col * cell, top + this.cell.row * cell, cell, cell);
  }

  paintLabels(ctx, layout) {
    const { queries, keys } = this.sentence;
    mapLabels(ctx, layout, queries.map((query, i) => [visible(query), this.look.query, this.cell?.row === i]),
      keys.map((key, j) => [visible(key), this.look.key, this.cell?.col === j]));
  }

  /** Where the small map of a head stands. */
  place(layer, head) {
    const { n_heads, n_layers } = this.meta, room = 16, wide = (this.thumbs.clientWidth - room) / n_heads,
      tall = (this.thumbs.clientHeight - room) / n_layers;
    return { x: room + head * wide + 2, y: room + layer * tall + 2, wide: wide - 6, tall: tall - 6 };
  }

  headAt(x, y) {
    const { n_heads, n_layers } = this.meta, first = this.place(0, 0), head = Math.floor((x - 16) / (first.wide + 6)),
      layer = Math.floor((y - 16) / (first.tall + 6));
    return head >= 0 && head < n_heads && layer >= 0 && layer < n_layers ? { layer, head } : null;
  }

  paintThumbs() {
    const page = prepared(this.thumbs);
    if (!page) return;
    const { ctx } = page, { queries, keys } = this.sentence;
    ctx.font = `13px ${SANS}`;
    ctx.textAlign = "center";
    for (let layer = 0; layer < this.meta.n_layers; layer++) for (let head = 0; head < this.meta.n_heads; head++) {
      const { x, y, wide, tall } = this.place(layer, head), cells = this.weights(layer, head),
        chosen = layer === this.get("layer") && head === this.get("head");
      const box = { rows: queries.length, cols: keys.length, left: x, top: y, right: x + wide, bottom: y + tall };
      if (cells) paintCells(ctx, cells.map((weight) => level(weight, 1, false)), this.colours, box);
      ctx.strokeStyle = chosen ? this.look.key : this.look.line;
      ctx.lineWidth = chosen ? 3 : 1;
      ctx.strokeRect(x, y, wide, tall);
      ctx.fillStyle = this.look.quiet;
      if (!layer) ctx.fillText(String(head), x + wide / 2, 8);
      if (!head) ctx.fillText(String(layer), 7, y + tall / 2);
    }
  }
}

const clampTo = (value, low, high) => Math.min(Math.max(value, low), high);

export default widget(TrainingStage);
