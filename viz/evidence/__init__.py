"""Is attention an explanation? Answers beside what really happens, and a model whose heads are taken out.

`explore_answers` and `explore_pruning` have a translator behind them, `answers_view` and `pruning_view` take arrays and
lists; the numbers are those of studies/evidence.py and studies/pruning.py.
"""

from viz.evidence.answers import AnswersExplorer, AnswersView, answers_picture, answers_view, explore_answers
from viz.evidence.pruning import PruningExplorer, PruningView, explore_pruning, pruning_picture, pruning_view

__all__ = [
    "AnswersExplorer",
    "AnswersView",
    "PruningExplorer",
    "PruningView",
    "answers_picture",
    "answers_view",
    "explore_answers",
    "explore_pruning",
    "pruning_picture",
    "pruning_view",
]
