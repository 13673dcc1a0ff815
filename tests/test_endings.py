"""Whatever goes wrong on the command line ends in one sentence and status 2, or quietly where nobody listens."""

import gzip
import json
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import safetensors.torch
import torch
import toys
from toys import assert_refused

import transformer_core as tc
from core_options import fast_cpu, safekeeping

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def model(toy_run: Path, tmp_path: Path) -> Path:
    """A good checkpoint, to be damaged."""
    (tmp_path / "model").mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        shutil.copy(toy_run / name, tmp_path / "model")
    return tmp_path / "model"


def translate(checkpoint: Path, stdin: bytes = b"cat\n", *words: Any) -> toys.Outcome:
    return toys.command("translate", "--checkpoint", checkpoint, *words, stdin=stdin)


# ─── Memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("width", [10**9, 10**15, 10**18])
def test_a_beam_that_no_memory_holds_is_refused(toy_run: Path, width: int) -> None:
    assert_refused(translate(toy_run, b"cat\n", "--beam-size", width, "--device", "cpu"), "--beam-size")


@pytest.mark.parametrize(
    "error", [MemoryError(), torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")]
)
def test_a_batch_that_no_memory_holds_names_what_to_lower(tmp_path: Path, error: Exception) -> None:
    words = toys.train_arguments(toys.write_corpus(tmp_path / "data"), tmp_path / "run")
    with mock.patch.object(fast_cpu.LikeLengths, "part_sums", side_effect=error):
        assert_refused(toys.command(*words), "--tokens-per-batch", "--accumulate", "memory")
    assert toys.command(*words).status == 0  # nothing is in the way of another try


def test_another_fault_is_not_taken_for_a_lack_of_memory(toy_run: Path) -> None:
    with (
        mock.patch.object(fast_cpu.beams, "beam_search", side_effect=RuntimeError("something else")),
        pytest.raises(RuntimeError, match="something else"),
    ):
        translate(toy_run)


# ─── Streams ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def in_shell(line: str, *words: Any) -> toys.Outcome:
    """The command in a shell's line, in which $0 stands for it."""
    command = " ".join([sys.executable, str(toys.__file__), *map(str, words)])
    done = subprocess.run(["sh", "-c", line.replace("$0", command)], capture_output=True, timeout=200)
    return toys.Outcome(done.returncode, done.stdout, done.stderr.decode())


@pytest.mark.parametrize(("closed", "needed"), [("<&-", "input"), (">&-", "output"), (">/dev/full", "No space")])
def test_a_closed_or_full_stream_is_one_sentence(toy_run: Path, closed: str, needed: str) -> None:
    done = in_shell(f"echo cat | $0 {closed}", "translate", "--checkpoint", toy_run)
    assert_refused(done, f"tandard {needed}" if "put" in needed else needed)


def test_an_interrupt_while_python_imports_shows_no_traceback() -> None:
    for loaded in ("_json", "libtorch_cpu"):
        with subprocess.Popen(
            [sys.executable, str(toys.ROOT / "transformer_core.py"), "translate", "--checkpoint", "tatoeba-en-de"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as process:  # fmt: skip
            while loaded not in Path(f"/proc/{process.pid}/maps").read_text():
                assert process.poll() is None
                time.sleep(0.001)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        assert process.returncode in (-signal.SIGINT, 128 + signal.SIGINT)
        assert out == b"" and b"transformer_core" not in err


# ─── Options ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("option", ["clip_norm", "peak_learning_rate", "minutes", "p_drop", "beta1", "eps_adam"])
@pytest.mark.parametrize("value", ["nan", "inf"])
def test_train_takes_finite_numbers_alone(tmp_path: Path, option: str, value: str) -> None:
    data = toys.write_corpus(tmp_path / "data")
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", **{option: value}))
    assert_refused(done, f"--{option.replace('_', '-')} is {value}")
    assert not (tmp_path / "run").exists()


def test_meta_is_no_device_to_compute_on(toy_run: Path, tmp_path: Path) -> None:
    assert_refused(translate(toy_run, b"cat\n", "--device", "meta"), "meta")
    words = toys.train_arguments(toys.write_corpus(tmp_path / "data"), tmp_path / "run", device="meta")
    assert_refused(toys.command(*words), "meta")


@pytest.mark.parametrize("out", ["/proc/nowhere/run", "/dev/null/run", "x" * 300])
def test_an_impossible_folder_is_named(toy_run: Path, tmp_path: Path, out: str) -> None:
    data = toys.write_corpus(tmp_path / "data")
    place = Path(out) if out.startswith("/") else tmp_path / out
    assert_refused(toys.command(*toys.train_arguments(data, place)), str(place))
    assert_refused(toys.command("average", toy_run, "--last", "1", "--out", place), str(place))


# ─── Checkpoints ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_no_numbers_are_refused(toy_run: Path, model: Path, tmp_path: Path, value: float) -> None:
    weights = safetensors.torch.load_file(model / "model.safetensors")
    name = sorted(weights)[2]
    weights[name].view(-1)[3] = value
    safetensors.torch.save_file(weights, model / "model.safetensors")
    assert_refused(translate(model), "model.safetensors", name)
    shutil.copytree(toy_run, tmp_path / "run")
    shutil.copy(model / "model.safetensors", tmp_path / "run" / "step-20")
    done = toys.command("average", tmp_path / "run", "--last", "2", "--out", tmp_path / "mean")
    assert_refused(done, str(tmp_path / "run"), name)
    assert not (tmp_path / "mean").exists()


@pytest.mark.parametrize(
    ("changes", "needed"),
    [(dict(rotary=True), "'rotary'"), (dict(kind="mamba"), "'mamba'"), ({"\x1b[2J" * 99: 1}, "[2J")],
    ids=["a field", "a kind", "a long name"],
)  # fmt: skip
def test_a_checkpoint_of_a_later_version_is_called_so(model: Path, changes: dict[str, Any], needed: str) -> None:
    values = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(values | changes))
    done = translate(model)
    assert_refused(done, needed, "later version", "config.json")
    assert len(done.err) < 500 + len(str(model))


@pytest.mark.parametrize("window", [2**63 + 1, 10**30 + 1])
def test_a_window_beyond_64_bits_is_refused(model: Path, window: int) -> None:
    values = json.loads((model / "config.json").read_text())
    (model / "config.json").write_text(json.dumps(values | dict(window=window)))
    assert_refused(translate(model), "window", "config.json")


def test_a_reason_is_neither_empty_nor_nested(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"cannot be read \(EOFError\)"), tc.reading("here"):
        raise EOFError
    (tmp_path / "latin").write_bytes(b"caf\xe9\n")
    with pytest.raises(ValueError) as caught:
        safekeeping.check_text(tmp_path / "latin")
    assert str(caught.value).startswith("Line 1 of ") and "cannot be read" not in str(caught.value)


# ─── Texts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_byte_order_mark_is_no_part_of_the_text(toy_run: Path, tmp_path: Path) -> None:
    for texts in (b"cat dog\nhen\n", b"cat dog"):
        assert translate(toy_run, b"\xef\xbb\xbf" + texts).out == translate(toy_run, texts).out
    for ending in ("", ".gz"):
        path = tmp_path / f"marked{ending}"
        text = b"\xef\xbb\xbfcat\n\xef\xbb\xbfdog\n"
        path.write_bytes(gzip.compress(text) if ending else text)
        assert tc.read_lines(path) == ["cat", "\ufeffdog"]
    (tmp_path / "bad").write_bytes(b"\xef\xbb\xbf\n\xff")
    with pytest.raises(ValueError, match="Line 2 "):
        safekeeping.check_text(tmp_path / "bad")


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_lines_that_end_in_carriage_returns_alone_are_refused(toy_run: Path, tmp_path: Path, ending: str) -> None:
    text = b"cat dog\rhen\reel\r"
    assert_refused(translate(toy_run, text), "carriage returns", "tr ")
    data = toys.write_corpus(tmp_path / "data")
    for name in ("train.en", "train.de"):
        (data / name).unlink()
        (data / f"{name}{ending}").write_bytes(gzip.compress(text) if ending else text)
    assert_refused(toys.command(*toys.train_arguments(data, tmp_path / "run")), "train.en", "carriage returns")
    words = ("--src", data / f"train.en{ending}", "--ref", data / f"train.de{ending}")
    assert_refused(toys.command("evaluate", "--checkpoint", toy_run, *words), "train.en", "carriage returns")


def test_a_gz_that_unpacks_without_end_is_not_read(
    toy_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safekeeping, "UNPACKED", 1 << 22)
    data = toys.write_corpus(tmp_path / "data")
    (data / "train.en").unlink()
    (data / "train.en.gz").write_bytes(gzip.compress(b"cat\n" * (1 << 21)))
    done = toys.command(*toys.train_arguments(data, tmp_path / "run"))
    assert_refused(done, "train.en.gz", f"{1 << 22:,}")
    with pytest.raises(ValueError, match="unpacks"):
        safekeeping.check_text(data / "train.en.gz")


def test_pairs_that_are_hardly_meant_are_counted(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    (data / "train.en").write_text("cat dog\n\nhen\nant\n\nbee eel\n" * 5)
    (data / "train.de").write_text("dog cat\nhen\n\nant\n\nbee eel\n" * 5)
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", steps=1))
    assert done.status == 0
    assert "of 30 pairs of training text, 10 have one side empty and are left out and 10 have two identical" in done.err
