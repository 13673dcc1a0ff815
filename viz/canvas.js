// What every view's script shares: colours, numbers, elements, canvases, and `Stage`, which a view extends.
//
// A view's script begins with one import from this file; viz/canvas.py puts this text in its place, for a widget's script
// is loaded from memory, where no file lies beside it; so a view takes none of the names here for its own. No globals, no ids, no
// network; tokens reach the page as text only.

import { Pen, vectorOf } from "./vector.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The colour's number (0..255) of a weight: on a fixed scale from 0 to 1, or to the row's largest. */
export function level(weight, top, sqrt) {
  const share = top > 0 ? Math.min(weight / top, 1) : 0;
  return Math.round(255 * (sqrt ? Math.sqrt(share) : share));
}

/** What Python sent, a DataView or any piece of a buffer, as bytes, and as the numbers of canvas.py's `floats`. */
export const bytesOf = (data) => new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0, data.byteLength);
export const floatsOf = (data) => new Float32Array(bytesOf(data).slice().buffer);

/** The weight that a byte of canvas.py's `packed` stands for. */
export const WEIGHT = Float32Array.from({ length: 256 }, (_, byte) => (byte / 255) ** 2);

/** Three significant digits of an exact number, two and ≈ of one decoded from a byte. */
export function written(number, exact = true) {
  if (number === 0) return exact ? "0" : "≈0";
  const digits = Math.max(0, (exact ? 2 : 1) - Math.floor(Math.log10(Math.abs(number))));
  const text = digits > 6 ? number.toExponential(exact ? 2 : 1) : number.toFixed(digits);
  return (exact ? "" : "≈") + text.replaceAll("-", "−");
}

/** Whole numbers with commas from 1,000 on, others with three digits. */
export const commas = (number) => (Math.abs(number) >= 1000 ? Math.round(number).toLocaleString("en-US") : written(number));

// What the eye cannot see or what moves its neighbours: controls, marks of direction, characters without width, halves of
// pairs, joiners that join nothing, and of combining marks the fifth one on. As in viz/theme.py.
const TOWER = "[\\u0300-\\u036f\\u0483-\\u0489\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u20d0-\\u20ff\\ufe20-\\ufe2f]";
const HIDDEN = new RegExp("[\\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\xad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f"
  + "\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0"
  + "\\ufff9-\\ufffb\\ufffe\\uffff\\u{e0000}-\\u{e007f}\\ud800-\\udfff]"
  + `|(?<![^\\0-\\xff])[\\u200c\\u200d]|[\\u200c\\u200d](?![^\\0-\\xff])|(?<=${TOWER}{4})${TOWER}`, "gu");
const LEFTWARD = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;   // written from right to left
const named = (text) => text.replace(HIDDEN, (one) => `[U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

/** Text as every view shows it: what cannot be seen is written as its number, [U+202E], so that nothing of a token hides
 * or turns its neighbours round. What `visible` has set apart stays so. */
export const evident = (text) => text.replace(/\u2068([^\u2066-\u2069]*)\u2069|[^\u2068]+|\u2068/gu,
  (part, apart) => (apart === undefined ? named(part) : `\u2068${named(apart)}\u2069`));

/** A token with its word boundary in view, and what cannot be seen spelled out; from right to left only within itself. */
export function visible(token) {
  const text = token === "" ? "∅" : named(token.replace(/\n/g, "⏎").replace(/\t/g, "⇥").replace(/ /g, "␣"));
  return LEFTWARD.test(text) ? `\u2068${text}\u2069` : text;
}

/** White space, and the words between it, as Python's str.split sees them. */
export const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
export const many = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
export const wordsOf = (text) => text.split(SPACES).filter(Boolean);

/** Sub-words joined into the word they spell; byte pieces such as <0xC3> become the characters they encode. */
export function joined(pieces) {
  const spelled = pieces.join("").replace(/[▁Ġ]/g, " ").replace(/(.)##/g, "$1").trim();
  const text = spelled.replace(/(<0x[0-9A-F]{2}>)+/g, (bytes) =>
    new TextDecoder().decode(Uint8Array.from(bytes.match(/[0-9A-F]{2}(?=>)/g), (byte) => parseInt(byte, 16))));
  return text || pieces.join("");
}

/** A scale given as hexadecimal digits, as numbers that an ImageData's Uint32Array takes. */
export function lookup(hex) {
  return Uint32Array.from({ length: hex.length / 6 }, (_, i) => {
    const rgb = parseInt(hex.slice(6 * i, 6 * i + 6), 16);
    return (0xff000000 | ((rgb & 255) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
  });
}

/** How slanted labels of columns stand: the steeper where cells are small. */
export const slantOf = (cell) => (cell >= 19 ? Math.PI / 4 : Math.PI / 2.6);

/** The height that the widest of such labels takes. */
export const slantRoom = (widest) => 0.94 * widest + 16;

/** Where a map's cells lie in a canvas, left and top the pixels that names take: square cells, none above `most` pixels; key labels
 * slant up, the steeper where small. */
export function mapLayout(width, height, rows, cols, left, top, right = 8, bottom = 8, most = 30) {
  const cell = Math.max(1, Math.min(most, (width - left - right) / cols, (height - top - bottom) / rows));
  return { left, top, cell, rows, cols, slant: slantOf(cell), right: left + cell * cols, bottom: top + cell * rows };
}

/** Where the slanted label of a column begins. */
export const labelStart = ({ left, top, cell }, col) => [left + (col + 0.5) * cell + 2, top - 6];

/** The row and column under a point, -1 for none: a row's label gives only the row, a column's only the column. */
export function hit(layout, x, y) {
  const rise = labelStart(layout, 0)[1] - y, beside = rise > 0 ? 2 + rise / Math.tan(layout.slant) : 0;   // along the slant
  const row = Math.floor((y - layout.top) / layout.cell), col = Math.floor((x - beside - layout.left) / layout.cell);
  const inRows = row >= 0 && row < layout.rows, inCols = col >= 0 && col < layout.cols;
  return { row: inRows && x < layout.right ? row : -1, col: inCols && y < layout.bottom ? col : -1 };
}

/** A logarithmic axis: from values to pixels, and back. */
export function logAxis(low, high, from, to) {
  const span = Math.log(high / low);
  return { low, high, at: (value) => from + ((to - from) * Math.log(value / low)) / span,
    value: (place) => low * Math.exp((span * (place - from)) / (to - from)) };
}

/** A whole number as an exponent: 19 is ¹⁹. */
export const raised = (power) => [...String(power)].map((digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)]).join("");

/** The powers of a base on an axis, no more of them than fit. */
export function powersOn({ low, high }, base, most) {
  const powers = [];
  for (let power = Math.ceil(Math.log(low) / Math.log(base) - 1e-9); base ** power <= high * (1 + 1e-9); power++) powers.push(power);
  const every = Math.ceil(powers.length / most);
  return powers.filter((power) => power % every === 0).map((power) => base ** power);
}

/** Labels that want to stand at these heights, pushed apart until each has its gap, inside [low, high]. */
export function pushedApart(wanted, gap, low, high) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]), places = [...wanted];
  let floor = low;
  for (const i of order) { places[i] = Math.max(places[i], floor); floor = places[i] + gap; }
  let ceiling = high;
  for (const i of order.reverse()) { places[i] = Math.min(places[i], ceiling); ceiling = places[i] - gap; }
  return places;
}

/** What the reader's hand has changed: for each gesture the values before it, and those of the very first. */
export class Past {
  constructor(get) { Object.assign(this, { get, first: {}, steps: [] }); }

  /** Of these values by name, those that differ from what there is now. */
  differing(values) {
    return Object.fromEntries(Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(this.get(name))));
  }

  now(names) { return Object.fromEntries(Object.keys(names).map((name) => [name, this.get(name)])); }

  /** Before a change: what one gesture changes, however often, is one step; passing: names that are no step by themselves. */
  keep(changes, gesture, passing = []) {
    const before = this.now(this.differing(changes)), step = this.steps.at(-1);
    this.first = { ...before, ...this.first };
    if (step && step.gesture === gesture) step.before = { ...before, ...step.before };
    else if (Object.keys(before).some((name) => !passing.includes(name))) this.steps.push({ gesture, before });
  }

  /** What to set to be one step back; nothing where nothing was changed. */
  back() {
    let changes = {};
    while (this.steps.length && !Object.keys(changes).length) changes = this.differing(this.steps.pop().before);
    return changes;
  }

  get start() { return this.differing(this.first); }        // what to set to be where all began
  get state() { return this.now(this.start); }              // what is otherwise than at first
  get any() { return this.steps.some(({ before }) => Object.keys(this.differing(before)).length); }
}

/** Rows of cells as CSV (RFC 4180): numbers with all their digits. */
export const asCsv = (rows) => rows.map((row) => row.map((cell) => {
  const text = String(cell ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(",")).join("\r\n") + "\r\n";

/** A trait's value as Python writes it. */
export function pythonic(value) {
  if (Array.isArray(value)) return `[${value.map(pythonic).join(", ")}]`;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, part]) => `${JSON.stringify(name)}: ${pythonic(part)}`).join(", ")}}`;
}

/** The Python that makes a view as it stands: its call, then what the reader has changed since. */
export const callOf = ({ text, view }, state) => [text, ...Object.entries(state).map(([name, value]) =>
  `${view}.${name} = ${pythonic(value)}`)].join("\n") + "\n";

/** How many predictions came true, of guesses [question, answer, right]; a question that was passed over has the answer −1. */
export function tally(guesses) {
  const made = guesses.filter(([, answer]) => answer >= 0), right = made.filter(([, , isRight]) => isRight);
  return made.length ? `${right.length} of ${made.length} right` : "";
}

/** What a cell of a table says, as CSV has it: of a number the digits that a hover shows, no signs of type, no commas. */
export function plainCell({ title, textContent }) {
  if (title && Number.isFinite(Number(title))) return title;
  const text = textContent.trim();
  return /^[−-]?\d{1,3}(,\d{3})*(\.\d+)?$|^[−-]?\d+(\.\d+)?$/.test(text) ? text.replace("−", "-").replaceAll(",", "") : text;
}

/** The words that views use and the paper takes for known; notebook 00 has the same table. */
export const TERMS = {
  "ablation": "a part taken out, its output set to zero or to its mean, to see what it was good for",
  "AER": "alignment error rate: the share of links that are wrong or missing beside gold ones, 0 to 1",
  "beam": "the likeliest hypotheses, kept side by side while a translation is searched",
  "bf16": "numbers of 16 bits in place of fp32's 32, as far-reaching, with fewer digits: half the bytes, often several times as fast",
  "BLEU": "how many runs of one to four words a translation shares with its reference, 0 to 100",
  "cross-attention": "attention in which the decoder's queries read the encoder's keys and values",
  "d_k": "how many numbers a query or a key of one head has",
  "d_model": "how many numbers stand for one token between the layers",
  "entropy": "how spread a distribution is, in nats: 0 if all lies on one, ln n if n share it evenly",
  "FLOP": "one addition or one multiplication of two numbers",
  "head": "one of several attentions side by side, with projections of its own",
  "hypothesis": "a translation that has been begun, with its log-probability",
  "int8": "weights as whole numbers from −127 to 127, one scale for each row: a quarter of the bytes, nearly the same answers",
  "label smoothing": "teaching a little of every token beside the right one, so that none is taken for certain",
  "layer norm": "a token's numbers brought to mean 0 and variance 1, then scaled and shifted as learned",
  "length penalty": "what a log-probability is divided by, so that long translations are not at a loss",
  "log-probability": "ln of a probability: 0 for certain, −0.69 for one in two, −2.3 for one in ten",
  "logit": "a token's score before the softmax makes a probability of it",
  "nats": "the unit of natural logarithms: one in two is 0.69 nats, one in ten 2.3",
  "nll": "negative log-likelihood: −ln of the probability of the right token; less is better",
  "perplexity": "e to the nll: as unsure as a fair choice among so many tokens",
  "piece": "a word or a part of one: what the vocabulary has and the model reads",
  "query": "what a token looks for; the keys say what the others have, the values what they give",
  "residual": "x + Sublayer(x): what goes around a sub-layer is added to what comes out of it",
  "softmax": "e to each score, divided by their sum: shares that are positive and sum to 1",
  "special token": "a token that stands for no word: it begins a sentence, ends it or fills a row",
  "sub-layer": "an attention or a feed-forward network; the residual connection leads around it, the norm comes after",
  "teacher-forced": "reading the reference's tokens, not its own, to say how likely each next one is",
  "warm-up": "the first steps of a training, over which the learning rate rises",
};

/** What a canvas' label says of gestures; what it says of the picture is for who does not see it. */
export function gesturesIn(label) {
  const gesture = (text) => /\b(arrows?|walk|enter|click)\b/i.test(text), sentences = label.split(/(?<=\.) /).filter(gesture);
  return sentences.map((sentence) => {
    const clauses = sentence.split("; "), said = clauses.slice(clauses.findIndex(gesture)).join("; "), [name, ...rest] = said.split(": ");
    return gesture(name) || !rest.length ? said : rest.join(": ");
  }).join(" ").replace(/\.$/, "");
}

/** The terms in a text, longest first, each [term, what it means]; a plural counts. */
export function termsIn(text) {
  const names = Object.keys(TERMS).sort((one, other) => other.length - one.length), letter = "[\\p{L}\\p{N}_-]";
  const forms = (name) => `${name.replace(/y$/, "(?:y|ie)")}(?:s|es)?`;
  const within = (name) => new RegExp(`(?<!${letter})${forms(name)}(?!${letter})`, /[A-Z]/.test(name) ? "u" : "iu").test(text);
  return names.filter(within).map((name) => [name, TERMS[name]]);
}

// ------------------------------------------------------------------------------------------------ page elements

// After the generic face those that have Korean and emoji, before a browser's own guess; as in canvas.css.
const WORDS = ["Noto Sans KR", "Noto Sans CJK KR", "Apple SD Gothic Neo", "Malgun Gothic", "Noto Color Emoji", "Apple Color Emoji",
  "Segoe UI Emoji"].map((face) => `'${face}'`).join(", ");
export const MONO = `ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace, ${WORDS}`;
export const SANS = `system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif, ${WORDS}`;

const NAMED = { Korean: /\p{Script=Hangul}/u, "Chinese or Japanese": /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  emoji: /\p{Emoji_Presentation}/u, "another script": /./su };
const shapes = new Map();   // of letters, as data addresses

function shapeOf(letter) {
  if (!shapes.has(letter)) {
    const ctx = make("canvas", { width: 24, height: 24 }).getContext("2d");
    ctx.font = `16px ${SANS}`;
    ctx.fillText(letter, 2, 18);
    shapes.set(letter, ctx.canvas.toDataURL());
  }
  return shapes.get(letter);
}

/** What of a text no font here has: its letters look like one that none can have. (Firefox's boxes differ, so there: nothing.) */
export function fontless(text) {
  const odd = new Set(text.match(/(?!\p{Script=Latin})\p{L}|\p{Emoji_Presentation}/gu));
  const boxes = [...odd].filter((letter) => shapeOf(letter) === shapeOf("\u{10fffd}"));
  return [...new Set(boxes.map((letter) => Object.keys(NAMED).find((name) => NAMED[name].test(letter))))];
}

const SAID = new Set(["title", "aria-label"]);

/** An element; strings among the children become text, never markup, with what cannot be seen spelled out. */
export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (SAID.has(name) && typeof value === "string") node.setAttribute(name, evident(value));
    else if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined).map(asText));
  return node;
}

const asText = (child) => (typeof child === "string" ? evident(child) : child);

/** Other children for an element; strings become text, as `make` has them. */
export const refill = (node, ...children) => node.replaceChildren(...children.map(asText));

export function say(node, text) {
  const shown = evident(String(text));
  if (node.textContent !== shown) node.textContent = shown;
}
export const chord = (event) => event.ctrlKey || event.metaKey || event.altKey;
export const quietKeys = (event) => { if (!chord(event)) event.stopPropagation(); };   // else JupyterLab takes them as commands

const CONTROLS = "button, select, input, textarea";

/** What a control does, by the name that is read out or by a class of its own. */
function hintOf(control, label, hints) {
  const name = control.getAttribute("aria-label") ?? (label ?? control).textContent.trim();
  return hints[name] ?? hints[`.${[...control.classList].find((kind) => `.${kind}` in hints)}`] ?? "";
}

/** What names or describes something: there a term is explained to whoever points at it. */
const LABELLED = "th, label, legend, figcaption, summary, .view-name, .view-caption, .view-tab, .view-note, .view-small";

/** What does not fit its place is whole on hover. */
function shownWhole(node) {
  if (!node.title && !node.childElementCount && node.scrollWidth > node.clientWidth + 1) node.title = node.textContent;
}

export function slider(label, range, oninput) {
  return make("input", { type: "range", "aria-label": label, ...range, oninput });
}

/** Whether the reader has asked for less motion. */
const still = () => window.matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Where an event is on its element, in the element's own pixels, also where the page is drawn larger. */
export function pointIn({ currentTarget: node, clientX, clientY }) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return [(clientX - left) * node.clientWidth / width, (clientY - top) * node.clientHeight / height];
}

/** A canvas that the pointer and the keyboard walk: `at` finds the place under the pointer, `key` says if it took a key. */
export function board(attributes, { at, look, click, key }) {
  const canvas = make("canvas", { tabindex: 0, role: "application", ...attributes });
  const place = (event) => at(...pointIn(event));
  canvas.addEventListener("pointermove", (event) => { const found = place(event); if (found) look(found); });
  canvas.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") look(null); });   // a finger's place stays
  canvas.addEventListener("blur", () => look(null));
  canvas.addEventListener("click", (event) => {
    const found = place(event);
    if (found) look(found);
    if (found && click) click(found);
  });
  canvas.addEventListener("keydown", (event) => {
    if (!chord(event) && key(event)) event.preventDefault();
  });
  return canvas;
}

/** Arrow keys along a tab list: opens the neighbour of the tab that is open, and goes there. tabs: its buttons by name. */
export function walkTabs(event, tabs, here, open) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key], names = Object.keys(tabs);
  if (!step || chord(event)) return;
  const next = names[(names.indexOf(here) + step + names.length) % names.length];
  open(next);
  tabs[next].focus();
  event.preventDefault();
}

export function choice(label, options, onchange) {
  return make("select", { "aria-label": label, "data-key": label, onchange },
    ...options.map(([value, text]) => make("option", { value }, text)));
}

let pens = null;   // of each canvas, while a view is drawn as SVG

/** Size a canvas's buffer to what the page gives it, and return a context in CSS pixels. */
export function prepared(canvas) {
  const ratio = (window.devicePixelRatio || 1) * (canvas.currentCSSZoom ?? 1), { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return null;
  if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
  if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
  const ctx = spelling(canvas.getContext("2d"));
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.textBaseline = "middle";
  const pen = pens && new Pen(ctx, `canvas-${pens.size}`, evident);
  pens?.set(canvas, pen);
  return { ctx: pen?.context ?? ctx, width, height };
}

/** A context that draws what cannot be seen as `evident` writes it. */
function spelling(ctx) {
  ctx.fillText = (text, ...place) => Object.getPrototypeOf(ctx).fillText.call(ctx, evident(text), ...place);
  return ctx;
}

const LONGEST = 1000;   // characters of a label that are measured: more than any canvas has room for

/** Text cut to a width with …; the whole of it is in the line of numbers on hover. */
export function fitted(ctx, text, width) {
  const shown = evident(text.slice(0, LONGEST));
  if (text.length <= LONGEST && ctx.measureText(shown).width <= width) return shown;
  let fits = 1, n = shown.length;
  while (fits + 1 < n) {
    const half = (fits + n) >> 1;
    if (ctx.measureText(`${shown.slice(0, half)}…`).width > width) n = half; else fits = half;
  }
  const cut = `${shown.slice(0, fits).replace(/[\ud800-\udbff]$/, "")}…`;
  return cut.lastIndexOf("\u2068") > cut.lastIndexOf("\u2069") ? `${cut}\u2069` : cut;
}

export const span = (name, text) => make("span", { class: name }, text);
export const chip = (text, onclick, more = {}) => make("button", { type: "button", class: "view-chip", onclick, ...more }, text);

/** A control with its name before it, and a name for several controls; `controls` holds them in a row. */
export const field = (name, ...nodes) => make("label", { class: "view-field" }, span("view-name", name), ...nodes);
export const fields = (name, ...nodes) => make("span", { class: "view-field" }, span("view-name", name), ...nodes);
export const controls = (...nodes) => make("div", { class: "view-controls" }, ...nodes);

/** What a view is about, in its frame's upper left corner. */
export const headline = (...words) => make("div", { class: "view-sentence" }, ...words);

/** A button that copies a text, and says so. */
export function copier(label, text) {
  const press = async () => {
    try { await navigator.clipboard.writeText(text); } catch { return say(button, "not copied: select the text"); }
    say(button, "copied");
  };
  const button = make("button", { type: "button", class: "view-copy", "aria-label": label, "data-key": label, onclick: press }, "copy");
  return button;
}

export const small = (text) => make("div", { class: "view-small" }, text);
/** An entry of a legend: its mark, and what that stands for. */
export const legendKey = (mark, text) => make("span", { class: "dec-key" }, span(mark, ""), text);
export const hint = (text) => make("p", { class: "view-hint" }, text);
export const missing = (value) => value === null || value === undefined;
export const number = (value, exact = true) => make("td", { title: exact ? value.toPrecision(8) : undefined }, written(value, exact));

export function table(name, heads, rows) {
  return make("table", { class: name }, make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows));
}

/** A text on a canvas, its middle at y, at x its left end, its right one or its middle. */
export function label(ctx, text, x, y, font, colour, align = "left") {
  Object.assign(ctx, { font, fillStyle: colour, textAlign: align });
  ctx.fillText(text, x, y);
}

/** A map's names, each [text, colour, bold], cut to the room there is; above: pixels that the columns' leave free; every: of how
 * many columns one has a name. */
export function mapLabels(ctx, layout, rows, columns, size = 13, above = 8, every = 1) {
  const { left, top, cell, slant } = layout, apart = Math.max(8, Math.min(size, 0.92 * every * cell * Math.sin(slant)));
  const write = ([text, colour, bold], size, room, x, y, turn, align) => {
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate(turn);
    ctx.font = `${bold ? "700 " : ""}${size}px ${MONO}`;
    label(ctx, fitted(ctx, text, room), 0, 0, ctx.font, colour, align);
    ctx.restore();
  };
  rows.forEach((name, row) => write(name, Math.max(8, Math.min(size, cell + 2)), left - 8, left - 6, top + (row + 0.5) * cell, 0, "right"));
  columns.forEach((name, col) => write(name, apart, (top - above) / Math.sin(slant), ...labelStart(layout, col), -slant, "left"));
}

/** How an arrow key moves, [row, column]; and a number that counts from 0 held among n. */
export const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
export const clamp = (i, n) => Math.min(Math.max(i, 0), n - 1);

/** Colour numbers, one a cell, as a picture scaled to the layout: one image whatever the number of cells. */
export function paintCells(ctx, numbers, colours, { rows, cols, left, top, right, bottom }) {
  const image = new ImageData(cols, rows), pixels = new Uint32Array(image.data.buffer), scratch = new OffscreenCanvas(cols, rows);
  numbers.forEach((number, i) => { pixels[i] = colours[number]; });
  scratch.getContext("2d").putImageData(image, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(scratch, 0, 0, cols, rows, left, top, right - left, bottom - top);
}

/** A line through points, in the colour, width and dashes that are set. */
export function stroke(ctx, points) {
  ctx.beginPath();
  points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
  ctx.stroke();
}

export function disc(ctx, x, y, radius) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fill();
}

/** The frame of a map and, where cells are large enough, the lines between them. */
export function paintGrid(ctx, { left, top, right, bottom, cell, rows, cols }, colour) {
  const line = (x0, y0, x1, y1) => { ctx.moveTo(x0, y0); ctx.lineTo(x1, y1); }, crisp = (x) => Math.round(x) + 0.5;
  ctx.lineWidth = 1;
  ctx.strokeStyle = colour;
  ctx.beginPath();
  for (let r = 1; cell >= 9 && r < rows; r++) line(left, crisp(top + r * cell), right, crisp(top + r * cell));
  for (let c = 1; cell >= 9 && c < cols; c++) line(crisp(left + c * cell), top, crisp(left + c * cell), bottom);
  ctx.rect(Math.round(left) + 0.5, Math.round(top) + 0.5, Math.round(right - left), Math.round(bottom - top));
  ctx.globalAlpha = 0.6;
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** A scale of colours, given as hexadecimal digits, with what its ends stand for below it. */
export function paintScale(ctx, scale, [left, top], [low, high], look, wide = 100) {
  for (let x = 0; x < wide; x++) {
    const at = 6 * Math.round((scale.length / 6 - 1) * x / (wide - 1));
    ctx.fillStyle = `#${scale.slice(at, at + 6)}`;
    ctx.fillRect(left + x, top, 1, 9);
  }
  Object.assign(ctx, { lineWidth: 1, strokeStyle: look.line });
  ctx.strokeRect(left - 0.5, top - 0.5, wide + 1, 10);
  label(ctx, low, left, top + 20, `13px ${SANS}`, look.quiet);
  label(ctx, high, left + wide, top + 20, ctx.font, look.quiet, "right");
}

/** How many cells of the notebook around a view run or wait; 0 where there is no notebook. */
const cellsToGo = (root) => [...root.closest(".jp-Notebook")?.querySelectorAll(".jp-InputPrompt") ?? []]
  .filter((prompt) => prompt.textContent.includes("*")).length;

/** Whoever has all cells run is led to the last one by JupyterLab: back to the notebook's first view, when it comes. */
function keepInSight(root) {
  const notebook = root.closest(".jp-Notebook"), cell = root.closest(".jp-CodeCell");
  const last = [...notebook?.querySelectorAll(".jp-Cell") ?? []].at(-1);
  if (!cell || cell !== notebook.querySelector(".jp-CodeCell") || cell === last || !last.classList.contains("jp-mod-active")) return;
  const { top, bottom } = notebook.getBoundingClientRect(), place = last.getBoundingClientRect();
  if (place.bottom > top && place.top < bottom) root.closest(".jp-OutputArea-output").scrollIntoView();
}

// ---------------------------------------------------------------------------------------------------- its toolbar

const SEEN = "viz: a view's gestures were shown";
const GESTURES = [
  ["input[type=range]", "sliders", "drag, or arrow keys once they have the focus"],
  ["canvas[role=application]", "pictures", "point to read numbers; Tab goes in"],
  [".view-tab", "tabs", "arrow keys open the next one"],
];
const WRITES = "input:is([type=text], [type=search], [type=number], :not([type])), textarea";

const inSight = (node) => node.clientWidth > 0;

/** Hand a file to the reader. */
function handOver(content, type, name) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** An SVG as PNG, two pixels to a point. */
async function asPng(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const page = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  page.getContext("2d").drawImage(image, 0, 0, page.width, page.height);
  return new Promise((done, failed) => page.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
}

/** The bar of every view, one stop for Tab, arrow keys inside; and the panel below it: help, what was done, a text to copy. */
class Tools {
  constructor(view) {
    this.view = view;
    const always = () => true;
    this.list = [
      ["undo", "↶", "Undo (Ctrl+Z or ⌘Z)", () => view.undo(), always],
      ["reset", "↺", "Reset: everything as it was at first", () => view.reset(), always],
      ["full", "⤢", "Full screen, larger; Esc leaves it", () => this.full(), () => document.fullscreenEnabled],
      ["png", "PNG", "Save the picture as PNG", () => this.png(), always],
      ["svg", "SVG", "Save the picture as SVG, sharp at every size", () => this.svg(), always],
      ["csv", "CSV", "Save the numbers as CSV", () => this.csv(), () => view.csv || this.tables.length],
      ["call", "code", "Copy the code, the Python that makes this view", () => this.copy(callOf(this.meta.call, view.past.state)),
        () => this.meta.call],
      ["state", "state", "Copy the state, what you have changed, as JSON", () => this.copy(JSON.stringify(view.past.state)), always],
      ["link", "link", "Copy a link, an address that opens this view as it stands", () => this.copy(view.model.address()),
        () => view.model.address],
      ["help", "?", "Help: what can be done here, and what its words mean", () => this.help(), always],
    ];
    this.buttons = Object.fromEntries(this.list.map(([name, sign, title, press]) => [name, make("button", { type: "button",
      class: "view-tool", "data-tool": name, title, "aria-label": title, onclick: (event) => this.press(event, press) }, sign)]));
    this.bar = make("div", { class: "view-tools", role: "toolbar", "aria-label": "This view", onkeydown: (event) => this.walk(event) },
      ...Object.values(this.buttons));
    this.panel = make("div", { class: "view-panel", role: "status", hidden: true });
    this.node = make("div", { class: "view-corner", onkeydown: (event) => this.leave(event) }, this.bar, this.panel);
    this.here = "undo";
  }

  get meta() { return this.view.get("meta"); }
  get tables() { return [...this.view.root.querySelectorAll("table")].filter(inSight); }
  get file() { return this.view.root.getAttribute("aria-label").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-"); }

  wear() {
    const { past, model } = this.view, idle = { undo: !past.any && !this.view.get("typed"),
      reset: !Object.keys(past.start).length && !model.moved?.() };
    for (const [name, , , , there] of this.list) this.buttons[name].hidden = !there();
    if (this.buttons[this.here].hidden) this.here = "undo";
    for (const [name, button] of Object.entries(this.buttons)) {
      button.tabIndex = name === this.here ? 0 : -1;
      if (name in idle) button.setAttribute("aria-disabled", idle[name]);
    }
    if (!this.panel.hidden && this.shows === "help") this.renew();
  }

  /** Help that stays open speaks of the view as it is by now. */
  renew() {
    const fresh = make("div", {}, ...this.advice());
    if (fresh.textContent !== this.panel.textContent) refill(this.panel, ...fresh.childNodes);
  }

  walk(event) {
    const shown = Object.keys(this.buttons).filter((name) => !this.buttons[name].hidden), at = shown.indexOf(this.here);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: shown.length - 1 }[event.key];
    if (to === undefined || chord(event)) return;
    this.here = shown[(to + shown.length) % shown.length];
    this.wear();
    this.buttons[this.here].focus();
    event.preventDefault();
  }

  async press({ currentTarget }, act) {
    const open = !this.panel.hidden && this.shows === currentTarget.dataset.tool;
    this.close();
    this.here = currentTarget.dataset.tool;
    if (open) return;
    try { await act(); } catch (error) { this.tell(`This browser does not do it here: ${error.message}`); }
    this.view.schedule();
  }

  // ---- the panel

  open(...nodes) {
    refill(this.panel, ...nodes);
    this.shows = this.here;
    this.panel.classList.remove("view-passing");
    this.panel.tabIndex = 0;   // its text may be longer than it is
    this.panel.hidden = false;
  }

  close() {
    clearTimeout(this.passing);
    this.panel.hidden = true;
  }

  /** Escape shuts the panel, and leaves the keyboard on the button that opened it. */
  leave(event) {
    if (event.key !== "Escape" || this.panel.hidden) return;
    this.close();
    this.buttons[this.here].focus();
    event.stopPropagation();
  }

  /** Say it for some seconds, over what lies below: nothing moves, and what is clicked is what lies below. */
  pass(...nodes) {
    this.open(...nodes);
    this.panel.classList.add("view-passing");
    this.panel.tabIndex = -1;
    this.shows = "";   // no button shuts it: each does what it says
    this.passing = setTimeout(() => this.close(), 8000);
  }

  tell(text) { this.pass(text); }

  /** What can be done here: with what the view holds, then with each button. */
  help(passing = false) { this[passing ? "pass" : "open"](...this.advice(passing)); }

  advice(short = false) {
    const { root } = this.view, labels = [...root.querySelectorAll("canvas[role=application]")].filter(inSight)
      .map((node) => gesturesIn(node.getAttribute("aria-label"))).filter(Boolean);
    const lines = GESTURES.filter(([where]) => [...root.querySelectorAll(where)].some(inSight)).map(([, ...line]) => line);
    if (labels.length) lines.push(["inside", [...new Set(labels)].join("\n")]);
    const signs = this.list.filter(([name]) => !this.buttons[name].hidden).map(([, sign, title]) => [sign, title]);
    const words = short ? [] : termsIn(this.readText), list = (entries) => make("dl", {},
      ...entries.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
    return [list([...lines, ...signs]), ...(words.length ? [make("b", {}, "Words"), list(words)] : [])];
  }

  /** What there is to read in the view and in the lines above it, this panel left out. */
  get readText() {
    const { root } = this.view, asks = root.closest(".pg-view")?.previousElementSibling;
    const around = root.closest(".jp-OutputArea-output") ?? root;
    return `${asks?.matches(".pg-asks") ? asks.innerText : ""} ${around.innerText.replace(this.panel.innerText, () => "")}`;
  }

  /** To whom uses a view for the first time in this browser, help comes by itself. */
  greet() {
    if (this.met) return;
    this.met = true;
    try {
      if (localStorage.getItem(SEEN)) return;
      localStorage.setItem(SEEN, "yes");
    } catch { return; }
    this.help(true);
  }

  // ---- what the buttons do

  full() { return this.view.root.matches(":fullscreen") ? document.exitFullscreen() : this.view.root.requestFullscreen(); }

  async png() { handOver(await asPng(this.picture()), "image/png", `${this.file}.png`); }

  svg() { handOver(this.picture(), "image/svg+xml", `${this.file}.svg`); }

  /** The view as it stands, as SVG: its canvases draw once more, and what they draw is kept. */
  picture() {
    const { view } = this, leftOut = ".view-tools, .view-panel, .view-live, .view-tip";
    pens = new Map();
    try {
      view.wear();
      view.paint();
      return vectorOf(view.root, pens, { paper: view.look.page, margin: 12, leftOut });
    } finally {
      pens = null;
    }
  }

  csv() {
    const { view, tables } = this, cells = (table) => [...table.rows].map((row) => [...row.cells].map(plainCell));
    const label = (table) => table.getAttribute("aria-label"), title = (table) => (label(table) ? [[label(table)]] : []);
    const named = (table, i) => [...(i ? [[]] : []), ...title(table), ...cells(table)];
    const rows = view.csv ? view.csv() : tables.length > 1 ? tables.flatMap(named) : cells(tables[0]);
    handOver(asCsv(rows), "text/csv;charset=utf-8", `${this.file}.csv`);
  }

  async copy(text) {
    try { await navigator.clipboard.writeText(text); } catch { return this.offer(text); }
    this.pass("Copied:", make("pre", {}, text.length > 600 ? `${text.slice(0, 600)}…` : text));
  }

  /** The clipboard was refused: a field that holds the text, selected. */
  offer(text) {
    const field = make("textarea", { readonly: true, rows: 4, "aria-label": "text to copy" });
    field.value = text;
    this.open("Copy it by Ctrl+C or ⌘C:", field);
    field.select();
  }
}

// ------------------------------------------------------------------------------------------- predict, then reveal

/**
 * A line below a view's controls that asks before something is shown: a question, a chip for each answer, then what was right.
 *
 * The view has the traits predict, whether it asks at all, and guesses, [question, answer, right] of what has been answered: each
 * question is asked once, and what is answered can be taken back as all that set() changes. The view says what is asked, as
 * { name, asks, choices: [[answer, text]], judge(answer): { right, said, often }, next: changes }, or { none, next } where there is
 * nothing to ask, and hides what would tell as long as isOpen(question); often: what people usually get wrong, "" where it is not that.
 */
export class Challenge {
  constructor(view) {
    this.view = view;
    this.node = make("div", { class: "view-challenge", role: "group", "aria-label": "Predict", tabindex: -1, hidden: true,
      onkeydown: (event) => this.walk(event) });
  }

  answerTo(name) { return this.view.get("guesses").find(([asked]) => asked === name); }

  /** Whether a question waits for its answer. */
  isOpen(question) { return Boolean(question?.name && this.view.get("predict") && !this.answerTo(question.name)); }

  answer(question, answer) {
    const { view } = this;
    if (!this.isOpen(question)) return;
    const right = answer >= 0 && question.judge(answer).right;
    view.set({ guesses: [...view.get("guesses"), [question.name, answer, right]] });
    view.schedule();
    view.announce(() => this.told);
  }

  /** What stands here, without its chips, to be spoken. */
  get told() { return [...this.node.children].filter((part) => !part.matches("button")).map((part) => part.textContent).join(" "); }

  /** Arrow keys go along the chips, which are one stop for Tab. */
  walk(event) {
    const chips = [...this.node.querySelectorAll(".view-chip")], at = chips.indexOf(event.target);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: chips.length - 1 }[event.key];
    if (at < 0 || to === undefined || chord(event)) return;
    event.preventDefault();
    chips.forEach((each, n) => { each.tabIndex = n === clamp(to, chips.length) ? 0 : -1; });
    chips[clamp(to, chips.length)].focus();
  }

  wear(question) {
    const { view, node } = this, answered = question?.name && this.answerTo(question.name), count = tally(view.get("guesses"));
    node.hidden = !view.get("predict");
    if (node.hidden || !question) return;
    view.fill(node, [question.name, question.none, answered, count, question.choices], () => {
      const goOn = question.next && chip("next", () => this.goOn(question.next), { "data-key": "next", "aria-label": "Next question" });
      const parts = question.none ? [hint(question.none)] : answered ? this.verdict(question, answered) : this.asked(question);
      return [...parts, question.none || answered ? goOn : null, count ? span("view-quiet", count) : null];
    });
    [...node.querySelectorAll(".view-chip")].forEach((each, n) => { each.tabIndex = n ? -1 : 0; });
  }

  goOn(changes) {
    this.view.set(changes);
    this.view.schedule();
    this.view.announce(() => this.told);
  }

  asked(question) {
    const chips = question.choices.map(([answer, text]) =>
      chip(text, () => this.answer(question, answer), { "data-key": `answer ${answer}` }));
    return [span("view-name", question.asks), ...chips, chip("show it", () => this.answer(question, -1), { "data-key": "show it",
      class: "view-chip view-quiet" })];
  }

  verdict(question, [, answer, right]) {
    const { said, often } = question.judge(answer), shown = answer < 0 ? "Shown: " : right ? "Right: " : "Not so: ";
    return [make("b", {}, shown), make("span", {}, said), often ? make("span", { class: "view-often" }, often) : null];
  }
}

// ------------------------------------------------------------------------------------------------------ the stage

const PAPER = 690, LAID_OUT = 1010;   // CSS pixels across a sheet of A4, within its margins; and of a view before it is made smaller
const TINTS = ["page", "ink", "quiet", "line", "query", "key", "value", "wrong"];

/** Say in the note where boxes stand for letters of what is shown or typed. */
function spell(root, note) {
  const typed = [...root.querySelectorAll("input, textarea")].map(({ value }) => value);
  const names = fontless([root.textContent, ...typed].join(" "));
  note.hidden = !names.length;
  say(note, names.length ? `This browser has no font for ${names.join(" and ")}, and shows boxes.` : "");
}

/**
 * What every view shares: it repaints when a trait, the size or the page's theme changes, asks Python and goes on without it.
 *
 * A view extends it: its constructor calls super, sets its own fields, then start(traits), the names of those it draws. It
 * defines load() (take new data and build the page with frame(); runs again when `meta` or `data` changes), wear() (texts and
 * states) and paint() (canvases); wear and paint run once an animation frame at most. What the pointer is on is a field of the
 * view's own, no trait, and schedule() draws it. A view that plays has at, last and go(place), and a button that calls play(pace).
 *
 * The bar asks nothing of a view: what goes through set() can be taken back. csv(), where a view has it, gives the rows of
 * numbers that are saved, the first with their names; else they are those of the tables in sight.
 */
export class Stage {
  constructor(model, el, label) {
    this.model = model;
    this.root = make("div", { class: "view", role: "group", "aria-label": label, onkeydown: quietKeys,
      onpointerover: ({ target }) => shownWhole(target), onpointermove: (event) => this.follow(event),
      onpointerleave: () => this.follow(null) });
    this.tip = make("div", { class: "view-tip", "aria-hidden": "true", hidden: true });   // a line of the view says it aloud
    this.tablists = new Map();
    this.past = new Past((name) => this.get(name));
    this.gesture = {};
    for (const kind of ["pointerdown", "keydown"]) this.root.addEventListener(kind, (event) => this.touched(event), true);
    for (const kind of ["pointerover", "focusin"]) this.root.addEventListener(kind, () => this.tools?.greet());
    this.aside = make("p", { class: "view-notice", role: "status", hidden: true });
    el.append(make("div", { class: "view-beside" }, this.aside), this.root);
  }

  // ---- the frame

  /** The page of every view: what it is about and, in the corner, what it shows; then its parts; last the line that is spoken. */
  frame(about, ...parts) {
    const { shows } = this.get("meta"), top = about instanceof Node ? about : headline(about);
    this.badge = make("span", { class: "view-badge", title: "what this picture shows" }, typeof shows === "string" ? shows : "");
    this.live = make("div", { class: "view-live", "aria-live": "polite", role: "status" });
    this.fontNote = make("div", { class: "view-note", role: "status", hidden: true });
    const { cursor } = this, inBar = this.tools?.node.contains(cursor);
    this.tools ??= new Tools(this);
    const bar = make("div", { class: "view-top" }, top, make("div", { class: "view-side" }, this.badge, this.tools.node));
    this.root.replaceChildren(bar, ...parts, this.fontNote, this.live, this.tip);
    if (inBar) cursor.focus();
  }

  /** Let a screen reader say it; a function is asked when the page has been painted. */
  announce(words) {
    if (typeof words === "string") return say(this.live, words);
    cancelAnimationFrame(this.saying);
    this.saying = requestAnimationFrame(() => say(this.live, words()));
  }

  /** A list of tabs, [[value, text], …], for the values of a trait; the frame shows which is open, and its pane of those given. */
  tabs(label, trait, texts, { panes = {}, titles = {}, now = () => this.get(trait), open = (value) => this.set({ [trait]: value }) } = {}) {
    const buttons = Object.fromEntries(texts.map(([value, text]) => [value, make("button",
      { type: "button", class: "view-tab", role: "tab", "data-tab": value, title: titles[value], onclick: () => open(value) }, text)]));
    this.tablists.set(trait, { buttons, panes, now });
    return make("div", { class: "view-tabs", role: "tablist", "aria-label": label,
      onkeydown: (event) => walkTabs(event, buttons, String(now()), open) }, ...Object.values(buttons));
  }

  wearTabs() {
    for (const { buttons, panes, now } of this.tablists.values()) {
      const open = String(now()), left = Object.keys(panes).find((name) => name !== open && panes[name].contains(this.cursor));
      for (const [name, button] of Object.entries(buttons)) {
        button.setAttribute("aria-selected", name === open);
        button.tabIndex = name === open ? 0 : -1;
      }
      for (const [name, pane] of Object.entries(panes)) pane.hidden = name !== open;
      if (left) panes[open].focus({ preventScroll: true });   // the keyboard does not fall out of the view
    }
  }

  /** The pointer has come to a place, or gone: once that is painted, what the view says of it stands beside it. */
  follow(event) {
    this.pointer = event && { target: event.target, point: pointIn(event), low: event.clientY > 0.75 * window.innerHeight };
    cancelAnimationFrame(this.tipping);
    clearTimeout(this.explaining);
    if (event && !event.target.matches("canvas")) {
      this.tip.hidden = true;
      this.explaining = setTimeout(() => this.wearTip(), 500);   // a word is explained to whoever rests on it
    } else this.tipping = requestAnimationFrame(() => this.wearTip());
  }

  wearTip() {
    const { tip, root, pointer } = this, named = pointer?.target.closest(LABELLED);
    const words = pointer?.target.matches("canvas") ? this.atPointer(pointer.target) ?? "" : !named || named.title ? ""
      : termsIn(named.textContent).slice(0, 3).map(([term, meaning]) => `${term}: ${meaning}`).join("\n");
    tip.hidden = !words || !root.isConnected;
    if (tip.hidden) return;
    say(tip, words);
    const [x, y] = pointer.point, left = x > root.clientWidth / 2;
    tip.style.left = left ? "" : `${x + 14}px`;
    tip.style.right = left ? `${root.clientWidth - x + 14}px` : "";
    tip.style.top = `${pointer.low ? y - tip.offsetHeight - 12 : y + 18}px`;
  }

  /** Every control says what it does: as its title, and as that of the label around it. */
  explainControls() {
    for (const control of this.root.querySelectorAll(CONTROLS)) {
      const label = control.closest("label"), hint = control.title ? "" : hintOf(control, label, this.hints ?? {});
      if (hint) for (const node of [control, label]) if (node) node.title = hint;
    }
  }

  /** A slider is read out as its value stands beside it, "100 % of the mass", where its view says nothing better. */
  speakSliders() {
    for (const bar of this.root.querySelectorAll("label input[type=range]")) {
      const value = bar.closest("label").querySelector(".view-value")?.textContent;
      if (!value || (bar.hasAttribute("aria-valuetext") && bar.dataset.spoken === undefined)) continue;
      bar.dataset.spoken = "";
      bar.setAttribute("aria-valuetext", value);
    }
  }

  /** What stands at the pointer while it is on a canvas: a text, or nothing. */
  atPointer() {}

  /** The element that has the keyboard, also inside a shadow tree. */
  get cursor() { return this.root.getRootNode().activeElement; }

  /** Fill a pane anew only if what it shows has changed; the keyboard stays where it was, or else in the pane. */
  fill(pane, state, content) {
    const signature = JSON.stringify([state, this.get("meta").version]), { cursor } = this;
    if (pane.dataset.shows === signature) return;
    const inside = pane !== cursor && pane.contains(cursor);
    pane.dataset.shows = signature;
    pane.replaceChildren(...content().filter(Boolean));
    const same = inside && [...pane.querySelectorAll("[data-key]")].find((node) => node.dataset.key === cursor.dataset.key);
    if (inside) (same || pane).focus({ preventScroll: true });
  }

  // ---- what the hand does

  /** Another gesture begins, one step back. A slider goes on while its keys follow closely, a text while it is written. */
  touched(event) {
    const { type, key, target, timeStamp } = event, last = this.gesture, keys = type === "keydown" && last.type === type;
    if (!target.closest(".view-corner")) this.tools?.close();
    if (type === "keydown") this.follow(null);
    if (type === "keydown" && key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      if (target.matches(WRITES)) return;   // a field takes back its own letters
      event.preventDefault();
      event.stopPropagation();              // else the notebook takes back a cell
      return this.undo();
    }
    const goesOn = keys && target === last.target && (target.matches(WRITES) || (key === last.key && timeStamp - last.timeStamp < 500));
    if (goesOn) last.timeStamp = timeStamp;
    else this.gesture = { type, key, target, timeStamp };
  }

  /** One step back: of what was done here, then in a page, whose model knows, of the sentences that were typed. */
  undo() {
    if (this.past.any || !this.get("typed")) this.goTo(this.past.back(), "taken back");
    else this.model.untype();
  }

  /** All that the hand changed is as it was at first; also that can be taken back. */
  reset() {
    if (this.model.moved?.()) return this.model.startAgain();
    const { start } = this.past;
    this.past.keep(start, {});
    this.goTo(start, "as at first");
  }

  goTo(changes, said) {
    const names = Object.keys(changes);
    this.rest();
    this.lay(changes);
    this.announce(names.length ? `${said}: ${names.join(", ").replaceAll("_", " ")}` : "nothing was changed");
  }

  // ---- the model

  /** Draw, and go on drawing, when these traits change; passing: those that only say where the reader is, no step to take back. */
  start(traits, { passing = [] } = {}) {
    this.passing = passing;
    this.stale = true;
    this.refresh();
    this.listen(traits);
    this.schedule();
  }

  get(name) { return this.model.get(name); }

  /** The hand changes traits. */
  set(changes) {
    this.past.keep(changes, this.gesture, this.passing);
    this.lay(changes);
  }

  lay(changes) {
    for (const [name, value] of Object.entries(changes)) this.model.set(name, value);
    this.model.save_changes();
  }

  listen(traits) {
    const names = new Set(["meta", "data", "typed", "waits", ...traits]);
    const handlers = [...names].map((name) => [`change:${name}`, () => this.changed(name)]);
    handlers.push(["msg:custom", (message, buffers) => this.heard(message, buffers)]);
    handlers.push(["comm_live_update", () => this.goOnAlone()]);   // the kernel was restarted
    for (const [event, handler] of handlers) this.model.on(event, handler);
    const repaint = () => this.schedule();
    const sized = new ResizeObserver(repaint);            // heights are fixed, so painting never changes a size
    sized.observe(this.root);
    const themed = new MutationObserver(repaint);
    for (const node of [document.documentElement, document.body]) {
      themed.observe(node, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "theme", "style"] });
    }
    const scheme = window.matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", repaint);
    const outside = (event) => { if (!event.composedPath().includes(this.root)) this.tools?.close(); };
    const around = [["beforeprint", () => this.onPaper(true)], ["afterprint", () => this.onPaper(false)], ["pointerdown", outside]];
    for (const [event, handler] of around) window.addEventListener(event, handler);
    this.unlisten = () => {
      for (const [event, handler] of around) window.removeEventListener(event, handler);
      for (const [event, handler] of handlers) this.model.off(event, handler);
      sized.disconnect();
      themed.disconnect();
      scheme.removeEventListener("change", repaint);
      for (const frame of [this.due, this.moving, this.tipping]) cancelAnimationFrame(frame);
      this.tools.close();
      clearInterval(this.pulse);
      clearInterval(this.patience);
      clearTimeout(this.explaining);
      this.present?.abort();
      this.left();
    };
  }

  /** Whether a model answers, in Python or in the page; without one the view goes on with what it has. */
  get connected() { return this.get("meta").live && !this.alone; }

  /** Ask who answers, if anybody does: where the kernel is gone, sending is refused. */
  tell(message) {
    if (!this.connected) return;
    if (this.root.matches(":hover, :focus-within")) this.waitFor();   // else no reader asked
    try { this.model.send({ ...message, version: this.get("meta").version }); } catch { this.goOnAlone(); }
  }

  heard(message, buffers) {
    if (message.version !== this.get("meta").version) return;
    this.answered(message, buffers);
    this.schedule();
  }

  answered() {}

  goOnAlone() {
    this.alone = true;
    clearInterval(this.patience);
    this.notify("Python was restarted; run the cell above.");
    this.schedule();
  }

  /** Say something above the view, or nothing more; what passes by moves nothing. */
  notify(text, passing = false) {
    say(this.aside, text);
    this.aside.hidden = !text;
    this.aside.classList.toggle("view-passing", passing);
  }

  /** Say, as long as cells of this notebook wait for Python or run, how many there are: what was asked comes after them. */
  waitFor() {
    clearInterval(this.patience);
    if (this.alone) return;
    const look = () => {
      const cells = cellsToGo(this.root);
      if (!cells) clearInterval(this.patience);
      this.notify(cells ? `waiting for Python: ${many(cells, "cell")} to go` : "", true);
    };
    this.patience = setInterval(look, 250);
    look();
  }

  /** The view has come into the page: stay with it, and hear when a sentence is entered in the box above. */
  arrived() {
    this.present = new AbortController();
    keepInSight(this.root);
    const entered = ({ target }) => { if (target.closest(".view-input")) this.waitFor(); };
    this.root.closest(".jp-OutputArea-output")?.addEventListener("change", entered, this.present);
  }

  changed(name) {
    if (name === "data" || name === "meta") this.stale = true;
    this.schedule();
  }

  refresh() {
    if (!this.stale) return;
    if (this.alone) this.notify("");
    this.stale = this.alone = false;
    const { version, since = version } = this.get("meta");   // since which what was done can be taken back
    if (since !== this.since) this.past = new Past((name) => this.get(name));   // of another sentence
    this.since = since;
    this.load();
  }

  schedule() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      if (!this.root.isConnected) return;   // not yet in the page, or no more; the observer calls again
      if (!this.present) this.arrived();
      const start = performance.now();
      this.refresh();
      this.dress();
      this.root.setAttribute("aria-busy", Boolean(this.get("waits")));   // the picture is of the sentence before
      this.wearTabs();
      this.wear();
      this.explainControls();
      this.speakSliders();
      spell(this.root, this.fontNote);
      this.tools.wear();
      this.paint();
      this.root.dataset.paintMs = (performance.now() - start).toFixed(2);
    });
  }

  /** On paper a view is as on a middling screen, made smaller; painted here, for no frame comes before the printer. */
  onPaper(begins) {
    const { root } = this, width = Math.min(root.clientWidth, LAID_OUT);
    this.paper = begins && width ? String(Math.min(1, PAPER / width)) : "";
    Object.assign(root.style, { width: this.paper && `${width}px`, zoom: this.paper });
    if (this.paper) this.paint(); else this.schedule();
  }

  /** Take the page's look: light or dark by the colour of its text; and in full screen so large that it reads from the back row. */
  dress() {
    const zoom = this.root.matches(":fullscreen") ? Math.max(1, window.innerWidth / 1000) : this.paper ?? "";
    if (this.root.style.zoom !== String(zoom)) this.root.style.zoom = zoom;
    const ink = getComputedStyle(this.root).color.match(/[\d.]+/g).map(Number);
    this.dark = ink[0] + ink[1] + ink[2] > 384;
    const look = this.get("look")[this.dark ? "dark" : "light"];
    if (this.look === look) return;
    this.look = look;
    this.root.classList.toggle("view-dark", this.dark);
    this.root.dataset.look = this.dark ? "dark" : "light";
    for (const name of TINTS) this.root.style.setProperty(`--view-${name}`, look[name]);
    this.colours = lookup(look.weights);
    this.signed = lookup(look.differences);
    this.dressed();
  }

  /** Move something for so many ms: draw(share) in every frame, from 0 to 1, then draw(null); nothing moves for whom asked for less. */
  animate(length, draw) {
    cancelAnimationFrame(this.moving);
    if (still()) return draw(null);
    const began = performance.now(), step = (now) => {
      const share = Math.max(0, now - began) / length;
      draw(share < 1 ? share : null);
      if (share < 1 && this.root.isConnected) this.moving = requestAnimationFrame(step);
    };
    this.moving = requestAnimationFrame(step);
  }

  /** Play, or rest: go(at + 1) every so many ms up to `last`, or round and round; to whom asked for less motion, the other end at once. */
  play(pace, round = false) {
    if (this.pulse) return this.rest();
    if (still()) return this.go(this.at >= this.last ? 0 : this.last);
    if (this.at >= this.last) this.go(0);
    this.pulse = setInterval(() => {
      if (!this.root.isConnected || (this.at >= this.last && !round)) this.rest();
      else this.go(this.at >= this.last ? 0 : this.at + 1);
    }, pace);
    this.schedule();
  }

  rest() {
    clearInterval(this.pulse);
    this.pulse = 0;
    this.schedule();
  }

  dressed() {}
  left() {}     // the view has been taken away
  wear() {}
  paint() {}
}

/** A notebook as it is saved: where a picture stands beside a live view, the picture alone, for a view is nothing without its Python. */
export function withPictures(notebook) {
  const LIVE = "application/vnd.jupyter.widget-view+json", STATE = "application/vnd.jupyter.widget-state+json";
  const states = notebook.metadata?.widgets?.[STATE]?.state ?? {};   // of views that a reader has saved whole
  const still = (output) => {
    const { [LIVE]: live, ...rest } = output.data ?? {};
    return live && rest["text/markdown"] && !states[live.model_id] ? { ...output, data: rest } : output;
  };
  const cells = notebook.cells.map((cell) => (cell.outputs ? { ...cell, outputs: cell.outputs.map(still) } : cell));
  return { ...notebook, cells };
}

/** Have JupyterLab and Notebook 7 save pictures in the place of live views; other front ends give no hold for it. */
export function initialize({ model }) {
  const notebook = model.widget_manager?.context?.model, mark = Symbol.for("viz: saves pictures");
  if (!notebook?.toJSON || notebook[mark]) return;
  const whole = notebook.toJSON.bind(notebook);
  notebook.toJSON = () => withPictures(whole());
  notebook[mark] = true;   // each view has these lines in a module of its own
}

/** A widget whose view is a Stage: what a script's last line exports. hints: what each control does, by its name or ".class". */
export const widget = (View, hints = {}) => ({
  initialize,
  render({ model, el }) {
    const view = new View(model, el);
    view.hints = hints;
    return () => view.unlisten();
  },
});
