"""Table 1 measured: multiply-adds, chains and paths of real layers, and what the clock said of them.

The formulas and the layers themselves are those of baselines.py; what was timed is a stored result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import torch

import baselines

MEASURED_TO = {"path": 128, "chain": 1024}  # the longest n whose path, or chain, is measured at once


# ─── Counted and measured ────────────────────────────────────────────────────────────────────────────────────────────


def measure_layers(names: Iterable[str], n: int, d: int, k: int, r: int, causal: bool = True) -> dict[str, dict]:
    """Count the multiply-adds, the longest chain and the path of real layers; what would take long is "not tried".

    torch's counter runs on its "meta" device, where nothing is computed; chains and paths are of narrow layers, as
    they do not depend on d.
    """
    measured = {}
    for name in names:
        make = baselines.kind_of(name).make
        with torch.device("meta"):
            counted = baselines.measured_multiply_adds(make(d=d, k=k, r=r, causal=causal), n, d)
        chain: Any = "not tried"
        if n <= MEASURED_TO["chain"]:
            chain = baselines.measured_sequential_operations(make(d=8, k=k, r=r, causal=causal), n, 8)
        path: Any = "not tried"
        if n <= MEASURED_TO["path"] and (causal or baselines.kind_of(name).path[:3] != "log"):
            path = baselines.measured_path_length(name, n, k, r, causal)
        measured[name] = {"multiply_adds": counted, "sequential": chain, "path": path}
    return measured


# ─── What was timed ──────────────────────────────────────────────────────────────────────────────────────────────────


def made_by(result: dict[str, Any]) -> str:
    """The command and the machine of a result, in words."""
    machine = result["machine"]
    return (
        f"{machine['device']}, {machine['threads']} of {machine['cores']} cores, torch {machine['torch']}; "
        f"{result['command']}"
    )


def timed(result: dict[str, Any], layer: str, d: int, field: str = "ms") -> dict[int, float]:
    """One figure of a layer over n: "ms" (median), "low", "high" (quartiles), "bytes" (kept for backward)."""
    figures = {row["n"]: row[field] for row in result["rows"] if row["layer"] == layer and row["d"] == d}
    if not figures:
        known = sorted({(row["layer"], row["d"]) for row in result["rows"]})
        raise ValueError(f"Nothing was timed for {layer!r} with d = {d}; there are {known}.")
    return figures


def took(result: dict[str, Any], layer: str, other: str, d: int) -> str:
    """At which n a layer took less time than another, and at which longer, in words.

    Less: three quarters of its runs took less time than three quarters of the other's.
    """

    def less(one: str, than: str) -> set[int]:
        slow, fast = timed(result, one, d, "high"), timed(result, than, d, "low")
        return {n for n in slow if slow[n] < fast[n]}

    lengths, quicker, slower = sorted(timed(result, layer, d)), less(layer, other), less(other, layer)
    words = {n: "less time" if n in quicker else "longer" if n in slower else "" for n in lengths}
    parts = []
    for word, together in itertools.groupby(lengths, words.__getitem__):
        first, *_, last = 2 * list(together)
        where = f"up to n = {last}" if first == lengths[0] else f"at n = {first} to {last}"
        where = f"from n = {first} on" if last == lengths[-1] else where
        where = f"at n = {first}" if first == last else where
        where = "at every n" if (first, last) == (lengths[0], lengths[-1]) else where
        parts += [f"{word} {where}"] if word else []
    return "took " + ", ".join(parts) if parts else "no clear difference"


def timing_sentences(result: dict[str, Any], d: int) -> list[str]:
    """What the clock says of the claim "faster when n < d", computed from what was measured."""
    sentences = []
    for other in ("RNN", "GRU", "LSTM", "torch.nn.RNN", "torch.nn.GRU", "torch.nn.LSTM", "convolution"):
        exact = baselines.crossing("self-attention", other.removeprefix("torch.nn."), d, result["k"])
        counted = f"fewer multiply-adds for n < {exact:.0f}" if exact else "never fewer multiply-adds"
        sentences.append(f"against {other:13} {took(result, 'self-attention', other, d):48} ({counted})")
    return sentences


def waiting_cost(result: dict[str, Any], layer: str, d: int, n: int) -> float:
    """How much longer a multiply-add of a layer took than one of a convolution of the same width and length."""

    def each(name: str) -> float:
        sizes = dict(k=result["k"], r=result["r"])
        return timed(result, name, d)[n] / baselines.multiply_adds(name.removeprefix("torch.nn."), n, d, **sizes)

    return each(layer) / each("convolution")


def cost_sentences(result: dict[str, Any]) -> list[str]:
    """Slopes of the last points, as measured and as counted: 2 means that twice the size costs four times as much."""
    sentences = []
    for size, curve in result["curves"].items():
        s = curve["slopes"]
        over = f"{s['fitted over'][0]} to {s['fitted over'][-1]}"
        sentences.append(
            f"{size:6} {over:12} time {s['time']:.2f} (multiply-adds {s['expected of time']:.2f}), "
            f"memory {s['memory']:.2f} (numbers kept {s['expected of memory']:.2f})"
        )
    return sentences
