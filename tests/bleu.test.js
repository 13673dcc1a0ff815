// The pure parts of the BLEU view: node --test tests/   (tests/test_viz_bleu.py holds them against sacreBLEU.)
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("bleu/score.js");
const near = (got, wanted, gap = 1e-9) => wanted.forEach((w, i) => assert.ok(Math.abs(got[i] - w) <= gap, `${i}: ${got[i]} is not ${w}`));
const of = (hypothesis, reference, how) => view.bleu(view.statistics(hypothesis.split(" "), reference.split(" ")), how);

const CANDIDATE = "빛이 쐬는 노인은 완벽한 어두운곳에서 잠든 사람과 비교할 때 강박증이 심해질 기회가 훨씬 높았다.";
const REFERENCE = "빛이 쐬는 사람은 완벽한 어둠에서 잠든 사람과 비교할 때 우울증이 심해질 가능성이 훨씬 높았다.";

test("the slides' example: 10/14, 5/13, 2/12, 1/11 and 25.4003, and 22.89 with one word split in two", () => {
  const counted = view.statistics(view.tokens(CANDIDATE, "none"), view.tokens(REFERENCE, "none"));
  assert.deepEqual(counted, { c: 14, r: 14, correct: [10, 5, 2, 1], total: [14, 13, 12, 11] });
  assert.equal(view.bleu(counted).score.toFixed(4), "25.4003");
  assert.equal(of(CANDIDATE.replace("심해질", "심해 질"), REFERENCE).score.toFixed(2), "22.89");
});

test("its matching 2-grams stand at 1-2, 6-7, 7-8, 8-9, 13-14, 3-grams at 6-8 and 7-9, the 4-gram at 6-9", () => {
  const [c, r] = [CANDIDATE, REFERENCE].map((text) => view.tokens(text, "none"));
  const places = (n) => view.spoken(view.matches(c, r, n).filter(({ counts }) => counts).flatMap(({ here }) => here), n);
  assert.deepEqual([2, 3, 4].map(places), ["1–2, 6–7, 7–8, 8–9, 13–14", "6–8, 7–9", "6–9"]);
});

test("seven times 'the' count twice where the reference has two", () => {
  const [c, r] = [Array(7).fill("the"), "the cat is on the mat".split(" ")], list = view.matches(c, r, 1);
  assert.deepEqual(list, [{ text: "the", here: [0, 1, 2, 3, 4, 5, 6], there: [0, 4], counts: 2 }]);
  assert.deepEqual(view.fates(view.ngrams(c, 1), list, "here"), ["counts", "counts", ...Array(5).fill("clipped")]);
  assert.deepEqual(view.fates(view.ngrams(r, 1), list, "there"), ["counts", "none", "none", "none", "counts", "none"]);
});

test("12 of 14: 0.857143 as printed, 0.846482 as standard, 23.2217 and 22.9329; 10 of 14 too", () => {
  const shorter = (c, brevity) => of(CANDIDATE.split(" ").slice(0, c).join(" "), REFERENCE, { brevity });
  for (const [c, brevity, factor, score] of [[12, "printed", "0.857143", "23.2217"], [12, "standard", "0.846482", "22.9329"],
    [10, "printed", "0.714286", "23.1906"], [10, "standard", "0.670320", "21.7631"]]) {
    const found = shorter(c, brevity);
    assert.deepEqual([found.factor.toFixed(6), found.score.toFixed(4)], [factor, score]);
  }
});

test("a hypothesis that is long enough is not shortened, an empty one is worth nothing, whichever factor", () => {
  for (const brevity of ["printed", "standard"]) {
    assert.deepEqual([view.brevityFactor(5, 5, brevity), view.brevityFactor(6, 5, brevity), view.brevityFactor(0, 5, brevity), view.brevityFactor(0, 0, brevity)], [1, 1, 0, 1]);
  }
});

test("the waterfall falls from 100 by the root of each precision to their mean, then by brevity to the score", () => {
  const found = of("a b c d e f", "a b c x d e f g", { smooth: "exp" }), falls = view.waterfall(found);
  assert.deepEqual(falls.map(({ kind }) => kind), [...Array(4).fill("precision"), "mean", "brevity", "score"]);
  near(falls.slice(0, 4).map(({ from, to }) => to / from), found.precisions.map((p) => (p / 100) ** 0.25));
  near([falls[0].from, falls[3].to, falls[4].to, falls[5].from, falls[5].to, falls[6].to], [100, found.mean, found.mean, found.mean, found.score, found.score]);
  assert.ok(found.score < found.mean);
});

test("with only the orders that exist, a missing order takes nothing away", () => {
  const found = of("a b", "a b", { effective: true });
  assert.deepEqual([found.order, found.score.toFixed(10)], [2, "100.0000000000"]);   // as sacreBLEU, by logarithms
  assert.deepEqual(view.waterfall(found).slice(2, 4).map(({ by, used }) => [by, used]), [[1, false], [1, false]]);
  assert.equal(of("a b", "a b").score, 0);
});

test("lines wrap at the width, a wider token alone, and a bar has one part for each line it lies in", () => {
  const places = view.laidOut([30, 30, 200, 10], 80, 10);
  assert.deepEqual(places, [{ x: 0, line: 0, wide: 30 }, { x: 40, line: 0, wide: 30 }, { x: 0, line: 1, wide: 200 }, { x: 0, line: 2, wide: 10 }]);
  assert.deepEqual(view.barParts(places, 0, 3), [{ line: 0, left: 0, right: 70 }, { line: 1, left: 0, right: 200 }]);
  assert.deepEqual(view.barParts(places, 3, 1), [{ line: 2, left: 0, right: 10 }]);
});

test("nothing at all gives no n-grams, no score and no exception", () => {
  assert.deepEqual(view.tokens("  \t", "13a"), []);
  assert.deepEqual(view.ngrams([], 2), []);
  assert.deepEqual(view.ngrams(["a"], 2), []);
  assert.equal(view.bleu(view.statistics([], [])).score, 0);
});

test("13a keeps numbers whole, parts punctuation and undoes &amp; and its like once", () => {
  assert.deepEqual(view.tokens("It's 3.5 km, (roughly)."), ["It's", "3.5", "km", ",", "(", "roughly", ")", "."]);
  assert.deepEqual(view.tokens("&amp;lt; 5-6 co-op"), ["<", "5", "-", "6", "co-op"]);
});

test("the corner tells a typed pair from the one that opened and from an example", () => {
  const meta = { title: "T", shows: "trained", opened: ["a", "b"], examples: [{ name: "E", hypothesis: "c", reference: "b", shows: "made up" }, { name: "F", hypothesis: "d", reference: "b" }] };
  assert.deepEqual(view.calledBy(meta, "a", "b"), { title: "T", shows: "trained" });
  assert.deepEqual(view.calledBy(meta, "c", "b"), { title: "E", shows: "made up" });
  assert.deepEqual(view.calledBy(meta, "d", "b"), { title: "F", shows: "trained" });
  assert.equal(view.calledBy(meta, "x", "b").shows, "typed here");
});
