// One place of a translation, read two ways: after the reference's tokens (taught) and after the model's own (alone). Python, or the
// page's model, sent both distributions and every head's cross-attention; what is read where is put side by side here.

import {
  Stage, choice, clamp, controls, field, fields, floatsOf, joined, level, make, number, say, slider, small, span, table, visible, widget,
  written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

export const SIDES = ["taught", "alone"];

/** One side's row of cross-attention at a place: of one head, or (head -1) the mean of all. data (2, places, L, H, S). */
export function rowOf(data, { n_places, n_layers, n_heads, source }, side, place, layer, head) {
  const S = source.length, start = ((side * n_places + place) * n_layers + layer) * n_heads * S;
  const one = (h) => data.subarray(start + h * S, start + (h + 1) * S);
  if (head >= 0) return Array.from(one(head));
  return Array.from({ length: S }, (_, s) => Array.from({ length: n_heads }, (_, h) => one(h)[s]).reduce((a, b) => a + b) / n_heads);
}

/** What has been read before a place, in words. */
export const readBefore = (tokens, place) => (place ? `“${joined(tokens.slice(0, place))}”` : "nothing yet");

/** What is to be seen at a place, in a sentence or two. */
export function placeInWords({ reference, own, places, parts }, place) {
  const { apart } = places[place], [wanted, said] = [visible(reference[place]), visible(own[place])];
  const read = `Taught has read ${readBefore(reference, place)}, alone ${readBefore(own, place)}`;
  if (parts === null || place < parts) return `Both have read ${readBefore(own, place)}: one distribution, and both say ${said}.`;
  if (place === parts) {
    return `Both have read ${readBefore(own, place)}: one distribution. The reference goes on with ${wanted}, the model takes ${said}: `
      + "here they part.";
  }
  return `${read}: the distributions are ${written(apart)} apart (0: the same, 1: nothing in common).`;
}

/** Where a key leads along the places; nothing for other keys. */
export function stepTo(key, place, n) {
  const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: n - 1 }[key];
  return to === undefined ? undefined : clamp(to, n);
}

// ------------------------------------------------------------------------------------------------------- the view

class ForcedStage extends Stage {
  constructor(model, el) {
    super(model, el, "Taught and alone");
    this.start(["data", "place", "layer", "head"]);
  }

  load() {
    const { title, n_layers, n_heads, n_places } = this.get("meta");
    this.numbers = floatsOf(this.get("data"));
    const pick = (name) => ({ target }) => this.set({ [name]: Number(target.value) });
    const list = (n, word) => Array.from({ length: n }, (_, i) => [i, `${word} ${i}`]);
    this.places = slider("Place", { class: "frc-slider", min: 1, max: n_places, step: 1 },
      ({ target }) => this.go(target.valueAsNumber - 1));
    this.placeText = span("view-value", "");
    const button = (text, label, by) => make("button", { class: "view-chip", type: "button", "aria-label": label,
      onclick: () => this.go(this.at + by) }, text);
    this.layers = choice("Layer", list(n_layers, "layer"), pick("layer"));
    this.heads = choice("Head", [[-1, "mean of the heads"], ...list(n_heads, "head")], pick("head"));
    const wide = (name, label) => make("div", { class: `view-wide ${name}`, tabindex: 0, role: "region", "aria-label": label });
    this.lines = make("div", { class: "view-wide frc-lines" });
    this.likely = wide("frc-likely", "The likeliest next tokens");
    this.rows = wide("frc-rows", "What each reads of the source");
    this.said = make("p", { class: "view-cell frc-said" });
    this.lines.addEventListener("keydown", (event) => this.walk(event));
    this.frame(title,
      controls(fields("Place", button("◀", "One place back", -1), this.places, button("▶", "One place on", 1), this.placeText)),
      this.lines, this.said,
      make("div", { class: "frc-panels" },
        make("div", {}, span("view-name", "The next token: its probability"), this.likely),
        make("div", {}, controls(field("Reads the source, layer", this.layers), field("head", this.heads)), this.rows,
          small("cross-attention: each row sums to 1"))));
  }

  get at() { return clamp(this.get("place"), this.get("meta").n_places); }

  go(place) {
    const { n_places } = this.get("meta");
    this.set({ place: clamp(place, n_places) });
    this.announce(() => `place ${this.at + 1}: ${this.said.textContent}`);
  }

  /** Arrow keys go along the places, from a token of either line. */
  walk(event) {
    const to = stepTo(event.key, this.at, this.get("meta").n_places), side = event.target.dataset?.side;
    if (to === undefined || side === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.go(to);
    this.toGo = `${side} ${to}`;
  }

  // ---- texts and states

  wear() {
    const meta = this.get("meta"), place = this.at, layer = this.get("layer"), head = this.get("head");
    if (this.places.valueAsNumber !== place + 1) this.places.value = place + 1;
    say(this.placeText, `${place + 1} of ${meta.n_places}`);
    this.layers.value = layer;
    this.heads.value = head;
    say(this.said, placeInWords(meta, place));
    this.fill(this.lines, [place], () => [this.twoLines(meta, place)]);
    this.fill(this.likely, [place], () => [this.bars(meta, place)]);
    this.fill(this.rows, [place, layer, head, this.dark], () => [this.reads(meta, place, layer, head)]);
    if (this.toGo) this.lines.querySelector(`[data-key="${this.toGo}"]`)?.focus({ preventScroll: true });
    this.toGo = null;
    Object.assign(this.root.dataset, { place, apart: meta.places[place].apart });
    this.inSight();
  }

  /** The place that is chosen stays in sight where the lines are wider than the view. */
  inSight() {
    const { lines } = this, cell = lines.querySelector(".frc-here");
    if (!cell || this.seen === this.at) return;
    this.seen = this.at;
    const { offsetLeft: left, offsetWidth: wide } = cell;
    if (left < lines.scrollLeft + 80 || left + wide > lines.scrollLeft + lines.clientWidth) lines.scrollLeft = left - lines.clientWidth / 2;
  }

  /** Both lines of tokens, place by place: what has been read, what is said now, what comes later; where they part first. */
  twoLines({ reference, own, parts, n_places }, place) {
    const n = Math.max(reference.length, own.length), all = Array.from({ length: n }, (_, i) => i);
    const mark = (i) => [i === parts && "frc-parts", i === place && "frc-here", i > place && "frc-later"].filter(Boolean).join(" ");
    const token = (tokens, side, i) => {
      if (i >= tokens.length) return null;
      const text = visible(tokens[i]), state = i === parts ? ", first divergence" : "";
      return make("button", { type: "button", class: "frc-token", "data-side": side, "data-key": `${side} ${i}`, disabled: i >= n_places,
        "aria-label": `${SIDES[side]}, place ${i + 1}: ${text}${state}`, "aria-pressed": String(i === place),
        tabindex: i === place && side === 0 ? 0 : -1, onclick: () => this.go(i) }, text);
    };
    const row = (name, tokens, side) => make("tr", {}, make("th", { scope: "row" }, name),
      ...all.map((i) => make("td", { class: mark(i) }, token(tokens, side, i))));
    const heads = all.map((i) => make("th", { scope: "col", class: mark(i) }, i === parts ? `${i + 1}: parts` : String(i + 1)));
    return make("table", { class: "frc-table", "aria-label": "The two lines. Arrow keys walk along the places" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "place"), ...heads)),
      make("tbody", {}, row("reference (taught)", reference, 0), row("its own (alone)", own, 1)));
  }

  /** The likeliest tokens of either, with both probabilities; what each line goes on with is marked. */
  bars({ reference, own, places }, place) {
    const { words, taught, alone } = places[place], values = [taught, alone], goesOn = [reference[place], own[place]];
    const bar = (side, i) => make("td", { class: "frc-bar" },
      make("span", { class: `frc-${SIDES[side]}`, style: `width:${(100 * values[side][i]).toFixed(2)}%` }));
    const rows = words.map((word, i) => {
      const isNext = goesOn.map((token) => token === word);
      const marks = isNext.every(Boolean) ? "both" : ["reference", "alone"].find((_, side) => isNext[side]) ?? "";
      return make("tr", { class: marks ? "view-here" : "" }, make("th", { scope: "row" }, visible(word)),
        ...SIDES.flatMap((_, side) => [bar(side, i), number(values[side][i])]), make("td", { class: "view-quiet" }, marks));
    });
    const rest = values.map((list) => Math.max(0, 1 - list.reduce((sum, p) => sum + p, 0)));
    rows.push(make("tr", {}, make("th", { scope: "row", class: "view-quiet" }, "all others"),
      ...rest.flatMap((p) => [make("td", {}), number(p)]), make("td", {})));
    return table("frc-words", ["token", "taught", "p", "alone", "p", "next"], rows);
  }

  /** Both rows of cross-attention over the source. */
  reads({ source, ...meta }, place, layer, head) {
    const shade = (weight) => this.look.weights.slice(6 * level(weight, 1, false)).slice(0, 6);
    const row = (name, side) => {
      const weights = rowOf(this.numbers, { source, ...meta }, side, place, layer, head);
      return make("tr", {}, make("th", { scope: "row" }, name), ...weights.map((weight) => make("td", { title: weight.toPrecision(8) },
        make("span", { class: "frc-shade", style: `background:#${shade(weight)}` }), weight.toFixed(2))));
    };
    return make("table", { class: "frc-reads", "aria-label": "Where each reads the source" },
      make("thead", {}, make("tr", {}, make("th", { scope: "col" }, ""),
        ...source.map((token) => make("th", { scope: "col", class: "view-k" }, visible(token))))),
      make("tbody", {}, ...SIDES.map(row)));
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  "Place": "the token of the translation that is to be said", "One place back": "the token before", "One place on": "the token after",
  "Layer": "whose cross-attention is shown, counted from 0", "Head": "one head's row, or the mean of all",
  ".frc-token": "what is said at this place, either way",
};

export default widget(ForcedStage, HINTS);
