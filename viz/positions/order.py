"""Words put in other places: what a model makes of their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import transformer_core as tc
from studies.positions import changed, placed
from studies.reading import source_of
from viz import stills
from viz.canvas import Canvas, Takes, script, trait
from viz.controls import Explorer
from viz.stills import Box


class OrderView(Canvas):
    """The tokens of a sentence with the place each is given; what the model then says is kept in known."""

    _esm = script(__file__)
    places = trait(
        [],
        "of each token; -1: none",
        of=trait(0, min=-1, max=5000),
        takes=Takes.asking(Takes.for_each(Takes.whole(-1, 5000), "tokens")),
    )
    known = trait([], "translations so far, with their places; the first as trained")


MOST_TOKENS = 40  # beyond, places are too narrow to be moved


class OrderExplorer(Explorer):
    """A sentence whose words are given other places: what the trained model then makes of it, remembered."""

    examples = (
        ("The dog bites the man.", "who bites whom"),
        ("Tom loves Mary.", "two names, one verb"),
        ("Can you swim?", "a question, by its order alone"),
        ("Only I saw her.", "one word that may stand anywhere"),
    )

    def read(self, text: str) -> dict[str, Any]:
        """The sentence, its tokens and its translation, each word at its own place."""
        src = source_of(self.translator, text, MOST_TOKENS, least=1)
        tokens = self.translator.tokenizer.pieces(src[0].tolist())
        return {"text": tc.clean(text), "tokens": tokens, "translation": self.translator.translate([text])[0]}

    def first_view(self, **opens_with: Any) -> OrderView:
        view = OrderView(**self.contents())
        view.picture = self.picture
        view.observe(lambda _: self.translate(), "places")
        return view

    def contents(self) -> dict[str, Any]:
        tokens, places = self.reading["tokens"], [*range(len(self.reading["tokens"]))]
        shows = f"trained: {self.translator.name}"
        return {
            "meta": {"live": True, "shows": shows, "tokens": tokens},
            "known": [dict(places=places, translation=self.reading["translation"], loss=0.0)],
            "places": places,
        }

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS}

    def told(self) -> str:
        return self.reading["translation"]

    def picture(self) -> stills.Svg:
        """Every order tried so far."""
        return order_picture(self.view.meta["tokens"], self.view.known, self.view.meta["shows"])

    def translate(self) -> None:
        """Let the model answer, unless it has answered to these places before."""
        places = self.view.places
        if len(places) != len(self.view.meta["tokens"]):  # of the sentence before: they came too late
            self.view.places = self.view.known[0]["places"]
        elif any(answer["places"] == places for answer in self.view.known):
            return
        else:
            answer = changed(
                self.translator, self.reading["text"], self.reading["translation"], [("source", placed(places))]
            )
            self.view.known = [*self.view.known, answer | {"places": places}]


def explore_order(translator: tc.Translator, sentence: str, known: Sequence[Sequence[int]] = ()) -> Explorer:
    """Give the words of a sentence other places, and see what the model says. known: places to be tried at once."""
    explorer = OrderExplorer(translator, sentence)
    for places in known:
        explorer.view.places = [*places]
    explorer.view.places = explorer.view.known[0]["places"]
    return explorer


def order_picture(tokens: Sequence[str], known: Sequence[dict], shows: str, *, dark: bool = False) -> stills.Svg:
    """A row for each order tried: the tokens by their places, and what the model made of them."""
    rows: list[list[stills.Shape]] = []
    for answer in known:
        order = sorted(zip(answer["places"], tokens, strict=True))
        boxes = [Box(token, under="" if place < 0 else str(place), ink="quiet", frame="line") for place, token in order]
        rows += [[stills.token_table([boxes])], [stills.words(f"→ {answer['translation']}")]]
    orders = "; ".join(f"places {answer['places']}: {answer['translation']}" for answer in known)
    alternative = f"A sentence whose words are given other places. {orders}"
    return stills.page(rows, shows, alternative, dark=dark, gap=8)
