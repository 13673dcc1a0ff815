// A page without a kernel: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";

import { merged, modelOf, narrower, placeIn, revived, tinted, unpacked, worn } from "../viz/page.js";

const LOOK = { ink: "#111111", quiet: "#222222", line: "#333333" };

test("bytes come back as bytes, however deep they lay", () => {
  const { data, deep, name } = revived({ data: { base64: "AQID" }, deep: [{ maps: { base64: "/w==" } }, null], name: "base64" });
  assert.deepEqual([...new Uint8Array(data.buffer)], [1, 2, 3]);
  assert.equal(deep[0].maps.getUint8(0), 255);
  assert.deepEqual([deep[1], name], [null, "base64"]);
});

test("a listener hears of a change once, and of none when the value is the same", () => {
  const model = modelOf({ layer: 1, heads: [0] }), heard = [];
  const listen = () => heard.push(model.get("layer"));
  model.on("change:layer", listen);
  model.set("layer", 2);
  model.set("layer", 2);
  model.set("heads", [0]);
  assert.deepEqual(heard, [2]);
  model.off("change:layer", listen);
  model.set("layer", 3);
  assert.deepEqual([heard, model.get("layer")], [[2], 3]);
});

test("a listener that leaves while all are told does not keep the next from hearing", () => {
  const model = modelOf({ layer: 0 }), heard = [];
  const first = () => { heard.push("first"); model.off("change:layer", first); };
  model.on("change:layer", first);
  model.on("change:layer", () => heard.push("second"));
  model.set("layer", 1);
  assert.deepEqual(heard, ["first", "second"]);
});

test("two views of one model see each other's changes", () => {
  const model = modelOf({ n: 0 }), seen = [];
  for (const view of ["a", "b"]) model.on("change:n", () => seen.push(`${view}${model.get("n")}`));
  model.set("n", 7);
  model.save_changes();
  model.send({ ask: "maps" });
  assert.deepEqual(seen, ["a7", "b7"]);
});

test("what a view asks is heard by whoever answers it, with what is told back", () => {
  const model = modelOf({ data: new DataView(new ArrayBuffer(2)) }), heard = [];
  model.on("asked", ({ ask }) => model.tell("msg:custom", { answer: ask }, [1]));
  model.on("msg:custom", (message, buffers) => heard.push([message, buffers]));
  model.send({ ask: "maps" });
  assert.deepEqual(heard, [[{ answer: "maps" }, [1]]]);
  model.on("change:data", () => heard.push(model.get("data").length));
  model.set("data", Uint8Array.of(1, 2, 3));   // bytes are not compared: they are many
  model.set("data", Uint8Array.of(1, 2, 3));
  assert.deepEqual(heard.slice(1), [3, 3]);
});

test("a library is unpacked to what it was", async () => {
  const text = "const héads = 'ü';".repeat(500);
  assert.equal(await unpacked(gzipSync(text).toString("base64")), text);
});

test("the later of two objects wins, part by part, and neither is changed", () => {
  const one = { a: { x: 1, y: 2 }, b: [1, 2] }, other = { a: { y: 3 }, b: [4], c: undefined };
  assert.deepEqual(merged(one, other), { a: { x: 1, y: 3 }, b: [4], c: undefined });
  assert.deepEqual(one, { a: { x: 1, y: 2 }, b: [1, 2] });
});

test("panels give so much of their width as is wanting, a table none, and none too much", () => {
  const widths = (figure) => figure.hconcat.map(({ width }) => width), figure = { hconcat: [{ width: 660, mark: "text" }, { width: 230 }] };
  assert.deepEqual(widths(narrower(figure, 56)), [660, 172]);
  assert.deepEqual(widths(narrower({ hconcat: [{ width: 205 }, { width: 205 }, { width: 205 }, { width: 205 }] }, 67)), [187, 187, 187, 187]);
  assert.deepEqual(widths(narrower(figure, 100)), [660, 230]);
  assert.deepEqual(narrower({ width: 520 }, 50), { width: 520 });
  assert.deepEqual(widths(figure), [660, 230]);
});

test("a figure takes the page's colours where it has none of its own", () => {
  const layout = worn({ xaxis2: { title: "n" }, font: { size: 12 }, yaxis: { gridcolor: "red" } }, LOOK);
  assert.equal(layout.paper_bgcolor, "rgba(0,0,0,0)");
  assert.deepEqual(layout.font, { color: "#111111", size: 12 });
  assert.deepEqual([layout.xaxis.gridcolor, layout.xaxis2.gridcolor, layout.yaxis.gridcolor], ["#333333", "#333333", "red"]);
  assert.equal(layout.xaxis2.title, "n");
});

test("a chart takes the page's colours where it has none of its own", () => {
  const spec = tinted({ mark: "bar", config: { axis: { gridColor: "red" } } }, LOOK);
  assert.deepEqual([spec.mark, spec.background], ["bar", "transparent"]);
  assert.deepEqual([spec.config.axis.gridColor, spec.config.axis.titleColor], ["red", "#111111"]);
});

test("a reader's place is given back whole, and what is shut, empty, broken or leads elsewhere is none", () => {
  const place = { page: "05_attention_heads.html", title: "05", anchor: "From-one-head-to-all", heading: "From one head to all" };
  const holds = (text) => placeIn(() => ({ getItem: () => text }));
  assert.deepEqual(holds(JSON.stringify(place)), place);
  const others = [null, "", "{", "[]", "null", JSON.stringify({ ...place, heading: 7 }), JSON.stringify({ ...place, page: "//x.org/a.html" }),
    JSON.stringify({ ...place, page: "javascript:alert(1)" })];
  for (const text of others) assert.equal(holds(text), null, text);
  assert.equal(placeIn(() => { throw new Error("shut"); }), null);
});
