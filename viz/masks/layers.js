// The mask view: two layers painted by hand, their AND, and what a row of scores becomes; the leak test beside it.
//
// A mask is 1 where a query (row) may look at a key (column). Everything but the leak test is computed here; that one
// runs the model, in Python or in the page, and where there is none its place shows what can reach what, by the mask alone.

import {
  MONO, SANS, STEPS, Stage, board, choice, clamp, controls, field, hit, label, level, make, mapLabels, slantOf, slantRoom, number,
  paintGrid, pointIn, prepared, say, span, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The AND of a layer (rows × keys) and of a padding layer (keys alone, the same for every row). */
export const both = (layer, padding) => layer.map((open, i) => (open && padding[i % padding.length] ? 1 : 0));

/** A first layer by its name; the core's is "causal". */
export function preset(name, rows, cols) {
  const rules = {
    causal: (i, j) => j <= i, ahead: (i, j) => j <= i + 1, strict: (i, j) => j < i, open: () => true,
    window: (i, j) => j <= i && j > i - 3,
  };
  return Array.from({ length: rows * cols }, (_, at) => (rules[name](Math.floor(at / cols), at % cols) ? 1 : 0));
}

/** One row from scores to weights: scaled, -∞ where hidden, e^, softmax; a row all hidden is all 0, or NaN if plain. */
export function rowSteps(scores, root, mask, plain = false) {
  const scaled = scores.map((score) => score / root);
  const masked = scaled.map((score, j) => (mask[j] ? score : -Infinity));
  const top = Math.max(...masked), empty = top === -Infinity;
  const exps = masked.map((score) => (empty ? 0 : Math.exp(score - top)));
  const sum = exps.reduce((total, one) => total + one, 0);
  const weights = exps.map((one) => (empty ? (plain ? NaN : 0) : one / sum));
  return { scaled, masked, exps, sum, weights, empty };
}

/** The rows that may look at nothing. */
export function blind(mask, cols) {
  const rows = Array.from({ length: mask.length / cols }, (_, i) => i);
  return rows.filter((i) => !mask.slice(i * cols, (i + 1) * cols).some(Boolean));
}

/** Which token can have moved which row after so many layers: a row knows its own token, and all that those it reads know. */
export function reach(mask, n, layers) {
  let known = Array.from({ length: n * n }, (_, at) => (Math.floor(at / n) === at % n ? 1 : 0));
  for (let layer = 0; layer < layers; layer++) {
    const before = known;
    known = before.map((knows, at) => {
      const i = Math.floor(at / n), j = at % n;
      for (let via = 0; !knows && via < n; via++) knows = mask[i * n + via] && before[via * n + j] ? 1 : 0;
      return knows;
    });
  }
  return known;
}

/** The test's result: which rows moved though only a later token changed, and by how much at most. */
export function verdict(change, n) {
  const rows = Array.from({ length: n }, (_, i) => Math.max(0, ...change.slice(i * n + i + 1, (i + 1) * n)));
  const failed = rows.flatMap((most, i) => (most > 0 ? [i] : []));
  return { rows, failed, largest: Math.max(0, ...rows), passed: failed.length === 0 };
}

/** A number for a cell: -∞ and NaN by name, large ones as −5e8, else three digits without idle zeros. */
export function inCell(value) {
  if (Number.isNaN(value)) return "NaN";
  if (value === -Infinity) return "−∞";
  if (Math.abs(value) >= 1e4) return Number(value.toPrecision(2)).toExponential().replace("+", "").replaceAll("-", "−");
  return written(value).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
}

/** A number where there is more room: idle zeros stay. */
export const inTable = (value) => (Math.abs(value) < 1e4 ? written(value) : inCell(value));

/** Why a query may not look at a key. */
export function reason(byLayer, byPadding, name) {
  if (byLayer && byPadding) return `may not look: hidden by the ${name} layer and by the padding layer`;
  return byLayer ? `may not look: hidden by the ${name} layer` : byPadding ? "may not look: hidden by the padding layer" : "may look";
}

/** Square cells as large as fit, with room for labels. */
export function squares(width, height, rows, cols, left, top) {
  const cell = Math.max(6, Math.min(52, (width - left - 24) / cols, (height - top - 4) / rows));
  return { left, top, cell, rows, cols, slant: slantOf(cell), right: left + cell * cols, bottom: top + cell * rows };
}

// ------------------------------------------------------------------------------------------------------- the view

const PRESETS = [["causal", "causal: j ≤ i (the core's)"], ["ahead", "one too many: j ≤ i + 1"], ["strict", "one too few: j < i"],
  ["window", "a window of 3"], ["open", "nothing hidden"]];
const TITLES = {
  layer: "1 · causal layer", padding: "2 · padding layer", mask: "1 and 2 · the mask", scores: "3 · scores QKᵀ/√d_k",
  masked: "4 · −∞ where hidden", weights: "5 · softmax of each row", leak: "leak test",
};
const SIGNS = "purple above 0, green below";
const NOTES = {
  layer: "click, drag, or space: paint cells", padding: "one row for all queries: paint keys", mask: "● may look   ▨ may not",
  scores: `before the mask; ${SIGNS}`, masked: "after /√d_k, before the softmax", weights: "", leak: "",
};

/** How every board is drawn. */
class Boards {
  constructor(view) { this.view = view; }

  drawBoard(name, canvas) {
    const { view } = this;
    const page = prepared(canvas);
    if (!page) return;
    const { ctx, width, height } = page, layout = squares(width, height, view.rows, view.cols, view.room.left, view.room.top);
    view.layouts[name] = layout;
    Object.assign(canvas.dataset, { left: layout.left, top: layout.top, cell: layout.cell });
    ({ layer: () => this.drawMask(ctx, layout, view.get("layer")),
      padding: () => this.drawMask(ctx, layout, view.get("layer").map((_, at) => view.get("padding")[at % view.cols])),
      mask: () => this.drawMask(ctx, layout, view.mask),
      scores: () => this.drawScores(ctx, layout, "scaled"), masked: () => this.drawScores(ctx, layout, "masked"),
      weights: () => this.drawWeights(ctx, layout), leak: () => this.drawLeak(ctx, layout) })[name]();
    paintGrid(ctx, layout, view.look.line);
    this.labels(ctx, layout);
    this.frames(ctx, layout);
  }

  each(layout, draw) {
    for (let i = 0; i < layout.rows; i++) for (let j = 0; j < layout.cols; j++) {
      draw(i, j, layout.left + j * layout.cell, layout.top + i * layout.cell, i * layout.cols + j);
    }
  }

  hidden(ctx, x, y, cell) {
    const { view } = this;
    ctx.fillStyle = view.look.line;
    ctx.fillRect(x, y, cell, cell);
    ctx.strokeStyle = view.look.quiet;
    ctx.globalAlpha = 0.45;
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let at = 0.25; at < 2; at += 0.5) {
      const a = Math.min(at, 1) * cell, b = Math.max(at - 1, 0) * cell;
      ctx.moveTo(x + b, y + a);
      ctx.lineTo(x + a, y + b);
    }
    ctx.stroke();
    ctx.globalAlpha = 1;
  }

  drawMask(ctx, layout, cells) {
    const { cell } = layout;
    this.each(layout, (i, j, x, y, at) => {
      if (!cells[at]) return this.hidden(ctx, x, y, cell);
      ctx.fillStyle = this.view.look.ink;
      ctx.beginPath();
      ctx.arc(x + cell / 2, y + cell / 2, Math.max(2, cell * 0.14), 0, 7);
      ctx.fill();
    });
  }

  tint(ctx, hex, number, x, y, cell) {
    ctx.fillStyle = `#${hex.slice(6 * number, 6 * number + 6)}`;
    ctx.fillRect(x, y, cell, cell);
    return number;
  }

  text(ctx, value, x, y, cell, strong) {
    const { view } = this;
    if (cell < 34) return;
    ctx.fillStyle = strong ? view.look.page : view.look.ink;
    ctx.font = `13px ${SANS}`;
    ctx.textAlign = "center";
    ctx.fillText(inCell(value), x + cell / 2, y + cell / 2);
  }

  drawScores(ctx, layout, step) {
    const { view } = this;
    const lines = Array.from({ length: view.rows }, (_, i) => view.line(i));
    const most = Math.max(...lines.flatMap(({ scaled }) => scaled.map(Math.abs)), 1e-9), { cell } = layout;
    this.each(layout, (i, j, x, y) => {
      const value = lines[i][step][j];
      if (value === -Infinity) {
        this.hidden(ctx, x, y, cell);
        ctx.fillStyle = view.look.ink;
        ctx.font = `${Math.max(9, Math.min(14, cell * 0.46))}px ${SANS}`;
        ctx.textAlign = "center";
        if (cell >= 24) ctx.fillText("−∞", x + cell / 2, y + cell / 2);
        return;
      }
      const number = this.tint(ctx, view.look.differences, 128 + Math.round(110 * value / most), x, y, cell);
      this.text(ctx, value, x, y, cell, Math.abs(number - 128) > 70);
    });
  }

  drawWeights(ctx, layout) {
    const { view } = this;
    const lines = Array.from({ length: view.rows }, (_, i) => view.line(i)), mask = view.mask, { cell } = layout;
    this.each(layout, (i, j, x, y, at) => {
      const weight = lines[i].weights[j];
      if (Number.isNaN(weight)) {
        ctx.fillStyle = view.look.wrong;
        ctx.fillRect(x, y, cell, cell);
        ctx.fillStyle = view.look.page;
        ctx.font = `700 ${Math.min(12, cell * 0.42)}px ${SANS}`;
        ctx.textAlign = "center";
        if (cell >= 18) ctx.fillText("NaN", x + cell / 2, y + cell / 2);
        return;
      }
      if (!mask[at]) this.hidden(ctx, x, y, cell);
      else this.tint(ctx, view.look.weights, level(weight, 1, false), x, y, cell);
      this.text(ctx, weight, x, y, cell, mask[at] && weight > 0.45);
    });
  }

  /** How far each logit moved with each token: later tokens in red, a tick or a cross for each row. */
  drawLeak(ctx, layout) {
    const { view } = this;
    const { change } = view.leak(), can = change ? null : view.reached(), n = view.rows, { cell } = layout;
    const values = change ?? can, most = Math.max(...values, 1e-12), found = verdict(values, n);
    this.each(layout, (i, j, x, y, at) => {
      const value = values[at];
      if (j > i && value > 0) {
        ctx.fillStyle = view.look.wrong;
        ctx.globalAlpha = change ? 0.35 + 0.65 * Math.sqrt(value / most) : 0.6;
        ctx.fillRect(x, y, cell, cell);
        ctx.globalAlpha = 1;
      } else if (value > 0) this.tint(ctx, view.look.weights, change ? 40 + level(value, most * 1.8, true) : 90, x, y, cell);
      if (cell < 13 || (value > 0 && j <= i)) return;
      ctx.fillStyle = value > 0 ? view.look.page : view.look.quiet;
      ctx.font = `${value > 0 ? "700 " : ""}13px ${SANS}`;
      ctx.textAlign = "center";
      ctx.fillText(value > 0 ? "!" : "0", x + cell / 2, y + cell / 2);
    });
    found.rows.forEach((moved, i) => {
      ctx.fillStyle = moved > 0 ? view.look.wrong : view.look.value;
      ctx.font = `700 13px ${SANS}`;
      ctx.textAlign = "left";
      ctx.fillText(moved > 0 ? "✗" : "✓", layout.right + 5, layout.top + (i + 0.5) * cell);
    });
  }

  labels(ctx, layout) {
    const { view } = this;
    const { queries, keys, real } = view.get("meta"), { query, key, quiet } = view.look;
    const padded = (i) => view.rows === view.cols && !real[i], size = Math.min(13, Math.max(9, layout.cell));
    mapLabels(ctx, layout, queries.map((token, i) => [visible(token), padded(i) ? quiet : query, view.row === i]),
      keys.map((token, j) => [visible(token), real[j] ? key : quiet, view.over?.col === j]), size);
  }

  /** The row that is worked out, and the cell under the pointer, in every picture. */
  frames(ctx, { left, top, right, cell }) {
    const { view } = this;
    ctx.strokeStyle = view.look.query;
    ctx.lineWidth = 2;
    ctx.strokeRect(left, top + view.row * cell, right - left, cell);
    if (!(view.over?.col >= 0)) return;
    ctx.strokeStyle = view.look.ink;
    ctx.strokeRect(left + view.over.col * cell + 1, top + view.over.row * cell + 1, cell - 2, cell - 2);
  }
}

class MaskStage extends Stage {
  constructor(model, el) {
    super(model, el, "Masks of attention");
    this.drawing = new Boards(this);
    this.over = null;
    this.layouts = {};
    this.start(["scores", "layer", "padding", "row", "plain", "model", "leak"]);
  }

  get rows() { return this.get("meta").queries.length; }
  get cols() { return this.get("meta").keys.length; }
  get mask() { return both(this.get("layer"), this.get("padding")); }
  get row() { return clamp(this.over ? this.over.row : this.get("row"), this.rows); }

  line(i) {
    const from = i * this.cols, scores = this.get("scores").slice(from, from + this.cols);
    return rowSteps(scores, this.get("meta").root, this.mask.slice(from, from + this.cols), this.get("plain"));
  }

  // ---- the page

  load() {
    const meta = this.get("meta");
    this.boards = {};
    this.said = make("div", { class: "view-cell" });
    this.names = meta.leaks ? ["layer", "padding", "mask", "leak", "scores", "masked", "weights"]
      : ["layer", "padding", "mask", "scores", "masked", "weights"];
    const figures = this.names.map((name) => this.figure(name));
    figures.splice(meta.leaks ? 7 : 3, 0, this.detail());
    const grid = make("div", { class: "mask-grid" }, ...figures);
    this.frame(meta.title,
      this.controls(), grid, this.said);
  }

  controls() {
    const pick = (changes) => { this.set({ ...changes, ...this.turnedNaN(changes) }); this.speakResult(); };
    this.preset = choice("Causal layer", [["", "painted by hand"], ...PRESETS], ({ target }) => target.value
      && pick({ layer: preset(target.value, this.rows, this.cols) }));
    this.pads = choice("Padding layer", [["hide", "hides padding"], ["open", "hides nothing"], ["", "painted by hand"]],
      ({ target }) => target.value
      && pick({ padding: this.get("meta").real.map((real) => (target.value === "open" || real ? 1 : 0)) }));
    this.plain = make("input", { type: "checkbox", onchange: ({ target }) => pick({ plain: target.checked }) });
    this.models = choice("Leak test on", this.get("meta").models.map(({ name }) => [name, name]),
      ({ target }) => pick({ model: target.value }));
    const shown = [field("Causal layer", this.preset), field("Padding layer", this.pads),
      make("label", { class: "view-field" }, this.plain, "plain softmax")];
    if (this.get("meta").leaks) shown.push(field("Leak test on", this.models));
    return controls(...shown);
  }

  /** Where a row turns into NaN, that one is worked out. */
  turnedNaN(changes) {
    const { layer, padding, plain } = { layer: this.get("layer"), padding: this.get("padding"), plain: this.get("plain"), ...changes };
    const rows = plain ? blind(both(layer, padding), this.cols) : [];
    return rows.length && !rows.includes(this.get("row")) ? { row: rows[0] } : {};
  }

  figure(name) {
    const { editable, whose } = this.get("meta"), typed = name === "scores" && editable;
    const words = typed ? "type your own; √d_k and the mask come next" : name === "scores" && whose ? `${whose}; ${SIGNS}` : NOTES[name];
    const note = make("div", { class: "view-note" }, words);
    const title = make("div", { class: "view-name" }, typed ? "3 · scores q · k" : TITLES[name]);
    const figure = make("figure", { class: `view-map mask-${name}` }, title, note);
    if (typed) figure.append(this.editor());
    else figure.append(this.canvas(name));
    if (name === "leak") {
      this.result = note;
      figure.append(make("div", { class: "view-small" },
        "Column: the token that was changed. The stronger the colour, the more the row's logits moved. 0: not by one bit. Red !: they "
          + "moved with a later token."));
    }
    if (name === "weights") this.sums = note;
    return figure;
  }

  /** Scores as a table of number fields: the reader's own. */
  editor() {
    const { queries, keys } = this.get("meta");
    this.fields = this.get("scores").map((score, at) => make("input", {
      type: "number", step: "0.5", value: score, class: "mask-field",
      "aria-label": `score of query ${queries[Math.floor(at / keys.length)]}, key ${keys[at % keys.length]}, before the scale`,
      oninput: ({ target }) => this.scored(at, target.valueAsNumber),
      onfocus: () => this.point({ row: Math.floor(at / keys.length), col: at % keys.length }),
      onblur: () => this.point(null),
    }));
    const rows = queries.map((query, i) => make("tr", {}, make("th", { scope: "row", class: "view-q" }, visible(query)),
      ...keys.map((_, j) => make("td", {}, this.fields[i * keys.length + j]))));
    const heads = make("tr", {}, make("th", {}), ...keys.map((key) => make("th", { scope: "col", class: "view-k" }, visible(key))));
    return make("table", { class: "mask-editor" }, make("thead", {}, heads), make("tbody", {}, ...rows));
  }

  scored(at, value) {
    if (!Number.isFinite(value)) return;
    this.set({ scores: this.get("scores").map((score, n) => (n === at ? value : score)) });
  }

  canvas(name) {
    const paints = name === "layer" || name === "padding";
    const label = `${TITLES[name]}: rows queries, columns keys. Arrow keys walk${paints ? ", space paints" : ""}.`;
    const at = (x, y) => {
      const layout = this.layouts[name], found = layout && hit(layout, x, y);
      return found && found.row >= 0 && (found.col >= 0 || !paints) ? found : null;
    };
    const canvas = board({ "aria-label": label, class: "mask-canvas", "data-board": name }, {
      at, look: (found) => this.point(found && { ...found, name }), key: (event) => this.key(event, name, paints),
    });
    if (paints) this.brush(canvas, name, at);
    else canvas.addEventListener("click", (event) => { const found = at(...pointIn(event));
      if (found) this.set({ row: found.row }); });
    this.boards[name] = canvas;
    return canvas;
  }

  /** Press paints a cell, dragging paints more; who answers is told once, at the end. */
  brush(canvas, name, at) {
    let value = null;
    canvas.addEventListener("pointerdown", (event) => {
      const found = at(...pointIn(event));
      if (!found || event.button) return;
      canvas.setPointerCapture(event.pointerId);
      value = 1 - this.open(name, found);
      this.put(name, found, value);
    });
    canvas.addEventListener("pointermove", (event) => {
      const found = value !== null && at(...pointIn(event));
      if (found) this.put(name, found, value);
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => {
      if (value === null) return;
      value = null;
      this.model.save_changes();
      this.speakResult();
    });
  }

  open(name, { row, col }) { return name === "padding" ? this.get("padding")[col] : this.get("layer")[row * this.cols + col]; }

  put(name, { row, col }, value) {
    const at = name === "padding" ? col : row * this.cols + col, cells = this.get(name);
    if (cells[at] === value) return;
    const painted = cells.map((cell, n) => (n === at ? value : cell));
    this.past.keep({ [name]: painted }, this.gesture);
    this.model.set(name, painted);
  }

  key(event, name, paints) {
    const here = this.over ?? { row: this.row, col: 0 }, col = Math.max(here.col ?? 0, 0), step = STEPS[event.key];
    if (step) this.point({ name, row: clamp(here.row + step[0], this.rows), col: clamp(col + step[1], this.cols) }, true);
    else if (paints && (event.key === " " || event.key === "Enter")) {
      this.put(name, { ...here, col }, 1 - this.open(name, { ...here, col }));
      this.point({ name, row: here.row, col }, true);
      this.model.save_changes();
    } else if (event.key === "Enter") this.set({ row: here.row });
    else return false;
    return true;
  }

  point(found, aloud = false) {
    this.over = found;
    if (aloud) this.announce(this.sentence(found));
    this.schedule();
  }

  /** A cell in words. */
  sentence({ row, col, name }) {
    const { queries, keys } = this.get("meta"), at = row * this.cols + col;
    if (name === "leak" && col >= 0) {
      const { change } = this.leak(), later = col > row ? "later" : "own or earlier";
      const by = change ? `largest change ${written(change[at])}` : "";
      return `logit ${row} ('${visible(queries[row])}') when the ${later} token ${col} ('${visible(keys[col])}') changes: `
        + `${by || (this.reached()[at] ? "can move" : "cannot move")}`;
    }
    if (!(col >= 0)) return `query '${visible(queries[row])}'`;
    const steps = this.line(row), seen = reason(!this.get("layer")[at], !this.get("padding")[col], "causal");
    return `query '${visible(queries[row])}', key '${visible(keys[col])}': ${seen}; score ${inTable(steps.scaled[col])}, weight `
      + `${inCell(steps.weights[col])}`;
  }

  speakResult() {
    this.schedule();
    this.announce(() => this.result?.textContent ?? "");
  }

  // ---- texts and states

  atPointer() { return this.over ? this.sentence(this.over) : ""; }

  wear() {
    const layer = this.get("layer").join(), padding = this.get("padding").join(), { real, models } = this.get("meta");
    this.preset.value = PRESETS.find(([name]) => preset(name, this.rows, this.cols).join() === layer)?.[0] ?? "";
    const hides = real.map((one) => (one ? 1 : 0)).join();
    this.pads.value = padding === hides ? "hide" : this.get("padding").every(Boolean) ? "open" : "";
    this.plain.checked = this.get("plain");
    this.models.value = this.get("model") || models[0]?.name;
    for (const [at, field] of (this.fields ?? []).entries()) {
      const score = this.get("scores")[at];
      if (field !== document.activeElement && field.valueAsNumber !== score) field.value = score;   // 1e9 stays as it was typed
    }
    say(this.said, this.over ? this.sentence(this.over)
      : "Point at a cell: what it is made of stands here. The row in the frame is worked out step by step.");
    this.wearRow();
    this.wearSums();
    if (this.result) this.wearLeak();
    this.root.dataset.passed = this.leak().change ? String(verdict(this.leak().change, this.rows).passed) : "";
  }

  detail() {
    this.rowTitle = make("div", { class: "view-name" });
    this.rowBody = make("div", { class: "view-wide mask-steps", tabindex: 0, role: "region", "aria-label": "The chosen row" });
    return make("div", { class: "mask-detail" }, this.rowTitle, this.rowBody);
  }

  wearRow() {
    const { keys, queries, root } = this.get("meta"), i = this.row, steps = this.line(i), scores = this.get("scores");
    const text = [i, steps.masked.join(), steps.weights.join()].join("|");
    if (this.rowText === text) return;
    this.rowText = text;
    this.rowTitle.replaceChildren("row of ", span("view-q", visible(queries[i])), `, step by step (√d_k = ${written(root)})`);
    const cell = (value) => make("td", { title: Number.isFinite(value) ? value.toPrecision(8) : undefined }, inTable(value));
    const rows = keys.map((key, j) => make("tr", {}, make("th", { scope: "row", class: "view-k" }, visible(key)),
      ...[scores[i * this.cols + j], steps.scaled[j], steps.masked[j], steps.exps[j], steps.weights[j]].map(cell)));
    const total = make("tr", { class: "view-here" }, make("th", { scope: "row" }, "sum"), ...["", "", ""].map(() => make("td", {})),
      cell(steps.sum), cell(steps.weights.reduce((a, b) => a + b, 0)));
    const why = !steps.empty ? "max: the row's largest score, so that nothing overflows." : this.get("plain")
      ? "All hidden: plain softmax divides 0 by 0, and NaN would spread through a model that used it."
      : "All hidden: plain softmax would give NaN; the core gives 0.";
    this.rowBody.replaceChildren(table("mask-row", ["key", "q·k", "/√d_k", "masked", "e^(s−max)", "weight"], [...rows, total]),
      make("div", { class: "view-small" }, why));
  }

  wearSums() {
    const sums = Array.from({ length: this.rows }, (_, i) => this.line(i).weights.reduce((a, b) => a + b, 0));
    const dead = sums.flatMap((sum, i) => (sum === 0 || Number.isNaN(sum) ? [i] : []));
    const rest = dead.length < this.rows ? "; the others sum to 1" : "", weights = this.get("plain") ? "NaN" : "all 0";
    const rows = `row${dead.length === 1 ? "" : "s"} ${dead.join(", ")}`;
    say(this.sums, dead.length ? `${rows}: all hidden, ${weights}${rest}` : "each row sums to 1");
  }

  /** The test of the mask in hand, if it has been made; else nothing. */
  leak() {
    const leak = this.get("leak");
    return leak.mask && leak.mask.join() === this.mask.join() && leak.model === this.get("model") ? leak : {};
  }

  layers() { return this.get("meta").models.find(({ name }) => name === this.get("model"))?.n_layers ?? 1; }

  reached() { return reach(this.mask, this.rows, this.layers()); }

  wearLeak() {
    const { change, by, missing } = this.leak(), n = this.rows, found = verdict(change ?? this.reached().map(Number), n);
    const { shows } = this.get("meta"), runs = this.connected && !missing;
    say(this.badge, by ? `${shows} · leak test: ${by}` : shows);
    const later = n * (n - 1) / 2, mark = found.passed ? "PASS" : "FAIL";
    const some = `${found.failed.length} of ${n} rows`;
    const measured = found.passed ? `no later token moved a logit: all ${later} of their cells are exactly 0`
      : `the logits of ${some} moved with a later token, by up to ${written(found.largest)}`;
    const foreseen = found.passed ? "no row can know a later token" : `${some} can know a later token`;
    const safe = this.get("plain") && blind(this.mask, this.cols).length ? "; the model runs with the core's softmax: no NaN in it" : "";
    say(this.result, change ? `${mark} · ${measured}${safe}`
      : `${mark}, by the mask alone (${runs ? "the model is running …" : "no model here"}) · ${foreseen}`);
    this.result.classList.toggle("mask-fail", !found.passed);
  }

  // ---- canvases

  paint() {
    const ctx = this.boards.mask.getContext("2d"), { queries, keys } = this.get("meta"), width = this.boards.mask.clientWidth;
    ctx.font = `13px ${MONO}`;
    const wide = (tokens) => Math.max(...tokens.map((token) => ctx.measureText(visible(token)).width));
    this.room = { left: Math.min(wide(queries) + 12, 84), top: Math.min(slantRoom(wide(keys)), 80) };
    const { bottom } = squares(width, 1e4, this.rows, this.cols, this.room.left, this.room.top);
    if (width) this.root.style.setProperty("--mask-tall", `${Math.ceil(bottom) + 6}px`);
    for (const name of this.names) if (this.boards[name]) this.drawing.drawBoard(name, this.boards[name]);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "plain softmax": "without the rule that a row with nothing to see is 0",
  "Causal layer": "which queries may look at which keys, for every sentence alike", "Padding layer": "which keys stand for nothing",
  "Leak test on": "the model that is asked whether a later token moves an earlier row",
  ".mask-field": "a score of your own, before the scale",
};

export default widget(MaskStage, HINTS);
