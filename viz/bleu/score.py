"""BLEU of a hypothesis that the reader types, computed in the page step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sacrebleu

from studies import bleu as study
from viz.bleu.steps import view_picture
from viz.canvas import Canvas, OneOf, Takes, script, trait


class BleuView(Canvas):
    """BLEU of two sentences that the reader may type, n-gram by n-gram and step by step, all computed in the page.

    The settings have sacreBLEU's names and values; brevity "printed" is min(1, c/r), which sacreBLEU does not know.
    """

    def _short_enough(self, name: str, text: str) -> str:
        if len(text) > (longest := self.meta["longest"]):
            raise ValueError(f"The {name} has {len(text)} characters; the view shows {longest}: pass a shorter one.")
        return text

    _esm = script(__file__)
    hypothesis = trait("", check=_short_enough, takes=Takes.text(400))
    reference = trait("", check=_short_enough, takes=Takes.text(400))
    tokenize = OneOf(["13a", "none", "intl", "char"])
    lowercase = trait(False)
    smooth = OneOf(["none", "exp", "floor", "add-k"], default="exp")
    effective = trait(False, "leave out orders of which the hypothesis has no n-gram")
    brevity = OneOf(["standard", "printed"])
    n = trait(2, "which n-grams are shown", min=1, max=4)


LONGEST = 400  # characters that the view shows

# "name", "hypothesis", "reference", what the corner "shows", and traits to set: "tokenize", "n"
Example = dict[str, Any]
SLIDES, MADE_UP = "worked example of a Korean slide deck", "made-up sentences"

EXAMPLES: tuple[Example, ...] = (
    {"name": "the Korean example", "hypothesis": study.HYPOTHESIS, "reference": study.REFERENCE,
     "tokenize": "none", "n": 2, "shows": SLIDES},
    {"name": "one word split in two", "hypothesis": study.SPLIT, "reference": study.REFERENCE,
     "tokenize": "none", "n": 2, "shows": f"{SLIDES}, a space more"},
    {"name": "two words shorter", "hypothesis": " ".join(study.HYPOTHESIS.split()[:-2]), "reference": study.REFERENCE,
     "tokenize": "none", "n": 2, "shows": f"{SLIDES}, cut"},
    {"name": "the the the", "hypothesis": "the " * 6 + "the", "reference": "the cat is on the mat",
     "tokenize": "13a", "n": 1, "shows": MADE_UP},
    {"name": "a lost “not”", "hypothesis": "The animal did cross the street because it was too tired.",
     "reference": "The animal did not cross the street because it was too tired.", "tokenize": "13a", "n": 2,
     "shows": MADE_UP},
)  # fmt: skip


def explore_bleu(
    hypothesis: str,
    reference: str,
    *,
    title: str = "",
    shows: str = "",
    examples: Sequence[Mapping[str, Any]] = EXAMPLES,
    **opens_with: Any,
) -> BleuView:
    """Take BLEU apart for two sentences, and for any others that the reader types into the view.

    shows: what the corner says. examples: what the menu offers, each with "name", "hypothesis", "reference" and other
    traits to set. opens_with: traits to begin with, such as tokenize="none", brevity="printed", n=1.
    """
    for name, text in (("hypothesis", hypothesis), ("reference", reference)):
        if not isinstance(text, str):
            raise ValueError(f"{name} is a {type(text).__name__}; pass one sentence as a string.")
    meta = {"live": True, "title": title, "shows": shows, "longest": LONGEST}
    meta["opened"] = [hypothesis, reference]
    meta |= {"examples": [dict(example) for example in examples], "sacrebleu": sacrebleu.__version__}
    view = BleuView(meta=meta, hypothesis=hypothesis, reference=reference, **opens_with)
    view.answers["sacrebleu"] = answer
    view.picture = lambda: view_picture(view)
    return view


def answer(asked: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
    """sacreBLEU's own score of what the view shows, to stand beside the one computed in the page."""
    settings = {name: asked[name] for name in ("tokenize", "lowercase", "smooth", "effective")}
    return {"score": study.score(asked["hypothesis"], asked["reference"], **settings).score}, []
