"""Cross-attention as it forms: the preset tiny learns the grammar, and every head is held against the gold alignment.

    python -m benchmarks.forming [--out notebooks/data/forming.json]

At kept steps of one whole run: nll and BLEU on unseen sentences; of each head of cross-attention the entropy and the
alignment error (AER, read naively and shifted by one row) over 200 of them, and its map of three as bytes (√w, base64).
At the end: what the average of five checkpoints gains, before the cooldown and after it.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from corpora import grammar
from studies import training
from studies.alignment import Truth, cross_weights, head_alignments, truth
from viz.canvas import packed

OUT = Path(__file__).parent.parent / "notebooks" / "data" / "forming.json"
RECIPE = tc.TrainingConfig(
    steps=1100, warmup_steps=100, peak_learning_rate=3e-3, cooldown_steps=600, clip_norm=1, device="cpu",
    precision="fp32",
)  # fmt: skip
READ = (0, *range(25, 301, 25), 350, 400, 450, 500, 600, 700, 800, 900, 1000, 1100)
DRAWN = (0, 50, 100, 125, 150, 175, 200, 225, 250, 300, 400, 700, 1100)  # steps whose maps are kept
SENTENCES = (113, 22, 16)  # of the unseen ones
AVERAGED = {end: tuple(range(end - 80, end + 1, 20)) for end in (500, 1100)}
N_TRAIN, N_UNSEEN, N_READ, N_BLEU = 20_000, 500, 200, 100


def of(weights: torch.Tensor) -> str:
    """Cross-attention maps (L, H, T, S) as base64 of one byte each."""
    return base64.b64encode(packed(weights)).decode()


def rounded(values: torch.Tensor) -> list[list[float]]:
    return [[round(value, 3) for value in row] for row in values.tolist()]


def reading(text: training.Lessons, model: tc.Transformer, pairs: list[Truth], step: int) -> dict[str, Any]:
    """What is kept of a step."""
    heads = {name: rounded(values) for name, values in head_alignments(model, pairs[:N_READ]).items()}
    found = dict(step=step, nll=round(text.nll(model), 4), bleu=round(text.translated(model, N_BLEU)[1], 2), **heads)
    if step in DRAWN:
        shown = (pairs[n] for n in SENTENCES)
        found["maps"] = [of(cross_weights(model, pair.src, pair.tgt_in)) for pair in shown]
    return found


def quality(text: training.Lessons, model: tc.Transformer) -> dict[str, float]:
    """How good a model is on all the unseen sentences."""
    _, bleu, right = text.translated(model, N_UNSEEN)
    return dict(nll=round(text.nll(model), 4), bleu=round(bleu, 2), right=round(right, 4))


def averaged(text: training.Lessons, folders: list[Path]) -> dict[str, Any]:
    """The last of some checkpoints against the mean of them all."""
    last, mean = tc.load_model(folders[-1]), tc.load_model(folders[-1])
    tc.load_weights(mean, tc.average_checkpoints(folders), "the average")
    return dict(last=quality(text, last), mean=quality(text, mean))


def experiment(steps: int = RECIPE.steps) -> dict[str, Any]:
    """The whole run; fewer steps for a try."""
    sides = [grammar.sample(n, split=split) for n, split in ((N_TRAIN, "train"), (N_UNSEEN, "test"))]
    text = training.Lessons(*([(pair.english, pair.german) for pair in side] for side in sides))
    pairs, model = [truth(text.tokenizer, pair) for pair in sides[1]], text.model()
    found, curve, rates = [reading(text, model, pairs, 0)], [], []
    with tempfile.TemporaryDirectory() as folder:
        for step in tc.train(model, text.batches(), RECIPE):
            curve.append(step.nll)
            rates.append(step.learning_rate)
            if any(step.step in some for some in AVERAGED.values()):
                tc.save_checkpoint(Path(folder, str(step.step)), model.config, tc.weights_of(model), text.tokenizer)
            if step.step in READ or step.step == steps:
                found.append(reading(text, model, pairs, step.step))
                print(f"step {step.step}: {found[-1]['nll']} nats, BLEU {found[-1]['bleu']}", flush=True)
            if step.step >= steps:
                break
        ends = {end: some for end, some in AVERAGED.items() if end <= steps}
        means = {end: averaged(text, [Path(folder, str(n)) for n in some]) for end, some in ends.items()}
    shown = [dict(
        english=sides[1][n].english, german=sides[1][n].german, gold=sorted(map(list, pairs[n].gold)),
        keys=text.tokenizer.pieces(pairs[n].src[0]), queries=text.tokenizer.pieces(pairs[n].tgt_in[0]),
        src_words=pairs[n].src_words, tgt_words=pairs[n].tgt_words,
    ) for n in SENTENCES]  # fmt: skip
    return dict(
        preset="tiny", steps=steps, read=N_READ, unseen=N_UNSEEN, bleu_sentences=N_BLEU, sentences=shown,
        averaged=means, means_of={end: AVERAGED[end] for end in ends}, nll=[round(nll, 3) for nll in curve[::5]],
        rates=[float(f"{rate:.4g}") for rate in rates[::5]], readings=found,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=RECIPE.steps, help="fewer, for a try")
    parser.add_argument("--out", type=Path, default=OUT)
    given = parser.parse_args()
    torch.set_num_threads(1)
    began = time.process_time()
    found = experiment(given.steps)
    head = dict(
        command="python -m benchmarks.forming" + (f" --steps {given.steps}" if given.steps < RECIPE.steps else ""),
        machine=f"{platform.system()} {platform.machine()}, 1 thread of {os.cpu_count()} cores, "
        f"torch {torch.__version__.partition('+')[0]}",
        processor_minutes=round((time.process_time() - began) / 60, 1),
    )  # fmt: skip
    given.out.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in found.pop("readings"))
    text = json.dumps(head | found, ensure_ascii=False)[:-1] + f', "readings": [\n{lines}\n]}}\n'
    tc.write_atomically(given.out, text.encode())


if __name__ == "__main__":
    main()
