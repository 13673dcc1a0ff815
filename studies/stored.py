"""Stored results: what a command measured or trained, with the command, the machine and every run that made it.

Each is one JSON file in notebooks/data. Its "runs", where it has any, are of a "row" (which model) and a "seed".
"""

from __future__ import annotations

import json
import pathlib
from collections.abc import Mapping
from typing import Any

NOTEBOOKS = pathlib.Path(__file__).resolve().parent.parent / "notebooks"


def load(path: str | pathlib.Path) -> dict[str, Any]:
    """Read a stored result: from here, or for a notebook that was copied elsewhere, from beside the project's own."""
    file = next((file for file in (pathlib.Path(path), NOTEBOOKS / path) if file.is_file()), None)
    if file is None:
        raise ValueError(
            f"There is no stored result {path} here nor in {NOTEBOOKS}; `python -m experiments` names all."
        )
    return json.loads(file.read_text(encoding="utf-8"))


def rows_of(result: Mapping[str, Any]) -> list[str]:
    """The rows of which there is a run, in the order of their first runs."""
    return list(dict.fromkeys(run["row"] for run in result["runs"]))


def runs_of(result: Mapping[str, Any], row: str) -> dict[int, dict[str, Any]]:
    """The runs of a row by their seed; none where the row was not run."""
    return {run["seed"]: run for run in result["runs"] if run["row"] == row}


def change(measure: str, value: float, base: float) -> float:
    """What a row does to a measure: "ppl" against the base's in per cent, of any other the difference.

    >>> change("ppl", 5.5, 5.0), change("bleu", 27.0, 25.0)
    (10.000000000000009, 2.0)
    """
    return 100 * (value / base - 1) if measure == "ppl" else value - base


def changes(result: Mapping[str, Any], row: str, measure: str, to: str = "base") -> list[float]:
    """The `change` from one row to another for each seed that both have."""
    ours, base = runs_of(result, row), runs_of(result, to)
    return [change(measure, ours[seed][measure], base[seed][measure]) for seed in sorted(ours.keys() & base.keys())]
