"""The beam's tree, and two ways to decode, as still pictures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from studies import decoding as study
from studies.decoding import FINISHED, Candidate, Tree
from viz import stills, theme
from viz.stills import Box, Link


def words_of(pieces: Sequence[str]) -> str:
    """Pieces joined into text, without the end token."""
    return "".join(piece for piece in pieces if piece != "</s>").replace("▁", " ").strip()


def tree_picture(
    tree: Tree, meta: dict[str, Any], alpha: float, pruned: bool = True, greedy: Sequence[int] = (), dark: bool = False
) -> stills.Svg:
    """The search step by step: rows are ranks; the chosen hypothesis is bold, finished ones are filled.

    pruned: also what was pruned, in dashed frames; greedy: ids whose path is dashed.
    """
    n_steps = tree.n_steps(alpha)
    title = f"{meta['title']} · beam width {tree.width}, α = {alpha:g}"
    hint = "row: rank in its step; number: log-probability so far; bold: the chosen one; dashed lines: greedy"
    hint += "; dashed frames: pruned" if pruned else ""
    ranking = []
    for place, end in enumerate(tree.finished(alpha, n_steps)[:4], 1):
        text = words_of([meta["words"][str(i)] for i in tree.ids(end.step, end.rank)])
        score, log_prob = (theme.three_digits(number) for number in (end.score, end.log_prob))
        ranking.append(f"{place}. {text}   (score {score}, log P {log_prob}, {end.step} tokens)".replace("-", "−"))
    rows = [[search_table(tree, n_steps, meta["words"], tree.result(alpha).ids, pruned, greedy)]]
    rows += [[stills.words(*ranking)]] if ranking else []
    return stills.page(rows, meta["shows"], f"Beam search. {title}", title=title, notes=[hint], dark=dark, gap=10)


def search_table(
    tree: Tree, n_steps: int, words: dict[str, str], chosen: Sequence[int], pruned: bool, greedy: Sequence[int]
) -> stills.Shape:
    """A column for each step, a row for each rank, joined by lines from what a candidate goes on with."""
    steps = [[node for node in step if pruned or node.fate <= FINISHED] for step in tree.steps[:n_steps]]
    rows = [[Box(f"step {n}", "quiet") for n in range(1, n_steps + 1)]]
    rows += [[Box()] * n_steps for _ in range(max(map(len, steps)))]
    links, dashed = list[Link](), list[Link]()
    for n, step in enumerate(steps):
        for rank, node in enumerate(step):
            path = tree.ids(n + 1, rank)
            bold = path == [*chosen[: n + 1]]
            rows[rank + 1][n] = node_box(node, words[str(node.token)], bold)
            if n:
                ends = (node.parent + 1, n - 1), (rank + 1, n)
                links.append(Link(*ends, "ink" if bold else "line" if node.fate > FINISHED else "quiet", bold))
                dashed += [Link(*ends, GREEDY, True, True)] if path == [*greedy[: n + 1]] else []
    return stills.token_table(
        rows, links=[*sorted(links, key=lambda link: link.strong), *dashed], wrap=math.inf, gap=16
    )


def node_box(node: Candidate, word: str, bold: bool) -> Box:
    """A candidate's token and log-probability so far."""
    log_prob, ended = theme.three_digits(node.log_prob).replace("-", "−"), node.fate == FINISHED
    look: dict[str, Any] = dict(
        frame="ink" if bold else "quiet", strong=bold, dashed=node.fate > FINISHED, side="start"
    )
    return Box(word, "page" if ended else "ink", log_prob, fill="ink" if ended else "page", **look)


GREEDY = theme.OKABE_ITO[3]  # as in the view


def two_ways_picture(
    reference: Sequence[str], taught: Sequence[str], free: Sequence[str], shows: str = "", dark: bool = False
) -> stills.Svg:
    """Three rows of tokens, place by place: the reference, the guess after the reference's words, after its own."""
    if not reference or len(taught) != len(reference):
        sides = f"There are {len(reference)} reference tokens and {len(taught)} guesses"
        raise ValueError(f"{sides}; teacher forcing makes one guess for each token of the reference.")
    parts = study.divergence(reference, free)
    rows = [[Box(str(place), "wrong" if place - 1 == parts else "quiet", strong=place - 1 == parts)
             for place in range(1, max(len(reference), len(free)) + 1)]]  # fmt: skip
    rows.append([Box(token, frame="ink") for token in reference])
    for tokens in (taught, free):
        right = [i < len(reference) and token == reference[i] for i, token in enumerate(tokens)]
        rows.append([Box(token, ink, frame=ink, strong=ink == "wrong") for token, ink in zip(
            tokens, ("query" if same else "wrong" for same in right), strict=True)])  # fmt: skip
    about = "Teacher forcing beside free running. Red, with a thick frame: not the reference's token."
    notes = [] if parts is None else [f"first divergence: place {parts + 1}"]
    table = stills.token_table(rows, ["place", "reference", "taught", "alone"])
    return stills.page([[table]], shows, about, notes=notes, dark=dark)
