"""Table 1 under the reader's hands: what each kind of layer costs, what in it must wait, how far positions are apart.

`complexity_view` takes the formulas of `baselines.KINDS` as data and lets sliders move them; `explore_complexity` can
measure the real layers too. `linked_table` is Table 1 as numbers and curves that answer to each other; the charts take
what was measured.
"""

from viz.complexity.charts import LENGTHS, STYLES, first_input_chart, formula_chart, gradient_chart, path_chart
from viz.complexity.linked import linked_table
from viz.complexity.measured import cost_chart, measured_chart
from viz.complexity.table import ComplexityView, complexity_view, explore_complexity, rows_of_table

__all__ = [
    "LENGTHS",
    "STYLES",
    "ComplexityView",
    "complexity_view",
    "cost_chart",
    "explore_complexity",
    "first_input_chart",
    "formula_chart",
    "gradient_chart",
    "linked_table",
    "measured_chart",
    "path_chart",
    "rows_of_table",
]
