"""Probes: every tensor of the contract can be seen and edited, and looking changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import transformer_core as tc

N_LAYERS, H, D, D_K, D_V = 2, 3, 12, 5, 7  # d_k, d_v and d_model / h all differ
SRC = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])  # (B, S)
TGT_IN = torch.tensor([[1, 11, 12, 13], [1, 14, 15, 0]])  # (B, T)
B, S, T = 2, 5, 4
ATTENTIONS = [f"encoder.{i}.self_attention" for i in range(N_LAYERS)] + [
    f"decoder.{i}.{kind}_attention" for i in range(N_LAYERS) for kind in ("self", "cross")
]
NAMES = [f"{a}.{x}" for a in ATTENTIONS for x in ("q", "k", "v", "scores", "weights", "heads")] + [
    f"{stack}.{i}.residual" for stack in ("encoder", "decoder") for i in range(N_LAYERS)
]


def little(**changes: Any) -> tc.Transformer:
    torch.manual_seed(0)
    shape = dict(vocab_size=23, n_layers=N_LAYERS, d_model=D, d_ff=20, n_heads=H, d_k=D_K, d_v=D_V)
    return tc.Transformer(tc.TransformerConfig(**(shape | changes))).eval()


def sides(attention: str) -> tuple[Tensor, Tensor]:
    """What its queries read and what its keys read, as ids."""
    return (TGT_IN if attention.startswith("decoder") else SRC), (
        TGT_IN if "decoder" in attention and "self" in attention else SRC
    )


def without_head(attention: str, head: int) -> tc.Transformer:
    """The model with a head's block of W^O set to zero."""
    model = little()
    with torch.no_grad():
        model.get_submodule(attention).w_o.weight[:, head * D_V : (head + 1) * D_V] = 0
    return model


def zero_head(head: int) -> Callable[[Tensor], Tensor]:
    return lambda x: x.index_fill(1, torch.tensor(head), 0.0)


def test_the_probes_are_those_of_the_contract_in_every_layer():
    assert sorted(tc.probes(little())) == sorted(NAMES)


def test_a_trace_holds_every_tensor_in_its_shape():
    model = little()
    with tc.record(model) as trace:
        model(SRC, TGT_IN)
    assert sorted(trace) == sorted(NAMES)
    for attention in ATTENTIONS:
        n_queries, n_keys = (ids.size(1) for ids in sides(attention))
        shapes = dict(
            q=(B, H, n_queries, D_K),
            k=(B, H, n_keys, D_K),
            v=(B, H, n_keys, D_V),
            scores=(B, H, n_queries, n_keys),
            weights=(B, H, n_queries, n_keys),
            heads=(B, H, n_queries, D_V),
        )
        assert {x: tuple(trace[f"{attention}.{x}"].shape) for x in shapes} == shapes, attention
    for i in range(N_LAYERS):
        assert trace[f"encoder.{i}.residual"].shape == (B, S, D)
        assert trace[f"decoder.{i}.residual"].shape == (B, T, D)


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("variation", [{}, dict(window=3), dict(norm="pre"), dict(positions="learned")])
def test_watched_equals_unwatched(variation, grad):
    model = little(**variation)
    with torch.set_grad_enabled(grad):
        unwatched = model(SRC, TGT_IN)
        with tc.record(model):
            watched = model(SRC, TGT_IN)
    torch.testing.assert_close(watched, unwatched, atol=1e-5, rtol=0)


def test_only_watched_weights_leave_the_fused_kernel(monkeypatch):
    model, calls = little(), []
    fused = F.scaled_dot_product_attention
    monkeypatch.setattr(F, "scaled_dot_product_attention", lambda *a, **k: calls.append(1) or fused(*a, **k))

    def n_fused(pattern: str) -> int:
        calls.clear()
        with torch.no_grad(), tc.record(model, pattern):
            model(SRC, TGT_IN)
        return len(calls)

    assert n_fused("*.residual") == n_fused("*.heads") == len(ATTENTIONS)
    assert n_fused("decoder.1.cross_attention.weights") == len(ATTENTIONS) - 1
    assert n_fused("*.scores") == 0


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_weights_sum_to_1_over_real_tokens_alone(attention, training):
    model = little(p_drop=0.5).train(training)
    with tc.record(model) as trace:
        model(SRC, TGT_IN)
    scores, weights = trace[f"{attention}.scores"], trace[f"{attention}.weights"]
    queries, keys = sides(attention)
    hidden = (keys == 0)[:, None, None, :].expand_as(weights)
    if attention.startswith("decoder") and "self" in attention:
        hidden = hidden | torch.ones(T, T).triu(1).bool()
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, H, queries.size(1)))
    assert (weights[hidden] == 0).all() and (weights[~hidden] > 0).all()
    assert (scores[hidden] == -torch.inf).all() and scores[~hidden].isfinite().all()


@pytest.mark.parametrize("training", [False, True])
def test_what_is_recorded_obeys_equation_1_also_under_dropout(training):
    model = little(p_drop=0.5).train(training)
    with tc.record(model) as trace:
        model(SRC, TGT_IN)
    for a in ATTENTIONS:
        q, k, v, scores, weights, heads = (trace[f"{a}.{x}"] for x in ("q", "k", "v", "scores", "weights", "heads"))
        seen = scores.isfinite()
        torch.testing.assert_close(scores[seen], (q @ k.mT / D_K**0.5)[seen])
        torch.testing.assert_close(weights, scores.softmax(-1))
        torch.testing.assert_close(heads, weights @ v)


def test_the_residual_stream_ends_in_what_the_stack_hands_on():
    model = little()
    with tc.record(model) as trace:
        logits = model(SRC, TGT_IN)
    torch.testing.assert_close(trace[f"encoder.{N_LAYERS - 1}.residual"], model.encode(SRC))
    last = trace[f"decoder.{N_LAYERS - 1}.residual"]
    torch.testing.assert_close(last @ model.tgt_embedding.weight.T, logits)


def test_a_pattern_records_what_it_names_and_no_more():
    model = little()
    with tc.record(model, "decoder.*.cross_attention.weights") as trace:
        model(SRC, TGT_IN)
    assert sorted(trace) == [f"decoder.{i}.cross_attention.weights" for i in range(N_LAYERS)]


def test_a_trace_keeps_the_latest_pass():
    model = little()
    with tc.record(model, "encoder.0.residual") as trace:
        model(SRC, TGT_IN)
        model(SRC[:1, :3], TGT_IN[:1])
    assert trace["encoder.0.residual"].shape == (1, 3, D)


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_at_any_probe_reaches_the_logits_and_is_recorded(name):
    model = little()
    with torch.no_grad():
        before = model(SRC, TGT_IN)
        with tc.record(model, name) as trace, tc.intervene(model, name, torch.zeros_like):
            after = model(SRC, TGT_IN)
    assert (after - before).abs().max() > 1e-4
    assert not trace[name].any()


@pytest.mark.parametrize("name", NAMES)
def test_an_edit_that_changes_nothing_changes_nothing(name):
    model = little()
    with torch.no_grad():
        before = model(SRC, TGT_IN)
        with tc.intervene(model, name, lambda x: x):
            torch.testing.assert_close(model(SRC, TGT_IN), before, atol=1e-5, rtol=0)


@pytest.mark.parametrize("head", [0, H - 1])
@pytest.mark.parametrize("tensor", ["v", "weights", "heads"])
@pytest.mark.parametrize("attention", ATTENTIONS)
def test_a_head_set_to_zero_is_its_block_of_w_o_dropped(attention, tensor, head):
    model, dropped = little(), without_head(attention, head)
    with torch.no_grad(), tc.intervene(model, f"{attention}.{tensor}", zero_head(head)):
        torch.testing.assert_close(model(SRC, TGT_IN), dropped(SRC, TGT_IN), atol=1e-5, rtol=0)


@pytest.mark.parametrize("tensor", ["v", "weights", "heads"])
@pytest.mark.parametrize(
    "attention", ["encoder.1.self_attention", "decoder.0.self_attention", "decoder.1.cross_attention"]
)
def test_decoding_feels_an_edit_at_every_step(attention, tensor):
    model, dropped = little(), without_head(attention, 1)
    with tc.intervene(model, f"{attention}.{tensor}", zero_head(1)):
        greedy = tc.greedy_decode(model, SRC, max_extra=3)
        beam = tc.beam_search(model, SRC, beam_size=3, max_extra=3)
    for found, wanted in (
        (greedy, tc.greedy_decode(dropped, SRC, max_extra=3)),
        (beam, tc.beam_search(dropped, SRC, beam_size=3, max_extra=3)),
    ):
        assert [h.ids for h in found] == [h.ids for h in wanted]
        assert [h.log_prob for h in found] == pytest.approx([h.log_prob for h in wanted], abs=1e-4)


@pytest.mark.parametrize("decode", [tc.greedy_decode, tc.beam_search])
def test_decoding_is_seen_step_by_step_and_left_as_it_was(decode):
    model = little()
    before = decode(model, SRC, max_extra=3)
    with tc.record(model, "*.weights") as trace:
        watched = decode(model, SRC, max_extra=3)
    assert [h.ids for h in watched] == [h.ids for h in before]
    assert [h.log_prob for h in watched] == pytest.approx([h.log_prob for h in before], abs=1e-4)
    for name, weights in trace.items():
        torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:-1]), msg=name)


def test_edits_apply_in_the_order_they_were_entered():
    model = little()
    with tc.record(model, "encoder.0.residual") as trace:
        model(SRC, TGT_IN)
        x = trace["encoder.0.residual"]
        with (
            tc.intervene(model, "encoder.0.residual", lambda x: x + 1),
            tc.intervene(model, "encoder.*.residual", lambda x: x * 3),
        ):
            model(SRC, TGT_IN)
    torch.testing.assert_close(trace["encoder.0.residual"], (x + 1) * 3)


def test_leaving_an_edit_entered_twice_takes_back_the_later_one():
    model, name = little(), "encoder.0.residual"

    def add(x: Tensor) -> Tensor:
        return x + 1

    def triple(x: Tensor) -> Tensor:
        return x * 3

    with tc.record(model, name) as trace:
        model(SRC, TGT_IN)
        x = trace[name]
        with tc.intervene(model, name, add), tc.intervene(model, name, triple):
            with tc.intervene(model, name, add):
                pass
            model(SRC, TGT_IN)
    torch.testing.assert_close(trace[name], (x + 1) * 3)


def test_recordings_nest_and_each_stops_by_itself():
    model = little()
    with tc.record(model, "encoder.0.residual") as outer:
        with tc.record(model, "encoder.0.residual") as inner:
            model(SRC, TGT_IN)
        model(SRC[:1], TGT_IN[:1])
    assert inner["encoder.0.residual"].size(0) == 2 and outer["encoder.0.residual"].size(0) == 1


@pytest.mark.parametrize("fails", ["nothing", "the caller", "the edit"])
def test_probes_leave_no_trace(fails):
    model = little()

    def edit(x: Tensor) -> Tensor:
        if fails == "the edit":
            raise ArithmeticError
        return x * 2

    with torch.no_grad():
        before = model(SRC, TGT_IN)
        try:
            with tc.record(model), tc.intervene(model, "*.weights", edit):
                model(SRC, TGT_IN)
                if fails == "the caller":
                    raise ArithmeticError
        except ArithmeticError:
            assert fails != "nothing"
        assert torch.equal(model(SRC, TGT_IN), before)
    assert not any(probe.watched for probe in tc.probes(model).values())
    assert not any("probe" in name or "residual" in name for name in model.state_dict())


@pytest.mark.parametrize("enter", [tc.record, lambda model, name: tc.intervene(model, name, torch.zeros_like)])
def test_an_unknown_name_is_refused_with_the_nearest_ones(enter):
    with pytest.raises(KeyError) as refusal, enter(little(), "decoder.1.cross_atention.weight"):
        pass
    message = str(refusal.value)
    assert "decoder.1.cross_atention.weight'" in message and "decoder.1.cross_attention.weights" in message
