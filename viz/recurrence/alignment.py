"""A recurrent translator step by step: its states, its alignment, and what is left of a sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import recurrence as study
from viz.canvas import Canvas, OneOf, floats, script, trait
from viz.controls import Explorer
from viz.recurrence.maps import view_picture


class RecurrenceView(Canvas):
    """A recurrent translator step by step: scores, weights and context, computed in the page from the vectors in data.

    meta["sentences"] says for each sentence and model its words and where in data, float32, its vectors lie.
    """

    _esm = script(__file__)
    data = trait(b"", "all vectors as float32")
    sentence = trait(0, "which sentence is shown", min=0)
    score = OneOf(["additive", "dot", "fixed"], "how states are scored")
    step = trait(0, "which word is about to be said", min=0)
    place = trait(-1, "the source word whose score is taken apart; -1: the strongest", min=-1)
    unit = trait(0, "the component of the context that is worked out", min=0)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.steps: list[Any] = []  # what the bytes were made of, exactly


LONGEST = 24  # pieces of a typed sentence that the view has room for
MOST_TOKENS = 128  # beyond, neither rows nor cells can be read


def packed_steps(sentences: Sequence[Mapping[str, study.Steps]]) -> tuple[list[dict[str, Any]], bytes]:
    """What the script needs to know of each sentence and model, and all their numbers as bytes."""
    told, numbers, at = list[dict[str, Any]](), list[Tensor](), 0
    for sentence in sentences:
        models = {}
        for name, steps in sentence.items():
            places = {}
            for part, values in steps.parts().items():
                places[part] = [at, values.numel()]
                numbers.append(values.detach().flatten())
                at += values.numel()
            models[name] = dict(
                keys=list(steps.keys), queries=list(steps.queries), width=steps.states.size(-1), places=places,
                likeliest=[[[word, round(p, 4)] for word, p in row] for row in steps.likeliest], text=steps.text,
            )  # fmt: skip
        told.append(dict(models=models))
    return told, floats(torch.cat(numbers))


def alignment_view(
    sentences: Sequence[Mapping[str, study.Steps]],
    title: str = "",
    shows: str = "",
    names: Sequence[str] = (),
    **opens: Any,
) -> RecurrenceView:
    """From scores to weights to context, step by step; of each sentence one `Steps` for each way to score.

    names: what each sentence is called in the list of them. opens: traits such as score="dot" or step=2.
    """
    if not sentences or not all(sentences):
        raise ValueError(f"There are {len(sentences)} sentences; give at least one, each with the steps of some model.")
    for sentence in sentences:
        if wrong := [name for name, steps in sentence.items() if steps.score != name]:
            raise ValueError(f"The steps called {wrong[0]!r} are of score {sentence[wrong[0]].score!r}; call them so.")
    n = max(
        len(tokens) for sentence in sentences for steps in sentence.values() for tokens in (steps.keys, steps.queries)
    )
    if n > MOST_TOKENS:
        raise ValueError(f"A sentence has {n} tokens, more than the {MOST_TOKENS} that are shown; pass a shorter one.")
    told, data = packed_steps(sentences)
    names = list(names) or [next(iter(sentence.values())).text for sentence in sentences]
    for entry, name in zip(told, names, strict=True):
        entry["name"] = name
    view = RecurrenceView(
        meta=dict(sentences=told, title=title, shows=shows, names=study.NAMES),
        data=data, score=opens.pop("score", next(iter(sentences[0]))), **opens,
    )  # fmt: skip
    view.steps = list(sentences)
    view.picture = lambda: view_picture(view)
    return view


class AlignmentExplorer(Explorer):
    """A sentence box over the view: each model translates what is typed, and its steps are shown."""

    examples = (
        ("The king called the famous students.", "one word, said as two"),
        ("The hungry bears could get up.", "two words, said as one"),
        ("The teacher has not washed a blanket.", "the verb comes last"),
        ("A farmer repaired the radio because he needed it.", "and so in a clause"),
    )

    def __init__(self, translators: Mapping[str, Any], texts: Sequence[str], shows: str) -> None:
        self.translators, self.shows = dict(translators), shows
        self.known = {text: self.steps(text) for text in texts}  # they stay in the list
        super().__init__(next(iter(self.translators.values())), texts[0])

    def steps(self, text: str) -> dict[str, study.Steps]:
        return {name: study.read(translator, text) for name, translator in self.translators.items()}

    @property
    def asked_in_page(self) -> tc.Translator | None:
        return study.together(self.translators)

    def known_in_page(self) -> dict[str, Any]:
        return {"most": LONGEST - 1}

    def read(self, text: str) -> dict[str, dict[str, study.Steps]]:
        """The steps of every sentence in the list, this one first unless it is known."""
        text = tc.clean(text)
        if (n := len(self.translator.tokenizer.encode(text))) >= LONGEST:
            raise ValueError(f"This sentence has {n} pieces, more than the {LONGEST - 1} shown; try a shorter one.")
        return self.known if text in self.known else {text: self.steps(text)} | self.known

    def first_view(self, **opens_with: Any) -> RecurrenceView:
        title = "What does the decoder read when it says a word?"
        return alignment_view([*self.reading.values()], title, self.shows, [*self.reading])

    def contents(self) -> dict[str, Any]:
        told, data = packed_steps([*self.reading.values()])
        for entry, name in zip(told, self.reading, strict=True):
            entry["name"] = name
        return {"data": data, "meta": {"sentences": told}}

    def afresh(self, _: dict[str, Any]) -> dict[str, Any]:
        return {"sentence": [*self.reading].index(tc.clean(self.text)), "step": 0, "place": -1}

    def take(self, reading: dict[str, dict[str, study.Steps]]) -> None:
        super().take(reading)
        self.view.steps = [*reading.values()]

    def told(self) -> str:
        shown = self.reading[tc.clean(self.text)]
        return " · ".join(f"{study.NAMES[name]}: {steps.text}" for name, steps in shown.items())


def explore_alignment(
    translators: Mapping[str, Any], texts: Sequence[str], shows: str = "trained"
) -> AlignmentExplorer:
    """A sentence box and the view; translators: recurrent ones by how they score, "additive", "dot" and "fixed"."""
    if not translators or not texts:
        raise ValueError(f"There are {len(translators)} translators and {len(texts)} texts; give at least one of each.")
    return AlignmentExplorer(translators, texts, shows)
