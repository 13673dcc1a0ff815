// Gradients of every layer before the first step, post-LN beside pre-LN, with the depth as a slider.
//
// The numbers were measured by Python on untrained models (meta.settings[name][depth].encoder and .decoder).

import {
  MONO, Stage, board, clamp, controls, disc, fields, headline, logAxis, make, prepared, say, slider, span, stroke,
  widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** Layer l of `depth` and a value to pixels, layers evenly, values by powers of ten. */
export function axes({ low, high }, depth, { left, right, top, bottom }) {
  return {
    x: (layer) => (depth === 1 ? (left + right) / 2 : left + ((right - left) * (layer - 1)) / (depth - 1)),
    y: logAxis(low, high, bottom, top).at,
    layer: (x) => (depth === 1 ? 1 : Math.min(depth, Math.max(1, Math.round(1 + ((depth - 1) * (x - left)) / (right - left))))),
  };
}

/** The lowest and the highest value of all settings at all depths: the scale does not jump with the slider. */
export function range(settings) {
  const all = Object.values(settings).flatMap((found) => Object.values(found)).flatMap((of) => Object.values(of).flat()).filter((value) =>
    value > 0);
  return { low: Math.min(...all) / 1.3, high: Math.max(...all) * 1.3 };
}

/** 1, 3, 10, 30 … inside a range. */
export function ticks({ low, high }) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) found.push(10 ** power, 3 * 10 ** power);
  return found.filter((value) => low <= value && value <= high).map((value) => Number(value.toPrecision(1)));
}

/** How much larger the gradient is in the last layer than in the first. */
export const ratio = (norms) => norms.at(-1) / norms[0];

/** What a screen reader says of a layer. */
export function spoken(settings, stack, depth, layer) {
  const said = Object.entries(settings).map(([name, found]) => `${name} ${written(found[depth][stack][layer - 1])}`);
  return `${stack}, layer ${layer} of ${depth}: ${said.join(", ")}`;
}

// ------------------------------------------------------------------------------------------------------ the view

const STACKS = ["encoder", "decoder"];
const LOOKS = [{ colour: 0, dash: [] }, { colour: 5, dash: [] }, { colour: 2, dash: [6, 4] }];   // as in norm_chart

class View extends Stage {
  constructor(model, el) {
    super(model, el, "gradients by depth");
    this.here = null;       // [stack, layer] under the pointer or the arrow keys
    this.start(["depth"]);
  }

  get settings() { return this.get("meta").settings; }
  get depth() { return this.get("depth"); }

  load() {
    const { title, shows, depths } = this.get("meta");
    this.range = range(this.settings);
    this.bar = slider("layers of each stack", { min: 0, max: depths.length - 1, step: 1, class: "var-slider" },
      (event) => this.set({ depth: depths[Number(event.target.value)] }));
    this.count = span("view-value", "");
    this.readout = make("p", { class: "nrm-readout" });
    this.legend = Object.keys(this.settings).map((name) => make("canvas", { class: "nrm-swatch", "aria-label": name, role: "img" }));
    this.boards = Object.fromEntries(STACKS.map((stack) => [stack, this.buildBoard(stack)]));
    this.frame(headline(make("b", {}, title)),
      controls(
        fields("N", span("view-quiet", "layers of each stack"), this.bar, this.count),
        ...Object.keys(this.settings).map((name, i) => make("span", { class: "view-field" }, this.legend[i], name))),
      make("div", { class: "nrm-boards" }, ...STACKS.map((stack) =>
        make("figure", { class: "view-map" }, make("figcaption", { class: "cpl-title" }, stack), this.boards[stack]))),
      this.readout);
  }

  csv() {
    const rows = (name, stack) => this.settings[name][this.depth][stack].map((norm, layer) => [name, stack, layer + 1, norm]);
    return [["norm", "stack", "layer", "gradient"], ...Object.keys(this.settings).flatMap((name) => STACKS.flatMap((stack) =>
      rows(name, stack)))];
  }

  buildBoard(stack) {
    return board({ class: "nrm-board", "aria-label": `${stack}: gradient of each layer`, "data-stack": stack }, {
      at: (x) => (this.places?.[stack] ? this.places[stack].layer(x) : null),
      look: (layer) => { this.here = layer && [stack, layer]; this.schedule(); },
      key: (event) => this.walk(stack, event.key),
    });
  }

  /** Left and right go from layer to layer, up and down change the depth. */
  walk(stack, name) {
    const along = { ArrowLeft: -1, ArrowRight: 1 }[name], deeper = { ArrowUp: 1, ArrowDown: -1 }[name], { depths } = this.get("meta");
    if (!along && !deeper) return false;
    if (deeper) this.set({ depth: depths[clamp(depths.indexOf(this.depth) + deeper, depths.length)] });
    const layer = this.here?.[0] === stack ? this.here[1] + (along ?? 0) : 1;
    this.here = [stack, 1 + clamp(layer - 1, this.depth)];
    this.announce(spoken(this.settings, stack, this.depth, this.here[1]));
    this.schedule();
    return true;
  }

  atPointer() { return this.here ? this.readout.textContent : ""; }

  wear() {
    const { depths } = this.get("meta");
    if (this.here && this.here[1] > this.depth) this.here = null;
    this.bar.value = depths.indexOf(this.depth);
    this.bar.setAttribute("aria-valuetext", `${this.depth} layers`);
    say(this.count, `N = ${this.depth}`);
    this.root.dataset.depth = this.depth;
    const ends = Object.entries(this.settings).map(([name, found]) => `${name} × ${written(ratio(found[this.depth].decoder))}`);
    say(this.readout, this.here ? spoken(this.settings, this.here[0], this.depth, this.here[1])
      : `Decoder, last layer against first: ${ends.join(" · ")}`);
  }

  paint() {
    this.places = {};
    for (const stack of STACKS) {
      const place = prepared(this.boards[stack]);
      if (place) this.paintBoard(stack, place);
    }
    this.legend.forEach((swatch, i) => {
      const place = prepared(swatch);
      if (place) this.curve(place.ctx, i, [[0, 6], [28, 6]]);
    });
  }

  paintBoard(stack, { ctx, width, height }) {
    const box = { left: 56, right: width - 18, top: 12, bottom: height - 34 };
    const at = this.places[stack] = axes(this.range, this.depth, box);
    this.paintAxes(ctx, at, box, height);
    Object.values(this.settings).forEach((found, i) => {
      const points = found[this.depth][stack].map((value, layer) => [at.x(layer + 1), at.y(value)]);
      this.curve(ctx, i, points);
      points.forEach(([x, y], layer) => this.dot(ctx, i, x, y, this.here?.[0] === stack && this.here[1] === layer + 1));
    });
  }

  paintAxes(ctx, at, box, height) {
    ctx.font = `13px ${MONO}`;
    ctx.lineWidth = 1;
    ctx.strokeStyle = this.look.line;
    ctx.fillStyle = this.look.quiet;
    ctx.textAlign = "right";
    for (const value of ticks(this.range)) {
      stroke(ctx, [[box.left - 6, at.y(value)], [box.right + 6, at.y(value)]]);
      ctx.fillText(String(value), box.left - 10, at.y(value));
    }
    ctx.textAlign = "center";
    for (let layer = 1; layer <= this.depth; layer++) ctx.fillText(String(layer), at.x(layer), box.bottom + 13);
    ctx.fillText("layer (the last is nearest to the output)", (box.left + box.right) / 2, height - 7);
  }

  curve(ctx, i, points) {
    ctx.strokeStyle = this.look.heads[LOOKS[i].colour];
    ctx.lineWidth = 2.2;
    ctx.setLineDash(LOOKS[i].dash);
    stroke(ctx, points);
    ctx.setLineDash([]);
  }

  dot(ctx, i, x, y, here) {
    ctx.fillStyle = this.look.heads[LOOKS[i].colour];
    disc(ctx, x, y, here ? 6 : 3.4);
  }
}

export default widget(View);
