"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), whole and in one file.

    1  Configuration         Table 3, row by row
    2  Probes                see and edit any tensor inside a running model
    3  Attention             section 3.2: scaled dot-product, several heads, masks
    4  The model             sections 3.1, 3.3, 3.4, 3.5: layers, embeddings, positions
    5  Text                  section 5.1: shared sub-words, batches by tokens
    6  Objective, schedule   sections 5.3, 5.4: label smoothing, the learning rate
    7  Checkpoints           safetensors and JSON, never unpickled; core_options/safekeeping.py checks folders
    8  Training              section 5: a generator of steps that can stop and go on
    9  Decoding              section 6.1: greedy and beam search with key/value caches
    10 Translator            a trained model in one object
    11 Command line          train, translate, evaluate, average, export

Axis letters in shape comments: B batch, S source positions (keys), T target positions (queries), H heads, D d_model,
K d_k, V vocabulary, L layer. A mask is boolean and True means *may look*, as in F.scaled_dot_product_attention (and
the opposite of nn.MultiheadAttention's padding mask). Ids 0, 1, 2, 3 are padding, begin, end and unknown.
"""

from __future__ import annotations

import contextlib
import difflib
import fnmatch
import gzip
import hashlib
import importlib.util
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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import safetensors.torch
import sentencepiece
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

PAD, BOS, EOS, UNK = 0, 1, 2, 3
Pair = tuple[Sequence[int], Sequence[int]]  # source and target ids, without bos and eos
TOKENIZERS = ("tokenizer.model", "tgt_tokenizer.model")  # files of a checkpoint; the second where they are apart


def beside(name: str, needed: bool = False) -> Any:
    """The module core_options/NAME.py; None where that folder is not beside this file, unless it is needed."""
    if not (found := importlib.util.find_spec("core_options")) and needed:
        raise ValueError(f"This needs core_options/{name}.py; copy core_options to {Path(__file__).resolve().parent}.")
    return importlib.import_module(f"core_options.{name}") if found else None


fast_cpu, safekeeping = beside("fast_cpu"), beside("safekeeping")  # used where they are, not missed elsewhere


# ─── 1 Configuration ─────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class TransformerConfig:
    """The shape of a Transformer: the columns of Table 3 in their order, then what the paper leaves open.

    positions: "sinusoidal" (section 3.5) or "learned" (row E, a table of max_len rows for each stack).
    norm: "post", LayerNorm(x + Sublayer(x)), is the paper's; "pre", x + Sublayer(LayerNorm(x)), adds a final norm.
    window: r of restricted self-attention (section 4): each position sees the r nearest, itself included; odd.
    tgt_vocab_size: a vocabulary, and so an embedding, of the target's own; tie_softmax: the softmax shares it (3.4).
    context: "global", "deep", "deep-global" or some joined by "+", mixed into queries and keys (context_aware).
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
    context: str | None = None
    context_in: str = "encoder"
    context_on: str = "qk"
    context_gate: str = "all"

    def __post_init__(self) -> None:
        def need(what: str, right: Callable[[Any], bool], *names: str) -> None:
            for name in names:
                if not right(getattr(self, name)):
                    raise ValueError(f"{name} is {getattr(self, name)!r}; it must be {what}.")

        def whole(x: Any) -> bool:
            return type(x) is int and x > 0

        sizes = ("vocab_size", "n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "max_len")
        need("a whole number of at least 1", whole, *sizes)
        need("a whole number of at least 1, or None", lambda x: x is None or whole(x), "tgt_vocab_size")
        need("a number from 0 to below 1", lambda x: isinstance(x, (int, float)) and 0 <= x < 1, "p_drop", "eps_ls")
        need("'sinusoidal' or 'learned'", ("sinusoidal", "learned").__contains__, "positions")
        need("'post' or 'pre'", ("post", "pre").__contains__, "norm")
        kinds, joined = {"global", "deep", "deep-global"}, "global, deep, deep-global, some joined by '+', or None"
        need(joined, lambda x: x is None or len(parts := str(x).split("+")) == len(kinds & {*parts}), "context")
        need("'encoder', 'decoder' or 'both'", ("encoder", "decoder", "both").__contains__, "context_in")
        need("'qk', 'q' or 'k'", ("qk", "q", "k").__contains__, "context_on")
        need("'all' or 'each'", ("all", "each").__contains__, "context_gate")
        need("true or false", lambda x: isinstance(x, bool), "tie_softmax")
        need("even, as sines and cosines pair up", lambda x: x % 2 == 0 or self.positions == "learned", "d_model")
        need("odd, to reach as far back as ahead, or None", lambda x: x is None or (whole(x) and x % 2), "window")
        need("None, as context reads all positions", lambda x: x is None or not self.context, "window")
        if self.context:
            beside("context_aware", needed=True)


# Table 3: every row as its change from the defaults above, which are the base model.
PAPER_TABLE_3: dict[str, dict[str, Any]] = {
    "base": {},
    **{f"A-h{h}": dict(n_heads=h, d_k=512 // h, d_v=512 // h) for h in (1, 4, 16, 32)},
    **{f"B-dk{d_k}": dict(d_k=d_k) for d_k in (16, 32)},
    **{f"C-N{n}": dict(n_layers=n) for n in (2, 4, 8)},
    **{f"C-d{d}": dict(d_model=d, d_k=d // 8, d_v=d // 8) for d in (256, 1024)},
    **{f"C-ff{d_ff}": dict(d_ff=d_ff) for d_ff in (1024, 4096)},
    **{f"D-drop{p}": dict(p_drop=p) for p in (0.0, 0.2)},
    **{f"D-ls{eps}": dict(eps_ls=eps) for eps in (0.0, 0.2)},
    "E-learned": dict(positions="learned"),
    "big": dict(d_model=1024, d_ff=4096, n_heads=16, p_drop=0.3),
}

PRESETS: dict[str, dict[str, Any]] = PAPER_TABLE_3 | {
    "tiny": dict(n_layers=4, d_model=128, d_ff=256, n_heads=4, d_k=32, d_v=32),
    "small": dict(n_layers=6, d_model=256, d_ff=1024, n_heads=8, d_k=32, d_v=32),
    "parser": dict(n_layers=4, d_model=1024, d_k=128, d_v=128, p_drop=0.2),  # section 6.3, the rest as tensor2tensor
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


@contextlib.contextmanager
def _attached(model: nn.Module, pattern: str, role: str, make: Callable[[str], Callable]) -> Iterator[None]:
    """Inside, each probe found has one more function among its "edits" or "readers": make(its name)."""
    everything = probes(model)
    if not (found := fnmatch.filter(everything, pattern)):
        near = difflib.get_close_matches(pattern, everything, n=3, cutoff=0) or ["none at all"]
        raise KeyError(f"This model has no probe {pattern!r}; the nearest are {', '.join(near)}.")
    with contextlib.ExitStack() as leaving:
        for name in found:
            functions, function = getattr(everything[name], role), make(name)
            functions.append(function)
            leaving.callback(functions.remove, function)
        yield


@contextlib.contextmanager
def record(model: nn.Module, pattern: str = "*") -> Iterator[dict[str, Tensor]]:
    """Keep what passes through the probes: `with record(model) as trace: model(src, tgt_in)`.

    trace maps names to tensors of the latest pass: q, k (B, H, n, K), v (B, H, n, d_v), scores (scaled, -inf where
    masked) and weights (before dropout, rows sum to 1) (B, H, T, S), heads (B, H, T, d_v), residual (B, n, D), as the
    model saw them, edits included. pattern: which probes, with * and ? as in file names; fewer make a faster pass.
    """
    trace: dict[str, Tensor] = {}
    with _attached(model, pattern, "readers", lambda name: lambda x: trace.update({name: x})):
        yield trace


@contextlib.contextmanager
def intervene(model: nn.Module, name: str, edit: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Replace the tensor at a probe (or several: name may hold *) by edit(tensor), of equal shape; edits may nest."""
    with _attached(model, name, "edits", lambda _: lambda x: edit(x)):  # each its own, as it is removed again
        yield


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
    """Attention(Q, K, V) = softmax(QKᵀ/√d_k)V (equation 1), in torch's fused kernel or a faster one: (B, H, T, d_v)."""
    if callable(mask):
        return mask(q, k, v)
    kernel = fast_cpu.attention if fast_cpu and q.device.type == "cpu" else F.scaled_dot_product_attention
    return kernel(q, k, v, mask)


class KeyValues:
    """Keys and values kept while decoding: self-attention's grow up to a capacity, cross-attention's are made once."""

    def __init__(self, capacity: int | None = None):
        self.capacity, self.n = capacity, 0
        self.k = self.v = self.state = torch.empty(0)  # until the first come; state (B, W, …): what else is to follow

    def __call__(self, project: Callable[[Tensor], tuple[Tensor, Tensor]], x: Tensor) -> tuple[Tensor, Tensor]:
        if self.capacity is None and self.n:
            return self.k, self.v
        k, v = project(x)  # of the new positions alone
        if not self.n:
            self.k, self.v = (x.new_empty(*x.shape[:2], self.capacity or x.size(2), x.size(-1)) for x in (k, v))
        start, self.n = self.n, self.n + k.size(2)
        self.k[:, :, start : self.n], self.v[:, :, start : self.n] = k, v
        return self.k[:, :, : self.n], self.v[:, :, : self.n]

    def select(self, rows: Tensor) -> None:
        """Keep these sentences, in this order."""
        self.k, self.v, self.state = (x[rows] if len(x) else x for x in (self.k, self.v, self.state))


Cache = Sequence[tuple[KeyValues, KeyValues]]  # of each layer of the decoder: self-attention's, cross-attention's


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O (section 3.2.2), the projections without bias.

    Each W_i reads all d_model features, not a slice. Equation 1 is taken step by step if scores or weights are watched.
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.n_heads = config.n_heads
        self.w_q = nn.Linear(config.d_model, config.n_heads * config.d_k, bias=False)
        self.w_k = nn.Linear(config.d_model, config.n_heads * config.d_k, bias=False)
        self.w_v = nn.Linear(config.d_model, config.n_heads * config.d_v, bias=False)
        self.w_o = nn.Linear(config.n_heads * config.d_v, config.d_model, bias=False)
        self.q, self.k, self.v, self.scores, self.weights, self.heads = (Probe() for _ in range(6))

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, n, H·K) -> (B, H, n, K)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        return self.k(self.split(self.w_k(memory))), self.v(self.split(self.w_v(memory)))

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None, cache: KeyValues | None = None) -> Tensor:
        """Queries from x (B, T, D), keys and values from memory (B, S, D), mask (B or 1, 1, T or 1, S): (B, T, D)."""
        q = self.q(self.split(self.w_q(x)))  # (B, H, T, K)
        k, v = self.keys_values(memory) if cache is None else cache(self.keys_values, memory)
        if self.scores.watched or self.weights.watched:
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
        if not (self.training and self.p and x.device.type == "cpu") or torch.compiler.is_compiling():
            return super().forward(x)
        draws = torch.empty(x.numel() // 4 + 1, dtype=torch.int64).random_(-(2**63), None)
        keep = draws.view(torch.int16)[: x.numel()].view(x.shape) >= round(self.p * 65536) - 32768
        return x * torch.where(keep, 1 / (1 - self.p), 0.0).to(x.dtype)


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
        return self.residual(self.add_norm[1](x, self.feed_forward))


class DecoderLayer(nn.Module):
    """Masked self-attention, attention to the encoder's output, feed-forward (Figure 1, right): (B, T, D) -> same."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.cross_attention = MultiHeadAttention(config)
        self.feed_forward = FeedForward(config)
        self.add_norm = nn.ModuleList(Residual(config) for _ in range(3))
        self.residual = Probe()

    def forward(self, x: Tensor, memory: Tensor, tgt_mask: Any, src_mask: Tensor, cache: Any = None) -> Tensor:
        self_cache, cross_cache = cache or (None, None)
        x = self.add_norm[0](x, lambda x: self.self_attention(x, x, tgt_mask, self_cache))
        x = self.add_norm[1](x, lambda x: self.cross_attention(x, memory, src_mask, cross_cache))
        return self.residual(self.add_norm[2](x, self.feed_forward))


def sinusoidal_positions(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(the same) (section 3.5): float64 (n, D)."""
    position = torch.arange(n, dtype=torch.float64)
    frequency = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (D/2,)
    angle = position[:, None] * frequency  # (n, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (n, D), in turn; tensor2tensor: in halves


class Positions(nn.Module):
    """The encoding added to position start, start+1, …; sinusoids reach any length, learned ones end at max_len."""

    table: Tensor

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.d_model, self.max_len, self.learned = config.d_model, config.max_len, config.positions == "learned"
        if self.learned:
            self.table = nn.Parameter(torch.empty(config.max_len, config.d_model))
        else:
            self.register_buffer("table", torch.empty(0, config.d_model), persistent=False)  # filled when needed

    def forward(self, n: int, start: int = 0) -> Tensor:
        if self.learned and start + n > (end := self.max_len):
            problem = f"The sentence reaches {start + n} tokens, but the learned positions end at {end} (max_len)"
            raise ValueError(f"{problem}; shorten it, or use a model with sinusoidal positions.")
        if start + n > len(self.table):
            self.table = sinusoidal_positions(max(2 * (start + n), 256), self.d_model).to(self.table)
        return self.table[start : start + n]  # (n, D)


def check_ids(ids: Tensor, vocab_size: int, what: str) -> None:
    """Refuse what is not (B, n) ids of the vocabulary; on a GPU, where looking must wait, only shapes are checked."""
    if ids.dim() != 2 or ids.is_floating_point():
        raise ValueError(f"{what} is {ids.dtype} of shape {tuple(ids.shape)}; pass whole numbers of shape (B, n).")
    least, most = map(int, ids.aminmax()) if ids.device.type == "cpu" and ids.numel() else (0, 0)
    if least < 0 or most >= vocab_size:
        given = f"{what} holds ids from {least} to {most}, but the vocabulary ends at {vocab_size - 1}"
        raise ValueError(f"{given}; use the tokenizer this model was trained with.")


class Transformer(nn.Module):
    """The encoder-decoder of Figure 1: model(src, tgt_in) -> logits.

    src (B, S), tgt_in (B, T) are ids, padded with 0 on the right; logits[:, t] (B, V): what follows tgt_in[:, t].
    """

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.config = config
        self.src_embedding = nn.Embedding(config.vocab_size, config.d_model)
        own = config.tgt_vocab_size  # or the source's
        self.tgt_embedding = nn.Embedding(own, config.d_model) if own else self.src_embedding
        size, where = self.tgt_embedding.num_embeddings, "meta" if config.tie_softmax else None  # tied: none of its own
        self.softmax = nn.Linear(config.d_model, size, bias=False, device=where)
        self.src_positions, self.tgt_positions = Positions(config), Positions(config)
        self.dropout = Dropout(config.p_drop)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.n_layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.n_layers))
        ends = (nn.LayerNorm(config.d_model, eps=1e-6) if config.norm == "pre" else nn.Identity() for _ in range(2))
        self.encoder_norm, self.decoder_norm = ends  # with norm "pre", nothing before normalises the residual sum
        self.in_turn: Callable = beside("context_aware").build_into(self) if config.context else iter  # over layers
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """N(0, 1/d_model) for embeddings, so that √d_model times one has unit variance; Xavier for projections.

        What leads into a residual sum (W^V, W^O, W_1, W_2) gets half of Xavier's gain (DeepNet: Wang et al., 2022):
        at full gain all positions may get one and the same vector, from which post-LN training hardly recovers.
        """
        self.softmax.weight = self.tgt_embedding.weight if self.config.tie_softmax else self.softmax.weight
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif name.endswith(("embedding.weight", "positions.table")):
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)
            elif "norm" not in name:
                into_sum = name.endswith(("w_v.weight", "w_o.weight", "w_1.weight", "w_2.weight"))
                nn.init.xavier_uniform_(parameter, gain=0.5 if into_sum else 1.0)
            else:
                nn.init.ones_(parameter)

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
        for layer in self.in_turn(self.encoder):
            x = layer(x, mask)
        return self.encoder_norm(x)

    def decode(self, tgt_in: Tensor, memory: Tensor, src_mask: Tensor, cache: Cache = (), past: Any = None) -> Tensor:
        """tgt_in (B, T), memory (B, S, D), src_mask (B, S) -> logits (B, T, V). With a cache tgt_in (B·W, 1) prolongs W
        beams a sentence, W queries side by side; past (B, 1, W, n·W): which of the positions kept each looks back on.
        """
        width = len(tgt_in) // len(memory)
        start = cache[0][0].n // width if cache else 0
        x = self.embed(tgt_in, self.tgt_embedding, self.tgt_positions, start)
        x = x.reshape(len(memory), -1, x.size(-1))  # (B·W, 1, D) -> (B, W, D); unchanged outside decoding
        mask = self.tgt_mask(tgt_in[: len(memory)], start) if self.config.window or not cache else None
        if past is not None:
            mask = past if mask is None else past & mask.repeat_interleave(width, -1)
        for layer, kept in zip(self.in_turn(self.decoder), cache or itertools.repeat(None), strict=False):
            x = layer(x, memory, mask, src_mask[:, None, None], kept)
        return self.softmax(self.decoder_norm(x)).reshape(*tgt_in.shape, -1)

    def tgt_mask(self, tgt_in: Tensor, start: int = 0) -> Tensor:
        """The decoder's causal or window mask and its padding mask, (B, 1, T, T); (1, start + 1) in decoding."""
        n, window, device = start + tgt_in.size(1), self.config.window, tgt_in.device
        past = window_mask(n, window, causal=True, device=device) if window else causal_mask(n, device)
        return past[start:] if start else past & padding_mask(tgt_in)  # what decoding has read holds no padding

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.decode(tgt_in, self.encode(src), src != PAD)


def count_parameters(model: nn.Module) -> int:
    """How many numbers are learned, a shared matrix counted once."""
    return sum(parameter.numel() for parameter in model.parameters())


# ─── 5 Text ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def clean(text: str) -> str:
    """One space between words, none at the ends."""
    return " ".join(text.split())


@contextlib.contextmanager
def reading(path: str | Path, done: str = "read", advice: str = "is it there, and whole") -> Iterator[None]:
    """Whatever goes wrong in reading a file (or writing it) becomes one sentence that names it."""
    try:
        yield
    except Exception as error:
        reason = clean("".join(c if c.isprintable() else " " for c in str(getattr(error, "strerror", "") or error)))
        raise ValueError(f"{path} cannot be {done} ({reason.rstrip('.')}); {advice}?") from None


class Tokenizer:
    """A SentencePiece vocabulary: BPE, rare characters in bytes, so that nothing is lost; or whole words alone."""

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
    def train(cls, texts: Iterable[str], vocab_size: int, whole_words: bool = False) -> Tokenizer:
        """Learn at most vocab_size pieces; whole_words: if so many hold all words, just these, any other is unknown."""
        if not (texts := [text for text in map(clean, texts) if text]):
            raise ValueError("There is no text to learn a vocabulary from; pass at least one sentence.")
        kind: dict[str, Any] = dict(model_type="bpe", byte_fallback=True, character_coverage=0.9999)
        if whole_words and not re.search("[<▁]", text := " ".join(texts)) and len({*text.split()}) + 4 <= vocab_size:
            kind = dict(model_type="word", character_coverage=1.0, hard_vocab_limit=False)
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts), model_writer=model, vocab_size=vocab_size, **kind,
                normalization_rule_name="identity", remove_extra_whitespaces=False, max_sentence_length=1 << 20,
                minloglevel=2, pad_id=PAD, bos_id=BOS, eos_id=EOS, unk_id=UNK,
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
        with reading(path):
            return cls(Path(path).read_bytes())

    def __len__(self) -> int:
        return self.processor.get_piece_size()

    def encode(self, text: str) -> list[int]:
        """Text to ids, without bos and eos."""
        if self.processor.piece_to_id("<0x00>") == UNK:  # whole words: each is one piece, known or not
            return [self.processor.piece_to_id(f"▁{word}") for word in text.split()]
        if "▁" not in text:
            return self.processor.encode(text)
        unknown = (x for x in map(chr, range(0x10FFFF, 0, -1)) if self.processor.piece_to_id(x) == UNK)
        spare = next(x for x in unknown if x not in text)  # in place of "▁", which would be read as a space
        stand_in, spelled = (" ".join(f"<0x{byte:02X}>" for byte in x.encode()) for x in (spare, "▁"))
        pieces = " ".join(self.processor.encode(text.replace("▁", spare), out_type=str))
        return self.processor.piece_to_id(pieces.replace(stand_in, spelled).split(" "))

    def decode(self, ids: Iterable[int]) -> str:
        """Ids to text; special ids vanish."""
        return self.processor.decode([i for i in map(int, ids) if i >= UNK])

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The written form of each id: "▁" begins a word, "<0xE2>" is a byte, "</s>" the end."""
        return [self.processor.id_to_piece(i) for i in map(int, ids)]


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file, plain or .gz, split on "\\n" only."""
    with reading(path), gzip.open(path) if Path(path).suffix == ".gz" else open(path, "rb") as file:
        return split_lines(file.read(), str(path))


def split_lines(data: bytes, name: str) -> list[str]:
    """Bytes to lines, split on "\\n" only; a line that is not UTF-8 is named."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"Line {number} of {name} is not valid UTF-8; convert the text to UTF-8 first.") from None
    return text.removesuffix("\n").split("\n") if text else []


def read_parallel(folder: str | Path, split: str, src: str, tgt: str) -> tuple[list[str], list[str]]:
    """The two sides of folder/split.src and folder/split.tgt (or .gz), line by line."""
    plain = [Path(folder, f"{split}.{language}") for language in (src, tgt)]
    a, b = (read_lines(p if p.exists() or not (z := Path(f"{p}.gz")).exists() else z) for p in plain)
    if len(a) != len(b):
        raise ValueError(f"{plain[0]} has {len(a)} lines and {plain[1].name} has {len(b)}; they must match in lines.")
    return a, b


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids, padded on the right with 0 to one length: (B, n)."""
    return nn.utils.rnn.pad_sequence([torch.tensor(row, dtype=torch.long) for row in rows], batch_first=True)


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
        return [self.part(slice(i, None, n)) for i in range(n)] if n > 1 else [self]

    def part(self, rows: slice | Tensor) -> Batch:
        src, tgt_in, tgt_out = (x[rows] for x in (self.src, self.tgt_in, self.tgt_out))
        if not len(src):
            return Batch(self.src[:1], self.tgt_in[:1], torch.full_like(self.tgt_out[:1], PAD))
        src, tgt_in, tgt_out = (x[:, : int((x != PAD).sum(1).max())] for x in (src, tgt_in, tgt_out))
        return Batch(src, tgt_in, tgt_out, self.rows[rows] if isinstance(rows, slice) else ())


class Batches:
    """A corpus cut into batches by real tokens (section 5.1): neither side of one holds more than tokens_per_batch.

    The order of `batches.epoch(n)` is a pure function of (seed, n). window: so many shuffled pairs are sorted together.
    """

    def __init__(self, pairs: Sequence[Pair], tokens_per_batch: int, seed: int = 0, window: int = 1 << 15):
        self.pairs, self.tokens_per_batch, self.seed, self.window = pairs, tokens_per_batch, seed, window
        self.lengths = [(len(source) + 1, len(target) + 1) for source, target in pairs]  # with eos
        self.usable = [i for i, length in enumerate(self.lengths) if max(length) <= tokens_per_batch]
        if not self.usable:
            advice = "raise tokens_per_batch" if pairs else "is the corpus empty?"
            raise ValueError(f"Of {len(pairs)} pairs none fits into a batch of {tokens_per_batch} tokens; {advice}.")
        if left_out := len(pairs) - len(self.usable):
            warnings.warn(f"{left_out} of {len(pairs)} pairs exceed {tokens_per_batch} tokens: left out.", stacklevel=2)

    def plan(self, epoch: int) -> list[list[int]]:
        """Which pairs go together: sorted by source length inside shuffled windows, then the batches shuffled."""
        rng = random.Random(f"{self.seed} {epoch}")
        order = self.usable.copy()
        rng.shuffle(order)
        windows = (order[start : start + self.window] for start in range(0, len(order), self.window))
        batches = [batch for window in windows for batch in self.cut(window)]
        rng.shuffle(batches)
        return batches

    def cut(self, window: Sequence[int]) -> Iterator[list[int]]:
        batch, src_tokens, tgt_tokens = list[int](), 0, 0
        for row in sorted(window, key=lambda row: self.lengths[row][0]):  # by target length, whole batches end at once
            src, tgt = self.lengths[row]
            if batch and max(src_tokens + src, tgt_tokens + tgt) > self.tokens_per_batch:
                yield batch
                batch, src_tokens, tgt_tokens = [], 0, 0
            batch.append(row)
            src_tokens, tgt_tokens = src_tokens + src, tgt_tokens + tgt
        yield batch

    def epoch(self, epoch: int, start: int = 0) -> Iterator[Batch]:
        """The batches of one epoch, from the start-th on."""
        return (Batch.of([self.pairs[row] for row in rows], rows) for rows in self.plan(epoch)[start:])

    def __iter__(self) -> Iterator[Batch]:
        return self.epoch(0)

    def __len__(self) -> int:
        return len(self.plan(0))


make_batches = Batches


# ─── 6 Objective and schedule ────────────────────────────────────────────────────────────────────────────────────────
def objective(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> tuple[Tensor, Tensor]:
    """Sums over real target tokens of the label-smoothed loss and of the plain negative log-likelihood, in nats."""

    def sums(logits: Tensor, tgt_out: Tensor) -> Tensor:
        log_probs, real = logits.float().log_softmax(-1), tgt_out != PAD  # (n, V), (n,)
        nll = -log_probs.gather(-1, tgt_out[:, None]).squeeze(-1)  # (n,)
        loss = (1 - eps_ls) * nll - eps_ls * log_probs.mean(-1)  # to (1-ε)·one-hot + ε/V
        return torch.stack([x.masked_fill(~real, 0.0).sum() for x in (loss, nll)])

    if fast_cpu and logits.device.type == "cpu":
        return fast_cpu.objective(logits, tgt_out, eps_ls)
    rows = logits.flatten(0, -2), tgt_out.flatten()
    loss, nll = checkpoint(sums, *rows, use_reentrant=False, preserve_rng_state=False)  # log_probs is made twice
    return loss, nll.detach()


def label_smoothed_loss(logits: Tensor, tgt_out: Tensor, eps_ls: float = 0.1) -> Tensor:
    """Mean cross-entropy of real tokens to (1-ε)·one-hot + ε/V, in nats (section 5.4): (B, T, V), (B, T) -> ()."""
    return objective(logits, tgt_out, eps_ls)[0] / (tgt_out != PAD).sum()


def learning_rate(step: int, d_model: int, warmup_steps: int = 4000, peak: float | None = None) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) (equation 3); step counts from 1.

    peak: the rate at step = warmup_steps, in place of (d_model · warmup_steps)^-0.5; small models bear a higher one.
    """
    if min(step, warmup_steps) < 1:
        raise ValueError(f"step is {step} and warmup_steps {warmup_steps}; both count from 1.")
    scale = d_model**-0.5 if peak is None else peak * warmup_steps**0.5
    return scale * min(step**-0.5, step * warmup_steps**-1.5)


# ─── 7 Checkpoints ───────────────────────────────────────────────────────────────────────────────────────────────────
def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a kill at any instant, or a full disk, leaves the old one or the new one."""
    temporary = path.with_name(path.name + ".part")
    with reading(path, "written", "is there room for it, and may you write there"):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)  # what a kill has left; a link there is not followed
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    if safekeeping:
        safekeeping.sync(path.parent)  # so that the name, too, outlives a power cut


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """The parameters by name, on the CPU, a shared matrix once."""
    return {name: parameter.detach().cpu().contiguous() for name, parameter in model.named_parameters()}


def save_checkpoint(
    folder: str | Path, config: TransformerConfig, weights: dict[str, Tensor], *tokenizers: Tokenizer
) -> None:
    """Write config.json, tokenizer.model (of both sides, or the source's), tgt_tokenizer.model, model.safetensors."""
    write_atomically(Path(folder, "config.json"), (json.dumps(asdict(config), indent=2) + "\n").encode())
    for name, tokenizer in zip(TOKENIZERS, dict.fromkeys(tokenizers), strict=False):
        write_atomically(Path(folder, name), tokenizer.model)
    write_atomically(Path(folder, "model.safetensors"), safetensors.torch.save(weights))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """The tensors of a safetensors file."""
    with reading(path):
        return safetensors.torch.load_file(path)


def read_config(folder: Path) -> TransformerConfig:
    """The configuration in folder/config.json."""
    with reading(path := folder / "config.json"):
        return TransformerConfig(**json.loads(path.read_bytes()))


def load_weights(model: nn.Module, weights: dict[str, Tensor], source: str | Path) -> None:
    """Copy weights into the model; names and shapes must be the model's own."""
    given, needed = ({n: tuple(x.shape) for n, x in tensors} for tensors in (weights.items(), model.named_parameters()))
    for name in needed | given:
        if (shape := given.get(name, "absent")) != (need := needed.get(name, "absent")):
            raise ValueError(f"{source} does not fit its configuration: the shape of {name!r} is {shape}, not {need}.")
    model.load_state_dict(weights, strict=False)  # not strict, as a shared matrix has two names


def load_model(folder: str | Path) -> Transformer:
    """The model in a checkpoint folder, in float32, in eval mode."""
    if safekeeping:
        safekeeping.check_checkpoint(Path(folder))
    model, path = Transformer(read_config(Path(folder))), Path(folder, "model.safetensors")
    load_weights(model, read_tensors(path), path)
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
        total = {name: total.get(name, 0) + weight.double() for name, weight in weights.items()}
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
    precision: str = "auto"  # fp32, medium (bf16 inside products alone), bf16 (autocast), or auto (see pick_precision)
    compile: bool = False  # torch.compile the model
    packed: Literal["auto", "yes", "no"] = "auto"  # sentences end to end, no padding; auto: on CUDA in bf16

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
    flop: float = 0.0  # its useful arithmetic, counted by core_options/packing.py

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
        return torch.empty(1, device=name).device
    except (RuntimeError, AssertionError, NotImplementedError):
        raise ValueError(f"The device {name!r} is not to be had here; use auto, cpu, cuda or mps.") from None


def pick_precision(device: torch.device, name: str = "auto", d_model: int = 512) -> str:
    """The one named; by "auto" bf16 on a GPU that has it, medium on a CPU (wide enough to gain from it), else fp32."""
    if name not in (known := ["auto", "fp32", "bf16"] + ["medium"] * bool(fast_cpu and device.type == "cpu")):
        raise ValueError(f"The precision is {name!r}; choose one of {', '.join(known)}.")
    native = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    fastest = {"cuda": "bf16" if native else "fp32", "cpu": "medium" if "medium" in known and d_model > 255 else "fp32"}
    return fastest.get(device.type, "fp32") if name == "auto" else name


def autocast(device: torch.device, precision: str = "auto") -> torch.autocast:
    """The autocast context for this device, which does nothing unless the precision is bf16."""
    return torch.autocast(device.type, torch.bfloat16, enabled=pick_precision(device, precision) == "bf16")


def saved_training(path: Path) -> dict[str, Any]:
    """What TrainingState.save says of its file beside the tensors: the place in the data, and what it is about."""
    if safekeeping:
        safekeeping.check_state(path)
    with reading(path), safetensors.safe_open(path, framework="pt") as file:
        return {name: json.loads(file.metadata()[name]) for name in ("place", "about")}


class TrainingState:
    """All that a run needs to go on: weights, Adam's moments, and its place, which fixes order and dropout."""

    def __init__(self, model: Transformer, config: TrainingConfig):
        self.model, self.config = model.to(pick_device(config.device)), config
        self.device = next(model.parameters()).device
        self.precision = pick_precision(self.device, config.precision, model.config.d_model)
        betas = config.beta1, config.beta2
        self.optimizer = torch.optim.Adam(model.parameters(), lr=0.0, betas=betas, eps=config.eps_adam, fused=True)
        self.step, self.epoch, self.index, self.seconds = 0, 0, 0, 0.0

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
        tensors, saved = read_tensors(Path(path)), saved_training(Path(path))
        weights = {name.removeprefix("model."): x for name, x in tensors.items() if name.startswith("model.")}
        load_weights(self.model, weights, path)
        for name, parameter in self.model.named_parameters():
            moments = [m for m in ("step", "exp_avg", "exp_avg_sq") if f"adam.{m}.{name}" in tensors]
            self.optimizer.state[parameter] = {m: tensors[f"adam.{m}.{name}"].to(self.device) for m in moments}
        vars(self).update(saved["place"])
        return saved["about"]


def world() -> tuple[int, int]:
    """(rank, number of processes) of a torchrun, or (0, 1)."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def summed(*numbers: float) -> list[float]:
    """Each number added up over the processes of a torchrun, all of which call this."""
    return beside("packing", needed=True).summed(*numbers) if world()[1] > 1 else list(numbers)


def train(
    model: Transformer, batches: Batches, config: TrainingConfig | None = None, state: TrainingState | None = None
) -> Iterator[Step]:
    """Train the model, yielding a Step after each update; the caller charts, saves, stops and goes on.

    batches: anything with `epoch(number, start) -> iterator of Batch`. state: where to go on, kept up to date; None
    starts afresh. In a torchrun each process works its share of every batch, to the same end as one process.
    """
    config = config or (state.config if state else TrainingConfig())
    state = state or TrainingState(model, config)
    if state.model is not model:
        raise ValueError("state belongs to another model; pass TrainingState(model, config).")
    fast = beside("packing", needed=config.compile or config.packed == "yes" or world()[1] > 1)
    forward, batches = fast.prepared(model, batches, config) if fast else (model, batches)
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
    (rank, n_ranks), device, step, n_tokens = world(), state.device, state.step + 1, batch.n_tokens
    parts: list[Any] = [part.to(device) for part in batch.split(config.accumulate * n_ranks)[rank::n_ranks]]
    padded = isinstance(parts[0], Batch)  # or packed by an option, which sums the loss as well
    if quick := fast_cpu if device.type == "cpu" else None:
        parts = [level for part in parts for level in quick.level(part)] if padded else parts
    products = quick.products(state.precision, state.model, config.compile) if quick else contextlib.nullcontext()
    rate = state.optimizer.param_groups[0]["lr"] = config.learning_rate(step, state.model.config.d_model)
    state.optimizer.zero_grad(set_to_none=True)
    sums = torch.zeros(2, device=device)  # loss, nll
    with seeded(device, config.seed, step, rank), products:
        for part in parts:
            with contextlib.nullcontext() if n_ranks == 1 or part is parts[-1] else forward.no_sync():
                with autocast(device, state.precision):
                    logits = forward(part.src, part.tgt_in) if padded else forward(*part)
                loss, nll = objective(logits, part.tgt_out, state.model.config.eps_ls) if padded else logits
                (loss * (n_ranks / n_tokens)).backward()  # over all that makes the update; ranks are averaged
            sums += torch.stack([loss.detach(), nll.detach()])
    gradient_norm = nn.utils.get_total_norm([p.grad for p in state.model.parameters() if p.grad is not None])
    *totals, norm = torch.cat([sums, gradient_norm[None]]).tolist()  # a GPU is waited for here alone
    loss, nll = (total / n_tokens for total in summed(*totals))
    if not math.isfinite(loss + norm):
        lines = ", ".join(str(row + 1) for row in sorted(batch.rows))
        problem = f"Step {step} has loss {loss}, gradient norm {norm} and was not made, on lines {lines} of the corpus"
        raise FloatingPointError(f"{problem}; look at these, or try a lower learning rate, or clip_norm=1.")
    if config.clip_norm is not None:
        nn.utils.clip_grads_with_norm_(state.model.parameters(), config.clip_norm, gradient_norm)
    state.optimizer.step()
    seconds = time.perf_counter() - began
    state.step, state.index, state.seconds = step, state.index + 1, state.seconds + seconds
    flop = fast.step_flop(state.model.config, batch) if (fast := beside("packing")) else 0.0
    return Step(step, loss, nll, rate, n_tokens, seconds, norm, state.epoch, flop)


@contextlib.contextmanager
def seeded(device: torch.device, *key: int) -> Iterator[None]:
    """Random numbers that are a pure function of the key; the caller's generators are left as they were."""
    with torch.random.fork_rng([device] if device.type == "cuda" else [], device_type="cuda"):
        torch.manual_seed(int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "little") >> 1)
        yield


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Eval mode and no gradients inside; the mode is put back after."""
    with contextlib.ExitStack() as leaving, torch.no_grad():
        leaving.callback(model.train, model.training)
        model.eval()
        yield


def validation_nll(model: Transformer, batches: Iterable[Batch], precision: str = "auto") -> float:
    """Mean negative log-likelihood per real target token, in nats, teacher-forced; processes share the batches out."""
    device, (rank, n_ranks), total, n_tokens = next(model.parameters()).device, world(), 0.0, 0.0
    with evaluating(model), autocast(device, precision):
        for batch in (batch.to(device) for batch in itertools.islice(batches, rank, None, n_ranks)):
            total += objective(model(batch.src, batch.tgt_in), batch.tgt_out, 0.0)[1].item()
            n_tokens += batch.n_tokens
    total, n_tokens = summed(total, n_tokens)
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


class BeamSearch:
    """A beam search: its tensors are of the B sentences not yet done, W hypotheses each; `step` adds a token to all."""

    def __init__(self, model: Transformer, src: Tensor, beam_size: int, alpha: float, max_extra: int):
        self.model, self.width, self.alpha, self.n = model, beam_size, alpha, 0
        self.products = fast_cpu.packed_weights(model, src, beam_size) if fast_cpu else contextlib.nullcontext()
        with self.products:
            self.memory, self.src_mask = model.encode(src), src != PAD
        self.limits = (self.src_mask & (src != EOS)).sum(1) + max_extra  # (B,) tokens a translation may have
        if model.config.positions == "learned":
            self.limits = self.limits.clamp(max=model.config.max_len)
        n, capacity, device = len(src), int(self.limits.max()), src.device
        self.cache = [(KeyValues(capacity * beam_size), KeyValues()) for _ in model.decoder]
        self.results: list[Any] = [None] * n  # the best finished hypothesis of each sentence
        self.best_score = torch.full((n,), -math.inf, device=device)  # (B,) and its score
        self.sentences = torch.arange(n, device=device)  # (B,) places in src
        self.slots = torch.full((n, 1), beam_size, device=device)  # slots not yet kept by a finished hypothesis
        self.log_prob = torch.full((n, beam_size), -math.inf, device=device)  # (B, W), -inf: a slot not in use
        self.log_prob[:, 0] = 0.0
        self.tokens = torch.full((n, beam_size, 1), BOS, device=device)  # (B, W, n + 1)
        self.past = self.own = torch.eye(beam_size, device=device).bool().expand(n, 1, -1, -1)  # (B, 1, W, W)

    def step(self) -> None:
        self.n += 1
        last = self.tokens[:, :, -1].reshape(-1, 1)  # (B·W, 1)
        with self.products:
            logits = self.model.decode(last, self.memory, self.src_mask, self.cache, self.past)[:, -1]  # (B·W, V)
        log_probs = logits.float().log_softmax(-1) + self.log_prob.reshape(-1, 1)
        log_probs[:, [PAD, BOS]] = -math.inf  # never produced
        self.log_prob, index = log_probs.view(len(self.sentences), -1).topk(self.width)  # (B, W), best first
        self.log_prob[torch.arange(self.width, device=index.device) >= self.slots] = -math.inf
        self.parent, token = index // log_probs.size(-1), index % log_probs.size(-1)  # (B, W), which it prolongs
        self.tokens = torch.cat([self.tokens.take_along_dim(self.parent[:, :, None], 1), token[:, :, None]], dim=-1)
        self.past = torch.cat([self.past.take_along_dim(self.parent[:, None, :, None], 2), self.own], dim=-1)
        for kept, _ in self.cache:
            kept.state = kept.state.take_along_dim(self.parent[:, :, None], 1) if len(kept.state) else kept.state
        self.finish((token == EOS) & self.log_prob.isfinite())
        self.leave()

    def finish(self, ended: Tensor) -> None:
        """Take the hypotheses that produced eos out of the live ones; remember the best of each sentence."""
        score, rank = (self.log_prob / length_penalty(self.n, self.alpha)).masked_fill(~ended, -math.inf).max(1)
        self.keep(score > self.best_score, rank)
        self.best_score = torch.maximum(self.best_score, score)
        self.slots = self.slots - ended.sum(1, keepdim=True)
        self.log_prob = self.log_prob.masked_fill(ended, -math.inf)

    def keep(self, which: Tensor, rank: Tensor) -> None:
        """Of these sentences, the hypothesis at this rank is the result, unless a better one comes."""
        for b in which.nonzero().squeeze(1).tolist():
            log_prob, ids = self.log_prob[b, rank[b]].item(), self.tokens[b, rank[b], 1:].tolist()
            self.results[self.sentences[b]] = Hypothesis(ids, log_prob, log_prob / length_penalty(self.n, self.alpha))

    def leave(self) -> None:
        """Let go of the sentences that are done."""
        live, rank = self.log_prob.max(1)
        cannot_win = live / length_penalty(self.limits, self.alpha) <= self.best_score  # the penalty only helps so far
        done = cannot_win | (self.n >= self.limits)
        self.keep(done & self.best_score.isinf(), rank)  # cut off
        going = (~done).nonzero().squeeze(1)
        if len(going) < len(done):
            vars(self).update({name: x[going] for name, x in vars(self).items() if isinstance(x, Tensor)})
            for kept in itertools.chain(*self.cache):
                kept.select(going)


def beam_search(
    model: Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[Hypothesis]:
    """The best translation found with beam_size hypotheses side by side, for each sentence of src (B, S).

    score = log-probability / length_penalty; at most max_extra tokens more than the source (section 6.1). A finished
    hypothesis keeps its slot; a sentence leaves the batch when no live hypothesis can still win. A hypothesis cut off
    at the limit counts only where none finished.
    """
    if beam_size < 1 or not 0 <= alpha < math.inf or max_extra < 0:
        raise ValueError(f"beam_size is {beam_size}, alpha {alpha}, max_extra {max_extra}; pass at least 1, 0 and 0.")
    with evaluating(model):
        search = BeamSearch(model, src, beam_size, alpha, max_extra)
        while len(search.sentences):
            search.step()
    return search.results


def greedy_decode(model: Transformer, src: Tensor, max_extra: int = 50) -> list[Hypothesis]:
    """The likeliest token at every step, for each sentence of src (B, S): a beam of one hypothesis."""
    return beam_search(model, src, beam_size=1, alpha=0.0, max_extra=max_extra)


# ─── 10 Translator ───────────────────────────────────────────────────────────────────────────────────────────────────
class Translator:
    """A trained model with its tokenizer, or two: `translator.translate(["I am a teacher."])`."""

    def __init__(
        self, model: Transformer, tokenizer: Tokenizer, name: str = "", tgt_tokenizer: Tokenizer | None = None
    ):
        self.model, self.name = model.eval(), name
        self.tokenizer, self.tgt_tokenizer = tokenizer, tgt_tokenizer or tokenizer
        pieces = [len(self.tokenizer), len(self.tgt_tokenizer)]
        if pieces != (rows := [x.num_embeddings for x in (model.src_embedding, model.tgt_embedding)]):
            raise ValueError(f"Tokenizers (src, tgt) of {pieces} pieces do not match the model's {rows}; use its own.")

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def source(self, texts: Sequence[str]) -> Tensor:
        """Sentences as ids, each ended by eos and padded on the right: (B, S)."""
        return pad([[*self.tokenizer.encode(clean(text)), EOS] for text in texts]).to(self.device)

    def translate(
        self, texts: Sequence[str], beam_size: int = 4, alpha: float = 0.6, batch: int = 2048, max_extra: int = 50
    ) -> list[str]:
        """One line of translation for each text, in order; an empty text gives an empty line.

        batch: how many source tokens are worked together (fewer in a wide beam), those of similar length side by side.
        """
        if isinstance(texts, str):
            raise TypeError("translate takes a list of texts; for one sentence write translate([text])[0].")
        lines = [""] * len(texts)
        ids = {row: self.tokenizer.encode(clean(text)) for row, text in enumerate(texts) if clean(text)}
        most = self.model.config.max_len - 1 if self.model.config.positions == "learned" else 5000  # for the time
        for row in [row for row in ids if len(ids[row]) > most]:
            warnings.warn(f"line {row + 1} stays empty: {len(ids.pop(row)):,} tokens, above {most:,}.", stacklevel=2)
        order = sorted(ids, key=lambda row: -len(ids[row]))
        while order:
            size = max(1, 4 * batch // max(4, beam_size) // (len(ids[order[0]]) + 1))
            rows, order = order[:size], order[size:]
            src = pad([[*ids[row], EOS] for row in rows]).to(self.device)
            for row, best in zip(rows, beam_search(self.model, src, beam_size, alpha, max_extra), strict=True):
                lines[row] = clean(self.tgt_tokenizer.decode(best.ids))
        return lines


def load_pretrained(name_or_path: str | Path, device: str = "cpu", precision: str = "fp32") -> Translator:
    """A trained Translator from a folder, or by name from checkpoints/ beside this file, in fp32, bf16 or int8."""
    shelf = Path(__file__).resolve().parent / "checkpoints"
    folder = next((f for f in (Path(name_or_path), shelf / name_or_path) if (f / "config.json").is_file()), None)
    if folder is None:
        names = sorted(f.name for f in shelf.glob("*") if (f / "config.json").is_file())
        choice = f"a folder that training wrote, or one of these names: {', '.join(names) or '(none is installed)'}"
        raise ValueError(f"There is no checkpoint {str(name_or_path)!r}; give {choice}.")
    model = load_model(folder).to(pick_device(device))
    if precision != "fp32":
        model = beside("serving", needed=True).in_precision(model, precision)
    tokenizers = [Tokenizer.load(folder / name) for name in TOKENIZERS[: 1 + bool(model.config.tgt_vocab_size)]]
    return Translator(model, tokenizers[0], folder.resolve().name, tokenizers[-1])


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str], lowercase: bool = False) -> Any:
    """sacreBLEU's score (13a) and the metric that made it, which knows its signature."""
    import sacrebleu

    metric = sacrebleu.BLEU(lowercase=lowercase)
    return metric.corpus_score(list(hypotheses), [list(references)]), metric


# ─── 11 Command line ─────────────────────────────────────────────────────────────────────────────────────────────────
def say(message: str) -> None:
    """A line of progress, on standard error, from the first process."""
    if world()[0] == 0:
        print(message, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(TrainingConfig):
    """What the command `train` is told."""

    data: str  # folder of parallel text
    out: str  # folder of the run
    src: str = "en"  # ending of the source files
    tgt: str = "de"  # ending of the target files
    preset: str = "small"  # tiny, small, parser, base, big or any row of Table 3, such as A-h4
    p_drop: float | None = None  # dropout, in place of the preset's
    eps_ls: float | None = None  # label smoothing, in place of the preset's
    context: str | None = None  # what self-attention's queries and keys read besides, such as deep-global+deep
    context_in: str | None = None  # encoder (if none is named), decoder or both
    vocab_size: int = 8000  # at most so many sub-word pieces, shared by both languages
    tgt_vocab_size: int | None = None  # at most so many of the target's own: whole words, where they are so few
    tokens_per_batch: int = 4096  # real tokens of a batch, on either side
    minutes: float | None = None  # stop before `steps`, after so many minutes of training
    save_every: int = 1000  # steps between checkpoints and validations
    keep: int = 5  # how many of the step-N folders stay, to be averaged at the end
    bleu_sentences: int = 500  # of valid, translated greedily at each validation
    max_extra: int = 50  # tokens that such a translation may have more than its source
    resume: bool = False  # go on with the run in OUT; start it where there is none

    def check(self) -> None:
        """Refuse what makes no sense, before anything is read or written."""
        counts = "steps warmup_steps accumulate vocab_size tgt_vocab_size tokens_per_batch save_every keep"
        for name, value in asdict(self).items():
            if isinstance(value, (int, float)) and value < (least := int(name in counts.split())):
                raise ValueError(f"--{name.replace('_', '-')} is {value}; it must be at least {least}.")
        self.model_config(1), pick_precision(pick_device(self.device), self.precision)

    def model_config(self, vocab_size: int, tgt_vocab_size: int | None = None) -> TransformerConfig:
        if self.preset not in PRESETS:
            raise ValueError(f"There is no preset {self.preset!r}; choose one of {', '.join(PRESETS)}.")
        names = ("p_drop", "eps_ls", "context", "context_in")
        changes = {name: value for name in names if (value := getattr(self, name)) is not None}
        return TransformerConfig(vocab_size, tgt_vocab_size=tgt_vocab_size, **PRESETS[self.preset] | changes)

    def is_over(self, step: int, seconds: float) -> bool:
        return step >= self.steps or (self.minutes is not None and seconds >= 60 * self.minutes)


class Run:
    """A training run and its folder: what is read, logged, validated, saved, kept; free: what --resume may change."""

    free = ("data", "out", "steps", "minutes", "cooldown_steps", "save_every", "keep", "max_extra", "resume", "device")

    def __init__(self, arguments: TrainArguments):
        self.arguments, self.folder = arguments, Path(arguments.out)
        self.state_path, self.log_path = self.folder / "state.safetensors", self.folder / "log.jsonl"
        self.best, self.log_lines, self.stop_signal = list[float](), list[str](), 0  # best: BLEU, -nll
        self.saved = saved_training(self.state_path) if self.state_path.exists() else {}
        if self.saved and not arguments.resume:
            raise ValueError(f"{self.folder} holds a run; add --resume to go on with it, or name another --out.")

    def read_data(self) -> None:
        """The tokenizers, the training pairs and the validation text, as in a saved run; rank 0 learns vocabularies."""
        a = self.arguments
        src, tgt = read_parallel(a.data, "train", a.src, a.tgt)
        texts = list(zip(map(clean, src), map(clean, tgt), strict=True))
        if not any(map(all, texts)):
            raise ValueError(f"train.{a.src} and train.{a.tgt} in {a.data} hold no pair of sentences.")
        has_valid = any(Path(a.data, f"valid.{end}{gz}").exists() for end in (a.src, a.tgt) for gz in ("", ".gz"))
        self.valid = list(zip(*read_parallel(a.data, "valid", a.src, a.tgt), strict=True)) if has_valid else []
        self.digest = hashlib.sha256(repr(texts).encode()).hexdigest()[:16]
        for name, value in self.about()["arguments"].items() if self.saved else ():
            if value != (then := self.saved["about"].get("arguments", {}).get(name, value)):
                raise ValueError(f"{self.folder} was begun with {name} {then!r}, not {value!r}; go on as it was begun.")
        sides = [itertools.chain.from_iterable(texts)] if a.tgt_vocab_size is None else list(zip(*texts, strict=True))
        paths = [self.folder / name for name in TOKENIZERS[: len(sides)]]
        for path, side, size in zip(paths, sides, (a.vocab_size, a.tgt_vocab_size or 0), strict=False):
            if not (self.saved and path.exists()) and world()[0] == 0:
                write_atomically(path, Tokenizer.train(side, size, whole_words=path != paths[0]).model)
        summed(0)  # the others wait for the first
        self.tokenizers = [Tokenizer.load(path) for path in paths]
        self.config = a.model_config(*map(len, self.tokenizers))
        self.batches = make_batches(self.encode(texts), a.tokens_per_batch, a.seed)  # whose rows are lines of the files
        self.batches.usable = [row for row in self.batches.usable if all(texts[row])]
        self.valid_batches = list(make_batches(self.encode(self.valid), 1 << 14)) if self.valid else []

    def encode(self, texts: Sequence[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
        pairs = [(self.tokenizers[0].encode(clean(src)), self.tokenizers[-1].encode(clean(tgt))) for src, tgt in texts]
        longest = max((len(ids) + 1 for pair in pairs for ids in pair), default=0)
        Positions(self.config)(longest)  # learned ones refuse what is too long
        return pairs

    def about(self) -> dict[str, Any]:
        fixed = {name: value for name, value in asdict(self.arguments).items() if name not in self.free}
        return {"arguments": fixed | {"digest of the text": self.digest}, "best": self.best}

    def start(self, state: TrainingState) -> None:
        """Take up the saved state, if there is one."""
        self.state = state
        if self.saved:
            self.best = state.load(self.state_path).get("best", [])
            lines = read_lines(self.log_path) if self.log_path.exists() else []
            self.log_lines = [line for line in lines if json.loads(line)["step"] <= state.step]

    def after(self, step: Step) -> bool:
        """Log a step; save and validate when it is time; True when the run stops here, all processes where one does."""
        self.log(**step._asdict() | {"seconds": self.state.seconds})
        over, stopped = map(bool, summed(self.arguments.is_over(step.step, self.state.seconds), self.stop_signal))
        due = step.step % self.arguments.save_every == 0
        if over or stopped or due:
            self.save(validate=over or due, over=over)
        return over or stopped

    def log(self, **values: float) -> None:
        rounded = {name: float(f"{x:.6g}") if isinstance(x, float) else x for name, x in values.items()}
        self.log_lines.append(json.dumps(rounded))

    def save(self, validate: bool, over: bool = False) -> None:
        """Write what this step leaves behind; the state that --resume reads comes last, so nothing is half-done."""
        better = validate and bool(self.valid) and self.is_best()
        if world()[0] != 0:
            return
        weights, config = weights_of(self.state.model), self.state.model.config
        if validate:
            save_checkpoint(self.folder / f"step-{self.state.step}", config, weights, *self.tokenizers)
            if better:
                save_checkpoint(self.folder / "best", config, weights, *self.tokenizers)
            steps, keep = step_folders(self.folder), self.arguments.keep
            for old in steps[:-keep]:
                shutil.rmtree(old.rename(f"{old}.part"))  # at once no checkpoint any more
            if over:
                save_checkpoint(self.folder / "averaged", config, average_checkpoints(steps[-keep:]), *self.tokenizers)
        save_checkpoint(self.folder, config, weights, *self.tokenizers)
        write_atomically(self.log_path, "".join(line + "\n" for line in self.log_lines).encode())
        self.state.save(self.state_path, self.about())

    def is_best(self) -> bool:
        """Validate by greedy BLEU and by nll; whether they are the best so far, nll deciding between equal BLEU."""
        model, (rank, n_ranks) = self.state.model, world()
        nll = validation_nll(model, self.valid_batches, self.arguments.precision)
        scores = dict(valid_nll=nll, valid_perplexity=math.exp(min(nll, 700.0)))
        if pairs := self.valid[: self.arguments.bleu_sentences]:
            sources, references = zip(*(pairs[rank::n_ranks] or [("", "")]), strict=True)  # this process's share
            translator = Translator(model, self.tokenizers[0], tgt_tokenizer=self.tokenizers[-1])
            lines = translator.translate(sources, 1, max_extra=self.arguments.max_extra)
            part, bleu = corpus_bleu(lines, references)
            n = [int(x) for x in summed(part.sys_len, part.ref_len, *part.counts, *part.totals)]  # of n-grams: add up
            scores["valid_bleu"] = bleu.compute_bleu(n[2:6], n[6:], *n[:2], smooth_method="exp").score
        self.log(step=self.state.step, **scores)
        say(f"step {self.state.step}: " + ", ".join(f"{name} {score:.4g}" for name, score in scores.items()))
        before, self.best = self.best, max(self.best, [scores.get("valid_bleu", 0.0), -nll])
        return self.best > before


def step_folders(run: str | Path) -> list[Path]:
    """The step-N folders of a run, oldest first."""
    named = (folder for folder in Path(run).glob("step-*") if re.fullmatch(r"step-\d+", folder.name))
    return sorted((f for f in named if (f / "model.safetensors").exists()), key=lambda f: int(f.name[5:]))


@contextlib.contextmanager
def taking_part(run: Run) -> Iterator[None]:
    """Join the processes of a torchrun, if this is one; the first SIGINT or SIGTERM saves and ends, the next ends."""

    def ask(number: int, frame: Any) -> None:
        run.stop_signal = number
        signal.signal(signal.SIGINT, signal.SIG_DFL), signal.signal(signal.SIGTERM, signal.SIG_DFL)
        say(f"{signal.Signals(number).name}: saving after this step.")

    with contextlib.ExitStack() as leaving:
        if int(os.environ.get("WORLD_SIZE", 1)) > 1:
            leaving.enter_context(beside("packing", needed=True).joined(pick_device(run.arguments.device)))
        if safekeeping and world()[0] == 0:
            leaving.enter_context(safekeeping.held(run.folder))
        for number in (signal.SIGINT, signal.SIGTERM):
            leaving.callback(signal.signal, number, signal.signal(number, ask))
        yield


def train_command(arguments: TrainArguments) -> int:
    """Train a Transformer on a folder of parallel text.

    The folder holds train.SRC, train.TGT and, to watch the progress, valid.SRC, valid.TGT (also .gz), one sentence a
    line. OUT becomes a checkpoint folder with the last state; OUT/best, OUT/averaged and OUT/step-N are others. A run
    that was stopped or killed goes on with --resume and the same arguments; steps, minutes and cooldown may differ.
    """
    from tqdm import tqdm

    arguments.check()
    run = Run(arguments)
    if (place := run.saved.get("place")) and arguments.is_over(place["step"], place["seconds"]):
        say(f"{run.folder} is finished, at step {place['step']}; raise --steps or --minutes to train longer.")
        return 0
    with taking_part(run):
        run.read_data()
        torch.manual_seed(arguments.seed)
        model = Transformer(run.config)
        run.start(state := TrainingState(model, arguments))
        where = f"on {state.device} in {state.precision}"
        say(f"{count_parameters(model):,} parameters, {len(run.batches.usable):,} pairs, {where}")
        every, fast = (1 if sys.stderr.isatty() else 60), beside("packing")  # seconds between lines of progress
        with tqdm(total=arguments.steps, initial=run.state.step, mininterval=every, disable=world()[0] != 0) as bar:
            try:
                for step in train(model, run.batches, arguments, state):
                    pace = fast.pace(step, state.device) if fast else ""
                    bar.set_postfix_str(f"nll {step.nll:.3f}, {step.tokens_per_second:,.0f} tokens/s{pace}", False)
                    bar.update()
                    if run.after(step):
                        break
            except FloatingPointError:
                if all(weight.isfinite().all() for weight in model.parameters()):
                    run.save(validate=False)
                raise
    return 128 + run.stop_signal if run.stop_signal else 0


@dataclass(frozen=True, kw_only=True)
class SearchArguments:
    """Which model translates, and how it searches."""

    checkpoint: str  # a folder, or a name under checkpoints/, such as tatoeba-en-de
    beam_size: int = 4  # hypotheses kept side by side; 1 is greedy
    alpha: float = 0.6  # strength of the length penalty
    max_extra: int = 50  # tokens that a translation may have more than its source
    device: str = "auto"  # auto, cpu, cuda, mps
    precision: str = "fp32"  # fp32, or for speed bf16 or int8

    def translate(self, texts: Sequence[str]) -> list[str]:
        translator = load_pretrained(self.checkpoint, self.device, self.precision)
        return translator.translate(texts, self.beam_size, self.alpha, max_extra=self.max_extra)


def translate_command(search: SearchArguments) -> int:
    """Translate standard input, UTF-8, to standard output: one line for each line read, in order."""
    lines = search.translate(split_lines(sys.stdin.buffer.read(), "standard input"))
    sys.stdout.buffer.write("".join(line + "\n" for line in lines).encode())
    sys.stdout.buffer.flush()
    return 0


def evaluate_command(search: SearchArguments, src: str, ref: str, lowercase: bool = False) -> int:
    """Translate a file and print sacreBLEU's score against the reference, with its signature.

    Args:
        src: file of source sentences, one a line (also .gz)
        ref: file of reference translations, line for line
        lowercase: ignore case in the score
    """
    sources, references = read_lines(src), read_lines(ref)
    if len(sources) != len(references) or not sources:
        raise ValueError(f"{src} has {len(sources)} lines, {ref} {len(references)}; give at least one, line for line.")
    score, metric = corpus_bleu(search.translate(sources), references, lowercase)
    print(f"{metric.get_signature()} beam:{search.beam_size}|alpha:{search.alpha}\n{score}")
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
    last_one = load_pretrained(folders[-1])
    save_checkpoint(out, last_one.model.config, weights, last_one.tokenizer, last_one.tgt_tokenizer)
    say(f"{out} is the mean of {', '.join(folder.name for folder in folders)}.")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a wrong input ends in one sentence on standard error and exit status 2."""
    import tyro

    flat = tyro.conf.configure(tyro.conf.OmitArgPrefixes)  # the options of a dataclass are the command's own
    functions = (train_command, translate_command, evaluate_command, average_command)
    commands = {function.__name__.removesuffix("_command"): flat(function) for function in functions}
    try:
        if serving := beside("serving", needed="export" in (arguments or sys.argv)):
            commands["export"] = flat(serving.export_command)
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: say(f"Note: {message}")
            return tyro.extras.subcommand_cli_from_dict(commands, args=arguments, description=__doc__.split("\n")[0])
    except (ValueError, FloatingPointError, OSError) as error:
        say(f"Error: {error}")
        return 2


if __name__ == "__main__":
    sys.modules.setdefault("transformer_core", sys.modules[__name__])  # options import this one, not a second
    sys.exit(main())
