"""How a command ends: in one sentence where something is wrong, quietly where nobody listens any more.

    out of memory          a sentence that names the options which need less
    a file it cannot use   a sentence that names it
    a reader that left     (`| head -1`) status 141, as the shell says of SIGPIPE
    Ctrl-C                 status 130; what was done has been written
    a warning              a line that begins with "Note:"

The command line wraps each of its commands so.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator

import torch

import transformer_core as tc
from core_options import processes

EXHAUSTED = re.compile(
    "not enough memory|allocate memory|out of memory|(calculation|multiplication) overflow|alloc_cpu", re.I
)


def is_out_of_memory(error: Exception) -> bool:
    """Whether a computer or its GPU had no room left, or never had so much."""
    return isinstance(error, (MemoryError, torch.OutOfMemoryError)) or bool(EXHAUSTED.search(str(error)))


def silence() -> None:
    """Let what is still to be written to standard output go nowhere, so that Python does not complain at its end."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def need_streams(*names: str) -> None:
    """Refuse to begin where standard input or output is closed."""
    for name in names:
        if getattr(sys, name) is None:
            which = {"stdin": "input", "stdout": "output"}[name]
            raise ValueError(f"Standard {which} is closed; connect it to a file, a pipe or a terminal.")


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Inside, standard output is written, and then flushed; ValueError: it has no room."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise ValueError(f"Standard output cannot be written ({error.strerror}); is there room for it?") from None


def ending_well(command: Callable[..., int]) -> Callable[..., int]:
    """The command, ending as this page says."""

    @functools.wraps(command)
    @processes.telling()
    def ending(*arguments: object, **options: object) -> int:
        if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_, **__: tc.say(f"Note: {message}")
                return command(*arguments, **options)
        except KeyboardInterrupt:
            return 128 + signal.SIGINT
        except BrokenPipeError:
            silence()
            return 141
        except OSError as error:
            name, reason = error.filename or "A file", error.strerror or type(error).__name__
            raise ValueError(f"{name} cannot be used ({reason}); is it there, and may you use it?") from None
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            advice = "for a new run lower --tokens-per-batch or raise --accumulate, to translate lower --beam-size"
            raise ValueError(f"The memory is not enough; {advice}, or take a smaller model.") from None

    return ending
