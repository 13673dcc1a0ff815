"""Before Transformers, under the reader's hands: a recurrent translator step by step.

`alignment_view` takes the numbers of studies/recurrence.py, `explore_alignment` trained translators and a sentence box.
Charts take what experiments/recurrence.py wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

import transformer_core as tc
from studies import recurrence as study
from studies.statistics import mean
from viz import theme
from viz.canvas import Canvas, OneOf, floats, script, trait
from viz.controls import Explorer

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class RecurrenceView(Canvas):
    """A recurrent translator step by step: scores, weights and context, computed in the page from the vectors in data.

    meta["sentences"] says for each sentence and model its words and where in data, float32, its vectors lie.
    """

    _esm = script("recurrence.js")
    data = trait(b"", "all vectors as float32")
    sentence = trait(0, "which sentence is shown", min=0)
    score = OneOf(["additive", "dot", "fixed"], help="how states are scored")
    step = trait(0, "which word is about to be said", min=0)
    place = trait(-1, "the source word whose score is taken apart; -1: the strongest", min=-1)
    unit = trait(0, "the component of the context that is worked out", min=0)

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.steps: list[Any] = []  # what the bytes were made of, exactly


LONGEST = 24  # pieces of a typed sentence that the view has room for
MOST_TOKENS = 128  # beyond, neither rows nor cells can be read


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


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
                said=[[[word, round(p, 4)] for word, p in row] for row in steps.said], text=steps.text,
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
    n = max(len(tokens) for one in sentences for steps in one.values() for tokens in (steps.keys, steps.queries))
    if n > MOST_TOKENS:
        raise ValueError(f"A sentence has {n} tokens, more than the {MOST_TOKENS} that are shown; pass a shorter one.")
    told, data = packed_steps(sentences)
    names = list(names) or [next(iter(sentence.values())).text for sentence in sentences]
    for one, name in zip(told, names, strict=True):
        one["name"] = name
    view = RecurrenceView(
        meta=dict(sentences=told, title=title, shows=shows, names=study.NAMES, live=False, version=0),
        data=data, score=opens.pop("score", next(iter(sentences[0]))), **opens,
    )  # fmt: skip
    view.steps = list(sentences)
    view.picture = lambda: view_picture(view)
    return view


class AlignmentExplorer(Explorer):
    """A sentence box over the view: each model translates what is typed, and its steps are shown."""

    def __init__(self, translators: Mapping[str, Any], texts: Sequence[str], shows: str) -> None:
        self.translators, self.shows = dict(translators), shows
        self.known = {text: self.steps(text) for text in texts}  # they stay in the list
        super().__init__(self.translators, texts[0])

    def steps(self, text: str) -> dict[str, study.Steps]:
        return {name: study.read(translator, text) for name, translator in self.translators.items()}

    def read(self, text: str) -> dict[str, dict[str, study.Steps]]:
        """The steps of every sentence in the list, this one first unless it is known."""
        text = tc.clean(text)
        if not text:
            raise ValueError("There is no word to translate; type an English sentence.")
        any_one = next(iter(self.translators.values()))
        if (n := len(any_one.tokenizer.encode(text))) >= LONGEST:
            raise ValueError(f"These are {n} pieces; the view has room for {LONGEST - 1}, so type a shorter sentence.")
        return self.known if text in self.known else {text: self.steps(text)} | self.known

    def first_view(self, **opens_with: Any) -> RecurrenceView:
        title = "What does the decoder read when it says a word?"
        return alignment_view([*self.reading.values()], title, self.shows, [*self.reading])

    def contents(self) -> dict[str, Any]:
        told, data = packed_steps([*self.reading.values()])
        for one, name in zip(told, self.reading, strict=True):
            one["name"] = name
        return {"data": data, "meta": self.view.meta | dict(sentences=told, version=self.version)}

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


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────


def shown_steps(view: RecurrenceView) -> study.Steps:
    """The steps that a view shows now."""
    return view.steps[view.sentence][view.score]


def view_picture(view: RecurrenceView, dark: bool = False) -> theme.Svg:
    """What a view shows now: one step's scores, weights and context, and the alignment matrix beside it."""
    look, steps = theme.DARK if dark else theme.LIGHT, shown_steps(view)
    step, S, T = min(view.step, len(steps.queries) - 1), len(steps.keys), len(steps.queries)
    named = dict(font_size=13, fill=look["ink"])
    title = f"{view.meta['title']} — {view.meta['sentences'][view.sentence]['name']}"
    drawn = [theme.element("text", theme.escaped(title), x=16, y=24, font_weight=600, **named)]
    said = f"step {step + 1} says {steps.queries[step]} ({study.NAMES[view.score]}): {steps.text}"
    drawn.append(theme.element("text", theme.escaped(said), x=16, y=46, **named))
    drawn += step_rows(steps, step, look, 16, 84)
    if view.score != "fixed":
        drawn.append(theme.heat(steps.weights, steps.queries, steps.keys, [], look, dark, 640, 160, 22))
    width, height = 640 + 22 * S + 90, max(110 + 22 * S, 190 + 22 * T)
    return theme.page(drawn, width, height, view.meta["shows"], f"{title}; {said}. Rows are queries, sum to 1.", look)


def step_rows(steps: study.Steps, step: int, look: dict, x: float, y: float) -> list[str]:
    """A line for each source word: score and weight as bars with their numbers."""
    text = dict(font_size=12, fill=look["ink"])
    heads = ((150, "e: score"), (330, "α: weight")) if steps.score != "fixed" else ((150, "no scores, no weights"),)
    drawn = [theme.element("text", head, x=x + place, y=y, fill=look["quiet"], font_size=12) for place, head in heads]
    for j, key in enumerate(steps.keys):
        below = y + 22 * (j + 1)
        place = dict(x=x + 120, y=below, text_anchor="end", font_family=theme.MONO, font_size=12, fill=look["key"])
        drawn.append(theme.element("text", theme.label(key), **place))
        if steps.score == "fixed":
            continue
        score, weight = steps.scores[step, j].item(), steps.weights[step, j].item()
        drawn.append(theme.element("text", theme.three_digits(score), x=x + 200, y=below, text_anchor="end", **text))
        drawn.append(theme.element("text", f"{weight:.3f}", x=x + 370, y=below, text_anchor="end", **text))
        bar = dict(x=x + 384, y=below - 10, width=max(160 * weight, 0.5), height=11, fill=look["value"])
        drawn.append(theme.element("rect", **bar))
    return drawn


def maps_picture(
    maps: Sequence[tuple[str, Any, Sequence[str], Sequence[str]]], shows: str, dark: bool = False, cell: float = 17
) -> theme.Svg:
    """Alignment matrices side by side, each (title, weights (T, S), query tokens, key tokens)."""
    if not maps:
        raise ValueError("There are no maps to draw; give at least one (title, weights, queries, keys).")
    look, drawn, x = theme.DARK if dark else theme.LIGHT, list[str](), 16.0
    top = 46 + max(5.2 * theme.longest(keys) for _, _, _, keys in maps) + 10
    for title, weights, queries, keys in maps:
        left = x + 7.2 * theme.longest(queries) + 8
        drawn.append(theme.element("text", theme.escaped(title), x=x, y=24, font_weight=600, fill=look["ink"]))
        drawn.append(theme.heat(torch.as_tensor(weights), queries, keys, [], look, dark, left, top, cell))
        x = max(left + cell * len(keys) + 44, x + 7.5 * min(len(title), 160) + 20)
    height = top + cell * max(len(queries) for _, _, queries, _ in maps) + 34
    said = "; ".join(title for title, *_ in maps) + ". Rows are queries, columns are keys, rows sum to 1."
    return theme.page(drawn, x, height, shows, said, look)


# ─── What was trained and measured ───────────────────────────────────────────────────────────────────────────────────


LOOKS = {
    "GRU, one vector": ("#D55E00", "solid"), "LSTM, one vector": ("#D55E00", "dash"),
    "GRU, additive": ("#0072B2", "solid"), "LSTM, additive": ("#0072B2", "dash"),
    "GRU, dot": ("#56B4E9", "solid"), "LSTM, dot": ("#56B4E9", "dash"), "Transformer": ("#009E73", "solid"),
}  # fmt: skip


def drawn_as(kind: str, x: Sequence[float], rows: Sequence[Sequence[float]]) -> theme.Curve:
    """A kind's curve: the mean over its runs, with the lowest and highest of them as a band where there are several."""
    colour, dash = LOOKS[kind]
    columns = [*zip(*rows, strict=True)]
    ends: dict[str, Any] = dict(low=[min(c) for c in columns], high=[max(c) for c in columns]) if len(rows) > 1 else {}
    return theme.Curve(kind, list(x), [mean(c) for c in columns], colour=colour, dash=dash, **ends)


BINS = ((4, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16), (17, 18), (19, 21))


def length_chart(reverse: dict[str, Any], grammar: dict[str, Any]) -> theme.Chart:
    """How many come out whole, against the length of the source: symbols said backwards, and sentences."""
    lengths = list(range(1, reverse["tested"] + 1))
    symbols = [drawn_as(kind, lengths, [run["exact"] for run in runs]) for kind, runs in study.of_kind(reverse).items()]
    middle = [(low + high) / 2 for low, high in BINS]
    sentences = [
        drawn_as(kind, middle, [study.exact_by_length(run, BINS) for run in runs])
        for kind, runs in study.of_kind(grammar).items()
    ]
    marks = [(reverse["trained"], "")]
    panels = [
        theme.Panel(symbols, "said backwards, by symbols", "", "share without a mistake", y_range=(0, 1), marks=marks),
        theme.Panel(sentences, "translated, by English words", "", "share right to the letter", y_range=(0, 1)),
    ]
    return theme.chart(panels, "trained, equal sizes", height=420)


def alignment_chart(found: dict[str, Any]) -> theme.Chart:
    """Alignment error of each attention, read naively and shifted, bars with the lowest and highest run."""
    runs = {kind: some for kind, some in study.of_kind(found).items() if "naive" in some[0]}
    curves = []
    for reading, colour in (("naive", "#0072B2"), ("shifted", "#E69F00")):
        rows = [[run[reading] for run in some] for some in runs.values()]
        several = any(len(row) > 1 for row in rows)
        ends: dict[str, Any] = dict(low=[*map(min, rows)], high=[*map(max, rows)]) if several else {}
        curves.append(theme.Curve(reading, list(runs), [mean(row) for row in rows], kind="bars", colour=colour, **ends))
    title = "Alignment error on the grammar (lower is better)"
    return theme.chart(theme.Panel(curves, title, "", "AER", y_range=(0, 1)), "trained, equal sizes")


def layers_chart(found: dict[str, Any]) -> theme.Chart:
    """Of the shipped model's layers, the lowest alignment error of any head, both readings."""
    layers = list(range(1, len(found["naive"]) + 1))
    curves = [
        theme.Curve(f"best head, {reading}", layers, [min(row) for row in found[reading]], kind="points", colour=colour)
        for reading, colour in (("naive", "#0072B2"), ("shifted", "#E69F00"))
    ]
    flat = theme.Curve(
        "the diagonal, no model", layers, [found["diagonal"]] * len(layers), colour=theme.GREY, dash="dash"
    )
    panel = theme.Panel([*curves, flat], "Cross-attention against gold links", "decoder layer", "AER", y_range=(0, 1))
    return theme.chart(panel, f"trained: {found['model']}")


def per_token_chart(times: Mapping[str, Mapping[int, float]], width: int) -> theme.Chart:
    """Microseconds a word, from milliseconds of whole sequences by their length: {layer: {n: ms}}."""
    curves = [
        theme.Curve(name, list(ms), [float(f"{1000 * time / n:.3g}") for n, time in ms.items()], kind="points")
        for name, ms in times.items()
    ]
    panel = theme.Panel(curves, f"time for each word, width {width}", "words n", "µs a word", log_x=True, log_y=True)
    return theme.chart(panel, "measured: untrained layers")


def speed_chart(found: dict[str, Any]) -> theme.Chart:
    """Steps of training per second, as many tokens each, against the length of the sentences; and what must wait."""
    lengths, runs = found["lengths"], study.of_kind(found)
    rates = [drawn_as(kind, lengths, [[1 / t for t in run["seconds"]] for run in some]) for kind, some in runs.items()]
    chains = [drawn_as(kind, lengths, [r["chain"] for r in some]) for kind, some in runs.items() if some[0]["chain"]]
    panels = [
        theme.Panel(rates, f"steps of {found['tokens']} tokens, by length", "", "steps per second", log_x=True),
        theme.Panel(chains, "products that wait, by length", "", "longest chain", log_x=True, log_y=True),
    ]
    return theme.chart(panels, "untrained, equal sizes", height=400)
