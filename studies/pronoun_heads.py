"""Which heads carry the choice between *er*, *sie* and *es*: measured by taking them out and by exchanging them.

A pair of twins (corpora.pronouns) differs in one English word, and so in the noun that *it* stands for. The decoder has
read the translation up to the pronoun, which is the same for both; which of the nouns' two pronouns it then holds the
likelier is its choice. Of every head it is asked:

    without        how often the choice is right if the head hands on zeros, or its mean over all these sentences
                   (zeros are nothing that the layers above have ever met, a mean is)
    reads          what its query at *it* (in cross-attention: the row that says the pronoun) gives to the noun that is
                   meant, to the other, and to the word that differs from the twin's
    exchanged      how often the choice goes over to the twin's noun if the head hands on what it hands on in the twin
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from corpora.pronouns import Example, Noun
from studies.reading import KINDS, probe_of
from studies.statistics import interval, mean

Head = tuple[str, int, int]  # kind, layer, head
Edit = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class Twins:
    """2N sentences in one batch; row n and row n + N are twins.

    src (2N, S), tgt_in (2N, T): the translation up to the pronoun. at (2N,): its last row, which says the pronoun;
    right, wrong (2N,): ids of the pronoun of the noun meant and of the other. it, meant, other (2N, S): 1 at the pieces
    of *it* and of these nouns.
    """

    examples: list[Example]
    src: Tensor
    tgt_in: Tensor
    at: Tensor
    right: Tensor
    wrong: Tensor
    it: Tensor
    meant: Tensor
    other: Tensor

    def __len__(self) -> int:
        return len(self.src) // 2

    def swapped(self, rows: Tensor) -> Tensor:
        """Each row given to its twin: (2N, …)."""
        return rows.roll(len(self), 0)

    @property
    def differs(self) -> Tensor:
        """1 at the pieces of the word that the twin has another of: (2N, S)."""
        return (self.src != self.swapped(self.src)).float()

    def real(self, kind: str) -> Tensor:
        """1 where a row of this kind of attention is no padding: (2N, n)."""
        return ((self.src if kind == "encoder" else self.tgt_in) != tc.PAD).float()


# ─── Sentences ───────────────────────────────────────────────────────────────────────────────────────────────────────


def place_of(pieces: Sequence[str], words: Sequence[str], last: bool = False) -> range | None:
    """Where these pieces stand in a row of pieces, the first time or the last; None where they do not."""
    n = len(words)
    starts = [i for i in range(len(pieces) - n + 1) if list(pieces[i : i + n]) == list(words)]
    return range(starts[-last], starts[-last] + n) if starts else None


def until_pronoun(example: Example) -> str | None:
    """The translation up to the pronoun; None where a word like it stands twice or not at all."""
    words = example.german.split(" ")
    places = [i for i, word in enumerate(words) if word.strip(".,").lower() == example.pronoun]
    return " ".join(words[: places[0]]) if len(places) == 1 and places[0] > 0 else None


def noun_pieces(tokenizer: tc.Tokenizer, pieces: Sequence[str], noun: Noun) -> range | None:
    return place_of(pieces, tokenizer.pieces(tokenizer.encode(noun.english)))


def as_row(tokenizer: tc.Tokenizer, example: Example) -> dict[str, Any] | None:
    """What one sentence brings to the batch; None where its parts cannot be told apart in its pieces."""
    other, before = example.other, until_pronoun(example)
    if other is None or before is None or example.twin is None:
        return None
    ids = tokenizer.encode(example.english)
    pieces = tokenizer.pieces(ids)
    meant, rival = (noun_pieces(tokenizer, pieces, noun) for noun in (example.meant, other))
    it = place_of(pieces, ["▁it"], last=True) or place_of(pieces, ["▁It"], last=True)
    right, wrong = (tokenizer.encode(each.pronoun)[0] for each in (example, example.twin))
    if meant is None or rival is None or it is None or right == wrong:
        return None
    tgt_in = [tc.BOS, *tokenizer.encode(before)]
    return dict(src=[*ids, tc.EOS], tgt_in=tgt_in, right=right, wrong=wrong, it=it, meant=meant, other=rival)


def twins_of(tokenizer: tc.Tokenizer, examples: Iterable[Example], n: int) -> Twins:
    """The first n pairs whose parts can be told apart, and whose two sentences have as many pieces, as one batch.

    Raises ValueError if there are fewer.
    """
    pairs: list[tuple[Example, dict, Example, dict]] = []
    for example in examples:
        first, second = as_row(tokenizer, example), as_row(tokenizer, example.twin) if example.twin else None
        if first is None or second is None or example.twin is None:
            continue
        if len(first["src"]) == len(second["src"]) and (first["tgt_in"], first["it"]) == (
            second["tgt_in"],
            second["it"],
        ):
            pairs.append((example, first, example.twin, second))
        if len(pairs) == n:
            break
    if len(pairs) < n or n < 1:
        raise ValueError(f"Of these sentences {len(pairs)} are twins that can be exchanged, not {n}; give more.")
    rows = [first for _, first, _, _ in pairs] + [second for *_, second in pairs]
    src = tc.pad([row["src"] for row in rows])
    spans = {name: torch.zeros(src.shape) for name in ("it", "meant", "other")}
    for name, marks in spans.items():
        for i, row in enumerate(rows):
            marks[i, row[name].start : row[name].stop] = 1
    ends = {name: torch.tensor([row[name] for row in rows]) for name in ("right", "wrong")}
    tgt_in = [row["tgt_in"] for row in rows]
    at = torch.tensor([len(row) - 1 for row in tgt_in])
    return Twins(
        [first for first, *_ in pairs] + [second for _, _, second, _ in pairs], src, tc.pad(tgt_in), at, **ends, **spans
    )


# ─── The choice ──────────────────────────────────────────────────────────────────────────────────────────────────────


def margins(model: tc.Transformer, twins: Twins, memory: Tensor | None = None) -> Tensor:
    """log p(the right pronoun) − log p(the twin's), where the pronoun is said, in nats: (2N,).

    memory (2N, S, D): in place of what the encoder makes of src.
    """
    rows = torch.arange(len(twins.src))
    memory = model.encode(twins.src) if memory is None else memory
    logits = model.decode(twins.tgt_in, memory, twins.src != tc.PAD)[rows, twins.at]  # (2N, V)
    return logits[rows, twins.right] - logits[rows, twins.wrong]


@contextlib.contextmanager
def edited(model: tc.Transformer, edits: dict[str, Edit]) -> Iterator[None]:
    """All these probes edited at once."""
    with contextlib.ExitStack() as stack:
        for name, edit in edits.items():
            stack.enter_context(tc.intervene(model, name, edit))
        yield


def with_head(head: int | slice, rows: Tensor) -> Edit:
    """Put rows (2N, T, d_v) in place of what a head hands on, or (2N, H, T, d_v) of all of a layer."""

    def edit(heads: Tensor) -> Tensor:  # (2N, H, T, d_v)
        heads = heads.clone()
        heads[:, head] = rows
        return heads

    return edit


def mean_of(rows: Tensor, real: Tensor) -> Tensor:
    """The mean over all places that are no padding, at every place: rows (2N, T, d_v), real (2N, T) -> (2N, T, d_v)."""
    middle = (rows * real[..., None]).sum((0, 1)) / real.sum()
    return middle.expand_as(rows)


def share(answers: Tensor) -> float:
    return answers.float().mean().item()


# ─── Every head ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Study:
    """A model before these twins: what every head hands on and reads as the model is, and the choices it then makes."""

    model: tc.Transformer
    twins: Twins
    trace: dict[str, Tensor]
    memory: Tensor  # (2N, S, D)
    clear: Tensor  # nats: the margins as the model is (2N,)

    @functools.cached_property
    def sure(self) -> Tensor:
        """Whether a sentence and its twin are both right as the model is: only these can be seen to change. (2N,)"""
        return (self.clear > 0) & self.twins.swapped(self.clear > 0)

    def heads(self, kind: str, layer: int) -> Tensor:
        return self.trace[probe_of(kind, layer) + ".heads"]  # (2N, H, T, d_v)

    def margins(self, edits: dict[str, Edit]) -> Tensor:
        """The margins under these edits; the encoder works again only if one of them is its own."""
        in_encoder = any(name.startswith("encoder") for name in edits)
        with edited(self.model, edits):
            return margins(self.model, self.twins, None if in_encoder else self.memory)

    def right(self, edits: dict[str, Edit]) -> float:
        """How often the choice is right under these edits."""
        return share(self.margins(edits) > 0)

    def follows(self, edits: dict[str, Edit]) -> float:
        """How often the choice goes over to the twin's noun, of those that were right in both."""
        return share((self.margins(edits) < 0)[self.sure])

    def exchange(self, heads: Iterable[Head]) -> dict[str, Edit]:
        """The edits that give these heads what they hand on in the twin."""
        by_layer: dict[tuple[str, int], list[int]] = {}
        for kind, layer, head in heads:
            by_layer.setdefault((kind, layer), []).append(head)
        return {
            probe_of(*at) + ".heads": with_head(chosen, self.twins.swapped(self.heads(*at)[:, chosen]))  # type: ignore[arg-type]
            for at, chosen in by_layer.items()
        }

    def reads(self, kind: str, layer: int) -> dict[str, Tensor]:
        """What the query at *it*, or the row that says the pronoun, gives to meant, other and differs: each (2N, H)."""
        twins = self.twins
        rows, query = torch.arange(len(twins.src)), twins.it.argmax(-1) if kind == "encoder" else twins.at
        row = self.trace[probe_of(kind, layer) + ".weights"][rows, :, query]  # (2N, H, S)
        words = {"meant": twins.meant, "other": twins.other, "differs": twins.differs}
        return {name: (row * marks[:, None]).sum(-1) for name, marks in words.items()}

    def of_head(self, kind: str, layer: int, head: int) -> dict[str, Any]:
        """All that is asked of a head."""
        name, rows = probe_of(kind, layer) + ".heads", self.heads(kind, layer)[:, head]
        facts: dict[str, Any] = {
            "kind": kind, "layer": layer, "head": head,
            "zeroed": self.right({name: with_head(head, torch.zeros_like(rows))}),
            "mean-ablated": self.right({name: with_head(head, mean_of(rows, self.twins.real(kind)))}),
            "follows": self.follows(self.exchange([(kind, layer, head)])),
        }  # fmt: skip
        if kind != "decoder":  # its keys are German words
            reads = self.reads(kind, layer).items()  # of both twins, whose mean is one number: they are not independent
            shares = {word: weights[:, head].unflatten(0, (2, -1)).mean(0).tolist() for word, weights in reads}
            facts |= {word: [mean(values), *(interval(values) or ())] for word, values in shares.items()}
        return facts


def studied(model: tc.Transformer, twins: Twins) -> Study:
    """Read all twins once, recording what every head hands on and reads."""
    with tc.evaluating(model), tc.record(model, "*.heads") as handed, tc.record(model, "*.weights") as read:
        memory = model.encode(twins.src)
        clear = margins(model, twins, memory)
    return Study(model, twins, {**handed, **read}, memory, clear)


def every_head(study: Study) -> Iterator[dict[str, Any]]:
    """The facts of one head after the other."""
    config = study.model.config
    with tc.evaluating(study.model):
        for kind in KINDS:
            for layer in range(config.n_layers):
                for head in range(config.n_heads):
                    yield study.of_head(kind, layer, head)


def together(study: Study, heads: Sequence[Head]) -> list[float]:
    """How often the choice follows if the first head is exchanged, the first two, the first three, …"""
    with tc.evaluating(study.model):
        return [study.follows(study.exchange(heads[: n + 1])) for n in range(len(heads))]


def layers(study: Study) -> list[dict[str, Any]]:
    """The same for all heads of a layer at once."""
    config, rows = study.model.config, []
    with tc.evaluating(study.model):
        for kind in KINDS:
            for layer in range(config.n_layers):
                heads = [(kind, layer, head) for head in range(config.n_heads)]
                rows.append({"kind": kind, "layer": layer, "follows": study.follows(study.exchange(heads))})
    return rows


def places(study: Study) -> list[dict[str, Any]]:
    """The same if the encoder's output is the twin's at some places only: where the noun meant can be told."""
    twins, memory = study.twins, study.memory
    nouns = twins.meant + twins.other
    where = {"the word that differs": twins.differs, "it": twins.it, "the two nouns": nouns}
    where["all other words"] = 1 - sum(where.values(), torch.zeros(twins.src.shape)).clamp(max=1)
    rows = []
    with tc.evaluating(study.model):
        for name, marks in where.items():
            mixed = torch.where(marks[..., None] > 0, twins.swapped(memory), memory)
            follows = share((margins(study.model, twins, mixed) < 0)[study.sure])
            rows.append({"from the twin": name, "follows": follows})
    return rows
