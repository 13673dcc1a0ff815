"""Trees as still pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from corpora import treebank
from studies import parsing as study
from viz import stills
from viz.stills import Box


def short(words: Sequence[str], most: int = 60) -> str:
    text = " ".join(words)
    return text if len(text) <= most else text[: most - 1] + "…"


Style = Callable[[int], dict[str, Any]]  # of a bracket, by its order: how its box looks


def bracket_rows(tree: treebank.Tree, style: Style) -> list[list[Box]]:
    """A row for each depth of a tree, the root first: every bracket a box over its words."""
    rows, unclosed = list[list[Box]](), list[treebank.Bracket]()
    for i, bracket in enumerate(tree.brackets):
        while unclosed and unclosed[-1].end <= bracket.start:
            unclosed.pop()
        if len(unclosed) == len(rows):
            rows.append([])
        row = rows[len(unclosed)]
        if space := bracket.start - sum(box.span for box in row):
            row.append(Box(span=space))
        row.append(Box(bracket.label, span=bracket.end - bracket.start, **style(i)))
        unclosed.append(bracket)
    return rows


def tree_picture(tree: treebank.Tree, title: str, shows: str, dark: bool = False) -> stills.Svg:
    """A tree above its words."""
    rows = bracket_rows(tree, lambda _: {"frame": "quiet"})
    if any(tag != treebank.WORD for tag in tree.tags):
        rows.append([Box(tag, "quiet") for tag in tree.tags])
    table = stills.token_table([*rows, [Box(word) for word in tree.words]])
    return stills.page([[table]], shows, f"A tree: {tree}", title=title, dark=dark)


FATES = {True: ("value", False), False: ("wrong", True), None: ("quiet", True)}  # of a bracket: colour, whether dashed


def score_picture(gold: treebank.Tree, predicted: treebank.Tree, shows: str, dark: bool = False) -> stills.Svg:
    """The gold tree above the words and the predicted one below; what both have is green, dashes mark the rest."""
    precision, recall, f1 = treebank.score([gold], [predicted]).of()
    title = f"precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f}"

    def drawn(tree: treebank.Tree, other: treebank.Tree) -> list[list[Box]]:
        looks = [FATES[fate] for fate in study.matched_brackets(tree, other)]
        return bracket_rows(tree, lambda i: {"ink": looks[i][0], "frame": looks[i][0], "dashed": looks[i][1]})

    above, below = drawn(gold, predicted), drawn(predicted, gold)[::-1]
    inks = ["quiet" if tag in treebank.DELETED else "ink" for tag in gold.tags]
    words = [Box(word, ink) for word, ink in zip(gold.words, inks, strict=True)]
    names = ["gold"] * bool(above) + [""] * (len(above) + len(below) - 1) + ["predicted"] * bool(below)
    table = stills.token_table([*above, words, *below], names)
    return stills.page([[table]], shows, f"Gold {gold} against predicted {predicted}: {title}", title=title, dark=dark)
