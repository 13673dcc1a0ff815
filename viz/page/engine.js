// The Transformer of transformer_core.py once more, so that a page answers without Python: the same names, the same order, the
// same numbers (tests/test_page_engine.py holds them against torch's).
//
//    2  Probes        see and edit any tensor inside a running model
//    3  Attention     section 3.2 of the paper
//    4  The model     sections 3.1, 3.3, 3.4, 3.5
//    9  Decoding      greedy and beam search with key/value caches
//
// checkpoint.js has the core's sections 5 (text) and 7 (checkpoints), context.js another model, kernel.js a faster product.
// It reads one sentence at a time: shapes are the core's without B (S source and T target positions, H heads, D d_model, K d_k,
// V vocabulary, W hypotheses of a beam). A matrix is a Float32Array, row after row; a mask is a Uint8Array, where 1 means *may look*,
// and null means everywhere.
// What takes long is a generator: each `yield` comes after some milliseconds of work, so a caller may run it in slices, show how far
// it is, or drop it; `finish` runs one to its end, `sliced` lets the page breathe in between.

export const PAD = 0, BOS = 1, EOS = 2, UNK = 3;

const SLICE = 1 << 21;   // products of two numbers between two yields: some milliseconds

/** Run a generator to its end, and give what it returns. */
export function finish(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

/** Run a generator in slices of at most so many milliseconds. told: hears what it yields; signal: an AbortSignal that ends it. */
export async function sliced(work, { ms = 30, told = () => {}, signal = null } = {}) {
  for (let until = performance.now() + ms; ;) {
    signal?.throwIfAborted();
    const { done, value } = work.next();
    if (done) return value;
    if (value !== undefined) told(value);
    if (performance.now() > until) {
      await new Promise((resolve) => setTimeout(resolve));
      until = performance.now() + ms;
    }
  }
}

// ─── 2 Probes ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// A probe's tensor is { data: Float32Array, shape }. Beside the core's probes, the outputs of its modules have one here, named as the
// modules are: src_embedding and tgt_embedding (rows of the table, before √d_model), src_positions, tgt_positions, each attention,
// feed_forward and add_norm of a layer, and src_sum and tgt_sum, what the first layer of a stack reads: (n, D); and tgt_mask (T, T).

const matching = (pattern) => new RegExp(`^${pattern.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")}$`);

/** The same model, over the same weights, in which one more function sees what passes through the probes of a pattern. */
function attached(model, pattern, role, act) {
  const fits = matching(pattern), names = model.probeNames().filter((name) => fits.test(name));
  if (!names.length) throw new Error(`This model has no probe "${pattern}"; one is "${model.probeNames()[0]}".`);
  const copy = Object.create(model);
  copy.probes = new Map(model.probes);
  for (const name of names) {
    const probe = copy.probes.get(name) ?? { edits: [], readers: [] };
    copy.probes.set(name, { ...probe, [role]: [...probe[role], act] });
  }
  return copy;
}

/** A model that keeps in `trace` what passes through its probes: by name, the tensor of the latest pass. */
export function record(model, trace, pattern = "*") {
  return attached(model, pattern, "readers", (tensor, name) => { trace[name] = { ...tensor, data: tensor.data.slice() }; });
}

/** A model whose tensor at a probe (the name may hold *) is edit(tensor, name, start), of equal shape; start: of its positions. */
export const intervene = (model, name, edit) => attached(model, name, "edits", edit);

// ─── 3 Attention ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
// q (T, H·K), k (S, H·K), v (S, H·d_v) lie as the projections leave them: head h has the columns from h·K on.

/** Position i may look at positions up to i (section 3.2.3): (n, n). */
export const causalMask = (n) => Uint8Array.from({ length: n * n }, (_, at) => Number(at % n <= Math.floor(at / n)));

/** Restricted self-attention (section 4): the `window` nearest, centred, or the last ones: (n, n). */
export function windowMask(n, window, causal) {
  const near = (distance) => (causal ? distance >= 0 && distance < window : Math.abs(distance) <= Math.floor(window / 2));
  return Uint8Array.from({ length: n * n }, (_, at) => Number(near(Math.floor(at / n) - at % n)));
}

/** QKᵀ/√d_k, -inf where masked (Figure 2): (H, T, S). */
export function attentionScores(q, k, n_heads, d_k, mask = null) {
  const width = n_heads * d_k, T = q.length / width, S = k.length / width, scale = Math.sqrt(d_k);
  const scores = new Float32Array(n_heads * T * S);
  for (let h = 0, at = 0; h < n_heads; h++) {
    for (let t = 0; t < T; t++) {
      for (let s = 0; s < S; s++, at++) {
        if (mask && !mask[t * S + s]) { scores[at] = -Infinity; continue; }
        const query = t * width + h * d_k, key = s * width + h * d_k;
        let sum = 0;
        for (let i = 0; i < d_k; i++) sum += q[query + i] * k[key + i];
        scores[at] = sum / scale;
      }
    }
  }
  return scores;
}

/** The softmax over S keys: rows sum to 1, or are 0 where nothing may be seen. (H, T, S) */
export function attentionWeights(scores, S) {
  const weights = new Float32Array(scores.length);
  for (let row = 0; row < scores.length; row += S) {
    let largest = -Infinity, sum = 0;
    for (let s = 0; s < S; s++) largest = Math.max(largest, scores[row + s]);
    if (largest === -Infinity) continue;
    for (let s = 0; s < S; s++) sum += weights[row + s] = Math.exp(scores[row + s] - largest);
    for (let s = 0; s < S; s++) weights[row + s] /= sum;
  }
  return weights;
}

/** What the heads read, weights · V: (H, T, S), (S, H·d_v) -> (T, H·d_v). */
export function mixed(weights, v, n_heads, d_v) {
  const width = n_heads * d_v, S = v.length / width, T = weights.length / n_heads / S, heads = new Float32Array(T * width);
  for (let h = 0, at = 0; h < n_heads; h++) {
    for (let t = 0; t < T; t++) {
      const to = t * width + h * d_v;
      for (let s = 0; s < S; s++, at++) {
        const weight = weights[at], from = s * width + h * d_v;
        if (weight) for (let i = 0; i < d_v; i++) heads[to + i] += weight * v[from + i];
      }
    }
  }
  return heads;
}

/** (n, H·K) -> (H, n, K), as probes see it. */
function split(x, n_heads, width) {
  const n = x.length / n_heads / width, parts = new Float32Array(x.length);
  for (let at = 0; at < x.length; at++) {
    const row = Math.floor(at / (n_heads * width)), h = Math.floor(at / width) % n_heads;
    parts[(h * n + row) * width + at % width] = x[at];
  }
  return parts;
}

/** Keys and values while decoding: self-attention's grow, cross-attention's are made once. state: what else is kept of a hypothesis. */
class KeyValues {
  constructor(grows) { [this.grows, this.n, this.k, this.v] = [grows, 0, null, null]; }

  /** Keep those of n more positions, and give all: k (S, H·K), v (S, H·d_v). */
  add(k, v, n) {
    const room = (old, x) => {
      if (old && old.length >= this.n * x.length / n + x.length) return old;
      const larger = new Float32Array(Math.max(2 * (old?.length ?? 0), x.length));
      if (old) larger.set(old);
      return larger;
    };
    [this.k, this.v] = [room(this.k, k), room(this.v, v)];
    this.k.set(k, this.n * k.length / n);
    this.v.set(v, this.n * v.length / n);
    this.n += n;
    return this.all(k.length / n, v.length / n);
  }

  all(widthK, widthV) { return [this.k.subarray(0, this.n * widthK), this.v.subarray(0, this.n * widthV)]; }
}

// ─── 4 The model ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** y (n, out) = x (n, in) Wᵀ, four rows of W (out, in) at a time; kernel.js has a faster one with the same results. */
export function product(x, w, y, width) {
  const n = x.length / width, out = w.length / width;
  for (let t = 0; t < n; t++) {
    const from = t * width;
    let row = 0;
    for (; row + 4 <= out; row += 4) {
      let a = 0, b = 0, c = 0, d = 0;
      for (let i = 0, at = row * width; i < width; i++, at++) {
        const value = x[from + i];
        a += value * w[at];
        b += value * w[at + width];
        c += value * w[at + 2 * width];
        d += value * w[at + 3 * width];
      }
      y.set([a, b, c, d], t * out + row);
    }
    for (; row < out; row++) {
      let sum = 0;
      for (let i = 0, at = row * width; i < width; i++, at++) sum += x[from + i] * w[at];
      y[t * out + row] = sum;
    }
  }
}

/** Add a bias (D,) to each row of x (n, D). */
function addBias(x, bias) {
  for (let row = 0; row < x.length; row += bias.length) for (let i = 0; i < bias.length; i++) x[row + i] += bias[i];
}

/** PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(same) (3.5), for pos = start … start + n - 1: (n, D). */
export function sinusoidalPositions(n, d_model, start = 0, base = 10_000) {
  const table = new Float32Array(n * d_model);
  for (let i = 0; i < d_model; i += 2) {
    const frequency = base ** (-i / d_model);
    for (let row = 0; row < n; row++) {
      table[row * d_model + i] = Math.sin((start + row) * frequency);
      table[row * d_model + i + 1] = Math.cos((start + row) * frequency);
    }
  }
  return table;
}

const times = (n, make) => Array.from({ length: n }, (_, at) => make(at));

/** Figure 1: encode(src) gives the memory (S, D), decode(tgtIn, memory) the logits (T, V) of what follows each token. */
export class Transformer {
  /** weights: { data, shape } by the core's names; multiply: what takes a product, of the form of `product`. */
  constructor(config, weights, multiply = product) {
    [this.config, this.weights, this.multiply, this.probes] = [config, weights, multiply, new Map()];
    for (const [name, need] of Object.entries(this.shapes())) {
      const shape = weights[name]?.shape ?? "absent";
      if (`${shape}` !== `${need}`) throw new Error(`These weights do not fit their model: the shape of ${name} is ${shape}, not ${need}.`);
    }
  }

  get words() { return this.config.tgt_vocab_size ?? this.config.vocab_size; }

  /** The layers as pairs of a name and the names of its attentions. */
  layers(stack) {
    const attentions = stack === "encoder" ? ["self_attention"] : ["self_attention", "cross_attention"];
    return times(this.config.n_layers, (l) => [`${stack}.${l}`, attentions.map((name) => `${stack}.${l}.${name}`)]);
  }

  /** The shape of each weight, by name. */
  shapes() {
    const { vocab_size, d_model: D, d_ff, n_heads: H, d_k, d_v, max_len, positions, norm, tgt_vocab_size, tie_softmax } = this.config;
    const shapes = { "src_embedding.weight": [vocab_size, D] };
    const layerNorm = (name) => Object.assign(shapes, { [`${name}.weight`]: [D], [`${name}.bias`]: [D] });
    if (tgt_vocab_size) shapes["tgt_embedding.weight"] = [tgt_vocab_size, D];
    if (!tie_softmax) shapes["softmax.weight"] = [this.words, D];
    if (positions === "learned") for (const side of ["src", "tgt"]) shapes[`${side}_positions.table`] = [max_len, D];
    for (const stack of ["encoder", "decoder"]) {
      if (norm === "pre") layerNorm(`${stack}_norm`);
      for (const [layer, attentions] of this.layers(stack)) {
        for (const name of attentions) {
          const projections = { w_q: [H * d_k, D], w_k: [H * d_k, D], w_v: [H * d_v, D], w_o: [D, H * d_v] };
          for (const [w, shape] of Object.entries(projections)) shapes[`${name}.${w}.weight`] = shape;
        }
        for (const [w, out, width] of [["w_1", d_ff, D], ["w_2", D, d_ff]]) {
          Object.assign(shapes, { [`${layer}.feed_forward.${w}.weight`]: [out, width], [`${layer}.feed_forward.${w}.bias`]: [out] });
        }
        times(attentions.length + 1, (n) => layerNorm(`${layer}.add_norm.${n}.layer_norm`));
      }
    }
    return shapes;
  }

  probeNames() {
    const parts = ["q", "k", "v", "scores", "weights", "heads"], ends = ["embedding", "positions", "sum"];
    const stacks = [...this.layers("encoder"), ...this.layers("decoder")].flatMap(([layer, attentions]) =>
      [...attentions.flatMap((name) => [name, ...parts.map((part) => `${name}.${part}`)]), `${layer}.feed_forward`,
        ...times(attentions.length + 1, (n) => `${layer}.add_norm.${n}`), `${layer}.residual`]);
    return [...["src", "tgt"].flatMap((side) => ends.map((end) => `${side}_${end}`)), "tgt_mask", ...stacks];
  }

  /** What passes through a probe: seen and edited where it is watched, else as it came. */
  probe(name, data, shape, start = 0) {
    const { edits, readers } = this.probes.get(name) ?? { edits: [], readers: [] };
    let tensor = { data, shape };
    for (const edit of edits) tensor = { data: edit(tensor, name, start).data, shape };
    for (const read of readers) read(tensor, name);
    return tensor.data;
  }

  /** The same for what a module gives: (n, D). */
  probeRows(name, x) { return this.probe(name, x, [x.length / this.config.d_model, this.config.d_model]); }

  /** The decoder's mask (T, T), which may be seen and edited as "tgt_mask" where a whole translation is read. */
  probeMask(mask, T) {
    return this.probes.has("tgt_mask") ? Uint8Array.from(this.probe("tgt_mask", Float32Array.from(mask), [T, T])) : mask;
  }

  /** The same for what lies as (n, H·K) here and is (H, n, K) to the probe. */
  probeHeads(name, x, n_heads, width) {
    if (!this.probes.has(name)) return x;
    const n = x.length / n_heads / width;
    return split(this.probe(name, split(x, n_heads, width), [n_heads, n, width]), n, width);
  }

  /** xWᵀ + b, some rows of x at a time: (n, in) -> (n, out). */
  *linear(name, x) {
    const { data: w, shape: [out, width] } = this.weights[`${name}.weight`], bias = this.weights[`${name}.bias`]?.data;
    const n = x.length / width, y = new Float32Array(n * out), rows = Math.max(4, Math.floor(SLICE / w.length));   // w is read once for all
    for (let row = 0; row < n; row += rows) {
      const end = Math.min(row + rows, n);
      this.multiply(x.subarray(row * width, end * width), w, y.subarray(row * out, end * out), width);
      yield;
    }
    if (bias) addBias(y, bias);
    return y;
  }

  *keysValues(name, memory) {
    const { n_heads, d_k, d_v } = this.config;
    const k = this.probeHeads(`${name}.k`, yield* this.linear(`${name}.w_k`, memory), n_heads, d_k);
    return [k, this.probeHeads(`${name}.v`, yield* this.linear(`${name}.w_v`, memory), n_heads, d_v)];
  }

  /** MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O (section 3.2.2), queries of x (T, D), keys and values of memory (S, D). */
  *multiHeadAttention(name, x, memory, mask, cache = null) {
    const { d_model, n_heads, d_k, d_v } = this.config;
    const q = this.probeHeads(`${name}.q`, yield* this.linear(`${name}.w_q`, x), n_heads, d_k);
    let k, v;
    if (cache?.n && !cache.grows) [k, v] = cache.all(n_heads * d_k, n_heads * d_v);
    else [k, v] = yield* this.keysValues(name, memory);
    if (cache && (cache.grows || !cache.n)) [k, v] = cache.add(k, v, memory.length / d_model);
    const heads = this.probeHeads(`${name}.heads`, yield* this.attention(name, q, k, v, mask), n_heads, d_v);
    return this.probeRows(name, yield* this.linear(`${name}.w_o`, heads));
  }

  /** softmax(QKᵀ/√d_k)V (equation 1): (T, H·d_v); some queries at a time, unless scores or weights are watched. */
  *attention(name, q, k, v, mask) {
    const { n_heads, d_k, d_v } = this.config, width = n_heads * d_k, T = q.length / width, S = k.length / width;
    const watched = this.probes.has(`${name}.scores`) || this.probes.has(`${name}.weights`);
    const rows = watched ? T : Math.max(1, Math.floor(SLICE / 4 / k.length)), heads = new Float32Array(T * n_heads * d_v);
    for (let row = 0; row < T; row += rows) {
      const part = mask && mask.subarray(row * S, (row + rows) * S);
      let scores = attentionScores(q.subarray(row * width, (row + rows) * width), k, n_heads, d_k, part);
      if (watched) scores = this.probe(`${name}.scores`, scores, [n_heads, T, S]);
      let weights = attentionWeights(scores, S);
      if (watched) weights = this.probe(`${name}.weights`, weights, [n_heads, T, S]);
      heads.set(mixed(weights, v, n_heads, d_v), row * n_heads * d_v);
      yield;
    }
    return heads;
  }

  /** FFN(x) = max(0, xW_1 + b_1)W_2 + b_2 (equation 2), at each position alone: (n, D). */
  *feedForward(name, x) {
    const inner = yield* this.linear(`${name}.w_1`, x);
    for (let at = 0; at < inner.length; at++) if (inner[at] < 0) inner[at] = 0;
    return this.probeRows(name, yield* this.linear(`${name}.w_2`, inner));
  }

  /** (x - mean) / √(variance + ε) · gain + bias, in each row: (n, D). */
  layerNorm(name, x) {
    const D = this.config.d_model, gain = this.weights[`${name}.weight`].data, bias = this.weights[`${name}.bias`].data;
    const y = new Float32Array(x.length);
    for (let row = 0; row < x.length; row += D) {
      let mean = 0, variance = 0;
      for (let i = 0; i < D; i++) mean += x[row + i] / D;
      for (let i = 0; i < D; i++) variance += (x[row + i] - mean) ** 2 / D;
      const scale = 1 / Math.sqrt(variance + 1e-6);
      for (let i = 0; i < D; i++) y[row + i] = (x[row + i] - mean) * scale * gain[i] + bias[i];
    }
    return y;
  }

  /** LayerNorm(x + Sublayer(x)) (section 3.1); with norm "pre" it comes first. sublayer: a generator of x. */
  *addNorm(name, x, sublayer) {
    const pre = this.config.norm === "pre", norm = `${name}.layer_norm`;
    const y = yield* sublayer(pre ? this.layerNorm(norm, x) : x), sum = new Float32Array(x.length);
    for (let at = 0; at < sum.length; at++) sum[at] = x[at] + y[at];
    return this.probeRows(name, pre ? sum : this.layerNorm(norm, sum));
  }

  /** Self-attention, then feed-forward (Figure 1, left): (S, D) -> (S, D). */
  *encoderLayer(name, x, mask) {
    x = yield* this.addNorm(`${name}.add_norm.0`, x, (x) => this.multiHeadAttention(`${name}.self_attention`, x, x, mask));
    x = yield* this.addNorm(`${name}.add_norm.1`, x, (x) => this.feedForward(`${name}.feed_forward`, x));
    return this.probeRows(`${name}.residual`, x);
  }

  /** Masked self-attention, attention to the memory, feed-forward (Figure 1, right): (T, D) -> (T, D). */
  *decoderLayer(name, x, memory, tgtMask, { own = null, cross = null } = {}) {
    x = yield* this.addNorm(`${name}.add_norm.0`, x, (x) => this.multiHeadAttention(`${name}.self_attention`, x, x, tgtMask, own));
    x = yield* this.addNorm(`${name}.add_norm.1`, x, (x) => this.multiHeadAttention(`${name}.cross_attention`, x, memory, null, cross));
    x = yield* this.addNorm(`${name}.add_norm.2`, x, (x) => this.feedForward(`${name}.feed_forward`, x));
    return this.probeRows(`${name}.residual`, x);
  }

  /** What is added at positions start, start + 1, …: (n, D). */
  positions(side, n, start) {
    const { d_model, max_len, positions } = this.config;
    if (positions !== "learned") return sinusoidalPositions(n, d_model, start);
    if (start + n > max_len) throw new Error(`The sentence reaches ${start + n} tokens, but positions end at ${max_len}; shorten it.`);
    return this.weights[`${side}_positions.table`].data.slice(start * d_model, (start + n) * d_model);
  }

  /** √d_model · embedding + position (3.4, 3.5): n ids -> (n, D). side: src or tgt; width: so many stand at each position. */
  embed(ids, side, start = 0, width = 1) {
    const D = this.config.d_model, scale = Math.fround(Math.sqrt(D)), n = ids.length;
    const { data: table, shape: [size] } = this.weights[side === "tgt" ? this.tgtEmbedding : "src_embedding.weight"];
    const wrong = ids.find((id) => !(Number.isInteger(id) && id >= 0 && id < size));
    if (wrong !== undefined) throw new Error(`There is no id ${wrong} in this vocabulary; it ends at ${size - 1}.`);
    let rows = new Float32Array(n * D);
    ids.forEach((id, row) => rows.set(table.subarray(id * D, (id + 1) * D), row * D));
    rows = this.probe(`${side}_embedding`, rows, [n, D]);
    const places = this.probe(`${side}_positions`, this.positions(side, n / width, start), [n / width, D], start);
    return this.probeRows(`${side}_sum`, rows.map((value, at) =>
      Math.fround(value * scale) + places[Math.floor(at / D / width) * D + at % D]));
  }

  get tgtEmbedding() { return this.config.tgt_vocab_size ? "tgt_embedding.weight" : "src_embedding.weight"; }

  /** src, S ids that end in eos -> memory (S, D). */
  *encode(src) {
    const x = this.embed(src, "src"), { window, norm } = this.config;
    const memory = yield* this.runEncoder(x, window ? windowMask(src.length, window, false) : null);
    return norm === "pre" ? this.layerNorm("encoder_norm", memory) : memory;
  }

  /** The encoder's layers, one after the other. */
  *runEncoder(x, mask) {
    for (const [name] of this.layers("encoder")) x = yield* this.encoderLayer(name, x, mask);
    return x;
  }

  /** tgtIn, T ids from bos on, memory (S, D) -> logits (T, V).
   *
   * With a cache tgtIn holds the newest token of each of W hypotheses, side by side at one position, and past (W, n·W) says which of
   * the positions kept each looks back on. */
  *decode(tgtIn, memory, cache = null, past = null) {
    const { window, norm } = this.config, T = tgtIn.length, start = cache ? cache[0].own.n / T : 0;
    let mask = past;
    if (!cache) mask = this.probeMask(window ? windowMask(T, window, true) : causalMask(T), T);
    else if (window) mask = Uint8Array.from(past ?? times(start + 1, () => 1), (seen, at) =>
      Number(seen && start - Math.floor(at % ((start + 1) * T) / T) < window));
    let x = yield* this.runDecoder(this.embed(tgtIn, "tgt", start, cache ? T : 1), memory, mask, cache);
    if (norm === "pre") x = this.layerNorm("decoder_norm", x);
    return yield* this.linear(this.config.tie_softmax ? this.tgtEmbedding.slice(0, -".weight".length) : "softmax", x);
  }

  /** The decoder's layers, one after the other. */
  *runDecoder(x, memory, mask, cache) {
    for (const [at, [name]] of this.layers("decoder").entries()) x = yield* this.decoderLayer(name, x, memory, mask, cache?.[at]);
    return x;
  }

  *forward(src, tgtIn) { return yield* this.decode(tgtIn, yield* this.encode(src)); }

  /** Room for what each layer of the decoder keeps. */
  newCache() { return times(this.config.n_layers, () => ({ own: new KeyValues(true), cross: new KeyValues(false) })); }
}

/** The classes of models, by their kind; context.js adds one. */
export const MODELS = { transformer: Transformer };

// ─── 9 Decoding ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Log-probabilities of each row of logits (N, V). */
export function logSoftmax(logits, V) {
  const logProbs = new Float32Array(logits.length);
  for (let row = 0; row < logits.length; row += V) {
    let largest = -Infinity, sum = 0;
    for (let id = 0; id < V; id++) if (logits[row + id] > largest) largest = logits[row + id];
    for (let id = 0; id < V; id++) sum += Math.exp(logits[row + id] - largest);
    const total = largest + Math.log(sum);
    for (let id = 0; id < V; id++) logProbs[row + id] = logits[row + id] - total;
  }
  return logProbs;
}

/** Log-probabilities of what comes next, never padding or begin, after each row of logits (N, V). */
export function nextLogProbs(logits, V) {
  const logProbs = logSoftmax(logits, V);
  for (let row = 0; row < logits.length; row += V) logProbs[row + PAD] = logProbs[row + BOS] = -Infinity;
  return logProbs;
}

/** The most tokens of a translation: max_extra more than its source (section 6.1). */
function tokenLimit(model, src, max_extra) {
  const limit = src.filter((id) => id !== PAD && id !== EOS).length + max_extra;
  return Math.max(1, model.config.positions === "learned" ? Math.min(limit, model.config.max_len) : limit);
}

/** The likeliest token at every step: { ids, log_prob, score } as in the core. Yields { n, limit, ids } after each.
 *
 * known: what encode(src) gave, where it is known. */
export function* greedyDecode(model, src, { max_extra = 50, known = null } = {}) {
  const memory = known ?? (yield* model.encode(src)), limit = tokenLimit(model, src, max_extra), cache = model.newCache(), ids = [];
  let log_prob = 0;
  while (ids.length < limit && ids.at(-1) !== EOS) {
    const logProbs = nextLogProbs(yield* model.decode([ids.at(-1) ?? BOS], memory, cache), model.words);
    const token = logProbs.indexOf(logProbs.reduce((a, b) => Math.max(a, b)));
    log_prob = Math.fround(log_prob + logProbs[token]);
    ids.push(token);
    yield { n: ids.length, limit, ids: [...ids] };
  }
  return { ids, log_prob, score: log_prob };
}

/** ((5 + n) / 6)^α (section 6.1), n in target tokens, eos included. */
export const lengthPenalty = (n, alpha) => ((5 + n) / 6) ** alpha;

/** The places of the largest of some numbers, the largest first; of equals the first. */
export function topPlaces(values, n) {
  const places = [];
  for (let at = 0; at < values.length; at++) {
    if (places.length === n && !(values[at] > values[places[n - 1]])) continue;
    let rank = places.length;
    while (rank && values[at] > values[places[rank - 1]]) rank--;
    places.splice(rank, 0, at);
    places.length = Math.min(places.length, n);
  }
  return places;
}

/** Search over one sentence (6.1): yields, after each step, what it did to its W hypotheses, the core's BeamStep and { n, limit }.
 *
 * It ends when nothing live can still win, or where translations are cut off; returns the best hypothesis. */
export function* beamSearch(model, src, { beam_size = 4, alpha = 0.6, max_extra = 50, known = null } = {}) {
  if (!(beam_size >= 1 && alpha >= 0 && alpha < Infinity && max_extra >= 0)) {
    throw new Error(`beam_size is ${beam_size}, alpha ${alpha}, max_extra ${max_extra}; pass at least 1, 0 and 0.`);
  }
  const memory = known ?? (yield* model.encode(src)), limit = tokenLimit(model, src, max_extra), cache = model.newCache(), V = model.words;
  let ids = times(beam_size, () => [BOS]), pasts = ids.map((_, row) => times(beam_size, (other) => Number(other === row)));
  let log_prob = Float32Array.from(ids, (_, row) => (row ? -Infinity : 0)), best;   // -inf: not in use
  const own = pasts, finished = [];
  for (let n = 1; n <= limit; n++) {
    const before = log_prob, newest = ids.map((row) => row.at(-1));
    const log_probs = nextLogProbs(yield* model.decode(newest, memory, cache, Uint8Array.from(pasts.flat())), V);   // (W, V)
    const totals = new Float32Array(log_probs.length);
    before.forEach((total, row) => { for (let at = row * V; at < (row + 1) * V; at++) totals[at] = total + log_probs[at]; });
    const places = topPlaces(totals, beam_size);
    const parents = places.map((place) => Math.floor(place / V)), tokens = places.map((place) => place % V);
    log_prob = Float32Array.from(places, (place) => totals[place]);
    const has_slot = ids.map((_, row) => row < beam_size - finished.length);
    const ended = tokens.map((token, row) => token === EOS && has_slot[row] && log_prob[row] > -Infinity);
    ids = parents.map((parent, row) => [...ids[parent], tokens[row]]);
    pasts = parents.map((parent, row) => [...pasts[parent], ...own[row]]);
    for (const { own: kept } of cache) kept.state &&= parents.map((parent) => kept.state[parent]);
    const hypotheses = ids.map((row, at) => ({ ids: row.slice(1), log_prob: log_prob[at], score: log_prob[at] / lengthPenalty(n, alpha) }));
    finished.push(...hypotheses.filter((_, row) => ended[row]));
    best = (finished.length ? finished : hypotheses.slice(0, 1)).reduce((a, b) => (b.score > a.score ? b : a));
    yield { n, limit, before, log_probs, parents, tokens, log_prob, has_slot, ended, best };
    log_prob = log_prob.map((value, row) => (ended[row] || !has_slot[row] ? -Infinity : value));   // what is live
    if (finished.length && Math.max(...log_prob) / lengthPenalty(limit, alpha) <= best.score) break;
  }
  return best;
}
