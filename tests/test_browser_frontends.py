"""Other front ends than JupyterLab, in headless Chromium: there too views come, move and are answered by Python.

FRONTENDS names a folder that holds them (`.ci/run` fills one): pip install --no-deps --target FOLDER notebook voila …,
and for pages with widgets in them npm install --prefix FOLDER @jupyter-widgets/html-manager requirejs.
"""

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import anywidget
import pytest
import torch
from ipywidgets.embed import dependency_state, embed_snippet
from lab import Reader, free_port, started, wait_until

from viz.attention import attention_view

ROOT = Path(__file__).resolve().parent.parent
FOLDER = os.environ.get("FRONTENDS", "")
ABSENT = "FRONTENDS names no folder of other front ends"
pytestmark = pytest.mark.browser if FOLDER else pytest.mark.skip(ABSENT)  # also where browsers are required
SHEET, HEADS = "02_scaled_dot_product.ipynb", "05_attention_heads.ipynb"
ADDRESSES = {  # of a notebook in each
    "notebook": "http://127.0.0.1:{port}/notebooks/{name}?token=test",
    "nbclassic": "http://127.0.0.1:{port}/nbclassic/notebooks/{name}?token=test",
    "voila": "http://127.0.0.1:{port}/voila/render/{name}",
}


def command(frontend: str, home: Path, port: int) -> tuple[list[str], str]:
    """How a front end is started on a folder, and an address that answers once it is there."""
    words = [sys.executable, "-m", frontend, "--no-browser"]
    if frontend == "voila":
        return [*words, str(home), "--Voila.ip=127.0.0.1", f"--port={port}"], f"http://127.0.0.1:{port}/"
    words += ["--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--IdentityProvider.token=test"]
    return [*words, f"--ServerApp.root_dir={home}"], f"http://127.0.0.1:{port}/api?token=test"


def begun(notebook: str) -> str:
    """A notebook with the cells down to its first view alone; what follows them is tried in JupyterLab."""
    whole = json.loads((ROOT / "notebooks" / notebook).read_text(encoding="utf-8"))
    return json.dumps(whole | {"cells": whole["cells"][:2]})


@contextlib.contextmanager
def serving(frontend: str, home: Path) -> Iterator[int]:
    """The port of a front end that serves notebooks from a new folder."""
    home.mkdir()
    for notebook in (SHEET, HEADS):
        (home / notebook).write_text(begun(notebook), encoding="utf-8")
    port = free_port()
    words, address = command(frontend, home, port)
    own = {
        "PYTHONPATH": FOLDER, "JUPYTER_PATH": str(Path(FOLDER, "share", "jupyter")),
        **{name: str(home.parent / name) for name in ("JUPYTER_DATA_DIR", "JUPYTERLAB_SETTINGS_DIR")},
    }  # fmt: skip
    with started(words, address, own, home.parent / "lab.log"):
        yield port


@pytest.fixture(scope="module", params=ADDRESSES)
def frontend(request: pytest.FixtureRequest, browser: Any, tmp_path_factory: Any) -> Iterator[Any]:
    """A function that opens a notebook and runs its cells."""
    name = request.param
    if not Path(FOLDER, name).is_dir():
        pytest.skip(f"{FOLDER}, which FRONTENDS names, has no {name}")
    home, readers = tmp_path_factory.mktemp(name) / "notebooks", []

    def opened(notebook: str) -> Reader:
        reader = Reader(browser.new_page(viewport={"width": 1300, "height": 1000}), log=home.parent / "lab.log")
        readers.append(reader)
        reader.page.goto(ADDRESSES[name].format(port=port, name=notebook), timeout=300_000)
        if name == "notebook":
            reader.page.get_by_text("Python 3 (ipykernel)").wait_for(timeout=300_000)
            idle = reader.page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
            idle.wait_for(timeout=300_000)  # what is asked before Python is there may be lost
            reader.page.get_by_role("menuitem", name="Run", exact=True).click()
            reader.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        if name == "nbclassic":
            reader.page.wait_for_function("() => window.Jupyter?.notebook?.kernel?.is_connected()", timeout=300_000)
            reader.page.wait_for_timeout(3000)  # its widgets hear the kernel a moment later, and nothing says when
            reader.page.evaluate("Jupyter.notebook.execute_all_cells()")
        reader.page.locator(".view[data-paint-ms]").first.wait_for(timeout=300_000)
        return reader

    with serving(name, home) as port:
        yield opened
        for reader in readers:
            reader.page.close()


def test_a_number_that_is_typed_changes_all_that_follows_and_can_be_taken_back(frontend: Any) -> None:
    reader = frontend(SHEET)
    view = reader.page.locator(".view").first
    numbers = view.locator("td")
    before, cell = numbers.all_inner_texts(), view.locator('td[data-at="X:0:0"]')
    cell.click()
    reader.page.keyboard.type("7")
    reader.page.keyboard.press("Enter")
    wait_until(lambda: cell.inner_text() == "7", "the number")
    reader.drawn()
    assert sum(now != then for now, then in zip(numbers.all_inner_texts(), before, strict=True)) > 10
    view.locator('[data-tool="reset"]').click()
    wait_until(lambda: numbers.all_inner_texts() == before, "the first numbers")


def test_a_sentence_is_translated_by_python_and_a_head_switched_off_in_the_model(frontend: Any) -> None:
    reader = frontend(HEADS)
    view = reader.page.locator(".view").first
    box = reader.page.locator(".view-input input").first
    box.fill("He has been waiting for an hour.")
    box.press("Enter")
    wait_until(lambda: "Er wartet" in view.locator(".view-sentence").inner_text(), "the translation")
    view.locator('.att-switch[data-head="3"]').click()
    wait_until(lambda: view.locator(".att-without").inner_text().startswith("without 1 head →"), "the answer")
    own = [error for error in reader.errors if "explainer" in error or "viz" in error or "anywidget" in error]
    assert own == []  # what else is said there is of the front end itself


def test_a_view_that_html_manager_puts_into_a_page_moves_without_python(browser: Any) -> None:
    """As VS Code, Colab and nbviewer show saved widgets: by this package, with anywidget's script from a CDN."""
    scripts = Path(FOLDER, "node_modules")
    if not scripts.is_dir():
        pytest.skip(f"{FOLDER}, which FRONTENDS names, has no packages of npm")
    view = attention_view(torch.rand(2, 3, 4, 4).softmax(-1), list("abcd"), title="embedded")
    state = dependency_state([view], drop_defaults=False)
    snippet = embed_snippet([view], state=state, requirejs=False, embed_url="/embed-amd.js")
    files = {
        "/page.html": f'<!doctype html><meta charset="utf-8"><body><script src="/require.js"></script>{snippet}',
        "/require.js": scripts / "requirejs" / "require.js",
        "/embed-amd.js": scripts / "@jupyter-widgets" / "html-manager" / "dist" / "embed-amd.js",
        "/anywidget/index.js": Path(anywidget.__file__).parent / "nbextension" / "index.js",
    }

    def serve(route: Any) -> None:
        path = re.sub(r"^/npm/anywidget@.*/dist/", "/anywidget/", urlparse(route.request.url).path)
        content = files.get(path)
        if content is None:
            return route.fulfill(status=404)  # it looks for anywidget here first
        route.fulfill(body=content if isinstance(content, str) else content.read_text(encoding="utf-8"))

    reader = Reader(browser.new_page(viewport={"width": 1100, "height": 900}))
    for address in ("http://127.0.0.1:9/**", "https://cdn.jsdelivr.net/npm/anywidget@*/dist/index.js"):
        reader.page.route(address, serve)
    reader.page.goto("http://127.0.0.1:9/page.html")
    shown = reader.page.locator(".view[data-paint-ms]").first
    shown.wait_for()
    canvas = shown.locator("canvas.att-heat").first
    before = reader.pixels(canvas)
    shown.locator(".view-layer").press("ArrowRight")
    wait_until(lambda: reader.pixels(canvas) != before, "the maps of layer 1")
    assert "layer 1" in shown.inner_text() and reader.refused == []
    reader.page.close()
