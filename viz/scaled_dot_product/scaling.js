// What dividing by √d_k does: random queries and keys, their scores and what the softmax makes of them, at any d_k.
import {
  SANS, Stage, choice, controls, field, label, make, prepared, say, slider, table, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** A seeded generator of numbers from 0 to 1 (mulberry32). */
export function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Numbers of mean 0 and variance 1, two at a time (Box and Muller). */
export function normal(seed) {
  const next = uniform(seed);
  let spare = null;
  return () => {
    if (spare !== null) { const kept = spare; spare = null; return kept; }
    const [r, angle] = [Math.sqrt(-2 * Math.log(1 - next())), 2 * Math.PI * next()];
    spare = r * Math.sin(angle);
    return r * Math.cos(angle);
  };
}

/**
 * q · k of random queries and keys at every width of the grid: Float32Arrays of groups × queries × keys.
 *
 * A wider q keeps the numbers of the narrower one and has more of them, so what is seen grows and does not jump.
 */
export function draw({ seed, grid, groups, queries, keys }) {
  const next = normal(seed), dots = new Float64Array(groups * queries * keys), found = [];
  const [q, k] = [new Float64Array(queries), new Float64Array(keys)];
  for (let width = 1; width <= grid.at(-1); width++) {
    for (let group = 0; group < groups; group++) {
      for (let i = 0; i < queries; i++) q[i] = next();
      for (let j = 0; j < keys; j++) k[j] = next();
      let at = group * queries * keys;
      for (let i = 0; i < queries; i++) for (let j = 0; j < keys; j++) dots[at++] += q[i] * k[j];
    }
    if (grid.includes(width)) found.push(Float32Array.from(dots));
  }
  return found;
}

/** The softmax of `width` scores from a place on, each multiplied by a factor first. */
export function weights(scores, start, width, factor) {
  let top = -Infinity, sum = 0;
  for (let j = start; j < start + width; j++) top = Math.max(top, factor * scores[j]);
  const out = new Float64Array(width);
  for (let j = 0; j < width; j++) sum += out[j] = Math.exp(factor * scores[start + j] - top);
  return out.map((x) => x / sum);
}

/** Variance of the scores, and means over queries: largest weight, entropy, trace of the softmax's Jacobian 1 − Σ p². */
export function statistics(scores, width, factor) {
  const n = scores.length / width;
  let [sum, squares, largest, entropy, trace] = [0, 0, 0, 0, 0];
  for (const score of scores) { sum += factor * score; squares += (factor * score) ** 2; }
  for (let row = 0; row < n; row++) {
    const p = weights(scores, row * width, width, factor);
    largest += Math.max(...p) / n;
    for (const x of p) { if (x > 0) entropy -= x * Math.log(x) / n; trace -= x * x / n; }
  }
  return { variance: squares / scores.length - (sum / scores.length) ** 2, largest, entropy, trace: 1 + trace };
}

/** Shares of the scores in bins from −reach to reach; what lies beyond is in the outermost. */
export function histogram(scores, factor, reach, bins) {
  const out = new Float64Array(bins);
  for (const score of scores) {
    const bin = Math.floor((factor * score + reach) / (2 * reach) * bins);
    out[Math.min(Math.max(bin, 0), bins - 1)] += 1 / scores.length;
  }
  return out;
}

// ------------------------------------------------------------------------------------------------------ the view

const MEASURES = [["variance", "variance of the scores"], ["largest", "largest weight"], ["entropy", "entropy, nats"],
  ["trace", "gradient: 1 − Σ p²"]];
const MEANING = { variance: "how far scores spread", largest: "mean over queries of the largest of the 32 weights",
  entropy: "mean of −Σ p ln p; at most ln 32 = 3.47", trace: "trace of the softmax's Jacobian: how much of a gradient gets through" };
const [REACH, BINS] = [100, 160];

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Scores with and without the scale");
    this.root.classList.add("sc");
    this.start(["d_k", "query", "measure"]);
  }

  load() {
    const meta = this.get("meta");
    this.grid = meta.grid;
    this.drawn = draw(meta);
    this.known = this.drawn.map((scores, n) => ({ without: statistics(scores, meta.keys, 1),
      with: statistics(scores, meta.keys, 1 / Math.sqrt(this.grid[n])) }));
    this.build();
  }

  /** The place of d_k in the grid; the nearest, if Python set one between. */
  get place() {
    const gap = (n) => Math.abs(Math.log(this.grid[n] / this.get("d_k")));
    return this.grid.reduce((best, _, n) => (gap(n) < gap(best) ? n : best), 0);
  }

  build() {
    const { shows, groups, queries } = this.get("meta");
    this.slider = slider("d_k", { min: 0, max: this.grid.length - 1, step: 1, class: "sc-slider" },
      (event) => this.set({ d_k: this.grid[Number(event.target.value)] }));
    this.text = make("span", { class: "view-value" });
    const another = make("button", { type: "button", class: "view-chip",
      onclick: () => this.set({ query: (this.get("query") + 1) % (groups * queries) }) }, "another query");
    this.measure = choice("Curve", MEASURES, (event) => this.set({ measure: event.target.value }));
    this.canvases = Object.fromEntries(["scores", "weights",
      "curve"].map((name) => [name, make("canvas", { class: "sc-canvas", role: "img", "data-of": name })]));
    const figure = (title, canvas) => make("figure", { class: "sc-figure" }, make("figcaption", { class: "view-caption" }, title), canvas);
    this.numbers = make("div", { class: "view-wide" });
    this.frame(`${groups} × ${queries} random queries, 32 random keys for each group`,
      controls(field("d_k", this.slider, this.text), field("Curve", this.measure), another),
      make("div", { class: "sc-figures" }, figure("scores: how often which value", this.canvases.scores),
        figure("one query's weights over its 32 keys, largest first", this.canvases.weights),
        figure("over all d_k", this.canvases.curve)), this.numbers);
  }

  // ------------------------------------------------------------------------------------------------ numbers

  wear() {
    const n = this.place, d_k = this.grid[n], { without, with: scaled } = this.known[n];
    this.slider.value = n;
    this.slider.setAttribute("aria-valuetext", `d_k ${d_k}`);
    say(this.text, `${d_k}  (√ = ${written(Math.sqrt(d_k))})`);
    this.measure.value = this.get("measure");
    Object.assign(this.root.dataset, { dk: d_k, query: this.get("query"), measure: this.get("measure") });
    const line = (name, label, values) => make("tr", { class: `sc-${name}` }, make("th", { scope: "row" }, label),
      ...MEASURES.map(([key]) => make("td", { title: values[key].toPrecision(6) }, written(values[key]))));
    this.numbers.replaceChildren(table("sc-table", [`d_k = ${d_k}`, ...MEASURES.map(([, label]) => label)],
      [line("without", "q · k", without), line("with", "q · k / √d_k", scaled)]));
    this.numbers.querySelectorAll("th[scope=col]").forEach((head, i) => { if (i) head.title = MEANING[MEASURES[i - 1][0]]; });
    this.announce(`d_k ${d_k}: largest weight ${written(without.largest)} without the scale, ${written(scaled.largest)} with it`);
  }

  // ------------------------------------------------------------------------------------------------ drawing

  paint() {
    const n = this.place, scores = this.drawn[n], factors = [["without", 1], ["with", 1 / Math.sqrt(this.grid[n])]];
    this.paintScores(scores, factors);
    this.paintWeights(scores, factors);
    this.paintCurve(n);
  }

  tone(name) { return name === "without" ? this.look.wrong : this.look.ink; }
  label(name) { return name === "without" ? "q · k" : "q · k / √d_k"; }

  /** Both histograms on one axis: the upper one spreads with d_k, the lower one stays. */
  paintScores(scores, factors) {
    const page = prepared(this.canvases.scores);
    if (!page) return;
    const { ctx, width, height } = page, left = 8, wide = width - 16, tall = (height - 52) / 2;
    factors.forEach(([name, factor], row) => {
      const shares = histogram(scores, factor, REACH, BINS), top = Math.max(...shares), floor = 20 + tall + row * (tall + 14);
      ctx.fillStyle = this.tone(name);
      shares.forEach((share, bin) => {
        const high = (tall - 14) * share / top;
        ctx.fillRect(left + bin * wide / BINS, floor - high, Math.max(1, wide / BINS - 0.5), high);
      });
      this.note(ctx, this.label(name), left, floor - tall + 6, this.tone(name), "left", 600);
      ctx.fillStyle = this.look.line;
      ctx.fillRect(left, floor, wide, 1);
    });
    for (const tick of [-90, -45, 0, 45, 90]) this.note(ctx, String(tick).replace("-", "−"), left + (tick + REACH) / (2 * REACH) * wide,
      height - 9);
    const { without, with: scaled } = this.known[this.place];
    this.describe(this.canvases.scores,
      `Histogram of scores: variance ${written(without.variance)} without the scale, ${written(scaled.variance)} with it`);
  }

  paintWeights(scores, factors) {
    const page = prepared(this.canvases.weights);
    if (!page) return;
    const { keys } = this.get("meta"), { ctx, width, height } = page, left = 30, wide = width - left - 6, tall = (height - 52) / 2,
      said = [];
    factors.forEach(([name, factor], row) => {
      const p = [...weights(scores, this.get("query") * keys, keys, factor)].sort((a, b) => b - a), floor = 20 + tall + row * (tall + 14);
      said.push(`${this.label(name)}: largest ${written(p[0])}`);
      ctx.fillStyle = this.tone(name);
      p.forEach((x, j) => ctx.fillRect(left + j * wide / keys, floor - (tall - 14) * x, wide / keys - 1.5, (tall - 14) * x));
      this.note(ctx, `softmax(${this.label(name)}), largest ${written(p[0])}`, left + 34, floor - tall + 10, this.tone(name), "left", 600);
      for (const tick of [0, 1]) this.note(ctx, String(tick), left - 6, floor - (tall - 14) * tick, this.look.quiet, "right");
      ctx.fillStyle = this.look.line;
      ctx.fillRect(left, floor, wide, 1);
    });
    this.note(ctx, "keys, the most read first", left + wide / 2, height - 9);
    this.describe(this.canvases.weights, `Weights of one query over 32 keys. ${said.join("; ")}`);
  }

  paintCurve(now) {
    const page = prepared(this.canvases.curve);
    if (!page) return;
    const measure = this.get("measure"), { ctx, width, height } = page, [left, right, top, floor] = [40, width - 18, 22, height - 34];
    const log = measure === "variance", all = this.known.flatMap((one) => [one.without[measure], one.with[measure]]);
    const [low, high] = log ? [Math.log(Math.min(...all)), Math.log(Math.max(...all))] : [0, measure === "entropy" ? Math.log(32) : 1];
    const x = (n) => left + (right - left) * Math.log(this.grid[n]) / Math.log(this.grid.at(-1));
    const y = (value) => floor - (floor - top) * ((log ? Math.log(value) : value) - low) / (high - low);
    ctx.strokeStyle = this.look.line;
    ctx.strokeRect(left + 0.5, top + 0.5, right - left, floor - top);
    ctx.fillStyle = this.look.quiet;
    ctx.fillRect(x(now), top, 1, floor - top);
    for (const name of ["without", "with"]) this.curve(ctx, this.known.map((one, n) => [x(n), y(one[name][measure])]), name, now);
    for (const tick of [1, 4, 16, 64, 256, 1024]) this.note(ctx, String(tick), x(this.grid.indexOf(tick)), floor + 11);
    this.note(ctx, "d_k", (left + right) / 2, height - 9);
    const ticks = log ? [1, 10, 100, 1000].filter((t) => Math.log(t) <= high) : measure === "entropy" ? [0, 1, 2, 3] : [0, 0.5, 1];
    for (const tick of ticks) this.note(ctx, String(tick), left - 6, y(tick), this.look.quiet, "right");
    this.note(ctx, MEASURES.find(([key]) => key === measure)[1], left, 10, this.look.ink, "left", 600);
    const at = (name) => written(this.known[now][name][measure]);
    this.describe(this.canvases.curve,
      `${measure} over d_k: at ${this.grid[now]}, ${at("without")} without the scale, ${at("with")} with it`);
  }

  /** One line; without the scale it is dashed, so colour is not all that tells them apart. */
  curve(ctx, points, name, now) {
    ctx.strokeStyle = ctx.fillStyle = this.tone(name);
    ctx.lineWidth = 2;
    ctx.setLineDash(name === "without" ? [6, 4] : []);
    ctx.beginPath();
    points.forEach(([x, y], n) => (n ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.arc(...points[now], 4.5, 0, 7);
    ctx.fill();
  }

  note(ctx, text, x, y, colour = this.look.quiet, align = "center", weight = 400) {
    ctx.font = `${weight} 13px ${SANS}`;
    ctx.textAlign = align;
    ctx.fillStyle = colour;
    ctx.fillText(text, x, y);
  }

  describe(canvas, text) { if (canvas.getAttribute("aria-label") !== text) canvas.setAttribute("aria-label", text); }
}

/** What the controls do, by name or class. */
const HINTS = {
  "d_k": "how many products are added up in a score", "Curve": "what is drawn against d_k",
  ".view-chip": "the scores of another query",
};

export default widget(View, HINTS);
