// The geometry view: the queries and keys of one head as points of the plane whose dot products come nearest to its scores.
//
// Bytes: of each of meta.kinds float32 scores q · k / √d_k in C order [layer][head][query][key], also those that a mask hides. Of
// these the plane is worked out here, by a singular value decomposition; tests/geometry.test.js holds it against torch's.

import {
  MONO, STEPS, Stage, board, choice, clamp, controls, disc, field, fields, floatsOf, headline, hit, label, level, make, mapLabels,
  mapLayout, missing, number, paintCells, paintGrid, paintScale, prepared, say, slider, span, stroke, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Cut the numbers into one array for each kind; refuses a wrong length. */
export function cutByKind(numbers, { kinds, n_layers, n_heads }) {
  let start = 0;
  const parts = kinds.map(({ name, queries, keys }) => {
    const size = n_layers * n_heads * queries.length * keys.length;
    return [name, numbers.subarray(start, start += size)];
  });
  if (start !== numbers.length) throw new Error(`${numbers.length} scores came, the shapes need ${start}`);
  return Object.fromEntries(parts);
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const dotOf = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);
const rowsOf = (numbers, cols) =>
  Array.from({ length: numbers.length / cols }, (_, i) => Array.from(numbers.subarray(i * cols, (i + 1) * cols)));

/** Rows of scores once the mean key is subtracted from each key: each row less its mean. */
export const centred = (rows) => rows.map((row) => { const mean = sum(row) / row.length; return row.map((score) => score - mean); });

/** The softmax of a row over the keys [first, end) that it may look at. */
export function softmaxOf(row, [first, end]) {
  const open = row.slice(first, end), top = Math.max(...open), total = sum(open.map((score) => Math.exp(score - top)));
  return row.map((score, j) => (j >= first && j < end ? Math.exp(score - top) / total : 0));
}

/** Turn two columns until they stand upright on each other, and what belongs to them alike; whether they had to be turned. */
function turnedPair([x, y], others) {
  let [a, b, c] = [0, 0, 0];
  for (let i = 0; i < x.length; i++) { a += x[i] * x[i]; b += y[i] * y[i]; c += x[i] * y[i]; }
  if (Math.abs(c) <= 1e-15 * Math.sqrt(a * b) || Math.abs(c) < 1e-200) return false;
  const zeta = (b - a) / (2 * c), tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent), sine = cosine * tangent;
  for (const [left, right] of [[x, y], others]) {
    for (let i = 0; i < left.length; i++) {
      const before = left[i];
      left[i] = cosine * before - sine * right[i];
      right[i] = sine * before + cosine * right[i];
    }
  }
  return true;
}

/** The singular values of some rows, largest first, with left and right vectors of each: by Jacobi's rotations (Hestenes, 1958). */
export function singular(rows) {
  const across = rows[0].map((_, j) => rows.map((row) => row[j])), wide = rows[0].length > rows.length;
  const columns = (wide ? rows : across).map((column) => Float64Array.from(column)), n = columns.length;
  const others = columns.map((_, i) => Float64Array.from({ length: n }, (__, j) => Number(i === j)));
  for (let sweep = 0, moves = true; moves && sweep < 60; sweep++) {
    moves = false;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) moves = turnedPair([columns[p], columns[q]], [others[p], others[q]]) || moves;
    }
  }
  return columns.map((column, i) => {
    const value = Math.sqrt(dotOf(column, column)), unit = column.map((part) => (value > 0 ? part / value : 0));
    const [left, right] = wide ? [others[i], unit] : [unit, others[i]];
    return { value, left: [...left], right: [...right] };
  }).sort((one, other) => other.value - one.value);
}

/** The best plane for rows of scores: points of queries and keys, [x, y], and the share of the squared scores that it holds; share of
 * its first axis alone: line. As studies.geometry.plane_of. */
export function planeOf(rows) {
  const parts = singular(rows), whole = sum(parts.map(({ value }) => value ** 2)), none = { value: 0 };
  const axes = [0, 1].map((n) => {
    const { value, left, right } = parts[n] ?? none, size = Math.sqrt(value);
    if (!value) return { left: rows.map(() => 0), right: rows[0].map(() => 0) };
    const far = right.reduce((best, x, j) => (Math.abs(x) > Math.abs(right[best]) ? j : best), 0), sign = right[far] < 0 ? -size : size;
    return { left: left.map((x) => x * sign), right: right.map((x) => x * sign) };
  });
  const [share, line] = [2, 1].map((n) => (whole > 0 ? sum(parts.slice(0, n).map(({ value }) => value ** 2)) / whole : 1));
  const points = (side) => axes[0][side].map((x, i) => [x, axes[1][side][i]]);
  return { queries: points("left"), keys: points("right"), share, line };
}

/** Of a chosen row its keys that may be read, first those with the largest score in the plane: [{ at, near, exact, weight, guess }];
 * guess: the weight that the plane's scores give. */
export function keysInOrder(near, exact, span) {
  const weights = softmaxOf(exact, span), guesses = softmaxOf(near, span);
  const rows = near.map((score, at) => ({ at, near: score, exact: exact[at], weight: weights[at], guess: guesses[at] }));
  return rows.slice(...span).sort((one, other) => other.near - one.near || one.at - other.at);
}

/** Tokens as names: where one comes again, each with the number of its place below it. */
export function tokenNames(tokens) {
  const below = (place) => [...String(place)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");
  return tokens.map((token, at) => visible(token) + (tokens.indexOf(token) === tokens.lastIndexOf(token) ? "" : below(at + 1)));
}

const MARK = 7;   // pixels around the middle of a mark that no name may cover
const SIDES = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]];

const meet = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];

/** Where names stand beside their marks, none upon another or upon a mark: of each its box [left, top, right, bottom], null where there
 * is no room. marks: [x, y]; sizes: of the names, the most important first. */
export function placesFor(marks, sizes, [width, height]) {
  const taken = marks.map(([x, y]) => [x - MARK, y - MARK, x + MARK, y + MARK]);
  return sizes.map(([wide, high], i) => {
    for (const far of [MARK + 1, 19, 32, 46]) {
      for (const [across, down] of SIDES) {
        const x = marks[i][0] + across * (far + wide / 2), y = marks[i][1] + down * (far + high / 2);
        const box = [x - wide / 2, y - high / 2, x + wide / 2, y + high / 2];
        const within = box[0] >= 0 && box[1] >= 0 && box[2] <= width && box[3] <= height;
        if (within && !taken.some((other) => meet(box, other))) { taken.push(box); return box; }
      }
    }
    return null;
  });
}

/** From points to pixels, one scale for both axes, the origin in sight. */
export function fittedTo(points, [width, height], margin) {
  const ends = [0, 1].map((axis) => [0, ...points.map((point) => point[axis])]).map((values) => [Math.min(...values), Math.max(...values)]);
  const rooms = [width - 2 * margin[0], height - 2 * margin[1]], spans = ends.map(([low, high]) => high - low);
  const unit = Math.min(...spans.map((long, axis) => (long > 0 ? rooms[axis] / long : Infinity))), scale = Number.isFinite(unit) ? unit : 1;
  const [cx, cy] = ends.map(([low, high]) => (low + high) / 2);
  return ([x, y]) => [width / 2 + scale * (x - cx), height / 2 - scale * (y - cy)];
}

/** Where a line through a point leaves a box, both ways: two points; direction [dx, dy], not both 0. */
export function throughBox([x, y], [dx, dy], [width, height]) {
  const reach = (sign) => Math.min(...[[x, sign * dx, width], [y, sign * dy, height]]
    .map(([at, step, end]) => (step > 0 ? (end - at) / step : step < 0 ? -at / step : Infinity)));
  return [-1, 1].map((sign) => { const t = sign * Math.max(0, reach(sign)); return [x + t * dx, y + t * dy]; });
}

/** The foot of a point on the line through the origin along a direction. */
export const footOn = (point, along) => {
  const share = dotOf(point, along) / dotOf(along, along);
  return along.map((part) => share * part);
};

// ------------------------------------------------------------------------------------------------------ the view

const FONT = 13, HIGH = [340, 460], MARGIN = [58, 26], NEAR = 22;   // NEAR: pixels from a mark within which a hand means it
const STEEP = Math.PI / 2.2;   // how columns' names stand
const AT_FIRST = "Point at a mark or a cell; click a query to see its line.";
const largest = (values) => values.reduce((best, value, at) => (value > values[best] ? at : best), 0);
const percent = (share) => `${(100 * share).toFixed(0)} %`;

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Queries and keys in a plane");
    this.over = null;   // { query, key }, either -1
    this.start(["kind", "layer", "head", "query", "centred", "map"]);
  }

  // ---- what is shown

  get kind() { return this.get("meta").kinds.find(({ name }) => name === this.get("kind")); }
  get layer() { return clamp(this.get("layer"), this.get("meta").n_layers); }
  get head() { return clamp(this.get("head"), this.get("meta").n_heads); }

  /** The query whose line is drawn; -1: none. */
  get query() { return Math.min(this.get("query"), this.kind.queries.length - 1); }

  /** The scores, the plane and its scores, worked out once. */
  work() {
    const { kind, layer, head } = this, state = [kind.name, layer, head, this.get("centred")].join();
    if (this.worked === state) return;
    if (this.over && kind.name !== this.workedKind) this.over = null;
    Object.assign(this, { worked: state, workedKind: kind.name });
    const [T, S] = [kind.queries.length, kind.keys.length], start = (layer * this.get("meta").n_heads + head) * T * S;
    const raw = rowsOf(this.scores[kind.name].subarray(start, start + T * S), S), less = centred(raw);
    this.exact = this.get("centred") ? less : raw;
    this.plane = planeOf(this.exact);
    this.near = this.plane.queries.map((query) => this.plane.keys.map((key) => dotOf(query, key)));
    this.spans = kind.allowed ?? kind.queries.map(() => [0, S]);
    const weights = [raw, less].map((rows) => rows.map((row, t) => softmaxOf(row, this.spans[t])));
    this.unmoved = Math.max(...weights[0].flatMap((row, t) => row.map((weight, j) => Math.abs(weight - weights[1][t][j]))));
    this.top = Math.max(1e-9, ...this.exact.flat().map(Math.abs));
    this.names = { queries: tokenNames(kind.queries), keys: tokenNames(kind.keys) };
  }

  mayLook(query, key) { const [first, end] = this.spans[query]; return key >= first && key < end; }

  /** The keys of the chosen query, first the largest in the plane. */
  get order() { return this.query < 0 ? [] : keysInOrder(this.near[this.query], this.exact[this.query], this.spans[this.query]); }

  // ---- the page

  load() {
    const { kinds, title } = this.get("meta");
    this.scores = cutByKind(floatsOf(this.get("data")), this.get("meta"));
    Object.assign(this, { worked: "", over: null });
    this.points = board({ class: "geo-plane", "aria-label": "The plane: queries are circles, keys squares. Arrow keys up and down choose "
      + "the query whose line is drawn, left and right walk its keys in the order along the line; Enter lets the line go." }, {
      at: (x, y) => this.markAt(x, y), look: (place) => this.point(place), click: ({ query }) => this.choose(query),
      key: (event) => this.walkLine(event),
    });
    this.cells = board({ class: "geo-map", "aria-label": "Scores: rows are queries, columns keys. Arrow keys walk, Enter chooses the "
      + "row's query." }, {
      at: (x, y) => this.cellAt(x, y), look: (place) => this.point(place), click: ({ query }) => this.choose(query),
      key: (event) => this.walkCells(event),
    });
    [this.planeName, this.mapName] = [span("view-name", ""), span("view-name", "")];
    [this.planeNote, this.mapNote, this.unseen] = Array.from({ length: 3 }, () => make("div", { class: "view-note" }));
    this.told = make("p", { class: "view-cell geo-told" });
    this.listed = make("div", { class: "view-wide geo-listed", tabindex: 0, role: "region", "aria-label": "The keys of the chosen query" });
    const figure = (name, note, canvas) => make("figure", { class: "view-map" }, name, note, make("div", {}, canvas));
    this.frame(headline(title || "One head's queries and keys"), ...(kinds.length > 1 ? [controls(this.tabs("attention", "kind",
      kinds.map((kind) => [kind.name, kind.title]), { open: (kind) => this.pick({ kind }) }))] : []),
    this.controls(), this.unseen,
    make("div", { class: "geo-both" }, figure(this.planeName, this.planeNote, this.points),
      make("div", {}, figure(this.mapName, this.mapNote, this.cells))), this.told, this.listed);
  }

  controls() {
    const { n_layers, n_heads } = this.get("meta"), check = (text, act) => {
      const input = make("input", { type: "checkbox", "data-key": text, onchange: ({ target }) => act(target.checked) });
      return [input, make("span", { class: "view-options" }, make("label", {}, input, text))];
    };
    this.bar = slider("Layer", { min: 0, max: n_layers - 1, step: 1, class: "view-layer" },
      ({ target }) => this.pick({ layer: target.valueAsNumber }));
    this.barValue = make("output", { class: "view-value" });
    this.picker = choice("Head", Array.from({ length: n_heads }, (_, h) => [h, `head ${h}`]),
      ({ target }) => this.pick({ head: Number(target.value) }));
    this.shown = choice("Map", [["exact", "the head's scores"], ["plane", "the plane's scores"]],
      ({ target }) => this.pick({ map: target.value }));
    const [input, box] = check("mean key subtracted", (on) => this.pick({ centred: on }));
    this.less = input;
    return controls(field("Layer", this.bar, this.barValue), field("Head", this.picker), field("Map", this.shown), fields("Keys", box));
  }

  // ---- what the hand does

  pick(changes) {
    this.set(changes);
    this.announce(() => this.planeName.textContent);
    this.schedule();
  }

  point(place) {
    this.over = place;
    this.schedule();
  }

  /** Draw a query's line, or, if it was drawn, no more. */
  choose(query) {
    if (missing(query) || query < 0) return;
    this.set({ query: query === this.query ? -1 : query });
    this.announce(() => (this.query < 0 ? "no line" : this.rowInWords(this.query)));
    this.schedule();
  }

  /** The nearest mark to a point of the plane. */
  markAt(x, y) {
    const near = (this.marks ?? []).map(({ at: [a, b], ...mark }) => ({ far: Math.hypot(a - x, b - y), ...mark }))
      .concat((this.boxes ?? []).flatMap(({ box: [left, top, right, bottom], ...mark }) =>
        (x >= left && x <= right && y >= top && y <= bottom ? [{ far: 1, ...mark }] : [])));
    const { far, side, i } = near.reduce((best, mark) => (mark.far < best.far ? mark : best), { far: NEAR, side: "", i: -1 });
    return far < NEAR ? { query: side === "queries" ? i : -1, key: side === "keys" ? i : -1 } : { query: -1, key: -1 };
  }

  cellAt(x, y) {
    if (!this.layout) return null;
    const { row, col } = hit(this.layout, x, y);
    return row < 0 && col < 0 ? null : { query: row, key: col };
  }

  walkLine({ key }) {
    const step = STEPS[key], { length } = this.kind.queries, { query } = this;
    if (key === "Enter" && query >= 0) { this.choose(query); return true; }
    if (!step) return false;
    if (step[0] || query < 0) {
      this.over = null;
      this.set({ query: query < 0 ? 0 : clamp(query + step[0], length) });
      this.announce(() => this.rowInWords(this.query));
    } else {
      const { order } = this, at = order.findIndex(({ at: place }) => place === this.over?.key);
      this.over = { query: -1, key: order[at < 0 ? 0 : clamp(at + step[1], order.length)].at };
      this.announce(() => this.cellInWords(this.query, this.over.key));
    }
    this.schedule();
    return true;
  }

  walkCells({ key }) {
    const step = STEPS[key], { queries, keys } = this.kind, from = this.over ?? { query: this.query, key: -1 };
    if (key === "Enter" && from.query >= 0) { this.choose(from.query); return true; }
    if (!step) return false;
    const next = (place, by, n) => clamp(Math.max(place, 0) + (place < 0 ? 0 : by), n);
    this.over = { query: next(from.query, step[0], queries.length), key: next(from.key, step[1], keys.length) };
    this.announce(this.cellInWords(this.over.query, this.over.key));
    this.schedule();
    return true;
  }

  atPointer() { return this.over && (this.over.query >= 0 || this.over.key >= 0) ? this.told.textContent : ""; }

  // ---- texts and states

  rowName(query) {
    const { predicts } = this.kind, name = this.names.queries[query];
    return predicts ? `${name} → ${visible(predicts[query])}` : name;
  }

  cellInWords(query, key) {
    const place = `query ${this.rowName(query)}, key ${this.names.keys[key]}`;
    const scores = `score ${written(this.exact[query][key])}, in the plane ${written(this.near[query][key])}`;
    if (!this.mayLook(query, key)) return `${place}: ${scores}; hidden by the mask`;
    const [weight, guess] = [this.exact, this.near].map((rows) => softmaxOf(rows[query], this.spans[query])[key]);
    return `${place}: ${scores}; weight ${written(weight)}, by the plane ${written(guess)}`;
  }

  rowInWords(query) {
    const rows = keysInOrder(this.near[query], this.exact[query], this.spans[query]), first = rows[largest(rows.map(({ exact }) => exact))];
    const apart = sum(rows.map(({ weight, guess }) => Math.abs(weight - guess))) / 2, name = ({ at }) => this.names.keys[at];
    return `query ${this.rowName(query)}: first in the plane ${name(rows[0])}, weight ${written(rows[0].guess)}; first in the head `
      + `${name(first)}, ${written(first.weight)}; their weights are ${written(apart)} apart (0: the same, 1: nothing in common)`;
  }

  wear() {
    this.work();
    const { over, query, plane } = this, isCentred = this.get("centred"), map = this.get("map");
    this.bar.value = this.layer;
    say(this.barValue, String(this.layer));
    this.picker.value = String(this.head);
    this.shown.value = map;
    this.less.checked = isCentred;
    say(this.planeName, `Layer ${this.layer}, head ${this.head}: the plane holds ${percent(plane.share)} of the squared scores, one axis `
      + `${percent(plane.line)}`);
    say(this.mapName, map === "plane" ? "Scores of the plane: its dot products"
      : `Scores of the head${isCentred ? ", mean key subtracted" : ""}`);
    say(this.mapNote, `green: below 0, purple: above${this.kind.allowed ? "; hatched: hidden by the mask, though in the plane" : ""}`);
    say(this.unseen, "Subtracting the mean key takes the same from every score of a row, and no weight changes: here by "
      + `${written(this.unmoved)} at most.`);
    const at = over?.query >= 0 ? over.query : query;
    say(this.told, over?.key >= 0 ? (at >= 0 ? this.cellInWords(at, over.key) : `key ${this.names.keys[over.key]}`)
      : at >= 0 ? this.rowInWords(at) : AT_FIRST);
    this.listed.hidden = query < 0;
    this.fill(this.listed, [this.worked, query, over?.key], () => (query < 0 ? [] : [this.list()]));
    Object.assign(this.root.dataset, { kind: this.kind.name, layer: this.layer, head: this.head, query, share: plane.share.toFixed(4) });
  }

  /** The chosen query's keys as they lie along its line. */
  list() {
    const { order, over } = this, first = largest(order.map(({ exact }) => exact));
    const rows = order.map(({ at, near, exact, weight, guess }, n) => make("tr", { class: at === over?.key ? "view-here" : "" },
      make("th", { scope: "row", class: "view-k" }, this.names.keys[at]), number(near), number(exact), number(guess), number(weight),
      make("td", {}, n === first ? "first in the head" : "")));
    return table("geo-list", ["key, along the line", "score, plane", "score", "weight, plane", "weight", ""], rows);
  }

  csv() {
    const { kind, layer, head, plane } = this;
    const rows = this.exact.flatMap((row, t) => {
      const weights = [this.exact, this.near].map((scores) => softmaxOf(scores[t], this.spans[t]));
      return row.map((score, j) => [kind.name, layer, head, kind.queries[t], kind.keys[j], score, this.near[t][j], weights[0][j],
        weights[1][j], ...plane.queries[t], ...plane.keys[j]]);
    });
    return [["kind", "layer", "head", "query", "key", "score", "score in the plane", "weight", "weight by the plane", "query x", "query y",
      "key x", "key y"], ...rows];
  }

  // ---- painting

  paint() {
    this.paintPlane();
    this.paintMap();
  }

  paintPlane() {
    this.points.style.height = `${Math.min(HIGH[1], Math.max(HIGH[0], 0.9 * this.points.clientWidth))}px`;
    const page = prepared(this.points);
    if (!page) return;
    const { ctx, width, height } = page, { plane, query, look } = this, size = [width, height];
    const margin = [Math.min(MARGIN[0], 0.1 * width), MARGIN[1]];
    const put = fittedTo([...plane.queries, ...plane.keys], size, margin), origin = put([0, 0]);
    this.marks = ["queries", "keys"].flatMap((side) => plane[side].map((point, i) => ({ side, i, at: put(point) })));
    ctx.strokeStyle = look.line;
    ctx.lineWidth = 1;
    ctx.strokeRect(0.5, 0.5, width - 1, height - 1);
    if (query >= 0) this.paintLine(ctx, put, origin, size);
    ctx.strokeStyle = look.quiet;
    for (const [dx, dy] of [[6, 0], [0, 6]]) stroke(ctx, [[origin[0] - dx, origin[1] - dy], [origin[0] + dx, origin[1] + dy]]);
    this.paintNames(ctx, origin, size);
    for (const mark of this.marks) this.paintMark(ctx, mark);
  }

  /** The line of the chosen query, and the keys' feet on it. */
  paintLine(ctx, put, origin, size) {
    const { plane, query, look } = this, along = plane.queries[query], tip = put(along);
    const step = [tip[0] - origin[0], tip[1] - origin[1]], long = Math.hypot(...step);
    if (long < 1e-6) return;
    ctx.strokeStyle = look.query;
    ctx.globalAlpha = 0.45;
    ctx.lineWidth = 1.5;
    stroke(ctx, throughBox(origin, step, size));
    ctx.globalAlpha = 1;
    ctx.lineWidth = 3;
    stroke(ctx, [origin, tip]);
    ctx.fillStyle = look.key;
    plane.keys.forEach((key, j) => {
      if (!this.mayLook(query, j)) return;
      const [from, foot] = [put(key), put(footOn(key, along))];
      Object.assign(ctx, { strokeStyle: look.key, lineWidth: this.over?.key === j ? 2 : 1, globalAlpha: this.over?.key === j ? 1 : 0.5 });
      stroke(ctx, [from, foot]);
      ctx.globalAlpha = 1;
      disc(ctx, ...foot, 2.5);
    });
  }

  /** Names beside marks: of what is chosen first, then by weight, then the others; what has no room is told when it is pointed at. */
  paintNames(ctx, origin, size) {
    const { query, over, look } = this, weights = query < 0 ? [] : softmaxOf(this.exact[query], this.spans[query]);
    const [chosen, pointed] = [({ side, i }) => side === "queries" && i === query, ({ side, i }) =>
      i === (side === "queries" ? over?.query : over?.key)];
    const worth = (mark) => (pointed(mark) ? 9 : chosen(mark) ? 8 : mark.side === "queries" ? 0 : 1 + (weights[mark.i] ?? 0));
    const all = [...this.marks].sort((one, other) => worth(other) - worth(one));
    const text = ({ side, i }) => this.names[side][i], font = (mark) => `${worth(mark) > 7 ? "700 " : ""}${FONT}px ${MONO}`;
    const sizes = all.map((mark) => { ctx.font = font(mark); return [ctx.measureText(text(mark)).width + 4, FONT + 3]; });
    const boxes = placesFor(all.map(({ at }) => at).concat([origin]), sizes, size);
    this.boxes = [];
    all.forEach((mark, n) => {
      const box = boxes[n], { at: [x, y], side, i } = mark;
      if (!box) return;
      this.boxes.push({ side, i, box });
      const [left, top, right, bottom] = box, near = [Math.min(Math.max(x, left), right), Math.min(Math.max(y, top), bottom)];
      if (Math.hypot(near[0] - x, near[1] - y) > MARK + 3) {
        Object.assign(ctx, { strokeStyle: look.line, lineWidth: 1 });
        stroke(ctx, [[x, y], near]);
      }
      label(ctx, text(mark), (left + right) / 2, (top + bottom) / 2, font(mark), side === "queries" ? look.query : look.key, "center");
    });
    this.wearLegend(all.length - this.boxes.length);
  }

  /** What the marks are; left: how many names had no room. */
  wearLegend(left) {
    const { query } = this, [first, end] = this.spans[Math.max(query, 0)], hidden = query >= 0 && end - first < this.kind.keys.length;
    const parts = [`○ queries, □ keys${query < 0 ? "" : ", filled by their weight"}`,
      `+ ${this.get("centred") ? "the mean key" : "zero"}`, hidden ? "× hidden by the mask" : "",
      left ? `${left} ${left === 1 ? "name has" : "names have"} no room: point at the mark` : ""];
    say(this.planeNote, parts.filter(Boolean).join("; "));
  }

  paintMark(ctx, { side, i, at: [x, y] }) {
    const { query, over, look } = this, isQuery = side === "queries", here = i === (isQuery ? over?.query : over?.key);
    const radius = here ? 7 : 5;
    Object.assign(ctx, { strokeStyle: isQuery ? look.query : look.key, lineWidth: here ? 3 : 2 });
    if (isQuery) {
      ctx.fillStyle = i === query ? look.query : look.page;
      disc(ctx, x, y, radius);
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      return ctx.stroke();
    }
    if (query >= 0 && !this.mayLook(query, i)) {
      ctx.globalAlpha = 0.7;
      for (const turn of [-1, 1]) stroke(ctx, [[x - 4, y - 4 * turn], [x + 4, y + 4 * turn]]);
      ctx.globalAlpha = 1;
      return undefined;
    }
    const share = query < 0 ? 0 : level(softmaxOf(this.exact[query], this.spans[query])[i], 1, false);
    ctx.fillStyle = `#${look.weights.slice(6 * share, 6 * share + 6)}`;
    ctx.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
    return ctx.strokeRect(x - radius, y - radius, 2 * radius, 2 * radius);
  }

  /** Where the map stands: as wide as there is room, and as high as its rows need. */
  measureMap() {
    const ctx = this.cells.getContext("2d"), { queries, keys } = this.kind, rows = queries.map((_, t) => this.rowName(t));
    ctx.font = `700 ${FONT}px ${MONO}`;
    const widest = (names) => Math.max(...names.map((name) => ctx.measureText(name.slice(0, 60)).width));
    const room = this.cells.parentNode.clientWidth, left = Math.min(0.4 * room, 200, widest(rows) + 16);
    const top = Math.min(150, widest(this.names.keys)) + 18;
    const cell = Math.max(13, Math.min(26, (room - left - 14) / keys.length));
    this.cells.style.height = `${top + cell * queries.length + 40}px`;
    this.cells.style.minWidth = `${left + cell * keys.length + 14}px`;
    const layout = mapLayout(9999, 9999, queries.length, keys.length, left, top);
    return { rows, layout: { ...layout, cell, slant: STEEP, right: left + cell * keys.length, bottom: top + cell * queries.length } };
  }

  paintMap() {
    const { rows, layout } = this.measureMap(), page = prepared(this.cells);
    this.layout = layout;
    if (!page) return;
    const { ctx } = page, { look, over, query, kind, top } = this, scores = this.get("map") === "plane" ? this.near : this.exact;
    const shade = (score, t, j) => (this.mayLook(t, j) ? 128 + Math.round(128 * Math.min(1, Math.max(-1, score / top))) : 128);
    paintCells(ctx, scores.flatMap((row, t) => row.map((score, j) => shade(score, t, j))), this.signed, layout);
    this.hatch(ctx);
    paintGrid(ctx, layout, look.line);
    mapLabels(ctx, layout, rows.map((name, t) => [name, look.query, t === query || t === over?.query]),
      kind.keys.map((_, j) => [this.names.keys[j], look.key, j === over?.key]), FONT);
    const frame = (row, col, colour) => {
      Object.assign(ctx, { strokeStyle: colour, lineWidth: 2 });
      const { left, cell, right, bottom } = layout, y = layout.top + row * cell;
      if (row >= 0) ctx.strokeRect(left - 1, y, right - left + 2, cell);
      if (col >= 0) ctx.strokeRect(left + col * cell, row < 0 ? layout.top : y, cell, row < 0 ? bottom - layout.top : cell);
    };
    frame(query, -1, look.query);
    if (over) frame(over.query >= 0 ? over.query : query, over.key, look.ink);
    this.legend(ctx, layout);
  }

  /** Slanted lines over the cells that the mask hides. */
  hatch(ctx) {
    const { left, top, cell, cols } = this.layout;
    Object.assign(ctx, { strokeStyle: this.look.quiet, lineWidth: 1, globalAlpha: 0.6 });
    this.exact.forEach((_, t) => {
      for (let j = 0; j < cols; j++) {
        const x = left + cell * j, y = top + cell * t;
        if (!this.mayLook(t, j)) stroke(ctx, [[x, y + cell], [x + cell, y]]);
      }
    });
    ctx.globalAlpha = 1;
  }

  legend(ctx, { left, bottom }) {
    paintScale(ctx, this.look.differences, [left, bottom + 12], [-this.top, this.top].map((end) => written(end)), this.look);
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Layer": "the layer of the head, counted from 0", "Head": "the head whose queries and keys are shown",
  "Map": "the scores as the head has them, or as the plane's dot products give them",
  "mean key subtracted": "take the mean of all keys from each key: no weight changes",
  "Encoder self-attention": "source pieces read source pieces",
  "Decoder self-attention": "target pieces read target pieces up to themselves",
  "Cross-attention": "target pieces read source pieces",
};

export default widget(View, HINTS);
