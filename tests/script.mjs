// A view's script as viz/canvas.py puts it together: what it imports in the places of the imports.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const read = (name) => readFileSync(new URL(`../viz/${name}`, import.meta.url), "utf8");
const IMPORT = /^import \{[^}]*\} from "\.\.?\/(\w+\.js)";\n/gm;
const whole = (name) => read(name).replace(IMPORT, (_, other) => whole(other));

/** The module of a view's script, e.g. script("attention/heads.js"). */
export function script(name) {
  return import(`data:text/javascript;base64,${Buffer.from(whole(name)).toString("base64")}`);
}

/** One module of scripts of viz/page, each after those that it imports, e.g. page("engine.js", "checkpoint.js"). */
export async function page(...names) {
  const folder = mkdtempSync(join(tmpdir(), "page-")), file = join(folder, "page.mjs");   // a file's errors are short
  writeFileSync(file, names.map((name) => read(`page/${name}`).replace(/^import [^;]*;\n/gm, "")).join("\n"));
  try {
    return await import(pathToFileURL(file));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
