// The parsing view's own arithmetic: the stack, repair, EVALB's counts, the edits, the layout. node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("parsing/trees.js");
const DOG = "(S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S", n = 5;
const spans = ({ brackets }) => brackets.map(({ label, start, end }) => `${label} ${start} ${end}`);
const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);

test("a well-formed line gives its tree, nothing is counted, and it comes back token by token", () => {
  const found = view.read(DOG, n);
  assert.deepEqual(spans(found), ["S 0 5", "NP 0 1", "VP 1 4", "NP 2 4"]);
  assert.deepEqual(found.counts, {});
  assert.equal(found.tokens.length, n + 2 * found.brackets.length);
  assert.equal(view.linear(view.nested(found.brackets, n)), DOG);
});

test("the stack is what is open: (X pushes, XX places a word, )X pops", () => {
  const { steps, nodes } = view.read(DOG, n), open = (k) => steps[k].stack.map((id) => nodes[id].label).join(" ");
  assert.deepEqual([0, 1, 2, 3, 4, 7, 9, 10, 13, 14].map(open), ["", "S", "S NP", "S NP", "S", "S VP NP", "S VP NP", "S VP", "", ""]);
  assert.deepEqual(steps.map(({ act }) => act).slice(0, 5), ["start", "push", "push", "word", "pop"]);
  assert.deepEqual([3, 9, 14].map((k) => steps[k].at), [1, 4, 5]);
});

test("each step of repair is taken where it is due, and counted", () => {
  const cases = [
    ["(S XX foo XX )S", 2, { unknown: 1 }, ["S 0 2"]],
    ["(S (NP XX )VP XX )S", 2, { mislabelled: 1 }, ["S 0 2", "NP 0 1"]],
    ["XX )NP XX )S", 2, { opened: 2 }, ["S 0 2", "NP 0 1"]],
    ["(S (NP XX XX", 2, { closed: 2 }, ["S 0 2", "NP 0 2"]],
    ["(S XX XX XX )S", 2, { surplus: 1 }, ["S 0 2"]],
    ["(S XX )S", 3, { missing: 2 }, ["S 0 3"]],
    ["(S (NP )NP XX )S", 1, { emptied: 1 }, ["S 0 1"]],
    ["(NP XX )NP (VP XX )VP", 2, { wrapped: 1 }, ["S 0 2", "NP 0 1", "VP 1 2"]],
    ["", 2, { flat: 1 }, ["S 0 2"]],
  ];
  for (const [line, words, counts, brackets] of cases) {
    const found = view.read(line, words);
    assert.deepEqual([line, found.counts, spans(found)], [line, counts, brackets]);
  }
});

test("what is opened late holds what stood there, and its parents are known", () => {
  const { nodes, leaf } = view.read("XX (VP XX )VP )S XX", 3);
  assert.deepEqual(nodes.map(({ label, parent }) => [label, parent]), [["VP", 1], ["S", 2], ["S", -1]]);
  assert.deepEqual(leaf, [1, 0, 2]);
});

test("every step is told in words", () => {
  const repairs = { missing: "words put under the root", closed: "brackets closed" }, words = ["John", "has", "a"];
  const say = (line, k) => view.told(view.read(line, 3), k, words, repairs);
  assert.equal(say("(S XX )NP )X", 1), "(S pushes S: it will begin with word 1, “John”.");
  assert.equal(say("(S XX )NP )X", 2), "XX places word 1, “John”, into S.");
  assert.match(say("(S XX )NP )X", 3), /^\)NP pops S, whatever it says/);
  assert.match(say("(S XX )NP )X", 4), /nothing is open: X is opened at the very beginning, over word 1/);
  assert.match(say(")NP", 1), /opened at the very beginning, with no word in it\.$/);
  assert.equal(say("(S XX )S", 3), ")S pops S: over word 1, “John”. Open: 0.");   // the two words that are missing come at the end
  assert.equal(say("(S XX", 3), "At the end, brackets closed: 1; words put under the root: 2.");
  assert.equal(say("(S XX XX XX )S", 6), "The end: nothing is open, every word has its place. 3 words + 2 × 1 bracket = 5 tokens.");
});

test("brackets are compared without punctuation, PRT as ADVP, each as often as both have it", () => {
  const tags = ["DT", "NN", "VBD", "RP", "."], gold = view.read("(S (NP XX XX )NP (VP XX (PRT XX )PRT )VP XX )S", 5).brackets;
  const of = (line) => view.scored(gold, view.read(line, 5).brackets, tags);
  near(of("(S (NP XX XX )NP (VP XX (ADVP XX )ADVP )VP XX )S").f1, 100);
  const half = of("(S (NP XX )NP (VP XX XX (ADVP XX )ADVP )VP XX )S");
  assert.deepEqual([half.matched, half.gold, half.predicted, half.f1], [2, 4, 4, 50]);
  assert.deepEqual(half.fates.predicted, ["matched", "wrong", "wrong", "matched"]);
  const twice = view.scored([{ label: "NP", start: 0, end: 2 }, { label: "NP", start: 0, end: 2 }], [{ label: "NP", start: 0, end: 2 }], ["DT", "NN"]);
  assert.deepEqual([twice.precision, twice.recall, twice.fates.gold.join()], [100, 50, "matched,wrong"]);
});

test("a bracket over punctuation alone, and a TOP, do not count", () => {
  const tags = ["NN", "."], { fates, gold } = view.scored(view.read("(TOP (S XX )S (X XX )X )TOP", 2).brackets, [], tags);
  assert.deepEqual([fates.gold, gold], [["uncounted", "wrong", "uncounted"], 1]);
});

test("an edit changes one bracket, and is refused where it makes no sense", () => {
  const change = (id, what, label) => view.edited(DOG, n, id, what, label);
  assert.equal(change(1, "relabel", "X"), DOG.replace("(NP", "(X").replace(")NP", ")X"));
  assert.equal(change(3, "remove"), "(S (NP XX )NP (VP XX XX XX )VP XX )S");
  assert.equal(change(3, "higher"), "(S (NP XX )NP (VP XX )VP (NP XX XX )NP XX )S");
  assert.equal(view.edited(change(3, "higher"), n, 3, "lower"), DOG);
  assert.equal(change(1, "lower"), "(S (VP (NP XX )NP XX (NP XX XX )NP )VP XX )S");
  for (const [id, what] of [[0, "remove"], [0, "higher"], [1, "higher"], [3, "lower"], [9, "remove"]]) assert.equal(change(id, what), null);
});

test("words keep their order and their distance, brackets stand in the middle of their parts, a depth a row", () => {
  const found = view.read(DOG, n), spread = view.spreadWords([30, 40, 20, 50, 20], 600), place = view.layoutTree(found, spread);
  for (let i = 1; i < n; i++) assert.ok(spread.middles[i] - spread.middles[i - 1] >= 12);
  assert.deepEqual(place.depth, [0, 1, 1, 2]);
  near(place.x[3], (spread.middles[2] + spread.middles[3]) / 2);
  near(place.x[1], spread.middles[0]);
  assert.equal(place.rows, 3);
  assert.ok(view.spreadWords([300, 300, 300], 600).end > 900);   // a long sentence is wider than the page and scrolls
});

test("words that do not fit come closer and get smaller, down to a size that can be read", () => {
  const letters = [2, 10, 3, 6], widths = (size) => letters.map((n) => n * size * 0.5), at = (width) => view.fitWords(widths, width, true);
  assert.deepEqual([400, 220, 200, 100].map((width) => at(width).size), [15, 14, 13, 13]);
  for (const width of [400, 220, 200]) assert.ok(at(width).end <= width);
  assert.ok(at(100).end > 100);   // it scrolls
  assert.ok(at(100).middles.every((x, i, all) => !i || x - all[i - 1] >= 34));
  assert.ok(view.fitWords(widths, 100).end < at(100).end);   // columns are wider than short words
});

test("arrow keys walk to the parent, to a child, and sideways within a depth", () => {
  const { nodes } = view.linked(view.read(DOG, n).brackets, n), place = view.layoutTree(view.linked(view.read(DOG, n).brackets, n), view.spreadWords([1, 1, 1, 1, 1], 100));
  const go = (id, key) => view.walkTree(place, nodes, id, key, (at) => at >= 0);
  assert.deepEqual([go(3, "ArrowUp"), go(0, "ArrowUp"), go(2, "ArrowDown"), go(1, "ArrowRight"), go(1, "ArrowLeft"), go(3, "ArrowDown")], [2, 0, 3, 2, 1, 3]);
});

test("attention is averaged over the layers and heads asked for", () => {
  const sizes = { T: 2, S: 2, L: 2, H: 1 }, weights = [1, 0, 0, 1, 0.5, 0.5, 0.25, 0.75];   // [t][l][h][s]
  assert.deepEqual(view.rowsOf(weights, sizes, 0, 0), [[1, 0], [0.5, 0.5]]);
  assert.deepEqual(view.rowsOf(weights, sizes, -1, -1), [[0.5, 0.5], [0.375, 0.625]]);
});
