// What attention through all layers hands on, in a page: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { page } from "./script.mjs";

const { finish, flow, mixingOf, ofItsKind, rollout, sharesByWeights } =
  await page("engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js", "matter.js");

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
