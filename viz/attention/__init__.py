"""Attention under the reader's hands: every head of a model as heat maps, lines, numbers and facts.

`attention_view` takes arrays, `explore_attention` a trained translator and a sentence, `explore_beside` two sentences;
`explore_geometry` draws one head's queries and keys as points of a plane, `geometry_view` those of your own.
`attention_heatmap` is the still picture. Rows are queries, columns are keys, each row sums to 1. Attention weights say
where a head reads, not why the model decides; the numbers are those of attention.py, beside.py
and geometry.py in studies.
"""

from viz.attention.beside import BesideExplorer, BesideView, beside_picture, beside_view, explore_beside
from viz.attention.geometry import (
    GeometryExplorer,
    GeometryView,
    explore_geometry,
    geometry_picture,
    geometry_view,
)
from viz.attention.heads import AttentionExplorer, AttentionView, attention_view, explore_attention, view_picture
from viz.attention.maps import as_grouped, attention_heatmap, attention_lines, shades
from viz.attention.pages import cross_attention_alone, export_html, export_png, export_svg

__all__ = [
    "AttentionExplorer",
    "AttentionView",
    "BesideExplorer",
    "BesideView",
    "GeometryExplorer",
    "GeometryView",
    "as_grouped",
    "attention_heatmap",
    "attention_lines",
    "attention_view",
    "beside_picture",
    "beside_view",
    "cross_attention_alone",
    "explore_attention",
    "explore_beside",
    "explore_geometry",
    "export_html",
    "export_png",
    "export_svg",
    "geometry_picture",
    "geometry_view",
    "shades",
    "view_picture",
]
