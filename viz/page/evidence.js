// The twin of PruningExplorer (viz/evidence/pruning.py): what the model says with the first n heads of an order gone.

import { Explorer } from "./explorer.js";
import { clean } from "./checkpoint.js";

const PROBES = { encoder: "encoder.*.self_attention.heads", decoder: "decoder.*.self_attention.heads",
  cross: "decoder.*.cross_attention.heads" };

/** The edits that take heads out, [[kind, layer, head], …]: one for each layer that loses any. */
export function withoutHeads(gone) {
  const edits = new Map();
  for (const [kind, layer, head] of gone) {
    const probe = PROBES[kind].replace("*", layer);
    if (!edits.has(probe)) edits.set(probe, { probe, heads: [] });
    edits.get(probe).heads.push(head);
  }
  return [...edits.values()];
}

export class PruningExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    this.answered = { n: this.get("n"), order: this.get("order") };
    for (const name of ["n", "order"]) view.on(`change:${name}`, () => this.moved(name));
  }

  async read(ask, text) { return ask({ kind: "greedy", text, most: this.known.most }); }

  contents() { return { meta: { text: clean(this.text) }, known: [{ order: 0, n: 0, translation: this.reading.text }] }; }

  async take(reading, text, ask) {
    await super.take(reading, text);
    await this.settle(ask);
  }

  told() { return this.reading.text; }

  /** Whether these heads were taken out before. */
  get askedBefore() { return this.get("known").some(({ order, n }) => order === this.get("order") && n === this.get("n")); }

  moved(name) {
    if (!this.askedBefore) return void this.follow(name, this.answered[name], (ask) => this.settle(ask), "translating");
    this.answered[name] = this.get(name);
    this.leaving?.abort();
    this.say(this.toldNow());
  }

  async settle(ask) {
    if (this.askedBefore) return;
    await this.own(ask);
    const [order, n] = [this.get("order"), this.get("n")], { text, known: { most } } = this;
    const edits = withoutHeads(this.get("meta").orders[order].heads.slice(0, n));
    const { text: translation } = await ask({ kind: "greedy", text, most, edits });
    this.answered = { n, order };
    if (!this.askedBefore) this.view.set("known", [...this.get("known"), { order, n, translation }]);
  }
}
