// The pure parts of the training view and of the recipe's: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("training/run.js");
const recipe = await script("training/recipe.js");

test("a curve comes back from its bytes, row by row, also from the middle of a buffer", () => {
  const rows = [[1, 9.5, 9.25, 0.5, 2, 1000], [2, 8.5, 8.25, 1, 3, 900]], all = new Float32Array([7, ...rows.flat()]);
  const bytes = new Uint8Array(all.buffer, 4);
  assert.deepEqual(view.readCurve(new DataView(bytes.buffer, 4, 48)), rows.map(([step, loss, nll, rate, norm, speed]) => ({ step, loss, nll, rate, norm, speed })));
  assert.deepEqual(view.readCurve(new Uint8Array()), []);
  assert.deepEqual(view.readCurve(undefined), []);
});

test("the frame of a step is the last at or before it", () => {
  const frames = [0, 5, 10, 20];
  assert.deepEqual([-3, 0, 4, 5, 19, 20, 99].map((step) => view.frameAt(frames, step)), [0, 0, 0, 1, 2, 3, 3]);
});

test("each sentence's maps follow those of the one before, whatever their sides (2 × 3 and 3 × 5)", () => {
  const sentences = [{ queries: ["a", "b"], keys: ["c", "d", "e"] }, { queries: ["a", "b", "c"], keys: ["d", "e", "f", "g", "h"] }];
  const [first, second] = view.offsets(sentences, 4, 8);
  assert.deepEqual(first, { at: 0, size: 6 });
  assert.deepEqual(second, { at: 6 * 8 * 4, size: 15 });
});

test("bytes are √weight: 0 and 255 are 0 and 1, and what lies between comes back within half a step", () => {
  assert.deepEqual(view.weights(Uint8Array.from([9, 0, 255]), 1, 2), [0, 1]);
  for (const weight of [0.01, 0.2, 0.5, 0.9]) {
    const [back] = view.weights(Uint8Array.from([Math.round(255 * Math.sqrt(weight))]), 0, 1);
    assert.ok(Math.abs(back - weight) <= 2 * Math.sqrt(weight) * (0.5 / 255) + 1e-5);
  }
});

test("ticks are round, in order, inside the ends, and about as many as asked for", () => {
  for (const [low, high] of [[0, 9.3], [0, 0.003], [0, 1100], [2, 7], [0, 1]]) {
    const found = view.ticks(low, high, 4);
    assert.ok(found.length >= 2 && found.length <= 9, `${found}`);
    found.forEach((tick, i) => {
      assert.ok(tick >= low - 1e-12 && tick <= high * 1.0001 && (!i || tick > found[i - 1]));
      assert.match(String(Number(tick.toPrecision(2))), /^[\d.e-]+$/);
      assert.ok(Math.abs(Number(tick.toPrecision(2)) - tick) < 1e-9);
    });
  }
});

test("what is drawn has room above, and one wild value does not flatten the rest", () => {
  const [low, high] = view.extent([1, 2, 4]);
  assert.ok(low === 0 && high > 4 && high < 4.5);
  assert.deepEqual(view.extent([]), [0, 1]);
  assert.deepEqual(view.extent([NaN, 0]), [0, 1]);
  const steady = Array.from({ length: 99 }, () => 2);
  assert.ok(view.calm([...steady, 5000])[1] < 3);
  assert.ok(view.calm(steady)[1] >= 2);
});

test("going back keeps what was up to the step, and what is left begins where the two part", () => {
  const curve = [1, 2, 3, 4].map((step) => ({ step })), cut = view.cutBack(curve, [0, 2, 4], [{ step: 2 }, { step: 4 }], 2);
  assert.deepEqual(cut.curve.map(({ step }) => step), [1, 2]);
  assert.deepEqual(cut.left.map(({ step }) => step), [2, 3, 4]);
  assert.deepEqual(cut.frames, [0, 2]);
  assert.deepEqual(cut.checks, [{ step: 2 }]);
  assert.deepEqual(view.cutBack(curve, [0], [], 0).curve, []);
});

test("a factor is said in two digits", () => {
  assert.deepEqual([1, 10 ** 0.3, 0.1].map(view.times), ["× 1", "× 2", "× 0.1"]);
});

const LENGTHS = [[3, 9], [8, 2], [5, 5], [2, 2], [9, 9], [4, 1], [6, 7]], ORDER = LENGTHS.map((_, i) => i);

test("no batch exceeds the budget on either side, and no pair is lost, however it is cut", () => {
  for (const budget of [9, 12, 20, 100]) for (const plan of [recipe.cutInOrder(LENGTHS, budget, ORDER), recipe.cutSorted(LENGTHS, budget, ORDER, 7), recipe.cutSorted(LENGTHS, budget, ORDER, 3)]) {
    assert.deepEqual(plan.flat().sort(), ORDER);
    for (const batch of plan) for (const side of [0, 1]) assert.ok(batch.reduce((sum, row) => sum + LENGTHS[row][side], 0) <= budget);
  }
});

test("sorting together puts sources of a length side by side", () => {
  const sources = recipe.cutSorted(LENGTHS, 12, ORDER, 7).flat().map((row) => LENGTHS[row][0]);
  assert.deepEqual(sources, [...sources].sort((a, b) => a - b));
});

test("padding is what the longest leaves over on each side", () => {
  const { padding, most, mean, batches } = recipe.filling([[2, 3], [4, 3]], [[0, 1]]);
  assert.ok(Math.abs(padding - 2 / 14) < 1e-12);
  assert.deepEqual([most, mean, batches], [6, 6, 1]);
  assert.equal(recipe.filling([[5, 4], [5, 4]], [[0], [1]]).padding, 0);
});

test("equation 3 has the paper's numbers, and its top at the end of the warm-up", () => {
  assert.equal(recipe.rate(4000, 512, 4000).toExponential(6), "6.987712e-4");
  assert.equal(recipe.rate(4000, 1024, 4000).toExponential(6), "4.941059e-4");
  for (const [d, warmup] of [[64, 1], [512, 300], [1024, 8000]]) {
    const top = recipe.rate(warmup, d, warmup);
    assert.ok(top > recipe.rate(warmup + 1, d, warmup) && (warmup === 1 || top > recipe.rate(warmup - 1, d, warmup)));
    assert.ok(Math.abs(top - (d * warmup) ** -0.5) < 1e-15);
  }
});

test("a smoothed target sums to 1, and no model has a loss below its entropy (both conventions)", () => {
  for (const among of ["all", "others"]) for (const vocab of [2, 11, 37000]) for (const eps of [0, 0.1, 0.4]) {
    const { right, wrong } = recipe.target(vocab, eps, among), least = recipe.floor(vocab, eps, among);
    assert.ok(Math.abs(right + (vocab - 1) * wrong - 1) < 1e-9);
    if (right < 1) assert.ok(Math.abs(recipe.loss(right, vocab, eps, among) - least) < 1e-9);
    for (const chance of [0.01, 0.3, 0.77, 0.99]) assert.ok(recipe.loss(chance, vocab, eps, among) >= least - 1e-12);
  }
  assert.equal(recipe.floor(37000, 0.1, "all").toFixed(5), "1.37691");
  assert.equal(recipe.floor(37000, 0.1, "others").toFixed(5), "1.37695");
  assert.equal(recipe.floor(100, 0, "all"), 0);
});

test("no loss between the ends of the slider lies above the picture's top, and one of them reaches it", () => {
  for (const among of ["all", "others"]) for (const vocab of [2, 37000, 100000]) for (const eps of [0, 0.1, 0.5]) {
    const top = recipe.highest(vocab, eps, among), chances = [0.01, 0.012, 0.3, 0.9, 0.999];
    const losses = [...chances.map((chance) => recipe.loss(chance, vocab, eps, among)), -Math.log(0.01)];
    assert.equal(Math.max(...losses), top);
  }
});

test("a ladder climbs from end to end, without steps twice", () => {
  const found = recipe.ladder(2, 100000, 40);
  assert.ok(found[0] === 2 && found[found.length - 1] === 100000);
  found.forEach((value, i) => assert.ok(Number.isInteger(value) && (!i || value > found[i - 1])));
  assert.equal(recipe.nearest([1, 10, 100], 40), 1);
});
