// The beam view: the tree that the core's search grew, for every width; the ranking and the end follow α in the page.
//
// Python recorded every candidate of every step at the largest α. α changes neither the beam nor its order, only which
// finished hypothesis scores best and when no live one can still win: both are computed here, as in the core.

import {
  Challenge, MONO, SANS, STEPS, Stage, board, choice, clamp, controls, field, fields, fitted, floatsOf, hint, joined, label,
  legendKey, make, number, prepared, pushedApart, refill, say, slider, small, span, stroke, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

export const LIVE = 0, FINISHED = 1, NO_SLOT = 2, BELOW = 3;   // what became of a candidate in its step

/** ((5 + n) / 6)^α, as in the core. */
export const penalty = (n, alpha) => ((5 + n) / 6) ** alpha;

/** What had finished after n steps, best score first: [{step, rank, log_prob, score}]. */
export function ranking(tree, alpha, n) {
  const found = tree.steps.slice(0, n).flatMap(({ fate, log_prob }, at) => fate.flatMap((one, rank) => (one === FINISHED
    ? [{ step: at + 1, rank, log_prob: log_prob[rank], score: log_prob[rank] / penalty(at + 1, alpha) }] : [])));
  return found.sort((one, other) => other.score - one.score);
}

/** The log-probability of the best live hypothesis of a step. */
export const alive = ({ fate, log_prob }) => Math.max(-Infinity, ...log_prob.filter((_, rank) => fate[rank] === LIVE));

/** Where the core stops at this α, why, and what it returns. */
export function outcome(tree, alpha) {
  let best = -Infinity;
  for (const [at, step] of tree.steps.entries()) {
    const n = at + 1, live = alive(step), bound = live / penalty(tree.limit, alpha);
    step.fate.forEach((fate, rank) => { if (fate === FINISHED) best = Math.max(best, step.log_prob[rank] / penalty(n, alpha)); });
    if (n < tree.limit && bound > best) continue;
    const why = live === -Infinity ? "none" : n >= tree.limit ? "limit" : "cannot";
    const found = ranking(tree, alpha, n), rank = step.fate.indexOf(LIVE),
      cut = { step: n, rank, log_prob: live, score: live / penalty(n, alpha), cut: true };
    return { n, why, bound, best, result: found[0] ?? cut, ranking: found };
  }
  throw new Error(`α ${alpha} is larger than the one that was recorded`);
}

/** The rank of a hypothesis in each step up to its own. */
export function line(tree, step, rank) {
  const ranks = [];
  for (let n = step; n > 0; n--) {
    ranks.unshift(rank);
    rank = tree.steps[n - 1].parent[rank];
  }
  return ranks;
}

export const idsOf = (tree, step, rank) => line(tree, step, rank).map((at, n) => tree.steps[n].token[at]);

/** The rank of these tokens in each step, as far as the beam kept them; the last may be where it pruned them. */
export function follow(tree, ids) {
  const ranks = [];
  let parent = 0;
  for (const [n, { parent: parents, token, fate }] of tree.steps.slice(0, ids.length).entries()) {
    parent = token.findIndex((one, rank) => one === ids[n] && parents[rank] === parent);
    if (parent < 0) break;
    ranks.push(parent);
    if (fate[parent] !== LIVE) break;
  }
  return ranks;
}

/** How many slots a step had for live hypotheses: the width less what had finished before. */
export const slots = (tree, step) =>
  tree.width - tree.steps.slice(0, step - 1).flatMap(({ fate }) => fate).filter((one) => one === FINISHED).length;

/** The ranks of the candidates that prolong a hypothesis, in the next step. */
export const children = (tree, step, rank) => (tree.steps[step]?.parent ?? []).flatMap((parent, at) => (parent === rank ? [at] : []));

/**
 * Of each finished hypothesis, at α from 0 to the largest, how far its score lies behind the best: score / best − 1, or null
 * where the search has stopped before it finished.
 */
export function behind(tree, most, points) {
  const found = new Map();
  for (let i = 0; i < points; i++) {
    const { ranking: list, best } = outcome(tree, (most * i) / (points - 1));
    for (const { step, rank, score } of list) {
      const name = `${step}:${rank}`;
      if (!found.has(name)) found.set(name, Array(points).fill(null));
      found.get(name)[i] = score / best - 1;
    }
  }
  return found;
}

/** How far the scale reaches: to a third more than the second best lies behind at most, so that it is always seen; 5 % at least. */
export function farthest(curves, points) {
  const all = [...curves.values()], at = (i) => all.map((shares) => shares[i]).filter((share) => share !== null).sort((a, b) => a - b);
  const seconds = Array.from({ length: points }, (_, i) => at(i)[1] ?? 0);
  return Math.max(0.05, Math.min(Math.max(0, ...all.flat()), 1.33 * Math.max(...seconds)));
}

/** The place of each hypothesis and the height of its number at the end of its curve, apart; none where the curve leaves the plot. */
export function endMarks(list, curves, y, { top, high }) {
  const ends = list.map(({ step, rank }, at) => [at + 1, y(curves.get(`${step}:${rank}`).at(-1))]).filter(([, end]) => end < top + high);
  const heights = pushedApart(ends.map(([, end]) => end), 15, top, top + high);
  return ends.map(([place], i) => [place, heights[i]]);
}

/** What became of a candidate, in words. */
export function why(tree, step, rank, { n, bound, best, why: reason }) {
  const { fate, log_prob } = tree.steps[step - 1], place = `rank ${rank + 1}`, room = slots(tree, step);
  const score = (value) => (value === -Infinity ? "none" : written(value));
  if (fate[rank] === FINISHED) return `finished at ${place}: it keeps its slot, ${slots(tree, step + 1)} of ${tree.width} remain`;
  if (fate[rank] === NO_SLOT) return `pruned at ${place}: finished hypotheses keep ${tree.width - room} of the ${tree.width} slots`;
  if (fate[rank] === BELOW) {
    return `pruned at ${place}, below the beam of ${tree.width}: ${written(log_prob[rank])}, and the last one in it has `
      + `${written(log_prob[tree.width - 1])}`;
  }
  if (step >= n) {
    if (reason === "limit") return `cut off at ${place}: ${tree.limit} tokens is the limit`;
    return `alive at ${place} when the search stopped: even the best live one could reach ${score(bound)} at most, and ${score(best)} is `
      + `there`;
  }
  const next = tree.steps[step], heirs = children(tree, step, rank);
  if (heirs.some((at) => next.fate[at] <= FINISHED)) return `kept at ${place} of ${room}, and prolonged`;
  const first = heirs.length ? `the best one came on rank ${heirs[0] + 1}` : `none came among the first ${next.token.length}`;
  return `kept at ${place} of ${room}, pruned in step ${step + 1}: of its continuations ${first}, and ${slots(tree, step + 1)} were kept`;
}

/** Of the hypotheses that are alive after a step, the ranks that the next step goes on with, and those it drops. */
export function fates(tree, step) {
  const { fate } = tree.steps[step - 1], next = tree.steps[step], alive = fate.flatMap((one, rank) => (one === LIVE ? [rank] : []));
  const goOn = (rank) => children(tree, step, rank).filter((at) => next.fate[at] <= FINISHED);
  const [kept, dropped] = [true, false].map((goes) => alive.filter((rank) => goOn(rank).length > 0 === goes));
  return { alive, kept, dropped, goOn, leads: next.parent[0] };
}

/** Whether it is worth asking who goes on: some do, and no more than half. */
export const isAsked = ({ kept, dropped }) => kept.length > 0 && kept.length <= dropped.length;

/** The first step, from one on and before the last, after which that is asked; 0: none. */
export function stepToAsk(tree, from, last) {
  for (let step = Math.max(1, from); step < last; step++) if (isAsked(fates(tree, step))) return step;
  return 0;
}

const NO_PROMISE = "A better rank so far is no promise: what counts is the sum with the next token, and all compete for the same places.";
const TWO_PLACES = "Two continuations of one beginning may take two places: then another beginning has none left.";

/** What people usually get wrong, where it fits the guess of a hypothesis that was dropped. */
export function misread({ kept, goOn }, rank) {
  if (rank < 0 || kept.includes(rank)) return "";
  return kept.some((other) => other > rank) ? NO_PROMISE : kept.some((other) => goOn(other).length > 1) ? TWO_PLACES : "";
}

/** Which candidates are drawn: all, those kept, or the paths of finished ones; as a set of "step:rank". */
export function shown(tree, n, mode) {
  const found = new Set();
  tree.steps.slice(0, n).forEach(({ fate }, at) => fate.forEach((one, rank) => {
    if (mode === "all" || (mode === "beam" && one <= FINISHED)) found.add(`${at + 1}:${rank}`);
    if (mode === "finished" && one === FINISHED) line(tree, at + 1, rank).forEach((r, before) => found.add(`${before + 1}:${r}`));
  }));
  return found;
}

/** Where the nodes lie: a column a step, a row a rank; a long search is wider than its frame and scrolls. */
export function spread(width, n, rows, longest = 0) {
  const left = 58, top = 26, wide = clamp(Math.floor((width - left - 6) / n), 140);
  return { left, top, wide: Math.max(wide, 124, 36 + 8 * Math.min(longest, 24)), tall: rows > 8 ? 44 : 46, n, rows };
}

/** The node under a point, or null. */
export function nodeAt({ left, top, wide, tall, n, rows }, x, y) {
  const step = Math.floor((x - left) / wide) + 1, rank = Math.floor((y - top) / tall);
  return step >= 1 && step <= n && rank >= 0 && rank < rows ? [step, rank] : null;
}

/** The node that an arrow key leads to: left to the parent, right to the best child that is drawn, up and down in the step. */
export function walk(tree, [step, rank], key, drawn) {
  const there = ([s, r]) => drawn.has(`${s}:${r}`), move = STEPS[key];
  if (key === "ArrowLeft") return step > 1 ? [step - 1, tree.steps[step - 1].parent[rank]] : null;
  if (key === "ArrowRight") {
    const heir = children(tree, step, rank).map((at) => [step + 1, at]).find(there);
    const beside = (tree.steps[step]?.token ?? []).map((_, at) => [step + 1, at]).filter(there);
    return heir ?? beside.sort((a, b) => Math.abs(a[1] - rank) - Math.abs(b[1] - rank))[0] ?? null;
  }
  for (let r = rank + (move?.[0] || 2e9); r >= 0 && r < tree.steps[step - 1].token.length; r += move[0]) {
    if (there([step, r])) return [step, r];
  }
  return null;
}

// ------------------------------------------------------------------------------------------------------- the view

const GREEDY = 3;   // of the eight colours: no query, key or value
const SHOW = [["all", "all candidates"], ["beam", "the beam only"], ["finished", "finished paths only"]];

/** How the tree is drawn. */
class Tree {
  constructor(view) { this.view = view; }

  /** Ranks, steps, and the stair at which the beam ends. */
  drawFrame(ctx) {
    const { view } = this;
    const { left, top, wide, tall, rows } = view.place, { tree, look } = view;
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = look.quiet;
    ctx.textAlign = "right";
    for (let rank = 0; rank < rows; rank++) ctx.fillText(`${rank + 1}`, left - 14, top + (rank + 0.5) * tall);
    ctx.fillText("rank", left - 14, top - 12);
    ctx.textAlign = "left";
    for (let n = 1; n <= view.n; n++) ctx.fillText(`step ${n}`, left + (n - 1) * wide + 8, top - 12);
    ctx.beginPath();
    for (let n = 1; n <= view.n; n++) {
      const y = top + slots(tree, n) * tall, x = left + (n - 1) * wide - 4;
      if (n === 1) ctx.moveTo(x, y); else ctx.lineTo(x, y);
      ctx.lineTo(x + wide, y);
    }
    this.stroke(ctx, look.wrong, 1.5, [2, 3]);
  }

  stroke(ctx, colour, width, dash = []) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.setLineDash(dash);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  box(step, rank) {
    const { left, top, wide, tall } = this.view.place;
    return { x: left + (step - 1) * wide + 4, y: top + rank * tall + 3, w: wide - 22, h: tall - 8 };
  }

  /** A curve from a candidate's parent; shift: how far beside the middle. */
  edge(ctx, step, rank, shift = 0) {
    const { view } = this;
    const to = this.box(step, rank), y = to.y + to.h / 2 + shift;
    const from = step > 1 ? this.box(step - 1, view.tree.steps[step - 1].parent[rank])
      : { ...this.box(0, 0), y: to.y, w: view.place.wide - 22 };
    const x0 = from.x + from.w, y0 = step > 1 ? from.y + from.h / 2 + shift : view.place.top + view.place.tall / 2 - 1 + shift,
      middle = (x0 + to.x) / 2;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.bezierCurveTo(middle, y0, middle, y, to.x, y);
  }

  drawEdges(ctx) {
    const { view } = this;
    const { tree, look } = view;
    for (const name of view.drawn) {
      const [step, rank] = name.split(":").map(Number), kept = tree.steps[step - 1].fate[rank] <= FINISHED;
      if (step === 1) continue;
      this.edge(ctx, step, rank);
      this.stroke(ctx, kept ? look.quiet : look.line, kept ? 1.3 : 1);
    }
    view.chosen.slice(0, view.n).forEach((rank, at) => { if (at) { this.edge(ctx, at + 1, rank); this.stroke(ctx, look.ink, 4); } });
    view.followed.slice(0, view.n).forEach((rank,
      at) => { if (at && view.there([at + 1, rank])) { this.edge(ctx, at + 1, rank, 5);
      this.stroke(ctx, look.heads[GREEDY], 2.5, [6, 3]); } });
  }

  drawNodes(ctx) {
    for (const name of this.view.drawn) this.drawNode(ctx, ...name.split(":").map(Number));
  }

  drawNode(ctx, step, rank) {
    const { view } = this;
    const { x, y, w, h } = this.box(step, rank), { look } = view, { fate, token, log_prob } = view.tree.steps[step - 1];
    const ended = fate[rank] === FINISHED, kept = fate[rank] <= FINISHED, mine = view.chosen[step - 1] === rank,
      ink = ended ? look.page : kept ? look.ink : look.quiet;
    ctx.beginPath();
    ctx.roundRect(x, y, w, h, 6);
    ctx.fillStyle = ended ? look.ink : look.page;
    ctx.fill();
    this.stroke(ctx, kept ? look.ink : look.quiet, mine ? 3 : 1, kept ? [] : [3, 3]);
    ctx.fillStyle = ink;
    const word = visible(view.word(token[rank])), font = (size) => `${mine ? 700 : 500} ${size}px ${MONO}`, middle = y + h / 2;
    ctx.font = font(15);
    if (ctx.measureText(word).width > w - 9) ctx.font = font(13);
    ctx.fillText(fitted(ctx, word, w - 9), x + 6, middle - 8);
    ctx.font = `13px ${SANS}`;
    ctx.fillText(written(log_prob[rank]), x + 6, middle + 10);
    if (view.followed[step - 1] === rank) view.tag(ctx, x + w - 12, middle + 10, "g", look.heads[GREEDY]);
    const frame = (colour, width) => { ctx.beginPath(); ctx.roundRect(x - 3, y - 3, w + 6, h + 6, 8); this.stroke(ctx, colour, width); };
    if (view.over?.[0] === step && view.over[1] === rank) frame(look.quiet, 1.5);
    if (view.here[0] === step && view.here[1] === rank) frame(look.query, 2.5);
  }
}

class BeamStage extends Stage {
  constructor(model, el) {
    super(model, el, "Beam search");
    this.drawing = new Tree(this);
    this.over = null;
    this.tallest = 0;
    this.reached = "0 false";   // the whole tree, seen from its beginning
    this.start(["data", "trees", "width", "alpha", "step", "node", "layer", "show", "predict", "guesses"]);
  }

  get tree() { return this.get("trees")[this.get("width") - 1]; }
  word(id) { return this.get("meta").words[id]; }
  said(ids) { return joined(ids.map((id) => this.word(id)).filter((word) => word !== "</s>")); }

  // ---- the page

  load() {
    const meta = this.get("meta");
    this.attention = floatsOf(this.get("data"));
    const [first] = this.get("trees"), { result } = outcome(first, 0);   // one hypothesis: α changes nothing
    this.greedy = idsOf(first, result.step, result.rank);
    this.scroll = make("div", { class: "dec-scroll" }, this.canvas());
    this.stopped = make("div", { class: "dec-stopped" });
    this.texts = {};
    this.curves = {};
    this.challenge = new Challenge(this);
    this.before = 0;   // the step that was shown when the asking began
    this.frame(meta.title,
      this.controls(), this.challenge.node, this.scroll, this.legend(), this.stopped, this.panels());
  }

  controls() {
    const meta = this.get("meta");
    const range = (label, ends, name) => slider(label, { class: "dec-slider", ...ends },
      ({ target }) => this.moved(name, target.valueAsNumber));
    this.widths = range("Beam width", { min: 1, max: this.get("trees").length, step: 1 }, "width");
    this.alphas = range("Length penalty α", { min: 0, max: meta.most_alpha, step: 0.05 }, "alpha");
    this.steps = range("Steps shown", { min: 1, max: 1, step: 1 }, "step");
    [this.widthText, this.alphaText, this.stepText] = ["", "", ""].map((text) => span("view-value dec-value", text));
    const button = (text, label, by) => make("button",
      { class: "view-chip", type: "button", "aria-label": label, onclick: () => this.moved("step", this.n + by) }, text);
    this.predict = make("input", { type: "checkbox", onchange: ({ target }) => this.ask(target.checked) });
    this.mode = choice("Show", SHOW, ({ target }) => this.set({ show: target.value }));
    return controls(field("Beam width", this.widths, this.widthText), field("α", this.alphas, this.alphaText),
      fields("Steps", button("◀", "One step back", -1), this.steps, button("▶", "One step on", 1), this.stepText),
      field("Show", this.mode), make("span", { class: "view-options" }, make("label", {}, this.predict, "predict")));
  }

  // ---- predict, then reveal

  /** Ask, from the first step on after which some go on and some do not; or no more, and show as much as before. */
  ask(asks) {
    const step = this.get("step"), to = step && step < this.run.n ? step : stepToAsk(this.tree, 1, this.run.n);
    if (asks) this.before = step;
    this.set(asks ? { predict: asks, ...(to && { step: to }) } : { predict: asks, step: this.before });
    this.schedule();
    this.announce(() => this.challenge.told);
  }

  /** What is asked after the step that is chosen: with which hypotheses the next one goes on. */
  question(tree, run, step) {
    const fate = step < run.n ? fates(tree, step) : { kept: [] }, { alive, kept, dropped, leads } = fate;
    const from = step < run.n ? step + 1 : 1, after = stepToAsk(tree, from, run.n) || stepToAsk(tree, 1, step);
    const next = after ? { step: after } : null;
    if (!kept.length || !isAsked(fate)) {
      const none = next ? "After this step most go on, or all is shown." : "Here a step always goes on with most; choose another width.";
      return { none, next };
    }
    const beginning = (rank) => `“${this.said(idsOf(tree, step, rank))}”`, places = (ranks) => ranks.map((rank) => rank + 1).join(", ");
    return { name: [this.get("meta").version, tree.width, step].join(" "), next,
      asks: `Which of these does step ${step + 1} go on with? Mark one.`,
      choices: alive.map((rank) => [rank, `${rank + 1}. ${beginning(rank)}`]),
      judge: (rank) => ({ right: kept.includes(rank), often: misread(fate, rank),
        said: `step ${step + 1} goes on with rank ${places(kept)}${kept.length > 1 ? ` (${leads + 1} leads)` : ""}, `
          + `and drops ${places(dropped)}.` }) };
  }

  moved(name, value) {
    const whole = outcome(this.tree, this.get("alpha")).n;
    this.set({ [name]: name !== "step" ? value : value >= whole ? 0 : Math.max(1, value) });
    this.wear();
    this.announce(name === "step" ? `step ${this.n} of ${whole}`
      : `beam width ${this.tree.width}, α ${this.get("alpha").toFixed(2)}: ${this.root.dataset.chosen}`);
  }

  canvas() {
    const at = (x, y) => this.place && this.there(nodeAt(this.place, x, y));
    this.board = board({ class: "dec-canvas",
      "aria-label": "Beam search tree: a column a step, a row a rank. Arrow keys walk: left to the parent, right to the best "
        + "continuation, up and down by rank." }, {
      at, look: (found) => { this.over = found; this.schedule(); }, click: (found) => this.open(found), key: (event) => this.key(event),
    });
    return this.board;
  }

  there(node) { return node && this.drawn.has(node.join(":")) ? node : null; }

  key(event) {
    if (!STEPS[event.key]) return false;
    const next = walk(this.tree, this.here, event.key, this.drawn);
    if (next) this.open(next);
    return true;
  }

  open([step, rank]) {
    this.set({ node: [step, rank] });
    this.wear();
    const { left, wide } = this.place, x = left + (step - 1) * wide, { scrollLeft, clientWidth } = this.scroll;
    if (x < scrollLeft + left) this.scroll.scrollLeft = x - left;
    if (x + wide > scrollLeft + clientWidth) this.scroll.scrollLeft = x + wide - clientWidth + 8;
    this.announce(this.sentence(step, rank));
  }

  legend() {
    const key = (name, text) => legendKey(`dec-mark dec-${name}`, text);
    return make("div", { class: "dec-legend" }, key("chosen", "chosen"), key("greedy", "greedy path (g)"),
      key("kept", "kept in the beam"), key("ended", "finished (</s>)"),
      key("pruned", "pruned"), key("stair", "end of the beam (finished ones keep their slots)"),
        span("view-quiet", "number: log P so far"));
  }

  panels() {
    this.rankTitle = make("div", { class: "view-name" });
    this.rankBody = make("div", { class: "view-wide dec-ranking" });
    this.nodeTitle = make("div", { class: "view-name" });
    this.nodeWhy = make("div", { class: "dec-why" });
    this.layers = choice("Layer of the cross-attention", Array.from({ length: this.get("meta").n_layers }, (_, i) => [i, `layer ${i}`]),
      ({ target }) => this.set({ layer: Number(target.value) }));
    this.row = make("div", { class: "dec-row" });
    this.bars = make("div", {});
    return make("div", { class: "dec-panels" }, make("div", {}, this.rankTitle, this.rankBody, this.scores()),
      make("div", {}, this.nodeTitle, this.nodeWhy,
      make("div", { class: "dec-read" }, span("", "where it read (cross-attention, mean of the heads of "), this.layers, "):"), this.row,
      small("the likeliest tokens there; bold: the one that this node took"), this.bars));
  }

  /** A second canvas: at every α, how far each finished hypothesis lies behind the best. */
  scores() {
    const alpha = (x) => clamp(Math.round(((x - this.plot.left) / this.plot.wide) * 20 * this.get("meta").most_alpha),
      20 * this.get("meta").most_alpha + 1) / 20;
    const step = { ArrowLeft: -0.05, ArrowRight: 0.05 };
    this.chart = board({ class: "dec-scores",
      "aria-label": "How far each hypothesis lies behind the best score, at every α. Left and right arrows change α." }, {
      at: (x) => (this.plot ? alpha(x) + 1 : null), look: () => {}, click: (found) => this.moved("alpha", found - 1),
      key: ({ key }) => {
        if (!step[key]) return false;
        this.moved("alpha", clamp(Math.round((this.get("alpha") + step[key]) * 20), 20 * this.get("meta").most_alpha + 1) / 20);
        return true;
      },
    });
    this.plotted = make("div", {}, this.chart,
      small("how far behind the best score, at every α at which the search goes on until it is finished; what is further behind is left "
        + "out; number: place at this α; click to go there"));
    return this.plotted;
  }

  // ---- texts and states

  wear() {
    if (!this.look) this.dress();   // a slider was quicker than the first frame
    const { tree } = this, alpha = this.get("alpha"), run = outcome(tree, alpha), steps = this.get("step");
    const chosen = steps ? clamp(steps, run.n + 1) : run.n, question = this.get("predict") ? this.question(tree, run, chosen) : null;
    this.isOpen = this.challenge.isOpen(question);
    this.n = Math.min(run.n, question?.name && !this.isOpen ? chosen + 1 : chosen);   // what was asked is shown once it is answered
    this.run = run;
    this.challenge.wear(question);
    this.drawn = shown(tree, this.n, this.get("show"));
    this.chosen = this.isOpen ? [] : line(tree, run.result.step, run.result.rank);
    this.followed = follow(tree, this.greedy);
    this.here = this.there(this.get("node")) ?? this.start_node();
    this.wearControls(tree, alpha, run);
    this.wearRanking(tree, alpha, run);
    this.wearNode(tree);
    Object.assign(this.root.dataset, { steps: this.n, chosen: this.said(idsOf(tree, run.result.step, run.result.rank)) });
  }

  /** Where greedy and the chosen one part, or the end of the chosen one. */
  start_node() {
    const parted = this.chosen.findIndex((rank, n) => this.followed[n] !== rank),
      step = Math.min(parted < 0 ? this.chosen.length : parted + 1, this.n);
    return this.there([step, this.chosen[step - 1] ?? 0]) ?? [1, 0];
  }

  wearControls(tree, alpha, run) {
    const put = (input, value) => { if (input.valueAsNumber !== value) input.value = value; };
    this.steps.max = run.n;
    put(this.widths, tree.width);
    put(this.alphas, alpha);
    put(this.steps, this.n);
    this.mode.value = this.get("show");
    this.predict.checked = this.get("predict");
    this.layers.value = this.get("layer");
    say(this.widthText, tree.width === 1 ? "1: greedy" : String(tree.width));
    say(this.alphaText, alpha.toFixed(2));
    say(this.stepText, `${this.n} of ${run.n}`);
    const ends = { none: "every slot is kept by a finished one", limit: `the limit of ${tree.limit} tokens is reached`,
      cannot: `the best live one could reach ${written(run.bound)} at most (its log P over the penalty of ${tree.limit} tokens), and `
        + `${written(run.best)} is there` };
    say(this.stopped, this.n < run.n ? `Step ${this.n} of ${run.n}. At most ${tree.limit} tokens: as many as the source, and 50.`
      : `Stopped after step ${run.n}, where ${tree.limit} were allowed: ${ends[run.why]}.`);
  }

  /** Rebuild a part of the page only where what it shows has changed. */
  anew(name, text, build) {
    if (this.texts[name] === text) return;
    this.texts[name] = text;
    build();
  }

  wearRanking(tree, alpha, run) {
    const found = ranking(tree, alpha, this.n), over = this.n === run.n;
    const list = found.length || !over ? found : [run.result];
    this.anew("ranking", [tree.width, alpha, this.n, this.get("meta").version, this.here].join("|"), () => {
      const title = `finished: ${found.length}, ranked by score = log P ÷ ((5 + |y|) / 6)^${alpha.toFixed(2)}`;
      this.rankBody.style.minHeight = `${26 + 28 * clamp(tree.width, 9)}px`;
      say(this.rankTitle, list.length && !found.length ? "finished: none; this one was cut off at the limit" : title);
      const rows = list.slice(0, 8).map((one, at) => this.rankRow(tree, alpha, one, at, over));
      this.rankBody.replaceChildren(rows.length ? table("dec-table", ["", "hypothesis", "|y|", "log P", "÷", "score"], rows)
        : hint("None has finished yet."));
    });
  }

  rankRow(tree, alpha, one, at, over) {
    const mine = this.here[0] === one.step && this.here[1] === one.rank;
    const pick = make("button", { class: "dec-pick", type: "button", onclick: () => this.open([one.step, one.rank]) },
      this.said(idsOf(tree, one.step, one.rank)) || "(empty)");
    return make("tr", { class: `${at === 0 && over ? "dec-best" : ""} ${mine ? "dec-mine" : ""}` }, make("td", {}, String(at + 1)),
      make("th", { scope: "row" }, pick),
      make("td", {}, String(one.step)), number(one.log_prob), number(penalty(one.step, alpha)), number(one.score));
  }

  /** A node's arithmetic: log P before, and the probability of its own token. */
  sum(step, rank) {
    const { parent, log_prob } = this.tree.steps[step - 1], before = step > 1 ? this.tree.steps[step - 2].log_prob[parent[rank]] : 0;
    return { before, own: log_prob[rank] - before, whole: log_prob[rank], p: Math.exp(log_prob[rank] - before) };
  }

  sentence(step, rank) {
    const { token } = this.tree.steps[step - 1], { before, own, whole, p } = this.sum(step, rank);
    const sum = step > 1 ? `${written(before)} − ${written(-own)} = ${written(whole)}` : written(whole);
    return `step ${step}, rank ${rank + 1}: ${visible(this.word(token[rank]))}, p ${written(p)}, log P ${sum}; `
      + `${this.fateOf(step, rank)}`;
  }

  /** What became of a node, unless just that is asked. */
  fateOf(step, rank) {
    const asked = this.isOpen && step === this.n && this.tree.steps[step - 1].fate[rank] === LIVE;
    return asked ? "whether the search goes on with it is asked above" : why(this.tree, step, rank, this.run);
  }

  atPointer() {
    const place = this.there(this.over);
    return place ? this.sentence(...place) : "";
  }

  wearNode(tree) {
    const [step, rank] = this.there(this.over) ?? this.here, { places, parent, token } = tree.steps[step - 1];
    const place = places[parent[rank]], text = [tree.width, step, rank, place, this.get("layer"), this.n, this.get("alpha"), this.dark,
      this.get("meta").version, this.isOpen].join("|");
    this.anew("node", text, () => {
      const { before, own, whole, p } = this.sum(step, rank), ids = idsOf(tree, step, rank);
      refill(this.nodeTitle, `step ${step}: `, span("view-q", visible(this.word(token[rank]))),
        step > 1 ? ` after “${this.said(ids.slice(0, -1))}”` : " at the beginning");
      const sum = step > 1 ? `log P = ${written(before)} + log ${written(p)} = ${written(before)} − ${written(-own)} = ${written(whole)}`
        : `log P = log ${written(p)} = ${written(whole)}`;
      this.nodeWhy.replaceChildren(make("div", {}, sum), make("div", {}, this.fateOf(step, rank)));
      this.wearAttention(place);
      this.wearBars(place, token[rank], p);
    });
  }

  wearAttention(place) {
    const { source, n_layers } = this.get("meta"), from = (place * n_layers + this.get("layer")) * source.length;
    const scale = this.look.weights, shade = (w) =>
      `#${scale.slice(6 * Math.round(255 * Math.min(1, w)), 6 * Math.round(255 * Math.min(1, w)) + 6)}`;
    this.row.replaceChildren(...source.map((token, j) => {
      const weight = this.attention[from + j];
      return make("span", { class: "dec-source", title: `${visible(token)}: ${weight.toPrecision(8)}` }, span("view-k", visible(token)),
        make("span", { class: "dec-shade", style: `background:${shade(weight)}` }), span("dec-number", written(weight)));
    }));
  }

  wearBars(place, chosen, p) {
    const [tokens, likely] = this.get("meta").likeliest[place], seen = tokens.includes(chosen);
    const rows = tokens.map((token, i) => [visible(this.word(token)), likely[i], token === chosen]);
    const rest = Math.max(0, 1 - likely.reduce((sum, one) => sum + one, 0));
    const row = ([name, probability, here]) => make("tr", { class: here ? "mod-chosen" : "" }, make("th", { scope: "row" }, name),
      make("td", { class: "mod-bar" }, make("span", { style: `width:${(100 * probability).toFixed(2)}%` })), number(probability));
    if (!seen) rows.push([`… ${visible(this.word(chosen))}`, p, true]);
    rows.push(["all others", seen ? rest : Math.max(0, rest - p), false]);
    this.bars.replaceChildren(make("table", { class: "mod-bars dec-bars" }, make("tbody", {}, ...rows.map(row))));
  }

  /** The letters of the longest piece in the tree. */
  longest(tree) { return Math.max(...tree.steps.flatMap(({ token }) => token.map((one) => visible(this.word(one)).length))); }

  // ---- the canvas

  paint() {
    const width = this.scroll.clientWidth, { tree } = this,
      rows = this.get("show") === "all" ? Math.max(...tree.steps.map(({ token }) => token.length)) : tree.width;
    if (!width) return;
    this.place = spread(width, this.run.n, rows, this.longest(tree));
    const { left, top, wide, tall } = this.place;
    if (this.drawnAs !== this.get("show")) [this.drawnAs, this.tallest] = [this.get("show"), 0];   // else it only grows: nothing jumps
    this.tallest = Math.max(this.tallest, top + rows * tall + 4);
    this.board.style.width = `${Math.max(width, left + this.run.n * wide + 4)}px`;
    this.board.style.height = `${this.tallest}px`;
    const reached = `${this.get("step")} ${this.isOpen}`;
    if (this.reached !== reached) this.scroll.scrollLeft = left + this.n * wide - width + 8;   // the last step shown comes into the frame
    this.reached = reached;
    const page = prepared(this.board);
    if (!page) return;
    Object.assign(this.board.dataset, { left, top, wide, tall });
    this.drawing.drawFrame(page.ctx);
    this.drawing.drawEdges(page.ctx);
    this.drawing.drawNodes(page.ctx);
    this.drawScores();
  }

  drawScores() {
    const page = prepared(this.chart), { tree, look } = this, most = this.get("meta").most_alpha, points = 41;
    if (!page) return;
    const over = this.n === this.run.n && !this.isOpen;
    this.plotted.style.visibility = tree.width > 1 && over ? "" : "hidden";   // one has none to be held against; nor is it said before
    const { ctx, width, height } = page, curves = this.curves[tree.width] ??= behind(tree, most, points);
    const worst = farthest(curves, points);
    const plot = { left: 56, wide: width - 94, top: 12, high: height - 40 };
    this.plot = plot;
    const x = (alpha) => plot.left + (alpha / most) * plot.wide, y = (share) => plot.top + (share / worst) * plot.high;
    this.drawScale(ctx, plot, x, y, worst);
    ctx.save();
    ctx.beginPath();   // else the last curve's path lets a scrap of it through
    ctx.rect(0, 0, width, plot.top + plot.high + 2);
    ctx.clip();
    for (const [name, shares] of curves) this.drawCurve(ctx, name, shares, x, y, most / (points - 1));
    ctx.restore();
    for (const [place, height] of endMarks(this.run.ranking, curves, y, plot)) {
      this.tag(ctx, x(most) + 6, height, String(place), place > 1 ? look.quiet : look.ink);
    }
    ctx.fillStyle = look.wrong;
    ctx.fillRect(x(this.get("alpha")) - 1, plot.top - 6, 2, plot.high + 10);
  }

  drawScale(ctx, { left, wide, top, high }, x, y, worst) {
    ctx.font = `13px ${SANS}`;
    for (const share of [0, worst / 2, worst]) {
      ctx.fillStyle = this.look.line;
      ctx.fillRect(left, y(share), wide, 1);
      ctx.fillStyle = this.look.quiet;
      ctx.textAlign = "right";
      ctx.fillText(share ? `+${(100 * share).toFixed(0)} %` : "best", left - 6, y(share));
    }
    ctx.textAlign = "center";
    for (let alpha = 0; alpha <= this.get("meta").most_alpha; alpha += 0.5) ctx.fillText(alpha ? alpha.toFixed(1) : "α = 0", x(alpha),
      top + high + 16);
    ctx.textAlign = "left";
  }

  drawCurve(ctx, name, shares, x, y, by) {
    const { step, rank } = this.run.result, first = name === `${step}:${rank}`;
    let last = -1;
    ctx.beginPath();
    shares.forEach((share, i) => {
      if (share === null) return;
      if (last === i - 1 && i) ctx.lineTo(x(i * by), y(share)); else ctx.moveTo(x(i * by), y(share));
      last = i;
    });
    this.drawing.stroke(ctx, first ? this.look.ink : this.look.quiet, first ? 3 : 1.2);
  }

  tag(ctx, x, y, text, colour) {
    ctx.font = `700 13px ${SANS}`;
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Beam width": "how many hypotheses are kept side by side",
  "Length penalty α": "0: none; the larger, the longer the winner may be", "One step back": "the tree one step earlier",
  "One step on": "the tree one step later", "Steps shown": "how much of the search is drawn",
  "Show": "which hypotheses are drawn",
  "predict": "say which beginnings go on before the next step is shown; it asks once",
  "Layer of the cross-attention": "whose weights stand beside the piece",
  ".dec-pick": "open this hypothesis in the tree",
};

export default widget(BeamStage, HINTS);
