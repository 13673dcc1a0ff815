// The pure parts of the order view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("positions/order.js");

test("two tokens exchange their places and no other moves", () => {
  assert.deepEqual(view.swapped([4, 5, -1, 7], 0, 3), [7, 5, -1, 4]);
});

test("a shuffle keeps every place, is decided by its seed, and leaves the list it was given", () => {
  const places = [0, 1, 2, 3, 4, 5], one = view.shuffled(places, 1);
  assert.deepEqual(one, view.shuffled(places, 1));
  assert.notDeepEqual(one, view.shuffled(places, 2));
  assert.deepEqual([...one].sort(), places);
  assert.deepEqual(places, [0, 1, 2, 3, 4, 5]);
});

test("what was translated before is found by its places", () => {
  const known = [{ places: [0, 1], translation: "a" }, { places: [1, 0], translation: "b" }];
  assert.equal(view.found(known, [1, 0]).translation, "b");
  assert.equal(view.found(known, [1, 1]), undefined);
});

test("tokens are read in the order of their places, and not at all without places", () => {
  assert.deepEqual(view.readAs(["a", "b", "c"], [7, 3, 5]), ["b", "c", "a"]);
  assert.equal(view.readAs(["a", "b"], [0, -1]), null);
});
