"""The fastest way of working batches here, and `train`, which is the core's with that way.

like lengths    on a CPU (fast_cpu)
packed rows     on a GPU that has attention over unequal lengths, or where asked for (packing)
plain           elsewhere; any of them compiled and shared out over several processes (processes)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

import torch

import transformer_core as tc
from core_options import fast_cpu, packing, processes, threads
from core_options.precision import autocast


def pick_way(
    state: tc.TrainingState, batches: tc.Batches, packed: str = "auto", compiled: bool = False, accumulate: int = 1
) -> processes.SharedWay:
    """The way for this model on its device; packed: "yes", "no" or "auto", which is on CUDA in bf16."""
    model, device = state.model, state.device
    varlen = packing.has_varlen(model.config, device, state.config.precision)
    if packed == "yes" or (packed == "auto" and varlen):
        budget = getattr(batches, "tokens_per_batch", None)
        return packing.PackedWay(packing.Packed(model, varlen), budget, compiled, accumulate)
    way = fast_cpu.LikeLengths if device.type == "cpu" else processes.SharedWay
    return way(model, compiled, accumulate=accumulate)


def train(
    model: tc.Transformer, batches: tc.Batches, config: tc.TrainingConfig | None = None,
    state: tc.TrainingState | None = None, way: tc.Way | None = None,
) -> Iterator[tc.Step]:  # fmt: skip
    """tc.train in the fastest way, or the one given."""
    config = config or (state.config if state else tc.TrainingConfig())
    state = state or tc.TrainingState(model, config)
    way = way or pick_way(state, batches)
    longest = max(map(max, getattr(batches, "lengths", ())), default=0)
    fast_cpu.make_room(model, min(longest, getattr(batches, "tokens_per_batch", longest)))
    prepare = functools.partial(way.prepare, state) if isinstance(way, packing.PackedWay) else None
    ahead = packing.Ahead(batches, prepare) if state.device.type == "cuda" else batches
    return tc.train(model, ahead, config, state, way)  # type: ignore[arg-type]


def validation_nll(model: tc.Transformer, batches: Iterable[tc.Batch], precision: str = "auto") -> float:
    """Mean negative log-likelihood per real target token, in nats, teacher-forced; on a CPU a batch on a core."""
    device, batches = next(model.parameters()).device, list(batches)

    def nll(batch: tc.Batch) -> float:
        batch = batch.to(device)
        with torch.no_grad(), autocast(device, precision):
            logits = model(batch.src, batch.tgt_in)
            return tc.objective(logits, batch.tgt_out, 0.0)[1].item()

    fast_cpu.make_room(model, max(max(batch.src.size(1), batch.tgt_in.size(1)) for batch in batches))
    with tc.evaluating(model):
        total = sum((threads.side_by_side if device.type == "cpu" else map)(nll, batches))
    return total / sum(batch.n_tokens for batch in batches)
