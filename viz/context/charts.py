"""What context-aware attention gains and costs, as charts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from studies import context as study
from studies.statistics import Spread
from viz import theme
from viz.charts import Chart, Curve, Panel, chart


def quality_chart(results: Mapping[str, Mapping[str, Any]]) -> Chart:
    """Gain in BLEU over the baseline, the paper's and ours, row by row; results: by the name of the corpus."""
    if not results:
        raise ValueError("There is no result; pass at least one, by the name of its corpus.")
    panels = []
    for corpus, result in results.items():
        rows = [row for row in study.measured_rows(result) if row != "base"]
        if not rows:
            raise ValueError(f"The result on {corpus} has no row beside base; run experiments.context longer.")
        names, printed = [NAMES.get(row, row) for row in rows], [round(study.PAPER_GAINS[row], 2) for row in rows]
        bars = [
            Curve("printed, WMT14", names, printed, kind="bars", colour=theme.GREY),
            _curve("here", names, [study.difference(result, row, "bleu") for row in rows], "bars", OURS),
        ]
        panels.append(Panel(bars, corpus, "row of the table; q, k: queries or keys alone", "BLEU above the baseline"))
    return chart(panels, "trained: small models; whiskers: lowest and highest seed", height=360)


def _curve(name: str, x: Sequence, spreads: Sequence[Spread], kind: str, colour: str) -> Curve:
    mean, low, high = ([round(spread[i], 4) for spread in spreads] for i in range(3))
    return Curve(name, x, mean, low, high, kind, colour)


OURS = theme.OKABE_ITO[0]
NAMES = {row.row: str(row.number) for row in study.ABLATION} | {"query only": "q", "key only": "k"}


def gate_chart(result: Mapping[str, Any], rows: Sequence[str], stack: str = "encoder") -> Chart:
    """Mean λ of every layer, queries and keys, with the spread over seeds: our own measurement on small models.

    Dotted: the same models before training.
    """
    panels = []
    for row in rows:
        gates, before = (study.gates_of(result, row, stack, when) for when in ("gates", "gates_untrained"))
        curves = []
        for side, name, colour in (("q", "queries", theme.QUERY), ("k", "keys", theme.KEY)):
            if side in gates:
                layers, began = list(gates[side]), [round(spread.mean, 4) for spread in before[side].values()]
                curves.append(_curve(f"λ of {name}", layers, list(gates[side].values()), "points", colour))
                curves.append(Curve(f"{name}, untrained", layers, began, colour=colour, dash="dot"))
        panels.append(Panel(curves, row.removeprefix(f"{stack} "), "layer", "mean λ", y_range=(-0.03, 1.03)))
    return chart(panels, "trained: small models, own measurement; bands: all seeds; dotted: untrained", height=320)


def speed_chart(result: Mapping[str, Any], size: str = "base") -> Chart:
    """The same as bars."""
    every = [share.high for kind in study.SPEEDS for share in study.shares(result, size, kind).values()]
    panels, most = [], max(1.25, math.ceil(20 * max(every)) / 20)
    for kind in study.SPEEDS:
        shares = study.shares(result, size, kind)
        names = [str(row.number) for row in shares]
        printed = [round(study.printed_share(row, kind), 3) for row in shares]
        # the fastest turns may lie beside the middle half, and a whisker has to begin at its bar
        here = [
            share._replace(low=min(share.low, share.mean), high=max(share.high, share.mean))
            for share in shares.values()
        ]
        bars = [
            Curve("printed", names, printed, kind="bars", colour=theme.GREY),
            _curve("here, one CPU thread", names, here, "bars", OURS),
        ]
        panels.append(Panel(bars, f"{kind} speed", "row of the table", "share of the baseline's", y_range=(0, most)))
    return chart(panels, f"timed here: size {size}; bars: the fastest turns, whiskers: the middle half of all")
