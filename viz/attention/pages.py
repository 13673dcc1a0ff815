"""Attention as a file: SVG, PNG, and a page that moves with no Python."""

from __future__ import annotations

import pathlib

from viz import theme
from viz.attention.heads import AttentionExplorer, AttentionView, view_picture
from viz.attention.maps import title_of
from viz.canvas import offline_page, packed, slot
from viz.controls import Explorer


def export_svg(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as a vector picture."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".svg"))


def export_png(view: AttentionView | AttentionExplorer, path: str | pathlib.Path, dark: bool = False) -> pathlib.Path:
    """Write what a view shows now as pixels, two to a point; needs no browser."""
    return view_picture(view_of(view), dark).save(pathlib.Path(path).with_suffix(".png"))


def view_of(view: AttentionView | AttentionExplorer) -> AttentionView:
    """The view itself, also of an explorer."""
    return view.view if isinstance(view, Explorer) else view


def export_html(view: AttentionView | AttentionExplorer, path: str | pathlib.Path) -> pathlib.Path:
    """Write a page that moves like the view, with no Python and no network; under 1 MB up to 64 × 64 tokens."""
    view, path = view_of(view), pathlib.Path(path)
    head = f"<title>{theme.escaped(title_of(view) or 'Attention')}</title>"
    body = f'<body class="view-page">\n<main>{slot("canvas", 0)}</main>\n</body>'
    path.write_text(offline_page(head, body, view.style(), [view.frozen()]), encoding="utf-8")
    return path


def cross_attention_alone(explorer: AttentionExplorer) -> AttentionExplorer:
    """Leave of an explorer what a small view has room for: cross-attention, no facts; a page hides the other panes."""
    view = explorer.view
    kinds = [kind for kind in view.meta["kinds"] if kind["name"] == "cross"]
    view.meta = view.meta | {"kinds": kinds, "small": True}
    view.data = packed(explorer.reading.stack("cross"))
    view.facts = {"columns": [], "rows": [], "notes": {}}
    return explorer
