"""Two experiments on training: one part taken out at a time, and cross-attention as it forms.

    python -m experiments.training breaking       # writes notebooks/data/breaking.json
    python -m experiments.training breaking --only "no mask" --seeds 1 --out mine.json
    python -m experiments.training forming        # writes notebooks/data/forming.json

Breaking: the same small Transformer trained whole and with one part taken out, each beside the healthy run. Nothing in
transformer_core.py is changed: a part is taken out by a configuration, a subclass, a replaced module or an intervention
at a probe. Every run has the same sentences of the grammar and the same number of steps; those of a seed have the same
order too, and the same first weights where they have the same shape. A run that is in the file already is not made
again, so a stopped command goes on where it was.

Forming: the preset tiny learns the grammar, once for each seed. At kept steps of the first run: nll and BLEU on unseen
sentences; of each head of cross-attention the entropy and the alignment error (AER, read naively and shifted by one
row) over 200 of them, and its map of three as bytes (√w, base64). At the end: what the average of five checkpoints
gains, before the cooldown and after it. Of every run: its best head at those steps, and what the averages gain.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import json
import math
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from core_options import schedule, ways
from corpora import grammar
from experiments import bench
from experiments.masks import Unmasked
from studies import training
from studies.alignment import Truth, best_head, cross_weights, head_alignments, truth

SHAPE: dict[str, Any] = dict(n_layers=3, d_model=64, d_ff=256, n_heads=8, d_k=8, d_v=8, p_drop=0.0, eps_ls=0.1)
STEPS, WARMUP, COOLDOWN, PEAK, TOKENS = 400, 80, 200, 4e-3, 1000
N_TRAIN, N_TRANSLATED, EVERY, MEAN_OF = 20_000, 200, 50, 8
SEEDS = 3
Context = Callable[[tc.Transformer], AbstractContextManager]


# ─── What is taken out, from outside ─────────────────────────────────────────────────────────────────────────────────
class Nowhere(nn.Module):
    """In the place of Positions: every position is the same."""

    def forward(self, n: int, start: int = 0) -> Tensor:
        return torch.zeros(n, 1)


class NoResidual(tc.Residual):
    """In the place of Residual: LayerNorm(Sublayer(x)), without "x +"."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.layer_norm(self.dropout(sublayer(x)))


@dataclass(frozen=True, kw_only=True)
class NoWarmup(schedule.TrainingConfig):
    """The same rates, but the first steps have the peak at once."""

    def learning_rate(self, step: int, d_model: int) -> float:
        return super().learning_rate(max(step, self.warmup_steps), d_model)


@contextlib.contextmanager
def no_scale(model: tc.Transformer) -> Iterator[None]:
    """Scores QKᵀ: the division by √d_k is taken back."""
    root = math.sqrt(model.config.d_k)
    with tc.intervene(model, "*.scores", lambda scores: scores * root):
        yield


@contextlib.contextmanager
def no_positions(model: tc.Transformer) -> Iterator[None]:
    model.src_positions, model.tgt_positions = Nowhere(), Nowhere()  # type: ignore[assignment]
    yield


@contextlib.contextmanager
def no_residual(model: tc.Transformer) -> Iterator[None]:
    for layer in (*model.encoder, *model.decoder):
        layer.add_norm = nn.ModuleList(NoResidual(model.config) for _ in layer.add_norm)
    yield


@dataclass(frozen=True)
class Change:
    """One run: what of the model and of the training differs, and which healthy run stands beside it."""

    says: str
    shape: dict[str, Any] = field(default_factory=dict)
    peak: float = PEAK
    model: type[tc.Transformer] = tc.Transformer
    training: type[schedule.TrainingConfig] = schedule.TrainingConfig
    inside: Context = lambda model: contextlib.nullcontext()
    beside: str = "healthy"


ONE_HEAD = dict(n_heads=1, d_k=64, d_v=64)
HIGH = 3 * PEAK
CHANGES = {
    "healthy": Change("nothing is taken out"),
    "no scale": Change("scores are not divided by √d_k = √8", inside=no_scale),
    "no positions": Change("nothing says where a word stands", inside=no_positions),
    "no mask": Change("each position of the decoder may look ahead", model=Unmasked),
    "no residual": Change("LayerNorm(Sublayer(x)) in place of LayerNorm(x + Sublayer(x))", inside=no_residual),
    "no smoothing": Change("ε_ls = 0", shape=dict(eps_ls=0.0)),
    "no warm-up": Change("the first 80 steps have the highest rate", training=NoWarmup),
    "pre-LN": Change("x + Sublayer(LayerNorm(x)), and one more norm at the end", shape=dict(norm="pre")),
    "3 × the rate": Change("peak 1.2e-2 in place of 4e-3, with warm-up", peak=HIGH),
    "3 × the rate, no warm-up": Change(
        "the same, the peak at once", peak=HIGH, training=NoWarmup, beside="3 × the rate"
    ),
    "3 × the rate, no warm-up, pre-LN": Change(
        "the same, pre-LN", peak=HIGH, training=NoWarmup, shape=dict(norm="pre"), beside="3 × the rate, no warm-up"
    ),
    "one head of 64": Change("one head, d_k = 64", shape=ONE_HEAD),
    "one head of 64, no scale": Change(
        "one head, scores not divided by √64 = 8", shape=ONE_HEAD, inside=no_scale, beside="one head of 64"
    ),
}


# ─── Breaking ────────────────────────────────────────────────────────────────────────────────────────────────────────
def lessons() -> training.Lessons:
    """Sentences of the grammar, always the same, and 200 that no run sees."""
    sides = (grammar.sample(n, split=split) for n, split in ((N_TRAIN, "train"), (N_TRANSLATED, "test")))
    return training.Lessons(*([(pair.english, pair.german) for pair in side] for side in sides))  # type: ignore[arg-type]


def means(curve: list[float], n: int = MEAN_OF) -> list[float]:
    """A curve as means of n steps each, four digits."""
    parts = (curve[i : i + n] for i in range(0, len(curve), n))
    return [float(f"{sum(part) / len(part):.4g}") for part in parts]


def learn(text: training.Lessons, name: str, seed: int, steps: int = STEPS) -> Iterator[dict[str, Any]]:
    """Train one model; every 50 steps what it can do on unseen sentences, and last the whole run."""
    change, began = CHANGES[name], time.process_time()
    run: dict[str, Any] = dict(name=name, seed=seed)
    with tc.seeded(torch.device("cpu"), seed):
        model = change.model(tc.TransformerConfig(len(text.tokenizer), **SHAPE | change.shape))
    config = change.training(
        steps=steps, warmup_steps=WARMUP, cooldown_steps=min(COOLDOWN, steps // 2), peak_learning_rate=change.peak,
        seed=seed, device="cpu", precision="fp32",
    )  # fmt: skip
    curves: dict[str, list[float]] = {"loss": [], "nll": [], "gradient_norm": []}
    checks: list[dict[str, Any]] = []
    run |= dict(curves={}, checks=checks, stopped="", examples=[])
    with change.inside(model):
        try:
            for step in ways.train(model, text.batches(TOKENS, seed), config):
                for curve, values in curves.items():
                    values.append(getattr(step, curve))
                if step.step % EVERY == 0 or step.step == steps:
                    lines, bleu, right = text.translated(model, N_TRANSLATED)
                    checks.append(dict(step=step.step, nll=round(text.nll(model), 4), bleu=round(bleu, 2), right=right))
                    run["examples"] = [[*pair, line[:160]] for pair, line in zip(text.unseen[:3], lines, strict=False)]
                    yield checks[-1]
        except tc.NonFiniteStep as error:
            run["stopped"] = error.what
    run |= dict(curves={curve: means(values) for curve, values in curves.items()})
    yield run | dict(seconds=round(time.process_time() - began, 1))


def about(steps: int) -> dict[str, Any]:
    """What is the same for every run of breaking."""
    return bench.head(
        "breaking", bench.spelled("experiments.training breaking", dict(steps=steps), lambda _: STEPS),
        shape=", ".join(f"{name} {value}" for name, value in SHAPE.items()),
        steps=steps, warmup=WARMUP, peak=PEAK, tokens_per_batch=TOKENS, mean_of=MEAN_OF, unseen=N_TRANSLATED,
        says={name: change.says for name, change in CHANGES.items()},
        beside={name: change.beside for name, change in CHANGES.items()},
    )  # fmt: skip


def breaking(options: argparse.Namespace) -> None:
    """Make the runs that the file does not hold yet, and write it after each."""
    text, head = lessons(), about(options.steps)
    runs = bench.earlier(options.out, head, apart=("command", "machine", "says", "beside"))
    done = {(run["name"], run["seed"]) for run in runs}
    for seed in range(options.seeds):
        for name in [name for name in options.only if (name, seed) not in done]:
            for row in learn(text, name, seed, options.steps):
                if "step" in row:
                    print(f"{name}: step {row['step']}, nll {row['nll']}, BLEU {row['bleu']}", flush=True)
            runs.append(row)
            bench.write(options.out, head | dict(runs=runs))


# ─── Forming ─────────────────────────────────────────────────────────────────────────────────────────────────────────
RECIPE = schedule.TrainingConfig(
    steps=1100, warmup_steps=100, peak_learning_rate=3e-3, cooldown_steps=600, clip_norm=1, device="cpu",
    precision="fp32",
)  # fmt: skip
READ = (0, *range(25, 301, 25), 350, 400, 450, 500, 600, 700, 800, 900, 1000, 1100)
DRAWN = (0, 50, 100, 125, 150, 175, 200, 225, 250, 300, 400, 700, 1100)  # steps whose maps are kept
SENTENCES = (113, 22, 16)  # of the unseen ones
AVERAGED = {end: tuple(range(end - 80, end + 1, 20)) for end in (500, 1100)}
N_UNSEEN, N_READ, N_BLEU = 500, 200, 100


def of(weights: Tensor) -> str:
    """Cross-attention maps (L, H, T, S) as base64 of one byte each, round(255 √w), which is how views draw them."""
    codes = (255 * weights.clamp(0, 1).sqrt()).round().to(torch.uint8)
    return base64.b64encode(bytes(codes.flatten().tolist())).decode()


def rounded(values: Tensor) -> list[list[float]]:
    return [[round(value, 3) for value in row] for row in values.tolist()]


def reading(text: training.Lessons, model: tc.Transformer, pairs: list[Truth], step: int) -> dict[str, Any]:
    """What is kept of a step."""
    heads = {name: rounded(values) for name, values in head_alignments(model, pairs[:N_READ]).items()}
    row = dict(step=step, nll=round(text.nll(model), 4), bleu=round(text.translated(model, N_BLEU)[1], 2), **heads)
    shown = [pairs[n] for n in SENTENCES]
    row["says"] = [text.tokenizer.decode(tc.greedy_decode(model, pair.src, 20)[0].ids) for pair in shown]
    if step in DRAWN:
        row["maps"] = [of(cross_weights(model, pair.src, pair.tgt_in)) for pair in shown]
    return row


def quality(text: training.Lessons, model: tc.Transformer) -> dict[str, float]:
    """How good a model is on all the unseen sentences."""
    _, bleu, right = text.translated(model, N_UNSEEN)
    return dict(nll=round(text.nll(model), 4), bleu=round(bleu, 2), right=round(right, 4))


def averaged(text: training.Lessons, folders: list[Path]) -> dict[str, Any]:
    """The last of some checkpoints against the mean of them all."""
    last, mean = tc.load_model(folders[-1]), tc.load_model(folders[-1])
    tc.load_weights(mean, tc.average_checkpoints(folders), "the average")
    return dict(last=quality(text, last), mean=quality(text, mean))


def form(steps: int = RECIPE.steps, seed: int = 0) -> dict[str, Any]:
    """The whole run; fewer steps for a try. seed: of the first weights and of the order of sentences."""
    sides = [grammar.sample(n, split=split) for n, split in ((N_TRAIN, "train"), (N_UNSEEN, "test"))]
    text = training.Lessons(*([(pair.english, pair.german) for pair in side] for side in sides))  # type: ignore[arg-type]
    pairs, model = [truth(text.tokenizer, pair) for pair in sides[1]], text.model(seed)
    readings, curve, rates = [reading(text, model, pairs, 0)], [], []
    with tempfile.TemporaryDirectory() as folder:
        for step in ways.train(model, text.batches(seed=seed), replace(RECIPE, seed=seed)):
            curve.append(step.nll)
            rates.append(step.learning_rate)
            if any(step.step in last_steps for last_steps in AVERAGED.values()):
                tc.save_checkpoint(Path(folder, str(step.step)), model.config, tc.weights_of(model), text.tokenizer)
            if step.step in READ or step.step == steps:
                readings.append(reading(text, model, pairs, step.step))
                print(f"step {step.step}: {readings[-1]['nll']} nats, BLEU {readings[-1]['bleu']}", flush=True)
            if step.step >= steps:
                break
        ends = {end: last_steps for end, last_steps in AVERAGED.items() if end <= steps}
        means = {end: averaged(text, [Path(folder, str(n)) for n in last_steps]) for end, last_steps in ends.items()}
    shown = [dict(
        english=sides[1][n].english, german=sides[1][n].german, gold=sorted(map(list, pairs[n].gold)),
        keys=text.tokenizer.pieces(pairs[n].src[0]), queries=text.tokenizer.pieces(pairs[n].tgt_in[0]),
        src_words=pairs[n].src_words, tgt_words=pairs[n].tgt_words,
    ) for n in SENTENCES]  # fmt: skip
    return dict(
        preset="tiny", steps=steps, read=N_READ, unseen=N_UNSEEN, bleu_sentences=N_BLEU, sentences=shown,
        averaged=means, means_of={end: AVERAGED[end] for end in ends}, nll=[round(nll, 3) for nll in curve[::5]],
        rates=[float(f"{rate:.4g}") for rate in rates[::5]], readings=readings,
    )  # fmt: skip


def brief(result: dict[str, Any]) -> dict[str, Any]:
    """A whole run in a few numbers: its best head at each reading, each way's best error, the averages."""
    layer, head = best_head(result)
    readings = result["readings"]
    return dict(
        layer=layer, head=head, steps=[reading["step"] for reading in readings],
        aer=[reading["naive"][layer][head] for reading in readings],
        entropy=[reading["entropy"][layer][head] for reading in readings],
        nll=[reading["nll"] for reading in readings], bleu=[reading["bleu"] for reading in readings],
        **{way: [min(map(min, readings[at][way])) for at in (0, -1)] for way in ("naive", "shifted")},
        averaged=result["averaged"],
    )  # fmt: skip


def forming(options: argparse.Namespace) -> None:
    """The runs that the file does not hold yet: of the first all that is drawn, of the others a few numbers."""
    command = bench.spelled("experiments.training forming", dict(steps=options.steps), lambda _: RECIPE.steps)
    head = bench.head("forming", command)
    whole = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    runs = bench.earlier(options.out, head, apart={"machine", *whole.keys() - head.keys()})
    head["machine"] = whole.get("machine", head["machine"])  # of the run that is drawn
    whole = {key: value for key, value in whole.items() if key not in {"runs", *head}}
    for seed in range(len(runs), options.seeds):
        began = time.process_time()
        result = form(options.steps, seed)
        minutes = round((time.process_time() - began) / 60, 1)
        whole = whole if seed else dict(processor_minutes=minutes) | result
        runs.append(dict(seed=seed, machine=bench.machine_line(), processor_minutes=minutes) | brief(result))
        bench.write(options.out, head | whole | dict(runs=runs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="experiment", required=True)
    without = commands.add_parser("breaking", help="one part taken out at a time")
    without.add_argument("--only", nargs="+", choices=list(CHANGES), default=list(CHANGES), metavar="NAME")
    without.add_argument("--seeds", type=int, default=SEEDS, help="runs of each: other first weights, another order")
    without.add_argument("--steps", type=int, default=STEPS, help="updates of each run")
    without.add_argument("--out", type=Path, default=bench.DATA / "breaking.json")
    whole = commands.add_parser("forming", help="cross-attention as it forms")
    whole.add_argument("--seeds", type=int, default=SEEDS, help="runs: other first weights, another order")
    whole.add_argument("--steps", type=int, default=RECIPE.steps, help="fewer, for a try")
    whole.add_argument("--out", type=Path, default=bench.DATA / "forming.json")
    options = parser.parse_args()
    torch.set_num_threads(1)
    breaking(options) if options.experiment == "breaking" else forming(options)


if __name__ == "__main__":
    main()
