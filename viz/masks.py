"""Masks: the causal and the padding layer under the reader's hands, the leak test, and the masks of a real batch.

A mask is boolean and True means *may look*: rows are queries, columns are keys. `mask_view` takes arrays,
`explore_masks` a trained translator, whose decoder then runs under the mask that the reader paints; what it finds is
computed by studies/masks.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.masks import leak_test, queries_and_keys, taught, training_ends, untrained
from viz import theme
from viz.canvas import Canvas, script, trait

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class MaskView(Canvas):
    """Two mask layers to paint, their AND, and the softmax of the scores under it; 1 means may look, 0 may not.

    Rows are queries (T), columns keys (S). layer: T · S cells in C order, the causal one at first; padding: S cells,
    the same for every query; scores: q · k before the scale, T · S numbers.
    """

    def _as_many_as_cells(self, name: str, given: list) -> list:
        T, S = len(self.meta["queries"]), len(self.meta["keys"])
        needed = S if name == "padding" else T * S
        if len(given) != needed:
            raise ValueError(f"{name} has {len(given)} cells, but {T} queries and {S} keys need {needed}.")
        return given

    def _known_model(self, _: str, model: str) -> str:
        names = [model["name"] for model in self.meta["models"]]
        if names and model not in names:
            raise ValueError(f"There is no model {model!r} here; choose from {', '.join(map(repr, names))}.")
        return model

    _esm = script("masks.js")
    scores = trait([], "q · k before the scale", of=trait(0.0), check=_as_many_as_cells)
    layer = trait([], "the first layer: may look", of=trait(0, min=0, max=1), check=_as_many_as_cells)
    padding = trait([], "for each key: may be looked at", of=trait(0, min=0, max=1), check=_as_many_as_cells)
    row = trait(1, "the query whose row is worked out", min=0)
    plain = trait(False, "softmax without the core's care for rows all hidden")
    model = trait("", "which model the leak test runs", check=_known_model)
    leak = trait({}, "the leak test of one mask: mask, model, change")

    @property
    def cells(self) -> Tensor:
        """The first layer: boolean (T, S), True = may look."""
        return torch.tensor(self.layer).bool().reshape(len(self.meta["queries"]), len(self.meta["keys"]))

    @property
    def mask(self) -> Tensor:
        """The AND of both layers: boolean (T, S), True = may look."""
        return self.cells & torch.tensor(self.padding).bool()


# ─── Training with and without the mask ──────────────────────────────────────────────────────────────────────────────


def training_chart(found: dict[str, Any]) -> theme.Chart:
    """What experiments/masks.py found, step by step; a line is the mean over seeds, a band all of them."""
    wanted = {
        "accuracy": "taught: share of tokens right",
        "nll": "taught: nats per token",
        "right": "alone: share right",
    }
    colours = {"with the mask": theme.CHART_COLOURS[0], "without the mask": theme.CHART_COLOURS[1]}
    best, panels = training_ends(found)["best possible"], []
    for score, title in wanted.items():
        curves = []
        for name, colour in colours.items():
            runs = [run["curve"] for run in found["runs"] if run["model"] == name]
            steps, columns = (
                [point["step"] for point in runs[0]],
                [[p[score] for p in ps] for ps in zip(*runs, strict=True)],
            )
            means, low, high = [sum(c) / len(c) for c in columns], [*map(min, columns)], [*map(max, columns)]
            curves.append(theme.Curve(name, steps, means, low, high, colour=colour))
        if score in best:
            ends = [steps[0], steps[-1]]
            curves.append(
                theme.Curve(
                    "best possible without seeing ahead", ends, [best[score]] * 2, colour=theme.GREY, dash="dash"
                )
            )
        panels.append(theme.Panel(curves, title, "step"))
    return theme.chart(panels, "trained here: 2 layers, d_model 64, a made-up task", height=360)


# ─── The masks of a batch ────────────────────────────────────────────────────────────────────────────────────────────


def batch_picture(
    masks: dict[str, Tensor], queries: Sequence[Sequence[Sequence[str]]], keys: Sequence[Sequence[Sequence[str]]],
    shows: str = "", dark: bool = False,
) -> theme.Svg:  # fmt: skip
    """The masks of a batch in one picture: a row for each sentence, a column for each mask, open cells dotted.

    masks: name -> boolean (B, T, S); queries, keys: for each of these masks, for each sentence, its tokens.
    """
    look, panels, x = theme.DARK if dark else theme.LIGHT, [], 16.0
    tops = [34.0]  # of each sentence's row of boards
    for sentence in zip(*queries, *keys, strict=True):
        high = max(map(len, sentence[: len(masks)])), max(map(room_above, sentence[len(masks) :]))
        tops.append(tops[-1] + 15 * high[0] + high[1] + 14)
    for (name, cells), rows, columns in zip(masks.items(), queries, keys, strict=True):
        left, width = max(map(room_beside, rows)), 0.0
        panels.append(theme.element("text", theme.escaped(name), x=x, y=22, font_weight=600, fill=look["ink"]))
        for mask, row, column, y in zip(cells, rows, columns, tops[:-1], strict=True):
            drawn, width, _ = board(mask_cells(mask, look), row, column, look, 15, left)
            panels.append(theme.element("g", drawn, transform=f"translate({x:.1f} {y:.1f})"))
        x += width + 30
    said = "The masks of a batch. Rows are queries, columns are keys; a dot: may look, hatched: may not."
    return theme.page(panels, x, tops[-1] + 16, shows, said, look)


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────

Cell = tuple[str | None, str, str]  # fill (None: hidden, hatched), text, its colour


def mask_cells(mask: Tensor, look: dict) -> list[list[Cell]]:
    """A dot where a query may look, hatching where it may not."""
    return [[("none", "●", look["ink"]) if open_ else (None, "", "") for open_ in row] for row in mask.tolist()]


def room_beside(queries: Sequence[str]) -> float:
    """The width that labels of these queries take."""
    return 6.7 * theme.longest(queries) + 6


def room_above(keys: Sequence[str]) -> float:
    """The height that slanted labels of these keys take."""
    return 4.9 * theme.longest(keys) + 10


def board(
    cells: list[list[Cell]], queries: Sequence[str], keys: Sequence[str], look: dict, cell: float, left: float = 0
) -> tuple[str, float, float]:
    """Cells with their queries beside and their keys above, as SVG, with width and height; left: room for labels."""
    if len(cells) != len(queries) or any(len(row) != len(keys) for row in cells):
        sides = f"{len(cells)} rows of {len(cells[0])} cells, {len(queries)} queries and {len(keys)} keys"
        raise ValueError(f"There are {sides}; one row for each query and one column for each key are needed.")
    left, top = max(left, room_beside(queries)), room_above(keys)
    hidden, drawn = [], []
    for i, row in enumerate(cells):
        for j, (fill, text, colour) in enumerate(row):
            x, y = left + j * cell, top + i * cell
            if fill is None:
                hidden.append(f"M{x:.1f} {y:.1f}h{cell:g}v{cell:g}h-{cell:g}z")
            elif fill != "none":
                drawn.append(theme.element("rect", x=x, y=y, width=cell, height=cell, fill=fill))
            if text:
                place = dict(x=x + cell / 2, y=y + cell / 2 + 3.4, text_anchor="middle", fill=colour)
                drawn.append(theme.element("text", text, font_size=8 if len(text) > 1 or text == "●" else 10, **place))
    hatch = [f"{place[:-1].split('h')[0]}m0 {cell:g}l{cell:g} -{cell:g}" for place in hidden]
    frame = dict(x=left, y=top, width=cell * len(keys), height=cell * len(queries), fill="none", stroke=look["quiet"])
    grey = theme.element("path", d="".join(hidden), fill=look["line"])
    lines = theme.element("path", d="".join(hatch), stroke=look["quiet"], stroke_opacity=".5")
    names = labels(queries, keys, left, top, cell, look)
    return (
        "".join([grey, lines, *drawn, theme.element("rect", **frame), names]),
        left + cell * len(keys) + 14,
        (top + cell * len(queries)),
    )


def labels(queries: Sequence[str], keys: Sequence[str], left: float, top: float, cell: float, look: dict) -> str:
    """Queries in blue beside the rows, keys in orange, slanted, above the columns; padding is grey."""

    def colour(token: str, usual: str) -> str:
        return look["quiet"] if token == "<pad>" else look[usual]

    beside = [
        theme.element("text", theme.label(token), x=left - 5, y=top + (i + 0.5) * cell + 4, text_anchor="end",
                      fill=colour(token, "query"))
        for i, token in enumerate(queries)
    ]  # fmt: skip
    above = [
        theme.element("text", theme.label(token), fill=colour(token, "key"),
                      transform=f"translate({left + (j + 0.6) * cell:.1f} {top - 5:.1f}) rotate(-45)")
        for j, token in enumerate(keys)
    ]  # fmt: skip
    return theme.element("g", *beside, *above, font_family=theme.MONO, font_size=11)


def view_picture(view: MaskView, dark: bool = False) -> theme.Svg:
    """What a view shows now: the two layers, their AND, the scores before and after, the weights, and the leak test."""
    look, meta = theme.DARK if dark else theme.LIGHT, view.meta
    boards = {
        "1 · causal layer": mask_cells(view.cells, look),
        "2 · padding layer": mask_cells(torch.tensor(view.padding).bool().expand(len(view.cells), -1), look),
        "1 and 2 · the mask": mask_cells(view.mask, look),
        "4 · scores, −∞ where hidden": score_cells(scores_of(view), look, dark),
        "5 · softmax of each row": weight_cells(weights_of(view), view.mask, look, dark),
    }
    if change := view.leak.get("change"):
        T = len(meta["queries"])
        boards["leak test: ! moved, 0 did not"] = leak_cells(torch.tensor(change).reshape(T, T), look, dark)
    cell = max(15.0, min(40.0, 160 / max(len(meta["queries"]), len(meta["keys"]))))
    panels, x, y, row_height, width = [], 16.0, 46.0, 0.0, 0.0
    for n, (name, cells) in enumerate(boards.items()):
        if n == 3:
            x, y, row_height = 16.0, y + row_height + 34, 0.0
        drawn, wide, tall = board(cells, meta["queries"], meta["keys"], look, cell)
        panels.append(theme.element("text", name, x=x, y=y, font_weight=600, fill=look["ink"]))
        panels.append(theme.element("g", drawn, transform=f"translate({x:.1f} {y + 6:.1f})"))
        x, row_height = x + max(wide, 185) + 24, max(row_height, tall)
        width = max(width, x)
    panels.append(theme.element("text", theme.escaped(meta["title"]), x=16, y=22, fill=look["ink"]))
    return theme.page(panels, width, y + row_height + 34, meta["shows"], f"Masks. {meta['title']}", look)


def score_cells(scores: Tensor, look: dict, dark: bool) -> list[list[Cell]]:
    """Scores on the two-sided scale, -∞ written out."""
    colours, most = (
        theme.difference_scale(dark),
        scores.masked_fill(scores == -math.inf, 0.0).abs().max().clamp(min=1e-9).item(),
    )
    return [
        [(None, "−∞", look["ink"]) if score == -math.inf else (colours[128 + round(110 * score / most)], "", "")
         for score in row]
        for row in scores.tolist()
    ]  # fmt: skip


def weight_cells(weights: Tensor, mask: Tensor, look: dict, dark: bool) -> list[list[Cell]]:
    """Weights from the page's colour (0) to its opposite (1)."""
    colours = theme.weight_scale(dark)
    shade = {False: lambda _: (None, "0", look["ink"]), True: lambda weight: (colours[round(255 * weight)], "", "")}
    rows = zip(weights.tolist(), mask.tolist(), strict=True)
    nan = (look["wrong"], "NaN", look["page"])

    def cell(weight: float, may_look: bool) -> Cell:
        return nan if math.isnan(weight) else shade[may_look](weight)

    return [[cell(*pair) for pair in zip(*row, strict=True)] for row in rows]


def leak_cells(change: Tensor, look: dict, dark: bool) -> list[list[Cell]]:
    """How far each logit moved; red where it moved with a later token."""
    colours, most = theme.weight_scale(dark), change.max().clamp(min=1e-9).item()
    return [
        [("none", "0", look["quiet"]) if moved == 0 else (look["wrong"], "!", look["page"]) if j > i
         else (colours[40 + round(140 * math.sqrt(moved / most))], "", "") for j, moved in enumerate(row)]
        for i, row in enumerate(change.tolist())
    ]  # fmt: skip


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def scores_of(view: MaskView) -> Tensor:
    """QKᵀ/√d_k of a view, -inf where its mask hides: (T, S)."""
    scores = torch.tensor(view.scores).reshape(view.mask.shape) / view.meta["root"]
    return scores.masked_fill(~view.mask, -math.inf)


def weights_of(view: MaskView) -> Tensor:
    """The softmax of a view's masked scores, the core's or the plain one: (T, S)."""
    return scores_of(view).softmax(-1) if view.plain else tc.attention_weights(scores_of(view))


MOST_TOKENS = 64


def mask_view(
    scores: Any,
    query_tokens: Sequence[str],
    key_tokens: Sequence[str] | None = None,
    *,
    d_k: float = 1,
    padding: Sequence[int] | None = None,
    title: str = "",
    shows: str = "given scores",
    editable: bool = False,
    **opens_with: Any,
) -> MaskView:
    """Paint masks over scores of your own: rows are queries, columns are keys.

    scores: q · k before the scale, (T, S); they are divided by √d_k. padding: 1 for each real key, 0 for padding.
    editable: the scores stand in fields of their own. opens_with: traits to begin with, such as layer=[1, 0, 1, 1].
    """
    queries, keys = list(query_tokens), list(query_tokens if key_tokens is None else key_tokens)
    given = torch.as_tensor(scores).float()
    if not queries or not keys or d_k <= 0:
        found = f"There are {len(queries)} query and {len(keys)} key tokens, and d_k is {d_k}"
        raise ValueError(f"{found}; each needs to be 1 or more.")
    if max(len(queries), len(keys)) > MOST_TOKENS:
        raise ValueError(
            f"There are {len(queries)} query and {len(keys)} key tokens, more than the {MOST_TOKENS} whose cells are "
            f"large enough to be painted; pass a part of them, such as scores[:{MOST_TOKENS}, :{MOST_TOKENS}]."
        )
    if given.shape != (len(queries), len(keys)) or not given.isfinite().all():
        raise ValueError(
            f"scores has shape {tuple(given.shape)}, and there are {len(queries)} query and {len(keys)} key tokens; "
            f"pass finite scores of shape {(len(queries), len(keys))}, before any mask."
        )
    real = [1] * len(keys) if padding is None else [int(bool(one)) for one in padding]
    meta = {
        "version": 0, "live": True, "title": title, "shows": shows, "queries": queries, "keys": keys, "real": real,
        "root": math.sqrt(d_k), "editable": editable, "leaks": False, "models": [],
    }  # fmt: skip
    causal = torch.ones(len(queries), len(keys)).tril().int().flatten().tolist()
    usual = dict(layer=causal, padding=real)
    view = MaskView(meta=meta, scores=given.flatten().tolist(), **usual | opens_with)
    view.picture = lambda: view_picture(view)
    return view


def explore_masks(
    translator: tc.Translator, text: str, n_padding: int = 2, head: int = 0, other: str = "Hund"
) -> MaskView:
    """Paint the mask of the decoder that translates a sentence; each stroke runs the leak test on the model itself.

    The scores are those of decoder layer 0, one head; n_padding tokens of padding follow the translation. The test
    changes each token into the first piece of `other`.
    """
    model, pieces = translator.model, translator.tgt_tokenizer.pieces
    src, tgt_in = taught(translator, text, n_padding)
    if not 1 < tgt_in.size(1) <= 16:
        given = f"{text!r} becomes {tgt_in.size(1)} tokens, {n_padding} of them padding"
        raise ValueError(f"{given}; 2 to 16 can be painted, so pass a shorter sentence.")
    q, k = queries_and_keys(model, src, tgt_in, head)
    models = {f"{translator.name} (trained, {len(model.decoder)} layers)": model}
    models |= {f"untrained, {n} layer{'s'[: n - 1]}": untrained(model.config, n) for n in (1, 2)}
    about = [{"name": name, "n_layers": len(one.decoder)} for name, one in models.items()]
    view = mask_view(
        q @ k.T,
        pieces(tgt_in[0].tolist()),
        d_k=q.size(-1),
        padding=(tgt_in[0] != tc.PAD).int().tolist(),
        title=f"{text} → {translator.tgt_tokenizer.decode(tgt_in[0].tolist())}",
        shows=f"scores: decoder layer 0, head {head}, trained: {translator.name}",
        model=about[0]["name"],
    )
    view.meta = view.meta | {"leaks": True, "models": about}
    keep_testing(view, models, src, tgt_in, translator.tgt_tokenizer.encode(other)[0])
    return view


def keep_testing(
    view: MaskView, models: dict[str, tc.Transformer], src: Tensor, tgt_in: Tensor, other: int = tc.UNK
) -> None:
    """Run the leak test now, and again whenever a cell is painted or another model is chosen."""

    def test(_: object = None) -> None:
        leak = leak_test(models[view.model], src, tgt_in, view.mask, other)
        change = leak.change.flatten().tolist()
        view.leak = {"mask": view.mask.int().flatten().tolist(), "model": view.model, "change": change}

    view.observe(test, ["layer", "padding", "model"])
    test()
