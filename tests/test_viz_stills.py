"""Stills: maps, charts and tables on one page, in both looks, whatever a token holds."""

import itertools
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

from viz import canvas, charts, stills, theme
from viz.stills import Bar, Box, Cell, Line, Link

NASTY = ["<b>", "\"&'", "고양이", "</svg>"]


def root_of(*rows: list[stills.Shape], dark: bool = False, **how) -> ET.Element:
    return ET.fromstring(stills.page([*rows], "synthetic", "A picture", dark=dark, **how).text)


def texts_of(root: ET.Element) -> list[str]:
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def found(root: ET.Element, name: str) -> list[ET.Element]:
    return [*root.iter(f"{{http://www.w3.org/2000/svg}}{name}")]


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_has_one_root_its_title_notes_and_corner_and_lies_on_the_page_s_colour(dark):
    root = root_of([stills.words("x")], dark=dark, title="<i>title</i>", notes=["a note"])
    assert texts_of(root) == ["<i>title</i>", "a note", "x", "synthetic"]
    assert root.get("aria-label") == "A picture (synthetic)" and len(found(root, "svg")) == 1
    assert found(root, "rect")[0].get("fill") == (theme.DARK if dark else theme.LIGHT)["page"]


def test_a_row_goes_on_below_where_the_page_ends():
    shapes = [stills.words("word " * 20)] * 3
    tops = [g.get("transform") for g in root_of(shapes, wide=3000) if g.get("transform")]
    below = [g.get("transform") for g in root_of(shapes, wide=900) if g.get("transform")]
    heights = [{place.split()[1] for place in places} for places in (tops, below)]
    assert len(heights[0]) == 1 and len(heights[1]) == 3


def test_a_map_draws_unequal_sides_and_nasty_tokens_and_refuses_what_does_not_fit():
    weights = torch.tensor([[0.2, 0.3, 0.5, 0.0], [1.0, 0.0, 0.0, 0.0]])
    root = root_of([stills.weight_map(weights, NASTY[:2], NASTY, outlined=[[1, 2]])])
    assert sorted(texts_of(root)) == sorted([*NASTY[:2], *NASTY, "0", "1", "synthetic"])
    places = {path.get("fill"): path.get("d") for path in found(root, "path")}
    assert places[theme.weight_scale()[255]] == "M0 1h1v1h-1z" and len(places) == 4
    with pytest.raises(ValueError, match=r"\(2, 4\).*4 query and 2 key"):
        stills.weight_map(weights, NASTY, NASTY[:2])
    with pytest.raises(ValueError, match="1 rows of 2 cells, 1 queries and 3 keys"):
        stills.cell_map([[Cell(), Cell()]], ["q"], ["a", "b", "c"])


def test_equal_neighbours_of_a_row_or_of_a_column_are_one_and_hidden_cells_are_hatched():
    look = stills.look_of(False)
    rows = stills.cells_drawn([[Cell("query")] * 3, [Cell("key")] * 3], (10, 10), False, look)
    columns = stills.cells_drawn([[Cell("query"), Cell("key")]] * 3, (10, 10), False, look)
    assert "M0 0h3v1h-3z" in rows and "M0 0h1v3h-1z" in columns
    hidden = stills.cells_drawn([[Cell(stills.HIDDEN, "−∞")] * 2], (10, 20), False, look)
    assert hidden.count("l10 -20") == 2 and hidden.count("−∞") == 2


def test_no_token_of_a_map_loses_its_name_and_numbers_are_thinned_out():
    tokens = ["a", "a longer one", "b", "c"]
    assert texts_of(root_of([stills.cell_map([[Cell()] * 4], ["q"], tokens)]))[:4] == tokens
    numbers = [*map(str, range(40))]
    shown = texts_of(root_of([stills.cell_map([[Cell()] * 40], [""], numbers, size=(6, 20))]))[:-1]
    assert shown[0] == "0" and 5 < len(shown) < 20


@pytest.mark.parametrize("wrap", [900, 120])
def test_a_table_that_is_too_wide_goes_on_below_and_cuts_what_spans_it_in_two(wrap):
    table = stills.token_table([[Box(word) for word in NASTY], [Box(fill="value", span=4)]], ["words"], wrap=wrap)
    root = root_of([table])
    assert texts_of(root) == ["words", *NASTY, "synthetic"]
    bars = [box for box in found(root, "rect") if box.get("fill") == theme.VALUE]
    assert len(bars) == (1 if wrap == 900 else 3)


def test_boxes_keep_their_distance_and_a_link_leads_from_one_to_the_next():
    rows = [[Box(word, frame="ink") for word in NASTY], [Box("over all of them, and much wider than they are", span=4)]]
    root = root_of([stills.token_table(rows, links=[Link((0, 0), (0, 1), dashed=True)])])
    boxes = [(float(box.get("x")), float(box.get("width"))) for box in found(root, "rect") if box.get("rx")]
    assert all(x + width < after for (x, width), (after, _) in itertools.pairwise(boxes))
    assert boxes[-1][0] + boxes[-1][1] > stills.width_of("over all of them, and much wider")
    (line,) = found(root, "line")
    assert float(line.get("x1")) == sum(boxes[0]) and float(line.get("x2")) == boxes[1][0]


def test_bars_reach_from_low_to_high_with_their_numbers_and_names():
    root = root_of([stills.bar_chart([Bar("a", 1.0, text="1"), Bar("<b>", 0.75, 0.25)], height=100)])
    heights = [float(bar.get("height")) for bar in found(root, "rect")[1:]]
    assert heights == [100, 50] and texts_of(root) == ["1", "a", "<b>", "synthetic"]


def test_lines_leave_out_what_is_not_finite_and_their_names_keep_apart():
    lines = [Line([(0, 1), (1, float("nan")), (2, 3)], name="one"), Line([(0, 2), (2, 3)], name="two", dashed=True)]
    root = root_of([stills.line_chart(lines, title="T", x_title="step")])
    assert "nan" not in ET.tostring(root, "unicode").lower()
    assert [len(line.get("points").split()) for line in found(root, "polyline")] == [2, 2]
    ends = [float(text.get("y")) for text in found(root, "text") if text.text in ("one", "two")]
    assert abs(ends[0] - ends[1]) >= 13 and {"T", "step", "one", "two"} <= set(texts_of(root))


def test_ticks_are_round_and_lie_within_their_ends():
    for low, high in ((0, 1), (0, 23_000), (-3, 0.2), (1e-6, 7e-5)):
        ticks = stills.ticks_of(low, high)
        assert 3 <= len(ticks) <= 11 and low - 1e-9 <= ticks[0] and ticks[-1] <= high + 1e-9
        (step,) = {f"{there - here:.3e}" for here, there in itertools.pairwise(ticks)}
        assert step[:5] in ("1.000", "2.000", "5.000")


def test_the_style_sheet_tells_stills_from_charts_by_their_addresses():
    sheet = (Path(canvas.__file__).parent / "canvas.css").read_text(encoding="utf-8")
    ((start, of_charts),) = set(re.findall(r'src\^="(.*?)"\]:not\(\[src\*="(.*?)"', sheet))
    still = stills.page([[stills.words("a")]], "synthetic", "a").markdown()
    drawn = charts.chart(charts.Panel([charts.Curve("a", [1, 2], [1, 2])]), "synthetic").picture.markdown()
    assert all(f"src='{start}" in picture for picture in (still, drawn))
    assert of_charts in drawn and of_charts not in still
