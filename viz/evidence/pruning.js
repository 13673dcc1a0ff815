// The pruning view: a slider takes heads out of the model, in an order of the reader's choice; the curves say what is lost over
// many sentences, the map which heads are left, and one sentence is translated with what is left, by Python or by the page's
// model. What was translated once is kept in `known`, and shown again without asking.

import {
  MONO, SANS, STEPS, Stage, board, choice, clamp, controls, disc, fields, fitted, headline, label, make, many, prepared, say,
  slider, span, stroke, widget, wordsOf, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The loss with n heads gone: on the line between the points that were measured. */
export function lossAt(points, n) {
  const after = points.findIndex((point) => point.n >= n);
  if (after < 0) return points.at(-1).nll;
  const [to, from] = [points[after], points[Math.max(after - 1, 0)]];
  return to.n === from.n ? to.nll : from.nll + ((to.nll - from.nll) * (n - from.n)) / (to.n - from.n);
}

/** The order whose line is the nearest to a point of the chart, from 0; -1 where none is near. y: from a loss to pixels. */
export function lineAt(orders, n, at, y) {
  const far = orders.map(({ points }) => (n > points.at(-1).n ? Infinity : Math.abs(y(lossAt(points, n)) - at)));
  const least = Math.min(...far);
  return least < 14 ? far.indexOf(least) : -1;
}

/** The translation of an order with n heads gone, or the nearest one with fewer gone; undefined where there is none. */
export const nearest = (known, order, n) => known.filter((one) => (one.order === order || one.n === 0) && one.n <= n)
  .reduce((best, one) => (!best || one.n > best.n || (one.n === best.n && one.order === order) ? one : best), undefined);

/** Words, each with whether it is none of the other sentence's, in their order (longest common subsequence). */
export function markedWords(text, other) {
  const words = wordsOf(text), others = wordsOf(other), n = words.length, m = others.length;
  const common = Array.from({ length: n + 1 }, () => new Array(m + 1).fill(0));
  for (let i = n - 1; i >= 0; i--) for (let j = m - 1; j >= 0; j--) {
    common[i][j] = words[i] === others[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const marked = [];
  for (let i = 0, j = 0; i < n;) {
    if (j < m && words[i] === others[j]) { marked.push([words[i++], false]); j++; }
    else if (j < m && common[i][j + 1] > common[i + 1][j]) j++;
    else marked.push([words[i++], true]);
  }
  return marked;
}

/** Of every head (kind, layer, head in turn) when it goes, 1 the first; 0: never. */
export function turnsOf(heads, { kinds, n_layers, n_heads }) {
  const turns = new Array(kinds.length * n_layers * n_heads).fill(0);
  heads.forEach(([kind, layer, head], i) => { turns[(kinds.indexOf(kind) * n_layers + layer) * n_heads + head] = i + 1; });
  return turns;
}

/** How many heads of each kind are left. */
export const leftOf = (heads, n, { kinds, n_layers, n_heads }) => kinds.map((kind) =>
  n_layers * n_heads - heads.slice(0, n).filter(([of]) => of === kind).length);

// ------------------------------------------------------------------------------------------------------- the view

const GAP = 18, HEAD = 40, CELL = 18, SIDE = 44;   // SIDE: pixels that the layers' numbers take

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Heads taken out of the model");
    this.over = null;
    this.line = null;   // under the pointer: its order and n
    this.start(["order", "n", "known"]);
  }

  // ---- what is shown

  get chosen() { return this.get("meta").orders[this.get("order")]; }
  get most() { return this.chosen.heads.length; }
  get gone() { return Math.min(this.get("n"), this.most); }

  load() {
    const { orders, text, n_layers } = this.get("meta");
    this.bar = slider("heads gone", { min: 0, step: 1, class: "evi-slider" }, ({ target }) => this.pick({ n: target.valueAsNumber }));
    this.count = span("view-value", "");
    this.picker = choice("Order", orders.map(({ name }, i) => [i, name]), ({ target }) => this.pick({ order: Number(target.value) }));
    this.curve = board({ class: "evi-curve", "aria-label": "Loss as heads go, a line for each order, named where it is pointed "
      + "at. Left and right arrows take heads out and put them back." }, {
      at: (x, y) => (this.axes ? { n: Math.round(this.axes.n(x)), y } : null), look: (found) => this.pointLine(found),
      click: ({ n }) => this.pick({ n: clamp(n, this.most + 1) }), key: ({ key }) => this.step({ ArrowLeft: -1, ArrowRight: 1 }[key]),
    });
    this.heads = board({ class: "evi-heads", "aria-label": "Every head: kinds side by side, a row a layer, dark while it is there. "
      + "Arrow keys walk." }, {
      at: (x, y) => this.headUnder(x, y), look: (found) => this.point(found), click: (found) => this.point(found),
      key: (event) => this.walk(event),
    });
    this.heads.style.height = `${HEAD + n_layers * CELL + 8}px`;
    [this.loss, this.told] = [make("p", { class: "evi-agreed" }), make("p", { class: "view-cell" })];
    this.said = make("p", { class: "view-translation evi-said" });
    const others = orders.length > 1 ? span("view-quiet", " · dashed: other orders, named where you point") : null;
    this.frame(headline(text || "What is left of a model without its heads?"),
      controls(fields("Order", this.picker), fields("Heads gone", this.bar, this.count)),
      this.said, make("div", { class: "evi-maps" }, make("figure", { class: "view-map" },
        span("view-name", "nll over many sentences, nats per token"), others, this.curve),
      make("figure", { class: "view-map" }, span("view-name", "which heads are left"), this.heads)), this.loss, this.told);
  }

  csv() {
    return [["order", "heads gone", "nll", "BLEU"], ...this.get("meta").orders.flatMap(({ name, points }) =>
      points.map(({ n, nll, bleu }) => [name, n, nll, bleu]))];
  }

  pick(changes) {
    this.set(changes);
    this.announce(() => `${this.loss.textContent} ${this.said.textContent}`);
    this.schedule();
  }

  step(by) {
    if (by) this.pick({ n: clamp(this.gone + by, this.most + 1) });
    return Boolean(by);
  }

  point(found) {
    this.over = found;
    this.schedule();
  }

  /** The line that is pointed at is drawn in ink, and named. */
  pointLine(found) {
    const { orders } = this.get("meta"), order = found && found.n >= 0 ? lineAt(orders, found.n, found.y, this.axes.y) : -1;
    this.line = order < 0 ? null : { order, n: found.n };
    this.schedule();
  }

  lineInWords({ order, n }) {
    const { name, points } = this.get("meta").orders[order];
    return `${name}, ${many(n, "head")} gone: nll ${points.some((point) => point.n === n) ? "" : "about "}${written(lossAt(points, n))}`;
  }

  atPointer(canvas) {
    if (canvas === this.curve) return this.line ? this.lineInWords(this.line) : "";
    return this.over ? this.headInWords(this.over) : "";
  }

  walk({ key }) {
    const move = STEPS[key], { kinds, n_layers, n_heads } = this.get("meta");
    if (!move) return false;
    const { row, col } = this.over ?? { row: 0, col: -1 };
    this.over = { row: clamp(row + move[0], n_layers), col: clamp(col + move[1], kinds.length * n_heads) };
    this.announce(this.headInWords(this.over));
    this.schedule();
    return true;
  }

  headInWords({ row, col }) {
    const { kinds, n_heads, n_layers } = this.get("meta"), kind = Math.floor(col / n_heads), head = col % n_heads;
    const turn = turnsOf(this.chosen.heads, this.get("meta"))[(kind * n_layers + row) * n_heads + head];
    const when = turn ? `goes as number ${turn} of ${this.most}` : "never goes in this order";
    return `${kinds[kind]}, layer ${row}, head ${head}: ${when}`;
  }

  // ---- texts and states

  wear() {
    const { kinds } = this.get("meta"), { gone } = this, { points, heads, name } = this.chosen;
    Object.assign(this.bar, { max: this.most, value: gone });
    this.picker.value = this.get("order");
    say(this.count, `${gone} of ${this.most}`);
    const left = leftOf(heads, gone, this.get("meta")).map((n, i) => `${n} ${kinds[i]}`).join(", ");
    const measured = points.find((point) => point.n === gone);
    const bleu = measured?.bleu === undefined || measured.bleu === null ? "" : `, BLEU ${written(measured.bleu)}`;
    say(this.loss, `${name}: nll ${measured ? "" : "about "}${written(lossAt(points, gone))}${bleu}, whole ${written(points[0].nll)}. `
      + `Left: ${left}.`);
    say(this.told, this.over ? this.headInWords(this.over) : "Point to a head to see when it goes.");
    this.wearSaid();
    Object.assign(this.root.dataset, { order: this.get("order"), n: gone });
  }

  wearSaid() {
    const known = this.get("known"), now = nearest(known, this.get("order"), this.gone), whole = known.find(({ n }) => n === 0);
    if (!now) return this.said.replaceChildren();
    const exact = now.n === this.gone && (now.order === this.get("order") || now.n === 0);
    const note = exact ? "" : this.connected ? " translating …" : ` (with ${now.n} gone, the nearest that is kept here)`;
    const words = markedWords(now.translation, whole?.translation ?? now.translation).flatMap(([word, isNew]) =>
      [isNew ? make("mark", {}, word) : make("span", {}, word), " "]);
    this.said.replaceChildren(span("view-quiet", "→ "), ...(words.length ? words : ["(nothing)"]), span("view-quiet", note));
    this.root.dataset.translation = exact ? now.translation : "";
    return undefined;
  }

  // ---- painting

  paint() {
    const curve = prepared(this.curve), heads = prepared(this.heads);
    if (curve) this.paintCurve(curve);
    if (heads) this.paintHeads(heads);
  }

  paintCurve({ ctx, width, height }) {
    const { orders } = this.get("meta"), all = orders.flatMap(({ points }) => points), high = Math.max(...all.map(({ nll }) => nll));
    const wide = Math.max(...all.map(({ n }) => n), 1), [left, right, top, bottom] = [44, width - 12, 12, height - 28];
    const x = (n) => left + ((right - left) * n) / wide, y = (nll) => bottom - ((bottom - top) * nll) / high;
    this.axes = { n: (at) => ((at - left) * wide) / (right - left), y };
    Object.assign(ctx, { strokeStyle: this.look.line, lineWidth: 1 });
    for (let tick = 0; tick <= high; tick += high > 6 ? 2 : 1) {
      stroke(ctx, [[left, y(tick)], [right, y(tick)]]);
      label(ctx, String(tick), left - 6, y(tick), `12px ${SANS}`, this.look.quiet, "right");
    }
    for (let n = 0; n <= wide; n += wide > 60 ? 24 : 6) label(ctx, String(n), x(n), bottom + 14, `12px ${SANS}`, this.look.quiet, "center");
    orders.forEach(({ points }, i) => { if (i !== this.get("order")) this.drawLine(ctx, points, x, y, this.look.quiet, 1); });
    this.drawLine(ctx, this.chosen.points, x, y, this.look.query, 2.5);
    if (this.line && this.line.order !== this.get("order")) this.drawLine(ctx, orders[this.line.order].points, x, y, this.look.ink, 2);
    ctx.fillStyle = this.look.ink;
    disc(ctx, x(this.gone), y(lossAt(this.chosen.points, this.gone)), 5);
  }

  drawLine(ctx, points, x, y, colour, thick) {
    Object.assign(ctx, { strokeStyle: colour, lineWidth: thick });
    ctx.setLineDash(thick > 1 ? [] : [4, 3]);
    stroke(ctx, points.map(({ n, nll }) => [x(n), y(nll)]));
    ctx.setLineDash([]);
  }

  cellAt(row, col) {
    const { n_heads } = this.get("meta");
    return [SIDE + col * CELL + Math.floor(col / n_heads) * GAP, HEAD + row * CELL];
  }

  headUnder(x, y) {
    const { kinds, n_layers, n_heads } = this.get("meta"), row = Math.floor((y - HEAD) / CELL);
    const col = Array.from({ length: kinds.length * n_heads }, (_, i) => i).find((i) => {
      const [left] = this.cellAt(0, i);
      return x >= left && x < left + CELL;
    });
    return row >= 0 && row < n_layers && col !== undefined ? { row, col } : null;
  }

  paintHeads({ ctx }) {
    const { kinds, n_layers, n_heads } = this.get("meta"), turns = turnsOf(this.chosen.heads, this.get("meta"));
    label(ctx, "layer", 2, 30, `11px ${MONO}`, this.look.quiet);
    for (let layer = 0; layer < n_layers; layer++) {
      label(ctx, String(layer), SIDE - 8, HEAD + (layer + 0.5) * CELL, `11px ${MONO}`, this.look.quiet, "right");
    }
    kinds.forEach((kind, k) => {
      const [x] = this.cellAt(0, k * n_heads);
      ctx.font = `600 13px ${SANS}`;
      label(ctx, fitted(ctx, kind, n_heads * CELL), x, 12, ctx.font, this.look.ink);
      for (let head = 0; head < n_heads; head++) {
        label(ctx, String(head), x + (head + 0.5) * CELL, 30, `11px ${MONO}`, this.look.quiet, "center");
        for (let layer = 0; layer < n_layers; layer++) this.paintHead(ctx, layer, k * n_heads + head, turns);
      }
    });
  }

  paintHead(ctx, row, col, turns) {
    const { n_layers, n_heads } = this.get("meta"), kind = Math.floor(col / n_heads), [x, y] = this.cellAt(row, col);
    const turn = turns[(kind * n_layers + row) * n_heads + (col % n_heads)], isGone = turn > 0 && turn <= this.gone;
    ctx.fillStyle = isGone ? this.look.page : this.look.query;
    ctx.fillRect(x + 1, y + 1, CELL - 2, CELL - 2);
    Object.assign(ctx, { strokeStyle: this.over?.row === row && this.over.col === col ? this.look.key : this.look.line, lineWidth: 1.5 });
    ctx.strokeRect(x + 1.5, y + 1.5, CELL - 3, CELL - 3);
    if (isGone) stroke(ctx, [[x + 4, y + CELL - 4], [x + CELL - 4, y + 4]]);
  }
}

/** What the controls do, by name or class. */
const HINTS = { "Order": "which heads go first", "heads gone": "how many heads are taken out of the model" };

export default widget(View, HINTS);
