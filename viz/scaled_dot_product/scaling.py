"""What the scale 1/√d_k does to scores and weights."""

from __future__ import annotations

from collections.abc import Sequence

from studies.scaled_dot_product import score_statistics
from viz import charts, theme
from viz.canvas import Canvas, OneOf, script, trait


class ScalingView(Canvas):
    """Scores of random queries and keys with and without the division by √d_k, drawn and computed in the page.

    meta holds the seed, the widths d_k of the slider (grid), and how many queries and keys are drawn.
    """

    _esm = script(__file__)
    d_k = trait(64, "width of queries and keys; the nearest of meta['grid'] is shown", min=1)
    query = trait(0, "whose weights are shown", min=0, max=511)
    measure = OneOf(["variance", "largest", "entropy", "trace"], default="largest")


GRID = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024]  # half-octaves of d_k


def scaling_view(d_k: int = 64) -> ScalingView:
    """Random queries and keys of any width from 1 to 1024: scores, weights and gradient with and without 1/√d_k."""
    if not 1 <= d_k <= GRID[-1]:
        raise ValueError(f"d_k is {d_k}; the view goes from 1 to {GRID[-1]}.")
    shows = "synthetic: random numbers, seed 1"
    meta = {"shows": shows, "seed": 1, "grid": GRID, "groups": 8, "queries": 64, "keys": 32}
    view = ScalingView(meta=meta, d_k=d_k)
    view.picture = lambda: scaling_chart([4, 16, 64, 256, 1024]).picture
    return view


def scaling_chart(widths: Sequence[int]) -> charts.Chart:
    """Largest weight and gradient of the softmax over d_k, with and without the scale, from random numbers."""
    known = {scaled: [score_statistics(width, scaled) for width in widths] for scaled in (False, True)}
    named = {False: ("q · k", theme.LIGHT["wrong"], "dash"), True: ("q · k / √d_k", theme.CHART_COLOURS[0], "solid")}
    x = [str(width) for width in widths]

    def panel(measure: str, title: str) -> charts.Panel:
        curves = [
            charts.Curve(
                name,
                x,
                [round(statistics[measure], 6) for statistics in known[scaled]],
                kind="points",
                colour=colour,
                dash=dash,
            )
            for scaled, (name, colour, dash) in named.items()
        ]
        return charts.Panel(curves, title=title, x_title="d_k", y_range=(0, 1))

    panels = [panel("largest", "Largest weight of 32"), panel("trace", "Gradient through the softmax, 1 − Σ p²")]
    return charts.chart(panels, "synthetic: random queries and keys")
