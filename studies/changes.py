"""What a reader changes, and what the model then says: words of the source in place, heads taken out, rows held.

Changes are plain data, as a view holds them. A word's is ["replace", place, "another"], ["delete", place],
["mask", place] or ["swap", place, other], its places those of the words in the sentence that was typed. A row's is
[kind, layer, head, query, weights]: what this query's weights are held at, head −1 for every head of the layer.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.attention import changed_words, heads_off
from studies.reading import KINDS, Reading, log_probs, probe_of, translated

# ─── Words in place ──────────────────────────────────────────────────────────────────────────────────────────────────

OPENS, CLOSES = "([{\"'“„«¿¡", ")]}\"'”“»,.;:!?…"  # marks that stand before and after a word, each a word of its own
ACTS = {"replace": 3, "delete": 2, "mask": 2, "swap": 3}  # and how long each is


def words_in(text: str) -> list[tuple[str, bool]]:
    """The words of a sentence, marks by themselves, each with whether a space stands before it.

    >>> words_in("He said: yes.")
    [('He', False), ('said', True), (':', False), ('yes', True), ('.', False)]
    """
    words = []
    for part in tc.clean(text).split(" "):
        opens = re.match(f"[{re.escape(OPENS)}]*", part)[0]  # type: ignore[index]
        rest = part[len(opens) :]
        word = rest.rstrip(CLOSES)
        words += [(piece, n == 0) for n, piece in enumerate(filter(None, [opens, word, rest[len(word) :]]))]
    return [(word, apart and place > 0) for place, (word, apart) in enumerate(words)]


def in_place(words: Sequence[tuple[str, bool]], changes: Iterable[Sequence]) -> list[dict[str, Any]]:
    """The words of a sentence as they stand after some changes.

    Returns a dict for each: its word, what it was, its place before, whether it is deleted or masked, and whether a
    space stands before it.
    """
    order = list(range(len(words)))
    now = [
        {"word": word, "was": word, "place": place, "deleted": False, "masked": False}
        for place, (word, _) in enumerate(words)
    ]
    for change in changes:
        act, place, *more = checked_change(change, len(words))
        if act == "replace":
            now[place]["word"] = tc.clean(more[0])
        elif act == "swap":
            here, there = order.index(place), order.index(more[0])
            order[here], order[there] = order[there], order[here]
        else:
            now[place][{"delete": "deleted", "mask": "masked"}[act]] = True
    if all(word["deleted"] for word in now):
        raise ValueError("Every word is deleted; leave one for the model to read.")
    return [now[place] | {"apart": apart} for place, (_, apart) in zip(order, words, strict=True)]


def checked_change(change: Sequence, n: int) -> list:
    """A change of one of n words, or a ValueError that says what is wrong with it."""
    act, *values = change if isinstance(change, (list, tuple)) and change else [None]
    places = values[:1] if act == "replace" else values
    if ACTS.get(act if isinstance(act, str) else "") != len(change):
        forms = '["replace", place, "word"], ["delete", place], ["mask", place] or ["swap", place, other]'
        raise ValueError(f"A change of a word is {forms}, not {change!r}.")
    if not all(isinstance(place, int) and 0 <= place < n for place in places):
        raise ValueError(f"There is no word {places} to {act}; the places here are 0 to {n - 1}.")
    if act == "replace" and not (isinstance(values[1], str) and tc.clean(values[1])):
        raise ValueError(f"Word {values[0]} is replaced by {values[1]!r}; give a word, or delete it.")
    return [act, *values]


def as_typed(words: Sequence[dict[str, Any]]) -> list[tuple[str, bool]]:
    """The words of the sentence that was typed, from those that stand there now."""
    typed = sorted(words, key=lambda word: word["place"])
    return [(word["was"], place["apart"]) for word, place in zip(typed, words, strict=True)]


def sentence_of(words: Iterable[dict[str, Any]]) -> str:
    """The sentence that words make as they stand, without those deleted."""
    return tc.clean("".join(" " * word["apart"] + word["word"] for word in words if not word["deleted"]))


def masked_pieces(tokenizer: tc.Tokenizer, words: Sequence[dict[str, Any]]) -> list[int]:
    """The places of the pieces that hold something of a masked word, in the sentence that the words make."""
    text, spans, end = sentence_of(words), [], 0
    for word in words:
        if not word["deleted"]:
            start = text.index(word["word"], end)
            end = start + len(word["word"])
            spans += [[len(text[:at].encode()) + 1 for at in (start, end)]] * word["masked"]
    places, at = [], 0
    for place, piece in enumerate(tokenizer.pieces(tokenizer.encode(text))):
        size = 1 if re.fullmatch("<0x[0-9A-F]{2}>", piece) else len(piece.replace("▁", " ").encode())
        places += [place] * any(at < last and at + size > first for first, last in spans)
        at += size  # in bytes, after the space that the tokenizer puts before a sentence
    return places


@contextlib.contextmanager
def unread(model: tc.Transformer, places: Sequence[int]) -> Iterator[None]:
    """Let nobody read these source positions, neither encoder nor decoder, as if they were padding."""

    def hidden(scores: Tensor) -> Tensor:  # (B, H, T, S)
        return scores.index_fill(-1, torch.tensor(places, device=scores.device), -math.inf)

    with contextlib.ExitStack() as stack:
        for name in ("encoder.*.self_attention.scores", "decoder.*.cross_attention.scores") if places else ():
            stack.enter_context(tc.intervene(model, name, hidden))
        yield


# ─── Rows of weights held ────────────────────────────────────────────────────────────────────────────────────────────


def checked_row(row: Sequence) -> list:
    """A row of weights to be held, or a ValueError that says what is wrong with it."""
    if not (isinstance(row, (list, tuple)) and len(row) == 5 and row[0] in KINDS and isinstance(row[4], (list, tuple))):
        raise ValueError(f"A row to hold is [kind, layer, head or −1 for all, query, weights], not {row!r}.")
    kind, layer, head, query, weights = row
    if not all(isinstance(place, int) for place in (layer, head, query)) or min(layer, head + 1, query) < 0:
        raise ValueError(f"Layer, head and query are whole numbers from 0 (head −1: all), not {row[1:4]}.")
    if not weights or not all(isinstance(weight, (int, float)) and 0 <= weight <= 1 for weight in weights):
        raise ValueError(f"The weights of a row are numbers from 0 to 1, one for each key, not {list(weights)}.")
    if kind == "decoder" and len(weights) != query + 1:
        raise ValueError(f"Query {query} of the decoder reads {query + 1} keys, itself the last, not {len(weights)}.")
    return [*row[:4], list(weights)]


def fits(row: Sequence, n_source: int) -> bool:
    """Whether a row has as many weights as a sentence of so many source tokens has keys, and a query of its own."""
    kind, _, _, query, weights = row
    return kind == "decoder" or (len(weights) == n_source and (kind == "cross" or query < n_source))


Edit = Callable[[Tensor], Tensor]


def held_in_a_reading(head: int, query: int, row: Sequence[float]) -> Edit:
    """An edit for the `weights` probe where all queries pass at once."""

    def hold(weights: Tensor) -> Tensor:  # (B, H, T, S)
        if query >= weights.size(2):
            return weights
        weights, heads = weights.clone(), slice(None) if head < 0 else head
        weights[:, heads, query, : len(row)] = weights.new_tensor(row)
        return weights

    return hold


def held_in_a_search(head: int, query: int, row: Sequence[float]) -> Edit:
    """The same where the decoder takes one step after the other, its W hypotheses side by side.

    Their n·W keys lie step by step: of the W of a step, a hypothesis looks back on the one that is not masked.
    """
    passes = itertools.count()

    def hold(weights: Tensor) -> Tensor:  # (1, H, W, S) or (1, H, W, n·W)
        if next(passes) != query:
            return weights
        weights, heads = weights.clone(), slice(None) if head < 0 else head
        keys = weights[:, heads].unflatten(-1, (len(row), -1))  # (…, W, n, W), of cross-attention (…, W, S, 1)
        own = torch.nn.functional.one_hot(keys.argmax(-1), keys.size(-1))
        weights[:, heads] = (own * weights.new_tensor(row)[:, None]).flatten(-2)
        return weights

    return hold


@contextlib.contextmanager
def rows_held(model: tc.Transformer, rows: Iterable[Sequence], searching: bool = False) -> Iterator[None]:
    """Hold rows of attention weights, [kind, layer, head, query, weights], in a model.

    searching: for one beam search; the row of a target position is that of its step.
    """
    with contextlib.ExitStack() as stack:
        for kind, layer, head, query, weights in rows:
            make = held_in_a_search if searching and kind != "encoder" else held_in_a_reading
            stack.enter_context(tc.intervene(model, probe_of(kind, layer) + ".weights", make(head, query, weights)))
        yield


# ─── What the model then says ────────────────────────────────────────────────────────────────────────────────────────


def retold(
    first: Reading,
    now: Reading,
    off: Sequence[Sequence] = (),
    hidden: Sequence[int] = (),
    held: Sequence[Sequence] = (),
) -> dict[str, Any]:
    """What the model says of a sentence whose words were changed, without some heads, some rows of weights held.

    first: the sentence as it was, all heads on; now: the sentence as it is, read while its `hidden` pieces were
    `unread`; both are the same where no word was changed. Returns what `without_heads` returns, and the numbers of the
    rows that are idle: those made for other tokens, and those of a step that the translation does not reach.
    """
    translator, rows = first.translator, [row for row in held if fits(row, now.src.size(1))]
    model = translator.model
    with tc.evaluating(model), unread(model, hidden), heads_off(model, off):
        with rows_held(model, rows, searching=True):
            ids = translated(translator, now.src) if off or rows else now.ids
        with rows_held(model, rows):
            delta = log_probs(model(now.src, first.tgt_in)[0], first.ids) - first.log_prob
    after = translator.tgt_tokenizer.decode(ids)
    before_words, after_words = changed_words(first.translation, after)
    late = [row for row in rows if row[0] != "encoder" and row[3] >= len(ids)]
    return {
        "before": before_words, "words": after_words, "translation": after, "changed": after != first.translation,
        "tokens": first.predicted_pieces, "log_prob": first.log_prob.tolist(),
        "delta": delta.tolist(), "total": delta.sum().item(),
        "idle": [n for n, row in enumerate(held) if row not in rows or row in late],
    }  # fmt: skip
