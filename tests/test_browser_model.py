"""Notebook 00 in a real JupyterLab in headless Chromium: every block answers, and the sentence travels."""

import json
import re
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from lab import SLIDE, Lab, Reader, remember_latencies, wait_until

from viz.model import drawing

pytestmark = pytest.mark.browser

NAMES = ("block", "layer", "stop", "unfolded", "norm", "letters", "panel")
MORE = (
    '{"text": explorer.text, "S": explorer.reading.src.shape[1], "T": len(explorer.reading.ids), '
    '"translation": explorer.reading.translation}'
)


class ModelReader:
    """What the tests ask of the model view of the page."""

    def __init__(self, reader: Reader):
        self.reader, self.page = reader, reader.page
        self.python, self.wait_for = reader.python, reader.wait_for
        self.latencies: dict[str, Any] = {}

    @property
    def view(self) -> Any:
        return self.page.locator('.view[aria-label="Model view"]').first

    @property
    def figure(self) -> Any:
        return self.view.locator("canvas.mod-figure")

    @property
    def pane(self) -> str:
        return self.view.locator(".mod-pane").inner_text()

    def click(self, box: Any) -> None:
        scale = float(self.figure.get_attribute("data-scale"))
        self.figure.click(position={"x": scale * box.middle, "y": scale * (box.y + box.h / 2)})

    def boxes(self) -> dict[str, Any]:
        plan = drawing(6, self.python("norm"), self.python("unfolded"))
        return {box.name: box for box in plan.boxes}


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[ModelReader]:
    with lab.opened("00_start_here.ipynb", "explorer.view", NAMES, MORE, shown=[]) as opened:
        reader = ModelReader(opened)
        opened.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
        wait_until(lambda: reader.view.get_attribute("data-paint-ms"), "the figure to be painted")
        yield reader
    remember_latencies(reader.latencies)


def test_the_first_view_is_figure_1_of_the_trained_model(reader: ModelReader) -> None:
    wait_until(
        lambda: reader.view.locator(".view-badge").inner_text() == "trained: tatoeba-en-de", "the page to say so"
    )
    wait_until(
        lambda: reader.python("translation") in reader.view.locator(".view-sentence").inner_text(), "the page to say so"
    )
    assert reader.figure.get_attribute("data-attention") == "3"


def test_the_journey_goes_on_by_keyboard_and_the_pane_tells_each_stop(reader: ModelReader) -> None:
    slider = reader.view.get_by_label("Stop", exact=True)
    slider.focus()
    reader.page.keyboard.press("ArrowRight")
    reader.wait_for("stop", 1)
    assert f"one sentence of {reader.python('S')} ids" in reader.pane
    before = reader.reader.pixels(reader.figure)
    reader.view.get_by_label("One stop on").click()
    reader.wait_for("stop", 2)
    wait_until(lambda: reader.reader.pixels(reader.figure) != before, "the embedding to light up")
    assert f"{reader.python('S')} × 256" in reader.pane


def test_the_translation_appears_piece_by_piece_and_tokens_move_on_the_wires(reader: ModelReader) -> None:
    words, slider = reader.view.locator(".mod-outcome"), reader.view.get_by_label("Stop", exact=True)
    slider.fill("0")
    reader.wait_for("stop", 0)
    whole = reader.python("translation")
    wait_until(lambda: words.inner_text().endswith(whole), "the whole translation before the journey")
    slider.fill("10")  # the first step of the decoder
    first, second = (reader.reader.pixels(reader.figure) for _ in range(2))
    assert first != second  # on their way
    wait_until(lambda: words.inner_text().strip().endswith(" …"), "the first piece alone")
    said = words.inner_text().split("→")[-1].strip()
    assert whole.startswith(said.removesuffix(" …")) and len(said) < len(whole) / 2


def test_every_decoder_step_shows_bars_that_sum_to_one_and_the_sizes_of_three_maps(reader: ModelReader) -> None:
    slider = reader.view.get_by_label("Stop", exact=True)
    slider.focus()
    reader.page.keyboard.press("End")
    reader.wait_for("stop", 10 + reader.python("T"))
    wait_until(lambda: "the same pieces, every one" in reader.pane, "the last stop's page")
    for back in range(1, 4):
        reader.page.keyboard.press("ArrowLeft")
        reader.wait_for("stop", 10 + reader.python("T") - back)
        wait_until(lambda back=back: f"step {reader.python('T') - back + 1}" in reader.pane, "the step's page")
        cells = reader.view.locator(".mod-bars td:last-child").all_inner_texts()
        *shares, total = (float(cell.replace("−", "-")) for cell in cells)
        assert len(shares) == 11 and abs(sum(shares) - 1) < 0.005 and abs(total - 1) < 1e-3
        S, T = reader.python("S"), reader.python("T") - back + 1
        said = reader.view.locator(".mod-pane canvas").last.get_attribute("aria-label")
        assert re.findall(r"\((\d+), (\d+)\)", said) == [(str(m), str(n)) for m, n in [(S, S), (T, T), (T, S)]]


def test_a_clicked_block_shows_its_formula_its_parameters_its_shapes_and_its_line_in_the_core(
    reader: ModelReader,
) -> None:
    reader.click(reader.boxes()["decoder.*.cross_attention"])
    wait_until(lambda: reader.python("block").endswith("cross_attention"), "the block to be known in Python")
    layer = reader.python("layer")
    S = reader.python("S")
    wait_until(
        lambda: reader.view.locator(".mod-title").inner_text() == f"Multi-head cross-attention · decoder layer {layer}",
        "the page to say so",
    )
    pane = reader.pane
    for text in ("softmax(Q K", "262,144 parameters", f"model.decoder[{layer}].cross_attention", f"(1, {S}, 256)"):
        assert text in pane
    assert re.search(r"transformer_core\.py:\d+", pane) and "weights = self.weights" in pane
    assert reader.view.locator(".mod-link").first.get_attribute("href") == "05_attention_heads.ipynb"


def test_all_eighteen_attention_blocks_answer_to_a_click(reader: ModelReader) -> None:
    reader.view.get_by_label("all layers").check()
    reader.wait_for("unfolded", True)
    wait_until(lambda: reader.figure.get_attribute("data-attention") == "18", "every layer to be drawn")
    attention = {name: box for name, box in reader.boxes().items() if box.kind == "attention"}
    assert len(attention) == 18
    for name, box in attention.items():
        reader.click(box)
        reader.wait_for("block", name)
        wait_until(lambda name=name: reader.view.get_attribute("data-block") == name, f"{name} to be shown")
    reader.view.get_by_label("all layers").uncheck()
    reader.wait_for("unfolded", False)


def test_arrow_keys_walk_from_block_to_block_and_the_block_is_spoken(reader: ModelReader) -> None:
    reader.click(reader.boxes()["encoder.*.self_attention"])
    wait_until(lambda: "encoder" in reader.python("block"), "the block to be chosen")
    layer = reader.python("layer")
    reader.figure.focus()
    reader.page.keyboard.press("ArrowUp")
    reader.wait_for("block", f"encoder.{layer}.add_norm.0")
    reader.page.keyboard.press("ArrowUp")
    reader.wait_for("block", f"encoder.{layer}.feed_forward")
    wait_until(
        lambda: f"encoder layer {layer} · 525,568 parameters" in reader.view.locator(".view-live").inner_text(),
        "the page to say so",
    )
    reader.page.keyboard.press("Escape")
    reader.wait_for("panel", "journey")


def test_the_norm_before_the_sublayer_is_another_drawing_and_says_that_it_is_untrained(reader: ModelReader) -> None:
    before = reader.reader.pixels(reader.figure)
    reader.view.get_by_label("Layer norm", exact=True).select_option("pre")
    reader.wait_for("norm", "pre")
    wait_until(lambda: reader.reader.pixels(reader.figure) != before, "another drawing")
    wait_until(lambda: "untrained" in reader.view.locator(".view-badge").inner_text(), "the page to say so")
    assert "trained model, norm after" in reader.view.locator(".mod-title").inner_text()
    reader.view.get_by_label("Layer norm", exact=True).select_option("post")
    reader.wait_for("norm", "post")
    wait_until(lambda: "norm" not in reader.view.locator(".mod-title").inner_text(), "the figure's own numbers")


@pytest.mark.parametrize(("label", "trait"), [("Stop", "stop"), ("Layer", "layer")])
def test_a_slider_repaints_without_python(reader: ModelReader, label: str, trait: str) -> None:
    took = reader.page.evaluate(SLIDE, [label, trait, 24])
    reader.latencies[f"00, {label} slider to repaint, ms"] = {
        "median": round(statistics.median(took), 1), "worst": round(max(took), 1),
    }  # fmt: skip


def test_another_sentence_travels_from_its_first_stop_and_markup_stays_text(reader: ModelReader) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("I am <b>tired</b> €.")
    box.press("Enter")
    wait_until(lambda: "<b>" in reader.view.locator(".view-sentence").inner_text(), "the sentence in the view")
    reader.wait_for("stop", 0)
    wait_until(lambda: "€" in reader.pane, "the pane of the first stop")
    assert reader.view.locator(".mod-pane b").count() == 0


def test_a_blocks_link_opens_its_notebook_in_lab_itself(reader: ModelReader, lab: Lab) -> None:
    notebook = dict(cells=[], metadata={}, nbformat=4, nbformat_minor=5)
    (lab.home / "05_attention_heads.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    reader.click(reader.boxes()["decoder.*.cross_attention"])
    link = reader.view.locator(".mod-link").first
    wait_until(lambda: "05" in link.inner_text(), "the link")
    address, pages = reader.page.url, len(reader.page.context.pages)
    link.click()
    tab = reader.page.locator(".lm-TabBar-tabLabel", has_text="05_attention_heads.ipynb")
    wait_until(lambda: tab.count() == 1, "a tab of JupyterLab")
    assert len(reader.page.context.pages) == pages and reader.page.url.split("/lab")[0] == address.split("/lab")[0]


def test_nothing_left_the_machine_and_nothing_was_complained_of(reader: ModelReader) -> None:
    assert reader.reader.refused == []
    assert reader.reader.errors == []
