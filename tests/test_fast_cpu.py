"""What makes the model faster on a CPU: it changes nothing of what is computed, and leaves nothing behind."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import torch

import transformer_core as tc
from core_options import fast_cpu, schedule, ways
from core_options.precision import products

torch_precision = torch.get_float32_matmul_precision


def corpus(n: int, seed: int = 3) -> list[tuple[list[int], list[int]]]:
    """Pairs whose lengths are lognormal, a target up to twice or half as long as its source."""
    rng, pairs = random.Random(seed), []
    for _ in range(n):
        length = rng.lognormvariate(3, 0.5)
        sizes = (1 + round(length), 1 + round(length * rng.lognormvariate(0, 0.2)))
        pairs.append(tuple(rng.choices(range(4, 41), k=min(size, 90)) for size in sizes))
    return pairs


def new_model(p_drop: float = 0.0) -> tc.Transformer:
    """A small model, always the same."""
    torch.manual_seed(5)
    sizes = dict(n_layers=2, d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8)
    return tc.Transformer(tc.TransformerConfig(41, p_drop=p_drop, **sizes))


def trained(precision: str = "fp32", alone: bool = False) -> tuple[list[tc.Step], dict[str, torch.Tensor]]:
    """Three steps and the weights they end in; alone: by the core's own way."""
    model, batches = new_model(), tc.make_batches(corpus(90), 500)
    times = dict(steps=3, warmup_steps=2, peak_learning_rate=0.01)
    settings = schedule.TrainingConfig(**times, device="cpu", precision=precision)
    return list((tc.train if alone else ways.train)(model, batches, settings)), tc.weights_of(model)


# ─── Parts of like lengths ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tokens", [1, 32, 10_000])
def test_the_parts_of_a_batch_hold_each_of_its_pairs_once(tokens):
    for batch in tc.make_batches(corpus(300), 1500):
        parts = fast_cpu.level(batch, tokens)
        assert sorted(row for part in parts for row in part.rows) == sorted(batch.rows)
        assert sum(part.n_tokens for part in parts) == batch.n_tokens
        for part in parts:
            for i, row in enumerate(part.rows):
                j = batch.rows.index(row)
                for name in ("src", "tgt_in", "tgt_out"):
                    ids, whole = (x[x != 0].tolist() for x in (getattr(part, name)[i], getattr(batch, name)[j]))
                    assert ids == whole


def test_less_than_3_percent_of_what_is_worked_is_padding():
    worked, real = torch.zeros(2), torch.zeros(2)
    whole = 0
    for batch in tc.make_batches(corpus(12_000), 4096):
        whole += batch.tgt_out.numel()
        for part in fast_cpu.level(batch):
            worked += torch.tensor([part.src.numel(), part.tgt_out.numel()])
            real += torch.tensor([int((part.src != 0).sum()), part.n_tokens])
    padding = 1 - real / worked
    assert (padding < 0.03).all(), padding
    assert 1 - real[1] / whole > 0.2  # so much it would have been


# ─── The same training ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("precision", ["fp32", "auto"])
def test_a_core_that_was_copied_alone_trains_to_the_same_end(precision):
    steps, weights = trained(precision)
    steps_alone, weights_alone = trained(precision, alone=True)
    for step, other in zip(steps, steps_alone, strict=True):
        assert step.n_tokens == other.n_tokens
        for name in ("loss", "nll", "gradient_norm"):
            assert getattr(step, name) == pytest.approx(getattr(other, name), rel=1e-5)
    for name, weight in weights.items():
        torch.testing.assert_close(weight, weights_alone[name], atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_the_objective_is_the_cores_own_with_its_gradient(dtype):
    generator = torch.Generator().manual_seed(2)
    tgt_out = torch.randint(0, 5, (3, 67), generator=generator)  # more rows than go through at once, and padding
    found = []
    for objective in (fast_cpu.objective, tc.objective):
        logits = torch.randn(3, 67, 31, generator=generator.manual_seed(4)).to(dtype).requires_grad_()
        loss, nll = objective(logits, tgt_out, 0.2)
        (-1.5 * loss).backward()
        found.append((loss.detach(), nll, logits.grad))
    for ours, plain in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain, **({} if dtype == torch.float32 else dict(atol=8e-3, rtol=8e-3)))


# ─── Attention ───────────────────────────────────────────────────────────────────────────────────────────────────────

B, H, T, S, K, D_V = 3, 2, 5, 7, 6, 10
MASKS = {
    "none": None,
    "all": torch.ones(1, 1, 1, S, dtype=torch.bool),
    "padding": (torch.arange(S) < torch.tensor([[7], [4], [1]]))[:, None, None],
    "one sentence of padding alone": (torch.arange(S) < torch.tensor([[7], [0], [3]]))[:, None, None],
    "each query its own": torch.ones(T, S, dtype=torch.bool).tril() & (torch.arange(S) != 2),
}


def heads_and_gradients(attention: tc.Kernel, mask: torch.Tensor | None, dtype: torch.dtype) -> list[torch.Tensor]:
    """Of a kernel's attention of made-up queries, keys and values, turned as the model turns them."""
    generator = torch.Generator().manual_seed(7)
    shapes = (B, T, H, K), (B, S, H, K), (B, S, H, D_V)
    given = [torch.randn(*shape, generator=generator).to(dtype).requires_grad_() for shape in shapes]
    heads = attention(*(x.transpose(1, 2) for x in given), mask)
    (heads.float() * torch.randn(heads.shape, generator=generator)).sum().backward()
    return [heads.detach(), *(x.grad for x in given)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_attention_and_its_gradients_are_torchs(mask, dtype):
    found = (heads_and_gradients(attention, mask, dtype) for attention in (fast_cpu.attention, tc.attention))
    for mine, torchs in zip(*found, strict=True):
        assert mine.dtype == dtype and mine.isfinite().all()
        near = dict(atol=1e-6, rtol=1e-5) if dtype == torch.float32 else dict(atol=0.03, rtol=0.02)
        torch.testing.assert_close(mine, torchs, **near)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
def test_few_queries_of_many_sentences_find_what_torchs_kernel_finds(mask):
    generator = torch.Generator().manual_seed(8)
    q, k, v = (torch.randn(3, 1, H, n, d, generator=generator) for n, d in ((4, K), (S, K), (S, D_V)))
    q, k, v = (x.expand(3, 6, -1, -1, -1).transpose(0, 1).flatten(0, 1) for x in (q, k, v))  # 18 sentences, 3 and 3
    if mask is not None:
        mask = mask[-4:] if mask.dim() == 2 else mask.expand(3, 1, 1, S).repeat(6, 1, 1, 1)
    with torch.no_grad():
        ours = fast_cpu.attention(q, k, v, mask)
        torch.testing.assert_close(ours, tc.attention(q, k, v, mask), atol=1e-6, rtol=1e-5)


# ─── Products ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_precision_of_products_is_the_callers_again_after_each_step_and_after_an_error():
    before, seen = torch_precision(), []
    model = new_model()
    model.encoder[0].register_forward_hook(lambda *_: seen.append(torch_precision()))
    settings = tc.TrainingConfig(steps=2, precision="medium", device="cpu")
    for _ in ways.train(model, tc.make_batches(corpus(40), 400), settings):
        assert torch_precision() == before
    assert set(seen) == {"medium"}
    with pytest.raises(KeyError), products("medium"):
        raise KeyError
    assert torch_precision() == before


def test_medium_products_are_near_and_training_in_them_too():
    """On a processor with AMX they are bf16 inside: 0.24 % of error; elsewhere they may be as exact as fp32."""
    a, b = (torch.randn(160, 96, generator=torch.Generator().manual_seed(seed)) for seed in (1, 2))
    exact = a.double() @ b.double().T
    with products("medium"):
        error = ((a @ b.T - exact).norm() / exact.norm()).item()
    assert error < 2**-8
    for step, other in zip(*(trained(precision)[0] for precision in ("fp32", "medium")), strict=True):
        assert step.loss == pytest.approx(other.loss, rel=5e-3)


def test_on_a_cpu_auto_is_exact_where_no_trial_was_made():
    cpu, seen = torch.device("cpu"), []
    names = ("auto", "fp32", "medium", "bf16")
    assert [tc.pick_precision(cpu, name) for name in names] == ["fp32", "fp32", "medium", "bf16"]
    model = new_model()
    model.encoder[0].register_forward_hook(lambda *_: seen.append(torch_precision()))
    next(ways.train(model, tc.make_batches(corpus(9), 400), tc.TrainingConfig(device="cpu")))
    assert set(seen) == {"highest"}


def test_medium_is_refused_where_there_is_none():
    with pytest.raises(ValueError, match=r"^The precision is 'medium'; choose one of auto, fp32, bf16\.$"):
        tc.pick_precision(torch.device("meta"), "medium")


def test_a_step_leaves_the_model_as_it_was():
    """No kernel and no product stays behind, after an error neither."""
    model = new_model()
    kernels = [block.kernel for block in model.modules() if isinstance(block, tc.MultiHeadAttention)]
    next(ways.train(model, tc.make_batches(corpus(40), 400), tc.TrainingConfig(steps=2, device="cpu")))
    with pytest.raises(KeyError), fast_cpu.searching(model, 9 * 99, 4):
        raise KeyError
    assert [block.kernel for block in model.modules() if isinstance(block, tc.MultiHeadAttention)] == kernels
    assert not any("forward" in vars(module) for module in model.modules())


needs_onednn = pytest.mark.skipif(not fast_cpu.has_onednn(), reason="this torch, or processor, has no oneDNN products")


def test_asking_for_onednn_draws_no_random_number():
    """It is asked in the first search of a process, and the next step's dropout must be that of another process."""
    fast_cpu.has_onednn.cache_clear()
    before = torch.get_rng_state()
    fast_cpu.has_onednn()
    assert torch.equal(before, torch.get_rng_state())


@needs_onednn
def test_blocked_weights_are_those_at_the_beginning_of_each_search_and_leave_nothing_behind(monkeypatch):
    monkeypatch.setattr(fast_cpu, "WORTH", 1)
    model, src = new_model().eval(), torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]])
    before = {*vars(model.softmax)}
    first = fast_cpu.beam_search(model, src, 3, 0.6, 9)
    for parameter in model.parameters():
        parameter.data *= 1.5  # which torch does not count as a change
    changed = fast_cpu.beam_search(model, src, 3, 0.6, 9)
    assert [h.score for h in first] != [h.score for h in changed]
    with torch.no_grad(), fast_cpu.blocked_weights(model, src.numel(), 1):
        blocked = model(src, src)
    with torch.no_grad():
        torch.testing.assert_close(blocked, model(src, src), atol=1e-5, rtol=1e-5)
    assert {*vars(model.softmax)} == before
    with pytest.raises(KeyError), fast_cpu.blocked_weights(model, src.numel(), 1):
        raise KeyError
    assert {*vars(model.softmax)} == before


@needs_onednn
def test_a_short_search_blocks_no_weights(monkeypatch):
    monkeypatch.setattr(fast_cpu, "blocked", lambda layer: pytest.fail("weights were blocked"))
    fast_cpu.beam_search(new_model().eval(), torch.full((1, 99), 5), 3, 0.6, 4)
    with pytest.raises(pytest.fail.Exception, match="were blocked"):
        fast_cpu.beam_search(new_model().eval(), torch.full((1, 100), 5), 3, 0.6, 4)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
def test_a_model_of_any_precision_translates(dtype, monkeypatch):
    monkeypatch.setattr(fast_cpu, "WORTH", 1)
    model, src = new_model().eval().to(dtype), torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]])
    assert [len(found.ids) > 0 for found in fast_cpu.beam_search(model, src, 3, 0.6, 4)] == [True, True]
    assert not fast_cpu.can_work(torch.empty(2, 2, dtype=torch.float64))


@pytest.mark.parametrize("width", [1, 3])
def test_a_core_that_was_copied_alone_finds_the_same_translations(width, monkeypatch):
    monkeypatch.setattr(fast_cpu, "WORTH", 1)
    torch.manual_seed(11)
    model, src = new_model().eval(), torch.randint(4, 41, (6, 8))
    ours = fast_cpu.beam_search(model, src, width, 0.6, 5)
    for mine, other in zip(ours, tc.beam_search(model, src, width, 0.6, 5), strict=True):
        assert mine.ids == other.ids and mine.score == pytest.approx(other.score, rel=1e-5)


# ─── Dropout ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def dropout(p: float) -> Any:
    return fast_cpu.quick_dropout(torch.nn.Dropout(p).train())


@pytest.mark.parametrize("p", [0.0, 0.1, 0.3, 0.9])
def test_dropout_keeps_its_share_scales_it_and_is_unbiased(p):
    torch.manual_seed(0)
    x = torch.ones(401, 2503, requires_grad=True)  # not a multiple of the four numbers that share a draw
    n, spread = x.numel(), math.sqrt(p * (1 - p))
    y = dropout(p)(x)
    kept = y != 0
    torch.testing.assert_close(y, kept / (1 - p))
    assert abs(kept.float().mean().item() - (1 - p)) <= 5 * spread / math.sqrt(n)
    assert abs(y.mean().item() - 1) <= 5 * spread / (1 - p) / math.sqrt(n) + 1e-6
    y.sum().backward()
    assert torch.equal(x.grad, y)


@pytest.mark.parametrize("lag", [1, 2, 3, 4, 2503])
def test_dropout_treats_neighbours_independently(lag):
    torch.manual_seed(0)
    p = 0.3
    noise = (dropout(p)(torch.ones(401, 2503)) != 0).float().flatten() - (1 - p)
    correlation = (noise[lag:] * noise[:-lag]).mean().item() / (p * (1 - p))
    assert abs(correlation) < 5 / math.sqrt(len(noise))
    lanes = noise[: len(noise) // 4 * 4].view(-1, 4).mean(0)
    assert lanes.abs().max().item() < 5 * math.sqrt(p * (1 - p) / (len(noise) // 4))


def test_dropout_is_repeatable_and_takes_any_layout():
    drop, x = dropout(0.5), torch.randn(5, 7).T
    drawn = [(torch.manual_seed(seed), drop(x))[1] for seed in (1, 1, 2)]
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])
    assert drawn[0].shape == x.shape and drop(x.bfloat16()).dtype == torch.bfloat16
    assert not torch.equal(drop(x), drop(x))


def test_dropout_is_off_in_evaluation_and_where_the_way_is_left():
    model = new_model(p_drop=0.5)
    way, x = fast_cpu.LikeLengths(model), torch.ones(40, 50)
    with way.dropout:
        torch.manual_seed(0)
        quick = model.train().dropout(x)
        assert torch.equal(model.eval().dropout(x), x)
    torch.manual_seed(0)
    assert not torch.equal(model.train().dropout(x), quick)
    torch.manual_seed(0)
    assert torch.equal(fast_cpu.quick_dropout(model.dropout)(x), quick)
