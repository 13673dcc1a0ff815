"""The steps to a BLEU score as a still picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sacrebleu.metrics.bleu import BLEUScore

from studies import bleu as study
from viz import stills, theme
from viz.stills import Bar, Box

if TYPE_CHECKING:
    from viz.bleu.score import BleuView


def sentence_table(name: str, words: Sequence[str], other: Sequence[str], n: int) -> stills.Shape:
    """Tokens with their places and a bar for each n-gram below: green where it counts, red where too often."""
    counts, known = set(study.clipped_matches(words, other, n)), set(study.ngrams(other, n))
    rows = [[Box(token, under=str(place)) for place, token in enumerate(words, 1)]]
    fates = ["value" if i in counts else "wrong" if gram in known else "line"
             for i, gram in enumerate(study.ngrams(words, n))]  # fmt: skip
    for first in range(n):
        rows.append([Box(span=first)] * (first > 0) + [Box(fill=fate, span=n) for fate in fates[first::n]])
    return stills.token_table(rows, [name], wrap=860)


def steps_chart(score: BLEUScore, order: int, factor: float, n: int) -> stills.Shape:
    """From 100 down to the score, in seven steps."""
    mean, left, bars = study.geometric_mean(score.precisions[:order]), 100.0, []
    for i, precision in enumerate(score.precisions):
        share, name = (precision / 100) ** (1 / order) if i < order else 1.0, f"p{'₁₂₃₄'[i]}"
        fraction = f"{name} = {score.counts[i]}/{score.totals[i]}"
        bars.append(Bar(fraction, precision, ink="value", text=theme.three_digits(precision), faint=i + 1 != n))
        bars.append(Bar("", left, left * share, "quiet"))
        left *= share
    lengths = f"{score.sys_len} : {score.ref_len}"
    bars += [
        Bar("mean", mean, ink="ink", text=theme.three_digits(mean)),
        Bar("× brevity", mean, factor * mean, "quiet", f"{theme.three_digits(factor)} ({lengths})"),
        Bar("BLEU", factor * mean, ink="ink", text=theme.three_digits(factor * mean)),
    ]
    return stills.bar_chart(bars, most=100, height=160, width=80, ticks=(0, 25, 50, 75, 100))


def called_by(view: BleuView) -> tuple[str, str]:
    """What a view's pair is called and what its corner says: as it opened, of an example, or of a pair of your own."""
    pair = [view.hypothesis, view.reference]
    if pair == view.meta["opened"]:
        return view.meta["title"], view.meta["shows"]
    for example in view.meta["examples"]:
        if pair == [example["hypothesis"], example["reference"]]:
            return example["name"], example.get("shows", view.meta["shows"])
    return "A pair of your own", "typed here"


def view_picture(view: BleuView, dark: bool = False) -> stills.Svg:
    """What a view shows now: both sentences with their n-grams, and the steps to the score."""
    title, shows = called_by(view)
    settings: dict[str, Any] = dict(tokenize=view.tokenize, lowercase=view.lowercase)
    score = study.score(view.hypothesis, view.reference, smooth=view.smooth, effective=view.effective, **settings)
    order = max(1, sum(total > 0 for total in score.totals)) if view.effective else len(score.totals)
    factor = study.brevity_factor(score.sys_len, score.ref_len, view.brevity)
    ours, theirs = (study.tokens(text, **settings) for text in (view.hypothesis, view.reference))
    result = f"BLEU {factor * study.geometric_mean(score.precisions[:order]):.4f}"
    rows = [
        [sentence_table("Hypothesis", ours, theirs, view.n)], [sentence_table("Reference", theirs, ours, view.n)],
        [steps_chart(score, order, factor, view.n)],
    ]  # fmt: skip
    alternative = f"{result}: {view.hypothesis!r} against {view.reference!r}"
    return stills.page(rows, shows, alternative, title=title, notes=[f"{result} · {shows}"], dark=dark)
