"""Scaled dot-product attention in numbers: the toy's shapes, what heads cost, and what the scale does."""

import pytest
import torch
from torch import nn

import transformer_core as tc
from studies import scaled_dot_product as sdp

# ─── Claims of the paper ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n", [1, 4, 6])
def test_the_shapes_of_the_toy_are_those_of_the_fact_sheet_for_any_length(n):
    toy = sdp.toy(n)
    shapes = dict(sdp.shape_trace(sdp.as_module(toy), toy.x))
    two, square, six = (n, 2), (n, n), (n, 6)
    assert shapes == dict(x=six, q=two, k=two, v=two, scores=square, weights=square, heads=two, concat=six, out=six)
    assert sum(w.numel() for w in toy[2:]) == 144


def test_every_head_reads_every_feature_of_the_input():
    for h in range(3):
        assert (sdp.toy().w_q[h] != 0).all() and (sdp.toy().w_k[h] != 0).all() and (sdp.toy().w_v[h] != 0).all()


def test_large_scores_make_a_look_up():
    q, k, v = torch.eye(3)[[2, 0]], torch.eye(3), torch.randn(3, 4)
    for factor, gap in ((1, 1.0), (30, 1e-3), (1000, 1e-6)):
        found = tc.attention(factor * q[None, None], k[None, None], v[None, None])[0, 0]
        assert (found - v[[2, 0]]).abs().max() <= gap * v.abs().max() * 2


def test_the_cost_of_eight_heads_is_that_of_one_of_full_width_and_the_formulas():
    n, d = 24, 32
    x, macs = torch.randn(1, n, d), {}
    for h in (1, 8):
        module = tc.MultiHeadAttention(tc.TransformerConfig(1, d_model=d, n_heads=h, d_k=d // h, d_v=d // h))
        macs[h] = sdp.count_macs(lambda module=module: module(x, x, None))
    assert macs[1] == macs[8] == 4 * n * d * d + 2 * n * n * d


@pytest.mark.parametrize("d_k", [16, 64, 512])
def test_the_variance_of_a_dot_product_is_d_k(d_k):
    assert 0.97 <= sdp.dot_variance(d_k) / d_k <= 1.03


# facts 4.5: mean largest weight, and trace of the softmax's Jacobian, of 32 random keys
@pytest.mark.parametrize(
    ("d_k", "largest", "trace"), [(4, 0.340, 0.793), (16, 0.627, 0.497), (64, 0.818, 0.255), (256, 0.900, 0.140)]
)
def test_without_the_scale_the_softmax_saturates_and_with_it_nothing_changes(d_k, largest, trace):
    without, scaled = (sdp.score_statistics(d_k, scaled) for scaled in (False, True))
    assert without["largest"] == pytest.approx(largest, abs=0.02) and without["trace"] == pytest.approx(
        trace, abs=0.025
    )
    assert scaled["largest"] == pytest.approx(0.1605, abs=0.006) and scaled["trace"] == pytest.approx(0.9275, abs=0.006)


def test_the_trace_is_that_of_the_jacobian_itself():
    scores = torch.randn(5, dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda s: s.softmax(-1), scores)
    assert sdp.softmax_statistics(scores[None])["trace"] == pytest.approx(jacobian.trace().item(), abs=1e-12)


def test_every_output_of_self_attention_depends_on_every_input():
    module, toy = sdp.as_module(sdp.toy()), sdp.toy()
    jacobian = torch.autograd.functional.jacobian(lambda x: module(x[None], x[None], None)[0], toy.x)  # (4, 6, 4, 6)
    assert (jacobian.abs().sum((1, 3)) > 0).all()


def test_cross_attention_leaves_padding_alone_and_sends_a_gradient_into_the_encoder():
    config = tc.TransformerConfig(20, n_layers=1, d_model=6, d_ff=8, n_heads=3, d_k=2, d_v=2, p_drop=0.0)
    model = tc.Transformer(config)
    with tc.record(model, "decoder.0.cross_attention.weights") as trace:
        model(torch.tensor([[5, 6, 7, 2, 0, 0]]), torch.tensor([[1, 9, 8]])).pow(2).sum().backward()
    assert (trace["decoder.0.cross_attention.weights"][..., 4:] == 0).all()
    assert all(parameter.grad.norm() > 0 for parameter in model.encoder.parameters())


def small_ffn() -> tc.FeedForward:
    torch.manual_seed(2)
    ffn = tc.FeedForward(tc.TransformerConfig(1, d_model=6, d_ff=10))
    for parameter in ffn.parameters():
        nn.init.normal_(parameter)
    return ffn


def test_a_feed_forward_layer_is_two_convolutions_of_kernel_one():
    ffn, x = small_ffn().double(), torch.randn(2, 5, 6).double()
    found = sdp.as_convolutions(ffn)(x.transpose(1, 2)).transpose(1, 2)
    torch.testing.assert_close(found, ffn(x), rtol=0, atol=1e-6)


def test_permuting_positions_permutes_what_the_feed_forward_layer_gives():
    ffn, x, order = small_ffn().double(), torch.randn(1, 5, 6).double(), torch.tensor([3, 0, 4, 1, 2])
    torch.testing.assert_close(ffn(x[:, order]), ffn(x)[:, order])


def test_base_has_2_099_712_parameters_in_a_feed_forward_layer_and_each_layer_its_own():
    with torch.device("meta"):
        model = tc.Transformer(tc.TransformerConfig(100))
    layers = [layer.feed_forward for layer in (*model.encoder, *model.decoder)]
    assert {tc.count_parameters(layer) for layer in layers} == {2_099_712}
    assert len({id(parameter) for layer in layers for parameter in layer.parameters()}) == 12 * 4


# ─── The stored results ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_stored_results_say_what_the_notebook_says():
    scale, scores, heads = map(sdp.stored, ("scale", "scores", "heads"))
    for rate, runs in scale["curves"]["scaled"].items():
        assert min(sdp.after(scale, runs, 100)) > max(sdp.after(scale, scale["curves"]["dot product"][rate], 100))
    rows = {(row["scores"], row["d_k"]): row for row in scores["rows"]}
    for kind in ("additive", "scaled"):
        assert rows[kind, 1024]["gradient"] > 4 * rows["dot product", 1024]["gradient"]
    assert rows["additive", 1024]["megabytes"] > 50 * rows["scaled", 1024]["megabytes"]
    plain = {row["n_heads"]: row["curves"] for row in heads["rows"] if not row["feed_forward"]}
    assert max(run[-1] for run in plain[1]) < 0.6 and min(run[-1] for h in (2, 4) for run in plain[h]) > 0.99
    for maps in heads["maps"].values():
        assert torch.tensor(maps).sum(-1).sub(1).abs().max() < 1e-3
