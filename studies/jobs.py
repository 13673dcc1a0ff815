"""What jobs heads have: alignment, coreference and syntax, each against what a head reaches that knows nothing.

A role is given only where a head beats its baseline with the whole interval of the difference: `with_roles`. For
positional heads, confidence and entropy see studies.attention.

    alignment     AER of cross-attention against gold links; against reading the plain diagonal, and by lot
    coreference   whether *it* reads the noun that is meant more than the other; twins make a half of mere position
    syntax        verb → subject, verb → object, determiner → noun on trees that are known; against the best fixed
                  offset of each relation (Voita et al., 2019), maps of words as Clark et al. (2019) make them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from corpora.treebank import Tree
from studies.alignment import Truth, cross_weights, diagonal_map, error_counts
from studies.attention import HeadAt
from studies.pronoun_heads import Study
from studies.reading import KINDS, probe_of
from studies.statistics import central
from studies.text import words_of

# ─── Better than a baseline ──────────────────────────────────────────────────────────────────────────────────────────


def drawn_again(counts: Tensor, score: Callable[[Tensor], Tensor], n: int = 1000, seed: int = 0) -> Tensor:
    """A score of n sets of sentences drawn with repetition: counts (N, …), score takes their sum (…) -> (n, …)."""
    draws = torch.randint(len(counts), (n, len(counts)), generator=torch.Generator().manual_seed(seed))
    times = torch.stack([row.bincount(minlength=len(counts)) for row in draws]).to(counts.dtype)  # (n, N)
    return score((times @ counts.flatten(1)).unflatten(1, counts.shape[1:]))


def better(counts: Tensor, baseline: Tensor, score: Callable[[Tensor], Tensor], n: int = 1000) -> list[dict[str, Any]]:
    """Of each head its score, the baseline's, and the difference with its 95 % interval over sentences.

    counts (N, heads, 2) and baseline (N, 2): two numbers of each sentence, which `score` makes one of (…, 2) -> (…)
    when they are summed; the higher the better. sure: whether the whole interval is above 0.
    """
    both = torch.cat([counts, baseline[:, None]], 1).double()  # (N, heads + 1, 2)
    whole, again = score(both.sum(0)), drawn_again(both, score, n)
    rows = []
    for head in range(counts.size(1)):
        low, high = central((again[:, head] - again[:, -1]).tolist())
        gain = (whole[head] - whole[-1]).item()
        rows.append(
            {"score": whole[head].item(), "baseline": whole[-1].item(), "gain": [gain, low, high], "sure": low > 0}
        )
    return rows


def share(counts: Tensor) -> Tensor:
    """Hits over tries, or 1 − AER from the two counts of `alignment.alignment_error`: (…, 2) -> (…)."""
    return counts[..., 0] / counts[..., 1]


# ─── Alignment ───────────────────────────────────────────────────────────────────────────────────────────────────────

READINGS = ("naive", "shifted")


def random_maps(pair: Truth, n: int, seed: int) -> Tensor:
    """Maps whose rows read a source piece drawn by lot: (n, T, S)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(n, len(pair.tgt_words) + 1, len(pair.src_words) + 1, generator=generator)


def alignment_roles(model: tc.Transformer, pairs: Sequence[Truth], n_random: int = 20) -> list[dict[str, Any]]:
    """Of each head of cross-attention, read naively and shifted: 1 − AER, against the better of diagonal and chance.

    Rows have job, diagonal and chance (1 − AER of both), and what `better` says. One pass a pair.
    """
    counts, lines, lots = list[Tensor](), list[Tensor](), list[Tensor]()
    for seed, pair in enumerate(pairs):
        maps = cross_weights(model, pair.src, pair.tgt_in).flatten(0, 1)
        counts.append(error_counts(maps, pair))  # (2, L·H, 2)
        lines.append(error_counts(diagonal_map(pair)[None], pair)[0, 0])  # read as it is drawn
        lots.append(error_counts(random_maps(pair, n_random, seed), pair)[0].sum(0))
    heads, line, lot = (torch.stack(tables) for tables in (counts, lines, lots))
    bases = {name: share(table.sum(0).double()).item() for name, table in (("d", line), ("c", lot))}
    baseline = line if bases["d"] >= bases["c"] else lot
    n_heads = model.config.n_heads
    return [
        {"kind": "cross", "layer": at // n_heads, "head": at % n_heads, "job": f"alignment, {name}"}
        | {"diagonal": bases["d"], "chance": bases["c"]}
        | row
        for place, name in enumerate(READINGS)
        for at, row in enumerate(better(heads[:, place], baseline, share))
    ]


# ─── Coreference ─────────────────────────────────────────────────────────────────────────────────────────────────────


LEAST = 0.05  # of a row's weight: less is no choice between two nouns


def coreference_roles(study: Study) -> list[dict[str, Any]]:
    """Of each head that reads English: how often the query at *it* gives the noun meant more than the other, by LEAST.

    Twins have the same nouns at the same places and mean the other one: a head that goes by place is right in one of
    the two, so the baseline is a half. In cross-attention the query is the row that says the pronoun.
    """
    config, rows = study.model.config, list[dict[str, Any]]()
    for kind in ("encoder", "cross"):
        right = []
        for layer in range(config.n_layers):
            reads = study.reads(kind, layer)
            right.append((reads["meant"] > reads["other"] + LEAST).unflatten(0, (2, -1)).sum(0))  # (N, H), of each pair
        hits = torch.cat(right, 1)  # (N, L·H)
        counts = torch.stack([hits, torch.full_like(hits, 2)], -1)
        half = torch.tensor([1, 2]).expand(len(hits), 2)
        for at, row in enumerate(better(counts, half, share)):
            place = {"kind": kind, "layer": at // config.n_heads, "head": at % config.n_heads}
            rows.append(place | {"job": "coreference"} | row)
    return rows


# ─── Syntax ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class Arc(NamedTuple):
    """Two words of a sentence and what joins them: a verb and its subject or object, a determiner and its noun."""

    relation: str
    word: int
    partner: int


NOUNS = ("NN", "NNS", "NNP", "NNPS", "PRP")
RELATIONS = ("verb → subject", "verb → object", "determiner → noun")


class Child(NamedTuple):
    """What stands right below a bracket: a word with its tag, or a bracket with its place in tree.brackets."""

    label: str
    start: int
    place: int | None  # None: a word


def children(tree: Tree, place: int) -> list[Child]:
    """What stands right below the place-th bracket, in order."""
    parent, below = tree.brackets[place], list[Child]()
    inside = [n for n in range(place + 1, len(tree.brackets)) if tree.brackets[n].end <= parent.end]
    at = parent.start
    while at < parent.end:
        first = next((n for n in inside if tree.brackets[n].start == at), None)
        if first is None:
            below.append(Child(tree.tags[at], at, None))
            at += 1
        else:
            below.append(Child(tree.brackets[first].label, at, first))
            at = tree.brackets[first].end
            inside = [n for n in inside if tree.brackets[n].start >= at]
    return below


def head_noun(tree: Tree, place: int | None) -> int | None:
    """The head of a noun phrase: the last noun right in it, else that of its first noun phrase."""
    below = children(tree, place) if place is not None else []
    nouns = [child.start for child in below if child.label in NOUNS]
    inner = next((child.place for child in below if child.label == "NP"), None)
    return nouns[-1] if nouns else head_noun(tree, inner) if below else None


def main_verb(tree: Tree, place: int | None) -> int | None:
    """The verb of a verb phrase, below its auxiliaries: has bought → bought."""
    below = children(tree, place) if place is not None else []
    inner = next((child.place for child in below if child.label == "VP"), None)
    if inner is not None and all(child.label != "CC" for child in below):
        return main_verb(tree, inner)
    return next((child.start for child in below if child.label.startswith("VB")), None)


def arcs(tree: Tree) -> list[Arc]:
    """Which word of a tree is the subject and object of which verb, and which noun a determiner stands with."""
    joined = list[Arc]()

    def join(relation: str, word: int | None, partner: int | None) -> None:
        if word is not None and partner is not None and word != partner:
            joined.append(Arc(relation, word, partner))

    for place, bracket in enumerate(tree.brackets):
        below = children(tree, place)
        labels = [child.label for child in below]
        if bracket.label == "S" and "VP" in labels and "NP" in labels[: labels.index("VP")]:
            at = labels.index("VP")
            subject = next(child for child in reversed(below[:at]) if child.label == "NP")
            join("verb → subject", main_verb(tree, below[at].place), head_noun(tree, subject.place))
        if bracket.label == "VP" and "VP" not in labels and "NP" in labels:
            verb = next((child.start for child in below if child.label.startswith("VB")), None)
            join("verb → object", verb, head_noun(tree, below[labels.index("NP")].place))
        if bracket.label == "NP" and "DT" in labels:
            join("determiner → noun", below[labels.index("DT")].start, head_noun(tree, place))
    return joined


def word_map(weights: Tensor, words: Sequence[int]) -> Tensor:
    """A map of pieces as one of words: summed over a key word's pieces, the mean of a query word's. (H, W, W)

    weights (H, S, S), whose further rows and columns (the end) are left out; words: the word of each piece.
    """
    n, pieces = max(words) + 1, len(words)
    belongs = torch.eye(n)[torch.tensor(words)]  # (pieces, W)
    summed = weights[:, :pieces, :pieces] @ belongs
    return (belongs / belongs.sum(0)).T @ summed


def told_apart(tokenizer: tc.Tokenizer, text: str, words: Sequence[str]) -> bool:
    """Whether the pieces of a text spell these words, and every word has a piece of its own."""
    pieces = tokenizer.pieces(tokenizer.encode(text))
    if "".join(pieces).replace("▁", "") != "".join(words):
        return False
    return len(set(words_of(pieces, words))) == len(words)


def encoder_maps(
    translator: tc.Translator, sentences: Sequence[tuple[str, Sequence[str]]], n: int = 32
) -> Iterator[Tensor]:
    """The encoder's weights over the words of each sentence (text, words), which must be `told_apart`: (L, H, W, W).

    n: sentences in a batch.
    """
    layers = range(translator.model.config.n_layers)
    for first in range(0, len(sentences), n):
        rows = sentences[first : first + n]
        src = translator.source([text for text, _ in rows])
        with tc.evaluating(translator.model), tc.record(translator.model, "encoder.*.weights") as trace:
            translator.model.encode(src)
        for row, (_, words) in enumerate(rows):
            pieces = translator.tokenizer.pieces(i for i in src[row].tolist() if i not in (tc.PAD, tc.EOS))
            places = words_of(pieces, words)
            maps = [word_map(trace[f"{probe_of('encoder', layer)}.weights"][row].cpu(), places) for layer in layers]
            yield torch.stack(maps)


def best_offset(sentences: Sequence[Sequence[Arc]]) -> int:
    """The fixed offset from word to partner that is right for most of these arcs."""
    offsets = [arc.partner - arc.word for of_sentence in sentences for arc in of_sentence]
    return max(sorted(set(offsets)), key=offsets.count)


def hits_of(choice: Tensor, of_sentence: Sequence[Arc]) -> Tensor:
    """Of each head (its choice for every word: (heads, W)) the arcs it hits, and how many there are: (heads, 2)."""
    ends = torch.tensor([[arc.word, arc.partner] for arc in of_sentence], dtype=torch.long).reshape(-1, 2)
    hits = (choice[:, ends[:, 0]] == ends[:, 1]).sum(-1)  # (heads,)
    return torch.stack([hits, torch.full_like(hits, len(ends))], -1)


def syntax_roles(
    translator: tc.Translator, sentences: Sequence[tuple[str, Tree]], least: int = 30
) -> list[dict[str, Any]]:
    """Of each head of the encoder and each relation: how often a word's largest weight is on its partner.

    sentences: the text as the model reads it, and its tree. A query may choose from all words, not from the end of the
    sentence. Relations with fewer than `least` arcs are left out. The baseline is the fixed offset that is right most
    often on these very sentences, which favours it. One pass through the encoder.
    """
    config = translator.model.config
    maps = encoder_maps(translator, [(text, tree.words) for text, tree in sentences])
    choices = [of_sentence.flatten(0, 1).argmax(-1) for of_sentence in maps]  # (L·H, W) each
    everything, rows = [arcs(tree) for _, tree in sentences], list[dict[str, Any]]()
    for relation in RELATIONS:
        joined = [[arc for arc in of_sentence if arc.relation == relation] for of_sentence in everything]
        n = sum(map(len, joined))
        if n < least:
            continue
        offset = best_offset(joined)
        fixed = [torch.arange(len(tree.words))[None] + offset for _, tree in sentences]
        counts = torch.stack([hits_of(*pair) for pair in zip(choices, joined, strict=True)])  # (N, L·H, 2)
        baseline = torch.stack([hits_of(*pair)[0] for pair in zip(fixed, joined, strict=True)])  # (N, 2)
        for at, row in enumerate(better(counts, baseline, share)):
            place = {"kind": "encoder", "layer": at // config.n_heads, "head": at % config.n_heads}
            rows.append(place | {"job": relation, "offset": offset, "n": n} | row)
    return rows


def with_roles(rows: Sequence[dict[str, Any]]) -> dict[HeadAt, list[str]]:
    """The jobs of each head that has one: those at which it surely beats the baseline, the largest gain first.

    Of a hundred heads that know nothing two or three are sure by chance, as the intervals are of 95 %.
    """
    roles = dict[HeadAt, list[str]]()
    for row in sorted(rows, key=lambda row: -row["gain"][0]):
        if row["sure"]:
            roles.setdefault((row["kind"], row["layer"], row["head"]), []).append(row["job"])
    return {at: roles[at] for at in sorted(roles, key=lambda at: (list(KINDS).index(at[0]), *at[1:]))}
