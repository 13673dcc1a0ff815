"""One sentence gone through a model, with what its probes recorded: what most studies begin with.

`read` translates a sentence and goes over it and its translation once more, as in training, with probes open;
`teacher_forced` does the second half alone, for a translation that is known. Study a `Reading` of your own by writing a
function of it, or, where more is kept than probes see, a dataclass that inherits from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

import transformer_core as tc

# The three places of attention in the paper's Figure 1, and the probe of a layer.
KINDS = {
    "encoder": "encoder.{layer}.self_attention",
    "decoder": "decoder.{layer}.self_attention",
    "cross": "decoder.{layer}.cross_attention",
}


def probe_of(kind: str, layer: int) -> str:
    """The beginning of the names of a layer's probes, such as "decoder.3.cross_attention"."""
    return KINDS[kind].format(layer=layer)


@dataclass(frozen=True)
class Reading:
    """A sentence, its translation, and everything that the probes recorded in one pass over both.

    src (1, S). ids is the translation without <s>; tgt_in is what the decoder read, so row i of trace and of logits
    reads tgt_in[0, i] and predicts ids[i]. trace: by probe, each with a batch of one.
    """

    translator: tc.Translator
    text: str
    src: Tensor
    ids: list[int]
    trace: dict[str, Tensor]
    logits: Tensor  # (T, V)

    @property
    def tgt_in(self) -> Tensor:
        """The translation shifted right, as the decoder reads it: (1, T)."""
        return shifted_right(self.ids).to(self.src.device)

    @property
    def translation(self) -> str:
        """The translation as text."""
        return self.translator.tgt_tokenizer.decode(self.ids)

    @property
    def source_pieces(self) -> list[str]:
        """What the encoder read, its end included: S pieces."""
        return self.translator.tokenizer.pieces(self.src[0].tolist())

    @property
    def target_pieces(self) -> list[str]:
        """What the decoder read, from <s> on: T pieces."""
        return self.translator.tgt_tokenizer.pieces(self.tgt_in[0].tolist())

    @property
    def predicted_pieces(self) -> list[str]:
        """What each row of the decoder predicts: T pieces."""
        return self.translator.tgt_tokenizer.pieces(self.ids)

    @property
    def log_prob(self) -> Tensor:
        """The log-probability of each token of the translation, in nats: (T,)."""
        return log_probs(self.logits, self.ids)

    @property
    def shows(self) -> str:
        """What a picture of this reading says in its corner: whose numbers these are."""
        return f"trained: {self.translator.name}" if self.translator.name else "a model without a name"

    def stack(self, kind: str) -> Tensor:
        """Recorded attention weights of a kind, all layers: (L, H, T, S)."""
        n_layers = self.translator.model.config.n_layers
        return torch.cat([self.trace[probe_of(kind, layer) + ".weights"] for layer in range(n_layers)]).cpu()

    def tokens(self, kind: str) -> tuple[list[str], list[str]]:
        """The tokens of a kind's queries and keys."""
        queries = self.source_pieces if kind == "encoder" else self.target_pieces
        return queries, self.target_pieces if kind == "decoder" else self.source_pieces

    def allowed(self, kind: str) -> list[list[int]]:
        """The span [first, end) of keys that each query may look at, from the masked scores."""
        open_keys = self.trace[probe_of(kind, 0) + ".scores"][0, 0] > -math.inf  # (T, S)
        return [[row.int().argmax().item(), len(row) - row.flip(0).int().argmax().item()] for row in open_keys]


def read(
    translator: tc.Translator,
    text: str,
    beam_size: int = 4,
    alpha: float = 0.6,
    *,
    max_extra: int = 50,
    most: int | None = None,
    pattern: str = "*",
) -> Reading:
    """Translate a sentence, and record one pass over it and its translation.

    most: how many tokens it may have, its end included (see `source_of`); pattern: which probes record.
    """
    src = source_of(translator, text, most)
    return teacher_forced(translator, text, translated(translator, src, beam_size, alpha, max_extra), pattern)


def teacher_forced(translator: tc.Translator, text: str, ids: Sequence[int], pattern: str = "*") -> Reading:
    """Record one pass over a sentence and a translation of it that is known: ids without <s>, its end included."""
    src, ids = source_of(translator, text), list(ids)
    with tc.evaluating(translator.model), tc.record(translator.model, pattern) as trace:
        logits = translator.model(src, shifted_right(ids).to(src.device))
    return Reading(translator, text, src, ids, dict(trace), logits[0])


def source_of(translator: tc.Translator, text: str, most: int | None = None, least: int = 0) -> Tensor:
    """A sentence as ids with its end, (1, S); refused if it is none, or has more tokens than can be shown.

    least: how many words it must have.
    """
    check_words(text, least)
    src = translator.source([text])
    check_length(src.size(1), most)
    return src


def check_words(text: str, least: int = 1) -> None:
    """Refuse what is no sentence of at least so many words."""
    if not isinstance(text, str):
        raise TypeError(f"text is a {type(text).__name__}; give one sentence, as a string.")
    if len(text.split()) < least:
        needed = "one word" if least == 1 else f"{least} words"
        raise ValueError(f"text is {text!r}; type a sentence of at least {needed}.")


def check_length(n: int, most: int | None) -> None:
    """Refuse a sentence of more tokens than can be shown, and say what to try."""
    if most is not None and n > most:
        raise ValueError(f"This sentence has {n} tokens, more than the {most} shown; try a shorter one.")


MOST_SCRAPS = 2  # pieces a word: no sentence of the grammar needs more, of Tatoeba's about one in a hundred does


def beyond(translator: tc.Translator, text: str) -> str:
    """What to think of the answer where a quarter is in no letters the model knows, or words are in scraps; else ""."""
    tokenizer = getattr(translator, "tokenizer", None)
    pieces = tokenizer.pieces(tokenizer.encode(tc.clean(text))) if tokenizer else []
    strange = sum(piece.startswith("<0x") or piece == "<unk>" for piece in pieces)
    if strange and 4 * strange >= len(pieces):
        return f"{strange} of its pieces are single bytes: the model has not learned to read this"
    lettered = sum(any(map(str.isalpha, piece)) for piece in pieces if not piece.startswith("<0x"))
    words = sum(piece.startswith("▁") for piece in pieces)
    if lettered <= MOST_SCRAPS * words:
        return ""
    if words == 1:
        return f"its word is in {lettered} pieces: the model has hardly met it"
    return f"its {words} words are in {lettered} pieces: the model has hardly met some of them"


def translated(
    translator: tc.Translator, src: Tensor, beam_size: int = 4, alpha: float = 0.6, max_extra: int = 50
) -> list[int]:
    """The best translation of src (1, S), never empty: at the least its end."""
    return tc.beam_search(translator.model, src, beam_size, alpha, max_extra)[0].ids or [tc.EOS]


def shifted_right(ids: Sequence[int], n_padding: int = 0) -> Tensor:
    """What the decoder reads to predict ids: <s>, then all but the last, then padding. (1, T)"""
    return torch.tensor([[tc.BOS, *ids[:-1], *[tc.PAD] * n_padding]])


def log_probs(logits: Tensor, ids: Sequence[int]) -> Tensor:
    """The log-probability of each of ids (T,) under logits (…, T, V): (…, T)."""
    wanted = torch.tensor(ids, device=logits.device).expand(logits.shape[:-1])
    return logits.float().log_softmax(-1).gather(-1, wanted[..., None]).squeeze(-1)
