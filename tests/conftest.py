"""What tests share: Chromium, real corpora, and what a browser test does that fails or may not be skipped."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHROMIUMS = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    found = next(filter(None, map(shutil.which, CHROMIUMS)), None)
    return found or pytest.skip(f"no Chromium found; install one of: {', '.join(CHROMIUMS[:3])}")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Any]:
    """Headless Chromium, one for the whole run."""
    from lab import FLAGS

    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=FLAGS, timeout=300_000)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """JupyterLab, one for the whole run; `lab.opened(notebook, …)` is a reader with that notebook before them."""
    from lab import Lab, serving

    home = tmp_path_factory.mktemp("lab") / "notebooks"
    with serving(home) as port:
        yield Lab(browser, home, port)


@pytest.fixture(scope="session")
def real(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the pages of the project's notebooks, which the first worker that asks for them makes for all."""
    from lab import wait_until

    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "real"
    ended = folder.with_suffix(".txt")
    try:
        folder.mkdir()
    except FileExistsError:
        wait_until(ended.exists, "another worker to write the pages", 1200)
    else:
        command = [sys.executable, "-m", "viz.pages", "--out", str(folder)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True)
        ended.write_bytes(done.stderr if done.returncode else b"")
    assert ended.read_text() == ""
    return folder


@pytest.fixture(scope="session")
def corpora_folder() -> Path:
    folder = os.environ.get("TRANSFORMER_DATA")
    return Path(folder) if folder else pytest.skip("TRANSFORMER_DATA names no folder of real corpora")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo) -> Iterator[None]:
    if item.get_closest_marker("browser") and call.excinfo and not call.excinfo.errisinstance(pytest.skip.Exception):
        from lab import leave_traces

        leave_traces(call.excinfo.value)
    report = yield
    optional = report.skipped and "npm" in report.longrepr[2]  # nobody has to have its packages
    if report.skipped and not optional and item.get_closest_marker("browser") and os.environ.get("REQUIRE_BROWSER"):
        report.outcome = "failed"
        report.longrepr = f"REQUIRE_BROWSER is set, but this test was skipped: {report.longrepr[2]}"
    return report


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Numbers then do not depend on how busy the other cores are, nor on their number."""
    import torch

    n = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(n)


@pytest.fixture(scope="session")
def toy_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training run on the toy of toys.py, with its data in the folder "data" beside it; read only."""
    import toys

    folder = tmp_path_factory.mktemp("toy")
    data = toys.write_corpus(folder / "data", n=120)
    words = toys.train_arguments(data, folder / "run", steps=30, tokens_per_batch=200, warmup_steps=10, save_every=10)
    done = toys.command(*words)
    assert done.status == 0, done.err
    return folder / "run"


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """Of the toy's sentences."""
    import toys

    import transformer_core as tc

    return tc.Tokenizer.train(toys.sentences(30, seed=0), 280)


@pytest.fixture
def checkpoint(tmp_path: Path, tokenizer: Any) -> Path:
    """A good checkpoint folder, to be damaged."""
    import torch
    import toys

    import transformer_core as tc

    torch.manual_seed(6)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY))
    tc.save_checkpoint(tmp_path / "good", model.config, tc.weights_of(model), tokenizer)
    return tmp_path / "good"
