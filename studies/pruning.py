"""Which heads matter: the gradient of a gate (Michel et al., 2019), held against taking heads out; and pruning by it.

Every head's output gets a gate ξ, 1 as the model is. |∂ nll / ∂ξ| says how much the loss hangs on the head, for all of
them from one pass forward and back; taking heads out one by one needs a pass for each. Heads are then removed, least
important first, without training again.

All heads together are one table (3, L, H), kinds in the order of `reading.KINDS`. Losses are in nats per token of the
translation, its end included. Batches are those of `tc.make_batches`; sentences are numbered in their order.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from core_options import ways
from studies.attention import HeadAt, confidence
from studies.pronoun_heads import with_head
from studies.reading import KINDS, Reading, probe_of
from studies.statistics import rank_correlation

Batches = Sequence[tc.Batch]

# ─── Gates ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def all_heads(config: tc.TransformerConfig, kinds: Iterable[str] = KINDS) -> list[HeadAt]:
    """Every head (kind, layer, head) of these kinds, in the order of the flattened table."""
    return [(kind, layer, head) for kind in kinds for layer in range(config.n_layers) for head in range(config.n_heads)]


def open_gates(config: tc.TransformerConfig) -> Tensor:
    """1 for every head: (3, L, H)."""
    return torch.ones(len(KINDS), config.n_layers, config.n_heads)


def without(config: tc.TransformerConfig, heads: Iterable[HeadAt]) -> Tensor:
    """Gates that are 0 at these heads: (3, L, H)."""
    gates = open_gates(config)
    for kind, layer, head in heads:
        gates[list(KINDS).index(kind), layer, head] = 0
    return gates


@contextlib.contextmanager
def gated(model: tc.Transformer, gates: Tensor) -> Iterator[None]:
    """Inside, the output of each head is multiplied by its gate: gates (3, L, H), or (3, L, B, H) for each sentence."""

    def times(gate: Tensor) -> Callable[[Tensor], Tensor]:
        return lambda heads: heads * gate[..., None, None]  # (B, H, T, d_v)

    gates = gates.to(next(model.parameters()).device)
    with contextlib.ExitStack() as stack:
        for kind, layers in zip(KINDS, gates, strict=True):
            for layer, gate in enumerate(layers):
                stack.enter_context(tc.intervene(model, f"{probe_of(kind, layer)}.heads", times(gate)))
        yield


# ─── Importance ──────────────────────────────────────────────────────────────────────────────────────────────────────


def n_tokens(batches: Batches) -> Tensor:
    """Target tokens of each sentence, its end included: (N,)."""
    return torch.cat([(batch.tgt_out != tc.PAD).sum(1) for batch in batches])


def gate_gradients(model: tc.Transformer, batches: Batches, gates: Tensor | None = None) -> Tensor:
    """|∂ nll of a sentence / ∂ the gate of a head|, in nats: (N, 3, L, H). One pass forward and back.

    gates: how they stand, all open if not given. Each sentence has gates of its own, so that the absolute value is
    taken of each sentence, not of a batch.
    """
    model_gates, sizes = open_gates(model.config) if gates is None else gates, list[Tensor]()
    for batch in batches:
        each = model_gates[:, :, None].expand(-1, -1, len(batch.src), -1).clone().requires_grad_()  # (3, L, B, H)
        with tc.evaluating(model), torch.enable_grad(), gated(model, each):
            nll = tc.objective(model(batch.src, batch.tgt_in), batch.tgt_out, 0.0)[0]
            (slopes,) = torch.autograd.grad(nll, each)
        sizes.append(slopes.abs().movedim(2, 0))
    return torch.cat(sizes)


def importance(model: tc.Transformer, batches: Batches, gates: Tensor | None = None) -> Tensor:
    """E |∂ nll / ∂ gate| of every head (3, L, H), in nats per token."""
    return gate_gradients(model, batches, gates).sum(0) / n_tokens(batches).sum()


def normalised(table: Tensor) -> Tensor:
    """Each layer's heads divided by their ℓ2 norm, as Michel et al. do: (…, L, H)."""
    return torch.nn.functional.normalize(table, dim=-1)


def confidences(readings: Iterable[Reading]) -> Tensor:
    """Each head's confidence in each sentence (Voita et al., 2019; studies.attention): (N, 3, L, H).

    Every sentence must have a word.
    """
    return torch.stack([torch.stack([confidence_of(reading, kind) for kind in KINDS]) for reading in readings])


def confidence_of(reading: Reading, kind: str) -> Tensor:
    """The confidence of the heads of a kind: (L, H)."""
    table = confidence(reading.stack(kind), *reading.tokens(kind))
    if table is None:
        raise ValueError(f"The sentence {reading.text!r} has no word that a head could read; leave it out.")
    return table


# ─── Taken out one by one ────────────────────────────────────────────────────────────────────────────────────────────

WAYS = ("zeroed", "mean-ablated", "exchanged")


def real(batch: tc.Batch, kind: str) -> Tensor:
    """Where a row of this kind of attention is no padding: (B, n)."""
    return (batch.src if kind == "encoder" else batch.tgt_in) != tc.PAD


def mean_outputs(model: tc.Transformer, batches: Batches) -> dict[str, Tensor]:
    """The mean of what each head hands on, over all places of all sentences, by probe: (H, d_v). One pass."""
    sums, counts = dict[str, Tensor](), dict[str, float]()
    for batch in batches:
        with tc.evaluating(model), tc.record(model, "*.heads") as trace:
            model(batch.src, batch.tgt_in)
        for kind in KINDS:
            marks = real(batch, kind)[:, None, :, None]  # (B, 1, n, 1)
            for layer in range(model.config.n_layers):
                name = f"{probe_of(kind, layer)}.heads"
                sums[name] = sums.get(name, 0) + (trace[name] * marks).sum((0, 2))
                counts[name] = counts.get(name, 0) + marks.sum().item()
    return {name: total / counts[name] for name, total in sums.items()}


def exchanged(heads: Tensor, marks: Tensor) -> Tensor:
    """What the sentence before in the batch hands on at the same place, again from its start where it is shorter.

    heads (B, H, n, d_v), marks (B, n): 1 where a place is no padding. Of a batch of one the sentence's own.
    """
    other, lengths = heads.roll(1, 0), marks.sum(1).roll(1)  # (B,)
    places = torch.arange(marks.size(1), device=marks.device) % lengths[:, None]  # (B, n)
    return other.take_along_dim(places[:, None, :, None], 2)


def nll_from(model: tc.Transformer, batch: tc.Batch, trace: dict[str, Tensor], kind: str, layer: int) -> Tensor:
    """The nll of each sentence (B,), working only what stands above a layer's attention; trace: a pass's residuals."""
    last = model.config.n_layers - 1
    mask, src_mask = tc.padding_mask(batch.src), (batch.src != tc.PAD)[:, None, None]
    if model.config.window:
        mask = mask & tc.window_mask(batch.src.size(1), model.config.window, False, mask.device)
    memory, first = trace[f"encoder.{last}.residual"], layer
    if kind == "encoder":
        before = trace.get(f"encoder.{layer - 1}.residual")
        memory = model.embed(batch.src, model.src_embedding, model.src_positions) if before is None else before
        for block in model.encoder[layer:]:
            memory = block(memory, mask)
        first = 0
    before = trace.get(f"decoder.{first - 1}.residual")
    x = model.embed(batch.tgt_in, model.tgt_embedding, model.tgt_positions) if before is None else before
    memory, tgt_mask = model.encoder_norm(memory), model.tgt_mask(batch.tgt_in)
    for block in model.decoder[first:]:
        x = block(x, memory, tgt_mask, src_mask)
    return nll_of(model, batch, x)


def nll_of(model: tc.Transformer, batch: tc.Batch, x: Tensor) -> Tensor:
    """The nll of each sentence (B,) from what leaves the decoder's last layer (B, T, D); padding makes no logits."""
    real = batch.tgt_out != tc.PAD
    logits, targets = model.softmax(model.decoder_norm(x)[real]), batch.tgt_out[real]  # (n, V), (n,)
    nll = logits.logsumexp(-1) - logits.gather(-1, targets[:, None])[:, 0]
    return x.new_zeros(len(x)).index_add(0, real.nonzero()[:, 0], nll)


def knock_outs(model: tc.Transformer, batches: Batches) -> dict[str, Tensor]:
    """What a sentence's nll gains when one head hands on something else, in nats: each of WAYS (N, 3, L, H).

    zeroed: nothing; mean-ablated: its mean over all these sentences; exchanged: what it hands on in another sentence
    of the batch. Costs three passes for each head, from its layer on.
    """
    means = mean_outputs(model, batches)
    gains: dict[str, list[Tensor]] = {way: [] for way in WAYS}
    for batch in batches:
        with tc.evaluating(model), tc.record(model, "*.heads") as handed, tc.record(model, "*.residual") as residuals:
            model(batch.src, batch.tgt_in)
            clean = nll_from(model, batch, residuals, "decoder", 0)  # (B,)
        trace = {**handed, **residuals}
        rows = [gains_of(model, batch, trace, means, head) - clean for head in all_heads(model.config)]  # (3, B)
        shape = open_gates(model.config).shape
        for way, values in zip(WAYS, torch.stack(rows, -1), strict=True):
            gains[way].append(values.unflatten(-1, shape))
    return {way: torch.cat(values) for way, values in gains.items()}


def gains_of(
    model: tc.Transformer, batch: tc.Batch, trace: dict[str, Tensor], means: dict[str, Tensor], at: HeadAt
) -> Tensor:
    """The nll of each sentence with a head's output replaced in each of WAYS: (3, B)."""
    kind, layer, head = at
    name = f"{probe_of(kind, layer)}.heads"
    own = trace[name][:, head]  # (B, n, d_v)
    others = exchanged(trace[name][:, head : head + 1], real(batch, kind))[:, 0]

    def nll(rows: Tensor) -> Tensor:
        with tc.intervene(model, name, with_head(head, rows)):
            return nll_from(model, batch, trace, kind, layer)

    with tc.evaluating(model):
        return torch.stack([nll(rows) for rows in (torch.zeros_like(own), means[name][head], others)])


def rank_agreement(left: Tensor, right: Tensor, groups: int = 20) -> list[float]:
    """Spearman's rank correlation over heads of two measures of each sentence, both (N, …), and its 95 % interval.

    Each is summed over sentences. The interval is of Fisher's z, by the normal law and the error of a jackknife that
    leaves out a group of sentences at a time: sets drawn with repetition have fewer different sentences, and their
    ranks agree less than those of all do.
    """
    left, right = left.flatten(1).double(), right.flatten(1).double()
    whole, rows = rank_correlation(left.sum(0), right.sum(0)), torch.arange(len(left))
    rests = [rows % groups != group for group in range(min(groups, len(left)))]
    without = torch.stack([rank_correlation(left[rest].sum(0), right[rest].sum(0)) for rest in rests])
    z, middle = fisher(without), fisher(whole)
    error = ((len(z) - 1) / len(z) * (z - z.mean()).square().sum()).sqrt()
    return [value.item() for value in (whole, (middle - 1.96 * error).tanh(), (middle + 1.96 * error).tanh())]


def fisher(correlation: Tensor) -> Tensor:
    """Fisher's z of a correlation, of whose spread the correlation itself says little."""
    return correlation.clamp(-1 + 1e-9, 1 - 1e-9).atanh()


# ─── Pruning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def by_importance(table: Tensor, config: tc.TransformerConfig, kinds: Iterable[str] = KINDS) -> list[HeadAt]:
    """The heads of these kinds, least important first: table (3, L, H)."""
    places = dict(zip(all_heads(config), table.flatten().tolist(), strict=True))
    return sorted(all_heads(config, kinds), key=places.__getitem__)


def at_random(config: tc.TransformerConfig, seed: int, kinds: Iterable[str] = KINDS) -> list[HeadAt]:
    """The same heads in an order drawn by lot."""
    heads = all_heads(config, kinds)
    return random.Random(seed).sample(heads, len(heads))


def greedily(model: tc.Transformer, batches: Batches, step: int, kinds: Iterable[str] = KINDS) -> list[HeadAt]:
    """The heads in the order in which they go if importance is measured again after every `step` of them.

    Costs a pass forward and back for each step. A head that is gone counts no more in its layer's norm.
    """
    heads, gone = all_heads(model.config, kinds), list[HeadAt]()
    while len(gone) < len(heads):
        gates = without(model.config, gone)
        table = normalised(importance(model, batches, gates) * gates)
        gone += [at for at in by_importance(table, model.config, kinds) if at not in gone][:step]
    return gone


def curve(
    model: tc.Transformer, batches: Batches, order: Sequence[HeadAt], counts: Iterable[int]
) -> list[dict[str, Any]]:
    """The nll, in nats per token, as the first n heads of an order are gone, for each of these n. A pass for each."""
    rows = []
    for n in counts:
        with gated(model, without(model.config, order[:n])):
            rows.append({"n": n, "nll": ways.validation_nll(model, batches, "fp32")})
    return rows


def translations(translator: tc.Translator, texts: Sequence[str], gone: Iterable[HeadAt]) -> list[str]:
    """Greedy translations with these heads gone; give a translator of core_options for many."""
    with gated(translator.model, without(translator.model.config, gone)):
        return translator.translate(texts, 1)
