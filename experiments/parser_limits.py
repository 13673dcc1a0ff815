"""Where the shipped parser ends: shapes of trees that it never learnt, and sentences of which a wide beam says nothing.

    python -m experiments.parser_limits shapes     # TRANSFORMER_DATA holds craft_treebank, of which it has learnt, too
    python -m experiments.parser_limits silence

Each puts what it measured under its name into notebooks/data/parser_limits.json. Shapes: of unseen sentences of the
grammar, F1 on trees whose line of brackets stands in the training text, on those whose line does not, and, as those are
longer, on as many known ones with as many words. Silence: sentences of CRAFT, a beam of 21 with several α, with and
without the choice of saying nothing; and how likely nothing was beside the greedy line.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import serving
from corpora import grammar, treebank
from corpora.treebank import Tree
from experiments import bench
from experiments.parsing import BEAM, MAX_EXTRA, RECIPES, read_treebank
from studies import parsing
from studies.statistics import central, resampled

OUT = bench.DATA / "parser_limits.json"
RECIPE = RECIPES["craft"]  # of the parser that ships
N_DRAWN, N_SILENCE, TOLD = 5000, 100, 20
SEARCHES = (  # width, α, whether the empty line may be chosen
    (1, 0.0, True), (4, 0.3, True), (4, 1.0, True), (BEAM, 0.0, True), (BEAM, 0.3, True), (BEAM, 0.6, True),
    (BEAM, 1.0, True), (BEAM, 0.3, False), (BEAM, 1.0, False),
)  # fmt: skip


Counts = list[list[int]]  # of each sentence, as `parsing.bracket_counts` has them


def craft(split: str) -> list[Tree]:
    """The trees of CRAFT, as they were for the training."""
    with tempfile.TemporaryDirectory() as work:
        return read_treebank("craft", Path(work), RECIPE.made)[split]


def with_interval(counts: Counts) -> list[float]:
    """F1, and the middle 95 % of it on test sets drawn from these sentences."""
    return [parsing.f1_of(counts), *central(resampled(counts, parsing.f1_of))]


# ─── Shapes ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def learnt_shapes() -> set[str]:
    """The lines of brackets of all trees that the shipped parser has learnt from."""
    short = [tree for tree in craft("train") if len(tree.words) + 2 * len(tree.brackets) <= RECIPE.longest]
    made = grammar.sample(RECIPE.treebanks["grammar"], split="train")
    return {treebank.linearise(tree) for tree in [*short, *(treebank.parse(pair.tree) for pair in made)]}


def shapes(translator: tc.Translator) -> dict[str, Any]:
    """F1 on unseen sentences by whether the shape of their tree was learnt, greedily."""
    learnt = learnt_shapes()
    drawn = [treebank.parse(pair.tree) for pair in grammar.sample(N_DRAWN, seed=17, split="test")]
    known = [tree for tree in drawn if treebank.linearise(tree) in learnt]
    new = [tree for tree in drawn if treebank.linearise(tree) not in learnt]
    groups = {"known shapes": known[: len(new)], "new shapes": new}
    groups["known shapes, as long as the new ones"] = parsing.of_like_length(new, known[::-1])
    rows = []
    for name, trees in groups.items():
        lines = translator.translate([" ".join(tree.words) for tree in trees], 1, 0.0, max_extra=MAX_EXTRA)
        counts, report = parsing.bracket_counts(trees, lines), treebank.report(trees, lines, keep_tags=True)
        words = statistics.mean(len(tree.words) for tree in trees)
        rows.append(
            dict(trees=name, sentences=len(trees), words=words, f1=with_interval(counts))
            | dict(exact=report.repaired.exact_match, malformed=report.malformed)
        )
    return dict(learnt=len(learnt), drawn=len(drawn), new=len(new), groups=rows)


# ─── Silence ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def searched(translator: tc.Translator, trees: Sequence[Tree], width: int, alpha: float) -> list[list[tc.Hypothesis]]:
    """All that came to an end in a beam search of the words of each tree."""
    ended = []
    for n, tree in enumerate(trees, 1):
        src = translator.source([" ".join(tree.words)])
        ended.append(parsing.endings(translator.model, src, width, alpha, MAX_EXTRA))
        if n % TOLD == 0:
            tc.say(f"beam {width}: {n} of {len(trees)} sentences")
    return ended


def compared(ours: Counts, theirs: Counts) -> list[float]:
    """The difference of two searches in F1, and the middle 95 % of it on test sets drawn from the same sentences."""

    def difference(rows: list[tuple[list[int], list[int]]]) -> float:
        sides = [[*side] for side in zip(*rows, strict=True)]
        return parsing.f1_of(sides[0]) - parsing.f1_of(sides[1])

    rows = [*zip(ours, theirs, strict=True)]
    return [difference(rows), *central(resampled(rows, difference))]


def nothing(greedy: Sequence[tc.Hypothesis], wide: Sequence[Sequence[tc.Hypothesis]], alpha: float) -> dict[str, Any]:
    """Of the sentences of which a wide beam says nothing: how likely that was, and the greedy line beside it."""
    rows = []
    for line, hypotheses in zip(greedy, wide, strict=True):
        best = parsing.chosen(hypotheses, alpha)
        if len(best.ids) == 1:
            rows.append((best.log_prob, line.log_prob, len(line.ids)))
    empty, lines, tokens = ([*column] for column in zip(*rows, strict=True))
    alphas = [parsing.break_even(line, n, end) for end, line, n in rows]
    columns = dict(log_prob_of_nothing=empty, log_prob_of_line=lines, tokens=tokens, break_even=alphas)
    quarters = {name: statistics.quantiles(values, n=4) for name, values in columns.items()}
    return dict(alpha=alpha, sentences=len(rows), lines_likelier=sum(a > b for b, a, _ in rows)) | quarters


def silence(translator: tc.Translator) -> dict[str, Any]:
    """What each search says of the first sentences of CRAFT's `dev`; quarters: of the silent ones, 25, 50 and 75 %."""
    trees = craft("valid")[:N_SILENCE]
    most = {width: max(alpha for at, alpha, _ in SEARCHES if at == width) for width, *_ in SEARCHES}
    ended = {width: searched(translator, trees, width, alpha) for width, alpha in most.items()}
    rows, greedily = [], Counts()
    for width, alpha, may_be_empty in SEARCHES:
        best = [parsing.chosen(hypotheses, alpha, may_be_empty) for hypotheses in ended[width]]
        lines = [tc.clean(translator.tgt_tokenizer.decode(hypothesis.ids)) for hypothesis in best]
        report, counts = treebank.report(trees, lines, keep_tags=True), parsing.bracket_counts(trees, lines)
        greedily = greedily or counts  # the first search
        rows.append(
            dict(width=width, alpha=alpha, may_be_empty=may_be_empty, silent=sum(not line for line in lines))
            | dict(tokens=statistics.mean(len(hypothesis.ids) - 1 for hypothesis in best))
            | dict(f1=with_interval(counts), minus_greedy=compared(counts, greedily), malformed=report.malformed)
        )
    gold = [len(tree.words) + 2 * len(tree.brackets) for tree in trees]
    greedy = [hypotheses[0] for hypotheses in ended[1]]
    about = dict(sentences=len(trees), words=statistics.mean(len(tree.words) for tree in trees))
    return about | dict(gold_tokens=statistics.mean(gold), searches=rows, quarters=nothing(greedy, ended[BEAM], 0.3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=["shapes", "silence"])
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    torch.set_num_threads(1)
    measures = {"shapes": shapes, "silence": silence}[options.name](serving.load_pretrained("parser"))
    head = bench.head(f"parser_limits#{options.name}", f"python -m experiments.parser_limits {options.name}")
    earlier = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    bench.write(options.out, earlier | {options.name: head | bench.rounded(measures)})


if __name__ == "__main__":
    main()
