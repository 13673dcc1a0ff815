"""The plane of a head's queries and keys: nothing holds more of its scores, and what is subtracted moves no weight."""

import math

import pytest
import torch
import toys

import transformer_core as tc
from studies import geometry
from studies.reading import KINDS, probe_of, read

pytestmark = pytest.mark.usefixtures("one_thread")
SHAPES = [(2, 3, 7, 4), (2, 3, 4, 9), (5, 5), (1, 6), (6, 1), (1, 1)]


def drawn(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.double)


@pytest.fixture(scope="module")
def reading(tokenizer):
    torch.manual_seed(3)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY | {"n_layers": 2}))
    return read(toys.ending(tc.Translator(model, tokenizer, "toy")), "ant bee cat dog ant")


@pytest.mark.parametrize("shape", SHAPES)
def test_the_plane_s_dot_products_are_the_best_approximation_of_rank_two(shape):
    scores = drawn(*shape)
    plane = geometry.plane_of(scores)
    u, values, v = torch.linalg.svd(scores, full_matrices=False)
    best = u[..., :2] * values[..., None, :2] @ v[..., :2, :]
    assert torch.allclose(plane.scores, best) and plane.queries.shape[-1] == plane.keys.shape[-1] == 2
    left = (scores - plane.scores).square().sum((-2, -1)) / scores.square().sum((-2, -1))
    assert torch.allclose(plane.share, 1 - left)
    assert torch.allclose(plane.queries.square().sum((-2, -1)), plane.keys.square().sum((-2, -1)))


def test_no_other_points_come_nearer():
    scores = drawn(6, 8)
    plane = geometry.plane_of(scores)
    best = (scores - plane.scores).norm()
    for seed in range(20):
        queries, keys = plane.queries + 0.1 * drawn(6, 2, seed=seed), plane.keys + 0.1 * drawn(8, 2, seed=seed + 50)
        assert (scores - queries @ keys.T).norm() > best


def test_scores_of_two_dimensions_are_held_whole_and_nothing_holds_nothing():
    scores = drawn(6, 2) @ drawn(2, 9, seed=1)
    plane = geometry.plane_of(scores)
    assert plane.share.item() == pytest.approx(1) and torch.allclose(plane.scores, scores)
    nothing = geometry.plane_of(torch.zeros(3, 4))
    assert nothing.share == 1 and not nothing.queries.any() and not nothing.keys.any()


def test_more_dimensions_hold_more_and_all_of_them_everything():
    scores = drawn(4, 5, 6)
    shares = torch.stack([geometry.plane_of(scores, n).share for n in (1, 2, 3, 4, 5)])
    assert (shares.diff(dim=0) > 0).all() and torch.allclose(shares[-1], torch.ones(4).double())


def test_the_mean_key_moves_no_weight_and_lies_at_the_origin():
    q, k = drawn(5, 8), drawn(7, 8, seed=1) + 3
    scores, without = q @ k.T, q @ (k - k.mean(0)).T
    assert torch.allclose(geometry.centred(scores), without)
    for may_look in (torch.ones(5, 7).bool(), torch.ones(5, 7).bool().tril()):
        weights = [geometry.weights_of(x, may_look) for x in (scores, without)]
        assert torch.allclose(*weights) and not weights[0][~may_look].any()
    assert torch.allclose(geometry.plane_of(without).keys.sum(0), torch.zeros(2).double(), atol=1e-9)


def test_scores_and_their_softmax_are_those_that_the_model_recorded(reading):
    for kind in KINDS:
        scores, may_look = geometry.scores_of(reading, kind), geometry.open_in(reading, kind)
        recorded = torch.cat([reading.trace[f"{probe_of(kind, layer)}.scores"] for layer in range(2)])
        assert torch.allclose(scores[:, :, may_look], recorded[:, :, may_look], atol=1e-6)
        assert (recorded[:, :, ~may_look] == -math.inf).all() and scores.isfinite().all()
        weights = geometry.weights_of(geometry.centred(scores), may_look)
        assert torch.allclose(weights, reading.stack(kind), atol=1e-6)
    assert not geometry.open_in(reading, "decoder").all() and geometry.open_in(reading, "cross").all()


def test_facts_are_what_they_say():
    scores, may_look = drawn(3, 5, 6), torch.ones(5, 6).bool()
    facts = geometry.facts_of(scores, may_look)
    assert facts.keys() == geometry.FACTS.keys() and all(values.shape == (3,) for values in facts.values())
    assert (facts["line"] < facts["share"]).all()
    mean_of_rows = scores.mean(-1, keepdim=True).expand_as(scores)
    assert torch.allclose(facts["unseen"], mean_of_rows.square().sum((1, 2)) / scores.square().sum((1, 2)))
    flat = drawn(5, 2) @ drawn(2, 6, seed=1)
    held = geometry.facts_of(flat - flat.mean(-1, keepdim=True), may_look)
    assert held["first"] == 1 and held["apart"] == pytest.approx(0, abs=1e-9)
    assert held["share"] == pytest.approx(1) and held["unseen"] == pytest.approx(0, abs=1e-9)


def test_a_row_without_a_choice_counts_for_nothing():
    scores, causal = drawn(1, 4, 4), torch.ones(4, 4).bool().tril()
    facts = geometry.facts_of(scores, causal)
    plane = geometry.plane_of(geometry.centred(scores))
    weights, guesses = (geometry.weights_of(x, causal)[0, 1:] for x in (scores, plane.scores))
    assert facts["apart"].item() == pytest.approx(((weights - guesses).abs().sum(-1) / 2).mean().item())


def test_every_head_has_facts_also_what_knows_nothing(reading):
    nothing = geometry.untrained(reading.translator)
    assert not torch.equal(*(next(model.parameters()) for model in (nothing.model, reading.translator.model)))
    draw = torch.Generator().manual_seed(0)
    for facts in (geometry.by_head(reading), geometry.of_random(reading, draw)):
        assert {values.shape for kind in KINDS for values in facts[kind].values()} == {(2, 2)}
        assert all(0 < share <= 1 for kind in KINDS for share in facts[kind]["share"].flatten())
    means = geometry.means_by_kind([facts, facts])
    assert means["cross"]["share"] == pytest.approx([facts["cross"]["share"].mean().item()] * 2)
