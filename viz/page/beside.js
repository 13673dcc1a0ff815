// The twin of BesideExplorer (viz/attention/beside.py): two readings side by side, of two sentences or of one without some heads.
// What is computed here is that of studies/beside.py; tests/test_page_explorers.py holds it against that.

import { Explorer, changedWords, joinedNumbers, packed, probeOf, withoutHeads } from "./explorer.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The tokens of two lists in one order, [place, other place], those of a longest common subsequence in pairs, null: no partner. */
export function aligned(first, second) {
  const n = first.length, m = second.length, longest = Array.from({ length: n + 1 }, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const same = longest[i + 1][j + 1] + 1, other = Math.max(longest[i + 1][j], longest[i][j + 1]);
      longest[i][j] = first[i] === second[j] ? same : other;
    }
  }
  const axis = [];
  for (let i = 0, j = 0; i < n || j < m;) {
    const both = i < n && j < m;
    if (both && first[i] === second[j]) axis.push([i++, j++]);
    else if (j === m || (both && longest[i + 1][j] >= longest[i][j + 1])) axis.push([i++, null]);
    else axis.push([null, j++]);
  }
  return axis;
}

// ------------------------------------------------------------------------------------------------------ the explorer

export class BesideExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    Object.assign(this, { second: view.get("second"), off: view.get("off"), since: view.get("meta").since });
    this.answers = { maps: (ask) => this.maps(ask) };
    for (const name of ["second", "off"]) view.on(`change:${name}`, () => this.again(name));
  }

  /** Both readings; ids: of the translations that are known. */
  async read(ask, text, ids = []) {
    const first = await this.readOne(ask, text, ids[0]);
    const { second, off } = this.askedFor(text);
    return { first, second: await this.beside(ask, text, first, second, off, ids[1]) };
  }

  async readOne(ask, text, ids, edits = []) {
    const { most } = this.known, known = ids ?? (await ask({ kind: "translate", text, most, edits })).ids;
    return { ...await ask({ kind: "read", text, ids: known, record: "*_attention.weights", most, edits }), of: text };
  }

  /** The second reading, of another sentence or without some heads; in_second: log-probabilities of the first's translation there. */
  async beside(ask, text, first, second, off, ids) {
    if (!second && !off.length) return { ...first, in_second: first.log_probs };
    const edits = withoutHeads(off), reading = await this.readOne(ask, second || text, ids, edits);
    const { log_probs } = await ask({ kind: "read", src: reading.src, ids: first.ids, edits });
    return { ...reading, in_second: log_probs };
  }

  /** What is to stand beside a first: an example brings its twin along, any other what the reader has set, answered or not. */
  askedFor(text) {
    return text === this.text ? this : { second: this.known.twins[text] ?? this.get("second"), off: this.get("off") };
  }

  get both() { return [this.reading.first, this.reading.second]; }

  pieces() { return this.reading.first.src_pieces.slice(0, -1); }

  get layers() { return Array.from({ length: this.get("meta").n_layers }, (_, layer) => layer); }

  weights(reading, kind) { return this.layers.map((layer) => reading.trace[`${probeOf(kind, layer)}.weights`]); }

  /** The tokens of a kind of attention in both readings, and which are partners. */
  kind({ name, title }) {
    const tokens = (side) => this.both.map((reading) => reading[side]), [source, target] = [tokens("src_pieces"), tokens("tgt_pieces")];
    const queries = name === "encoder" ? source : target, keys = name === "decoder" ? target : source;
    const predicts = name === "cross" ? tokens("pieces") : null;
    return { name, title, queries, keys, predicts, rows: aligned(...queries), columns: aligned(...keys) };
  }

  contents() {
    const { kinds: known } = this.get("meta"), kinds = known.map((kind) => this.kind(kind)), [first, second] = this.both;
    const texts = changedWords(first.of, second.of), translations = changedWords(first.text, second.text);
    const readings = this.both.map(({ pieces: tokens, log_probs: log_prob }, n) =>
      ({ text: texts[n], translation: translations[n], tokens, log_prob }));
    const parts = this.both.flatMap((reading) => kinds.flatMap(({ name }) => this.weights(reading, name).map(({ data }) => packed(data))));
    return { data: joinedNumbers(parts, Uint8Array), meta: { kinds, readings, then: second.in_second, since: this.since } };
  }

  /** Whether what is about to be shown is a sentence typed in the box, not a second one. */
  get typed() { return this.since > this.get("meta").version; }

  afresh({ meta }) { return { pin: this.isThere(meta) ? this.get("pin") : [], second: this.second }; }

  /** Whether the row that is pinned is still that token's: the first's stay, unless a sentence was typed. */
  isThere(meta) {
    const [n, place] = this.get("pin");
    if (this.typed || n === undefined) return false;
    const [before, after] = [this.get("meta"), meta].map(({ kinds }) => kinds.find(({ name }) => name === this.get("kind")).queries[n]);
    return before[place] !== undefined && before[place] === after[place];
  }

  async take(reading, text) {
    const { second, off } = this.askedFor(text);
    Object.assign(this, { second, off, since: this.get("meta").version + 1 });
    await super.take(reading, text);
  }

  called(call) { return this.typed ? super.called(call) : call; }

  told() { return ["first", "second"].map((name, n) => `${name}: ${this.both[n].text}`).join(" · "); }

  // ---- another second sentence, heads taken out

  get unanswered() { return JSON.stringify([this.get("second"), this.get("off")]) !== JSON.stringify([this.second, this.off]); }

  again(name) { if (this.unanswered) this.follow(name, this[name], (ask) => this.settle(ask), "reading the second"); }

  async settle(ask) {
    if (!this.unanswered) return;
    await this.own(ask);
    const [second, off] = [this.get("second"), this.get("off")], { first } = this.reading;
    const reading = { first, second: await this.beside(ask, this.text, first, second, off) };
    Object.assign(this, { second, off });
    const { anew } = this;
    await super.take(reading, this.text);
    this.anew = anew;   // what is second is not the sentence's own
  }

  /** Exact maps: once this page's own model has read both. */
  maps({ kind, layer, heads }) {
    if (!this.reading) return null;
    const chosen = ({ data, shape: [, T, S] }) => joinedNumbers(heads.map((head) => data.subarray(head * T * S, (head + 1) * T * S)));
    return [{}, this.both.map((reading) => chosen(this.weights(reading, kind)[layer]))];
  }
}
