"""Parsing under the reader's hands: a tree that grows token by token, repair, a score taken apart, and Table 4.

`explore_parse` shows how a parser says a tree, `explore_repair` what becomes of a broken line, `explore_score` how
EVALB compares two trees. What is said, matched and printed is in studies/parsing.py.
"""

from viz.parsing.branches import score_picture, tree_picture
from viz.parsing.charts import curve_chart, table_4_chart
from viz.parsing.trees import (
    ParseExplorer,
    ParseView,
    ScoreView,
    contents,
    explore_parse,
    explore_repair,
    explore_score,
)

__all__ = [
    "ParseExplorer",
    "ParseView",
    "ScoreView",
    "contents",
    "curve_chart",
    "explore_parse",
    "explore_repair",
    "explore_score",
    "score_picture",
    "table_4_chart",
    "tree_picture",
]
