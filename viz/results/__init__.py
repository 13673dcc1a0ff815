"""Table 2 and the cost of training under the reader's hands.

`table_2_view` shows the table beside its plot of BLEU against cost and draws each claim; `cost_view` turns hours, GPUs
and TFLOPS into a training cost, and the arithmetic that a run needs into hours on other hardware. The numbers are those
of studies/results.py.
"""

from viz.results.cost import CostView, cost_picture, cost_view
from viz.results.speed import speed_chart
from viz.results.table import Table2View, plot_picture, table_2_view

__all__ = [
    "CostView",
    "Table2View",
    "cost_picture",
    "cost_view",
    "plot_picture",
    "speed_chart",
    "table_2_view",
]
