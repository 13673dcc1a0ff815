// The twin of GateExplorer (viz/context/gate.py): what the gates of a context-aware encoder mix, as studies/context.py reads it.

import { clean } from "./checkpoint.js";
import { Explorer, joinedNumbers } from "./explorer.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** A sentence with a|b in one place as [the word, the sentence] for each; without, the sentence alone. */
export function alternatives(text, most) {
  const words = clean(text).split(" "), places = [...words.keys()].filter((i) => words[i].includes("|")), [at] = places;
  if (!places.length) return [["", words.join(" ")]];
  const stem = words[at].replace(/[.,;:!?]+$/, ""), choices = stem.split("|"), ending = words[at].slice(stem.length);
  if (places.length > 1 || choices.some((choice) => !choice) || choices.length > most) {
    throw new Error(`The sentence should have one word with 2 to ${most} alternatives, such as old|young.`);
  }
  return choices.map((choice) => [choice, words.map((word, i) => (i === at ? choice + ending : word)).join(" ")]);
}

// ------------------------------------------------------------------------------------------------------ the explorer

export class GateExplorer extends Explorer {
  async read(ask, text) {
    const { most, most_sentences } = this.known, choices = alternatives(text, most_sentences), sentences = [];
    for (const [word, sentence] of choices) {
      const answer = await ask({ kind: "memory", text: sentence, record: "encoder.*.self_attention.*" });
      if (answer.src.length > most) {
        throw new Error(`This sentence has ${answer.src.length} tokens, more than the ${most} shown; try a shorter one.`);
      }
      sentences.push({ ...answer, word, text: sentence });
    }
    if (new Set(sentences.map(({ src }) => src.length)).size > 1) {
      const counts = sentences.map(({ word, src }) => `${word} ${src.length}`).join(", ");
      throw new Error(`The sentences have different numbers of tokens (${counts}); try other words, of one token each.`);
    }
    return { sentences, src_pieces: sentences[0].src_pieces };
  }

  /** Of each layer: Q, C·U_Q, K and C·U_K (H, n, K), then λ_Q and λ_K (n, G), 0 where a layer has no context. */
  numbers({ src, trace }) {
    const { n_layers, n_gates } = this.get("meta"), none = new Float32Array(src.length * n_gates);
    const parts = Array.from({ length: n_layers }, (_, layer) => {
      const of = (name) => trace[`encoder.${layer}.self_attention.${name}`]?.data;
      const mixed = ["q", "k"].flatMap((side) => ["alone", "context"].map((part) => of(`w_${side}.${part}`) ?? of(side)));
      return [...mixed, ...["q", "k"].map((side) => of(`w_${side}.gate`) ?? none)];
    });
    return joinedNumbers(parts.flat());
  }

  contents() {
    const { sentences } = this.reading;
    const named = sentences.map(({ word, text, src_pieces: tokens }) => ({ name: word || text, text, tokens }));
    const meta = { sentences: named, n_sentences: sentences.length, n: sentences[0].src.length };
    return { data: joinedNumbers(sentences.map((sentence) => this.numbers(sentence))), meta };
  }

  /** The first sentence, and the places of the old one as far as the new one has them. */
  afresh({ meta: { n } }) { return { sentence: 0, query: Math.min(this.get("query"), n - 1), key: Math.min(this.get("key"), n - 1) }; }

  told() {
    const { sentences: [{ src }, ...others] } = this.reading, n = others.length + 1;
    return `${src.length} tokens; ${n > 1 ? `${n} sentences that differ in one word` : "write old|young for two sentences in one"}`;
  }
}
