"""Table 2 as printed, its claims, and the arithmetic of training: against the facts and torch's own counter."""

from dataclasses import replace
from decimal import Decimal

import pytest
import torch

import transformer_core as tc
from studies import results

# The ten rows of Table 2 as the paper prints them.
PRINTED = """
ByteNet                    | 23.75 |       |        |
Deep-Att + PosUnk          |       | 39.2  |        | 1.0e20
GNMT + RL                  | 24.6  | 39.92 | 2.3e19 | 1.4e20
ConvS2S                    | 25.16 | 40.46 | 9.6e18 | 1.5e20
MoE                        | 26.03 | 40.56 | 2.0e19 | 1.2e20
Deep-Att + PosUnk ensemble |       | 40.4  |        | 8.0e20
GNMT + RL ensemble         | 26.30 | 41.16 | 1.8e20 | 1.1e21
ConvS2S ensemble           | 26.36 | 41.29 | 7.7e19 | 1.2e21
Transformer (base)         | 27.3  | 38.1  | 3.3e18 | 3.3e18
Transformer (big)          | 28.4  | 41.8  | 2.3e19 | 2.3e19
"""


# ─── Table 2 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_table_2_has_its_ten_rows_exactly_as_printed():
    rows = [[cell.strip() for cell in line.split("|")] for line in PRINTED.strip().splitlines()]
    assert [[row.model, row.de[0], row.fr[0], row.de[1], row.fr[1]] for row in results.TABLE_2] == rows


def test_only_the_transformer_s_cost_is_shared_by_both_languages_and_blanks_are_blank():
    for row in results.TABLE_2:
        same = row.de[1] == row.fr[1] != ""
        assert same == (row.kind == "Transformer"), row.model
    rows = results.table_2_rows()
    assert [*rows[-2].values()][3:] == ["3.3·10¹⁸ (both)", ""]
    assert [*rows[0].values()] == ["ByteNet", "23.75", "", "", ""]


def test_claims_are_worked_out_from_the_rows_and_turn_with_them():
    found = {claim.says: claim for claim in results.claims()}
    sums = [claim.arithmetic for claim in found.values()]
    assert sums[0] == "28.4 − 26.36 = 2.04 > 2.0" and sums[1] == "27.3 − 26.36 = 0.94 > 0"
    assert sums[4] == "2.3·10¹⁹ / 1.2·10²⁰ = 0.19 < 0.25" and sums[5] == "38.1 − 39.2 = −1.1 < 0"
    assert [claim.holds for claim in found.values()] == [True] * 5 + [False]
    assert [claim.claimed for claim in found.values()] == [True] * 5 + [False]
    better = [replace(row, de=("26.40", row.de[1])) if row.model == "MoE" else row for row in results.TABLE_2]
    first = results.claims(better)[0]
    assert (first.theirs, first.arithmetic, first.holds) == ("MoE", "28.4 − 26.40 = 2.00 = 2.0", False)


def test_in_english_french_the_base_model_is_below_every_rival():
    base = next(row for row in results.TABLE_2 if row.model == "Transformer (base)")
    assert all(row.bleu("fr") > base.bleu("fr") for row in results.rivals(results.TABLE_2, "fr"))
    assert all(row.bleu("de") < base.bleu("de") for row in results.rivals(results.TABLE_2, "de"))


def test_with_41_0_the_big_model_stays_above_every_single_model_and_falls_below_one_ensemble():
    single = results.rivals(results.TABLE_2, "fr", ["single"])[0]
    ensemble = results.rivals(results.TABLE_2, "fr")[0]
    for printed in ("41.8", "41.0"):
        gaps = [Decimal(printed) - row.bleu("fr") for row in (single, ensemble)]
        assert gaps[0] > 0 and (gaps[1] > 0) == (printed == "41.8")


def test_convs2s_cost_2_9_times_the_base_model():
    costs = {row.model: row.cost("de") for row in results.TABLE_2}
    assert f"{costs['ConvS2S'] / costs['Transformer (base)']:.1f}" == "2.9"


def test_every_claim_of_the_paper_holds_and_what_it_does_not_claim_does_not():
    assert all(claim.holds == claim.claimed for claim in results.claims())


def test_a_claim_about_blank_cells_or_missing_rows_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="no language 'it' in Table 2; choose from de, fr"):
        results.TABLE_2[0].bleu("it")
    with pytest.raises(ValueError, match=r"No row of kind ensemble has a BLEU for English-German; pass all of TABLE_2"):
        results.rivals(results.TABLE_2[:4], "de", ["ensemble"])
    unpriced = [replace(row, fr=(row.fr[0], "")) if row.model == "MoE" else row for row in results.TABLE_2]
    with pytest.raises(ValueError, match="MoE has no cost for English-French"):
        results.claims(unpriced)
    with pytest.raises(ValueError, match=r"The claims are about Transformer \(big\); pass all of TABLE_2"):
        results.claims(results.TABLE_2[:-1])
    with pytest.raises(ValueError, match=r"mine has 'much' in a cell; write a number"):
        results.Row("mine", "yours", de=("much", "")).bleu("de")


# ─── The cost of training ────────────────────────────────────────────────────────────────────────────────────────────


def test_table_2_s_two_costs_are_hours_times_gpus_times_sustained_tflops():
    found = {}
    for model, run in results.PAPER_RUNS.items():
        by_steps = run.steps * run.seconds / 3600
        found[model] = [results.training_cost(hours, 8, results.SUSTAINED["P100"]) for hours in (run.hours, by_steps)]
        assert float(f"{found[model][0]:.1e}") == float(run.printed)
    assert found["base"] == [pytest.approx(3.2832e18), pytest.approx(3.040e18)]
    assert found["big"] == [pytest.approx(2.29824e19), pytest.approx(2.280e19)]
    base, big = (run.steps * run.seconds / 3600 for run in results.PAPER_RUNS.values())
    assert (round(base, 2), round(big, 2)) == (11.11, 83.33)


@pytest.mark.parametrize("model, step, share", [("base", 9.45e12, 0.31), ("big", 3.21e13, 0.42)])
def test_the_arithmetic_of_a_step_and_its_share_of_the_hardware_are_those_of_the_fact_sheet(model, step, share):
    flop = results.step_arithmetic(results.matmul_weights(tc.TransformerConfig(37_000, **tc.PRESETS[model])))
    assert flop == pytest.approx(step, rel=1e-3)
    available = results.PAPER_RUNS[model].seconds * 8 * results.SUSTAINED["P100"] * 1e12
    assert flop / available == pytest.approx(share, abs=0.005)


@pytest.mark.parametrize("changes", [{}, dict(n_layers=3, d_k=5, d_v=7, n_heads=2)], ids=str)
def test_torch_counts_six_flop_for_each_weight_and_token_and_attention_s_squares_besides(changes):
    config = tc.TransformerConfig(301, **dict(n_layers=2, d_model=24, d_ff=40, n_heads=4, d_k=6, d_v=6) | changes)
    for n in (7, 20):
        counted, squares = results.counted_arithmetic(config, n)
        assert counted == results.step_arithmetic(results.matmul_weights(config), n) + squares
        assert squares == 3 * (3 * config.n_layers) * 2 * n**2 * config.n_heads * (config.d_k + config.d_v)


@pytest.mark.parametrize("model", ["base", "big"])
def test_of_sentences_of_25_tokens_torch_counts_the_formula_and_less_than_one_per_cent_of_attention(model):
    config = tc.TransformerConfig(37_000, **tc.PRESETS[model])
    counted, squares = results.counted_arithmetic(config, 25)
    formula = results.step_arithmetic(results.matmul_weights(config), tokens=25)
    assert counted == formula + squares and squares < 0.01 * formula


def test_at_30_per_cent_of_its_data_sheet_one_h100_makes_the_base_run_in_less_than_an_hour():
    step = results.step_arithmetic(results.matmul_weights(tc.TransformerConfig(37_000, **tc.PRESETS["base"])))
    assert results.seconds_on(results.PAPER_RUNS["base"].steps * step, 1, 989, 0.3) < 3600


def test_weights_are_all_parameters_but_biases_and_norms():
    config = tc.TransformerConfig(50, n_layers=1, d_model=8, d_ff=12, n_heads=2, d_k=3, d_v=5)
    with torch.device("meta"):
        every = tc.count_parameters(tc.Transformer(config))
    biases, norms = 2 * (12 + 8), 5 * 2 * 8
    assert results.matmul_weights(config) == every - biases - norms


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match=r"0 hours, 8 GPUs and 9\.5 TFLOPS; each must be above 0"):
        results.training_cost(0, 8, 9.5)
    with pytest.raises(ValueError, match="at a share of 0: each must be above 0"):
        results.seconds_on(1e18, 1, 312, 0)
    with pytest.raises(ValueError, match=r"No step of 'big' was measured; there are tiny"):
        results.measured_machine({"steps": {"tiny": {}}}, "big")
