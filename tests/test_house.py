"""The rules of the house: who may import whom, how wide and how dense code is, where pictures are drawn.

A rule returns its breaks, each a line that says where. DEBTS lists those still known: one that is mended is struck off
there, and a new one fails.
"""

import ast
import io
import json
import re
import token
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAPER = ROOT / "transformer_core.py"

# Which rooms a room may import.
BELOW_VIZ = {"studies", "core_options", "baselines", "corpora", "transformer_core"}
ARROWS = {
    "transformer_core": set(),
    "core_options": {"transformer_core"},
    "baselines": {"transformer_core"},
    "corpora": set(),
    "studies": BELOW_VIZ - {"studies"},
    "experiments": BELOW_VIZ,
    "viz": BELOW_VIZ,
    "benchmarks": {"core_options", "baselines", "corpora", "transformer_core", "experiments.bench"},
}
DRAWING = {"plotly": "viz", "altair": "viz", "anywidget": "viz/canvas.py", "ipywidgets": "viz/controls.py"}
SHARED_VIZ = {"theme", "charts", "stills", "tables", "canvas", "controls", "pages", "store"}
SAYS_NOTHING = {"found", "one", "said", "given", "some", "kept"}  # the grammar of a sentence, not what a local holds

DEBTS: dict[str, set[str]] = {}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def python_files(*rooms: str) -> list[Path]:
    """The Python files of these rooms, or of all of them."""
    found = (ROOT.glob(f"{room}.py") for room in rooms or ARROWS)
    nested = (ROOT.glob(f"{room}/**/*.py") for room in rooms or ARROWS)
    return sorted(path for paths in (*found, *nested) for path in paths)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_modules(source: str) -> Iterator[str]:
    """Every module that source imports, also by a string given to importlib or to a look-up of its own."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if function in ("import_module", "find_spec", "__import__"):
                yield literal_start(node.args[0])


def literal_start(node: ast.expr) -> str:
    """What is known of a string before it runs: all of "a.b", the beginning of f"a.{name}"."""
    if isinstance(node, ast.JoinedStr) and node.values:
        node = node.values[0]
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def code_lines(path: Path) -> dict[int, list[tokenize.TokenInfo]]:
    """The tokens of each line that holds code: docstrings and comments left out."""
    source = path.read_text()
    docstrings = {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, node.end_lineno + 1)
    }
    silent = {token.COMMENT, token.NL, token.NEWLINE, token.INDENT, token.DEDENT, token.ENDMARKER}
    lines: dict[int, list[tokenize.TokenInfo]] = {}
    for piece in tokenize.generate_tokens(io.StringIO(source).readline):
        if piece.type not in silent and piece.start[0] not in docstrings:
            lines.setdefault(piece.start[0], []).append(piece)
    return lines


def functions_and_classes(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node


def notebook_cells(path: Path) -> list[str]:
    """The source of each code cell."""
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def notebooks() -> list[Path]:
    return sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


# ─── The rules ───────────────────────────────────────────────────────────────────────────────────────────────────────
def imports_against_the_arrows() -> Iterator[str]:
    for path in python_files():
        room = room_of(path)
        for module in set(imported_modules(path.read_text())):
            parts = module.split(".")
            allowed = {parts[0], ".".join(parts[:2])} & (ARROWS[room] | {room})
            hand_over = room == "transformer_core" and module.startswith("core_options.command_line")
            if parts[0] in ARROWS and not allowed and not hand_over:
                yield f"{name_of(path)} imports {parts[0]}"


def libraries_out_of_their_room() -> Iterator[str]:
    for path in python_files():
        for library in {module.split(".")[0] for module in imported_modules(path.read_text())} & set(DRAWING):
            if not name_of(path).startswith(DRAWING[library]):
                yield f"{name_of(path)} imports {library}"


def topics_that_import_each_other() -> Iterator[str]:
    for path in python_files("viz"):
        topic = path.relative_to(ROOT).parts[1].removesuffix(".py")
        if topic in SHARED_VIZ | {"__init__"}:
            continue
        for module in imported_modules(path.read_text()):
            parts = module.split(".")
            if parts[0] == "viz" and len(parts) > 1 and parts[1] not in SHARED_VIZ | {topic, "__init__"}:
                yield f"{name_of(path)} imports viz.{parts[1]}"


def the_core_looking_for_its_options() -> Iterator[str]:
    named = len(re.findall(r"core_options|\bbeside\(", PAPER.read_text()))
    if named > 3:
        yield "transformer_core.py names its options"


def long_files_and_wide_lines() -> Iterator[str]:
    lines = PAPER.read_text().splitlines()
    if len(lines) > 1450:
        yield "transformer_core.py is longer than 1,450 lines"
    if any(len(line) > 100 for line in lines):
        yield "transformer_core.py has lines wider than 100 columns"
    for path in sorted(ROOT.glob("viz/**/*.js")):
        if any(len(line) > 140 for line in path.read_text().splitlines()):
            yield f"{name_of(path)} has lines wider than 140 columns"


def dense_code_in_the_core() -> Iterator[str]:
    lines = code_lines(PAPER)
    n_lines = len(lines)
    tree = ast.parse(PAPER.read_text())
    inline_ifs = sum(isinstance(node, ast.IfExp) for node in ast.walk(tree))
    assignments = [target for node in ast.walk(tree) if isinstance(node, ast.Assign) for target in node.targets]
    tuples = sum(isinstance(target, ast.Tuple) for target in assignments)
    if sum(map(len, lines.values())) > 12 * n_lines:
        yield "transformer_core.py has more than 12 tokens a code line"
    if 100 * inline_ifs > 2 * n_lines:
        yield "transformer_core.py has more than 2 inline ifs in 100 code lines"
    if 100 * tuples > 4 * n_lines:
        yield "transformer_core.py has more than 4 tuple assignments in 100 code lines"


def any_in_the_model() -> Iterator[str]:
    source = PAPER.read_text()
    model = source[source.index("# ─── 1 ") : source.index("# ─── 5 ")]
    if re.search(r"\bAny\b", model):
        yield "transformer_core.py says Any in sections 1 to 4"


def large_functions_and_classes() -> Iterator[str]:
    for path in python_files():
        for node in functions_and_classes(path):
            size, limit = node.end_lineno - node.lineno + 1, 400 if isinstance(node, ast.ClassDef) else 50
            if size > limit:
                yield f"{name_of(path)}: {node.name} has more than {limit} lines"
    for path in sorted(ROOT.glob("viz/**/*.js")):
        for name, body in re.findall(r"^(?:export )?class (\w+)(.*?)^}", path.read_text(), re.S | re.M):
            if body.count("\n") > 400:
                yield f"{name_of(path)}: {name} has more than 400 lines"


def names_that_say_nothing() -> Iterator[str]:
    for path in python_files():
        for node in functions_and_classes(path):
            if set(re.findall(r"[a-z]+|[A-Z][a-z]*", node.name)) & {"util", "utils", "helper", "manager", "Manager"}:
                yield f"{name_of(path)}: {node.name}"


def locals_named_by_grammar() -> Iterator[str]:
    for path in python_files():
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)]
        assigned = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        if empty := sorted(assigned & SAYS_NOTHING):
            yield f"{name_of(path)}: {' '.join(empty)}"


def views_that_are_no_pair() -> Iterator[str]:
    """A topic is a folder; a view is NAME.js beside the NAME.py that defines its class, or its classes.

    What runs a page is no view: page.js, and the folder page, where the model is that answers there.
    """
    for path in sorted(ROOT.glob("viz/*.py")):
        if path.stem not in SHARED_VIZ | {"__init__"}:
            yield f"{name_of(path)} is no folder"
    for path in sorted(ROOT.glob("viz/**/*.js")):
        if not path.with_suffix(".py").exists() and not name_of(path).startswith(("viz/page.js", "viz/page/")):
            yield f"{name_of(path)} has no {path.stem}.py"
    for path in sorted(ROOT.glob("viz/*/*.py")):
        if path.parent.name == "page":
            continue
        views = [node.name for node in functions_and_classes(path) if "Canvas" in map(ast.unparse, bases_of(node))]
        if bool(views) != path.with_suffix(".js").exists():
            yield f"{name_of(path)} has a script or a view, but not both"


def bases_of(node: ast.AST) -> list[ast.expr]:
    return node.bases if isinstance(node, ast.ClassDef) else []


def shared_css_named_after_one_view() -> Iterator[str]:
    """The classes att-… are those of the attention view and of its part of the style sheet."""
    for path in sorted((*ROOT.glob("viz/**/*.js"), *ROOT.glob("viz/**/*.py"))):
        if path.stem != "canvas" and path.parent.name != "attention" and re.search(r"\batt-[a-z]", path.read_text()):
            yield f"{name_of(path)} says att-"


def quotes_of_the_core_in_part() -> Iterator[str]:
    parts = r"getsource(lines)?\([^)]*\)+\s*(\.\s*(split|splitlines|partition)|\[)|in inspect\.getsource"
    for path in notebooks():
        if any(re.search(parts, cell) for cell in notebook_cells(path)):
            yield f"{name_of(path)} slices or filters a quotation"


def large_cells() -> Iterator[str]:
    for path in notebooks():
        cells = notebook_cells(path)
        if len(cells[0].strip().splitlines()) > 8:
            yield f"{name_of(path)}: its first cell has more than 8 lines"
        if any(len(cell.splitlines()) > 20 for cell in cells):
            yield f"{name_of(path)} has a cell of more than 20 lines"
        if sum("NBVAL_IGNORE_OUTPUT" in cell for cell in cells) > len(cells) / 5:
            yield f"{name_of(path)} leaves more than one cell in five uncompared"


def stored_notebooks_beyond_their_size() -> Iterator[str]:
    for path in notebooks():
        if path.stat().st_size > 500_000:
            yield f"{name_of(path)} is larger than 500 KB"
        if json.loads(path.read_text())["metadata"].get("widgets"):
            yield f"{name_of(path)} holds widget state"


RULES = [
    imports_against_the_arrows,
    libraries_out_of_their_room,
    topics_that_import_each_other,
    the_core_looking_for_its_options,
    long_files_and_wide_lines,
    dense_code_in_the_core,
    any_in_the_model,
    large_functions_and_classes,
    names_that_say_nothing,
    locals_named_by_grammar,
    views_that_are_no_pair,
    shared_css_named_after_one_view,
    quotes_of_the_core_in_part,
    large_cells,
    stored_notebooks_beyond_their_size,
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_house_has_no_break_but_the_known_debts(rule) -> None:
    assert set(rule()) == DEBTS.get(rule.__name__, set())


def test_every_debt_belongs_to_a_rule() -> None:
    assert set(DEBTS) <= {rule.__name__ for rule in RULES}


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import viz.theme", "viz.theme"),
        ("from viz import theme", "viz.theme"),
        ("def f():\n    from studies.masks import leak", "studies.masks.leak"),
        ("importlib.import_module(f'core_options.{name}')", "core_options."),
        ("find_spec('core_options')", "core_options"),
    ],
)
def test_an_import_is_found_however_it_is_written(source: str, module: str) -> None:
    assert list(imported_modules(source)) == [module]
