"""Translating as a filter: lines go out in their order, as they are done, however many come in.

    windows         the lines of a stream, some thousands at a time, or those that a slow one has given so far
    translated      a window in batches of like lengths, first the one with the oldest line, so that lines go out early
    run             standard input to standard output, with a prompt or a bar of progress where there is a terminal

The core's command reads all, translates all, and writes all.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import select
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, BinaryIO

from tqdm import tqdm

import transformer_core as tc
from core_options import endings, fast_cpu

WINDOW = 2000  # lines that are sorted by length together
HELD = 1 << 23  # bytes after which a window of long lines is full
PAUSE = 0.1  # seconds after which what a slow stream has given is translated
SHOWN = {i: 0x2400 + i for i in range(32)} | {127: 0x2421} | {i: f"\\x{i:x}" for i in range(128, 160)}


# ─── Lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def waits(stream: BinaryIO) -> bool:
    """Whether a stream has nothing to read for a while; False where that cannot be known."""
    try:
        return not select.select([stream.fileno()], [], [], PAUSE)[0]
    except (OSError, ValueError, AttributeError):  # a stream in memory; Windows
        return False


def chunks(stream: BinaryIO, ask: Callable[[], None]) -> Iterator[bytes]:
    """What a stream gives, b"" where it pauses; `ask` is called before it is waited for."""
    while True:
        if waits(stream):
            yield b""
            ask()
        data = getattr(stream, "read1", stream.read)(1 << 16)
        if not data:
            return
        yield data


def windows(stream: BinaryIO, ask: Callable[[], None] = lambda: None) -> Iterator[list[bytes]]:
    """The lines of a stream, split on "\\n" only, up to WINDOW at a time."""
    lines, parts, held, is_first = list[bytes](), list[bytes](), 0, True  # parts: of a line that has not ended
    for chunk in chunks(stream, ask):
        parts.append(chunk)
        held += len(chunk)
        if b"\n" in chunk:
            *whole, last = b"".join(parts).split(b"\n")
            lines += whole
            parts = [last]
        while len(lines) >= WINDOW or (lines and (not chunk or held > HELD)):
            yield lines[:WINDOW]
            lines, held, is_first = lines[WINDOW:], 0, False
    rest = b"".join(parts)
    if is_first and not lines and b"\r" in rest.rstrip(b"\r"):
        problem = "The lines of standard input end in carriage returns alone"
        raise ValueError(f"{problem}; convert them first, as by: tr '\\r' '\\n'.")
    if rest:
        lines.append(rest)
    if lines:
        yield lines


def decode(line: bytes, number: int) -> str:
    """A line as text, without a byte-order mark at the beginning of all; ValueError names what is not UTF-8."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        problem = f"Line {number} of standard input is not valid UTF-8"
        raise ValueError(f"{problem}; convert the text to UTF-8 first.") from None
    return text.removeprefix("\ufeff") if number == 1 else text


def count(stream: BinaryIO) -> int | None:
    """How many lines a file has, all of which are tried before any is translated; None for a stream."""
    with contextlib.suppress(OSError):
        if stream.seekable():
            start, number = stream.tell(), 0
            for number, line in enumerate(stream, 1):
                decode(line, number)
            stream.seek(start)
            return number
    return None


# ─── Translating ─────────────────────────────────────────────────────────────────────────────────────────────────────
def ids_of(translator: fast_cpu.Translator, texts: Sequence[str], first: int) -> dict[int, list[int]]:
    """The ids of each text that is translated, by its row; what is too long is named by its number, from `first`."""
    ids = translator.tokens(texts)
    for row in [row for row in ids if len(ids[row]) > translator.longest]:
        n = len(ids.pop(row))
        warnings.warn(f"line {first + row} stays empty: {n:,} tokens, above {translator.longest:,}.", stacklevel=2)
    return ids


def translated(
    translator: fast_cpu.Translator, texts: Sequence[str], search: fast_cpu.Search, bar: Any, first: int = 1
) -> Iterator[list[str]]:
    """The translations of a window in their order, some at a time; first: the number of its first line."""
    ids, began, tokens = ids_of(translator, texts, first), time.monotonic(), 0
    lines: list[str | None] = [None if row in ids else "" for row in range(len(texts))]
    cut = sorted(fast_cpu.batches({row: len(ids[row]) for row in ids}, search[0]), key=min)
    start = 0
    searched = zip(cut, translator.searched(ids, cut, search), strict=True)
    for rows, fresh in itertools.chain(searched, [([], [])]):
        for row, line in zip(rows, fresh, strict=True):
            lines[row] = line
        tokens += sum(len(ids[row]) for row in rows)
        end = next((row for row in range(start, len(lines)) if lines[row] is None), len(lines))
        bar.set_postfix_str(f"{tokens / (time.monotonic() - began):,.0f} tokens/s", False)
        bar.update(len(rows) if rows else len(lines) - len(ids))
        yield [line or "" for line in lines[start:end]]
        start = end


def progress(total: int | None) -> Any:
    """A bar on a terminal, unless the lines themselves are written there."""
    return tqdm(total=total, unit=" lines", disable=not sys.stderr.isatty() or sys.stdout.isatty())


def translate_all(translator: fast_cpu.Translator, texts: Sequence[str], search: fast_cpu.Search) -> list[str]:
    """One line for each text, with a bar of progress."""
    check(search)
    with progress(len(texts)) as bar:
        parts: Iterable[list[str]] = (
            part
            for start in range(0, len(texts), WINDOW)
            for part in translated(translator, texts[start : start + WINDOW], search, bar, start + 1)
        )
        return [line for part in parts for line in part]


def ask() -> None:
    """A prompt, on standard error."""
    print("> ", end="", file=sys.stderr, flush=True)


def check(search: fast_cpu.Search) -> None:
    """Refuse a search that cannot be before anything is read or said."""
    beam_size, alpha, max_extra = search
    if beam_size < 1 or not 0 <= alpha < math.inf or max_extra < 0:
        values = f"beam_size is {beam_size}, alpha {alpha}, max_extra {max_extra}"
        raise ValueError(f"{values}; pass at least 1, 0 and 0.")


def run(load: Callable[[], fast_cpu.Translator], search: fast_cpu.Search) -> int:
    """Translate standard input to standard output; control characters that a model utters are shown by pictures."""
    check(search)
    stdin, stdout, number = sys.stdin.buffer, sys.stdout.buffer, 1
    total, translator = count(stdin), load()
    if sys.stdin.isatty():
        tc.say("A sentence a line; Ctrl-D ends.")
    with progress(total) as bar:
        for window in windows(stdin, ask if sys.stdin.isatty() else lambda: None):
            texts = [decode(line, i) for i, line in enumerate(window, number)]
            for lines in translated(translator, texts, search, bar, number):
                with endings.writing():
                    stdout.write("".join(line.translate(SHOWN) + "\n" for line in lines).encode())
            number += len(texts)
    return 0
