"""Notebook 04 in a real JupyterLab in headless Chromium: a run goes on, pauses, changes its rate and goes back."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

from studies import alignment, stored

pytestmark = pytest.mark.browser

NAMES = ("running", "factor", "frames", "snapshots", "frame", "layer", "head", "gold")

# Milliseconds from each arrow key on the small maps to the frame that shows the other head.
HEADS = """async (times) => {
  const thumbs = document.querySelector(".tra-thumbs"), map = document.querySelector(".tra-map"), took = [];
  thumbs.focus();
  for (let i = 0; i < times; i++) {
    const before = map.toDataURL(), start = performance.now();
    thumbs.dispatchEvent(new KeyboardEvent("keydown", { key: i % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    if (map.toDataURL() === before) throw new Error("the frame after the key shows the old head");
    await new Promise(resolve => setTimeout(resolve, 100 + (i * 7) % 17));
  }
  return took;
}"""


class Run:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        return self.page.locator(".view", has=self.page.locator(".tra-press")).last

    @property
    def step(self) -> int:
        return int(self.view.get_attribute("data-step") or 0)

    def press(self, name: str) -> None:
        self.view.get_by_role("button", name=name).click()

    def slide(self, label: str, value: float) -> None:
        self.view.get_by_label(label).evaluate(
            "(bar, value) => { bar.value = value; bar.dispatchEvent(new Event('input', { bubbles: true })); }", value
        )


@pytest.fixture(scope="module")
def run(lab: Lab) -> Iterator[Run]:
    more = "{'threads': int(view.run._thread.is_alive()), 'steps': len(view.run.steps), 'at': view.run.state.step}"
    with lab.opened(
        "04_training.ipynb", "view", NAMES, more, shown=["recipe_view(lengths[:400])", "forming_view("]
    ) as opened:
        run = Run(opened)
        run.view.scroll_into_view_if_needed()
        wait_until(lambda: run.step >= 30, "the first steps to be on the page")
        yield run


def test_it_goes_on_step_by_step_and_pauses_for_good(run: Run) -> None:
    begun, before = run.step, run.reader.pixels(run.view.locator(".tra-curves"))
    run.press("Go on")
    wait_until(lambda: run.step > begun + 2, "further steps to come while the page is looked at", 120)
    assert run.reader.pixels(run.view.locator(".tra-curves")) != before
    run.press("Pause")
    run.reader.wait_for("running", False)
    wait_until(lambda: run.view.get_attribute("data-running") == "false", "the page to know that it has paused")
    wait_until(lambda: run.step == run.python("at"), "the page to have the last step that was made")
    made = run.step
    run.page.wait_for_timeout(1500)  # long enough for a run that has not paused to make another step
    assert run.step == made and run.view.get_by_role("button", name="Go on").is_enabled()


def test_the_rate_follows_the_slider(run: Run) -> None:
    run.slide("learning rate, times the recipe's", 5)
    wait_until(lambda: abs(run.python("factor") - 10**0.5) < 1e-6, "the factor in Python")
    wait_until(lambda: "× 3.2" in run.view.inner_text(), "the factor on the page")
    run.slide("learning rate, times the recipe's", 0)
    run.reader.wait_for("factor", 1)


def test_one_goes_back_to_a_kept_checkpoint(run: Run) -> None:
    run.view.get_by_label("Kept checkpoint to go back to").select_option("20")
    run.press("Go back")
    wait_until(lambda: run.step == 20, "the page to be at step 20 again")
    wait_until(lambda: max(run.python("frames")) == 20 and max(run.python("snapshots")) == 20, "Python to be there too")
    run.press("Go on")
    wait_until(lambda: run.step > 21, "the run to go on from there", 120)
    run.press("Pause")
    run.reader.wait_for("running", False)
    wait_until(lambda: run.step == run.python("at"), "the page to have the last step that was made")


def test_looking_back_shows_the_map_of_then(run: Run) -> None:
    canvas = run.view.locator(".tra-map")
    now = run.reader.pixels(canvas)
    run.slide("step looked at", 0)
    wait_until(lambda: "step 0" in run.view.locator(".tra-attention .view-name").first.inner_text(), "the first frame")
    wait_until(lambda: run.reader.pixels(canvas) != now, "its map")
    run.view.locator(".tra-curves").focus()
    run.page.keyboard.press("End")
    run.reader.wait_for("frame", -1)


def test_heads_are_chosen_by_mouse_and_keys_within_a_frame(run: Run) -> None:
    thumbs = run.view.locator(".tra-thumbs")
    box = thumbs.bounding_box()
    thumbs.click(position={"x": box["width"] - 12, "y": box["height"] - 12})
    run.reader.wait_for("layer", 3), run.reader.wait_for("head", 3)
    thumbs.focus()
    run.page.keyboard.press("ArrowUp")
    run.reader.wait_for("layer", 2)
    run.page.keyboard.press("ArrowLeft")
    run.reader.wait_for("head", 2)
    took = sorted(run.page.evaluate(HEADS, 10))
    paint = float(run.view.get_attribute("data-paint-ms"))
    remember_latencies({"04 training, ms": {"key to frame, median": round(took[5], 1), "one paint": round(paint, 1)}})


def test_a_cell_is_told_in_words_and_spoken(run: Run) -> None:
    canvas = run.view.locator(".tra-map")
    canvas.focus()
    run.page.keyboard.press("ArrowDown")
    run.page.keyboard.press("ArrowRight")
    wait_until(lambda: "with weight ≈" in run.view.locator(".view-cell").inner_text(), "the cell's words")
    assert "having read" in run.view.locator(".view-live").text_content()


def test_the_kept_run_moves_by_its_slider_and_names_errors(run: Run) -> None:
    kept = run.page.locator(".view", has=run.page.locator(".tra-curves")).last
    kept.scroll_into_view_if_needed()
    numbers, formed = kept.locator(".tra-numbers"), stored.load("data/forming.json")
    layer, head = alignment.best_head(formed)
    first, last = (f"{formed['readings'][at]['naive'][layer][head]:.3f}" for at in (0, -1))
    wait_until(lambda: "AER of this head" in numbers.inner_text() and last in numbers.inner_text(), "the end's AER")
    kept.get_by_label("step looked at").evaluate(
        "bar => { bar.value = 0; bar.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    wait_until(lambda: first in numbers.inner_text(), "the beginning's AER")


def test_batches_rates_and_targets_follow_their_controls(run: Run) -> None:
    views = run.page.locator(".view", has=run.page.locator(".rec-canvas"))
    first = views.first
    first.scroll_into_view_if_needed()
    result = first.locator(".rec-result")
    wait_until(lambda: "none above 200 tokens" in result.inner_text(), "batches within the budget")
    first.get_by_label("How batches are cut").select_option("count")
    wait_until(lambda: "above the 200" in result.inner_text(), "batches that go over it")
    first.get_by_role("tab", name="Learning rate").click()
    wait_until(lambda: "6.987712e−4" in result.inner_text(), "the paper's highest rate")
    first.get_by_role("tab", name="Learning rate").press("ArrowRight")
    wait_until(lambda: "floor 1.3769" in result.inner_text(), "the floor of the loss")


def test_nothing_left_the_machine_and_nothing_failed(run: Run) -> None:
    assert run.reader.refused == [] and run.reader.errors == []
