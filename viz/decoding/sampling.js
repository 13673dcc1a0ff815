// The sampling view: a real distribution over the next token, and where temperature, top-k and top-p cut it.

import {
  MONO, SANS, Stage, board, choice, clamp, controls, field, fitted, floatsOf, label, make, prepared, say, slider,
  small, span, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** softmax(logits / T) of logits that are sorted, largest first; -∞ becomes 0. */
export function softmax(logits, temperature) {
  const exps = Float64Array.from(logits, (logit) => Math.exp((logit - logits[0]) / temperature));
  const sum = exps.reduce((total, one) => total + one, 0);
  return exps.map((one) => one / sum);
}

/**
 * How many of the likeliest tokens stay: the k likeliest, and of these, weighed anew, the fewest that reach p.
 * Returns what each setting alone would keep (by k, and by p of the rest), and the mass of what stays before it is weighed anew.
 */
export function kept(probabilities, topK, topP) {
  const n = probabilities.length, byK = topK ? Math.min(topK, n) : n;
  const most = probabilities.slice(0, byK).reduce((sum, p) => sum + p, 0);
  let count = 0, mass = 0;
  while (count < byK && mass / most < topP - 1e-12) mass += probabilities[count++];
  if (topP >= 1) [count, mass] = [probabilities.slice(0, byK).filter((p) => p > 0).length, most];
  return { count, byK, mass };
}

/** Bars of equal width, and their height at a probability. */
export function bars(width, height, n) {
  const left = 44, top = 26, bottom = height - 94;
  return { left, top, bottom, wide: (width - left - 40) / n, y: (p) => bottom - p * (bottom - top), n };
}

export const barAt = ({ left, wide, n }, x) => (x < left || x >= left + n * wide ? -1 : Math.floor((x - left) / wide));

// ------------------------------------------------------------------------------------------------------- the view

class SamplingStage extends Stage {
  constructor(model, el) {
    super(model, el, "Temperature, top-k and top-p");
    this.over = null;
    this.start(["data", "place", "temperature", "top_k", "top_p"]);
  }

  get words() { return this.get("meta").words[this.get("place")]; }

  load() {
    const meta = this.get("meta");
    this.logits = floatsOf(this.get("data"));
    this.said = make("div", { class: "smp-said" });
    this.read = make("div", { class: "smp-said view-quiet" });
    this.frame(meta.title,
      this.controls(), this.canvas(), this.legend(), this.said, this.read);
  }

  controls() {
    const range = (label, ends, name) => slider(label, { class: "smp-slider", ...ends },
      ({ target }) => this.moved(name, target.valueAsNumber));
    this.places = choice("The next token", this.get("meta").places.map((name, i) => [i, name]),
      ({ target }) => this.moved("place", Number(target.value)));
    this.heat = range("Temperature", { min: 0.1, max: 3, step: 0.05 }, "temperature");
    this.k = range("top-k", { min: 1, max: this.words.length + 1, step: 1 }, "top_k");
    this.p = range("top-p", { min: 0.05, max: 1, step: 0.01 }, "top_p");
    [this.heatText, this.kText, this.pText] = ["", "", ""].map((text) => span("view-value smp-value", text));
    return controls(field("The next token", this.places), field("Temperature T", this.heat, this.heatText),
      field("top-k", this.k, this.kText), field("top-p", this.p, this.pText));
  }

  moved(name, value) {
    this.set({ [name]: name === "top_k" && value > this.words.length ? 0 : value });
    this.wear();
    this.announce(this.said.textContent);
  }

  canvas() {
    const at = (x) => { const bar = this.layout ? barAt(this.layout, x) : -1; return bar < 0 ? null : { bar }; };
    const step = { ArrowLeft: -1, ArrowRight: 1 };
    this.board = board({ class: "smp-canvas",
      "aria-label": "Bars: the likeliest next tokens, those that are kept filled. Left and right arrows walk." }, {
      at, look: (found) => { this.over = found; this.schedule(); },
      key: ({ key }) => {
        if (!step[key]) return false;
        this.over = { bar: clamp((this.over?.bar ?? -step[key]) + step[key], this.words.length) };
        this.schedule();
        this.announce(this.reading());
        return true;
      },
    });
    return make("div", {}, this.board);
  }

  legend() {
    return small("Outlined: the probability at this temperature. Filled: after the cut, where what stays is weighed anew, to sum to 1. "
      + "Dashed: cut off.");
  }

  csv() {
    const now = (bar) => (bar < this.cut.count ? this.free[bar] / this.cut.mass : 0);
    return [["token", "logit", "p at T = 1", "p at this T", "p after the cut"],
      ...this.words.map((word, bar) => [word, this.row[bar], this.plain[bar], this.free[bar], now(bar)])];
  }

  /** A bar in words. */
  reading() {
    const { bar } = this.over ?? {}, { free, cut } = this;
    if (bar === undefined) return "Point at a bar: its numbers stand here.";
    const stays = bar < cut.count, now = stays ? written(free[bar] / cut.mass) : "0";
    return `${bar + 1}. ${visible(this.words[bar])}: logit ${written(this.row[bar])}, at T = 1 p ${written(this.plain[bar])}, at this T `
      + `${written(free[bar])}, after the cut ${now}${stays ? "" : " (cut off)"}`;
  }

  atPointer() { return this.over ? this.reading() : ""; }

  wear() {
    const { n_tokens: n } = this.get("meta"), temperature = this.get("temperature"), topK = this.get("top_k"), topP = this.get("top_p");
    this.row = this.logits.subarray(this.get("place") * n, (this.get("place") + 1) * n);
    this.plain = softmax(this.row, 1);
    this.free = softmax(this.row, temperature);
    this.cut = kept(this.free, topK, topP);
    const put = (input, value) => { if (input.valueAsNumber !== value) input.value = value; };
    put(this.heat, temperature);
    put(this.k, topK || this.words.length + 1);
    put(this.p, topP);
    this.places.value = this.get("place");
    say(this.heatText, temperature.toFixed(2));
    say(this.kText, topK ? String(topK) : "all");
    say(this.pText, topP >= 1 ? "1: all" : topP.toFixed(2));
    const share = (x) => `${(100 * x).toFixed(1)} %`;
    say(this.said,
      `kept: ${this.cut.count} of ${n} tokens with ${share(this.cut.mass)} of the probability; a draw takes the likeliest, `
        + `${visible(this.words[0])}, ${share(this.free[0] / this.cut.mass)} of the time`);
    say(this.read, this.reading());
    this.root.dataset.kept = String(this.cut.count);
  }

  paint() {
    const page = prepared(this.board);
    if (!page) return;
    const { ctx, width, height } = page;
    this.layout = bars(width, height, this.words.length);
    this.axis(ctx);
    this.words.forEach((_, i) => this.bar(ctx, i));
    this.cumulative(ctx);
    this.edge(ctx);
  }

  axis(ctx) {
    const { left, y, wide, n } = this.layout, { look } = this;
    ctx.font = `13px ${SANS}`;
    for (const p of [0, 0.25, 0.5, 0.75, 1]) {
      ctx.fillStyle = look.quiet;
      ctx.textAlign = "right";
      ctx.fillText(String(p), left - 8, y(p));
      ctx.fillStyle = look.line;
      ctx.fillRect(left, Math.round(y(p)), n * wide, 1);
    }
    ctx.textAlign = "left";
  }

  /** What is left after the cut, filled; what the model gave at this temperature, outlined. */
  bar(ctx, i) {
    const { left, wide, y, bottom } = this.layout, { look, free, cut } = this, x = left + i * wide + 2, w = wide - 5, stays = i < cut.count;
    if (stays) {
      const now = free[i] / cut.mass;
      ctx.fillStyle = look.query;
      ctx.fillRect(x, y(now), w, bottom - y(now));
    }
    ctx.lineWidth = 1.2;
    ctx.strokeStyle = stays ? look.ink : look.quiet;
    ctx.setLineDash(stays ? [] : [3, 2]);
    ctx.strokeRect(x, y(free[i]), w, bottom - y(free[i]));
    ctx.setLineDash([]);
    ctx.save();
    ctx.translate(x + w / 2 - 2, bottom + 10);
    ctx.rotate(Math.PI / 3.2);
    ctx.font = `${this.over?.bar === i ? 700 : 500} 13px ${MONO}`;
    ctx.fillStyle = stays ? look.ink : look.quiet;
    ctx.fillText(fitted(ctx, visible(this.words[i]), 97), 0, 0);
    ctx.restore();
  }

  /** The mass of a token and all likelier ones, against which top-p is held. */
  cumulative(ctx) {
    const { left, wide, y, n } = this.layout, { look, free } = this, topP = this.get("top_p"), { byK } = this.cut;
    const most = free.slice(0, byK).reduce((sum, p) => sum + p, 0);
    let sum = 0;
    ctx.beginPath();
    for (let i = 0; i < Math.min(n, byK); i++) {
      sum += free[i];
      const x = left + (i + 0.5) * wide;
      if (i) ctx.lineTo(x, y(sum / most)); else ctx.moveTo(x, y(sum / most));
    }
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = look.heads[3];
    ctx.stroke();
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = look.heads[3];
    ctx.textAlign = "right";
    ctx.fillText(topP < 1 ? `sum of the likeliest, against p = ${topP.toFixed(2)}` : "sum of the likeliest", left + n * wide, y(1) - 12);
    ctx.textAlign = "left";
    if (topP >= 1) return;
    ctx.setLineDash([6, 4]);
    ctx.beginPath();
    ctx.moveTo(left, y(topP));
    ctx.lineTo(left + n * wide, y(topP));
    ctx.stroke();
    ctx.setLineDash([]);
  }

  /** Where the cut falls. */
  edge(ctx) {
    const { left, wide, top, bottom, n } = this.layout, { count } = this.cut, { look } = this;
    if (count >= n) return;
    const x = left + count * wide - 0.5;
    ctx.fillStyle = look.wrong;
    ctx.fillRect(x - 1, top - 4, 2, bottom - top + 4);
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = x > left + 160 ? "right" : "left";
    ctx.fillText("cut", x + (ctx.textAlign === "right" ? -6 : 6), top + 6);
    ctx.textAlign = "left";
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "The next token": "after which beginning the next token is drawn",
  "Temperature": "divides the logits: below 1 sharper, above 1 flatter", "top-k": "keep the k likeliest tokens alone",
  "top-p": "keep the likeliest tokens until they have this share together",
};

export default widget(SamplingStage, HINTS);
