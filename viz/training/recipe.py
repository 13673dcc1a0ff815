"""Batches, the rate and smoothed targets under the reader's hands."""

from __future__ import annotations

import math
from typing import Any

import transformer_core as tc
from studies.training import (
    Lengths,
    Plan,
    cut_by_count,
    cut_in_order,
    cut_sorted,
    filling,
    smoothed_target,
    smoothing_floor,
)
from viz import stills, theme
from viz.canvas import Canvas, OneOf, script, trait
from viz.stills import Cell, Line, Shape


class RecipeView(Canvas):
    """Batches of real lengths, equation 3 and smoothed targets by sliders, computed in the page from these traits.

    meta["lengths"] holds source and target tokens of sentence pairs, in an order that nobody sorted.
    """

    _esm = script(__file__)
    tab = OneOf(["batches", "rate", "smoothing"])
    way = OneOf(["sorted", "random", "count"], "how batches are cut")
    budget = trait(200, "tokens of a batch on either side", min=50, max=1000)
    window = trait(400, "pairs sorted together", min=2, max=400)
    d_model = trait(512, min=64, max=2048)
    warmup = trait(4000, "steps of warm-up", min=1, max=16000)
    steps = trait(20000, "steps shown", min=1000, max=100_000)
    step = trait(4000, "the step read off", min=1, max=100_000)
    eps_ls = trait(0.1, min=0.0, max=0.9)
    vocab = trait(37000, min=2, max=100_000)
    among = OneOf(["all", "others"], "over which words ε is spread")
    chance = trait(0.9, "what the model gives the right word", min=0.001, max=0.9999)


def recipe_view(lengths: Lengths, tab: str = "batches", **opens_with: Any) -> RecipeView:
    """Batches, the learning rate and smoothed targets with sliders; all of it is computed in the page.

    lengths: source and target tokens of some sentence pairs, in an order that nobody sorted.
    """
    pairs = [(int(source), int(target)) for source, target in lengths]
    if not pairs or min(map(min, pairs)) < 1:
        raise ValueError(f"There are {len(pairs)} pairs of lengths; give at least one pair, each length 1 or more.")
    meta = {
        "lengths": [list(pair) for pair in pairs],
        "shows": {"batches": "lengths of sentence pairs", "rate": "equation 3", "smoothing": "the formula"},
    }  # fmt: skip
    view = RecipeView(meta=meta, tab=tab, **opens_with)
    view.picture = lambda: recipe_picture(view)
    return view


def recipe_picture(view: RecipeView, dark: bool = False) -> stills.Svg:
    """What a view shows now: batches, the rate's curve, or the bars of a smoothed target."""
    shapes, title = {"batches": batches_drawn, "rate": rate_drawn, "smoothing": smoothing_drawn}[view.tab](view)
    return stills.page([shapes], view.meta["shows"][view.tab], title, title=title, dark=dark)


def batches_drawn(view: RecipeView) -> tuple[list[Shape], str]:
    """Each batch a map: a row for each pair, source left, target right, padding grey."""
    lengths, plan, shapes = [tuple(pair) for pair in view.meta["lengths"]], plan_of(view), []
    for batch in plan:
        most = [max(lengths[at][side] for at in batch) for side in (0, 1)]
        rows = [
            [
                *(Cell("key" if n < lengths[at][0] else "line") for n in range(most[0])), Cell(),
                *(Cell("query" if n < lengths[at][1] else "line") for n in range(most[1])),
            ]
            for at in batch
        ]  # fmt: skip
        nameless = [""] * len(rows), [""] * len(rows[0])
        shapes.append(stills.cell_map(rows, *nameless, size=(3, 5), apart=True))
    filled = filling(lengths, plan)
    return shapes, f"{filled.batches} batches, {filled.padding:.1%} padding (grey); source orange, target blue"


def plan_of(view: RecipeView) -> Plan:
    """The batches that a view shows: by the core's own cut, or by the two ways that pad more."""
    lengths = [tuple(pair) for pair in view.meta["lengths"]]
    order = list(range(len(lengths)))
    if view.way == "count":
        n = max(1, round(view.budget * len(lengths) / max(sum(pair[side] for pair in lengths) for side in (0, 1))))
        return cut_by_count(n, order)
    if view.way == "random":
        return cut_in_order(lengths, view.budget, order)
    return cut_sorted(lengths, view.budget, view.window)


def rate_drawn(view: RecipeView) -> tuple[list[Shape], str]:
    """Equation 3's curve."""
    steps = [1 + n * (view.steps - 1) / 300 for n in range(301)]
    rates = [tc.learning_rate(max(1, round(step)), view.d_model, view.warmup) for step in steps]
    peak = tc.learning_rate(view.warmup, view.d_model, view.warmup)
    title = f"learning rate, d_model {view.d_model}: highest, {peak:.6e}, at step {view.warmup:,}"
    curve = Line(list(zip(steps, rates, strict=True)))
    return [stills.line_chart([curve], x_title="step", width=800, height=220)], title


def smoothing_drawn(view: RecipeView) -> tuple[list[Shape], str]:
    """The smoothed target as bars: the right word, and a few of the others."""
    right, wrong = smoothed_target(view.vocab, view.eps_ls, view.among)
    floor = smoothing_floor(view.vocab, view.eps_ls, view.among)
    chances = [0.01 + n * 0.0098 for n in range(101)]
    losses = [-right * math.log(p) - (1 - right) * math.log((1 - p) / (view.vocab - 1)) for p in chances]
    lines = [
        Line([(0.0, floor), (1.0, floor)], "value", "floor"),
        Line([(p, -math.log(p)) for p in chances], "quiet", "plain nll"),
        Line(list(zip(chances, losses, strict=True)), "ink", "loss"),
    ]
    shares = [stills.Bar("right", right, ink="value", text=theme.three_digits(right))]
    shares += [stills.Bar("other", wrong, ink="quiet", text=theme.three_digits(wrong))] * min(6, view.vocab - 1)
    shapes = [
        stills.bar_chart(shares, title="the target", most=1, height=180),
        stills.line_chart(lines, title="nats", x_title="p(right word)", width=320, height=180),
    ]
    return shapes, f"ε = {view.eps_ls:g} over V = {view.vocab:,}: the loss cannot go below {floor:.4f} nats"
