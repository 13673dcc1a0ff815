"""The screen at the end of a training says how it went, and nothing that its log does not."""

from __future__ import annotations

from pathlib import Path

import pytest
import toys

from core_options import report


@pytest.mark.parametrize(
    "values, drawn", [([1.0], "▁"), ([2.0, 2.0], "▁▁"), ([0, 7], "▁█"), ([0, 1, 2, 3, 4, 5, 6, 7], report.BARS)]
)
def test_a_curve_goes_from_the_lowest_to_the_highest(values: list[float], drawn: str) -> None:
    assert report.curve(values) == drawn


def test_a_long_curve_is_drawn_by_means() -> None:
    drawn = report.curve([*range(1000)])
    assert len(drawn) == report.WIDTH and drawn == "".join(sorted(drawn)) and set(drawn) == set(report.BARS)


def rows(*nlls: float) -> list[dict]:
    return [dict(step=10 * i, valid_nll=nll, valid_bleu=9 - nll) for i, nll in enumerate(nlls, 1)]


@pytest.mark.parametrize(
    "nlls, words",
    [
        ((), "beside its text"),
        ((3, 2, 1), "still getting better"),
        ((3, 1, 2, 3, 4), "lowest at step 20, and since then it learns by heart"),
        ((5, 4, 3, 2, 2.1), "lowest at step 40, near the end"),
    ],
)
def test_what_to_try_next_follows_from_where_the_best_validation_lies(nlls: tuple[float, ...], words: str) -> None:
    assert words in report.advice(rows(*nlls), "out")


def test_a_run_ends_with_its_curves_its_best_score_and_three_translations(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data", n_valid=7)
    done = toys.command(*toys.train_arguments(data, tmp_path / "run"))
    screen = done.err[done.err.index("nll, training") :]
    assert screen.count("\n→ ") == screen.count("\n= ") == 3 and "BLEU, validation" in screen and "Best: BLEU" in screen
    for line in screen.splitlines():
        if line.startswith("= "):
            assert line[2:] in (data / "valid.de").read_text().splitlines()


def test_a_run_without_validation_text_says_what_it_lacks(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    for name in ("valid.en", "valid.de"):
        (data / name).unlink()
    done = toys.command(*toys.train_arguments(data, tmp_path / "run"))
    assert done.status == 0 and "valid.SRC and valid.TGT" in done.err and "→" not in done.err
