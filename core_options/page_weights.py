"""A checkpoint as one script that a page without Python reads (viz/page): config, weights and vocabularies.

    python -m core_options.page_weights --checkpoint tatoeba-en-de --precision int8 --out pages/model.js

Weights are stored as "f16", or as "int8": the rows of each matrix as whole numbers from -127 to 127, each row with a
scale of its own; vectors stay f16. All is packed by gzip, which knows when it is damaged, and stands there as base64.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import safetensors.torch

import core_options.context_aware  # noqa: F401  # so that its models can be read
import transformer_core as tc

PIECE = 1 << 20  # characters of base64 that a page turns into bytes at a time
SCRIPT = 'document.dispatchEvent(new CustomEvent("pg-model", {{ detail: {} }}));\n'


def rows_of_int8(weights: tc.Weights) -> tc.Weights:
    """Each matrix (out, in) as whole numbers, and beside it NAME.scale (out,), what its rows are multiplied by."""
    stored: tc.Weights = {}
    for name, weight in weights.items():
        stored[name] = weight.half()
        if weight.dim() == 2:
            scale = weight.float().abs().amax(1).clamp(min=1e-12) / 127  # (out,)
            stored[name] = (weight.float() / scale[:, None]).round().char()
            stored[f"{name}.scale"] = scale
    return stored


def in_precision(weights: tc.Weights, precision: str) -> tc.Weights:
    """Weights as they are stored for a page, in "f16" or "int8"."""
    if precision not in ("f16", "int8"):
        raise ValueError(f"The precision is {precision!r}; choose f16 or int8.")
    if precision == "int8":
        return rows_of_int8(weights)
    return {name: weight.half() for name, weight in weights.items()}


def widened(stored: tc.Weights) -> tc.Weights:
    """What a page makes of stored weights: float32."""
    scales = {name: stored[f"{name}.scale"][:, None] for name in stored if f"{name}.scale" in stored}
    apart = {f"{name}.scale" for name in scales}
    return {name: x.float() * scales.get(name, 1) for name, x in stored.items() if name not in apart}


def fingerprint(translator: tc.Translator) -> str:
    """What tells two translators apart: a digest of their weights, as halves, and of their vocabularies."""
    weights = safetensors.torch.save(in_precision(tc.weights_of(translator.model), "f16"))
    vocabularies = [translator.tokenizer.model, translator.tgt_tokenizer.model]
    return hashlib.sha256(b"".join([weights, *vocabularies])).hexdigest()


def named(translator: tc.Translator) -> dict[str, str]:
    """Which translator it is that a page is to ask."""
    return {"model": translator.name, "fingerprint": fingerprint(translator)}


def packed(checkpoint: str | Path | tc.Translator, precision: str = "int8") -> dict:
    """What the script holds: name, precision, config, the parts and their sizes in bytes, their digest, and base64."""
    translator = checkpoint if isinstance(checkpoint, tc.Translator) else tc.load_pretrained(checkpoint)
    config = translator.model.config
    stored = in_precision(tc.weights_of(translator.model), precision)
    parts = {"weights": safetensors.torch.save(stored), "tokenizer": translator.tokenizer.model}
    if translator.tgt_tokenizer is not translator.tokenizer:
        parts["tgt_tokenizer"] = translator.tgt_tokenizer.model
    whole = b"".join(parts.values())
    text = base64.b64encode(gzip.compress(whole, 9, mtime=0)).decode()
    return {
        "name": translator.name, "precision": precision, "config": {"kind": config.kind} | asdict(config),
        "parts": {name: len(part) for name, part in parts.items()}, "sha256": hashlib.sha256(whole).hexdigest(),
        "base64": [text[start : start + PIECE] for start in range(0, len(text), PIECE)],
    }  # fmt: skip


def script_of(model: dict) -> str:
    """The script that tells a page this model; "<" is spelled, so that it may also stand inside a page."""
    return SCRIPT.format(json.dumps(model).replace("<", "\\u003c"))


def within(page: str, models: Iterable[dict]) -> str:
    """A page (HTML) that holds these models itself, in scripts that no browser runs: they are read on first use."""
    whole, end, rest = page.rpartition("</html>")
    scripts = (json.dumps(model).replace("<", "\\u003c") for model in models)
    return "".join(
        [whole, *(f'<script type="application/x-model">{script}</script>\n' for script in scripts), end, rest]
    )


def write(checkpoint: str, out: Path, precision: str = "int8") -> None:
    """Write a checkpoint as one script for pages.

    Args:
        checkpoint: a folder, or a name under checkpoints/, such as tatoeba-en-de
        out: the file to write, such as pages/model.js
        precision: int8, or f16, which is twice as large and loses nothing of what ships
    """
    tc.write_atomically(out, script_of(packed(checkpoint, precision)).encode())


if __name__ == "__main__":
    import tyro

    tyro.cli(write)
