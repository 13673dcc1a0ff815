"""Before Transformers: a recurrent translator step by step, and what alignments, lengths and time say of it.

`read` runs a trained recurrent translator on a sentence and keeps what each step had; `alignment_view` takes such
numbers, `explore_alignment` trained translators and a sentence box. Charts take what experiments/recurrence.py wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import baselines
import transformer_core as tc
from viz import theme
from viz.canvas import RecurrenceView, floats
from viz.controls import Explorer

NAMES = {"additive": "additive attention", "dot": "dot-product attention", "fixed": "one fixed vector"}
LONGEST = 24  # pieces of a typed sentence that the view has room for
MOST_TOKENS = 128  # beyond, neither rows nor cells can be read

# ─── What each step had ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Steps:
    """A sentence translated by a recurrent model, step by step; S source pieces, T target pieces, both with </s>.

    score: "additive", "dot" or "fixed". states: h_j (S, D). before: s_{i-1} (T, D). Of additive scores also
    w = W s_{i-1} (T, D), u = U h_j (S, D) and v (D,); of a fixed vector c (D,). said: each step's likeliest words, p.
    """

    score: str
    keys: Sequence[str]
    queries: Sequence[str]
    states: Tensor
    before: Tensor
    w: Tensor | None = None
    u: Tensor | None = None
    v: Tensor | None = None
    c: Tensor | None = None
    said: Sequence[Sequence[tuple[str, float]]] = ()
    text: str = ""

    def __post_init__(self) -> None:
        T, S, D = len(self.queries), len(self.keys), self.states.size(-1)
        own: dict[str, dict[str, tuple[int, ...]]] = {
            "additive": dict(w=(T, D), u=(S, D), v=(D,)),
            "fixed": dict(c=(D,)),
        }
        needed: dict[str, tuple[int, ...]] = dict(states=(S, D), before=(T, D)) | own.get(self.score, {})
        if self.score not in NAMES or not T or not S:
            raise ValueError(
                f"score is {self.score!r} with {S} keys and {T} queries; give {', '.join(NAMES)}, and words."
            )
        for name, size in needed.items():
            if (given := getattr(self, name)) is None or tuple(given.shape) != size:
                shape = None if given is None else tuple(given.shape)
                raise ValueError(f"{name} has shape {shape}, {size} is needed for {T} queries and {S} keys.")

    @property
    def scores(self) -> Tensor:
        """e_ij: (T, S); of a fixed vector none."""
        if self.score == "additive":
            assert self.w is not None and self.u is not None and self.v is not None
            return torch.tanh(self.w[:, None] + self.u) @ self.v
        return self.before @ self.states.T if self.score == "dot" else torch.zeros(len(self.queries), 0)

    @property
    def weights(self) -> Tensor:
        """α_ij: (T, S), rows sum to 1; of a fixed vector none."""
        return self.scores.softmax(-1)

    @property
    def contexts(self) -> Tensor:
        """c_i: (T, D)."""
        if self.c is not None:
            return self.c.expand(len(self.queries), -1)
        return self.weights @ self.states

    def parts(self) -> dict[str, Tensor]:
        """The numbers from which the view computes all others."""
        named = dict(states=self.states, before=self.before, w=self.w, u=self.u, v=self.v, c=self.c)
        return {name: part for name, part in named.items() if part is not None}


def read(translator: Any, text: str) -> Steps:
    """What each step of a recurrent translator has while it translates a sentence greedily."""
    model, tokenizer = translator.model, translator.tokenizer
    src = translator.source([text])
    said = tc.greedy_decode(model, src)[0].ids
    decoder, states = model.decoder[0], list[Tensor]()

    def keep(_: Any, inputs: tuple, output: tuple) -> None:
        state = inputs[1] if isinstance(inputs[1], Tensor) else inputs[1][0]
        states.append(torch.cat([state[0], output[0][0, :-1]]))  # s_{i-1} of these steps

    hook = decoder.cell.register_forward_hook(keep)
    try:
        with tc.evaluating(model):
            memory = model.encode(src)
            logits = model.decode(torch.tensor([[tc.BOS, *said[:-1]]]), memory, src != tc.PAD)[0]
            parts = inner(model, src, memory, torch.cat(states))
    finally:
        hook.remove()
    top = logits.softmax(-1).topk(3)
    rows = zip(top.values.tolist(), top.indices.tolist(), strict=True)
    likeliest = [list(zip(tokenizer.pieces(ids), shares, strict=True)) for shares, ids in rows]
    keys, queries = tokenizer.pieces(src[0].tolist()), tokenizer.pieces(said)
    about: dict[str, Any] = dict(said=likeliest, text=tokenizer.decode(said)) | parts
    return Steps(model.config.score or "fixed", keys, queries, **about)


def inner(model: Any, src: Tensor, memory: Tensor, before: Tensor) -> dict[str, Tensor]:
    """The vectors of `Steps` that the scores are made of."""
    if model.config.score is None:
        return dict(states=all_states(model, src), before=before, c=memory[0, 0])
    attention = model.decoder[0].cross_attention
    found = dict(states=memory[0], before=before)
    if model.config.score == "dot":
        return found
    return found | dict(w=attention.w(before), u=attention.u(memory[0]), v=attention.v.weight[0])


def all_states(model: Any, src: Tensor) -> Tensor:
    """What the encoder had at each word, of which a model with one fixed vector hands on only the ends: (S, D)."""
    return model.encoder(model.embed(src, "src"))[0][0]


def pieces_in(pieces: Sequence[str], phrase: str) -> list[int]:
    """Which pieces spell a phrase, where it comes first; none if it does not come.

    >>> pieces_in(["▁the", "▁str", "ay", "▁cat", "s"], "stray cat")
    [1, 2, 3]
    """
    text = "".join(pieces).replace("▁", " ")
    if (start := text.find(phrase)) < 0:
        return []
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    return [n for n, end in enumerate(ends) if end > start and end - len(pieces[n]) < start + len(phrase)]


def weight_on(translator: Any, pairs: Sequence[Any], said: str, read: str) -> list[float]:
    """What the row that begins to say a word reads of a phrase, in each pair of the grammar; the German is given."""
    found, (model, tokenizer) = [], (translator.model, translator.tokenizer)
    for pair in pairs:
        source, target = tokenizer.encode(pair.english), tokenizer.encode(pair.german)
        rows, columns = pieces_in(tokenizer.pieces(target), said), pieces_in(tokenizer.pieces(source), read)
        if not rows or not columns:
            raise ValueError(f"{said!r} is not in {pair.german!r} or {read!r} not in {pair.english!r}; give others.")
        with tc.evaluating(model), tc.record(model, "decoder.0.cross_attention.weights") as trace:
            model(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]))
        found.append(trace["decoder.0.cross_attention.weights"][0, 0, rows[0], columns].sum().item())
    return found


def rows_on(reading: dict[str, Any], phrase: str) -> list[tuple[str, float]]:
    """Of a stored reading, each piece that is said with what its row reads of a phrase of the source."""
    columns = pieces_in(reading["keys"], phrase)
    return [
        (query, sum(row[j] for j in columns)) for query, row in zip(reading["queries"], reading["weights"], strict=True)
    ]


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def packed_steps(sentences: Sequence[Mapping[str, Steps]]) -> tuple[list[dict[str, Any]], bytes]:
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
    sentences: Sequence[Mapping[str, Steps]], title: str = "", shows: str = "", names: Sequence[str] = (), **opens: Any
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
        meta=dict(sentences=told, title=title, shows=shows, names=NAMES, live=False, version=0),
        data=data, score=opens.pop("score", next(iter(sentences[0]))), **opens,
    )  # fmt: skip
    view.steps = list(sentences)
    view.picture = lambda: view_picture(view)
    return view


def shipped() -> dict[str, tc.Translator]:
    """The three trained translators of checkpoints/grammar-gru, by how they score."""
    shelf = Path(baselines.__file__).resolve().parent / "checkpoints" / "grammar-gru"
    return {kind: baselines.load_recurrent(shelf / kind) for kind in NAMES}


class AlignmentExplorer(Explorer):
    """A sentence box over the view: each model translates what is typed, and its steps are shown."""

    def __init__(self, translators: Mapping[str, Any], texts: Sequence[str], shows: str) -> None:
        self.translators, self.texts = dict(translators), list(texts)
        self.known = {text: self.steps(text) for text in texts}
        first = [self.known[text] for text in texts]
        view = alignment_view(first, "What does the decoder read when it says a word?", shows, texts)
        super().__init__(view, texts[0], self.respond)

    def steps(self, text: str) -> dict[str, Steps]:
        return {name: read(translator, text) for name, translator in self.translators.items()}

    def respond(self, text: str) -> str:
        """Show this sentence; those that were there at first stay in the list."""
        text = tc.clean(text)
        if not text:
            raise ValueError("There is no word to translate; type an English sentence.")
        any_one = next(iter(self.translators.values()))
        if (n := len(any_one.tokenizer.encode(text))) >= LONGEST:
            raise ValueError(f"These are {n} pieces; the view has room for {LONGEST - 1}, so type a shorter sentence.")
        found = self.known.get(text) or self.steps(text)
        shown = self.known if text in self.known else {text: found} | self.known
        view = self.view
        told, data = packed_steps([*shown.values()])
        for one, name in zip(told, shown, strict=True):
            one["name"] = name
        meta = view.meta | dict(sentences=told, version=view.meta["version"] + 1)
        with view.hold_sync():
            view.data, view.meta = data, meta
            view.sentence, view.step, view.place = list(shown).index(text), 0, -1
        view.steps = [*shown.values()]
        return " · ".join(f"{NAMES[name]}: {steps.text}" for name, steps in found.items())


def explore_alignment(
    translators: Mapping[str, Any], texts: Sequence[str], shows: str = "trained"
) -> AlignmentExplorer:
    """A sentence box and the view; translators: recurrent ones by how they score, "additive", "dot" and "fixed"."""
    if not translators or not texts:
        raise ValueError(f"There are {len(translators)} translators and {len(texts)} texts; give at least one of each.")
    return AlignmentExplorer(translators, texts, shows)


# ─── Still pictures ──────────────────────────────────────────────────────────────────────────────────────────────────


def shown_steps(view: RecurrenceView) -> Steps:
    """The steps that a view shows now."""
    return view.steps[view.sentence][view.score]


def view_picture(view: RecurrenceView, dark: bool = False) -> theme.Svg:
    """What a view shows now: one step's scores, weights and context, and the alignment matrix beside it."""
    look, steps = theme.DARK if dark else theme.LIGHT, shown_steps(view)
    step, S, T = min(view.step, len(steps.queries) - 1), len(steps.keys), len(steps.queries)
    named = dict(font_size=13, fill=look["ink"])
    title = f"{view.meta['title']} — {view.meta['sentences'][view.sentence]['name']}"
    drawn = [theme.element("text", theme.escaped(title), x=16, y=24, font_weight=600, **named)]
    said = f"step {step + 1} says {steps.queries[step]} ({NAMES[view.score]}): {steps.text}"
    drawn.append(theme.element("text", theme.escaped(said), x=16, y=46, **named))
    drawn += step_rows(steps, step, look, 16, 84)
    if view.score != "fixed":
        drawn.append(theme.heat(steps.weights, steps.queries, steps.keys, [], look, dark, 640, 160, 22))
    width, height = 640 + 22 * S + 90, max(110 + 22 * S, 190 + 22 * T)
    return theme.page(drawn, width, height, view.meta["shows"], f"{title}; {said}. Rows are queries, sum to 1.", look)


def step_rows(steps: Steps, step: int, look: dict, x: float, y: float) -> list[str]:
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

stored = theme.stored
LOOKS = {
    "GRU, one vector": ("#D55E00", "solid"), "LSTM, one vector": ("#D55E00", "dash"),
    "GRU, additive": ("#0072B2", "solid"), "LSTM, additive": ("#0072B2", "dash"),
    "GRU, dot": ("#56B4E9", "solid"), "LSTM, dot": ("#56B4E9", "dash"), "Transformer": ("#009E73", "solid"),
}  # fmt: skip


def of_kind(found: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The runs of a result, by kind of model in the order of LOOKS."""
    kinds = {run["kind"] for run in found["runs"]}
    return {kind: [run for run in found["runs"] if run["kind"] == kind] for kind in LOOKS if kind in kinds}


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def drawn_as(kind: str, x: Sequence[float], rows: Sequence[Sequence[float]]) -> theme.Curve:
    """A kind's curve: the mean over its runs, with the lowest and highest of them as a band where there are several."""
    colour, dash = LOOKS[kind]
    columns = [*zip(*rows, strict=True)]
    ends: dict[str, Any] = dict(low=[min(c) for c in columns], high=[max(c) for c in columns]) if len(rows) > 1 else {}
    return theme.Curve(kind, list(x), [mean(c) for c in columns], colour=colour, dash=dash, **ends)


def length_bins(run: dict[str, Any], bins: Sequence[tuple[int, int]]) -> list[float]:
    """Of one run, the share of sentences right to the letter among those of each range of lengths, ends included."""
    shares = []
    for low, high in bins:
        rows = [row for row in run["lengths"] if low <= row["length"] <= high]
        if not rows:
            raise ValueError(f"No sentence has {low} to {high} words; the lengths are those of run['lengths'].")
        shares.append(sum(row["exact"] for row in rows) / sum(row["sentences"] for row in rows))
    return shares


BINS = ((4, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16), (17, 18), (19, 21))


def length_chart(reverse: dict[str, Any], grammar: dict[str, Any]) -> theme.Chart:
    """How many come out whole, against the length of the source: symbols said backwards, and sentences."""
    lengths = list(range(1, reverse["tested"] + 1))
    symbols = [drawn_as(kind, lengths, [run["exact"] for run in runs]) for kind, runs in of_kind(reverse).items()]
    middle = [(low + high) / 2 for low, high in BINS]
    sentences = [
        drawn_as(kind, middle, [length_bins(run, BINS) for run in runs]) for kind, runs in of_kind(grammar).items()
    ]
    marks = [(reverse["trained"], "")]
    panels = [
        theme.Panel(symbols, "said backwards, by symbols", "", "share without a mistake", y_range=(0, 1), marks=marks),
        theme.Panel(sentences, "translated, by English words", "", "share right to the letter", y_range=(0, 1)),
    ]
    return theme.chart(panels, "trained, equal sizes", height=420)


def alignment_chart(found: dict[str, Any]) -> theme.Chart:
    """Alignment error of each attention, read naively and shifted, bars with the lowest and highest run."""
    runs = {kind: some for kind, some in of_kind(found).items() if "naive" in some[0]}
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
    lengths, runs = found["lengths"], of_kind(found)
    rates = [drawn_as(kind, lengths, [[1 / t for t in run["seconds"]] for run in some]) for kind, some in runs.items()]
    chains = [drawn_as(kind, lengths, [r["chain"] for r in some]) for kind, some in runs.items() if some[0]["chain"]]
    panels = [
        theme.Panel(rates, f"steps of {found['tokens']} tokens, by length", "", "steps per second", log_x=True),
        theme.Panel(chains, "products that wait, by length", "", "longest chain", log_x=True, log_y=True),
    ]
    return theme.chart(panels, "untrained, equal sizes", height=400)
