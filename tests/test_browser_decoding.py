"""Notebook 07's trees and draws in a real JupyterLab in headless Chromium: moved, walked, typed."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("width", "alpha", "step", "node", "layer", "show")
CHOSEN = "{'chosen': translator.tokenizer.decode(tree.reading.trees[tree.view.width].result(tree.view.alpha).ids)}"

# Sets a slider to each of some values; milliseconds from each to the frame that shows it.
SLIDE = """async ([label, values]) => {
  const input = document.querySelector(`.view input[aria-label="${label}"]`), took = [];
  const canvas = input.closest(".view").querySelector(".dec-canvas");
  for (const value of values) {
    const before = canvas.toDataURL(), start = performance.now();
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    if (canvas.toDataURL() === before) throw new Error("the frame after the slider shows the old tree");
    await new Promise(resolve => setTimeout(resolve, 120));
  }
  return took;
}"""

PUT = """([label, value]) => {
  const input = document.querySelector(`.view input[aria-label="${label}"]`);
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}"""


class TreeReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        return self.page.locator(".view").first

    @property
    def board(self) -> Any:
        return self.view.locator(".dec-canvas")

    def put(self, label: str, value: float) -> None:
        """Move one of the first view's sliders."""
        self.page.evaluate(PUT, [label, value])

    def at(self, step: int, rank: int) -> dict[str, float]:
        """Where a node lies; step from 1, rank from 0."""
        left, top, wide, tall = (float(self.board.get_attribute(f"data-{s}")) for s in ("left", "top", "wide", "tall"))
        return {"x": left + (step - 0.6) * wide, "y": top + (rank + 0.5) * tall}

    def shows_what_the_core_chose(self) -> None:
        wait_until(
            lambda: self.view.get_attribute("data-chosen") == self.python("chosen"),
            lambda: f"the page to choose {self.python('chosen')!r}; it has {self.view.get_attribute('data-chosen')!r}",
        )


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[TreeReader]:
    cells = ["tree.view.observe(lambda _: tell(), ['width', 'alpha'])"]
    with lab.opened("07_decoding.ipynb", "tree.view", NAMES, CHOSEN, cells, shown=["explore_sampling("]) as opened:
        yield TreeReader(opened)


@pytest.fixture(autouse=True)
def first_screen(reader: TreeReader) -> None:
    """Lab takes from the page what is far out of sight: each test begins at the top."""
    reader.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
    wait_until(lambda: reader.view.is_visible() and reader.view.get_attribute("data-chosen"), "the tree to be in sight")
    wait_until(lambda: reader.view.locator(".view-badge").inner_text() == "trained: tatoeba-en-de", "its badge")


def test_the_tree_chooses_as_the_core_does_and_the_ranking_says_so(reader: TreeReader) -> None:
    reader.shows_what_the_core_chose()
    first = reader.view.locator(".dec-best .dec-pick")
    assert first.inner_text() == reader.python("chosen") == "Der Donner erschreckte die Pferde."


def test_width_and_alpha_move_the_ranking_in_the_page_to_what_the_core_chooses(reader: TreeReader) -> None:
    for width, alpha in ((1, 0.6), (2, 0.0), (8, 2.0), (3, 1.0), (4, 0.6)):
        reader.put("Beam width", width)
        reader.put("Length penalty α", alpha)
        reader.reader.wait_for("width", width)
        reader.reader.wait_for("alpha", alpha)
        reader.shows_what_the_core_chose()
    spoken = reader.view.locator(".view-live").text_content()
    assert spoken == f"beam width 4, α 0.60: {reader.python('chosen')}"
    title = reader.view.get_by_text("ranked by score").first
    wait_until(lambda: "^0.60" in title.inner_text(), "the formula to show α")


def test_a_click_opens_a_node_its_reason_its_softmax_and_where_it_was_reading(reader: TreeReader) -> None:
    why = reader.view.locator(".dec-why")
    reader.board.click(position=reader.at(4, 5))
    reader.reader.wait_for("node", [4, 5])
    wait_until(lambda: "below the beam of 4" in why.inner_text(), "the reason why it was pruned")
    reader.board.click(position=reader.at(3, 1))
    reader.reader.wait_for("node", [3, 1])
    reader.page.mouse.move(2, 2)
    wait_until(lambda: "kept at rank 2" in why.inner_text(), "the reason why it was kept")
    assert reader.view.locator(".dec-bars tr").count() >= 11
    assert "ner" in reader.view.locator(".dec-bars .mod-chosen th").inner_text()
    weights = reader.view.locator(".dec-number")
    assert weights.count() == 11 and abs(sum(float(text) for text in weights.all_inner_texts()) - 1) < 0.01
    before = weights.all_inner_texts()
    reader.view.get_by_label("Layer of the cross-attention").select_option("5")
    reader.reader.wait_for("layer", 5)
    wait_until(lambda: weights.all_inner_texts() != before, "another layer's weights")


def test_arrow_keys_walk_the_tree_and_say_where_one_is(reader: TreeReader) -> None:
    reader.board.focus()
    for key, node in (("ArrowRight", [4, 1]), ("ArrowUp", [4, 0]), ("ArrowLeft", [3, 0]), ("ArrowDown", [3, 1])):
        reader.page.keyboard.press(key)
        reader.reader.wait_for("node", node)
    spoken = reader.view.locator(".view-live").text_content()
    assert spoken.startswith("step 3, rank 2:") and "log P" in spoken
    active = "document.activeElement.className"
    assert reader.page.evaluate(active) == "dec-canvas"  # the keys did not reach JupyterLab


def test_the_search_can_be_stepped_and_shown_in_part(reader: TreeReader) -> None:
    reader.put("Steps shown", 5)
    reader.reader.wait_for("step", 5)
    wait_until(lambda: reader.view.get_attribute("data-steps") == "5", "five steps to be shown")
    assert "finished: 0" in reader.view.get_by_text("ranked by score").first.inner_text()
    for _ in range(2):
        reader.view.get_by_label("One step on").click()
    reader.reader.wait_for("step", 7)
    reader.put("Steps shown", 12)
    reader.reader.wait_for("step", 0)
    before = reader.reader.pixels(reader.board)
    reader.view.get_by_label("Show", exact=True).select_option("finished")
    reader.reader.wait_for("show", "finished")
    wait_until(lambda: reader.reader.pixels(reader.board) != before, "fewer nodes")
    reader.view.get_by_label("Show", exact=True).select_option("all")
    reader.reader.wait_for("show", "all")


def test_a_typed_sentence_is_searched_and_a_refused_one_is_explained(reader: TreeReader) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("Never mind.")
    box.press("Enter")
    wait_until(lambda: reader.view.locator(".view-sentence").inner_text() == "Never mind.", "the new sentence's tree")
    box.fill("the " * 60)
    box.press("Enter")
    wait_until(lambda: "more than the 40" in reader.page.locator(".view-status").first.inner_text(), "the refusal")
    assert reader.view.locator(".view-sentence").inner_text() == "Never mind."
    box.fill("The thunder frightened the horses.")
    box.press("Enter")
    wait_until(lambda: "The thunder" in reader.view.locator(".view-sentence").inner_text(), "the first sentence again")


def test_the_cut_of_the_draw_moves_with_its_sliders(reader: TreeReader) -> None:
    draws = reader.page.locator(".view", has=reader.page.locator(".smp-canvas")).first
    scroll = "document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 600)"
    wait_until(lambda: draws.count() or reader.page.evaluate(scroll), "the draws to come into sight")
    draws.scroll_into_view_if_needed()
    wait_until(lambda: draws.get_attribute("data-kept"), "the bars")
    draws.get_by_label("top-k").focus()
    reader.page.keyboard.press("Home")
    wait_until(lambda: draws.get_attribute("data-kept") == "1", "one token to be kept")
    assert "kept: 1 of 8000" in draws.locator(".smp-said").first.inner_text()
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: draws.get_attribute("data-kept") == "2", "two tokens to be kept")


def test_sliders_repaint_within_a_frame_and_nothing_left_the_machine(reader: TreeReader) -> None:
    steps = reader.page.evaluate(SLIDE, ["Steps shown", [3, 4, 5, 6, 7, 8, 9]])
    widths = reader.page.evaluate(SLIDE, ["Beam width", [8, 2, 7, 3, 6, 4]])
    measured = {"step to frame, median": sorted(steps)[3], "width to frame, median": sorted(widths)[3]}
    measured["one paint"] = float(reader.view.get_attribute("data-paint-ms"))
    remember_latencies({"07 decoding, ms": {name: round(ms, 1) for name, ms in measured.items()}})
    assert reader.reader.refused == [] and reader.reader.errors == []
