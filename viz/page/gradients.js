// How log p of each target word changes with the vectors of the source words, along directions of the reader's choice: the twin of the
// gradients in studies/evidence.py. Nothing runs backward here. Each direction is taken through the model beside the values themselves,
// layer by layer, by the derivative of what the layer does; there are as many as source words, but target words and numbers of a vector
// are many more. One more question of questions.js:
//
//   { kind: "gradients", src, ids, steps }   gradient × input and integrated gradients, each a table (T, S), row after row
//
// A pair { x, d } is what stands at n positions, x (n, D), and how it moves along each of J directions, d (J·n, D).

import { BOS, attentionScores, attentionWeights, causalMask, logSoftmax, mixed, windowMask } from "./engine.js";
import { ANSWERS } from "./questions.js";

const EPSILON = 1e-6;   // of layer normalisation

/** Some rows of each of J directions: a part for each. */
const partsOf = (d, n) => Array.from({ length: d.length / n }, (_, j) => d.subarray(j * n, (j + 1) * n));

/** Two arrays added, number by number. */
const added = (a, b) => a.map((value, at) => value + b[at]);

/** How the softmax of scores moves where they do: weights and movement (H, T, S). */
export function movedWeights(weights, moved, S) {
  const out = new Float32Array(weights.length);
  for (let row = 0; row < out.length; row += S) {
    let mean = 0;
    for (let s = row; s < row + S; s++) mean += weights[s] * moved[s];
    for (let s = row; s < row + S; s++) out[s] = weights[s] * (moved[s] - mean);
  }
  return out;
}

/** How a layer normalisation moves where what it reads, x (n, D), does: d (J·n, D). */
export function movedNorm(x, d, gain) {
  const D = gain.length, out = new Float32Array(d.length);
  for (let to = 0; to < d.length; to += D) {
    const from = to % x.length, mean = (value) => { let sum = 0; for (let i = 0; i < D; i++) sum += value(i); return sum / D; };
    const centre = mean((i) => x[from + i]), scale = 1 / Math.sqrt(mean((i) => (x[from + i] - centre) ** 2) + EPSILON);
    const shift = mean((i) => d[to + i]), stretch = mean((i) => (x[from + i] - centre) * scale * d[to + i]);
    for (let i = 0; i < D; i++) out[to + i] = scale * gain[i] * (d[to + i] - shift - (x[from + i] - centre) * scale * stretch);
  }
  return out;
}

/** A model's passes with directions beside the values. */
class Moving {
  constructor(model) {
    const straight = Object.entries(model.weights).filter(([name]) => !/w_[12]\.bias$/.test(name));   // a bias does not move
    Object.assign(this, { model, slope: Object.assign(Object.create(model), { weights: Object.fromEntries(straight) }) });
  }

  *linear(name, { x, d }) { return { x: yield* this.model.linear(name, x), d: yield* this.slope.linear(name, d) }; }

  norm(name, { x, d }) {
    return { x: this.model.layerNorm(name, x), d: movedNorm(x, d, this.model.weights[`${name}.weight`].data) };
  }

  *attention(name, pair, memory, mask) {
    const { n_heads: H, d_k, d_v } = this.model.config;
    const q = yield* this.linear(`${name}.w_q`, pair), k = yield* this.linear(`${name}.w_k`, memory);
    const v = yield* this.linear(`${name}.w_v`, memory), S = k.x.length / H / d_k;
    const weights = attentionWeights(attentionScores(q.x, k.x, H, d_k, mask), S), x = mixed(weights, v.x, H, d_v);
    const [dq, dk, dv] = [q, k, v].map((part) => partsOf(part.d, part.x.length)), d = new Float32Array(dq.length * x.length);
    for (const [j, asks] of dq.entries()) {
      const scores = added(attentionScores(asks, k.x, H, d_k), attentionScores(q.x, dk[j], H, d_k));
      d.set(added(mixed(movedWeights(weights, scores, S), v.x, H, d_v), mixed(weights, dv[j], H, d_v)), j * x.length);
      yield;
    }
    return yield* this.linear(`${name}.w_o`, { x, d });
  }

  *feedForward(name, pair) {
    const { x, d } = yield* this.linear(`${name}.w_1`, pair);
    const open = { x: x.map((value) => Math.max(0, value)), d: d.map((value, at) => (x[at % x.length] > 0 ? value : 0)) };
    return yield* this.linear(`${name}.w_2`, open);
  }

  *addNorm(name, pair, sublayer) {
    const pre = this.model.config.norm === "pre", norm = `${name}.layer_norm`;
    const y = yield* sublayer(pre ? this.norm(norm, pair) : pair), sum = { x: added(pair.x, y.x), d: added(pair.d, y.d) };
    return pre ? sum : this.norm(norm, sum);
  }

  /** A stack's layers; memory: what the decoder reads. */
  *stack(kind, pair, mask, memory = null) {
    for (const [layer, [self, cross]] of this.model.layers(kind)) {
      const acts = [(y) => this.attention(self, y, y, mask), cross && ((y) => this.attention(cross, y, memory, null)),
        (y) => this.feedForward(`${layer}.feed_forward`, y)].filter(Boolean);
      for (const [n, act] of acts.entries()) pair = yield* this.addNorm(`${layer}.add_norm.${n}`, pair, act);
    }
    return this.model.config.norm === "pre" ? this.norm(`${kind}_norm`, pair) : pair;
  }

  /** How log p of each of ids moves, by direction: J times T numbers. vectors (S, D): of the source, in the places of its embeddings. */
  *slopes(vectors, directions, ids) {
    const { model } = this, { d_model: D, window } = model.config, S = vectors.length / D, T = ids.length;
    const J = directions.length / vectors.length;
    const source = { x: added(vectors, model.positions("src", S, 0)), d: directions };
    const memory = yield* this.stack("encoder", source, window ? windowMask(S, window, false) : null);
    const inputs = { x: model.embed([BOS, ...ids.slice(0, -1)], "tgt"), d: new Float32Array(J * T * D) };
    const { x, d } = yield* this.stack("decoder", inputs, window ? windowMask(T, window, true) : causalMask(T), memory);
    const softmax = model.config.tie_softmax ? model.tgtEmbedding : "softmax.weight", { data: rows } = model.weights[softmax];
    const logits = yield* model.linear(softmax.slice(0, -".weight".length), x), ways = [];
    for (const [t, id] of ids.entries()) {   // of the chosen row of the softmax less the mean of all, as likely as they are
      const way = Float64Array.from(rows.subarray(id * D, (id + 1) * D)), V = model.words;
      const log_probs = logSoftmax(logits.subarray(t * V, (t + 1) * V), V);
      log_probs.forEach((log_prob, v) => {
        const p = Math.exp(log_prob);
        if (p > 1e-9) for (let i = 0; i < D; i++) way[i] -= p * rows[v * D + i];
      });
      ways.push(way);
      yield;
    }
    return partsOf(d, T * D).map((moved) => ways.map((way, t) => way.reduce((sum, value, i) => sum + value * moved[t * D + i], 0)));
  }
}

/** Rows (S, D) as S directions, each of which moves its own row alone: (S·S, D). */
function eachAlone(rows, D) {
  const S = rows.length / D, directions = new Float32Array(S * rows.length);
  for (let j = 0; j < S; j++) directions.set(rows.subarray(j * D, (j + 1) * D), j * rows.length + j * D);
  return directions;
}

ANSWERS.gradients = function* gradients({ src, ids, steps }, _, model) {
  const { d_model: D } = model.config, { data: rows } = model.weights["src_embedding.weight"], S = src.length, moving = new Moving(model);
  const vectors = Float32Array.from(src.flatMap((id) => [...rows.subarray(id * D, (id + 1) * D)]), (value) => value * Math.sqrt(D));
  const way = vectors.map((value, at) => (at < (S - 1) * D ? value : 0));   // from no word at all; the end stays
  const byRows = (columns) => Float64Array.from({ length: ids.length * S }, (_, at) => columns[at % S][Math.floor(at / S)]);
  const gradient = yield* moving.slopes(vectors, eachAlone(vectors, D), ids), directions = eachAlone(way, D);
  let integrated = null;
  for (let n = 0; n < steps; n++) {
    const left = 1 - (n + 0.5) / steps, columns = yield* moving.slopes(vectors.map((value, at) => value - left * way[at]), directions, ids);
    integrated = columns.map((column, j) => column.map((value, t) => (integrated?.[j][t] ?? 0) + value / steps));
    yield { n: n + 1, limit: steps };
  }
  return { gradient: byRows(gradient), integrated: byRows(integrated) };
};
