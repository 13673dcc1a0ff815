"""The one look of every figure: colours, scales, formats, and the picture that needs no JavaScript.

Queries are blue, keys orange, values green. Colours that carry numbers are built here in OKLab, a space in which equal
steps look equal, so that no part of a scale shouts. Weights run from the colour of the page (0) to its opposite (1).
"""

from __future__ import annotations

import functools
import html
import itertools
import math
import pathlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert
from plotly import graph_objects
from plotly.subplots import make_subplots

from studies.statistics import three_digits as three_digits

# Okabe and Ito's palette (jfly.uni-koeln.de/color), in the order in which heads take it.
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")

FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace"

# What stands for what, on a light and on a dark page. Queries, keys and values are Okabe and Ito's blue, orange and
# green, darkened or lightened until they can be read as text (4.5 : 1 against the page).
LIGHT = {
    "page": "#ffffff", "ink": "#1f2328", "quiet": "#5f6872", "line": "#d9dde2",
    "query": "#0067a3", "key": "#a85b00", "value": "#00755a", "wrong": "#b3261e",
}  # fmt: skip
DARK = {
    "page": "#111418", "ink": "#e6e9ec", "quiet": "#9aa4ae", "line": "#363c44",
    "query": "#5cb8f0", "key": "#f0aa3c", "value": "#35c79a", "wrong": "#ff8a80",
}  # fmt: skip
QUERY, KEY, VALUE = LIGHT["query"], LIGHT["key"], LIGHT["value"]


def head_colours(n_heads: int, dark: bool = False) -> list[str]:
    """Return a colour for every head; from the ninth on they repeat, so a head also always shows its number."""
    palette = [*OKABE_ITO[:-1], "#f2f2f2"] if dark else list(OKABE_ITO)
    return [palette[head % len(palette)] for head in range(n_heads)]


# ─── Scales ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _channels(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


def oklab(colour: str) -> tuple[float, float, float]:
    """Return a colour's lightness, green-red and blue-yellow in OKLab (Ottosson, 2020)."""
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in _channels(colour))
    long = math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
    middle = math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
    short = math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def from_oklab(lightness: float, a: float, b: float) -> str:
    """Return the #rrggbb of an OKLab colour; what the screen cannot show is clipped."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    gamma = [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in (max(c, 0.0) for c in linear)]
    return "#" + "".join(f"{round(255 * min(c, 1.0)):02x}" for c in gamma)


def uniform_scale(stops: Sequence[str], n: int = 256) -> list[str]:
    """Return n colours along the path through the stops, each as far from the last as from the next to the eye."""
    points = [oklab(stop) for stop in stops]
    lengths = [math.dist(here, there) for here, there in itertools.pairwise(points)]
    colours = []
    for step in range(n):
        rest, leg = sum(lengths) * step / (n - 1), 0
        while leg < len(lengths) - 1 and rest > lengths[leg]:
            rest, leg = rest - lengths[leg], leg + 1
        share = rest / lengths[leg]
        mixed = [(1 - share) * here + share * there for here, there in zip(points[leg], points[leg + 1], strict=True)]
        colours.append(from_oklab(*mixed))
    return colours


WEIGHT_STOPS = {
    False: ("#ffffff", "#dfd0ec", "#a97cc6", "#6b3a95", "#2a0f4d"),
    True: ("#111418", "#3a2358", "#774699", "#bb84d3", "#f8ebff"),
}
DIFFERENCE_STOPS = {
    False: ("#00441b", "#3f9a5f", "#ffffff", "#9a62b8", "#40004b"),
    True: ("#a6f0b8", "#2f8a52", "#111418", "#8a4fae", "#ecc4ff"),
}


def weight_scale(dark: bool = False) -> list[str]:
    """Return the 256 colours of a weight from 0 (the page) to 1."""
    return uniform_scale(WEIGHT_STOPS[dark])


def difference_scale(dark: bool = False) -> list[str]:
    """Return 257 colours of a signed difference from -1 (green) by 0 (the page, number 128) to +1 (purple)."""
    stops = DIFFERENCE_STOPS[dark]
    return uniform_scale(stops[:3], 129)[:-1] + uniform_scale(stops[2:], 129)


def for_canvas() -> dict[str, dict]:
    """Return both looks as a widget's script wants them; a scale is one string of hexadecimal digits."""
    return {
        name: colours
        | {
            "heads": head_colours(8, dark),
            "weights": "".join(c[1:] for c in weight_scale(dark)),
            "differences": "".join(c[1:] for c in difference_scale(dark)),
        }
        for name, colours, dark in (("light", LIGHT, False), ("dark", DARK, True))
    }


# ─── Numbers, text and pictures ──────────────────────────────────────────────────────────────────────────────────────


# What the eye cannot see or what moves its neighbours: controls, marks of direction, characters without width, halves
# of pairs, joiners that join nothing, and of combining marks the fifth one on. As in viz/canvas.js.
_MARKS = r"[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
_HIDDEN = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    r"\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e007f\ud800-\udfff]"
    rf"|(?<![^\0-\xff])[\u200c\u200d]|[\u200c\u200d](?![^\0-\xff])|(?<={_MARKS}{{4}}){_MARKS}"
)


_HALF = re.compile("[\ud800-\udfff]")


def evident(text: str) -> str:
    """Write what cannot be seen as its number, so that nothing of a token hides or turns its neighbours round.

    Every figure shows tokens so (`evident` in viz/canvas.js does it for the views). Half a pair, which no JSON or XML
    can hold, is among them; writing from right to left stays, and each token is drawn by itself.

    >>> evident("a\\u202eb"), evident("\\ud800"), evident("naïve")
    ('a[U+202E]b', '[U+D800]', 'naïve')
    """
    if text.isascii() and text.isprintable():
        return text
    return _HIDDEN.sub(lambda one: f"[U+{ord(one[0]):04X}]", text)


def _in_every_text(change: Callable[[str], str], value: Any) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_in_every_text(change, name): _in_every_text(change, part) for name, part in value.items()}
    return [_in_every_text(change, part) for part in value] if isinstance(value, (list, tuple)) else value


def all_evident(value: Any) -> Any:
    """`evident` for every text in lists and dicts."""
    return _in_every_text(evident, value)


def all_whole(value: Any) -> Any:
    """Every text in lists and dicts as UTF-8 can hold it: halves of pairs by number, all else as it is."""
    return _in_every_text(lambda text: _HALF.sub(lambda one: f"[U+{ord(one[0]):04X}]", text), value)


def escaped(text: str) -> str:
    """Make a token safe inside SVG, HTML or Plotly's text: `<script>` is a token like any other, and `evident`."""
    return html.escape(evident(text), quote=True)


LONGEST_LABEL = 32  # characters of a token in a picture; the `title` of its element has all


def shortened(text: str, most: int = LONGEST_LABEL) -> str:
    """A token as a picture has room for it: its beginning and … where it is longer.

    >>> len(shortened("never" * 2000)), shortened("a\\x00")
    (32, 'a[U+0000]')
    """
    shown = evident(text[: most + 1])
    return shown if len(text) <= most and len(shown) <= most else f"{shown[: most - 1]}…"


def label(text: str) -> str:
    """A token as what stands in an SVG text element: shortened if it is long, and then whole as its title."""
    shown, whole = shortened(text), evident(text)
    return html.escape(shown) + (element("title", escaped(text)) if shown != whole else "")


def longest(tokens: Iterable[str]) -> int:
    """How many characters the longest of these labels has."""
    return max(len(shortened(token)) for token in tokens)


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
        return {
            "text/markdown": f"*Run the cells to make it live* (▸▸).\n\n{self.markdown()}",
            "text/plain": self.description,
        }

    def markdown(self) -> str:
        """The picture as an `<img>` on a line of its own, its description as the text alternative."""
        said = html.escape(" ".join(self.description.split()))
        for letter in "$`\\":  # Markdown's, for formulas and code
            said = said.replace(letter, f"&#{ord(letter)};")
        width = re.match(r"<svg\b[^>]*? width=(\"[\d.]+\")", self.text)
        wide = f" width={width[1]}" if width else ""
        return f"<img alt=\"{said}\"{wide} src='{data_address(self.text)}'>"

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


def drawing(content: Iterable[str], width: float, height: float, said: str, **look: Any) -> Svg:
    """Elements as one picture, of which `said` is the text alternative: the one root that every still has."""
    about = dict(xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said)
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=FONT)
    return Svg(element("svg", *content, **about, **size, **{"font_size": 13} | look), said)


def page(
    content: Iterable[str], width: float, height: float, shows: str, said: str, look: dict, font_size: int = 13
) -> Svg:
    """Elements as one picture on the page's colour, with its corner that says what is shown."""
    corner = dict(x=width - 12, y=height - 8, text_anchor="end", font_size=11, fill=look["quiet"])
    back = element("rect", width="100%", height="100%", fill=look["page"])
    badge = [element("text", escaped(shows), **corner)] if shows else []
    drawn = drawing(
        [back, *content, *badge], math.ceil(width), math.ceil(height), f"{said} ({shows})", font_size=font_size
    )
    return Svg(drawn.text, said)


def heat(
    weights: Any, queries: Sequence[str], keys: Sequence[str], gold: Sequence[Sequence[int]], look: dict, dark: bool,
    x: float, y: float, cell: float = 20,
) -> str:  # fmt: skip
    """A map with its tokens, rows queries; gold cells outlined: what stands at (x, y) is the first cell's corner."""
    if weights.shape != (len(queries), len(keys)):
        raise ValueError(
            f"weights has shape {tuple(weights.shape)}, but there are {len(queries)} query and {len(keys)} key tokens; "
            "pass one head's map."
        )
    colours, squares = weight_scale(dark), dict[str, list[str]]()  # one path a colour, far less text than one a cell
    for i, row in enumerate(weights.tolist()):
        for j, weight in enumerate(row):
            colour = colours[round(255 * min(max(weight, 0.0), 1.0))]
            square = f"M{x + j * cell:.6g} {y + i * cell:.6g}h{cell:g}v{cell:g}h-{cell:g}z"
            squares.setdefault(colour, []).append(square)
    drawn = [element("path", fill=colour, d="".join(some)) for colour, some in squares.items()]
    frame = dict(x=x, y=y, width=cell * len(keys), height=cell * len(queries), fill="none", stroke=look["quiet"])
    drawn.append(element("rect", **frame))
    for i, j in gold:
        place: dict[str, Any] = dict(x=x + j * cell + 1.5, y=y + i * cell + 1.5, width=cell - 3, height=cell - 3)
        drawn.append(element("rect", fill="none", stroke=look["value"], stroke_width=2, **place))
    named = dict(font_family=MONO, font_size=11)
    for i, token in enumerate(queries):
        place = dict(x=x - 6, y=y + (i + 0.7) * cell, text_anchor="end", fill=look["query"])
        drawn.append(element("text", label(token), **place, **named))
    for j, token in enumerate(keys):
        turn = f"translate({x + (j + 0.6) * cell:.1f} {y - 6:.1f}) rotate(-45)"
        drawn.append(element("text", label(token), transform=turn, fill=look["key"], **named))
    return "".join(drawn)


# ─── Curves and bars ─────────────────────────────────────────────────────────────────────────────────────────────────

# Charts are drawn over the page, light or dark: their text and lines are of a grey that both carry, and their colours
# Okabe and Ito's without black and yellow.
GREY, CHART_COLOURS = "#757d87", ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
DASHES = {"solid": [1, 0], "dash": [6, 4], "dot": [2, 3]}


@dataclass(frozen=True)
class Curve:
    """One line of a panel, or one set of its bars: a y for each x; low and high bound a band or whiskers around it."""

    name: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    kind: str = "line"  # "line", "points" (line and points), "dots" (points alone) or "bars"
    colour: str | None = None
    dash: str = "solid"  # "solid", "dash" or "dot"

    def __post_init__(self) -> None:
        lengths = {len(side) for side in (self.x, self.y, self.low, self.high) if side is not None}
        if len(lengths) > 1 or (self.low is None) != (self.high is None):
            raise ValueError(
                f"The curve {self.name!r} has {len(self.x)} x and {len(self.y)} y; give as many of each, "
                "and low and high, if any, together and as many."
            )


@dataclass(frozen=True)
class Panel:
    """One pair of axes and its curves; marks are upright lines [(x, what stands there), …]."""

    curves: Sequence[Curve]
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    marks: Sequence[tuple[float, str]] = ()

    def __post_init__(self) -> None:
        if not self.curves:
            raise ValueError(f"The panel {self.title!r} has no curves; give at least one.")


def newest_vega_lite() -> str:
    """The newest version of Vega-Lite that vl-convert brings."""
    return max(vl_convert.get_vegalite_versions(), key=lambda version: [*map(int, version.split("."))])


class Chart:
    """Panels side by side: a Plotly figure that moves, and a picture of it for pages without JavaScript."""

    def __init__(self, panels: Sequence[Panel], shows: str, description: str, height: int) -> None:
        self.panels, self.shows, self.description, self.height = panels, shows, description, height

    @functools.cached_property
    def figure(self) -> graph_objects.Figure:
        figure = make_subplots(1, len(self.panels), subplot_titles=[_titled(panel.title) for panel in self.panels])
        named: set[str] = set()
        for column, panel in enumerate(self.panels, 1):
            for curve in panel.curves:
                for trace in _traces(curve, self.colour(curve), curve.name not in named):
                    figure.add_trace(trace, 1, column)
                named.add(curve.name)
            _axes(figure, panel, column)
        figure.update_layout(
            height=self.height, margin=dict(l=60, r=20, t=46, b=84), paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)", font=dict(family=FONT, size=12, color=GREY), hovermode="x unified",
            legend=dict(orientation="h", y=-0.24, x=0, title=dict(text=f"{_titled(self.shows)}  ")),
            bargap=0.25,
            hoverlabel=dict(bgcolor="#ffffff", font=dict(color="#1f2328", family=FONT)),
        )  # fmt: skip
        figure.update_annotations(font=dict(size=13, color=GREY))
        return figure

    @functools.cached_property
    def picture(self) -> Svg:
        spec = {"hconcat": [self._drawn(panel) for panel in self.panels], "config": _VEGA}
        return Svg(vl_convert.vegalite_to_svg(_drawable(spec), vl_version=newest_vega_lite()), self.description)

    def colour(self, curve: Curve) -> str:
        """A curve keeps its colour through all panels: its own, or one by the order in which names appear."""
        names = list(dict.fromkeys(c.name for panel in self.panels for c in panel.curves))
        return curve.colour or CHART_COLOURS[names.index(curve.name) % len(CHART_COLOURS)]

    def _drawn(self, panel: Panel) -> dict:
        colours = {curve.name: self.colour(curve) for curve in panel.curves}
        key = {"domain": list(colours), "range": list(colours.values())}
        legend = {"title": self.shows, "orient": "bottom", "columns": 3, "labelLimit": 260}
        axes = {
            "x": _vega_axis(panel.x_title, panel.log_x, None, panel.curves[0]),
            "y": _vega_axis(panel.y_title, panel.log_y, panel.y_range, None),
            "color": {"field": "name", "type": "nominal", "scale": key, "legend": legend},
        }
        layers = [layer for curve in panel.curves for layer in _layers(curve, axes)]
        wide = max(200, 820 // len(self.panels) - 70)
        return {"title": panel.title, "width": wide, "height": self.height - 130, "layer": [*layers, *_rules(panel)]}

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        moving = {"application/vnd.plotly.v1+json": self.figure.to_plotly_json() | {"config": {"displaylogo": False}}}
        return moving | self.picture._repr_mimebundle_()


def chart(panels: Panel | Sequence[Panel], shows: str, description: str = "", height: int = 340) -> Chart:
    """Draw panels side by side; shows says what of: trained (which checkpoint), untrained or synthetic.

    description is what someone who does not see the picture is told; by default the titles and the names of the curves.
    """
    panels = [panels] if isinstance(panels, Panel) else list(panels)
    said = "; ".join(f"{p.title or p.y_title}: {', '.join(curve.name for curve in p.curves)}" for p in panels)
    return Chart(panels, shows, description or f"{said} ({shows})", height)


def _drawable(spec: Any, words: bool = False) -> Any:
    """A Vega-Lite specification whose words are no longer than a picture has room for; its expressions stay whole.

    Vega measures a label by drawing it, shorter and shorter: one of ten thousand letters takes it a minute.
    """
    if isinstance(spec, str):
        return shortened(spec, 160) if words else spec
    if isinstance(spec, dict):
        said = ("values", "datasets", "domain", "title", "text")
        return {name: _drawable(part, words or name in said) for name, part in spec.items()}
    return [_drawable(part, words) for part in spec] if isinstance(spec, (list, tuple)) else spec


def _titled(text: str) -> str:
    """A title or a name as Plotly has room for it, and as text: it takes tags for markup, and knows no &quot;."""
    return escaped(shortened(text, 100)).replace("&quot;", "&#34;")


def _traces(curve: Curve, colour: str, in_legend: bool) -> list[Any]:
    shared = dict(name=_titled(curve.name), legendgroup=evident(curve.name), showlegend=in_legend)
    x, y = [_titled(x) if isinstance(x, str) else x for x in curve.x], list(curve.y)
    if curve.kind == "bars":
        spread = None
        if curve.low is not None and curve.high is not None:
            spread = dict(
                type="data", symmetric=False, color=GREY, thickness=1.5,
                array=[h - v for h, v in zip(curve.high, y, strict=True)],
                arrayminus=[v - low for low, v in zip(curve.low, y, strict=True)],
            )  # fmt: skip
        return [graph_objects.Bar(x=x, y=y, marker_color=colour, error_y=spread, **shared)]
    mode = {"points": "lines+markers", "dots": "markers"}.get(curve.kind, "lines")
    line = graph_objects.Scatter(x=x, y=y, mode=mode, line=dict(color=colour, width=2, dash=curve.dash), **shared)
    if curve.low is None or curve.high is None:
        return [line]
    around = graph_objects.Scatter(
        x=x + x[::-1], y=list(curve.high) + list(curve.low)[::-1], fill="toself", fillcolor=colour, opacity=0.2,
        line=dict(width=0), hoverinfo="skip", legendgroup=evident(curve.name), showlegend=False,
    )  # fmt: skip
    return [around, line]


def _axes(figure: graph_objects.Figure, panel: Panel, column: int) -> None:
    lines = dict(
        gridcolor="rgba(125,133,142,.22)", linecolor=GREY, zerolinecolor="rgba(125,133,142,.5)", row=1, col=column
    )
    words = any(isinstance(x, str) for curve in panel.curves for x in curve.x)  # "0.5" too is a word here
    kind = "log" if panel.log_x else "category" if words else None
    figure.update_xaxes(title_text=_titled(panel.x_title), type=kind, **lines)
    figure.update_yaxes(title_text=_titled(panel.y_title), type="log" if panel.log_y else None, **lines)
    if panel.log_y:
        figure.update_yaxes(exponentformat="power", dtick=_log_step(panel), row=1, col=column)
    if panel.y_range:
        low, high = panel.y_range
        figure.update_yaxes(
            range=[math.log10(low), math.log10(high)] if panel.log_y else [low, high], row=1, col=column
        )
    for x, text in panel.marks:
        figure.add_vline(x, line=dict(color=GREY, width=1, dash="dot"), row=1, col=column)
        place = math.log10(x) if panel.log_x else x  # a logarithmic axis takes words, unlike lines, by the exponent
        where = dict(x=place, y=1, yref="y domain", xanchor="left", row=1, col=column)
        figure.add_annotation(text=_titled(text), showarrow=False, **where)


def _log_step(panel: Panel) -> int | None:
    """Every how many powers of ten a panel labels its logarithmic axis; None, by Plotly's rule, if it spans few."""
    values = [y for curve in panel.curves for y in curve.y if y > 0]
    powers = math.log10(max(values) / min(values)) if values else 0
    return math.ceil(powers / 7) if powers > 2 else None


_VEGA = {
    "background": None, "font": FONT, "view": {"stroke": None}, "title": {"color": GREY, "fontSize": 13},
    "axis": {
        "labelColor": GREY, "titleColor": GREY, "domainColor": GREY, "tickColor": GREY, "tickCount": 5,
        "gridColor": "#7d858e", "gridOpacity": 0.22,
    },
    "legend": {"labelColor": GREY, "titleColor": GREY, "titleLimit": 780, "symbolOpacity": 1, "symbolType": "square"},
}  # fmt: skip


def _vega_axis(title: str, log: bool, bounds: tuple[float, float] | None, like: Curve | None) -> dict:
    field = "y" if like is None else "x"
    named = like is not None and any(isinstance(x, str) for x in like.x)
    scale: dict[str, Any] = {"type": "log" if log else "linear", "zero": False, "nice": not log} | (
        {"domain": list(bounds)} if bounds else {}
    )
    if named:
        return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": {"labelAngle": 0}}
    whole_powers = {"axis": {"tickCount": 3}} if log else {}  # else nine lines a power of ten
    return {"field": field, "type": "quantitative", "title": title, "scale": scale} | whole_powers


def _layers(curve: Curve, axes: dict[str, dict]) -> list[dict]:
    rows = [dict(name=curve.name, x=x, y=y) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
    bars = curve.kind == "bars"
    if curve.kind == "dots":
        return [{"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 45}, "encoding": axes}]
    if bars:
        from_zero = axes["y"] | {"scale": axes["y"]["scale"] | {"zero": True}}
        axes = axes | {"xOffset": {"field": "name"}, "y": from_zero}
    line = {"type": "line", "strokeDash": DASHES[curve.dash], "point": curve.kind == "points"}
    layer = {"data": {"values": rows}, "mark": {"type": "bar"} if bars else line, "encoding": axes}
    if curve.low is None or curve.high is None:
        return [layer]
    sides = zip(curve.x, curve.low, curve.high, strict=True)
    bounds = {"values": [dict(name=curve.name, x=x, y=low, high=high) for x, low, high in sides]}
    if bars:
        grey = {name: axis for name, axis in axes.items() if name != "color"} | {"y2": {"field": "high"}}
        return [layer, {"data": bounds, "mark": {"type": "rule", "color": GREY, "size": 1.5}, "encoding": grey}]
    around = {"data": bounds, "mark": {"type": "area", "opacity": 0.2}, "encoding": axes | {"y2": {"field": "high"}}}
    return [around, layer]


def _rules(panel: Panel) -> list[dict]:
    marks = [dict(x=x, text=text) for x, text in panel.marks]
    if not marks:
        return []
    at, data = {"x": {"field": "x", "type": "quantitative"}}, {"values": marks}
    line = {"data": data, "mark": {"type": "rule", "color": GREY, "strokeDash": [2, 3]}, "encoding": at}
    word = {"type": "text", "color": GREY, "align": "left", "dx": 4, "dy": 8, "baseline": "top"}
    return [line, {"data": data, "mark": word, "encoding": at | {"text": {"field": "text"}, "y": {"value": 0}}}]


# ─── Linked tables ───────────────────────────────────────────────────────────────────────────────────────────────────


class LinkedChart:
    """A small table or chart in Vega-Lite whose parts answer to each other: alive in Lab, offline, and in a page.

    spec: a Vega-Lite specification, or an Altair chart, in colours and greys that light and dark pages carry.
    """

    MIME = "application/vnd.vegalite.v6+json"

    def __init__(self, spec: Any, shows: str, description: str) -> None:
        self.shows, self.description = shows, f"{description} ({shows})"
        given = dict(spec) if isinstance(spec, dict) else spec.to_dict()
        corner = {
            "text": evident(shows), "anchor": "end", "orient": "bottom", "fontSize": 11, "fontWeight": "normal",
            "color": GREY,
        }  # fmt: skip
        look = _VEGA | {"background": "transparent"}
        self.spec = {"title": corner} | all_evident(given) | {"config": given.get("config", {}) | look}

    @functools.cached_property
    def live(self) -> Any:
        """The chart as a widget; Vega comes with vl-convert, so nothing is loaded from anywhere."""
        import altair  # takes seconds: only who draws one waits

        altair.JupyterChart.enable_offline()
        chart = altair.Chart.from_dict(self.spec)
        return altair.JupyterChart(chart, embed_options={"actions": False})  # its menu leads to a web site

    @functools.cached_property
    def picture(self) -> Svg:
        return Svg(vl_convert.vegalite_to_svg(_drawable(self.spec), vl_version=newest_vega_lite()), self.description)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = self.live._repr_mimebundle_(**options)
        live = live[0] if isinstance(live, tuple) else live
        return {**live, self.MIME: self.spec} | self.picture.beside_a_view()
