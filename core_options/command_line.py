"""The command line with all that this folder has: transformer_core.main takes these commands where they are to be had.

train       the core's run in full (runs), worked in the fastest way (ways)
translate   of a checkpoint that has been checked (safekeeping), faster and in a lower precision (serving)
evaluate    the same
average     also in half the size
export      for another program to serve (serving)
version     of this and of what it stands on
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

import transformer_core as tc
from core_options import endings, fast_cpu, filter, safekeeping, serving
from core_options.runs import train_command
from core_options.serving import export_command


@dataclass(frozen=True, kw_only=True)
class SearchArguments(tc.SearchArguments):
    """Which model translates, and how it searches."""

    max_extra: int = 50  # tokens that a translation may have more than its source
    device: str = "auto"  # auto, cpu, cuda, mps
    precision: str = "fp32"  # fp32, or for speed bf16 or int8

    def translator(self) -> fast_cpu.Translator:
        return serving.load_pretrained(self.checkpoint, self.device, self.precision)

    def translate(self, texts: Sequence[str]) -> list[str]:
        return filter.translate_all(self.translator(), texts, (self.beam_size, self.alpha, self.max_extra))


def translate_command(search: SearchArguments) -> int:
    """Translate standard input, UTF-8, to standard output: one line for each line read, in order, as it is done."""
    endings.need_streams("stdin", "stdout")
    return filter.run(search.translator, (search.beam_size, search.alpha, search.max_extra))


def evaluate_command(search: SearchArguments, src: str, ref: str, lowercase: bool = False) -> int:
    """Translate a file and print sacreBLEU's score against the reference, with its signature.

    Args:
        src: file of source sentences, one a line (also .gz)
        ref: file of reference translations, line for line
        lowercase: ignore case in the score
    """
    endings.need_streams("stdout")
    for path in (src, ref):
        safekeeping.check_text(Path(path))
    with endings.writing():
        return tc.evaluate_command(search, src, ref, lowercase)


def average_command(run: str, /, out: str, last: int = 5, dtype: str = "float32", overwrite: bool = False) -> int:
    """Average the last checkpoints of a run (section 6.1) into a new checkpoint folder.

    Args:
        run: folder of the run, which holds step-N folders
        out: folder of the new checkpoint
        last: how many
        dtype: how the weights are stored, float32 or float16 (half the size)
        overwrite: replace the checkpoint that is in OUT; other files there stay
    """
    if dtype not in ("float32", "float16"):
        raise ValueError(f"dtype is {dtype!r}; choose float32 or float16.")
    folders = tc.step_folders(run)
    if not 1 <= last <= len(folders):
        problem = f"--last is {last}, but {run} holds {len(folders)} step-N folders"
        raise ValueError(f"{problem}; ask for at least one, and for no more than there are.")
    safekeeping.check_checkpoint(folders[-1])
    with safekeeping.new_folder(out, overwrite, safekeeping.LARGEST) as folder:
        newest, weights = tc.load_pretrained(folders[-1]), tc.average_checkpoints(folders[-last:])
        safekeeping.check_finite(weights, Path(run))
        weights = {name: weight.to(getattr(torch, dtype)) for name, weight in weights.items()}
        tc.save_checkpoint(folder, newest.model.config, weights, newest.tokenizer, newest.tgt_tokenizer)
    tc.say(f"{out} is the mean of {', '.join(folder.name for folder in folders[-last:])}.")
    return 0


def version_command() -> int:
    """Print the versions of this and of what it stands on, and where the notebooks are (also: attention --version)."""
    print("python", platform.python_version())
    for name in ("attention-is-all-you-need-explained", "torch", "sentencepiece", "safetensors", "sacrebleu"):
        try:
            print(name, importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            print(name, "(not installed by pip)")
    folder = Path(tc.__file__).resolve().parent / "notebooks"
    print("notebooks in", folder if folder.is_dir() else "the project's repository: clone it to open them")
    return 0


ALL = (train_command, translate_command, evaluate_command, average_command, export_command, version_command)
COMMANDS = tuple(endings.ending_well(command) for command in ALL)
