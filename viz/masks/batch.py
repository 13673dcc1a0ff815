"""The masks of a batch as a still picture."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from viz import stills
from viz.masks.boards import mask_cells


def batch_picture(
    masks: dict[str, Tensor], queries: Sequence[Sequence[Sequence[str]]], keys: Sequence[Sequence[Sequence[str]]],
    shows: str = "", dark: bool = False,
) -> stills.Svg:  # fmt: skip
    """The masks of a batch in one picture: a row for each mask, a column for each sentence, open cells dotted.

    masks: name -> boolean (B, T, S); queries, keys: for each of these masks, for each sentence, its tokens.
    """
    maps = [
        [
            stills.cell_map(mask_cells(mask), row, column, title=name, size=(15, 15))
            for mask, row, column in zip(sentences, rows, columns, strict=True)
        ]
        for (name, sentences), rows, columns in zip(masks.items(), queries, keys, strict=True)
    ]
    alternative = "The masks of a batch. Rows are queries, columns are keys; a dot: may look, hatched: may not."
    return stills.page(maps, shows, alternative, dark=dark, columns=True)
