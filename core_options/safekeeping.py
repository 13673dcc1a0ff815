"""Folders that one can trust: a checkpoint from a stranger, and a run that a kill or a second process might spoil.

The command line calls this; who loads a stranger's checkpoint in Python calls `load_pretrained` of this page, not the
core's. Nothing is ever unpickled, with it or without: a checkpoint is JSON, safetensors and a SentencePiece model.

    1  Strangers   links out of the folder, files without end, configurations that the weights do not fill
    2  Folders     what is written takes its name when it is whole, and replaces nothing unless it is asked to
    3  Runs        one process at a time, in a folder of its own; what a killed one left half-written goes
"""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import importlib
import importlib.util
import json
import math
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch

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
    "pairs.bin": MANY,
}
UNPACKED = 1 << 31  # bytes that a .gz of text may hold
PARTS = tuple(f"{name}.part" for name in LARGEST)  # while they are written
PLACE = {"step": int, "epoch": int, "index": int, "seconds": float}  # where a training stands
CHECKPOINTS = re.compile(r"best|averaged|step-\d+(\.part)?")  # the folders in a run's


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


def check_version(path: Path) -> None:
    """Refuse a configuration with what this version has no word for."""
    with tc.reading(path):
        values = dict(json.loads(path.read_bytes()))
    if values.get("kind") == "recurrent" or "cell" in values:
        return  # whoever reads it says how it is loaded
    fields = {field.name for model in tc.MODELS.values() for field in dataclasses.fields(model.config_class)}
    unknown = [f"{name[:40]!r}" for name in values.keys() - fields - {"kind"}]
    if isinstance(kind := values.get("kind"), str) and kind not in tc.MODELS:
        unknown.append(f"the kind {kind[:40]!r}")
    if unknown:
        problem = f"{path} has {', '.join(sorted(unknown)[:3])}, which this version does not know"
        raise ValueError(f"{problem}; it is of a later version, or damaged: update this project, or get it anew.")


def check_finite(weights: tc.Weights, source: Path) -> None:
    """Refuse weights that are no numbers."""
    for name, weight in weights.items():
        if not weight.isfinite().all():
            problem = f"{source} holds weights that are no finite numbers, in {name!r}"
            raise ValueError(f"{problem}; get it anew, or train again, e.g. with --clip-norm 1.")


def check_text(path: Path) -> None:
    """Refuse a text that is not UTF-8, lines that end in carriage returns alone, a .gz of more than UNPACKED bytes."""
    if not path.is_file():
        return
    packed = path.suffix == ".gz"
    with tc.reading(path), opened(path) as file:
        text = file.read(1 << 20)
        size = len(text)
        while packed and size <= UNPACKED and (more := len(file.read(1 << 20))):
            size += more
    if size > UNPACKED and packed:
        raise ValueError(f"{path} unpacks to more than {UNPACKED:,} bytes; unpack it yourself if it is to be trusted.")
    if b"\r" in text.rstrip(b"\r") and b"\n" not in text:
        raise ValueError(f"The lines of {path} end in carriage returns alone; convert them, as by: tr '\\r' '\\n'.")
    with tc.reading(path), opened(path) as file:
        wrong = next((number for number, line in enumerate(file, 1) if not is_utf8(line)), None)
    if wrong:
        raise ValueError(f"Line {wrong} of {path} is not valid UTF-8; convert the text to UTF-8 first.")


def opened(path: Path) -> Any:
    """A file, unpacked where it is a .gz."""
    return gzip.open(path) if path.suffix == ".gz" else open(path, "rb")


def is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def check_checkpoint(folder: Path) -> None:
    """Refuse a folder whose files are not to be trusted, or whose weights cannot fill the model that it describes.

    The model is not built for it: a configuration that lies of its size costs no memory.
    """
    check_folder(folder)
    check_version(folder / "config.json")
    config, path = tc.read_config(folder), folder / "model.safetensors"
    if not isinstance(config.window, int | None):
        raise ValueError(
            f"{folder / 'config.json'} has the window {config.window!r}; it must be a whole number or null."
        )
    tensors, _ = shapes(path)
    held = sum(math.prod(shape) for shape in tensors.values())
    if least_size(config) > held or config.n_layers > len(tensors):
        problem = f"{path} holds {held:,} numbers in {len(tensors):,} tensors, too few for the model of its config.json"
        raise ValueError(f"{problem}; get both anew.")


def load_pretrained(name_or_path: str | Path, device: str = "cpu") -> tc.Translator:
    """The core's, of a folder that has been checked."""
    folder = tc.find_checkpoint(name_or_path)
    check_checkpoint(folder)
    translator = tc.load_pretrained(name_or_path, device)
    check_finite(dict(translator.model.named_parameters()), folder / "model.safetensors")
    return translator


def check_state(path: Path) -> None:
    """Refuse a saved training, and the log beside it, that do not say what they should."""
    check_folder(path.parent)
    tensors, metadata = shapes(path)
    try:
        place, about = json.loads(metadata["place"]), json.loads(metadata["about"])
        right = {name: type(value) for name, value in place.items()} == PLACE and min(place.values()) >= 0
        right &= isinstance(about.get("arguments", {}), dict)
        right &= all(type(x) in (int, float, type(None)) for x in about.get("length", {}).values())
        right &= all(isinstance(score, float) for score in about.get("best", []))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
        right = False
    if not right:
        raise ValueError(f"{path} is no saved training; it holds weights only, or is from elsewhere.")
    for name, shape in ((name[6:], shape) for name, shape in tensors.items() if name.startswith("model.")):
        needed = {"step": (), "exp_avg": shape, "exp_avg_sq": shape} if place["step"] else {}
        moments = {moment: tensors.get(f"adam.{moment}.{name}") for moment in needed}
        if moments != needed:
            raise ValueError(f"{path} is no saved training; Adam's moments of {name!r} have the shapes {moments}.")
    check_log(path.with_name("log.jsonl"))


def check_log(path: Path) -> None:
    """Refuse a log whose lines are not JSON with a step."""
    for number, line in enumerate(tc.read_lines(path) if path.exists() else (), 1):
        with tc.reading(f"{path}, line {number},"):
            if type(json.loads(line)["step"]) is not int:
                raise TypeError("its step is no number")


# ─── 2 Folders ───────────────────────────────────────────────────────────────────────────────────────────────────────
def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove the files of these names, and the folder where nothing else is in it; a link is not followed."""
    for name in () if folder.is_symlink() else names:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            (folder / name).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()


@contextlib.contextmanager
def new_folder(out: str | Path, overwrite: bool, names: Iterable[str]) -> Iterator[Path]:
    """A folder to write to, which becomes `out` when all is written, whole or not at all.

    names: of the files that may be written, as a kill may have left them. overwrite: they replace files of the same
    name in `out`, one by one, where others stay. ValueError: `out` holds something, and is not to be overwritten.
    """
    home = Path(os.path.abspath(out))
    if os.path.lexists(home) and not home.is_dir():
        raise ValueError(f"{out} is there already, and is no folder; name another.")
    if home.is_dir() and not overwrite and any(home.iterdir()):
        raise ValueError(f"{out} is there already; name a new folder, or add --overwrite to replace what is in it.")
    part = home.with_name(f"{home.name}.part")
    remove(part, names)
    with tc.reading(part, "written", "may you write there, and is nothing in its place"):
        part.mkdir(parents=True)
    try:
        yield part
        if not home.exists():
            part.rename(home)
        for path in [*part.glob("*")]:
            os.replace(path, home / path.name)
    finally:
        shutil.rmtree(part, ignore_errors=True)


# ─── 3 Runs ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def checkpoints_of(run: Path) -> list[Path]:
    """The folders of checkpoints in a run's folder, those on their way out too; ValueError: one of them is a link."""
    folders = [path for path in run.glob("*") if CHECKPOINTS.fullmatch(path.name)]
    for folder in folders:
        if folder.is_symlink():
            raise ValueError(f"{folder} is a link, and training would write where it leads; remove it first.")
    return [folder for folder in folders if folder.is_dir()]


def refuse_others(run: Path) -> None:
    """Refuse a folder that holds anything and is no run's: a model alone, somebody's files."""
    if os.path.lexists(run) and not run.is_dir():
        raise ValueError(f"{run} is no folder; name another --out.")
    if (run / "state.safetensors").exists():
        return
    for path in run.glob("*"):
        if path.name != "state.safetensors.part":  # the first that training writes
            problem = f"{run} holds {path.name}, and no run that it is part of"
            raise ValueError(f"{problem}; name another --out, or add --overwrite to train there all the same.")


def claim(run: Path) -> None:
    """Make a folder a run's before anything else is written there; what another run has left there goes."""
    metadata = {"place": json.dumps({name: kind() for name, kind in PLACE.items()}), "about": "{}"}
    tc.write_atomically(run / "state.safetensors", safetensors.torch.save({}, metadata))
    clear(run, [name for name in LARGEST if name != "state.safetensors"])


def clear(run: Path, names: Iterable[str]) -> None:
    """Remove a run's checkpoints, what is half-written, and of its own files those of these names."""
    for folder in checkpoints_of(run):
        remove(folder, [*LARGEST, *PARTS])
    remove(run, [*names, *PARTS])


def is_claimed(run: Path) -> bool:
    """Whether a run has been begun in this folder, and nothing of it saved."""
    with contextlib.suppress(ValueError):
        return not shapes(run / "state.safetensors")[0]
    return False


def settle(folder: Path) -> None:
    """Let the names of what was written in a folder outlive a power cut, where the system can."""
    with contextlib.suppress(OSError):  # Windows cannot
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)


def retire(checkpoint: Path) -> None:
    """Remove an old checkpoint, at once no checkpoint any more; what somebody has put beside it stays."""
    part = checkpoint.rename(f"{checkpoint}.part")
    if {path.name for path in part.iterdir()} <= LARGEST.keys():
        shutil.rmtree(part)
    else:
        remove(part, LARGEST)
        part.rename(checkpoint)


def tidy(run: Path) -> None:
    """Remove what a killed training has left half-written."""
    for folder in checkpoints_of(run):
        remove(folder, [*PARTS, *(LARGEST if folder.suffix == ".part" else ())])
    for name in PARTS:
        (run / name).unlink(missing_ok=True)


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep a run's folder for this process until it ends, however it ends; what a killed one left half-written goes.

    The lock is on the folder itself and leaves no file behind. On Windows, and where the file system has none, a second
    process is not noticed.
    """
    with tc.reading(folder, "written", "may you write there"):
        folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as leaving:
        if importlib.util.find_spec("fcntl"):
            leaving.callback(os.close, lock(folder))
        tidy(folder)
        try:
            yield
        finally:
            if is_claimed(folder):  # nothing came of it
                clear(folder, LARGEST)
            with contextlib.suppress(OSError):
                folder.rmdir()


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
