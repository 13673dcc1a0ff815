// The bar of every view, in its pure parts: what is taken back, and what is saved and copied. node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { Past, asCsv, callOf, plainCell, pythonic } from "../viz/canvas.js";

/** A view's values, and a hand that changes them. */
function view(values) {
  const past = new Past((name) => values[name]);
  const set = (changes, gesture, passing) => { past.keep(changes, gesture, passing); Object.assign(values, changes); };
  const undo = () => { const changes = past.back(); Object.assign(values, changes); return changes; };
  return { past, values, set, undo };
}

test("each gesture is one step back, a slider that moves through many values too", () => {
  const { values, set, undo } = view({ layer: 0, heads: [0], kind: "cross" });
  for (const layer of [1, 2, 3]) set({ layer }, "drag");
  set({ heads: [0, 1] }, "click");
  set({ kind: "decoder", layer: 5 }, "another");
  undo();
  assert.deepEqual(values, { layer: 3, heads: [0, 1], kind: "cross" });
  undo();
  assert.deepEqual(values, { layer: 3, heads: [0], kind: "cross" });
  undo();
  assert.deepEqual(values, { layer: 0, heads: [0], kind: "cross" });
  assert.deepEqual(undo(), {});
});

test("a reset sets all that the hand changed as it was, nothing else, and can be taken back itself", () => {
  const { past, values, set, undo } = view({ layer: 0, heads: [0], answer: "of Python" });
  set({ layer: 1 }, 1);
  values.answer = "another";
  set({ heads: [2] }, 2);
  assert.deepEqual(past.state, { layer: 1, heads: [2] });
  assert.deepEqual(past.start, { layer: 0, heads: [0] });
  set(past.start, "reset");
  assert.deepEqual(values, { layer: 0, heads: [0], answer: "another" });
  assert.deepEqual(past.state, {});
  undo();
  assert.deepEqual(values, { layer: 1, heads: [2], answer: "another" });
});

test("what changed nothing, or went there and back, is no step; where the reader is only comes along", () => {
  const { past, values, set, undo } = view({ x: 1, cell: [] });
  set({ x: 1 }, 1);
  assert.equal(past.any, false);
  set({ x: 2 }, 2);
  set({ x: 1 }, 2);
  assert.equal(past.any, false);
  set({ x: 3 }, 3);
  set({ cell: [1, 2] }, 4, ["cell"]);
  undo();
  assert.deepEqual(values, { x: 1, cell: [1, 2] });
  assert.deepEqual(past.start, { cell: [] });
});

test("a cell with a comma, a quote or a new line is quoted; numbers keep their digits", () => {
  assert.equal(asCsv([["token", "weight"], ["▁a,b", 0.1 + 0.2], ['say "x"', null], ["two\nlines", -1]]),
    'token,weight\r\n"▁a,b",0.30000000000000004\r\n"say ""x""",\r\n"two\nlines",-1\r\n');
});

test("of a table's numbers the digits of their hover are saved, else what stands there without commas", () => {
  const cell = (textContent, title = "") => plainCell({ textContent, title });
  assert.deepEqual([cell("0.123", "0.12345678"), cell("−5,017,600.5"), cell("× 1,000"), cell(" n²·d "), cell("1,2"), cell("a", "why")],
    ["0.12345678", "-5017600.5", "× 1,000", "n²·d", "1,2", "a"]);
});

test("the copied call is Python, with what was changed since below it", () => {
  assert.equal(pythonic({ a: [true, null, 1.5, 'say "ä"'] }), '{"a": [True, None, 1.5, "say \\"ä\\""]}');
  const call = { text: "from viz.text import explore_text\n\nview = explore_text(tokenizer)", view: "view" };
  assert.equal(callOf(call, { step: 3 }), `${call.text}\nview.step = 3\n`);
});
