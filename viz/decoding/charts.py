"""What a cache of keys and values spares, as charts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from viz import charts, theme


def operations_chart(with_cache: Sequence[float], without: Sequence[float], shows: str) -> charts.Chart:
    """Multiply-adds for each token, and all so far, with a cache and without."""
    if len(with_cache) != len(without) or not len(without):
        message = f"There are {len(with_cache)} numbers with and {len(without)} without a cache"
        raise ValueError(f"{message}; pass one of each for every token.")
    tokens, named = [*range(1, len(without) + 1)], {"without a cache": without, "with a cache": with_cache}
    colours = dict(zip(named, theme.CHART_COLOURS[1::-1], strict=True))
    sums: dict[str, Sequence[float]] = {name: [*itertools.accumulate(counts)] for name, counts in named.items()}
    panels = []
    for title, series in (("for this token", named), ("all so far", sums)):
        curves = [
            charts.Curve(name, tokens, [n / 1e6 for n in ns], colour=colours[name]) for name, ns in series.items()
        ]
        panels.append(charts.Panel(curves, title, "token", "million multiply-adds"))
    return charts.chart(panels, shows)


def places_chart(log_probs: Sequence[float], places: dict[int, int], shows: str) -> charts.Chart:
    """Every sentence there is, by its place (from 1, likeliest first), and what beams of some widths found."""
    if not log_probs or not all(1 <= place <= len(log_probs) for place in places.values()):
        message = f"There are {len(log_probs)} sentences and the places {sorted(places.values())}"
        raise ValueError(f"{message}; give at least one sentence, and places from 1 to their number.")
    log_probs = [round(log_prob, 6) for log_prob in log_probs]
    grey = charts.Curve("every sentence", [*range(1, len(log_probs) + 1)], log_probs, kind="dots", colour=theme.GREY)
    beams = [
        charts.Curve(f"a beam of {width} finds place {place}", [place], [log_probs[place - 1]], kind="dots")
        for width, place in places.items()
    ]
    return charts.chart(charts.Panel([grey, *beams], "", "place, likeliest first", "log P"), shows)
