// What stands behind views in a page, in node: one JSON on standard input, one line of JSON for each act on standard output.
//
// { scripts, model, twin, state, acts }: the scripts of viz/page, the file of a model as pages have it, what Canvas.frozen says of a
// view. An act is ["answer", text], ["set", { trait: value }] or ["ask", message]; what comes of it are the traits, the line and replies.
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";

import { modelOf, revived } from "../viz/page.js";
import { page } from "./script.mjs";

const { scripts, model, twin, state, acts } = JSON.parse(await text(process.stdin));
const { Answers, ...all } = await page(...scripts);

/** What a model's script tells a page. */
function packedModel(file) {
  let detail;
  const document = { dispatchEvent: (event) => { detail = event.detail; } };
  new Function("document", readFileSync(file, "utf8"))(document);
  return detail;
}

const plain = (_, value) => (ArrayBuffer.isView(value) ? { bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") }
  : value === Infinity ? "inf" : value === -Infinity ? "-inf" : value);
const traits = revived(state), view = modelOf(traits), heard = [];
view.on("msg:custom", (message, buffers) => heard.push({ ...message, buffers }));
const explorer = new all[twin.is](view, new Answers({ source: null, read: () => packedModel(model) }), revived(twin));
for (const [kind, what] of acts) {
  if (kind === "answer") await explorer.answer(what);
  if (kind === "set") explorer.set(what);
  if (kind === "ask") await explorer.asked(what);
  await explorer.working;
  process.stdout.write(`${JSON.stringify({ traits, line: explorer.line, heard: heard.splice(0) }, plain)}\n`);
}
