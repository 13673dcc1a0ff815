// A view as SVG: what stands in it as shapes and text, for paper and for drawing programs.
//
// A canvas forgets what was drawn on it. While a view paints for a picture its contexts are pens: they draw, and keep each act as an
// element. Around the canvases stand the boxes and texts of the page, each where the browser has put it.

// ------------------------------------------------------------------------------------- pure parts (node --test)

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;   // what XML does not hold

const inXml = (text) => String(text).replace(UNSEEN, "\ufffd").replace(/[&<>"]/g, (letter) => ESCAPES[letter]);

/** A number as SVG needs it, and a path with such numbers: pathOf`M${x} ${y}`. */
const svgNumber = (x) => String(Math.round(x * 100) / 100);
const pathOf = (words, ...numbers) => words.reduce((text, word, i) => text + svgNumber(numbers[i - 1]) + word);

/** An SVG element as text; attributes that are empty are left out, content is SVG. */
export function svgElement(name, attributes, content = "") {
  const written = Object.entries(attributes).filter(([, value]) => value !== "" && value !== undefined && value !== null)
    .map(([key, value]) => ` ${key}="${typeof value === "number" ? svgNumber(value) : inXml(value)}"`).join("");
  return content ? `<${name}${written}>${content}</${name}>` : `<${name}${written}/>`;
}

/** A CSS font, "italic 600 13px Sans", as SVG's attributes. */
export function fontOf(css) {
  const [, before, size, family] = css.match(/^(.*?)([\d.]+)px(?:\/\S+)? (.+)$/) ?? [null, "", "13", css];
  return { "font-family": family, "font-size": Number(size), "font-weight": before.match(/\b(bold|[1-9]00)\b/)?.[1],
    "font-style": before.match(/\bitalic\b/)?.[0] };
}

/** An arc of a circle as a path, from angle to angle; from what was there before leads a line. */
export function arcPath(x, y, radius, from, to, joined) {
  const at = (angle) => pathOf`${x + radius * Math.cos(angle)} ${y + radius * Math.sin(angle)}`;
  const arc = (angle, large) => pathOf`A${radius} ${radius} 0 ${large} 1 ` + at(angle);
  const begins = `${joined ? "L" : "M"}${at(from)}`;
  return to - from >= 2 * Math.PI ? `${begins}${arc(from + Math.PI, 0)}${arc(from, 0)}Z`
    : `${begins}${arc(to, Number(to - from > Math.PI))}`;
}

/** Lines from the lower left to the upper right, as the stripes of a CSS gradient of 5 pixels, cut at the sides of a box. */
export function hatching(x, y, width, height, by = 5 * Math.SQRT2) {
  const [right, low] = [x + width, y + height], lines = Array.from({ length: Math.ceil((width + height) / by) }, (_, n) => x + y + n * by);
  return lines.map((sum) => pathOf`M${Math.max(x, sum - low)} ${Math.min(low, sum - x)}`
    + pathOf`L${Math.min(right, sum - y)} ${Math.max(y, sum - right)}`).join("");
}

/** Rows of pixels (RGBA) as runs of one colour, [row, first, n, colour]; what cannot be seen is left out. */
export function runsOf(pixels, cols) {
  const runs = [];
  for (let at = 0; at < pixels.length / 4; at++) {
    const [r, g, b, a] = pixels.subarray(4 * at, 4 * at + 4), colour = a && `rgb(${r},${g},${b})`, last = runs.at(-1);
    if (colour && at % cols && last?.[3] === colour && last[0] * cols + last[1] + last[2] === at) last[2]++;
    else if (colour) runs.push([Math.floor(at / cols), at % cols, 1, colour]);
  }
  return runs;
}

const MOST_CELLS = 20_000;   // of a picture that becomes shapes; more stay pixels

/** What a pen keeps of each act of a context, by the act's name: SVG, or a change of its path. */
const PEN_ACTS = {
  beginPath: (pen) => { pen.path = ""; },
  moveTo: (pen, x, y) => { pen.path += pathOf`M${x} ${y}`; },
  lineTo: (pen, x, y) => { pen.path += (pen.path ? "L" : "M") + pathOf`${x} ${y}`; },
  bezierCurveTo: (pen, ...places) => { pen.path += `C${places.map(svgNumber).join(" ")}`; },
  arc: (pen, ...circle) => { pen.path += arcPath(...circle.slice(0, 5), pen.path !== ""); },
  rect: (pen, ...box) => { pen.path += boxPath(...box); },
  roundRect: (pen, ...box) => { pen.path += boxPath(...box); },
  closePath: (pen) => { pen.path += "Z"; },
  fill: (pen) => pen.keep("path", { d: pen.path, fill: pen.ctx.fillStyle }),
  stroke: (pen) => pen.keep("path", { d: pen.path, fill: "none", ...lineOf(pen.ctx) }),
  fillRect: (pen, ...box) => pen.keep("path", { d: boxPath(...box), fill: pen.ctx.fillStyle }),
  strokeRect: (pen, ...box) => pen.keep("path", { d: boxPath(...box), fill: "none", ...lineOf(pen.ctx) }),
  save: (pen) => { pen.groups.push(0); },
  restore: (pen) => { if (pen.groups.length > 1) pen.parts.push("</g>".repeat(pen.groups.pop())); },
  clip(pen) {
    const id = `${pen.name}-${pen.parts.length}`, path = svgElement("path", { d: pen.path, transform: pen.turned() });
    pen.parts.push(svgElement("clipPath", { id }, path), `<g clip-path="url(#${id})">`);
    pen.groups[pen.groups.length - 1]++;
  },
  fillText(pen, text, x, y) {
    const { ctx } = pen, { textAlign, textBaseline } = ctx, above = ctx.measureText(text).fontBoundingBoxAscent;
    ctx.textBaseline = "alphabetic";
    const down = ctx.measureText(text).fontBoundingBoxAscent - above;
    ctx.textBaseline = textBaseline;
    const anchor = { center: "middle", right: "end", end: "end" }[textAlign];
    pen.keep("text", { x, y: y + down, fill: ctx.fillStyle, "text-anchor": anchor, ...fontOf(ctx.font) }, inXml(pen.spell(text)));
  },
  drawImage(pen, source, ...places) {
    const [sx, sy, sw, sh, x, y, width, height] = places.length > 4 ? places : [0, 0, source.width, source.height, ...places];
    const copy = Object.assign(document.createElement("canvas"), { width: sw, height: sh }), ctx = copy.getContext("2d");
    ctx.drawImage(source, sx, sy, sw, sh, 0, 0, sw, sh);
    if (pen.ctx.imageSmoothingEnabled || sw * sh > MOST_CELLS) {
      return pen.keep("image", { href: copy.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
    }
    const across = width / sw, down = height / sh;
    const cell = ([row, col, n, fill]) => svgElement("path", { d: boxPath(x + col * across, y + row * down, n * across, down), fill });
    pen.keep("g", { "shape-rendering": "crispEdges" }, runsOf(ctx.getImageData(0, 0, sw, sh).data, sw).map(cell).join(""));
  },
};

/** A box as a path, also one whose sides are negative; radius: of its corners. */
export function boxPath(x, y, width, height, radius = 0) {
  const round = Math.min(Number(radius) || 0, Math.abs(width) / 2, Math.abs(height) / 2);
  if (!round) return pathOf`M${x} ${y}h${width}v${height}h${-width}z`;
  const corner = (right, low) => pathOf`a${round} ${round} 0 0 1 ${right * round} ${low * round}`;
  const wide = width - 2 * round, tall = height - 2 * round;
  return [pathOf`M${x + round} ${y}h${wide}`, corner(1, 1), pathOf`v${tall}`, corner(-1, 1), pathOf`h${-wide}`, corner(-1, -1),
    pathOf`v${-tall}`, corner(1, -1), "z"].join("");
}

const lineOf = (ctx) => ({ stroke: ctx.strokeStyle, "stroke-width": ctx.lineWidth, "stroke-dasharray": ctx.getLineDash().join(" "),
  "stroke-linecap": ctx.lineCap === "butt" ? "" : ctx.lineCap, "stroke-linejoin": ctx.lineJoin === "miter" ? "" : ctx.lineJoin });

// -------------------------------------------------------------------------------------------------------- a canvas

/** A context that draws as `ctx` does and keeps what it drew; name: of this drawing, spell: how text is written. */
export class Pen {
  constructor(ctx, name, spell = (text) => text) {
    Object.assign(this, { ctx, name, spell, parts: [], path: "", groups: [0], upright: ctx.getTransform().inverse() });
    this.context = new Proxy(ctx, {
      get: (_, act) => (typeof ctx[act] !== "function" ? ctx[act] : (...values) => {
        if (Object.hasOwn(PEN_ACTS, act)) PEN_ACTS[act](this, ...values);
        return ctx[act](...values);
      }),
      set: (_, setting, value) => { ctx[setting] = value; return true; },
    });
  }

  /** How the drawing is turned and moved now, "" where it is not. */
  turned() {
    const { a, b, c, d, e, f, isIdentity } = this.upright.multiply(this.ctx.getTransform());
    return isIdentity ? "" : `matrix(${[a, b, c, d, e, f].map((x) => Math.round(x * 1e4) / 1e4).join(" ")})`;
  }

  keep(name, attributes, content) {
    const { globalAlpha } = this.ctx;
    if (globalAlpha === 0 || attributes.d === "") return;
    this.parts.push(svgElement(name, { ...attributes, opacity: globalAlpha < 1 ? globalAlpha : "", transform: this.turned() }, content));
  }

  get svg() { return this.parts.join("") + "</g>".repeat(this.groups.reduce((a, b) => a + b)); }
}

// ------------------------------------------------------------------------------------------------------- its page

const unpainted = (colour) => /^(transparent|rgba\(.*, 0\))$/.test(colour);

/** The page around a drawing: boxes, texts, controls; canvases as their pens have them. */
class DrawnPage {
  constructor(root, drawings, leftOut) {
    const { left, top, width } = root.getBoundingClientRect();
    Object.assign(this, { left, top, scale: root.clientWidth / width, drawings, leftOut, parts: [], clips: 0 });
    this.measure = document.createElement("canvas").getContext("2d");
  }

  /** Where something is, in the root's own pixels. */
  place({ left, top, width, height }) {
    const { scale } = this;
    return { x: (left - this.left) * scale, y: (top - this.top) * scale, width: width * scale, height: height * scale };
  }

  draw(node) {
    if (node.nodeType === Node.TEXT_NODE) return this.drawText(node);
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(this.leftOut)) return;
    const style = getComputedStyle(node), box = this.place(node.getBoundingClientRect());
    if (style.display === "none" || style.visibility === "hidden" || style.opacity === "0") return;
    const see = Number(style.opacity), cut = style.display !== "contents" && style.overflow !== "visible" && box.width > 0;
    if (see < 1) this.parts.push(`<g opacity="${see}">`);
    this.drawBox(box, style);
    for (const part of ["::before", "::after"]) this.drawOrnament(box, getComputedStyle(node, part));
    if (cut) this.cut(box);
    if (node.matches("canvas")) this.drawCanvas(node, box);
    else if (node.matches("input, select, textarea")) this.drawControl(node, box, style);
    else if (!node.matches("option, script, style")) node.childNodes.forEach((child) => this.draw(child));
    this.parts.push("</g>".repeat(Number(cut) + Number(see < 1)));
  }

  cut({ x, y, width, height }) {
    const id = `cut-${++this.clips}`;
    this.parts.push(svgElement("clipPath", { id }, svgElement("rect", { x, y, width, height })), `<g clip-path="url(#${id})">`);
  }

  /** A box that the style sheet lays over another. */
  drawOrnament({ x, y }, style) {
    if (style.content === "none" || style.position !== "absolute") return;
    const [left, top, width, height] = ["left", "top", "width", "height"].map((side) => parseFloat(style[side]));
    if (width && height) this.drawBox({ x: x + left, y: y + top, width, height }, style);
  }

  drawBox({ x, y, width, height }, style) {
    if (!width || !height) return;
    const radius = parseFloat(style.borderTopLeftRadius) || 0;
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => {
      const [kind, colour, wide] = ["Style", "Color", "Width"].map((part) => style[`border${side}${part}`]);
      return { kind, colour, wide: kind === "none" ? 0 : parseFloat(wide) };
    });
    const [first] = sides, alike = sides.every(({ wide, colour }) => wide === first.wide && colour === first.colour);
    const fill = unpainted(style.backgroundColor) ? "none" : style.backgroundColor;
    const line = alike && first.wide > 0 && !unpainted(first.colour);
    if (fill !== "none" || line) {
      const inside = line && style.borderCollapse !== "collapse" ? first.wide / 2 : 0;   // a collapsed line belongs to two cells
      this.frame({ x, y, width, height }, inside, { fill, radius, ...(line ? first : {}) });
    }
    const [, stripes] = style.backgroundImage.match(/^repeating-linear-gradient\(135deg, (.+?\)) 0px,/) ?? [];
    if (stripes) this.parts.push(svgElement("path", { d: hatching(x, y, width, height), stroke: stripes, "stroke-width": 3 }));
    if (!alike) this.drawSides({ x, y, width, height }, sides);
    const { outlineStyle: kind, outlineColor: colour } = style, wide = parseFloat(style.outlineWidth);
    const inside = -(parseFloat(style.outlineOffset) || 0) - wide / 2, ring = { fill: "none", radius, kind, wide, colour };
    if (kind !== "none" && wide && !unpainted(colour)) this.frame({ x, y, width, height }, inside, ring);
  }

  /** The borders of a box whose sides differ, in CSS' order. */
  drawSides({ x, y, width, height }, sides) {
    const right = x + width, low = y + height, ends = [[x, y, right, y], [right, y, right, low], [x, low, right, low], [x, y, x, low]];
    const inward = [[0, 1], [-1, 0], [0, -1], [1, 0]];
    sides.forEach(({ wide, colour }, side) => {
      if (!wide || unpainted(colour)) return;
      const [x1, y1, x2, y2] = ends[side], [across, down] = inward[side].map((by) => by * wide / 2);
      this.parts.push(svgElement("line", { x1: x1 + across, y1: y1 + down, x2: x2 + across, y2: y2 + down, stroke: colour,
        "stroke-width": wide }));
    });
  }

  /** A rectangle so far inside another, with a line around it. */
  frame({ x, y, width, height }, inside, { fill, radius, kind, wide, colour }) {
    const size = { width: Math.max(0, width - 2 * inside), height: Math.max(0, height - 2 * inside) };
    const dashes = { dashed: `${3 * wide} ${2 * wide}`, dotted: `${wide} ${wide}` }[kind];
    this.parts.push(svgElement("rect", { x: x + inside, y: y + inside, ...size, rx: Math.min(radius, height / 2) || "", fill,
      stroke: colour, "stroke-width": wide, "stroke-dasharray": dashes }));
  }

  drawCanvas(node, { x, y, width, height }) {
    const pen = this.drawings.get(node), move = { transform: pathOf`translate(${x} ${y})` };
    this.parts.push(pen ? svgElement("g", move, pen.svg) : svgElement("image", { href: node.toDataURL(), x, y, width, height }));
  }

  drawControl(node, { x, y, width, height }, style) {
    const { type } = node, middle = y + height / 2, colour = style.accentColor === "auto" ? style.color : style.accentColor;
    if (type === "range") {
      const share = (node.value - node.min) / (node.max - node.min || 1), at = x + 8 + share * (width - 16);
      this.parts.push(svgElement("path", { d: boxPath(x + 2, middle - 2, width - 4, 4, 2), fill: colour, opacity: 0.35 }),
        svgElement("circle", { cx: at, cy: middle, r: 7, fill: colour }));
    } else if (type === "checkbox" || type === "radio") {
      const round = type === "radio" ? width / 2 : 2;
      this.parts.push(svgElement("path", { d: boxPath(x, y, width, height, round), fill: "none", stroke: colour }));
      const mark = pathOf`M${x + width * 0.22} ${middle}l${width * 0.2} ${width * 0.22}l${width * 0.36} ${-width * 0.45}`;
      if (node.checked) this.parts.push(svgElement("path", { d: mark, fill: "none", stroke: colour, "stroke-width": 2 }));
    } else if (node.matches("textarea")) this.drawField(node, style);
    else {
      const text = node.matches("select") ? `${node.selectedOptions[0]?.textContent ?? ""} ▾` : node.value;
      const [above, below] = this.reach(style);
      this.write(text, x + parseFloat(style.paddingLeft) + 2, middle - (above + below) / 2, style);
    }
  }

  /** The text of a field of several lines, broken in a copy beside it: in the field itself no place can be asked for. */
  drawField(node, style) {
    const copy = document.createElement("div"), { color, fontFamily, fontSize, fontWeight, lineHeight, padding, borderWidth } = style;
    copy.textContent = node.value;
    Object.assign(copy.style, { position: "absolute", visibility: "hidden", width: `${node.offsetWidth}px`, boxSizing: "border-box",
      whiteSpace: "pre-wrap", overflowWrap: "break-word", border: "solid transparent", borderWidth, padding, lineHeight,
      color, fontFamily, fontSize, fontWeight });
    node.after(copy);
    const [here, there] = [node, copy].map((element) => this.place(element.getBoundingClientRect()));
    if (node.value) this.drawText(copy.firstChild, { right: here.x - there.x, down: here.y - there.y - node.scrollTop });
    copy.remove();
  }

  /** How far a line of text reaches above its ground line and below. */
  reach({ fontStyle, fontWeight, fontSize, fontFamily }) {
    this.measure.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
    const { fontBoundingBoxAscent, fontBoundingBoxDescent } = this.measure.measureText("x");
    return [fontBoundingBoxAscent, fontBoundingBoxDescent];
  }

  write(text, x, top, style) {
    const y = top + this.reach(style)[0], line = style.textDecorationLine;
    const font = { "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight === "400" ? ""
      : style.fontWeight, "font-style": style.fontStyle === "normal" ? "" : style.fontStyle };
    this.parts.push(svgElement("text", { x, y, fill: style.color, ...font, "text-decoration": line === "none" ? "" : line,
      "letter-spacing": style.letterSpacing === "normal" ? "" : style.letterSpacing }, inXml(text)));
  }

  /** A text, a line at a time: the browser has broken it. right, down: how far from its place it is drawn. */
  drawText(node, { right = 0, down = 0 } = {}) {
    if (!node.data.trim()) return;
    const range = document.createRange(), lines = [];
    let index = 0;
    for (const letter of node.data) {
      range.setStart(node, index);
      range.setEnd(node, index += letter.length);
      const [box] = range.getClientRects(), last = lines.at(-1);
      if (!box?.width) continue;   // a line's end, or a space that the browser has left out
      if (last && Math.abs(last.box.top - box.top) < 2) last.text += letter;
      else lines.push({ box, text: letter });
    }
    for (const { box, text } of lines) {
      const { x, y } = this.place(box);
      if (text.trim()) this.write(text, x + right, y + down, getComputedStyle(node.parentElement));
    }
  }
}

/** A view as SVG: root with all that is in it but `leftOut`, on paper of a colour; drawings: the pens of its canvases. */
export function vectorOf(root, drawings, { paper, margin, leftOut }) {
  const sheet = new DrawnPage(root, drawings, leftOut), width = root.clientWidth + 2 * margin, height = root.scrollHeight + 2 * margin;
  sheet.draw(root);
  const inside = svgElement("g", { transform: `translate(${margin} ${margin})` }, sheet.parts.join(""));
  const ground = svgElement("rect", { width, height, fill: paper });
  const { namespaceURI: xmlns } = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg");
  const about = { role: "img", "aria-label": root.getAttribute("aria-label"), "xml:space": "preserve" };
  return svgElement("svg", { xmlns, width, height, viewBox: `0 0 ${width} ${height}`, ...about }, ground + inside);
}
