// What a browser test asks of a page: which texts of its views are cut, lie on another, or are too small to read.
//
// Run in the page before its own scripts: what canvases write is remembered as it is written. Then `fits.findings(…)`.

(() => {
  const OVER = 2;                    // pixels by which texts may touch
  const LEAST = { html: 13, drawn: 8 };   // pixels of type
  const written = new WeakMap();     // canvas → [{ text, size, corners }, …]
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;

  Object.assign(CanvasRenderingContext2D.prototype, {
    clearRect(...box) {
      written.set(this.canvas, []);
      clearRect.apply(this, box);
    },
    fillText(text, x, y, ...more) {
      const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right, actualBoundingBoxAscent: up, actualBoundingBoxDescent: down }
        = this.measureText(text), to = this.getTransform(), { canvas } = this, ratio = canvas.width / (canvas.clientWidth || canvas.width);
      const corners = [[x - left, y - up], [x + right, y - up], [x + right, y + down], [x - left, y + down]]
        .map(([a, b]) => [(to.a * a + to.c * b + to.e) / ratio, (to.b * a + to.d * b + to.f) / ratio]);
      const size = parseFloat(this.font.match(/([\d.]+)px/)[1]) * Math.hypot(to.a, to.b) / ratio;
      if (text.trim() && this.globalAlpha) written.get(canvas)?.push({ text, size, corners });
      fillText.call(this, text, x, y, ...more);
    },
  });

  /** By how many pixels two convex figures reach into each other; 0 if they do not. */
  function overlap(one, other) {
    let least = Infinity;
    for (const figure of [one, other]) figure.forEach(([x, y], i) => {
      const [u, v] = figure[(i + 1) % figure.length], long = Math.hypot(u - x, v - y) || 1, axis = [(v - y) / long, (x - u) / long];
      const [a, b] = [one, other].map((points) => points.map(([p, q]) => p * axis[0] + q * axis[1]));
      least = Math.min(least, Math.max(...a) - Math.min(...b), Math.max(...b) - Math.min(...a));
    });
    return Math.max(0, least);
  }

  const styles = new Map();   // of a look at the page: computed once for each element
  const styleOf = (node) => { if (!styles.has(node)) styles.set(node, getComputedStyle(node)); return styles.get(node); };
  const corners = ({ left, top, right, bottom }) => [[left, top], [right, top], [right, bottom], [left, bottom]];
  const short = (text) => { const line = text.trim().replace(/\s+/g, " "); return line.length > 60 ? `${line.slice(0, 59)}~` : line; };

  /** What of a box its ancestors show; lost: how many pixels of it none can come to, what a scroll brings in sight aside. */
  function shown(box, node) {
    let { left, top, right, bottom } = box, lost = 0;
    for (let at = node; at && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, display } = styleOf(at);
      if (display === "inline" || (overflowX === "visible" && overflowY === "visible")) continue;
      const around = at.getBoundingClientRect();
      const across = Math.max(0, around.left - left, right - around.right), along = Math.max(0, around.top - top, bottom - around.bottom);
      if (overflowX !== "visible" && across > OVER) {
        if (!/auto|scroll/.test(overflowX)) lost = Math.max(lost, across);
        [left, right] = [Math.max(left, around.left), Math.min(right, around.right)];
      }
      if (overflowY !== "visible" && along > OVER) {
        if (!/auto|scroll/.test(overflowY)) lost = Math.max(lost, along);
        [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
      }
    }
    return { box: { left, top, right, bottom }, gone: right - left < 1 || bottom - top < 1, lost };
  }

  const readable = (node) => node.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && !node.closest(".view-live, noscript");
  const where = (node) => {
    const named = node.closest("[class]");
    return named ? [...named.classList].map((name) => `.${name}`).join("") : node.tagName.toLowerCase();
  };

  /** Every line of text in sight within a root: what it says, its type, and its box on the page. */
  function* lines(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), range = document.createRange();
    for (let text = walker.nextNode(); text; text = walker.nextNode()) {
      const node = text.parentElement;
      if (!text.data.trim() || node.closest("style, script, option, textarea, annotation, math") || !readable(node)) continue;
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) yield { node, box, text: text.data, part: text };
    }
  }

  /** Fields whose text has not the room that it takes; a menu may have several lines. */
  function* fieldsCut(root) {
    const pen = document.body.appendChild(document.createElement("div"));
    for (const node of root.querySelectorAll("select, input[type=number]")) {
      if (!readable(node)) continue;
      const select = node.tagName === "SELECT", style = getComputedStyle(node), wraps = style.appearance === "none" && style.whiteSpace === "normal";
      const [wide, high] = [["Left", "Right"], ["Top", "Bottom"]].map((sides) => sides.reduce((sum, side) => sum + parseFloat(style[`padding${side}`]), 0));
      const room = node.clientWidth - wide - (select && !wraps ? 16 : 0);
      pen.textContent = select ? node.selectedOptions[0]?.textContent ?? "" : node.value;
      Object.assign(pen.style, { position: "absolute", visibility: "hidden", width: `${room}px`, maxWidth: "none", whiteSpace: wraps ? "normal" : "nowrap" });
      for (const name of ["fontFamily", "fontSize", "fontWeight", "fontVariantNumeric", "lineHeight"]) pen.style[name] = style[name];
      const lines = Math.max(node.clientHeight - high, parseFloat(style.fontSize) * 1.6);
      if (pen.scrollWidth > room + OVER || pen.offsetHeight > lines + OVER) yield ["cut", node, pen.textContent];
    }
    pen.remove();
  }

  /** What is wrong within one view: [kind, where, text]. */
  function* inView(root) {
    const seen = [];
    for (const { node, box, text, part } of lines(root)) {
      const style = styleOf(node), size = parseFloat(style.fontSize), drawn = node instanceof SVGElement;
      const { box: left, gone, lost } = shown(box, node);
      if (lost > OVER) yield ["cut", node, text];
      if (!gone && (left.right > innerWidth + OVER || left.left < -OVER)) yield ["outside", node, text];
      if (size < (drawn ? LEAST.drawn : LEAST.html) && !node.closest("sub, sup, .mod-formula")) yield ["small", node, `${size} px: ${text}`];
      const turned = drawn && node.getScreenCTM?.().b;
      if (!gone && !turned) seen.push({ node, text, part, corners: corners({ ...left, top: left.top + 0.18 * box.height, bottom: left.bottom - 0.18 * box.height }) });
    }
    yield* onEachOther(seen);
    yield* fieldsCut(root);
    for (const canvas of root.querySelectorAll("canvas")) if (readable(canvas) && canvas.clientWidth) yield* inCanvas(canvas);
  }

  function* inCanvas(canvas) {
    const { clientWidth: wide, clientHeight: high } = canvas, texts = written.get(canvas) ?? [], { lost } = shown(canvas.getBoundingClientRect(), canvas);
    if (lost > OVER) yield ["cut", canvas, "the canvas"];
    for (const { text, size, corners } of texts) {
      if (corners.some(([x, y]) => x < -OVER || y < -OVER || x > wide + OVER || y > high + OVER)) yield ["cut", canvas, text];
      else if (text.endsWith("…") && text.length > 1) yield ["shortened", canvas, text];
      if (size < LEAST.drawn) yield ["small", canvas, `${size.toFixed(1)} px: ${text}`];
    }
    yield* onEachOther(texts.map((text) => ({ ...text, node: canvas })));
  }

  function* onEachOther(texts) {
    const near = texts.map((one) => ({ ...one, from: Math.min(...one.corners.map(([x]) => x)), to: Math.max(...one.corners.map(([x]) => x)) }))
      .sort((a, b) => a.from - b.from);
    for (let i = 0; i < near.length; i++) for (let j = i + 1; j < near.length && near[j].from < near[i].to - OVER; j++) {
      const [one, other] = [near[i], near[j]];
      if (overlap(one.corners, other.corners) <= OVER) continue;
      if (one.part && one.part === other.part) yield ["cut", one.node, one.text];   // Chromium's two boxes of a text that ends in …
      else yield ["overlap", one.node, `${short(one.text)} | ${short(other.text)}`];
    }
  }

  const frames = async (n = 2) => { for (let i = 0; i < n; i++) await new Promise(requestAnimationFrame); };

  /** Wait until every view of the page stands there and is painted. */
  async function settled() {
    for (let i = 0; i < 600; i++) {
      await frames(1);
      const views = [...document.querySelectorAll(".pg-view")];
      if (views.every((view) => "moves" in view.dataset) && [...document.querySelectorAll(".view")].every((view) => view.dataset.paintMs)) break;
    }
    await frames(3);
  }

  /** All that is wrong in the page's views as they stand, with every tab opened in its turn. */
  async function findings() {
    const found = new Set(), places = [...document.querySelectorAll(".pg-view, .pg-control, .pg-html")];
    const look = (state, some) => {
      styles.clear();
      for (const place of some) for (const [kind, node, text] of inView(place)) {
        const view = node.closest(".view")?.getAttribute("aria-label") ?? place.dataset.kind ?? "page";
        found.add(JSON.stringify([kind, view, state(node), where(node), short(text)]));
      }
      const wide = document.documentElement.scrollWidth;
      if (wide > innerWidth + OVER) found.add(JSON.stringify(["outside", "page", "", "html", `the page is ${wide} wide`]));
    };
    const lists = [...document.querySelectorAll(".view [role=tablist]")].filter(readable);
    const first = lists.map((list) => list.querySelector("[aria-selected=true]"));
    const most = Math.max(1, ...lists.map((list) => list.children.length));
    const open = (node) => [...node.closest(".view")?.querySelectorAll("[role=tab][aria-selected=true]") ?? []].map((tab) => tab.dataset.tab).join(" ");
    for (let tab = 0; tab < most; tab++) {
      lists.forEach((list) => list.children[tab]?.click());
      await frames(3);
      look(open, places.filter((place) => !tab || lists.some((list) => list.children[tab] && place.contains(list))));
    }
    first.forEach((tab) => tab?.click());
    await frames(2);
    return [...found].map((line) => JSON.parse(line));
  }

  window.fits = { findings, settled, frames, written: (canvas) => written.get(canvas).map(({ text }) => text) };
})();
