"""Is attention an explanation? Answers beside what really happens, heads taken out, one word's graph, the logit lens.

`explore_answers`, `explore_pruning` and `explore_graph` have a translator behind them, `answers_view`, `pruning_view`,
`graph_view`, `jobs_view` and `lens_picture` take arrays and lists; the numbers are those of studies/evidence.py,
pruning.py, rollout.py, jobs.py and lens.py.
"""

from viz.evidence.answers import AnswersExplorer, AnswersView, answers_picture, answers_view, explore_answers
from viz.evidence.charts import heads_picture, importance_chart, pruning_chart
from viz.evidence.graph import GraphExplorer, GraphView, explore_graph, graph_picture, graph_view
from viz.evidence.jobs import JobsView, jobs_picture, jobs_view
from viz.evidence.lens import lens_of, lens_picture
from viz.evidence.pruning import PruningExplorer, PruningView, explore_pruning, pruning_picture, pruning_view

__all__ = [
    "AnswersExplorer",
    "AnswersView",
    "GraphExplorer",
    "GraphView",
    "JobsView",
    "PruningExplorer",
    "PruningView",
    "answers_picture",
    "answers_view",
    "explore_answers",
    "explore_graph",
    "explore_pruning",
    "graph_picture",
    "graph_view",
    "heads_picture",
    "importance_chart",
    "jobs_picture",
    "jobs_view",
    "lens_of",
    "lens_picture",
    "pruning_chart",
    "pruning_picture",
    "pruning_view",
]
