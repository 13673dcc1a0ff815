"""Context-aware self-attention under the reader's hands: the gate by hand, and the contexts drawn.

`explore_gate` mixes queries and keys with their context under the reader's λ, in the page; `context_view` draws what
each kind of context is made of; the charts hold our runs against what is printed. The numbers: studies/context.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

import transformer_core as tc
from studies import context as study
from studies.statistics import Spread
from viz import theme
from viz.canvas import Canvas, OneOf, PlaceIn, floats, script, trait
from viz.controls import Explorer
from viz.theme import Chart, Curve, Panel, chart

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class GateView(Canvas):
    """Queries and keys mixed with their context under λ, which the reader may set; then scores, softmax, a row.

    data: float32, for each sentence and layer: Q, C·U_Q, K, C·U_K (H, n, K), then λ_Q and λ_K (n, G) of the model.
    """

    _esm = script("gate.js")
    data = trait(b"")
    sentence = PlaceIn("n_sentences", "which of meta['sentences']")
    layer = PlaceIn("n_layers")
    head = PlaceIn("n_heads")
    query = PlaceIn("n", "the word whose row is shown")
    key = PlaceIn("n", "the word whose key is shown")
    gate_q = trait(-1.0, "λ of all queries; below 0: the model's", min=-1.0, max=1.0)
    gate_k = trait(-1.0, "λ of all keys; below 0: the model's", min=-1.0, max=1.0)


class ContextView(Canvas):
    """Which vectors of which layers a word's context is made of, how wide it is and what it adds in parameters.

    meta["encoder"] and meta["decoder"] hold tokens and which of them are real (1) or padding (0).
    """

    _esm = script("context.js")
    kinds = trait(["deep-global"], of=OneOf(["global", "deep", "deep-global"]), minlen=1)
    layer = PlaceIn("n_layers", "from 0", 2)
    side = OneOf(["encoder", "decoder", "both"])
    word = trait(0, "whose context is drawn", min=0)
    d_model = OneOf([512, 1024])


MOST_SHOWN = 64


# ─── The gate by hand ────────────────────────────────────────────────────────────────────────────────────────────────


def gate_contents(found: study.Vectors, shows: str, version: int = 0) -> dict[str, Any]:
    """The traits of a GateView that shows these vectors."""
    mixed, gates = found.mixed, found.gates
    if (
        mixed.dim() != 6
        or mixed.size(2) != 4
        or gates.shape[:4] != (*mixed.shape[:2], 2, mixed.size(4))
        or not mixed.numel()
    ):
        raise ValueError(
            f"mixed has shape {tuple(mixed.shape)} and gates {tuple(gates.shape)}; pass (N, L, 4, H, n, K) and "
            "(N, L, 2, n, G) of the same N, L and n, none of them empty."
        )
    n_sentences, n_layers, _, n_heads, n, d_k = mixed.shape
    if [len(tokens) for tokens in found.tokens] != [n] * n_sentences or gates.size(-1) not in (1, n_heads):
        given = f"There are sentences of {[len(tokens) for tokens in found.tokens]} tokens and {gates.size(-1)} gates"
        raise ValueError(f"{given}; {n_sentences} sentences of {n} tokens need as many, and 1 gate or {n_heads}.")
    if n > MOST_SHOWN:
        raise ValueError(f"These sentences have {n} tokens, more than the {MOST_SHOWN} shown; pass shorter ones.")
    whole = zip(found.names, found.texts, found.tokens, strict=True)
    meta = {
        "version": version, "live": False, "shows": shows, "layers": list(range(n_layers)), "has": found.has,
        "sentences": [{"name": name or text, "text": text, "tokens": tokens} for name, text, tokens in whole],
        "n_sentences": n_sentences, "n_layers": n_layers, "n_heads": n_heads, "n": n, "d_k": d_k,
        "n_gates": gates.size(-1),
    }  # fmt: skip
    return {"meta": meta, "data": floats(torch.cat([mixed.flatten(2), gates.flatten(2)], -1))}


def gate_view(found: study.Vectors, shows: str = "given numbers", **opens_with: Any) -> GateView:
    """The gate by hand over given vectors; opens_with: traits such as layer=1, query=2, gate_q=0.5."""
    view = GateView(**gate_contents(found, shows), **opens_with)
    view.picture = lambda: gate_picture(found, view)
    return view


class GateExplorer(Explorer):
    """A sentence box above the gate: `.reading` has the vectors, `.view` what is shown."""

    def read(self, text: str) -> study.Vectors:
        return study.read(self.translator, text)

    def first_view(self, **opens_with: Any) -> GateView:
        view = GateView(**self.contents(), **opens_with)
        view.picture = lambda: gate_picture(self.reading, view)
        return view

    def contents(self) -> dict[str, Any]:
        return gate_contents(self.reading, f"trained: {self.translator.name}", self.version)

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        """The first sentence, and the places of the old one as far as the new one has them."""
        ends = {"sentence": 0, "query": contents["meta"]["n"] - 1, "key": contents["meta"]["n"] - 1}
        return {name: min(getattr(self.view, name), end) for name, end in ends.items()}

    def told(self) -> str:
        n = len(self.reading.texts)
        more = f"{n} sentences that differ in one word" if n > 1 else "write old|young for two sentences in one"
        return f"{self.reading.mixed.size(4)} tokens; {more}"


def explore_gate(translator: tc.Translator, text: str, **opens_with: Any) -> GateExplorer:
    """Type a sentence: what the gates of a context-aware model mix, layer by layer, with λ in the reader's hand.

    A word written as old|young gives two sentences to change between. opens_with: traits, such as layer=0, query=2.
    """
    if not any(study.gate_probes(translator.model, layer) for layer in range(translator.model.config.n_layers)):
        raise ValueError(f"{translator.name} has no context in its encoder; load a model trained with context.")
    return GateExplorer(translator, text, **opens_with)


def gate_picture(found: study.Vectors, view: GateView, dark: bool = False) -> theme.Svg:
    """The query's row of weights with λ = 0, as the model has it and with λ = 1, for pages without JavaScript."""
    look, tokens = theme.DARK if dark else theme.LIGHT, found.tokens[view.sentence]
    vectors, gates = found.mixed[view.sentence, view.layer, :, view.head], found.gates[view.sentence, view.layer]
    gates = gates[..., view.head % gates.size(-1)]
    lines = {"λ = 0: the words alone": 0.0, "λ as the model has it": None, "λ = 1: the context alone": 1.0}
    wide = max(54.0, 9.0 * theme.longest(tokens) + 10)
    title = f"where “{tokens[view.query]}” reads, layer {view.layer}, head {view.head}"
    means = [theme.three_digits(gate.item()) for gate in (gates[0, view.query], gates[1].mean())]
    own = f"λ of this query {means[0]}, of all keys {means[1]} on average"
    drawn = [_text(title, 16, 24, look["ink"], font_size=15), _text(own, 16, 43, look["quiet"], font_size=11)]
    rows = {
        name: study.mixed_attention(vectors, gates, hand, hand)[1][view.query].tolist() for name, hand in lines.items()
    }
    unit = 62 / max(max(weights) for weights in rows.values())
    for place, (name, weights) in enumerate(rows.items()):
        base = 154.0 + 122 * place
        drawn.append(_text(name, 16, base - 80, look["query"], font_weight=600))
        for j, weight in enumerate(weights):
            x, tall = 20 + wide * j, max(unit * weight, 0.5)
            drawn.append(theme.element("rect", x=x, y=base - tall, width=wide - 10, height=tall, fill=look["key"]))
            drawn.append(_text(f"{weight:.2f}", x, base - tall - 3, look["ink"], font_size=10))
            drawn.append(_text(tokens[j], x, base + 14, look["key"], font_family=theme.MONO, font_size=12))
    said = f"{title}. {own}. " + "; ".join(
        f"{name}: " + ", ".join(f"{token} {weight:.2f}" for token, weight in zip(tokens, weights, strict=True))
        for name, weights in rows.items()
    )
    return theme.page(drawn, max(560.0, 40 + wide * len(tokens)), 446, view.meta["shows"], said, look, font_size=12)


def _text(words: str, x: float, y: float, colour: str, **look: Any) -> str:
    written = theme.label if look.get("font_family") == theme.MONO else theme.escaped  # a token, or a sentence
    return theme.element("text", written(words), x=x, y=y, fill=colour, **look)


# ─── What a context is made of ───────────────────────────────────────────────────────────────────────────────────────


def context_view(
    encoder: Sequence[str], decoder: Sequence[str], n_pad: int = 0, n_layers: int = 6, **opens_with: Any
) -> ContextView:
    """What a context is made of, over the words of a source (the last n_pad of them padding) and of a target."""
    if not encoder or not decoder or not 0 <= n_pad < len(encoder):
        given = f"There are {len(encoder)} source words, {n_pad} of them padding, and {len(decoder)} target words"
        raise ValueError(f"{given}; give at least one real word of each.")
    real = [int(j < len(encoder) - n_pad) for j in range(len(encoder))]
    meta = {
        "version": 0, "live": False, "title": "What a context is made of", "n_layers": n_layers,
        "shows": "drawn from the definitions", "printed": study.printed_sums(),
        "encoder": {"tokens": list(encoder), "real": real},
        "decoder": {"tokens": list(decoder), "real": [1] * len(decoder)},
    }  # fmt: skip
    view = ContextView(meta=meta, **opens_with)
    view.picture = lambda: context_picture(view)
    return view


def context_picture(view: ContextView, dark: bool = False) -> theme.Svg:
    """The same as a picture: rows are layers, columns words; coloured: read by the context of the word in bold."""
    look, causal = theme.DARK if dark else theme.LIGHT, view.side == "decoder"
    words, n_layers = view.meta["decoder" if causal else "encoder"], view.meta["n_layers"]
    tokens, real = words["tokens"], words["real"]
    word, parts = min(view.word, len(tokens) - 1), study.segments("+".join(view.kinds), view.layer)
    reads, drawn = study.seen(real, word, causal), []
    wide = max(62.0, 7.5 * theme.longest(tokens) + 6)
    for m in range(n_layers):
        y = 44.0 + 30 * (n_layers - 1 - m)
        drawn.append(
            _text(f"H{m + 1}", 96, y + 18, look["ink"], text_anchor="end", font_weight=700 if m == view.layer else 400)
        )
        for j in range(len(tokens)):
            kinds = [part.kind for part in parts if part.layer == m and (reads[j] if part.mean else j == word)]
            box = dict(x=104.0 + wide * j, y=y, width=wide - 4, height=25.0)
            drawn += [
                theme.element(
                    "rect", fill=KIND_COLOURS[kind], **box | dict(y=y + i * 25 / len(kinds), height=25 / len(kinds))
                )
                for i, kind in enumerate(kinds)
            ]
            faint = m > view.layer or not real[j]
            drawn.append(theme.element("rect", fill="none", stroke=look["line" if faint else "quiet"], **box))
    for j, token in enumerate(tokens):
        bold = dict(font_weight=700) if j == word else {}
        drawn.append(
            _text(
                token,
                102 + wide * (j + 0.5),
                64 + 30 * n_layers,
                look["ink" if real[j] else "quiet"],
                text_anchor="middle",
                font_family=theme.MONO,
                **bold,
            )
        )
    made = ", ".join(f"mean of H{part.layer + 1}" if part.mean else f"H{part.layer + 1}" for part in parts) or "nothing"
    said = (
        f"{' + '.join(view.kinds)}, layer {view.layer}: C of “{tokens[word]}” is [{made}], {len(parts)} × d_model wide"
    )
    drawn.append(_text(said, 16, 24, look["ink"], font_size=13))
    total = max(140.0 + wide * len(tokens), 40 + 6.6 * min(len(said), 200))
    return theme.page(drawn, total, 100 + 30 * n_layers, view.meta["shows"], said, look, font_size=12)


KIND_COLOURS = {"global": theme.OKABE_ITO[3], "deep": theme.OKABE_ITO[4], "deep-global": theme.OKABE_ITO[5]}


# ─── What we found ───────────────────────────────────────────────────────────────────────────────────────────────────


def quality_chart(results: Mapping[str, Mapping[str, Any]]) -> Chart:
    """Gain in BLEU over the baseline, the paper's and ours, row by row; results: by the name of the corpus."""
    if not results:
        raise ValueError("There is no result; pass at least one, by the name of its corpus.")
    panels = []
    for corpus, result in results.items():
        rows = [row for row in study.measured_rows(result) if row != "base"]
        if not rows:
            raise ValueError(f"The result on {corpus} has no row beside base; run experiments.context longer.")
        names, printed = [NAMES.get(row, row) for row in rows], [round(study.PAPER_GAINS[row], 2) for row in rows]
        bars = [
            Curve("printed, WMT14", names, printed, kind="bars", colour=theme.GREY),
            _curve("here", names, [study.difference(result, row, "bleu") for row in rows], "bars", OURS),
        ]
        panels.append(Panel(bars, corpus, "row of the table; q, k: queries or keys alone", "BLEU above the baseline"))
    return chart(panels, "trained: small models; whiskers: lowest and highest seed", height=360)


def _curve(name: str, x: Sequence, found: Sequence[Spread], kind: str, colour: str) -> Curve:
    mean, low, high = ([round(one[i], 4) for one in found] for i in range(3))
    return Curve(name, x, mean, low, high, kind, colour)


OURS = theme.OKABE_ITO[0]
NAMES = {row.row: str(row.number) for row in study.ABLATION} | {"query only": "q", "key only": "k"}


def gate_chart(result: Mapping[str, Any], rows: Sequence[str], stack: str = "encoder") -> Chart:
    """Mean λ of every layer, queries and keys, with the spread over seeds: our own measurement on small models.

    Dotted: the same models before training.
    """
    panels = []
    for row in rows:
        found, before = (study.gates_of(result, row, stack, when) for when in ("gates", "gates_untrained"))
        curves = []
        for side, name, colour in (("q", "queries", theme.QUERY), ("k", "keys", theme.KEY)):
            if side in found:
                layers, began = list(found[side]), [round(one.mean, 4) for one in before[side].values()]
                curves.append(_curve(f"λ of {name}", layers, list(found[side].values()), "points", colour))
                curves.append(Curve(f"{name}, untrained", layers, began, colour=colour, dash="dot"))
        panels.append(Panel(curves, row.removeprefix(f"{stack} "), "layer", "mean λ", y_range=(-0.03, 1.03)))
    return chart(panels, "trained: small models, own measurement; bands: all seeds; dotted: untrained", height=320)


def speed_chart(result: Mapping[str, Any], size: str = "base") -> Chart:
    """The same as bars."""
    panels = []
    for kind in study.SPEEDS:
        found = study.shares(result, size, kind)
        names, printed = [str(row.number) for row in found], [round(study.printed_share(row, kind), 3) for row in found]
        # the fastest turns may lie beside the middle half, and a whisker has to begin at its bar
        here = [one._replace(low=min(one.low, one.mean), high=max(one.high, one.mean)) for one in found.values()]
        bars = [
            Curve("printed", names, printed, kind="bars", colour=theme.GREY),
            _curve("here, one CPU thread", names, here, "bars", OURS),
        ]
        panels.append(Panel(bars, f"{kind} speed", "row of the table", "share of the baseline's", y_range=(0, 1.25)))
    return chart(panels, "timed in the trainings" if size == "trained" else f"timed here: size {size}")
