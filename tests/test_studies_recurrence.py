"""A recurrent translator's steps are those of its layers; what alignments read of a phrase."""

import contextlib
import math

import pytest
import torch
from toys_recurrence import TEXTS, additive, dot, fixed, toy_tokenizer, translator

import transformer_core as tc
from corpora import grammar
from studies import recurrence
from studies.reading import teacher_forced
from studies.statistics import mean

KINDS = [(cell, score) for cell in ("RNN", "GRU", "LSTM") for score in ("additive", "dot", None)]
STRAY = "The man looked for the brown stray cat although he did not love it."


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return toy_tokenizer()


# ─── What each step had ──────────────────────────────────────────────────────────────────────────────────────────────


def test_additive_scores_are_the_formula_worked_out_term_by_term():
    steps = additive()
    for i in range(2):
        for j in range(3):
            e = sum(steps.v[k] * math.tanh(steps.w[i, k] + steps.u[j, k]) for k in range(4))
            assert steps.scores[i, j].item() == pytest.approx(float(e), abs=1e-6)


def test_dot_scores_are_the_matrix_product_of_both_sides_states():
    steps = dot()
    assert torch.allclose(steps.scores, steps.before @ steps.states.T, atol=1e-6)
    assert steps.scores.shape == (2, 3)


@pytest.mark.parametrize("make", [additive, dot])
def test_weights_sum_to_1_and_each_context_is_the_weighted_sum_of_the_states(make):
    steps = make()
    assert torch.allclose(steps.weights.sum(-1), torch.ones(2))
    for i in range(2):
        by_hand = sum(steps.weights[i, j] * steps.states[j] for j in range(3))
        assert torch.allclose(steps.contexts[i], by_hand, atol=1e-6)


def test_a_fixed_vector_has_no_weights_and_is_the_same_at_every_step():
    steps = fixed()
    assert steps.scores.shape == (2, 0) and torch.equal(steps.contexts[0], steps.contexts[1])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (dict(before=torch.zeros(2, 3)), r"before has shape \(2, 3\), \(2, 4\) is needed"),  # s and h of unequal width
        (dict(states=torch.zeros(2, 4)), r"states has shape \(2, 4\), \(3, 4\) is needed"),
        (dict(queries=()), "score is 'dot' with 3 keys and 0 queries"),
        (dict(score="bilinear"), "score is 'bilinear'"),
        (dict(score="additive"), r"w has shape None, \(2, 4\) is needed"),
        (dict(score="fixed", c=torch.zeros(5)), r"c has shape \(5,\), \(4,\) is needed"),
    ],
)
def test_steps_that_do_not_fit_are_refused_in_one_sentence(change, says):
    given = dict(score="dot", keys="abc", queries=("ja", "nein"), states=torch.zeros(3, 4), before=torch.zeros(2, 4))
    with pytest.raises(ValueError, match=says):
        recurrence.Steps(**given | change)


@pytest.mark.parametrize(("cell", "score"), KINDS)
def test_what_is_read_off_a_translation_is_what_the_model_had(tokenizer, cell, score):
    one = translator(tokenizer, cell, score)
    steps = recurrence.read(one, TEXTS[0])
    ids = tc.greedy_decode(one.model, one.source([TEXTS[0]]))[0].ids
    tgt_in = torch.tensor([[tc.BOS, *ids[:-1]]])
    watched = tc.record(one.model) if score else contextlib.nullcontext({})
    with tc.evaluating(one.model), watched as trace:
        memory = one.model.encode(one.source([TEXTS[0]]))
        logits = one.model.decode(tgt_in, memory, one.source([TEXTS[0]]) != tc.PAD)
    assert list(steps.queries) == tokenizer.pieces(ids) and steps.keys[-1] == "</s>"
    if score is None:
        assert torch.equal(steps.c, memory[0, 0])
        half = 6
        assert torch.allclose(steps.c, torch.cat([steps.states[-1, :half], steps.states[0, half:]]), atol=1e-6)
        return
    assert torch.allclose(steps.scores, trace["decoder.0.cross_attention.scores"][0, 0], atol=1e-5)
    assert torch.allclose(steps.weights, trace["decoder.0.cross_attention.weights"][0, 0], atol=1e-5)
    shares = logits[0].softmax(-1).max(-1).values
    assert [row[0][1] for row in steps.likeliest] == pytest.approx(shares.tolist(), abs=1e-5)


# ─── What was found ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_length_bins_weigh_lengths_by_their_sentences_and_refuse_an_empty_range():
    rows = [
        dict(length=4, sentences=10, exact=5),
        dict(length=5, sentences=30, exact=27),
        dict(length=9, sentences=2, exact=0),
    ]
    assert recurrence.exact_by_length(dict(lengths=rows), [(4, 5), (9, 9)]) == [32 / 40, 0]
    with pytest.raises(ValueError, match="No sentence has 6 to 8 words"):
        recurrence.exact_by_length(dict(lengths=rows), [(6, 8)])


def test_the_pieces_of_a_phrase_are_found_whatever_spells_them():
    assert recurrence.pieces_in(["<0x54>", "he", "▁stray", "▁cat", "s"], "stray cat") == [2, 3]
    assert recurrence.pieces_in(["▁a", "▁cat"], "stray cat") == []
    reading = dict(keys=["▁a", "▁st", "ray", "▁cat"], queries=["x", "y"], weights=[[0.4, 0.3, 0.2, 0.1], [1, 0, 0, 0]])
    assert recurrence.rows_on(reading, "stray cat") == [("x", pytest.approx(0.6)), ("y", 0)]


def test_the_weight_on_a_phrase_is_that_of_the_row_that_says_the_word(tokenizer):
    one = translator(tokenizer)
    words = ["a", "dog", "saw", "the", "old", "cat"], ["the", "cat"]
    pair = grammar.Pair(*map(tuple, words), frozenset(), "", {})
    (found,) = recurrence.weight_on(one, [pair], word="cat", phrase="old cat")
    source, target = (tokenizer.encode(text) for text in (pair.english, pair.german))
    with tc.evaluating(one.model), tc.record(one.model) as trace:
        one.model(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]))
    row = recurrence.pieces_in(tokenizer.pieces(target), "cat")[0]
    wanted = trace["decoder.0.cross_attention.weights"][0, 0, row, len(source) - 2 : len(source)]
    assert found == pytest.approx(wanted.sum().item(), abs=1e-6) and len(tokenizer.pieces(source)) == 6
    with pytest.raises(ValueError, match="'horse' is not in"):
        recurrence.weight_on(one, [pair], word="horse", phrase="old cat")


# ─── The translators of the shelf ────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def shelf() -> dict[str, tc.Translator]:
    return recurrence.shipped()


@pytest.mark.parametrize("text", ["The stray cat has slept.", STRAY])
def test_a_model_of_the_shelf_says_stray_cat_in_one_word_and_reads_both(shelf, text):
    steps = recurrence.read(shelf["additive"], text)
    at = list(steps.queries).index("▁Streunerkatze")
    both = [list(steps.keys).index(word) for word in ("▁stray", "▁cat")]
    assert steps.weights[at, both].sum() > 0.5


def test_over_40_unseen_sentences_the_row_that_says_streunerkatze_reads_stray_cat_more_than_all_else(shelf):
    pairs = [pair for pair in grammar.sample(3000, split="test") if "stray" in pair.english_tokens][:40]
    for kind in ("additive", "dot"):
        assert mean(recurrence.weight_on(shelf[kind], pairs, word="Streunerkatze", phrase="stray cat")) > 0.5


@pytest.mark.parametrize("kind", ["additive", "dot"])
def test_weights_and_contexts_read_off_the_shelf_are_the_layer_s_by_a_plain_loop(shelf, kind):
    steps = recurrence.read(shelf[kind], STRAY)
    said = shelf[kind].tokenizer.encode(steps.text)
    layer = teacher_forced(shelf[kind], STRAY, [*said, tc.EOS], "decoder.0.cross_attention.*").trace
    scores, weights = (layer[f"decoder.0.cross_attention.{what}"][0, 0] for what in ("scores", "weights"))
    assert torch.allclose(weights, steps.weights, atol=1e-5)
    assert (scores - steps.scores).abs().max() < 1e-5 * scores.abs().max()
    by_hand = sum(weights[4, j] * steps.states[j] for j in range(len(steps.keys)))
    assert torch.allclose(by_hand, steps.contexts[4], atol=1e-5)


def test_the_first_dot_product_scores_of_the_shelf_are_s_times_h_to_a_millionth(shelf):
    steps, src = recurrence.read(shelf["dot"], STRAY), shelf["dot"].source([STRAY])
    with tc.evaluating(shelf["dot"].model), tc.record(shelf["dot"].model) as trace:
        shelf["dot"].model(src, torch.tensor([[tc.BOS]]))
    told, product = trace["decoder.0.cross_attention.scores"][0, 0, 0], (steps.before @ steps.states.T)[0]
    assert (told - product).abs().max() < 1e-6 * product.abs().max()


@pytest.mark.parametrize("text", ["The dog slept.", "The stray cat has heard the old dogs.", STRAY])
def test_one_vector_has_the_width_of_the_model_however_long_the_sentence(shelf, text):
    fixed = shelf["fixed"]
    with tc.evaluating(fixed.model):
        assert fixed.model.encode(fixed.source([text])).shape == (1, 1, fixed.model.config.d_model)
    assert recurrence.read(fixed, text).c.shape == (fixed.model.config.d_model,)


# ─── What fades ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_first_word_fades_in_recurrent_layers_and_in_self_attention_only_as_one_in_n():
    felt = recurrence.first_word_felt(("RNN", "GRU", "LSTM", "self-attention"), (2, 8, 48))
    for name, lengths in felt.items():
        assert (lengths[48] < 1e-6 * lengths[2]) == (name != "self-attention")
    times_n = [n * length for n, length in felt["self-attention"].items()]
    assert max(times_n) < 1.5 * min(times_n)
    assert felt["self-attention"][2] < felt["RNN"][2]
