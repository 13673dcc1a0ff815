"""Notebook 02 in a real JupyterLab in headless Chromium: the sheet computes in the page what torch computes."""

import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("values", "by_hand", "options", "head", "n_rows", "example", "cell")
MORE = '{"out": views.numbers_of(sheet)["out"].tolist(), "weights": views.numbers_of(sheet)["A.0"].tolist()}'


class SheetReader:
    """What the tests ask of the first sheet of the page."""

    def __init__(self, reader: Reader):
        self.reader, self.page = reader, reader.page
        self.python, self.wait_for = reader.python, reader.wait_for
        self.latencies: dict[str, Any] = {}

    @property
    def view(self) -> Any:
        return self.page.locator(".sh").first

    def cell(self, slot: str, i: int, j: int) -> Any:
        return self.view.locator(f'td[data-at="{slot}:{i}:{j}"]')

    def number(self, slot: str, i: int, j: int) -> float:
        """The whole number of a cell, not as it is rounded to be seen."""
        return float(self.cell(slot, i, j).get_attribute("title"))

    def terms(self) -> str:
        return self.view.locator(".sh-terms").inner_text()

    def type(self, slot: str, i: int, j: int, text: str) -> None:
        self.cell(slot, i, j).click()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def shows_what_torch_computes(self) -> None:
        rows = range(self.python("n_rows"))
        places = [("out", i, j) for i in rows for j in range(6)] + [("A.*", i, j) for i in rows for j in rows]
        kinds = {"out": "out", "A.*": "weights"}
        wait_until(
            lambda: all(abs(self.number(s, i, j) - self.python(kinds[s])[i][j]) < 1e-6 for s, i, j in places),
            "the page and torch to agree",
        )


@pytest.fixture(scope="module")
def sheet(lab: Lab) -> Iterator[SheetReader]:
    with lab.opened("02_scaled_dot_product.ipynb", "sheet", NAMES, MORE, shown=["scaling_view("]) as opened:
        reader = SheetReader(opened)
        reader.view.scroll_into_view_if_needed()
        wait_until(lambda: reader.view.get_attribute("data-paint-ms"), "the sheet to be painted")
        yield reader
    remember_latencies(reader.latencies)


def test_the_sheet_opens_with_torchs_numbers_and_says_that_they_are_made_up(sheet: SheetReader) -> None:
    sheet.shows_what_torch_computes()
    wait_until(lambda: "synthetic" in sheet.view.locator(".view-badge").inner_text(), "the page to say so")


def test_a_clicked_number_says_its_terms_and_frames_where_they_come_from(sheet: SheetReader) -> None:
    sheet.cell("Q.*", 1, 0).click()
    sheet.wait_for("cell", ["Q.0", 1, 0])
    assert sheet.terms().replace(" ", "").endswith("=1.5")
    framed = sheet.view.locator("td.sh-from")
    assert framed.count() == 12  # a row of X, a column of W
    sheet.page.keyboard.press("ArrowDown")
    sheet.wait_for("cell", ["Q.0", 2, 0])
    sheet.page.keyboard.press("ArrowLeft")
    sheet.wait_for("cell", ["W_Q.0", 2, 1])
    sheet.page.keyboard.press("Escape")
    sheet.wait_for("cell", [])


def test_a_typed_number_reaches_the_output_and_python(sheet: SheetReader) -> None:
    before = sheet.number("out", 1, 3)
    sheet.type("X", 0, 2, "2,5")
    wait_until(lambda: sheet.python("values")["X"][0][2] == 2.5, "the number to reach Python")
    wait_until(lambda: sheet.number("out", 1, 3) != before, "the number to reach the output")
    sheet.shows_what_torch_computes()
    assert sheet.view.locator("td.sh-moved").count() > 20
    assert "computed numbers changed" in sheet.terms()


def test_what_is_no_number_is_refused_in_words_and_changes_nothing(sheet: SheetReader) -> None:
    before = sheet.python("values")
    sheet.type("X", 1, 1, "-1x")
    wait_until(lambda: "“-1x” is no number" in sheet.terms(), "the refusal")
    assert sheet.python("values") == before and sheet.cell("X", 1, 1).inner_text() == "−1"
    sheet.cell("out", 0, 0).click()
    sheet.page.keyboard.type("5")
    wait_until(lambda: "This number is computed" in sheet.terms(), "the refusal")


def test_a_query_typed_over_changes_its_row_of_weights_alone(sheet: SheetReader) -> None:
    before = [[sheet.number("A.*", i, j) for j in range(4)] for i in range(4)]
    sheet.type("Q.*", 2, 1, "-3")
    sheet.wait_for("by_hand", {"Q.0:2:1": -3})
    after = [[sheet.number("A.*", i, j) for j in range(4)] for i in range(4)]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, True, False, True]
    assert abs(sum(after[2]) - 1) < 1e-12
    sheet.view.get_by_role("button", name="Reset").click()
    sheet.wait_for("by_hand", {})
    sheet.wait_for(
        "values", sheet.python("values") | {"X": [*[[0, 1, 0, -1, 0, -1]], *sheet.python("values")["X"][1:]]}
    )
    sheet.shows_what_torch_computes()


def test_heads_mask_scale_sentence_and_length_can_be_chosen(sheet: SheetReader) -> None:
    sheet.view.get_by_label("head 2", exact=True).click()
    sheet.wait_for("head", 2)
    sheet.view.get_by_label("head 0", exact=True).click()
    sheet.view.get_by_label("causal mask").check()
    sheet.wait_for("options", {"scale": True, "causal": True})
    assert [sheet.number("A.*", 0, j) for j in range(4)] == [1, 0, 0, 0]
    sheet.shows_what_torch_computes()
    sheet.view.get_by_label("causal mask").uncheck()
    sheet.view.get_by_label("Sentence").select_option("1")
    sheet.wait_for("example", 1)
    assert sheet.view.locator("th", has_text="student").count() >= 3
    sheet.view.get_by_label("one token more").click()
    sheet.wait_for("n_rows", 5)
    wait_until(lambda: sheet.cell("A.*", 4, 4).count() == 1, "a fifth row")
    sheet.shows_what_torch_computes()
    more = sheet.view.get_by_label("one token more")
    more.click()
    wait_until(lambda: more.get_attribute("aria-disabled") == "true", "six tokens to be all there are")
    for _ in range(2):
        sheet.view.get_by_label("one token fewer").click()
    sheet.view.get_by_label("Sentence").select_option("0")
    sheet.wait_for("n_rows", 4)


def test_the_slider_of_d_k_moves_by_keyboard(sheet: SheetReader) -> None:
    view = sheet.page.locator(".sc").first
    view.scroll_into_view_if_needed()
    wait_until(lambda: view.get_attribute("data-paint-ms"), "the view to be painted")
    canvas = view.locator('canvas[data-of="weights"]')
    before, picture = view.get_attribute("data-dk"), sheet.reader.pixels(canvas)
    view.get_by_label("d_k", exact=True).focus()
    sheet.page.keyboard.press("ArrowRight")
    wait_until(lambda: view.get_attribute("data-dk") == "91" and before == "64", "the next d_k")
    wait_until(lambda: sheet.reader.pixels(canvas) != picture, "another picture")
    sheet.page.keyboard.press("End")
    wait_until(lambda: "d_k = 1024" in view.locator(".sc-table").inner_text(), "the last d_k")


# Moves a control so many times and measures each from the event to the frame that shows the change.
MOVE = """async ([selector, shown, times]) => {
  const took = [];
  for (let i = 0; i < times; i++) {
    const view = document.querySelector(selector), before = view.dataset[shown];
    const slider = view.querySelector("input[type=range]");
    const start = performance.now();
    if (slider) {
      slider.value = String((+slider.value + 1) % (+slider.max + 1));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    } else view.querySelectorAll(".sh-head")[i % 2 + 1].click();
    while (view.dataset[shown] === before) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - start > 20_000) throw new Error(`${shown} stays ${before}, though its control has moved`);
    }
    took.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 40 + (i * 7) % 17)); // evenly over the time between two frames
  }
  return took;
}"""


def test_latency_is_measured(sheet: SheetReader) -> None:
    for what, selector, shown in [("head of the sheet", ".sh", "head"), ("d_k slider", ".sc", "dk")]:
        took = sheet.page.evaluate(MOVE, [selector, shown, 30])
        summary = {"median": round(statistics.median(took), 1), "p95": round(sorted(took)[28], 1), "n": len(took)}
        sheet.latencies[f"{what} to repaint, ms"] = summary


def test_nothing_left_the_machine_and_nothing_went_wrong(sheet: SheetReader) -> None:
    assert sheet.reader.refused == []
    assert sheet.reader.errors == []
