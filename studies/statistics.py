"""What a few runs say: their mean and spread, Student's interval around it; and numbers as they are written."""

from __future__ import annotations

import decimal
import math
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import Tensor

# Half the width of a 95 % interval of a mean, in standard errors (Student's t), by the number of runs.
# Of a number that is not here the next smaller one counts, which makes the interval a little too wide.
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 9: 2.306, 10: 2.262, 16: 2.131,
           30: 2.045, 60: 2.001, 100: 1.984, 200: 1.972}  # fmt: skip


def mean(values: Sequence[float]) -> float:
    """The sum over the number."""
    return sum(values) / len(values)


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """The 95 % interval of the mean that a few runs stand for, by Student's t; None where there is one run only.

    >>> [round(end, 3) for end in interval([1.0, 2.0, 3.0])]
    [-0.484, 4.484]
    """
    n = len(values)
    if n < 2:
        return None
    errors = STUDENT[max(runs for runs in STUDENT if runs <= n)]
    middle, half = statistics.mean(values), errors * statistics.stdev(values) / math.sqrt(n)
    return middle - half, middle + half


def central(values: Sequence[float], share: float = 0.95) -> tuple[float, float]:
    """The ends of the middle share of many values, such as those of resampled test sets: a percentile interval.

    >>> central(range(101), share=0.9)
    (5, 95)
    """
    if not values or not 0 < share < 1:
        raise ValueError(f"There are {len(values)} values and the share is {share}; give some, and 0 < share < 1.")
    ordered, outside = sorted(values), (1 - share) / 2
    return tuple(ordered[round(place * (len(values) - 1))] for place in (outside, 1 - outside))  # type: ignore[return-value]


def resampled(rows: Sequence[Any], score: Callable[[list[Any]], float], n: int = 1000, seed: int = 0) -> list[float]:
    """A score of n test sets drawn from these rows with repetition, each as large as they are (Efron, 1979).

    >>> resampled([2.0, 2.0], mean, n=3)
    [2.0, 2.0, 2.0]
    """
    draw = random.Random(seed)
    return [score(draw.choices(rows, k=len(rows))) for _ in range(n)]


def bootstrapped(values: Sequence[float], n: int = 1000, seed: int = 0) -> list[float]:
    """The mean of some values and the ends of its 95 % interval, from n sets drawn from them with repetition.

    >>> bootstrapped([2.0, 2.0, 2.0], n=5)
    [2.0, 2.0, 2.0]
    """
    return [mean(values), *central(resampled(values, mean, n, seed))]


# ─── Ranks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def ranks(values: Tensor) -> Tensor:
    """The place of each value in its row, from 0; equal ones share the mean of their places: (…, n) -> (…, n)."""
    smaller = (values[..., :, None] > values[..., None, :]).double().sum(-1)
    return smaller + ((values[..., :, None] == values[..., None, :]).double().sum(-1) - 1) / 2


def rank_correlation(left: Tensor, right: Tensor) -> Tensor:
    """Spearman's rank correlation of rows: (…, n), (…, n) -> (…); NaN where all values of a row are equal.

    >>> import torch
    >>> rank_correlation(torch.tensor([1.0, 2.0, 9.0]), torch.tensor([0.1, 0.2, 0.3])).item()
    1.0
    """
    a, b = (places - places.mean(-1, keepdim=True) for places in (ranks(left), ranks(right)))
    spread = (a.square().sum(-1) * b.square().sum(-1)).sqrt()
    return ((a * b).sum(-1) / spread).masked_fill(spread == 0, math.nan)


class Spread(NamedTuple):
    """A few runs in three numbers: mean, lowest, highest; and how many runs there are."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        ends = f" ({self.low:+.2f} to {self.high:+.2f})" if self.n > 1 else ""
        return f"{self.mean:+.2f}{ends}".replace("-", "−") if self.n else "not run"


def spread(values: Sequence[float]) -> Spread:
    """The mean, the lowest and the highest of a few runs; of none, no numbers.

    >>> str(spread([1.0, -2.0])), str(spread([]))
    ('−0.50 (−2.00 to +1.00)', 'not run')
    """
    if not values:
        return Spread(math.nan, math.nan, math.nan, 0)
    return Spread(statistics.mean(values), min(values), max(values), len(values))


# ─── Numbers as they are written ─────────────────────────────────────────────────────────────────────────────────────


def three_digits(number: float) -> str:
    """Write a number with three significant digits, as every picture does.

    >>> three_digits(0.12345), three_digits(1234.5)
    ('0.123', '1235')
    """
    if number == 0 or not math.isfinite(number):
        return f"{number:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(number))))
    if digits > 6:
        shown, power = f"{number:.2e}".split("e")
        return f"{shown}e{int(power)}"
    return str(decimal.Decimal(number).quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_HALF_UP))


def plain(value: float, digits: int) -> str:
    """A number with a true minus, and none at 0.

    >>> plain(-0.26, 1), plain(-0.001, 2)
    ('−0.3', '0.00')
    """
    text = f"{value:.{digits}f}"
    return text.replace("-", "−" if float(text) else "")


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign, a true minus, and no sign at 0.

    >>> signed(-0.26, 1), signed(0.0, 1)
    ('−0.3', '0.0')
    """
    if value is None:
        return "–"
    text = plain(value, digits)
    return f"+{text}" if value > 0 and text.strip("0.") else text


def within(ends: Sequence[float], digits: int = 2) -> str:
    """A mean and the ends of its interval as text, each with a true minus.

    >>> within([1.535, 1.499, 1.572]), within([-3.51, -3.94, -3.09], 1)
    ('1.53 (1.50 to 1.57)', '−3.5 (−3.9 to −3.1)')
    """
    middle, low, high = (plain(end, digits) for end in ends)
    return f"{middle} ({low} to {high})"


def each(values: Sequence[float], digits: int = 2) -> str:
    """A few numbers one after another, each with a true minus.

    >>> each([1.535, -0.2], 1)
    '1.5 · −0.2'
    """
    return " · ".join(plain(value, digits) for value in values)
