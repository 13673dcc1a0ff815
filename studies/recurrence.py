"""Before Transformers: what each step of a recurrent translator has, and what its alignments read.

`read` runs a trained recurrent translator on a sentence and keeps what each step had. The last part reads what
experiments/recurrence.py stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

import baselines
import transformer_core as tc
from studies.reading import shifted_right, teacher_forced
from studies.statistics import mean

NAMES = {"additive": "additive attention", "dot": "dot-product attention", "fixed": "one fixed vector"}
SHIPPED = "grammar-gru"  # the three translators among the checkpoints
WEIGHTS = "decoder.0.cross_attention.weights"  # the probe of α


# ─── What each step had ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Steps:
    """A sentence translated by a recurrent model, step by step; S source pieces, T target pieces, both with </s>.

    score: "additive", "dot" or "fixed". states: h_j (S, D). before: s_{i-1} (T, D). Of additive scores also
    w = W s_{i-1} (T, D), u = U h_j (S, D) and v (D,); of a fixed vector c (D,). likeliest: of each step, (word, p).
    """

    score: str
    keys: Sequence[str]
    queries: Sequence[str]
    states: Tensor
    before: Tensor
    w: Tensor | None = None
    u: Tensor | None = None
    v: Tensor | None = None
    c: Tensor | None = None
    likeliest: Sequence[Sequence[tuple[str, float]]] = ()
    text: str = ""

    def __post_init__(self) -> None:
        T, S, D = len(self.queries), len(self.keys), self.states.size(-1)
        own: dict[str, dict[str, tuple[int, ...]]] = {
            "additive": dict(w=(T, D), u=(S, D), v=(D,)),
            "fixed": dict(c=(D,)),
        }
        needed: dict[str, tuple[int, ...]] = dict(states=(S, D), before=(T, D)) | own.get(self.score, {})
        if self.score not in NAMES or not T or not S:
            raise ValueError(
                f"score is {self.score!r} with {S} keys and {T} queries; give {', '.join(NAMES)}, and words."
            )
        for name, size in needed.items():
            if (tensor := getattr(self, name)) is None or tuple(tensor.shape) != size:
                shape = None if tensor is None else tuple(tensor.shape)
                raise ValueError(f"{name} has shape {shape}, {size} is needed for {T} queries and {S} keys.")

    @property
    def scores(self) -> Tensor:
        """e_ij: (T, S); of a fixed vector none."""
        if self.score == "additive":
            assert self.w is not None and self.u is not None and self.v is not None
            return torch.tanh(self.w[:, None] + self.u) @ self.v
        return self.before @ self.states.T if self.score == "dot" else torch.zeros(len(self.queries), 0)

    @property
    def weights(self) -> Tensor:
        """α_ij: (T, S), rows sum to 1; of a fixed vector none."""
        return self.scores.softmax(-1)

    @property
    def contexts(self) -> Tensor:
        """c_i: (T, D)."""
        if self.c is not None:
            return self.c.expand(len(self.queries), -1)
        return self.weights @ self.states

    def parts(self) -> dict[str, Tensor]:
        """The numbers from which the view computes all others."""
        named = dict(states=self.states, before=self.before, w=self.w, u=self.u, v=self.v, c=self.c)
        return {name: part for name, part in named.items() if part is not None}


def read(translator: Any, text: str) -> Steps:
    """What each step of a recurrent translator has while it translates a sentence greedily."""
    model, tokenizer = translator.model, translator.tokenizer
    src = translator.source([text])
    target = tc.greedy_decode(model, src)[0].ids
    decoder, states = model.decoder[0], list[Tensor]()

    def keep(_: Any, inputs: tuple, output: tuple) -> None:
        state = inputs[1] if isinstance(inputs[1], Tensor) else inputs[1][0]
        states.append(torch.cat([state[0], output[0][0, :-1]]))  # s_{i-1} of these steps

    hook = decoder.cell.register_forward_hook(keep)
    try:
        with tc.evaluating(model):
            memory = model.encode(src)
            logits = model.decode(shifted_right(target).to(src.device), memory, src != tc.PAD)[0]
            parts = score_parts(model, src, memory, torch.cat(states))
    finally:
        hook.remove()
    top = logits.softmax(-1).topk(3)
    rows = zip(top.values.tolist(), top.indices.tolist(), strict=True)
    likeliest = [list(zip(tokenizer.pieces(ids), shares, strict=True)) for shares, ids in rows]
    keys, queries = tokenizer.pieces(src[0].tolist()), tokenizer.pieces(target)
    about: dict[str, Any] = dict(likeliest=likeliest, text=tokenizer.decode(target)) | parts
    return Steps(model.config.score or "fixed", keys, queries, **about)


def score_parts(model: Any, src: Tensor, memory: Tensor, before: Tensor) -> dict[str, Tensor]:
    """The vectors of `Steps` that the scores are made of."""
    if model.config.score is None:
        return dict(states=all_states(model, src), before=before, c=memory[0, 0])
    attention = model.decoder[0].cross_attention
    parts = dict(states=memory[0], before=before)
    if model.config.score == "dot":
        return parts
    return parts | dict(w=attention.w(before), u=attention.u(memory[0]), v=attention.v.weight[0])


def all_states(model: Any, src: Tensor) -> Tensor:
    """What the encoder had at each word, of which a model with one fixed vector hands on only the ends: (S, D)."""
    return model.encoder(model.embed(src, "src"))[0][0]


def pieces_in(pieces: Sequence[str], phrase: str) -> list[int]:
    """Which pieces spell a phrase, where it comes first; none if it does not come.

    >>> pieces_in(["▁the", "▁str", "ay", "▁cat", "s"], "stray cat")
    [1, 2, 3]
    """
    text = "".join(pieces).replace("▁", " ")
    if (start := text.find(phrase)) < 0:
        return []
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    return [n for n, end in enumerate(ends) if end > start and end - len(pieces[n]) < start + len(phrase)]


def weight_on(translator: Any, pairs: Sequence[Any], word: str, phrase: str) -> list[float]:
    """What the row that begins to say a word reads of a phrase, in each pair of the grammar; the German is given."""
    weights = []
    for pair in pairs:
        german = [*translator.tokenizer.encode(pair.german), tc.EOS]
        reading = teacher_forced(translator, pair.english, german, WEIGHTS)
        rows, columns = pieces_in(reading.predicted_pieces, word), pieces_in(reading.source_pieces, phrase)
        if not rows or not columns:
            raise ValueError(f"{word!r} is not in {pair.german!r} or {phrase!r} not in {pair.english!r}; give others.")
        weights.append(reading.trace[WEIGHTS][0, 0, rows[0], columns].sum().item())
    return weights


def rows_on(reading: dict[str, Any], phrase: str) -> list[tuple[str, float]]:
    """Of a stored reading, each piece that is said with what its row reads of a phrase of the source."""
    columns = pieces_in(reading["keys"], phrase)
    return [
        (query, sum(row[j] for j in columns)) for query, row in zip(reading["queries"], reading["weights"], strict=True)
    ]


def shipped() -> dict[str, tc.Translator]:
    """The three trained translators of checkpoints/grammar-gru, by how they score."""
    shelf = Path(baselines.__file__).resolve().parent / "checkpoints" / SHIPPED
    return {kind: baselines.load_recurrent(shelf / kind) for kind in NAMES}


@dataclass(frozen=True)
class FamilyConfig:
    """The shapes of several recurrent translators of one vocabulary, by name."""

    vocab_size: int
    models: dict[str, baselines.RecurrentConfig]
    kind: ClassVar[str] = "recurrent"


class Family(nn.ModuleDict):
    """Several recurrent translators as one model: a page has them in one file (core_options/page_weights.py)."""

    def __init__(self, models: Mapping[str, Any]) -> None:
        super().__init__(models)
        configs = {name: model.config for name, model in models.items()}
        self.config = FamilyConfig(next(iter(configs.values())).vocab_size, configs)

    @property
    def src_embedding(self) -> nn.Embedding:
        """One of them, for its size: all are of one vocabulary."""
        return next(iter(self.values())).src_embedding  # type: ignore[return-value]

    tgt_embedding = src_embedding


def together(translators: Mapping[str, tc.Translator], name: str = SHIPPED) -> tc.Translator | None:
    """Recurrent translators as one, where they share a vocabulary."""
    models = {kind: translator.model for kind, translator in translators.items()}
    if not all(isinstance(model, baselines.RecurrentEncoderDecoder) for model in models.values()):
        return None
    tokenizers = [translator.tokenizer for translator in translators.values()]
    if len({tokenizer.model for tokenizer in tokenizers}) > 1:
        return None
    return tc.Translator(Family(models), tokenizers[0], name)  # type: ignore[arg-type]


# ─── What was trained and measured ───────────────────────────────────────────────────────────────────────────────────


KINDS = (
    "GRU, one vector", "LSTM, one vector", "GRU, additive", "LSTM, additive", "GRU, dot", "LSTM, dot", "Transformer",
)  # fmt: skip


def of_kind(result: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The runs of a result by kind of model, in the order of KINDS."""
    runs = {kind: [run for run in result["runs"] if run["kind"] == kind] for kind in KINDS}
    return {kind: of_one_kind for kind, of_one_kind in runs.items() if of_one_kind}


def exact_by_length(run: dict[str, Any], bins: Sequence[tuple[int, int]]) -> list[float]:
    """Of one run, the share of sentences right to the letter among those of each range of lengths, ends included."""
    shares = []
    for low, high in bins:
        rows = [row for row in run["lengths"] if low <= row["length"] <= high]
        if not rows:
            raise ValueError(f"No sentence has {low} to {high} words; the lengths are those of run['lengths'].")
        shares.append(sum(row["exact"] for row in rows) / sum(row["sentences"] for row in rows))
    return shares


def said_backwards(result: dict[str, Any], lengths: Sequence[int]) -> list[dict[str, Any]]:
    """A row for each kind: of sequences of each length, the share said backwards without a mistake, its runs' mean."""
    return [
        {"model": kind} | {f"{n} symbols": mean([run["exact"][n - 1] for run in runs]) for n in lengths}
        for kind, runs in of_kind(result).items()
    ]


def translated_by_length(result: dict[str, Any], bins: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """A row for each kind: the share of sentences right to the letter of each range of lengths, of all, and BLEU."""
    rows = []
    for kind, runs in of_kind(result).items():
        shares = [exact_by_length(run, bins) for run in runs]
        named = {f"{low} to {high} words": mean(share) for (low, high), *share in zip(bins, *shares, strict=True)}
        over_all = {
            "unseen, any length": mean([run["right"] for run in runs]),
            "BLEU": mean([run["bleu"] for run in runs]),
        }
        cells: dict[str, Any] = {"model": kind}
        rows.append(cells | named | over_all)
    return rows


def growth(result: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each kind: the time of a training step with the shortest and the longest sentences, and what waits."""
    short, long = result["lengths"][0], result["lengths"][-1]
    return [
        {
            "model": kind,
            f"ms, length {short}": 1000 * run["seconds"][0],
            f"ms, length {long}": 1000 * run["seconds"][-1],
            "times as long": run["seconds"][-1] / run["seconds"][0],
            f"waits, length {short}": run["chain"][0] if run["chain"] else None,
            f"waits, length {long}": run["chain"][-1] if run["chain"] else None,
        }
        for kind, (run, *_) in of_kind(result).items()
    ]


def best_heads(gold: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each reading: its best head by alignment error, chosen on one half and judged on the other."""
    rows = []
    for reading in ("naive", "shifted"):
        error, layer, head = min((e, n, h) for n, row in enumerate(gold[reading]) for h, e in enumerate(row))
        halves = gold["on_other_half"][reading]
        better = sum(e < gold["diagonal"] for row in gold[reading] for e in row)
        rows.append(
            {"reading": reading, "best head": f"layer {layer}, head {head}", "AER": error}
            | {f"chosen on half {n}, AER on the other": e for n, e in enumerate(halves, 1)}
            | {"mean of all maps": gold["mean_of_all"][reading], "heads better than the diagonal": better}
        )
    return rows


# ─── What fades ──────────────────────────────────────────────────────────────────────────────────────────────────────


def first_word_felt(names: Sequence[str], lengths: Sequence[int], d: int = 32) -> dict[str, dict[int, float]]:
    """How much a random direction of the last output feels the first of n inputs, untrained: {layer: {n: length}}.

    As `baselines.gradient_by_distance` has it: ‖∂h_n/∂x_1‖/√d of the Frobenius norm, over eight draws of weights.
    """
    return {name: {n: baselines.gradient_by_distance(name, n, d)[-1].item() for n in lengths} for name in names}
