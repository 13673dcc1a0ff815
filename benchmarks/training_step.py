"""How fast this machine trains: plain matrix products, and whole training steps of the tiny and the base model.

    python benchmarks/training_step.py [--rounds 5] [--threads 2] [--out notebooks/data/training_step.json]

A step is the core's own: forward, loss, backward, Adam, on made-up sentences of 25 tokens. Its arithmetic is counted as
6 × tokens × weights (studies/results.py). The fastest of the rounds is written: others can only slow one down.
On a single thread of a CPU it is that core's own time, without what other programs take of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from benchmarks.complexity import machine
from core_options import fast_cpu
from studies.results import matmul_weights, step_arithmetic

SENTENCE = 25  # tokens, eos included
SIZES = {"tiny": (8000, 2000), "base": (37_000, 1000)}  # vocabulary, target tokens of a step


def clock(device: torch.device) -> Callable[[], float]:
    """The clock to measure with: the core's own time where there is one, else the clock on the wall."""
    return time.process_time if device.type == "cpu" and torch.get_num_threads() == 1 else time.perf_counter


def product_tflops(device: torch.device, seconds: float = 0.5) -> float:
    """TFLOPS of plain matrix products in the precision that training of the base model takes here."""
    n = 4096 if device.type == "cuda" else 1024
    a, b = torch.randn(n, n, device=device), torch.randn(n, n, device=device)
    now, times = clock(device), list[float]()
    precise = fast_cpu.products(tc.pick_precision(device))
    with tc.autocast(device), precise, torch.no_grad():
        while sum(times) < seconds or len(times) < 3:
            began = now()
            (a @ b)[0, 0].item()  # waits for a GPU
            times.append(now() - began)
    return 2 * n**3 / min(times) / 1e12


def measure_step(preset: str, vocab_size: int, tokens: int, rounds: int = 3, device: str = "auto") -> dict[str, Any]:
    """The least seconds of a training step with so many tokens on either side, and the arithmetic in it."""
    config = tc.TransformerConfig(vocab_size, **tc.PRESETS[preset])
    ids = torch.randint(4, vocab_size, (max(1, tokens // SENTENCE), 2, SENTENCE - 1)).tolist()
    batches = tc.make_batches([(source, target) for source, target in ids], tokens)
    steps = tc.train(tc.Transformer(config), batches, tc.TrainingConfig(steps=rounds + 1, device=device))
    now, times, n_tokens = clock(tc.pick_device(device)), list[float](), next(steps).n_tokens  # the first makes room
    for _ in range(rounds):
        began = now()
        next(steps)
        times.append(now() - began)
    flop, seconds = step_arithmetic(matmul_weights(config), n_tokens), min(times)
    return {"tokens": n_tokens, "seconds": float(f"{seconds:.4g}"), "flop": flop, "rounds": rounds}


def measure(
    tokens: dict[str, int] | None = None, rounds: int = 3, device: str = "auto", say: Callable[[str], object] = str
) -> dict[str, Any]:
    """Products and steps; tokens: of a step, by preset (by default those of SIZES); say: takes lines of progress."""
    where = tc.pick_device(device)
    tokens = tokens or {preset: n for preset, (_, n) in SIZES.items()}
    steps = {}
    for preset, n in tokens.items():
        say(f"measuring steps of the {preset} model")
        steps[preset] = measure_step(preset, SIZES[preset][0], n, rounds, device)
    return {"machine": machine(where.type), "tflops": float(f"{product_tflops(where):.4g}"), "steps": steps}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="steps measured, after one that is not")
    parser.add_argument("--threads", type=int, help="of torch (default: its own choice)")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    parser.add_argument("--out", type=Path, help="where the JSON is written (default: standard output)")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}; it must be at least 1.")
    if options.threads:
        torch.set_num_threads(options.threads)
    words = [word for word in sys.argv[1:] if word != str(options.out) and word != "--out"]
    try:
        found = measure(None, options.rounds, options.device, tc.say)
    except ValueError as error:
        parser.exit(2, f"Error: {error}\n")
    made = {"command": " ".join(["python benchmarks/training_step.py", *words])} | found
    text = json.dumps(made, indent=1) + "\n"
    tc.write_atomically(options.out, text.encode()) if options.out else sys.stdout.write(text)


if __name__ == "__main__":
    main()
