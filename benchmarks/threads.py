"""What a second core is worth in training: threads inside each operation, as torch has them, or parts side by side.

    python -m benchmarks.threads             # idle, then beside one busy process; about five minutes
    python -m benchmarks.threads --seconds 3 --rounds 1

Sentences are made up and short, 8 tokens in the mean as in everyday text. The ways are worked in turn, round by round;
what is printed are target tokens a second, the median of the rounds, and multiples of one thread's.
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
WAYS = ("one thread", "torch's threads", "side by side")
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
    torch.set_num_threads(1 if way == "one thread" else cores)
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


def measure(seconds: float, rounds: int, cores: int) -> dict[tuple[str, str, int], dict[str, float]]:
    """Of each setting, the median pace of each way."""
    pairs, medians = corpus(), {}
    for setting in SETTINGS:
        training, paces = Training(*setting, pairs), {way: [] for way in WAYS}
        for _, way in itertools.product(range(rounds), WAYS):
            with worked(way, cores):
                paces[way].append(training.pace(seconds))
        medians[setting] = {way: statistics.median(paces[way]) for way in WAYS}
    return medians


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.threads", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="of each way in each round")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    cores = torch.get_num_threads()
    print(f"{cores} threads, torch {torch.__version__}; multiples of one thread")
    for name in ("idle", "beside one busy process"):
        with contextlib.ExitStack() as leaving:
            if name != "idle":
                leaving.callback(subprocess.Popen([sys.executable, "-c", BUSY]).kill)
            for setting, paces in measure(options.seconds, options.rounds, cores).items():
                alone, *others = (paces[way] for way in WAYS)
                ratios = ", ".join(f"{way} {pace / alone:.2f}" for way, pace in zip(WAYS[1:], others, strict=True))
                print(f"{name}: {' '.join(map(str, setting))}: one thread {alone:,.0f} tokens/s; {ratios}", flush=True)
    torch.set_num_threads(cores)


if __name__ == "__main__":
    main()
