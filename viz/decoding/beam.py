"""The tree that beam search grows for a sentence, step by step, at any beam size and length penalty."""

from __future__ import annotations

from typing import Any

import torch

import transformer_core as tc
from studies import decoding as study
from studies.decoding import MOST_ALPHA, BeamReading, Candidate, Tree
from viz import stills
from viz.canvas import Canvas, OneOf, Takes, floats, script, trait
from viz.controls import Explorer
from viz.decoding.tree import tree_picture


class BeamView(Canvas):
    """A beam search as a tree, for every width, by the core's own search; width, alpha, step, node, layer can be set.

    trees: of each width (1, 2, …), the candidates of each step; data: float32 cross-attention (places, L, S), each row
    the mean over the heads. What the page shows at another α it works out itself.
    """

    def _there(self, name: str, value: Any) -> Any:
        ends = {"width": len(self.trees), "layer": self.meta["n_layers"] - 1, "alpha": self.meta["most_alpha"]}
        if not value <= ends[name]:  # nor is nan
            raise ValueError(f"{name} is {value}; here it goes up to {ends[name]}.")
        return value

    _esm = script(__file__)
    data = trait(b"")
    trees = trait([], "one for each width")
    width = trait(4, "hypotheses side by side", min=1, check=_there, takes=Takes.up_to("trees"))
    alpha = trait(
        0.6, "strength of the length penalty", min=0.0, check=_there, takes=Takes.up_to("most_alpha", 0, whole=False)
    )
    step = trait(0, "how many steps are shown; 0: all", min=0)
    node = trait(
        [],
        "[step from 1, rank from 0] of the node that is open",
        takes=Takes.row(Takes.whole(1, 999), Takes.whole(0, 999), or_none=True),
    )
    layer = trait(0, "whose cross-attention is shown, from 0", min=0, check=_there, takes=Takes.below("n_layers"))
    show = OneOf(["all", "beam", "finished"], "how much of the tree")
    predict = trait(False, "the next step is hidden until the reader has said which hypothesis it goes on with")
    guesses = trait([], "[question, answer, right], …: what the reader predicted", takes={})


def tree_json(tree: Tree) -> dict[str, Any]:
    """A tree as the script takes it: of each step, columns of its candidates."""
    steps = [
        {name: list(column) for name, column in zip(Candidate._fields, zip(*step, strict=True), strict=True)}
        | {"places": places}
        for step, places in zip(tree.steps, tree.places, strict=True)
    ]
    return {"width": tree.width, "limit": tree.limit, "steps": steps}


def contents(reading: BeamReading, translator: tc.Translator) -> dict[str, Any]:
    """The traits of a BeamView that shows what the translator made of a sentence."""
    used = {candidate.token for tree in reading.trees.values() for step in tree.steps for candidate in step}
    ids = sorted(used | {token for place in reading.places for token in place.tokens})
    words = dict(zip(map(str, ids), translator.tgt_tokenizer.pieces(ids), strict=True))
    meta = {
        "title": reading.text, "shows": f"trained: {translator.name}",
        "source": translator.tokenizer.pieces(reading.src[0].tolist()), "words": words, "most_alpha": MOST_ALPHA,
        "n_layers": len(reading.places[0].attention),
        "likeliest": [[place.tokens, [float(f"{p:.6g}") for p in place.probabilities]] for place in reading.places],
    }  # fmt: skip
    data = floats(torch.stack([place.attention for place in reading.places]))
    return {"meta": meta, "data": data, "trees": [tree_json(tree) for tree in reading.trees.values()]}


class BeamExplorer(Explorer):
    """A sentence box above the tree of its beam search; `.reading` has the trees, `.view` what is shown."""

    examples = (
        ("I am a teacher.", "one path, hardly a doubt"),
        ("The thunder frightened the horses.", "greedy goes astray"),
        ("Somebody has stolen my umbrella again.", "a longer one overtakes, by α"),
        ("The animal did not cross the street because it was too wide.", "a pronoun to be chosen"),
    )

    def read(self, text: str) -> BeamReading:
        return study.read(self.translator, text, told=lambda beam: self.say(f"the model answers: {beam} …"))

    def first_view(self, **opens_with: Any) -> BeamView:
        layer = dict(layer=self.translator.model.config.n_layers // 2)
        view = BeamView(**self.contents(), **layer | opens_with)
        view.picture = self.still
        return view

    def contents(self) -> dict[str, Any]:
        return contents(self.reading, self.translator)

    def still(self) -> stills.Svg:
        """The picture of what the view shows, with greedy's path."""
        view, greedy = self.view, self.reading.trees[1].result(0).ids
        return tree_picture(self.reading.trees[view.width], view.meta, view.alpha, view.show == "all", greedy)

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"node": [], "step": 0}

    def known_in_page(self) -> dict[str, Any]:
        return {"most": study.MOST_TOKENS, "widths": study.MOST_WIDTH, "alpha": MOST_ALPHA}

    def told(self) -> str:
        n_source, limit = self.reading.src.size(1) - 1, next(iter(self.reading.trees.values())).limit
        searched = f"searched with beams of 1 to {study.MOST_WIDTH}"
        return f"{n_source} source tokens and </s>: at most {limit} in the translation; {searched}"


def explore_beam(translator: tc.Translator, text: str, **opens_with: Any) -> BeamExplorer:
    """Type a sentence: the tree of its beam search, for every width, with α, attention and softmax at every node.

    opens_with: traits to begin with, such as width=2, alpha=0.0, step=3.
    """
    return BeamExplorer(translator, text, **opens_with)
