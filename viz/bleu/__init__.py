"""BLEU under the reader's hands: `explore_bleu` computes it in the page, for any two sentences, as sacreBLEU does.

The charts take scores and lengths; what they are is counted in studies/bleu.py.
"""

from viz.bleu.charts import brevity_chart, sentence_chart
from viz.bleu.score import SLIDES, BleuView, explore_bleu
from viz.bleu.steps import view_picture

__all__ = ["SLIDES", "BleuView", "brevity_chart", "explore_bleu", "sentence_chart", "view_picture"]
