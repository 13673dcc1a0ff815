"""Context-aware self-attention (Yang et al., 2019): the gate by hand, the contexts drawn, printed tables, our runs.

`explore_gate` mixes queries and keys with their context under the reader's λ, in the page; `context_view` draws what
each kind of context is made of; the tables are those of the Korean slides, with the sums that check them.
"""

from __future__ import annotations

import contextlib
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from viz import theme
from viz.canvas import ContextView, GateView, floats
from viz.controls import Explorer
from viz.theme import Chart, Curve, Panel, chart

MOST_TOKENS, MOST_SENTENCES, MOST_SHOWN = 24, 6, 64
KINDS = ("global", "deep", "deep-global")
SIDES = ("q", "k")

# ─── What the gate mixes ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Vectors:
    """Queries and keys of an encoder before the gate mixes them, for sentences that differ in one word.

    mixed (N, L, 4, H, n, K): Q, C·U_Q, K, C·U_K of N sentences in L layers; gates (N, L, 2, n, G): the model's λ_Q and
    λ_K, 0 where a layer has no context; has: for each layer, which of "q" and "k" have context.
    """

    mixed: Tensor
    gates: Tensor
    tokens: list[list[str]]
    names: list[str]
    texts: list[str]
    has: list[dict[str, bool]]


def alternatives(text: str) -> list[tuple[str, str]]:
    """A sentence with a|b in one place as (the word, the sentence) for each; without, the sentence alone.

    >>> alternatives("It was old|young.")
    [('old', 'It was old.'), ('young', 'It was young.')]
    """
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"text is {text!r}; type a sentence of at least one word.")
    words = text.split()
    places = [i for i, word in enumerate(words) if "|" in word]
    if not places:
        return [("", " ".join(words))]
    at = places[0]
    stem = words[at].rstrip(".,;:!?")
    choices, ending = stem.split("|"), words[at][len(stem) :]
    if len(places) > 1 or not all(choices) or len(choices) > MOST_SENTENCES:
        raise ValueError(f"{text!r} should have one word with 2 to {MOST_SENTENCES} alternatives, such as old|young.")
    return [(choice, " ".join([*words[:at], choice + ending, *words[at + 1 :]])) for choice in choices]


def gate_probes(model: tc.Transformer, layer: int) -> dict[str, str]:
    """The names of the gates λ of an encoder layer, by side; a side without context has none."""
    begins = f"encoder.{layer}.self_attention."
    found = [name for name in tc.probes(model) if name.startswith(begins) and name.endswith(".gate")]
    return {side: name for side in SIDES for name in found if name.endswith(f"_{side}.gate")}


def ungated(model: tc.Transformer, src: Tensor) -> tuple[Tensor, Tensor, list[dict[str, bool]]]:
    """What the gates of the encoder mix for src (1, S), and the gates: (L, 4, H, S, K), (L, 2, S, G), has."""
    layers, gates, has = [], [], []
    for layer in range(model.config.n_layers):
        names = gate_probes(model, layer)
        q, k = (f"encoder.{layer}.self_attention.{side}" for side in SIDES)
        ends = [_with_gates(model, src, names, value) for value in (0.0, 1.0)]
        alone, context = ends
        parts = [alone[q], context[q], alone[k], context[k]]
        none = torch.zeros(1, src.size(1), 1)
        layers.append(torch.stack([part[0] for part in parts]))
        gates.append([alone["own"].get(side, none)[0] for side in SIDES])
        has.append({side: side in names for side in SIDES})
    n_gates = max(gate.size(-1) for pair in gates for gate in pair)
    whole = [torch.stack([gate.expand(-1, n_gates) for gate in pair]) for pair in gates]
    return torch.stack(layers), torch.stack(whole), has


def _with_gates(model: tc.Transformer, src: Tensor, names: Mapping[str, str], value: float) -> dict[str, Any]:
    """The encoder's probes with these gates set to a value; "own": what the model had there."""
    own: dict[str, Tensor] = {}

    def edit(side: str) -> Any:
        def noted(gate: Tensor) -> Tensor:
            own[side] = gate
            return torch.full_like(gate, value)

        return noted

    with contextlib.ExitStack() as inside:
        inside.enter_context(tc.evaluating(model))
        for side, name in names.items():
            inside.enter_context(tc.intervene(model, name, edit(side)))
        trace = inside.enter_context(tc.record(model, "encoder.*.self_attention.[qk]"))
        model.encode(src)
    return {**trace, "own": own}


def read(translator: tc.Translator, text: str) -> Vectors:
    """What the gates mix in a sentence, or in each of those that `alternatives` finds in it."""
    choices = alternatives(text)
    sources = [translator.source([sentence]) for _, sentence in choices]
    lengths = [src.size(1) for src in sources]
    if max(lengths) > MOST_TOKENS:
        raise ValueError(
            f"This sentence has {max(lengths)} tokens, more than the {MOST_TOKENS} shown; try a shorter one."
        )
    if len(set(lengths)) > 1:
        said = ", ".join(f"{word} {n}" for (word, _), n in zip(choices, lengths, strict=True))
        raise ValueError(
            f"The sentences have different numbers of tokens ({said}); try other words, of one token each."
        )
    found = [ungated(translator.model, src) for src in sources]
    pieces = [translator.tokenizer.pieces(src[0].tolist()) for src in sources]
    mixed, gates = (torch.stack([one[i] for one in found]) for i in (0, 1))  # type: ignore[misc]
    names, texts = ([pair[i] for pair in choices] for i in (0, 1))
    return Vectors(mixed, gates, pieces, names, texts, found[0][2])


def mixed_attention(
    vectors: Any, gates: Any, gate_q: float | None = None, gate_k: float | None = None
) -> tuple[Tensor, Tensor]:
    """Scores and weights (n, n) of a head from what its gate mixes: vectors (4, n, K), gates (2, n), or λ by hand."""
    q, context_q, k, context_k = torch.as_tensor(vectors)
    by_hand = [gate if hand is None else torch.full_like(gate, hand)
               for gate, hand in zip(torch.as_tensor(gates), (gate_q, gate_k), strict=True)]  # fmt: skip
    queries, keys = (torch.lerp(own, context, gate[:, None])
                     for own, context, gate in ((q, context_q, by_hand[0]), (k, context_k, by_hand[1])))  # fmt: skip
    scores = tc.attention_scores(queries, keys)
    return scores, tc.attention_weights(scores)


def pair_scores(translator: tc.Translator, text: str, query: int, key: int) -> dict[str, Tensor]:
    """The score of a pair in the first layer, for each sentence and head: (N, H), λ 0 ("without"), 0.5, own.

    own: λ as the model has it.
    """
    found = read(translator, text)
    n_heads, n = found.mixed.shape[3:5]
    if not (0 <= query < n and 0 <= key < n):
        raise ValueError(f"query is {query} and key {key}, but the sentence has {n} tokens; choose from 0 to {n - 1}.")
    by_name = {}
    for name, hand in {"without": 0.0, "half": 0.5, "own": None}.items():
        rows = [
            [
                mixed_attention(one[:, head], gate[..., head % gate.size(-1)], hand, hand)[0][query, key]
                for head in range(n_heads)
            ]
            for one, gate in zip(found.mixed[:, 0], found.gates[:, 0], strict=True)
        ]
        by_name[name] = torch.tensor(rows)
    return by_name


# ─── The gate by hand ────────────────────────────────────────────────────────────────────────────────────────────────


def gate_contents(found: Vectors, shows: str, version: int = 0) -> dict[str, Any]:
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


def gate_view(found: Vectors, shows: str = "given numbers", **opens_with: Any) -> GateView:
    """The gate by hand over given vectors; opens_with: traits such as layer=1, query=2, gate_q=0.5."""
    view = GateView(**gate_contents(found, shows), **opens_with)
    view.picture = lambda: gate_picture(found, view)
    return view


class GateExplorer(Explorer):
    """A sentence box above the gate: `.found` has the vectors, `.view` what is shown."""

    def __init__(self, translator: tc.Translator, text: str, **opens_with: Any) -> None:
        self.translator, self.version = translator, 0
        self.found, self.shown = read(translator, text), text
        view = GateView(**gate_contents(self.found, self.shows), **opens_with)
        view.picture = lambda: gate_picture(self.found, view)
        super().__init__(view, text, self.respond)

    @property
    def shows(self) -> str:
        return f"trained: {self.translator.name}"

    def respond(self, text: str) -> str:
        """Show another sentence."""
        if text != self.shown:
            self.found, self.shown, self.version = read(self.translator, text), text, self.version + 1
            with self.view.hold_sync():
                contents = gate_contents(self.found, self.shows, self.version)
                n = contents["meta"]["n"]
                for name, last in (("sentence", 0), ("query", n - 1), ("key", n - 1)):
                    self.view.set_trait(name, min(getattr(self.view, name), last))
                for name, value in contents.items():
                    self.view.set_trait(name, value)
        n = len(self.found.texts)
        more = f"{n} sentences that differ in one word" if n > 1 else "write old|young for two sentences in one"
        return f"{self.found.mixed.size(4)} tokens; {more}"


def explore_gate(translator: tc.Translator, text: str, **opens_with: Any) -> GateExplorer:
    """Type a sentence: what the gates of a context-aware model mix, layer by layer, with λ in the reader's hand.

    A word written as old|young gives two sentences to change between. opens_with: traits, such as layer=0, query=2.
    """
    if not any(gate_probes(translator.model, layer) for layer in range(translator.model.config.n_layers)):
        raise ValueError(f"{translator.name} has no context in its encoder; load a model trained with context.")
    return GateExplorer(translator, text, **opens_with)


def gate_picture(found: Vectors, view: GateView, dark: bool = False) -> theme.Svg:
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
    rows = {name: mixed_attention(vectors, gates, hand, hand)[1][view.query].tolist() for name, hand in lines.items()}
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


class Part(NamedTuple):
    """A piece of C, d_model wide: the mean of a layer's input, or this position's own vector in it."""

    kind: str
    layer: int  # whose input, from 0
    mean: bool


def kinds_of(context: str) -> list[str]:
    """The kinds that a configuration's context joins with "+", in the order in which they are drawn."""
    kinds = context.split("+") if isinstance(context, str) else []
    if not kinds or not set(kinds) <= set(KINDS):
        raise ValueError(f"context is {context!r}; join one or more of {', '.join(KINDS)} with +.")
    return [kind for kind in KINDS if kind in kinds]


def segments(context: str, layer: int) -> list[Part]:
    """What C holds in a layer, counted from 0.

    >>> [len(segments(context, 3)) for context in ("global", "deep", "deep-global", "deep-global+deep")]
    [1, 3, 4, 7]
    """
    made = {
        "global": [(layer, True)], "deep": [(m, False) for m in range(layer)],
        "deep-global": [(m, True) for m in range(layer + 1)],
    }  # fmt: skip
    return [Part(kind, *part) for kind in kinds_of(context) for part in made[kind]]


def seen(real: Sequence[int], position: int, causal: bool) -> list[bool]:
    """Which positions a mean reads: all that are no padding, in a decoder those up to its own."""
    return [bool(one) and (not causal or j <= position) for j, one in enumerate(real)]


def u_parameters(context: str, n_layers: int, d_model: int) -> int:
    """Parameters of U_Q and U_K of one stack, by formula: 2 d_model times the width of C, over the layers."""
    return sum(2 * d_model * d_model * len(segments(context, layer)) for layer in range(n_layers))


def counted(context: str, side: str = "encoder", d_model: int = 512, n_layers: int = 6) -> tuple[int, int]:
    """Parameters that context adds to the paper's model, counted on real modules without memory: (U, gates)."""
    plain = tc.TransformerConfig(
        vocab_size=5, n_layers=n_layers, d_model=d_model, d_ff=4 * d_model, n_heads=d_model // 64
    )
    with torch.device("meta"):
        with_context = tc.Transformer(replace(plain, context=context, context_in=side))
        more = tc.count_parameters(with_context) - tc.count_parameters(tc.Transformer(plain))
    u = sum(p.numel() for name, p in with_context.named_parameters() if name.endswith(".u.weight"))
    return u, more - u


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
        "shows": "drawn from the definitions", "printed": printed_sums(),
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
    word, parts = min(view.word, len(tokens) - 1), segments("+".join(view.kinds), view.layer)
    reads, drawn = seen(real, word, causal), []
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

# ─── What is printed ─────────────────────────────────────────────────────────────────────────────────────────────────


class Ablation(NamedTuple):
    """A row of the ablation, WMT14 English-German, each cell as printed; row: its name in experiments/context.py."""

    number: int
    side: str
    context: str
    millions: str
    train: str
    decode: str
    bleu: str
    row: str


ABLATION = (
    Ablation(1, "", "", "88.0", "1.28", "1.52", "27.31", "base"),
    Ablation(2, "encoder", "global", "91.0", "1.26", "1.50", "27.96", "encoder global"),
    Ablation(3, "encoder", "deep-global", "99.0", "1.25", "1.48", "28.15", "encoder deep-global"),
    Ablation(4, "encoder", "deep", "95.9", "1.18", "1.38", "28.01", "encoder deep"),
    Ablation(5, "encoder", "deep-global+deep", "106.9", "1.16", "1.36", "28.26", "encoder deep-global+deep"),
    Ablation(6, "decoder", "deep-global", "99.0", "1.23", "1.44", "27.94", "decoder deep-global"),
    Ablation(7, "decoder", "deep-global+deep", "106.9", "1.15", "1.35", "28.02", "decoder deep-global+deep"),
    Ablation(8, "both", "deep-global+deep", "125.8", "1.04", "1.20", "28.16", "both deep-global+deep"),
)


class System(NamedTuple):
    """A row of the main results, each cell as printed: (millions of parameters, training speed, BLEU), "" if blank."""

    name: str
    zh_en: tuple[str, str, str] = ("", "", "")
    en_de: tuple[str, str, str] = ("", "", "")
    better: str = ""  # where an arrow says "significantly better": "zh_en", "en_de" or both


MAIN_RESULTS = (
    System("Vaswani et al. (2017) base", en_de=("65", "", "27.30")),
    System("Vaswani et al. (2017) big", en_de=("213", "", "28.40")),
    System("Hassan et al. (2018) big", zh_en=("", "", "24.20")),
    System("base, theirs", ("107.9", "1.21", "24.13"), ("88.0", "1.28", "27.31")),
    System("base + context", ("126.8", "1.10", "24.67"), ("106.9", "1.16", "28.26"), "zh_en en_de"),
    System("big, theirs", ("303.9", "0.58", "24.56"), ("264.1", "0.61", "28.58")),
    System("big + context", ("379.4", "0.41", "25.15"), ("339.6", "0.44", "28.89"), "zh_en"),
)
QUERY_KEY = {"base": "25.84", "queries and keys": "26.42", "keys only": "26.36", "queries only": "26.20"}


def ablation_lines() -> list[str]:
    """The ablation as lines of text, the best BLEU marked."""
    best = max(ABLATION, key=lambda row: Decimal(row.bleu))
    lines = [f"{'#':>2} {'where':8} {'context':18}{'params':>8}{'train':>7}{'decode':>8}{'BLEU':>7}"]
    for row in ABLATION:
        named = f"{row.number:2} {row.side or '-':8} {row.context or '-':18}"
        cells = f"{row.millions + 'M':>8}{row.train:>7}{row.decode:>8}{row.bleu:>7}"
        lines.append(named + cells + " ◀ best" * (row is best))
    return lines


def main_lines() -> list[str]:
    """The main results as lines of text; ↑ as printed, ◀ the best of a column."""
    best = {pair: max(Decimal(getattr(row, pair)[2] or 0) for row in MAIN_RESULTS) for pair in ("zh_en", "en_de")}
    lines = [f"{'':27}{'ZH-EN':>8}{'train':>7}{'BLEU':>7}   {'EN-DE':>8}{'train':>7}{'BLEU':>7}"]
    for row in MAIN_RESULTS:
        line = f"{row.name:27}"
        for pair in ("zh_en", "en_de"):
            millions, train, bleu = getattr(row, pair)
            mark = ("↑" if pair in row.better.split() else " ") + ("◀" if bleu and Decimal(bleu) == best[pair] else " ")
            line += f"{millions and millions + 'M':>8}{train:>7}{bleu:>7}{mark} "
        lines.append(line.rstrip())
    return lines


@dataclass(frozen=True)
class Reading:
    """Something that the printed tables say, with its arithmetic."""

    says: str
    arithmetic: str
    holds: bool


def readings() -> list[Reading]:
    """What the tables are read as saying, from their cells."""
    row = {one.number: one for one in ABLATION}
    bleu = {n: Decimal(one.bleu) for n, one in row.items()}
    gains = {name: Decimal(value) - Decimal(QUERY_KEY["base"]) for name, value in QUERY_KEY.items()}
    system = {one.name: one for one in MAIN_RESULTS}
    zh = {name: Decimal(one.zh_en[2]) for name, one in system.items() if one.zh_en[2]}
    worst = min(list(bleu.values())[1:])
    share = {speed: float(getattr(row[5], speed)) / float(getattr(row[1], speed)) - 1 for speed in ("train", "decode")}
    cost = f"training {share['train']:.1%}, decoding {share['decode']:.1%}".replace("-", "−")
    return [
        _minus("every context is better than none", worst, bleu[1]),
        _minus("context in the encoder alone beats context on both sides", bleu[5], bleu[8]),
        _minus("the best row gains over the baseline", bleu[5], bleu[1]),
        _more("keys gain more than queries", gains["keys only"], gains["queries only"]),
        _more("both together gain more than either", gains["queries and keys"], gains["keys only"]),
        Reading("it costs about a tenth of the speed", cost, all(-0.11 < one < -0.09 for one in share.values())),
        _minus("a base model with context beats their big model in ZH-EN", zh["base + context"], zh["big, theirs"]),
        _minus("… and Hassan et al.'s big model", zh["base + context"], zh["Hassan et al. (2018) big"]),
    ]  # fmt: skip


def _more(says: str, one: Decimal, other: Decimal) -> Reading:
    return Reading(says, f"{one} > {other}", one > other)


def _minus(says: str, ours: Decimal, theirs: Decimal) -> Reading:
    return Reading(says, f"{ours} − {theirs} = {ours - theirs}".replace("-", "−"), ours > theirs)


def base_range(rows: Sequence[Ablation] = ABLATION, gates: bool = True) -> tuple[float, float]:
    """The baselines, in millions, with which each row's increment rounds to what is printed; low > high: none."""
    middles, half = [Decimal(row.millions) - _millions(row, gates) for row in rows], Decimal("0.05")
    return float(max(middles) - half), float(min(middles) + half)


def _millions(row: Ablation, gates: bool) -> Decimal:
    if not row.context:
        return Decimal(0)
    u, gate = counted(row.context, row.side)
    return Decimal(u + (gate if gates else 0)) / 10**6


def printed_sums() -> dict[str, str]:
    """For each context and size that the tables print, what is printed of its parameters, in a sentence."""
    base = Decimal(ABLATION[0].millions)
    sums = {
        f"{'+'.join(kinds_of(row.context))} 512 {'both' if row.side == 'both' else 'one'}":
            f"Printed: {row.millions}M − {base}M = {Decimal(row.millions) - base}M."
        for row in ABLATION[1:]
    }  # fmt: skip
    big, more = MAIN_RESULTS[5].en_de[0], MAIN_RESULTS[6].en_de[0]
    return sums | {"deep+deep-global 1024 one": f"Printed: {more}M − {big}M = {Decimal(more) - Decimal(big)}M."}


# ─── What we found ───────────────────────────────────────────────────────────────────────────────────────────────────


class Measured(NamedTuple):
    """A difference to the baseline over seeds: mean, lowest, highest, and how many seeds there are."""

    mean: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        ends = f" ({self.low:+.2f} to {self.high:+.2f})" if self.n > 1 else ""
        return f"{self.mean:+.2f}{ends}".replace("-", "−") if self.n else "not run"


def runs_of(result: Mapping[str, Any], row: str) -> dict[int, dict[str, Any]]:
    """The runs of a row by seed."""
    return {run["seed"]: run for run in result["runs"] if run["row"] == row}


def gaps(result: Mapping[str, Any], row: str, measure: str = "bleu", to: str = "base") -> list[float]:
    """A row's bleu less another's, or its ppl in per cent above, for each seed that both have."""
    ours, theirs = runs_of(result, row), runs_of(result, to)
    pairs = [(ours[seed][measure], theirs[seed][measure]) for seed in ours if seed in theirs]
    return [100 * (own / other - 1) if measure == "ppl" else own - other for own, other in pairs]


def difference(result: Mapping[str, Any], row: str, measure: str) -> Measured:
    """A row's bleu or ppl beside the baseline's of the same seed, as in `gaps`."""
    if not (found := gaps(result, row, measure)):
        return Measured(math.nan, math.nan, math.nan, 0)
    return Measured(statistics.mean(found), min(found), max(found), len(found))


def spread(result: Mapping[str, Any], row: str, measure: str) -> str:
    """A row's mean over seeds, with lowest and highest."""
    found = [run[measure] for run in runs_of(result, row).values()]
    if not found:
        return "not run"
    return f"{statistics.mean(found):.2f}" + (f" ({min(found):.2f}–{max(found):.2f})" if len(found) > 1 else "")


def measured_rows(result: Mapping[str, Any]) -> list[str]:
    """The rows that have runs beside the baseline's of the same seed, base first."""
    found = list(dict.fromkeys(run["row"] for run in result["runs"]))
    if "base" not in found:
        raise ValueError(
            f"The result has runs of {found or 'nothing'}, but none of base; run experiments.context longer."
        )
    return ["base", *(row for row in found if row != "base" and difference(result, row, "bleu").n)]


PAPER_GAINS = {row.row: float(Decimal(row.bleu) - Decimal(ABLATION[0].bleu)) for row in ABLATION[1:]} | {
    row: float(Decimal(QUERY_KEY[name]) - Decimal(QUERY_KEY["base"]))
    for row, name in (("query only", "queries only"), ("key only", "keys only"))
}


def result_lines(result: Mapping[str, Any]) -> list[str]:
    """Our runs beside the printed gains, as lines of text; 95 %: half the width of Student's interval of the gain."""
    lines = [f"{'row':26}{'seeds':>5}{'perplexity':>18}{'BLEU':>21}   {'gain in BLEU':24}{'95 %':>6}{'printed':>9}"]
    for row in measured_rows(result):
        runs = runs_of(result, row)
        ppl = f"{statistics.mean(run['ppl'] for run in runs.values()):.2f}"
        cells = f"{spread(result, row, 'bleu'):>21}"
        if row != "base":
            gain, ends = difference(result, row, "bleu"), theme.interval(gaps(result, row))
            ppl += f" ({difference(result, row, 'ppl').mean:+.1f} %)".replace("-", "−")
            cells += f"   {gain!s:24}{f'±{ends[1] - gain.mean:.1f}' if ends else '':>6}"
            cells += f"{PAPER_GAINS[row]:+9.2f}" if row in PAPER_GAINS else ""
        lines.append(f"{row:26}{len(runs):5}{ppl:>18}{cells}".rstrip())
    return lines


def quality_chart(results: Mapping[str, Mapping[str, Any]]) -> Chart:
    """Gain in BLEU over the baseline, the paper's and ours, row by row; results: by the name of the corpus."""
    if not results:
        raise ValueError("There is no result; pass at least one, by the name of its corpus.")
    panels = []
    for corpus, result in results.items():
        rows = [row for row in measured_rows(result) if row != "base"]
        if not rows:
            raise ValueError(f"The result on {corpus} has no row beside base; run experiments.context longer.")
        names, printed = [NAMES.get(row, row) for row in rows], [round(PAPER_GAINS[row], 2) for row in rows]
        bars = [
            Curve("printed, WMT14", names, printed, kind="bars", colour=theme.GREY),
            _curve("here", names, [difference(result, row, "bleu") for row in rows], "bars", OURS),
        ]
        panels.append(Panel(bars, corpus, "row of the table; q, k: queries or keys alone", "BLEU above the baseline"))
    return chart(panels, "trained: small models; whiskers: lowest and highest seed", height=360)


def _curve(name: str, x: Sequence, found: Sequence[Measured], kind: str, colour: str) -> Curve:
    mean, low, high = ([round(one[i], 4) for one in found] for i in range(3))
    return Curve(name, x, mean, low, high, kind, colour)


OURS = theme.OKABE_ITO[0]
NAMES = {row.row: str(row.number) for row in ABLATION} | {"query only": "q", "key only": "k"}


def gate_chart(result: Mapping[str, Any], rows: Sequence[str], stack: str = "encoder") -> Chart:
    """Mean λ of every layer, queries and keys, with the spread over seeds: our own measurement on small models.

    Dotted: the same models before training.
    """
    panels = []
    for row in rows:
        found, before = (gates_of(result, row, stack, when) for when in ("gates", "gates_untrained"))
        curves = []
        for side, name, colour in (("q", "queries", theme.QUERY), ("k", "keys", theme.KEY)):
            if side in found:
                layers, began = list(found[side]), [round(one.mean, 4) for one in before[side].values()]
                curves.append(_curve(f"λ of {name}", layers, list(found[side].values()), "points", colour))
                curves.append(Curve(f"{name}, untrained", layers, began, colour=colour, dash="dot"))
        panels.append(Panel(curves, row.removeprefix(f"{stack} "), "layer", "mean λ", y_range=(-0.03, 1.03)))
    return chart(panels, "trained: small models, own measurement; bands: all seeds; dotted: untrained", height=320)


def gates_of(
    result: Mapping[str, Any], row: str, stack: str = "encoder", when: str = "gates"
) -> dict[str, dict[int, Measured]]:
    """λ of a row by side and layer: mean, lowest and highest over the seeds; when: "gates" or "gates_untrained"."""
    runs = runs_of(result, row).values()
    found: dict[str, dict[int, Measured]] = {}
    for side in SIDES:
        lists = [run[when][f"{stack} {side}"] for run in runs if f"{stack} {side}" in run[when]]
        for layer, values in enumerate(zip(*lists, strict=True)):
            if None not in values:
                found.setdefault(side, {})[layer] = Measured(
                    statistics.mean(values), min(values), max(values), len(values)
                )
    if not found:
        rows = sorted({run["row"] for run in result["runs"]})
        raise ValueError(f"There is no λ of {row!r} in the {stack}; there are runs of {', '.join(rows)}.")
    return found


def gate_lines(result: Mapping[str, Any], rows: Sequence[str], stack: str = "encoder") -> list[str]:
    """Mean λ of every layer and its lowest and highest seed, after training and before, as lines of text."""
    n_layers = result["shape"]["n_layers"]
    lines = [" " * 27 + "".join(f"layer {layer}".rjust(15) for layer in range(n_layers))]
    for row in rows:
        found, before = (gates_of(result, row, stack, when) for when in ("gates", "gates_untrained"))
        for side in found:
            name = f"{row.removeprefix(stack + ' ')}, {'queries' if side == 'q' else 'keys'}"
            for said, of in ((name, found[side]), ("   untrained", before[side])):
                cells = (_with_ends(of[n]) if n in of else "-" for n in range(n_layers))
                lines.append(f"{said:27}{''.join(cell.rjust(15) for cell in cells)}")
    return lines


def _with_ends(one: Measured) -> str:
    return f"{one.mean:.2f}" + (f" {one.low:.2f}–{one.high:.2f}" if one.n > 1 else "")


@dataclass(frozen=True)
class Finding:
    """A reading of the paper held against our runs: by how much it holds in each seed, above 0 if it does.

    untrained: the same before training, where it is about λ.
    """

    says: str
    by: list[float]
    untrained: list[float] = field(default_factory=list)

    @property
    def verdict(self) -> str:
        """Open where Student's 95 % interval holds 0; one seed is no verdict."""
        if len(self.by) < 2:
            return "one seed" if self.by else "not run"
        low, high = theme.interval(self.by) or (0, 0)
        return "holds" if low > 0 else "the other way round" if high < 0 else "open"

    def __str__(self) -> str:
        by, untrained = ("  ".join(f"{x:+.2f}" for x in xs).replace("-", "−") for xs in (self.by, self.untrained))
        before = f"   (untrained {untrained})" if untrained else ""
        return f"{self.verdict:21}{self.says:58}{by}{before}".rstrip()


def findings(result: Mapping[str, Any]) -> list[Finding]:
    """What the paper reads out of its tables and pictures, in our runs: BLEU and λ, seed by seed."""
    best = "encoder deep-global+deep"
    rows = [row.row for row in ABLATION[1:]]
    about_gates = {
        "keys want more global context than queries (λ, row 2)": partial(_keys_more, result, "encoder global"),
        "keys want more context of both kinds (λ, row 5)": partial(_keys_more, result, best),
        "lower layers want more global context (λ, row 2)": partial(_falling, result, "encoder global"),
        "deep context changes less from layer to layer (λ, 4, 2)": partial(_steadier, result),
    }
    return [
        *(Finding(f"{row} beats the baseline (BLEU)", gaps(result, row)) for row in rows),
        Finding("the encoder alone beats both sides (BLEU)", gaps(result, best, to="both deep-global+deep")),
        Finding("keys alone beat queries alone (BLEU)", gaps(result, "key only", to="query only")),
        *(Finding(says, by("gates"), by("gates_untrained")) for says, by in about_gates.items()),
    ]


def _layers(run: Mapping[str, Any], side: str, when: str) -> list[float]:
    return [gate for gate in run[when].get(f"encoder {side}", []) if gate is not None]


def _keys_more(result: Mapping[str, Any], row: str, when: str) -> list[float]:
    """Mean λ of keys less that of queries, over the layers of the encoder, for each seed."""
    runs = runs_of(result, row).values()
    return [statistics.mean(_layers(run, "k", when)) - statistics.mean(_layers(run, "q", when)) for run in runs]


def _both(run: Mapping[str, Any], when: str) -> list[float]:
    return [(q + k) / 2 for q, k in zip(_layers(run, "q", when), _layers(run, "k", when), strict=True)]


def _falling(result: Mapping[str, Any], row: str, when: str) -> list[float]:
    """Mean λ of the lower half of the layers less that of the upper half, for each seed."""
    found = [_both(run, when) for run in runs_of(result, row).values()]
    return [statistics.mean(of[: len(of) // 2]) - statistics.mean(of[-(len(of) // 2) :]) for of in found]


def _steadier(result: Mapping[str, Any], when: str) -> list[float]:
    """By how much λ spans less over the layers with deep context than with global, in those that have both; by seed."""
    deep, everywhere = runs_of(result, "encoder deep"), runs_of(result, "encoder global")
    pairs = [(_both(deep[seed], when), _both(everywhere[seed], when)) for seed in deep if seed in everywhere]
    whole = [(own, other[-len(own) :]) for own, other in pairs]  # the first layer has no deep context
    return [max(other) - min(other) - (max(own) - min(own)) for own, other in whole]


def shares(result: Mapping[str, Any], size: str, kind: str) -> dict[Ablation, Measured]:
    """Speeds of "training" or "decoding" as shares of the baseline's, of the rows timed at a size.

    The share is that of the fastest turns; low and high are the quartiles of the shares turn by turn.
    """
    rows = {run["row"]: run for run in result["runs"] if run["size"] == size}
    shown = [row for row in ABLATION if row.row in rows]
    if not shown:
        sizes = sorted({run["size"] for run in result["runs"]})
        raise ValueError(f"No speed was measured at size {size!r}; there are {sizes}.")
    found = {}
    for row in shown:
        low, _, high = rows[row.row][f"{kind}_quartiles"]
        found[row] = Measured(rows[row.row][kind], low, high, 1)
    return found


def trained_speeds(result: Mapping[str, Any]) -> dict[str, Any]:
    """Speeds out of the trainings themselves, at size "trained", as `speed_lines` reads them.

    Shares are between runs of the same seed; in the place of quartiles stand the lowest, middle and highest seed.
    """
    base, runs = runs_of(result, "base"), []
    for row in measured_rows(result):
        timed: dict[str, Any] = dict(row=row, size="trained")
        for kind, unit in (("training", "steps_per_second"), ("decoding", "sentences_per_second")):
            found = [run[unit] / base[seed][unit] for seed, run in runs_of(result, row).items() if seed in base]
            timed[kind] = statistics.median(found)
            timed[f"{kind}_quartiles"] = [min(found), timed[kind], max(found)]
        runs.append(timed)
    return {"runs": runs}


SPEEDS = {"training": "train", "decoding": "decode"}


def printed_share(row: Ablation, kind: str) -> float:
    """A printed speed as a share of the printed baseline's."""
    return float(Decimal(getattr(row, SPEEDS[kind])) / Decimal(getattr(ABLATION[0], SPEEDS[kind])))


def speed_lines(result: Mapping[str, Any], size: str = "base") -> list[str]:
    """Speeds as shares of the baseline's, printed and here: the fastest turns, in brackets the middle half of all."""
    lines = [f"{'row':26}{'training, printed':>18}{'here':>22}{'decoding, printed':>19}{'here':>22}"]
    found = {kind: shares(result, size, kind) for kind in SPEEDS}
    for row in found["training"]:
        line = f"{row.row:26}"
        for kind, wide in (("training", 18), ("decoding", 19)):
            share, low, high, _ = found[kind][row]
            line += f"{printed_share(row, kind):>{wide}.2f}{f'{share:.2f} ({low:.2f} to {high:.2f})':>22}"
        lines.append(line)
    return lines


def speed_chart(result: Mapping[str, Any], size: str = "base") -> Chart:
    """The same as bars."""
    panels = []
    for kind in SPEEDS:
        found = shares(result, size, kind)
        names, printed = [str(row.number) for row in found], [round(printed_share(row, kind), 3) for row in found]
        # the fastest turns may lie beside the middle half, and a whisker has to begin at its bar
        here = [one._replace(low=min(one.low, one.mean), high=max(one.high, one.mean)) for one in found.values()]
        bars = [
            Curve("printed", names, printed, kind="bars", colour=theme.GREY),
            _curve("here, one CPU thread", names, here, "bars", OURS),
        ]
        panels.append(Panel(bars, f"{kind} speed", "row of the table", "share of the baseline's", y_range=(0, 1.25)))
    return chart(panels, "timed in the trainings" if size == "trained" else f"timed here: size {size}")


# ─── Decoding with a running mean ────────────────────────────────────────────────────────────────────────────────────


def cached_difference(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> float:
    """The largest difference between logits decoded token by token with a cache and those of one full pass."""
    with tc.evaluating(model):
        memory, src_mask = model.encode(src), src != tc.PAD
        whole = model.decode(tgt_in, memory, src_mask)  # (1, T, V)
        cache = [(tc.KeyValues(tgt_in.size(1)), tc.KeyValues()) for _ in model.decoder]
        steps = [model.decode(tgt_in[:, t : t + 1], memory, src_mask, cache) for t in range(tgt_in.size(1))]
    return (torch.cat(steps, 1) - whole).abs().max().item()
