// The twin of GeometryExplorer (viz/attention/geometry.py): the scores of every head, from its queries and keys.
// What is computed here is that of studies/geometry.py; tests/test_page_explorers.py holds it against that.

import { Explorer, joinedNumbers, probeOf } from "./explorer.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The scores q · k / √d_k of all heads, also those that a mask hides: q (H, T, K), k (H, S, K) -> H · T · S numbers. */
export function scoresOf({ data: q, shape: [H, T, K] }, { data: k, shape: [, S] }) {
  const scores = new Float32Array(H * T * S), scale = Math.sqrt(K);
  for (let h = 0, at = 0; h < H; h++) {
    for (let t = 0; t < T; t++) {
      for (let s = 0; s < S; s++, at++) {
        let dot = 0;
        for (let d = 0; d < K; d++) dot += q[(h * T + t) * K + d] * k[(h * S + s) * K + d];
        scores[at] = dot / scale;
      }
    }
  }
  return scores;
}

/** The span [first, end) of keys that each query may look at, from masked scores (H, T, S); null where that is all. */
export function spansOf({ data, shape: [, T, S] }) {
  const spans = Array.from({ length: T }, (_, t) => {
    const open = Array.from(data.subarray(t * S, (t + 1) * S).keys()).filter((s) => data[t * S + s] > -Infinity);
    return [open[0], open.at(-1) + 1];
  });
  return spans.every(([first, end]) => first === 0 && end === S) ? null : spans;
}

// ------------------------------------------------------------------------------------------------------ the explorer

export class GeometryExplorer extends Explorer {
  async read(ask, text, ids = null) {
    const { most } = this.known, known = ids ?? (await ask({ kind: "translate", text, most })).ids;
    if (known.length > most) throw new Error(`There are ${known.length} tokens, more than the ${most} shown; try a shorter sentence.`);
    return ask({ kind: "read", text, ids: known, record: "*_attention.*" });
  }

  contents() {
    const { src_pieces: source, tgt_pieces: target, pieces, trace, text } = this.reading, { n_layers, kinds: known } = this.get("meta");
    const layers = Array.from({ length: n_layers }, (_, layer) => layer);
    const kinds = known.map(({ name, title }) => ({ name, title, queries: name === "encoder" ? source : target,
      keys: name === "decoder" ? target : source, predicts: name === "cross" ? pieces : null,
      allowed: spansOf(trace[`${probeOf(name, 0)}.scores`]) }));
    const data = joinedNumbers(kinds.flatMap(({ name }) => layers.map((layer) =>
      scoresOf(...["q", "k"].map((part) => trace[`${probeOf(name, layer)}.${part}`])))));
    const n_queries = Math.max(...kinds.map(({ queries }) => queries.length));
    return { data, meta: { kinds, n_queries, title: `${this.text} → ${text}` } };
  }

  afresh() { return { query: Math.floor(this.reading.ids.length / 2) }; }

  told() { return this.reading.text; }
}
