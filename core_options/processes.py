"""Batches in parts: one after the other to save memory, or shared out, to the same end as the batch in one.

`python -m core_options.processes --nproc-per-node 8 transformer_core.py train …` starts processes that share: it is
torchrun, with all its options, and ends as the first process that failed does, with its sentence and its status.
`SharedWay` is also the root of the other ways in this folder, as any of them may be shared out, and compiled.
"""

from __future__ import annotations

import contextlib
import datetime
import importlib
import json
import logging
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options.precision import autocast, products

LOST = re.compile("gloo|nccl|peer", re.I)  # in what torch says when another process is gone
WAIT = 5.0  # seconds
TORCHRUN = ("run", "elastic.multiprocessing.api", "elastic.multiprocessing.errors")


def world() -> tuple[int, int]:
    """(rank, number of processes) of a torchrun, or (0, 1)."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return 0, 1


def is_shared() -> bool:
    """Whether this process was started as one of several, or is one already."""
    return world()[1] > 1 or int(os.environ.get("WORLD_SIZE", 1)) > 1


@contextlib.contextmanager
def joined(device: str) -> Iterator[None]:
    """Inside, this process is one of a torchrun, with a GPU of its own where device is "auto" and there are some."""
    picked = tc.pick_device(device)
    if picked.type == "cuda":
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]) if device == "auto" else picked)
    patience = datetime.timedelta(days=1)  # while the first process learns the vocabulary
    torch.distributed.init_process_group("nccl" if picked.type == "cuda" else "gloo", timeout=patience)
    try:
        yield
    except RuntimeError as error:
        if not LOST.search(str(error)):
            raise
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        time.sleep(WAIT)  # in which torchrun ends this process too, and names the one that failed
        raise ValueError("Another process of this training has ended; start all of them again.") from None
    finally:
        torch.distributed.destroy_process_group()


@contextlib.contextmanager
def telling() -> Iterator[None]:
    """Inside, a process that fails tells torchrun, if this is one, in which words."""
    try:
        yield
    except Exception as error:
        if path := os.environ.get("TORCHELASTIC_ERROR_FILE"):
            Path(path).write_text(json.dumps({"message": f"Error: {error}", "timestamp": int(time.time())}))
        raise


def main(arguments: Sequence[str] | None = None) -> int:
    """torchrun, but the last line is what the first process that failed has said, and the status is that process's."""
    run, api, errors = (importlib.import_module(f"torch.distributed.{name}") for name in TORCHRUN)
    logging.disable()  # in this process, which only waits for the others
    try:
        run.main(arguments)
    except errors.ChildFailedError as failed:
        rank, failure = failed.get_first_failure()
        if failure.exitcode < 0:
            tc.say(f"Error: Process {rank} of the training was ended by {failure.signal_name()}; --resume goes on.")
            return 128 - failure.exitcode
        if rank:  # process 0 has said it itself
            tc.say(failure.message)
        return failure.exitcode
    except api.SignalException as stopped:
        return 128 + stopped.sigval
    return 0


def summed(*numbers: float) -> list[float]:
    """Each number added up over the processes, all of which call this."""
    if world()[1] == 1:
        return list(numbers)
    device = "cuda" if torch.distributed.get_backend() == "nccl" else "cpu"
    torch.distributed.all_reduce(total := torch.tensor(numbers, dtype=torch.float64, device=device))
    return total.tolist()


def part(batch: tc.Batch, rows: Sequence[int]) -> tc.Batch:
    """Some of the sentences of a batch, padded no further than these need."""
    if not rows:  # one that counts for nothing
        return tc.Batch(batch.src[:1], batch.tgt_in[:1], torch.full_like(batch.tgt_out[:1], tc.PAD))
    sides = [x[list(rows)] for x in (batch.src, batch.tgt_in, batch.tgt_out)]
    src, tgt_in, tgt_out = (x[:, : int((x != tc.PAD).sum(1).max())] for x in sides)
    return tc.Batch(src, tgt_in, tgt_out, tuple(batch.rows[row] for row in rows if batch.rows))


def split(batch: tc.Batch, n: int) -> list[tc.Batch]:
    """n parts of a batch, by sentence."""
    return [batch] if n == 1 else [part(batch, range(i, len(batch.src), n)) for i in range(n)]


class SharedWay(tc.Way):
    """The plain way, in parts, shared out and compiled as asked for; `batch`: the last one that was worked.

    accumulate: so many parts of a batch are worked one after the other, to save memory.
    """

    def __init__(self, module: nn.Module, compiled: bool = False, dynamic: bool | None = True, accumulate: int = 1):
        self.rank, self.n_ranks = world()
        self.accumulate = accumulate
        self.compiled = compiled
        self.batch: tc.Batch | None = None
        self.forward: Callable[..., Any] = module
        self.no_sync: Callable[[], contextlib.AbstractContextManager] = contextlib.nullcontext
        if compiled:
            self.forward = torch.compile(module, dynamic=dynamic)
        if self.n_ranks > 1:
            shared = nn.parallel.DistributedDataParallel(self.forward, gradient_as_bucket_view=True)  # type: ignore
            shared.broadcast_buffers = False  # the only ones are the sinusoids, which each process grows as it needs
            self.forward, self.no_sync = shared, shared.no_sync

    def parts(self, state: tc.TrainingState, batch: tc.Batch) -> list[tc.Batch]:
        """What this process works of a batch, one part after the other."""
        return split(batch, self.accumulate * self.n_ranks)[self.rank :: self.n_ranks]

    def part_sums(self, state: tc.TrainingState, part: tc.Batch) -> tuple[Tensor, Tensor]:
        """The loss and the nll of one part."""
        part = part.to(state.device)
        with autocast(state.device, state.precision):
            logits = self.forward(part.src, part.tgt_in)
        return tc.objective(logits, part.tgt_out, state.model.config.eps_ls)

    def sums(self, state: tc.TrainingState, batch: tc.Batch) -> Iterator[tuple[Tensor, Tensor]]:
        """As the core's, times the number of processes, over which gradients are averaged once, with the last part."""
        self.batch = batch
        *early, last = self.parts(state, batch)
        with products(state.precision):
            with self.no_sync():
                for part in early:
                    loss, nll = self.part_sums(state, part)
                    yield self.n_ranks * loss, self.n_ranks * nll
            loss, nll = self.part_sums(state, last)
            yield self.n_ranks * loss, self.n_ranks * nll

    def total(self, numbers: Tensor) -> Tensor:
        """Their mean over the processes."""
        if self.n_ranks == 1:
            return numbers
        numbers = numbers.double()
        torch.distributed.all_reduce(numbers)
        return numbers / self.n_ranks


if __name__ == "__main__":
    sys.exit(main())
