"""How much of every head's scores a plane holds: 200 sentences of `valid`, the shipped translator.

    python -m experiments.geometry    # writes notebooks/data/geometry.json; TRANSFORMER_DATA holds tatoeba_en_de

The model translates each sentence greedily. Of each head the facts of studies/geometry.py, means with 95 % intervals
over the sentences. Beside them what knows nothing: the same model untrained, reading the same, and queries and keys of
the same shapes drawn from a normal distribution; of each kind of attention the mean over its heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from experiments.head_habits import store, with_interval
from studies import geometry
from studies.reading import KINDS, read, teacher_forced
from studies.statistics import mean

Facts = dict[str, dict[str, Tensor]]  # by kind and fact, each (L, H)


def heads(sentences: Sequence[Facts]) -> list[dict[str, Any]]:
    """A row for each head."""
    rows = []
    for kind in KINDS:
        facts = {fact: torch.stack([sentence[kind][fact] for sentence in sentences]) for fact in geometry.FACTS}
        n_layers, n_heads = facts["share"].shape[1:]
        for layer in range(n_layers):
            for head in range(n_heads):
                numbers = {fact: with_interval(values[:, layer, head].tolist()) for fact, values in facts.items()}
                rows.append(dict(kind=kind, layer=layer, head=head) | numbers)
    return rows


def measured(translator: tc.Translator, texts: Sequence[str]) -> dict[str, Any]:
    """All that is stored."""
    nothing, draw = geometry.untrained(translator), torch.Generator().manual_seed(0)
    whose: dict[str, list[Facts]] = {"trained": [], "untrained": [], "random": []}
    keys = []
    for text in texts:
        reading = read(translator, text, 1)
        whose["trained"].append(geometry.by_head(reading))
        whose["untrained"].append(geometry.by_head(teacher_forced(nothing, text, reading.ids)))
        whose["random"].append(geometry.of_random(reading, draw))
        keys.append(reading.src.size(1))
    kinds = [
        dict(kind=kind, whose=name) | {fact: with_interval(values) for fact, values in facts.items()}
        for name, sentences in whose.items()
        for kind, facts in geometry.means_by_kind(sentences).items()
    ]
    return dict(tokens=mean(keys), facts=geometry.FACTS, kinds=kinds, heads=heads(whose["trained"]))


def main() -> None:
    store("geometry", __doc__, measured)


if __name__ == "__main__":
    main()
