// The order view: each word of a sentence keeps its row of E and is given another place; the trained model says what it reads.
//
// Swapping is done here; a model translates, in Python or in the page. What was translated once is kept in `known`, and
// shown again without asking.

import { Stage, chip, clamp, make, say, small, span, visible, widget, written } from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The places after two tokens have exchanged theirs. */
export function swapped(places, i, j) {
  const next = [...places];
  [next[i], next[j]] = [places[j], places[i]];
  return next;
}

/** A shuffle that a seed decides (Fisher and Yates, with a small generator of its own). */
export function shuffled(places, seed) {
  const next = [...places];
  let state = seed * 2654435761 + 1;
  for (let i = next.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const j = Math.floor(state / 2 ** 32 * (i + 1));
    [next[i], next[j]] = [next[j], next[i]];
  }
  return next;
}

/** What is known of these places, if anything. */
export const found = (known, places) => known.find((one) => String(one.places) === String(places));

/** The tokens in the order of their places: what the sentence would be to a reader of places; null where there are none. */
export function readAs(tokens, places) {
  if (places.some((place) => place < 0)) return null;
  return tokens.map((token, n) => [places[n], token]).sort((a, b) => a[0] - b[0]).map(([, token]) => token);
}

// ------------------------------------------------------------------------------------------------------ the view

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Places of a sentence's words");
    this.start(["places", "known"]);
  }

  load() {
    const { tokens, shows } = this.get("meta"), n = tokens.length;
    [this.held, this.seed] = [-1, 0];
    const inTurn = Array.from({ length: n }, (_, i) => i), upTo = (k) => inTurn.map((i) => i + k);
    const button = (text, places) => make("button", { class: "view-chip", onclick: () => this.put(places()) }, text);
    this.chips = tokens.map((token, i) => make("button", { class: "ord-token", "data-at": i, onclick: () => this.pick(i),
      onkeydown: (event) => this.press(event, i) }, make("b", {}, visible(token)), make("small", {})));
    this.read = make("p", { class: "ord-read" });
    this.said = make("p", { class: "view-translation ord-said" });
    this.cost = make("p", { class: "view-quiet ord-cost" });
    this.frame(make("div", { class: "view-chips" }, span("view-quiet", "places"),
        button("as trained", () => inTurn), button("none", () => inTurn.map(() => -1)),
        button("shuffled", () => shuffled(inTurn, ++this.seed)), button("last first", () => [...inTurn].reverse()),
        ...[1, 5, 20].map((k) => button(`all ${k} further on`, () => upTo(k)))),
      make("div", { class: "ord-row", role: "group", "aria-label": "tokens and their places" }, ...this.chips),
      small("Click two words, and they exchange their places; or move a word's place with the arrow keys."),
      this.read, this.said, this.cost);
  }

  csv() {
    const inWords = (places) => places.map((place) => (place < 0 ? "none" : place));
    const rows = this.get("known").map(({ places, translation, loss }) => [...inWords(places), translation, loss]);
    return [[...this.get("meta").tokens, "translation", "nats less likely"], ...rows];
  }

  put(places) {
    this.held = -1;
    this.set({ places });
    this.schedule();
  }

  pick(i) {
    if (this.held < 0 || this.held === i) this.held = this.held === i ? -1 : i;
    else return this.put(swapped(this.get("places"), this.held, i));
    this.schedule();
  }

  press(event, i) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const other = clamp(i + step, this.chips.length);
    this.chips[other].focus();
    if (other !== i) this.put(swapped(this.get("places"), i, other));
  }

  wear() {
    const places = this.get("places"), { tokens } = this.get("meta"), now = found(this.get("known"), places), first = this.get("known")[0];
    this.chips.forEach((chip, i) => {
      const place = places[i];
      chip.setAttribute("aria-pressed", i === this.held);
      chip.classList.toggle("ord-moved", place !== i);
      say(chip.lastChild, place < 0 ? "no place" : `place ${place}`);
    });
    const order = readAs(tokens, places);
    say(this.read, order ? `in the order of their places: ${order.map(visible).join(" ")}` : "no word has a place");
    const said = now ? now.translation : this.connected ? "translating …" : "Needs the model: open the notebook in JupyterLab.";
    this.said.replaceChildren(span("view-quiet", "→ "), make("b", {}, said || "(nothing)"));
    const loss = now && first ? (now.loss > 0 ? `${written(now.loss)} nats less likely`
      : `${written(Math.abs(now.loss))} nats more likely`) : "";
    say(this.cost, !now || now === first ? " " : `“${first.translation}” is now ${loss}`);
    if (now) this.announce(`${now.translation}. ${this.cost.textContent}`);
    Object.assign(this.root.dataset, { places: places.join(" "), translation: now ? now.translation : "" });
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  ".view-chip": "put the words in this order", ".ord-token": "press two words to exchange them",
};

export default widget(View, HINTS);
