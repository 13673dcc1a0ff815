"""Two readings side by side: which of their tokens belong together, and where the same head looks elsewhere.

The two are of two sentences, of one sentence with heads taken out, or of two models. What is said of both is the second
less the first; a token that the other reading lacks has no partner, and its cells no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor

import transformer_core as tc
from studies.attention import heads_off
from studies.reading import Reading, log_probs, read, shifted_right

Axis = list[list[int | None]]  # the place in the first list and in the second, None where that has no partner


def aligned(first: Sequence[str], second: Sequence[str]) -> Axis:
    """The tokens of two lists in one order: those of a longest common subsequence in pairs, the others alone.

    >>> aligned(["too", "tired", "."], ["too", "wide", "."])
    [[0, 0], [1, None], [None, 1], [2, 2]]
    """
    n, m = len(first), len(second)
    longest = [[0] * (m + 1) for _ in range(n + 1)]  # of what is left of both from here on
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            same, other = longest[i + 1][j + 1] + 1, max(longest[i + 1][j], longest[i][j + 1])
            longest[i][j] = same if first[i] == second[j] else other
    axis: Axis = []
    i = j = 0
    while i < n or j < m:
        both = i < n and j < m
        if both and first[i] == second[j]:
            axis.append([i, j])
            i, j = i + 1, j + 1
        elif j == m or (both and longest[i + 1][j] >= longest[i][j + 1]):
            axis.append([i, None])
            i += 1
        else:
            axis.append([None, j])
            j += 1
    return axis


def difference(first: Tensor, second: Tensor, rows: Axis, columns: Axis) -> Tensor:
    """The second's weights less the first's, NaN where a token has no partner: (…, T, S), (…, T', S') -> (…, R, C)."""
    gap = first.new_full((*first.shape[:-2], len(rows), len(columns)), math.nan)
    at, i, k = paired(rows)
    there, j, n = paired(columns)
    gap[..., at[:, None], there] = second[..., k[:, None], n] - first[..., i[:, None], j]
    return gap


def paired(axis: Axis) -> list[Tensor]:
    """The places on an axis that both lists have, and where those lie in the first and in the second."""
    pairs = [(place, i, j) for place, (i, j) in enumerate(axis) if i is not None and j is not None]
    return [torch.tensor([pair[n] for pair in pairs], dtype=torch.long) for n in range(3)]


def most_different(first: Tensor, second: Tensor, rows: Axis, columns: Axis) -> tuple[int, int]:
    """The layer and the head whose weights (L, H, T, S) differ most where tokens have partners."""
    gap = difference(first, second, rows, columns).abs().nansum((-2, -1))  # (L, H)
    return divmod(int(gap.argmax().item()), gap.shape[1])


def read_without(
    translator: tc.Translator, text: str, off: Sequence[Sequence] = (), most: int | None = None
) -> Reading:
    """Translate and read a sentence while heads [[kind, layer, head], …] are taken out of the model."""
    with heads_off(translator.model, off):
        return read(translator, text, most=most, pattern="*_attention.weights")


def in_the_second(first: Reading, second: Reading, off: Sequence[Sequence] = ()) -> list[float]:
    """How likely the second's model, its heads in `off` taken out, finds the first's translation of the second's text.

    The log-probability of each token, in nats; a model with other words gets the translation in its own.
    """
    translator = second.translator
    words = first.translator.tgt_tokenizer is translator.tgt_tokenizer
    ids = first.ids if words else [*translator.tgt_tokenizer.encode(first.translation), tc.EOS]
    with tc.evaluating(translator.model), heads_off(translator.model, off):
        logits = translator.model(second.src, shifted_right(ids).to(second.src.device))
    return log_probs(logits[0], ids).tolist()
