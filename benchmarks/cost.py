"""What a training step costs in time and memory against length, width and batch, and the slope of each curve.

    python -m benchmarks.cost [--rounds 7] [--threads 1] [--device cpu] [--small] [--out FILE]

Forward, loss and backward of one model of two layers on each side; one size is doubled again and again while the others
stand still. All points take turns, round after round, so that a busy moment meets all alike; the least of the rounds is
written. Memory is what is allocated at the peak above the weights, as the allocator counts it: on a CPU the bytes kept
for the backward pass. The slope is that of a straight line through the last points of a curve, both axes logarithmic:
2 means that twice the size costs four times as much. The expected slope is that of `packing.multiply_adds` over the
same points; in the limit, far beyond them, it would be 2 for length and width, 1 for the batch.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options import fast_cpu, packing
from experiments import bench

OUT = Path(__file__).resolve().parent / "results" / "cost_cpu.json"
MIDDLE = {"length": 64, "width": 256, "batch": 8}  # what stands still while another one grows
CURVES = {
    "length": (32, 64, 128, 256, 512, 1024),
    "width": (64, 128, 256, 512, 1024),
    "batch": (1, 2, 4, 8, 16, 32),
}
SMALL = {"length": (8, 16, 32), "width": (16, 32, 64), "batch": (1, 2, 4)}
LIMITS = {"length": (2, 2), "width": (2, 1), "batch": (1, 1)}  # exponents of time and memory where the size is all
FITTED = 3  # the last points of a curve, where what is large has the say
VOCABULARY, HEAD = 2000, 32


def point(curve: str, size: int, middle: dict[str, int]) -> dict[str, int]:
    """All three sizes of one point of a curve; a longer sentence is alone in its batch, to fit."""
    return {**middle, curve: size} | ({"batch": 1} if curve == "length" else {})


def model_of(width: int, vocabulary: int = VOCABULARY) -> tc.Transformer:
    """Two layers on each side, the paper's proportions: d_ff = 4 · d_model, heads of one width."""
    head = min(HEAD, width)
    sizes = dict(n_layers=2, d_model=width, d_ff=4 * width, n_heads=width // head, d_k=head, d_v=head, p_drop=0.0)
    torch.manual_seed(0)
    return tc.Transformer(tc.TransformerConfig(vocabulary, **sizes))


class Workload:
    """A training step without the optimiser, at one point."""

    def __init__(self, sizes: dict[str, int], device: torch.device):
        self.model, self.device = model_of(sizes["width"]).to(device), device
        ids = torch.randint(4, VOCABULARY, (sizes["batch"], 2, sizes["length"] - 1))
        self.batch = tc.Batch.of([(source, target) for source, target in ids.tolist()]).to(device)
        self.flop = packing.step_flop(self.model.config, self.batch)

    def loss(self) -> torch.Tensor:
        on_cpu = self.device.type == "cpu"
        with fast_cpu.kernel(self.model, fast_cpu.attention if on_cpu else tc.attention):
            logits = self.model(self.batch.src, self.batch.tgt_in)
        return (fast_cpu.objective if on_cpu else tc.objective)(logits, self.batch.tgt_out, 0.1)[0]

    def run(self) -> float:
        """The seconds of one step."""
        self.model.zero_grad(set_to_none=True)
        began = time.perf_counter()
        self.loss().backward()
        if self.device.type == "cuda":
            torch.cuda.synchronize()
        return time.perf_counter() - began

    def memory(self) -> int:
        """Bytes for a step beside the weights: kept for the backward pass (CPU), or allocated at the peak (CUDA)."""
        if self.device.type == "cuda":
            torch.cuda.reset_peak_memory_stats()
            before = torch.cuda.memory_allocated()
            self.run()
            return torch.cuda.max_memory_allocated() - before
        sizes: dict[int, int] = {}
        weights = {p.untyped_storage().data_ptr() for p in self.model.parameters()}

        def keep(x: torch.Tensor) -> torch.Tensor:
            sizes[x.untyped_storage().data_ptr()] = x.untyped_storage().nbytes()
            return x

        with torch.autograd.graph.saved_tensors_hooks(keep, lambda x: x):
            loss = self.loss()
        total = sum(size for place, size in sizes.items() if place not in weights)
        del loss
        return total


def slope(sizes: list[int], values: list[float]) -> float:
    """That of the line of least squares through log(values) over log(sizes)."""
    x, y = ([math.log(value) for value in column] for column in (sizes, values))
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - middle_x) ** 2 for a in x)
    return sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / spread


def summary(curve: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The slopes of one curve, measured and expected, over its last points."""
    last = rows[-FITTED:]
    sizes = [row[curve] for row in last]
    names = {"time": "seconds", "memory": "bytes", "expected of time": "flop"}
    slopes = {name: round(slope(sizes, [row[key] for row in last]), 3) for name, key in names.items()}
    expected = {"expected of memory": memory_slope(curve, last), "in the limit": LIMITS[curve]}
    return {"fitted over": sizes, **slopes, **expected}


def memory_slope(curve: str, rows: list[dict[str, Any]]) -> float:
    """Of the numbers kept: about 17 · n · d + h · n² a layer (after Korthikanti et al., 2022), and n · V logits.

    Of n² numbers attention keeps the weights alone. Two encoder and two decoder layers, half as large again, are five.
    """
    values = []
    for row in rows:
        n, d, heads = row["length"], row["width"], max(1, row["width"] // HEAD)
        values.append(float(row["batch"] * (5 * (17 * n * d + heads * n * n) + n * VOCABULARY)))
    return round(slope([row[curve] for row in rows], values), 3)


def measure(curves: dict[str, tuple[int, ...]], middle: dict[str, int], rounds: int, device: torch.device) -> dict:
    """Every curve's points and slopes; the points of all curves take turns."""
    work = {
        (curve, size): Workload(point(curve, size, middle), device) for curve, sizes in curves.items() for size in sizes
    }
    took: dict[tuple[str, int], list[float]] = {key: [] for key in work}
    memory = {key: workload.memory() for key, workload in work.items()}
    for number in range(rounds + 1):
        for key, workload in work.items():
            took[key].append(workload.run())
        print(f"round {number} of {rounds}", file=sys.stderr, flush=True)
    by_curve = {}
    for curve, sizes in curves.items():
        rows = []
        for size in sizes:
            key = (curve, size)
            times = sorted(took[key][1:])  # the first round warms up
            cost = {"seconds": times[0], "median": times[len(times) // 2], "bytes": memory[key], "flop": work[key].flop}
            rows.append({**point(curve, size, middle), **{k: float(f"{v:.4g}") for k, v in cost.items()}})
        by_curve[curve] = {"points": rows, "slopes": summary(curve, rows)}
    return by_curve


def table(by_curve: dict[str, Any]) -> str:
    """The slopes, for the eye."""
    head = f"{'against':8}{'time':>8}{'expected':>10}{'memory':>8}{'expected':>10}   over"
    lines = [
        f"{curve:8}{s['time']:8.2f}{s['expected of time']:10.2f}{s['memory']:8.2f}{s['expected of memory']:10.2f}   "
        + " … ".join(map(str, (s["fitted over"][0], s["fitted over"][-1])))
        for curve, s in ((curve, values["slopes"]) for curve, values in by_curve.items())
    ]
    return "\n".join([head, *lines])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="steps measured at each point, after one that is not")
    parser.add_argument("--threads", type=int, default=1, help="of the processor")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--small", action="store_true", help="a few small points, to see that it runs")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    bench.at_least_one(parser, options, "rounds")
    torch.set_num_threads(options.threads)
    try:
        device = tc.pick_device(options.device)
    except ValueError as error:
        parser.error(str(error))
    if device.type == "cpu":
        fast_cpu.keep_memory()
    middle = {"length": 8, "width": 32, "batch": 2} if options.small else MIDDLE
    by_curve = measure(SMALL if options.small else CURVES, middle, options.rounds, device)
    words = [word for word in sys.argv[1:] if word not in ("--out", str(options.out))]
    command = " ".join(["python -m benchmarks.cost", *words])
    bench.write(options.out, bench.head("cost", command, machine=bench.machine(device.type), curves=by_curve))
    print(table(by_curve))


if __name__ == "__main__":
    main()
