"""What notebook 02 says of its toy, of the wide products drawn by torch, and of small models that were trained."""

import pytest
import torch

import transformer_core as tc
from studies import scaled_dot_product as sdp
from viz import scaled_dot_product as views

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a layer is quickest so


@pytest.fixture(scope="module")
def toy() -> sdp.Toy:
    return sdp.toy()


@pytest.fixture(scope="module")
def module(toy) -> tc.MultiHeadAttention:
    return sdp.as_module(toy)


def head_0(toy: sdp.Toy, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    q, k, v = (x @ w[0] for w in (toy.w_q, toy.w_k, toy.w_v))
    return q, k, v


# ─── The toy ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_sheet_computes_the_head_that_the_formula_computes(toy):
    q, k, v = head_0(toy, toy.x)
    scores = q @ k.T / 2**0.5
    head = scores.exp() / scores.exp().sum(-1, keepdim=True) @ v
    sheet = views.numbers_of(views.toy_sheet())
    assert (head - sheet["H.0"]).abs().max() < 1e-12
    assert torch.allclose(sdp.as_module(toy)(toy.x[None], toy.x[None], None)[0], sheet["out"])


def test_a_student_in_the_place_of_the_teacher_is_attended_as_torch_does(toy):
    x = torch.cat([toy.x, torch.tensor([sdp.STUDENT]).double()])[[0, 1, 2, 4]]  # ids → rows of E
    assert torch.equal(x[:3], toy.x[:3]) and not torch.equal(x[3], toy.x[3])
    q, k, v = head_0(toy, x)
    ours = tc.attention_weights(tc.attention_scores(q, k)) @ v
    theirs = torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
    assert (ours - theirs).abs().max() < 1e-12


def test_a_query_a_hundred_times_as_long_takes_home_the_value_of_the_best_key(toy):
    q, k, v = head_0(toy, toy.x)
    looked_up = tc.attention_weights(tc.attention_scores(100 * q, k)) @ v
    assert (looked_up[1] - v[2]).abs().max() < 1e-6


@pytest.mark.parametrize("head", [0, 1, 2])
def test_the_query_of_every_head_depends_on_all_six_numbers_of_the_embedding(toy, module, head):
    x = toy.x.clone().requires_grad_()
    query = module.split(module.w_q(x[None]))[0, head]
    (gradient,) = torch.autograd.grad(query.pow(2).sum(), x)
    assert (gradient != 0).any(0).sum() == 6


def test_query_key_and_value_of_every_word_differ(toy):
    for q, k, v in zip(*(matrix.tolist() for matrix in head_0(toy, toy.x)), strict=True):
        assert q != k != v != q


@pytest.mark.parametrize("h", [1, 2, 8])
def test_any_number_of_heads_takes_the_same_multiply_adds_at_width_512(h):
    n, d = 70, 512
    heads = tc.MultiHeadAttention(tc.TransformerConfig(1, d_model=d, n_heads=h, d_k=d // h, d_v=d // h))
    x = torch.randn(1, n, d)
    assert sdp.count_macs(lambda: heads(x, x, None)) == 4 * n * d**2 + 2 * n**2 * d


def test_every_output_of_the_toy_moves_with_every_input(toy, module):
    jacobian = torch.autograd.functional.jacobian(lambda x: module(x[None], x[None], None)[0], toy.x)
    assert (jacobian.abs().sum((1, 3)) > 0).all()


def test_cross_attention_reads_no_padding_and_teaches_the_encoder():
    model = tc.Transformer(tc.TransformerConfig(20, n_layers=1, d_model=6, d_ff=8, n_heads=3, d_k=2, d_v=2)).eval()
    with tc.record(model, "decoder.0.cross_attention.weights") as trace:
        model(torch.tensor([[5, 6, 7, 2, 0, 0]]), torch.tensor([[1, 9, 8]])).pow(2).sum().backward()
    assert trace["decoder.0.cross_attention.weights"][..., 4:].max() == 0
    assert model.encoder[0].self_attention.w_v.weight.grad.norm() > 0


# ─── The scale ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("d_k", [16, 64, 512])
def test_the_division_brings_the_variance_back_to_1(d_k):
    assert 0.97 < sdp.dot_variance(d_k) / d_k < 1.03
    assert 0.97 < sdp.score_statistics(d_k, True)["variance"] < 1.03


def test_scaled_weights_are_alike_at_every_width_and_unscaled_ones_saturate_more_and_more():
    traces = []
    for d_k in (4, 16, 64, 256, 512, 1024):
        without, scaled = (sdp.score_statistics(d_k, scaled) for scaled in (False, True))
        assert abs(scaled["largest"] - 0.16) < 0.01 and abs(scaled["trace"] - 0.93) < 0.01
        traces.append(without["trace"])
    assert traces == sorted(traces, reverse=True)


def test_after_100_steps_the_worst_run_with_the_division_is_ahead_of_the_best_without_it():
    scale = sdp.stored("scale")
    worst = min(min(sdp.after(scale, some, 100)) for some in scale["curves"]["scaled"].values())
    assert worst > max(max(sdp.after(scale, some, 100)) for some in scale["curves"]["dot product"].values())


def test_additive_scores_take_more_time_the_wider_they_are():
    rows = {(row["scores"], row["d_k"]): row for row in sdp.stored("scores")["rows"]}
    times = [rows["additive", d_k]["milliseconds"] for d_k in (4, 16, 64, 256, 1024)]
    assert times == sorted(times)
    assert rows["additive", 1024]["megabytes"] > 50 * rows["scaled", 1024]["megabytes"]


# ─── Around attention ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_feed_forward_layer_of_base_is_two_convolutions_and_knows_no_order():
    ffn = tc.FeedForward(tc.TransformerConfig(1)).double()
    x, order = torch.randn(2, 9, 512).double(), torch.randperm(9)
    convolved = sdp.as_convolutions(ffn)(x.transpose(1, 2)).transpose(1, 2)
    assert torch.allclose(convolved, ffn(x), atol=1e-6)
    assert torch.allclose(ffn(x[:, order]), ffn(x)[:, order], atol=1e-6)


def test_twelve_layers_have_twelve_first_matrices():
    with torch.device("meta"):
        layers = [*(model := tc.Transformer(tc.TransformerConfig(100))).encoder, *model.decoder]
    assert len({id(layer.feed_forward.w_1.weight) for layer in layers}) == len(layers) == 12


def test_a_changed_number_moves_its_own_row_under_layer_norm_and_every_row_under_batch_norm():
    before, after = (
        views.numbers_of(views.normalisation_sheet(sdp.matrix(f"{first} 3 -1 5, 2 0 1 1, -2 4 0 2"), shows="synthetic"))
        for first in (1, 9)
    )
    moved = {name: ((before[name] - after[name]).abs() > 1e-9).any(-1).tolist() for name in ("layer", "batch")}
    assert moved == {"layer": [True, False, False], "batch": [True, True, True]}


def test_with_a_sub_layer_of_zeros_what_leaves_is_the_layer_norm_of_x():
    residual = views.residual_sheet(sdp.matrix("1 3 -1, 2 0 1"), torch.zeros(3, 3).double(), shows="synthetic")
    numbers = views.numbers_of(residual)
    block = tc.Residual(tc.TransformerConfig(1, d_model=4, p_drop=0.0)).double()
    x = torch.randn(5, 4, dtype=torch.float64)
    assert torch.equal(numbers["out"], numbers["plain"])
    assert torch.equal(block(x, torch.zeros_like), block.layer_norm(x))
