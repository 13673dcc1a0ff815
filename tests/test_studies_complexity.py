"""Table 1 measured: real layers against the formulas, and what the clock said."""

import pytest
from toys_complexity import timed_layers

from studies import complexity


@pytest.fixture
def result() -> dict:
    return timed_layers()


# ─── Counted ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_would_take_long_is_not_tried():
    found = complexity.measure_layers(["convolution"], n=4096, d=2048, k=3, r=5)["convolution"]
    assert found == {"multiply_adds": 3 * 4096 * 2048**2, "sequential": "not tried", "path": "not tried"}


# ─── Timed ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_the_clock_says_is_computed_from_what_was_measured(result):
    assert complexity.took(result, "self-attention", "LSTM", 6) == "took less time at n = 4, longer at n = 8"
    assert complexity.took(result, "LSTM", "self-attention", 6) == "took longer at n = 4, less time at n = 8"
    with pytest.raises(ValueError, match="Nothing was timed for 'GRU' with d = 6"):
        complexity.timed(result, "GRU", 6)
    result["rows"] += [row | {"layer": "convolution", "ms": 1.0} for row in result["rows"] if row["layer"] == "LSTM"]
    each = [complexity.waiting_cost(result, name, 6, 8) for name in ("convolution", "LSTM")]
    assert each == [1, pytest.approx(30 / 1 * (3 / 8))]


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        ([1, 1, 1, 1], "took less time at every n"),
        ([9, 9, 9, 9], "took longer at every n"),
        ([5, 5, 5, 5], "no clear difference"),
        ([1, 1, 5, 9], "took less time up to n = 8, longer at n = 32"),
        ([5, 5, 9, 9], "took longer from n = 16 on"),
        ([5, 1, 1, 5], "took less time at n = 8 to 16"),
    ],
)
def test_where_a_layer_took_less_time_is_said_for_every_length(ours, said):
    rows = [
        {"layer": name, "d": 6, "n": n, "ms": ms, "low": ms - 1, "high": ms + 1}
        for name, times in (("self-attention", ours), ("LSTM", 4 * [5]))
        for n, ms in zip((4, 8, 16, 32), times, strict=True)
    ]
    assert complexity.took({"rows": rows}, "self-attention", "LSTM", 6) == said
