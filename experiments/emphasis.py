"""`train`, in which some words of the target count several times, such as the pronouns that *it* may be.

    python -m experiments.emphasis --weight 6 train --data DIR --out RUN --start-from CHECKPOINT …

Of a sentence with *it* one word in seventeen says which noun is meant, and the loss is a mean over all of them: it
hardly falls when that word is right. So the gradient at the words given (by default er, ihn, sie and es, also with a
capital) is multiplied by the weight; the loss that is shown stays the plain one. Behind the weight stand all options
of `transformer_core.py train`; the vocabulary is that of --start-from. On a CPU alone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from unittest import mock

import torch
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu

Loss = Callable[..., tuple[Tensor, Tensor]]
WORDS = "er", "ihn", "sie", "es"


def weights(tokenizer: tc.Tokenizer, words: Iterable[str], weight: float) -> Tensor:
    """A weight for each piece (V,): that of whole words as asked, with a small letter or a capital; of the rest 1."""
    of_pieces = torch.ones(len(tokenizer))
    for word in words:
        ids = tokenizer.encode(word)
        if len(ids) != 1:
            raise ValueError(f"{word!r} is {len(ids)} pieces of this vocabulary; name words that are one.")
        of_pieces[ids] = weight
        capital = tokenizer.encode(word.capitalize())
        if len(capital) == 1:
            of_pieces[capital] = weight
    return of_pieces


def emphasised(plain: Loss, of_pieces: Tensor) -> Loss:
    """fast_cpu.smoothed with the slope of each target token times its piece's weight."""

    def smoothed(logits: Tensor, tgt_out: Tensor, eps_ls: float, sloped: bool = True) -> tuple[Tensor, Tensor]:
        sums, slope = plain(logits, tgt_out, eps_ls, sloped)
        return sums, slope.mul_(of_pieces[tgt_out, None]) if sloped else slope

    return smoothed


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weight", type=float, default=6.0)
    parser.add_argument("--words", nargs="+", default=WORDS)
    own, rest = parser.parse_known_args(arguments)
    named = argparse.ArgumentParser(add_help=False)
    named.add_argument("--start-from", type=Path, required=True)
    named.add_argument("--device", choices=["cpu"], default="cpu")
    options, _ = named.parse_known_args(rest)
    try:
        tokenizer = tc.Tokenizer.load(tc.find_checkpoint(options.start_from) / "tokenizer.model")
        of_pieces = weights(tokenizer, own.words, own.weight)
    except ValueError as error:
        parser.error(str(error))
    with mock.patch.object(fast_cpu, "smoothed", emphasised(fast_cpu.smoothed, of_pieces)):
        return tc.main([*rest, "--device", "cpu"] if "--device" not in rest else rest)


if __name__ == "__main__":
    sys.exit(main())
