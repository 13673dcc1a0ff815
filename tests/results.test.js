// The pure parts of Table 2's view and of the cost calculator: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { script } from "./script.mjs";

const view = await script("results/table.js");
const cost = await script("results/cost.js");

const rows = [
  { model: "dear", kind: "single", de: ["20.0", "3.0e19"], fr: ["", ""] },
  { model: "free", kind: "single", de: ["19.75", ""], fr: ["30.1", "2.0e18"] },
  { model: "cheap", kind: "Transformer", de: ["21.5", "2.0e18"], fr: ["31.25", "2.0e18"] },
];

test("a language shows the rows that have a BLEU in it, the cheapest first, one without a cost before them", () => {
  assert.deepEqual(view.drawn(rows, "de").map(({ model, bleu, cost: price }) => [model, bleu, price]),
    [["free", 19.75, null], ["cheap", 21.5, 2e18], ["dear", 20, 3e19]]);
  assert.deepEqual(view.drawn(rows, "fr").map((row) => row.model), ["free", "cheap"]);
});

test("costs are written with a power of ten, and a blank stays blank", () => {
  assert.deepEqual(["2.3e19", "1.0e20", "1.2e+17", ""].map(view.power), ["2.3·10¹⁹", "1.0·10²⁰", "1.2·10¹⁷", ""]);
});

test("a row is spoken with what is printed and with what is not", () => {
  const said = view.spoken(rows[1], { de: "English-German", fr: "English-French" });
  assert.equal(said, "free. English-German: 19.75 BLEU, no cost printed; English-French: 30.1 BLEU, 2.0·10¹⁸ FLOP");
  assert.ok(view.spoken(rows[0], { fr: "English-French" }).endsWith("not printed"));
});

test("an axis of BLEU ends at whole numbers beyond the values", () => {
  assert.deepEqual(view.bounds([24.6, 28.4]), [24, 29]);
  assert.deepEqual(view.bounds([24.1, 28.9]), [23, 30]);
});

test("names meet no dot, no other name, nothing that is covered, and no edge", () => {
  const frame = { left: 0, right: 400, top: 0, bottom: 200 };
  const dots = [[60, 100], [75, 104], [370, 60], [376, 52], [200, 195]].map(([x, y]) => ({ x, y }));
  const widths = [50, 80, 120, 100, 60], covered = [{ x0: 0, x1: 400, y0: 99, y1: 101 }];
  const boxes = view.placed(dots, widths, frame, covered);
  const apart = (a, b) => a.x1 <= b.x0 || b.x1 <= a.x0 || a.y1 <= b.y0 || b.y1 <= a.y0;
  boxes.forEach((box, i) => {
    assert.ok(box.x0 >= 0 && box.x1 <= 400 && box.y0 >= 0 && box.y1 <= 200, `name ${i} crosses an edge`);
    assert.equal(box.x1 - box.x0, widths[i]);
    assert.ok(apart(box, covered[0]), `name ${i} is struck through`);
    boxes.slice(i + 1).forEach((other, j) => assert.ok(apart(box, other), `names ${i} and ${i + 1 + j} meet`));
    dots.forEach(({ x, y }, j) => assert.ok(i === j || apart(box, { x0: x - 7, x1: x + 7, y0: y - 7, y1: y + 7 }), `name ${i} hides dot ${j}`));
  });
});

test("Table 2's formula gives its two costs, by hours and by step times", () => {
  const price = (by, hours, steps, seconds) => cost.trainingCost(cost.hoursOf({ by, hours, steps, seconds }), 8, 9.5);
  const near = (value, wanted) => assert.ok(Math.abs(value / wanted - 1) < 1e-12, `${value} is not ${wanted}`);
  near(price("hours", 12, 100_000, 0.4), 3.2832e18);
  near(price("steps", 12, 100_000, 0.4), 3.04e18);
  near(price("hours", 84, 300_000, 1), 2.29824e19);
  near(price("steps", 84, 300_000, 1), 2.28e19);
  assert.deepEqual([cost.scientific(3.2832e18), cost.scientific(2.28e19, 1), cost.scientific(2.5e-3, 1)], ["3.2832·10¹⁸", "2.3·10¹⁹", "2.5·10⁻³"]);
});

test("numbers have commas and no false digits, and what is more than the cost is told as a multiple of it", () => {
  assert.deepEqual([100_000, 10_000_000, 0.001, 0.4].map(cost.exact), ["100,000", "10,000,000", "0.001", "0.4"]);
  assert.deepEqual([2_777_777.8, 31542.3, 312].map(cost.commas), ["2,777,778", "31,542", "312"]);
  assert.equal(cost.duration(4e13), "1,267,524 years");
  assert.ok(cost.shareOf(422.46).startsWith("That is 422 times the cost above"));
  assert.ok(cost.shareOf(9.944e-8).startsWith("That is 9.94·10⁻⁶ % of the cost above"));
  assert.ok(cost.shareOf(0.288).startsWith("That is 28.8 % of the cost above"));
});

test("the names of two marks are whole and apart, wherever the marks stand", () => {
  for (const marks of [[66, 66], [66, 900], [500, 500], [500, 506], [896, 896], [300, 896]]) {
    const [first, second] = cost.besides(marks, [84, 130], 900);
    assert.ok(first >= 0 && first + 84 < second && second + 130 <= 900, `${marks}: ${first}, ${second}`);
  }
  assert.deepEqual(cost.besides([300, 500], [84, 130], 900), [302 - 84, 498]);
});

test("hardware of the paper keeps up its sustained TFLOPS, today's a share of its data sheet", () => {
  const meta = { sustained: { P100: 9.5 }, datasheet: { A100: 312 } };
  assert.equal(cost.sustained(meta, "P100", 0.5, 10), 9.5);
  assert.equal(cost.sustained(meta, "A100", 0.5, 10), 156);
  assert.equal(cost.sustained(meta, "another", 0.5, 10), 5);
});

test("sliders reach both ends, go by ratios, and come back to where a value stands", () => {
  for (const [ends, whole] of [[[0.1, 100_000], false], [[1000, 10_000_000], true], [[1, 10_000], true]]) {
    assert.deepEqual([cost.valueAt(0, ends, whole), cost.valueAt(cost.STOPS, ends, whole)], ends);
    for (let place = 0, last = 0; place <= cost.STOPS; place += 24) {
      const value = cost.valueAt(place, ends, whole);
      assert.ok(value >= last);
      assert.ok(!whole || Number.isInteger(value), `${value} is not whole`);
      if (!whole) assert.equal(cost.placeOf(value, ends), place);
      last = value;
    }
  }
});

test("what is typed is kept between the ends, and nonsense becomes the least", () => {
  assert.deepEqual(["7.6", "1e9", "-3", "", "x"].map((text) => cost.within(text, [1, 1000], true)), [8, 1000, 1, 1, 1]);
  assert.equal(cost.within("7.6", [1, 1000], false), 7.6);
});
