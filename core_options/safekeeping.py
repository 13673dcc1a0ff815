"""Folders that one can trust: a checkpoint from a stranger, and a run that a kill or a second process might spoil.

The command line calls this; who loads a stranger's checkpoint in Python calls `load_pretrained` of this page, not the
core's. Nothing is ever unpickled, with it or without: a checkpoint is JSON, safetensors and a SentencePiece model.

    1  Strangers   links out of the folder, files without end, configurations that the weights do not fill
    2  Runs        one process at a time; what a killed one left half-written goes
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import safetensors

import transformer_core as tc
from core_options.context_aware import ContextConfig

MANY = 1 << 60
# Bytes that a file may have. A vocabulary of 250,000 pieces has 5 MB; weights cost no memory before they are asked for.
LARGEST = {
    "config.json": 1 << 20,
    "tokenizer.model": 1 << 24,
    "tgt_tokenizer.model": 1 << 24,
    "model.safetensors": MANY,
    "state.safetensors": MANY,
    "log.jsonl": 1 << 32,
}
PLACE = {"step": int, "epoch": int, "index": int, "seconds": float}  # where a training stands


# ─── 1 Strangers ─────────────────────────────────────────────────────────────────────────────────────────────────────
def check_folder(folder: Path) -> None:
    """Refuse what leads out of a checkpoint's folder, and what would hang or fill the memory when it is read."""
    home = os.path.realpath(folder)
    for path in folder.glob("*"):
        if path.is_symlink() and os.path.commonpath([home, os.path.realpath(path)]) != home:
            raise ValueError(f"{path} is a link that leads out of its folder; put there what it leads to.")
        most = LARGEST.get(path.name)
        if most and not path.is_file():
            raise ValueError(f"{path} cannot be read (it is no plain file); is it there, and whole?")
        if most and path.stat().st_size > most:
            raise ValueError(f"{path} has {path.stat().st_size:,} bytes, and may have {most:,}; get it anew.")


def shapes(path: Path) -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
    """The shapes of the tensors in a safetensors file, of which none is read, and its metadata."""
    with tc.reading(path), safetensors.safe_open(path, framework="pt") as file:
        names = file.keys()
        return {name: tuple(file.get_slice(name).get_shape()) for name in names}, file.metadata() or {}


def least_size(config: tc.TransformerConfig) -> int:
    """How many numbers such a model holds at least: its embeddings, positions and projections, without the biases."""
    c = config
    rows = c.vocab_size + (c.tgt_vocab_size or 0) + (2 * c.max_len if c.positions == "learned" else 0)
    deep = isinstance(c, ContextConfig) and "deep" in (c.context or "")
    context = c.n_heads * c.d_k * math.comb(c.n_layers, 2) if deep else 0
    return c.d_model * (rows + context + c.n_layers * (6 * c.n_heads * (c.d_k + c.d_v) + 4 * c.d_ff))


def check_checkpoint(folder: Path) -> None:
    """Refuse a folder whose files are not to be trusted, or whose weights cannot fill the model that it describes.

    The model is not built for it: a configuration that lies of its size costs no memory.
    """
    check_folder(folder)
    config, path = tc.read_config(folder), folder / "model.safetensors"
    tensors, _ = shapes(path)
    held = sum(math.prod(shape) for shape in tensors.values())
    if least_size(config) > held or config.n_layers > len(tensors):
        problem = f"{path} holds {held:,} numbers in {len(tensors):,} tensors, too few for the model of its config.json"
        raise ValueError(f"{problem}; get both anew.")


def load_pretrained(name_or_path: str | Path, device: str = "cpu") -> tc.Translator:
    """The core's, of a folder that has been checked."""
    check_checkpoint(tc.find_checkpoint(name_or_path))
    return tc.load_pretrained(name_or_path, device)


def check_state(path: Path) -> None:
    """Refuse a saved training, and the log beside it, that do not say what they should."""
    check_folder(path.parent)
    tensors, metadata = shapes(path)
    try:
        place, about = json.loads(metadata["place"]), json.loads(metadata["about"])
        right = {name: type(value) for name, value in place.items()} == PLACE and min(place.values()) >= 0
        right &= isinstance(about.get("arguments", {}), dict)
        right &= all(isinstance(score, float) for score in about.get("best", []))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        right = False
    if not right:
        raise ValueError(f"{path} is no saved training; it holds weights only, or is from elsewhere.")
    for name, shape in ((name[6:], shape) for name, shape in tensors.items() if name.startswith("model.")):
        needed = {"step": (), "exp_avg": shape, "exp_avg_sq": shape} if place["step"] else {}
        found = {moment: tensors.get(f"adam.{moment}.{name}") for moment in needed}
        if found != needed:
            raise ValueError(f"{path} is no saved training; Adam's moments of {name!r} have the shapes {found}.")
    check_log(path.with_name("log.jsonl"))


def check_log(path: Path) -> None:
    """Refuse a log whose lines are not JSON with a step."""
    for number, line in enumerate(tc.read_lines(path) if path.exists() else (), 1):
        with tc.reading(f"{path}, line {number},"):
            if type(json.loads(line)["step"]) is not int:
                raise TypeError("its step is no number")


# ─── 2 Runs ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a run's folder for this process until it ends, however it ends; what a killed one left half-written goes.

    The lock is on the folder itself and leaves no file behind. On Windows, and where the file system has none, a second
    process is not noticed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as leaving:
        if importlib.util.find_spec("fcntl"):
            leaving.callback(os.close, lock(folder))
        for place in ("", "best/", "averaged/", "step-*/"):
            for left in [*folder.glob(f"{place}*.part")]:
                shutil.rmtree(left) if left.is_dir() and not left.is_symlink() else left.unlink()
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                folder.rmdir()  # where nothing came of it


def lock(folder: Path) -> int:
    """An open folder that no other process can lock before it is closed, which the system does when this one dies."""
    fcntl: Any = importlib.import_module("fcntl")
    place = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(place)
        raise ValueError(f"Another process trains in {folder}; wait until it ends, or name another --out.") from None
    except OSError:
        pass  # some network file systems have no locks
    return place
