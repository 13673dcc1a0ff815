// The pure parts of the positions view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("positions/sinusoids.js");
const near = (got, wanted, gap = 1e-12) => wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= gap, `${i}: ${got[i]} is not ${w}`));

// facts 4.6, six decimals
const SIX = [[0, 1, 0, 1, 0, 1], [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998],
  [0.909297, -0.416147, 0.092699, 0.995694, 0.004309, 0.999991], [0.141120, -0.989992, 0.138798, 0.990321, 0.006463, 0.999979]];
const WIDE = [[0.841471, 0.540302, 0.821856, 0.569695, 0.801962, 0.597375], [0.909297, -0.416147, 0.936415, -0.350895, 0.958144, -0.286285]];

test("the table at d = 6 is the one worked out to six decimals", () => {
  near(view.encoding(4, 6, 10_000), SIX.flat(), 5e-7);
});

test("the first six features at d = 512 are those worked out to six decimals", () => {
  const table = view.encoding(3, 512, 10_000);
  WIDE.forEach((row, p) => near(table.subarray((p + 1) * 512, (p + 1) * 512 + 6), row, 5e-7));
});

test("wavelengths run from 2π to 60,611.48 at d = 512, each 1.036633 times the one before", () => {
  const lengths = Array.from(view.frequencies(512, 10_000), view.wavelength);
  near([lengths[0], lengths[255], lengths[1] / lengths[0]], [2 * Math.PI, 60611.48, 1.036633], 5e-3);
  for (let i = 1; i < 256; i++) assert.ok(Math.abs(lengths[i] / lengths[i - 1] - 1.036633) < 5e-7);
});

test("the authors' last wavelength is exactly 2π · base, the paper's is shorter", () => {
  assert.ok(Math.abs(view.wavelength(view.tensor2tensor(512, 10_000)[255]) - 2 * Math.PI * 10_000) < 1e-8);
});

test("the rotation by k gives position p + k, to 1e-11 up to position 10,000", () => {
  for (const d of [6, 64, 512]) for (const k of [1, 37, 128]) {
    const omegas = view.frequencies(d, 10_000);
    for (let p = 0; p <= 10_000; p += 250) assert.ok(view.rotationError(omegas, k, p) <= 1e-11, `d ${d}, k ${k}, p ${p}`);
  }
});

test("a block turns a pair and keeps its length", () => {
  const [[a, b], [c, d]] = view.block(0.3, 5);
  near([a * d - b * c, a * a + b * b, a - d, b + c], [1, 1, 0, 0]);
  near(view.turned(0.3, 5, 7), [Math.sin(3.6), Math.cos(3.6)]);
});

test("the similarity of two positions depends on their distance only, and a position's own is d / 2", () => {
  const omegas = view.frequencies(10, 500);
  for (const p of [0, 3, 200]) for (const k of [0, 4, 31]) near([view.dot(omegas, p, p + k)], [view.similarity(omegas, k)], 1e-12);
  near([view.dot(omegas, 77, 77)], [5]);
});

test("both layouts hold the same numbers, in another order; the authors' do not", () => {
  const [n, d] = [9, 8], [turn, halves, t2t] = ["turn", "halves", "t2t"].map((layout) => view.encoding(n, d, 10_000, layout));
  for (let p = 0; p < n; p++) for (let j = 0; j < d; j++) {
    const { pair, sine } = view.feature(j, d, "halves");
    assert.equal(halves[p * d + j], turn[p * d + 2 * pair + (sine ? 0 : 1)]);
  }
  const sorted = (table) => [...table.subarray(d, 2 * d)].sort((a, b) => a - b);
  assert.deepEqual(sorted(turn), sorted(halves));
  assert.notDeepEqual(sorted(turn), sorted(t2t));
});

test("the quick colours are those of the exact values, to one step of 257", () => {
  for (const layout of ["turn", "halves", "t2t"]) {
    const quick = view.encodingShades(256, 512, 10_000, layout), exact = view.encoding(256, 512, 10_000, layout);
    exact.forEach((value, i) => assert.ok(Math.abs(quick[i] - view.shade(value)) <= 1));
  }
});

test("a signed value's colour has zero in the middle and stays on the scale", () => {
  assert.deepEqual([-1, 0, 1, 3, -3].map((value) => view.shade(value)), [0, 128, 256, 256, 0]);
  assert.equal(view.shade(-2, 4), 64);
});

test("the cosine of a row with itself is 1, whatever the rows' lengths", () => {
  near(view.alike(Float64Array.of(3, 4, 0, -6, 8, 0), 2, 3), [1, 0.28, 0.28, 1]);
});

test("pairs are chosen evenly, with the first and the last", () => {
  assert.deepEqual(view.somePairs(3, 24), [0, 1, 2]);
  assert.deepEqual(view.somePairs(256, 4), [0, 85, 170, 255]);
});

test("labels stand at round places", () => {
  assert.deepEqual(view.ticks(64, 8), [0, 10, 20, 30, 40, 50, 60]);
  assert.deepEqual(view.ticks(3, 8), [0, 1, 2]);
});

test("numbers are written for people", () => {
  assert.deepEqual([view.commas(6.2831), view.commas(60611.48), view.below("M", 37)], ["6.28", "60,611", "M₃₇"]);
});
