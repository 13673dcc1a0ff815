"""A text becomes pieces, one merge after the other (sections 3.4 and 5.1).

`explore_text` plays the merges of a text that the reader types; its script merges by itself, so it needs no Python.
`piece_rows` draws rows of pieces. The merges in Python, and what pieces become, stand in studies/text.py.
"""

from viz.text.pieces import TextView, explore_text, piece_rows, view_picture

__all__ = [
    "TextView",
    "explore_text",
    "piece_rows",
    "view_picture",
]
