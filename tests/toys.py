"""A toy language pair: "German" is English read backwards, learnt by a model of a few thousand numbers in seconds.

`python tests/toys.py train …` is the command line of transformer_core with one more preset, "toy"; in its environment,
TOY_KILL="os.replace 9" lets the ninth call of os.replace be the end of the process, and TOY_KILL="adam 2 1" the second
of Adam be that of the process of rank 1.
"""

import contextlib
import io
import os
import random
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import transformer_core as tc  # noqa: E402

TOY = dict(n_layers=1, d_model=24, d_ff=40, n_heads=2, d_k=10, d_v=14)
LAUNCHER = ("-m", "core_options.processes", "--nproc-per-node", "2")  # torchrun, that ends with one sentence
WORDS = ["ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen"]


def ending(translator: tc.Translator, device: str = "cpu") -> tc.Translator:
    """On that device; untrained, it would go on for long, and is pushed to the end of the sentence."""
    decode = translator.model.decode

    def ends(tgt_in: Any, memory: Any, src_mask: Any, cache: Any = (), past: Any = None) -> torch.Tensor:
        logits = decode(tgt_in, memory, src_mask, cache, past)
        logits[..., tc.EOS] += 9.0 * (cache[0][0].n > 5 if cache else 0)
        return logits

    translator.model.decode = ends  # type: ignore[method-assign]
    translator.model.to(device)
    return translator


def sentences(n: int, seed: int, longest: int = 6) -> list[str]:
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, longest))) for _ in range(n)]


def backwards(text: str) -> str:
    return " ".join(reversed(text.split()))


def write_corpus(folder: Path, n: int = 40, n_valid: int = 5, seed: int = 0) -> Path:
    """A data folder: train.en, train.de, valid.en, valid.de."""
    folder.mkdir(parents=True, exist_ok=True)
    for split, texts in (("train", sentences(n, seed)), ("valid", sentences(n_valid, seed + 1))):
        (folder / f"{split}.en").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        (folder / f"{split}.de").write_text("".join(f"{backwards(text)}\n" for text in texts), encoding="utf-8")
    return folder


def train_arguments(data: Path, out: Path, **changes: Any) -> list[str]:
    """The words of a `train` command on a toy; a change of None drops an argument, of True makes it a flag."""
    values = dict(data=data, out=out, preset="toy", vocab_size=290, steps=5, tokens_per_batch=60, warmup_steps=4,
                  peak_learning_rate=0.01, save_every=2, keep=2, bleu_sentences=3, device="cpu",
                  precision="fp32") | changes  # fmt: skip
    given = {f"--{name.replace('_', '-')}": value for name, value in values.items() if value is not None}
    return ["train", *(word for name, v in given.items() for word in ([name] if v is True else [name, str(v)]))]


class Outcome(NamedTuple):
    status: int
    out: bytes
    err: str


def command(*words: Any, stdin: bytes = b"") -> Outcome:
    """transformer_core's command line, called in this process with streams of its own."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with (
        mock.patch.dict(tc.PRESETS, toy=TOY),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8")),
        mock.patch.object(warnings, "showwarning", warnings.showwarning),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = tc.main([str(word) for word in words])
        except SystemExit as end:  # the parser's own way out
            status = end.code
    out.flush()
    return Outcome(status, out.buffer.getvalue(), err.getvalue())


def process(
    *words: Any, launcher: tuple[str, ...] = (), stdin: bytes = b"", timeout: float = 240, **env: str
) -> Outcome:
    """The same in a process of its own."""
    done = subprocess.run(
        [sys.executable, *launcher, str(Path(__file__)), *map(str, words)], input=stdin, capture_output=True,
        timeout=timeout, env=os.environ | {"OMP_NUM_THREADS": "1"} | env,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def assert_one_sentence(message: str, *needed: str) -> None:
    """One line, begun like a sentence and ended like one, that holds what is needed."""
    assert message.strip() == message and message.isprintable(), message
    assert message[0].isalnum() or message[0] in "/-_", message
    assert message[-1] in ".?" and "Traceback" not in message, message
    for part in needed:
        assert part in message, message


def assert_refused(done: Outcome, *needed: str) -> None:
    """Exit status 2, nothing on standard output, one sentence at the end of standard error."""
    assert done.status == 2, (done.status, done.err)
    assert done.out == b""
    assert "Traceback" not in done.err
    message = done.err.rstrip("\n").splitlines()[-1]
    assert message.startswith("Error: ") and done.err.count("\nError: ") <= 1, done.err
    assert_one_sentence(message.removeprefix("Error: "), *needed)


class Killed(BaseException):
    """What stands for SIGKILL within one process: nothing may catch it."""


def killed() -> None:
    raise Killed


@contextlib.contextmanager
def at_call(number: int, where: str, action: Callable[[], object] = killed) -> Iterator[list[int]]:
    """Do `action` just before the number-th call of where, one of the names in PLACES; yields the calls counted."""
    owner, name = PLACES[where]
    real, calls = getattr(owner, name), [0]

    def counting(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        if calls[0] == number:
            action()
        return real(*args, **kwargs)

    with mock.patch.object(owner, name, counting):
        yield calls


PLACES = {
    "os.replace": (os, "replace"),  # a file is written, and about to take its name
    "os.fsync": (os, "fsync"),  # a file may be half on the disk
    "shutil.rmtree": (shutil, "rmtree"),  # an old checkpoint is about to go
    "adam": (torch.optim.Adam, "step"),  # in the middle of an update
}


if __name__ == "__main__":
    tc.PRESETS["toy"] = TOY
    with contextlib.ExitStack() as stack:
        if place := os.environ.get("TOY_KILL"):
            where, number, *ranks = place.split()
            if not ranks or os.environ["RANK"] in ranks:
                stack.enter_context(at_call(int(number), where, lambda: os.kill(os.getpid(), signal.SIGKILL)))
        sys.exit(tc.main())
