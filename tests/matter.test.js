// What attention through all layers hands on, in a page: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { page } from "./script.mjs";

const { ANSWERS, BOS, EOS, finish, flow, intervene, logProbsOf, mixingOf, movedNorm, movedWeights, ofItsKind, rollout, sharesByWeights,
  untrained } = await page("engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js", "matter.js", "gradients.js");

// One layer, two source tokens, one target token: cross-attention reads 0.6 and 0.2 of the memory, and 0.2 stays.
const encoder = [Float64Array.of(0.5, 0.5, 0, 1)], decoder = [Float64Array.of(1)];
const mixing = { encoder, decoder, cross: [Float64Array.of(0.6, 0.2)], stays: [[0.2]] };

test("rollout multiplies shares along each path and adds up the paths", () => {
  const shares = rollout(mixing);
  assert.ok(Math.abs(shares[0] - 0.6 * 0.5) < 1e-12 && Math.abs(shares[1] - (0.6 * 0.5 + 0.2)) < 1e-12);
});

test("no more flows to a token than its narrowest way lets through, and ways that share an edge share it", () => {
  const most = finish(flow(mixing));
  assert.ok(Math.abs(most[0] - 0.5) < 1e-12, "the encoder lets 0.5 through, the decoder 0.6");
  assert.ok(Math.abs(most[1] - 0.7) < 1e-12, "0.5 of the one and 0.2 of the other");
});

test("weights of several heads are averaged beside a residual of one half, and a whole row is 1", () => {
  const { added, stays } = sharesByWeights({ data: Float32Array.of(1, 0, 0.5, 0.5), shape: [2, 1, 2] });
  assert.deepEqual([added, stays], [[[0.375, 0.125]], [0.5]]);
  const { encoder: [whole] } = mixingOf({ encoder: [{ added: [[0.25, 0.25], [0, 0.5]], stays: [0.5, 0.5] }], decoder: [], cross: [] });
  assert.deepEqual([...whole], [0.75, 0.25, 0, 1]);
});

test("a word is replaced by its nearest that look alike, by others only where too few do", () => {
  const names = ["▁cat", "▁dog", "▁Dog", "s", "▁cow"], data = Float32Array.of(1, 0, 0.9, 0.1, 1, 0, 1, 0, 0.1, 0.9);
  const translator = { tokenizer: { names }, model: { weights: { "src_embedding.weight": { data, shape: [5, 2] } } } };
  assert.deepEqual(ofItsKind(translator, 0, [0, 1, 2, 3, 4], 2), [1, 4]);
  assert.deepEqual(ofItsKind(translator, 0, [0, 1, 2, 3], 2), [2, 3]);
});

const close = (a, b, slack) => assert.ok(Math.abs(a - b) < slack, `${a} and ${b}`);

test("weights and normalised numbers move as they do when their scores and sums are moved a little", () => {
  const scores = [0.3, -1, 0.8], moved = [1, -0.5, 2], step = 1e-5;
  const softmax = (x) => { const exps = x.map(Math.exp), sum = exps.reduce((a, b) => a + b); return exps.map((value) => value / sum); };
  const norm = (x) => {
    const mean = x.reduce((a, b) => a + b) / 3, size = Math.sqrt(x.reduce((a, b) => a + (b - mean) ** 2, 0) / 3 + 1e-6);
    return x.map((value, i) => (value - mean) / size * (i + 1));
  };
  const slopes = (act) => {
    const [less, more] = [-step, step].map((by) => act(scores.map((value, i) => value + by * moved[i])));
    return more.map((value, i) => (value - less[i]) / (2 * step));
  };
  movedWeights(softmax(scores), moved, 3).forEach((value, i) => close(value, slopes(softmax)[i], 1e-6));
  movedNorm(Float64Array.from(scores), Float64Array.from(moved), Float64Array.of(1, 2, 3)).forEach((value, i) =>
    close(value, slopes(norm)[i], 1e-5));
});

const TOY = { vocab_size: 12, n_layers: 2, d_model: 8, d_ff: 16, n_heads: 2, d_k: 4, d_v: 3, positions: "sinusoidal", tie_softmax: true };

for (const [name, more] of [["post-LN", {}], ["pre-LN", { norm: "pre" }], ["a window", { window: 3 }], ["two vocabularies", { tgt_vocab_size: 9 }]]) {
  test(`integrated gradients of a row add up to what log p gains from no word to the sentence: ${name}`, () => {
    const model = untrained({ ...TOY, ...more }), src = [5, 9, 4, EOS], ids = [6, 8, EOS];
    const { gradient, integrated } = finish(ANSWERS.gradients({ src, ids, steps: 60 }, null, model));
    const logProbs = (factor) => logProbsOf(finish(intervene(model, "src_embedding", ({ data, shape }) => ({
      data: data.map((value, at) => (at < 3 * 8 ? factor * value : value)), shape })).forward(src, [BOS, ...ids.slice(0, -1)])), ids);
    const [none, less, whole, further] = [0, 0.999, 1, 1.001].map(logProbs);
    for (const t of ids.keys()) {
      const row = (table) => [...table.slice(t * 4, t * 4 + 4)], total = (values) => values.reduce((a, b) => a + b);
      close(total(row(integrated)), whole[t] - none[t], 0.002);
      assert.equal(row(integrated)[3], 0, "the end stays");
      close(total(row(gradient).slice(0, 3)), (further[t] - less[t]) / 0.002, 0.002);
    }
  });
}
