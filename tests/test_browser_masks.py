"""Notebook 03 in a real JupyterLab in headless Chromium: masks are painted, and the model answers."""

import math
from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("layer", "padding", "model", "leak", "plain", "row")

# Toggles cell (0, 9) by the keyboard so many times; milliseconds from each key to the frame that shows it.
PAINT = """async (times) => {
  const canvas = document.querySelector('.mask-canvas[data-board="layer"]'), root = canvas.closest(".view"), took = [];
  canvas.focus();
  for (let i = 0; i < times; i++) {
    const before = canvas.toDataURL(), start = performance.now();
    canvas.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    if (canvas.toDataURL() === before) throw new Error("the frame after the key shows the old mask");
    await new Promise(resolve => setTimeout(resolve, 300 + (i * 7) % 17));
  }
  return took;
}"""

# Milliseconds from choosing a mask to the model's own answer on the page.
ANSWER = """async () => {
  const root = document.querySelector(".view"), select = root.querySelector("select[aria-label='Causal layer']");
  const start = performance.now();
  select.value = "ahead";
  select.dispatchEvent(new Event("change", { bubbles: true }));
  while (root.dataset.passed !== "false") {
    await new Promise(requestAnimationFrame);
    if (performance.now() - start > 60_000) throw new Error("the model does not answer");
  }
  return performance.now() - start;
}"""


class MaskReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python
        self.n = math.isqrt(len(self.python("layer")))

    @property
    def view(self) -> Any:
        return self.page.locator(".view").first

    def board(self, name: str) -> Any:
        return self.view.locator(f'.mask-canvas[data-board="{name}"]')

    def at(self, name: str, row: int, col: int) -> dict[str, float]:
        """Where a cell of a board lies."""
        left, top, cell = (float(self.board(name).get_attribute(f"data-{side}")) for side in ("left", "top", "cell"))
        return {"x": left + (col + 0.5) * cell, "y": top + (row + 0.5) * cell}

    def passed(self, wanted: str) -> None:
        self.reader.drawn()  # an answer about an earlier mask is gone then
        wait_until(lambda: self.view.get_attribute("data-passed") == wanted, f"the test on the page to be {wanted}")

    def choose(self, label: str, value: str) -> None:
        self.view.get_by_label(label, exact=True).select_option(value)


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[MaskReader]:
    with lab.opened("03_masking.ipynb", "view", NAMES, shown=["mask_view("]) as opened:
        reader = MaskReader(opened)
        reader.view.scroll_into_view_if_needed()
        reader.passed("true")
        yield reader


def test_the_notebook_runs_and_its_mask_passes(reader: MaskReader) -> None:
    reader.view.scroll_into_view_if_needed()
    wait_until(lambda: "PASS" in reader.view.locator(".mask-leak .view-note").inner_text(), "the leak test to pass")
    wait_until(
        lambda: "trained: tatoeba-en-de" in reader.view.locator(".view-badge").inner_text(), "the page to say so"
    )


def test_a_click_opens_a_cell_the_model_runs_and_the_leak_is_shown(reader: MaskReader) -> None:
    before = reader.reader.pixels(reader.board("leak"))
    reader.board("layer").click(position=reader.at("layer", 1, 4))
    reader.passed("false")
    wait_until(lambda: reader.python("layer")[reader.n + 4] == 1, "Python, which first tells the page, to tell us")
    note = reader.view.locator(".mask-leak .view-note").inner_text()
    assert note.startswith("FAIL · the logits of 3 of 10 rows moved")
    assert reader.reader.pixels(reader.board("leak")) != before
    reader.board("layer").click(position=reader.at("layer", 1, 4))
    reader.passed("true")


def test_dragging_paints_and_python_is_told_at_the_end(reader: MaskReader) -> None:
    box, mouse = reader.board("layer").bounding_box(), reader.page.mouse
    start, end = (reader.at("layer", 2, col) for col in (5, 7))
    mouse.move(box["x"] + start["x"], box["y"] + start["y"])
    mouse.down()
    mouse.move(box["x"] + end["x"], box["y"] + end["y"], steps=12)
    mouse.up()
    wait_until(lambda: reader.python("layer")[2 * reader.n + 5 : 2 * reader.n + 8] == [1, 1, 1], "three cells painted")
    reader.choose("Causal layer", "causal")
    reader.passed("true")


def test_the_keyboard_walks_and_paints_and_what_it_does_is_spoken(reader: MaskReader) -> None:
    board = reader.board("padding")
    board.focus()
    for _ in range(3):
        reader.page.keyboard.press("ArrowRight")
    reader.page.keyboard.press("Space")
    wait_until(lambda: 0 in reader.python("padding")[:8], "a key of the padding layer to be closed in Python")
    spoken = reader.view.locator(".view-live").text_content()
    assert "hidden by the" in spoken or "query" in spoken
    reader.choose("Padding layer", "hide")
    wait_until(lambda: reader.python("padding")[:8] == [1] * 8, "the padding layer to be the sentence's own")


def test_a_row_all_hidden_is_said_and_plain_softmax_shows_nan(reader: MaskReader) -> None:
    reader.choose("Causal layer", "strict")
    sums = reader.view.locator(".mask-weights .view-note")
    wait_until(lambda: "row 0: all hidden, all 0" in sums.inner_text(), "the hidden row to be said")
    assert reader.python("row") != 0
    reader.view.get_by_label("plain softmax").check()
    wait_until(lambda: "NaN" in sums.inner_text(), "plain softmax to say NaN")
    wait_until(lambda: "NaN" in reader.view.locator(".mask-steps").inner_text(), "that row to be worked out")
    assert "NaN would spread through a model that used it" in reader.view.locator(".mask-steps").inner_text()
    wait_until(
        lambda: "core's softmax" in reader.view.locator(".mask-leak .view-note").inner_text(), "the test to say its own"
    )
    reader.view.get_by_label("plain softmax").uncheck()
    reader.choose("Causal layer", "causal")
    reader.passed("true")


def test_another_model_sees_less_far_through_the_same_hole(reader: MaskReader) -> None:
    reader.choose("Causal layer", "ahead")
    reader.choose("Leak test on", "untrained, 1 layer")
    moved = "by up to"
    wait_until(lambda: reader.python("leak")["model"] == "untrained, 1 layer", "the other model to be run")
    wait_until(lambda: moved in reader.view.locator(".mask-leak .view-note").inner_text(), "its answer on the page")
    change = reader.python("leak")["change"]
    assert sum(value > 0 for value in change[: reader.n]) == 2
    reader.choose("Leak test on", "tatoeba-en-de (trained, 6 layers)")
    reader.choose("Causal layer", "causal")
    reader.passed("true")


def test_scores_typed_into_the_three_by_three_change_the_weights(reader: MaskReader) -> None:
    three = reader.page.locator(".view", has=reader.page.locator(".mask-editor")).first
    three.scroll_into_view_if_needed()
    weights = three.locator('.mask-canvas[data-board="weights"]')
    before = reader.reader.pixels(weights)
    three.locator(".mask-field").nth(3).fill("6")
    wait_until(lambda: reader.reader.pixels(weights) != before, "the weights to follow the score")
    field, steps = three.locator(".mask-field").nth(3), three.locator(".mask-steps")
    field.fill("-1e9")
    wait_until(lambda: "−5e8" in steps.inner_text() and "−1e9" in steps.inner_text(), "short numbers")
    field.blur()
    reader.reader.drawn()
    assert field.input_value() == "-1e9"


def test_painting_repaints_within_a_frame_and_nothing_left_the_machine(reader: MaskReader) -> None:
    reader.view.scroll_into_view_if_needed()
    took = sorted(reader.page.evaluate(PAINT, 10))
    paint = float(reader.view.get_attribute("data-paint-ms"))
    reader.choose("Causal layer", "causal")
    reader.passed("true")
    answer = reader.page.evaluate(ANSWER)
    measured = {"key to frame, median": took[5], "one paint": paint, "mask to the model's answer": answer}
    remember_latencies({"03 masks, ms": {name: round(ms, 1) for name, ms in measured.items()}})
    assert reader.reader.refused == [] and reader.reader.errors == []
