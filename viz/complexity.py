"""Table 1 under the reader's hands: what each kind of layer costs, what in it must wait, how far positions are apart.

`complexity_view` takes the formulas of `baselines.KINDS` as data and lets sliders move them; `explore_complexity` can
measure the real layers too. `linked_table` is Table 1 as numbers and curves that answer to each other; the charts take
what was measured.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import baselines
from studies import complexity as study
from viz import theme
from viz.canvas import Canvas, script, trait
from viz.theme import Chart, Curve, LinkedChart, Panel, chart

# ─── The view ─────────────────────────────────────────────────────────────────────────────────────────────────────────


class ComplexityView(Canvas):
    """Table 1 by sliders: n, d, k, r, the layers shown, and whether projections are counted, can be read and set.

    meta["rows"] holds each layer's formulas as data, so that the script computes every number by itself.
    """

    def _known_layers(self, _: str, layers: list[str]) -> list[str]:
        names = [row["name"] for row in self.meta["rows"]]
        if not layers or not set(layers) <= set(names):
            raise ValueError(f"shown is {layers}; show one or more of {', '.join(map(repr, names))}.")
        return layers

    def _odd_if_centred(self, changed: str, value: int) -> int:
        after = {"k": self.k, "r": self.r, "causal": self.causal} | {changed: value}
        even = [f"{name} is {after[name]}" for name in ("k", "r") if after[name] % 2 == 0]
        if even and not after["causal"]:
            raise ValueError(f"{' and '.join(even)}; centred, it must be odd, or set causal to True.")
        return value

    _esm = script("complexity.js")
    n = trait(70, "positions", min=2, max=4096)
    d = trait(512, "width", min=8, max=2048)
    k = trait(3, "kernel", min=2, max=31, check=_odd_if_centred)
    r = trait(33, "window", min=2, max=255, check=_odd_if_centred)
    core = trait(True, "count as the paper does, without projections")
    causal = trait(True, "each position reads earlier ones only", check=_odd_if_centred)
    shown = trait([], "names of the layers shown", of=trait(""), check=_known_layers)
    picked = trait("self-attention", "the layer that is told in words")


# How each layer is drawn: its colour among the eight of theme.OKABE_ITO, its dash, its name where there is little room.
STYLES: dict[str, tuple[int, str, str]] = {
    "self-attention": (0, "solid", "attention"),
    "RNN": (5, "solid", "RNN"),
    "GRU": (1, "dash", "GRU"),
    "LSTM": (3, "solid", "LSTM"),
    "convolution": (2, "solid", "conv"),
    "dilated convolution": (2, "dash", "dilated"),
    "doubling convolution": (2, "dot", "doubling"),
    "separable convolution": (7, "dash", "separable"),
    "restricted self-attention": (4, "dash", "window"),
    "feed-forward": (7, "dot", "FFN"),
}
PAPER_ROWS = ("self-attention", "RNN", "convolution", "restricted self-attention")
LENGTHS = tuple(2**i for i in range(1, 13))


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def rows_of_table() -> list[dict[str, Any]]:
    """What the script must know of each layer: its formulas as data, and how it is drawn."""
    return [
        {
            "name": name, "short": STYLES[name][2], "colour": STYLES[name][0], "dash": STYLES[name][1],
            "order": kind.order, "core": kind.core, "terms": kind.terms, "chain": kind.chain, "path": kind.path,
            "formula": baselines.formula(name), "core_formula": baselines.formula(name, core=True),
        }
        for name, kind in baselines.KINDS.items()
    ]  # fmt: skip


def complexity_view(
    measured: dict[str, dict] | None = None, shown: Sequence[str] = PAPER_ROWS, live: bool = False, **opens_with: Any
) -> ComplexityView:
    """Table 1 by sliders, from the formulas alone.

    measured: what the real layers gave at these sizes (`measure_layers`); shown: the layers, as in `baselines.KINDS`.
    opens_with: traits to begin with, such as n=70, d=512, k=3, r=33, core=False.
    """
    meta = {
        "version": 0, "live": live, "shows": "exact formulas of Table 1", "measured": measured, "rows": rows_of_table(),
        "title": "Table 1: what one layer costs over n positions",
    }  # fmt: skip
    view = ComplexityView(meta=meta, shown=list(shown), **opens_with)
    view.picture = lambda: formula_chart(view.shown, view.n, view.d, view.k, view.r, view.core, view.causal).picture
    return view


def explore_complexity(shown: Sequence[str] = PAPER_ROWS, **opens_with: Any) -> ComplexityView:
    """Table 1 by sliders, whose button counts and measures the real layers at the sizes shown."""
    view = complexity_view(None, shown, live=True, **opens_with)
    view.answers = {"measure": answer_measure}
    return view


def answer_measure(message: dict) -> tuple[dict, list[bytes]]:
    """What the view's button asks for."""
    sizes = {letter: int(message[letter]) for letter in "ndkr"}
    return sizes | {"measured": study.measure_layers(message["names"], causal=bool(message["causal"]), **sizes)}, []


# ─── Charts ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def colour_of(name: str) -> str:
    """The colour of a layer in a chart; black becomes the grey that light and dark pages carry."""
    return theme.GREY if STYLES[name][0] == 7 else theme.OKABE_ITO[STYLES[name][0]]


def drawn_as(name: str, curve: Curve) -> Curve:
    """A curve in the colour and the dash of a layer."""
    return replace(curve, colour=colour_of(name), dash=STYLES[name][1])


def curve_of(name: str, value: Callable[[int], float | None], lengths: Sequence[int] = LENGTHS) -> Curve:
    """A layer's curve over n; where it has no value there is no point."""
    points = [(n, y) for n in lengths if (y := value(n)) is not None]
    return drawn_as(name, Curve(name, [n for n, _ in points], [y for _, y in points]))


def formula_chart(
    names: Sequence[str], n: int, d: int, k: int, r: int, core: bool = True, causal: bool = True
) -> Chart:
    """The three columns of Table 1 over n, from the formulas."""
    columns: dict[str, Callable[[str, int], int | None]] = {
        "Multiply-adds per layer": lambda name, n: baselines.multiply_adds(name, n, d, k, r, core),
        "Sequential operations": baselines.sequential_operations,
        "Maximum path length": lambda name, n: baselines.path_length(name, n, k, r, causal),
    }
    panels = [
        Panel([curve_of(name, functools.partial(value, name)) for name in names], title, "n", log_x=True, log_y=True,
              marks=[(n, f"n = {n}")])
        for title, value in columns.items()
    ]  # fmt: skip
    said = f"Table 1 for d = {d}, k = {k}, r = {r}: " + "; ".join(
        f"{name} at n = {n}: {baselines.multiply_adds(name, n, d, k, r, core):,} multiply-adds, "
        f"{baselines.sequential_operations(name, n)} sequential, path {baselines.path_length(name, n, k, r, causal)}"
        for name in names
    )
    return chart(panels, "exact formulas of Table 1", said)


def path_chart(measured: dict[str, dict[int, int]], k: int, r: int) -> Chart:
    """Path lengths of real stacks as points, on the formulas as lines: {layer: {n: layers that it took}}."""
    points = [(n, layers) for found in measured.values() for n, layers in found.items()]
    lengths = range(2, max(n for n, _ in points) + 1)
    curves = [curve_of(name, functools.partial(baselines.path_length, name, k=k, r=r), lengths) for name in measured]
    curves.append(Curve("measured", [n for n, _ in points], [y for _, y in points], kind="dots", colour=theme.GREY))
    panel = Panel(curves, "Layers until the first input reaches the last output", "n", "layers")
    return chart(panel, "synthetic: random weights", height=420)


def gradient_chart(gradients: dict[str, Sequence[float]]) -> Chart:
    """How much the last output feels each earlier input: {layer: gradient's length at distance 0, 1, …}."""
    curves = [
        drawn_as(name, Curve(name, list(range(len(lengths))), [float(f"{x:.2e}") for x in lengths]))
        for name, lengths in gradients.items()
    ]
    title = "Gradient of the last output by distance"
    panel = Panel(curves, title, "positions back", "length of the gradient", log_y=True)
    return chart(panel, "untrained: layers as initialised", height=380)


def first_input_chart(felt: Mapping[str, Mapping[int, float]]) -> Chart:
    """How much the last output feels the first of n inputs: {layer: {n: the gradient's length}}."""
    curves = [
        drawn_as(name, Curve(name, list(lengths), [float(f"{x:.2e}") for x in lengths.values()], kind="points"))
        for name, lengths in felt.items()
    ]
    title = "Gradient of the last output by the first input, ‖∂h_n/∂x_1‖"
    panel = Panel(curves, title, "positions n", "length of the gradient", log_x=True, log_y=True)
    return chart(panel, "untrained: layers as initialised", height=380)


# ─── What was timed ──────────────────────────────────────────────────────────────────────────────────────────────────


def measured_curve(result: dict[str, Any], name: str, d: int, field: str) -> Curve:
    """Median milliseconds with their quartiles, or MiB, of a layer over n; torch's own layers are dotted."""
    per = 1 if field == "ms" else 2**20

    def over_n(field: str) -> list[float]:
        return [float(f"{value / per:.3g}") for value in study.timed(result, name, d, field).values()]

    low, high = (over_n(side) if field == "ms" else None for side in ("low", "high"))
    lengths = list(study.timed(result, name, d))
    curve = drawn_as(name.removeprefix("torch.nn."), Curve(name, lengths, over_n(field), low, high, kind="points"))
    return replace(curve, dash="dot") if name.startswith("torch") else curve


FIGURES = (("Forward and backward", "ms", "milliseconds"), ("Kept for the backward pass", "bytes", "MiB"))


def measured_chart(result: dict[str, Any], layers: Sequence[str], d: int) -> Chart:
    """Time (median, quartiles around it) and memory of each layer over n, as measured."""
    panels = [
        Panel([measured_curve(result, name, d, field) for name in layers], title, "n", unit, log_x=True, log_y=True,
              marks=[(d, f"n = d = {d}")])
        for title, field, unit in FIGURES
    ]  # fmt: skip
    machine = result["machine"]
    return chart(panels, f"measured, {machine['threads']} of {machine['cores']} cores", height=420)


SIZES = {"length": "tokens in a sentence", "width": "features, d_model", "batch": "sentences in a batch"}


def cost_chart(result: dict[str, Any]) -> Chart:
    """A whole model's training step as one size grows: time and memory, in multiples of the first point's."""
    panels = []
    for size, x_title in SIZES.items():
        points = result["curves"][size]["points"]
        x = [point[size] for point in points]
        grown = {
            name: [float(f"{point[field] / points[0][field]:.3g}") for point in points]
            for name, field in (("time", "seconds"), ("memory", "bytes"), ("multiply-adds", "flop"))
        }
        curves = [Curve(name, x, grown[name], kind="points") for name in ("time", "memory")]
        curves.append(Curve("multiply-adds", x, grown["multiply-adds"], dash="dash", colour=theme.GREY))
        panels.append(Panel(curves, f"Against {size}", x_title, f"times that of {x[0]}", log_x=True, log_y=True))
    machine = result["machine"]
    return chart(panels, f"measured, {machine['threads']} of {machine['cores']} cores", height=400)


# ─── The linked table ────────────────────────────────────────────────────────────────────────────────────────────────


# The columns, and where each begins, in pixels.
COLUMNS = {"layer": 22, "O(…)": 196, "formula": 306, "multiply-adds": 410, "sequential": 522, "path": 606}


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
    said = title + ". " + "; ".join(", ".join(text) for text in texts.values())
    return LinkedChart(linked_spec(texts, curves, title, n), "exact formulas of Table 1", said)


def linked_spec(texts: Mapping[str, Sequence[str]], curves: list[dict], title: str, n: int) -> Any:
    """Rows of text ({layer: a text for each column}), beside them a curve for each row, joined by what is clicked."""
    import altair as alt  # takes seconds: only who draws the table waits

    names, height = list(texts), 26 * len(texts)
    click = alt.selection_point(fields=["layer"], name="picked", empty=True)
    faint = alt.condition(click, alt.value(1.0), alt.value(0.18))
    colour = alt.Color("layer:N", legend=None).scale(domain=names, range=[colour_of(name) for name in names])
    dash = alt.StrokeDash("layer:N", legend=None).scale(
        domain=names, range=[theme.DASHES[STYLES[name][1]] for name in names]
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
