"""The libraries people would pick instead, with our weights, do what ours does: the strongest check of the model.

torch.nn.Transformer is always at hand. Marian and CTranslate2 are looked for beside the project's packages and in
.peers/, where `python -m benchmarks.speed --install` puts them; where they are absent, their tests say so.
"""

from __future__ import annotations

import importlib.util
import sys

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from benchmarks import peers, speed

if str(speed.PEERS) not in sys.path:
    sys.path.append(str(speed.PEERS))  # last: nothing there may take a package's place
absent = "{} is not installed; `python -m benchmarks.speed --install` brings it"
PAIRS = [([5, 6, 7, 8], [9, 8]), ([10] * 7, [11, 4] * 4), ([4], [5, 6, 7, 8, 9])]  # two kinds of padding on either side


@pytest.fixture(params=["torch.nn.Transformer", "HF Marian"])
def peer_class(request: pytest.FixtureRequest) -> type:
    """A peer that can hold our weights."""
    if request.param == "HF Marian" and importlib.util.find_spec("transformers") is None:
        pytest.skip(absent.format("transformers, which has Marian,"))
    return {"torch.nn.Transformer": peers.TorchTransformer, "HF Marian": peers.Marian}[request.param]


@pytest.fixture
def model() -> tc.Transformer:
    """Three layers, sizes all unlike, biases and norms no longer the same everywhere."""
    torch.manual_seed(7)
    model = tc.Transformer(tc.TransformerConfig(61, n_layers=3, d_model=24, d_ff=40, n_heads=3, d_k=8, d_v=8))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.1 * torch.randn_like(parameter)
    return model.eval()


def test_a_peer_with_our_weights_has_our_loss_and_our_gradients(model, peer_class):
    batch, peer = tc.Batch.of(PAIRS), peer_class(model).eval()
    ours = tc.label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out, 0.1)
    theirs = peer.loss(batch)
    torch.testing.assert_close(ours, theirs)
    ours.backward()
    theirs.backward()
    compared = 0
    for parameter, parts in peer.pairs(model):
        torch.testing.assert_close(torch.cat([part.grad for part in parts]), parameter.grad, atol=2e-6, rtol=1e-4)
        compared += parameter.numel()
    assert compared == tc.count_parameters(model)


def test_a_step_of_training_with_a_peer_is_ours(model, peer_class, monkeypatch):
    """The same Adam on the same batches ends in the same weights: what T1 and T2 time is one work."""
    monkeypatch.setattr(tc, "learning_rate", lambda step, d_model, warmup_steps=4000: 1e-2 / step)  # that they move
    model = tc.Transformer(tc.TransformerConfig(**vars(model.config) | dict(p_drop=0.0)))
    peer, batches = peer_class(model), [tc.Batch.of(PAIRS), tc.Batch.of(PAIRS[:2])]
    adam = torch.optim.Adam([p for p, _ in peer.pairs(model)], lr=0.01, betas=(0.9, 0.98), eps=1e-9)
    speed.training(peers.Ours(model), batches, "fp32")()
    for step, batch in enumerate(batches, 1):
        adam.param_groups[0]["lr"] = tc.learning_rate(step, model.config.d_model)
        adam.zero_grad()
        peer.train().loss(batch).backward()
        adam.step()
    for parameter, parts in peer.pairs(model):
        torch.testing.assert_close(torch.cat(parts), parameter, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("beam_size", [1, 3])
@pytest.mark.parametrize("name", ["transformers", "ctranslate2"])
def test_marian_and_ctranslate2_translate_as_ours_does(model, name, beam_size):
    if any(importlib.util.find_spec(needed) is None for needed in ("transformers", name)):
        pytest.skip(absent.format(name))
    model, src = speed.never_ending(model), torch.randint(4, 61, (5, 9))
    src[:, -1] = tc.EOS
    peer = peers.Marian(model).eval() if name == "transformers" else peers.CTranslate2(model)
    ours = peers.Ours(model).decode(src, beam_size, 12)
    with torch.no_grad():
        theirs = peer.decode(src, beam_size, 12)
    assert {len(ids) for ids in (*ours, *theirs)} == {12}
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) >= 4
    for row, *both in zip(src, ours, theirs, strict=True):  # where a rounding led the beams apart, ours did not lose
        found = [log_prob(model, row, ids) for ids in both]
        assert found[0] >= found[1] - 1e-4, (both, found)


def log_prob(model: tc.Transformer, src: torch.Tensor, ids: list[int]) -> float:
    """Of one translation, teacher-forced."""
    with torch.no_grad():
        logits = model(src[None], torch.tensor([[tc.BOS, *ids[:-1]]]))
    return logits.log_softmax(-1)[0, range(len(ids)), ids].sum().item()


def test_torchs_transformer_without_a_cache_translates_as_ours_does(model):
    model, src = speed.never_ending(model), torch.randint(4, 61, (5, 9))
    with torch.no_grad():
        theirs = peers.TorchTransformer(model).eval().decode(src, 1, 12)
    assert theirs == [best.ids for best in tc.greedy_decode(model, src, max_extra=3)]


def test_every_peer_shows_the_attention_weights_that_ours_shows(model, peer_class):
    src, tgt_in = torch.tensor([[5, 6, 7, 8, 2]]), torch.tensor([[1, 9, 8]])
    with torch.no_grad():
        ours = peers.Ours(model).weights(src, tgt_in)
        theirs = peer_class(model).eval().weights(src, tgt_in)
    assert len(ours) == len(theirs) == 9
    for weights in ours:
        assert any(w.shape == weights.shape and torch.allclose(w, weights, atol=1e-6) for w in theirs)


def test_useful_operations_are_those_that_torch_counts(model):
    src, tgt = 7, 5
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # it sees no fused kernel of a CPU
        model(torch.randint(4, 61, (1, src)), torch.randint(4, 61, (1, tgt)))
    assert speed.useful_flop(model.config, src, tgt) == counter.get_total_flops()


def test_what_is_reached_is_ours_over_the_peer_in_one_precision():
    def cell(contender: str, precision: str, rate: float) -> dict:
        return dict(workload="T1", threads=1, contender=contender, precision=precision, rate=rate)

    name = "torch.nn.Transformer"
    cells = [cell("ours", "fp32", 30.0), cell("ours", "bf16", 50.0), cell(name, "fp32", 20.0), cell(name, "bf16", 40.0)]
    found = {row["precision"]: row["ratio"] for row in speed.reached([*cells, cell("HF Marian", "fp32", 1.0)])}
    assert found == dict(fp32=1.5, bf16=1.25)
