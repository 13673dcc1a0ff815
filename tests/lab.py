"""Notebooks in a real JupyterLab in headless Chromium, offline: what their browser tests share.

One server and one browser serve the whole test run (the fixtures `lab` and `browser` of conftest). Each notebook's
tests open a copy of it with `lab.opened`, move its controls, look at the page and at what Python has in the traits.
"""

import ast
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlparse

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "reports"
PATIENCE = 120  # seconds until a test gives up to wait; what it waits for takes a fraction of one on a quiet machine
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
NO_NEWS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}

# axe-core, an npm package, finds what shuts readers out; its script is where AXE says, or in node_modules.
AXE = Path(os.environ.get("AXE") or ROOT / "node_modules" / "axe-core" / "axe.min.js")
FAULTS = """async ([within, rules]) => {
  const all = { rules: { "target-size": { enabled: true } } };   // 24 pixels for a finger
  const options = { resultTypes: ["violations"], ...(rules ? { runOnly: rules } : all) };
  const { violations } = await axe.run(within ?? document, options);
  const why = ({ any, all, none }) => [...any, ...all, ...none][0]?.message;
  return violations.filter(({ impact }) => ["serious", "critical"].includes(impact))
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${why(node)}: ${node.html.slice(0, 200)}`));
}"""

# Whether all views wear a look, light or dark.
WORN = "look => [...document.querySelectorAll('.view')].every(view => view.dataset.look === look)"

# What the copy of a notebook does beyond the notebook: it writes what Python has in the traits of a view to a file.
TELL = """
import json, pathlib
def tell(_=None):
    seen = {{name: getattr({view}, name) for name in {names}}} | {more}
    pathlib.Path("{file}.part").write_text(json.dumps(seen))
    pathlib.Path("{file}.part").replace("{file}")
{view}.observe(tell); tell()
"""


# Moves a slider so many times and measures each from the event to the frame in which its view's data show the change.
SLIDE = """async ([name, trait, times]) => {
  const slider = document.querySelector(`.view input[aria-label="${name}"]`), view = slider.closest(".view"), took = [];
  for (let i = 0; i < times; i++) {
    const before = view.dataset[trait];
    slider.value = String(+slider.value >= +slider.max ? +slider.min : +slider.value + 1);
    const start = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (view.dataset[trait] === before) {
      await new Promise(requestAnimationFrame);
      if (performance.now() - start > 20_000) throw new Error(`${trait} stays ${before}, though ${name} has moved`);
    }
    took.push(performance.now() - start);
    await new Promise(resolve => setTimeout(resolve, 40 + (i * 7) % 17)); // evenly over the time between two frames
  }
  return took;
}"""

# Presses a view's button, and again when the view has played up to a step: it goes on while a busy test waits.
PLAY = """async (view, [button, step]) => {
  const frame = () => new Promise(requestAnimationFrame), start = performance.now();
  view.querySelector(button).click();
  for (await frame(), await frame(); Number(view.dataset.step) < step; await frame()) {
    if (performance.now() - start > 60_000) throw new Error(`it plays no further than ${view.dataset.step}`);
  }
  view.querySelector(button).click();
}"""

# What the numbers beside cells say; a notebook is opened without the numbers that it was stored with.
STARTED = "() => [...document.querySelectorAll('.jp-InputPrompt')].some(n => /[0-9*]/.test(n.textContent))"
ENDED = "() => [...document.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].every(n => /[0-9]/.test(n.textContent))"


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1)
        return True
    except OSError:
        return False


def wait_until(happened: Callable[[], Any], what: str | Callable[[], str], seconds: float = PATIENCE) -> Any:
    """The first answer that is not false; it fails by saying what it waited for, a function's words as of then."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := happened():
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited {seconds} s in vain for {what if isinstance(what, str) else what()}")


class Reader:
    """A page, all that went wrong in it or would have left the machine, and what Python has."""

    open: ClassVar[list["Reader"]] = []

    def __init__(self, page: Any, told: Path | None = None, log: Path | None = None):
        self.page, self.told, self.log = page, told, log
        self.refused: list[str] = []
        self.errors: list[str] = []
        self.console: list[str] = []
        page.set_default_timeout(PATIENCE * 1000)
        page.route("**/*", self.stay_here)
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.went_wrong(f"{error}\n{error.stack}"))
        page.on("dialog", lambda dialog: (self.went_wrong("a dialog opened"), dialog.dismiss()))
        Reader.open.append(self)
        page.on("close", lambda _: Reader.open.remove(self))

    def heard(self, message: Any) -> None:
        if message.type == "error":
            self.went_wrong(" ".join([message.text, *(str(part.json_value()) for part in message.args)]))
        else:
            self.console.append(f"{message.type}: {message.text}")

    def went_wrong(self, what: str) -> None:
        self.errors.append(what)
        self.console.append(f"error: {what}")

    def stay_here(self, route: Any) -> None:
        url = route.request.url
        if url.startswith(("data:", "blob:", "file:")) or urlparse(url).hostname == "127.0.0.1":
            route.continue_()
        else:
            self.refused.append(url)
            route.abort()

    def python(self, name: str) -> Any:
        return json.loads(self.told.read_text())[name]

    def wait_for(self, name: str, value: Any) -> None:
        """Python has this value in a synced trait, at the latest in a while, and the page shows what led to it."""
        wait_until(
            lambda: self.python(name) == value,
            lambda: f"{name} to be {value!r} in Python; it is {self.python(name)!r}",
        )
        self.drawn()

    def drawn(self) -> None:
        """The page shows what has been done to it: a view paints in the next frame, and speaks in another."""
        self.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def run_all(self) -> None:
        """Run every cell, as a reader does by the menu."""
        self.page.wait_for_selector("#jp-main-statusbar >> text=/Idle/", timeout=300_000)
        for _ in range(5):  # a click that comes too early is lost
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            try:
                self.page.wait_for_function(STARTED, timeout=20_000)
                return
            except Exception:
                continue
        raise AssertionError("the notebook did not start to run")

    def failed(self) -> list[str]:
        """What the notebook's cells raised."""
        return self.page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()

    def pixels(self, canvas: Any) -> str:
        """What is painted on a canvas, to be held against another time's."""
        self.drawn()
        return canvas.evaluate("canvas => canvas.toDataURL()")

    def faults(self, within: dict[str, Any] | None = None, rules: list[str] | None = None) -> list[str]:
        """What axe-core finds serious or critical in the page, or in a part, {"include": …}; by these rules, or all."""
        if not self.page.evaluate("() => 'axe' in window"):
            self.page.evaluate(AXE.read_text(encoding="utf-8"))
        return self.page.evaluate(FAULTS, [within, rules])

    def leave(self, name: str) -> list[str]:
        """Write what there is to see and to read of this page into files of that name in REPORTS: which they are."""
        REPORTS.mkdir(exist_ok=True)
        picture, console, log = (REPORTS / f"{name}.{end}" for end in ("png", "console.txt", "lab.txt"))
        for rest in (0.5, 1, 2, 0):  # a page that has just become another, the browser's own say, has no frame yet
            try:
                self.page.screenshot(path=picture, timeout=20_000)
                break
            except Exception as error:
                self.console.append(f"no screenshot: {error}")
                time.sleep(rest)
        refused = [f"refused: {address}" for address in self.refused]
        told = self.told.read_text(encoding="utf-8") if self.told and self.told.exists() else "nothing"
        lines = [self.page.url, *self.console, *refused, f"Python told: {told}"]
        console.write_text("\n".join(lines) + "\n", encoding="utf-8")
        if self.log:
            log.write_text(self.log.read_text(encoding="utf-8"), encoding="utf-8")
        return [file.name for file in (picture, console, log) if file.exists()]


def leave_traces(error: BaseException) -> None:
    """Keep what open pages show and said as a test fails, and Lab's log; the error's message names the files."""
    file, _, test = os.environ["PYTEST_CURRENT_TEST"].rpartition(" ")[0].partition("::")
    name = re.sub(r"\W+", "-", f"{Path(file).stem}-{test}").strip("-")
    left = []
    for n, reader in enumerate(Reader.open):
        left += reader.leave(f"{name}-{n + 1}" if n else name)
    if left:
        error.add_note(f"What there was to see is in {REPORTS}: {', '.join(left)}")


def names_in(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell makes, and those that it needs of others."""
    tree = ast.parse(source)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    imported = (node.names for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    made = {(alias.asname or alias.name).split(".")[0] for aliases in imported for alias in aliases}
    made |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    made |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return made, {name.id for name in names} - made


def cells_with(shown: Sequence[str], cells: Sequence[dict[str, Any]], last: str) -> list[dict[str, Any]]:
    """The code cells that have one of these texts, those whose names they and the last need, and texts beside them."""
    needed, kept, missing = names_in(last)[1], set(), set(shown)
    for place, cell in reversed([*enumerate(cells)]):
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        made, needs = names_in(source)
        if found := {text for text in shown if text in source}:
            missing -= found
        if found or made & needed:
            kept.add(place)
            needed = needed - made | needs
    assert not missing, f"no cell has {missing}"
    beside = {place + side for place in kept for side in (-1, 0, 1)}
    return [cell for n, cell in enumerate(cells) if n in kept or (n in beside and cell["cell_type"] == "markdown")]


class Lab:
    """JupyterLab serving a folder of its own, and the browser that opens notebooks in it."""

    def __init__(self, browser: Any, home: Path, port: int):
        self.browser, self.home, self.port = browser, home, port

    @contextlib.contextmanager
    def opened(
        self,
        notebook: str,
        view: str,
        names: Sequence[str],
        more: str = "{}",
        cells: Sequence[str] = (),
        shown: Sequence[str] | None = None,
    ) -> Iterator[Reader]:
        """A copy of a notebook, run to its end, in a page of its own.

        view: the expression of a Canvas in the notebook, whose traits `names` the test sees by reader.python(name);
        more: a dict of further expressions; cells: what is appended to the notebook; shown: its cells with one of
        these texts, and what they and the expressions need, as a cell that no test looks at need not run.
        """
        told = self.home / f"{Path(notebook).stem}.json"
        told.unlink(missing_ok=True)  # of an earlier opening of the same notebook
        tell = TELL.format(view=view, names=tuple(names), more=more, file=told.name)
        text = json.loads((ROOT / "notebooks" / notebook).read_text(encoding="utf-8"))
        if shown is not None:
            text["cells"] = cells_with(shown, text["cells"], "\n".join([tell, *cells]))
        for cell in text["cells"]:
            if cell["cell_type"] == "code":
                cell["execution_count"] = None  # a number beside a cell then says that the cell has run here
        for n, source in enumerate([tell, *cells]):
            cell = {"cell_type": "code", "id": f"test{n}", "metadata": {}, "outputs": [], "execution_count": None}
            text["cells"].append(cell | {"source": source.strip()})
        (self.home / notebook).write_text(json.dumps(text), encoding="utf-8")
        reader = Reader(self.browser.new_page(viewport={"width": 1300, "height": 1100}), told, self.home / "lab.log")
        try:
            self.run_to_its_end(notebook, reader)
            yield reader
        finally:
            reader.page.close()
            with contextlib.suppress(OSError):  # a Lab that has ended has no kernels
                self.stop_kernels()

    def run_to_its_end(self, notebook: str, reader: Reader) -> None:
        try:
            reader.page.goto(f"http://127.0.0.1:{self.port}/lab/tree/{notebook}?token=test&reset", timeout=300_000)
            reader.run_all()
            wait_until(
                lambda: (reader.told.exists() and reader.page.evaluate(ENDED)) or reader.failed(),
                "the notebook to run to its end",
                600,
            )
            assert reader.failed() == []
        except Exception as error:
            leave_traces(error)  # before the page is closed
            raise

    def stop_kernels(self) -> None:
        wait_until(self.has_no_kernels, "JupyterLab to end its kernels")

    def has_no_kernels(self) -> bool:
        """Ask each kernel to end; one that is starting or restarting refuses (500), and is asked again."""
        address = f"http://127.0.0.1:{self.port}/api/sessions"
        sessions = json.load(urllib.request.urlopen(f"{address}?token=test"))
        for session in sessions:
            request = urllib.request.Request(f"{address}/{session['id']}?token=test", method="DELETE")
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(request)
        return not sessions


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def started(command: Sequence[str], address: str, own: dict[str, str], told: Path) -> Iterator[None]:
    """A server with variables of its own, from when its address answers until it is told to end; told: of its words."""
    with told.open("w") as log:
        process = subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log)
        try:
            wait_until(
                lambda: answers(address),
                lambda: f"{command[2]} to answer; it says:\n{told.read_text(encoding='utf-8')}",
            )
            yield
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            finally:
                process.kill()


@contextlib.contextmanager
def serving(home: Path) -> Iterator[int]:
    """The port of a JupyterLab that serves a new folder, without news from a web site.

    What notebooks read lies where it does for a reader: `data` in the folder, `benchmarks` beside it.
    """
    (home / "settings").mkdir(parents=True)
    (home.parent / "benchmarks").symlink_to(ROOT / "benchmarks")
    (home / "settings" / "overrides.json").write_text(json.dumps(NO_NEWS))
    if (ROOT / "notebooks" / "data").exists():
        (home / "data").symlink_to(ROOT / "notebooks" / "data")
    port = free_port()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1",
        f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=test",
        f"--ServerApp.root_dir={home}", f"--LabApp.app_settings_dir={home / 'settings'}",
    ]  # fmt: skip
    folders = {"JUPYTER_DATA_DIR": "jupyter", "JUPYTERLAB_SETTINGS_DIR": "user", "JUPYTERLAB_WORKSPACES_DIR": "spaces"}
    own = {name: str(home / folder) for name, folder in folders.items()}  # another Lab would read what this one writes
    with started(command, f"http://127.0.0.1:{port}/api?token=test", own, home / "lab.log"):
        yield port


def remember_latencies(latencies: dict[str, Any]) -> None:
    """Add what was measured to reports/browser.json (one for each process): to be read; no test fails on it."""
    path = REPORTS / f"browser{os.environ.get('PYTEST_XDIST_WORKER', '')}.json"
    path.parent.mkdir(exist_ok=True)
    known = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(known | latencies, indent=2) + "\n")
