"""Work side by side on the cores of a CPU, each part on one core to its end.

torch shares every product out over its threads, which then wait for each other: by turning in a loop, which costs all
the more the busier the machine is, or asleep, which costs half of an idle one. Parts of a batch wait for nobody. What
the parts are, and in which order their results are added up, does not depend on how many threads there are: neither
does any bit of the result.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch
from torch import Tensor

Part = TypeVar("Part")
Result = TypeVar("Result")
cores = 1  # on which parts are worked where torch has been left with one thread


def leave_one() -> None:
    """From now on torch works each operation on one thread, and its threads are for parts side by side alone."""
    global cores
    cores = max(cores, torch.get_num_threads())
    torch.set_num_threads(1)


working = threading.local()  # .left: an event, whether nobody waits any more for what this thread does; .inside
counting = threading.Lock()
users, had = 0, 1  # threads that are inside, and how many of torch's the first of them had


@contextlib.contextmanager
def one_thread() -> Iterator[int]:
    """Inside, torch works each operation on one thread; gives how many it had, and inside another 1."""
    global users, had
    if getattr(working, "inside", False):
        yield 1
        return
    with counting:  # a thread begins with as many as another was given last: one, if that is inside
        had, users = had if users else torch.get_num_threads(), users + 1
        torch.set_num_threads(1)
    working.inside = True
    try:
        yield had
    finally:
        working.inside = False
        with counting:
            users -= 1
            torch.set_num_threads(had)


def join(left: threading.Event) -> None:
    """Begin the work of a thread whose results somebody waits for, until that is left."""
    working.left, working.inside = left, True
    torch.set_num_threads(1)


class Left(Exception):
    """Nobody waits for this result."""


def check_wanted() -> None:
    """End the work of this thread if nobody waits for it; long work asks now and then."""
    if hasattr(working, "left") and working.left.is_set():
        raise Left


def side_by_side(work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterator[Result]:
    """The result of each part, in order; as many at a time as torch has threads, or had before it was left one."""
    with one_thread() as own:
        n = max(own, cores)
        if min(n, len(parts)) < 2:
            yield from map(work, parts)
            return
        left = threading.Event()
        with ThreadPoolExecutor(n, initializer=join, initargs=(left,)) as pool:
            try:
                yield from pool.map(work, parts)
            finally:
                left.set()


class Worked(torch.autograd.Function):
    """A loss whose gradient is known: so a part that another thread has differentiated joins the others."""

    @staticmethod
    def forward(ctx: Any, loss: Tensor, gradients: Sequence[Tensor | None], *parameters: Tensor) -> Tensor:
        ctx.gradients = gradients
        return loss.clone()

    @staticmethod
    def backward(ctx: Any, d_loss: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Scaled in place, so it serves once."""
        gradients, ctx.gradients = ctx.gradients, None
        return None, None, *(None if x is None else x.mul_(d_loss) for x in gradients)
