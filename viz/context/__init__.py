"""Context-aware self-attention under the reader's hands: the gate by hand, and the contexts drawn.

`explore_gate` mixes queries and keys with their context under the reader's λ, in the page; `context_view` draws what
each kind of context is made of; the charts hold our runs against what is printed. The numbers: studies/context.py.
"""

from viz.context.charts import gate_chart, quality_chart, speed_chart
from viz.context.gate import GateExplorer, GateView, explore_gate, gate_contents, gate_picture, gate_view
from viz.context.parts import ContextView, context_picture, context_view

__all__ = [
    "ContextView",
    "GateExplorer",
    "GateView",
    "context_picture",
    "context_view",
    "explore_gate",
    "gate_chart",
    "gate_contents",
    "gate_picture",
    "gate_view",
    "quality_chart",
    "speed_chart",
]
