"""One place of a translation, read two ways: after a reference's tokens (taught), and after the model's own (alone)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

import transformer_core as tc
from studies import decoding as study
from studies.decoding import MOST_TOKENS, TwoReadings
from viz import stills, theme
from viz.canvas import Canvas, HeadOrMean, PlaceIn, floats, script, trait
from viz.controls import Explorer
from viz.stills import Bar, Box, Cell

NAMED = 5  # of each distribution, the likeliest tokens that have a line


class ForcedView(Canvas):
    """Two next-token distributions at one place, and where each reads the source.

    data: float32 cross-attention (2, places, L, H, S), taught and alone. meta["places"] has, of each place, the
    likeliest tokens of either with both probabilities, and how far the distributions are apart (0 to 1).
    """

    _esm = script(__file__)
    data = trait(b"")
    place = PlaceIn("n_places", "the place in the translation, from 0")
    layer = PlaceIn("n_layers", "whose cross-attention is shown, from 0")
    head = HeadOrMean(-1)


# ─── Arrays in ───────────────────────────────────────────────────────────────────────────────────────────────────────


def contents_of(
    distributions: Tensor, cross: Tensor, tokens: Sequence[str], reference: Sequence[str], own: Sequence[str],
    source: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """The traits that show these numbers; see `forced_view`."""
    n_places = min(len(reference), len(own))
    sides = f"distributions has shape {tuple(distributions.shape)}, cross {tuple(cross.shape)}"
    if distributions.shape != (2, n_places, len(tokens)) or cross.dim() != 5 or not n_places:
        raise ValueError(f"{sides}; for {n_places} places, {len(tokens)} tokens pass (2, places, V) and a cross of 5.")
    if (cross.size(0), cross.size(1), cross.size(4)) != (2, n_places, len(source)):
        raise ValueError(f"{sides}; for {n_places} places and {len(source)} source tokens pass (2, places, L, H, S).")
    places = []
    for pair, distance in zip(distributions.unbind(1), study.apart(distributions).tolist(), strict=True):
        likely = {int(i) for i in pair.topk(min(NAMED, len(tokens))).indices.flatten()}
        ids = sorted(likely, key=lambda i: (-pair[:, i].max().item(), i))
        both = [[float(f"{p:.6g}") for p in row] for row in pair[:, ids].tolist()]
        places.append({"words": [tokens[i] for i in ids], "taught": both[0], "alone": both[1], "apart": distance})
    _, _, n_layers, n_heads, _ = cross.shape
    meta = {
        "reference": list(reference), "own": list(own), "source": list(source), "places": places,
        "parts": study.divergence(reference, own), "n_places": n_places, "n_layers": n_layers, "n_heads": n_heads,
    }  # fmt: skip
    return {"meta": meta, "data": floats(cross)}


def forced_view(
    distributions: Tensor, cross: Tensor, tokens: Sequence[str], reference: Sequence[str], own: Sequence[str],
    source: Sequence[str], *, title: str = "", shows: str = "given numbers", **opens_with: Any,
) -> ForcedView:  # fmt: skip
    """Two ways through a translation: distributions (2, places, V) and cross-attention (2, places, L, H, S).

    First what follows the reference's tokens (taught), then what follows the model's own; tokens: the names of the V.
    There are as many places as the shorter of reference and own has tokens. opens_with: place=5, layer=3, head=-1.
    """
    contents = contents_of(distributions, cross, tokens, reference, own, source)
    contents["meta"] |= dict(title=title, shows=shows)
    view = ForcedView(**contents, **opens_with)
    view.maps = {"cross": cross}
    view.picture = lambda: forced_picture(view)
    return view


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────


class ForcedExplorer(Explorer):
    """A box for a sentence and, behind a bar, its reference; `.reading` has both ways through it."""

    examples = (
        ("The thunder frightened the horses. | Der Donner erschreckte die Pferde.",
         "an article, and what has to fit it"),
        ("They painted the kitchen walls yellow. | Sie haben die Küchenwände gelb gestrichen.",
         "another word, and back again"),
        ("I am a teacher. | Ich bin eine Lehrerin.", "a reference that it would not say"),
        ("She did not know what to say.", "no reference: a beam of 4 gives it"),
    )  # fmt: skip

    def read(self, text: str) -> TwoReadings:
        sentence, _, reference = text.partition("|")
        reading = study.two_readings(self.translator, sentence.strip(), reference, most=MOST_TOKENS)
        self.has_reference = bool(reference.strip())
        return reading

    def first_view(self, **opens_with: Any) -> ForcedView:
        contents = self.contents()
        n_places, parts = contents["meta"]["n_places"], contents["meta"]["parts"]
        usual = dict(place=beside(parts, n_places), layer=self.translator.model.config.n_layers // 2)
        view = ForcedView(**contents, **usual | opens_with)
        view.maps = {"cross": self.reading.cross_attention()}
        view.picture = lambda: forced_picture(view)
        return view

    def contents(self) -> dict[str, Any]:
        taught, alone = self.reading.taught, self.reading.alone
        tokenizer = self.translator.tgt_tokenizer
        contents = contents_of(
            self.reading.distributions(), self.reading.cross_attention(), tokenizer.pieces(range(len(tokenizer))),
            taught.predicted_pieces, alone.predicted_pieces, taught.source_pieces,
        )  # fmt: skip
        contents["meta"] |= dict(title=taught.text, shows=taught.shows)
        return contents

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        return {"place": beside(contents["meta"]["parts"], contents["meta"]["n_places"])}

    def take(self, reading: TwoReadings) -> None:
        super().take(reading)
        self.view.maps = {"cross": reading.cross_attention()}

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS, "named": NAMED}

    def told(self) -> str:
        parts, own = self.reading.parts, self.reading.alone.translation
        where = "never leaves the reference" if parts is None else f"leaves the reference at place {parts + 1}"
        stands_in = "" if self.has_reference else "no reference after a bar (|): a beam of 4 gives it · "
        return f"{stands_in}alone it says: {own} · {where}"


def beside(parts: int | None, n_places: int) -> int:
    """The place behind the first divergence, the first at which what was read differs."""
    return min(0 if parts is None else parts + 1, n_places - 1)


def explore_forced(translator: tc.Translator, text: str, reference: str = "", **opens_with: Any) -> ForcedExplorer:
    """Type a sentence and its reference, `sentence | reference`: at each place, what the model says taught and alone.

    Without a reference, what a beam of 4 says is taken for one. opens_with: traits such as place=5, layer=3, head=-1.
    """
    return ForcedExplorer(translator, f"{text} | {reference}" if reference else text, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────


def forced_picture(view: ForcedView, dark: bool = False) -> stills.Svg:
    """What a view shows now: both lines of tokens, both distributions, both rows of cross-attention."""
    meta, place = view.meta, view.place
    shown, parts = meta["places"][place], meta["parts"]
    n_columns = max(len(meta["reference"]), len(meta["own"]))
    lines = [[Box(str(n + 1), "wrong" if n == parts else "quiet", strong=n == place) for n in range(n_columns)]]
    for tokens in (meta["reference"], meta["own"]):
        frames = ["wrong" if n == parts else "ink" if n == place else "line" for n in range(len(tokens))]
        inks = ["ink" if n <= place else "quiet" for n in range(len(tokens))]
        lines.append([Box(token, ink, frame=frame, strong=n == place) for n, (token, ink, frame) in enumerate(
            zip(tokens, inks, frames, strict=True))])  # fmt: skip
    charts = []
    for side in ("taught", "alone"):
        likely = zip(shown["words"], shown[side], strict=True)
        bars = [Bar(word, p, text=theme.three_digits(p)) for word, p in likely]
        charts.append(stills.bar_chart(bars, title=f"{side}: the next token", most=1, height=80))
    heads = view.maps["cross"][:, place, view.layer]  # (2, H, S)
    rows = (heads.mean(1) if view.head < 0 else heads[:, view.head]).tolist()
    cells = [[Cell(stills.weight(weight)) for weight in row] for row in rows]
    whose = "mean of the heads" if view.head < 0 else f"head {view.head}"
    reads = stills.cell_map(cells, ["taught", "alone"], meta["source"], title=f"reads, layer {view.layer}, {whose}")
    where = "the two never part" if parts is None else f"first divergence: place {parts + 1}"
    notes = [f"place {place + 1}: the distributions are {theme.three_digits(shown['apart'])} apart · {where}"]
    about = f"Taught and alone. {meta['title']}: {notes[0]}"
    table = stills.token_table(lines, ["place", "reference", "alone"])
    return stills.page([[table], [*charts, reads]], meta["shows"], about, title=meta["title"], notes=notes, dark=dark,
                       wide=1100)  # fmt: skip
