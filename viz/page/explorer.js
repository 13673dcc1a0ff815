// Who stands behind a view where there is no Python: the twin of viz/controls.py's Explorer, over the model of this page.
//
// A topic's twin writes what the topic's Explorer in Python writes, by the same names: how a sentence is `read`, the `contents` of the
// view, what is set back for another sentence (`afresh`), the line that is `told`, and what the view's script asks (`answers`). Until
// the reader asks for something the view shows what Python left there.

import { clean } from "./checkpoint.js";

const ENDS = new Set(["<pad>", "<s>", "</s>", "[PAD]", "[CLS]", "[SEP]", "<bos>", "<eos>"]);   // tokens that stand for no word

export const isEnd = (token) => ENDS.has(token);

/** Number the words that sub-word tokens make up, as studies/text.py does. */
export function wordGroups(tokens) {
  const starts = ["▁", "Ġ"].find((mark) => tokens.some((token) => token.startsWith(mark))), groups = [], letters = /[\p{L}\p{N}]/u;
  tokens.forEach((token, place) => {
    const alone = isEnd(token) || (!token.startsWith("<0x") && !letters.test(token)), last = place ? tokens[place - 1] : "";
    const before = !isEnd(last) && (last === starts || letters.test(last));
    const goesOn = !alone && before && (starts ? !token.startsWith(starts) : token.startsWith("##"));
    groups.push(goesOn ? groups.at(-1) : place && groups.at(-1) + 1);
  });
  return groups;
}

/** Weights as one byte each, round(255 √w), as canvas.py packs them. */
export const packed = (weights) => Uint8Array.from(weights, (weight) => Math.round(255 * Math.sqrt(Math.min(Math.max(weight, 0), 1))));

/** Numbers one after the other in one array of their kind. */
export function joinedNumbers(parts, Kind = Float32Array) {
  const whole = new Kind(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { whole.set(part, at); at += part.length; }
  return whole;
}

/** A number with three significant digits, as studies/statistics.py writes it. */
export function threeDigits(number) {
  if (number === 0 || !Number.isFinite(number)) return String(number);
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(number))));
  return digits > 6 ? number.toExponential(2).replace("e+", "e") : number.toFixed(digits);
}

export const minus = (text) => text.replace("-", "−");

const MOST_SCRAPS = 2;   // pieces a word, as in studies/reading.py

/** What to think of the answer where a quarter is in no letters the model knows, or words are in scraps; else "". */
function beyond(pieces) {
  const strange = pieces.filter((piece) => piece.startsWith("<0x") || piece === "<unk>").length;
  if (strange && 4 * strange >= pieces.length) {
    return `${strange} of its pieces are single bytes: the model has not learned to read this`;
  }
  const lettered = pieces.filter((piece) => !piece.startsWith("<0x") && /\p{L}/u.test(piece)).length;
  const words = pieces.filter((piece) => piece.startsWith("▁")).length;
  if (lettered <= MOST_SCRAPS * words) return "";
  return words === 1 ? `its word is in ${lettered} pieces: the model has hardly met it`
    : `its ${words} words are in ${lettered} pieces: the model has hardly met some of them`;
}

const KINDS = { encoder: ["encoder", "self"], decoder: ["decoder", "self"], cross: ["decoder", "cross"] };

/** The beginning of the names of a layer's probes, such as "decoder.3.cross_attention". */
export const probeOf = (kind, layer) => `${KINDS[kind][0]}.${layer}.${KINDS[kind][1]}_attention`;

/** The edits that take heads out, [[kind, layer, head], …]: one for each layer that loses any. */
export function withoutHeads(off) {
  const edits = new Map();
  for (const [kind, layer, head] of off) {
    const probe = `${probeOf(kind, layer)}.heads`;
    if (!edits.has(probe)) edits.set(probe, { probe, heads: [] });
    edits.get(probe).heads.push(head);
  }
  return [...edits.values()];
}

/** The edits that hold rows of weights, [[kind, layer, head or −1 for all, query, weights], …], while a translation is read or searched
 * for. */
export const heldRows = (rows, searching) => rows.map(([kind, layer, head, query, weights]) => {
  const edit = { probe: `${probeOf(kind, layer)}.weights`, head: head < 0 ? null : head };
  return searching && kind !== "encoder" ? { ...edit, step: query, held: weights } : { ...edit, row: query, values: weights };
});

/** The runs of words that two lists share, [place, other place, length], as Python's difflib finds them. */
function sharedRuns(a, b) {
  let best = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      let n = 0;
      while (i + n < a.length && j + n < b.length && a[i + n] === b[j + n]) n++;
      if (n > best[2]) best = [i, j, n];
    }
  }
  const [i, j, n] = best;
  if (!n) return [];
  const after = sharedRuns(a.slice(i + n), b.slice(j + n)).map(([x, y, length]) => [x + i + n, y + j + n, length]);
  return [...sharedRuns(a.slice(0, i), b.slice(0, j)), best, ...after];
}

/** The words of two sentences, each with whether the other sentence lacks it there: [["Ich", false], …]. */
export function changedWords(before, after) {
  const [old, next] = [before, after].map((text) => text.split(/\s+/).filter(Boolean).map((word) => [word, true]));
  for (const [i, j, n] of sharedRuns(old.map(([word]) => word), next.map(([word]) => word))) {
    for (let k = 0; k < n; k++) old[i + k][1] = next[j + k][1] = false;
  }
  return [old, next];
}

/** Another translation beside the first, and what became of the log-probability of each of the first's tokens (`then`). */
export function compared({ text, pieces, log_probs: log_prob }, after, then) {
  const [before, words] = changedWords(text, after), delta = then.map((value, n) => value - log_prob[n]);
  const told = { before, words, translation: after, changed: after !== text, tokens: pieces, log_prob, delta };
  return { ...told, total: delta.reduce((total, value) => total + value, 0) };
}

/** Time for the page to paint what was set. */
const paintTime = () => new Promise((done) => setTimeout(done, 50));

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const GIVES_UP = " (Esc gives up)";

/** What is told of a question while it is answered. */
function lineOf({ reading, text, n, limit }, doing) {
  if (reading !== undefined) return `reading the weights, once: ${Math.round(100 * reading)} %`;
  if (text !== undefined) return `${doing === "reading" ? "translating" : doing}, piece ${n} of at most ${limit}: ${text} …`;
  return n === undefined ? `${doing} …` : `${doing}: ${n} of ${limit}`;
}

export class Explorer {
  /** view: what stands in for the kernel's model (page.js); door: of answers.js; known: what Python knew when it wrote the page. */
  constructor(view, door, known) {
    Object.assign(this, { view, door, known, text: known.text, reading: null, answers: {}, line: known.told ?? "",
      lines: new Set(), working: null, anew: {} });
    view.on("asked", (message) => this.asked(message));
  }

  // ---- what a topic writes

  /** What the model makes of a sentence; ids: of a translation that is known. ask(question) gives a promise of an answer. */
  async read() { throw new Error("A topic's explorer says how it reads."); }

  contents() { return {}; }

  afresh() { return {}; }

  told() { return ""; }

  /** What the view's traits ask for and was given up before it was answered. */
  async settle() {}

  /** The sentence's pieces in a reading, its end left out. */
  pieces() { return this.reading.src_pieces.slice(0, -1); }

  // ---- what all do

  get(name) { return this.view.get(name); }

  set(traits) { for (const [name, value] of Object.entries(traits)) this.view.set(name, value); }

  /** What the corner says: whose numbers these are, and who made them. */
  get shows() { return `${this.known.shows}, ${this.door.about.precision}, in this page`; }

  say(line) {
    this.line = line;
    for (const show of this.lines) show(line);
  }

  /** The line of what is shown: Python's, as long as that is Python's. */
  toldNow() { return this.reading ? [this.told(), beyond(this.pieces())].filter(Boolean).join(" · ") : this.known.told ?? ""; }

  /** Ask the model: what was asked before is given up. True when it is done, null when it was given up, false when it was refused.
   *
   * act: has ask(question, doing), doing: the word for what the line tells of it. */
  work(act, doing) { return this.working = this.ended(act, doing); }

  async ended(act, doing = "reading") {
    this.leaving?.abort();
    const leaving = this.leaving = new AbortController(), { signal } = leaving;
    const telling = (word) => (part) => { if (!signal.aborted) this.say(lineOf(part, word) + (leaving === this.asking ? GIVES_UP : "")); };
    try {
      telling(doing)({});
      await act((question, word = doing) => this.door.ask(question, { signal, told: telling(word) }));
      if (this.leaving === leaving) this.say(this.toldNow());
      return true;
    } catch (error) {
      if (signal.aborted) return null;
      this.say(error.message);
      return false;
    } finally {
      if (this.asking === leaving) this.asking = null;
      if (this.leaving === leaving && this.get("waits")) this.view.set("waits", false);
    }
  }

  /** A sentence was typed: the view follows, or the line says why it cannot. */
  async answer(text) {
    if (text === this.text) return this.work((ask) => this.settle(ask));
    const done = this.work(async (ask) => {
      if (!clean(text)) throw new Error("Type a sentence of at least one word.");
      this.view.set("waits", true);
      await this.take(await this.read(ask, text), text, ask);
    });
    this.asking = this.leaving;
    return done;
  }

  /** Give up the sentence that was typed and is not answered yet; whether there was one. */
  giveUp() {
    const { asking } = this;
    if (!asking || asking !== this.leaving) return false;
    asking.abort();
    this.asking = null;
    this.say(this.toldNow());
    return true;
  }

  /** Show another sentence; the version in meta counts those shown. */
  async take(reading, text) {
    Object.assign(this, { reading, text });
    const contents = this.contents(), meta = this.get("meta"), { call } = meta;
    const more = { version: meta.version + 1, shows: this.shows, call: this.called(call) };
    this.anew = { ...this.afresh(contents), ...contents };
    this.set({ ...this.anew, meta: { ...meta, ...contents.meta, ...more }, waits: false });
  }

  /** Whether it reads sentences. */
  get reads() { return typeof this.known.told === "string"; }

  /** The sentence as it was typed. */
  get sentence() { return this.text; }

  /** Whether something else than a sentence had it read anew. */
  get rewrites() { return false; }

  /** What it knows of the sentence shown: Object.assign brings it back. */
  get kept() {
    const { working, leaving, asking, line, ...known } = this;
    return known;
  }

  /** What the page's own model makes of the sentence shown: at first that is Python's translation, read again.
   *
   * before: what is shown before that, as the reader waits for it. */
  async own(ask, before = null) {
    if (this.reading) return this.reading;
    this.reading = await this.read(ask, this.text, this.known.ids);
    try {
      if (before) await before().then(paintTime);
    } finally {
      const contents = this.contents();
      this.set({ ...contents, meta: { ...this.get("meta"), ...contents.meta, shows: this.shows } });
    }
    return this.reading;
  }

  /** The call that makes the view, and the sentence typed since. */
  called(call) {
    const typing = "\nexplorer.text = ";
    return call?.text ? { ...call, text: call.text.split(typing)[0] + typing + JSON.stringify(this.text) } : call;
  }

  /** The view's script asks: what `answers` has gives [content, buffers] or nothing, or says in a sentence why not. */
  async asked(message) {
    const answer = this.answers[message.ask];
    if (!answer) return;
    try {
      const reply = await answer(message);
      if (!reply) return;
      const [content, buffers = []] = reply;
      this.view.tell("msg:custom", { ...message, ...content, answer: message.ask }, buffers);
    } catch (error) {
      this.view.tell("msg:custom", { ...message, error: error.message, answer: message.ask }, []);
    }
  }

  /** Let the model answer for a trait that the reader set: where it refuses, the trait is as it was. */
  async follow(name, before, act, doing) {
    if (await this.work(act, doing) !== false || same(this.get(name), before)) return;
    const { line } = this;
    this.view.set(name, before);
    this.say(line);
  }
}
