// The text view: a text's characters merge into SentencePiece's pieces, one merge after the other, as in studies/text.py.
//
// The vocabulary comes with the page, the first learned piece first; the merges are made here, so any text can be typed
// with no Python. Pieces reach the page as text only.

import {
  Stage, chip, controls, evident, field, make, many, number, say, slider, small, span, table, widget, wordsOf,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** One space between words, none at the ends, as the core's clean. */
export const clean = (text) => wordsOf(text).join(" ");

const WRITTEN = "▁ ";   // a "▁" that the reader wrote is no space, and no piece is like it

/** What merging starts from: one piece a character, every space a "▁", and one before the first word. */
export function characters(text) {
  const cleaned = clean(text);
  return cleaned ? [..." " + cleaned].map((c) => ({ " ": "▁", "▁": WRITTEN }[c] ?? c)) : [];
}

/** The neighbours that may be merged, as [rank, place], the next one first: the pair that was learned first. */
export function candidates(pieces, ranks) {
  const found = [];
  for (let at = 0; at + 1 < pieces.length; at++) {
    const rank = ranks.get(pieces[at] + pieces[at + 1]);
    if (rank !== undefined) found.push([rank, at]);
  }
  return found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/** Every merge from characters to pieces: { left, right, at, rank, pieces }. */
export function merges(text, ranks) {
  const steps = [];
  let pieces = characters(text), found;
  while ((found = candidates(pieces, ranks)).length) {
    const [rank, at] = found[0], [left, right] = pieces.slice(at, at + 2);
    pieces = [...pieces.slice(0, at), left + right, ...pieces.slice(at + 2)];
    steps.push({ left, right, at, rank, pieces });
  }
  return steps;
}

/** Byte fallback: a character that is no piece becomes the bytes of its UTF-8 form. */
export function spelled(pieces, ranks) {
  const bytes = (piece) => [...new TextEncoder().encode(shown(piece))];
  const name = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
  return pieces.flatMap((piece) => (ranks.has(piece) ? [piece] : bytes(piece).map(name)));
}

/** The id of a piece or of a byte; `first` is the id of the first learned piece, and bytes stand just before it. */
export function idOf(piece, ranks, first) {
  const byte = /^<0x([0-9A-F]{2})>$/.exec(piece);
  return byte ? first - 256 + parseInt(byte[1], 16) : first + ranks.get(piece) - 1;
}

/** A piece as it is written. */
export const shown = (piece) => (piece === WRITTEN ? "▁" : piece);

// ------------------------------------------------------------------------------------------------------ the view

const TRAITS = ["text", "step"];
const PACE = 450;   // milliseconds between merges when they are played

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Merges of a text");
    this.start(TRAITS);
  }

  load() {
    const { vocabulary, longest, shows, examples } = this.get("meta");
    this.ranks = new Map(vocabulary.map((piece, n) => [piece, n + 1]));
    this.read = null;
    this.input = make("input", { type: "text", class: "txt-input", "aria-label": "Text", maxlength: longest, spellcheck: "false",
      autocomplete: "off", oninput: () => { this.rest(); this.set({ text: this.input.value, step: this.lastOf(this.input.value) }); } });
    this.slider = slider("Merges made", { min: 0, step: 1, class: "txt-slider" },
      () => { this.rest(); this.go(Number(this.slider.value)); });
    this.button = chip("", () => this.play(PACE), { class: "view-chip txt-play" });
    this.count = make("span", { class: "view-value txt-count" });
    this.row = make("div", { class: "txt-row", role: "img" });
    this.told = make("p", { class: "txt-told" });
    this.next = make("div", { class: "txt-next" });
    const example = (text) => make("button",
      { class: "view-chip", onclick: () => { this.rest(); this.set({ text, step: this.lastOf(text) }); } }, text);
    this.frame(make("label", { class: "view-field txt-field" }, span("view-name", "Text"), this.input),
      make("div", { class: "view-chips txt-examples" }, span("view-quiet", "or"), ...(examples ?? []).map(example)),
      controls(
        field("Merges made", this.slider), this.count, this.button),
      this.row, this.told, this.next);
  }

  /** The number of the last step of a text: every merge, then bytes and ids. */
  lastOf(text) { return merges(text, this.ranks).length + 1; }

  get last() { return this.steps.length + 1; }
  get at() { return Math.min(Math.max(this.get("step"), 0), this.last); }

  go(step) {
    this.set({ step });
    const made = this.steps[this.at - 1];
    this.announce(made ? `merge ${this.at}: ${made.left} and ${made.right} become one` : this.summary());
  }

  summary() {
    const pieces = this.pieces(this.last), n = characters(this.get("text")).length;
    return n ? `${n} characters, the space before the first word included, are now ${many(pieces.length, "piece")}.` : "Type a word.";
  }

  pieces(step) {
    if (step === 0) return characters(this.get("text"));
    const before = step > this.steps.length ? this.pieces(this.steps.length) : this.steps[step - 1].pieces;
    return step > this.steps.length ? spelled(before, this.ranks) : before;
  }

  wear() {
    const text = this.get("text");
    if (text !== this.read) {
      [this.read, this.steps] = [text, merges(text, this.ranks)];
      const room = Math.max(characters(text).length * 19, this.pieces(this.last).length * 58);
      this.row.style.minHeight = `${48 * Math.ceil(room / 1100)}px`;
    }
    if (this.input.value !== text) this.input.value = text;
    const { at, last } = this;
    [this.slider.max, this.slider.value] = [last, at];
    say(this.count, at < last ? `${at} of ${last - 1}` : `all ${last - 1}, and ids`);
    say(this.button, this.pulse ? "stop" : at === last ? "play from the start" : "play");
    this.wearPieces(at);
    this.wearNext(at);
    Object.assign(this.root.dataset, { step: at, pieces: this.pieces(at).length });
  }

  wearPieces(at) {
    const { first } = this.get("meta"), end = at === this.last, made = end ? null : this.steps[at - 1], pieces = this.pieces(at);
    const chip = (piece, n) => {
      const known = this.ranks.has(piece), byte = end && !known;
      const kind = [made?.at === n && "txt-new", !known && "txt-byte"].filter(Boolean).join(" ");
      const title = byte ? "one byte of a character that is no piece" : known ? undefined : "no piece: it will be spelled in bytes";
      return make("span", { class: `txt-piece ${kind}`, title }, make("b", {}, shown(piece)),
        make("small", {}, end ? String(idOf(piece, this.ranks, first)) : ""));
    };
    this.row.replaceChildren(...pieces.map(chip));
    this.row.setAttribute("aria-label", evident(`pieces: ${pieces.map(shown).join(" ")}`));
  }

  wearNext(at) {
    const made = at === this.last ? null : this.steps[at - 1], end = at >= this.steps.length;
    say(this.told, at === this.last ? this.summary() : made
      ? `${shown(made.left)} + ${shown(made.right)} → ${made.left + made.right}, merge number ${made.rank} of those learned in training.`
      : "Every character stands alone, and ▁ stands for a space.");
    const pieces = this.pieces(Math.min(at, this.steps.length)), found = candidates(pieces, this.ranks);
    const line = ([rank, place], n) => make("tr", { class: n ? "" : "view-here" }, make("th", { scope: "row" }, String(rank)),
      make("td", {}, `${pieces[place]} + ${pieces[place + 1]}`), make("td", {}, pieces[place] + pieces[place + 1]));
    const more = found.length > 4 ? `and ${many(found.length - 4, "more pair")}` : "";
    const unknown = pieces.filter((piece) => !this.ranks.has(piece)).map(shown);
    const done = ["No two neighbours make a piece any more.",
      unknown.length ? ` Not in the vocabulary, so spelled in bytes: ${[...new Set(unknown)].join(" ")}` : ""].join("");
    this.next.replaceChildren(...(end ? [make("p", { class: "view-quiet" }, this.steps.length || pieces.length ? done : "")]
      : [small("May merge now; the pair that was learned first is next."),
        table("txt-table", ["learned as number", "pair", "gives"], found.slice(0, 4).map(line)), small(more)]));
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Text": "what is cut into pieces; type in it", "Merges made": "how many merges of the vocabulary have been made",
  ".txt-play": "merge after merge", ".view-chip": "a text to begin with",
};

export default widget(View, HINTS);
