"""Table 1 linked with its curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import baselines
from viz import charts, theme
from viz.charts import LinkedChart
from viz.complexity.charts import LENGTHS, STYLES, colour_of

# The columns, and where each begins, in pixels.
COLUMNS = {"layer": 22, "O(…)": 182, "formula": 274, "multiply-adds": 368, "sequential operations": 474, "path": 628}


def linked_table(names: Sequence[str], n: int, d: int, k: int, r: int, core: bool = False) -> LinkedChart:
    """Table 1 with exact integers; a click on a row brings out its curve, a click beside it all of them."""
    texts = {
        name: (
            name, baselines.kind_of(name).order, baselines.formula(name, core),
            f"{baselines.multiply_adds(name, n, d, k, r, core):,}", f"{baselines.sequential_operations(name, n):,}",
            "never" if (path := baselines.path_length(name, n, k, r)) is None else str(path),
        )
        for name in names
    }  # fmt: skip
    curves = [
        {"layer": name, "n": length, "multiply-adds": baselines.multiply_adds(name, length, d, k, r, core)}
        for name in names
        for length in LENGTHS
    ]
    title = f"Table 1 for n = {n}, d = {d}, k = {k}, r = {r}: click a row"
    description = title + ". " + "; ".join(", ".join(text) for text in texts.values())
    return LinkedChart(linked_spec(texts, curves, title, n), "exact formulas of Table 1", description)


def linked_spec(texts: Mapping[str, Sequence[str]], curves: list[dict], title: str, n: int) -> Any:
    """Rows of text ({layer: a text for each column}), beside them a curve for each row, joined by what is clicked."""
    import altair as alt  # takes seconds: only who draws the table waits

    names, height = list(texts), 26 * len(texts)
    click = alt.selection_point(fields=["layer"], name="picked", empty=True)
    faint = alt.condition(click, alt.value(1.0), alt.value(0.18))
    colour = alt.Color("layer:N", legend=None).scale(domain=names, range=[colour_of(name) for name in names])
    dash = alt.StrokeDash("layer:N", legend=None).scale(
        domain=names, range=[charts.DASHES[STYLES[name][1]] for name in names]
    )
    lines = (
        alt.Chart(alt.Data(values=curves))
        .mark_line(strokeWidth=2.4, cursor="pointer")
        .encode(
            alt.X("n:Q").scale(type="log", base=2).axis(values=[4, 16, 64, 256, 1024, 4096]),
            alt.Y("multiply-adds:Q").scale(type="log").axis(format="~s", title="multiply-adds"),
            colour, dash, opacity=faint, tooltip=["layer:N", "n:Q", alt.Tooltip("multiply-adds:Q", format=",")],
        )
    )  # fmt: skip
    at = alt.Chart(alt.Data(values=[{"n": n}])).mark_rule(color=theme.GREY, strokeDash=[2, 3]).encode(x="n:Q")
    table = alt.layer(*table_layers(texts, colour, click, faint)).properties(width=660, height=height, title=title)
    return alt.hconcat(table, alt.layer(lines, at).properties(width=230, height=height))


def table_layers(texts: Mapping[str, Sequence[str]], colour: Any, click: Any, faint: Any) -> list[Any]:
    """A table as layers of a chart: a band for each row that takes the click, its colour, its texts, the headings."""
    import altair as alt

    cells = [
        {"layer": name, "at": at, "text": text}
        for name, row in texts.items()
        for at, text in zip(COLUMNS.values(), row, strict=True)
    ]
    rows, heads = [{"layer": name} for name in texts], [{"at": at, "text": name} for name, at in COLUMNS.items()]
    along = alt.X("at:Q", axis=None).scale(domain=[0, 660], nice=False)
    down = alt.Y("layer:N", sort=list(texts), axis=None)
    word: dict[str, Any] = dict(align="left", fontSize=12, color=theme.GREY, cursor="pointer")
    band = alt.Chart(alt.Data(values=rows)).mark_rect(color=theme.GREY, cursor="pointer").encode(
        y=down, opacity=alt.condition({"param": "picked", "empty": False}, alt.value(0.16), alt.value(0.001)),
        tooltip=["layer:N"],
    ).add_params(click)  # fmt: skip
    swatch = alt.Chart(alt.Data(values=rows)).mark_square(size=90).encode(
        y=down, x=alt.value(9), color=colour, opacity=faint
    )  # fmt: skip
    text = alt.Chart(alt.Data(values=cells)).mark_text(**word).encode(along, down, text="text:N", opacity=faint)
    head = alt.Chart(alt.Data(values=heads)).mark_text(**word | {"fontWeight": "bold"}).encode(
        along, y=alt.value(-9), text="text:N"
    )  # fmt: skip
    return [band, swatch, text, head]
