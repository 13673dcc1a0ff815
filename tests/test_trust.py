"""Nothing of the user's is lost, translate is a filter, and whatever goes wrong is said in one sentence."""

import os
import pty
import shutil
import signal
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import toys
from toys import assert_refused

import transformer_core as tc
from core_options import safekeeping

pytestmark = pytest.mark.usefixtures("one_thread")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ─── Nothing of the user's is lost ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("held", ["a model", "a thesis", "a corpus"])
def test_train_leaves_a_folder_that_it_did_not_make_as_it_is(tmp_path: Path, toy_run: Path, held: str) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "out"
    out.mkdir()
    match held:
        case "a model":
            for name in ("config.json", "model.safetensors", "tokenizer.model"):
                shutil.copy(toy_run / name, out)
        case "a thesis":
            (out / "thesis.pdf.part").write_text("years of work")
        case "a corpus":
            data = out = toys.write_corpus(out)
    before = contents(out)
    for changes in ({}, dict(resume=True)):
        assert_refused(toys.command(*toys.train_arguments(data, out, **changes)), str(out), "--overwrite")
    assert contents(out) == before
    done = toys.command(*toys.train_arguments(data, out, steps=1, overwrite=True))
    assert done.status == 0, done.err
    after = contents(out)
    assert {name: after.get(name) for name in before if name not in safekeeping.LARGEST} == {
        name: text for name, text in before.items() if name not in safekeeping.LARGEST
    }


def test_overwrite_begins_a_run_anew(tmp_path: Path) -> None:
    data, out, fresh = toys.write_corpus(tmp_path / "data"), tmp_path / "out", tmp_path / "fresh"
    assert toys.command(*toys.train_arguments(data, out, steps=4, vocab_size=280)).status == 0
    (out / "step-2" / "notes.txt").write_text("mine")
    assert_refused(toys.command(*toys.train_arguments(data, out, steps=3)), str(out), "--resume")
    assert_refused(toys.command(*toys.train_arguments(data, out, overwrite=True, resume=True)), "one of them")
    for folder in (out, fresh):
        assert toys.command(*toys.train_arguments(data, folder, steps=3, overwrite=True)).status == 0
    names = {*contents(fresh)} - {"state.safetensors", "log.jsonl"}  # which hold times
    assert {*contents(out)} == {*contents(fresh), "step-2/notes.txt"}
    assert all(contents(out)[name] == contents(fresh)[name] for name in names)


def test_what_somebody_put_into_a_run_outlives_it(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, out, steps=2)).status == 0
    mine = [out / "thesis.pdf.part", out / "step-2" / "notes.part", out / "step-9.part" / "plan.txt", out / "best.part"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    (out / "log.jsonl.part").write_text("left by a kill")
    done = toys.command(*toys.train_arguments(data, out, steps=9, keep=1, resume=True))
    assert done.status == 0, done.err
    assert all(path.read_text() == "mine" for path in mine) and not (out / "log.jsonl.part").exists()
    assert [folder.name for folder in tc.step_folders(out)] == ["step-9"]


@pytest.mark.parametrize("name", ["best", "averaged", "step-4", "step-4.part"])
def test_a_folder_link_in_a_run_is_not_followed(tmp_path: Path, name: str) -> None:
    data, out, mine = toys.write_corpus(tmp_path / "data"), tmp_path / "run", tmp_path / "mine"
    assert toys.command(*toys.train_arguments(data, out, steps=2)).status == 0
    mine.mkdir()
    (mine / "model.safetensors.part").write_text("mine")
    (mine / "config.json").write_text("mine")
    shutil.rmtree(out / name, ignore_errors=True)
    (out / name).symlink_to(mine)
    for changes in (dict(resume=True), dict(overwrite=True)):
        assert_refused(toys.command(*toys.train_arguments(data, out, **changes)), str(out / name), "link")
    assert {path.read_text() for path in mine.iterdir()} == {"mine"} and len(list(mine.iterdir())) == 2


def test_a_tokenizer_exchanged_under_a_run_is_noticed(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, out, steps=2)).status == 0
    size = len(tc.Tokenizer.load(out / "tokenizer.model"))
    other = tc.Tokenizer.train(["zebra yak owl pig rat ewe ram sow doe kid cub pup colt"] * 3, size)
    assert len(other) == size
    (out / "tokenizer.model").write_bytes(other.model)
    assert_refused(toys.command(*toys.train_arguments(data, out, steps=3, resume=True)), str(out), "tokenizer")


def test_a_refusal_before_the_first_step_leaves_nothing(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert_refused(toys.command(*toys.train_arguments(data, out, tokens_per_batch=1)), "1")
    assert not out.exists()


@pytest.mark.parametrize("core", ["alone", "with its options"])
def test_average_leaves_a_folder_that_is_there(toy_run: Path, tmp_path: Path, core: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model", "log.jsonl"):
        shutil.copy(toy_run / name, out)
    before, words = contents(out), ("average", toy_run, "--last", "1", "--out", out)
    if core == "alone":
        with pytest.raises(ValueError, match="holds a trained model"):
            tc.average_command(str(toy_run), str(out), 1)
        assert contents(out) == before
        return
    assert_refused(toys.command(*words), str(out), "--overwrite")
    assert contents(out) == before and os.listdir(tmp_path) == ["out"]
    assert toys.command(*words, "--overwrite", "--dtype", "float16").status == 0
    assert contents(out)["log.jsonl"] == before["log.jsonl"] and os.listdir(tmp_path) == ["out"]
    assert len(contents(out)["model.safetensors"]) < 0.6 * len(before["model.safetensors"])


def test_the_core_alone_does_not_train_over_a_model(toy_run: Path, tmp_path: Path) -> None:
    shutil.copytree(toy_run, tmp_path / "model", ignore=shutil.ignore_patterns("state.safetensors"))
    before = contents(tmp_path / "model")
    data = toys.write_corpus(tmp_path / "data")
    with pytest.raises(ValueError, match="holds a trained model"):
        tc.train_command(tc.TrainArguments(data=str(data), out=str(tmp_path / "model"), steps=1, preset="tiny"))
    assert contents(tmp_path / "model") == before


def in_a_terminal(words: list[str], until: Callable[[bytes], bool]) -> tuple[int, Callable[[], int]]:
    """A process that has a terminal, read until it has shown what is waited for; then the terminal, and its end."""
    pid, terminal = pty.fork()
    if pid == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # as in a terminal, also where tests run under nohup
        os.execve(sys.executable, [sys.executable, str(Path(toys.__file__)), *words], os.environ)
    termios.tcsetwinsize(terminal, (24, 100))
    shown, deadline = b"", time.monotonic() + 100
    while not until(shown):
        assert time.monotonic() < deadline, shown
        shown += os.read(terminal, 1 << 16)
    return terminal, lambda: os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_run_whose_terminal_is_closed_is_saved(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    words = toys.train_arguments(data, out, steps=100_000, save_every=100_000)
    terminal, ended = in_a_terminal(words, lambda shown: b"nll" in shown)
    os.close(terminal)
    assert ended() == 128 + signal.SIGHUP
    assert tc.saved_training(out / "state.safetensors")["place"]["step"] > 0
