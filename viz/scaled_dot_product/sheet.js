// A calculation sheet of linked matrices: type a number in a given one, and all that follows from it is computed at once.
import {
  STEPS, Stage, choice, chord, clamp, controls, field, label, make, number, raised, say, table, visible, widget,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const EPSILON = 1e-6;   // of the normalisations, as in the core
const total = (row) => row.reduce((sum, x) => sum + x, 0);
const mean = (row) => total(row) / row.length;
const spread = (row) => mean(row.map((x) => (x - mean(row)) ** 2));
const column = (matrix, j) => matrix.map((row) => row[j]);
const turned = (matrix) => (matrix.length ? matrix[0].map((_, j) => column(matrix, j)) : []);
const cells = (matrix, change) => matrix.map((row, i) => row.map((x, j) => change(x, i, j)));
const standard = (row) => row.map((x) => (x - mean(row)) / Math.sqrt(spread(row) + EPSILON));

/** The softmax of a row; −∞ stands for "may not look", and a row of nothing else gives 0 everywhere. */
export function softmax(row) {
  const top = Math.max(...row), exps = row.map((x) => (x === -Infinity ? 0 : Math.exp(x - top)));
  return exps.map((x) => (x === 0 ? 0 : x / total(exps)));
}

const product = (a, b) => a.map((row) => b[0].map((_, j) => total(row.map((x, n) => x * b[n][j]))));

/** What each operation makes of the matrices it is given; OPERATIONS in nodes.py says the same in torch. */
const OPERATIONS = {
  product,
  scores: (q, k) => product(q, turned(k)),
  scale: (a, _, node, options) => (options.scale ? cells(a, (x) => x / Math.sqrt(node.by)) : a),
  mask: (a, _, node, options) => (options.causal ? cells(a, (x, i, j) => (j > i ? -Infinity : x)) : a),
  softmax: (a) => a.map(softmax),
  plus_row: (a, b) => cells(a, (x, _, j) => x + b[0][j]),
  plus: (a, b) => cells(a, (x, i, j) => x + b[i][j]),
  relu: (a) => cells(a, (x) => Math.max(0, x)),
  layer_norm: (a) => a.map(standard),
  batch_norm: (a) => turned(turned(a).map(standard)),
};

const concat = (parts) => parts[0].map((_, i) => parts.flatMap((part) => part[i]));

/** Every matrix of a sheet by name: nodes come in the order in which they are computed. */
export function evaluate(nodes, { values, by_hand = {}, options = {}, n_rows }) {
  const found = {};
  for (const node of nodes) {
    const given = (node.of ?? []).map((name) => found[name]);
    const made = node.op === "given" ? values[node.name].slice(0, node.rows === "tokens" ? n_rows : undefined)
      : node.op === "concat" ? concat(given) : OPERATIONS[node.op](given[0], given[1], node, options);
    found[node.name] = cells(made, (x, i, j) => by_hand[`${node.name}:${i}:${j}`] ?? x);
  }
  return found;
}

/** A number in at most three significant digits, as short as it can be written: 0.5, −1.25, 0.236; below 0.001 in two: 6.9e−4. */
export function short(number) {
  if (number === Infinity || number === -Infinity) return number > 0 ? "∞" : "−∞";
  const size = Math.abs(number), text = size && size < 0.001 ? number.toExponential(1) : String(Number(number.toPrecision(3)));
  return (size >= 1000 ? String(Math.round(number)) : text).replaceAll("-", "−");
}

/** The number that a reader typed, with a comma or a point, and either minus; null if it is none. */
export function typed(text) {
  const plain = text.trim().replaceAll("−", "-").replace(",", ".");
  const number = plain === "" ? NaN : Number(plain);
  return Number.isFinite(number) && Math.abs(number) <= 1e6 ? number : null;
}

const bracketed = (number) => (number < 0 ? `(${short(number)})` : short(number));
const words = (text) => ({ text });

/** x · y + x · y + …, each number in the colour of the matrix it comes from. */
function products(left, right, [from, to]) {
  return left.flatMap((x, n) => [...(n ? [words(" + ")] : []),
    { text: bracketed(x), of: from }, words(" · "), { text: bracketed(right[n]), of: to }]);
}

/** (x − mean) / √(variance + ε), of a row or of a column. */
function normalised(x, among, of, which) {
  return [words(`(x − mean of the ${which}) / √(variance of the ${which} + ε) = (`), { text: short(x), of },
    words(` − ${bracketed(mean(among))}) / √${short(spread(among))}`)];
}

function softmaxTerms(row, j, of) {
  if (row[j] === -Infinity) return [words("masked: e to the power −∞ is nothing")];
  const seen = row.filter((x) => x !== -Infinity), top = Math.max(...seen) > 20 ? Math.max(...seen) : 0;
  const power = (x) => ({ text: `e^${bracketed(x - top)}`, of });
  const sum = seen.flatMap((x, n) => [...(n ? [words(" + ")] : []), power(x)]);
  const less = top ? [words(`with ${short(top)} taken from each score: `)] : [];
  return [...less, power(row[j]), words(" / ("), ...sum,
    words(`) = ${short(Math.exp(row[j] - top))} / ${short(total(seen.map((x) => Math.exp(x - top))))}`)];
}

/** How a cell came about: what is said of it, and the cells it was made of. */
export function terms(nodes, found, { options = {}, by_hand = {}, names = {} }, name, i, j) {
  const node = nodes.find((one) => one.name === name), [a, b] = node.of ?? [], left = found[a], right = found[b];
  const whole = (list, n) => (n === undefined ? list.map((_, k) => k) : [n]);
  const from = (of, row, col) => ({ name: of, rows: whole(found[of], row), cols: whole(found[of][0], col) });
  const made = {
    given: () => [[words("given: press Enter and type another number")], []],
    product: () => [products(left[i], column(right, j), node.of), [from(a, i), from(b, undefined, j)]],
    scores: () => [products(left[i], right[j], node.of), [from(a, i), from(b, j)]],
    scale: () => [options.scale ? [{ text: short(left[i][j]), of: a }, words(` / √${node.by}`)] : [words("not divided: the scale is off")],
      [from(a, i, j)]],
    mask: () => [!options.causal ? [words("no mask: every query may look at every key")]
      : j > i ? [words(`${names.rows?.[j] ?? j} comes later than ${names.rows?.[i] ?? i}: may not look`)]
        : [words("may look: unchanged")], [from(a, i, j)]],
    softmax: () => [softmaxTerms(left[i], j, a), [from(a, i)]],
    concat: () => {
      const part = node.of.findIndex((_, n) => j < total(node.of.slice(0, n + 1).map((one) => found[one][0].length)));
      const before = total(node.of.slice(0, part).map((one) => found[one][0].length));
      return [[words(`copied from head ${part}`)], [from(node.of[part], i, j - before)]];
    },
    plus_row: () => [[{ text: short(left[i][j]), of: a }, words(" + "), { text: bracketed(right[0][j]), of: b }],
      [from(a, i, j), from(b, 0, j)]],
    plus: () => [[{ text: short(left[i][j]), of: a }, words(" + "), { text: bracketed(right[i][j]), of: b }],
      [from(a, i, j), from(b, i, j)]],
    relu: () => [[words("max(0, "), { text: short(left[i][j]), of: a }, words(")")], [from(a, i, j)]],
    layer_norm: () => [normalised(left[i][j], left[i], a, "row"), [from(a, i)]],
    batch_norm: () => [normalised(left[i][j], column(left, j), a, "column"), [from(a, undefined, j)]],
  }[node.op]();
  const hand = by_hand[`${name}:${i}:${j}`] !== undefined;
  return { parts: hand ? [words("typed by hand, in place of "), ...made[0]] : made[0], from: made[1], value: found[name][i][j] };
}

/** The cells of every matrix whose number differs from before. */
export function moved(before, after) {
  const places = new Set();
  for (const [name, matrix] of Object.entries(after)) matrix.forEach((row, i) => row.forEach((x, j) => {
    const was = before[name]?.[i]?.[j];
    if (was !== x && !(Math.abs(was - x) <= 1e-12)) places.add(`${name}:${i}:${j}`);
  }));
  return places;
}

/** A formula's pieces: {q:…}, {k:…}, {v:…} in the colour of queries, keys, values; ^{…} raised, _{…} lowered. */
export function pieces(formula) {
  const kinds = { "{q": "query", "{k": "key", "{v": "value", "^": "raised", "_": "lowered" };
  return formula.split(/(\{[qkv]:[^}]*\}|[\^_]\{[^}]*\})/).filter(Boolean).map((text) => {
    const found = /^(\{[qkv]|[\^_])[:{]?\{?(.*)\}$/.exec(text);
    return found ? { kind: kinds[found[1]], text: found[2] } : { kind: "plain", text };
  });
}

// ------------------------------------------------------------------------------------------------------ the view

const TAGS = { raised: "sup", lowered: "sub" };
const rich = (formula) => pieces(formula).map(({ kind, text }) =>
  make(TAGS[kind] ?? "span", ["query", "key", "value"].includes(kind) ? { class: `sh-${kind}` } : {}, text));
const plain = (formula) => pieces(formula).map(({ text }) => text).join("");
const TRAITS = ["values", "by_hand", "options", "head", "n_rows", "example", "cell"];

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Calculation sheet");
    this.root.classList.add("sh");
    this.marked = new Set();
    this.start(TRAITS, { passing: ["cell"] });
  }

  load() {
    this.nodes = this.get("meta").nodes;
    this.found = {};
    this.build();
  }

  // ---------------------------------------------------------------------------------------------- what is shown

  get names() { return { rows: this.tokens }; }
  get tokens() { return this.get("meta").examples[this.get("example")].tokens.slice(0, this.get("n_rows")); }
  node(name) { return this.nodes.find((node) => node.name === name); }
  named(slot) { return slot.replace("*", this.get("head")); }
  labels(list, n) { return list === "tokens" ? this.tokens : list ?? Array.from({ length: n }, (_, i) => String(i)); }

  /** Compute all anew; what differs from before is marked until the next change. */
  compute() {
    const state = Object.fromEntries(["values", "by_hand", "options", "n_rows"].map((name) => [name, this.get(name)]));
    const signature = JSON.stringify([state, this.get("meta").version]);
    if (signature === this.computed) return;
    const before = this.found, first = this.computed === undefined;
    this.computed = signature;
    this.found = evaluate(this.nodes, state);
    this.told = null;
    this.atFirst ??= signature;
    this.marked = first || signature === this.atFirst ? new Set() : moved(before, this.found);
    if (!first && this.marked.size) this.announce(this.movedInWords());
  }

  movedInWords() {
    const made = [...this.marked].filter((at) => this.node(at.split(":")[0]).op !== "given").length;
    const all = this.nodes.filter((node) => node.op !== "given")
      .reduce((sum, { name }) => sum + this.found[name].length * this.found[name][0].length, 0);
    return `${made} of ${all} computed numbers changed`;
  }

  // ------------------------------------------------------------------------------------------ page, built once

  build() {
    const { lanes, title } = this.get("meta");
    this.built = this.shape();
    this.message = make("p", { class: "sh-terms" });
    this.slots = [];
    const one = (item) => ("say" in item ? make("span", { class: "sh-op" }, ...rich(item.say)) : this.matrix(item));
    const rows = lanes.map((lane) => make("div", { class: "sh-lane" },
      ...lane.map((group) => make("div", { class: "sh-group" }, ...group.map(one)))));
    this.frame(make("div", { class: "view-sentence sh-title" }, ...rich(title)),
      this.controls(), this.message, ...rows);
    this.root.onkeydown = (event) => this.key(event);
    this.root.onclick = (event) => this.click(event);
    this.root.ondblclick = (event) => { const at = this.place(event.target); if (at) this.edit(at); };
  }

  /** What the page's elements depend on; numbers alone change in place. */
  shape() { return JSON.stringify([this.tokens, this.get("meta").version]); }

  controls() {
    const { examples, n_heads, switches, most_rows } = this.get("meta");
    const bar = make("div", { class: "view-controls sh-controls" });
    if (examples.length > 1) {
      this.examples = choice("Sentence", examples.map(({ tokens }, n) => [n, tokens.slice(0, 4).join(" ")]),
        (event) => this.take(Number(event.target.value)));
      bar.append(field("Sentence", this.examples));
    }
    this.heads = Array.from({ length: n_heads }, (_, head) => this.headButton(head));
    if (n_heads) bar.append(make("div", { class: "view-field", role: "group", "aria-label": "Head" },
      make("span", { class: "view-name" }, "Head"), ...this.heads));
    this.switches = switches.map(([name, label]) => [name, label, make("input", { type: "checkbox", class: "sh-switch",
      onchange: (event) => this.set({ options: { ...this.get("options"), [name]: event.target.checked } }) })]);
    bar.append(...this.switches.map(([, label, box]) => make("label", { class: "view-field" }, box, make("span", {}, ...rich(label)))));
    if (most_rows > 1) bar.append(this.rowButtons(most_rows));
    return bar;
  }

  /** A head's button carries its weights as a small map. */
  headButton(head) {
    const map = make("span", { class: "sh-mini", "aria-hidden": true });
    map.style.setProperty("--n", this.tokens.length);
    map.append(...Array.from({ length: this.tokens.length ** 2 }, () => make("i")));
    return make("button", { type: "button", class: "sh-head", "data-head": head, "aria-label": `head ${head}`,
      onclick: () => this.set({ head }) },
      map, make("span", {}, String(head)));
  }

  rowButtons(most) {
    const n = this.get("n_rows");
    const button = (label, text, step) => {
      const to = clamp(n + step - 1, most) + 1;
      return make("button", { type: "button", class: "sh-step", "aria-label": label, "aria-disabled": String(to === n),
        onclick: () => this.set({ n_rows: to }) }, text);
    };
    return make("div", { class: "view-field", role: "group", "aria-label": "Number of tokens" },
      make("span", { class: "view-name" }, "Tokens"),
      button("one token fewer", "−", -1), make("span", {}, String(n)), button("one token more", "+", 1));
  }

  /** One matrix: its formula, its column names, its cells, and where rows are weights their sums. */
  matrix({ of: slot, rows: named = true }) {
    const name = this.named(slot), node = this.node(name), size = this.sizes(name);
    const rows = this.labels(node.rows, size[0]), cols = this.labels(node.cols, size[1]);
    const [tone, across] = [node.rows === "tokens" ? node.row_colour : "", node.cols === "tokens" ? "key" : ""];
    const names = named ? "" : node.rows === "tokens" ? "sh-late" : null;   // late: where the matrix begins a line
    const head = make("tr", {}, names === null ? null : make("th", { class: names }),
      ...cols.map((text) => make("th", { scope: "col", class: across && `sh-${across}`, title: text }, visible(text))),
      node.op === "softmax" ? make("th", { class: "sh-sum" }, "Σ") : null);
    const grid = rows.map((_, i) => cols.map((_, j) => make("td", { role: "gridcell", tabindex: -1, "data-at": `${slot}:${i}:${j}` })));
    const sums = node.op === "softmax" ? rows.map(() => make("td", { class: "sh-sum" })) : null;
    const body = grid.map((line, i) => make("tr", {},
      names === null ? null : make("th", { scope: "row", class: `${names} ${tone && `sh-${tone}`}`, title: rows[i] }, visible(rows[i])),
      ...line, sums && sums[i]));
    const kind = [node.op === "given" && "sh-given", node.editable && "sh-open", node.narrow && "sh-narrow", named && "sh-named",
      node.colour && `sh-of-${node.colour}`].filter(Boolean).join(" ");
    const caption = make("figcaption", { class: "sh-formula" });
    const table = make("table", { role: "grid" }, make("thead", {}, head), make("tbody", {}, ...body));
    const figure = make("figure", { class: `sh-matrix ${kind}` }, caption, table);
    this.slots.push({ slot, grid, sums, caption, table, figure });
    return figure;
  }

  /** Rows and columns of a matrix, before anything is computed: of a computed one, those of a first evaluation. */
  sizes(name) {
    if (!this.found[name] || this.found[name].length !== this.get("n_rows")) {
      this.found = evaluate(this.nodes, { values: this.get("values"), options: this.get("options"), n_rows: this.get("n_rows") });
    }
    return [this.found[name].length, this.found[name][0].length];
  }

  // --------------------------------------------------------------------------------------------------- gestures

  /** The place of a cell's element: [name, row, column]. */
  place(target) {
    const at = target.closest?.("td[data-at]")?.dataset.at.split(":");
    return at ? [this.named(at[0]), Number(at[1]), Number(at[2])] : null;
  }

  click(event) {
    const at = this.place(event.target);
    if (at && event.target.tagName !== "INPUT") this.go(at);
  }

  go(cell) {
    this.told = null;
    this.set({ cell });
    this.focusNext = true;
    const [name, i, j] = cell, { parts, value } = terms(this.nodes, this.found, this.state, name, i, j);
    this.announce(`${plain(this.node(name).formula)}, ${this.where(cell)}: ${short(value)}. ${parts.map(({ text }) => text).join("")}`);
    this.schedule();
  }

  get state() { return { options: this.get("options"), by_hand: this.get("by_hand"), names: this.names }; }

  where([name, i, j]) {
    const node = this.node(name), [rows, cols] = [this.labels(node.rows, i + 1), this.labels(node.cols, j + 1)];
    return `row ${rows[i]}, column ${cols[j]}`;
  }

  key(event) {
    if (!chord(event)) event.stopPropagation();
    if (chord(event) || event.target.tagName === "INPUT" || event.target.tagName === "SELECT") return;
    const at = this.place(event.target);
    if (!at) return;
    const step = STEPS[event.key];
    if (step) this.walk(at, step);
    else if (event.key === "Enter") this.edit(at);
    else if (event.key === "Escape") this.set({ cell: [] });
    else if (/^[-−0-9.,]$/.test(event.key)) this.edit(at, event.key);
    else if (event.key === "Delete" || event.key === "Backspace") this.write(at, null);
    else return;
    event.preventDefault();
  }

  /** Arrows walk the cells; beyond a matrix's edge lies the next one. */
  walk([name, i, j], [down, right]) {
    const order = this.slots.map(({ slot }) => this.named(slot)), here = order.indexOf(name), matrix = this.found[name];
    const beyond = j + right < 0 ? -1 : j + right >= matrix[0].length ? 1 : 0, next = order[here + beyond];
    if (!beyond) return this.go([name, clamp(i + down, matrix.length), j + right]);
    if (!next) return this.go([name, i, j]);
    return this.go([next, clamp(i, this.found[next].length), beyond > 0 ? 0 : this.found[next][0].length - 1]);
  }

  /** Open a box in the cell; Enter takes the number, Escape leaves it as it was. */
  edit(at, first) {
    const [name, i, j] = at, node = this.node(name);
    this.go(at);
    if (node.op !== "given" && !node.editable) return this.tellReader("This number is computed: change one that stands in a frame.");
    const cell = this.element(at);
    const input = make("input", { class: "sh-input", "aria-label": `${plain(node.formula)}, ${this.where(at)}`,
      value: first ?? short(this.found[name][i][j]) }), before = first === undefined ? input.value : null;
    let open = true;
    const close = (keep) => {
      if (!open) return;
      open = false;
      const number = typed(input.value);
      keep &&= input.value !== before;   // opened and left as it was: the number keeps its digits
      this.editing = null;
      cell.textContent = "";
      if (keep && number === null) this.tellReader(`“${input.value}” is no number; type one such as −0.5.`);
      else if (keep) this.write(at, number);
      this.focusNext = this.root.contains(this.focused);
      this.schedule();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Tab") { this.focusNext = true; close(true); cell.focus(); event.preventDefault(); }
      if (event.key === "Escape") { close(false); cell.focus(); event.preventDefault(); }
    });
    input.addEventListener("blur", () => close(true));
    this.editing = cell;
    cell.replaceChildren(input);
    input.focus();
    if (first === undefined) input.select();
    else input.setSelectionRange(first.length, first.length);   // what is typed next comes after it
    return undefined;
  }

  get focused() { return this.root.getRootNode().activeElement; }

  /** Put a number into a given matrix, or in the place of a computed one; null takes the latter away again. */
  write([name, i, j], number) {
    this.told = null;
    const node = this.node(name);
    if (node.op === "given") {
      if (number === null || this.get("values")[name][i][j] === number) return;
      const values = structuredClone(this.get("values"));
      values[name][i][j] = number;
      this.set({ values });
    } else if (node.editable) {
      const by_hand = { ...this.get("by_hand") }, cell = `${name}:${i}:${j}`, stood = cell in by_hand;
      delete by_hand[cell];
      if (number !== null && (stood || Math.abs(number - this.found[name][i][j]) > 5e-4)) by_hand[cell] = number;
      this.set({ by_hand });
    }
  }

  /** Say why nothing happened, until the next gesture. */
  tellReader(text) {
    this.told = text;
    this.announce(text);
    this.schedule();
  }

  take(example) { this.set({ example, values: { ...this.get("values"), X: this.get("meta").examples[example].X }, by_hand: {} }); }

  // ---------------------------------------------------------------------------------------------------- drawing

  /** A matrix names its rows where it begins a line, also one that stands there because the page is narrow. */
  paint() {
    for (const lane of this.root.querySelectorAll(".sh-lane")) {
      const { children: groups } = lane, { right } = lane.getBoundingClientRect();
      [...groups].slice(1).forEach((group, n) => {
        const { classList } = group.querySelector(".sh-matrix") ?? group;
        classList.toggle("sh-begins", group.offsetTop > groups[n].offsetTop + groups[n].offsetHeight / 2);
        if (group.getBoundingClientRect().right > right) classList.remove("sh-begins");   // on a phone six columns leave no room
      });
    }
  }

  element([name, i, j]) {
    return this.slots.find(({ slot }) => this.named(slot) === name)?.grid[i]?.[j];
  }

  wear() {
    if (this.shape() !== this.built) {
      const inside = this.root.contains(this.focused) && this.focused !== this.root;
      const label = inside && this.focused.getAttribute("aria-label");
      this.found = {};
      this.computed = undefined;
      this.build();
      if (inside) ([...this.root.querySelectorAll("[aria-label]")].find((node) => node.getAttribute("aria-label") === label)
        ?? this.root).focus?.();
    }
    this.compute();
    const cell = this.get("cell"), valid = cell.length === 3 && this.element(cell);
    const said = valid ? terms(this.nodes, this.found, this.state, ...cell) : null;
    const from = new Set((said?.from ?? []).flatMap(({ name, rows, cols }) => rows.flatMap((i) => cols.map((j) => `${name}:${i}:${j}`))));
    for (const slot of this.slots) this.wearMatrix(slot, valid ? cell : [], from);
    this.wearTerms(valid ? cell : null, said);
    this.wearControls();
    if (this.focusNext && valid && !this.editing) valid.focus();
    this.focusNext = false;
    Object.assign(this.root.dataset, { cell: cell.join(":"), head: this.get("head"), moved: this.marked.size });
  }

  wearMatrix({ slot, grid, sums, caption, table, figure }, cell, from) {
    const name = this.named(slot), node = this.node(name), matrix = this.found[name], formula = plain(node.formula);
    if (caption.dataset.of !== name) {
      caption.dataset.of = name;
      caption.replaceChildren(...rich(node.formula));
      table.setAttribute("aria-label", `${formula}, ${matrix.length} × ${matrix[0].length}`);
    }
    const at = cell[0] === name ? `${cell[1]}:${cell[2]}` : "", home = !cell.length && slot === this.slots[0].slot;
    const { scale = true, causal = true } = this.get("options");
    figure.classList.toggle("sh-idle", (node.op === "scale" && !scale) || (node.op === "mask" && !causal));
    grid.forEach((line, i) => line.forEach((td, j) => {
      if (td === this.editing) return;
      const x = matrix[i][j], place = `${name}:${i}:${j}`, here = at === `${i}:${j}`;
      say(td, short(x));
      if (td.title !== String(x)) td.title = String(x);
      const name_ = [td.textContent.length > 6 && "sh-long", here && "sh-at", from.has(place) && "sh-from",
        this.marked.has(place) && "sh-moved",
        this.get("by_hand")[place] !== undefined && "sh-hand"].filter(Boolean).join(" ");
      if (td.className !== name_) td.className = name_;
      td.tabIndex = here || (home && i + j === 0) ? 0 : -1;
      this.tint(td, node, x);
    }));
    sums?.forEach((td, i) => say(td, total(matrix[i]).toFixed(2)));
  }

  /** Weights are coloured on the one scale from 0 to 1; other numbers are not. */
  tint(td, node, x) {
    const at = 6 * Math.round(255 * clamp(x, 2)), colour = node.op === "softmax" ? `#${this.look.weights.slice(at, at + 6)}` : "";
    const ink = node.op === "softmax" && x > 0.45 ? this.look.page : "", want = colour + ink;
    if (td.dataset.tint === want) return;
    td.dataset.tint = want;
    td.style.background = colour;
    td.style.color = ink;
  }

  wearTerms(cell, said) {
    const shows = JSON.stringify([cell, said?.parts, said?.value, this.told, this.marked.size, this.get("head")]);
    if (this.message.dataset.shows === shows) return;
    this.message.dataset.shows = shows;
    if (this.told) return this.message.replaceChildren(make("span", { class: "sh-told" }, this.told));
    if (!cell) {
      return this.message.replaceChildren(make("span", { class: "view-hint" },
        "Click any number: here stands what it is made of. Framed numbers can be changed: click, type, Enter. Arrow keys walk."));
    }
    const [name, i, j] = cell, tone = (of) => (of && this.node(of).colour ? { class: `sh-${this.node(of).colour}` } : {});
    const node = this.node(name), marked = this.marked.size ? make("span", { class: "view-quiet" }, `  ·  ${this.movedInWords()}`) : null;
    return this.message.replaceChildren(...rich(node.formula.split(" = ")[0]),
      make("span", { class: "view-quiet" }, ` ${this.where([name, i, j])}: `),
      ...said.parts.map(({ text, of }) => make("span", tone(of), text)),
      ...(node.op === "given" ? [] : [" = ", make("b", { title: String(said.value) }, short(said.value))]), ...(marked ? [marked] : []));
  }

  wearControls() {
    this.heads.forEach((button, head) => {
      button.setAttribute("aria-pressed", head === this.get("head"));
      const weights = this.nodes.find((node) => node.op === "softmax" && node.name.endsWith(`.${head}`));
      const flat = weights ? this.found[weights.name].flat() : [];
      button.firstChild.childNodes.forEach((pixel, n) => {
        const at = 6 * Math.round(255 * flat[n]);
        pixel.style.background = `#${this.look.weights.slice(at, at + 6)}`;
      });
    });
    for (const [name, , box] of this.switches) box.checked = this.get("options")[name];
    if (this.examples) this.examples.value = this.get("example");
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  ".sh-switch": "take this step, or leave it out",
  "Sentence": "numbers of another sentence", ".sh-head": "the numbers of this head", ".sh-step": "one token more or less",
  ".sh-input": "type a number, then Enter: all that follows from it changes",
};

export default widget(View, HINTS);
