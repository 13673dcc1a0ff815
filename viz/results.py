"""Table 2 and the cost of training, then and now: the table as printed, what the paper claims of it, and a calculator.

`table_2_view` shows the table beside its plot of BLEU against cost and draws each claim; `cost_view` turns hours, GPUs
and TFLOPS into a training cost, and the arithmetic that a run needs into hours on other hardware.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from viz import theme
from viz.canvas import CostView, Table2View

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


def table_2_lines(rows: Sequence[Row] = TABLE_2) -> list[str]:
    """The table as lines of text; a Transformer's cost stands between the two columns that share it."""
    lines = [f"{'model':28}{'EN-DE':>7}{'EN-FR':>7}   {'cost EN-DE':>11}{'cost EN-FR':>12}"]
    for row in rows:
        (bleu_de, cost_de), (bleu_fr, cost_fr) = row.de, row.fr
        costs = f"{power(cost_de):^23}" if row.kind == "Transformer" else f"{power(cost_de):>11}{power(cost_fr):>12}"
        lines.append(f"{row.model:28}{bleu_de:>7}{bleu_fr:>7}   {costs}".rstrip())
    return lines


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
    found = [row for row in rows if row.kind in kinds and row.bleu(language) is not None]
    if not found:
        raise ValueError(
            f"No row of kind {' or '.join(kinds)} has a BLEU for {LANGUAGES[language]}; pass all of TABLE_2."
        )
    return sorted(found, key=lambda row: row.bleu(language) or 0, reverse=True)


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
    found = (row.bleu, row.cost)[place](language)
    if found is None:
        raise ValueError(f"{row.model} has no {('BLEU', 'cost')[place]} for {LANGUAGES[language]}; the claim needs it.")
    return found


def table_2_view(rows: Sequence[Row] = TABLE_2, language: str = "de", shows: str = "Table 2 as printed") -> Table2View:
    """Table 2 beside its plot of BLEU against training cost, with each claim to be drawn into it.

    rows: those of TABLE_2, and more, such as Row("mine", "yours", de=("25.3", "1.2e17")); picked, language and claim
    (its place in `claims()`, -1 for none) are traits.
    """
    if not rows:
        raise ValueError("There are no rows to show; pass TABLE_2, or some of its rows.")
    whole = {row.model for row in TABLE_2} <= {row.model for row in rows}
    found = claims(rows) if whole else []
    meta = {
        "version": 0, "live": False, "shows": shows, "title": "BLEU against the cost of training",
        "rows": [asdict(row) for row in rows], "claims": [asdict(claim) for claim in found], "languages": LANGUAGES,
    }  # fmt: skip
    view = Table2View(meta=meta, language=language)
    view.picture = lambda: plot_picture(rows, shows)
    return view


# Where names stand in the still picture: to the left of their points, else to the right.
LEFT = {
    "de": ("ConvS2S ensemble", "ConvS2S"),
    "fr": ("MoE", "Deep-Att + PosUnk", "GNMT + RL ensemble", "Transformer (big)"),
}
KIND_COLOURS = {"single": theme.GREY, "ensemble": theme.GREY, "Transformer": theme.OKABE_ITO[5]}
KIND_SHAPES = {"single": "circle", "ensemble": "diamond", "Transformer": "triangle-up"}


def plot_picture(rows: Sequence[Row], shows: str) -> theme.Svg:
    """The plot of both languages side by side, for pages without JavaScript; in words it is the whole table."""
    kinds = [*KIND_COLOURS, *sorted({row.kind for row in rows} - set(KIND_COLOURS))]
    look = {
        "color": {"field": "kind", "type": "nominal", "legend": {"title": None, "orient": "bottom", "symbolType": None},
                  "scale": {"domain": kinds, "range": [KIND_COLOURS.get(kind, theme.OKABE_ITO[0]) for kind in kinds]}},
        "shape": {"field": "kind", "type": "nominal",
                  "scale": {"domain": kinds, "range": [KIND_SHAPES.get(kind, "square") for kind in kinds]}},
    }  # fmt: skip
    panels = [_plot_panel(rows, language, look) for language in LANGUAGES]
    said = "Table 2. " + "; ".join(in_words(row) for row in rows)
    return theme.LinkedChart({"hconcat": panels}, shows, said).picture


def _plot_panel(rows: Sequence[Row], language: str, look: dict) -> dict[str, Any]:
    points = [
        {"model": row.model, "kind": row.kind, "bleu": float(bleu), "cost": float(cost)}
        for row in rows
        if (bleu := row.bleu(language)) is not None and (cost := row.cost(language)) is not None
    ]
    at = {
        "x": {"field": "cost", "type": "quantitative", "title": "training cost, FLOP",
              "scale": {"type": "log", "domain": [1e18, 1e22]}, "axis": {"format": ".0e", "tickCount": 5}},
        "y": {"field": "bleu", "type": "quantitative", "title": "BLEU", "scale": {"zero": False, "padding": 24}},
    }  # fmt: skip
    layers: list[dict] = [{"mark": {"type": "point", "filled": True, "size": 90, "opacity": 1}, "encoding": at | look}]
    for side, dx in (("right", -8), ("left", 8)):
        left = json.dumps(LEFT[language])
        chosen = f"indexof({left}, datum.model) {'>=' if side == 'right' else '<'} 0"
        word = {"type": "text", "align": side, "dx": dx, "color": theme.GREY}
        layers.append({"transform": [{"filter": chosen}], "mark": word, "encoding": at | {"text": {"field": "model"}}})
    return {"data": {"values": points}, "layer": layers, "width": 400, "height": 300, "title": LANGUAGES[language]}


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
    attentions = 3 * config.n_layers  # one in each encoder layer, two in each decoder layer
    return counter.get_total_flops(), 3 * attentions * 2 * n * n * config.n_heads * (config.d_k + config.d_v)


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
    return f"{theme.three_digits(seconds / units[unit])} {unit}"


def measured_machine(found: dict[str, Any], preset: str = "base") -> dict[str, Any]:
    """What experiments/results.py measured, as the calculator takes it: TFLOPS of products, share in a step."""
    step = found["steps"].get(preset)
    if step is None:
        raise ValueError(f"No step of {preset!r} was measured; there are {', '.join(found['steps'])}.")
    machine = found["machine"]
    name = f"{machine['device']}, {machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    return {"name": name, "tflops": found["tflops"], "share": step["flop"] / step["seconds"] / (found["tflops"] * 1e12)}


stored = theme.stored


def cost_view(measured: dict[str, Any] | None = None, **opens_with: Any) -> CostView:
    """The calculator: the cost of a run by Table 2's formula, the arithmetic in it, and how long that takes elsewhere.

    measured: a machine of one's own, as `measured_machine` gives it; may be set later. opens_with: traits to begin
    with, such as model="big", by="steps", gpus=1, hardware="H200", share=0.4.
    """
    weights = {name: matmul_weights(tc.TransformerConfig(37_000, **tc.PRESETS[name])) for name in PAPER_RUNS}
    meta = {
        "version": 0, "live": False, "shows": "arithmetic: no run was made", "title": "What a training run costs",
        "runs": {name: run._asdict() | {"weights": weights[name]} for name, run in PAPER_RUNS.items()},
        "tokens": TOKENS, "sustained": SUSTAINED, "datasheet": DATASHEET,
        "costs": [{"model": row.model, "kind": row.kind, "language": language, "cost": float(cost)}
                  for language in LANGUAGES for row in TABLE_2
                  if (cost := row.cost(language)) is not None and not (row.kind == "Transformer" and language == "fr")],
    }  # fmt: skip
    view = CostView(meta=meta, measured=measured or {}, **opens_with)
    view.picture = lambda: cost_picture(view)
    return view


# ─── Beside other libraries ──────────────────────────────────────────────────────────────────────────────────────────


WORKLOADS = {
    "T1": "train, tiny", "T1r": "train, tiny, ragged", "T2": "train, base", "D1": "greedy, base",
    "D2": "beam of 4, base", "A1t": "all weights, tiny", "A1b": "all weights, base",
}  # fmt: skip


def speed_chart(found: dict[str, Any], threads: int = 1) -> theme.Chart:
    """How many times as fast as each library ours was in the same run, by workload; above 1 ours is the faster."""
    cells = [cell for cell in found["cells"] if cell["threads"] == threads and cell["precision"] != "medium"]
    cells.sort(key=lambda cell: list(WORKLOADS).index(cell["workload"]))
    rate = {(c["workload"], c["contender"], c["precision"]): c["rate"] for c in cells}
    times: dict[str, dict[str, float]] = {}
    for (workload, contender, precision), theirs in rate.items():
        ours = rate.get((workload, "ours", precision))
        if contender not in ("ours", "limit") and ours:
            name = contender if precision == "fp32" else f"{contender}, {precision}"
            times.setdefault(name, {})[WORKLOADS[workload]] = float(f"{ours / theirs:.3g}")
    curves = [theme.Curve(name, list(by), list(by.values()), kind="dots") for name, by in times.items()]
    panel = theme.Panel(curves, "How many times as fast as …", "", "ours / theirs", log_y=True)
    shows = f"measured, {threads} thread{'s' * (threads > 1)}, {found['machine']['processor']}"
    return theme.chart(panel, shows, height=420)


def speed_lines(found: dict[str, Any]) -> list[str]:
    """Each target, and what was reached."""
    return [
        f"{t['workload']:4} {t['threads']} thread{'s' * (t['threads'] > 1):1}  {t['precision']}  "
        f"{t['ratio']:5.2f} × {t['peer']} (aim: {t['target']} ×)"
        for t in found["targets"]
    ]


def cost_picture(view: CostView) -> theme.Svg:
    """The calculator as it stands, as bars of hours for pages without JavaScript."""
    run = view.meta["runs"][view.model]
    flop = view.steps * step_arithmetic(run["weights"], view.meta["tokens"])
    machines = {name: (tflops, view.share) for name, tflops in view.meta["datasheet"].items()}
    took = {f"{view.n_now} × {name}": seconds_on(flop, view.n_now, *speed) for name, speed in machines.items()}
    took = {"8 × P100, the paper": run["seconds"] * view.steps} | took
    bars = theme.Curve("hours", list(took), [float(f"{s / 3600:.3g}") for s in took.values()], kind="bars")
    title = f"Hours for {view.steps:,} steps of the {view.model} model, {view.share:.0%} of the data sheet's TFLOPS"
    said = f"{title}: " + "; ".join(f"{name}: {duration(s)}" for name, s in took.items())
    return theme.chart(theme.Panel([bars], title, "", "hours"), view.meta["shows"], said, height=300).picture
