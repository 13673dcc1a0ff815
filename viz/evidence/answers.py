"""Several answers to how much a source word matters for a target word, each beside what its replacement really does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import evidence as study
from studies.reading import Reading, read
from viz import stills, theme
from viz.canvas import Canvas, PlaceIn, floats, script, trait
from viz.controls import Explorer
from viz.stills import Cell

NOTES = {
    "weights": "cross-attention, the mean of all layers and heads",
    "norms": "length of what cross-attention adds, the mean of all layers (Kobayashi et al., 2020)",
    "rollout": "attention weights of all layers multiplied, half of each row the residual's (Abnar and Zuidema, 2020)",
    "rollout of norms": "the same with lengths of what is added in the place of weights",
    "flow": "the most that attention through all layers lets through (Abnar and Zuidema, 2020)",
    "gradient": "gradient of log p along the word's embedding, in nats",
    "integrated": "the same, added up on the way from no embedding, in nats (Sundararajan et al., 2017)",
    "diagonal": "how near the two stand to the line from first to last, in tokens nearer than the farthest: no model",
    "hidden": "what log p loses when nobody may read the word, in nats",
    "of its kind": "what log p loses when another word of its kind stands there, the mean of three, in nats",
}
UNITS = {"gradient": "nats", "integrated": "nats", "diagonal": "tokens", "hidden": "nats", "of its kind": "nats"}


class AnswersView(Canvas):
    """Two maps of the same cells: an answer, and what really happens; rows are target tokens, columns source tokens.

    data: float32, the answers of meta["answers"] one after another, then the truths of meta["truths"], each (T, S).
    """

    _esm = script(__file__)
    data = trait(b"")
    answer = PlaceIn("answers", "which answer is shown, from 0")
    truth = PlaceIn("truths", "which replacement it is held against, from 0")
    row = PlaceIn("target", "the target token whose words are listed, from 0")
    per_row = trait(True, "colours to each row's largest")


Tables = Mapping[str, Tensor]
Agreement = Mapping[str, Mapping[str, Sequence[float]]]  # answer, truth: mean and the ends of its interval


def checked_tables(tables: Tables, what: str, sides: tuple[int, int]) -> list[Tensor]:
    """Tables as float32, all of the right shape."""
    if not tables:
        raise ValueError(f"There are no {what}; give at least one table of shape {sides}.")
    for name, table in tables.items():
        if tuple(torch.as_tensor(table).shape) != sides:
            raise ValueError(
                f"{name!r} of the {what} has shape {tuple(torch.as_tensor(table).shape)}, but there are {sides[0]} "
                f"target and {sides[1]} source tokens; rows are target tokens."
            )
    return [torch.as_tensor(table).detach().cpu().float() for table in tables.values()]


def named(tables: Tables, agreement: Agreement | None = None) -> list[dict[str, Any]]:
    """What the canvas must know of each table: name, unit, what it is, and the agreement that was stored, by truth."""
    stored = agreement or {}
    return [
        dict(name=name, unit=UNITS.get(name, ""), note=NOTES.get(name, ""), stored=dict(stored.get(name, {})))
        for name in tables
    ]


def contents_of(
    answers: Tables, truths: Tables, target: Sequence[str], source: Sequence[str], agreement: Agreement | None
) -> dict[str, Any]:
    """The traits that show these tables."""
    sides = len(target), len(source)
    stack = [*checked_tables(answers, "answers", sides), *checked_tables(truths, "truths", sides)]
    names = dict(answers=named(answers, agreement), truths=named(truths))
    return {"data": floats(torch.stack(stack)), "meta": dict(target=list(target), source=list(source), **names)}


def answers_view(
    answers: Tables, truths: Tables, target: Sequence[str], source: Sequence[str], *, title: str = "",
    shows: str = "given tables", agreement: Agreement | None = None, n: int = 0, **opens_with: Any,
) -> AnswersView:  # fmt: skip
    """Hold answers against truths, each a table (T, S) by name: rows are target tokens, columns source tokens.

    agreement: by answer and truth, mean and interval over n sentences. opens_with: traits, such as answer=1, row=2.
    """
    contents = contents_of(answers, truths, target, source, agreement)
    contents["meta"] |= dict(title=title, shows=shows, n=n)
    view = AnswersView(**contents, **opens_with)
    view.maps = {**answers, **truths}
    view.picture = lambda: answers_picture(view)
    return view


# ─── The live object ─────────────────────────────────────────────────────────────────────────────────────────────────

STEPS = 10  # of integrated gradients, while a reader waits
MOST_TOKENS = 24  # beyond, flow and gradients take longer than a reader waits


class AnswersExplorer(Explorer):
    """A sentence box above the answers of a model; `.reading` is what the model did, `.view` what is shown."""

    examples = (
        ("The animal did not cross the street because it was too tired.", "what says es"),
        ("She does not know when he will come.", "German puts the verb last"),
        ("Tom loves Mary.", "three words, three words"),
        ("He has been waiting for an hour.", "three English verbs, one German"),
    )

    def __init__(self, translator: tc.Translator, text: str, measured: Mapping[str, Any], **opens_with: Any) -> None:
        self.known = study.english_ids(translator.tokenizer)
        self.agreement, self.n = measured.get("answers"), measured.get("n", 0)
        super().__init__(translator, text, **opens_with)

    def read(self, text: str) -> Reading:
        reading = read(self.translator, text, most=MOST_TOKENS)
        ids = reading.src[0, :-1].tolist()
        self.answers = study.answers(reading, steps=STEPS)
        self.answers["diagonal"] = self.answers["diagonal"] - self.answers["diagonal"].min()  # 0 is the farthest
        self.truths = {
            "hidden": study.losses(reading, [tc.PAD] * len(ids)),
            "of its kind": study.losses(reading, study.of_its_kind(self.translator, ids, self.known)),
        }
        return reading

    def known_in_page(self) -> dict[str, Any]:
        return {"most": MOST_TOKENS, "steps": STEPS, "ids": self.known}

    def first_view(self, **opens_with: Any) -> AnswersView:
        view = AnswersView(**self.contents(), **opens_with)
        view.maps = {**self.answers, **self.truths}
        view.picture = lambda: answers_picture(view)
        return view

    def contents(self) -> dict[str, Any]:
        reading = self.reading
        sides = reading.predicted_pieces, reading.source_pieces
        contents = contents_of(self.answers, self.truths, *sides, self.agreement)
        title = f"{reading.text} → {reading.translation}"
        contents["meta"] |= dict(title=title, shows=reading.shows, n=self.n, live=True)
        return contents

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"row": 0}

    def take(self, reading: Reading) -> None:
        super().take(reading)
        self.view.maps = {**self.answers, **self.truths}

    def told(self) -> str:
        return f"{self.reading.translation} · {self.reading.src.shape[1]} source, {len(self.reading.ids)} target tokens"


def explore_answers(
    translator: tc.Translator, text: str, measured: Mapping[str, Any] | None = None, **opens_with: Any
) -> AnswersExplorer:
    """Type a sentence: how much each of its words matters for each word of the translation, by every answer.

    measured: the agreement of "answers" over "n" sentences, as `experiments.evidence` stores it; opens_with: traits of
    the view, such as answer=5.
    """
    return AnswersExplorer(translator, text, measured or {}, **opens_with)


# ─── The still picture ───────────────────────────────────────────────────────────────────────────────────────────────


def cells_of(table: Tensor, per_row: bool) -> list[list[Cell]]:
    """A table as colours: on the scale of weights where nothing is below 0, else on that of differences."""
    size = table.abs()
    top = (size.amax(-1, keepdim=True) if per_row else size.max()).clamp(min=1e-12)
    colour = stills.difference if (table < 0).any() else stills.weight
    return [[Cell(colour(share)) for share in row] for row in (table / top).tolist()]


def answers_picture(view: AnswersView, dark: bool = False) -> stills.Svg:
    """What a view shows now: the answer beside the truth, and how well their ranks agree."""
    names = [view.meta["answers"][view.answer]["name"], view.meta["truths"][view.truth]["name"]]
    tables = [torch.as_tensor(view.maps[name]).float() for name in names]
    target, source = view.meta["target"], view.meta["source"]
    drawn = [
        stills.cell_map(
            cells_of(table, view.per_row), target, source, title=name, note=theme.shortened(NOTES.get(name, ""), 60)
        )
        for name, table in zip(names, tables, strict=True)
    ]
    rho = study.agreement(*tables).item()
    note = (
        "no rank agreement can be told" if rho != rho else f"rank agreement in this sentence {theme.three_digits(rho)}"
    )
    alternative = f"{names[0]} beside {names[1]}: {view.meta['title']}; {note}. Rows are target, columns source tokens."
    title = view.meta["title"]
    return stills.page([drawn], view.meta["shows"], alternative, title=title, notes=[note], dark=dark, wide=1050)
