"""Still pictures: maps, charts and tables, side by side on one page, light or dark.

A shape is called with the look of a page and gives what is drawn, from (0, 0), with its width and height; `page` sets
shapes in rows under a title. Colours are named by their role in `theme.LIGHT`, or are a `weight` or a `difference`.
"""

from __future__ import annotations

import functools
import html
import itertools
import math
import pathlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import vl_convert

from viz import theme
from viz.theme import FONT, escaped, evident

# ─── Elements and pictures ───────────────────────────────────────────────────────────────────────────────────────────


def element(name: str, *children: str, **attributes: object) -> str:
    """An SVG element; `_` in an attribute's name stands for `-`, numbers keep one decimal, values are made safe.

    >>> element("text", "Q", x=1.25, font_size=12)
    '<text x="1.2" font-size="12">Q</text>'
    """
    written = (f"{value:.1f}" if isinstance(value, float) else escaped(str(value)) for value in attributes.values())
    pairs = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in zip(attributes, written, strict=True))
    return f"<{name}{pairs}>{''.join(children)}</{name}>" if children else f"<{name}{pairs}/>"


_TAG = re.compile(r"""<(?:[^"'<>]|"[^"]*"|'[^']*')*>""")
_UNSEEN = re.compile(r""" (?:role|aria-[a-z]+|pointer-events)="[^"]*"|(?<=\d\.\d\d)\d+""")


def data_address(svg: str) -> str:
    """A picture as the address of an image; what an image cannot show is left out: roles, and hundredths of a pixel.

    >>> data_address('<svg role="img" width="1.23456"/>')
    'data:image/svg+xml,%3Csvg width="1.23"/>'
    """
    slim = _TAG.sub(lambda tag: _UNSEEN.sub("", tag[0]), svg)
    letters = str.maketrans({letter: f"%{ord(letter):02X}" for letter in "%#<&'$`\\\n\r\t"})
    return f"data:image/svg+xml,{slim.translate(letters)}"


# What a stored picture of a live view does once it is drawn, where scripts may run: all wait in a list, and the first
# asks for the views that `make pages` wrote (viz/page/pictures.js), which lie beside an exported page. The link below
# loads nothing: JupyterLab makes of it an address on its server, and is asked first what lies there, for a file that is
# missing would be an error in its console.
COMES_TO_LIFE = """
const add = (src) => document.head.append(Object.assign(document.createElement('script'), { src }));
if ((document.vizPictures ??= []).push(this) === 1) {
  if (!document.getElementById('jupyter-config-data')) return add('alive.js');
  const [at] = this.nextElementSibling.href.split('?');
  const [folder] = at.replace('/files/', '/api/contents/').split('/pages/');
  fetch(folder).then((answer) => answer.json()).then(({ content }) => {
    if (content.some(({ name }) => name === 'pages')) add(at);
  });
}"""
HOOK = f' onload="{html.escape(" ".join(COMES_TO_LIFE.split()))}">\n<link href="../pages/alive.js">'


class Svg:
    """A picture as SVG text; a notebook shows it, `save` writes it as .svg or .png.

    A notebook gets it as an image in Markdown, with its text alternative: JupyterLab and Notebook 7 show that even
    where a notebook is not trusted, and SVG by itself they do not.
    """

    def __init__(self, text: str, description: str) -> None:
        self.text, self.description = text, evident(description)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/markdown": self.markdown(), "text/plain": self.description}

    def beside_a_view(self) -> dict[str, str]:
        """What a notebook stores of a live view, and shows until its cell is run."""
        return {"text/markdown": of_a_view(self.markdown()), "text/plain": self.description}

    def markdown(self) -> str:
        """The picture as an `<img>` on a line of its own, its description as the text alternative."""
        alternative = html.escape(" ".join(self.description.split()))
        for letter in "$`\\":  # Markdown's, for formulas and code
            alternative = alternative.replace(letter, f"&#{ord(letter)};")
        width = re.match(r"<svg\b[^>]*? width=(\"[\d.]+\")", self.text)
        wide = f" width={width[1]}" if width else ""
        return f"<img alt=\"{alternative}\"{wide} src='{data_address(self.text)}'>"

    def save(self, path: str | pathlib.Path, scale: float = 2) -> pathlib.Path:
        """Write the picture; the name's ending (.svg or .png) says as what."""
        path = pathlib.Path(path)
        if path.suffix not in (".svg", ".png"):
            raise ValueError(f"{path.name} should end in .svg or .png; for one page that moves use export_html.")
        if path.suffix == ".svg":
            path.write_text(self.text, encoding="utf-8")
        else:
            path.write_bytes(vl_convert.svg_to_png(self.text, scale=scale))
        return path


LIVE = "*Run the cells to make it live* (▸▸).\n\n"


def of_a_view(picture: str) -> str:
    """The picture of a live view, which says so and comes to life; from `Svg.markdown`, or what this wrote before."""
    alone = re.sub(r'( onload="[^"]*")?>(\n<link [^>]*>)?\Z', "", picture.removeprefix(LIVE))
    return f"{LIVE}{alone}{HOOK}"


def drawing(content: Iterable[str], width: float, height: float, description: str, **look: Any) -> Svg:
    """Elements as one picture, of which the description is the text alternative: the one root that every still has."""
    about = dict(xmlns="http://www.w3.org/2000/svg", role="img", aria_label=description)
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=FONT)
    return Svg(element("svg", *content, **about, **size, **{"font_size": 13} | look), description)


# ─── Colours and words ───────────────────────────────────────────────────────────────────────────────────────────────

Look = dict[str, Any]
Drawn = tuple[str, float, float]  # SVG, width, height
Shape = Callable[[Look], Drawn]
Colour = str | tuple[str, float]  # a role, such as "query", a colour, or a place on a scale


class Formula(NamedTuple):
    """A text with raised, lowered or coloured pieces: without them, and what writes it as SVG."""

    plain: str
    write: Callable[[Look], str]


Words = str | Formula
HIDDEN = "hidden"  # the colour of a cell that nobody may look at: hatched


def weight(share: float) -> Colour:
    """The colour of a weight from 0 to 1."""
    return "weights", min(max(share, 0.0), 1.0)


def difference(share: float) -> Colour:
    """The colour of a signed difference from -1 to 1."""
    return "differences", (min(max(share, -1.0), 1.0) + 1) / 2


@functools.cache
def look_of(dark: bool) -> Look:
    """The colours of a page by their roles, both scales, and those of heads."""
    scales = {"weights": theme.weight_scale(dark), "differences": theme.difference_scale(dark)}
    return (theme.DARK if dark else theme.LIGHT) | scales | {"heads": theme.head_colours(8, dark)}


def colour_of(colour: Colour, look: Look) -> str:
    """A colour as it is on this page; of a scale, one of few steps, so that equal cells can be drawn as one."""
    if isinstance(colour, str):
        return look.get(colour, colour)
    scale, n_steps = look[colour[0]], 64 if colour[0] == "weights" else 32
    return scale[min(256 // n_steps * round(n_steps * colour[1]), len(scale) - 1)]


def width_of(text: str, size: float = 12) -> float:
    """About how many pixels a text takes: letters of the monospaced face, those of East Asia twice as wide."""
    return 0.62 * size * sum(2 if ord(letter) > 0x2E80 else 1 for letter in theme.shortened(text))


def word(
    text: Words, x: float, y: float, look: Look, colour: Colour = "ink", size: float = 0, most: int = 32, **how: Any
) -> str:
    """A line of text; where it is longer than `most` characters, its beginning, and all of it as its title."""
    written = theme.label(text, most) if isinstance(text, str) else text.write(look)
    sized = {"font_size": size} if size else {}  # else that of what it stands in
    return element("text", written, x=x, y=y, fill=colour_of(colour, look), **sized, **how)


def length_of(text: Words) -> int:
    """How many characters of a title or a note are shown."""
    return min(len(text if isinstance(text, str) else text.plain), SENTENCE)


MONO: dict[str, Any] = {"font_family": theme.MONO}
SENTENCE = 140  # characters of a line under a title

# ─── The page ────────────────────────────────────────────────────────────────────────────────────────────────────────


def page(
    rows: Sequence[Sequence[Shape]], shows: str, description: str, *, title: Words = "", notes: Sequence[str] = (),
    dark: bool = False, wide: float = 960, gap: float = 18, columns: bool = False,
) -> Svg:  # fmt: skip
    """Rows of shapes as one picture, with a title, lines of words below it, and a corner that says what is shown.

    description: the text alternative. wide: a row that is wider goes on below; gap: pixels between rows. columns: the
    shapes of all rows stand one below another, and those of a row on one line.
    """
    look, drawn, y, widest = look_of(dark), list[str](), 14.0, 440.0
    for n, line in enumerate([title, *notes]):
        if line:
            heading = dict(font_weight=600) if n == 0 else dict(size=12, colour="quiet")
            drawn.append(word(line, 16, y + 12, look, **dict(size=14, most=SENTENCE) | heading))
            y += 20
            widest = max(widest, 32 + length_of(line) * (8.4 if n == 0 else 6.8))
    table = [[shape(look) for shape in row] for row in rows]
    if columns:
        table = aligned(table)
    for row in table:
        x, tall = 16.0, 0.0
        for svg, width, height in row:
            if x > 16 and x + width > wide:
                x, y, tall = 16.0, y + tall + gap, 0.0
            drawn.append(element("g", svg, transform=f"translate({x:.1f} {y + 6:.1f})"))
            x, tall, widest = x + width + 28, max(tall, height), max(widest, x + width + 16)
        y += tall + gap
    width, height = math.ceil(widest), math.ceil(y + 20)
    back = element("rect", width="100%", height="100%", fill=look["page"])
    badge = [word(shows, width - 12, height - 9, look, "quiet", 11, SENTENCE, text_anchor="end")] if shows else []
    whole = f"{description} ({shows})" if shows else description
    return drawing([back, *drawn, *badge], width, height, whole)


def aligned(table: Sequence[Sequence[Drawn]]) -> list[list[Drawn]]:
    """Drawings as wide as the widest of their column, as tall as the tallest of their row, and on its floor."""
    widths = [max(width for _, width, _ in column) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        floor = max(height for _, _, height in row)
        lines.append([
            (element("g", svg, transform=f"translate(0 {floor - height:.1f})"), width, floor)
            for (svg, _, height), width in zip(row, widths, strict=True)
        ])  # fmt: skip
    return lines


def words(*lines: Words, colour: Colour = "ink", size: float = 12) -> Shape:
    """Lines of text as a shape among others."""

    def draw(look: Look) -> Drawn:
        drawn = [word(line, 0, 12 + 18 * n, look, colour, size, SENTENCE) for n, line in enumerate(lines)]
        return "".join(drawn), 0.58 * size * max(map(length_of, lines)), 18 * len(lines)

    return draw


# ─── Maps ────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Cell(NamedTuple):
    """A cell of a map: its colour, what stands in it, and that text's colour."""

    fill: Colour = "none"
    text: str = ""
    ink: Colour = "ink"


def cell_map(
    cells: Sequence[Sequence[Cell]], rows: Sequence[str], columns: Sequence[str], *, title: Words = "", note: str = "",
    size: tuple[float, float] = (20, 20), colours: tuple[Colour, Colour] = ("query", "key"),
    outlined: Sequence[Sequence[int]] = (), legend: tuple[str, str, str] | None = None, apart: bool = False,
) -> Shape:  # fmt: skip
    """Cells with the names of their rows beside and of their columns above; where cells are small, of every n-th.

    size: width and height of a cell; colours: of the rows' names and of the columns'. outlined: (row, column) of cells
    in a frame. legend: "weights" or "differences", and what its ends stand for. apart: with room between the rows.
    """
    if len(cells) != len(rows) or any(len(row) != len(columns) for row in cells):
        sides = (
            f"{len(cells)} rows of {len(cells[0]) if cells else 0} cells, {len(rows)} queries and {len(columns)} keys"
        )
        raise ValueError(f"There are {sides}; one row for each query and one column for each key are needed.")

    def draw(look: Look) -> Drawn:
        wide, tall = size
        left = max(map(width_of, rows), default=0.0) * 11 / 12 + 6
        names, above, beyond = column_names(columns, wide, colours[1], look)
        top = above + (20 if title else 0) + (16 if note else 0)
        frame = dict(width=wide * len(columns), height=tall * len(rows), fill="none", stroke=look["line"])
        drawn = [cells_drawn(cells, size, apart, look), "" if apart else element("rect", **frame), names]
        for i, row in [(i, row) for i, row in enumerate(rows) if row][:: math.ceil(10 / tall)]:
            drawn.append(word(row, -5, (i + 0.5) * tall + 4, look, quiet_padding(row, colours[0]), 11,
                              text_anchor="end", **MONO))  # fmt: skip
        for i, j in outlined:
            place = dict(x=j * wide + 1.5, y=i * tall + 1.5, width=wide - 3, height=tall - 3)
            drawn.append(element("rect", fill="none", stroke=look["value"], stroke_width=2, **place))
        high = tall * len(rows)
        if legend:
            drawn.append(element("g", legend_drawn(*legend, look), transform=f"translate(0 {high + 10:.1f})"))
            high += 34
        body = element("g", *drawn, transform=f"translate({left:.1f} {top:.1f})")
        head = word(title, 0, 12, look, font_weight=600, most=SENTENCE) if title else ""
        head += word(note, 0, 28, look, "quiet", 10, SENTENCE) if note else ""
        right = left + max(wide * len(columns) + beyond, 126 if legend else 0)
        return head + body, max(right, 7.6 * length_of(title)), top + high

    return draw


def weight_map(weights: Any, queries: Sequence[str], keys: Sequence[str], **how: Any) -> Shape:
    """Attention weights (T, S) from the page's colour (0) to its opposite (1), with their legend."""
    if weights.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights has shape {tuple(weights.shape)}, but there are {len(queries)} query and {len(keys)} key tokens; "
            "pass one head's map."
        )
    cells = [[Cell(weight(share)) for share in row] for row in weights.tolist()]
    return cell_map(cells, queries, keys, **dict(legend=("weights", "0", "1")) | how)


def quiet_padding(token: str, usual: Colour) -> Colour:
    return "quiet" if token == "<pad>" else usual


def column_names(columns: Sequence[str], wide: float, colour: Colour, look: Look) -> tuple[str, float, float]:
    """Names above the columns, slanted where they are wider; with the height that they take, and how far they reach."""
    shown = list(enumerate(columns))
    longest = max(map(width_of, columns), default=0.0) * 11 / 12
    numbers = all(name.isdigit() for name in columns)
    if longest <= wide or numbers:
        shown, turn, above, beyond = shown[:: math.ceil((longest + 4) / wide) if numbers else 1], "", 18.0, 0.0
    else:
        shown, turn, above, beyond = shown[:: math.ceil(10 / wide)], " rotate(-45)", 0.71 * longest + 14, 0.71 * longest
    anchor = {} if turn else {"text_anchor": "middle"}
    drawn = [
        element("text", theme.label(name), transform=f"translate({(j + 0.5 + 0.1 * bool(turn)) * wide:.1f} -5){turn}",
                fill=colour_of(quiet_padding(name, colour), look), **anchor)
        for j, name in shown if name
    ]  # fmt: skip
    return element("g", *drawn, font_size=11, **MONO), above, max(0.0, beyond - wide)


def cells_drawn(cells: Sequence[Sequence[Cell]], size: tuple[float, float], apart: bool, look: Look) -> str:
    """Cells with their texts: one path a colour, in which equal neighbours of a row, or of a column, are one."""
    wide, tall = size
    fills = [[HIDDEN if cell.fill == HIDDEN else colour_of(cell.fill, look) for cell in row] for row in cells]
    across, down = [*runs(fills)], [*runs(list(zip(*fills, strict=True)))]
    if len(down) < len(across) and not apart:
        boxes = [(fill, start, line, 1, n) for fill, line, start, n in down]
    else:
        boxes = [(fill, line, start, n, 1) for fill, line, start, n in across]
    paths, hatches = dict[str, list[str]](), list[str]()
    for fill, i, j, n, m in boxes:
        paths.setdefault(fill, []).append(f"M{j} {i}h{n}v{0.8 if apart else m}h-{n}z")
        if fill == HIDDEN:
            corners = itertools.product(range(j, j + n), range(i, i + m))
            hatches += [f"M{k * wide:g} {(p + 1) * tall:g}l{wide:g} -{tall:g}" for k, p in corners]
    paths = {fill: parts for fill, parts in paths.items() if fill not in ("none", look["page"])}
    drawn = [element("path", fill=look["line"] if fill == HIDDEN else fill, d="".join(parts))
             for fill, parts in paths.items()]  # fmt: skip
    crossed = element("path", d="".join(hatches), stroke=look["quiet"], stroke_opacity="0.5") if hatches else ""
    texts = [
        element("text", escaped(cell.text), x=(j + 0.5) * wide, y=i * tall + tall / 2 + 4,
                fill=colour_of(cell.ink, look), **({"font_size": 8} if wide < 20 and len(cell.text) > 1 else {}))
        for i, row in enumerate(cells) for j, cell in enumerate(row) if cell.text
    ]  # fmt: skip
    scaled = element("g", *drawn, transform=f"scale({wide:g} {tall:g})", shape_rendering="crispEdges")
    return scaled + crossed + element("g", *texts, text_anchor="middle", font_size=11)


def runs(lines: Sequence[Sequence[str]]) -> Iterator[tuple[str, int, int, int]]:
    """Equal neighbours: (what, which line, from where, how many)."""
    for n, line in enumerate(lines):
        start = 0
        for value, run in itertools.groupby(line):
            length = len([*run])
            yield value, n, start, length
            start += length


def legend_drawn(scale: str, low: str, high: str, look: Look) -> str:
    """A scale from its low end to its high one."""
    steps = [element("rect", x=7.0 * n, y=0, width=7.4, height=9, fill=colour_of((scale, n / 16), look))
             for n in range(17)]  # fmt: skip
    frame = element("rect", width=119.4, height=9, fill="none", stroke=look["line"])
    return "".join(
        [*steps, frame, word(low, 0, 22, look, "quiet", 10), word(high, 119, 22, look, "quiet", 10, text_anchor="end")]
    )


# ─── Tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Box:
    """What stands in a table, over `span` columns: a token, a second line under it, a frame, a filling, a bar.

    bar: from where to where in the box it reaches, from 0 to 1. side: "start", "middle" or "end".
    """

    text: str = ""
    ink: Colour = "ink"
    under: str = ""
    frame: Colour = ""
    fill: Colour = "none"
    span: int = 1
    strong: bool = False
    dashed: bool = False
    side: str = "middle"
    bar: tuple[float, float] | None = None
    least: float = 0.0  # width


class Link(NamedTuple):
    """A line from the right side of a box to the left one of another, each (row, column)."""

    start: tuple[int, int]
    end: tuple[int, int]
    ink: Colour = "quiet"
    strong: bool = False
    dashed: bool = False


def token_table(
    rows: Sequence[Sequence[Box]], names: Sequence[str] = (), *, title: str = "", links: Sequence[Link] = (),
    left: float | None = None, wrap: float = 900, gap: float = 5,
) -> Shape:  # fmt: skip
    """Rows of boxes in columns that are as wide as their words; a row of boxes without a word is thin.

    names: of the rows; left: pixels that they take. wrap: a table that is wider goes on below, columns and all.
    gap: pixels between boxes.
    """
    room = (max(map(width_of, names), default=-8.0) + 8 if left is None else left) if names else 0.0
    widths = column_widths(rows, gap)
    heights = [36 if any(box.under for box in row) else 24 if any(box.text for box in row) else 7 for row in rows]
    tops = [*itertools.accumulate([0.0, *(height + (3 if height > 7 else 0) for height in heights)])]

    def draw(look: Look) -> Drawn:
        drawn, y, broad = list[str](), 20.0 if title else 0.0, room
        for first, end in wrapped(widths, wrap - room):
            starts = [room + sum(widths[first:n]) for n in range(first, end + 1)]
            for name, top in zip(names if first == 0 else (), tops, strict=False):
                drawn.append(word(name, 0, y + top + 16, look, "quiet", text_anchor="start", font_family=FONT))
            for row, top, height in zip(rows, tops, heights, strict=False):
                for box, start in zip(row, itertools.accumulate([0, *(box.span for box in row)]), strict=False):
                    a, b = max(start, first) - first, min(start + box.span, end) - first
                    if a < b:
                        drawn.append(box_drawn(box, starts[a], y + top, starts[b] - starts[a] - gap, height, look))
            for link in links:
                drawn.append(link_drawn(link, starts, tops, heights, y, gap, look))
            y, broad = y + tops[-1] + 8, max(broad, starts[-1])
        head = word(title, 0, 12, look, font_weight=600, most=SENTENCE) if title else ""
        boxes = element("g", *drawn, **MONO, font_size=12, text_anchor="middle")
        return head + boxes, max(broad, 7.6 * length_of(title)), y - 8

    return draw


def column_widths(rows: Sequence[Sequence[Box]], gap: float) -> list[float]:
    """Columns as wide as what stands in them alone, the last of several as wide as what stands over all needs."""
    widths = [0.0] * max((sum(box.span for box in row) for row in rows), default=0)
    for row in sorted(rows, key=lambda row: max((box.span for box in row), default=0)):
        end = 0
        for box in sorted_by_span(row):
            start, end = box[0], box[0] + box[1].span
            need = max(width_of(box[1].text), 0.8 * width_of(box[1].under), box[1].least) + 8 + gap
            if box[1].text or box[1].under or box[1].least:
                missing = max(0.0, need - sum(widths[start:end])) / box[1].span
                widths[start:end] = [width + missing for width in widths[start:end]]
    return [max(width, 12.0) for width in widths]


def sorted_by_span(row: Sequence[Box]) -> list[tuple[int, Box]]:
    """The boxes of a row with their first columns, the narrow ones first."""
    starts = itertools.accumulate([0, *(box.span for box in row)])
    return sorted(zip(starts, row, strict=False), key=lambda placed: placed[1].span)


def wrapped(widths: Sequence[float], room: float) -> Iterator[tuple[int, int]]:
    """The columns, from and to, that stand side by side."""
    first, x = 0, 0.0
    for n, width in enumerate(widths):
        if n > first and x + width > room:
            yield first, n
            first, x = n, 0.0
        x += width
    yield first, len(widths)


def box_drawn(box: Box, x: float, y: float, width: float, height: float, look: Look) -> str:
    """One box of a table."""
    drawn = []
    if box.frame or box.fill != "none":
        line: dict[str, Any] = dict(stroke=colour_of(box.frame, look)) if box.frame else {}
        line |= (dict(stroke_width=2.5) if box.strong else {}) | (dict(stroke_dasharray="3 3") if box.dashed else {})
        place = dict(x=x, y=y, width=width, height=height if height > 7 else 5, rx=4 if height > 7 else 1)
        drawn.append(element("rect", **place, fill=colour_of(box.fill, look), **line))
    if box.bar:
        low, high = (x + width * min(max(end, 0.0), 1.0) for end in box.bar)
        place = dict(x=low, y=y + 5, width=max(high - low, 0.6), height=height - 10)
        drawn.append(element("rect", fill=colour_of(box.ink, look), **place))
    at = {"start": x + 5, "middle": x + width / 2, "end": x + width - 5}[box.side]
    how: dict[str, Any] = dict(text_anchor=box.side) if box.side != "middle" else {}
    bold = dict(font_weight=700) if box.strong else {}
    if box.text:
        drawn.append(word(box.text, at, y + 16, look, box.ink, **how, **bold))
    if box.under:
        drawn.append(word(box.under, at, y + 30, look, box.ink, 10, **how))
    return "".join(drawn)


def link_drawn(
    link: Link, starts: Sequence[float], tops: Sequence[float], heights: Sequence[float], y: float, gap: float,
    look: Look,
) -> str:  # fmt: skip
    """The line of a link."""
    (i, j), (k, m) = link.start, link.end
    ends = dict(x1=starts[j + 1] - gap, y1=y + tops[i] + heights[i] / 2, x2=starts[m], y2=y + tops[k] + heights[k] / 2)
    dash = dict(stroke_dasharray="6 3") if link.dashed else {}
    return element("line", **ends, stroke=colour_of(link.ink, look), stroke_width=2.5 if link.strong else 1, **dash)


# ─── Charts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Bar:
    """A bar from low to high, its name below and its number above."""

    name: str
    high: float
    low: float = 0.0
    ink: Colour = "query"
    text: str = ""
    faint: bool = False


def bar_chart(
    bars: Sequence[Bar], *, title: str = "", most: float | None = None, height: float = 110, width: float = 0,
    ticks: Sequence[float] = (), ink: Colour = "ink",
) -> Shape:  # fmt: skip
    """Bars side by side, from 0 to `most` or to the highest; names that are wider than a bar of this width slant.

    ink: the names' colour; ticks: where lines lie across, with their numbers.
    """
    longest = max(max(width_of(bar.name), 0.8 * width_of(bar.text)) for bar in bars)
    wide = width or max(longest + 8, 30.0)
    named = max(width_of(bar.name) for bar in bars)
    top, unit = (34.0 if title else 16.0), height / (most or max(max(bar.high for bar in bars), 1e-9))
    left, slanted = (30.0 if ticks else 0.0), named > wide

    def draw(look: Look) -> Drawn:
        drawn = [word(title, 0, 12, look, font_weight=600, most=SENTENCE)] if title else []
        base = top + height
        for tick in ticks:
            y = base - unit * tick
            drawn.append(element("path", d=f"M{left} {y:.1f}h{wide * len(bars):.0f}", stroke=look["line"]))
            drawn.append(word(f"{tick:g}", left - 6, y + 4, look, "quiet", 10, text_anchor="end"))
        for n, bar in enumerate(bars):
            x = left + wide * n
            fill = dict(fill=colour_of(bar.ink, look)) | (dict(fill_opacity="0.35") if bar.faint else {})
            tall = max(unit * (bar.high - bar.low), 0.6)
            drawn.append(element("rect", x=x + 3, y=base - unit * bar.high, width=wide - 6, height=tall, **fill))
            if bar.text:
                drawn.append(word(bar.text, x + wide / 2, base - unit * bar.high - 4, look, size=10,
                                  text_anchor="middle"))  # fmt: skip
            turn: dict[str, Any] = dict(transform=f"rotate(60 {x + wide / 3:.1f} {base + 12:.1f})") if slanted else {}
            at = x + wide / (3 if slanted else 2)
            turn |= {} if slanted else dict(text_anchor="middle")
            drawn.append(word(bar.name, at, base + 14, look, ink, 11, **MONO, **turn))
        drawn.append(element("path", d=f"M{left} {base:.1f}h{wide * len(bars):.0f}", stroke=look["quiet"]))
        below = 20 + (0.87 * named if slanted else 0)
        beyond = 0.5 * named if slanted else 0.0
        return "".join(drawn), max(left + wide * len(bars) + beyond, 7.6 * length_of(title)), base + below

    return draw


@dataclass(frozen=True)
class Line:
    """Points joined by a line, and the name that stands at its end."""

    points: Sequence[tuple[float, float]]
    ink: Colour = "ink"
    name: str = ""
    dashed: bool = False


def line_chart(
    lines: Sequence[Line], *, title: str = "", x_title: str = "", width: float = 400, height: float = 160,
    bounds: tuple[float, float, float, float] | None = None, axes: bool = True,
) -> Shape:  # fmt: skip
    """Lines over one pair of axes from 0, each with its name; few points are dotted. bounds: x and y, from and to."""
    finite = [(x, y) for line in lines for x, y in line.points if math.isfinite(x) and math.isfinite(y)]
    far, high = (max((point[side] for point in finite), default=1.0) or 1.0 for side in (0, 1))
    x0, x1, y0, y1 = bounds or (0.0, far, 0.0, high)
    left, top = (48.0, 30.0) if axes else (0.0, 20.0 if title else 4.0)

    def draw(look: Look) -> Drawn:
        drawn, labels = ([word(title, left, 12, look, font_weight=600, most=SENTENCE)] if title else []), []
        for line in lines:
            placed = [
                (left + width * (x - x0) / (x1 - x0), top + height * (1 - min((y - y0) / (y1 - y0), 1.0)))
                for x, y in line.points
                if math.isfinite(y)
            ]
            style: dict[str, Any] = dict(stroke=colour_of(line.ink, look), stroke_width=2)
            style |= dict(stroke_dasharray="5 4") if line.dashed else {}
            drawn.append(
                element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in placed), fill="none", **style)
            )
            if axes and len(placed) < 12:
                drawn += [element("circle", cx=x, cy=y, r=2.5, fill=style["stroke"]) for x, y in placed]
            if line.name and placed:
                labels.append((placed[-1][1] + 4, line.name, line.ink))
        y = -math.inf
        for wanted, name, ink in sorted(labels, key=lambda label: label[0]):
            y = max(wanted, y + 13)
            drawn.append(word(name, left + width + 6, y, look, ink, 11, SENTENCE))
        room = max((0.6 * width_of(name) * 11 / 7 for _, name, _ in labels), default=0.0)
        if axes:
            drawn.append(axes_drawn((x0, x1, y0, y1), x_title, left, top, width, height, look))
        body = left + width + room
        return "".join(drawn), max(body, left + 7.6 * length_of(title)), top + height + (34 if axes else 4)

    return draw


def axes_drawn(
    bounds: tuple[float, float, float, float], x_title: str, left: float, top: float, width: float, height: float,
    look: Look,
) -> str:  # fmt: skip
    """Both axes with round numbers, faint lines across at those of y, and the title of x."""
    x0, x1, y0, y1 = bounds
    drawn = []
    for tick in ticks_of(x0, x1):
        x = left + width * (tick - x0) / (x1 - x0)
        drawn.append(word(f"{tick:,.10g}", x, top + height + 15, look, "quiet", 10, text_anchor="middle"))
    for tick in ticks_of(y0, y1):
        y = top + height * (1 - (tick - y0) / (y1 - y0))
        drawn.append(element("path", d=f"M{left} {y:.1f}h{width:g}", stroke=look["line"], stroke_opacity="0.5"))
        drawn.append(word(f"{tick:,.10g}", left - 5, y + 4, look, "quiet", 10, text_anchor="end"))
    corner = f"M{left} {top}v{height:g}h{width:g}"
    drawn.append(element("path", d=corner, fill="none", stroke=look["quiet"]))
    drawn.append(word(x_title, left + width / 2, top + height + 30, look, "quiet", 11, text_anchor="middle"))
    return "".join(drawn)


def ticks_of(low: float, high: float, n: int = 5) -> list[float]:
    """About n round numbers from low to high.

    >>> ticks_of(0, 1), ticks_of(0, 23000)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.0, 5000.0, 10000.0, 15000.0, 20000.0])
    """
    step = 10 ** math.floor(math.log10((high - low) / n))
    step *= min((1, 2, 5, 10), key=lambda times: abs(math.log(times * step * n / (high - low))))
    return [float(f"{k * step:.10g}") for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
