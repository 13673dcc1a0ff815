"""Is attention an explanation? What the shipped translator's heads do, and what matters for a word: 200 of `valid`.

    python -m experiments.evidence    # writes notebooks/data/evidence.json; TRANSFORMER_DATA holds the corpora

Parts, each one run of the file; a part that the file holds is not made again, so a stopped command goes on:

    answers     how well weights, norms, rollout, flow and gradients agree with what a replaced word really costs
    heads       importance by the gate's gradient, confidence, and each head zeroed, mean-ablated and exchanged
    pruning …   nll on 300 other pairs as heads go: least important first, most important first, measured again on
                the way, at random (5 draws), and by kind; BLEU of the first three and of one draw
    jobs        alignment against gold links, coreference on twins, syntax on trees of the grammar and of CRAFT
    lens        the decoder's residual after each layer through the softmax
"""

from __future__ import annotations

import functools
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from core_options import serving
from corpora import grammar, treebank
from corpora.pronouns import examples
from experiments import bench
from experiments.beam_alpha import drawn, valid_pairs
from experiments.recurrence import gold_pairs
from studies import alignment, evidence, jobs, lens, pronoun_heads, pruning
from studies.attention import HeadAt
from studies.reading import KINDS, read, teacher_forced
from studies.statistics import bootstrapped, mean

N_SENTENCES, N_PRUNED, N_TWINS, N_TREES, N_DRAWS = 200, 300, 150, 400, 5
TOKENS = 300  # of a batch: its sentences are of about one length
EVERY, STEP = 6, 12  # heads between two points of a curve, and between two measures of greedy pruning
LONGEST = 25  # words of a sentence of CRAFT
Pairs = Sequence[tuple[str, str]]


# ─── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def asked_of(translator: tc.Translator, text: str, known: Sequence[int]) -> dict[str, Any]:
    """One sentence: the agreement of every answer, and of every head of cross-attention, with what is lost."""
    reading = read(translator, text, 1)
    ids = reading.src[0, :-1].tolist()
    truths = {
        "hidden": evidence.losses(reading, [tc.PAD] * len(ids)),
        "of its kind": evidence.losses(reading, evidence.of_its_kind(translator, ids, known)),
    }
    tables = evidence.answers(reading)
    row: dict[str, Any] = {"answers": evidence.agreements({**tables, **truths}, truths)}
    row["heads"] = {name: evidence.head_agreements(reading, lost) for name, lost in truths.items()}
    start = evidence.without_words(evidence.source_vectors(reading))
    with torch.no_grad():
        way = reading.log_prob - evidence.log_probs_of(reading, start[None])[0]  # (T,)
    row["chance"] = 1 / len(ids)
    row["incomplete"] = ((tables["integrated"].sum(-1) - way).abs().sum() / way.abs().sum()).item()
    return row


def answers(translator: tc.Translator, texts: Sequence[str], known: Sequence[int]) -> dict[str, Any]:
    """Means over n sentences with 95 % intervals; chance: how often a word drawn by lot is first.

    incomplete: what integrated gradients miss of log p's way, as a share.

    Under "answers", the truths are held against each other too: as well as two ways of replacing agree, no better can
    an answer be expected to.
    """
    rows = [asked_of(translator, text, known) for text in texts]
    heads = {name: torch.stack([row["heads"][name] for row in rows]).nanmean(0) for name in rows[0]["heads"]}
    return dict(
        n=len(rows),
        answers=evidence.over_sentences([row["answers"] for row in rows]),
        heads={name: table.tolist() for name, table in heads.items()},
        chance=mean([row["chance"] for row in rows]),
        incomplete=bootstrapped([row["incomplete"] for row in rows]),
    )


# ─── Heads ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def batches_of(translator: tc.Translator, pairs: Pairs) -> list[tc.Batch]:
    return list(tc.make_batches(tc.encode_pairs(pairs, translator.tokenizer, translator.tgt_tokenizer), TOKENS))


def heads(translator: tc.Translator, pairs: Pairs) -> dict[str, Any]:
    """Tables (3, L, H), losses in nats per token, and how well the measures rank the heads alike, with intervals."""
    model, batches = translator.model, batches_of(translator, pairs)
    rows = [pairs[row] for batch in batches for row in batch.rows]  # in the order of the batches
    readings = (
        teacher_forced(translator, source, [*translator.tgt_tokenizer.encode(tc.clean(target)), tc.EOS])
        for source, target in rows
    )
    tokens = pruning.n_tokens(batches).sum()
    knocked = pruning.knock_outs(model, batches)
    measures = {"importance": pruning.gate_gradients(model, batches), "confidence": pruning.confidences(readings)}
    tables = {way: gains.sum(0) / tokens for way, gains in knocked.items()}
    tables["importance"] = measures["importance"].sum(0) / tokens
    tables["confidence"] = measures["confidence"].mean(0)
    return dict(
        tables={name: table.tolist() for name, table in tables.items()},
        agreement={
            f"{name}, {way}": pruning.rank_agreement(measure, gains)
            for name, measure in measures.items()
            for way, gains in knocked.items()
        },
        by_kind={
            f"{kind}: importance, zeroed": pruning.rank_agreement(measures["importance"][:, n], knocked["zeroed"][:, n])
            for n, kind in enumerate(KINDS)
        },
    )


# ─── Pruning ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def orders(translator: tc.Translator, pairs: Pairs) -> Iterator[tuple[str, Callable[[], list[HeadAt]], bool]]:
    """Name of an order, what makes it, and whether translations are scored too; importance is of these pairs."""
    model, config = translator.model, translator.model.config
    batches = batches_of(translator, pairs)

    @functools.cache
    def table() -> Tensor:
        return pruning.normalised(pruning.importance(model, batches))

    def lowest(kinds: Sequence[str] = tuple(KINDS)) -> list[HeadAt]:
        return pruning.by_importance(table(), config, kinds)

    yield "least important first", lowest, True
    yield "most important first", lambda: lowest()[::-1], True
    yield "measured again", lambda: pruning.greedily(model, batches, STEP), True
    for kind in KINDS:
        yield f"{kind} alone", lambda kind=kind: lowest([kind]), False  # type: ignore[misc]
    for seed in range(N_DRAWS):
        yield f"at random, {seed}", lambda seed=seed: pruning.at_random(config, seed), not seed  # type: ignore[misc]


def pruned(translator: tc.Translator, pairs: Pairs, order: Sequence[HeadAt], scored: bool) -> dict[str, Any]:
    """The curve over these pairs, a point every EVERY heads and at the end; BLEU, greedy, at every other."""
    batches, (sources, references) = batches_of(translator, pairs), zip(*pairs, strict=True)
    points = pruning.curve(translator.model, batches, order, sorted({*range(0, len(order), EVERY), len(order)}))
    for point in points[::2] if scored else []:
        lines = pruning.translations(translator, sources, order[: point["n"]])
        point["bleu"] = tc.corpus_bleu(lines, references)[0].score
    return dict(order=[list(at) for at in order], points=points)


# ─── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def trees(tokenizer: tc.Tokenizer, n: int) -> dict[str, list[tuple[str, treebank.Tree]]]:
    """Sentences with their trees: of the grammar, and of CRAFT where it is there."""
    sentences = {"grammar": [(pair.english, treebank.parse(pair.tree)) for pair in grammar.sample(n, difficulty=2)]}
    path = Path(os.environ.get("TRANSFORMER_DATA", ""), "craft_treebank", "dev.clean.mrg.gz")
    if path.is_file():
        real = (tree for tree in map(treebank.clean, treebank.read_trees(path)) if tree and tree.label == "S")
        short = [tree for tree in real if len(tree.words) <= LONGEST]
        sentences["CRAFT"] = [(grammar.written(tree.words), tree) for tree in short]
    apart = {
        name: [(text, tree) for text, tree in rows if jobs.told_apart(tokenizer, text, tree.words)]
        for name, rows in sentences.items()
    }
    return {name: rows[:n] for name, rows in apart.items()}


HEAD = ("kind", "layer", "head", "score", "gain", "low", "high", "sure")  # numbers of a head at a job, as stored


def by_job(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of each job as one: what they have in common, and HEAD of every head."""
    jobs_of_heads: dict[str, dict[str, Any]] = {}
    for row in rows:
        common = {
            key: value for key, value in row.items() if key not in ("kind", "layer", "head", "score", "gain", "sure")
        }
        entry = jobs_of_heads.setdefault(row["job"], common | {"heads": []})
        entry["heads"].append([row["kind"], row["layer"], row["head"], row["score"], *row["gain"], row["sure"]])
    return list(jobs_of_heads.values())


def in_corpus(rows: Sequence[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [row | {"job": f"{row['job']} ({name})"} for row in rows]


def all_jobs(translator: tc.Translator, n_twins: int, n_trees: int) -> dict[str, Any]:
    """Of each job the numbers of all heads, and the roles that are sure."""
    model, tokenizer = translator.model, translator.tokenizer
    twins = pronoun_heads.twins_of(tokenizer, islice(examples(11, "test"), 40 * n_twins), n_twins)
    linked = [alignment.truth(tokenizer, pair) for pair in grammar.sample(n_trees, split="test")]
    rows = in_corpus(jobs.alignment_roles(model, gold_pairs(tokenizer)), "Europarl")
    rows += in_corpus(jobs.alignment_roles(model, linked), "grammar")
    rows += jobs.coreference_roles(pronoun_heads.studied(model, twins))
    counts = {}
    for name, sentences in trees(tokenizer, n_trees).items():
        counts[name] = len(sentences)
        rows += in_corpus(jobs.syntax_roles(translator, sentences), name)
    roles = [{"kind": kind, "layer": layer, "head": head, "jobs": names}
             for (kind, layer, head), names in jobs.with_roles(rows).items()]  # fmt: skip
    return dict(twins=n_twins, trees=counts, roles=roles, columns=HEAD, jobs=by_job(rows))


# ─── The command ─────────────────────────────────────────────────────────────────────────────────────────────────────
def parts(translator: tc.Translator, n: int) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Every part: its name, and what makes it. Curves are of other pairs than those by which heads are ordered."""

    def shrunk(count: int) -> int:
        return max(2, count * n // N_SENTENCES)

    pairs = valid_pairs()
    chosen = drawn(pairs, n + shrunk(N_PRUNED))
    sample, others = chosen[:n], chosen[n:]
    texts = [source for source, _ in sample]
    known = sorted({i for source, _ in pairs for i in translator.tokenizer.encode(tc.clean(source))})
    yield "answers", lambda: answers(translator, texts, known)
    yield "heads", lambda: heads(translator, sample)
    for name, order, scored in orders(translator, sample):
        yield (
            f"pruning, {name}",
            lambda order=order, scored=scored: pruned(translator, others, order(), scored),  # type: ignore[misc]
        )
    yield "jobs", lambda: all_jobs(translator, shrunk(N_TWINS), shrunk(N_TREES))
    yield "lens", lambda: dict(layers=lens.by_layer([read(translator, text, 1) for text in texts]))


def plain(value: Any) -> Any:
    """What JSON takes: no tensor, and None for what is no number."""
    if isinstance(value, dict):
        return {key: plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple | Tensor):
        return [plain(x) for x in (value.tolist() if isinstance(value, Tensor) else value)]
    return None if isinstance(value, float) and math.isnan(value) else value


def main() -> None:
    options = bench.asked("evidence", __doc__, N_SENTENCES, "sentences")
    torch.set_num_threads(1)
    translator = serving.load_pretrained("tatoeba-en-de")
    command = bench.spelled("experiments.evidence", dict(n=options.n), lambda _: N_SENTENCES)
    about = bench.head("evidence", command, checkpoint=translator.name, sentences=options.n, kinds=list(KINDS))
    runs = bench.earlier(options.out, about)
    there = {run["part"] for run in runs}
    for name, make in parts(translator, options.n):
        if name in there:
            continue
        began = time.process_time()
        result = plain(make())
        runs.append(bench.rounded(dict(part=name, seconds=time.process_time() - began) | result))
        bench.write(options.out, about | {"runs": runs})
        tc.say(f"{name}: {runs[-1]['seconds']:.0f} s")


if __name__ == "__main__":
    main()
