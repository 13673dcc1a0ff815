// What a page asks a trained model, as plain data, and how it is answered: each answer is a generator (see engine.js).
//
//   { kind: "translate", text, beam_size, alpha }   a translation, and how likely it is
//   { kind: "greedy", text }                        the likeliest token at every step
//   { kind: "search", text, beam_size, alpha, top, attention }   a beam search step by step, and where each hypothesis reads
//   { kind: "read", text, ids, record, top }        one pass over a sentence and a translation, and what its probes recorded
//   { kind: "next", text, ids, top }                what may follow the first tokens of a translation
//   { kind: "effects", text, ids }                  what every head by itself does for a translation
//   { kind: "shares", text, ids }                   a reading, and what every attention adds beside what the residual carries past it
//   { kind: "matter", … }                           how much each source word matters for each target word: matter.js
//   { kind: "gradients", … }                        how it changes with their vectors: gradients.js
//   { kind: "steps", … }                            what each step of a recurrent translator has: recurrent.js
//   { kind: "memory", text, record }                the encoder's part alone, and what its probes recorded
//   { kind: "leak", text, tgt_in, other, layers }   which logits move when a token of the decoder's input becomes another; layers: of an
//                                                   untrained model of so many, in place of the trained one
//
// Each may have src (ids, eos last) in place of text, target (a translation as text) in place of ids, max_extra (how many tokens longer
// than the source a translation may become), most (how many tokens the source may have), and edits, which change the model while it
// answers: see EDITS.

import { BOS, EOS, beamSearch, greedyDecode, intervene, logSoftmax, nextLogProbs, record } from "./engine.js";
import { clean, untrained } from "./checkpoint.js";

/** A copy of a tensor in which an act has changed the numbers: act(data, ...shape). */
const changed = ({ data, shape }, act) => {
  const copy = data.slice();
  act(copy, ...shape);
  return { data: copy, shape };
};

const chosen = (head, n) => (head === undefined || head === null ? Array.from({ length: n }, (_, h) => h) : [head]);

/** The edits, by the key that only they have. Each names its probe too; the name may hold *. head: one head, all where there is none. */
const EDITS = {
  /** Silence heads: { probe: "….heads", heads: [3, 5] }. */
  heads: ({ heads }) => (tensor) => changed(tensor, (data, H, T, width) => {
    for (const head of heads) data.fill(0, head * T * width, (head + 1) * T * width);
  }),

  /** Hide keys from queries, [t, s], or from all queries, [null, s]: { probe: "….scores", cells: [[0, 2]], head: 1 }. */
  cells: ({ cells, head }) => (tensor) => changed(tensor, (data, H, T, S) => {
    for (const h of chosen(head, H)) for (const [t, s] of cells) for (const row of chosen(t, T)) data[(h * T + row) * S + s] = -Infinity;
  }),

  /** Say what a query's weights are: { probe: "….weights", row: 2, values: [0, 1, 0], head: 1 }. */
  values: ({ row, values, head }) => (tensor) => changed(tensor, (data, H, T, S) => {
    if (row < T) for (const h of chosen(head, H)) data.set(values, (h * T + row) * S);
  }),

  /** The same while a translation is searched for, of all W hypotheses in the pass of a step:
   * { probe: "….weights", step: 2, held: [0, 1, 0] }. Their n·W keys lie step by step: of the W of a step, a hypothesis looks
   * back on the one that is not masked. */
  held: ({ step, held, head }) => {
    const passes = {};
    return (tensor, name) => {
      passes[name] = (passes[name] ?? -1) + 1;
      return passes[name] !== step ? tensor : changed(tensor, (data, H, W, S) => {
        const n = S / held.length;
        if (!Number.isInteger(n)) throw new Error(`${held.length} weights are held at a step of ${S} keys; give one for each.`);
        for (const h of chosen(head, H)) for (let w = 0; w < W; w++) for (let s = 0; s < held.length; s++) {
          const at = (h * W + w) * S + s * n, keys = data.subarray(at, at + n), own = keys.indexOf(Math.max(...keys));
          keys.fill(0)[own] = held[s];
        }
      });
    };
  },

  /** Leave positions out: { probe: "src_positions", off: true }. */
  off: () => (tensor) => changed(tensor, (data) => data.fill(0)),

  /** Begin k further on: { probe: "src_positions", shift: 7 }. */
  shift: ({ shift }, model) => (tensor, name, start) => changed(tensor, (data, n) =>
    data.set(model.positions(name.slice(0, 3), n, start + shift))),

  /** Give each token the position named for it, -1 for none: { probe: "src_positions", places: [2, 1, 0] }. */
  places: ({ places }, model) => (tensor, name, start) => changed(tensor, (data, n, D) => {
    const position = (place) => (place < 0 ? new Float32Array(D) : model.positions(name.slice(0, 3), 1, place));
    places.slice(start, start + n).forEach((place, row) => data.set(position(place), row * D));
  }),

  /** Say where the decoder may look, T · T cells: { probe: "tgt_mask", mask: [1, 0, 1, 1] }. */
  mask: ({ mask }) => (tensor) => changed(tensor, (data) => data.set(mask)),

  /** Exchange a token's vector for that of another id, { probe: "src_embedding", token: 1, id: 77 }, */
  id: ({ token, id }, model) => (tensor, name) => changed(tensor, (data, n, D) => {
    const table = model.weights[name.startsWith("tgt") ? model.tgtEmbedding : "src_embedding.weight"].data;
    data.set(table.subarray(id * D, (id + 1) * D), token * D);
  }),

  /** or for any other, { probe: "src_embedding", token: 1, vector: […] }. */
  vector: ({ token, vector }) => (tensor) => changed(tensor, (data, n, D) => data.set(vector, token * D)),
};

/** The model as edits change it. */
export function edited(model, edits = []) {
  return edits.reduce((before, edit) => {
    const key = Object.keys(EDITS).find((name) => edit[name] !== undefined);
    if (!key) throw new Error(`An edit says one of ${Object.keys(EDITS).join(", ")}, not ${Object.keys(edit).join(", ")}.`);
    return intervene(before, edit.probe, EDITS[key](edit, model));
  }, model);
}

/** A search feeds the decoder one token at a time, side by side for its hypotheses: there rows and columns are not those of a sentence. */
function checkSearch(edits = []) {
  for (const { probe, cells, values, token, mask } of edits) {
    const rows = values || mask || token !== undefined || cells?.some(([t]) => t !== null);
    if (/decoder|tgt|^[*?]/.test(probe) && (rows || (cells && !probe.includes("cross")))) {
      throw new Error(`Cells and rows of ${probe} can be edited in a reading, not while a translation is searched for.`);
    }
  }
}

/** The ids that a question's source has, its end included. */
export function sourceOf({ text, src, most = Infinity }, { tokenizer }) {
  if (!src && !clean(text)) throw new Error("Type a sentence of at least one word.");
  const ids = src ?? [...tokenizer.encode(text), EOS];
  if (ids.length > most) throw new Error(`This sentence has ${ids.length} tokens, more than the ${most} shown; try a shorter one.`);
  return ids;
}

/** What a reader wants to know of a hypothesis. */
function translation({ ids, log_prob, score }, src, { tokenizer, tgtTokenizer }) {
  const src_pieces = tokenizer.pieces(src), pieces = tgtTokenizer.pieces(ids);
  return { src, src_pieces, ids, pieces, text: clean(tgtTokenizer.decode(ids)), log_prob, score };
}

/** The likeliest tokens of one row of log-probabilities. */
export function likeliest(row, top, { tgtTokenizer }) {
  const ids = Array.from(row.keys()).sort((a, b) => row[b] - row[a] || a - b).slice(0, top);
  return { ids, pieces: tgtTokenizer.pieces(ids), log_probs: ids.map((id) => row[id]) };
}

/** The log-probability of each token of a translation: logits (T, V), T ids -> T numbers. */
export const logProbsOf = (logits, ids) => ids.map((id, row) => {
  const V = logits.length / ids.length;
  return nextLogProbs(logits.subarray(row * V, (row + 1) * V), V)[id];
});

/** Tell how far a search is, and what it has so far. */
function* toldOf(search, { tgtTokenizer }, keep = () => {}) {
  for (;;) {
    const { done, value } = search.next();
    if (done) return value;
    if (value) keep(value);
    yield value && { n: value.n, limit: value.limit, text: clean(tgtTokenizer.decode(value.ids ?? value.best.ids)) };
  }
}

/** A query's weights (H, T, S), the mean over the heads: S numbers. */
const overHeads = ({ data, shape: [H, T, S] }, row) => Float32Array.from({ length: S }, (_, s) => {
  let sum = 0;
  for (let h = 0; h < H; h++) sum += data[(h * T + row) * S + s];
  return sum / H;
});

const joinedRows = (rows) => Float32Array.from(rows.flatMap((row) => [...row]));

/** Lengths of what an attention's keys add, all heads together, as shares with that of what the residual carries (stays), and what
 * they are shares of (wholes); of each cell the head that adds the most. weights (H, T, S), v (H, S, d_v), w_o (D, H·d_v), carried
 * (T, D): as studies.contributions.shares. */
export function addedShares({ data: weights, shape: [H, T, S] }, { data: v }, { data: w_o, shape: [D, width] }, { data: carried }) {
  const d_v = width / H, f = new Float64Array(H * S * D), lengths = new Float64Array(H * S);
  const size = (x) => Math.sqrt(x.reduce((a, b) => a + b * b, 0));
  for (let at = 0; at < H * S; at++) {
    const h = Math.floor(at / S);
    for (let d = 0; d < D; d++) for (let i = 0; i < d_v; i++) f[at * D + d] += w_o[d * width + h * d_v + i] * v[at * d_v + i];
    lengths[at] = size(f.subarray(at * D, (at + 1) * D));
  }
  const added = [], heads = [], stays = [], wholes = [];
  for (let t = 0; t < T; t++) {
    const row = [], strongest = [];
    for (let s = 0; s < S; s++) {
      const together = new Float64Array(D), weight = (h) => weights[(h * T + t) * S + s];
      let best = 0;
      for (let h = 0; h < H; h++) {
        for (let d = 0; d < D; d++) together[d] += weight(h) * f[(h * S + s) * D + d];
        if (weight(h) * lengths[h * S + s] > weight(best) * lengths[best * S + s]) best = h;
      }
      row.push(size(together));
      strongest.push(best);
    }
    const past = size(carried.subarray(t * D, (t + 1) * D)), total = row.reduce((a, b) => a + b, past);
    added.push(row.map((length) => length / total));
    heads.push(strongest);
    stays.push(past / total);
    wholes.push(total);
  }
  return { added, heads, stays, wholes };
}

/** addedShares of every attention, by kind and layer; trace: of all probes. */
export function* sharesOf(model, trace) {
  const shares = { encoder: [], decoder: [], cross: [] };
  for (const [stack, first] of [["encoder", "src_sum"], ["decoder", "tgt_sum"]]) {
    for (const [l, [layer, attentions]] of model.layers(stack).entries()) {
      for (const [place, name] of attentions.entries()) {
        const before = place ? `${layer}.add_norm.0` : l ? `${stack}.${l - 1}.residual` : first;
        const parts = [trace[`${name}.weights`], trace[`${name}.v`], model.weights[`${name}.w_o.weight`], trace[before]];
        shares[place ? "cross" : stack].push(addedShares(...parts));
        yield;
      }
    }
  }
  return shares;
}

/** The memory of a source, kept until another is asked for: what changes the decoder alone, or asks once more, does not read it again. */
function* memoryOf(model, src, { edits = [], record = "decoder" }, translator) {
  const ofDecoder = (probe) => /^(decoder|tgt)/.test(probe), key = JSON.stringify([src, edits.filter(({ probe }) => !ofDecoder(probe))]);
  if (!ofDecoder(record) || translator.memory?.key !== key) translator.memory = { key, known: yield* model.encode(src) };
  return translator.memory.known;
}

/** A search for the best translation of a source, or for that of the likeliest tokens. */
function* searched(search, question, translator, model) {
  checkSearch(question.edits);
  const src = sourceOf(question, translator), known = yield* memoryOf(model, src, question, translator);
  return translation(yield* toldOf(search(model, src, { ...question, known }), translator), src, translator);
}

/** How each kind of question is answered, by a translator { model, tokenizer, tgtTokenizer }. */
export const ANSWERS = {
  *translate(...asked) { return yield* searched(beamSearch, ...asked); },

  *greedy(...asked) { return yield* searched(greedyDecode, ...asked); },

  *search(question, translator, model) {
    checkSearch(question.edits);
    const src = sourceOf(question, translator), steps = [], top = question.top ?? 2 * (question.beam_size ?? 4), V = model.words;
    const trace = {}, watched = question.attention ? record(model, trace, "decoder.*.cross_attention.weights") : model;
    let limit;
    const best = yield* toldOf(beamSearch(watched, src, question), translator, ({ log_probs, n, limit: most, best, ...step }) => {
      limit = most;
      const rows = Array.from(step.before, (_, row) => likeliest(log_probs.subarray(row * V, (row + 1) * V), top, translator));
      const attention = rows.map((_, row) => joinedRows(Object.values(trace).map((weights) => overHeads(weights, row))));
      steps.push({ ...step, pieces: translator.tgtTokenizer.pieces(step.tokens), likeliest: rows, attention, best });
    });
    return { ...translation(best, src, translator), steps, limit };
  },

  *read(question, translator, model) {
    const src = sourceOf(question, translator), { target } = question;
    const known = target === undefined ? question.ids : [...translator.tgtTokenizer.encode(target), EOS];
    const ids = known ?? (yield* greedyDecode(translator.model, src, question)).ids, trace = {}, tgt_in = [BOS, ...ids.slice(0, -1)];
    const watched = question.record ? record(model, trace, question.record) : model;
    const logits = yield* watched.decode(tgt_in, yield* memoryOf(watched, src, question, translator));
    const shape = [ids.length, model.words], log_probs = logProbsOf(logits, ids), tgt_pieces = translator.tgtTokenizer.pieces(tgt_in);
    const row = (t) => logSoftmax(logits.subarray(t * model.words, (t + 1) * model.words), model.words);
    const rows = question.top ? ids.map((_, t) => likeliest(row(t), question.top, translator)) : [];
    const answer = { ...translation({ ids }, src, translator), tgt_in, tgt_pieces, log_probs, likeliest: rows, trace };
    return { ...answer, logits: { data: logits, shape } };
  },

  *next(question, translator, model) {
    const src = sourceOf(question, translator), tgt_in = [BOS, ...question.ids ?? []], V = model.words;
    const logits = yield* model.forward(src, tgt_in);
    return likeliest(nextLogProbs(logits.subarray(-V), V), question.top ?? 10, translator);
  },

  /** shares: by kind and layer, see addedShares. */
  *shares(question, translator, model) {
    const { trace, ...reading } = yield* ANSWERS.read({ ...question, record: "*" }, translator, model);
    return { ...reading, shares: yield* sharesOf(model, trace) };
  },

  *memory(question, translator, model) {
    const src = sourceOf(question, translator), trace = {};
    yield* (question.record ? record(model, trace, question.record) : model).encode(src);
    return { src, src_pieces: translator.tokenizer.pieces(src), trace };
  },

  /** The largest change of any logit of each row by each token that became another: change (T, T), as studies.masks.leak_test. */
  *leak({ tgt_in, other, layers, ...question }, translator, model) {
    const src = sourceOf(question, translator), T = tgt_in.length, change = new Float32Array(T * T), V = model.words;
    const tested = layers ? edited(untrained({ ...model.config, n_layers: layers }), question.edits) : model;
    const memory = yield* tested.encode(src), before = yield* tested.decode(tgt_in, memory);
    for (let token = 0; token < T; token++) {
      const after = yield* tested.decode(tgt_in.map((id, at) => (at !== token ? id : id === other ? EOS : other)), memory);
      after.forEach((logit, at) => {
        const cell = Math.floor(at / V) * T + token;
        change[cell] = Math.max(change[cell], Math.abs(logit - before[at]));
      });
      yield { n: token + 1, limit: T };
    }
    return { change: [...change] };
  },

  /** Δ log-probability of the translation with one head off, of each kind (L, H). */
  *effects(question, translator, model) {
    const src = sourceOf(question, translator), ids = question.ids ?? (yield* greedyDecode(model, src, question)).ids;
    const tgt_in = [BOS, ...ids.slice(0, -1)], memory = yield* model.encode(src), { n_layers, n_heads } = model.config;
    const total = (logits) => logProbsOf(logits, ids).reduce((a, b) => a + b), whole = total(yield* model.decode(tgt_in, memory));
    const kinds = { encoder: "encoder.*.self_attention", decoder: "decoder.*.self_attention", cross: "decoder.*.cross_attention" };
    const effects = {}, limit = 3 * n_layers * n_heads;
    let n = 0;
    for (const [kind, probe] of Object.entries(kinds)) {
      effects[kind] = Array.from({ length: n_layers }, () => []);
      for (let layer = 0; layer < n_layers; layer++) {
        for (let head = 0; head < n_heads; head++) {
          const without = edited(model, [{ probe: `${probe.replace("*", layer)}.heads`, heads: [head] }]);
          const read = kind === "encoder" ? yield* without.encode(src) : memory;
          effects[kind][layer].push(total(yield* without.decode(tgt_in, read)) - whole);
          yield { n: ++n, limit, effects };
        }
      }
    }
    return { ids, log_prob: whole, effects };
  },
};

/** The answer to a question, as a generator of how far it is; what cannot be answered is refused in a sentence. */
export function* answer(question, translator) {
  const kind = Object.hasOwn(ANSWERS, question.kind) && ANSWERS[question.kind];
  if (!kind) throw new Error(`There is no question "${question.kind}"; ask one of ${Object.keys(ANSWERS).join(", ")}.`);
  return yield* kind(question, translator, edited(translator.model, question.edits));
}
