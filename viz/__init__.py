"""Figures and widgets: every folder is a topic, most of them one notebook's.

A noun returns a figure, `explore_*` returns something live. Rows are queries, columns are keys, rows sum to 1.

A view has its place in three files. Two small ones to begin from: `variations/norms` is given its numbers,
`positions/order` has a sentence box above it and a model behind it.

    TOPIC/NAME.py   a `Canvas` with its traits, the function that makes one and gives it its still `picture` (of the
                    shapes in stills.py), and an `Explorer` where sentences are typed; names go to TOPIC/__init__.py
    TOPIC/NAME.js   what can be tested without a page, exported; then a class that extends `Stage` of canvas.js
    canvas.css      what only this view wears, each class beginning with the same few letters

Its bar (undo, reset, full screen, picture, numbers, the call, help) comes with the frame: what the script changes by
set() can be taken back, and where numbers stand in no table, a method csv() gives their rows.

What the frame reads of `meta`: shows (the corner's words), live (a model answers), version, call; the rest is the
view's. Numbers come as bytes in the trait `data`; load() runs again when `meta` or `data` change. A canvas has its
height from the view's CSS; where its aria-label speaks of keys or clicks, the bar's help shows it. The import at the
top of a script is for editors and tests: in a page all of canvas.js stands there, with vector.js (a view as SVG), so
none of their names is used anew.

The folder page has no views: there is the model that answers in a page without Python, and what it may be asked.

Outside of a notebook `canvas.offline_page("", canvas.slot("canvas", 0), view.style(), [view.frozen()])` is a page.

tests/NAME.test.js has the script's pure parts, by tests/script.mjs; tests/test_viz_TOPIC.py the rest;
tests/test_devices.py works every `explore_*` that has a model behind it.
"""

from core_options import threads

threads.leave_one()  # a notebook asks for one sentence at a time, and trains in parts
