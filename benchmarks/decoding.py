"""What a lower precision, or CTranslate2, costs in BLEU and wins in speed, on real sentences.

    python -m benchmarks.decoding --data DIR     # some minutes; writes benchmarks/results/decoding.json
    python -m benchmarks.decoding --data DIR --threads 2 --beams 4

The checkpoint tatoeba-en-de translates the test set of Multi30k (a folder that holds test_2016_flickr.en and .de; by
default the one in $TRANSFORMER_DATA) in fp32, bf16 and int8, and, where it is installed, by CTranslate2 with the very
weights, exported. All take turns in one process, a slice of the sentences at a time; ratios are medians over slices:
`times` says how many times as fast as "core fp32", `quartiles` how much that varies. With one thread the clock is the
process's own. What the file holds already is not measured again, so a stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import serving
from experiments import bench

CHECKPOINT, TEST = "tatoeba-en-de", "test_2016_flickr"
SLICES = 5  # of the test set


def translators(folder: Path, threads: int) -> dict[str, Callable[..., list[str]]]:
    """What turns lines into lines, with a beam of this width."""
    by_name: dict[str, Any] = {}
    for precision in ("fp32", "bf16", "int8"):
        by_name[f"core {precision}"] = serving.load_pretrained(CHECKPOINT, precision=precision).translate
    if not importlib.util.find_spec("ctranslate2"):
        return by_name
    translator, out = tc.load_pretrained(CHECKPOINT), folder / "exported"
    serving.export(translator, "ctranslate2", out)
    names: dict[str, Any] = {"__name__": "translate", "__file__": str(out / "translate.py")}
    exec((out / "translate.py").read_text(), names)  # as the exported folder translates
    pieces = dict(src=translator.tokenizer.processor, tgt=translator.tgt_tokenizer.processor)
    for kind in ("float32", "int8"):
        how = dict(intra_threads=threads, compute_type=kind)
        engine = importlib.import_module("ctranslate2").Translator(str(out), **how)
        by_name[f"CTranslate2 {kind}"] = functools.partial(names["translate"], translator=engine, **pieces)
    return by_name


def seconds(action: Callable[[], Any]) -> float:
    now = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    began = now()
    action()
    return now() - began


def row(beam: int, threads: int, name: str, taken: dict[str, list[float]], n: int) -> dict[str, Any]:
    """One result: sentences a second, and how many times as fast as core fp32 it was."""
    times = [base / own for base, own in zip(taken["core fp32"], taken[name], strict=True)]
    rate = n / sum(taken[name])
    return dict(
        beam=beam, threads=threads, name=name, rate=float(f"{rate:.4g}"),
        times=round(statistics.median(times), 3), quartiles=[round(q, 3) for q in statistics.quantiles(times, n=4)],
    )  # fmt: skip


def translated(data: Path, width: int, folder: Path, threads: int) -> Iterator[dict[str, Any]]:
    """Sentences a second and BLEU of every way to translate the test set."""
    sources, references = tc.read_parallel(data, TEST, "en", "de")
    rivals, lines = translators(folder, threads), dict[str, list[str]]()
    taken: dict[str, list[float]] = {name: [] for name in rivals}
    for name, translate in rivals.items():
        translate(sources[:20], beam_size=width)  # once without a clock
        lines[name] = []
    for i in range(SLICES):
        for name, translate in rivals.items():
            work = functools.partial(translate, sources[i::SLICES], beam_size=width)
            taken[name].append(seconds(lambda name=name, work=work: lines[name].extend(work())))
    wanted = [reference for i in range(SLICES) for reference in references[i::SLICES]]
    for name in rivals:
        same = sum(ours == theirs for ours, theirs in zip(lines["core fp32"], lines[name], strict=True))
        bleu = round(tc.corpus_bleu(lines[name], wanted)[0].score, 2)
        yield row(width, threads, name, taken, len(sources)) | dict(bleu=bleu, same_as_fp32=same)


def main() -> None:
    root = os.environ.get("TRANSFORMER_DATA")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(root, "multi30k") if root else None, required=not root)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--beams", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "decoding.json")
    options = parser.parse_args()
    about = bench.head(
        "decoding", "python -m benchmarks.decoding", machine=bench.machine() | {"threads": "see each row"},
        unit="sentences a second", test=TEST, checkpoint=CHECKPOINT,
    )  # fmt: skip
    if importlib.util.find_spec("ctranslate2"):
        about["peers"] = {"ctranslate2": importlib.import_module("ctranslate2").__version__}
    runs = bench.earlier(options.out, about)
    for threads in options.threads:
        torch.set_num_threads(threads)
        for width in options.beams:
            if any((run["beam"], run["threads"]) == (width, threads) for run in runs):
                continue
            with tempfile.TemporaryDirectory() as folder:
                runs += (new_runs := list(translated(options.data, width, Path(folder), threads)))
            bench.write(options.out, about | dict(runs=runs))
            for run in new_runs:
                print(*(f"{name} {value}" for name, value in run.items()), flush=True)


if __name__ == "__main__":
    main()
