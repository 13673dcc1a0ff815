// Context-aware self-attention (Yang et al., 2019), as in core_options/context_aware.py: another model over the same parts.
//
// A context C is mixed into queries and keys before they are scored: Q̂ = (1 - λ) Q + λ (C U), λ = sigmoid(Q v_h + (C U) v_c).

import { MODELS, Transformer } from "./engine.js";

/** The mean of what each position may look at, x (n, D) -> (n, D); in decoding, of all that a hypothesis has read. */
function means(x, D, mask, cache) {
  const n = x.length / D, y = new Float32Array(x.length), row = (t) => x.subarray(t * D, (t + 1) * D);
  if (cache) {
    const before = cache.state, read = cache.n / n + 1;
    cache.state = Array.from({ length: n }, (_, t) => row(t).map((value, i) => value + (before?.[t][i] ?? 0)));
    cache.state.forEach((sum, t) => y.set(sum.map((value) => value / read), t * D));
    return y;
  }
  for (let t = 0; t < n; t++) {
    const seen = Array.from({ length: n }, (_, s) => s).filter((s) => !mask || mask[t * n + s]);
    for (const s of seen) for (let i = 0; i < D; i++) y[t * D + i] += x[s * D + i] / seen.length;
  }
  return y;
}

/** Matrices of n rows side by side. */
function beside(parts, n) {
  const widths = parts.map((part) => part.length / n), width = widths.reduce((a, b) => a + b, 0), y = new Float32Array(n * width);
  for (let row = 0; row < n; row++) {
    let to = row * width;
    parts.forEach((part, at) => {
      y.set(part.subarray(row * widths[at], (row + 1) * widths[at]), to);
      to += widths[at];
    });
  }
  return y;
}

/** A Transformer whose layers read, beside each position, a context made of the layers so far. */
export class ContextTransformer extends Transformer {
  kinds(stack) {
    const { context, context_in } = this.config;
    return context && [stack, "both"].includes(context_in) ? context.split("+") : [];
  }

  /** How wide C is in a layer; 0 where there is none. */
  width(stack, layer) {
    const parts = { global: 1, deep: layer, "deep-global": layer + 1 };
    return this.config.d_model * this.kinds(stack).reduce((sum, kind) => sum + parts[kind], 0);
  }

  /** The projections of a layer's self-attention that read a context: "w_q", "w_k". */
  aware(stack, layer) {
    return this.width(stack, layer) ? [...this.config.context_on].map((letter) => `${stack}.${layer}.self_attention.w_${letter}`) : [];
  }

  shapes() {
    const { n_heads: H, d_k, context_gate } = this.config, gates = context_gate === "each" ? H : 1, shapes = super.shapes();
    for (const stack of ["encoder", "decoder"]) {
      for (const layer of this.layers(stack).keys()) {
        for (const name of this.aware(stack, layer)) {
          shapes[`${name}.u.weight`] = [H * d_k, this.width(stack, layer)];
          for (const v of ["v_h", "v_c"]) shapes[`${name}.${v}.weight`] = [1, H * d_k / gates];
          if (gates > 1) shapes[`${name}.v_h.bias`] = [1];
        }
      }
    }
    return shapes;
  }

  probeNames() {
    const gates = ["encoder", "decoder"].flatMap((stack) => [...this.layers(stack).keys()].flatMap((layer) => this.aware(stack, layer)));
    return [...super.probeNames(), ...gates.map((name) => `${name}.gate`)];
  }

  *runEncoder(x, mask) { return yield* this.run("encoder", x, mask, null, (name, x) => super.encoderLayer(name, x, mask)); }

  *runDecoder(x, memory, mask, cache) {
    return yield* this.run("decoder", x, mask, cache, (name, x, kept) => super.decoderLayer(name, x, memory, mask, kept));
  }

  /** The layers of a stack, each told its context. */
  *run(stack, x, mask, cache, step) {
    const { d_model: D } = this.config, kinds = this.kinds(stack), inputs = [], seen = [], contexts = new Map();
    Object.assign(this, { contexts });
    for (const [layer, [name]] of this.layers(stack).entries()) {
      if (kinds.some((kind) => kind !== "deep")) seen.push(means(x, D, mask, cache?.[layer].own));
      const read = { global: seen.slice(-1), deep: [...inputs], "deep-global": seen }, parts = kinds.flatMap((kind) => read[kind]);
      inputs.push(x);
      contexts.set(`${name}.self_attention`, parts.length ? beside(parts, x.length / D) : null);
      x = yield* step(name, x, cache?.[layer]);
    }
    return x;
  }

  /** W^Q or W^K that mixes in C: λ (n, G), one gate a position or one for each head. */
  *linear(name, x) {
    const plain = yield* super.linear(name, x), attention = name.slice(0, name.lastIndexOf(".")), u = this.weights[`${name}.u.weight`];
    if (!u) return plain;
    const c = yield* super.linear(`${name}.u`, this.contexts.get(attention)), { n_heads: H, d_k, context_gate } = this.config;
    const gates = context_gate === "each" ? H : 1, width = H * d_k / gates, n = x.length / this.config.d_model;
    const [vH, vC] = ["v_h", "v_c"].map((v) => this.weights[`${name}.${v}.weight`].data);
    const bias = this.weights[`${name}.v_h.bias`]?.data[0] ?? 0;
    const open = Float32Array.from({ length: n * gates }, (_, at) => {
      let sum = bias;
      for (let i = 0; i < width; i++) sum += plain[at * width + i] * vH[i] + c[at * width + i] * vC[i];
      return 1 / (1 + Math.exp(-sum));
    });
    const gate = this.probe(`${name}.gate`, open, [n, gates]);
    return plain.map((value, at) => value + gate[Math.floor(at / width)] * (c[at] - value));
  }
}

MODELS.context = ContextTransformer;
