"""Table 3 as a live table: every size of every row, counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import transformer_core as tc
from studies import variations as study
from viz import stills
from viz.canvas import Canvas, OneOf, Takes, script, trait
from viz.stills import Box


class VariationsView(Canvas):
    """Table 3 by row, with the vocabulary as a slider; meta["rows"] holds sizes and what is printed.

    The script computes every count by the formulas of studies/variations.py; a test holds the two together.
    """

    def _known_row(self, _: str, row: str) -> str:
        names = [row["name"] for row in self.meta["rows"]]
        if row not in names:
            raise ValueError(f"There is no row {row!r} here; choose from {', '.join(names)}.")
        return row

    _esm = script(__file__)
    vocabulary = trait(37_000, "rows of the shared embedding", min=30_000, max=45_000)
    picked = trait("base", "the row whose page is open", check=_known_row, takes=Takes.one_in("rows.name"))
    order = OneOf(["paper", "ppl", "bleu", "millions", "params", "off", "cost"], "what the rows are sorted by")
    down = trait(False, "largest first")
    n = trait(25, "tokens of each side of the pair whose cost is counted", min=1, max=200)


SIZES = ("n_layers", "d_model", "d_ff", "n_heads", "d_k", "d_v", "p_drop", "eps_ls", "positions", "max_len")


def rows_of_table(result: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """What the script must know of each row: sizes, what is printed, the code, and what the small runs gave."""
    told = {} if result is None else {row: study.in_words(result, row) for row in study.TABLE_3 if row != "base"}
    return [
        {
            "name": row, "code": study.code_of(row), "line": study.line_of(row), "ours": told.get(row, []),
            "changes": list(tc.PAPER_TABLE_3[row]), **printed._asdict(),
            **{name: getattr(study.config_of(row, 1), name) for name in SIZES},
        }
        for row, printed in study.TABLE_3.items()
    ]  # fmt: skip


def explore_variations(result: Mapping[str, Any] | None = None, **opens_with: Any) -> VariationsView:
    """Table 3 with the vocabulary as a slider; result: the small runs, told beside the paper's numbers.

    opens_with: traits to begin with, such as vocabulary=41_100, picked="big", order="params".
    """
    meta = {
        "shows": "exact counts; ppl and BLEU as printed", "rows": rows_of_table(result),
        "title": "Table 3: every row, its parameters, and the vocabularies that would explain what is printed",
    }  # fmt: skip
    view = VariationsView(meta=meta, **opens_with)
    view.picture = lambda: interval_picture(view.vocabulary)
    return view


LOW, HIGH = 30_000, 45_000  # vocabularies of the slider


def interval_picture(vocabulary: int) -> stills.Svg:
    """For each row with a printed count, the vocabularies that explain it as a bar, green where this is one of them."""
    explained = {row: study.vocabularies(row) for row in study.COUNTED}
    heads = ["row", "printed", f"at V = {vocabulary:,}", f"V from {LOW:,} to {HIGH:,}", "explained by V"]
    rows = [[Box(head, "quiet") for head in heads]]
    for row, (start, end) in explained.items():
        bar = (start - LOW) / (HIGH - LOW), (end - LOW) / (HIGH - LOW)
        ink = "value" if start <= vocabulary < end else "quiet"
        numbers = [f"{study.TABLE_3[row].millions} M", f"{study.parameters(row, vocabulary):,}"]
        rows.append([Box(row, side="start"), *(Box(number, side="end") for number in numbers),
                     Box(ink=ink, bar=bar, least=390), Box(f"{start:,} to {end - 1:,}", ink)])  # fmt: skip
    at = (vocabulary - LOW) / (HIGH - LOW)
    rows.append(
        [Box(), Box(), Box("this V", "wrong", side="end"), Box(ink="wrong", bar=(at - 0.004, at + 0.004)), Box()]
    )
    met = sum(start <= vocabulary < end for start, end in explained.values())
    needs = "; ".join(f"{row} needs {start:,} to {end - 1:,}" for row, (start, end) in explained.items())
    title = f"Table 3 at a vocabulary of {vocabulary:,}: {met} of {len(explained)} printed counts are met"
    return stills.page([[stills.token_table(rows)]], "exact counts", f"{title}. {needs}", title=title)
