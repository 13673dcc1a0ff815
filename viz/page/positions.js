// The twin of OrderExplorer (viz/positions/order.py): what the model says when words are given other places.

import { Explorer } from "./explorer.js";

const ANSWER_LIMIT = 15;   // tokens more than the source: a model without its bearings may never end

const total = (values) => values.reduce((sum, value) => sum + value, 0);

export class OrderExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    this.answered = view.get("places");
    view.on("change:places", () => this.moved());
  }

  /** A sentence, its translation, and how likely that is: first is a translation that is known. */
  async read(ask, text, first) {
    const { most } = this.known, target = first ?? (await ask({ kind: "translate", text, most })).text;
    const { src, src_pieces, log_probs } = await ask({ kind: "read", text, target, most });
    return { src, src_pieces, translation: target, log_prob: total(log_probs) };
  }

  async own(ask) {
    if (this.reading) return;
    this.reading = await this.read(ask, this.text, this.get("known")[0].translation);
    this.view.set("meta", { ...this.get("meta"), shows: this.shows });
  }

  contents() {
    const { src_pieces: tokens, translation } = this.reading, places = tokens.map((_, place) => place);
    return { known: [{ places, translation, loss: 0 }], places, meta: { tokens } };
  }

  told() { return this.reading.translation; }

  /** Whether the model has answered to these places before. */
  get askedBefore() { return this.get("known").some(({ places }) => `${places}` === `${this.get("places")}`); }

  moved() {
    if (!this.askedBefore) return void this.follow("places", this.answered, (ask) => this.settle(ask), "translating");
    this.answered = this.get("places");
    this.leaving?.abort();
    this.say(this.toldNow());
  }

  async settle(ask) {
    if (this.askedBefore) return;
    await this.own(ask);
    const places = this.get("places"), { text, reading: { translation: target, log_prob } } = this;
    const edits = [{ probe: "src_positions", places }];
    const { text: translation } = await ask({ kind: "translate", text, edits, max_extra: ANSWER_LIMIT });
    const { log_probs } = await ask({ kind: "read", text, target, edits });
    this.answered = places;
    this.view.set("known", [...this.get("known"), { translation, loss: log_prob - total(log_probs), places }]);
  }
}
