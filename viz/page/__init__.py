"""A page without Python that answers: the model in JavaScript, what is asked of it, and how its weights are read.

`script()` is all of it for a page, `explorers(…)` what stands there behind views, each the twin of an Explorer in
Python; core_options/page_weights.py writes the weights. address.js is what an address may open of a view, contents.py
the first page of all.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable

HERE = pathlib.Path(__file__).parent
SCRIPTS = (  # leaf to root
    "engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js",
    "matter.js", "gradients.js", "recurrent.js", "answers.js",
)  # fmt: skip

# Who answers for a view, and the script: of the name that the Explorer in Python has, where there is one.
EXPLORERS = {
    "AlignmentExplorer": "alignment.js",
    "AnswersExplorer": "evidence.js",
    "AttentionExplorer": "attention.js",
    "BeamExplorer": "decoding.js",
    "BesideExplorer": "beside.js",
    "ForcedExplorer": "decoding.js",
    "GateExplorer": "gate.js",
    "GeometryExplorer": "geometry.js",
    "GraphExplorer": "evidence.js",
    "MaskExplorer": "masks.js",
    "ModelExplorer": "model.js",
    "OrderExplorer": "positions.js",
    "ParseExplorer": "parsing.js",
    "PruningExplorer": "evidence.js",
}


def script(*names: str) -> str:
    """These scripts, or all of the model, as one without imports and exports: for a page, and for its worker."""
    texts = [(HERE / name).read_text(encoding="utf-8") for name in names or SCRIPTS]
    joined = "\n".join(re.sub(r"^import [^;]*;\n", "", text, flags=re.M) for text in texts)
    return re.sub(r"^export ", "", joined, flags=re.M)


def explorers(names: Iterable[str]) -> str:
    """The scripts of these explorers, to stand below the model's."""
    return script("explorer.js", *sorted({EXPLORERS[name] for name in names}))


def offered(names: Iterable[str]) -> str:
    """What model and explorers together offer to page.js, as JavaScript."""
    return f"{{ Answers, modelBeside, modelWithin, explorers: {{ {', '.join(sorted(names))} }} }}"
