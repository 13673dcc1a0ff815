"""Notebook 05 in a real JupyterLab in headless Chromium: what a reader sees, and what Python knows of it.

One browser session serves all tests, in order. Latencies are measured in the page and written to
reports/browser.json; they are there to be read: machines differ, so no test fails on them.
"""

import json
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = "05_attention_heads.ipynb"
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
NO_NEWS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}

# What the copy of the notebook does beyond the notebook: it tells the test what Python has in the synced traits, and
# opens one more view, below all others.
TELL = """
import json, pathlib
def tell(_=None):
    names = ("kind", "layer", "heads", "pin", "threshold", "cell", "off")
    seen = {name: getattr(explorer.view, name) for name in names}
    seen |= {"text": explorer.text, "translation": explorer.reading.translation, "ablation": explorer.view.ablation}
    pathlib.Path("traits.part").write_text(json.dumps(seen))
    pathlib.Path("traits.part").replace("traits.json")
explorer.view.observe(tell); tell()
"""
SECOND = """
explore_attention(translator, "I am a teacher.")
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that JupyterLab serves: a copy of the notebook, and settings without news from a web site."""
    folder = tmp_path_factory.mktemp("lab")
    notebook = json.loads((ROOT / "notebooks" / NOTEBOOK).read_text(encoding="utf-8"))
    for name, source in (("tell", TELL), ("second", SECOND)):
        cell = {"cell_type": "code", "id": name, "metadata": {}, "outputs": [], "execution_count": None}
        notebook["cells"].append(cell | {"source": source.strip()})
    (folder / NOTEBOOK).write_text(json.dumps(notebook), encoding="utf-8")
    (folder / "settings").mkdir()
    (folder / "settings" / "overrides.json").write_text(json.dumps(NO_NEWS))
    return folder


@pytest.fixture(scope="module")
def lab(home: Path) -> Iterator[str]:
    """The address of the notebook in a JupyterLab of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=test",
        f"--ServerApp.root_dir={home}", f"--LabApp.app_settings_dir={home / 'settings'}",
    ]  # fmt: skip
    own = {"JUPYTER_DATA_DIR": str(home / "data"), "JUPYTERLAB_SETTINGS_DIR": str(home / "user")}
    with (home / "lab.log").open("w") as log:
        process = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log)
        try:
            wait_until(lambda: answers(f"http://127.0.0.1:{port}/api?token=test"), "JupyterLab to answer", 60)
            yield f"http://127.0.0.1:{port}/lab/tree/{NOTEBOOK}?token=test&reset"
        finally:
            process.terminate()
            process.wait(20)


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1)
        return True
    except OSError:
        return False


def wait_until(happened: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """The first answer that is not false; it fails by saying what it waited for."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := happened():
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain for {what}")


class Reader:
    """A page with the notebook run, all that went wrong or would have left the machine, and what Python has."""

    def __init__(self, page: Any, home: Path):
        self.page, self.home = page, home
        self.refused: list[str] = []
        self.errors: list[str] = []
        self.latencies: dict[str, Any] = {}
        page.route("**/*", self.stay_here)
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.errors.append(f"{error}\n{error.stack}"))
        page.on("dialog", lambda dialog: (self.errors.append("a dialog opened"), dialog.dismiss()))

    def heard(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(" ".join([message.text, *(str(part.json_value()) for part in message.args)]))

    def stay_here(self, route: Any) -> None:
        url = route.request.url
        if url.startswith(("data:", "blob:")) or urlparse(url).hostname == "127.0.0.1":
            route.continue_()
        else:
            self.refused.append(url)
            route.abort()

    @property
    def view(self) -> Any:
        return self.page.locator(".att").first

    def shown(self, name: str) -> str:
        return self.view.get_attribute(f"data-{name}")

    def python(self, name: str) -> Any:
        return json.loads((self.home / "traits.json").read_text())[name]

    def wait_for(self, name: str, value: Any) -> None:
        """Python has this value in a synced trait, at the latest in a while."""
        wait_until(lambda: self.python(name) == value, f"{name} to be {value!r} in Python; it is {self.python(name)!r}")

    def map(self, kind: str) -> tuple[Any, dict[str, float]]:
        """The canvas of a map, and where its cells are."""
        canvas = self.view.locator(f'canvas.att-heat[data-kind="{kind}"]')
        names = ("left", "top", "cell", "rows", "cols")
        return canvas, {name: float(canvas.get_attribute(f"data-{name}")) for name in names}

    def run_all(self) -> None:
        self.page.wait_for_selector("#jp-main-statusbar >> text=/Idle/", timeout=240_000)
        for _ in range(5):  # a click that comes too early is lost
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            started = "[...document.querySelectorAll('.jp-InputPrompt')].some(e => /[0-9*]/.test(e.textContent))"
            try:
                self.page.wait_for_function(started, timeout=5000)
                return
            except Exception:
                continue
        raise AssertionError("the notebook did not start to run")


@pytest.fixture(scope="module")
def reader(chromium: str, lab: str, home: Path) -> Iterator[Reader]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport={"width": 1300, "height": 1100})
        reader = Reader(page, home)
        page.goto(lab, timeout=60_000)
        reader.run_all()
        wait_until((home / "traits.json").exists, "the notebook to run to its end", 300)
        wait_until(lambda: reader.view.get_attribute("data-paint-ms"), "the first view to be painted")
        page.wait_for_selector("#jp-main-statusbar >> text=/Idle/")
        yield reader
        (ROOT / "reports").mkdir(exist_ok=True)
        (ROOT / "reports" / "browser.json").write_text(json.dumps(reader.latencies, indent=2) + "\n")
        browser.close()


# Moves the layer slider so many times and measures each from the event to the frame that shows the change.
SLIDE = """async (times) => {
  const slider = document.querySelector(".att input[aria-label=Layer]"), took = [];
  for (let i = 0; i < times; i++) {
    const view = slider.closest(".att"), before = view.dataset.layer;
    slider.value = String((+slider.value + 1) % (+slider.max + 1));
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (view.dataset.layer === before) await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 40 + (i * 7) % 17)); // evenly over the time between two frames
  }
  return took;
}"""


# Keeps how long it took from the next key to the first paint of a view that was not there before.
RUN = """() => {
  const old = new Set(document.querySelectorAll(".att"));
  window.painted = 0;
  document.addEventListener("keydown", () => {
    const start = performance.now();
    const look = () => {
      const fresh = [...document.querySelectorAll(".att[data-paint-ms]")].some(view => !old.has(view));
      if (fresh) window.painted = performance.now() - start; else requestAnimationFrame(look);
    };
    look();
  }, { once: true, capture: true });
}"""


def test_the_notebook_runs_and_shows_a_trained_model(reader: Reader) -> None:
    reader.view.scroll_into_view_if_needed()
    badge = reader.view.locator(".att-badge")
    wait_until(
        lambda: badge.inner_text() == "trained: tatoeba-en-de", "what the picture shows to be said in its corner"
    )
    assert reader.python("translation") in reader.view.locator(".att-sentence").inner_text()
    failed = reader.page.locator("[data-mime-type='application/vnd.jupyter.error']")
    assert failed.count() == 0, failed.first.inner_text()


def test_the_layer_moves_by_keyboard_and_by_mouse(reader: Reader) -> None:
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


def test_a_double_click_leaves_one_head_and_another_brings_all_back(reader: Reader) -> None:
    other = (reader.python("heads")[0] + 1) % 8
    button = reader.view.locator(f'.att-head[data-head="{other}"]')
    button.dblclick()
    reader.wait_for("heads", [other])
    assert reader.shown("heads") == str(other)
    button.dblclick()
    reader.wait_for("heads", list(range(8)))


def test_a_token_is_pinned_by_a_click_and_by_a_key(reader: Reader) -> None:
    canvas, at = reader.map("cross")
    canvas.click(position={"x": at["left"] - 20, "y": at["top"] + 1.5 * at["cell"]})
    reader.wait_for("pin", [["query", 1]])
    canvas.focus()
    reader.page.keyboard.press("q")
    wait_until(lambda: len(reader.python("pin")) != 1, "a second pin")
    reader.page.keyboard.press("Escape")
    reader.wait_for("pin", [])


def test_a_clicked_cell_shows_the_arithmetic_that_made_it(reader: Reader) -> None:
    reader.view.locator('.att-head[data-head="3"]').dblclick()
    reader.wait_for("heads", [3])
    canvas, at = reader.map("cross")
    canvas.click(position={"x": at["left"] + 2.5 * at["cell"], "y": at["top"] + 1.5 * at["cell"]})
    reader.wait_for("cell", ["cross", 5, 3, 1, 2])
    address = reader.view.locator(".att-address").inner_text()
    assert 'trace["decoder.5.cross_attention.weights"][0, 3, 1, 2]' in address
    gap = reader.view.locator(".att-gap").inner_text()
    assert float(gap.split()[-1].replace("−", "-").replace("×10", "e")) <= 1e-6, gap


def test_a_thumbnail_leads_to_its_head(reader: Reader) -> None:
    reader.view.locator('.att-tab[data-panel="heads"]').click()
    grid = reader.view.locator(".att-thumbs")
    left, top, dx, dy = (float(grid.get_attribute(f"data-{name}")) for name in ("left", "top", "dx", "dy"))
    grid.click(position={"x": left + 6.4 * dx, "y": top + 2.4 * dy})
    reader.wait_for("layer", 2)
    reader.wait_for("heads", [6])


def test_a_row_of_the_head_facts_leads_to_its_head(reader: Reader) -> None:
    reader.view.locator('.att-tab[data-panel="facts"]').click()
    reader.view.locator('.att-sort[data-column="entropy"]').click()
    row = reader.view.locator(".att-facts tbody tr").first
    there = int(row.get_attribute("data-layer")), int(row.get_attribute("data-head"))
    row.click()
    reader.wait_for("layer", there[0])
    reader.wait_for("heads", [there[1]])


def test_the_mass_on_hidden_tokens_is_stated(reader: Reader) -> None:
    columns = reader.map("encoder")[1]["cols"]
    box = reader.view.get_by_label("hide special tokens")
    box.check()
    wait_until(lambda: reader.map("encoder")[1]["cols"] == columns - 1, "</s> to be hidden")
    assert "%" in reader.view.locator(".att-mass").inner_text()
    box.uncheck()
    wait_until(lambda: reader.map("encoder")[1]["cols"] == columns, "</s> to be back")


def test_a_head_switched_off_is_off_in_the_model(reader: Reader) -> None:
    layer = reader.python("layer")
    reader.view.locator('.att-switch[data-head="3"]').click()
    reader.wait_for("off", [["cross", layer, 3]])
    wait_until(lambda: reader.python("ablation"), "the model to translate again")
    ablation = reader.python("ablation")
    assert len(ablation["delta"]) == len(ablation["tokens"]) and any(ablation["delta"])
    reader.view.locator('.att-switch[data-head="3"]').click()
    reader.wait_for("off", [])


def test_another_sentence_is_translated_and_shown(reader: Reader) -> None:
    box = reader.page.locator(".att-input input").first
    box.fill("I like stray cats.")
    box.press("Enter")
    began = time.monotonic()
    wait_until(lambda: "I like stray cats." in reader.view.locator(".att-sentence").inner_text(), "the new sentence")
    reader.latencies["sentence entered to its translation shown, s"] = round(time.monotonic() - began, 2)
    reader.wait_for("text", "I like stray cats.")
    assert reader.python("translation") in reader.view.locator(".att-sentence").inner_text()
    _, at = reader.map("encoder")
    assert at["rows"] == at["cols"] and at["rows"] >= 6


def test_a_sentence_of_markup_is_shown_as_text(reader: Reader) -> None:
    box = reader.page.locator(".att-input input").first
    box.fill("<script>alert(1)</script> <b>bold</b>")
    box.press("Enter")
    wait_until(lambda: "<b>bold</b>" in reader.view.locator(".att-sentence").inner_text(), "the markup as text")
    reader.wait_for("text", "<script>alert(1)</script> <b>bold</b>")
    assert reader.view.locator(".att-sentence script").count() == 0
    assert reader.view.locator(".att-sentence b").all_inner_texts() == [reader.python("translation")]


def test_two_views_do_not_disturb_each_other(reader: Reader) -> None:
    second = reader.page.locator(".att").last
    before = second.get_attribute("data-layer")
    slider = reader.view.get_by_label("Layer", exact=True)
    slider.focus()
    for key, layer in [("End", 5), ("Home", 0)]:
        reader.page.keyboard.press(key)
        reader.wait_for("layer", layer)
    assert second.get_attribute("data-layer") == before


def test_latency_is_measured(reader: Reader) -> None:
    took = reader.page.evaluate(SLIDE, 40)
    assert len(took) == 40
    summary = {"median": round(statistics.median(took), 1), "p95": round(sorted(took)[37], 1), "n": len(took)}
    reader.latencies["layer slider to repaint, ms"] = summary
    reader.page.locator(".jp-CodeCell .cm-content").last.click()
    reader.page.evaluate(RUN)
    reader.page.keyboard.press("Control+Enter")
    painted = reader.page.wait_for_function("window.painted", polling="raf", timeout=20_000).json_value()
    reader.latencies["cell run to first paint, ms"] = round(painted)


def test_nothing_left_the_machine_and_nothing_went_wrong(reader: Reader) -> None:
    assert reader.refused == []
    assert reader.errors == []
