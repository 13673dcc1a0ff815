// The pure parts of the drawing of contexts: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("context/parts.js");
const widths = (kinds) => Array.from({ length: 6 }, (_, layer) => view.segments(kinds, layer).length);

test("C is d, (l − 1)d, ld and (2l − 1)d wide, and the formula says so", () => {
  assert.deepEqual(widths(["global"]), [1, 1, 1, 1, 1, 1]);
  assert.deepEqual(widths(["deep"]), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(widths(["deep-global"]), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(widths(["deep", "deep-global"]), [1, 3, 5, 7, 9, 11]);
  const named = { d: ["global"], "(l − 1)·d": ["deep"], "l·d": ["deep-global"], "(2l − 1)·d": ["deep", "deep-global"],
    "(l + 1)·d": ["global", "deep-global"], "2l·d": ["global", "deep", "deep-global"] };
  for (const [said, kinds] of Object.entries(named)) assert.equal(view.formula(kinds), said);
  assert.equal(view.formula(["global", "deep"]), "l·d");
});

test("the increments of the paper's sizes, L 6", () => {
  const u = (kinds, d, sides) => view.total(kinds, 6, d, sides).u, both = ["deep", "deep-global"];
  assert.deepEqual([["global"], ["deep"], ["deep-global"], both].map((kinds) => u(kinds, 512)), [3145728, 7864320, 11010048, 18874368]);
  assert.deepEqual([["global"], ["deep"], ["deep-global"], both].map((kinds) => u(kinds, 1024)), [12582912, 31457280, 44040192, 75497472]);
  assert.equal(u(both, 512, 2), 37748736);
  assert.deepEqual([view.total(["global"], 6, 512).gates, view.total(["deep"], 6, 512).gates], [12288, 10240]);
  assert.deepEqual(view.cost(["deep"], 0, 512), { width: 0, u: 0, gates: 0 });
});

test("a mean reads every real word, in a decoder none that is later, and never padding", () => {
  const real = [1, 1, 1, 0];
  assert.deepEqual(view.seen(real, 1, false), [true, true, true, false]);
  assert.deepEqual(view.seen(real, 1, true), [true, true, false, false]);
});

test("deep reads one column below, deep-global whole rows up to its own, global its own row alone", () => {
  const reads = (kinds, from, j) => view.readers(kinds, 2, 1, [1, 1, 0], false, from, j);
  assert.deepEqual([reads(["deep"], 1, 1), reads(["deep"], 1, 0), reads(["deep"], 2, 1)], [["deep"], [], []]);
  assert.deepEqual([reads(["deep-global"], 2, 0), reads(["deep-global"], 0, 2), reads(["global"], 1, 0)], [["deep-global"], [], []]);
  assert.deepEqual(reads(["global", "deep", "deep-global"], 2, 1), ["global", "deep-global"]);
  assert.deepEqual(reads(["deep", "deep-global"], 0, 1), ["deep", "deep-global"]);
});

test("large counts are grouped by thousands", () => {
  assert.deepEqual([0, 999, 1000, 18874368].map(view.grouped), ["0", "999", "1,000", "18,874,368"]);
});
