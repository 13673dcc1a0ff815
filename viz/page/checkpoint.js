// What a checkpoint's files hold: tokenizer.model cuts text and joins it again, model.safetensors are the weights (sections 5 and 7 of
// transformer_core.py).

import { MODELS, UNK } from "./engine.js";
import { simd } from "./kernel.js";

// ─── 5 Text ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
const SPACES = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;   // as Python's str.split sees them

/** One space between words, none at the ends. */
export const clean = (text) => text.split(SPACES).filter(Boolean).join(" ");

/** Go through a message of protocol buffers from start to end: hear(number, value, end) has each field, a number, or where bytes begin. */
function fields(view, start, end, hear) {
  let at = start;
  const varint = () => {
    for (let value = 0, place = 1; ; place *= 128) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * place;
      if (byte < 128) return value;
    }
  };
  while (at < end) {
    const key = varint(), number = Math.floor(key / 8), kind = key % 8;
    if (kind === 0) hear(number, varint());
    else if (kind === 5) hear(number, view.getFloat32((at += 4) - 4, true));
    else if (kind === 1) at += 8;
    else {
      const n = varint();
      hear(number, at, at += n);
    }
  }
}

const WRITTEN = "▁ ";   // a "▁" that the reader wrote is no space, and no piece is like it
const NORMAL = 1, BYTE = 6;   // kinds of pieces: learned, and such as stand for one byte
const written = (byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;

/** A SentencePiece vocabulary: BPE, and the rest in bytes. */
export class Tokenizer {
  /** bytes: of a tokenizer.model. */
  constructor(bytes) {
    Object.assign(this, { names: [], isByte: [], ids: new Map(), ranks: new Map() });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), decoder = new TextDecoder();
    fields(view, 0, bytes.length, (part, start, end) => {
      if (part !== 1) return;   // a piece: its text, score and kind
      const piece = [0, "", 0, NORMAL];
      fields(view, start, end, (number, value, last) => {
        piece[number] = number === 1 ? decoder.decode(bytes.subarray(value, last)) : value;
      });
      const [, name, score, kind] = piece;
      if (kind === NORMAL) this.ranks.set(name, -score);
      this.ids.set(name, this.names.push(name) - 1);
      this.isByte.push(kind === BYTE);
    });
    if (this.names.slice(0, 4).join(" ") !== "<pad> <s> </s> <unk>") throw new Error("These bytes are no SentencePiece model.");
  }

  get size() { return this.names.length; }

  /** Text to ids, without bos and eos. */
  encode(text) {
    const words = clean(text).split(" ").filter(Boolean);   // no piece goes beyond a word
    return words.flatMap((word) => this.cut(["▁", ...Array.from(word, (letter) => (letter === "▁" ? WRITTEN : letter))]));
  }

  /** The ids of a word's characters: the neighbours that were learned first become one piece, until none are left. */
  cut(pieces) {
    const rank = (at) => this.ranks.get(pieces[at - 1] + pieces[at]) ?? Infinity;
    const ranks = pieces.map((_, at) => (at ? rank(at) : Infinity));   // of each piece with the one before
    for (;;) {
      let next = 0;
      for (let at = 1; at < ranks.length; at++) if (ranks[at] < ranks[next]) next = at;
      if (!next) break;
      pieces.splice(next - 1, 2, pieces[next - 1] + pieces[next]);
      ranks.splice(next, 1);
      for (const at of [next - 1, next]) if (at > 0 && at < pieces.length) ranks[at] = rank(at);
    }
    const bytes = (piece) => Array.from(new TextEncoder().encode(piece === WRITTEN ? "▁" : piece), written);
    return pieces.flatMap((piece) => (this.ranks.has(piece) ? [piece] : bytes(piece))).map((name) => this.ids.get(name) ?? UNK);
  }

  /** Ids to text; padding, begin and end vanish, and unknown is " ⁇ ". */
  decode(ids) {
    let text = "", bytes = [];
    const flush = () => { text += utf8(bytes); bytes = []; };
    for (const id of ids.filter((id) => id >= UNK)) {
      if (this.isByte[id]) { bytes.push(parseInt(this.names[id].slice(3, 5), 16)); continue; }
      flush();
      text += id === UNK ? " ⁇ " : this.names[id].replaceAll("▁", " ");
    }
    flush();
    return text.replace(/^ /, "");
  }

  /** The written form of each id. */
  pieces(ids) { return ids.map((id) => this.names[id]); }
}

/** The text that bytes spell; each byte that belongs to no character is one "\ufffd". */
function utf8(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at], n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      text += new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes.slice(at, at + n)));
      at += n;
    } catch {
      text += "\ufffd";
      at++;
    }
  }
  return text;
}

// ─── 7 Checkpoints ───────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** The numbers that halves stand for: all 65,536 of them. */
function halves() {
  return Float32Array.from({ length: 65_536 }, (_, bits) => {
    const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  });
}

/** Stored numbers as float32: `data` becomes values, by the table of halves, or by the scale of their row. */
function widen(data, values, half, scales) {
  const width = data.length / scales?.length;
  if (scales) scales.forEach((scale, row) => { for (let at = row * width; at < (row + 1) * width; at++) data[at] = values[at] * scale; });
  else if (half) for (let at = 0; at < data.length; at++) data[at] = half[values[at]];
  else data.set(values);
}

/** What a safetensors file holds: its tensors, [name, { dtype, shape, data_offsets }], and where their bytes begin. */
function contentsOf(bytes) {
  const start = 8 + Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(0, true));
  const { __metadata__, ...header } = JSON.parse(new TextDecoder().decode(bytes.subarray(8, start)));
  return { header, start };
}

/** How many numbers these weights are. */
export const countNumbers = (bytes) =>
  Object.values(contentsOf(bytes).header).reduce((sum, { shape }) => sum + shape.reduce((a, b) => a * b, 1), 0);

/** The tensors of a safetensors file as float32, by name; beside a NAME of int8 NAME.scale has what each of its rows is multiplied by.
 *
 * allocate(n): where n numbers are to lie. */
export function* readTensors(bytes, allocate = (n) => new Float32Array(n)) {
  const { header, start } = contentsOf(bytes), half = halves(), tensors = {};
  yield;
  const stored = (name) => {
    const { dtype, data_offsets: [from, to] } = header[name], kind = { F32: Float32Array, F16: Uint16Array, I8: Int8Array }[dtype];
    if (!kind) throw new Error(`${name} is stored as ${dtype}; known are F32, F16 and I8.`);
    return new kind(bytes.buffer.slice(...[from, to].map((at) => bytes.byteOffset + start + at)));
  };
  for (const [name, { dtype, shape }] of Object.entries(header)) {
    if (name.endsWith(".scale") && header[name.slice(0, -6)]) continue;
    const values = stored(name), data = allocate(values.length);
    widen(data, values, dtype === "F16" ? half : null, dtype === "I8" ? stored(`${name}.scale`) : null);
    tensors[name] = { data, shape };
    yield;
  }
  return tensors;
}

/** A model of these weights; config: what config.json says. */
export function modelOf(config, weights, multiply) {
  const kind = config.kind ?? (config.context ? "context" : "transformer");
  if (!MODELS[kind]) throw new Error(`The model is of the kind "${kind}"; known are ${Object.keys(MODELS).join(", ")}.`);
  return new MODELS[kind](config, weights, multiply);
}

/** The bytes that base64 text stands for. */
function bytesOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** The parts of a packed model (core_options/page_weights.py) as bytes; it is refused if it is damaged. told: hears how far it is. */
export async function unpackedModel({ name, parts, sha256, base64 }, told = () => {}) {
  const bytes = new Uint8Array(Object.values(parts).reduce((a, b) => a + b));
  let next = 0, at = 0;
  const packed = new ReadableStream({
    async pull(stream) {
      if (next === base64.length) return stream.close();
      stream.enqueue(bytesOf(base64[next++]));
      await new Promise((resolve) => setTimeout(resolve));   // the page goes on
    },
  });
  try {
    for (const reader = packed.pipeThrough(new DecompressionStream("gzip")).getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes.set(value, at);
      at += value.length;
      told({ n: at, limit: bytes.length });
    }
    if (at !== bytes.length) throw new Error("it is too short");
    const digest = await crypto.subtle?.digest("SHA-256", bytes);   // not everywhere; gzip has a checksum of its own
    const hex = digest && Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (hex && hex !== sha256) throw new Error("its digest is another");
  } catch (error) {
    throw new Error(`The weights of ${name} are damaged (${error.message}); copy them again.`);
  }
  let end = 0;
  return Object.fromEntries(Object.entries(parts).map(([part, size]) => [part, bytes.subarray(end, end += size)]));
}

/** A model with its tokenizers, which questions.js asks: config is config.json's, the others are bytes; way "plain": no WebAssembly. */
export function* translatorOf({ config, weights, tokenizer, tgt_tokenizer }, way = "") {
  const kernel = way === "plain" ? null : simd(countNumbers(weights));
  yield;
  const source = new Tokenizer(tokenizer);
  yield;
  const model = modelOf(config, yield* readTensors(weights, kernel?.allocate), kernel?.multiply);
  const target = tgt_tokenizer ? new Tokenizer(tgt_tokenizer) : source, sizes = [source.size, target.size];
  const rows = [config.vocab_size, model.words];
  if (`${sizes}` !== `${rows}`) throw new Error(`Tokenizers of ${sizes} pieces do not match the model's ${rows}; use its own.`);
  return { model, tokenizer: source, tgtTokenizer: target, way: kernel ? "simd" : "plain" };
}
