// What stands behind views in a page, without a model: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { modelOf } from "../viz/page.js";
import { page } from "./script.mjs";

const TOPICS = ["attention.js", "beside.js", "decoding.js", "gate.js", "geometry.js", "masks.js", "model.js", "parsing.js", "positions.js"];
const all = await page("engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js", "answers.js", "explorer.js", ...TOPICS);
const near = (a, b, slack = 1e-6) => Math.abs(a - b) < slack;

test("pieces belong to words, and what ends a sentence or is punctuation stands alone", () => {
  assert.deepEqual(all.wordGroups(["▁Stra", "ßen", "bahn", ".", "</s>"]), [0, 0, 0, 1, 2]);
  assert.deepEqual(all.wordGroups(["▁", "<0xC3>", "<0xA9>", "▁a"]), [0, 0, 0, 1]);
  assert.deepEqual(all.wordGroups(["em", "##bed", "x"]), [0, 0, 1]);
});

test("weights become bytes by their root, and numbers have three digits", () => {
  assert.deepEqual([...all.packed([0, 0.25, 1, 2, -1])], [0, 128, 255, 255, 0]);
  assert.deepEqual([0.12345, 1234.5, 0, 1.25e-9].map(all.threeDigits), ["0.123", "1235", "0", "1.25e-9"]);
  assert.deepEqual([0.5, 0.012345, 0.00001234, 1].map(all.general), ["0.5", "0.0123", "1.23e-05", "1"]);
});

test("a head's facts are those of its rows: one key, all keys alike, the token before", () => {
  const facts = all.headFacts([[1, 0], [1, 0]], ["a", "</s>"], ["a", "</s>"], true, [[0, 2], [0, 2]]);
  assert.deepEqual([facts.entropy, facts.distance, facts.previous, facts.next, facts.sink, facts.role], [0, 0.5, 1, 0, 0, "previous"]);
  assert.equal(facts.confidence, 1);   // of the one query and key that are no end
  const alike = all.headFacts([[0.5, 0.5], [0.5, 0.5]], ["a", "b"], ["x", "y"], false, [[0, 2], [0, 2]]);
  assert.ok(near(alike.entropy, Math.log(2)) && near(alike.spread, 1) && alike.role === "broad" && alike.sink === null);
  assert.deepEqual(all.headFacts([[1]], ["a"], ["a"], true, [[0, 1]]).role, null);
  assert.ok(near(all.uniformFacts([[0, 4], [0, 4], [0, 4], [0, 4]])[1], 1.25));
});

test("the words that changed are found as Python finds them", () => {
  const [before, after] = all.changedWords("Das Tier war zu müde", "Das alte Tier war müde");
  assert.deepEqual(before.filter(([, changed]) => changed), [["zu", true]]);
  assert.deepEqual(after.filter(([, changed]) => changed), [["alte", true]]);
  assert.deepEqual(all.changedWords("", "neu"), [[], [["neu", true]]]);
});

test("a weight is made again from its query and key, and what is masked is 0", () => {
  const { dot, score, scores, softmax, recomputed } = all.arithmetic([1, 2, 0, 1], [[1, 1, 1, 1], [0, 1, 0, 0]], [true, false], 0, 1);
  assert.deepEqual([dot, score, scores, softmax, recomputed], [4, 2, [2, null], [1, 0], 1]);
});

test("a sentence with alternatives becomes several, and one that cannot is refused in a sentence", () => {
  assert.deepEqual(all.alternatives("It was old|young.", 6), [["old", "It was old."], ["young", "It was young."]]);
  assert.deepEqual(all.alternatives(" so  it is", 6), [["", "so it is"]]);
  for (const text of ["a|b c|d", "a| b", "a|b|c"]) assert.throws(() => all.alternatives(text, 2), /2 to 2 alternatives/);
});

test("a typed sentence is cut as the treebank cuts it", () => {
  assert.deepEqual(all.treebankWords("Don't say (again) that it's John's, please."),
    ["Do", "n't", "say", "-LRB-", "again", "-RRB-", "that", "it", "'s", "John", "'s", ",", "please", "."]);
  assert.deepEqual(all.treebankWords("Mr. Smith cannot pay 1,000.50 … “now”"),
    ["Mr.", "Smith", "can", "not", "pay", "1,000.50", "...", "``", "now", "''"]);
  assert.deepEqual(all.treebankWords("the dogs' bowls, 'tis"), ["the", "dogs", "'", "bowls", ",", "'tis"]);
});

test("rows of several pieces are averaged, and columns added", () => {
  const layer = { data: Float32Array.from([0.5, 0.25, 0.25, 0.1, 0.2, 0.7]), shape: [1, 2, 3] };
  const rows = all.overWords([layer], [[0, 1], [1]], [[0], [1, 2]]);
  assert.ok([0.3, 0.7, 0.1, 0.9].every((value, at) => near(value, rows[at])));
});

// ---- an explorer over a door that answers when it is told to

/** A door that keeps its questions; each is answered, or refused, by hand. */
function shutDoor() {
  const questions = [], about = { precision: "int8" };
  const ask = (question, { signal, told }) => new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    questions.push({ question, told, resolve, reject });
  });
  return { about, ask, questions };
}

class Reader extends all.Explorer {
  async read(ask, text) { return { text, src_pieces: ["▁a", "</s>"], said: await ask({ text }) }; }
  contents() { return { shown: this.reading.said, meta: { title: this.text } }; }
  afresh() { return { pin: [] }; }
  told() { return `it says ${this.reading.said}`; }
}

function reader() {
  const view = modelOf({ meta: { version: 0, call: { text: "x = explore()", view: "x.view" } }, shown: "stored", pin: [1] }), door = shutDoor();
  const explorer = new Reader(view, door, { text: "first", told: "stored line", shows: "trained: toy" });
  return { view, explorer, questions: door.questions };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test("a sentence is read, the view follows, and the corner says who answered", async () => {
  const { view, explorer, questions } = reader(), answer = explorer.answer("second"), lines = [];
  explorer.lines.add((line) => lines.push(line));
  await settled();
  questions[0].told({ reading: 0.4 });
  questions[0].told({ text: "zwei", n: 1, limit: 9 });
  questions[0].resolve("ja");
  assert.equal(await answer, true);
  assert.deepEqual(lines, ["reading the weights, once: 40 % (Esc gives up)", "translating, piece 1 of at most 9: zwei … (Esc gives up)",
    "it says ja"]);
  assert.deepEqual([view.get("shown"), view.get("pin")], ["ja", []]);
  assert.deepEqual(view.get("meta"), { version: 1, title: "second", shows: "trained: toy, int8, in this page",
    call: { text: 'x = explore()\nexplorer.text = "second"', view: "x.view" } });
});

test("the next sentence ends the question before, whose answer comes too late", async () => {
  const { view, explorer, questions } = reader(), first = explorer.answer("slow"), second = explorer.answer("quick");
  await settled();
  questions[1].resolve("schnell");
  questions[0].resolve("langsam");
  assert.deepEqual(await Promise.all([first, second]), [null, true]);
  assert.deepEqual([view.get("shown"), explorer.text, explorer.line], ["schnell", "quick", "it says schnell"]);
});

test("a sentence that is given up leaves the view and the line as they were; what was not typed goes on", async () => {
  const { view, explorer, questions } = reader();
  assert.equal(explorer.giveUp(), false);
  const slow = explorer.answer("slow");
  await settled();
  assert.equal(explorer.giveUp(), true);
  assert.deepEqual([view.get("shown"), explorer.text, explorer.line], ["stored", "first", "stored line"]);
  questions[0].resolve("langsam");
  assert.deepEqual([await slow, view.get("shown"), view.get("waits"), explorer.giveUp()], [null, "stored", false, false]);
  const asked = explorer.work((ask) => ask({ kind: "of a head" }, "heads"));
  await settled();
  questions[1].told({ n: 2, limit: 8 });
  assert.deepEqual([explorer.giveUp(), explorer.line], [false, "heads: 2 of 8"]);
  questions[1].resolve("done");
  assert.equal(await asked, true);
});

test("a view waits from the sentence to its answer, also where the one before was given up or the answer is a refusal", async () => {
  const { view, explorer, questions } = reader(), waited = [];
  view.on("change:waits", () => waited.push([view.get("waits"), view.get("shown")]));
  const answers = [explorer.answer("slow"), explorer.answer("quick")];
  await settled();
  questions[1].resolve("schnell");
  await Promise.all(answers);
  const lost = explorer.answer("third");
  await settled();
  questions[2].reject(new Error("model.js is missing."));
  await lost;
  assert.deepEqual(waited, [[true, "stored"], [false, "schnell"], [true, "schnell"], [false, "schnell"]]);
});

test("what is refused leaves the view as it was and is said in the line; the same sentence may be tried again", async () => {
  const { view, explorer, questions } = reader();
  assert.equal(await explorer.answer(" \t"), false);
  assert.equal(explorer.line, "Type a sentence of at least one word.");
  const lost = explorer.answer("second");
  await settled();
  questions[0].reject(new Error("model.js is missing."));
  assert.equal(await lost, false);
  assert.deepEqual([view.get("shown"), view.get("meta").version, explorer.line], ["stored", 0, "model.js is missing."]);
  const again = explorer.answer("second");
  await settled();
  questions[1].resolve("doch");
  assert.ok(await again);
  assert.equal(view.get("shown"), "doch");
});

test("a sentence that stands there already asks nothing", async () => {
  const { explorer, questions } = reader();
  await explorer.answer("first");
  assert.deepEqual([questions.length, explorer.line], [0, "stored line"]);
});

test("what a view asks is answered to it, refused to it, or not known", async () => {
  const { view, explorer } = reader(), heard = [];
  view.on("msg:custom", (message, buffers) => heard.push([message, buffers]));
  explorer.answers = { twice: ({ n }) => [{ n: 2 * n }], never: () => { throw new Error("No."); }, quiet: () => null };
  for (const ask of ["twice", "never", "quiet", "unknown"]) {
    view.send({ ask, n: 4, version: 0 });
    await settled();
  }
  assert.deepEqual(heard, [[{ ask: "twice", n: 8, version: 0, answer: "twice" }, []],
    [{ ask: "never", n: 4, version: 0, error: "No.", answer: "never" }, []]]);
});

test("two distributions keep the likeliest of either, and are apart by half of what they differ", () => {
  const names = (ids) => ids.map((id) => "abcd"[id]), place = all.placeOf([0.5, 0.3, 0.2, 0], [0, 0.1, 0.3, 0.6], 1, names);
  assert.deepEqual([place.words, place.taught, place.alone], [["d", "a"], [0, 0.5], [0.6, 0]]);
  assert.ok(near(place.apart, 0.7) && all.placeOf([0.4, 0.6], [0.4, 0.6], 2, names).apart === 0);
});

test("two lists part where they differ first, also where one is over", () => {
  assert.deepEqual([all.divergence([4, 5], [4, 5]), all.divergence([4, 5], [4, 6]), all.divergence([4], [4, 5])], [null, 1, 1]);
});

test("rows of cross-attention stand place by place, as Python has them", () => {
  const layer = (base) => ({ data: Float32Array.from({ length: 8 }, (_, i) => base + i), shape: [2, 2, 2] });   // (H, T, S)
  assert.deepEqual([...all.byPlace([layer(0), layer(10)], 1)], [0, 1, 4, 5, 10, 11, 14, 15]);
});
