"""What attention adds to the residual: α f(x) of every head, query and key, and its length (Kobayashi et al., 2020).

A head's output is Σ_j α_ij v_j, and W^O takes it to d_model: so attention adds Σ_j α_ij f(x_j), f(x) = x W^V W^O, to
what the residual carries past it. A large weight on a short f(x) adds little. The paper's own f has biases; the
projections here have none. What a layer normalisation and the feed-forward layer make of the sum is not in it.
"""

from __future__ import annotations

import torch
from torch import Tensor

import transformer_core as tc
from studies.reading import Reading, probe_of


def transformed(reading: Reading, kind: str, layer: int) -> Tensor:
    """f(x) of every head and key: (H, S, D)."""
    name = probe_of(kind, layer)
    w_o = reading.translator.model.get_parameter(f"{name}.w_o.weight").detach()  # (D, H·d_v)
    v = reading.trace[f"{name}.v"][0]  # (H, S, d_v)
    return torch.einsum("hsv,dhv->hsd", v, w_o.unflatten(1, (len(v), -1)))


def weights_of(reading: Reading, kind: str, layer: int) -> Tensor:
    return reading.trace[f"{probe_of(kind, layer)}.weights"][0]  # (H, T, S)


def contributions(reading: Reading, kind: str, layer: int) -> Tensor:
    """Σ_h α f(x): what each key adds to each query, all heads of a layer together. (T, S, D); over S the sublayer's
    output before the residual."""
    return torch.einsum("hts,hsd->tsd", weights_of(reading, kind, layer), transformed(reading, kind, layer))


def head_norms(reading: Reading, kind: str) -> Tensor:
    """‖α f(x)‖ of each head by itself: (L, H, T, S)."""
    layers = range(reading.translator.model.config.n_layers)
    lengths = [transformed(reading, kind, layer).norm(dim=-1)[:, None] for layer in layers]  # (H, 1, S)
    return torch.stack([weights_of(reading, kind, layer) * lengths[layer] for layer in layers])


def layer_norms(reading: Reading, kind: str) -> Tensor:
    """‖Σ_h α f(x)‖, the heads of a layer together, which may cancel: (L, T, S)."""
    layers = range(reading.translator.model.config.n_layers)
    return torch.stack([contributions(reading, kind, layer).norm(dim=-1) for layer in layers])


# ─── Beside the residual ─────────────────────────────────────────────────────────────────────────────────────────────


def carried(reading: Reading, kind: str, layer: int) -> Tensor:
    """What the residual carries past an attention, to which its output is added: (T, D)."""
    model, stack = reading.translator.model, "encoder" if kind == "encoder" else "decoder"
    with tc.evaluating(model):
        if layer:
            before = reading.trace[f"{stack}.{layer - 1}.residual"]
        elif stack == "encoder":
            before = model.embed(reading.src, model.src_embedding, model.src_positions)
        else:
            before = model.embed(reading.tgt_in, model.tgt_embedding, model.tgt_positions)
        if kind != "cross":
            return before[0]
        added = before[0] + contributions(reading, "decoder", layer).sum(1)
        block = model.get_submodule(f"decoder.{layer}.add_norm.0")
        return added if model.config.norm == "pre" else block.get_submodule("layer_norm")(added)


def shares(reading: Reading, kind: str, layer: int) -> tuple[Tensor, Tensor]:
    """Lengths of what an attention's keys add, and of what the residual carries, as shares of their sum.

    Returns (T, S) and (T,), which add up to 1 in each row. The weighing of the residual is that of Kobayashi et al.
    (2021), with one length for each key.
    """
    added = contributions(reading, kind, layer).norm(dim=-1)  # (T, S)
    stays = carried(reading, kind, layer).norm(dim=-1)  # (T,)
    total = added.sum(-1) + stays
    return added / total[:, None], stays / total
