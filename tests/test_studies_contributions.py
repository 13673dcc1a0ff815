"""What attention adds: the terms add up to what the sublayer really puts out, and lengths are those of the terms."""

import pytest
import torch
import toys_evidence

from studies import contributions
from studies.reading import KINDS, Reading, probe_of

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module", params=["post", "pre"])
def reading(request) -> Reading:
    return toys_evidence.reading(toys_evidence.translator(request.param))


def watched(reading: Reading, path: str) -> tuple[torch.Tensor, torch.Tensor]:
    """What goes into a module and what comes out of it when the reading's sentence passes."""
    passed = []
    module = reading.translator.model.get_submodule(path)
    hook = module.register_forward_hook(lambda _, inputs, output: passed.append((inputs[0], output)))
    with torch.no_grad():
        reading.translator.model(reading.src, reading.tgt_in)
    hook.remove()
    return passed[0][0][0], passed[0][1][0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_all_keys_add_is_the_sublayers_output_before_the_residual(reading, kind):
    for layer in range(3):
        _, output = watched(reading, probe_of(kind, layer))
        added = contributions.contributions(reading, kind, layer)
        assert added.shape == (len(output), len(reading.tokens(kind)[1]), 24)
        torch.testing.assert_close(added.sum(1), output, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_heads_lengths_are_those_of_its_own_terms(reading, kind):
    norms = contributions.head_norms(reading, kind)
    name = probe_of(kind, 1)
    w_o = reading.translator.model.get_parameter(f"{name}.w_o.weight")
    weights, v = (reading.trace[f"{name}.{x}"][0, 1] for x in ("weights", "v"))
    for i, j in ((0, 0), (len(weights) - 1, 1)):
        alone = weights[i, j] * (w_o[:, 5:10] @ v[j])
        assert norms[1, 1, i, j].item() == pytest.approx(alone.norm().item(), rel=1e-4, abs=1e-7)


def test_heads_together_add_no_more_than_each_by_itself(reading):
    for kind in KINDS:
        together, apart = contributions.layer_norms(reading, kind), contributions.head_norms(reading, kind).sum(1)
        assert (together <= apart + 1e-5).all() and (together < apart - 1e-4).any()


@pytest.mark.parametrize("kind", KINDS)
def test_the_residual_carries_what_the_block_was_given(reading, kind):
    block = {"encoder": "encoder.{}.add_norm.0", "decoder": "decoder.{}.add_norm.0", "cross": "decoder.{}.add_norm.1"}
    for layer in range(3):
        given, _ = watched(reading, block[kind].format(layer))
        torch.testing.assert_close(contributions.carried(reading, kind, layer), given, atol=1e-5, rtol=1e-4)
        added, stays = contributions.shares(reading, kind, layer)
        torch.testing.assert_close(added.sum(-1) + stays, torch.ones(len(stays)))
        norms = contributions.layer_norms(reading, kind)[layer]
        torch.testing.assert_close(added / stays[:, None], norms / given.norm(dim=-1)[:, None], atol=1e-5, rtol=1e-4)
