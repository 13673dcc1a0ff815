"""Decoding under the reader's hands: the tree that beam search grows, taught and alone, sampling, and the cache.

What is shown is the core's own search (`studies.decoding.Tree`), and numbers that are computed by the same study.
"""

from viz.decoding.beam import BeamExplorer, BeamView, explore_beam, tree_json
from viz.decoding.charts import operations_chart, places_chart
from viz.decoding.forced import ForcedExplorer, ForcedView, explore_forced, forced_picture, forced_view
from viz.decoding.sampling import SamplingView, explore_sampling, sampling_picture, sampling_view
from viz.decoding.tree import tree_picture, two_ways_picture

__all__ = [
    "BeamExplorer",
    "BeamView",
    "ForcedExplorer",
    "ForcedView",
    "SamplingView",
    "explore_beam",
    "explore_forced",
    "explore_sampling",
    "forced_picture",
    "forced_view",
    "operations_chart",
    "places_chart",
    "sampling_picture",
    "sampling_view",
    "tree_json",
    "tree_picture",
    "two_ways_picture",
]
