"""What a browser test that fails leaves behind: tests that are made to fail, in a run of pytest of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent

FAILS = """
from pathlib import Path

import lab
import pytest

lab.REPORTS = Path("reports")
pytestmark = pytest.mark.browser


@pytest.fixture
def page(browser):
    reader = lab.Reader(browser.new_page(), log=Path("lab.log"))
    yield reader.page
    reader.page.close()


@pytest.mark.parametrize("word", ["a/b"])
def test_a_word_is_there(page, word):
    page.set_content("<h1>no word</h1><script>console.log('it was looked for'); lost()</script>")
    assert page.locator("h1").inner_text() == word


@pytest.fixture
def notebook(browser):
    with lab.Lab(browser, Path.cwd(), port=9).opened("03_masking.ipynb", "view", ["layer"]) as reader:
        yield reader


def test_a_notebook_opens(notebook):
    pass


def test_what_is_well_leaves_nothing(page):
    pass
"""


@pytest.mark.browser
def test_a_failing_browser_test_leaves_its_screenshot_the_console_and_labs_log_and_says_so(
    chromium: str, tmp_path: Path
) -> None:
    (tmp_path / "test_inner.py").write_text(FAILS)
    (tmp_path / "lab.log").write_text("what Lab said\n")
    command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-W", "ignore"]
    there = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)])}
    done = subprocess.run([*command, "test_inner.py"], cwd=tmp_path, env=there, capture_output=True, text=True)
    assert "1 failed, 1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    ends = ("png", "console.txt", "lab.txt")
    names = [f"test_inner-{test}" for test in ("test_a_word_is_there-a-b", "test_a_notebook_opens")]
    for name in names:
        files = [f"{name}.{end}" for end in ends]
        assert f"What there was to see is in reports: {', '.join(files)}" in done.stdout
        assert (tmp_path / "reports" / files[0]).read_bytes().startswith(b"\x89PNG")
        assert (tmp_path / "reports" / files[2]).read_text() == "what Lab said\n"
    heard = (tmp_path / "reports" / f"{names[0]}.console.txt").read_text()
    assert "log: it was looked for" in heard and "lost is not defined" in heard and "Python told: nothing" in heard
    assert len(list((tmp_path / "reports").iterdir())) == 6
