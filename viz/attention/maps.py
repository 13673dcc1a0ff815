"""The stills of attention: heat maps, lines between words, and what the view shows."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from studies.attention import allowed_keys, as_stack
from studies.text import ENDS, word_groups
from viz import stills, theme
from viz.stills import Cell

if TYPE_CHECKING:
    from viz.attention.heads import AttentionView


# The three places of attention in the paper's Figure 1.
TITLES = {
    "encoder": "Encoder self-attention",
    "decoder": "Decoder self-attention",
    "cross": "Cross-attention",
}


def checked_off(off: Sequence[Sequence], sizes: Mapping[str, tuple[int, int]]) -> list[list]:
    """Heads to be taken out, [[kind, layer, head], …], each once, or a ValueError that says which is not there.

    sizes: of each kind how many layers it has, and how many heads a layer.
    """
    there = {
        (kind, n, h) for kind, (n_layers, n_heads) in sizes.items() for n in range(n_layers) for h in range(n_heads)
    }
    for place in off:
        if tuple(place) not in there:
            last = max(sizes.values())
            raise ValueError(
                f"There is no head {list(place)}; give [kind, layer, head] of the kinds {', '.join(sizes)}, "
                f"layers 0 to {last[0] - 1} and heads 0 to {last[1] - 1}."
            )
    return [list(place) for place in dict.fromkeys(map(tuple, off))]


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


def with_tokens(
    weights: Any, query_tokens: Sequence[str], key_tokens: Sequence[str] | None
) -> tuple[Tensor, list[str], list[str]]:
    """Weights of any of the three shapes as (L, H, T, S), with their T query and S key tokens."""
    queries = list(query_tokens)
    keys = queries if key_tokens is None else list(key_tokens)
    return as_stack(weights, queries, keys), queries, keys


def attention_heatmap(
    weights: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    predicts: Sequence[str] | None = None,
    title: str = "",
    shows: str = "given weights",
    dark: bool = False,
) -> stills.Svg:
    """Draw one map of weights (T, S), rows queries, columns keys, as a still picture.

    Several heads (H, T, S) are averaged; predicts: for cross-attention, what each row predicts.
    """
    stack, queries, keys = with_tokens(weights, query_tokens, key_tokens)
    kind = shape_of("attention", title, stack, queries, keys, predicts=predicts and list(predicts))
    kind["allowed"] = allowed_keys(stack, None)
    return stills.page([[panel(kind, stack.mean((0, 1)))]], shows, "Attention weights", dark=dark)


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
) -> stills.Svg:
    """Draw queries and keys as two columns joined by lines, as the paper's appendix does (Figures 3 to 5).

    weights: (T, S) or (H, T, S); each head has its colour. queries: the places of those whose lines are drawn, all if
    not given. heads: the numbers that the given heads have in the model, for their colours and the legend.
    """
    layers, left_tokens, right_tokens = with_tokens(weights, query_tokens, key_tokens)
    stack = layers[0]  # (H, T, S)
    numbers = list(range(len(stack))) if heads is None else list(heads)
    if len(numbers) != len(stack):
        raise ValueError(f"heads names {len(numbers)} heads, but weights has {len(stack)}; name each of them.")
    rows = range(len(left_tokens)) if queries is None else queries
    lines = line_panel(stack, left_tokens, right_tokens, rows, numbers)
    return stills.page([[lines]], shows, f"Attention weights. {title}", title=title, dark=dark)


def link(x0: float, y0: float, x1: float, y1: float, colour: str, weight: float) -> str:
    """A line from a query to a key, the thicker and darker the larger the weight."""
    bend = 0.4 * (x1 - x0)
    path = f"M{x0:.1f} {y0:.1f}C{x0 + bend:.1f} {y0:.1f} {x1 - bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
    strength = f"{min(1.0, 0.15 + 0.85 * weight):.2f}"
    return stills.element("path", d=path, stroke=colour, stroke_width=0.8 + 4 * weight, stroke_opacity=strength)


def line_panel(
    stack: Tensor, queries: list[str], keys: list[str], rows: Iterable[int], heads: list[int]
) -> stills.Shape:
    """Two columns of tokens and the lines between them, for a page."""
    return functools.partial(lines_drawn, stack, queries, keys, set(rows), heads)


def lines_drawn(
    stack: Tensor, queries: list[str], keys: list[str], rows: set[int], heads: list[int], look: stills.Look
) -> stills.Drawn:
    """The same as SVG, with width and height."""
    colours, step = [look["heads"][head % len(look["heads"])] for head in range(max(heads) + 1)], 20.0
    x0, gap = max(7.6 * theme.longest(queries) + 10, 46.0), 190.0
    lines = [
        link(x0 + 4, 46 + step * i, x0 + gap - 4, 46 + step * j, colours[head], weight)
        for head, map_ in zip(heads, stack.tolist(), strict=True)
        for i in sorted(rows)
        for j, weight in enumerate(map_[i])
        if weight >= 0.02
    ]
    bold = rows if len(rows) < len(queries) else set()
    left = [
        stills.element("text", theme.label(token), x=x0, y=50 + step * i, font_weight=700 if i in bold else 400)
        for i, token in enumerate(queries)
    ]
    right = [stills.element("text", theme.label(token), x=x0 + gap, y=50 + step * j) for j, token in enumerate(keys)]
    named = [
        stills.element("text", f"head {head}", x=x0 + 60 * n, y=10, fill=look["ink"])
        + stills.element("rect", x=x0 + 60 * n, y=14, width=44, height=4, fill=colours[head])
        for n, head in enumerate(heads)
    ]
    text = [
        stills.element("g", *named, font_size=11),
        stills.element("text", "queries", x=x0, y=34, text_anchor="end", fill=look["query"], font_size=11),
        stills.element("text", "keys", x=x0 + gap, y=34, fill=look["key"], font_size=11),
        stills.element("g", *lines, fill="none"),
        stills.element("g", *left, font_family=theme.MONO, fill=look["query"], text_anchor="end"),
        stills.element("g", *right, font_family=theme.MONO, fill=look["key"]),
    ]
    width = max(x0 + gap + 7.6 * theme.longest(keys) + 10, x0 + 60 * len(heads))
    return "".join(text), width, 46 + step * max(len(queries), len(keys))


def as_grouped(view: AttentionView, kind: dict, weights: Tensor) -> tuple[dict, Tensor]:
    """A kind and one of its maps as the view groups them: special tokens left out, sub-words joined.

    A word reads what its tokens read on average, and is read as often as its tokens together.
    """

    def blocks(words: list[int], special: list[bool]) -> list[list[int]]:
        numbers = words if view.merge_words else range(len(words))
        groups: dict[int, list[int]] = {}
        for place, number in enumerate(numbers):
            if not (view.hide_special and special[place]):
                groups.setdefault(number, []).append(place)
        return list(groups.values()) or [[place] for place in range(len(words))]

    rows = blocks(kind["query_words"], kind["special_queries"])
    columns = blocks(kind["key_words"], kind["special_keys"])
    names = {
        name: kind[name] and ["".join(kind[name][place] for place in block) for block in axis]
        for name, axis in (("queries", rows), ("keys", columns), ("predicts", rows))
    }
    weights = torch.stack([weights[block].mean(0) for block in rows])
    weights = torch.stack([weights[:, block].sum(-1) for block in columns], -1)
    if allowed := kind["allowed"]:
        reach = [(min(allowed[i][0] for i in row), max(allowed[i][1] for i in row)) for row in rows]
        seen = [[c for c, block in enumerate(columns) if block[-1] >= a and block[0] < b] for a, b in reach]
        allowed = [[keys[0], keys[-1] + 1] if keys else [0, 0] for keys in seen]
    unread = set(kind.get("masked", ()))
    masked = [c for c, block in enumerate(columns) if unread.issuperset(block)]
    return kind | names | {"allowed": allowed, "masked": masked}, weights


def shades(view: AttentionView, weights: Tensor) -> Tensor:
    """How dark the view draws each weight: over the threshold, by its square root, against its row's largest."""
    ordered, order = weights.sort(-1, descending=True)
    before = ordered.cumsum(-1) - ordered
    strong = torch.zeros_like(weights).scatter(-1, order, (before < view.threshold * weights.sum(-1, True)).float())
    shade = weights * (strong if view.threshold < 1 else 1)
    shade = shade / shade.amax(-1, True).clamp(min=1e-12) if view.per_row else (shade / view.colours_to).clamp(max=1)
    return shade.sqrt() if view.sqrt else shade


def rescales(view: AttentionView) -> bool:
    """Whether the rest of each row is divided by its sum, special tokens left out."""
    return view.hide_special and view.renormalise


def rows_held(view: AttentionView, kind: dict) -> list[list]:
    """The rows of this kind that the reader set by hand: kind, layer, head (-1: all), query, weights."""
    n_queries, n_keys = len(kind["queries"]), len(kind["keys"])
    mine = [row for row in view.held if row[0] == kind["name"] and row[3] < n_queries]
    return [row for row in mine if len(row[4]) == (row[3] + 1 if kind["name"] == "decoder" else n_keys)]


def standing(view: AttentionView, kind: dict) -> Tensor:
    """Every map of a kind as the model made it, but for the rows that the reader holds. (L, H, T, S)"""
    stack = view.maps[kind["name"]]
    if held := rows_held(view, kind):
        stack = stack.clone()
    for _, layer, head, query, weights in held:
        heads = slice(None) if head < 0 else head
        stack[layer, heads, query] = 0
        stack[layer, heads, query, : len(weights)] = torch.tensor(weights)
    return stack


def maps_of(view: AttentionView, kind: dict) -> Tensor:
    """Every map of a kind as the view shows it, (L, H, T, S): rows over what is not hidden, if the reader asks so."""
    stack, special = standing(view, kind), torch.tensor(kind["special_keys"])
    if not rescales(view) or special.all():
        return stack
    rest = stack.masked_fill(special, 0)
    return rest / rest.sum(-1, keepdim=True).clamp(min=1e-12)


def ends_of(view: AttentionView) -> tuple[str, str]:
    """What the ends of the scale of colours stand for."""
    most = "max" if view.per_row else "1" if view.colours_to == 1 else f"≥ {view.colours_to:g}"
    return "0", f"{most}{', by √' if view.sqrt else ''}"


def said_of_colours(view: AttentionView) -> str:
    """What a reader of the picture must know of its colours, in words."""
    notes = [(view.threshold < 1, f"{view.threshold:.0%} of each row's mass"), (view.sqrt, "colours by √weight"),
            (view.per_row, "colours per row"), (rescales(view), "renormalised without special tokens")]  # fmt: skip
    return "".join(f", {words}" for true, words in notes if true)


def said_of_rows(view: AttentionView, kind: dict, layers: Sequence[int], heads: Sequence[int]) -> str:
    """How many rows of the maps of these layers and heads the reader has set, in words; "" if none."""
    mine = [row for row in rows_held(view, kind) if row[1] in layers and (row[2] < 0 or row[2] in heads)]
    rows = {query for _, _, _, query, _ in mine}
    return f", {len(rows)} {'row' if len(rows) == 1 else 'rows'} set by hand" if rows else ""


def pinned_lines(view: AttentionView, kind: dict) -> stills.Shape:
    """The lines of the pinned tokens, each head in its colour."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    settings = {name: getattr(view, name) for name in ("over_layers", "layer")}
    stack = torch.stack([map_over_layers(maps_of(view, kind)[:, head], **settings) for head in heads])  # (H, T, S)
    chosen = torch.zeros(stack.shape[1:])
    for side, place in view.pin:
        (chosen if side == "query" else chosen.T)[place] = 1
    pairs = zip(kind["queries"], kind["predicts"] or kind["queries"], strict=True)
    names = [f"{q} → {p}" for q, p in pairs] if kind["predicts"] else kind["queries"]
    rows = [place for side, place in view.pin if side == "query"]
    if any(side == "key" for side, _ in view.pin):
        rows = list(range(len(names)))
    return line_panel(stack * chosen, names, kind["keys"], rows, heads)


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
    stack = maps_of(view, kind)
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    maps = torch.stack([map_over_layers(stack[:, head], view.over_layers, view.layer) for head in heads])
    return maps.amax(0) if view.over_heads == "max" else maps.mean(0)


def shown_heads(view: AttentionView, kind: dict) -> str:
    """Which heads of which layers a view shows, in words, and what the reader has set of them."""
    heads = [head for head in view.heads if head < kind["n_heads"]] or [0]
    layers = [min(view.layer, kind["n_layers"] - 1)] if view.over_layers == "one" else range(kind["n_layers"])
    who = f"head {heads[0]}" if len(heads) == 1 else f"{view.over_heads} of heads {', '.join(map(str, heads))}"
    layer = f"layer {layers[0]}" if view.over_layers == "one" else f"{view.over_layers} of layers"
    return f"{layer}, {who}{said_of_rows(view, kind, layers, heads)}"


def panel(
    kind: dict, weights: Tensor, subtitle: str = "", shades: Tensor | None = None, ends: tuple[str, str] = ("0", "1"),
) -> stills.Shape:  # fmt: skip
    """One map for a page; shades: how dark each cell is, if not as its weight; ends: what the scale's ends mean."""
    rows = kind["queries"]
    if kind["predicts"]:
        rows = [f"{query} → {next_one}" for query, next_one in zip(rows, kind["predicts"], strict=True)]
    cells, unread = [], set(kind.get("masked", ()))
    for i, row in enumerate((weights if shades is None else shades).tolist()):
        first, end = kind["allowed"][i] if kind["allowed"] else (0, len(row))
        cells.append(
            [
                Cell(stills.weight(share) if first <= j < end and j not in unread else "line")
                for j, share in enumerate(row)
            ]
        )
    side = max(4.0, min(24.0, 330 / max(weights.shape)))
    return stills.cell_map(
        cells, rows, kind["keys"], title=" ".join(filter(None, [kind["title"], subtitle])), size=(side, side),
        note=f"rows: queries, columns: keys, {row_note(weights)}", legend=("weights", *ends),
    )  # fmt: skip


def row_note(weights: Tensor) -> str:
    """What the rows of a drawn map sum to."""
    low, high = (f"{sums.item():.3f}" for sums in weights.sum(-1).aminmax())
    return f"each row sums to {low}" if low == high else f"rows sum to {low}–{high}"
