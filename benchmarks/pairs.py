"""What a million training pairs cost before the first step, in seconds and memory: at first, and with their ids kept.

    python -m benchmarks.pairs                # about eight minutes; writes benchmarks/results/pairs.json
    python -m benchmarks.pairs --n 100000

Sentences of made-up words, some 30 tokens a side in a vocabulary of 37,000. Each start is a process of its own and does
what `train` does until the first epoch is planned, on two sizes of text: what grows from one to the other is a pair's.

    first    the vocabulary is learned, and the ids are cut and written to the run's folder
    kept     the ids are there, as for --resume, and for each further process of a run
    lists    with the core alone: texts and ids in lists

`processor_seconds` are those of the work alone, whatever else the machine did. In bytes, from Linux's /proc: `own` is
what a process has for itself once the epoch is planned, `peak` the most that it had before, of the file too; `shared`
is the file, which all processes of a machine have once.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import transformer_core as tc
from core_options import pairs, runs
from experiments import bench

ROOT = Path(__file__).resolve().parent.parent
OUT = Path(__file__).parent / "results" / "pairs.json"
WMT14 = 4_500_000  # pairs
PARTS = {"first": (10, 1), "kept": (10, 1), "lists": (20, 10)}  # of all pairs, what two texts each kind of start has
WORDS = 24  # of a sentence: some 30 tokens


# ─── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def sentences(n: int, seed: int, lexicon: int = 200_000) -> Iterator[str]:
    """Lines of made-up words, of which the r-th is as frequent as 1/r (Zipf)."""
    rng = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(rng.choices(letters, range(26, 0, -1), k=rng.randint(1, 9))) for _ in range(lexicon)]
    weights = list(itertools.accumulate(1 / rank for rank in range(1, lexicon + 1)))
    for _ in range(n):
        yield " ".join(rng.choices(words, cum_weights=weights, k=rng.randint(WORDS // 2, 3 * WORDS // 2)))


def write(folder: Path, n: int) -> None:
    """train.en and train.de of n lines."""
    folder.mkdir(parents=True)
    for seed, language in enumerate(("en", "de")):
        with open(folder / f"train.{language}", "w") as file:
            file.writelines(f"{line}\n" for line in sentences(n, seed))


# ─── A start ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def memory() -> dict[str, int]:
    """Bytes that this process has for itself, at the most so far and now."""
    lines = Path("/proc/self/status").read_text().splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
    return {"peak": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, "own": 1024 * own}


def arguments(folder: Path, **changes: Any) -> runs.TrainArguments:
    """What `train` is told: the paper's vocabulary, a small model."""
    return runs.TrainArguments(
        data=str(folder), out=str(folder / "run"), recipe="paper", precision="fp32", device="cpu", preset="tiny",
        tokens_per_batch=4096, **changes,
    )  # fmt: skip


def listed(folder: Path) -> tc.Batches:
    """As the core's command reads a text."""
    texts = list(zip(*tc.read_parallel(folder, "train", "en", "de"), strict=True))
    tokenizer = tc.Tokenizer.load(folder / "run" / tc.TOKENIZERS[0])
    return tc.make_batches(tc.encode_pairs(texts, tokenizer, tokenizer), 4096)


def start(kind: str, folder: Path) -> dict[str, Any]:
    """What one start takes, in this process."""
    began, worked, before = time.perf_counter(), time.process_time(), memory()
    if kind == "lists":
        batches = listed(folder)
    else:
        run = runs.Run(arguments(folder, resume=kind == "kept", steps=1 + (kind == "kept")))
        run.read_data()
        batches = run.batches
    plan = batches.plan(0)
    took = dict(seconds=time.perf_counter() - began, processor_seconds=time.process_time() - worked)
    after = memory()
    if kind == "first":
        run.work()  # a step, so that it may go on
    tokens = sum(map(sum, batches.lengths)) / len(batches.lengths) / 2 - 1
    file = folder / "run" / pairs.NAME
    shared = 0 if kind == "lists" else file.stat().st_size
    grown = {name: after[name] - before[name] for name in after}
    about = dict(start=kind, n=len(batches.lengths), tokens=tokens, batches=len(plan))
    return about | took | dict(shared=shared) | grown


# ─── All ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def measured(n: int) -> list[dict[str, Any]]:
    """Every start, in a process of its own."""
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for part in (20, 10, 1):
            write(folder := Path(name, str(part)), n // part)
            for kind in ("first", "kept", "lists"):
                if part not in PARTS[kind] and kind != "first":
                    continue
                words = [sys.executable, "-m", "benchmarks.pairs", "--start", kind, "--folder", str(folder)]
                done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
                rows.append(row := bench.rounded(json.loads(done.stdout)))
                print(*(f"{key} {value:,}" if key != "start" else value for key, value in row.items()), flush=True)
    return rows


def growth(rows: list[dict[str, Any]], kind: str) -> dict[str, float]:
    """Bytes that each further pair takes, between the two larger texts of this kind of start."""
    few, many = [row for row in rows if row["start"] == kind][-2:]
    return {name: (many[name] - few[name]) / (many["n"] - few["n"]) for name in ("shared", "own", "peak")}


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pairs", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--n", type=int, default=1_000_000, help="pairs of the largest text")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--start", choices=PARTS, help=argparse.SUPPRESS)  # what this process is to measure
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.start:
        print(json.dumps(start(options.start, options.folder)))
        return
    rows = measured(options.n)
    a_pair = {kind: growth(rows, kind) for kind in PARTS}
    wmt14 = {kind: {name: WMT14 * x / 1e9 for name, x in sizes.items()} for kind, sizes in a_pair.items()}
    about = bench.head("pairs", bench.spelled("benchmarks.pairs", {"n": options.n}, parser.get_default))
    result = about | bench.rounded({"bytes a pair": a_pair, "GB for WMT14": wmt14, "starts": rows})
    bench.write(options.out, result)
    for kind, sizes in a_pair.items():
        of_wmt14 = ", ".join(f"{name} {x:.2f}" for name, x in wmt14[kind].items())
        print(
            f"{kind}: {', '.join(f'{name} {x:,.0f}' for name, x in sizes.items())} bytes a pair; WMT14: {of_wmt14} GB"
        )


if __name__ == "__main__":
    main()
