"""What each kind of layer costs as it was timed, as charts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from studies import complexity as study
from viz import theme
from viz.charts import Chart, Curve, Panel, chart
from viz.complexity.charts import drawn_as


def measured_curve(result: dict[str, Any], name: str, d: int, field: str) -> Curve:
    """Median milliseconds with their quartiles, or MiB, of a layer over n; torch's own layers are dotted."""
    per = 1 if field == "ms" else 2**20

    def over_n(field: str) -> list[float]:
        return [float(f"{value / per:.3g}") for value in study.timed(result, name, d, field).values()]

    low, high = (over_n(side) if field == "ms" else None for side in ("low", "high"))
    lengths = list(study.timed(result, name, d))
    curve = drawn_as(name.removeprefix("torch.nn."), Curve(name, lengths, over_n(field), low, high, kind="points"))
    return replace(curve, dash="dot") if name.startswith("torch") else curve


FIGURES = (("Forward and backward", "ms", "milliseconds"), ("Kept for the backward pass", "bytes", "MiB"))


def measured_chart(result: dict[str, Any], layers: Sequence[str], d: int) -> Chart:
    """Time (median, quartiles around it) and memory of each layer over n, as measured."""
    panels = [
        Panel([measured_curve(result, name, d, field) for name in layers], title, "n", unit, log_x=True, log_y=True,
              marks=[(d, f"n = d = {d}")])
        for title, field, unit in FIGURES
    ]  # fmt: skip
    machine = result["machine"]
    return chart(panels, f"measured, {machine['threads']} of {machine['cores']} cores", height=420)


SIZES = {"length": "tokens in a sentence", "width": "features, d_model", "batch": "sentences in a batch"}


def cost_chart(result: dict[str, Any]) -> Chart:
    """A whole model's training step as one size grows: time and memory, in multiples of the first point's."""
    panels = []
    for size, x_title in SIZES.items():
        points = result["curves"][size]["points"]
        x = [point[size] for point in points]
        grown = {
            name: [float(f"{point[field] / points[0][field]:.3g}") for point in points]
            for name, field in (("time", "seconds"), ("memory", "bytes"), ("multiply-adds", "flop"))
        }
        curves = [Curve(name, x, grown[name], kind="points") for name in ("time", "memory")]
        curves.append(Curve("multiply-adds", x, grown["multiply-adds"], dash="dash", colour=theme.GREY))
        panels.append(Panel(curves, f"Against {size}", x_title, f"times that of {x[0]}", log_x=True, log_y=True))
    machine = result["machine"]
    return chart(panels, f"measured, {machine['threads']} of {machine['cores']} cores", height=400)
