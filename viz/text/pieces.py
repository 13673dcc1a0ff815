"""A text becomes pieces, one merge after the other."""

from __future__ import annotations

from collections.abc import Sequence

import transformer_core as tc
from studies.text import FIRST, characters, merges, spelled, vocabulary
from viz import stills
from viz.canvas import Canvas, Takes, script, trait


class TextView(Canvas):
    """The merges of a text, which may be typed; step counts those made, and the last step shows bytes and ids."""

    _esm = script(__file__)
    text = trait("", takes=Takes.text(160))
    step = trait(0, "merges made; one more than there are: bytes and ids", min=0)


LONGEST = 160  # characters that the view shows side by side


def piece_rows(
    rows: Sequence[Sequence[str]], names: Sequence[str], title: str = "", shows: str = "", *, dark: bool = False
) -> stills.Svg:
    """Rows of pieces, each piece in a frame as wide as its characters.

    rows: the pieces of each row; names: what stands before each.
    """
    if len(rows) != len(names):
        raise ValueError(f"There are {len(rows)} rows of pieces but {len(names)} names; give each row one.")
    left = max(map(stills.width_of, names)) + 8
    tables = [
        [stills.token_table([[stills.Box(piece, frame="line") for piece in row]], [name], left=left, gap=2)]
        for row, name in zip(rows, names, strict=True)
    ]
    pieces = "; ".join(f"{name}: {' '.join(row)}" for name, row in zip(names, rows, strict=True))
    return stills.page(tables, shows, f"Pieces of a text. {title}: {pieces}", title=title, dark=dark, gap=6)


def view_picture(tokenizer: tc.Tokenizer, view: TextView, dark: bool = False) -> stills.Svg:
    """The characters, some merges on the way, and the pieces with their ids: what the view plays, standing still."""
    steps = merges(tokenizer, view.text)
    rows = [characters(view.text), *(step.pieces for step in steps)]
    counts = sorted({round(i * (len(rows) - 1) / 5) for i in range(6)})
    last = spelled(rows[-1], set(vocabulary(tokenizer)))
    names = [f"{n} merge{'' if n == 1 else 's'}" for n in counts] + ["in bytes", "ids"]
    ids = [str(tokenizer.processor.piece_to_id(piece)) for piece in last]
    drawn = [[piece.removesuffix(" ") for piece in rows[n]] for n in counts]
    return piece_rows([*drawn, last, ids], names, f"“{view.text}”", view.meta["shows"], dark=dark)


def explore_text(
    tokenizer: tc.Tokenizer, text: str, *, shows: str = "", step: int | None = None, examples: Sequence[str] = ()
) -> TextView:
    """Play the merges of a text, and of any other that the reader types into the view.

    step: how many merges have been made when the view opens; all if not given. shows: what the corner says.
    examples: further texts, each on a button.
    """
    if not isinstance(text, str):
        raise ValueError(f"text is a {type(text).__name__}; pass one sentence as a string.")
    if len(tc.clean(text)) > LONGEST:
        raise ValueError(
            f"The text has {len(tc.clean(text))} characters; the view shows {LONGEST}: pass a shorter one."
        )
    meta = {"shows": shows, "first": FIRST, "longest": LONGEST, "examples": [*examples]}
    meta["vocabulary"] = [*vocabulary(tokenizer)]
    last = len(merges(tokenizer, text)) + 1
    view = TextView(meta=meta, text=tc.clean(text), step=last if step is None else max(0, min(step, last)))
    view.picture = lambda: view_picture(tokenizer, view)
    return view
