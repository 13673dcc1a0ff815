"""The causal and the padding layer of a mask under the reader's hands, and the leak test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from core_options import page_weights
from studies.masks import leak_test, queries_and_keys, taught, untrained
from viz import stills
from viz.canvas import Canvas, Takes, script, trait
from viz.masks.boards import leak_cells, mask_cells, score_cells, weight_cells


class MaskView(Canvas):
    """Two mask layers to paint, their AND, and the softmax of the scores under it; 1 means may look, 0 may not.

    Rows are queries (T), columns keys (S). layer: T · S cells in C order, the causal one at first; padding: S cells,
    the same for every query; scores: q · k before the scale, T · S numbers.
    """

    def _as_many_as_cells(self, name: str, cells: list) -> list:
        T, S = len(self.meta["queries"]), len(self.meta["keys"])
        needed = S if name == "padding" else T * S
        if len(cells) != needed:
            raise ValueError(f"{name} has {len(cells)} cells, but {T} queries and {S} keys need {needed}.")
        return cells

    def _known_model(self, _: str, model: str) -> str:
        names = [model["name"] for model in self.meta["models"]]
        if names and model not in names:
            raise ValueError(f"There is no model {model!r} here; choose from {', '.join(map(repr, names))}.")
        return model

    _esm = script(__file__)
    scores = trait(
        [],
        "q · k before the scale",
        of=trait(0.0),
        check=_as_many_as_cells,
        takes=Takes.for_each({"is": "float"}, "queries", "keys"),
    )
    layer = trait(
        [],
        "the first layer: may look",
        of=trait(0, min=0, max=1),
        check=_as_many_as_cells,
        takes=Takes.for_each(Takes.whole(0, 1), "queries", "keys"),
    )
    padding = trait(
        [],
        "for each key: may be looked at",
        of=trait(0, min=0, max=1),
        check=_as_many_as_cells,
        takes=Takes.for_each(Takes.whole(0, 1), "keys"),
    )
    row = trait(1, "the query whose row is worked out", min=0)
    plain = trait(False, "softmax without the core's care for rows all hidden")
    model = trait(
        "", "which model the leak test runs", check=_known_model, takes=Takes.asking(Takes.one_in("models.name"))
    )
    leak = trait({}, "the leak test of one mask: mask, model, change")

    @property
    def cells(self) -> Tensor:
        """The first layer: boolean (T, S), True = may look."""
        return torch.tensor(self.layer).bool().reshape(len(self.meta["queries"]), len(self.meta["keys"]))

    @property
    def mask(self) -> Tensor:
        """The AND of both layers: boolean (T, S), True = may look."""
        return self.cells & torch.tensor(self.padding).bool()


def view_picture(view: MaskView, dark: bool = False) -> stills.Svg:
    """What a view shows now: the two layers, their AND, the scores before and after, the weights, and the leak test."""
    meta, padding = view.meta, torch.tensor(view.padding).bool().expand(len(view.cells), -1)
    boards = {
        "1 · causal layer": mask_cells(view.cells),
        "2 · padding layer": mask_cells(padding),
        "1 and 2 · the mask": mask_cells(view.mask),
        "4 · scores, −∞ where hidden": score_cells(scores_of(view)),
        "5 · softmax of each row": weight_cells(weights_of(view), view.mask),
    }
    if change := view.leak.get("change"):
        T = len(meta["queries"])
        boards["leak test: ! moved, 0 did not"] = leak_cells(torch.tensor(change).reshape(T, T))
    side = max(15.0, min(40.0, 160 / max(len(meta["queries"]), len(meta["keys"]))))
    maps = [
        stills.cell_map(cells, meta["queries"], meta["keys"], title=name, size=(side, side))
        for name, cells in boards.items()
    ]
    notes = [f"scores: {meta['whose']}"] if "whose" in meta else []
    rows, about = [maps[:3], maps[3:]], f"Masks. {meta['title']}"
    return stills.page(rows, meta["shows"], about, title=meta["title"], notes=notes, dark=dark, wide=4000)


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
    scores = torch.as_tensor(scores).float()
    if not queries or not keys or d_k <= 0:
        message = f"There are {len(queries)} query and {len(keys)} key tokens, and d_k is {d_k}"
        raise ValueError(f"{message}; each needs to be 1 or more.")
    if max(len(queries), len(keys)) > MOST_TOKENS:
        raise ValueError(
            f"There are {len(queries)} query and {len(keys)} key tokens, more than the {MOST_TOKENS} whose cells are "
            f"large enough to be painted; pass a part of them, such as scores[:{MOST_TOKENS}, :{MOST_TOKENS}]."
        )
    if scores.shape != (len(queries), len(keys)) or not scores.isfinite().all():
        raise ValueError(
            f"scores has shape {tuple(scores.shape)}, and there are {len(queries)} query and {len(keys)} key tokens; "
            f"pass finite scores of shape {(len(queries), len(keys))}, before any mask."
        )
    real = [1] * len(keys) if padding is None else [int(bool(flag)) for flag in padding]
    meta = {
        "live": True, "title": title, "shows": shows, "queries": queries, "keys": keys, "real": real,
        "root": math.sqrt(d_k), "editable": editable, "leaks": False, "models": [],
    }  # fmt: skip
    causal = torch.ones(len(queries), len(keys)).tril().int().flatten().tolist()
    usual = dict(layer=causal, padding=real)
    view = MaskView(meta=meta, scores=scores.flatten().tolist(), **usual | opens_with)
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
        message = f"{text!r} becomes {tgt_in.size(1)} tokens, {n_padding} of them padding"
        raise ValueError(f"{message}; 2 to 16 can be painted, so pass a shorter sentence.")
    q, k = queries_and_keys(model, src, tgt_in, head)
    models = {f"{translator.name} (trained, {len(model.decoder)} layers)": model}
    models |= {f"untrained, {n} layer{'s'[: n - 1]}": untrained(model.config, n).to(translator.device) for n in (1, 2)}
    about = [{"name": name, "n_layers": len(model.decoder)} for name, model in models.items()]
    view = mask_view(
        q @ k.T,
        pieces(tgt_in[0].tolist()),
        d_k=q.size(-1),
        padding=(tgt_in[0] != tc.PAD).int().tolist(),
        title=f"{text} → {translator.tgt_tokenizer.decode(tgt_in[0].tolist())}",
        shows=f"trained: {translator.name}",
        model=about[0]["name"],
    )
    view.meta = view.meta | {"leaks": True, "models": about, "whose": f"decoder layer 0, head {head}"}
    instead = translator.tgt_tokenizer.encode(other)[0]
    keep_testing(view, models, src, tgt_in, instead)
    about_test = {"src": src[0].tolist(), "tgt_in": tgt_in[0].tolist(), "other": instead, "layers": [0, 1, 2]}
    view.twin = lambda: {"is": "MaskExplorer", **page_weights.named(translator), "text": text, **about_test}
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
