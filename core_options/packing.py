"""Training at the speed of a GPU, an option beside the core: batches without padding, one graph, and FLOPs counted.

Packed, the sentences of a batch stand end to end in one row of always the same length, and each attends to itself
alone. Nothing is computed for padding but the row's tail, and one shape means one compiled graph. Attention then works
on (n, H, K) with a list of where sentences start (`torch.nn.attention.varlen`: CUDA, half precision); elsewhere a mask
says the same, block by block, which is meant for small rows. The last projection and the loss are worked together, a
few rows at a time: the logits of a whole batch (25,000 × 37,000) never exist. To the same end as padded batches, but
for rounding. Axis letters are those of transformer_core; n is the length of the row, N how many sentences it holds.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options.context_aware import ContextConfig, d_context
from core_options.fast_cpu import smoothed
from core_options.precision import autocast
from core_options.processes import SharedWay, world

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


class Ahead:
    """The same batches, each made, and made ready for the way, by a thread while the GPU works on the one before."""

    def __init__(self, batches: Any, prepare: Callable[[Any], None] | None = None):
        self.batches, self.prepare = batches, prepare

    def epoch(self, epoch: int, start: int = 0) -> Iterator[Any]:
        source, end = iter(self.batches.epoch(epoch, start)), object()

        def following() -> Any:
            batch = next(source, end)
            if self.prepare and batch is not end:
                self.prepare(batch)
            return batch

        with ThreadPoolExecutor(1, initializer=torch.set_num_threads, initargs=(1,)) as thread:
            coming = thread.submit(following)
            while (batch := coming.result()) is not end:
                coming = thread.submit(following)
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
    """Whether the kernel serves this model here: CUDA from Ampere on, bf16, heads of one width, 8, 16 … 256."""
    if device.type != "cuda" or isinstance(config, ContextConfig):
        return False
    if torch.version.hip or torch.cuda.get_device_capability(device) < (8, 0):
        return False
    heads = config.d_k == config.d_v and config.d_k % 8 == 0 and config.d_k <= 256
    half = autocast(device, precision)._enabled
    return bool(varlen_kernel()) and heads and half


class Packed(nn.Module):
    """A model and its objective on a row: the sums of the smoothed loss and of the nll over its real target tokens."""

    def __init__(self, model: tc.Transformer, varlen: bool):
        super().__init__()
        self.model, self.varlen = model, varlen
        self.kernel = varlen_kernel()  # asked once: torch.compile would warn of a cached function

    def embed(self, ids: Tensor, starts: Tensor, embedding: nn.Embedding, positions: tc.Positions) -> Tensor:
        """As Transformer.embed, each sentence's positions counted from 0: (1, n) -> (1, n, D)."""
        sentence, n = sentence_of(starts, ids.size(1)), ids.size(1)
        place = torch.arange(n, device=ids.device) - starts[sentence]  # (n,)
        place = place * (ids[0] != tc.PAD)  # a sentence of padding may be longer than the table
        x = embedding(ids) * math.sqrt(self.model.config.d_model)
        return self.model.dropout(x + positions.table[place])

    def forward(
        self, src: Tensor, tgt_in: Tensor, tgt_out: Tensor, src_starts: Tensor, tgt_starts: Tensor, longest: int
    ) -> Tensor:
        """The tensors of a Row: (2,)."""
        model = self.model
        x = self.embed(src, src_starts, model.src_embedding, model.src_positions)
        memory = self.encode(x, src_starts, longest)
        x = self.embed(tgt_in, tgt_starts, model.tgt_embedding, model.tgt_positions)
        x = self.decode(x, memory, src_starts, tgt_starts, longest)
        softmax = model.tgt_embedding if model.config.tie_softmax else model.softmax
        return linear_objective(x[0], softmax.weight, tgt_out[0], model.config.eps_ls)

    def encode(self, x: Tensor, starts: Tensor, longest: int) -> Tensor:
        """The encoder's layers: by the model's own run under a mask, or by the kernel without any. (1, n, D)"""
        window = self.model.config.window
        if not self.varlen:
            return self.model.run_encoder(x, block_mask(starts, starts, x.size(1), False, window))
        around = (window // 2, window // 2) if window else (-1, -1)
        own = Lengths(self.kernel, starts, starts, longest, around)
        layer: Any
        for layer in self.model.encoder:
            x = layer.add_norm[0](x, lambda x, layer=layer: own.attend(layer.self_attention, x, x))
            x = layer.residual(layer.add_norm[1](x, layer.feed_forward))
        return self.model.encoder_norm(x)

    def decode(self, x: Tensor, memory: Tensor, src_starts: Tensor, tgt_starts: Tensor, longest: int) -> Tensor:
        """The decoder's layers, in the same two ways. (1, n, D)"""
        n, window = x.size(1), self.model.config.window
        if not self.varlen:
            mask = block_mask(tgt_starts, tgt_starts, n, True, window)
            return self.model.run_decoder(x, memory, mask, block_mask(tgt_starts, src_starts, n, False, None), ())
        own = Lengths(self.kernel, tgt_starts, tgt_starts, longest, ((window or 0) - 1, 0))
        across = Lengths(self.kernel, tgt_starts, src_starts, longest, (-1, -1))
        layer: Any
        for layer in self.model.decoder:
            x = layer.add_norm[0](x, lambda x, layer=layer: own.attend(layer.self_attention, x, x))
            x = layer.add_norm[1](x, lambda x, layer=layer: across.attend(layer.cross_attention, x, memory))
            x = layer.residual(layer.add_norm[2](x, layer.feed_forward))
        return self.model.decoder_norm(x)


class Lengths(NamedTuple):
    """Where queries' and keys' sentences start in their rows, and how far back and ahead a position looks (-1: all)."""

    kernel: Callable[..., Any] | None
    q_starts: Tensor
    k_starts: Tensor
    longest: int
    window: tuple[int, int]

    def attend(self, block: tc.MultiHeadAttention, x: Tensor, memory: Tensor) -> Tensor:
        """As MultiHeadAttention.forward, each sentence to itself: x, memory (1, n, D) -> (1, n, D)."""
        if block.scores.watched or block.weights.watched:
            raise ValueError("Scores and weights cannot be watched in packed training on a GPU; use --packed no.")
        assert self.kernel is not None
        q, (k, v) = block.q(block.split(block.w_q(x))), block.keys_values(memory)  # (1, H, n, K)
        rows = (z[0].transpose(0, 1) for z in (q, k, v))  # (n, H, K)
        heads = self.kernel(*rows, self.q_starts, self.k_starts, self.longest, self.longest, window_size=self.window)
        heads = block.heads(heads.transpose(0, 1)[None])  # (1, H, n, d_v)
        return block.w_o(heads.transpose(1, 2).flatten(2))


# ─── The last projection and the loss in one ─────────────────────────────────────────────────────────────────────────
class LinearObjective(torch.autograd.Function):
    """transformer_core.objective of logits = xWᵀ, gradients made on the way, so that no logits are kept."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, tgt_out: Tensor, eps_ls: float) -> Tensor:
        dx, dw, weight = torch.empty_like(x), torch.zeros_like(weight), weight.to(x.dtype)
        sums = x.new_zeros(2, dtype=torch.float32)
        for part, target, into in zip(x.split(ROWS), tgt_out.split(ROWS), dx.split(ROWS), strict=True):
            part_sums, slope = smoothed(part @ weight.T, target, eps_ls)
            sums, slope = sums + part_sums, slope.to(x.dtype)
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


# ─── The way ─────────────────────────────────────────────────────────────────────────────────────────────────────────
class PackedWay(SharedWay):
    """Each part of a batch as one row, all of one length: tokens_per_batch and a few more, to a multiple of 64.

    Where a batch is worked in several parts, a part may hold more than its share; rows then grow by sixteenths.
    """

    forward: Callable[..., Tensor]

    def __init__(
        self, packed: Packed, tokens_per_batch: int | None = None, compiled: bool = False, accumulate: int = 1
    ):
        super().__init__(packed, compiled, dynamic=None, accumulate=accumulate)  # the shape never changes
        self.packed, self.tokens_per_batch = packed, tokens_per_batch
        self.length = 0  # of the rows so far
        self.ready: list[tuple[tc.Batch, list[Row]]] = []  # packed ahead of their turn

    def prepare(self, state: tc.TrainingState, batch: tc.Batch) -> None:
        """Pack a batch before it is asked for, in a thread of its own (Ahead)."""
        self.ready.append((batch, self.packed_parts(state, batch)))

    def packed_parts(self, state: tc.TrainingState, batch: tc.Batch) -> list[Row]:
        return [self.pack(part, self.accumulate * self.n_ranks) for part in super().parts(state, batch)]

    def parts(self, state: tc.TrainingState, batch: tc.Batch) -> list[Any]:
        """The parts of a batch as rows."""
        longest = max(batch.src.size(1), batch.tgt_in.size(1))
        for positions in (self.packed.model.src_positions, self.packed.model.tgt_positions):
            positions(longest)  # makes room, or refuses what is too long
        while self.ready:
            prepared, rows = self.ready.pop(0)
            if prepared is batch:
                return rows
        return self.packed_parts(state, batch)

    def part_sums(self, state: tc.TrainingState, row: Any) -> tuple[Tensor, Tensor]:
        with autocast(state.device, state.precision):
            loss, nll = self.forward(*row.to(state.device))
        return loss, nll.detach()

    def pack(self, part: tc.Batch, n_parts: int) -> Row:
        tokens = max(int((x != tc.PAD).sum()) for x in (part.src, part.tgt_in))
        share = max(1, (self.tokens_per_batch or tokens * n_parts) // n_parts)
        if self.length <= tokens:
            steps = max(0, math.ceil((tokens - share) / (share / 16)))
            self.length = (int(share * (1 + steps / 16)) // ALIGNED + 1) * ALIGNED
        if not self.packed.varlen and self.length > MASKED:
            heads = "heads whose d_k and d_v are one multiple of 8, at most 256"
            needs = f"bf16 on an NVIDIA GPU (Ampere or later), a model without context, and {heads}"
            raise ValueError(
                f"A packed row of {self.length} positions needs {needs}; elsewhere it may have {MASKED}: "
                "use --packed no, or fewer tokens a batch."
            )
        return pack(part, self.length, whole_tail=not self.packed.varlen)


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
    if isinstance(config, ContextConfig) and config.context:
        counted["context"] = context_products(config, s, t)
    return counted


def context_products(config: ContextConfig, s: int, t: int) -> int:
    """What a context adds, for s and t tokens: C's projections and the gates (its means are sums, and do not count)."""
    tokens = s * (config.context_in != "decoder") + t * (config.context_in != "encoder")
    widths = [width for layer in range(config.n_layers) if (width := d_context(config, layer))]
    return tokens * len(config.context_on) * config.n_heads * config.d_k * sum(width + 2 for width in widths)


def step_flop(config: tc.TransformerConfig, batch: tc.Batch) -> int:
    """The useful arithmetic of a training step: two for each multiply-add, and twice as many again backwards."""
    if not isinstance(config, tc.TransformerConfig):
        return 0  # of another model, nothing is known
    lengths = ((ids != tc.PAD).sum(1) for ids in (batch.src, batch.tgt_in))
    return 6 * sum(multiply_adds(config, *lengths).values())


def pace(flop: float, seconds: float, device: torch.device) -> str:
    """A step's rate for the line of progress, with MFU, its share of the nominal bf16 rate, where that is known."""
    rate, nominal = flop / seconds / world()[1], peak(device)
    scale, unit = (1e12, "T") if rate >= 1e11 else (1e9, "G")
    mfu = f" (MFU {rate / nominal:.1%})" if nominal else ""
    return f", {rate / scale:.3g} {unit}FLOP/s{mfu}"
