"""Decoding counted: guesses after the reference's words and its own, all sentences, sampling, the cache."""

import itertools
import math
import time
from dataclasses import replace

import pytest
import torch

import transformer_core as tc
from studies import decoding
from studies.reading import teacher_forced

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


# ─── Teacher forcing, every sentence ─────────────────────────────────────────────────────────────────────────────────


def test_both_ways_agree_up_to_the_first_divergence_and_there_too():
    parted = []
    for seed in range(12):
        model, src = decoding.Little(seed, 9), torch.tensor([[5, 6, 4, tc.EOS]])
        ways = decoding.two_ways(model, src, [4, 5, 6, tc.EOS])
        parted.append(ways.parts)
        if ways.parts is not None:
            assert ways.free[: ways.parts] == ways.reference[: ways.parts]
            if ways.parts < len(ways.free) and ways.parts < 4:
                assert ways.taught[: ways.parts + 1] == ways.free[: ways.parts + 1]
        assert len(ways.taught) == len(ways.probability) == 4 and all(0 <= p <= 1 for p in ways.probability)
    assert len(set(parted)) > 1
    free = tc.greedy_decode(model, src)[0].ids[:6]
    if free[-1] == tc.EOS:
        assert decoding.two_ways(model, src, free).parts is None


def test_a_reference_without_its_end_is_refused():
    for reference in ([], [4, 5]):
        with pytest.raises(ValueError, match="the last of them eos"):
            decoding.two_ways(decoding.Little(0), torch.tensor([[4, tc.EOS]]), reference)


def test_every_sentence_is_there_once_with_its_own_log_probability():
    model, src = decoding.Little(1, 6), torch.tensor([[4, tc.EOS]])
    found = decoding.every_sentence(model, src, 4)
    assert len(found) == len({tuple(ids) for ids, _ in found}) == 1 + 3 + 9 + 27
    assert [log_prob for _, log_prob in found] == sorted((log_prob for _, log_prob in found), reverse=True)
    assert sum(math.exp(log_prob) for _, log_prob in found) <= 1
    for ids, log_prob in found[::7]:
        with tc.evaluating(model):
            log_probs = model(src, torch.tensor([[tc.BOS, *ids[:-1]]]))[0].log_softmax(-1)
        assert log_prob == pytest.approx(sum(log_probs[i, token].item() for i, token in enumerate(ids)), abs=1e-4)
    with pytest.raises(ValueError, match="take fewer"):
        decoding.every_sentence(decoding.Little(0, 60), src, 5)


def test_a_beam_as_wide_as_everything_finds_the_best_of_every_sentence_and_greedy_need_not():
    missed = 0
    for seed in range(10):
        model, src = decoding.Little(seed, 6), torch.tensor([[4, tc.EOS]])
        best, log_prob = decoding.every_sentence(model, src, 4)[0]
        wide = tc.beam_search(model, src, 6**3, 0.0, max_extra=3)[0]
        greedy = tc.greedy_decode(model, src, max_extra=3)[0]
        assert wide.ids == best and wide.log_prob == pytest.approx(log_prob, abs=1e-4)
        if greedy.ids[-1] == tc.EOS:
            assert wide.log_prob >= greedy.log_prob - 1e-6
            missed += greedy.ids != best
    assert missed


def test_a_beam_of_two_can_do_worse_than_greedy_and_on_these_toys_wider_ones_never_did():
    below = dict.fromkeys((2, 4, 8), 0)
    n_ended = 0
    for seed in range(20):
        model, src = decoding.Little(seed, 6, lean=0.5), torch.tensor([[4, tc.EOS]])
        greedy = tc.greedy_decode(model, src, max_extra=4)[0]
        if greedy.ids[-1] != tc.EOS:
            continue  # cut off: no sentence, so its log-probability lacks the end
        n_ended += 1
        for width in below:
            below[width] += tc.beam_search(model, src, width, 0.0, max_extra=4)[0].log_prob < greedy.log_prob - 1e-5
    assert n_ended > 8 and below[2] > 0 and below[4] == below[8] == 0


# ─── One place, read two ways ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def translator(tokenizer) -> tc.Translator:
    config = tc.TransformerConfig(len(tokenizer), n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5)
    with tc.seeded(torch.device("cpu"), 3):
        return tc.Translator(tc.Transformer(config), tokenizer, "little")


def test_before_the_first_divergence_taught_and_alone_are_one_distribution_and_one_row(translator):
    own = tc.greedy_decode(translator.model, translator.source(["the hen sees a dog"]))[0].ids
    for parts in (0, 2, 4):
        reference = [*own[:parts], 4 + (own[parts] == 4), *own[parts + 1 : 8], tc.EOS]
        readings = [teacher_forced(translator, "the hen sees a dog", ids) for ids in (reference, own)]
        ways = decoding.TwoReadings(*readings)
        distributions, cross = ways.distributions(), ways.cross_attention()
        assert ways.parts == parts and ways.n_places == distributions.size(1) == cross.size(1) == min(9, len(own))
        assert (decoding.apart(distributions)[: parts + 1] < 1e-5).all()  # at the divergence both have read the same
        assert (cross[0, : parts + 1] - cross[1, : parts + 1]).abs().max() < 1e-5
        assert decoding.apart(distributions)[parts + 1] > 1e-4  # and behind it something else
        assert distributions.sum(-1).sub(1).abs().max() < 1e-5 and cross.sum(-1).sub(1).abs().max() < 1e-5
        assert not distributions[..., [tc.PAD, tc.BOS]].any()


def test_a_token_in_the_future_of_the_prefix_changes_nothing(translator):
    text, own = "a dog", tc.greedy_decode(translator.model, translator.source(["a dog"]))[0].ids
    alone = teacher_forced(translator, text, own)
    first, other = (
        decoding.TwoReadings(teacher_forced(translator, text, [5, 6, 7, last, tc.EOS]), alone) for last in (8, 9)
    )
    for numbers in (decoding.TwoReadings.distributions, decoding.TwoReadings.cross_attention):
        before, after = numbers(first)[0], numbers(other)[0]
        assert torch.allclose(before[:4], after[:4], atol=1e-6)  # the fourth place has read three tokens
        assert not torch.allclose(before[4], after[4], atol=1e-6)


def test_a_place_says_what_the_model_says_after_that_prefix_alone(translator):
    ways = decoding.two_readings(translator, "the hen sees a dog", "a hen sees the dog")
    for side, reading in enumerate((ways.taught, ways.alone)):
        for place in (0, 1, ways.n_places - 1):
            logits = decoding.next_logits(translator.model, reading.src, reading.ids[:place])
            assert torch.allclose(ways.distributions()[side, place], logits.softmax(-1), atol=1e-5)
    assert ways.taught.translation == "a hen sees the dog"
    assert ways.alone.ids == tc.greedy_decode(translator.model, ways.alone.src)[0].ids


def test_without_a_reference_a_beam_of_4_gives_it_and_one_too_long_is_refused(translator):
    beam = tc.beam_search(translator.model, translator.source(["a dog"]))[0].ids
    assert decoding.two_readings(translator, "a dog", "  ").taught.ids == beam
    with pytest.raises(ValueError, match="more than the 9 shown"):
        decoding.two_readings(translator, "a dog", "a dog " * 9, most=9)
    with pytest.raises(ValueError, match="at least one word"):
        decoding.two_readings(translator, " ", "a dog")


# ─── Sampling ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_a_cut_sampling_is_the_softmax_at_that_temperature():
    logits = torch.tensor([[1.0, 3.0, -math.inf], [0.0, 0.5, 2.0]])
    assert torch.allclose(decoding.cut(logits), logits.double().softmax(-1))
    assert torch.allclose(decoding.cut(logits, 2.0), (logits.double() / 2).softmax(-1))
    assert decoding.cut(logits, 0.01)[1].tolist() == pytest.approx([0, 0, 1])


def test_top_k_keeps_k_and_top_p_the_fewest_that_reach_p():
    logits = torch.tensor([0.5, 0.2, 0.3]).log()
    assert decoding.cut(logits, top_k=2).tolist() == pytest.approx([0.625, 0, 0.375])
    assert decoding.cut(logits, top_p=0.5).tolist() == pytest.approx([1, 0, 0])
    assert decoding.cut(logits, top_p=0.51).tolist() == pytest.approx([0.625, 0, 0.375])
    assert decoding.cut(logits, top_k=2, top_p=0.6).tolist() == pytest.approx([1, 0, 0])  # 0.5 of 0.8 is enough
    for k, p, t in itertools.product((0, 1, 3), (0.1, 0.7, 1.0), (0.5, 1.0, 2.0)):
        assert decoding.cut(torch.randn(4, 9), t, k, p).sum(-1).tolist() == pytest.approx([1] * 4)


def test_settings_without_sense_are_refused_by_name():
    for settings in (dict(temperature=0), dict(top_k=-1), dict(top_p=0), dict(top_p=1.5)):
        with pytest.raises(ValueError, match="temperature must be above 0, top_k 0 or more, top_p above 0"):
            decoding.cut([1.0, 2.0], **settings)
    with pytest.raises(ValueError, match="there are 0 logits"):
        decoding.cut([])


def test_samples_are_their_seeds_and_the_likeliest_alone_is_greedy():
    model, src = decoding.Little(4, 11), torch.tensor([[5, 6, tc.EOS]])
    assert decoding.sample(model, src, 1) == decoding.sample(model, src, 1)
    assert len({tuple(decoding.sample(model, src, seed)) for seed in range(6)}) > 1
    assert decoding.sample(model, src, 0, top_k=1) == tc.greedy_decode(model, src)[0].ids
    for seed in range(10):
        ids = decoding.sample(model, src, seed, temperature=3.0)
        assert len(ids) <= 52 and not {tc.PAD, tc.BOS} & set(ids) and tc.EOS not in ids[:-1]


# ─── The cache ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("sizes", [{}, dict(n_heads=3, d_k=4, d_v=7, tgt_vocab_size=17, n_layers=1)], ids=str)
@pytest.mark.parametrize("cached", [True, False])
def test_the_formula_is_what_torch_counts_to_the_last_multiply_add(sizes, cached):
    config = replace(decoding.Little(0, 11).config, **sizes)
    model, src, ids = tc.Transformer(config), torch.tensor([[4, 5, 6, 7, tc.EOS]]), [4, 8, 9, 5, 4, tc.EOS]
    assert decoding.counted_operations(model, src, ids, cached) == decoding.operations(config, 5, 6, cached)


def test_the_cache_holds_a_column_for_each_token_and_for_each_source_token():
    model, src = decoding.Little(4, 11), torch.tensor([[5, 6, 7, tc.EOS]])
    n = min(3, len(tc.greedy_decode(model, src)[0].ids) - 1)
    shapes = decoding.cache_shapes(model, src, n)
    assert shapes == {
        "self-attention keys": (1, 2, n, 6), "self-attention values": (1, 2, n, 10),
        "cross-attention keys": (1, 2, 4, 6), "cross-attention values": (1, 2, 4, 10),
    }  # fmt: skip


def test_a_time_is_of_this_core_alone_and_tells_of_other_work():
    def work(seconds: float, elsewhere: float) -> None:
        began = time.thread_time()
        while time.thread_time() - began < seconds:
            pass
        time.sleep(elsewhere)

    ms, waited = decoding.timed(work, 0.02, 0)
    assert 20 <= ms < 25 and waited > 0.9
    ms, waited = decoding.timed(work, 0.02, 0.04)
    assert 20 <= ms < 25 and waited > 2.5
