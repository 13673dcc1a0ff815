"""Train on short sequences, test on longer ones: what does each kind of position do past the length it has seen?

    python -m experiments.positions        # writes notebooks/data/positions.json, which notebook 01 draws

Small encoder-decoders of the core learn to copy and to reverse random symbols, up to TRAINED of them, and are then
asked for up to TESTED. Symbols repeat, so that only their places tell them apart. Three kinds of position: sinusoids,
a learned table that ends where training ends, and none at all. The learned table is tested once more with rows added
for the longer sequences, as random as any row is before its training. Everything is seeded.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options import schedule, ways
from experiments import bench

OUT = bench.DATA / "positions.json"
TRAINED, TESTED, N_SYMBOLS = 12, 24, 10
TASKS = {"copy": lambda row: row, "reverse": lambda row: row[::-1]}
KINDS = ("sinusoidal", "learned", "none")
SIZE: dict[str, Any] = dict(n_layers=2, d_model=48, d_ff=96, n_heads=4, d_k=12, d_v=12, p_drop=0.0, eps_ls=0.0)


class NoPositions(nn.Module):
    """Adds nothing: every place looks alike."""

    def __init__(self, d_model: int):
        super().__init__()
        self.d_model = d_model

    def forward(self, n: int, start: int = 0) -> Tensor:
        return torch.zeros(n, self.d_model)


def make_model(kind: str) -> tc.Transformer:
    """A small untrained Transformer with one of KINDS; a side needs one place more than symbols, for </s> or <s>."""
    if kind not in KINDS:
        raise ValueError(f"There is no kind of positions {kind!r}; choose one of {', '.join(KINDS)}.")
    positions = "learned" if kind == "learned" else "sinusoidal"
    config = tc.TransformerConfig(4 + N_SYMBOLS, positions=positions, max_len=TRAINED + 1, **SIZE)
    model = tc.Transformer(config)
    if kind == "none":
        model.src_positions = model.tgt_positions = NoPositions(config.d_model)  # type: ignore[assignment]
    return model


def lengthened(model: tc.Transformer, n: int) -> tc.Transformer:
    """The same weights with learned tables of n rows; the new ones are as random as any before training."""
    longer = tc.Transformer(replace(model.config, max_len=n))
    weights = model.state_dict()
    for side in ("src", "tgt"):
        table, name = getattr(longer, f"{side}_positions").table.detach().clone(), f"{side}_positions.table"
        table[: len(weights[name])] = weights[name]
        weights[name] = table
    longer.load_state_dict(weights)
    return longer


def sequences(n: int, length: int, task: str, rng: random.Random) -> list[tc.Pair]:
    """n random sequences of one length (0: of any length up to TRAINED) with what is to be said."""
    rows = [[rng.randrange(4, 4 + N_SYMBOLS) for _ in range(length or rng.randint(1, TRAINED))] for _ in range(n)]
    return [(row, TASKS[task](row)) for row in rows]


class Fresh:
    """Batches of sequences that never come twice; the same for every model with the same seed."""

    def __init__(self, task: str, seed: int, size: int = 64):
        self.task, self.seed, self.size = task, seed, size

    def epoch(self, number: int, start: int = 0) -> Iterator[tc.Batch]:
        for step in range(start, 1 << 30):
            yield tc.Batch.of(sequences(self.size, 0, self.task, random.Random(f"{self.seed} {number} {step}")))


def right(model: tc.Transformer, task: str, length: int, n: int = 100) -> list[float]:
    """At each place of the target, the share of n sequences whose token there is the likeliest, teacher-forced."""
    batch = tc.Batch.of(sequences(n, length, task, random.Random(f"test {length}")))
    with tc.evaluating(model):
        hits = model(batch.src, batch.tgt_in).argmax(-1) == batch.tgt_out  # (B, T)
    return hits.double().mean(0).tolist()


def run(task: str, kind: str, seed: int, steps: int) -> list[dict[str, Any]]:
    """Train one model and test it at every length; a learned table twice, as it is and lengthened."""
    torch.manual_seed(seed)
    model, began = make_model(kind), time.process_time()
    config = schedule.TrainingConfig(
        steps=steps, warmup_steps=steps // 10, peak_learning_rate=3e-3, cooldown_steps=steps // 2, precision="fp32",
        device="cpu",
    )  # fmt: skip
    last = [step.nll for step in ways.train(model, Fresh(task, seed), config)][-50:]  # type: ignore[arg-type]
    about = dict(task=task, seed=seed, nll=round(sum(last) / len(last), 5))
    tested = {kind: scores(model, task)}
    if kind == "learned":
        longer = lengthened(model, TESTED + 1)
        tested["learned, longer table"] = scores(longer, task)
        if seed == 0:
            tested["learned, longer table"]["table"] = rounded(longer.src_positions.table)
    seconds = round(time.process_time() - began, 1)
    return [about | dict(positions=name) | values | dict(seconds=seconds) for name, values in tested.items()]


def rounded(table: Tensor) -> list[list[float]]:
    """Rows of numbers, short enough to store."""
    return [[round(x, 4) for x in row] for row in table.tolist()]


def scores(model: tc.Transformer, task: str) -> dict[str, Any]:
    """Accuracy at every length up to TESTED, and at each place of the longest; None, and why, where refused."""
    by_length, places, refusal = list[float | None](), list[float](), None
    for length in range(1, TESTED + 1):
        try:
            places = right(model, task, length)
            by_length.append(round(sum(places) / len(places), 4))
        except ValueError as refused:
            by_length.append(None)
            places, refusal = [], refusal or str(refused)
    return dict(accuracy=by_length, by_place=[round(share, 2) for share in places], refusal=refusal)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=700, help="updates for each model")
    parser.add_argument("--seeds", type=int, default=3, help="models of each kind")
    parser.add_argument("--out", type=Path, default=OUT)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    jobs = [(task, kind, seed) for seed in range(arguments.seeds) for task in TASKS for kind in KINDS]
    runs = []
    for job in jobs:
        runs += run(*job, arguments.steps)
        print(*job, "nll", runs[-1]["nll"], "by place", runs[-1]["by_place"], flush=True)
    about = bench.head("positions", "python -m experiments.positions", steps=arguments.steps, size=SIZE)
    about |= dict(trained=TRAINED, lengths=list(range(1, TESTED + 1)), symbols=N_SYMBOLS)
    bench.write(arguments.out, about | dict(runs=runs))


if __name__ == "__main__":
    main()
