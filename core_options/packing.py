"""Training at the speed of a GPU, an option beside the core: batches without padding, one graph, and FLOPs counted.

Packed, the sentences of a batch stand end to end in one row of always the same length, and each attends to itself
alone. Nothing is computed for padding but the row's tail, and one shape means one compiled graph. Attention then works
on (n, H, K) with a list of where sentences start (`torch.nn.attention.varlen`: CUDA, half precision); elsewhere a mask
says the same, block by block, which is meant for small rows. The last projection and the loss are worked together, a
few rows at a time: the logits of a whole batch (25,000 × 37,000) never exist. To the same end as padded batches, but
for rounding. Axis letters are those of transformer_core; n is the length of the row, N how many sentences it holds.
"""

from __future__ import annotations

import contextlib
import datetime
import functools
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options.fast_cpu import smoothed

ALIGNED = 64  # a row is a multiple of it, as matrix products like
MASKED = 8192  # positions a row may have where attention needs a mask of n × n
ROWS = 4096  # of logits at a time


# ─── Rows without padding ────────────────────────────────────────────────────────────────────────────────────────────
class Row(NamedTuple):
    """The sentences of a batch end to end, the tail of the row filled with sentences of padding.

    src, tgt_in, tgt_out (1, n); src_starts, tgt_starts (N + 1,): where sentences start, and where the last one ends;
    longest: no sentence is longer, those of padding included.
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor
    src_starts: Tensor
    tgt_starts: Tensor
    longest: int

    def to(self, device: torch.device) -> Row:
        sent = [x.pin_memory() if device.type == "cuda" else x for x in self[:5]]  # so that the host need not wait
        src, tgt_in, tgt_out, src_starts, tgt_starts = (x.to(device, non_blocking=True) for x in sent)
        if "torch._dynamo" in sys.modules:  # something is compiled: not once more for another N
            torch._dynamo.maybe_mark_dynamic(src_starts, 0), torch._dynamo.maybe_mark_dynamic(tgt_starts, 0)
        return Row(src, tgt_in, tgt_out, src_starts, tgt_starts, self.longest)


def power_of_two(n: int) -> int:
    """The least power of two that is no less than n."""
    return 1 << (n - 1).bit_length()


def starts(lengths: Tensor, n: int, longest: int, sentences: int) -> Tensor:
    """Where sentences of these lengths start, then those of padding until n: (sentences + 1,)."""
    ends = lengths.cumsum(0)
    padding = ends[-1] + longest * torch.arange(1, sentences - len(lengths) + 1)
    return torch.cat([ends.new_zeros(1), ends, padding]).clamp(max=n).int()  # at the end of the row some have length 0


def pack(batch: tc.Batch, n: int, whole_tail: bool = False) -> Row:
    """The batch as one row of n positions; whole_tail: its padding is one sentence, else none is long.

    N and `longest` are rounded up to powers of two, so that few values ever occur.
    """

    def row(ids: Tensor, real: Tensor) -> Tensor:
        return nn.functional.pad(ids[real], (0, n - int(real.sum())), value=tc.PAD)[None]  # (1, n)

    src, tgt = batch.src != tc.PAD, batch.tgt_in != tc.PAD
    lengths = src.sum(1), tgt.sum(1)
    longest = n if whole_tail else power_of_two(max(128, *(int(x.max()) for x in lengths)))  # 128: the kernel's block
    least = len(src) + max(math.ceil((n - int(x.sum())) / longest) for x in lengths)
    src_starts, tgt_starts = (starts(x, n, longest, power_of_two(max(64, least))) for x in lengths)
    ids = row(batch.src, src), row(batch.tgt_in, tgt), row(batch.tgt_out, tgt)
    return Row(*ids, src_starts, tgt_starts, longest)


@dataclass(frozen=True)
class PackedBatch(tc.Batch):
    """A batch whose parts are rows, all of one length."""

    packer: Any = None

    def split(self, n: int) -> list[Any]:
        return [self.packer(part, n) for part in super().split(n)]


class PackedBatches:
    """The same batches, packed: a row has tokens_per_batch positions and a few more, to a multiple of 64.

    Where a batch is worked in several parts, a part may hold more than its share; rows then grow by sixteenths.
    """

    def __init__(self, batches: Any, packed: Packed):
        self.batches, self.packed = batches, packed
        self.length = 0  # of the rows so far

    def pack(self, part: tc.Batch, n_parts: int) -> Row:
        tokens = max(int((x != tc.PAD).sum()) for x in (part.src, part.tgt_in))
        share = max(1, getattr(self.batches, "tokens_per_batch", tokens * n_parts) // n_parts)
        longest = max(part.src.size(1), part.tgt_in.size(1))
        for positions in (self.packed.model.src_positions, self.packed.model.tgt_positions):
            positions(longest)  # makes room, or refuses what is too long
        if self.length <= tokens:
            steps = max(0, math.ceil((tokens - share) / (share / 16)))
            self.length = (int(share * (1 + steps / 16)) // ALIGNED + 1) * ALIGNED
        if not self.packed.varlen and self.length > MASKED:
            problem = f"A packed row of {self.length} positions needs bf16 on an NVIDIA GPU and a model without context"
            raise ValueError(f"{problem}; elsewhere it may have {MASKED}: use --packed no, or fewer tokens a batch.")
        return pack(part, self.length, whole_tail=not self.packed.varlen)

    def epoch(self, epoch: int, start: int = 0) -> Iterator[PackedBatch]:
        for batch in self.batches.epoch(epoch, start):
            yield PackedBatch(batch.src, batch.tgt_in, batch.tgt_out, batch.rows, self.pack)


class Ahead:
    """The same batches, each made by a thread while the GPU works on the one before."""

    def __init__(self, batches: Any):
        self.batches = batches

    def epoch(self, epoch: int, start: int = 0) -> Iterator[Any]:
        source, end = iter(self.batches.epoch(epoch, start)), object()
        with ThreadPoolExecutor(1) as thread:
            coming = thread.submit(next, source, end)
            while (batch := coming.result()) is not end:
                coming = thread.submit(next, source, end)
                yield batch


# ─── The model on a row ──────────────────────────────────────────────────────────────────────────────────────────────
def sentence_of(starts: Tensor, n: int) -> Tensor:
    """Which sentence each position belongs to: (N + 1,) -> (n,)."""
    positions = torch.arange(n, device=starts.device, dtype=starts.dtype)
    return torch.bucketize(positions, starts[1:], right=True)


def block_mask(queries: Tensor, keys: Tensor, n: int, causal: bool, window: int | None) -> Tensor:
    """Each position may look at those of its own sentence, given where both sides' start: (1, 1, n, n)."""
    mask = sentence_of(queries, n)[:, None] == sentence_of(keys, n)[None, :]  # (T, S)
    if window:
        mask = mask & tc.window_mask(n, window, causal, queries.device)
    elif causal:
        mask = mask & tc.causal_mask(n, queries.device)
    return mask[None, None]


@functools.cache
def varlen_kernel() -> Callable[..., Any] | None:
    """torch's attention over sentences of unequal lengths, if it has it in the form it has had from torch 2.11 on."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn if "window_size" in inspect.signature(varlen_attn).parameters else None


def has_varlen(config: tc.TransformerConfig, device: torch.device, precision: str) -> bool:
    """Whether the kernel serves this model here: CUDA from Ampere on, bf16, heads of one width, a multiple of 8."""
    if device.type != "cuda" or torch.version.hip or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    heads = config.d_k == config.d_v and config.d_k % 8 == 0 and config.d_k <= 256
    half = tc.autocast(device, precision)._enabled
    return bool(varlen_kernel()) and heads and half and not config.context


class Varlen(NamedTuple):
    """What stands in the place of a mask, and brings the kernel: q, k, v (1, H, n, K) -> heads (1, H, n, d_v)."""

    q_starts: Tensor
    k_starts: Tensor
    longest: int
    window: tuple[int, int]  # how far back and ahead, -1: without limit

    def __call__(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        kernel = varlen_kernel()
        assert kernel is not None
        rows = (x[0].transpose(0, 1) for x in (q, k, v))  # (n, H, K)
        heads = kernel(*rows, self.q_starts, self.k_starts, self.longest, self.longest, window_size=self.window)
        return heads.transpose(0, 1)[None]

    def __invert__(self) -> Tensor:
        raise ValueError("Scores and weights cannot be watched in packed training on a GPU; use --packed no.")


class Packed(nn.Module):
    """A model and its objective on a row: the sums of the smoothed loss and of the nll over its real target tokens."""

    def __init__(self, model: tc.Transformer, varlen: bool):
        super().__init__()
        self.model, self.varlen = model, varlen

    def mask(self, queries: Tensor, keys: Tensor, n: int, longest: int, causal: bool, restricted: bool = True) -> Any:
        """What positions of a row may look at: a mask (1, 1, n, n), or starts and limits for the kernel."""
        window = self.model.config.window if restricted else None
        if not self.varlen:
            return block_mask(queries, keys, n, causal, window)
        back, ahead = ((window or 0) - 1, 0) if causal else (window // 2, window // 2) if window else (-1, -1)
        return Varlen(queries, keys, longest, (back, ahead))

    def embed(self, ids: Tensor, starts: Tensor, embedding: nn.Embedding, positions: tc.Positions) -> Tensor:
        """As Transformer.embed, each sentence's positions counted from 0: (1, n) -> (1, n, D)."""
        sentence, n = sentence_of(starts, ids.size(1)), ids.size(1)
        place = torch.arange(n, device=ids.device) - starts[sentence]  # (n,)
        place = place * (ids[0] != tc.PAD)  # a sentence of padding may be longer than the table
        x = embedding(ids) * math.sqrt(self.model.config.d_model)
        return self.model.dropout(x + positions.table[place])

    def forward(self, src: Tensor, tgt_in: Tensor, tgt_out: Tensor, *where: Any) -> Tensor:
        """The tensors of a Row: (2,)."""
        (src_starts, tgt_starts, longest), model, n = where, self.model, src.size(1)
        x = self.embed(src, src_starts, model.src_embedding, model.src_positions)
        mask = self.mask(src_starts, src_starts, n, longest, causal=False)
        for layer in model.in_turn(model.encoder):
            x = layer(x, mask)
        memory = model.encoder_norm(x)
        x = self.embed(tgt_in, tgt_starts, model.tgt_embedding, model.tgt_positions)
        mask = self.mask(tgt_starts, tgt_starts, n, longest, causal=True)
        across = self.mask(tgt_starts, src_starts, n, longest, causal=False, restricted=False)
        for layer in model.in_turn(model.decoder):
            x = layer(x, memory, mask, across, None)
        softmax = model.tgt_embedding if model.config.tie_softmax else model.softmax
        return linear_objective(model.decoder_norm(x)[0], softmax.weight, tgt_out[0], model.config.eps_ls)


# ─── The last projection and the loss in one ─────────────────────────────────────────────────────────────────────────
class LinearObjective(torch.autograd.Function):
    """transformer_core.objective of logits = xWᵀ, gradients made on the way, so that no logits are kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
        dx, dw, weight = torch.empty_like(x), torch.zeros_like(weight), weight.to(x.dtype)
        sums = x.new_zeros(2, dtype=torch.float32)
        for part, target, into in zip(x.split(ROWS), tgt_out.split(ROWS), dx.split(ROWS), strict=True):
            found, slope = smoothed(part @ weight.T, target, eps_ls)
            sums, slope = sums + found, slope.to(x.dtype)
            into.copy_(slope @ weight)
            dw += slope.T @ part
        ctx.save_for_backward(dx, dw)
        return sums

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:  # type: ignore[override]
        dx, dw = ctx.saved_tensors
        return dx * grad[0].to(dx.dtype), dw * grad[0], None, None


def linear_objective(x: Tensor, weight: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
    """Sums of the smoothed loss and of the nll, of which the first alone has a gradient: (n, D), (V, D), (n,) -> (2,).

    In an autocast the products are in its precision, as F.linear's would be; sums and W's gradient are added in W's.
    """
    device = x.device.type
    dtype = torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else x.dtype
    with torch.autocast(device, enabled=False):
        return LinearObjective.apply(x.to(dtype), weight, tgt_out, eps_ls)


# ─── What `train` asks for ───────────────────────────────────────────────────────────────────────────────────────────
def prepared(model: tc.Transformer, batches: Any, config: tc.TrainingConfig) -> tuple[Any, Any]:
    """What works a batch, compiled and shared out as asked for, and the batches for it, packed if config.packed is."""
    device = next(model.parameters()).device
    forward: Any = model
    if config.packed == "yes" or (config.packed == "auto" and has_varlen(model.config, device, config.precision)):
        forward = Packed(model, has_varlen(model.config, device, config.precision))
        batches = PackedBatches(batches, forward)
    if config.compile:
        forward = torch.compile(forward, dynamic=True if forward is model else None)  # packed, the shape never changes
    if tc.world()[1] > 1:
        forward = nn.parallel.DistributedDataParallel(forward, gradient_as_bucket_view=True)
        forward.broadcast_buffers = False  # the only ones are the sinusoids, which each process grows as it needs
    return forward, Ahead(batches) if device.type == "cuda" else batches


@contextlib.contextmanager
def joined(device: torch.device) -> Iterator[None]:
    """Inside, this process is one of a torchrun."""
    if device.type == "cuda":
        torch.cuda.set_device(device)
    patience = datetime.timedelta(days=1)  # while the first process learns the vocabulary
    torch.distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=patience)
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()


def summed(*numbers: float) -> list[float]:
    """Each number added up over the processes of a torchrun."""
    device = "cuda" if torch.distributed.get_backend() == "nccl" else "cpu"
    torch.distributed.all_reduce(tensor := torch.tensor(numbers, dtype=torch.float64, device=device))
    return tensor.tolist()


# ─── How fast it was ─────────────────────────────────────────────────────────────────────────────────────────────────
# Nominal dense bf16 rates in TFLOP/s, from NVIDIA's data sheets of these cards (without "sparsity"), by a part of the
# name that CUDA gives; the first that fits counts.
PEAKS = {
    "B200": 2250, "GH200": 989.4, "H200": 989.4, "H100 PCIe": 756, "H100 NVL": 835, "H100": 989.4, "A100": 312,
    "A30": 165, "A10": 125, "L40S": 362, "L4": 121,
}  # fmt: skip


def peak(device: torch.device) -> float | None:
    """The nominal bf16 rate of this device in FLOP/s, where it is known."""
    if device.type != "cuda":
        return None
    words = {*re.findall(r"\w+", torch.cuda.get_device_name(device))}
    return next((1e12 * x for name, x in PEAKS.items() if {*name.split()} <= words), None)


def multiply_adds(config: tc.TransformerConfig, src_lengths: Tensor, tgt_lengths: Tensor) -> dict[str, int]:
    """Multiply-adds of a forward pass over pairs of these lengths, without any padding, by what they are for.

    Attention counts whole, also where a causal mask or a window hides a part, as in torch's own counter.
    """
    d, heads = config.d_model, config.n_heads * (config.d_k + config.d_v)  # keys and values of all heads, side by side
    s, t = int(src_lengths.sum()), int(tgt_lengths.sum())
    lengths = (src_lengths, src_lengths), (tgt_lengths, tgt_lengths), (tgt_lengths, src_lengths)
    counted = {
        "projections": config.n_layers * 3 * d * heads * (s + t),  # 3 attentions, each half for s, half for t
        "scores and mix": config.n_layers * heads * sum(int((n * m).sum()) for n, m in lengths),  # QKᵀ, then by V
        "feed-forward": config.n_layers * 2 * d * config.d_ff * (s + t),
        "softmax": t * d * (config.tgt_vocab_size or config.vocab_size),
    }
    return counted | ({"context": context_products(config, s, t)} if config.context else {})


def context_products(config: tc.TransformerConfig, s: int, t: int) -> int:
    """What a context adds, for s and t tokens: C's projections and the gates (its means are sums, and do not count)."""
    from core_options.context_aware import d_context

    tokens = s * (config.context_in != "decoder") + t * (config.context_in != "encoder")
    widths = [width for layer in range(config.n_layers) if (width := d_context(config, layer))]
    return tokens * len(config.context_on) * config.n_heads * config.d_k * sum(width + 2 for width in widths)


def step_flop(config: tc.TransformerConfig, batch: tc.Batch) -> int:
    """The useful arithmetic of a training step: two for each multiply-add, and twice as many again backwards."""
    if not isinstance(config, tc.TransformerConfig):
        return 0  # of another model, nothing is known
    lengths = ((ids != tc.PAD).sum(1) for ids in (batch.src, batch.tgt_in))
    return 6 * sum(multiply_adds(config, *lengths).values())


def pace(step: tc.Step, device: torch.device) -> str:
    """A step's rate for the line of progress, with MFU, its share of the nominal bf16 rate, where that is known."""
    rate, nominal = step.flop / step.seconds / tc.world()[1], peak(device)
    scale, unit = (1e12, "T") if rate >= 1e11 else (1e9, "G")
    mfu = f" (MFU {rate / nominal:.1%})" if nominal else ""
    return f", {rate / scale:.3g} {unit}FLOP/s{mfu}"
