// The recipe view: how sentences become batches, how the learning rate rises and falls, what label smoothing asks for.
//
// Everything is computed here, from the lengths of some sentence pairs and from formulas.

import {
  SANS, Stage, board, choice, clamp, controls, disc, field, label, make, many, number, prepared, say, slider, span, stroke,
  widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Pairs as they come, each batch filled up to the budget on either side. */
export function cutInOrder(lengths, budget, order) {
  const plan = [];
  let batch = [], src = 0, tgt = 0;
  for (const row of order) {
    const [s, t] = lengths[row];
    if (batch.length && Math.max(src + s, tgt + t) > budget) {
      plan.push(batch);
      [batch, src, tgt] = [[], 0, 0];
    }
    batch.push(row);
    src += s;
    tgt += t;
  }
  return batch.length ? [...plan, batch] : plan;
}

/** As the core does: windows of pairs sorted by source length, then cut by tokens. */
export function cutSorted(lengths, budget, order, window) {
  const plan = [];
  for (let start = 0; start < order.length; start += window) {
    const sorted = order.slice(start, start + window).sort((a, b) => lengths[a][0] - lengths[b][0]);
    plan.push(...cutInOrder(lengths, budget, sorted));
  }
  return plan;
}

/** n pairs to a batch, however long. */
export const cutByCount = (n, order) => Array.from({ length: Math.ceil(order.length / n) }, (_, i) => order.slice(i * n, (i + 1) * n));

/** The share of padding over both sides, the most and the mean real tokens of a batch's larger side. */
export function filling(lengths, plan) {
  let cells = 0, tokens = 0;
  const real = plan.map((batch) => Math.max(...[0, 1].map((side) => {
    const own = batch.map((row) => lengths[row][side]), sum = own.reduce((a, b) => a + b, 0);
    cells += own.length * Math.max(...own);
    tokens += sum;
    return sum;
  })));
  return { batches: plan.length, padding: 1 - tokens / cells, most: Math.max(...real),
    mean: real.reduce((a, b) => a + b, 0) / real.length };
}

/** Equation 3; step counts from 1. */
export const rate = (step, d, warmup) => d ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5);

/** The smoothed target: what the right word gets, and each other one. */
export function target(vocab, eps, among) {
  const wrong = eps / (among === "all" ? vocab : vocab - 1);
  return { right: 1 - eps + (among === "all" ? wrong : 0), wrong };
}

const term = (q, p) => (q > 0 ? -q * Math.log(p) : 0);

/** The target's own entropy: the loss's floor. */
export function floor(vocab, eps, among) {
  const { right, wrong } = target(vocab, eps, among);
  return term(right, right) + (vocab - 1) * term(wrong, wrong);
}

/** The loss of a model that gives the right word this chance and shares the rest evenly. */
export function loss(chance, vocab, eps, among) {
  const { right, wrong } = target(vocab, eps, among);
  return term(right, chance) + (vocab - 1) * term(wrong, (1 - chance) / (vocab - 1));
}

const CHANCES = [0.01, 0.999];   // the ends of the model's slider

/** The top of the loss's picture: what no loss between the slider's ends lies above. */
export const highest = (vocab, eps, among) => Math.max(-Math.log(CHANCES[0]), ...CHANCES.map((chance) => loss(chance, vocab, eps, among)));

/** Values from low to high that a slider walks in equal ratios, whole numbers, two digits or so. */
export function ladder(low, high, n) {
  const all = Array.from({ length: n + 1 }, (_, i) => Number((low * (high / low) ** (i / n)).toPrecision(2)));
  return [...new Set([...all.map(Math.round), high])].sort((a, b) => a - b);
}

export const nearest = (list, value) => list.reduce((best, one, i) => (Math.abs(one - value) < Math.abs(list[best] - value) ? i : best), 0);

// ------------------------------------------------------------------------------------------------------- the view

const TABS = { batches: "Batches", rate: "Learning rate", smoothing: "Label smoothing" };
const WAYS = [["sorted", "sorted by length, cut by tokens (the core's)"], ["random", "as they come, cut by tokens"],
  ["count", "as they come, so many sentences"]];
const AMONG = [["all", "all V words, the right one too (the core)"], ["others", "the V − 1 others (tensor2tensor)"]];
const LADDERS = {
  budget: ladder(50, 1000, 24), window: ladder(2, 400, 24), d_model: [64, 128, 256, 512, 1024, 2048],
  warmup: [1, ...ladder(100, 16000, 30), 4000].sort((a, b) => a - b), steps: ladder(1000, 100000, 20),
    vocab: [...ladder(2, 100000, 40), 37000].sort((a, b) => a - b),
};
const PICTURES = {
  batches: "Batches as blocks, a line for each pair; left and right arrows change the budget of tokens",
  rate: "The learning rate by step; left and right arrows move the step that is read off",
  smoothing: "Target and loss; left and right arrows move the model's probability of the right word",
};
const HEIGHT = 300;
const thousands = (number) => number.toLocaleString("en");

class RecipeStage extends Stage {
  constructor(model, el) {
    super(model, el, "The recipe of training");
    this.start(["tab", "way", "budget", "window", "d_model", "warmup", "steps", "step", "eps_ls", "vocab", "among", "chance"]);
  }

  load() {
    const tabs = this.get("meta").tabs ?? Object.keys(TABS);
    this.order = this.get("meta").lengths.map((_, i) => i);
    this.bars = {};
    this.panes = { batches: this.batchControls(), rate: this.rateControls(), smoothing: this.smoothingControls() };
    const list = this.tabs("What is shown", "tab", tabs.map((name) => [name, TABS[name]]), { panes: this.panes });
    this.canvas = board({ class: "rec-canvas", style: `height:${HEIGHT}px` }, {
      at: (x, y) => ({ x, y }), look: (found) => this.point(found), click: (found) => this.pick(found),
        key: (event) => this.walk(event.key),
    });
    this.result = make("div", { class: "rec-result" });
    this.said = make("div", { class: "view-cell" });
    this.frame(list, ...Object.values(this.panes), make("div", {}, this.canvas), this.result, this.said);
  }

  field(name, label) {
    const list = LADDERS[name], bar = slider(label, { min: 0, max: list.length - 1, step: 1, class: "rec-slider" },
      ({ target: { value } }) => this.set({ [name]: list[Number(value)] }));
    return this.labelled(name, label, bar, (value) => nearest(list, value));
  }

  plain(name, label, range) {
    const bar = slider(label, { ...range, class: "rec-slider" }, ({ target: { value } }) => this.set({ [name]: Number(value) }));
    return this.labelled(name, label, bar, (value) => value);
  }

  labelled(name, label, bar, place) {
    const value = span("view-value rec-value", "");
    this.bars[name] = { bar, value, place };
    return field(label, bar, value);
  }

  batchControls() {
    this.way = choice("How batches are cut", WAYS, ({ target: { value } }) => this.set({ way: value }));
    this.windowField = this.field("window", "pairs sorted together");
    return controls(field("Batches", this.way),
      this.field("budget", "tokens a side"), this.windowField);
  }

  rateControls() {
    return controls(this.field("d_model", "d_model"), this.field("warmup", "warmup_steps"), this.field("steps", "steps shown"));
  }

  smoothingControls() {
    this.among = choice("ε is spread over", AMONG, ({ target: { value } }) => this.set({ among: value }));
    return controls(this.plain("eps_ls", "ε", { min: 0, max: 0.5, step: 0.01 }), this.field("vocab", "V"),
      this.plain("chance", "the model's p(right word)", { min: CHANCES[0], max: CHANCES[1], step: 0.001 }),
      field("ε over", this.among));
  }

  // ---- gestures

  point(found) {
    this.over = found;
    this.schedule();
  }

  atPointer() { return this.over && this.get("tab") === "batches" ? this.said.textContent : ""; }

  pick({ x }) {
    if (this.get("tab") === "rate" && this.across) this.set({ step: clamp(this.across.value(x) - 1, this.get("steps")) + 1 });
    if (this.get("tab") === "smoothing" && this.chances) this.set({ chance: this.chances.value(x) });
  }

  walk(key) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!by) return false;
    const { steps, step, chance, budget } = { steps: this.get("steps"), step: this.get("step"), chance: this.get("chance"),
      budget: this.get("budget") };
    const moved = { batches: () => ({ budget: LADDERS.budget[clamp(nearest(LADDERS.budget, budget) + by, LADDERS.budget.length)] }),
      rate: () => ({ step: clamp(step - 1 + by * Math.max(1, Math.round(steps / 100)), steps) + 1 }),
      smoothing: () => ({ chance: Math.min(CHANCES[1], Math.max(CHANCES[0], chance + by * 0.01)) }) };
    this.set(moved[this.get("tab")]());
    this.announce(() => this.result.textContent);
    return true;
  }

  // ---- texts and states

  wear() {
    const tab = this.get("tab"), { shows } = this.get("meta");
    for (const [name, { bar, value, place }] of Object.entries(this.bars)) {
      const now = this.get(name);
      if (bar !== document.activeElement) bar.value = place(now);
      say(value, Number.isInteger(now) ? thousands(now) : String(Number(now.toPrecision(3))));
      bar.setAttribute("aria-valuetext", value.textContent);
    }
    this.way.value = this.get("way");
    this.among.value = this.get("among");
    this.windowField.classList.toggle("hidden", this.get("way") !== "sorted");
    say(this.badge, shows[tab]);
    if (tab === "batches") this.plan = this.planned();
    say(this.result, { batches: () => this.batchesSaid(), rate: () => this.rateSaid(), smoothing: () => this.smoothingSaid() }[tab]());
    say(this.said, this.over && tab === "batches" ? this.batchSaid() : { batches: "Point at a batch: what it holds stands here.",
      rate: "Click the curve, or use arrow keys: the step that is read off.",
      smoothing: "Click the curve, or use arrow keys: the model's own probability of the right word." }[tab]);
    this.canvas.setAttribute("aria-label", PICTURES[tab]);
    this.root.dataset.tab = tab;
  }

  planned() {
    const { lengths } = this.get("meta"), budget = this.get("budget"), way = this.get("way");
    if (way === "random") return cutInOrder(lengths, budget, this.order);
    if (way === "sorted") return cutSorted(lengths, budget, this.order, this.get("window"));
    const total = Math.max(...[0, 1].map((side) => lengths.reduce((sum, pair) => sum + pair[side], 0)));
    return cutByCount(Math.max(1, Math.round((budget * lengths.length) / total)), this.order);
  }

  batchesSaid() {
    const { batches, padding, most, mean } = filling(this.get("meta").lengths, this.plan), budget = this.get("budget");
    const over = most > budget ? `up to ${most} tokens on one side, above the ${budget}` : `none above ${budget} tokens on either side`;
    return `${batches} batches · ${(100 * padding).toFixed(1)} % padding · ${over} · ${Math.round(mean)} on average`;
  }

  batchSaid() {
    const found = this.blocks?.find(({ x, y, width, height }) => this.over.x >= x && this.over.x <= x + width && this.over.y >= y
      && this.over.y <= y + height);
    if (!found) return "Point at a batch: what it holds stands here.";
    const { lengths } = this.get("meta"), sums = [0, 1].map((side) => found.batch.reduce((sum, row) => sum + lengths[row][side], 0));
    const { padding } = filling(lengths, [found.batch]);
    return `batch ${found.n + 1}: ${many(found.batch.length, "pair")}, ${sums[0]} source and ${sums[1]} target tokens, `
      + `${(100 * padding).toFixed(1)} % padding`;
  }

  rateSaid() {
    const d = this.get("d_model"), warmup = this.get("warmup"), step = Math.min(this.get("step"), this.get("steps"));
    const of = (at) => rate(at, d, warmup).toExponential(6).replace("-", "−");
    const way = step < warmup ? "rising in a straight line" : step === warmup ? "the highest" : "falling with 1/√step";
    return `step ${thousands(step)}: ${of(step)} (${way}) · highest ${of(warmup)} at step ${thousands(warmup)} · step 1: ${of(1)}`;
  }

  smoothingSaid() {
    const vocab = this.get("vocab"), eps = this.get("eps_ls"), among = this.get("among"), chance = this.get("chance");
    const least = floor(vocab, eps, among), now = loss(chance, vocab, eps, among);
    return `loss ${now.toFixed(4)} = floor ${least.toFixed(4)} + KL ${(now - least).toFixed(4)} nats · plain nll `
      + `${(-Math.log(chance)).toFixed(4)} · least loss at p = ${target(vocab, eps, among).right.toFixed(5)}`;
  }

  // ---- canvas

  paint() {
    const page = prepared(this.canvas);
    if (!page) return;
    ({ batches: () => this.paintBatches(page), rate: () => this.paintRate(page),
      smoothing: () => this.paintSmoothing(page) })[this.get("tab")]();
  }

  /** Each batch a block: a line for each pair, source and target side by side, padding grey. */
  paintBatches({ ctx, width, height }) {
    const { lengths } = this.get("meta"), tall = Math.max(...this.plan.map((batch) => batch.length));
    const wide = this.plan.map((batch) => [0, 1].map((side) => Math.max(...batch.map((row) => lengths[row][side]))));
    const { unit, line, rows } = fit(this.plan.map((batch, i) => [wide[i][0] + wide[i][1], batch.length]), width, height);
    let x = 0, y = 0, row = 0;
    this.blocks = [];
    this.plan.forEach((batch, n) => {
      const across = unit * (wide[n][0] + wide[n][1]) + 3;
      if (x + across > width) { x = 0; y += rows[row++] * line + 10; }
      this.blocks.push({ x, y, width: across, height: batch.length * line, batch, n });
      batch.forEach((pair, i) => [0, 1].forEach((side) => {
        const start = x + side * (unit * wide[n][0] + 3), thick = Math.max(line - (line > 3 ? 1 : 0.3), 0.6);
        ctx.fillStyle = this.look.line;
        ctx.fillRect(start, y + i * line, unit * wide[n][side], thick);
        ctx.fillStyle = side ? this.look.query : this.look.key;
        ctx.fillRect(start, y + i * line, unit * lengths[pair][side], thick);
      }));
      x += across + 9;
    });
    this.canvas.dataset.tallest = tall;
  }

  axes(ctx, box, xEnd, yEnd, xTitle) {
    ctx.strokeStyle = this.look.line;
    ctx.lineWidth = 1;
    stroke(ctx, [[box.left, box.top], [box.left, box.bottom], [box.right, box.bottom]]);
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = this.look.quiet;
    ctx.textAlign = "right";
    ctx.fillText(yEnd, box.left - 6, box.top + 4);
    ctx.fillText("0", box.left - 6, box.bottom);
    ctx.fillText(xEnd, box.right, box.bottom + 14);
    ctx.textAlign = "center";
    ctx.fillText(xTitle, (box.left + box.right) / 2, box.bottom + 14);
  }

  line(ctx, points, colour, dash = [], width = 2) {
    ctx.setLineDash(dash);
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    stroke(ctx, points);
    ctx.setLineDash([]);
  }

  /** Draw, and leave out what lies beyond a frame. */
  within(ctx, { left, right, top, bottom }, draw) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, right - left, bottom - top);
    ctx.clip();
    draw();
    ctx.restore();
  }

  paintRate({ ctx, width, height }) {
    const box = { left: 76, right: width - 90, top: 18, bottom: height - 30 }, steps = this.get("steps"), warmup = this.get("warmup"),
      d = this.get("d_model");
    const most = 1.12 * Math.max(rate(warmup, d, warmup), rate(4000, 512, 4000));
    const x = (step) => box.left + ((step - 1) / (steps - 1)) * (box.right - box.left),
      y = (value) => box.bottom - (value / most) * (box.bottom - box.top);
    this.across = { value: (at) => clamp(Math.round(((at - box.left) / (box.right - box.left)) * (steps - 1)), steps) + 1 };
    this.axes(ctx, box, thousands(steps), most.toExponential(1).replace("-", "−"), "step");
    const curve = (rule) => Array.from({ length: 401 }, (_, i) => 1 + (i * (steps - 1)) / 400).map((step) => [x(step), y(rule(step))]);
    for (const [width_, name] of [[512, "base"], [1024, "big"]]) {
      const points = curve((step) => rate(step, width_, 4000)), [, last] = points[400];
      this.line(ctx, points, this.look.quiet, [3, 3], 1);
      ctx.fillStyle = this.look.quiet;
      ctx.textAlign = "left";
      ctx.fillText(`paper, ${name}`, box.right + 4, last + (name === "base" ? -8 : 8));
    }
    this.within(ctx, box, () => {
      this.line(ctx, curve((step) => d ** -0.5 * step ** -0.5), this.look.key, [6, 4], 1);
      this.line(ctx, curve((step) => d ** -0.5 * step * warmup ** -1.5), this.look.value, [6, 4], 1);
    });
    this.line(ctx, curve((step) => rate(step, d, warmup)), this.look.ink, [], 2.5);
    this.ruleNames(ctx, box);
    const step = Math.min(this.get("step"), steps);
    ctx.fillStyle = this.look.query;
    disc(ctx, x(step), y(rate(step, d, warmup)), 5);
  }

  ruleNames(ctx, { right, top }) {
    ctx.textAlign = "right";
    ctx.font = `13px ${SANS}`;
    [["ink", "the learning rate: the smaller of the two"], ["value", "d_model^−0.5 · step · warmup_steps^−1.5"],
      ["key", "d_model^−0.5 · step^−0.5"]].forEach(([colour, text], i) => {
      ctx.fillStyle = this.look[colour];
      ctx.fillText(text, right - 8, top + 8 + 17 * i);
    });
  }

  paintSmoothing(page) {
    const { ctx, width, height } = page, middle = width * 0.44;
    this.paintBars(ctx, { left: 40, right: middle - 30, top: 40, bottom: height - 34 });
    this.paintLoss(ctx, { left: middle + 44, right: width - 60, top: 30, bottom: height - 30 });
  }

  paintBars(ctx, box) {
    const vocab = this.get("vocab"), { right, wrong } = target(vocab, this.get("eps_ls"), this.get("among")), chance = this.get("chance");
    const shown = Math.min(4, vocab - 1, Math.floor((box.right - box.left) / 88) - 1), wide = (box.right - box.left) / (shown + 1),
      high = (share) => Math.max(share * (box.bottom - box.top), share > 0 ? 0.7 : 0);
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = "left";
    ctx.fillStyle = this.look.value;
    ctx.fillText("the target", box.left, 12);
    ctx.fillStyle = this.look.quiet;
    ctx.fillText("the model", box.left + 80, 12);
    const bar = (i, share, colour, shift, other) => {
      const x = box.left + i * wide + shift * wide * 0.4, y = box.bottom - high(share),
        near = shift && Math.abs(high(share) - high(other)) < 12;
      ctx.fillStyle = this.look[colour];
      ctx.fillRect(x, y, wide * 0.36, high(share));
      ctx.font = `13px ${SANS}`;
      ctx.textAlign = "center";
      ctx.fillStyle = this.look.ink;
      const text = share && share < 0.001 ? share.toExponential(0).replace("-", "−") : written(share);
      const aside = share < other ? Math.max(0, ctx.measureText(text).width / 2 - wide * 0.18 - 3) : 0;   // clear of the taller bar
      ctx.fillText(text, x + wide * 0.18 + (shift ? aside : -aside), Math.min(y, near ? box.bottom - high(other) : y) - (near ? 18 : 7));
    };
    for (let i = 0; i <= shown; i++) {
      const [asked, given] = i ? [wrong, (1 - chance) / (vocab - 1)] : [right, chance];
      bar(i, asked, "value", 0, given);
      bar(i, given, "quiet", 1, asked);
      ctx.fillStyle = this.look.quiet;
      ctx.fillText(i ? "other" : "right word", box.left + (i + 0.4) * wide, box.bottom + 13);
    }
    if (vocab - 1 > shown) ctx.fillText(`… and ${thousands(vocab - 1 - shown)} more`, box.right - 40, box.bottom + 27);
  }

  /** The loss and the plain nll against the model's probability of the right word. */
  paintLoss(ctx, box) {
    const vocab = this.get("vocab"), eps = this.get("eps_ls"), among = this.get("among"), least = floor(vocab, eps, among),
      most = highest(vocab, eps, among);
    const x = (chance) => box.left + chance * (box.right - box.left),
      y = (value) => box.bottom - (value / most) * (box.bottom - box.top);
    this.chances = { value: (at) => Math.min(CHANCES[1], Math.max(CHANCES[0], (at - box.left) / (box.right - box.left))) };
    this.axes(ctx, box, "1", `${most.toFixed(1)} nats`, "what the model gives the right word");
    const grid = Array.from({ length: 300 }, (_, i) => 0.002 + (0.9978 * i) / 299);
    this.line(ctx, [[x(0), y(least)], [x(1), y(least)]], this.look.value, [4, 4], 1);
    this.within(ctx, box, () => {
      this.line(ctx, grid.map((chance) => [x(chance), y(-Math.log(chance))]), this.look.quiet, [], 1.5);
      this.line(ctx, grid.map((chance) => [x(chance), y(loss(chance, vocab, eps, among))]), this.look.ink, [], 2.5);
    });
    let at = box.left;
    for (const [colour, text] of [["ink", "smoothed loss"], ["quiet", "plain nll"], ["value", `floor ${least.toFixed(4)}`]]) {
      label(ctx, text, at, 12, `13px ${SANS}`, this.look[colour]);
      at += ctx.measureText(text).width + 18;
    }
    ctx.fillStyle = this.look.query;
    disc(ctx, x(this.get("chance")), y(loss(this.get("chance"), vocab, eps, among)), 5);
  }
}

/** The largest scale at which blocks of [width in tokens, lines] fit into a page, row by row. */
function fit(blocks, width, height) {
  for (let unit = 4; unit > 0.4; unit *= 0.93) {
    const line = Math.min(5, unit * 1.3), rows = [0];
    let x = 0;
    for (const [wide, lines] of blocks) {
      const across = unit * wide + 3;
      if (x + across > width && x) { x = 0; rows.push(0); }
      x += across + 9;
      rows[rows.length - 1] = Math.max(rows[rows.length - 1], lines);
    }
    if (rows.reduce((sum, lines) => sum + lines * line + 10, 0) <= height || unit * 0.93 <= 0.4) return { unit, line, rows };
  }
  return { unit: 0.4, line: 0.5, rows: blocks.map(() => 1) };
}

/** What the controls do, by name or class. */
const HINTS = {
  "the model's p(right word)": "what the loss says of this probability",
  ".view-tab": "another part of the recipe", "How batches are cut": "by sentences or by tokens, sorted or as they come",
  "pairs sorted together": "from so many pairs batches of like lengths are cut",
  "tokens a side": "real tokens that a batch may have", "d_model": "the wider the model, the smaller the rate",
  "warmup_steps": "how long the rate rises", "steps shown": "how far the curve is drawn",
  "ε": "the share of the target that is given away", "V": "how many tokens share it",
  "ε is spread over": "every token, or all but the right one",
};

export default widget(RecipeStage, HINTS);
