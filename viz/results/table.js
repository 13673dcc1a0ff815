// Table 2 under the reader's hands: BLEU against the cost of training, the whole table beside it, and what is claimed of it.
//
// The rows come from Python with every cell as printed (meta.rows), the claims with their arithmetic (meta.claims). The
// page does all the rest, with no Python.

import {
  MONO, SANS, Stage, board, chip, headline, logAxis, make, powersOn, prepared, raised, say, span, stroke, table,
  widget,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** A cost as printed: "2.3e19" is 2.3·10¹⁹, a blank is nothing. */
export function power(cost) {
  const [digits, exponent] = cost.split("e");
  return exponent ? `${digits}·10${raised(Number(exponent))}` : digits;
}

/** What is drawn for a language: rows with a BLEU, the cheapest first, those without a cost before them. */
export function drawn(rows, language) {
  return rows.filter((row) => row[language][0] !== "")
    .map((row) => ({ ...row, bleu: Number(row[language][0]), cost: row[language][1] === "" ? null : Number(row[language][1]) }))
    .sort((one, other) => (one.cost ?? 0) - (other.cost ?? 0));
}

/** Whole numbers around these values, with room at both ends. */
export function bounds(values) {
  return [Math.floor(Math.min(...values) - 0.4), Math.ceil(Math.max(...values) + 0.4)];
}

const meet = (one, other) => one.x0 < other.x1 && other.x0 < one.x1 && one.y0 < other.y1 && other.y0 < one.y1;

/** Where names stand: beside, above or below their dot, wherever they meet no dot, no name, no edge and nothing else. */
export function placed(dots, widths, { left, right, top, bottom }, others = []) {
  const taken = dots.map(({ x, y }) => ({ x0: x - 7, x1: x + 7, y0: y - 7, y1: y + 7 })), found = [];
  dots.forEach(({ x, y }, i) => {
    const w = widths[i], middle = Math.max(left, Math.min(x - w / 2, right - w));
    const corners = [[x + 11, y - 8], [x - 11 - w, y - 8], [middle, y - 25], [middle, y + 10],
      [x + 6, y - 24], [x + 6, y + 9], [x - 6 - w, y - 24], [x - 6 - w, y + 9], [middle, y - 38], [middle, y + 24]];
    const boxes = corners.map(([x0, y0]) => ({ x0, y0, x1: x0 + w, y1: y0 + 16 }));
    const free = (box) => box.x0 >= left && box.x1 <= right && box.y0 >= top && box.y1 <= bottom
      && !taken.some((other, j) => j !== i && meet(box, other));
    const clear = (box) => free(box) && !others.some((other) => meet(box, other));
    const box = boxes.find(clear) ?? boxes.find(free) ?? boxes[2];
    taken.push(box);
    found.push(box);
  });
  return found;
}

/** What a screen reader, and the line below the plot, say of a row. */
export function spoken(row, languages) {
  const cells = Object.entries(languages).map(([language, name]) => {
    const [bleu, cost] = row[language];
    if (bleu === "") return `${name}: not printed`;
    return `${name}: ${bleu} BLEU, ${cost === "" ? "no cost printed" : `${power(cost)} FLOP`}`;
  });
  return `${row.model}. ${cells.join("; ")}`;
}

// ------------------------------------------------------------------------------------------------------ the view

const COSTS = [1e18, 3e21], HEIGHT = 380, STRIP = 124;      // STRIP: where those stand whose cost is not printed
const SHAPES = { single: "circle", ensemble: "diamond" };
const KINDS = { single: "single model", ensemble: "ensemble", Transformer: "Transformer" };

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Table 2");
    this.hover = "";
    this.start(["language", "picked", "claim"]);
  }

  get rows() { return this.get("meta").rows; }
  get shown() { return drawn(this.rows, this.get("language")); }
  get claim() { return this.get("meta").claims[this.get("claim")]; }
  get pointed() { return this.hover || this.get("picked"); }

  // ------------------------------------------------------------------------------------------ page, built once

  load() {
    const meta = this.get("meta");
    this.reading = make("p", { class: "res-reading" });
    this.board = board({ class: "res-board", "aria-label": "BLEU against the cost of training", style: `height:${HEIGHT}px` }, {
      at: (x, y) => ({ model: this.nearest(x, y) }),
      look: (found) => this.point(found?.model ?? ""),
      click: ({ model }) => this.pick(model),
      key: (event) => this.walk(event.key),
    });
    this.root.classList.add("res");
    this.frame(headline(make("b", {}, meta.title)),
      make("div", { class: "view-controls res-controls" }, this.buildLanguages(), this.buildLegend()),
      make("div", { class: "res-body" }, make("div", { class: "res-plot" }, this.board), this.buildTable()),
      this.reading, ...this.buildClaims());
  }

  buildLanguages() {
    const open = (language) => this.set({ language, claim: -1 });
    return this.tabs("Language pair", "language", Object.entries(this.get("meta").languages), { open });
  }

  buildLegend() {
    this.marks = [...new Set(this.rows.map((row) => row.kind))].map((kind) =>
      ({ kind, canvas: make("canvas", { class: "res-mark", "aria-hidden": "true" }) }));
    return make("div", { class: "view-options res-legend" },
      ...this.marks.map(({ kind, canvas }) => make("span", { class: "view-field" }, canvas, KINDS[kind] ?? kind)));
  }

  buildTable() {
    const heads = ["model", "EN-DE", "EN-FR", "cost EN-DE", "cost EN-FR"];
    const cell = (text, title) => make("td", { title: text === "" ? "not printed" : title }, text);
    this.lines = Object.fromEntries(this.rows.map((row) => {
      const { de: [bleuDe, costDe], fr: [bleuFr, costFr] } = row, exact = (cost) => `${cost} FLOP`;
      const costs = row.kind === "Transformer"
        ? [make("td", { colspan: 2, class: "res-shared", title: `${exact(costDe)}, for both languages` }, power(costDe))]
        : [cell(power(costDe), exact(costDe)), cell(power(costFr), exact(costFr))];
      const name = make("button", { type: "button", class: "res-name", onclick: () => this.pick(row.model) }, row.model);
      return [row.model, make("tr", { "data-model": row.model, onpointerenter: () => this.point(row.model),
        onpointerleave: () => this.point("") },
        make("th", { scope: "row" }, name), cell(bleuDe), cell(bleuFr), ...costs)];
    }));
    return make("div", { class: "view-wide" }, make("table", { class: "res-table" },
      make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, ...Object.values(this.lines))));
  }

  buildClaims() {
    const claims = this.get("meta").claims;
    this.verdict = make("p", { class: "res-verdict", role: "status" });
    this.chips = claims.map((claim, i) => make("button", { type: "button", class: "view-chip", onclick: () => this.check(i) }, claim.says));
    const list = Object.entries(this.get("meta").languages).map(([language, name]) => make("div", { class: "view-chips res-claims" },
      span("res-where", name), ...this.chips.filter((_, i) => claims[i].language === language)));
    return claims.length ? [make("div", { role: "group", "aria-label": "Claims" }, make("b", {}, "Check a claim"), ...list), this.verdict]
      : [];
  }

  // --------------------------------------------------------------------------------------------- gestures

  nearest(x, y) {
    const near = (this.dots ?? []).map((dot) => [Math.hypot(dot.x - x, dot.y - y), dot.model]).sort(([one], [other]) => one - other)[0];
    return near && near[0] < 26 ? near[1] : "";
  }

  point(model) {
    if (this.hover === model) return;
    this.hover = model;
    this.schedule();
  }

  atPointer() { return this.hover ? this.reading.textContent : ""; }

  pick(model) {
    this.set({ picked: model === this.get("picked") ? "" : model });
    const row = this.rows.find((other) => other.model === model);
    this.announce(row ? spoken(row, this.get("meta").languages) : "");
  }

  /** Left and right: the next dearer or cheaper; up and down: the other language. */
  walk(key) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[key], names = this.shown.map((row) => row.model), last = names.length - 1;
    if (key === "Escape") { this.set({ picked: "", claim: -1 }); return true; }
    if (key === "ArrowUp" || key === "ArrowDown") {
      this.set({ language: this.get("language") === "de" ? "fr" : "de", claim: -1 });
      this.announce(this.get("meta").languages[this.get("language")]);
      return true;
    }
    const here = names.indexOf(this.get("picked"));
    const next = { Home: 0, End: last }[key] ?? (along ? Math.min(last, Math.max(0, here < 0 && along < 0 ? last : here + along)) : null);
    if (next === null) return false;
    if (names[next] !== this.get("picked")) this.pick(names[next]);
    return true;
  }

  check(i) {
    this.set(i === this.get("claim") ? { claim: -1 } : { claim: i, language: this.get("meta").claims[i].language, picked: "" });
  }

  // ---------------------------------------------------------------------------------------- texts and states

  wear() {
    const language = this.get("language"), claim = this.claim, model = this.pointed, meta = this.get("meta");
    this.root.dataset.language = language;
    this.root.dataset.claim = this.get("claim");
    for (const [name, line] of Object.entries(this.lines)) {
      const row = this.rows.find((other) => other.model === name);
      line.setAttribute("aria-selected", String(name === model));
      line.classList.toggle("res-absent", row[language][0] === "");
      line.classList.toggle("res-claimed", Boolean(claim) && [claim.ours, claim.theirs].includes(name));
    }
    const row = this.rows.find((other) => other.model === model);
    say(this.reading, row ? spoken(row, meta.languages)
      : "Point at a model in the plot or in the table; arrow keys walk from the cheapest to the dearest.");
    this.chips.forEach((chip, i) => chip.setAttribute("aria-pressed", String(i === this.get("claim"))));
    if (this.verdict) {
      this.verdict.classList.toggle("res-fails", Boolean(claim) && !claim.holds);
      say(this.verdict,
        claim ? `${claim.ours} against ${claim.theirs}: ${claim.arithmetic}. `
          + `${claim.holds ? "It holds." : claim.claimed ? "It does not hold." : "No; and the paper does not say so."}` : "");
    }
    for (const { kind, canvas } of this.marks) {
      const place = prepared(canvas);
      if (place) this.mark(place.ctx, kind, 8, 8, 5);
    }
  }

  // ------------------------------------------------------------------------------------------------ pictures

  colour(kind) {
    return kind === "Transformer" ? this.look.heads[5] : kind in SHAPES ? this.look.quiet : this.look.heads[0];
  }

  mark(ctx, kind, x, y, r) {
    ctx.beginPath();
    if (kind === "single") ctx.arc(x, y, r, 0, 2 * Math.PI);
    else {
      const corners = kind === "ensemble" ? [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]]
        : kind === "Transformer" ? [[0, -1.35], [1.25, 0.95], [-1.25, 0.95]] : [[-1, -1], [1, -1], [1, 1], [-1, 1]];
      corners.forEach(([dx, dy], i) => (i ? ctx.lineTo(x + r * dx, y + r * dy) : ctx.moveTo(x + r * dx, y + r * dy)));
      ctx.closePath();
    }
    ctx.fillStyle = this.colour(kind);
    ctx.fill();
  }

  paint() {
    const place = prepared(this.board);
    if (!place) return;
    const { ctx, width, height } = place, shown = this.shown;
    const frame = { left: 44, right: width - 10, top: 22, bottom: height - 44 };
    const all = shown.map((row) => row.cost).filter((cost) => cost !== null);
    const across = logAxis(Math.min(COSTS[0], ...all.map((cost) => cost / 2)), Math.max(COSTS[1], ...all.map((cost) => 2 * cost)),
      frame.left + STRIP, frame.right);
    const [low, high] = bounds(shown.map((row) => row.bleu));
    const up = (bleu) => frame.bottom - ((frame.bottom - frame.top) * (bleu - low)) / (high - low);
    this.paintAxes(ctx, frame, across, up, low, high);
    this.dots = shown.map((row) => ({ ...row, x: row.cost === null ? frame.left + 14 : across.at(row.cost), y: up(row.bleu) }));
    this.paintDots(ctx, frame, this.claim ? this.paintClaim(ctx, frame) : []);
    this.board.dataset.models = JSON.stringify(this.dots.map(({ model, x, y }) => [model, Math.round(x), Math.round(y)]));
  }

  paintAxes(ctx, { left, right, top, bottom }, across, up, low, high) {
    ctx.font = `13px ${MONO}`;
    ctx.strokeStyle = this.look.line;
    ctx.fillStyle = this.look.quiet;
    ctx.textAlign = "right";
    for (let bleu = low; bleu <= high; bleu++) {
      this.stroke(ctx, [left, up(bleu), right, up(bleu)], 1);
      ctx.fillText(String(bleu), left - 6, up(bleu));
    }
    ctx.textAlign = "center";
    for (const cost of powersOn(across, 10, 8)) {
      this.stroke(ctx, [across.at(cost), top, across.at(cost), bottom], 1);
      ctx.fillText(`10${raised(Math.round(Math.log10(cost)))}`, across.at(cost), bottom + 13);
    }
    ctx.font = `13px ${SANS}`;
    ctx.fillText("not printed", left + 46, bottom + 13);
    this.stroke(ctx, [left + STRIP - 22, top, left + STRIP - 22, bottom + 22], 1.5);   // no cost lies left of it
    ctx.fillText("training cost, FLOP (each line ten times the last)", (left + STRIP + right) / 2, bottom + 32);
    ctx.textAlign = "left";
    ctx.fillText("BLEU", left - 22, top - 14);
  }

  /** The level or the costs to compare as dashed lines, and an arrow from theirs to ours; returns what is covered. */
  paintClaim(ctx, { left, right, top, bottom }) {
    const claim = this.claim, [ours, theirs] = [claim.ours, claim.theirs].map((model) => this.dots.find((dot) => dot.model === model));
    if (!ours || !theirs) return [];
    const byBleu = claim.by === "bleu", text = claim.arithmetic.match(/= (\S+)/)[1];
    ctx.strokeStyle = ctx.fillStyle = claim.holds ? this.look.heads[5] : this.look.wrong;
    const lines = byBleu ? [[left, theirs.y, right, theirs.y]] : [ours, theirs].map(({ x }) => [x, top, x, bottom]);
    ctx.setLineDash([5, 4]);
    for (const line of lines) this.stroke(ctx, line, 1.5);
    ctx.setLineDash([]);
    const up = Math.sign(ours.y - theirs.y), along = Math.sign(ours.x - theirs.x);
    const shaft = byBleu ? [ours.x, theirs.y, ours.x, ours.y - 9 * up] : [theirs.x, bottom - 10, ours.x, bottom - 10];
    this.stroke(ctx, shaft, 2.5);
    for (const side of [-4, 4]) {
      const [, , x, y] = shaft;
      this.stroke(ctx, byBleu ? [x, y, x + side, y - 8 * up] : [x, y, x - 8 * along, y + side], 2.5);
    }
    const [x, y] = byBleu ? [ours.x + 10, (shaft[1] + shaft[3]) / 2] : [(ours.x + theirs.x) / 2, bottom - 24];
    ctx.font = `bold 13px ${MONO}`;
    ctx.textAlign = byBleu ? "left" : "center";
    if (claim.holds) ctx.fillStyle = this.look.ink;
    const said = byBleu ? `${text.startsWith("−") ? "" : "+"}${text}` : `× ${text}`, w = ctx.measureText(said).width;
    ctx.fillText(said, x, y);
    const boxes = [...lines, shaft].map(([x0, y0, x1, y1]) =>
      ({ x0: Math.min(x0, x1) - 1, x1: Math.max(x0, x1) + 1, y0: Math.min(y0, y1) - 1, y1: Math.max(y0, y1) + 1 }));
    return [...boxes, { x0: byBleu ? x : x - w / 2, x1: x + w, y0: y - 9, y1: y + 9 }];
  }

  stroke(ctx, [x0, y0, x1, y1], width) {
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
  }

  paintDots(ctx, frame, covered) {
    const claimed = this.claim ? [this.claim.ours, this.claim.theirs] : [];
    const strong = (dot) => dot.model === this.pointed || claimed.includes(dot.model) || (!this.pointed && dot.kind === "Transformer");
    const font = (dot) => `${strong(dot) ? "600 " : ""}13px ${SANS}`;
    const widths = this.dots.map((dot) => { ctx.font = font(dot); return ctx.measureText(dot.model).width; });
    const boxes = placed(this.dots, widths, { ...frame, left: frame.left + 2 }, covered);
    ctx.textAlign = "left";
    this.dots.forEach((dot, i) => {
      this.mark(ctx, dot.kind, dot.x, dot.y, dot.model === this.pointed ? 8 : 6);
      if (dot.model === this.pointed) this.cross(ctx, dot, frame);
      ctx.font = font(dot);
      ctx.fillStyle = strong(dot) ? this.look.ink : this.look.quiet;
      ctx.fillText(dot.model, boxes[i].x0, boxes[i].y0 + 8);
    });
  }

  /** Thin lines from a dot to both axes. */
  cross(ctx, { x, y }, { left, bottom }) {
    ctx.strokeStyle = this.look.ink;
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(left, y);
    ctx.lineTo(x, y);
    ctx.lineTo(x, bottom);
    ctx.stroke();
    ctx.setLineDash([]);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "English-German": "the scores of newstest2014 into German", "English-French": "the scores of newstest2014 into French",
  ".res-name": "find this model in the chart", ".view-chip": "check this claim against the numbers",
};

export default widget(View, HINTS);
