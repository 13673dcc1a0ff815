// The pure parts of the views of Table 3 and of the gradients: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("variations/table.js");
const norms = await script("variations/norms.js");

const base = { name: "base", n_layers: 6, d_model: 512, d_ff: 2048, n_heads: 8, d_k: 64, d_v: 64, p_drop: 0.1, eps_ls: 0.1, positions: "sinusoidal",
  max_len: 256, ppl: 4.92, bleu: 25.8, millions: 65, steps: 100_000 };
const single = { ...base, name: "A-h1", n_heads: 1, d_k: 512, d_v: 512, millions: null, ppl: 5.29, bleu: 24.9 };
const big = { ...base, name: "big", d_model: 1024, d_ff: 4096, n_heads: 16, p_drop: 0.3, millions: 213, ppl: 4.33, bleu: 26.4, steps: 300_000 };
const rows = [base, single, big];

test("base has 63,045,632 parameters at V = 37,000, and 18,944,000 of them are the embedding", () => {
  assert.equal(view.parameters(base, 37_000), 63_045_632);
  assert.deepEqual(view.parameterParts(base, 37_000)[0], ["embedding", 18_944_000]);
  assert.equal(view.parameters(big, 37_000), 214_171_648);
  assert.equal(view.parameters({ ...base, positions: "learned" }, 37_000), 63_307_776);
});

test("one head of width 512 has as many parameters and multiply-adds as eight of 64", () => {
  assert.equal(view.parameters(single, 37_000), view.parameters(base, 37_000));
  assert.equal(view.sum(view.costParts(single, 37_000, 25)), view.sum(view.costParts(base, 37_000, 25)));
});

test("the vocabularies of a row are just those with which its count rounds to the printed one", () => {
  for (const row of [base, big]) {
    const [low, high] = view.vocabularies(row), rounds = (v) => Math.floor(view.parameters(row, v) / 1e6 + 0.5);
    assert.deepEqual([low - 1, low, high - 1, high].map(rounds), [-1, 0, 0, 1].map((off) => row.millions + off));
    assert.deepEqual([low - 1, low, high - 1, high].map((v) => view.fits(row, v)), [false, true, true, false]);
  }
  assert.equal(view.vocabularies(single), null);
  assert.equal(view.fits(single, 37_000), null);
});

test("rows are sorted by any column, those without a number last, in either direction", () => {
  const names = (order, down) => view.ordered(rows, order, down, 37_000, 25).map((row) => row.name);
  assert.deepEqual(names("paper", true), ["base", "A-h1", "big"]);
  assert.deepEqual(names("ppl", false), ["big", "base", "A-h1"]);
  assert.deepEqual(names("millions", true), ["big", "base", "A-h1"]);
  assert.deepEqual(names("off", false), ["base", "big", "A-h1"]);
  assert.deepEqual(names("params", false), ["base", "A-h1", "big"]);
});

test("what a row changes is told in the paper's letters", () => {
  assert.equal(view.changed(single, base), "h 8 → 1, d_k 64 → 512, d_v 64 → 512");
  assert.match(view.changed(big, base), /P_drop 0.1 → 0.3, steps 100,000 → 300,000$/);
  assert.equal(view.changed(base, base), "the model that the others are held against");
});

test("a row is spoken with its count, and with the vocabularies that would print it", () => {
  assert.equal(view.spoken(base, 37_000), "base: 63,045,632 parameters at V = 37,000, printed 65 million, which needs V from 39,841 to 41,793");
  assert.match(view.spoken(base, 41_100), /which it rounds to$/);
  assert.match(view.spoken(single, 37_000), /no count is printed$/);
  assert.equal(view.verdict(rows, 37_000), "V = 37,000: 0 of 2 printed counts are met, 0 within a million.");
});

test("signed numbers have a true minus, and 0 has no sign", () => {
  assert.deepEqual([view.signed(-1.954), view.signed(1.17), view.signed(-0.001)], ["−1.95", "+1.17", "0.00"]);
});

const settings = { post: { 2: { encoder: [0.1, 0.2], decoder: [0.5, 2] } }, pre: { 2: { encoder: [0.3, 0.3], decoder: [0.4, 0.2] } } };

test("layers and values lead to pixels, and pixels to the nearest layer", () => {
  const at = norms.axes({ low: 0.1, high: 10 }, 5, { left: 10, right: 90, top: 0, bottom: 100 });
  assert.deepEqual([at.x(1), at.x(3), at.x(5)], [10, 50, 90]);
  assert.ok(Math.abs(at.y(1) - 50) < 1e-9);
  assert.deepEqual([at.layer(-5), at.layer(49), at.layer(400)], [1, 3, 5]);
  assert.equal(norms.axes({ low: 0.1, high: 10 }, 1, { left: 10, right: 90, top: 0, bottom: 100 }).x(1), 50);
});

test("the scale spans all settings and depths, and its ticks lie inside", () => {
  const { low, high } = norms.range(settings);
  assert.ok(low < 0.1 && high > 2);
  assert.deepEqual(norms.ticks({ low: 0.02, high: 4 }), [0.03, 0.1, 0.3, 1, 3]);
  assert.equal(norms.ratio([0.5, 2]), 4);
});

test("a layer is spoken with every setting's number", () => {
  assert.equal(norms.spoken(settings, "decoder", 2, 2), "decoder, layer 2 of 2: post 2.00, pre 0.200");
});
