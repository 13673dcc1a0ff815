"""Results of experiments/scaled_dot_product.py as charts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studies.scaled_dot_product import after, steps_of
from viz import charts

RUN = "trained: small models, seeds "  # what the corner of a chart of stored results says


def spread(runs: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Mean, least and most of several runs, step by step, as a curve's y, low and high."""
    steps = list(zip(*runs, strict=True))
    means = [round(sum(values) / len(values), 4) for values in steps]
    return {"y": means, "low": [min(values) for values in steps], "high": [max(values) for values in steps]}


def scale_chart(result: dict, rate: str = "0.001", step: int = 100) -> charts.Chart:
    """The look-up task with and without 1/√d_k: accuracy while training, and after so many steps at every rate."""
    curves, named = result["curves"], {"scaled": "q · k / √d_k", "dot product": "q · k"}
    seeds = len(curves["scaled"][rate])
    over = [charts.Curve(named[kind], steps_of(result), **spread(runs[rate])) for kind, runs in curves.items()]
    bars = []
    for kind, runs in curves.items():
        at_step = spread([[after(result, at_rate, step)[seed] for at_rate in runs.values()] for seed in range(seeds)])
        bars.append(charts.Curve(named[kind], list(runs), kind="bars", **at_step))
    panels = [
        charts.Panel(
            over,
            title=f"d_k = {result['d_k']}, learning rate {rate}",
            x_title="step",
            y_title="accuracy",
            y_range=(0, 1),
        ),
        charts.Panel(bars, title=f"after {step} steps", x_title="learning rate", y_title="accuracy", y_range=(0, 1)),
    ]
    return charts.chart(panels, f"{RUN}0 to {seeds - 1}")


def scores_chart(result: dict, step: int = 100) -> charts.Chart:
    """Additive, dot-product and scaled scores over d_k: accuracy after so many steps, gradient before the first."""
    of = {
        kind: [row for row in result["rows"] if row["scores"] == kind] for kind in ("scaled", "dot product", "additive")
    }
    right, gradient = [], []
    for kind, rows in of.items():
        widths = [str(row["d_k"]) for row in rows]
        by_seed = [after(result, row["curves"], step) for row in rows]
        right.append(charts.Curve(kind, widths, kind="points", **spread(list(zip(*by_seed, strict=True)))))
        gradient.append(charts.Curve(kind, widths, [row["gradient"] for row in rows], kind="points"))
    panels = [
        charts.Panel(right, title=f"Accuracy after {step} steps", x_title="d_k", y_range=(0, 1)),
        charts.Panel(gradient, title="Gradient at the scores, untrained", x_title="d_k"),
    ]
    drawn = charts.chart(panels, f"{RUN}0 to {len(by_seed[0]) - 1}")
    drawn.figure.update_traces(mode="lines", selector={"fill": "toself"})  # no points along the edges of the bands
    return drawn


def cost_chart(result: dict) -> charts.Chart:
    """What 128 × 128 scores cost, there and back: milliseconds, and megabytes kept for the way back."""
    panels = []
    for name, title in (("milliseconds", "Milliseconds, one core"), ("megabytes", "MB kept for the gradient")):
        curves = [
            charts.Curve(kind, [str(r["d_k"]) for r in rows], [r[name] for r in rows], kind="points")
            for kind in ("scaled", "dot product", "additive")
            if (rows := [row for row in result["rows"] if row["scores"] == kind])
        ]
        panels.append(charts.Panel(curves, title=title, x_title="d_k", log_y=True))
    return charts.chart(panels, "measured: scores of 128 queries and 128 keys")


def heads_chart(result: dict) -> charts.Chart:
    """Two neighbours at once, accuracy for each number of heads, with or without a feed-forward layer."""
    curves = []
    for row in result["rows"]:
        name = f"{row['n_heads']} head{'s' * (row['n_heads'] > 1)}{' + FFN' * row['feed_forward']}"
        dash = "dash" if row["feed_forward"] else "solid"
        curves.append(charts.Curve(name, steps_of(result), dash=dash, **spread(row["curves"])))
    panel = charts.Panel(
        curves, title="Token before and token after", x_title="step", y_title="accuracy", y_range=(0, 1)
    )
    return charts.chart(panel, f"{RUN}0 to {len(result['rows'][0]['curves']) - 1}")
