"""The promises of the packaging: three lists of dependencies agree, and the README tells the truth about the folder."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, SETUPTOOLS = PYPROJECT["project"], PYPROJECT["tool"]["setuptools"]
NEEDED = [Requirement(line) for line in PROJECT["dependencies"]]
NEEDED_BY_TESTS = [Requirement(line) for line in PROJECT["optional-dependencies"]["test"]]
README = (ROOT / "README.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()

CONDA_NAMES = {"torch": "pytorch", "playwright": "playwright-python", "Pygments": "pygments"}
TOYS = {path.stem for path in ROOT.glob("tests/toys*.py")}
PACKAGES = SETUPTOOLS["packages"]["find"]["include"]  # patterns of dotted names
ROOMS = [name for name in PACKAGES if "." not in name]
OURS = {*SETUPTOOLS["py-modules"], *ROOMS, "benchmarks", "conftest", "drivers", "lab", "pretend_cuda", *TOYS}


def dependencies_of_conda() -> dict[str, tuple[str, str]]:
    """Each dependency line of environment.yml: name -> (version range, note)."""
    lines = (ROOT / "environment.yml").read_text().partition("dependencies:")[2].splitlines()
    found = {}
    for line in filter(None, (line.strip() for line in lines)):
        item, _, note = line.removeprefix("- ").partition("#")
        name, version_range = re.fullmatch(r"([\w.-]+)(.*)", "pip" if item == "pip:" else item.strip()).groups()
        found.setdefault("-e ." if name == "-e" else name, (version_range.strip(), note.strip()))
    return found


def pinned_versions() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def imported_packages(source: str) -> set[str]:
    """The third-party packages that Python source names in its imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.add(node.module.split(".")[0])
    return found - set(sys.stdlib_module_names) - OURS


def source_of(path: Path) -> str:
    """A Python file's text, or a notebook's code cells without their magics."""
    if path.suffix == ".py":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    lines = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("%", "!")))


@pytest.mark.parametrize("needed", NEEDED + NEEDED_BY_TESTS, ids=str)
def test_pip_and_conda_ask_for_the_same_versions_and_the_tested_one_is_among_them(needed):
    conda_range, _ = dependencies_of_conda()[CONDA_NAMES.get(needed.name, needed.name)]
    assert conda_range == str(needed.specifier)
    assert needed.specifier.contains(pinned_versions()[needed.name])


def test_conda_asks_for_nothing_that_pip_does_not():
    of_pip = {CONDA_NAMES.get(needed.name, needed.name) for needed in NEEDED + NEEDED_BY_TESTS}
    assert set(dependencies_of_conda()) == of_pip | {"python", "pip", "-e ."}


def test_every_conda_dependency_says_what_it_is_used_for():
    assert [name for name, (_, note) in dependencies_of_conda().items() if not note.startswith("used for ")] == []


def test_pip_and_conda_ask_for_the_same_python():
    assert dependencies_of_conda()["python"][0] == PROJECT["requires-python"]
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or newer" in README


def test_the_tested_versions_carry_no_local_tag_so_that_a_cpu_wheel_and_a_cuda_build_both_fit():
    for name, version in pinned_versions().items():
        assert "+" not in version, f"{name}=={version} admits one build only; leave out what follows the +."


def test_an_installed_copy_has_every_module_script_and_style_sheet():
    data = SETUPTOOLS["package-data"]["*"]
    files = [path for room in ROOMS for kind in ("py", "js", "css") for path in ROOT.glob(f"{room}/**/*.{kind}")]
    for path in files:
        package = ".".join(path.parent.relative_to(ROOT).parts)
        assert any(fnmatch(package, pattern) for pattern in PACKAGES), f"{path} is of no package in pyproject.toml"
        assert (path.parent / "__init__.py").exists(), f"{package} has no __init__.py"
        assert path.suffix == ".py" or any(fnmatch(path.name, pattern) for pattern in data), path


class Installed(NamedTuple):
    """A virtual environment of its own that has the project as pip installs it, and shares all that it needs."""

    folder: Path  # elsewhere: commands run here
    python: Path
    site: Path

    @property
    def attention(self) -> Path:
        return self.python.parent / "attention"

    def run(self, *words: str | Path, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command; nothing it says may come from the repository."""
        plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TRANSFORMER_DATA")}
        given = dict(input=stdin, cwd=self.folder, env=plain | {"OMP_NUM_THREADS": "1"} | env)
        done = subprocess.run(words, capture_output=True, encoding="utf-8", **given)
        assert str(ROOT) not in done.stderr + done.stdout
        return done


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    left = shutil.ignore_patterns(".*", "*.egg-info", "build", "tests", "runs", "pages", "reports")
    shutil.copytree(ROOT, folder / "source", ignore=left)
    venv.create(folder / "venv", symlinks=os.name == "posix")
    paths = sysconfig.get_paths("venv", vars={name: str(folder / "venv") for name in ("base", "platbase")})
    python, site = Path(paths["scripts"], Path(sys.executable).name), Path(paths["purelib"])
    (site / "shared.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    offline = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--ignore-installed"]
    command = [python, "-m", "pip", "install", *offline, folder / "source"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    shutil.rmtree(folder / "source")
    (folder / "elsewhere").mkdir()
    return Installed(folder / "elsewhere", python, site)


@pytest.fixture
def without_notebooks(installed) -> Iterator[Installed]:
    notebooks = (installed.site / "notebooks").rename(installed.site / "not_installed")
    yield installed
    notebooks.rename(installed.site / "notebooks")


def test_what_pip_installs_translates_by_name_from_any_folder(installed):
    words = ("translate", "--checkpoint", "tatoeba-en-de", "--device", "cpu")
    done = installed.run(installed.attention, *words, stdin="I am a teacher.\n")
    assert done.stdout == "Ich bin Lehrer.\n", done.stderr
    code = "import transformer_core as tc; print(tc.load_pretrained('tatoeba-en-de').translate(['I am a teacher.'])[0])"
    assert installed.run(installed.python, "-c", code).stdout == "Ich bin Lehrer.\n"


def test_what_pip_installs_has_every_checkpoint_notebook_and_stored_result(installed):
    rooms = ("checkpoints", "notebooks", "benchmarks/results")
    files = [path for room in rooms for path in ROOT.glob(f"{room}/**/*.*") if path.is_file()]
    files = [path for path in files if ".ipynb_checkpoints" not in path.parts]
    missing = [path for path in files if not (installed.site / path.relative_to(ROOT)).is_file()]
    assert files and not missing


def test_version_says_what_there_is_and_where_the_notebooks_are(installed):
    done = installed.run(installed.attention, "--version")
    assert done.returncode == 0, done.stderr
    lines = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert lines[PROJECT["name"]] == PROJECT["version"] and lines["torch"] and lines["python"]
    assert Path(lines["notebooks in"]) == installed.site / "notebooks"


@pytest.mark.parametrize("module", ["viz.pages", "viz.store"])
def test_pages_and_store_say_that_there_are_no_notebooks_and_end_with_2(without_notebooks, module):
    done = without_notebooks.run(without_notebooks.python, "-m", module)
    assert done.returncode == 2 and done.stderr.startswith("There is no notebook in ") and done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert not (without_notebooks.folder / "pages").exists()


def test_where_there_are_no_notebooks_version_says_so(without_notebooks):
    assert "clone it to open them" in without_notebooks.run(without_notebooks.attention, "version").stdout


def test_a_notebook_copied_elsewhere_finds_its_stored_results(installed):
    calls = {
        call
        for path in ROOT.glob("notebooks/*.ipynb")
        for call in re.findall(r"load\(f?\\\"(\S+?)\\\"\)", path.read_text())
    }
    paths = sorted(path for path in calls if path.endswith(".json") and "{" not in path)
    assert len(paths) > 10 and any("benchmarks" in path for path in paths)
    code = "import sys; from studies import stored; print(*(len(stored.load(path)) > 1 for path in sys.argv[1:]))"
    assert installed.run(installed.python, "-c", code, *paths).stdout.split() == ["True"] * len(paths)
    refused = installed.run(installed.python, "-c", code, "data/gone.json").stderr
    assert f"There is no stored result data/gone.json here nor in {installed.site / 'notebooks'}" in refused


PRESSED = """
import sys
from viz.controls import RunHere
for command in sys.argv[1:]:
    button = RunHere(command, then=lambda found: f"{len(found['runs'])} run")
    button.press()
    print(button.wait(200), button.line)
"""


def test_a_cell_that_runs_an_experiment_does_so_or_says_what_it_needs_and_leaves_nothing_anywhere(installed):
    before = sorted(path.name for path in installed.site.iterdir())
    works = "python -m experiments.recurrence reverse --only 'GRU, one vector' --steps 2 --runs {out}.runs --out {out}"
    done = installed.run(installed.python, "-c", PRESSED, works, "python -m experiments.beam_alpha --out {out}")
    ran, lacks = done.stdout.splitlines()
    assert ran == "True 1 run", done.stdout + done.stderr
    assert "TRANSFORMER_DATA must name a folder that holds tatoeba_en_de" in lacks
    assert sorted(path.name for path in installed.site.iterdir()) == before
    assert not [*installed.folder.iterdir()]


def test_experiments_of_an_installed_copy_write_into_the_current_folder_and_the_list_says_so(installed):
    done = installed.run(installed.python, "-m", "experiments")
    assert done.returncode == 0 and done.stdout.startswith("Installed, not cloned"), done.stderr
    assert str(installed.site / "notebooks" / "data") in done.stdout and "rm " not in done.stdout
    assert "speed: made by code that is in the repository alone" in done.stdout
    assert "notebooks/data/" not in done.stdout.replace(str(installed.site), "")
    code = "from experiments import bench, masks, variations; print(bench.DATA.resolve(), variations.OUT)"
    assert installed.run(installed.python, "-c", code).stdout == f"{installed.folder} variations.json\n"


def test_scenes_come_with_an_installed_copy(installed):
    code = "from corpora import scenes; print(len(scenes.scenes()))"
    assert int(installed.run(installed.python, "-c", code).stdout) > 1000


def test_what_is_imported_is_declared():
    distributions = packages_distributions()
    declared = {needed.name for needed in NEEDED} | {"ipython"}  # a notebook is IPython
    declared_for_tests = declared | {needed.name for needed in NEEDED_BY_TESTS}
    tests = list(ROOT.glob("tests/*.py"))
    modules = [path for pattern in ("*.py", *(f"{room}/**/*.py" for room in ROOMS)) for path in ROOT.glob(pattern)]
    ours = [*ROOT.glob("notebooks/*.ipynb"), *modules]
    for path in [*ours, *tests]:
        imported = {distributions.get(name, [name])[0] for name in imported_packages(source_of(path))}
        undeclared = imported - (declared_for_tests if path in tests else declared)
        assert not undeclared, f"{path.name} imports {undeclared}; declare it in pyproject.toml and environment.yml."


def test_every_make_command_of_the_readme_is_a_target():
    targets = set(re.findall(r"^([a-z]+):", MAKEFILE, re.M))
    assert {"lab", "test"} <= set(re.findall(r"\bmake ([a-z]+)", README)) <= targets


def test_workflows_run_what_the_makefile_and_ci_do():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        runs = re.findall(r"^ +- run: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert runs and all(run == ".ci/run" or run.removeprefix("make ") in targets for run in runs), path.name


def test_the_readme_without_make_installs_and_runs_what_make_does():
    for command in ['pip install -c constraints.txt -e ".[test]"', "pytest --nbval"]:
        assert command in README
        assert command in MAKEFILE
    first_notebook = re.search(r"^NOTEBOOK \?= (\S+)", MAKEFILE, re.M)[1]
    assert f"jupyterlab {first_notebook}" in README
    assert f"jupyter lab {first_notebook}" in README


def test_every_file_that_the_readme_links_to_exists():
    linked = [target for target in re.findall(r"\]\(([^)]+)\)", README) if "://" not in target]
    assert [target for target in linked if not (ROOT / target).exists()] == []


def test_the_readme_lists_every_notebook_and_no_other():
    listed = re.findall(r"^\| \[\w+\]\(notebooks/(\w+)\.ipynb\)", README, re.M)
    assert listed == sorted(path.stem for path in ROOT.glob("notebooks/*.ipynb"))


def test_the_readme_calls_only_commands_and_options_that_the_core_has():
    core = "".join(path.read_text() for path in (ROOT / "transformer_core.py", *ROOT.glob("core_options/*.py")))
    commands = [line for line in README.splitlines() if "transformer_core.py " in line and line.startswith("    ")]
    for option in re.findall(r"--([a-z-]+)", "\n".join(commands)):
        assert re.search(rf"\b{option.replace('-', '_')}\b", core), f"README's --{option} is unknown to the core."


def test_a_skipped_browser_test_fails_where_a_browser_is_required(tmp_path):
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_skipped.py").write_text(
        "import pytest\n\n@pytest.mark.browser\ndef test_it():\n    pytest.skip('no Chromium')\n"
    )
    for required, status in [("", 0), ("1", 1)]:
        environment = os.environ | {"REQUIRE_BROWSER": required, "PYTEST_ADDOPTS": ""}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", tmp_path]
        assert subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True).returncode == status
