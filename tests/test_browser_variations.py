"""Notebook 08 in a real JupyterLab in headless Chromium: the table is moved, sorted and walked."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("vocabulary", "picked", "order", "down", "n")

# Moves the vocabulary by a step so many times; milliseconds from each key to the frame that shows it.
MOVE = """async (times) => {
  const root = document.querySelector(".view.var"), bar = root.querySelector(".var-slider"), took = [];
  const exact = root.querySelector(".var-exact");
  for (let i = 0; i < times; i++) {
    const before = exact.textContent, start = performance.now();
    bar.value = Number(bar.value) + (i % 2 ? -500 : 500);
    bar.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    if (exact.textContent === before) throw new Error("the frame after the move shows the old count");
    await new Promise(resolve => setTimeout(resolve, 200 + (i * 7) % 17));
  }
  return took;
}"""


class TableReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        return self.page.locator(".view.var").first

    @property
    def names(self) -> list[str]:
        """The rows in the order in which they stand."""
        return self.view.locator(".var-name").all_text_contents()

    def row(self, name: str) -> Any:
        return self.view.locator(f"tr[data-name='{name}']")

    def met(self, wanted: int) -> None:
        wait_until(lambda: self.view.get_attribute("data-met") == str(wanted), f"{wanted} printed counts to be met")


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[TableReader]:
    with lab.opened("08_variations.ipynb", "view", NAMES, shown=["difference_chart(", "norms_view("]) as opened:
        reader = TableReader(opened)
        reader.view.scroll_into_view_if_needed()
        reader.met(0)
        yield reader


def test_the_table_opens_at_the_papers_vocabulary_where_no_printed_count_is_met(reader: TableReader) -> None:
    assert reader.names[:2] == ["base", "A-h1"] and len(reader.names) == 20
    assert "63,045,632" in reader.row("base").inner_text()
    assert "0 of 11 printed counts are met, 0 within a million" in reader.view.locator(".var-told").inner_text()


def test_arrow_keys_move_the_vocabulary_and_a_chip_explains_ten_of_eleven(reader: TableReader) -> None:
    bar = reader.view.get_by_label("vocabulary V", exact=True)
    bar.focus()
    reader.page.keyboard.press("ArrowRight")
    reader.reader.wait_for("vocabulary", 37_050)
    reader.view.get_by_role("button", name="41,100", exact=True).click()
    reader.met(10)
    reader.reader.wait_for("vocabulary", 41_100)
    assert reader.view.locator(".var-bar.var-met").count() == 10
    assert "218,370,048" in reader.row("big").inner_text()


def test_a_number_is_typed_exactly_and_what_lies_outside_comes_to_the_end(reader: TableReader) -> None:
    box = reader.view.get_by_label("vocabulary V, exactly")
    for typed, then in (("41003", 41_003), ("99999", 45_000)):
        box.fill(typed)
        box.press("Enter")
        reader.reader.wait_for("vocabulary", then)
    box.blur()


def test_the_line_is_dragged_along_the_lanes(reader: TableReader) -> None:
    reader.row("big").scroll_into_view_if_needed()
    lane = reader.row("big").locator(".var-lane").bounding_box()
    mouse, y = reader.page.mouse, lane["y"] + lane["height"] / 2
    mouse.move(lane["x"] + lane["width"], y)
    mouse.down()
    mouse.move(lane["x"] + lane["width"] * 0.39, y, steps=8)
    mouse.up()
    wait_until(lambda: abs(reader.python("vocabulary") - 35_850) < 200, "V to be where the pointer let go")
    wait_until(lambda: reader.row("big").locator(".var-bar.var-met").count() == 1, "big alone to be explained")
    reader.met(1)


def test_headings_sort_either_way_and_the_keyboard_walks_the_rows_as_they_stand(reader: TableReader) -> None:
    bleu = reader.view.locator("[data-order='bleu']")
    bleu.click()
    wait_until(lambda: reader.names[0] == "big" and reader.names[-1] == "C-N2", "the best BLEU first")
    reader.row("big").locator(".var-name").click()
    reader.reader.wait_for("picked", "big")
    reader.page.keyboard.press("ArrowDown")
    second = reader.names[1]
    reader.reader.wait_for("picked", second)
    page = reader.view.locator(".var-page")
    wait_until(lambda: f"replace(base, {'d_ff=4096' if second == 'C-ff4096' else ''}" in page.inner_text(), "its code")
    spoken = reader.view.locator(".view-live").text_content()
    assert spoken.startswith(f"{second}: ") and "parameters at V =" in spoken
    bleu.click()
    wait_until(lambda: reader.names[0] == "C-N2", "the lowest BLEU first")
    reader.reader.wait_for("down", False)
    reader.view.locator("[data-order='paper']").click()
    reader.reader.wait_for("order", "paper")


def test_the_page_of_a_row_says_what_it_changes_what_it_costs_and_what_the_small_runs_gave(reader: TableReader) -> None:
    reader.row("C-N2").locator(".var-name").click()
    page = reader.view.locator(".var-page")
    wait_until(lambda: "N 6 → 2" in page.inner_text(), "the change")
    text = page.inner_text()
    for part in ("replace(base, n_layers=2)", '**{f"C-N{n}"', "BLEU 23.7 (−2.1)", "Here, small:", "scores and mix"):
        assert part in text
    length = reader.view.get_by_label("n, tokens on each side")
    length.focus()
    before = reader.row("base").inner_text()
    reader.page.keyboard.press("ArrowRight")
    reader.reader.wait_for("n", 26)
    reader.page.keyboard.press("End")
    reader.reader.wait_for("n", 200)
    wait_until(lambda: reader.row("base").inner_text() != before, "the cost to follow n")


def test_the_linked_chart_is_drawn_and_answers_a_click(reader: TableReader) -> None:
    chart = reader.page.locator(".vega-embed canvas, .vega-embed svg").first
    chart.scroll_into_view_if_needed()
    picture = chart.evaluate_handle("node => node")
    look = "node => node.toDataURL ? node.toDataURL() : node.outerHTML"
    before, box = picture.evaluate(look), chart.bounding_box()
    chart.click(position={"x": box["width"] * 0.25, "y": 24})  # once it stands still
    wait_until(lambda: picture.evaluate(look) != before, "another row's learning curve")


def test_gradients_follow_the_depth_by_slider_and_keys(reader: TableReader) -> None:
    norms = reader.page.locator(".view", has=reader.page.locator(".nrm-board")).first
    norms.scroll_into_view_if_needed()
    decoder = norms.locator('.nrm-board[data-stack="decoder"]')
    before = reader.reader.pixels(decoder)
    norms.get_by_label("layers of each stack").focus()
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: norms.get_attribute("data-depth") == "9", "nine layers")
    wait_until(lambda: reader.reader.pixels(decoder) != before, "the picture to follow")
    decoder.focus()
    reader.page.keyboard.press("ArrowRight")
    spoken = norms.locator(".view-live").text_content
    wait_until(lambda: re.match(r"decoder, layer \d of 9: post-LN", spoken() or ""), "the layer to be spoken")
    reader.page.keyboard.press("ArrowUp")
    wait_until(lambda: norms.get_attribute("data-depth") == "12", "twelve layers")


def test_moving_repaints_within_a_frame_and_nothing_left_the_machine(reader: TableReader) -> None:
    reader.view.scroll_into_view_if_needed()
    reader.view.get_by_role("button", name="41,100", exact=True).click()
    reader.met(10)
    took = sorted(reader.page.evaluate(MOVE, 10))
    paint = float(reader.view.get_attribute("data-paint-ms"))
    remember_latencies(
        {"08 variations, ms": {"slider to frame, median": round(took[5], 1), "one paint": round(paint, 1)}}
    )
    assert reader.reader.refused == [] and reader.reader.errors == []
