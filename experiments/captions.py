"""Multi30k, English to German, by the preset tiny: what careful training makes of 29,000 pairs, text alone.

    python -m experiments.captions --data multi30k               # writes notebooks/data/captions.json
    python -m experiments.captions --data multi30k --seeds 3 --steps 12000 --vocab-size 10000 --r-drop 3 --alpha 1 \\
        --device cuda --out mine.json
    python -m experiments.captions --data multi30k --vocab-size 10000 --steps 11000 --plain-steps 5000 --r-drop 3 \\
        --precision bf16 --out mine.json

The published score of a Transformer of this shape is 41.02 (Wu et al., 2021: lower case, Moses tokens, beam 5). The
width of the beam is that one; α is --alpha (published: scores divided by length^1), or the best of ALPHAS by BLEU
on the validation text, and the test text is translated once. With --r-drop each sentence is worked twice, under two
dropouts, and what the two say is drawn together ("R-Drop", Liang et al., 2021), in about twice the time; with
--plain-steps the first so many are worked once.

A stopped run goes on from its last checkpoint (on a GPU from the first step: there each is a CUDA graph, as in
`experiments.graphs`, and padding counts among a batch's tokens); one that is in the file is not made again. DIR holds
train, valid and test_2016_flickr, each .en and .de (or .gz). For BLEU on Moses tokens sacremoses has to be installed;
without it there is sacreBLEU's own alone.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import itertools
import json
import math
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import fast_cpu, processes, schedule, ways
from core_options.precision import autocast
from experiments import bench, graphs

OUT = bench.DATA / "captions.json"
ALPHAS = 0.6, 1.0, 1.4, 1.8
EVERY, EVERY_IN_GRAPHS = 500, 2000  # steps between checkpoints


# ─── A run ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def read(folder: Path, split: str) -> list[tuple[str, str]]:
    """The pairs of a split, in small letters."""
    sides = tc.read_parallel(folder, split, "en", "de")
    return [(tc.clean(src.lower()), tc.clean(tgt.lower())) for src, tgt in zip(*sides, strict=True)]


def moses(lines: Sequence[str]) -> list[str] | None:
    """The lines in Moses tokens, as the published score has them; None without sacremoses."""
    try:
        sacremoses = importlib.import_module("sacremoses")
    except ModuleNotFoundError:
        return None
    normal, tokenizer = sacremoses.MosesPunctNormalizer("de"), sacremoses.MosesTokenizer("de")
    return [tokenizer.tokenize(normal.normalize(line), escape=False, return_str=True) for line in lines]


def bleus(lines: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """BLEU by sacreBLEU's 13a tokens, and by those of Moses where they are to be had."""
    scores = {"13a": tc.corpus_bleu(lines, references)[0].score}
    if (ours := moses(lines)) and (theirs := moses(references)):
        scores["Moses"] = tc.corpus_bleu(ours, theirs, tokenize="none", smooth_method="none")[0].score
    return {name: round(score, 2) for name, score in scores.items()}


class Twice(processes.SharedWay):
    """Each part of a batch worked under two dropouts; loss and nll are means of the two, so sums over the part."""

    r_drop, begins = 0.0, 0  # how strongly, and after which step; the plain way until then

    def part_sums(self, state: tc.TrainingState, part: tc.Batch) -> tuple[torch.Tensor, torch.Tensor]:
        """The loss plus r_drop times half the mean of both Kullback-Leibler divergences, token by token."""
        if state.step < self.begins:
            return super().part_sums(state, part)
        part = part.to(state.device)
        src, tgt_in, tgt_out = (side.repeat(2, 1) for side in (part.src, part.tgt_in, part.tgt_out))
        with autocast(state.device, state.precision):
            logits = self.forward(src, tgt_in)
        loss, nll = tc.objective(logits, tgt_out, state.model.config.eps_ls)
        both = graphs.apart(logits.float().log_softmax(-1))  # (B, T)
        return loss / 2 + self.r_drop / 4 * both.masked_fill(part.tgt_out == tc.PAD, 0.0).sum(), nll / 2


class TwiceLikeLengths(Twice, fast_cpu.LikeLengths):
    """The same on a CPU, parts of like lengths side by side."""


def way_of(model: tc.Transformer, r_drop: float, begins: int = 0) -> tc.Way | None:
    """How to train with R-Drop so strong, from the step after that one; None without."""
    if not r_drop:
        return None
    way = (TwiceLikeLengths if next(model.parameters()).device.type == "cpu" else Twice)(model)
    way.r_drop, way.begins = r_drop, begins
    return way


def step_by_step(
    state: tc.TrainingState, pairs: Sequence[tc.Pair], options: argparse.Namespace, seed: int
) -> Iterator[int]:
    """All steps not done yet, in the plain way or that of R-Drop; the number of each that is EVERY-th, or the last."""
    batches, way = (
        tc.Batches(pairs, options.tokens_per_batch, seed),
        way_of(state.model, options.r_drop, options.plain_steps),
    )
    for step in ways.train(state.model, batches, state.config, state, way):
        if step.step % EVERY == 0 or step.step == options.steps:
            yield step.step


def in_graphs(
    state: tc.TrainingState, pairs: Sequence[tc.Pair], options: argparse.Namespace, seed: int
) -> Iterator[int]:
    """The same, each step one CUDA graph: minutes, so that a stopped run begins anew."""
    places, text = graphs.tables(pairs)
    plan = graphs.Plan(places, len(pairs), 0.0, options.tokens_per_batch, seed)
    weights = torch.ones(state.model.config.vocab_size)
    with fast_cpu.kernel(state.model, graphs.step_by_step):
        updates = graphs.Updates(state.model, weights, text, plan.sizes, state.device, options.r_drop)
        began, batches = time.perf_counter(), itertools.chain.from_iterable(iter(plan.epoch, None))  # without end
        while state.step < options.steps:
            state.step, (length, rows) = state.step + 1, next(batches)
            updates.rate.fill_(state.config.learning_rate(state.step, state.model.config.d_model))
            updates(length, rows)
            if state.step % EVERY_IN_GRAPHS == 0 or state.step == options.steps:
                updates.sums.tolist()  # waits for the GPU
                state.seconds += time.perf_counter() - began
                yield state.step
                began = time.perf_counter()


def trained(options: argparse.Namespace, seed: int, tokenizer: tc.Tokenizer) -> tc.Transformer:
    """A model after all its steps, from its last checkpoint on if there is one; each adds a line to log.jsonl."""
    config = schedule.TrainingConfig(
        steps=options.steps, warmup_steps=options.warmup_steps, cooldown_steps=options.steps * 2 // 5, clip_norm=1.0,
        peak_learning_rate=options.peak, seed=seed, device=options.device,
        precision=options.precision,
    )  # fmt: skip
    torch.manual_seed(seed)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **tc.PRESETS["tiny"] | dict(p_drop=options.p_drop)))
    state, folder = tc.TrainingState(model, config), options.runs / f"seed-{seed}"
    saved, steps = folder / "state.safetensors", in_graphs if state.device.type == "cuda" else step_by_step
    if saved.exists() and (steps is step_by_step or tc.saved_training(saved)["place"]["step"] >= options.steps):
        state.load(saved)
    pairs, valid = (read(options.data, split) for split in ("train", "valid"))
    unseen = list(tc.Batches(tc.encode_pairs(valid, tokenizer, tokenizer), 4096))
    for step in steps(state, tc.encode_pairs(pairs, tokenizer, tokenizer), options, seed):
        state.save(saved)
        lines = fast_cpu.Translator(copy.deepcopy(model).cpu(), tokenizer).translate([src for src, _ in valid], 1)
        bleu = tc.corpus_bleu(lines, [tgt for _, tgt in valid])[0].score
        nll = ways.validation_nll(model, unseen)
        line = json.dumps(bench.rounded(dict(step=step, seconds=state.seconds, nll=nll, bleu=bleu)))
        with open(folder / "log.jsonl", "a", encoding="utf-8") as log:
            log.write(line + "\n")
        tc.say(f"seed {seed}: {line}")
    return model


def scored(translator: tc.Translator, folder: Path, alpha: float | None = None) -> dict[str, Any]:
    """BLEU on the validation text with each α, and on the test text with the given one, or the best of them."""
    splits = (zip(*read(folder, split), strict=True) for split in ("valid", "test_2016_flickr"))
    (src, ref), (test_src, test_ref) = splits
    valid = {tried: tc.corpus_bleu(translator.translate(src, 5, tried), ref)[0].score for tried in ALPHAS}
    alpha = max(valid, key=valid.__getitem__) if alpha is None else alpha
    test = bleus(translator.translate(test_src, 5, alpha), test_ref)
    return dict(alpha=alpha, valid={str(tried): round(score, 2) for tried, score in valid.items()}, test=test)


def run(options: argparse.Namespace, seed: int, tokenizer: tc.Tokenizer) -> dict[str, Any]:
    """Train once; what it can do, and what it cost."""
    model = trained(options, seed, tokenizer)
    scores = scored(fast_cpu.Translator(model.cpu(), tokenizer), options.data, options.alpha)
    log = (options.runs / f"seed-{seed}" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    curve = {line["step"]: line for line in map(json.loads, log)}  # of steps made twice, the later
    return dict(seed=seed, parameters=tc.count_parameters(model), **scores, curve=list(curve.values()))


# ─── The command ─────────────────────────────────────────────────────────────────────────────────────────────────────
NAMES = (
    "data seeds steps plain_steps warmup_steps peak tokens_per_batch vocab_size p_drop r_drop alpha device precision"
)
PARSER = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
PARSER.add_argument("--data", type=Path, required=True, metavar="DIR")
PARSER.add_argument("--seeds", type=int, default=1, help="runs, with seeds from 0 on")
PARSER.add_argument("--steps", type=int, default=8500, help="updates of each run")
PARSER.add_argument("--warmup-steps", type=int, default=1000)
PARSER.add_argument("--peak", type=float, default=4e-3, help="highest learning rate")
PARSER.add_argument("--tokens-per-batch", type=int, default=4000)
PARSER.add_argument("--vocab-size", type=int, default=5000)
PARSER.add_argument("--p-drop", type=float, default=0.3)
PARSER.add_argument("--r-drop", type=float, default=0.0, help="strength of R-Drop")
PARSER.add_argument("--alpha", type=float, help="of the length penalty on the test text; else the best on `valid`")
PARSER.add_argument("--plain-steps", type=int, default=0, help="R-Drop begins after so many, on a CPU")
PARSER.add_argument("--device", default="cpu")
PARSER.add_argument(
    "--precision",
    default="fp32",
    choices=("auto", "fp32", "medium", "bf16"),
    help="on a CPU; in CUDA graphs it is bf16",
)
PARSER.add_argument("--runs", type=Path, default=Path("runs/captions"), help="folder of checkpoints")
PARSER.add_argument("--out", type=Path, default=OUT)


def claim(folder: Path, about: dict[str, Any]) -> None:
    """Say in a folder of checkpoints what made them; refuse one where that was something else."""
    told = folder / "about.json"
    if told.exists():
        there = json.loads(told.read_text(encoding="utf-8"))
        if differing := sorted(key for key in there.keys() | about.keys() if there.get(key) != about.get(key)):
            raise SystemExit(f"{folder} holds checkpoints of other {', '.join(differing)}; give another --runs.")
    bench.write(told, about)


def main() -> None:
    """The command line."""
    options = PARSER.parse_args()
    bench.at_least_one(PARSER, options, "seeds", "steps", "warmup_steps")
    if options.alpha is not None and not 0 <= options.alpha < math.inf:
        PARSER.error(f"--alpha is {options.alpha}; it must be a number from 0 on, e.g. 1.")
    if options.plain_steps and not options.r_drop:
        PARSER.error("--plain-steps come before R-Drop; add --r-drop, e.g. 3, or leave them out.")
    try:
        options.device = tc.pick_device(options.device).type
        pairs = read(options.data, "train")
    except ValueError as error:
        PARSER.error(str(error))
    if options.device == "cuda" and (options.plain_steps or options.precision != "fp32"):
        PARSER.error("--plain-steps and --precision are for a CPU; leave them out, in CUDA graphs all steps are alike.")
    tokenizer = tc.Tokenizer.train((text for pair in pairs for text in pair), options.vocab_size)
    values = {name: getattr(options, name) for name in NAMES.split()} | dict(data=options.data.name)
    settings = {name: values[name] for name in NAMES.split() if name not in ("data", "seeds", "device")}
    for name in "plain_steps", "precision", "alpha":  # in the file only where they were asked for
        if settings[name] == PARSER.get_default(name):
            del settings[name]
    about = bench.head(
        "captions_r_drop" if options.r_drop else "captions",
        bench.spelled("experiments.captions", values, PARSER.get_default),
        machine=bench.machine_line(options.device), **settings, beam=5, bleu="test_2016_flickr, lower case",
    )  # fmt: skip
    trained_by = {name: value for name, value in settings.items() if name != "alpha"}
    claim(options.runs, trained_by | dict(data=options.data.name, code=about["code"]))
    runs = bench.earlier(options.out, about)
    for seed in range(options.seeds):
        if seed not in {earlier["seed"] for earlier in runs}:
            runs.append(run(options, seed, tokenizer))
            bench.write(options.out, about | dict(runs=runs))
            print(*(f"{k} {v}" for k, v in runs[-1].items() if k != "curve"), flush=True)


if __name__ == "__main__":
    main()
