"""A matrix that is given or made of earlier ones, and what each operation makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

import transformer_core as tc

if TYPE_CHECKING:
    from viz.scaled_dot_product.sheet import SheetView


Lane = Sequence[Any]  # matrices (see `at`), signs between them, and lists of both that stay together


class Node(NamedTuple):
    """One matrix of a sheet: its name, how it is made of which others, its formula, and what its rows and columns are.

    formula: {q:…}, {k:…}, {v:…} are written in the colours of queries, keys and values, ^{…} is raised, _{…} lowered.
    rows, cols: "tokens", names, or None for numbers. by: d_k of a scale. editable: computed, but may be typed over.
    narrow: its numbers are short.
    """

    name: str
    op: str
    formula: str
    of: tuple[str, ...] = ()
    rows: str | list[str] | None = "tokens"
    cols: str | list[str] | None = None
    colour: str = ""
    row_colour: str = ""
    by: int = 1
    editable: bool = False
    narrow: bool = False


def causal(a: Tensor) -> Tensor:
    """Scores with −∞ where the core's causal mask forbids to look."""
    return a.masked_fill(~tc.causal_mask(len(a)), -math.inf)


# What each operation makes of the matrices it is given; OPERATIONS in sheet.js says the same in JavaScript.
OPERATIONS: dict[str, Callable[..., Tensor]] = {
    "product": lambda node, options, a, b: a @ b,
    "scores": lambda node, options, q, k: q @ k.T,
    "scale": lambda node, options, a: a / math.sqrt(node.by) if options["scale"] else a,
    "mask": lambda node, options, a: causal(a) if options["causal"] else a,
    "softmax": lambda node, options, a: tc.attention_weights(a),
    "concat": lambda node, options, *parts: torch.cat(parts, -1),
    "plus_row": lambda node, options, a, b: a + b,
    "plus": lambda node, options, a, b: a + b,
    "relu": lambda node, options, a: F.relu(a),
    "layer_norm": lambda node, options, a: F.layer_norm(a, a.shape[-1:], eps=1e-6),
    "batch_norm": lambda node, options, a: F.layer_norm(a.T, a.T.shape[-1:], eps=1e-6).T,  # over rows, even if one
}


def evaluate(
    nodes: Sequence[Node],
    values: dict[str, Any],
    options: dict[str, bool],
    n_rows: int | None = None,
    by_hand: dict[str, float] | None = None,
) -> dict[str, Tensor]:
    """Every matrix of a sheet by name, in float64: given ones from `values`, the others in the order of the nodes.

    by_hand: numbers that stand in the place of computed ones, such as {"Q.0:1:0": 2.5}.
    """
    matrices: dict[str, Tensor] = {}
    for node in nodes:
        if node.op == "given":
            matrix = torch.as_tensor(values[node.name], dtype=torch.float64)
            matrices[node.name] = matrix[:n_rows] if node.rows == "tokens" else matrix
        else:
            matrices[node.name] = OPERATIONS[node.op](node, options, *(matrices[name] for name in node.of)).clone()
        for place, number in (by_hand or {}).items():
            name, i, j = place.rsplit(":", 2)
            if name == node.name and int(i) < len(matrices[name]):
                matrices[name][int(i), int(j)] = number
    return matrices


def numbers_of(view: SheetView) -> dict[str, Tensor]:
    """Every matrix of a sheet as it stands now, computed by torch."""
    nodes = [Node(**node) for node in view.meta["nodes"]]
    return evaluate(nodes, view.values, view.options, view.n_rows, view.by_hand)
