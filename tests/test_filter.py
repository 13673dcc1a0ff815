"""`translate` is a filter: lines go out in order as they are done, and it ends when it is told to."""

import contextlib
import io
import os
import pty
import random
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import toys

import transformer_core as tc
from core_options import beams, fast_cpu, filter

pytestmark = pytest.mark.usefixtures("one_thread")


def heeding() -> None:
    """Undo what a shell does to whom it starts in the background, that is, to all of the tests: Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextlib.contextmanager
def translating(run: Path, *words: str, **streams: int) -> Iterator[subprocess.Popen[bytes]]:
    """The command in a process of its own, its streams pipes unless others are named."""
    command = [sys.executable, str(Path(toys.__file__)), "translate", "--checkpoint", str(run), *words]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | streams
    with subprocess.Popen(command, **pipes, env=os.environ | {"OMP_NUM_THREADS": "1"}, preexec_fn=heeding) as process:
        try:
            yield process
        finally:
            process.kill()


def read_line(process: subprocess.Popen[bytes], seconds: float = 100) -> bytes:
    assert process.stdout and select.select([process.stdout], [], [], seconds)[0], "nothing is written"
    return process.stdout.readline()


def shown_until(terminal: int, wanted: bytes, seconds: float = 100) -> bytes:
    shown, deadline = b"", time.monotonic() + seconds
    while wanted not in shown:
        assert select.select([terminal], [], [], deadline - time.monotonic())[0], shown
        shown += os.read(terminal, 1 << 16)
    return shown


def test_a_line_comes_back_before_the_next_is_written(toy_run: Path) -> None:
    translator = tc.load_pretrained(toy_run)
    with translating(toy_run) as process:
        assert process.stdin
        for text in ("cat dog", "", "ant", "hen fox gnu"):
            process.stdin.write(text.encode() + b"\n")
            process.stdin.flush()
            assert read_line(process).decode() == translator.translate([text])[0] + "\n"
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("search", [(0, 0.6, 50), (4, -3.0, 50), (4, float("nan"), 50), (4, 0.6, -1)])
def test_a_search_that_cannot_be_is_refused_before_anything_is_read(search: fast_cpu.Search) -> None:
    for started in (
        lambda: filter.run(lambda: pytest.fail("a model was loaded"), search),
        lambda: filter.translate_all(None, [""], search),  # type: ignore[arg-type]
    ):
        with pytest.raises(ValueError) as refusal:
            started()
        toys.assert_one_sentence(str(refusal.value), "beam_size", "pass at least 1, 0 and 0")


@pytest.fixture
def endless() -> Iterator[int]:
    """A stream of lines that does not end."""
    with subprocess.Popen(["yes", "cat dog"], stdout=subprocess.PIPE) as lines:
        assert lines.stdout
        yield lines.stdout.fileno()
        lines.kill()


def test_it_ends_when_nobody_reads_any_more(toy_run: Path, endless: int) -> None:
    with translating(toy_run, "--beam-size", "1", stdin=endless) as process:
        assert process.stdout and process.stderr
        assert read_line(process).endswith(b"\n")
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr.read() == b""


def test_an_interrupt_ends_with_130_after_whole_lines(toy_run: Path, endless: int) -> None:
    with translating(toy_run, "--beam-size", "1", stdin=endless) as process:
        first = read_line(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130 and err == b""
        assert (first + out).endswith(b"\n")


@pytest.mark.parametrize("beam_size", [1, 3])
def test_windows_change_neither_order_nor_translations(
    toy_run: Path, monkeypatch: pytest.MonkeyPatch, beam_size: int
) -> None:
    texts = [text if i % 5 else "" for i, text in enumerate(toys.sentences(31, seed=3, longest=12))]
    stdin = "".join(f"{text}\n" for text in texts).encode()
    wanted = tc.load_pretrained(toy_run).translate(texts, beam_size)
    for window in (1, 7, 2000):
        monkeypatch.setattr(filter, "WINDOW", window)
        done = toys.command("translate", "--checkpoint", toy_run, "--beam-size", beam_size, stdin=stdin)
        assert done.out.decode().split("\n")[:-1] == wanted


def test_every_batch_brings_lines_out(toy_run: Path) -> None:
    translator = fast_cpu.Translator.of(tc.load_pretrained(toy_run))
    texts = toys.sentences(300, seed=4, longest=40)
    parts = [*filter.translated(translator, texts, (8, 0.6, 3), filter.progress(None))]
    assert len(parts) > 3 and all(parts[:-1])
    assert [line for part in parts for line in part] == translator.translate(texts, 8, max_extra=3)


@pytest.mark.parametrize("beam_size", [1, 4, 9])
def test_a_window_is_searched_in_the_batches_of_translate_that_of_its_first_line_first(
    beam_size: int, monkeypatch: pytest.MonkeyPatch, toy_run: Path
) -> None:
    translator, searched = fast_cpu.Translator.of(tc.load_pretrained(toy_run)), []

    def search(model: object, src: tc.Tensor, *_: object) -> list[tc.Hypothesis]:
        searched.append(tuple(src.shape))
        return [tc.Hypothesis([tc.EOS], 0.0, 0.0)] * len(src)

    monkeypatch.setattr(beams, "beam_search", search)
    texts = [text * 9 for text in toys.sentences(400, seed=5, longest=40)]
    translator.translate(texts, beam_size)
    at_once = searched.copy()
    searched.clear()
    for _ in filter.translated(translator, texts, (beam_size, 0.6, 50), filter.progress(None)):
        pass
    assert sorted(searched) == sorted(at_once) and len(at_once) > 2
    assert searched[0][1] >= 1 + len(translator.tokenizer.encode(texts[0]))


@pytest.mark.parametrize("sizes", [[1 << 16], [1, 2, 3], [7]], ids=str)
def test_the_lines_of_a_stream_do_not_depend_on_how_it_comes(sizes: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(io.BytesIO):
        def read1(self, size: int = -1, /) -> bytes:
            return super().read1(min(size, random.Random(self.tell()).choice(sizes)))

    monkeypatch.setattr(filter, "WINDOW", 4)
    for text in (b"", b"\n", b"a", b"a\nb\n\n\nc\r\nd\ne\nf\n\ng", b"ab" * 50 + b"\n\n" + b"c" * 9):
        lines = [line for window in filter.windows(Broken(text)) for line in window]
        assert lines == (text.removesuffix(b"\n").split(b"\n") if text else [])
        assert all(len(window) <= 4 for window in filter.windows(Broken(text)))


def test_what_is_wrong_in_a_later_window_is_named_by_its_line(toy_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filter, "WINDOW", 2)
    bad = toys.command("translate", "--checkpoint", toy_run, stdin=b"cat\n" * 6 + b"\xff\n")
    assert bad.status == 2 and bad.out == b"" and "Line 7 " in bad.err
    long = toys.command(
        "translate", "--checkpoint", toy_run, "--beam-size", "1", stdin=b"cat\n" * 4 + b"dog " * 9999 + b"\nhen\n"
    )
    assert long.status == 0 and "line 5 stays empty" in long.err
    lines = long.out.split(b"\n")
    cat, hen = (line.encode() for line in tc.load_pretrained(toy_run).translate(["cat", "hen"], 1))
    assert lines == [*[cat] * 4, b"", hen, b""]


def test_a_terminal_is_asked_line_by_line(toy_run: Path) -> None:
    terminal, inner = pty.openpty()
    with translating(toy_run, stdin=inner, stdout=inner, stderr=inner) as process:
        shown_until(terminal, b"> ")
        os.write(terminal, b"cat dog\n")
        translation = tc.load_pretrained(toy_run).translate(["cat dog"])[0].encode()
        assert b"it/s" not in shown_until(terminal, translation + b"\r\n> ")
        os.write(terminal, b"\x04")
        assert process.wait(60) == 0


def test_progress_is_shown_on_a_terminal_alone(toy_run: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("cat dog\n" * 30)
    terminal, inner = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    with (tmp_path / "text").open() as text, translating(toy_run, stdin=text.fileno(), stderr=inner) as process:
        shown = shown_until(terminal, b"30/30")
        assert b"tokens/s" in shown and b"lines" in shown
        assert process.wait(60) == 0
    assert toys.command("translate", "--checkpoint", toy_run, stdin=b"cat\n").err == ""


def test_evaluate_shows_progress_on_a_terminal(toy_run: Path, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("cat dog\n" * 30)
    terminal, inner = pty.openpty()
    termios.tcsetwinsize(terminal, (24, 100))
    words = ["evaluate", "--checkpoint", toy_run, "--src", tmp_path / "text", "--ref", tmp_path / "text"]
    command = [sys.executable, toys.__file__, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=inner) as process:
        shown_until(terminal, b"30/30")
        assert process.wait(60) == 0


def test_control_characters_are_shown_and_not_sent(toy_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_cpu.Translator, "searched", lambda *_: iter([["\x1b[2Jcat\x00\x07\x7f\x9b é"]]))
    done = toys.command("translate", "--checkpoint", toy_run, stdin=b"cat\n")
    assert done.out.decode() == "␛[2Jcat␀␇␡\\x9b é\n"
