// The page's model in node: each line of standard input is a question (viz/page/questions.js) as JSON, each line of standard output
// its answer, tensors as base64 of float32, and how long it took: `ms` on the clock, `cpu_ms` of the processor. `checkpoint` names the folder; `way` "plain" forbids WebAssembly.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const SCRIPTS = ["engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js"];

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

const { answer, finish, translatorOf } = await engine();

function loaded(folder, way) {
  const read = (name) => readFileSync(join(folder, name)), config = JSON.parse(read("config.json"));
  const files = { config, weights: read("model.safetensors"), tokenizer: read("tokenizer.model") };
  if (config.tgt_vocab_size) files.tgt_tokenizer = read("tgt_tokenizer.model");
  return finish(translatorOf(files, way));
}

const translators = new Map();
const base64 = ({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength).toString("base64");
const packed = (_, value) => (value instanceof Float32Array ? { base64: base64(value) } : value);

function answered({ checkpoint, way, ...question }) {
  const key = `${checkpoint} ${way}`;
  if (!translators.has(key)) translators.set(key, loaded(checkpoint, way));
  const translator = translators.get(key), began = performance.now(), spent = process.cpuUsage();
  try {
    if (question.kind === "encode") return { ids: translator.tokenizer.encode(question.text) };
    if (question.kind === "decode") return { text: translator.tgtTokenizer.decode(question.ids) };
    const known = finish(answer(question, translator)), { user, system } = process.cpuUsage(spent);
    return { ...known, ms: performance.now() - began, cpu_ms: (user + system) / 1000, way: translator.way };
  } catch (error) {
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(answered(JSON.parse(line)), packed)}\n`);
}
