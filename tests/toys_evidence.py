"""A little translator that has learned nothing, for studies of readings: sides, heads and widths all differ."""

import warnings

import torch

import transformer_core as tc
from studies.reading import Reading, teacher_forced

SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street", "ein Hund und"]


def translator(norm: str = "post", **changes: object) -> tc.Translator:
    with warnings.catch_warnings(), tc.seeded(torch.device("cpu"), 3):
        warnings.simplefilter("ignore")  # so small a text gives fewer pieces
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 300)
        shape = dict(n_layers=3, d_model=24, d_ff=16, n_heads=2, d_k=8, d_v=5, p_drop=0.5) | changes
        model = tc.Transformer(tc.TransformerConfig(len(tokenizer), norm=norm, **shape))
        for parameter in model.parameters():  # norms and biases too: what is 0 or 1 hides mistakes
            parameter.data += 0.1 * torch.randn_like(parameter)
    return tc.Translator(model, tokenizer, "little")


def reading(translator: tc.Translator, english: str = "a cat sees", german: str = "ein Hund") -> Reading:
    """S and T differ: the translation is given."""
    return teacher_forced(translator, english, [*translator.tokenizer.encode(german), tc.EOS])


def batches(translator: tc.Translator) -> list[tc.Batch]:
    """Two batches, of three sentence pairs and of two, with padding in each."""
    texts = [("a cat", "Hund"), ("a dog , a cat", "ein"), ("the cat", "die Katze sieht"), ("the street", "ein Hund"),
             ("a", "Katze")]  # fmt: skip
    pairs = tc.encode_pairs(texts, translator.tokenizer, translator.tgt_tokenizer)
    return [tc.Batch.of(pairs[:3]), tc.Batch.of(pairs[3:])]
