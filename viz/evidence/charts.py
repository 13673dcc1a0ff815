"""Measured heads as charts: importance against taking them out, pruning in several orders, and a map of all heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies.reading import KINDS
from studies.statistics import mean
from viz import charts, stills, theme
from viz.stills import Cell

Table = Sequence[Sequence[Sequence[float]]]  # (3, L, H), kinds in the order of KINDS
RANDOM = "at random"


def flat(table: Sequence[Sequence[float]]) -> list[float]:
    return [value for layer in table for value in layer]


def importance_chart(
    tables: Mapping[str, Table],
    shows: str,
    against: str = "zeroed",
    measures: Sequence[str] = ("importance", "confidence"),
) -> charts.Chart:
    """Every head a dot: a measure across, what the loss gains without the head upward, in nats per token."""
    panels = []
    for measure in measures:
        curves = [
            charts.Curve(kind, flat(tables[measure][n]), flat(tables[against][n]), kind="dots")
            for n, kind in enumerate(KINDS)
        ]
        panels.append(charts.Panel(curves, measure, measure, f"loss gains, {against}"))
    return charts.chart(panels, shows)


def pruning_chart(orders: Sequence[Mapping[str, Any]], shows: str) -> charts.Chart:
    """The loss, and BLEU where it was measured, as heads go; orders at random as the mean of their losses between the
    extremes, and each BLEU of theirs as the one draw that it is."""
    if not orders:
        raise ValueError("There is no order to draw; give at least one, with its points.")
    drawn = [order for order in orders if not order["name"].startswith(RANDOM)]
    lots = [order["points"] for order in orders if order["name"].startswith(RANDOM)]
    curves = [curve_of(order["name"], order["points"], "nll") for order in drawn]
    if lots:
        columns = [[point["nll"] for point in points] for points in zip(*lots, strict=True)]
        n = [point["n"] for point in lots[0]]
        lows, highs = [min(column) for column in columns], [max(column) for column in columns]
        name = f"{RANDOM}, mean of {len(lots)} draws"
        curves.append(
            charts.Curve(name, n, [mean(column) for column in columns], lows, highs, "line", theme.GREY, "dash")
        )
    scored = [curve_of(order["name"], order["points"], "bleu") for order in orders
              if order["points"][0].get("bleu") is not None]  # fmt: skip
    panels = [charts.Panel(curves, "loss", "heads gone", "nll, nats per token")]
    if scored:
        panels.append(charts.Panel(scored, "translations", "heads gone", "BLEU"))
    return charts.chart(panels, shows)


def curve_of(name: str, points: Sequence[Mapping[str, Any]], measure: str) -> charts.Curve:
    """A curve of the points that have this measure; of an order at random it says that it is one draw."""
    there = [point for point in points if point.get(measure) is not None]
    xs, ys = [point["n"] for point in there], [point[measure] for point in there]
    if name.startswith(RANDOM):
        return charts.Curve(f"{RANDOM}, one draw", xs, ys, colour=theme.GREY, dash="dot")
    return charts.Curve(name, xs, ys)


def heads_picture(table: Table, title: str, shows: str, *, dark: bool = False) -> stills.Svg:
    """A number of every head as colour: the three kinds side by side, a row a layer, to the largest of all."""
    if len(table) != len(KINDS) or len({len(layer) for kind in table for layer in kind}) != 1:
        raise ValueError(f"The table has {len(table)} kinds; give {len(KINDS)}, each of layers with as many heads.")
    numbers = [value for kind in table for value in flat(kind)]
    top = max(map(abs, numbers)) or 1.0
    colour = stills.difference if min(numbers) < 0 else stills.weight
    maps = []
    for kind, layers in zip(KINDS, table, strict=True):
        cells = [[Cell(colour(value / top)) for value in layer] for layer in layers]
        names = [f"layer {n}" for n in range(len(layers))], [str(n) for n in range(len(layers[0]))]
        maps.append(stills.cell_map(cells, *names, title=kind, size=(22, 22), colours=("quiet", "quiet")))
    largest = max((value, kind, layer, head) for kind, layers in zip(KINDS, table, strict=True)
                  for layer, row in enumerate(layers) for head, value in enumerate(row))  # fmt: skip
    note = "the largest, {1} layer {2} head {3}: {0:.3g}".format(*largest)
    return stills.page([maps], shows, f"{title}; {note}.", title=title, notes=[note], dark=dark, wide=1050)
