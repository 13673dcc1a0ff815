"""Masks: the causal and the padding layer under the reader's hands, the leak test, and the masks of a real batch.

A mask is boolean and True means *may look*: rows are queries, columns are keys. `mask_view` takes arrays,
`explore_masks` a trained translator, whose decoder then runs under the mask that the reader paints; what it finds is
computed by studies/masks.py.
"""

from viz.masks.batch import batch_picture
from viz.masks.charts import training_chart
from viz.masks.layers import MaskView, explore_masks, mask_view, scores_of, view_picture, weights_of

__all__ = [
    "MaskView",
    "batch_picture",
    "explore_masks",
    "mask_view",
    "scores_of",
    "training_chart",
    "view_picture",
    "weights_of",
]
