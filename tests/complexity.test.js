// The pure parts of the Table 1 view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("complexity/table.js");

const attention = { name: "attention", core: [[2, "nnd"]], terms: [[4, "ndd"], [2, "nnd"]], chain: 4, path: "1" };
const recurrent = { name: "RNN", core: [[2, "ndd"]], terms: [[2, "ndd"]], chain: "n", path: "n" };
const gru = { ...recurrent, name: "GRU", core: [[6, "ndd"]], terms: [[6, "ndd"]] };
const lstm = { ...recurrent, name: "LSTM", core: [[8, "ndd"]], terms: [[8, "ndd"]] };
const convolution = { name: "conv", core: [[1, "kndd"]], terms: [[1, "kndd"]], chain: 1, path: "n/k" };
const size = { n: 70, d: 512, k: 3, r: 5 };

test("multiply-adds are sums of products of letters, exact to the last digit", () => {
  assert.equal(view.multiplyAdds(attention, size, true), 5_017_600);
  assert.equal(view.multiplyAdds(attention, size, false), 78_417_920);
  assert.equal(view.multiplyAdds(convolution, size, false), 55_050_240);
  assert.equal(view.multiplyAdds(lstm, { ...size, n: 1024 }, false), view.multiplyAdds(attention, { ...size, n: 1024 }, false));
});

test("self-attention's core crosses the vanilla RNN at n = d, the whole layer the GRU at d, the LSTM at 2d, the RNN never", () => {
  assert.equal(view.crossing(attention, recurrent, size, true), 512);
  assert.equal(view.crossing(attention, gru, size, false), 512);
  assert.equal(view.crossing(attention, lstm, size, false), 1024);
  assert.equal(view.crossing(attention, recurrent, size, false), null);
  assert.equal(view.crossing(attention, convolution, size, false), null);
  assert.equal(view.crossing(attention, convolution, { ...size, k: 7 }, false), 768);
});

test("verdicts say below which length, always, or never", () => {
  assert.equal(view.verdict(attention, gru, size, false), "for n < 512");
  assert.equal(view.verdict(attention, recurrent, size, false), "never");
  assert.equal(view.verdict(convolution, lstm, size, false), "always");
});

test("path lengths: one layer, n cells, ceilings of n over k, the integer logarithm, and never", () => {
  const length = (path, n, k = 3, r = 5, causal = true) => view.pathLength({ path }, { n, k, r }, causal);
  assert.deepEqual([length("1", 33), length("n", 33), length("n/k", 33), length("n/r", 33), length("∞", 33)], [1, 33, 16, 8, null]);
  assert.deepEqual([9, 10, 27, 28].map((n) => length("log k", n)), [2, 3, 3, 4]);
  assert.deepEqual([length("n/k", 33, 3, 5, false), length("log k", 33, 3, 5, false)], [32, null]);
});

test("a slider's stops hold every power of two, both ends, and no number twice", () => {
  const list = view.stops(2, 4096);
  assert.deepEqual([list[0], list.at(-1)], [2, 4096]);
  for (let power = 2; power <= 4096; power *= 2) assert.ok(list.includes(power), `${power}`);
  assert.equal(new Set(list).size, list.length);
  assert.deepEqual(list, [...list].sort((a, b) => a - b));
  assert.deepEqual([64, 70, 1].map((value) => list[view.nearest(list, value)]), [64, 76, 2]);
});

test("an axis leads to pixels and back, and its ticks lie on it", () => {
  const axis = view.logAxis(2, 4096, 46, 300);
  assert.deepEqual([axis.at(2), axis.at(4096)], [46, 300]);
  assert.ok(Math.abs(axis.value(axis.at(70)) - 70) < 1e-9);
  assert.deepEqual(view.powersOn({ low: 0.8, high: 5500 }, 10, 7), [1, 10, 100, 1000]);
  assert.ok(view.powersOn({ low: 2, high: 4096 }, 2, 6).length <= 6);
});

test("numbers are written whole, and what never comes is said so", () => {
  assert.deepEqual([view.whole(5017600), view.whole(null)], ["5,017,600", "never"]);
});

test("a layer is spoken with its three numbers", () => {
  assert.equal(view.spoken(convolution, size, false, true),
    "conv at n = 70: 55,050,240 multiply-adds, 1 sequential operation, path length 35");
  assert.match(view.spoken({ ...convolution, path: "∞" }, size, false, true), /1 sequential operation, no path between positions$/);
  assert.match(view.spoken({ ...convolution, path: "log k" }, size, false, false), /1 sequential operation, no formula for the path$/);
});
