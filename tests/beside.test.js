// The pure parts of the beside view and of what answers it in a page: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { page, script } from "./script.mjs";

const view = await script("attention/beside.js");
const { aligned } = await page("engine.js", "checkpoint.js", "explorer.js", "beside.js");

/** Tokens of a small alphabet, decided by a seed, so that many are alike. */
function drawn(seed, n) {
  let state = seed;
  return Array.from({ length: n }, () => "abcd"[(state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 30]);
}

/** The length of a longest common subsequence, by trying everything. */
const longest = (a, b) => (!a.length || !b.length ? 0 : a[0] === b[0] ? 1 + longest(a.slice(1), b.slice(1))
  : Math.max(longest(a.slice(1), b), longest(a, b.slice(1))));

test("an alignment keeps every token of both in order, pairs like with like, and as many as can be", () => {
  for (let seed = 1; seed < 40; seed++) {
    const [first, second] = [drawn(seed, seed % 7), drawn(seed + 100, (3 * seed) % 8)], axis = aligned(first, second);
    for (const [n, tokens] of [first, second].entries()) {
      assert.deepEqual(axis.map((pair) => pair[n]).filter((place) => place !== null), [...tokens.keys()]);
    }
    const pairs = axis.filter(([i, j]) => i !== null && j !== null);
    assert.ok(pairs.every(([i, j]) => first[i] === second[j]));
    assert.equal(pairs.length, longest(first, second));
  }
});

test("an inserted token has no partner, and shifts the partners of all that follow", () => {
  const first = ["▁The", "▁bread", ".", "</s>"], second = ["▁The", "▁red", "▁bread", ".", "</s>"];
  assert.deepEqual(aligned(first, second), [[0, 0], [null, 1], [1, 2], [2, 3], [3, 4]]);
  assert.deepEqual(view.placesOf(aligned(first, second), 1), [0, 1, 2, 3, 4]);
  assert.deepEqual(view.placesOf(aligned(first, second), 0), [0, 2, 3, 4]);
});

test("a reading differs from itself nowhere", () => {
  const map = Float32Array.from([0.9, 0.1, 0, 0, 0.25, 0.75]), axis = (n) => aligned([..."xyz"].slice(0, n), [..."xyz"].slice(0, n));
  const gaps = view.differenceOf([map, map], axis(2), axis(3), [3, 3]);
  assert.deepEqual([...gaps], [0, 0, 0, 0, 0, 0]);
  assert.equal(view.largestOf(gaps), -1);
  assert.equal(view.shadeOf(0), 128);
});

test("a difference is the second less the first at partners, wherever those lie, and none elsewhere", () => {
  const first = Float32Array.from([0.75, 0.25]), second = Float32Array.from([0, 0.5, 0.5]);   // keys a b, and a x b
  const gaps = view.differenceOf([first, second], [[0, 0]], aligned(["a", "b"], ["a", "x", "b"]), [2, 3]);
  assert.deepEqual([...gaps], [-0.75, NaN, 0.25]);
  assert.equal(view.largestOf(gaps), 0);
  assert.deepEqual([...view.differenceOf([second, first], [[0, 0]], aligned(["a", "x", "b"], ["a", "b"]), [3, 2])], [0.75, NaN, -0.25]);
  assert.deepEqual([-1, -0.5, 0.5, 1, 7].map(view.shadeOf), [0, 64, 192, 256, 256]);
});

test("the bytes of both readings are cut by their own shapes, and a wrong length is refused", () => {
  const meta = { n_layers: 1, n_heads: 2, kinds: [{ name: "cross", queries: [["a"], ["a", "b"]], keys: [["x", "y"], ["x"]] }] };
  const [first, second] = view.unpackPair(Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8]), meta);
  assert.deepEqual([[...first.cross], [...second.cross]], [[1, 2, 3, 4], [5, 6, 7, 8]]);
  assert.throws(() => view.unpackPair(new Uint8Array(7), meta), /7 bytes came, the shapes need 8/);
  assert.deepEqual([...view.meanOf([[0, 1], [1, 0.5]])], [0.5, 0.75]);
});

test("names say what the other reading lacks, and what a row says in each", () => {
  const kind = { queries: [["weil", "es"], ["weil", "sie"]], keys: [["a"], ["b"]], predicts: [["es", "zu"], ["sie", "zu"]] };
  assert.equal(view.rowName(kind, [0, 0], 0), "weil → ≠ es");
  assert.equal(view.rowName(kind, [0, 0]), "weil → es / sie");
  assert.equal(view.rowName(kind, [null, 1], 1), "≠ sie → zu");
  assert.equal(view.rowName(kind, [null, 1]), "2: sie → zu");
  assert.equal(view.rowName({ ...kind, predicts: null }, [0, 0], 1), "weil");
  assert.equal(view.columnName(kind, [0, null], 0), "≠ a");
  assert.equal(view.columnName(kind, [null, 0]), "2: b");
});

test("a head goes out and comes back, others stay out", () => {
  const one = view.switchedOff([["encoder", 0, 1]], "cross", 4, [7]);
  assert.deepEqual(one, [["encoder", 0, 1], ["cross", 4, 7]]);
  const all = view.switchedOff(one, "cross", 4, [6, 7]);
  assert.deepEqual(all, [["encoder", 0, 1], ["cross", 4, 6], ["cross", 4, 7]]);
  assert.deepEqual(view.switchedOff(all, "cross", 4, [6, 7]), [["encoder", 0, 1]]);
});

test("cells are of one size in all three maps, large enough to read, and no wider than there is room", () => {
  const needs = [{ left: 137, count: 14 }, { left: 137, count: 15 }, { left: 154, count: 17 }];
  for (const width of [360, 700, 1000, 1180, 1420]) {
    const { across: { n, lefts }, cell } = view.arranged(needs, width);
    assert.ok(cell >= 14 && cell <= 26);
    const row = { 3: [0, 1, 2], 2: [0, 1], 1: [0] }[n], taken = row.reduce((sum, at) => sum + lefts[at] + cell * needs[at].count, 0);
    assert.ok(taken <= width, `${taken} of ${width}`);
  }
  assert.equal(view.arranged(needs, 1300).across.n, 3);
  assert.equal(view.arranged(needs, 360).across.n, 1);
});
