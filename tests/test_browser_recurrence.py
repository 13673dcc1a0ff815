"""Notebook 12 in a real JupyterLab in headless Chromium: a translator is stepped through and taken apart."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import SLIDE, Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("sentence", "score", "step", "place", "unit")
MORE = """{
    "queries": list(explorer.view.steps[explorer.view.sentence][explorer.view.score].queries),
    "weights": explorer.view.steps[explorer.view.sentence][explorer.view.score].weights.tolist(),
    "contexts": explorer.view.steps[explorer.view.sentence][explorer.view.score].contexts.tolist(),
}"""


class StepReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        return self.page.locator(".view").first

    @property
    def sums(self) -> Any:
        """The row of sums under one component of the context."""
        return self.view.locator(".rnn-total").last.locator("td")

    def data(self, name: str, value: object) -> None:
        wait_until(lambda: self.view.get_attribute(f"data-{name}") == str(value), f"{name} {value} on the page")

    def tab(self, name: str) -> Any:
        return self.view.get_by_role("tab", name=name, exact=True)


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[StepReader]:
    with lab.opened("12_before_transformers.ipynb", "explorer.view", NAMES, MORE, shown=[]) as opened:
        yield StepReader(opened)


@pytest.fixture(autouse=True)
def first_screen(reader: StepReader) -> None:
    """Lab takes from the page what is far out of sight: each test begins at the top."""
    reader.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
    wait_until(lambda: reader.view.is_visible() and reader.view.get_attribute("data-step"), "the view to be in sight")
    wait_until(lambda: "trained: grammar-gru" in reader.view.locator(".view-badge").inner_text(), "its badge")


def test_a_pressed_word_shows_its_step_with_python_s_weights_and_context(reader: StepReader) -> None:
    for at in (3, 5):
        reader.view.locator(".rnn-chip").nth(at).click()
        reader.reader.wait_for("step", at)
        reader.data("step", at)
        weights = reader.python("weights")[at]
        most = max(range(len(weights)), key=weights.__getitem__)
        reader.data("place", most)
        title = reader.sums.nth(4).get_attribute("title")  # the component's sum, in eight digits
        assert float(title) == pytest.approx(reader.python("contexts")[at][0], abs=1e-4)
        assert float(reader.sums.nth(2).get_attribute("title")) == pytest.approx(1)
        row = reader.view.locator(".rnn-here td").nth(2).get_attribute("title")
        assert float(row) == pytest.approx(weights[most], abs=1e-4)


def test_the_score_of_a_pressed_word_is_taken_apart_and_its_terms_add_up(reader: StepReader) -> None:
    steps = reader.view.locator(".rnn-steps")
    steps.click(position={"x": 60, "y": 74 + 26 * 2 + 13})
    reader.reader.wait_for("place", 2)
    reader.data("place", 2)
    terms = reader.view.locator(".rnn-terms tr td:last-child")
    values = [float(td.get_attribute("title")) for td in terms.all()]
    assert values[0] == pytest.approx(sum(values[1:]), abs=1e-4) and len(values) == 65


def test_arrow_keys_walk_words_and_steps_and_say_where_one_is(reader: StepReader) -> None:
    steps = reader.view.locator(".rnn-steps")
    steps.focus()
    before, place = reader.python("step"), int(reader.view.get_attribute("data-place"))
    reader.page.keyboard.press("ArrowDown")
    reader.reader.wait_for("place", place + 1)
    reader.page.keyboard.press("ArrowRight")
    reader.reader.wait_for("step", before + 1)
    spoken = reader.view.locator(".view-live").text_content()
    assert f"Step {before + 2} of" in spoken and "α" in spoken
    assert reader.page.evaluate("document.activeElement.className") == "rnn-steps"  # JupyterLab did not take the keys


def test_the_matrix_shows_a_cell_and_takes_one_to_its_step(reader: StepReader) -> None:
    board = reader.view.locator(".rnn-map")
    left, top, cell = (float(board.get_attribute(f"data-{side}")) for side in ("left", "top", "cell"))
    board.click(position={"x": left + 2.5 * cell, "y": top + 1.5 * cell})
    reader.reader.wait_for("step", 1)
    reader.reader.wait_for("place", 2)
    board.hover(position={"x": left + 2.6 * cell, "y": top + 1.6 * cell})
    told = reader.view.locator(".rnn-told")
    wait_until(lambda: "reads" in told.inner_text() and "α" in told.inner_text(), "the cell in words")


def test_one_fixed_vector_has_no_weights_and_other_scores_have_their_own(reader: StepReader) -> None:
    before = reader.reader.pixels(reader.view.locator(".rnn-map"))
    reader.tab("one fixed vector").click()
    reader.reader.wait_for("score", "fixed")
    reader.data("kind", "fixed")
    wait_until(lambda: "one vector for all steps" in reader.view.inner_text(), "the matrix to say why it is empty")
    wait_until(lambda: reader.reader.pixels(reader.view.locator(".rnn-map")) != before, "no matrix")
    reader.page.keyboard.press("ArrowLeft")
    reader.reader.wait_for("score", "dot")
    wait_until(lambda: "e = s · h" in reader.view.locator(".rnn-lower").inner_text(), "the dot product's terms")
    reader.tab("additive").click()
    reader.reader.wait_for("score", "additive")


def test_a_typed_sentence_is_translated_and_a_long_one_refused(reader: StepReader) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("The king thanked the stray cat.")
    box.press("Enter")
    chips = reader.view.locator(".rnn-chips")
    wait_until(lambda: "König" in chips.inner_text(), "the new sentence's words")
    assert reader.view.get_by_label("Shown").locator("option").first.inner_text() == "The king thanked the stray cat."
    box.fill("the cat " * 20)
    box.press("Enter")
    status = reader.page.locator(".view-status").first
    wait_until(lambda: "try a shorter one" in status.inner_text(), "the refusal")
    assert "König" in chips.inner_text()
    reader.view.get_by_label("Shown").select_option(index=1)
    reader.reader.wait_for("sentence", 1)


def test_the_step_s_slider_repaints_within_a_frame_and_nothing_left_the_machine(reader: StepReader) -> None:
    took = sorted(reader.page.evaluate(SLIDE, ["step", "step", 24]))
    paint = float(reader.view.get_attribute("data-paint-ms"))
    measured = {"step to frame, median": took[12], "one paint": paint}
    remember_latencies({"12 recurrence, ms": {name: round(ms, 1) for name, ms in measured.items()}})
    assert reader.reader.refused == [] and reader.reader.errors == []
