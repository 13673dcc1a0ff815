// The twin of ParseExplorer (viz/parsing/trees.py): what a parser says of a sentence, and where it reads, as studies/parsing.py notes it.

import { EOS, UNK } from "./engine.js";
import { Explorer, joinedNumbers } from "./explorer.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

// Each rule puts spaces around what becomes a word, as corpora/treebank.py does; W is a letter, a figure or _.
const W = "[\\p{L}\\p{N}_]";
const RULES = [
  [/…/gu, "..."],
  [/[‘’]/gu, "'"],
  [/“|(?<![^\s([{<])"/gu, " `` "],
  [/”|"/gu, " '' "],
  [new RegExp(`(?<![^\\s([{<\`])'(?=[a-z])(?!(?:s|re|ve|ll|d|m|tis|twas|em)(?!${W}))`, "giu"), " ` "],   // 'quoted', but 'tis
  [/(\.\.+|--+|—|[;?!@#$%&()[\]{}]|[,:](?!\p{Nd})|(?<!\p{Nd})[,:])/gu, " $1 "],
  [/(?<![.\s])\.(?=[\s')\]}]*$)/gu, " . "],   // the last one only: Mr. and U.S. keep theirs
  [new RegExp(`(?<=${W})(n't|'(?:s|re|ve|ll|d|m))(?!${W})`, "giu"), " $1"],
  [new RegExp(`(?<=${W})'(?!${W})`, "gu"), " ' "],   // the dogs' bowls
  [new RegExp(`(?<!${W})(can)(not)(?!${W})`, "giu"), "$1 $2"],
];
const BRACKETS = { "(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-" };

/** A typed sentence in words, as the Penn Treebank cuts them. */
export const treebankWords = (text) => RULES.reduce((now, [pattern, becomes]) => now.replace(pattern, becomes), text)
  .split(/\s+/).filter(Boolean).map((word) => BRACKETS[word] ?? word);

/** The places of the pieces of each word, the end's place last; a piece that begins a word is written with ▁. */
export function wordPlaces(ids, pieces) {
  const groups = [];
  ids.forEach((id, place) => {
    if (!groups.length || pieces[place].startsWith("▁") || id === UNK || id === EOS) groups.push([]);
    groups.at(-1).push(place);
  });
  return groups;
}

/** Text cut to 60 characters. */
const shortened = (text) => (text.length <= 60 ? text : `${text.slice(0, 59)}…`);

/** Weights of all layers (each (H, T, S)) as (T', L, H, S'): rows of several pieces averaged, columns added. */
export function overWords(layers, rows, columns) {
  const [{ shape: [H, , S] }] = layers, out = new Float32Array(rows.length * layers.length * H * columns.length);
  let at = 0;
  const cell = (data, h, row, column) => {
    let sum = 0;
    for (const t of row) for (const s of column) sum += data[(h * (data.length / H / S) + t) * S + s];
    return sum / row.length;
  };
  for (const row of rows) {
    for (const { data } of layers) for (let h = 0; h < H; h++) for (const column of columns) out[at++] = cell(data, h, row, column);
  }
  return out;
}

// ------------------------------------------------------------------------------------------------------ the explorer

export class ParseExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    const data = view.get("data"), numbers = new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    const { examples, n_layers, n_heads } = view.get("meta");
    this.parses = examples.map(({ words, line, begin, n_rows }, at) => ({ text: known.texts[at], words, line, n_rows, src_pieces: [],
      beam_size: known.beam_sizes[at], rows: numbers.subarray(begin, begin + n_rows * n_layers * n_heads * (words.length + 1)) }));
    for (const name of ["example", "beam_size"]) view.on(`change:${name}`, () => this.chosen());
  }

  get parse() { return this.parses[this.get("example")]; }

  async read(ask, text) {
    const { most, alpha, max_extra } = this.known, beam_size = this.get("beam_size");
    const words = treebankWords(text), joined = words.join(" ");
    if (!words.length || words.length > most) throw new Error(`This sentence has ${words.length} words; type one of 1 to ${most}.`);
    const best = await ask({ kind: "translate", text: joined, beam_size, alpha: beam_size > 1 ? alpha : 0, max_extra });
    const ids = best.ids.at(-1) === EOS ? best.ids : [...best.ids, EOS];
    const reading = await ask({ kind: "read", text: joined, ids, record: "decoder.*.cross_attention.weights" });
    const piece = (place) => (ids[place] === UNK ? "⁇" : reading.pieces[place].replaceAll("▁", ""));
    const targets = wordPlaces(ids, reading.pieces);
    const tokens = targets.slice(0, -1).map((places) => places.map(piece).join("")), layers = Object.values(reading.trace);
    const shown = [...targets.slice(0, -1).filter((_, n) => tokens[n]), targets.at(-1)];
    const rows = overWords(layers, shown, wordPlaces(reading.src, reading.src_pieces));
    return { text, words, line: tokens.filter(Boolean).join(" "), rows, n_rows: shown.length, beam_size, src_pieces: reading.src_pieces };
  }

  contents() {
    let begin = 0;
    const examples = this.parses.map(({ words, line, rows, n_rows }) => {
      const example = { name: shortened(words.join(" ")), words, line, begin, n_rows };
      begin += rows.length;
      return example;
    });
    return { data: joinedNumbers(this.parses.map(({ rows }) => rows)), meta: { examples } };
  }

  afresh() { return { step: -1, folded: [] }; }

  /** Another sentence stands in the last place, and is shown; at: it takes the place of another search for the same. */
  async take(reading, text, ask, at = this.known.given) {
    this.parses = [...this.parses.slice(0, at), reading, ...this.parses.slice(at + 1)];
    await super.take(reading, text);
    this.taking = true;
    this.view.set("example", at);
    this.taking = false;
  }

  async answer(text) {
    const at = this.parses.findIndex((parse) => parse.text === text);
    if (at < 0) return super.answer(text);
    this.view.set("example", at);
    return this.chosen();
  }

  /** Another sentence was chosen, or another search. */
  chosen() {
    const { parse } = this, at = this.get("example");
    this.text = parse.text;
    if (parse.beam_size !== this.get("beam_size")) {
      const search = async (ask) => this.take(await this.read(ask, parse.text), parse.text, ask, at);
      return this.follow("beam_size", parse.beam_size, search, "searching");
    }
    if (!this.taking) this.leaving?.abort();
    return this.say(this.toldNow());
  }

  pieces() { return this.parse.src_pieces.slice(0, -1); }

  toldNow() { return this.reading ? super.toldNow() : this.told(); }

  told() {
    const { words, line, beam_size } = this.parse, how = beam_size === 1 ? "greedily" : `with a beam of ${beam_size}`;
    return `${words.length} word${words.length === 1 ? "" : "s"}, ${line ? line.split(" ").length : 0} tokens, said ${how}`;
  }
}
