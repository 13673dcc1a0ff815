"""A head's queries and keys as points of one plane, and what of its scores two dimensions can hold.

A score is a dot product, so a picture of queries and keys is true as far as *its* dot products are the scores. Of all
planes the best is that of the two largest singular values (Eckart and Young, 1936). Before, the mean key is subtracted
from all keys: that changes all scores of a row alike, which the softmax does not see.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

import transformer_core as tc
from studies.reading import KINDS, Reading, probe_of


def scores_of(reading: Reading, kind: str) -> Tensor:
    """The scores of all heads of a kind, also those that its mask hides: (L, H, T, S)."""
    layers = range(reading.translator.model.config.n_layers)
    q, k = (torch.cat([reading.trace[f"{probe_of(kind, layer)}.{part}"] for layer in layers]).cpu() for part in "qk")
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))


def open_keys(spans: Sequence[Sequence[int]], n_keys: int) -> Tensor:
    """Which keys each query may look at, (T, S): those of its span [first, end)."""
    ends, places = torch.tensor(spans), torch.arange(n_keys)  # (T, 2), (S,)
    return (places >= ends[:, :1]) & (places < ends[:, 1:])


def open_in(reading: Reading, kind: str) -> Tensor:
    """Which keys each query of a reading may look at: (T, S)."""
    return open_keys(reading.allowed(kind), len(reading.tokens(kind)[1]))


def centred(scores: Tensor) -> Tensor:
    """The scores once the mean key has been subtracted from each key: each row less its mean, (…, T, S)."""
    return scores - scores.mean(-1, keepdim=True)


def weights_of(scores: Tensor, may_look: Tensor) -> Tensor:
    """The softmax of each row over the keys that its query may look at."""
    return scores.masked_fill(~may_look, -math.inf).softmax(-1)


# ─── The plane ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plane:
    """Points whose dot products come as near to some scores as those of any points of a plane can.

    queries (…, T, 2), keys (…, S, 2). share (…): of the scores' squared Frobenius norm, how much the plane holds.
    """

    queries: Tensor
    keys: Tensor
    share: Tensor

    @property
    def scores(self) -> Tensor:
        """The dot products of its points: (…, T, S)."""
        return self.queries @ self.keys.transpose(-2, -1)


def plane_of(scores: Tensor, n: int = 2) -> Plane:
    """The best plane for these scores (…, T, S), or the best space of n dimensions.

    U √Σ and V √Σ of the n largest singular values: queries and keys share each alike. Of both ways to draw an axis, the
    key that lies farthest out is on its positive side.
    """
    u, values, v = torch.linalg.svd(scores.double(), full_matrices=False)
    u, v, largest = u[..., :n], v.transpose(-2, -1)[..., :n], values[..., :n]
    farthest = v.gather(-2, v.abs().argmax(-2, keepdim=True))
    half = largest.sqrt()[..., None, :] * torch.where(farthest < 0, -1.0, 1.0)
    lacking = (0, n - largest.size(-1))  # a single row or column has no second dimension
    queries, keys = (torch.nn.functional.pad(x * half, lacking) for x in (u, v))
    whole = values.square().sum(-1)
    share = torch.where(whole > 0, largest.square().sum(-1) / whole.clamp(min=1e-300), 1.0)
    return Plane(queries, keys, share)


# ─── How much it holds ───────────────────────────────────────────────────────────────────────────────────────────────

FACTS = {
    "share": "of the scores' squared size, mean key subtracted, what two dimensions hold",
    "line": "the same of one dimension",
    "apart": "between the plane's weights and the head's, total variation, 0 to 1, the mean of the rows",
    "first": "of the rows, those in which the plane's first key is the head's",
    "unseen": "of the scores' squared size, what the mean key adds, which the softmax does not see",
}


def facts_of(scores: Tensor, may_look: Tensor) -> dict[str, Tensor]:
    """FACTS of heads with these scores (…, T, S), as tensors (…); apart and first of rows that have a choice."""
    seen = centred(scores.double())
    plane = plane_of(seen)
    choosing = may_look.sum(-1) > 1
    exact, near = (weights_of(x, may_look)[..., choosing, :] for x in (seen, plane.scores))
    squares = scores.double().square().sum((-2, -1))
    return {
        "share": plane.share,
        "line": plane_of(seen, 1).share,
        "apart": ((exact - near).abs().sum(-1) / 2).mean(-1),
        "first": (exact.argmax(-1) == near.argmax(-1)).double().mean(-1),
        "unseen": 1 - seen.square().sum((-2, -1)) / squares,
    }


def by_head(reading: Reading) -> dict[str, dict[str, Tensor]]:
    """FACTS of every head in a reading: by kind, each (L, H)."""
    return {kind: facts_of(scores_of(reading, kind), open_in(reading, kind)) for kind in KINDS}


def of_random(reading: Reading, draw: torch.Generator) -> dict[str, dict[str, Tensor]]:
    """The same of heads whose queries and keys are drawn from a normal distribution, as many, of as many numbers."""
    facts = {}
    for kind in KINDS:
        q, k = (reading.trace[f"{probe_of(kind, 0)}.{part}"] for part in "qk")
        n_layers = reading.translator.model.config.n_layers
        q, k = (torch.randn(n_layers, *x.shape[1:], generator=draw) for x in (q, k))
        facts[kind] = facts_of(q @ k.transpose(-2, -1) / math.sqrt(q.size(-1)), open_in(reading, kind))
    return facts


def untrained(translator: tc.Translator, seed: int = 0) -> tc.Translator:
    """A translator of the same shape and words that has learned nothing."""
    with tc.seeded(torch.device("cpu"), seed):
        model = tc.Transformer(translator.model.config)
    return tc.Translator(model, translator.tokenizer)


def means_by_kind(facts: Iterable[dict[str, dict[str, Tensor]]]) -> dict[str, dict[str, list[float]]]:
    """The mean over the heads of each kind, sentence by sentence: by kind and fact."""
    sentences = list(facts)
    return {
        kind: {fact: [sentence[kind][fact].mean().item() for sentence in sentences] for fact in FACTS} for kind in KINDS
    }
