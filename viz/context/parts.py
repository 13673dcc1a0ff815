"""What a context is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from studies import context as study
from viz import stills, theme
from viz.canvas import Canvas, OneOf, PlaceIn, Takes, script, trait


class ContextView(Canvas):
    """Which vectors of which layers a word's context is made of, how wide it is and what it adds in parameters.

    meta["encoder"] and meta["decoder"] hold tokens and which of them are real (1) or padding (0).
    """

    _esm = script(__file__)
    kinds = trait(
        ["deep-global"],
        of=OneOf(["global", "deep", "deep-global"]),
        minlen=1,
        takes=Takes.list_of(Takes.one_of("global", "deep", "deep-global"), 1, 3),
    )
    layer = PlaceIn("n_layers", "from 0", 2)
    side = OneOf(["encoder", "decoder", "both"])
    word = trait(0, "whose context is drawn", min=0)
    d_model = OneOf([512, 1024])


def context_view(
    encoder: Sequence[str], decoder: Sequence[str], n_pad: int = 0, n_layers: int = 6, **opens_with: Any
) -> ContextView:
    """What a context is made of, over the words of a source (the last n_pad of them padding) and of a target."""
    if not encoder or not decoder or not 0 <= n_pad < len(encoder):
        message = f"There are {len(encoder)} source words, {n_pad} of them padding, and {len(decoder)} target words"
        raise ValueError(f"{message}; give at least one real word of each.")
    real = [int(j < len(encoder) - n_pad) for j in range(len(encoder))]
    meta = {
        "title": "What a context is made of", "n_layers": n_layers,
        "shows": "drawn from the definitions", "printed": study.printed_sums(),
        "encoder": {"tokens": list(encoder), "real": real},
        "decoder": {"tokens": list(decoder), "real": [1] * len(decoder)},
    }  # fmt: skip
    view = ContextView(meta=meta, **opens_with)
    view.picture = lambda: context_picture(view)
    return view


def context_picture(view: ContextView, dark: bool = False) -> stills.Svg:
    """The same as a picture: rows are layers, columns words; coloured: read by the context of the word in a frame."""
    causal = view.side == "decoder"
    tokens, real = (view.meta["decoder" if causal else "encoder"][part] for part in ("tokens", "real"))
    word, parts = min(view.word, len(tokens) - 1), study.segments("+".join(view.kinds), view.layer)
    reads, layers = study.seen(real, word, causal), [*reversed(range(view.meta["n_layers"]))]

    def cell(m: int, j: int) -> stills.Cell:
        kinds = [part.kind for part in parts if part.layer == m and (reads[j] if part.mean else j == word)]
        if not kinds:
            return stills.Cell(text="·", ink="quiet")
        return stills.Cell(KINDS[kinds[-1]][0], " + ".join(KINDS[kind][1] for kind in kinds), "#000000")

    read = stills.cell_map(
        [[cell(m, j) for j in range(len(tokens))] for m in layers], [f"H{m + 1}" for m in layers], tokens,
        size=(62, 26), colours=("ink", "ink"), outlined=[(layers.index(view.layer), word)], apart=True,
    )  # fmt: skip
    made = ", ".join(f"mean of H{part.layer + 1}" if part.mean else f"H{part.layer + 1}" for part in parts) or "nothing"
    title = f"{' + '.join(view.kinds)}, layer {view.layer}: C of “{tokens[word]}” is [{made}]"
    notes = [f"{len(parts)} × d_model wide; {', '.join(f'{letter}: {kind}' for kind, (_, letter) in KINDS.items())}"]
    return stills.page(
        [[read]], view.meta["shows"], f"{title}, {len(parts)} × d_model wide", title=title, notes=notes, dark=dark
    )


KINDS = {  # colour and letters of each kind of context
    "global": (theme.OKABE_ITO[3], "G"), "deep": (theme.OKABE_ITO[4], "D"), "deep-global": (theme.OKABE_ITO[5], "DG"),
}  # fmt: skip
