"""Context-aware self-attention: what a gate mixes, counts against the formula, printed tables, our runs."""

from dataclasses import replace

import pytest
import torch
from toys_context import RESULT, run, translator_with

import transformer_core as tc
from core_options import context_aware
from core_options.context_aware import ContextConfig, ContextTransformer
from studies import context

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return translator_with()


# ─── What the gate mixes ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "options", [{}, {"context": "global"}, {"context_gate": "each"}, {"context": "deep", "context_on": "k"}]
)
def test_mixing_by_the_models_own_gates_gives_the_models_own_scores_and_weights(options):
    found_by = translator_with(**options)
    src = found_by.source(["the king fed the old dog ."])
    with tc.evaluating(found_by.model), tc.record(found_by.model, "encoder.*.self_attention.*") as trace:
        found_by.model.encode(src)
    found = context.read(found_by, "the king fed the old dog .")
    for layer in range(3):
        for head in range(3):
            gates = found.gates[0, layer, ..., head % found.gates.size(-1)]
            scores, weights = context.mixed_attention(found.mixed[0, layer, :, head], gates)
            core = f"encoder.{layer}.self_attention"
            torch.testing.assert_close(scores, trace[f"{core}.scores"][0, head])
            torch.testing.assert_close(weights, trace[f"{core}.weights"][0, head])


def test_with_lambda_0_on_every_gate_the_model_is_the_baseline_to_the_bit(translator):
    plain = ContextTransformer(replace(translator.model.config, context=None))
    missing = plain.load_state_dict(translator.model.state_dict(), strict=False)
    assert not missing.missing_keys
    src, tgt_in = translator.source(["the king fed the old dog ."]), torch.tensor([[tc.BOS, 6, 7]])
    with tc.evaluating(plain), tc.evaluating(translator.model):
        with tc.intervene(translator.model, "*.gate", lambda gate: 0 * gate):
            closed = translator.model(src, tgt_in)
        assert torch.equal(closed, plain(src, tgt_in)) and not torch.equal(translator.model(src, tgt_in), closed)


def test_a_third_word_moves_a_pairs_first_score_only_with_context(translator):
    n_moved = 0
    for query, key in ((2, 5), (0, 3), (4, 4)):
        scores = context.pair_scores(translator, "the king|queen fed the old dog .", query, key)
        assert scores["without"].shape == (2, 3) and torch.equal(*scores["without"])
        n_moved += sum(int((scores[name][0] != scores[name][1]).sum()) for name in ("half", "own"))
    assert n_moved == 18
    own = context.pair_scores(translator, "the king|queen fed the old dog .", 1, 5)["without"]
    assert not torch.equal(*own)  # the changed word itself is another word


def test_a_layer_or_side_without_context_has_no_gate_and_says_so():
    found = context.read(translator_with(context="deep", context_on="k"), "the king fed the old dog .")
    assert found.has == [{"q": False, "k": False}, {"q": False, "k": True}, {"q": False, "k": True}]
    assert found.gates[:, 0].eq(0).all() and torch.equal(found.mixed[:, 1:, 0], found.mixed[:, 1:, 1])


def test_gates_lie_between_0_and_1_and_serve_every_feature_or_every_head(translator):
    one = context.read(translator, "the king fed the old dog .").gates
    each = context.read(translator_with(context_gate="each"), "the king fed the old dog .").gates
    assert one.shape[-1] == 1 and each.shape[-1] == 3
    assert all(gates.gt(0).all() and gates.lt(1).all() for gates in (one, each))


def test_alternatives_are_read_and_what_is_none_is_refused(translator):
    assert context.alternatives(" a b|c. d ") == [("b", "a b. d"), ("c", "a c. d")]
    assert context.alternatives("a b") == [("", "a b")]
    for text, said in (
        ("", "at least one word"),
        ("a|b c|d", "one word with 2 to 6 alternatives"),
        ("a| b", "such as old|young"),
    ):
        with pytest.raises(ValueError, match=said.replace("|", r"\|")):
            context.alternatives(text)
    with pytest.raises(ValueError, match="different numbers of tokens"):
        context.read(translator, "the king|kingqueenxyz fed the dog .")
    with pytest.raises(ValueError, match="more than the 24 shown"):
        context.read(translator, "the king " * 20)
    with pytest.raises(ValueError, match="choose from 0 to"):
        context.pair_scores(translator, "the king fed the dog .", 2, 90)


# ─── What a context is made of ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["global", "deep", "deep-global", "deep-global+deep", "global+deep+deep-global"])
def test_the_drawn_width_is_the_cores_in_every_layer(name):
    config = ContextConfig(9, n_layers=4, d_model=8, d_ff=8, n_heads=2, d_k=4, d_v=4, context=name)
    for layer in range(4):
        assert 8 * len(context.segments(name, layer)) == context_aware.d_context(config, layer)


def test_what_a_mean_reads_is_what_the_cores_mean_reads():
    x, real = torch.randn(1, 4, 3, generator=torch.Generator().manual_seed(1)), [1, 1, 1, 0]
    padding = torch.tensor(real, dtype=torch.bool)[None, None, None]
    for causal in (False, True):
        mask = padding & tc.causal_mask(4) if causal else padding
        core = context_aware.mean(x, mask, None)[0]
        for position in range(3):
            own = x[0, torch.tensor(context.seen(real, position, causal))].mean(0)
            torch.testing.assert_close(core[position], own)


# ─── What is printed ─────────────────────────────────────────────────────────────────────────────────────────────────


# The rows of the slides: number, params, train, decode, BLEU; then the main results, blanks as dots.
PRINTED = """1 88.0 1.28 1.52 27.31
2 91.0 1.26 1.50 27.96
3 99.0 1.25 1.48 28.15
4 95.9 1.18 1.38 28.01
5 106.9 1.16 1.36 28.26
6 99.0 1.23 1.44 27.94
7 106.9 1.15 1.35 28.02
8 125.8 1.04 1.20 28.16"""
MAIN = """. . . 65 . 27.30
. . . 213 . 28.40
. . 24.20 . . .
107.9 1.21 24.13 88.0 1.28 27.31
126.8 1.10 24.67 106.9 1.16 28.26
303.9 0.58 24.56 264.1 0.61 28.58
379.4 0.41 25.15 339.6 0.44 28.89"""


def test_the_tables_are_as_printed():
    rows = [[str(row.number), row.millions, row.train, row.decode, row.bleu] for row in context.ABLATION]
    assert rows == [line.split() for line in PRINTED.splitlines()]
    sides = [(row.side, row.context) for row in context.ABLATION]
    both = "deep-global+deep"
    assert sides == [
        ("", ""), ("encoder", "global"), ("encoder", "deep-global"), ("encoder", "deep"), ("encoder", both),
        ("decoder", "deep-global"), ("decoder", both), ("both", both),
    ]  # fmt: skip
    cells = [[cell or "." for cell in (*row.zh_en, *row.en_de)] for row in context.MAIN_RESULTS]
    assert cells == [line.split() for line in MAIN.splitlines()]
    assert [row.better for row in context.MAIN_RESULTS] == ["", "", "", "", "zh_en en_de", "", "zh_en"]
    assert context.QUERY_KEY == {
        "base": "25.84",
        "queries and keys": "26.42",
        "keys only": "26.36",
        "queries only": "26.20",
    }


def test_the_best_of_each_table_is_marked_and_hassans_model_is_there():
    marked = [row for row in context.ablation_rows() if "◀" in row["BLEU"]]
    assert len(marked) == 1 and (marked[0]["#"], marked[0]["where"]) == (5, "encoder")
    lines = [" ".join(row.values()) for row in context.main_rows()]
    assert sum(line.count("◀") for line in lines) == 2 and lines[-1].count("◀") == 2
    assert next(line for line in lines if line.startswith("Hassan et al. (2018) big")).split()[-1] == "24.20"
    assert sum(line.count("↑") for line in lines) == 3


def test_every_reading_of_the_tables_holds_with_its_arithmetic():
    sums = {one.says: (one.arithmetic, one.holds) for one in context.claims()}
    assert all(holds for _, holds in sums.values())
    assert sums["context in the encoder alone beats context on both sides"][0] == "28.26 − 28.16 = 0.10"
    assert sums["keys gain more than queries"][0] == "0.52 > 0.36"
    assert sums["it costs about a tenth of the speed"][0] == "training −9.4%, decoding −10.5%"


INCREMENTS = {
    ("global", 512): (3_145_728, 12_288), ("deep", 512): (7_864_320, 10_240),
    ("deep-global", 512): (11_010_048, 12_288), ("deep-global+deep", 512): (18_874_368, 12_288),
    ("global", 1024): (12_582_912, 24_576), ("deep", 1024): (31_457_280, 20_480),
    ("deep-global", 1024): (44_040_192, 24_576), ("deep-global+deep", 1024): (75_497_472, 24_576),
}  # fmt: skip


@pytest.mark.parametrize(("which", "wanted"), INCREMENTS.items(), ids=str)
def test_counted_on_real_modules_the_increments_are_those_of_the_formula(which, wanted):
    name, d_model = which
    assert (
        context.added_parameters(name, "encoder", d_model)
        == context.added_parameters(name, "decoder", d_model)
        == wanted
    )
    assert context.u_parameters(name, 6, d_model) == wanted[0]
    assert context.added_parameters(name, "both", d_model) == tuple(2 * part for part in wanted)


def test_one_baseline_explains_every_printed_size_but_the_global_rows():
    rest = [row for row in context.ABLATION if row.context != "global"]
    assert [round(end, 3) for end in context.base_range(rest, gates=False)] == [88.001, 88.040]
    assert [round(end, 3) for end in context.base_range(rest, gates=True)] == [87.977, 88.028]
    for gates in (False, True):
        low, high = context.base_range(gates=gates)
        assert low > high
    for other in rest[1:]:
        low, high = context.base_range([row for row in context.ABLATION if row is not other])
        assert low > high, "leaving out another row than the global one should not help"
    for printed, kind, size in (("126.8", "107.9", 512), ("339.6", "264.1", 1024), ("379.4", "303.9", 1024)):
        more = sum(context.added_parameters("deep-global+deep", d_model=size)) / 1e6
        assert abs(float(printed) - float(kind) - more) < 0.1  # both are rounded


def test_a_printed_sum_is_of_the_side_that_is_printed():
    sums = context.printed_sums()
    assert sums["global 512 encoder"] == "Printed: 91.0M − 88.0M = 3.0M."
    assert sums["deep+deep-global 512 both"] == "Printed: 125.8M − 88.0M = 37.8M."
    assert sums["deep+deep-global 1024 encoder"] == "Printed: 339.6M − 264.1M = 75.5M."
    assert {key.removesuffix(" decoder") for key in sums if key.endswith("decoder")} == {
        "deep-global 512", "deep+deep-global 512"
    }  # fmt: skip


# ─── What we found ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_differences_are_between_runs_of_the_same_seed():
    gain = context.difference(RESULT, "encoder deep", "bleu")
    assert gain == (2.0, 1.0, 3.0, 2) and str(gain) == "+2.00 (+1.00 to +3.00)"
    assert context.difference(RESULT, "encoder deep", "ppl").mean == pytest.approx(-5.0)
    assert context.difference(RESULT, "key only", "bleu") == (-2.0, -2.0, -2.0, 1)
    assert context.difference(RESULT, "query only", "bleu").n == 0
    assert context.measured_rows(RESULT) == ["base", "encoder deep", "key only"]
    base, deep, key = context.result_rows(RESULT)
    assert base["weights"] == 104 and "printed" not in base
    assert (deep["gain in BLEU"], deep["lowest, highest"]) == ("+2.00 ± 12.71", "+1.00, +3.00")  # 12.706 errors of 1
    assert (deep["perplexity, %"], deep["printed"]) == ("−5.0 ± 63.5", "+0.70")
    assert (key["gain in BLEU"], key["perplexity, %"], key["printed"]) == ("−2.00", "−25.0", "+0.52")  # one seed
    with pytest.raises(ValueError, match="none of base"):
        context.measured_rows({"runs": RESULT["runs"][2:]})


def test_pronouns_are_held_against_the_baseline_of_the_same_seed():
    right = {("base", 0): 0.5, ("base", 1): 0.7, ("encoder deep", 0): 0.6, ("encoder deep", 1): 0.9}
    runs = [run(row, seed, 40, 2) | {"pronouns": {"right": share}} for (row, seed), share in right.items()]
    base, deep = context.pronoun_rows({"runs": runs})
    assert base == {"row": "base", "seeds": 2, "right, %": "60.0 (50.0–70.0)"}
    assert deep["right, %"] == "75.0 (60.0–90.0)"
    assert deep["more than base, points"] == "+15.0 ± 63.5"  # +10 and +20: 12.706 standard errors of 5


def test_gates_in_text_have_a_dash_where_a_layer_has_none():
    rows = context.gate_rows(RESULT | {"shape": {"n_layers": 3}}, ["encoder deep", "key only"])
    assert [row["λ of"].split(",")[0] for row in rows[::2]] == ["deep", "deep", "key only"]
    assert [row["training"] for row in rows] == ["before", "after"] * 3
    assert [*rows[1].values()][2:] == ["-", "0.30 0.20–0.40", "0.50 0.40–0.60"]
    assert [*rows[5].values()][2:] == ["0.10", "0.20", "0.30"]  # one seed
    assert [*rows[4].values()][2:] == ["0.60", "0.70", "0.80"]


def gated(row: str, seed: int, bleu: float, q: list, k: list) -> dict:
    """A run with these gates, and before training with 0.3 on queries and 0.5 on keys."""
    before = {"encoder q": [x and 0.3 for x in q], "encoder k": [x and 0.5 for x in k]}
    return run(row, seed, bleu, 2.0, {"encoder q": q, "encoder k": k}, before)


def test_a_reading_holds_where_its_interval_lies_above_0_and_is_open_where_it_holds_0():
    runs = [
        run("base", 0, 40, 2), run("base", 1, 40, 2), run("key only", 0, 41, 2), run("query only", 0, 42, 2),
        gated("encoder deep-global", 0, 41, [0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]),
        gated("encoder deep-global", 1, 41.1, [0.1, 0.2, 0.3, 0.4], [0.1, 0.1, 0.1, 0.1]),
        gated("encoder global", 0, 41, [0.9, 0.8, 0.2, 0.1], [0.9, 0.8, 0.2, 0.1]),
        gated("encoder global", 1, 44, [0.1, 0.1, 0.8, 0.9], [0.5, 0.5, 0.5, 0.5]),
        gated("encoder deep", 0, 39, [None, 0.4, 0.5, 0.5], [None, 0.4, 0.5, 0.5]),
        gated("encoder deep", 1, 41, [None, 0.4, 0.5, 0.5], [None, 0.4, 0.5, 0.5]),
        gated("encoder deep-global+deep", 0, 39, [0.1, 0.2, 0.3, 0.4], [0.2, 0.3, 0.4, 0.5]),
        gated("encoder deep-global+deep", 1, 39.05, [0.1, 0.2, 0.3, 0.4], [0.3, 0.4, 0.5, 0.6]),
    ]  # fmt: skip
    found = {one.says.split(" (")[0]: one for one in context.findings({"runs": runs})}
    verdicts = {says: one.verdict for says, one in found.items()}
    assert verdicts["encoder deep-global beats the baseline"] == "holds"
    assert verdicts["encoder global beats the baseline"] == "open"  # +1 and +4: two seeds that far apart prove nothing
    assert verdicts["encoder deep beats the baseline"] == "open"
    assert verdicts["encoder deep-global+deep beats the baseline"] == "the other way round"
    assert verdicts["keys alone beat queries alone"] == "one seed"
    for says in ("the encoder alone beats both sides", "decoder deep-global beats the baseline"):
        assert verdicts[says] == "not run"
    wanted = {
        "keys want more context of both kinds": [0.1, 0.2],
        "keys want more global context than queries": [0.0, 0.025],
        "keys want more deep-global context": [0.0, -0.15],
        "lower layers want more global context": [0.7, -0.375],
        "the same without layer 0": [0.65, -0.375],
        "deep context changes less from layer to layer": [0.6, 0.3],  # over layers 1 to 3, which both have
    }
    for says, by in wanted.items():
        assert found[says].by == pytest.approx(by) and len(found[says].untrained) == 2
    assert found["keys want more context of both kinds"].untrained == pytest.approx([0.2, 0.2])
    rows = {row["reading"].split(" (")[0]: row for row in context.finding_rows({"runs": runs})}
    told = rows["lower layers want more global context"]
    assert (told["seed by seed"], told["before training"]) == ("+0.70  −0.38", "0.00  0.00")
    assert told["learnt"] == "+0.70  −0.38" and rows["keys alone beat queries alone"]["learnt"] == ""
    for each in runs:
        each["gates_untrained"] = {side: [x and 0.5 for x in xs] for side, xs in each["gates_untrained"].items()}
    rows = {row["reading"].split(" (")[0]: row for row in context.finding_rows({"runs": runs})}
    assert [*rows["lower layers want more global context"]] == ["reading", "verdict", "seed by seed"]  # all began alike


def test_a_reading_of_gates_that_held_before_training_is_open():
    learnt = context.Finding("a difference of λ", [0.12, 0.14, 0.16], [0.01, -0.01, 0.0])
    begun_with = context.Finding("a difference of λ", [0.12, 0.14, 0.16], [0.12, 0.13, 0.17])
    assert (learnt.verdict, begun_with.verdict) == ("holds", "open")
    assert begun_with.learnt == pytest.approx([0.0, 0.01, -0.01])


# ─── Decoding ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["global", "deep", "deep-global+deep"])
def test_decoding_with_a_running_mean_gives_the_logits_of_the_full_pass(name):
    model = translator_with(context=name, context_in="both").model
    src, tgt_in = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[tc.BOS, 8, 9, 10, 11, 12]])
    assert context.cached_difference(model, src, tgt_in) < 1e-5


def test_the_difference_to_a_full_pass_is_seen_where_there_is_one(monkeypatch):
    model = translator_with(context="global", context_in="both").model
    src, tgt_in = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[tc.BOS, 8, 9, 10]])
    honest = context_aware.mean
    monkeypatch.setattr(context_aware, "mean", lambda x, m, cache: x if cache is not None else honest(x, m, cache))
    assert context.cached_difference(model, src, tgt_in) > 1e-3
