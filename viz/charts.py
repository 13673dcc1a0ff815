"""Charts of curves, bars and small linked tables, in Plotly and Vega-Lite, each with a picture of itself.

`chart` puts panels of curves side by side; a `LinkedChart` is a table or chart whose parts answer to each other.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert
from plotly import graph_objects
from plotly.subplots import make_subplots

from viz.stills import Svg
from viz.theme import CHART_COLOURS, FONT, GREY, all_evident, escaped, evident, shortened

# ─── Curves and bars ─────────────────────────────────────────────────────────────────────────────────────────────────

DASHES = {"solid": [1, 0], "dash": [6, 4], "dot": [2, 3]}
QUIET = {"displaylogo": False, "showSendToCloud": False}  # of Plotly: no advertisement, and nothing is uploaded


@dataclass(frozen=True)
class Curve:
    """One line of a panel, or one set of its bars: a y for each x; low and high bound a band or whiskers around it."""

    name: str
    x: Sequence[float] | Sequence[str]
    y: Sequence[float]
    low: Sequence[float] | None = None
    high: Sequence[float] | None = None
    kind: str = "line"  # "line", "points" (line and points), "dots" (points alone) or "bars"
    colour: str | None = None
    dash: str = "solid"  # "solid", "dash" or "dot"

    def __post_init__(self) -> None:
        lengths = {len(side) for side in (self.x, self.y, self.low, self.high) if side is not None}
        if len(lengths) > 1 or (self.low is None) != (self.high is None):
            raise ValueError(
                f"The curve {self.name!r} has {len(self.x)} x and {len(self.y)} y; give as many of each, "
                "and low and high, if any, together and as many."
            )


@dataclass(frozen=True)
class Panel:
    """One pair of axes and its curves; marks are upright lines [(x, what stands there), …]."""

    curves: Sequence[Curve]
    title: str = ""
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    marks: Sequence[tuple[float, str]] = ()

    def __post_init__(self) -> None:
        if not self.curves:
            raise ValueError(f"The panel {self.title!r} has no curves; give at least one.")


def newest_vega_lite() -> str:
    """The newest version of Vega-Lite that vl-convert brings."""
    return max(vl_convert.get_vegalite_versions(), key=lambda version: [*map(int, version.split("."))])


class Chart:
    """Panels side by side: a Plotly figure that moves, and a picture of it for pages without JavaScript."""

    def __init__(self, panels: Sequence[Panel], shows: str, description: str, height: int) -> None:
        self.panels, self.shows, self.description, self.height = panels, shows, description, height

    @functools.cached_property
    def figure(self) -> graph_objects.Figure:
        titles, n = [_titled(panel.title) for panel in self.panels], len(self.panels)
        figure = make_subplots(1, n, subplot_titles=titles, horizontal_spacing=0.28 / n)  # beside a side bar too
        named: set[str] = set()
        for column, panel in enumerate(self.panels, 1):
            for curve in panel.curves:
                for trace in _traces(curve, self.colour(curve), curve.name not in named):
                    figure.add_trace(trace, 1, column)
                named.add(curve.name)
            _axes(figure, panel, column)
            if column > 1 and panel.y_title == self.panels[column - 2].y_title:
                figure.update_yaxes(title_text="", col=column)  # said once, at the left
        shows = dict(text=f"{_titled(self.shows)}  ", font_size=12, side="top")  # at the side, entries are cut
        figure.update_layout(
            height=max(self.height, 80 + 30 * len(named)),  # names stand below each other where they are long
            margin=dict(l=60, r=20, t=46, b=84), paper_bgcolor="rgba(0,0,0,0)",
            plot_bgcolor="rgba(0,0,0,0)", font=dict(family=FONT, size=12, color=GREY), hovermode="x unified",
            legend=dict(orientation="h", x=0, y=0, yref="container", yanchor="bottom", title=shows),
            bargap=0.25,
            hoverlabel=dict(bgcolor="#ffffff", font=dict(color="#1f2328", family=FONT)),
        )  # fmt: skip
        figure.update_annotations(font=dict(size=13, color=GREY))
        titled = [column for column, panel in enumerate(self.panels, 1) if panel.title]
        for column, title in zip(titled, figure.layout.annotations, strict=False):  # the marks' words come after
            title.update(x=next(figure.select_xaxes(col=column)).domain[0], xanchor="left")  # in sight on a phone too
        return figure

    @functools.cached_property
    def picture(self) -> Svg:
        spec = {"hconcat": [self._drawn(panel) for panel in self.panels], "config": _VEGA}
        return Svg(vl_convert.vegalite_to_svg(_drawable(spec), vl_version=newest_vega_lite()), self.description)

    def colour(self, curve: Curve) -> str:
        """A curve keeps its colour through all panels: its own, or one by the order in which names appear."""
        names = list(dict.fromkeys(c.name for panel in self.panels for c in panel.curves))
        return curve.colour or CHART_COLOURS[names.index(curve.name) % len(CHART_COLOURS)]

    def _drawn(self, panel: Panel) -> dict:
        # of all panels, which share the legend: put together by Vega-Lite, two curves of one colour would be one short
        colours = {curve.name: self.colour(curve) for each in self.panels for curve in each.curves}
        key = {"domain": list(colours), "range": list(colours.values())}
        legend = {"title": self.shows, "orient": "bottom", "columns": 3, "labelLimit": 260}
        axes = {
            "x": _vega_axis(panel.x_title, panel.log_x, None, panel.curves[0]),
            "y": _vega_axis(panel.y_title, panel.log_y, panel.y_range, None),
            "color": {"field": "name", "type": "nominal", "scale": key, "legend": legend},
        }
        layers = [layer for curve in panel.curves for layer in _layers(curve, axes)]
        wide = max(200, 820 // len(self.panels) - 70)
        return {"title": panel.title, "width": wide, "height": self.height - 130, "layer": [*layers, *_rules(panel)]}

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        moving = {"application/vnd.plotly.v1+json": self.figure.to_plotly_json() | {"config": QUIET}}
        return moving | self.picture._repr_mimebundle_()


def chart(panels: Panel | Sequence[Panel], shows: str, description: str = "", height: int = 340) -> Chart:
    """Draw panels side by side; shows says what of: trained (which checkpoint), untrained or synthetic.

    description is what someone who does not see the picture is told; by default the titles and the names of the curves.
    """
    panels = [panels] if isinstance(panels, Panel) else list(panels)
    names = "; ".join(f"{p.title or p.y_title}: {', '.join(curve.name for curve in p.curves)}" for p in panels)
    return Chart(panels, shows, description or f"{names} ({shows})", height)


def _drawable(spec: Any, words: bool = False) -> Any:
    """A Vega-Lite specification whose words are no longer than a picture has room for; its expressions stay whole.

    Vega measures a label by drawing it, shorter and shorter: one of ten thousand letters takes it a minute.
    """
    if isinstance(spec, str):
        return shortened(spec, 160) if words else spec
    if isinstance(spec, dict):
        fields = ("values", "datasets", "domain", "title", "text")
        return {name: _drawable(part, words or name in fields) for name, part in spec.items()}
    return [_drawable(part, words) for part in spec] if isinstance(spec, (list, tuple)) else spec


LABEL = 24  # characters of a place's name, which Plotly may write downwards


def _titled(text: str, most: int = 100) -> str:
    """A title or a name as Plotly has room for it, and as text: it takes tags for markup, and knows no &quot;."""
    return escaped(shortened(text, most)).replace("&quot;", "&#34;")


def _traces(curve: Curve, colour: str, in_legend: bool) -> list[Any]:
    shared = dict(name=_titled(curve.name), legendgroup=evident(curve.name), showlegend=in_legend)
    x, y = [_titled(x, LABEL) if isinstance(x, str) else x for x in curve.x], list(curve.y)
    if curve.kind == "bars":
        spread = None
        if curve.low is not None and curve.high is not None:
            spread = dict(
                type="data", symmetric=False, color=GREY, thickness=1.5,
                array=[h - v for h, v in zip(curve.high, y, strict=True)],
                arrayminus=[v - low for low, v in zip(curve.low, y, strict=True)],
            )  # fmt: skip
        return [graph_objects.Bar(x=x, y=y, marker_color=colour, error_y=spread, **shared)]
    mode = {"points": "lines+markers", "dots": "markers"}.get(curve.kind, "lines")
    line = graph_objects.Scatter(x=x, y=y, mode=mode, line=dict(color=colour, width=2, dash=curve.dash), **shared)
    if curve.low is None or curve.high is None:
        return [line]
    around = graph_objects.Scatter(
        x=x + x[::-1], y=list(curve.high) + list(curve.low)[::-1], fill="toself", fillcolor=colour, opacity=0.2,
        mode="lines", line=dict(width=0), hoverinfo="skip", legendgroup=evident(curve.name), showlegend=False,
    )  # fmt: skip
    return [around, line]


def _axes(figure: graph_objects.Figure, panel: Panel, column: int) -> None:
    lines = dict(
        gridcolor="rgba(125,133,142,.22)", linecolor=GREY, zerolinecolor="rgba(125,133,142,.5)", row=1, col=column
    )
    words = any(isinstance(x, str) for curve in panel.curves for x in curve.x)  # "0.5" too is a word here
    kind = "log" if panel.log_x else "category" if words else None
    figure.update_xaxes(title_text=_titled(panel.x_title), type=kind, **lines)
    figure.update_yaxes(title_text=_titled(panel.y_title), type="log" if panel.log_y else None, **lines)
    if panel.log_x:
        numbers = [x for curve in panel.curves for x in curve.x if not isinstance(x, str)]
        figure.update_xaxes(_log_labels(numbers, 4), row=1, col=column)
    if panel.log_y:
        figure.update_yaxes(_log_labels([y for curve in panel.curves for y in curve.y], 2), row=1, col=column)
    if panel.y_range:
        low, high = panel.y_range
        figure.update_yaxes(
            range=[math.log10(low), math.log10(high)] if panel.log_y else [low, high], row=1, col=column
        )
    for x, text in panel.marks:
        figure.add_vline(x, line=dict(color=GREY, width=1, dash="dot"), row=1, col=column)
        place = math.log10(x) if panel.log_x else x  # a logarithmic axis takes words, unlike lines, by the exponent
        where = dict(x=place, y=1, yref="y domain", xanchor="left", xshift=2, row=1, col=column)
        figure.add_annotation(text=_titled(text), showarrow=False, **where)


def _log_labels(values: Sequence[float], few: int) -> dict[str, Any]:
    """What a logarithmic axis is labelled at: some powers of ten; where it spans few of them, also 2 and 5 times each.

    All are as large: Plotly writes a power a quarter larger than is asked, and a 2 or 5 that has no format smaller.
    """
    values = [value for value in values if value > 0]
    powers = math.log10(max(values) / min(values)) if values else 0
    if powers > few:
        return {"dtick": math.ceil(powers / 7), "exponentformat": "power", "tickfont": {"size": 12 / 1.25}}
    return {"dtick": "D2", "tickformat": ",~g"}


_VEGA = {
    "background": None, "font": FONT, "view": {"stroke": None}, "title": {"color": GREY, "fontSize": 13},
    "axis": {
        "labelColor": GREY, "titleColor": GREY, "domainColor": GREY, "tickColor": GREY, "tickCount": 5,
        "gridColor": "#7d858e", "gridOpacity": 0.22,
    },
    "legend": {"labelColor": GREY, "titleColor": GREY, "titleLimit": 780, "symbolOpacity": 1, "symbolType": "square"},
}  # fmt: skip


def _vega_axis(title: str, log: bool, bounds: tuple[float, float] | None, like: Curve | None) -> dict:
    field = "y" if like is None else "x"
    named = like is not None and any(isinstance(x, str) for x in like.x)
    scale: dict[str, Any] = {"type": "log" if log else "linear", "zero": False, "nice": not log} | (
        {"domain": list(bounds)} if bounds else {}
    )
    if named:
        return {"field": field, "type": "nominal", "title": title, "sort": None, "axis": {"labelAngle": 0}}
    whole_powers = {"axis": {"tickCount": 3}} if log else {}  # else nine lines a power of ten
    return {"field": field, "type": "quantitative", "title": title, "scale": scale} | whole_powers


def _layers(curve: Curve, axes: dict[str, dict]) -> list[dict]:
    rows = [dict(name=curve.name, x=x, y=y) for x, y in zip(curve.x, curve.y, strict=True) if math.isfinite(y)]
    bars = curve.kind == "bars"
    if curve.kind == "dots":
        return [{"data": {"values": rows}, "mark": {"type": "point", "filled": True, "size": 45}, "encoding": axes}]
    if bars:
        from_zero = axes["y"] | {"scale": axes["y"]["scale"] | {"zero": True}}
        axes = axes | {"xOffset": {"field": "name"}, "y": from_zero}
    line = {"type": "line", "strokeDash": DASHES[curve.dash], "point": curve.kind == "points"}
    layer = {"data": {"values": rows}, "mark": {"type": "bar"} if bars else line, "encoding": axes}
    if curve.low is None or curve.high is None:
        return [layer]
    sides = zip(curve.x, curve.low, curve.high, strict=True)
    bounds = {"values": [dict(name=curve.name, x=x, y=low, high=high) for x, low, high in sides]}
    if bars:
        grey = {name: axis for name, axis in axes.items() if name != "color"} | {"y2": {"field": "high"}}
        return [layer, {"data": bounds, "mark": {"type": "rule", "color": GREY, "size": 1.5}, "encoding": grey}]
    around = {"data": bounds, "mark": {"type": "area", "opacity": 0.2}, "encoding": axes | {"y2": {"field": "high"}}}
    return [around, layer]


def _rules(panel: Panel) -> list[dict]:
    marks = [dict(x=x, text=text) for x, text in panel.marks]
    if not marks:
        return []
    at, data = {"x": {"field": "x", "type": "quantitative"}}, {"values": marks}
    line = {"data": data, "mark": {"type": "rule", "color": GREY, "strokeDash": [2, 3]}, "encoding": at}
    word = {"type": "text", "color": GREY, "align": "left", "dx": 4, "dy": 8, "baseline": "top"}
    return [line, {"data": data, "mark": word, "encoding": at | {"text": {"field": "text"}, "y": {"value": 0}}}]


# ─── Linked tables ───────────────────────────────────────────────────────────────────────────────────────────────────


class LinkedChart:
    """A small table or chart in Vega-Lite whose parts answer to each other: alive in Lab, offline, and in a page.

    spec: a Vega-Lite specification, or an Altair chart, in colours and greys that light and dark pages carry.
    """

    MIME = "application/vnd.vegalite.v6+json"

    def __init__(self, spec: Any, shows: str, description: str) -> None:
        self.shows, self.description = shows, f"{description} ({shows})"
        spec = dict(spec) if isinstance(spec, dict) else spec.to_dict()
        corner = {
            "text": evident(shows), "anchor": "end", "orient": "bottom", "fontSize": 11, "fontWeight": "normal",
            "color": GREY,
        }  # fmt: skip
        look = _VEGA | {"background": "transparent"}
        self.spec = {"title": corner} | all_evident(spec) | {"config": spec.get("config", {}) | look}

    @functools.cached_property
    def live(self) -> Any:
        """The chart as a widget; Vega comes with vl-convert, so nothing is loaded from anywhere."""
        import altair  # takes seconds: only who draws one waits

        altair.JupyterChart.enable_offline()
        chart = altair.Chart.from_dict(self.spec)
        # its menu leads to a web site, and a rule has nothing to say
        options = {"actions": False, "config": {"rule": {"aria": False}}}
        return altair.JupyterChart(chart, embed_options=options)

    @functools.cached_property
    def picture(self) -> Svg:
        return Svg(vl_convert.vegalite_to_svg(_drawable(self.spec), vl_version=newest_vega_lite()), self.description)

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        live = self.live._repr_mimebundle_(**options)
        live = live[0] if isinstance(live, tuple) else live
        return {**live, self.MIME: self.spec} | self.picture.beside_a_view()
