// The twin of ModelExplorer (viz/model/journey.py): what every block of Figure 1 makes of a sentence, and the decoder's steps.

import { BOS } from "./engine.js";
import { Explorer, joinedNumbers, packed } from "./explorer.js";

const LIKELIEST = 10;   // tokens that a step shows

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Numbers as one signed byte each, round(127 x / scale), and the scale, which is the largest |x|. */
export function signedBytes(x) {
  const scale = x.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  return { scale, bytes: new Uint8Array(Int8Array.from(x, (value) => Math.round(127 * value / (scale || 1))).buffer) };
}

/** Three significant digits as Python's format "g" writes them. */
export function general(number) {
  if (number === 0 || Math.abs(number) >= 1e-4) return String(Number(number.toPrecision(3)));
  const [digits, power] = number.toExponential(2).split("e-");
  return `${Number(digits)}e-${power.padStart(2, "0")}`;
}

/** The steps of a decoder that reads a whole translation: what each chose, the likeliest pieces, and the sum of all probabilities. */
export const stepsOf = ({ likeliest, pieces, log_probs, logits: { data, shape: [, V] } }) => likeliest.map((row, t) => {
  const logits = data.subarray(t * V, (t + 1) * V), top = logits.reduce((a, b) => Math.max(a, b));
  const exps = Float64Array.from(logits, (value) => Math.exp(value - top)), sum = exps.reduce((a, b) => a + b);
  const total = exps.reduce((all, value) => all + Math.fround(value / sum), 0);
  const best = row.pieces.map((piece, n) => [piece, Math.exp(row.log_probs[n])]);
  return { piece: pieces[t], probability: Math.exp(log_probs[t]), total, top: best };
});

/** A block as the drawing knows it, of a sentence of S pieces and a translation of T. */
export const resized = (block, sizes) => ({ ...block, ...Object.fromEntries(["ins", "inner", "outs"].map((role) =>
  [role, block[role].map((wire) => ({ ...wire, shape: wire.shape.map((n, at) => sizes[wire.letters[at]] ?? n) }))])) });

// ------------------------------------------------------------------------------------------------------ the explorer

export class ModelExplorer extends Explorer {
  async read(ask, text) {
    const { ids } = await ask({ kind: "greedy", text, most: this.known.most });
    return ask({ kind: "read", text, ids, record: "*", top: LIKELIEST });
  }

  contents() {
    const known = this.get("meta"), { src, src_pieces, ids, tgt_in, tgt_pieces, likeliest, trace } = this.reading;
    const strips = {}, maps = {}, parts = [];
    for (const name of Object.keys(known.strips)) {
      const { data, shape: [n, d] } = trace[name], { scale, bytes } = signedBytes(data);
      strips[name] = { n, d, scale };
      parts.push(bytes);
    }
    for (const name of Object.keys(known.maps)) {
      const { data, shape } = trace[`${name}.weights`];
      maps[name] = shape;
      parts.push(packed(data));
    }
    const sizes = { S: src.length, T: ids.length }, blocks = Object.fromEntries(Object.entries(known.blocks).map(([norm, list]) =>
      [norm, list.map((block) => resized(block, sizes))]));
    const meta = { strips, maps, blocks, steps: stepsOf(this.reading), text: this.text, translation: this.reading.text,
      same: likeliest.every((row, t) => row.ids.find((id) => id > BOS) === ids[t]),
      src: { ids: src, pieces: src_pieces }, tgt: { ids: tgt_in, pieces: tgt_pieces } };
    return { data: joinedNumbers(parts, Uint8Array), meta };
  }

  afresh() { return { stop: 0 }; }

  told() {
    const { src, ids, log_probs } = this.reading, chance = log_probs.reduce((product, value) => product * Math.exp(value), 1);
    return `${src.length} pieces in, ${ids.length} out, one at a time; probability ${general(chance)}`;
  }
}
