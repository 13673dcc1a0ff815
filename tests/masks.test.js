// The pure parts of the mask view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("masks/layers.js");
const near = (got, wanted, gap = 1e-9) => wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= gap, `${i}: ${got[i]} is not ${w}`));

test("the mask is the AND of both layers, padding the same for every query (2 queries, 3 keys)", () => {
  assert.deepEqual(view.both([1, 0, 1, 1, 1, 0], [1, 1, 0]), [1, 0, 0, 1, 1, 0]);
});

test("the first layers: causal, one too many, one too few, a window, open", () => {
  assert.deepEqual(view.preset("causal", 2, 3), [1, 0, 0, 1, 1, 0]);
  assert.deepEqual(view.preset("ahead", 2, 3), [1, 1, 0, 1, 1, 1]);
  assert.deepEqual(view.preset("strict", 2, 3), [0, 0, 0, 1, 0, 0]);
  assert.deepEqual(view.preset("window", 4, 4).slice(12), [0, 1, 1, 1]);
  assert.deepEqual(view.preset("open", 1, 2), [1, 1]);
});

test("equal scores under the causal mask: 1, then halves, then thirds", () => {
  const mask = view.preset("causal", 3, 3);
  const rows = [0, 1, 2].map((i) => view.rowSteps([1, 1, 1], 2, mask.slice(3 * i, 3 * i + 3)).weights);
  near(rows[0], [1, 0, 0]);
  near(rows[1], [1 / 2, 1 / 2, 0]);
  near(rows[2], [1 / 3, 1 / 3, 1 / 3]);
});

test("a row goes from scores over the scale, -∞ and e^ to weights that sum to 1, hidden ones exactly 0", () => {
  const { scaled, masked, exps, weights } = view.rowSteps([2, 4, 800], 2, [1, 1, 0]);
  assert.deepEqual(scaled, [1, 2, 400]);
  assert.deepEqual(masked, [1, 2, -Infinity]);
  near(exps, [Math.exp(-1), 1, 0]);
  near(weights, [1 / (1 + Math.E), Math.E / (1 + Math.E), 0]);
  assert.equal(weights[2], 0);
});

test("a row all hidden is 0 as in the core, and NaN in plain softmax", () => {
  assert.deepEqual(view.rowSteps([1, 2], 1, [0, 0]).weights, [0, 0]);
  assert.deepEqual(view.rowSteps([1, 2], 1, [0, 0], true).weights, [NaN, NaN]);
  near(view.rowSteps([0, 0], 1, [1, 1], true).weights, [0.5, 0.5]);
});

test("rows that may look at nothing are those whose keys are all hidden, by either layer", () => {
  assert.deepEqual(view.blind(view.preset("strict", 3, 3), 3), [0]);
  assert.deepEqual(view.blind(view.both(view.preset("causal", 3, 3), [0, 1, 1]), 3), [0]);
  assert.deepEqual(view.blind(view.preset("causal", 3, 3), 3), []);
});

test("one token too many is one token further with every layer", () => {
  for (const layers of [1, 2, 3]) {
    const known = view.reach(view.preset("ahead", 5, 5), 5, layers);
    known.forEach((knows, at) => assert.equal(knows, at % 5 <= Math.floor(at / 5) + layers ? 1 : 0));
  }
});

test("through the residual a row knows its own token even where it may not look at it", () => {
  assert.deepEqual(view.reach([0, 0, 0, 0], 2, 3), [1, 0, 0, 1]);
});

test("the verdict looks at later tokens only and names the rows that moved", () => {
  assert.deepEqual(view.verdict([5, 0, 0, 7, 5, 0, 1, 1, 5], 3), { rows: [0, 0, 0], failed: [], largest: 0, passed: true });
  assert.deepEqual(view.verdict([5, 0, 0.25, 7, 5, 0.5, 1, 1, 5], 3), { rows: [0.25, 0.5, 0], failed: [0, 1], largest: 0.5, passed: false });
});

test("a hidden cell says by which layer", () => {
  assert.equal(view.reason(true, false, "causal"), "may not look: hidden by the causal layer");
  assert.equal(view.reason(false, true, "causal"), "may not look: hidden by the padding layer");
  assert.match(view.reason(true, true, "causal"), /causal layer and by the padding/);
  assert.equal(view.reason(false, false, "causal"), "may look");
});

test("numbers in cells are short, and name what is no number", () => {
  assert.equal(view.inCell(-Infinity), "−∞");
  assert.equal(view.inCell(NaN), "NaN");
  assert.equal(view.inCell(0.3333), "0.333");
  assert.equal(view.inCell(0), "0");
  assert.equal(view.inCell(1), "1");
  assert.equal(view.inCell(-0.5), "−0.5");
  assert.equal(view.inCell(12.345), "12.3");
  assert.equal(view.inCell(-9999), "−9999");
  assert.deepEqual([-5e8, 1e9 / 3, 1e4].map(view.inCell), ["−5e8", "3.3e8", "1e4"]);
  assert.deepEqual([0.5, -5e8, -Infinity, NaN].map(view.inTable), ["0.500", "−5e8", "−∞", "NaN"]);
});
