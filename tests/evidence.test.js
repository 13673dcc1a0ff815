// The pure parts of the evidence views: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const [answers, pruning, graph, jobs] = await Promise.all(["answers", "pruning", "graph", "jobs"].map((name) => script(`evidence/${name}.js`)));

test("tables are taken from all the numbers, one after another", () => {
  const numbers = Float32Array.from([1, 2, 3, 4, 5, 6]);
  assert.deepEqual(answers.tablesOf(numbers, 3, 2).map((table) => [...table]), [[1, 2], [3, 4], [5, 6]]);
});

test("equal values share the mean of their places", () => {
  assert.deepEqual(answers.ranksOf([3, 1, 3, 2]), [2.5, 0, 2.5, 1]);
});

test("the rank correlation is Spearman's, and none where one side says nothing", () => {
  assert.equal(answers.rankCorrelation([1, 2, 9], [0.1, 0.2, 0.3]), 1);
  assert.equal(answers.rankCorrelation([1, 2, 9], [3, 2, 1]), -1);
  assert.equal(answers.rankCorrelation([1, 2, 3], [1, 3, 2]), 0.5);
  assert.equal(answers.rankCorrelation([1, 2, 3], [4, 4, 4]), null);
});

test("an agreement leaves both ends out, and rows that have none", () => {
  const truth = Float32Array.from([1, 2, 3, 0, 5, 5, 5, 9, 3, 1, 2, 0, 9, 0, 0, 0]);
  const answer = Float32Array.from([1, 2, 4, 9, 1, 2, 3, 9, 9, 3, 2, 0, 0, 1, 2, 3]);
  const { each, mean } = answers.agreementOf(answer, truth, 4, 4);
  assert.deepEqual(each.slice(0, 3), [1, null, 0.5]);
  assert.equal(mean, 0.75);
  assert.equal(answers.agreementOf(answer, new Float32Array(16), 4, 4).mean, null);
});

test("the same word is first in two rows of three", () => {
  const truth = Float32Array.from([1, 2, 3, 9, 5, 4, 3, 9, 3, 1, 2, 0, 9, 0, 0, 0]);
  const answer = Float32Array.from([0, 0, 1, 9, 1, 2, 3, 9, 9, 3, 2, 0, 0, 1, 2, 3]);
  assert.deepEqual(answers.sameFirst(answer, truth, 4, 4), [2, 3]);
});

test("what is first, and what is not counted, is said with how often it is the same", () => {
  assert.equal(answers.sameInWords([10, 14], "</s>", false), "The same word first in 10 of 14 rows, that of </s> not counted.");
  assert.match(answers.sameInWords([10, 14], "</s>", true), /first, the one with the largest number \(green is below 0\), in 10 of 14/);
});

test("colours reach their end at a row's largest, and are two-sided where something is below 0", () => {
  assert.deepEqual(answers.shadesOf([1, 2, 4, 2], 2, true), { isSigned: false, numbers: [128, 255, 255, 128] });
  assert.deepEqual(answers.shadesOf([1, 2, 4, 2], 2, false).numbers, [64, 128, 255, 128]);
  assert.deepEqual(answers.shadesOf([-1, 0.5], 2, true), { isSigned: true, numbers: [18, 183] });
});

test("an agreement is said with what was stored, where there is any", () => {
  assert.equal(answers.agreementInWords(0.5, undefined, 0), "Rank agreement in this sentence 0.500.");
  assert.match(answers.agreementInWords(-0.5, [0.25, 0.125, 0.375], 200), /−0\.500\. Over 200 sentences 0\.250 \(0\.125 to 0\.375\)\.$/);
  assert.equal(answers.agreementInWords(null, undefined, 0), "In this sentence no ranks can be compared.");
});

const points = [{ n: 0, nll: 1 }, { n: 4, nll: 3 }, { n: 6, nll: 9 }];

test("between two points the loss lies on the line that joins them", () => {
  assert.deepEqual([0, 2, 4, 5, 6, 9].map((n) => pruning.lossAt(points, n)), [1, 2, 3, 6, 9, 9]);
});

test("a line that is pointed at is the nearest there, and none where it is far or at its end", () => {
  const orders = [{ points }, { points: [{ n: 0, nll: 1 }, { n: 4, nll: 5 }] }], y = (nll) => 100 - 10 * nll;
  assert.deepEqual([72, 55, 30].map((at) => pruning.lineAt(orders, 4, at, y)), [0, 1, -1]);
  assert.equal(pruning.lineAt(orders, 6, 12, y), 0);   // the other ends before
  assert.equal(pruning.lineAt(orders, 9, 12, y), -1);
});

test("the nearest translation is of this order, or of the whole model, and with no more heads gone", () => {
  const known = [{ order: 0, n: 0, translation: "a" }, { order: 0, n: 6, translation: "b" }, { order: 1, n: 3, translation: "c" }];
  assert.deepEqual([[0, 5], [0, 6], [0, 99], [1, 2], [1, 4]].map(([order, n]) => pruning.nearest(known, order, n).translation),
    ["a", "b", "b", "a", "c"]);
  assert.equal(pruning.nearest([], 0, 3), undefined);
});

test("words that the other sentence lacks are marked", () => {
  assert.deepEqual(pruning.markedWords("der Hund mag die Katze sehr", "der Hund sieht die Katze"),
    [["der", false], ["Hund", false], ["mag", true], ["die", false], ["Katze", false], ["sehr", true]]);
  assert.deepEqual(pruning.markedWords("", "der Hund"), []);
});

test("every head knows when it goes, and of each kind some are left", () => {
  const meta = { kinds: ["encoder", "decoder", "cross"], n_layers: 2, n_heads: 3 };
  const heads = [["cross", 1, 2], ["encoder", 0, 1], ["cross", 0, 0]], turns = pruning.turnsOf(heads, meta);
  assert.deepEqual([turns[17], turns[1], turns[12], turns[0]], [1, 2, 3, 0]);
  assert.deepEqual(pruning.leftOf(heads, 2, meta), [5, 6, 5]);
});

// row 0: nothing; row 1: one cross edge and what leaves it, one decoder edge
const numbers = Float32Array.from([[2, 1, 0, 1, 2, 0.5], [1, 1, 3, 1, 0, 0.25], [0, 1, 4, 2, 0, 0.125], [3, 0, -1, 0, 0, 0.0625]].flat());
const meta = { starts: [0, 0, 4], kinds: ["encoder", "decoder", "cross", "encoder residual", "decoder residual"], n_layers: 2, source: ["a", "b", "c"], inputs: ["<s>", "x"] };

test("edges join nodes one level apart, a cross edge the last layer of the encoder, the widest first", () => {
  assert.deepEqual(graph.edgesOf(numbers, meta, 0, 0), []);
  const edges = graph.edgesOf(numbers, meta, 1, 0);
  assert.deepEqual(edges.map(({ from, to }) => [from, to]), [["decoder 2 1", "encoder 2 2"], ["decoder 2 1", "decoder 1 0"],
    ["encoder 2 2", "encoder 1 0"], ["encoder 1 0", "encoder 0 0"]]);
  assert.deepEqual(edges.map(({ head, amount }) => [head, amount]), [[0, 0.5], [3, 0.25], [4, 0.125], [-1, 0.0625]]);
  assert.deepEqual(edges.map(({ kind }) => kind), ["cross", "decoder", "encoder", "residual"]);
  assert.equal(graph.edgesOf(numbers, meta, 1, 0.2).length, 2);
});

test("a node holds what comes into it, and ways through it lead up and down", () => {
  const edges = graph.edgesOf(numbers, meta, 1, 0), nodes = graph.nodesOf(edges);
  assert.equal(nodes.get("decoder 2 1"), 0);
  assert.equal(nodes.get("encoder 2 2"), 0.5);
  assert.deepEqual([...graph.through(edges, "encoder 1 0")].map(({ to }) => to).sort(), ["encoder 0 0", "encoder 1 0", "encoder 2 2"]);
  assert.equal(graph.through(edges, "decoder 1 0").size, 1);
});

test("a node says of what its numbers are shares, and of the largest share that it is the largest, no more", () => {
  const shown = graph.edgesOf(numbers, meta, 1, 0.1), held = graph.nodesOf(graph.edgesOf(numbers, meta, 1, 0));
  assert.equal(graph.nodeInWords("encoder 2 2", held.get("encoder 2 2"), shown, meta), "c, encoder after layer 1, the last: 0.500 of the "
    + "target word’s whole; the largest share of it is from a, encoder after layer 0: 0.125 of the same whole, by encoder head 4");
  assert.match(graph.nodeInWords("encoder 0 1", undefined, shown, meta), /: nothing of the target word’s whole$/);
});

test("heads are listed by what goes along their edges, and one pressed again is put back", () => {
  const edges = graph.edgesOf(numbers, meta, 1, 0);
  assert.deepEqual(graph.headsOf([...edges, edges[2], edges[2]])[1], [["encoder", 1, 4], 0.375]);
  assert.equal(graph.headsOf(edges).length, 3);   // the residual is no head
  assert.deepEqual(graph.headsOf(edges)[0], [["cross", 1, 0], 0.5]);
  const one = graph.toggled([], ["cross", 1, 0]);
  assert.deepEqual(one, [["cross", 1, 0]]);
  assert.deepEqual(graph.toggled(graph.toggled(one, ["encoder", 0, 2]), ["cross", 1, 0]), [["encoder", 0, 2]]);
});

test("what is lost without heads names them, and says which way", () => {
  assert.equal(graph.lossInWords([["cross", 4, 7]], -0.5), "without cross 4·7 the first translation is 0.500 nats less likely");
  assert.match(graph.lossInWords([["cross", 4, 7], ["encoder", 0, 2]], 0.5), /^without cross 4·7, encoder 0·2 .* more likely$/);
});

test("a node is named by its word and layer, and lies above its embedding", () => {
  assert.equal(graph.nodeName("encoder 0 1", meta), "b, embedding");
  assert.equal(graph.nodeName("decoder 2 1", meta), "x, decoder after layer 1, the last");
  const at = graph.layoutOf(600, 300, meta, { left: 0, below: 34 }), [low, high, other] = ["encoder 0 1", "encoder 2 1", "decoder 0 0"].map(at);
  assert.equal(low[0], high[0]);
  assert.ok(high[1] < low[1] && other[0] > low[0]);
});

test("jobs are found by head, by job, by kind, and by whether a head has them", () => {
  const rows = [["alignment", "cross", 1, 0, 0.7, 0.5, 0.2, 0.1, 0.3, true], ["coreference", "encoder", 1, 0, 0.6, 0.25, 0.35, -0.1, 0.6, false]];
  const counted = (search, kind = "all", sure = false) => jobs.shownRows(rows, { search, kind, sure }).length;
  assert.deepEqual([counted(""), counted(" LAYER 1"), counted("cross, layer 1, head 0: al"), counted("coref"), counted("x")], [2, 2, 1, 1, 0]);
  assert.deepEqual([counted("", "encoder"), counted("", "decoder"), counted("", "all", true)], [1, 0, 1]);
  assert.deepEqual([jobs.share(0, -1, 1), jobs.share(9, -1, 1), jobs.share(-0.5, -1, 1)], [50, 100, 25]);
});
