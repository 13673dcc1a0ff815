"""The benchmark of decoding: all rivals have the same work, and what it writes says what was measured."""

from pathlib import Path

import pytest
import torch
import toys

import transformer_core as tc
from benchmarks import decoding

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("width", [1, 3])
def test_no_sentence_of_an_endless_model_ends_before_the_limit(tmp_path: Path, width: int):
    path = decoding.saved("tiny", tmp_path)
    model = decoding.of_class(tc.load_pretrained(path).model, decoding.Endless)
    src = torch.tensor([[5, 6, 7, tc.EOS], [8, 9, 10, tc.EOS]])
    for found in tc.beam_search(model, src, width, 0.6, 4):
        assert len(found.ids) == 7 and tc.EOS not in found.ids


def test_a_ratio_is_that_of_one_round_and_its_quartiles_lie_around_it():
    taken = {"core fp32": [2.0, 4.0, 6.0], "other": [1.0, 1.0, 12.0]}
    found = decoding.row("D1", 1, "other", taken, work=10)
    assert found["times"] == 2.0 and found["rate"] == 10.0 and found["quartiles"][0] <= 2.0 <= found["quartiles"][2]
    assert decoding.row("D1", 1, "core fp32", taken, 10)["quartiles"] == [1.0, 1.0, 1.0]


def test_real_sentences_are_translated_whole_and_scored(tmp_path: Path):
    toys.write_corpus(tmp_path, n=7)
    for end in ("en", "de"):
        (tmp_path / f"train.{end}").rename(tmp_path / f"{decoding.TEST}.{end}")
    rows = list(decoding.translated(tmp_path, 1, tmp_path, 1))
    assert [one["name"] for one in rows][:3] == ["core fp32", "core bf16", "core int8"]
    assert rows[0]["same_as_fp32"] == 7 and rows[0]["times"] == 1.0
    assert all(one["rate"] > 0 and 0 <= one["bleu"] <= 100 for one in rows)
