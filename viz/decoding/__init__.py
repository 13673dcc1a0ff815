"""Decoding under the reader's hands: the tree that beam search grows, two ways of decoding, sampling, and the cache.

What is shown is the core's own search (`studies.decoding.Tree`), and numbers that are computed by the same study.
"""

from viz.decoding.beam import BeamExplorer, BeamView, explore_beam, tree_json
from viz.decoding.charts import operations_chart, places_chart
from viz.decoding.sampling import SamplingView, explore_sampling, sampling_picture, sampling_view
from viz.decoding.tree import tree_picture, two_ways_picture

__all__ = [
    "BeamExplorer",
    "BeamView",
    "SamplingView",
    "explore_beam",
    "explore_sampling",
    "operations_chart",
    "places_chart",
    "sampling_picture",
    "sampling_view",
    "tree_json",
    "tree_picture",
    "two_ways_picture",
]
