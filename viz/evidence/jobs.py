"""Which head does what, and how much better than one that knows nothing: a table that can be searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from studies.reading import KINDS
from viz import stills, theme
from viz.canvas import Canvas, OneOf, Takes, script, trait
from viz.stills import Box

ROWS = 12  # of the still picture


class JobsView(Canvas):
    """Every head at every job, those that beat their baseline by most first.

    meta["rows"]: job, kind, layer, head, score, baseline, gain, low and high (its 95 % interval), and whether the head
    has the job: whether the whole interval is above 0.
    """

    _esm = script(__file__)
    search = trait(
        "", "rows that hold this text, such as 'layer 4' or 'coreference'; empty: all", takes=Takes.text(100)
    )
    kind = OneOf(["all", *KINDS], "heads of which attention")
    sure = trait(True, "only heads that have the job")


def rows_of(jobs: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """Jobs as `experiments.evidence` stores them, as one list of rows, the largest gain first."""
    if not jobs:
        raise ValueError("There are no jobs to show; give at least one, with its heads.")
    rows = [
        [job["job"], kind, layer, head, score, job["baseline"], gain, low, high, sure]
        for job in jobs
        for kind, layer, head, score, gain, low, high, sure in job["heads"]
    ]
    return sorted(rows, key=lambda row: -row[6])


def named(row: Sequence[Any]) -> str:
    """A head by its place."""
    return f"{row[1]}, layer {row[2]}, head {row[3]}"


def shown_rows(view: JobsView) -> list[list[Any]]:
    """The rows that the view's traits ask for."""
    words = view.search.lower().strip()
    return [
        row
        for row in view.meta["rows"]
        if view.kind in ("all", row[1]) and (row[9] or not view.sure) and words in f"{named(row)}: {row[0]}".lower()
    ]


def jobs_view(jobs: Sequence[Mapping[str, Any]], *, shows: str = "stored", **opens_with: Any) -> JobsView:
    """Search what heads do: jobs as `experiments.evidence` stores them. opens_with: traits, such as kind="cross"."""
    view = JobsView(meta=dict(rows=rows_of(jobs), shows=shows), **opens_with)
    view.picture = lambda: jobs_picture(view)
    return view


def within(middle: float, low: float, high: float) -> str:
    return f"{theme.three_digits(middle)} ({theme.three_digits(low)} to {theme.three_digits(high)})"


def jobs_picture(view: JobsView, dark: bool = False) -> stills.Svg:
    """What a view shows now: its first rows."""
    rows = shown_rows(view)
    heads = [Box(name, "quiet") for name in ("head", "job", "score", "knows nothing", "better by")]
    table = [
        [Box(named(row), side="start"), Box(row[0], side="start"), *(Box(theme.three_digits(x)) for x in row[4:6]),
         Box(within(*row[6:9]), strong=row[9])]
        for row in rows[:ROWS]
    ]  # fmt: skip
    note = f"{len(rows)} of {len(view.meta['rows'])} rows{', the first of them' if len(rows) > ROWS else ''}"
    listed = "; ".join(f"{named(row)}: {row[0]}, better by {within(*row[6:9])}" for row in rows[:ROWS])
    drawn = stills.token_table([heads, *table])
    return stills.page([[drawn]], view.meta["shows"], f"Jobs of heads. {note}. {listed}", title="Jobs of heads",
                       notes=[note], dark=dark, wide=1050)  # fmt: skip
