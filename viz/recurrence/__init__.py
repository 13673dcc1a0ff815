"""Before Transformers, under the reader's hands: a recurrent translator step by step.

`alignment_view` takes the numbers of studies/recurrence.py, `explore_alignment` trained translators and a sentence box.
Charts take what experiments/recurrence.py wrote.
"""

from viz.recurrence.alignment import AlignmentExplorer, RecurrenceView, alignment_view, explore_alignment
from viz.recurrence.charts import alignment_chart, drawn_as, layers_chart, length_chart, per_token_chart, speed_chart
from viz.recurrence.maps import maps_picture, view_picture

__all__ = [
    "AlignmentExplorer",
    "RecurrenceView",
    "alignment_chart",
    "alignment_view",
    "drawn_as",
    "explore_alignment",
    "layers_chart",
    "length_chart",
    "maps_picture",
    "per_token_chart",
    "speed_chart",
    "view_picture",
]
