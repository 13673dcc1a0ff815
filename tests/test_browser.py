"""Notebook 05 in a real JupyterLab in headless Chromium: what a reader sees, and what Python knows of it."""

import statistics
import time
from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("kind", "layer", "heads", "pin", "threshold", "cell", "off", "words", "held", "ablation")
MORE = '{"text": explorer.text, "translation": explorer.reading.translation}'
SECOND = 'explore_attention(translator, "I am a teacher.")'  # one more view, below all others


class AttentionReader:
    """What the tests ask of the first attention view of the page."""

    def __init__(self, reader: Reader):
        self.reader, self.page = reader, reader.page
        self.latencies: dict[str, Any] = {}
        self.python, self.wait_for = reader.python, reader.wait_for

    @property
    def view(self) -> Any:
        return self.page.locator(".view").first

    def shown(self, name: str) -> str:
        return self.view.get_attribute(f"data-{name}")

    def map(self, kind: str) -> tuple[Any, dict[str, float]]:
        """The canvas of a map, and where its cells are."""
        canvas = self.view.locator(f'canvas.att-heat[data-kind="{kind}"]')
        names = ("left", "top", "cell", "rows", "cols")
        return canvas, {name: float(canvas.get_attribute(f"data-{name}")) for name in names}


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[AttentionReader]:
    with lab.opened("05_attention_heads.ipynb", "explorer.view", NAMES, MORE, [SECOND]) as opened:
        reader = AttentionReader(opened)
        wait_until(lambda: reader.view.get_attribute("data-paint-ms"), "the first view to be painted")
        yield reader
    remember_latencies(reader.latencies)


# Moves the layer slider so many times and measures each from the event to the frame that shows the change.
SLIDE = """async (times) => {
  const slider = document.querySelector(".view input[aria-label=Layer]"), took = [];
  for (let i = 0; i < times; i++) {
    const view = slider.closest(".view"), before = view.dataset.layer;
    slider.value = String((+slider.value + 1) % (+slider.max + 1));
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (view.dataset.layer === before) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - start > 20_000) throw new Error(`the layer stays ${before}, though its slider has moved`);
    }
    took.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 40 + (i * 7) % 17)); // evenly over the time between two frames
  }
  return took;
}"""


# Keeps how long it took from the next key to the first paint of a view that was not there before.
RUN = """() => {
  const old = new Set(document.querySelectorAll(".view"));
  window.painted = 0;
  document.addEventListener("keydown", () => {
    const start = performance.now();
    const look = () => {
      const fresh = [...document.querySelectorAll(".view[data-paint-ms]")].some(view => !old.has(view));
      if (fresh) window.painted = performance.now() - start; else requestAnimationFrame(look);
    };
    look();
  }, { once: true, capture: true });
}"""


def test_the_notebook_runs_and_shows_a_trained_model(reader: AttentionReader) -> None:
    reader.view.scroll_into_view_if_needed()
    badge = reader.view.locator(".view-badge")
    wait_until(
        lambda: badge.inner_text() == "trained: tatoeba-en-de", "what the picture shows to be said in its corner"
    )
    assert reader.python("translation") in reader.view.locator(".view-sentence").inner_text()
    assert reader.reader.failed() == []


def test_the_layer_moves_by_keyboard_and_by_mouse(reader: AttentionReader) -> None:
    slider = reader.view.get_by_label("Layer", exact=True)
    slider.focus()
    for _ in range(6):
        reader.page.keyboard.press("ArrowLeft")
    reader.wait_for("layer", 0)
    reader.page.keyboard.press("ArrowRight")
    reader.wait_for("layer", 1)
    assert reader.shown("layer") == "1"
    box = slider.bounding_box()
    reader.page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    reader.wait_for("layer", 5)
    assert reader.shown("layer") == "5"


def test_a_double_click_leaves_one_head_and_another_brings_all_back(reader: AttentionReader) -> None:
    other = (reader.python("heads")[0] + 1) % 8
    button = reader.view.locator(f'.att-head[data-head="{other}"]')
    button.dblclick()
    reader.wait_for("heads", [other])
    assert reader.shown("heads") == str(other)
    button.dblclick()
    reader.wait_for("heads", list(range(8)))


def test_a_token_is_pinned_by_a_click_and_by_a_key(reader: AttentionReader) -> None:
    canvas, at = reader.map("cross")
    canvas.click(position={"x": at["left"] - 20, "y": at["top"] + 1.5 * at["cell"]})
    reader.wait_for("pin", [["query", 1]])
    canvas.focus()
    reader.page.keyboard.press("q")
    wait_until(lambda: len(reader.python("pin")) != 1, "a second pin")
    reader.page.keyboard.press("Escape")
    reader.wait_for("pin", [])


def test_a_clicked_cell_shows_the_arithmetic_that_made_it(reader: AttentionReader) -> None:
    reader.view.locator('.att-head[data-head="3"]').dblclick()
    reader.wait_for("heads", [3])
    canvas, at = reader.map("cross")
    canvas.click(position={"x": at["left"] + 2.5 * at["cell"], "y": at["top"] + 1.5 * at["cell"]})
    reader.wait_for("cell", ["cross", 5, 3, 1, 2])
    address = reader.view.locator(".view-address").inner_text()
    assert 'trace["decoder.5.cross_attention.weights"][0, 3, 1, 2]' in address
    gap = reader.view.locator(".att-gap").inner_text()
    assert float(gap.split()[-1].replace("−", "-").replace("×10", "e")) <= 1e-6, gap


def test_a_thumbnail_leads_to_its_head(reader: AttentionReader) -> None:
    reader.view.locator('.view-tab[data-tab="heads"]').click()
    reader.reader.drawn()
    grid = reader.view.locator(".att-thumbs")
    left, top, dx, dy = (float(grid.get_attribute(f"data-{name}")) for name in ("left", "top", "dx", "dy"))
    grid.click(position={"x": left + 6.4 * dx, "y": top + 2.4 * dy})
    reader.wait_for("layer", 2)
    reader.wait_for("heads", [6])


def test_a_row_of_the_head_facts_leads_to_its_head(reader: AttentionReader) -> None:
    reader.view.locator('.view-tab[data-tab="facts"]').click()
    reader.view.locator('.view-sort[data-column="entropy"]').click()
    reader.reader.drawn()
    row = reader.view.locator(".att-facts tbody tr").first
    there = int(row.get_attribute("data-layer")), int(row.get_attribute("data-head"))
    row.click()
    reader.wait_for("layer", there[0])
    reader.wait_for("heads", [there[1]])


def test_a_compared_head_that_is_not_there_becomes_the_nearest(reader: AttentionReader) -> None:
    reader.view.locator('.view-tab[data-tab="difference"]').click()
    field = reader.view.get_by_label("Second head", exact=True)
    for typed, nearest in (("70", "7"), ("-1", "0")):
        field.fill(typed)
        field.press("Enter")
        assert field.input_value() == nearest


def test_the_mass_on_hidden_tokens_is_stated(reader: AttentionReader) -> None:
    columns = reader.map("encoder")[1]["cols"]
    box = reader.view.get_by_label("hide special tokens")
    box.check()
    wait_until(lambda: reader.map("encoder")[1]["cols"] == columns - 1, "</s> to be hidden")
    assert "%" in reader.view.locator(".att-mass").inner_text()
    box.uncheck()
    wait_until(lambda: reader.map("encoder")[1]["cols"] == columns, "</s> to be back")


def test_a_head_switched_off_is_off_in_the_model(reader: AttentionReader) -> None:
    layer = reader.python("layer")
    reader.view.locator('.att-switch[data-head="3"]').click()
    reader.wait_for("off", [["cross", layer, 3]])
    wait_until(lambda: reader.python("ablation"), "the model to translate again")
    ablation = reader.python("ablation")
    assert len(ablation["delta"]) == len(ablation["tokens"]) and any(ablation["delta"])
    headline = reader.view.locator(".att-without")
    said = f"without 1 head → {ablation['translation'] if ablation['changed'] else 'the same words.'}"
    wait_until(lambda: headline.inner_text().startswith(said), "the headline to say it")
    reader.view.locator('.att-switch[data-head="3"]').click()
    reader.wait_for("off", [])
    wait_until(lambda: headline.inner_text().startswith("Change a word"), "the headline to invite again")


def test_a_word_is_changed_where_it_stands_and_the_box_follows(reader: AttentionReader) -> None:
    before = reader.python("text")
    words = reader.view.locator(".att-word")
    words.nth(0).focus()
    reader.page.keyboard.press("m")
    reader.wait_for("words", [["mask", 0]])
    words.nth(1).click()
    reader.view.locator(".att-edit input").fill("horse")
    reader.view.locator(".att-edit").get_by_text("replace").click()
    reader.wait_for("words", [["mask", 0], ["replace", 1, "horse"]])
    wait_until(lambda: "horse" in reader.python("text"), "the sentence box to follow")
    box = reader.page.locator(".view-input input").first
    wait_until(lambda: box.input_value() == reader.python("text"), "the page's box to follow")
    told = reader.view.locator(".att-without")
    wait_until(lambda: "2 source words changed" in told.inner_text() and "Δ" in told.inner_text(), "the answer")
    words.nth(1).focus()
    for _ in range(2):
        reader.page.keyboard.press("Control+z")
    reader.wait_for("words", [])
    wait_until(lambda: reader.python("text") == before == box.input_value(), "the sentence that was typed")


FOCUSED = "document.activeElement.getAttribute('aria-label')"


def test_a_row_is_set_by_keyboard_and_the_sentence_is_decoded_again(reader: AttentionReader) -> None:
    page, told = reader.page, reader.view.locator(".att-without")
    canvas, _ = reader.map("cross")
    canvas.focus()
    for key in ["Escape", *["ArrowDown"] * 6, "e"]:  # to the sixth row, which is about to say “Straße”
        page.keyboard.press(key)
    reader.wait_for("pin", [["query", 5]])
    wait_until(lambda: page.evaluate(FOCUSED) == "Weight of “▁The”", "the first key's slider to have the keyboard")
    reader.view.get_by_label("Heads whose row is set").select_option("all")
    reader.view.locator(".att-weights input[type=range]").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    row = [0.0, 1.0, *[0.0] * (len(reader.view.locator(".att-weight").all()) - 2)]
    reader.wait_for("held", [["cross", layer, -1, 5, row] for layer in range(6)])
    wait_until(lambda: "1 row set in 6 layers → " in told.inner_text() and "Δ" in told.inner_text(), "the answer")
    ablation = reader.python("ablation")
    assert ablation["changed"] and ablation["translation"] in told.inner_text() and ablation["idle"] == []
    assert ablation["translation"] in reader.view.locator(".view-live").inner_text()  # and it is spoken
    old, new = (reader.view.locator(f".att-pane-row .att-{when}").inner_text() for when in ("before", "after"))
    assert (old, new) == (reader.python("translation"), ablation["translation"])
    still = reader.view.locator(".att-still")
    assert still.is_visible() and still.inner_text().startswith("A row that you set is drawn as set")
    thumbs = reader.view.locator(".att-thumbs")
    reader.view.locator('.view-tab[data-tab="heads"]').click()
    wait_until(thumbs.is_visible, "the small maps")
    with_row = reader.reader.pixels(thumbs)
    reader.view.locator('.view-tab[data-tab="row"]').click()
    _, at = reader.map("cross")
    canvas.scroll_into_view_if_needed()
    canvas.hover(position={"x": at["left"] + 1.5 * at["cell"], "y": at["top"] + 5.5 * at["cell"]})
    cell = reader.view.locator(".view-cell").first
    wait_until(lambda: "animal with 1.00 (1.0000000)" in cell.inner_text(), "the weight as it was set")
    canvas.focus()
    for _ in range(3):  # the two tabs, then the row
        page.keyboard.press("Control+z")
    reader.wait_for("held", [])
    wait_until(lambda: not still.is_visible(), "the maps to be the model's again")
    reader.view.locator('.view-tab[data-tab="heads"]').click()
    wait_until(lambda: thumbs.is_visible() and reader.reader.pixels(thumbs) != with_row, "small maps without the row")
    reader.view.locator('.view-tab[data-tab="row"]').click()
    wait_until(lambda: told.inner_text().startswith("Change a word"), "the headline to invite again")
    reader.view.get_by_label("Heads whose row is set").select_option("head")


def test_another_sentence_is_translated_and_shown(reader: AttentionReader) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("I like stray cats.")
    box.press("Enter")
    began = time.monotonic()
    wait_until(lambda: "I like stray cats." in reader.view.locator(".view-sentence").inner_text(), "the new sentence")
    reader.latencies["sentence entered to its translation shown, s"] = round(time.monotonic() - began, 2)
    reader.wait_for("text", "I like stray cats.")
    assert reader.python("translation") in reader.view.locator(".view-sentence").inner_text()
    _, at = reader.map("encoder")
    assert at["rows"] == at["cols"] and at["rows"] >= 6


def test_a_sentence_of_markup_is_shown_as_text(reader: AttentionReader) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("<script>alert(1)</script> <b>bold</b>")
    box.press("Enter")
    wait_until(lambda: "<b>bold</b>" in reader.view.locator(".view-sentence").inner_text(), "the markup as text")
    reader.wait_for("text", "<script>alert(1)</script> <b>bold</b>")
    assert reader.view.locator(".view-sentence script").count() == 0
    assert reader.view.locator(".view-sentence b").all_inner_texts() == [reader.python("translation")]


def test_two_views_do_not_disturb_each_other(reader: AttentionReader) -> None:
    second = reader.page.locator(".view").last
    before = second.get_attribute("data-layer")
    slider = reader.view.get_by_label("Layer", exact=True)
    slider.focus()
    for key, layer in [("End", 5), ("Home", 0)]:
        reader.page.keyboard.press(key)
        reader.wait_for("layer", layer)
    assert second.get_attribute("data-layer") == before


def test_latency_is_measured(reader: AttentionReader) -> None:
    took = reader.page.evaluate(SLIDE, 40)
    assert len(took) == 40
    summary = {"median": round(statistics.median(took), 1), "p95": round(sorted(took)[37], 1), "n": len(took)}
    reader.latencies["layer slider to repaint, ms"] = summary
    reader.page.locator(".jp-CodeCell .cm-content").last.click()
    reader.page.evaluate(RUN)
    reader.page.keyboard.press("Control+Enter")
    painted = reader.page.wait_for_function("window.painted", polling="raf", timeout=60_000).json_value()
    reader.latencies["cell run to first paint, ms"] = round(painted)


def test_nothing_left_the_machine_and_nothing_went_wrong(reader: AttentionReader) -> None:
    assert reader.reader.refused == []
    assert reader.reader.errors == []
