// The jobs view: every head at every job beside what is reached by one that knows nothing, searched and sorted by the reader.

import { Stage, chip, choice, controls, fields, headline, make, number, say, table, widget, written } from "../canvas.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

const MOST = 24;   // rows at a time

/** A head by its place. */
export const headName = ([, kind, layer, head]) => `${kind}, layer ${layer}, head ${head}`;

/** The rows that are asked for: of a kind, with a job for sure, and that hold a text. */
export function shownRows(rows, { search, kind, sure }) {
  const words = search.toLowerCase().trim();
  return rows.filter((row) => (kind === "all" || row[1] === kind) && (row[9] || !sure)
    && `${headName(row)}: ${row[0]}`.toLowerCase().includes(words));
}

/** Where a value stands between two others, in %. */
export const share = (value, low, high) => (100 * (Math.min(Math.max(value, low), high) - low)) / (high - low || 1);

// ------------------------------------------------------------------------------------------------------- the view

class View extends Stage {
  constructor(model, el) {
    super(model, el, "Jobs of heads");
    this.start(["search", "kind", "sure"]);
  }

  get rows() { return shownRows(this.get("meta").rows, { search: this.get("search"), kind: this.get("kind"), sure: this.get("sure") }); }

  load() {
    const kinds = ["all", "encoder", "decoder", "cross"], pick = (changes) => this.pick(changes);
    this.input = make("input", { type: "search", class: "view-search", "aria-label": "Search", placeholder: "layer 4, coreference, …",
      spellcheck: "false", autocomplete: "off", oninput: ({ target }) => pick({ search: target.value }) });
    this.kinds = choice("Attention", kinds.map((kind) => [kind, kind]), ({ target }) => pick({ kind: target.value }));
    this.toSure = make("input", { type: "checkbox", onchange: ({ target }) => pick({ sure: target.checked }) });
    [this.count, this.listed] = [make("p", { class: "view-cell" }), make("div", { class: "view-wide" })];
    this.frame(headline("Which head does what?"),
      controls(fields("Search", this.input), fields("Attention", this.kinds),
        make("span", { class: "view-options" }, make("label", {}, this.toSure, "only heads that have the job"))),
      this.count, this.listed);
  }

  csv() {
    return [["job", "attention", "layer", "head", "score", "baseline", "gain", "low", "high", "has the job"], ...this.rows];
  }

  pick(changes) {
    this.set(changes);
    this.announce(() => this.count.textContent);
    this.schedule();
  }

  wear() {
    const { rows } = this, all = this.get("meta").rows.length;
    if (this.input.value !== this.get("search")) this.input.value = this.get("search");
    this.kinds.value = this.get("kind");
    this.toSure.checked = this.get("sure");
    const first = rows.length > MOST ? `; the first ${MOST} are shown` : "";
    say(this.count, `${rows.length} of ${all} rows${first}. Better by: the score less the baseline, with its 95 % interval.`);
    this.fill(this.listed, [this.get("search"), this.get("kind"), this.get("sure")], () => [this.table(rows.slice(0, MOST))]);
    Object.assign(this.root.dataset, { rows: rows.length });
  }

  table(rows) {
    return table("evi-jobs", ["head", "job", "score", "knows nothing", "better by", ""], rows.map((row) => make("tr", {},
      make("th", { scope: "row" }, chip(headName(row), () => this.pick({ search: headName(row), sure: false, kind: "all" }),
        { title: "all jobs of this head" })),
      make("td", { class: "evi-job" }, row[0]), number(row[4]), number(row[5]),
      make("td", {}, `${written(row[6])} (${written(row[7])} to ${written(row[8])})`), make("td", {}, this.bar(row)))));
  }

  /** The gain and its interval as a bar, from -½ to ½. */
  bar([, , , , , , gain, low, high]) {
    const at = (value) => share(value, -0.5, 0.5), [from, to] = [Math.min(at(gain), 50), Math.max(at(gain), 50)];
    const part = (name, left, right) => make("span", { class: name, style: `left:${left}%;width:${Math.max(right - left, 0.5)}%` });
    return make("span", { class: "evi-gain", "aria-hidden": "true" }, part("evi-gain-bar", from, to),
      part("evi-gain-within", at(low), at(high)));
  }
}

/** What the controls do, by name or class. */
const HINTS = { "Search": "rows that hold this text", "Attention": "heads of which attention",
  "only heads that have the job": "those whose whole 95 % interval lies above the baseline" };

export default widget(View, HINTS);
