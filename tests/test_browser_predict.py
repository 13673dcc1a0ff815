"""Predict, then reveal, in a page without Python: by mouse and by keyboard, spoken, counted, taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from lab import Reader, wait_until

import transformer_core as tc
from viz import pages
from viz.attention import attention_view
from viz.canvas import offline_page, slot
from viz.decoding import explore_beam

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("one_thread")]

WEIGHTS = torch.tensor([[0.125, 0.75, 0.125], [0.5, 0.25, 0.25], [0.25, 0.125, 0.625]])
CHOSEN = "() => document.activeElement.textContent"

# Whether the last step that is shown lies in the tree's frame.
IN_SIGHT = """() => {
  const { scrollLeft, clientWidth } = document.querySelector(".dec-scroll");
  const board = document.querySelector(".dec-canvas"), { left, wide } = board.dataset;
  const right = Number(left) + board.closest(".view").dataset.steps * wide;
  return right - wide >= scrollLeft && right <= scrollLeft + clientWidth;
}"""


@pytest.fixture(scope="module")
def reader(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    attention = attention_view(WEIGHTS, ["▁a", "▁b", "▁c"], ["▁x", "▁y", "▁z"], title="one head")
    beam = explore_beam(tc.load_pretrained("tatoeba-en-de"), "The thunder frightened the horses.").view
    body = f'<body class="view-page">{slot("canvas", 0)}{slot("canvas", 1)}</body>'
    page = offline_page("<title>predict</title>", body, pages.style(), [attention.frozen(), beam.frozen()])
    path: Path = tmp_path_factory.mktemp("predict") / "predict.html"
    path.write_text(page, encoding="utf-8")
    opened = Reader(browser.new_page(viewport={"width": 1000, "height": 1200}, offline=True))
    opened.page.goto(path.as_uri())
    yield opened
    assert opened.refused == [] and opened.errors == []
    opened.page.close()


def asked(reader: Reader, number: int) -> tuple[Any, Any]:
    """A view, and the line in which it asks, switched on."""
    view = reader.page.locator(".view").nth(number)
    wait_until(lambda: view.get_attribute("data-paint-ms"), "the view to be painted")
    line = view.locator(".view-challenge")
    assert line.is_hidden()  # it asks nobody who did not ask for it
    view.get_by_role("checkbox", name="predict").check()
    wait_until(line.is_visible, "the question")
    return view, line


def says(line: Any, words: str) -> None:
    wait_until(lambda: words in line.inner_text(), lambda: f"{words!r} in {line.inner_text()!r}")


def test_a_row_is_shown_only_when_it_was_said_where_it_looks_and_that_can_be_taken_back(reader: Reader) -> None:
    view, line = asked(reader, 0)
    keys, heat = reader.page.keyboard, view.locator(".att-heat")
    says(line, "Where does ▁b look most")
    heat.focus()
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    heat.hover(position=at(heat, 1, 0))
    reader.drawn()
    assert "0.5" not in view.locator(".att-readout").inner_text()
    line.locator(".view-chip").first.focus()
    keys.press("ArrowRight")
    assert reader.page.evaluate(CHOSEN) == "▁y"
    keys.press("Enter")
    says(line, "Not so")
    says(line, "lies on ▁x")
    says(line, "0 of 1 right")
    wait_until(lambda: "lies on ▁x" in view.locator(".view-live").inner_text(), "the verdict to be spoken")
    heat.hover(position=at(heat, 1, 0))
    wait_until(lambda: "0.50" in view.locator(".att-readout").inner_text(), "the row to be shown")
    line.get_by_role("button", name="Next question").click()
    says(line, "Where does ▁c look most")
    heat.click(position=at(heat, 2, 2))
    says(line, "Right")
    says(line, "1 of 2 right")
    view.locator('[data-tool="undo"]').click()
    says(line, "Where does ▁c look most")
    says(line, "0 of 1 right")
    view.locator('[data-tool="reset"]').click()
    wait_until(line.is_hidden, "all to be as at first")


def at(heat: Any, row: int, col: int) -> dict[str, float]:
    """Where a cell of a map lies."""
    left, top, cell = (float(heat.get_attribute(f"data-{side}")) for side in ("left", "top", "cell"))
    return {"x": left + (col + 0.5) * cell, "y": top + (row + 0.5) * cell}


def test_the_next_step_of_a_beam_is_shown_only_when_it_was_said_who_goes_on(reader: Reader) -> None:
    view = reader.page.locator(".view").nth(1)
    wait_until(lambda: view.get_attribute("data-paint-ms"), "the view to be painted")
    whole = view.get_attribute("data-steps")
    view.locator(".dec-scroll").evaluate("frame => { frame.scrollLeft = 9999; }")
    view, line = asked(reader, 1)
    says(line, "Mark one")
    assert view.get_attribute("data-steps") != whole
    reader.drawn()
    assert reader.page.evaluate(IN_SIGHT)
    step = int(view.get_attribute("data-steps"))
    chips = line.locator(".view-chip")
    assert chips.count() >= 3
    view.locator(".dec-canvas").focus()
    for _ in range(step - 1):
        reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: "asked above" in view.locator(".dec-why").inner_text(), "what is asked not to be told")
    chips.nth(0).click()
    says(line, "of 1 right")
    assert int(view.get_attribute("data-steps")) == step + 1
    reader.page.keyboard.press("Control+z")
    says(line, "Mark one")
    assert int(view.get_attribute("data-steps")) == step
    chips.last.click()  # show it
    says(line, "Shown")
    assert "right" not in line.inner_text()
    view.get_by_role("checkbox", name="predict").uncheck()
    wait_until(lambda: view.get_attribute("data-steps") == whole, "as many steps as before the first question")
    reader.drawn()
    assert reader.page.evaluate(IN_SIGHT)


# Controls whose ring, while they have the keyboard, reaches out of a part of the view that cuts what does not fit.
CUT_RINGS = """() => [...document.querySelectorAll(".view :is(button, input, select)")].filter((control) => {
  control.focus({ focusVisible: true });
  if (document.activeElement !== control) return false;
  const style = getComputedStyle(control), ring = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
  const { left, right, top, bottom } = control.getBoundingClientRect();
  for (let part = control.parentElement; !part.matches(".view"); part = part.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(part), edge = part.getBoundingClientRect();
    if (overflowX !== "visible" && Math.min(left - edge.left, edge.right - right) < ring) return true;
    if (overflowY !== "visible" && Math.min(top - edge.top, edge.bottom - bottom) < ring) return true;
  }
  return false;
}).map((control) => control.ariaLabel ?? control.textContent)"""


def test_the_ring_around_what_has_the_keyboard_is_cut_nowhere(reader: Reader) -> None:
    assert reader.page.evaluate(CUT_RINGS) == []
