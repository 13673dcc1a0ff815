"""Context-aware self-attention: the equations of Yang et al. (2019) written out in loops, and its properties."""

import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import toys
from torch import Tensor, nn

import transformer_core as tc
from core_options import beams, context_aware, serving
from core_options.context_aware import ContextConfig, ContextTransformer
from experiments import bench
from experiments import context as benchmark

pytestmark = pytest.mark.usefixtures("one_thread")

V, N_LAYERS, H, D, D_K, D_V = 23, 3, 3, 12, 5, 7  # H·K is not D
SRC = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])  # (B, S)
TGT_IN = torch.tensor([[1, 11, 12, 13], [1, 14, 15, 0]])  # (B, T)
CONTEXTS = ["global", "deep", "deep-global", "deep-global+deep", "global+deep"]
contexts = pytest.mark.parametrize("context", CONTEXTS)
sides = pytest.mark.parametrize("side", ["encoder", "decoder", "both"])
gates = pytest.mark.parametrize("gate", ["all", "each"])
OPTIONS = [
    dict(context=context, context_in=side, context_gate=gate)
    for context, side, gate in itertools.product(CONTEXTS, ("encoder", "decoder", "both"), ("all", "each"))
] + [dict(context="deep-global+deep", context_in="both", context_on=on, norm="pre") for on in ("qk", "q", "k")]
options = pytest.mark.parametrize("option", OPTIONS, ids=lambda option: " ".join(option.values()))


def shape(**changes: Any) -> ContextConfig:
    small = dict(vocab_size=V, n_layers=N_LAYERS, d_model=D, d_ff=20, n_heads=H, d_k=D_K, d_v=D_V)
    return ContextConfig(**(small | changes))


def plain_shape() -> tc.TransformerConfig:
    return tc.TransformerConfig(V, N_LAYERS, D, 20, H, D_K, D_V)


def little(**changes: Any) -> tc.Transformer:
    """In eval mode and double precision, every parameter drawn anew."""
    torch.manual_seed(0)
    model = ContextTransformer(shape(**changes)).double().eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    return model


def sharing(model: tc.Transformer, **changes: Any) -> tc.Transformer:
    """Another model that has this one's weights wherever it has the parameter."""
    other = ContextTransformer(replace(model.config, **changes)).double().eval()
    other.load_state_dict({name: x for name, x in model.state_dict().items() if name in other.state_dict()}, False)
    return other


def baseline(model: tc.Transformer) -> tc.Transformer:
    return sharing(model, context=None)


def seen(model: tc.Transformer, src: Tensor = SRC, tgt_in: Tensor = TGT_IN) -> dict[str, Tensor]:
    with torch.no_grad(), tc.record(model) as trace:
        model(src, tgt_in)
    return trace


def closed(model: tc.Transformer, pattern: str = "*.w_?.gate") -> Any:
    """λ forced to 0."""
    return tc.intervene(model, pattern, lambda gate: 0 * gate)


def opened(model: tc.Transformer, pattern: str = "*.w_?.gate") -> Any:
    """λ forced to 1."""
    return tc.intervene(model, pattern, torch.ones_like)


def layer_inputs(model: tc.Transformer, stack: str, trace: dict[str, Tensor]) -> list[Tensor]:
    """H¹, …, H^L of an encoder or a decoder: the embedded text, then what each layer hands on."""
    ids, side = (SRC, "src") if stack == "encoder" else (TGT_IN, "tgt")
    with torch.no_grad():
        first = model.embed(ids, getattr(model, f"{side}_embedding"), getattr(model, f"{side}_positions"))
    return [first, *(trace[f"{stack}.{i}.residual"] for i in range(N_LAYERS - 1))]


# ─── The oracle: the equations in loops, one number at a time ────────────────────────────────────────────────────────

Vector = list[float]


def times(vector: Vector, matrix: Tensor) -> Vector:
    """A row times a matrix, given as nn.Linear keeps it: (out, in)."""
    return [sum(w * x for w, x in zip(row, vector, strict=True)) for row in matrix.tolist()]


def plain_context(context: str, inputs: list[list[Vector]], layer: int, look: list[int], i: int) -> Vector:
    """C of one position, from H¹, …, H^layer of one sentence; look: the positions that means are taken over."""

    def mean(h: list[Vector]) -> Vector:
        return [sum(h[j][f] for j in look) / len(look) for f in range(D)]

    parts = {
        "global": lambda: [mean(inputs[layer])],
        "deep": lambda: [inputs[below][i] for below in range(layer)],
        "deep-global": lambda: [mean(inputs[below]) for below in range(layer + 1)],
    }
    return [x for kind in context.split("+") for part in parts[kind]() for x in part]


def plain_mix(q: Vector, c: Vector, gate: nn.Module, each: bool) -> tuple[Vector, list[float]]:
    """(1 - λ) Q + λ (C U), and λ: one, or one for every head."""
    v_h, v_c = gate.v_h.weight[0].tolist(), gate.v_c.weight[0].tolist()
    bias = gate.v_h.bias.item() if gate.v_h.bias is not None else 0.0
    mixed, shares = list[float](), list[float]()
    width = D_K if each else H * D_K
    for start in range(0, H * D_K, width):
        own, other = q[start : start + width], c[start : start + width]
        score = sum(v * x for v, x in zip(v_h, own, strict=True)) + sum(v * x for v, x in zip(v_c, other, strict=True))
        shares.append(1 / (1 + math.exp(-score - bias)))
        mixed += [(1 - shares[-1]) * x + shares[-1] * y for x, y in zip(own, other, strict=True)]
    return mixed, shares


@gates
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
@contexts
def test_every_query_and_key_is_the_one_of_the_equations(context, stack, gate):
    model = little(context=context, context_in=stack, context_gate=gate)
    trace, ids = seen(model), SRC if stack == "encoder" else TGT_IN
    inputs = [h.tolist() for h in layer_inputs(model, stack, trace)]
    compared = 0
    for layer, letter, b in itertools.product(range(N_LAYERS), "qk", range(2)):
        name = f"{stack}.{layer}.self_attention.w_{letter}"
        w, aware = model.get_submodule(name), f"{name}.gate" in trace
        real = [j for j in range(ids.size(1)) if ids[b, j] != 0]
        for i in real:
            plain = times(inputs[layer][b][i], w.weight)
            if aware:
                look = [j for j in real if stack == "encoder" or j <= i]
                c = times(plain_context(context, [h[b] for h in inputs], layer, look, i), w.u.weight)
                plain, shares = plain_mix(plain, c, w, gate == "each")
                found = trace[f"{name}.gate"][b, i].tolist()
                assert found == pytest.approx(shares, abs=1e-12)
                compared += 1
            ours = trace[f"{stack}.{layer}.self_attention.{letter}"][b, :, i].flatten().tolist()
            assert ours == pytest.approx(plain, abs=1e-10)
    with_context = N_LAYERS - (context == "deep")
    assert compared == with_context * 2 * int((ids != 0).sum())


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_values_and_attention_itself_are_as_before(stack):
    model = little(context="deep-global+deep", context_in=stack)
    trace = seen(model)
    for layer, h in enumerate(layer_inputs(model, stack, trace)):
        attention = f"{stack}.{layer}.self_attention"
        w_v = getattr(model, stack)[layer].self_attention.w_v.weight[:, :D]
        torch.testing.assert_close(trace[f"{attention}.v"], (h @ w_v.T).unflatten(-1, (H, D_V)).transpose(1, 2))
        scores = trace[f"{attention}.q"] @ trace[f"{attention}.k"].transpose(-2, -1) / math.sqrt(D_K)
        kept = trace[f"{attention}.scores"].isfinite()
        torch.testing.assert_close(trace[f"{attention}.scores"][kept], scores[kept])
        torch.testing.assert_close(trace[f"{attention}.heads"], trace[f"{attention}.weights"] @ trace[f"{attention}.v"])


def test_with_pre_norm_queries_read_the_normalised_input_and_means_the_stream_itself():
    model = little(context="global", norm="pre")
    trace = seen(model)
    for layer, h in enumerate(layer_inputs(model, "encoder", trace)):
        attention = model.encoder[layer].self_attention
        q = model.encoder[layer].add_norm[0].layer_norm(h) @ attention.w_q.weight.T
        means = torch.stack([row[ids != 0].mean(0) for row, ids in zip(h, SRC, strict=True)])
        c = (means @ attention.w_q.u.weight.T)[:, None]
        gate = trace[f"encoder.{layer}.self_attention.w_q.gate"]
        mixed = ((1 - gate) * q + gate * c).unflatten(-1, (H, D_K)).transpose(1, 2)
        torch.testing.assert_close(trace[f"encoder.{layer}.self_attention.q"], mixed)


# ─── How many parameters ─────────────────────────────────────────────────────────────────────────────────────────────

INCREMENTS = {  # with the gates; 2 · H·K · d_context for the U's alone
    512: {"global": 3_158_016, "deep": 7_874_560, "deep-global": 11_022_336, "deep-global+deep": 18_886_656},
    1024: {"global": 12_607_488, "deep": 31_477_760, "deep-global": 44_064_768, "deep-global+deep": 75_522_048},
}
PROJECTIONS = {
    512: {"global": 3_145_728, "deep": 7_864_320, "deep-global": 11_010_048, "deep-global+deep": 18_874_368},
    1024: {"global": 12_582_912, "deep": 31_457_280, "deep-global": 44_040_192, "deep-global+deep": 75_497_472},
}
SIZES = {512: "base", 1024: "big"}
by_size = pytest.mark.parametrize("d, context", [(d, context) for d in INCREMENTS for context in INCREMENTS[d]])


def unmade(**row: Any) -> tc.Transformer:
    with torch.device("meta"):
        return ContextTransformer(ContextConfig(1000, **row))


def increment(d: int = 512, **row: Any) -> int:
    own, base = (unmade(**tc.PRESETS[SIZES[d]], **changes) for changes in (row, {}))
    return tc.count_parameters(own) - tc.count_parameters(base)


@by_size
@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_a_context_adds_exactly_its_parameters_in_either_stack(d, context, stack):
    assert increment(d, context=context, context_in=stack) == INCREMENTS[d][context]


@by_size
def test_in_both_stacks_it_adds_twice_and_on_one_side_half_as_many(d, context):
    assert increment(d, context=context, context_in="both") == 2 * INCREMENTS[d][context]
    for one in ("q", "k"):
        assert 2 * increment(d, context=context, context_on=one) == INCREMENTS[d][context]


@by_size
def test_the_projections_alone_are_two_squares_for_every_part_of_the_context(d, context):
    model = unmade(**tc.PRESETS[SIZES[d]], context=context)
    count = sum(x.numel() for name, x in model.named_parameters() if name.endswith(".u.weight"))
    assert count == PROJECTIONS[d][context]
    gates = 4 * d * (5 if context == "deep" else 6)
    assert increment(d, context=context) - count == gates


def test_a_gate_for_each_head_has_258_parameters_a_layer_as_in_the_authors_code():
    assert increment(context="global", context_gate="each") == PROJECTIONS[512]["global"] + 6 * 258
    assert increment(context="deep", context_gate="each") == PROJECTIONS[512]["deep"] + 5 * 258


@pytest.mark.parametrize(
    "base, context, side, printed",
    [
        (88.0, "deep-global", "encoder", 99.0),
        (88.0, "deep", "encoder", 95.9),
        (88.0, "deep-global+deep", "encoder", 106.9),
        (88.0, "deep-global", "decoder", 99.0),
        (88.0, "deep-global+deep", "decoder", 106.9),
        (88.0, "deep-global+deep", "both", 125.8),
        (107.9, "deep-global+deep", "encoder", 126.8),
        (264.1, "deep-global+deep", "encoder", 339.6),
        (303.9, "deep-global+deep", "encoder", 379.4),
    ],
)
def test_the_printed_totals_are_the_printed_base_and_the_increment(base, context, side, printed):
    added = increment(1024 if base > 200 else 512, context=context, context_in=side) / 1e6
    assert abs(base + added - printed) < 0.1  # two numbers rounded to 0.1


def test_only_the_printed_total_of_the_global_row_does_not_add_up():
    assert 88.0 + increment(context="global") / 1e6 - 91.0 > 0.15


# ─── What a context is ───────────────────────────────────────────────────────────────────────────────────────────────

WIDTHS = {  # in units of d_model, layers from the lowest
    "global": [1, 1, 1], "deep": [0, 1, 2], "deep-global": [1, 2, 3], "deep-global+deep": [1, 3, 5],
    "global+deep": [1, 2, 3],
}  # fmt: skip


@sides
@contexts
def test_a_context_has_its_width_in_the_stacks_it_is_for_and_there_alone(context, side):
    model = little(context=context, context_in=side)
    for stack, layer, letter in itertools.product(("encoder", "decoder"), range(N_LAYERS), "qk"):
        width = D * WIDTHS[context][layer] if side in (stack, "both") else 0
        name = f"{stack}.{layer}.self_attention.w_{letter}"
        assert context_aware.d_context(model.config, layer) == D * WIDTHS[context][layer]
        assert (f"{name}.gate" in tc.probes(model)) == bool(width)
        if width:
            assert model.get_submodule(name).u.weight.shape == (H * D_K, width)
        else:
            assert type(getattr(model, stack)[layer].self_attention) is tc.MultiHeadAttention
    assert not any("cross_attention" in name for name in tc.probes(model) if name.endswith(".gate"))


def test_without_context_nothing_is_added():
    model = little()
    assert model.config.context is None and not any(name.endswith(".gate") for name in tc.probes(model))
    assert context_aware.d_context(model.config, 2) == 0


def test_global_context_in_the_encoder_is_one_mean_of_the_real_tokens_for_all_positions():
    model = little(context="global")
    with opened(model):
        trace = seen(model)
    for layer, h in enumerate(layer_inputs(model, "encoder", trace)):
        u = model.encoder[layer].self_attention.w_k.u.weight
        for b in range(2):
            mean = h[b, SRC[b] != 0].mean(0)
            k = trace[f"encoder.{layer}.self_attention.k"][b]  # (H, S, K), C U alone
            torch.testing.assert_close(k, (u @ mean).view(H, 1, D_K).expand(H, 5, D_K))


def test_global_context_in_the_decoder_is_the_mean_of_what_came_so_far():
    model = little(context="global", context_in="decoder")
    with opened(model):
        trace = seen(model)
    for layer, h in enumerate(layer_inputs(model, "decoder", trace)):
        u = model.decoder[layer].self_attention.w_q.u.weight
        for b in range(2):
            n = int((TGT_IN[b] != 0).sum())
            for t in range(n):
                q = trace[f"decoder.{layer}.self_attention.q"][b, :, t].flatten()
                torch.testing.assert_close(q, u @ h[b, : t + 1].mean(0))


def test_the_first_layer_has_no_deep_context_and_is_the_baselines():
    model = little(context="deep")
    base = baseline(model)
    ours, theirs = seen(model), seen(base)
    assert torch.equal(ours["encoder.0.residual"], theirs["encoder.0.residual"])
    assert not torch.allclose(ours["encoder.1.residual"], theirs["encoder.1.residual"])


def projected(model: tc.Transformer, layer: int) -> Tensor:
    """C U of queries in this encoder layer, whose input is the baseline's: (B, H, S, K)."""
    with closed(model), opened(model, f"encoder.{layer}.self_attention.w_q.gate"):
        return seen(model)[f"encoder.{layer}.self_attention.q"]


@pytest.mark.parametrize("context", ["deep-global+deep", "global+deep", "deep+global", "global+deep-global+deep"])
def test_a_combination_is_the_sum_of_its_contexts_each_with_a_projection_of_its_own(context):
    model, layer = little(context=context), 2
    kinds, whole = context.split("+"), model.encoder[layer].self_attention.w_q.u.weight
    parts = whole.split([D * WIDTHS[kind][layer] for kind in kinds], dim=1)
    total = torch.zeros(2, H, 5, D_K, dtype=torch.float64)
    for kind, part in zip(kinds, parts, strict=True):
        single = sharing(baseline(model), context=kind)
        with torch.no_grad():
            single.encoder[layer].self_attention.w_q.u.weight.copy_(part)
        total += projected(single, layer)
    torch.testing.assert_close(projected(model, layer), total)


# ─── The gate ────────────────────────────────────────────────────────────────────────────────────────────────────────


@options
def test_with_every_gate_at_0_the_model_is_the_baseline_to_the_bit(option):
    model = little(**option).float()
    base = baseline(model).float()
    for grad in (True, False):  # the explicit and the fused path
        with torch.set_grad_enabled(grad), closed(model):
            assert torch.equal(model(SRC, TGT_IN), base(SRC, TGT_IN))
        assert not torch.equal(model(SRC, TGT_IN), base(SRC, TGT_IN))


@pytest.mark.parametrize("gate, n", [("all", 1), ("each", H)])
def test_a_gate_lies_between_0_and_1_one_for_a_position_or_for_each_head_of_it(gate, n):
    model = little(context="deep-global+deep", context_in="both", context_gate=gate)
    trace = {name: x for name, x in seen(model).items() if name.endswith(".gate")}
    assert len(trace) == 2 * N_LAYERS * 2
    for name, x in trace.items():
        ids = SRC if name.startswith("encoder") else TGT_IN
        assert x.shape == (*ids.shape, n)
        assert 0 < x.min() < x.max() < 1
        assert x[ids != 0].std() > 1e-3


@gates
def test_a_gate_is_the_same_for_all_features_that_it_is_for(gate):
    model, name = little(context="global", context_gate=gate), "encoder.0.self_attention"
    mixed = seen(model)
    with closed(model):
        own = seen(model)[f"{name}.q"]
    with opened(model):
        context = seen(model)[f"{name}.q"]
    share = (mixed[f"{name}.q"] - own) / (context - own)  # (B, H, S, K)
    wanted = mixed[f"{name}.w_q.gate"].transpose(1, 2)[..., None]  # (B, G, S, 1)
    torch.testing.assert_close(share, wanted.expand_as(share), atol=1e-8, rtol=1e-8)


@gates
@sides
def test_everything_new_learns(side, gate):
    model = little(context="deep-global+deep", context_in=side, context_gate=gate)
    tc.label_smoothed_loss(model(SRC, TGT_IN), TGT_IN).backward()
    old = dict(baseline(model).named_parameters())
    new = [(name, x) for name, x in model.named_parameters() if name not in old]
    assert len(new) == (2 if side == "both" else 1) * N_LAYERS * 2 * (3 if gate == "all" else 4)
    assert all(x.grad is not None and x.grad.abs().max() > 0 for _, x in new)


@pytest.mark.parametrize("on, other", [("q", "k"), ("k", "q")])
def test_context_on_one_side_leaves_the_other_as_it_was(on, other):
    model = little(context="global", context_on=on)
    ours, base, name = seen(model), seen(baseline(model)), "encoder.0.self_attention"
    assert torch.equal(ours[f"{name}.{other}"], base[f"{name}.{other}"])
    assert not torch.allclose(ours[f"{name}.{on}"], base[f"{name}.{on}"])
    assert all(f"w_{on}" in probe for probe in tc.probes(model) if probe.endswith(".gate"))
    both = sharing(model, context_on="qk")
    assert torch.equal(seen(both)[f"{name}.{on}"], ours[f"{name}.{on}"])


# ─── What may reach what ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("context, moves", [(None, False), ("deep", False), ("global", True), ("deep-global", True)])
def test_a_third_token_moves_a_pairs_score_in_the_first_layer_only_with_a_mean_as_context(context, moves):
    model, changed = little(context=context), SRC.clone()
    changed[0, 3] = 16
    before, after = (seen(model, src)["encoder.0.self_attention.scores"][0, :, 0, 1] for src in (SRC, changed))
    difference = (before - after).abs()
    assert difference.min() > 1e-3 if moves else difference.max() == 0


def test_in_the_decoder_only_an_earlier_third_token_moves_a_pairs_score():
    model = little(context="global", context_in="decoder")
    before = seen(model)["decoder.0.self_attention.scores"][0, :, 2, 1]
    for position, moves in ((0, True), (3, False)):
        changed = TGT_IN.clone()
        changed[0, position] = 16
        after = seen(model, tgt_in=changed)["decoder.0.self_attention.scores"][0, :, 2, 1]
        assert (before - after).abs().min() > 1e-3 if moves else torch.equal(before, after)


@options
def test_a_future_token_cannot_change_the_past(option):
    model = little(**option)
    for grad, t in itertools.product((True, False), range(1, 4)):
        changed = TGT_IN.clone()
        changed[:, t:] = torch.tensor([[16], [17]])
        with torch.set_grad_enabled(grad):
            before, after = model(SRC, TGT_IN), model(SRC, changed)
        assert torch.equal(before[:, :t], after[:, :t])
        assert (before[:, t] - after[:, t]).abs().amax(-1).min() > 0


@options
def test_padding_changes_nothing_for_real_tokens(option):
    model = little(**option)
    beside = model(SRC, TGT_IN)
    for b in range(2):
        src, tgt_in = SRC[b][SRC[b] != 0], TGT_IN[b][TGT_IN[b] != 0]
        alone = model(src[None], tgt_in[None])
        padded = model(F.pad(src, (0, 3))[None], F.pad(tgt_in, (0, 2))[None])
        torch.testing.assert_close(padded[:, : len(tgt_in)], alone)
        torch.testing.assert_close(beside[[b], : len(tgt_in)], alone)


def test_a_source_of_padding_alone_harms_nobody():
    model, src = little(context="deep-global+deep"), torch.cat([SRC[:1], torch.zeros_like(SRC[:1])])
    logits = model(src, TGT_IN)
    assert logits.isfinite().all()
    torch.testing.assert_close(logits[:1], model(src[:1], TGT_IN[:1]))
    logits.square().sum().backward()
    assert all(x.grad is None or x.grad.isfinite().all() for x in model.parameters())


# ─── Decoding, one token at a time ───────────────────────────────────────────────────────────────────────────────────


@options
def test_one_position_at_a_time_with_a_cache_is_the_full_pass(option):
    model = little(**option)
    ids = TGT_IN.where(TGT_IN != 0, 9)  # what decoding has read holds no padding
    with torch.no_grad():
        whole, memory = model(SRC, ids), model.encode(SRC)
        cache = [(tc.KeyValues(6), tc.KeyValues()) for _ in model.decoder]
        steps = [model.decode(ids[:, [t]], memory, SRC != 0, cache) for t in range(4)]
    torch.testing.assert_close(torch.cat(steps, 1), whole)


@gates
@pytest.mark.parametrize("side", ["decoder", "both"])
@contexts
def test_rows_of_a_cache_may_be_left_out_doubled_and_reordered(context, side, gate):
    model = little(context=context, context_in=side, context_gate=gate)
    ids = torch.tensor([[1, 11, 12, 13, 14], [1, 15, 16, 17, 18], [1, 19, 20, 21, 22], [1, 5, 6, 7, 8]])
    memory = model.encode(SRC[:1]).expand(4, -1, -1)
    mask = (SRC[:1] != 0).expand(4, -1)
    cache = [(tc.KeyValues(6), tc.KeyValues()) for _ in model.decoder]

    with torch.no_grad():
        for t in range(2):
            model.decode(ids[:, [t]], memory, mask, cache)
        beams.select_rows(cache, torch.tensor([2, 2, 0, 3]))
        model.decode(ids[:, [2]], memory, mask, cache)
        beams.select_rows(cache, torch.tensor([3, 1]))
        last = model.decode(ids[:2, [3]], memory[:2], mask[:2], cache)
        # what the two rows that stay have read
        read = torch.stack([torch.cat([ids[3, :2], ids[3, [2]], ids[0, [3]]]), torch.cat([ids[2, :2], ids[1, 2:4]])])
        whole = model.decode(read, memory[:2], mask[:2])
    torch.testing.assert_close(last[:, -1], whole[:, -1])


# ─── Kept, told and refused ──────────────────────────────────────────────────────────────────────────────────────────


@gates
@pytest.mark.parametrize("on", ["qk", "q", "k"])
def test_a_checkpoint_gives_the_same_model_back(tmp_path, gate, on):
    model = little(context="deep-global+deep", context_in="both", context_gate=gate, context_on=on).float()
    tc.save_checkpoint(tmp_path, model.config, tc.weights_of(model))
    again = tc.load_model(tmp_path)
    assert again.config == model.config and torch.equal(again(SRC, TGT_IN), model(SRC, TGT_IN))


@pytest.mark.parametrize("context", [None, "deep-global"])
@pytest.mark.parametrize("older", ["with the fields of context", "without"])
def test_a_checkpoint_from_before_kinds_is_the_model_that_it_was(tmp_path, context, older):
    model = (little(context=context) if context else tc.Transformer(plain_shape()).eval()).float()
    tc.save_checkpoint(tmp_path, model.config, tc.weights_of(model))
    written = json.loads((tmp_path / "config.json").read_text())
    assert written.pop("kind") == ("context" if context else "transformer")
    if not context and older == "with the fields of context":
        written |= dict(context=None, context_in="encoder", context_on="qk", context_gate="all")
    (tmp_path / "config.json").write_text(json.dumps(written))
    again = tc.load_model(tmp_path)
    assert type(again) is type(model) and torch.equal(again(SRC, TGT_IN), model(SRC, TGT_IN))


def test_a_kind_that_is_not_known_is_refused_in_a_sentence(tmp_path, monkeypatch):
    model = little(context="global").float()
    tc.save_checkpoint(tmp_path, model.config, tc.weights_of(model))
    monkeypatch.delitem(tc.MODELS, "context")
    with pytest.raises(ValueError) as refusal:
        tc.load_model(tmp_path)
    toys.assert_one_sentence(str(refusal.value), "config.json", "'context'", "import core_options.context_aware")
    written = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(written | {"kind": "os.system"}))
    with pytest.raises(ValueError) as refusal:
        tc.load_model(tmp_path)
    toys.assert_one_sentence(str(refusal.value), "'os.system'", "transformer, context")


def test_whoever_takes_a_recurrent_model_for_a_transformer_is_told_how_it_is_loaded():
    folder = Path(__file__).parents[1] / "checkpoints" / "grammar-gru" / "additive"
    for load in (tc.load_pretrained, serving.load_pretrained):
        with pytest.raises(ValueError) as refusal:
            load(folder)
        toys.assert_one_sentence(str(refusal.value), "config.json", "recurrent (baselines.load_recurrent)")


def test_a_context_is_not_silently_left_out():
    with pytest.raises(ValueError) as refusal:
        tc.Transformer(shape(context="global"))
    toys.assert_one_sentence(str(refusal.value), "ContextConfig", "ContextTransformer")


def test_the_command_line_trains_goes_on_and_translates_with_context(tmp_path: Path):
    data, run = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    words = dict(context="deep-global+deep", context_in="both")
    for steps in (2, 4):
        done = toys.command(*toys.train_arguments(data, run, steps=steps, resume=True, **words))
        assert done.status == 0, done.err
    config = tc.load_model(run).config
    assert {name: getattr(config, name) for name in words} == words
    translated = toys.command("translate", "--checkpoint", run, stdin=b"ant bee\n\n")
    assert translated.status == 0 and translated.out.count(b"\n") == 2
    other = toys.command(*toys.train_arguments(data, run, steps=9, resume=True, **words | {"context_in": "decoder"}))
    assert other.status == 2
    toys.assert_one_sentence(other.err.removeprefix("Error: ").strip(), "context_in", "'both'", "'decoder'")


def test_the_file_run_as_a_script_trains_and_translates_with_context_too(tmp_path: Path):
    data = toys.write_corpus(tmp_path / "data")
    words = toys.train_arguments(data, tmp_path / "run", preset="tiny", steps=1, context="global", context_in="both")

    def script(*words: Any, stdin: str = "") -> subprocess.CompletedProcess:
        command = [sys.executable, str(toys.ROOT / "transformer_core.py"), *map(str, words)]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=240)

    trained = script(*words)
    assert trained.returncode == 0, trained.stderr
    translated = script("translate", "--checkpoint", tmp_path / "run", stdin="ant bee\n")
    assert translated.returncode == 0 and translated.stdout.count("\n") == 1, translated.stderr


def test_a_copy_of_the_core_alone_trains_under_any_name_and_says_what_context_needs(tmp_path: Path):
    data, folder = toys.write_corpus(tmp_path / "data"), tmp_path / "two words"
    folder.mkdir()
    copy = shutil.copy(toys.ROOT / "transformer_core.py", folder / "my-core.v2.py")
    elsewhere = [path for path in sys.path if path and not (Path(path) / "transformer_core.py").exists()]

    def script(run: str, **words: Any) -> subprocess.CompletedProcess:
        plain = dict(
            preset="tiny", steps=1, keep=None, bleu_sentences=None, peak_learning_rate=None
        )  # what the core alone knows
        told = toys.train_arguments(data, tmp_path / run, **plain | words)
        command = [sys.executable, "-S", str(copy), *map(str, told)]  # -S: the installed project is not seen
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(elsewhere)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)

    alone = script("plain")
    assert alone.returncode == 0, alone.stderr
    assert script("aware", context="global").returncode == 2 and not (tmp_path / "aware").exists()
    shutil.copytree(toys.ROOT / "core_options", folder / "core_options")
    aware = script("aware", context="global")
    assert aware.returncode == 0, aware.stderr
    shutil.rmtree(folder / "core_options")
    command = [sys.executable, "-S", str(copy), "translate", "--checkpoint", str(tmp_path / "aware")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(elsewhere)}
    refused = subprocess.run(command, env=environment, input="ant", capture_output=True, text=True, timeout=240)
    assert refused.returncode == 2 and not refused.stdout
    needed = "import core_options.context_aware"
    toys.assert_one_sentence(refused.stderr.removeprefix("Error: ").strip(), needed, "aware")


def test_the_command_line_refuses_an_unknown_context_before_any_work(tmp_path: Path):
    done = toys.command(*toys.train_arguments(tmp_path, tmp_path / "run", context="shallow"))
    assert done.status == 2 and not (tmp_path / "run").exists()
    toys.assert_one_sentence(done.err.removeprefix("Error: ").strip(), "context is 'shallow'", "deep-global")


@pytest.mark.parametrize(
    "field, wrong",
    [("context", wrong) for wrong in ("local", "", "deep+", "global deep", "deep+deep", "None", "global+None", 3, True)]
    + [("context_in", wrong) for wrong in ("encoders", None, "")]
    + [("context_on", wrong) for wrong in ("v", "", "kq", None)]
    + [("context_gate", wrong) for wrong in ("head", "", None)],
)
def test_a_wrong_option_gives_one_sentence_with_its_name_and_value(field, wrong):
    with pytest.raises(ValueError) as refusal:
        shape(**({"context": "global"} | {field: wrong}))
    toys.assert_one_sentence(str(refusal.value), f"{field} is {wrong!r}")


def test_context_and_a_window_together_are_refused():
    with pytest.raises(ValueError) as refusal:
        shape(context="global", window=3)
    toys.assert_one_sentence(str(refusal.value), "window is 3", "context")


# ─── The experiment ──────────────────────────────────────────────────────────────────────────────────────────────────

TINY = dict(n_layers=3, d_model=12, d_ff=8, n_heads=2, d_k=4, d_v=5)


@pytest.mark.parametrize("row", benchmark.ROWS)
def test_runs_of_one_seed_begin_with_the_same_weights(row):
    base, model = (benchmark.begun(name, 3, 20, TINY) for name in ("base", row))
    own, theirs = (dict(m.named_parameters()) for m in (model, base))
    assert set(theirs) <= set(own)
    assert all(torch.equal(own[name], theirs[name]) for name in theirs)
    added = {name: own[name] for name in own.keys() - theirs.keys() if "bias" not in name}
    assert all(".self_attention.w_" in name for name in added)
    assert all((weight.std() > 0) != (".v_h." in name or ".v_c." in name) for name, weight in added.items())
    other = benchmark.begun(row, 4, 20, TINY)
    assert not torch.equal(other.src_embedding.weight, model.src_embedding.weight)


def test_lambda_begins_at_one_half_wherever_there_is_context_and_learns_from_there():
    model = benchmark.begun("both deep-global+deep", 3, 20, TINY)
    batch = tc.Batch.of([([5, 6, 7], [8, 9]), ([10], [11])])
    gates = benchmark.mean_gates(model, [batch])
    assert {share for of_layers in gates.values() for share in of_layers} == {0.5}
    tc.label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out, 0.1).backward()
    named = {name: weight.grad for name, weight in model.named_parameters() if benchmark.GATES.search(name)}
    assert len(named) == 2 * 2 * 2 * 3 and all(gradient.abs().max() > 0 for gradient in named.values())


def test_the_rows_are_the_eight_of_the_paper_and_queries_and_keys_alone():
    configs = [ContextConfig(9, **row) for row in benchmark.ROWS.values()]
    best = "deep-global+deep"
    assert [(c.context_in, c.context) for c in configs] == [
        ("encoder", None), ("encoder", "global"), ("encoder", "deep-global"), ("encoder", "deep"), ("encoder", best),
        ("decoder", "deep-global"), ("decoder", best), ("both", best), ("encoder", best), ("encoder", best),
    ]  # fmt: skip
    assert [c.context_on for c in configs] == ["qk"] * 8 + ["q", "k"]


@gates
def test_mean_gates_leave_padding_out_and_weigh_every_token_alike(gate):
    torch.manual_seed(0)
    model = ContextTransformer(shape(context="deep", context_in="both", context_gate=gate))
    pairs = [([5, 6, 7, 8], [11, 12, 13]), ([9], [14, 15]), ([10, 11], [12])]
    batches = [tc.Batch.of(pairs[:2]), tc.Batch.of(pairs[2:])]
    found = benchmark.mean_gates(model, batches)
    assert list(found) == ["encoder q", "encoder k", "decoder q", "decoder k"]
    for (kind, means), layer in itertools.product(found.items(), range(N_LAYERS)):
        stack, letter = kind.split()
        values = []
        for pair in pairs:  # one sentence at a time has no padding
            batch = tc.Batch.of([pair])
            trace = seen(model.eval(), batch.src, batch.tgt_in)
            if layer:
                values += trace[f"{stack}.{layer}.self_attention.w_{letter}.gate"][0].mean(-1).tolist()
        assert means[layer] == (pytest.approx(sum(values) / len(values), abs=6e-5) if layer else None)


def test_without_context_there_are_no_gates():
    assert benchmark.mean_gates(ContextTransformer(shape()), [tc.Batch.of([([5], [6])])]) == {}


def small_experiment(monkeypatch: pytest.MonkeyPatch, out: Path, *words: str) -> Any:
    """The command at a size of seconds, and what it wrote."""
    monkeypatch.setattr("experiments.variations.N_TRAIN", 40)
    monkeypatch.setattr("experiments.variations.N_VALID", 8)
    monkeypatch.setattr(benchmark, "N_ASKED", 20)
    for size in ("grammar", "multi30k"):
        monkeypatch.setitem(benchmark.SHAPES, size, TINY)
        monkeypatch.setitem(benchmark.TURNS, size, (2, 3, 2, 1, 3))
    sizes = ["--steps", "3", "--tokens-per-batch", "60", "--vocab-size", "400", "--translated", "2"]
    monkeypatch.setattr("sys.argv", ["context", *sizes, "--out", str(out), *words])
    benchmark.main()
    return json.loads(out.read_text())


def test_the_experiment_writes_each_run_once_and_goes_on_where_it_stopped(monkeypatch, tmp_path, one_thread):
    rows = ("--only", "base", "encoder deep")
    first = small_experiment(monkeypatch, tmp_path / "x.json", *rows, "--seeds", "1")
    assert [(run["row"], run["seed"]) for run in first["runs"]] == [("base", 0), ("encoder deep", 0)]
    deep = first["runs"][1]
    assert 0 <= deep["pronouns"]["right"] <= 1 and deep["pronouns"]["n"] == first["runs"][0]["pronouns"]["n"] > 0
    assert deep["increment"] == 2 * 8 * 12 * (1 + 2) + 2 * 4 * 8  # U's of layers 2 and 3, and their gates
    assert deep["gates"]["encoder q"][0] is None and 0 < deep["gates"]["encoder k"][2] < 1
    assert "--steps 3" in first["command"] and str(tmp_path) not in first["command"]
    again = small_experiment(monkeypatch, tmp_path / "x.json", *rows, "--seeds", "2")
    assert again["runs"][:2] == first["runs"] and len(again["runs"]) == 4


def test_the_experiment_takes_any_folder_of_parallel_text(monkeypatch, tmp_path):
    data = toys.write_corpus(tmp_path / "mine")
    words = ("--data", str(data), "--only", "query only", "--seeds", "1")
    result = small_experiment(monkeypatch, tmp_path / "x.json", *words)
    assert "--data mine " in result["command"] and list(result["runs"][0]["gates"]) == ["encoder q"]


def test_a_speed_is_a_share_of_the_baselines_with_its_quartiles(monkeypatch, tmp_path):
    words = ("--speed", "grammar", "--only", "base", "both deep-global+deep")
    result = small_experiment(monkeypatch, tmp_path / "x.json", *words)
    assert [run["row"] for run in result["runs"]] == ["base", "both deep-global+deep"]
    for run in result["runs"]:
        for kind in ("training", "decoding"):
            low, middle, high = run[f"{kind}_quartiles"]
            assert 0 < low <= middle <= high and run[kind] > 0 and run[f"{kind}_per_second"] > 0


def test_endless_decodes_every_sentence_to_its_limit():
    torch.manual_seed(0)
    model = benchmark.Endless(ContextConfig(20, **TINY))
    found = tc.beam_search(model, tc.pad([[5, 6, 7, 2], [8, 9, 2]]), 2, 0.6, max_extra=1)
    assert [len(hypothesis.ids) for hypothesis in found] == [4, 3]
    assert not any(tc.EOS in hypothesis.ids for hypothesis in found)


@pytest.mark.parametrize("kind", ["grammar", "multi30k"])
def test_the_stored_runs_are_whole_and_grow_by_the_formula(kind):
    path = bench.DATA / f"context_{kind}.json"
    if not path.exists():
        pytest.skip(f"{path.name} is not made yet")
    result = json.loads(path.read_text(encoding="utf-8"))
    places = [(run["seed"], run["row"]) for run in result["runs"]]
    assert len(set(places)) == len(places)
    base = {run["seed"]: run for run in result["runs"] if run["row"] == "base"}
    shape = result["shape"]
    for run in result["runs"]:
        config = ContextConfig(result["vocabulary"], **shape, **benchmark.ROWS[run["row"]])
        with torch.device("meta"):
            assert run["parameters"] == tc.count_parameters(ContextTransformer(config))
        assert run["parameters"] - run["increment"] == base[run["seed"]]["parameters"]
        assert run["steps"] == result["steps"] and run["ppl"] > 1 and 0 <= run["bleu"] <= 100
        stacks = {"encoder": ["encoder"], "decoder": ["decoder"], "both": ["encoder", "decoder"]}[config.context_in]
        kinds = [f"{stack} {letter}" for stack in stacks for letter in config.context_on] if config.context else []
        for gates in (run["gates"], run["gates_untrained"]):
            assert list(gates) == kinds and all(len(means) == shape["n_layers"] for means in gates.values())
            # rounded to four digits, a gate may be all shut or all open
            assert all(0 <= mean <= 1 for means in gates.values() for mean in means if mean is not None)
