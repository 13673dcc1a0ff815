"""A little translator with context, untrained, and runs of three rows."""

import pytest
import torch

import transformer_core as tc
from core_options.context_aware import ContextConfig, ContextTransformer

WORDS = ["the", "king", "queen", "fed", "saw", "an", "old", "young", "dog", "cat", "."]


def translator_with(**options) -> tc.Translator:
    """An untrained translator with context, of a few words that are one token each."""
    texts = [" ".join(WORDS), " ".join(reversed(WORDS)), "the king fed the dog .", "the queen saw an old cat ."]
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(texts * 3, 1000)
    shape = dict(n_layers=3, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5) | dict(context="deep-global+deep") | options
    with tc.seeded(torch.device("cpu"), 3):
        return tc.Translator(ContextTransformer(ContextConfig(len(tokenizer), **shape)), tokenizer, "little")


def run(row: str, seed: int, bleu: float, ppl: float, gates: dict | None = None, before: dict | None = None) -> dict:
    scores = dict(bleu=bleu, ppl=ppl, gates=gates or {}, gates_untrained=before or gates or {})
    return dict(row=row, seed=seed, parameters=100 + len(row)) | scores


RESULT = {
    "runs": [
        run("base", 0, 40.0, 2.0), run("base", 1, 42.0, 1.6),
        run("encoder deep", 0, 41.0, 1.8, {"encoder q": [None, 0.2, 0.4], "encoder k": [None, 0.3, 0.5]}),
        run("encoder deep", 1, 45.0, 1.6, {"encoder q": [None, 0.4, 0.6], "encoder k": [None, 0.5, 0.9]}),
        run("key only", 1, 40.0, 1.2, {"encoder k": [0.1, 0.2, 0.3]}, {"encoder k": [0.6, 0.7, 0.8]}),
    ]
}  # fmt: skip
