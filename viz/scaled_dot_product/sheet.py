"""Sheets of numbers that can be changed: every cell follows, by the operations of attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from studies.scaled_dot_product import STUDENT, TOKENS, Toy, toy
from viz.canvas import Canvas, Takes, script, trait
from viz.scaled_dot_product.matrices import sheet_picture
from viz.scaled_dot_product.nodes import Lane, Node


class SheetView(Canvas):
    """A calculation sheet of linked matrices: numbers typed into the given ones change all that follows from them.

    meta holds the nodes (name, operation, of which matrices), the lanes in which they stand and the sentences to choose
    from; the script computes everything else, in the same order, in double precision.
    """

    def _there(self, name: str, value: int) -> int:
        n = max(self.meta["n_heads"], 1) if name == "head" else len(self.meta["examples"])
        if not 0 <= value < n:
            raise ValueError(f"There is no {name} {value}; choose from 0 to {n - 1}.")
        return value

    _esm = script(__file__)
    values = trait({}, "the given matrices by name, as lists of rows", takes=Takes.like_now())
    by_hand = trait(
        {}, 'numbers in the place of computed ones: {"Q.0:1:0": 2.5}', takes=Takes.named({"is": "float"}, 500)
    )
    options = trait({}, "what is switched on: scale, causal", takes=Takes.named({"is": "bool"}, 9))
    head = trait(0, "the head shown, from 0", check=_there, takes=Takes.below("n_heads"))
    n_rows = trait(4, "how many tokens", min=1, takes=Takes.up_to("most_rows"))
    example = trait(0, "which sentence", check=_there, takes=Takes.below("examples"))
    cell = trait(
        [],
        "[name, row, column] whose terms are shown",
        takes=Takes.row(Takes.text(60), Takes.whole(0, 999), Takes.whole(0, 999), or_none=True),
    )


def sheet(
    nodes: Sequence[Node], lanes: Sequence[Lane], values: dict[str, Tensor], tokens: Sequence[str],
    *, title: str, shows: str, n_rows: int | None = None, options: dict[str, bool] | None = None,
    switches: Sequence[tuple[str, str]] = (), examples: Sequence[dict] = (), n_heads: int = 0,
) -> SheetView:  # fmt: skip
    """A sheet that moves: lanes are rows of the page, of matrices (".*": of the head shown) and signs."""
    n_rows, options = n_rows or len(tokens), options or {}
    inputs = {name: numbers.tolist() for name, numbers in values.items()}
    meta = {
        "title": title, "shows": shows,
        "nodes": [node._asdict() | {"of": list(node.of)} for node in nodes],
        "lanes": [[grouped(item) for item in lane] for lane in lanes],
        "switches": [list(pair) for pair in switches], "n_heads": n_heads,
        "examples": list(examples) or [{"tokens": list(tokens)}], "most_rows": len(tokens) if examples else 0,
    }  # fmt: skip
    view = SheetView(meta=meta, values=inputs, options=options, n_rows=n_rows)
    view.picture = lambda: sheet_picture(view)
    return view


def grouped(item: Any) -> list[dict[str, Any]]:
    """An item of a lane as the script takes it: a list of what stays together."""
    items = item if isinstance(item, list) else [item]
    return [{"say": part} if isinstance(part, str) else part for part in items]


def at(name: str, rows: bool = True) -> dict[str, Any]:
    """A matrix's place in a lane; rows: whether its rows are named beside it."""
    return {"of": name, "rows": rows}


def attention_nodes(n_heads: int, d_k: int) -> list[Node]:
    """The matrices of multi-head attention, from X to the output, head by head."""
    nodes = [Node("X", "given", "X", narrow=True)]
    for h in map(str, range(n_heads)):
        for letter, tone, role in (("Q", "q", "query"), ("K", "k", "key"), ("V", "v", "value")):
            w, name = f"W_{letter}.{h}", f"{letter}.{h}"
            nodes.append(Node(w, "given", f"W_{{{h}}}^{{{letter}}}", rows=None, colour=role, narrow=True))
            formula = f"{{{tone}:{letter}}}_{{{h}}} = X W_{{{h}}}^{{{letter}}}"
            tone_of: dict[str, Any] = dict(colour=role, row_colour=role)
            nodes.append(Node(name, "product", formula, ("X", w), **tone_of, editable=True, narrow=True))
        square: dict[str, Any] = dict(cols="tokens", row_colour="query")
        nodes += [
            Node(f"S.{h}", "scores", "{q:Q}{k:K}ᵀ", (f"Q.{h}", f"K.{h}"), **square),
            Node(f"C.{h}", "scale", f"{{q:Q}}{{k:K}}ᵀ / √{d_k}", (f"S.{h}",), by=d_k, **square),
            Node(f"M.{h}", "mask", "mask", (f"C.{h}",), **square),
            Node(f"A.{h}", "softmax", "A = softmax", (f"M.{h}",), **square),
            Node(f"H.{h}", "product", f"head_{{{h}}} = A {{v:V}}", (f"A.{h}", f"V.{h}"), row_colour="query"),
        ]
    heads = tuple(f"H.{h}" for h in range(n_heads))
    nodes.append(Node("concat", "concat", "Concat(head_{0}, …)", heads, row_colour="query"))
    nodes.append(Node("W_O", "given", "W^{O}", rows=None, narrow=True))
    nodes.append(Node("out", "product", "output = Concat(…) W^{O}", ("concat", "W_O"), row_colour="query"))
    return nodes


PROJECTIONS = [("·", "Q"), ("X ·", "K"), ("X ·", "V")]  # X is written again, or the line would multiply Q by W^K
ATTENTION_LANES: list[Lane] = [
    [at("X"), *([sign, at(f"W_{name}.*", False), "=", at(f"{name}.*", False)] for sign, name in PROJECTIONS)],
    [at("S.*"), ["→", at("C.*", False)], ["→", at("M.*", False)], ["→", at("A.*", False)]],
    [at("H.*"), ["→", at("concat", False)], ["·", at("W_O", False)], ["=", at("out", False)]],
]  # fmt: skip


def attention_sheet(numbers: Toy, *, examples: Sequence[dict] = (), n_rows: int | None = None, shows: str) -> SheetView:
    """Multi-head attention with every number on the page: X and the W's can be changed, Q, K and V typed over."""
    check_toy(numbers)
    n_heads, _, d_k = numbers.w_q.shape
    values = {"X": numbers.x, "W_O": numbers.w_o}
    for letter, heads in (("Q", numbers.w_q), ("K", numbers.w_k), ("V", numbers.w_v)):
        values |= {f"W_{letter}.{h}": w for h, w in enumerate(heads)}
    return sheet(
        attention_nodes(n_heads, d_k), ATTENTION_LANES, values, numbers.tokens, n_rows=n_rows, shows=shows,
        title="Attention({q:Q}, {k:K}, {v:V}) = softmax({q:Q}{k:K}ᵀ / √d_{k}) {v:V}", n_heads=n_heads,
        options={"scale": True, "causal": False}, switches=[("scale", f"÷ √{d_k}"), ("causal", "causal mask")],
        examples=examples,
    )  # fmt: skip


def check_toy(numbers: Toy) -> None:
    """Refuse matrices that do not fit, and say which."""
    n, d_model = numbers.x.shape
    (h, _, d_k), d_v = numbers.w_q.shape, numbers.w_v.shape[-1]
    needed = {
        "tokens": (len(numbers.tokens), n), "w_q": (numbers.w_q.shape, (h, d_model, d_k)),
        "w_k": (numbers.w_k.shape, (h, d_model, d_k)), "w_v": (numbers.w_v.shape, (h, d_model, d_v)),
        "w_o": (numbers.w_o.shape[0], h * d_v),
    }  # fmt: skip
    for name, (shape, wanted) in needed.items():
        if shape != wanted:
            shape, wanted = (tuple(size) if isinstance(size, Sequence) else size for size in (shape, wanted))
            raise ValueError(
                f"{name} has {shape}, but {wanted} is needed, with x of shape {(n, d_model)} and {h} heads; "
                "one row of x for each token, one matrix of each kind for each head."
            )


def toy_sheet() -> SheetView:
    """The sheet that opens the notebook: "I am a teacher", and the student, with 1 to 6 tokens."""
    whole = toy(len(TOKENS))
    student = whole.x.clone()
    student[3] = torch.tensor(STUDENT)
    examples = [
        {"tokens": whole.tokens, "X": whole.x.tolist()},
        {"tokens": [*TOKENS[:3], "student", *TOKENS[4:]], "X": student.tolist()},
    ]
    return attention_sheet(whole, examples=examples, n_rows=4, shows="synthetic: small numbers made up, not trained")


def feed_forward_sheet(x: Tensor, w_1: Tensor, b_1: Tensor, w_2: Tensor, b_2: Tensor, *, shows: str) -> SheetView:
    """FFN(x) = max(0, xW₁ + b₁)W₂ + b₂, each position by itself: x (n, D), w_1 (D, d_ff), b_1 (d_ff,), w_2, b_2."""
    shapes = [tuple(part.shape) for part in (x, w_1, b_1, w_2, b_2)]
    n, d, d_ff, out = len(x), x.size(-1), w_1.size(-1), w_2.size(-1)
    if shapes != (fit := [(n, d), (d, d_ff), (d_ff,), (d_ff, out), (out,)]):
        raise ValueError(f"x, w_1, b_1, w_2 and b_2 have shapes {shapes}, which do not fit; for this x pass {fit}.")
    nodes = [
        Node("X", "given", "x"), Node("W_1", "given", "W_{1}", rows=None), Node("b_1", "given", "b_{1}", rows=[""]),
        Node("XW", "product", "x W_{1}", ("X", "W_1")), Node("inner", "plus_row", "x W_{1} + b_{1}", ("XW", "b_1")),
        Node("relu", "relu", "max(0, …)", ("inner",)), Node("W_2", "given", "W_{2}", rows=None),
        Node("b_2", "given", "b_{2}", rows=[""]), Node("HW", "product", "max(0, …) W_{2}", ("relu", "W_2")),
        Node("out", "plus_row", "FFN(x)", ("HW", "b_2")),
    ]  # fmt: skip
    lanes: list[Lane] = [
        [
            at("X"),
            ["·", at("W_1", False)],
            ["+", at("b_1", False)],
            ["=", at("inner", False)],
            ["→", at("relu", False)],
        ],
        [at("relu"), ["·", at("W_2", False)], ["+", at("b_2", False)], ["=", at("out", False)]],
    ]
    values = {"X": x, "W_1": w_1, "b_1": b_1[None], "W_2": w_2, "b_2": b_2[None]}
    tokens = [f"x{place}" for place in range(len(x))]
    return sheet(nodes, lanes, values, tokens, title="FFN(x) = max(0, xW_{1} + b_{1}) W_{2} + b_{2}", shows=shows)


def normalisation_sheet(x: Tensor, *, shows: str) -> SheetView:
    """The same numbers normalised by row (LayerNorm) and by column (BatchNorm): x (n, D)."""
    nodes = [
        Node("X", "given", "x"), Node("layer", "layer_norm", "LayerNorm(x)", ("X",)),
        Node("batch", "batch_norm", "BatchNorm(x)", ("X",)),
    ]  # fmt: skip
    tokens = [f"x{place}" for place in range(len(x))]
    title = "(x − mean) / √(variance + ε), of each row or of each column"
    return sheet(nodes, [[at("X"), "→", at("layer"), at("batch")]], {"X": x}, tokens, title=title, shows=shows)


def residual_sheet(x: Tensor, w: Tensor, *, shows: str) -> SheetView:
    """LayerNorm(x + Sublayer(x)), with the plainest of sub-layers, xW: x (n, D), w (D, D)."""
    if w.shape != (x.size(-1), x.size(-1)):
        raise ValueError(f"w has shape {tuple(w.shape)}; x has {x.size(-1)} features, so pass {(x.size(-1),) * 2}.")
    nodes = [
        Node("X", "given", "x"), Node("W", "given", "W", rows=None),
        Node("F", "product", "Sublayer(x) = xW", ("X", "W")), Node("sum", "plus", "x + Sublayer(x)", ("X", "F")),
        Node("out", "layer_norm", "LayerNorm(x + Sublayer(x))", ("sum",)),
        Node("plain", "layer_norm", "LayerNorm(x)", ("X",)),
    ]  # fmt: skip
    lanes: list[Lane] = [
        [at("X"), ["·", at("W", False)], ["=", at("F", False)]],
        [at("sum"), ["→", at("out", False)], at("plain", False)],
    ]
    tokens = [f"x{place}" for place in range(len(x))]
    return sheet(nodes, lanes, {"X": x, "W": w}, tokens, title="LayerNorm(x + Sublayer(x))", shows=shows)
