"""Table 3 again, an eighth as wide and half as deep: does each change do here what it did in the paper?

    python -m experiments.variations                       # the grammar; writes notebooks/data/variations.json
    python -m experiments.variations --only base A-h1 --out mine.json     # some rows, for a look
    python -m experiments.variations --data DIR --shrink 1 --steps 10000 --tokens-per-batch 25000 --device cuda \\
        --vocab-size 10000 --out multi30k.json            # the paper's own sizes on a folder of parallel text

Every row of Table 3, and the two norms with and without warm-up, is trained with the same budget of steps and the same
seeds; without warm-up the first steps, too, have the highest rate. A run that is in the file already is not made again,
so a stopped command goes on where it was. As in the paper there is a beam of 4 with alpha 0.6 and no averaging, and big
has three times the steps.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import fast_cpu, schedule, ways
from corpora import grammar
from experiments import bench
from experiments.training import NoWarmup

OUT = bench.DATA / "variations.json"
BASE = dict(n_layers=6, d_model=512, d_ff=2048, n_heads=8, d_k=64, d_v=64, p_drop=0.1, eps_ls=0.1)
NORMS = {"pre-LN": dict(norm="pre"), "no warm-up": {}, "pre-LN, no warm-up": dict(norm="pre")}  # base is post-LN
ROWS = {**tc.PAPER_TABLE_3, **NORMS}
N_TRAIN, N_VALID, N_TRANSLATED = 20_000, 1_000, 300
PEAK = 4e-3  # at d_model 64; narrower and wider models scale it as equation 3 does
EVERY = 50  # steps between lines of progress


def smaller(row: str, shrink: int) -> dict[str, Any]:
    """A row of Table 3 with every width divided by `shrink`, and half the layers where it is more than 1."""
    shape = BASE | ROWS[row]
    for width in ("d_model", "d_ff", "d_k", "d_v"):
        shape[width] = shape[width] // shrink
    return shape | dict(n_layers=shape["n_layers"] // (1 if shrink == 1 else 2))


def write_grammar(folder: Path, n_train: int | None = None) -> Path:
    """Sentences of the grammar as a folder of parallel text, always the same."""
    for split, n in (("train", n_train or N_TRAIN), ("valid", N_VALID)):
        pairs = grammar.sample(n, split=split)
        (folder / f"{split}.en").write_text("".join(f"{pair.english}\n" for pair in pairs), encoding="utf-8")
        (folder / f"{split}.de").write_text("".join(f"{pair.german}\n" for pair in pairs), encoding="utf-8")
    return folder


class Text:
    """Parallel text made ready once for every run: tokenizer, pairs of ids, and the first sentences of `test`."""

    def __init__(
        self, folder: Path, vocab_size: int, src: str = "en", tgt: str = "de", test: str = "valid", n: int = 300
    ):
        train, valid, tested = (tc.read_parallel(folder, split, src, tgt) for split in ("train", "valid", test))
        self.tokenizer = tc.Tokenizer.train((text for side in train for text in side), vocab_size)
        self.train_ids, self.valid_ids = self.encode(train), self.encode(valid)
        self.test = [side[:n] for side in tested]

    def encode(self, sides: Iterable[list[str]]) -> list[tuple[list[int], list[int]]]:
        return [(self.tokenizer.encode(src), self.tokenizer.encode(tgt)) for src, tgt in zip(*sides, strict=True)]


def training(row: str, seed: int, options: argparse.Namespace) -> schedule.TrainingConfig:
    """How a row is trained."""
    steps = options.steps * (3 if row == "big" else 1)
    kind = NoWarmup if "no warm-up" in row else schedule.TrainingConfig
    return kind(
        steps=steps, warmup_steps=max(1, steps // 5), cooldown_steps=steps // 2,
        peak_learning_rate=options.peak * math.sqrt(BASE["d_model"] / options.shrink / width(row, options)),
        seed=seed, device=options.device, clip_norm=None, precision="auto" if options.device == "cuda" else "fp32",
    )  # fmt: skip


def width(row: str, options: argparse.Namespace) -> int:
    return smaller(row, options.shrink)["d_model"]


def rates(row: str, result: dict[str, Any]) -> list[float]:
    """The learning rate of every step of a stored row."""
    options = argparse.Namespace(steps=result["steps"], peak=result["peak"], shrink=result["shrink"], device="cpu")
    config = training(row, 0, options)
    return [config.learning_rate(step, width(row, options)) for step in range(1, config.steps + 1)]


def run(text: Text, row: str, seed: int, options: argparse.Namespace) -> dict[str, Any]:
    """Train one row once; its perplexity per sub-word and BLEU on sentences it has not seen, and what it cost."""
    torch.manual_seed(seed)
    model = tc.Transformer(tc.TransformerConfig(len(text.tokenizer), **smaller(row, options.shrink)))
    return learnt(text, row, model, training(row, seed, options), options.tokens_per_batch)


def learnt(
    text: Text, row: str, model: tc.Transformer, config: tc.TrainingConfig, tokens_per_batch: int, beam_size: int = 4
) -> dict[str, Any]:
    """Train a model; what it can do on sentences it has not seen, and what it cost in processor seconds."""
    began, curve = time.process_time(), []
    for step in ways.train(model, tc.make_batches(text.train_ids, tokens_per_batch, config.seed), config):
        curve.append(step.nll)
        if step.step % EVERY == 0:
            tc.say(f"{row}, seed {config.seed}: step {step.step} of {config.steps}, nll {step.nll:.2f}")
    trained = time.process_time()
    nll = ways.validation_nll(model, tc.make_batches(text.valid_ids, 1 << 13), config.precision)
    validated, (src, ref) = time.process_time(), text.test
    lines = fast_cpu.Translator(model, text.tokenizer).translate(src, beam_size)
    bleu = tc.corpus_bleu(lines, ref)[0].score
    ended = time.process_time()
    return dict(
        row=row, seed=config.seed, steps=config.steps, parameters=tc.count_parameters(model),
        ppl=round(math.exp(nll), 4), bleu=round(bleu, 2), seconds=round(ended - began, 1),
        steps_per_second=round(config.steps / (trained - began), 3),
        sentences_per_second=round(len(src) / (ended - validated), 2), curve=thinned(curve),
    )  # fmt: skip


def thinned(curve: list[float], n: int = 25) -> list[float]:
    """A curve as n means of equal stretches."""
    size = max(1, len(curve) // n)
    return [round(sum(part) / len(part), 3) for part in (curve[i : i + size] for i in range(0, len(curve), size))]


def command(options: argparse.Namespace) -> str:
    """What makes this file again, with what differs from the defaults."""
    names = "data only pairs shrink seeds steps peak tokens_per_batch vocab_size device out"
    values = {name: getattr(options, name) for name in names.split()}
    return bench.spelled("experiments.variations", values, PARSER.get_default)


PARSER = argparse.ArgumentParser(description=__doc__.splitlines()[0])
PARSER.add_argument("--data", help="folder of parallel text, en to de; the grammar where none is given")
PARSER.add_argument("--only", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW", help="some rows")
PARSER.add_argument("--seeds", type=int, default=3, help="runs of each row")
PARSER.add_argument("--pairs", type=int, help=f"of the grammar to train on; {N_TRAIN:,}")
PARSER.add_argument("--shrink", type=int, default=8, help="what widths are divided by; 1 for the paper's own sizes")
PARSER.add_argument("--steps", type=int, default=400, help="updates of each run")
PARSER.add_argument("--peak", type=float, default=PEAK, help="highest learning rate of the base model")
PARSER.add_argument("--tokens-per-batch", type=int, default=1000)
PARSER.add_argument("--vocab-size", type=int, default=2000)
PARSER.add_argument("--device", default="cpu")
PARSER.add_argument("--out", type=Path, default=OUT)


def make(options: argparse.Namespace) -> None:
    """Make the runs that the file does not hold yet, and write it after each."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(options.data) if options.data else write_grammar(Path(folder), options.pairs)
        text = Text(data, options.vocab_size, n=N_TRANSLATED)
    about = bench.head(
        "variations", command(options), machine=bench.machine_line(options.device), steps=options.steps,
        shrink=options.shrink, peak=options.peak, tokens_per_batch=options.tokens_per_batch,
        vocabulary=len(text.tokenizer), pairs=len(text.train_ids), translated=len(text.test[0]),
    )  # fmt: skip
    runs = bench.earlier(options.out, about, apart=["command"])  # which may ask for more rows or seeds
    done = {(earlier["row"], earlier["seed"]) for earlier in runs}
    for seed in range(options.seeds):
        for row in options.only:
            if (row, seed) not in done:
                runs.append(run(text, row, seed, options))
                bench.write(options.out, about | dict(runs=runs))
                print(*(f"{k} {v}" for k, v in runs[-1].items() if k != "curve"), flush=True)


def main() -> None:
    options = PARSER.parse_args()
    bench.at_least_one(PARSER, options, "seeds", "steps", "shrink", "pairs")
    try:
        make(options)
    except (ValueError, OSError, FloatingPointError) as error:
        PARSER.exit(2, f"Error: {error}\n")


if __name__ == "__main__":
    main()
