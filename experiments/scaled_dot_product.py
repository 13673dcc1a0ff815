"""Three questions about attention, answered by training small models on tasks made here.

    python -m experiments.scaled_dot_product scale    does dividing by √d_k matter for learning, at small and large d_k?
    python -m experiments.scaled_dot_product scores   additive, dot-product and scaled: accuracy, gradient, time, memory
    python -m experiments.scaled_dot_product heads    one head against several, where two places must be read at once

Each takes a few minutes on one core, says how far it is, and writes a small JSON (by default into notebooks/data) with
the command and the machine that made it. The layers are those of the core.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

import transformer_core as tc
from experiments import bench

SCORES = ("additive", "dot product", "scaled")

# ─── Tasks ───────────────────────────────────────────────────────────────────────────────────────────────────────────

N_KEYS, N_VALUES, S, T = 32, 16, 16, 4  # of the lookup task
N_TOKENS, N = 16, 12  # of the task of two neighbours


def lookup_batch(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Pairs of a key and a value, and queries naming some keys: keys, values (B, S), queries, answers (B, T)."""
    keys = torch.rand(n, N_KEYS, generator=generator).argsort(-1)[:, :S]  # S different keys
    values = torch.randint(N_VALUES, (n, S), generator=generator)
    places = torch.rand(n, S, generator=generator).argsort(-1)[:, :T]
    return keys, values, keys.gather(1, places), values.gather(1, places)


def neighbours_batch(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Tokens (B, N), and what stands before and after each (B, N - 2, 2), the two ends left out."""
    tokens = torch.randint(N_TOKENS, (n, N), generator=generator)
    return tokens, torch.stack([tokens[:, :-2], tokens[:, 2:]], -1)


# ─── Models ──────────────────────────────────────────────────────────────────────────────────────────────────────────


class AdditiveAttention(tc.MultiHeadAttention):
    """Attention whose scores are vᵀ tanh(q + k), the compatibility function of Bahdanau et al. (2015)."""

    def __init__(self, config: tc.TransformerConfig):
        super().__init__(config)
        self.v_score = nn.Parameter(torch.randn(config.d_k) * config.d_k**-0.5)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None, cache: Any = None) -> Tensor:
        q = self.q(self.split(self.w_q(x)))  # (B, H, T, K)
        k, v = self.keys_values(memory)
        scores = self.scores(additive_scores(q, k, self.v_score))  # (B, H, T, S)
        heads = self.weights(tc.attention_weights(scores)) @ v  # (B, H, T, d_v)
        return self.w_o(self.heads(heads).transpose(1, 2).flatten(2))  # (B, T, D)


def additive_scores(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """vᵀ tanh(q + k) for every query and key: (B, H, T, K), (B, H, S, K) -> (B, H, T, S)."""
    return torch.tanh(q.unsqueeze(-2) + k.unsqueeze(-3)) @ v


class Lookup(nn.Module):
    """One head that reads key-value pairs: the query names a key, the answer is its value."""

    def __init__(self, scores: str, d_k: int, d_model: int = 64):
        super().__init__()
        config = tc.TransformerConfig(N_VALUES, d_model=d_model, n_heads=1, d_k=d_k, d_v=d_model)
        self.keys, self.values = nn.Embedding(N_KEYS, d_model), nn.Embedding(N_VALUES, d_model)
        self.attention = AdditiveAttention(config) if scores == "additive" else tc.MultiHeadAttention(config)
        self.answer = nn.Linear(d_model, N_VALUES)
        for weight in (self.attention.w_q.weight, self.attention.w_k.weight):  # q and k of mean 0 and variance 1, as in
            nn.init.normal_(weight, std=d_model**-0.5)  # the paper's footnote, whatever d_k
        if scores == "dot product":  # the core's scores without their division
            self.attention.scores.edits.append(lambda scores: scores * math.sqrt(d_k))

    def forward(self, keys: Tensor, values: Tensor, queries: Tensor) -> Tensor:
        memory = (self.keys(keys) + self.values(values)) / math.sqrt(2)  # (B, S, D), of variance 1
        return self.answer(self.attention(self.keys(queries), memory, None))  # (B, T, values)


class Neighbours(nn.Module):
    """One attention layer, all of one width, that must say the token before and the token after each place."""

    def __init__(self, n_heads: int, feed_forward: bool = False, width: int = 64):
        super().__init__()
        each = width // n_heads
        config = tc.TransformerConfig(
            N_TOKENS, d_model=width, d_ff=4 * width, n_heads=n_heads, d_k=each, d_v=each, p_drop=0.0
        )
        self.embedding, self.positions = nn.Embedding(N_TOKENS, width), tc.Positions(config)
        self.attention = tc.MultiHeadAttention(config)
        self.feed_forward = tc.FeedForward(config) if feed_forward else None
        self.answer = nn.Linear(width, 2 * N_TOKENS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.positions(tokens.size(1))  # (B, N, D)
        x = self.attention(x, x, None)
        x = x if self.feed_forward is None else x + self.feed_forward(x)
        return self.answer(x)[:, 1:-1].unflatten(-1, (2, N_TOKENS))  # (B, N - 2, 2, tokens)


# ─── Training and measuring ──────────────────────────────────────────────────────────────────────────────────────────


def fit(model: nn.Module, make: Callable, seed: int, steps: int, rate: float, every: int = 10) -> list[float]:
    """Train on fresh batches with Adam; returns the accuracy on data not trained on, from step 0 on, every so often."""
    generator, unseen = torch.Generator().manual_seed(seed), make(256, torch.Generator().manual_seed(10_000 + seed))
    optimizer = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98), eps=1e-9)
    curve = []
    for step in range(steps + 1):
        if step % every == 0:
            curve.append(accuracy(model, unseen))
        *inputs, wanted = make(32, generator)
        loss = F.cross_entropy(model(*inputs).flatten(0, -2), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return curve


@torch.no_grad()
def accuracy(model: nn.Module, unseen: tuple[Tensor, ...]) -> float:
    *inputs, wanted = unseen
    return round((model(*inputs).argmax(-1) == wanted).double().mean().item(), 4)


def at_start(model: Lookup, seed: int) -> dict[str, float]:
    """Before training: the mean largest weight, and the mean length of the gradient that reaches a row of scores."""
    *inputs, wanted = lookup_batch(256, torch.Generator().manual_seed(20_000 + seed))
    score_maps: list[Tensor] = []
    with tc.record(model, "*weights") as trace, tc.intervene(model, "*scores", lambda x: score_maps.append(x) or x):  # type: ignore[func-returns-value]
        logits = model(*inputs)
    losses = F.cross_entropy(logits.flatten(0, -2), wanted.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(losses, score_maps)
    return {
        "largest": trace["attention.weights"].amax(-1).mean().item(),
        "gradient": gradient.norm(dim=-1).mean().item(),
    }


def cost(scores: str, d_k: int, n: int = 128, times: int = 15) -> dict[str, float]:
    """The scores of n queries and n keys, there and back: milliseconds (the best of some), MB kept for the way back."""
    q, k = (torch.randn(1, 1, n, d_k, requires_grad=True) for _ in range(2))
    v = torch.randn(d_k, requires_grad=True)
    compute = {
        "additive": lambda: additive_scores(q, k, v),
        "dot product": lambda: q @ k.transpose(-2, -1),
        "scaled": lambda: tc.attention_scores(q, k),
    }[scores]
    sizes: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        sizes[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        compute().sum().backward()
    took = []
    for _ in range(times):
        start = time.process_time()  # of this core alone: what else the machine does is left out
        compute().sum().backward()
        took.append(1000 * (time.process_time() - start))
    return {"milliseconds": min(took), "megabytes": sum(sizes.values()) / 1e6}


def steps_to(share: float, curve: list[float], every: int = 10) -> int | None:
    """The first step at which a curve reaches a share of right answers."""
    return next((every * n for n, right in enumerate(curve) if right >= share), None)


# ─── Commands ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write(name: str, out: Path | None, began: float, result: dict[str, Any]) -> None:
    """Write a result with what made it."""
    seconds = round(time.process_time() - began)
    about = bench.head(f"attention_{name}", f"python -m experiments.scaled_dot_product {name}", cpu_seconds=seconds)
    bench.write(out or bench.DATA / f"attention_{name}.json", about | result)
    print(f"written, after {seconds} s of one core")


def scale_command(steps: int = 300, seeds: int = 3, d_k: int = 512, out: Path | None = None) -> None:
    """Train the look-up task with and without the division by √d_k, at four learning rates.

    Args:
        steps: of each training
        seeds: how many trainings of each kind
        d_k: width of queries and keys
        out: the JSON written; notebooks/data/attention_scale.json if not given
    """
    began, rates = time.process_time(), (0.0005, 0.001, 0.002, 0.004)
    curves: dict[str, dict[str, list]] = {"scaled": {}, "dot product": {}}
    start: dict[str, dict[str, float]] = {}
    for scores in curves:
        for rate in rates:
            runs = curves[scores][f"{rate:g}"] = []
            for seed in range(seeds):
                torch.manual_seed(seed)
                model = Lookup(scores, d_k)
                start.setdefault(scores, bench.rounded(at_start(model, seed)))
                runs.append(fit(model, lookup_batch, seed, steps, rate))
                print(
                    f"{scores}, d_k {d_k}, rate {rate:g}, seed {seed}: {runs[-1][-1]:.3f} right at the end", flush=True
                )
    write("scale", out, began, {"d_k": d_k, "steps": steps, "every": 10, "start": start, "curves": curves})


def scores_command(
    steps: int = 300,
    seeds: int = 3,
    rate: float = 0.001,
    widths: tuple[int, ...] = (4, 16, 64, 256, 1024),
    out: Path | None = None,
) -> None:
    """Train the look-up task with additive, dot-product and scaled scores, narrow to wide, and measure what they cost.

    Args:
        steps: of each training
        seeds: how many trainings of each kind
        rate: learning rate
        widths: of queries and keys, d_k
        out: the JSON written; notebooks/data/attention_scores.json if not given
    """
    began, rows = time.process_time(), []
    for d_k in widths:
        for scores in SCORES:
            runs, starts = [], []
            for seed in range(seeds):
                torch.manual_seed(seed)
                model = Lookup(scores, d_k)
                starts.append(at_start(model, seed))
                runs.append(fit(model, lookup_batch, seed, steps, rate))
            means = {name: statistics.mean(start[name] for start in starts) for name in starts[0]}
            row = {"d_k": d_k, "scores": scores, "curves": runs, **bench.rounded(means | cost(scores, d_k))}
            rows.append(row | {"accuracy": statistics.mean(run[-1] for run in runs)})
            print(f"{scores}, d_k {d_k}: {rows[-1]['accuracy']:.3f} right, {row['milliseconds']:.2f} ms", flush=True)
    write("scores", out, began, {"steps": steps, "every": 10, "rate": rate, "rows": rows})


def heads_command(steps: int = 600, seeds: int = 3, rate: float = 0.002, out: Path | None = None) -> None:
    """Train one attention layer to say the token before and the token after each place, with 1, 2 and 4 heads.

    Args:
        steps: of each training
        seeds: how many trainings of each kind
        rate: learning rate
        out: the JSON written; notebooks/data/attention_heads.json if not given
    """
    began, rows, maps = time.process_time(), [], {}
    shown = neighbours_batch(1, torch.Generator().manual_seed(7))[0]  # (1, N)
    for n_heads, feed_forward in ((1, False), (2, False), (4, False), (1, True), (2, True)):
        runs = []
        for seed in range(seeds):
            torch.manual_seed(seed)
            model = Neighbours(n_heads, feed_forward)
            runs.append(fit(model, neighbours_batch, seed, steps, rate))
            if seed == 0 and not feed_forward:
                with tc.record(model, "*weights") as trace, torch.no_grad():
                    model(shown)
                maps[str(n_heads)] = [
                    [[round(w, 4) for w in row] for row in head] for head in trace["attention.weights"][0].tolist()
                ]
        rows.append(
            {"n_heads": n_heads, "feed_forward": feed_forward, "parameters": tc.count_parameters(model), "curves": runs}
        )
        print(f"{n_heads} heads{', feed-forward' * feed_forward}: {[run[-1] for run in runs]} right", flush=True)
    tokens = [chr(ord("a") + token) for token in shown[0].tolist()]
    write(
        "heads", out, began, {"steps": steps, "every": 10, "rate": rate, "rows": rows, "tokens": tokens, "maps": maps}
    )


def main() -> int:
    import tyro

    torch.set_num_threads(1)
    commands = {"scale": scale_command, "scores": scores_command, "heads": heads_command}
    tyro.extras.subcommand_cli_from_dict(dict[str, Any](commands), description=__doc__.split("\n")[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())
