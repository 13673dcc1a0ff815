"""An untrained parser, a parse of our own, a stored run."""

import torch

import transformer_core as tc
from corpora import grammar, treebank
from studies import parsing


def untrained_parser() -> tc.Translator:
    """An untrained model with a vocabulary for words and one for trees."""
    pairs = grammar.sample(60, seed=5)
    trees = [treebank.parse(pair.tree) for pair in pairs]
    source = tc.Tokenizer.train([" ".join(tree.words) for tree in trees], 380)
    target = tc.Tokenizer.train([treebank.linearise(tree) for tree in trees], 300)
    sizes = dict(n_layers=2, d_model=16, d_ff=20, n_heads=3, d_k=6, d_v=10, p_drop=0.0)
    config = tc.TransformerConfig(len(source), tgt_vocab_size=len(target), **sizes)
    with tc.seeded(torch.device("cpu"), 0):
        return tc.Translator(tc.Transformer(config), source, "untrained", target)


def parse_of(line: str, attention: torch.Tensor, words: list[str]) -> parsing.Parse:
    return parsing.Parse(" ".join(words), words, line.split(), attention, -0.5, 1)


SCORE = dict(treebank="ptb", split="valid", sentences=200, beam_size=21, malformed=3)

RUN = dict(
    n_parameters=1_234_567, pairs=3000, steps=50,
    scores=[SCORE | dict(repaired=dict(f1=71.234), strict=dict(f1=70.5))],
    curve=[
        dict(step=25, f1=20.0, strict=10.0, nll=1.5, valid_nll=1.75),
        dict(step=50, f1=71, strict=70, nll=1, valid_nll=1.5),
    ],
)  # fmt: skip
