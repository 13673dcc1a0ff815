"""Which heads of the shipped translator choose between *er*, *sie* and *es*: 150 pairs of twin sentences.

    python -m experiments.pronoun_heads    # writes notebooks/data/pronoun_heads.json

The sentences are held out of training (corpora.pronouns, split "test"). Of every head: how often the pronoun is right
with the head's output set to zeros and to its mean, what its row gives to the nouns and to the word that decides, and
how often the pronoun goes over to the other noun when the head is exchanged with the twin sentence's; the same for
whole layers, for the strongest heads together, and for the places of the encoder's output.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import Any

import transformer_core as tc
from corpora.pronouns import examples
from experiments import bench
from studies import pronoun_heads as study

N_PAIRS, TOGETHER = 150, 8


def measured(translator: tc.Translator, n: int) -> dict[str, Any]:
    """All that is stored."""
    twins = study.twins_of(translator.tokenizer, islice(examples(11, "test"), 40 * n), n)
    of_model = study.studied(translator.model, twins)
    heads = list(study.every_head(of_model))
    strongest = sorted(heads, key=lambda head: -head["follows"])[:TOGETHER]
    follows = study.together(of_model, [(head["kind"], head["layer"], head["head"]) for head in strongest])
    alone = [{**{key: head[key] for key in ("kind", "layer", "head")}, "alone": head["follows"]} for head in strongest]
    return dict(
        right=study.share(of_model.clear > 0),
        sure=study.share(of_model.sure),
        places=study.places(of_model),
        layers=study.layers(of_model),
        together=[head | {"follows": share} for head, share in zip(alone, follows, strict=True)],
        heads=heads,
    )


def main() -> None:
    options = bench.asked("pronoun_heads", __doc__, N_PAIRS, "pairs of twins")
    translator, began = tc.load_pretrained("tatoeba-en-de"), time.process_time()
    result = bench.rounded(measured(translator, options.n))
    command = bench.spelled("experiments.pronoun_heads", dict(n=options.n), lambda _: N_PAIRS)
    about = dict(checkpoint=translator.name, pairs=options.n, seconds=time.process_time() - began)
    bench.write(options.out, bench.head("pronoun_heads", command, **bench.rounded(about)) | result)


if __name__ == "__main__":
    main()
