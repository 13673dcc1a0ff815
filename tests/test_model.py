"""The model: Figure 1 against torch's own layers, what may reach what, embeddings, positions and dropout."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import transformer_core as tc

V, N_LAYERS, H, D, D_FF = 23, 2, 3, 12, 20
SRC = torch.tensor([[5, 6, 7, 8, 2], [9, 10, 2, 0, 0]])  # (B, S)
TGT_IN = torch.tensor([[1, 11, 12, 13], [1, 14, 15, 0]])  # (B, T)
B, S, T = 2, 5, 4

VARIATIONS = [
    {},
    dict(norm="pre"),
    dict(window=3),
    dict(positions="learned"),
    dict(tgt_vocab_size=31, tie_softmax=False),
]
paths = pytest.mark.parametrize("grad", [True, False], ids=["explicit", "fused"])
variations = pytest.mark.parametrize("variation", VARIATIONS, ids=str)


def shape(**changes: Any) -> tc.TransformerConfig:
    small = dict(vocab_size=V, n_layers=N_LAYERS, d_model=D, d_ff=D_FF, n_heads=H, d_k=5, d_v=7)
    return tc.TransformerConfig(**(small | changes))


def little(**changes: Any) -> tc.Transformer:
    """In eval mode, every parameter drawn anew, so that no bias is 0 and no gain 1."""
    torch.manual_seed(0)
    model = tc.Transformer(shape(**changes)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.4)
    return model


# ─── The whole ───────────────────────────────────────────────────────────────────────────────────────────────────────


def copy_attention(ours: tc.MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.w_q.weight, ours.w_k.weight, ours.w_v.weight]))
    theirs.out_proj.weight.copy_(ours.w_o.weight)
    nn.init.zeros_(theirs.in_proj_bias), nn.init.zeros_(theirs.out_proj.bias)


def copy_layer(ours: nn.Module, theirs: nn.Module) -> None:
    copy_attention(ours.self_attention, theirs.self_attn)
    if hasattr(theirs, "multihead_attn"):
        copy_attention(ours.cross_attention, theirs.multihead_attn)
    theirs.linear1.load_state_dict(ours.feed_forward.w_1.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.w_2.state_dict())
    for i, add_norm in enumerate(ours.add_norm, start=1):
        getattr(theirs, f"norm{i}").load_state_dict(add_norm.layer_norm.state_dict())


@paths
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_the_model_is_torchs_transformer_with_the_same_weights(norm, grad):
    model = little(norm=norm, d_k=D // H, d_v=D // H)
    options = dict(dropout=0.0, layer_norm_eps=1e-6, batch_first=True, norm_first=norm == "pre")
    ends = [nn.LayerNorm(D, eps=1e-6) if norm == "pre" else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(D, H, D_FF, **options), N_LAYERS, ends[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(D, H, D_FF, **options), N_LAYERS, ends[1])
    with torch.no_grad():
        for ours, theirs in zip([*model.encoder, *model.decoder], [*encoder.layers, *decoder.layers], strict=True):
            copy_layer(ours, theirs)
        if norm == "pre":
            ends[0].load_state_dict(model.encoder_norm.state_dict())
            ends[1].load_state_dict(model.decoder_norm.state_dict())

    def embed(ids: Tensor) -> Tensor:
        table = tc.sinusoidal_positions(ids.size(1), D).float()
        return model.src_embedding.weight[ids] * D**0.5 + table

    with torch.set_grad_enabled(grad):  # in torch's masks True means may not look
        memory = encoder(embed(SRC), src_key_padding_mask=SRC == 0)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        masks = dict(tgt_mask=future, tgt_key_padding_mask=TGT_IN == 0, memory_key_padding_mask=SRC == 0)
        expected = decoder(embed(TGT_IN), memory, **masks) @ model.tgt_embedding.weight.T
        logits = model(SRC, TGT_IN)
    assert logits.shape == (B, T, V)
    torch.testing.assert_close(logits[TGT_IN != 0], expected[TGT_IN != 0], atol=1e-4, rtol=0)


@paths
@variations
@pytest.mark.parametrize("t", range(1, T))
def test_a_future_token_cannot_change_the_past(variation, t, grad):
    model, changed = little(**variation), TGT_IN.clone()
    changed[:, t:] = torch.tensor([[16], [17]])
    with torch.set_grad_enabled(grad):
        before, after = model(SRC, TGT_IN), model(SRC, changed)
    assert torch.equal(before[:, :t], after[:, :t])
    assert (before[:, t] - after[:, t]).abs().amax(-1).min() > 0


@paths
@variations
def test_padding_changes_nothing_for_real_tokens(variation, grad):
    model = little(**variation)
    with torch.set_grad_enabled(grad):
        for b in range(B):
            src, tgt_in = SRC[b][SRC[b] != 0], TGT_IN[b][TGT_IN[b] != 0]
            alone = model(src[None], tgt_in[None])
            padded = model(F.pad(src, (0, 3))[None], F.pad(tgt_in, (0, 2))[None])
            beside = model(SRC, TGT_IN)
            torch.testing.assert_close(padded[:, : len(tgt_in)], alone, atol=1e-5, rtol=0)
            torch.testing.assert_close(beside[[b], : len(tgt_in)], alone, atol=1e-5, rtol=0)


@paths
def test_a_source_of_padding_alone_harms_nobody(grad):
    model, src = little(), torch.cat([SRC[:1], torch.zeros_like(SRC[:1])])
    with torch.set_grad_enabled(grad):
        logits = model(src, TGT_IN)
    assert logits.isfinite().all()
    torch.testing.assert_close(logits[:1], model(src[:1], TGT_IN[:1]), atol=1e-5, rtol=0)
    if grad:
        logits.square().sum().backward()
        assert all(p.grad.isfinite().all() for p in model.parameters())


@pytest.mark.parametrize("positions", ["none", "sinusoidal"])
def test_an_encoder_without_positions_cannot_tell_the_order(positions):
    model = little(positions="learned" if positions == "none" else positions)
    if positions == "none":
        nn.init.zeros_(model.src_positions.table)
    order = torch.tensor([3, 0, 2, 1, 4])
    with torch.no_grad():
        moved, expected = model.encode(SRC[:1, order]), model.encode(SRC[:1])[:, order]
    assert torch.allclose(moved, expected, atol=1e-5) == (positions == "none")


@variations
def test_encode_then_decode_is_the_model(variation):
    model = little(**variation)
    memory = model.encode(SRC)
    assert memory.shape == (B, S, D)
    assert torch.equal(model.decode(TGT_IN, memory, SRC != 0), model(SRC, TGT_IN))


def test_a_window_hides_what_is_far_in_both_stacks():
    model = little(window=3)
    with tc.record(model, "*.self_attention.weights") as trace:
        model(SRC[:1], TGT_IN[:1])
    for name, weights in trace.items():
        seen = tc.window_mask(weights.size(-1), 3, causal=name.startswith("decoder"))
        assert torch.equal(weights[0] > 0, seen.expand_as(weights[0])), name


# ─── Layers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_feed_forward_network_is_two_convolutions_of_width_1():
    ffn, x = tc.FeedForward(shape()), torch.randn(B, S, D)
    hidden = F.conv1d(x.mT, ffn.w_1.weight[:, :, None], ffn.w_1.bias).relu()
    torch.testing.assert_close(ffn(x), F.conv1d(hidden, ffn.w_2.weight[:, :, None], ffn.w_2.bias).mT)


@pytest.mark.parametrize(
    "part, count",
    [
        (tc.FeedForward, 2_099_712),
        (tc.MultiHeadAttention, 1_048_576),
        (tc.EncoderLayer, 3_150_336),
        (tc.DecoderLayer, 4_199_936),
    ],
)
def test_the_parts_of_the_base_model_have_exactly_their_parameters(part, count):
    with torch.device("meta"):
        assert tc.count_parameters(part(tc.TransformerConfig(37_000))) == count


def test_a_sub_layer_is_added_and_then_normalised():
    x, y = torch.randn(B, S, D), torch.randn(B, S, D)
    post, pre = tc.Residual(shape()).eval(), tc.Residual(shape(norm="pre")).eval()
    assert torch.equal(post(x, torch.zeros_like), post.layer_norm(x))
    assert torch.equal(post(x, lambda _: y), post.layer_norm(x + y))
    assert torch.equal(pre(x, torch.zeros_like), x)
    torch.testing.assert_close(pre(x, lambda normed: 2 * normed), x + 2 * F.layer_norm(x, (D,), eps=1e-6))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_both_stacks_hand_on_mean_0_and_variance_1(norm):
    torch.manual_seed(0)
    model = tc.Transformer(shape(norm=norm)).eval()  # gains 1, biases 0
    outputs: list[Tensor] = [model.encode(SRC)]
    last = model.decoder_norm if norm == "pre" else model.decoder[-1]
    last.register_forward_hook(lambda module, args, out: outputs.append(out))
    model(SRC, TGT_IN)
    for out in outputs:
        torch.testing.assert_close(out.mean(-1), torch.zeros(out.shape[:-1]), atol=1e-5, rtol=0)
        torch.testing.assert_close(out.var(-1, correction=0), torch.ones(out.shape[:-1]), atol=1e-4, rtol=0)


def test_only_pre_norm_has_final_norms_on_both_stacks():
    def norms(**changes: Any) -> set[str]:
        return {name for name, module in little(**changes).named_children() if isinstance(module, nn.LayerNorm)}

    assert norms() == set() and norms(norm="pre") == {"encoder_norm", "decoder_norm"}


# ─── Embeddings ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_embedding_is_its_row_times_the_root_of_d_model_plus_its_position():
    model = little()
    x = model.embed(SRC, model.src_embedding, model.src_positions)
    positions = tc.sinusoidal_positions(S, D).float()
    for b, s in ((0, 0), (0, 4), (1, 2)):
        torch.testing.assert_close(x[b, s], model.src_embedding.weight[SRC[b, s]] * math.sqrt(D) + positions[s])


def test_scaled_embeddings_begin_with_unit_variance():
    torch.manual_seed(0)
    model = tc.Transformer(shape(vocab_size=500, d_model=64))
    assert 64 * model.src_embedding.weight.var().item() == pytest.approx(1, rel=0.05)


def test_source_target_and_softmax_share_one_matrix_and_its_gradients_add_up():
    tied, untied = little(), little(tgt_vocab_size=V, tie_softmax=False)
    assert tied.src_embedding.weight.data_ptr() == tied.tgt_embedding.weight.data_ptr()
    assert sum(p.shape == (V, D) for p in tied.parameters()) == 1
    assert sum(p.shape == (V, D) for p in untied.parameters()) == 3
    weights = tied.state_dict()
    untied.load_state_dict(weights | {"softmax.weight": weights["src_embedding.weight"]})
    logits, same = tied(SRC, TGT_IN), untied(SRC, TGT_IN)
    torch.testing.assert_close(logits, same)
    for out in (logits, same):
        out.square().mean().backward()
    three = [m.weight.grad for m in (untied.src_embedding, untied.tgt_embedding, untied.softmax)]
    assert all(gradient.any() for gradient in three)
    torch.testing.assert_close(tied.src_embedding.weight.grad, sum(three))


@pytest.mark.parametrize("tgt_vocab_size", [31, 17])
@pytest.mark.parametrize("tie_softmax", [True, False])
def test_the_target_may_have_a_vocabulary_of_its_own(tgt_vocab_size, tie_softmax):
    model = little(tgt_vocab_size=tgt_vocab_size, tie_softmax=tie_softmax)
    src, tgt_in = torch.tensor([[V - 1, 2]]), torch.tensor([[1, tgt_vocab_size - 1, 5]])
    assert model(src, tgt_in).shape == (1, 3, tgt_vocab_size)
    with pytest.raises(ValueError, match=f"tgt_in holds ids from 1 to {tgt_vocab_size}"):
        model(src, tgt_in + (tgt_in == tgt_vocab_size - 1))
    assert len(tc.beam_search(model, src, beam_size=2, max_extra=1)) == 1


@pytest.mark.parametrize("wrong", [V, 10_000, -1])
@pytest.mark.parametrize("side", ["src", "tgt_in"])
def test_ids_outside_the_vocabulary_are_refused_naming_both(side, wrong):
    ids = dict(src=SRC.clone(), tgt_in=TGT_IN.clone())
    ids[side][1, 2] = wrong
    with pytest.raises(ValueError) as refusal:
        little()(**ids)
    sentence = str(refusal.value)
    assert sentence.startswith(side) and str(wrong) in sentence and f"vocabulary ends at {V - 1}" in sentence


@pytest.mark.parametrize("wrong", [SRC[0], SRC.float(), SRC[None]], ids=["one row", "floats", "three axes"])
def test_ids_of_another_shape_or_type_are_refused_naming_it(wrong):
    with pytest.raises(ValueError, match=r"src is .* of shape .*; pass whole numbers of shape \(B, n\)"):
        little()(wrong, TGT_IN)


# ─── Positions ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "d_model, position, values",
    [
        (6, 0, (0, 1, 0, 1, 0, 1)),
        (6, 1, (0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998)),
        (6, 2, (0.909297, -0.416147, 0.092699, 0.995694, 0.004309, 0.999991)),
        (6, 3, (0.141120, -0.989992, 0.138798, 0.990321, 0.006463, 0.999979)),
        (512, 1, (0.841471, 0.540302, 0.821856, 0.569695, 0.801962, 0.597375)),
        (512, 2, (0.909297, -0.416147, 0.936415, -0.350895, 0.958144, -0.286285)),
    ],
)
def test_sinusoids_have_the_papers_values(d_model, position, values):
    table = tc.sinusoidal_positions(4, d_model)
    assert table.shape == (4, d_model) and table.dtype == torch.float64
    assert table[position, :6].tolist() == pytest.approx(values, abs=5.1e-7)


def test_wavelengths_run_from_2_pi_to_60_611_at_512():
    sin, cos = tc.sinusoidal_positions(2, 512)[1].view(-1, 2).T
    wavelengths = 2 * math.pi / torch.atan2(sin, cos)
    assert wavelengths[0].item() == pytest.approx(2 * math.pi)
    assert wavelengths[-1].item() == pytest.approx(60_611.48, abs=0.005)
    torch.testing.assert_close(wavelengths[1:] / wavelengths[:-1], torch.full((255,), 10_000 ** (2 / 512)).double())


@pytest.mark.parametrize("k", [1, 37])
def test_a_shift_is_one_rotation_wherever_it_starts(k):
    d = 32
    table = tc.sinusoidal_positions(200 + k, d)
    angle = k * 10_000 ** (-torch.arange(0, d, 2).double() / d)
    rotation = torch.zeros(d // 2, 2, d // 2, 2, dtype=torch.float64)  # M_k: a block for each pair
    for i, (cos, sin) in enumerate(zip(angle.cos(), angle.sin(), strict=True)):
        rotation[i, :, i, :] = torch.stack([cos, sin, -sin, cos]).view(2, 2)
    rotation = rotation.flatten(2).flatten(0, 1)
    assert (table[:200] @ rotation.T - table[k:]).abs().max() < 1e-9


def test_every_position_has_norm_d_over_2_and_products_depend_on_the_offset_alone():
    d = 30
    table = tc.sinusoidal_positions(300, d)
    torch.testing.assert_close(table.square().sum(-1), torch.full((300,), d / 2).double())
    products = table @ table.T
    for k in (1, 50):
        expected = sum(math.cos(k * 10_000 ** (-i / d)) for i in range(0, d, 2))
        torch.testing.assert_close(products.diagonal(k), torch.full((300 - k,), expected).double())


@pytest.mark.parametrize("looked_before", [False, True])
def test_sinusoids_reach_beyond_max_len(looked_before):
    short, long = little(max_len=4), little(max_len=64)
    src, tgt_in = torch.randint(4, V, (2, 21)), torch.randint(4, V, (2, 9))
    if looked_before:
        short(SRC, TGT_IN)
    torch.testing.assert_close(short(src, tgt_in), long(src, tgt_in))


def test_learned_positions_end_at_max_len_and_say_so():
    model = little(positions="learned", max_len=6)
    six, seven = torch.full((1, 6), 5), torch.full((1, 7), 5)
    assert model(six, six[:, :4]).shape == (1, 4, V)
    for src, tgt_in in ((seven, six), (six, seven)):
        with pytest.raises(ValueError, match=r"reaches 7 tokens.* end at 6 \(max_len\);.*sinusoidal") as refusal:
            model(src, tgt_in)
        assert "\n" not in str(refusal.value)


def test_learned_positions_are_a_table_for_each_stack_and_learn():
    model = little(positions="learned", max_len=6)
    model(SRC, TGT_IN).square().mean().backward()
    for positions, n in ((model.src_positions, S), (model.tgt_positions, T)):
        assert positions.table.shape == (6, D)
        assert positions.table.grad[:n].any(-1).all() and not positions.table.grad[n:].any()


def test_a_look_without_gradients_leaves_the_model_trainable():
    model = little()
    with torch.inference_mode():
        model(SRC, TGT_IN)
    model(SRC, TGT_IN).square().mean().backward()
    assert all(p.grad is not None for p in model.parameters())


# ─── Dropout ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def passes_dropout(model: tc.Transformer) -> list[str]:
    """The dropouts of one pass, by name."""
    passed: list[str] = []
    for name, module in model.named_modules():
        if isinstance(module, nn.Dropout):
            module.register_forward_hook(lambda module, args, out, name=name: passed.append(name))
    model(SRC, TGT_IN)
    return passed


def test_dropout_stands_on_sub_layer_outputs_and_embedding_sums():
    passed = passes_dropout(little())
    assert passed.count("dropout") == 2  # one for each stack's sum of embedding and position
    places = [f"encoder.{i}.add_norm.{j}.dropout" for i in range(N_LAYERS) for j in range(2)]
    places += [f"decoder.{i}.add_norm.{j}.dropout" for i in range(N_LAYERS) for j in range(3)]
    assert [name for name in passed if name != "dropout"] == places


def dropping(monkeypatch: pytest.MonkeyPatch, drop: Callable[[Tensor], Tensor]) -> None:
    monkeypatch.setattr(nn.Dropout, "forward", lambda self, x: drop(x))


def test_dropout_stands_nowhere_else(monkeypatch):
    model = little(p_drop=0.5)
    expected = model(SRC, TGT_IN)
    dropping(monkeypatch, lambda x: x)
    assert torch.equal(model.train()(SRC, TGT_IN), expected)


def test_with_everything_dropped_the_residual_stream_remains(monkeypatch):
    model, x = little(), torch.randn(B, S, D)
    dropping(monkeypatch, torch.zeros_like)
    first, second = (add_norm.layer_norm for add_norm in model.encoder[0].add_norm)
    assert torch.equal(model.encoder[0](x, tc.padding_mask(SRC)), second(first(x)))
    assert not model.embed(SRC, model.src_embedding, model.src_positions).any()


def test_dropout_is_off_in_evaluation_and_at_0():
    hardly_there, none = little(p_drop=0.9), little(p_drop=0.0)
    assert torch.equal(hardly_there(SRC, TGT_IN), none(SRC, TGT_IN))
    assert torch.equal(none.train()(SRC, TGT_IN), none.eval()(SRC, TGT_IN))
    assert not torch.equal(hardly_there.train()(SRC, TGT_IN), hardly_there(SRC, TGT_IN))


def test_a_model_made_without_memory_is_whole_after_its_parameters_are_reset():
    with torch.device("meta"):
        model = tc.Transformer(shape(norm="pre"))
    model.to_empty(device="cpu")
    for parameter in model.parameters():
        torch.nn.init.constant_(parameter, 7.0)
    new = tc.Transformer(shape(norm="pre"))
    for one in (model, new):
        torch.manual_seed(0)
        one.reset_parameters()
    for (name, ours), theirs in zip(model.named_parameters(), new.parameters(), strict=True):
        assert torch.equal(ours, theirs), name
