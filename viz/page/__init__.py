"""A page without Python that answers: the model in JavaScript, what is asked of it, and how its weights are read.

`script()` is all of it for a page; core_options/page_weights.py writes the weights.
"""

from __future__ import annotations

import pathlib
import re

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("engine.js", "context.js", "kernel.js", "checkpoint.js", "questions.js", "answers.js")  # leaf to root


def script(*names: str) -> str:
    """These scripts, or all, as one without imports and exports: for a page, and for the worker that it starts."""
    texts = [(HERE / name).read_text(encoding="utf-8") for name in names or SCRIPTS]
    joined = "\n".join(re.sub(r"^import [^;]*;\n", "", text, flags=re.M) for text in texts)
    return re.sub(r"^export ", "", joined, flags=re.M)
