"""Precisions of a training step: `bf16` is an autocast, `medium` lets products alone be bf16 inside."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import torch

import transformer_core as tc


def autocast(device: torch.device, precision: str = "auto") -> torch.autocast:
    """The autocast context for this device, which does nothing unless the precision is bf16."""
    enabled = tc.pick_precision(device, precision) == "bf16"
    return torch.autocast(device.type, torch.bfloat16, enabled=enabled)


@contextlib.contextmanager
def products(precision: str) -> Iterator[None]:
    """Inside, "medium" lets float32 products be bf16 inside where that is faster; else they are exact."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("medium" if precision == "medium" else "highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
