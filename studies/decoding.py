"""Decoding: a beam search as a tree, teacher forcing beside free running, every sentence there is, sampling, the cache.

The tree is the core's own search: `tc.beam_steps` yields them, and the candidates of each are noted. The beam does
not depend on the length penalty's α, only the ranking and the end do: one `Tree` answers for every smaller α.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from core_options import packing, threads
from studies.reading import (
    Reading,
    check_length,
    check_words,
    shifted_right,
    source_of,
    teacher_forced,
    translated,
)

MOST_WIDTH, MOST_TOKENS, MORE = 8, 40, 3
MOST_ALPHA, TOP = 2.0, 10
LIVE, FINISHED, NO_SLOT, BELOW = range(4)  # what became of a candidate in its step

# ─── A beam search as a tree ─────────────────────────────────────────────────────────────────────────────────────────


class Candidate(NamedTuple):
    """A token that a step considered: after which hypothesis, the log-probability so far, and what became of it."""

    parent: int  # rank, from 0, of the hypothesis it prolongs
    token: int
    log_prob: float
    fate: int  # LIVE, FINISHED, NO_SLOT (its slot is kept by a finished hypothesis) or BELOW (the beam's last rank)


class Finished(NamedTuple):
    """A hypothesis that came to its end, or was cut off at the limit: where it stands in the tree, and its score."""

    step: int  # from 1; also its length, eos included
    rank: int  # from 0
    log_prob: float
    score: float


@dataclass(frozen=True)
class Tree:
    """A beam search: the candidates of each step, best first; places: from which distribution each was prolonged."""

    width: int
    limit: int  # the most tokens a translation may have
    steps: list[list[Candidate]]
    places: list[list[int]]  # of each step, by the parent's rank: a number in BeamReading.places

    def ids(self, step: int, rank: int) -> list[int]:
        """The tokens from the beginning to a candidate; step from 1."""
        tokens: list[int] = []
        for n in range(step - 1, -1, -1):
            candidate = self.steps[n][rank]
            tokens, rank = [candidate.token, *tokens], candidate.parent
        return tokens

    def finished(self, alpha: float, n_steps: int) -> list[Finished]:
        """What had finished after so many steps, best score first."""
        penalty = tc.length_penalty
        hypotheses = [
            Finished(n, rank, candidate.log_prob, candidate.log_prob / penalty(n, alpha))
            for n, step in enumerate(self.steps[:n_steps], 1)
            for rank, candidate in enumerate(step)
            if candidate.fate == FINISHED
        ]
        return sorted(hypotheses, key=lambda candidate: -candidate.score)

    def n_steps(self, alpha: float) -> int:
        """After how many steps the core stops at this α: no live hypothesis can still win, or the limit is reached."""
        for n, step in enumerate(self.steps, 1):
            live = max((candidate.log_prob for candidate in step if candidate.fate == LIVE), default=-math.inf)
            best = next((candidate.score for candidate in self.finished(alpha, n)), -math.inf)
            if n >= self.limit or live / tc.length_penalty(self.limit, alpha) <= best:
                return n
        raise ValueError(f"alpha is {alpha}, larger than the {MOST_ALPHA} this search was noted down for.")

    def result(self, alpha: float) -> tc.Hypothesis:
        """What the core returns at this α."""
        n = self.n_steps(alpha)
        ranking = self.finished(alpha, n)
        if not ranking:  # cut off at the limit
            rank, candidate = next(
                (rank, candidate) for rank, candidate in enumerate(self.steps[n - 1]) if candidate.fate == LIVE
            )
            ranking = [Finished(n, rank, candidate.log_prob, candidate.log_prob / tc.length_penalty(n, alpha))]
        best = ranking[0]
        return tc.Hypothesis(self.ids(best.step, best.rank), best.log_prob, best.score)


@dataclass(frozen=True)
class Place:
    """What the model had to say after some tokens: the likeliest next ones, and where each layer was reading."""

    tokens: list[int]
    probabilities: list[float]
    attention: Tensor  # (L, S), cross-attention, the mean over the heads


@dataclass(frozen=True)
class BeamReading:
    """A sentence, the tree of each beam width, and a place for each beginning that any of them prolonged."""

    text: str
    src: Tensor  # (1, S)
    trees: dict[int, Tree]
    places: list[Place]


def place(log_probs: Tensor, trace: dict[str, Tensor], rank: int) -> Place:
    """The likeliest tokens of a distribution (V,), and the cross-attention of one query from the q and k recorded."""
    best, tokens = log_probs.exp().topk(min(TOP, len(log_probs)))
    n_layers = len(trace) // 2
    rows = []
    for layer in range(n_layers):
        q, k = (trace[f"decoder.{layer}.cross_attention.{name}"][0] for name in "qk")  # (H, W, K), (H, S, K)
        rows.append(tc.attention_weights(tc.attention_scores(q[:, rank : rank + 1], k))[:, 0].mean(0))  # (S,)
    return Place(tokens.tolist(), best.tolist(), torch.stack(rows))


def candidates(step: tc.BeamStep) -> list[Candidate]:
    """What a step of a search considered, best first: the beam, and MORE candidates below it."""
    sums = step.before[:, None] + step.log_probs  # (W, V)
    width, n_tokens = sums.shape
    best, index = sums.flatten().topk(min(width + MORE, sums.numel()))
    near = zip((index // n_tokens).tolist(), (index % n_tokens).tolist(), best.tolist(), strict=True)
    columns = (step.parents, step.tokens, step.log_prob, step.has_slot, step.ended)
    beam = [
        Candidate(parent, token, log_prob, FINISHED if ended else LIVE if has_slot else NO_SLOT)
        for parent, token, log_prob, has_slot, ended in zip(*(x.tolist() for x in columns), strict=True)
    ]
    in_beam = {(candidate.parent, candidate.token) for candidate in beam}
    rest = [Candidate(*at, BELOW) for at in near if at[:2] not in in_beam and at[2] > -math.inf]
    return [candidate for candidate in beam if candidate.log_prob > -math.inf] + rest[:MORE]


def grow(
    model: tc.Transformer, src: Tensor, width: int, known: dict[tuple[int, ...], int], places: list[Place],
    max_extra: int = 50,
) -> Tree:  # fmt: skip
    """Let the core search with this width, at the largest α, and note it; known and places gain new beginnings."""
    steps, at_places = [], []
    beginnings: list[tuple[int, ...]] = [()] * width  # the tokens of each hypothesis
    with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.[qk]") as trace:
        limit = int(tc.token_limits(model, src, max_extra))
        for step in tc.beam_steps(model, src, width, MOST_ALPHA, max_extra):
            steps.append(candidates(step))
            at_places.append([-1] * width)
            for rank in step.before.isfinite().nonzero().flatten().tolist():
                if beginnings[rank] not in known:
                    known[beginnings[rank]] = len(places)
                    places.append(place(step.log_probs[rank], trace, rank))
                at_places[-1][rank] = known[beginnings[rank]]
            prolonged = zip(step.parents.tolist(), step.tokens.tolist(), strict=True)
            beginnings = [(*beginnings[parent], token) for parent, token in prolonged]
    return Tree(width, limit, steps, at_places)


def read(
    translator: tc.Translator, text: str, widths: Sequence[int] = range(1, MOST_WIDTH + 1),
    told: Callable[[str], Any] = lambda beam: None,
) -> BeamReading:  # fmt: skip
    """Search a sentence with every width; told hears of each as it begins."""
    check_words(text)
    src = translator.source([text])
    check_length(src.size(1), MOST_TOKENS)
    known: dict[tuple[int, ...], int] = {}
    places: list[Place] = []
    trees: dict[int, Tree] = {}
    for width in widths:
        told(f"beam of {width}, of {min(widths)} to {max(widths)}")
        trees[width] = grow(translator.model, src, width, known, places)
    return BeamReading(text, src, trees, places)


# ─── Teacher forcing, and every sentence there is ─────────────────────────────────────────────────────────────────────


def divergence(one: Sequence, other: Sequence) -> int | None:
    """The first place, from 0, at which two sequences differ; None if they do not."""
    pairs = itertools.zip_longest(one, other)
    return next((i for i, (here, there) in enumerate(pairs) if here != there), None)


class TwoWays(NamedTuple):
    """At each place of a reference, the model's guess: given the reference so far, and given its own words so far."""

    reference: list[int]
    taught: list[int]
    free: list[int]
    probability: list[float]  # of the reference's token, given the reference so far

    @property
    def parts(self) -> int | None:
        """The first place at which free running leaves the reference, from 0; None if it never does."""
        return divergence(self.reference, self.free)


def two_ways(model: tc.Transformer, src: Tensor, reference: Sequence[int]) -> TwoWays:
    """Teacher forcing beside free running, on src (1, S); reference: ids without bos, eos last."""
    wanted = [*reference]
    if not wanted or wanted[-1] != tc.EOS:
        raise ValueError(f"The reference is {wanted}; pass at least one id, the last of them eos ({tc.EOS}).")
    with tc.evaluating(model):
        logits = model(src, shifted_right(wanted).to(src.device))[0]  # (T, V)
    logits[:, [tc.PAD, tc.BOS]] = -math.inf
    right = logits.softmax(-1).gather(1, torch.tensor(wanted, device=src.device)[:, None])[:, 0].tolist()
    return TwoWays(wanted, logits.argmax(-1).tolist(), tc.greedy_decode(model, src)[0].ids, right)


@dataclass(frozen=True)
class TwoReadings:
    """A sentence gone through twice: taught reads a reference, alone the model's own greedy translation.

    At place i (from 0) both say what comes next, after the first i tokens of what each reads.
    """

    taught: Reading
    alone: Reading

    @property
    def n_places(self) -> int:
        """At how many places both have something to say: as many as the shorter of the two has tokens."""
        return min(len(self.taught.ids), len(self.alone.ids))

    @property
    def parts(self) -> int | None:
        """The first place at which the model's own words leave the reference; None if they never do."""
        return divergence(self.taught.ids, self.alone.ids)

    def distributions(self) -> Tensor:
        """Of the next token, at each place: (2, places, V), taught and alone; 0 for what is never produced."""
        logits = torch.stack([reading.logits[: self.n_places] for reading in (self.taught, self.alone)]).float().cpu()
        logits[..., [tc.PAD, tc.BOS]] = -math.inf
        return logits.softmax(-1)

    def cross_attention(self) -> Tensor:
        """Where each reads the source: (2, places, L, H, S)."""
        stacks = [reading.stack("cross")[:, :, : self.n_places] for reading in (self.taught, self.alone)]
        return torch.stack(stacks).permute(0, 3, 1, 2, 4)


def apart(distributions: Tensor) -> Tensor:
    """How far two distributions are apart, half the sum of the differences: (2, …, V) -> (…), 0 to 1."""
    return (distributions[0] - distributions[1]).abs().sum(-1) / 2


def two_readings(translator: tc.Translator, text: str, reference: str = "", most: int | None = None) -> TwoReadings:
    """Read a sentence with a reference and with its own greedy translation; without one, a beam of 4 gives it.

    most: how many tokens the source may have, and a reference that is given, each with its end.
    """
    src, probes = source_of(translator, text, most, least=1), "decoder.*.cross_attention.weights"
    if reference.strip():
        wanted = [*translator.tgt_tokenizer.encode(tc.clean(reference)), tc.EOS]
        check_length(len(wanted), most)
    else:
        wanted = translated(translator, src)
    own = tc.greedy_decode(translator.model, src)[0].ids
    return TwoReadings(*(teacher_forced(translator, text, ids, probes) for ids in (wanted, own)))


def every_sentence(model: tc.Transformer, src: Tensor, limit: int) -> list[tuple[list[int], float]]:
    """Every translation of src (1, S) of up to `limit` tokens, eos included, with log-probability, likeliest first."""
    n_tokens = model.tgt_embedding.num_embeddings
    words = [token for token in range(n_tokens) if token not in (tc.PAD, tc.BOS, tc.EOS)]
    if (n := sum(len(words) ** length for length in range(limit))) > 100_000:
        raise ValueError(f"{len(words)} words make {n} sentences of up to {limit} tokens; take fewer of either.")
    sentences: list[tuple[list[int], float]] = []
    with tc.evaluating(model):
        memory, src_mask = model.encode(src), src != tc.PAD
        for length in range(limit):
            rows = [[*row, tc.EOS] for row in itertools.product(words, repeat=length)]
            ids = torch.tensor(rows, device=src.device)  # (B, length + 1)
            tgt_in = torch.cat([ids.new_full((len(rows), 1), tc.BOS), ids[:, :-1]], 1)
            logits = model.decode(tgt_in, memory.expand(len(rows), -1, -1), src_mask.expand(len(rows), -1))
            log_probs = logits.log_softmax(-1).gather(2, ids[:, :, None]).sum((1, 2))
            sentences += zip(rows, log_probs.tolist(), strict=True)
    return sorted(sentences, key=lambda sentence: -sentence[1])


class Little(tc.Transformer):
    """An untrained model of a handful of words, in float64, from a seed; it leans towards the end by so many nats."""

    def __init__(self, seed: int, vocab_size: int = 7, lean: float = 0.0) -> None:
        sizes = dict(n_layers=2, d_model=16, d_ff=20, n_heads=2, d_k=6, d_v=10, tie_softmax=False)
        with tc.seeded(torch.device("cpu"), seed):
            super().__init__(tc.TransformerConfig(vocab_size, **sizes, p_drop=0.0))  # type: ignore[arg-type]
        for parameter in self.parameters():
            parameter.data *= 1.5  # sharper, so that some sentences are likely
        self.lean = torch.zeros(vocab_size)
        self.lean[tc.EOS] = lean
        self.double().eval()  # its figures are the same on every machine

    def decode(self, *args: Any, **kwargs: Any) -> Tensor:
        """As the core's, with the lean."""
        return super().decode(*args, **kwargs) + self.lean


# ─── Sampling ────────────────────────────────────────────────────────────────────────────────────────────────────────


def cut(logits: Any, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0) -> Tensor:
    """The probabilities (…, V) from which a sampler draws: softmax(logits / T), the k likeliest, of them the nucleus p.

    top_k 0: all. The nucleus is the fewest likeliest tokens whose probabilities reach p (Holtzman et al., 2020).

    >>> [round(p, 3) for p in cut([2.0, 1.0, 0.0], top_p=0.6).tolist()]
    [1.0, 0.0, 0.0]
    """
    logits = torch.as_tensor(logits, dtype=torch.float64)
    if not (temperature > 0 and top_k >= 0 and 0 < top_p <= 1) or not logits.numel():
        values = f"temperature is {temperature}, top_k {top_k}, top_p {top_p}, and there are {logits.numel()} logits"
        raise ValueError(f"{values}; temperature must be above 0, top_k 0 or more, top_p above 0 and at most 1.")
    ordered, order = (logits / temperature).sort(dim=-1, descending=True, stable=True)
    if top_k:
        ordered[..., top_k:] = -math.inf
    probabilities = ordered.softmax(-1)
    before = probabilities.cumsum(-1) - probabilities  # the mass of all likelier ones
    probabilities = probabilities.masked_fill(before >= top_p - 1e-12, 0.0)
    return torch.zeros_like(probabilities).scatter(-1, order, probabilities / probabilities.sum(-1, keepdim=True))


def sample(
    model: tc.Transformer, src: Tensor, seed: int, temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0
) -> list[int]:
    """One translation of src (1, S), each token drawn from `cut`; at most 50 tokens more than the source."""
    generator = torch.Generator().manual_seed(seed)
    ids = [tc.BOS]
    with tc.evaluating(model):
        memory, src_mask, limit = model.encode(src), src != tc.PAD, src.size(1) + 49
        cache = [(tc.KeyValues(limit), tc.KeyValues()) for _ in model.decoder]
        while ids[-1] != tc.EOS and len(ids) <= limit:
            unread = torch.tensor([ids[-1:]], device=src.device)
            logits = model.decode(unread, memory, src_mask, cache)[0, -1].cpu()  # (V,), where the generator is
            logits[[tc.PAD, tc.BOS]] = -math.inf
            ids.append(int(torch.multinomial(cut(logits, temperature, top_k, top_p), 1, generator=generator)))
    return ids[1:]


def next_logits(model: tc.Transformer, src: Tensor, ids: Sequence[int]) -> Tensor:
    """The logits of the token after ids (without bos), translating src (1, S): (V,), -inf where never produced."""
    with tc.evaluating(model):
        logits = model(src, torch.tensor([[tc.BOS, *ids]], device=src.device))[0, -1]
    logits[[tc.PAD, tc.BOS]] = -math.inf
    return logits


# ─── The cache ───────────────────────────────────────────────────────────────────────────────────────────────────────


def cache_shapes(model: tc.Transformer, src: Tensor, n: int) -> dict[str, tuple[int, ...]]:
    """What one layer's cache holds after n tokens of a greedy translation of src (1, S): name -> shape."""
    with tc.evaluating(model):
        memory, cache = model.encode(src), tc.new_cache(model, n)
        for _ in range(n):
            model.decode(torch.full((1, 1), tc.BOS, device=src.device), memory, src != tc.PAD, cache)
        own, cross = cache[0]
    return {
        "self-attention keys": tuple(own.k[:, :, : own.n].shape),
        "self-attention values": tuple(own.v[:, :, : own.n].shape),
        "cross-attention keys": tuple(cross.k.shape),
        "cross-attention values": tuple(cross.v.shape),
    }


def operations(config: tc.TransformerConfig, n_source: int, n_target: int, cached: bool) -> list[int]:
    """Multiply-adds of the decoder for each of n_target tokens, by formula; not cached: the prefix is run anew."""

    def whole(n: int) -> int:
        return sum(packing.multiply_adds(config, torch.tensor([n_source]), torch.tensor([n])).values())

    source = config.n_layers * config.d_model * n_source * config.n_heads * (config.d_k + config.d_v)  # its k and v
    rows = [whole(t) - whole(0) for t in range(1, n_target + 1)]  # what t rows of the decoder take, all alike
    if cached:
        return [work // t + (source if t == 1 else 0) for t, work in enumerate(rows, 1)]
    return [work + source for work in rows]


def counted_operations(model: tc.Transformer, src: Tensor, ids: Sequence[int], cached: bool) -> list[int]:
    """Multiply-adds of the decoder for each token of ids (after bos), counted by torch as it runs."""
    tgt_in, counts = shifted_right(ids).to(src.device), []
    with tc.evaluating(model), tc.record(model, "decoder.*.weights"):  # eq. 1 in three steps, which torch counts
        memory, src_mask = model.encode(src), src != tc.PAD
        cache = [(tc.KeyValues(len(ids)), tc.KeyValues()) for _ in model.decoder]
        for t in range(1, len(ids) + 1):
            with FlopCounterMode(display=False) as counter:
                if cached:
                    model.decode(tgt_in[:, t - 1 : t], memory, src_mask, cache)
                else:
                    model.decode(tgt_in[:, :t], memory, src_mask)
            counts.append(counter.get_total_flops() // 2)
    return counts


def timed(work: Callable[..., object], *arguments: Any) -> tuple[float, float]:
    """What a call takes of this thread's core, in ms, the mean of 3; and how many times as long it took by the clock.

    The first is the same beside other work of the machine; the second, 1 where there is none, tells of it.
    """
    with threads.one_thread():
        clock, core = time.perf_counter(), time.thread_time()
        for _ in range(3):
            work(*arguments)
        took = time.thread_time() - core
    return 1000 * took / 3, (time.perf_counter() - clock) / max(took, 1e-9)
