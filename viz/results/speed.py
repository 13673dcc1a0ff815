"""Our speed beside other libraries, as a chart."""

from __future__ import annotations

from typing import Any

from studies import results as study
from viz import charts


def speed_chart(result: dict[str, Any], threads: int = 1) -> charts.Chart:
    """How many times as fast as each library ours was in the same run, by workload; above 1 ours is the faster."""
    cells = [cell for cell in result["cells"] if cell["threads"] == threads and cell["precision"] != "medium"]
    cells.sort(key=lambda cell: list(study.WORKLOADS).index(cell["workload"]))
    rate = {(c["workload"], c["contender"], c["precision"]): c["rate"] for c in cells}
    times: dict[str, dict[str, float]] = {}
    for (workload, contender, precision), theirs in rate.items():
        ours = rate.get((workload, "ours", precision))
        if contender not in ("ours", "limit") and ours:
            name = contender if precision == "fp32" else f"{contender}, {precision}"
            times.setdefault(name, {})[study.WORKLOADS[workload]] = float(f"{ours / theirs:.3g}")
    curves = [charts.Curve(name, list(by), list(by.values()), kind="dots") for name, by in times.items()]
    panel = charts.Panel(curves, "How many times as fast as …", "", "ours / theirs", log_y=True)
    shows = f"measured, {threads} thread{'s' * (threads > 1)}, {result['machine']['processor']}"
    return charts.chart(panel, shows, height=420)
