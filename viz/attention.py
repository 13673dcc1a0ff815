"""Attention under the reader's hands: every head of a model as heat maps, lines, numbers and facts.

`attention_view` takes arrays, `explore_attention` a trained translator and a sentence. `attention_heatmap` is the still
picture. Rows are queries, columns are keys, each row sums to 1. Attention weights say where a head reads, not why the
model decides; the numbers are those of studies/attention.py.
"""

from __future__ import annotations

import itertools
import math
import pathlib
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.attention import (
    FACTS,
    allowed_keys,
    arithmetic,
    as_stack,
    as_tensor,
    core_lines,
    facts_of,
    head_facts,
    uniform_facts,
    with_effects,
    without_heads,
)
from studies.reading import KINDS, Reading, read
from studies.text import ENDS, word_groups
from viz import theme
from viz.canvas import Canvas, OneOf, floats, offline_page, packed, script, slot, trait
from viz.controls import Explorer

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class AttentionView(Canvas):
    """Attention weights of every head, drawn on canvases; layer, heads, kind, pin and threshold can be read and set.

    data holds, for each of meta["kinds"] one after another, the bytes of `packed(weights)`, weights (L, H, T, S):
    rows are queries, columns keys. At 6 layers of 8 heads and 64 tokens the three kinds take 589,824 bytes.
    """

    def shape(self, name: str | None = None) -> dict:
        """The entry of meta["kinds"] that a name (by default the kind shown) stands for."""
        kinds = {kind["name"]: kind for kind in self.meta["kinds"]}
        if (name or self.kind) not in kinds:
            raise ValueError(f"There is no kind {name or self.kind!r} here; choose from {', '.join(map(repr, kinds))}.")
        return kinds[name or self.kind]

    def _known_kind(self, _: str, kind: str) -> str:
        self.shape(kind)
        return kind

    def _known_layer(self, _: str, layer: int) -> int:
        n_layers = max(kind["n_layers"] for kind in self.meta["kinds"])
        if not 0 <= layer < n_layers:
            raise ValueError(f"There is no layer {layer}; the layers here are 0 to {n_layers - 1}.")
        return layer

    def _known_heads(self, _: str, asked: list[int]) -> list[int]:
        heads, n_heads = sorted(set(asked)), max(kind["n_heads"] for kind in self.meta["kinds"])
        if not heads or heads[0] < 0 or heads[-1] >= n_heads:
            raise ValueError(f"heads is {asked}; show one or more of the heads 0 to {n_heads - 1}.")
        return heads

    def _known_off(self, _: str, off: list) -> list:
        for name, layer, head in off:
            kind = self.shape(name)
            if not (0 <= layer < kind["n_layers"] and 0 <= head < kind["n_heads"]):
                raise ValueError(
                    f"There is no head {[name, layer, head]}; here are layers 0 to {kind['n_layers'] - 1} "
                    f"and heads 0 to {kind['n_heads'] - 1}."
                )
        return [list(head) for head in off]

    def _known_pin(self, _: str, pins: list) -> list:
        for side, place in pins:
            if side not in ("query", "key") or place < 0:
                raise ValueError(f'pin holds {[side, place]}; write ["query", place] or ["key", place].')
        return [list(pin) for pin in pins]

    _esm = script("attention.js")
    data = trait(b"")
    kind = trait("attention", "which attention the lines and thumbnails show", check=_known_kind)
    layer = trait(0, "from 0", check=_known_layer)
    heads = trait([0], "the heads shown, from 0", of=trait(0), check=_known_heads)
    pin = trait([], 'pinned tokens of the kind: ["query" or "key", place]', check=_known_pin)
    threshold = trait(1.0, "share of a row's mass kept", min=0.0, max=1.0)
    over_heads = OneOf(["mean", "max"])
    over_layers = OneOf(["one", "mean", "max"])
    sqrt = trait(False, "colours by √weight")
    per_row = trait(False, "colours from 0 to each row's largest weight")
    hide_special = trait(False)
    merge_words = trait(False)
    cell = trait([], "[kind, layer, head, query, key] whose arithmetic is open")
    compare = trait([], "[[layer, head], [layer, head]] of the difference")
    off = trait([], "[[kind, layer, head], …] taken out of the model", check=_known_off)
    ablation = trait({}, "what the model says without the heads in off")
    facts = trait({}, "rows of computed facts, one for each head")
    panel = OneOf(["heads", "cell", "off", "facts", "difference", "text"])


# The three places of attention in the paper's Figure 1.
TITLES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
}

# ─── Arrays in ───────────────────────────────────────────────────────────────────────────────────────────────────────


def shape_of(name: str, title: str, weights: Tensor, queries: list[str], keys: list[str], **more: Any) -> dict:
    """What the canvas must know of one kind of attention besides the bytes."""
    sums = weights.sum(-1)
    kind = {
        "name": name, "title": title, "address": "weights", "index": [],
        "n_layers": weights.shape[0], "n_heads": weights.shape[1], "queries": queries, "keys": keys,
        "predicts": None, "allowed": None, "query_side": "", "key_side": "",
        "query_words": word_groups(queries), "key_words": word_groups(keys),
        "special_queries": [token in ENDS for token in queries], "special_keys": [token in ENDS for token in keys],
        "row_sums": [sums.min().item(), sums.max().item()],
    }  # fmt: skip
    return kind | more


MOST_GIVEN = 512  # tokens of a map: of more, a cell is less than a pixel


def attention_view(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    shows: str = "given weights",
    causal: bool | None = None,
    **opens_with: Any,
) -> AttentionView:
    """Show the attention weights of your own model: rows are queries, columns are keys, each row sums to 1.

    weights: (T, S), (H, T, S) or (L, H, T, S), as tensor, array or nested lists. key_tokens: the queries' if not given.
    shows: what the corner says, such as "trained: my model", "untrained" or "synthetic".
    causal: whether later keys are masked; found from the zeros above the diagonal if not given.
    opens_with: traits of the view to begin with, such as layer=4, heads=[1, 3], pin=[["query", 2]], panel="difference".
    """
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, queries, keys)
    if max(len(queries), len(keys)) > MOST_GIVEN:
        given = f"There are {len(queries)} query and {len(keys)} key tokens, more than the {MOST_GIVEN} that are shown"
        raise ValueError(f"{given}; pass a part of the weights, such as weights[..., :{MOST_GIVEN}, :{MOST_GIVEN}].")
    index = [[], ["head"], ["layer", "head"]][as_tensor(weights).dim() - 2]
    allowed = allowed_keys(stack, causal)
    kind = shape_of("attention", "Attention", stack, queries, keys, index=index, allowed=allowed)
    meta = {
        "version": 0, "shows": shows, "title": title, "translation": None, "live": True, "model": False,
        "kinds": [kind],
    }  # fmt: skip
    facts = [{"kind": "attention"} | row for row in head_facts(weights, queries, keys, causal=allowed is not None)]
    usual = dict(
        heads=list(range(stack.shape[1])),
        compare=default_pair(stack),
        panel="heads" if len(facts) > 1 else "cell",
    )
    table = facts_table(facts, {"attention": "Computed from this sentence."})
    view = AttentionView(data=packed(stack), meta=meta, kind="attention", facts=table, **usual | opens_with)
    view.maps = {"attention": stack}
    view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": lambda ask: exact_cell(view, ask)}
    view.picture = lambda: view_picture(view)
    return view


def default_pair(stack: Tensor) -> list[list[int]]:
    """Two heads to compare at first: the first and the last."""
    return [[0, 0], [stack.shape[0] - 1, stack.shape[1] - 1]]


def exact_maps(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """The float32 maps of the heads that the script asks for."""
    stack = view.maps[message["kind"]]
    chosen = torch.stack([stack[layer, head] for layer, head in message["heads"]])
    return {"kind": message["kind"], "heads": message["heads"]}, [floats(chosen)]


def exact_cell(view: AttentionView, message: dict) -> tuple[dict, list[bytes]]:
    """One weight, as it was recorded."""
    name, *place = message["cell"]
    return {"weight": view.maps[name][tuple(place)].item()}, []


def facts_table(rows: list[dict[str, Any]], notes: dict[str, str]) -> dict[str, Any]:
    """Facts as the canvas takes them: columns with their meaning, a row for each head, a note for each kind."""
    return {"columns": list(FACTS.items()), "rows": rows, "notes": notes}


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 160  # beyond, a map has more cells than a screen has room for


def shape_in(reading: Reading, kind: str) -> dict:
    """What the canvas must know of a kind of attention in a reading."""
    queries, keys = reading.tokens(kind)
    sides = {"encoder": ("source", "source"), "decoder": ("target", "target"), "cross": ("target", "source")}[kind]
    more: dict[str, Any] = {"address": KINDS[kind] + ".weights", "query_side": sides[0], "key_side": sides[1]}
    if kind == "cross":
        more["predicts"] = reading.predicted_pieces
        more["query_words"] = word_groups(more["predicts"])  # a row belongs to the word that it predicts
        more["special_queries"] = [token in ENDS for token in more["predicts"]]
    allowed = reading.allowed(kind)
    more["allowed"] = None if all(span == [0, len(keys)] for span in allowed) else allowed
    return shape_of(kind, TITLES[kind], reading.stack(kind), queries, keys, **more)


def facts_in(reading: Reading) -> dict[str, Any]:
    """The facts of every head in a reading, and what a head that looks everywhere alike would have."""
    notes = {}
    for kind in KINDS:
        entropy, distance = map(theme.three_digits, uniform_facts(reading.allowed(kind)))
        far = f", distance {distance}" if kind != "cross" else ""
        notes[kind] = f"Looking everywhere alike would give entropy {entropy}{far}."
    return facts_table([row for kind in KINDS for row in facts_of(reading, kind)], notes)


class AttentionExplorer(Explorer):
    """A sentence box above the attention of a model; `.reading` is what the model did, `.view` what is shown."""

    def read(self, text: str) -> Reading:
        return read(self.translator, text, most=MOST_TOKENS)

    def first_view(self, **opens_with: Any) -> AttentionView:
        """Cross-attention, at the head that is most along the diagonal."""
        best = max(facts_of(self.reading, "cross"), key=lambda row: row["alignment"])
        layer, head = best["layer"], best["head"]
        pair = [[layer, head], [layer, (head + 1) % self.translator.model.config.n_heads]]
        view = AttentionView(kind="cross", layer=layer, heads=[head], compare=pair, **self.contents())
        view.answers = {"maps": lambda ask: exact_maps(view, ask), "cell": self.cell, "effects": self.effects}
        view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
        view.picture = lambda: view_picture(view)
        view.observe(lambda _: self.ablate(), "off")
        return view

    def contents(self) -> dict[str, Any]:
        reading = self.reading
        meta = {
            "version": self.version, "live": True, "model": True, "kinds": [shape_in(reading, kind) for kind in KINDS],
            "shows": reading.shows, "title": reading.text, "translation": reading.translation,
        }  # fmt: skip
        return {
            "data": b"".join(packed(reading.stack(kind)) for kind in KINDS),
            "meta": meta,
            "facts": facts_in(reading),
        }

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"pin": [], "cell": [], "ablation": {}}

    def take(self, reading: Reading) -> None:
        super().take(reading)
        self.view.maps = {kind: self.reading.stack(kind) for kind in KINDS}
        self.ablate()

    def told(self) -> str:
        n_source, n_target = self.reading.src.shape[1], len(self.reading.ids)
        log_prob = theme.three_digits(self.reading.log_prob.sum().item())
        return f"{n_source} source and {n_target} target tokens, log-probability {log_prob.replace('-', '−')}"

    def ablate(self) -> None:
        """Let the model translate again without the heads that are switched off."""
        off = self.view.off
        self.view.ablation = without_heads(self.reading, off) | {"off": off} if off else {}

    def cell(self, message: dict) -> tuple[dict, list[bytes]]:
        """The arithmetic of a cell, with the lines of the core that do it."""
        source, where = core_lines()
        return arithmetic(self.reading, *message["cell"]) | {"source": source, "where": where}, []

    def effects(self, _: dict) -> tuple[dict, list[bytes]]:
        """Measure what each head by itself does for this translation, and add it to the facts."""
        self.view.facts = self.view.facts | {"rows": with_effects(self.reading, self.view.facts["rows"])}
        return {}, []


def explore_attention(translator: tc.Translator, text: str) -> AttentionExplorer:
    """Type a sentence: the model translates it, and every attention head of every layer answers to mouse and keyboard.

    Returns a live object: `.view` with the traits layer, heads, kind, pin, threshold (read and set them), `.text`, and
    `.reading` with the translation and the trace.
    """
    return AttentionExplorer(translator, text)


# ─── Still pictures, and a page of its own ───────────────────────────────────────────────────────────────────────────


def attention_heatmap(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    title: str = "",
    shows: str = "given weights",
    causal: bool | None = None,
    predicts: Sequence[str] | None = None,
    dark: bool = False,
) -> theme.Svg:
    """Draw one map of weights (T, S), rows queries, columns keys, as a still picture.

    Several heads (H, T, S) are averaged; predicts: for cross-attention, what each row predicts.
    """
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, queries, keys)
    kind = shape_of("attention", title, stack, queries, keys, predicts=predicts and list(predicts))
    kind["allowed"] = allowed_keys(stack, causal)
    return page_of([panel(kind, stack.mean((0, 1)), dark)], "", shows, dark, scale={})


def attention_lines(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    queries: Sequence[int] | None = None,
    heads: Sequence[int] | None = None,
    title: str = "",
    shows: str = "given weights",
    dark: bool = False,
) -> theme.Svg:
    """Draw queries and keys as two columns joined by lines, as the paper's appendix does (Figures 3 to 5).

    weights: (T, S) or (H, T, S); each head has its colour. queries: the places of those whose lines are drawn, all if
    not given. heads: the numbers that the given heads have in the model, for their colours and the legend.
    """
    left_tokens = list(query_tokens)
    right_tokens = left_tokens if key_tokens is None else list(key_tokens)
    stack = as_stack(weights, left_tokens, right_tokens)[0]  # (H, T, S)
    numbers = list(range(len(stack))) if heads is None else list(heads)
    if len(numbers) != len(stack):
        raise ValueError(f"heads names {len(numbers)} heads, but weights has {len(stack)}; name each of them.")
    rows = range(len(left_tokens)) if queries is None else queries
    return page_of([line_panel(stack, left_tokens, right_tokens, rows, numbers, dark)], title, shows, dark)


def link(x0: float, y0: float, x1: float, y1: float, colour: str, weight: float) -> str:
    """A line from a query to a key, the thicker and darker the larger the weight."""
    bend = 0.4 * (x1 - x0)
    path = f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    strength = f"{min(1.0, 0.15 + 0.85 * weight):.2f}"
    return theme.element("path", d=path, stroke=colour, stroke_width=0.8 + 4 * weight, stroke_opacity=strength)


def line_panel(
    stack: Tensor, queries: list[str], keys: list[str], rows: Iterable[int], heads: list[int], dark: bool
) -> tuple[str, float, float]:
    """Two columns of tokens and the lines between them as SVG, with width and height."""
    look, colours, step = (theme.DARK if dark else theme.LIGHT), theme.head_colours(max(heads) + 1, dark), 20.0
    x0, gap = 7.6 * theme.longest(queries) + 10, 190.0
    lines = [
        link(x0 + 4, 46 + step * i, x0 + gap - 4, 46 + step * j, colours[head], weight)
        for head, map_ in zip(heads, stack.tolist(), strict=True)
        for i in rows
        for j, weight in enumerate(map_[i])
        if weight >= 0.02
    ]
    bold = set(rows) if len(set(rows)) < len(queries) else set()
    left = [
        theme.element("text", theme.label(token), x=x0, y=50 + step * i, font_weight=700 if i in bold else 400)
        for i, token in enumerate(queries)
    ]
    right = [theme.element("text", theme.label(token), x=x0 + gap, y=50 + step * j) for j, token in enumerate(keys)]
    named = [
        theme.element("text", f"head {head}", x=x0 + 60 * n, y=10, fill=look["ink"])
        + theme.element("rect", x=x0 + 60 * n, y=14, width=44, height=4, fill=colours[head])
        for n, head in enumerate(heads)
    ]
    text = [
        theme.element("g", *named, font_size=11),
        theme.element("text", "queries", x=x0, y=34, text_anchor="end", fill=look["query"], font_size=11),
        theme.element("text", "keys", x=x0 + gap, y=34, fill=look["key"], font_size=11),
        theme.element("g", *lines, fill="none"),
        theme.element("g", *left, font_family=theme.MONO, fill=look["query"], text_anchor="end"),
        theme.element("g", *right, font_family=theme.MONO, fill=look["key"]),
    ]
    width = max(x0 + gap + 7.6 * theme.longest(keys) + 10, x0 + 60 * len(heads))
    return "".join(text), width, 46 + step * max(len(queries), len(keys))


def view_picture(view: AttentionView, dark: bool = False) -> theme.Svg:
    """Draw what a view shows now as a still picture: its maps, the lines of what is pinned, or two heads compared."""
    kind = view.shape()
    if view.panel == "difference":
        maps = [
            (kind, view.maps[view.kind][layer, head], f"layer {layer}, head {head}") for layer, head in view.compare
        ]
    else:
        maps = [(kind, shown_map(view, kind), shown_heads(view, kind)) for kind in view.meta["kinds"]]
    panels = []
    for one, weights, said in maps:
        merged, grouped = as_grouped(view, one, weights)
        panels.append(panel(merged, grouped, dark, said + said_of_colours(view), shades(view, grouped)))
    if view.pin and view.panel != "difference":
        panels.append(pinned_lines(view, kind, dark))
    return page_of(panels, title_of(view), view.meta["shows"], dark, {"sqrt": view.sqrt, "per_row": view.per_row})


def as_grouped(view: AttentionView, kind: dict, weights: Tensor) -> tuple[dict, Tensor]:
    """A kind and one of its maps as the view groups them: special tokens left out, sub-words joined.

    A word reads what its tokens read on average, and is read as often as its tokens together.
    """

    def blocks(words: list[int], special: list[bool]) -> list[list[int]]:
        numbers = words if view.merge_words else range(len(words))
        found: dict[int, list[int]] = {}
        for place, number in enumerate(numbers):
            if not (view.hide_special and special[place]):
                found.setdefault(number, []).append(place)
        return list(found.values()) or [[place] for place in range(len(words))]

    rows = blocks(kind["query_words"], kind["special_queries"])
    columns = blocks(kind["key_words"], kind["special_keys"])
    names = {
        name: kind[name] and ["".join(kind[name][place] for place in block) for block in some]
        for name, some in (("queries", rows), ("keys", columns), ("predicts", rows))
    }
    weights = torch.stack([weights[block].mean(0) for block in rows])
    weights = torch.stack([weights[:, block].sum(-1) for block in columns], -1)
    if allowed := kind["allowed"]:
        reach = [(min(allowed[i][0] for i in row), max(allowed[i][1] for i in row)) for row in rows]
        seen = [[c for c, block in enumerate(columns) if block[-1] >= a and block[0] < b] for a, b in reach]
        allowed = [[some[0], some[-1] + 1] if some else [0, 0] for some in seen]
    return kind | names | {"allowed": allowed}, weights


def shades(view: AttentionView, weights: Tensor) -> Tensor:
    """How dark the view draws each weight: over the threshold, by its square root, against its row's largest."""
    ordered, order = weights.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    kept = torch.zeros_like(weights).scatter(-1, order, (before < view.threshold * weights.sum(-1, True)).float())
    shade = weights * (kept if view.threshold < 1 else 1)
    shade = shade / shade.amax(-1, True).clamp(min=1e-12) if view.per_row else shade
    return shade.sqrt() if view.sqrt else shade


def said_of_colours(view: AttentionView) -> str:
    """What a reader of the picture must know of its colours, in words."""
    said = [(view.threshold < 1, f"{view.threshold:.0%} of each row's mass"), (view.sqrt, "colours by √weight"),
            (view.per_row, "colours per row")]  # fmt: skip
    return "".join(f", {words}" for true, words in said if true)


def pinned_lines(view: AttentionView, kind: dict, dark: bool) -> tuple[str, float, float]:
    """The lines of the pinned tokens, each head in its colour."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    one = {name: getattr(view, name) for name in ("over_layers", "layer")}
    stack = torch.stack([map_over_layers(view.maps[kind["name"]][:, head], **one) for head in heads])  # (H, T, S)
    chosen = torch.zeros(stack.shape[1:])
    for side, place in view.pin:
        (chosen if side == "query" else chosen.T)[place] = 1
    pairs = zip(kind["queries"], kind["predicts"] or kind["queries"], strict=True)
    names = [f"{q} → {p}" for q, p in pairs] if kind["predicts"] else kind["queries"]
    rows = [place for side, place in view.pin if side == "query"]
    if any(side == "key" for side, _ in view.pin):
        rows = list(range(len(names)))
    return line_panel(stack * chosen, names, kind["keys"], rows, heads, dark)


def map_over_layers(layers: Tensor, over_layers: str, layer: int) -> Tensor:
    """One map of the maps of a head in every layer (L, T, S): (T, S)."""
    if over_layers == "one":
        return layers[min(layer, len(layers) - 1)]
    return layers.amax(0) if over_layers == "max" else layers.mean(0)


def title_of(view: AttentionView) -> str:
    """The sentence and its translation, or the title that was given."""
    translation = view.meta["translation"]
    return view.meta["title"] if translation is None else f"{view.meta['title']} → {translation}"


def shown_map(view: AttentionView, kind: dict) -> Tensor:
    """The map that a view shows of a kind: over layers first, then over heads. (T, S)"""
    stack = view.maps[kind["name"]]
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    some = torch.stack([map_over_layers(stack[:, head], view.over_layers, view.layer) for head in heads])
    return some.amax(0) if view.over_heads == "max" else some.mean(0)


def shown_heads(view: AttentionView, kind: dict) -> str:
    """Which heads of which layers a view shows, in words."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    who = f"head {heads[0]}" if len(heads) == 1 else f"{view.over_heads} of heads {', '.join(map(str, heads))}"
    one = f"layer {min(view.layer, kind['n_layers'] - 1)}"
    return f"{one if view.over_layers == 'one' else f'{view.over_layers} of layers'}, {who}"


def panel(
    kind: dict, weights: Tensor, dark: bool, subtitle: str = "", shades: Tensor | None = None
) -> tuple[str, float, float]:
    """One map as SVG, with its width and height; shades: how dark each cell is, if not as its weight."""
    look, (T, S) = theme.DARK if dark else theme.LIGHT, weights.shape
    rows = row_labels(kind, look)
    cell = max(4.0, min(24.0, 330 / max(T, S)))
    left, top = 7.3 * max(length for _, length in rows) + 26, 5.3 * theme.longest(kind["keys"]) + 62
    middle = f"translate(9 {top + cell * T / 2:.1f}) rotate(-90)"
    heading = theme.element("tspan", theme.escaped(subtitle), font_weight=400, fill=look["quiet"])
    note = f"rows: queries, columns: keys, {row_note(weights)}"
    text = [
        theme.element("text", theme.escaped(kind["title"]) + " " + heading, y=12, font_weight=600, fill=look["ink"]),
        theme.element("text", note, y=28, font_size=10, fill=look["quiet"]),
        theme.element("text", "keys", x=left + cell * S / 2, y=44, text_anchor="middle", fill=look["key"]),
        theme.element("text", "queries", transform=middle, text_anchor="middle", fill=look["query"]),
    ]
    labels = token_labels([row for row, _ in rows], kind["keys"], left, top, cell, look)
    frame = dict(x=left, y=top, width=cell * S, height=cell * T, fill="none", stroke=look["line"])
    map_ = cells_of(kind, weights if shades is None else shades, theme.weight_scale(dark), look["line"])
    place = f"translate({left:.1f} {top:.1f}) scale({cell:.3f})"
    drawn = [theme.element("g", map_, transform=place, shape_rendering="crispEdges"), theme.element("rect", **frame)]
    width = max(left + cell * S + 5.3 * theme.longest(kind["keys"][-1:]), 330)
    return "".join([*text, *drawn, labels]), width, top + cell * T + 8


def row_labels(kind: dict, look: dict) -> list[tuple[str, int]]:
    """The label of each row, and its length: the token, or what it reads → what it predicts."""
    if not kind["predicts"]:
        return [(theme.label(token), theme.longest([token])) for token in kind["queries"]]
    pairs = zip(kind["queries"], kind["predicts"], strict=True)
    return [
        (
            theme.element("tspan", theme.label(q), " → ", fill=look["quiet"]) + theme.label(p),
            theme.longest([q]) + theme.longest([p]) + 3,
        )
        for q, p in pairs
    ]


def token_labels(rows: list[str], keys: list[str], left: float, top: float, cell: float, look: dict) -> str:
    """Queries beside and keys above a map; where cells are small, only every n-th."""
    size, every = min(12.0, max(cell - 1, 7.0)), math.ceil(9 / cell)
    beside = [
        theme.element(
            "text", row, x=left - 5, y=top + (i + 0.5) * cell + size / 3, text_anchor="end", fill=look["query"]
        )
        for i, row in enumerate(rows)
        if i % every == 0
    ]
    above = [
        theme.element(
            "text", theme.label(key), transform=f"translate({x:.1f} {top - 5:.1f}) rotate(-45)", fill=look["key"]
        )
        for x, key in ((left + (j + 0.6) * cell, key) for j, key in enumerate(keys) if j % every == 0)
    ]
    return theme.element("g", *beside, *above, font_family=theme.MONO, font_size=size)


def row_note(weights: Tensor) -> str:
    """What the rows of a drawn map sum to."""
    low, high = (f"{sums.item():.3f}" for sums in weights.sum(-1).aminmax())
    return f"each row sums to {low}" if low == high else f"rows sum to {low}–{high} (a maximum)"


def cells_of(kind: dict, weights: Tensor, colours: list[str], masked: str) -> str:
    """The cells as one path for each of 64 colours, masked ones grey; a cell is a unit square, like neighbours join."""
    squares: dict[str, list[str]] = {}
    for i, row in enumerate(weights.tolist()):
        first, end = kind["allowed"][i] if kind["allowed"] else (0, len(row))
        shades = [
            colours[min(255, 4 * round(63.75 * min(weight, 1)))] if first <= j < end else masked
            for j, weight in enumerate(row)
        ]
        for colour, run in itertools.groupby(range(len(row)), key=shades.__getitem__):
            places = list(run)
            if colour != colours[0]:
                squares.setdefault(colour, []).append(f"M{places[0]} {i}h{len(places)}v1h-{len(places)}z")
    return "".join(theme.element("path", fill=colour, d="".join(some)) for colour, some in squares.items())


def page_of(
    panels: list[tuple[str, float, float]], title: str, shows: str, dark: bool, scale: dict | None = None
) -> theme.Svg:
    """Panels side by side, as many as a column of text has room for, with the title, the scale and what is shown."""
    look, gap, top, left = (theme.DARK if dark else theme.LIGHT), 28, 34.0 if title else 10.0, 16.0
    drawn, width, below = list[str](), 0.0, top
    for text, wide, tall in panels:
        if left > 16 and left + wide > 1050:
            left, top = 16.0, below + gap
        drawn.append(theme.element("g", text, transform=f"translate({left:.1f} {top:.1f})"))
        left, below = left + wide + gap, max(below, top + tall)
        width = max(width, left)
    width, height = math.ceil(width - gap + 16), math.ceil(below + 48)
    content = [theme.element("rect", width="100%", height="100%", fill=look["page"])]
    content.append(theme.element("text", theme.escaped(title), x=16, y=22, font_weight=600, fill=look["ink"]))
    content += drawn
    if scale is not None:
        content.append(scale_bar(height, dark, **scale))
    corner = dict(x=width - 16, y=height - 9, text_anchor="end", font_size=11, fill=look["quiet"])
    content.append(theme.element("text", theme.escaped(shows), **corner))
    size = dict(width=width, height=height, viewBox=f"0 0 {width} {height}", font_family=theme.FONT, font_size=13)
    said = f"Attention weights. {title} ({shows})"
    svg = theme.element("svg", *content, xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, **size)
    return theme.Svg(svg, said)


def scale_bar(height: float, dark: bool, sqrt: bool = False, per_row: bool = False) -> str:
    """The legend of the weights, from 0 to 1 or to each row's largest; by square root, the middle stands further on."""
    look, colours = theme.DARK if dark else theme.LIGHT, theme.weight_scale(dark)
    steps = [
        theme.element("rect", x=16 + 5 * n, y=height - 30, width=5.5, height=9, fill=colours[8 * n]) for n in range(32)
    ]
    frame = theme.element("rect", x=16, y=height - 30, width=160, height=9, fill="none", stroke=look["line"])
    middle, end = 72 + sqrt * 33, "max" if per_row else "1"
    names = [("0", 0), *([] if per_row else [("0.5", middle)]), (end, 154 - 12 * per_row)]
    ticks = [theme.element("text", text, x=16 + at, y=height - 9) for text, at in names]
    return theme.element("g", *steps, frame, *ticks, font_size=10, fill=look["quiet"])


def export_svg(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as a vector picture."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".svg"))


def export_png(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as pixels, two to a point; needs no browser."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".png"))


def view_of(view: AttentionView | AttentionExplorer) -> AttentionView:
    """The view itself, also of an explorer."""
    return view.view if isinstance(view, Explorer) else view


def export_html(view: AttentionView | AttentionExplorer, path: str | pathlib.Path) -> pathlib.Path:
    """Write a page that moves like the view, with no Python and no network; under 1 MB up to 64 × 64 tokens."""
    view, path = view_of(view), pathlib.Path(path)
    head = f"<title>{theme.escaped(title_of(view) or 'Attention')}</title>"
    body = f'<body class="view-page">\n<main>{slot("canvas", 0)}</main>\n</body>'
    path.write_text(offline_page(head, body, view.style(), [view.frozen()]), encoding="utf-8")
    return path
