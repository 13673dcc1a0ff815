// A page without a kernel: the canvases, Plotly figures and Altair charts of a notebook go on moving.
//
// The page holds one JSON with all data: `code` (gzip, base64) has `scripts`, one for each kind of canvas, and the `shared` one that
// they import; beside it are their `look`, `models` (a canvas's state), `figures`, and `libraries` (packed alike), one copy of each. An
// element says what belongs into it by data-kind (canvas, plotly or vega) and data-number, and gets it when the reader comes near. No
// globals of ours, no network. A canvas that has a `twin` is answered by a model: the code for that is `engine` and `explorers`
// (viz/page), `translators` says which scripts beside the page hold the weights, if it does not itself, and the sentence box or the line
// above the canvas is an element .pg-asks of its number. What an address #view=… may open is in `takes` (page/address.js).
// The browser keeps the reader's place; the index and the page itself lead back there.

import { addressOf, askedIn, check, fits, shortly } from "./page/address.js";

// ------------------------------------------------------------------------------------- pure parts (node --test)

/** The bytes that base64 text stands for. */
export const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

/** A state as its script expects it: what was packed as {base64: …} is bytes again, however deep it lies. */
export function revived(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(revived);
  if (typeof value.base64 === "string") return new DataView(bytes(value.base64).buffer);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, revived(part)]));
}

/** What stands in for the kernel's model: it holds traits and tells its listeners when one changes, and what a view asks. */
export function modelOf(state) {
  const listeners = new Map();
  const tell = (event, ...words) => [...listeners.get(event) ?? []].forEach((listener) => listener(...words));
  return {
    tell,
    all: () => ({ ...state }),
    get: (name) => state[name],
    set(name, value) {
      if (!ArrayBuffer.isView(value) && JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      tell(`change:${name}`);
      tell("change");
    },
    save_changes() {},
    send(message) { tell("asked", message); },
    on(event, listener) { listeners.set(event, [...listeners.get(event) ?? [], listener]); },
    off(event, listener) { listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== listener)); },
  };
}

/** Text that was packed by gzip and base64. */
export function unpacked(base64) {
  const stream = new Blob([bytes(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/** Objects joined, the later winning, part by part. */
export function merged(one, other) {
  const plain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!plain(one) || !plain(other)) return other === undefined ? one : other;
  const names = [...Object.keys(one), ...Object.keys(other)];
  return Object.fromEntries(names.map((name) => [name, merged(one[name], other[name])]));
}

/** A figure's layout where it says nothing itself: its paper lets the page through, its text and lines are the page's. */
export function worn(layout, { ink, line }) {
  const axis = { gridcolor: line, linecolor: line, zerolinecolor: line };
  const names = ["xaxis", "yaxis", ...Object.keys(layout).filter((name) => /^[xy]axis\d+$/.test(name))];
  const axes = Object.fromEntries(names.map((name) => [name, axis]));
  const legend = { title: { side: "top" } };   // else Plotly cuts the entry that ends a line
  return merged({ paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: ink }, legend, ...axes }, layout);
}

/** A chart's specification, with the page's colours where it has none. */
export function tinted(spec, { ink, quiet, line }) {
  const text = { labelColor: quiet, titleColor: ink }, title = { color: ink, subtitleColor: quiet };
  const axis = { ...text, gridColor: line, domainColor: line, tickColor: line };
  return merged({ background: "transparent", config: { axis, legend: text, header: text, title, view: { stroke: line } } }, spec);
}

/** The name of a view in a page's addresses: its kind, and from the second of a kind on its number. */
export function nameOf(models, number) {
  const { script } = models[number], before = models.slice(0, number).filter((other) => other.script === script).length;
  return before ? `${script}-${before + 1}` : script;
}

/** Where a view stands, as an address: what the reader has made of what was stored. */
export class Place {
  constructor(name, model, explorer, takes) {
    const possible = Object.entries(takes).filter(([, { asks }]) => explorer || !asks);
    Object.assign(this, { name, model, explorer, takes: Object.fromEntries(possible) });
    Object.assign(this, { stored: model.all(), sentence: explorer?.sentence, kept: explorer?.kept, before: [] });
  }

  /** Whether another sentence is shown than at first. */
  get moved() { return Boolean(this.explorer) && this.explorer.sentence !== this.sentence; }

  /** A sentence is typed: the one before it can be brought back. */
  async type(text) {
    const before = this.explorer.sentence;
    await this.explorer.answer(text);
    if (this.explorer.sentence !== before) this.keep([...this.before, before]);
  }

  /** Bring back the sentence before the last that was typed. */
  untype() {
    const sentence = this.before.at(-1);
    this.keep(this.before.slice(0, -1));
    return this.explorer.answer(sentence);
  }

  /** Be as it was stored; the sentence that was shown can be brought back. */
  startAgain() {
    const { sentence } = this.explorer;
    this.back();
    this.keep([...this.before, sentence]);
  }

  /** Keep these sentences; the view hears how many they are. */
  keep(before) {
    this.before = before;
    this.model.set("typed", before.length);
  }

  get address() {
    const { explorer, sentence } = this, typed = explorer && explorer.sentence !== sentence ? explorer.sentence : null, state = {};
    const anew = typed !== null || explorer?.rewrites ? explorer.anew : {};
    for (const name of Object.keys(this.takes)) {
      const value = this.model.get(name), first = Object.hasOwn(anew, name) ? anew[name] : this.stored[name];
      if (JSON.stringify(value) !== JSON.stringify(first)) state[name] = value;
    }
    return addressOf(this.name, typed, state);
  }

  /** Be as it was stored. */
  back() {
    this.explorer?.leaving?.abort();
    Object.assign(this.explorer ?? {}, this.kept, { working: undefined });
    for (const [name, value] of Object.entries(this.stored)) if (this.model.get(name) !== value) this.model.set(name, value);
    this.explorer?.say(this.explorer.toldNow());
  }

  /** Show a state, or refuse it in a sentence and be as it was stored. shown: waits until it is on the screen, or fails. */
  async open({ sentence, state }, shown) {
    const { explorer, model, takes } = this;
    if (sentence !== null && !explorer?.reads) throw new Error("this view takes no sentence.");
    for (const [name, value] of state) check(name, value, takes);
    this.back();
    try {
      if (sentence !== null && sentence !== explorer.sentence && await explorer.answer(sentence) !== true) return;   // its line says why
      const rank = ([name]) => (takes[name].asks ? 0 : 1);   // an answer may take back what was chosen before
      for (const [name, value] of [...state].sort((a, b) => rank(a) - rank(b))) {
        check(name, value, takes, { ...model.all(), ...model.get("meta") }, model.get(name));
        model.set(name, value);
        const done = await explorer?.working;
        if (done === null) return;   // something else was asked
        if (done === false) throw new Error(explorer.line);
      }
      await shown();
    } catch (error) {
      this.back();
      throw error;
    }
  }
}

const PLACE = "viz: the reader's place";

/** Where a reader was, {page, title, anchor, heading}; null where a store is shut, empty or holds something else. */
export function placeIn(store) {
  try {
    const place = JSON.parse(store().getItem(PLACE));
    const texts = ["page", "title", "anchor", "heading"].every((name) => typeof place[name] === "string");
    return texts && /^[\w-]+\.html$/.test(place.page) ? place : null;
  } catch { return null; }
}

// -------------------------------------------------------------------------------------------------------- the page

const once = (make) => { let made; return () => (made ??= make()); };
const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

/** The page's colours, from its style sheet. */
function colours(node) {
  const style = getComputedStyle(node), read = (name) => style.getPropertyValue(`--pg-${name}`).trim();
  return { ink: read("ink"), quiet: read("quiet"), line: read("line") };
}

/** Run a script of the page by its text, for the page's policy lets those run whose hash it names; gives what it says. */
function run(name, text, type = "module") {
  return new Promise((done, failed) => {
    document.addEventListener("pg-script", ({ detail }) => { if (detail.name === name) done(detail.view); });
    for (const trouble of ["error", "securitypolicyviolation"]) window.addEventListener(trouble, failed, { once: true });
    document.head.append(Object.assign(document.createElement("script"), { type, text }));
  });
}

/** How to fill elements from the page's data: canvas, plotly and vega, each (element, number) => promise.
 *
 * folder: where the weights lie; page: the page whose address opens a view as it stands, "" where there is none. */
export function fillers(data, { folder, page }) {
  const code = once(async () => JSON.parse(await unpacked(data.code))), scripts = new Map();
  const scriptOf = async (name) => {
    const { shared, scripts: texts } = await code();
    if (!scripts.has(name)) scripts.set(name, run(name, texts[name].replace("// canvas.js\n", () => shared)));
    return scripts.get(name);
  };
  const answering = once(async () => {
    const { engine, explorers } = await code();
    return { ...await run("answering", `${engine}\n${explorers}`), source: engine };
  });
  const doors = Object.fromEntries(Object.entries(data.translators).map(([name, needed]) => [name, once(async () => {
    const { Answers, modelBeside, modelWithin, source } = await answering();
    return new Answers({ source, read: () => (needed.src ? modelBeside(new URL(needed.src, folder).href, needed) : modelWithin(needed)) });
  })]));
  const models = data.models.map(({ state, takes, twin }, number) => once(async () => {
    const model = modelOf({ look: data.look, ...revived(state) });
    let explorer = null;
    if (twin) {
      const { explorers } = await answering();
      const meta = model.get("meta"), shows = meta.shows && `${meta.shows}, fp32, from Python`;   // until this page has answered
      model.set("meta", { ...meta, live: true, shows });
      explorer = new explorers[twin.is](model, await doors[twin.model](), revived(twin));
    }
    const place = new Place(nameOf(data.models, number), model, explorer, takes);
    if (page) model.address = () => page + place.address;
    Object.assign(model, { moved: () => place.moved, untype: () => place.untype(), startAgain: () => place.startAgain() });
    return { model, explorer, place };
  }));
  const plotly = once(async () => run("plotly", await unpacked(data.libraries.plotly), "text/javascript"));
  const vega = once(async () => run("vega", await unpacked(data.libraries.vega)));
  return {
    place: async (number) => (await models[number]()).place,
    async canvas(el, number) {
      const widget = await scriptOf(data.models[number].script), { model } = await models[number]();
      widget.render({ model, el });
    },
    async asks(el, number) {
      const { explorer, place } = await models[number]();
      wire(el, place);
      leadOn(place);
    },
    async plotly(el, number) {
      const library = await plotly();
      const figure = data.figures[number], config = { ...figure.config, responsive: true, displaylogo: false, showSendToCloud: false };
      const draw = () => library.react(el, { ...figure, layout: worn(figure.layout ?? {}, colours(el)), config });
      await draw();
      if (figure.frames) await library.addFrames(el, figure.frames);
      dark().addEventListener("change", draw);
    },
    async vega(el, number) {
      const embed = await vega(), config = { rule: { aria: false } };   // a line says nothing to who hears the page
      const quiet = { actions: false, defaultStyle: false, ast: true, config };   // ast: without eval
      let figure = data.figures[number];
      const draw = () => embed(el, tinted(figure, colours(el)),
        { ...quiet, renderer: "svg", tooltip: { theme: dark().matches ? "dark" : "light", disableDefaultStyle: true } });
      await draw();
      const over = Math.ceil(el.offsetWidth - el.parentElement.clientWidth);
      if (over > 0) {
        figure = narrower(figure, over);
        await draw();
      }
      dark().addEventListener("change", draw);
    },
  };
}

/** A chart with its panels narrower by so many pixels together, but a wide one (a table); who would lose a third stays, to be scrolled. */
export function narrower(figure, over) {
  const panels = figure.hconcat ?? [], able = panels.filter(({ width }) => width < 500);
  const left = 1 - (over + 2) / able.reduce((sum, { width }) => sum + width, 0);
  return !able.length || left < 0.67 ? figure : { ...figure,
    hconcat: panels.map((panel) => (able.includes(panel) ? { ...panel, width: Math.floor(panel.width * left) } : panel)) };
}

/** Let a sentence box and the line below it, or the line alone, speak with who answers: the model of this page. */
function wire(el, place) {
  const { explorer } = place, [input, menu, line] = ["input", "select", "[role=status]"].map((name) => el.querySelector(name));
  let shown = explorer.text, asked = shown;
  explorer.lines.add((text) => {
    line.textContent = text;
    if (input && shown !== explorer.text) {   // answered, or chosen in the view
      if (input.value === asked) input.value = explorer.text;   // else the next one is being typed
      asked = explorer.text;
    }
    shown = explorer.text;
  });
  if (!input) return;
  const leave = () => {
    if (!explorer.giveUp()) return false;
    input.value = asked = explorer.text;
    return true;
  };
  const answer = (text) => {
    if (!text.trim() && leave()) return;
    input.value = asked = text;
    place.type(text);
  };
  input.addEventListener("change", () => answer(input.value));
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter" && input.value === asked) answer(asked);   // once more
    if (key === "Escape") leave();
  });
  menu?.addEventListener("change", () => {
    answer(menu.value);
    menu.selectedIndex = 0;
  });
  input.addEventListener("input", () => {
    line.textContent = input.value === asked ? explorer.line : "Press Enter, and this is answered.";
  });
  for (const control of [input, menu]) if (control) control.disabled = false;
}

/** Let links to another page's view of the same kind open it with the sentence that is shown here. */
function leadOn(place) {
  for (const link of document.querySelectorAll(`a[data-goes-on="${place.name}"]`)) {
    const lead = () => { link.hash = addressOf(place.name, place.explorer.sentence, {}); };
    place.explorer.lines.add(lead);
    lead();
  }
}

const filled = new WeakMap();

/** Fill an element, once. */
export function fill(el, filler) {
  if (!filled.has(el)) filled.set(el, fillNow(el, filler));
  return filled.get(el);
}

/** Fill an element; where that fails, its still picture stays. */
async function fillNow(el, filler) {
  const place = el.querySelector(".pg-place") ?? el, still = el.querySelector(".pg-still");
  try {
    await filler[el.dataset.kind](place, Number(el.dataset.number));
    el.dataset.moves = "";
  } catch (error) {
    if (still) still.hidden = false;
    throw error;
  }
}

/** Open the view that the page's address names, as the address has it; what is refused is said, and the view is as it was stored. */
async function openAddressed(data, filler) {
  let view, asked;
  try {
    asked = askedIn(location.hash);
    if (!asked) return;
    const number = data.models.findIndex((_, n) => nameOf(data.models, n) === asked.view);
    if (number < 0) throw new Error(`there is no view ${shortly(asked.view)} in this page.`);
    view = await come(number, filler);
    await view.place.open(asked, painted);
  } catch (error) {
    sayAbove(view, `This address cannot be opened: ${error.message} What is shown was stored.`);
  }
}

/** Two frames on what was set is painted; an error that comes up meanwhile is a view's that cannot show it. */
function painted() {
  return new Promise((done, failed) => {
    const hear = () => failed(new Error("the view cannot show it."));
    window.addEventListener("error", hear, { once: true });
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.removeEventListener("error", hear);
      done();
    }));
  });
}

/** Come to a view: it is filled, in sight, and has the keyboard. */
async function come(number, filler) {
  const el = document.querySelector(`.pg-view[data-kind="canvas"][data-number="${number}"]`);
  const asks = document.querySelector(`.pg-asks[data-number="${number}"]`), top = asks ?? el;
  for (let fold = el.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  top.scrollIntoView();
  await Promise.all([fill(el, filler), asks && fill(asks, filler)]);
  top.scrollIntoView();
  el.tabIndex = -1;
  el.focus({ preventScroll: true });
  return { el, asks, place: await filler.place(number) };
}

/** Say something in the line above a view, or where that has none, in one of its own. */
function sayAbove(view, text) {
  if (view?.asks) return view.place.explorer.say(text);
  const line = Object.assign(document.createElement("p"), { className: "pg-refused" });
  line.setAttribute("role", "alert");
  line.textContent = text;
  document.querySelectorAll(".pg-refused").forEach((other) => other.remove());
  if (view) view.el.before(line); else (document.querySelector("main") ?? document.body).prepend(line);
}

/** Let every element that names something get it, when the reader comes near. */
export function start() {
  const data = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
  const filler = fillers(data, { folder: document.baseURI, page: location.href.split("#")[0] });
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fill(target, filler);
    }
  }, { rootMargin: "800px" });
  document.querySelectorAll(".pg-view, .pg-asks").forEach((el) => near.observe(el));
  const open = () => openAddressed(data, filler);
  window.addEventListener("hashchange", open);
  open();
  window.addEventListener("beforeprint", () => document.querySelectorAll(".pg-folded").forEach((fold) => { fold.open = true; }));
  for (const code of document.querySelectorAll(".pg-code, .pg-source")) {
    if (code.scrollWidth <= code.clientWidth) code.removeAttribute("tabindex");
  }
}

/** Keep the place: the last heading above the reader's eyes, or the page's beginning, whenever scrolling rests. Lead back to the one
 * kept before. */
export function keepPlace() {
  const store = () => window.localStorage, page = location.pathname.split("/").at(-1), place = placeIn(store);
  if (place && !location.hash && (place.page === page ? place.anchor : document.querySelector(".pg-contents"))) {
    const link = document.createElement("a");
    Object.assign(link, { className: "pg-back", href: place.page + (place.anchor && `#${encodeURIComponent(place.anchor)}`),
      textContent: `Go on where you were: ${place.page === page ? "" : `${place.title}, `}${place.heading}` });
    (document.querySelector(".pg-top nav") ?? document.querySelector(".pg-top, h1 + p")).append(" ", link);
  }
  const heads = [...document.querySelectorAll("main :is(h2, h3)[id]")], title = document.title;
  let rest;
  document.addEventListener("scroll", () => {
    clearTimeout(rest);
    rest = setTimeout(() => {
      const here = heads.filter((head) => head.getBoundingClientRect().top < window.innerHeight / 3).at(-1);
      if (!heads.length || (!here && place?.page === page)) return;   // the index; a page whose place lies further below
      const { id: anchor, textContent: heading } = here ?? { id: "", textContent: "the beginning" };
      try { store().setItem(PLACE, JSON.stringify({ page, title, anchor, heading })); } catch { /* shut */ }
    }, 300);
  }, { passive: true });
}
