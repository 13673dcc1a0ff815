"""Table 3 counted and run: formulas against real models, differences against the paper's, gradients by depth."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode
from toys_variations import ROWS, made, of, small_runs

import transformer_core as tc
from studies import variations

# facts.md, 3.3: change, perplexity, BLEU, million parameters, in the paper's order.
TRANSCRIBED = """
base 4.92 25.8 65 | h1 5.29 24.9 | h4 5.00 25.5 | h16 4.91 25.8 | h32 5.01 25.4 | dk16 5.16 25.1 58 | dk32 5.01 25.4 60
| N2 6.11 23.7 36 | N4 5.19 25.3 50 | N8 4.88 25.5 80 | d256 5.75 24.5 28 | d1024 4.66 26.0 168 | ff1024 5.12 25.4 53
| ff4096 4.75 26.2 90 | drop0.0 5.77 24.6 | drop0.2 4.95 25.5 | ls0.0 4.67 25.3 | ls0.2 5.47 25.7 | learned 4.92 25.7
| big 4.33 26.4 213
"""
# facts.md, 5: exact counts at V = 37,000, and the ends of the vocabularies that print the row, a row off at most.
EXACT = {
    "base": (63_045_632, 39_841, 41_794),
    "B-dk16": (55_967_744, 39_993, 41_946), "B-dk32": (58_327_040, 39_291, 41_244),
    "C-N2": (33_644_544, 40_624, 42_577), "C-N4": (48_345_088, 39_256, 41_209), "C-N8": (77_746_176, 40_425, 42_379),
    "C-d256": (26_816_512, 39_670, 43_576), "C-d1024": (163_815_424, 40_598, 41_575),
    "C-ff1024": (50_450_432, 41_003, 42_956), "C-ff4096": (88_236_032, 39_469, 41_422),
    "big": (214_171_648, 35_368, 36_344),
}  # fmt: skip


# ─── Table 3 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_printed_number_of_table_3_is_the_papers():
    lines = [line.split() for line in TRANSCRIBED.split("|")]
    assert len(lines) == len(variations.TABLE_3) == len(ROWS)
    for (name, ppl, bleu, *millions), (row, printed) in zip(lines, variations.TABLE_3.items(), strict=True):
        assert row.endswith(name)
        assert (printed.ppl, printed.bleu) == (float(ppl), float(bleu))
        assert [printed.millions] == ([int(count) for count in millions] or [None])
        assert printed.steps == (300_000 if row == "big" else 100_000)
    for row, (name, printed) in zip(variations.printed_rows(), variations.TABLE_3.items(), strict=True):
        assert (row["row"], row["million parameters"], row["steps"]) == (name, printed.millions, printed.steps)
        assert (float(row["perplexity"]), float(row["BLEU"])) == (printed.ppl, printed.bleu)
    assert tuple(variations.TABLE_3) == ROWS


@pytest.mark.parametrize("row", ROWS)
def test_the_formula_counts_what_the_real_model_has(row):
    for vocab_size in (37_000, 41_103):
        with torch.device("meta"):
            model = tc.Transformer(variations.config_of(row, vocab_size))
        assert variations.parameters(row, vocab_size) == tc.count_parameters(model)


def test_the_parts_are_those_of_the_real_modules():
    config = tc.TransformerConfig(29, n_layers=2, d_model=6, d_ff=10, n_heads=3, d_k=4, d_v=5, positions="learned")
    parts, model = variations.parameter_parts(config), tc.Transformer(config)
    of = {"attention": "attention.", "feed-forward": "feed_forward", "norms": "norm", "positions": "positions"}
    for part, name in {**of, "embedding": "src_embedding"}.items():
        assert parts[part] == sum(p.numel() for key, p in model.named_parameters() if name in key), part
    assert sum(parts.values()) == tc.count_parameters(model)


def test_counts_of_the_facts_and_the_vocabularies_that_would_explain_what_is_printed():
    for row, (count, low, high) in EXACT.items():
        assert variations.parameters(row, 37_000) == count
        start, end = variations.vocabularies(row)
        assert 0 <= start - low <= 1 and 0 <= end - high <= 1
        printed = variations.TABLE_3[row].millions
        rounds = [math.floor(variations.parameters(row, v) / 1e6 + 0.5) for v in (start - 1, start, end - 1, end)]
        assert rounds == [printed - 1, printed, printed, printed + 1]
    assert set(EXACT) == set(variations.COUNTED)


def test_one_vocabulary_explains_all_printed_counts_but_bigs_and_none_explains_that_too():
    small = [row for row in variations.COUNTED if row != "big"]
    low, high = variations.shared_vocabularies(small)
    assert len(small) == 10 and 41_003 <= low <= 41_004 and high == 41_209
    assert variations.shared_vocabularies(variations.COUNTED) is None
    near = [
        row
        for row in variations.COUNTED
        if abs(variations.parameters(row, 37_000) / 1e6 - variations.TABLE_3[row].millions) < 1
    ]
    assert near == []


def test_all_rows_of_a_have_equal_counts_and_equal_costs_and_so_have_those_of_d():
    same = [row for row in ROWS if row[0] in "AD"] + ["base"]
    assert len(same) == 4 + 4 + 1
    assert {variations.parameters(row, 37_000) for row in same} == {63_045_632}
    assert len({variations.cost_per_token(row, 31, 37_000) for row in same}) == 1


def test_rows_of_b_have_the_printed_counts_at_41_100():
    millions = {row: round(variations.parameters(row, 41_100) / 1e6, 1) for row in ("B-dk16", "B-dk32")}
    assert millions == {"B-dk16": 58.1, "B-dk32": 60.4}


@pytest.mark.parametrize("row", ROWS)
def test_multiply_adds_are_half_of_what_torchs_counter_sees_in_a_forward_pass(row):
    n_src, n_tgt, vocab_size = 7, 5, 1_003
    with torch.device("meta"):
        model = tc.Transformer(variations.config_of(row, vocab_size)).eval()
        src, tgt_in = (torch.ones(1, n, dtype=torch.long) for n in (n_src, n_tgt))
        with tc.record(model, "*.scores"), FlopCounterMode(display=False) as counter:  # watched: step by step
            model(src, tgt_in)
    assert counter.get_total_flops() == 2 * sum(variations.multiply_adds(row, n_src, n_tgt, vocab_size).values())


def test_the_cost_of_a_token_is_the_share_of_a_pair():
    pair = variations.multiply_adds("C-N2", 9, 9, 100)
    assert 9 * variations.cost_per_token("C-N2", 9, 100) == sum(pair.values())


def test_the_code_shown_makes_the_row_and_the_line_shown_is_the_cores():
    source = Path(tc.__file__).read_text(encoding="utf-8")
    base = tc.TransformerConfig(100)
    for row in ROWS:
        assert f"\n    {variations.line_of(row)}\n" in source
        made = base if row == "base" else eval(variations.code_of(row), {"base": base, "replace": replace})
        assert made == variations.config_of(row, 100)
    assert variations.line_of("C-d256") != variations.line_of("D-drop0.0") != variations.line_of("D-ls0.0")


def test_a_row_that_is_not_there_or_not_counted_is_refused():
    with pytest.raises(ValueError, match="no row 'F'; choose one of base, A-h1"):
        variations.config_of("F", 100)
    with pytest.raises(ValueError, match="no parameter count for 'A-h1'; it does for base, B-dk16"):
        variations.vocabularies("A-h1")


# ─── The small runs ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def result() -> dict:
    return small_runs()


def test_differences_are_paired_by_seed_and_a_sign_is_claimed_only_outside_the_interval(result):
    found = {one.row: one for one in variations.differences(result, "ppl")}
    assert list(found) == ["A-h1", "C-N2", "D-drop0.0"]  # the table's order
    assert found["C-N2"].mean == pytest.approx(10.1) and found["C-N2"].n == 3
    half = 4.303 * 0.1 / math.sqrt(3)
    assert (found["C-N2"].low, found["C-N2"].high) == (pytest.approx(10.1 - half), pytest.approx(10.1 + half))
    assert {row: one.verdict for row, one in found.items()} == {
        "A-h1": "open", "C-N2": "same", "D-drop0.0": "opposite",
    }  # fmt: skip
    assert found["C-N2"].paper == pytest.approx(100 * (6.11 / 4.92 - 1), abs=0.01)
    assert variations.difference(result, "C-N2", "bleu").mean == pytest.approx(-5)
    assert variations.difference(result, "C-N2", "bleu").paper == pytest.approx(-2.1)


def test_one_run_claims_no_sign_and_other_seeds_are_no_pair():
    one = variations.difference(made(of("base", 0, 2.0, 50), of("A-h4", 0, 3.0, 40)), "A-h4", "bleu")
    assert (one.low, one.sign, one.verdict, one.n) == (None, 0, "open", 1)
    with pytest.raises(ValueError, match="No run of 'A-h4' has the seed of a run of 'base'"):
        variations.difference(made(of("base", 0, 2.0, 50), of("A-h4", 1, 3.0, 40)), "A-h4", "bleu")
    with pytest.raises(ValueError, match="no run of 'A-h4'; there are base"):
        variations.difference(made(of("base", 0, 2.0, 50)), "A-h4", "bleu")
    with pytest.raises(ValueError, match="measure is 'loss'; choose one of ppl, bleu"):
        variations.difference(made(of("base", 0, 2.0, 50)), "base", "loss")


def test_where_the_papers_numbers_are_no_further_apart_than_rounding_there_is_no_direction_to_share(result):
    runs = [of(row, seed, 1.0, 70.0 + seed) for row in ROWS if row != "base" for seed in range(3)]
    more = made(*(run for run in result["runs"] if run["row"] == "base"), *runs)
    one = variations.difference(more, "A-h16", "bleu")
    assert (one.paper, one.sign, one.verdict) == (0, 1, "paper: even")
    assert variations.tally(more, "ppl")["paper: even"] == ["A-h16", "E-learned"]  # 4.91 and 4.92 beside 4.92
    assert variations.tally(more, "bleu")["paper: even"] == ["A-h16", "D-ls0.2", "E-learned"]  # 25.7 beside 25.8
    assert variations.difference(result, "pre-LN", "bleu").verdict == "not in paper"


def test_what_is_told_in_words_has_the_verdict_and_the_papers_number(result):
    ppl, bleu = variations.in_words(result, "D-drop0.0")
    assert ppl.endswith("the opposite direction") and "paper +17.3 % perplexity" in ppl
    assert bleu.startswith("+10.0 BLEU") and variations.in_words(result, "big") == []
    rows = variations.difference_rows(result)
    assert len(rows) == 3 and "same" in rows[1].values() and "−5.0 ± 0.0" in rows[1].values()
    assert variations.tally(result, "ppl") == {"open": ["A-h1"], "same": ["C-N2"], "opposite": ["D-drop0.0"]}
    assert "21 runs, seeds [0, 1, 2], 10 processor minutes" in variations.made_by(result)


def test_a_run_made_here_is_told_beside_the_stored_one(result):
    again = made(of("C-N2", 0, 2.5, 44.0))
    assert variations.in_a_line(again, result).endswith("perplexity 2.500, BLEU 44.0 (stored: 2.200, 45.0)")
    assert variations.in_a_line(made(of("big", 0, 2.5, 44.0)), result).endswith("BLEU 44.0")


# ─── Gradients before the first step ─────────────────────────────────────────────────────────────────────────────────


def test_gradients_are_those_of_every_layer_and_leave_the_random_state_alone(one_thread):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    found = variations.gradient_norms("pre", 3, half_gain=False, seeds=1)
    assert torch.equal(torch.get_rng_state(), before)
    assert {stack: len(norms) for stack, norms in found.items()} == {"encoder": 3, "decoder": 3}
    assert found == variations.gradient_norms("pre", 3, half_gain=False, seeds=1)


def test_post_ln_with_plain_xavier_has_its_large_gradients_near_the_output_and_pre_ln_has_not(one_thread):
    post, pre, half = (
        variations.gradient_norms(norm, 8, half_gain, seeds=2)["decoder"]
        for norm, half_gain in variations.SETTINGS.values()
    )
    assert post[-1] > 5 * post[0] and post[-1] > 2 * pre[-1]
    assert pre[0] < 3 * pre[-1] and half[0] < 3 * half[-1] and pre[-1] < 3 * pre[0] and half[-1] < 3 * half[0]


def test_at_twelve_layers_only_post_ln_s_decoder_with_plain_xavier_tilts_tenfold(one_thread):
    norms = {name: by_depth["12"] for name, by_depth in variations.gradients_by_depth((12,))["settings"].items()}
    tilts = {name: stacks["decoder"][-1] / stacks["decoder"][0] for name, stacks in norms.items()}
    assert tilts["post-LN"] > 10 and norms["post-LN"]["decoder"][-1] > 2 * norms["pre-LN"]["decoder"][-1]
    assert 0.5 < tilts["pre-LN"] < 1 and 0.5 < tilts["post-LN, half gain"] < 1
    assert 0.8 < norms["post-LN"]["encoder"][-1] / norms["post-LN"]["encoder"][0] < 1.25


def test_at_37_000_no_printed_count_is_within_a_million_and_at_41_100_all_but_big_s_are_met():
    for row in variations.COUNTED:
        printed = variations.TABLE_3[row].millions
        assert abs(variations.parameters(row, 37_000) / 1e6 - printed) >= 1
        assert (round(variations.parameters(row, 41_100) / 1e6) == printed) == (row != "big")
    assert variations.shared_vocabularies(variations.COUNTED) is None


def test_learned_positions_add_two_tables_of_256_rows():
    assert variations.parameters("E-learned", 37_000) - variations.parameters("base", 37_000) == 2 * 256 * 512
