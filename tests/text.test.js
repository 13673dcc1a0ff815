// The pure parts of the text view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("text/pieces.js");
const ranks = new Map(["th", "▁th", "the", "▁the", "▁", "t", "h", "e", "a", "x"].map((piece, n) => [piece, n + 1]));

test("a text begins as characters, with ▁ for spaces and before the first word", () => {
  assert.deepEqual(view.characters(" a\t x "), ["▁", "a", "▁", "x"]);
  assert.deepEqual(view.characters("  "), []);
});

test("the pair that was learned first merges first, the left one of two equals", () => {
  const steps = view.merges("the th", ranks);
  assert.deepEqual(steps.map(({ left, right, at, rank }) => [left, right, at, rank]),
    [["t", "h", 1, 1], ["t", "h", 4, 1], ["▁", "th", 0, 2], ["▁", "th", 2, 2], ["▁th", "e", 0, 4]]);
  assert.deepEqual(steps.at(-1).pieces, ["▁the", "▁th"]);
});

test("no merge leaves fewer or more characters than there were", () => {
  for (const { pieces } of view.merges("the hat, the thé", ranks)) assert.equal(pieces.join(""), "▁the▁hat,▁the▁thé");
});

test("a character that is no piece is spelled in the bytes of its UTF-8 form", () => {
  assert.deepEqual(view.spelled(["▁", "é", "🙂"], ranks), ["▁", "<0xC3>", "<0xA9>", "<0xF0>", "<0x9F>", "<0x99>", "<0x82>"]);
});

test("a ▁ that the reader wrote is no space", () => {
  const [end] = view.merges("▁the", ranks).slice(-1);
  assert.deepEqual(view.spelled(end.pieces, ranks), ["▁", "<0xE2>", "<0x96>", "<0x81>", "the"]);
});

test("ids: bytes stand before the first learned piece", () => {
  assert.deepEqual(["<0x00>", "<0xFF>", "th", "▁"].map((piece) => view.idOf(piece, ranks, 260)), [4, 259, 260, 264]);
});
