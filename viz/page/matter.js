// How much does source word j matter for target word i: the answers of studies/evidence.py and studies/rollout.py, each a table (T, S),
// row after row, and what really happens when the word is replaced. One more question of questions.js:
//
//   { kind: "matter", text, ids, known, off }   a reading, its `answers` and its `truths` by name; known: ids that may stand in for a
//                                               word; without ids the best translation
//
// Both gradients are not among them: gradients.js.

import { ANSWERS, edited, logProbsOf, sharesOf } from "./questions.js";

const RESIDUAL = 0.5;      // the share of each row that the residual carries in rollout and flow
const LEAST_FLOW = 1e-9;   // capacity or flow that counts

const table = (rows, columns, cell) =>
  Float64Array.from({ length: rows * columns }, (_, at) => cell(Math.floor(at / columns), at % columns));

/** The mean of some arrays, number by number. */
const meanOf = (arrays) => arrays[0].map((_, at) => arrays.reduce((sum, array) => sum + array[at], 0) / arrays.length);

// ─── Rollout ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** (n, k) times (k, m). */
function matrixProduct(left, right, k) {
  const n = left.length / k, m = right.length / k;
  return table(n, m, (i, j) => {
    let sum = 0;
    for (let at = 0; at < k; at++) sum += left[i * k + at] * right[at * m + j];
    return sum;
  });
}

/** What each layer's rows are mixed of, as studies.rollout.Mixing: encoder (S, S), decoder (T, T), cross (T, S) and stays (T,). */
export function mixingOf({ encoder, decoder, cross }) {
  const whole = ({ added, stays }) => Float64Array.from(added.flatMap((row, i) => row.map((share, j) => share + (i === j ? stays[i] : 0))));
  return { encoder: encoder.map(whole), decoder: decoder.map(whole), cross: cross.map(({ added }) => Float64Array.from(added.flat())),
    stays: cross.map(({ stays }) => stays) };
}

/** Attention weights (H, T, S), the mean of a layer's heads, beside a residual that has one share everywhere. */
export function sharesByWeights({ data, shape: [H, T, S] }) {
  const heads = Array.from({ length: H }, (_, h) => data.subarray(h * T * S, (h + 1) * T * S)), mean = meanOf(heads.map((x) => [...x]));
  const added = Array.from({ length: T }, (_, t) => mean.slice(t * S, (t + 1) * S).map((weight) => (1 - RESIDUAL) * weight));
  return { added, stays: Array(T).fill(RESIDUAL) };
}

/** The share of each source token in each row of the last layer: (T, S). */
export function rollout({ encoder, decoder, cross, stays }) {
  const S = Math.sqrt(encoder[0].length), T = stays[0].length;
  const memory = encoder.reduce((below, layer) => matrixProduct(layer, below, S), table(S, S, (i, j) => Number(i === j)));
  return decoder.reduce((source, own, l) => {
    const passed = matrixProduct(own, source, T), read = matrixProduct(cross[l], memory, S);
    return table(T, S, (i, j) => stays[l][i] * passed[i * S + j] + read[i * S + j]);
  }, new Float64Array(T * S));
}

// ─── Flow ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
/** Nodes joined by edges that let so much through: Dinic's algorithm for the most that flows between two (1970). */
class Network {
  constructor() { Object.assign(this, { leaving: [], end: [], capacity: [] }); }

  /** Edge 2n is the n-th, 2n + 1 its way back, empty at first. */
  join(start, end, capacity) {
    for (const [here, there, most] of [[start, end, capacity], [end, start, 0]]) {
      (this.leaving[here] ??= []).push(this.end.length);
      this.end.push(there);
      this.capacity.push(most);
    }
  }

  /** How many edges with something left each node is away from the source; -1: none lead there in time. */
  levels(left, source, sink) {
    const levels = Array(this.leaving.length).fill(-1), queue = [source];
    levels[source] = 0;
    for (const node of queue) {
      if (node === sink) break;
      for (const edge of this.leaving[node]) {
        if (left[edge] <= LEAST_FLOW || levels[this.end[edge]] >= 0) continue;
        levels[this.end[edge]] = levels[node] + 1;
        queue.push(this.end[edge]);
      }
    }
    return levels;
  }

  /** The maximum flow from one node to another: along shortest ways until none is left, then along longer ones. */
  most(source, sink) {
    const left = [...this.capacity], sum = (edges) => edges.reduce((total, edge) => total + left[edge], 0);
    const bound = Math.min(sum(this.leaving[source]), sum(this.leaving[sink].map((edge) => edge ^ 1)));   // no cut is wider
    let flow = 0;
    while (flow < bound - LEAST_FLOW) {
      const levels = this.levels(left, source, sink);
      if (levels[sink] < 0) break;
      flow += this.blocked(left, levels, source, sink);
    }
    return flow;
  }

  /** Fill the ways that step down the levels until each holds a full edge; left is brought up to date. */
  blocked(left, levels, source, sink) {
    const tried = Array(levels.length).fill(0), path = [];   // tried: of the edges that leave a node, how many lead no further
    let flow = 0, node = source;
    for (;;) {
      if (node === sink) {
        const narrowest = Math.min(...path.map((edge) => left[edge]));
        flow += narrowest;
        for (const edge of path) { left[edge] -= narrowest; left[edge ^ 1] += narrowest; }
        const full = path.findIndex((edge) => left[edge] <= LEAST_FLOW);
        node = this.end[path[full] ^ 1];
        path.length = full;
      }
      const edge = this.leaving[node][tried[node]];
      if (edge === undefined) {
        if (!path.length) return flow;
        node = this.end[path.pop() ^ 1];
        tried[node]++;
      } else if (left[edge] > LEAST_FLOW && levels[this.end[edge]] === levels[node] + 1) {
        path.push(edge);
        node = this.end[edge];
      } else tried[node]++;
    }
  }
}

/** The most that flows from each row of the last layer to each source token, each by itself: (T, S), as studies.rollout.flow. */
export function* flow({ encoder, decoder, cross, stays }) {
  const S = Math.sqrt(encoder[0].length), T = stays[0].length, L = encoder.length, network = new Network();
  const source = (level, j) => level * S + j, own = (l, i) => (L + 1) * S + 2 * l * T + i, after = (l, i) => own(l, i) + T;
  const joinAll = (capacities, columns, start, end) => capacities.forEach((most, at) => {
    if (most > LEAST_FLOW) network.join(start(Math.floor(at / columns)), end(at % columns), most);
  });
  for (let l = 0; l < L; l++) {
    joinAll(encoder[l], S, (i) => source(l + 1, i), (j) => source(l, j));
    joinAll(cross[l], S, (i) => after(l, i), (j) => source(L, j));
    if (!l) continue;   // the ways to the target's own embeddings lead to no source token
    stays[l].forEach((most, i) => { if (most > LEAST_FLOW) network.join(after(l, i), own(l, i), most); });
    joinAll(decoder[l], T, (i) => own(l, i), (j) => after(l - 1, j));
  }
  const flows = new Float64Array(T * S);
  for (let i = 0; i < T; i++) {
    for (let j = 0; j < S; j++) flows[i * S + j] = network.most(after(L - 1, i), source(0, j));
    yield;
  }
  return flows;
}

// ─── What really happens ─────────────────────────────────────────────────────────────────────────────────────────────────────────
/** What a piece looks like: whether it begins a word, has letters, and has a capital. */
const shapeOf = (piece) => `${[piece.startsWith("▁"), /\p{L}/u.test(piece), /\p{Lu}/u.test(piece)]}`;

/** The n ids whose embeddings have the highest cosine with that of an id, among the known ones that look alike; of all if these are few. */
export function ofItsKind({ model, tokenizer }, id, known, n = 3) {
  const { data, shape: [, D] } = model.weights["src_embedding.weight"], row = (at) => data.subarray(at * D, (at + 1) * D);
  const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0), others = known.filter((other) => other !== id);
  const alike = others.filter((other) => shapeOf(tokenizer.names[other]) === shapeOf(tokenizer.names[id]));
  const nearness = (other) => dot(row(id), row(other)) / Math.sqrt(dot(row(other), row(other)));
  const cosines = (alike.length >= n ? alike : others).map((other) => [nearness(other), other]);
  return cosines.sort(([a], [b]) => b - a).slice(0, n).map(([, other]) => other);
}

/** Edits by which nobody reads a source position, as if it were padding. */
const unread = (place) =>
  ["encoder.*.self_attention.scores", "decoder.*.cross_attention.scores"].map((probe) => ({ probe, cells: [[null, place]] }));

/** S columns of T numbers as a table (T, S). */
const byColumns = (columns) => table(columns[0].length, columns.length, (t, j) => columns[j][t]);

ANSWERS.matter = function* matter(question, translator, model) {
  const ids = question.ids ?? (yield* ANSWERS.translate({ ...question, kind: "translate" }, translator, model)).ids;
  const { trace, ...reading } = yield* ANSWERS.read({ ...question, ids, record: "*" }, translator, model), { src, log_probs } = reading;
  const S = src.length, T = ids.length, others = src.slice(0, -1).map((id) => ofItsKind(translator, id, question.known));
  const limit = others.length + others.flat().length;
  let n = 0;
  /** What the translation's tokens lose in another model, or with another source: T numbers. */
  function* lost(changed, otherwise = src) {
    const then = logProbsOf(yield* changed.forward(otherwise, reading.tgt_in), ids);
    yield { n: ++n, limit };
    return log_probs.map((value, t) => value - then[t]);
  }
  const hidden = [], replaced = [];
  for (const [place, ids_of_its_kind] of others.entries()) {
    hidden.push(yield* lost(edited(model, unread(place))));
    const each = [];
    for (const other of ids_of_its_kind) each.push(yield* lost(model, src.map((id, at) => (at === place ? other : id))));
    replaced.push(meanOf(each));
  }
  const end = Array(T).fill(0), shares = yield* sharesOf(model, trace), slope = (S - 1) / Math.max(T - 1, 1);
  const weights = ["encoder.*.self_attention", "decoder.*.self_attention", "decoder.*.cross_attention"].map((name) =>
    Array.from({ length: model.config.n_layers }, (_, l) => trace[`${name.replace("*", l)}.weights`]));
  const [encoder, decoder, cross] = weights.map((layers) => layers.map(sharesByWeights)), mixing = mixingOf({ encoder, decoder, cross });
  return { ...reading,
    answers: {
      weights: meanOf(cross.map(({ added }) => added.flat())).map((share) => share / (1 - RESIDUAL)),
      norms: meanOf(shares.cross.map(({ added, wholes }) => added.flatMap((row, t) => row.map((share) => share * wholes[t])))),
      rollout: rollout(mixing),
      "rollout of norms": rollout(mixingOf(shares)),
      flow: yield* flow(mixing),
      diagonal: table(T, S, (t, j) => S - 1 - Math.abs(j - slope * t)),
    },
    truths: { hidden: byColumns([...hidden, end]), "of its kind": byColumns([...replaced, end]) } };
};
