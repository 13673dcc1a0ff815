"""Figure 1 drawn from a model's own modules."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from studies.model import LABELS, attention_of
from viz import stills, theme

WIDTH, HEIGHT = 760, 656
ENCODER, DECODER = 214, 522  # the columns' middles
WIDE = 186.0  # a block of Figure 1
SHORT = {
    "encoder.self": "self", "decoder.self": "masked", "decoder.cross": "cross",
    "residual": "+ norm", "feed_forward": "FFN", "norm": "norm",
}  # fmt: skip
SUBLAYERS = {
    "encoder": ("self_attention", "feed_forward"),
    "decoder": ("self_attention", "cross_attention", "feed_forward"),
}


@dataclass(frozen=True)
class Box:
    """A block in the drawing: its name ("*" stands for the layer shown), its words, left, top, width and height."""

    name: str
    kind: str
    label: str
    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> float:
        return self.x + self.w / 2

    @property
    def bottom(self) -> float:
        return self.y + self.h


@dataclass(frozen=True)
class Line:
    """A wire in the drawing, from one block (or "src", "tgt") to another; at: where its shape is written, if it is."""

    start: str
    end: str
    points: tuple[tuple[float, float], ...]
    role: str = "flow"
    at: tuple[float, float] | None = None


@dataclass(frozen=True)
class Drawing:
    """Boxes and wires of Figure 1, in units that a page scales to its width."""

    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    words: tuple[tuple[str, float, float, str], ...] = ()  # what stands beside: text, place, and what of it is there
    width: float = WIDTH
    height: float = HEIGHT

    @property
    def edges(self) -> set[tuple[str, str]]:
        """Which block feeds which."""
        return {(line.start, line.end) for line in self.lines if line.start}


def drawing(n_layers: int, norm: str = "post", unfolded: bool = False) -> Drawing:
    """Lay out Figure 1: folded, one layer stands for all n_layers; unfolded, every layer is a row."""
    if n_layers < 1 or norm not in ("post", "pre"):
        raise ValueError(f"n_layers is {n_layers} and norm {norm!r}; pass at least 1, and 'post' or 'pre'.")
    boxes: list[Box] = []
    lines: list[Line] = []
    words: list[tuple[str, float, float, str]] = []
    for side in ("encoder", "decoder"):
        part = entrance(side)
        plus = part.boxes[1]
        stack = rows_of(side, n_layers, norm, plus) if unfolded else column_of(side, norm, plus)
        boxes += [*part.boxes, *stack.boxes]
        lines += [*part.lines, *stack.lines]
        words += [*part.words, *stack.words, *([] if unfolded else [(f"{n_layers} ×", *BESIDE[side], "middle")])]
    top, key = exits(norm, boxes), legend(("key", "value") if unfolded else tuple(MEANINGS))
    return Drawing((*boxes, *top.boxes), (*lines, *top.lines, *key.lines), (*words, *top.words, *key.words))


MEANINGS = {"query": "queries", "key": "keys", "value": "values", "residual": "around a sub-layer"}
BESIDE = {"encoder": (84.0, 330.0), "decoder": (652.0, 330.0)}  # where "6 ×" stands


def legend(roles: tuple[str, ...]) -> Drawing:
    """What the colours of the lines that are drawn stand for."""
    heights = [16.0 + 18 * n for n in range(len(roles))]
    lines = (Line("", "", ((16, y), (44, y)), role) for y, role in zip(heights, roles, strict=True))
    words = ((MEANINGS[role], 52.0, y, "start") for y, role in zip(heights, roles, strict=True))
    return Drawing((), tuple(lines), tuple(words))


def up(lower: Box, upper: Box) -> Line:
    """A wire straight up from one box into another."""
    x = upper.middle
    return Line(lower.name, upper.name, ((x, lower.y), (x, upper.bottom)), at=(x + 7, lower.y - 10))


def entrance(side: str) -> Drawing:
    """What stands below a stack: ids, embedding, positions, their sum."""
    end, x, outer = ("src", ENCODER, 4.0) if side == "encoder" else ("tgt", DECODER, 662.0)
    label, caption = ("Input", "source ids") if end == "src" else ("Output", "target ids, shifted right")
    embedding = Box(f"{end}_embedding", "embedding", f"{label} embedding", x - WIDE / 2, 594, WIDE, 30)
    plus = Box(f"{end}_sum", "sum", "+", x - 10, 554, 20, 20)
    table = Box(f"{end}_positions", "positions", "Positional encoding", outer, 546, 94, 36)
    near, far = (table.x + table.w, plus.x) if end == "src" else (table.x, plus.x + plus.w)
    lines = (
        Line(end, embedding.name, ((x, 640), (x, embedding.bottom)), at=(x + 7, 632)),
        up(embedding, plus),
        Line(table.name, plus.name, ((near, 564), (far, 564)), at=(126 if end == "src" else 600, 554)),
    )
    return Drawing((embedding, plus, table), lines, ((caption, x, 648, "middle"),))


def column_of(side: str, norm: str, below: Box) -> Drawing:
    """One layer as the paper draws it: its sub-layers from the bottom up, a path around each."""
    x, out = (ENCODER, -1) if side == "encoder" else (DECODER, 1)
    boxes: list[Box] = []
    lines: list[Line] = []
    y = 508.0
    for place, sub in enumerate(SUBLAYERS[side]):
        unit = unit_of(norm, side, place, sub, x, y)
        boxes += unit
        lines += unit_lines(below, unit, sub, x + out * (WIDE / 2 + 14), out)
        below = unit[-1]
        y = below.y - (42 if norm == "post" else 30)
    frame = Box(f"{side}.*", "layer", "", x - WIDE / 2 - 24, below.y - 9, WIDE + 48, 525 - below.y + 9)
    return Drawing((frame, *boxes), tuple(lines))


def unit_of(norm: str, side: str, place: int, sub: str, x: float, y: float) -> list[Box]:
    """A sub-layer, from the height y up: with Add & norm above it, or between Norm and a plain sum."""
    tall = {"sub": 40.0, "add": 26.0} if norm == "post" else {"norm": 20.0, "sub": 28.0, "add": 16.0}
    names = {
        "norm": (f"{side}.*.add_norm.{place}.layer_norm", "norm", "Norm"),
        "sub": (f"{side}.*.{sub}", "feed_forward" if sub == "feed_forward" else "attention", label_of(side, sub)),
        "add": (f"{side}.*.add_norm.{place}", "residual", "Add & norm" if norm == "post" else "+"),
    }
    unit = []
    for part, h in tall.items():
        w = h if part == "add" and norm == "pre" else WIDE
        unit.append(Box(*names[part], x - w / 2, y - h, w, h))
        y -= h + (20 if norm == "post" else 18 if part == "norm" else 14)
    return unit


def label_of(side: str, sub: str) -> str:
    """The paper's words for a sub-layer."""
    return LABELS[sub if sub == "feed_forward" else attention_of(f"{side}.0.{sub}")]


def unit_lines(below: Box, unit: list[Box], sub: str, around: float, out: int) -> list[Line]:
    """The wires of a sub-layer: in, through, and around it."""
    lines, high, knee = [], unit[-1], below.y - 20
    for lower, upper in zip([below, *unit], unit, strict=False):
        lines.append(up(lower, upper))
        if upper.name.endswith(sub) and "attention" in sub:
            lines[-1] = replace(lines[-1], role="query")
            if sub == "self_attention":  # the cross-attention's keys and values come from the encoder
                lines += fork(lower, upper, -1 if lower.kind == "norm" else -out)
    side = high.x if out < 0 else high.x + high.w
    level = high.y + high.h / 2
    path = ((below.middle, knee), (around, knee), (around, level), (side, level))
    return [*lines, Line(below.name, high.name, path, "residual")]


def fork(lower: Box, upper: Box, way: int) -> list[Line]:
    """Keys and values on their way into a self-attention block, beside the queries."""
    knee, x = max(lower.y - 20, (lower.y + upper.bottom) / 2 - 2), upper.middle
    return [
        Line(lower.name, upper.name, ((x, knee), (x + way * shift, knee), (x + way * shift, upper.bottom)), role)
        for role, shift in (("value", 48), ("key", 24))
    ]


def rows_of(side: str, n_layers: int, norm: str, below: Box) -> Drawing:
    """Every layer of a stack as a row of blocks, the first at the bottom."""
    left, right = (50.0, 326.0) if side == "encoder" else (358.0, 752.0)
    pitch = min(54.0, 330 / n_layers)
    tall = max(8.0, min(26.0, pitch - 28))
    parts = parts_of(side, norm)
    shares = [SHARES[norm, kind] for _, kind in parts]
    gap = 8.0
    unit = (right - left - gap * (len(parts) - 1)) / sum(shares)
    boxes: list[Box] = []
    lines: list[Line] = []
    for layer in range(n_layers):
        x, y, row = left, 512 - layer * pitch - tall, []
        for (part, kind), share in zip(parts, shares, strict=True):
            row.append(Box(f"{side}.{layer}.{part}", kind, short_of(side, part, kind, norm), x, y, share * unit, tall))
            x += share * unit + gap
        boxes += [Box(f"{side}.{layer}", "layer", "", left - 5, y - 5, right - left + 10, tall + 10), *row]
        lines += [into_row(below, row[0]), *(across(a, b) for a, b in itertools.pairwise(row))]
        below = row[-1]
    words = [(f"{layer}", 24.0, 512 - layer * pitch - tall / 2, "middle") for layer in range(n_layers)]
    return Drawing(tuple(boxes), tuple(lines), (*words, ("layer", 24.0, 532.0, "middle")) if side == "encoder" else ())


SHARES = {  # how wide a block is in a row
    ("post", "attention"): 3.0, ("post", "residual"): 2.0, ("post", "feed_forward"): 2.2,
    ("pre", "attention"): 3.0, ("pre", "residual"): 0.8, ("pre", "feed_forward"): 2.2, ("pre", "norm"): 1.7,
}  # fmt: skip


def parts_of(side: str, norm: str) -> list[tuple[str, str]]:
    """The blocks of a layer in the order in which a vector meets them, with their kinds."""
    parts = []
    for place, sub in enumerate(SUBLAYERS[side]):
        kind = "feed_forward" if sub == "feed_forward" else "attention"
        first = [(f"add_norm.{place}.layer_norm", "norm")] if norm == "pre" else []
        parts += [*first, (sub, kind), (f"add_norm.{place}", "residual")]
    return parts


def short_of(side: str, part: str, kind: str, norm: str) -> str:
    """A block's word in a row."""
    if kind == "residual" and norm == "pre":
        return "+"
    return SHORT[attention_of(f"{side}.0.{part}") if kind == "attention" else kind]


def across(before: Box, after: Box) -> Line:
    """A wire from a block to its right neighbour."""
    y = before.y + before.h / 2
    return Line(before.name, after.name, ((before.x + before.w, y), (after.x, y)))


def into_row(below: Box, first: Box) -> Line:
    """A wire from the end of the row below, or from the sum, to the beginning of a row."""
    first_row = below.name.endswith("_sum")
    y = below.y - (12 if first_row else 11)
    path = ((below.middle, below.y), (below.middle, y), (first.middle, y), (first.middle, first.bottom))
    return Line(below.name, first.name, path, at=(below.middle + 7, y - 1) if first_row else (below.x - 44, y))


def exits(norm: str, boxes: list[Box]) -> Drawing:
    """What leaves the stacks: the encoder's output to every cross-attention, the decoder's to the probabilities."""
    tops = {
        side: [box for box in boxes if box.name.startswith(side) and box.kind == "residual"][-1] for side in SUBLAYERS
    }
    added: list[Box] = []
    lines: list[Line] = []
    if norm == "pre":
        for side, x in (("encoder", ENCODER), ("decoder", DECODER)):
            wide = Box(f"{side}_norm", "norm", "Norm", x - WIDE / 2, tops[side].y - 20 - 16, WIDE, 16)
            lines.append(bent(tops[side], wide))
            added.append(wide)
            tops[side] = wide
    linear = Box("linear", "linear", "Linear", DECODER - WIDE / 2, 78, WIDE, 26)
    softmax = Box("softmax", "softmax", "Softmax", DECODER - WIDE / 2, 34, WIDE, 26)
    end = Line("softmax", "", ((DECODER, 34), (DECODER, 17)), at=(DECODER + 7, 25))
    lines += [bent(tops["decoder"], linear), up(linear, softmax), end]
    lines += memory(tops["encoder"], [box for box in boxes if box.name.endswith("cross_attention")])
    return Drawing(
        (*added, linear, softmax), tuple(lines), (("probabilities of the next piece", DECODER, 8, "middle"),)
    )


def bent(lower: Box, upper: Box) -> Line:
    """A wire up, and aside where the upper box is not above the lower."""
    y, (a, b) = (lower.y + upper.bottom) / 2, (lower.middle, upper.middle)
    path = ((a, lower.y), (b, upper.bottom)) if a == b else ((a, lower.y), (a, y), (b, y), (b, upper.bottom))
    return Line(lower.name, upper.name, path, at=(b + 7, upper.bottom + 10))


def memory(top: Box, readers: list[Box]) -> list[Line]:
    """The encoder's output on its way to the keys and values of every cross-attention."""
    lines, folded = [], readers[0].w == WIDE
    for reader in readers:
        for role, off, into in (("key", 0.0, -24.0), ("value", -5.0, -48.0)):
            high, x, end = top.y - 20 + off, top.middle - off / 2, reader.middle + (into if folded else into / 5)
            trunk, low = (366 - off, reader.bottom + 15 + off) if folded else (342 - off, reader.bottom + 10 + off / 2)
            path = ((x, top.y), (x, high), (trunk, high), (trunk, low), (end, low), (end, reader.bottom))
            shown = reader is readers[0] and role == "key"
            lines.append(Line(top.name, reader.name, path, role, (top.middle + 12, high - 13) if shown else None))
    return lines


def model_figure(
    n_layers: int,
    shapes: Mapping[str, Sequence[int]],
    norm: str = "post",
    layer: int = 0,
    unfolded: bool = False,
    shows: str = "",
    dark: bool = False,
) -> stills.Svg:
    """Figure 1 as a still picture, with the shape that leaves each block; shapes: by block, as from `shapes(model, …)`.

    "src" and "tgt" among the shapes are those of the ids. What has no shape is drawn without one.
    """
    look, plan = theme.DARK if dark else theme.LIGHT, drawing(n_layers, norm, unfolded)
    if not 0 <= layer < n_layers:
        raise ValueError(f"There is no layer {layer}; the layers here are 0 to {n_layers - 1}.")
    content = [stills.element("rect", width="100%", height="100%", fill=look["page"])]
    content += [wire_picture(line, look) for line in plan.lines]
    content += [box_picture(box, look) for box in plan.boxes if box.kind == "layer"]
    for line in plan.lines:
        shape = shapes.get(line.start.replace("*", str(layer)))
        if line.at is not None and shape is not None:
            content.append(label_picture(str(tuple(shape)), *line.at, look))
    content += [box_picture(box, look) for box in plan.boxes if box.kind != "layer"]
    content += [written(text, x, y, look["ink"], 12, anchor) for text, x, y, anchor in plan.words]
    content.append(written(shows, WIDTH - 12, 14, look["quiet"], 11, "end"))
    description = f"The Transformer of Figure 1, {n_layers} layers, {norm}-norm, with the shapes on its wires ({shows})"
    return stills.drawing(content, WIDTH, HEIGHT, description)


def wire_colour(role: str, look: dict) -> str:
    """Queries blue, keys orange, values green, the rest quiet."""
    return look[role] if role in ("query", "key", "value") else look["quiet"]


def wire_picture(line: Line, look: dict) -> str:
    """A wire with its head."""
    (x0, y0), (x1, y1) = line.points[-2:]
    colour, far = wire_colour(line.role, look), math.dist((x0, y0), (x1, y1)) or 1
    dx, dy = 5 * (x1 - x0) / far, 5 * (y1 - y0) / far
    tips = ((x1 - dx - dy / 2, y1 - dy + dx / 2), (x1, y1), (x1 - dx + dy / 2, y1 - dy - dx / 2))
    strokes = ("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) for points in (line.points, tips))
    dash = {"stroke_dasharray": "4 3"} if line.role == "residual" else {}
    return stills.element("path", d="".join(strokes), fill="none", stroke=colour, stroke_width=1.3, **dash)


def label_picture(text: str, x: float, y: float, look: dict) -> str:
    """A shape beside or across its wire, on the colour of the page."""
    back = stills.element("rect", x=x - 1, y=y - 6, width=5.9 * len(text), height=12, fill=look["page"])
    return back + written(text, x, y, look["quiet"], 10.5, "start")


def box_picture(box: Box, look: dict) -> str:
    """A block with its words."""
    layer, rx = box.kind == "layer", box.h / 2 if box.w == box.h else 5.0
    frame = dict(x=box.x, y=box.y, width=box.w, height=box.h, rx=rx, stroke=look["line"], stroke_width=1.2)
    rect = stills.element("rect", **frame, fill="none" if layer else look["page"])
    if layer:
        return rect
    colour, share = (theme.WEIGHT_STOPS[False][2], 0.25) if box.kind == "attention" else (look["ink"], 0.05)
    rect += stills.element("rect", **frame, fill=colour, fill_opacity=f"{share}")
    size, words = (10.5 if box.w < 100 else 12.5), (box.label.split() if box.kind == "positions" else [box.label])
    for place, word in enumerate(words):
        y = box.y + box.h / 2 + 13 * (place - (len(words) - 1) / 2)
        rect += written(word, box.middle, y, look["ink"], size, "middle")
    return rect


def written(text: str, x: float, y: float, colour: str, size: float, anchor: str) -> str:
    """A line of text, y its middle."""
    y += 0.36 * size
    return stills.element("text", theme.escaped(text), x=x, y=y, fill=colour, font_size=size, text_anchor=anchor)
