"""Parsing as translation: what a parser says of a sentence and where it reads, brackets compared, and Table 4.

A parser here is a translator whose target sentences are trees as tokens (corpora.treebank), which also repairs a broken
line and counts as EVALB does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from corpora import treebank
from studies.reading import teacher_forced

ALPHA, MAX_EXTRA = 0.3, 300  # of the paper's parser (section 6.3)
BEAMS = (1, 4, 21)
MOST_WORDS = 40


# ─── What a parser says ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Parse:
    """What a model wrote about some words, and where it was reading while it wrote each token.

    attention (L, H, T + 1, S + 1): a row for each of T tokens and the end, a column for each of S words and the end;
    where a word or a token is spelled in several pieces, its columns are added, and its rows averaged.
    """

    text: str
    words: list[str]
    tokens: list[str]
    attention: Tensor
    log_prob: float
    beam_size: int

    @property
    def line(self) -> str:
        return " ".join(self.tokens)

    @property
    def tree(self) -> treebank.Tree:
        """The tree that the line says, repaired where it must be."""
        return self.repaired[0]

    @property
    def repaired(self) -> tuple[treebank.Tree, Counter[str]]:
        """The tree, and how often each step of repair was needed; a word's token is XX or its part of speech."""
        return treebank.repair(self.line, self.words, keep_tags=True)


def parse(translator: tc.Translator, text: str, beam_size: int = 1) -> Parse:
    """Cut a typed sentence into words, let the model write its tree, and note the cross-attention of every token."""
    words = treebank.words(text)
    if not 0 < len(words) <= MOST_WORDS:
        raise ValueError(f"This sentence has {len(words)} words; type one of 1 to {MOST_WORDS}.")
    src = translator.source([" ".join(words)])
    hypothesis = tc.beam_search(translator.model, src, beam_size, ALPHA if beam_size > 1 else 0.0, MAX_EXTRA)[0]
    ids = hypothesis.ids if hypothesis.ids[-1] == tc.EOS else [*hypothesis.ids, tc.EOS]
    reading = teacher_forced(translator, " ".join(words), ids, "decoder.*.cross_attention.weights")
    weights = reading.stack("cross")  # (L, H, pieces said, pieces read)
    sources, targets = word_places(translator.tokenizer, src[0].tolist()), word_places(translator.tgt_tokenizer, ids)
    tokens = ["".join(translator.tgt_tokenizer.decode(ids[i] for i in places).split()) for places in targets[:-1]]
    shown = [places for places, token in zip(targets, tokens, strict=False) if token] + targets[-1:]
    attention = torch.stack([weights[:, :, places].mean(2) for places in shown], 2)
    attention = torch.stack([attention[..., places].sum(-1) for places in sources], -1)
    tokens = [token for token in tokens if token]
    return Parse(text, words, tokens, attention, hypothesis.log_prob, beam_size)


def word_places(tokenizer: tc.Tokenizer, ids: Sequence[int]) -> list[list[int]]:
    """The places of the pieces of each word, the end's place last; a piece that begins a word is written with ▁."""
    groups: list[list[int]] = []
    for place, (i, piece) in enumerate(zip(ids, tokenizer.pieces(ids), strict=True)):
        if not groups or piece.startswith("▁") or i in (tc.UNK, tc.EOS):
            groups.append([])
        groups[-1].append(place)
    return groups


def reads(parse: Parse, shift: int = 0) -> Tensor:
    """Of each head (L, H): at which share of the words placed its largest weight lies there, or `shift` words on."""
    places = [t for t, token in enumerate(parse.tokens) if token[0] not in "()"][: len(parse.words)]
    if not places:
        raise ValueError(f"{parse.line!r} places no word; take a parse of which some token is no bracket.")
    wanted = torch.arange(len(places)) + shift
    return (parse.attention[:, :, places].argmax(-1) == wanted).float().mean(-1)


def most_reading(parses: Sequence[Parse]) -> tuple[int, int]:
    """The layer and the head that most often read the word that is placed; a mean over parses that place one."""
    shares = [reads(parse) for parse in parses if any(token[0] not in "()" for token in parse.tokens)]
    best = int(torch.stack(shares).mean(0).argmax()) if shares else 0
    return divmod(best, parses[0].attention.size(1))


# ─── Gold against predicted ──────────────────────────────────────────────────────────────────────────────────────────


CAT = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PRT (RP down))) (. .))"
TWICE = "(NP (NP (DT the) (NN cat)))"


class Pair(NamedTuple):
    """A gold tree in brackets, and what was predicted of its words, as tree tokens."""

    name: str
    gold: str
    predicted: str


# The hand cases of facts.md, section 7.
HAND_CASES = (
    Pair("the cat sat down: two brackets wrong", CAT, "(S (NP XX )NP (VP XX XX (ADVP XX )ADVP )VP XX )S"),
    Pair("the same, all right but for PRT", CAT, "(S (NP XX XX )NP (VP XX (ADVP XX )ADVP )VP XX )S"),
    Pair("one bracket twice in gold, said once", TWICE, "(NP XX XX )NP"),
)


def predicted_tree(line: str, gold: treebank.Tree) -> treebank.Tree:
    """A line repaired over the gold tree's words, with the gold tree's tags."""
    return treebank.with_gold_tags(treebank.repair(line, gold.words)[0], gold)


def matched_brackets(tree: treebank.Tree, other: treebank.Tree) -> list[bool | None]:
    """Of each bracket, whether the other tree has it too, each of its counting once; None: it does not count."""
    seen, left = treebank.as_evalb_sees(tree)[1], [bracket for bracket in treebank.as_evalb_sees(other)[1] if bracket]
    fates: list[bool | None] = []
    for bracket in seen:
        fates.append(None if bracket is None else bracket in left)
        if fates[-1]:
            left.remove(bracket)  # type: ignore[arg-type]
    return fates


# ─── Shapes that were learnt, and shapes that were not ───────────────────────────────────────────────────────────────


def bracket_counts(gold: Sequence[treebank.Tree], lines: Sequence[str], keep_tags: bool = True) -> list[list[int]]:
    """What F1 adds up, of each sentence, every line repaired: brackets matched, predicted, and of the gold tree."""
    scores = (treebank.report([tree], [line], keep_tags).repaired for tree, line in zip(gold, lines, strict=True))
    return [[score.matched.total(), score.predicted.total(), score.gold.total()] for score in scores]


def f1_of(counts: Sequence[Sequence[int]]) -> float:
    """F1 in percent of sentences together: twice the matched over predicted and gold.

    >>> f1_of([[1, 2, 2], [3, 3, 3]])
    80.0
    """
    matched, predicted, gold = (sum(column) for column in zip(*counts, strict=True))
    return treebank.percent(2 * matched, predicted + gold)


def of_like_length(trees: Sequence[treebank.Tree], pool: Sequence[treebank.Tree]) -> list[treebank.Tree]:
    """For each tree the first one of the pool with as many words that is not taken yet; none where there is none."""
    by_length: dict[int, list[treebank.Tree]] = {}
    for tree in reversed(pool):
        by_length.setdefault(len(tree.words), []).append(tree)
    return [by_length[len(tree.words)].pop() for tree in trees if by_length.get(len(tree.words))]


# ─── Why a beam says nothing ─────────────────────────────────────────────────────────────────────────────────────────


def endings(
    model: tc.Transformer, src: Tensor, width: int, alpha: float, max_extra: int = MAX_EXTRA
) -> list[tc.Hypothesis]:
    """Every hypothesis of a beam search of one sentence, src (1, S), that came to its end; where none did, the best.

    The beam does not depend on α, only the ranking and the end do: they hold the choice of every smaller α, too.
    """
    ended: list[tc.Hypothesis] = []
    beginnings: list[list[int]] = [[]] * width  # the tokens of each hypothesis
    log_probs: list[float] = [0.0]
    with tc.evaluating(model):
        for n, step in enumerate(tc.beam_steps(model, src, width, alpha, max_extra), 1):
            parents, tokens, log_probs, ends = (
                column.flatten().tolist() for column in (step.parents, step.tokens, step.log_prob, step.ended)
            )
            beginnings = [[*beginnings[parent], token] for parent, token in zip(parents, tokens, strict=True)]
            ended += [
                tc.Hypothesis(ids, log_prob, log_prob / tc.length_penalty(n, alpha))
                for ids, log_prob, end in zip(beginnings, log_probs, ends, strict=True)
                if end
            ]
    cut_off = tc.Hypothesis(beginnings[0], log_probs[0], log_probs[0] / tc.length_penalty(len(beginnings[0]), alpha))
    return ended or [cut_off]


def chosen(hypotheses: Sequence[tc.Hypothesis], alpha: float, may_be_empty: bool = True) -> tc.Hypothesis:
    """The one that the length penalty prefers; where it must not be empty, the best that says a token first."""
    ranked = sorted(hypotheses, key=lambda end: -end.log_prob / tc.length_penalty(len(end.ids), alpha))
    return next((end for end in ranked if may_be_empty or len(end.ids) > 1), ranked[0])


def break_even(log_prob: float, n_tokens: int, log_prob_of_nothing: float) -> float:
    """The α at which a line of n tokens, its end included, scores as well as the end alone, whose penalty is 1.

    >>> round(break_even(-8.0, 19, -2.0), 3)
    1.0
    """
    return math.log(log_prob / log_prob_of_nothing) / math.log((5 + n_tokens) / 6)


# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class Row(NamedTuple):
    """A row of Table 4, F1 on section 23 of the WSJ as printed."""

    parser: str
    training: str
    printed: str

    @property
    def f1(self) -> Decimal:
        return Decimal(self.printed)


WSJ, SEMI, MULTI, GENERATIVE = "WSJ only, discriminative", "semi-supervised", "multi-task", "generative"
TRANSFORMER = "Transformer (4 layers)"
TABLE_4 = (
    Row("Vinyals & Kaiser et al. (2014)", WSJ, "88.3"),
    Row("Petrov et al. (2006)", WSJ, "90.4"),
    Row("Zhu et al. (2013)", WSJ, "90.4"),
    Row("Dyer et al. (2016)", WSJ, "91.7"),
    Row(TRANSFORMER, WSJ, "91.3"),
    Row("Zhu et al. (2013)", SEMI, "91.3"),
    Row("Huang & Harper (2009)", SEMI, "91.3"),
    Row("McClosky et al. (2006)", SEMI, "92.1"),
    Row("Vinyals & Kaiser et al. (2014)", SEMI, "92.1"),
    Row(TRANSFORMER, SEMI, "92.7"),
    Row("Luong et al. (2015)", MULTI, "93.0"),
    Row("Dyer et al. (2016)", GENERATIVE, "93.3"),
)
ALSO_CALLED = {"Petrov et al. (2006)": "the Berkeley parser", "Dyer et al. (2016)": "RNNG"}


def table_4_rows(rows: Sequence[Row] = TABLE_4) -> list[dict[str, str]]:
    """The table, each cell as printed."""
    return [{"parser": row.parser, "training": row.training, "F1": row.printed} for row in rows]


def above(ours: Row, rows: Sequence[Row] = TABLE_4) -> list[Row]:
    """The rows with a higher F1, the best first."""
    return sorted((row for row in rows if row.f1 > ours.f1), key=lambda row: -row.f1)


@dataclass(frozen=True)
class Claim:
    """A claim of the paper about Table 4, the rows that speak against it, and what is held against what."""

    says: str
    arithmetic: str
    against: list[Row]

    @property
    def holds(self) -> bool:
        return not self.against


def claims(rows: Sequence[Row] = TABLE_4) -> list[Claim]:
    """What section 6.3 claims of Table 4, checked on the rows."""
    named = {(row.parser, row.training): row for row in rows}
    needed = [(TRANSFORMER, WSJ), (TRANSFORMER, SEMI), ("Petrov et al. (2006)", WSJ), (TABLE_4[0].parser, WSJ)]
    if missing := [name for name in needed if name not in named]:
        raise ValueError(
            f"The claims are about {missing[0][0]}, {missing[0][1]}, which is not here; pass all of TABLE_4."
        )
    small, large, berkeley, recurrent = (named[name] for name in needed)
    rnng = [row for row in rows if row.parser == "Dyer et al. (2016)"]

    def better(says: str, ours: Row, theirs: Row) -> Claim:
        sum_ = f"{ours.printed} − {theirs.printed} = {ours.f1 - theirs.f1}"
        return Claim(says, sum_, [] if ours.f1 > theirs.f1 else [theirs])

    def all_but_rnng(says: str, ours: Row, among: Sequence[Row]) -> Claim:
        higher = above(ours, among)
        listed = "; ".join(f"{row.parser} {row.printed}, {row.training}" for row in higher) or "none"
        return Claim(says, f"above {ours.printed}: {listed}", [row for row in higher if row not in rnng])

    return [
        better("With the WSJ's 40K sentences alone: better than the RNN sequence-to-sequence parser", small, recurrent),
        better("… and better than the Berkeley parser", small, berkeley),
        all_but_rnng("Better than all but RNNG, among those trained on the WSJ only", small,
                     [row for row in rows if row.training == WSJ]),
        all_but_rnng("Better than all but RNNG, in the whole table", large, rows),
    ]  # fmt: skip


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────


TREEBANKS = {"grammar": "this project's grammar", "ptb": "ptb_sample", "craft": "CRAFT"}


def sizes_rows(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How large each parser of experiments/parsing.py is, from how much it learnt, and how long that took."""
    if not results:
        raise ValueError("There is no result; run python -m experiments.parsing grammar first.")
    return [
        {"parser": name, "million parameters": run["n_parameters"] / 1e6, "trees to learn from": run["pairs"]}
        | {"steps": run["steps"], "minutes": run.get("seconds", 0) / 60}
        for name, run in results.items()
    ]


def results_rows(results: Mapping[str, Any]) -> list[dict[str, Any]]:
    """F1 of each parser of experiments/parsing.py on each treebank, by search; malformed lines and empty ones."""
    rows = []
    for name, run in results.items():
        for score in run["scores"]:
            treebank_name = TREEBANKS.get(score["treebank"], score["treebank"])
            row = {
                "parser": name,
                "sentences held back": f"{treebank_name}, {score['split']}",
                "n": score["sentences"],
                "search": "greedy" if score["beam_size"] == 1 else f"beam {score['beam_size']}",
                "repaired": score["repaired"]["f1"],
                "as is": score["strict"]["f1"],
                "malformed, %": 100 * score["malformed"] / score["sentences"],
                "said nothing": score.get("steps", {}).get("flat", 0),
            } | ({"trained on, too": score["also_in_train"]} if score.get("also_in_train") else {})
            if row not in rows:  # of a small treebank the sample is the whole
                rows.append(row)
    return rows
