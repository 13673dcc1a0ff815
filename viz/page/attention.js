// The twin of AttentionExplorer (viz/attention/heads.py): every head's weights, facts of heads, a cell's arithmetic, heads switched off,
// words changed in place, rows held. What is computed here is that of studies/attention.py and studies/changes.py;
// tests/test_page_explorers.py holds it against that.

import {
  Explorer, compared, heldRows, isEnd, joinedNumbers, minus, packed, probeOf, threeDigits, withoutHeads, wordGroups,
} from "./explorer.js";
import { clean } from "./checkpoint.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const STOPS = new Set(["</s>", "[SEP]", "<eos>"]);
const FACTS = ["role", "entropy", "spread", "confidence", "distance", "previous", "next", "alignment", "shifted", "sink", "effect"];
const MARKS = { spread: 0.9, previous: 0.9, next: 0.9, alignment: 0.6, shifted: 0.6, sink: 0.6 };   // for a role

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => (values.length ? sum(values) / values.length : null);

/** The place of the largest of some numbers; of equals the first. */
const largest = (values) => values.reduce((best, value, at) => (value > values[best] ? at : best), 0);

/** The share of rows whose largest weight is so many places from the row itself, rows that have no such place left out. */
function nearShare(rows, step) {
  const wanted = rows.map((row, i) => [row, i + step]).filter(([row, place]) => place >= 0 && place < row.length);
  return mean(wanted.map(([row, place]) => Number(largest(row) === place)));
}

/** How much of these rows lies within one key of the diagonal of so many rows and keys. */
const along = (rows, slope) => mean(rows.map((row, i) => sum(row.filter((_, j) => Math.abs(j - slope * i) <= 1))));

/** Name a head by its clearest fact, as studies.attention.role_of does. */
export function roleOf(facts) {
  if (facts.spread === null) return null;
  const name = Object.keys(MARKS).find((fact) => (facts[fact] ?? 0) >= MARKS[fact]);
  return name === "spread" ? "broad" : name ?? null;
}

/** What can be computed of one head from one sentence: rows (T lists of S weights), the tokens, the span each query may look at. */
export function headFacts(rows, queries, keys, itself, allowed) {
  const nats = rows.map((row) => -sum(row.map((w) => (w > 0 ? w * Math.log(w) : 0))));
  const most = allowed.map(([start, end]) => Math.log(end - start)), columns = keys.map((_, j) => j);
  const real = columns.filter((j) => !STOPS.has(keys[j])), ends = columns.filter((j) => isEnd(keys[j]));
  const asking = rows.filter((_, i) => !STOPS.has(queries[i])), slope = (keys.length - 1) / Math.max(rows.length - 1, 1);
  const facts = {
    entropy: mean(nats),
    spread: mean(nats.map((value, i) => value / most[i]).filter((_, i) => most[i] > 0)),
    confidence: real.length ? mean(asking.map((row) => Math.max(...real.map((j) => row[j])))) : null,
    distance: itself ? mean(rows.map((row, i) => sum(row.map((w, j) => w * Math.abs(i - j))))) : null,
    previous: itself ? nearShare(rows, -1) : null,
    next: itself && !allowed.every(([, end], i) => end <= i + 1) ? nearShare(rows, 1) : null,
    alignment: itself ? null : along(rows, slope),
    shifted: itself ? null : along(rows.slice(1), slope),
    sink: ends.length ? mean(rows.map((row) => sum(ends.map((j) => row[j])))) : null,
    effect: null,
  };
  return { role: roleOf(facts), ...facts };
}

/** Entropy and distance of a head that looks at all keys alike that each query may look at. */
export function uniformFacts(allowed) {
  const far = ([start, end], query) => mean(Array.from({ length: end - start }, (_, n) => Math.abs(query - start - n)));
  return [mean(allowed.map(([start, end]) => Math.log(end - start))), mean(allowed.map(far))];
}

const OPENS = /^[([{"'“„«¿¡]*/u, CLOSES = /[)\]}"'”“»,.;:!?…]*$/u;

/** The words of a sentence, marks by themselves, each [word, whether a space stands before it]. */
export function wordsIn(text) {
  const words = clean(text).split(" ").flatMap((part) => {
    const [opens] = part.match(OPENS), rest = part.slice(opens.length), [closes] = rest.match(CLOSES);
    const pieces = [opens, rest.slice(0, rest.length - closes.length), closes].filter(Boolean);
    return pieces.map((piece, n) => [piece, n === 0]);
  });
  return words.map(([word, apart], place) => [word, apart && place > 0]);
}

/** The words of a sentence as they stand after some changes: studies.changes.in_place. */
export function inPlace(words, changes) {
  const order = [...words.keys()], now = words.map(([word], place) => ({ word, was: word, place, deleted: false, masked: false }));
  for (const [act, place, more] of changes) {
    if (act === "replace") now[place].word = clean(more);
    else if (act === "swap") {
      const here = order.indexOf(place), there = order.indexOf(more);
      [order[here], order[there]] = [order[there], order[here]];
    } else now[place][{ delete: "deleted", mask: "masked" }[act]] = true;
  }
  if (now.every(({ deleted }) => deleted)) throw new Error("Every word is deleted; leave one for the model to read.");
  return words.map(([, apart], at) => ({ ...now[order[at]], apart }));
}

/** The sentence that words make as they stand, without those deleted. */
export const sentenceOf = (words) =>
  clean(words.filter(({ deleted }) => !deleted).map(({ word, apart }) => (apart ? ` ${word}` : word)).join(""));

/** The places of the pieces that hold something of a masked word, in the sentence that the words make. */
export function maskedPieces(pieces, words) {
  const text = sentenceOf(words), spans = [], bytes = (part) => new TextEncoder().encode(part).length;
  let end = 0, at = 0;
  for (const { word, deleted, masked } of words) {
    if (deleted) continue;
    const start = text.indexOf(word, end);
    end = start + word.length;
    if (masked) spans.push([bytes(text.slice(0, start)) + 1, bytes(text.slice(0, end)) + 1]);
  }
  return pieces.flatMap((piece, place) => {
    const size = /^<0x[0-9A-F]{2}>$/.test(piece) ? 1 : bytes(piece.replaceAll("▁", " ")), here = at;
    at += size;   // in bytes, after the space that the tokenizer puts before a sentence
    return spans.some(([first, last]) => here < last && here + size > first) ? [place] : [];
  });
}

/** Whether a row has as many weights as a sentence of so many source tokens has keys, and a query of its own: studies.changes.fits. */
export const fits = ([kind, , , query, weights], n_source) =>
  kind === "decoder" || (weights.length === n_source && (kind === "cross" || query < n_source));

const dotOf = (a, b) => sum(Array.from(a, (value, i) => value * b[i]));

/** One weight once more from its query and key, step by step: q (K,), keys (S lists of K), which of them may be seen. */
export function arithmetic(q, keys, open, key, weight) {
  const scale = Math.sqrt(q.length), row = keys.map((k, j) => (open[j] ? dotOf(k, q) / scale : -Infinity)), top = Math.max(...row);
  const exps = row.map((score) => Math.exp(score - top)), total = sum(exps), softmax = exps.map((value) => value / total);
  const dot = dotOf(q, keys[key]), scores = row.map((score) => (score === -Infinity ? null : score));
  return { q: [...q], k: [...keys[key]], dot, score: dot / scale, scores, exps, softmax, recomputed: softmax[key], weight };
}

// ------------------------------------------------------------------------------------------------------ the explorer

/** Rows of a part of a tensor (…, n, width) that begins at a number of such parts. */
const rowsOf = ({ data, shape: [, n, width] }, part) =>
  Array.from({ length: n }, (_, row) => data.subarray((part * n + row) * width, (part * n + row + 1) * width));

export class AttentionExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    this.off = view.get("off");
    this.changed = view.get("words");
    this.held = view.get("held");
    this.first = null;    // the reading of the sentence that was typed
    this.hidden = view.get("meta").kinds[0].masked ?? [];
    this.answers = { maps: (ask) => this.maps(ask), cell: ({ cell }) => this.cell(cell), effects: () => this.effects() };
    view.on("change:off", () => this.switched());
    view.on("change:words", () => this.rewritten());
    view.on("change:held", () => this.rowsHeld());
  }

  /** What is typed is read plainly; what is known already, as it is shown. */
  async read(ask, text, ids = null, edits = ids ? this.unread() : []) {
    const best = ids ? { ids } : await ask({ kind: "translate", text, most: this.known.most, edits });
    return ask({ kind: "read", text, ids: best.ids, record: "*_attention.*", edits });
  }

  /** Edits by which nobody reads some source positions, as if they were padding. */
  unread(places = this.hidden) {
    const cells = places.map((place) => [null, place]), probes = ["encoder.*.self_attention.scores", "decoder.*.cross_attention.scores"];
    return cells.length ? probes.map((probe) => ({ probe, cells })) : [];
  }

  get layers() { return Array.from({ length: this.get("meta").kinds[0].n_layers }, (_, layer) => layer); }

  /** What the probes of all layers of a kind recorded, one tensor a layer. */
  recorded(kind, part) { return this.layers.map((layer) => this.reading.trace[`${probeOf(kind, layer)}.${part}`]); }

  /** The tokens of a kind's queries and keys. */
  tokens(kind) {
    const { src_pieces: source, tgt_pieces: target } = this.reading;
    return [kind === "encoder" ? source : target, kind === "decoder" ? target : source];
  }

  /** The span [first, end) of keys that each query may look at, from the masked scores. */
  allowed(kind) {
    return rowsOf(this.recorded(kind, "scores")[0], 0).map((row) => {
      const open = [...row.keys()].filter((j) => row[j] > -Infinity);
      return [open[0], open.at(-1) + 1];
    });
  }

  /** What the canvas must know of a kind of attention: as Python said of the first sentence, with this one's tokens. */
  shape(known) {
    const [queries, keys] = this.tokens(known.name), allowed = this.allowed(known.name), cross = known.name === "cross";
    const predicts = cross ? this.reading.pieces : null, rows = predicts ?? queries;
    const sums = this.recorded(known.name, "weights").flatMap((tensor) =>
      Array.from({ length: tensor.shape[0] }, (_, head) => rowsOf(tensor, head).map(sum)).flat());
    const { masked, ...rest } = known, hidden = known.name !== "decoder" && this.hidden.length ? { masked: this.hidden } : {};
    return { ...rest, ...hidden, queries, keys, predicts, query_words: wordGroups(rows), key_words: wordGroups(keys),
      special_queries: rows.map(isEnd), special_keys: keys.map(isEnd),
      allowed: allowed.every(([start, end]) => start === 0 && end === keys.length) ? null : allowed,
      row_sums: [sums.reduce((a, b) => Math.min(a, b)), sums.reduce((a, b) => Math.max(a, b))] };
  }

  /** Facts of every head, and, where no word is hidden, what a head that looks everywhere alike would have. */
  facts() {
    const notes = {}, digits = (value) => (typeof value === "number" ? Number(value.toPrecision(8)) : value);
    const rows = Object.keys(KINDS).flatMap((kind) => {
      const [queries, keys] = this.tokens(kind), allowed = this.allowed(kind), [nats, far] = uniformFacts(allowed).map(threeDigits);
      const whole = kind === "decoder" || !this.hidden.length;
      notes[kind] = whole ? `Looking everywhere alike would give entropy ${nats}${kind === "cross" ? "" : `, distance ${far}`}.` : "";
      return this.recorded(kind, "weights").flatMap((tensor, layer) => Array.from({ length: tensor.shape[0] }, (_, head) => {
        const facts = headFacts(rowsOf(tensor, head).map((row) => [...row]), queries, keys, kind !== "cross", allowed);
        return { kind, layer, head, ...Object.fromEntries(FACTS.map((name) => [name, digits(facts[name])])) };
      }));
    });
    return { columns: this.get("facts").columns, rows, notes };
  }

  contents() {
    const kinds = this.get("meta").kinds.map((kind) => this.shape(kind)), { text: translation } = this.reading;
    const parts = kinds.flatMap(({ name }) => this.recorded(name, "weights").map((tensor) => packed(tensor.data)));
    const { words, since, first } = this.typed ?? this.get("meta");
    const meta = { kinds, title: this.text, translation, words, first, since };
    return { data: joinedNumbers(parts, Uint8Array), facts: this.facts(), meta };
  }

  afresh() { return { pin: [], cell: [], ablation: {}, words: this.changed, held: this.held }; }

  /** Take a sentence as the first: what is changed in it can be taken back. */
  async take(reading, text, ask) {
    const since = this.get("meta").version + 1;
    Object.assign(this, { first: reading, hidden: [], changed: [], held: [] });
    this.typed = { words: inPlace(wordsIn(text), []), first: [text, reading.text], since };
    await this.show(reading, text, ask);
  }

  get sentence() { return this.get("meta").first?.[0] ?? this.text; }

  get rewrites() { return this.changed.length > 0; }

  /** Show another reading, of a sentence typed or of one whose words were changed. */
  async show(reading, text, ask) {
    await super.take(reading, text);
    Object.assign(this.anew, { words: [], held: [] });   // what is changed is not the sentence's own
    await this.ablate(ask);
  }

  /** The call of the sentence that was typed: what was changed in it is a trait of the view. */
  called(call) {
    const { version, since } = this.get("meta");
    return (this.typed?.since ?? since) > version ? super.called(call) : call;
  }

  told() {
    const { src, ids, log_probs } = this.reading;
    return `${src.length} source and ${ids.length} target tokens, log-probability ${minus(threeDigits(sum(log_probs)))}`;
  }

  // ---- words changed, heads switched off

  switched() { if (this.unanswered) this.follow("off", this.off, (ask) => this.own(ask), "translating"); }

  rewritten() { if (this.otherwise) this.follow("words", this.changed, (ask) => this.own(ask), "translating"); }

  rowsHeld() { if (this.unanswered) this.follow("held", this.held, (ask) => this.own(ask), "translating"); }

  get unanswered() { return JSON.stringify([this.get("off"), this.get("held")]) !== JSON.stringify([this.off, this.held]); }

  get otherwise() { return JSON.stringify(this.get("words")) !== JSON.stringify(this.changed); }

  async settle(ask) { if (this.unanswered || this.otherwise) await this.own(ask); }

  async own(ask) {
    await super.own(ask, !this.otherwise && this.unanswered ? () => this.ablate(ask) : null);
    if (this.otherwise) await this.rewrite(ask);
    else if (this.unanswered) await this.ablate(ask);
    return this.reading;
  }

  /** The reading of the sentence that was typed: what there is now is held against it. */
  async firstReading(ask) {
    const { text, ids } = this.known.first;
    return this.first ??= this.changed.length ? await this.read(ask, text, ids, []) : this.reading;
  }

  /** Read the sentence with its words changed. */
  async rewrite(ask) {
    const asked = this.get("words"), first = await this.firstReading(ask);
    const [typed] = this.get("meta").first, words = inPlace(wordsIn(typed), asked), text = sentenceOf(words);
    const some = words.some(({ masked }) => masked), question = { kind: "memory", text, most: this.known.most };
    const hidden = some ? maskedPieces((await ask(question)).src_pieces.slice(0, -1), words) : [];
    const reading = asked.length ? await this.read(ask, text, null, this.unread(hidden)) : first;
    Object.assign(this, { hidden, changed: asked, held: this.get("held"), typed: { ...this.get("meta"), words } });
    await this.show(reading, asked.length ? text : typed, ask);
  }

  /** Let the model translate again with all that is changed, and see what that costs the first translation. */
  async ablate(ask) {
    const off = this.get("off"), held = this.get("held"), rewritten = this.changed, { src } = this.reading;
    let ablation = {};
    if (off.length || held.length || rewritten.length) {
      const first = await this.firstReading(ask), edits = [...this.unread(), ...withoutHeads(off)];
      const rows = held.filter((row) => fits(row, src.length)), searching = [...edits, ...heldRows(rows, true)];
      const again = off.length || rows.length ? await ask({ kind: "translate", src, edits: searching }) : this.reading;
      const { log_probs: then } = await ask({ kind: "read", src, ids: first.ids, edits: [...edits, ...heldRows(rows)] });
      const late = ([kind, , , query]) => kind !== "encoder" && query >= again.ids.length;
      const idle = held.flatMap((row, n) => (!rows.includes(row) || late(row) ? [n] : []));
      ablation = { ...compared(first, again.text, then), idle, off, rewritten, held };
    }
    Object.assign(this, { off, held });
    this.view.set("ablation", ablation);
  }

  // ---- what the view's script asks

  /** Exact maps: once this page's own model has read the sentence. */
  maps({ kind, heads }) {
    if (!this.reading) return null;
    const weights = this.recorded(kind, "weights"), [{ shape: [, T, S] }] = weights;
    const chosen = heads.map(([layer, head]) => weights[layer].data.subarray(head * T * S, (head + 1) * T * S));
    return [{ kind, heads }, [joinedNumbers(chosen)]];
  }

  /** The arithmetic of a cell, with the lines of the core that do it. */
  async cell([kind, layer, head, query, key]) {
    if (!this.reading && !await this.work((ask) => this.own(ask))) throw new Error(this.line);
    const part = (name) => rowsOf(this.recorded(kind, name)[layer], head), { source, where } = this.known;
    const open = [...part("scores")[query]].map((score) => score > -Infinity);
    return [{ ...arithmetic(part("q")[query], part("k"), open, key, part("weights")[query][key]), source, where }];
  }

  /** Measure what each head by itself does for this translation, and add it to the facts. */
  async effects() {
    const done = await this.work(async (ask) => {
      const { src, ids } = await this.own(ask), facts = this.get("facts");
      const { effects } = await ask({ kind: "effects", src, ids, edits: this.unread() });
      const rows = facts.rows.map((row) => ({ ...row, effect: effects[row.kind][row.layer][row.head] }));
      this.view.set("facts", { ...facts, rows });
    }, "measuring each head's effect");
    if (!done) throw new Error(done === null ? "Something else was asked meanwhile." : this.line);
    return [{}];
  }
}
