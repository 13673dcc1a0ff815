// The beside view: one head in two readings, its two maps and the second less the first where tokens align.
//
// Bytes: for the first reading, then the second, each of meta.kinds, round(255 √weight) in C order [layer][head][query][key]. A kind's
// rows and columns pair the tokens of the two, null where one has no partner; the pointer and the pin are places in these.

import {
  MONO, STEPS, Stage, WEIGHT, board, bytesOf, choice, clamp, controls, field, fields, floatsOf, headline, hit, level, make,
  many, mapLabels, mapLayout, missing, paintCells, paintGrid, paintScale, prepared, say, slider, small, span, stroke, table,
  visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Cut the bytes of both readings into one array for each kind: [{ cross: …, … }, { … }]; refuses a wrong length. */
export function unpackPair(data, { kinds, n_layers, n_heads }) {
  const bytes = bytesOf(data), pair = [{}, {}];
  let start = 0;
  pair.forEach((arrays, n) => {
    for (const { name, queries, keys } of kinds) {
      const size = n_layers * n_heads * queries[n].length * keys[n].length;
      arrays[name] = bytes.subarray(start, start += size);
    }
  });
  if (start !== bytes.length) throw new Error(`${bytes.length} bytes came, the shapes need ${start}`);
  return pair;
}

/** The mean of some maps, cell by cell. */
export const meanOf = (maps) => maps[0].map((_, i) => maps.reduce((sum, map) => sum + map[i], 0) / maps.length);

/** Second less first for each row and column that both have, NaN for the others; widths: of a row of each. */
export function differenceOf([first, second], rows, columns, [wide, wider]) {
  return Float32Array.from(rows.flatMap(([i, k]) => columns.map(([j, n]) =>
    ([i, k, j, n].some(missing) ? NaN : second[k * wider + n] - first[i * wide + j]))));
}

/** Where one reading's tokens stand on an axis: of each place the place on the axis. */
export const placesOf = (axis, which) => axis.flatMap((pair, at) => (missing(pair[which]) ? [] : [at]));

/** The colour's number of a difference from −1 to 1, 128 for none. */
export const shadeOf = (gap) => 128 + Math.round(128 * Math.min(1, Math.max(-1, gap)));

/** The cell where two maps differ most: its place, -1 where they differ nowhere. */
export const largestOf = (gaps) => gaps.reduce((best, gap, at) => (Math.abs(gap) > (best < 0 ? 0 : Math.abs(gaps[best])) ? at : best), -1);

const LACKS = "≠ ", NAMES = ["first", "second"];

/** What a row is called in one reading's map, or, where both stand, which = null. */
export function rowName({ queries, predicts }, row, which = null) {
  const there = [0, 1].filter((n) => !missing(row[n]) && (which === null || n === which)), alone = row.some(missing);
  const sign = !alone ? "" : which === null ? `${there[0] + 1}: ` : LACKS, query = visible(queries[there[0]][row[there[0]]]);
  if (!predicts) return sign + query;
  const says = [0, 1].filter((n) => !missing(row[n])).map((n) => visible(predicts[n][row[n]])), differs = new Set(says).size > 1;
  if (which === null) return `${sign}${query} → ${[...new Set(says)].join(" / ")}`;
  return `${sign}${query} → ${differs ? LACKS : ""}${visible(predicts[which][row[which]])}`;
}

/** What a column is called in one reading's map, or, where both stand, which = null. */
export function columnName({ keys }, column, which = null) {
  const there = [0, 1].find((n) => !missing(column[n]) && (which === null || n === which));
  return (!column.some(missing) ? "" : which === null ? `${there + 1}: ` : LACKS) + visible(keys[there][column[there]]);
}

/** The heads in `off` with those of a layer taken out, or, if they were all out, put back. */
export function switchedOff(off, kind, layer, heads) {
  const same = (head) => ([k, l, h]) => k === kind && l === layer && h === head, out = heads.every((head) => off.some(same(head)));
  const others = off.filter((place) => !heads.some((head) => same(head)(place)));
  return out ? others : [...others, ...heads.map((head) => [kind, layer, head])];
}

const LEAST = 14.5, LARGEST = 26, BEYOND = 14, GAP = 18;   // pixels of a cell in which words can be read, and what is left free
const STEEP = Math.PI / 2;   // how columns' names stand

/** How many of three maps stand side by side, and the size of all cells; needs: of each what its names take, and its columns. */
export function arranged(needs, width) {
  for (const n of [3, 2, 1]) {
    const lefts = needs.map(({ left }) => left);   // whole, also where a map is then wider than a phone, and scrolls
    const free = (which) => width - GAP * (which.length - 1) - which.reduce((total, at) => total + lefts[at] + BEYOND, 0);
    const rows = { 3: [[0, 1, 2]], 2: [[0, 1], [2]], 1: [[0], [1], [2]] }[n];
    const cell = Math.min(...rows.map((row) => free(row) / row.reduce((total, at) => total + needs[at].count, 0)));
    if (cell < LEAST && n > 1) continue;
    const size = Math.max(LEAST, Math.min(LARGEST, Math.floor(2 * cell) / 2));
    const widths = rows[0].map((at) => Math.round(lefts[at] + BEYOND + cell * needs[at].count));
    return { across: { n, lefts, widths: n > 1 ? widths : [1] }, cell: size };
  }
  return null;
}

// ------------------------------------------------------------------------------------------------------ the view

const MUCH = 0.5;   // nats
const AT_FIRST = "Point at a row or a cell; click to keep the row, in all three.";
const sum = (values) => values.reduce((total, value) => total + value, 0);

/** A sentence's words, those marked that the other sentence lacks. */
const markedWords = (list) => list.flatMap(([word, differs]) => [make(differs ? "mark" : "span", {}, word), " "]);

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Two readings side by side");
    this.over = null;
    this.start(["data", "kind", "layer", "head", "pin", "second", "off"]);
  }

  // ---- what is shown

  get kind() { return this.get("meta").kinds.find(({ name }) => name === this.get("kind")); }
  get layer() { return clamp(this.get("layer"), this.get("meta").n_layers); }
  get heads() {
    const { n_heads } = this.get("meta"), head = this.get("head");
    return head < 0 ? Array.from({ length: n_heads }, (_, h) => h) : [clamp(head, n_heads)];
  }
  get isOut() {
    const off = this.get("off").map(String);
    return this.heads.every((head) => off.includes(String([this.kind.name, this.layer, head])));
  }

  /** The pinned row's place on the axis of rows; -1: none. */
  get pinned() {
    const [which, place] = this.get("pin");
    return missing(which) ? -1 : this.kind.rows.findIndex((row) => row[which] === place);
  }

  /** The two maps and their difference, worked out once. */
  work() {
    const { kind, layer, heads } = this, state = [kind.name, layer, heads].join();
    if (this.worked === state) return;
    if (this.over && kind.name !== this.workedKind) this.over = null;
    this.workedKind = kind.name;
    this.worked = state;
    const widths = kind.keys.map((keys) => keys.length);
    this.isExact = heads.every((head) => this.exact.has([kind.name, layer, head].join()));
    this.maps = [0, 1].map((n) => meanOf(heads.map((head) => this.mapOf(kind, layer, head, n))));
    this.gaps = differenceOf(this.maps, kind.rows, kind.columns, widths);
    this.axes = { rows: [0, 1].map((n) => placesOf(kind.rows, n)), columns: [0, 1].map((n) => placesOf(kind.columns, n)) };
    if (!this.isExact) this.ask(kind.name, layer, heads);
  }

  mapOf({ name, queries, keys }, layer, head, n) {
    const exact = this.exact.get([name, layer, head].join());
    if (exact) return exact[n];
    const size = queries[n].length * keys[n].length, start = (layer * this.get("meta").n_heads + head) * size;
    return Float32Array.from(this.pair[n][name].subarray(start, start + size), (byte) => WEIGHT[byte]);
  }

  /** Ask, once, for the float32 maps behind the numbers shown. */
  ask(kind, layer, heads) {
    const state = [kind, layer, heads].join();
    if (this.asked.has(state) || !this.connected) return;
    this.asked.add(state);
    this.tell({ ask: "maps", kind, layer, heads });
  }

  answered({ answer, kind, layer, heads, error }, buffers) {
    if (answer !== "maps" || error) return;
    const pair = buffers.map(floatsOf), size = (n) => pair[n].length / heads.length;
    heads.forEach((head, at) => this.exact.set([kind, layer, head].join(),
      pair.map((maps, n) => maps.subarray(at * size(n), (at + 1) * size(n)))));
    this.worked = "";
  }

  // ---- the page

  load() {
    const { kinds, readings, model } = this.get("meta"), { key, which } = this.root.contains(this.cursor) ? this.cursor.dataset : {};
    this.pair = unpackPair(this.get("data"), this.get("meta"));
    Object.assign(this, { exact: new Map(), asked: new Set(), worked: "", over: null });
    this.boards = [0, 1, null].map((which) => this.board(which));
    this.titles = this.boards.map(() => span("view-name", ""));
    this.notes = this.boards.map(() => make("div", { class: "view-note" }));
    this.told = make("p", { class: "view-cell bes-told" });
    this.cost = make("p", { class: "bes-cost" });
    this.listed = make("div", { class: "view-wide", tabindex: 0, role: "region", "aria-label": "The first translation, token by token" });
    this.figures = this.boards.map((canvas, n) => make("figure", { class: "view-map bes-figure" },
      n < 2 ? this.reading(readings[n], n) : this.summary(), this.titles[n], this.notes[n], make("div", {}, canvas)));
    this.grid = make("div", { class: "bes-maps" }, ...this.figures);
    this.frame(headline("The same head in two readings"),
      controls(this.tabs("attention", "kind", kinds.map(({ name, title }) => [name, title]),
        { open: (kind) => this.pick({ kind, pin: [] }) })),
      this.controls(), ...(model ? [this.settings()] : []),
      this.grid, this.told, this.cost, this.listed);
    const same = ({ dataset }) => (key && dataset.key === key) || (which && dataset.which === which);   // the keyboard stays where it was
    [...this.root.querySelectorAll("[data-key], [data-which]")].find(same)?.focus({ preventScroll: true });
  }

  reading({ text, translation, log_prob }, n) {
    return make("div", { class: "bes-reading" }, make("p", {}, span("view-quiet", `${NAMES[n]} `), ...markedWords(text)),
      make("p", { class: "view-translation" }, span("view-quiet", "→ "), ...markedWords(translation)),
      make("p", { class: "view-small" }, `log-probability ${written(sum(log_prob))}`));
  }

  summary() { return this.most = make("div", { class: "bes-reading" }); }

  controls() {
    const { n_layers, n_heads } = this.get("meta");
    this.bar = slider("Layer", { min: 0, max: n_layers - 1, step: 1, class: "view-layer" },
      ({ target }) => this.pick({ layer: target.valueAsNumber }));
    this.barValue = make("output", { class: "view-value" });
    this.picker = choice("Head", [...Array.from({ length: n_heads }, (_, h) => [h, `head ${h}`]), [-1, `mean of all ${n_heads}`]],
      ({ target }) => this.pick({ head: Number(target.value) }));
    return controls(field("Layer", this.bar, this.barValue), field("Head", this.picker));
  }

  /** What the second reading is: of which sentence, and without which heads; what is typed stays when the view is made anew. */
  settings() {
    this.input ??= make("input", { type: "text", class: "bes-input", "aria-label": "Second sentence", "data-key": "second",
      placeholder: "the first sentence once more", maxlength: 1000, onchange: ({ target }) => this.pick({ second: target.value.trim() }) });
    this.out = make("input", { type: "checkbox", "data-key": "out", onchange: () =>
      this.pick({ off: switchedOff(this.get("off"), this.kind.name, this.layer, this.heads) }) });
    this.outText = span("", "");
    this.back = make("button", { type: "button", class: "view-chip", "data-key": "back", onclick: () => this.pick({ off: [] }) }, "");
    return controls(field("Second sentence", this.input),
      fields("In the second", make("span", { class: "view-options" }, make("label", {}, this.out, this.outText)), this.back));
  }

  board(which) {
    const shows = which === null ? "The second reading's weights less the first's" : `Map of the ${NAMES[which]} reading`;
    return board({ class: "bes-map", "data-which": which === null ? "difference" : NAMES[which],
      "aria-label": `${shows}: rows are queries, columns keys. Arrow keys walk, Enter keeps the row, in all three.` }, {
      at: (x, y) => this.placeAt(which, x, y), look: (place) => this.point(place),
      click: ({ row }) => this.keep(row, which), key: (event) => this.walk(event, which),
    });
  }

  // ---- what the hand does

  pick(changes) {
    this.set(changes);
    this.announce(() => `${this.titles[2].textContent}. ${this.most.textContent}`);
    this.schedule();
  }

  /** Places on the axes of what one map shows, or of all. */
  axisOf(which, name) {
    this.work();
    return which === null ? this.kind[name].map((_, at) => at) : this.axes[name][which];
  }

  placeAt(which, x, y) {
    const layout = this.layouts?.[which ?? 2];
    if (!layout) return null;
    const { row, col } = hit(layout, x, y), at = (place, name) => (place < 0 ? -1 : this.axisOf(which, name)[place]);
    return row < 0 && col < 0 ? null : { row: at(row, "rows"), col: at(col, "columns") };
  }

  point(place) {
    this.over = place;
    this.schedule();
  }

  /** Keep a row in sight, or, if it was kept, no more. */
  keep(row, which) {
    if (row < 0) return;
    const pair = this.kind.rows[row], n = which ?? (missing(pair[0]) ? 1 : 0), kept = row !== this.pinned;
    this.set({ pin: kept ? [n, pair[n]] : [] });
    this.announce(kept ? this.rowInWords(row) : "no row is kept");
    this.schedule();
  }

  walk({ key }, which) {
    const move = STEPS[key], from = this.over ?? { row: this.pinned, col: -1 };
    if (key === "Enter" && from.row >= 0) { this.keep(from.row, which); return true; }
    if (!move) return false;
    const step = (name, place, by) => {
      const axis = this.axisOf(which, name), at = axis.findIndex((there) => there >= place);
      return axis[clamp(Math.max(at, 0) + (place < 0 ? 0 : by), axis.length)];
    };
    this.over = { row: step("rows", from.row, move[0]), col: step("columns", from.col, move[1]) };
    this.announce(this.cellInWords(this.over));
    this.schedule();
    return true;
  }

  atPointer() { return this.over ? this.told.textContent : ""; }

  // ---- texts and states

  weightAt(n, row, col) { return this.maps[n][row * this.kind.keys[n].length + col]; }

  /** A cell in words: the weight in each reading, and what became of it. */
  cellInWords({ row, col }) {
    const { kind } = this, pairs = [kind.rows[row], kind.columns[col]];
    const place = `${rowName(kind, pairs[0])}, ${columnName(kind, pairs[1])}`;
    const weights = [0, 1].map((n) => (pairs.some((pair) => missing(pair[n])) ? null : this.weightAt(n, pairs[0][n], pairs[1][n])));
    const says = weights.map((weight, n) => `${NAMES[n]} ${missing(weight) ? "has none" : written(weight, this.isExact)}`).join(", ");
    const gap = this.gaps[row * kind.columns.length + col];
    return `${place}: ${says}${Number.isNaN(gap) ? "; no partner, no difference" : `, second − first ${written(gap, this.isExact)}`}`;
  }

  /** A row in words: what it reads most in each reading. */
  rowInWords(row) {
    const { kind } = this, reads = [0, 1].map((n) => {
      const at = kind.rows[row][n];
      if (missing(at)) return `in the ${NAMES[n]} it has no partner`;
      const weights = kind.keys[n].map((_, col) => this.weightAt(n, at, col)), top = weights.indexOf(Math.max(...weights));
      return `in the ${NAMES[n]} it reads ${visible(kind.keys[n][top])} most, ${written(weights[top], this.isExact)}`;
    });
    return `${rowName(kind, kind.rows[row])}: ${reads.join("; ")}`;
  }

  wear() {
    this.work();
    const { kind, over, heads } = this, off = this.get("off"), several = heads.length > 1;
    const place = `layer ${this.layer}, ${several ? `mean of all ${heads.length} heads` : `head ${heads[0]}`}`;
    const gone = off.length ? `, ${many(off.length, "head")} out` : "";
    this.bar.value = this.layer;
    say(this.barValue, String(this.layer));
    this.picker.value = String(several ? -1 : heads[0]);
    ["the first", `the second${gone}`, "second − first"].forEach((name, n) => say(this.titles[n], `${name}: ${place}`));
    this.wearNotes();
    if (this.input) this.wearSettings(off);
    const most = largestOf(this.gaps), width = kind.columns.length, cell = { row: Math.floor(most / width), col: most % width };
    this.fill(this.most, [this.worked, this.isExact], () => [make("p", {}, most < 0 ? "Where tokens align, the two do not differ."
      : "The largest difference:"), most < 0 ? null : make("p", { class: "bes-most" }, this.cellInWords(cell))]);
    const row = over?.row ?? this.pinned;
    say(this.told, over?.row >= 0 && over.col >= 0 ? this.cellInWords(over) : row >= 0 ? this.rowInWords(row)
      : over?.col >= 0 ? `key ${columnName(kind, kind.columns[over.col])}` : AT_FIRST);
    this.wearCost();
    Object.assign(this.root.dataset, { kind: kind.name, layer: this.layer, heads: heads.join(), pinned: this.pinned,
      exact: this.isExact, largest: most });
  }

  wearNotes() {
    const { rows, columns } = this.kind, alone = (axis, n) => axis.filter((pair) => missing(pair[1 - n])).length;
    for (const n of [0, 1]) {
      const counts = [[alone(rows, n), "row"], [alone(columns, n), "column"]];
      const words = counts.map(([count, name]) => many(count, name)).join(", ");
      say(this.notes[n], `${LACKS}no partner: ${words}`);
    }
    say(this.notes[2], "purple: more in the second, green: less; hatched: no partner");
  }

  wearSettings(off) {
    if (this.input !== this.cursor) this.input.value = this.get("second");
    this.out.checked = this.isOut;
    for (const control of [this.input, this.out, this.back]) control.disabled = !this.connected;
    say(this.outText, this.heads.length > 1 ? "all heads shown taken out" : "the head shown taken out");
    say(this.back, off.length === 1 ? "back in" : `all ${off.length} back in`);
    this.back.hidden = off.length === 0;
  }

  /** What the first translation is worth in the second reading, token by token. */
  wearCost() {
    const { readings: [{ tokens, log_prob }], then } = this.get("meta"), same = then.length === tokens.length;
    const change = sum(then) - sum(log_prob), size = written(Math.abs(change));
    this.cost.hidden = this.listed.hidden = !then.length;
    const unlike = `${size} nats ${change < 0 ? "less" : "more"} likely`, each = same ? "; the log-probability of its tokens:" : ".";
    say(this.cost, change === 0 ? "The first translation is as likely in the second reading."
      : `In the second reading the first translation would be ${unlike}${each}`);
    this.fill(this.listed, [then], () => [same && change !== 0 ? this.list(tokens, log_prob, then) : null]);
  }

  list(tokens, log_prob, then) {
    const cell = (value, big) => make("td", { title: value.toPrecision(8), class: big ? "bes-much" : undefined },
      value.toFixed(2).replace(/^-(?=.*[1-9])/, "−").replace("-", ""));
    const changes = then.map((value, n) => value - log_prob[n]);
    const line = (name, values, much = () => false) => make("tr", {}, make("th", { scope: "row" }, name),
      ...values.map((value) => cell(value, much(value))));
    return table("bes-list", ["", ...tokens.map(visible)], [line("first", log_prob), line("in the second", then),
      line("Δ", changes, (value) => Math.abs(value) > MUCH)]);
  }

  csv() {
    const { kind, layer } = this, head = this.heads.length > 1 ? "mean" : this.heads[0];
    const text = (tokens, place) => (missing(place) ? "" : tokens[place]);
    const cells = kind.rows.flatMap((row, r) => kind.columns.map((column, c) => {
      const weights = [0, 1].map((n) => (missing(row[n]) || missing(column[n]) ? "" : this.weightAt(n, row[n], column[n])));
      const names = [0, 1].flatMap((n) => [text(kind.queries[n], row[n]), text(kind.keys[n], column[n])]);
      const gap = this.gaps[r * kind.columns.length + c];
      return [kind.name, layer, head, ...names, ...weights, Number.isNaN(gap) ? "" : gap];
    }));
    const tokens = ["first query", "first key", "second query", "second key"];
    return [["kind", "layer", "head", ...tokens, "first", "second", "second - first"], ...cells];
  }

  // ---- painting

  /** The names of rows and columns in each of the three pictures. */
  names() {
    const { kind } = this, of = (axis, name, which) => axis.flatMap((pair) =>
      (which !== null && missing(pair[which]) ? [] : [name(kind, pair, which)]));
    return [0, 1, null].map((which) => ({ rows: of(kind.rows, rowName, which), columns: of(kind.columns, columnName, which) }));
  }

  /** Where the three pictures stand: side by side if their words can be read there, the difference below, or all one below the other. */
  measure() {
    const ctx = this.boards[0].getContext("2d"), names = this.names();
    ctx.font = `700 13px ${MONO}`;
    const widest = (list) => Math.max(...list.map((name) => ctx.measureText(name.slice(0, 60)).width));
    const needs = names.map(({ rows, columns }) => ({ left: Math.min(200, widest(rows) + 16), count: columns.length }));
    const top = Math.min(150, Math.max(...names.map(({ columns }) => widest(columns))) + 18);
    const { across, cell } = arranged(needs, this.grid.clientWidth);
    this.grid.style.gridTemplateColumns = across.widths.map((width) => `minmax(0, ${width}fr)`).join(" ");
    this.figures[2].style.gridColumn = across.n === 2 ? "1 / -1" : "";
    this.boards.forEach((canvas, n) => {
      canvas.style.height = `${top + cell * names[n].rows.length + 46}px`;
      canvas.style.minWidth = `${across.lefts[n] + cell * needs[n].count + BEYOND}px`;
    });
    return { lefts: across.lefts, top, cell, names };
  }

  paint() {
    const { lefts, top, cell, names } = this.measure();
    this.layouts = names.map(({ rows, columns }, n) => {
      const [left, layout] = [lefts[n], mapLayout(9999, 9999, rows.length, columns.length, lefts[n], top)];
      return { ...layout, cell, slant: STEEP, right: left + cell * columns.length, bottom: top + cell * rows.length };
    });
    this.boards.forEach((canvas, n) => {
      const page = prepared(canvas);
      if (page) this.paintMap(page.ctx, n, names[n]);
    });
  }

  paintMap(ctx, n, names) {
    const layout = this.layouts[n], { kind, look, over, pinned } = this;
    const [rows, columns] = ["rows", "columns"].map((name) => this.axisOf(n < 2 ? n : null, name));
    const shade = n < 2 ? (weight) => level(weight, 1, false) : (gap) => shadeOf(gap || 0);
    paintCells(ctx, Array.from(this.maps[n] ?? this.gaps, shade), n < 2 ? this.colours : this.signed, layout);
    if (n === 2) this.hatch(ctx, layout);
    paintGrid(ctx, layout, look.line);
    mapLabels(ctx, layout, names.rows.map((name, i) => [name, look.query, [over?.row, pinned].includes(rows[i])]),
      names.columns.map((name, j) => [name, look.key, over?.col === columns[j]]), 13);
    this.outline(ctx, layout, rows.indexOf(pinned), -1, look.query);
    if (over) this.outline(ctx, layout, rows.indexOf(over.row), columns.indexOf(over.col), look.ink);
    this.legend(ctx, layout, n);
  }

  /** Slanted lines over the cells that have no partner. */
  hatch(ctx, { left, top, cell, cols }) {
    ctx.strokeStyle = this.look.quiet;
    ctx.fillStyle = this.look.line;
    ctx.lineWidth = 1;
    this.gaps.forEach((gap, at) => {
      if (!Number.isNaN(gap)) return;
      const x = left + cell * (at % cols), y = top + cell * Math.floor(at / cols);
      ctx.globalAlpha = 0.4;
      ctx.fillRect(x, y, cell, cell);
      ctx.globalAlpha = 0.7;
      stroke(ctx, [[x, y + cell], [x + cell, y]]);
    });
    ctx.globalAlpha = 1;
  }

  /** A frame around a row, and around its cell where there is one. */
  outline(ctx, { left, top, right, bottom, cell }, row, col, colour) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2;
    if (row >= 0) ctx.strokeRect(left - 1, top + row * cell, right - left + 2, cell);
    if (col >= 0) ctx.strokeRect(left + col * cell, row < 0 ? top : top + row * cell, cell, row < 0 ? bottom - top : cell);
  }

  legend(ctx, { left, bottom }, n) {
    const [scale, ends] = n < 2 ? [this.look.weights, ["0", "1"]] : [this.look.differences, ["−1", "1"]];
    paintScale(ctx, scale, [left, bottom + 12], ends, this.look);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Layer": "the layer whose head both maps show, counted from 0", "Head": "one head, or the mean of all of the layer",
  "Second sentence": "another sentence, and Enter; empty: the first once more",
  "the head shown taken out": "take it out of the model in the second reading, which translates again",
  "all heads shown taken out": "take the layer's heads out of the model in the second reading, which translates again",
  "Encoder self-attention": "source pieces read source pieces",
  "Decoder self-attention": "target pieces read target pieces up to themselves",
  "Cross-attention": "target pieces read source pieces",
};

export default widget(View, HINTS);
