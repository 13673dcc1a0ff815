"""Attention: equation 1 and section 3.2.2 against torch's own, the masks, and what several heads do and cost."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc

B, H, T, S, D, D_K, D_V = 2, 3, 5, 7, 12, 4, 6
KEYS = torch.tensor([[4, 5, 6, 7, 8, 9, 2], [4, 5, 2, 0, 0, 0, 0]])  # (B, S), padded
MASKS = {
    "none": None,
    "padding": tc.padding_mask(KEYS),
    "causal": tc.causal_mask(S)[:T],
    "window": tc.window_mask(S, 3, causal=False)[:T],
    "both": tc.padding_mask(KEYS) & tc.causal_mask(S)[:T],
}


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def step_by_step(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    return tc.attention_weights(tc.attention_scores(q, k, mask)) @ v


def queries_keys_values(d_k: int = D_K) -> tuple[Tensor, Tensor, Tensor]:
    return torch.randn(B, H, T, d_k), torch.randn(B, H, S, d_k), torch.randn(B, H, S, D_V)


def multi_head(n_heads: int = H, d_model: int = D, d_k: int = D_K, d_v: int = D_V) -> tc.MultiHeadAttention:
    return tc.MultiHeadAttention(tc.TransformerConfig(9, d_model=d_model, n_heads=n_heads, d_k=d_k, d_v=d_v))


both_ways = pytest.mark.parametrize("attend", [step_by_step, tc.attention])

# ─── Scaled dot-product attention ────────────────────────────────────────────────────────────────────────────────────


@both_ways
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_attention_is_torchs_scaled_dot_product_attention(attend, mask):
    q, k, v = queries_keys_values()
    oracle = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    torch.testing.assert_close(attend(q, k, v, mask), oracle, atol=1e-6, rtol=0)


@both_ways
def test_attention_is_equation_1_cell_by_cell(attend):
    q, k, v = (x.double() for x in queries_keys_values())
    out = attend(q, k, v, MASKS["both"])
    for b, h, t in ((0, 0, 4), (1, 2, 1), (1, 1, 4)):
        seen = [s for s in range(S) if s <= t and KEYS[b, s] != 0]
        powers = [math.exp(sum(q[b, h, t] * k[b, h, s]).item() / math.sqrt(D_K)) for s in seen]
        expected = sum(power * v[b, h, s] for power, s in zip(powers, seen, strict=True)) / sum(powers)
        torch.testing.assert_close(out[b, h, t], expected)


def test_equal_scores_under_the_causal_mask_share_the_past_evenly():
    weights = tc.attention_weights(tc.attention_scores(torch.zeros(3, 2), torch.zeros(3, 2), tc.causal_mask(3)))
    torch.testing.assert_close(weights, torch.tensor([[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]))


@pytest.mark.parametrize("d_k", [16, 64, 512])
def test_a_dot_product_has_variance_d_k_and_a_score_variance_1(d_k):
    q, k = torch.randn(400, d_k), torch.randn(300, d_k)
    assert (q @ k.T).var().item() / d_k == pytest.approx(1, rel=0.1)
    assert tc.attention_scores(q, k).var().item() == pytest.approx(1, rel=0.1)


def test_unscaled_scores_saturate_as_d_k_grows_and_scaled_ones_do_not():
    def largest(d_k: int, scale: float) -> float:
        q, k = torch.randn(500, 1, d_k), torch.randn(500, 32, d_k)
        return tc.attention_weights(tc.attention_scores(q * scale, k)).amax(-1).mean().item()

    unscaled = [largest(d_k, math.sqrt(d_k)) for d_k in (4, 16, 64, 256, 1024)]
    assert unscaled == pytest.approx([0.340, 0.627, 0.818, 0.900, 0.948], abs=0.03)
    for d_k in (4, 64, 1024):
        assert 0.14 < largest(d_k, 1.0) < 0.18


@both_ways
def test_large_scores_turn_attention_into_a_lookup(attend):
    _, k, v = queries_keys_values()
    k = F.normalize(k, dim=-1)
    wanted = torch.tensor([6, 0, 3, 3, 1])
    torch.testing.assert_close(attend(1e4 * k[:, :, wanted], k, v), v[:, :, wanted])


@both_ways
def test_the_order_of_keys_does_not_matter(attend):
    q, k, v = queries_keys_values()
    order = torch.randperm(S)
    mask = MASKS["both"]
    torch.testing.assert_close(attend(q, k[:, :, order], v[:, :, order], mask[..., order]), attend(q, k, v, mask))


@both_ways
def test_a_row_that_may_look_nowhere_gives_0_and_finite_gradients(attend):
    q, k, v = (x.requires_grad_() for x in queries_keys_values())
    mask = torch.ones(T, S, dtype=torch.bool)
    mask[[1, 4]] = False
    out = attend(q, k, v, mask)
    assert (out[:, :, [1, 4]] == 0).all() and out.isfinite().all()
    out.square().sum().backward()
    for x in (q, k, v):
        assert x.grad.isfinite().all() and x.grad.any()
    assert (q.grad[:, :, [1, 4]] == 0).all()


# ─── Masks ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_padding_is_hidden_and_everything_else_is_not():
    mask = tc.padding_mask(KEYS)
    assert mask.shape == (B, 1, 1, S) and mask.dtype == torch.bool
    assert mask[:, 0, 0].tolist() == [[True] * 7, [True] * 3 + [False] * 4]


def test_the_causal_mask_shows_the_past_and_the_present():
    mask = tc.causal_mask(4)
    assert all(mask[i, j] == (j <= i) for i in range(4) for j in range(4))


@pytest.mark.parametrize("window", [1, 3, 5, 9])
@pytest.mark.parametrize("n", [1, 2, 6, 7])
def test_a_window_holds_the_nearest_positions_itself_included(n, window):
    centred, causal = tc.window_mask(n, window, causal=False), tc.window_mask(n, window, causal=True)
    half = (window - 1) // 2
    for i in range(n):
        assert centred[i].nonzero().flatten().tolist() == list(range(max(0, i - half), min(n, i + half + 1)))
        assert causal[i].nonzero().flatten().tolist() == list(range(max(0, i - window + 1), i + 1))


def test_a_window_as_wide_as_the_sentence_is_no_restriction():
    assert tc.window_mask(5, 9, causal=False).all()
    assert torch.equal(tc.window_mask(5, 5, causal=True), tc.causal_mask(5))


@pytest.mark.parametrize("n", [5, 9, 17, 28])
@pytest.mark.parametrize("window", [3, 5])
def test_the_longest_path_through_windows_is_that_of_table_1(n, window):
    def n_layers(mask: Tensor, allowed: Tensor) -> int:
        reached, layers = mask, 1
        while not reached[allowed].all():
            reached, layers = (reached.float() @ mask.float()) > 0, layers + 1
        return layers

    everywhere = torch.ones(n, n, dtype=torch.bool)
    centred = n_layers(tc.window_mask(n, window, causal=False), everywhere)
    assert centred == math.ceil(2 * (n - 1) / (window - 1))
    causal = n_layers(tc.window_mask(n, window, causal=True), tc.causal_mask(n))
    assert causal == math.ceil((n - 1) / (window - 1))


# ─── Several heads ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("grad", [True, False], ids=["explicit", "fused"])
@pytest.mark.parametrize("name", ["none", "padding", "causal"])
def test_multi_head_attention_is_torchs_with_the_same_weights(name, grad):
    ours, oracle = multi_head(d_v=D_K), nn.MultiheadAttention(D, H, bias=False, batch_first=True)
    with torch.no_grad():
        oracle.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
        oracle.out_proj.weight.copy_(ours.w_o.weight)
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    forbidden = dict(  # there, True means may not look
        none={}, padding=dict(key_padding_mask=KEYS == 0), causal=dict(attn_mask=~MASKS["causal"])
    )  # fmt: skip
    with torch.set_grad_enabled(grad):
        expected, _ = oracle(x, memory, memory, need_weights=False, **forbidden[name])
        torch.testing.assert_close(ours(x, memory, MASKS[name]), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize("grad", [True, False], ids=["explicit", "fused"])
def test_heads_are_concatenated_and_mixed_whatever_their_widths(grad):
    n_heads, d_k, d_v = 3, 5, 7
    module = multi_head(n_heads, D, d_k, d_v)
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)

    def rows(w: nn.Linear, head: int, width: int) -> Tensor:  # W_i: d_model x width
        return w.weight[head * width : (head + 1) * width].T

    heads = [
        F.scaled_dot_product_attention(
            x @ rows(module.w_q, i, d_k), memory @ rows(module.w_k, i, d_k), memory @ rows(module.w_v, i, d_v)
        )
        for i in range(n_heads)
    ]
    with torch.set_grad_enabled(grad):
        out = module(x, memory, None)
    torch.testing.assert_close(out, torch.cat(heads, dim=-1) @ module.w_o.weight.T)


def test_the_projections_have_the_papers_shapes_and_no_bias():
    shapes = {name: tuple(p.shape) for name, p in multi_head(3, 12, 5, 7).named_parameters()}
    assert shapes == {"w_q.weight": (15, 12), "w_k.weight": (15, 12), "w_v.weight": (21, 12), "w_o.weight": (12, 21)}


@pytest.mark.parametrize("grad", [True, False], ids=["explicit", "fused"])
def test_a_sentence_of_padding_alone_gives_0_to_its_queries(grad):
    module, mask = multi_head(), tc.padding_mask(torch.tensor([[4] * S, [0] * S]))
    x, memory = torch.randn(B, T, D), torch.randn(B, S, D)
    with torch.set_grad_enabled(grad):
        out = module(x, memory, mask)
    assert (out[1] == 0).all() and out[0].all()
    if grad:
        out.square().sum().backward()
        assert all(p.grad.isfinite().all() for p in module.parameters())


def test_every_head_reads_every_feature_of_its_input():
    module = multi_head()
    x, memory = torch.randn(1, T, D, requires_grad=True), torch.randn(1, S, D, requires_grad=True)
    kept: list[Tensor] = []
    module.heads.readers.append(kept.append)
    module(x, memory, None)
    for head in range(H):
        out = kept[0][:, head]
        for gradient in torch.autograd.grad((out * torch.randn_like(out)).sum(), (x, memory), retain_graph=True):
            assert (gradient.abs().amax((0, 1)) > 0).all()


@pytest.mark.parametrize("n_heads", [1, 2, 4, 8])
def test_the_cost_does_not_depend_on_the_number_of_heads(n_heads):
    n, d = 24, 32
    module, x = multi_head(n_heads, d, d // n_heads, d // n_heads), torch.randn(1, n, d)
    assert sum(p.numel() for p in module.parameters()) == 4 * d * d
    with FlopCounterMode(display=False) as counter, tc.record(module):  # watched, step by step: kernels hide products
        module(x, x, None)
    assert counter.get_total_flops() == 2 * (4 * n * d * d + 2 * n * n * d)


def test_keys_and_values_kept_give_what_reading_again_gives():
    module, x = multi_head(), torch.randn(B, T, D)
    cache = tc.KeyValues(capacity=T)
    with torch.no_grad():
        steps = [module(x[:, [t]], x[:, [t]], None, cache) for t in range(T)]
        torch.testing.assert_close(torch.cat(steps, dim=1), module(x, x, tc.causal_mask(T)))
