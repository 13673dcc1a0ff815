// The pure parts of the gate's view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("context/gate.js");
const near = (got, wanted) => assert.ok(Math.abs(got - wanted) < 1e-12, `${got} is not ${wanted}`);

// One sentence, one layer, one head, 2 words, d_k 3; one gate for all heads.
const SIZE = { n_sentences: 1, n_layers: 1, n_heads: 1, n: 2, d_k: 3, n_gates: 1 };
const Q = [1, 0, 2, 0, 1, -1], CQ = [0, 1, 0, 2, 0, 1], K = [1, 1, 0, -1, 0, 2], CK = [0, 0, 1, 1, 1, 1], GATES = [0.25, 0.5, 0.75, 1];
const read = view.reader(Float32Array.from([...Q, ...CQ, ...K, ...CK, ...GATES]), SIZE);

test("λ 0 gives the word alone to the last bit, λ 1 the context alone, and between lies the mix", () => {
  const own = [0.1, -7.3, 1e-9], context = [4.4, 0.3, 2];
  assert.deepEqual([...view.mix(own, context, 0)], own);
  assert.deepEqual([...view.mix(own, context, 1)], context);
  near(view.mix(own, context, 0.25)[0], 0.75 * 0.1 + 0.25 * 4.4);
});

test("the numbers of a sentence are found by layer, head and word", () => {
  assert.deepEqual([...read.vector(0, 0, "q", 0, 1)], [0, 1, -1]);
  assert.deepEqual([...read.vector(0, 0, "context_k", 0, 0)], [0, 0, 1]);
  assert.deepEqual([0, 1].map((i) => read.gate(0, 0, "q", 0, i)), [0.25, 0.5]);
  assert.deepEqual([0, 1].map((i) => read.gate(0, 0, "k", 0, i)), [0.75, 1]);
});

test("each head has its own gate where there are as many gates as heads", () => {
  const size = { ...SIZE, n_heads: 2, n_gates: 2 }, vectors = Array(4 * 2 * 2 * 3).fill(0);
  const two = view.reader(Float32Array.from([...vectors, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]), size);
  near(two.gate(0, 0, "q", 1, 0), Math.fround(0.2));
  near(two.gate(0, 0, "k", 0, 1), Math.fround(0.7));
});

test("data of another size is refused", () => {
  assert.throws(() => view.reader(new Float32Array(27), SIZE), /27 numbers, not 28/);
});

test("the four products add up to the score of the mixed vectors, and only the first is left without context", () => {
  const vectors = [Q.slice(0, 3), CQ.slice(0, 3), K.slice(3), CK.slice(3)], score = (q, k) => view.dot(q, k) / Math.sqrt(3);
  const four = view.parts(...vectors, 0.25, 0.75), whole = score(view.mix(Q.slice(0, 3), CQ.slice(0, 3), 0.25), view.mix(K.slice(3), CK.slice(3), 0.75));
  near(four.reduce((a, b) => a + b, 0), whole);
  const bare = view.parts(...vectors, 0, 0);
  near(bare[0], score(Q.slice(0, 3), K.slice(3)));
  assert.deepEqual(bare.slice(1).map(Math.abs), [0, 0, 0]);
});

test("rows of weights sum to 1, and a key's gate moves one column of scores, a query's one row", () => {
  const place = { sentence: 0, layer: 0, head: 0, n: 2 }, none = view.attention(read, place, () => 0);
  for (const row of none.weights) near(row[0] + row[1], 1);
  const key = view.attention(read, place, (side, i) => (side === "k" && i === 1 ? 0.5 : 0));
  const moved = (other) => other.scores.map((row, i) => row.map((score, j) => score !== none.scores[i][j]));
  assert.deepEqual(moved(key).map(([first]) => first), [false, false]);
  assert.ok(moved(key).some(([, second]) => second));
  const query = view.attention(read, place, (side, i) => (side === "q" && i === 0 ? 0.5 : 0));
  assert.deepEqual(moved(query)[1], [false, false]);
});

test("bars fill their width and the largest number reaches the edge", () => {
  const { at, wide, zero, unit } = view.bars(160, 16, 10, 60, 2);
  assert.ok(at(15) + wide <= 160 && at(0) >= 0);
  assert.equal(zero - 2 * unit, 10);
});
