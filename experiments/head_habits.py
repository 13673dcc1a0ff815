"""What every head of the shipped translator does as a habit, and what its layers are worth: 200 sentences of `valid`.

    python -m experiments.head_habits    # writes notebooks/data/head_habits.json; TRANSFORMER_DATA holds tatoeba_en_de

The model translates each sentence greedily. Of every head: the means of its facts with their 95 % intervals over the
sentences, and the role that the means give. Of every layer: the mean of its heads' entropy (and alignment), and what
the translation loses, in nats, when all its heads are off.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

import transformer_core as tc
from experiments import bench
from experiments.beam_alpha import drawn, valid_pairs
from studies import attention
from studies.reading import KINDS, Reading, read
from studies.statistics import interval, mean

N_SENTENCES = 200
STORED = ("entropy", "spread", "previous", "next", "alignment", "shifted", "sink")


def with_interval(values: Sequence[float]) -> list[float]:
    """Mean, and both ends of its 95 % interval."""
    return [mean(values), *(interval(values) or ())]


def layers(facts: dict[attention.HeadAt, list[dict]], effects: Sequence[dict]) -> list[dict[str, Any]]:
    """A row for each kind and layer: entropy, alignment where there is one, the effect of all its heads off."""
    rows = []
    for kind, layer in effects[0]:
        row: dict[str, Any] = dict(kind=kind, layer=layer)
        for fact in ("entropy", "alignment") if kind == "cross" else ("entropy",):
            row[fact] = with_interval(attention.layer_habit(facts, kind, layer, fact))
        rows.append(row | dict(effect=with_interval([effect[kind, layer] for effect in effects])))
    return rows


def measured(translator: tc.Translator, texts: Sequence[str]) -> dict[str, Any]:
    """All that is stored; alike: the entropy of a head of cross-attention that looks everywhere alike."""
    effects, alike = [], []

    def readings() -> Iterator[Reading]:  # one at a time: a reading holds all that the probes recorded
        for text in texts:
            reading = read(translator, text, 1)
            effects.append(attention.layer_effects(reading))
            alike.append(math.log(reading.src.size(1)))
            yield reading

    facts = attention.facts_by_head(readings())
    words = mean([len(text.split()) for text in texts])
    return dict(alike=mean(alike), words=words, heads=attention.habits(facts, STORED), layers=layers(facts, effects))


def store(name: str, doc: str, measured: Callable[[tc.Translator, Sequence[str]], dict[str, Any]]) -> None:
    """Write the result of this name: what is measured of the shipped translator on sentences drawn from `valid`."""
    options = bench.asked(name, doc, N_SENTENCES, "sentences", least=2)
    torch.set_num_threads(1)
    texts, began = [source for source, _ in drawn(valid_pairs(), options.n)], time.process_time()
    translator = tc.load_pretrained("tatoeba-en-de")
    result = bench.rounded(measured(translator, texts))
    command = bench.spelled(f"experiments.{name}", dict(n=options.n), lambda _: N_SENTENCES)
    about = dict(checkpoint=translator.name, sentences=options.n, kinds=KINDS, seconds=time.process_time() - began)
    bench.write(options.out, bench.head(name, command, **bench.rounded(about)) | result)


def main() -> None:
    store("head_habits", __doc__, measured)


if __name__ == "__main__":
    main()
