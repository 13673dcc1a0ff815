"""A run's curves and maps as still pictures."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from viz import stills
from viz.stills import Line

if TYPE_CHECKING:
    from viz.training.run import TrainingView


def shown_map(view: TrainingView) -> Tensor:
    """The map that a view shows now: (T, S)."""
    before, n_maps = 0, view.meta["n_layers"] * view.meta["n_heads"]
    for n, sentence in enumerate(view.meta["sentences"]):
        size = len(sentence["queries"]) * len(sentence["keys"])
        if n == view.sentence:
            break
        before += size * n_maps * len(view.frames)
    frame = len(view.frames) - 1 if view.frame < 0 else view.frame
    start = before + (frame * n_maps + view.layer * view.meta["n_heads"] + view.head) * size
    cells = torch.tensor(list(view.data[start : start + size])).reshape(len(sentence["queries"]), len(sentence["keys"]))
    return (cells / 255) ** 2


def run_picture(view: TrainingView, dark: bool = False) -> stills.Svg:
    """What a view shows now: its curves, and the map of the head chosen."""
    meta, sentence = view.meta, view.meta["sentences"][view.sentence]
    values = array("f")
    values.frombytes(view.curve)
    rows = [values[start : start + 6] for start in range(0, len(values), 6)]
    loss, nll, rate = ([(row[0], row[n]) for row in rows] for n in (1, 2, 3))
    pair = {"loss": loss, "nll": nll} if meta["can_run"] else {"training": nll, "unseen": points(view, "nll")}
    nats = [Line(line, ink, name) for ink, (name, line) in zip(("quiet", "ink"), pair.items(), strict=True)]
    size: dict[str, Any] = dict(width=220, height=130, x_title="step")
    curves = [
        stills.line_chart(nats, title="nats per token", **size),
        stills.line_chart([Line(rate)], title="learning rate", **size),
        stills.line_chart([Line(points(view, "bleu"), "value")], title="BLEU, unseen sentences", **size),
    ]
    step = view.frames[view.frame] if view.frames else 0
    name = f"cross-attention, layer {view.layer}, head {view.head}, step {step}"
    heads = stills.weight_map(
        shown_map(view), sentence["queries"], sentence["keys"], outlined=sentence["gold"][view.gold], title=name
    )
    checks = [check for check in view.checks if view.frame < 0 or check["step"] <= step]
    notes = [f"says at step {check['step']}: {check['says'][view.sentence]}" for check in checks[-1:]]
    alternative = f"{meta['title']}; {name}: {sentence['english']} → {sentence['german']}"
    return stills.page([curves, [heads]], meta["shows"], alternative, title=meta["title"], notes=notes, dark=dark)


def points(view: TrainingView, name: str) -> list[tuple[float, float]]:
    return [(check["step"], check[name]) for check in view.checks if name in check]
