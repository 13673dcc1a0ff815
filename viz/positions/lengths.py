"""Past the length of training, as a chart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studies.positions import KINDS, scores_of
from viz import charts

COLOURS = dict(zip(KINDS, ("#0072B2", "#E69F00", "#D55E00", "#7d858e"), strict=True))


def length_curve(columns: Sequence[Sequence[float | None]], name: str, colour: str) -> charts.Curve | None:
    """The mean of each column with a band from the least to the most, as far as there is no None; None if nowhere."""
    known = [[share for share in column if share is not None] for column in columns if None not in column]
    if not known:
        return None
    mean, low, high = ([f(column) for column in known] for f in (lambda c: sum(c) / len(c), min, max))
    return charts.Curve(name, [*range(1, len(known) + 1)], mean, low, high, colour=colour)


def length_chart(results: dict[str, Any], task: str, shows: str) -> charts.Chart:
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
        panels.append(charts.Panel(shown, f"{task}: {title}", x_title, "share right", y_range=(0, 1.03), marks=marks))
    return charts.chart(panels, shows, f"Accuracy of {task} past the length of training, for four kinds of position")
