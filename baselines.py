"""What the paper compares self-attention with (sections 1, 2 and 4): the layers of Table 1, real, counted and measured.

    1  Recurrent layers        RNN, GRU, LSTM: one position after the other
    2  Convolutional layers    contiguous, dilated, separable
    3  Self-attention          the core's, full, and restricted to a window
    4  Encoder-decoders        recurrent, with one fixed vector or with attention
    5  Table 1, exact          multiply-adds, sequential operations, path length as integers
    6  Table 1, measured       the same three of the real layers: torch's counter, the graph of what waits, gradients

Every layer maps (B, n, D) to (B, n, D). Letters as in the paper: n positions, d = D the width, k the kernel of a
convolution, r the window of restricted attention, itself included. One multiply-add is two FLOPs.
"""

from __future__ import annotations

import bisect
import contextlib
import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc

State = tuple[Tensor, ...]  # what a recurrent layer hands from one position to the next, each (…, D)

# ─── 1 Recurrent layers ──────────────────────────────────────────────────────────────────────────────────────────────


class Recurrent(nn.Module):
    """h_t = f(h_{t-1}, x_t) (section 1): step t cannot begin before step t - 1 has ended."""

    n_gates, n_states = 1, 1

    def __init__(self, d_model: int):
        super().__init__()
        self.input = nn.Linear(d_model, self.n_gates * d_model)
        self.recurrent = nn.Linear(d_model, self.n_gates * d_model)

    def step(self, inputs: Tensor, state: State) -> State:
        """One application of the cell: inputs (…, gates·D) are W x_t + b, state is that of position t - 1."""
        raise NotImplementedError

    def start(self, x: Tensor) -> State:
        return tuple(torch.zeros_like(x) for _ in range(self.n_states))

    def forward(self, x: Tensor) -> Tensor:
        state, outputs = self.start(x[:, 0]), []
        for inputs in self.input(x).unbind(1):  # n times (B, gates·D), made at once, as nothing there waits
            state = self.step(inputs, state)
            outputs.append(state[0])
        return torch.stack(outputs, dim=1)  # (B, n, D)

    def sweep(self, x: Tensor, states: State) -> State:
        """Apply the cell at all positions at once, each to what its left neighbour had before; n sweeps are forward."""
        before = tuple(F.pad(state, (0, 0, 1, -1)) for state in states)  # (B, n, D), one place to the right
        return self.step(self.input(x), before)


class RNN(Recurrent):
    """h_t = tanh(W x_t + b + U h_{t-1} + c), Elman's network."""

    def step(self, inputs: Tensor, state: State) -> State:
        return (torch.tanh(inputs + self.recurrent(state[0])),)


class GRU(Recurrent):
    """Gated recurrent unit (Cho et al., 2014), as torch computes it: the reset gate acts after U."""

    n_gates = 3

    def step(self, inputs: Tensor, state: State) -> State:
        (h,) = state
        (x_r, x_z, x_n), (h_r, h_z, h_n) = inputs.chunk(3, -1), self.recurrent(h).chunk(3, -1)
        reset, update = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        new = torch.tanh(x_n + reset * h_n)
        return ((1 - update) * new + update * h,)


class LSTM(Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997): a cell that is added to, behind three gates."""

    n_gates, n_states = 4, 2

    def step(self, inputs: Tensor, state: State) -> State:
        h, cell = state
        write, keep, new, read = (inputs + self.recurrent(h)).chunk(4, -1)
        cell = torch.sigmoid(keep) * cell + torch.sigmoid(write) * torch.tanh(new)
        return torch.sigmoid(read) * torch.tanh(cell), cell


# ─── 2 Convolutional layers ──────────────────────────────────────────────────────────────────────────────────────────


class Convolution(nn.Module):
    """Each position reads k positions, `dilation` apart: the last ones if causal, else as many behind as ahead."""

    def __init__(self, d_model: int, kernel: int, dilation: int = 1, causal: bool = True, groups: int = 1):
        super().__init__()
        if not causal and kernel % 2 == 0:
            raise ValueError(f"kernel is {kernel}; a centred convolution needs an odd one, a causal one takes any.")
        self.convolution = nn.Conv1d(d_model, d_model, kernel, dilation=dilation, groups=groups)
        reach = (kernel - 1) * dilation
        self.padding = (reach, 0) if causal else (reach // 2, reach // 2)

    def forward(self, x: Tensor) -> Tensor:
        x = F.pad(x.transpose(1, 2), self.padding)  # (B, D, n + reach)
        return self.convolution(x).transpose(1, 2)  # (B, n, D)


class SeparableConvolution(nn.Module):
    """A convolution of each feature by itself, then one product at each position (Chollet, 2016)."""

    def __init__(self, d_model: int, kernel: int, dilation: int = 1, causal: bool = True):
        super().__init__()
        self.depthwise = Convolution(d_model, kernel, dilation, causal, groups=d_model)
        self.pointwise = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.pointwise(self.depthwise(x))


# ─── 3 Self-attention ────────────────────────────────────────────────────────────────────────────────────────────────


def config_of(d_model: int, n_heads: int = 1) -> tc.TransformerConfig:
    """The core's configuration of one layer of width d_model, its heads sharing that width."""
    if d_model % n_heads:
        raise ValueError(f"d_model is {d_model} and n_heads {n_heads}; choose a number of heads that divides it.")
    d_k = d_model // n_heads
    return tc.TransformerConfig(
        1, d_model=d_model, d_ff=4 * d_model, n_heads=n_heads, d_k=d_k, d_v=d_k, positions="learned"
    )


class SelfAttention(nn.Module):
    """The core's multi-head attention, with queries, keys and values from one sequence."""

    def __init__(self, d_model: int, n_heads: int = 1, causal: bool = True):
        super().__init__()
        self.causal = causal
        self.attention = tc.MultiHeadAttention(config_of(d_model, n_heads))

    def forward(self, x: Tensor) -> Tensor:
        return self.attention(x, x, tc.causal_mask(x.size(1), x.device) if self.causal else None)


class RestrictedSelfAttention(SelfAttention):
    """Each position looks at r positions (section 4), and only their scores are computed: r n of them, not n².

    The core's `window_mask` gives the same numbers, but computes all n² scores before it throws most away.
    """

    def __init__(self, d_model: int, window: int, n_heads: int = 1, causal: bool = True):
        super().__init__(d_model, n_heads, causal)
        if not causal and window % 2 == 0:
            raise ValueError(f"window is {window}; a centred window needs an odd one, a causal one takes any.")
        self.window, self.behind = window, window - 1 if causal else window // 2

    def near(self, x: Tensor) -> Tensor:
        """The r neighbours of each position: (B, H, n, K) -> (B, H, n, r, K), zeros beyond the ends."""
        padded = F.pad(x, (0, 0, self.behind, self.window - 1 - self.behind))
        return padded.unfold(2, self.window, 1).transpose(-2, -1)

    def forward(self, x: Tensor) -> Tensor:
        q = self.attention.split(self.attention.w_q(x)).unsqueeze(-2)  # (B, H, n, 1, K)
        k, v = map(self.near, self.attention.keys_values(x))  # (B, H, n, r, K)
        n, offset = x.size(1), torch.arange(self.window, device=x.device) - self.behind
        place = torch.arange(n, device=x.device)[:, None] + offset  # (n, r)
        inside = ((place >= 0) & (place < n)).unsqueeze(-2)  # (n, 1, r)
        heads = tc.attention_weights(tc.attention_scores(q, k, inside)) @ v  # (B, H, n, 1, K)
        return self.attention.w_o(heads.squeeze(-2).transpose(1, 2).flatten(2))


# ─── 4 Encoder-decoders with recurrent layers ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class RecurrentConfig:
    """The shape of a recurrent encoder-decoder.

    cell: "RNN", "GRU" or "LSTM". score: how well a source state fits, "additive" (Bahdanau et al., 2014) or "dot"
    (Luong et al., 2015); None: there is no attention, one fixed vector must carry the sentence (Cho et al., 2014).
    """

    vocab_size: int
    d_model: int = 256
    cell: str = "GRU"
    score: str | None = "additive"
    p_drop: float = 0.1
    eps_ls: float = 0.1
    kind: ClassVar[str] = "recurrent"  # what a checkpoint says it is
    positions: str = "recurrence"  # not to be set: where a word stands is told by when it is read

    def __post_init__(self) -> None:
        choices = dict(cell=("RNN", "GRU", "LSTM"), score=("additive", "dot", None), positions=("recurrence",))
        for name, allowed in choices.items():
            if (value := getattr(self, name)) not in allowed:
                raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(repr, allowed))}.")
        if self.d_model < 2 or self.d_model % 2:
            raise ValueError(f"d_model is {self.d_model}; it must be even, as each direction of the encoder has half.")


class Watched(tc.Probe):
    """A probe of all steps at once, for reading: when they are all known it is too late to change one."""

    def forward(self, x: Tensor) -> Tensor:
        if self.edits:
            raise ValueError("The weights of all steps can only be read; edit those of one step, at the probe `step`.")
        return super().forward(x)


class Alignment(nn.Module):
    """e_ij = a(s_{i-1}, h_j), α_ij = softmax of e_i over j, c_i = Σ_j α_ij h_j (Bahdanau et al., 2014).

    Additive: a = vᵀ tanh(W s_{i-1} + U h_j), a network with one hidden layer. Dot: a = s_{i-1} · h_j.
    """

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.additive = config.score == "additive"
        if self.additive:
            self.w, self.u = (nn.Linear(config.d_model, config.d_model, bias=False) for _ in range(2))
            self.v = nn.Linear(config.d_model, 1, bias=False)
        self.step, self.scores, self.weights = tc.Probe(), Watched(), Watched()

    def keys(self, memory: Tensor) -> Tensor:
        return self.u(memory) if self.additive else memory  # (B, S, D), the same for all steps

    def forward(self, state: Tensor, keys: Tensor, memory: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """State (B, W, D), keys and memory (B, S, D), mask (B, S) -> c (B, W, D), scores and weights (B, W, S)."""
        if self.additive:
            scores = self.v(torch.tanh(self.w(state)[:, :, None] + keys[:, None])).squeeze(-1)  # (B, W, S)
        else:
            scores = state @ keys.transpose(1, 2)  # (B, W, S)
        scores = scores.masked_fill(~mask[:, None], -math.inf)
        weights = self.step(tc.attention_weights(scores))
        return weights @ memory, scores, weights


class RecurrentDecoder(nn.Module):
    """s_i = f(s_{i-1}, y_{i-1}, c_i), and g(y_{i-1}, s_i, c_i), from which the next word is told."""

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.cell = getattr(nn, config.cell)(2 * config.d_model, config.d_model, batch_first=True)
        self.start = nn.Linear(config.d_model, config.d_model)
        self.readout = nn.Linear(3 * config.d_model, config.d_model)
        self.dropout = nn.Dropout(config.p_drop)
        if config.score:
            self.cross_attention = Alignment(config)

    def first_state(self, memory: Tensor, mask: Tensor) -> State:
        """s_0 from what each direction of the encoder read last: (1, B, D) for each state of the cell."""
        half = memory.size(-1) // 2
        last = mask.sum(1).sub(1).clamp(0, memory.size(1) - 1)[:, None, None].expand(-1, 1, half)
        ends = torch.cat([memory[:, :, :half].gather(1, last), memory[:, :1, half:]], -1)  # (B, 1, D)
        state = torch.tanh(self.start(ends)).transpose(0, 1).contiguous()
        return (state, torch.zeros_like(state)) if isinstance(self.cell, nn.LSTM) else (state,)

    def advance(self, y: Tensor, c: Tensor, state: State) -> tuple[Tensor, State]:
        """Words and contexts (B·W, n, D) -> all new states of the cell (B·W, n, D), and the last, to go on with."""
        s, new = self.cell(torch.cat([y, c], -1), state if len(state) > 1 else state[0])
        return s, new if isinstance(new, tuple) else (new,)

    def told(self, y: Tensor, s: Tensor, c: Tensor) -> Tensor:
        return self.dropout(torch.tanh(self.readout(torch.cat([y, s, c], -1))))

    def forward(self, y: Tensor, memory: Tensor, state: State) -> tuple[Tensor, State]:
        """Without attention: words y (B·W, T, D), one vector a sentence (B, 1, D) -> (B·W, T, D), the last state."""
        c = memory.repeat_interleave(len(y) // len(memory), 0).expand_as(y)
        s, state = self.advance(y, c, state)
        return self.told(y, s, c), state

    def attend(self, y: Tensor, memory: Tensor, mask: Tensor, keys: Tensor, state: State) -> tuple[Tensor, State]:
        """With attention: words y (B·W, T, D), one after the other, memory and keys (B, S, D) -> as above."""
        steps, (n, _, d) = list[State](), y.shape
        for word in y.split(1, dim=1):  # (B·W, 1, D)
            c, scores, weights = self.cross_attention(state[0].view(len(memory), -1, d), keys, memory, mask)
            s, state = self.advance(word, c.reshape(n, 1, d), state)
            steps.append((s, c.reshape(n, 1, d), *(x.reshape(n, 1, 1, -1) for x in (scores, weights))))
        s, c, scores, weights = (torch.cat(parts, dim=-2) for parts in zip(*steps, strict=True))
        self.cross_attention.scores(scores), self.cross_attention.weights(weights)  # (B·W, 1, T, S)
        return self.told(y, s, c), state


class RecurrentEncoderDecoder(nn.Module):
    """A recurrent translator that the core trains, decodes and records as it does its Transformer.

    model(src, tgt_in) -> logits: src (B, S), tgt_in (B, T) are ids padded with 0 on the right, logits (B, T, V). The
    encoder reads in both directions. One embedding serves source, target and softmax, times √d_model as in the core.
    """

    def __init__(self, config: RecurrentConfig):
        super().__init__()
        self.config, d = config, config.d_model
        self.src_embedding = self.tgt_embedding = nn.Embedding(config.vocab_size, d)
        nn.init.normal_(self.src_embedding.weight, std=d**-0.5)
        self.dropout = nn.Dropout(config.p_drop)
        self.encoder = getattr(nn, config.cell)(d, d // 2, batch_first=True, bidirectional=True)
        self.decoder = nn.ModuleList([RecurrentDecoder(config)])

    def embed(self, ids: Tensor, what: str) -> Tensor:
        tc.check_ids(ids, self.config.vocab_size, what)
        return self.dropout(self.src_embedding(ids) * math.sqrt(self.config.d_model))  # (B, n, D)

    def encode(self, src: Tensor) -> Tensor:
        """src (B, S) -> h_1, …, h_S (B, S, D), both directions side by side; without attention their ends (B, 1, D)."""
        lengths = (src != tc.PAD).sum(1).clamp(min=1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(self.embed(src, "src"), lengths, True, enforce_sorted=False)
        states, final = self.encoder(packed)
        if self.config.score is None:
            final = final[0] if isinstance(final, tuple) else final  # (2, B, D/2); an LSTM has its cell too
            return final.transpose(0, 1).flatten(1)[:, None]
        return nn.utils.rnn.pad_packed_sequence(states, True, total_length=src.size(1))[0]

    def decode(
        self, tgt_in: Tensor, memory: Tensor, src_mask: Tensor, cache: tc.Cache = (), past: Tensor | None = None
    ) -> Tensor:
        """tgt_in (B, T), with a cache the next (B·W, 1); memory from encode, src_mask (B, S) -> logits (B, T, V)."""
        decoder: Any = self.decoder[0]
        y = self.embed(tgt_in, "tgt_in")
        own, cross = cache[0] if cache else (None, None)
        if own is not None and own.n:
            state = own.state.reshape(1, len(y), -1).split(self.config.d_model, -1)
        else:
            first = decoder.first_state(memory, src_mask)
            state = tuple(x.repeat_interleave(len(y) // len(memory), 1) for x in first)  # (1, B·W, D)
        keys = self.keys(memory, cross)
        if self.config.score is None:
            read, state = decoder(y, memory, state)
        else:
            read, state = decoder.attend(y, memory, src_mask, keys, state)
        if own is not None:
            own.state = torch.cat(state, -1).reshape(len(memory), -1, len(state) * self.config.d_model)  # (B, W, ·)
            own.n += 1
        return F.linear(read, self.tgt_embedding.weight)

    def keys(self, memory: Tensor, cross: tc.KeyValues | None) -> Tensor:
        """U h_j, made once a sentence; without attention there is nothing to make."""

        def made(memory: Tensor) -> tuple[Tensor, Tensor]:
            decoder: Any = self.decoder[0]
            keys = decoder.cross_attention.keys(memory) if self.config.score else memory
            return keys[:, None], keys[:, None]  # (B, 1, S, D)

        return (made(memory) if cross is None else cross(made, memory))[0].squeeze(1)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.decode(tgt_in, self.encode(src), src != tc.PAD)


def load_recurrent(folder: str | Path) -> tc.Translator:
    """A trained recurrent encoder-decoder, from a folder that tc.save_checkpoint wrote."""
    folder = Path(folder)
    with tc.reading(folder / "config.json"):
        values = json.loads((folder / "config.json").read_bytes())
        values.pop("kind", None)  # older ones do not say
        model = RecurrentEncoderDecoder(RecurrentConfig(**values))
    tc.load_weights(model, tc.read_tensors(folder / "model.safetensors"), folder)
    return tc.Translator(model, tc.Tokenizer.load(folder / "tokenizer.model"), folder.resolve().name)  # type: ignore


# ─── 5 Table 1, exact ────────────────────────────────────────────────────────────────────────────────────────────────

Terms = tuple[tuple[int, str], ...]  # 4nd² + 2n²d is ((4, "ndd"), (2, "nnd"))


@dataclass(frozen=True)
class Kind:
    """A row of Table 1: the paper's order of growth, the exact formulas behind it, and the layer itself.

    core: the multiply-adds that the paper's row counts; terms: those of the whole layer, projections included.
    chain: the longest chain of matrix products of which each needs the one before, a number or "n".
    path: layers (of a recurrent one: cells) between the farthest positions; "∞" where they never meet.
    make: the layer, from d, k, r, causal and its height in a stack, counted from 0.
    """

    order: str
    core: Terms
    terms: Terms
    chain: int | str
    path: str
    make: Callable[..., nn.Module]


def _attention(d: int, causal: bool = True, **_: Any) -> nn.Module:
    return SelfAttention(d, 8 if d % 8 == 0 else 1, causal)


def _restricted(d: int, r: int, causal: bool = True, **_: Any) -> nn.Module:
    return RestrictedSelfAttention(d, r, 8 if d % 8 == 0 else 1, causal)


def _convolution(d: int, k: int, causal: bool = True, **_: Any) -> nn.Module:
    return Convolution(d, k, 1, causal)


def _dilated(d: int, k: int, causal: bool = True, height: int = 0, **_: Any) -> nn.Module:
    return Convolution(d, k, k**height, causal)


def _doubling(d: int, k: int, causal: bool = True, height: int = 0, **_: Any) -> nn.Module:
    return Convolution(d, k, 2**height, causal)


def _separable(d: int, k: int, causal: bool = True, height: int = 0, **_: Any) -> nn.Module:
    return SeparableConvolution(d, k, k**height, causal)


CONVOLUTION: Terms = ((1, "kndd"),)
KINDS: dict[str, Kind] = {
    "self-attention": Kind("n²·d", ((2, "nnd"),), ((4, "ndd"), (2, "nnd")), 4, "1", _attention),
    "RNN": Kind("n·d²", ((2, "ndd"),), ((2, "ndd"),), "n", "n", lambda d, **_: RNN(d)),
    "GRU": Kind("n·d²", ((6, "ndd"),), ((6, "ndd"),), "n", "n", lambda d, **_: GRU(d)),
    "LSTM": Kind("n·d²", ((8, "ndd"),), ((8, "ndd"),), "n", "n", lambda d, **_: LSTM(d)),
    "convolution": Kind("k·n·d²", CONVOLUTION, CONVOLUTION, 1, "n/k", _convolution),
    "dilated convolution": Kind("k·n·d²", CONVOLUTION, CONVOLUTION, 1, "log k", _dilated),
    "doubling convolution": Kind("k·n·d²", CONVOLUTION, CONVOLUTION, 1, "log 2", _doubling),
    "separable convolution": Kind(
        "k·n·d + n·d²", ((1, "knd"), (1, "ndd")), ((1, "knd"), (1, "ndd")), 2, "log k", _separable
    ),
    "restricted self-attention": Kind("r·n·d", ((2, "rnd"),), ((4, "ndd"), (2, "rnd")), 4, "n/r", _restricted),
    "feed-forward": Kind(
        "n·d²", ((8, "ndd"),), ((8, "ndd"),), 2, "∞", lambda d, **_: tc.FeedForward(config_of(d))
    ),
}  # fmt: skip


def kind_of(name: str) -> Kind:
    if name not in KINDS:
        raise ValueError(f"There is no layer {name!r} in Table 1 here; choose from {', '.join(map(repr, KINDS))}.")
    return KINDS[name]


def check_sizes(**sizes: int) -> None:
    """Refuse sizes that no layer has."""
    least = {"n": 1, "d": 1, "k": 2, "r": 2}
    for letter, size in sizes.items():
        if type(size) is not int or size < least[letter]:
            raise ValueError(f"{letter} is {size!r}; it must be a whole number of at least {least[letter]}.")


def multiply_adds(name: str, n: int, d: int, k: int = 3, r: int = 3, core: bool = False) -> int:
    """How many multiply-adds a layer takes over n positions of width d; core: without the attention's projections."""
    check_sizes(n=n, d=d, k=k, r=r)
    kind, size = kind_of(name), {"n": n, "d": d, "k": k, "r": r}
    return sum(times * math.prod(size[letter] for letter in letters) for times, letters in _terms(kind, core))


def _terms(kind: Kind, core: bool) -> Terms:
    return kind.core if core else kind.terms


def formula(name: str, core: bool = False) -> str:
    """The multiply-adds as they are written.

    >>> formula("self-attention")
    '4nd² + 2n²d'
    """
    written = []
    for times, letters in _terms(kind_of(name), core):
        powers = [letter + {1: "", 2: "²"}[letters.count(letter)] for letter in dict.fromkeys(letters)]
        written.append(("" if times == 1 else str(times)) + "".join(powers))
    return " + ".join(written)


def crossing(name: str, other: str, d: int, k: int = 3, r: int = 3, core: bool = False) -> float | None:
    """The length n > 0 at which two layers take equally many multiply-adds, None if there is none.

    All formulas are a·n + b·n², so that is where n = -(difference in a) / (difference in b). Below it, the one whose n²
    weighs more is the cheaper one.
    """
    size = {"n": 1, "d": d, "k": k, "r": r}
    slope, curve = 0, 0
    for layer, sign in ((name, 1), (other, -1)):
        for times, letters in _terms(kind_of(layer), core):
            worth = sign * times * math.prod(size[letter] for letter in letters)
            slope, curve = slope + worth * (letters.count("n") == 1), curve + worth * (letters.count("n") == 2)
    return -slope / curve if curve and -slope / curve > 0 else None


def sequential_operations(name: str, n: int) -> int:
    """How many matrix products of a layer must wait for one another: a constant, or one for each position."""
    chain = kind_of(name).chain
    return n if isinstance(chain, str) else chain


def path_length(name: str, n: int, k: int = 3, r: int = 3, causal: bool = True) -> int | None:
    """The layers a signal crosses between the farthest of n positions; None if it never arrives.

    A recurrent layer is one layer but n cells, and its cells are counted. Dilated kernels step 1, k, k², … apart
    ("doubling" 1, 2, 4, …) and are causal; centred, no formula holds (None): near the ends the places that a path
    would need may lie in the padding.
    """
    check_sizes(n=n, k=k, r=r)
    path = kind_of(name).path
    if path == "∞" or (path.startswith("log") and not causal):
        return None
    if path in ("1", "n"):
        return int(path.replace("n", str(n)))
    if path in ("n/k", "n/r"):
        width = {"n/k": k, "n/r": r}[path]
        return math.ceil((n - 1) / (width - 1) if causal else 2 * (n - 1) / (width - 1))
    base, layers = {"log k": k, "log 2": 2}[path], 0
    while (k - 1) * (base**layers - 1) // (base - 1) < n - 1:  # how far back so many layers see
        layers += 1
    return layers


# ─── 6 Table 1, measured ─────────────────────────────────────────────────────────────────────────────────────────────


def measured_multiply_adds(layer: nn.Module, n: int, d: int) -> int:
    """What torch's own counter sees in one pass over (1, n, d), in multiply-adds; on its "meta" device it is free."""
    x = torch.randn(1, n, d, device=next(layer.parameters()).device)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # it sees no fused kernel of a CPU
        layer(x)
    return counter.get_total_flops() // 2


def decoding_multiply_adds(n: int, d: int) -> int:
    """The same of causal attention in decoding, one position after the other with the core's cache: nothing is masked.

    So the upper half is never computed, and 4nd² + n(n + 1)d are left of 4nd² + 2n²d.
    """
    attention, cache = tc.MultiHeadAttention(config_of(d)), tc.KeyValues(capacity=n)
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        for _ in range(n):
            x = torch.randn(1, 1, d)
            attention(x, x, None, cache)
    return counter.get_total_flops() // 2


def longest_chain(output: Tensor) -> int:
    """The most matrix products of which each needs the one before, in the graph that autograd kept of a result."""
    below: dict[Any, int] = {None: 0}
    waiting: list[Any] = [output.grad_fn]
    while waiting:
        node = waiting[-1]
        if later := [parent for parent, _ in node.next_functions if parent not in below]:
            waiting.extend(later)
            continue
        product = any(word in node.name() for word in ("mmBackward", "MmBackward", "ConvolutionBackward"))
        below[node] = product + max((below[parent] for parent, _ in node.next_functions), default=0)
        waiting.pop()
    return below[output.grad_fn]


def measured_sequential_operations(layer: nn.Module, n: int, d: int) -> int:
    """The longest chain in one pass over n positions; attention's scores are watched, so that each step is taken."""
    with tc.record(layer, "*scores") if tc.probes(layer) else contextlib.nullcontext():
        return longest_chain(layer(torch.randn(1, n, d)))


def measured_memory(layer: nn.Module, n: int, d: int) -> int:
    """The bytes that one pass over (1, n, d) keeps for the backward pass, parameters and input left out.

    What several operations keep together is counted once.
    """
    x = torch.randn(1, n, d, device=next(layer.parameters()).device)
    known = {tensor.untyped_storage().data_ptr() for tensor in (x, *layer.parameters())}
    storages: dict[int, torch.UntypedStorage] = {}  # held until the end, so that no address is used twice

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in known:
            storages[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(x)
    return sum(storage.nbytes() for storage in storages.values())


def reach(output: Tensor, x: Tensor, rows: Iterable[int]) -> Tensor:
    """Which inputs these outputs depend on, by their gradient: output, x (1, n, D) -> (rows, n), True = not zero."""
    seen = []
    for i in rows:
        weights = torch.randn_like(output[0, i])
        (gradient,) = torch.autograd.grad((weights * output[0, i]).sum(), x, retain_graph=True)
        seen.append((gradient[0] != 0).any(-1))
    return torch.stack(seen)


def stacked(name: str, x: Tensor, k: int, r: int, causal: bool = True) -> Iterator[Tensor]:
    """What comes out of 1, 2, 3, … layers over x (1, n, D); of a recurrent one, 1, 2, 3, … applications of its cell."""
    kind, height, y = kind_of(name), 0, x
    first = kind.make(d=x.size(-1), k=k, r=r, causal=causal).to(x.dtype)
    if isinstance(first, Recurrent):
        states = first.start(x)
        while True:
            states = first.sweep(x, states)
            yield states[0]
    while True:
        layer = kind.make(d=x.size(-1), k=k, r=r, causal=causal, height=height).to(x.dtype)
        y, height = layer(y), height + 1
        yield y


def measured_path_length(
    name: str, n: int, k: int = 3, r: int = 3, causal: bool = True, d: int = 8, seed: int = 0
) -> int | None:
    """How many real layers it takes until the gradient of the last output at the first input is not zero.

    Centred, the first output must reach the last input too. None: not with as many layers as there are positions.
    Random weights, float64 and a strict "not zero": where there is no path, the gradient is 0 exactly.
    """
    one_way = causal or kind_of(name).path == "n"  # a recurrent layer reads only what came before
    ends, other = ([n - 1], [0]) if one_way else ([n - 1, 0], [0, n - 1])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        x = torch.randn(1, n, d, dtype=torch.float64, requires_grad=True)
        more = stacked(name, x, k, r, causal)
        outputs: list[Tensor] = []  # of 1, 2, 3, … layers

        def joined(layers: int) -> bool:
            while len(outputs) < layers:
                outputs.append(next(more))
            return bool(reach(outputs[layers - 1], x, ends)[range(len(ends)), other].all())

        enough, most = 1, useful_layers(name, n, k)
        while not joined(enough):
            if enough == most:
                return None
            enough = min(2 * enough, most)
        return 1 + bisect.bisect_left(range(1, enough + 1), True, key=joined)  # what is joined stays so


def useful_layers(name: str, n: int, k: int) -> int:
    """More layers than this join no more of n positions: n, or where dilations step from one end past the other."""
    base = {"log k": k, "log 2": 2}.get(kind_of(name).path)
    return n if base is None else next(height for height in range(1, n + 1) if base**height >= n)


def gradient_by_distance(name: str, n: int, d: int, k: int = 3, r: int = 3, draws: int = 8, seed: int = 0) -> Tensor:
    """How much the last output feels an input 0, 1, …, n - 1 positions back, in layers as they are initialised: (n,).

    The root mean square over draws of the gradient's length, for a random direction of the output: an estimate of the
    Jacobian's Frobenius norm over √d. Of as many layers as the farthest input needs.
    """
    squares = torch.zeros(n, dtype=torch.float64)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        for _ in range(draws):
            x = torch.randn(1, n, d, dtype=torch.float64, requires_grad=True)
            *_, (_, y) = zip(range(path_length(name, n, k, r) or 1), stacked(name, x, k, r), strict=False)
            (gradient,) = torch.autograd.grad((F.normalize(torch.randn_like(y[0, -1]), dim=0) * y[0, -1]).sum(), x)
            squares += gradient[0].square().sum(-1).flip(0) / draws
    return squares.sqrt()
