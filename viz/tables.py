"""Several numbers as a small table: HTML in a notebook or a page, aligned text wherever else it is read or compared."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from viz import theme


class Table:
    """Rows under columns; a cell that is a number stands at the right, one that is absent stays empty."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], caption: str = ""):
        if not rows:
            raise ValueError("There are no rows to show; pass at least one, such as {'layer': 'RNN', 'waits': 6}.")
        self.columns = list(dict.fromkeys(column for row in rows for column in row))
        self.cells = [[written(row.get(column)) for column in self.columns] for row in rows]
        self.numeric = [all(is_number(row.get(column)) for row in rows) for column in self.columns]
        self.caption = caption

    def __repr__(self) -> str:
        lines = [self.columns, *self.cells]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        aligned = [
            "  ".join(
                cell.rjust(width) if numeric else cell.ljust(width)
                for cell, width, numeric in zip(line, widths, self.numeric, strict=True)
            ).rstrip()
            for line in lines
        ]
        return "\n".join([self.caption] * bool(self.caption) + aligned)

    def _repr_html_(self) -> str:
        def row(cells: Sequence[str], name: str) -> str:
            sides = ("right" if numeric else "left" for numeric in self.numeric)
            return (
                "<tr>"
                + "".join(
                    f'<{name} style="text-align: {side}">{html.escape(theme.evident(cell))}</{name}>'
                    for cell, side in zip(cells, sides, strict=True)
                )
                + "</tr>"
            )

        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        body = "\n".join(row(cells, "td") for cells in self.cells)
        return f"<table>{caption}\n<thead>{row(self.columns, 'th')}</thead>\n<tbody>\n{body}\n</tbody></table>"


def is_number(value: Any) -> bool:
    """Whether a cell stands at the right: a number, or none at all."""
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def written(value: Any) -> str:
    """A cell as text: whole numbers in groups of three digits, others with three significant digits, text as it is.

    A number has a true minus, as in every picture; unlike a hyphen it is not parted from its digits where lines break.

    >>> written(-1234), written(-0.00012345), written("x-1")
    ('−1,234', '−0.000123', 'x-1')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, (int, float)):
        return str(value)
    return (f"{value:,}" if isinstance(value, int) else theme.three_digits(value)).replace("-", "−")


def table(rows: Sequence[Mapping[str, Any]], caption: str = "") -> Table:
    """A row for each mapping from column to value, the columns in the order in which they first come.

    >>> table([{"layer": "RNN", "waits": 12}, {"layer": "self-attention", "waits": 4}])
    layer           waits
    RNN                12
    self-attention      4
    """
    return Table(rows, caption)
