"""Table 2 and the cost of training under the reader's hands.

`table_2_view` shows the table beside its plot of BLEU against cost and draws each claim; `cost_view` turns hours, GPUs
and TFLOPS into a training cost, and the arithmetic that a run needs into hours on other hardware. The numbers are those
of studies/results.py.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import transformer_core as tc
from studies import results as study
from viz import theme
from viz.canvas import CostView, Table2View

# ─── What the paper claims of it ─────────────────────────────────────────────────────────────────────────────────────


def table_2_view(
    rows: Sequence[study.Row] = study.TABLE_2, language: str = "de", shows: str = "Table 2 as printed"
) -> Table2View:
    """Table 2 beside its plot of BLEU against training cost, with each claim to be drawn into it.

    rows: those of TABLE_2, and more, such as Row("mine", "yours", de=("25.3", "1.2e17")); picked, language and claim
    (its place in `claims()`, -1 for none) are traits.
    """
    if not rows:
        raise ValueError("There are no rows to show; pass TABLE_2, or some of its rows.")
    whole = {row.model for row in study.TABLE_2} <= {row.model for row in rows}
    found = study.claims(rows) if whole else []
    meta = {
        "version": 0, "live": False, "shows": shows, "title": "BLEU against the cost of training",
        "rows": [asdict(row) for row in rows], "claims": [asdict(claim) for claim in found],
        "languages": study.LANGUAGES,
    }  # fmt: skip
    view = Table2View(meta=meta, language=language)
    view.picture = lambda: plot_picture(rows, shows)
    return view


# Where names stand in the still picture: to the left of their points, else to the right.
LEFT = {
    "de": ("ConvS2S ensemble", "ConvS2S"),
    "fr": ("MoE", "Deep-Att + PosUnk", "GNMT + RL ensemble", "Transformer (big)"),
}
KIND_COLOURS = {"single": theme.GREY, "ensemble": theme.GREY, "Transformer": theme.OKABE_ITO[5]}
KIND_SHAPES = {"single": "circle", "ensemble": "diamond", "Transformer": "triangle-up"}


def plot_picture(rows: Sequence[study.Row], shows: str) -> theme.Svg:
    """The plot of both languages side by side, for pages without JavaScript; in words it is the whole table."""
    kinds = [*KIND_COLOURS, *sorted({row.kind for row in rows} - set(KIND_COLOURS))]
    look = {
        "color": {"field": "kind", "type": "nominal", "legend": {"title": None, "orient": "bottom", "symbolType": None},
                  "scale": {"domain": kinds, "range": [KIND_COLOURS.get(kind, theme.OKABE_ITO[0]) for kind in kinds]}},
        "shape": {"field": "kind", "type": "nominal",
                  "scale": {"domain": kinds, "range": [KIND_SHAPES.get(kind, "square") for kind in kinds]}},
    }  # fmt: skip
    panels = [_plot_panel(rows, language, look) for language in study.LANGUAGES]
    said = "Table 2. " + "; ".join(study.in_words(row) for row in rows)
    return theme.LinkedChart({"hconcat": panels}, shows, said).picture


def _plot_panel(rows: Sequence[study.Row], language: str, look: dict) -> dict[str, Any]:
    points = [
        {"model": row.model, "kind": row.kind, "bleu": float(bleu), "cost": float(cost)}
        for row in rows
        if (bleu := row.bleu(language)) is not None and (cost := row.cost(language)) is not None
    ]
    at = {
        "x": {"field": "cost", "type": "quantitative", "title": "training cost, FLOP",
              "scale": {"type": "log", "domain": [1e18, 1e22]}, "axis": {"format": ".0e", "tickCount": 5}},
        "y": {"field": "bleu", "type": "quantitative", "title": "BLEU", "scale": {"zero": False, "padding": 24}},
    }  # fmt: skip
    layers: list[dict] = [{"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}, "encoding": at | look}]
    for side, dx in (("right", -8), ("left", 8)):
        left = json.dumps(LEFT[language])
        chosen = f"indexof({left}, datum.model) {'>=' if side == 'right' else '<'} 0"
        word = {"type": "text", "align": side, "dx": dx, "color": theme.GREY}
        layers.append({"transform": [{"filter": chosen}], "mark": word, "encoding": at | {"text": {"field": "model"}}})
    return {
        "data": {"values": points},
        "layer": layers,
        "width": 400,
        "height": 300,
        "title": study.LANGUAGES[language],
    }


# ─── The cost of training ────────────────────────────────────────────────────────────────────────────────────────────


def cost_view(measured: dict[str, Any] | None = None, **opens_with: Any) -> CostView:
    """The calculator: the cost of a run by Table 2's formula, the arithmetic in it, and how long that takes elsewhere.

    measured: a machine of one's own, as `measured_machine` gives it; may be set later. opens_with: traits to begin
    with, such as model="big", by="steps", gpus=1, hardware="H200", share=0.4.
    """
    weights = {
        name: study.matmul_weights(tc.TransformerConfig(37_000, **tc.PRESETS[name])) for name in study.PAPER_RUNS
    }
    meta = {
        "version": 0, "live": False, "shows": "arithmetic: no run was made", "title": "What a training run costs",
        "runs": {name: run._asdict() | {"weights": weights[name]} for name, run in study.PAPER_RUNS.items()},
        "tokens": study.TOKENS, "sustained": study.SUSTAINED, "datasheet": study.DATASHEET,
        "costs": [{"model": row.model, "kind": row.kind, "language": language, "cost": float(cost)}
                  for language in study.LANGUAGES for row in study.TABLE_2
                  if (cost := row.cost(language)) is not None and not (row.kind == "Transformer" and language == "fr")],
    }  # fmt: skip
    view = CostView(meta=meta, measured=measured or {}, **opens_with)
    view.picture = lambda: cost_picture(view)
    return view


# ─── Beside other libraries ──────────────────────────────────────────────────────────────────────────────────────────


def speed_chart(found: dict[str, Any], threads: int = 1) -> theme.Chart:
    """How many times as fast as each library ours was in the same run, by workload; above 1 ours is the faster."""
    cells = [cell for cell in found["cells"] if cell["threads"] == threads and cell["precision"] != "medium"]
    cells.sort(key=lambda cell: list(study.WORKLOADS).index(cell["workload"]))
    rate = {(c["workload"], c["contender"], c["precision"]): c["rate"] for c in cells}
    times: dict[str, dict[str, float]] = {}
    for (workload, contender, precision), theirs in rate.items():
        ours = rate.get((workload, "ours", precision))
        if contender not in ("ours", "limit") and ours:
            name = contender if precision == "fp32" else f"{contender}, {precision}"
            times.setdefault(name, {})[study.WORKLOADS[workload]] = float(f"{ours / theirs:.3g}")
    curves = [theme.Curve(name, list(by), list(by.values()), kind="dots") for name, by in times.items()]
    panel = theme.Panel(curves, "How many times as fast as …", "", "ours / theirs", log_y=True)
    shows = f"measured, {threads} thread{'s' * (threads > 1)}, {found['machine']['processor']}"
    return theme.chart(panel, shows, height=420)


def cost_picture(view: CostView) -> theme.Svg:
    """The calculator as it stands, as bars of hours for pages without JavaScript."""
    run = view.meta["runs"][view.model]
    flop = view.steps * study.step_arithmetic(run["weights"], view.meta["tokens"])
    machines = {name: (tflops, view.share) for name, tflops in view.meta["datasheet"].items()}
    took = {f"{view.n_now} × {name}": study.seconds_on(flop, view.n_now, *speed) for name, speed in machines.items()}
    took = {"8 × P100, the paper": run["seconds"] * view.steps} | took
    bars = theme.Curve("hours", list(took), [float(f"{s / 3600:.3g}") for s in took.values()], kind="bars")
    title = f"Hours for {view.steps:,} steps of the {view.model} model, {view.share:.0%} of the data sheet's TFLOPS"
    said = f"{title}: " + "; ".join(f"{name}: {study.duration(s)}" for name, s in took.items())
    return theme.chart(theme.Panel([bars], title, "", "hours"), view.meta["shows"], said, height=300).picture
