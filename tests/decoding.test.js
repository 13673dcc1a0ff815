// The pure parts of the beam view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("decoding/beam.js");
const { LIVE, FINISHED, NO_SLOT, BELOW } = view;
const near = (got, wanted) => assert.ok(Math.abs(got - wanted) < 1e-9, `${got} is not ${wanted}`);

// Width 2, limit 6. Step 2: "a" ends at −3.2, "b" lives at −2; step 3: "b c" lives, and one slot is kept.
const TREE = {
  width: 2, limit: 6,
  steps: [
    { parent: [0, 0, 0], token: [10, 11, 12], log_prob: [-1, -1.5, -4], fate: [LIVE, LIVE, BELOW] },
    { parent: [1, 0, 0, 1], token: [13, 2, 14, 15], log_prob: [-2, -3.2, -3.5, -6], fate: [LIVE, FINISHED, BELOW, BELOW] },
    { parent: [0, 0, 0], token: [12, 2, 13], log_prob: [-2.2, -7, -8], fate: [LIVE, NO_SLOT, BELOW] },
    { parent: [0, 0], token: [2, 12], log_prob: [-4, -9], fate: [FINISHED, NO_SLOT] },
  ],
};

test("the penalty is ((5 + n) / 6)^α", () => {
  near(view.penalty(1, 0.6), 1);
  near(view.penalty(7, 1), 2);
  near(view.penalty(19, 0.5), 2);
});

test("finished hypotheses are ranked by score, and α can turn the order", () => {
  const order = (alpha) => view.ranking(TREE, alpha, 4).map(({ step, rank }) => `${step}:${rank}`);
  assert.deepEqual(order(0), ["2:1", "4:0"]);
  assert.deepEqual(order(2), ["4:0", "2:1"]);
  assert.deepEqual(view.ranking(TREE, 0, 1), []);
  near(view.ranking(TREE, 1, 2)[0].score, -3.2 / (7 / 6));
});

test("the search goes on while the best live one could still win at the limit, so a larger α stops no sooner", () => {
  const at = (alpha) => view.outcome(TREE, alpha);
  assert.equal(at(0).n, 4);
  assert.equal(at(0).why, "none");
  assert.deepEqual([at(0).result.step, at(2).result.step], [2, 4]);
  const unlikely = structuredClone(TREE);
  unlikely.steps[2].log_prob[0] = -5;
  assert.equal(view.outcome(unlikely, 0).why, "cannot");
  assert.deepEqual([0, 0.5, 1, 2].map((alpha) => view.outcome(unlikely, alpha).n), [3, 3, 4, 4]);   // 5 / 3.2 = (11 / 7)^0.987
});

test("where none finishes, the best live one is cut off at the limit", () => {
  const tree = { width: 1, limit: 2, steps: [{ parent: [0], token: [7], log_prob: [-1], fate: [LIVE] }, { parent: [0], token: [8], log_prob: [-3], fate: [LIVE] }] };
  const { n, why, result, ranking } = view.outcome(tree, 1);
  assert.deepEqual([n, why, ranking.length, result.cut, result.log_prob], [2, "limit", 0, true, -3]);
});

test("a search recorded for too small an α says so", () => {
  assert.throws(() => view.outcome({ ...TREE, steps: TREE.steps.slice(0, 3) }, 0), /larger than/);
});

test("a line leads from the first step to a candidate, and its tokens with it", () => {
  assert.deepEqual(view.line(TREE, 4, 0), [1, 0, 0, 0]);
  assert.deepEqual(view.idsOf(TREE, 4, 0), [11, 13, 12, 2]);
  assert.deepEqual(view.idsOf(TREE, 2, 1), [10, 2]);
});

test("tokens are followed to where the beam pruned them", () => {
  assert.deepEqual(view.follow(TREE, [11, 13, 12, 2]), [1, 0, 0, 0]);
  assert.deepEqual(view.follow(TREE, [10, 14, 99]), [0, 2]);
  assert.deepEqual(view.follow(TREE, [11, 2]), [1]);   // 2 came after 10, not after 11
});

test("a finished hypothesis keeps its slot", () => {
  assert.deepEqual([1, 2, 3, 4, 5].map((step) => view.slots(TREE, step)), [2, 2, 1, 1, 0]);
});

test("every fate is told in its own words", () => {
  const run = view.outcome(TREE, 0), told = (step, rank) => view.why(TREE, step, rank, run);
  assert.equal(told(2, 1), "finished at rank 2: it keeps its slot, 1 of 2 remain");
  assert.equal(told(3, 1), "pruned at rank 2: finished hypotheses keep 1 of the 2 slots");
  assert.match(told(1, 2), /^pruned at rank 3, below the beam of 2: −4\.00, and the last one in it has −1\.50$/);
  assert.equal(told(1, 1), "kept at rank 2 of 2, and prolonged");
  const early = { ...run, n: 3, why: "cannot", bound: -5, best: -3.2 };
  assert.match(view.why(TREE, 3, 0, early), /alive at rank 1 when the search stopped.*−5\.00 at most, and −3\.20 is there/);
  assert.match(view.why(TREE, 3, 0, { ...early, why: "limit" }), /cut off at rank 1: 6 tokens/);
  const dies = structuredClone(TREE);
  dies.steps[1].fate = [LIVE, BELOW, BELOW, BELOW];
  assert.match(view.why(dies, 1, 0, { ...run, n: 4 }), /kept at rank 1 of 2, pruned in step 2: of its continuations the best one came on rank 2/);
});

test("less of the tree can be shown: the beam alone, or the paths of finished ones", () => {
  assert.equal(view.shown(TREE, 4, "all").size, 12);
  assert.deepEqual([...view.shown(TREE, 2, "beam")], ["1:0", "1:1", "2:0", "2:1"]);
  assert.deepEqual([...view.shown(TREE, 2, "finished")], ["1:0", "2:1"]);
});

test("arrow keys lead to the parent, to the best continuation that is drawn, and through the step", () => {
  const all = view.shown(TREE, 4, "all"), beam = view.shown(TREE, 4, "beam");
  assert.deepEqual(view.walk(TREE, [2, 0], "ArrowLeft", all), [1, 1]);
  assert.equal(view.walk(TREE, [1, 0], "ArrowLeft", all), null);
  assert.deepEqual(view.walk(TREE, [1, 0], "ArrowRight", all), [2, 1]);
  assert.deepEqual(view.walk(TREE, [2, 1], "ArrowRight", all), [3, 1]);   // it ended: to the nearest rank
  assert.equal(view.walk(TREE, [4, 0], "ArrowRight", all), null);
  assert.deepEqual(view.walk(TREE, [2, 1], "ArrowDown", all), [2, 2]);
  assert.equal(view.walk(TREE, [2, 1], "ArrowDown", beam), null);
  assert.deepEqual(view.walk(TREE, [2, 1], "ArrowUp", beam), [2, 0]);
});

test("how far behind the best: 0 for the best, nothing where it has not finished", () => {
  const curves = view.behind(TREE, 2, 3);
  assert.deepEqual([...curves.keys()].sort(), ["2:1", "4:0"]);
  near(curves.get("2:1")[0], 0);
  near(curves.get("4:0")[0], 4 / 3.2 - 1);
  near(curves.get("4:0")[2], 0);
});

test("the scale of how far behind reaches beyond the second best, not to the last, and to 5 % at least", () => {
  near(view.farthest(new Map([["a", [0, 0]], ["b", [0.9, 0.6]], ["c", [3, 2]]]), 2), 1.33 * 0.9);
  near(view.farthest(new Map([["a", [0, 0]], ["b", [null, 0.1]]]), 2), 0.1);   // all are seen
  near(view.farthest(new Map([["a", [0, 0]], ["b", [0.01, 0.02]]]), 2), 0.05);
  near(view.farthest(new Map(), 2), 0.05);
});

test("numbers at the ends of curves stand in the curves' order, a line apart, and within the plot", () => {
  const curves = new Map([["5:0", [0, 0]], ["5:1", [0.5, 0.501]], ["6:0", [0.6, 0.5]], ["6:1", [null, 3]]]);
  const list = [...curves.keys()].map((name) => { const [step, rank] = name.split(":").map(Number); return { step, rank }; });
  const marks = view.endMarks(list, curves, (share) => 10 + 100 * share, { top: 10, high: 100 });
  assert.deepEqual(marks.map(([place]) => place), [1, 2, 3]);
  const [first, second, third] = marks.map(([, height]) => height);
  assert.equal(first, 10);
  assert.ok(second - third >= 15 && second <= 110);
});

test("nodes lie in a column a step and a row a rank, and a point finds them", () => {
  const place = view.spread(1160, 10, 7), [x, y] = [place.left + 3.5 * place.wide, place.top + 2.5 * place.tall];
  assert.deepEqual(view.nodeAt(place, x, y), [4, 2]);
  assert.equal(view.nodeAt(place, place.left - 1, y), null);
  assert.equal(view.nodeAt(place, x, place.top + 7 * place.tall + 1), null);
  assert.ok(view.spread(1160, 60, 7).wide >= 92);   // a long search scrolls and stays legible
  assert.ok(view.spread(1160, 60, 7, 16).wide - 31 >= 16 * 7.9);   // and so does a long piece
});

const ASKED = { width: 3, steps: [
  { parent: [0, 0, 0, 0], token: [4, 5, 6, 7], log_prob: [-1, -2, -3, -4], fate: [LIVE, LIVE, LIVE, BELOW] },
  { parent: [1, 1, 2, 0], token: [4, 5, 6, 7], log_prob: [-2, -3, -4, -5], fate: [LIVE, LIVE, FINISHED, BELOW] },
  { parent: [0, 1], token: [4, 5], log_prob: [-3, -4], fate: [LIVE, LIVE] }] };

test("a hypothesis goes on if a continuation of it is kept, and some go on that lay behind", () => {
  const { alive, kept, dropped, leads } = view.fates(ASKED, 1);
  assert.deepEqual([alive, kept, dropped, leads], [[0, 1, 2], [1, 2], [0], 1]);
  assert.match(view.misread(view.fates(ASKED, 1), 0), /no promise/);
  assert.equal(view.misread(view.fates(ASKED, 1), 1), "");
});

test("a question is asked only where no more than half go on, and before the last step", () => {
  assert.equal(view.isAsked(view.fates(ASKED, 1)), false);
  assert.equal(view.stepToAsk(ASKED, 1, 3), 0);
  const half = { ...ASKED, steps: [ASKED.steps[0], { ...ASKED.steps[1], fate: [LIVE, LIVE, BELOW, BELOW] }, ASKED.steps[2]] };
  assert.equal(view.stepToAsk(half, 1, 3), 1);
  assert.equal(view.stepToAsk(half, 2, 3), 0);
  assert.equal(view.stepToAsk(half, 1, 1), 0);
  assert.match(view.misread(view.fates(half, 1), 2), /two places/);
});
