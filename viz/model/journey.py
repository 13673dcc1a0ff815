"""One sentence travelling through Figure 1: what every block makes of it."""

from __future__ import annotations

import math
import pathlib
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies.model import Block, Journey, attention_of, blocks_of, code_of, travel, twin_of
from viz import stills
from viz.canvas import Canvas, OneOf, Takes, packed, script, trait
from viz.controls import Explorer
from viz.model.figure import drawing, model_figure


class ModelView(Canvas):
    """Figure 1 of a model and a sentence on its way through it; block, layer, stop, unfolded and norm can be set.

    data holds, one after another, what meta["strips"] and meta["maps"] list: outputs of blocks as signed bytes, and
    `packed` attention weights.
    """

    _esm = script(__file__)
    data = trait(b"")
    block = trait(
        "",
        "the block whose page is open, such as decoder.3.cross_attention",
        takes=Takes.one_in("blocks.post.name", ""),
    )
    layer = trait(0, "the layer that the folded drawing stands for, from 0")
    stop = trait(0, "how far the sentence has come")
    unfolded = trait(False, "draw every layer")
    norm = OneOf(["post", "pre"], "where the layer norms stand")
    letters = trait(False, "shapes as letters (B, S, D), not as numbers")
    panel = OneOf(["journey", "block"])


NOTEBOOKS = pathlib.Path(__file__).resolve().parents[2] / "notebooks"


def topics(block: Block) -> list[str]:
    """The notebooks that take a block apart, the first first."""
    of_attention = {
        "encoder.self": ["02_scaled_dot_product", "05_attention_heads"],
        "decoder.self": ["03_masking", "05_attention_heads"],
        "decoder.cross": ["05_attention_heads", "02_scaled_dot_product"],
    }
    of_kind = {
        "embedding": ["01_tokens_and_positions"],
        "positions": ["01_tokens_and_positions"],
        "sum": ["01_tokens_and_positions"],
        "layer": ["06_complexity"],
        "feed_forward": ["02_scaled_dot_product", "06_complexity"],
        "residual": ["02_scaled_dot_product"],
        "norm": ["02_scaled_dot_product"],
        "linear": ["01_tokens_and_positions"],
        "softmax": ["07_decoding"],
    }
    return of_attention[attention_of(block.name)] if block.kind == "attention" else of_kind[block.kind]


def for_page(block: Block, notebooks: Sequence[str]) -> dict[str, Any]:
    """What the script needs to know of a block; only notebooks that are there are linked."""
    page = {field: value for field, value in vars(block).items() if field != "out"}
    for role in ("ins", "inner", "outs"):
        page[role] = [wire._asdict() for wire in page[role]]
    return page | {"notebooks": [name for name in topics(block) if name in notebooks]}


def signed(x: Tensor) -> tuple[bytes, float]:
    """Numbers as one signed byte each, round(127 x / scale), and the scale, which is the largest |x|."""
    scale = x.abs().max().item() if x.numel() else 0.0
    numbers = (127 * x / (scale or 1)).round().to(torch.int8).flatten()
    return bytes(numbers.view(torch.uint8).tolist()), scale


MOST_TOKENS = 48  # beyond, rows are too thin to read
STRIPS = ("embedding", "positions", "sum", "attention", "feed_forward", "residual", "norm")


class ModelExplorer(Explorer):
    """A sentence box above Figure 1 of a model; `.reading` is its journey, `.view` what is shown."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "who is it?"),
        ("I am a teacher.", "four words, the shortest way round"),
        ("She does not know when he will come.", "words that change places"),
        ("My grandmother likes strawberries.", "a word cut into pieces"),
    )

    def __init__(self, translator: tc.Translator, text: str) -> None:
        self.twin = twin_of(translator.model)
        self.notebooks = sorted(path.stem for path in NOTEBOOKS.glob("[0-9][0-9]_*.ipynb"))
        super().__init__(translator, text)

    def read(self, text: str) -> Journey:
        return travel(self.translator, text, MOST_TOKENS)

    def first_view(self, **opens_with: Any) -> ModelView:
        view = ModelView(norm=self.translator.model.config.norm, **self.contents())
        view.picture = lambda: view_picture(self)
        return view

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        """Another sentence begins at the first stop."""
        return {"stop": 0}

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS}

    def told(self) -> str:
        journey = self.reading
        chance = f"{math.prod(step.probability for step in journey.steps):.3g}"
        return f"{journey.src.size(1)} pieces in, {len(journey.ids)} out, one at a time; probability {chance}"

    def contents(self) -> dict[str, Any]:
        """What the page needs to know of the journey, and its numbers as bytes."""
        strips, maps, data = {}, {}, []
        for block in self.reading.blocks:
            if block.kind in STRIPS:
                x = block.out.reshape(-1, block.out.shape[-1]).cpu()  # (n, D): one sentence
                numbers, scale = signed(x)
                strips[block.name] = {"n": x.shape[0], "d": x.shape[1], "scale": scale}
                data.append(numbers)
        for name, weights in self.reading.weights.items():
            maps[name] = list(weights.shape)
            data.append(packed(weights))
        return {"data": b"".join(data), "meta": self.meta() | {"strips": strips, "maps": maps}}

    def meta(self) -> dict[str, Any]:
        """Blocks and drawings of the model and of its twin, the pieces, and the decoder's steps."""
        model, journey, pieces = self.translator.model, self.reading, self.translator.tgt_tokenizer.pieces
        src, tgt = journey.src[0].tolist(), journey.tgt_in[0].tolist()
        twin = blocks_of(self.twin, journey.src.to("meta"), journey.tgt_in.to("meta"))
        blocks = {model.config.norm: journey.blocks, "pre" if model.config.norm == "post" else "post": twin}
        steps = [
            {"piece": pieces([step.chosen])[0], "probability": step.probability, "total": step.total}
            | {"top": [[pieces([i])[0], p] for i, p in step.top]}
            for step in journey.steps
        ]
        return {
            "own": model.config.norm, "n_layers": model.config.n_layers,
            "vocabulary": len(self.translator.tgt_tokenizer),
            "blocks": {norm: [for_page(block, self.notebooks) for block in of] for norm, of in blocks.items()},
            "drawings": drawings(model.config.n_layers),
            "sources": {block.source: code_of(block.source) for of in blocks.values() for block in of},
            "text": journey.text, "translation": journey.translation, "same": journey.same_as_cached,
            "src": {"ids": src, "pieces": journey.source_pieces},
            "tgt": {"ids": tgt, "pieces": journey.target_pieces}, "steps": steps,
            "shows": journey.shows,
            "n_parameters": tc.count_parameters(model),
        }  # fmt: skip


def drawings(n_layers: int) -> dict[str, dict[str, Any]]:
    """All four drawings of Figure 1, for the script: by norm, then "folded" or "unfolded"."""
    return {
        norm: {word: asdict(drawing(n_layers, norm, word == "unfolded")) for word in ("folded", "unfolded")}
        for norm in ("post", "pre")
    }


def explore_model(translator: tc.Translator, text: str) -> ModelExplorer:
    """Figure 1 drawn from a trained model's own modules: click a block, send a sentence through.

    Returns a live object: `.view` with the traits block, layer, stop, unfolded, norm (read and set them), `.text`, and
    `.reading` with the translation, the decoder's steps and every block.
    """
    return ModelExplorer(translator, text)


def view_picture(explorer: ModelExplorer, dark: bool = False) -> stills.Svg:
    """What the drawing of a view shows now, as a still picture."""
    view, journey, meta = explorer.view, explorer.reading, explorer.view.meta
    shapes = {end: tuple(ids.shape) for end, ids in (("src", journey.src), ("tgt", journey.tgt_in))}
    shapes |= {block["name"]: block["outs"][0]["shape"] for block in meta["blocks"][view.norm]}
    shows = meta["shows"] if view.norm == meta["own"] else "untrained"
    layer = min(max(view.layer, 0), meta["n_layers"] - 1)  # as the drawing does
    return model_figure(meta["n_layers"], shapes, view.norm, layer, view.unfolded, shows, dark)
