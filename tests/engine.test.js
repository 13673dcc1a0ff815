// The page's model in parts and whole, on a model of a few hundred numbers: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { page } from "./script.mjs";

const engine = await page("engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js");
const { BOS, EOS, PAD, Transformer, Tokenizer, answer, finish, intervene, record } = engine;

const CONFIG = { vocab_size: 11, n_layers: 2, d_model: 6, d_ff: 10, n_heads: 2, d_k: 4, d_v: 5, positions: "sinusoidal", max_len: 9,
  norm: "post", window: null, tgt_vocab_size: null, tie_softmax: true };
const SRC = [4, 9, 7, EOS], TGT_IN = [BOS, 5, 8, 6, 10];

/** Numbers between -1 and 1 that look random and are always the same. */
const numbers = (n, seed) => Float32Array.from({ length: n }, (_, at) => Math.sin(12.9898 * (at + 1) + 78.233 * seed) * 43758.5453 % 1);

function untrained(changes = {}) {
  const config = { ...CONFIG, ...changes }, shapes = Transformer.prototype.shapes.call(Object.assign(Object.create(Transformer.prototype), { config }));
  return new Transformer(config, Object.fromEntries(Object.entries(shapes).map(([name, shape], seed) =>
    [name, { data: numbers(shape.reduce((a, b) => a * b), seed), shape }])));
}

const model = untrained();
const near = (a, b, slack = 1e-5) => a.length === b.length && a.every((value, at) => value === b[at] || Math.abs(value - b[at]) < slack);

test("rows of weights sum to 1, masked cells are 0, and a row that sees nothing is 0", () => {
  const mask = Uint8Array.from([1, 0, 1, 0, 0, 0]);
  const weights = engine.attentionWeights(engine.attentionScores(numbers(16, 1), numbers(24, 2), 2, 4, mask), 3);
  for (const at of [0, 6]) assert.ok(Math.abs(weights[at] + weights[at + 2] - 1) < 1e-6);
  assert.deepEqual([1, 3, 4, 5, 7, 9, 10, 11].map((at) => weights[at]), Array(8).fill(0));
});

test("masks: the past, and the nearest of it", () => {
  assert.deepEqual([...engine.causalMask(3)], [1, 0, 0, 1, 1, 0, 1, 1, 1]);
  assert.deepEqual([...engine.windowMask(4, 3, false)], [1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1]);
  assert.deepEqual([...engine.windowMask(3, 2, true)], [1, 0, 0, 1, 1, 0, 0, 1, 1]);
});

test("a product is each row times each row, whatever their number", () => {
  for (const [n, out, width] of [[1, 4, 3], [3, 6, 5], [2, 3, 8]]) {
    const x = numbers(n * width, 3), w = numbers(out * width, 4), y = new Float32Array(n * out);
    engine.product(x, w, y, width);
    const dot = (t, o) => x.slice(t * width, (t + 1) * width).reduce((sum, value, i) => sum + value * w[o * width + i], 0);
    assert.ok(near(y, Array.from(y, (_, at) => dot(Math.floor(at / out), at % out))));
  }
});

test("a future token cannot change the past", () => {
  const logits = finish(model.forward(SRC, TGT_IN)), other = finish(model.forward(SRC, [...TGT_IN.slice(0, 3), 4, 4]));
  assert.ok(near(logits.slice(0, 33), other.slice(0, 33)) && !near(logits.slice(33), other.slice(33)));
});

for (const [name, changes] of [["post", {}], ["pre", { norm: "pre" }], ["window", { window: 3 }]]) {
  test(`token by token with a cache the decoder says what it says of the whole: ${name}`, () => {
    const model = untrained(changes), memory = finish(model.encode(SRC)), cache = model.newCache();
    const whole = finish(model.decode(TGT_IN, memory));
    TGT_IN.forEach((token, at) => assert.ok(near(finish(model.decode([token], memory, cache)), whole.slice(11 * at, 11 * at + 11))));
  });
}

test("hypotheses side by side are each as if alone", () => {
  const memory = finish(model.encode(SRC)), cache = model.newCache(), own = [[1, 0], [0, 1]];
  finish(model.decode([BOS, BOS], memory, cache, Uint8Array.from(own.flat())));
  const both = finish(model.decode([5, 8], memory, cache, Uint8Array.from([1, 0, 1, 0, 1, 0, 0, 1])));
  const alone = (...ids) => finish(model.decode(ids, memory)).slice(-11);
  assert.ok(near(both.slice(0, 11), alone(BOS, 5)) && near(both.slice(11), alone(BOS, 8)));
});

test("a beam of one finds what greedy search finds", () => {
  const greedy = finish(engine.greedyDecode(model, SRC, { max_extra: 3 })), beam = finish(engine.beamSearch(model, SRC, { beam_size: 1, max_extra: 3 }));
  assert.deepEqual(beam.ids, greedy.ids);
  assert.ok(greedy.ids.length <= 6 && !greedy.ids.includes(PAD) && !greedy.ids.includes(BOS));
});

test("a wider beam is no worse, and its steps say who prolongs whom", () => {
  const search = engine.beamSearch(model, SRC, { beam_size: 3, alpha: 0, max_extra: 2 }), steps = [];
  let last;
  while (!(last = search.next()).done) if (last.value) steps.push(last.value);
  assert.ok(last.value.score >= finish(engine.beamSearch(model, SRC, { beam_size: 1, alpha: 0, max_extra: 2 })).score - 1e-6);
  assert.deepEqual(steps[0].parents, [0, 0, 0]);
  for (const { log_prob } of steps) assert.deepEqual([...log_prob], [...log_prob].sort((a, b) => b - a));
});

test("of equal numbers the first counts", () => {
  assert.deepEqual(engine.topPlaces([1, 3, 3, 2, 3], 3), [1, 2, 4]);
  assert.deepEqual(engine.topPlaces([2, 1], 3), [0, 1]);
});

test("probes record shapes, and what is edited is what goes on", () => {
  const trace = {}, off = intervene(model, "decoder.1.cross_attention.heads", ({ data, ...rest }) => ({ data: data.map(() => 0), ...rest }));
  finish(record(off, trace).forward(SRC, TGT_IN));
  assert.deepEqual(trace["encoder.0.self_attention.q"].shape, [2, 4, 4]);
  assert.deepEqual(trace["decoder.1.cross_attention.weights"].shape, [2, 5, 4]);
  assert.deepEqual(trace["decoder.1.cross_attention.heads"].shape, [2, 5, 5]);
  assert.ok(trace["decoder.1.cross_attention.heads"].data.every((value) => value === 0));
  assert.ok(!near(finish(off.forward(SRC, TGT_IN)), finish(model.forward(SRC, TGT_IN))));
});

test("a model is as it was after another was made of it", () => {
  const before = finish(model.forward(SRC, TGT_IN));
  finish(engine.edited(model, [{ probe: "encoder.*.heads", heads: [0, 1] }]).forward(SRC, TGT_IN));
  assert.ok(near(finish(model.forward(SRC, TGT_IN)), before, 1e-12));
});

const translator = { model, tokenizer: { pieces: (ids) => ids.map(String) }, tgtTokenizer: { pieces: (ids) => ids.map(String), decode: (ids) => ids.join(" ") } };
const ask = (question) => finish(answer({ src: SRC, ids: [5, 8, 6, 10, EOS], ...question }, translator));

test("edits in plain data do what they say", () => {
  const read = (...edits) => ask({ kind: "read", record: "*", edits }), cell = (trace, at) => trace["encoder.0.self_attention.weights"].data[at];
  const masked = read({ probe: "encoder.0.self_attention.scores", cells: [[null, 1]], head: 0 }).trace;
  assert.deepEqual([cell(masked, 1), cell(masked, 5), cell(masked, 13)], [0, 0, 0]);
  assert.ok(cell(masked, 17) > 0);
  const row = read({ probe: "encoder.0.self_attention.weights", row: 2, values: [0, 0, 1, 0], head: 1 }).trace;
  assert.deepEqual([24, 25, 26, 27].map((at) => cell(row, at)), [0, 0, 1, 0]);
  assert.ok(read({ probe: "src_positions", off: true }).trace.src_positions.data.every((value) => value === 0));
  assert.ok(near(read({ probe: "src_positions", shift: 2 }).trace.src_positions.data, engine.sinusoidalPositions(4, 6, 2)));
  assert.ok(near(read({ probe: "src_positions", places: [1, 0, -1, 3] }).trace.src_positions.data.slice(0, 6), engine.sinusoidalPositions(1, 6, 1)));
  assert.ok(near(read({ probe: "src_embedding", token: 1, id: 4 }).trace.src_embedding.data.slice(6, 12), model.weights["src_embedding.weight"].data.slice(24, 30)));
});

test("an edit of heads is an edit of their rows of values: without all heads attention says nothing", () => {
  const silent = ask({ kind: "read", record: "*.heads", edits: [{ probe: "*.heads", heads: [0, 1] }] }).trace;
  assert.ok(Object.values(silent).every(({ data }) => data.every((value) => value === 0)) && Object.keys(silent).length === 6);
});

test("what each head does is what its absence changes, and it is told on the way", () => {
  const work = answer({ kind: "effects", src: SRC, ids: [5, 8, EOS] }, translator), told = [];
  let last;
  while (!(last = work.next()).done) if (last.value) told.push(last.value.n);
  assert.deepEqual(told, Array.from({ length: 12 }, (_, n) => n + 1));
  const read = (edits) => ask({ kind: "read", ids: [5, 8, EOS], edits }).log_probs.reduce((a, b) => a + b);
  const without = read([{ probe: "decoder.1.self_attention.heads", heads: [1] }]) - read([]);
  assert.ok(Math.abs(last.value.effects.decoder[1][1] - without) < 1e-6);
});

test("the distribution of what comes next is the last row of the whole", () => {
  const next = ask({ kind: "next", ids: [5, 8], top: 11 }), row = ask({ kind: "read", ids: [5, 8, 6] });
  assert.ok(Math.abs(next.log_probs[next.ids.indexOf(6)] - row.log_probs[2]) < 1e-6);
  assert.ok(Math.abs(next.log_probs.reduce((sum, value) => sum + Math.exp(value), 0) - 1) < 0.5);
});

test("work in slices gives the same, tells how far it is, and can be dropped", async () => {
  const told = [], expected = finish(engine.greedyDecode(model, SRC, { max_extra: 3 }));
  const ids = await engine.sliced(engine.greedyDecode(model, SRC, { max_extra: 3 }), { ms: 0, told: ({ n }) => told.push(n) });
  assert.deepEqual(ids, expected);
  assert.equal(told.length, expected.ids.length);
  const leaving = new AbortController();
  const dropped = engine.sliced(engine.greedyDecode(model, SRC, { max_extra: 1000 }), { ms: 0, signal: leaving.signal, told: () => leaving.abort() });
  await assert.rejects(dropped, { name: "AbortError" });
});

/** A safetensors file of these tensors, { dtype, shape, bytes }. */
function safetensors(tensors) {
  const header = {}, parts = [];
  let at = 0;
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at += bytes.length] };
    parts.push(bytes);
  }
  const json = new TextEncoder().encode(JSON.stringify(header)), start = new Uint8Array(8);
  new DataView(start.buffer).setBigUint64(0, BigInt(json.length), true);
  return new Uint8Array(Buffer.concat([start, json, ...parts]));
}

test("weights of 16, 32 and 8 bits are read as what they stand for", () => {
  const halves = new Uint8Array(Uint16Array.from([0x3c00, 0xc000, 0x3555, 0x0001, 0x8000, 0x7bff]).buffer);
  const whole = new Uint8Array(Float32Array.from([1.5, -2]).buffer), rows = new Uint8Array(Int8Array.from([127, -127, 1, 2]).buffer);
  const tensors = finish(engine.readTensors(safetensors({
    half: { dtype: "F16", shape: [2, 3], bytes: halves }, whole: { dtype: "F32", shape: [2], bytes: whole },
    rows: { dtype: "I8", shape: [2, 2], bytes: rows }, "rows.scale": { dtype: "F32", shape: [2], bytes: new Uint8Array(Float32Array.from([0.5, 2]).buffer) },
  })));
  assert.ok(near(tensors.half.data, [1, -2, 0.333251953125, 2 ** -24, 0, 65504], 1e-12));
  assert.deepEqual([...tensors.whole.data, ...tensors.rows.data], [1.5, -2, 63.5, -63.5, 2, 4]);
  assert.deepEqual(Object.keys(tensors), ["half", "whole", "rows"]);
});

test("weights of another model are refused by the name of the first that does not fit", () => {
  const { ["encoder.1.feed_forward.w_1.bias"]: _, ...weights } = model.weights;
  assert.throws(() => new Transformer(CONFIG, weights), /encoder\.1\.feed_forward\.w_1\.bias is absent, not 10/);
  assert.throws(() => new Transformer({ ...CONFIG, d_ff: 9 }, model.weights), /w_1\.weight is 10,6, not 9,6/);
  assert.throws(() => engine.modelOf({ kind: "recurrent" }, {}), /kind "recurrent"; known are transformer, context/);
});

test("bytes that are no vocabulary are refused", () => {
  assert.throws(() => new Tokenizer(new Uint8Array([10, 3, 10, 1, 65])), /no SentencePiece model/);
});

test("the module is valid, and its product is the plain one's, whatever the sizes", () => {
  assert.ok(WebAssembly.validate(engine.MODULE) && engine.MODULE.length < 2000);
  const kernel = engine.simd(100_000);
  for (const [n, width, out] of [[1, 4, 4], [2, 8, 12], [5, 12, 7], [3, 64, 106], [4, 6, 8], [1, 256, 3]]) {
    const x = numbers(n * width, 5), w = kernel.allocate(out * width), y = new Float32Array(n * out), plain = new Float32Array(n * out);
    w.set(numbers(out * width, 6));
    kernel.multiply(x, w, y, width);
    engine.product(x, w, plain, width);
    assert.ok(near(y, plain, 1e-4), `${n} ${width} ${out}`);
  }
});

test("more rows than the kernel has room for pass through it one part after the other", () => {
  const kernel = engine.simd(100_000), x = numbers(70_000 * 4, 7), w = kernel.allocate(16), y = new Float32Array(70_000 * 4), plain = new Float32Array(y.length);
  w.set(numbers(16, 8));
  kernel.multiply(x, w, y, 4);
  engine.product(x, w, plain, 4);
  assert.ok(near(y, plain));
});
