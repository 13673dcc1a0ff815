"""What was trained and measured of recurrent translators, as charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies import recurrence as study
from studies.statistics import mean
from viz import theme
from viz.charts import Chart, Curve, Panel, chart

LOOKS = {
    "GRU, one vector": ("#D55E00", "solid"), "LSTM, one vector": ("#D55E00", "dash"),
    "GRU, additive": ("#0072B2", "solid"), "LSTM, additive": ("#0072B2", "dash"),
    "GRU, dot": ("#56B4E9", "solid"), "LSTM, dot": ("#56B4E9", "dash"), "Transformer": ("#009E73", "solid"),
}  # fmt: skip


def drawn_as(kind: str, x: Sequence[float], rows: Sequence[Sequence[float]]) -> Curve:
    """A kind's curve: the mean over its runs, with the lowest and highest of them as a band where there are several."""
    colour, dash = LOOKS[kind]
    columns = [*zip(*rows, strict=True)]
    ends: dict[str, Any] = dict(low=[min(c) for c in columns], high=[max(c) for c in columns]) if len(rows) > 1 else {}
    return Curve(kind, list(x), [mean(c) for c in columns], colour=colour, dash=dash, **ends)


BINS = ((4, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 16), (17, 18), (19, 21))


def length_chart(reverse: dict[str, Any], grammar: dict[str, Any]) -> Chart:
    """How many come out whole, against the length of the source: symbols said backwards, and sentences."""
    lengths = list(range(1, reverse["tested"] + 1))
    symbols = [drawn_as(kind, lengths, [run["exact"] for run in runs]) for kind, runs in study.of_kind(reverse).items()]
    middle = [(low + high) / 2 for low, high in BINS]
    sentences = [
        drawn_as(kind, middle, [study.exact_by_length(run, BINS) for run in runs])
        for kind, runs in study.of_kind(grammar).items()
    ]
    marks = [(reverse["trained"], "")]
    panels = [
        Panel(symbols, "said backwards, by symbols", "", "share without a mistake", y_range=(0, 1), marks=marks),
        Panel(sentences, "translated, by English words", "", "share right to the letter", y_range=(0, 1)),
    ]
    return chart(panels, "trained, equal sizes", height=420)


def alignment_chart(result: dict[str, Any]) -> Chart:
    """Alignment error of each attention, read naively and shifted, bars with the lowest and highest run."""
    runs = {kind: repeats for kind, repeats in study.of_kind(result).items() if "naive" in repeats[0]}
    curves = []
    for reading, colour in (("naive", "#0072B2"), ("shifted", "#E69F00")):
        rows = [[run[reading] for run in repeats] for repeats in runs.values()]
        several = any(len(row) > 1 for row in rows)
        ends: dict[str, Any] = dict(low=[*map(min, rows)], high=[*map(max, rows)]) if several else {}
        curves.append(Curve(reading, list(runs), [mean(row) for row in rows], kind="bars", colour=colour, **ends))
    title = "Alignment error on the grammar (lower is better)"
    return chart(Panel(curves, title, "", "AER", y_range=(0, 1)), "trained, equal sizes")


def layers_chart(result: dict[str, Any]) -> Chart:
    """Of the shipped model's layers, the lowest alignment error of any head, both readings."""
    layers = list(range(len(result["naive"])))
    curves = [
        Curve(f"best head, {reading}", layers, [min(row) for row in result[reading]], kind="points", colour=colour)
        for reading, colour in (("naive", "#0072B2"), ("shifted", "#E69F00"))
    ]
    flat = Curve("the diagonal, no model", layers, [result["diagonal"]] * len(layers), colour=theme.GREY, dash="dash")
    panel = Panel([*curves, flat], "Cross-attention against gold links", "decoder layer", "AER", y_range=(0, 1))
    return chart(panel, f"trained: {result['model']}")


def per_token_chart(times: Mapping[str, Mapping[int, float]], width: int) -> Chart:
    """Microseconds a word, from milliseconds of whole sequences by their length: {layer: {n: ms}}."""
    curves = [
        Curve(name, list(ms), [float(f"{1000 * time / n:.3g}") for n, time in ms.items()], kind="points")
        for name, ms in times.items()
    ]
    panel = Panel(curves, f"time for each word, width {width}", "words n", "µs a word", log_x=True, log_y=True)
    return chart(panel, "measured: untrained layers")


def speed_chart(result: dict[str, Any]) -> Chart:
    """Steps of training per second, as many tokens each, against the length of the sentences; and what must wait."""
    lengths, runs = result["lengths"], study.of_kind(result)
    rates = [
        drawn_as(kind, lengths, [[1 / t for t in run["seconds"]] for run in repeats]) for kind, repeats in runs.items()
    ]
    chains = [
        drawn_as(kind, lengths, [r["chain"] for r in repeats]) for kind, repeats in runs.items() if repeats[0]["chain"]
    ]
    panels = [
        Panel(rates, f"steps of {result['tokens']} tokens, by length", "", "steps per second", log_x=True),
        Panel(chains, "products that wait, by length", "", "longest chain", log_x=True, log_y=True),
    ]
    return chart(panels, "untrained, equal sizes", height=400)
