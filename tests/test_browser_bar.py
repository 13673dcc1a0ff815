"""The bar of every view in headless Chromium: in a page without Python, and live in JupyterLab."""

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import vl_convert
from lab import Lab, Reader, wait_until

from viz import pages, theme
from viz.attention import attention_view
from viz.canvas import offline_page, packed, slot
from viz.complexity import explore_complexity
from viz.scaled_dot_product import toy_sheet

pytestmark = pytest.mark.browser

WEIGHTS = torch.tensor([[[0.25, 0.75, 0.0], [0.5, 0.25, 0.25]], [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]]])
TOKENS = ["▁a", '▁"b"'], ["▁x", "▁y", "▁z"]
REFUSE = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: () => Promise.reject(Error('no')) } })"
VIOLATIONS = """window.violations = [];
addEventListener("securitypolicyviolation",
  (event) => window.violations.push(`${event.violatedDirective}: ${event.sample}`));
"""
SVG = "{http://www.w3.org/2000/svg}"
FOCUS = "() => document.activeElement.dataset.tool"


class BarReader:
    """A view and its bar."""

    def __init__(self, reader: Reader, view: Any):
        self.reader, self.page, self.view = reader, reader.page, view
        wait_until(lambda: view.get_attribute("data-paint-ms"), "the view to be painted")

    def tool(self, name: str) -> Any:
        return self.view.locator(f'[data-tool="{name}"]')

    @property
    def panel(self) -> Any:
        return self.view.locator(".view-panel")

    def saved(self, name: str) -> tuple[str, bytes]:
        """What a button saves: the file's name and what it holds."""
        with self.page.expect_download() as download:
            self.tool(name).click()
        return download.value.suggested_filename, Path(download.value.path()).read_bytes()

    def shows(self, name: str, value: str) -> None:
        wait_until(lambda: self.view.get_attribute(f"data-{name}") == value, f"{name} to be {value}")


@pytest.fixture(scope="module")
def reader(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    views = [attention_view(WEIGHTS[None], *TOKENS, title="two heads"), toy_sheet(), explore_complexity()]
    body = "".join(slot("canvas", n) for n in range(len(views)))
    page = offline_page("<title>bars</title>", f'<body class="view-page">{body}</body>', pages.style(),
                        [view.frozen() for view in views])  # fmt: skip
    path = tmp_path_factory.mktemp("bar") / "bars.html"
    path.write_text(page, encoding="utf-8")
    opened = Reader(browser.new_page(viewport={"width": 1000, "height": 900}, offline=True))
    opened.page.add_init_script(VIOLATIONS + REFUSE)
    opened.page.goto(path.as_uri())
    yield opened
    assert opened.page.evaluate("window.violations") == [] and opened.refused == [] and opened.errors == []
    opened.page.close()


@pytest.fixture
def heads(reader: Reader) -> BarReader:
    view = reader.page.locator(".view").first
    view.scroll_into_view_if_needed()
    return BarReader(reader, view)


def test_help_comes_once_by_itself_moves_nothing_and_goes_with_the_next_gesture(heads: BarReader) -> None:
    before = heads.view.bounding_box()
    heads.view.hover(position={"x": 200, "y": 100})
    wait_until(heads.panel.is_visible, "help at first use")
    assert "arrow keys" in heads.panel.inner_text() and heads.view.bounding_box() == before
    heads.view.click(position={"x": 300, "y": 8})
    wait_until(heads.panel.is_hidden, "help to go")
    heads.page.mouse.move(0, 0)
    heads.view.hover(position={"x": 200, "y": 100})
    heads.reader.drawn()
    assert heads.panel.is_hidden()
    heads.tool("help").click()
    assert "Undo" in heads.panel.inner_text()
    heads.tool("help").click()
    assert heads.panel.is_hidden()


def test_help_is_shut_by_escape_which_keeps_the_keyboard_there_and_by_a_click_elsewhere(heads: BarReader) -> None:
    heads.tool("help").click()
    heads.panel.focus()
    heads.page.keyboard.press("Escape")
    assert heads.panel.is_hidden() and heads.page.evaluate(FOCUS) == "help"
    heads.tool("help").click()
    assert heads.panel.is_visible()
    heads.page.locator(".view").nth(1).click(position={"x": 3, "y": 3})
    assert heads.panel.is_hidden()


def test_the_bar_is_one_line_of_large_buttons_with_names_and_one_stop_for_tab(heads: BarReader) -> None:
    buttons = heads.view.get_by_role("toolbar", name="This view").get_by_role("button")
    boxes = [button.bounding_box() for button in buttons.all()]
    assert len(boxes) >= 7 and len({box["y"] for box in boxes}) == 1
    assert min(min(box["width"], box["height"]) for box in boxes) >= 24
    assert all(button.get_attribute("aria-label") and button.get_attribute("title") for button in buttons.all())
    assert heads.view.locator('.view-tool[tabindex="0"]').count() == 1
    heads.view.locator('.view-tool[tabindex="0"]').focus()
    heads.page.keyboard.press("Home")
    assert heads.page.evaluate(FOCUS) == "undo"
    heads.page.keyboard.press("ArrowLeft")
    assert heads.page.evaluate(FOCUS) == "help"
    heads.page.keyboard.press("ArrowRight")
    heads.page.keyboard.press("ArrowRight")
    assert heads.page.evaluate(FOCUS) == "reset"


def test_each_gesture_is_taken_back_by_the_button_and_by_the_keyboard_and_reset_takes_back_all(
    heads: BarReader,
) -> None:
    assert heads.tool("undo").get_attribute("aria-disabled") == "true"
    heads.view.locator('.att-head[data-head="1"]').click()
    heads.shows("heads", "0")
    heads.view.get_by_label("√ colours").check()
    heads.page.keyboard.press("Control+z")
    wait_until(lambda: not heads.view.get_by_label("√ colours").is_checked(), "the last change to be taken back")
    heads.shows("heads", "0")
    heads.tool("undo").click()
    heads.shows("heads", "0 1")
    assert heads.tool("reset").get_attribute("aria-disabled") == "true"
    heads.view.locator('.att-head[data-head="0"]').click()
    heads.view.get_by_label("√ colours").check()
    heads.tool("reset").click()
    heads.shows("heads", "0 1")
    assert not heads.view.get_by_label("√ colours").is_checked()
    assert heads.page.evaluate(FOCUS) == "reset"
    heads.page.keyboard.press("Control+z")
    heads.shows("heads", "1")
    heads.tool("reset").click()


def test_a_refused_clipboard_leaves_the_text_selected_in_a_field(heads: BarReader) -> None:
    heads.view.locator('.att-head[data-head="1"]').click()
    heads.tool("state").click()
    field = heads.panel.locator("textarea")
    assert json.loads(field.input_value()) == {"heads": [0]}
    assert field.evaluate("field => [field.selectionStart, field.selectionEnd]") == [0, len('{"heads":[0]}')]
    heads.tool("call").click()
    text = field.input_value()
    assert text.startswith("from viz.attention import attention_view\n") and text.endswith("\nview.heads = [0]\n")
    heads.tool("reset").click()


def test_numbers_are_saved_as_csv_of_a_picture_and_of_a_table(heads: BarReader) -> None:
    heads.view.locator('.att-head[data-head="1"]').click()
    name, content = heads.saved("csv")
    table = list(csv.reader(content.decode().splitlines()))
    assert name == "attention-view.csv" and table[0][1:] == ["▁x", "▁y", "▁z"] and table[2][0] == '▁"b"'
    got = torch.tensor([[float(cell) for cell in row[1:]] for row in table[1:]])
    assert torch.allclose(got, WEIGHTS[0], atol=5e-3)
    heads.tool("reset").click()
    layers = heads.page.locator(".view").nth(2)
    layers.scroll_into_view_if_needed()
    _, content = BarReader(heads.reader, layers).saved("csv")
    row = next(row for row in csv.reader(content.decode().splitlines()) if row[0] == "self-attention")
    assert row[2] == str(2 * 70**2 * 512)


def test_the_whole_view_is_saved_as_a_picture(heads: BarReader) -> None:
    name, content = heads.saved("png")
    assert name == "attention-view.png" and content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    box = heads.view.bounding_box()
    assert abs(width / 2 - box["width"]) < 40 and height > box["height"]


def test_the_whole_view_is_saved_as_shapes_and_text_which_other_programs_draw(heads: BarReader) -> None:
    name, content = heads.saved("svg")
    drawing = ET.fromstring(content)
    texts = ["".join(text.itertext()).strip() for text in drawing.iter(f"{SVG}text")]
    assert name == "attention-view.svg" and {*TOKENS[0], *TOKENS[1], "two heads", "head 0"} - {*texts} == set()
    assert {node.tag.removeprefix(SVG) for node in drawing.iter()}.isdisjoint({"image", "foreignObject"})
    shades, fills = theme.for_canvas()["light"]["weights"], {node.get("fill") for node in drawing.iter(f"{SVG}path")}
    for byte in {*packed(WEIGHTS[0])} - {0}:  # of the small map of head 0
        start = 6 * round(255 * (byte / 255) ** 2)
        red, green, blue = (int(shades[at : at + 2], 16) for at in range(start, start + 6, 2))
        assert f"rgb({red},{green},{blue})" in fills
    assert vl_convert.svg_to_png(content.decode())[:4] == b"\x89PNG"


def test_in_full_screen_all_is_larger_and_the_pointer_finds_its_cell(heads: BarReader) -> None:
    heads.page.set_viewport_size({"width": 1600, "height": 900})
    heads.tool("full").click()
    wait_until(lambda: heads.page.evaluate("document.fullscreenElement?.style.zoom") == "1.6", "a larger view")
    canvas = heads.view.locator("canvas.att-heat").first
    wait_until(lambda: canvas.evaluate("c => c.width / c.clientWidth > 1.5"), "as many pixels as are shown")
    at, box = {k: float(canvas.get_attribute(f"data-{k}")) for k in ("left", "top", "cell")}, canvas.bounding_box()
    heads.page.mouse.move(box["x"] + 1.6 * (at["left"] + 2.5 * at["cell"]),
                          box["y"] + 1.6 * (at["top"] + 1.5 * at["cell"]))  # fmt: skip
    wait_until(lambda: '▁"b"' in (text := heads.view.locator(".view-cell").inner_text()) and "▁z" in text, "the cell")
    heads.tool("full").click()
    wait_until(lambda: heads.page.evaluate("!document.fullscreenElement"), "the page")
    heads.page.set_viewport_size({"width": 1000, "height": 900})
    wait_until(lambda: heads.view.evaluate("view => view.style.zoom") == "", "the usual size")


def test_a_field_takes_back_its_own_letters(reader: Reader) -> None:
    sheet = reader.page.locator(".view").nth(1)
    sheet.scroll_into_view_if_needed()
    bar = BarReader(reader, sheet)
    cells = sheet.locator('td[data-at="X:0:0"]')
    cells.click()
    reader.page.keyboard.type("7")
    reader.page.keyboard.press("Enter")
    wait_until(lambda: cells.inner_text() == "7", "the number")
    cells.click()
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Control+z")
    assert sheet.locator("input.sh-input").count() == 1
    reader.page.keyboard.press("Escape")
    wait_until(lambda: cells.inner_text() == "7", "the number to stay")
    reader.page.keyboard.press("Control+z")
    wait_until(lambda: cells.inner_text() == "0", "the first number; places walked to are no steps")
    bar.tool("reset").click()


# ─── Live ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def live(lab: Lab) -> Iterator[BarReader]:
    with lab.opened("02_scaled_dot_product.ipynb", "sheet", ("options", "head"), shown=[]) as opened:
        view = opened.page.locator(".view.sh").first
        view.scroll_into_view_if_needed()
        yield BarReader(opened, view)


def test_in_a_notebook_python_follows_undo_and_the_notebook_keeps_its_cells(live: BarReader) -> None:
    cells = live.page.locator(".jp-Cell").count()
    live.view.get_by_label("head 2", exact=True).click()
    live.reader.wait_for("head", 2)
    live.view.get_by_label("causal mask").check()
    live.reader.wait_for("options", {"scale": True, "causal": True})
    live.page.keyboard.press("Control+z")
    live.reader.wait_for("options", {"scale": True, "causal": False})
    assert live.reader.python("head") == 2
    live.tool("reset").click()
    live.reader.wait_for("head", 0)
    assert live.page.locator(".jp-Cell").count() == cells and live.reader.errors == []


def test_in_a_notebook_pictures_are_saved_as_in_a_page(live: BarReader) -> None:
    name, content = live.saved("svg")
    assert name == "calculation-sheet.svg" and content.startswith(b"<svg") and b"softmax" in content
    name, content = live.saved("png")
    assert name == "calculation-sheet.png" and content[:4] == b"\x89PNG" and len(content) > 50_000
