"""Two readings side by side: the same head in both, what it reads in each, and the difference where tokens align."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

import transformer_core as tc
from studies.attention import changed_words
from studies.beside import aligned, difference, in_the_second, most_different, read_without
from studies.reading import KINDS, Reading
from viz import stills, theme
from viz.attention.maps import TITLES, checked_off
from viz.canvas import Canvas, HeadOrMean, OneOf, PlaceIn, Takes, floats, packed, script, trait
from viz.controls import Explorer
from viz.stills import Cell

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PLACE = Takes.whole(0, 511)  # in an address
GONE = Takes.row(Takes.one_of(*KINDS), Takes.below("n_layers"), Takes.below("n_heads"))


class BesideView(Canvas):
    """One head in two readings, and the second's weights less the first's; kind, layer, head and pin can be set.

    data holds, for the first reading and then the second, of each of meta["kinds"] the bytes of `packed(weights)`,
    weights (L, H, T, S). A kind's rows and columns say which tokens of the two are partners, as `studies.beside` does.
    """

    def _known_pin(self, _: str, pin: list) -> list:
        longest = [max(len(kind["queries"][n]) for kind in self.meta["kinds"]) for n in (0, 1)]
        if pin and not (len(pin) == 2 and pin[0] in (0, 1) and 0 <= pin[1] < longest[pin[0]]):
            raise ValueError(f"There is no row {pin}; give [0 or 1, the place of a query] for the first or the second.")
        return pin

    def _known_off(self, _: str, off: list) -> list:
        if off and not self.meta["model"]:
            raise ValueError("No heads can be taken out here: no model answers.")
        return checked_off(off, dict.fromkeys(KINDS, (self.meta["n_layers"], self.meta["n_heads"])))

    def _known_second(self, _: str, second: str) -> str:
        if second and not self.meta["model"]:
            raise ValueError("No second sentence can be read here: no model answers.")
        return second

    _esm = script(__file__)
    data = trait(b"")
    kind = OneOf([*KINDS], "which attention is shown", "cross")
    layer = PlaceIn("n_layers", "from 0")
    head = HeadOrMean()
    pin = trait(
        [],
        "the row that stays: [0 for the first reading or 1 for the second, the place of its query]",
        check=_known_pin,
        takes=Takes.row(Takes.whole(0, 1), PLACE, or_none=True),
    )
    second = trait("", 'the second sentence; "": the first', check=_known_second, takes=Takes.asking(Takes.text(1000)))
    off = trait(
        [],
        "[[kind, layer, head], …] taken out in the second reading",
        check=_known_off,
        takes=Takes.asking(Takes.list_of(GONE)),
    )


# ─── Two readings in ─────────────────────────────────────────────────────────────────────────────────────────────────

Pair = tuple[Reading, Reading]
NAMES = ("first", "second")


def sizes_of(model: tc.Transformer) -> tuple[int, int]:
    return model.config.n_layers, model.config.n_heads


def check_same(first: tc.Transformer, second: tc.Transformer) -> None:
    """Refuse two models whose heads cannot be held against each other."""
    (layers, heads), (other_layers, other_heads) = sizes_of(first), sizes_of(second)
    if (layers, heads) != (other_layers, other_heads):
        raise ValueError(
            f"The first model has {layers} layers of {heads} heads, the second {other_layers} of {other_heads}; "
            "give two of the same shape."
        )


def kind_of(name: str, readings: Pair) -> dict[str, Any]:
    """The tokens of a kind of attention in both readings, and which are partners."""
    queries, keys = ([reading.tokens(name)[side] for reading in readings] for side in (0, 1))
    predicts = [reading.predicted_pieces for reading in readings] if name == "cross" else None
    axes = {"rows": aligned(*queries), "columns": aligned(*keys)}
    return {"name": name, "title": TITLES[name], "queries": queries, "keys": keys, "predicts": predicts} | axes


def told_of(readings: Pair, then: Sequence[float]) -> dict[str, Any]:
    """What the view says of two readings; then: log-probabilities of the first's translation in the second."""
    texts, translations = (
        changed_words(*pair) for pair in zip(*((r.text, r.translation) for r in readings), strict=True)
    )
    told = [
        {"text": text, "translation": translation, "tokens": r.predicted_pieces, "log_prob": r.log_prob.tolist()}
        for r, text, translation in zip(readings, texts, translations, strict=True)
    ]
    shows = " · ".join(dict.fromkeys(r.shows for r in readings))
    n_layers, n_heads = sizes_of(readings[0].translator.model)
    kinds = [kind_of(name, readings) for name in KINDS]
    return {
        "shows": shows, "readings": told, "then": list(then), "kinds": kinds, "n_layers": n_layers, "n_heads": n_heads,
    }  # fmt: skip


def bytes_of(readings: Pair) -> bytes:
    return b"".join(packed(reading.stack(kind)) for reading in readings for kind in KINDS)


def shown_as(view: BesideView, readings: Pair) -> None:
    """Let a view answer and be drawn from these readings."""
    view.maps = {f"{kind} {n}": reading.stack(kind) for n, reading in enumerate(readings) for kind in KINDS}


def opened(readings: Pair, meta: dict[str, Any], **opens_with: Any) -> BesideView:
    """A view of two readings, at the head of cross-attention that differs most, unless another is asked for."""
    cross = next(kind for kind in meta["kinds"] if kind["name"] == "cross")
    first, second = (reading.stack("cross") for reading in readings)
    layer, head = most_different(first, second, cross["rows"], cross["columns"])
    view = BesideView(data=bytes_of(readings), meta=meta, **dict(layer=layer, head=head) | opens_with)
    shown_as(view, readings)
    view.answers = {"maps": lambda ask: exact_maps(view, ask)}
    view.picture = lambda: beside_picture(view)
    return view


def exact_maps(view: BesideView, message: dict) -> tuple[dict, list[bytes]]:
    """The float32 maps of some heads of a layer, in the first reading and in the second."""
    kind, layer, heads = message["kind"], message["layer"], message["heads"]
    return {}, [floats(view.maps[f"{kind} {n}"][layer, heads]) for n in (0, 1)]


def beside_view(first: Reading, second: Reading, **opens_with: Any) -> BesideView:
    """Two readings that you have, side by side, such as two made with a head taken out in the second.

    opens_with: traits of the view, such as kind="encoder", layer=4, head=7, pin=[0, 9].
    """
    check_same(first.translator.model, second.translator.model)
    meta = {"live": True, "model": False} | told_of((first, second), ())
    return opened((first, second), meta, **opens_with)


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 48  # of a sentence: two maps and their difference stand side by side
TIRED, WIDE = (f"The animal did not cross the street because it was too {word}." for word in ("tired", "wide"))
SHOWN = (  # an example, its twin, what they show
    (TIRED, WIDE, "who is it?"),
    ("The dog bites the man.", "The man bites the dog.", "who bites"),
    ("Tom bought the bread.", "Tom bought the red bread.", "one word more"),
    ("She does not know when he will come.", "", "itself: no difference"),
)
TWINS = {first: second for first, second, _ in SHOWN}


class BesideExplorer(Explorer):
    """Two sentences, or one with heads taken out, or two models; `.reading` has the two readings."""

    examples = tuple((first, shows) for first, _, shows in SHOWN)

    def __init__(
        self, translator: tc.Translator, text: str, second: str, other: tc.Translator | None, **opens_with: Any
    ) -> None:
        self.translators = translator, other or translator
        check_same(*(each.model for each in self.translators))
        opens_with |= {
            "second": second,
            "off": checked_off(opens_with.get("off", ()), dict.fromkeys(KINDS, sizes_of(translator.model))),
        }
        self.second, self.off, self.since = second, opens_with["off"], 0
        super().__init__(translator, text, **opens_with)
        if other is not None:
            self.view.twin = None  # a page's own model is one

    def read(self, text: str) -> Pair:
        first = read_without(self.translators[0], text, most=MOST_TOKENS)
        return first, self.beside(first, self.second_of(text), self.off)

    def beside(self, first: Reading, second: str, off: list) -> Reading:
        """The second reading: of another sentence, without some heads, by another model."""
        if not second and not off and self.translators[0] is self.translators[1]:
            return first
        return read_without(self.translators[1], second or first.text, off, MOST_TOKENS)

    def first_view(self, **opens_with: Any) -> BesideView:
        view = opened(self.reading, self.contents()["meta"], **opens_with)
        view.observe(lambda _: self.again(), ["second", "off"])
        return view

    def contents(self) -> dict[str, Any]:
        first, second = self.reading
        then = first.log_prob.tolist() if first is second else in_the_second(first, second, self.off)
        meta = {"live": True, "model": True, "since": self.since} | told_of(self.reading, then)
        return {"data": bytes_of(self.reading), "meta": meta}

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        return {"pin": self.view.pin if self.is_there(contents["meta"]) else [], "second": self.second}

    def is_there(self, meta: dict[str, Any]) -> bool:
        """Whether the row that is pinned is still that token's: the first's stay, unless a sentence was typed."""
        if self.typed or not self.view.pin:
            return False
        n, place = self.view.pin
        before, after = (
            next(kind["queries"][n] for kind in kinds if kind["name"] == self.view.kind)
            for kinds in (self.view.meta["kinds"], meta["kinds"])
        )
        return before[place : place + 1] == after[place : place + 1]

    @property
    def typed(self) -> bool:
        """Whether what is about to be shown is a sentence typed in the box, not a second one."""
        return self.since > self.view.meta["version"]

    def second_of(self, text: str) -> str:
        """The second sentence that stands beside a first: an example brings its twin along."""
        return self.second if text == self.last_text else TWINS.get(text, self.second)

    def take(self, reading: Pair) -> None:
        self.second, self.since = self.second_of(self.text), self.view.meta["version"] + 1
        self.show(reading)

    def show(self, reading: Pair) -> None:
        """Show two other readings, of a sentence typed in the box or of a second one."""
        super().take(reading)
        shown_as(self.view, reading)

    def again(self) -> None:
        """Read the second sentence anew; what cannot be shown leaves all as it was, as the line says."""
        second, off = self.view.second, self.view.off
        if (second, off) == (self.second, self.off):
            return
        try:
            reading = self.beside(self.reading[0], second, off)
        except ValueError as error:
            self.view.second, self.view.off = self.second, self.off
            return self.say(str(error))
        self.second, self.off = second, off
        self.show((self.reading[0], reading))
        self.answer()

    def called(self, call: dict[str, str]) -> dict[str, str]:
        """The call of the sentence that was typed: the second is a trait of the view."""
        return super().called(call) if self.typed else call

    def told(self) -> str:
        return " · ".join(f"{name}: {reading.translation}" for name, reading in zip(NAMES, self.reading, strict=True))

    def known_in_page(self) -> dict[str, Any]:
        return {"ids": [reading.ids for reading in self.reading], "most": MOST_TOKENS, "twins": TWINS}


def explore_beside(
    translator: tc.Translator, first: str, second: str = "", *, other: tc.Translator | None = None, **opens_with: Any
) -> BesideExplorer:
    """Hold one head against itself in two readings: its two maps, and their difference where tokens align.

    second: another sentence; none: the first once more, which differs where heads are taken `off` or a model is the
    `other`. opens_with: traits of the view, such as layer=4, head=7, off=[["cross", 4, 7]].
    """
    return BesideExplorer(translator, first, second, other, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────

LACKS = "≠ "  # before a token that the other reading lacks


def shown_maps(view: BesideView) -> list[Tensor]:
    """The map of each reading: of one head, or the mean of all. (T, S), (T', S')"""
    layers = [view.maps[f"{view.kind} {n}"][view.layer] for n in (0, 1)]
    return [layer.mean(0) if view.head < 0 else layer[view.head] for layer in layers]


def row_name(kind: dict[str, Any], row: Sequence[int | None], which: int | None) -> str:
    """What a row is called in one reading's map, or, which=None, where both stand."""
    shown = [n for n in (0, 1) if row[n] is not None and which in (None, n)]
    query = kind["queries"][shown[0]][row[shown[0]]]
    alone = None in row
    sign = (LACKS if which is not None else f"{shown[0] + 1}: ") if alone else ""
    if not kind["predicts"]:
        return sign + query
    says = [kind["predicts"][n][row[n]] for n in (0, 1) if row[n] is not None]
    differs = len(set(says)) > 1
    if which is None:
        return f"{sign}{query} → {' / '.join(dict.fromkeys(says))}"
    return f"{sign}{query} → {LACKS * differs}{kind['predicts'][which][row[which]]}"


def column_name(kind: dict[str, Any], column: Sequence[int | None], which: int | None) -> str:
    """What a column is called in one reading's map, or, which=None, where both stand."""
    shown = next(n for n in (0, 1) if column[n] is not None and which in (None, n))
    sign = (LACKS if which is not None else f"{shown + 1}: ") if None in column else ""
    return sign + kind["keys"][shown][column[shown]]


def beside_picture(view: BesideView, dark: bool = False) -> stills.Svg:
    """What a view shows now: the maps of both readings, and the difference where tokens align."""
    kind = next(kind for kind in view.meta["kinds"] if kind["name"] == view.kind)
    maps = shown_maps(view)
    gap = difference(maps[0], maps[1], kind["rows"], kind["columns"])
    side = max(4.0, min(14.0, 260 / max(gap.shape)))
    panels = []
    pinned = next((row for row in kind["rows"] if view.pin and row[view.pin[0]] == view.pin[1]), [None, None])
    for n, (weights, name) in enumerate(zip(maps, NAMES, strict=True)):
        rows = [row_name(kind, row, n) for row in kind["rows"] if row[n] is not None]
        columns = [column_name(kind, column, n) for column in kind["columns"] if column[n] is not None]
        most = [] if pinned[n] is None else [(pinned[n], int(weights[pinned[n]].argmax().item()))]
        panels.append(stills.weight_map(weights, rows, columns, title=name, size=(side, side), outlined=most))
    cells = [
        [Cell(stills.HIDDEN if math.isnan(share) else stills.difference(share)) for share in row]
        for row in gap.tolist()
    ]
    rows = [row_name(kind, row, None) for row in kind["rows"]]
    columns = [column_name(kind, column, None) for column in kind["columns"]]
    panels.append(
        stills.cell_map(
            cells, rows, columns, title="second − first", size=(side, side), legend=("differences", "−1", "1")
        )
    )
    head = "mean of all heads" if view.head < 0 else f"head {view.head}"
    title = f"{kind['title']}, layer {view.layer}, {head}"
    notes = [sentence_told(view, n) for n in (0, 1)]
    likely = [likely_told(view, n) for n in (0, 1)]
    hatched = f"log-probability: {', '.join(likely)}; ≠: differs from the other reading; hatched: no partner there"
    whole = f"{'; '.join(notes)}. Log-probability: {', '.join(likely)}. {largest_told(view, kind, gap)}"
    alternative = f"{title}, in two readings. {whole}"
    return stills.page([panels], view.meta["shows"], alternative, title=title, notes=[*notes, hatched],
                       dark=dark, wide=1400)  # fmt: skip


def sentence_told(view: BesideView, which: int) -> str:
    """A reading in a line: its sentence and its translation."""
    told = view.meta["readings"][which]
    text, translation = (" ".join(word for word, _ in told[part]) for part in ("text", "translation"))
    gone = f", without {len(view.off)} {'head' if len(view.off) == 1 else 'heads'}" if which and view.off else ""
    return f"{NAMES[which]}{gone}: {text} → {translation}"


def likely_told(view: BesideView, which: int) -> str:
    """How likely a reading's own translation is."""
    log_prob = sum(view.meta["readings"][which]["log_prob"])
    return f"{NAMES[which]} {theme.three_digits(log_prob).replace('-', '−')}"


def largest_told(view: BesideView, kind: dict[str, Any], gap: Tensor) -> str:
    """Where the two readings differ most, in words."""
    if not gap.nan_to_num().any():
        return "Where tokens align, they do not differ."
    row, column = divmod(int(gap.nan_to_num().abs().argmax().item()), gap.shape[1])
    size = theme.three_digits(gap[row, column].item()).replace("-", "−")
    names = row_name(kind, kind["rows"][row], None), column_name(kind, kind["columns"][column], None)
    return f"They differ most in row {names[0]}, column {names[1]}: {size}."
