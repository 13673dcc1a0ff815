"""The logit lens: what the decoder would say if it ended after each of its layers (nostalgebraist, 2020).

The residual after a layer goes through the softmax at once, by the last norm where the model is pre-LN. A post-LN layer
ends in a normalisation of its own, so its early layers need not speak the language that the softmax reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.reading import Reading
from studies.statistics import interval, mean


def logits_by_layer(reading: Reading) -> Tensor:
    """The logits that the residual after each layer of the decoder gives: (L, T, V); the last are the reading's own."""
    model = reading.translator.model
    layers = [reading.trace[f"decoder.{layer}.residual"][0] for layer in range(model.config.n_layers)]
    with tc.evaluating(model):
        return model.softmax(model.decoder_norm(torch.stack(layers)))


def lens(reading: Reading) -> dict[str, Tensor]:
    """By layer and row of the decoder, of the token that is said there: its probability and rank (0: the likeliest).

    Returns probability, rank, and top, the id that the layer holds the likeliest: each (L, T).
    """
    logits = logits_by_layer(reading).float()
    tokens = torch.tensor(reading.ids, device=logits.device)[:, None].expand(len(logits), -1, 1)  # (L, T, 1)
    score = logits.gather(-1, tokens)  # (L, T, 1)
    return {
        "probability": logits.softmax(-1).gather(-1, tokens)[..., 0],
        "rank": (logits > score).sum(-1),
        "top": logits.argmax(-1),
    }


def decided(rank: Tensor) -> list[int | None]:
    """The first layer, from 0, from which the token stays the likeliest to the end: (L, T) -> T; None if never.

    >>> decided(torch.tensor([[0, 3], [4, 0], [0, 0]]))
    [2, 1]
    """
    columns = (rank == 0).T.tolist()  # T rows of L
    return [
        None if not column[-1] else max((at + 1 for at, is_top in enumerate(column) if not is_top), default=0)
        for column in columns
    ]


def by_layer(readings: Sequence[Reading]) -> list[dict[str, Any]]:
    """Over many readings, for each layer: how often the said token is the likeliest there, how often the one just read.

    Also the said token's mean probability and median rank (over all tokens), and how often it is decided there. All but
    the rank are means of sentences, with Student's interval.
    """
    shares: dict[str, list[list[float]]] = {"top": [], "read": [], "probability": [], "decided": []}
    ranks: list[list[int]] = []
    for reading in readings:
        facts = lens(reading)
        layers = torch.tensor([-1 if at is None else at for at in decided(facts["rank"])])
        shares["top"].append((facts["rank"] == 0).double().mean(-1).tolist())
        shares["read"].append((facts["top"] == reading.tgt_in).double().mean(-1).tolist())
        shares["probability"].append(facts["probability"].double().mean(-1).tolist())
        shares["decided"].append([(layers == n).double().mean().item() for n in range(len(facts["rank"]))])
        ranks.append(facts["rank"].T.tolist())  # T rows of L
    places = torch.tensor([row for rows in ranks for row in rows])  # (tokens, L)
    return [
        {"layer": layer, "median rank": places[:, layer].median().item()}
        | {name: spread_of([sentence[layer] for sentence in rows]) for name, rows in shares.items()}
        for layer in range(places.size(1))
    ]


def spread_of(values: Sequence[float]) -> list[float]:
    return [mean(values), *(interval(values) or ())]
