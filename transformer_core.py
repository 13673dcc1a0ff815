"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), whole and in one file.

Read it from top to bottom with the paper open; a name is defined above its first use.

    1  Configuration         Table 3, row by row
    2  Probes                see and edit any tensor inside a running model
    3  Attention             section 3.2: scaled dot-product, several heads, masks
    4  The model             sections 3.1, 3.3, 3.4, 3.5: layers, embeddings, positions
    5  Text                  section 5.1: shared sub-words, batches by tokens
    6  Objective, schedule   sections 5.3, 5.4: label smoothing, the learning rate
    7  Checkpoints           safetensors and JSON; nothing is ever unpickled
    8  Training              section 5: a generator of steps that can stop and go on
    9  Decoding              section 6.1: greedy and beam search with key/value caches
    10 Translator            a trained model in one object
    11 Command line          train, translate, evaluate, average

Axis letters in shape comments: B batch, S source positions (keys), T target positions (queries), H heads, D d_model,
K d_k, V vocabulary, L layer. A mask is boolean and True means *may look*, as in F.scaled_dot_product_attention (and
the opposite of nn.MultiheadAttention's padding mask). Ids 0, 1, 2, 3 are padding, begin, end and unknown.
"""

from __future__ import annotations

import contextlib
import ctypes
import difflib
import fnmatch
import gzip
import hashlib
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import safetensors.torch
import sentencepiece
import torch
import torch.nn.functional as F
from torch import Tensor, nn

PAD, BOS, EOS, UNK = 0, 1, 2, 3

# ─── 1 Configuration ─────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class TransformerConfig:
    """The shape of a Transformer: the columns of Table 3 in their order, then what the paper leaves open.

    positions: "sinusoidal" (section 3.5) or "learned" (row E, a table of max_len rows for each stack).
    norm: "post", LayerNorm(x + Sublayer(x)), is the paper's; "pre", x + Sublayer(LayerNorm(x)), adds a final norm.
    window: r of restricted self-attention (section 4): each position sees the r nearest, itself included; odd.
    tgt_vocab_size: a vocabulary of its own for the target; the source then has an embedding matrix of its own.
    tie_softmax: the softmax shares the target's embedding matrix (section 3.4).
    """

    vocab_size: int
    n_layers: int = 6
    d_model: int = 512
    d_ff: int = 2048
    n_heads: int = 8
    d_k: int = 64
    d_v: int = 64
    p_drop: float = 0.1
    eps_ls: float = 0.1
    positions: str = "sinusoidal"
    max_len: int = 256
    norm: str = "post"
    window: int | None = None
    tgt_vocab_size: int | None = None
    tie_softmax: bool = True

    def __post_init__(self) -> None:
        def need(name: str, right: bool, what: str) -> None:
            if not right:
                raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {what}.")

        for name in ("vocab_size", "n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "max_len"):
            value = getattr(self, name)
            need(name, type(value) is int and value > 0, "a whole number of at least 1")
        for name in ("p_drop", "eps_ls"):
            value = getattr(self, name)
            need(name, isinstance(value, (int, float)) and 0 <= value < 1, "a number from 0 up to but not including 1")
        need("positions", self.positions in ("sinusoidal", "learned"), "'sinusoidal' or 'learned'")
        need("tie_softmax", isinstance(self.tie_softmax, bool), "true or false")
        need("norm", self.norm in ("post", "pre"), "'post' or 'pre'")
        need("d_model", self.d_model % 2 == 0 or self.positions == "learned", "even, as sines and cosines pair up")
        odd = type(self.window) is int and self.window > 0 and self.window % 2 == 1
        need("window", self.window is None or odd, "odd, as it reaches as far back as ahead, or None")
        own = type(self.tgt_vocab_size) is int and self.tgt_vocab_size > 0
        need("tgt_vocab_size", self.tgt_vocab_size is None or own, "a whole number of at least 1, or None")


# Table 3: every row as its change from the defaults above, which are the base model.
PAPER_TABLE_3: dict[str, dict[str, Any]] = {
    "base": {},
    "A-h1": dict(n_heads=1, d_k=512, d_v=512),
    "A-h4": dict(n_heads=4, d_k=128, d_v=128),
    "A-h16": dict(n_heads=16, d_k=32, d_v=32),
    "A-h32": dict(n_heads=32, d_k=16, d_v=16),
    "B-dk16": dict(d_k=16),
    "B-dk32": dict(d_k=32),
    "C-N2": dict(n_layers=2),
    "C-N4": dict(n_layers=4),
    "C-N8": dict(n_layers=8),
    "C-d256": dict(d_model=256, d_k=32, d_v=32),
    "C-d1024": dict(d_model=1024, d_k=128, d_v=128),
    "C-ff1024": dict(d_ff=1024),
    "C-ff4096": dict(d_ff=4096),
    "D-drop0.0": dict(p_drop=0.0),
    "D-drop0.2": dict(p_drop=0.2),
    "D-ls0.0": dict(eps_ls=0.0),
    "D-ls0.2": dict(eps_ls=0.2),
    "E-learned": dict(positions="learned"),
    "big": dict(d_model=1024, d_ff=4096, n_heads=16, p_drop=0.3),
}

PRESETS: dict[str, dict[str, Any]] = PAPER_TABLE_3 | {
    "tiny": dict(n_layers=4, d_model=128, d_ff=256, n_heads=4, d_k=32, d_v=32),
    "small": dict(n_layers=6, d_model=256, d_ff=1024, n_heads=8, d_k=32, d_v=32),
}

# ─── 2 Probes ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Probe(nn.Module):
    """A named place in the model where one tensor can be seen and edited; unwatched, it does nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.edits: list[Callable[[Tensor], Tensor]] = []
        self.readers: list[Callable[[Tensor], None]] = []

    @property
    def watched(self) -> bool:
        return bool(self.edits or self.readers)

    def forward(self, x: Tensor) -> Tensor:
        for edit in self.edits:
            x = edit(x)
        for read in self.readers:
            read(x)
        return x


def probes(model: nn.Module) -> dict[str, Probe]:
    """Every probe of a model by name, such as "decoder.3.cross_attention.weights"."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Probe)}


def _find_probes(model: nn.Module, pattern: str) -> dict[str, Probe]:
    everything = probes(model)
    found = {name: everything[name] for name in fnmatch.filter(everything, pattern)}
    if not found:
        near = difflib.get_close_matches(pattern, everything, n=3, cutoff=0) or ["none at all"]
        raise KeyError(f"This model has no probe {pattern!r}; the nearest are {', '.join(near)}.")
    return found


@contextlib.contextmanager
def record(model: nn.Module, pattern: str = "*") -> Iterator[dict[str, Tensor]]:
    """Keep what passes through the probes: `with record(model) as trace: model(src, tgt_in)`.

    trace maps names to tensors of the latest pass: q, k (B, H, n, K), v (B, H, n, d_v), scores and weights
    (B, H, T, S), heads (B, H, T, d_v), residual (B, n, D). Scores are scaled, -inf where masked; weights are those
    before any dropout, each row sums to 1. An edit by `intervene` is seen as the model saw it.
    pattern: which probes, with * and ? as in file names; fewer probes make a faster pass.
    """
    trace: dict[str, Tensor] = {}
    found = _find_probes(model, pattern)
    readers = {name: (lambda x, name=name: trace.__setitem__(name, x)) for name in found}
    for name, probe in found.items():
        probe.readers.append(readers[name])
    try:
        yield trace
    finally:
        for name, probe in found.items():
            probe.readers.remove(readers[name])


@contextlib.contextmanager
def intervene(model: nn.Module, name: str, edit: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Replace the tensor at a probe by edit(tensor), of equal shape: `with intervene(model, name, edit): …`.

    name may hold * and ?; contexts nest, edits then apply in the order they were entered, in decoding too.
    """
    entered = [(probe, lambda x: edit(x)) for probe in _find_probes(model, name).values()]  # a function of its own
    for probe, own in entered:
        probe.edits.append(own)
    try:
        yield
    finally:
        for probe, own in entered:
            probe.edits.remove(own)


# ─── 3 Attention ─────────────────────────────────────────────────────────────────────────────────────────────────────


def padding_mask(ids: Tensor) -> Tensor:
    """Real tokens may be looked at, padding may not: ids (B, S) -> (B, 1, 1, S), True = may look."""
    return (ids != PAD)[:, None, None, :]


def causal_mask(n: int, device: torch.device | None = None) -> Tensor:
    """Position i may look at positions up to i (section 3.2.3): (n, n), True on and below the diagonal."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(n: int, window: int, causal: bool, device: torch.device | None = None) -> Tensor:
    """Restricted self-attention (section 4): the `window` nearest positions, centred, or the last ones if causal."""
    i = torch.arange(n, device=device)
    distance = i[:, None] - i[None, :]  # (T, S)
    return (distance >= 0) & (distance < window) if causal else distance.abs() <= window // 2


def attention_scores(q: Tensor, k: Tensor, mask: Tensor | None = None) -> Tensor:
    """QKᵀ/√d_k, then -inf where the mask forbids to look (Figure 2): (B, H, T, K), (B, H, S, K) -> (B, H, T, S)."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    return scores if mask is None else scores.masked_fill(~mask, -math.inf)


def attention_weights(scores: Tensor) -> Tensor:
    """The softmax over keys: rows sum to 1, or are all 0 where nothing may be looked at. (B, H, T, S)"""
    return scores.softmax(-1).masked_fill(scores == -math.inf, 0.0)


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention(Q, K, V) = softmax(QKᵀ/√d_k)V (equation 1), in torch's fused kernel: (B, H, T, d_v)."""
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


class KeyValues:
    """Keys and values kept between decoding steps: self-attention's grow in place, cross-attention's are made once."""

    k: Tensor
    v: Tensor

    def __init__(self, capacity: int | None = None):
        self.capacity, self.n = capacity, 0

    def __call__(self, project: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor) -> tuple[Tensor, Tensor]:
        if self.capacity is None:
            if not self.n:
                self.k, self.v = project(x)
                self.n = self.k.size(2)
            return self.k, self.v
        k, v = project(x)  # of the new position alone
        if not self.n:
            self.k, self.v = (new.new_empty(*new.shape[:2], self.capacity, new.size(-1)) for new in (k, v))
        start, self.n = self.n, self.n + k.size(2)
        self.k[:, :, start : self.n], self.v[:, :, start : self.n] = k, v
        return self.k[:, :, : self.n], self.v[:, :, : self.n]

    def select(self, rows: Tensor) -> None:
        """Keep these rows, in this order."""
        if self.capacity is not None and len(rows) == len(self.k):  # only what is filled moves
            for kept in (self.k, self.v):
                kept[:, :, : self.n] = kept[:, :, : self.n].index_select(0, rows)
        else:
            self.k, self.v = self.k.index_select(0, rows), self.v.index_select(0, rows)


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O (section 3.2.2), the projections without bias.

    A head does not get a slice of the input: each W_i reads all d_model features. Unwatched, torch's fused kernel
    does the work; when scores or weights are watched, the three steps of equation 1 are taken one by one.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.n_heads = config.n_heads
        self.w_q = nn.Linear(config.d_model, config.n_heads * config.d_k, bias=False)
        self.w_k = nn.Linear(config.d_model, config.n_heads * config.d_k, bias=False)
        self.w_v = nn.Linear(config.d_model, config.n_heads * config.d_v, bias=False)
        self.w_o = nn.Linear(config.n_heads * config.d_v, config.d_model, bias=False)
        self.q, self.k, self.v = Probe(), Probe(), Probe()
        self.scores, self.weights, self.heads = Probe(), Probe(), Probe()

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, n, H·K) -> (B, H, n, K)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        return self.k(self.split(self.w_k(memory))), self.v(self.split(self.w_v(memory)))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None, cache: KeyValues | None = None) -> Tensor:
        """Queries from x (B, T, D), keys and values from memory (B, S, D), mask (B or 1, 1, T or 1, S): (B, T, D)."""
        q = self.q(self.split(self.w_q(x)))  # (B, H, T, K)
        k, v = self.keys_values(memory) if cache is None else cache(self.keys_values, memory)
        on_cpu = x.device.type == "cpu" and torch.is_grad_enabled()  # its fused kernel has a slow backward pass
        if self.scores.watched or self.weights.watched or on_cpu:
            scores = self.scores(attention_scores(q, k, mask))  # (B, H, T, S)
            weights = self.weights(attention_weights(scores))  # (B, H, T, S)
            heads = weights.to(v.dtype) @ v  # (B, H, T, d_v)
        else:
            heads = attention(q, k, v, mask)  # (B, H, T, d_v)
        return self.w_o(self.heads(heads).transpose(1, 2).flatten(2))  # (B, T, D)


# ─── 4 The model ─────────────────────────────────────────────────────────────────────────────────────────────────────


class FeedForward(nn.Module):
    """FFN(x) = max(0, xW_1 + b_1)W_2 + b_2 (equation 2), at each position alone: (B, n, D) -> (B, n, D)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.w_1 = nn.Linear(config.d_model, config.d_ff)
        self.w_2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(F.relu(self.w_1(x)))


class Dropout(nn.Dropout):
    """nn.Dropout; on a CPU four numbers share one 64-bit draw, several times faster, with p rounded to 1/65,536."""

    def forward(self, x: Tensor) -> Tensor:
        if not (self.training and self.p and x.device.type == "cpu"):
            return super().forward(x)
        draws = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None)
        keep = draws.view(torch.int16)[: x.numel()].view(x.shape) >= round(self.p * 65536) - 32768
        return x * keep * (1 / (1 - self.p))


class Residual(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))) (sections 3.1, 5.4); with norm "pre", x + Dropout(Sublayer(LayerNorm(x)))."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.pre = config.norm == "pre"
        self.layer_norm = nn.LayerNorm(config.d_model, eps=1e-6)
        self.dropout = Dropout(config.p_drop)

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.pre:
            return x + self.dropout(sublayer(self.layer_norm(x)))
        return self.layer_norm(x + self.dropout(sublayer(x)))


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (Figure 1, left): (B, S, D) -> (B, S, D)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.feed_forward = FeedForward(config)
        self.add_norm = nn.ModuleList(Residual(config) for _ in range(2))
        self.residual = Probe()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.add_norm[0](x, lambda x: self.self_attention(x, x, mask))
        x = self.add_norm[1](x, self.feed_forward)
        return self.residual(x)


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, feed-forward (Figure 1, right): (B, T, D) -> same.

    In decoding, x holds one position of W beams of each sentence, (B·W, 1, D), while memory has a row a sentence: to
    cross-attention the beams are W queries side by side.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.cross_attention = MultiHeadAttention(config)
        self.feed_forward = FeedForward(config)
        self.add_norm = nn.ModuleList(Residual(config) for _ in range(3))
        self.residual = Probe()

    def forward(
        self, x: Tensor, memory: Tensor, tgt_mask: Tensor | None, src_mask: Tensor, cache: tuple = (None, None)
    ) -> Tensor:
        shape = x.shape
        x = self.add_norm[0](x, lambda x: self.self_attention(x, x, tgt_mask, cache[0]))
        x = x.reshape(len(memory), -1, shape[-1])  # (B·W, 1, D) -> (B, W, D); unchanged outside decoding
        x = self.add_norm[1](x, lambda x: self.cross_attention(x, memory, src_mask, cache[1]))
        x = self.add_norm[2](x, self.feed_forward)
        return self.residual(x.reshape(shape))


def sinusoidal_positions(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(the same) (section 3.5): (n, d_model), float64.

    Sines and cosines interleave as in the paper; tensor2tensor and its heirs put all sines before all cosines and
    use slightly other frequencies, so their weights do not fit this table.
    """
    position = torch.arange(n, dtype=torch.float64)
    frequency = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (D/2,)
    angle = position[:, None] * frequency  # (n, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (n, D)


class Positions(nn.Module):
    """The encoding added to position start, start+1, …; sinusoids reach any length, learned ones end at max_len."""

    table: Tensor

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.d_model, self.max_len = config.d_model, config.max_len
        self.learned = config.positions == "learned"
        if self.learned:
            self.table = nn.Parameter(torch.empty(config.max_len, config.d_model))
        else:
            self.register_buffer("table", torch.empty(0, config.d_model), persistent=False)  # filled when needed

    def forward(self, n: int, start: int = 0) -> Tensor:
        end = start + n
        if self.learned and end > self.max_len:
            problem = f"The sentence reaches {end} tokens, but the learned positions end at {self.max_len} (max_len)"
            raise ValueError(f"{problem}; shorten it, or use a model with sinusoidal positions.")
        if not self.learned and end > len(self.table):
            self.table = sinusoidal_positions(max(2 * end, self.max_len), self.d_model).to(self.table)
        return self.table[start:end]  # (n, D)


class DecoderCache:
    """What decoding keeps of the positions read: each layer's keys and values of self- and of cross-attention."""

    def __init__(self, n_layers: int, capacity: int):
        self.layers = [(KeyValues(capacity), KeyValues()) for _ in range(n_layers)]

    @property
    def n(self) -> int:
        """How many target positions have been read."""
        return self.layers[0][0].n

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> None:
        """Keep these rows of B·W, in this order, and of the sentences (all of them if None)."""
        for self_attention, cross_attention in self.layers:
            self_attention.select(rows)
            if sentences is not None:
                cross_attention.select(sentences)


def check_ids(ids: Tensor, vocab_size: int, what: str) -> None:
    """Refuse what is not (B, n) ids of the vocabulary; on a GPU, where looking must wait, only shapes are checked."""
    if ids.dim() != 2 or ids.is_floating_point():
        raise ValueError(f"{what} is {ids.dtype} of shape {tuple(ids.shape)}; pass whole numbers of shape (B, n).")
    if ids.device.type == "cpu" and ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < vocab_size:
        given = (
            f"{what} holds ids from {int(ids.min())} to {int(ids.max())}, but the vocabulary ends at {vocab_size - 1}"
        )
        raise ValueError(f"{given}; use the tokenizer this model was trained with.")


class Transformer(nn.Module):
    """The encoder-decoder of Figure 1: model(src, tgt_in) -> logits.

    src (B, S) and tgt_in (B, T) are ids, padded on the right with 0; masks are made from them inside. logits
    (B, T, V) at position t are for the token that follows tgt_in[:, t].
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.src_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.tgt_embedding = self.src_embedding
        if config.tgt_vocab_size is not None:
            self.tgt_embedding = nn.Embedding(config.tgt_vocab_size, config.d_model)
        if not config.tie_softmax:
            self.softmax = nn.Linear(config.d_model, self.tgt_embedding.num_embeddings, bias=False)
        self.src_positions, self.tgt_positions = Positions(config), Positions(config)
        self.dropout = Dropout(config.p_drop)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        if config.norm == "pre":  # the residual sum is never normalised on the way, so it is at the end
            self.encoder_norm = nn.LayerNorm(config.d_model, eps=1e-6)
            self.decoder_norm = nn.LayerNorm(config.d_model, eps=1e-6)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """N(0, 1/d_model) for embeddings, so that √d_model times one has unit variance; Xavier for projections.

        What leads into a residual sum (W^V, W^O, W_1, W_2) gets half of Xavier's gain, as in DeepNet (Wang et al.,
        2022): at full gain the sub-layers drown the input, and the encoder may give all positions one and the same
        vector, from which post-LN training hardly recovers. The paper does not say how it began.
        """
        for name, module in self.named_modules():
            if isinstance(module, nn.Linear):
                into_sum = name.endswith(("w_v", "w_o", "w_1", "w_2"))
                nn.init.xavier_uniform_(module.weight, gain=0.5 if into_sum else 1.0)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=self.config.d_model**-0.5)
            elif isinstance(module, Positions) and module.learned:
                nn.init.normal_(module.table, std=self.config.d_model**-0.5)

    def embed(self, ids: Tensor, embedding: nn.Embedding, positions: Positions, start: int = 0) -> Tensor:
        """√d_model · embedding + position, then dropout (sections 3.4, 3.5, 5.4): (B, n) -> (B, n, D)."""
        if not torch.compiler.is_compiling():
            check_ids(ids, embedding.num_embeddings, "src" if positions is self.src_positions else "tgt_in")
        x = embedding(ids) * math.sqrt(self.config.d_model)  # (B, n, D)
        return self.dropout(x + positions(ids.size(1), start))

    def encode(self, src: Tensor) -> Tensor:
        """src (B, S) ids -> memory (B, S, D)."""
        x = self.embed(src, self.src_embedding, self.src_positions)
        mask = padding_mask(src)  # (B, 1, 1, S)
        if self.config.window:
            mask = mask & window_mask(src.size(1), self.config.window, causal=False, device=src.device)
        for layer in self.encoder:
            x = layer(x, mask)
        return self.encoder_norm(x) if self.config.norm == "pre" else x

    def decode(self, tgt_in: Tensor, memory: Tensor, src_mask: Tensor, cache: DecoderCache | None = None) -> Tensor:
        """tgt_in (B, T), memory (B, S, D), src_mask (B, S) True where real -> logits (B, T, V).

        With a cache, tgt_in (B·W, 1) is the next position alone of W beams a sentence.
        """
        start = cache.n if cache else 0
        x = self.embed(tgt_in, self.tgt_embedding, self.tgt_positions, start)
        mask = self.tgt_mask(tgt_in) if cache is None else self.step_mask(start + 1, tgt_in.device)
        src_mask = src_mask.reshape(len(memory), 1, 1, -1)
        for i, layer in enumerate(self.decoder):
            x = layer(x, memory, mask, src_mask, cache.layers[i] if cache else (None, None))
        x = self.decoder_norm(x) if self.config.norm == "pre" else x
        return F.linear(x, self.tgt_embedding.weight if self.config.tie_softmax else self.softmax.weight)

    def tgt_mask(self, tgt_in: Tensor) -> Tensor:
        """The decoder's causal mask and its padding mask, both: (B, 1, T, T)."""
        mask = padding_mask(tgt_in) & causal_mask(tgt_in.size(1), tgt_in.device)
        if self.config.window:
            mask = mask & window_mask(tgt_in.size(1), self.config.window, causal=True, device=tgt_in.device)
        return mask

    def step_mask(self, n: int, device: torch.device) -> Tensor | None:
        """In decoding nothing later exists, so position n - 1 may look at all, or at its window: (1, n) or None."""
        window = self.config.window
        return None if window is None else torch.arange(n, device=device)[None] >= n - window

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.decode(tgt_in, self.encode(src), src != PAD)


def count_parameters(model: nn.Module) -> int:
    """How many numbers are learned, a shared matrix counted once."""
    return sum(parameter.numel() for parameter in model.parameters())


# ─── 5 Text ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def clean(text: str) -> str:
    """One space between words, none at the ends."""
    return " ".join(text.split())


class Tokenizer:
    """A SentencePiece BPE vocabulary shared by both languages; bytes stand in for rare characters, so nothing is lost.

    Ids: pad 0, bos 1, eos 2, unk 3. `encode` adds none of them.
    """

    def __init__(self, model: bytes):
        self.model, self.processor = model, sentencepiece.SentencePieceProcessor()
        try:
            self.processor.LoadFromSerializedProto(model)
        except RuntimeError:
            raise ValueError(f"These {len(model)} bytes are no SentencePiece model; use a tokenizer.model.") from None
        ids = tuple(getattr(self.processor, name)() for name in ("pad_id", "bos_id", "eos_id", "unk_id"))
        if ids != (PAD, BOS, EOS, UNK):
            raise ValueError(f"This tokenizer has pad, bos, eos, unk at {ids}, not at 0, 1, 2, 3; use Tokenizer.train.")

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> Tokenizer:
        """Learn at most vocab_size pieces from sentences; a small text gives fewer, which a warning says once."""
        texts = [text for text in map(clean, texts) if text]
        if not texts:
            raise ValueError("There is no text to learn a vocabulary from; pass at least one sentence.")
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts), model_writer=model, vocab_size=vocab_size, model_type="bpe",
                byte_fallback=True, character_coverage=0.9999, normalization_rule_name="identity",
                remove_extra_whitespaces=False, max_sentence_length=1 << 20, minloglevel=2,
                pad_id=PAD, bos_id=BOS, eos_id=EOS, unk_id=UNK,
            )  # fmt: skip
        except RuntimeError as error:
            if (fewer := re.search(r"set it to a value <= (\d+)", str(error))) and int(fewer[1]) < vocab_size:
                warnings.warn(f"The text gives {fewer[1]} pieces, fewer than the {vocab_size} asked for.", stacklevel=2)
                return cls.train(texts, int(fewer[1]))
            need = f"4 special pieces, 256 bytes and {len(set(''.join(texts)))} characters need their places"
            raise ValueError(f"A vocabulary of {vocab_size} is too small for this text; {need}.") from None
        return cls(model.getvalue())

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read a tokenizer.model."""
        try:
            return cls(Path(path).read_bytes())
        except OSError as error:
            raise ValueError(f"{path} cannot be read ({error.strerror}); is its folder complete?") from None

    def __len__(self) -> int:
        return self.processor.get_piece_size()

    def encode(self, text: str) -> list[int]:
        """Text to ids, without bos and eos."""
        if "▁" not in text:
            return self.processor.encode(text)
        stand_in, spelled = (self.bytes_of(c) for c in ("\U0010ffff", "▁"))  # which SentencePiece takes for a space
        ids = str(self.processor.encode(text.replace("▁", "\U0010ffff")))
        return json.loads(ids.replace(stand_in, spelled))

    def bytes_of(self, character: str) -> str:
        return ", ".join(str(self.processor.piece_to_id(f"<0x{byte:02X}>")) for byte in character.encode())

    def decode(self, ids: Iterable[int]) -> str:
        """Ids to text; special ids vanish."""
        return self.processor.decode([i for i in map(int, ids) if i >= UNK])

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The written form of each id: "▁" begins a word, "<0xE2>" is a byte, "</s>" the end."""
        return [self.processor.id_to_piece(i) for i in map(int, ids)]


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file, plain or .gz, split on "\\n" only."""
    path = Path(path)
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    return split_lines(data, str(path))


def split_lines(data: bytes, name: str) -> list[str]:
    """Bytes to lines, split on "\\n" only; a line that is not UTF-8 is named."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    texts = []
    for number, line in enumerate(lines, start=1):
        try:
            texts.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise ValueError(f"Line {number} of {name} is not valid UTF-8; convert the text to UTF-8 first.") from None
    return texts


def read_parallel(folder: str | Path, split: str, src: str, tgt: str) -> tuple[list[str], list[str]]:
    """The two sides of folder/split.src and folder/split.tgt (or .gz), line by line."""
    sides = []
    for language in (src, tgt):
        candidates = [Path(folder) / f"{split}.{language}{ending}" for ending in ("", ".gz")]
        path = next((path for path in candidates if path.is_file()), None)
        if path is None:
            raise ValueError(f"There is no {candidates[0]} (nor .gz); a folder holds {split}.{src} and {split}.{tgt}.")
        sides.append(read_lines(path))
    if len(sides[0]) != len(sides[1]):
        unequal = f"{split}.{src} has {len(sides[0])} lines and {split}.{tgt} has {len(sides[1])} in {folder}"
        raise ValueError(f"{unequal}; line n of one must translate line n of the other.")
    return sides[0], sides[1]


Pair = tuple[Sequence[int], Sequence[int]]  # source and target ids, without bos and eos


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids, padded on the right with 0 to one length: (B, n)."""
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    return nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PAD)


@dataclass(frozen=True)
class Batch:
    """Sentence pairs side by side, the target shifted right by one (Figure 1).

    src (B, S) ends in eos, tgt_in (B, T) begins with bos, tgt_out (B, T) ends in eos; rows: their places in the corpus.
    """

    src: Tensor
    tgt_in: Tensor
    tgt_out: Tensor
    rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, pairs: Sequence[Pair], rows: Sequence[int] = ()) -> Batch:
        src = pad([[*source, EOS] for source, _ in pairs])
        tgt = pad([[BOS, *target, EOS] for _, target in pairs])  # (B, T + 1)
        tgt_in = tgt[:, :-1].masked_fill(tgt[:, :-1] == EOS, PAD)
        return cls(src, tgt_in, tgt[:, 1:], tuple(rows))

    @property
    def n_tokens(self) -> int:
        """Real target tokens, eos included."""
        return int((self.tgt_out != PAD).sum())

    def to(self, device: torch.device) -> Batch:
        src, tgt_in, tgt_out = (x.to(device, non_blocking=True) for x in (self.src, self.tgt_in, self.tgt_out))
        return Batch(src, tgt_in, tgt_out, self.rows)

    def split(self, n: int) -> list[Batch]:
        """n parts by sentence; a part that would be empty holds one sentence that counts for nothing."""
        return [self.part(range(i, len(self.src), n)) for i in range(n)] if n > 1 else [self]

    def part(self, rows: range) -> Batch:
        if not len(rows):
            return Batch(self.src[:1], self.tgt_in[:1], torch.full_like(self.tgt_out[:1], PAD))
        sides = (x[rows.start :: rows.step] for x in (self.src, self.tgt_in, self.tgt_out))
        src, tgt_in, tgt_out = (x[:, : int((x != PAD).sum(1).max())] for x in sides)
        return Batch(src, tgt_in, tgt_out, self.rows[rows.start :: rows.step])


class Batches:
    """A corpus cut into batches by real tokens (section 5.1): neither side of one holds more than tokens_per_batch.

    `for batch in batches.epoch(3)` gives those of an epoch, whose order is a pure function of (seed, epoch); plain
    iteration is epoch 0. window: how many shuffled pairs are sorted by length together; a larger one pads less.
    """

    def __init__(self, pairs: Sequence[Pair], tokens_per_batch: int, seed: int = 0, window: int = 1 << 15):
        self.pairs, self.tokens_per_batch, self.seed, self.window = pairs, tokens_per_batch, seed, window
        self.lengths = [(len(target) + 1, len(source) + 1) for source, target in pairs]  # with eos
        self.usable = [i for i, length in enumerate(self.lengths) if max(length) <= tokens_per_batch]
        if not self.usable:
            advice = "raise tokens_per_batch" if len(pairs) else "is the corpus empty?"
            raise ValueError(f"Of {len(pairs)} pairs none fits into a batch of {tokens_per_batch} tokens; {advice}.")
        if left_out := len(pairs) - len(self.usable):
            message = f"{left_out} of {len(pairs)} pairs are longer than {tokens_per_batch} tokens and are left out."
            warnings.warn(message, stacklevel=2)

    def plan(self, epoch: int) -> list[list[int]]:
        """Which pairs go together: sorted by source length inside shuffled windows, then the batches shuffled.

        Not by target length: where all sentences of a batch end at one place, the gradient mostly says where, and
        batches contradict each other.
        """
        rng = random.Random(f"{self.seed} {epoch}")
        order = self.usable.copy()
        rng.shuffle(order)
        windows = (order[start : start + self.window] for start in range(0, len(order), self.window))
        batches = [
            batch for window in windows for batch in self.cut(sorted(window, key=lambda row: self.lengths[row][1]))
        ]
        rng.shuffle(batches)
        return batches

    def cut(self, rows: Sequence[int]) -> Iterator[list[int]]:
        batch: list[int] = []
        tgt_tokens = src_tokens = 0
        for row in rows:
            tgt, src = self.lengths[row]
            if batch and max(tgt_tokens + tgt, src_tokens + src) > self.tokens_per_batch:
                yield batch
                batch, tgt_tokens, src_tokens = [], 0, 0
            batch.append(row)
            tgt_tokens, src_tokens = tgt_tokens + tgt, src_tokens + src
        if batch:
            yield batch

    def epoch(self, epoch: int, start: int = 0) -> Iterator[Batch]:
        """The batches of one epoch, from the start-th on."""
        for rows in self.plan(epoch)[start:]:
            yield Batch.of([self.pairs[row] for row in rows], rows)

    def __iter__(self) -> Iterator[Batch]:
        return self.epoch(0)

    def __len__(self) -> int:
        return len(self.plan(0))


make_batches = Batches


# ─── 6 Objective and schedule ────────────────────────────────────────────────────────────────────────────────────────


class SmoothedCrossEntropy(torch.autograd.Function):
    """(1-ε)·nll + ε·mean over V of -log p, and nll, for each row of logits (N, V); its gradient is softmax - target.

    Written out because autograd would fill five matrices of N × V in float32; here a few rows are worked at a time, on
    a CPU as many as its cache holds, and only the logits and their gradient are ever whole.
    """

    @staticmethod
    def forward(ctx: Any, logits: Tensor, tgt_out: Tensor, eps_ls: float) -> tuple[Tensor, Tensor]:
        ctx.eps_ls, ctx.rows = eps_ls, 512 if logits.device.type == "cpu" else 1 << 16
        log_z, gold, mean = [], [], []
        for part, target in zip(logits.split(ctx.rows), tgt_out.split(ctx.rows), strict=True):
            part = part.float()
            log_z.append(part.logsumexp(-1))
            gold.append(part.gather(-1, target[:, None]).squeeze(-1))
            mean.append(part.mean(-1))
        whole = torch.cat(log_z)  # (N,)
        ctx.save_for_backward(logits, tgt_out, whole)
        nll = whole - torch.cat(gold)
        ctx.mark_non_differentiable(nll)
        return (1 - eps_ls) * nll + eps_ls * (whole - torch.cat(mean)), nll

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, None, None]:
        d_logits = torch.empty_like(ctx.saved_tensors[0])
        parts = (x.split(ctx.rows) for x in (*ctx.saved_tensors, grad, d_logits))
        for part, target, log_z, scale, out in zip(*parts, strict=True):
            d = (part.float() - log_z[:, None]).exp_().sub_(ctx.eps_ls / part.size(-1))  # each entry has ε/V as target
            d.scatter_add_(-1, target[:, None], d.new_full((len(target), 1), ctx.eps_ls - 1))
            out.copy_(d.mul_(scale[:, None]))
        return d_logits, None, None


def objective(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> tuple[Tensor, Tensor]:
    """Sums over real target tokens of the label-smoothed loss and of the plain negative log-likelihood, in nats."""
    tgt_out = tgt_out.flatten()  # (B·T,)
    loss, nll = SmoothedCrossEntropy.apply(logits.flatten(0, -2), tgt_out, eps_ls)
    real = tgt_out != PAD
    return loss[real].sum(), nll[real].sum()


def label_smoothed_loss(logits: Tensor, tgt_out: Tensor, eps_ls: float = 0.1) -> Tensor:
    """Cross-entropy to the smoothed target (1-ε)·one-hot + ε/V, mean over real tokens, in nats (section 5.4).

    logits (B, T, V), tgt_out (B, T) with 0 as padding. It cannot fall below the target's own entropy: 1.377 nats for
    ε = 0.1 and V = 37,000; so read the plain nll beside it.
    """
    loss, _ = objective(logits, tgt_out, eps_ls)
    return loss / (tgt_out != PAD).sum()


def learning_rate(step: int, d_model: int, warmup_steps: int = 4000, peak: float | None = None) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) (equation 3); step counts from 1.

    peak: the rate at step = warmup_steps, in place of (d_model · warmup_steps)^-0.5; small models bear a higher one.
    """
    if step < 1 or warmup_steps < 1:
        raise ValueError(f"step is {step} and warmup_steps {warmup_steps}; both count from 1.")
    scale = d_model**-0.5 if peak is None else peak * warmup_steps**0.5
    return scale * min(step**-0.5, step * warmup_steps**-1.5)


# ─── 7 Checkpoints ───────────────────────────────────────────────────────────────────────────────────────────────────


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a kill at any instant leaves the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".part")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, on the CPU, a shared matrix once."""
    return {name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()}


def save_checkpoint(
    folder: str | Path, config: TransformerConfig, weights: dict[str, Tensor], tokenizer: Tokenizer | None = None
) -> None:
    """Write model.safetensors, config.json and tokenizer.model, the weights last."""
    folder = Path(folder)
    write_atomically(folder / "config.json", (json.dumps(asdict(config), indent=2) + "\n").encode())
    if tokenizer is not None:
        write_atomically(folder / "tokenizer.model", tokenizer.model)
    write_atomically(folder / "model.safetensors", safetensors.torch.save(weights))


def read_metadata(path: Path) -> dict[str, str]:
    """What a safetensors file says of itself, without its tensors."""
    try:
        with safetensors.safe_open(str(path), framework="pt") as file:
            return file.metadata() or {}
    except FileNotFoundError:
        raise ValueError(f"There is no {path}; is {path.parent} a checkpoint folder?") from None
    except (safetensors.SafetensorError, OSError) as error:
        raise ValueError(f"{path} is damaged or cut short ({error}); copy or train it again.") from None


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file."""
    read_metadata(path)  # which tells missing and damaged files apart
    return safetensors.torch.load_file(path)


def read_config(folder: Path) -> TransformerConfig:
    """The configuration in folder/config.json."""
    path = folder / "config.json"
    try:
        return TransformerConfig(**json.loads(path.read_text(encoding="utf-8")))
    except OSError:
        raise ValueError(f"There is no {path}; is {folder} a checkpoint folder?") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} does not describe a Transformer: {error}.") from None


def load_weights(model: nn.Module, weights: dict[str, Tensor], source: str | Path) -> None:
    """Copy weights into the model; names and shapes must be the model's own."""
    parameters = dict(model.named_parameters())
    if odd := sorted(set(weights) ^ set(parameters)):
        raise ValueError(f"{source} does not fit its configuration: only one of them has {odd[0]}, {len(odd)} in all.")
    for name, parameter in parameters.items():
        given, needed = tuple(weights[name].shape), tuple(parameter.shape)
        if given != needed:
            raise ValueError(f"{source} does not fit its configuration: {name} has shape {given}, {needed} is needed.")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(weights[name])


def load_model(folder: str | Path) -> Transformer:
    """The model in a checkpoint folder, in float32, in eval mode."""
    folder = Path(folder)
    model = Transformer(read_config(folder))
    load_weights(model, read_tensors(folder / "model.safetensors"), folder / "model.safetensors")
    return model.eval()


def average_checkpoints(folders: Sequence[str | Path]) -> dict[str, Tensor]:
    """The arithmetic mean of the weights in several checkpoint folders (section 6.1), summed in float64."""
    if not folders:
        raise ValueError("There is nothing to average; name at least one checkpoint folder.")
    total: dict[str, Tensor] = {}
    for folder in folders:
        weights = read_tensors(Path(folder) / "model.safetensors")
        if total and {n: w.shape for n, w in weights.items()} != {n: w.shape for n, w in total.items()}:
            raise ValueError(f"{folder} holds another model than {folders[0]}; average checkpoints of one run.")
        for name, weight in weights.items():
            total[name] = total[name] + weight.double() if name in total else weight.double()
    return {name: (weight / len(folders)).float() for name, weight in total.items()}


# ─── 8 Training ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How to train (section 5); the defaults are the paper's."""

    steps: int = 100_000  # updates to make in all
    warmup_steps: int = 4000  # the learning rate rises for so long
    peak_learning_rate: float | None = None  # its height then, in place of equation 3's own
    cooldown_steps: int = 0  # the last steps, over which it falls to zero in a straight line
    beta1: float = 0.9
    beta2: float = 0.98
    eps_adam: float = 1e-9
    clip_norm: float | None = None  # gradients longer than this are shortened to it
    accumulate: int = 1  # work each batch in so many parts, to save memory
    seed: int = 0  # of dropout (and, on the command line, of weights and order)
    device: str = "auto"  # auto, cpu, cuda, mps
    precision: str = "auto"  # bf16 autocast, fp32, or auto: bf16 where the hardware has it
    compile: bool = False  # torch.compile the model

    def learning_rate(self, step: int, d_model: int) -> float:
        """The rate of this step, the cooldown applied."""
        left = (self.steps - step + 1) / self.cooldown_steps if self.cooldown_steps else 1.0
        return learning_rate(step, d_model, self.warmup_steps, self.peak_learning_rate) * min(1.0, left)


class Step(NamedTuple):
    """One update. loss (label-smoothed) and nll are means in nats per real target token; seconds is its duration."""

    step: int
    loss: float
    nll: float
    learning_rate: float
    n_tokens: int
    seconds: float
    gradient_norm: float
    epoch: int

    @property
    def perplexity(self) -> float:
        return math.exp(min(self.nll, 700.0))

    @property
    def tokens_per_second(self) -> float:
        return self.n_tokens / self.seconds


def pick_device(name: str = "auto") -> torch.device:
    """CUDA, Apple's MPS or the CPU, the first that is there; or the one named."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        if name == "cuda" and "LOCAL_RANK" in os.environ:
            name = f"cuda:{os.environ['LOCAL_RANK']}"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
        return device
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ValueError(f"The device {name!r} is not to be had here; use auto, cpu, cuda or mps.") from None


def autocast(device: torch.device, precision: str = "auto") -> torch.autocast:
    """The autocast context for this device: bf16 if asked for, or if "auto" and the hardware multiplies it natively."""
    if precision not in ("auto", "bf16", "fp32"):
        raise ValueError(f"The precision is {precision!r}; choose auto, bf16 or fp32.")
    native = device.type == "cpu" and torch.cpu._is_avx512_bf16_supported()
    native |= device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    enabled = precision == "bf16" or (precision == "auto" and native)
    return torch.autocast(device.type, dtype=torch.bfloat16, enabled=enabled)


def training_metadata(path: Path) -> dict[str, str]:
    """What TrainingState.save says of its file."""
    metadata = read_metadata(path)
    if not {"place", "about"} <= set(metadata):
        raise ValueError(f"{path} is no saved training; it holds weights only, or is from elsewhere.")
    return metadata


class TrainingState:
    """All that a run needs to go on: the weights, Adam's moments, and where in the data it stands.

    Dropout is seeded anew by (seed, step, rank) and the order of batches by (seed, epoch), so these numbers are enough.
    """

    def __init__(self, model: Transformer, config: TrainingConfig):
        self.model, self.config = model.to(pick_device(config.device)), config
        self.optimizer = torch.optim.Adam(
            model.parameters(), lr=0.0, betas=(config.beta1, config.beta2), eps=config.eps_adam, fused=True
        )
        self.step = self.epoch = self.index = 0
        self.seconds = 0.0

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def save(self, path: str | Path, about: dict[str, Any] | None = None) -> None:
        """Write one safetensors file, whole or not at all; `about` is kept with it as JSON."""
        tensors = {f"model.{name}": weight for name, weight in weights_of(self.model).items()}
        for name, parameter in self.model.named_parameters():
            for moment, value in self.optimizer.state[parameter].items():
                tensors[f"adam.{moment}.{name}"] = value.detach().cpu().contiguous()
        place = dict(step=self.step, epoch=self.epoch, index=self.index, seconds=self.seconds)
        metadata = {"place": json.dumps(place), "about": json.dumps(about or {}, sort_keys=True)}
        write_atomically(Path(path), safetensors.torch.save(tensors, metadata))

    def load(self, path: str | Path) -> dict[str, Any]:
        """Go back to what `save` wrote; returns its `about`."""
        tensors, metadata = read_tensors(Path(path)), training_metadata(Path(path))
        weights = {name.removeprefix("model."): x for name, x in tensors.items() if name.startswith("model.")}
        load_weights(self.model, weights, path)
        for name, parameter in self.model.named_parameters():
            moments = [m for m in ("step", "exp_avg", "exp_avg_sq") if f"adam.{m}.{name}" in tensors]
            self.optimizer.state[parameter] = {m: tensors[f"adam.{m}.{name}"].to(self.device) for m in moments}
        for name, value in json.loads(metadata["place"]).items():
            setattr(self, name, value)
        return json.loads(metadata["about"])


def keep_freed_memory() -> None:
    """Keep glibc from handing the memory of large tensors back to the kernel, whose zeroing can cost half the time."""
    with contextlib.suppress(OSError, AttributeError):  # elsewhere than on Linux
        mallopt, mmap_max, trim_threshold = ctypes.CDLL(None).mallopt, -4, -1  # numbers from malloc.h
        mallopt(mmap_max, 0), mallopt(trim_threshold, -1)


def world() -> tuple[int, int]:
    """(rank, number of processes) of a torchrun, or (0, 1)."""
    distributed = torch.distributed
    ready = distributed.is_available() and distributed.is_initialized()
    return (distributed.get_rank(), distributed.get_world_size()) if ready else (0, 1)


def train(
    model: Transformer, batches: Batches, config: TrainingConfig | None = None, state: TrainingState | None = None
) -> Iterator[Step]:
    """Train the model, yielding a Step after each update; the caller charts, saves, stops and goes on.

    batches: anything with `epoch(number, start) -> iterator of Batch`, such as make_batches returns. state: where to
    go on (it holds the model and Adam's moments, and is kept up to date); None starts afresh. In a torchrun each
    process takes its share of every batch, and the run is the same as with one process.
    """
    config = config or TrainingConfig()
    state = state or TrainingState(model, config)
    if state.device.type == "cpu":
        keep_freed_memory()
    if state.model is not model:
        raise ValueError("state belongs to another model; pass TrainingState(model, config).")
    forward: Any = torch.compile(model, dynamic=True) if config.compile else model
    if world()[1] > 1:
        forward = nn.parallel.DistributedDataParallel(forward, gradient_as_bucket_view=True)
    while state.step < config.steps:
        for batch in batches.epoch(state.epoch, state.index):
            model.train()
            yield update(forward, batch, state, config)
            if state.step >= config.steps:
                return
        if not state.index:
            raise ValueError(f"Epoch {state.epoch} has no batches to train on; is the corpus empty?")
        state.epoch, state.index = state.epoch + 1, 0


def update(forward: Any, batch: Batch, state: TrainingState, config: TrainingConfig) -> Step:
    """One step of Adam on one batch; every rank calls it with the same batch and works its own part."""
    began = time.perf_counter()
    (rank, n_ranks), device, step = world(), state.device, state.step + 1
    n_tokens = batch.n_tokens
    parts = batch.split(config.accumulate * n_ranks)[rank::n_ranks]
    rate = config.learning_rate(step, state.model.config.d_model)
    for group in state.optimizer.param_groups:
        group["lr"] = rate
    state.optimizer.zero_grad(set_to_none=True)
    sums = torch.zeros(2, device=device)  # loss, nll
    with seeded(device, config.seed, step, rank):
        for i, part in enumerate(parts):
            part = part.to(device)
            last = i == len(parts) - 1 or n_ranks == 1
            with contextlib.nullcontext() if last else forward.no_sync():
                with autocast(device, config.precision):
                    logits = forward(part.src, part.tgt_in)
                loss, nll = objective(logits, part.tgt_out, state.model.config.eps_ls)
                (loss * (n_ranks / n_tokens)).backward()  # over all that makes the update; ranks are averaged
            sums += torch.stack([loss.detach(), nll])
    if n_ranks > 1:
        torch.distributed.all_reduce(sums)
    gradient_norm = nn.utils.get_total_norm([p.grad for p in state.model.parameters() if p.grad is not None])
    loss, nll, norm = (*(sums / n_tokens).tolist(), gradient_norm.item())
    if not math.isfinite(loss + norm):
        pairs = ", ".join(map(str, batch.rows[:8])) + (", …" if len(batch.rows) > 8 else "")
        problem = f"Step {step} has loss {loss} and gradient norm {norm} on pairs {pairs} (from 0) and was not made"
        raise FloatingPointError(f"{problem}; try a lower learning rate, a longer warm-up, or clip_norm=1.")
    if config.clip_norm is not None:
        nn.utils.clip_grads_with_norm_(state.model.parameters(), config.clip_norm, gradient_norm)
    state.optimizer.step()
    seconds = time.perf_counter() - began
    state.step, state.index, state.seconds = step, state.index + 1, state.seconds + seconds
    return Step(step, loss, nll, rate, n_tokens, seconds, norm, state.epoch)


@contextlib.contextmanager
def seeded(device: torch.device, *key: int) -> Iterator[None]:
    """Random numbers that are a pure function of the key; the caller's generators are left as they were."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    with torch.random.fork_rng([device] if device.type == "cuda" else [], device_type="cuda"):
        torch.manual_seed(int.from_bytes(digest[:8], "little") >> 1)
        yield


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Eval mode and no gradients inside; the mode is put back after."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def validation_nll(model: Transformer, batches: Iterable[Batch], precision: str = "auto") -> float:
    """Mean negative log-likelihood per real target token, in nats, teacher-forced, without smoothing or dropout."""
    device = next(model.parameters()).device
    total, n_tokens = 0.0, 0
    with evaluating(model), autocast(device, precision):
        for batch in batches:
            moved = batch.to(device)
            total += objective(model(moved.src, moved.tgt_in), moved.tgt_out, 0.0)[1].item()
            n_tokens += batch.n_tokens
    return total / n_tokens


# ─── 9 Decoding ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Hypothesis(NamedTuple):
    """One translation: its ids without bos (eos last, if it came to an end), log-probability in nats, and score."""

    ids: list[int]
    log_prob: float
    score: float


def length_penalty(n: Any, alpha: float) -> Any:
    """((5 + n) / 6)^α (section 6.1, after Wu et al., 2016), n in target tokens, eos included."""
    return ((5 + n) / 6) ** alpha


def output_limits(config: TransformerConfig, src: Tensor, max_extra: int) -> Tensor:
    """How many tokens each translation may have: its source's, eos not counted, and max_extra (section 6.1): (B,)."""
    limits = ((src != PAD) & (src != EOS)).sum(1) + max_extra
    return limits.clamp(max=config.max_len) if config.positions == "learned" else limits


def next_log_probs(model: Transformer, last: Tensor, memory: Tensor, src_mask: Tensor, cache: DecoderCache) -> Tensor:
    """Log-probabilities of the token after `last` (B·W, 1): (B·W, V); padding and bos are never produced."""
    log_probs = model.decode(last, memory, src_mask, cache)[:, -1].float().log_softmax(-1)
    log_probs[:, [PAD, BOS]] = -math.inf
    return log_probs


def greedy_decode(model: Transformer, src: Tensor, max_extra: int = 50) -> list[Hypothesis]:
    """The likeliest token at every step, for each sentence of src (B, S); finished sentences leave the batch."""
    limits = output_limits(model.config, src, max_extra)
    with evaluating(model):
        memory, src_mask = model.encode(src), src != PAD
        cache = DecoderCache(model.config.n_layers, int(limits.max()))
        ids: list[list[int]] = [[] for _ in src]
        log_probs = [0.0] * len(src)
        sentences = torch.arange(len(src), device=src.device)  # who is still at work
        last = torch.full_like(src[:, :1], BOS)
        for n in itertools.count(1):
            best, token = next_log_probs(model, last, memory, src_mask, cache).max(-1)  # (B,), (B,)
            for sentence, chosen, log_prob in zip(sentences.tolist(), token.tolist(), best.tolist(), strict=True):
                ids[sentence].append(chosen)
                log_probs[sentence] += log_prob
            going = ((token != EOS) & (n < limits)).nonzero().squeeze(1)
            if not len(going):
                break
            last = token[:, None]
            if len(going) < len(sentences):
                sentences, limits, last = sentences[going], limits[going], last[going]
                memory, src_mask = memory[going], src_mask[going]
                cache.select(going, going)
    return [Hypothesis(i, p, p) for i, p in zip(ids, log_probs, strict=True)]


def beam_search(
    model: Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[Hypothesis]:
    """The best translation found with beam_size hypotheses side by side, for each sentence of src (B, S).

    score = log-probability / length_penalty (section 6.1). A finished hypothesis keeps its slot, so that a beam of 1
    is greedy; a sentence is done when no live hypothesis can still win, and then leaves the batch. A hypothesis cut
    off at the limit counts only where none finished.
    """
    if beam_size < 1 or not 0 <= alpha < math.inf:
        raise ValueError(f"beam_size is {beam_size} and alpha {alpha}; pass at least 1 and at least 0.")
    with evaluating(model):
        search = BeamSearch(model, src, beam_size, alpha, max_extra)
        while len(search.sentences):
            search.step()
    return search.results


class BeamSearch:
    """The state of a beam search over the B sentences still at work, W hypotheses each; `step` adds a token to all."""

    def __init__(self, model: Transformer, src: Tensor, beam_size: int, alpha: float, max_extra: int):
        self.model, self.width, self.alpha, self.n = model, beam_size, alpha, 0
        self.memory, self.src_mask = model.encode(src), src != PAD
        self.limits = output_limits(model.config, src, max_extra)  # (B,)
        self.cache = DecoderCache(model.config.n_layers, int(self.limits.max()))
        self.results: list[Any] = [None] * len(src)
        n, device = len(src), src.device
        self.sentences = torch.arange(n, device=device)  # (B,) places in src
        self.slots = torch.full((n, 1), beam_size, device=device)  # slots not yet kept by a finished hypothesis
        self.log_prob = torch.full((n, beam_size), -math.inf, device=device)  # (B, W), -inf: a slot not in use
        self.log_prob[:, 0] = 0.0
        self.tokens = torch.full((n, beam_size, 1), BOS, device=device)  # (B, W, n + 1)
        self.best_score = torch.full((n,), -math.inf, device=device)  # of the finished
        self.best: list[Hypothesis | None] = [None] * n

    def step(self) -> None:
        self.n += 1
        last = self.tokens[:, :, -1].reshape(-1, 1)  # (B·W, 1)
        log_probs = next_log_probs(self.model, last, self.memory, self.src_mask, self.cache)  # (B·W, V)
        log_probs += self.log_prob.reshape(-1, 1)
        n_sentences, vocab_size = len(self.sentences), log_probs.size(-1)
        self.log_prob, index = log_probs.view(n_sentences, -1).topk(self.width)  # (B, W), best first
        rank = torch.arange(self.width, device=index.device)
        self.log_prob = self.log_prob.masked_fill(rank >= self.slots, -math.inf)
        parent, token = index // vocab_size, index % vocab_size
        tokens = self.tokens.gather(1, parent[:, :, None].expand_as(self.tokens))
        self.tokens = torch.cat([tokens, token[:, :, None]], dim=-1)
        self.finish((token == EOS) & self.log_prob.isfinite())
        rows = torch.arange(n_sentences, device=index.device)[:, None] * self.width + parent  # (B, W)
        self.leave(rows)

    def finish(self, ended: Tensor) -> None:
        """Take the hypotheses that produced eos out of the live ones; remember the best of each sentence."""
        if not ended.any():
            return
        score, rank = (self.log_prob / length_penalty(self.n, self.alpha)).masked_fill(~ended, -math.inf).max(1)
        for b in (score > self.best_score).nonzero().squeeze(1).tolist():
            self.best[b] = self.hypothesis(b, int(rank[b]))
        self.best_score = torch.maximum(self.best_score, score)
        self.slots = self.slots - ended.sum(1, keepdim=True)
        self.log_prob = self.log_prob.masked_fill(ended, -math.inf)

    def hypothesis(self, b: int, rank: int) -> Hypothesis:
        log_prob = self.log_prob[b, rank].item()
        return Hypothesis(self.tokens[b, rank, 1:].tolist(), log_prob, log_prob / length_penalty(self.n, self.alpha))

    def leave(self, rows: Tensor) -> None:
        """Hand in the sentences that are done, and keep the rest; rows (B, W): the cached row each beam comes from."""
        live, rank = self.log_prob.max(1)
        cannot_win = live / length_penalty(self.limits, self.alpha) <= self.best_score  # the penalty only helps so far
        done = cannot_win | (self.n >= self.limits)
        for b in done.nonzero().squeeze(1).tolist():
            self.results[self.sentences[b]] = self.best[b] or self.hypothesis(b, int(rank[b]))
        going = (~done).nonzero().squeeze(1)
        if len(going) == len(done):
            self.cache.select(rows.flatten())
            return
        for name in ("sentences", "limits", "memory", "src_mask", "slots", "log_prob", "tokens", "best_score"):
            setattr(self, name, getattr(self, name)[going])
        self.best = [self.best[b] for b in going.tolist()]
        if len(going):
            self.cache.select(rows[going].flatten(), going)


# ─── 10 Translator ───────────────────────────────────────────────────────────────────────────────────────────────────


class Translator:
    """A trained model with its tokenizer: `translator.translate(["I am a teacher."])`."""

    def __init__(self, model: Transformer, tokenizer: Tokenizer, name: str = ""):
        rows = {model.src_embedding.num_embeddings, model.tgt_embedding.num_embeddings}
        if rows != {len(tokenizer)}:
            raise ValueError(f"The tokenizer has {len(tokenizer)} pieces, the model {max(rows)}; they do not match.")
        self.model, self.tokenizer, self.name = model.eval(), tokenizer, name

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def source(self, texts: Sequence[str]) -> Tensor:
        """Sentences as ids, each ended by eos and padded on the right: (B, S)."""
        return pad([[*self.tokenizer.encode(clean(text)), EOS] for text in texts]).to(self.device)

    def translate(self, texts: Sequence[str], beam_size: int = 4, alpha: float = 0.6, batch: int = 2048) -> list[str]:
        """One line of translation for each text, in order; an empty text gives an empty line.

        batch: how many source tokens are worked together, sentences of similar length side by side.
        """
        if isinstance(texts, str):
            raise TypeError("translate takes a list of texts; for one sentence write translate([text])[0].")
        lines = [""] * len(texts)
        ids = {row: self.tokenizer.encode(clean(text)) for row, text in enumerate(texts) if clean(text)}
        order = sorted(ids, key=lambda row: -len(ids[row]))
        while order:
            size = max(1, batch // (len(ids[order[0]]) + 1))
            rows, order = order[:size], order[size:]
            src = pad([[*ids[row], EOS] for row in rows]).to(self.device)
            found = greedy_decode(self.model, src) if beam_size == 1 else beam_search(self.model, src, beam_size, alpha)
            for row, hypothesis in zip(rows, found, strict=True):
                lines[row] = clean(self.tokenizer.decode(hypothesis.ids))
        return lines


def load_pretrained(name_or_path: str | Path, device: str = "cpu") -> Translator:
    """A trained Translator from a checkpoint folder, or by name from the folder checkpoints/ beside this file."""
    shelf = Path(__file__).resolve().parent / "checkpoints"
    folder = next((f for f in (Path(name_or_path), shelf / name_or_path) if (f / "config.json").is_file()), None)
    if folder is None:
        names = sorted(f.name for f in shelf.glob("*") if (f / "config.json").is_file())
        choice = f"a folder that training wrote, or one of these names: {', '.join(names) or '(none is installed)'}"
        raise ValueError(f"There is no checkpoint {str(name_or_path)!r}; give {choice}.")
    model = load_model(folder).to(pick_device(device))
    return Translator(model, Tokenizer.load(folder / "tokenizer.model"), folder.resolve().name)


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str], lowercase: bool = False) -> Any:
    """sacreBLEU's score (13a) and the metric that made it, which knows its signature."""
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=lowercase)
    return metric.corpus_score(list(hypotheses), [list(references)]), metric


# ─── 11 Command line ─────────────────────────────────────────────────────────────────────────────────────────────────


def say(message: str) -> None:
    """A line of progress, on standard error."""
    print(message, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(TrainingConfig):
    """Train a Transformer on a folder of parallel text.

    The folder holds train.SRC, train.TGT and, to watch the progress, valid.SRC, valid.TGT (also .gz), one sentence a
    line. OUT becomes a checkpoint folder with the last state; OUT/best, OUT/averaged and OUT/step-N are others. A run
    that was stopped or killed goes on with --resume and the same arguments; steps, minutes and cooldown may differ.
    """

    data: str  # folder of parallel text
    out: str  # folder of the run
    src: str = "en"  # ending of the source files
    tgt: str = "de"  # ending of the target files
    preset: str = "small"  # tiny, small, base, big or any row of Table 3, such as A-h4
    p_drop: float | None = None  # dropout, in place of the preset's
    eps_ls: float | None = None  # label smoothing, in place of the preset's
    vocab_size: int = 8000  # at most so many sub-word pieces, shared by both languages
    tokens_per_batch: int = 4096  # real tokens of a batch, on either side
    minutes: float | None = None  # stop before `steps`, after so many minutes of training
    save_every: int = 1000  # steps between checkpoints and validations
    keep: int = 5  # how many of the step-N folders stay, to be averaged at the end
    bleu_sentences: int = 500  # of valid, translated greedily at each validation
    resume: bool = False  # go on with the run in OUT; start it where there is none

    def check(self) -> None:
        """Refuse what makes no sense, before anything is read or written."""
        for name in ("steps", "warmup_steps", "accumulate", "vocab_size", "tokens_per_batch", "save_every", "keep"):
            if getattr(self, name) < 1:
                raise ValueError(f"--{name.replace('_', '-')} is {getattr(self, name)}; it must be at least 1.")
        self.model_config(1), pick_device(self.device), autocast(torch.device("cpu"), self.precision)

    def model_config(self, vocab_size: int) -> TransformerConfig:
        if self.preset not in PRESETS:
            raise ValueError(f"There is no preset {self.preset!r}; choose one of {', '.join(PRESETS)}.")
        changes = {k: v for k, v in dict(p_drop=self.p_drop, eps_ls=self.eps_ls).items() if v is not None}
        return TransformerConfig(vocab_size, **PRESETS[self.preset] | changes)

    def is_over(self, step: int, seconds: float) -> bool:
        return step >= self.steps or (self.minutes is not None and seconds >= 60 * self.minutes)


class Run:
    """A training run and its folder: what is read, logged, validated, saved and kept."""

    # what may change when a run goes on
    free = frozenset("data out steps minutes cooldown_steps save_every keep bleu_sentences resume device".split())  # noqa: SIM905

    def __init__(self, arguments: TrainArguments):
        self.arguments, self.folder = arguments, Path(arguments.out)
        self.state_path, self.log_path = self.folder / "state.safetensors", self.folder / "log.jsonl"
        self.best, self.stop_signal = -math.inf, 0
        self.log_lines: list[str] = []
        self.begun = self.state_path.exists()
        if self.begun and not arguments.resume:
            raise ValueError(f"{self.folder} holds a run; add --resume to go on with it, or name another --out.")

    def finished_at(self) -> int | None:
        """The step at which the saved run ended, if it is over."""
        if not self.begun:
            return None
        place = json.loads(training_metadata(self.state_path)["place"])
        return place["step"] if self.arguments.is_over(place["step"], place["seconds"]) else None

    def read_data(self) -> None:
        """The tokenizer, the training pairs and the validation text; rank 0 learns the vocabulary."""
        a = self.arguments
        src, tgt = read_parallel(a.data, "train", a.src, a.tgt)
        texts = [(s, t) for s, t in zip(map(clean, src), map(clean, tgt), strict=True) if s and t]
        if not texts:
            raise ValueError(f"train.{a.src} and train.{a.tgt} in {a.data} hold no pair of sentences.")
        if len(texts) < len(src):
            say(f"{len(src) - len(texts)} of {len(src)} pairs have an empty side and are left out.")
        self.valid: list[tuple[str, str]] = []
        if any(Path(a.data).glob(f"valid.{a.src}*")):
            self.valid = list(zip(*read_parallel(a.data, "valid", a.src, a.tgt), strict=True))
        path = self.folder / "tokenizer.model"
        if not path.exists() and world()[0] == 0:
            write_atomically(path, Tokenizer.train(itertools.chain.from_iterable(texts), a.vocab_size).model)
        if world()[1] > 1:
            torch.distributed.barrier()
        self.tokenizer = Tokenizer.load(path)
        self.batches = make_batches(self.encode(texts), a.tokens_per_batch, a.seed)
        self.valid_batches = list(make_batches(self.encode(self.valid), 1 << 14)) if self.valid else []
        self.digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]

    def encode(self, texts: Sequence[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        src, tgt = (self.tokenizer.processor.encode([clean(pair[side]) for pair in texts]) for side in (0, 1))
        return list(zip(src, tgt, strict=True))

    def about(self) -> dict[str, Any]:
        fixed = {name: value for name, value in asdict(self.arguments).items() if name not in self.free}
        return {"arguments": fixed | {"digest of the text": self.digest}, "best": self.best}

    def start(self, state: TrainingState) -> None:
        """Take up the saved state, if there is one; its arguments and data must be these."""
        self.state = state
        if not self.begun:
            return
        about = json.loads(training_metadata(self.state_path)["about"])
        for name, value in self.about()["arguments"].items():
            if value != (then := about["arguments"].get(name)):
                raise ValueError(f"{self.folder} was begun with {name} {then!r}, not {value!r}; go on as it was begun.")
        state.load(self.state_path)
        self.best = about["best"]
        lines = read_lines(self.log_path) if self.log_path.exists() else []
        self.log_lines = [line for line in lines if json.loads(line)["step"] <= state.step]

    def after(self, step: Step) -> bool:
        """Log a step; save and validate when it is time; True when the run stops here."""
        self.log(**step._asdict() | {"seconds": self.state.seconds})
        over = agreed(self.arguments.is_over(step.step, self.state.seconds), self.state.device)
        stopped = agreed(bool(self.stop_signal), self.state.device)
        due = step.step % self.arguments.save_every == 0
        if over or stopped or due:
            self.save(validate=over or due, over=over)
        return over or stopped

    def log(self, **values: float) -> None:
        self.log_lines.append(
            json.dumps({k: float(f"{v:.6g}") if isinstance(v, float) else v for k, v in values.items()})
        )

    def save(self, validate: bool, over: bool = False) -> None:
        """Write what this step leaves behind; the state that --resume reads comes last, so nothing is half-done."""
        if world()[0] != 0:
            return
        weights, config = weights_of(self.state.model), self.state.model.config
        if validate:
            save_checkpoint(self.folder / f"step-{self.state.step}", config, weights, self.tokenizer)
            if self.valid and self.is_best():
                save_checkpoint(self.folder / "best", config, weights, self.tokenizer)
            steps = step_folders(self.folder)
            for old in steps[: -self.arguments.keep]:
                shutil.rmtree(old)
            if over:
                mean = average_checkpoints(steps[-self.arguments.keep :])
                save_checkpoint(self.folder / "averaged", config, mean, self.tokenizer)
        save_checkpoint(self.folder, config, weights, self.tokenizer)
        write_atomically(self.log_path, "".join(line + "\n" for line in self.log_lines).encode())
        self.state.save(self.state_path, self.about())

    def is_best(self) -> bool:
        """Validate by nll and by greedy BLEU; whether BLEU (nll, if nothing is to be translated) is the best so far."""
        model, pairs = self.state.model, self.valid[: self.arguments.bleu_sentences]
        nll = validation_nll(model, self.valid_batches, self.arguments.precision)
        scores = dict(valid_nll=nll, valid_perplexity=math.exp(min(nll, 700.0)))
        if pairs:
            lines = Translator(model, self.tokenizer).translate([source for source, _ in pairs], beam_size=1)
            scores["valid_bleu"] = corpus_bleu(lines, [target for _, target in pairs])[0].score
        self.log(step=self.state.step, **scores)
        say(f"step {self.state.step}: " + ", ".join(f"{name} {score:.4g}" for name, score in scores.items()))
        score = scores.get("valid_bleu", -nll)
        better, self.best = score > self.best, max(score, self.best)
        return better


def step_folders(run: str | Path) -> list[Path]:
    """The step-N folders of a run, oldest first."""
    folders = [folder for folder in Path(run).glob("step-*") if (folder / "model.safetensors").exists()]
    return sorted(folders, key=lambda folder: int(folder.name.removeprefix("step-")))


def agreed(flag: bool, device: torch.device) -> bool:
    """Whether any process of a torchrun says so; every one gets the same answer."""
    if world()[1] == 1:
        return flag
    flags = torch.tensor(float(flag), device=device)
    torch.distributed.all_reduce(flags)
    return bool(flags.item())


@contextlib.contextmanager
def process_group() -> Iterator[None]:
    """Join the processes of a torchrun, if this is one of them."""
    if int(os.environ.get("WORLD_SIZE", 1)) == 1:
        yield
        return
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.distributed.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    try:
        yield
    finally:
        torch.distributed.destroy_process_group()


@contextlib.contextmanager
def stopping_politely(run: Run) -> Iterator[None]:
    """The first SIGINT or SIGTERM lets the step in progress end and be saved; the second ends at once."""

    def ask(number: int, frame: Any) -> None:
        run.stop_signal = number
        signal.signal(number, signal.SIG_DFL)
        say(f"{signal.Signals(number).name}: saving after this step.")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def train_command(arguments: TrainArguments) -> int:
    """Run or go on with a training; returns the exit status."""
    from tqdm import tqdm

    arguments.check()
    run = Run(arguments)
    if (end := run.finished_at()) is not None:
        say(f"{run.folder} is finished, at step {end}; raise --steps or --minutes to train longer.")
        return 0
    with process_group(), stopping_politely(run):
        run.read_data()
        torch.manual_seed(arguments.seed)
        model = Transformer(arguments.model_config(len(run.tokenizer)))
        run.start(TrainingState(model, arguments))
        say(f"{count_parameters(model):,} parameters, {len(run.batches.pairs):,} pairs, on {run.state.device}")
        every = 1 if sys.stderr.isatty() else 60  # seconds between lines of progress
        with tqdm(total=arguments.steps, initial=run.state.step, mininterval=every, disable=world()[0] != 0) as bar:
            try:
                for step in train(model, run.batches, arguments, run.state):
                    speed = f"nll {step.nll:.3f}, {step.tokens_per_second:,.0f} tokens/s"
                    bar.set_postfix_str(speed, refresh=False)
                    bar.update()
                    if run.after(step):
                        break
            except FloatingPointError:
                run.save(validate=False)
                raise
    return 128 + run.stop_signal if run.stop_signal else 0


def translate_command(checkpoint: str, beam_size: int = 4, alpha: float = 0.6, device: str = "auto") -> int:
    """Translate standard input, UTF-8, to standard output: one line for each line read, in order.

    Args:
        checkpoint: a folder, or a name under checkpoints/, such as tatoeba-en-de
        beam_size: hypotheses kept side by side; 1 is greedy
        alpha: strength of the length penalty
        device: auto, cpu, cuda, mps
    """
    lines = split_lines(sys.stdin.buffer.read(), "standard input")
    translator = load_pretrained(checkpoint, device)
    output = translator.translate(lines, beam_size, alpha)
    sys.stdout.buffer.write("".join(line + "\n" for line in output).encode())
    sys.stdout.buffer.flush()
    return 0


def evaluate_command(
    checkpoint: str, src: str, ref: str, beam_size: int = 4, alpha: float = 0.6, lowercase: bool = False,
    device: str = "auto",
) -> int:  # fmt: skip
    """Translate a file and print sacreBLEU's score against the reference, with its signature.

    Args:
        checkpoint: a folder, or a name under checkpoints/
        src: file of source sentences, one a line (also .gz)
        ref: file of reference translations, line for line
        beam_size: hypotheses kept side by side; 1 is greedy
        alpha: strength of the length penalty
        lowercase: ignore case in the score
        device: auto, cpu, cuda, mps
    """
    sources, references = read_lines(src), read_lines(ref)
    if len(sources) != len(references):
        raise ValueError(f"{src} has {len(sources)} lines, {ref} {len(references)}; they must match line for line.")
    if not sources:
        raise ValueError(f"{src} holds no sentence; there is nothing to evaluate.")
    translator = load_pretrained(checkpoint, device)
    score, metric = corpus_bleu(translator.translate(sources, beam_size, alpha), references, lowercase)
    print(f"{metric.get_signature()} beam:{beam_size}|alpha:{alpha}\n{score}")
    return 0


def average_command(run: str, /, out: str, last: int = 5, dtype: str = "float32") -> int:
    """Average the last checkpoints of a run (section 6.1) into a new checkpoint folder.

    Args:
        run: folder of the run, which holds step-N folders
        out: folder of the new checkpoint
        last: how many
        dtype: how the weights are stored, float32 or float16 (half the size)
    """
    if dtype not in ("float32", "float16"):
        raise ValueError(f"dtype is {dtype!r}; choose float32 or float16.")
    folders = step_folders(run)[-last:] if last > 0 else []
    if len(folders) < max(1, last):
        raise ValueError(f"--last is {last}, but {run} holds {len(step_folders(run))} step-N folders; ask for fewer.")
    weights = {name: w.to(getattr(torch, dtype)) for name, w in average_checkpoints(folders).items()}
    save_checkpoint(out, read_config(folders[-1]), weights, Tokenizer.load(folders[-1] / "tokenizer.model"))
    say(f"{out} is the mean of {', '.join(folder.name for folder in folders)}.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a wrong input ends in one sentence on standard error and exit status 2."""
    import tyro

    commands: dict[str, Any] = dict(
        train=TrainArguments, translate=translate_command, evaluate=evaluate_command, average=average_command
    )
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: say(f"Note: {message}")
            title = __doc__.split("\n")[0]
            result: Any = tyro.extras.subcommand_cli_from_dict(commands, args=arguments, description=title)
            return train_command(result) if isinstance(result, TrainArguments) else result
    except (ValueError, FloatingPointError, OSError) as error:
        say(f"Error: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main())
