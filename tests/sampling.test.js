// The pure parts of the sampling view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("decoding/sampling.js");
const near = (got, wanted) => wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= 1e-12, `${i}: ${got[i]} is not ${w}`));
const P = Float64Array.of(0.5, 0.3, 0.2);

test("the softmax of logits over T sums to 1, and what is never produced has 0", () => {
  const half = view.softmax([Math.log(4), 0, -Infinity], 2);
  near(half, [2 / 3, 1 / 3, 0]);
  near(view.softmax([3, 3], 0.1), [0.5, 0.5]);
});

test("top-k keeps the k likeliest", () => {
  const { count, mass } = view.kept(P, 2, 1);
  assert.equal(count, 2);
  near([mass], [0.8]);
  assert.equal(view.kept(P, 0, 1).count, 3);
  assert.equal(view.kept(P, 9, 1).count, 3);
});

test("top-p keeps the fewest that reach p, never none", () => {
  assert.deepEqual([0.01, 0.5, 0.51, 0.8, 0.81].map((p) => view.kept(P, 0, p).count), [1, 1, 2, 2, 3]);
});

test("top-p is held against what top-k left, weighed anew", () => {
  assert.equal(view.kept(P, 0, 0.6).count, 2);
  assert.equal(view.kept(P, 2, 0.6).count, 1);   // 0.5 of 0.8 is 0.625
});

test("what can never come is not counted as kept", () => {
  assert.equal(view.kept(Float64Array.of(0.6, 0.4, 0), 0, 1).count, 2);
});

test("a point finds its bar", () => {
  const layout = view.bars(1000, 330, 28);
  assert.equal(view.barAt(layout, layout.left + 4.5 * layout.wide), 4);
  assert.equal(view.barAt(layout, layout.left - 1), -1);
  assert.equal(view.barAt(layout, 999), -1);
  assert.equal(layout.y(0), layout.bottom);
  assert.equal(layout.y(1), layout.top);
});
