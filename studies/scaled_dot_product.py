"""Scaled dot-product attention in numbers: a toy small enough to check by hand, and what the scale 1/√d_k does.

The toy has 6 features and 3 heads of 2; `as_module` makes the core's own attention of it. `score_statistics` draws
random queries and keys of any width. The rest reads what experiments/scaled_dot_product.py stored.
"""

from __future__ import annotations

import json
import math
import pathlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from studies.attention import entropy

DATA = pathlib.Path(__file__).parent.parent / "notebooks" / "data"

# ─── The toy: 6 features, 3 heads of 2 ───────────────────────────────────────────────────────────────────────────────


class Toy(NamedTuple):
    """Tokens and matrices of a multi-head attention: x (L, D), w_q, w_k (H, D, K), w_v (H, D, d_v), w_o (H·d_v, D)."""

    tokens: list[str]
    x: Tensor
    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor


# Numbers made up so that all can be checked by hand: synthetic, nothing was trained. Rows of a matrix stand in a line.
TOKENS = ["I", "am", "a", "teacher", "of", "maths"]

X = "0 1 0 -1 0 -1, 1 -1 -1 -1 -1 -1, -1 0 0 -1 2 0, 0 1 0 1 -1 0, 0 0 0 -1 -1 0, 1 0 1 -1 -1 1"

STUDENT = [1.0, 1.0, 0.0, 1.0, -1.0, 0.0]  # in the place of the teacher

W_Q = [
    "-1 .5, -.5 1, -.5 -.5, -1 1, -1 .5, .5 -.5",
    "1 1, -.5 .5, -1 -1, .5 -.5, 1 1, -.5 .5",
    "-1 .5, .5 1, -1 -.5, .5 .5, -1 1, .5 -1",
]

W_K = [
    "-.5 .5, -1 .5, .5 .5, -.5 -1, .5 .5, .5 -.5",
    ".5 -.5, 1 -1, .5 -.5, -.5 .5, -.5 1, .5 .5",
    "1 .5, .5 1, -1 1, -.5 -.5, -.5 -1, .5 .5",
]

W_V = [
    ".5 1, -1 1, .5 .5, -.5 -1, .5 -.5, .5 -.5",
    "-.5 .5, -1 -.5, 1 .5, 1 1, -.5 1, .5 .5",
    ".5 1, -1 -.5, -1 -.5, 1 .5, -.5 .5, -.5 .5",
]

W_O = (
    "-.5 .5 .5 .5 -1 -.5, -1 -.5 1 .5 .5 -.5, .5 -1 .5 1 1 -1, "
    "-1 .5 -.5 1 .5 .5, .5 -1 -.5 -.5 .5 -1, .5 -.5 -1 -1 -.5 -.5"
)


def matrix(text: str) -> Tensor:
    """A matrix from its rows, parted by commas: float64.

    >>> matrix("1 .5, -1 2").tolist()
    [[1.0, 0.5], [-1.0, 2.0]]
    """
    return torch.tensor([[float(number) for number in row.split()] for row in text.split(",")], dtype=torch.float64)


def toy(n_tokens: int = 4) -> Toy:
    """The toy of this notebook: d_model = 6, 3 heads of d_k = d_v = 2, the first n_tokens of its sentence."""
    if not 1 <= n_tokens <= len(TOKENS):
        raise ValueError(f"The toy has {len(TOKENS)} tokens, not {n_tokens}; ask for 1 to {len(TOKENS)}.")
    w_q, w_k, w_v = (torch.stack([matrix(head) for head in heads]) for heads in (W_Q, W_K, W_V))
    return Toy(TOKENS[:n_tokens], matrix(X)[:n_tokens], w_q, w_k, w_v, matrix(W_O))


def as_module(toy: Toy) -> tc.MultiHeadAttention:
    """The core's own multi-head attention, in float64, with these matrices as its weights."""
    (n_heads, d_model, d_k), d_v = toy.w_q.shape, toy.w_v.shape[-1]
    config = tc.TransformerConfig(1, d_model=d_model, n_heads=n_heads, d_k=d_k, d_v=d_v)
    module = tc.MultiHeadAttention(config).double()
    with torch.no_grad():
        for linear, heads in ((module.w_q, toy.w_q), (module.w_k, toy.w_k), (module.w_v, toy.w_v)):
            linear.weight.copy_(heads.transpose(1, 2).flatten(0, 1))  # (H·K, D): the heads' rows one below the other
        module.w_o.weight.copy_(toy.w_o.T)
    return module


def shape_trace(module: tc.MultiHeadAttention, x: Tensor) -> list[tuple[str, tuple[int, ...]]]:
    """What passes through the core's attention for x (L, D), step by step: names and shapes, of heads those of one."""
    with tc.record(module) as trace:
        out = module(x[None], x[None], None)
    shapes = [(name, tuple(trace[name][0, 0].shape)) for name in ("q", "k", "v", "scores", "weights", "heads")]
    concat = (len(x), trace["heads"].shape[1] * trace["heads"].shape[3])
    return [("x", tuple(x.shape)), *shapes, ("concat", concat), ("out", tuple(out[0].shape))]


def as_convolutions(ffn: tc.FeedForward) -> nn.Sequential:
    """A feed-forward layer as two convolutions of kernel 1 with the same weights: (B, D, n) -> (B, D, n)."""
    (d_ff, d_model), first, second = ffn.w_1.weight.shape, ffn.w_1, ffn.w_2
    convolutions = nn.Sequential(nn.Conv1d(d_model, d_ff, 1), nn.ReLU(), nn.Conv1d(d_ff, d_model, 1)).to(first.weight)
    weights = [first.weight[:, :, None], first.bias, second.weight[:, :, None], second.bias]
    with torch.no_grad():
        for parameter, weight in zip(convolutions.parameters(), weights, strict=True):
            parameter.data = weight.clone()
    return convolutions


def count_macs(run: Callable[[], Any]) -> int:
    """How many multiply-adds a computation does, by torch's own counter (2 FLOPs each)."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:  # it sees no fused kernel of a CPU
        run()
    return counter.get_total_flops() // 2


# ─── What the scale does ─────────────────────────────────────────────────────────────────────────────────────────────


def dot_variance(d_k: int, n: int = 40_000, seed: int = 0) -> float:
    """The variance of q · k over n pairs of random vectors whose numbers have mean 0 and variance 1."""
    generator = torch.Generator().manual_seed(seed)
    dots = [
        (torch.randn(size, d_k, generator=generator) * torch.randn(size, d_k, generator=generator)).sum(-1)
        for size in [2000] * (n // 2000)
    ]
    return torch.cat(dots).double().var().item()


def softmax_statistics(scores: Tensor) -> dict[str, float]:
    """Of scores (…, S): mean largest weight, mean entropy in nats, and the mean trace of the softmax's Jacobian.

    The Jacobian of p = softmax(s) is diag(p) − p pᵀ; its trace is 1 − Σ p²: near 0, hardly any gradient gets through.
    """
    p = tc.attention_weights(scores)
    values = {"largest": p.amax(-1), "entropy": entropy(p), "trace": 1 - (p * p).sum(-1)}
    return {name: value.mean().item() for name, value in values.items()}


def score_statistics(
    d_k: int, scaled: bool, n_queries: int = 1200, n_keys: int = 32, seed: int = 0
) -> dict[str, float]:
    """`softmax_statistics` of random queries, each with random keys of its own, and the variance of the scores."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for size in [100] * (n_queries // 100):
        q, k = (torch.randn(size, n, d_k, generator=generator).double() for n in (1, n_keys))
        rows.append(tc.attention_scores(q, k)[:, 0] * (1 if scaled else math.sqrt(d_k)))
    scores = torch.cat(rows)
    return {"variance": scores.var().item()} | softmax_statistics(scores)


# ─── Results of experiments/scaled_dot_product.py ──────────────────────────────────────────────────────


def steps_of(result: dict) -> list[int]:
    """The steps at which the accuracy was taken."""
    return list(range(0, result["steps"] + 1, result["every"]))


def after(result: dict, runs: Sequence[Sequence[float]], step: int) -> list[float]:
    """The accuracy of each run after so many steps."""
    return [run[step // result["every"]] for run in runs]


def stored(name: str) -> dict:
    """A stored result of experiments/scaled_dot_product.py: "scale", "scores" or "heads"."""
    path = DATA / f"attention_{name}.json"
    if not path.exists():
        raise ValueError(f"There is no {path}; make it with: python -m experiments.scaled_dot_product {name}")
    return json.loads(path.read_text(encoding="utf-8"))


def said(result: dict) -> str:
    """The command and the machine that made a result."""
    return f"{result['command']}   ({result['cpu_seconds']} s on {result['machine']})"


def in_a_line(result: dict, step: int = 100) -> str:
    """What a result of any of the three commands says, in one line."""

    def mean(runs: Sequence[Sequence[float]], step: int = step) -> str:
        shares = after(result, runs, min(step, result["steps"]))
        return f"{sum(shares) / len(shares):.2f}"

    if "curves" in result:
        parts = [f"{kind} {mean(runs['0.001'])}" for kind, runs in result["curves"].items()]
        return f"right after {step} steps at rate 0.001, d_k {result['d_k']}: {', '.join(parts)}"
    if "maps" in result:
        plain = [row for row in result["rows"] if not row["feed_forward"]]
        parts = [f"{row['n_heads']}: {mean(row['curves'], result['steps'])}" for row in plain]
        return f"right after {result['steps']} steps, by number of heads: {', '.join(parts)}"
    widest = max(row["d_k"] for row in result["rows"])
    parts = [f"{row['scores']} {mean(row['curves'])}" for row in result["rows"] if row["d_k"] == widest]
    return f"right after {step} steps at d_k {widest}: {', '.join(parts)}"
