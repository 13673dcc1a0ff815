"""A text becomes pieces, one merge after the other, pieces belong to words, and become vectors (3.4 and 5.1).

`merges` makes again what SentencePiece does, from the pieces of the core's own model; `word_groups` joins pieces
to words; `embedded` and `tied_gradients` look at the one matrix that is the first and the last layer of a model.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

import transformer_core as tc

FIRST = 4 + 256  # ids below are the four special pieces and the 256 bytes; no merge makes them
WRITTEN = "▁ "  # a "▁" that the reader wrote, which is no space: no piece is like it, so it is spelled in bytes

# ─── Merges ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Merge:
    """One step: the pieces at `at` and `at` + 1 became one, the `rank`-th that training learned; then all `pieces`."""

    left: str
    right: str
    at: int
    rank: int
    pieces: list[str]


@functools.lru_cache(4)
def vocabulary(tokenizer: tc.Tokenizer) -> tuple[str, ...]:
    """The pieces that merges may make, the first learned first: the place in this list is the id less FIRST."""
    processor, n = tokenizer.processor, len(tokenizer)
    scores = [processor.get_score(i) for i in range(FIRST, n)]
    if any(processor.is_byte(i) for i in range(FIRST, n)) or scores != sorted(scores, reverse=True):
        raise ValueError(f"The {n} pieces of this tokenizer are not in the order of their merges; use Tokenizer.train.")
    return tuple(tokenizer.pieces(range(FIRST, n)))


def characters(text: str) -> list[str]:
    """What merging starts from: one piece a character, every space a "▁", and one before the first word.

    >>> characters("a cat")
    ['▁', 'a', '▁', 'c', 'a', 't']
    """
    text = tc.clean(text)
    return [{" ": "▁", "▁": WRITTEN}.get(c, c) for c in " " + text] if text else []


def candidates(pieces: Sequence[str], ranks: dict[str, int]) -> list[tuple[int, int]]:
    """The neighbours that may be merged, as (rank, place), the next one first: the pair that was learned first."""
    pairs = ((ranks.get(left + right), at) for at, (left, right) in enumerate(itertools.pairwise(pieces)))
    return sorted((rank, at) for rank, at in pairs if rank is not None)


def merges(tokenizer: tc.Tokenizer, text: str) -> list[Merge]:
    """Every merge on the way from the characters of a text to its pieces, in the order in which they happen."""
    ranks = {piece: rank for rank, piece in enumerate(vocabulary(tokenizer), start=1)}
    pieces, steps = characters(text), list[Merge]()
    while merges := candidates(pieces, ranks):
        rank, at = merges[0]
        left, right = pieces[at], pieces[at + 1]
        pieces = [*pieces[:at], left + right, *pieces[at + 2 :]]
        steps.append(Merge(left, right, at, rank, pieces))
    return steps


def spelled(pieces: Sequence[str], known: set[str]) -> list[str]:
    """Byte fallback: a character that is no piece becomes the bytes of its UTF-8 form.

    >>> spelled(["▁", "é"], {"▁"})
    ['▁', '<0xC3>', '<0xA9>']
    """
    in_bytes = {
        piece: [f"<0x{byte:02X}>" for byte in piece.removesuffix(" ").encode("utf-8")]
        for piece in pieces
        if piece not in known
    }
    return [part for piece in pieces for part in in_bytes.get(piece, [piece])]


def final_pieces(tokenizer: tc.Tokenizer, text: str) -> list[str]:
    """The pieces of a text by our own merges and byte fallback; Tokenizer.encode finds the same."""
    steps = merges(tokenizer, text)
    return spelled(steps[-1].pieces if steps else characters(text), set(vocabulary(tokenizer)))


# ─── Pieces and words ────────────────────────────────────────────────────────────────────────────────────────────────

ENDS = {"<pad>", "<s>", "</s>", "[PAD]", "[CLS]", "[SEP]", "<bos>", "<eos>"}  # tokens that stand for no word


def word_groups(tokens: Sequence[str]) -> list[int]:
    """Number the words that sub-word tokens make up: "▁" (SentencePiece) or "Ġ" begins a word, "##" continues one.

    Special tokens and punctuation stand alone; without such marks every token is a word.

    >>> word_groups(["▁Stra", "ßen", "bahn", ".", "</s>"])
    [0, 0, 0, 1, 2]
    """
    starts = next((mark for mark in ("▁", "Ġ") if any(token.startswith(mark) for token in tokens)), None)
    groups: list[int] = []
    for place, token in enumerate(tokens):
        byte = token.startswith("<0x")
        alone = token in ENDS or (not byte and not any(c.isalnum() for c in token))
        last = tokens[place - 1] if place else ""
        before = last not in ENDS and (last == starts or any(c.isalnum() for c in last))
        goes_on = not alone and before and (not token.startswith(starts) if starts else token.startswith("##"))
        groups.append(groups[-1] if goes_on else place and groups[-1] + 1)
    return groups


def words_of(pieces: Sequence[str], words: Sequence[str]) -> list[int]:
    """Which word each piece belongs to, by the letters; a piece over two words counts to the first.

    >>> words_of(["▁The", "▁f", "ox", "."], ["The", "fox", "."])
    [0, 1, 1, 2]
    """
    letters = [at for at, word in enumerate(words) for _ in word]
    spelled = [piece.replace("▁", "") for piece in pieces]
    if sum(map(len, spelled)) != len(letters):
        raise ValueError(f"The pieces spell {''.join(spelled)!r}, the words {''.join(words)!r}; give one sentence's.")
    starts = [sum(map(len, spelled[:n])) for n in range(len(pieces))]
    return [letters[min(start, len(letters) - 1)] for start in starts]


# ─── Embeddings ──────────────────────────────────────────────────────────────────────────────────────────────────────


def embedded(model: tc.Transformer, ids: Sequence[int], start: int = 0) -> dict[str, Tensor]:
    """The three vectors of each token of a source: its row of E, √d_model times it, and that with its place added.

    Each is (n, D); "place" is what was added, and "sum" is taken from the model's own `embed`.
    """
    with tc.evaluating(model):
        src = torch.tensor([[*ids]], device=model.src_embedding.weight.device)
        row = model.src_embedding(src[0])
        total = model.embed(src, model.src_embedding, model.src_positions, start)[0]
        place = model.src_positions(len(ids), start)
    return {"row": row, "scaled": row * math.sqrt(model.config.d_model), "place": place, "sum": total}


def untied(model: tc.Transformer) -> tc.Transformer:
    """The same network with three matrices, all equal, where the model has one."""
    if model.tgt_embedding is not model.src_embedding or not model.config.tie_softmax:
        raise ValueError("This model has several embedding matrices already; pass one that shares a single matrix.")
    apart = tc.Transformer(replace(model.config, tgt_vocab_size=model.config.vocab_size, tie_softmax=False))
    apart.load_state_dict(model.state_dict() | {"softmax.weight": model.src_embedding.weight.detach()})
    return apart.to(model.src_embedding.weight.device)


def tied_gradients(model: tc.Transformer, batch: tc.Batch) -> dict[str, Tensor]:
    """What the loss of a batch asks of the one shared matrix, and of each of three that are not shared: all (V, D)."""

    def gradients(network: tc.Transformer, **matrices: Tensor) -> dict[str, Tensor]:
        with contextlib.ExitStack() as leaving:
            leaving.callback(network.train, network.training)
            logits = network.eval()(batch.src, batch.tgt_in)
        loss = tc.label_smoothed_loss(logits, batch.tgt_out, 0.0)
        return dict(zip(matrices, torch.autograd.grad(loss, list(matrices.values())), strict=True))

    apart = untied(model)
    uses = dict(source=apart.src_embedding.weight, target=apart.tgt_embedding.weight, softmax=apart.softmax.weight)
    return gradients(model, shared=model.src_embedding.weight) | gradients(apart, **uses)
