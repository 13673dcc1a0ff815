// What every view's script keeps to: node --test tests/
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

const viz = new URL("../viz/", import.meta.url);

for (const name of readdirSync(viz).filter((file) => file.endsWith(".js"))) {
  test(`${name} writes no markup, sets no globals and names no address`, () => {
    const source = readFileSync(new URL(name, viz), "utf8");
    assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacent|document\.write|eval\(/);
    assert.doesNotMatch(source, /https?:|globalThis\.|window\.[a-zA-Z]+ ?=[^=]/);
  });

  test(`${name} defines no method twice in a class: the second would silently take the first one's place`, () => {
    const classes = readFileSync(new URL(name, viz), "utf8").split(/^(?:export )?class /m).slice(1);
    for (const body of classes) {
      const methods = [...body.matchAll(/^ {2}((?:[gs]et )?\w+)\(.*\) \{/gm)].map(([, method]) => method);
      assert.deepEqual(methods.filter((method, i) => methods.indexOf(method) < i), []);
    }
  });
}
