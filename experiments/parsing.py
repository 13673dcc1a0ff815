"""A Transformer that was taught to write trees: trained on a treebank as on any parallel text, and scored as a parser.

    python -m experiments.parsing grammar        # the gold trees of corpora.grammar
    python -m experiments.parsing ptb            # ptb_sample, from the folder that TRANSFORMER_DATA names
    python -m experiments.parsing craft          # craft_treebank, likewise, with sentences of the grammar among its own

Each prepares its trees, trains with the core's own command line, parses what it has not seen, and puts precision,
recall and F1 under its name into notebooks/data/parsing.json: with every line repaired and with lines as they are,
greedily and as in the paper (beam 21, α 0.3, at most the source + 300 tokens). With --minutes it stops in between, and
the same command goes on; trees and run stay in the folder --work. Nothing of a corpus is written to the JSON.

The tree tokens keep the parts of speech, as the paper's own code did: (S (NP DT NN )NP … A part of speech tells
something about the word that it stands for, XX nothing.

The paper's parser (section 6.3; 100 million numbers, not run here: it needs the Wall Street Journal and a GPU). Its
dropout, rate and beam were chosen on section 22; what it does not say is as in tensor2tensor (warm-up 16,000, at
half of equation 3's rate, which peaks at 1.24e-4). Steps and batch, of which the paper says nothing, are
base's here:

    python -m corpora.treebank prepare --keep-tags WSJ wsj                                    # 02-21, 22 and 23
    python transformer_core.py train --data wsj --src words --tgt tree --preset parser --recipe paper \\
        --vocab-size 16000 --tgt-vocab-size 200 --warmup-steps 16000 --peak-learning-rate 1.24e-4 --max-extra 300 \\
        --out runs/wsj
    python transformer_core.py translate --checkpoint runs/wsj/averaged --beam-size 21 --alpha 0.3 --max-extra 300 \\
        < wsj/test.words > parsed.tree
    python -m corpora.treebank score --keep-tags wsj/test.trees parsed.tree
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import serving
from corpora import grammar, treebank
from corpora.treebank import Tree
from experiments import bench

OUT = bench.DATA / "parsing.json"
FOLDERS = {"ptb": "ptb_sample", "craft": "craft_treebank"}  # in TRANSFORMER_DATA
ALPHA, MAX_EXTRA, BEAM = 0.3, 300, 21  # section 6.3
Banks = dict[str, dict[str, list[Tree]]]  # trees by treebank and split


@dataclass(frozen=True)
class Recipe:
    """What to train on, and how; `treebanks`: at most so many training sentences of each."""

    treebanks: dict[str, int]
    steps: int
    cooldown_steps: int
    warmup_steps: int = 100
    tokens_per_batch: int = 1000
    peak_learning_rate: float = 3e-3
    p_drop: float = 0.0
    vocab_size: int = 1000
    preset: str = "tiny"
    longest: int = 200  # tokens of a training tree; longer ones are left out
    made: int = 50_000  # training sentences that the grammar makes
    keep_tags: bool = True
    points: int = 5  # of the learning curve
    curve_sentences: int = 200  # parsed greedily at each
    beam_sentences: int = 200  # parsed with the beam; all are parsed greedily

    def words(self, data: Path, out: Path, minutes: float | None = None) -> list[str]:
        """The command that trains, word by word."""
        names = ("preset", "p_drop", "vocab_size", "tokens_per_batch", "warmup_steps", "peak_learning_rate", "steps")
        options = dict(data=data, src="words", tgt="tree", tgt_vocab_size=200, clip_norm=1, precision="fp32")
        options |= {name: getattr(self, name) for name in (*names, "cooldown_steps")}
        options |= dict(save_every=self.steps // self.points, keep=self.points + 1, bleu_sentences=0, out=out)
        options |= {} if minutes is None else dict(minutes=minutes)
        words = (word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value)))
        return ["train", *words, "--resume"]


RECIPES = {
    "grammar": Recipe({"grammar": 50_000}, steps=1500, cooldown_steps=800),
    "ptb": Recipe(
        {"ptb": 10**6}, steps=2400, cooldown_steps=1200, warmup_steps=200, p_drop=0.1, vocab_size=2000,
        curve_sentences=100,
    ),
    "craft": Recipe(
        {"craft": 10**6, "grammar": 12_000}, steps=5000, cooldown_steps=2500, warmup_steps=300, tokens_per_batch=1500,
        p_drop=0.05, vocab_size=4000, points=8,
    ),
}  # fmt: skip


# ─── Trees to learn from ─────────────────────────────────────────────────────────────────────────────────────────────
def read_treebank(name: str, work: Path, made: int) -> dict[str, list[Tree]]:
    """The trees of a treebank, by split."""
    source, folder = work / "made", work / name
    if name == "grammar":
        grammar.main([str(source), "--n", str(made)])
    elif not (data := os.environ.get("TRANSFORMER_DATA")):
        raise ValueError(f"TRANSFORMER_DATA names no folder; it must hold {FOLDERS[name]}. Or try: grammar.")
    else:
        source = Path(data, FOLDERS[name])
    treebank.prepare([source], folder)
    return {path.stem: treebank.read_gold(path) for path in sorted(folder.glob("*.trees"))}


def gather(recipe: Recipe, banks: Banks, folder: Path) -> dict[str, int]:
    """Write the parallel text of a recipe; return how many pairs there are and how many trees were too long."""
    train, valid, too_long = list[Tree](), list[Tree](), 0
    for name, most in recipe.treebanks.items():
        short = [tree for tree in banks[name]["train"] if len(tree.words) + 2 * len(tree.brackets) <= recipe.longest]
        too_long += len(banks[name]["train"]) - len(short)
        train += short[:most]
        valid += banks[name]["valid"][:500]
    folder.mkdir(parents=True, exist_ok=True)
    for split, trees in (("train", train), ("valid", valid)):
        treebank.write_split(folder, split, trees, recipe.keep_tags)
    return dict(pairs=len(train), too_long=too_long)


# ─── Scores ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def rounded(score: treebank.Score) -> dict[str, float]:
    figures = dict(zip(("precision", "recall", "f1"), score.of(), strict=True)) | {"exact": score.exact_match}
    return {name: round(figure, 2) for name, figure in figures.items()}


def measured(translator: tc.Translator, gold: Sequence[Tree], beam_size: int, keep_tags: bool) -> dict[str, Any]:
    """Parse the words of gold trees, and what EVALB would say of it."""
    began = time.perf_counter()
    texts = [" ".join(tree.words) for tree in gold]
    lines = translator.translate(texts, beam_size, ALPHA, max_extra=MAX_EXTRA)
    seconds = time.perf_counter() - began
    report = treebank.report(gold, lines, keep_tags)
    score = report.repaired
    labels = {label: [score.gold[label], score.predicted[label], score.matched[label]] for label in sorted(score.gold)}
    return dict(
        sentences=len(gold), beam_size=beam_size, repaired=rounded(score), strict=rounded(report.strict),
        malformed=report.malformed, steps=dict(report.steps), labels=labels, errors=score.errors,
        seconds=round(seconds, 1),
    )  # fmt: skip


def curve(out: Path, gold: Sequence[Tree], keep_tags: bool) -> list[dict[str, Any]]:
    """Loss, and greedy F1 on some unseen sentences, at every checkpoint of a run."""
    log = [json.loads(line) for line in (out / "log.jsonl").read_text().splitlines()]
    points = []
    for folder in tc.step_folders(out):
        step = int(folder.name.removeprefix("step-"))
        before = [row["nll"] for row in log if "nll" in row and step - 100 < row["step"] <= step]
        at = {name: value for row in log if row["step"] == step for name, value in row.items()}
        scores = measured(serving.load_pretrained(folder), gold, 1, keep_tags)
        points.append(
            dict(
                step=step, seconds=round(at["seconds"]), nll=round(sum(before) / len(before), 4),
                valid_nll=round(at["valid_nll"], 4), f1=scores["repaired"]["f1"], strict=scores["strict"]["f1"],
                malformed=scores["malformed"],
            )
        )  # fmt: skip
    return points


def result(recipe: Recipe, banks: Banks, out: Path, counts: dict[str, int]) -> dict[str, Any]:
    """All that is stored of a finished run."""
    translator, steps = serving.load_pretrained(out), [json.loads(line) for line in (out / "log.jsonl").open()]
    scores = []
    for name in recipe.treebanks:
        split = "test" if banks[name].get("test") else "valid"
        seen, unseen = {tree.words for tree in banks[name]["train"]}, banks[name][split]
        sentences = unseen[: recipe.beam_sentences]
        for beam_size, gold in ((1, unseen), (1, sentences), (BEAM, sentences)):
            about = dict(treebank=name, split=split, also_in_train=sum(tree.words in seen for tree in gold))
            scores.append(about | measured(translator, gold, beam_size, recipe.keep_tags))
            print(json.dumps({k: v for k, v in scores[-1].items() if k != "labels"}), flush=True)
    first = next(iter(recipe.treebanks))
    return dict(
        config=asdict(translator.model.config), n_parameters=tc.count_parameters(translator.model), **counts,
        keep_tags=recipe.keep_tags, steps=recipe.steps, tokens=sum(row.get("n_tokens", 0) for row in steps),
        seconds=round(max(row.get("seconds", 0.0) for row in steps)), alpha=ALPHA, max_extra=MAX_EXTRA, scores=scores,
        curve_of=first, curve=curve(out, banks[first]["valid"][: recipe.curve_sentences], recipe.keep_tags),
    )  # fmt: skip


def experiment(name: str, recipe: Recipe, work: Path, minutes: float | None = None) -> dict[str, Any] | None:
    """Train as the recipe says and score; None where the minutes were over before the training was."""
    banks = {bank: read_treebank(bank, work, recipe.made) for bank in recipe.treebanks}
    counts, out = gather(recipe, banks, work / "data"), work / "run"
    words = recipe.words(work / "data", out, minutes)
    if tc.main(words):
        raise ValueError("The training stopped; what is said above is why.")
    place = tc.saved_training(out / "state.safetensors")["place"]
    if place["step"] < recipe.steps:
        print(f"{place['step']} of {recipe.steps} steps; the same command goes on with more --minutes.")
        return None
    measures = result(recipe, banks, out, counts)
    shown = [word for word in recipe.words(Path("DATA"), Path("RUN")) if word != "--resume"]
    return dict(train=" ".join(shown)) | measures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=sorted(RECIPES))
    parser.add_argument("--work", type=Path, help="folder for trees and run (parsing_NAME)")
    parser.add_argument("--minutes", type=float, help="of training in all; then the same command goes on")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        work = options.work or Path(f"parsing_{options.name}")
        measures = experiment(options.name, RECIPES[options.name], work, options.minutes)
    except (ValueError, OSError) as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    if measures:
        command = f"python -m experiments.parsing {options.name}"
        about = bench.head(f"parsing#{options.name}", command, machine=bench.machine())
        stored = json.loads(options.out.read_text()) if options.out.exists() else {}
        bench.write(options.out, stored | {options.name: about | measures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
