"""Several numbers as a small table."""

import doctest
import re

import pytest

from viz import tables

ROWS = [{"layer": "RNN", "waits": 1200, "share": 0.123456}, {"layer": "<b>", "share": None, "whole": True}]


def test_the_example_is_what_comes() -> None:
    assert doctest.testmod(tables).failed == 0


def test_numbers_stand_at_the_right_with_three_digits_and_what_is_absent_is_empty() -> None:
    assert repr(tables.table(ROWS)).split("\n") == [
        "layer  waits  share  whole",
        "RNN    1,200  0.123",
        "<b>                  yes",
    ]


def test_every_cell_is_in_the_html_once_and_text_is_never_markup() -> None:
    page = tables.table(ROWS, caption="a & b")._repr_html_()
    assert re.findall(r"<td[^>]*>(.*?)</td>", page) == ["RNN", "1,200", "0.123", "", "&lt;b&gt;", "", "", "yes"]
    assert "<b>" not in page and "<caption>a &amp; b</caption>" in page


def test_a_table_of_nothing_says_what_it_needs() -> None:
    with pytest.raises(ValueError, match="at least one"):
        tables.table([])
