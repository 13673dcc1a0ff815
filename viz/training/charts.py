"""What Adam does, and what goes wrong where a part is taken out, as charts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from studies.training import Moment, mean_curves
from viz import charts, theme

# ─── Adam ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def adam_chart(histories: dict[str, Sequence[Moment]], shows: str) -> charts.Chart:
    """Each weight's gradient with its mean and size, and beside them the steps that they make."""
    if not histories or not all(histories.values()):
        raise ValueError(f"There are {len(histories)} weights, some without a step; give each at least one.")
    panels, moved = [], []
    for colour, (name, moments) in zip(theme.CHART_COLOURS[2:], histories.items(), strict=False):
        steps = [moment.step for moment in moments]
        curves = [
            charts.Curve("gradient g", steps, [moment.gradient for moment in moments], colour=theme.GREY),
            charts.Curve("mean m", steps, [moment.m for moment in moments], colour=theme.CHART_COLOURS[0]),
            charts.Curve("size √v", steps, [math.sqrt(moment.v) for moment in moments], colour=theme.CHART_COLOURS[1]),
        ]
        panels.append(charts.Panel(curves, name, "step"))
        moved.append(charts.Curve(name, steps, [moment.moved for moment in moments], colour=colour))
    return charts.chart(
        [*panels, charts.Panel(moved, "the step, in units of the rate", "step", y_range=(-1.1, 1.1))], shows
    )


# ─── Parts taken out ─────────────────────────────────────────────────────────────────────────────────────────────────


def breaking_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Curves of every run and of the one beside it, one row each, as a linked chart takes them: means over seeds."""
    curves = {name: mean_curves(result, name) for name in dict.fromkeys(run["name"] for run in result["runs"])}
    rows = []
    for name in curves:
        sides = {name: "this run"} | ({result["beside"][name]: "beside it"} if name != "healthy" else {})
        for shown, side in sides.items():
            for part, (x, y) in curves.get(shown, {}).items():
                rows.append(
                    dict(pick=name, run=shown, side=side, part=part, x=x, y=[float(f"{value:.3g}") for value in y])
                )
    return rows


def breaking_chart(result: dict[str, Any], pick: str = "no mask") -> charts.LinkedChart:
    """What `experiments.training breaking` found: choose what is taken out, its curves stand beside healthy ones."""
    rows = breaking_rows(result)
    names = list(dict.fromkeys(row["pick"] for row in rows if row["pick"] != "healthy"))
    if pick not in names:
        raise ValueError(f"There is no run {pick!r} in this file; choose from {', '.join(map(repr, names))}.")
    titles = {
        "nll": ("training: nll, nats", True), "gradient_norm": ("gradient norm", True),
        "unseen nll": ("unseen, taught: nll, nats", True), "unseen bleu": ("unseen, on its own: BLEU", False),
    }  # fmt: skip
    sides = {"field": "side", "type": "nominal", "title": None}
    two = ["this run", "beside it"]
    named = f"datum.label === 'beside it' ? 'beside it: ' + ({json.dumps(result['beside'])})[pick] : datum.label"
    colour = sides | {
        "legend": {"orient": "bottom", "labelExpr": named, "labelLimit": 260},
        "scale": {"domain": two, "range": [theme.CHART_COLOURS[1], theme.GREY]},
    }
    dashes = sides | {"legend": None, "scale": {"domain": two, "range": [[1, 0], [5, 4]]}}

    def panel(part: str) -> dict[str, Any]:
        title, log = titles[part]
        y = {"field": "y", "type": "quantitative", "title": None, "scale": {"type": "log" if log else "linear"}}
        told = [{"field": "run"}, {"field": "x", "title": "step"}, {"field": "y", "title": title}]
        return {
            "title": title, "width": 205, "height": 220, "mark": {"type": "line", "point": part.startswith("unseen")},
            "transform": [{"filter": f"datum.part === '{part}'"}],
            "encoding": {
                "x": {"field": "x", "type": "quantitative", "title": "step", "axis": {"tickCount": 4}}, "y": y,
                "color": colour, "strokeDash": dashes, "tooltip": told,
            },
        }  # fmt: skip

    choose = {"input": "select", "options": names, "name": "taken out: "}
    spec = {
        "data": {"values": rows}, "transform": [{"filter": "datum.pick === pick"}, {"flatten": ["x", "y"]}],
        "params": [{"name": "pick", "value": pick, "bind": choose}], "hconcat": [panel(part) for part in titles],
    }  # fmt: skip
    description = (
        f"Training curves of {len(names)} changed runs, each beside the run it is compared with; shown: {pick}"
    )
    return charts.LinkedChart(spec, "trained here: 3 layers, d_model 64, the grammar", description)
