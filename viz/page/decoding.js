// The twins of BeamExplorer and ForcedExplorer (viz/decoding): the trees of beam searches of every width, and a sentence read with a
// reference and with its own translation, as studies/decoding.py has them.

import { Explorer, joinedNumbers } from "./explorer.js";
import { nextLogProbs } from "./engine.js";
import { clean } from "./checkpoint.js";

const [LIVE, FINISHED, NO_SLOT, BELOW] = [0, 1, 2, 3], MORE = 3, TOP = 10;   // what became of a candidate; how many are noted

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** What a step of a search considered, best first: the beam, and MORE candidates below it, as columns. */
export function candidates({ before, parents, tokens, log_prob, has_slot, ended, likeliest }) {
  const near = likeliest.flatMap(({ ids, log_probs }, row) => ids.map((token, n) => [row, token, Math.fround(before[row] + log_probs[n])]));
  near.sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
  const fate = (row) => (ended[row] ? FINISHED : has_slot[row] ? LIVE : NO_SLOT);
  const beam = parents.map((parent, row) => [parent, tokens[row], log_prob[row], fate(row)]).filter((each) => each[2] > -Infinity);
  const inBeam = new Set(beam.map(([parent, token]) => `${parent} ${token}`));
  const rest = near.slice(0, parents.length + MORE).filter(([row, token, sum]) => !inBeam.has(`${row} ${token}`) && sum > -Infinity);
  const rows = [...beam, ...rest.slice(0, MORE).map((each) => [...each, BELOW])];
  return Object.fromEntries(["parent", "token", "log_prob", "fate"].map((name, column) => [name, rows.map((row) => row[column])]));
}

/** The tree of a search, its steps as columns; known (place by beginning) and places gain new beginnings, names new tokens. */
export function grown({ steps, limit }, width, known, places, names) {
  let beginnings = Array.from({ length: width }, () => "");   // the tokens of each hypothesis
  const noted = steps.map((step) => {
    const at = Array.from(step.before, (sum, rank) => {
      if (sum === -Infinity) return -1;
      const { ids, pieces, log_probs } = step.likeliest[rank];
      ids.forEach((id, n) => { names[id] = pieces[n]; });
      if (!known.has(beginnings[rank])) {
        const probabilities = log_probs.slice(0, TOP).map((value) => Number(Math.exp(value).toPrecision(6)));
        known.set(beginnings[rank], places.push({ tokens: ids.slice(0, TOP), probabilities, attention: step.attention[rank] }) - 1);
      }
      return known.get(beginnings[rank]);
    });
    step.tokens.forEach((token, n) => { names[token] = step.pieces[n]; });
    beginnings = step.parents.map((parent, n) => `${beginnings[parent]} ${step.tokens[n]}`);
    return { ...candidates(step), places: at };
  });
  return { width, limit, steps: noted };
}

/** Two distributions over V tokens: those that are among the likeliest of either, with both probabilities, and how far they are apart. */
export function placeOf(taught, alone, named, names) {
  const top = (p) => Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b).slice(0, named);
  const most = (i) => Math.max(taught[i], alone[i]), ids = [...new Set([...top(taught), ...top(alone)])];
  ids.sort((a, b) => most(b) - most(a) || a - b);
  const short = (p) => ids.map((i) => Number(p[i].toPrecision(6)));
  const apart = taught.reduce((sum, p, i) => sum + Math.abs(p - alone[i]), 0) / 2;
  return { words: names(ids), taught: short(taught), alone: short(alone), apart };
}

/** The first place at which two lists differ; null if they do not. */
export function divergence(one, other) {
  const at = Array.from({ length: Math.max(one.length, other.length) }, (_, i) => i).find((i) => one[i] !== other[i]);
  return at ?? null;
}

/** The place behind the first divergence. */
const behind = (parts, n) => Math.min(parts === null ? 0 : parts + 1, n - 1);

/** Cross-attention of all layers, each (H, T, S), place by place: numbers (n, L, H, S). */
export function byPlace(tensors, n) {
  return joinedNumbers(Array.from({ length: n }, (_, t) => tensors.flatMap(({ data, shape: [H, T, S] }) =>
    Array.from({ length: H }, (_, h) => data.subarray((h * T + t) * S, (h * T + t + 1) * S)))).flat());
}

// ------------------------------------------------------------------------------------------------------ the explorers

export class BeamExplorer extends Explorer {
  async read(ask, text) {
    const { most, widths, alpha } = this.known, known = new Map(), places = [], names = {}, trees = [];
    let last;
    for (let width = 1; width <= widths; width++) {
      last = await ask({ kind: "search", text, most, beam_size: width, alpha, top: Math.max(TOP, width + MORE), attention: true },
        `beam of ${width}, of 1 to ${widths}`);
      trees.push(grown(last, width, known, places, names));
    }
    const { src, src_pieces } = last;
    return { src, src_pieces, trees, places, names };
  }

  contents() {
    const { src_pieces: source, trees, places, names } = this.reading;
    const used = new Set([...trees.flatMap(({ steps }) => steps.flatMap(({ token }) => token)), ...places.flatMap(({ tokens }) => tokens)]);
    const words = Object.fromEntries([...used].map((id) => [id, names[id]]));
    const likeliest = places.map(({ tokens, probabilities }) => [tokens, probabilities]);
    return { trees, data: joinedNumbers(places.map((place) => place.attention)), meta: { title: this.text, source, words, likeliest } };
  }

  afresh() { return { node: [], step: 0 }; }

  told() {
    const { src, trees: [{ limit }] } = this.reading;
    const searched = `searched with beams of 1 to ${this.known.widths}`;
    return `${src.length - 1} source tokens and </s>: at most ${limit} in the translation; ${searched}`;
  }
}

const CROSS = "decoder.*.cross_attention.weights";

export class ForcedExplorer extends Explorer {
  async read(ask, text) {
    const [sentence, ...rest] = text.split("|"), reference = rest.join("|"), { most, named } = this.known, top = named + 2;
    const first = clean(reference) ? { target: clean(reference) } : { ids: (await ask({ kind: "translate", text: sentence, most })).ids };
    const taught = await ask({ kind: "read", text: sentence, ...first, record: CROSS, most, top });
    if (first.target && taught.ids.length > most) {
      throw new Error(`This sentence has ${taught.ids.length} tokens, more than the ${most} shown; try a shorter one.`);
    }
    const alone = await ask({ kind: "read", src: taught.src, record: CROSS, top });   // without ids: its own greedy translation
    return { sentence: sentence.trim(), taught, alone, src_pieces: taught.src_pieces, hasReference: "target" in first };
  }

  contents() {
    const { sentence, taught, alone, src_pieces: source } = this.reading, sides = [taught, alone];
    const n_places = Math.min(taught.ids.length, alone.ids.length), [, V] = taught.logits.shape, names = new Map();
    for (const { likeliest } of sides) for (const { ids, pieces } of likeliest) ids.forEach((id, i) => names.set(id, pieces[i]));
    const row = ({ logits: { data } }, t) => nextLogProbs(data.slice(t * V, (t + 1) * V), V).map(Math.exp);
    const places = Array.from({ length: n_places }, (_, t) =>
      placeOf(row(taught, t), row(alone, t), this.known.named, (ids) => ids.map((id) => names.get(id))));
    const { n_layers, n_heads } = this.get("meta"), [reference, own] = sides.map(({ pieces }) => pieces);
    const data = joinedNumbers(sides.map(({ trace }) => byPlace(Object.values(trace), n_places)));
    const parts = divergence(taught.ids, alone.ids);
    return { data, meta: { title: sentence, reference, own, source, places, parts, n_places, n_layers, n_heads } };
  }

  afresh({ meta: { parts, n_places } }) { return { place: behind(parts, n_places) }; }

  told() {
    const { taught, alone } = this.reading, parts = divergence(taught.ids, alone.ids);
    const where = parts === null ? "never leaves the reference" : `leaves the reference at place ${parts + 1}`;
    const standsIn = this.reading.hasReference ? "" : "no reference after a bar (|): a beam of 4 gives it · ";
    return `${standsIn}alone it says: ${alone.text} · ${where}`;
  }
}
