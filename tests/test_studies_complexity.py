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
    assert complexity.faster_until(result, "self-attention", "LSTM", 6) == 4
    assert complexity.faster_until(result, "LSTM", "self-attention", 6) == 0
    with pytest.raises(ValueError, match="Nothing was timed for 'GRU' with d = 6"):
        complexity.timed(result, "GRU", 6)
    result["rows"] += [row | {"layer": "convolution", "ms": 1.0} for row in result["rows"] if row["layer"] == "LSTM"]
    each = [complexity.waiting_cost(result, name, 6, 8) for name in ("convolution", "LSTM")]
    assert each == [1, pytest.approx(30 / 1 * (3 / 8))]
