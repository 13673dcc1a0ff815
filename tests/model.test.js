// The pure parts of the model view: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("model/journey.js");

test("bytes are cut into signed outputs and into weights [head][query][key]", () => {
  const bytes = Uint8Array.from([127, 129, 0, 255, 2, 254, 10, 20, 30, 40, 50, 60]);   // 129 is −127
  const { strips, maps } = view.unpack(new DataView(bytes.buffer), { a: { n: 2, d: 3, scale: 2 } }, { m: [1, 2, 3] });
  assert.deepEqual([...strips.a.values], [127, -127, 0, -1, 2, -2]);
  assert.deepEqual([...maps.m.bytes], [10, 20, 30, 40, 50, 60]);
  assert.equal(maps.m.rows, 2);
  assert.throws(() => view.unpack(new DataView(bytes.buffer), { a: { n: 2, d: 2, scale: 1 } }, {}), /12 bytes came, the shapes need 4/);
});

test("a window into a larger buffer is read from where it begins", () => {
  const buffer = Uint8Array.from([9, 9, 1, 255]).buffer;
  assert.deepEqual([...view.unpack(new DataView(buffer, 2, 2), { a: { n: 1, d: 2, scale: 1 } }, {}).strips.a.values], [1, -1]);
});

test("the journey halts at pieces, ids, embeddings, positions, every encoder layer, every decoder step, and text", () => {
  const found = view.stops({ n_layers: 2, steps: [{}, {}, {}] });
  assert.deepEqual(found.map((stop) => stop.kind),
    ["pieces", "ids", "embedding", "positions", "encoder", "encoder", "decoder", "decoder", "decoder", "text"]);
  assert.deepEqual(found.filter((stop) => stop.kind === "encoder").map((stop) => stop.layer), [0, 1]);
});

test("a stop lights the blocks it is about, and no block of another layer", () => {
  const at = view.stops({ n_layers: 12, steps: [{}] }), layer1 = at[5];
  assert.ok(view.takesPart("encoder.1.feed_forward", layer1) && view.takesPart("encoder.1", layer1));
  assert.ok(!view.takesPart("encoder.11.feed_forward", layer1) && !view.takesPart("decoder.1", layer1));
  const step = at.find((stop) => stop.kind === "decoder");
  for (const name of ["tgt_embedding", "decoder.3.cross_attention", "softmax", "linear"]) assert.ok(view.takesPart(name, step), name);
  assert.ok(!view.takesPart("src_embedding", step) && !view.takesPart("encoder.0", step));
});

test("a shape is numbers or letters, and T is what the decoder has read so far", () => {
  const wire = { letters: ["B", "T", "S"], shape: [1, 15, 14] };
  assert.equal(view.shapeText(wire), "(1, 15, 14)");
  assert.equal(view.shapeText(wire, { words: true }), "(B, T, S)");
  assert.equal(view.shapeText(wire, { T: 3 }), "(1, 3, 14)");
});

test("a formula's indices stand low and high, and Q, K, V carry their colours", () => {
  const found = view.runs("head_i = softmax(Q K^T / √d_{model}) V");
  assert.deepEqual(found.filter((run) => run.as).map((run) => [run.as, run.text]), [["sub", "i"], ["sup", "T"], ["sub", "model"]]);
  assert.deepEqual(found.filter((run) => run.role).map((run) => [run.text, run.role]), [["Q", "query"], ["K", "key"], ["V", "value"]]);
  assert.equal(found.map((run) => run.text).join(""), "headi = softmax(Q KT / √dmodel) V");
});

const box = (name, x, y, w, h, kind = "norm") => ({ name, x, y, w, h, kind });
const boxes = [box("layer", 0, 0, 100, 100, "layer"), box("low", 10, 60, 30, 20), box("high", 10, 10, 30, 20), box("right", 60, 62, 30, 20)];

test("a point finds the block, and between blocks the layer around them", () => {
  assert.equal(view.boxAt(boxes, 20, 70).name, "low");
  assert.equal(view.boxAt(boxes, 50, 50).name, "layer");
  assert.equal(view.boxAt(boxes, 200, 50), null);
});

test("arrow keys lead to the nearest block in their direction, and stay where there is none", () => {
  assert.equal(view.neighbour(boxes, boxes[1], [-1, 0]).name, "high");
  assert.equal(view.neighbour(boxes, boxes[1], [0, 1]).name, "right");
  assert.equal(view.neighbour(boxes, boxes[1], [1, 0]).name, "low");
});

test("bytes stand together with the character they spell", () => {
  const found = view.groups(["▁a", "<0xE2>", "<0x82>", "<0xAC>", "b"]);
  assert.deepEqual(found.map((group) => group.text), ["▁a", "€", "b"]);
  assert.deepEqual(found[1].places, [1, 2, 3]);
});

test("a module's address is the Python that finds it", () => {
  assert.equal(view.address("encoder.0.add_norm.1"), "model.encoder[0].add_norm[1]");
  assert.equal(view.address(""), "model");
});

test("a notebook is linked beside the open one in JupyterLab, and as a page from a page", () => {
  assert.equal(view.linkTo("05_x", { base: null, path: "/tmp/00.html" }), "05_x.html");
  assert.equal(view.linkTo("05_x", { base: "/", path: "/lab/tree/notebooks/00.ipynb" }), "05_x.ipynb");
  assert.equal(view.linkTo("05_x", { base: "/me/", path: "/me/lab" }), "/me/lab/tree/notebooks/05_x.ipynb");
  assert.deepEqual(view.openedByLab("05_x", undefined), {});
  assert.equal(view.openedByLab("05_x", "notebooks/00.ipynb")["data-commandlinker-args"], '{"path":"notebooks/05_x.ipynb"}');
  assert.equal(view.openedByLab("05_x", "00.ipynb")["data-commandlinker-args"], '{"path":"05_x.ipynb"}');
});

test("the mean over heads of a map's beginning keeps rows as queries", () => {
  const bytes = Uint8Array.from([255, 0, 0, 0, 255, 0, /* head 1 */ 255, 0, 0, 255, 0, 0]);
  const mean = view.meanMap({ heads: 2, rows: 2, cols: 3, bytes }, 2, 2);
  assert.deepEqual([...mean], [1, 0, 0.5, 0.5]);
});

test("large numbers have commas", () => assert.deepEqual([0, 999, 1000, 13100000].map(view.counted), ["0", "999", "1,000", "13,100,000"]));

test("a token is at a share of its wire's whole length, corners included", () => {
  const wire = [[0, 0], [30, 0], [30, 10]];
  assert.deepEqual(view.along(wire, 0), [0, 0]);
  assert.deepEqual(view.along(wire, 0.5), [20, 0]);
  assert.deepEqual(view.along(wire, 0.875), [30, 5]);
  assert.deepEqual(view.along(wire, 1), [30, 10]);
});

test("the translation is whole before the journey and after it, and between them what has been said", () => {
  const stops = [{ kind: "pieces" }, { kind: "encoder", layer: 0 }, ...[0, 1, 2].map((step) => ({ kind: "decoder", step })), { kind: "text" }];
  const meta = { translation: "Guten Tag", steps: [{ piece: "▁Guten" }, { piece: "▁Tag" }, { piece: "</s>" }] };
  assert.deepEqual(stops.map((_, stop) => view.sofar(stop, stops, meta)),
    ["Guten Tag", "…", "Guten …", "Guten Tag …", "Guten Tag …", "Guten Tag"]);
});
