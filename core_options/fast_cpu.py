"""What makes the model faster on a CPU and changes nothing of what is computed.

    LikeLengths      the way of working a batch that puts the rest of this page together, parts side by side (threads)
    Translator       the same for translating
    level            a batch in parts of like lengths, so that next to nothing is padding
    attention        equation 1 with a short backward pass, and for few queries
    objective        the loss and its gradient in one pass, a few rows at a time, while they are near the core
    quick_dropout    dropout with a quarter of the draws, from a generator of the part's own
    blocked_weights  in a search that is not short: weights in the order in which products of few rows read them
    keep_memory      the memory of large tensors is kept, not handed back and asked for again at every step

The core's own way does the same, more slowly. benchmarks/README.md says what each is worth.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import math
import platform
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options import beams, threads
from core_options.precision import autocast, products
from core_options.processes import SharedWay, part, split

Layer = TypeVar("Layer", bound=nn.Module)
Search = tuple[int, float, int]  # beam_size, alpha, max_extra
FEW, MANY = 4, 16  # queries, such as the hypotheses of a beam; sentences
LEVELED = 6e7  # padded tokens times parameters: to work less padding than this takes less time than one more part
HALVED = 1.5e9  # tokens times parameters: two threads are hardly sooner done with less
PART = 1024  # target tokens that one thread works at a time
WORTH = 300  # source tokens times the beam's width: packing the weights costs what some 10 steps of few rows gain


@functools.cache
def keep_memory() -> None:
    """Keep glibc from handing the memory of large tensors back to the kernel, whose zeroing can cost half the time."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # elsewhere than on Linux
        mallopt, mmap_max, trim_threshold = ctypes.CDLL(None).mallopt, -4, -1  # numbers from malloc.h
        mallopt(mmap_max, 0), mallopt(trim_threshold, 2**31 - 1)  # what is free above 2 GB goes back


def make_room(model: nn.Module, n: int) -> None:
    """Let sinusoids reach n positions before threads read them: who makes a longer table exchanges it for all."""
    for positions in model.modules():
        if isinstance(positions, tc.Positions) and not positions.learned:
            positions.forward(n)  # past what is attached to it


def level(batch: tc.Batch, tokens: float = 24) -> list[tc.Batch]:
    """The batch in parts of like target lengths: cut in two where that spares so many tokens of padding, and again.

    Batches are sorted by source length alone: those that are of one target length too, so that all their sentences end
    at one place, pull the weights to and fro. The gradients of the parts add up to that of the whole batch.
    """
    lengths, order = (batch.tgt_out != tc.PAD).sum(1).sort(stable=True)
    spared = (lengths[-1] - lengths[:-1]) * torch.arange(1, len(order))  # by a cut after 1, 2, … sentences
    if len(order) < 2 or spared.max() < tokens:
        return [batch]
    halves = order.tensor_split([int(spared.argmax()) + 1])
    return [leveled for half in halves for leveled in level(part(batch, half.tolist()), tokens)]


# ─── Attention ───────────────────────────────────────────────────────────────────────────────────────────────────────
class Attention(torch.autograd.Function):
    """Equation 1, of whose n² numbers the weights alone are kept; backwards four products and short passes."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q, k, v = (x.contiguous() for x in (q, k, v))
        weights = weights_of(q, k, mask).to(v.dtype)  # (B, H, T, S)
        heads = weights @ v  # (B, H, T, d_v)
        ctx.save_for_backward(q, k, v, weights, heads)
        return heads

    @staticmethod
    def backward(ctx: Any, d_heads: Tensor) -> tuple[Tensor, Tensor, Tensor, None]:  # type: ignore[override]
        q, k, v, weights, heads = ctx.saved_tensors
        d_heads = d_heads.contiguous()
        mean = (d_heads * heads).sum(-1, keepdim=True)  # (B, H, T, 1), of the weights' gradients, weighted by them
        d_scores = (d_heads @ v.transpose(-2, -1)).sub_(mean).mul_(weights).mul_(q.size(-1) ** -0.5)
        return d_scores @ k, d_scores.transpose(-2, -1) @ q, weights.transpose(-2, -1) @ d_heads, None


def weights_of(q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    """The softmax over keys, rows that may look at nothing all 0: (B, H, T, K), (B, H, S, K) -> (B, H, T, S)."""
    scores = (q @ k.transpose(-2, -1)).mul_(q.size(-1) ** -0.5)
    if mask is None or is_all(mask):
        return scores.softmax(-1, dtype=torch.float32)
    weights = scores.masked_fill_(~mask, -torch.inf).softmax(-1, dtype=torch.float32)
    open_rows = mask.any(-1, keepdim=True)
    return weights if is_all(open_rows) else weights.masked_fill(~open_rows, 0.0)


def is_all(mask: Tensor) -> bool:
    """Whether all of a mask is known to be True; what is compiled cannot ask."""
    return not torch.compiler.is_compiling() and bool(mask.all())


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """The core's attention: for gradients and in a search faster than torch's kernel, which does the rest."""
    if torch.is_grad_enabled():
        return Attention.apply(q, k, v, mask)
    if q.size(2) <= FEW and len(q) >= MANY:
        return weights_of(q, k, mask).to(v.dtype) @ v
    return nn.functional.scaled_dot_product_attention(q, k, v, mask)


# ─── The loss ────────────────────────────────────────────────────────────────────────────────────────────────────────
def smoothed(logits: Tensor, tgt_out: Tensor, eps_ls: float, sloped: bool = True) -> tuple[Tensor, Tensor]:
    """Sums of the smoothed loss and of the nll (2,), and the slope of the first (n, V): logits (n, V), tgt_out (n,)."""
    logits, target, padding = logits.float(), tgt_out[:, None], (tgt_out == tc.PAD)[:, None]
    probs, top = logits.softmax(-1), logits.amax(-1, keepdim=True)  # (n, V), (n, 1)
    rest = probs.amax(-1, keepdim=True).log()  # log p of the largest: -log p of any is its distance to it less this
    nll, mean = (top - x - rest for x in (logits.gather(-1, target), logits.mean(-1, keepdim=True)))  # (n, 1)
    loss = (1 - eps_ls) * nll + eps_ls * mean  # to (1-ε)·one-hot + ε/V
    if sloped:
        less = torch.full_like(nll, eps_ls - 1)
        probs.sub_(eps_ls / logits.size(-1)).scatter_add_(-1, target, less).masked_fill_(padding, 0.0)
    return torch.stack([x.masked_fill(padding, 0.0).sum() for x in (loss, nll)]), probs


class SmoothedLoss(torch.autograd.Function):
    """The two sums of the core's `objective` and, made while the rows are at hand, their gradient."""

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
        """logits (n, V), tgt_out (n,) -> loss and nll (2,); 64 rows at a time stay in a core's own cache."""
        sums, gradient = torch.zeros(2), torch.empty_like(logits) if ctx.needs_input_grad[0] else None
        for start in range(0, len(logits), 64):
            part = slice(start, start + 64)
            part_sums, slope = smoothed(logits[part], tgt_out[part], eps_ls, gradient is not None)
            sums += part_sums
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


# ─── Matrix products ─────────────────────────────────────────────────────────────────────────────────────────────────
def onednn(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """xWᵀ + b by oneDNN, in the precision of x: (…, in), (out, in) -> (…, out)."""
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


@functools.cache
def has_onednn() -> bool:
    """Whether this torch has what `onednn` and `blocked` call, for torch.compile as it is, and it does as it should."""
    layer, x = nn.utils.skip_init(nn.Linear, 5, 3), torch.arange(40.0).view(2, 4, 5)  # no random number is drawn
    for parameter in layer.parameters():
        parameter.data = torch.arange(float(parameter.numel())).view_as(parameter)
    try:
        return platform.machine() in ("x86_64", "AMD64") and torch.allclose(blocked(layer)(x), layer(x), atol=1e-5)
    except (AttributeError, RuntimeError):
        return False


def can_work(weight: Tensor) -> bool:
    """Whether oneDNN multiplies by this matrix: on a CPU, in float32, or in bfloat16 where the processor has it."""
    half = weight.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported()
    return weight.device.type == "cpu" and (weight.dtype == torch.float32 or half)


class Replaced(contextlib.AbstractContextManager[None]):
    """Inside, again and again, these layers do their work by another forward."""

    def __init__(self, layers: Iterable[Layer], forward: Callable[[Layer], Callable[[Tensor], Tensor]]):
        self.layers = [(vars(layer), forward(layer)) for layer in layers]

    def __enter__(self) -> None:
        for attributes, forward in self.layers:
            attributes["forward"] = forward

    def __exit__(self, *error: object) -> None:
        for attributes, _ in self.layers:
            attributes.pop("forward", None)


def linear_layers(model: nn.Module) -> list[nn.Linear]:
    """The linear layers of the model that oneDNN can work."""
    linear = (layer for layer in model.modules() if type(layer) is nn.Linear)
    return [layer for layer in linear if can_work(layer.weight)]


def blocked(layer: nn.Linear) -> Callable[[Tensor], Tensor]:
    """The layer's forward, its weights in the blocks that oneDNN reads: (…, in) -> (…, out)."""
    weight = torch.ops.mkldnn._reorder_linear_weight(layer.weight.detach())
    return lambda x: onednn(x, weight, layer.bias)


def blocked_weights(model: nn.Module, tokens: int, width: int) -> contextlib.AbstractContextManager[None]:
    """Inside, products have blocked weights, as they are now, if searches from so many source tokens are worth it."""
    able = tokens * width >= WORTH and has_onednn()
    able = able and not torch.is_autocast_enabled("cpu")  # it would not see these products
    return Replaced(linear_layers(model), blocked) if able else contextlib.nullcontext()


# ─── Dropout ─────────────────────────────────────────────────────────────────────────────────────────────────────────
drawing = threading.local()  # .generator: of the part that this thread works; the caller's where there is none


def quick_dropout(layer: nn.Dropout) -> Callable[[Tensor], Tensor]:
    """The layer's forward: four numbers share one 64-bit draw, so p is exact to 1/65,536."""

    def forward(x: Tensor) -> Tensor:
        if not layer.training or not layer.p:
            return x
        generator = getattr(drawing, "generator", None)
        draws = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None, generator=generator)
        numbers = draws.view(torch.int16)[: x.numel()].view(x.shape)
        keep = numbers >= round(layer.p * 65536) - 32768
        return x * torch.where(keep, 1 / (1 - layer.p), 0.0).to(x.dtype)

    return forward


@contextlib.contextmanager
def drawing_from(seed: int) -> Iterator[None]:
    """Inside, in this thread, dropout draws what the seed says."""
    drawing.generator = torch.Generator().manual_seed(seed)
    try:
        yield
    finally:
        drawing.generator = None


# ─── Put together ────────────────────────────────────────────────────────────────────────────────────────────────────
@contextlib.contextmanager
def kernel(model: nn.Module, attend: tc.Kernel) -> Iterator[None]:
    """Inside, all attention of the model is computed by this kernel."""
    blocks = [(block, block.kernel) for block in model.modules() if isinstance(block, tc.MultiHeadAttention)]
    for block, _ in blocks:
        block.kernel = attend
    try:
        yield
    finally:
        for block, before in blocks:
            block.kernel = before


class LikeLengths(SharedWay):
    """Parts of like lengths side by side, each on a thread of its own, by the fastest kernels."""

    def __init__(self, model: nn.Module, compiled: bool = False, accumulate: int = 1) -> None:
        super().__init__(model, compiled, accumulate=accumulate)
        self.size = tc.count_parameters(model)
        self.dropout = Replaced((layer for layer in model.modules() if type(layer) is nn.Dropout), quick_dropout)
        keep_memory()

    def parts(self, state: tc.TrainingState, batch: tc.Batch) -> list[tc.Batch]:
        """The largest first, none of many more than PART tokens; of work enough as much for each of two cores."""
        leveled = [part for half in super().parts(state, batch) for part in level(half, max(24, LEVELED / self.size))]
        enough = batch.n_tokens * self.size >= HALVED
        n = 2 * math.ceil(batch.n_tokens / (2 * PART)) if enough else 1 + batch.n_tokens // PART
        shares = [max(1, math.ceil(part.n_tokens * n / max(1, batch.n_tokens))) for part in leveled]
        cut = [small for part, k in zip(leveled, shares, strict=True) for small in split(part, min(len(part.src), k))]
        return sorted(cut, key=lambda small: -small.tgt_out.numel())

    def sums(self, state: tc.TrainingState, batch: tc.Batch) -> Iterator[tuple[Tensor, Tensor]]:
        with contextlib.ExitStack() as inside:
            inside.enter_context(kernel(state.model, attention))
            if self.compiled:
                yield from super().sums(state, batch)
                return
            inside.enter_context(products(state.precision))
            inside.enter_context(self.dropout)
            if self.n_ranks > 1:  # which are the threads
                yield from super().sums(state, batch)
                return
            self.batch = batch
            parts = self.parts(state, batch)
            seeds = torch.randint(2**63 - 1, (len(parts),)).tolist()  # of a generator that is the step's
            parameters = list(state.model.parameters())
            work = functools.partial(self.worked, state, parameters)
            for loss, nll, gradients in threads.side_by_side(work, list(zip(parts, seeds, strict=True))):
                yield threads.Worked.apply(loss, gradients, *parameters), nll

    def worked(
        self, state: tc.TrainingState, parameters: list[nn.Parameter], work: tuple[tc.Batch, int]
    ) -> tuple[Tensor, Tensor, tuple[Tensor | None, ...]]:
        """The loss of a part, its nll and the gradient of the first."""
        part, seed = work
        with drawing_from(seed):
            loss, nll = self.part_sums(state, part)
        return loss.detach(), nll, torch.autograd.grad(loss, parameters, allow_unused=True)

    def part_sums(self, state: tc.TrainingState, part: tc.Batch) -> tuple[Tensor, Tensor]:
        with autocast(state.device, state.precision):
            logits = self.forward(part.src, part.tgt_in)
        return objective(logits, part.tgt_out, state.model.config.eps_ls)


@contextlib.contextmanager
def searching(model: nn.Module, tokens: int, width: int) -> Iterator[None]:
    """Inside, searches from so many source tokens in all, with so wide a beam, are as fast as they can be on a CPU."""
    if next(model.parameters()).device.type != "cpu":
        yield
        return
    with kernel(model, attention), blocked_weights(model, tokens, width):
        yield


def beam_search(
    model: tc.Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[tc.Hypothesis]:
    """The core's, faster: all sentences at once."""
    with searching(model, src.numel(), beam_size):
        return beams.beam_search(model, src, beam_size, alpha, max_extra)


def batches(lengths: dict[int, int], beam_size: int, tokens: int = 1024) -> list[list[int]]:
    """Rows whose sentences are translated together, those of like lengths, the longest first.

    Args:
        lengths: of each row's sentence, in tokens
        tokens: of the source in a batch, fewer for beams above 4
    """
    order, cut = sorted(lengths, key=lambda row: -lengths[row]), []
    while order:
        size = max(1, 4 * tokens // max(4, beam_size) // (lengths[order[0]] + 1))
        cut.append(order[:size])
        order = order[size:]
    return cut


class Translator(tc.Translator):
    """The core's, faster, and not for lines without end."""

    @classmethod
    def of(cls, other: tc.Translator) -> Translator:
        return cls(other.model, other.tokenizer, other.name, other.tgt_tokenizer)

    def translate(
        self, texts: Sequence[str], beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50, batch: int = 1024
    ) -> list[str]:
        """The core's, sentences of like lengths together; batch: in source tokens."""
        if isinstance(texts, str):
            return super().translate(texts)  # which refuses it
        lines = [""] * len(texts)
        ids = self.encode(texts)
        cut = batches({row: len(ids[row]) for row in ids}, beam_size, batch)
        for rows, fresh in zip(cut, self.searched(ids, cut, (beam_size, alpha, max_extra)), strict=True):
            for row, line in zip(rows, fresh, strict=True):
                lines[row] = line
        return lines

    def searched(self, ids: dict[int, list[int]], cut: list[list[int]], search: Search) -> Iterator[list[str]]:
        """The translations of each batch of rows, in order; on a CPU side by side, a batch on a core."""

        def work(rows: list[int]) -> list[str]:
            src = tc.pad([[*ids[row], tc.EOS] for row in rows]).to(self.device)
            hypotheses = beams.beam_search(self.model, src, *search)
            return [tc.clean(self.tgt_tokenizer.decode(best.ids)) for best in hypotheses]

        lengths = [len(ids[row]) + 1 for rows in cut for row in rows]
        tokens = sum(lengths)
        make_room(self.model, max(lengths, default=0) + search[2])
        with tc.evaluating(self.model), searching(self.model, tokens, search[0]):
            yield from (threads.side_by_side if self.device.type == "cpu" else map)(work, cut)

    @property
    def longest(self) -> int:
        """The most tokens of a line that is translated: what has a place, and does not take too long."""
        return self.model.config.max_len - 1 if self.model.config.positions == "learned" else 5000

    def tokens(self, texts: Sequence[str]) -> dict[int, list[int]]:
        """The ids of each text that is not empty, by its place."""
        cleaned = enumerate(map(tc.clean, texts))
        return {row: self.tokenizer.encode(text) for row, text in cleaned if text}

    def encode(self, texts: Sequence[str]) -> dict[int, list[int]]:
        """Those of them that are not too long; one too long is named."""
        ids = self.tokens(texts)
        for row in [row for row in ids if len(ids[row]) > self.longest]:
            n = len(ids.pop(row))
            warnings.warn(f"line {row + 1} stays empty: {n:,} tokens, above {self.longest:,}.", stacklevel=3)
        return ids
