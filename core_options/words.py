"""A vocabulary of whole words, each one piece: for a target that has few, such as trees (section 6.3).

Its file is a SentencePiece model like any other, which the core's Tokenizer reads and decodes as well. To encode, the
core's takes neighbouring words that are not in it for one; `load` gives what takes each for itself.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from pathlib import Path

import sentencepiece

import transformer_core as tc


class Words(tc.Tokenizer):
    """A vocabulary whose every word is one piece, known or not."""

    def encode(self, text: str) -> list[int]:
        """Text to ids, without bos and eos."""
        return [self.processor.piece_to_id(f"▁{word}") for word in text.split()]


def train(texts: Iterable[str], vocab_size: int) -> tc.Tokenizer:
    """The words of the texts, if none holds < or ▁ and with 4 special pieces they fit vocab_size; else sub-words."""
    texts = [tc.clean(text) for text in texts]
    words = {word for text in texts for word in text.split()}
    if not words or len(words) + 4 > vocab_size or re.search("[<▁]", "".join(words)):
        return tc.Tokenizer.train(texts, vocab_size)
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text for text in texts if text]), model_writer=model, vocab_size=vocab_size,
        model_type="word", character_coverage=1.0, hard_vocab_limit=False,
        normalization_rule_name="identity", remove_extra_whitespaces=False, max_sentence_length=1 << 20,
        minloglevel=2, pad_id=tc.PAD, bos_id=tc.BOS, eos_id=tc.EOS, unk_id=tc.UNK,
    )  # fmt: skip
    return Words(model.getvalue())


def load(path: str | Path) -> tc.Tokenizer:
    """The tokenizer of either kind in a file; sub-words have a piece for each byte, words have not."""
    tokenizer = tc.Tokenizer.load(path)
    has_bytes = tokenizer.processor.piece_to_id("<0x00>") != tc.UNK
    return tokenizer if has_bytes else Words(tokenizer.model)
