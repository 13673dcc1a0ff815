"""BLEU taken apart: which n-grams count, what each step does to the score, and why two numbers may not be comparable.

Every score here is sacreBLEU's own. BLEU: Papineni et al., 2002; sacreBLEU and its signatures: Post, 2018.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

import sacrebleu
from sacrebleu.metrics.bleu import BLEUScore

from studies.statistics import signed

# A Korean slide deck's worked example. It has 심해질 once as one word, once as two: its counts need one.
REFERENCE = "빛이 쐬는 사람은 완벽한 어둠에서 잠든 사람과 비교할 때 우울증이 심해질 가능성이 훨씬 높았다."
HYPOTHESIS = "빛이 쐬는 노인은 완벽한 어두운곳에서 잠든 사람과 비교할 때 강박증이 심해질 기회가 훨씬 높았다."
SPLIT = HYPOTHESIS.replace("심해질", "심해 질")


# ─── Counting ────────────────────────────────────────────────────────────────────────────────────────────────────────


def metric(
    tokenize: str = "13a", lowercase: bool = False, smooth: str = "exp", effective: bool = False
) -> sacrebleu.BLEU:
    """sacreBLEU's metric, by the names that the view gives its settings."""
    tokenizers, smoothings = sacrebleu.BLEU.TOKENIZERS, sacrebleu.BLEU.SMOOTH_DEFAULTS
    if tokenize not in tokenizers or smooth not in smoothings:
        known = f"tokenizers {', '.join(sorted(tokenizers))} and smoothings {', '.join(smoothings)}"
        raise ValueError(f"tokenize is {tokenize!r} and smooth {smooth!r}; sacreBLEU knows the {known}.")
    return sacrebleu.BLEU(tokenize=tokenize, lowercase=lowercase, smooth_method=smooth, effective_order=effective)


def score(hypothesis: str, reference: str, **settings: Any) -> BLEUScore:
    """sacreBLEU's score of one sentence: `.score` (0 to 100), `.precisions` in percent, `.counts`, `.totals`, `.bp`.

    >>> score("the " * 7, "the cat is on the mat").counts
    [2, 0, 0, 0]
    """
    for name, text in (("hypothesis", hypothesis), ("reference", reference)):
        if not isinstance(text, str):
            raise ValueError(f"{name} is a {type(text).__name__}; pass one sentence as a string.")
    return metric(**settings).corpus_score([hypothesis], [[reference]])


def tokens(text: str, tokenize: str = "13a", lowercase: bool = False) -> list[str]:
    """A sentence's tokens by one of sacreBLEU's tokenizers.

    >>> tokens("It's 3.5 km, roughly.")
    ["It's", '3.5', 'km', ',', 'roughly', '.']
    """
    return metric(tokenize).tokenizer((text.lower() if lowercase else text).rstrip()).split()


def ngrams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    """The runs of n tokens, one for each place where one begins.

    >>> ngrams(["a", "b", "c"], 2)
    [('a', 'b'), ('b', 'c')]
    """
    if n < 1:
        raise ValueError(f"n is {n}; an n-gram has 1 token or more.")
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def clipped_matches(hypothesis: Sequence[str], reference: Sequence[str], n: int) -> list[int]:
    """The places, from 0, of the hypothesis's n-grams that count; of equal ones only as many as the reference has.

    >>> clipped_matches(["the", "the", "the"], ["the", "cat", "the"], 1)
    [0, 1]
    """
    left, places = ngrams(reference, n), list[int]()
    for place, gram in enumerate(ngrams(hypothesis, n)):
        if gram in left:
            left.remove(gram)
            places.append(place)
    return places


def brevity_factor(c: int, r: int, brevity: str = "standard") -> float:
    """The factor for c tokens against a reference of r: exp(1 - r/c) for fewer, or min(1, c/r) as the slides print it.

    >>> brevity_factor(12, 14, "printed")
    0.8571428571428571
    """
    if brevity not in ("standard", "printed"):
        raise ValueError(f'brevity is {brevity!r}; choose "standard" or "printed".')
    if c < 0 or r < 0:
        raise ValueError(f"c is {c} and r is {r}; lengths are 0 or more tokens.")
    if c >= r or c == 0:
        return float(c >= r)
    return c / r if brevity == "printed" else math.exp(1 - r / c)


def geometric_mean(precisions: Sequence[float]) -> float:
    """The n-th root of the product; 0 as soon as one of them is 0.

    >>> round(geometric_mean([10 / 14, 5 / 13, 2 / 12, 1 / 11]), 6)
    0.254003
    """
    if not precisions or min(precisions) < 0:
        raise ValueError(f"The precisions are {list(precisions)}; give one or more, none below 0.")
    return math.prod(precisions) ** (1 / len(precisions))


def compounds_split(text: str) -> str:
    """Hyphens apart, as in the scoring behind the paper's Table 2: each half of a compound is then a token.

    >>> compounds_split("die EU-Kommission tagt")
    'die EU ##AT##-##AT## Kommission tagt'
    """
    return re.sub(r"(\S)-(\S)", r"\1 ##AT##-##AT## \2", text)


# ─── Two systems, one test set ───────────────────────────────────────────────────────────────────────────────────────
Counts = list[
    list[int]
]  # of each sentence: right n-grams (n = 1 to 4), all of them, tokens said, tokens of the reference


def sentence_counts(lines: Sequence[str], references: Sequence[str]) -> Counts:
    """What a corpus's BLEU adds up, sentence by sentence."""
    if len(lines) != len(references) or not lines:
        raise ValueError(f"There are {len(lines)} lines and {len(references)} references; give one for each, not none.")
    scores = (score(*pair) for pair in zip(lines, references, strict=True))
    return [[*each.counts, *each.totals, each.sys_len, each.ref_len] for each in scores]


def summed(counts: Counts) -> BLEUScore:
    """The corpus's score of some sentences: counts are added, then divided.

    >>> texts = ["the cat is on the mat", "a dog sleeps here now"]
    >>> round(summed(sentence_counts(texts, ["the cat sat on the mat", "a dog sleeps here now"])).score, 4)
    63.4047
    """
    sums = [sum(column) for column in zip(*counts, strict=True)]
    return sacrebleu.BLEU.compute_bleu(sums[:4], sums[4:8], *sums[8:], smooth_method="exp")  # type: ignore[misc]


def resampled_differences(ours: Counts, theirs: Counts, n: int = 1000, seed: int = 0) -> list[float]:
    """The difference in BLEU of two systems on n test sets drawn from this one, with repetition (Koehn, 2004)."""
    if len(ours) != len(theirs):
        raise ValueError(f"There are {len(ours)} and {len(theirs)} sentences; both systems need the same ones.")
    draw, differences = random.Random(seed), []
    for _ in range(n):
        rows = draw.choices(range(len(ours)), k=len(ours))
        drawn = [summed([counts[row] for row in rows]).score for counts in (ours, theirs)]
        differences.append(drawn[0] - drawn[1])
    return differences


def search_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What `experiments.beam_alpha` stored, a row for each search: BLEU, lengths, and how far from greedy search."""
    return [
        {
            "width": row["width"],
            "α": row["alpha"] if row["width"] > 1 else "any",
            "BLEU": row["bleu"],
            "length ratio": row["length_ratio"],
            "brevity factor": row["brevity_penalty"],
            "lines other than greedy's": row["other than greedy"],
            "BLEU − greedy's (95 %)": with_ends(row.get("minus greedy")),
            "− the paper's (95 %)": with_ends(row.get("minus paper")),
        }
        for row in result["searches"]
    ]


def with_ends(difference: Sequence[float] | None) -> str:
    """A difference and the ends of its interval, as text; nothing where there is none.

    >>> with_ends([1.013, -0.4472, 2.717]), with_ends(None)
    ('+1.01 (−0.45 to +2.72)', '')
    """
    if difference is None:
        return ""
    middle, low, high = (signed(end, 2) for end in difference)
    return f"{middle} ({low} to {high})"
