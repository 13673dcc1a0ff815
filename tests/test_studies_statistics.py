"""What a few runs say, and the numbers of stored results: intervals, spreads, differences of equal seeds."""

import math

import pytest
import torch

from studies import statistics, stored


def test_the_intervals_of_student_hold_the_mean_about_as_often_as_they_say():
    generator, held = torch.Generator().manual_seed(5), 0
    for _ in range(1000):
        low, high = statistics.interval(torch.randn(3, generator=generator).tolist())
        held += low < 0 < high
    assert 930 <= held <= 970


def test_one_run_has_no_interval_and_none_has_no_numbers():
    assert statistics.interval([3.0]) is None
    assert math.isnan(statistics.spread([]).mean) and statistics.spread([2.0]) == (2.0, 2.0, 2.0, 1)
    assert str(statistics.spread([2.0])) == "+2.00" and str(statistics.spread([])) == "not run"


def test_rows_are_compared_where_both_have_the_seed_and_perplexity_in_per_cent():
    runs = [
        {"row": row, "seed": seed, "ppl": ppl, "bleu": bleu}
        for row, seed, ppl, bleu in [("base", 1, 4.0, 20.0), ("base", 0, 5.0, 21.0), ("mine", 2, 9.0, 9.0)]
    ]
    result = {"runs": [*runs, {"row": "mine", "seed": 0, "ppl": 5.5, "bleu": 23.0}]}
    assert stored.rows_of(result) == ["base", "mine"] and sorted(stored.runs_of(result, "mine")) == [0, 2]
    assert [round(x, 6) for x in stored.changes(result, "mine", "ppl")] == [10.0]
    assert stored.changes(result, "mine", "bleu") == [2.0] and stored.changes(result, "other", "bleu") == []


def test_the_interval_of_many_runs_is_that_of_the_next_smaller_number_in_the_table():
    half = [(ends[1] - ends[0]) / 2 for ends in (statistics.interval([-1.0, 1.0] * n) for n in (8, 10, 50))]
    sizes, factors = (16, 20, 100), (2.131, 2.131, 1.984)
    for width, n, factor in zip(half, sizes, factors, strict=True):
        assert math.isclose(width, factor * math.sqrt(n / (n - 1)) / math.sqrt(n))


def test_the_middle_of_many_values_leaves_the_same_share_out_on_either_side():
    values = torch.randperm(1001, generator=torch.Generator().manual_seed(2)).tolist()
    assert statistics.central(values) == (25, 975) and statistics.central(values, 0.5) == (250, 750)
    with pytest.raises(ValueError, match="There are 0 values"):
        statistics.central([])
