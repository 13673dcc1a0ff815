// A page without a kernel: the canvases, Plotly figures and Altair charts of a notebook go on moving.
//
// The page holds one JSON with all data: `scripts` (one for each kind of canvas) and the `shared` one that they import, their
// `look`, `models` (a canvas's state), `figures`, and `libraries` (gzip, base64), one copy of each. An element says what belongs into it by
// data-kind (canvas, plotly or vega) and data-number, and gets it when the reader comes near. No globals of ours, no network.
// The browser keeps the reader's place; the index, which has no such data, and the page itself lead back there.

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

/** What stands in for the kernel's model: it holds traits and tells its listeners when one changes. */
export function modelOf(state) {
  const listeners = new Map();
  const tell = (event) => [...listeners.get(event) ?? []].forEach((listener) => listener());
  return {
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      tell(`change:${name}`);
      tell("change");
    },
    save_changes() {},
    send() {},
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

/** How to fill elements from the page's data: canvas, plotly and vega, each (element, number) => promise. */
function fillers(data) {
  const scripts = new Map(Object.entries(data.scripts).map(([name, text]) =>
    [name, once(() => run(name, text.replace("// canvas.js\n", () => data.shared)))]));
  const models = data.models.map(({ state }) => once(() => modelOf({ look: data.look, ...revived(state) })));
  const plotly = once(async () => run("plotly", await unpacked(data.libraries.plotly), "text/javascript"));
  const vega = once(async () => run("vega", await unpacked(data.libraries.vega)));
  return {
    async canvas(el, number) {
      const widget = await scripts.get(data.models[number].script)();
      widget.render({ model: models[number](), el });
    },
    async plotly(el, number) {
      const library = await plotly();
      const figure = data.figures[number], config = { ...figure.config, responsive: true, displaylogo: false };
      const draw = () => library.react(el, { ...figure, layout: worn(figure.layout ?? {}, colours(el)), config });
      await draw();
      if (figure.frames) await library.addFrames(el, figure.frames);
      dark().addEventListener("change", draw);
    },
    async vega(el, number) {
      const embed = await vega(), config = { rule: { aria: false } };   // a line says nothing to who hears the page
      const quiet = { actions: false, defaultStyle: false, ast: true, config };   // ast: without eval
      const draw = () => embed(el, tinted(data.figures[number], colours(el)),
        { ...quiet, renderer: "svg", tooltip: { theme: dark().matches ? "dark" : "light", disableDefaultStyle: true } });
      await draw();
      dark().addEventListener("change", draw);
    },
  };
}

/** Fill an element; where that fails, its still picture stays. */
async function fill(el, filler) {
  const place = el.querySelector(".pg-place"), still = el.querySelector(".pg-still");
  try {
    await filler[el.dataset.kind](place, Number(el.dataset.number));
    el.dataset.moves = "";
  } catch (error) {
    if (still) still.hidden = false;
    throw error;
  }
}

/** Let every element that names something get it, when the reader comes near. */
function start() {
  const filler = fillers(JSON.parse(document.querySelector('script[type="application/json"]').textContent));
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      fill(target, filler);
    }
  }, { rootMargin: "800px" });
  document.querySelectorAll(".pg-view").forEach((el) => near.observe(el));
  for (const code of document.querySelectorAll(".pg-code")) if (code.scrollWidth <= code.clientWidth) code.removeAttribute("tabindex");
}

/** Keep the place: the last heading above the reader's eyes, whenever scrolling rests. Lead back to the one kept before. */
function keepPlace() {
  const store = () => window.localStorage, page = location.pathname.split("/").at(-1), place = placeIn(store);
  if (place && !location.hash && (place.page === page || !document.querySelector("main h2"))) {
    const link = document.createElement("a");
    Object.assign(link, { className: "pg-back", href: `${place.page}#${encodeURIComponent(place.anchor)}`,
      textContent: `Go on where you were: ${place.page === page ? "" : `${place.title}, `}${place.heading}` });
    document.querySelector(".pg-top nav, h1 + p").append(" ", link);
  }
  const heads = [...document.querySelectorAll("main :is(h2, h3)[id]")], title = document.title;
  let rest;
  document.addEventListener("scroll", () => {
    clearTimeout(rest);
    rest = setTimeout(() => {
      const here = heads.filter((head) => head.getBoundingClientRect().top < window.innerHeight / 3).at(-1);
      if (!here) return;
      try { store().setItem(PLACE, JSON.stringify({ page, title, anchor: here.id, heading: here.textContent })); } catch { /* shut */ }
    }, 300);
  }, { passive: true });
}

if (typeof document !== "undefined") {
  if (document.querySelector('script[type="application/json"]')) start();
  keepPlace();
}
