"""The small context-aware model that notebook 11 opens with: trained on the grammar alone, shipped as a checkpoint.

    python -m benchmarks.grammar_context [--steps 1000] [--out checkpoints/grammar-context]

It is small so that every number of a head fits on the screen: 3 + 3 layers, 4 heads, d_model 64, with deep-global and
deep context in the encoder.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from pathlib import Path

import torch

import transformer_core as tc
from benchmarks.variations import write_grammar
from core_options import ways
from core_options.context_aware import ContextConfig, ContextTransformer

OUT = Path(__file__).parent.parent / "checkpoints" / "grammar-context"
SHAPE = dict(n_layers=3, d_model=64, d_ff=128, n_heads=4, d_k=16, d_v=16, p_drop=0.0)
CONTEXT = dict(context="deep-global+deep", context_in="encoder")
VOCABULARY, TOKENS, PEAK, TRANSLATED = 2000, 1000, 2e-3, 300


def train(model: tc.Transformer, pairs: list[tc.Pair], steps: int) -> None:
    """Train on pairs of ids, and say how far it is."""
    config = tc.TrainingConfig(
        steps=steps, warmup_steps=steps // 6, cooldown_steps=steps // 2, peak_learning_rate=PEAK, precision="fp32",
        device="cpu",
    )  # fmt: skip
    for step in ways.train(model, tc.make_batches(pairs, TOKENS, seed=0), config):
        if step.step % 50 == 0:
            tc.say(f"step {step.step} of {steps}, nll {step.nll:.3f}, {step.seconds:.0f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000, help="updates")
    parser.add_argument("--out", type=Path, default=OUT, help="the checkpoint's folder")
    options = parser.parse_args()
    torch.set_num_threads(1)
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        data = write_grammar(Path(folder))
        texts, valid = (tc.read_parallel(data, split, "en", "de") for split in ("train", "valid"))
    tokenizer = tc.Tokenizer.train((text for side in texts for text in side), VOCABULARY)
    ids, unseen = ([tuple(map(tokenizer.encode, pair)) for pair in zip(*some, strict=True)] for some in (texts, valid))
    torch.manual_seed(0)
    model = ContextTransformer(ContextConfig(len(tokenizer), **SHAPE, **CONTEXT))
    train(model, ids, options.steps)
    half = {name: weight.half() for name, weight in tc.weights_of(model).items()}
    tc.save_checkpoint(options.out, model.config, half, tokenizer)
    translator = tc.load_pretrained(str(options.out))
    nll = tc.validation_nll(translator.model, tc.make_batches(unseen, 1 << 13))
    said = translator.translate(valid[0][:TRANSLATED])
    print(f"{tc.count_parameters(model):,} parameters, {time.process_time() - began:.0f} processor seconds")
    bleu, right = tc.corpus_bleu(said, valid[1][:TRANSLATED])[0], sum(map(str.__eq__, said, valid[1]))
    print(f"unseen sentences: perplexity {math.exp(nll):.3f}; {bleu}")
    print(f"{right} of {TRANSLATED} translations equal the reference")


if __name__ == "__main__":
    main()
