"""What every measurement needs: the machine and its clock, runs that go on where they stopped, the JSON that is stored.

It leans on the core and its options alone, so that the benchmarks, which lean on no experiment, use it too.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import torch

import transformer_core as tc
from core_options.precision import autocast
from experiments import stored

DATA = stored.ROOT / "notebooks" / "data" if stored.CLONED else Path()  # an installed copy stays as it is


# ─── The machine ─────────────────────────────────────────────────────────────────────────────────────────────────────
def processor() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def machine(device: str = "cpu") -> dict[str, Any]:
    """What the figures depend on."""
    name = torch.cuda.get_device_name() if device == "cuda" else processor()
    return {"device": name, "cores": os.cpu_count(), "threads": torch.get_num_threads(), "torch": torch.__version__}


def machine_line(device: str = "cpu") -> str:
    """The machine in words, such as "Intel(R) Xeon(R) Processor, 1 thread, torch 2.13.0+cpu"."""
    this = machine(device)
    threads = f"{this['threads']} thread{'s' * (this['threads'] > 1)}"
    return ", ".join([this["device"], *([] if device == "cuda" else [threads]), f"torch {this['torch']}"])


def clock(device: torch.device) -> Callable[[], float]:
    """The clock to measure with: the core's own time where there is one, else the clock on the wall."""
    return time.process_time if device.type == "cpu" and torch.get_num_threads() == 1 else time.perf_counter


def product_tflops(device: torch.device, seconds: float = 0.5) -> float:
    """TFLOPS of plain matrix products in the precision that training of the base model takes here."""
    n = 4096 if device.type == "cuda" else 1024
    a, b = torch.randn(n, n, device=device), torch.randn(n, n, device=device)
    now, times = clock(device), list[float]()
    with autocast(device), torch.no_grad():
        while sum(times) < seconds or len(times) < 3:
            began = now()
            (a @ b)[0, 0].item()  # waits for a GPU
            times.append(now() - began)
    return 2 * n**3 / min(times) / 1e12


# ─── The command ─────────────────────────────────────────────────────────────────────────────────────────────────────
def spelled(module: str, options: dict[str, Any], default: Callable[[str], Any]) -> str:
    """A command with those of its options that are not the default."""
    changes = {name: value for name, value in options.items() if value != default(name)}
    lists = {name: value if isinstance(value, list) else [str(value)] for name, value in changes.items()}
    words = [f"--{name.replace('_', '-')} {shlex.join(values)}" for name, values in lists.items()]
    return " ".join([f"python -m {module}", *words])


def asked(name: str, about: str, n: int, counted: str, least: int = 1) -> argparse.Namespace:
    """What a command asks for that measures over n things, unless it says --n, and writes the result of this name."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=n, help=counted)
    parser.add_argument("--out", type=Path, default=DATA / f"{name}.json")
    options = parser.parse_args()
    if options.n < least:
        parser.error(f"--n is {options.n}; it must be at least {least}.")
    return options


def at_least_one(parser: argparse.ArgumentParser, options: argparse.Namespace, *names: str) -> None:
    """End with one sentence where one of these numbers is given and below 1."""
    for name in names:
        if (number := getattr(options, name)) is not None and number < 1:
            parser.error(f"--{name} is {number}; it must be at least 1.")


# ─── What is stored ──────────────────────────────────────────────────────────────────────────────────────────────────
def rounded(value: Any) -> Any:
    """Four significant digits, all the way down."""
    if isinstance(value, dict):
        return {key: rounded(x) for key, x in value.items()}
    if isinstance(value, list):
        return [rounded(x) for x in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def head(name: str, command: str, **about: Any) -> dict[str, Any]:
    """What a stored result begins with: the command, the machine and the code that made it.

    name: of the result in `stored.RESULTS`. about: what else is the same for all of its runs.
    """
    return {"command": command, "machine": machine_line(), "code": stored.digests(name)} | about


def earlier(path: Path, about: dict[str, Any], apart: Collection[str] = ()) -> list[dict[str, Any]]:
    """The runs that this file holds already, none where there is no file; it ends where they are of another kind.

    apart: keys that may differ, beside the code: a file is as old as its oldest run, so `about` gets the code of those.
    """
    stored_head = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    runs = stored_head.pop("runs", [])
    if not runs:
        return []
    differing = sorted(
        key
        for key in (stored_head.keys() | about.keys()) - {"code", *apart}
        if todays(key, stored_head.get(key)) != todays(key, json.loads(json.dumps(about.get(key))))
    )
    if differing:
        here, there = ({key: facts.get(key) for key in differing} for facts in (about, stored_head))
        raise SystemExit(
            f"{path} holds runs of another kind ({sentence(there)}), asked for is {sentence(here)}; give another --out."
        )
    if stored_head.get("code") != about["code"]:
        tc.say(f"The runs in {path} are of earlier code; they stay, and the file keeps that code's name.")
    about["code"] = stored_head.get("code")
    return runs


def todays(key: str, value: Any) -> Any:
    """A value as it is compared: what is an experiment now was a benchmark once."""
    return value.replace("-m benchmarks.", "-m experiments.") if key == "command" and value else value


def sentence(values: dict[str, Any]) -> str:
    return ", ".join(str(value) if key in ("command", "machine") else f"{key} {value}" for key, value in values.items())


def text_of(result: dict[str, Any]) -> str:
    """A result as JSON: a line for each key, and for each run or row of a list."""

    def spelled_out(value: Any) -> str:
        if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):
            return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in value) + "\n]"
        return json.dumps(value, ensure_ascii=False)

    return "{\n" + ",\n".join(f"{json.dumps(key)}: {spelled_out(value)}" for key, value in result.items()) + "\n}\n"


def write(path: Path | None, result: dict[str, Any]) -> None:
    """Write a result to its file, or to standard output where there is none."""
    if path is None:
        sys.stdout.write(text_of(result))
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    tc.write_atomically(path, text_of(result).encode())
