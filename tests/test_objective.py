"""Objective and schedule: label smoothing against torch's own and against KL, the learning rate number by number."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import transformer_core as tc
from core_options import schedule

B, T, V = 2, 5, 11
TGT_OUT = torch.tensor([[4, 7, 10, 5, 2], [9, 3, 2, 0, 0]])  # (B, T), padded
smoothing = pytest.mark.parametrize("eps_ls", [0.0, 0.1, 0.3])


@pytest.fixture
def logits() -> Tensor:
    torch.manual_seed(0)
    return (3 * torch.randn(B, T, V)).requires_grad_()


def smoothed_target(tgt_out: Tensor, n: int, eps_ls: float) -> Tensor:
    """(1-ε)·one-hot + ε/V of the real tokens, row by row."""
    return (1 - eps_ls) * F.one_hot(tgt_out[tgt_out != 0], n).float() + eps_ls / n


def torchs(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), tgt_out.flatten(), ignore_index=0, label_smoothing=eps_ls)


def gradient(loss: Tensor, logits: Tensor) -> Tensor:
    return torch.autograd.grad(loss, logits)[0]


@smoothing
def test_the_loss_and_its_gradient_are_torchs_smoothed_cross_entropy(logits, eps_ls):
    loss, oracle = tc.label_smoothed_loss(logits, TGT_OUT, eps_ls), torchs(logits, TGT_OUT, eps_ls)
    torch.testing.assert_close(loss, oracle)
    torch.testing.assert_close(gradient(loss, logits), gradient(oracle, logits))


@smoothing
def test_bf16_logits_are_worked_in_float32(logits, eps_ls):
    half = logits.detach().bfloat16().requires_grad_()
    loss, oracle = tc.label_smoothed_loss(half, TGT_OUT, eps_ls), torchs(half.float(), TGT_OUT, eps_ls)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, oracle)
    ours = gradient(loss, half)
    assert ours.dtype == torch.bfloat16
    torch.testing.assert_close(ours, gradient(oracle, half), rtol=2**-8, atol=1e-4)


@smoothing
def test_the_gradient_agrees_with_finite_differences(logits, eps_ls):
    def in_float64(x: Tensor) -> Tensor:
        return -(smoothed_target(TGT_OUT, V, eps_ls) * x[TGT_OUT != 0].log_softmax(-1)).sum(-1).mean()

    exact = logits.detach().double().requires_grad_()
    assert torch.autograd.gradcheck(in_float64, exact)  # the formula, then ours against it
    ours = gradient(tc.label_smoothed_loss(logits, TGT_OUT, eps_ls), logits)
    torch.testing.assert_close(ours, gradient(in_float64(exact), exact).float())


def test_the_gradient_carries_the_factor_it_is_given(logits):
    once = gradient(tc.label_smoothed_loss(logits, TGT_OUT), logits)
    torch.testing.assert_close(gradient(-2.5 * tc.label_smoothed_loss(logits, TGT_OUT), logits), -2.5 * once)


@smoothing
def test_the_loss_is_the_divergence_from_the_smoothed_target_plus_its_entropy(logits, eps_ls):
    target = smoothed_target(TGT_OUT, V, eps_ls)
    divergence = F.kl_div(logits[TGT_OUT != 0].log_softmax(-1), target, reduction="batchmean")
    entropy = torch.special.entr(target).sum(-1).mean()
    torch.testing.assert_close(tc.label_smoothed_loss(logits, TGT_OUT, eps_ls), divergence + entropy)


def test_the_loss_cannot_fall_below_1_37691_at_37_000_words():
    n, tgt_out = 37_000, torch.tensor([[4, 36_999]])
    best = smoothed_target(tgt_out, n, 0.1).log()[None].requires_grad_()  # the target itself as the prediction
    loss = tc.label_smoothed_loss(best, tgt_out)
    assert loss.item() == pytest.approx(1.37691, abs=5e-5)  # float32 sums 37,000 equal terms, in torch's own loss too
    assert gradient(loss, best).abs().max() < 1e-4
    for change in (0.1, -0.1):
        assert tc.label_smoothed_loss(best * (1 + change), tgt_out) > loss


def test_smoothing_punishes_certainty():
    certain = 50 * F.one_hot(TGT_OUT, V).float()
    assert tc.label_smoothed_loss(certain, TGT_OUT, 0.0).item() == pytest.approx(0, abs=1e-6)
    assert tc.label_smoothed_loss(certain, TGT_OUT, 0.1) > tc.label_smoothed_loss(certain / 10, TGT_OUT, 0.1)


def test_more_rows_than_are_worked_at_once_are_one_sum():
    """The rows go through in parts of 64 on a CPU; none may be lost or counted twice."""
    generator = torch.Generator().manual_seed(5)
    logits = torch.randn(3, 431, V, generator=generator).requires_grad_()
    tgt_out = torch.randint(0, V, (3, 431), generator=generator)
    loss, oracle = tc.label_smoothed_loss(logits, tgt_out, 0.1), torchs(logits, tgt_out, 0.1)
    torch.testing.assert_close(loss, oracle)
    torch.testing.assert_close(gradient(loss, logits), gradient(oracle, logits))


@smoothing
def test_padding_has_no_say(logits, eps_ls):
    loss = tc.label_smoothed_loss(logits, TGT_OUT, eps_ls)
    d_logits = gradient(loss, logits)
    assert not d_logits[TGT_OUT == 0].any() and d_logits[TGT_OUT != 0].any(-1).all()
    strange = torch.where((TGT_OUT == 0)[:, :, None], torch.tensor(1e4), logits)
    assert torch.equal(tc.label_smoothed_loss(strange, TGT_OUT, eps_ls), loss)
    longer = tc.label_smoothed_loss(F.pad(logits, (0, 0, 0, 3)), F.pad(TGT_OUT, (0, 3)), eps_ls)
    torch.testing.assert_close(longer, loss)


@smoothing
def test_beside_the_loss_stands_the_plain_nll(logits, eps_ls):
    loss, nll = tc.objective(logits, TGT_OUT, eps_ls)
    n_tokens = (TGT_OUT != 0).sum()
    torch.testing.assert_close(nll / n_tokens, torchs(logits, TGT_OUT, 0.0).detach())
    torch.testing.assert_close(loss / n_tokens, torchs(logits, TGT_OUT, eps_ls))
    assert loss.requires_grad and not nll.requires_grad


def test_sums_over_parts_are_the_sum_over_the_whole(logits):
    whole = tc.objective(logits, TGT_OUT, 0.1)
    parts = [tc.objective(logits[[b]], TGT_OUT[[b]], 0.1) for b in range(B)]
    for i in range(2):
        torch.testing.assert_close(sum(part[i] for part in parts), whole[i])


# ─── The learning rate ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "d_model, step, rate",
    [
        (512, 1, 1.746928e-7),
        (512, 100, 1.746928e-5),
        (512, 1000, 1.746928e-4),
        (512, 4000, 6.987712e-4),
        (512, 8000, 4.941059e-4),
        (512, 16_000, 3.493856e-4),
        (512, 100_000, 1.397542e-4),
        (1024, 4000, 4.941059e-4),
        (1024, 300_000, 5.705443e-5),
    ],
)
def test_the_learning_rate_is_equation_3(d_model, step, rate):
    assert tc.learning_rate(step, d_model) == pytest.approx(rate, rel=5e-7)


@pytest.mark.parametrize("warmup_steps", [1, 7, 4000])
@pytest.mark.parametrize("peak", [None, 1.4e-3])
def test_the_rate_rises_in_a_line_to_its_peak_and_falls_as_the_root_of_the_step(warmup_steps, peak):
    def rate(step: int) -> float:
        return schedule.TrainingConfig(warmup_steps=warmup_steps, peak_learning_rate=peak).learning_rate(step, 256)

    top = peak or (256 * warmup_steps) ** -0.5
    assert rate(warmup_steps) == pytest.approx(top)
    for step in {1, 2, 5, warmup_steps - 1} & set(range(1, warmup_steps)):
        assert rate(step) == pytest.approx(top * step / warmup_steps)
    for factor in (2, 4, 25):
        assert rate(factor * warmup_steps) == pytest.approx(top / math.sqrt(factor))


def test_the_peak_form_is_equation_3_scaled():
    for step in (1, 50, 100, 101, 5000):
        config = schedule.TrainingConfig(warmup_steps=100, peak_learning_rate=2 * (128 * 100) ** -0.5)
        assert config.learning_rate(step, 128) == pytest.approx(2 * tc.learning_rate(step, 128, 100))


@pytest.mark.parametrize("step", [0, -4])
def test_steps_count_from_1(step):
    with pytest.raises(ValueError, match=f"step is {step} .*count from 1"):
        tc.learning_rate(step, 512)


def test_the_papers_schedule_is_the_default_of_training():
    config = tc.TrainingConfig()
    assert (config.steps, config.warmup_steps) == (100_000, 4000)
    assert (config.beta1, config.beta2, config.eps_adam) == (0.9, 0.98, 1e-9)
    assert all(config.learning_rate(step, 512) == tc.learning_rate(step, 512) for step in (1, 4000, 100_000))


def test_a_cooldown_ends_the_schedule_in_a_straight_line():
    config = schedule.TrainingConfig(steps=100, warmup_steps=10, cooldown_steps=20)
    for step in range(1, 101):
        left = min(1.0, (101 - step) / 20)
        assert config.learning_rate(step, 64) == pytest.approx(left * tc.learning_rate(step, 64, 10))
