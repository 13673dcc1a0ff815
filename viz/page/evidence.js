// The twins of AnswersExplorer, PruningExplorer and GraphExplorer (viz/evidence): how much each word matters by what matter.js computes,
// what the model says with the first n heads of an order gone, and what one word's row is made of through all layers, as
// studies/rollout.py spreads it out.

import { Explorer, compared, joinedNumbers, withoutHeads } from "./explorer.js";
import { clean } from "./checkpoint.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const EDGES = ["encoder", "decoder", "cross", "encoder residual", "decoder residual"];   // what an edge's kind is the place in
const LEAST = 0.005;   // of a row's whole: edges below are not even kept

const columns = (table, n) => Array.from({ length: n }, (_, j) => table.reduce((total, row) => total + row[j], 0));

/** One row's graph as studies.rollout.graph spreads it out, edge by edge: [kind, layer, head, from, to, amount] one after another. */
export function edgesOfRow({ encoder, decoder, cross }, row) {
  const L = cross.length, T = cross[0].added.length, S = encoder[0].added.length, numbers = [];
  const keep = (kind, layer, tables) => tables.amounts.forEach((amounts, i) => amounts.forEach((amount, j) => {
    if (amount >= LEAST) numbers.push(EDGES.indexOf(kind), layer, tables.heads?.[i][j] ?? -1, i, j, amount);
  }));
  /** What goes down from a layer's rows: to its keys by its heads, and past it, from what each row holds. */
  const down = (kind, layer, held, { added, heads, stays }) => {
    const amounts = added.map((shares, i) => shares.map((share) => held[i] * share)), past = held.map((amount, i) => amount * stays[i]);
    keep(kind, layer, { amounts, heads });
    return { read: columns(amounts, added[0].length), past };
  };
  const passed = (stack, layer, past) =>
    keep(`${stack} residual`, layer, { amounts: past.map((amount, i) => past.map((_, j) => (i === j ? amount : 0))) });
  let held = Array.from({ length: T }, (_, i) => Number(i === row)), memory = new Array(S).fill(0);
  for (let l = L - 1; l >= 0; l--) {
    const across = down("cross", l, held, cross[l]), own = down("decoder", l, across.past, decoder[l]);
    passed("decoder", l, own.past);
    memory = memory.map((amount, j) => amount + across.read[j]);
    held = own.read.map((amount, j) => amount + own.past[j]);
  }
  for (let l = encoder.length - 1; l >= 0; l--) {
    const own = down("encoder", l, memory, encoder[l]);
    passed("encoder", l, own.past);
    memory = own.read.map((amount, j) => amount + own.past[j]);
  }
  return numbers;
}

// ------------------------------------------------------------------------------------------------------ the explorers

export class AnswersExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    this.all = view.get("meta").answers;
  }

  async read(ask, text) { return ask({ kind: "matter", text, most: this.known.most, known: this.known.ids }); }

  /** The answers that there are so far, in the view's order. */
  contents() {
    const { answers, truths, pieces: target, src_pieces: source, text } = this.reading, { truths: named } = this.get("meta");
    const answered = this.all.filter(({ name }) => answers[name]);
    const tables = [...answered.map(({ name }) => answers[name]), ...named.map(({ name }) => truths[name])];
    return { data: joinedNumbers(tables), meta: { answers: answered, target, source, title: `${clean(this.text)} → ${text}` } };
  }

  /** The same answer as before; until it comes, the first. */
  afresh({ meta: { answers } }) {
    this.wanted = this.get("meta").answers[this.get("answer")].name;
    return { row: 0, answer: this.placeIn(answers) };
  }

  placeIn(answers) { return Math.max(0, answers.findIndex(({ name }) => name === this.wanted)); }

  async take(reading, text, ask) {
    await super.take(reading, text);
    await this.settle(ask);
  }

  /** Gradients come last, as they take the longest. */
  async settle(ask) {
    if (!this.reading || this.reading.answers.integrated) return;
    const { src, ids, answers } = this.reading, more = await ask({ kind: "gradients", src, ids, steps: this.known.steps });
    if (this.get("answer")) this.wanted = this.get("meta").answers[this.get("answer")].name;   // chosen meanwhile
    this.reading = { ...this.reading, answers: { ...answers, ...more } };
    const { data, meta } = this.contents();
    this.set({ data, answer: this.placeIn(meta.answers), meta: { ...this.get("meta"), ...meta } });
  }

  told() {
    const { text, src, ids } = this.reading;
    return `${text} · ${src.length} source, ${ids.length} target tokens`;
  }
}

export class GraphExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    this.off = view.get("off");
    view.on("change:off", () => { if (this.unanswered) this.follow("off", this.off, (ask) => this.settle(ask), "translating"); });
  }

  async read(ask, text, first) {
    const { most } = this.known, ids = first ?? (await ask({ kind: "translate", text, most })).ids;
    return ask({ kind: "shares", text, ids, most });
  }

  contents() {
    const { src_pieces: source, tgt_pieces: inputs, pieces: target, text, shares } = this.reading;
    const rows = target.map((_, row) => edgesOfRow(shares, row)), starts = [0];
    for (const numbers of rows) starts.push(starts.at(-1) + numbers.length / 6);
    const title = `${clean(this.text)} → ${text}`;
    return { data: joinedNumbers(rows), meta: { title, target, inputs, source, starts, n_layers: shares.cross.length, kinds: EDGES } };
  }

  afresh() { return { row: 0, pin: "", off: [], ablation: {} }; }

  async take(reading, text) {
    this.off = [];
    await super.take(reading, text);
  }

  told() { return this.reading.text; }

  get unanswered() { return JSON.stringify(this.get("off")) !== JSON.stringify(this.off); }

  async settle(ask) {
    if (!this.unanswered) return;
    await this.own(ask, () => this.ablate(ask));
    if (this.unanswered) await this.ablate(ask);
  }

  async ablate(ask) {
    const off = this.get("off"), { src, ids } = this.reading, edits = withoutHeads(off);
    let ablation = {};
    if (off.length) {
      const { text: after } = await ask({ kind: "greedy", src, edits }), { log_probs: then } = await ask({ kind: "read", src, ids, edits });
      ablation = { ...compared(this.reading, after, then), off };
    }
    this.off = off;
    this.view.set("ablation", ablation);
  }
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
