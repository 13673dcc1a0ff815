"""Training pairs in flat arrays: two bytes a token and some twenty a pair, where lists take over twenty times as many.

    Text       the files of a parallel text, read line by line as often as needed, and never held whole
    Pairs      its ids in one file of the run's folder, which all processes of a machine share (a map of memory)
    Batches    the core's batches of them, the same in the same order to the last bit

The file is made when a run begins, and kept: all ids end to end, where each side of a pair begins and ends, a line of
JSON that says of which files and vocabularies they are, and a digest of it all. What is not right is made anew.
"""

from __future__ import annotations

import codecs
import contextlib
import ctypes
import hashlib
import itertools
import json
import mmap
import warnings
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import transformer_core as tc
from core_options import safekeeping

NAME = "pairs.bin"
LINE, DIGEST = 1 << 12, 32  # bytes of the line at the end of the file, at most, and of the digest after it


# ─── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Counts:
    """What one reading of a whole text tells."""

    digest: str  # of its cleaned pairs
    n_pairs: int
    n_words: int  # of both sides
    n_empty: int  # pairs of which one side alone is empty
    n_same: int  # pairs whose sides are the same


def lines(path: Path) -> Iterator[str]:
    """The cleaned lines of a UTF-8 file, plain or .gz, as tc.read_lines splits them."""
    with tc.reading(path), safekeeping.opened(path) as file:
        for number, line in enumerate(file):
            if line == codecs.BOM_UTF8:  # of a file that holds nothing else
                return
            yield tc.clean(line.decode("utf-8" if number else "utf-8-sig"))


class Text:
    """The two sides of folder/split.src and folder/split.tgt (or .gz), pair by pair."""

    def __init__(self, folder: str, split: str, src: str, tgt: str):
        self.named = (folder, split, src, tgt)
        self.paths = [tc.text_file(folder, f"{split}.{language}") for language in (src, tgt)]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for source, target in itertools.zip_longest(*map(lines, self.paths)):
            if source is None or target is None:
                tc.read_parallel(*self.named)  # which refuses them
            yield source, target

    def check(self) -> None:
        """Refuse files that cannot be a text."""
        for path in self.paths:
            safekeeping.check_text(path)

    def file_digest(self) -> str:
        """Of both files as they are."""
        both = hashlib.sha256()
        for path in self.paths:
            with tc.reading(path), open(path, "rb") as file:
                both.update(hashlib.file_digest(file, "sha256").digest())
        return both.hexdigest()

    def counts(self) -> Counts:
        """Check it and read it once; ValueError: it is no text, or without a pair."""
        self.check()
        digest, n_words, n_pairs, n_empty, n_same, n_full = hashlib.sha256(b"["), 0, 0, 0, 0, 0
        for source, target in self:
            digest.update(f"{', ' if n_pairs else ''}{(source, target)!r}".encode())
            n_words += len(source.split()) + len(target.split())
            n_pairs += 1
            n_empty += bool(source) != bool(target)
            n_same += source == target != ""
            n_full += bool(source and target)
        if not n_full:
            raise ValueError(f"{self.paths[0]} and {self.paths[1].name} hold no pair of sentences.")
        digest.update(b"]")
        return Counts(digest.hexdigest()[:16], n_pairs, n_words, n_empty, n_same)


# ─── Pairs ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def kind_for(most: int) -> str:
    """The kind of array whose items of 2, 4 or 8 bytes hold numbers up to this one."""
    return next(kind for kind in "HIQ" if most < 1 << 8 * array(kind).itemsize)


class Lengths(Sequence[tuple[int, int]]):
    """Of each pair, the tokens of both sides with eos."""

    def __init__(self, bounds: memoryview):
        self.bounds = bounds

    def __len__(self) -> int:
        return len(self.bounds) // 2

    def __getitem__(self, row: int) -> tuple[int, int]:  # type: ignore[override]
        start, middle, end = self.bounds[2 * row : 2 * row + 3]
        return middle - start + 1, end - middle + 1

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return map(self.__getitem__, range(len(self)))


class Pairs(Sequence[tc.Pair]):
    """The core's pairs of ids, from a file that is mapped, not read."""

    def __init__(self, path: Path):
        """ValueError: it is damaged, or something else."""
        with open(path, "rb") as file:
            whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        data, digest = whole[:-DIGEST], whole[-DIGEST:]
        if hashlib.sha256(data).digest() != digest:
            raise ValueError(f"{path} is damaged; remove it, and it is made anew.")
        line = bytes(data[-LINE:]).rpartition(b"\n")[2]
        self.about = json.loads(line)
        self.counts = Counts(**self.about["counts"])
        ids, bounds, n_bytes = self.about["arrays"]
        self.ids = data[:n_bytes].cast(ids)
        self.bounds = data[n_bytes : -len(line) - 1].cast(bounds)  # where the sides begin and end
        self.lengths = Lengths(self.bounds)

    def __len__(self) -> int:
        return self.counts.n_pairs

    def __getitem__(self, row: int) -> tc.Pair:  # type: ignore[override]
        start, middle, end = self.bounds[2 * row : 2 * row + 3]
        return self.ids[start:middle].tolist(), self.ids[middle:end].tolist()

    def __iter__(self) -> Iterator[tc.Pair]:
        return map(self.__getitem__, range(len(self)))


def give_back_memory() -> None:
    """Let glibc hand back what a vocabulary's learning and a text's cutting took: it is not needed again."""
    with contextlib.suppress(OSError, AttributeError, TypeError):  # elsewhere than on Linux
        ctypes.CDLL(None).malloc_trim(0)


def cut(path: Path, text: Text, counts: Counts, tokenizers: Sequence[tc.Tokenizer]) -> None:
    """Write the ids of a text; tokenizers: one for both sides, or one for each."""
    ids, of_ids, bounds, n = bytearray(), kind_for(max(map(len, tokenizers)) - 1), array("Q", [0]), 0
    for pair in text:
        for side, tokenizer in zip(pair, (tokenizers[0], tokenizers[-1]), strict=True):
            side_ids = tokenizer.encode(side)
            ids += array(of_ids, side_ids).tobytes()
            n += len(side_ids)
            bounds.append(n)
    of_bounds = kind_for(n)
    about: dict[str, Any] = dict(files=text.file_digest(), tokenizers=digests(tokenizers), counts=asdict(counts))
    about["arrays"] = of_ids, of_bounds, len(ids)
    data = ids  # in place: there may be half a gigabyte
    data += array(of_bounds, bounds).tobytes()
    data += b"\n" + json.dumps(about).encode()
    data += hashlib.sha256(data).digest()
    tc.write_atomically(path, data)  # type: ignore[arg-type]
    give_back_memory()


def kept(path: Path, text: Text) -> Pairs | None:
    """The pairs that have been cut of this text; None where there are none, and, which is said, none of any use."""
    if not path.exists():
        return None
    files = text.file_digest()
    try:
        pairs = Pairs(path)
        if pairs.about["files"] == files:
            return pairs
        problem = "is of other files"
    except (ValueError, LookupError, TypeError, OSError):
        problem = "is damaged"
    tc.say(f"Note: {path} {problem}; it is made anew.")
    return None


def digests(tokenizers: Sequence[tc.Tokenizer]) -> list[str]:
    """What tells vocabularies apart."""
    return [hashlib.sha256(tokenizer.model).hexdigest()[:16] for tokenizer in tokenizers]


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────
class Rows(array):
    """Places in the corpus, four bytes each."""

    def copy(self) -> array:
        """As of a list."""
        return self[:]


class Batches(tc.Batches):
    """The core's, of the pairs of which neither side is empty, their places in flat arrays."""

    lengths: Any  # Lengths
    usable: Any  # Rows

    def __init__(self, pairs: Pairs, tokens_per_batch: int, seed: int = 0, window: int = 1 << 15):
        self.pairs, self.lengths = pairs, pairs.lengths
        self.tokens_per_batch, self.seed, self.window = tokens_per_batch, seed, window
        fitting = sum(max(n) <= tokens_per_batch for n in self.lengths)
        if not fitting:
            problem = f"Of {len(pairs)} pairs none fits into a batch of {tokens_per_batch} tokens"
            raise ValueError(f"{problem}; raise tokens_per_batch, or is the corpus empty?")
        if fitting < len(pairs):
            problem = f"{len(pairs) - fitting} of {len(pairs)} pairs exceed"
            warnings.warn(f"{problem} {tokens_per_batch} tokens: left out.", stacklevel=2)
        lengths = enumerate(self.lengths)
        self.usable = Rows("I", (row for row, n in lengths if min(n) > 1 and max(n) <= tokens_per_batch))

    def cut(self, window: Sequence[int]) -> Iterator[Any]:
        """The core's batches of a window, each a flat array."""
        return (array("I", rows) for rows in super().cut(window))
