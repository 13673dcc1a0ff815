// Recurrent translators, as in baselines.py: a GRU reads in both directions, another says the translation, and looks back by additive
// scores, by dot products, or not at all. A page has some of them together, as they are shown side by side. One more question of
// questions.js:
//
//   { kind: "steps", text, which }   what each step of one of them has, as studies/recurrence.py reads it

import { BOS, MODELS, attentionWeights, greedyDecode, logSoftmax, product } from "./engine.js";
import { ANSWERS, likeliest, sourceOf } from "./questions.js";

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** Vectors one after the other. */
const chained = (...vectors) => Float32Array.from(vectors.flatMap((vector) => [...vector]));

/** A recurrent encoder-decoder: encode and decode as the Transformer's, so that greedyDecode works it too. Its one cell is the GRU. */
export class Recurrent {
  /** weights: { data, shape } by torch's names. */
  constructor(config, weights, multiply = product) {
    if (config.cell !== "GRU") throw new Error(`The cell is ${config.cell}; a page knows GRU.`);
    Object.assign(this, { config, weights, multiply, words: config.vocab_size });
  }

  /** xWᵀ + b: (in,) -> (out,). */
  linear(x, name, bias = "") {
    const { data: w, shape: [out, width] } = this.weights[name], y = new Float32Array(out), b = this.weights[bias]?.data;
    this.multiply(x, w, y, width);
    return b ? y.map((value, i) => value + b[i]) : y;
  }

  /** √d_model · embedding. */
  embed(id) {
    const D = this.config.d_model, scale = Math.fround(Math.sqrt(D));
    return this.weights["src_embedding.weight"].data.slice(id * D, (id + 1) * D).map((value) => value * scale);
  }

  /** h_t of h_{t-1} and x_t (Cho et al., 2014), as torch computes it: the reset gate acts after U. */
  gru(name, x, h, direction = "") {
    const end = `l0${direction}`, H = h.length;
    const own = this.linear(x, `${name}.weight_ih_${end}`, `${name}.bias_ih_${end}`);
    const back = this.linear(h, `${name}.weight_hh_${end}`, `${name}.bias_hh_${end}`);
    return h.map((before, i) => {
      const reset = sigmoid(own[i] + back[i]), update = sigmoid(own[H + i] + back[H + i]);
      return (1 - update) * Math.tanh(own[2 * H + i] + reset * back[2 * H + i]) + update * before;
    });
  }

  /** src, S ids that end in eos -> { states (S vectors), ends }: what each direction read last. */
  *encode(src) {
    const words = src.map((id) => this.embed(id)), zero = new Float32Array(this.config.d_model / 2);
    const swept = (inputs, direction) => {
      let h = zero;
      return inputs.map((x) => (h = this.gru("encoder", x, h, direction)));
    };
    const forth = swept(words, ""), back = swept(words.reverse(), "_reverse").reverse();
    yield;
    return { states: forth.map((h, j) => chained(h, back[j])), ends: chained(forth.at(-1), back[0]) };
  }

  /** What the decoder keeps from step to step: its state, U h_j, and all states before a word was said. */
  newCache() { return { state: null, keys: null, before: [] }; }

  /** e_ij of all source states: a network with one hidden layer, or a dot product (Bahdanau et al., 2014; Luong et al., 2015). */
  scores(state, { states }, keys) {
    const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
    if (this.config.score === "dot") return Float32Array.from(states, (h) => dot(state, h));
    const asks = this.asks(state), { data: v } = this.weights["decoder.0.cross_attention.v.weight"];
    return Float32Array.from(keys, (key) => dot(v, key.map((value, i) => Math.tanh(value + asks[i]))));
  }

  asks(state) { return this.linear(state, "decoder.0.cross_attention.w.weight"); }

  keys({ states }) {
    return this.config.score === "additive" ? states.map((h) => this.linear(h, "decoder.0.cross_attention.u.weight")) : null;
  }

  /** c_i = Σ_j α_ij h_j; without scores the ends. */
  context(memory, { state, keys }) {
    if (!this.config.score) return memory.ends;
    const weights = attentionWeights(this.scores(state, memory, keys), memory.states.length), c = new Float32Array(state.length);
    memory.states.forEach((h, j) => h.forEach((value, i) => { c[i] += weights[j] * value; }));
    return c;
  }

  /** The newest token, and what encode gave -> the logits of what follows: (V,). */
  *decode([id], memory, cache) {
    cache.state ??= this.linear(memory.ends, "decoder.0.start.weight", "decoder.0.start.bias").map(Math.tanh);
    cache.keys ??= this.keys(memory);
    cache.before.push(cache.state);
    const y = this.embed(id), c = this.context(memory, cache);
    cache.state = this.gru("decoder.0.cell", chained(y, c), cache.state);
    const told = this.linear(chained(y, cache.state, c), "decoder.0.readout.weight", "decoder.0.readout.bias").map(Math.tanh);
    yield;
    return this.linear(told, "src_embedding.weight");
  }
}

/** Recurrent translators of one vocabulary, by name. */
export class RecurrentFamily {
  constructor({ vocab_size, models }, weights, multiply) {
    const named = Object.entries(weights), of = (name) => named.filter(([weight]) => weight.startsWith(`${name}.`))
      .map(([weight, tensor]) => [weight.slice(name.length + 1), tensor]);
    this.words = vocab_size;
    this.models = Object.fromEntries(Object.entries(models).map(([name, config]) =>
      [name, new Recurrent(config, Object.fromEntries(of(name)), multiply)]));
  }
}

MODELS.recurrent = RecurrentFamily;

ANSWERS.steps = function* steps({ which, ...question }, { model: { models }, ...translator }) {
  const model = models[which], src = sourceOf(question, translator), { ids } = yield* greedyDecode(model, src, question);
  const memory = yield* model.encode(src), cache = model.newCache(), rows = [], { tokenizer } = translator;
  for (const id of [BOS, ...ids.slice(0, -1)]) {
    const { pieces, log_probs } = likeliest(logSoftmax(yield* model.decode([id], memory, cache), model.words), 3, translator);
    rows.push(pieces.map((piece, i) => [piece, Math.exp(log_probs[i])]));
  }
  const parts = { states: chained(...memory.states), before: chained(...cache.before) }, { score, d_model: width } = model.config;
  if (score === "additive") {
    const { data: v } = model.weights["decoder.0.cross_attention.v.weight"];
    Object.assign(parts, { w: chained(...cache.before.map((state) => model.asks(state))), u: chained(...cache.keys), v });
  } else if (!score) parts.c = memory.ends;
  const text = tokenizer.decode(ids);
  return { keys: tokenizer.pieces(src), queries: tokenizer.pieces(ids), width, parts, likeliest: rows, text };
};
