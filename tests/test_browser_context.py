"""Notebook 11's gate and drawing of contexts in a real JupyterLab in headless Chromium: moved, walked, typed."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import SLIDE, Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("sentence", "layer", "head", "query", "key", "gate_q", "gate_k")
CORE = """{'weight': context.mixed_attention(
    gate.reading.mixed[gate.view.sentence, gate.view.layer, :, gate.view.head],
    gate.reading.gates[gate.view.sentence, gate.view.layer, ..., 0],
    gate.view.gate_q if gate.view.gate_q >= 0 else None, gate.view.gate_k if gate.view.gate_k >= 0 else None,
)[1][gate.view.query, gate.view.key].item() if gate.view.meta['n'] == gate.reading.mixed.size(4) else -1}"""

PUT = """([label, value]) => {
  const input = document.querySelector(`.view input[aria-label="${label}"]`);
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
}"""


class GateReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        return self.page.locator(".view").first

    def put(self, label: str, value: float) -> None:
        self.page.evaluate(PUT, [label, value])

    def choose(self, label: str, value: int) -> None:
        self.view.get_by_label(label, exact=True).select_option(str(value))
        self.reader.wait_for(label.lower() if label != "Sentence" else "sentence", value)

    def shows_the_cores_weight(self) -> None:
        wait_until(
            lambda: abs(float(self.view.get_attribute("data-weight") or "nan") - self.python("weight")) < 2e-6,
            lambda: f"the page to show {self.python('weight')}; it has {self.view.get_attribute('data-weight')}",
        )


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[GateReader]:
    with lab.opened("11_context_aware.ipynb", "gate.view", NAMES, CORE, shown=["context_view("]) as opened:
        yield GateReader(opened)


def test_the_page_mixes_as_the_core_does_wherever_the_sliders_stand(reader: GateReader) -> None:
    reader.shows_the_cores_weight()
    for label, trait, value in (
        ("λ of queries", "gate_q", 0.5),
        ("λ of keys", "gate_k", 0.0),
        ("λ of queries", "gate_q", 1.0),
    ):
        reader.put(label, value)
        reader.reader.wait_for(trait, value)
        reader.shows_the_cores_weight()
    assert "without context" in reader.view.locator(".view-live").text_content()
    for button in reader.view.get_by_role("button", name="as the model has it").all():
        button.click()
    reader.reader.wait_for("gate_q", -1)
    reader.reader.wait_for("gate_k", -1)
    reader.shows_the_cores_weight()


def test_layer_head_and_words_are_chosen_and_walked(reader: GateReader) -> None:
    for label, value in (("Layer", 2), ("Head", 3), ("Query", 4), ("Key", 7)):
        reader.choose(label, value)
        reader.shows_the_cores_weight()
    reader.view.locator(".gate-row").focus()
    for key, trait, value in (("ArrowRight", "key", 8), ("ArrowUp", "query", 3), ("ArrowLeft", "key", 7)):
        reader.page.keyboard.press(key)
        reader.reader.wait_for(trait, value)
    assert "gate-row" in reader.page.evaluate("document.activeElement.className")  # no key reached JupyterLab
    board = reader.view.locator(".gate-map")
    left, top, cell = (float(board.get_attribute(f"data-{name}")) for name in ("left", "top", "cell"))
    board.click(position={"x": left + 5.5 * cell, "y": top + 9.5 * cell})
    reader.reader.wait_for("query", 9)
    reader.reader.wait_for("key", 5)
    reader.shows_the_cores_weight()


def test_in_the_first_layer_a_third_word_moves_the_score_only_with_context(reader: GateReader) -> None:
    for label, value in (("Layer", 0), ("Query", 9), ("Key", 1), ("Sentence", 0)):
        reader.choose(label, value)
    said = reader.view.locator(".gate-pair .view-small")
    for label in ("λ of queries", "λ of keys"):
        reader.put(label, 0)
    reader.choose("Sentence", 1)
    wait_until(lambda: "unchanged to the last digit" in said.inner_text(), "the score to stay")
    reader.put("λ of keys", 0.5)
    wait_until(lambda: "changed by" in said.inner_text(), "the score to move")
    assert float(reader.view.get_attribute("data-moved")) != 0


def test_another_sentence_goes_through_the_model_and_a_refused_one_is_explained(reader: GateReader) -> None:
    box, title = reader.page.locator(".view-input input").first, reader.view.locator(".view-sentence")
    box.fill("The king fed the old dog.")
    box.press("Enter")
    wait_until(lambda: title.inner_text() == "The king fed the old dog.", "the new sentence")
    reader.shows_the_cores_weight()
    box.fill("The a|b c|d.")
    box.press("Enter")
    wait_until(lambda: "one word with" in reader.page.locator(".view-status").first.inner_text(), "the refusal")
    assert title.inner_text() == "The king fed the old dog."


def test_the_drawing_follows_kind_layer_side_and_word(reader: GateReader) -> None:
    drawing = reader.page.locator(".view", has=reader.page.locator(".ctx-board")).first
    scroll = "document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 600)"
    wait_until(lambda: drawing.count() or reader.page.evaluate(scroll), "the drawing to come into sight")
    drawing.scroll_into_view_if_needed()
    wait_until(lambda: drawing.get_attribute("data-width") == str(7 * 512), "deep-global and deep in layer 3")
    drawing.get_by_role("button", name="deep", exact=True).click()
    wait_until(lambda: drawing.get_attribute("data-width") == str(4 * 512), "deep-global alone")
    before = reader.reader.pixels(drawing.locator(".ctx-board"))
    drawing.get_by_label("Side").select_option("decoder")
    wait_until(lambda: "ends with the word itself" in drawing.locator(".ctx-said").inner_text(), "the decoder's means")
    wait_until(lambda: reader.reader.pixels(drawing.locator(".ctx-board")) != before, "the decoder's words")
    drawing.locator(".ctx-board").focus()
    reader.page.keyboard.press("ArrowDown")
    wait_until(lambda: drawing.get_attribute("data-width") == str(3 * 512), "the layer below")
    drawing.get_by_label("d_model").select_option("1024")
    wait_until(lambda: "44,040,192" in drawing.locator(".ctx-table").inner_text(), "the big model's parameters")
    drawing.get_by_role("button", name="global", exact=True).click()
    drawing.get_by_role("button", name="deep-global", exact=True).click()
    drawing.get_by_label("d_model").select_option("512")
    wait_until(lambda: "width d = 512." in drawing.locator(".ctx-said").inner_text(), "the width, d once")
    assert "Printed" not in drawing.inner_text()  # global alone is printed of the encoder
    drawing.get_by_label("Side").select_option("encoder")
    wait_until(lambda: "Printed: 91.0M − 88.0M = 3.0M." in drawing.inner_text(), "what is printed of the encoder")


def test_sliders_repaint_within_a_frame_and_nothing_left_the_machine(reader: GateReader) -> None:
    reader.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTo(0, 0)")
    wait_until(lambda: reader.view.locator(".gate-row").count(), "the gate to come into sight")
    moved = reader.page.evaluate(SLIDE, ["λ of queries", "score", 9])
    measured = {"λ to frame, median": sorted(moved)[4], "one paint": float(reader.view.get_attribute("data-paint-ms"))}
    remember_latencies({"11 context, ms": {name: round(ms, 1) for name, ms in measured.items()}})
    assert reader.reader.refused == [] and reader.reader.errors == []
