"""Steps of each score, and little recurrent translators that end."""

import pytest
import torch

import baselines
import transformer_core as tc
from studies import recurrence

TEXTS = ["the old cat saw a dog", "a dog saw the old cat", "the cat", "a small dog saw it"]


def vectors(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def additive(queries=("ja", "nein"), keys=("a", "b", "c"), width: int = 4) -> recurrence.Steps:
    """Two steps, three source words, four numbers."""
    T, S = len(queries), len(keys)
    w, u, v = vectors(T, width), vectors(S, width, seed=1), vectors(width, seed=2)
    return recurrence.Steps("additive", keys, queries, vectors(S, width, seed=3), vectors(T, width, seed=4), w, u, v)


def dot(queries=("ja", "nein"), keys=("a", "b", "c"), width: int = 4) -> recurrence.Steps:
    states, before = vectors(len(keys), width), vectors(len(queries), width, seed=1)
    return recurrence.Steps("dot", keys, queries, states, before, text="ja nein")


def fixed() -> recurrence.Steps:
    return recurrence.Steps("fixed", "abc", ["ja", "nein"], vectors(3, 4), vectors(2, 4), c=vectors(4))


def toy_tokenizer() -> tc.Tokenizer:
    with pytest.warns(UserWarning, match="fewer"):
        return tc.Tokenizer.train(TEXTS, 400)


def translator(tokenizer: tc.Tokenizer, cell: str = "GRU", score: str | None = "additive") -> tc.Translator:
    torch.manual_seed(1)
    config = baselines.RecurrentConfig(len(tokenizer), 12, cell, score)
    model = baselines.RecurrentEncoderDecoder(config)
    decode = model.decode

    def ends(tgt_in, memory, src_mask, cache=(), past=None):  # an untrained model would go on for long
        logits = decode(tgt_in, memory, src_mask, cache, past)
        logits[..., tc.EOS] += 3.0 * (cache[0][0].n > 5 if cache else 0)
        return logits

    model.decode = ends
    return tc.Translator(model, tokenizer)  # type: ignore[arg-type]
