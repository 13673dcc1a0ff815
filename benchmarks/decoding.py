"""How fast translations come out of a CPU, and what a lower precision costs in BLEU.

    python -m benchmarks.decoding [--threads 1 2] [--data multi30k] [--out benchmarks/results/decoding.json]

D1: greedy, the base model, 64 sentences to 50 tokens each. D2: the same with a beam of 4 and 32 sentences. Weights
are random, sources 26 tokens long, the vocabulary has 8,000 pieces; no sentence ends early, so that all have the same
work. Rivals, where they are installed (pip install ctranslate2 transformers): Hugging Face's Marian of the same size,
and CTranslate2 with the very weights, exported. A1: one pair of 20 tokens, every attention weight kept, tiny and
base. "translate": the checkpoint tatoeba-en-de on a test set of Multi30k (a folder with test_2016_flickr.en and .de,
by default the one in $TRANSFORMER_DATA), whole sentences through `translate`, with their BLEU.

All rivals of a workload take turns in one process, and ratios are medians over the rounds: `times` says how many
times as fast as "core fp32", `quartiles` how much that varies. With one thread the clock is the process's own. What
the file holds already is not measured again, so a stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

import serving
import transformer_core as tc
from benchmarks.breaking import save
from benchmarks.complexity import machine
from benchmarks.variations import earlier

CHECKPOINT, TEST = "tatoeba-en-de", "test_2016_flickr"
VOCABULARY, SOURCE, TOKENS = 8000, 26, 50
DECODED = {"D1": (64, 1), "D2": (32, 4)}  # sentences, beam
ROUNDS = {"D1": 5, "D2": 3, "A1 tiny": 60, "A1 base": 15}
SLICES = 5  # of the test set; the rivals take turns slice by slice
Rivals = dict[str, Callable[[], Any]]


# ─── Random weights ──────────────────────────────────────────────────────────────────────────────────────────────────
class Endless(tc.Transformer):
    """Ends no sentence before its limit."""

    def decode(self, *args: Any, **more: Any) -> Tensor:
        return super().decode(*args, **more).index_fill_(-1, torch.tensor(tc.EOS), -math.inf)


def of_class(model: tc.Transformer, kind: type[tc.Transformer]) -> tc.Transformer:
    model.__class__ = kind  # the same weights; only how its sentences end differs
    return model


def saved(preset: str, folder: Path) -> Path:
    """A checkpoint of random weights of a preset, with a tokenizer of 8,000 pieces."""
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(VOCABULARY, **tc.PRESETS[preset]))
    tokenizer = tc.load_pretrained(CHECKPOINT).tokenizer
    tc.save_checkpoint(folder / preset, model.config, tc.weights_of(model), tokenizer)
    return folder / preset


def marian(preset: str) -> Any:
    """Hugging Face's Marian in the size of a preset."""
    transformers, size = importlib.import_module("transformers"), tc.TransformerConfig(VOCABULARY, **tc.PRESETS[preset])
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in dict(layers=size.n_layers, ffn_dim=size.d_ff, attention_heads=size.n_heads).items()
    }
    config = transformers.MarianConfig(
        vocab_size=VOCABULARY, d_model=size.d_model, activation_function="relu", scale_embedding=True, **sides,
        pad_token_id=tc.PAD, bos_token_id=tc.BOS, eos_token_id=tc.EOS, decoder_start_token_id=tc.BOS,
        forced_eos_token_id=None,
    )  # fmt: skip
    torch.manual_seed(0)
    return transformers.MarianMTModel(config).eval()


def searches(workload: str, folder: Path, threads: int) -> Rivals:
    """What D1 or D2 measures."""
    n, width = DECODED[workload]
    generator = torch.Generator().manual_seed(1)
    src = torch.randint(4, VOCABULARY, (n, SOURCE), generator=generator)
    src[:, -1] = tc.EOS
    path = saved("base", folder)

    def core(precision: str) -> Callable[[], Any]:
        model = of_class(tc.load_pretrained(path, precision=precision).model, Endless)
        return lambda: tc.beam_search(model, src, width, 0.6, TOKENS - SOURCE + 1)

    rivals = {f"core {precision}": core(precision) for precision in ("fp32", "bf16", "int8")}
    if importlib.util.find_spec("transformers"):
        peer, more = marian("base"), {} if width == 1 else dict(num_beams=width, length_penalty=0.6)
        told = dict(attention_mask=torch.ones_like(src), max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False)
        rivals["Marian fp32"] = torch.inference_mode()(lambda: peer.generate(input_ids=src, **told, **more))
    texts = [tc.load_pretrained(path).tokenizer.pieces(row) for row in src[:, :-1].tolist()]
    exact = dict(beam_size=width, min_decoding_length=TOKENS, max_decoding_length=TOKENS, max_batch_size=0)
    for kind in ("float32", "int8") if importlib.util.find_spec("ctranslate2") else ():
        engine = exported(path, folder, kind, threads)[0]
        rivals[f"CTranslate2 {kind}"] = functools.partial(engine.translate_batch, texts, **exact)
    return rivals


def exported(checkpoint: str | Path, folder: Path, kind: str, threads: int) -> tuple[Any, tc.Tokenizer]:
    """CTranslate2 on a checkpoint, through `export`."""
    translator, out = tc.load_pretrained(checkpoint), folder / f"{Path(checkpoint).name} {kind}"
    if not out.exists():
        serving.export(translator, "ctranslate2", out, "float32")
    engine = importlib.import_module("ctranslate2").Translator(str(out), intra_threads=threads, compute_type=kind)
    return engine, translator.tokenizer


def watched(preset: str, folder: Path) -> Rivals:
    """What A1 measures: one pair of 20 tokens, every attention weight kept."""
    src, tgt_in = torch.randint(4, VOCABULARY, (2, 1, 20), generator=torch.Generator().manual_seed(1))
    model = tc.load_model(saved(preset, folder))

    def core() -> None:
        with torch.no_grad(), tc.record(model, "*.weights"):
            model(src, tgt_in)

    rivals: Rivals = {"core fp32": core}
    if importlib.util.find_spec("transformers"):
        peer = marian(preset)
        peer.set_attn_implementation("eager")  # the one that gives its weights
        rivals["Marian fp32"] = torch.no_grad()(
            lambda: peer(input_ids=src, decoder_input_ids=tgt_in, output_attentions=True)
        )
    return rivals


# ─── The clock ───────────────────────────────────────────────────────────────────────────────────────────────────────
def seconds(action: Callable[[], Any]) -> float:
    now = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    began = now()
    action()
    return now() - began


def in_turn(rivals: Rivals, rounds: int) -> dict[str, list[float]]:
    """Seconds of each rival in each round, after one that is not counted."""
    taken = [{name: seconds(action) for name, action in rivals.items()} for _ in range(rounds + 1)][1:]
    return {name: [one[name] for one in taken] for name in rivals}


def row(workload: str, threads: int, name: str, taken: dict[str, list[float]], work: float) -> dict[str, Any]:
    """One rival's result: its rate (work a second), and how many times as fast as core fp32 it was."""
    times = [base / own for base, own in zip(taken["core fp32"], taken[name], strict=True)]
    rate = work / statistics.median(taken[name])
    return dict(
        workload=workload, threads=threads, name=name, rate=float(f"{rate:.4g}"),
        times=round(statistics.median(times), 3), quartiles=[round(q, 3) for q in statistics.quantiles(times, n=4)],
    )  # fmt: skip


# ─── Real sentences ──────────────────────────────────────────────────────────────────────────────────────────────────
def translators(folder: Path, threads: int) -> dict[str, Callable[[list[str], int], list[str]]]:
    """What turns lines into lines, with a beam of this width."""
    found: dict[str, Any] = {}
    for precision in ("fp32", "bf16", "int8"):
        found[f"core {precision}"] = tc.load_pretrained(CHECKPOINT, precision=precision).translate
    for kind in ("float32", "int8") if importlib.util.find_spec("ctranslate2") else ():
        engine, tokenizer = exported(CHECKPOINT, folder, kind, threads)
        names: dict[str, Any] = {"__name__": "translate", "__file__": str(folder / f"{CHECKPOINT} {kind}/translate.py")}
        exec(Path(names["__file__"]).read_text(), names)  # as the exported folder translates
        fixed = dict(translator=engine, src=tokenizer.processor, tgt=tokenizer.processor)
        found[f"CTranslate2 {kind}"] = functools.partial(names["translate"], **fixed)
    return found


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
        found = row(f"translate, beam {width}", threads, name, taken, len(sources) / SLICES)
        same = sum(ours == theirs for ours, theirs in zip(lines["core fp32"], lines[name], strict=True))
        yield found | dict(bleu=round(tc.corpus_bleu(lines[name], wanted)[0].score, 2), same_as_fp32=same)


# ─── Command line ────────────────────────────────────────────────────────────────────────────────────────────────────
def results(workload: str, threads: int, data: Path | None, folder: Path) -> list[dict[str, Any]]:
    """The rows of one workload."""
    torch.set_num_threads(threads)
    if workload.startswith("translate"):
        return list(translated(data, int(workload[-1]), folder, threads)) if data else []
    kind, _, preset = workload.partition(" ")
    rivals = watched(preset, folder) if kind == "A1" else searches(workload, folder, threads)
    work = 1 if kind == "A1" else DECODED[workload][0] * TOKENS
    taken = in_turn(rivals, ROUNDS[workload])
    return [row(workload, threads, name, taken, work) for name in rivals]


def main() -> None:
    root = os.environ.get("TRANSFORMER_DATA")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--data", type=Path, default=Path(root, "multi30k") if root else None)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "decoding.json")
    workloads = ["D1", "D2", "A1 tiny", "A1 base", "translate, beam 1", "translate, beam 4"]
    parser.add_argument("--only", nargs="+", choices=workloads, default=workloads, metavar="WORKLOAD")
    options = parser.parse_args()
    versions = {
        name: importlib.import_module(name).__version__
        for name in ("ctranslate2", "transformers")
        if importlib.util.find_spec(name)
    }
    about = dict(
        command="python -m benchmarks.decoding", machine=machine("cpu") | {"threads": "see each row"}, peers=versions,
        unit="tokens a second (D1, D2), passes a second (A1), sentences a second (translate)", test=TEST,
        checkpoint=CHECKPOINT, source_tokens=SOURCE, tokens=TOKENS, vocabulary=VOCABULARY,
    )  # fmt: skip
    options.out.parent.mkdir(parents=True, exist_ok=True)
    runs = earlier(options.out, about)
    for threads in options.threads:
        for workload in options.only:
            if any((one["workload"], one["threads"]) == (workload, threads) for one in runs):
                continue
            with tempfile.TemporaryDirectory() as folder:
                runs += results(workload, threads, options.data, Path(folder))
            save(options.out, about, runs)
            for one in runs:
                if (one["workload"], one["threads"]) == (workload, threads):
                    print(*(f"{name} {value}" for name, value in one.items()), flush=True)
    if options.data is None:
        print("Without --data no sentences were translated and no BLEU was taken.", file=sys.stderr)


if __name__ == "__main__":
    main()
