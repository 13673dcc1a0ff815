// The pure parts of the geometry view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("attention/geometry.js");
const near = (a, b, slack = 1e-9) => Math.abs(a - b) <= slack;
const dot = (a, b) => a.reduce((total, value, i) => total + value * b[i], 0);

/** Rows of numbers from −1 to 1, decided by a seed. */
function drawn(seed, rows, cols) {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
  return Array.from({ length: rows }, () => Array.from({ length: cols }, next));
}

const product = (rows, others) => rows.map((row) => others[0].map((_, j) => dot(row, others.map((other) => other[j]))));

test("singular values and vectors make the matrix again, upright on each other, for more rows, more columns, and a lower rank", () => {
  const low = product(drawn(5, 6, 2), drawn(6, 2, 9));
  for (const rows of [drawn(1, 7, 4), drawn(2, 3, 8), drawn(3, 5, 5), drawn(4, 1, 6), low, [[0, 0], [0, 0], [0, 0]]]) {
    const parts = view.singular(rows);
    rows.forEach((row, i) => row.forEach((number, j) => {
      assert.ok(near(number, parts.reduce((total, { value, left, right }) => total + value * left[i] * right[j], 0)));
    }));
    for (const [n, part] of parts.entries()) {
      assert.ok(n === 0 || parts[n - 1].value >= part.value);
      for (const side of ["left", "right"]) {
        for (const [m, other] of parts.entries()) {
          if (part.value > 1e-9 && other.value > 1e-9) assert.ok(near(dot(part[side], other[side]), Number(m === n)));
        }
      }
    }
  }
  assert.ok(view.singular(low).slice(2).every(({ value }) => value < 1e-12));
});

test("what has two dimensions is held whole by a plane, and nothing comes nearer to other scores than it", () => {
  const whole = product(drawn(7, 6, 2), drawn(8, 2, 4)), plane = view.planeOf(whole);
  assert.ok(near(plane.share, 1) && plane.line < 1);
  whole.forEach((row, i) => row.forEach((score, j) => assert.ok(near(dot(plane.queries[i], plane.keys[j]), score))));
  const rows = drawn(9, 6, 8), best = view.planeOf(rows), squares = (list) => list.flat().reduce((total, x) => total + x * x, 0);
  const left = (queries, keys) => squares(rows.map((row, i) => row.map((score, j) => score - dot(queries[i], keys[j]))));
  assert.ok(near(left(best.queries, best.keys), (1 - best.share) * squares(rows)));
  for (let seed = 10; seed < 40; seed++) {
    const moved = (points, more) => points.map((point, i) => point.map((x, n) => x + 0.1 * more[i][n]));
    assert.ok(left(moved(best.queries, drawn(seed, 6, 2)), moved(best.keys, drawn(seed + 50, 8, 2))) > left(best.queries, best.keys));
  }
});

test("one row, one column or nothing at all still has a plane", () => {
  assert.deepEqual(view.planeOf([[0, 0], [0, 0]]), { queries: [[0, 0], [0, 0]], keys: [[0, 0], [0, 0]], share: 1, line: 1 });
  for (const rows of [[[3, -4]], [[3], [-4]], [[2]]]) {
    const { queries, keys, share, line } = view.planeOf(rows);
    assert.ok(near(share, 1) && near(line, 1));
    rows.forEach((row, i) => row.forEach((score, j) => assert.ok(near(dot(queries[i], keys[j]), score))));
  }
});

test("subtracting the mean key changes no weight, and leaves the mean key at the origin of the plane", () => {
  const rows = drawn(11, 5, 7).map((row, i) => row.map((score) => 9 * score + 30 * i)), less = view.centred(rows), plane = view.planeOf(less);
  for (const span of [[0, 7], [0, 3], [4, 5]]) {
    rows.forEach((row, i) => view.softmaxOf(row, span).forEach((weight, j) => assert.ok(near(weight, view.softmaxOf(less[i], span)[j]))));
  }
  for (const axis of [0, 1]) assert.ok(near(plane.keys.reduce((total, key) => total + key[axis], 0), 0));
});

test("a row looks at the keys of its span alone, and their weights sum to 1", () => {
  const weights = view.softmaxOf([5, 1, 1, 800], [1, 3]);
  assert.deepEqual(weights, [0, 0.5, 0.5, 0]);
});

test("keys lie along the line in the order of the plane's scores, those that are hidden left out", () => {
  const order = view.keysInOrder([0.5, 2, -1, 9], [3, 1, 0, 9], [0, 3]);
  assert.deepEqual(order.map(({ at }) => at), [1, 0, 2]);
  assert.ok(near(order.reduce((total, { weight }) => total + weight, 0), 1) && near(order.reduce((total, { guess }) => total + guess, 0), 1));
  const query = [0.6, -2], keys = drawn(12, 6, 2), scores = keys.map((key) => dot(key, query));
  const along = keys.map((key) => dot(view.footOn(key, query), query)), inOrder = view.keysInOrder(scores, scores, [0, 6]).map(({ at }) => at);
  assert.deepEqual(inOrder, [...along.keys()].sort((i, j) => along[j] - along[i]));
});

test("a foot is on the line, straight below its key", () => {
  const foot = view.footOn([3, 1], [2, 2]);
  assert.deepEqual(foot, [2, 2]);
  assert.equal(dot([3 - foot[0], 1 - foot[1]], [2, 2]), 0);
});

test("names stand within the picture, on no mark and on no other name; those without room have none", () => {
  for (const [seed, n, room] of [[13, 8, [500, 400]], [14, 30, [500, 400]], [15, 60, [240, 200]]]) {
    const marks = drawn(seed, n, 2).map(([x, y]) => [room[0] * (x + 1) / 2, room[1] * (y + 1) / 2]), sizes = marks.map((_, i) => [40 + 3 * (i % 9), 16]);
    const boxes = view.placesFor(marks, sizes, room), there = boxes.filter(Boolean);
    const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
    there.forEach((box, i) => {
      assert.ok(box[0] >= 0 && box[1] >= 0 && box[2] <= room[0] && box[3] <= room[1]);
      assert.ok(there.every((other, j) => i === j || !meet(box, other)));
      assert.ok(marks.every(([x, y]) => !(x > box[0] && x < box[2] && y > box[1] && y < box[3])));
    });
    assert.ok(n === 60 ? there.length < n : there.length === n, `${there.length} of ${n}`);
  }
});

test("all points are in sight at one scale for both axes", () => {
  const points = [[4, 1], [-2, 0.5], [3, -0.25]], put = view.fittedTo(points, [400, 300], [20, 10]);
  for (const [x, y] of [...points, [0, 0]].map(put)) assert.ok(x >= 20 - 1e-9 && x <= 380 + 1e-9 && y >= 10 && y <= 290);
  const [[ax, ay], [bx, by], [cx, cy]] = [put([0, 0]), put([1, 0]), put([0, 1])];
  assert.ok(near(bx - ax, ay - cy) && near(by, ay) && near(cx, ax));
  assert.deepEqual(view.fittedTo([[0, 0]], [400, 300], [20, 10])([0, 0]), [200, 150]);
});

test("a line through the picture ends at its sides", () => {
  assert.deepEqual(view.throughBox([10, 20], [1, 0], [100, 50]), [[0, 20], [100, 20]]);
  for (const [x, y] of view.throughBox([30, 20], [2, -3], [100, 50])) {
    assert.ok([x, 100 - x, y, 50 - y].every((gap) => gap >= -1e-9) && Math.min(x, 100 - x, y, 50 - y) < 1e-9);
  }
});

test("a token that comes twice is told apart by its place", () => {
  assert.deepEqual(view.tokenNames(["the", "dog", "the"]), ["the₁", "dog", "the₃"]);
});

test("the scores of each kind are cut by their own shapes, and a wrong length is refused", () => {
  const meta = { n_layers: 1, n_heads: 2, kinds: [{ name: "cross", queries: ["a"], keys: ["x", "y"] }, { name: "self", queries: ["a"], keys: ["a"] }] };
  const parts = view.cutByKind(Float32Array.from([1, 2, 3, 4, 5, 6]), meta);
  assert.deepEqual([[...parts.cross], [...parts.self]], [[1, 2, 3, 4], [5, 6]]);
  assert.throws(() => view.cutByKind(new Float32Array(7), meta), /7 scores came, the shapes need 6/);
});
