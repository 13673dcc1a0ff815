"""What a reader changes, and what the model then says: words of the source in place, heads taken out.

Changes are plain data, as a view holds them. A word's is ["replace", place, "another"], ["delete", place],
["mask", place] or ["swap", place, other], its places those of the words in the sentence that was typed.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.attention import changed_words, heads_off
from studies.reading import Reading, log_probs, translated

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


# ─── What the model then says ────────────────────────────────────────────────────────────────────────────────────────


def retold(first: Reading, now: Reading, off: Sequence[Sequence] = (), hidden: Sequence[int] = ()) -> dict[str, Any]:
    """What the model says of a sentence whose words were changed, without some heads, beside the first reading.

    first: the sentence as it was, all heads on; now: the sentence as it is, read while its `hidden` pieces were
    `unread`; both are the same where no word was changed. Returns what `without_heads` returns.
    """
    translator = first.translator
    with tc.evaluating(translator.model), unread(translator.model, hidden), heads_off(translator.model, off):
        ids = translated(translator, now.src) if off else now.ids
        delta = log_probs(translator.model(now.src, first.tgt_in)[0], first.ids) - first.log_prob
    after = translator.tgt_tokenizer.decode(ids)
    before_words, after_words = changed_words(first.translation, after)
    return {
        "before": before_words, "words": after_words, "translation": after, "changed": after != first.translation,
        "tokens": first.predicted_pieces, "log_prob": first.log_prob.tolist(),
        "delta": delta.tolist(), "total": delta.sum().item(),
    }  # fmt: skip
