"""Masks as numbers: layers and their AND, the leak test on real models, and what a missing mask changes."""

import pytest
import torch

import transformer_core as tc
from studies import masks

SRC, TGT = torch.tensor([[7, 8, 9, tc.EOS]]), torch.tensor([[tc.BOS, 11, 12, 13, 14, 15]])

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


def little(n_layers: int, norm: str = "post") -> tc.Transformer:
    torch.manual_seed(n_layers)
    config = tc.TransformerConfig(
        vocab_size=30, n_layers=n_layers, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5, p_drop=0.5, norm=norm
    )
    return tc.Transformer(config)


def ones(n: int, diagonal: int) -> torch.Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril(diagonal)


# ─── Layers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_mask_is_the_and_of_both_layers_and_padding_is_the_same_for_every_query():
    layer = [[1, 0, 1], [1, 1, 0]]
    assert masks.both(layer, [1, 1, 0]).tolist() == [[True, False, False], [True, True, False]]
    assert torch.equal(masks.both(ones(5, 0), torch.tensor([1, 1, 1, 0, 0])), ones(5, 0) & torch.arange(5).lt(3))


def test_layers_that_do_not_fit_are_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\).*\(S,\)"):
        masks.both([[1, 0, 1], [1, 1, 0]], [1, 1])


def test_reach_is_what_powers_of_the_mask_say():
    for n_layers in (1, 2, 4):
        mask = torch.rand(7, 7, generator=torch.Generator().manual_seed(n_layers)) < 0.2
        step = (mask | torch.eye(7, dtype=torch.bool)).double()
        assert torch.equal(masks.reach(mask, n_layers), torch.linalg.matrix_power(step, n_layers) > 0)


# ─── The leak test ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_a_later_token_never_moves_an_earlier_logit_not_by_one_bit(n_layers, norm):
    leak = masks.leak_test(little(n_layers, norm), SRC, TGT)
    assert leak.passed and leak.failed == [] and leak.later.eq(0).all()
    assert leak.change.tril().gt(0).sum() == 6 * 7 / 2  # and every own or earlier token moves it


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_what_moves_is_exactly_what_the_mask_lets_through_whatever_the_mask(n_layers):
    for seed in range(5):
        mask = torch.rand(6, 6, generator=torch.Generator().manual_seed(seed)) < 0.3
        leak = masks.leak_test(little(n_layers), SRC, TGT, mask)
        assert torch.equal(leak.change > 0, masks.reach(mask, n_layers))


def test_one_open_cell_leaks_into_one_row_of_one_layer_and_into_later_rows_of_two():
    mask = ones(6, 0)
    mask[1, 4] = True
    assert masks.leak_test(little(1), SRC, TGT, mask).failed == [1]
    assert masks.leak_test(little(2), SRC, TGT, mask).failed == [1, 2, 3]


def test_a_mask_too_open_by_one_lets_each_layer_see_one_token_further():
    for n_layers in (1, 2, 3):
        change = masks.leak_test(little(n_layers), SRC, TGT, ones(6, 1)).change
        assert torch.equal(change > 0, ones(6, n_layers))


def test_the_token_put_in_differs_even_where_it_stood_already():
    leak = masks.leak_test(little(1), SRC, torch.tensor([[tc.BOS, tc.UNK, 12]]), other=tc.UNK)
    assert leak.change.diagonal().gt(0).all()


def test_the_model_is_left_as_it_was_also_after_an_error():
    model = little(2).train()
    with pytest.raises(ZeroDivisionError), masks.decoder_mask(model, ones(6, 1)):
        1 / 0  # noqa: B018
    masks.leak_test(model, SRC, TGT, ones(6, 3))
    assert "tgt_mask" not in vars(model) and model.training


def test_padding_tokens_move_nothing_while_the_padding_layer_hides_them():
    tgt = torch.tensor([[tc.BOS, 11, 12, tc.PAD, tc.PAD]])
    real = tgt[0] != tc.PAD
    change = masks.leak_test(little(2), SRC, tgt, masks.both(torch.ones(5, 5), real)).change
    assert change[:3, 3:].eq(0).all() and change[:3, :3].gt(0).all()
    assert masks.leak_test(little(2), SRC, tgt, torch.ones(5, 5).bool()).change[:3, 3:].gt(0).all()


# ─── Test time ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_the_mask_one_layer_predicts_the_same_and_two_do_not_while_the_cache_agrees():
    for n_layers in (1, 2, 3):
        found = masks.at_test_time(little(n_layers), SRC, TGT)
        assert found["cache"].max() < 1e-5
        assert found["no mask"][0] == 0
        assert found["no mask"].eq(0).all() if n_layers == 1 else found["no mask"][1:].gt(1e-3).all()


def test_greedy_decoding_without_the_mask_is_the_cores_own_in_one_layer():
    model = little(1).eval()
    said = masks.say_without_mask(model, SRC, 8)
    kept = tc.greedy_decode(model, SRC, max_extra=5)[0].ids
    assert said[: len(kept)] == kept


# ─── A batch ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PAIRS = [([5, 6], [7, 8, 9]), ([5, 6, 7, 8], [9])]


def test_the_masks_in_use_are_the_ones_the_core_makes():
    batch = tc.Batch.of(PAIRS)
    found = masks.masks_in_use(little(2), batch)
    source, n, T = batch.src != tc.PAD, batch.src.size(1), batch.tgt_in.size(1)
    assert torch.equal(found["encoder self-attention"], source[:, None].expand(-1, n, -1))
    assert torch.equal(found["cross-attention"], source[:, None].expand(-1, T, -1))
    assert torch.equal(found["decoder self-attention"], tc.causal_mask(T) & (batch.tgt_in != tc.PAD)[:, None])


def test_the_target_is_shifted_right_by_one():
    batch = tc.Batch.of(PAIRS)
    assert batch.tgt_in.tolist() == [[tc.BOS, 7, 8, 9], [tc.BOS, 9, tc.PAD, tc.PAD]]
    assert batch.tgt_out.tolist() == [[7, 8, 9, tc.EOS], [9, tc.EOS, tc.PAD, tc.PAD]]


def test_padding_in_the_source_gets_no_weight_and_gradients_flow_into_the_encoder():
    model, batch = little(2), tc.Batch.of(PAIRS)
    with tc.record(model, "decoder.*.cross_attention.weights") as trace:
        tc.label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out).backward()
    for weights in trace.values():
        assert weights[0, :, :, 3:].eq(0).all() and torch.allclose(weights.sum(-1), torch.ones(2, 3, 4))
    assert all(p.grad.abs().sum() > 0 for p in model.encoder[0].self_attention.parameters())


def test_a_sentence_of_padding_alone_gives_no_nan():
    model = little(2).eval()
    tgt = torch.tensor([[tc.PAD, tc.PAD, tc.PAD]])
    with torch.no_grad():
        assert model(torch.zeros(1, 4, dtype=torch.long), tgt).isfinite().all()
        with tc.record(model, "*.weights") as trace:
            model(torch.zeros(1, 4, dtype=torch.long), tgt)
    assert all(weights.eq(0).all() for weights in trace.values())
