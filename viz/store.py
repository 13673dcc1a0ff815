"""Run notebooks and store them with what they showed: `python -m viz.store`, or `make notebooks`.

What is stored is what a reader sees before running anything, also where a notebook is not trusted or Python is long
gone: of a live view its picture alone (the view itself would read "model not found"), and no widget's state.
"""

from __future__ import annotations

import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import nbclient
import nbformat

from viz import stills
from viz.pages import KERNEL, WIDGET, Stopped, chosen, grouped, progress, run_cell, run_command

MOST_BYTES = 500_000  # of a stored notebook


def executed(path: pathlib.Path, say: Callable[[str], None]) -> nbformat.NotebookNode:
    """A notebook run from top to bottom in its folder, in a kernel of its own."""
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    own: dict[str, Any] = dict(record_timing=False, store_widget_state=False)
    client = nbclient.NotebookClient(notebook, resources=folder, **KERNEL, **own)
    code = [place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    with client.setup_kernel():
        for number, place in enumerate(code, 1):
            say(f"{path.name}: code cell {number} of {len(code)}")
            run_cell(client, place, f"{path.name}, code cell {number} of {len(code)}")
            notebook.cells[place].execution_count = number
    return notebook


def folded(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with the answers to its predictions folded, in place; JupyterLab shows ••• there, to be clicked.

    An answer is what a page folds: the output below the prediction, and those right after it.
    """
    groups = grouped(notebook.cells)
    places = {place + n for place, _, answers, told in groups if answers for n in range(1 + len(told))}
    for place, cell in enumerate(notebook.cells):
        cell.metadata.pop("collapsed", None)
        jupyter = {key: value for key, value in cell.metadata.pop("jupyter", {}).items() if key != "outputs_hidden"}
        if place in places and cell.get("outputs"):
            cell.metadata["collapsed"], jupyter["outputs_hidden"] = True, True
        if jupyter:
            cell.metadata["jupyter"] = jupyter
    return notebook


def with_pictures(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with pictures in the place of live views, in place; as viz/canvas.js has JupyterLab save it."""
    for number, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if WIDGET in data and "text/markdown" not in data:
                raise Stopped(
                    f"Cell {number} shows a widget without a picture, which whoever opens the notebook would not see; "
                    "give it one (viz.canvas.with_picture), or end the cell with something else."
                )
            data.pop(WIDGET, None)
    return notebook


def with_hooks(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook with each picture of a live view as viz/stills.py writes it today, in place; nothing is run."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            markdown = output.get("data", {}).get("text/markdown", "")
            if markdown.startswith(stills.LIVE):
                output.data["text/markdown"] = stills.of_a_view(markdown)
    return notebook


def store(path: pathlib.Path, as_run: bool = False) -> int:
    """Run a notebook and write it back with its outputs, unless a cell stops or it grows too large; returns bytes.

    as_run: it is not run; pictures of live views are written, and answers folded, as they are today.
    """
    notebook = nbformat.read(path, as_version=4)
    if as_run:
        folded(with_hooks(notebook))
    else:
        metadata = notebook.metadata  # as it is: the version of this Python is no news
        notebook = folded(with_pictures(executed(path, progress)))  # what is folded is told by what is stored
        notebook.metadata = metadata
    text = f"{nbformat.writes(notebook)}\n"
    if (size := len(text.encode())) > MOST_BYTES:
        raise Stopped(f"{path.name} has {size:,} bytes, more than {MOST_BYTES:,}; let its pictures hold less.")
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)
    return size


def main(notebooks: tuple[pathlib.Path, ...] = (), /, as_run: bool = False) -> None:
    """Run notebooks, one after the other, and store each with its outputs; one that stops stays as it was.

    Args:
        notebooks: those to run; all of the project's if none is named
        as_run: run none; write anew what stands around the pictures of live views, and fold answers
    """
    for path in chosen(notebooks):
        start = time.monotonic()
        size = store(path, as_run)
        progress("")
        print(f"{path.name}: {size / 1e3:.0f} KB, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    run_command(main, "The notebook stays as it was.")
