"""The command line with all that this folder has: transformer_core.main takes these commands where they are to be had.

train       the core's run in full (runs), worked in the fastest way (ways)
translate   of a checkpoint that has been checked (safekeeping), faster and in a lower precision (serving)
evaluate    the same
average     also in half the size
export      for another program to serve (serving)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import transformer_core as tc
from core_options import safekeeping, serving
from core_options.runs import train_command
from core_options.serving import export_command


@dataclass(frozen=True, kw_only=True)
class SearchArguments(tc.SearchArguments):
    """Which model translates, and how it searches."""

    precision: str = "fp32"  # fp32, or for speed bf16 or int8

    def translator(self) -> tc.Translator:
        return serving.load_pretrained(self.checkpoint, self.device, self.precision)


def translate_command(search: SearchArguments) -> int:
    """Translate standard input, UTF-8, to standard output: one line for each line read, in order."""
    return tc.translate_command(search)


def evaluate_command(search: SearchArguments, src: str, ref: str, lowercase: bool = False) -> int:
    """Translate a file and print sacreBLEU's score against the reference, with its signature.

    Args:
        src: file of source sentences, one a line (also .gz)
        ref: file of reference translations, line for line
        lowercase: ignore case in the score
    """
    return tc.evaluate_command(search, src, ref, lowercase)


def average_command(run: str, /, out: str, last: int = 5, dtype: str = "float32") -> int:
    """Average the last checkpoints of a run (section 6.1) into a new checkpoint folder.

    Args:
        run: folder of the run, which holds step-N folders
        out: folder of the new checkpoint
        last: how many
        dtype: how the weights are stored, float32 or float16 (half the size)
    """
    if dtype not in ("float32", "float16"):
        raise ValueError(f"dtype is {dtype!r}; choose float32 or float16.")
    for folder in tc.step_folders(run)[-1:]:
        safekeeping.check_checkpoint(folder)
    status = tc.average_command(run, out, last)
    if dtype == "float16":
        translator = tc.load_pretrained(out)
        weights = {name: weight.half() for name, weight in tc.weights_of(translator.model).items()}
        tokenizers = translator.tokenizer, translator.tgt_tokenizer
        tc.save_checkpoint(Path(out), translator.model.config, weights, *tokenizers)
    return status


COMMANDS = (train_command, translate_command, evaluate_command, average_command, export_command)
