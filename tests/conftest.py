"""What tests share: where Chromium is, where real corpora are, and that a required browser may not be skipped."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

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
def corpora_folder() -> Path:
    folder = os.environ.get("TRANSFORMER_DATA")
    return Path(folder) if folder else pytest.skip("TRANSFORMER_DATA names no folder of real corpora")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    if report.skipped and item.get_closest_marker("browser") and os.environ.get("REQUIRE_BROWSER"):
        report.outcome = "failed"
        report.longrepr = f"REQUIRE_BROWSER is set, but this test was skipped: {report.longrepr[2]}"
    return report
