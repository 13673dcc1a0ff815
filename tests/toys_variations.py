"""Runs of a few rows: one clearly worse, one too close to call, one clearly better."""

import transformer_core as tc
from experiments import variations as benchmark

ROWS = tuple(tc.PAPER_TABLE_3)


def of(row: str, seed: int, ppl: float, bleu: float, curve: tuple[float, ...] = (3.0, 1.0)) -> dict:
    return dict(row=row, seed=seed, steps=10, parameters=5, ppl=ppl, bleu=bleu, seconds=30.0, curve=list(curve))


def made(*runs: dict) -> dict:
    return {"command": "python -m x", "machine": "a <b>", "steps": 10, "runs": list(runs)}


def small_runs() -> dict:
    """base, a row that is clearly worse, one that is too close to call, one that is clearly better, and the norms."""
    runs = []
    for seed, base in enumerate((2.0, 2.2, 2.4)):
        runs += [of("base", seed, base, 50.0 + seed, (4.0, 2.0 + seed))]
        runs += [of("C-N2", seed, base * (1.10 + seed / 1000), 45.0 + seed, (5.0, 3.0 + seed))]
        runs += [of("A-h1", seed, base * (1 + (seed - 1) / 10), 50.0 + 2 * seed)]
        runs += [of("D-drop0.0", seed, base * (0.9 - seed / 1000), 60.0 + seed)]
        runs += [of(row, seed, base, 50.0) for row in benchmark.NORMS]
    return made(*runs)
