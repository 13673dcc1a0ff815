"""Does a training in medium or bf16 end where fp32 ends?

    python -m benchmarks.precision --data DIR     # forty minutes of a core; writes benchmarks/results/precision.json

DIR holds train.en, train.de, valid.en and valid.de (by default tatoeba_en_de in $TRANSFORMER_DATA). Each preset is
trained from three seeds in each precision, the three runs of a seed with the same weights and batches, and its nll on
500 pairs of valid, in fp32, is taken on the way. A precision is told from fp32 by the difference within a seed; how
much seeds differ stands beside it. What the file holds already is not trained again: a stopped command goes on.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import recipes, schedule, ways
from experiments import bench

STEPS = {"tiny": 400, "small": 200}
SEEDS = (0, 1, 2)
VOCAB, TOKENS, MOMENTS = 4000, 1000, 5  # pieces, tokens of a batch, how often the nll is taken
PAIRS = 40_000  # of the training text


def text(folder: Path) -> tuple[tc.Tokenizer, list[tc.Pair], list[tc.Batch]]:
    """A vocabulary, the training pairs and the batches that are held out."""
    splits = (tc.read_parallel(folder, split, "en", "de") for split in ("train", "valid"))
    train, valid = (list(zip(*sides, strict=True)) for sides in splits)
    tokenizer = tc.Tokenizer.train(itertools.chain.from_iterable(train[:PAIRS]), VOCAB)
    pairs = tc.encode_pairs(train[:PAIRS], tokenizer, tokenizer)
    return tokenizer, pairs, list(tc.make_batches(tc.encode_pairs(valid[:500], tokenizer, tokenizer), 4096))


def trained(preset: str, precision: str, seed: int, vocab_size: int, pairs: list[tc.Pair], valid: list[tc.Batch],
            steps: int) -> dict[str, Any]:  # fmt: skip
    """One run: the nll on what is held out, in fp32, at equal distances."""
    torch.manual_seed(seed)
    model = tc.Transformer(tc.TransformerConfig(vocab_size, **tc.PRESETS[preset]))
    settings = schedule.TrainingConfig(
        steps=steps, warmup_steps=steps // 6, peak_learning_rate=1e-3, cooldown_steps=steps // 3, seed=seed,
        device="cpu", precision=precision,
    )  # fmt: skip
    curve = []
    for step in ways.train(model, tc.make_batches(pairs, TOKENS, seed), settings):
        if step.step * MOMENTS % steps == 0:
            curve.append(ways.validation_nll(model, valid, "fp32"))
    return dict(preset=preset, precision=precision, seed=seed, steps=steps, nll=bench.rounded(curve))


def table(runs: list[dict[str, Any]]) -> list[str]:
    """A line for each preset and precision: the last nll, how far from fp32's of the same seed, and the spread."""
    last = {(run["preset"], run["precision"], run["seed"]): run["nll"][-1] for run in runs}
    lines = ["| preset | precision | last nll, mean | minus fp32's, by seed | standard deviation between seeds |"]
    lines.append("|---|---|---|---|---|")
    for preset, precision in dict.fromkeys((run["preset"], run["precision"]) for run in runs):
        here = {seed: nll for (name, kind, seed), nll in last.items() if (name, kind) == (preset, precision)}
        less = [f"{nll - last[preset, 'fp32', seed]:+.3f}" for seed, nll in here.items()]
        spread = f"{statistics.stdev(here.values()):.3f}" if len(here) > 1 else ""
        mean = statistics.mean(here.values())
        lines.append(f"| {preset} | {precision} | {mean:.3f} | {', '.join(less)} | {spread} |")
    return lines


def main() -> None:
    """The command line."""
    root = os.environ.get("TRANSFORMER_DATA")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.precision", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path(root, "tatoeba_en_de") if root else None, required=not root)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "precision.json")
    options = parser.parse_args()
    sizes = dict(unit="nats a target token", tokens_per_batch=TOKENS, pairs=PAIRS)
    about = bench.head("precision", "python -m benchmarks.precision", **sizes)
    runs = bench.earlier(options.out, about, apart=["machine"])
    tokenizer, pairs, valid = text(options.data)
    for preset, seed, precision in itertools.product(STEPS, SEEDS, recipes.PRECISIONS):
        if any((run["preset"], run["precision"], run["seed"]) == (preset, precision, seed) for run in runs):
            continue
        runs.append(trained(preset, precision, seed, len(tokenizer), pairs, valid, STEPS[preset]))
        bench.write(options.out, about | dict(runs=runs))
        print(*(f"{name} {value}" for name, value in runs[-1].items()), flush=True)
    print("\n".join(table(runs)))


if __name__ == "__main__":
    main()
