"""The gate by hand: the weights that a context takes part in, from none of it to all."""

from __future__ import annotations

from typing import Any

import torch

import transformer_core as tc
from studies import context as study
from viz import stills, theme
from viz.canvas import Canvas, PlaceIn, floats, script, trait
from viz.controls import Explorer
from viz.stills import Bar


class GateView(Canvas):
    """Queries and keys mixed with their context under λ, which the reader may set; then scores, softmax, a row.

    data: float32, for each sentence and layer: Q, C·U_Q, K, C·U_K (H, n, K), then λ_Q and λ_K (n, G) of the model.
    """

    _esm = script(__file__)
    data = trait(b"")
    sentence = PlaceIn("n_sentences", "which of meta['sentences']")
    layer = PlaceIn("n_layers")
    head = PlaceIn("n_heads")
    query = PlaceIn("n", "the word whose row is shown")
    key = PlaceIn("n", "the word whose key is shown")
    gate_q = trait(-1.0, "λ of all queries; below 0: the model's", min=-1.0, max=1.0)
    gate_k = trait(-1.0, "λ of all keys; below 0: the model's", min=-1.0, max=1.0)


MOST_SHOWN = 64


def gate_contents(vectors: study.Vectors, shows: str) -> dict[str, Any]:
    """The traits of a GateView that shows these vectors."""
    mixed, gates = vectors.mixed, vectors.gates
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
    if [len(tokens) for tokens in vectors.tokens] != [n] * n_sentences or gates.size(-1) not in (1, n_heads):
        message = (
            f"There are sentences of {[len(tokens) for tokens in vectors.tokens]} tokens and {gates.size(-1)} gates"
        )
        raise ValueError(f"{message}; {n_sentences} sentences of {n} tokens need as many, and 1 gate or {n_heads}.")
    if n > MOST_SHOWN:
        raise ValueError(f"These sentences have {n} tokens, more than the {MOST_SHOWN} shown; pass shorter ones.")
    whole = zip(vectors.names, vectors.texts, vectors.tokens, strict=True)
    meta = {
        "shows": shows, "layers": list(range(n_layers)), "has": vectors.has,
        "sentences": [{"name": name or text, "text": text, "tokens": tokens} for name, text, tokens in whole],
        "n_sentences": n_sentences, "n_layers": n_layers, "n_heads": n_heads, "n": n, "d_k": d_k,
        "n_gates": gates.size(-1),
    }  # fmt: skip
    return {"meta": meta, "data": floats(torch.cat([mixed.flatten(2), gates.flatten(2)], -1))}


def gate_view(vectors: study.Vectors, shows: str = "given numbers", **opens_with: Any) -> GateView:
    """The gate by hand over given vectors; opens_with: traits such as layer=1, query=2, gate_q=0.5."""
    view = GateView(**gate_contents(vectors, shows), **opens_with)
    view.picture = lambda: gate_picture(vectors, view)
    return view


class GateExplorer(Explorer):
    """A sentence box above the gate: `.reading` has the vectors, `.view` what is shown."""

    examples = (("The old|young man reads a book.", "two sentences that differ in one word"),)

    def read(self, text: str) -> study.Vectors:
        return study.read(self.translator, text)

    def first_view(self, **opens_with: Any) -> GateView:
        view = GateView(**self.contents(), **opens_with)
        view.picture = lambda: gate_picture(self.reading, view)
        return view

    def contents(self) -> dict[str, Any]:
        return gate_contents(self.reading, f"trained: {self.translator.name}")

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        """The first sentence, and the places of the old one as far as the new one has them."""
        ends = {"sentence": 0, "query": contents["meta"]["n"] - 1, "key": contents["meta"]["n"] - 1}
        return {name: min(getattr(self.view, name), end) for name, end in ends.items()}

    def known_in_page(self) -> dict[str, Any]:
        return {"most": study.MOST_TOKENS, "most_sentences": study.MOST_SENTENCES}

    @property
    def plain_text(self) -> str:
        return self.reading.texts[0]

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


def gate_picture(vectors: study.Vectors, view: GateView, dark: bool = False) -> stills.Svg:
    """The query's row of weights with λ = 0, as the model has it and with λ = 1, for pages without JavaScript."""
    tokens = vectors.tokens[view.sentence]
    mixed, gates = vectors.mixed[view.sentence, view.layer, :, view.head], vectors.gates[view.sentence, view.layer]
    gates = gates[..., view.head % gates.size(-1)]
    lines = {"λ = 0: the words alone": 0.0, "λ as the model has it": None, "λ = 1: the context alone": 1.0}
    title = f"where “{tokens[view.query]}” reads, layer {view.layer}, head {view.head}"
    means = [theme.three_digits(gate.item()) for gate in (gates[0, view.query], gates[1].mean())]
    own = f"λ of this query {means[0]}, of all keys {means[1]} on average"
    rows = {
        name: study.mixed_attention(mixed, gates, hand, hand)[1][view.query].tolist() for name, hand in lines.items()
    }
    most = max(max(weights) for weights in rows.values())
    charts = []
    for name, weights in rows.items():
        bars = [Bar(token, share, ink="key", text=f"{share:.2f}") for token, share in zip(tokens, weights, strict=True)]
        charts.append([stills.bar_chart(bars, title=name, most=most, height=62, ink="key")])
    numbers = "; ".join(
        f"{name}: " + ", ".join(f"{token} {weight:.2f}" for token, weight in zip(tokens, weights, strict=True))
        for name, weights in rows.items()
    )
    return stills.page(charts, view.meta["shows"], f"{title}. {own}. {numbers}", title=title, notes=[own], dark=dark)
