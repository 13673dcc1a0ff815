// A view's script as viz/canvas.py puts it together: canvas.js in the place of the import from it.
import { readFileSync } from "node:fs";

const read = (name) => readFileSync(new URL(`../viz/${name}`, import.meta.url), "utf8");
const IMPORT = /^import \{[^}]*\} from "\.\.\/canvas\.js";\n/m;

/** The module of a view's script, e.g. script("attention/heads.js"). */
export function script(name) {
  const source = read(name).replace(IMPORT, () => read("canvas.js"));
  return import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
}

/** One module of scripts of viz/page, each after those that it imports, e.g. page("engine.js", "checkpoint.js"). */
export function page(...names) {
  const source = names.map((name) => read(`page/${name}`).replace(/^import [^;]*;\n/gm, "")).join("\n");
  return import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
}
