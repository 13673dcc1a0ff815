"""The views' scripts, tested in node: each *.test.js here by itself."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPTS = sorted(Path(__file__).parent.glob("*.test.js"))


@pytest.mark.parametrize("tests", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_s_own_tests_pass(tests: Path) -> None:
    node = shutil.which("node") or pytest.skip("node is not installed")
    done = subprocess.run([node, "--test", str(tests)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-3000:]


def test_every_script_with_parts_to_test_is_found() -> None:
    assert {"attention.test", "bleu.test", "canvas.test", "masks.test"} <= {path.stem for path in SCRIPTS}
