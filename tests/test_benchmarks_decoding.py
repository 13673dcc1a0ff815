"""What a lower precision costs and wins: every way translates the same lines, and each ratio is that of one round."""

from pathlib import Path

import pytest
import toys

from benchmarks import decoding

pytestmark = pytest.mark.usefixtures("one_thread")


def test_a_ratio_is_that_of_one_round_and_its_quartiles_lie_around_it():
    taken = {"core fp32": [2.0, 4.0, 6.0], "other": [1.0, 1.0, 12.0]}
    found = decoding.row(1, 1, "other", taken, 35)
    assert found["times"] == 2.0 and found["rate"] == 2.5 and found["quartiles"][0] <= 2.0 <= found["quartiles"][2]
    assert decoding.row(1, 1, "core fp32", taken, 35)["quartiles"] == [1.0, 1.0, 1.0]


def test_real_sentences_are_translated_whole_and_scored(tmp_path: Path):
    toys.write_corpus(tmp_path, n=7)
    for end in ("en", "de"):
        (tmp_path / f"train.{end}").rename(tmp_path / f"{decoding.TEST}.{end}")
    rows = list(decoding.translated(tmp_path, 1, tmp_path, 1))
    assert [one["name"] for one in rows][:3] == ["core fp32", "core bf16", "core int8"]
    assert rows[0]["same_as_fp32"] == 7 and rows[0]["times"] == 1.0
    assert all(one["rate"] > 0 and 0 <= one["bleu"] <= 100 for one in rows)
