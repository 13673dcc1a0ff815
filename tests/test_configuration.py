"""Configuration: Table 3 row by row, and what a shape may not be."""

from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest
import torch

import transformer_core as tc

V = 37_000
BASE = 63_045_632
PARAMETERS = {
    **dict.fromkeys(("base", "A-h1", "A-h4", "A-h16", "A-h32"), BASE),
    "B-dk16": 55_967_744,
    "B-dk32": 58_327_040,
    "C-N2": 33_644_544,
    "C-N4": 48_345_088,
    "C-N8": 77_746_176,
    "C-d256": 26_816_512,
    "C-d1024": 163_815_424,
    "C-ff1024": 50_450_432,
    "C-ff4096": 88_236_032,
    **dict.fromkeys(("D-drop0.0", "D-drop0.2", "D-ls0.0", "D-ls0.2"), BASE),
    "E-learned": 63_307_776,
    "big": 214_171_648,
}


def n_parameters(**row: Any) -> int:
    with torch.device("meta"):
        return tc.count_parameters(tc.Transformer(tc.TransformerConfig(**row)))


def test_table_3_has_the_papers_rows_in_the_papers_order():
    assert list(tc.PAPER_TABLE_3) == list(PARAMETERS)


@pytest.mark.parametrize("row", PARAMETERS)
def test_every_row_of_table_3_has_exactly_its_parameters(row):
    assert n_parameters(vocab_size=V, **tc.PAPER_TABLE_3[row]) == PARAMETERS[row]


@pytest.mark.parametrize(
    "untied, count",
    [
        (dict(tie_softmax=False), 81_989_632),
        (dict(tgt_vocab_size=V), 81_989_632),
        (dict(tgt_vocab_size=V, tie_softmax=False), 100_933_632),
    ],
)
def test_each_matrix_of_its_own_adds_a_vocabulary_times_d_model(untied, count):
    assert n_parameters(vocab_size=V, **untied) == count


def test_the_defaults_are_the_papers_base_model():
    base = tc.TransformerConfig(vocab_size=V)
    shape = (base.n_layers, base.d_model, base.d_ff, base.n_heads, base.d_k, base.d_v, base.p_drop, base.eps_ls)
    assert shape == (6, 512, 2048, 8, 64, 64, 0.1, 0.1)
    assert (base.positions, base.norm, base.window, base.tgt_vocab_size) == ("sinusoidal", "post", None, None)


def test_the_columns_of_table_3_come_in_its_order():
    names = [field.name for field in fields(tc.TransformerConfig)]
    assert names[:9] == ["vocab_size", "n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "p_drop", "eps_ls"]


def test_rows_a_keep_heads_times_width_at_d_model():
    for row in ("A-h1", "A-h4", "base", "A-h16", "A-h32", "big"):
        config = tc.TransformerConfig(vocab_size=V, **tc.PAPER_TABLE_3[row])
        assert config.n_heads * config.d_k == config.n_heads * config.d_v == config.d_model, row


def test_rows_d_big_and_the_parser_have_their_dropout_and_smoothing_and_all_others_the_papers():
    configs = {name: tc.TransformerConfig(9, **row) for name, row in tc.PRESETS.items()}
    special = {
        "D-drop0.0": (0.0, 0.1), "D-drop0.2": (0.2, 0.1), "D-ls0.0": (0.1, 0.0), "D-ls0.2": (0.1, 0.2),
        "big": (0.3, 0.1), "parser": (0.2, 0.1),
    }  # fmt: skip
    rows = {name: (config.p_drop, config.eps_ls) for name, config in configs.items()}
    assert rows == dict.fromkeys(tc.PRESETS, (0.1, 0.1)) | special


def test_the_presets_are_table_3_two_small_ones_and_the_parser():
    assert set(tc.PRESETS) == {*tc.PAPER_TABLE_3, "tiny", "small", "parser"}
    assert {name: tc.PRESETS[name] for name in tc.PAPER_TABLE_3} == tc.PAPER_TABLE_3
    tiny = tc.TransformerConfig(vocab_size=V, **tc.PRESETS["tiny"])
    assert (tiny.n_layers, tiny.d_model, tiny.d_ff, tiny.n_heads, tiny.d_k, tiny.d_v) == (4, 128, 256, 4, 32, 32)
    small = tc.TransformerConfig(vocab_size=8000, **tc.PRESETS["small"])
    assert (small.n_layers, small.n_heads, small.d_model, small.d_k, small.d_ff) == (6, 8, 256, 32, 1024)
    assert n_parameters(vocab_size=8000, **tc.PRESETS["small"]) / 1e6 == pytest.approx(13.1, abs=0.05)
    parser = tc.TransformerConfig(vocab_size=16_000, **tc.PRESETS["parser"])
    assert (parser.n_layers, parser.d_model, parser.n_heads * parser.d_k, parser.d_ff) == (4, 1024, 1024, 2048)


@pytest.mark.parametrize(
    "field, wrong, need",
    [(name, wrong, "at least 1") for name in ("vocab_size", "n_layers", "d_model", "d_ff") for wrong in (0, -3, None)]
    + [
        (name, wrong, "whole number")
        for name in ("n_heads", "d_k", "d_v", "max_len")
        for wrong in (2.0, "2", None, True)
    ]
    + [
        (name, wrong, "from 0 to below 1")
        for name in ("p_drop", "eps_ls")
        for wrong in (-0.1, 1, 1.5, float("nan"), "0.1")
    ]
    + [("positions", wrong, "'sinusoidal' or 'learned'") for wrong in ("rotary", None)]
    + [("norm", wrong, "'post' or 'pre'") for wrong in ("Pre", 0)]
    + [("window", wrong, "odd") for wrong in (0, 4, -1, 2.5, "3")]
    + [("tgt_vocab_size", wrong, "at least 1") for wrong in (0, -5, 2.5, "9")]
    + [("d_model", 511, "even")],
)
def test_a_wrong_value_gives_one_sentence_with_field_value_and_need(field, wrong, need):
    with pytest.raises(ValueError) as refusal:
        tc.TransformerConfig(**{"vocab_size": 9, field: wrong})
    sentence = str(refusal.value)
    assert sentence.startswith(f"{field} is ") and str(wrong) in sentence and need in sentence
    assert "\n" not in sentence and sentence.endswith(".")


def test_learned_positions_allow_an_odd_width():
    assert n_parameters(vocab_size=9, d_model=7, positions="learned") > 0


def test_a_configuration_does_not_change_but_a_variation_is_one_line():
    base = tc.TransformerConfig(vocab_size=9)
    with pytest.raises(FrozenInstanceError):
        base.n_heads = 1  # type: ignore[misc]
    assert replace(base, n_heads=1, d_k=512, d_v=512).n_heads == 1 and base.n_heads == 8
    with pytest.raises(ValueError, match="n_heads is 0"):
        replace(base, n_heads=0)
