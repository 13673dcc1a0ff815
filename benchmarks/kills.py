"""A training run killed again and again: does it end as if it had not been?

    python -m benchmarks.kills                          # 50 SIGKILLs, 10 SIGTERMs, 20 full disks; a few minutes
    python -m benchmarks.kills --kills 3 --terms 1 --disks 1 --seed 7

A small Transformer is trained on toy text with the command `train`, in processes of their own, on one thread. Each run
of them is ended once before its time:

    SIGKILL      at a random instant of the run; every other one in the middle of a write, a random one of the run's
    SIGTERM      at a random instant; it must save, and end with status 143
    full disk    a limit on the size of files (RLIMIT_FSIZE), or, where mount is allowed, a tiny tmpfs; it must end in
                 one sentence and status 2

Then every file that lies in the folder of the run is read, the step it would go on from is compared with the last one
that was made, and it is resumed. It must end with the files of the run that nobody interrupted, bit by bit. The
instants follow from --seed. The writes are made slow here, not in transformer_core.py: a file opened for writing takes
a few kilobytes at a time, says so, and waits.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import functools
import importlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import safetensors.torch
import torch

import transformer_core as tc
from core_options import pairs, runs

SHAPE = dict(n_layers=1, d_model=24, d_ff=40, n_heads=2, d_k=10, d_v=14)
STEPS, SAVE_EVERY = 12, 3
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"]
SLOW = 0.004  # seconds that each part of a write takes


# ─── The run ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def write_corpus(folder: Path) -> Path:
    """The toy: sentences of eight words, translated by reading them backwards."""
    rng = random.Random(0)
    folder.mkdir(parents=True)
    for split, n in (("train", 40), ("valid", 5)):
        rows = [rng.choices(WORDS, k=rng.randint(1, 6)) for _ in range(n)]
        (folder / f"{split}.en").write_text("".join(" ".join(row) + "\n" for row in rows))
        (folder / f"{split}.de").write_text("".join(" ".join(row[::-1]) + "\n" for row in rows))
    return folder


def command(data: Path, out: Path, resume: bool = False) -> list[str]:
    values = dict(data=data, out=out, preset="toy", vocab_size=290, steps=STEPS, tokens_per_batch=60, warmup_steps=4,
                  peak_learning_rate=0.01, save_every=SAVE_EVERY, keep=2, bleu_sentences=3, device="cpu",
                  precision="fp32")  # fmt: skip
    words = [word for name, value in values.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    return ["train", *words, *(["--resume"] if resume else [])]


class Slowly:
    """A file that is written a little at a time, each part on its way to the disk and announced."""

    def __init__(self, file: Any, say: Callable[[str], None]):
        self.file, self.say = file, say

    def write(self, data: bytes) -> None:
        size = max(1, len(data) // 4)
        for start in range(0, len(data), size):
            self.file.write(data[start : start + size])
            self.file.flush()
            self.say("w")
            time.sleep(SLOW)

    def __enter__(self) -> Slowly:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def child(words: list[str], tell: int, errors: Path, limit: int | None) -> None:
    """What the process does: the command, with slow writes; "w" for a part written and "s" for a step go to `tell`."""

    def say(what: str) -> None:
        os.write(tell, what.encode())

    def open_slowly(file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        opened = builtins.open(file, mode, *rest, **named)  # noqa: SIM115
        return Slowly(opened, say) if "w" in mode or "x" in mode else opened

    after = runs.Run.after

    def after_aloud(run: runs.Run, step: tc.Step) -> bool:
        over = after(run, step)
        say("s")
        return over

    runs.Run.after = after_aloud  # type: ignore[method-assign]
    tc.open = open_slowly  # type: ignore[attr-defined]
    tc.PRESETS["toy"] = SHAPE
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.stderr = os.fdopen(2, "w")
    if limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    status = 1
    try:
        status = tc.main(words)
    except BaseException:
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(status)


class Process:
    """A training process: `told` is what it has said so far, status what it ended with (negative: by which signal)."""

    def __init__(self, words: list[str], errors: Path, limit: int | None = None):
        self.errors, self.told, self.status = errors, "", 0
        self.read, tell = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            child(words, tell, errors, limit)
        os.close(tell)

    def listen(self, until: Callable[[str], bool] = lambda told: False, seconds: float = 1e9) -> bool:
        """Wait until it has said so much, or for so long; False when it has ended."""
        import select

        end = time.monotonic() + seconds
        while not until(self.told) and (left := end - time.monotonic()) > 0:
            if select.select([self.read], [], [], min(left, 1e6))[0]:
                text = os.read(self.read, 1 << 16).decode()
                if not text:
                    return False
                self.told += text
        return True

    def end(self, number: int = 0) -> Process:
        """Send a signal, if one is named, and wait until it is gone."""
        if number:
            os.kill(self.pid, number)
        self.listen()
        os.close(self.read)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self

    @property
    def steps(self) -> int:
        return self.told.count("s")

    @property
    def last_line(self) -> str:
        return (self.errors.read_text().strip().splitlines() or [""])[-1]


# ─── What must hold ──────────────────────────────────────────────────────────────────────────────────────────────────
def contents(folder: Path) -> dict[str, Any]:
    """All that a finished run has written; of the log and of the state without the time that they took."""
    contents: dict[str, Any] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        if name == "log.jsonl":
            rows = [json.loads(line) for line in path.read_text().splitlines()]
            contents[name] = [{k: v for k, v in row.items() if k != "seconds"} for row in rows]
        elif name == "state.safetensors":
            tensors = safetensors.torch.load_file(path)
            contents[name] = {key: tensor.numpy().tobytes() for key, tensor in tensors.items()}
        else:
            contents[name] = path.read_bytes()
    return contents


def check_whole(folder: Path) -> int:
    """Read everything in the folder of an interrupted run; the step it would go on from."""
    checkpoints = [path.parent for path in folder.rglob("model.safetensors") if path.parent.suffix != ".part"]
    for checkpoint in checkpoints:
        tc.load_pretrained(checkpoint)
    for path in (path for path in folder.rglob("*") if path.is_file()):
        if path.suffix != ".part" and path.parent.suffix != ".part":
            read_file(path)
    state = folder / "state.safetensors"
    return tc.saved_training(state)["place"]["step"] if state.exists() else 0


def read_file(path: Path) -> None:
    match path.suffix:
        case ".safetensors":
            safetensors.torch.load_file(path)
        case ".json":
            json.loads(path.read_text())
        case ".jsonl":
            [json.loads(line) for line in path.read_text().splitlines()]
        case ".model":
            tc.Tokenizer.load(path)
        case ".bin":
            pairs.Pairs(path)
        case _:
            raise AssertionError(f"{path} is of no known kind")


class Broken(AssertionError):
    """A promise that was not kept."""


def check(what: str, holds: bool) -> None:
    if not holds:
        raise Broken(what)


def check_promises(out: Path, steps: int, finished: dict[str, Any], data: Path) -> int:
    """After an interruption at which `steps` steps were behind it: all is whole, recent, and ends as it should."""
    step = check_whole(out)
    check(f"goes on from step {step}, but {steps} were made", step >= steps // SAVE_EVERY * SAVE_EVERY)
    left = sum(path.suffix == ".part" for path in out.rglob("*"))
    again = Process(command(data, out, resume=True), out.with_suffix(".err")).end()
    check(f"resumed, it ended with {again.status}: {again.last_line}", again.status == 0)
    ended = contents(out)
    odd = [name for name in {*ended, *finished} if ended.get(name) != finished.get(name)]
    check(f"other than without interruption: {', '.join(odd)}", not odd)
    return left


# ─── The interruptions ───────────────────────────────────────────────────────────────────────────────────────────────
def prepare() -> None:
    """What every process would import by itself, at ten times the cost of the run."""
    torch.set_num_threads(1)
    for name in ("torch._dynamo", "sacrebleu", "tqdm", "tyro"):
        importlib.import_module(name)


class Harness:
    """The run that nobody interrupts, and those that somebody does."""

    def __init__(self, folder: Path):
        self.folder, self.data = folder, write_corpus(folder / "data")
        began = time.monotonic()
        whole = Process(command(self.data, folder / "whole"), folder / "whole.err").end()
        check(f"uninterrupted, it ended with {whole.status}: {whole.last_line}", whole.status == 0)
        self.seconds, self.writes = time.monotonic() - began, whole.told.count("w")
        self.finished = contents(folder / "whole")
        self.largest = max(path.stat().st_size for path in (folder / "whole").rglob("*") if path.is_file())
        self.total = sum(path.stat().st_size for path in (folder / "whole").rglob("*") if path.is_file())

    def kill(self, name: str, rng: random.Random, in_a_write: bool) -> str:
        out = self.folder / name
        process = Process(command(self.data, out), out.with_suffix(".err"))
        if in_a_write:
            n = rng.randint(1, self.writes)
            process.listen(lambda told: told.count("w") >= n)
        else:
            process.listen(seconds=rng.uniform(0, self.seconds))
        process.end(signal.SIGKILL)
        check(f"it ended with {process.status}: {process.last_line}", process.status in (-signal.SIGKILL, 0))
        left = check_promises(out, process.steps, self.finished, self.data)
        where = "in a write" if in_a_write else "anywhere"
        return f"{where}, after {process.steps} steps, {left} files half-written"

    def terminate(self, name: str, rng: random.Random) -> str:
        out = self.folder / name
        process = Process(command(self.data, out), out.with_suffix(".err"))
        process.listen(lambda told: "w" in told)  # the first file: the signals are looked after by then
        process.listen(seconds=rng.uniform(0, 0.9 * self.seconds))
        process.end(signal.SIGTERM)
        check(f"it ended with {process.status}: {process.last_line}", process.status in (128 + signal.SIGTERM, 0))
        saved = check_whole(out)
        check(f"saved step {saved} of {process.steps}", saved == process.steps)
        check_promises(out, process.steps, self.finished, self.data)
        return f"after {process.steps} steps"

    def fill(self, name: str, rng: random.Random) -> str:
        """Files may not be longer than a limit."""
        out = self.folder / name
        limit = rng.randint(1, self.largest - 1)
        process = Process(command(self.data, out), out.with_suffix(".err"), limit).end()
        self.check_full(process)
        check_promises(out, 0, self.finished, self.data)
        return f"files of at most {limit:,} bytes, after {process.steps} steps"

    def fill_disk(self, name: str, rng: random.Random) -> str:
        """The run has a disk of its own, which is too small, and is made larger afterwards."""
        out, pages = self.folder / name, self.total // 4096
        limit = rng.randint(8, pages - 8) * 4096
        with small_disk(out, limit) as grow:
            process = Process(command(self.data, out / "run"), out.with_suffix(".err")).end()
            self.check_full(process)
            grow()
            check_promises(out / "run", 0, self.finished, self.data)
        return f"a disk of {limit:,} bytes, after {process.steps} steps"

    def check_full(self, process: Process) -> None:
        line = process.last_line
        check(f"it ended with {process.status}: {line}", process.status == 2 and line.startswith("Error: "))
        check(f"it says {line!r}", "cannot be written" in line and "Traceback" not in process.errors.read_text())


@contextlib.contextmanager
def small_disk(folder: Path, size: int) -> Iterator[Callable[[], object]]:
    """A tmpfs of so many bytes; yields what makes it large."""
    folder.mkdir()
    options = ["mount", "-t", "tmpfs", "-o"]
    subprocess.run([*options, f"size={size}", "tmpfs", str(folder)], check=True, capture_output=True)
    try:
        yield lambda: subprocess.run([*options, "remount,size=64m", "tmpfs", str(folder)], check=True)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def can_mount(folder: Path) -> bool:
    try:
        with small_disk(folder, 1 << 16):
            return True
    except (subprocess.CalledProcessError, OSError):
        return False


def rounds(harness: Harness, kills: int, terms: int, disks: int, seed: int) -> Iterator[tuple[str, Callable[[], str]]]:
    """Each interruption by name; its instant follows from the seed and the name."""
    mount = can_mount(harness.folder / "disk")
    kinds = [functools.partial(harness.kill, in_a_write=False), functools.partial(harness.kill, in_a_write=True)]
    fills = [harness.fill, harness.fill_disk if mount else harness.fill]
    for what, n, ways in (("kill", kills, kinds), ("term", terms, [harness.terminate]), ("disk", disks, fills)):
        for i in range(n):
            name = f"{what}-{i}"
            yield name, functools.partial(ways[i % len(ways)], name, random.Random(f"{seed} {name}"))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--terms", type=int, default=10)
    parser.add_argument("--disks", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    prepare()
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(Path(folder))
        print(f"uninterrupted: {STEPS} steps, {harness.writes} parts written, {harness.seconds:.1f} s", flush=True)
        for name, interrupt in rounds(harness, options.kills, options.terms, options.disks, options.seed):
            try:
                print(f"{name}: {interrupt()}, resumed: equal", flush=True)
            except Exception as error:
                broken += 1
                print(f"{name}: BROKEN: {type(error).__name__}: {error}", flush=True)
            shutil.rmtree(Path(folder, name), ignore_errors=True)
    n = options.kills + options.terms + options.disks
    print(f"{n - broken} of {n} interruptions kept every promise.")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
