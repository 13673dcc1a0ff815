"""How much does source word j matter for target word i? Answers from inside the model, and what really happens.

    weights       cross-attention, the mean of all layers and heads
    norms         ‖Σ α f(x)‖ of cross-attention, the mean of all layers (Kobayashi et al., 2020)
    rollout       attention through all layers, shares multiplied (Abnar and Zuidema, 2020)
    rollout of norms   the same with the lengths of what is added in the place of weights
    flow          the most that attention through all layers lets through (the same paper)
    gradient      gradient × input: how log p of the word changes with the embedding, along it (Denil et al., 2014)
    integrated    integrated gradients: the same, added up on the way from no embedding (Sundararajan et al., 2017)
    diagonal      how near the two stand to the line from first to last: no model at all, what the others have to beat

Each is one table (T, S) of a reading: row i says ids[i], column j is a source token. They are held against what the
word's log-probability loses when the source token is replaced. That attention need not explain is Jain and Wallace's
finding (2019); that it depends on what an explanation is, Wiegreffe and Pinter's (2019).
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu
from corpora import grammar
from studies.contributions import layer_norms
from studies.reading import Reading, log_probs
from studies.rollout import by_norms, by_weights, flow, rollout
from studies.statistics import bootstrapped, rank_correlation

STEPS = 20  # of integrated gradients

# ─── Gradients ───────────────────────────────────────────────────────────────────────────────────────────────────────


def written_out(q: Tensor, k: Tensor, v: Tensor, mask: tc.Mask) -> Tensor:
    """Equation 1 step by step: a kernel of whose backward pass torch can take many at once."""
    return tc.attention_weights(tc.attention_scores(q, k, mask)) @ v


def source_vectors(reading: Reading) -> Tensor:
    """√d_model · embedding of each source token, without its position: (S, D)."""
    model = reading.translator.model
    return model.src_embedding(reading.src[0]).detach() * model.config.d_model**0.5


def log_probs_of(reading: Reading, vectors: Tensor) -> Tensor:
    """log p of each token of the translation for other vectors in the place of the source's: (B, S, D) -> (B, T)."""
    model, n, S = reading.translator.model, len(vectors), vectors.size(1)
    mask = tc.padding_mask(reading.src)  # (1, 1, 1, S)
    if model.config.window:
        mask = mask & tc.window_mask(S, model.config.window, False, mask.device)
    memory = model.run_encoder(vectors + model.src_positions(S), mask)
    src_mask = (reading.src != tc.PAD).expand(n, -1)
    return log_probs(model.decode(reading.tgt_in.expand(n, -1), memory, src_mask), reading.ids)


def gradients(reading: Reading, vectors: Tensor) -> Tensor:
    """∂ log p of each token / ∂ each vector: (B, S, D) -> (T, B, S, D). A pass forward, T backward in one go."""
    model = reading.translator.model
    with tc.evaluating(model), fast_cpu.kernel(model, written_out), torch.enable_grad():
        vectors = vectors.detach().requires_grad_()
        total = log_probs_of(reading, vectors).sum(0)  # (T,): rows of the batch do not know of each other
        each = torch.eye(len(total), device=total.device)
        return torch.autograd.grad(total, vectors, each, is_grads_batched=True)[0]


def gradient_times_input(reading: Reading) -> Tensor:
    """Σ_d x_d ∂ log p / ∂ x_d, x the source token's scaled embedding: (T, S), in nats."""
    x = source_vectors(reading)
    return (gradients(reading, x[None])[:, 0] * x).sum(-1)


def integrated_gradients(reading: Reading, steps: int = STEPS, baseline: Tensor | None = None) -> Tensor:
    """Gradients along the straight way from a baseline to the sentence, times the way: (T, S), in nats.

    A row adds up to log p less log p at the baseline, the better the more steps there are (midpoint rule). baseline
    (S, D): zero vectors at every word if not given; positions stay, and so does the end of the sentence. Costs `steps`
    sentences forward and T times as many backward.
    """
    x = source_vectors(reading)
    start = without_words(x) if baseline is None else baseline
    places = ((torch.arange(steps, device=x.device) + 0.5) / steps)[:, None, None]
    slopes = gradients(reading, start + places * (x - start)).mean(1)  # (T, S, D)
    return (slopes * (x - start)).sum(-1)


def without_words(vectors: Tensor) -> Tensor:
    """Zero in the place of every word's vector; the end of the sentence stays. (S, D)"""
    start = torch.zeros_like(vectors)
    start[-1] = vectors[-1]
    return start


# ─── The answers ─────────────────────────────────────────────────────────────────────────────────────────────────────


def diagonal(T: int, S: int) -> Tensor:
    """Minus the distance from the line that joins first with first and last with last: (T, S)."""
    slope = (S - 1) / max(T - 1, 1)
    return -(torch.arange(S) - slope * torch.arange(T)[:, None]).abs()


def answers(reading: Reading, residual: float = 0.5, steps: int = STEPS) -> dict[str, Tensor]:
    """Every answer to the question of this page for one reading, each (T, S), on the CPU.

    A second or two in the shipped model.

    residual: the part of the residual in rollout and flow.
    """
    mixing = by_weights(reading, residual)
    tables = {
        "weights": reading.stack("cross").mean((0, 1)),
        "norms": layer_norms(reading, "cross").mean(0),
        "rollout": rollout(mixing)[0],
        "rollout of norms": rollout(by_norms(reading))[0],
        "flow": flow(mixing),
        "gradient": gradient_times_input(reading),
        "integrated": integrated_gradients(reading, steps),
        "diagonal": diagonal(len(reading.ids), reading.src.size(1)),
    }
    return {name: table.cpu() for name, table in tables.items()}


# ─── What really happens ─────────────────────────────────────────────────────────────────────────────────────────────


def losses(reading: Reading, replacements: Sequence[int] | Tensor) -> Tensor:
    """What log p of each token loses when one source token is replaced: (T, S), in nats, above 0 if it mattered.

    replacements: an id for each source word, the end not counted (S − 1), or several (K, S − 1), whose losses are
    averaged. An id of 0 hides the token: nobody reads it. The end's column is 0. One pass over K (S − 1) sentences;
    the table is on the CPU.
    """
    ids = torch.as_tensor(replacements, device=reading.src.device)
    ids, S = ids.reshape(-1, ids.shape[-1]), reading.src.size(1)
    if ids.size(1) != S - 1:
        raise ValueError(f"There are {ids.size(1)} replacements for {S - 1} source tokens; give one for each.")
    src = reading.src.repeat(len(ids), S - 1, 1)  # (K, S − 1, S)
    places = torch.arange(S - 1, device=ids.device)
    src[:, places, places] = ids
    src = src.flatten(0, 1)
    model = reading.translator.model
    with tc.evaluating(model):
        after = log_probs(model(src, reading.tgt_in.expand(len(src), -1)), reading.ids)  # (K·(S − 1), T)
    lost = (reading.log_prob - after).unflatten(0, ids.shape).mean(0).T  # (T, S − 1)
    return torch.nn.functional.pad(lost, (0, 1)).cpu()


def shape_of(piece: str) -> tuple[bool, bool, bool]:
    """What a piece looks like: whether it begins a word, has letters, and has a capital."""
    return piece.startswith("▁"), any(c.isalpha() for c in piece), any(c.isupper() for c in piece)


def of_its_kind(translator: tc.Translator, ids: Sequence[int], known: Sequence[int], n: int = 3) -> Tensor:
    """For each token the n others whose embeddings have the highest cosine with its own, among those that look alike.

    known: ids to choose from, such as all that the sources of a corpus hold, so that no word of the other language
    comes in. Where fewer look alike, all of `known` may come. Returns (n, len(ids)).
    """
    pieces = {i: shape_of(piece) for i, piece in zip(known, translator.tokenizer.pieces(known), strict=True)}
    if len(pieces) <= n:
        raise ValueError(f"known holds {len(pieces)} ids, and {n} others are wanted for each token; give more.")
    table = torch.nn.functional.normalize(translator.model.src_embedding.weight.detach(), dim=-1)
    columns = []
    for i, piece in zip(ids, translator.tokenizer.pieces(ids), strict=True):
        alike = [other for other, shape in pieces.items() if other != i and shape == shape_of(piece)]
        others = alike if len(alike) >= n else [other for other in pieces if other != i]
        nearest = (table[others] @ table[i]).topk(n).indices.tolist()
        columns.append([others[place] for place in nearest])
    return torch.tensor(columns).T


def english_ids(tokenizer: tc.Tokenizer, n: int = 1000) -> list[int]:
    """The ids of the pieces in n English sentences of the grammar: what `of_its_kind` chooses from without a corpus."""
    pairs = grammar.sample(n, difficulty=3)
    return sorted({i for pair in pairs for i in tokenizer.encode(pair.english)})


# ─── How far an answer may be believed ───────────────────────────────────────────────────────────────────────────────


def agreement(answer: Tensor, truth: Tensor) -> Tensor:
    """Spearman's rank correlation over the source words of a target word, the mean over target words: (…, T, S) -> (…).

    The ends of both sentences are left out, and rows in which either side has one value only. NaN where no row is left.
    """
    rows = rank_correlation(answer[..., :-1, :-1].double(), truth[..., :-1, :-1].double())  # (…, T − 1)
    return rows.nanmean(-1)


def same_first(answer: Tensor, truth: Tensor) -> Tensor:
    """The share of target words for which both hold the same source word the most important: (…, T, S) -> (…).

    The ends are left out. Where one word matters and the ranks of the others are noise, it says more than `agreement`.
    """
    first, wanted = (table[..., :-1, :-1].argmax(-1) for table in (answer, truth))  # (…, T − 1)
    return (first == wanted).double().mean(-1)


def agreements(tables: dict[str, Tensor], truths: dict[str, Tensor]) -> dict[str, dict[str, float]]:
    """Of each answer the agreement with each truth, by name.

    "… in size" compares both without their signs, "… first" says how often the same word is first.
    """
    return {
        name: {
            **{truth: agreement(table, lost).item() for truth, lost in truths.items()},
            **{f"{truth} in size": agreement(sized(name, table), lost.abs()).item() for truth, lost in truths.items()},
            **{f"{truth} first": same_first(table, lost).item() for truth, lost in truths.items()},
        }
        for name, table in tables.items()
    }


def sized(name: str, table: Tensor) -> Tensor:
    """An answer without its signs; minus a distance has none to take away."""
    return table if name == "diagonal" else table.abs()


def head_agreements(reading: Reading, truth: Tensor) -> Tensor:
    """The agreement of each head's cross-attention by itself: (L, H)."""
    return agreement(reading.stack("cross"), truth)


def over_sentences(rows: Sequence[dict[str, dict[str, float]]]) -> dict[str, dict[str, list[float]]]:
    """The mean of `agreements` over sentences, with its 95 % interval (bootstrap); NaNs are left out."""
    return {
        name: {
            truth: bootstrapped([row[name][truth] for row in rows if row[name][truth] == row[name][truth]])
            for truth in rows[0][name]
        }
        for name in rows[0]
    }
