"""Alignments as still pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from studies import recurrence as study
from viz import stills, theme
from viz.stills import Box

if TYPE_CHECKING:
    from viz.recurrence.alignment import RecurrenceView


def shown_steps(view: RecurrenceView) -> study.Steps:
    """The steps that a view shows now."""
    return view.steps[view.sentence][view.score]


def view_picture(view: RecurrenceView, dark: bool = False) -> stills.Svg:
    """What a view shows now: one step's scores, weights and context, and the alignment matrix beside it."""
    steps = shown_steps(view)
    step = min(view.step, len(steps.queries) - 1)
    title = f"{view.meta['title']} — {view.meta['sentences'][view.sentence]['name']}"
    note = f"step {step + 1} says {steps.queries[step]} ({study.NAMES[view.score]}): {steps.text}"
    row = [step_table(steps, step)]
    if view.score != "fixed":
        row.append(stills.weight_map(steps.weights, steps.queries, steps.keys, size=(22, 22)))
    alternative = f"{title}; {note}. Rows are queries, sum to 1."
    return stills.page([row], view.meta["shows"], alternative, title=title, notes=[note], dark=dark, wide=4000)


def step_table(steps: study.Steps, step: int) -> stills.Shape:
    """A line for each source word: score and weight with their numbers, the weight as a bar too."""
    if steps.score == "fixed":
        return stills.token_table([[Box("no scores, no weights")], *([Box(key, "key")] for key in steps.keys)])
    rows = [[Box(), Box("e: score", "quiet"), Box("α: weight", "quiet")]]
    for key, score, weight in zip(steps.keys, steps.scores[step].tolist(), steps.weights[step].tolist(), strict=True):
        numbers = [Box(theme.three_digits(score), side="end"), Box(f"{weight:.3f}", side="end")]
        rows.append([Box(key, "key", side="end"), *numbers, Box(ink="value", bar=(0, weight), least=160)])
    return stills.token_table(rows)


def maps_picture(
    maps: Sequence[tuple[str, Any, Sequence[str], Sequence[str]]], shows: str, dark: bool = False, cell: float = 17
) -> stills.Svg:
    """Alignment matrices side by side, each (title, weights (T, S), query tokens, key tokens)."""
    if not maps:
        raise ValueError("There are no maps to draw; give at least one (title, weights, queries, keys).")
    drawn = [
        stills.weight_map(torch.as_tensor(weights), queries, keys, title=title, size=(cell, cell))
        for title, weights, queries, keys in maps
    ]
    titles = "; ".join(title for title, *_ in maps)
    return stills.page([drawn], shows, f"{titles}. Rows are queries, columns are keys, rows sum to 1.", dark=dark)
