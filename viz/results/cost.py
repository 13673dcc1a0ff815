"""The cost of training, then and now."""

from __future__ import annotations

from typing import Any

import transformer_core as tc
from studies import results as study
from viz import charts, stills
from viz.canvas import Canvas, OneOf, Takes, script, trait


class CostView(Canvas):
    """The cost of a training run by Table 2's formula, and the time that its arithmetic takes on other hardware."""

    def _known_hardware(self, _: str, hardware: str) -> str:
        names = [*self.meta["sustained"], *self.meta["datasheet"], "another"]
        if hardware not in names:
            raise ValueError(f"There is no hardware {hardware!r} here; choose from {', '.join(names)}.")
        return hardware

    _esm = script(__file__)
    model = OneOf(["base", "big"])
    by = OneOf(["hours", "steps"], "what tells how long the run took")
    hours = trait(12.0, min=0.01, max=1e6)
    steps = trait(100_000, min=1, max=10**8)
    seconds = trait(0.4, "of a step", min=1e-4, max=1e5)
    gpus = trait(8, min=1, max=100_000)
    hardware = trait(
        "P100",
        "what the run was made on",
        check=_known_hardware,
        takes=Takes.one_of(*study.SUSTAINED, *study.DATASHEET, "another"),
    )
    share = trait(0.3, "of a data sheet's TFLOPS", min=0.01, max=1.0)
    n_now = trait(1, "GPUs that do the same work now", min=1, max=1024)
    own_tflops = trait(10.0, "of a machine not listed", min=1e-3, max=1e6)
    measured = trait({}, "this machine: name, tflops, share")


def cost_view(measured: dict[str, Any] | None = None, **opens_with: Any) -> CostView:
    """The calculator: the cost of a run by Table 2's formula, the arithmetic in it, and how long that takes elsewhere.

    measured: a machine of one's own, as `measured_machine` gives it; may be set later. opens_with: traits to begin
    with, such as model="big", by="steps", gpus=1, hardware="H200", share=0.4.
    """
    weights = {
        name: study.matmul_weights(tc.TransformerConfig(37_000, **tc.PRESETS[name])) for name in study.PAPER_RUNS
    }
    meta = {
        "shows": "arithmetic: no run was made", "title": "What a training run costs",
        "runs": {name: run._asdict() | {"weights": weights[name]} for name, run in study.PAPER_RUNS.items()},
        "tokens": study.TOKENS, "sustained": study.SUSTAINED, "datasheet": study.DATASHEET,
        "costs": [{"model": row.model, "kind": row.kind, "language": language, "cost": float(cost)}
                  for language in study.LANGUAGES for row in study.TABLE_2
                  if (cost := row.cost(language)) is not None],  # a Transformer's cell spans both
    }  # fmt: skip
    view = CostView(meta=meta, measured=measured or {}, **opens_with)
    view.picture = lambda: cost_picture(view)
    return view


def cost_picture(view: CostView) -> stills.Svg:
    """The calculator as it stands, as bars of hours for pages without JavaScript."""
    run = view.meta["runs"][view.model]
    flop = view.steps * study.step_arithmetic(run["weights"], view.meta["tokens"])
    machines = {name: (tflops, view.share) for name, tflops in view.meta["datasheet"].items()}
    took = {f"{view.n_now:,} × {name}": study.seconds_on(flop, view.n_now, *speed) for name, speed in machines.items()}
    took = {"8 × P100, the paper": run["seconds"] * view.steps} | took
    bars = charts.Curve("hours", list(took), [float(f"{s / 3600:.3g}") for s in took.values()], kind="bars")
    title = f"Hours for {view.steps:,} steps of the {view.model} model, {view.share:.0%} of the data sheet's TFLOPS"
    description = f"{title}: " + "; ".join(f"{name}: {study.duration(s)}" for name, s in took.items())
    return charts.chart(charts.Panel([bars], title, "", "hours"), view.meta["shows"], description, height=300).picture
