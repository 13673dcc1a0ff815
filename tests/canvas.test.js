// What every view's script keeps to: node --test tests/
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { MONO, SANS, pushedApart, tally } from "../viz/canvas.js";

const viz = new URL("../viz/", import.meta.url);

const methodsOf = (body) => [...body.matchAll(/^ {2}((?:[gs]et )?\w+)\(.*\) \{/gm)].map(([, method]) => method);

/** What a class gives its instances: methods, getters, setters, and every field that it sets. */
const namesOf = (body) => new Set([
  ...methodsOf(body).map((method) => method.replace(/^[gs]et /, "")),
  ...[...body.matchAll(/\bthis\.(\w+)(?: = |, .*?\] = )/g)].map(([, field]) => field),
  ...[...body.matchAll(/^ {2}(?:static )?(\w+)(?: = .*)?;/gm)].map(([, field]) => field),
]);

const classesOf = (source) => source.split(/^(?:export )?class /m).slice(1).map((body) => body.split(/^}/m)[0]);
const stage = namesOf(classesOf(readFileSync(new URL("canvas.js", viz), "utf8")).find((body) => body.startsWith("Stage ")));

/** Stage's names that a view takes for something else; a method that calls Stage's own goes on with it. */
const HOOKS = ["constructor", "load", "answered", "dressed", "left", "wear", "paint", "atPointer"];   // these are for the view to define
const hidden = (body) => [...namesOf(body)].filter((name) => stage.has(name) && !HOOKS.includes(name) && !body.includes(`super.${name}(`));

test("the names that a view must leave to Stage are found, and a view that takes one is caught", () => {
  for (const name of ["frame", "look", "colours", "root", "stale", "connected", "get", "tell", "schedule"]) assert.ok(stage.has(name), name);
  const view = (text) => `View extends Stage {\n${text}\n}`;
  assert.deepEqual(hidden(view("  get frame() { return 1; }")), ["frame"]);
  assert.deepEqual(hidden(view("  look(at) {\n    return at;\n  }")), ["look"]);
  assert.deepEqual(hidden(view("  wear() {\n    this.own = this.root = 1;\n  }")), ["root"]);
  assert.deepEqual(hidden(view("  dark = true;")), ["dark"]);
  assert.deepEqual(hidden(view("  wear() {\n    if (this.frame === 1 || this.look.ink) this.shown = this.frame;\n  }")), []);
  assert.deepEqual(hidden(view("  changed(name) {\n    super.changed(name);\n  }")), []);
});

for (const name of readdirSync(viz, { recursive: true }).filter((file) => file.endsWith(".js"))) {
  test(`${name} writes no markup, sets no globals and names no address`, () => {
    const source = readFileSync(new URL(name, viz), "utf8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/);
    assert.doesNotMatch(source, /https?:|globalThis\.|window\.[a-zA-Z]+ ?=[^=]/);
  });

  test(`${name} defines no method twice in a class: the second would silently take the first one's place`, () => {
    for (const body of classesOf(readFileSync(new URL(name, viz), "utf8"))) {
      const methods = methodsOf(body);
      assert.deepEqual(methods.filter((method, i) => methods.indexOf(method) < i), []);
    }
  });

  test(`${name} has no line above 140 columns and no class above 400 lines`, () => {
    const source = readFileSync(new URL(name, viz), "utf8");
    assert.deepEqual(source.split("\n").filter((line) => line.length > 140), []);
    assert.deepEqual(classesOf(source).filter((body) => body.split("\n").length > 400).map((body) => body.split(" ")[0]), []);
  });

  test(`${name} leaves its frame, its tabs and its players to Stage`, () => {
    const source = readFileSync(new URL(name, viz), "utf8");
    const own = /"view-(top|badge|live|tabs?)"|setInterval\(.*PACE|prefers-reduced-motion/;
    if (name !== "canvas.js") assert.doesNotMatch(source, own);
  });

  test(`${name} hides nothing of Stage's own in its views`, () => {
    for (const body of classesOf(readFileSync(new URL(name, viz), "utf8"))) {
      if (/^\w+ extends Stage /.test(body)) assert.deepEqual(hidden(body), []);
    }
  });
}

test("names at the ends of curves are pushed apart and stay inside", () => {
  const places = pushedApart([100, 101, 100, 20], 13, 8, 110);
  assert.ok(places.every((place) => place >= 8 && place <= 110));
  const sorted = [...places].sort((a, b) => a - b);
  sorted.slice(1).forEach((place, i) => assert.ok(place - sorted[i] >= 13 - 1e-9));
  assert.equal(places[3], 20);
});

const { Stage, initialize, withPictures } = await import("../viz/canvas.js");
const VIEW = "application/vnd.jupyter.widget-view+json";
const cellOf = (...bundles) => ({ cell_type: "code", outputs: bundles.map((data) => ({ output_type: "display_data", data })) });

test("a notebook is saved with a picture in the place of a view that has one, and is else left as it is", () => {
  const view = { [VIEW]: { model_id: "one" }, "text/markdown": "<img>", "text/plain": "said" }, slider = { [VIEW]: { model_id: "two" } };
  const stream = { cell_type: "code", outputs: [{ output_type: "stream", text: "printed" }] };
  const notebook = { metadata: {}, cells: [{ cell_type: "markdown" }, cellOf(view, slider), stream] }, before = structuredClone(notebook);
  const saved = withPictures(notebook);
  assert.deepEqual(notebook, before);   // what is open goes on moving
  assert.deepEqual(saved.cells, [{ cell_type: "markdown" }, cellOf({ "text/markdown": "<img>", "text/plain": "said" }, slider), stream]);
  const state = { "application/vnd.jupyter.widget-state+json": { state: { one: {} } } };
  assert.deepEqual(withPictures({ ...notebook, metadata: { widgets: state } }).cells, notebook.cells);   // a reader saves it whole
});

test("a notebook's way of saving is changed once, however many views it has, and where there is none nothing is asked", () => {
  let written = 0;
  const notebook = { toJSON: () => { written += 1; return { cells: [cellOf({ [VIEW]: {}, "text/markdown": "<img>" })] }; } };
  for (let views = 0; views < 3; views++) initialize({ model: { widget_manager: { context: { model: notebook } } } });
  assert.deepEqual(notebook.toJSON().cells, [cellOf({ "text/markdown": "<img>" })]);
  assert.equal(written, 1);
  for (const model of [{}, { widget_manager: {} }, { widget_manager: { context: { model: null } } }]) initialize({ model });
});

/** A view that plays places 0 to 3, for a reader who wants less motion or does not mind. */
function player(calm, at = 0) {
  globalThis.window = { matchMedia: () => ({ matches: calm }) };
  const shown = [];
  const go = (place) => { shown.push(place); view.at = place; };
  const view = Object.assign(Object.create(Stage.prototype), { at, last: 3, root: { isConnected: true }, schedule() {}, go });
  return { view, shown };
}

test("who asked for less motion sees the other end at once, and nothing runs on", () => {
  for (const [at, end] of [[0, 3], [2, 3], [3, 0]]) {
    const { view, shown } = player(true, at);
    view.play(1);
    assert.deepEqual([shown, view.pulse], [[end], undefined]);
  }
});

test("what plays goes from place to place to the end, and begins anew there", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { view, shown } = player(false, 3);
  view.play(10);
  t.mock.timers.tick(35);
  assert.deepEqual([shown, Boolean(view.pulse)], [[0, 1, 2, 3], true]);
  t.mock.timers.tick(10);
  assert.deepEqual([shown.length, view.pulse], [4, 0]);
});

test("what plays rests when it is pressed again", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { view, shown } = player(false);
  view.play(10);
  t.mock.timers.tick(10);
  view.play(10);
  t.mock.timers.tick(50);
  assert.deepEqual([shown, view.pulse], [[1], 0]);
});

test("what plays round and round goes on at the beginning", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { view, shown } = player(false, 1);
  view.play(10, true);
  t.mock.timers.tick(45);
  view.rest();
  assert.deepEqual(shown, [2, 3, 0, 1]);
});

test("a canvas writes in the faces of the style sheet, which name those that have Korean and emoji", () => {
  const sheet = readFileSync(new URL("canvas.css", viz), "utf8"), [words] = /(?<=--view-words: ).*(?=;)/.exec(sheet);
  for (const [name, stack] of Object.entries({ mono: MONO, sans: SANS })) {
    const [faces] = new RegExp(`(?<=--view-${name}: ).*(?=;)`).exec(sheet);
    assert.equal(stack.replaceAll("'", '"'), faces.replace("var(--view-words)", words));
  }
});

test("a term is explained where it stands as a word, in the singular or the plural, and nowhere else", async () => {
  const { TERMS, termsIn } = await import("../viz/canvas.js");
  const names = (text) => termsIn(text).map(([term]) => term);
  assert.deepEqual(names("Entropy in nats, of all heads"), ["entropy", "head", "nats"]);
  assert.deepEqual(names("log-probabilities, int8; special tokens").sort(), ["int8", "log-probability", "special token"]);
  assert.deepEqual(names("log-probabilitiness; the overhead of headlines; d_kind; bleu"), []);
  assert.deepEqual(names("sub-layers"), ["sub-layer"]);
  for (const meaning of Object.values(TERMS)) assert.match(meaning, /^[^A-Z.]|^[A-Z]+ |^[A-Z][a-z-]+: /);
});

test("of a canvas' label help has what the hand does, not what the picture is", async () => {
  const { gesturesIn } = await import("../viz/canvas.js");
  assert.equal(gesturesIn("Every head; arrow keys choose one"), "arrow keys choose one");
  assert.equal(gesturesIn("Figure 1: arrow keys walk"), "arrow keys walk");
  assert.equal(gesturesIn("A map: rows are queries. Arrows: to a row; Enter keeps it."), "Arrows: to a row; Enter keeps it");
  assert.equal(gesturesIn("A map: rows are queries."), "");
});

test("predictions are counted, and a question that was passed over counts for nothing", () => {
  assert.equal(tally([]), "");
  assert.equal(tally([["a", -1, false]]), "");
  assert.equal(tally([["a", 0, true], ["b", -1, false], ["c", 5, false], ["d", 1, true]]), "2 of 3 right");
});
