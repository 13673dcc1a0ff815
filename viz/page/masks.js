// Who runs the leak test of a page (viz/masks/layers.py, explore_masks): again whenever a cell is painted or another model is chosen.

import { Explorer } from "./explorer.js";

export class MaskExplorer extends Explorer {
  constructor(view, door, known) {
    super(view, door, known);
    for (const name of ["layer", "padding", "model"]) view.on(`change:${name}`, () => this.test());
  }

  /** The model that is chosen: of how many untrained layers, 0 for the trained one. */
  get layers() { return this.known.layers[this.get("meta").models.findIndex(({ name }) => name === this.get("model"))]; }

  /** On which weights the test runs. */
  get by() { return this.layers ? "untrained weights drawn in this page" : `${this.door.about.precision}, in this page`; }

  toldNow() { return this.door.about ? `leak test: ${this.by}` : ""; }

  async test() {
    const padding = this.get("padding"), mask = this.get("layer").map((cell, at) => cell & padding[at % padding.length]);
    const { src, tgt_in, other } = this.known, { layers } = this, model = this.get("model"), edits = [{ probe: "tgt_mask", mask }];
    const done = await this.work(async (ask) => {
      const { change } = await ask({ kind: "leak", src, tgt_in, other, layers, edits });
      this.view.set("leak", { mask, model, change, by: this.by });
    }, "leak test");
    if (done === false) this.view.set("leak", { mask, model, missing: true });
  }
}
