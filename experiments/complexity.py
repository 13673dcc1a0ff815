"""Time and memory of every layer of Table 1 on this machine.

    python -m experiments.complexity [--seconds 60] [--threads N] [--device cpu] [--out FILE]

Each layer of baselines.py, and torch's own recurrent layers, runs forward and backward over one sequence of n positions
of width d. All layers take turns, round after round, so that a busy moment meets all alike; medians and quartiles of
the rounds are written, with the bytes kept for the backward pass, the machine and the versions that made them. On one
thread of a CPU the processor's own time is taken, which other work on the machine does not lengthen by its turns.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import torch
from torch import Tensor, nn

import baselines
from experiments import bench

OUT = bench.DATA / "complexity_cpu.json"
LENGTHS, WIDTHS, KERNEL, WINDOW = (64, 128, 256, 512, 1024), (64, 256), 3, 33
LAYERS = ("self-attention", "restricted self-attention", "RNN", "GRU", "LSTM", "convolution", "separable convolution")
TORCH_LAYERS = {"torch.nn.RNN": nn.RNN, "torch.nn.GRU": nn.GRU, "torch.nn.LSTM": nn.LSTM}


class First(nn.Module):
    """One of torch's recurrent layers, giving its output alone."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)[0]


def layers_of(d: int, device: str) -> dict[str, nn.Module]:
    """Every layer of width d, by name."""
    ours = {name: baselines.KINDS[name].make(d=d, k=KERNEL, r=WINDOW) for name in LAYERS}
    theirs = {name: First(make(d, d, batch_first=True)) for name, make in TORCH_LAYERS.items()}
    return {name: layer.to(device) for name, layer in (ours | theirs).items()}


def run(layer: nn.Module, x: Tensor) -> None:
    """Forward and backward."""
    layer.zero_grad(set_to_none=True)
    layer(x).sum().backward()


def seconds(layer: nn.Module, x: Tensor) -> float:
    """How long one run takes."""
    clock = time.perf_counter if x.is_cuda or torch.get_num_threads() > 1 else time.process_time
    start = clock()
    run(layer, x)
    if x.is_cuda:
        torch.cuda.synchronize()
    return clock() - start


def measure(d: int, n: int, device: str, budget: float) -> list[dict]:
    """One row for each layer: a round that warms up, then rounds in turn for a budget of seconds, 15 at least."""
    torch.manual_seed(0)
    layers, x = layers_of(d, device), torch.randn(1, n, d, device=device)
    rows: dict[str, dict] = {name: {"layer": name, "d": d, "n": n} for name in layers}
    took: dict[str, list[float]] = {name: [] for name in layers}
    for layer in layers.values():
        run(layer, x)
    end = time.perf_counter() + budget
    while time.perf_counter() < end or len(took[LAYERS[0]]) < 15:
        for name, layer in layers.items():
            took[name].append(1000 * seconds(layer, x))
    for name, times in took.items():
        rows[name]["bytes"] = baselines.measured_memory(layers[name], n, d)
        low, middle, high = (round(value, 3) for value in statistics.quantiles(times, n=4))
        rows[name] |= {"ms": middle, "low": low, "high": high, "rounds": len(times)}
    return list(rows.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60, help="about how long to measure")
    parser.add_argument("--threads", type=int, default=1, help="of the processor")
    parser.add_argument("--device", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    cells, rows = [(d, n) for d in WIDTHS for n in LENGTHS], []
    for d, n in cells:
        rows += measure(d, n, options.device, options.seconds * n / sum(n for _, n in cells))
        print(f"d = {d}, n = {n}: {len(rows)} rows", flush=True)
    command = f"python -m experiments.complexity --seconds {options.seconds:g} --threads {options.threads}"
    command += f" --device {options.device}" if options.device != "cpu" else ""
    about = bench.head("complexity", command, machine=bench.machine(options.device), k=KERNEL, r=WINDOW)
    bench.write(options.out, about | dict(rows=rows))


if __name__ == "__main__":
    main()
