"""What the beam's width and the length penalty's α do to BLEU: the shipped translator on pairs of Tatoeba's `valid`.

    python -m experiments.beam_alpha       # writes notebooks/data/beam_alpha.json; TRANSFORMER_DATA holds tatoeba_en_de

Of every width and α: BLEU, the ratio of lengths and the brevity penalty it brings, and the difference in BLEU from
greedy search and from the paper's search (width 4, α 0.6), with the middle 95 % of the differences on test sets drawn
from these pairs. With a width of 1 nothing is ranked, so α does nothing, and there is one row.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import serving
from experiments import bench
from studies import bleu
from studies.statistics import central, mean

WIDTHS, ALPHAS = (1, 2, 4, 8), (0.0, 0.6, 1.0)
N_PAIRS, RESAMPLES = 300, 1000
REFERENCES = {"greedy": (1, 0.0), "paper": (4, 0.6)}  # what every search is compared with


def searches(widths: Sequence[int] = WIDTHS, alphas: Sequence[float] = ALPHAS) -> list[tuple[int, float]]:
    """Width and α of every search; a width of 1 has no α to choose."""
    return [(width, alpha) for width in widths for alpha in (alphas if width > 1 else (0.0,))]


def valid_pairs() -> list[tuple[str, str]]:
    """Tatoeba's `valid`; where it is not, the command ends with one sentence."""
    folder = Path(os.environ.get("TRANSFORMER_DATA", ""), "tatoeba_en_de")
    if not folder.is_dir():
        raise SystemExit("TRANSFORMER_DATA must name a folder that holds tatoeba_en_de.")
    return [*zip(*tc.read_parallel(folder, "valid", "en", "de"), strict=True)]


def drawn(pairs: Sequence[tuple[str, str]], n: int, seed: int = 0) -> list[tuple[str, str]]:
    """So many of the pairs, drawn without repetition, always the same."""
    if not 0 < n <= len(pairs):
        raise ValueError(f"{n} pairs were asked for; there are {len(pairs)}.")
    return random.Random(seed).sample(list(pairs), n)


def measured(translator: tc.Translator, pairs: Sequence[tuple[str, str]], n: int = RESAMPLES) -> list[dict[str, Any]]:
    """A row for each search; n: test sets drawn to say how sure a difference is."""
    sources, references = ([*side] for side in zip(*pairs, strict=True))
    lines, seconds = {}, {}
    for search in searches():
        began = time.process_time()
        lines[search] = translator.translate(sources, *search)
        seconds[search] = time.process_time() - began
    counts = {search: bleu.sentence_counts(outputs, references) for search, outputs in lines.items()}
    rows = []
    for search in lines:
        total = bleu.summed(counts[search])
        row: dict[str, Any] = dict(width=search[0], alpha=search[1], bleu=total.score, brevity_penalty=total.bp)
        row |= dict(length_ratio=total.sys_len / total.ref_len, seconds=seconds[search])
        for name, reference in REFERENCES.items():
            row[f"other than {name}"] = sum(map(str.__ne__, lines[search], lines[reference]))
            if search != reference:
                differences = bleu.resampled_differences(counts[search], counts[reference], n)
                row[f"minus {name}"] = [total.score - bleu.summed(counts[reference]).score, *central(differences)]
        rows.append(row)
    return rows


def main() -> None:
    options = bench.asked("beam_alpha", __doc__, N_PAIRS, "pairs")
    torch.set_num_threads(1)
    pairs = drawn(valid_pairs(), options.n)
    translator = serving.load_pretrained("tatoeba-en-de")
    command = bench.spelled("experiments.beam_alpha", dict(n=options.n), lambda _: N_PAIRS)
    references = [reference for _, reference in pairs]
    signature = str(tc.corpus_bleu(references, references)[1].get_signature())
    head = bench.head("beam_alpha", command, checkpoint=translator.name, pairs=options.n, signature=signature)
    rows = bench.rounded(measured(translator, pairs))
    bench.write(options.out, head | dict(tokens=mean_tokens(pairs), searches=rows))


def mean_tokens(pairs: Sequence[tuple[str, str]]) -> float:
    """Tokens of a reference, on average, as BLEU counts them."""
    return round(mean([len(bleu.tokens(reference)) for _, reference in pairs]), 2)


if __name__ == "__main__":
    main()
