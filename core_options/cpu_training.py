"""What makes training faster on a CPU and changes nothing of what is computed: transformer_core.py looks for it here.

    level           a batch in parts of like lengths, so that next to nothing is padding
    objective       the loss and its gradient in one pass, a few rows at a time, while they are near the core
    products        matrix products that are bf16 inside, where the processor is faster so
    keep_memory     the memory of large tensors is kept, not handed back and asked for again at every step

The core without this file trains to the same end, more slowly. benchmarks/README.md says what each is worth.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from transformer_core import Batch

PAD = 0


@functools.cache
def keep_memory() -> None:
    """Keep glibc from handing the memory of large tensors back to the kernel, whose zeroing can cost half the time."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # elsewhere than on Linux
        mallopt, mmap_max, trim_threshold = ctypes.CDLL(None).mallopt, -4, -1  # numbers from malloc.h
        mallopt(mmap_max, 0), mallopt(trim_threshold, -1)


def level(batch: Batch, tokens: int = 24) -> list[Batch]:
    """The batch in parts of like target lengths: cut in two where that spares so many tokens of padding, and again.

    Batches are sorted by source length alone: those that are of one target length too, so that all their sentences end
    at one place, pull the weights to and fro. The gradients of the parts add up to that of the whole batch.
    """
    lengths, order = (batch.tgt_out != PAD).sum(1).sort(stable=True)
    spared = (lengths[-1] - lengths[:-1]) * torch.arange(1, len(order))  # by a cut after 1, 2, … sentences
    if len(order) < 2 or spared.max() < tokens:
        return [batch]
    halves = order.tensor_split([int(spared.argmax()) + 1])
    rows = [tuple(batch.rows[i] for i in half) if batch.rows else () for half in halves]
    parts = (replace(batch.part(half), rows=row) for half, row in zip(halves, rows, strict=True))
    return [part for half in parts for part in level(half, tokens)]


def smoothed(logits: Tensor, tgt_out: Tensor, eps_ls: float, sloped: bool = True) -> tuple[Tensor, Tensor]:
    """Sums of the smoothed loss and of the nll (2,), and the slope of the first (n, V): logits (n, V), tgt_out (n,)."""
    real, target = (tgt_out != PAD)[:, None], tgt_out[:, None]  # (n, 1)
    log_probs = logits.float().log_softmax(-1)  # (n, V)
    nll = -log_probs.gather(-1, target)  # (n, 1)
    loss = (1 - eps_ls) * nll - eps_ls * log_probs.mean(-1, keepdim=True)  # to (1-ε)·one-hot + ε/V
    sums = torch.stack([x.masked_fill(~real, 0.0).sum() for x in (loss, nll)])
    if sloped:  # softmax less the target
        less = torch.full_like(nll, eps_ls - 1)
        log_probs.exp_().sub_(eps_ls / logits.size(-1)).scatter_add_(-1, target, less).mul_(real)
    return sums, log_probs


class SmoothedLoss(torch.autograd.Function):
    """The two sums of the core's `objective` and, made while the rows are at hand, their gradient."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
        """logits (n, V), tgt_out (n,) -> loss and nll (2,); 64 rows at a time stay in a core's own cache."""
        sums, gradient = torch.zeros(2), torch.empty_like(logits) if ctx.needs_input_grad[0] else None
        for start in range(0, len(logits), 64):
            part = slice(start, start + 64)
            found, slope = smoothed(logits[part], tgt_out[part], eps_ls, gradient is not None)
            sums += found
            if gradient is not None:
                gradient[part] = slope
        ctx.gradient = gradient
        return sums

    @staticmethod
    def backward(ctx: Any, d_sums: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        """Scaled in place, so it serves once."""
        gradient, ctx.gradient = ctx.gradient, None
        return gradient.mul_(d_sums[0]), None, None


def objective(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> tuple[Tensor, Tensor]:
    """The core's objective: (B, T, V), (B, T) -> loss and nll."""
    loss, nll = SmoothedLoss.apply(logits.flatten(0, -2), tgt_out.flatten(), eps_ls)
    return loss, nll.detach()


def products(precision: str) -> contextlib.ExitStack:
    """Until it is left, "medium" lets products of float32 matrices be bf16 inside, if that is faster, sums in float32.

    Other precisions leave them exact. What is set is put back; memory is kept from here on.
    """
    keep_memory()
    leaving = contextlib.ExitStack()
    leaving.callback(torch.set_float32_matmul_precision, torch.get_float32_matmul_precision())
    torch.set_float32_matmul_precision("medium" if precision == "medium" else "highest")
    return leaving
