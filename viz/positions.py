"""Where a token stands: sinusoids, their rotation M_k, learned tables, and what a trained model does without (3.5).

`explore_positions` has sliders and computes by itself in the page, `explore_order` gives the words of a sentence other
places; the numbers are those of studies/positions.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import transformer_core as tc
from studies.positions import KINDS, changed, frequencies, placed, scores_of
from studies.reading import source_of
from viz import theme
from viz.canvas import Canvas, OneOf, script, trait
from viz.controls import Explorer

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


def even(_: Canvas, name: str, width: int) -> int:
    """The check of a width whose features stand in pairs."""
    if width % 2:
        raise ValueError(f"{name} is {width}; sines and cosines pair up, so it must be even.")
    return width


class PositionsView(Canvas):
    """Positions, computed in the page from these traits; tab: in which of its six pictures."""

    def _there(self, _: str, tab: str) -> str:
        if tab == "learned" and not self.meta.get("learned"):
            raise ValueError("There is no learned table here; pass one: explore_positions(learned=…).")
        return tab

    _esm = script("positions.js")
    tab = OneOf(["map", "waves", "clocks", "similarity", "rotation", "learned"], check=_there)
    d_model = trait(64, min=2, max=512, check=even)
    length = trait(64, "positions shown", min=8, max=256)
    base = trait(10_000.0, min=10.0, max=1e6)
    position = trait(10, min=0, max=10_000)
    offset = trait(5, min=0, max=128)
    pair = trait(3, min=0, max=255)
    columns = OneOf(["turn", "halves", "t2t"], help="order of the features")


class OrderView(Canvas):
    """The tokens of a sentence with the place each is given; what the model then says is kept in known."""

    _esm = script("order.js")
    places = trait([], "of each token; -1: none", of=trait(0, min=-1, max=5000))
    known = trait([], "translations so far, with their places; the first as trained")


SHOWS = "synthetic: the formula of section 3.5"

# ─── Figures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def sheet(content: list[str], width: float, height: float, said: str) -> theme.Svg:
    """A page of a drawing with its text alternative."""
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=13)
    drawn = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(drawn, said)


def signed_cells(rows: Sequence[Sequence[float]], top: float, dark: bool) -> str:
    """One path a colour, of 33; a cell is a unit square, and equal neighbours in a column are one rectangle."""
    colours, squares = theme.difference_scale(dark), dict[str, list[str]]()
    for j in range(len(rows[0])):
        shades = [colours[128 + 8 * round(16 * max(-1.0, min(1.0, row[j] / top)))] for row in rows]
        for colour, run in itertools.groupby(range(len(rows)), key=shades.__getitem__):
            places = list(run)
            squares.setdefault(colour, []).append(f"M{j} {places[0]}h1v{len(places)}h-1z")
    return "".join(theme.element("path", fill=colour, d="".join(some)) for colour, some in squares.items())


def signed_legend(top: float, x: float, y: float, dark: bool) -> list[str]:
    """The scale from +top (above) to -top."""
    look, colours = theme.DARK if dark else theme.LIGHT, theme.difference_scale(dark)
    steps = [
        theme.element("rect", x=x, y=y + 5 * i, width=10, height=5.5, fill=colours[256 - 8 * i]) for i in range(33)
    ]
    names = [(f"+{theme.three_digits(top)}", 8), ("0", 86), (f"−{theme.three_digits(top)}", 165)]
    ticks = [theme.element("text", name, x=x + 14, y=y + at, font_size=11, fill=look["quiet"]) for name, at in names]
    return [*steps, *ticks]


def table_picture(rows: Sequence[Sequence[float]], title: str, shows: str, *, dark: bool = False) -> theme.Svg:
    """A heat map of signed numbers: a row for each position, a column for each feature, colours by the largest."""
    look, n, d = theme.DARK if dark else theme.LIGHT, len(rows), len(rows[0])
    top = max((abs(x) for row in rows for x in row), default=1.0) or 1.0
    wide, tall = 720 / d, min(max(300 / n, 3.0), 20.0)
    width, height = 880, math.ceil(64 + n * tall + 34)
    cells = theme.element(
        "g", signed_cells(rows, top, dark), transform=f"translate(60 56) scale({wide:.4f} {tall:.4f})"
    )
    text = dict(font_size=11, fill=look["quiet"])
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"]), cells]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    for i in range(0, n, max(1, n // 8)):
        content.append(theme.element("text", str(i), x=52, y=60 + (i + 0.5) * tall, text_anchor="end", **text))
    for j in range(0, d, max(1, d // 8)):
        content.append(theme.element("text", str(j), x=60 + (j + 0.5) * wide, y=48, text_anchor="middle", **text))
    content.append(theme.element("text", "rows: positions, columns: features", x=60, y=height - 10, **text))
    content += signed_legend(top, 800, 56, dark)
    corner = dict(x=width - 16, y=height - 10, text_anchor="end")
    content.append(theme.element("text", theme.escaped(shows), **corner, **text))
    return sheet(content, width, height, f"Heat map. {title} ({shows})")


def clocks_picture(
    omegas: Sequence[float], position: int, offset: int, shows: str = SHOWS, *, dark: bool = False
) -> theme.Svg:
    """A clock for each pair (at most 12, evenly chosen): the solid hand is the position, the dashed one is later."""
    look, most = theme.DARK if dark else theme.LIGHT, min(len(omegas), 12)
    some = sorted({round(i * (len(omegas) - 1) / max(most - 1, 1)) for i in range(most)})
    width, height, radius = 880, 58 + 146 * math.ceil(len(some) / 6), 48.0
    title = f"Position {position} (solid) and {position + offset} (dashed): one clock for each pair of features"
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    for n, i in enumerate(some):
        x, y = 80.0 + 144 * (n % 6), 90.0 + 146 * (n // 6)
        content.append(
            theme.element("circle", cx=x, cy=y, r=radius, fill="none", stroke=look["line"], stroke_width=1.5)
        )
        for place, colour, dash in ((position + offset, "quiet", "4 3"), (position, "ink", "none")):
            tip = dict(x2=x + 44 * math.sin(omegas[i] * place), y2=y - 44 * math.cos(omegas[i] * place))
            line = dict(x1=x, y1=y, **tip, stroke=look[colour], stroke_width=2.5, stroke_dasharray=dash)
            content.append(theme.element("line", **line))
        name = f"pair {i}: round in {2 * math.pi / omegas[i]:,.3g}"
        content.append(
            theme.element("text", name, x=x, y=y + 68, text_anchor="middle", font_size=11, fill=look["quiet"])
        )
    corner = dict(x=width - 16, y=height - 8, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    return sheet(content, width, height, f"{title} ({shows})")


def view_picture(view: PositionsView, dark: bool = False) -> theme.Svg:
    """What a view shows, standing still: its heat map, or its clocks, or the two tables."""
    if view.tab == "learned":
        learned = view.meta["learned"]
        return table_picture(learned["rows"], "A learned table of positions", learned["shows"], dark=dark)
    if view.tab in ("clocks", "rotation"):
        return clocks_picture(frequencies(view.d_model, view.base).tolist(), view.position, view.offset, dark=dark)
    table = tc.sinusoidal_positions(min(view.length, 64), min(view.d_model, 64), view.base)
    name = f"Positions 0 to {len(table) - 1}, d_model = {table.size(1)}, base {view.base:,.0f}"
    return table_picture(table.tolist(), name, SHOWS, dark=dark)


def explore_positions(learned: dict[str, Any] | None = None, **opens_with: Any) -> PositionsView:
    """Sliders for d_model, length, base, position, offset and pair; the page computes what they show.

    learned: a table to be shown beside the sinusoids: {"rows": n lists of d numbers, "trained": how many of them
    training reached, "shows": what the corner says}. opens_with: traits to begin with, such as tab="clocks".
    """
    meta: dict[str, Any] = {"version": 0, "live": True, "shows": SHOWS, "learned": None}
    if learned is not None:
        widths = {len(row) for row in learned["rows"]}
        if len(widths) != 1 or widths.pop() % 2 or not 0 < learned["trained"] <= len(learned["rows"]):
            raise ValueError(
                "learned needs rows of one even width, and `trained` from 1 to their number; pass "
                '{"rows": table.tolist(), "trained": 13, "shows": "trained: …"}.'
            )
        meta["learned"] = learned
    view = PositionsView(meta=meta, **opens_with)
    view.picture = lambda: view_picture(view)
    return view


# ─── Words in other places ───────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 40  # beyond, places are too narrow to be moved


class OrderExplorer(Explorer):
    """A sentence whose words are given other places: what the trained model then makes of it, remembered."""

    def read(self, text: str) -> dict[str, Any]:
        """The sentence, its tokens and its translation, each word at its own place."""
        src = source_of(self.translator, text, MOST_TOKENS, least=1)
        tokens = self.translator.tokenizer.pieces(src[0].tolist())
        return {"text": tc.clean(text), "tokens": tokens, "translation": self.translator.translate([text])[0]}

    def first_view(self, **opens_with: Any) -> OrderView:
        view = OrderView(**self.contents())
        view.picture = self.picture
        view.observe(lambda _: self.translate(), "places")
        return view

    def contents(self) -> dict[str, Any]:
        tokens, places = self.reading["tokens"], [*range(len(self.reading["tokens"]))]
        shows = f"trained: {self.translator.name}"
        return {
            "meta": {"version": self.version, "live": True, "shows": shows, "tokens": tokens},
            "known": [dict(places=places, translation=self.reading["translation"], loss=0.0)],
            "places": places,
        }

    def told(self) -> str:
        return self.reading["translation"]

    def picture(self) -> theme.Svg:
        """Every order tried so far."""
        return order_picture(self.view.meta["tokens"], self.view.known, self.view.meta["shows"])

    def translate(self) -> None:
        """Let the model answer, unless it has answered to these places before."""
        places = self.view.places
        if len(places) != len(self.view.meta["tokens"]):  # of the sentence before: they came too late
            self.view.places = self.view.known[0]["places"]
        elif any(one["places"] == places for one in self.view.known):
            return
        else:
            answer = changed(
                self.translator, self.reading["text"], self.reading["translation"], [("source", placed(places))]
            )
            self.view.known = [*self.view.known, answer | {"places": places}]


def explore_order(translator: tc.Translator, sentence: str, known: Sequence[Sequence[int]] = ()) -> Explorer:
    """Give the words of a sentence other places, and see what the model says. known: places to be tried at once."""
    explorer = OrderExplorer(translator, sentence)
    for places in known:
        explorer.view.places = [*places]
    explorer.view.places = explorer.view.known[0]["places"]
    return explorer


def order_picture(tokens: Sequence[str], known: Sequence[dict], shows: str, *, dark: bool = False) -> theme.Svg:
    """A row for each order tried: the tokens by their places, and what the model made of them."""
    look, width = theme.DARK if dark else theme.LIGHT, 880
    height = 34 + 46 * len(known) + 22
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    for n, one in enumerate(known):
        order = sorted(zip(one["places"], tokens, strict=True))
        named = [(where, theme.shortened(token)) for where, token in order]
        place = " ".join(token if where < 0 else f"{token}·{where}" for where, token in named)
        lines = [(place, look["quiet"], theme.MONO, 0), (f"→ {one['translation'][:100]}", look["ink"], theme.FONT, 19)]
        for line, colour, font, down in lines:
            at = dict(x=16, y=24 + 46 * n + down, fill=colour, font_family=font)
            content.append(theme.element("text", theme.escaped(line), **at))
    corner = dict(x=width - 16, y=height - 8, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    said = "; ".join(f"places {one['places']}: {one['translation']}" for one in known)
    return sheet(content, width, height, f"A sentence whose words are given other places ({shows}). {said}")


# ─── Past the length of training ─────────────────────────────────────────────────────────────────────────────────────

COLOURS = dict(zip(KINDS, ("#0072B2", "#E69F00", "#D55E00", "#7d858e"), strict=True))


def length_curve(columns: Sequence[Sequence[float | None]], name: str, colour: str) -> theme.Curve | None:
    """The mean of each column with a band from the least to the most, as far as there is no None; None if nowhere."""
    known = [[share for share in column if share is not None] for column in columns if None not in column]
    if not known:
        return None
    mean, low, high = ([f(column) for column in known] for f in (lambda c: sum(c) / len(c), min, max))
    return theme.Curve(name, [*range(1, len(known) + 1)], mean, low, high, colour=colour)


def length_chart(results: dict[str, Any], task: str, shows: str) -> theme.Chart:
    """Accuracy by length, and by place in the longest: a line for each kind of position, a band over its seeds.

    results: what experiments/positions.py wrote. A kind has no line where the core refused to answer.
    """
    titles = {"accuracy": ("by length", "symbols")}
    titles["by_place"] = (f"by place, at length {results['lengths'][-1]}", "place in the target (the last is </s>)")
    panels = []
    for name, (title, x_title) in titles.items():
        curves = [length_curve(scores_of(results, task, kind, name), kind, colour) for kind, colour in COLOURS.items()]
        shown = [curve for curve in curves if curve]
        marks = [(results["trained"], "training ends")]
        panels.append(theme.Panel(shown, f"{task}: {title}", x_title, "share right", y_range=(0, 1.03), marks=marks))
    return theme.chart(panels, shows, f"Accuracy of {task} past the length of training, for four kinds of position")
