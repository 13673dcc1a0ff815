"""Table 2 and its plot of quality against cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from studies import results as study
from viz import charts, stills, theme
from viz.canvas import Canvas, OneOf, PlaceIn, Takes, script, trait


class Table2View(Canvas):
    """Table 2 and its plot of BLEU against training cost; meta["rows"] has each cell as printed."""

    def _known_model(self, _: str, model: str) -> str:
        models = [row["model"] for row in self.meta["rows"]]
        if model not in ("", *models):
            raise ValueError(f"There is no row {model!r}; choose from {', '.join(map(repr, models))}.")
        return model

    _esm = script(__file__)
    language = OneOf(["de", "fr"], "into which language")
    picked = trait("", "the model that is told in words", check=_known_model, takes=Takes.one_in("rows.model", ""))
    claim = PlaceIn(
        "claims", "which of meta['claims'] is drawn; -1: none", -1, least=-1,
        otherwise="There is no claim {value}; there are {n}, from 0, and -1 is none.",
    )  # fmt: skip


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
    claims = study.claims(rows) if whole else []
    meta = {
        "shows": shows, "title": "BLEU against the cost of training",
        "rows": [asdict(row) for row in rows], "claims": [asdict(claim) for claim in claims],
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


def plot_picture(rows: Sequence[study.Row], shows: str) -> stills.Svg:
    """The plot of both languages side by side, for pages without JavaScript; in words it is the whole table."""
    kinds = [*KIND_COLOURS, *sorted({row.kind for row in rows} - set(KIND_COLOURS))]
    look = {
        "color": {"field": "kind", "type": "nominal", "legend": {"title": None, "orient": "bottom", "symbolType": None},
                  "scale": {"domain": kinds, "range": [KIND_COLOURS.get(kind, theme.OKABE_ITO[0]) for kind in kinds]}},
        "shape": {"field": "kind", "type": "nominal",
                  "scale": {"domain": kinds, "range": [KIND_SHAPES.get(kind, "square") for kind in kinds]}},
    }  # fmt: skip
    panels = [_plot_panel(rows, language, look) for language in study.LANGUAGES]
    description = "Table 2. " + "; ".join(study.in_words(row) for row in rows)
    return charts.LinkedChart({"hconcat": panels}, shows, description).picture


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
