"""Stored notebooks where no kernel runs but scripts may: their pictures become the views, if the pages were made."""

import html
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from lab import ROOT, Lab, Reader, wait_until
from nbformat.sign import NotebookNotary

from viz import pages, stills

pytestmark = pytest.mark.browser

TOKENS, HEADS = "01_tokens_and_positions", "05_attention_heads"
SCRIPTS = ("require_js", "mathjax", "mermaid_js")  # that nbconvert would load from elsewhere
SENTENCE, ITS = "Tom loves Mary.", "Tom liebt"
CORNER = "trained: tatoeba-en-de, int8, in this page"
MISSING = "ERR_FILE_NOT_FOUND"
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
Open = Callable[[Path], Reader]


def said(name: str) -> list[str]:
    """What a stored notebook says of the pictures that have no other form, as Plotly's and Vega's charts have."""
    cells = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4).cells
    bundles = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    markdown = [data["text/markdown"] for data in bundles if data.keys() == {"text/markdown", "text/plain"}]
    shown = [pages.PICTURE.search(text) for text in markdown if text.startswith(stills.LIVE)]
    return [pages.said_of(picture[1]) for picture in shown if picture]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two notebooks as nbconvert exports them."""
    folder, files = tmp_path_factory.mktemp("exported"), {}
    for name in (TOKENS, HEADS):
        command = [sys.executable, "-m", "nbconvert", "--to", "html", f"--output-dir={folder}"]
        offline = [f"--HTMLExporter.{script}_url=" for script in SCRIPTS]
        subprocess.run([*command, *offline, f"{ROOT}/notebooks/{name}.ipynb"], check=True, capture_output=True)
        files[name] = folder / f"{name}.html"
    return files


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens a file with the network shut; at the end no request has left its folder."""
    readers: list[Reader] = []

    def open_page(path: Path) -> Reader:
        readers.append(reader := Reader(browser.new_page(viewport={"width": 1280, "height": 1000}, offline=True)))
        reader.asked = asked = []
        reader.page.on("request", lambda request: asked.append(request.url))
        reader.page.goto(path.as_uri())
        return reader

    yield open_page
    for reader in readers:
        here = reader.page.url.rpartition("/")[0]
        away = [url for url in reader.asked if not url.startswith((here, "data:", "blob:"))]
        reader.page.close()
        assert reader.errors == reader.refused == away == []


def beside(real: Path, page: Path, folder: Path, without: str = "") -> Path:
    """An exported page in a folder with what stands beside it there, a file excepted."""
    for file in real.glob("*.js"):
        if file.name != without:
            (folder / file.name).symlink_to(file)
    return Path(shutil.copy(page, folder))


def come_to(reader: Reader, n: int) -> Any:
    """The n-th view, once it has taken the place of its picture."""
    picture = reader.page.locator("img[onload]").nth(n)
    picture.evaluate("picture => picture.scrollIntoView()")
    wait_until(picture.is_hidden, f"picture {n} to become a view")
    view = reader.page.locator(".pg-alive").nth(n)
    view.locator(".view[data-paint-ms]").wait_for()
    return view


def type_in(view: Any, text: str) -> None:
    box = view.locator(".pg-asks input")
    box.fill(text)
    box.press("Enter")


def test_every_picture_of_a_live_view_is_known_to_the_pages_and_means_one_view(real: Path):
    known = json.loads(re.search(r"const PAGES = (.*);", (real / "alive.js").read_text())[1])
    buttons = "Run it here"  # what only Python can do
    for name in NOTEBOOKS:
        moving = [text for text in said(name) if not text.startswith(buttons)]
        assert moving and len(moving) == len(set(moving))
        assert {text: known.get(text) for text in moving} == dict.fromkeys(moving, name)


def test_an_exported_notebook_beside_the_weights_translates_and_does_without_a_head(
    real: Path, exported: dict[str, Path], tmp_path: Path, opened: Open
):
    reader = opened(beside(real, exported[HEADS], tmp_path))
    view = come_to(reader, 0)
    headline, without = view.locator(".view-sentence"), view.locator(".att-without")
    assert ITS not in headline.inner_text()
    type_in(view, SENTENCE)
    wait_until(lambda: ITS in headline.inner_text(), "the translation")
    assert view.locator(".view-badge").inner_text() == CORNER
    view.locator('.att-switch[data-head="3"]').click()
    wait_until(lambda: "Δ log-probability" in without.inner_text(), "the translation without the head")
    assert without.inner_text().startswith("without 1 head → ")
    for n in range(1, len(said(HEADS))):
        come_to(reader, n)


def test_an_exported_notebook_reads_words_in_another_order_and_a_button_for_python_stays_a_picture(
    real: Path, exported: dict[str, Path], tmp_path: Path, opened: Open
):
    reader = opened(beside(real, exported[TOKENS], tmp_path))
    moving = [text for text in said(TOKENS) if not text.startswith("Run it here")]
    views = [come_to(reader, n) for n in range(len(moving))]
    order = next(view for view in views if view.locator(".pg-asks input").count())
    type_in(order, SENTENCE)
    wait_until(lambda: ITS in order.inner_text(), "the translation")
    button = reader.page.locator("img[onload]").nth(len(moving))
    button.scroll_into_view_if_needed()
    assert button.is_visible() and reader.page.locator(".pg-alive").count() == len(moving)


def test_without_the_views_beside_it_an_exported_notebook_keeps_its_pictures(
    exported: dict[str, Path], tmp_path: Path, opened: Open
):
    reader = opened(Path(shutil.copy(exported[HEADS], tmp_path)))
    wait_until(lambda: reader.errors, "the script to be missed")
    pictures = reader.page.locator("img[onload]")
    assert pictures.count() == len(said(HEADS)) and all(picture.is_visible() for picture in pictures.all())
    assert reader.page.locator(".pg-alive").count() == 0
    (error,) = reader.errors  # for all of them together
    assert MISSING in error
    reader.errors.clear()


def test_without_the_weights_beside_it_the_views_move_and_say_what_is_missing(
    real: Path, exported: dict[str, Path], tmp_path: Path, opened: Open
):
    reader = opened(beside(real, exported[HEADS], tmp_path, without="model.js"))
    view = come_to(reader, 0)
    headline = view.locator(".view-sentence").inner_text()
    type_in(view, SENTENCE)
    line = view.locator(".pg-asks [role=status]")
    wait_until(lambda: line.inner_text().startswith("model.js is missing beside this page"), "what is missing")
    assert view.locator(".view-sentence").inner_text() == headline
    reader.errors[:] = [error for error in reader.errors if MISSING not in error]


def test_of_a_notebook_nothing_but_which_picture_it_shows_is_believed(
    real: Path, exported: dict[str, Path], tmp_path: Path, opened: Open
):
    page = beside(real, exported[HEADS], tmp_path)
    text = page.read_text(encoding="utf-8")
    for n, strange in enumerate(("__proto__", '<img src="x" onerror="document.title = 1">')):
        text = text.replace(f'alt="{html.escape(said(HEADS)[n])}"', f'alt="{html.escape(strange)}"', 1)
    assert "__proto__" in text and "onerror" in text
    page.write_text(text, encoding="utf-8")
    reader = opened(page)
    pictures = reader.page.locator("img[onload]")
    for n in range(3):
        pictures.nth(n).scroll_into_view_if_needed()
    wait_until(pictures.nth(2).is_hidden, "the next to become a view")
    assert pictures.nth(0).is_visible() and pictures.nth(1).is_visible() and reader.page.title() != "1"


@pytest.fixture(scope="module")
def trusted(lab: Lab, real: Path) -> Iterator[Reader]:
    """A signed copy of a stored notebook in JupyterLab, the pages where `make pages` writes them, no cell run."""
    home = lab.home / "made"
    (home / "notebooks").mkdir(parents=True)
    shutil.copytree(real, home / "pages")  # Jupyter serves no link to a place outside of its folder
    notebook = nbformat.read(ROOT / "notebooks" / f"{HEADS}.ipynb", as_version=4)
    nbformat.write(notebook, home / "notebooks" / f"{HEADS}.ipynb")
    NotebookNotary(data_dir=str(lab.home / "jupyter")).sign(notebook)
    reader = Reader(lab.browser.new_page(viewport={"width": 1280, "height": 1000}))
    address = f"http://127.0.0.1:{lab.port}/lab/tree/made/notebooks/{HEADS}.ipynb?token=test&reset"
    reader.page.goto(address, timeout=60_000)
    yield reader
    reader.page.close()
    lab.stop_kernels()


def test_a_trusted_notebook_in_jupyterlab_answers_before_a_cell_is_run_and_then_python_does(trusted: Reader):
    page = trusted.page
    view = page.locator(".pg-alive").first
    view.locator(".view[data-paint-ms]").wait_for()
    box = view.locator(".pg-asks input")
    box.click()
    box.fill("")
    page.keyboard.type("Tom loves Mary, and dad a dog.")  # letters that are commands elsewhere in a notebook
    page.keyboard.press("Enter")
    wait_until(lambda: ITS in view.locator(".view-sentence").inner_text(), "the translation")
    assert view.locator(".view-badge").inner_text() == CORNER
    view.locator('.att-switch[data-head="3"]').click()
    without = view.locator(".att-without")
    wait_until(lambda: "Δ log-probability" in without.inner_text(), "the translation without the head")
    cells = len(nbformat.read(ROOT / "notebooks" / f"{HEADS}.ipynb", as_version=4).cells)
    wait_until(lambda: page.locator(".jp-Cell").count() == cells, "as many cells as before")  # drawn one by one
    page.wait_for_selector("#jp-main-statusbar >> text=/Idle/", timeout=300_000)
    page.locator(".jp-CodeCell .jp-InputArea-editor").first.click()
    page.keyboard.press("Shift+Enter")
    page.locator(".view-input input").first.wait_for(timeout=300_000)
    assert page.locator(".jp-CodeCell").first.locator(".pg-alive, img[onload]").count() == 0
    assert trusted.errors == trusted.refused == []
