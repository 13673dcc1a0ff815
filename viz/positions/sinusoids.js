// The positions view: sinusoids as a heat map, waves, clocks, similarity, the rotation M_k, and a learned table beside them.
//
// Everything is computed here in float64 from the sliders, so it moves with no Python; studies/positions.py has the same
// formulas, and tests hold both against the same numbers. PE(p, 2i) = sin(ω_i p), PE(p, 2i+1) = cos(ω_i p).

import {
  SANS, STEPS, Stage, board, chip, choice, clamp, commas, field, headline, make, many, number, paintCells, paintGrid, prepared,
  say, slider, small, span, table, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** ω_i = base^(-2i/d): how far, in radians, the hand of pair i turns from one position to the next. */
export const frequencies = (d, base) => Float64Array.from({ length: d / 2 }, (_, i) => base ** (-2 * i / d));

/** The frequencies of the authors' code: d/2 - 1 in place of d/2, so the last wavelength is exactly 2π · base. */
export const tensor2tensor = (d, base) => Float64Array.from({ length: d / 2 }, (_, i) => base ** (-i / Math.max(d / 2 - 1, 1)));

export const LAYOUTS = { turn: "in turn (paper)", halves: "sines, then cosines", t2t: "the authors' code" };

/** Which pair a feature belongs to, and whether it is the pair's sine. */
export function feature(column, d, layout) {
  return layout === "turn" ? { pair: column >> 1, sine: column % 2 === 0 } : { pair: column % (d / 2), sine: column < d / 2 };
}

/** The table of positions, n rows of d features, in a layout. */
export function encoding(n, d, base, layout = "turn") {
  const omega = layout === "t2t" ? tensor2tensor(d, base) : frequencies(d, base), out = new Float64Array(n * d);
  for (let i = 0; i < d / 2; i++) {
    const [sine, cosine] = layout === "turn" ? [2 * i, 2 * i + 1] : [i, i + d / 2];
    for (let p = 0; p < n; p++) {
      out[p * d + sine] = Math.sin(p * omega[i]);
      out[p * d + cosine] = Math.cos(p * omega[i]);
    }
  }
  return out;
}

const rowsOf = (flat, d) => Array.from({ length: flat.length / d }, (_, p) => [...flat.slice(p * d, (p + 1) * d)]);
const numbered = (rows) => [["position", ...rows[0].map((_, j) => `feature ${j}`)], ...rows.map((row, p) => [p, ...row])];

/** The colour numbers of that table, quickly: each row is the row before, turned once. They may be off by one of 257. */
export function encodingShades(n, d, base, layout = "turn") {
  const omega = layout === "t2t" ? tensor2tensor(d, base) : frequencies(d, base), out = new Uint16Array(n * d);
  for (let i = 0; i < d / 2; i++) {
    const [sine, cosine] = layout === "turn" ? [2 * i, 2 * i + 1] : [i, i + d / 2], [[a, b], [c, e]] = block(omega[i], 1);
    for (let p = 0, s = 0, t = 1; p < n; p++, [s, t] = [a * s + b * t, c * s + e * t]) {
      out[p * d + sine] = 128.5 + 128 * s;
      out[p * d + cosine] = 128.5 + 128 * t;
    }
  }
  return out;
}

export const wavelength = (omega) => 2 * Math.PI / omega;

/** M_k's block of a pair: [[cos ωk, sin ωk], [-sin ωk, cos ωk]]. */
export const block = (omega, k) => [[Math.cos(omega * k), Math.sin(omega * k)], [-Math.sin(omega * k), Math.cos(omega * k)]];

/** M_k's block times the pair (sine, cosine) of a position. */
export function turned(omega, k, p) {
  const [[a, b], [c, d]] = block(omega, k), sine = Math.sin(omega * p), cosine = Math.cos(omega * p);
  return [a * sine + b * cosine, c * sine + d * cosine];
}

/** The largest |M_k PE(p) - PE(p + k)| over the features; blocks: M_k's, where many positions share them. */
export function rotationError(omegas, k, p, blocks = Array.from(omegas, (omega) => block(omega, k).flat())) {
  let worst = 0;
  for (let i = 0; i < omegas.length; i++) {
    const [a, b, c, d] = blocks[i], sine = Math.sin(omegas[i] * p), cosine = Math.cos(omegas[i] * p), angle = omegas[i] * (p + k);
    worst = Math.max(worst, Math.abs(a * sine + b * cosine - Math.sin(angle)), Math.abs(c * sine + d * cosine - Math.cos(angle)));
  }
  return worst;
}

/** PE(p) · PE(q), added up feature by feature. */
export const dot = (omegas, p, q) => omegas.reduce((sum, w) => sum + Math.sin(w * p) * Math.sin(w * q)
  + Math.cos(w * p) * Math.cos(w * q), 0);

/** Σ cos(ω k): what PE(p) · PE(p + k) is, wherever p stands. */
export const similarity = (omegas, k) => omegas.reduce((sum, w) => sum + Math.cos(w * k), 0);

/** The cosine between any two of n rows. */
export function alike(rows, n, d) {
  const out = new Float64Array(n * n), norm = (i) => Math.hypot(...rows.slice(i * d, (i + 1) * d)) || 1;
  const norms = Array.from({ length: n }, (_, i) => norm(i));
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) {
    let sum = 0;
    for (let f = 0; f < d; f++) sum += rows[i * d + f] * rows[j * d + f];
    out[i * n + j] = sum / norms[i] / norms[j];
  }
  return out;
}

/** The colour's number (0..256) of a signed value: -top, 0 and top are 0, 128 and 256. */
export const shade = (value, top = 1) => 128 + Math.round(128 * Math.max(-1, Math.min(1, value / top)));

/** At most `most` pairs, evenly chosen, the first and the last among them. */
export function somePairs(n, most) {
  if (n <= most) return Array.from({ length: n }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round(i * (n - 1) / (most - 1)));
}

/** A name with a number below the line: M₃₇. */
export const below = (name, k) => name + String(k).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

/** How often a pair comes round, beneath its clock. */
const every = (omega) => `every ${commas(wavelength(omega))}`;

// ------------------------------------------------------------------------------------------------------ the view

const TRAITS = ["tab", "d_model", "length", "base", "position", "offset", "pair", "columns"];
const WIDTHS = [2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
const BASES = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000];
const FARTHEST = 10_000, HIGH = 372, PACE = 150;
const TABS = [["map", "Heat map"], ["waves", "Waves"], ["clocks", "Clocks"], ["similarity", "Similarity"], ["rotation", "Rotation Mₖ"],
  ["learned", "Beside a learned table"]];

const nearest = (list, x) => list.reduce((best, y, i) => (Math.abs(y - x) < Math.abs(list[best] - x) ? i : best), 0);

const tableOf = (view) => encoding(view.n, view.d, view.base, view.get("columns"));

const blockRow = (left, right) => make("div", {}, `${fixed(left)} ${fixed(right).padStart(7)}`);

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Positions");
    this.hover = null;
    this.memo = new Map();
    this.start(TRAITS);
  }

  load() {
    this.memo.clear();
    const tabs = TABS.filter(([name]) => name !== "learned" || this.get("meta").learned);
    this.sliders = {
      d_model: this.field("d_model", WIDTHS.length - 1,
        (i) => this.set({ d_model: WIDTHS[i], pair: Math.min(this.pair, WIDTHS[i] / 2 - 1) })),
      length: this.field("length", 256, (n) => this.set({ length: n }), 8),
      base: this.field("base", BASES.length - 1, (i) => this.set({ base: BASES[i] })),
      position: this.field("position p", FARTHEST, (p) => this.set({ position: p })),
      offset: this.field("offset k", 128, (k) => this.set({ offset: k })),
      pair: this.field("pair i", 255, (i) => this.set({ pair: i })),
    };
    this.title = headline();
    this.layout = choice("Layout", Object.entries(LAYOUTS), () => this.set({ columns: this.layout.value }));
    this.runner = chip("", () => this.play(PACE, true), { class: "view-chip pos-run" });
    this.arrange = field("Layout", this.layout);
    this.canvas = board({ class: "pos-board", style: `height:${HIGH}px` }, {
      at: (x, y) => ({ x, y }), look: (at) => { this.hover = at; this.schedule(); }, key: (event) => this.walk(event) });
    this.pane = make("div", { class: "pos-pane", style: `height:${HIGH}px` });
    this.reading = make("p", { class: "pos-reading" });
    this.frame(this.tabs("Pictures", "tab", tabs),
      make("div", { class: "view-controls pos-controls" }, ...Object.values(this.sliders).map(({ box }) => box), this.runner, this.arrange),
      this.title, make("div", { class: "pos-figure" }, this.canvas, this.pane), this.reading);
  }

  field(name, max, set, min = 0) {
    const input = slider(name, { min, max, step: 1, class: "pos-slider" }, () => { set(Number(input.value)); this.speak(); });
    const value = make("span", { class: "view-value pos-value" });
    return { input, value, box: make("label", { class: "view-field" }, span("view-name pos-name", name), input, value) };
  }

  /** The table of positions; with the learned ones in view, these. */
  csv() { return numbered(this.tab === "learned" ? this.get("meta").learned.rows : rowsOf(tableOf(this), this.d)); }

  // ---------------------------------------------------------------------------------------------- what is shown

  get d() { return this.get("d_model"); }
  get n() { return this.get("length"); }
  get base() { return this.get("base"); }
  get k() { return this.get("offset"); }
  get tab() { return this.get("tab"); }
  get p() { return this.get("position"); }
  get at() { return this.p; }                              // what plays is the position
  get last() { return Math.max(this.n - 1, 63); }
  atPointer() { return this.pointed && ["map", "learned"].includes(this.tab) ? this.reading.textContent : ""; }
  go(position) { this.set({ position }); }
  get pair() { return Math.min(this.get("pair"), this.d / 2 - 1); }
  get omegas() { return this.remember(`omegas:${this.d}:${this.base}`, () => frequencies(this.d, this.base)); }

  remember(name, compute) {
    if (!this.memo.has(name)) {
      if (this.memo.size > 12) this.memo.clear();
      this.memo.set(name, compute());
    }
    return this.memo.get(name);
  }

  speak() { this.announce(() => this.reading.textContent); }

  /** Arrows: in the heat map they walk over cells, elsewhere left and right change the position, up and down the pair. */
  walk(event) {
    const step = STEPS[event.key];
    if (!step) return false;
    if (this.tab === "map") {
      const at = this.cell ?? [0, 0];
      this.cell = [clamp(at[0] + step[0], this.n), clamp(at[1] + step[1], this.d)];
      this.hover = null;
      this.schedule();
    } else this.set({ position: clamp(this.p + step[1], FARTHEST + 1), pair: clamp(this.pair + step[0], this.d / 2) });
    this.speak();
    return true;
  }

  wear() {
    const { tab, d, n, base, k, p, pair } = this, { meta } = { meta: this.get("meta") };
    say(this.badge, tab === "learned" ? meta.learned.shows : meta.shows);
    const far = tab === "rotation" ? FARTHEST : Math.max(n - 1, p);
    const worn = { d_model: [nearest(WIDTHS, d), d], length: [n, n], base: [nearest(BASES, base), base.toLocaleString("en-US")],
      position: [p, p], offset: [k, k], pair: [pair, pair] };
    [this.sliders.position.input.max, this.sliders.pair.input.max] = [far, d / 2 - 1];
    for (const [name, [place, text]] of Object.entries(worn)) {
      const { input, value } = this.sliders[name];
      input.value = place;
      input.setAttribute("aria-valuetext", text);
      say(value, String(text));
      input.disabled = tab === "learned";
    }
    this.layout.value = this.get("columns");
    say(this.runner, this.pulse ? "❚❚ stop" : "▶ let p run");
    this.runner.disabled = tab === "learned";
    this.arrange.style.visibility = tab === "map" ? "visible" : "hidden";
    this.canvas.parentNode.classList.toggle("pos-two", tab === "rotation");
    this.pane.hidden = tab !== "rotation";
    Object.assign(this.root.dataset, { tab, dModel: d, length: n, position: p, offset: k, pair });
  }

  paint() {
    const page = prepared(this.canvas);
    if (!page) return;
    const { ctx, width } = page;
    ctx.font = `13px ${SANS}`;
    this.canvas.setAttribute("aria-label", `${TABS.find(([name]) => name === this.tab)[1]} of positions; arrow keys move`);
    this[`paint_${this.tab}`](ctx, width);
    this.root.dataset.reading = this.reading.textContent;
  }

  write(ctx, text, x, y, { align = "left", colour = "quiet", font } = {}) {
    if (font) ctx.font = font;
    ctx.textAlign = align;
    ctx.fillStyle = this.look[colour];
    ctx.fillText(text, x, y);
  }

  line(ctx, points, { colour = "ink", wide = 1.5, dash = [], alpha = 1 } = {}) {
    ctx.strokeStyle = this.look[colour];
    ctx.lineWidth = wide;
    ctx.globalAlpha = alpha;
    ctx.setLineDash(dash);
    ctx.beginPath();
    points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.globalAlpha = 1;
  }

  // ------------------------------------------------------------------------------------------------- heat map

  paint_map(ctx, width) {
    const { d, n, base, p, k } = this, layout = this.get("columns");
    const frame = { left: 84, top: 30, right: width - 58, bottom: HIGH - 14, rows: n, cols: d, cell: 0 };
    const [dx, dy] = [(frame.right - frame.left) / d, (frame.bottom - frame.top) / n];
    const shades = this.remember(`map:${d}:${base}:${layout}`, () => encodingShades(256, d, base, layout));
    paintCells(ctx, shades.subarray(0, n * d), this.signed, frame);
    paintGrid(ctx, frame, this.look.line);
    for (const row of ticks(n, 8)) this.write(ctx, row ? String(row) : "position 0", frame.left - 8, frame.top + (row + 0.5) * dy,
      { align: "right" });
    for (const col of ticks(d, width / 90)) this.write(ctx, col ? String(col) : "feature 0", frame.left + (col + 0.5) * dx, 16,
      { align: col ? "center" : "left" });
    for (const [row, name, dash] of [[p, "p", []], [p + k, "p+k", [5, 4]]]) if (row < n) {
      const y = frame.top + (row + 0.5) * dy;
      this.line(ctx, [[frame.left, y], [frame.right, y]], { dash, wide: 1.5 });
      this.write(ctx, name, 4, y, { colour: "ink", font: `600 13px ${SANS}` });
      ctx.font = `13px ${SANS}`;
    }
    this.scale(ctx, width - 46, frame.top, frame.bottom - frame.top);
    this.readMap(frame, dx, dy, layout, ctx);
  }

  scale(ctx, x, y, tall, top = 1) {
    for (let i = 0; i < tall; i++) {
      const at = 6 * Math.round(256 * (1 - i / (tall - 1)));
      ctx.fillStyle = `#${this.look.differences.slice(at, at + 6)}`;
      ctx.fillRect(x, y + i, 10, 1.5);
    }
    [top, 0, -top].forEach((value, i) => this.write(ctx, short(value), x + 14, y + 5 + (tall - 10) * i / 2));
  }

  readMap(frame, dx, dy, layout, ctx) {
    const { d, n, base } = this;
    if (this.cell && (this.cell[0] >= n || this.cell[1] >= d)) this.cell = null;
    const at = this.hover, inside = at && at.x > frame.left && at.x < frame.right && at.y > frame.top && at.y < frame.bottom;
    const [row, col] = (this.pointed = inside) ? [Math.floor((at.y - frame.top) / dy), Math.floor((at.x - frame.left) / dx)] : this.cell
      ?? [Math.min(this.p, n - 1), Math.min(2 * this.pair, d - 1)];
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(frame.left + col * dx - 1, frame.top + row * dy - 1, Math.max(dx, 3) + 2, Math.max(dy, 3) + 2);
    const { pair, sine } = feature(col, d, layout), omega = (layout === "t2t" ? tensor2tensor(d, base) : this.omegas)[pair];
    const power = layout === "t2t" ? `${pair}/${Math.max(d / 2 - 1, 1)}` : `${2 * pair}/${d}`;
    say(this.title, "Each row is added to the embedding of the token at that position.");
    say(this.reading,
      `position ${row}, feature ${col} (pair ${pair}): ${sine ? "sin" : "cos"}(${row} / ${base.toLocaleString("en-US")}^(${power})) = `
      + `${written(Math[sine ? "sin" : "cos"](omega * row))}; this pair comes round every ${commas(wavelength(omega))} positions`);
  }

  // ---------------------------------------------------------------------------------------------------- waves

  paint_waves(ctx, width) {
    const { n, p, pair } = this, omega = this.omegas[pair], split = Math.round(width * 0.62),
      frame = { left: 52, right: split, top: 24, bottom: HIGH - 34 };
    const x = (place) => frame.left + (frame.right - frame.left) * place / n,
      y = (value) => (frame.top + frame.bottom) / 2 - value * (frame.bottom - frame.top) / 2;
    for (const value of [-1, 0, 1]) {
      this.line(ctx, [[frame.left, y(value)], [frame.right, y(value)]], { colour: "line", wide: 1 });
      this.write(ctx, written(value), frame.left - 8, y(value), { align: "right" });
    }
    for (const place of ticks(n, 8)) this.write(ctx, String(place), x(place), frame.bottom + 14, { align: "center" });
    this.write(ctx, "position", frame.right, frame.bottom + 28, { align: "right" });
    const fine = Array.from({ length: 4 * Math.ceil(frame.right - frame.left) },
      (_, i) => n * i / (4 * Math.ceil(frame.right - frame.left)));
    for (const [wave, dash] of [[Math.sin, []], [Math.cos, [6, 4]]]) {
      this.line(ctx, fine.map((place) => [x(place), y(wave(omega * place))]), { dash, wide: n > 130 && omega > 0.5 ? 0.7 : 1.5 });
      if (n <= 128) for (let place = 0; place < n; place++) this.dot(ctx, x(place), y(wave(omega * place)), place === p ? 5 : 2.2);
    }
    this.write(ctx,
      `feature ${2 * pair}: sine (line), feature ${2 * pair + 1}: cosine (dashes)${n <= 128 ? "; the model sees the dots" : ""}`,
      frame.left, 10);
    this.paintLengths(ctx, split + 84, width - 10);
    const here = wavelength(omega), ratio = this.base ** (2 / this.d);
    say(this.title, `Pair ${pair} comes round every ${commas(here)} positions.`);
    say(this.reading,
      `wavelength of pair ${pair}: 2π · ${this.base.toLocaleString("en-US")}^(${2 * pair}/${this.d}) = ${sevenDigits(here)}; `
      + (this.d > 2 ? `each pair's is ${sevenDigits(ratio)} times the one before; ` : "")
      + `the last is ${commas(wavelength(this.omegas.at(-1)))}, short of 2π · base = ${commas(2 * Math.PI * this.base)}`);
  }

  dot(ctx, x, y, radius, colour = "ink") {
    ctx.fillStyle = this.look[colour];
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 7);
    ctx.fill();
  }

  /** Every pair's wavelength, on a scale of powers of ten. */
  paintLengths(ctx, left, right) {
    const { omegas, pair, base } = this, top = 34, bottom = HIGH - 34, most = Math.log10(2 * Math.PI * base) * 1.03;
    const x = (i) => left + (right - left) * (omegas.length > 1 ? i / (omegas.length - 1) : 0.5),
      y = (length) => bottom - (bottom - top) * Math.log10(length) / most;
    for (let power = 0; power <= most; power++) {
      this.line(ctx, [[left, y(10 ** power)], [right, y(10 ** power)]], { colour: "line", wide: 1 });
      this.write(ctx, (10 ** power).toLocaleString("en-US"), left - 6, y(10 ** power), { align: "right" });
    }
    for (const [length, name] of [[2 * Math.PI, "2π"], [2 * Math.PI * base, "2π · base"]]) {
      this.line(ctx, [[left, y(length)], [right, y(length)]], { dash: [3, 3], colour: "quiet", wide: 1 });
      this.write(ctx, name, right, y(length) + (length < 10 ? 10 : -8), { align: "right" });
    }
    omegas.forEach((omega, i) => this.dot(ctx, x(i), y(wavelength(omega)), i === pair ? 6 : Math.min(2.5, 120 / omegas.length + 1),
      i === pair ? "ink" : "quiet"));
    this.write(ctx, "wavelength of each pair, in positions", left, 10);
    for (const i of ticks(omegas.length, 6)) this.write(ctx, i ? String(i) : "pair 0", x(i), bottom + 14, { align: "center" });
  }

  // --------------------------------------------------------------------------------------------------- clocks

  /** One clock: the hand points to (sine, cosine), so it stands at twelve for position 0 and turns to the right. */
  clock(ctx, x, y, radius, omega, strong) {
    const { p, k } = this, hand = (place, share) =>
      [x + share * radius * Math.sin(omega * place), y - share * radius * Math.cos(omega * place)];
    ctx.strokeStyle = this.look[strong ? "ink" : "line"];
    ctx.lineWidth = strong ? 2 : 1.5;
    ctx.beginPath();
    ctx.arc(x, y, radius, 0, 7);
    ctx.stroke();
    if (k) this.line(ctx, [[x, y], hand(p + k, 0.92)], { dash: [4, 3], colour: "quiet", wide: Math.max(1.5, radius / 26) });
    this.line(ctx, [[x, y], hand(p, 0.92)], { wide: Math.max(2, radius / 18) });
    this.dot(ctx, x, y, Math.max(2, radius / 22));
  }

  paint_clocks(ctx, width) {
    const shown = somePairs(this.omegas.length, 2 * clamp(Math.floor(width / Math.max(92, 7.6 * every(this.omegas.at(-1)).length)), 13)),
      columns = Math.max(Math.ceil(shown.length / 2), 4), rows = Math.ceil(shown.length / columns);
    const dx = width / columns, dy = (HIGH - 8) / rows, radius = Math.min(dx / 2 - 7, dy / 2 - 27, 110);
    shown.forEach((i, n) => {
      const x = (n % columns + 0.5) * dx, y = Math.floor(n / columns) * dy + radius + 6, strong = i === this.pair;
      this.clock(ctx, x, y, radius, this.omegas[i], strong);
      this.write(ctx, `pair ${i}`, x, y + radius + 14,
        { align: "center", colour: strong ? "ink" : "quiet", font: `${strong ? "700 " : ""}13px ${SANS}` });
      this.write(ctx, every(this.omegas[i]), x, y + radius + 30, { align: "center", font: `13px ${SANS}` });
    });
    say(this.title, `Position ${this.p}: one clock for each pair of features, ${shown.length} of ${many(this.omegas.length, "pair")}.`);
    say(this.reading, `The solid hand is position ${this.p}, the dashed one position ${this.p + this.k}, ${this.k} further on. `
      + `Between the two each clock turns by ω·${this.k}, whatever p is: pair ${this.pair} by `
        + `${written(this.omegas[this.pair] * this.k * 180 / Math.PI)}°.`);
  }

  // ----------------------------------------------------------------------------------------------- similarity

  paint_similarity(ctx, width) {
    const { n, d, k, omegas } = this, p = Math.min(this.p, n - 1), frame = { left: 56, right: width - 20, top: 24, bottom: HIGH - 34 };
    const sums = this.remember(`sums:${n}:${d}:${this.base}`, () => Float64Array.from({ length: n }, (_, gap) => similarity(omegas, gap)));
    const dots = this.remember(`dots:${n}:${d}:${this.base}:${p}`, () => Float64Array.from({ length: n }, (_, q) => dot(omegas, p, q)));
    const low = Math.min(0, ...sums), x = (gap) => frame.left + (frame.right - frame.left) * (gap + n) / (2 * n);
    const y = (value) => frame.bottom - (frame.bottom - frame.top) * (value - low) / (d / 2 - low);
    for (const value of new Set([low, 0, d / 4, d / 2])) {
      this.line(ctx, [[frame.left, y(value)], [frame.right, y(value)]], { colour: "line", wide: 1 });
      this.write(ctx, written(value), frame.left - 8, y(value), { align: "right" });
    }
    for (const gap of ticks(n, 5)) for (const side of gap ? [-gap, gap] : [0]) this.write(ctx, String(side).replace("-", "−"), x(side),
      frame.bottom + 14, { align: "center" });
    this.write(ctx, "offset", frame.right, frame.bottom + 28, { align: "right" });
    this.write(ctx, `line: Σ cos(ω · offset), for every position;  dots: PE(${p}) · PE(${p} + offset), added up for this position`,
      frame.left, 10);
    const gaps = Array.from({ length: 2 * n - 1 }, (_, i) => i - n + 1);
    this.line(ctx, gaps.map((gap) => [x(gap), y(sums[Math.abs(gap)])]), { wide: 2 });
    dots.forEach((value, q) => this.dot(ctx, x(q - p), y(value), q === p + k ? 6 : Math.max(1.6, Math.min(3, 300 / n)),
      q === p + k ? "ink" : "quiet"));
    const there = dot(omegas, p, p + k), sum = similarity(omegas, k);
    say(this.title, `PE(${p}) · PE(${p + k}) = ${there.toFixed(6).replace("-", "−")}, and so for every two positions ${k} apart.`);
    say(this.reading, `Σ cos(ω·${k}) = ${sum.toFixed(6).replace("-", "−")}, difference ${Math.abs(there - sum).toExponential(1)}; `
      + `‖PE(${p})‖² = ${dot(omegas, p, p).toFixed(6)} = d_model/2, so no position is longer than another`);
  }

  // ------------------------------------------------------------------------------------------------- rotation

  paint_rotation(ctx, width) {
    const { omegas, k, p, pair } = this, omega = omegas[pair], radius = Math.min(width / 2 - 14, HIGH / 2 - 40), x = width / 2,
      y = radius + 12;
    this.clock(ctx, x, y, radius, omega, true);
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    if (omega * k < 2 * Math.PI) ctx.arc(x, y, radius * 0.45, omega * p - Math.PI / 2, omega * (p + k) - Math.PI / 2);
    else ctx.arc(x, y, radius * 0.45, 0, 7);
    ctx.stroke();
    this.write(ctx, `pair ${pair} turns by ${written(omega * k * 180 / Math.PI)}°`, x, y + radius + 16,
      { align: "center", colour: "ink", font: `600 13px ${SANS}` });
    [`from position ${p.toLocaleString("en-US")} (solid)`, `to ${(p + k).toLocaleString("en-US")} (dashed)`].forEach((text, n) =>
      this.write(ctx, text, x, y + radius + 34 + 18 * n, { align: "center", font: `13px ${SANS}` }));
    this.wearBlocks();
  }

  wearBlocks() {
    const { omegas, k, p, pair } = this, M = below("M", k),
      some = [...new Set([...somePairs(omegas.length, 7), pair])].sort((a, b) => a - b);
    const pairCell = ([a, b]) => make("td", { title: `${a}, ${b}` }, `(${fixed(a)}, ${fixed(b)})`);
    const rows = some.map((i) => {
      const omega = omegas[i], [[a, b], [c, d]] = block(omega, k), goal = [Math.sin(omega * (p + k)), Math.cos(omega * (p + k))],
        got = turned(omega, k, p);
      const gap = Math.max(Math.abs(got[0] - goal[0]), Math.abs(got[1] - goal[1]));
      return make("tr", { class: i === pair ? "view-here" : "" }, make("th", { scope: "row" }, String(i)),
        make("td", { class: "pos-block" }, blockRow(a, b), blockRow(c, d)),
        pairCell([Math.sin(omega * p), Math.cos(omega * p)]), pairCell(got), pairCell(goal),
          make("td", {}, gap === 0 ? "0" : gap.toExponential(1)));
    });
    const worst = rotationError(omegas, k, p), all = this.everywhere(), place = p.toLocaleString("en-US");
    say(this.title, `${M} turns each pair of PE(${p}) and gives PE(${p + k}).`);
    const heads = ["pair", `block of ${M}`, `PE(${p})`, `${M} PE(${p})`, `PE(${p + k})`, "difference"];
    this.pane.replaceChildren(table("pos-blocks", heads, rows),
      small(`Outside these 2 × 2 blocks ${M} is 0. Shown: ${some.length} of ${many(omegas.length, "pair")}.`));
    say(this.reading, `largest difference at position ${place}, over all ${this.d} features: ${worst.toExponential(1)}; `
      + (all.done ? `at every position from 0 to 10,000: ${all.worst.toExponential(1)}` : "at every position from 0 to 10,000: …"));
  }

  /** The largest error over positions 0 to 10,000: counted a little at a time, while nothing else moves. */
  everywhere() {
    const name = [this.d, this.base, this.k].join(":");
    if (this.sweep?.name === name) return this.sweep;
    clearTimeout(this.sweep?.timer);
    const sweep = this.sweep = { name, next: 0, worst: 0, done: false, timer: 0 }, omegas = this.omegas, { k } = this;
    const blocks = Array.from(omegas, (omega) => block(omega, k).flat());
    const work = () => {
      const end = performance.now() + 8;
      while (sweep.next <= FARTHEST && performance.now() < end) sweep.worst = Math.max(sweep.worst,
        rotationError(omegas, k, sweep.next++, blocks));
      sweep.done = sweep.next > FARTHEST;
      if (sweep.done) { this.root.dataset.worst = sweep.worst;
        this.schedule(); } else if (this.root.isConnected) sweep.timer = setTimeout(work, 4);
      else this.sweep = null;   // out of the page: counted anew when it is painted again
    };
    sweep.timer = setTimeout(work, 250);
    return sweep;
  }

  // -------------------------------------------------------------------------------------------------- learned

  paint_learned(ctx, width) {
    const { rows, trained } = this.get("meta").learned, n = rows.length, d = rows[0].length;
    const { flat, top, formula, near, far } = this.remember("learned", () => {
      const flat = Float64Array.from(rows.flat()), formula = encoding(n, d, 10_000);
      return { flat, formula, top: flat.reduce((most, v) => Math.max(most, Math.abs(v)), 0), near: alike(formula, n, d),
        far: alike(flat, n, d) };
    });
    const square = Math.min(HIGH / 2 - 34, 150), wide = Math.min((width - square - 236), 620);
    const line = [["sinusoids", formula, 1, near],
      [`learned in training, up to place ${trained - 1}`, flat, top, far]];
    this.spots = [];
    line.forEach(([name, values, most, likeness], i) => {
      const y = 26 + i * (HIGH / 2), frame = { left: 34, top: y, right: 34 + wide, bottom: y + square, rows: n, cols: d, cell: 0 };
      const side = { left: 146 + wide, top: y, right: 146 + wide + square, bottom: y + square, rows: n, cols: n, cell: 0 };
      this.write(ctx, name, frame.left, y - 12, { colour: "ink", font: `600 13px ${SANS}` });
      this.write(ctx, "cosine of any two", side.left, y - 12, { font: `13px ${SANS}` });
      for (const [box, numbers, limit] of [[frame, values, most], [side, likeness, 1]]) {
        paintCells(ctx, Uint16Array.from(numbers, (value) => shade(value, limit)), this.signed, box);
        paintGrid(ctx, box, this.look.line);
        const edge = y + square * trained / n;
        if (i) this.line(ctx, [[box.left, edge], [box.right, edge]], { dash: [5, 4] });
        for (const place of ticks(n, 4)) this.write(ctx, String(place), box.left - 6, y + square * (place + 0.5) / n,
          { align: "right", font: `13px ${SANS}` });
        this.spots.push({ ...box, numbers, name: box === frame ? "feature" : "place" });
      }
      this.scale(ctx, frame.right + 14, y, square, most);
    });
    const spot = this.pointed = this.hover && this.spots.find((s) => this.hover.x > s.left && this.hover.x < s.right && this.hover.y > s.top
      && this.hover.y < s.bottom);
    say(this.title, "The sinusoids know every place; a learned table knows those it was trained on.");
    say(this.reading, spot ? this.readSpot(spot) : `Point at a cell for its number. Below the dashes: places that training never reached.`);
  }

  readSpot({ left, top, right, bottom, rows, cols, numbers, name }) {
    const row = Math.floor((this.hover.y - top) / (bottom - top) * rows), col = Math.floor((this.hover.x - left) / (right - left) * cols);
    return `place ${row}, ${name} ${col}: ${written(numbers[row * cols + col])}`;
  }
}

const short = (x) => (x > 0 ? "+" : "") + written(x).replace(/\.0+$/, "");
const sevenDigits = (x) => x.toLocaleString("en-US", { maximumSignificantDigits: 7 });
const fixed = (x) => x.toFixed(4).replace("-", "−");

/** Round places for labels, about `most` of them, from 0 on. */
export function ticks(n, most) {
  const rough = Math.max(1, n / most), power = 10 ** Math.floor(Math.log10(rough)),
    step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough);
  return Array.from({ length: Math.ceil(n / step) }, (_, i) => i * step);
}

/** What the controls do, by name or class. */
const HINTS = {
  ".view-tab": "another picture of the same numbers", "d_model": "how many features a position has",
  "length": "how many positions are drawn", "base": "10,000 in the paper: how slowly the last pair turns",
  "position p": "the position that is looked at", "offset k": "how far from p the other position lies",
  "pair i": "features 2i and 2i + 1, a sine and a cosine", ".pos-run": "let the position go on by itself",
  "Layout": "the order of the features: the paper's, or sines first",
};

export default widget(View, HINTS);
