// The pure parts of the attention view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("attention/heads.js");

const kind = (name, n_layers, n_heads, T, S) => ({ name, n_layers, n_heads, queries: Array(T).fill("q"), keys: Array(S).fill("k") });
const near = (got, wanted, gap = 1e-6) => wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= gap, `${i}: ${got[i]} is not ${w}`));
const asymmetric = [[0.9, 0.1, 0], [0, 0.2, 0.8]];                 // a swap of rows and columns would show

test("bytes are read as [kind][layer][head][query][key], rows queries and columns keys", () => {
  const kinds = [kind("one", 1, 2, 2, 3), kind("two", 2, 1, 1, 2)];
  const byte = (w) => Math.round(255 * Math.sqrt(w));
  const bytes = Uint8Array.from([...Array(6).fill(0), ...asymmetric.flat().map(byte), 1, 2, 3, 4]);
  const arrays = view.unpack(new DataView(bytes.buffer), kinds);
  near(view.headMap(arrays.one, kinds[0], 0, 1), asymmetric.flat(), 0.004);
  near(view.headMap(arrays.two, kinds[1], 1, 0), [(3 / 255) ** 2, (4 / 255) ** 2]);
});

test("a wrong number of bytes is refused, with both numbers", () => {
  assert.throws(() => view.unpack(new DataView(new ArrayBuffer(5)), [kind("one", 1, 1, 2, 3)]), /5 bytes came, the shapes need 6/);
});

test("a window into a larger buffer is read from where it begins", () => {
  const buffer = Uint8Array.from([9, 9, 255, 0]).buffer;
  near(view.headMap(view.unpack(new DataView(buffer, 2, 2), [kind("one", 1, 1, 1, 2)]).one, kind("one", 1, 1, 1, 2), 0, 0), [1, 0]);
});

test("a byte's weight is off by less than 0.004", () => {
  for (let w = 0; w <= 1; w += 0.001) assert.ok(Math.abs(view.WEIGHT[Math.round(255 * Math.sqrt(w))] - w) < 0.004);
});

test("merged sub-words keep rows that sum to 1: keys are summed, queries averaged", () => {
  const rows = view.blocks([0, 0, 1], [false, false, false], { merge: true, hide: false });
  assert.deepEqual(rows, [[0, 1], [2]]);
  const map = [0.5, 0.25, 0.25, 0, 1, 0, 0.125, 0.125, 0.75];
  near(view.grouped(map, 3, rows, rows), [0.875, 0.125, 0.25, 0.75]);
});

test("hidden tokens leave the map, but never the whole map", () => {
  assert.deepEqual(view.blocks([0, 1, 2], [true, false, true], { merge: false, hide: true }), [[1]]);
  assert.deepEqual(view.blocks([0], [true], { merge: false, hide: true }), [[0]]);
});

test("heads and layers are joined by mean or by maximum", () => {
  const maps = [Float32Array.of(0.5, 0.25), Float32Array.of(0.25, 0.75)];
  near(view.reduced(maps, "mean"), [0.375, 0.5]);
  near(view.reduced(maps, "max"), [0.5, 0.75]);
});

test("the threshold keeps the fewest cells of each row that hold the share asked for", () => {
  const map = Float32Array.of(0.1, 0.6, 0.3, 0.4, 0.35, 0.25);
  assert.deepEqual([...view.kept(map, 3, 0.6)], [0, 1, 0, 1, 1, 0]);
  assert.deepEqual([...view.kept(map, 3, 1)], [1, 1, 1, 1, 1, 1]);
});

test("colours are fixed from 0 to 1, or to the row's largest; √ spreads the small ones", () => {
  assert.equal(view.level(0.25, 1, false), 64);
  assert.equal(view.level(0.25, 1, true), 128);
  assert.equal(view.level(0.25, 0.25, false), 255);
  assert.equal(view.level(0, 0, false), 0);
});

test("a click toggles a head and leaves one, a double click leaves it alone and then brings all back", () => {
  assert.deepEqual(view.nextHeads([0, 2], 1, "toggle", 3), [0, 1, 2]);
  assert.deepEqual(view.nextHeads([0, 2], 2, "toggle", 3), [0]);
  assert.deepEqual(view.nextHeads([0], 0, "toggle", 3), [0]);
  assert.deepEqual(view.nextHeads([0, 2], 2, "solo", 3), [2]);
  assert.deepEqual(view.nextHeads([2], 2, "solo", 3), [0, 1, 2]);
  assert.deepEqual(view.nextHeads([2], 0, "all", 3), [0, 1, 2]);
});

test("exact numbers have three significant digits, decoded ones two and ≈", () => {
  assert.equal(view.written(0.41963), "0.420");
  assert.equal(view.written(0.041963), "0.0420");
  assert.equal(view.written(12.345), "12.3");
  assert.equal(view.written(-0.5), "−0.500");
  assert.equal(view.written(0.41963, false), "≈0.42");
  assert.equal(view.written(0), "0");
});

test("the spoken line names query, key, weight and rank", () => {
  const row = Float32Array.of(0.1, 0.42, 0.48);
  assert.equal(view.rank(row, 1), 2);
  assert.equal(view.spoken({ query: "sieht", key: "sees", weight: 0.42, exact: true, place: 2 }), "query 'sieht', key 'sees', 0.420, rank 2");
});

test("of a masked cell no weight is spoken, of a difference both weights and their gap", () => {
  const cell = { query: "sieht", key: "sees", weight: 0, exact: false, place: 2, masked: true };
  assert.equal(view.spoken(cell), "query 'sieht', key 'sees', masked: may not look");
  assert.equal(view.spokenGap({ ...cell, a: 0.25, b: 0.75, exact: true, masked: false }), "query 'sieht', key 'sees', 0.250 minus 0.750 is −0.500");
  assert.equal(view.spokenGap({ ...cell, a: 0, b: 0 }), view.spoken(cell));
});

test("a map's strongest link is that of its largest weight, wherever it stands", () => {
  const [rows, cols] = [[{ reads: "q0" }, { reads: "q1" }], ["k0", "k1", "k2"]];
  for (let at = 0; at < 6; at++) {
    const map = Float32Array.from({ length: 6 }, (_, i) => (i === at ? 0.5 : 0.1));
    const place = `query 'q${Math.floor(at / 3)}' reads key 'k${at % 3}' with 0.500`;
    assert.equal(view.strongest(map, rows, cols, true), `strongest: ${place}`);
  }
});

test("a point finds its row and column: down is queries, across is keys", () => {
  const layout = view.mapLayout(300, 200, 2, 4, 60, 40);
  assert.equal(layout.cell, 30);
  assert.deepEqual(view.hit(layout, 60 + 3.5 * 30, 40 + 1.5 * 30), { row: 1, col: 3 });
  assert.deepEqual(view.hit(layout, 10, 40 + 0.5 * 30), { row: 0, col: -1 });
  assert.deepEqual(view.hit(layout, 299, 199), { row: -1, col: -1 });
});

test("a point anywhere along a slanted key label finds that key, in large and in small cells", () => {
  for (const layout of [view.mapLayout(300, 200, 2, 4, 60, 90), view.mapLayout(300, 200, 9, 40, 60, 90)]) {
    for (let col = 0; col < layout.cols; col++) for (const along of [0, 20, 50]) {
      const [x, y] = view.labelStart(layout, col);
      const at = [x + along * Math.cos(layout.slant), y - along * Math.sin(layout.slant)];
      assert.deepEqual(view.hit(layout, ...at), { row: -1, col }, `cells of ${layout.cell}, ${along} along the label of ${col}`);
    }
  }
});

test("facts sort both ways, what has no value last", () => {
  const rows = [{ a: 2 }, { a: null }, { a: 3 }, { a: 1 }];
  assert.deepEqual(view.sortedRows(rows, "a", false).map((r) => r.a), [1, 2, 3, null]);
  assert.deepEqual(view.sortedRows(rows, "a", true).map((r) => r.a), [3, 2, 1, null]);
});

test("a scale's digits become pixels in the order red, green, blue, opaque", () => {
  const bytes = new Uint8Array(view.lookup("0a0b0cff8001").buffer);
  assert.deepEqual([...bytes], [10, 11, 12, 255, 255, 128, 1, 255]);
});

test("what cannot be seen in a token is spelled out", () => {
  assert.equal(view.visible("a b\n"), "a␣b⏎");
  assert.equal(view.visible(""), "∅");
});

test("lines are drawn from 0.02 on, or from the weight that leaves no more than the most", () => {
  const map = Float32Array.from([0.9, 0.5, 0.31, 0.3, 0.019, 0.03]);
  assert.equal(view.leastDrawn([map], 10), 0.02);
  const least = view.leastDrawn([map, map], 5);
  assert.ok(least > 0.31 && least <= 0.5, String(least));
});

test("the weakest line that is drawn can be seen, and a line is the stronger the larger its weight", () => {
  assert.ok(view.strength(0.02) > 1 / 3 && view.strength(0.4) > view.strength(0.2));
  assert.equal(view.strength(1), 1);
});

test("what is done to a word a second time is taken back, and a word has one replacement", () => {
  const mask = view.withChange([], "mask", 2);
  assert.deepEqual(mask, [["mask", 2]]);
  assert.deepEqual(view.withChange(mask, "mask", 2), []);
  const other = view.withChange(view.withChange(mask, "replace", 2, "dog"), "replace", 2, "cow");
  assert.deepEqual(other, [["mask", 2], ["replace", 2, "cow"]]);
  assert.deepEqual(view.withChange(other, "replace", 2, null), mask);
  assert.deepEqual(view.withChange([["swap", 1, 2]], "swap", 2, 1), []);
  assert.deepEqual(view.withChange([["swap", 1, 2]], "swap", 1, 3), [["swap", 1, 2], ["swap", 1, 3]]);
});

test("a word's neighbour is the next that stands, and what was done to it is said", () => {
  const word = (was, place, deleted = false) => ({ word: was, was, place, deleted, masked: false });
  const words = [word("a", 0), word("b", 1, true), word("c", 2)];
  assert.equal(view.besideWord(words, 0, 1), 2);
  assert.equal(view.besideWord(words, 2, 1), undefined);
  assert.deepEqual([["replace", 0, "x"], ["delete", 1], ["mask", 2], ["swap", 0, 2]].map((change) => view.changeInWords(change, words)),
    ["“a” → “x”", "without “b”", "nobody reads “c”", "“a” ⇄ “c”"]);
  assert.deepEqual(words.map(view.isOtherwise), [false, true, false]);
});

test("what people usually get wrong is said where it fits the guess, and never of a right one", () => {
  const special_keys = [false, false, false, false, true], cross = { predicts: ["x"], special_keys }, own = { predicts: null, special_keys };
  assert.equal(view.misread(cross, 1, 3, 3, 0), "");
  assert.equal(view.misread(cross, 1, -1, 3, 0), "");                        // passed over
  assert.match(view.misread(cross, 1, 2, 4, 0), /special token/);
  assert.match(view.misread(cross, 1, 0, 1, 0), /reads before it says/);      // where the row above looks
  assert.match(view.misread(cross, 1, 2, 3, 0), /not causally masked/);
  assert.equal(view.misread(cross, 3, 2, 1, 0), "");
  assert.match(view.misread(own, 2, 2, 1, 0), /piece beside/);
  assert.equal(view.misread(own, 3, 3, 0, 0), "");
});

test("a weight that is set has the others share what is left in proportion, or leaves them as they are", () => {
  near(view.withWeight([0.5, 0.3, 0.2], 0, 0.75, true), [0.75, 0.15, 0.1]);
  near(view.withWeight([0.5, 0.3, 0.2], 0, 0.75, false), [0.75, 0.3, 0.2]);
  for (const weight of [0, 0.05, 0.4, 1]) {
    const row = view.withWeight([0.1, 0.2, 0.7], 1, weight, true);
    near([row[1], row.reduce((a, b) => a + b)], [weight, 1]);
  }
});

test("a row all on one key gives the others back what the model had given them, or else the same to each", () => {
  near(view.withWeight([1, 0, 0], 0, 0.4, true, [0.5, 0.4, 0.1]), [0.4, 0.48, 0.12]);
  near(view.withWeight([1, 0, 0], 0, 0.4, true), [0.4, 0.3, 0.3]);
  near(view.withWeight([1], 0, 0.4, true), [0.4]);
});

test("a query of a head holds one row; another head, or all of them, hold their own", () => {
  const one = view.withRow([], ["cross", 4, 1, 2], [1, 0]), two = view.withRow(one, ["cross", 4, -1, 2], [0, 1]);
  assert.deepEqual(view.withRow(two, ["cross", 4, 1, 2], [0.5, 0.5]), [["cross", 4, -1, 2, [0, 1]], ["cross", 4, 1, 2, [0.5, 0.5]]]);
  assert.deepEqual(view.withRow(two, ["cross", 4, -1, 2], null), one);
});

test("why a row does nothing is said: other tokens, or a step that is not reached", () => {
  const kind = { keys: ["a", "b", "</s>"], queries: ["<s>", "x"] };
  assert.match(view.idleInWords(["cross", 0, 0, 1, [1, 0]], kind), /has 2 weights .* has 3 tokens/);
  assert.match(view.idleInWords(["encoder", 0, 0, 5, [1, 0, 0]], { ...kind, queries: kind.keys }), /has 3 tokens/);
  assert.match(view.idleInWords(["decoder", 0, 0, 2, [1, 0, 0]], kind), /ends before step 2/);
});

test("a row over what is not special sums to 1, and is empty where all of it was special", () => {
  near(view.rescaled(Float32Array.of(0.5, 0.1, 0.4, 1, 0, 0), [true, false, false]), [0, 0.2, 0.8, 0, 0, 0]);
});
