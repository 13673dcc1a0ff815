// What every view's script keeps to: node --test tests/
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

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
const HOOKS = ["constructor", "load", "answered", "dressed", "left", "wear", "paint"];   // these are for the view to define
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

for (const name of readdirSync(viz).filter((file) => file.endsWith(".js"))) {
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

  test(`${name} hides nothing of Stage's own in its views`, () => {
    for (const body of classesOf(readFileSync(new URL(name, viz), "utf8"))) {
      if (/^\w+ extends Stage /.test(body)) assert.deepEqual(hidden(body), []);
    }
  });
}

const { initialize, withPictures } = await import("../viz/canvas.js");
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
