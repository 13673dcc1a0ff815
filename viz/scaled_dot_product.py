"""Scaled dot-product attention, number by number: sheets whose cells can be changed, and what the scale 1/√d_k does.

A sheet is a list of matrices, each given or made of earlier ones. `attention_sheet`, `feed_forward_sheet`,
`normalisation_sheet` and `residual_sheet` take arrays and return one that moves; viz/sheet.js computes it in the page,
`evaluate` here, with the core's own functions. `scaling_view` draws random queries and keys of any width. Rows are
queries, columns are keys. The toy and the statistics are those of studies/scaled_dot_product.py.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

import transformer_core as tc
from studies.scaled_dot_product import STUDENT, TOKENS, Toy, after, score_statistics, steps_of, toy
from viz import theme
from viz.canvas import Canvas, OneOf, script, trait

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class SheetView(Canvas):
    """A calculation sheet of linked matrices: numbers typed into the given ones change all that follows from them.

    meta holds the nodes (name, operation, of which matrices), the lanes in which they stand, the sentences to choose
    from and the numbers to begin with; the script computes everything else, in the same order, in double precision.
    """

    def _there(self, name: str, value: int) -> int:
        n = max(self.meta["n_heads"], 1) if name == "head" else len(self.meta["examples"])
        if not 0 <= value < n:
            raise ValueError(f"There is no {name} {value}; choose from 0 to {n - 1}.")
        return value

    _esm = script("sheet.js")
    values = trait({}, "the given matrices by name, as lists of rows")
    by_hand = trait({}, 'numbers in the place of computed ones: {"Q.0:1:0": 2.5}')
    options = trait({}, "what is switched on: scale, causal")
    head = trait(0, "the head shown, from 0", check=_there)
    n_rows = trait(4, "how many tokens", min=1)
    example = trait(0, "which sentence", check=_there)
    cell = trait([], "[name, row, column] whose terms are shown")


class ScalingView(Canvas):
    """Scores of random queries and keys with and without the division by √d_k, drawn and computed in the page.

    meta holds the seed, the widths d_k of the slider (grid), and how many queries and keys are drawn.
    """

    _esm = script("scaling.js")
    d_k = trait(64, "width of queries and keys; the nearest of meta['grid'] is shown", min=1)
    query = trait(0, "whose weights are shown", min=0)
    measure = OneOf(["variance", "largest", "entropy", "trace"], "largest")


# ─── Sheets ──────────────────────────────────────────────────────────────────────────────────────────────────────────

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


# What each operation makes of the matrices it is given; OPERATIONS in viz/sheet.js says the same in JavaScript.
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
    found: dict[str, Tensor] = {}
    for node in nodes:
        if node.op == "given":
            given = torch.as_tensor(values[node.name], dtype=torch.float64)
            found[node.name] = given[:n_rows] if node.rows == "tokens" else given
        else:
            found[node.name] = OPERATIONS[node.op](node, options, *(found[name] for name in node.of)).clone()
        for place, number in (by_hand or {}).items():
            name, i, j = place.rsplit(":", 2)
            if name == node.name and int(i) < len(found[name]):
                found[name][int(i), int(j)] = number
    return found


def sheet(
    nodes: Sequence[Node], lanes: Sequence[Lane], values: dict[str, Tensor], tokens: Sequence[str],
    *, title: str, shows: str, n_rows: int | None = None, options: dict[str, bool] | None = None,
    switches: Sequence[tuple[str, str]] = (), examples: Sequence[dict] = (), n_heads: int = 0,
) -> SheetView:  # fmt: skip
    """A sheet that moves: lanes are rows of the page, of matrices (".*": of the head shown) and signs."""
    n_rows, options = n_rows or len(tokens), options or {}
    given = {name: numbers.tolist() for name, numbers in values.items()}
    meta = {
        "version": 0, "live": True, "title": title, "shows": shows,
        "nodes": [node._asdict() | {"of": list(node.of)} for node in nodes],
        "lanes": [[grouped(item) for item in lane] for lane in lanes],
        "switches": [list(pair) for pair in switches], "n_heads": n_heads,
        "examples": list(examples) or [{"tokens": list(tokens)}], "most_rows": len(tokens) if examples else 0,
        "first": {"values": given, "options": options, "n_rows": n_rows, "example": 0},
    }  # fmt: skip
    view = SheetView(meta=meta, values=given, options=options, n_rows=n_rows)
    view.picture = lambda: sheet_picture(view)
    return view


def grouped(item: Any) -> list[dict[str, Any]]:
    """An item of a lane as the script takes it: a list of what stays together."""
    items = item if isinstance(item, list) else [item]
    return [{"say": one} if isinstance(one, str) else one for one in items]


def numbers_of(view: SheetView) -> dict[str, Tensor]:
    """Every matrix of a sheet as it stands now, computed by torch."""
    nodes = [Node(**node) for node in view.meta["nodes"]]
    return evaluate(nodes, view.values, view.options, view.n_rows, view.by_hand)


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


ATTENTION_LANES: list[Lane] = [
    [at("X"), "·", *([at(f"W_{letter}.*", False), "=", at(f"{letter}.*", False)] for letter in "QKV")],
    [at("S.*"), ["→", at("C.*", False)], ["→", at("M.*", False)], ["→", at("A.*", False)]],
    [at("H.*"), ["→", at("concat", False)], ["·", at("W_O", False)], ["=", at("out", False)]],
]  # fmt: skip


def attention_sheet(given: Toy, *, examples: Sequence[dict] = (), n_rows: int | None = None, shows: str) -> SheetView:
    """Multi-head attention with every number on the page: X and the W's can be changed, Q, K and V typed over."""
    check_toy(given)
    n_heads, _, d_k = given.w_q.shape
    values = {"X": given.x, "W_O": given.w_o}
    for letter, heads in (("Q", given.w_q), ("K", given.w_k), ("V", given.w_v)):
        values |= {f"W_{letter}.{h}": w for h, w in enumerate(heads)}
    return sheet(
        attention_nodes(n_heads, d_k), ATTENTION_LANES, values, given.tokens, n_rows=n_rows, shows=shows,
        title="Attention({q:Q}, {k:K}, {v:V}) = softmax({q:Q}{k:K}ᵀ / √d_{k}) {v:V}", n_heads=n_heads,
        options={"scale": True, "causal": False}, switches=[("scale", f"÷ √{d_k}"), ("causal", "causal mask")],
        examples=examples,
    )  # fmt: skip


def check_toy(given: Toy) -> None:
    """Refuse matrices that do not fit, and say which."""
    n, d_model = given.x.shape
    (h, _, d_k), d_v = given.w_q.shape, given.w_v.shape[-1]
    needed = {
        "tokens": (len(given.tokens), n), "w_q": (given.w_q.shape, (h, d_model, d_k)),
        "w_k": (given.w_k.shape, (h, d_model, d_k)), "w_v": (given.w_v.shape, (h, d_model, d_v)),
        "w_o": (given.w_o.shape[0], h * d_v),
    }  # fmt: skip
    for name, (found, wanted) in needed.items():
        if found != wanted:
            found, wanted = (tuple(size) if isinstance(size, Sequence) else size for size in (found, wanted))
            raise ValueError(
                f"{name} has {found}, but {wanted} is needed, with x of shape {(n, d_model)} and {h} heads; "
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


# ─── Pictures of sheets ──────────────────────────────────────────────────────────────────────────────────────────────

WIDE, NARROW, LINE = 48, 40, 22  # widths of a cell, and its height


def short(number: float) -> str:
    """A number in at most three significant digits, as short as it can be written; below 0.001 in two.

    >>> short(0.5), short(-1.25), short(0.23612), short(-0.000694), short(-math.inf)
    ('0.5', '−1.25', '0.236', '−6.9e−4', '−∞')
    """
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if 0 < abs(number) < 0.001:
        digits, power = f"{number:.1e}".split("e")
        return f"{digits}e{int(power)}".replace("-", "−")
    text = f"{number:.0f}" if abs(number) >= 1000 else f"{float(theme.three_digits(number)):g}"
    return ("0" if text == "-0" else text).replace("-", "−")


def rich(formula: str, look: dict) -> str:
    """A formula as SVG text: coloured, raised and lowered pieces."""
    kinds = {"q": "query", "k": "key", "v": "value"}
    out = []
    for piece in filter(None, re.split(r"(\{[qkv]:[^}]*\}|[\^_]\{[^}]*\})", formula)):
        if piece[0] == "{":
            out.append(theme.element("tspan", theme.escaped(piece[3:-1]), fill=look[kinds[piece[1]]]))
        elif piece[:2] in ("^{", "_{"):
            shift = "super" if piece[0] == "^" else "sub"
            out.append(theme.element("tspan", theme.escaped(piece[2:-1]), baseline_shift=shift, font_size=9))
        else:
            out.append(theme.escaped(piece))
    return "".join(out)


def plain(formula: str) -> str:
    """A formula without colours and heights.

    >>> plain("{q:Q}_{0} = X W^{Q}")
    'Q0 = X WQ'
    """
    return re.sub(r"\{[qkv]:([^}]*)\}|[\^_]\{([^}]*)\}", lambda found: found[1] or found[2] or "", formula)


def matrix_picture(
    node: Node, numbers: Tensor, labels: tuple[list[str], list[str]], named: bool, dark: bool
) -> tuple[str, float]:
    """One matrix as SVG, its formula above it, and how wide it is."""
    look, (rows, cols) = theme.DARK if dark else theme.LIGHT, labels
    left, cell = 62.0 if named else 0.0, NARROW if node.narrow else WIDE
    wide = left + cell * len(cols)
    formula = theme.element("text", rich(node.formula, look), x=left, y=12, font_weight=600, fill=look["ink"])
    parts = [formula]
    mono = dict(font_family=theme.MONO, font_size=10)
    for j, name in enumerate(cols):
        tone = look["key"] if node.cols == "tokens" else look["quiet"]
        parts.append(
            theme.element(
                "text", theme.label(name), x=left + cell * (j + 0.5), y=28, text_anchor="middle", fill=tone, **mono
            )
        )
    ink = look.get(node.colour, look["ink"])
    for i, row in enumerate(numbers.tolist()):
        y = 34 + LINE * i
        if named:
            tone = look.get(node.row_colour, look["quiet"])
            parts.append(
                theme.element("text", theme.label(rows[i]), x=left - 6, y=y + 15, text_anchor="end", fill=tone, **mono)
            )
        for j, number in enumerate(row):
            parts.append(cell_picture(node, number, left + cell * j, y, ink, dark))
    return "".join(parts), wide


def cell_picture(node: Node, number: float, x: float, y: float, ink: str, dark: bool) -> str:
    """One number; weights on their colour, given ones in a frame."""
    look, box, cell = theme.DARK if dark else theme.LIGHT, "", NARROW if node.narrow else WIDE
    if node.op == "softmax":
        colour = theme.weight_scale(dark)[round(255 * number)]
        box = theme.element("rect", x=x, y=y, width=cell, height=LINE, fill=colour)
        ink = look["page"] if number > 0.45 else look["ink"]
    elif node.op == "given":
        box = theme.element("rect", x=x, y=y, width=cell, height=LINE, fill="none", stroke=look["line"])
    return box + theme.element("text", short(number), x=x + cell - 5, y=y + 15, text_anchor="end", fill=ink)


def sheet_picture(view: SheetView, dark: bool = False) -> theme.Svg:
    """A still picture of a sheet as it stands: its lanes, with every number."""
    look, nodes = theme.DARK if dark else theme.LIGHT, {node["name"]: Node(**node) for node in view.meta["nodes"]}
    found, tokens = numbers_of(view), view.meta["examples"][view.example]["tokens"][: view.n_rows]
    drawn, widest, y = [], 0.0, 44.0
    for lane in view.meta["lanes"]:
        x, tall = 16.0, 0
        for item in itertools.chain.from_iterable(lane):
            if "say" in item:
                drawn.append(theme.element("text", rich(item["say"], look), x=x, y=y + 60, fill=look["quiet"]))
                x += 22
                continue
            node = nodes[item["of"].replace("*", str(view.head))]
            numbers = found[node.name]
            some = {"tokens": tokens}
            rows, cols = (
                some.get(names, names) if isinstance(names, str) else names or [str(n) for n in range(size)]
                for names, size in ((node.rows, numbers.shape[0]), (node.cols, numbers.shape[1]))
            )
            text, wide = matrix_picture(node, numbers, (rows, cols), item["rows"], dark)
            drawn.append(theme.element("g", text, transform=f"translate({x:.1f} {y:.1f})"))
            x, tall = x + max(wide, 7.0 * len(plain(node.formula))) + 14, max(tall, len(numbers))
        widest, y = max(widest, x), y + 50 + LINE * tall
    return framed("".join(drawn), view.meta["title"], view.meta["shows"], widest, y, dark)


def framed(drawn: str, title: str, shows: str, width: float, height: float, dark: bool) -> theme.Svg:
    """A page with a title and the corner that says what is shown."""
    look, width, height = theme.DARK if dark else theme.LIGHT, max(math.ceil(width), 420), math.ceil(height) + 24
    head = theme.element("text", rich(title, look), x=16, y=22, font_weight=600, fill=look["ink"])
    place = dict(x=width - 16, y=height - 9, text_anchor="end", font_size=11, fill=look["quiet"])
    content = [
        theme.element("rect", width="100%", height="100%", fill=look["page"]), head, drawn,
        theme.element("text", theme.escaped(shows), **place),
    ]  # fmt: skip
    said = f"Calculation sheet: {plain(title)} ({shows})"
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=12)
    text = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(text, said)


# ─── What the scale does ─────────────────────────────────────────────────────────────────────────────────────────────

GRID = [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024]  # half-octaves of d_k


def scaling_view(d_k: int = 64) -> ScalingView:
    """Random queries and keys of any width from 1 to 1024: scores, weights and gradient with and without 1/√d_k."""
    if not 1 <= d_k <= GRID[-1]:
        raise ValueError(f"d_k is {d_k}; the view goes from 1 to {GRID[-1]}.")
    meta = {
        "version": 0, "live": True, "shows": "synthetic: random numbers, seed 1", "seed": 1, "grid": GRID, "groups": 8,
        "queries": 64, "keys": 32,
    }  # fmt: skip
    view = ScalingView(meta=meta, d_k=d_k)
    view.picture = lambda: scaling_chart([4, 16, 64, 256, 1024]).picture
    return view


def scaling_chart(widths: Sequence[int]) -> theme.Chart:
    """Largest weight and gradient of the softmax over d_k, with and without the scale, from random numbers."""
    known = {scaled: [score_statistics(width, scaled) for width in widths] for scaled in (False, True)}
    named = {False: ("q · k", theme.LIGHT["wrong"], "dash"), True: ("q · k / √d_k", theme.CHART_COLOURS[0], "solid")}
    x = [str(width) for width in widths]

    def panel(measure: str, title: str) -> theme.Panel:
        curves = [
            theme.Curve(
                name, x, [round(one[measure], 6) for one in known[scaled]], kind="points", colour=colour, dash=dash
            )
            for scaled, (name, colour, dash) in named.items()
        ]
        return theme.Panel(curves, title=title, x_title="d_k", y_range=(0, 1))

    panels = [panel("largest", "Largest weight of 32"), panel("trace", "Gradient through the softmax, 1 − Σ p²")]
    return theme.chart(panels, "synthetic: random queries and keys")


# ─── Results of experiments/scaled_dot_product.py ──────────────────────────────────────────────────────

RUN = "trained: small models, seeds "  # what the corner of a chart of stored results says


def spread(runs: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Mean, least and most of several runs, step by step, as a curve's y, low and high."""
    steps = list(zip(*runs, strict=True))
    means = [round(sum(some) / len(some), 4) for some in steps]
    return {"y": means, "low": [min(some) for some in steps], "high": [max(some) for some in steps]}


def scale_chart(result: dict, rate: str = "0.001", step: int = 100) -> theme.Chart:
    """The look-up task with and without 1/√d_k: accuracy while training, and after so many steps at every rate."""
    curves, named = result["curves"], {"scaled": "q · k / √d_k", "dot product": "q · k"}
    seeds = len(curves["scaled"][rate])
    over = [theme.Curve(named[kind], steps_of(result), **spread(runs[rate])) for kind, runs in curves.items()]
    bars = []
    for kind, runs in curves.items():
        at_step = spread([[after(result, some, step)[seed] for some in runs.values()] for seed in range(seeds)])
        bars.append(theme.Curve(named[kind], list(runs), kind="bars", **at_step))
    panels = [
        theme.Panel(
            over,
            title=f"d_k = {result['d_k']}, learning rate {rate}",
            x_title="step",
            y_title="accuracy",
            y_range=(0, 1),
        ),
        theme.Panel(bars, title=f"after {step} steps", x_title="learning rate", y_title="accuracy", y_range=(0, 1)),
    ]
    return theme.chart(panels, f"{RUN}0 to {seeds - 1}")


def scores_chart(result: dict, step: int = 100) -> theme.Chart:
    """Additive, dot-product and scaled scores over d_k: accuracy after so many steps, gradient before the first."""
    of = {
        kind: [row for row in result["rows"] if row["scores"] == kind] for kind in ("scaled", "dot product", "additive")
    }
    right, gradient = [], []
    for kind, rows in of.items():
        widths = [str(row["d_k"]) for row in rows]
        by_seed = [after(result, row["curves"], step) for row in rows]
        right.append(theme.Curve(kind, widths, kind="points", **spread(list(zip(*by_seed, strict=True)))))
        gradient.append(theme.Curve(kind, widths, [row["gradient"] for row in rows], kind="points"))
    panels = [
        theme.Panel(right, title=f"Accuracy after {step} steps", x_title="d_k", y_range=(0, 1)),
        theme.Panel(gradient, title="Gradient at the scores, untrained", x_title="d_k"),
    ]
    drawn = theme.chart(panels, f"{RUN}0 to {len(by_seed[0]) - 1}")
    drawn.figure.update_traces(mode="lines", selector={"fill": "toself"})  # no points along the edges of the bands
    return drawn


def cost_chart(result: dict) -> theme.Chart:
    """What 128 × 128 scores cost, there and back: milliseconds, and megabytes kept for the way back."""
    panels = []
    for name, title in (("milliseconds", "Milliseconds, one core"), ("megabytes", "MB kept for the gradient")):
        curves = [
            theme.Curve(kind, [str(r["d_k"]) for r in rows], [r[name] for r in rows], kind="points")
            for kind in ("scaled", "dot product", "additive")
            if (rows := [row for row in result["rows"] if row["scores"] == kind])
        ]
        panels.append(theme.Panel(curves, title=title, x_title="d_k", log_y=True))
    return theme.chart(panels, "measured: scores of 128 queries and 128 keys")


def heads_chart(result: dict) -> theme.Chart:
    """Two neighbours at once, accuracy for each number of heads, with or without a feed-forward layer."""
    curves = []
    for row in result["rows"]:
        name = f"{row['n_heads']} head{'s' * (row['n_heads'] > 1)}{' + FFN' * row['feed_forward']}"
        dash = "dash" if row["feed_forward"] else "solid"
        curves.append(theme.Curve(name, steps_of(result), dash=dash, **spread(row["curves"])))
    panel = theme.Panel(
        curves, title="Token before and token after", x_title="step", y_title="accuracy", y_range=(0, 1)
    )
    return theme.chart(panel, f"{RUN}0 to {len(result['rows'][0]['curves']) - 1}")
