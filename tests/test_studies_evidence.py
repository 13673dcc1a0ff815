"""Five answers and the truth: gradients against finite differences, losses against replaced words, ranks by hand."""

import math

import pytest
import torch
import toys_evidence

import transformer_core as tc
from studies import evidence, statistics
from studies.reading import Reading, log_probs
from studies.rollout import by_weights, rollout

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", params=[{}, dict(norm="pre", window=3)], ids=["post", "pre, window"])
def reading(request) -> Reading:
    translator = toys_evidence.translator(**request.param)
    translator.model.double()
    return toys_evidence.reading(translator)


@pytest.fixture
def exact(monkeypatch: pytest.MonkeyPatch) -> None:
    """Log-probabilities in float64, of which differences can be taken."""

    def log_probs_(logits: torch.Tensor, ids: list[int]) -> torch.Tensor:
        return logits.double().log_softmax(-1)[..., torch.arange(len(ids)), torch.tensor(ids)]

    monkeypatch.setattr(evidence, "log_probs", log_probs_)


# ─── Gradients ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_sentences_own_vectors_give_its_own_log_probabilities(reading):
    with torch.no_grad():
        log_p = evidence.log_probs_of(reading, evidence.source_vectors(reading)[None])[0]
    torch.testing.assert_close(log_p, reading.log_prob, atol=1e-5, rtol=1e-5)


def test_gradients_are_finite_differences_of_each_words_log_probability(reading, exact):
    vectors, step = torch.stack([evidence.source_vectors(reading)] * 2), 1e-5
    vectors[1] *= 0.5
    slopes = evidence.gradients(reading, vectors)  # (T, B, S, D)
    assert slopes.shape == (len(reading.ids), 2, reading.src.size(1), 24)
    with torch.no_grad():
        for place, feature in ((0, 3), (2, 17), (vectors.size(1) - 1, 5)):
            moved = torch.zeros_like(vectors)
            moved[:, place, feature] = step
            up, down = (evidence.log_probs_of(reading, vectors + sign * moved) for sign in (1, -1))
            wanted = (up - down) / (2 * step)  # (B, T)
            torch.testing.assert_close(slopes[..., place, feature].T, wanted, atol=1e-7, rtol=1e-5)


def test_gradient_times_input_is_what_a_little_more_of_a_words_vector_does(reading, exact):
    x, step = evidence.source_vectors(reading), 1e-5
    table = evidence.gradient_times_input(reading)
    for place in range(len(x)):
        scale = torch.zeros(len(x), 1).double()
        scale[place] = step
        with torch.no_grad():
            up, down = (evidence.log_probs_of(reading, (x * (1 + sign * scale))[None])[0] for sign in (1, -1))
        torch.testing.assert_close(table[:, place], (up - down) / (2 * step), atol=1e-7, rtol=1e-5)


def test_integrated_gradients_add_up_to_what_is_lost_on_the_way(reading):
    x = evidence.source_vectors(reading)
    for start in (evidence.without_words(x), x.flip(0)):
        table = evidence.integrated_gradients(reading, 200, start)
        with torch.no_grad():
            before = evidence.log_probs_of(reading, start[None])[0]
        torch.testing.assert_close(table.sum(-1), (reading.log_prob - before).to(table), atol=5e-3, rtol=0)
    default = evidence.integrated_gradients(reading, 200)
    torch.testing.assert_close(default, evidence.integrated_gradients(reading, 200, evidence.without_words(x)))
    assert not default[:, -1].any()  # the end stays as it is


def test_asking_leaves_the_model_as_it_was(reading):
    model = reading.translator.model
    kernels = [block.kernel for block in model.modules() if isinstance(block, tc.MultiHeadAttention)]
    evidence.gradient_times_input(reading)
    assert all(block is tc.attention for block in kernels) and all(p.grad is None for p in model.parameters())
    assert [b.kernel for b in model.modules() if isinstance(b, tc.MultiHeadAttention)] == kernels


# ─── The answers, and the truth ──────────────────────────────────────────────────────────────────────────────────────


def test_every_answer_has_a_number_for_each_pair_of_words(reading):
    reading.translator.model.float()
    reading = toys_evidence.reading(reading.translator)
    tables = evidence.answers(reading, residual=0.4, steps=3)
    assert list(tables) == [
        "weights", "norms", "rollout", "rollout of norms", "flow", "gradient", "integrated", "diagonal"
    ]  # fmt: skip
    for table in tables.values():
        assert table.shape == (len(reading.ids), reading.src.size(1)) and table.isfinite().all()
    torch.testing.assert_close(tables["rollout"], rollout(by_weights(reading, 0.4))[0])
    torch.testing.assert_close(tables["weights"], reading.stack("cross").flatten(0, 1).mean(0))
    reading.translator.model.double()


def test_the_diagonal_is_nearest_at_both_ends_and_falls_off_by_distance():
    table = evidence.diagonal(3, 5)
    assert table[0].tolist() == [0, -1, -2, -3, -4] and table[1].tolist() == [-2, -1, 0, -1, -2] and table[2, 4] == 0


def test_a_loss_is_that_of_the_sentence_with_one_word_replaced(reading):
    n = reading.src.size(1) - 1
    ids = [[5 + place for place in range(n)], [tc.PAD] * n]
    for row in ids:
        table = evidence.losses(reading, row)
        assert table.shape == (len(reading.ids), n + 1) and not table[:, -1].any()
        for place in range(n):
            src = reading.src.clone()
            src[0, place] = row[place]
            with torch.no_grad():
                after = log_probs(reading.translator.model(src, reading.tgt_in)[0], reading.ids)
            torch.testing.assert_close(table[:, place], reading.log_prob - after, atol=1e-5, rtol=1e-4)
    both = evidence.losses(reading, ids)
    torch.testing.assert_close(both, (evidence.losses(reading, ids[0]) + evidence.losses(reading, ids[1])) / 2)
    own = evidence.losses(reading, reading.src[0, :-1])
    assert own.abs().max() < 1e-5  # the same word again
    with pytest.raises(ValueError, match=rf"There are 2 replacements for {n} source tokens"):
        evidence.losses(reading, [7, 8])


def test_another_of_its_kind_looks_alike_and_is_the_nearest_by_cosine():
    translator = toys_evidence.translator()
    tokenizer, table = translator.tokenizer, translator.model.src_embedding.weight
    known = list(range(260, len(tokenizer)))
    ids = tokenizer.encode("the cat sees")
    others = evidence.of_its_kind(translator, ids, known, 2)
    assert others.shape == (2, len(ids))
    for column, own in zip(others.T.tolist(), ids, strict=True):
        shape = evidence.shape_of(tokenizer.pieces([own])[0])
        alike = [i for i in known if i != own and evidence.shape_of(tokenizer.pieces([i])[0]) == shape]
        near = sorted(alike, key=lambda i, own=own: -torch.cosine_similarity(table[i], table[own], dim=0).item())
        assert column == near[:2]
    unlike = [*ids[:1], tokenizer.encode(".")[-1], *tokenizer.encode(",")[-1:], 30]
    assert set(evidence.of_its_kind(translator, ids[:1], unlike, 2)[:, 0].tolist()) < set(unlike[1:])
    with pytest.raises(ValueError, match="known holds 1 ids, and 3 others are wanted"):
        evidence.of_its_kind(translator, ids, [290])
    assert evidence.shape_of("▁Hund") == (True, True, True) and evidence.shape_of(",") == (False, False, False)


# ─── Agreement ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_equal_values_share_their_ranks():
    assert statistics.ranks(torch.tensor([[3.0, 1.0, 3.0, 2.0]])).tolist() == [[2.5, 0, 2.5, 1]]


def test_rank_correlation_is_spearmans_formula_where_no_values_are_equal():
    generator = torch.Generator().manual_seed(2)
    left, right = torch.rand(2, 3, 7, generator=generator)
    for row in range(3):
        places = [[sorted(x.tolist()).index(value) for value in x.tolist()] for x in (left[row], right[row])]
        wanted = 1 - 6 * sum((a - b) ** 2 for a, b in zip(*places, strict=True)) / (7 * (49 - 1))
        assert statistics.rank_correlation(left, right)[row].item() == pytest.approx(wanted)
    assert statistics.rank_correlation(left, -left.exp()).tolist() == pytest.approx([-1] * 3)
    assert math.isnan(statistics.rank_correlation(left[0], torch.ones(7)))


def test_agreement_leaves_the_ends_out_and_rows_that_say_nothing():
    truth = torch.tensor([[1.0, 2, 3, 0], [5.0, 5, 5, 9], [3.0, 1, 2, 0], [9.0, 0, 0, 0]])
    answer = torch.tensor([[1.0, 2, 4, 9], [1.0, 2, 3, 9], [9.0, 3, 2, 0], [0.0, 1, 2, 3]])
    wanted = (1 + 0.5) / 2  # the second row is a tie, the last the end of the translation
    assert evidence.agreement(answer, truth).item() == pytest.approx(wanted)
    both = evidence.agreement(torch.stack([answer, -answer]), truth)
    assert both.tolist() == pytest.approx([wanted, -wanted])
    assert math.isnan(evidence.agreement(answer, torch.ones(4, 4)))


def test_the_same_word_is_first_in_two_rows_of_three():
    truth = torch.tensor([[1.0, 2, 3, 9], [5.0, 4, 3, 9], [3.0, 1, 2, 0], [9.0, 0, 0, 0]])
    answer = torch.tensor([[0.0, 0, 1, 9], [1.0, 2, 3, 9], [9.0, 3, 2, 0], [0.0, 1, 2, 3]])
    assert evidence.same_first(answer, truth).item() == pytest.approx(2 / 3)
    assert evidence.same_first(torch.stack([answer, truth]), truth).tolist() == pytest.approx([2 / 3, 1])


def test_sentences_are_averaged_without_those_that_have_no_agreement(reading):
    truth = {"hidden": evidence.losses(reading, [tc.PAD] * (reading.src.size(1) - 1))}
    row = evidence.agreements({"weights": reading.stack("cross").mean((0, 1)), "itself": truth["hidden"]}, truth)
    assert row["itself"]["hidden"] == pytest.approx(1) and row["itself"]["hidden in size"] == pytest.approx(1)
    assert row["itself"]["hidden first"] == 1 and 0 <= row["weights"]["hidden first"] <= 1
    nothing = {name: dict.fromkeys(values, math.nan) for name, values in row.items()}
    together = evidence.over_sentences([row, row, nothing])
    assert together["weights"]["hidden"] == pytest.approx([row["weights"]["hidden"]] * 3)
    assert evidence.head_agreements(reading, truth["hidden"]).shape == (3, 2)


def test_the_interval_of_a_bootstrap_narrows_with_more_values():
    few, many = (statistics.bootstrapped([0.0, 1.0, 2.0] * n) for n in (2, 50))
    assert few[0] == many[0] == 1 and few[1] < many[1] < 1 < many[2] < few[2]
