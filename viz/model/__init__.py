"""Figure 1 drawn from a model's own modules, and one sentence travelling through them.

`drawing` lays out the blocks of studies/model.py as the paper does; `model_figure` is the still picture;
`explore_model` takes a trained translator and a sentence.
"""

from viz.model.figure import HEIGHT, WIDTH, box_picture, drawing, label_picture, model_figure, wire_picture
from viz.model.journey import ModelExplorer, ModelView, explore_model, for_page, view_picture

__all__ = [
    "HEIGHT",
    "WIDTH",
    "ModelExplorer",
    "ModelView",
    "box_picture",
    "drawing",
    "explore_model",
    "for_page",
    "label_picture",
    "model_figure",
    "view_picture",
    "wire_picture",
]
