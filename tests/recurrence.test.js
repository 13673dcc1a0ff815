// The pure parts of the recurrence view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("recurrence/alignment.js");
const near = (got, wanted, gap = 1e-6) => {
  assert.equal(got.length, wanted.length);
  wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= gap, `${i}: ${got[i]} is not ${w}`));
};

// two target steps, three source words, vectors of two numbers
const states = Float32Array.from([1, 0, 0, 1, 1, 1]), before = Float32Array.from([2, 1, 0, -2]);

test("vectors are taken from all the numbers by their places", () => {
  const parts = view.partsOf(Float32Array.from([9, 1, 2, 3, 4]), { states: [1, 3], v: [4, 1] });
  assert.deepEqual([...parts.states], [1, 2, 3]);
  assert.deepEqual([...parts.v], [4]);
});

test("dot-product scores are s · h, and each is the sum of its products", () => {
  assert.deepEqual(view.scoresOf("dot", { states, before }, 2, 0), [2, 1, 3]);
  assert.deepEqual(view.scoresOf("dot", { states, before }, 2, 1), [0, -2, -2]);
  assert.deepEqual(view.termsOf("dot", { states, before }, 2, 0, 2), [[2, 1, 2], [1, 1, 1]]);
});

test("additive scores are vᵀ tanh(W s + U h)", () => {
  const parts = { states, before, w: Float32Array.from([0, 1, 2, 0]), u: states, v: Float32Array.from([3, -1]) };
  const by = (w0, w1, u0, u1) => 3 * Math.tanh(w0 + u0) - Math.tanh(w1 + u1);
  near(view.scoresOf("additive", parts, 2, 0), [by(0, 1, 1, 0), by(0, 1, 0, 1), by(0, 1, 1, 1)]);
  near(view.scoresOf("additive", parts, 2, 1), [by(2, 0, 1, 0), by(2, 0, 0, 1), by(2, 0, 1, 1)]);
  near(view.termsOf("additive", parts, 2, 1, 0)[0], [2, 1, Math.tanh(3), 3, 3 * Math.tanh(3)]);
});

test("weights are positive, sum to 1, do not overflow, and forget what all scores have in common", () => {
  near(view.softmax([2, 1, 3]), [0.24472847, 0.09003057, 0.66524096]);
  near(view.softmax([1002, 1001, 1003]), view.softmax([2, 1, 3]));
  near([view.softmax([-7, 800, 3]).reduce((sum, one) => sum + one, 0)], [1]);
});

test("the context is the weighted sum of the states", () => {
  near(view.contextOf([0.25, 0.25, 0.5], states, 2), [0.75, 0.75]);
  near(view.contextOf([0, 1, 0], states, 2), [0, 1]);
});

test("the strongest word of a row, the first of equals", () => {
  assert.equal(view.strongest([0.2, 0.5, 0.3]), 1);
  assert.equal(view.strongest([0.4, 0.4, 0.2]), 0);
});

test("of one fixed vector the first half was read last at the end, the second half at the beginning", () => {
  assert.deepEqual([0, 1, 2, 3].map((k) => view.cameFrom(k, 4, 7)), [6, 6, 0, 0]);
});

test("the columns of a step's picture stand one beside the other, inside its width", () => {
  for (const width of [420, 700, 1100]) {
    const { words, states: [a, b], score: [c, d], weight: [e, f] } = view.columns(width);
    assert.ok(words < a && a + b < c && c + d < e && e + f <= width, String(width));
    assert.ok(f > 60);
  }
});

test("a step is told in words, with what else might have been said", () => {
  const shown = { queries: ["▁Die", "▁Katze", "</s>"], likeliest: [[["▁Die", 0.9]], [["▁Katze", 0.75], ["▁Ziege", 0.1]], []], text: "Die Katze" };
  assert.equal(view.spoken(shown, 1), "Step 2 of 3: having said ▁Die, it says ▁Katze (▁Katze 75.0 %, ▁Ziege 10.0 %). Whole: Die Katze");
  assert.match(view.spoken(shown, 0), /^Step 1 of 3: at the beginning it says ▁Die/);
  assert.match(view.spoken(shown, 2), /it says <\/s>\. Whole/);
});
