"""Heads taken out of a model one after the other, in several orders, and what is left of it and of a translation."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import transformer_core as tc
from studies import pruning as study
from studies.reading import KINDS, source_of
from viz import stills, theme
from viz.canvas import Canvas, PlaceIn, script, trait
from viz.controls import Explorer
from viz.stills import Cell, Line


class PruningView(Canvas):
    """The loss as heads go, which heads they are, and one sentence's translation without them.

    meta: kinds, n_layers, n_heads; orders, each with name, heads [[kind, layer, head], …], the first to go first, and
    points {n, nll, bleu}. known: translations so far, each with its order (from 0) and n.
    """

    _esm = script(__file__)
    order = PlaceIn("orders", "in which order heads go, from 0")
    n = trait(0, "how many are gone", min=0)
    known = trait([], "translations so far: {order, n, translation}")


Order = Mapping[str, Any]  # name, order (heads, the first to go first), points


def contents_of(orders: Sequence[Order], n_layers: int, n_heads: int) -> dict[str, Any]:
    """What the canvas must know of orders and curves."""
    heads = {(kind, layer, head) for kind in KINDS for layer in range(n_layers) for head in range(n_heads)}
    if not orders:
        raise ValueError("There is no order in which heads could go; give at least one, with its points.")
    for order in orders:
        listed = [tuple(at) for at in order["order"]]
        if not set(listed) <= heads or len(set(listed)) < len(listed):
            raise ValueError(
                f"{order['name']!r} names heads twice, or heads that are not there; there are the kinds "
                f"{', '.join(KINDS)}, layers 0 to {n_layers - 1} and heads 0 to {n_heads - 1}."
            )
        if not order["points"] or order["points"][0]["n"] != 0:
            raise ValueError(f"The points of {order['name']!r} must begin with n = 0, the whole model.")
    told = [dict(name=o["name"], heads=[list(at) for at in o["order"]], points=list(o["points"])) for o in orders]
    return dict(orders=told, kinds=list(KINDS), n_layers=n_layers, n_heads=n_heads)


def pruning_view(
    orders: Sequence[Order], n_layers: int, n_heads: int, *, text: str = "", known: Sequence[dict] = (),
    shows: str = "stored", **opens_with: Any,
) -> PruningView:  # fmt: skip
    """Curves of pruning: orders, each with name, order and points, as `experiments.evidence` stores them.

    known: translations of text, {order, n, translation}. opens_with: traits, such as n=12, order=1.
    """
    meta = contents_of(orders, n_layers, n_heads) | dict(text=text, shows=shows)
    view = PruningView(meta=meta, known=list(known), **opens_with)
    view.picture = lambda: pruning_picture(view)
    return view


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 60  # of a sentence that is translated again at every step of a slider


class PruningExplorer(Explorer):
    """A sentence box above the curves: what the model makes of the sentence without the heads that are gone."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "a pronoun to be chosen"),
        ("Tom loves Mary.", "three words"),
        ("She does not know when he will come.", "German puts the verb last"),
    )

    def __init__(self, translator: tc.Translator, text: str, orders: Sequence[Order], **opens_with: Any) -> None:
        self.orders = list(orders)
        super().__init__(translator, text, **opens_with)

    def read(self, text: str) -> str:
        """The sentence as it is translated; its length is checked."""
        source_of(self.translator, text, MOST_TOKENS, least=1)
        return tc.clean(text)

    def without(self, order: int, n: int) -> dict[str, Any]:
        """The translation when the first n heads of an order are gone."""
        gone = [tuple(at) for at in self.orders[order]["order"]][:n]
        (line,) = study.translations(self.translator, [self.reading], gone)  # type: ignore[arg-type]
        return dict(order=order, n=n, translation=line)

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS}

    def first_view(self, **opens_with: Any) -> PruningView:
        config = self.translator.model.config
        shows = f"trained: {self.translator.name}"
        known = [self.without(0, point["n"]) for point in self.orders[0]["points"]]
        view = pruning_view(
            self.orders, config.n_layers, config.n_heads, text=self.reading, known=known, shows=shows, **opens_with
        )
        view.meta = view.meta | {"live": True}
        self.translate(view)
        view.observe(lambda _: self.translate(view), ["n", "order"])
        return view

    def contents(self) -> dict[str, Any]:
        return {"meta": {"text": self.reading}, "known": [self.without(0, 0)]}

    def take(self, reading: str) -> None:
        super().take(reading)
        self.translate(self.view)

    def told(self) -> str:
        return self.view.known[0]["translation"]

    def translate(self, view: PruningView) -> None:
        """Translate without the heads that are gone now, unless that is known."""
        if not any((answer["order"], answer["n"]) == (view.order, view.n) for answer in view.known):
            view.known = [*view.known, self.without(view.order, view.n)]


def explore_pruning(
    translator: tc.Translator, text: str, orders: Sequence[Order], **opens_with: Any
) -> PruningExplorer:
    """Take heads out of a model by a slider, and read what it still makes of a sentence of yours.

    orders: each with name, order and points, as stored; opens_with: traits of the view, such as n=36.
    """
    return PruningExplorer(translator, text, orders, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────


ROWS, LONGEST = 6, 110  # translations in the picture, later ones say nothing any more; and the characters of a line


def left_of(view: PruningView, kind: str) -> list[list[Cell]]:
    """The heads of a kind, a row a layer: dark while they are there."""
    gone = {tuple(at) for at in view.meta["orders"][view.order]["heads"][: view.n]}
    layers, heads = range(view.meta["n_layers"]), range(view.meta["n_heads"])
    return [[Cell(stills.weight(0 if (kind, layer, head) in gone else 0.7)) for head in heads] for layer in layers]


def changes(answers: Sequence[tuple[int, str]]) -> list[tuple[str, str]]:
    """Translations by how many heads are gone, those that are alike as one: from how many to how many.

    >>> changes([(0, "ja"), (6, "ja"), (12, "nein")])
    [('0 to 6', 'ja'), ('12', 'nein')]
    """
    runs = [(line, [n for n, _ in run]) for line, run in itertools.groupby(answers, key=lambda answer: answer[1])]
    return [(f"{gone[0]} to {gone[-1]}" if len(gone) > 1 else str(gone[0]), line) for line, gone in runs]


def pruning_picture(view: PruningView, dark: bool = False) -> stills.Svg:
    """What a view shows now: the curves, the heads that are left, and the translations so far of this order."""
    meta, order = view.meta, view.meta["orders"][view.order]
    inks = ["query", *["quiet"] * len(meta["orders"])]
    shown = [order, *(other for other in meta["orders"] if other is not order)]
    lines = [Line([(p["n"], p["nll"]) for p in o["points"]], ink, o["name"], ink != "query")
             for o, ink in zip(shown, inks, strict=False)]  # fmt: skip
    chart = stills.line_chart(lines, title="nll, nats per token", x_title="heads gone", width=420, height=200)
    layers, heads = [str(n) for n in range(meta["n_layers"])], [str(n) for n in range(meta["n_heads"])]
    maps = [stills.cell_map(left_of(view, kind), layers, heads, title=kind, size=(14, 14), apart=True)
            for kind in meta["kinds"]]  # fmt: skip
    answers = sorted((a["n"], a["translation"]) for a in view.known if a["order"] == view.order)
    changed = [theme.shortened(f"{gone} gone: {line}", LONGEST) for gone, line in changes(answers)[:ROWS]]
    told = [[stills.words(*changed)]] if changed else []
    point = max((p for p in order["points"] if p["n"] <= view.n), key=lambda p: p["n"])
    nll = theme.three_digits(point["nll"]) + (" at the point before" if point["n"] < view.n else "")
    note = f"{view.n} of {len(order['heads'])} heads gone, {order['name']}: nll {nll}"
    alternative = f"Pruning. {note}. " + "; ".join(f"{n} gone: {line}" for n, line in answers)
    return stills.page([[chart, *maps], *told], meta["shows"], alternative, title=meta["text"] or "Pruning",
                       notes=[note], dark=dark, wide=1050)  # fmt: skip
