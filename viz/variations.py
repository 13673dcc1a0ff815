"""Table 3 under the reader's hands: what each row changes, how many parameters and multiply-adds it has, what it does.

`explore_variations` is the table with the vocabulary as a slider: its script computes every count by the formulas that
stand here. `difference_chart` and `norm_chart` draw the runs that experiments/variations.py stored; `norms_view` shows
gradients of untrained models.
"""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

import transformer_core as tc
from core_options import packing
from viz import theme
from viz.canvas import NormsView, VariationsView
from viz.theme import Chart, Curve, LinkedChart, Panel, chart

# ─── What the paper prints ───────────────────────────────────────────────────────────────────────────────────────────


class Printed(NamedTuple):
    """A row of Table 3 as printed (newstest2013, English to German); millions of parameters None where it is empty."""

    ppl: float
    bleu: float
    millions: int | None = None
    steps: int = 100_000


TABLE_3: dict[str, Printed] = {
    "base": Printed(4.92, 25.8, 65),
    "A-h1": Printed(5.29, 24.9),
    "A-h4": Printed(5.00, 25.5),
    "A-h16": Printed(4.91, 25.8),
    "A-h32": Printed(5.01, 25.4),
    "B-dk16": Printed(5.16, 25.1, 58),
    "B-dk32": Printed(5.01, 25.4, 60),
    "C-N2": Printed(6.11, 23.7, 36),
    "C-N4": Printed(5.19, 25.3, 50),
    "C-N8": Printed(4.88, 25.5, 80),
    "C-d256": Printed(5.75, 24.5, 28),
    "C-d1024": Printed(4.66, 26.0, 168),
    "C-ff1024": Printed(5.12, 25.4, 53),
    "C-ff4096": Printed(4.75, 26.2, 90),
    "D-drop0.0": Printed(5.77, 24.6),
    "D-drop0.2": Printed(4.95, 25.5),
    "D-ls0.0": Printed(4.67, 25.3),
    "D-ls0.2": Printed(5.47, 25.7),
    "E-learned": Printed(4.92, 25.7),
    "big": Printed(4.33, 26.4, 213, 300_000),
}
COUNTED = tuple(row for row, printed in TABLE_3.items() if printed.millions is not None)


# ─── What a row is, and what it costs ────────────────────────────────────────────────────────────────────────────────


def config_of(row: str, vocab_size: int) -> tc.TransformerConfig:
    """The configuration of a row of Table 3."""
    if row not in tc.PAPER_TABLE_3:
        raise ValueError(f"Table 3 has no row {row!r}; choose one of {', '.join(tc.PAPER_TABLE_3)}.")
    return tc.TransformerConfig(vocab_size, **tc.PAPER_TABLE_3[row])


def code_of(row: str) -> str:
    """The one line that makes a row of the base configuration."""
    changes = ", ".join(f"{name}={value!r}" for name, value in tc.PAPER_TABLE_3[row].items())
    return f"replace(base, {changes})" if changes else "base = TransformerConfig(vocab_size)"


def line_of(row: str) -> str:
    """The line of transformer_core.py that holds a row: one for each letter of the table."""
    source = inspect.getsource(tc).partition("\nPAPER_TABLE_3")[2].partition("\n}")[0]
    starts = {found[1]: line for line in source.splitlines() if (found := re.search(r'^[^"]*"([^"{]+)', line))}
    return starts[max((start for start in starts if row.startswith(start)), key=len)].strip()


def parameter_parts(config: tc.TransformerConfig) -> dict[str, int]:
    """How many numbers are learned, by what they are for; embedding and softmax share one matrix."""
    d, n_layers = config.d_model, config.n_layers
    projections = 2 * d * config.n_heads * (config.d_k + config.d_v)
    return {
        "embedding": config.vocab_size * d,
        "attention": 3 * n_layers * projections,  # one an encoder layer, two a decoder layer
        "feed-forward": 2 * n_layers * (2 * d * config.d_ff + config.d_ff + d),
        "norms": 5 * n_layers * 2 * d,
        "positions": 2 * config.max_len * d if config.positions == "learned" else 0,
    }


def parameters(row: str, vocab_size: int) -> int:
    """The exact number of parameters of a row at a vocabulary."""
    return sum(parameter_parts(config_of(row, vocab_size)).values())


def vocabularies(row: str) -> tuple[int, int]:
    """The vocabularies [low, high) with which a row's count rounds to the printed one."""
    millions = TABLE_3[row].millions
    if millions is None:
        raise ValueError(f"Table 3 prints no parameter count for {row!r}; it does for {', '.join(COUNTED)}.")
    body, d = parameters(row, 1) - config_of(row, 1).d_model, config_of(row, 1).d_model
    low, high = (-((body - half * 100_000) // d) for half in (10 * millions - 5, 10 * millions + 5))
    return low, high


def shared(rows: Sequence[str]) -> tuple[int, int] | None:
    """The vocabularies [low, high) with which all these rows round to what is printed; None if there are none."""
    lows, highs = zip(*(vocabularies(row) for row in rows), strict=True)
    return (max(lows), min(highs)) if max(lows) < min(highs) else None


def multiply_adds(row: str, n_src: int, n_tgt: int, vocab_size: int) -> dict[str, int]:
    """Multiply-adds of one forward pass over a pair of n_src and n_tgt tokens, by what they are for."""
    lengths = torch.tensor([n_src]), torch.tensor([n_tgt])
    return packing.multiply_adds(config_of(row, vocab_size), *lengths)


def cost_per_token(row: str, n: int, vocab_size: int) -> int:
    """Multiply-adds for one source token read and one target token predicted, in a pair of n and n tokens."""
    return sum(multiply_adds(row, n, n, vocab_size).values()) // n


# ─── The live table ──────────────────────────────────────────────────────────────────────────────────────────────────


SIZES = ("n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "p_drop", "eps_ls", "positions", "max_len")


def rows_of_table(result: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """What the script must know of each row: sizes, what is printed, the code, and what the small runs gave."""
    told = {} if result is None else {row: in_words(result, row) for row in TABLE_3 if row != "base"}
    return [
        {
            "name": row, "code": code_of(row), "line": line_of(row), "ours": told.get(row, []),
            "changes": list(tc.PAPER_TABLE_3[row]), **printed._asdict(),
            **{name: getattr(config_of(row, 1), name) for name in SIZES},
        }
        for row, printed in TABLE_3.items()
    ]  # fmt: skip


def explore_variations(result: Mapping[str, Any] | None = None, **opens_with: Any) -> VariationsView:
    """Table 3 with the vocabulary as a slider; result: the small runs, told beside the paper's numbers.

    opens_with: traits to begin with, such as vocabulary=41_100, picked="big", order="params".
    """
    meta = {
        "version": 0, "live": False, "shows": "exact counts; ppl and BLEU as printed", "rows": rows_of_table(result),
        "title": "Table 3: every row, its parameters, and the vocabularies that would explain what is printed",
    }  # fmt: skip
    view = VariationsView(meta=meta, **opens_with)
    view.picture = lambda: interval_picture(view.vocabulary)
    return view


def interval_picture(vocabulary: int) -> theme.Svg:
    """For each row with a printed count, the vocabularies that explain it as a bar, and a line at this vocabulary."""
    low, high, left, right, step = 30_000, 45_000, 210, 600, 24
    across = lambda v: left + (right - left) * (v - low) / (high - low)  # noqa: E731
    foot, drawn = 40 + step * len(COUNTED), []
    for place, row in enumerate(COUNTED):
        y, (start, end) = 40.0 + step * place, vocabularies(row)
        hit = start <= vocabulary < end
        bar = dict(fill=theme.VALUE if hit else "none", stroke=theme.VALUE if hit else theme.GREY)
        drawn += [
            theme.element("text", f"{row}  {TABLE_3[row].millions} M", x=8, y=y + 12),
            theme.element("text", f"{parameters(row, vocabulary):,}", x=left - 12, y=y + 12, text_anchor="end"),
            theme.element("rect", x=across(start), y=y + 2, width=across(end) - across(start), height=13, **bar),
            theme.element("text", f"{start:,} to {end - 1:,}", x=right + 14, y=y + 12),
        ]
    at = across(vocabulary)
    drawn += [theme.element("line", x1=at, x2=at, y1=30.0, y2=float(foot), stroke=theme.LIGHT["wrong"])]
    drawn += [theme.element("text", f"V = {vocabulary:,}", x=at, y=22.0, text_anchor="middle")]
    for v in range(low, high + 1, 5_000):
        drawn.append(theme.element("text", f"{v:,}", x=across(v), y=foot + 18.0, text_anchor="middle"))
    size = dict(width=760, height=foot + 28, viewBox=f"0 0 760 {foot + 28}", font_family=theme.FONT, font_size=12)
    explained = [row for row in COUNTED if vocabularies(row)[0] <= vocabulary < vocabularies(row)[1]]
    said = f"Table 3 at a vocabulary of {vocabulary:,}: {len(explained)} of {len(COUNTED)} printed counts are met. " + (
        "; ".join(f"{row} needs {start:,} to {end - 1:,}" for row in COUNTED for start, end in [vocabularies(row)])
    )
    look = dict(xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, fill=theme.GREY)
    return theme.Svg(theme.element("svg", *drawn, **look, **size), said)


# ─── The small runs ──────────────────────────────────────────────────────────────────────────────────────────────────

MEASURES = {"ppl": "perplexity, % against base", "bleu": "BLEU against base"}
LAST_DIGIT = {"ppl": 0.01, "bleu": 0.1}  # to which the paper prints: two numbers that are one apart may be equal


stored = theme.stored


def made_by(result: Mapping[str, Any]) -> str:
    """The command and the machine of a result, and how much there is of it."""
    runs, seconds = result["runs"], sum(run["seconds"] for run in result["runs"])
    seeds = sorted({run["seed"] for run in runs})
    took = f"{len(runs)} runs, seeds {seeds}, {seconds / 60:.0f} processor minutes"
    return f"{result['command']}   ({took}; {result['machine']})"


def runs_of(result: Mapping[str, Any], row: str) -> dict[int, dict[str, Any]]:
    """The runs of a row by their seed."""
    found = {run["seed"]: run for run in result["runs"] if run["row"] == row}
    if not found:
        raise ValueError(f"There is no run of {row!r}; there are {', '.join(dict.fromkeys(_rows(result)))}.")
    return found


def _rows(result: Mapping[str, Any]) -> list[str]:
    return [run["row"] for run in result["runs"]]


class Difference(NamedTuple):
    """A row less base, run by run with the same seed: the mean, its 95 % interval, and the paper's difference."""

    row: str
    paper: float | None
    mean: float
    low: float | None  # None where there is one run only
    high: float | None
    n: int
    even: bool  # the paper's two numbers are no further apart than rounding can make them

    @property
    def sign(self) -> int:
        """The sign that may be claimed: 0 where the interval holds 0, or there is no interval."""
        return 0 if self.low is None or self.high is None else (self.low > 0) - (self.high < 0)

    @property
    def verdict(self) -> str:
        """How the sign compares with the paper's."""
        if self.paper is None or self.even:
            return "not in paper" if self.paper is None else "paper: even"
        return "open" if not self.sign else "same" if (self.paper > 0) == (self.sign > 0) else "opposite"


def change(measure: str, value: float, base: float) -> float:
    """BLEU less base's, or perplexity against base's in per cent."""
    return value - base if measure == "bleu" else 100 * (value / base - 1)


def difference(result: Mapping[str, Any], row: str, measure: str, to: str = "base") -> Difference:
    """A row less base by "ppl" (in per cent) or "bleu", paired by seed, with Student's 95 % interval of the mean."""
    if measure not in MEASURES:
        raise ValueError(f"The measure is {measure!r}; choose one of {', '.join(MEASURES)}.")
    ours, base = runs_of(result, row), runs_of(result, to)
    seeds = sorted(ours.keys() & base.keys())
    if not seeds:
        raise ValueError(f"No run of {row!r} has the seed of a run of {to!r}; run both with the same seeds.")
    found = [change(measure, ours[seed][measure], base[seed][measure]) for seed in seeds]
    printed = [getattr(TABLE_3[name], measure) for name in (row, to) if name in TABLE_3]
    paper = round(change(measure, *printed), 2) if len(printed) == 2 else None
    even = paper is not None and abs(printed[0] - printed[1]) < 1.5 * LAST_DIGIT[measure]
    low, high = theme.interval(found) or (None, None)
    return Difference(row, paper, sum(found) / len(found), low, high, len(seeds), even)


def measured_rows(result: Mapping[str, Any]) -> list[str]:
    """The rows of Table 3, base left out, of which there is a run."""
    return [row for row in TABLE_3 if row != "base" and row in _rows(result)]


def differences(result: Mapping[str, Any], measure: str) -> list[Difference]:
    """What every row of Table 3 that was run does to perplexity or BLEU."""
    return [difference(result, row, measure) for row in measured_rows(result)]


def signed(value: float | None, digits: int) -> str:
    """A difference with its sign, a true minus, and no sign at 0.

    >>> signed(-0.26, 1), signed(0.0, 1)
    ('−0.3', '0.0')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−") if value < 0 else f"+{text}"


WORDS = {
    "same": "the same direction", "opposite": "the opposite direction", "open": "open, the interval holds 0",
    "paper: even": "in the paper no more than rounding", "not in paper": "not in the paper",
}  # fmt: skip


def in_words(result: Mapping[str, Any], row: str) -> list[str]:
    """What the small runs say of a row, a line for each measure; nothing where there is no run of it."""
    if row not in _rows(result):
        return []
    lines = []
    for measure, unit in (("ppl", " % perplexity"), ("bleu", " BLEU")):
        found = difference(result, row, measure)
        ends = f" (95 %: {signed(found.low, 1)} to {signed(found.high, 1)})" if found.n > 1 else ""
        verdict = WORDS[found.verdict] if found.n > 1 else "one run, no sign is claimed"
        lines.append(f"{signed(found.mean, 1)}{unit}{ends}; paper {signed(found.paper, 1)}{unit}: {verdict}")
    return lines


def around(one: Difference) -> str:
    """A mean difference and half of its interval; of one run, the difference alone."""
    return signed(one.mean, 1) + (" (one run)" if one.high is None else f" ± {one.high - one.mean:.1f}")


def difference_lines(result: Mapping[str, Any]) -> list[str]:
    """The table of all differences as text."""
    heads = ("row", "runs", "ppl, paper %", "here % (95 %)", "", "BLEU, paper", "here (95 %)", "")
    lines = ["{:10}{:>5}{:>14}{:>18} {:12}{:>12}{:>17} {}".format(*heads).rstrip()]
    for ppl, bleu in zip(differences(result, "ppl"), differences(result, "bleu"), strict=True):
        ours = [around(one) for one in (ppl, bleu)]
        lines.append(
            f"{ppl.row:10}{ppl.n:5}{signed(ppl.paper, 1):>14}{ours[0]:>18} {ppl.verdict:12}"
            f"{signed(bleu.paper, 1):>12}{ours[1]:>17} {bleu.verdict}"
        )
    return lines


def tally(result: Mapping[str, Any], measure: str) -> dict[str, list[str]]:
    """The rows by their verdict."""
    found: dict[str, list[str]] = {}
    for one in differences(result, measure):
        found.setdefault(one.verdict, []).append(one.row)
    return found


def command_of(row: str) -> str:
    """The command that runs one row here, for RunHere."""
    return f"python -m experiments.variations --only {shlex.quote(row)} --seeds 1 --out {{out}}"


def in_a_line(result: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """A run made here beside the stored one of the same row and seed."""
    run = result["runs"][-1]
    said = f"{run['row']}, seed {run['seed']}: perplexity {run['ppl']:.3f}, BLEU {run['bleu']:.1f}"
    if run["row"] not in _rows(known) or run["seed"] not in runs_of(known, run["row"]):
        return said
    other = runs_of(known, run["row"])[run["seed"]]
    return f"{said} (stored: {other['ppl']:.3f}, {other['bleu']:.1f})"


# ─── Pictures of the runs ────────────────────────────────────────────────────────────────────────────────────────────

VERDICTS = {
    "same": ("#009E73", "circle"), "opposite": ("#D55E00", "triangle-up"), "open": (theme.GREY, "cross"),
    "paper: even": (theme.GREY, "square"),
}  # fmt: skip
PAPER = "#0072B2"


def learning_curve(result: Mapping[str, Any], row: str) -> dict[str, list[float]]:
    """nll of a row's training by the share of its steps in per cent: mean, lowest and highest over the seeds."""
    runs = list(runs_of(result, row).values())
    curves = list(zip(*(run["curve"] for run in runs), strict=True))
    return {
        "x": [round(100 * (i + 0.5) / len(curves), 1) for i in range(len(curves))],
        "y": [round(sum(at) / len(at), 3) for at in curves],
        "low": [min(at) for at in curves], "high": [max(at) for at in curves],
    }  # fmt: skip


def difference_chart(result: Mapping[str, Any]) -> LinkedChart:
    """The paper's difference to base and ours, row by row; a click on a row shows its learning curve beside base's."""
    points = [
        dict(row=one.row, measure=measure, paper=one.paper, ours=round(one.mean, 2), verdict=one.verdict,
             low=round(one.mean if one.low is None else one.low, 2),
             high=round(one.mean if one.high is None else one.high, 2))
        for measure in MEASURES for one in differences(result, measure)
    ]  # fmt: skip
    if not points:
        raise ValueError("The result holds no run of a row of Table 3 beside base; run experiments.variations longer.")
    rows = ["base", *measured_rows(result)]
    curves = [
        dict(row=row, share=x, nll=y, low=low, high=high)
        for row in rows for x, y, low, high in zip(*learning_curve(result, row).values(), strict=True)
    ]  # fmt: skip
    said = "Differences to base, paper and here: " + "; ".join(
        f"{one.row} {MEASURES[measure]}: paper {signed(one.paper, 1)}, here {signed(one.mean, 1)}, {one.verdict}"
        for measure in MEASURES for one in differences(result, measure)
    )  # fmt: skip
    seeds = len(runs_of(result, "base"))
    shows = f"trained: the small runs, {seeds} seed{'s' * (seeds > 1)} · ◇ the paper's · ● ours with 95 % interval"
    return LinkedChart(difference_spec(points, curves), shows, said)


def difference_spec(points: list[dict], curves: list[dict]) -> Any:
    """Two panels of differences, one row a line, and the learning curves of what is clicked."""
    import altair as alt  # takes seconds: only who draws the chart waits

    first = max(points, key=lambda point: abs(point["ours"]) if point["measure"] == "bleu" else 0)["row"]
    picked = alt.selection_point(fields=["row"], name="picked", empty=False, value=[{"row": first}])
    panels = [
        difference_panel(alt, [point for point in points if point["measure"] == measure], title, picked, i == 0)
        for i, (measure, title) in enumerate(MEASURES.items())
    ]
    return alt.hconcat(*panels, curve_panel(alt, curves, picked), spacing=16)


def difference_panel(alt: Any, points: list[dict], title: str, picked: Any, named: bool) -> Any:
    """One measure: the paper's difference as a diamond, ours as a dot on its interval, coloured by the verdict."""
    order = [point["row"] for point in points]
    rows = alt.Y("row:N", sort=order, title=None).axis(
        labels=named, ticks=False, domain=False, labelFontSize=12, labelLimit=90, grid=True
    )
    ends = [point[name] for point in points for name in ("paper", "low", "high")]
    low, high = min(ends), max(ends)
    clip = max(2.5 * max(abs(point[name]) for point in points for name in ("paper", "ours")), 1e-6)
    scale = alt.Scale(domain=[max(low, -clip), min(high, clip)], nice=True)
    x = alt.X("ours:Q", title=title, scale=scale)
    legend = alt.Legend(title="sign", orient="bottom", columns=4) if named else None
    colours, shapes = zip(*VERDICTS.values(), strict=True)
    colour = alt.Color("verdict:N", legend=legend, scale=alt.Scale(domain=list(VERDICTS), range=colours))
    shape = alt.Shape("verdict:N", legend=legend, scale=alt.Scale(domain=list(VERDICTS), range=shapes))
    tips = ["row:N", "paper:Q", alt.Tooltip("ours:Q", title="here"), "low:Q", "high:Q", "verdict:N"]
    shared_by = dict(tooltip=tips)
    band = alt.Chart().mark_rect(color=theme.GREY, cursor="pointer").encode(
        y=rows, opacity=alt.condition(picked, alt.value(0.2), alt.value(0.001)), tooltip=tips
    )  # fmt: skip
    band = band.add_params(picked) if named else band
    zero = alt.Chart().mark_rule(color=theme.GREY, strokeWidth=1.5).encode(x=alt.XDatum(0, scale=scale))
    wide = alt.Chart().mark_rule(strokeWidth=2, clip=True).encode(
        alt.X("low:Q", scale=scale), rows, x2="high:Q", color=colour
    )  # fmt: skip
    dot = (
        alt.Chart().mark_point(filled=True, size=55, opacity=1).encode(x, rows, color=colour, shape=shape, **shared_by)
    )
    paper = alt.Chart().mark_point(shape="diamond", size=75, color=PAPER, strokeWidth=2).encode(
        alt.X("paper:Q", scale=scale), rows, **shared_by
    )  # fmt: skip
    return alt.layer(band, zero, wide, dot, paper, data=alt.Data(values=points)).properties(
        width=250, height=alt.Step(19)
    )


def curve_panel(alt: Any, curves: list[dict], picked: Any) -> Any:
    """Learning curves of base (grey) and of the row that is picked, with the spread over seeds."""
    x = alt.X("share:Q", title="share of the training, %")
    ends = [point[name] for point in curves for name in ("low", "high") if point[name] > 0]
    y = alt.Y("nll:Q", title="training nll, nats a token").scale(type="log", nice=False, domain=[min(ends), max(ends)])
    layers = []
    for of_base, colour in ((True, theme.GREY), (False, PAPER)):
        drawn = alt.Chart().transform_filter(alt.datum.row == "base" if of_base else picked)
        last = drawn.transform_aggregate(last="argmax(share)", groupby=["row"])
        word: dict[str, Any] = dict(align="right", dy=14 if of_base else -14, color=colour, fontWeight="bold")
        layers += [
            drawn.mark_area(opacity=0.25, color=colour).encode(x, alt.Y("low:Q", title=""), alt.Y2("high:Q")),
            drawn.mark_line(strokeWidth=2, color=colour).encode(x, y, tooltip=["row:N", "share:Q", "nll:Q"]),
            last.mark_text(**word).encode(alt.X("last['share']:Q"), alt.Y("last['nll']:Q"), text="row:N"),
        ]
    return alt.layer(*layers, data=alt.Data(values=curves)).properties(width=300, height=361)


NORMS = {
    "base": ("post-LN, warm-up", "#0072B2", "solid"),
    "no warm-up": ("post-LN, no warm-up", "#56B4E9", "dash"),
    "pre-LN": ("pre-LN, warm-up", "#D55E00", "solid"),
    "pre-LN, no warm-up": ("pre-LN, no warm-up", "#E69F00", "dash"),
}


def norm_chart(result: Mapping[str, Any], rates: Mapping[str, Sequence[float]]) -> Chart:
    """Learning curves of the two norms with and without warm-up, with the spread over seeds, and the rates they had.

    rates: the learning rate of each step of some of these rows.
    """
    if unknown := [row for row in rates if row not in NORMS]:
        raise ValueError(f"rates has {', '.join(map(repr, unknown))}; give them of {', '.join(map(repr, NORMS))}.")
    n, curves, schedules = len(runs_of(result, "base")), [], []
    for row, (name, colour, dash) in NORMS.items():
        if row in _rows(result):
            curves.append(Curve(name, **learning_curve(result, row), colour=colour, dash=dash))  # type: ignore[arg-type]
        if row in rates:
            shares = [100 * (step + 1) / len(rates[row]) for step in range(len(rates[row]))]
            schedules.append(Curve(name, shares, list(rates[row]), colour=colour, dash=dash))
    share = "share of the training, %"
    panels = [Panel(curves, "Training", share, "nll, nats a token", log_y=True)]
    panels += [Panel(schedules, "Learning rate", share, "rate")] if schedules else []
    return chart(panels, f"trained: the small runs, {n} seed{'s' * (n > 1)}, lowest to highest", height=380)


# ─── Gradients of untrained models ───────────────────────────────────────────────────────────────────────────────────

SETTINGS = {"post-LN": ("post", False), "pre-LN": ("pre", False), "post-LN, half gain": ("post", True)}


def gradient_norms(norm: str, n_layers: int, half_gain: bool, seeds: int = 3) -> dict[str, list[float]]:
    """‖∂loss/∂W₂‖ of every feed-forward layer of an untrained model on random text, the mean over seeds.

    half_gain: the core's own start; else plain Xavier everywhere, as Xiong et al. (2020) had it.
    """
    found = [_gradients(norm, n_layers, half_gain, seed) for seed in range(seeds)]
    return {
        stack: [sum(layer) / seeds for layer in zip(*(one[stack] for one in found), strict=True)] for stack in found[0]
    }


def _gradients(norm: str, n_layers: int, half_gain: bool, seed: int) -> dict[str, list[float]]:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = tc.Transformer(tc.TransformerConfig(100, n_layers, 64, 256, 4, 16, 16, p_drop=0.0, norm=norm))
        for name, weight in model.named_parameters():
            if not half_gain and name.endswith(("w_v.weight", "w_o.weight", "w_1.weight", "w_2.weight")):
                torch.nn.init.xavier_uniform_(weight)
        src, tgt_in, tgt_out = (torch.randint(4, 100, (8, n)) for n in (14, 12, 12))
    torch.nn.functional.cross_entropy(model(src, tgt_in).flatten(0, 1), tgt_out.flatten()).backward()
    norms = {}
    for stack in ("encoder", "decoder"):
        weights = [layer.feed_forward.w_2.weight for layer in getattr(model, stack)]
        norms[stack] = [w.grad.norm().item() for w in weights if w.grad is not None]
    return norms


def gradients_by_depth(depths: Sequence[int] = (1, 2, 4, 6, 9, 12), seeds: int = 3) -> dict[str, Any]:
    """`gradient_norms` of both norms at several depths, as `norms_view` takes them."""
    found = {
        name: {str(n): gradient_norms(norm, n, half, seeds) for n in depths} for name, (norm, half) in SETTINGS.items()
    }
    return {"depths": list(depths), "settings": found}


def norms_view(gradients: Mapping[str, Any], depth: int = 6) -> NormsView:
    """Gradients of every layer of untrained models, with the depth as a slider: `gradients_by_depth` makes them."""
    depths, settings = list(gradients["depths"]), gradients["settings"]
    if not depths or depth not in depths:
        raise ValueError(f"depth is {depth}, but gradients are of depths {depths}; choose one of these.")
    for name, of in settings.items():
        for n in depths:
            if {len(norms) for norms in of[str(n)].values()} != {n}:
                raise ValueError(f"{name!r} at depth {n} needs {n} numbers for each stack; measure it again.")
    rounded = {
        name: {n: {stack: [float(f"{x:.3g}") for x in norms] for stack, norms in of.items()} for n, of in found.items()}
        for name, found in settings.items()
    }
    meta = {
        "version": 0, "live": False, "shows": "untrained: as initialised, random text", "depths": depths,
        "settings": rounded, "title": "How large the gradient of each layer is before the first step",
    }  # fmt: skip
    view = NormsView(meta=meta, depth=depth)
    view.picture = lambda: gradient_chart(rounded, view.depth).picture
    return view


def gradient_chart(settings: Mapping[str, Any], depth: int) -> Chart:
    """The same at one depth as curves over the layers."""
    panels = [
        Panel(
            [
                Curve(name, list(range(1, depth + 1)), found[str(depth)][stack], kind="points", dash=dash)
                for (name, found), dash in zip(settings.items(), ("solid", "solid", "dash"), strict=False)
            ],
            f"{stack}, {depth} layers", "layer", "‖∂loss/∂W₂‖", log_y=True,
        )
        for stack in ("encoder", "decoder")
    ]  # fmt: skip
    return chart(panels, "untrained: as initialised, random text")
