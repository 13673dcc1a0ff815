"""A tree that grows token by token, one that is repaired, and gold against predicted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

import transformer_core as tc
from corpora import treebank
from studies import parsing as study
from viz import stills
from viz.canvas import Canvas, PlaceIn, Takes, floats, script, trait
from viz.controls import Explorer
from viz.parsing.branches import score_picture, short, tree_picture

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────

NOWHERE = "There is no {name} {value} here; there are {n}, counted from 0."


class ParseView(Canvas):
    """A line of tree tokens, read with a stack token by token, and the tree that grows from it.

    meta["examples"] holds words and lines; data the cross-attention behind them, float32 [token][layer][head][word],
    from each example's "begin" on. Where meta["editable"], line is what is read; else it is the example's own.
    """

    _esm = script(__file__)
    data = trait(b"")
    example = PlaceIn("examples", "which sentence", otherwise=NOWHERE)
    line = trait("", "tree tokens, where they can be edited", takes=Takes.text(2000))
    step = trait(-1, "tokens said; -1: all, and the end", min=-1)
    layer = PlaceIn("n_layers", "whose cross-attention is shown; -1: the mean", -1, least=-1, otherwise=NOWHERE)
    head = PlaceIn("n_heads", "-1: the mean", -1, least=-1, otherwise=NOWHERE)
    folded = trait([], "brackets that are only a roof, by order", of=trait(0), takes=Takes.list_of(Takes.whole(0, 500)))
    beam_size = trait(1, "hypotheses searched side by side", min=1, takes=Takes.asking(Takes.one_in("beams")))


class ScoreView(Canvas):
    """A gold tree above its words and a predicted one below, whose line of tree tokens may be edited."""

    _esm = script(__file__)
    example = PlaceIn("examples", "which pair of trees", otherwise=NOWHERE)
    predicted = trait("", "the predicted tree as tokens", takes=Takes.text(2000))
    node = trait(-1, "the predicted bracket that is chosen, by order", min=-1)


# ─── The growing tree ────────────────────────────────────────────────────────────────────────────────────────────────


def contents(parses: Sequence[study.Parse], shows: str) -> dict[str, Any]:
    """The traits of a ParseView that shows these parses."""
    examples, numbers, begin = [], [], 0
    for parse in parses:
        rows = parse.attention.permute(2, 0, 1, 3).contiguous()  # (T + 1, L, H, S + 1)
        examples.append(
            {"name": short(parse.words), "words": parse.words, "line": parse.line, "begin": begin, "n_rows": len(rows)}
        )
        begin += rows.numel()
        numbers.append(rows.flatten())
    n_layers, n_heads = parses[0].attention.shape[:2]
    meta = {
        "view": "parse", "live": True, "shows": shows, "examples": examples, "editable": False,
        "keep_tags": True, "n_layers": n_layers, "n_heads": n_heads, "beams": study.BEAMS,
        "repairs": treebank.STEPS,
    }  # fmt: skip
    return {"meta": meta, "data": floats(torch.cat(numbers))}


class ParseExplorer(Explorer):
    """A sentence box above the tree that the model says; `.reading` has every parse, `.parse` the one shown."""

    def __init__(self, translator: tc.Translator, texts: Sequence[str], **opens_with: Any) -> None:
        if not texts:
            raise ValueError("There are no sentences; give at least one.")
        self.texts, self.beam_size, self.reading = [*texts], opens_with.get("beam_size", 1), list[study.Parse]()
        super().__init__(translator, texts[opens_with.get("example", 0)], **opens_with)

    @property
    def shows(self) -> str:
        return f"trained: {self.translator.name}"

    @property
    def parse(self) -> study.Parse:
        return self.reading[self.view.example]

    @property
    def plain_text(self) -> str:
        return " ".join(self.parse.words)  # as the model reads it

    def parsed(self, text: str) -> study.Parse:
        return study.parse(self.translator, text, self.beam_size)

    def read(self, text: str) -> list[study.Parse]:
        """The parses of the sentences given, and in the last place that of another one."""
        known = self.reading or [self.parsed(sentence) for sentence in self.texts]
        return known if text in [parse.text for parse in known] else [*known[: len(self.texts)], self.parsed(text)]

    def first_view(self, **opens_with: Any) -> ParseView:
        layer, head = study.most_reading(self.reading)
        view = ParseView(**self.contents(), **dict(layer=layer, head=head) | opens_with)
        view.picture = lambda: tree_picture(self.parse.tree, " ".join(self.parse.words), self.shows)
        view.observe(self.follow, ["example", "beam_size"])
        return view

    def contents(self) -> dict[str, Any]:
        return contents(self.reading, self.shows)

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"step": -1, "folded": []}

    def take(self, reading: list[study.Parse]) -> None:
        """Show these parses, at the sentence in the box."""
        with self.view.hold_sync():
            if reading is not self.reading:
                super().take(reading)
            self.view.example = [parse.text for parse in reading].index(self.text)

    def follow(self, _: dict) -> None:
        """Another sentence was chosen, or another search."""
        if self.parse.beam_size != self.view.beam_size:
            self.say("searching …")
            at, self.beam_size = self.view.example, self.view.beam_size
            super().take([*self.reading[:at], self.parsed(self.parse.text), *self.reading[at + 1 :]])
        self.sentence.value = self.parse.text
        self.say(self.told())

    def known_in_page(self) -> dict[str, Any]:
        """The sentences as they were typed, how each was searched, and what a search is bounded by."""
        texts, beams = ([getattr(parse, name) for parse in self.reading] for name in ("text", "beam_size"))
        bounds = {"most": study.MOST_WORDS, "alpha": study.ALPHA, "max_extra": study.MAX_EXTRA}
        return {"texts": texts, "beam_sizes": beams, "given": len(self.texts)} | bounds

    def told(self) -> str:
        parse = self.parse
        how = "greedily" if parse.beam_size == 1 else f"with a beam of {parse.beam_size}"
        words = f"{len(parse.words)} word{'' if len(parse.words) == 1 else 's'}"
        return f"{words}, {len(parse.tokens)} tokens, said {how}"


def explore_parse(translator: tc.Translator, texts: Sequence[str], **opens_with: Any) -> ParseExplorer:
    """Type a sentence: the tree that the model says of it, token by token, with the stack and the cross-attention.

    texts: the sentences that stand there first; opens_with: traits to begin with, such as step=5, layer=1, head=0.
    """
    return ParseExplorer(translator, texts, **opens_with)


def explore_repair(lines: Iterable[tuple[str, Sequence[str], str]], shows: str = "made-up lines") -> ParseView:
    """Lines to step through and to edit: (name, words, line of tree tokens) each; what is broken is repaired."""
    examples = [{"name": name, "words": [*words], "line": line} for name, words, line in lines]
    if not examples or not all(example["words"] for example in examples):
        raise ValueError(f"There are {len(examples)} lines; give at least one, as (name, words, line), with its words.")
    meta = {
        "view": "parse", "shows": shows, "examples": examples, "editable": True,
        "keep_tags": False, "n_layers": 0, "n_heads": 0, "beams": (), "repairs": treebank.STEPS,
    }  # fmt: skip
    view = ParseView(meta=meta, line=examples[0]["line"])

    def picture() -> stills.Svg:
        words = view.meta["examples"][view.example]["words"]
        tree, changes = treebank.repair(view.line, words)
        done = ", ".join(f"{step} {count}" for step, count in changes.items()) or "nothing"
        return tree_picture(tree, f"{view.line}   repaired: {done}", shows)

    view.picture = picture
    return view


# ─── Gold against predicted ──────────────────────────────────────────────────────────────────────────────────────────


def explore_score(pairs: Sequence[study.Pair], shows: str = "made-up trees", **opens_with: Any) -> ScoreView:
    """A gold tree above its words, a predicted one below: matched brackets, and precision, recall and F1 from them."""
    if not pairs:
        raise ValueError("There are no pairs of trees; give at least one Pair(name, gold, predicted).")
    golds = [treebank.parse(pair.gold) for pair in pairs]
    examples = [
        {"name": pair.name, "words": gold.words, "tags": gold.tags, "gold": treebank.linearise(gold),
         "predicted": pair.predicted}
        for pair, gold in zip(pairs, golds, strict=True)
    ]  # fmt: skip
    labels = sorted({bracket.label for gold in golds for bracket in gold.brackets})
    meta = {"view": "score", "shows": shows, "examples": examples, "labels": labels, "repairs": treebank.STEPS}
    view = ScoreView(meta=meta, **opens_with)
    view.predicted = opens_with.get("predicted", pairs[view.example].predicted)
    view.picture = lambda: score_picture(
        golds[view.example], study.predicted_tree(view.predicted, golds[view.example]), shows
    )
    return view
