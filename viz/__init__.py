"""Figures and widgets: every folder is the twin of one section of `transformer_core` and of one notebook.

A noun returns a figure, `explore_*` returns something live. Rows are queries, columns are keys, rows sum to 1.
"""
