// What an address may open: known names, kinds, ranges and lengths, nothing else. node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { Place, modelOf, nameOf } from "../viz/page.js";
import { LONGEST, addressOf, askedIn, check, fits } from "../viz/page/address.js";

const KIND = { is: "one", among: "kinds.name", values: [] }, LAYER = { is: "int", min: 0, below: "kinds.n_layers" };
const TAKES = { kind: KIND, layer: LAYER, sqrt: { is: "bool" }, share: { is: "float", min: 0, max: 1 },
  pin: { is: "list", of: { is: "row", of: [{ is: "one", values: ["query", "key"] }, { is: "int", min: 0, max: 511 }] }, most: 3 },
  cell: { is: "row", of: [KIND, LAYER], or_none: true }, off: { is: "list", of: LAYER, most: 9, asks: true } };
const META = { kinds: [{ name: "encoder", n_layers: 6 }, { name: "cross", n_layers: 4 }] };

test("an address says again what it was made of, whatever the sentence holds", () => {
  const state = { layer: 4, pin: [["query", 2]], kind: "cross" };
  for (const sentence of [null, "", "a & b = c # \"d\" é 안녕 🙂 +", "<img src=x onerror=alert(1)>"]) {
    const asked = askedIn(addressOf("AttentionView-2", sentence, state));
    assert.deepEqual([asked.view, asked.sentence, Object.fromEntries(asked.state)], ["AttentionView-2", sentence, state]);
  }
});

test("an anchor of a heading is no address of a view", () => {
  for (const hash of ["", "#", "#Its-part", "#layer=3", "#viewing=1"]) assert.equal(askedIn(hash), null);
});

test("what is cut, too long or said twice is refused", () => {
  assert.throws(() => askedIn("#view=A&layer=[1"), /layer is \[1, which is cut or no value/);
  assert.throws(() => askedIn("#view=A&layer=NaN"), /no value/);
  assert.throws(() => askedIn("#view=A&layer=alert(1)"), /no value/);
  assert.throws(() => askedIn("#view=A&layer=1&layer=2"), /says layer twice/);
  assert.throws(() => askedIn("#view=A&view=B"), /says view twice/);
  assert.throws(() => askedIn(`#view=A&x=${"1".repeat(LONGEST)}`), /more than the 6000/);
});

const known = { ...META };

test("a trait takes what its kind, its range and what is shown allow", () => {
  const good = { kind: ["encoder", "cross"], layer: [0, 5], sqrt: [true, false], share: [0, 0.5, 1], pin: [[], [["key", 511]]],
    cell: [[], ["cross", 0]] };
  const bad = { kind: ["decoder", "", 0, null, ["cross"], "__proto__"], layer: [-1, 6, 1.5, "1", null, 1e300, [1]], sqrt: [0, "true", null],
    share: [-0.1, 1.1, "0.5", null], pin: [[["value", 1]], [["query", -1]], [["query", 512]], [["query"]], [["query", 1, 2]], "query",
      { 0: 1, length: 1 }, [["key", 1], ["key", 2], ["key", 3], ["key", 4]]], cell: [["cross"], ["cross", 9], [null, 0], {}] };
  for (const [name, values] of Object.entries(good)) for (const value of values) assert.ok(fits(value, TAKES[name], known), `${name} ${value}`);
  for (const [name, values] of Object.entries(bad)) {
    for (const value of values) assert.ok(!fits(value, TAKES[name], known), `${name} ${JSON.stringify(value)}`);
  }
});

test("before the view is known only what needs no knowing is held against", () => {
  assert.ok(fits(99, LAYER) && fits("other", KIND) && !fits(-1, LAYER) && !fits(null, KIND));
});

test("lists are as long as what they are about, dicts as they were", () => {
  const cells = { is: "list", of: { is: "int", min: 0, max: 1 }, long: ["queries", "keys"] }, board = { queries: ["a", "b"], keys: ["x"] };
  assert.ok(fits([1, 0], cells, board) && !fits([1], cells, board) && !fits([1, 2], cells, board));
  const now = { X: [[1, 2], [3, 4]] }, like = { is: "like" };
  assert.ok(fits({ X: [[0, -1], [9, 0.5]] }, like, board, now));
  for (const value of [{ X: [[1, 2]] }, { Y: [[1, 2], [3, 4]] }, { X: [[1, 2], [3, "4"]] }, { X: [[1, 2], [3, null]] }, [], null, { ...now, Y: 1 }]) {
    assert.ok(!fits(value, like, board, now), JSON.stringify(value));
  }
  const named = { is: "map", of: { is: "float" }, most: 2 };
  assert.ok(fits({ "Q.0:1:0": 2.5 }, named) && !fits({ a: "1" }, named) && !fits({ a: 1, b: 2, c: 3 }, named) && !fits([1], named));
  const learned = { is: "one", values: ["learned"], where: "learned" };
  assert.ok(fits("learned", learned, { learned: { rows: 1 } }) && fits("learned", learned) && !fits("learned", learned, { learned: null }));
  const even = { is: "int", min: 2, max: 512, step: 2 };
  assert.ok(fits(64, even) && !fits(63, even));
});

test("of several forms one may do, and a text has letters", () => {
  const word = { is: "text", least: 1, most: 5 }, place = { is: "int", min: 0, below: "words" }, board = { words: ["a", "b"] };
  const change = { is: "any", of: [{ is: "row", of: [{ is: "one", values: ["replace"] }, place, word] },
    { is: "row", of: [{ is: "one", values: ["mask"] }, place] }] };
  for (const value of [["replace", 1, "c"], ["mask", 0]]) assert.ok(fits(value, change, board), JSON.stringify(value));
  for (const value of [["replace", 1, " "], ["replace", 1], ["replace", 1, "longer"], ["mask", 2], ["drop", 0], [], "mask"]) {
    assert.ok(!fits(value, change, board), JSON.stringify(value));
  }
});

test("names that no trait has are refused, those that every object has too", () => {
  for (const name of ["data", "meta", "__proto__", "constructor", "toString", "hasOwnProperty"]) {
    assert.throws(() => check(name, 1, TAKES), new RegExp(`this view has no ${name} that can be set`));
  }
  assert.ok(!fits(1, { is: "constructor" }) && !fits(1, {}) && !fits(1, undefined));
});

test("what is refused is told shortly", () => {
  assert.throws(() => check("kind", "x".repeat(1000), TAKES, known), ({ message }) => message.length < 100);
});

test("views of a kind are told apart by their number", () => {
  const models = ["A", "B", "A", "A"].map((script) => ({ script }));
  assert.deepEqual(models.map((_, n) => nameOf(models, n)), ["A", "B", "A-2", "A-3"]);
});

// ------------------------------------------------------------------------------------------------ a view's place

const FIRST = { kind: "cross", layer: 1, sqrt: false, share: 1, pin: [], cell: [], off: [], meta: META };

/** An explorer over a pretended model: sentences of more than 20 letters are refused. */
class Pretended {
  constructor(view) { Object.assign(this, { view, known: { text: "first", told: "" }, text: "first", anew: {}, line: "", working: null }); }
  get reads() { return true; }
  get sentence() { return this.text; }
  get rewrites() { return false; }
  get kept() { const { working, line, ...others } = this; return others; }
  toldNow() { return "told"; }
  say(line) { this.line = line; }
  async answer(text) {
    if (text.length > 20) { this.say("too long"); return false; }
    this.text = text;
    this.anew = { pin: [], meta: { kinds: [{ name: "cross", n_layers: 2 }] } };
    for (const [name, value] of Object.entries(this.anew)) this.view.set(name, value);
    return true;
  }
}

function place({ answered = true } = {}) {
  const model = modelOf({ ...FIRST }), explorer = answered ? new Pretended(model) : null;
  return { model, explorer, here: new Place("View", model, explorer, TAKES) };
}
const open = (here, hash, shown = async () => {}) => here.open(askedIn(hash), shown);

test("a view's address opens the same view elsewhere, with its sentence", async () => {
  const one = place(), other = place();
  assert.equal(one.here.address, "#view=View");
  one.model.set("pin", [["key", 1]]);
  await one.explorer.answer("second");
  assert.deepEqual(askedIn(one.here.address).state, new Map());   // the pins went with the sentence
  for (const [name, value] of Object.entries({ layer: 0, pin: [["query", 2]], off: [1] })) one.model.set(name, value);
  await open(other.here, one.here.address);
  assert.deepEqual(other.model.all(), one.model.all());
  assert.equal(other.explorer.text, "second");
});

test("a sentence that was typed can be taken back, and reset brings back the first, as it was stored; that can be taken back too", async () => {
  const { model, explorer, here } = place(), typed = [];
  model.on("change:typed", () => typed.push(model.get("typed")));
  assert.ok(!here.moved);
  for (const text of ["second", "x".repeat(21), "third"]) await here.type(text);
  assert.deepEqual([explorer.text, here.moved, typed], ["third", true, [1, 2]]);   // what was refused is no step
  await here.untype();
  assert.deepEqual([explorer.text, typed.at(-1)], ["second", 1]);
  model.set("layer", 0);
  here.startAgain();
  const { typed: steps, ...now } = model.all();
  assert.deepEqual([explorer.text, here.moved, now], ["first", false, FIRST]);
  await here.untype();
  assert.deepEqual([explorer.text, here.moved], ["second", true]);
  await here.untype();
  assert.deepEqual([explorer.text, here.moved, typed.at(-1)], ["first", false, 0]);
});

test("what is refused leaves the view as it was stored, also what is wrong for this sentence alone", async () => {
  for (const hash of ["#view=View&layer=99", "#view=View&data=[]", "#view=View&sqrt=true&kind=%22decoder%22",
    "#view=View&sentence=second&sqrt=true&layer=4"]) {
    const { model, explorer, here } = place();
    await assert.rejects(open(here, hash), /cannot be|has no/);
    assert.deepEqual(model.all(), FIRST);
    assert.equal(explorer.text, "first");
  }
});

test("a sentence that the model refuses leaves its own line", async () => {
  const { model, explorer, here } = place();
  await open(here, `#view=View&sentence=${"x".repeat(30)}&layer=0`);
  assert.deepEqual([explorer.line, model.get("layer")], ["too long", 1]);
});

test("a view without a model takes neither a sentence nor what only a model answers", async () => {
  const { model, here } = place({ answered: false });
  await assert.rejects(open(here, "#view=View&sentence=x"), /takes no sentence/);
  await assert.rejects(open(here, "#view=View&off=[1]"), /no off that can be set/);
  await open(here, "#view=View&layer=3");
  assert.equal(model.get("layer"), 3);
});

test("a view that cannot paint a state is as it was stored", async () => {
  const { model, here } = place({ answered: false });
  await assert.rejects(open(here, "#view=View&layer=3", async () => { throw new Error("the view cannot show it."); }), /cannot show/);
  assert.deepEqual(model.all(), FIRST);
});

test("another address begins from what was stored", async () => {
  const { model, explorer, here } = place();
  await open(here, "#view=View&sentence=second&layer=0&sqrt=true");
  await open(here, "#view=View&share=0.5");
  assert.deepEqual([model.all(), explorer.text], [{ ...FIRST, share: 0.5 }, "first"]);
});
