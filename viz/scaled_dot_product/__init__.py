"""Scaled dot-product attention, number by number: sheets whose cells can be changed, and what the scale 1/√d_k does.

A sheet is a list of matrices, each given or made of earlier ones. `attention_sheet`, `feed_forward_sheet`,
`normalisation_sheet` and `residual_sheet` take arrays and return one that moves; sheet.js computes it in the page,
`evaluate` here, with the core's own functions. `scaling_view` draws random queries and keys of any width. Rows are
queries, columns are keys. The toy and the statistics are those of studies/scaled_dot_product.py.
"""

from viz.scaled_dot_product.charts import cost_chart, heads_chart, scale_chart, scores_chart
from viz.scaled_dot_product.matrices import sheet_picture, short
from viz.scaled_dot_product.nodes import Node, evaluate, numbers_of
from viz.scaled_dot_product.scaling import ScalingView, scaling_chart, scaling_view
from viz.scaled_dot_product.sheet import (
    SheetView,
    attention_nodes,
    attention_sheet,
    feed_forward_sheet,
    normalisation_sheet,
    residual_sheet,
    toy_sheet,
)

__all__ = [
    "Node",
    "ScalingView",
    "SheetView",
    "attention_nodes",
    "attention_sheet",
    "cost_chart",
    "evaluate",
    "feed_forward_sheet",
    "heads_chart",
    "normalisation_sheet",
    "numbers_of",
    "residual_sheet",
    "scale_chart",
    "scaling_chart",
    "scaling_view",
    "scores_chart",
    "sheet_picture",
    "short",
    "toy_sheet",
]
