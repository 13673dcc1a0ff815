"""What each kind of layer costs by the formulas of Table 1, as charts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import baselines
from viz import theme
from viz.charts import Chart, Curve, Panel, chart

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


def _path(name: str, n: int, k: int, r: int, causal: bool) -> str:
    length = baselines.path_length(name, n, k, r, causal)
    if length is None:
        return "no path between positions" if baselines.KINDS[name].path == "∞" else "no formula for the path"
    return f"path {length}"


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
    description = f"Table 1 for d = {d}, k = {k}, r = {r}: " + "; ".join(
        f"{name} at n = {n}: {baselines.multiply_adds(name, n, d, k, r, core):,} multiply-adds, "
        f"{baselines.sequential_operations(name, n)} sequential, {_path(name, n, k, r, causal)}"
        for name in names
    )
    return chart(panels, "exact formulas of Table 1", description)


def path_chart(measured: dict[str, dict[int, int]], k: int, r: int) -> Chart:
    """Path lengths of real stacks as points, on the formulas as lines: {layer: {n: layers that it took}}."""
    points = [(n, layers) for by_length in measured.values() for n, layers in by_length.items()]
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
    title = "Gradient of the last output by the first input, ‖∂h_n/∂x_1‖ / √d"
    panel = Panel(curves, title, "positions n", "length of the gradient", log_x=True, log_y=True)
    return chart(panel, "untrained: layers as initialised", height=380)
