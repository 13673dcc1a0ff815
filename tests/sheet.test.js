// The pure parts of the calculation sheet: node --test tests/. That its numbers are torch's: tests/test_viz_scaled_dot_product.py
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const sheet = await script("scaled_dot_product/sheet.js");

const near = (got, wanted, gap = 1e-12) => wanted.forEach((row, i) => row.forEach((x, j) => assert.ok(Math.abs(got[i][j] - x) <= gap, `${i},${j}: ${got[i][j]} is not ${x}`)));
const given = (name, rows = null) => ({ name, op: "given", rows });
const values = { A: [[1, 2], [3, 4], [5, 6]], B: [[0.5, -1], [2, 0]], R: [[10, 20]] };
const nodes = [given("A", "tokens"), given("B"), given("R"), { name: "AB", op: "product", of: ["A", "B"] },
  { name: "AR", op: "plus_row", of: ["AB", "R"] }, { name: "S", op: "scores", of: ["A", "A"] },
  { name: "C", op: "scale", of: ["S"], by: 4 }, { name: "M", op: "mask", of: ["C"] }, { name: "W", op: "softmax", of: ["M"] },
  { name: "H", op: "concat", of: ["AB", "A"] }];
const options = { scale: true, causal: true };
const at = (extra = {}) => sheet.evaluate(nodes, { values, options, n_rows: 3, ...extra });
const said = (found, name, i, j, more = {}) => sheet.terms(nodes, found, { options, ...more }, name, i, j);
const text = ({ parts }) => parts.map((part) => part.text).join("");

test("products go over rows of the left and columns of the right, scores over rows of both", () => {
  const found = at();
  near(found.AB, [[4.5, -1], [9.5, -3], [14.5, -5]]);
  near(found.AR, [[14.5, 19], [19.5, 17], [24.5, 15]]);
  near(found.S, [[5, 11, 17], [11, 25, 39], [17, 39, 61]]);
  near(found.C, [[2.5, 5.5, 8.5], [5.5, 12.5, 19.5], [8.5, 19.5, 30.5]]);
  near(found.H, [[4.5, -1, 1, 2], [9.5, -3, 3, 4], [14.5, -5, 5, 6]]);
});

test("the mask puts −∞ above the diagonal, and rows of weights still sum to 1", () => {
  const { M, W } = at();
  assert.deepEqual(M.map((row) => row.map((x) => x === -Infinity)), [[false, true, true], [false, false, true], [false, false, false]]);
  for (const row of W) assert.ok(Math.abs(row.reduce((a, b) => a + b) - 1) < 1e-15);
  assert.equal(W[0][0], 1);
  assert.deepEqual(sheet.softmax([-Infinity, -Infinity]), [0, 0]);
  near([sheet.softmax([1000, 1000 + Math.log(3)])], [[0.25, 0.75]]);
});

test("without the scale and the mask their matrices are what came in", () => {
  const found = at({ options: {} });
  near(found.M, found.S, 0);
});

test("fewer tokens leave the first rows", () => {
  const found = at({ n_rows: 2 });
  near(found.A, [[1, 2], [3, 4]]);
  assert.deepEqual([found.S.length, found.S[0].length, found.H.length], [2, 2, 2]);
});

test("a number typed over a computed one carries on, and what moved is known cell by cell", () => {
  const before = at({ options: {} }), after = at({ options: {}, by_hand: { "AB:1:0": 0 } });
  assert.equal(after.AR[1][0], 10);
  assert.deepEqual([...sheet.moved(before, after)].sort(), ["AB:1:0", "AR:1:0", "H:1:0"]);
  assert.equal(sheet.moved(before, at({ options: {} })).size, 0);
});

test("a changed input moves its own row of the scores and its column, and nothing else of them", () => {
  const after = sheet.evaluate(nodes, { values: { ...values, A: [[1, 2], [3, 9], [5, 6]] }, options: {}, n_rows: 3 });
  const scores = [...sheet.moved(at({ options: {} }), after)].filter((place) => place.startsWith("S:")).sort();
  assert.deepEqual(scores, ["S:0:1", "S:1:0", "S:1:1", "S:1:2", "S:2:1"]);
});

test("a row is normalised by itself, a column over all rows", () => {
  const norm = [given("A", "tokens"), { name: "L", op: "layer_norm", of: ["A"] }, { name: "N", op: "batch_norm", of: ["A"] }];
  const one = sheet.evaluate(norm, { values: { A: [[1, 3, 8], [2, 0, 4]] }, n_rows: 2 });
  const two = sheet.evaluate(norm, { values: { A: [[1, 3, 8], [9, 9, 1]] }, n_rows: 2 });
  near([one.L[0]], [two.L[0]], 0);
  assert.notDeepEqual(one.N[0], two.N[0]);
  near(one.N, [[-1, 1, 1], [1, -1, -1]], 1e-5);
});

test("a cell says its terms, its value, and where they come from", () => {
  const found = at(), ab = said(found, "AB", 1, 0);
  assert.equal(text(ab), "3 · 0.5 + 4 · 2");
  assert.deepEqual(ab.from, [{ name: "A", rows: [1], cols: [0, 1] }, { name: "B", rows: [0, 1], cols: [0] }]);
  assert.equal(ab.value, 9.5);
  const score = said(found, "S", 0, 2);
  assert.equal(text(score), "1 · 5 + 2 · 6");
  assert.deepEqual(score.from[1], { name: "A", rows: [2], cols: [0, 1] });
  assert.equal(text(said(found, "C", 0, 2)), "17 / √4");
  assert.equal(text(said(found, "AR", 0, 1)), "−1 + 20");
});

test("a weight says its powers, a masked one why it is nothing", () => {
  const names = { rows: ["I", "am", "here"] }, found = at();
  assert.match(text(said(found, "M", 0, 2, { names })), /here comes later than I/);
  assert.match(text(said(found, "W", 0, 2)), /masked/);
  assert.match(text(said(found, "W", 1, 1)), /^e\^12.5 \/ \(e\^5.5 \+ e\^12.5\) = /);
  assert.match(text(said(found, "W", 2, 1)), /^with 30.5 taken from each score/);
});

test("what is copied from a head names the head and its column", () => {
  const piece = said(at(), "H", 2, 3);
  assert.match(text(piece), /head 1/);
  assert.deepEqual(piece.from, [{ name: "A", rows: [2], cols: [1] }]);
});

test("numbers are short, and full stops, commas and both minuses are read", () => {
  assert.deepEqual([0.5, -1.25, 0.23612, 12.345, 1234.5, 0, -0.000694, -Infinity].map(sheet.short), ["0.5", "−1.25", "0.236", "12.3", "1235", "0", "−6.9e−4", "−∞"]);
  assert.deepEqual(["0.5", " −1,5 ", "-2", "1e2"].map(sheet.typed), [0.5, -1.5, -2, 100]);
  assert.equal(sheet.typed(sheet.short(-0.00069)), -0.00069);
  for (const wrong of ["", "abc", "1/2", "1e9", "NaN", "<b>"]) assert.equal(sheet.typed(wrong), null);
});

test("a formula falls into coloured, raised and lowered pieces", () => {
  assert.deepEqual(sheet.pieces("{q:Q}_{0} = X W^{Q}"), [{ kind: "query", text: "Q" }, { kind: "lowered", text: "0" },
    { kind: "plain", text: " = X W" }, { kind: "raised", text: "Q" }]);
});
