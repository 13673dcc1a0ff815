"""Table 4 and what was trained here, as charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies import parsing as study
from viz import charts, theme

# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def table_4_chart(rows: Sequence[study.Row] = study.TABLE_4, shows: str = "Table 4 as printed") -> charts.LinkedChart:
    """Every row as a point; click one, and those above it are filled."""
    if not rows:
        raise ValueError("There are no rows to show; pass TABLE_4, or some of its rows.")
    values = [row._asdict() | {"place": i, "F1": float(row.f1)} for i, row in enumerate(rows)]
    ours = next((row.f1 for row in rows if (row.parser, row.training) == (study.TRANSFORMER, study.SEMI)), rows[-1].f1)
    select = {"type": "point", "fields": ["F1"]}
    picked = {"name": "picked", "select": select, "value": [{"F1": float(ours)}], "views": ["points"]}
    spec = {
        "data": {"values": values}, "params": [picked], "layer": table_4_layers(rows),
        "width": 520, "height": 22 * len(rows),
    }  # fmt: skip
    description = "Table 4. " + "; ".join(f"{row.parser}, {row.training}: {row.printed}" for row in rows)
    return charts.LinkedChart(spec, shows, description)


def table_4_layers(rows: Sequence[study.Row]) -> list[dict]:
    """Points, the line through the one that is picked, and what is printed."""
    kinds = list(dict.fromkeys(row.training for row in rows))
    names = {"labelExpr": label_expression(rows), "labelLimit": 260}
    y = {"field": "place", "type": "nominal", "title": None, "axis": names}
    x = {"field": "F1", "type": "quantitative", "scale": {"domain": [88, 94]}, "title": "F1 on section 23 of the WSJ"}
    scale = {"domain": kinds, "range": list(theme.CHART_COLOURS[: len(kinds)])}
    colour = {"field": "training", "type": "nominal", "title": None, "legend": {"orient": "bottom"}, "scale": scale}
    higher = "picked.F1 == null ? false : datum.F1 > picked.F1[0]"
    point = {
        "name": "points", "mark": {"type": "point", "size": 130, "filled": True, "opacity": 1, "cursor": "pointer"},
        "encoding": {
            "x": x, "y": y, "color": colour, "stroke": colour, "strokeOpacity": {"value": 1},
            "strokeWidth": {"value": 2}, "tooltip": [{"field": name} for name in study.Row._fields],
            "fillOpacity": {"condition": {"test": higher, "value": 1}, "value": 0.05},
        },
    }  # fmt: skip
    line = {"type": "rule", "strokeDash": [4, 3], "color": theme.GREY}
    there = [{"filter": {"param": "picked", "empty": False}}]
    beside = {"type": "text", "dx": 12, "align": "left", "color": theme.GREY}
    number = {"mark": beside, "encoding": {"x": x, "y": y, "text": {"field": "printed"}}}
    return [point, {"transform": there, "mark": line, "encoding": {"x": x}}, number]


def label_expression(rows: Sequence[study.Row]) -> str:
    """A Vega expression: the parser's name for its place."""
    names = [
        row.parser + (f", {study.ALSO_CALLED[row.parser]}" if row.parser in study.ALSO_CALLED else "") for row in rows
    ]
    quoted = ", ".join("'" + name.replace("'", "\\'") + "'" for name in names)
    return f"[{quoted}][datum.value]"


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────


def curve_chart(run: Mapping[str, Any], shows: str) -> charts.Chart:
    """While a parser learns: F1 on unseen sentences, of every line repaired and of lines as they are; and the loss."""
    points = run["curve"]
    if not points:
        raise ValueError("This run has no learning curve; its JSON must hold one point at least.")
    steps = [point["step"] for point in points]

    def panel(title: str, unit: str, kinds: dict[str, str]) -> charts.Panel:
        curves = [
            charts.Curve(name, steps, [point[key] for point in points], kind="points") for name, key in kinds.items()
        ]
        return charts.Panel(curves, title, "step", unit)

    scores = {"every line repaired": "f1", "malformed lines as no tree": "strict"}
    losses = {"training trees": "nll", "unseen trees": "valid_nll"}
    return charts.chart([panel("how good", "F1", scores), panel("how sure", "nats a token", losses)], shows)
