"""Masks as numbers: the AND of two layers, how far a mask lets knowledge reach, the leak test, the mask at test time.

A mask is boolean and True means *may look*: rows are queries, columns are keys.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from studies.reading import shifted_right, source_of, translated

# ─── Masks as numbers ────────────────────────────────────────────────────────────────────────────────────────────────


def both(layer: Any, padding: Any) -> Tensor:
    """The AND of a first layer (T, S) and of the padding layer (S,), which is the same for every query: (T, S).

    >>> both([[1, 0, 0], [1, 1, 0]], [1, 0, 1]).int().tolist()
    [[1, 0, 0], [1, 0, 0]]
    """
    layer, padding = torch.as_tensor(layer).bool(), torch.as_tensor(padding).bool()
    if layer.dim() != 2 or padding.shape != layer.shape[-1:]:
        raise ValueError(
            f"The first layer has shape {tuple(layer.shape)} and the padding layer {tuple(padding.shape)}; "
            f"(T, S) and (S,) are needed: one padding cell for every key."
        )
    return layer & padding


def reach(mask: Any, n_layers: int) -> Tensor:
    """Which token (column) can have moved which row after so many layers, by the mask alone: boolean (T, T).

    Through the residual a row knows its own token; through attention, all that the rows it reads knew a layer before.
    """
    mask = torch.as_tensor(mask).bool()
    known = torch.eye(len(mask), dtype=torch.bool, device=mask.device)
    step = mask | known
    for _ in range(n_layers):
        known = (step.float() @ known.float()) > 0
    return known


def masks_in_use(model: tc.Transformer, batch: tc.Batch) -> dict[str, Tensor]:
    """The three masks as the model's own scores show them (-inf: hidden): (B, S, S), (B, T, T) and (B, T, S)."""
    places = {
        "encoder self-attention": "encoder.0.self_attention",
        "decoder self-attention": "decoder.0.self_attention",
        "cross-attention": "decoder.0.cross_attention",
    }
    with tc.evaluating(model), tc.record(model, "*.0.*.scores") as trace:
        model(batch.src, batch.tgt_in)
    return {name: trace[f"{place}.scores"][:, 0] > -math.inf for name, place in places.items()}


# ─── The leak test ───────────────────────────────────────────────────────────────────────────────────────────────────


@contextlib.contextmanager
def decoder_mask(model: tc.Transformer, mask: Tensor | None) -> Iterator[None]:
    """Inside, the decoder's self-attention uses this mask (T, T), whatever the tokens; None leaves the core's own."""
    if mask is not None:
        mask = mask.to(next(model.parameters()).device)
        model.tgt_mask = lambda tgt_in, start=0: mask[: tgt_in.size(1), : tgt_in.size(1)]  # type: ignore[method-assign]
    try:
        yield
    finally:
        vars(model).pop("tgt_mask", None)


class Leak(NamedTuple):
    """What moved: change[i, j] is the largest change among the logits of row i when token j became another."""

    change: Tensor  # (T, T)

    @property
    def later(self) -> Tensor:
        """What must not have moved: the changes by later tokens, each row its own; zero elsewhere. (T, T)"""
        return self.change.triu(1)

    @property
    def failed(self) -> list[int]:
        """The rows that moved with a later token."""
        return self.later.amax(1).nonzero().flatten().tolist()

    @property
    def passed(self) -> bool:
        """Whether every change by a later token is exactly 0."""
        return not self.failed


def leak_test(
    model: tc.Transformer, src: Tensor, tgt_in: Tensor, mask: Tensor | None = None, other: int = tc.UNK
) -> Leak:
    """Change each target token into `other`, one at a time, and see which logits move.

    src (1, S), tgt_in (1, T), mask (T, T) in place of the core's own. Both passes have the same shape, and each changed
    row is held against the unchanged row in its own place of the batch: what cannot see the change is equal to the bit.
    """
    T = tgt_in.size(1)
    unchanged = tgt_in.expand(T, T)
    instead = torch.where(tgt_in[0] == other, tc.EOS, other)  # (T,)
    changed = torch.where(torch.eye(T, dtype=torch.bool, device=tgt_in.device), instead, unchanged)  # (T changed, T)
    with tc.evaluating(model), decoder_mask(model, mask if mask is not None else model.tgt_mask(tgt_in)[0, 0]):
        memory, src_mask = model.encode(src).expand(T, -1, -1), (src != tc.PAD).expand(T, -1)
        before, after = (model.decode(ids, memory, src_mask) for ids in (unchanged, changed))
    return Leak((after - before).abs().amax(-1).T.contiguous())  # (T changed, T rows) -> (T rows, T changed)


# ─── Models and sentences to test ────────────────────────────────────────────────────────────────────────────────────


def untrained(config: tc.TransformerConfig, n_layers: int) -> tc.Transformer:
    """A model of so many layers whose weights were only drawn, always the same."""
    with tc.seeded(torch.device("cpu"), n_layers):
        return tc.Transformer(replace(config, n_layers=n_layers)).eval()


def taught(translator: tc.Translator, text: str, n_padding: int = 0) -> tuple[Tensor, Tensor]:
    """A sentence and the decoder's input for its translation, as in training: src (1, S), tgt_in (1, T)."""
    src = source_of(translator, text)
    return src, shifted_right(translated(translator, src), n_padding).to(src.device)


def queries_and_keys(model: tc.Transformer, src: Tensor, tgt_in: Tensor, head: int) -> tuple[Tensor, Tensor]:
    """What one head of the decoder's first self-attention compares, before scale and mask: q and k, (T, K) each."""
    with tc.evaluating(model), tc.record(model, "decoder.0.self_attention.[qk]") as trace:
        model(src, tgt_in)
    return trace["decoder.0.self_attention.q"][0, head], trace["decoder.0.self_attention.k"][0, head]


# ─── Is the mask needed at test time? ────────────────────────────────────────────────────────────────────────────────


def at_test_time(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> dict[str, Tensor]:
    """For every prefix of tgt_in (1, T), the last row's logits in two ways, held against the masked run.

    "no mask": the whole prefix is run anew, and every position sees all of it. "cache": one position after another,
    keys and values kept, no mask either. Returns the largest difference of any logit for each prefix: (T,) each.
    """
    T = tgt_in.size(1)
    differences: dict[str, list[float]] = {"no mask": [], "cache": []}
    with tc.evaluating(model):
        memory, src_mask = model.encode(src), src != tc.PAD
        cache = [(tc.KeyValues(T), tc.KeyValues()) for _ in model.decoder]
        for n in range(1, T + 1):
            last = {"cache": model.decode(tgt_in[:, n - 1 : n], memory, src_mask, cache)[0, -1]}
            for name, mask in (("masked", tc.causal_mask(n)), ("no mask", torch.ones(n, n, dtype=torch.bool))):
                with decoder_mask(model, mask):
                    last[name] = model.decode(tgt_in[:, :n], memory, src_mask)[0, -1]
            for name in differences:
                differences[name].append((last[name] - last["masked"]).abs().max().item())
    return {name: torch.tensor(numbers) for name, numbers in differences.items()}


def say_without_mask(model: tc.Transformer, src: Tensor, n: int) -> list[int]:
    """Greedy decoding as a naive program does it, at most n tokens: each prefix is run anew, and nothing is masked."""
    with decoder_mask(model, torch.ones(n, n, dtype=torch.bool)):
        return tc.greedy_decode(model, src, n + 1 - src.size(1), cached=False)[0].ids


# ─── Training with and without the mask ──────────────────────────────────────────────────────────────────────────────


def training_ends(result: dict[str, Any]) -> dict[str, dict[str, float]]:
    """The mean over the seeds of each model's last scores, and of the best possible, from experiments/masks.py."""
    ends: dict[str, list[dict]] = {}
    for run in result["runs"]:
        ends.setdefault(run["model"], []).append(run["curve"][-1])
        ends.setdefault("best possible", []).append(run["best"])
    return {
        name: {
            score: sum(end[score] for end in group) / len(group) for score in group[0] if type(group[0][score]) is float
        }
        for name, group in ends.items()
    }


def in_a_line(result: dict[str, Any]) -> str:
    """What a run of experiments/masks.py found, in one line."""
    ends = {name: end for name, end in training_ends(result).items() if "bleu" in end}
    return " · ".join(f"{name}: taught {end['accuracy']:.1%}, BLEU {end['bleu']:.1f}" for name, end in ends.items())
