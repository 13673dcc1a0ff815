"""The paper's base model on WMT14, from nothing to a score: the commands, and a rehearsal of them in minutes.

    python benchmarks/wmt14.py show                                    print the commands
    python benchmarks/wmt14.py rehearse [--from FOLDER] [--out FILE]   run the same commands, scaled down
    python benchmarks/wmt14.py memory FILE.en FILE.de [--out FILE]     how much main memory training text takes

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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import transformer_core as tc
from benchmarks.complexity import machine
from core_options import runs
from corpora import grammar, translation

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 4_500_000  # of WMT14 English-German, as the paper says


@dataclass(frozen=True)
class Recipe:
    """All that the commands depend on; the defaults are the paper's (sections 5 and 6.1)."""

    corpus: str = "wmt14"
    given: str | None = None  # a folder its files lie in already
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
        core, given = "python transformer_core.py", f" --from {shlex.quote(self.given)}" if self.given else ""
        data, run, mean = map(shlex.quote, (self.data, self.run, self.mean))
        return {
            "fetch and clean": f"python -m corpora.translation {self.corpus} {data}{given} --clean",
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


def rehearsal(folder: Path, given: Path, steps: int = 300) -> Recipe:
    """The recipe scaled down: a folder of text in the place of WMT14, a tiny model, few steps and small batches."""
    if steps < 9:
        raise ValueError(f"{steps} steps leave fewer than 5 checkpoints to average; take 9 or more.")
    return replace(
        Recipe(), corpus="folder", given=str(given), data=str(folder / "data"), run=str(folder / "run"), preset="tiny",
        vocab_size=1000, tokens_per_batch=600, steps=steps, warmup_steps=steps // 2, save_every=max(2, steps // 15),
    )  # fmt: skip


def words_of(command: str) -> list[str]:
    """A command's words; "python" is this interpreter."""
    words = shlex.split(command)
    return [sys.executable if word == "python" and i == 0 else word for i, word in enumerate(words)]


def run(name: str, command: str) -> dict[str, Any]:
    """Run one command in the project's folder: how long it took, and what it said last."""
    began = time.perf_counter()
    done = subprocess.run(words_of(command), cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    said = [line for line in (done.stdout or done.stderr).splitlines() if line.strip()]
    if done.returncode:
        raise RuntimeError(
            f"The step {name!r} ended with status {done.returncode}: {(said or ['it said nothing'])[-1]}"
        )
    seconds = round(time.perf_counter() - began, 1)
    print(f"{name}: {seconds} s", file=sys.stderr, flush=True)
    return {"name": name, "command": command, "seconds": seconds, "said": said[-2:] if done.stdout else said[-1:]}


def rehearse(folder: Path, given: Path | None = None, steps: int = 300) -> dict[str, Any]:
    """Run every command of the scaled-down recipe in a folder; what each said, and how much the run wrote.

    given: a folder with train, valid and test, .en and .de; by default sentences of the grammar.
    """
    if given is None:
        given = folder / "text"
        grammar.write(given, n=1000)
    recipe = rehearsal(folder, given, steps)
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
    """How much the main memory of `train` grows with each pair, from reading so many pairs in processes of their own.

    The sentences are repeated, each time with a number of their own.
    """
    pairs = list(translation.parallel(english, german))
    peaks = {}
    for n in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for side, language in enumerate(("en", "de")):
                lines = (f"{pairs[i % len(pairs)][side]} {i // len(pairs)}\n" for i in range(n))
                (folder / f"train.{language}").write_text("".join(lines), encoding="utf-8")
            ask = [sys.executable, str(Path(__file__)), "read", str(folder)]
            peaks[n] = json.loads(subprocess.run(ask, stdout=subprocess.PIPE, check=True, text=True).stdout)
    few, many = sizes
    growth = (peaks[many]["bytes"] - peaks[few]["bytes"]) / (many - few)
    return {"peaks": peaks, "bytes_a_pair": round(growth), "tokens_a_pair": round(peaks[many]["tokens"], 1)}


def read(folder: str) -> dict[str, float]:
    """Read a folder as `train` does; the peak of main memory, and the target tokens of a pair."""
    import resource  # not on Windows

    run = runs.Run(runs.TrainArguments(data=folder, out=f"{folder}/run", vocab_size=8000, tokens_per_batch=25_000))
    run.read_data()
    unit = 1 if sys.platform == "darwin" else 1024
    tokens = sum(len(target) + 1 for _, target in run.batches.pairs) / len(run.batches.pairs)
    return {"bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit, "tokens": tokens}


def told(asked: argparse.Namespace) -> str:
    """The command again, without the folders that files lie in."""
    if asked.name == "memory":
        options = [path.name for path in asked.files]
    else:
        options = ["--from", asked.given.name] if asked.given else []
        options += ["--steps", str(asked.steps)] if asked.steps != 300 else []
    return shlex.join(["python", "benchmarks/wmt14.py", asked.name, *options])


def measured(asked: argparse.Namespace) -> dict[str, Any]:
    """What the command finds."""
    if asked.name == "memory":
        return memory(*asked.files)
    with tempfile.TemporaryDirectory() as folder:
        return rehearse(Path(folder), asked.given, asked.steps)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="name", required=True)
    commands.add_parser("show", help="print the commands")
    rehearsing = commands.add_parser("rehearse", help="run the same commands, scaled down")
    rehearsing.add_argument("--from", dest="given", type=Path, help="a folder with train, valid and test, .en and .de")
    rehearsing.add_argument("--steps", type=int, default=300, help="of training, nine or more")
    measuring = commands.add_parser("memory", help="how much main memory training text takes")
    measuring.add_argument("files", nargs=2, type=Path)
    for command in (rehearsing, measuring):
        command.add_argument("--out", type=Path, help="where the JSON is written (default: standard output)")
    commands.add_parser("read").add_argument("folder")
    asked = parser.parse_args()
    if asked.name == "show":
        print("\n\n".join(f"# {name}\n{command}" for name, command in Recipe().commands().items()))
    elif asked.name == "read":
        print(json.dumps(read(asked.folder)))
    else:
        try:
            found = {"command": told(asked), "machine": machine("cpu")} | measured(asked)
        except (ValueError, RuntimeError, OSError, subprocess.CalledProcessError) as error:
            parser.exit(2, f"Error: {error}\n")
        text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
        tc.write_atomically(asked.out, text.encode()) if asked.out else sys.stdout.write(text)


if __name__ == "__main__":
    os.environ.setdefault("GOMP_SPINCOUNT", "30000")  # on a busy machine torch's threads would wait for each other
    main()
