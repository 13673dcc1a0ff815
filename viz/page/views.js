// NAME.views.js of a site: the views of the page NAME.html, for the notebook itself where it is shown and no kernel runs.
//
// DATA is the page's: its views, and the `markup` that holds each of them, by what is said of its picture. A view takes the place of its
// picture as Python's would (viz/page/pictures.js says when), and gives it back if it cannot be drawn.

import { fill, fillers, unpacked } from "../page.js";

const folder = new URL(".", document.currentScript.src), inLab = document.getElementById("jupyter-config-data");
const page = inLab ? "" : new URL(`${DATA.page}.html`, folder).href;   // Jupyter's server shuts out what such a page would load
const filler = fillers(DATA, { folder, page });
let dressed = null;

/** Wear the views' style sheet, once. */
const dress = () => (dressed ??= unpacked(DATA.style).then((text) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
}));

/** What a front end shows of a picture: the Markdown that it stands in, or itself and the line above. */
function shownOf(picture) {
  const output = picture.closest(".jp-RenderedMarkdown, .rendered_html");
  return output ? [output] : [picture.previousElementSibling, picture].filter(Boolean);
}

/** Let a view take the place of its picture. */
async function show(picture) {
  const shown = shownOf(picture), place = document.createElement("div");
  const display = (how) => { for (const part of shown) part.style.display = how; };
  if (shown.at(-1).nextElementSibling?.matches(".pg-alive")) return;   // a front end has drawn the picture anew
  place.className = "pg-alive jp-OutputArea-output";
  place.append(...new DOMParser().parseFromString(DATA.markup[picture.alt], "text/html").body.childNodes);
  place.addEventListener("keydown", (event) => event.stopPropagation());   // else Enter is JupyterLab's
  try {
    await dress();
    shown.at(-1).after(place);
    display("none");
    await Promise.all(Array.from(place.querySelectorAll(".pg-view, .pg-asks"), (el) => fill(el, filler)));
  } catch (error) {
    place.remove();
    display("");
    console.warn(`A view stays a picture: ${error.message ?? error.type}`);
  }
}

document.dispatchEvent(new CustomEvent("pg-views", { detail: { page: DATA.page, show } }));
