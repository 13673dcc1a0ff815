"""The Transformer of "Attention Is All You Need" (Vaswani et al., 2017), whole and in one file.

    1  Configuration         Table 3, row by row
    2  Probes                see and edit any tensor inside a running model
    3  Attention             section 3.2: scaled dot-product, several heads, masks
    4  The model             sections 3.1, 3.3, 3.4, 3.5: layers, embeddings, positions
    5  Text                  section 5.1: shared sub-words, batches by tokens
    6  Objective, schedule   sections 5.3, 5.4: label smoothing, the learning rate
    7  Checkpoints           safetensors and JSON, never unpickled
    8  Training              section 5: a generator of steps that can stop and go on
    9  Decoding              section 6.1: greedy and beam search with key/value caches
    10 Translator            a trained model in one object
    11 Command line          train, translate, evaluate, average

Here is one plain way of everything. Others (faster, packed, several processes, safe, serving,
context) are in core_options: they import this file and plug in by a `Way`, a `Kernel`, a subclass.

Axis letters in shape comments: B batch, S source positions (keys), T target positions (queries),
H heads, D d_model, K d_k, V vocabulary, L layer; W hypotheses of a beam. A mask is boolean and True
means *may look*, as in F.scaled_dot_product_attention (and the opposite of nn.MultiheadAttention's
padding mask). Ids 0, 1, 2, 3 are padding, begin, end and unknown.
"""

from __future__ import annotations

import signal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # imports take seconds: no traceback of them

import contextlib
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
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import safetensors.torch
import sentencepiece
import torch
import torch.nn.functional as F
from torch import Tensor, nn

PAD, BOS, EOS, UNK = 0, 1, 2, 3
Mask = Tensor | None  # boolean, True means may look; None: everywhere
Weights = dict[str, Tensor]  # by name
Pair = tuple[Sequence[int], Sequence[int]]  # source and target ids, without bos and eos
Lines = list[str]


# ─── 1 Configuration ─────────────────────────────────────────────────────────────────────────────
def is_count(value: object) -> bool:
    return type(value) is int and value > 0


def is_share(value: object) -> bool:
    return isinstance(value, (int, float)) and 0 <= value < 1


Need = tuple[str, Callable[[object], bool], str]
NEEDS: tuple[Need, ...] = (  # fields of the configuration, what they must be, and its words
    ("vocab_size n_layers d_model d_ff n_heads", is_count, "a whole number of at least 1"),
    ("d_k d_v max_len", is_count, "a whole number of at least 1"),
    ("p_drop eps_ls", is_share, "a number from 0 to below 1"),
    ("positions", ("sinusoidal", "learned").__contains__, "'sinusoidal' or 'learned'"),
    ("norm", ("post", "pre").__contains__, "'post' or 'pre'"),
    ("tie_softmax", (True, False).__contains__, "true or false"),
    ("tgt_vocab_size", is_count, "a whole number of at least 1, or None"),
    ("window", range(1, 10**9, 2).__contains__, "odd, from 1 on: as far back as ahead, or None"),
)


def check_needs(config: object, needs: Iterable[Need]) -> None:
    """Refuse a configuration of which a field is neither what it must be nor None by default."""
    for names, is_right, words in needs:
        for name in names.split():
            value = getattr(config, name)
            is_absent = value is None and getattr(type(config), name, ...) is None
            if not is_absent and not is_right(value):
                raise ValueError(f"{name} is {value!r}; it must be {words}.")


@dataclass(frozen=True)
class TransformerConfig:
    """A Transformer's shape: the columns of Table 3 in order, then what the paper leaves open.

    positions: "sinusoidal" (section 3.5) or "learned" (row E, a table of max_len rows a stack).
    norm: "post", LayerNorm(x + Sublayer(x)), is the paper's; "pre" is x + Sublayer(LayerNorm(x)).
    window: r of restricted self-attention (section 4), the r nearest positions, odd.
    tgt_vocab_size: a vocabulary and an embedding of the target's own. tie_softmax: the softmax
    shares the target's embedding (section 3.4).
    """

    kind: ClassVar[str] = "transformer"  # what a checkpoint says it is
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
        check_needs(self, NEEDS)
        if self.positions == "sinusoidal" and self.d_model % 2:
            raise ValueError(
                f"d_model is {self.d_model}; it must be even, as sines pair with cosines."
            )


# Table 3: every row as its change from the defaults above, which are the base model.
PAPER_TABLE_3: dict[str, dict] = {
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

PRESETS: dict[str, dict] = PAPER_TABLE_3 | {
    "tiny": dict(n_layers=4, d_model=128, d_ff=256, n_heads=4, d_k=32, d_v=32),
    "small": dict(n_layers=6, d_model=256, d_ff=1024, n_heads=8, d_k=32, d_v=32),
    "parser": dict(n_layers=4, d_model=1024, d_k=128, d_v=128, p_drop=0.2),  # for 6.3
}


# ─── 2 Probes ────────────────────────────────────────────────────────────────────────────────────
class Probe(nn.Module):
    """A named place in the model to see and edit a tensor; unwatched, it does nothing."""

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
def _attached(model: nn.Module, pattern: str, role: str, make: Callable) -> Iterator[None]:
    """Inside, each probe found has one more function among its "edits" or "readers": make(name)."""
    everything = probes(model)
    names = fnmatch.filter(everything, pattern)
    if not names:
        near = difflib.get_close_matches(pattern, everything, n=3, cutoff=0) or ["none at all"]
        raise KeyError(f"This model has no probe {pattern!r}; the nearest are {', '.join(near)}.")
    with contextlib.ExitStack() as leaving:
        for name in names:
            functions = getattr(everything[name], role)
            function = make(name)
            functions.append(function)
            leaving.callback(functions.remove, function)
        yield


@contextlib.contextmanager
def record(model: nn.Module, pattern: str = "*") -> Iterator[dict[str, Tensor]]:
    """Keep what passes through the probes: `with record(model) as trace: model(src, tgt_in)`.

    trace maps names to tensors of the latest pass: q, k (B, H, n, K), v (B, H, n, d_v), scores
    (scaled, -inf where masked) and weights (rows sum to 1) (B, H, T, S), heads (B, H, T, d_v),
    residual (B, n, D), as the model saw them, edits included. pattern: which probes, with * and ?
    as in file names; fewer make a faster pass.
    """
    trace: dict[str, Tensor] = {}
    with _attached(model, pattern, "readers", lambda name: lambda x: trace.update({name: x})):
        yield trace


@contextlib.contextmanager
def intervene(model: nn.Module, name: str, edit: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Replace the tensor at a probe (name may hold *) by edit(tensor), of equal shape; may nest."""
    with _attached(model, name, "edits", lambda _: lambda x: edit(x)):  # each is removed alone
        yield


# ─── 3 Attention ─────────────────────────────────────────────────────────────────────────────────
def padding_mask(ids: Tensor) -> Tensor:
    """Real tokens may be looked at, padding not: ids (B, S) -> (B, 1, 1, S), True = may look."""
    return (ids != PAD)[:, None, None, :]


def causal_mask(n: int, device: torch.device | None = None) -> Tensor:
    """Position i may look at positions up to i (section 3.2.3): (n, n), True up to the diagonal."""
    return torch.ones(n, n, dtype=torch.bool, device=device).tril()


def window_mask(n: int, window: int, causal: bool, device: torch.device | None = None) -> Tensor:
    """Restricted self-attention (section 4): the `window` nearest, centred, or the last ones."""
    i = torch.arange(n, device=device)
    distance = i[:, None] - i[None, :]  # (T, S)
    if causal:
        return (distance >= 0) & (distance < window)
    return distance.abs() <= window // 2


def attention_scores(q: Tensor, k: Tensor, mask: Mask = None) -> Tensor:
    """QKᵀ/√d_k, -inf where masked (Figure 2): (B, H, T, K), (B, H, S, K) -> (B, H, T, S)."""
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))  # (B, H, T, S)
    return scores if mask is None else scores.masked_fill(~mask, -math.inf)


def attention_weights(scores: Tensor) -> Tensor:
    """The softmax over keys: rows sum to 1, or are 0 where nothing may be seen. (B, H, T, S)"""
    return scores.softmax(-1).masked_fill(scores == -math.inf, 0.0)


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Tensor:
    """Attention(Q, K, V) = softmax(QKᵀ/√d_k)V (equation 1), in torch's kernel: (B, H, T, d_v)."""
    return F.scaled_dot_product_attention(q, k, v, mask)


Kernel = Callable[[Tensor, Tensor, Tensor, Mask], Tensor]  # what computes equation 1


class KeyValues:
    """Keys and values while decoding: self-attention's grow to `capacity`; with None, made once."""

    def __init__(self, capacity: int | None = None):
        self.capacity, self.n = capacity, 0
        self.k = self.v = torch.empty(0)  # until the first come
        self.state = torch.empty(0)  # (B, W, …) what else a model keeps of each hypothesis

    def __call__(self, project: Callable, x: Tensor) -> tuple[Tensor, Tensor]:
        if self.capacity is None and self.n:
            return self.k, self.v
        k, v = project(x)  # of the new positions alone
        if not self.n:
            room = self.capacity or k.size(2)
            self.k = k.new_empty(*k.shape[:2], room, k.size(-1))
            self.v = v.new_empty(*v.shape[:2], room, v.size(-1))
        start, self.n = self.n, self.n + k.size(2)
        self.k[:, :, start : self.n] = k
        self.v[:, :, start : self.n] = v
        return self.k[:, :, : self.n], self.v[:, :, : self.n]


LayerCache = tuple[KeyValues, KeyValues] | tuple[None, None]  # of self- and of cross-attention
EMPTY = (None, None)  # nothing is kept
Cache = Sequence[tuple[KeyValues, KeyValues]]  # of all layers of the decoder


class MultiHeadAttention(nn.Module):
    """MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O (section 3.2.2), projections without bias.

    Each W_i reads all d_model features, not a slice. Equation 1 is taken step by step if scores or
    weights are watched, else by a kernel, for which another may be set.
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
        self.kernel: Kernel = attention

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)  # (B, n, H·K) -> (B, H, n, K)

    def keys_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        return self.k(self.split(self.w_k(memory))), self.v(self.split(self.w_v(memory)))

    def forward(
        self, x: Tensor, memory: Tensor, mask: Mask, cache: KeyValues | None = None
    ) -> Tensor:
        """Queries of x (B, T, D), keys and values of memory (B, S, D), mask (B|1, 1, T|1, S)."""
        q = self.q(self.split(self.w_q(x)))  # (B, H, T, K)
        k, v = self.keys_values(memory) if cache is None else cache(self.keys_values, memory)
        if self.scores.watched or self.weights.watched:
            scores = self.scores(attention_scores(q, k, mask))  # (B, H, T, S)
            weights = self.weights(attention_weights(scores))  # (B, H, T, S)
            heads = weights.to(v.dtype) @ v  # (B, H, T, d_v)
        else:
            heads = self.kernel(q, k, v, mask)  # (B, H, T, d_v)
        return self.w_o(self.heads(heads).transpose(1, 2).flatten(2))  # (B, T, D)


# ─── 4 The model ─────────────────────────────────────────────────────────────────────────────────
class FeedForward(nn.Module):
    """FFN(x) = max(0, xW_1 + b_1)W_2 + b_2 (equation 2), at each position alone: (B, n, D)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.w_1 = nn.Linear(config.d_model, config.d_ff)
        self.w_2 = nn.Linear(config.d_ff, config.d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.w_2(F.relu(self.w_1(x)))


class Residual(nn.Module):
    """LayerNorm(x + Dropout(Sublayer(x))) (sections 3.1, 5.4); with norm "pre" it comes first."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.pre = config.norm == "pre"
        self.layer_norm = nn.LayerNorm(config.d_model, eps=1e-6)
        self.dropout = nn.Dropout(config.p_drop)

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
    """Masked self-attention, attention to the memory, feed-forward (Figure 1, right)."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.self_attention = MultiHeadAttention(config)
        self.cross_attention = MultiHeadAttention(config)
        self.feed_forward = FeedForward(config)
        self.add_norm = nn.ModuleList(Residual(config) for _ in range(3))
        self.residual = Probe()

    def forward(
        self, x: Tensor, memory: Tensor, tgt_mask: Mask, src_mask: Tensor, cache: LayerCache = EMPTY
    ) -> Tensor:
        own, cross = cache
        x = self.add_norm[0](x, lambda x: self.self_attention(x, x, tgt_mask, own))
        x = self.add_norm[1](x, lambda x: self.cross_attention(x, memory, src_mask, cross))
        return self.residual(self.add_norm[2](x, self.feed_forward))


def sinusoidal_positions(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """PE(pos, 2i) = sin(pos / base^(2i/d_model)), PE(pos, 2i+1) = cos(same) (3.5): (n, D)."""
    position = torch.arange(n, dtype=torch.float64)
    frequency = base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)  # (D/2,)
    angle = position[:, None] * frequency  # (n, D/2)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)  # (n, D), in turn


class Positions(nn.Module):
    """What is added at position start, start+1, …; sinusoids reach any length, learned max_len."""

    table: Tensor

    def __init__(self, config: TransformerConfig):
        super().__init__()
        self.d_model = config.d_model
        self.max_len = config.max_len
        self.learned = config.positions == "learned"
        if self.learned:
            self.table = nn.Parameter(torch.empty(config.max_len, config.d_model))
        else:  # filled when needed
            self.register_buffer("table", torch.empty(0, config.d_model), persistent=False)

    def forward(self, n: int, start: int = 0) -> Tensor:
        end = start + n
        if self.learned and end > self.max_len:
            raise ValueError(
                f"The sentence reaches {end} tokens, but the learned positions end at "
                f"{self.max_len} (max_len); shorten it, or use a model with sinusoidal positions."
            )
        if end > len(self.table):
            self.table = sinusoidal_positions(max(2 * end, 256), self.d_model).to(self.table)
        return self.table[start : start + n]  # (n, D)


def check_ids(ids: Tensor, vocab_size: int, what: str) -> None:
    """Refuse what is not (B, n) ids of the vocabulary; on a GPU, which must wait, shapes only."""
    if ids.dim() != 2 or ids.is_floating_point():
        problem = f"{what} is {ids.dtype} of shape {tuple(ids.shape)}"
        raise ValueError(f"{problem}; pass whole numbers of shape (B, n).")
    if ids.device.type == "cpu" and ids.numel() and not 0 <= ids.min() <= ids.max() < vocab_size:
        problem = f"{what} holds ids from {ids.min()} to {ids.max()}, but the vocabulary ends at"
        raise ValueError(f"{problem} {vocab_size - 1}; use the tokenizer of this model.")


class Transformer(nn.Module):
    """Figure 1: model(src (B, S), tgt_in (B, T)) -> logits (B, T, V), of what follows each token.

    Ids are padded with 0 on the right.
    """

    config_class: ClassVar[type[TransformerConfig]] = TransformerConfig

    def __init__(self, config: TransformerConfig):
        super().__init__()
        if not isinstance(self, MODELS[config.kind]):
            problem = f"{type(self).__name__} cannot be built from a {type(config).__name__}"
            raise ValueError(f"{problem}; pass it to {MODELS[config.kind].__name__}.")
        self.config = config
        self.src_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.tgt_embedding = self.src_embedding
        if config.tgt_vocab_size:
            self.tgt_embedding = nn.Embedding(config.tgt_vocab_size, config.d_model)
        own_memory = "meta" if config.tie_softmax else None  # tied, the softmax has none of its own
        n_words = config.tgt_vocab_size or config.vocab_size
        self.softmax = nn.Linear(config.d_model, n_words, bias=False, device=own_memory)
        self.src_positions = Positions(config)
        self.tgt_positions = Positions(config)
        self.dropout = nn.Dropout(config.p_drop)
        self.encoder, self.decoder = self.make_stacks()
        self.encoder_norm: nn.Module = nn.Identity()
        self.decoder_norm: nn.Module = nn.Identity()
        if config.norm == "pre":  # nothing before normalises the residual sum
            self.encoder_norm = nn.LayerNorm(config.d_model, eps=1e-6)
            self.decoder_norm = nn.LayerNorm(config.d_model, eps=1e-6)
        self.reset_parameters()

    def make_stacks(self) -> tuple[nn.ModuleList, nn.ModuleList]:
        """The layers of the encoder and of the decoder; a subclass may make others."""
        encoder = nn.ModuleList(EncoderLayer(self.config) for _ in range(self.config.n_layers))
        decoder = nn.ModuleList(DecoderLayer(self.config) for _ in range(self.config.n_layers))
        return encoder, decoder

    def reset_parameters(self) -> None:
        """N(0, 1/d_model) for embeddings (√d_model times one: variance 1); Xavier for others.

        W^V, W^O, W_1, W_2 get half of Xavier's gain (DeepNet: Wang et al., 2022): at full gain all
        positions may get one and the same vector, from which post-LN training hardly recovers.
        """
        if self.config.tie_softmax:
            self.softmax.weight = self.tgt_embedding.weight
        for name, parameter in self.named_parameters():
            if name.endswith("bias"):
                nn.init.zeros_(parameter)
            elif name.endswith(("embedding.weight", "positions.table")):
                nn.init.normal_(parameter, std=self.config.d_model**-0.5)
            elif "norm" in name:
                nn.init.ones_(parameter)
            elif name.endswith(("w_v.weight", "w_o.weight", "w_1.weight", "w_2.weight")):
                nn.init.xavier_uniform_(parameter, gain=0.5)
            else:
                nn.init.xavier_uniform_(parameter)

    def embed(
        self, ids: Tensor, embedding: nn.Embedding, positions: Positions, start: int = 0
    ) -> Tensor:
        """√d_model · embedding + position, then dropout (3.4, 3.5, 5.4): (B, n) -> (B, n, D)."""
        if not torch.compiler.is_compiling():
            what = "src" if positions is self.src_positions else "tgt_in"
            check_ids(ids, embedding.num_embeddings, what)
        x = embedding(ids) * math.sqrt(self.config.d_model)  # (B, n, D)
        return self.dropout(x + positions(ids.size(1), start))

    def encode(self, src: Tensor) -> Tensor:
        """src (B, S) ids -> memory (B, S, D)."""
        x = self.embed(src, self.src_embedding, self.src_positions)
        mask = padding_mask(src)  # (B, 1, 1, S)
        if self.config.window:
            mask = mask & window_mask(src.size(1), self.config.window, False, src.device)
        return self.run_encoder(x, mask)

    def run_encoder(self, x: Tensor, mask: Tensor) -> Tensor:
        """The encoder's layers, one after the other: x (B, S, D) -> memory (B, S, D)."""
        for layer in self.encoder:
            x = layer(x, mask)
        return self.encoder_norm(x)

    def decode(
        self, tgt_in: Tensor, memory: Tensor, src_mask: Tensor, cache: Cache = (), past: Mask = None
    ) -> Tensor:
        """tgt_in (B, T), memory (B, S, D), src_mask (B, S) -> logits (B, T, V).

        With a cache tgt_in (B·W, 1) prolongs W beams a sentence, W queries side by side; past
        (B, 1, W, n·W): which of the positions kept each looks back on.
        """
        width = len(tgt_in) // len(memory)
        start = cache[0][0].n // width if cache else 0
        x = self.embed(tgt_in, self.tgt_embedding, self.tgt_positions, start)
        x = x.reshape(len(memory), -1, x.size(-1))  # (B·W, 1, D) -> (B, W, D)
        mask = None
        if self.config.window or not cache or tgt_in.size(1) > 1:
            mask = self.tgt_mask(tgt_in[: len(memory)], start)
        if past is not None:
            mask = past if mask is None else past & mask.repeat_interleave(width, -1)
        x = self.run_decoder(x, memory, mask, src_mask[:, None, None], cache)
        return self.softmax(x).reshape(*tgt_in.shape, -1)

    def run_decoder(
        self, x: Tensor, memory: Tensor, tgt_mask: Mask, src_mask: Tensor, cache: Cache
    ) -> Tensor:
        """The decoder's layers, one after the other: x (B, T, D) -> (B, T, D)."""
        for layer, caches in zip(self.decoder, cache or itertools.repeat(EMPTY), strict=False):
            x = layer(x, memory, tgt_mask, src_mask, caches)
        return self.decoder_norm(x)

    def tgt_mask(self, tgt_in: Tensor, start: int = 0) -> Tensor:
        """Causal (or window) and padding mask, (B, 1, T, T); (T, start + T) in decoding."""
        n = start + tgt_in.size(1)
        past = causal_mask(n, tgt_in.device)
        if self.config.window:
            past = window_mask(n, self.config.window, True, tgt_in.device)
        if start:
            return past[start:]  # what a sentence still going has read holds no padding
        return past & padding_mask(tgt_in)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.decode(tgt_in, self.encode(src), src != PAD)


MODELS: dict[str, type[Transformer]] = {"transformer": Transformer}  # by kind, those imported


def count_parameters(model: nn.Module) -> int:
    """How many numbers are learned, a shared matrix counted once."""
    return sum(parameter.numel() for parameter in model.parameters())


# ─── 5 Text ──────────────────────────────────────────────────────────────────────────────────────
def clean(text: str) -> str:
    """One space between words, none at the ends."""
    return " ".join(text.split())


@contextlib.contextmanager
def reading(
    path: str | Path, done: str = "read", advice: str = "is it there, and whole"
) -> Iterator[None]:
    """Whatever goes wrong in reading a file (or writing it) becomes one sentence that names it."""
    try:
        yield
    except Exception as error:
        reason = str(getattr(error, "strerror", "") or error) or type(error).__name__
        reason = clean("".join(c if c.isprintable() else " " for c in reason)).rstrip(".")
        raise ValueError(f"{path} cannot be {done} ({reason}); {advice}?") from None


class Tokenizer:
    """A SentencePiece vocabulary: BPE, and the rest in bytes, so that nothing is lost."""

    def __init__(self, model: bytes):
        self.model = model
        self.processor = p = sentencepiece.SentencePieceProcessor()
        with contextlib.suppress(RuntimeError):
            p.LoadFromSerializedProto(model)
        ids = (p.pad_id(), p.bos_id(), p.eos_id(), p.unk_id())
        if ids != (PAD, BOS, EOS, UNK):
            problem = f"These {len(model)} bytes are no SentencePiece model that has pad, bos, eos"
            raise ValueError(f"{problem} and unk at 0, 1, 2, 3 (but {ids}); use Tokenizer.train.")

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int) -> Tokenizer:
        """Learn at most vocab_size pieces; a small text gives fewer, and a warning."""
        texts = [text for text in map(clean, texts) if text]
        if not texts:
            raise ValueError("There is no text to learn a vocabulary from; pass a sentence.")
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=iter(texts), model_writer=model, vocab_size=vocab_size,
                model_type="bpe", byte_fallback=True, character_coverage=0.9999,
                normalization_rule_name="identity", remove_extra_whitespaces=False,
                max_sentence_length=1 << 20, hard_vocab_limit=False, minloglevel=2,
                pad_id=PAD, bos_id=BOS, eos_id=EOS, unk_id=UNK,
            )  # fmt: skip
        except RuntimeError:
            need = f"4 special pieces, 256 bytes and {len(set(''.join(texts)))} characters"
            problem = f"A vocabulary of {vocab_size} is too small for this text"
            raise ValueError(f"{problem}; {need}, at most, need their places.") from None
        tokenizer = cls(model.getvalue())
        if len(tokenizer) < vocab_size:
            asked = f"fewer than the {vocab_size} asked for"
            warnings.warn(f"The text gives {len(tokenizer)} pieces, {asked}.", stacklevel=2)
        return tokenizer

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read a tokenizer.model."""
        with reading(path):
            return cls(Path(path).read_bytes())

    def __len__(self) -> int:
        return self.processor.get_piece_size()

    def encode(self, text: str) -> list[int]:
        """Text to ids, without bos and eos."""
        id_of = self.processor.piece_to_id
        if "▁" not in text:
            return self.processor.encode(text)
        # It would be read as a space, so it is spelled in bytes; a spare character stands in first.
        unknown = (x for x in map(chr, range(0x10FFFF, 0, -1)) if id_of(x) == UNK)
        spare = next(x for x in unknown if x not in text)
        pieces = " ".join(self.processor.encode(text.replace("▁", spare), out_type=str))
        for_spare, for_it = (" ".join(f"<0x{i:02X}>" for i in x.encode()) for x in (spare, "▁"))
        return id_of(pieces.replace(for_spare, for_it).split(" "))

    def decode(self, ids: Iterable[int]) -> str:
        """Ids to text; padding, begin and end vanish, and unknown is " ⁇ "."""
        return self.processor.decode([i for i in map(int, ids) if i >= UNK])

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """The written form of each id: "▁" begins a word, "<0xE2>" is a byte, "</s>" the end."""
        return [self.processor.id_to_piece(i) for i in map(int, ids)]


def split_lines(data: bytes) -> Lines:
    """UTF-8 as lines, split on "\\n" only."""
    lines = data.decode("utf-8-sig").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def read_lines(path: str | Path) -> Lines:
    """The lines of a UTF-8 file, plain or .gz."""
    opened = gzip.open if Path(path).suffix == ".gz" else open
    with reading(path), opened(path, "rb") as file:
        return split_lines(file.read())


def text_file(folder: str | Path, name: str) -> Path:
    """The file of that name, or where there is none, the one that also ends in .gz."""
    plain, packed = Path(folder, name), Path(folder, f"{name}.gz")
    return packed if packed.exists() and not plain.exists() else plain


def read_parallel(folder: str | Path, split: str, src: str, tgt: str) -> tuple[Lines, Lines]:
    """The two sides of folder/split.src and folder/split.tgt (or .gz), line by line."""
    paths = [text_file(folder, f"{split}.{language}") for language in (src, tgt)]
    sources, targets = map(read_lines, paths)
    if len(sources) != len(targets):
        lengths = f"{split}.{src} has {len(sources)} lines and {split}.{tgt} has {len(targets)}"
        raise ValueError(f"{folder}/{lengths}; they must match in lines.")
    return sources, targets


def encode_pairs(texts: Sequence[tuple[str, str]], src: Tokenizer, tgt: Tokenizer) -> list[Pair]:
    """Pairs of texts as pairs of ids."""
    return [(src.encode(clean(source)), tgt.encode(clean(target))) for source, target in texts]


def pad(rows: Sequence[Sequence[int]]) -> Tensor:
    """Rows of ids, padded on the right with 0 to one length: (B, n)."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows], dtype=torch.long)


@dataclass(frozen=True)
class Batch:
    """Sentence pairs side by side, the target shifted right by one (Figure 1)."""

    src: Tensor  # (B, S), ends in eos
    tgt_in: Tensor  # (B, T), begins with bos
    tgt_out: Tensor  # (B, T), ends in eos
    rows: tuple[int, ...] = ()  # places in the corpus

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
        sides = (self.src, self.tgt_in, self.tgt_out)
        src, tgt_in, tgt_out = (x.to(device, non_blocking=True) for x in sides)
        return Batch(src, tgt_in, tgt_out, self.rows)


class Batches:
    """A corpus in batches by real tokens (section 5.1): no side of one exceeds tokens_per_batch.

    The order of an epoch is a pure function of (seed, its number). window: pairs sorted together.
    """

    def __init__(
        self, pairs: Sequence[Pair], tokens_per_batch: int, seed: int = 0, window: int = 1 << 15
    ):
        self.pairs = pairs
        self.tokens_per_batch = tokens_per_batch
        self.seed = seed
        self.window = window  # of sorting, not of attention
        self.lengths = [(len(source) + 1, len(target) + 1) for source, target in pairs]  # with eos
        self.usable = [row for row, n in enumerate(self.lengths) if max(n) <= tokens_per_batch]
        if not self.usable:
            problem = f"Of {len(pairs)} pairs none fits into a batch of {tokens_per_batch} tokens"
            raise ValueError(f"{problem}; raise tokens_per_batch, or is the corpus empty?")
        if len(self.usable) < len(pairs):
            problem = f"{len(pairs) - len(self.usable)} of {len(pairs)} pairs exceed"
            warnings.warn(f"{problem} {tokens_per_batch} tokens: left out.", stacklevel=2)

    def plan(self, epoch: int) -> list[list[int]]:
        """Which pairs go together: sorted by source length in shuffled windows, then shuffled."""
        rng = random.Random(f"{self.seed} {epoch}")
        order = self.usable.copy()
        rng.shuffle(order)
        starts = range(0, len(order), self.window)
        windows = (order[start : start + self.window] for start in starts)
        batches = [batch for window in windows for batch in self.cut(window)]
        rng.shuffle(batches)
        return batches

    def cut(self, window: Sequence[int]) -> Iterator[list[int]]:
        """Batches sorted by source length alone: by target length too, all would end at once."""
        batch, src_tokens, tgt_tokens = list[int](), 0, 0
        for row in sorted(window, key=lambda row: self.lengths[row][0]):
            src, tgt = self.lengths[row]
            if batch and max(src_tokens + src, tgt_tokens + tgt) > self.tokens_per_batch:
                yield batch
                batch, src_tokens, tgt_tokens = [], 0, 0
            batch.append(row)
            src_tokens += src
            tgt_tokens += tgt
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


# ─── 6 Objective and schedule ────────────────────────────────────────────────────────────────────
def objective(logits: Tensor, tgt_out: Tensor, eps_ls: float) -> tuple[Tensor, Tensor]:
    """Sums over real target tokens of the label-smoothed loss and of the plain nll, in nats.

    Smoothed, the target is (1-ε)·one-hot + ε/V (section 5.4): (B, T, V), (B, T) -> (), ().
    """
    log_probs = logits.float().log_softmax(-1)  # (B, T, V)
    nll = -log_probs.gather(-1, tgt_out[..., None]).squeeze(-1)  # (B, T)
    loss = (1 - eps_ls) * nll - eps_ls * log_probs.mean(-1)  # (B, T)
    padding = tgt_out == PAD
    return loss.masked_fill(padding, 0.0).sum(), nll.detach().masked_fill(padding, 0.0).sum()


def label_smoothed_loss(logits: Tensor, tgt_out: Tensor, eps_ls: float = 0.1) -> Tensor:
    """Mean cross-entropy to (1-ε)·one-hot + ε/V, in nats (section 5.4): (B, T, V), (B, T) -> ()."""
    return objective(logits, tgt_out, eps_ls)[0] / (tgt_out != PAD).sum()


def learning_rate(step: int, d_model: int, warmup_steps: int = 4000) -> float:
    """d_model^-0.5 · min(step^-0.5, step · warmup_steps^-1.5) (equation 3); step counts from 1."""
    if min(step, warmup_steps) < 1:
        raise ValueError(f"step is {step} and warmup_steps {warmup_steps}; both count from 1.")
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)


# ─── 7 Checkpoints ───────────────────────────────────────────────────────────────────────────────
TOKENIZERS = ("tokenizer.model", "tgt_tokenizer.model")  # the second for a target of its own


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: a kill or a full disk leaves the old or the new one."""
    temporary = path.with_name(path.name + ".part")
    with reading(path, "written", "is there room for it, and may you write there"):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.unlink(missing_ok=True)  # what a kill has left; a link there is not followed
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)


def weights_of(model: nn.Module) -> Weights:
    """The parameters by name, on the CPU (no copies of those there), a shared matrix once."""
    parameters = model.named_parameters()
    return {name: parameter.detach().cpu().contiguous() for name, parameter in parameters}


def save_checkpoint(
    folder: str | Path, config: TransformerConfig, weights: Weights, *tokenizers: Tokenizer
) -> None:
    """Write config.json, tokenizer.model, model.safetensors; a second tokenizer is the target's."""
    written = json.dumps({"kind": config.kind} | asdict(config), indent=2) + "\n"
    write_atomically(Path(folder, "config.json"), written.encode())
    for name, tokenizer in zip(TOKENIZERS, dict.fromkeys(tokenizers), strict=False):
        write_atomically(Path(folder, name), tokenizer.model)
    write_atomically(Path(folder, "model.safetensors"), safetensors.torch.save(weights))


def read_tensors(path: Path) -> Weights:
    """The tensors of a safetensors file."""
    with reading(path):
        return safetensors.torch.load_file(path)


def read_config(folder: Path) -> TransformerConfig:
    """The configuration in folder/config.json."""
    path = folder / "config.json"
    with reading(path):
        values = dict(json.loads(path.read_bytes()))
        # What was written before kinds were is known by its fields, empty where there is none.
        kind = values.pop("kind", next(filter(values.get, ("cell", "context")), "transformer"))
        if kind == "transformer":
            values = {name: x for name, x in values.items() if not name.startswith("context")}
        if kind in MODELS:
            return MODELS[kind].config_class(**values)
    others = "context (import core_options.context_aware), recurrent (baselines.load_recurrent)"
    raise ValueError(f"{path} is of the kind {kind!r}; known are transformer, {others}.")


def load_weights(model: nn.Module, weights: Weights, source: str | Path) -> None:
    """Copy weights into the model; names and shapes must be the model's own."""
    shapes = {name: tuple(x.shape) for name, x in weights.items()}
    needed = {name: tuple(x.shape) for name, x in model.named_parameters()}
    for name in needed | shapes:
        shape, need = shapes.get(name, "absent"), needed.get(name, "absent")
        if shape != need:
            problem = f"the shape of {name!r} is {shape}, not {need}"
            raise ValueError(f"{source} does not fit its configuration: {problem}.")
    model.load_state_dict(weights, strict=False)  # not strict, as a shared matrix has two names


def load_model(folder: str | Path) -> Transformer:
    """The model in a checkpoint folder, in float32, in eval mode."""
    config = read_config(Path(folder))
    model = MODELS[config.kind](config)
    path = Path(folder, "model.safetensors")
    load_weights(model, read_tensors(path), path)
    return model.eval()


def average_checkpoints(folders: Sequence[str | Path]) -> Weights:
    """The mean of the weights in several checkpoint folders (section 6.1), summed in float64."""
    if not folders:
        raise ValueError("There is nothing to average; name at least one checkpoint folder.")
    total: Weights = {}
    for folder in folders:
        weights = read_tensors(Path(folder) / "model.safetensors")
        shapes = {name: weight.shape for name, weight in weights.items()}
        if total and shapes != {name: weight.shape for name, weight in total.items()}:
            problem = f"{folder} holds another model than {folders[0]}"
            raise ValueError(f"{problem}; average checkpoints of one run.")
        total = {name: total.get(name, 0) + weight.double() for name, weight in weights.items()}
    return {name: (weight / len(folders)).float() for name, weight in total.items()}


# ─── 8 Training ──────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How to train (section 5); the defaults are the paper's."""

    steps: int = 100_000  # updates to make in all
    warmup_steps: int = 4000  # the learning rate rises for so long
    beta1: float = 0.9
    beta2: float = 0.98
    eps_adam: float = 1e-9
    clip_norm: float | None = None  # gradients longer than this are shortened to it
    seed: int = 0  # of dropout (and, on the command line, of weights and order)
    device: str = "auto"  # auto, cpu, cuda, mps
    precision: str = "auto"  # fp32, bf16 (autocast), or medium (a way may take bf16 in products)

    def learning_rate(self, step: int, d_model: int) -> float:
        """The rate of this step; a subclass may have another."""
        return learning_rate(step, d_model, self.warmup_steps)


class Step(NamedTuple):
    """One update; loss (label-smoothed) and nll: means in nats per real target token."""

    step: int
    loss: float
    nll: float
    learning_rate: float
    n_tokens: int
    seconds: float
    gradient_norm: float
    epoch: int


class NonFiniteStep(FloatingPointError):
    """A step whose loss or gradient is no number, and which was not made; rows: its batch's."""

    def __init__(self, step: int, loss: float, gradient_norm: float, rows: Sequence[int]):
        self.what = f"Step {step} has loss {loss}, gradient norm {gradient_norm}"
        self.lines = sorted(row + 1 for row in rows)  # of the corpus, as editors count
        where = f", on lines {str(self.lines)[1:-1]} of the corpus: look at these" if rows else ""
        super().__init__(f"{self.what} and was not made{where}; try a lower rate, or clip_norm=1.")


def pick_device(name: str = "auto") -> torch.device:
    """CUDA, Apple's MPS or the CPU, the first that is there; or the one named."""
    if name == "auto":
        there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
        name = next((kind for kind in there if there[kind]), "cpu")
    try:
        number = torch.zeros(1, device=name)
        number.item()  # "meta" is a device without numbers
        return number.device
    except (RuntimeError, AssertionError, NotImplementedError):
        problem = f"The device {name!r} is not to be had here"
        raise ValueError(f"{problem}; use auto, cpu, cuda or mps.") from None


def pick_precision(device: torch.device, name: str = "auto") -> str:
    """The one named; "auto": bf16 on a GPU that has it, else fp32."""
    choices = "auto fp32 bf16 medium" if device.type == "cpu" else "auto fp32 bf16"
    if name not in choices.split():
        raise ValueError(f"The precision is {name!r}; choose one of {choices.replace(' ', ', ')}.")
    if name != "auto":
        return name
    is_fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
    return "bf16" if is_fast else "fp32"


@contextlib.contextmanager
def seeded(device: torch.device, *key: int) -> Iterator[None]:
    """Random numbers by the key alone; the caller's, of the CPU and a CUDA device, go on after."""
    seed = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:8], "little") >> 1
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices, device_type="cuda"):
        torch.manual_seed(seed)
        yield


def saved_training(path: Path) -> dict[str, Any]:
    """What TrainingState.save wrote beside the tensors: the place in the data, and its `about`."""
    with reading(path), safetensors.safe_open(path, framework="pt") as file:
        return {name: json.loads(file.metadata()[name]) for name in ("place", "about")}


class TrainingState:
    """All that a run needs to go on: weights, Adam's moments, its place (so order and dropout)."""

    def __init__(self, model: Transformer, config: TrainingConfig):
        self.model = model.to(pick_device(config.device))
        self.config = config
        self.device = next(model.parameters()).device
        self.precision = pick_precision(self.device, config.precision)
        betas, eps = (config.beta1, config.beta2), config.eps_adam
        parameters = model.parameters()
        self.optimizer = torch.optim.Adam(parameters, lr=0.0, betas=betas, eps=eps, fused=True)
        self.step = self.epoch = self.index = 0  # the next batch is this epoch's index-th
        self.seconds = 0.0

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
        tensors = read_tensors(Path(path))
        saved = saved_training(Path(path))
        weights = {name[6:]: x for name, x in tensors.items() if name.startswith("model.")}
        load_weights(self.model, weights, path)
        self.optimizer.state.clear()
        for name, parameter in self.model.named_parameters():
            for moment in ("step", "exp_avg", "exp_avg_sq"):
                value = tensors.get(f"adam.{moment}.{name}")
                if value is not None:
                    self.optimizer.state[parameter][moment] = value.to(self.device)
        with reading(path):
            place = saved["place"]
            self.step, self.epoch = int(place["step"]), int(place["epoch"])
            self.index, self.seconds = int(place["index"]), float(place["seconds"])
        return saved["about"]


class Way:
    """How a batch is worked: here plainly, padded to its longest; a subclass may do it faster."""

    rank = 0  # which process this is, where several share the batches out

    def sums(self, state: TrainingState, batch: Batch) -> Iterator[tuple[Tensor, Tensor]]:
        """Of each part of a batch (here all) the loss, to be differentiated, and the nll: sums."""
        batch = batch.to(state.device)
        with torch.autocast(state.device.type, torch.bfloat16, enabled=state.precision == "bf16"):
            logits = state.model(batch.src, batch.tgt_in)
        yield objective(logits, batch.tgt_out, state.model.config.eps_ls)

    def total(self, numbers: Tensor) -> Tensor:
        """Numbers added up over all processes."""
        return numbers


def train(
    model: Transformer, batches: Batches, config: TrainingConfig | None = None,
    state: TrainingState | None = None, way: Way | None = None,
) -> Iterator[Step]:  # fmt: skip
    """Train, yielding a Step after each update; the caller charts, saves, stops and goes on.

    batches: anything with `epoch(number, start) -> iterator of Batch`. state: where to go on, kept
    up to date; None starts afresh.
    """
    config = config or (state.config if state else TrainingConfig())
    state = state or TrainingState(model, config)
    if state.model is not model:
        raise ValueError("state belongs to another model; pass TrainingState(model, config).")
    state.config = config
    while state.step < config.steps:
        for batch in batches.epoch(state.epoch, state.index):
            model.train()
            yield update(state, batch, way or Way())
            if state.step >= config.steps:
                return
        if not state.index:
            raise ValueError(f"Epoch {state.epoch} has no batches; is the corpus empty?")
        state.epoch, state.index = state.epoch + 1, 0


def update(state: TrainingState, batch: Batch, way: Way) -> Step:
    """One step of Adam (section 5.3): a batch's mean loss, its gradient, the rate of equation 3."""
    began, step, n_tokens = time.perf_counter(), state.step + 1, batch.n_tokens
    state.optimizer.zero_grad()
    sums = torch.zeros(2, device=state.device)
    with seeded(state.device, state.config.seed, step, way.rank):
        for loss, nll in way.sums(state, batch):
            (loss / n_tokens).backward()
            sums += torch.stack([loss.detach(), nll])
    longest = math.inf if state.config.clip_norm is None else state.config.clip_norm
    norm = nn.utils.clip_grad_norm_(state.model.parameters(), longest).item()
    mean_loss, mean_nll = (total / n_tokens for total in way.total(sums).tolist())
    if not math.isfinite(mean_loss + norm):
        raise NonFiniteStep(step, mean_loss, norm, batch.rows)
    rate = state.config.learning_rate(step, state.model.config.d_model)
    state.optimizer.param_groups[0]["lr"] = rate
    state.optimizer.step()
    seconds = time.perf_counter() - began
    state.step += 1
    state.index += 1
    state.seconds += seconds
    return Step(step, mean_loss, mean_nll, rate, n_tokens, seconds, norm, state.epoch)


@contextlib.contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Eval mode and no gradients inside; the mode is put back after."""
    with contextlib.ExitStack() as leaving, torch.no_grad():
        leaving.callback(model.train, model.training)
        model.eval()
        yield


# ─── 9 Decoding ──────────────────────────────────────────────────────────────────────────────────
class Hypothesis(NamedTuple):
    """A translation: ids without bos (eos last, if it ended), log-probability in nats, score."""

    ids: list[int]
    log_prob: float
    score: float


def next_log_probs(logits: Tensor) -> Tensor:
    """Log-probabilities of what comes next, never padding or begin: (N, T, V) -> (N, V)."""
    log_probs = logits[:, -1].float().log_softmax(-1)
    log_probs[:, [PAD, BOS]] = -math.inf
    return log_probs


def token_limits(model: Transformer, src: Tensor, max_extra: int) -> Tensor:
    """The most tokens of a translation: max_extra more than its source (section 6.1). (B,)"""
    limits = ((src != PAD) & (src != EOS)).sum(1) + max_extra
    if model.config.positions == "learned":
        limits = limits.clamp(max=model.config.max_len)
    return limits


def new_cache(model: Transformer, capacity: int) -> Cache:
    """Room for so many target positions, and for the source, in each layer of the decoder."""
    return [(KeyValues(capacity), KeyValues()) for _ in model.decoder]


def greedy_decode(
    model: Transformer, src: Tensor, max_extra: int = 50, cached: bool = True
) -> list[Hypothesis]:
    """The likeliest token at every step; without a cache all is read anew: src (B, S)."""
    with evaluating(model):
        memory, src_mask = model.encode(src), src != PAD
        limits = token_limits(model, src, max_extra)  # (B,)
        cache = new_cache(model, int(limits.max())) if cached else ()
        tokens = torch.full((len(src), 1), BOS, device=src.device)  # (B, n)
        log_prob = torch.zeros(len(src), device=src.device)  # (B,)
        going = torch.ones(len(src), dtype=torch.bool, device=src.device)
        while going.any():
            unread = tokens[:, -1:] if cached else tokens
            log_probs = next_log_probs(model.decode(unread, memory, src_mask, cache))  # (B, V)
            best, token = log_probs.max(-1)  # (B,)
            log_prob += best.masked_fill(~going, 0.0)
            tokens = torch.cat([tokens, token.masked_fill(~going, PAD)[:, None]], dim=-1)
            going = going & (token != EOS) & (tokens.size(1) <= limits)
    rows = zip(tokens[:, 1:].tolist(), log_prob.tolist(), strict=True)
    return [Hypothesis([i for i in ids if i != PAD], total, total) for ids, total in rows]


def length_penalty(n: Any, alpha: float) -> Any:
    """((5 + n) / 6)^α (section 6.1, after Wu et al., 2016), n in target tokens, eos included."""
    return ((5 + n) / 6) ** alpha


class BeamStep(NamedTuple):
    """What a step of a beam search did to its W hypotheses."""

    before: Tensor  # (W,) log-probabilities of what was prolonged, -inf where there is none
    log_probs: Tensor  # (W, V) of every token after each
    parents: Tensor  # (W,) what each of the W best prolongs, best first
    tokens: Tensor  # (W,) by which token
    log_prob: Tensor  # (W,) how likely it then is
    has_slot: Tensor  # (W,) whether it may stay, as a finished one keeps its slot
    ended: Tensor  # (W,) whether it is finished
    best: Hypothesis  # the best finished one so far; where there is none, the likeliest


def beam_steps(
    model: Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> Iterator[BeamStep]:
    """Search over one sentence, src (1, S); each step prolongs W hypotheses by a token (6.1).

    It ends when nothing live can still win, or where section 6.1 cuts translations off.
    """
    if beam_size < 1 or not 0 <= alpha < math.inf or max_extra < 0:
        values = f"beam_size is {beam_size}, alpha {alpha}, max_extra {max_extra}"
        raise ValueError(f"{values}; pass at least 1, 0 and 0.")
    memory, src_mask = model.encode(src), src != PAD
    limit = max(1, int(token_limits(model, src, max_extra)))
    cache = new_cache(model, limit * beam_size)
    ids = torch.full((beam_size, 1), BOS, device=src.device)  # (W, n)
    log_prob = torch.full((beam_size,), -math.inf, device=src.device)  # -inf: not in use
    log_prob[0] = 0.0
    own = past = torch.eye(beam_size, device=src.device).bool()  # (W, n·W), what each looks back on
    finished: list[Hypothesis] = []
    for n in range(1, limit + 1):
        before = log_prob
        logits = model.decode(ids[:, -1:], memory, src_mask, cache, past[None, None])
        log_probs = next_log_probs(logits)  # (W, V)
        log_prob, index = (before[:, None] + log_probs).flatten().topk(beam_size)  # (W,)
        parents, tokens = index // log_probs.size(1), index % log_probs.size(1)
        has_slot = torch.arange(beam_size, device=src.device) < beam_size - len(finished)
        ended = (tokens == EOS) & has_slot & log_prob.isfinite()
        ids = torch.cat([ids[parents], tokens[:, None]], dim=-1)
        past = torch.cat([past[parents], own], dim=-1)
        for own_cache, _ in cache:
            if len(own_cache.state):
                own_cache.state = own_cache.state[:, parents]
        penalty, totals = length_penalty(n, alpha), log_prob.tolist()
        rows = zip(ids[:, 1:].tolist(), totals, strict=True)
        hypotheses = [Hypothesis(row, total, total / penalty) for row, total in rows]
        finished += itertools.compress(hypotheses, ended.tolist())
        best = max(finished or hypotheses[:1], key=lambda hypothesis: hypothesis.score)
        yield BeamStep(before, log_probs, parents, tokens, log_prob, has_slot, ended, best)
        log_prob = log_prob.masked_fill(ended | ~has_slot, -math.inf)  # what is live
        if finished and log_prob.max() / length_penalty(limit, alpha) <= best.score:
            return


def beam_search(
    model: Transformer, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[Hypothesis]:
    """The best translation found for each sentence of src (B, S), one by one (section 6.1).

    score = log-probability / length_penalty. A finished hypothesis keeps its slot; one cut off
    counts where none finished.
    """
    hypotheses = []
    with evaluating(model):
        for row in src:
            for step in beam_steps(model, row[row != PAD][None], beam_size, alpha, max_extra):
                best = step.best
            hypotheses.append(best)
    return hypotheses


# ─── 10 Translator ───────────────────────────────────────────────────────────────────────────────
class Translator:
    """A trained model with its tokenizer, or two: `translator.translate(["I am a teacher."])`."""

    def __init__(
        self, model: Transformer, tokenizer: Tokenizer, name: str = "",
        tgt_tokenizer: Tokenizer | None = None,
    ):  # fmt: skip
        self.model = model.eval()
        self.name = name
        self.tokenizer = tokenizer
        self.tgt_tokenizer = tgt_tokenizer or tokenizer
        pieces = [len(self.tokenizer), len(self.tgt_tokenizer)]
        rows = [model.src_embedding.num_embeddings, model.tgt_embedding.num_embeddings]
        if pieces != rows:
            problem = f"Tokenizers (src, tgt) of {pieces} pieces do not match the model's {rows}"
            raise ValueError(f"{problem}; use its own.")

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device

    def source(self, texts: Sequence[str]) -> Tensor:
        """Sentences as ids, each ended by eos and padded on the right: (B, S)."""
        return pad([[*self.tokenizer.encode(clean(text)), EOS] for text in texts]).to(self.device)

    def translate(
        self, texts: Sequence[str], beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
    ) -> list[str]:
        """One line for each text, in order, empty for an empty one."""
        if isinstance(texts, str):
            raise TypeError("translate takes a list of texts; for one write translate([text])[0].")
        lines = [""] * len(texts)
        for row, text in enumerate(map(clean, texts)):
            if text:
                (best,) = beam_search(self.model, self.source([text]), beam_size, alpha, max_extra)
                lines[row] = clean(self.tgt_tokenizer.decode(best.ids))
        return lines


def find_checkpoint(name_or_path: str | Path) -> Path:
    """A checkpoint's folder, by its path or by its name under checkpoints/ beside this file."""
    shelf = Path(__file__).resolve().parent / "checkpoints"
    for folder in (Path(name_or_path), shelf / name_or_path):
        if (folder / "config.json").is_file():
            return folder
    names = ", ".join(sorted(path.parent.name for path in shelf.glob("*/config.json")))
    advice = f"give a folder that training wrote, or one of these names: {names or '(none)'}"
    raise ValueError(f"There is no checkpoint {str(name_or_path)!r}; {advice}.")


def load_pretrained(name_or_path: str | Path, device: str = "cpu") -> Translator:
    """A trained Translator from a folder, or by name from checkpoints/ beside this file."""
    folder = find_checkpoint(name_or_path)
    model = load_model(folder).to(pick_device(device))
    sides = TOKENIZERS if model.config.tgt_vocab_size else TOKENIZERS[:1]
    tokenizers = [Tokenizer.load(folder / name) for name in sides]
    return Translator(model, tokenizers[0], folder.resolve().name, tokenizers[-1])


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str], **settings: Any) -> Any:
    """sacreBLEU's score (13a) and the metric that made it, which knows its signature."""
    import sacrebleu

    metric = sacrebleu.BLEU(**settings)
    return metric.corpus_score(list(hypotheses), [list(references)]), metric


# ─── 11 Command line ─────────────────────────────────────────────────────────────────────────────
def say(message: str) -> None:
    """A line of progress, on standard error; where several processes train, of the first alone."""
    if os.environ.get("RANK", "0") == "0" or "LOCAL_RANK" not in os.environ:
        print(message, file=sys.stderr, flush=True)


@dataclass(frozen=True, kw_only=True)
class TrainArguments(TrainingConfig):
    """What the command `train` is told."""

    data: str  # folder of parallel text
    out: str  # folder of the run
    src: str = "en"  # ending of the source files
    tgt: str = "de"  # ending of the target files
    preset: str = "small"  # tiny, small, parser, base, big or any row of Table 3, such as A-h4
    vocab_size: int = 8000  # at most so many sub-word pieces, shared by both languages
    tokens_per_batch: int = 4096  # real tokens of a batch, on either side
    save_every: int = 1000  # steps between checkpoints; 0: at the end alone
    resume: bool = False  # go on with the run in OUT; start it where there is none


def refuse_trained(out: str, resume: bool = False) -> None:
    """Refuse to write over a model, or over a run that is not to go on."""
    kinds = {"state": "run", "model": "trained model"}
    there = [kind for name, kind in kinds.items() if Path(out, f"{name}.safetensors").exists()]
    if there and not (resume and "run" in there):
        raise ValueError(f"{out} holds a {there[0]}; name another --out (to train on: --resume).")


def train_command(arguments: TrainArguments) -> int:
    """Train a Transformer on a folder of parallel text.

    The folder holds train.SRC and train.TGT (also .gz), one sentence a line. OUT becomes a
    checkpoint folder with the last state, OUT/step-N are others. A run that was stopped goes on
    with --resume, the same arguments and perhaps more steps.
    """
    folder = Path(arguments.out)
    saved = folder / "state.safetensors"
    refuse_trained(arguments.out, arguments.resume)
    if arguments.preset not in PRESETS:
        raise ValueError(f"{arguments.preset!r} is no preset; choose one of {', '.join(PRESETS)}.")
    if saved.exists() and saved_training(saved)["place"]["step"] >= arguments.steps:
        say(f"{folder} is finished, with {arguments.steps} steps or more.")
        return 0
    sources, targets = read_parallel(arguments.data, "train", arguments.src, arguments.tgt)
    if not saved.exists():
        learned = Tokenizer.train(sources + targets, arguments.vocab_size)
        write_atomically(folder / TOKENIZERS[0], learned.model)
    tokenizer = Tokenizer.load(folder / TOKENIZERS[0])
    pairs = encode_pairs([*zip(sources, targets, strict=True)], tokenizer, tokenizer)
    batches = make_batches(pairs, arguments.tokens_per_batch, arguments.seed)
    batches.usable = [row for row in batches.usable if all(pairs[row])]  # neither side is empty
    torch.manual_seed(arguments.seed)
    model = Transformer(TransformerConfig(len(tokenizer), **PRESETS[arguments.preset]))
    state = TrainingState(model, arguments)
    if saved.exists():
        state.load(saved)
    else:
        state.save(saved)  # the folder is this run's
    say(f"{count_parameters(model):,} parameters, on {state.device} in {state.precision}")
    for step in train(model, batches, arguments, state):
        if step.step % (arguments.save_every or step.step + 1) == 0 or step.step == arguments.steps:
            say(f"step {step.step}: nll {step.nll:.4f}, {step.n_tokens / step.seconds:.0f} tok/s")
            for name in (f"step-{step.step}", "."):
                save_checkpoint(folder / name, model.config, weights_of(model), tokenizer)
            state.save(saved)  # last of all
    return 0


def step_folders(run: str | Path) -> list[Path]:
    """The step-N folders of a run, oldest first."""
    folders = [path.parent for path in Path(run).glob("step-*/model.safetensors")]
    numbered = [folder for folder in folders if folder.name[5:].isdecimal()]
    return sorted(numbered, key=lambda folder: int(folder.name[5:]))


@dataclass(frozen=True, kw_only=True)
class SearchArguments:
    """Which model translates, and how it searches."""

    checkpoint: str  # a folder, or a name under checkpoints/, such as tatoeba-en-de
    beam_size: int = 4  # hypotheses kept side by side; 1 is greedy
    alpha: float = 0.6  # strength of the length penalty

    def translate(self, texts: Sequence[str]) -> list[str]:
        translator = load_pretrained(self.checkpoint, "auto")
        return translator.translate(texts, self.beam_size, self.alpha)


def translate_command(search: SearchArguments) -> int:
    """Translate standard input to standard output, UTF-8: a line for each line, in order."""
    lines = search.translate(split_lines(sys.stdin.buffer.read()))
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
        problem = f"{src} has {len(sources)} lines, {ref} {len(references)}"
        raise ValueError(f"{problem}; give at least one, line for line.")
    score, metric = corpus_bleu(search.translate(sources), references, lowercase=lowercase)
    print(f"{metric.get_signature()} beam:{search.beam_size}|alpha:{search.alpha}\n{score}")
    return 0


def average_command(run: str, /, out: str, last: int = 5) -> int:
    """Average the last checkpoints of a run (section 6.1) into a new checkpoint folder.

    Args:
        run: folder of the run, which holds step-N folders
        out: folder of the new checkpoint
        last: how many
    """
    refuse_trained(out)
    folders = step_folders(run)
    if not 1 <= last <= len(folders):
        problem = f"--last is {last}, but {run} holds {len(folders)} step-N folders"
        raise ValueError(f"{problem}; ask for at least one, and for no more than there are.")
    newest, weights = load_pretrained(folders[-1]), average_checkpoints(folders[-last:])
    save_checkpoint(out, newest.model.config, weights, newest.tokenizer, newest.tgt_tokenizer)
    say(f"{out} is the mean of {', '.join(folder.name for folder in folders[-last:])}.")
    return 0


COMMANDS = (train_command, translate_command, evaluate_command, average_command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; a wrong input ends in one sentence on standard error and exit status 2."""
    import tyro

    commands: Sequence[Callable[..., int]] = COMMANDS
    try:
        from core_options.command_line import COMMANDS as commands
    except ModuleNotFoundError as error:
        if not str(error.name).endswith("_options"):  # else this file is alone
            raise
    flat = tyro.conf.configure(tyro.conf.OmitArgPrefixes)  # a dataclass's options are the command's
    by_name = {command.__name__.removesuffix("_command"): flat(command) for command in commands}
    title = __doc__.split("\n")[0]
    try:
        return tyro.extras.subcommand_cli_from_dict(by_name, args=arguments, description=title)
    except (ValueError, FloatingPointError, OSError) as error:
        say(f"Error: {error}")
        return 2


if __name__ == "__main__":
    sys.modules.setdefault("transformer_core", sys.modules[__name__])  # options import this one
    sys.exit(main())
