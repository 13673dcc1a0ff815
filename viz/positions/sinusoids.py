"""The sinusoids, their rotation M_k and learned tables under the reader's hands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import transformer_core as tc
from studies.positions import frequencies
from viz import stills, theme
from viz.canvas import Canvas, OneOf, Takes, script, trait


def even(_: Canvas, name: str, width: int) -> int:
    """The check of a width whose features stand in pairs."""
    if width % 2:
        raise ValueError(f"{name} is {width}; sines and cosines pair up, so it must be even.")
    return width


TABS = ["map", "waves", "clocks", "similarity", "rotation"]  # and "learned", where a learned table is there


class PositionsView(Canvas):
    """Positions, computed in the page from these traits; tab: in which of its six pictures."""

    def _there(self, _: str, tab: str) -> str:
        if tab == "learned" and not self.meta.get("learned"):
            raise ValueError("There is no learned table here; pass one: explore_positions(learned=…).")
        return tab

    _esm = script(__file__)
    tab = OneOf([*TABS, "learned"], check=_there).tag(
        takes=Takes.any_of(Takes.one_of(*TABS), Takes.where("learned", Takes.one_of("learned")))
    )
    d_model = trait(64, min=2, max=512, check=even, takes=Takes.whole(2, 512, step=2))
    length = trait(64, "positions shown", min=8, max=256)
    base = trait(10_000.0, min=10.0, max=1e6)
    position = trait(10, min=0, max=10_000)
    offset = trait(5, min=0, max=128)
    pair = trait(3, min=0, max=255)
    columns = OneOf(["turn", "halves", "t2t"], "order of the features")


SHOWS = "synthetic: the formula of section 3.5"


def table_picture(rows: Sequence[Sequence[float]], title: str, shows: str, *, dark: bool = False) -> stills.Svg:
    """A heat map of signed numbers: a row for each position, a column for each feature, colours by the largest."""
    n, d = len(rows), len(rows[0])
    top = max((abs(x) for row in rows for x in row), default=1.0) or 1.0
    cells = [[stills.Cell(stills.difference(x / top)) for x in row] for row in rows]
    positions, features = ([*map(str, range(size))] for size in (n, d))
    ends = (f"−{theme.three_digits(top)}", f"+{theme.three_digits(top)}")
    heat = stills.cell_map(
        cells, positions, features, size=(720 / d, min(max(300 / n, 3.0), 20.0)), colours=("quiet", "quiet"),
        legend=("differences", *ends),
    )  # fmt: skip
    notes = ["rows: positions, columns: features"]
    return stills.page([[heat]], shows, f"Heat map. {title}", title=title, notes=notes, dark=dark)


def clocks_picture(
    omegas: Sequence[float], position: int, offset: int, shows: str = SHOWS, *, dark: bool = False
) -> stills.Svg:
    """A clock for each pair (at most 12, evenly chosen): the solid hand is the position, the dashed one is later."""
    most = min(len(omegas), 12)
    pairs = sorted({round(i * (len(omegas) - 1) / max(most - 1, 1)) for i in range(most)})
    title = f"Position {position} (solid) and {position + offset} (dashed): one clock for each pair of features"
    clocks = [clock(f"pair {i}: round in {rounded(omegas[i])}", omegas[i], position, offset) for i in pairs]
    return stills.page([clocks], shows, title, title=title, dark=dark)


def rounded(omega: float) -> str:
    """The positions in which a clock goes round."""
    n = 2 * math.pi / omega
    return f"{n:,.0f}" if n >= 100 else f"{n:.3g}"


def clock(title: str, omega: float, position: int, offset: int) -> stills.Shape:
    """A dial with the angles ω · position and, dashed, ω · (position + offset), from twelve to the right."""

    def hand(angle: float) -> tuple[float, float]:
        return math.sin(angle), math.cos(angle)

    lines = [
        stills.Line([hand(math.pi * n / 24) for n in range(49)], "line"),
        stills.Line([(0, 0), hand(omega * (position + offset))], "quiet", dashed=True),
        stills.Line([(0, 0), hand(omega * position)]),
    ]
    return stills.line_chart(lines, title=title, width=96, height=96, bounds=(-1, 1, -1, 1), axes=False)


def view_picture(view: PositionsView, dark: bool = False) -> stills.Svg:
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
    meta: dict[str, Any] = {"shows": SHOWS, "learned": None}
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
