"""Context-aware self-attention (Yang et al., "Context-Aware Self-Attention Networks", AAAI 2019): the option "context".

QKᵀ scores two words by these two words alone. Here a context C is mixed into queries and keys before they are scored:

    Q̂ = (1 - λ_Q) Q + λ_Q (C U_Q),   λ_Q = sigmoid(Q v_h + (C U_Q) v_c),   and K̂ alike; values stay as they are.

`TransformerConfig(…, context="deep-global+deep")` asks for it. With H¹, …, Hˡ the inputs of the layers up to the l-th,
"global" is the mean of Hˡ over its positions, "deep" is [H¹, …, Hˡ⁻¹] (the first layer has none), and "deep-global" is
[mean H¹, …, mean Hˡ]; "+" puts them side by side, which is the same as adding their projections. Means leave padding
out, and in the decoder each position's mean ends with itself. context_in says whether the encoder, the decoder or both
have it, context_on whether queries ("q"), keys ("k") or both, context_gate whether there is one gate for "all" heads or
"each" has its own. Axis letters are those of transformer_core.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

import transformer_core as tc


def d_context(config: tc.TransformerConfig, layer: int) -> int:
    """How wide C is in this layer, counted from 0; 0 where there is none."""
    width = {"global": 1, "deep": layer, "deep-global": layer + 1}
    return config.d_model * sum(width[kind] for kind in (config.context or "").split("+") if kind)


class ContextLinear(nn.Linear):
    """W^Q or W^K that reads [x; C] and mixes in C: (B, n, D + d_context) -> (B, n, H·K).

    gate: λ (B, n, G). The paper's equation has one gate a position from the full width; the authors' code (context_gate
    "each") has one for each head, made with the same weights for all, and a bias.
    """

    def __init__(self, config: tc.TransformerConfig, d_context: int):
        width, each = config.n_heads * config.d_k, config.context_gate == "each"
        super().__init__(config.d_model, width, bias=False)
        self.n_gates = config.n_heads if each else 1
        self.u = nn.Linear(d_context, width, bias=False)
        self.v_h = nn.Linear(width // self.n_gates, 1, bias=each)
        self.v_c = nn.Linear(width // self.n_gates, 1, bias=False)
        self.gate = tc.Probe()

    def forward(self, x: Tensor) -> Tensor:
        x, context = x.tensor_split([self.in_features], -1)
        q, c = (y.unflatten(-1, (self.n_gates, -1)) for y in (super().forward(x), self.u(context)))  # (B, n, G, ·)
        gate = self.gate(torch.sigmoid(self.v_h(q) + self.v_c(c)).squeeze(-1))  # (B, n, G)
        return torch.lerp(q, c, gate.unsqueeze(-1)).flatten(2)  # (B, n, H·K)


class PlainLinear(nn.Linear):
    """A projection that reads x of [x; C] and no more."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x[..., : self.in_features])


class Told(NamedTuple):
    """What a layer hands its self-attention in the place of the mask."""

    mask: Tensor | None
    context: Tensor  # (B, n, d_context)


class ContextAttention(tc.MultiHeadAttention):
    """Self-attention whose queries, keys or both read C beside x."""

    def __init__(self, config: tc.TransformerConfig, d_context: int):
        super().__init__(config)
        width = config.n_heads * config.d_k
        for name in ("q", "k"):
            aware = name in config.context_on
            plain = PlainLinear(config.d_model, width, bias=False)
            setattr(self, f"w_{name}", ContextLinear(config, d_context) if aware else plain)
        self.w_v = PlainLinear(config.d_model, config.n_heads * config.d_v, bias=False)

    def forward(self, x: Tensor, memory: Tensor, mask: Any, cache: tc.KeyValues | None = None) -> Tensor:
        """x (B, n, D), the memory as well, and Told: (B, n, D)."""
        both = torch.cat([x, mask.context], -1)  # (B, n, D + d_context)
        return super().forward(both, both, mask.mask, cache)


def mean(x: Tensor, mask: Tensor | None, kept: tc.KeyValues | None) -> Tensor:
    """The mean of what each position may look at, x (B, n, D) -> (B, n, D); in decoding, of all read so far."""
    if kept is not None:
        kept.state = kept.state + x if kept.n else x
        return kept.state / (kept.n // x.size(1) + 1)  # in decoding x (B, W, D) is one position of W beams
    assert mask is not None  # only decoding goes without
    share = mask[:, 0].to(x.dtype)  # (B, 1 or n, n)
    return (share / share.sum(-1, keepdim=True).clamp(min=1) @ x).expand_as(x)


class Seen:
    """The inputs of the layers so far, in one pass, and the context that the next layer makes of them."""

    def __init__(self, context: str):
        self.kinds = context.split("+")
        self.inputs: list[Tensor] = []
        self.means: list[Tensor] = []

    def told(self, x: Tensor, mask: Tensor | None, kept: tc.KeyValues | None = None) -> Told | Tensor | None:
        """The mask for the layer whose input is x (B, n, D), with its context C (B, n, d_context) if it has one."""
        if self.kinds != ["deep"]:
            self.means.append(mean(x, mask, kept))
        read = {"global": self.means[-1:], "deep": self.inputs.copy(), "deep-global": self.means}
        self.inputs.append(x)
        parts = [part for kind in self.kinds for part in read[kind]]
        return Told(mask, torch.cat(parts, -1)) if parts else mask


def encode(layer: nn.Module, seen: Seen, x: Tensor, mask: Tensor) -> Tensor:
    """An encoder's layer, told its context."""
    return layer(x, seen.told(x, mask))


def decode(layer: nn.Module, seen: Seen, x: Tensor, memory: Tensor, mask: Any, src_mask: Tensor, cache: Any) -> Tensor:
    """A decoder's layer, told its context."""
    return layer(x, memory, seen.told(x, mask, cache and cache[0]), src_mask, cache)


def in_turn(config: tc.TransformerConfig, stack: nn.ModuleList) -> Iterator[Callable[..., Tensor]]:
    """The layers of a stack for one pass, in which each is told what those before it were given."""
    run, name = (encode, "encoder") if isinstance(stack[0], tc.EncoderLayer) else (decode, "decoder")
    if config.context_in not in (name, "both"):
        return iter(stack)
    seen = Seen(config.context or "")
    return (functools.partial(run, layer, seen) for layer in stack)


def build_into(model: tc.Transformer) -> Callable[[nn.ModuleList], Iterator[Callable[..., Tensor]]]:
    """Give the stacks that the configuration names their context; returns how layers are gone through from now on."""
    for name in ("encoder", "decoder"):
        if model.config.context_in in (name, "both"):
            for i, layer in enumerate(getattr(model, name)):
                if width := d_context(model.config, i):
                    layer.self_attention = ContextAttention(model.config, width)
    return functools.partial(in_turn, model.config)
