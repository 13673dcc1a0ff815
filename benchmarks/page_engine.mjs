// The page's model in node: each line of standard input is a question (viz/page/questions.js) as JSON, each line of standard output
// its answer, tensors as base64 of float32, and how long it took in `ms`. `checkpoint` names the folder; `plain` forbids WebAssembly.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const SCRIPTS = ["engine.js", "context.js", "checkpoint.js", "questions.js"];

/** The page's scripts as one module. */
async function engine() {
  const folder = mkdtempSync(join(tmpdir(), "engine-")), file = join(folder, "engine.mjs");
  const read = (name) => readFileSync(new URL(`../viz/page/${name}`, import.meta.url), "utf8");
  writeFileSync(file, SCRIPTS.map((name) => read(name).replace(/^import [^;]*;\n/gm, "")).join("\n"));
  try {
    return await import(pathToFileURL(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { Tokenizer, answer, finish, modelOf, readTensors } = await engine();

function loaded(folder) {
  const read = (name) => readFileSync(join(folder, name)), config = JSON.parse(read("config.json"));
  const tokenizer = new Tokenizer(read("tokenizer.model"));
  const tgtTokenizer = config.tgt_vocab_size ? new Tokenizer(read("tgt_tokenizer.model")) : tokenizer;
  return { model: modelOf(config, finish(readTensors(read("model.safetensors")))), tokenizer, tgtTokenizer };
}

const translators = new Map();
const base64 = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64");
const packed = (_, value) => (value instanceof Float32Array ? { base64: base64(value) } : value);

function answered({ checkpoint, plain, ...question }) {
  const key = `${checkpoint} ${plain}`;
  if (!translators.has(key)) translators.set(key, loaded(checkpoint));
  const began = performance.now();
  try {
    if (question.kind === "encode") return { ids: translators.get(key).tokenizer.encode(question.text) };
    if (question.kind === "decode") return { text: translators.get(key).tgtTokenizer.decode(question.ids) };
    return { ...finish(answer(question, translators.get(key))), ms: performance.now() - began };
  } catch (error) {
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answered(JSON.parse(line)), packed)}\n`);
}
