"""Charts of BLEU: what brevity costs, and sentences that score alike."""

from __future__ import annotations

from collections.abc import Sequence

from studies import bleu as study
from viz import charts


def brevity_chart(marks: Sequence[tuple[int, int]] = ()) -> charts.Chart:
    """Both brevity factors against c/r; marks: pairs (c, r) to point out."""
    if any(r < 1 or c < 0 for c, r in marks):
        raise ValueError(f"The marks are {list(marks)}; give pairs (c, r) of lengths, with r at least 1.")
    hundredths = range(5, 131)
    ratios = [n / 100 for n in hundredths]
    curves = [  # rounded: of e^x the last digit is not the same on every machine
        charts.Curve(name, ratios, [round(study.brevity_factor(n, 100, kind), 9) for n in hundredths], dash=dash)
        for name, kind, dash in (
            ("the slides': min(1, c/r)", "printed", "dash"),
            ("standard: exp(1 − r/c)", "standard", "solid"),
        )
    ]
    shown = [(c / r, f"{c} of {r}") for c, r in marks]
    panel = charts.Panel(
        curves,
        "What a short hypothesis is multiplied by",
        "c/r: its length over the reference's",
        "factor",
        marks=shown,
    )
    return charts.chart(panel, "computed from the formulas")


def sentence_chart(scores: Sequence[float], corpus: float, shows: str) -> charts.Chart:
    """The BLEU of each sentence as bars, the highest first, with their mean and the corpus's BLEU as lines."""
    if not scores or not all(0 <= score <= 100.0001 for score in [*scores, corpus]):
        raise ValueError(
            f"There are {len(scores)} scores and a corpus score of {corpus}; give one or more, each from 0 to 100."
        )
    x, mean = [str(i + 1) for i in range(len(scores))], sum(scores) / len(scores)
    curves = [
        charts.Curve("one sentence", x, sorted(scores, reverse=True), kind="bars"),
        charts.Curve(f"mean of the sentences {mean:.1f}", x, [mean] * len(x), dash="dash"),
        charts.Curve(f"corpus {corpus:.1f}", x, [corpus] * len(x)),
    ]
    return charts.chart(
        charts.Panel(
            curves,
            "BLEU of each sentence, of their mean, and of the corpus",
            "sentences, best first",
            "BLEU",
            y_range=(0, 100),
        ),
        shows,
    )
