"""Training under the reader's hands: a run that starts, pauses, changes its rate and goes back, and what it is made of.

`explore_training` is a live run with its curves and its cross-attention as it forms, `forming_view` looks back on a
whole one, `recipe_view` has batches, the learning rate's curve and smoothed targets. The run, and all numbers, are
those of studies/training.py and studies/alignment.py.
"""

from viz.training.charts import adam_chart, breaking_chart, breaking_rows
from viz.training.curves import run_picture, shown_map
from viz.training.recipe import RecipeView, plan_of, recipe_picture, recipe_view
from viz.training.run import TrainingView, explore_training, forming_view, show

__all__ = [
    "RecipeView",
    "TrainingView",
    "adam_chart",
    "breaking_chart",
    "breaking_rows",
    "explore_training",
    "forming_view",
    "plan_of",
    "recipe_picture",
    "recipe_view",
    "run_picture",
    "show",
    "shown_map",
]
