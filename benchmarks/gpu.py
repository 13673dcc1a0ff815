"""What an NVIDIA GPU makes of the core, in ten minutes: steps of base and big, decoding, Multi30k to 41 BLEU.

    python -m benchmarks.gpu [--minutes 10] [--multi30k DIR] [--bleu 41] [--device cuda] [--small] [--out FILE]

A step is the core's own at 25,000 source and 25,000 target tokens, sentences of lognormal lengths (mean about 25, at
most 100), vocabulary 37,000: padded and packed, as they are, compiled, and compiled with CUDA graphs. Each variant is
warmed up, then timed in blocks of steps that end when the GPU has ended; the fastest block counts. What fails is
written down with its reason, what no longer fits into the minutes as left out; the file is written after every
finding. --small: sizes for a processor, where compiling means torch's "eager" backend. DIR holds train.en, train.de,
test_2016_flickr.en and test_2016_flickr.de (or .gz). What was predicted and what was found: benchmarks/gpu.md.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from torch.profiler import ProfilerActivity, profile

import transformer_core as tc
from core_options import fast_cpu, packing, schedule, ways
from core_options.precision import autocast
from experiments import bench

OUT = Path(__file__).resolve().parent / "results" / "gpu.json"
PAPER_STEPS = {"base": 100_000, "big": 300_000}  # section 5.2


@dataclass(frozen=True)
class Sizes:
    """How large everything is."""

    presets: tuple[str, ...] = ("base", "big")
    tokens: int = 25_000
    vocabulary: int = 37_000
    batches: int = 8  # in the corpus, all seen before the clock runs
    steps: int = 10  # of a block
    blocks: int = 3
    sentences: int = 512  # decoded at a time
    extra: int = 25  # target tokens beyond the source's
    shape: dict[str, Any] = field(default_factory=lambda: {"d_model": 256, "d_ff": 1024, "n_heads": 4, "d_k": 64})
    captions: dict[str, Any] = field(
        default_factory=lambda: dict(steps=6000, warmup_steps=1000, peak_learning_rate=2e-3, cooldown_steps=3000)
    )
    every: int = 500  # steps between scores


SMALL = Sizes(
    ("tiny",), 300, 500, 2, 2, 1, 4, 3, {"d_model": 32, "d_ff": 64, "n_heads": 2, "d_k": 16},
    dict(steps=8, warmup_steps=4, peak_learning_rate=2e-3, cooldown_steps=2), 4,
)  # fmt: skip

# The first is what there was before; packed ones need bf16 and attention over unequal lengths.
VARIANTS: dict[str, dict[str, Any]] = {
    "padded": dict(packed="no"),
    "packed": dict(packed="yes"),
    "packed, compiled": dict(packed="yes", compiled=True),
    "packed, compiled, CUDA graphs": dict(packed="yes", compiled=True, mode="reduce-overhead"),
    "padded, compiled": dict(packed="no", compiled=True),
}


def corpus(sizes: Sizes) -> tc.Batches:
    """Sentences of made-up ids, their lengths lognormal with mean about 25, the target's near the source's."""
    generator = torch.Generator().manual_seed(0)
    n = sizes.batches * sizes.tokens // 25
    lengths = (3.05 + 0.6 * torch.randn(n, generator=generator)).exp()
    near = lengths * (0.15 * torch.randn(n, generator=generator)).exp()
    sides = [x.clamp(2, 99).round().int().tolist() for x in (lengths, near)]
    ids = torch.randint(4, sizes.vocabulary, (200,), generator=generator).tolist()
    return tc.make_batches([(ids[:s], ids[100 : 100 + t]) for s, t in zip(*sides, strict=True)], sizes.tokens)


@contextlib.contextmanager
def compiling(device: torch.device, mode: str | None) -> Iterator[None]:
    """torch.compile as this variant wants it; on a processor without the compiler."""
    torch._dynamo.reset()
    options: dict[str, Any] = {"mode": mode} if device.type == "cuda" else {"backend": "eager"}
    with mock.patch.object(torch, "compile", functools.partial(torch.compile, **options)):
        yield


def wait(device: torch.device) -> None:
    """Until the GPU has ended what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize()


def time_steps(preset: str, variant: dict[str, Any], sizes: Sizes, device: torch.device) -> dict[str, Any]:
    """Seconds of a step, the arithmetic it needed, its share of the nominal rate and its memory."""
    changes = dict(variant)
    mode = changes.pop("mode", None)
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(sizes.vocabulary, **tc.PRESETS[preset]))
    config = tc.TrainingConfig(steps=10**6, device=device.type)
    if device.type == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    with compiling(device, mode):
        began, batches = time.perf_counter(), corpus(sizes)
        state = tc.TrainingState(model, config)
        way = ways.pick_way(state, batches, **changes)
        steps = ways.train(model, batches, config, state, way)
        for _ in range(len(batches)):  # every batch once
            next(steps)
        wait(device)
        warm, best, flop, tokens = time.perf_counter() - began, float("inf"), 0.0, 0
        for _ in range(sizes.blocks):
            began = time.perf_counter()
            block = [(next(steps), way.batch) for _ in range(sizes.steps)]
            wait(device)
            if (took := (time.perf_counter() - began) / len(block)) < best:
                best = took
                flop = sum(packing.step_flop(model.config, batch) for _, batch in block if batch) / len(block)
                tokens = sum(step.n_tokens for step, _ in block) // len(block)
        where = spent(steps, device)
        steps.close()
    measures: dict[str, Any] = {"seconds": best, "warming up": warm, "target tokens": tokens, "TFLOP": flop / 1e12}
    measures |= {"TFLOP/s": flop / best / 1e12, "tokens/s": tokens / best}
    if nominal := packing.peak(device):
        measures["MFU"] = flop / best / nominal
    if device.type == "cuda":
        measures["GB"] = torch.cuda.max_memory_allocated() / 1e9
    return measures | where


def spent(steps: Iterator[Any], device: torch.device, n: int = 3) -> dict[str, Any]:
    """Where a step's time goes: kernels and their seconds in all, those of the longest, and the wait for a batch."""
    kind, clock = (
        (ProfilerActivity.CUDA, "self_device_time_total")
        if device.type == "cuda"
        else (ProfilerActivity.CPU, "self_cpu_time_total")
    )
    with profile(activities=[kind]) as profiled:
        began = time.perf_counter()
        worked = sum(next(steps).seconds for _ in range(n))
        between = (time.perf_counter() - began - worked) / n
        wait(device)
    each = {x.key[:60]: (getattr(x, clock) / n / 1e6, x.count / n) for x in profiled.key_averages()}
    longest = sorted(each, key=lambda name: each[name], reverse=True)[:8]
    seconds, counts = zip(*each.values(), strict=True)
    return {
        "kernels": sum(counts), "seconds in kernels": sum(seconds), "seconds between steps": between,
        "longest": {name: each[name][0] for name in longest},
    }  # fmt: skip


def compare_losses(sizes: Sizes, device: torch.device) -> dict[str, Any]:
    """The losses of three steps without dropout, padded and packed, and how far they are apart."""
    losses = []
    for packed in ("no", "yes"):
        torch.manual_seed(0)
        model = tc.Transformer(tc.TransformerConfig(sizes.vocabulary, **tc.PRESETS[sizes.presets[0]], p_drop=0.0))
        state = tc.TrainingState(model, tc.TrainingConfig(steps=3, device=device.type))
        batches = corpus(sizes)
        way = ways.pick_way(state, batches, packed)
        losses.append([step.loss for step in ways.train(model, batches, state=state, way=way)])
    return {"padded": losses[0], "packed": losses[1], "apart": max(abs(a - b) for a, b in zip(*losses, strict=True))}


def decode(beam_size: int, precision: str, sizes: Sizes, device: torch.device) -> dict[str, Any]:
    """Target tokens a second, of a model that has learned nothing and so runs to the limit."""
    torch.manual_seed(0)
    config = tc.TransformerConfig(sizes.vocabulary, **tc.PRESETS[sizes.presets[0]])
    model, best, n_tokens = tc.Transformer(config).to(device), float("inf"), 0
    src = torch.randint(4, sizes.vocabulary, (sizes.sentences, 25), device=device)
    src[:, -1] = tc.EOS
    for _ in range(3):
        began = time.perf_counter()
        with autocast(device, precision):
            hypotheses = fast_cpu.beam_search(model, src, beam_size, 0.6 if beam_size > 1 else 0.0, sizes.extra)
        wait(device)
        best, n_tokens = min(best, time.perf_counter() - began), sum(len(hypothesis.ids) for hypothesis in hypotheses)
    return {"seconds": best, "sentences": len(src), "tokens": n_tokens, "tokens/s": n_tokens / best}


def captions(folder: Path, goal: float, sizes: Sizes, device: torch.device, deadline: float) -> dict[str, Any]:
    """Seconds of training until Multi30k's test set of 2016 reaches so much BLEU (lower case, beam 4), and every score.

    The seconds are those of the steps; learning the vocabulary and scoring are not in them, but in "wall".
    """
    began = time.perf_counter()
    pairs = [(s.lower(), t.lower()) for s, t in zip(*tc.read_parallel(folder, "train", "en", "de"), strict=True)]
    sources, references = tc.read_parallel(folder, "test_2016_flickr", "en", "de")
    tokenizer = tc.Tokenizer.train((text for pair in pairs for text in pair), 6000)
    changes = sizes.shape | {"d_v": sizes.shape["d_k"], "n_layers": 3, "p_drop": 0.3}
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **changes))
    config = schedule.TrainingConfig(device=device.type, clip_norm=1.0, **sizes.captions)
    batches = tc.make_batches([(tokenizer.encode(s), tokenizer.encode(t)) for s, t in pairs], 4096)
    seconds, scores, reached = 0.0, list[dict[str, float]](), None
    for step in ways.train(model, batches, config):
        seconds += step.seconds
        if step.step % sizes.every and step.step < config.steps:
            continue
        lines = fast_cpu.Translator(model, tokenizer).translate([text.lower() for text in sources], 4, 0.6)
        bleu = tc.corpus_bleu(lines, references, lowercase=True)[0].score
        scores.append({"step": step.step, "seconds": seconds, "BLEU": bleu})
        if bleu >= goal:
            reached = seconds
            break
        if time.perf_counter() > deadline:
            break
    score = "sacreBLEU, 13a, lower case, beam 4, alpha 0.6, test_2016_flickr"
    wall = time.perf_counter() - began
    return {"goal": goal, "seconds to the goal": reached, "scores": scores, "wall": wall, "score": score}


class Report:
    """What was found so far, and its file."""

    def __init__(self, made: dict[str, Any], out: Path, deadline: float):
        self.made, self.out, self.deadline = made, out, deadline

    def add(self, name: str, find: Callable[[], dict[str, Any]]) -> None:
        """Find it, if there is time, and write it down; or why not."""
        if time.perf_counter() > self.deadline:
            outcome: dict[str, Any] = {"left out": "no time was left"}
        else:
            try:
                outcome = bench.rounded(find())
            except Exception as error:
                outcome = {"failed": f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"}
        self.made["found"][name] = outcome
        shown = {key: value for key, value in outcome.items() if not isinstance(value, list | dict)}
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in shown.items()), flush=True)
        bench.write(self.out, self.made)

    def project(self) -> dict[str, Any]:
        """Hours of the paper's runs at the fastest step found."""
        hours = {}
        for preset, steps in PAPER_STEPS.items():
            timed = [x for name, x in self.made["found"].items() if name.startswith(f"{preset}, ") and "seconds" in x]
            if timed:
                hours[f"{preset}, {steps:,} steps"] = min(x["seconds"] for x in timed) * steps / 3600
        return hours or {"left out": "neither base nor big was timed"}


def run(report: Report, sizes: Sizes, device: torch.device, multi30k: Path | None, bleu: float) -> None:
    """Everything, the most wanted first."""
    report.add("matrix products", lambda: {"TFLOP/s": bench.product_tflops(device)})
    report.add("packed against padded", lambda: compare_losses(sizes, device))
    for name, variant in VARIANTS.items():
        for preset in sizes.presets:
            report.add(f"{preset}, {name}", functools.partial(time_steps, preset, variant, sizes, device))
        if name == "packed, compiled":
            for beam_size in (1, 4):
                for precision in ("bf16", "fp32"):
                    find = functools.partial(decode, beam_size, precision, sizes, device)
                    report.add(f"decoding, beam {beam_size}, {precision}", find)
            if multi30k:
                report.add("Multi30k", lambda: captions(multi30k, bleu, sizes, device, report.deadline))
    report.deadline = float("inf")  # what follows is no more than arithmetic
    report.add("hours", report.project)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="nothing new is begun after so many")
    parser.add_argument("--multi30k", type=Path, help="its folder; without it that part is left out")
    parser.add_argument("--bleu", type=float, default=41, help="the goal on Multi30k")
    parser.add_argument("--device", default="cuda", help="cuda, or cpu with --small")
    parser.add_argument("--small", action="store_true", help="sizes for a processor, to see that it runs")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    try:
        device = tc.pick_device(options.device)
    except ValueError as error:
        parser.error(f"{error} On a machine without a GPU: --device cpu --small.")
    if device.type != "cuda" and not options.small:
        parser.error(f"--device is {options.device}, which would take days; add --small, or use a CUDA machine.")
    words = [word for word in sys.argv[1:] if word not in ("--out", str(options.out))]
    command = " ".join(["python -m benchmarks.gpu", *words])
    made = bench.head("gpu", command, machine=bench.machine(device.type), found={})
    if nominal := packing.peak(device):
        made["nominal TFLOP/s"] = nominal / 1e12
    report = Report(made, options.out, time.perf_counter() + 60 * options.minutes)
    run(report, SMALL if options.small else Sizes(), device, options.multi30k, options.bleu)


if __name__ == "__main__":
    main()
