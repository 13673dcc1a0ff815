// BLEU taken apart: two sentences that may be typed, their n-grams held against each other, and every step to the score.
//
// Everything is computed here, in the order in which sacreBLEU does it (the tests hold the two against each other), so no
// Python is needed; where there is one, sacreBLEU's own score stands beside.

import {
  MONO, SANS, SPACES, Stage, board, choice, clamp, controls, field, fitted, headline, label, make, number, prepared,
  say, span, table, walkTabs, widget, wordsOf, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

export const ORDERS = 4;
export const SMOOTHING = { exp: null, none: null, floor: 0.1, "add-k": 1 };   // sacreBLEU's, with its default values

const AT_THE_END = new RegExp(`${SPACES.source}$`);
const MARKS = [["<skipped>", ""], ["-\n", ""], ["\n", " "], ["&quot;", '"'], ["&amp;", "&"], ["&lt;", "<"], ["&gt;", ">"]];
const RULES = {
  "13a": [   // punctuation apart; period and comma unless between digits; a dash after a digit
    [/([{-~[-` -&(-+:-@/])/gu, " $1 "], [/([^0-9])([.,])/gu, "$1 $2 "], [/([.,])([^0-9])/gu, " $1 $2"], [/([0-9])(-)/gu, "$1 $2 "],
  ],
  intl: [[/(\P{N})(\p{P})/gu, "$1 $2 "], [/(\p{P})(\P{N})/gu, " $1 $2"], [/(\p{S})/gu, " $1 "]],
  char: [[/(.)/gsu, "$1 "]],
  none: [],
};

/** A sentence's tokens by one of sacreBLEU's tokenizers. */
export function tokens(text, tokenize = "13a", lowercase = false) {
  let line = (lowercase ? text.toLowerCase() : text).replace(AT_THE_END, "");
  if (tokenize === "13a") line = ` ${MARKS.reduce((so_far, [from, to]) => so_far.replaceAll(from, to), line)} `;
  return wordsOf(RULES[tokenize].reduce((so_far, [from, to]) => so_far.replace(from, to), line));
}

/** The n-grams that begin at each token, as text; a token holds no space, so no two different ones read alike. */
export const ngrams = (words, n) => words.slice(0, Math.max(0, words.length - n + 1)).map((_, i) => words.slice(i, i + n).join(" "));

const placesOf = (all) => {
  const places = new Map();
  all.forEach((text, i) => places.set(text, [...(places.get(text) ?? []), i]));
  return places;
};

/** Each different n-gram of the hypothesis: its places in both sentences, and how often it counts: no more than in either. */
export function matches(hypothesis, reference, n) {
  const there = placesOf(ngrams(reference, n));
  return [...placesOf(ngrams(hypothesis, n))].map(([text, here]) => {
    const found = there.get(text) ?? [];
    return { text, here, there: found, counts: Math.min(here.length, found.length) };
  });
}

/** What a score is made of: both lengths, and for n = 1 to 4 how many n-grams count and how many there are. */
export function statistics(hypothesis, reference) {
  const lists = Array.from({ length: ORDERS }, (_, i) => matches(hypothesis, reference, i + 1));
  const sum = (list, number) => list.reduce((total, one) => total + number(one), 0);
  return {
    c: hypothesis.length, r: reference.length,
    correct: lists.map((list) => sum(list, ({ counts }) => counts)), total: lists.map((list) => sum(list, ({ here }) => here.length)),
  };
}

/** The factor for a hypothesis that is too short: exp(1 - r/c), or as the slides print it, min(1, c/r). */
export function brevityFactor(c, r, brevity = "standard") {
  if (c >= r) return 1;
  if (c === 0) return 0;
  return brevity === "printed" ? c / r : Math.exp(1 - r / c);
}

/** Precisions in percent, smoothed where nothing counts, and how many of them the mean is taken over. */
function precisionsOf({ correct, total }, smooth, value, effective) {
  const precisions = Array(ORDERS).fill(0), add = (i) => (smooth === "add-k" && i > 0 ? value : 0);
  let order = ORDERS, halves = 1;
  for (let i = 0; i < ORDERS; i++) {
    const [right, all] = [correct[i] + add(i), total[i] + add(i)];
    if (all === 0) break;
    if (effective) order = i + 1;
    if (right > 0) precisions[i] = 100 * right / all;
    else if (smooth === "exp") precisions[i] = 100 / ((halves *= 2) * all);
    else if (smooth === "floor") precisions[i] = 100 * value / all;
  }
  return { precisions, order };
}

/** BLEU from its statistics, as sacreBLEU computes it; mean is the geometric mean of the first `order` precisions. */
export function bleu(counted, { smooth = "exp", value = SMOOTHING[smooth], effective = false, brevity = "standard" } = {}) {
  const factor = brevityFactor(counted.c, counted.r, brevity);
  if (!counted.correct.some(Boolean)) return { score: 0, mean: 0, factor, precisions: Array(ORDERS).fill(0), order: ORDERS };
  const { precisions, order } = precisionsOf(counted, smooth, value, effective);
  const logs = precisions.slice(0, order).reduce((sum, precision) => sum + Math.log(precision), 0);
  const mean = Math.exp(logs / order);
  return { score: factor * mean, mean, factor, precisions, order };
}

/** From 100 down to the score: what each precision's root takes away, the mean, what brevity takes away, the score. */
export function waterfall({ score, mean, factor, precisions, order }) {
  let left = 100;
  const falls = precisions.map((precision, i) => {
    const by = i < order ? (precision / 100) ** (1 / order) : 1, from = left;
    left *= by;
    return { kind: "precision", n: i + 1, precision, by, from, to: left, used: i < order };
  });
  return [...falls, { kind: "mean", from: 0, to: mean }, { kind: "brevity", by: factor, from: mean, to: score },
    { kind: "score", from: 0, to: score }];
}

/** What sacreBLEU calls its signature: how a score was made. */
export function signature({ lowercase, effective, tokenize, smooth }, version) {
  const value = SMOOTHING[smooth] === null ? "" : `[${SMOOTHING[smooth].toFixed(2)}]`;
  return `nrefs:1|case:${lowercase ? "lc" : "mixed"}|eff:${effective ? "yes" : "no"}`
    + `|tok:${tokenize}|smooth:${smooth}${value}|version:${version}`;
}

/** How all n-grams of a sentence fare: "counts", "clipped" (the other has too few of them) or "none". */
export function fates(all, list, side) {
  const known = new Map(list.map((one) => [one.text, one]));
  return all.map((text, i) => {
    const one = known.get(text);
    if (!one || !one.counts) return "none";
    return one[side].indexOf(i) < one.counts ? "counts" : "clipped";
  });
}

/** Where tokens stand that are as wide as these, in lines of a page; a token wider than the page has a line of its own. */
export function laidOut(widths, width, gap) {
  let x = 0, line = 0;
  return widths.map((wide) => {
    if (x > 0 && x + wide > width) [x, line] = [0, line + 1];
    const place = { x, line, wide };
    x += wide + gap;
    return place;
  });
}

/** The bar of the n tokens from `first` on, one part for each line of the page that it lies in. */
export function barParts(places, first, n) {
  const parts = [];
  for (const { x, line, wide } of places.slice(first, first + n)) {
    const last = parts.at(-1);
    if (last?.line === line) last.right = x + wide;
    else parts.push({ line, left: x, right: x + wide });
  }
  return parts;
}

/** Places as a reader counts them: 1-2 and 6-7. */
export const spoken = (places, n) => places.map((at) => (n === 1 ? `${at + 1}` : `${at + 1}–${at + n}`)).join(", ");

/** What a pair of sentences is called, and what the corner says of it: as it opened, an example's, or the reader's own. */
export function calledBy({ title, shows, opened, examples }, hypothesis, reference) {
  if (opened[0] === hypothesis && opened[1] === reference) return { title, shows };
  const one = examples.find((example) => example.hypothesis === hypothesis && example.reference === reference);
  return one ? { title: one.name, shows: one.shows ?? shows } : { title: "A pair of your own", shows: "typed here" };
}

const DIGITS = "₀₁₂₃₄", ROOTS = ["", "first", "second", "third", "fourth"], POWERS = ["", "", "½", "⅓", "¼"];

// ------------------------------------------------------------------------------------------------------- the view

const TRAITS = ["hypothesis", "reference", "tokenize", "lowercase", "smooth", "effective", "brevity", "n"];
const SETTINGS = ["tokenize", "lowercase", "smooth", "effective", "brevity"];
const TOKENIZERS = [["13a", "13a (the usual)"], ["none", "none: as typed"], ["intl", "intl"], ["char", "characters"]];
const SMOOTHINGS = [["none", "none"], ["exp", "exp (the usual)"], ["floor", "floor 0.1"], ["add-k", "add 1"]];
const BREVITIES = [["standard", "exp(1 − r/c), standard"], ["printed", "min(1, c/r), the slides'"]];
const SIDES = { here: ["hypothesis", "Hypothesis"], there: ["reference", "Reference"] };
const LINE = { tall: 68, text: 24, bars: 38, lane: 7, bar: 5, gap: 12, edge: 4 };

class View extends Stage {
  constructor(model, el) {
    super(model, el, "BLEU taken apart");
    this.start(TRAITS);
  }

  get settings() { return Object.fromEntries(SETTINGS.map((name) => [name, this.get(name)])); }

  /** All that follows from the traits, worked out once for each of their states. */
  get work() {
    const { hypothesis, reference, n, ...settings } = Object.fromEntries(TRAITS.map((name) => [name, this.get(name)]));
    const key = JSON.stringify([hypothesis, reference, n, settings]);
    if (this.worked?.key !== key) {
      const words = { here: tokens(hypothesis, settings.tokenize, settings.lowercase),
        there: tokens(reference, settings.tokenize, settings.lowercase) };
      const counted = statistics(words.here, words.there), list = matches(words.here, words.there, n), result = bleu(counted, settings);
      this.worked = { key, n, words, counted, list, result, falls: waterfall(result) };
      if (!list.some(({ text }) => text === this.gram)) this.gram = (list.find(({ counts }) => counts) ?? list[0])?.text;
    }
    return this.worked;
  }

  // ---- the page

  load() {
    this.title = headline();
    this.places = {};
    this.told = make("div", { class: "bleu-told" });
    this.sum = make("div", { class: "bleu-sum" });
    this.proof = make("div", { class: "view-small bleu-proof" });
    this.list = make("div", { class: "view-wide bleu-list", tabindex: 0, role: "group", "aria-label": "n-grams of the hypothesis" });
    this.chart = this.steps();
    this.frame(this.title,
      this.controls(), this.sentence("here"), this.sentence("there"), this.runs(), this.told,
      make("div", { class: "bleu-below" }, this.list, make("div", {}, this.chart, this.sum, this.proof)));
  }

  controls() {
    const { examples } = this.get("meta"), pick = (name) => ({ target }) => this.set({ [name]: target.value });
    const tick = (name) => make("input", { type: "checkbox", onchange: ({ target }) => this.set({ [name]: target.checked }) });
    this.example = choice("Example", [["", "your own"], ...examples.map(({ name }, i) => [i, name])],
      ({ target }) => target.value && this.open(examples[target.value]));
    this.picks = { tokenize: choice("Tokens", TOKENIZERS, pick("tokenize")), smooth: choice("Smoothing", SMOOTHINGS, pick("smooth")),
      brevity: choice("Brevity factor", BREVITIES, pick("brevity")) };
    this.ticks = { lowercase: tick("lowercase"), effective: tick("effective") };
    const shown = examples.length ? [field("Example", this.example)] : [];
    return controls(...shown, field("Tokens", this.picks.tokenize),
      make("label", { class: "view-field" }, this.ticks.lowercase, "lower case"), field("Brevity factor", this.picks.brevity),
      field("Smoothing", this.picks.smooth), make("label", { class: "view-field" }, this.ticks.effective, "only orders that exist"));
  }

  open({ name, shows, ...traits }) {
    this.set(traits);
    this.announce(() => this.summary());
  }

  sentence(side) {
    const [trait, name] = SIDES[side], input = make("input", { type: "text", class: "bleu-input", "aria-label": name, spellcheck: "false",
      autocomplete: "off", maxlength: this.get("meta").longest, oninput: () => this.set({ [trait]: input.value }) });
    const label = `${name}: its n-grams as bars. Arrow keys left and right walk them, up and down change n.`;
    const canvas = board({ class: "bleu-board", "aria-label": label, "data-board": trait }, {
      at: (x, y) => this.under(side, x, y), look: (found) => found && this.point(found.text), key: (event) => this.walk(event, side),
    });
    Object.assign(this.inputs ??= {}, { [side]: input });
    Object.assign(this.boards ??= {}, { [side]: canvas });
    return make("div", { class: "bleu-side" },
      make("label", { class: "view-field bleu-field" }, span("view-name bleu-name", name), input), canvas);
  }

  runs() {
    const open = (n) => this.set({ n: Number(n) });
    this.orders = Object.fromEntries([1, 2, 3, 4].map((n) => [n, make("button", { class: "view-all bleu-order", onclick: () => open(n),
      onkeydown: (event) => walkTabs(event, this.orders, String(this.get("n")), open) }, `n = ${n}`)]));
    const key = (kind, text) => make("span", { class: "bleu-key" }, make("i", { class: `bleu-${kind}` }), text);
    return make("div", { class: "bleu-orders" }, span("view-name", "Runs of n tokens"), ...Object.values(this.orders),
      key("counts", "counts"),
      key("clipped", "clipped: the other sentence has no more of them"), key("none", "not in the other sentence"));
  }

  steps() {
    const at = (x) => this.columns?.findIndex(({ left, right }) => x >= left && x < right);
    return board({ class: "bleu-steps", "data-board": "steps",
      "aria-label": "From the precisions to the score. Arrow keys walk the steps." }, {
      at: (x) => (at(x) >= 0 ? { step: at(x) } : null), look: (found) => this.hover(found?.step ?? null),
      click: ({ step }) => step < ORDERS && this.set({ n: step + 1 }), key: (event) => this.walkSteps(event),
    });
  }

  // ---- pointing

  under(side, x, y) {
    const places = this.places[side] ?? [], { n, words } = this.work, all = ngrams(words[side], n), line = Math.floor(y / LINE.tall);
    const inside = (first) => barParts(places, first, n).some((part) => part.line === line && x >= part.left - 2 && x <= part.right + 2);
    const lane = Math.floor((y - line * LINE.tall - LINE.bars) / LINE.lane), hits = all.map((_, i) => i).filter(inside);
    const best = hits.find((i) => i % n === lane) ?? hits.find((i) => places[i].line === line && x >= places[i].x) ?? hits.at(-1);
    return best === undefined ? null : { text: all[best] };
  }

  point(text, aloud = false) {
    this.gram = text;
    if (aloud) this.announce(() => this.about(text));
    this.schedule();
  }

  walk(event, side) {
    const { n, words } = this.work, step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], order = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (order) {
      this.set({ n: clamp(n + order - 1, ORDERS) + 1 });
      this.announce(() => this.summary());
      return true;
    }
    const all = ngrams(words[side], n);
    if (!step || !all.length) return Boolean(step);
    const here = all[this.at?.[side]] === this.gram ? this.at[side] : all.indexOf(this.gram);
    const next = clamp(here + step, all.length);
    this.at = { ...this.at, [side]: next };
    this.point(all[next], true);
    return true;
  }

  hover(step) {
    if (this.step === step) return;
    this.step = step;
    this.schedule();
  }

  atPointer(canvas) { return canvas.dataset.board === "steps" && this.step !== null ? this.aboutStep(this.step) : ""; }

  walkSteps(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Enter" && this.step < ORDERS) this.set({ n: this.step + 1 });
    else if (by) this.hover(clamp((this.step ?? (by > 0 ? -1 : ORDERS + 3)) + by, ORDERS + 3));
    else return false;
    this.announce(() => this.aboutStep(this.step));
    return true;
  }

  // ---- words

  /** An n-gram: where it stands in both sentences, and how often it counts. */
  about(text) {
    const { n, words, list } = this.work, one = list.find((known) => known.text === text);
    const there = one?.there ?? ngrams(words.there, n).flatMap((other, i) => (other === text ? [i] : []));
    if (!one) return there.length
      ? `“${text}” stands in the reference only (at ${spoken(there, n)}): nothing looks for it, for recall is not counted.` : "";
    const where = there.length ? `and ${there.length} × in the reference (at ${spoken(there, n)})` : "and not in the reference";
    const many = `${one.counts || "none"} count${one.counts === 1 ? "s" : ""}`;
    const counts = one.counts < one.here.length && one.counts ? `clipped: ${many}, not ${one.here.length}` : many;
    return `“${text}” stands ${one.here.length} × in the hypothesis (at ${spoken(one.here, n)}) ${where}: ${counts}.`;
  }

  fraction(i) {
    const { counted } = this.work;
    return `${counted.correct[i]}/${counted.total[i]}`;
  }

  aboutStep(step) {
    const { falls, result, counted } = this.work, fall = falls[step];
    if (!fall) return "";
    const several = result.order > 1, mean = several ? `Geometric mean of the ${result.order} precisions` : "The one precision";
    if (fall.kind === "mean") return `${mean}: ${written(fall.to)} %.`;
    if (fall.kind === "brevity") return `Brevity: ${counted.c} tokens against ${counted.r}, factor ${written(fall.by)}.`;
    if (fall.kind === "score") return `BLEU ${fall.to.toFixed(4)}.`;
    if (!fall.used) return `p${DIGITS[fall.n]}: the hypothesis has no run of ${fall.n} tokens, so this order is left out.`;
    const smoothed = this.smoothed(step) ? ", smoothed," : "";
    const root = several ? `its ${ROOTS[result.order]} root, ${written(fall.by)},` : "it";
    return `p${DIGITS[fall.n]} = ${this.fraction(step)}${smoothed} = ${written(fall.precision)} %; `
      + `${root} takes ${written(fall.from)} to ${written(fall.to)}.`;
  }

  /** Whether a precision is not the plain fraction. */
  smoothed(i) {
    const { counted, result } = this.work;
    return result.precisions[i] !== (counted.total[i] > 0 ? 100 * counted.correct[i] / counted.total[i] : 0);
  }

  summary() {
    const { n, list, result } = this.work, sum = list.reduce((total, { counts }) => total + counts, 0);
    return `n = ${n}: ${sum} of ${this.work.counted.total[n - 1]} count. BLEU ${result.score.toFixed(4)}.`;
  }

  // ---- texts and states

  wear() {
    for (const [side, [trait]] of Object.entries(SIDES)) {
      if (this.inputs[side].value !== this.get(trait)) this.inputs[side].value = this.get(trait);
    }
    const { examples } = this.get("meta"), called = calledBy(this.get("meta"), this.get("hypothesis"), this.get("reference"));
    const here = examples.findIndex((one) =>
      Object.entries(one).every(([name, value]) => ["name", "shows", "n"].includes(name) || this.get(name) === value));
    this.example.value = here >= 0 ? String(here) : "";
    say(this.title, called.title);
    say(this.badge, called.shows);
    for (const [name, select] of Object.entries(this.picks)) select.value = this.get(name);
    for (const [name, box] of Object.entries(this.ticks)) box.checked = this.get(name);
    for (const [n, tab] of Object.entries(this.orders)) {
      tab.setAttribute("aria-pressed", String(Number(n) === this.get("n")));
      tab.tabIndex = Number(n) === this.get("n") ? 0 : -1;
    }
    this.wearList();
    this.wearSum();
    say(this.told, this.step === null || this.step === undefined ? (this.gram ? this.about(this.gram) : "Type a hypothesis.")
      : this.aboutStep(this.step));
  }

  /** Every different n-gram of the hypothesis with its three counts. */
  wearList() {
    const { key, list, n, counted } = this.work, state = `${key} ${this.gram}`;
    if (this.listed === state) return;
    const scroll = this.listed?.startsWith(key) ? this.list.scrollTop : 0;
    this.listed = state;
    const cell = (text, name) => make("td", { class: name }, String(text));
    const rows = list.map(({ text, here, there, counts }) =>
      make("tr", { "aria-selected": String(text === this.gram), onpointerenter: () => this.point(text) },
        make("th", { scope: "row", class: "bleu-gram", title: text }, text), cell(here.length), cell(there.length),
        cell(counts, counts === 0 ? "view-quiet" : counts < here.length ? "bleu-less" : "")));
    const total = make("tr", { class: "view-here" }, make("th", { scope: "row" }, `all: p${DIGITS[n]} = ${this.fraction(n - 1)}`),
      cell(counted.total[n - 1]), cell(""), cell(counted.correct[n - 1]));
    this.list.replaceChildren(table("bleu-table", [n === 1 ? "token" : `${n} tokens`, "hypothesis", "reference", "counts"],
      [total, ...rows]));
    this.list.scrollTop = scroll;
  }

  /** The sum in one line, and what stands behind it. */
  wearSum() {
    const { result, counted } = this.work, { order, factor, score } = result;
    const parts = result.precisions.slice(0, order).map((precision, i) => (this.smoothed(i) ? written(precision / 100) : this.fraction(i)));
    const text = counted.correct.some(Boolean) ? `BLEU = ${written(factor)} × (${parts.join(" × ")})` : "Not one token counts";
    this.sum.replaceChildren(text, ...(counted.correct.some(Boolean) ? [make("sup", {}, POWERS[order]), ` = ${written(score / 100)} → `]
      : [" → "]),
      make("b", { title: score.toPrecision(12) }, score.toFixed(4)));
    const { sacrebleu } = this.get("meta"), printed = this.get("brevity") === "printed";
    const made = printed ? "the slides' brevity factor: not sacreBLEU's, so it has no signature" : signature(this.settings, sacrebleu);
    const some = counted.correct.some(Boolean) && result.precisions.some((_, i) => this.smoothed(i));
    const mine = some ? `* smoothed · ${made}` : made;
    const theirs = this.theirs?.key === this.work.key && !printed ? this.theirs.score : null;
    say(this.proof,
      theirs === null ? mine
      : `${mine} · sacreBLEU in Python: ${theirs.toFixed(4)}${this.agrees(theirs) ? ", equal to 12 digits" : ", NOT equal"}`);
    Object.assign(this.root.dataset, { score: score.toPrecision(12), theirs: theirs === null ? "" : theirs.toPrecision(12),
      n: this.get("n") });
    this.ask(printed);
  }

  agrees(theirs) { return Math.abs(theirs - this.work.result.score) <= 1e-12 * theirs; }

  /** sacreBLEU's own score of what stands here, once for each state. */
  ask(printed) {
    if (printed || this.asked === this.work.key) return;
    this.asked = this.work.key;
    this.tell({ ask: "sacrebleu", key: this.work.key, hypothesis: this.get("hypothesis"), reference: this.get("reference"),
      ...this.settings });
  }

  answered({ answer, key, score }) {
    if (answer === "sacrebleu" && score !== undefined) this.theirs = { key, score };
  }

  // ---- canvases

  paint() {
    for (const side of Object.keys(SIDES)) this.drawSentence(side, this.boards[side]);
    this.drawSteps();
  }

  drawSentence(side, canvas) {
    const { n, words, list } = this.work, ctx = canvas.getContext("2d"), width = canvas.clientWidth;
    ctx.font = `15px ${MONO}`;
    const room = width - 2 * LINE.edge, widths = words[side].map((word) => Math.min(ctx.measureText(word).width, room));
    this.places[side] = laidOut(widths, room, LINE.gap).map((place) => ({ ...place, x: place.x + LINE.edge }));
    const lines = (this.places[side].at(-1)?.line ?? 0) + 1, tall = `${lines * LINE.tall}px`;
    if (canvas.style.height !== tall) canvas.style.height = tall;
    const page = prepared(canvas);
    if (!page) return;
    const all = ngrams(words[side], n), tokensOf = (i) => Array.from({ length: n }, (_, k) => i + k);
    const chosen = new Set(all.flatMap((text, i) => (text === this.gram ? tokensOf(i) : [])));
    this.drawTokens(page.ctx, words[side], this.places[side], chosen);
    fates(all, list, side).forEach((fate, i) => this.drawBar(page.ctx, this.places[side], i, n, fate, all[i] === this.gram));
  }

  drawTokens(ctx, words, places, chosen) {
    words.forEach((word, i) => {
      const { x, line, wide } = places[i], top = line * LINE.tall;
      ctx.textAlign = "left";
      if (chosen.has(i)) {
        ctx.fillStyle = this.look.line;
        ctx.fillRect(x - 3, top + 13, wide + 6, 23);
      }
      ctx.font = `${chosen.has(i) ? "700 " : ""}15px ${MONO}`;
      ctx.fillStyle = this.look.ink;
      ctx.fillText(fitted(ctx, word, wide + 1), x, top + LINE.text);
      ctx.font = `13px ${SANS}`;
      ctx.fillStyle = this.look.quiet;
      ctx.fillText(String(i + 1), x, top + 7);
    });
  }

  drawBar(ctx, places, first, n, fate, chosen) {
    for (const { line, left, right } of barParts(places, first, n)) {
      const y = line * LINE.tall + LINE.bars + (first % n) * LINE.lane, wide = right - left;
      ctx.fillStyle = fate === "counts" ? this.look.value : fate === "clipped" ? this.look.wrong : this.look.line;
      if (fate === "none") ctx.fillRect(left, y + LINE.bar / 2 - 1, wide, 2);
      else if (fate === "counts") ctx.fillRect(left, y, wide, LINE.bar);
      else for (let x = left; x < right; x += 5) ctx.fillRect(x, y, Math.min(3, right - x), LINE.bar);
      if (!chosen) continue;
      ctx.strokeStyle = this.look.ink;
      ctx.lineWidth = 1.5;
      ctx.strokeRect(left - 1.5, y - 1.5, wide + 3, LINE.bar + 3);
    }
  }

  drawSteps() {
    const page = prepared(this.chart);
    if (!page) return;
    const { ctx, width, height } = page, { falls } = this.work, left = 34, top = 22, base = height - 44,
      wide = (width - left - 2) / falls.length;
    const y = (value) => base - (base - top) * value / 100;
    ctx.font = `13px ${SANS}`;
    for (const value of [0, 25, 50, 75, 100]) {
      ctx.fillStyle = this.look.line;
      ctx.fillRect(left, Math.round(y(value)), width - left, 1);
      ctx.fillStyle = this.look.quiet;
      ctx.textAlign = "right";
      ctx.fillText(String(value), left - 6, y(value));
    }
    this.columns = falls.map((_, i) => ({ left: left + i * wide, right: left + (i + 1) * wide }));
    falls.forEach((fall, i) => this.drawStep(ctx, fall, i, this.columns[i].left, wide, y, base));
  }

  drawStep(ctx, fall, i, x, wide, y, base) {
    const half = wide * 0.36, middle = x + wide / 2, sums = fall.kind === "mean" || fall.kind === "score";
    const box = (from, to, at, broad) => ctx.fillRect(at, y(Math.max(from, to)), broad, Math.max(1, Math.abs(y(from) - y(to))));
    if (this.step === i) {
      ctx.fillStyle = this.look.line;
      ctx.globalAlpha = 0.5;
      ctx.fillRect(x, 0, wide, base + 44);
      ctx.globalAlpha = 1;
    }
    if (fall.kind === "precision") {
      ctx.fillStyle = this.look.value;
      ctx.globalAlpha = fall.n === this.get("n") ? 1 : 0.55;
      box(0, fall.precision, middle - half, half - 1);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = sums ? this.look.ink : this.look.quiet;
    box(fall.from, fall.to, fall.kind === "precision" ? middle + 1 : middle - half, fall.kind === "precision" ? half - 1 : 2 * half);
    this.joinSteps(ctx, fall, i, x, wide, y);
    this.nameStep(ctx, fall, i, middle, wide, y, base);
  }

  /** A thin line at the height from which the next step goes on. */
  joinSteps(ctx, fall, i, x, wide, y) {
    if (i === ORDERS + 2) return;
    ctx.strokeStyle = this.look.quiet;
    ctx.lineWidth = 1;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(x + wide * 0.86, Math.round(y(fall.to)) + 0.5);
    ctx.lineTo(x + wide * 1.14, Math.round(y(fall.to)) + 0.5);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  nameStep(ctx, fall, i, middle, wide, y, base) {
    const { result, counted } = this.work, root = POWERS[result.order];
    const named = { mean: ["mean", "geometric"], score: ["BLEU", ""],
      brevity: [`× ${written(fall.by ?? 0)}`, `${wide > 104 ? "brevity " : ""}${counted.c} : ${counted.r}`] };
    const [first, second] = fall.kind === "precision" ? [`p${DIGITS[fall.n]} ${this.fraction(i)}${this.smoothed(i) ? "*" : ""}`,
      fall.used ? `${wide > 90 ? `p${root} = ` : `${root}: `}${written(fall.by)}` : "left out"] : named[fall.kind];
    ctx.textAlign = "center";
    ctx.font = `600 13px ${SANS}`;
    ctx.fillStyle = this.look.ink;
    ctx.fillText(fitted(ctx, first, wide - 4), middle, base + 14);
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = this.look.quiet;
    ctx.fillText(fitted(ctx, second, wide - 2), middle, base + 32);
    if (fall.kind === "brevity") return;
    ctx.fillStyle = this.look.ink;
    ctx.font = `${fall.kind === "precision" ? "" : "700 "}13px ${SANS}`;
    const at = fall.kind === "precision" ? middle - wide * 0.18 : middle, value = fall.kind === "precision" ? fall.precision : fall.to;
    ctx.fillText(written(value), at, Math.min(y(value) - 9, base - 9));
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Example": "a hypothesis and its reference to begin with", "Tokens": "how text is cut before it is compared",
  "lower case": "ignore case in both", "Brevity factor": "what short output costs",
  "Smoothing": "what an order without a match counts", "only orders that exist": "leave out n-grams longer than the hypothesis",
  "Hypothesis": "the translation that is scored; type in it", "Reference": "what it is compared with; type in it",
  ".bleu-order": "the n-grams of this length",
};

export default widget(View, HINTS);
