"""Model in, numbers out: a study a topic, the twin of a section of `transformer_core` and of a notebook.

Nothing here draws; what is drawn from these numbers stands in `viz`. Most studies begin with a `reading.Reading`, one
sentence gone through a model.
"""
