"""What a reader sees who opens a notebook and runs nothing; then its views: they live, wait, are saved and are back."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

import nbformat
import pytest
from lab import ROOT, Lab, Reader, wait_until
from nbformat.sign import NotebookNotary

from viz.pages import PICTURE, PLOTLY

pytestmark = pytest.mark.browser

NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
TRUSTED = ("05_attention_heads.ipynb", "08_variations.ipynb")  # also: their pictures are of every kind
TROUBLE = ("model not found", "Error displaying widget", "Loading widget", "Error rendering", "View(", "Explorer(")

# What JupyterLab says of the kernel of a notebook that was closed.
ENDED = ("Disposed", "Canceled future", "restore the debugger state")

# The images in the outputs of the notebook in front: what they say, how wide and high they are, drawn or not.
IMAGES = """() => [...document.querySelectorAll(".jp-OutputArea-output.jp-RenderedMarkdown img")].map(image => {
  const { width, height } = image.getBoundingClientRect();
  return [image.alt, Math.round(width), Math.round(height), image.complete && image.naturalWidth > 0];
}).filter(([, width]) => width)"""

# Cells out of sight are drawn when a reader comes near.
SCROLL = """() => {
  const panel = [...document.querySelectorAll(".jp-WindowedPanel-outer")].find(panel => panel.clientHeight);
  panel.scrollTop = panel.scrollTop + panel.clientHeight < panel.scrollHeight - 2 ? panel.scrollTop + 900 : 0;
}"""


def pictures(notebook: dict) -> list[str]:
    """What is said of the pictures that JupyterLab shows of a notebook; for a Plotly figure it shows the figure.

    What answers a prediction is folded, its pictures with it.
    """
    shown = [cell for cell in notebook["cells"] if not cell["metadata"].get("jupyter", {}).get("outputs_hidden")]
    bundles = [output.get("data", {}) for cell in shown for output in cell.get("outputs", [])]
    drawn = [data for data in bundles if PICTURE.search("".join(data.get("text/markdown", "")))]
    return ["".join(data["text/plain"]) for data in drawn if PLOTLY not in data]


def page_of(lab: Lab, name: str = "") -> Reader:
    reader = Reader(lab.browser.new_page(viewport={"width": 1280, "height": 1000}))
    where = f"tree/{name}" if name else ""
    reader.page.goto(f"http://127.0.0.1:{lab.port}/lab/{where}?token=test&reset", timeout=60_000)
    reader.page.wait_for_selector(".jp-Notebook .jp-Cell" if name else ".jp-DirListing-item", timeout=60_000)
    return reader


def saw_pictures(reader: Reader, said: list[str], trusted: bool) -> None:
    """The notebook in front shows these pictures, whole and without a word of error."""

    def images() -> list:
        reader.page.evaluate(SCROLL)
        found = reader.page.evaluate(IMAGES)
        return found if len(found) >= len(said) and all(drawn for *_, drawn in found) else []

    found = wait_until(images, f"{len(said)} pictures; there are {reader.page.evaluate(IMAGES)}")
    assert [alt for alt, *_ in found] == [" ".join(text.split()) for text in said]
    for alt, width, height, _ in found:
        assert 200 <= width <= 900 and height >= 20, (alt, width, height)
    text = "".join(reader.page.locator(".jp-Notebook").all_inner_texts())
    assert not [words for words in TROUBLE if words in text]
    told = reader.page.locator(".jp-StatusItem-trust").get_attribute("title")
    assert told.startswith("Notebook trusted") == trusted, told
    assert [error for error in reader.errors if not any(words in error for words in ENDED)] == []
    assert reader.refused == []


@pytest.fixture(scope="module")
def shelf(lab: Lab) -> Iterator[Reader]:
    """JupyterLab with a copy of each notebook, and of some a second that is signed as `jupyter trust` does it."""
    notary = NotebookNotary(data_dir=str(lab.home / "jupyter"))
    (lab.home / "stored").mkdir()
    for name in NOTEBOOKS:
        notebook = nbformat.read(ROOT / "notebooks" / name, as_version=4)
        nbformat.write(notebook, lab.home / "stored" / f"False_{name}")
        if name in TRUSTED:
            notebook.metadata["copy"] = 2  # a signature is of the content
            nbformat.write(notebook, lab.home / "stored" / f"True_{name}")
            notary.sign(notebook)
    reader = page_of(lab)
    reader.page.locator(".jp-DirListing-item", has_text="stored").dblclick()
    yield reader
    reader.page.close()


def close(reader: Reader, name: str) -> None:
    """Close the notebook in front; what JupyterLab itself has changed in it (the version of Python) is not saved."""
    reader.page.wait_for_selector("#jp-main-statusbar >> text=/Idle/", timeout=300_000)  # its kernel is there, and ends
    tab = reader.page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab", has_text=name)
    discard = reader.page.locator(".jp-Dialog .jp-mod-warn")
    tab.locator(".lm-TabBar-tabCloseIcon").click()
    wait_until(lambda: not tab.count() or discard.count(), "the notebook to close or to ask")
    if discard.count():
        discard.click()
    wait_until(lambda: not tab.count(), "the notebook to close")


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_shows_its_pictures_before_anything_is_run_trusted_or_not(
    lab: Lab, shelf: Reader, name: str
) -> None:
    text = (ROOT / "notebooks" / name).read_text(encoding="utf-8")
    assert len(text.encode()) <= 500_000 and "widget-view" not in text and "widget-state" not in text
    said = pictures(json.loads(text))
    assert len(said) >= 2
    for trusted in (False, True) if name in TRUSTED else (False,):
        shelf.page.locator(".jp-DirListing-item", has_text=f"{trusted}_{name}").dblclick()
        shelf.page.wait_for_selector(f".lm-DockPanel-tabBar .lm-mod-current >> text={trusted}_{name}", timeout=60_000)
        shelf.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        try:
            saw_pictures(shelf, said, trusted)
        finally:
            close(shelf, f"{trusted}_{name}")
            lab.stop_kernels()


# ─── From picture to view and back ───────────────────────────────────────────────────────────────────────────────────

# What a cell does until a file is there.
WORK = """
import pathlib, time
pathlib.Path("began").touch()
while not pathlib.Path("go_on").exists():
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def lived(lab: Lab) -> Iterator[Reader]:
    """Notebook 05's first cells, then some screens of text, a cell that works long, and three more; all are run."""
    notebook = json.loads((ROOT / "notebooks" / "05_attention_heads.ipynb").read_text(encoding="utf-8"))
    first = next(n for n, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "code")
    base = {"metadata": {}, "source": ""}
    code = base | {"cell_type": "code", "outputs": [], "execution_count": None}
    long = [base | {"cell_type": "markdown", "id": f"long{n}", "source": "A line.\n\n" * 30} for n in range(3)]
    works = [code | {"id": f"work{n}", "source": source} for n, source in enumerate([WORK, "1", "2", "3"])]
    notebook["cells"] = [*notebook["cells"][: first + 1], *long, *works]
    (lab.home / "lived.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    reader = page_of(lab, "lived.ipynb")
    reader.run_all()
    wait_until((lab.home / "began").exists, "the second cell to run", 120)
    reader.page.wait_for_selector(".view[data-paint-ms]", timeout=60_000)
    yield reader
    reader.page.close()
    lab.stop_kernels()


def notice(reader: Reader) -> str:
    return reader.page.locator(".view-notice").first.inner_text()


def test_whoever_runs_all_cells_stays_with_the_first_view(lived: Reader) -> None:
    box = lived.page.locator(".view-input input").first.bounding_box()
    assert 0 <= box["y"] < 600
    assert lived.page.locator(".view").first.is_visible()
    assert lived.page.evaluate(IMAGES) == []  # the picture has gone


def test_a_sentence_that_must_wait_for_cells_says_for_how_many(lab: Lab, lived: Reader) -> None:
    box = lived.page.locator(".view-input input").first
    box.fill("I like stray cats.")
    box.press("Enter")
    wait_until(lambda: notice(lived) == "waiting for Python: 4 cells to go", "the view to say why it waits")
    (lab.home / "go_on").touch()
    shown = lived.page.locator(".view-sentence").first
    wait_until(lambda: "I like stray cats." in shown.inner_text(), "the answer")
    wait_until(lambda: not lived.page.locator(".view-notice").first.is_visible(), "the notice to go")


def saved(lab: Lab, name: str, reader: Reader) -> dict[str, Any]:
    """The notebook's file after the reader has saved it."""
    file = lab.home / name
    before = file.stat().st_mtime_ns
    reader.page.get_by_role("menuitem", name="File", exact=True).click()
    reader.page.locator('.lm-Menu-item[data-command="docmanager:save"]').click()

    def written() -> Any:
        if file.stat().st_mtime_ns != before:
            with contextlib.suppress(ValueError):  # half of it
                return json.loads(file.read_text(encoding="utf-8"))

    # asking the page lets its requests through, which `Reader.stay_here` looks at
    return wait_until(lambda: reader.page.title() and written(), "the notebook to be saved")


def test_saved_and_opened_again_a_view_is_its_picture_with_its_python_and_without(lab: Lab, lived: Reader) -> None:
    notebook = saved(lab, "lived.ipynb", lived)
    assert "widget-view" not in json.dumps(notebook)
    (said,) = pictures(notebook)
    assert "I like stray cats." not in said  # of the run; what is typed later changes the view alone
    assert lived.page.locator(".view").first.is_visible()  # and what was saved lives on
    (lab.home / "again.ipynb").write_text((lab.home / "lived.ipynb").read_text(encoding="utf-8"), encoding="utf-8")
    for name in ("lived.ipynb", "again.ipynb"):  # its Python still runs, and has not yet
        reader = page_of(lab, name)
        try:
            saw_pictures(reader, [said], trusted=True)
        finally:
            reader.page.close()


def test_a_view_whose_python_was_restarted_says_so(lived: Reader) -> None:
    lived.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    lived.page.get_by_role("menuitem", name="Restart Kernel…").first.click()
    lived.page.get_by_role("button", name="Confirm Kernel Restart").click()
    wait_until(lambda: notice(lived) == "Python was restarted; run the cell above.", "the view to say so")
    assert lived.errors == []
