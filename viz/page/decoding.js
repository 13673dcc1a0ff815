// The twin of BeamExplorer (viz/decoding/beam.py): the trees of beam searches of every width, as studies/decoding.py notes them.

import { Explorer, joinedNumbers } from "./explorer.js";

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

// ------------------------------------------------------------------------------------------------------ the explorer

export class BeamExplorer extends Explorer {
  async read(ask, text) {
    const { most, widths, alpha } = this.known, known = new Map(), places = [], names = {}, trees = [];
    let last;
    for (let width = 1; width <= widths; width++) {
      last = await ask({ kind: "search", text, most, beam_size: width, alpha, top: Math.max(TOP, width + MORE), attention: true });
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
    return `${src.length - 1} source tokens: at most ${limit} in the translation; searched with beams of 1 to ${this.known.widths}`;
  }
}
