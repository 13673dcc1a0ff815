"""What made notebooks/data: every stored result names the code it was made with, and says when that has changed."""

import ast
import base64
import json
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch

from experiments import bench, stored, training, variations
from viz import canvas

ROOT = Path(__file__).parent.parent
RESULTS = {name: result for name, result in stored.RESULTS.items() if stored.read(name)}

# What is known to have changed since a result was made, and how; `python -m experiments` says which result, and how to
# renew it. Where this list no longer fits, renew what can be renewed, and say here what changed in the rest.
CHANGED = {
    # the core
    "MultiHeadAttention": "another kernel may be set: the same numbers but for rounding",
    "DecoderLayer": "hypotheses of a beam lie side by side from the first layer on; a layer's caches come as a pair",
    "Positions": "a table of sinusoids begins with 256 rows; one assignment a line",
    "Transformer": "caches of a fixed capacity; a target vocabulary of its own; context is another model's",
    "objective": "without a checkpoint; on a CPU fast_cpu's is taken: the same numbers but for rounding",
    "learning_rate": "one check in the place of two; a peak of another height is the schedule's",
    "TrainingConfig.learning_rate": "ifs in the place of one expression: the same rates",
    "train": "how a batch is worked is a way's",
    "update": "parts are worked by a way, of like lengths, some with oneDNN: the same numbers but for rounding",
    "LikeLengths": "was not there, or a part of update; products were oneDNN's on AMD; parts and their dropout",
    "Batches": "the sentence of a warning, how batches are cut, an epoch is a generator",
    "BeamSearch": "caches of a fixed capacity, hypotheses side by side; is another file's",
    "beam_search": "max_extra is checked; goes through a search's steps; is another file's",
    "Tokenizer.train": "whole words are another file's; a small text is SentencePiece's own to judge",
    "Tokenizer.encode": "another stand-in for the mark of a space, in a method of its own",
    "Translator.encode": "was a part of Translator.translate",
    "Translator.translate": "sentences that are too long stay empty, wide beams work fewer at a time",
    "corpus_bleu": "sacreBLEU's settings by its own names",
    "average_checkpoints": "shapes are compared in two lines, not in one",
    # its options
    "fast_cpu": "was not there, or packed weights for short searches; a way of training; sinusoids grew in threads",
    "pairs": "a file that holds a byte-order mark alone has no line; a text that cannot be read is not called damage",
    # baselines
    "RecurrentEncoderDecoder": "another way to keep a decoder's state",
    # the experiments' own
    "learnt": "was a part of run",
    "write_grammar": "how many pairs may be said; where nothing is, as many as ever",
    "run": "as above; or made while it was being written",
    "Text": "any two languages; or made while it was being written",
    "training": "without warm-up the rate was at its peak once, not for a fifth of the steps; those were made anew",
    "NoWarmup": "as above",
    "Run.read_data": "claims the folder when all that can be refused has been",
    "Run.learn_tokenizers": "learns before the folder is claimed, also from another checkpoint",
    "Workload": "attention and loss as fast_cpu has them, taken by name",
    "measure_step": "one line became two; made while it was being written",
    "rehearsal": "too few steps are refused",
    "rehearse": "made while it was being written",
    "Recipe": "made while it was being written",
    "trained": "a folder for each number of steps; captions: in the way of R-Drop where asked for",
    "step_by_step": "was a part of trained",
    "scored": "α may be 1.8 too, or given",
    "Twice": "after some plain steps, where asked for",
    "way_of": "as above",
    "packing": "the table of sinusoids grows in the thread that reads it",
    "time_steps": "kernels are counted after the clock has stopped",
}
NEWEST = {  # the results that no change has reached
    "attention_heads", "attention_scale", "attention_scores", "beam_alpha", "captions_seeds", "complexity",
    "context_multi30k", "context_speed", "decoding", "evidence", "forming", "geometry", "head_habits", "masking",
    "page_engine", "parser_limits#shapes", "parser_limits#silence", "parsing#grammar", "positions", "pronoun_heads",
    "recurrence_gold", "recurrence_grammar", "recurrence_korean", "recurrence_reverse", "translator",
}  # fmt: skip


def test_every_stored_result_names_its_command_its_machine_and_its_code():
    files = {path.partition("#")[0] for path in (result.file for result in RESULTS.values())}
    there = [*ROOT.glob("notebooks/data/*.json"), *ROOT.glob("benchmarks/results/*.json")]
    assert files == {str(path.relative_to(ROOT)) for path in there}
    for name in RESULTS:
        result = stored.read(name)
        assert result["command"].startswith("python -m ") and result["machine"] and result["code"], name


def test_a_result_is_as_new_as_its_code_or_it_is_known_what_has_changed_since():
    changed = {name: stored.changed(name) for name in RESULTS}
    assert {name for name, definitions in changed.items() if not definitions} == NEWEST
    assert {definition for definitions in changed.values() for definition in definitions} == set(CHANGED)


@pytest.mark.parametrize("name", stored.RESULTS)
def test_the_code_in_the_table_is_there_and_told_apart_by_its_names(name):
    places = [*stored.names(stored.RESULTS[name].code)]
    known = stored.digests(name)
    gone = [definition for definition, digest in known.items() if digest is None]
    assert not gone, f"{gone} is not where the table in experiments/stored.py says; name what does its work now."
    assert len(known) == len(set(places)), Counter(definition for _, definition in set(places)).most_common(1)


@pytest.mark.parametrize("name", stored.RESULTS)
def test_the_command_that_renews_a_result_is_one_of_a_module(name):
    module = stored.RESULTS[name].command.split()[2]
    assert (ROOT / f"{module.replace('.', '/')}.py").is_file()


BEFORE = """
import math
from here import Thing, other
RATE, STEPS = 0.1, 7

def area(r: float, *, times: int = STEPS) -> float:
    \"\"\"Of a circle.\"\"\"
    if r < 0:
        raise ValueError(f"r is {r}")
    x: list[float] = []
    return other.scaled(math.pi * r ** 2, RATE)
"""
MOVED = """
from there import scaled, Thing as Better
from math import pi

SPEED = 0.1
N = 7


def disk(r, *, times=N):
    if r < 0:  # nothing is as small as that
        raise ValueError("a radius below 0; pass another")
    x = []
    return scaled(
        pi * r**2,
        SPEED,
    )
"""


def test_code_that_is_moved_laid_out_anew_or_explained_better_is_the_same_code():
    assert stored.File(BEFORE).digest("area") == stored.File(MOVED).digest("disk")


@pytest.mark.parametrize(
    ("was", "becomes"), [("r ** 2", "r ** 3"), ("0.1", "0.2"), ("r < 0", "r <= 0"), ("STEPS)", "8)"), ("*, ", "")]
)
def test_code_that_computes_something_else_is_other_code(was, becomes):
    assert was in BEFORE
    assert stored.File(BEFORE).digest("area") != stored.File(BEFORE.replace(was, becomes)).digest("area")


LOCALS = """
def f(rows, *, n=1, **options):
    found = [one for one in rows if one > n]
    def inner(rows):
        nonlocal found
        found = [found for found in found]
    with rows.lock as held:
        inner(found)
    try:
        return sorted(found, key=lambda one: -one), options
    except ValueError as error:
        raise KeyError(f"{error} {[one for one in rows]}") from error
"""


@pytest.mark.parametrize("name", ["found", "one", "inner", "held", "error", "options"])
def test_code_whose_locals_have_other_names_is_the_same_code(name):
    renamed = re.sub(rf"\b{name}\b", "better", LOCALS)
    assert renamed != LOCALS
    assert stored.File(LOCALS).digest("f") == stored.File(renamed).digest("f")


@pytest.mark.parametrize(
    ("was", "becomes"),
    [("-one", "+one"), ("> n", "< n"), ("n=1", "m=1"), ("inner(found)", "inner(held)"), ("in found", "in rows")],
)
def test_code_that_takes_another_local_or_has_another_parameter_is_other_code(was, becomes):
    assert was in LOCALS
    assert stored.File(LOCALS).digest("f") != stored.File(LOCALS.replace(was, becomes)).digest("f")


@pytest.mark.parametrize("name", ["size", "f", "x", "count"])
def test_what_is_seen_from_outside_is_no_local(name):
    source = "class A:\n size = 1\n def f(self, x):\n  global count\n  count = self.size\n  return x\n"
    renamed = re.sub(rf"\b{name}\b", "better", source)
    assert stored.File(source).digest("A") != stored.File(renamed).digest("A")


def test_a_method_a_constant_and_a_whole_file_have_a_digest_and_what_is_not_there_has_none():
    file = stored.File("N = 3\nclass A:\n    def f(self):\n        return N\n")
    assert len({file.digest(name) for name in ("A", "A.f", "N", "")}) == 4
    assert file.digest("A.g") is None and file.digest("B") is None


# ─── Runs that go on ─────────────────────────────────────────────────────────────────────────────────────────────────
def about(**other: object) -> dict:
    return bench.head("variations", "python -m experiments.variations", steps=4) | other


def test_runs_go_on_under_the_name_of_the_code_that_made_the_first_of_them(tmp_path, capsys):
    path = tmp_path / "x.json"
    assert bench.earlier(path, about()) == []
    old = about(code={"update": "0123456789ab"})
    bench.write(path, old | dict(runs=[dict(row="base", bleu=1 / 3)]))
    today = about()
    assert bench.earlier(path, today) == [dict(row="base", bleu=1 / 3)]
    assert today["code"] == old["code"] and "earlier code" in capsys.readouterr().err


def test_runs_that_were_begun_when_experiments_were_benchmarks_go_on(tmp_path, capsys):
    path = tmp_path / "x.json"
    head = {key: value for key, value in about(command="python -m benchmarks.variations").items() if key != "code"}
    path.write_text(json.dumps(head, indent=1)[:-2] + ',\n "runs": [\n{"row": "base"}\n]}\n')
    today = about()
    assert bench.earlier(path, today) == [{"row": "base"}]
    assert today["code"] is None  # nobody knows it


def test_runs_of_a_benchmark_go_on(tmp_path):
    path, command = tmp_path / "x.json", "python -m benchmarks.precision"
    bench.write(path, about(command=command) | dict(runs=[dict(seed=1)]))
    assert bench.earlier(path, about(command=command)) == [dict(seed=1)]


def test_runs_of_other_settings_are_refused_in_one_sentence(tmp_path):
    path = tmp_path / "x.json"
    bench.write(path, about(machine="an abacus") | dict(runs=[{}]))
    with pytest.raises(
        SystemExit, match=r"holds runs of another kind \(an abacus, steps 4\), asked for is .*, steps 5"
    ):
        bench.earlier(path, about(steps=5))
    assert bench.earlier(path, about(), apart=("machine",)) == [{}]


def test_what_is_written_is_read_back_and_has_a_line_for_each_run(tmp_path):
    result = dict(
        command="x", machine=dict(cores=2), runs=[dict(a=[0.1, "ä"]), dict(a=None)], empty=[], table=[[1], [2]]
    )
    bench.write(tmp_path / "new" / "x.json", result)
    text = (tmp_path / "new" / "x.json").read_text(encoding="utf-8")
    assert json.loads(text) == result and text.count("\n") == 10 and '\n{"a": [0.1, "ä"]},\n' in text


def test_the_list_names_every_result_and_the_command_that_renews_it():
    done = subprocess.run([sys.executable, "-m", "experiments"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name, result in stored.RESULTS.items():
        assert f"{name}: " in done.stdout
        assert name in NEWEST or result.command in done.stdout
    assert "rm notebooks/data/variations.json; python -m experiments.variations" in done.stdout


# ─── Who leans on whom ───────────────────────────────────────────────────────────────────────────────────────────────
def imported(path: Path) -> set[str]:
    """The modules that a file imports, a name of a package as its module."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return modules


def test_benchmarks_lean_on_no_study_no_view_and_no_experiment():
    for path in ROOT.glob("benchmarks/*.py"):
        outside = {name for name in imported(path) if name.startswith(("viz", "studies", "experiments"))}
        assert outside <= {"experiments.bench"}, path.name


def test_experiments_lean_on_no_view_and_what_they_share_leans_on_the_core_alone():
    for path in ROOT.glob("experiments/*.py"):
        assert not [name for name in imported(path) if name.startswith(("viz", "benchmarks"))], path.name
    shared = {
        name for name in imported(ROOT / "experiments" / "bench.py") if name.startswith(("studies", "experiments"))
    }
    assert shared == {"experiments.stored"}


def test_kept_maps_are_bytes_as_views_draw_them():
    weights = torch.rand(2, 3, 4, 5)
    assert base64.b64decode(training.of(weights)) == canvas.packed(weights)


@pytest.mark.parametrize("name", ["variations", "variations_few", "variations_longer"])
def test_a_stored_command_of_variations_is_what_its_options_spell(name):
    said = stored.read(name)["command"]
    assert variations.command(variations.PARSER.parse_args(shlex.split(said)[3:])) == said == RESULTS[name].command
