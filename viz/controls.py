"""All that this project knows of ipywidgets: a sentence box above a live view."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

import ipywidgets

from viz.canvas import Canvas, with_picture


class Explorer(ipywidgets.VBox):
    """A sentence box, a line that says what happened, and a view: type, Enter, and the view follows.

    respond takes the sentence, changes the view, and returns the line; a ValueError's message becomes the line.
    """

    def __init__(self, view: Canvas, text: str, respond: Callable[[str], str]) -> None:
        self.view, self._respond = view, respond
        self.sentence = ipywidgets.Text(
            value=text,
            placeholder="Type a sentence and press Enter",
            continuous_update=False,
            description="Sentence",
            layout=ipywidgets.Layout(width="100%", max_width="760px"),
        )
        self.sentence.add_class("att-input")
        self.status = ipywidgets.HTML()
        self.status.add_class("att-status")
        self.sentence.observe(lambda _: self.answer(), "value")
        super().__init__([self.sentence, self.status, view])
        self.answer()

    @property
    def text(self) -> str:
        """The sentence; setting it is typing it."""
        return self.sentence.value

    @text.setter
    def text(self, text: str) -> None:
        self.sentence.value = text

    def say(self, line: str) -> None:
        """Show one line; it is text, whatever it holds."""
        self.status.value = f'<span role="status">{html.escape(line)}</span>'

    def answer(self) -> None:
        """Let the model answer the sentence that stands in the box."""
        self.say("translating …")
        try:
            self.say(self._respond(self.text))
        except ValueError as error:
            self.say(str(error))

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_picture(super()._repr_mimebundle_(**options), self.view.picture)
