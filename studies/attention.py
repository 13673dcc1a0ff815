"""What heads do and what they are good for: facts of every head, the arithmetic of a cell, translation without a head.

Rows are queries, columns are keys, each row sums to 1. Attention weights say where a head reads, not why the model
decides.
"""

from __future__ import annotations

import contextlib
import difflib
import inspect
import math
import pathlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.reading import KINDS, Reading, log_probs, probe_of, read, translated
from studies.statistics import interval, mean
from studies.text import ENDS

# ─── Weights in, checked ─────────────────────────────────────────────────────────────────────────────────────────────


def as_tensor(weights: Any) -> Tensor:
    """One tensor of an array, of nested lists, or of the tensors of every layer, as other libraries return them."""
    if not isinstance(weights, (tuple, list)) or not all(isinstance(layer, Tensor) for layer in weights):
        return torch.as_tensor(weights)
    if len({layer.shape for layer in weights}) > 1:
        shapes = ", ".join(str(tuple(layer.shape)) for layer in weights)
        raise ValueError(f"weights holds tensors of shapes {shapes}; all layers must have the same, (H, T, S).")
    return torch.stack(list(weights))


def as_stack(weights: Any, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Tensor:
    """Weights of any of the three shapes as float32 (L, H, T, S), checked: rows are queries and sum to 1.

    weights: (T, S), (H, T, S) or (L, H, T, S); a tensor, an array or nested lists.
    """
    tensor = as_tensor(weights)
    slack = 1e-2 if tensor.dtype == torch.bfloat16 else 1e-3  # what rounding alone takes from a row
    tensor = tensor.detach().cpu().float()
    shape, needed = tuple(tensor.shape), (len(query_tokens), len(key_tokens))
    counts = f"there are {needed[0]} query and {needed[1]} key tokens"
    if tensor.dim() not in (2, 3, 4):
        raise ValueError(
            f"weights has shape {shape}, but (T, S), (H, T, S) or (L, H, T, S) is needed, and {counts}; "
            f"pick one sentence of a batch, e.g. weights[:, 0]."
        )
    if shape[-2:] != needed:
        turned = "; rows are queries: try weights.transpose(-2, -1)" if shape[-2:] == needed[::-1] else ""
        raise ValueError(
            f"weights has shape {shape}, but {counts}, so its last two sides should be {needed}{turned}."
            + (" For one head pass weights[layer, head]." if not turned else "")
        )
    check_rows(tensor, needed, slack)
    return tensor.reshape((1,) * (4 - tensor.dim()) + shape)


def check_rows(weights: Tensor, needed: tuple[int, int], slack: float) -> None:
    """Refuse weights that are no distributions over keys, and say which row, and what it may be."""
    shape, sums = tuple(weights.shape), weights.sum(-1)
    if 0 in shape:
        raise ValueError(f"weights has shape {shape}, and {needed} is needed with at least one query and one key.")
    bad = ~((sums - 1).abs() < slack) | ~(weights >= 0).all(-1)
    if not bad.any():
        return
    place = tuple(bad.nonzero()[0].tolist())
    total, where = sums[place].item(), f"weights{[*place]}"
    if weights.isnan().any():
        advice = "there are NaNs: a row whose keys are all masked has no softmax"
    elif total == 0:
        advice = "the row is masked: leave padding out of both the weights and the tokens"
    elif ((weights.sum(-2) - 1).abs() < slack).all():
        advice = "the columns sum to 1 instead: rows are queries, try weights.transpose(-2, -1)"
    else:
        advice = "are these scores before the softmax, or weights after dropout (call model.eval())?"
    raise ValueError(
        f"Each row of weights should sum to 1 over its {needed[1]} keys, but of weights with shape {shape} "
        f"(needed: (…, {needed[0]}, {needed[1]})) the row {where} sums to {total:.4g}; {advice}."
    )


def allowed_keys(weights: Tensor, causal: bool | None) -> list[list[int]] | None:
    """The span [first, end) of keys that each query may look at, None if all; causal None: found from the zeros."""
    T, S = weights.shape[-2:]
    if causal is None:
        causal = T == S > 1 and not weights.triu(1).any()
    return [[0, query + 1] for query in range(T)] if causal else None


# ─── Head facts ──────────────────────────────────────────────────────────────────────────────────────────────────────

STOPS = {"</s>", "[SEP]", "<eos>"}

FACTS = {
    "role": "what the head does most clearly here, if anything (role_of)",
    "entropy": "mean over queries of −Σ w ln w, in nats: 0 is one key, ln S is all S keys alike",
    "spread": "that entropy as a share of ln S, S the keys a query may look at (queries with one are left out)",
    "confidence": "mean of each query's largest weight, </s> left out as query and as key (Voita et al., 2019)",
    "distance": "mean of Σ w |query − key|, in tokens (self-attention)",
    "previous": "share of queries whose largest weight is on the token just before (self-attention)",
    "next": "share of queries whose largest weight is on the token just after (self-attention)",
    "alignment": "mean weight within one token of the diagonal, a row read as the token it predicts (cross-attention)",
    "shifted": "the same, a row read as the token it is given (cross-attention; Chen et al., 2020)",
    "sink": "mean weight on special tokens such as </s>",
    "effect": "Δ log-probability of the translation when this head is off",
}


MARKS = {"spread": 0.9, "previous": 0.9, "next": 0.9, "alignment": 0.6, "shifted": 0.6, "sink": 0.6}  # for a role

HeadAt = tuple[str, int, int]  # kind, layer, head


def head_facts(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    causal: bool | None = None,
    allowed: Sequence[Sequence[int]] | None = None,
) -> list[dict[str, Any]]:
    """Say of every head what can be computed from one sentence: a dict for each, keys `layer`, `head` and FACTS.

    key_tokens None means self-attention: then there are distances, else alignments. What does not apply is None.
    allowed: the span [first, end) of keys that each query may look at; else as causal says, or the zeros show.
    Every query counts, </s> too, but for confidence. Definitions: FACTS; Voita et al. (2019) for the head kinds.
    """
    itself = key_tokens is None or list(key_tokens) == list(query_tokens)
    keys = list(query_tokens) if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, query_tokens, keys).double()
    allowed = allowed or allowed_keys(stack, causal) or [[0, len(keys)]] * len(query_tokens)
    facts = entropy_facts(stack, allowed) | {"confidence": confidence(stack, query_tokens, keys)}
    facts |= distance_facts(stack) if itself else alignment_facts(stack, keys)
    if all(end <= query + 1 for query, (_, end) in enumerate(allowed)):
        facts.pop("next", None)  # no query may look there
    special = [place for place, token in enumerate(keys) if token in ENDS]
    facts["sink"] = stack[..., special].sum(-1).mean(-1) if special else None
    n_layers, n_heads = stack.shape[:2]
    rows = [
        {"layer": layer, "head": head} | {name: value_of(facts.get(name), layer, head) for name in FACTS}
        for layer in range(n_layers)
        for head in range(n_heads)
    ]
    return [row | {"role": role_of(row)} for row in rows]


def role_of(facts: dict[str, Any]) -> str | None:
    """Name a head by the first of MARKS that it reaches; positional (Voita et al., 2019) from 90 % of the queries on.

    A head that reads nearly everywhere alike is broad, whatever then falls on the diagonal or on </s>.
    """
    if facts["spread"] is None:  # one key only: nothing to choose from
        return None
    kinds = [name for name, least in MARKS.items() if (facts[name] or 0) >= least]
    return {"spread": "broad"}.get(kinds[0], kinds[0]) if kinds else None


def value_of(table: Tensor | None, layer: int, head: int) -> float | None:
    """A head's entry of a table (L, H); None where there is none."""
    value = None if table is None else table[layer, head].item()
    return None if value is None or math.isnan(value) else value


def entropy(weights: Tensor) -> Tensor:
    """-Σ w ln w of each row, in nats, 0 ln 0 = 0: 0 is one key, ln S is all S keys alike. (…, T, S) -> (…, T)"""
    return -torch.special.xlogy(weights, weights).sum(-1)


def entropy_facts(weights: Tensor, allowed: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    """Entropy in nats and as a share of the most possible, both (L, H)."""
    nats = entropy(weights)  # (L, H, T)
    most = torch.tensor([math.log(end - start) for start, end in allowed], dtype=weights.dtype)
    return {"entropy": nats.mean(-1), "spread": (nats / most)[..., most > 0].mean(-1)}


def confidence(weights: Tensor, query_tokens: Sequence[str], key_tokens: Sequence[str]) -> Tensor | None:
    """Mean of the largest weight of each row, the end of the sentence left out on both sides: (L, H)."""
    rows = [place for place, token in enumerate(query_tokens) if token not in STOPS]
    columns = [place for place, token in enumerate(key_tokens) if token not in STOPS]
    return weights[:, :, rows][..., columns].amax(-1).mean(-1) if rows and columns else None


def distance_facts(weights: Tensor) -> dict[str, Tensor]:
    """How far self-attention reads, and how often it reads its neighbours: each (L, H)."""
    n = weights.shape[-1]
    i = torch.arange(n)
    far = (weights * (i[:, None] - i).abs()).sum(-1).mean(-1)
    first = weights.argmax(-1)  # (L, H, T)
    near = {"previous": (first == i - 1)[..., 1:], "next": (first == i + 1)[..., :-1]}
    return {"distance": far} | {name: hits.double().mean(-1) for name, hits in near.items()}


def alignment_facts(weights: Tensor, key_tokens: Sequence[str]) -> dict[str, Tensor]:
    """How much of cross-attention lies along the diagonal, rows read in both ways: each (L, H).

    The diagonal joins the first query with the first key and the last with the last, </s> with </s>.
    """
    T, S = weights.shape[-2:]
    slope = (S - 1) / max(T - 1, 1)

    def along(rows: Tensor, steps: Tensor) -> Tensor:
        near = (torch.arange(S) - slope * steps[:, None]).abs() <= 1
        return (rows * near).sum(-1).mean(-1)

    return {"alignment": along(weights, torch.arange(T)), "shifted": along(weights[:, :, 1:], torch.arange(T - 1))}


def uniform_facts(allowed: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Entropy and distance of a head that looks at all keys alike that each query may look at: what to compare with.

    allowed: the span [first, end) of keys of each query.

    >>> uniform_facts([[0, 4]] * 4)
    (1.3862943611198906, 1.25)
    """
    n = len(allowed)
    nats = sum(math.log(end - first) for first, end in allowed) / n
    far = (sum(abs(query - key) for key in range(*span)) / (span[1] - span[0]) for query, span in enumerate(allowed))
    return nats, sum(far) / n


def facts_of(reading: Reading, kind: str) -> list[dict[str, Any]]:
    """The facts of the heads of one kind of attention in a reading, each with its `kind`."""
    queries, keys = reading.tokens(kind)
    allowed = reading.allowed(kind)
    rows = head_facts(reading.stack(kind), queries, keys if kind == "cross" else None, allowed=allowed)
    return [{"kind": kind} | row for row in rows]


def survey_heads(
    translator: tc.Translator, texts: Iterable[str], *, effects: bool = False, beam_size: int = 1
) -> list[dict[str, Any]]:
    """Average the facts of every head over many sentences: what a head does, not what it did once.

    effects: also switch every head off for every sentence (a few times slower). Returns a dict for each head of each
    kind with `kind`, `layer`, `head`, `n_sentences` and FACTS.
    """
    readings = (read(translator, text, beam_size) for text in texts)
    sentences = facts_by_head(readings, effects=effects)
    return [head_of(at) | {"n_sentences": len(rows)} | averaged(rows) for at, rows in sentences.items()]


def facts_by_head(readings: Iterable[Reading], *, effects: bool = False) -> dict[HeadAt, list[dict[str, Any]]]:
    """The facts of every head (kind, layer, head) in each of some readings."""
    sentences: dict[HeadAt, list[dict[str, Any]]] = {}
    for reading in readings:
        rows = [row for kind in KINDS for row in facts_of(reading, kind)]
        for row in with_effects(reading, rows) if effects else rows:
            sentences.setdefault((row["kind"], row["layer"], row["head"]), []).append(row)
    return sentences


def head_of(at: HeadAt) -> dict[str, Any]:
    return dict(zip(("kind", "layer", "head"), at, strict=True))


def habits(sentences: dict[HeadAt, list[dict[str, Any]]], facts: Sequence[str]) -> list[dict[str, Any]]:
    """Of every head the role and some facts over many sentences: each fact as [mean, low, high], with 95 % interval.

    mark: "sure" where the role is the same at the lower end of the fact that gives it, "near" where it is not.
    """
    rows = []
    for at, of_sentences in sentences.items():
        columns = {fact: [row[fact] for row in of_sentences if row[fact] is not None] for fact in facts}
        ends = {fact: [mean(values), *(interval(values) or ())] for fact, values in columns.items() if values}
        role = averaged(of_sentences)["role"]
        low = {name: ends[name][1] if name in ends else None for name in MARKS}
        mark = None if role is None else "sure" if role_of(low) == role else "near"
        rows.append(head_of(at) | {"n_sentences": len(of_sentences), "role": role, "mark": mark} | ends)
    return rows


def layer_habit(sentences: dict[HeadAt, list[dict[str, Any]]], kind: str, layer: int, fact: str) -> list[float]:
    """The mean of a fact over the heads of a layer, of every sentence: what spreads from sentence to sentence."""
    heads = [rows for at, rows in sentences.items() if at[:2] == (kind, layer)]
    return [mean([row[fact] for row in of_sentence]) for of_sentence in zip(*heads, strict=True)]


def averaged(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean of each fact over the sentences that have it, and the role that the means give."""
    values = {name: [row[name] for row in rows if row[name] is not None] for name in FACTS if name != "role"}
    means: dict[str, Any] = {name: sum(numbers) / len(numbers) if numbers else None for name, numbers in values.items()}
    return {"role": role_of(means)} | means


# ─── What a cell is made of, and what a head is good for ─────────────────────────────────────────────────────────────


def arithmetic(reading: Reading, kind: str, layer: int, head: int, query: int, key: int) -> dict[str, Any]:
    """Compute one weight again from its query and key, step by step, in float64.

    Returns q, k, dot, score, the row's scores (None where masked), exps = exp(score − max) and softmax, recomputed,
    and weight, the float32 that was recorded.
    """
    here = probe_of(kind, layer)
    q, keys, scores, weights = (reading.trace[f"{here}.{x}"][0, head].cpu() for x in ("q", "k", "scores", "weights"))
    q, keys, open_keys = q[query].double(), keys.double(), scores[query] > -math.inf  # (K,), (S, K), (S,)
    row = (keys @ q / math.sqrt(len(q))).masked_fill(~open_keys, -math.inf)  # (S,)
    exps = (row - row.max()).exp()
    softmax = exps / exps.sum()
    dot = (q @ keys[key]).item()
    return {
        "q": q.tolist(), "k": keys[key].tolist(), "dot": dot, "score": dot / math.sqrt(len(q)),
        "scores": [score if math.isfinite(score) else None for score in row.tolist()], "exps": exps.tolist(),
        "softmax": softmax.tolist(), "recomputed": softmax[key].item(), "weight": weights[query, key].item(),
    }  # fmt: skip


def core_lines() -> tuple[str, str]:
    """The lines of the core that make scores and weights, and where they stand."""
    scores, first = inspect.getsourcelines(tc.attention_scores)
    weights, last = inspect.getsourcelines(tc.attention_weights)
    code = "".join(line for line in [*scores, *weights] if '"""' not in line)
    return code, f"{pathlib.Path(tc.__file__).name}, lines {first} to {last + len(weights) - 1}"


def head_off(head: int) -> Any:
    """An edit for the `heads` probe that silences one head: nothing of it reaches W^O."""

    def off(heads: Tensor) -> Tensor:  # (B, H, T, d_v)
        heads = heads.clone()
        heads[:, head] = 0
        return heads

    return off


@contextlib.contextmanager
def heads_off(model: tc.Transformer, off: Iterable[Sequence]) -> Iterator[None]:
    """Take heads [kind, layer, head] out of a model: `with heads_off(model, [["cross", 3, 5]]): …`."""
    with contextlib.ExitStack() as stack:
        for kind, layer, head in off:
            stack.enter_context(tc.intervene(model, probe_of(kind, layer) + ".heads", head_off(head)))
        yield


def without_heads(reading: Reading, off: Sequence[Sequence], beam_size: int = 4, alpha: float = 0.6) -> dict[str, Any]:
    """Translate again without some heads, and see what it costs the first translation, token by token.

    Returns the words before and after, each with whether it changed, the new translation, and for each token of the
    first translation its log-probability with all heads and Δ, the change without these.
    """
    translator = reading.translator
    with tc.evaluating(translator.model), heads_off(translator.model, off):
        ids = translated(translator, reading.src, beam_size, alpha)
        delta = log_probs(translator.model(reading.src, reading.tgt_in)[0], reading.ids) - reading.log_prob
    after = translator.tgt_tokenizer.decode(ids)
    before_words, after_words = changed_words(reading.translation, after)
    return {
        "before": before_words, "words": after_words, "translation": after, "changed": after != reading.translation,
        "tokens": reading.predicted_pieces, "log_prob": reading.log_prob.tolist(),
        "delta": delta.tolist(), "total": delta.sum().item(),
    }  # fmt: skip


def changed_words(before: str, after: str) -> tuple[list, list]:
    """The words of two sentences, each with whether the other sentence lacks it there: [["Ich", False], …]."""
    old, new = before.split(), after.split()
    old_marks, new_marks = [True] * len(old), [True] * len(new)
    for block in difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        old_marks[block.a : block.a + block.size] = [False] * block.size
        new_marks[block.b : block.b + block.size] = [False] * block.size
    pairs = zip(old, old_marks, strict=True), zip(new, new_marks, strict=True)
    return [list(pair) for pair in pairs[0]], [list(pair) for pair in pairs[1]]


def head_effects(reading: Reading) -> dict[str, Tensor]:
    """Δ log-probability of the translation for every head off by itself, each kind (L, H).

    The heads of a layer go in one batch: row h is the sentence without head h.
    """
    model, n_heads = reading.translator.model, reading.translator.model.config.n_heads
    src, tgt_in, log_prob = reading.src.expand(n_heads, -1), reading.tgt_in.expand(n_heads, -1), reading.log_prob

    def each_its_own(heads: Tensor) -> Tensor:  # (H, H, T, d_v): row h loses head h
        return heads * (1 - torch.eye(n_heads, dtype=heads.dtype, device=heads.device))[..., None, None]

    def effect(kind: str, layer: int) -> Tensor:
        with tc.intervene(model, probe_of(kind, layer) + ".heads", each_its_own):
            return (log_probs(model(src, tgt_in), reading.ids) - log_prob).sum(-1)

    layers = range(model.config.n_layers)
    with tc.evaluating(model):
        return {kind: torch.stack([effect(kind, layer) for layer in layers]).cpu() for kind in KINDS}


def with_effects(reading: Reading, rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Facts with what each head by itself does for the translation, measured."""
    effects = head_effects(reading)
    return [row | {"effect": effects[row["kind"]][row["layer"], row["head"]].item()} for row in rows]


def layer_effects(reading: Reading) -> dict[tuple[str, int], float]:
    """Δ log-probability of the translation with all heads of a layer off, for each kind and layer."""
    config = reading.translator.model.config

    def effect(kind: str, layer: int) -> float:
        with heads_off(reading.translator.model, [[kind, layer, head] for head in range(config.n_heads)]):
            logits = reading.translator.model(reading.src, reading.tgt_in)[0]
        return (log_probs(logits, reading.ids) - reading.log_prob).sum().item()

    with tc.evaluating(reading.translator.model):
        return {(kind, layer): effect(kind, layer) for kind in KINDS for layer in range(config.n_layers)}
