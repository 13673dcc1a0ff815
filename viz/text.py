"""A text becomes pieces, one merge after the other, and its pieces become vectors (sections 3.4 and 5.1).

`explore_text` plays the merges of a text that the reader types; its script merges by itself, so it needs no Python.
`merges` is the same in Python, from the pieces of the core's own SentencePiece model; `piece_rows` is its picture.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

import transformer_core as tc
from viz import theme
from viz.canvas import Canvas, script, trait

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class TextView(Canvas):
    """The merges of a text, which may be typed; step counts those made, and the last step shows bytes and ids."""

    _esm = script("text.js")
    text = trait("")
    step = trait(0, "merges made; one more than there are: bytes and ids", min=0)


FIRST = 4 + 256  # ids below are the four special pieces and the 256 bytes; no merge makes them
LONGEST = 160  # characters that the view shows side by side
WRITTEN = "▁ "  # a "▁" that the reader wrote, which is no space: no piece is like it, so it is spelled in bytes

# ─── Merges ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Merge:
    """One step: the pieces at `at` and `at` + 1 became one, the `rank`-th that training learned; then all `pieces`."""

    left: str
    right: str
    at: int
    rank: int
    pieces: list[str]


@functools.lru_cache(4)
def vocabulary(tokenizer: tc.Tokenizer) -> tuple[str, ...]:
    """The pieces that merges may make, the first learned first: the place in this list is the id less FIRST."""
    processor, n = tokenizer.processor, len(tokenizer)
    scores = [processor.get_score(i) for i in range(FIRST, n)]
    if any(processor.is_byte(i) for i in range(FIRST, n)) or scores != sorted(scores, reverse=True):
        raise ValueError(f"The {n} pieces of this tokenizer are not in the order of their merges; use Tokenizer.train.")
    return tuple(tokenizer.pieces(range(FIRST, n)))


def characters(text: str) -> list[str]:
    """What merging starts from: one piece a character, every space a "▁", and one before the first word.

    >>> characters("a cat")
    ['▁', 'a', '▁', 'c', 'a', 't']
    """
    text = tc.clean(text)
    return [{" ": "▁", "▁": WRITTEN}.get(c, c) for c in " " + text] if text else []


def candidates(pieces: Sequence[str], ranks: dict[str, int]) -> list[tuple[int, int]]:
    """The neighbours that may be merged, as (rank, place), the next one first: the pair that was learned first."""
    pairs = ((ranks.get(left + right), at) for at, (left, right) in enumerate(itertools.pairwise(pieces)))
    return sorted((rank, at) for rank, at in pairs if rank is not None)


def merges(tokenizer: tc.Tokenizer, text: str) -> list[Merge]:
    """Every merge on the way from the characters of a text to its pieces, in the order in which they happen."""
    ranks = {piece: rank for rank, piece in enumerate(vocabulary(tokenizer), start=1)}
    pieces, steps = characters(text), list[Merge]()
    while found := candidates(pieces, ranks):
        rank, at = found[0]
        left, right = pieces[at], pieces[at + 1]
        pieces = [*pieces[:at], left + right, *pieces[at + 2 :]]
        steps.append(Merge(left, right, at, rank, pieces))
    return steps


def spelled(pieces: Sequence[str], known: set[str]) -> list[str]:
    """Byte fallback: a character that is no piece becomes the bytes of its UTF-8 form.

    >>> spelled(["▁", "é"], {"▁"})
    ['▁', '<0xC3>', '<0xA9>']
    """
    in_bytes = {
        piece: [f"<0x{byte:02X}>" for byte in piece.removesuffix(" ").encode("utf-8")]
        for piece in pieces
        if piece not in known
    }
    return [part for piece in pieces for part in in_bytes.get(piece, [piece])]


def final_pieces(tokenizer: tc.Tokenizer, text: str) -> list[str]:
    """The pieces of a text by our own merges and byte fallback; Tokenizer.encode finds the same."""
    steps = merges(tokenizer, text)
    return spelled(steps[-1].pieces if steps else characters(text), set(vocabulary(tokenizer)))


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
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=14)
    svg = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(svg, said)


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


# ─── Embeddings ──────────────────────────────────────────────────────────────────────────────────────────────────────


def embedded(model: tc.Transformer, ids: Sequence[int], start: int = 0) -> dict[str, Tensor]:
    """The three vectors of each token of a source: its row of E, √d_model times it, and that with its place added.

    Each is (n, D); "place" is what was added, and "sum" is taken from the model's own `embed`.
    """
    with tc.evaluating(model):
        row = model.src_embedding(torch.tensor([*ids]))
        total = model.embed(torch.tensor([[*ids]]), model.src_embedding, model.src_positions, start)[0]
        place = model.src_positions(len(ids), start)
    return {"row": row, "scaled": row * math.sqrt(model.config.d_model), "place": place, "sum": total}


def untied(model: tc.Transformer) -> tc.Transformer:
    """The same network with three matrices, all equal, where the model has one."""
    if model.tgt_embedding is not model.src_embedding or not model.config.tie_softmax:
        raise ValueError("This model has several embedding matrices already; pass one that shares a single matrix.")
    apart = tc.Transformer(replace(model.config, tgt_vocab_size=model.config.vocab_size, tie_softmax=False))
    apart.load_state_dict(model.state_dict() | {"softmax.weight": model.src_embedding.weight.detach()})
    return apart


def tied_gradients(model: tc.Transformer, batch: tc.Batch) -> dict[str, Tensor]:
    """What the loss of a batch asks of the one shared matrix, and of each of three that are not shared: all (V, D)."""

    def gradients(network: tc.Transformer, **matrices: Tensor) -> dict[str, Tensor]:
        with contextlib.ExitStack() as leaving:
            leaving.callback(network.train, network.training)
            logits = network.eval()(batch.src, batch.tgt_in)
        loss = tc.label_smoothed_loss(logits, batch.tgt_out, 0.0)
        return dict(zip(matrices, torch.autograd.grad(loss, list(matrices.values())), strict=True))

    apart = untied(model)
    uses = dict(source=apart.src_embedding.weight, target=apart.tgt_embedding.weight, softmax=apart.softmax.weight)
    return gradients(model, shared=model.src_embedding.weight) | gradients(apart, **uses)
