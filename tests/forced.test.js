// What the view of taught and alone reads from its numbers, in its script and in the page's own model.

import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("decoding/forced.js");

const META = { n_places: 2, n_layers: 2, n_heads: 3, source: ["a", "b"] };
const cell = (side, place, layer, head, key) => 10000 * side + 1000 * place + 100 * layer + 10 * head + key;
const NUMBERS = Float32Array.from([0, 1].flatMap((side) => [0, 1].flatMap((place) => [0, 1].flatMap((layer) => [0, 1, 2].flatMap((head) =>
  [0, 1].map((key) => cell(side, place, layer, head, key)))))));

test("a row is one head's, or the mean of all", () => {
  assert.deepEqual(view.rowOf(NUMBERS, META, 1, 0, 1, 2), [cell(1, 0, 1, 2, 0), cell(1, 0, 1, 2, 1)]);
  assert.deepEqual(view.rowOf(NUMBERS, META, 0, 1, 0, -1), [cell(0, 1, 0, 1, 0), cell(0, 1, 0, 1, 1)]);   // of 0, 1, 2 the middle
});

const WAYS = { reference: ["▁ein", "▁Klavier", "</s>"], own: ["▁eine", "▁Klavier", "t"], parts: 0,
  places: [{ apart: 0 }, { apart: 0.25 }, { apart: 1 }] };

test("before the first divergence, at it and after it three different things are said", () => {
  const same = { ...WAYS, reference: WAYS.own, parts: null };
  assert.match(view.placeInWords(same, 2), /^Both have read “eine Klavier”: one distribution, and both say t\.$/);
  assert.match(view.placeInWords(WAYS, 0), /^Both have read nothing yet.* goes on with ▁ein, the model takes ▁eine: here they part/);
  assert.match(view.placeInWords(WAYS, 1), /^Taught has read “ein”, alone “eine”: the distributions are 0\.250 apart/);
});

test("arrows stay within the places", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End"].map((key) => view.stepTo(key, 0, 3)), [0, 1, 0, 2]);
  assert.equal(view.stepTo("ArrowRight", 2, 3), 2);
  assert.equal(view.stepTo("Enter", 1, 3), undefined);
});
