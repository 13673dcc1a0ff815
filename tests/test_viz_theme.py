"""Charts: the figure that moves and the picture beside it show the same numbers."""

import itertools
import json
import math
import urllib.parse
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from viz import charts, stills, theme
from viz.charts import Curve, Panel, chart

X = [1.0, 2.0, 4.0]


def two_panels():
    curves = [
        Curve("one", X, [1.0, 4.0, 16.0], low=[0.5, 3.0, 15.0], high=[2.0, 5.0, 17.0], kind="points"),
        Curve("<b>two", X, [2.0, 2.0, 2.0], dash="dash"),
    ]
    bars = [Curve("one", ["a", "<b>"], [0.25, 0.75], low=[0.2, 0.7], high=[0.3, 0.8], kind="bars")]
    return [Panel(curves, "left", "x", "y", log_x=True, marks=[(2.0, "here")]), Panel(bars, "right", y_range=(0, 1))]


def test_a_chart_holds_the_numbers_it_was_given_and_says_what_it_shows():
    figure = chart(two_panels(), "synthetic").figure
    lines = {trace.name: list(trace.y) for trace in figure.data if trace.type == "scatter" and not trace.fill}
    assert lines["one"] == [1.0, 4.0, 16.0]
    bar = next(trace for trace in figure.data if trace.type == "bar")
    assert list(bar.x) == ["a", "&lt;b&gt;"] and list(bar.y) == [0.25, 0.75]
    assert [round(gap, 6) for gap in bar.error_y.array] == [0.05, 0.05]
    assert figure.layout.legend.title.text.strip() == "synthetic"


def test_beside_a_side_bar_a_figures_names_and_titles_have_room_and_a_band_has_no_dots():
    figure = chart(two_panels(), "synthetic").figure
    assert figure.layout.legend.title.side == "top"  # beside its title Plotly cuts the names
    assert figure.layout.legend.yref == "container"  # or it is on the axis' title when the figure grows wider
    assert 400 * (figure.layout.xaxis2.domain[0] - figure.layout.xaxis.domain[1]) > 50  # an axis with its title
    assert {trace.mode for trace in figure.data if trace.type == "scatter" and trace.fill} == {"lines"}


def test_a_curve_keeps_its_colour_through_all_panels():
    drawn = chart(two_panels(), "synthetic")
    left, right = drawn.panels
    assert drawn.colour(left.curves[0]) == drawn.colour(right.curves[0]) != drawn.colour(left.curves[1])


def test_the_picture_is_there_for_pages_without_javascript_and_takes_names_as_text():
    shown = chart(two_panels(), "synthetic")._repr_mimebundle_()
    assert set(shown) == {"application/vnd.plotly.v1+json", "text/markdown", "text/plain"}
    assert "left" in shown["text/markdown"] and "here" in shown["text/markdown"]
    assert "<b>" not in shown["text/markdown"]
    assert len(shown["text/markdown"]) < 60_000
    assert shown["text/plain"] == "left: one, <b>two; right: one (synthetic)"


def test_no_chart_offers_to_upload_itself():
    plotly = "application/vnd.plotly.v1+json"
    shown = chart(two_panels(), "synthetic")._repr_mimebundle_()
    assert shown[plotly]["config"]["showSendToCloud"] is False
    for path in sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            for output in cell.get("outputs", []):
                stored = output.get("data", {}).get(plotly)
                assert stored is None or stored["config"]["showSendToCloud"] is False, path.name


class Images(HTMLParser):
    """The images of a markup."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        assert tag == "img", tag
        self.found.append(dict(attrs))


NASTY = """it's "5 < 6" & 7 % 8 # 9, $x$ `code` \\( -->\n</title> 고양이"""


def test_a_picture_is_an_image_on_one_line_of_markdown_whose_address_is_the_same_picture():
    drawn = stills.page([[stills.words(NASTY)]], "synthetic", NASTY)
    line = drawn.markdown()
    (image,) = Images(line).found
    assert "\n" not in line and not set("$`\\") & set(line)  # nothing that Markdown takes for its own
    assert image["alt"] == f"{' '.join(NASTY.split())} (synthetic)" and image["width"] == "440"
    kind, address = image["src"].split(",", 1)
    assert kind == "data:image/svg+xml" and "#" not in address and "<" not in address
    shown, whole = (ElementTree.fromstring(text) for text in (urllib.parse.unquote(address), drawn.text))
    assert list(shown.itertext()) == list(whole.itertext())


def test_numbers_that_a_picture_says_stay_whole_where_those_it_is_drawn_by_are_cut():
    text = '<svg><text x="1.98765" aria-label="a>b">1.98765</text></svg>'
    assert stills.data_address(text) == 'data:image/svg+xml,%3Csvg>%3Ctext x="1.98">1.98765%3C/text>%3C/svg>'


def test_what_is_not_finite_is_left_out_of_the_picture():
    picture = chart(Panel([Curve("one", X, [1.0, math.nan, 2.0])]), "synthetic").picture
    assert "NaN" not in picture.text


def test_curves_of_unequal_lengths_are_refused_with_their_numbers():
    with pytest.raises(ValueError, match="'one' has 3 x and 2 y"):
        Curve("one", X, [1.0, 2.0])
    with pytest.raises(ValueError, match="low and high"):
        Curve("one", X, X, low=X)


def test_charts_are_readable_on_both_pages():
    def light(colour):
        channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    for page in ("#ffffff", theme.DARK["page"]):
        for colour in (theme.GREY, *theme.CHART_COLOURS):
            high, low = sorted((light(colour), light(page)), reverse=True)
            assert (high + 0.05) / (low + 0.05) > (4 if colour == theme.GREY else 2)


def test_words_on_an_axis_stay_words_even_if_they_look_like_numbers():
    bars = charts.Curve("a", ["0.001", "0.5"], [1, 2], kind="bars")
    assert charts.chart(charts.Panel([bars]), "synthetic").figure.layout.xaxis.type == "category"


def test_what_xml_cannot_hold_is_written_as_its_number_and_all_else_kept():
    assert theme.escaped("a\ufffe\uffff\ud800b<") == "a[U+FFFE][U+FFFF][U+D800]b&lt;"
    assert theme.escaped("고양이 🙂\t\n") == "고양이 🙂\t\n"


def test_numbers_round_as_the_scripts_round_them_ties_away_from_zero():
    assert [theme.three_digits(x) for x in (1.125, -10.25, 0.5, 1234.5)] == ["1.13", "-10.3", "0.500", "1235"]
    assert theme.three_digits(1e-9) == "1.00e-9"


def test_a_panel_without_curves_is_refused():
    with pytest.raises(ValueError, match="'empty' has no curves"):
        Panel([], "empty")


# ─── Whoever sees fewer colours ──────────────────────────────────────────────────────────────────────────────────────

# Machado, Oliveira and Fernandes (2009), table 1, severity 1: what is seen of linear red, green and blue.
DEFICIENCIES = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
JUST_SEEN = 0.02  # of OKLab, about what a careful eye tells apart


def seen(colour: str, deficiency: str) -> str:
    """A colour, #rrggbb, as whoever has a deficiency sees it."""
    gamma = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in gamma]
    mixed = (sum(share * c for share, c in zip(row, linear, strict=True)) for row in DEFICIENCIES[deficiency])
    shown = (min(max(c, 0.0), 1.0) for c in mixed)
    back = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in shown)
    return "#" + "".join(f"{round(255 * c):02x}" for c in back)


def apart(one: str, other: str, deficiency: str) -> float:
    return math.dist(*(theme.oklab(seen(colour, deficiency)) for colour in (one, other)))


def test_grey_looks_grey_to_everyone_and_red_and_green_alike_to_those_who_mix_them_up():
    assert all(apart("#808080", seen("#808080", name), name) < 0.01 for name in DEFICIENCIES)
    red, green = "#b05030", "#6a7030"
    assert apart(red, green, "deuteranopia") < math.dist(theme.oklab(red), theme.oklab(green)) / 2


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("dark", [False, True])
def test_who_sees_fewer_colours_still_tells_apart_what_a_colour_says(deficiency, dark):
    look, heads = theme.DARK if dark else theme.LIGHT, theme.head_colours(8, dark)
    assert apart(look["query"], look["key"], deficiency) > 10 * JUST_SEEN
    assert apart(look["key"], look["value"], deficiency) > 3 * JUST_SEEN
    # blue and green nearly meet in tritanopia: queries and values also have names and places of their own
    assert apart(look["query"], look["value"], deficiency) > (1 if deficiency == "tritanopia" else 5) * JUST_SEEN
    assert apart(look["wrong"], look["ink"], deficiency) > 5 * JUST_SEEN
    assert all(apart(*pair, deficiency) > 3 * JUST_SEEN for pair in itertools.combinations(heads, 2))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("dark", [False, True])
def test_scales_keep_their_order_and_their_sign_for_who_sees_fewer_colours(deficiency, dark):
    scale = theme.weight_scale(dark)
    lightness = [theme.oklab(seen(colour, deficiency))[0] for colour in scale[::16]]
    assert lightness == sorted(lightness, reverse=not dark)  # a larger weight never looks smaller
    signed = theme.difference_scale(dark)
    for far in (48, 96, 128):
        assert apart(signed[128 - far], signed[128 + far], deficiency) > 4 * JUST_SEEN
