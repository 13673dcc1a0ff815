"""Break it: the same small Transformer trained whole and with one part taken out, each beside the healthy run.

    python -m benchmarks.breaking                                    # all of it; writes notebooks/data/breaking.json
    python -m benchmarks.breaking --only "no mask" --seeds 1 --out mine.json

Nothing in transformer_core.py is changed: a part is taken out by a configuration, a subclass, a replaced module or an
intervention at a probe. Every run has the same sentences of the grammar, the same order, the same number of steps.
A run that is in the file already is not made again, so a stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

import transformer_core as tc
from benchmarks.masking import Unmasked
from corpora import grammar
from studies.training import Lessons

OUT = Path(__file__).parent.parent / "notebooks" / "data" / "breaking.json"
SHAPE = dict(n_layers=3, d_model=64, d_ff=256, n_heads=8, d_k=8, d_v=8, p_drop=0.0, eps_ls=0.1)
STEPS, WARMUP, COOLDOWN, PEAK, TOKENS = 400, 80, 200, 4e-3, 1000
N_TRAIN, N_UNSEEN, EVERY, MEAN_OF = 20_000, 200, 50, 8
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
class NoWarmup(tc.TrainingConfig):
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
    training: type[tc.TrainingConfig] = tc.TrainingConfig
    inside: Context = lambda model: contextlib.nullcontext()
    beside: str = "healthy"
    draw: int = 0  # added to the seed: other first weights, another order


ONE_HEAD = dict(n_heads=1, d_k=64, d_v=64)
HIGH = 3 * PEAK
CHANGES = {
    "healthy": Change("nothing is taken out"),
    "healthy again": Change("other first weights, another order: how much is luck?", draw=1),
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


# ─── The experiment ──────────────────────────────────────────────────────────────────────────────────────────────────
def lessons() -> Lessons:
    """Sentences of the grammar, always the same, and 200 that no run sees."""
    sides = (grammar.sample(n, split=split) for n, split in ((N_TRAIN, "train"), (N_UNSEEN, "test")))
    return Lessons(*([(pair.english, pair.german) for pair in side] for side in sides))


def means(curve: list[float], n: int = MEAN_OF) -> list[float]:
    """A curve as means of n steps each, four digits."""
    parts = (curve[i : i + n] for i in range(0, len(curve), n))
    return [float(f"{sum(part) / len(part):.4g}") for part in parts]


def learn(text: Lessons, name: str, seed: int, steps: int = STEPS) -> Iterator[dict[str, Any]]:
    """Train one model; every 50 steps what it can do on unseen sentences, and last the whole run."""
    change, began = CHANGES[name], time.process_time()
    run: dict[str, Any] = dict(name=name, seed=seed)
    seed += change.draw
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
            for step in tc.train(model, text.batches(TOKENS, seed), config):
                for curve, values in curves.items():
                    values.append(getattr(step, curve))
                if step.step % EVERY == 0 or step.step == steps:
                    lines, bleu, right = text.translated(model, N_UNSEEN)
                    checks.append(dict(step=step.step, nll=round(text.nll(model), 4), bleu=round(bleu, 2), right=right))
                    run["examples"] = [[*pair, line[:160]] for pair, line in zip(text.unseen[:3], lines, strict=False)]
                    yield checks[-1]
        except FloatingPointError as error:
            run["stopped"] = str(error).partition(" on pairs")[0]
    run |= dict(curves={curve: means(values) for curve, values in curves.items()})
    yield run | dict(seconds=round(time.process_time() - began, 1))


def about(steps: int) -> dict[str, Any]:
    """What is the same for every run of a file."""
    shape = ", ".join(f"{name} {value}" for name, value in SHAPE.items())
    version = torch.__version__.partition("+")[0]
    return dict(
        command="python -m benchmarks.breaking" + (f" --steps {steps}" if steps != STEPS else ""),
        machine=f"{platform.system()} {platform.machine()}, 1 thread of {os.cpu_count()} cores, torch {version}",
        shape=shape, steps=steps, warmup=WARMUP, peak=PEAK, tokens_per_batch=TOKENS, mean_of=MEAN_OF, unseen=N_UNSEEN,
        says={name: change.says for name, change in CHANGES.items()},
        beside={name: change.beside for name, change in CHANGES.items()},
    )  # fmt: skip


def save(path: Path, head: dict[str, Any], runs: list[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(run, ensure_ascii=False) for run in runs)
    text = json.dumps(head, ensure_ascii=False, indent=1)[:-2] + f',\n "runs": [\n{lines}\n]}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    tc.write_atomically(path, text.encode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(CHANGES), default=list(CHANGES), metavar="NAME")
    parser.add_argument("--seeds", type=int, default=1, help="runs of each")
    parser.add_argument("--steps", type=int, default=STEPS, help="updates of each run")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    torch.set_num_threads(1)
    text, head = lessons(), about(given.steps)
    runs = json.loads(given.out.read_text(encoding="utf-8"))["runs"] if given.out.exists() else []
    done = {(run["name"], run["seed"]) for run in runs}
    for seed in range(given.seeds):
        for name in [name for name in given.only if (name, seed) not in done]:
            for found in learn(text, name, seed, given.steps):
                if "step" in found:
                    print(f"{name}: step {found['step']}, nll {found['nll']}, BLEU {found['bleu']}", flush=True)
            runs.append(found)
            save(given.out, head, runs)


if __name__ == "__main__":
    main()
