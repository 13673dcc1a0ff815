"""A text becomes pieces, one merge after the other (sections 3.4 and 5.1).

`explore_text` plays the merges of a text that the reader types; its script merges by itself, so it needs no Python.
`piece_rows` draws rows of pieces. The merges in Python, and what pieces become, stand in studies/text.py.
"""

from __future__ import annotations

from collections.abc import Sequence

import transformer_core as tc
from studies.text import FIRST, characters, merges, spelled, vocabulary
from viz import theme
from viz.canvas import Canvas, script, trait

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class TextView(Canvas):
    """The merges of a text, which may be typed; step counts those made, and the last step shows bytes and ids."""

    _esm = script("text.js")
    text = trait("")
    step = trait(0, "merges made; one more than there are: bytes and ids", min=0)


LONGEST = 160  # characters that the view shows side by side

# ─── Figures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def framed(row: Sequence[str], left: float, y: float, width: float, look: dict[str, str]) -> str:
    """One row's pieces side by side, until the page ends: one path for the frames, one text each."""
    texts, frames, x = list[str](), list[str](), left
    for piece in row:
        wide = 8.0 * sum(2 if ord(c) > 0x2E80 else 1 for c in theme.shortened(piece)) + 6
        if x + wide > width - 30:
            texts.append(theme.element("text", "…", x=x + 2, y=y + 16))
            break
        frames.append(f"M{x:.0f} {y:.0f}h{wide - 2:.0f}v22h-{wide - 2:.0f}z")
        texts.append(theme.element("text", theme.label(piece), x=x + (wide - 2) / 2, y=y + 16))
        x += wide
    path = theme.element("path", d="".join(frames), fill="none", stroke=look["line"])
    return path + theme.element(
        "g", *texts, text_anchor="middle", font_family=theme.MONO, font_size=13, fill=look["ink"]
    )


def piece_rows(
    rows: Sequence[Sequence[str]], names: Sequence[str], title: str = "", shows: str = "", *, dark: bool = False
) -> theme.Svg:
    """Rows of pieces, each piece in a frame as wide as its characters; a row that is too long for the page is cut by …

    rows: the pieces of each row; names: what stands before each.
    """
    if len(rows) != len(names):
        raise ValueError(f"There are {len(rows)} rows of pieces but {len(names)} names; give each row one.")
    look, width, left, high = theme.DARK if dark else theme.LIGHT, 900, 96, 30
    height = 40 + high * len(rows) + 26
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    content.append(theme.element("text", theme.escaped(title), x=16, y=24, font_weight=600, fill=look["ink"]))
    for n, (row, name) in enumerate(zip(rows, names, strict=True)):
        y = 40 + high * n
        content.append(theme.element("text", theme.escaped(name), x=16, y=y + 16, font_size=12, fill=look["quiet"]))
        content.append(framed(row, left, y, width, look))
    corner = dict(x=width - 16, y=height - 9, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    said = f"Pieces of a text. {title} ({shows}). " + "; ".join(
        f"{name}: {' '.join(row)}" for name, row in zip(names, rows, strict=True)
    )
    return theme.drawing(content, width, height, said, font_size=14)


def view_picture(tokenizer: tc.Tokenizer, view: TextView, dark: bool = False) -> theme.Svg:
    """The characters, some merges on the way, and the pieces with their ids: what the view plays, standing still."""
    steps = merges(tokenizer, view.text)
    rows = [characters(view.text), *(step.pieces for step in steps)]
    some = sorted({round(i * (len(rows) - 1) / 5) for i in range(6)})
    last = spelled(rows[-1], set(vocabulary(tokenizer)))
    names = [f"{n} merges" for n in some] + ["in bytes", "ids"]
    ids = [str(tokenizer.processor.piece_to_id(piece)) for piece in last]
    drawn = [[piece.removesuffix(" ") for piece in rows[n]] for n in some]
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
    meta = {"version": 0, "live": True, "shows": shows, "first": FIRST, "longest": LONGEST, "examples": [*examples]}
    meta["vocabulary"] = [*vocabulary(tokenizer)]
    last = len(merges(tokenizer, text)) + 1
    view = TextView(meta=meta, text=tc.clean(text), step=last if step is None else max(0, min(step, last)))
    view.picture = lambda: view_picture(tokenizer, view)
    return view
