"""Cross-attention against the truth: the word links that a head claims, and its alignment error (Och and Ney, 2003).

Rows of cross-attention are target pieces, columns source pieces. A row may be read in two ways: as of the piece that it
predicts ("naive"), or as of the piece that it was given ("shifted"; Chen et al., 2020).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from studies.attention import entropy
from studies.text import words_of


class Truth(NamedTuple):
    """A sentence pair with gold links between words, and the word of each piece on both sides."""

    src: Tensor  # (1, S) with eos
    tgt_in: Tensor  # (1, T), T = target pieces + 1
    src_words: list[int]
    tgt_words: list[int]
    gold: frozenset[tuple[int, int]]


def truth(tokenizer: tc.Tokenizer, pair: Any) -> Truth:
    """A pair of corpora.grammar as ids, with its gold alignment."""
    source, target = tokenizer.encode(pair.english), tokenizer.encode(pair.german)
    pieces = tokenizer.pieces
    words = words_of(pieces(source), pair.english_tokens), words_of(pieces(target), pair.german_tokens)
    return Truth(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]), *words, pair.alignment)


def links(weights: Tensor, pair: Truth, shifted: bool) -> set[tuple[int, int]]:
    """The word links that a map (T, S) claims: each target piece with the source word that its row reads most.

    naive: the row that says the piece; shifted: the next row, which has the piece as its input (Chen et al., 2020).
    """
    n = len(pair.tgt_words)
    rows = weights[1 : n + 1] if shifted else weights[:n]
    most = rows[:, : len(pair.src_words)].argmax(-1).tolist()  # the end of the sentence is no word
    return {(pair.src_words[piece], word) for piece, word in zip(most, pair.tgt_words, strict=True)}


def alignment_error(claimed: set[tuple[int, int]], gold: frozenset[tuple[int, int]]) -> tuple[int, int]:
    """AER (Och and Ney, 2003) as two counts to be added over sentences: 1 - first / second; all gold links are sure."""
    return 2 * len(claimed & gold), len(claimed) + len(gold)


def error_counts(heads: Tensor, pair: Truth) -> Tensor:
    """The two counts of `alignment_error` for each head of (H, T, S), read naively and shifted: (2, H, 2)."""
    return torch.tensor(
        [[alignment_error(links(weights, pair, shifted), pair.gold) for weights in heads] for shifted in (False, True)]
    )


def cross_weights(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> Tensor:
    """Every head's cross-attention, teacher-forced: (L, H, T, S) of one sentence pair."""
    device = next(model.parameters()).device
    with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.weights") as trace:
        model(src.to(device), tgt_in.to(device))
    maps = [trace[f"decoder.{layer}.cross_attention.weights"] for layer in range(len(model.decoder))]
    return torch.cat(maps).float().cpu()


def head_alignments(model: tc.Transformer, pairs: Sequence[Truth]) -> dict[str, Tensor]:
    """Of each head of cross-attention, over these pairs: entropy in nats, and AER both ways: (L, H) each."""
    nats, counts = torch.tensor(0.0), torch.tensor(0)
    for pair in pairs:
        weights = cross_weights(model, pair.src, pair.tgt_in)  # (L, H, T, S)
        nats = nats + entropy(weights).mean(-1) / len(pairs)
        counts = counts + torch.stack([error_counts(heads, pair) for heads in weights], 1)  # (2, L, H, 2)
    naive, shifted = 1 - counts[..., 0] / counts[..., 1]
    return {"entropy": nats, "naive": naive, "shifted": shifted}


def least_error(pairs: Sequence[Truth]) -> float:
    """The AER that no head can go below: each target piece claims one source word, so a word of p pieces p at most."""
    claimed = right = gold = 0
    for pair in pairs:
        for word in set(pair.tgt_words):
            pieces, sources = pair.tgt_words.count(word), sum(target == word for _, target in pair.gold)
            right += min(pieces, sources)
            claimed += max(1, min(pieces, sources))  # a piece claims a word, also where no gold link is
        gold += len(pair.gold)
    return 1 - 2 * right / (claimed + gold)


def diagonal_map(pair: Truth) -> Tensor:
    """A map that reads the plain diagonal, first piece to first, end to end: (T, S)."""
    rows, columns = len(pair.tgt_words) + 1, len(pair.src_words) + 1  # with the end of both
    read = (torch.arange(rows) * (columns - 1) / (rows - 1)).round().long()
    return torch.eye(columns)[read]


def diagonal_error(pairs: Sequence[Truth]) -> float:
    """The AER of a head that reads the plain diagonal: what a head has to beat."""
    counts = torch.tensor(0)
    for pair in pairs:
        counts = counts + error_counts(diagonal_map(pair)[None], pair)[0, 0]
    return (1 - counts[0] / counts[1]).item()


def locked_on(steps: Sequence[int], errors: Sequence[float], below: float = 0.5) -> int | None:
    """The first step from which the error stays below a bound to the end; None if it never does."""
    if len(steps) != len(errors) or not steps:
        raise ValueError(f"There are {len(steps)} steps and {len(errors)} errors; give one error for each step.")
    above = [at for at, error in enumerate(errors) if error >= below]
    first = above[-1] + 1 if above else 0
    return steps[first] if first < len(steps) else None


def best_head(result: dict[str, Any], reading: str = "naive") -> tuple[int, int]:
    """The head of cross-attention (layer, head) with the lowest alignment error at the end."""
    last = result["readings"][-1][reading]
    return min(
        ((layer, head) for layer, row in enumerate(last) for head in range(len(row))), key=lambda at: last[at[0]][at[1]]
    )


def half_way(steps: Sequence[int], values: Sequence[float]) -> int | None:
    """The step from which a falling value stays below the middle of where it began and ended; a rising one, above.

    >>> half_way([0, 10, 20, 30], [0.9, 0.7, 0.4, 0.3]), half_way([0, 10, 20], [0.0, 60.0, 90.0])
    (20, 10)
    """
    sign = 1 if values[-1] < values[0] else -1
    return locked_on(steps, [sign * value for value in values], sign * (values[0] + values[-1]) / 2)


def forming_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each run of `experiments.training forming`: its best head, when that locked on, and how good it is."""
    return [
        {
            "run": run["seed"] + 1,
            "best head": f"layer {run['layer']}, head {run['head']}",
            "half of the fall of AER, step": half_way(run["steps"], run["aer"]),
            "half of BLEU's rise, step": half_way(run["steps"], run["bleu"]),
            "AER": run["aer"][-1],
            "AER of the best row that has read the word": run["shifted"][-1],
            "BLEU": run["bleu"][-1],
        }
        for run in result["runs"]
    ]


def averaged_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """What the mean of five checkpoints gains, a row for each run and step at which it was tried."""
    return [
        {
            "run": run["seed"] + 1,
            "step": int(step),
            "nll, last": end["last"]["nll"],
            "nll, mean of 5": end["mean"]["nll"],
            "BLEU, last": end["last"]["bleu"],
            "BLEU, mean of 5": end["mean"]["bleu"],
        }
        for step in result["means_of"]
        for run in result["runs"]
        for end in (run["averaged"][step],)
    ]
