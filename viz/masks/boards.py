"""Masks, scores and weights as the cells of maps, for still pictures."""

from __future__ import annotations

import math

from torch import Tensor

from viz.stills import HIDDEN, Cell, difference, weight


def mask_cells(mask: Tensor) -> list[list[Cell]]:
    """A dot where a query may look, hatching where it may not."""
    return [[Cell(text="●") if may_look else Cell(HIDDEN) for may_look in row] for row in mask.tolist()]


def score_cells(scores: Tensor) -> list[list[Cell]]:
    """Scores on the two-sided scale, -∞ written out."""
    most = scores.masked_fill(scores == -math.inf, 0.0).abs().max().clamp(min=1e-9).item()
    return [
        [Cell(HIDDEN, "−∞") if score == -math.inf else Cell(difference(0.86 * score / most)) for score in row]
        for row in scores.tolist()
    ]


def weight_cells(weights: Tensor, mask: Tensor) -> list[list[Cell]]:
    """Weights from the page's colour (0) to its opposite (1)."""

    def cell(share: float, may_look: bool) -> Cell:
        if math.isnan(share):
            return Cell("wrong", "NaN", "page")
        return Cell(weight(share)) if may_look else Cell(HIDDEN, "0")

    rows = zip(weights.tolist(), mask.tolist(), strict=True)
    return [[cell(*pair) for pair in zip(*row, strict=True)] for row in rows]


def leak_cells(change: Tensor) -> list[list[Cell]]:
    """How far each logit moved; red where it moved with a later token."""
    most = change.max().clamp(min=1e-9).item()

    def cell(moved: float, from_later: bool) -> Cell:
        if moved == 0:
            return Cell(text="0", ink="quiet")
        return Cell("wrong", "!", "page") if from_later else Cell(weight(0.16 + 0.55 * math.sqrt(moved / most)))

    return [[cell(moved, j > i) for j, moved in enumerate(row)] for i, row in enumerate(change.tolist())]
