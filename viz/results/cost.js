// What a training run costs: hours × GPUs × TFLOPS as in Table 2, the arithmetic that the run needs, and how long that takes on
// other hardware. All is computed in the page from meta.runs, meta.sustained and meta.datasheet; Python only measures.

import {
  MONO, SANS, Stage, choice, commas, field, fields, headline, label, logAxis, make, number, powersOn, prepared, raised, say,
  slider, small, span, table, widget, written,
} from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** A large number as digits and a power of ten: 3.2832·10¹⁸. */
export function scientific(value, decimals = 4) {
  const [digits, power] = value.toExponential(decimals).split("e");
  return `${digits}·10${raised(Number(power))}`;
}

/** How long a run took, in hours. */
export const hoursOf = ({ by, hours, steps, seconds }) => (by === "hours" ? hours : (steps * seconds) / 3600);

/** Table 2's estimate in FLOP. */
export const trainingCost = (hours, gpus, tflops) => hours * 3600 * gpus * tflops * 1e12;

/** FLOP of the matrix products of a run: 2 for each weight and token, and twice as many again in the backward pass. */
export const arithmetic = (weights, tokens, steps) => 6 * tokens * weights * steps;

/** How long so much arithmetic takes where a share of so many TFLOPS is reached. */
export const secondsOn = (flop, gpus, tflops, share) => flop / (gpus * tflops * 1e12 * share);

const percent = (share) => `${share < 1e-6 ? scientific(100 * share, 2) : written(100 * share)} %`;

const UNITS = [["s", 1, 90], ["min", 60, 90 * 60], ["h", 3600, 48 * 3600], ["days", 86400, 730 * 86400],
  ["years", 365.25 * 86400, Infinity]];

/** A time in the unit that suits it, three digits. */
export function duration(seconds) {
  const [unit, size] = UNITS.find(([, , end]) => seconds < end) ?? UNITS.at(-1);
  return `${commas(seconds / size)} ${unit}`;
}

/** A number that was set, with all its digits. */
export const exact = (value) => value.toLocaleString("en-US", { maximumSignificantDigits: 12 });

/** What of a run's cost its arithmetic is, in words. */
export const shareOf = (share) => (share <= 1
  ? `That is ${percent(share)} of the cost above: so much of what the hardware could sustain went into the model's products.`
  : `That is ${commas(share)} times the cost above: more than the hardware could do, so such a run cannot be.`);

/** Where the names of two marks begin, the first at its mark's left and the second at its mark's right: whole, and apart. */
export function besides([x, other], [wide, otherWide], width) {
  const second = Math.max(wide + 8, Math.min(other - 2, width - otherWide));
  return [Math.max(0, Math.min(x + 2, second - 8) - wide), second];
}

/** TFLOPS that hardware keeps up: the paper's sustained value, or a share of what the data sheet says. */
export function sustained(meta, name, share, own) {
  return meta.sustained[name] ?? (name === "another" ? own : meta.datasheet[name]) * share;
}

/** A slider's place for a value between two ends, by ratio, and back; whole: only whole numbers. */
export const STOPS = 240;
export const placeOf = (value, [low, high]) => Math.round((STOPS * Math.log(value / low)) / Math.log(high / low));
export function valueAt(place, [low, high], whole) {
  const value = low * (high / low) ** (place / STOPS);
  return whole && value < 1000 ? Math.round(value) : Number(value.toPrecision(place === STOPS ? 12 : 3));
}

/** A number in a box, kept between the ends. */
export function within(text, [low, high], whole) {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? Math.min(high, Math.max(low, whole ? Math.round(value) : value)) : low;
}

// ------------------------------------------------------------------------------------------------------ the view

const FIELDS = {
  hours: ["hours", [0.1, 100_000], false], steps: ["steps", [1000, 10_000_000], true],
  seconds: ["seconds a step", [0.001, 1000], false], gpus: ["GPUs", [1, 10_000], true],
};
const TRAITS = ["model", "by", "hours", "steps", "seconds", "gpus", "hardware", "share", "n_now", "own_tflops", "measured"];
const COSTS = [1e16, 1e22], STRIP = 116;

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Cost of training");
    this.start(TRAITS);
  }

  get run() { return this.get("meta").runs[this.get("model")]; }
  get hours() { return hoursOf({ by: this.get("by"), hours: this.get("hours"), steps: this.get("steps"), seconds: this.get("seconds") }); }
  get tflops() { return sustained(this.get("meta"), this.get("hardware"), this.get("share"), this.get("own_tflops")); }
  get cost() { return trainingCost(this.hours, this.get("gpus"), this.tflops); }
  get work() { return arithmetic(this.run.weights, this.get("meta").tokens, this.get("steps")); }

  // ------------------------------------------------------------------------------------------ page, built once

  load() {
    const meta = this.get("meta");
    this.formula = make("p", { class: "cost-formula", role: "status" });
    this.printed = make("p", { class: "cost-note" });
    this.needed = make("p", { class: "cost-formula" });
    this.idle = make("p", { class: "cost-note" });
    this.strip = make("canvas", { class: "cost-strip", role: "img", style: `height:${STRIP}px` });
    this.root.classList.add("cost");
    this.frame(headline(make("b", {}, meta.title)),
      this.buildPresets(), this.buildFields(), this.formula, this.printed, this.strip,
      make("div", { class: "cost-part" }, make("b", {}, "The arithmetic in it")), this.needed, this.idle,
      make("div", { class: "cost-part" }, make("b", {}, "The same arithmetic now")), this.buildShare(), this.buildTable());
  }

  buildPresets() {
    const both = Object.keys(this.get("meta").runs).flatMap((model) => ["hours", "steps"].map((by) => ({ model, by })));
    this.presets = both.map(({ model, by }) => ({ model, by, button: make("button", { type: "button", class: "view-chip",
      onclick: () => this.take(model, by) }, `${model}, by ${by === "hours" ? "hours" : "step times"}`) }));
    return make("div", { class: "view-chips", role: "group", "aria-label": "The paper's runs" },
      span("view-name", "The paper's runs"), ...this.presets.map(({ button }) => button));
  }

  /** One of the paper's own runs. */
  take(model, by) {
    const { hours, steps, seconds } = this.get("meta").runs[model];
    this.set({ model, by, hours, steps, seconds, gpus: 8, hardware: "P100" });
  }

  buildFields() {
    const { sustained: old, datasheet } = this.get("meta");
    this.inputs = {};
    const inputs = Object.entries(FIELDS).map(([name, [label, ends, whole]]) => this.buildField(name, label, ends, whole));
    this.by = choice("What tells the time", [["hours", "hours, as reported"], ["steps", "steps × seconds a step"]],
      (event) => this.set({ by: event.target.value }));
    this.hardware = choice("Hardware of the run",
      [...Object.entries(old).map(([name, tflops]) => [name, `${name}: ${tflops} TFLOPS sustained`]),
      ...Object.entries(datasheet).map(([name, tflops]) => [name, `${name}: ${tflops} × the share below`]),
        ["another", "another × the share below"]],
    (event) => this.set({ hardware: event.target.value }));
    return make("div", { class: "view-controls cost-controls" }, fields("time", this.by), ...inputs, fields("hardware", this.hardware));
  }

  buildField(name, label, ends, whole) {
    const change = (value) => this.set({ [name]: value });
    const bar = slider(label, { min: 0, max: STOPS, step: 1, class: "cost-slider" },
      (event) => change(valueAt(Number(event.target.value), ends, whole)));
    const box = make("input", { type: "number", min: ends[0], max: ends[1], step: "any", class: "cost-number",
      "aria-label": `${label}, exactly`,
      onchange: (event) => { change(within(event.target.value, ends, whole)); event.target.value = this.get(name); } });
    const field = fields(label, bar, box);
    this.inputs[name] = { bar, box, field, ends };
    return field;
  }

  buildShare() {
    const counts = Array.from({ length: 11 }, (_, i) => 2 ** i);
    this.share = slider("share of the data sheet's TFLOPS that is reached", { min: 1, max: 100, step: 1, class: "cost-slider cost-wide" },
      (event) => this.set({ share: Number(event.target.value) / 100 }));
    this.count = slider("how many of them", { min: 0, max: 10, step: 1, class: "cost-slider" },
      (event) => this.set({ n_now: counts[Number(event.target.value)] }));
    [this.shareText, this.countText] = [span("view-value", ""), span("view-value", "")];
    return make("div", { class: "view-controls cost-controls" },
      fields("share of the data sheet reached (an assumption)", this.share, this.shareText),
      fields("how many", this.count, this.countText));
  }

  buildTable() {
    this.own = make("input", { type: "number", min: 0.001, max: 1e6, step: "any", class: "cost-number",
      "aria-label": "TFLOPS of another machine",
      onchange: (event) => { this.set({ own_tflops: within(event.target.value, [0.001, 1e6], false) });
        event.target.value = this.get("own_tflops"); } });
    this.body = make("tbody");
    this.names = null;
    const heads = ["on", "TFLOPS", "reached", "one step", "the whole run", "by its logarithm", "beside the paper"];
    return make("div", { class: "view-wide" }, make("table", { class: "cost-table" },
      make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))), this.body),
    small("TFLOPS of today's hardware are data-sheet peaks: dense bf16; RTX 4090: fp16 with fp32 sums. Nothing reaches them; memory, "
      + "which may be short, is not looked at."));
  }

  // ---------------------------------------------------------------------------------------- texts and states

  /** Name, TFLOPS, share reached, seconds of the run. */
  machines() {
    const meta = this.get("meta"), share = this.get("share"), n = this.get("n_now"), run = this.run, own = this.get("own_tflops");
    const paper = run.seconds * this.get("steps"), p100 = meta.sustained.P100;
    const now = [...Object.entries(meta.datasheet), ["another, TFLOPS:", own]].map(([name, tflops]) =>
      ({ name: `${exact(n)} × ${name}`, tflops, share, seconds: secondsOn(this.work, n, tflops, share),
        own: name.startsWith("another") }));
    const here = this.get("measured");
    const mine = here.name ? [{ name: here.name, tflops: here.tflops, share: here.share,
      seconds: secondsOn(this.work, 1, here.tflops, here.share), mine: true }] : [];
    return [{ name: "8 × P100, the paper", tflops: p100, share: this.work / (paper * 8 * p100 * 1e12), seconds: paper }, ...now, ...mine];
  }

  wear() {
    const by = this.get("by"), shown = { hours: by === "hours", seconds: by === "steps", steps: true, gpus: true };
    for (const [name, { bar, box, field, ends }] of Object.entries(this.inputs)) {
      field.classList.toggle("hidden", !shown[name]);
      bar.value = placeOf(this.get(name), ends);
      bar.setAttribute("aria-valuetext", String(this.get(name)));
      if (document.activeElement !== box) box.value = this.get(name);
    }
    this.by.value = by;
    this.hardware.value = this.get("hardware");
    this.wearPresets();
    this.wearCost();
    this.share.value = Math.round(100 * this.get("share"));
    say(this.shareText, percent(this.get("share")));
    this.share.setAttribute("aria-valuetext", this.shareText.textContent);
    this.count.value = Math.round(Math.log2(this.get("n_now")));
    say(this.countText, `× ${exact(this.get("n_now"))}`);
    this.count.setAttribute("aria-valuetext", String(this.get("n_now")));   // its place is a power of two
    this.wearTable();
    Object.assign(this.root.dataset, { cost: this.cost.toExponential(4), work: this.work.toExponential(4), share: this.get("share") });
  }

  preset() {
    return this.presets.find(({ model, by }) => {
      const { hours, steps, seconds } = this.get("meta").runs[model];
      return model === this.get("model") && by === this.get("by") && steps === this.get("steps") && this.get("gpus") === 8
        && this.get("hardware") === "P100" && (by === "hours" ? hours === this.get("hours") : seconds === this.get("seconds"));
    });
  }

  wearPresets() {
    const taken = this.preset();
    for (const preset of this.presets) preset.button.setAttribute("aria-pressed", String(preset === taken));
    if (!taken) return say(this.printed, "A run of your own; the arithmetic below is that of the steps you set.");
    const { printed } = this.run, rounds = Number(this.cost.toPrecision(2)) === Number(printed);
    say(this.printed, `Table 2 prints ${scientific(Number(printed), 1)} for the ${taken.model} model: ${rounds
      ? "the same, rounded." : "by step times it comes out a little lower; both times are round numbers."}`);
  }

  wearCost() {
    const by = this.get("by"), steps = exact(this.get("steps")), run = this.run;
    const hours = this.hours < 1000 ? Number(this.hours.toPrecision(4)) : commas(this.hours);
    const time = by === "hours" ? `${exact(this.hours)} h × 3,600 s` : `${steps} × ${exact(this.get("seconds"))} s (${hours} h)`;
    say(this.formula,
      `${time} × ${exact(this.get("gpus"))} GPU${this.get("gpus") === 1 ? "" : "s"} × ${commas(this.tflops)}·10¹² `
        + `FLOP/s = ${scientific(this.cost)} FLOP`);
    say(this.needed,
      `6 × ${exact(this.get("meta").tokens)} tokens × ${exact(run.weights)} weights × ${steps} steps = `
        + `${scientific(this.work)} FLOP`);
    const share = this.work / this.cost;
    say(this.idle, shareOf(share));
    this.idle.classList.toggle("cost-fails", share > 1);
  }

  /** The rows of the table, made anew when they are of other machines. */
  listed(machines) {
    const names = machines.map(({ name }) => name).join("\n");
    if (this.names === names) return this.lines;
    this.names = names;
    this.lines = machines.map((machine) => {
      const cells = Array.from({ length: 5 }, () => make("td")), bar = make("span");
      if (machine.own) cells[0].append(this.own);
      const row = make("tr", { class: machine.mine ? "cost-mine" : undefined, "data-name": machine.name },
        make("th", { scope: "row" }, machine.name),
        ...cells.slice(0, 4), make("td", { class: "cost-bar", title: "seconds to centuries, by powers of ten" }, bar), cells[4]);
      return { row, cells, bar };
    });
    this.body.replaceChildren(...this.lines.map(({ row }) => row));
    return this.lines;
  }

  wearTable() {
    const machines = this.machines(), lines = this.listed(machines), [least, most] = [1, 1e10].map(Math.log), paper = machines[0].seconds;
    if (document.activeElement !== this.own) this.own.value = this.get("own_tflops");
    machines.forEach((machine, i) => {
      const { cells, bar } = lines[i], ratio = machine.seconds / paper;
      const beside = i === 0 ? "1" : ratio < 1 ? `${commas(1 / ratio)} × faster` : `${commas(ratio)} × slower`;
      const texts = [commas(machine.tflops), percent(machine.share), duration(machine.seconds / this.get("steps")),
        duration(machine.seconds), beside];
      texts.forEach((text, j) => { if (j || !machine.own) say(cells[j], text); });
      bar.style.width = `${Math.min(100, Math.max(1, (100 * (Math.log(machine.seconds) - least)) / (most - least))).toFixed(1)}%`;
    });
  }

  // ------------------------------------------------------------------------------------------------ pictures

  /** Table 2's costs on one line, the run's cost and its arithmetic among them. */
  paint() {
    const place = prepared(this.strip);
    if (!place) return;
    const { ctx, width } = place, across = logAxis(...COSTS, 70, width - 20), foot = STRIP - 26;
    ctx.font = `13px ${MONO}`;
    ctx.textAlign = "center";
    for (const cost of powersOn(across, 10, 8)) {
      this.line(ctx, across.at(cost), 18, across.at(cost), foot, this.look.line, 1);
      ctx.fillStyle = this.look.quiet;
      ctx.fillText(scientific(cost, 0).replace("1·", ""), across.at(cost), foot + 12);
    }
    for (const [language, y, name] of [["de", 44, "EN-DE"], ["fr", 70, "EN-FR"]]) this.paintCosts(ctx, across, language, y, name);
    const at = (value) => Math.min(width - 4, Math.max(66, across.at(Math.max(value, 1e10))));
    const named = (name, value) => (value > COSTS[1] ? `${name}, beyond →` : value < COSTS[0] ? `← ${name}, below` : name);
    const marks = [["this run", this.cost, this.look.heads[5]], ["its arithmetic", this.work, this.look.ink]]
      .sort(([, value], [, other]) => value - other).map(([name, value, colour]) => ({ text: named(name, value), x: at(value), colour }));
    ctx.font = `600 13px ${SANS}`;
    ctx.textAlign = "left";
    const starts = besides(marks.map(({ x }) => x), marks.map(({ text }) => ctx.measureText(text).width), width);
    marks.forEach(({ x, text, colour }, i) => {
      this.line(ctx, x, 18, x, foot, colour, 2.5);
      ctx.fillStyle = this.look.ink;
      ctx.fillText(text, starts[i], 9);
    });
    this.strip.setAttribute("aria-label",
      `Costs of Table 2 from ${scientific(COSTS[0], 0)} to ${scientific(COSTS[1], 0)} FLOP; this run: ${scientific(this.cost)}, its `
        + `arithmetic: ${scientific(this.work)}`);
  }

  line(ctx, x0, y0, x1, y1, colour, width) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    ctx.moveTo(x0, y0);
    ctx.lineTo(x1, y1);
    ctx.stroke();
  }

  paintCosts(ctx, across, language, y, name) {
    ctx.textAlign = "left";
    ctx.font = `13px ${SANS}`;
    ctx.fillStyle = this.look.quiet;
    ctx.fillText(name, 4, y);
    for (const { kind, cost } of this.get("meta").costs.filter((row) => row.language === language)) {
      ctx.beginPath();
      ctx.arc(across.at(cost), y, 5, 0, 2 * Math.PI);
      ctx.fillStyle = kind === "Transformer" ? this.look.heads[5] : this.look.quiet;
      ctx.fill();
    }
  }
}

/** What the controls do, by name or class. */
const HINTS = {
  ".view-chip": "set what the paper says of this run", "What tells the time": "hours of the run, or steps times their length",
  ".cost-slider": "drag: the cost below follows", ".cost-number": "the same number, typed",
  "Hardware of the run": "what it was made on: the paper's sustained rates, or the share below of a data sheet's",
};

export default widget(View, HINTS);
