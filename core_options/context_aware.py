"""Context-aware self-attention (Yang et al., "Context-Aware Self-Attention Networks", AAAI 2019): another model.

QKᵀ scores two words by these two words alone. Here a context C is mixed into queries and keys before they are scored:

    Q̂ = (1 - λ_Q) Q + λ_Q (C U_Q),   λ_Q = sigmoid(Q v_h + (C U_Q) v_c),   and K̂ alike; values stay as they are.

`ContextTransformer(ContextConfig(…, context="deep-global+deep"))` is it. With H¹, …, Hˡ the inputs of the layers up
to the l-th, "global" is the mean of Hˡ over its positions, "deep" is [H¹, …, Hˡ⁻¹] (the first layer has none), and
"deep-global" is [mean H¹, …, mean Hˡ]; "+" puts them side by side, which is the same as adding their projections.
Means leave padding out, and in the decoder each position's mean ends with itself. context_in says whether the
encoder, the decoder or both have it, context_on whether queries ("q"), keys ("k") or both, context_gate whether there
is one gate for "all" heads or "each" has its own. Axis letters are those of transformer_core.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

import transformer_core as tc

KINDS = ("global", "deep", "deep-global")


def joins_kinds(context: object) -> bool:
    """Whether it is one of the kinds, or several joined by "+"."""
    parts = str(context).split("+")
    return len(parts) == len({*KINDS} & {*parts})


NEEDS: tuple[tc.Need, ...] = (
    ("context_in", ("encoder", "decoder", "both").__contains__, "'encoder', 'decoder' or 'both'"),
    ("context_on", ("qk", "q", "k").__contains__, "'qk', 'q' or 'k'"),
    ("context_gate", ("all", "each").__contains__, "'all' or 'each'"),
    ("context", joins_kinds, "global, deep, deep-global, some joined by '+', or None"),
)
NEEDS_WITH_CONTEXT: tuple[tc.Need, ...] = (("window", (None,).__contains__, "None, as context reads all positions"),)


@dataclass(frozen=True)
class ContextConfig(tc.TransformerConfig):
    """The shape of a ContextTransformer: a Transformer's, and what is mixed into queries and keys, where and how.

    context: "global", "deep", "deep-global" or some joined by "+"; None: nothing, the paper's model.
    """

    kind: ClassVar[str] = "context"

    context: str | None = None
    context_in: str = "encoder"
    context_on: str = "qk"
    context_gate: str = "all"

    def __post_init__(self) -> None:
        super().__post_init__()
        tc.check_needs(self, NEEDS)
        if self.context is not None:
            tc.check_needs(self, NEEDS_WITH_CONTEXT)


def d_context(config: ContextConfig, layer: int) -> int:
    """How wide C is in this layer, counted from 0; 0 where there is none."""
    width = {"global": 1, "deep": layer, "deep-global": layer + 1}
    return config.d_model * sum(width[kind] for kind in (config.context or "").split("+") if kind)


class ContextLinear(nn.Linear):
    """W^Q or W^K that reads [x; C] and mixes in C: (B, n, D + d_context) -> (B, n, H·K).

    gate: λ (B, n, G). The paper's equation has one gate a position from the full width; the authors' code (context_gate
    "each") has one for each head, made with the same weights for all, and a bias.
    """

    def __init__(self, config: ContextConfig, d_context: int):
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


class ContextAttention(tc.MultiHeadAttention):
    """Self-attention whose queries, keys or both read C beside x: both are given as one, [x; C]."""

    def __init__(self, config: ContextConfig, d_context: int):
        super().__init__(config)
        width = config.n_heads * config.d_k
        for name in ("q", "k"):
            aware = name in config.context_on
            plain = PlainLinear(config.d_model, width, bias=False)
            setattr(self, f"w_{name}", ContextLinear(config, d_context) if aware else plain)
        self.w_v = PlainLinear(config.d_model, config.n_heads * config.d_v, bias=False)

    def mixed(self, x: Tensor, context: Tensor, mask: Tensor | None, cache: tc.KeyValues | None = None) -> Tensor:
        """x (B, n, D), context (B, n, d_context) -> (B, n, D)."""
        both = torch.cat([x, context], -1)  # (B, n, D + d_context)
        return self(both, both, mask, cache)


class ContextEncoderLayer(tc.EncoderLayer):
    """An encoder's layer that is given its context."""

    self_attention: ContextAttention

    def __init__(self, config: ContextConfig, d_context: int):
        super().__init__(config)
        self.self_attention = ContextAttention(config, d_context)

    def forward(self, x: Tensor, mask: Tensor, context: Tensor) -> Tensor:  # type: ignore[override]
        x = self.add_norm[0](x, lambda x: self.self_attention.mixed(x, context, mask))
        return self.residual(self.add_norm[1](x, self.feed_forward))


class ContextDecoderLayer(tc.DecoderLayer):
    """A decoder's layer that is given its context."""

    self_attention: ContextAttention

    def __init__(self, config: ContextConfig, d_context: int):
        super().__init__(config)
        self.self_attention = ContextAttention(config, d_context)

    def forward(  # type: ignore[override]
        self, x: Tensor, memory: Tensor, tgt_mask: Tensor | None, src_mask: Tensor,
        caches: tc.LayerCache, context: Tensor,
    ) -> Tensor:  # fmt: skip
        own, cross = caches
        x = self.add_norm[0](x, lambda x: self.self_attention.mixed(x, context, tgt_mask, own))
        x = self.add_norm[1](x, lambda x: self.cross_attention(x, memory, src_mask, cross))
        return self.residual(self.add_norm[2](x, self.feed_forward))


def mean(x: Tensor, mask: Tensor | None, cache: tc.KeyValues | None) -> Tensor:
    """The mean of what each position may look at, x (B, n, D) -> (B, n, D); in decoding, of all read so far."""
    if cache is not None:
        cache.state = cache.state + x if cache.n else x
        return cache.state / (cache.n // x.size(1) + 1)  # in decoding x (B, W, D) is one position of W beams
    assert mask is not None  # only decoding goes without
    share = mask[:, 0].to(x.dtype)  # (B, 1 or n, n)
    return (share / share.sum(-1, keepdim=True).clamp(min=1) @ x).expand_as(x)


class Seen:
    """The inputs of the layers so far, in one pass, and the context that the next layer makes of them."""

    def __init__(self, context: str):
        self.kinds = context.split("+")
        self.inputs: list[Tensor] = []
        self.means: list[Tensor] = []

    def context(self, x: Tensor, mask: Tensor | None, cache: tc.KeyValues | None = None) -> Tensor | None:
        """The context C (B, n, d_context) of the layer whose input is x (B, n, D), if it has one."""
        if self.kinds != ["deep"]:
            self.means.append(mean(x, mask, cache))
        read = {"global": self.means[-1:], "deep": self.inputs.copy(), "deep-global": self.means}
        self.inputs.append(x)
        parts = [part for kind in self.kinds for part in read[kind]]
        return torch.cat(parts, -1) if parts else None


class ContextTransformer(tc.Transformer):
    """A Transformer whose layers read, beside each position, a context made of the layers so far."""

    config_class = ContextConfig
    config: ContextConfig

    def has_context(self, stack: str) -> bool:
        return bool(self.config.context) and self.config.context_in in (stack, "both")

    def make_stacks(self) -> tuple[nn.ModuleList, nn.ModuleList]:
        """The core's, but for the layers that have a context."""
        encoder, decoder = nn.ModuleList(), nn.ModuleList()
        for i in range(self.config.n_layers):
            width = d_context(self.config, i) if self.has_context("encoder") else 0
            encoder.append(ContextEncoderLayer(self.config, width) if width else tc.EncoderLayer(self.config))
        for i in range(self.config.n_layers):
            width = d_context(self.config, i) if self.has_context("decoder") else 0
            decoder.append(ContextDecoderLayer(self.config, width) if width else tc.DecoderLayer(self.config))
        return encoder, decoder

    def run_encoder(self, x: Tensor, mask: Tensor) -> Tensor:
        """As the core's, each layer told its context."""
        if not self.has_context("encoder"):
            return super().run_encoder(x, mask)
        seen = Seen(self.config.context or "")
        for layer in self.encoder:
            context = seen.context(x, mask)
            x = layer(x, mask) if context is None else layer(x, mask, context)
        return self.encoder_norm(x)

    def run_decoder(
        self, x: Tensor, memory: Tensor, tgt_mask: Tensor | None, src_mask: Tensor, cache: tc.Cache
    ) -> Tensor:
        """As the core's, each layer told its context."""
        if not self.has_context("decoder"):
            return super().run_decoder(x, memory, tgt_mask, src_mask, cache)
        seen = Seen(self.config.context or "")
        for layer, caches in zip(self.decoder, cache or itertools.repeat((None, None)), strict=False):
            context = seen.context(x, tgt_mask, caches[0])
            told = () if context is None else (context,)
            x = layer(x, memory, tgt_mask, src_mask, caches, *told)
        return self.decoder_norm(x)


tc.MODELS["context"] = ContextTransformer


def config_of(vocab_size: int, context: str | None = None, **shape: Any) -> tc.TransformerConfig:
    """A ContextConfig where a context is given, else the core's."""
    if context is not None:
        return ContextConfig(vocab_size, context=context, **shape)
    return tc.TransformerConfig(vocab_size, **{n: x for n, x in shape.items() if not n.startswith("context_")})
