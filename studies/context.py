"""Context-aware self-attention (Yang et al., 2019): what a gate mixes, what a context is made of, the tables, our runs.

`read` holds queries and keys with and without their context, for sentences that differ in one word. The tables are
those of the Korean slides, with the sums that check them; the runs are those that experiments/context.py stored.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from functools import cache, partial
from typing import Any, NamedTuple

import torch
from torch import Tensor

import transformer_core as tc
from core_options.context_aware import ContextConfig, ContextTransformer
from studies import stored
from studies.reading import check_length, check_words
from studies.statistics import Spread, interval, mean, signed, spread

MOST_TOKENS, MOST_SENTENCES = 24, 6
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
    check_words(text)
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
    gates = [name for name in tc.probes(model) if name.startswith(begins) and name.endswith(".gate")]
    return {side: name for side in SIDES for name in gates if name.endswith(f"_{side}.gate")}


def ungated(model: tc.Transformer, src: Tensor) -> tuple[Tensor, Tensor, list[dict[str, bool]]]:
    """What the gates of the encoder mix for src (1, S), and the gates: (L, 4, H, S, K), (L, 2, S, G), has."""
    layers, gates, has = [], [], []
    for layer in range(model.config.n_layers):
        names = gate_probes(model, layer)
        q, k = (f"encoder.{layer}.self_attention.{side}" for side in SIDES)
        ends = [_with_gates(model, src, names, value) for value in (0.0, 1.0)]
        alone, context = ends
        parts = [alone[q], context[q], alone[k], context[k]]
        none = torch.zeros(1, src.size(1), 1, device=src.device)
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
    check_length(max(lengths), MOST_TOKENS)
    if len(set(lengths)) > 1:
        counts = ", ".join(f"{word} {n}" for (word, _), n in zip(choices, lengths, strict=True))
        raise ValueError(
            f"The sentences have different numbers of tokens ({counts}); try other words, of one token each."
        )
    readings = [ungated(translator.model, src) for src in sources]
    pieces = [translator.tokenizer.pieces(src[0].tolist()) for src in sources]
    mixed, gates = (torch.stack([reading[i] for reading in readings]) for i in (0, 1))  # type: ignore[misc]
    names, texts = ([pair[i] for pair in choices] for i in (0, 1))
    return Vectors(mixed, gates, pieces, names, texts, readings[0][2])


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
    vectors = read(translator, text)
    n_heads, n = vectors.mixed.shape[3:5]
    if not (0 <= query < n and 0 <= key < n):
        raise ValueError(f"query is {query} and key {key}, but the sentence has {n} tokens; choose from 0 to {n - 1}.")
    by_name = {}
    for name, hand in {"without": 0.0, "half": 0.5, "own": None}.items():
        rows = [
            [
                mixed_attention(mixed[:, head], gate[..., head % gate.size(-1)], hand, hand)[0][query, key]
                for head in range(n_heads)
            ]
            for mixed, gate in zip(vectors.mixed[:, 0], vectors.gates[:, 0], strict=True)
        ]
        by_name[name] = torch.tensor(rows)
    return by_name


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
    return [bool(is_real) and (not causal or j <= position) for j, is_real in enumerate(real)]


def u_parameters(context: str, n_layers: int, d_model: int) -> int:
    """Parameters of U_Q and U_K of one stack, by formula: 2 d_model times the width of C, over the layers."""
    return sum(2 * d_model * d_model * len(segments(context, layer)) for layer in range(n_layers))


@cache
def added_parameters(context: str, side: str = "encoder", d_model: int = 512, n_layers: int = 6) -> tuple[int, int]:
    """Parameters that context adds to the paper's model, counted on real modules without memory: (U, gates)."""
    plain = tc.TransformerConfig(
        vocab_size=5, n_layers=n_layers, d_model=d_model, d_ff=4 * d_model, n_heads=d_model // 64
    )
    with torch.device("meta"):
        with_context = ContextTransformer(ContextConfig(**asdict(plain), context=context, context_in=side))
        more = tc.count_parameters(with_context) - tc.count_parameters(tc.Transformer(plain))
    u = sum(p.numel() for name, p in with_context.named_parameters() if name.endswith(".u.weight"))
    return u, more - u


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


def ablation_rows() -> list[dict[str, Any]]:
    """The ablation as rows of a table, each cell as printed, the best BLEU marked."""
    best = max(ABLATION, key=lambda row: Decimal(row.bleu))
    return [
        {"#": row.number, "where": row.side or "-", "context": row.context or "-", "parameters": row.millions + "M"}
        | {"train": row.train, "decode": row.decode, "BLEU": row.bleu + " ◀ best" * (row is best)}
        for row in ABLATION
    ]


def main_rows() -> list[dict[str, str]]:
    """The main results as rows of a table; ↑ as printed, ◀ the best of a column."""
    pairs = {"ZH-EN": "zh_en", "EN-DE": "en_de"}
    best = {pair: max(Decimal(getattr(row, pair)[2] or 0) for row in MAIN_RESULTS) for pair in pairs.values()}
    rows = []
    for row in MAIN_RESULTS:
        cells = {"system": row.name}
        for name, pair in pairs.items():
            millions, train, bleu = getattr(row, pair)
            marks = "↑" * (pair in row.better.split()) + "◀" * bool(bleu and Decimal(bleu) == best[pair])
            cells |= {name: millions and millions + "M", f"{name} train": train, f"{name} BLEU": bleu + marks}
        rows.append(cells)
    return rows


@dataclass(frozen=True)
class Claim:
    """Something that the printed tables say, with its arithmetic."""

    says: str
    arithmetic: str
    holds: bool


def claims() -> list[Claim]:
    """What the tables are read as saying, from their cells."""
    row = {printed.number: printed for printed in ABLATION}
    bleu = {n: Decimal(printed.bleu) for n, printed in row.items()}
    gains = {name: Decimal(value) - Decimal(QUERY_KEY["base"]) for name, value in QUERY_KEY.items()}
    system = {printed.name: printed for printed in MAIN_RESULTS}
    zh = {name: Decimal(printed.zh_en[2]) for name, printed in system.items() if printed.zh_en[2]}
    worst = min(list(bleu.values())[1:])
    share = {speed: float(getattr(row[5], speed)) / float(getattr(row[1], speed)) - 1 for speed in ("train", "decode")}
    cost = f"training {share['train']:.1%}, decoding {share['decode']:.1%}".replace("-", "−")
    return [
        _minus("every context is better than none", worst, bleu[1]),
        _minus("context in the encoder alone beats context on both sides", bleu[5], bleu[8]),
        _minus("the best row gains over the baseline", bleu[5], bleu[1]),
        _more("keys gain more than queries", gains["keys only"], gains["queries only"]),
        _more("both together gain more than either", gains["queries and keys"], gains["keys only"]),
        Claim("it costs about a tenth of the speed", cost, all(-0.11 < part < -0.09 for part in share.values())),
        _minus("a base model with context beats their big model in ZH-EN", zh["base + context"], zh["big, theirs"]),
        _minus("… and Hassan et al.'s big model", zh["base + context"], zh["Hassan et al. (2018) big"]),
    ]  # fmt: skip


def _more(says: str, one: Decimal, other: Decimal) -> Claim:
    return Claim(says, f"{one} > {other}", one > other)


def _minus(says: str, ours: Decimal, theirs: Decimal) -> Claim:
    return Claim(says, f"{ours} − {theirs} = {ours - theirs}".replace("-", "−"), ours > theirs)


def base_range(rows: Sequence[Ablation] = ABLATION, gates: bool = True) -> tuple[float, float]:
    """The baselines, in millions, with which each row's increment rounds to what is printed; low > high: none."""
    middles, half = [Decimal(row.millions) - _millions(row, gates) for row in rows], Decimal("0.05")
    return float(max(middles) - half), float(min(middles) + half)


def _millions(row: Ablation, gates: bool) -> Decimal:
    if not row.context:
        return Decimal(0)
    u, gate = added_parameters(row.context, row.side)
    return Decimal(u + (gate if gates else 0)) / 10**6


def printed_sums() -> dict[str, str]:
    """For each context, size and side that the tables print, what is printed of its parameters, in a sentence."""
    base = Decimal(ABLATION[0].millions)
    sums = {
        f"{'+'.join(kinds_of(row.context))} 512 {row.side}":
            f"Printed: {row.millions}M − {base}M = {Decimal(row.millions) - base}M."
        for row in ABLATION[1:]
    }  # fmt: skip
    big, more = MAIN_RESULTS[5].en_de[0], MAIN_RESULTS[6].en_de[0]
    return sums | {"deep+deep-global 1024 encoder": f"Printed: {more}M − {big}M = {Decimal(more) - Decimal(big)}M."}


# ─── What we found ───────────────────────────────────────────────────────────────────────────────────────────────────


def difference(result: Mapping[str, Any], row: str, measure: str) -> Spread:
    """A row's bleu or ppl beside the baseline's of the same seed, over the seeds that both have."""
    return spread(stored.changes(result, row, measure))


def over_seeds(result: Mapping[str, Any], row: str, measure: str) -> str:
    """A row's mean over seeds, with lowest and highest."""
    runs = spread([run[measure] for run in stored.runs_of(result, row).values()])
    if not runs.n:
        return "not run"
    return f"{runs.mean:.2f}" + (f" ({runs.low:.2f}–{runs.high:.2f})" if runs.n > 1 else "")


def measured_rows(result: Mapping[str, Any]) -> list[str]:
    """The rows that have runs beside the baseline's of the same seed, base first."""
    rows = stored.rows_of(result)
    if "base" not in rows:
        raise ValueError(
            f"The result has runs of {rows or 'nothing'}, but none of base; run experiments.context longer."
        )
    return ["base", *(row for row in rows if row != "base" and difference(result, row, "bleu").n)]


PAPER_GAINS = {row.row: float(Decimal(row.bleu) - Decimal(ABLATION[0].bleu)) for row in ABLATION[1:]} | {
    row: float(Decimal(QUERY_KEY[name]) - Decimal(QUERY_KEY["base"]))
    for row, name in (("query only", "queries only"), ("key only", "keys only"))
}


def result_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Our runs beside the printed gains, as rows of a table; ±: half the width of Student's 95 % interval."""
    rows = []
    for row in measured_rows(result):
        runs = stored.runs_of(result, row)
        perplexity = mean([run["ppl"] for run in runs.values()])
        cells = {"row": row, "seeds": len(runs), "weights": runs[min(runs)]["parameters"], "perplexity": perplexity}
        cells["BLEU"] = over_seeds(result, row, "bleu")
        if row != "base":
            ppl, bleu = (stored.changes(result, row, measure) for measure in ("ppl", "bleu"))
            cells |= {"perplexity, %": _with_half(ppl, 1), "gain in BLEU": _with_half(bleu, 2)}
            cells |= {"lowest, highest": f"{signed(min(bleu), 2)}, {signed(max(bleu), 2)}"}
            cells["printed"] = signed(PAPER_GAINS.get(row), 2)
        rows.append(cells)
    return rows


def _with_half(changes: Sequence[float], digits: int) -> str:
    """The mean of some changes and half the width of its interval, where there is one."""
    ends = interval(changes)
    return signed(mean(changes), digits) + (f" ± {ends[1] - mean(changes):.{digits}f}" if ends else "")


def pronoun_rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """How often *it* has its noun's pronoun, in percent: mean, lowest and highest seed, and beside the baseline's.

    The last column is the difference to the baseline's run of the same seed, in points; ±: half of its interval.
    """
    rows, base = [], dict[int, float]()
    for row in measured_rows(result):
        right = {seed: 100 * run["pronouns"]["right"] for seed, run in stored.runs_of(result, row).items()}
        base = base or right
        of_all = spread([*right.values()])
        cells = {"row": row, "seeds": of_all.n, "right, %": f"{of_all.mean:.1f} ({of_all.low:.1f}–{of_all.high:.1f})"}
        if row != "base":
            by = [right[seed] - base[seed] for seed in sorted(right.keys() & base.keys())]
            cells["more than base, points"] = _with_half(by, 1)
        rows.append(cells)
    return rows


def gates_of(
    result: Mapping[str, Any], row: str, stack: str = "encoder", when: str = "gates"
) -> dict[str, dict[int, Spread]]:
    """λ of a row by side and layer: mean, lowest and highest over the seeds; when: "gates" or "gates_untrained"."""
    runs = stored.runs_of(result, row).values()
    gates: dict[str, dict[int, Spread]] = {}
    for side in SIDES:
        lists = [run[when][f"{stack} {side}"] for run in runs if f"{stack} {side}" in run[when]]
        for layer, values in enumerate(zip(*lists, strict=True)):
            if None not in values:
                gates.setdefault(side, {})[layer] = spread(values)
    if not gates:
        rows = sorted({run["row"] for run in result["runs"]})
        raise ValueError(f"There is no λ of {row!r} in the {stack}; there are runs of {', '.join(rows)}.")
    return gates


def gate_rows(result: Mapping[str, Any], rows: Sequence[str], stack: str = "encoder") -> list[dict[str, str]]:
    """Mean λ of every layer and its lowest and highest seed, before training and after, as rows of a table."""
    table = []
    for row in rows:
        for side in gates_of(result, row, stack):
            for when, moment in (("gates_untrained", "before"), ("gates", "after")):
                gates = gates_of(result, row, stack, when)[side]
                name = f"{row.removeprefix(stack + ' ')}, {'queries' if side == 'q' else 'keys'}"
                layers = range(result["shape"]["n_layers"])
                cells = {f"layer {n}": _with_ends(gates[n]) if n in gates else "-" for n in layers}
                table.append({"λ of": name, "training": moment} | cells)
    return table


def _with_ends(gate: Spread) -> str:
    return f"{gate.mean:.2f}" + (f" {gate.low:.2f}–{gate.high:.2f}" if gate.n > 1 else "")


@dataclass(frozen=True)
class Finding:
    """A reading of the paper held against our runs: by how much it holds in each seed, above 0 if it does.

    untrained: the same before training, where it is about λ.
    """

    says: str
    by: list[float]
    untrained: list[float] = field(default_factory=list)

    @property
    def learnt(self) -> list[float]:
        """What training added to it in each seed; a difference that was there before was not learnt."""
        return [after - before for after, before in zip(self.by, self.untrained, strict=True)] if self.untrained else []

    @property
    def verdict(self) -> str:
        """Whether the reading holds; where it is about λ, what training added has to hold as well."""
        verdict = verdict_of(self.by)
        return "open" if self.untrained and verdict != verdict_of(self.learnt) else verdict


def verdict_of(by: Sequence[float]) -> str:
    """Open where Student's 95 % interval holds 0; one seed is no verdict."""
    if len(by) < 2:
        return "one seed" if by else "not run"
    low, high = interval(by) or (0, 0)
    return "holds" if low > 0 else "the other way round" if high < 0 else "open"


def finding_rows(result: Mapping[str, Any]) -> list[dict[str, str]]:
    """`findings` as rows of a table: by how much in each seed, and where not all began alike, what was there before."""
    rows, readings = [], findings(result)
    alike = not any(before for finding in readings for before in finding.untrained)
    for finding in readings:
        numbers = {"seed by seed": finding.by}
        if not alike:
            numbers |= {"before training": finding.untrained, "learnt": finding.learnt}
        cells = {name: "  ".join(signed(x, 2) for x in xs) for name, xs in numbers.items()}
        rows.append({"reading": finding.says, "verdict": finding.verdict} | cells)
    return rows


def findings(result: Mapping[str, Any]) -> list[Finding]:
    """What the paper reads out of its tables and pictures, in our runs: BLEU and λ, seed by seed."""
    best = "encoder deep-global+deep"
    rows = [row.row for row in ABLATION[1:]]
    about_gates = {
        "keys want more global context than queries (λ, row 2)": partial(_keys_more, result, "encoder global"),
        "keys want more deep-global context (λ, row 3)": partial(_keys_more, result, "encoder deep-global"),
        "keys want more context of both kinds (λ, row 5)": partial(_keys_more, result, best),
        "lower layers want more global context (λ, row 2)": partial(_falling, result, "encoder global"),
        "the same without layer 0 (λ, row 2)": partial(_falling, result, "encoder global", first=1),
        "deep context changes less from layer to layer (λ, 4, 2)": partial(_steadier, result),
    }
    return [
        *(Finding(f"{row} beats the baseline (BLEU)", stored.changes(result, row, "bleu")) for row in rows),
        Finding(
            "the encoder alone beats both sides (BLEU)",
            stored.changes(result, best, "bleu", to="both deep-global+deep"),
        ),
        Finding("keys alone beat queries alone (BLEU)", stored.changes(result, "key only", "bleu", to="query only")),
        *(Finding(says, by("gates"), by("gates_untrained")) for says, by in about_gates.items()),
    ]


def _layers(run: Mapping[str, Any], side: str, when: str) -> list[float]:
    return [gate for gate in run[when].get(f"encoder {side}", []) if gate is not None]


def _keys_more(result: Mapping[str, Any], row: str, when: str) -> list[float]:
    """Mean λ of keys less that of queries, over the layers of the encoder, for each seed."""
    runs = stored.runs_of(result, row).values()
    return [mean(_layers(run, "k", when)) - mean(_layers(run, "q", when)) for run in runs]


def _both(run: Mapping[str, Any], when: str) -> list[float]:
    return [(q + k) / 2 for q, k in zip(_layers(run, "q", when), _layers(run, "k", when), strict=True)]


def _falling(result: Mapping[str, Any], row: str, when: str, first: int = 0) -> list[float]:
    """Mean λ of the lower half of the layers, from the first counted, less that of the upper half, for each seed."""
    by_seed = [_both(run, when) for run in stored.runs_of(result, row).values()]
    return [mean(of[first : len(of) // 2]) - mean(of[-(len(of) // 2) :]) for of in by_seed]


def _steadier(result: Mapping[str, Any], when: str) -> list[float]:
    """By how much λ spans less over the layers with deep context than with global, in those that have both; by seed."""
    deep, everywhere = stored.runs_of(result, "encoder deep"), stored.runs_of(result, "encoder global")
    pairs = [(_both(deep[seed], when), _both(everywhere[seed], when)) for seed in deep if seed in everywhere]
    whole = [(own, other[-len(own) :]) for own, other in pairs]  # the first layer has no deep context
    return [max(other) - min(other) - (max(own) - min(own)) for own, other in whole]


def shares(result: Mapping[str, Any], size: str, kind: str) -> dict[Ablation, Spread]:
    """Speeds of "training" or "decoding" as shares of the baseline's, of the rows timed at a size.

    The share is that of the fastest turns; low and high are the quartiles of the shares turn by turn.
    """
    rows = {run["row"]: run for run in result["runs"] if run["size"] == size}
    shown = [row for row in ABLATION if row.row in rows]
    if not shown:
        sizes = sorted({run["size"] for run in result["runs"]})
        raise ValueError(f"No speed was measured at size {size!r}; there are {sizes}.")
    by_row = {}
    for row in shown:
        low, _, high = rows[row.row][f"{kind}_quartiles"]
        by_row[row] = Spread(rows[row.row][kind], low, high, 1)
    return by_row


SPEEDS = {"training": "train", "decoding": "decode"}


def printed_share(row: Ablation, kind: str) -> float:
    """A printed speed as a share of the printed baseline's."""
    return float(Decimal(getattr(row, SPEEDS[kind])) / Decimal(getattr(ABLATION[0], SPEEDS[kind])))


def speed_rows(result: Mapping[str, Any], size: str = "base") -> list[dict[str, Any]]:
    """Speeds as shares of the baseline's, printed and here: the fastest turns, in brackets the middle half of all."""
    shown = {kind: shares(result, size, kind) for kind in SPEEDS}
    rows = []
    for row in shown["training"]:
        cells: dict[str, Any] = {"row": row.row}
        for kind in SPEEDS:
            share, low, high, _ = shown[kind][row]
            cells[f"{kind}, printed"] = printed_share(row, kind)
            cells[f"{kind}, here"] = f"{share:.2f} ({low:.2f} to {high:.2f})"
        rows.append(cells)
    return rows


# ─── Decoding with a running mean ────────────────────────────────────────────────────────────────────────────────────


def cached_difference(model: tc.Transformer, src: Tensor, tgt_in: Tensor) -> float:
    """The largest difference between logits decoded token by token with a cache and those of one full pass."""
    with tc.evaluating(model):
        memory, src_mask = model.encode(src), src != tc.PAD
        whole = model.decode(tgt_in, memory, src_mask)  # (1, T, V)
        cache = [(tc.KeyValues(tgt_in.size(1)), tc.KeyValues()) for _ in model.decoder]
        steps = [model.decode(tgt_in[:, t : t + 1], memory, src_mask, cache) for t in range(tgt_in.size(1))]
    return (torch.cat(steps, 1) - whole).abs().max().item()
