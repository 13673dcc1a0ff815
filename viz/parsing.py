"""Parsing under the reader's hands: a tree that grows token by token, repair, a score taken apart, and Table 4.

`explore_parse` shows how a parser says a tree, `explore_repair` what becomes of a broken line, `explore_score` how
EVALB compares two trees. What is said, matched and printed is in studies/parsing.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

import transformer_core as tc
from corpora import treebank
from studies import parsing as study
from viz import theme
from viz.canvas import ParseView, ScoreView, floats
from viz.controls import Explorer

# ─── The growing tree ────────────────────────────────────────────────────────────────────────────────────────────────


def short(words: Sequence[str], most: int = 60) -> str:
    text = " ".join(words)
    return text if len(text) <= most else text[: most - 1] + "…"


def contents(parses: Sequence[study.Parse], shows: str, version: int = 0, live: bool = True) -> dict[str, Any]:
    """The traits of a ParseView that shows these parses."""
    examples, numbers, begin = [], [], 0
    for one in parses:
        rows = one.attention.permute(2, 0, 1, 3).contiguous()  # (T + 1, L, H, S + 1)
        examples.append(
            {"name": short(one.words), "words": one.words, "line": one.line, "begin": begin, "n_rows": len(rows)}
        )
        begin += rows.numel()
        numbers.append(rows.flatten())
    n_layers, n_heads = parses[0].attention.shape[:2]
    meta = {
        "view": "parse", "version": version, "live": live, "shows": shows, "examples": examples, "editable": False,
        "keep_tags": True, "n_layers": n_layers, "n_heads": n_heads, "beams": study.BEAMS,
        "repairs": treebank.STEPS,
    }  # fmt: skip
    return {"meta": meta, "data": floats(torch.cat(numbers))}


class ParseExplorer(Explorer):
    """A sentence box above the tree that the model says; `.parse` is what it said, `.view` what is shown."""

    def __init__(self, translator: tc.Translator, texts: Sequence[str], **opens_with: Any) -> None:
        if not texts:
            raise ValueError("There are no sentences; give at least one.")
        self.translator, self.version, self.n_given = translator, 0, len(texts)
        self.parses = [study.parse(translator, text, opens_with.get("beam_size", 1)) for text in texts]
        layer, head = study.most_reading(self.parses)
        view = ParseView(**contents(self.parses, self.shows), **dict(layer=layer, head=head) | opens_with)
        view.picture = lambda: tree_picture(self.parse.tree, " ".join(self.parse.words), self.shows)
        super().__init__(view, texts[view.example], self.respond)
        view.observe(self.follow, ["example", "beam_size"])

    @property
    def shows(self) -> str:
        return f"trained: {self.translator.name}"

    @property
    def parse(self) -> study.Parse:
        return self.parses[self.view.example]

    def respond(self, text: str) -> str:
        """Show what the model says of a sentence: one of those given, or another in the last place."""
        texts = [one.text for one in self.parses]
        if text not in texts:
            self.show(
                [*self.parses[: self.n_given], study.parse(self.translator, text, self.view.beam_size)], self.n_given
            )
        elif texts.index(text) != self.view.example:
            self.view.example = texts.index(text)
        return self.told()

    def follow(self, change: dict) -> None:
        """Another sentence was chosen, or another search."""
        if self.parse.beam_size != self.view.beam_size:
            self.say("searching …")
            at, again = self.view.example, study.parse(self.translator, self.parse.text, self.view.beam_size)
            self.show([*self.parses[:at], again, *self.parses[at + 1 :]], at)
        self.sentence.value = self.parse.text
        self.say(self.told())

    def show(self, parses: list[study.Parse], example: int) -> None:
        self.parses, self.version = parses, self.version + 1
        with self.view.hold_sync():
            for name, value in contents(parses, self.shows, self.version).items():
                self.view.set_trait(name, value)
            self.view.set_trait("step", -1)
            self.view.set_trait("folded", [])
            self.view.example = example

    def told(self) -> str:
        one, changes = self.parse, self.parse.repaired[1]
        how = "greedily" if one.beam_size == 1 else f"with a beam of {one.beam_size}"
        mended = ", ".join(f"{count} × {treebank.STEPS[step]}" for step, count in changes.items())
        tail = f"repaired: {mended}" if changes else "well-formed"
        return f"{len(one.words)} words, {len(one.tokens)} tokens, said {how}; {tail}"


def explore_parse(translator: tc.Translator, texts: Sequence[str], **opens_with: Any) -> ParseExplorer:
    """Type a sentence: the tree that the model says of it, token by token, with the stack and the cross-attention.

    texts: the sentences that stand there first; opens_with: traits to begin with, such as step=5, layer=1, head=0.
    """
    return ParseExplorer(translator, texts, **opens_with)


def explore_repair(lines: Iterable[tuple[str, Sequence[str], str]], shows: str = "made-up lines") -> ParseView:
    """Lines to step through and to edit: (name, words, line of tree tokens) each; what is broken is repaired."""
    examples = [{"name": name, "words": [*words], "line": line} for name, words, line in lines]
    if not examples or not all(one["words"] for one in examples):
        raise ValueError(f"There are {len(examples)} lines; give at least one, as (name, words, line), with its words.")
    meta = {
        "view": "parse", "version": 0, "live": False, "shows": shows, "examples": examples, "editable": True,
        "keep_tags": False, "n_layers": 0, "n_heads": 0, "beams": (), "repairs": treebank.STEPS,
    }  # fmt: skip
    view = ParseView(meta=meta, line=examples[0]["line"])

    def picture() -> theme.Svg:
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
    meta = {
        "view": "score", "version": 0, "live": False, "shows": shows, "examples": examples, "labels": labels,
        "repairs": treebank.STEPS,
    }  # fmt: skip
    view = ScoreView(meta=meta, **opens_with)
    view.predicted = opens_with.get("predicted", pairs[view.example].predicted)
    view.picture = lambda: score_picture(
        golds[view.example], study.predicted_tree(view.predicted, golds[view.example]), shows
    )
    return view


# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def table_4_chart(rows: Sequence[study.Row] = study.TABLE_4, shows: str = "Table 4 as printed") -> theme.LinkedChart:
    """Every row as a point; click one, and those above it are filled."""
    if not rows:
        raise ValueError("There are no rows to show; pass TABLE_4, or some of its rows.")
    values = [row._asdict() | {"place": i, "F1": float(row.f1)} for i, row in enumerate(rows)]
    ours = next((row.f1 for row in rows if (row.parser, row.training) == (study.TRANSFORMER, study.SEMI)), rows[-1].f1)
    select = {"type": "point", "fields": ["F1"]}
    picked = {"name": "picked", "select": select, "value": [{"F1": float(ours)}], "views": ["points"]}
    spec = {
        "data": {"values": values}, "params": [picked], "layer": table_4_layers(rows),
        "width": 520, "height": 22 * len(rows),
    }  # fmt: skip
    said = "Table 4. " + "; ".join(f"{row.parser}, {row.training}: {row.printed}" for row in rows)
    return theme.LinkedChart(spec, shows, said)


def table_4_layers(rows: Sequence[study.Row]) -> list[dict]:
    """Points, the line through the one that is picked, and what is printed."""
    kinds = list(dict.fromkeys(row.training for row in rows))
    names = {"labelExpr": label_expression(rows), "labelLimit": 260}
    y = {"field": "place", "type": "nominal", "title": None, "axis": names}
    x = {"field": "F1", "type": "quantitative", "scale": {"domain": [88, 94]}, "title": "F1 on section 23 of the WSJ"}
    scale = {"domain": kinds, "range": list(theme.CHART_COLOURS[: len(kinds)])}
    colour = {"field": "training", "type": "nominal", "title": None, "legend": {"orient": "bottom"}, "scale": scale}
    higher = "picked.F1 == null ? false : datum.F1 > picked.F1[0]"
    point = {
        "name": "points", "mark": {"type": "point", "size": 130, "filled": True, "opacity": 1, "cursor": "pointer"},
        "encoding": {
            "x": x, "y": y, "color": colour, "stroke": colour, "strokeOpacity": {"value": 1},
            "strokeWidth": {"value": 2}, "tooltip": [{"field": name} for name in study.Row._fields],
            "fillOpacity": {"condition": {"test": higher, "value": 1}, "value": 0.05},
        },
    }  # fmt: skip
    line = {"type": "rule", "strokeDash": [4, 3], "color": theme.GREY}
    there = [{"filter": {"param": "picked", "empty": False}}]
    beside = {"type": "text", "dx": 12, "align": "left", "color": theme.GREY}
    number = {"mark": beside, "encoding": {"x": x, "y": y, "text": {"field": "printed"}}}
    return [point, {"transform": there, "mark": line, "encoding": {"x": x}}, number]


def label_expression(rows: Sequence[study.Row]) -> str:
    """A Vega expression: the parser's name for its place."""
    names = [
        row.parser + (f", {study.ALSO_CALLED[row.parser]}" if row.parser in study.ALSO_CALLED else "") for row in rows
    ]
    quoted = ", ".join("'" + name.replace("'", "\\'") + "'" for name in names)
    return f"[{quoted}][datum.value]"


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────


def curve_chart(run: Mapping[str, Any], shows: str) -> theme.Chart:
    """While a parser learns: F1 on unseen sentences, of every line repaired and of lines as they are; and the loss."""
    points = run["curve"]
    if not points:
        raise ValueError("This run has no learning curve; its JSON must hold one point at least.")
    steps = [point["step"] for point in points]

    def panel(title: str, unit: str, kinds: dict[str, str]) -> theme.Panel:
        some = [theme.Curve(name, steps, [one[key] for one in points], kind="points") for name, key in kinds.items()]
        return theme.Panel(some, title, "step", unit)

    scores = {"every line repaired": "f1", "malformed lines as no tree": "strict"}
    losses = {"training trees": "nll", "unseen trees": "valid_nll"}
    return theme.chart([panel("how good", "F1", scores), panel("how sure", "nats a token", losses)], shows)


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────


TALL, TOP = 42.0, 62.0
Style = Callable[[int], dict[str, Any]]


@dataclass(frozen=True)
class Placed:
    """Where a tree lies: middles of words and brackets, depths, and each one's parent (-1: none)."""

    words: list[float]
    brackets: list[float]
    depths: list[int]
    parents: list[int]
    leaves: list[int]  # of each word, the innermost bracket

    @property
    def rows(self) -> int:
        return max(self.depths, default=-1) + 1


def middles(trees: Sequence[treebank.Tree]) -> list[float]:
    """The middle of each word, wide enough for it and for the labels that stand over it alone."""
    x, found = 24.0, []
    for i, word in enumerate(trees[0].words):
        labels = [
            theme.longest([b.label]) + 1.5 for tree in trees for b in tree.brackets if (b.start, b.end) == (i, i + 1)
        ]
        wide = 8.8 * max([theme.longest([word]), 2, *labels])
        found.append(x + wide / 2)
        x += wide + 14
    return found


def placed(tree: treebank.Tree, words: list[float]) -> Placed:
    """Every bracket in the middle of its parts."""
    parents, leaves, unclosed, brackets = [], [], list[int](), tree.brackets
    for i, bracket in enumerate(brackets):
        while unclosed and brackets[unclosed[-1]].end <= bracket.start:
            unclosed.pop()
        parents.append(unclosed[-1] if unclosed else -1)
        unclosed.append(i)
    for word in range(len(words)):
        over = [i for i, bracket in enumerate(brackets) if bracket.start <= word < bracket.end]
        leaves.append(over[-1] if over else -1)
    depths: list[int] = []
    for parent in parents:
        depths.append(depths[parent] + 1 if parent >= 0 else 0)
    x = [0.0] * len(brackets)
    for i in reversed(range(len(brackets))):
        parts = [words[w] for w, leaf in enumerate(leaves) if leaf == i]
        parts += [x[kid] for kid, parent in enumerate(parents) if parent == i]
        x[i] = (min(parts) + max(parts)) / 2
    return Placed(words, x, depths, parents, leaves)


def drawn_tree(
    tree: treebank.Tree, place: Placed, y: Callable[[int], float], y_words: float, down: int, style: Style
) -> list[str]:
    """A tree's lines and labels as SVG; down: 1 where the root is above the words, -1 below."""
    lines, labels = [], []
    for i, bracket in enumerate(tree.brackets):
        x, top, look = place.brackets[i], y(place.depths[i]) + down * 11, style(i)
        parts = [(place.words[w], y_words) for w, leaf in enumerate(place.leaves) if leaf == i]
        parts += [
            (place.brackets[kid], y(place.depths[kid]) - down * 11)
            for kid, parent in enumerate(place.parents)
            if parent == i
        ]
        stem = f"M{x:.1f} {top:.1f}v{down * 8}"
        path = stem + "".join(f"M{x:.1f} {top + down * 8:.1f}H{end:.1f}V{to:.1f}" for end, to in parts)
        lines.append(theme.element("path", d=path, fill="none", **look))
        wide = 8.6 * theme.longest([bracket.label]) + 10
        labels.append(
            theme.element(
                "rect",
                x=x - wide / 2,
                y=y(place.depths[i]) - 11,
                width=wide,
                height=22.0,
                rx=6,
                **look | {"fill": style(-1)["fill"]},
            )
        )
        name = dict(text_anchor="middle", font_family=theme.MONO, font_weight=600, font_size=14, fill=look["stroke"])
        labels.append(theme.element("text", theme.label(bracket.label), x=x, y=y(place.depths[i]) + 5, **name))
    return lines + labels


def word_line(words: Sequence[str], xs: Sequence[float], y: float, colours: Sequence[str]) -> list[str]:
    return [
        theme.element("text", theme.label(word), x=x, y=y, text_anchor="middle", font_size=15, fill=colour)
        for word, x, colour in zip(words, xs, colours, strict=True)
    ]


def tree_picture(tree: treebank.Tree, title: str, shows: str, dark: bool = False) -> theme.Svg:
    """A tree above its words."""
    look, xs = theme.DARK if dark else theme.LIGHT, middles([tree])
    place = placed(tree, xs)
    style: Style = lambda i: {"stroke": look["ink"], "stroke_width": 1.2} if i >= 0 else {"fill": look["page"]}  # noqa: E731
    tagged = any(tag != treebank.WORD for tag in tree.tags)
    bottom = TOP + TALL * max(place.rows, 1) + 16 * tagged
    drawn = [theme.element("text", theme.escaped(title), x=16, y=26, font_size=14, fill=look["ink"])]
    drawn += drawn_tree(tree, place, lambda depth: TOP + TALL * depth, bottom - 14 - 16 * tagged, 1, style)
    drawn += word_line(tree.words, xs, bottom + 4, [look["ink"]] * len(xs))
    for tag, x in zip(tree.tags if tagged else (), xs, strict=False):
        small = dict(text_anchor="middle", font_size=12, font_family=theme.MONO, fill=look["quiet"])
        drawn.append(theme.element("text", theme.label(tag), x=x, y=bottom - 13, **small))
    width = max(xs[-1] + 60, 16 + 7.2 * min(len(title), 160), 480)
    return theme.page(drawn, width, bottom + 40, shows, f"A tree: {tree}", look)


def score_picture(gold: treebank.Tree, predicted: treebank.Tree, shows: str, dark: bool = False) -> theme.Svg:
    """The gold tree above the words and the predicted one below; what both have is green, dashes mark the rest."""
    look, xs = theme.DARK if dark else theme.LIGHT, middles([gold, predicted])
    places = [placed(tree, xs) for tree in (gold, predicted)]
    middle = TOP + TALL * max(places[0].rows, 1)
    total = treebank.score([gold], [predicted])
    precision, recall, f1 = total.of()
    title = f"precision {precision:.1f}, recall {recall:.1f}, F1 {f1:.1f}"
    drawn = [theme.element("text", title, x=16, y=26, font_size=15, font_weight=600, fill=look["ink"])]

    def style(fates: list[bool | None]) -> Style:
        kinds: dict[bool | None, dict[str, Any]] = {
            True: {"stroke": look["value"], "stroke_width": 1.6},
            False: {"stroke": look["wrong"], "stroke_width": 1.6, "stroke_dasharray": "4 3"},
            None: {"stroke": look["quiet"], "stroke_width": 1.2, "stroke_dasharray": "2 3"},
        }
        return lambda i: kinds[fates[i]] if i >= 0 else {"fill": look["page"]}

    below = middle + 30 + TALL * max(places[1].rows - 1, 0)
    drawn += drawn_tree(
        gold,
        places[0],
        lambda depth: TOP + TALL * depth,
        middle - 14,
        1,
        style(study.matched_brackets(gold, predicted)),
    )
    drawn += drawn_tree(
        predicted,
        places[1],
        lambda depth: below - TALL * depth,
        middle + 10,
        -1,
        style(study.matched_brackets(predicted, gold)),
    )
    drawn += word_line(
        gold.words, xs, middle + 4, [look["quiet" if tag in treebank.DELETED else "ink"] for tag in gold.tags]
    )
    drawn += [
        theme.element("text", name, x=8, y=at, font_size=12, fill=look["quiet"])
        for name, at in (("gold", TOP - 14), ("predicted", below + 24))
    ]
    said = f"Gold {gold} against predicted {predicted}: {title}"
    return theme.page(drawn, max(xs[-1] + 60, 480), below + 46, shows, said, look)
