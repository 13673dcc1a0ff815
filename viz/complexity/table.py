"""Table 1 as a calculator: every cost at a length and a width that the reader sets, and measured here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import baselines
from studies import complexity as study
from viz.canvas import Canvas, Takes, script, trait
from viz.complexity.charts import PAPER_ROWS, STYLES, formula_chart


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

    _esm = script(__file__)
    n = trait(70, "positions", min=2, max=4096)
    d = trait(512, "width", min=8, max=2048)
    k = trait(3, "kernel", min=2, max=31, check=_odd_if_centred)
    r = trait(33, "window", min=2, max=255, check=_odd_if_centred)
    core = trait(True, "count as the paper does, without projections")
    causal = trait(True, "each position reads earlier ones only", check=_odd_if_centred)
    shown = trait(
        [],
        "names of the layers shown",
        of=trait(""),
        check=_known_layers,
        takes=Takes.list_of(Takes.one_in("rows.name"), 1),
    )
    picked = trait("self-attention", "the layer that is told in words", takes=Takes.one_in("rows.name"))


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
        "live": live, "shows": "exact formulas of Table 1", "measured": measured, "rows": rows_of_table(),
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
