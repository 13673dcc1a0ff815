"""The three attentions of one target word as one graph: what its row is made of, through decoder, cross and encoder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

import transformer_core as tc
from studies.attention import without_heads
from studies.reading import KINDS, Reading, read
from studies.rollout import by_norms, graph
from viz import stills, theme
from viz.canvas import Canvas, PlaceIn, Takes, floats, script, trait
from viz.controls import Explorer

LEAST = 0.005  # of a row's whole: edges below are not even sent
FIELDS = ("kind", "layer", "head", "from", "to", "amount")  # numbers of an edge
NAMES = (*KINDS, "encoder residual", "decoder residual")  # what an edge's kind is the place in


class GraphView(Canvas):
    """Edges from each row of the decoder down to the embeddings, each as wide as what goes along it.

    data: float32, FIELDS of every edge; those of row i begin at edge meta["starts"][i]. from and to are places in the
    sentence that the edge's kind says: target to target, target to source, source to source; head is -1 for a residual.
    """

    _esm = script(__file__)
    data = trait(b"")
    row = PlaceIn("target", "the target token whose graph is shown, from 0")
    pin = trait(
        "",
        "the node whose paths are lit, such as 'encoder 3 1' (stack, level, place); empty: none",
        takes=Takes.text(60),
    )
    off = trait(
        [],
        "[[kind, layer, head], …] taken out of the model",
        takes=Takes.asking(
            Takes.list_of(Takes.row(Takes.one_in("kinds"), Takes.below("n_layers"), Takes.whole(0, 63)))
        ),
    )
    ablation = trait({}, "what the model says without the heads in off")
    threshold = trait(0.03, "share of the row's whole from which an edge is shown", min=LEAST, max=1.0)


Graph = dict[str, Any]  # as studies.rollout.graph returns it


def numbers_of(one_row: Graph) -> list[list[float]]:
    """FIELDS of every edge of a graph."""
    rows = list[list[float]]()
    for edge in one_row["edges"]:
        upper, lower = (one_row["nodes"][edge[end]] for end in ("from", "to"))
        name = f"{upper['stack']} residual" if edge["head"] is None else edge["kind"]
        head = -1 if edge["head"] is None else edge["head"]
        rows.append([NAMES.index(name), edge["layer"], head, upper["place"], lower["place"], edge["amount"]])
    return rows


def contents_of(
    graphs: Sequence[Graph], target: Sequence[str], inputs: Sequence[str], source: Sequence[str], n_layers: int
) -> dict[str, Any]:
    """The traits that show these graphs, one for each row of the decoder."""
    if len(graphs) != len(target) or len(inputs) != len(target):
        raise ValueError(
            f"There are {len(graphs)} graphs, {len(target)} tokens said and {len(inputs)} read; give one of each a row."
        )
    rows = [numbers_of(one_row) for one_row in graphs]
    starts = [sum(map(len, rows[:n])) for n in range(len(rows) + 1)]
    numbers = torch.tensor([edge for edges in rows for edge in edges], dtype=torch.float32)
    words = dict(target=list(target), inputs=list(inputs), source=list(source))
    return {"data": floats(numbers), "meta": words | dict(starts=starts, n_layers=n_layers, kinds=list(NAMES))}


def graph_view(
    graphs: Sequence[Graph], target: Sequence[str], inputs: Sequence[str], source: Sequence[str], n_layers: int, *,
    title: str = "", shows: str = "given graphs", **opens_with: Any,
) -> GraphView:  # fmt: skip
    """Show what each row of the decoder is made of: graphs as studies.rollout.graph makes them, one a row.

    target: what the rows say; inputs: what they read; source: what the encoder read. opens_with: row=2, threshold=0.1.
    """
    contents = contents_of(graphs, target, inputs, source, n_layers)
    contents["meta"] |= dict(title=title, shows=shows)
    view = GraphView(**contents, **opens_with)
    view.graphs = list(graphs)  # type: ignore[attr-defined]
    view.picture = lambda: graph_picture(view)
    return view


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

MOST_TOKENS = 40  # beyond, nodes are too near each other to be told apart


class GraphExplorer(Explorer):
    """A sentence box above the graph; `.reading` is what the model did, `.view` what is shown."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "what says es"),
        ("She does not know when he will come.", "German puts the verb last"),
        ("Tom loves Mary.", "three words, three words"),
    )

    def read(self, text: str) -> Reading:
        reading = read(self.translator, text, most=MOST_TOKENS)
        mixing = by_norms(reading)
        self.graphs = [graph(reading, row, LEAST, mixing) for row in range(len(reading.ids))]
        return reading

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS, "ids": self.reading.ids}

    def first_view(self, **opens_with: Any) -> GraphView:
        view = GraphView(**self.contents(), **opens_with)
        view.graphs = self.graphs  # type: ignore[attr-defined]
        view.picture = lambda: graph_picture(view)
        view.observe(lambda _: self.ablate(view), "off")
        return view

    def contents(self) -> dict[str, Any]:
        reading = self.reading
        words = reading.predicted_pieces, reading.target_pieces, reading.source_pieces
        contents = contents_of(self.graphs, *words, reading.translator.model.config.n_layers)
        title = f"{reading.text} → {reading.translation}"
        contents["meta"] |= dict(title=title, shows=reading.shows, live=True)
        return contents

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"row": 0, "pin": "", "off": [], "ablation": {}}

    def take(self, reading: Reading) -> None:
        super().take(reading)
        self.view.graphs = self.graphs

    def ablate(self, view: GraphView) -> None:
        """Let the model translate again without the heads that are taken out."""
        view.ablation = without_heads(self.reading, view.off, 1) | {"off": view.off} if view.off else {}

    def told(self) -> str:
        return self.reading.translation


def explore_graph(translator: tc.Translator, text: str, **opens_with: Any) -> GraphExplorer:
    """Type a sentence and choose a word of its translation: the attentions that it is made of, joined to one graph.

    opens_with: traits of the view, such as row=2, threshold=0.1.
    """
    return GraphExplorer(translator, text, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────

WIDE, TALL, GAP = 46.0, 40.0, 60.0  # pixels from token to token, from level to level, between the two stacks
INKS = {"encoder": "key", "decoder": "query", "cross": "value", "residual": "quiet"}


def graph_picture(view: GraphView, dark: bool = False) -> stills.Svg:
    """What a view shows now: edges from its threshold on, as wide as the root of what goes along them."""
    meta = view.meta
    shown: Graph = view.graphs[view.row]  # type: ignore[attr-defined]
    nodes, n_layers = shown["nodes"], meta["n_layers"]
    edges = [edge for edge in shown["edges"] if edge["amount"] >= view.threshold]
    right = len(meta["source"]) * WIDE + GAP

    def at(node: dict[str, Any]) -> tuple[float, float]:
        left = right if node["stack"] == "decoder" else 0.0
        return left + (node["place"] + 0.5) * WIDE, 12 + (n_layers - node["level"]) * TALL

    def draw(look: stills.Look) -> stills.Drawn:
        drawn = []
        for edge in sorted(edges, key=lambda edge: edge["amount"]):
            (a, b), (c, d) = at(nodes[edge["from"]]), at(nodes[edge["to"]])
            drawn.append(stills.element("path", d=f"M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}", fill="none",
                                        stroke=stills.colour_of(INKS[edge["kind"]], look),
                                        stroke_width=f"{max(0.6, 9 * math.sqrt(edge['amount'])):.1f}",
                                        stroke_opacity="0.6"))  # fmt: skip
        bottom = 12 + n_layers * TALL + 22
        for words, left, ink in ((meta["source"], 0.0, "key"), (meta["inputs"], right, "query")):
            for place, word in enumerate(words):
                x = left + (place + 0.5) * WIDE
                drawn.append(stills.word(word, x, bottom, look, ink, 11, 7, text_anchor="middle", **stills.MONO))
        return "".join(drawn), right + len(meta["inputs"]) * WIDE, bottom + 10

    word = meta["target"][view.row]
    top = max(edges, key=lambda edge: edge["amount"], default=None)
    note = f"{len(edges)} edges that carry {theme.three_digits(view.threshold)} or more of what says {word}"
    strongest = f"; the strongest {theme.three_digits(top['amount'])}" if top else ""
    alternative = f"Graph of contributions: {note}{strongest}. Encoder left, decoder right, last layers above."
    return stills.page([[draw]], meta["shows"], alternative, title=meta["title"], notes=[note], dark=dark, wide=4000)
