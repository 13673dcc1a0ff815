"""Attention under the reader's hands: every head of a model as heat maps, lines, numbers and facts.

`attention_view` takes arrays, `explore_attention` a trained translator and a sentence. `attention_heatmap` is the still
picture. Rows are queries, columns are keys, each row sums to 1. Attention weights say where a head reads, not why the
model decides; the numbers are those of studies/attention.py.
"""

from viz.attention.heads import AttentionExplorer, AttentionView, attention_view, explore_attention, view_picture
from viz.attention.maps import as_grouped, attention_heatmap, attention_lines, shades
from viz.attention.pages import cross_attention_alone, export_html, export_png, export_svg

__all__ = [
    "AttentionExplorer",
    "AttentionView",
    "as_grouped",
    "attention_heatmap",
    "attention_lines",
    "attention_view",
    "cross_attention_alone",
    "explore_attention",
    "export_html",
    "export_png",
    "export_svg",
    "shades",
    "view_picture",
]
