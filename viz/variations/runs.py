"""The small runs of Table 3's rows, as charts."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from studies import stored
from studies import variations as study
from studies.statistics import signed
from viz import theme
from viz.charts import Chart, Curve, LinkedChart, Panel, chart


def command_of(row: str) -> str:
    """The command that runs one row here, for RunHere."""
    return f"python -m experiments.variations --only {shlex.quote(row)} --seeds 1 --out {{out}}"


VERDICTS = {
    "same": ("#009E73", "circle"), "opposite": ("#D55E00", "triangle-up"), "open": (theme.GREY, "cross"),
    "paper: even": (theme.GREY, "square"),
}  # fmt: skip
PAPER = "#0072B2"


def difference_chart(result: Mapping[str, Any]) -> LinkedChart:
    """The paper's difference to base and ours, row by row; a click on a row shows its learning curve beside base's."""
    points = [
        dict(row=gap.row, measure=measure, paper=gap.paper, ours=round(gap.mean, 2), verdict=gap.verdict,
             low=round(gap.mean if gap.low is None else gap.low, 2),
             high=round(gap.mean if gap.high is None else gap.high, 2))
        for measure in study.MEASURES for gap in study.differences(result, measure)
    ]  # fmt: skip
    if not points:
        raise ValueError("The result holds no run of a row of Table 3 beside base; run experiments.variations longer.")
    rows = ["base", *study.measured_rows(result)]
    curves = [
        dict(row=row, share=x, nll=y, low=low, high=high)
        for row in rows for x, y, low, high in zip(*study.learning_curve(result, row).values(), strict=True)
    ]  # fmt: skip
    description = "Differences to base, paper and here: " + "; ".join(
        f"{gap.row} {study.MEASURES[measure]}: paper {signed(gap.paper, 1)}, here {signed(gap.mean, 1)}, {gap.verdict}"
        for measure in study.MEASURES for gap in study.differences(result, measure)
    )  # fmt: skip
    seeds = len(study.runs_of(result, "base"))
    shows = f"trained: the small runs, {seeds} seed{'s' * (seeds > 1)} · ◇ the paper's · ● ours with 95 % interval"
    return LinkedChart(difference_spec(points, curves), shows, description)


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
