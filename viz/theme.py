"""The one look of every figure: colours, scales, formats, and text of which nothing is hidden.

Queries are blue, keys orange, values green. Colours that carry numbers are built here in OKLab, a space in which equal
steps look equal, so that no part of a scale shouts. Weights run from the colour of the page (0) to its opposite (1).
"""

from __future__ import annotations

import html
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

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


# Charts are drawn over the page, light or dark: their text and lines are of a grey that both carry, and their colours
# Okabe and Ito's without black and yellow.
GREY, CHART_COLOURS = "#757d87", ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")


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


# ─── Numbers and text ────────────────────────────────────────────────────────────────────────────────────────────────


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
    return _HIDDEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


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
    return _in_every_text(lambda text: _HALF.sub(lambda match: f"[U+{ord(match[0]):04X}]", text), value)


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


def label(text: str, most: int = LONGEST_LABEL) -> str:
    """A token as what stands in an SVG text element: shortened if it is long, and then whole as its title."""
    shown, whole = shortened(text, most), evident(text)
    return html.escape(shown) + (f"<title>{escaped(text)}</title>" if shown != whole else "")


def longest(tokens: Iterable[str]) -> int:
    """How many characters the longest of these labels has."""
    return max(len(shortened(token)) for token in tokens)
