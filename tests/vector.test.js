// A view as SVG: node --test tests/
import assert from "node:assert/strict";
import test from "node:test";

import { arcPath, boxPath, fontOf, hatching, Pen, runsOf, svgElement } from "../viz/vector.js";

test("an element holds any text as text, and no attribute that is empty", () => {
  assert.equal(svgElement("text", { x: 1 / 3, fill: "", "data-t": '"<&>' }, "a"), '<text x="0.33" data-t="&quot;&lt;&amp;&gt;">a</text>');
  assert.equal(svgElement("path", { d: "M0 0", opacity: null }), '<path d="M0 0"/>');
  assert.equal(svgElement("a", { b: "\u0000\ufffe" }), '<a b="\ufffd\ufffd"/>');   // XML has no such letters
});

test("a CSS font is told apart into its parts", () => {
  assert.deepEqual(fontOf("italic 600 13px system-ui, 'Segoe UI'"),
    { "font-family": "system-ui, 'Segoe UI'", "font-size": 13, "font-weight": "600", "font-style": "italic" });
  assert.deepEqual(fontOf("11.5px monospace"),
    { "font-family": "monospace", "font-size": 11.5, "font-weight": undefined, "font-style": undefined });
});

/** Where a path of M, L, h, v, a, A, z ends. */
function endOf(path) {
  let [x, y] = [0, 0], first = [0, 0];
  for (const [, act, text] of path.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const n = text.trim().split(/\s+/).map(Number);
    if (act === "M" || act === "L" || act === "A") [x, y] = n.slice(-2);
    if (act === "M") first = [x, y];
    if (act === "h") x += n[0];
    if (act === "v") y += n[0];
    if (act === "a") [x, y] = [x + n.at(-2), y + n.at(-1)];
    if (/z/i.test(act)) [x, y] = first;
  }
  return [x, y].map((at) => Math.round(at * 100) / 100);
}

test("boxes close where they began, with round corners and with sides that are negative", () => {
  assert.equal(boxPath(1, 2, 3, 4), "M1 2h3v4h-3z");
  assert.equal(boxPath(1, 2, 3, -4), "M1 2h3v-4h-3z");
  for (const box of [[10, 20, 30, 40, 5], [0, 0, 8, 6, 99]]) {
    const open = boxPath(...box).replace(/z$/, ""), start = open.match(/^M(\S+) (\S+?)h/).slice(1).map(Number);
    assert.deepEqual(endOf(open), start);
  }
});

test("an arc ends at its angle, and a whole circle is two halves", () => {
  assert.deepEqual(endOf(arcPath(5, 5, 2, 0, Math.PI / 2, false)), [5, 7]);
  assert.deepEqual(endOf(arcPath(5, 5, 2, 0, (3 * Math.PI) / 2, false)), [5, 3]);
  assert.match(arcPath(5, 5, 2, 0, (3 * Math.PI) / 2, false), /A2 2 0 1 1/);   // the long way round
  assert.equal(arcPath(5, 5, 2, 0, 7, false).match(/A/g).length, 2);
  assert.match(arcPath(5, 5, 2, 0, 1, true), /^L7 5/);
});

test("hatching runs from the lower left to the upper right and stays in its box", () => {
  const ends = [...hatching(10, 20, 30, 12).matchAll(/[ML](\S+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  assert.equal(ends.length, 2 * Math.ceil(42 / (5 * Math.SQRT2)));
  for (let n = 0; n < ends.length; n += 2) {
    const [[x1, y1], [x2, y2]] = [ends[n], ends[n + 1]];
    assert.ok(Math.abs(x1 + y1 - x2 - y2) < 0.05 && x2 >= x1);
  }
  assert.ok(ends.every(([x, y]) => x >= 10 && x <= 40 && y >= 20 && y <= 32));
});

test("pixels become runs of one colour, none across the end of a row, and none of what cannot be seen", () => {
  const red = [255, 0, 0, 255], none = [9, 9, 9, 0], blue = [0, 0, 255, 255];
  const pixels = Uint8ClampedArray.from([red, red, none, red, blue, blue].flat());
  assert.deepEqual(runsOf(pixels, 3), [[0, 0, 2, "rgb(255,0,0)"], [1, 0, 1, "rgb(255,0,0)"], [1, 1, 2, "rgb(0,0,255)"]]);
});

/** A context without a canvas: it counts what is asked of it. */
function context() {
  const upright = { multiply: () => ({ isIdentity: true }) };
  const acts = [], ctx = { fillStyle: "#123", strokeStyle: "#456", lineWidth: 2, lineCap: "butt", lineJoin: "miter", globalAlpha: 1,
    getTransform: () => ({ inverse: () => upright }), getLineDash: () => [3, 1], textAlign: "right", textBaseline: "middle",
    font: "13px Sans", measureText: () => ({ fontBoundingBoxAscent: ctx.textBaseline === "middle" ? 4 : 10 }) };
  for (const act of ["beginPath", "moveTo", "lineTo", "stroke", "fillRect", "fillText", "save", "restore", "rect", "clip", "fancy"]) {
    ctx[act] = (...values) => { acts.push([act, ...values]); };
  }
  return { ctx, acts };
}

test("a pen draws all that its context draws, and keeps it", () => {
  const { ctx, acts } = context(), pen = new Pen(ctx, "c", (text) => text.toUpperCase()), draw = pen.context;
  draw.fillStyle = "#fff";
  draw.fillRect(1, 2, 3, 4);
  draw.beginPath();
  draw.moveTo(0, 0);
  draw.lineTo(5, 6);
  draw.stroke();
  draw.fillText("a<b", 7, 8);
  draw.fancy(1);
  assert.deepEqual(acts.map(([act]) => act), ["fillRect", "beginPath", "moveTo", "lineTo", "stroke", "fillText", "fancy"]);
  assert.equal(ctx.fillStyle, "#fff");
  assert.equal(ctx.textBaseline, "middle");   // as it was
  assert.equal(pen.svg, '<path d="M1 2h3v4h-3z" fill="#fff"/>'
    + '<path d="M0 0L5 6" fill="none" stroke="#456" stroke-width="2" stroke-dasharray="3 1"/>'
    + '<text x="7" y="14" fill="#fff" text-anchor="end" font-family="Sans" font-size="13">A&lt;B</text>');
});

test("what is drawn faintly is faint, and what is drawn not at all is left out", () => {
  const { ctx } = context(), pen = new Pen(ctx, "c");
  ctx.globalAlpha = 0.5;
  pen.context.fillRect(0, 0, 1, 1);
  ctx.globalAlpha = 0;
  pen.context.fillRect(0, 0, 1, 1);
  assert.equal(pen.svg, '<path d="M0 0h1v1h-1z" fill="#123" opacity="0.5"/>');
});

test("a clip ends with its restore, or with the drawing", () => {
  const clipped = (...after) => {
    const { ctx } = context(), pen = new Pen(ctx, "c");
    for (const act of ["save", "beginPath"]) pen.context[act]();
    pen.context.rect(0, 0, 2, 2);
    pen.context.clip();
    pen.context.fillRect(0, 0, 9, 9);
    for (const act of after) pen.context[act]();
    pen.context.fillRect(5, 5, 1, 1);
    return pen.svg;
  };
  assert.match(clipped("restore"), /<g clip-path="url\(#c-0\)"><path d="M0 0h9v9h-9z" fill="#123"\/><\/g><path d="M5 5/);
  assert.match(clipped(), /<path d="M5 5h1v1h-1z" fill="#123"\/><\/g>$/);
});
