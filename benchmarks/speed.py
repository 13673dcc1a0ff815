"""Side by side with what people would pick instead: training, decoding, every attention weight.

    python -m benchmarks.speed --install     # once: torch.nn.Transformer is there, the other peers go into .peers/
    python -m benchmarks.speed               # all workloads at 1 and 2 threads, in about a quarter of an hour
    python -m benchmarks.speed --workloads T1 T2 --threads 1 --rounds 5
    python -m benchmarks.speed --resume      # leaves out what benchmarks/results/speed.json already holds

T1, T2 train the tiny and the base model, T3 the small one on sentences as short as everyday ones; D1, D2 decode with
the base model, greedily and by a beam of 4; A1 asks for every attention weight of one pair of sentences. All contenders
get the same batches and, but for joeynmt, hold the same weights, in turn, round by round, in one process;
benchmarks/README.md says what is measured and what came out.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import logging
import math
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from benchmarks import peers
from core_options import fast_cpu, packing, ways
from core_options.precision import autocast, products
from experiments import bench

HERE = Path(__file__).resolve().parent
PEERS, RESULTS = HERE.parent / ".peers", HERE / "results" / "speed.json"
VOCAB, PACKAGES = 8000, ("torch", "transformers", "ctranslate2", "joeynmt")
Work = Callable[[], float]  # does the work once and returns how many useful target tokens (or sentence pairs) it made


@dataclass(frozen=True)
class Workload:
    """One row of the table: what is done, by which preset, in what amount."""

    kind: str  # train, decode or look
    preset: str
    what: str
    tokens: int = 0  # real target tokens of a training batch
    beam_size: int = 1
    sentences: int = 0
    ragged: float = 0.0  # spread of target lengths around their sources'
    length: float = 25.0  # of a source in the mean, eos included


WORKLOADS = {
    "T1": Workload("train", "tiny", "training, tiny, 4,100 target tokens a batch, tokens/s", 4100),
    "T2": Workload("train", "base", "training, base, 1,040 target tokens a batch, tokens/s", 1040),
    "T1r": Workload("train", "tiny", "T1 with target lengths that vary, as real ones do, tokens/s", 4100, ragged=0.2),
    "T3": Workload("train", "small", "training, small, 2,500 tokens of short sentences, tokens/s", 2500, length=8),
    "D1": Workload("decode", "base", "greedy, base, 64 × 50 tokens, tokens/s", beam_size=1, sentences=64),
    "D2": Workload("decode", "base", "beam 4, base, 32 × 50 tokens, tokens/s", beam_size=4, sentences=32),
    "A1t": Workload("look", "tiny", "every attention weight of one 20-token pair, tiny, pairs/s"),
    "A1b": Workload("look", "base", "every attention weight of one 20-token pair, base, pairs/s"),
}
# what is to be reached: workload, peer, precisions, ratio
TARGETS = [
    ("T1", "torch.nn.Transformer", ("fp32", "bf16"), 1.25),
    ("T2", "torch.nn.Transformer", ("fp32", "bf16"), 1.15),
    ("D1", "HF Marian", ("fp32",), 1.9),
    ("D2", "HF Marian", ("fp32",), 3.0),
    *[(a1, "the fastest peer", ("fp32",), 1.0) for a1 in ("A1t", "A1b")],
]


# ─── the work ────────────────────────────────────────────────────────────────────────────────────────────────────────
def sentence_pairs(n: int, ragged: float = 0.0, seed: int = 0, mean: float = 25.0) -> list[tc.Pair]:
    """Made-up ids: lengths are lognormal with this mean and end at 100, eos included.

    A target is as long as its source, or longer or shorter by a lognormal factor.
    """
    rng, pairs = random.Random(seed), []

    def ids(n: float) -> list[int]:
        return rng.choices(range(4, VOCAB), k=min(99, max(1, round(n) - 1)))

    for _ in range(n):
        length = rng.lognormvariate(math.log(mean) - 0.5**2 / 2, 0.5)
        pairs.append((ids(length), ids(length * rng.lognormvariate(0, ragged))))
    return pairs


def made(workload: Workload) -> list[tc.Pair]:
    """The pairs of a training workload."""
    return sentence_pairs(2000, workload.ragged, mean=workload.length)


def useful_flop(config: tc.TransformerConfig, src: int, tgt: int) -> float:
    """Floating-point operations of a forward pass over one pair, lengths with eos: matrix products, no padding."""
    return 2.0 * sum(packing.multiply_adds(config, torch.tensor([src]), torch.tensor([tgt])).values())


def never_ending(model: tc.Transformer) -> tc.Transformer:
    """The model with an end of sentence that is never likely: feature 0 is large everywhere, and eos alone reads it."""
    with torch.no_grad():
        model.src_embedding.weight[:, 0] = 0.0
        model.src_embedding.weight[tc.EOS, 0] = -1.0
        model.decoder[-1].add_norm[-1].layer_norm.bias[0] = 100.0
    return model


@contextlib.contextmanager
def in_precision(precision: str) -> Iterator[None]:
    """fp32 exactly, medium (fp32 outside, whatever is fastest inside a product), or bf16 autocast."""
    with products(precision), autocast(torch.device("cpu"), precision):
        yield


def limit(precision: str, n: int = 1024) -> Work:
    """Products of two n × n matrices; counted in GFLOP, so that a rate is GFLOPS."""
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    a, b = (torch.randn(n, n).to(dtype) for _ in range(2))

    def work() -> float:
        with in_precision("medium" if precision == "medium" else "fp32"), torch.no_grad():
            for _ in range(8):
                torch.mm(a, b)
        return 8 * 2 * n**3 / 1e9

    return work


def training(peer: Any, batches: Sequence[tc.Batch], precision: str) -> Work:
    """One step on each batch: ours by its own trainer, a peer's with the same fused Adam, its loss read as ours is."""
    n_tokens = sum(batch.n_tokens for batch in batches)
    if isinstance(peer, peers.Ours):

        class Given:
            def epoch(self, number: int, start: int = 0) -> Iterator[tc.Batch]:
                return iter(batches[start:])

        steps = ways.train(peer.model, Given(), tc.TrainingConfig(precision=precision))  # type: ignore[arg-type]
        return lambda: float(sum(next(steps).n_tokens for _ in batches))
    adam = torch.optim.Adam(peer.parameters(), lr=1e-5, betas=(0.9, 0.98), eps=1e-9, fused=True)

    def work() -> float:
        peer.train()
        for batch in batches:
            adam.zero_grad(set_to_none=True)
            with in_precision(precision):
                loss = peer.loss(batch)
                loss.backward()
            adam.step()
            if not math.isfinite(loss.item()):
                raise FloatingPointError(f"{peer.name} has loss {loss.item()}.")
        return n_tokens

    return work


def decoding(peer: Any, src: torch.Tensor, beam_size: int, n: int = 50) -> Work:
    """Translate; every sentence is n tokens long, as none ends."""

    def work() -> float:
        with torch.no_grad():
            return float(sum(len(ids) for ids in peer.decode(src, beam_size, n)))

    return work


def looking(peer: Any, src: torch.Tensor, tgt_in: torch.Tensor) -> Work:
    """Every attention weight of one pair, several times over."""

    def work() -> float:
        with torch.no_grad():
            for _ in range(5):
                maps = peer.weights(src, tgt_in)
        assert len(maps) == 3 * peer.n_layers, f"{peer.name} gave {len(maps)} sets of weights"
        return 5.0

    return work


# ─── the contenders ──────────────────────────────────────────────────────────────────────────────────────────────────
def built(model: tc.Transformer, kinds: Sequence[Callable[[], Any]]) -> Iterator[Any]:
    """The contenders that are installed, with the model's weights, ours first; the others are named."""
    for kind in (lambda: peers.Ours(model), *kinds):
        try:
            peer = kind()
        except ImportError as error:
            say(f"left out, as it is not installed ({error}): see --install")
            continue
        if isinstance(peer, torch.nn.Module):
            peer.eval()
        peer.n_layers = model.config.n_layers
        yield peer


def check_losses(model: tc.Transformer, contenders: Sequence[Any], batch: tc.Batch) -> None:
    """All that can hold our weights must have our loss, or the work is not the same."""
    with torch.no_grad():
        ours = tc.label_smoothed_loss(model.eval()(batch.src, batch.tgt_in), batch.tgt_out).item()
        for peer in contenders:
            if hasattr(peer, "pairs") and abs((theirs := peer.loss(batch).item()) - ours) > 1e-4 * ours:
                raise ValueError(f"{peer.name} has loss {theirs}, ours {ours}, with equal weights: not the same work.")


def check_outputs(contenders: Sequence[Any], src: torch.Tensor, beam_size: int) -> None:
    """All that hold our weights in fp32 must find our translations, but for a rounding that tips a choice."""
    wanted: list[list[int]] = []
    for peer in contenders:
        if isinstance(peer, peers.JoeyNMT) or getattr(peer, "precision", "fp32") != "fp32":
            continue
        with contextlib.suppress(NotImplementedError), torch.no_grad():
            outputs = peer.decode(src, beam_size, 24)
            wanted = wanted or outputs
            if sum(a == b for a, b in zip(outputs, wanted, strict=True)) < 0.75 * len(src):
                raise ValueError(
                    f"{peer.name} decodes {outputs}, ours {wanted}, with equal weights: not the same work."
                )


def contests(workload: Workload, threads: int) -> dict[tuple[str, str], Work]:
    """What is timed in turn: (contender, precision) -> work."""
    torch.manual_seed(0)
    config = tc.TransformerConfig(VOCAB, **tc.PRESETS[workload.preset])
    model = tc.Transformer(config)
    table: dict[tuple[str, str], Work] = {("limit", p): limit(p) for p in ("fp32", "medium", "bf16")}
    simple = [lambda kind=kind: kind(model) for kind in (peers.TorchTransformer, peers.Marian, peers.JoeyNMT)]
    if workload.kind == "train":
        fast_cpu.keep_memory()  # for all alike
        batches = list(tc.make_batches(made(workload), workload.tokens))
        batches.sort(key=lambda batch: batch.src.size(1))
        batches = [batches[len(batches) * part // 10] for part in (3, 7)]
        contenders = list(built(model, simple))
        check_losses(model, contenders, tc.Batch.of([([5, 6, 7], [8, 9]), ([4], [5, 6, 7, 8])]))
        for peer in contenders:
            leading = isinstance(peer, peers.Ours | peers.TorchTransformer)
            for precision in ("fp32", "medium", "bf16") if leading else ("fp32",):
                table[peer.name, precision] = training(peer, batches, precision)
        return table
    ids = torch.randint(4, VOCAB, (max(1, workload.sentences), 20))
    ids[:, -1] = tc.EOS
    if workload.kind == "look":
        tgt_in = ids.roll(1, 1).masked_fill(ids.roll(1, 1) == tc.EOS, tc.BOS)
        return table | {(p.name, "fp32"): looking(p, ids, tgt_in) for p in built(model.eval(), simple)}
    model = never_ending(model).eval()
    kinds = [lambda p=p: peers.Ours(model, p) for p in ("bf16", "int8")]
    kinds += [*simple, *(lambda c=c: peers.CTranslate2(model, c, threads) for c in ("float32", "int8"))]
    contenders = list(built(model, kinds))
    check_outputs(contenders, ids[:4], workload.beam_size)
    for peer in contenders:
        if workload.beam_size > 1 and isinstance(peer, peers.TorchTransformer):
            continue
        no_cache = isinstance(peer, peers.TorchTransformer | peers.JoeyNMT)  # slow: a quarter of the sentences
        src = ids[: len(ids) // 4] if no_cache else ids
        table[peer.name, getattr(peer, "precision", "fp32")] = decoding(peer, src, workload.beam_size)
    return table


# ─── measuring ───────────────────────────────────────────────────────────────────────────────────────────────────────
def race(table: dict[tuple[str, str], Work], rounds: int, budget: float) -> dict[tuple[str, str], list[float]]:
    """Rates of all works, in turn, round by round, after one that warms up; three rounds, then as the budget of seconds
    allows. What took a quarter of the budget at once keeps that one figure."""
    now = bench.clock(torch.device("cpu"))

    def rate(work: Work) -> tuple[float, float]:
        began = now()
        amount = work()
        return amount / (seconds := now() - began), seconds

    rates: dict[tuple[str, str], list[float]] = {}
    spent = 0.0
    for name, work in table.items():
        first, seconds = rate(work)
        spent += seconds
        if slow := seconds > budget / 4:
            say(f"    {' '.join(name)}: one round is enough, it took {seconds:.0f} s")
        rates[name] = [first] if slow else []
    quick = [name for name, values in rates.items() if not values]
    for number in range(rounds):
        if number >= 3 and spent > budget:
            break
        random.Random(number).shuffle(quick)  # so that none always follows the same other
        for name in quick:
            figure, seconds = rate(table[name])
            rates[name].append(figure)
            spent += seconds
    return rates


def flop_per_token(name: str) -> float:
    """Useful operations for each token that the workload's rate counts (for each pair, in A1)."""
    workload = WORKLOADS[name]
    config = tc.TransformerConfig(VOCAB, **tc.PRESETS[workload.preset])
    if workload.kind == "train":
        lengths = [(len(src) + 1, len(tgt) + 1) for src, tgt in made(workload)]
        return 3 * sum(useful_flop(config, *pair) for pair in lengths) / sum(tgt for _, tgt in lengths)
    if workload.kind == "look":
        return useful_flop(config, 20, 20)
    width = workload.beam_size  # each hypothesis is worked, the source once
    return (useful_flop(config, 20, 0) + width * (useful_flop(config, 20, 50) - useful_flop(config, 20, 0))) / 50


def rows(name: str, threads: int, rates: dict[tuple[str, str], list[float]]) -> list[dict[str, Any]]:
    """One row for each contender: the median rate, its spread, useful GFLOPS and their share of the machine's limit."""
    limits = {precision: statistics.median(values) for (who, precision), values in rates.items() if who == "limit"}
    table = []
    for (who, precision), values in rates.items():
        rate = statistics.median(values)
        gflops = rate if who == "limit" else rate * flop_per_token(name) / 1e9
        row = dict(workload=name, threads=threads, contender=who, precision=precision, rate=rate)
        row |= dict(least=min(values), most=max(values), rounds=len(values), gflops=gflops)
        row |= dict(share_of_limit=gflops / limits[precision] if precision in limits else None)
        table.append({k: float(f"{v:.4g}") if isinstance(v, float) else v for k, v in row.items()})
    return table


def reached(cells: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The targets beside what was reached: ours over the peer, at one precision, in one run."""
    rate = {(c["workload"], c["threads"], c["contender"], c["precision"]): c["rate"] for c in cells}
    rows = []
    for workload, peer, precisions, target in TARGETS:
        for threads in sorted({c["threads"] for c in cells}):
            for precision in precisions:
                others = [r for (w, t, who, p), r in rate.items() if (w, t, p) == (workload, threads, precision)
                          and who not in ("ours", "limit") and peer in (who, "the fastest peer")]  # fmt: skip
                ours = rate.get((workload, threads, "ours", precision))
                if ours and others:
                    ratio = float(f"{ours / max(others):.3g}")
                    rows.append(dict(workload=workload, threads=threads, precision=precision, peer=peer,
                                      target=target, ratio=ratio))  # fmt: skip
    return rows


# ─── the report ──────────────────────────────────────────────────────────────────────────────────────────────────────
def say(message: str) -> None:
    """A line of progress."""
    print(message, file=sys.stderr, flush=True)


def versions() -> dict[str, str]:
    """Of what is compared."""
    versions = {}
    for name in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            versions[name] = importlib.metadata.version(name)
    return versions


def show(cells: Sequence[dict[str, Any]]) -> None:
    """Print the table of rates, ours over each contender, then the targets."""
    for name, threads in dict.fromkeys((c["workload"], c["threads"]) for c in cells):
        print(f"\n{name}, {threads} thread{'s' * (threads > 1)}: {WORKLOADS[name].what}")
        chosen = [c for c in cells if (c["workload"], c["threads"]) == (name, threads)]
        ours = {c["precision"]: c["rate"] for c in chosen if c["contender"] == "ours"}
        for c in chosen:
            limits, unit = c["contender"] == "limit", "GFLOPS" if c["contender"] == "limit" else ""
            ratio = ours.get(c["precision"], ours.get("fp32", 0.0)) / c["rate"]
            share = "" if limits or c["share_of_limit"] is None else f"{100 * c['share_of_limit']:5.0f} % of the limit"
            versus = "" if c["contender"] in ("ours", "limit") else f"ours × {ratio:.2f}"
            spread = f"{c['least']:.4g} to {c['most']:.4g}"
            print(f"  {c['contender']:22}{c['precision']:8}{c['rate']:9.4g} {unit:7}{spread:22}{share:24}{versus}")
    print()
    for t in reached(cells):
        verdict = "reached" if t["ratio"] >= t["target"] else "not reached"
        where = f"{t['workload']}, {t['threads']} thread(s), {t['precision']}"
        print(f"{where}: {t['ratio']:.2f} × {t['peer']}, target {t['target']}: {verdict}")


def measured(name: str, threads: int, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The cells of one workload; in a process of its own, so that what others left of memory does not count."""
    sys.path.append(str(arguments.peers))
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    os.environ["HF_HUB_OFFLINE"] = "1"
    torch.set_num_threads(threads)
    return rows(name, threads, race(contests(WORKLOADS[name], threads), arguments.rounds, arguments.budget))


def install(folder: Path) -> None:
    """The peers into a folder of their own: it is searched after the project's packages, and changes none of them."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
    subprocess.run([*pip, "-r", str(HERE / "peers.txt")], check=True)
    subprocess.run([*pip, "--no-deps", "joeynmt==2.3.0"], check=True)  # its requirements are a protobuf of 2022


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--install", action="store_true", help="put the peers into the folder of --peers, and stop")
    parser.add_argument("--peers", type=Path, default=PEERS, help="their folder (default: %(default)s)")
    parser.add_argument("--workloads", nargs="+", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9, help="at most so many, after one that warms up")
    parser.add_argument("--budget", type=float, default=40, help="seconds for each workload, after three rounds")
    parser.add_argument("--out", type=Path, default=RESULTS, help="the file of results (default: %(default)s)")
    parser.add_argument("--resume", action="store_true", help="keep what the file already holds")
    arguments = parser.parse_args()
    if arguments.install:
        return install(arguments.peers)
    sys.path.append(str(arguments.peers))
    old = json.loads(arguments.out.read_text()) if arguments.resume and arguments.out.exists() else {"cells": []}
    cells, code = [c for c in old["cells"] if c["workload"] in WORKLOADS], old.get("code")
    for threads in arguments.threads:
        for name in arguments.workloads:
            if any((c["workload"], c["threads"]) == (name, threads) for c in cells):
                continue
            say(f"{name}, {threads} thread{'s' * (threads > 1)}: {WORKLOADS[name].what}")
            with multiprocessing.get_context("spawn").Pool(1) as process:
                cells += process.apply(measured, (name, threads, arguments))
            command = " ".join(["python -m benchmarks.speed", *sys.argv[1:]])
            machine = dict(processor=bench.processor(), cores=os.cpu_count())
            about = bench.head("speed", command, machine=machine, versions=versions(), cells=cells)
            about |= dict(targets=reached(cells), workloads={name: w.what for name, w in WORKLOADS.items()})
            bench.write(arguments.out, about | dict(code=code or about["code"]))
    show(cells)


if __name__ == "__main__":
    main()
