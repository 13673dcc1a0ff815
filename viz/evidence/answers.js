// The answers view: how much each source word matters for each target word, by an answer of the reader's choice, beside what
// really happens when the word is replaced. Ranks and their agreement are computed here, from the tables that Python sent.

import {
  MONO, STEPS, Stage, board, clamp, controls, fields, floatsOf, headline, hit, level, make, mapLabels, mapLayout, number,
  missing, paintCells, paintGrid, prepared, say, slantRoom, span, table, visible, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The tables (T × S each) one after another in all the numbers. */
export const tablesOf = (numbers, count, size) => Array.from({ length: count }, (_, i) => numbers.subarray(i * size, (i + 1) * size));

/** The place of each value, the smallest 0; equal ones share the mean of their places. */
export const ranksOf = (values) => Array.from(values, (value) => {
  let [less, same] = [0, 0];
  for (const other of values) [less, same] = [less + (other < value), same + (other === value)];
  return less + (same - 1) / 2;
});

/** Spearman's rank correlation; null where all values of a side are equal. */
export function rankCorrelation(left, right) {
  const centred = (ranks) => ranks.map((rank) => rank - (ranks.length - 1) / 2), a = centred(ranksOf(left)), b = centred(ranksOf(right));
  const sum = (x, y) => x.reduce((total, one, i) => total + one * y[i], 0), size = Math.sqrt(sum(a, a) * sum(b, b));
  return size ? sum(a, b) / size : null;
}

/** Of a target token the words' values, the end of the source left out. */
export const wordsOfRow = (values, row, cols) => Array.from(values.subarray(row * cols, (row + 1) * cols - 1));

/** The agreement of each row, and the mean of those that have one, the end of the translation left out; null where none has. */
export function agreementOf(left, right, rows, cols) {
  const each = Array.from({ length: rows }, (_, row) => rankCorrelation(wordsOfRow(left, row, cols), wordsOfRow(right, row, cols)));
  const counted = each.slice(0, -1).filter((one) => one !== null);
  return { each, mean: counted.length ? counted.reduce((total, one) => total + one, 0) / counted.length : null };
}

/** In how many rows the same word is first, of how many; both ends left out. */
export function sameFirst(left, right, rows, cols) {
  const first = (values, row) => { const words = wordsOfRow(values, row, cols); return words.indexOf(Math.max(...words)); };
  const same = Array.from({ length: rows - 1 }, (_, row) => first(left, row) === first(right, row));
  return [same.filter(Boolean).length, rows - 1];
}

/** How often the same word is first, in words; end: the token whose row is not counted, isSigned: whether some numbers are below 0. */
export const sameInWords = ([same, of], end, isSigned) => `The same word first`
  + `${isSigned ? ", the one with the largest number (green is below 0)," : ""} in ${same} of ${of} rows, that of ${end} not counted.`;

/** Colour numbers: on the scale from 0 where nothing is below 0, else on the two-sided one; to the row's largest or the map's. */
export function shadesOf(values, cols, perRow) {
  const list = Array.from(values), isSigned = list.some((value) => value < 0), size = (part) => Math.max(1e-12, ...part.map(Math.abs));
  const whole = size(list), top = (i) => (perRow ? size(list.slice(i - (i % cols), i - (i % cols) + cols)) : whole);
  return { isSigned, numbers: list.map((value, i) =>
    (isSigned ? 128 + Math.round(110 * (value / top(i))) : level(value, top(i), false))) };
}

/** An agreement in words; stored: its mean over sentences and the ends of its interval. */
export function agreementInWords(mean, stored, n) {
  const here = mean === null ? "In this sentence no ranks can be compared." : `Rank agreement in this sentence ${written(mean)}`;
  if (missing(stored)) return mean === null ? here : `${here}.`;
  const [middle, low, high] = stored.map((one) => written(one));
  return `${here}${mean === null ? "" : "."} Over ${n} sentences ${middle} (${low} to ${high}).`;
}

// ------------------------------------------------------------------------------------------------------- the view

class View extends Stage {
  constructor(model, el) {
    super(model, el, "How much a source word matters");
    this.over = null;
    this.start(["data", "answer", "truth", "row", "per_row"]);
  }

  // ---- what is shown

  get rows() { return this.get("meta").target.length; }
  get cols() { return this.get("meta").source.length; }
  get at() { return clamp(this.get("row"), this.rows); }
  get shown() {
    const { answers } = this.get("meta"), i = this.get("answer"), j = this.get("truth");
    return { answer: this.tables[i], truth: this.tables[answers.length + j] };
  }

  load() {
    this.over = this.layout = null;   // places of what was shown before
    const { title, answers, truths, target, source } = this.get("meta"), count = answers.length + truths.length;
    this.tables = tablesOf(floatsOf(this.get("data")), count, target.length * source.length);
    const list = (label, trait, entries) => this.tabs(label, trait, entries.map(({ name }, i) => [String(i), name]), {
      now: () => this.get(trait), open: (value) => this.pick({ [trait]: Number(value) }),
      titles: Object.fromEntries(entries.map(({ note }, i) => [String(i), note])) });
    this.toRow = make("input", { type: "checkbox", onchange: ({ target: box }) => this.pick({ per_row: box.checked }) });
    [this.answerNote, this.truthNote] = [span("view-note", ""), span("view-note", "")];
    this.told = make("p", { class: "view-cell" });
    this.agreed = make("p", { class: "evi-agreed" });
    this.listed = make("div", { class: "view-wide" });
    this.boards = { answer: this.map("answer", "the answer"), truth: this.map("truth", "what really happens") };
    this.frame(headline(title),
      controls(fields("Answer", list("answers", "answer", answers)), fields("Held against", list("replacements", "truth", truths))),
      controls(make("span", { class: "view-options" }, make("label", {}, this.toRow, "colours to each row’s largest"))),
      make("div", { class: "evi-maps" }, this.figure("answer", this.answerNote), this.figure("truth", this.truthNote)),
      this.agreed, this.told, this.listed);
  }

  map(which, says) {
    return board({ class: "evi-map", "data-which": which,
      "aria-label": `Map of ${says}: rows are target tokens, columns source tokens. Arrow keys walk, Enter chooses the row.` }, {
      at: (x, y) => { const found = this.layout && hit(this.layout, x, y); return found && found.row >= 0 ? found : null; },
      look: (found) => this.point(found), click: ({ row }) => this.pick({ row }), key: (event) => this.walk(event),
    });
  }

  figure(which, note) {
    this[`${which}Title`] = span("view-name", "");
    return make("figure", { class: "view-map" }, this[`${which}Title`], make("div", {}, note), this.boards[which]);
  }

  csv() {
    const { answers, truths, target, source } = this.get("meta"), { answer, truth } = this.shown;
    const heads = ["target", "source", answers[this.get("answer")].name, truths[this.get("truth")].name];
    return [heads, ...target.flatMap((to, i) => source.map((from, j) => [to, from, answer[i * this.cols + j], truth[i * this.cols + j]]))];
  }

  pick(changes) {
    this.set(changes);
    this.announce(() => ("row" in changes ? this.told : this.agreed).textContent);
    this.schedule();
  }

  point(found) {
    this.over = found;
    this.schedule();
  }

  atPointer() { return this.over?.row >= 0 && this.over.col >= 0 ? this.told.textContent : ""; }

  walk({ key }) {
    if (key === "Enter" && this.over) { this.pick({ row: this.over.row }); return true; }
    const move = STEPS[key];
    if (!move) return false;
    const from = this.over ?? { row: this.at, col: 0 };
    this.over = { row: clamp(from.row + move[0], this.rows), col: clamp(Math.max(from.col, 0) + move[1], this.cols) };
    this.announce(this.cell(this.over));
    this.schedule();
    return true;
  }

  /** A cell in words. */
  cell({ row, col }) {
    const { target, source, answers, truths } = this.get("meta"), { answer, truth } = this.shown, i = row * this.cols + col;
    return `${visible(target[row])} by ${visible(source[col])}: ${answers[this.get("answer")].name} ${written(answer[i])}, `
      + `${truths[this.get("truth")].name} ${written(truth[i])}`;
  }

  // ---- texts and states

  wear() {
    const { answers, truths, n, target } = this.get("meta"), answer = answers[this.get("answer")], truth = truths[this.get("truth")];
    this.agreement = agreementOf(this.shown.answer, this.shown.truth, this.rows, this.cols);
    say(this.answerTitle, answer.name);
    say(this.truthTitle, `really: ${truth.name}`);
    const scale = (values) => (values.some((value) => value < 0) ? "; purple above 0, green below" : "");
    say(this.answerNote, answer.note + scale(this.shown.answer));
    say(this.truthNote, truth.note + scale(this.shown.truth));
    this.toRow.checked = this.get("per_row");
    const isSigned = [this.shown.answer, this.shown.truth].some((values) => values.some((value) => value < 0));
    const same = sameFirst(this.shown.answer, this.shown.truth, this.rows, this.cols);
    const agreed = agreementInWords(this.agreement.mean, answer.stored?.[truth.name], n);
    say(this.agreed, `${agreed} ${sameInWords(same, visible(target.at(-1)), isSigned)}`);
    const cell = this.over && this.over.col >= 0 ? this.cell(this.over) : "";
    say(this.told, cell || `Below: the source words for ${visible(target[this.at])}; click a row for another.`);
    this.fill(this.listed, [this.get("answer"), this.get("truth"), this.at], () => [this.list()]);
    for (const node of Object.values(this.boards)) node.style.height = `${Math.max(200, 110 + 26 * this.rows)}px`;
    Object.assign(this.root.dataset, { answer: answer.name, truth: truth.name, row: this.at, agreement: this.agreement.mean ?? "" });
  }

  /** The words of the chosen row, those that really matter the most first. */
  list() {
    const { source, answers, truths, target } = this.get("meta"), row = this.at;
    const said = wordsOfRow(this.shown.answer, row, this.cols), lost = wordsOfRow(this.shown.truth, row, this.cols);
    const [first, then] = [said, lost].map((values) => ranksOf(values.map((value) => -value)).map((rank) => rank + 1));
    const order = lost.map((_, j) => j).sort((a, b) => then[a] - then[b]), place = (rank) => make("td", {}, String(rank));
    const rho = this.agreement.each[row], head = ({ name, unit }) => (unit ? `${name}, ${unit}` : name);
    return table("evi-words", [`for ${visible(target[row])}`, head(truths[this.get("truth")]), "place",
      head(answers[this.get("answer")]), "place"], [...order.map((j) => make("tr", {},
      make("th", { scope: "row", class: "view-k" }, visible(source[j])),
      number(lost[j]), place(then[j]), number(said[j]), place(first[j]))),
    make("tr", { class: "view-here" }, make("th", { scope: "row" }, "rank agreement of this row"), make("td", {}), make("td", {}),
      rho === null ? make("td", {}, "none") : number(rho), make("td", {}))]);
  }

  // ---- painting

  paint() {
    for (const [which, canvas] of Object.entries(this.boards)) {
      const page = prepared(canvas);
      if (page) this.paintMap(page, this.shown[which]);
    }
  }

  paintMap({ ctx, width, height }, values) {
    const { target, source } = this.get("meta"), widest = (words) => Math.max(...words.map((word) => ctx.measureText(visible(word)).width));
    ctx.font = `13px ${MONO}`;
    const left = Math.min(widest(target) + 14, width * 0.35), top = Math.min(slantRoom(widest(source)), 110);
    const layout = mapLayout(width, height, this.rows, this.cols, left, top, 40), { isSigned, numbers } =
      shadesOf(values, this.cols, this.get("per_row"));
    this.layout = layout;
    paintCells(ctx, numbers, isSigned ? this.signed : this.colours, layout);
    paintGrid(ctx, layout, this.look.line);
    mapLabels(ctx, layout, target.map((word, i) => [visible(word), this.look.query, i === this.at]),
      source.map((word, j) => [visible(word), this.look.key, j === this.over?.col]), 13);
    ctx.strokeStyle = this.look.query;
    ctx.lineWidth = 2;
    ctx.strokeRect(layout.left - 1, layout.top + this.at * layout.cell, layout.right - layout.left + 2, layout.cell);
    if (this.over?.row >= 0 && this.over.col >= 0) {
      ctx.strokeStyle = this.look.ink;
      ctx.strokeRect(layout.left + this.over.col * layout.cell, layout.top + this.over.row * layout.cell, layout.cell, layout.cell);
    }
  }
}

/** What the controls do, by name or class. */
const HINTS = { "colours to each row’s largest": "make each row's largest number the darkest, or the whole map's" };

export default widget(View, HINTS);
