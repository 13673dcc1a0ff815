"""Decoding: greedy and beam search against searches written plainly, one sentence at a time and without caches."""

import itertools
import math
import weakref
from typing import Any

import pytest
import torch
import toys
from torch import Tensor

import transformer_core as tc
from core_options import beams
from core_options.context_aware import ContextConfig, ContextTransformer

pytestmark = pytest.mark.usefixtures("one_thread")

PLAIN = dict(n_layers=2, d_model=16, d_ff=20, n_heads=2, d_k=6, d_v=10)
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "learned positions": dict(positions="learned", max_len=40),
    "pre-LN": dict(norm="pre"),
    "window": dict(window=3),
    "window of one": dict(window=1),
    "two vocabularies": dict(tgt_vocab_size=13),
    "untied softmax": dict(tie_softmax=False),
    "context": dict(context="deep-global+deep", context_in="both"),
    "context, a gate for each head": dict(context="global", context_in="decoder", context_gate="each"),
}


SEARCHES = [tc.beam_search, beams.beam_search]  # one sentence after the other, all at once
each_search = pytest.mark.parametrize("beam_search", SEARCHES, ids=["core", "beams"])


class Leaning(ContextTransformer):
    """A random model whose logits lean towards some tokens; it counts the rows it is asked to decode."""

    def __init__(self, config: ContextConfig, seed: int = 0, **lean: float):
        torch.manual_seed(seed)
        super().__init__(config)
        for parameter in self.parameters():
            parameter.data *= 1.5  # sharper than Xavier's, so that sentences end at different times
        self.lean = torch.zeros(config.tgt_vocab_size or config.vocab_size)
        for name, weight in lean.items():
            self.lean[getattr(tc, name)] = weight
        self.rows: list[int] = []

    def decode(self, tgt_in: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        self.rows.append(len(tgt_in))
        return super().decode(tgt_in, *args, **kwargs) + self.lean


def leaning(vocab_size: int = 11, seed: int = 0, variant: str = "paper", **lean: float) -> Leaning:
    return Leaning(ContextConfig(vocab_size, **PLAIN | VARIANTS[variant]), seed, **lean).eval()


def sources(lengths: tuple[int, ...], vocab_size: int = 11, seed: int = 0) -> list[list[int]]:
    """Random sentences of so many tokens and eos."""
    generator = torch.Generator().manual_seed(seed)
    return [[*torch.randint(4, vocab_size, (n,), generator=generator).tolist(), tc.EOS] for n in lengths]


# ─── The oracles ─────────────────────────────────────────────────────────────────────────────────────────────────────


@torch.no_grad()
def next_log_probs(model: tc.Transformer, source: list[int], ids: list[int]) -> list[float]:
    """Of every token after ids; padding and bos cannot come."""
    log_probs = model(torch.tensor([source]), torch.tensor([[tc.BOS, *ids]]))[0, -1].log_softmax(-1).tolist()
    return [-math.inf if token in (tc.PAD, tc.BOS) else p for token, p in enumerate(log_probs)]


@torch.no_grad()
def teacher_forced(model: tc.Transformer, source: list[int], ids: list[int]) -> float:
    log_probs = model(torch.tensor([source]), torch.tensor([[tc.BOS, *ids[:-1]]]))[0].log_softmax(-1)
    return sum(log_probs[i, token].item() for i, token in enumerate(ids))


def penalty(n: int, alpha: float) -> float:
    return ((5 + n) / 6) ** alpha


def plain_greedy(model: tc.Transformer, source: list[int], max_extra: int) -> tuple[list[int], float]:
    ids: list[int] = []
    total = 0.0
    while len(ids) < len(source) - 1 + max_extra and (not ids or ids[-1] != tc.EOS):
        log_probs = next_log_probs(model, source, ids)
        ids.append(max(range(len(log_probs)), key=log_probs.__getitem__))
        total += log_probs[ids[-1]]
    return ids, total


def plain_beam(
    model: tc.Transformer, source: list[int], width: int, alpha: float, max_extra: int
) -> tuple[list[int], float]:
    """A beam search that goes on to the limit, or until every slot is kept by a finished hypothesis."""
    live: list[tuple[float, list[int]]] = [(0.0, [])]
    finished: list[tuple[float, list[int]]] = []
    for _ in range(len(source) - 1 + max_extra):
        longer = [
            (total + log_prob, [*ids, token])
            for total, ids in live
            for token, log_prob in enumerate(next_log_probs(model, source, ids))
        ]
        longer.sort(key=lambda hypothesis: -hypothesis[0])
        kept = longer[: width - len(finished)]
        finished += [hypothesis for hypothesis in kept if hypothesis[1][-1] == tc.EOS]
        live = [hypothesis for hypothesis in kept if hypothesis[1][-1] != tc.EOS]
        if not live:
            break
    total, ids = max(finished or live, key=lambda h: h[0] / penalty(len(h[1]), alpha))
    return ids, total


def exhaustive(model: tc.Transformer, source: list[int], alpha: float, limit: int) -> tuple[list[int], float]:
    """The best score of all sentences of up to `limit` tokens, eos included."""
    words = [token for token in range(len(model.lean)) if token not in (tc.PAD, tc.BOS, tc.EOS)]
    found = []
    for n in range(limit):
        for start in itertools.product(words, repeat=n):
            ids = [*start, tc.EOS]
            total = teacher_forced(model, source, ids)
            found.append((total / penalty(len(ids), alpha), total, ids))
    _, total, ids = max(found)
    return ids, total


def assert_same(found: tc.Hypothesis, wanted: tuple[list[int], float]) -> None:
    assert found.ids == wanted[0]
    assert found.log_prob == pytest.approx(wanted[1], rel=1e-4, abs=1e-4)


# ─── Greedy ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_with_caches_is_the_argmax_of_the_whole_model(variant: str) -> None:
    model = leaning(seed=2, variant=variant, EOS=0.7)
    rows = sources((7, 1, 4, 5))
    for source, found in zip(rows, tc.greedy_decode(model, tc.pad(rows), max_extra=6), strict=True):
        assert_same(found, plain_greedy(model, source, max_extra=6))


@pytest.mark.parametrize("variant", [name for name in VARIANTS if "context" not in name])
def test_a_cache_is_filled_by_a_whole_prefix_as_by_its_tokens(variant: str) -> None:
    model = leaning(seed=2, variant=variant, EOS=0.7)
    src, tgt_in = torch.tensor([[5, 4, 6, 2]]), torch.tensor([[tc.BOS, 5, 4, 6, 7]])
    memory, src_mask, cache = model.encode(src), src != tc.PAD, tc.new_cache(model, 9)
    parts = [model.decode(part, memory, src_mask, cache) for part in tgt_in.split([3, 2], dim=1)]
    torch.testing.assert_close(torch.cat(parts, dim=1), model.decode(tgt_in, memory, src_mask))


@each_search
@pytest.mark.parametrize("variant", VARIANTS)
def test_beam_search_with_caches_is_the_search_without(beam_search: Any, variant: str) -> None:
    model = leaning(seed=3, variant=variant, EOS=0.7)
    rows = sources((5, 1, 3))
    for source, found in zip(rows, beam_search(model, tc.pad(rows), 3, 0.6, max_extra=4), strict=True):
        assert_same(found, plain_beam(model, source, 3, 0.6, max_extra=4))


def test_an_edit_through_a_probe_holds_in_decoding_too() -> None:
    model = leaning(seed=2)
    (source,) = rows = sources((6,))
    whole = tc.greedy_decode(model, tc.pad(rows), max_extra=5)[0]

    def without_a_head(heads: Tensor) -> Tensor:
        return heads * torch.tensor([0.0, 1.0])[None, :, None, None]

    with tc.intervene(model, "decoder.*.cross_attention.heads", without_a_head):
        edited = tc.greedy_decode(model, tc.pad(rows), max_extra=5)[0]
        assert_same(edited, plain_greedy(model, source, max_extra=5))
    assert edited.log_prob != whole.log_prob


# ─── Beam search against its oracles ─────────────────────────────────────────────────────────────────────────────────


@each_search
@pytest.mark.parametrize("eos", [-1.0, 1.0, 3.0], ids=lambda eos: f"eos leaning {eos}")
def test_a_beam_of_one_is_greedy(beam_search: Any, eos: float) -> None:
    model = leaning(seed=4, EOS=eos)
    src = tc.pad(sources((6, 1, 3, 9, 2)))
    for alpha in (0.0, 0.6, 2.0):
        for beam, greedy in zip(
            beam_search(model, src, 1, alpha, max_extra=7), tc.greedy_decode(model, src, max_extra=7), strict=True
        ):
            assert_same(beam, (greedy.ids, greedy.log_prob))


@each_search
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0])
def test_a_beam_as_wide_as_everything_finds_the_best_of_all(beam_search: Any, seed: int, alpha: float) -> None:
    vocab_size, limit = 6, 4
    model = leaning(vocab_size, seed, EOS=-0.5)
    source = sources((1,), vocab_size, seed)[0]
    (found,) = beam_search(model, torch.tensor([source]), vocab_size ** (limit - 1), alpha, max_extra=limit - 1)
    assert_same(found, exhaustive(model, source, alpha, limit))


@each_search
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 3.0])
@pytest.mark.parametrize("width", [2, 5])
@pytest.mark.parametrize("eos", [-1.0, 1.0, 2.5], ids=lambda eos: f"eos leaning {eos}")
def test_stopping_early_never_changes_the_result(beam_search: Any, width: int, alpha: float, eos: float) -> None:
    model = leaning(seed=5, EOS=eos)
    rows = sources((1, 4, 2), seed=6)
    for source, found in zip(rows, beam_search(model, tc.pad(rows), width, alpha, max_extra=5), strict=True):
        assert_same(found, plain_beam(model, source, width, alpha, max_extra=5))


@each_search
def test_the_search_does_stop_early(beam_search: Any) -> None:
    model = leaning(EOS=8.0)
    beam_search(model, tc.pad(sources((4, 2))), 4, 0.6, max_extra=50)
    assert len(model.rows) < 20


@each_search
def test_a_beam_wider_than_the_vocabulary_is_allowed(beam_search: Any) -> None:
    model = leaning(6, seed=1)
    source = sources((2,), 6)[0]
    (found,) = beam_search(model, torch.tensor([source]), 40, 0.6, max_extra=1)
    assert_same(found, plain_beam(model, source, 40, 0.6, max_extra=1))


# ─── Scores, lengths, and who is who ─────────────────────────────────────────────────────────────────────────────────


@each_search
@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.5])
def test_log_prob_is_the_teacher_forced_sum_and_score_is_it_over_the_penalty(beam_search: Any, alpha: float) -> None:
    model = leaning(seed=7, EOS=1.0)
    rows = sources((8, 1, 3))
    for source, found in zip(rows, beam_search(model, tc.pad(rows), 4, alpha, max_extra=6), strict=True):
        assert found.log_prob == pytest.approx(teacher_forced(model, source, found.ids), rel=1e-4)
        assert found.score == pytest.approx(found.log_prob / penalty(len(found.ids), alpha), rel=1e-6)
    for source, found in zip(rows, tc.greedy_decode(model, tc.pad(rows), max_extra=6), strict=True):
        assert found.log_prob == pytest.approx(teacher_forced(model, source, found.ids), rel=1e-4)


def test_the_length_penalty_is_that_of_section_6_1() -> None:
    assert tc.length_penalty(1, 0.6) == 1 and tc.length_penalty(9, 0) == 1
    assert tc.length_penalty(7, 1.0) == 2 and tc.length_penalty(19, 0.5) == 2


@each_search
@pytest.mark.parametrize("width", [1, 3])
def test_a_translation_does_not_depend_on_its_neighbours(beam_search: Any, width: int) -> None:
    model = leaning(seed=8, EOS=0.6)
    rows = sources((3, 12, 1, 7, 7, 2), seed=3)

    def search(src: Tensor) -> list[tc.Hypothesis]:
        return tc.greedy_decode(model, src, 6) if width == 1 else beam_search(model, src, width, 0.6, 6)

    together = search(tc.pad(rows))
    for row, found in zip(rows, together, strict=True):
        (alone,) = search(torch.tensor([row]))
        assert_same(found, (alone.ids, alone.log_prob))
    backwards = search(torch.cat([tc.pad(rows[::-1]), torch.zeros(6, 4, dtype=torch.long)], 1))  # and more padding
    assert [found.ids for found in backwards[::-1]] == [found.ids for found in together]
    assert len({len(found.ids) for found in together}) > 1  # or nothing was shown


@pytest.mark.parametrize("width", [1, 4])
def test_finished_sentences_leave_the_batch(width: int) -> None:
    model = leaning(seed=8, EOS=0.6)
    src = tc.pad(sources((3, 12, 1, 7, 7, 2), seed=3))
    beams.beam_search(model, src, width, 0.6, 6)  # greedy_decode is the plain way, and waits for all
    assert model.rows[0] == 6 * width and model.rows[-1] < 6 * width
    assert model.rows == sorted(model.rows, reverse=True)


@each_search
@pytest.mark.parametrize("max_extra", [0, 1, 5])
def test_no_translation_is_longer_than_its_source_and_so_many_more(beam_search: Any, max_extra: int) -> None:
    model = leaning(EOS=-50.0)
    rows = sources((4, 1, 9, 2))
    for found in (
        tc.greedy_decode(model, tc.pad(rows), max_extra),
        beam_search(model, tc.pad(rows), 3, 0.6, max_extra),
    ):
        assert [len(hypothesis.ids) for hypothesis in found] == [len(row) - 1 + max_extra for row in rows]


@each_search
def test_the_limit_is_fifty_more_than_the_source_by_default(beam_search: Any) -> None:
    model = leaning(EOS=-50.0)
    src = tc.pad(sources((3, 1)))
    for found in (tc.greedy_decode(model, src), beam_search(model, src, 2)):
        assert [len(hypothesis.ids) for hypothesis in found] == [53, 51]


@each_search
def test_an_empty_source_may_be_decoded(beam_search: Any) -> None:
    model = leaning(seed=1)
    src = torch.tensor([[tc.EOS]])
    for max_extra in (0, 1, 2):
        for (found,) in (tc.greedy_decode(model, src, max_extra), beam_search(model, src, 3, 0.6, max_extra)):
            assert len(found.ids) <= max(1, max_extra)


@each_search
def test_a_hypothesis_cut_off_at_the_limit_counts_only_where_none_finished(beam_search: Any) -> None:
    model = leaning(seed=9, EOS=-6.0)  # the end is always unlikely, so what is cut off has the better score
    source = sources((2,))[0]
    (found,) = beam_search(model, torch.tensor([source]), 200, 0.0, max_extra=1)
    cut_off, total = plain_greedy(model, source, max_extra=1)
    assert cut_off[-1] != tc.EOS and total > found.log_prob  # likelier, but no sentence
    assert found.ids[-1] == tc.EOS
    (narrow,) = beam_search(model, torch.tensor([source]), 1, 0.0, max_extra=1)
    assert narrow.ids == cut_off  # where nothing finished, it is what there is


@each_search
def test_a_larger_alpha_never_gives_a_shorter_sentence(beam_search: Any) -> None:
    lengths = []
    model = leaning(seed=10, EOS=2.0)
    src = tc.pad(sources((5, 3, 6, 2, 4), seed=1))
    for alpha in (0.0, 0.6, 1.0, 2.0, 6.0):
        lengths.append([len(found.ids) for found in beam_search(model, src, 6, alpha, max_extra=6)])
    for shorter, longer in itertools.pairwise(lengths):
        assert all(a <= b for a, b in zip(shorter, longer, strict=True))
    assert sum(lengths[-1]) > sum(lengths[0])


@each_search
def test_padding_and_bos_are_never_produced(beam_search: Any) -> None:
    model = leaning(seed=11, PAD=20.0, BOS=20.0)
    src = tc.pad(sources((4, 2)))
    for found in (tc.greedy_decode(model, src, 5), beam_search(model, src, 4, 0.6, 5)):
        for hypothesis in found:
            assert math.isfinite(hypothesis.log_prob)
            assert not {tc.PAD, tc.BOS} & set(hypothesis.ids)


@each_search
def test_eos_comes_last_or_not_at_all(beam_search: Any) -> None:
    model = leaning(seed=12, EOS=1.0)
    src = tc.pad(sources((4, 2, 7, 1)))
    for found in (tc.greedy_decode(model, src, 5), beam_search(model, src, 4, 0.6, 5)):
        assert all(tc.EOS not in hypothesis.ids[:-1] for hypothesis in found)


# ─── Manners ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@each_search
@pytest.mark.parametrize("training", [True, False])
def test_the_mode_is_put_back_and_dropout_is_off_inside(beam_search: Any, training: bool) -> None:
    model = Leaning(ContextConfig(11, **PLAIN | dict(p_drop=0.5))).train(training)
    src = tc.pad(sources((4, 2)))
    state = torch.get_rng_state()
    for decode in (tc.greedy_decode, beam_search):
        assert decode(model, src, max_extra=3) == decode(model, src, max_extra=3)
        assert model.training is training
        with pytest.raises(ValueError, match="vocabulary"):
            decode(model, torch.tensor([[99, tc.EOS]]))
        assert model.training is training and torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), state)


@each_search
def test_nothing_is_left_in_the_model(beam_search: Any) -> None:
    model = leaning(seed=1)
    src, tgt_in = tc.pad(sources((4, 2))), torch.randint(4, 11, (2, 3))
    before, names = model(src, tgt_in), set(model.state_dict())
    beam_search(model, src, 2, 0.6, 3)
    assert torch.equal(model(src, tgt_in), before) and set(model.state_dict()) == names
    assert all(parameter.requires_grad and parameter.grad is None for parameter in model.parameters())


@each_search
@pytest.mark.parametrize(
    ("beam_size", "alpha", "max_extra"),
    [(0, 0.6, 50), (-2, 0.6, 50), (4, -0.1, 50), (4, math.nan, 50), (4, math.inf, 50), (4, 0.6, -1)],
)
def test_a_search_without_sense_is_refused(beam_search: Any, beam_size: int, alpha: float, max_extra: int) -> None:
    with pytest.raises(ValueError) as caught:
        beam_search(leaning(), tc.pad(sources((3,))), beam_size, alpha, max_extra)
    toys.assert_one_sentence(str(caught.value), str(beam_size), str(alpha), str(max_extra))


def test_learned_positions_reach_for_every_sentence_their_table_holds() -> None:
    """A source that fits must not fail because its translation might have been longer."""
    model = Leaning(ContextConfig(11, **PLAIN | dict(positions="learned", max_len=12)), EOS=-50.0).eval()
    src = tc.pad(sources((11, 3)))
    for found in (tc.greedy_decode(model, src), tc.beam_search(model, src, 2)):
        assert all(len(hypothesis.ids) <= 12 for hypothesis in found)


def test_a_search_keeps_no_step_that_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    steps, alive = tc.beam_steps, []

    def watched(*arguments):
        seen = []
        for step in steps(*arguments):
            seen.append(weakref.ref(step.log_probs))
            alive.append(sum(one() is not None for one in seen))
            yield step

    monkeypatch.setattr(tc, "beam_steps", watched)
    model = tc.Transformer(tc.TransformerConfig(13, 1, 8, 8, 2, 4, 4))
    tc.beam_search(model, torch.tensor([[5, 6, 7, tc.EOS]]), max_extra=20)
    assert len(alive) > 9 and max(alive) <= 2
