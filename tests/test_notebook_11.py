"""What notebook 11 says of the shipped small model with context, and of its numbers for the hand."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from core_options import context_aware
from studies import context
from studies.statistics import interval

TEXT = "The animal did not cross the street because it was too tired|wide."
PAIRS = [(TEXT, 9, 1), ("The king|queen fed the old dog.", 2, 5)]
PAIRS += [("The boy saw the man because he was old|hungry.", 6, 1)]


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("grammar-context")


@pytest.mark.parametrize(("text", "query", "key"), PAIRS)
def test_a_third_word_moves_no_first_score_without_context_and_some_with_it(translator, text, query, key):
    scores = context.pair_scores(translator, text, query, key)
    moved = {name: (of[1] - of[0]).abs().max().item() for name, of in scores.items()}
    assert moved["without"] == 0 < min(moved["half"], moved["own"])


def test_each_layer_has_one_lambda_for_each_word_s_query_and_key_between_0_and_1(translator):
    src = translator.source([TEXT.replace("|wide", "")])
    with tc.evaluating(translator.model), tc.record(translator.model, "encoder.*") as trace:
        translator.model.encode(src)
    for layer in range(translator.model.config.n_layers):
        for side in "qk":
            gates = trace[f"encoder.{layer}.self_attention.w_{side}.gate"]
            assert gates.shape == (1, src.size(1), 1) and 0 < gates.min() <= gates.max() <= 1


def test_with_its_gates_closed_the_shipped_model_is_the_plain_transformer_of_its_weights(translator):
    model, src = translator.model, translator.source([TEXT.replace("|wide", "")])
    plain = context_aware.ContextTransformer(replace(model.config, context=None))
    plain.load_state_dict(model.state_dict(), strict=False)
    tgt_in = torch.tensor([[tc.BOS, *translator.tokenizer.encode("Das Tier überquerte die Straße nicht.")]])
    with tc.evaluating(plain), tc.evaluating(model), tc.intervene(model, "*.gate", lambda gate: 0 * gate):
        assert (model(src, tgt_in) - plain(src, tgt_in)).abs().max() <= 1e-7


def test_the_first_layer_s_mean_given_to_all_keys_by_half_is_the_softmax_of_half_the_scores(translator):
    reading = context.read(translator, TEXT)
    vectors, gates = reading.mixed[0, 0, :, 1], reading.gates[0, 0, ..., 0]
    scores, _ = context.mixed_attention(vectors, gates, 0.0, 0.0)
    mixed = context.mixed_attention(vectors, gates, 0.0, 0.5)[1]
    torch.testing.assert_close(mixed, tc.attention_weights(0.5 * scores), atol=1e-5, rtol=1e-4)


def test_the_shipped_model_s_contexts_are_2l_minus_1_widths_and_deep_alone_leaves_layer_0_as_it_was(translator):
    config = translator.model.config
    for layer in range(config.n_layers):
        u = translator.model.encoder[layer].self_attention.w_q.u.weight
        assert u.size(1) == context_aware.d_context(config, layer) == (2 * layer + 1) * config.d_model
        assert u.size(1) == len(context.segments(config.context, layer)) * config.d_model
    deep = context_aware.ContextTransformer(replace(config, context="deep"))
    assert type(deep.encoder[0].self_attention) is tc.MultiHeadAttention


def test_by_hand_the_encoder_s_mean_is_one_for_all_the_decoder_s_ends_with_itself_and_a_sum_is_enough():
    x = torch.tensor([[[1.0, 2.0], [3.0, 0.0], [5.0, 4.0], [99.0, 99.0]]])
    padding = tc.padding_mask(torch.tensor([[7, 8, 9, tc.PAD]]))
    encoder, decoder = (context_aware.mean(x, mask, None)[0, :3] for mask in (padding, padding & tc.causal_mask(4)))
    assert encoder.tolist() == [[3.0, 2.0]] * 3 and decoder.tolist() == [[1.0, 2.0], [2.0, 1.0], [3.0, 2.0]]
    for n in (1, 2, 3):
        assert torch.equal(x[0, :n].sum(0) / n, decoder[n - 1])


def test_whatever_baseline_fits_the_other_rows_the_global_row_has_more_than_is_printed():
    rest = [row for row in context.ABLATION if row.context != "global"]
    for gates in (False, True):
        low, high = context.base_range(rest, gates)
        u, more = context.added_parameters("global")
        assert low < high and round(low + (u + gates * more) / 1e6, 1) > 91.0
    assert context.ABLATION[4].bleu == max(row.bleu for row in context.ABLATION) == "28.26"


def test_decoded_word_by_word_with_context_on_both_sides_the_model_says_what_a_full_pass_says(translator):
    with tc.seeded(torch.device("cpu"), 0):
        both = context_aware.ContextTransformer(replace(translator.model.config, context_in="both"))
    src = translator.source([TEXT.replace("|wide", "")])
    german = translator.tokenizer.encode("Das Tier überquerte die Straße nicht, weil es zu müde war.")
    assert context.cached_difference(both, src, torch.tensor([[tc.BOS, *german]])) < 1e-5
    cached, anew = (tc.greedy_decode(both, src, cached=cached)[0].ids for cached in (True, False))
    assert cached == anew


def test_the_small_model_writes_sie_for_tired_and_for_wide(translator):
    for word in ("tired", "wide"):
        assert " sie zu " in translator.translate([TEXT.replace("tired|wide", word)], beam_size=1)[0]


def test_what_is_said_of_the_stored_runs_on_the_grammar_is_what_they_hold():
    path = Path(tc.__file__).parent / "notebooks" / "data" / "context_grammar.json"
    runs = {(run["row"], run["seed"]): run for run in json.loads(path.read_text())["runs"]}
    rows, seeds = dict.fromkeys(row for row, _ in runs), range(8)
    rows.pop("base")

    def ends(row, measure, other="base"):
        return interval([measure(runs[row, seed]) - measure(runs[other, seed]) for seed in seeds])

    def bleu(run):
        return run["bleu"]

    of_ppl = [interval([runs[row, n]["ppl"] / runs["base", n]["ppl"] - 1 for n in seeds])[1] for row in rows]
    assert [row for row, end in zip(rows, of_ppl, strict=True) if end >= 0] == ["query only"]
    better = [row for row in rows if ends(row, bleu)[0] > 0]
    assert better == ["decoder deep-global+deep", "both deep-global+deep"]
    assert ends("encoder deep-global+deep", bleu, "both deep-global+deep")[1] < 0
    low, high = ends("key only", bleu, "query only")
    assert low < 0 < high
    for row in rows:
        low, high = ends(row, lambda run: run["pronouns"]["right"])
        assert low < 0 < high, row
