"""The logit lens as a picture: what the decoder would say after each of its layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studies.lens import decided, lens
from studies.reading import Reading
from viz import stills
from viz.stills import Cell


def lens_picture(
    probability: Any, top: Sequence[Sequence[str]], target: Sequence[str], outlined: Sequence[Sequence[int]] = (), *,
    inputs: Sequence[str] = (), title: str = "", shows: str = "given numbers", dark: bool = False,
) -> stills.Svg:  # fmt: skip
    """A row for each layer, the last above; in each cell what would be said there, coloured by the said word's share.

    probability (L, T) of the word that is said; top: the likeliest piece of each layer and row. outlined: (layer, row)
    from which the word stays the likeliest. inputs: what each row of the decoder has read, which stands below it.
    """
    n_layers = len(top)
    read = [inputs] if inputs else []
    if any(len(row) != len(target) for row in (*top, *probability, *read)) or len(probability) != n_layers:
        sides = f"{len(probability)} × {len(probability[0])} shares and {n_layers} × {len(top[0])} pieces"
        raise ValueError(f"There are {sides} for {len(target)} target tokens; give one of each a layer and token.")
    longest = max(len(piece) for row in (*top, *read) for piece in row)
    cells = [
        [Cell(stills.weight(float(share)), piece, "page" if share > 0.5 else "ink")
         for share, piece in zip(probability[layer], top[layer], strict=True)]
        for layer in reversed(range(n_layers))
    ]  # fmt: skip
    cells += [[Cell(text=piece) for piece in row] for row in read]
    rows = [*(f"layer {layer}" for layer in reversed(range(n_layers))), *["has read"] * len(read)]
    frames = [(n_layers - 1 - layer, row) for layer, row in outlined]
    drawn = stills.cell_map(cells, rows, target, size=(max(30.0, 7.0 * min(longest, 12)), 22), outlined=frames,
                            colours=("quiet", "query"), legend=("weights", "0", "1"))  # fmt: skip
    note = "above: the word that is said; colour: its probability; framed: from here on it stays the likeliest"
    layers = "; ".join([*(f"has read: {' '.join(row)}" for row in read),
                        *(f"layer {layer}: {' '.join(top[layer])}" for layer in range(n_layers))])  # fmt: skip
    return stills.page([[drawn]], shows, f"Logit lens. {layers}", title=title, notes=[note], dark=dark, wide=4000)


def lens_of(reading: Reading, dark: bool = False) -> stills.Svg:
    """The logit lens of a reading."""
    facts, pieces = lens(reading), reading.translator.tgt_tokenizer.pieces
    frames = [(layer, row) for row, layer in enumerate(decided(facts["rank"])) if layer is not None]
    top = [pieces(row) for row in facts["top"].tolist()]
    title = f"{reading.text} → {reading.translation}"
    return lens_picture(facts["probability"].tolist(), top, reading.predicted_pieces, frames,
                        inputs=reading.target_pieces, title=title, shows=reading.shows, dark=dark)  # fmt: skip
