// The pure parts of the scaling view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("scaled_dot_product/scaling.js");

const size = { seed: 1, grid: [4, 16, 64, 256, 1024], groups: 8, queries: 64, keys: 32 };
const drawn = view.draw(size);
const near = (got, wanted, gap, what) => assert.ok(Math.abs(got - wanted) <= gap, `${what}: ${got} is not ${wanted} ± ${gap}`);

test("the same seed draws the same numbers, another others", () => {
  const small = { ...size, grid: [2, 5], groups: 1, queries: 2, keys: 3 };
  assert.deepEqual(view.draw(small), view.draw(small));
  assert.notDeepEqual(view.draw(small), view.draw({ ...small, seed: 2 }));
  assert.deepEqual(view.draw(small).map((scores) => scores.length), [6, 6]);
});

test("random numbers have mean 0 and variance 1", () => {
  const next = view.normal(3), numbers = Array.from({ length: 40000 }, next);
  const mean = numbers.reduce((a, b) => a + b) / 40000;
  near(mean, 0, 0.02, "mean");
  near(numbers.reduce((a, b) => a + (b - mean) ** 2, 0) / 40000, 1, 0.03, "variance");
});

// facts 4.5: mean largest weight and trace of the softmax's Jacobian for 32 random keys
const FACTS = { 4: [0.34, 0.793], 16: [0.627, 0.497], 64: [0.818, 0.255], 256: [0.9, 0.14], 1024: [0.948, 0.073] };

test("without the scale variance is d_k, and the softmax saturates as in the fact sheet", () => {
  size.grid.forEach((d_k, n) => {
    const { variance, largest, trace } = view.statistics(drawn[n], 32, 1);
    near(variance / d_k, 1, 0.1, `variance at ${d_k}`);
    near(largest, FACTS[d_k][0], 0.03, `largest weight at ${d_k}`);
    near(trace, FACTS[d_k][1], 0.04, `trace at ${d_k}`);
  });
});

test("with the scale all stay where they are, whatever d_k", () => {
  size.grid.forEach((d_k, n) => {
    const { variance, largest, trace } = view.statistics(drawn[n], 32, 1 / Math.sqrt(d_k));
    near(variance, 1, 0.1, `variance at ${d_k}`);
    near(largest, 0.1605, 0.012, `largest weight at ${d_k}`);
    near(trace, 0.9275, 0.008, `trace at ${d_k}`);
  });
});

test("equal scores give equal weights: entropy ln n, trace 1 − 1/n", () => {
  const { variance, largest, entropy, trace } = view.statistics(new Float32Array(12).fill(7), 4, 0.5);
  [[variance, 0], [largest, 0.25], [entropy, Math.log(4)], [trace, 0.75]].forEach(([got, wanted], i) => near(got, wanted, 1e-12, i));
});

test("weights are those of the row asked for, and sum to 1", () => {
  const p = view.weights(Float32Array.of(9, 9, 0, Math.log(3)), 2, 2, 1);
  near(p[0], 0.25, 1e-7, "first");
  near(p[0] + p[1], 1, 1e-15, "sum");
});

test("a histogram holds every score once, the far ones at its ends", () => {
  assert.deepEqual([...view.histogram(Float32Array.of(-100, -1, 1, 100), 1, 2, 4)], [0.25, 0.25, 0, 0.5]);
});
