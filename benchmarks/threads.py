"""What a second core is worth in training: threads inside each operation, as torch has them, or parts side by side.

    python -m benchmarks.threads             # idle, then beside one busy process; about five minutes
    python -m benchmarks.threads --seconds 3 --rounds 1

Sentences are made up and short, 8 tokens in the mean as in everyday text. The ways are worked in turn, round by round;
what is printed are target tokens a second, the median of the rounds, and multiples of one thread's. What the machine
can give at most, however the work is shared out, is said by processes that train alone, one a core, taken together:
cores share caches and memory, and two of a rented machine may be one.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from unittest import mock

import torch

import transformer_core as tc
from core_options import fast_cpu, threads, ways

SETTINGS = (("tiny", "fp32", 300), ("tiny", "fp32", 2500), ("small", "fp32", 2500), ("small", "bf16", 2500))
Setting = tuple[str, str, int]
WAYS = ("one thread", "torch's threads", "side by side")
AT_MOST = "processes of their own"
BUSY = "while True: pass"


def corpus(n: int = 20_000, vocab_size: int = 8000) -> list[tc.Pair]:
    """Pairs of short sentences, lengths lognormal."""
    rng = random.Random(1)
    lengths = [max(1, round(rng.lognormvariate(1.9, 0.5))) for _ in range(n)]
    return [([rng.randrange(4, vocab_size) for _ in range(m)], [rng.randrange(4, vocab_size) for _ in range(m)])
            for m in lengths]  # fmt: skip


@contextlib.contextmanager
def worked(way: str, cores: int) -> Iterator[None]:
    """Inside, torch has so many threads and training uses them in this way."""
    torch.set_num_threads(1 if way in ("one thread", AT_MOST) else cores)
    with contextlib.ExitStack() as inside:
        if way == "torch's threads":
            inside.enter_context(mock.patch.object(threads, "side_by_side", map))
        yield


class Training:
    """A training that goes on, some seconds at a time."""

    def __init__(self, preset: str, precision: str, tokens: int, pairs: list[tc.Pair]):
        torch.manual_seed(0)
        model = tc.Transformer(tc.TransformerConfig(8000, **tc.PRESETS[preset]))
        settings = tc.TrainingConfig(steps=10**6, device="cpu", precision=precision)
        state = tc.TrainingState(model, settings)
        way = fast_cpu.LikeLengths(model)
        self.steps = ways.train(model, tc.make_batches(pairs, tokens), settings, state, way)

    def pace(self, seconds: float) -> float:
        """Target tokens a second."""
        next(self.steps)
        n, began = 0, time.perf_counter()
        while time.perf_counter() - began < seconds:
            n += next(self.steps).n_tokens
        return n / (time.perf_counter() - began)


@contextlib.contextmanager
def others(setting: Setting, n: int) -> Iterator[None]:
    """Inside, so many other processes train the same, each on one thread."""
    command = [sys.executable, "-m", "benchmarks.threads", "--train", *map(str, setting)]
    with contextlib.ExitStack() as leaving:
        for process in [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(n)]:
            leaving.callback(process.kill)
            assert process.stdout and process.stdout.readline()  # it is past its first step
        yield


def go_on(preset: str, precision: str, tokens: str) -> None:
    """Train until killed; says so when the first step is done."""
    torch.set_num_threads(1)
    training = Training(preset, precision, int(tokens), corpus())
    while True:
        training.pace(0.1)
        print("going", flush=True)


def measure(
    settings: list[Setting], seconds: float, rounds: int, cores: int, at_most: bool
) -> Iterator[tuple[Setting, dict[str, float]]]:
    """Of each setting, the median pace of each way; at_most: also of as many processes as there are cores."""
    pairs = corpus()
    for setting in settings:
        training = Training(*setting, pairs)
        paces: dict[str, list[float]] = {way: [] for way in WAYS}
        for _, way in itertools.product(range(rounds), WAYS):
            with worked(way, cores):
                paces[way].append(training.pace(seconds))
        if at_most:
            with others(setting, cores - 1), worked(AT_MOST, cores):
                paces[AT_MOST] = [cores * training.pace(seconds) for _ in range(rounds)]
        yield setting, {way: statistics.median(measured) for way, measured in paces.items()}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="of each way in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--precision", choices=("fp32", "bf16"), help="this alone; bf16 takes long without instructions"
    )
    parser.add_argument("--train", nargs=3, metavar=("PRESET", "PRECISION", "TOKENS"), help="only train")
    options = parser.parse_args()
    if options.train:
        go_on(*options.train)
    settings = [setting for setting in SETTINGS if options.precision in (None, setting[1])]
    cores = torch.get_num_threads()
    print(f"{cores} threads, torch {torch.__version__}; multiples of one thread")
    for name in ("idle", "beside one busy process"):
        with contextlib.ExitStack() as leaving:
            if name != "idle":
                leaving.callback(subprocess.Popen([sys.executable, "-c", BUSY]).kill)
            for setting, paces in measure(settings, options.seconds, options.rounds, cores, name == "idle"):
                alone = paces.pop("one thread")
                ratios = ", ".join(f"{way} {pace / alone:.2f}" for way, pace in paces.items())
                print(f"{name}: {' '.join(map(str, setting))}: one thread {alone:,.0f} tokens/s; {ratios}", flush=True)
    torch.set_num_threads(cores)


if __name__ == "__main__":
    main()
