"""Where a token stands: sinusoids, their rotation M_k, and what a trained model makes of moved positions (3.5).

The numbers are those of the core's `sinusoidal_positions`, in float64. `moved` changes the positions inside a model
while it works.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from core_options import ways

# ─── The formula, and what follows from it ───────────────────────────────────────────────────────────────────────────


def frequencies(d_model: int, base: float = 10_000.0) -> Tensor:
    """ω_i = base^(-2i/d_model): how far, in radians, the hand of pair i turns from one position to the next. (D/2,)"""
    if d_model < 2 or d_model % 2:
        raise ValueError(f"d_model is {d_model}; sines and cosines pair up, so it must be even, such as 512.")
    return base ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)


def wavelengths(d_model: int, base: float = 10_000.0) -> Tensor:
    """2π/ω_i: after how many positions pair i comes round. (D/2,)"""
    return 2 * math.pi / frequencies(d_model, base)


def rotation(k: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """M_k with PE(p + k) = M_k PE(p) for every p: on its diagonal one 2 × 2 rotation a pair, elsewhere 0. (D, D)

    A pair (sin ωp, cos ωp) turned by ωk: [[cos ωk, sin ωk], [-sin ωk, cos ωk]].
    """
    angle = k * frequencies(d_model, base)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([torch.stack([cos, sin], -1), torch.stack([-sin, cos], -1)], -2)  # (D/2, 2, 2)
    return torch.block_diag(*blocks)


def rotation_error(k: int, n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """max over features of |M_k PE(p) - PE(p + k)|, at each position p < n: float64 (n,)"""
    table = tc.sinusoidal_positions(n + k, d_model, base)
    moved = table[:n] @ rotation(k, d_model, base).T  # every row turned
    return (moved - table[k:]).abs().amax(-1)


def similarity(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """Σ_i cos(ω_i k) for k = 0 … n - 1: what PE(p) · PE(p + k) is, wherever p stands. (n,)"""
    return (torch.arange(n, dtype=torch.float64)[:, None] * frequencies(d_model, base)).cos().sum(-1)


def halves(table: Tensor) -> Tensor:
    """The same columns in another order: all sines, then all cosines. (n, D)"""
    return torch.cat([table[:, 0::2], table[:, 1::2]], dim=1)


def tensor2tensor_positions(n: int, d_model: int, base: float = 10_000.0) -> Tensor:
    """What the authors' code adds: sines, then cosines, with d_model/2 - 1 in place of d_model/2. float64 (n, D)

    Its last wavelength is exactly 2π · base, so its frequencies are not those of the paper, in whatever order.
    """
    if d_model < 4 or d_model % 2:
        raise ValueError(f"d_model is {d_model}; this variant divides by d_model/2 - 1: pass an even number from 4 on.")
    pairs = d_model // 2
    frequency = base ** (-torch.arange(pairs, dtype=torch.float64) / (pairs - 1))
    angle = torch.arange(n, dtype=torch.float64)[:, None] * frequency
    return torch.cat([angle.sin(), angle.cos()], dim=1)


def alike(table: Tensor) -> Tensor:
    """The cosine between any two rows of a table of positions: (n, n)"""
    unit = table / table.norm(dim=1, keepdim=True)
    return unit @ unit.T


# ─── Positions inside a model ────────────────────────────────────────────────────────────────────────────────────────

Edit = Callable[[Tensor, int], Tensor]  # what is to be added at start, start + 1, … in place of a table (n, D)


@contextlib.contextmanager
def moved(model: tc.Transformer, side: str, edit: Edit) -> Iterator[None]:
    """Inside, the positions added to one side ("source" or "target") are edit(positions (n, D), start)."""
    sides = {"source": model.src_positions, "target": model.tgt_positions}
    if side not in sides:
        raise ValueError(f"side is {side!r}; choose 'source' or 'target'.")

    def replaced(_: object, arguments: tuple, positions: Tensor) -> Tensor:
        return edit(positions, arguments[1] if len(arguments) > 1 else 0)

    hook = sides[side].register_forward_hook(replaced)
    try:
        yield
    finally:
        hook.remove()


def removed(positions: Tensor, start: int) -> Tensor:
    """No position at all: zeros."""
    return torch.zeros_like(positions)


def shuffled(seed: int) -> Edit:
    """The same positions in a random order, which the seed decides."""

    def edit(positions: Tensor, start: int) -> Tensor:
        return positions[torch.randperm(len(positions), generator=torch.Generator().manual_seed(seed))]

    return edit


def turned_round(positions: Tensor, start: int) -> Tensor:
    """The last word gets the first position."""
    return positions.flip(0)


def later(k: int) -> Edit:
    """Every position k further on, as if k tokens stood before."""

    def edit(positions: Tensor, start: int) -> Tensor:
        n, d_model = positions.shape
        return tc.sinusoidal_positions(start + k + n, d_model)[start + k :].to(positions)

    return edit


def placed(places: Sequence[int]) -> Edit:
    """To each token the sinusoid of the place named for it, -1 for none."""

    def edit(positions: Tensor, start: int) -> Tensor:
        if len(places) != len(positions):
            raise ValueError(f"There are {len(places)} places for {len(positions)} tokens; name one for each.")
        index = torch.tensor([*places], device=positions.device)
        table = tc.sinusoidal_positions(int(index.max()) + 2, positions.size(1)).to(positions)
        return table[index].masked_fill((index < 0)[:, None], 0.0)

    return edit


def log_prob(translator: tc.Translator, text: str, translation: str) -> float:
    """The log-probability in nats of a translation, its end included."""
    sides = translator.tokenizer.encode(tc.clean(text)), translator.tgt_tokenizer.encode(tc.clean(translation))
    batch = tc.Batch.of([sides])
    nll = ways.validation_nll(translator.model, [batch], "fp32")
    return -nll * batch.n_tokens


def without_order(
    translator: tc.Translator, text: str, edits: Mapping[str, Sequence[tuple[str, Edit]]]
) -> list[dict[str, Any]]:
    """What the model makes of a sentence when its positions change: a row for each named list of (side, edit).

    loss: by how many nats the model's own first translation became less likely.
    """
    first = translator.translate([text])[0]
    rows = [dict(positions="as trained", translation=first, loss=0.0)]
    for name, changes in edits.items():
        rows.append(dict(positions=name) | changed(translator, text, first, changes))
    return rows


def changed(translator: tc.Translator, text: str, first: str, changes: Sequence[tuple[str, Edit]]) -> dict[str, Any]:
    """The translation under some changes of positions, and the nats that they take from the first one.

    A model without its bearings may never end: the translation has at most 15 tokens more than the source.
    """
    whole = log_prob(translator, text, first)
    with contextlib.ExitStack() as inside:
        for side, edit in changes:
            inside.enter_context(moved(translator.model, side, edit))
        ids = tc.beam_search(translator.model, translator.source([text]), max_extra=15)[0].ids
        translation = tc.clean(translator.tgt_tokenizer.decode(ids))
        return dict(translation=translation, loss=whole - log_prob(translator, text, first))


def cost_of_moving(
    translator: tc.Translator, texts: Sequence[str], shifts: Sequence[int], sides: Sequence[str] = ("source",)
) -> list[float]:
    """By how many nats a token the model's own translations become less likely when positions begin at each shift."""
    src, tgt, lines = translator.tokenizer, translator.tgt_tokenizer, translator.translate(texts)
    pairs = [(src.encode(tc.clean(text)), tgt.encode(line)) for text, line in zip(texts, lines, strict=True)]
    batch = tc.Batch.of(pairs)
    costs = []
    for k in shifts:
        with contextlib.ExitStack() as inside:
            for side in sides:
                inside.enter_context(moved(translator.model, side, later(k)))
            costs.append(ways.validation_nll(translator.model, [batch], "fp32"))
    whole = ways.validation_nll(translator.model, [batch], "fp32")
    return [round(cost - whole, 3) for cost in costs]  # what is beyond differs from one processor to the next


# ─── Past the length of training ─────────────────────────────────────────────────────────────────────────────────────

KINDS = ("sinusoidal", "learned, longer table", "learned", "none")  # of positions, as experiments/positions.py trains


def scores_of(results: dict[str, Any], task: str, kind: str, name: str) -> list[list[float | None]]:
    """One list a length (name "accuracy") or a place ("by_place"): the share right of each seed, None if refused."""
    runs = [run[name] for run in results["runs"] if (run["task"], run["positions"]) == (task, kind)]
    return [list(column) for column in zip(*runs, strict=True)]


def mean_scores(results: dict[str, Any], task: str, kind: str) -> dict[str, list[float | None]]:
    """The mean over seeds of what scores_of lists, None where the core refused."""

    def mean(shares: list[float | None]) -> float | None:
        known = [share for share in shares if share is not None]
        return sum(known) / len(known) if len(known) == len(shares) else None

    names = ("accuracy", "by_place")
    return {name: [mean(shares) for shares in scores_of(results, task, kind, name)] for name in names}


def learned_table(results: dict[str, Any], task: str) -> dict[str, Any]:
    """The trained table that the results hold, as explore_positions takes it."""
    run = next(run for run in results["runs"] if run["task"] == task and run.get("table"))
    return {
        "rows": run["table"],
        "trained": results["trained"] + 1,
        "shows": f"trained: experiments/positions.py, {task}",
    }
