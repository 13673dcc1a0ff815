// Table 3 under the reader's hands: every count at any vocabulary, and the vocabularies that would explain what is printed.
//
// Sizes and printed numbers come from Python (meta.rows); every count is computed here by the formulas of studies/variations.py.

import {
  Stage, chord, clamp, controls, fields, headline, make, missing, number, say, slider, small, span, table, widget,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const width = (row) => row.n_heads * (row.d_k + row.d_v);
export const sum = (parts) => parts.reduce((total, [, value]) => total + value, 0);

/** How many numbers are learned, by what they are for. */
export function parameterParts(row, vocabulary) {
  const { n_layers: layers, d_model: d, d_ff: ff } = row;
  return [
    ["embedding", vocabulary * d], ["attention", 6 * layers * d * width(row)],
    ["feed-forward", 2 * layers * (2 * d * ff + ff + d)], ["norms", 10 * layers * d],
    ["positions", row.positions === "learned" ? 2 * row.max_len * d : 0],
  ];
}

export const parameters = (row, vocabulary) => sum(parameterParts(row, vocabulary));

/** Multiply-adds for one source token read and one target token predicted, in a pair of n and n tokens. */
export function costParts(row, vocabulary, n) {
  const { n_layers: layers, d_model: d, d_ff: ff } = row;
  return [
    ["softmax", vocabulary * d], ["projections", 6 * layers * d * width(row)],
    ["feed-forward", 4 * layers * d * ff], ["scores and mix", 3 * layers * n * width(row)],
  ];
}

/** The vocabularies [low, high) with which a row's count rounds to the printed one; null where none is printed. */
export function vocabularies(row) {
  if (missing(row.millions)) return null;
  const body = parameters(row, 0), half = 500_000;
  return [-half, half].map((way) => Math.ceil((1_000_000 * row.millions + way - body) / row.d_model));
}

/** Whether a count at this vocabulary rounds to the printed one; null where none is printed. */
export function fits(row, vocabulary) {
  const ends = vocabularies(row);
  return ends && ends[0] <= vocabulary && vocabulary < ends[1];
}

/** The number by which rows are sorted; null comes last. */
export function key(row, order, vocabulary, n) {
  if (order === "params") return parameters(row, vocabulary);
  if (order === "cost") return sum(costParts(row, vocabulary, n));
  if (order === "off") return missing(row.millions) ? null : parameters(row, vocabulary) / 1e6 - row.millions;
  return row[order] ?? null;
}

export function ordered(rows, order, down, vocabulary, n) {
  if (order === "paper") return rows;
  const of = (row) => key(row, order, vocabulary, n), way = down ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [of(one), of(other)];
    return a === b ? 0 : a === null ? 1 : b === null ? -1 : way * (a - b);
  });
}

export const whole = (value) => Math.round(value).toLocaleString("en-US");

/** Millions with a digit or two after the point, and a sign that is a true minus. */
export const signed = (value, digits = 2) => {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value < 0 ? "−" : "+"}${text}`;
};

/** What a row changes against base, in the paper's letters. */
const LETTERS = { n_layers: "N", d_model: "d_model", d_ff: "d_ff", n_heads: "h", d_k: "d_k", d_v: "d_v", p_drop: "P_drop", eps_ls: "ε_ls",
  positions: "positions" };
export function changed(row, base) {
  const said = Object.keys(LETTERS).filter((name) => row[name] !== base[name])
    .map((name) => `${LETTERS[name]} ${base[name]} → ${row[name]}`);
  if (row.steps !== base.steps) said.push(`steps ${whole(base.steps)} → ${whole(row.steps)}`);
  return said.join(", ") || "the model that the others are held against";
}

/** What a screen reader says of a row. */
export function spoken(row, vocabulary) {
  const count = `${row.name}: ${whole(parameters(row, vocabulary))} parameters at V = ${whole(vocabulary)}`, ends = vocabularies(row);
  if (!ends) return `${count}; no count is printed`;
  return `${count}, printed ${row.millions} million, which `
    + (fits(row, vocabulary) ? "it rounds to" : `needs V from ${whole(ends[0])} to ${whole(ends[1] - 1)}`);
}

/** How many printed counts this vocabulary meets, in a sentence. */
export function verdict(rows, vocabulary) {
  const counted = rows.filter((row) => vocabularies(row)), met = counted.filter((row) => fits(row, vocabulary));
  const near = counted.filter((row) => Math.abs(parameters(row, vocabulary) / 1e6 - row.millions) < 1).length;
  return `V = ${whole(vocabulary)}: ${met.length} of ${counted.length} printed counts are met, ${near} within a million.`;
}

// ------------------------------------------------------------------------------------------------------ the view

const LOW = 30_000, HIGH = 45_000, TICKS = [30_000, 35_000, 40_000, 45_000];
const TRAITS = ["vocabulary", "picked", "order", "down", "n"];
const COLUMNS = [["ppl", "ppl"], ["bleu", "BLEU"], ["millions", "printed"], ["params", "exact count"], ["off", "off by"],
  ["cost", "M mul-adds"]];
const SIZES = ["n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "p_drop", "eps_ls", "positions", "steps"];
const HEADS = ["N", "d_model", "d_ff", "h", "d_k", "d_v", "P", "ε_ls", "positions", "steps"];
const brief = (value) => ({ sinusoidal: "sinus" }[value] ?? (value >= 100_000 ? `${value / 1000}K` : String(value)));
const MARKS = [[37_000, "37,000, the paper's “about”"], [41_100, "41,100"], [36_000, "36,000"]];
const percent = (vocabulary) => (100 * (vocabulary - LOW)) / (HIGH - LOW);

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Table 3 view");
    this.start(TRAITS);
  }

  get rows() { return this.get("meta").rows; }
  get base() { return this.rows[0]; }
  get picked() { return this.rows.find((row) => row.name === this.get("picked")) ?? this.base; }

  changed(name) {
    if (name === "vocabulary" && ["params", "off", "cost"].includes(this.get("order"))) this.sorted = null;
    if (name === "order" || name === "down" || name === "n") this.sorted = null;
    super.changed(name);
  }

  // ------------------------------------------------------------------------------------------ page, built once

  load() {
    const meta = this.get("meta");
    this.sorted = null;
    this.told = make("p", { class: "var-told" });
    this.body = make("tbody", { onkeydown: (event) => this.walk(event) });
    this.lines = Object.fromEntries(this.rows.map((row) => [row.name, this.buildRow(row)]));
    this.page = make("div", { class: "var-page" });
    this.root.classList.add("var");
    this.frame(headline(make("b", {}, meta.title)),
      this.buildControls(), this.told,
      make("div", { class: "view-wide" }, make("table", { class: "var-table" }, this.buildHead(), this.body)), this.page);
  }

  buildControls() {
    this.bar = slider("vocabulary V", { min: LOW, max: HIGH, step: 50, class: "var-slider" }, (event) => this.turn(event.target.value));
    this.box = make("input", { type: "number", min: LOW, max: HIGH, step: 1, class: "var-number", "aria-label": "vocabulary V, exactly",
      onchange: (event) => this.turn(event.target.value) });
    const chips = MARKS.map(([v, text]) => make("button",
      { type: "button", class: "view-chip", "data-v": v, onclick: () => this.turn(v) }, text));
    this.length = slider("n, tokens on each side", { min: 1, max: 200, step: 1, class: "var-length" },
      (event) => this.set({ n: Number(event.target.value) }));
    this.many = span("view-value", "");
    return controls(
      fields("V", span("view-quiet", "vocabulary"), this.bar, this.box),
      make("span", { class: "view-chips" }, ...chips),
      fields("n", span("view-quiet", "tokens"), this.length, this.many));
  }

  turn(value) {
    const vocabulary = Math.min(HIGH, Math.max(LOW, Math.round(Number(value) || this.get("vocabulary"))));
    this.set({ vocabulary });
    this.box.value = vocabulary;
    this.announce(verdict(this.rows, vocabulary));
  }

  buildHead() {
    this.sorters = Object.fromEntries([["paper", "row"], ...COLUMNS].map(([order, text]) => [order,
      make("button", { type: "button", class: "view-sort", "data-order": order, onclick: () => this.sort(order) }, text)]));
    const cell = (child) => make("th", { scope: "col" }, child), [first, ...others] = Object.values(this.sorters);
    const axis = make("div", { class: "var-axis" }, ...TICKS.map((v) => make("span", { style: `left:${percent(v)}%` }, whole(v))));
    return make("thead", {}, make("tr", {}, cell(first), ...HEADS.map((text) => make("th", { scope: "col", class: "var-size" }, text)),
      ...others.map(cell),
      make("th", { scope: "col", class: "var-strip", "aria-label": "vocabularies that would explain the printed count" }, axis)));
  }

  sort(order) {
    const down = order === this.get("order") ? !this.get("down") : order !== "paper" && order !== "ppl";
    this.set({ order, down });
    this.announce(`sorted by ${this.sorters[order].textContent}, ${down ? "largest first" : "smallest first"}`);
  }

  buildRow(row) {
    const button = make("button", { type: "button", class: "var-name", onclick: () => this.pick(row) }, row.name);
    const cells = { params: make("td", { class: "var-exact" }), off: make("td"), cost: make("td") };
    const sizes = SIZES.map((name) => make("td", { class: `var-size ${row[name] === this.base[name] ? "var-same" : "var-new"}` },
      brief(row[name])));
    const printed = [row.ppl.toFixed(2), row.bleu.toFixed(1), missing(row.millions) ? "" : `${row.millions} M`];
    const ends = vocabularies(row), strip = make("div", { class: "var-lane" }), bar = ends && make("span", { class: "var-bar" });
    if (bar) {
      Object.assign(bar.style, { left: `${percent(ends[0])}%`, width: `${percent(ends[1]) - percent(ends[0])}%` });
      bar.title = `${row.name}: V from ${whole(ends[0])} to ${whole(ends[1] - 1)} prints ${row.millions} M`;
      strip.append(bar);
    }
    const line = make("tr", { "data-name": row.name, onclick: () => this.pick(row) }, make("th", { scope: "row" }, button), ...sizes,
      ...printed.map((text) => make("td", {}, text)), ...Object.values(cells),
      make("td", { class: "var-strip", onpointerdown: (event) => this.drag(event), onpointermove: (event) => this.drag(event) }, strip));
    return { row, line, button, bar, cells };
  }

  // --------------------------------------------------------------------------------------------- gestures

  pick(row, focus = false) {
    this.set({ picked: row.name });
    if (focus) this.lines[row.name].button.focus();
    this.announce(spoken(row, this.get("vocabulary")));
  }

  /** Up and down walk through the rows as they are sorted; Home and End go to the ends. */
  walk(event) {
    const step = { ArrowUp: -1, ArrowDown: 1, Home: -99, End: 99 }[event.key];
    if (!step || chord(event)) return;
    const rows = this.shown();
    this.pick(rows[clamp(rows.indexOf(this.picked) + step, rows.length)], true);
    event.preventDefault();
  }

  /** The pointer held down in the lanes carries V along. */
  drag(event) {
    if (!(event.buttons & 1)) return;
    const lane = event.currentTarget.firstChild.getBoundingClientRect();
    this.turn(LOW + ((HIGH - LOW) * (event.clientX - lane.left)) / lane.width);
    event.preventDefault();
  }

  // ---------------------------------------------------------------------------------------- texts and states

  shown() { return ordered(this.rows, this.get("order"), this.get("down"), this.get("vocabulary"), this.get("n")); }

  wear() {
    const vocabulary = this.get("vocabulary"), n = this.get("n"), order = this.get("order");
    this.bar.value = vocabulary;
    this.bar.setAttribute("aria-valuetext", `V = ${whole(vocabulary)}`);
    if (document.activeElement !== this.box) this.box.value = vocabulary;
    this.length.value = n;
    say(this.many, `n = ${n}`);
    this.root.style.setProperty("--var-v", `${percent(vocabulary)}%`);
    Object.assign(this.root.dataset, { vocabulary, picked: this.picked.name,
      met: this.rows.filter((row) => fits(row, vocabulary)).length });
    for (const [name, button] of Object.entries(this.sorters)) {
      button.parentElement.setAttribute("aria-sort", name !== order ? "none" : this.get("down") ? "descending" : "ascending");
    }
    this.wearRows(vocabulary, n);
    say(this.told, verdict(this.rows, vocabulary));
    this.page.replaceChildren(...this.pageOf(this.picked, vocabulary, n));
  }

  wearRows(vocabulary, n) {
    if (!this.sorted) {
      this.sorted = this.shown();
      const focused = document.activeElement;
      this.body.replaceChildren(...this.sorted.map((row) => this.lines[row.name].line));
      if (this.body.contains(focused)) focused.focus();
    }
    for (const { row, line, button, bar, cells } of Object.values(this.lines)) {
      const off = key(row, "off", vocabulary, n), met = fits(row, vocabulary), here = row === this.picked;
      say(cells.params, whole(parameters(row, vocabulary)));
      say(cells.off, off === null ? "" : `${signed(off)} M`);
      say(cells.cost, (sum(costParts(row, vocabulary, n)) / 1e6).toFixed(1));
      cells.cost.title = `${whole(sum(costParts(row, vocabulary, n)))} multiply-adds for a source and a target token`;
      for (const node of [cells.off, bar]) node?.classList.toggle("var-met", Boolean(met));
      line.setAttribute("aria-selected", String(here));
      button.setAttribute("aria-pressed", String(here));
      button.tabIndex = here ? 0 : -1;
    }
  }

  pageOf(row, vocabulary, n) {
    const base = this.base, self = row === base;
    const ppl = self ? "" : ` (${signed(row.ppl - base.ppl)})`, bleu = self ? "" : ` (${signed(row.bleu - base.bleu, 1)})`;
    const lines = [`Paper: perplexity ${row.ppl.toFixed(2)}${ppl}, BLEU ${row.bleu.toFixed(1)}${bleu}, ${whole(row.steps)} steps.`,
      ...row.ours.map((line) => `Here, small: ${line}.`)];
    return [
      make("div", {}, make("p", { class: "var-title" }, make("b", {}, row.name), ` ${changed(row, base)}`),
        make("p", { class: "view-source" }, row.code), small("the line of PAPER_TABLE_3 in transformer_core.py:"),
        make("p", { class: "view-source" }, row.line), ...lines.map((line) => make("p", { class: "var-line" }, line))),
      this.bars("Parameters", (one) => parameterParts(one, vocabulary), row, "million"),
      this.bars(`Multiply-adds for a source and a target token, n = ${n}`, (one) => costParts(one, vocabulary, n), row, "million"),
    ];
  }

  /** Parts of the picked row and of base as two bars on one scale, and as numbers. */
  bars(title, partsOf, row, unit) {
    const both = row === this.base ? [row] : [row, this.base], most = Math.max(...both.map((one) => sum(partsOf(one))));
    const bar = (one) => make("div", { class: "var-stack", role: "img",
      "aria-label": `${title}, ${one.name}: ${whole(sum(partsOf(one)))}` },
      span("var-who", one.name), make("span", { class: "var-track" }, ...partsOf(one).map(([name, value], i) =>
        make("span", { class: `var-part var-part${i}`, style: `width:${(100 * value) / most}%`, title: `${name}: ${whole(value)}` }))));
    const parts = both.map((one) => [...partsOf(one), ["together", sum(partsOf(one))]]);
    const cells = parts[0].map(([name], i) => make("tr", {}, make("th", { scope: "row" },
      i < parts[0].length - 1 ? span(`var-key var-part${i}`, "") : null, name),
      ...parts.map((of) => make("td", { title: whole(of[i][1]) }, (of[i][1] / 1e6).toFixed(2)))));
    return make("div", { class: "var-bars" }, make("b", {}, title), ...both.map(bar),
      table("var-parts", [unit, ...both.map((one) => one.name)], cells));
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "vocabulary V": "how many tokens the vocabulary has, which the paper leaves open",
  "vocabulary V, exactly": "the same number, typed", "n, tokens on each side": "the length for which multiply-adds are counted",
  ".view-sort": "sort by this column", ".var-name": "choose this row", ".view-chip": "set this vocabulary",
};

export default widget(View, HINTS);
