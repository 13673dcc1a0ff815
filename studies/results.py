"""Table 2 and the cost of training, then and now: the table as printed, what the paper claims of it, the arithmetic.

A cost is hours, GPUs and TFLOPS multiplied, as the paper has it; the arithmetic that a run needs is counted from the
model, and says how long the run would take on other hardware.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from core_options import packing
from studies.statistics import three_digits

# ─── Table 2 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


LANGUAGES = {"de": "English-German", "fr": "English-French"}


@dataclass(frozen=True)
class Row:
    """A row of Table 2, each cell as printed: (BLEU on newstest2014, training cost in FLOP); "" is a blank cell.

    kind: "single", "ensemble" or "Transformer", whose cost is one cell for both languages.
    """

    model: str
    kind: str
    de: tuple[str, str] = ("", "")
    fr: tuple[str, str] = ("", "")

    def bleu(self, language: str) -> Decimal | None:
        """BLEU, exactly as printed; None where the cell is blank."""
        return self._cell(language, 0)

    def cost(self, language: str) -> Decimal | None:
        """Training cost in FLOP; None where the cell is blank."""
        return self._cell(language, 1)

    def _cell(self, language: str, place: int) -> Decimal | None:
        if language not in LANGUAGES:
            raise ValueError(f"There is no language {language!r} in Table 2; choose from {', '.join(LANGUAGES)}.")
        text = getattr(self, language)[place]
        try:
            return Decimal(text) if text else None
        except InvalidOperation:
            raise ValueError(f'{self.model} has {text!r} in a cell; write a number, such as "2.3e19".') from None


TABLE_2 = (
    Row("ByteNet", "single", de=("23.75", "")),
    Row("Deep-Att + PosUnk", "single", fr=("39.2", "1.0e20")),
    Row("GNMT + RL", "single", de=("24.6", "2.3e19"), fr=("39.92", "1.4e20")),
    Row("ConvS2S", "single", de=("25.16", "9.6e18"), fr=("40.46", "1.5e20")),
    Row("MoE", "single", de=("26.03", "2.0e19"), fr=("40.56", "1.2e20")),
    Row("Deep-Att + PosUnk ensemble", "ensemble", fr=("40.4", "8.0e20")),
    Row("GNMT + RL ensemble", "ensemble", de=("26.30", "1.8e20"), fr=("41.16", "1.1e21")),
    Row("ConvS2S ensemble", "ensemble", de=("26.36", "7.7e19"), fr=("41.29", "1.2e21")),
    Row("Transformer (base)", "Transformer", de=("27.3", "3.3e18"), fr=("38.1", "3.3e18")),
    Row("Transformer (big)", "Transformer", de=("28.4", "2.3e19"), fr=("41.8", "2.3e19")),
)


def power(cost: str) -> str:
    """A cost as printed: "2.3e19" is 2.3·10¹⁹, a blank is nothing.

    >>> power("2.3e19"), power("")
    ('2.3·10¹⁹', '')
    """
    digits, _, exponent = cost.partition("e")
    raised = exponent.translate(str.maketrans("0123456789-+", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ ")).replace(" ", "")
    return f"{digits}·10{raised}" if exponent else digits


def table_2_rows(rows: Sequence[Row] = TABLE_2) -> list[dict[str, str]]:
    """The table, each cell as printed; a Transformer's cost is one cell for both languages."""
    table = []
    for row in rows:
        costs = {"cost EN-DE": power(row.de[1]), "cost EN-FR": power(row.fr[1])}
        if row.kind == "Transformer":
            costs = {"cost EN-DE": f"{power(row.de[1])} (both)", "cost EN-FR": ""}
        table.append({"model": row.model, "EN-DE": row.de[0], "EN-FR": row.fr[0]} | costs)
    return table


def in_words(row: Row) -> str:
    """A row for those who do not see the columns.

    >>> in_words(TABLE_2[0])
    'ByteNet: English-German 23.75 BLEU'
    """
    pairs = ((name, *getattr(row, language)) for language, name in LANGUAGES.items())
    cells = [f"{name} {bleu} BLEU" + (f" for {power(cost)} FLOP" if cost else "") for name, bleu, cost in pairs if bleu]
    return f"{row.model}: {', '.join(cells)}"


# ─── What the paper claims of it ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Claim:
    """A claim about Table 2 with its arithmetic: ours held against theirs, by BLEU or by cost."""

    says: str
    language: str
    ours: str
    theirs: str
    by: str  # "bleu" or "cost"
    arithmetic: str
    holds: bool
    claimed: bool = True  # False: a question that the paper leaves open


def rivals(rows: Sequence[Row], language: str, kinds: Sequence[str] = ("single", "ensemble")) -> list[Row]:
    """The rows before the Transformer that have a BLEU in this language, the best first."""
    before = [row for row in rows if row.kind in kinds and row.bleu(language) is not None]
    if not before:
        raise ValueError(
            f"No row of kind {' or '.join(kinds)} has a BLEU for {LANGUAGES[language]}; pass all of TABLE_2."
        )
    return sorted(before, key=lambda row: row.bleu(language) or 0, reverse=True)


def claims(rows: Sequence[Row] = TABLE_2) -> list[Claim]:
    """Each claim of the paper about Table 2 (section 6.1), and the question it leaves open, from the rows."""
    named = {row.model: row for row in rows}
    if absent := {"Transformer (base)", "Transformer (big)"} - set(named):
        raise ValueError(f"The claims are about {' and '.join(sorted(absent))}; pass all of TABLE_2.")
    base, big = named["Transformer (base)"], named["Transformer (big)"]
    all_de, all_fr = rivals(rows, "de"), rivals(rows, "fr")
    cheapest = min(all_de, key=lambda row: row.cost("de") or Decimal("Infinity"))
    best_single = rivals(rows, "fr", ["single"])[0]
    return [
        _by_bleu("The big model is more than 2.0 BLEU above all before it, ensembles included",
                 "de", big, all_de[0], more_than="2.0"),
        _by_bleu("Even the base model is above them", "de", base, all_de[0]),
        _by_cost("… at a fraction of their cost", "de", base, cheapest, less_than="1"),
        _by_bleu("The big model is above every single model", "fr", big, best_single),
        _by_cost("… at less than a quarter of the best one's cost", "fr", big, best_single, less_than="0.25"),
        _by_bleu("Not claimed: is the base model above any of them?", "fr", base, all_fr[-1],
                 claimed=False),
    ]  # fmt: skip


def _by_bleu(says: str, language: str, ours: Row, theirs: Row, more_than: str = "0", claimed: bool = True) -> Claim:
    gap = _needed(ours, language, 0) - _needed(theirs, language, 0)
    holds = gap > Decimal(more_than)
    sign = ">" if holds else "<" if gap < Decimal(more_than) else "="
    sum_ = f"{ours.bleu(language)} − {theirs.bleu(language)} = {gap} {sign} {more_than}".replace("-", "−")
    return Claim(says, language, ours.model, theirs.model, "bleu", sum_, holds, claimed)


def _by_cost(says: str, language: str, ours: Row, theirs: Row, less_than: str) -> Claim:
    ratio = _needed(ours, language, 1) / _needed(theirs, language, 1)
    holds = ratio < Decimal(less_than)
    costs = [power(getattr(row, language)[1]) for row in (ours, theirs)]
    sum_ = f"{costs[0]} / {costs[1]} = {ratio:.2f} {'<' if holds else '≥'} {less_than}"
    return Claim(says, language, ours.model, theirs.model, "cost", sum_, holds)


def _needed(row: Row, language: str, place: int) -> Decimal:
    cell = (row.bleu, row.cost)[place](language)
    if cell is None:
        raise ValueError(f"{row.model} has no {('BLEU', 'cost')[place]} for {LANGUAGES[language]}; the claim needs it.")
    return cell


# ─── The cost of training ────────────────────────────────────────────────────────────────────────────────────────────


# Sustained single-precision TFLOPS, as the paper's footnote 5 has them.
SUSTAINED = {"K80": 2.8, "K40": 3.7, "M40": 6.0, "P100": 9.5}
# Peaks of data sheets, in TFLOPS: dense bf16 (RTX 4090: fp16 with fp32 sums). No program reaches them.
DATASHEET = {"RTX 4090": 165.0, "A100": 312.0, "H100 SXM": 989.0, "H200": 989.0}


class Schedule(NamedTuple):
    """A run of the paper's (section 5.2): how long it took, in hours as printed and in steps; which Table 2 prints."""

    hours: float
    steps: int
    seconds: float  # of a step
    printed: str


TOKENS = 25_000  # of a batch, on either side (section 5.1)
PAPER_RUNS = {"base": Schedule(12, 100_000, 0.4, "3.3e18"), "big": Schedule(84, 300_000, 1.0, "2.3e19")}


def training_cost(hours: float, gpus: int, tflops: float) -> float:
    """Table 2's estimate in FLOP: hours × 3,600 × GPUs × sustained TFLOPS.

    >>> f"{training_cost(12, 8, 9.5):.4e}"
    '3.2832e+18'
    """
    if min(hours, gpus, tflops) <= 0:
        raise ValueError(f"The run has {hours} hours, {gpus} GPUs and {tflops} TFLOPS; each must be above 0.")
    return hours * 3600 * gpus * tflops * 1e12


def matmul_weights(config: tc.TransformerConfig) -> int:
    """The weights that are multiplied with every token: all matrices, no biases and no norms."""
    with torch.device("meta"):
        return sum(p.numel() for p in tc.Transformer(config).parameters() if p.dim() > 1)


def step_arithmetic(weights: int, tokens: int = TOKENS) -> int:
    """FLOP of one training step: 2 for each weight and token, and twice as many again in the backward pass."""
    return 6 * tokens * weights


def counted_arithmetic(config: tc.TransformerConfig, n: int) -> tuple[int, int]:
    """What torch's counter finds in a training step of a pair of n and n tokens, and how much is attention's n².

    Counted on the "meta" device, where nothing is computed.
    """
    with torch.device("meta"):
        model, ids = tc.Transformer(config), torch.ones(1, n, dtype=torch.long)
    with FlopCounterMode(display=False) as counter:
        model(ids, ids).sum().backward()
    lengths = torch.tensor([n])
    return counter.get_total_flops(), 6 * packing.multiply_adds(config, lengths, lengths)["scores and mix"]


def seconds_on(flop: float, gpus: int, tflops: float, share: float) -> float:
    """How long this much arithmetic takes where a share of so many TFLOPS is reached."""
    if min(flop, gpus, tflops, share) <= 0:
        raise ValueError(f"{flop:g} FLOP on {gpus} × {tflops} TFLOPS at a share of {share}: each must be above 0.")
    return flop / (gpus * tflops * 1e12 * share)


def duration(seconds: float) -> str:
    """A time in the unit that suits it, three digits.

    >>> duration(0.4), duration(3185), duration(302400), duration(1e9)
    ('0.400 s', '53.1 min', '3.50 days', '31.7 years')
    """
    units = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0, "years": 365.25 * 86400}
    above = {"s": 90, "min": 90 * 60, "h": 48 * 3600, "days": 730 * 86400}
    unit = next((unit for unit, end in above.items() if seconds < end), "years")
    value = seconds / units[unit]
    return f"{value:,.0f} {unit}" if value >= 1000 else f"{three_digits(value)} {unit}"


def measured_machine(result: dict[str, Any], preset: str = "base") -> dict[str, Any]:
    """What experiments/results.py measured, as the calculator takes it: TFLOPS of products, share in a step."""
    step = result["steps"].get(preset)
    if step is None:
        raise ValueError(f"No step of {preset!r} was measured; there are {', '.join(result['steps'])}.")
    machine, tflops = result["machine"], result["tflops"]
    name = f"{machine['device']}, {machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    return {"name": name, "tflops": tflops, "share": step["flop"] / step["seconds"] / (tflops * 1e12)}


# ─── Beside other libraries ──────────────────────────────────────────────────────────────────────────────────────────


WORKLOADS = {
    "T1": "train, tiny", "T1r": "train, tiny, ragged", "T2": "train, base", "T3": "train, small, short",
    "D1": "greedy, base", "D2": "beam of 4, base", "A1t": "all weights, tiny", "A1b": "all weights, base",
}  # fmt: skip


def speed_rows(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Each target, and what was reached."""
    names = {
        "threads": "threads",
        "precision": "precision",
        "ratio": "times as fast as",
        "peer": "peer",
        "target": "aim",
    }
    return [
        {"workload": WORKLOADS[target["workload"]]} | {names[part]: target[part] for part in names}
        for target in result["targets"]
    ]


def said_of_speed(result: dict[str, Any]) -> list[str]:
    """Of a stored benchmark what its chart does not show, in float32: shares of the machine's limit, two threads."""
    cells = {
        (cell["workload"], cell["threads"], cell["contender"]): cell
        for cell in result["cells"]
        if cell["precision"] == "fp32"
    }
    base = {name: cell for (workload, n, name), cell in cells.items() if (workload, n) == ("T2", 1) and name != "limit"}
    shares = ", ".join(f"{name} {100 * cell['share_of_limit']:.0f} %" for name, cell in base.items())
    ratios = [cells["D1", n, "ours"]["rate"] / cells["D1", n, "CTranslate2"]["rate"] for n in (1, 2)]
    return [
        f"{WORKLOADS['T2']}, 1 thread, of what the processor can multiply: {shares}",
        f"{WORKLOADS['D1']}, times as fast as CTranslate2: {ratios[0]:.2f} on 1 thread, {ratios[1]:.2f} on 2",
    ]
