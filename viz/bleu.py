"""BLEU under the reader's hands: `explore_bleu` computes it in the page, for any two sentences, as sacreBLEU does.

The charts take scores and lengths; what they are is counted in studies/bleu.py.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import sacrebleu
from sacrebleu.metrics.bleu import BLEUScore

from studies import bleu as study
from viz import theme
from viz.canvas import Canvas, OneOf, script, trait

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class BleuView(Canvas):
    """BLEU of two sentences that the reader may type, n-gram by n-gram and step by step, all computed in the page.

    The settings have sacreBLEU's names and values; brevity "printed" is min(1, c/r), which sacreBLEU does not know.
    """

    def _short_enough(self, name: str, text: str) -> str:
        if len(text) > (longest := self.meta["longest"]):
            raise ValueError(f"The {name} has {len(text)} characters; the view shows {longest}: pass a shorter one.")
        return text

    _esm = script("bleu.js")
    hypothesis = trait("", check=_short_enough)
    reference = trait("", check=_short_enough)
    tokenize = OneOf(["13a", "none", "intl", "char"])
    lowercase = trait(False)
    smooth = OneOf(["none", "exp", "floor", "add-k"], "exp")
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


# ─── Charts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def brevity_chart(marks: Sequence[tuple[int, int]] = ()) -> theme.Chart:
    """Both brevity factors against c/r; marks: pairs (c, r) to point out."""
    if any(r < 1 or c < 0 for c, r in marks):
        raise ValueError(f"The marks are {list(marks)}; give pairs (c, r) of lengths, with r at least 1.")
    ratios = [i / 100 for i in range(5, 131)]
    curves = [
        theme.Curve(said, ratios, [study.brevity_factor(round(100 * ratio), 100, kind) for ratio in ratios], dash=dash)
        for said, kind, dash in (
            ("the slides': min(1, c/r)", "printed", "dash"),
            ("standard: exp(1 − r/c)", "standard", "solid"),
        )
    ]
    shown = [(c / r, f"{c} of {r}") for c, r in marks]
    panel = theme.Panel(
        curves,
        "What a short hypothesis is multiplied by",
        "c/r: its length over the reference's",
        "factor",
        marks=shown,
    )
    return theme.chart(panel, "computed from the formulas")


def sentence_chart(scores: Sequence[float], corpus: float, shows: str) -> theme.Chart:
    """The BLEU of each sentence as bars, the highest first, with their mean and the corpus's BLEU as lines."""
    if not scores or not all(0 <= one <= 100.0001 for one in [*scores, corpus]):
        raise ValueError(
            f"There are {len(scores)} scores and a corpus score of {corpus}; give one or more, each from 0 to 100."
        )
    x, mean = [str(i + 1) for i in range(len(scores))], sum(scores) / len(scores)
    curves = [
        theme.Curve("one sentence", x, sorted(scores, reverse=True), kind="bars"),
        theme.Curve(f"mean of the sentences {mean:.1f}", x, [mean] * len(x), dash="dash"),
        theme.Curve(f"corpus {corpus:.1f}", x, [corpus] * len(x)),
    ]
    return theme.chart(
        theme.Panel(
            curves,
            "BLEU of each sentence, of their mean, and of the corpus",
            "sentences, best first",
            "BLEU",
            y_range=(0, 100),
        ),
        shows,
    )


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def wide(text: str) -> float:
    """About how many pixels a token takes in the monospaced face."""
    return 8.5 * sum(2 if ord(c) > 0x2E80 else 1 for c in theme.shortened(text))


def sentence_drawn(words: Sequence[str], other: Sequence[str], n: int, width: float, look: dict) -> tuple[str, float]:
    """Tokens with their places above and a bar for each n-gram below, as SVG, and how high that is."""
    counts, known, tall = set(study.clipped_matches(words, other, n)), set(study.ngrams(other, n)), 38 + 7 * n
    places, x, line = list[tuple[float, int]](), 0.0, 0
    for word in words:
        if x and x + wide(word) > width:
            x, line = 0.0, line + 1
        places.append((x, line * tall))
        x += wide(word) + 12
    drawn = []
    for i, (word, (left, top)) in enumerate(zip(words, places, strict=True)):
        drawn.append(theme.element("text", str(i + 1), x=left, y=top + 9, font_size=10, fill=look["quiet"]))
        shown = dict(y=top + 27, font_family=theme.MONO, font_size=14, fill=look["ink"])
        drawn.append(theme.element("text", theme.label(word), x=left, **shown))
    for i, gram in enumerate(study.ngrams(words, n)):
        fate = "value" if i in counts else "wrong" if gram in known else "line"
        for j in range(i, i + n):
            left, top = places[j]
            joint = 12 if j + 1 < i + n and places[j + 1][1] == top else 0
            bar = dict(
                x=left, y=top + 34 + 7 * (i % n), width=wide(words[j]) + joint, height=2 if fate == "line" else 5
            )
            drawn.append(theme.element("rect", fill=look[fate], fill_opacity=0.5 if fate == "wrong" else 1, **bar))
    return "".join(drawn), (line + 1) * tall


def steps_drawn(found: BLEUScore, order: int, factor: float, n: int, look: dict) -> str:
    """From 100 down to the score, in seven steps, as SVG of 860 by 210."""
    y = [180 - 1.6 * level for level in range(101)]
    mean, left, drawn = study.geometric_mean(found.precisions[:order]), 100.0, []

    def box(at: float, high: float, low: float, broad: float, fill: str, solid: float = 1) -> None:
        place = dict(x=at, y=180 - 1.6 * high, width=broad, height=max(1.0, 1.6 * (high - low)))
        drawn.append(theme.element("rect", fill=look[fill], fill_opacity=solid, **place))

    def text(at: float, high: float, said: str, fill: str = "ink", **how: Any) -> None:
        place = dict(x=at, y=high, text_anchor="middle", fill=look[fill])
        drawn.append(theme.element("text", theme.escaped(said), **place | how))

    for level in (0, 25, 50, 75, 100):
        drawn.append(theme.element("rect", x=30, y=y[level], width=830, height=1, fill=look["line"]))
        text(22, y[level] + 4, str(level), "quiet", text_anchor="end", font_size=11)
    for i, precision in enumerate(found.precisions):
        at, by = 36 + 118 * i, (precision / 100) ** (1 / order) if i < order else 1.0
        box(at, precision, 0, 44, "value", 1 if i + 1 == n else 0.55)
        box(at + 48, left, left * by, 44, "quiet")
        text(at + 22, 174 - 1.6 * precision, theme.three_digits(precision), font_size=12)
        text(at + 46, 197, f"p{'₁₂₃₄'[i]} = {found.counts[i]}/{found.totals[i]}", font_weight=600)
        left *= by
    for i, (name, high, low) in enumerate(
        [("mean", mean, 0), ("brevity", mean, factor * mean), ("BLEU", factor * mean, 0)]
    ):
        at = 36 + 118 * (4 + i)
        box(at, high, low, 92, "quiet" if name == "brevity" else "ink")
        shown = f"× {theme.three_digits(factor)}" if name == "brevity" else theme.three_digits(high)
        text(at + 46, 174 - 1.6 * high, shown, font_weight=700)
        text(at + 46, 197, f"{name} {found.sys_len} : {found.ref_len}" if name == "brevity" else name, font_weight=600)
    return "".join(drawn)


def called_by(view: BleuView) -> tuple[str, str]:
    """What a view's pair is called and what its corner says: as it opened, of an example, or of a pair of your own."""
    pair = [view.hypothesis, view.reference]
    if pair == view.meta["opened"]:
        return view.meta["title"], view.meta["shows"]
    for one in view.meta["examples"]:
        if pair == [one["hypothesis"], one["reference"]]:
            return one["name"], one.get("shows", view.meta["shows"])
    return "A pair of your own", "typed here"


def view_picture(view: BleuView, dark: bool = False) -> theme.Svg:
    """What a view shows now: both sentences with their n-grams, and the steps to the score."""
    look, (title, shows) = theme.DARK if dark else theme.LIGHT, called_by(view)
    settings: dict[str, Any] = dict(tokenize=view.tokenize, lowercase=view.lowercase)
    found = study.score(view.hypothesis, view.reference, smooth=view.smooth, effective=view.effective, **settings)
    order = max(1, sum(total > 0 for total in found.totals)) if view.effective else len(found.totals)
    factor = study.brevity_factor(found.sys_len, found.ref_len, view.brevity)
    words = [study.tokens(text, **settings) for text in (view.hypothesis, view.reference)]
    drawn, y = [theme.element("text", theme.escaped(title), x=16, y=24, font_weight=600)], 40.0
    for name, own, other in (("Hypothesis", words[0], words[1]), ("Reference", words[1], words[0])):
        row, tall = sentence_drawn(own, other, view.n, 770, look)
        drawn.append(theme.element("text", name, x=16, y=y + 27, fill=look["quiet"]))
        drawn.append(theme.element("g", row, transform=f"translate(110 {y:.0f})"))
        y += tall + 8
    steps = steps_drawn(found, order, factor, view.n, look)
    drawn.append(theme.element("g", steps, transform=f"translate(16 {y + 14:.0f})"))
    height = math.ceil(y + 250)
    mean = study.geometric_mean(found.precisions[:order])
    said = f"BLEU {factor * mean:.4f}: {view.hypothesis!r} against {view.reference!r} ({shows})"
    corner = dict(x=884, y=height - 9, text_anchor="end", font_size=11, fill=look["quiet"])
    badge = theme.element("text", theme.escaped(f"BLEU {factor * mean:.4f} · {shows}"), **corner)
    back = theme.element("rect", width="100%", height="100%", fill=look["page"])
    return theme.drawing([back, *drawn, badge], 900, height, said, fill=look["ink"])


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
    meta = {"version": 0, "live": True, "title": title, "shows": shows, "longest": LONGEST}
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
