"""Layer norm before or after the sum: gradients of untrained models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from viz.canvas import Canvas, Takes, script, trait
from viz.charts import Chart, Curve, Panel, chart


class NormsView(Canvas):
    """Gradients of each layer before the first step, both norms, with the depth as a slider over meta["depths"]."""

    def _measured(self, _: str, depth: int) -> int:
        if depth not in self.meta["depths"]:
            raise ValueError(f"Depth {depth} was not measured; choose from {self.meta['depths']}.")
        return depth

    _esm = script(__file__)
    depth = trait(6, "layers of each stack", check=_measured, takes=Takes.one_in("depths"))


def norms_view(gradients: Mapping[str, Any], depth: int = 6) -> NormsView:
    """Gradients of every layer of untrained models, with the depth as a slider: `gradients_by_depth` makes them."""
    depths, settings = list(gradients["depths"]), gradients["settings"]
    if not depths or depth not in depths:
        raise ValueError(f"depth is {depth}, but gradients are of depths {depths}; choose one of these.")
    for name, of in settings.items():
        for n in depths:
            if {len(norms) for norms in of[str(n)].values()} != {n}:
                raise ValueError(f"{name!r} at depth {n} needs {n} numbers for each stack; measure it again.")
    meta = {
        "shows": "untrained: as initialised, random text", "depths": depths,
        "settings": settings, "title": "How large the gradient of each layer is before the first step",
    }  # fmt: skip
    view = NormsView(meta=meta, depth=depth)
    view.picture = lambda: gradient_chart(settings, view.depth).picture
    return view


def gradient_chart(settings: Mapping[str, Any], depth: int) -> Chart:
    """The same at one depth as curves over the layers."""
    panels = [
        Panel(
            [
                Curve(name, list(range(1, depth + 1)), by_depth[str(depth)][stack], kind="points", dash=dash)
                for (name, by_depth), dash in zip(settings.items(), ("solid", "solid", "dash"), strict=False)
            ],
            f"{stack}, {depth} layers", "layer", "‖∂loss/∂W₂‖", log_y=True,
        )
        for stack in ("encoder", "decoder")
    ]  # fmt: skip
    return chart(panels, "untrained: as initialised, random text")
