"""What a training costs here, and the paper's base model on WMT14, from nothing to a score, rehearsed in minutes.

    python -m experiments.results step [--rounds 5] [--threads 2]       how fast this machine trains
    python -m experiments.results show                                  print the commands that train on WMT14
    python -m experiments.results rehearse [--from FOLDER]              run the same commands, scaled down
    python -m experiments.results memory FILE.en FILE.de                how much main memory training text takes

Each prints its JSON, or writes it to --out FILE. A step is the core's own: forward, loss, backward, Adam, on made-up
sentences of 25 tokens. Its arithmetic is 6 × tokens × weights (studies/results.py). The fastest of the rounds is
written: others can only slow one down. On a single thread of a CPU it is that core's own time, without what other
programs take of it.

`Recipe` is the one place where the commands are written: what is printed, what the notebook shows and what the tests
run differ in its fields alone. A rehearsal takes the grammar's sentences, or a FOLDER with train, valid and test.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import runs, ways
from corpora import grammar, translation
from experiments import bench
from experiments.stored import ROOT
from studies.results import matmul_weights, step_arithmetic

SENTENCE = 25  # tokens, eos included
SIZES = {"tiny": (8000, 2000), "base": (37_000, 1000)}  # vocabulary, target tokens of a step
PAIRS = 4_500_000  # of WMT14 English-German, as the paper says


# ─── A step of training ──────────────────────────────────────────────────────────────────────────────────────────────
def measure_step(preset: str, vocab_size: int, tokens: int, rounds: int = 3, device: str = "auto") -> dict[str, Any]:
    """The least seconds of a training step with so many tokens on either side, and the arithmetic in it."""
    config = tc.TransformerConfig(vocab_size, **tc.PRESETS[preset])
    ids = torch.randint(4, vocab_size, (max(1, tokens // SENTENCE), 2, SENTENCE - 1)).tolist()
    batches = tc.make_batches([(source, target) for source, target in ids], tokens)
    steps = ways.train(tc.Transformer(config), batches, tc.TrainingConfig(steps=rounds + 1, device=device))
    now, times = bench.clock(tc.pick_device(device)), list[float]()
    n_tokens = next(steps).n_tokens  # the first step makes room
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
    tflops = float(f"{bench.product_tflops(where):.4g}")
    return {"machine": bench.machine(where.type), "tflops": tflops, "steps": steps}


# ─── The recipe ──────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Recipe:
    """All that the commands depend on; the defaults are the paper's (sections 5 and 6.1)."""

    corpus: str = "wmt14"
    source: str | None = None  # a folder its files lie in already
    data: str = "runs/wmt14/data"
    run: str = "runs/wmt14/base"
    preset: str = "base"
    vocab_size: int = 37_000
    tokens_per_batch: int = 25_000
    steps: int = 100_000
    warmup_steps: int = 4000
    save_every: int = 1500  # ten minutes of the paper's 0.4 s steps
    last: int = 5
    beam_size: int = 4
    alpha: float = 0.6

    @property
    def mean(self) -> str:
        """The folder of the averaged checkpoint."""
        return f"{self.run}-mean"

    def commands(self) -> dict[str, str]:
        """What to run, in this order, in the project's folder."""
        core, origin = "python transformer_core.py", f" --from {shlex.quote(self.source)}" if self.source else ""
        data, run, mean = map(shlex.quote, (self.data, self.run, self.mean))
        return {
            "fetch and clean": f"python -m corpora.translation {self.corpus} {data}{origin} --clean",
            "train": (
                f"{core} train --data {data} --src en --tgt de --preset {self.preset} --vocab-size {self.vocab_size} "
                f"--tokens-per-batch {self.tokens_per_batch} --steps {self.steps} --warmup-steps {self.warmup_steps} "
                f"--save-every {self.save_every} --keep {self.last} --out {run} --resume"
            ),
            "average": f"{core} average {run} --last {self.last} --out {mean}",
            "evaluate": (
                f"{core} evaluate --checkpoint {mean} --src {data}/test.en --ref {data}/test.de "
                f"--beam-size {self.beam_size} --alpha {self.alpha}"
            ),
        }


def rehearsal(folder: Path, source: Path, steps: int = 300) -> Recipe:
    """The recipe scaled down: a folder of text in the place of WMT14, a tiny model, few steps and small batches."""
    if steps < 9:
        raise ValueError(f"{steps} steps leave fewer than 5 checkpoints to average; take 9 or more.")
    return replace(
        Recipe(), corpus="folder", source=str(source), data=str(folder / "data"), run=str(folder / "run"),
        preset="tiny", vocab_size=1000, tokens_per_batch=600, steps=steps, warmup_steps=steps // 2,
        save_every=max(2, steps // 15),
    )  # fmt: skip


def words_of(command: str) -> list[str]:
    """A command's words; "python" is this interpreter."""
    words = shlex.split(command)
    return [sys.executable if word == "python" and i == 0 else word for i, word in enumerate(words)]


def run(name: str, command: str) -> dict[str, Any]:
    """Run one command in the project's folder: how long it took, and what it said last."""
    began = time.perf_counter()
    done = subprocess.run(words_of(command), cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    lines = [line for line in (done.stdout or done.stderr).splitlines() if line.strip()]
    if done.returncode:
        raise RuntimeError(
            f"The step {name!r} ended with status {done.returncode}: {(lines or ['it said nothing'])[-1]}"
        )
    seconds = round(time.perf_counter() - began, 1)
    print(f"{name}: {seconds} s", file=sys.stderr, flush=True)
    return {"name": name, "command": command, "seconds": seconds, "said": lines[-2:] if done.stdout else lines[-1:]}


def rehearse(folder: Path, source: Path | None = None, steps: int = 300) -> dict[str, Any]:
    """Run every command of the scaled-down recipe in a folder; what each said, and how much the run wrote.

    source: a folder with train, valid and test, .en and .de; by default sentences of the grammar.
    """
    if source is None:
        source = folder / "text"
        grammar.write(source, n=1000)
    recipe = rehearsal(folder, source, steps)
    done = [run(name, command) for name, command in recipe.commands().items()]
    signature, score = done[-1]["said"]
    weights = [path for top in (recipe.run, recipe.mean) for path in Path(top).rglob("*.safetensors")]
    for step in done:  # the folder is gone when this is read
        step["command"] = step["command"].replace(str(folder), "DIR")
        step["said"] = [line.replace(f"{folder}/", "") for line in step["said"]]
    return {
        "steps": done,
        "score": score,
        "signature": signature,
        "bytes": sum(path.stat().st_size for path in weights),
    }


def disk_bytes(parameters: int, last: int = 5) -> int:
    """What a run leaves on the disk: the last state (weights and two moments) and the checkpoints, four bytes a number.

    Checkpoints: the run itself, its best, its average, the last ones, and the average made by `average`.
    """
    return 4 * parameters * (3 + 1 + 1 + 1 + last + 1)


# ─── Main memory ─────────────────────────────────────────────────────────────────────────────────────────────────────


def memory(english: Path, german: Path, sizes: tuple[int, int] = (30_000, 60_000)) -> dict[str, Any]:
    """What each pair takes of the main memory of `train`, from reading so many pairs in processes of their own.

    Its ids, which all processes share, and the peak of the first start, which makes vocabulary and ids. The sentences
    are repeated, each time with a number of their own.
    """
    pairs = list(translation.parallel(english, german))
    peaks = {}
    for n in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for side, language in enumerate(("en", "de")):
                lines = (f"{pairs[i % len(pairs)][side]} {i // len(pairs)}\n" for i in range(n))
                (folder / f"train.{language}").write_text("".join(lines), encoding="utf-8")
            ask = [sys.executable, "-m", "experiments.results", "read", str(folder)]
            done = subprocess.run(ask, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True)
            peaks[n] = json.loads(done.stdout)
    few, many = sizes
    growth = {name: round((peaks[many][name] - peaks[few][name]) / (many - few)) for name in ("ids", "peak")}
    return {"peaks": peaks, "bytes_a_pair": growth, "tokens_a_pair": round(peaks[many]["tokens"], 1)}


def read(folder: str) -> dict[str, float]:
    """Read a folder as `train` does; bytes of the ids and of memory at its peak, and the target tokens of a pair."""
    import resource  # not on Windows

    run = runs.Run(
        runs.TrainArguments(data=folder, out=f"{folder}/run", recipe="paper", vocab_size=8000, precision="fp32")
    )
    run.read_data()
    unit = 1 if sys.platform == "darwin" else 1024
    tokens = sum(target for _, target in run.batches.lengths) / len(run.batches.lengths)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return {"ids": run.pairs_path.stat().st_size, "peak": peak, "tokens": tokens}


# ─── The command line ────────────────────────────────────────────────────────────────────────────────────────────────
def spelled(asked: argparse.Namespace) -> str:
    """The command again, without the folders that files lie in."""
    words = ["python", "-m", "experiments.results", asked.name]
    if asked.name == "memory":
        return shlex.join([*words, *(path.name for path in asked.files)])
    words += ["--from", asked.given.name] if asked.name == "rehearse" and asked.given else []
    names = {"rehearse": ("steps",), "step": ("rounds", "threads", "device")}[asked.name]
    changes = [(name, getattr(asked, name)) for name in names if getattr(asked, name) != asked.default(name)]
    return shlex.join([*words, *(word for name, value in changes for word in (f"--{name}", str(value)))])


def measured(asked: argparse.Namespace) -> dict[str, Any]:
    """What the command finds."""
    if asked.name == "step":
        return measure(None, asked.rounds, asked.device, tc.say)
    if asked.name == "memory":
        return memory(*asked.files)
    with tempfile.TemporaryDirectory() as folder:
        return rehearse(Path(folder), asked.given, asked.steps)


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = whole.add_subparsers(dest="name", required=True)
    commands.add_parser("show", help="print the commands")
    commands.add_parser("read").add_argument("folder")
    timing = commands.add_parser("step", help="how fast this machine trains")
    timing.add_argument("--rounds", type=int, default=5, help="steps measured, after one that is not")
    timing.add_argument("--threads", type=int, help="of torch (default: its own choice)")
    timing.add_argument("--device", default="auto", help="auto, cpu, cuda or mps")
    rehearsing = commands.add_parser("rehearse", help="run the same commands, scaled down")
    rehearsing.add_argument("--from", dest="given", type=Path, help="a folder with train, valid and test, .en and .de")
    rehearsing.add_argument("--steps", type=int, default=300, help="of training, nine or more")
    measuring = commands.add_parser("memory", help="how much main memory training text takes")
    measuring.add_argument("files", nargs=2, type=Path)
    for command in (timing, rehearsing, measuring):
        command.add_argument("--out", type=Path, help="where the JSON is written (default: standard output)")
        command.set_defaults(default=command.get_default)
    return whole


def main() -> None:
    """The command line."""
    command_line = parser()
    asked = command_line.parse_args()
    if asked.name == "show":
        print("\n\n".join(f"# {name}\n{command}" for name, command in Recipe().commands().items()))
    elif asked.name == "read":
        print(json.dumps(read(asked.folder)))
    else:
        if asked.name == "step":
            bench.at_least_one(command_line, asked, "rounds")
            torch.set_num_threads(asked.threads or torch.get_num_threads())
        name = {"step": "training_step", "rehearse": "wmt14_rehearsal", "memory": "wmt14_memory"}[asked.name]
        try:
            bench.write(asked.out, bench.head(name, spelled(asked), machine=bench.machine()) | measured(asked))
        except (ValueError, RuntimeError, OSError, subprocess.CalledProcessError) as error:
            command_line.exit(2, f"Error: {error}\n")


if __name__ == "__main__":
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")  # on a busy machine torch's threads would wait for each other
    main()
