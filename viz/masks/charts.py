"""Training with and without the mask, as a chart."""

from __future__ import annotations

from typing import Any

from studies.masks import training_ends
from viz import charts, theme


def training_chart(result: dict[str, Any]) -> charts.Chart:
    """What experiments/masks.py found, step by step; a line is the mean over seeds, a band all of them."""
    wanted = {
        "accuracy": "taught: share of tokens right",
        "nll": "taught: nats per token",
        "right": "alone: share right",
    }
    colours = {"with the mask": theme.CHART_COLOURS[0], "without the mask": theme.CHART_COLOURS[1]}
    best, panels = training_ends(result)["best possible"], []
    for score, title in wanted.items():
        curves = []
        for name, colour in colours.items():
            runs = [run["curve"] for run in result["runs"] if run["model"] == name]
            steps, columns = (
                [point["step"] for point in runs[0]],
                [[p[score] for p in ps] for ps in zip(*runs, strict=True)],
            )
            means, low, high = [sum(c) / len(c) for c in columns], [*map(min, columns)], [*map(max, columns)]
            curves.append(charts.Curve(name, steps, means, low, high, colour=colour))
        if score in best:
            ends = [steps[0], steps[-1]]
            curves.append(
                charts.Curve(
                    "best possible without seeing ahead", ends, [best[score]] * 2, colour=theme.GREY, dash="dash"
                )
            )
        panels.append(charts.Panel(curves, title, "step"))
    return charts.chart(panels, "trained here: 2 layers, d_model 64, a made-up task", height=360)
