"""Table 3 under the reader's hands: `explore_variations` is the table with the vocabulary as a slider.

Its script computes every count by the formulas of studies/variations.py. `difference_chart` and `norm_chart` draw the
runs that experiments/variations.py stored; `norms_view` shows gradients of untrained models.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import transformer_core as tc
from studies import stored
from studies import variations as study
from studies.statistics import signed
from viz import theme
from viz.canvas import Canvas, OneOf, script, trait
from viz.theme import Chart, Curve, LinkedChart, Panel, chart

# ─── The views ────────────────────────────────────────────────────────────────────────────────────────────────────────


class VariationsView(Canvas):
    """Table 3 by row, with the vocabulary as a slider; meta["rows"] holds sizes and what is printed.

    The script computes every count by the formulas of studies/variations.py; a test holds the two together.
    """

    def _known_row(self, _: str, row: str) -> str:
        names = [row["name"] for row in self.meta["rows"]]
        if row not in names:
            raise ValueError(f"There is no row {row!r} here; choose from {', '.join(names)}.")
        return row

    _esm = script("variations.js")
    vocabulary = trait(37_000, "rows of the shared embedding", min=30_000, max=45_000)
    picked = trait("base", "the row whose page is open", check=_known_row)
    order = OneOf(["paper", "ppl", "bleu", "millions", "params", "off", "cost"], help="what the rows are sorted by")
    down = trait(False, "largest first")
    n = trait(25, "tokens of each side of the pair whose cost is counted", min=1, max=200)


class NormsView(Canvas):
    """Gradients of each layer before the first step, both norms, with the depth as a slider over meta["depths"]."""

    def _measured(self, _: str, depth: int) -> int:
        if depth not in self.meta["depths"]:
            raise ValueError(f"Depth {depth} was not measured; choose from {self.meta['depths']}.")
        return depth

    _esm = script("norms.js")
    depth = trait(6, "layers of each stack", check=_measured)


# ─── The live table ──────────────────────────────────────────────────────────────────────────────────────────────────


SIZES = ("n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "p_drop", "eps_ls", "positions", "max_len")


def rows_of_table(result: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """What the script must know of each row: sizes, what is printed, the code, and what the small runs gave."""
    told = {} if result is None else {row: study.in_words(result, row) for row in study.TABLE_3 if row != "base"}
    return [
        {
            "name": row, "code": study.code_of(row), "line": study.line_of(row), "ours": told.get(row, []),
            "changes": list(tc.PAPER_TABLE_3[row]), **printed._asdict(),
            **{name: getattr(study.config_of(row, 1), name) for name in SIZES},
        }
        for row, printed in study.TABLE_3.items()
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
    foot, drawn = 40 + step * len(study.COUNTED), []
    for place, row in enumerate(study.COUNTED):
        y, (start, end) = 40.0 + step * place, study.vocabularies(row)
        hit = start <= vocabulary < end
        bar = dict(fill=theme.VALUE if hit else "none", stroke=theme.VALUE if hit else theme.GREY)
        drawn += [
            theme.element("text", f"{row}  {study.TABLE_3[row].millions} M", x=8, y=y + 12),
            theme.element("text", f"{study.parameters(row, vocabulary):,}", x=left - 12, y=y + 12, text_anchor="end"),
            theme.element("rect", x=across(start), y=y + 2, width=across(end) - across(start), height=13, **bar),
            theme.element("text", f"{start:,} to {end - 1:,}", x=right + 14, y=y + 12),
        ]
    at = across(vocabulary)
    drawn += [theme.element("line", x1=at, x2=at, y1=30.0, y2=float(foot), stroke=theme.LIGHT["wrong"])]
    drawn += [theme.element("text", f"V = {vocabulary:,}", x=at, y=22.0, text_anchor="middle")]
    for v in range(low, high + 1, 5_000):
        drawn.append(theme.element("text", f"{v:,}", x=across(v), y=foot + 18.0, text_anchor="middle"))
    size = dict(width=760, height=foot + 28, viewBox=f"0 0 760 {foot + 28}", font_family=theme.FONT, font_size=12)
    explained = [row for row in study.COUNTED if study.vocabularies(row)[0] <= vocabulary < study.vocabularies(row)[1]]
    said = (
        f"Table 3 at a vocabulary of {vocabulary:,}: {len(explained)} of {len(study.COUNTED)} printed counts are met. "
        + (
            "; ".join(
                f"{row} needs {start:,} to {end - 1:,}"
                for row in study.COUNTED
                for start, end in [study.vocabularies(row)]
            )
        )
    )
    look = dict(xmlns="http://www.w3.org/2000/svg", role="img", aria_label=said, fill=theme.GREY)
    return theme.Svg(theme.element("svg", *drawn, **look, **size), said)


# ─── The small runs ──────────────────────────────────────────────────────────────────────────────────────────────────


def command_of(row: str) -> str:
    """The command that runs one row here, for RunHere."""
    return f"python -m experiments.variations --only {shlex.quote(row)} --seeds 1 --out {{out}}"


# ─── Pictures of the runs ────────────────────────────────────────────────────────────────────────────────────────────


VERDICTS = {
    "same": ("#009E73", "circle"), "opposite": ("#D55E00", "triangle-up"), "open": (theme.GREY, "cross"),
    "paper: even": (theme.GREY, "square"),
}  # fmt: skip
PAPER = "#0072B2"


def difference_chart(result: Mapping[str, Any]) -> LinkedChart:
    """The paper's difference to base and ours, row by row; a click on a row shows its learning curve beside base's."""
    points = [
        dict(row=one.row, measure=measure, paper=one.paper, ours=round(one.mean, 2), verdict=one.verdict,
             low=round(one.mean if one.low is None else one.low, 2),
             high=round(one.mean if one.high is None else one.high, 2))
        for measure in study.MEASURES for one in study.differences(result, measure)
    ]  # fmt: skip
    if not points:
        raise ValueError("The result holds no run of a row of Table 3 beside base; run experiments.variations longer.")
    rows = ["base", *study.measured_rows(result)]
    curves = [
        dict(row=row, share=x, nll=y, low=low, high=high)
        for row in rows for x, y, low, high in zip(*study.learning_curve(result, row).values(), strict=True)
    ]  # fmt: skip
    said = "Differences to base, paper and here: " + "; ".join(
        f"{one.row} {study.MEASURES[measure]}: paper {signed(one.paper, 1)}, here {signed(one.mean, 1)}, {one.verdict}"
        for measure in study.MEASURES for one in study.differences(result, measure)
    )  # fmt: skip
    seeds = len(study.runs_of(result, "base"))
    shows = f"trained: the small runs, {seeds} seed{'s' * (seeds > 1)} · ◇ the paper's · ● ours with 95 % interval"
    return LinkedChart(difference_spec(points, curves), shows, said)


def difference_spec(points: list[dict], curves: list[dict]) -> Any:
    """Two panels of differences, one row a line, and the learning curves of what is clicked."""
    import altair as alt  # takes seconds: only who draws the chart waits

    first = max(points, key=lambda point: abs(point["ours"]) if point["measure"] == "bleu" else 0)["row"]
    picked = alt.selection_point(fields=["row"], name="picked", empty=False, value=[{"row": first}])
    panels = [
        difference_panel(alt, [point for point in points if point["measure"] == measure], title, picked, i == 0)
        for i, (measure, title) in enumerate(study.MEASURES.items())
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
    n, curves, schedules = len(study.runs_of(result, "base")), [], []
    for row, (name, colour, dash) in NORMS.items():
        if row in stored.rows_of(result):
            curves.append(Curve(name, **study.learning_curve(result, row), colour=colour, dash=dash))  # type: ignore[arg-type]
        if row in rates:
            shares = [100 * (step + 1) / len(rates[row]) for step in range(len(rates[row]))]
            schedules.append(Curve(name, shares, list(rates[row]), colour=colour, dash=dash))
    share = "share of the training, %"
    panels = [Panel(curves, "Training", share, "nll, nats a token", log_y=True)]
    panels += [Panel(schedules, "Learning rate", share, "rate")] if schedules else []
    return chart(panels, f"trained: the small runs, {n} seed{'s' * (n > 1)}, lowest to highest", height=380)


# ─── Gradients of untrained models ───────────────────────────────────────────────────────────────────────────────────


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
