// The product of engine.js in WebAssembly, four numbers at a time: a module of some hundred bytes, which is put together here.
//
// Weights lie in its memory for good, x and y pass through it. Where a browser or a page's policy has no WebAssembly of this kind,
// `simd` gives null, and the plain loops of engine.js give the same results but for rounding.

import { product } from "./engine.js";

// ─── The module, put together ────────────────────────────────────────────────────────────────────────────────────────────────────
/** A whole number as WebAssembly writes it: 7 bits a byte; signed: the last bit of the last byte tells. */
function leb(value, signed = false) {
  const bytes = [];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    if (value === 0 && !(signed && byte & 64)) return [...bytes, byte];
    bytes.push(byte | 128);
  }
}

const counted = (...parts) => [...leb(parts.length), ...parts.flat()];
const sized = (bytes) => [...leb(bytes.length), ...bytes];
const section = (id, content) => [id, ...sized(content)];
const word = (text) => sized([...text].map((letter) => letter.charCodeAt(0)));

const I32 = 0x7f, V128 = 0x7b, END = 0x0b;
const get = (local) => [0x20, local], set = (local) => [0x21, local], number = (value) => [0x41, ...leb(value, true)];
const plus = [0x6a], mul = [0x6c], below = [0x49];   // of whole numbers
const load = [0xfd, 0x00, 4, 0], store = [0xfd, 0x0b, 4, 0], zero = [0xfd, 0x0c, ...Array(16).fill(0)];
const add = [0xfd, 0xe4, 0x01], multiply = [0xfd, 0xe6, 0x01];   // of four numbers each
/** Four of the eight numbers of two vectors: 0 to 3 are the first's. */
const pick = (...lanes) => [0xfd, 0x0d, ...lanes.flatMap((lane) => [4 * lane, 4 * lane + 1, 4 * lane + 2, 4 * lane + 3])];
/** Do this at least once, and again as long as `local` (moved on by `step`) is below `end`. */
const loop = (local, step, end, body) => [0x03, 0x40, body, get(local), step, plus, set(local), get(local), get(end), below, 0x0d, 0, END];

/** product(x, w, y, n, width, out): y (n, out) = x (n, width) Wᵀ, all at byte addresses, four rows of W times `rows` of x at a time.
 *
 * n is a multiple of rows, width (in bytes, 4 for each number) and out (the same) of 16. */
function productOf(rows) {
  const [x, w, y, n, width, out, row, t, i, xAt, yAt, end] = Array(12).keys();   // whole numbers
  const four = (first) => [first, first + 1, first + 2, first + 3], value = end + 1;   // of four numbers each
  const weights = four(value + 1), sums = Array.from({ length: rows }, (_, r) => four(value + 5 + 4 * r)), nothing = [];
  const at = (base, k) => [get(base), get(i), plus, k ? [get(width), number(k), mul, plus] : nothing];
  const inner = [
    weights.map((local, k) => [at(w, k), load, set(local)]),
    sums.map((row, r) => [at(xAt, r), load, set(value),
      row.map((sum, k) => [get(sum), get(value), get(weights[k]), multiply, add, set(sum)])]),
  ];
  const joined = ([a, b, c, d]) => [   // the four sums of each of four vectors
    [[a, b], [c, d]].map(([one, other]) => [get(one), get(other), pick(0, 4, 1, 5), get(one), get(other), pick(2, 6, 3, 7), add, set(one)]),
    get(a), get(c), pick(0, 1, 4, 5), get(a), get(c), pick(2, 3, 6, 7), add,
  ];
  const rowsOfX = [
    sums.flat().map((sum) => [zero, set(sum)]),
    number(0), set(i),
    loop(i, number(16), width, inner),
    sums.map((sum, r) => [get(yAt), get(out), number(r), mul, plus, joined(sum), store]),
    get(xAt), get(width), number(rows), mul, plus, set(xAt),
    get(yAt), get(out), number(rows), mul, plus, set(yAt),
  ];
  const rowsOfW = [
    number(0), set(t),
    get(x), set(xAt),
    get(y), get(row), plus, set(yAt),
    loop(t, number(rows), n, rowsOfX),
    get(w), get(width), number(4), mul, plus, set(w),
  ];
  const body = [number(0), set(row), loop(row, number(16), out, rowsOfW), END].flat(Infinity);
  const locals = counted([...leb(end + 1 - 6), I32], [...leb(5 + 4 * rows), V128]);
  return sized([...locals, ...body]);
}

/** The module: it takes a memory, m.m, and gives product1 and product2, for one row of x at a time and for two. */
export const MODULE = Uint8Array.from([
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,   // "\0asm", version 1
  ...section(1, counted([0x60, ...counted(...Array(6).fill([I32])), 0])),
  ...section(2, counted([...word("m"), ...word("m"), 0x02, 0x01, 0, ...leb(1 << 16)])),
  ...section(3, counted([0], [0])),
  ...section(7, counted([...word("product1"), 0, 0], [...word("product2"), 0, 1])),
  ...section(10, counted(productOf(1), productOf(2))),
]);

// ─── Its memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────
const ROOM = 1 << 18;   // numbers of x, and as many of y

const up = (n) => 4 * Math.ceil(n / 4);

/** What keeps so many numbers of weights and multiplies by them: { allocate, multiply } for readTensors and a Transformer, or null. */
export function simd(numbers) {
  let memory, product1, product2;
  try {
    const pages = Math.ceil(4 * (3 * ROOM + numbers) / 65_536);   // x, y, and what rounding takes
    memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    ({ product1, product2 } = new WebAssembly.Instance(new WebAssembly.Module(MODULE), { m: { m: memory } }).exports);
  } catch {   // no SIMD, no WebAssembly, a policy that forbids it, or no room
    return null;
  }
  const x = new Float32Array(memory.buffer, 0, ROOM), y = new Float32Array(memory.buffer, 4 * ROOM, ROOM);
  let free = 8 * ROOM;

  /** Room for n numbers. Behind a matrix up to three rows are read that are none of it; what comes of them counts for nothing. */
  function allocate(n) {
    const data = new Float32Array(memory.buffer, free, n);
    free += 4 * up(n);
    return data;
  }

  function multiplied(from, w, to, width) {
    const out = w.length / width, n = from.length / width, wide = up(out), rows = Math.floor(ROOM / Math.max(width, wide));
    if (w.buffer !== memory.buffer || width % 4 || !rows) return product(from, w, to, width);
    for (let start = 0; start < n; start += rows) {
      const some = Math.min(rows, n - start), even = some - some % 2;
      x.set(from.subarray(start * width, (start + some) * width));
      if (even) product2(0, w.byteOffset, y.byteOffset, even, 4 * width, 4 * wide);
      if (some > even) product1(4 * even * width, w.byteOffset, y.byteOffset + 4 * even * wide, 1, 4 * width, 4 * wide);
      for (let row = 0; row < some; row++) to.set(y.subarray(row * wide, row * wide + out), (start + row) * out);
    }
  }

  return { allocate, multiply: multiplied };
}
