// The twin of AlignmentExplorer (viz/recurrence/alignment.py): three recurrent translators say what is typed, step by step.

import { clean } from "./checkpoint.js";
import { Explorer, joinedNumbers } from "./explorer.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** What the view must know of a sentence whose steps are known, and its numbers one after the other; at: where these will begin. */
export function packedSteps(name, steps, at = 0) {
  const numbers = [], models = {};
  for (const [model, { parts, likeliest, ...step }] of Object.entries(steps)) {
    const places = {};
    for (const [part, values] of Object.entries(parts)) {
      places[part] = [at, values.length];
      numbers.push(values);
      at += values.length;
    }
    models[model] = { ...step, places, likeliest: likeliest.map((row) => row.map(([word, p]) => [word, Number(p.toFixed(4))])) };
  }
  return [{ models, name }, joinedNumbers(numbers)];
}

/** The same sentence where its numbers begin so much further on. */
export function movedOn({ models, ...sentence }, by) {
  const placed = (places) => Object.fromEntries(Object.entries(places).map(([part, [at, n]]) => [part, [at + by, n]]));
  const moved = Object.entries(models).map(([name, model]) => [name, { ...model, places: placed(model.places) }]);
  return { ...sentence, models: Object.fromEntries(moved) };
}

// ------------------------------------------------------------------------------------------------------ the explorer

export class AlignmentExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    const data = view.get("data"), numbers = new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength));
    this.list = { sentences: view.get("meta").sentences, numbers };   // they stay in the list
  }

  async read(ask, text) {
    const { list: { sentences }, known: { most } } = this, name = clean(text), steps = {};
    if (sentences.some((sentence) => sentence.name === name)) return { name };
    for (const which of Object.keys(sentences[0].models)) {
      steps[which] = await ask({ kind: "steps", text, which });
      const n = steps[which].keys.length - 1;
      if (n > most) throw new Error(`This sentence has ${n} pieces, more than the ${most} shown; try a shorter one.`);
    }
    return { name, steps };
  }

  /** The list, and before it the sentence that is not in it. */
  contents() {
    const { list: { sentences, numbers }, reading: { name, steps } } = this;
    if (!steps) return { data: numbers, meta: { sentences } };
    const [first, own] = packedSteps(name, steps);
    const meta = { sentences: [first, ...sentences.map((sentence) => movedOn(sentence, own.length))] };
    return { data: joinedNumbers([own, numbers]), meta };
  }

  afresh({ meta: { sentences } }) {
    return { sentence: sentences.findIndex(({ name }) => name === this.reading.name), step: 0, place: -1 };
  }

  get shown() { return this.get("meta").sentences.find(({ name }) => name === this.reading.name).models; }

  pieces() { return Object.values(this.shown)[0].keys.slice(0, -1); }

  told() {
    const { names } = this.get("meta");
    return Object.entries(this.shown).map(([name, { text }]) => `${names[name]}: ${text}`).join(" · ");
  }
}
