"""Sheets as still pictures."""

from __future__ import annotations

import functools
import itertools
import math
import re
from typing import TYPE_CHECKING, Any

from torch import Tensor

from viz import stills, theme
from viz.scaled_dot_product.nodes import Node, numbers_of

if TYPE_CHECKING:
    from viz.scaled_dot_product.sheet import SheetView


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


def pieces_of(formula: str, look: stills.Look) -> str:
    """A formula as SVG text: coloured, raised and lowered pieces."""
    kinds = {"q": "query", "k": "key", "v": "value"}
    out = []
    for piece in filter(None, re.split(r"(\{[qkv]:[^}]*\}|[\^_]\{[^}]*\})", formula)):
        if piece[0] == "{":
            out.append(stills.element("tspan", theme.escaped(piece[3:-1]), fill=look[kinds[piece[1]]]))
        elif piece[:2] in ("^{", "_{"):
            shift = "super" if piece[0] == "^" else "sub"
            out.append(stills.element("tspan", theme.escaped(piece[2:-1]), baseline_shift=shift, font_size=9))
        else:
            out.append(theme.escaped(piece))
    return "".join(out)


def plain(formula: str) -> str:
    """A formula without colours and heights.

    >>> plain("{q:Q}_{0} = X W^{Q}")
    'Q0 = X WQ'
    """
    return re.sub(r"\{[qkv]:([^}]*)\}|[\^_]\{([^}]*)\}", lambda piece: piece[1] or piece[2] or "", formula)


def rich(formula: str) -> stills.Formula:
    """A formula for a page."""
    return stills.Formula(plain(formula), functools.partial(pieces_of, formula))


def matrix(node: Node, numbers: Tensor, tokens: list[str], named: bool) -> stills.Shape:
    """One matrix with its formula above it; weights on their colour, given numbers on grey."""
    names = [
        tokens if of == "tokens" else of or [str(n) for n in range(size)]
        for of, size in zip((node.rows, node.cols), numbers.shape, strict=True)
    ]
    colours = (node.row_colour or "quiet", "key" if node.cols == "tokens" else "quiet")
    cells = [[number_cell(node, number) for number in row] for row in numbers.tolist()]
    rows = names[0] if named else [""] * len(cells)
    size = (40 if node.narrow else 48, 22)
    return stills.cell_map(cells, rows, names[1], title=rich(node.formula), size=size, colours=colours)


def number_cell(node: Node, number: float) -> stills.Cell:
    """One number of a matrix."""
    if node.op == "softmax":
        return stills.Cell(stills.weight(number), short(number), "page" if number > 0.45 else "ink")
    return stills.Cell("line" if node.op == "given" else "none", short(number), node.colour or "ink")


def sheet_picture(view: SheetView, dark: bool = False) -> stills.Svg:
    """A still picture of a sheet as it stands: its lanes, with every number."""
    nodes = {node["name"]: Node(**node) for node in view.meta["nodes"]}
    matrices, tokens = numbers_of(view), view.meta["examples"][view.example]["tokens"][: view.n_rows]

    def shape(item: dict[str, Any]) -> stills.Shape:
        if "say" in item:
            return stills.words("", "", rich(item["say"]), colour="quiet", size=14)
        node = nodes[item["of"].replace("*", str(view.head))]
        return matrix(node, matrices[node.name], tokens, item["rows"])

    lanes = [[shape(item) for item in itertools.chain.from_iterable(lane)] for lane in view.meta["lanes"]]
    title, alternative = rich(view.meta["title"]), f"Calculation sheet: {plain(view.meta['title'])}"
    return stills.page(lanes, view.meta["shows"], alternative, title=title, dark=dark, wide=4000)
