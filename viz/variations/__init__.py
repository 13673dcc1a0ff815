"""Table 3 under the reader's hands: `explore_variations` is the table with the vocabulary as a slider.

Its script computes every count by the formulas of studies/variations.py. `difference_chart` and `norm_chart` draw the
runs that experiments/variations.py stored; `norms_view` shows gradients of untrained models.
"""

from viz.variations.norms import NormsView, gradient_chart, norms_view
from viz.variations.runs import NORMS, command_of, difference_chart, norm_chart
from viz.variations.table import VariationsView, explore_variations, interval_picture, rows_of_table

__all__ = [
    "NORMS",
    "NormsView",
    "VariationsView",
    "command_of",
    "difference_chart",
    "explore_variations",
    "gradient_chart",
    "interval_picture",
    "norm_chart",
    "norms_view",
    "rows_of_table",
]
