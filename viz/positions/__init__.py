"""Where a token stands: sinusoids, their rotation M_k, learned tables, and what a trained model does without (3.5).

`explore_positions` has sliders and computes by itself in the page, `explore_order` gives the words of a sentence other
places; the numbers are those of studies/positions.py.
"""

from viz.positions.lengths import length_chart
from viz.positions.order import OrderExplorer, OrderView, explore_order, order_picture
from viz.positions.sinusoids import SHOWS, PositionsView, clocks_picture, explore_positions, table_picture, view_picture

__all__ = [
    "SHOWS",
    "OrderExplorer",
    "OrderView",
    "PositionsView",
    "clocks_picture",
    "explore_order",
    "explore_positions",
    "length_chart",
    "order_picture",
    "table_picture",
    "view_picture",
]
