"""All that this project knows of ipywidgets: a sentence box above a view, a button that runs what takes long.

And what a page without Python shows of either: widgets as JSON, which viz/pages.py writes as HTML.
"""

from __future__ import annotations

import atexit
import base64
import contextlib
import html
import json
import os
import pathlib
import queue
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import ipywidgets
from ipywidgets.widgets.widget import _instances as widgets

import transformer_core as tc
from core_options import page_weights
from studies.reading import beyond, check_words
from viz import page, stills, theme
from viz.canvas import Canvas, with_picture

ROOT = pathlib.Path(__file__).parent.parent
Work = Generator[str | None, None, Any]  # lines of progress, None where there is nothing new; returns the result

# ─── Pages without Python ────────────────────────────────────────────────────────────────────────────────────────────


def frozen_widgets(model_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What a page without Python shows of these widgets, as they are now; those that were closed are left out."""
    return {model_id: frozen(widgets[model_id]) for model_id in model_ids if model_id in widgets}


def frozen(widget: ipywidgets.Widget) -> dict[str, Any]:
    """A widget as JSON: "is" says whether it is a canvas, a figure, a box of others, text, or a control."""
    if isinstance(widget, Canvas):
        return {"is": "canvas", **widget.frozen()}
    if hasattr(widget, "to_plotly_json"):  # a FigureWidget
        return {"is": "bundle", "data": {"application/vnd.plotly.v1+json": json.loads(widget.to_json())}}
    if isinstance(spec := getattr(widget, "spec", None), dict):  # Altair's JupyterChart
        return {"is": "bundle", "data": {"application/vnd.vegalite.v6+json": spec}}
    if isinstance(widget, Explorer) and widget.view.twin:
        view, examples = frozen(widget.view), [list(example) for example in widget.examples]
        return {"is": "explorer", "view": view, "examples": examples, "sentence": widget.text, "line": widget.line}
    if isinstance(widget, ipywidgets.Output):
        return {"is": "outputs", "outputs": list(widget.outputs)}
    if isinstance(widget, ipywidgets.Box):
        titles = list(getattr(widget, "titles", ()))
        shown = [frozen(child) for child in widget.children if not hidden(child)]
        return {"is": "box", "across": isinstance(widget, ipywidgets.HBox), "children": shown, "titles": titles}
    if isinstance(widget, (ipywidgets.HTML, ipywidgets.HTMLMath)):
        return {"is": "bundle", "data": {"text/html": widget.value}}
    if isinstance(widget, ipywidgets.Label):
        return {"is": "bundle", "data": {"text/html": html.escape(widget.value)}}
    if isinstance(widget, ipywidgets.Image):
        return {"is": "bundle", "data": {f"image/{widget.format}": base64.b64encode(widget.value).decode()}}
    return frozen_control(widget)


def hidden(widget: ipywidgets.Widget) -> bool:
    """Whether a page has no place for it: it is not shown, or is a menu of examples for which no model answers."""
    return widget.layout.display == "none" or "view-examples" in widget._dom_classes


def frozen_control(widget: ipywidgets.Widget) -> dict[str, Any]:
    """A control as it stands: its name, its value, and of a number the range."""
    kinds = {"check": ipywidgets.Checkbox, "button": ipywidgets.Button}
    kind = next((name for name, widget_type in kinds.items() if isinstance(widget, widget_type)), "value")
    value = getattr(widget, "label", getattr(widget, "value", None))
    ends = [getattr(widget, end, None) for end in ("min", "max")]
    if kind == "value" and all(isinstance(number, (int, float)) for number in [value, *ends]):
        kind = "number"
    shown = value if isinstance(value, (bool, int, float)) else "" if value is None else str(value)
    named = getattr(widget, "description", "") or type(widget).__name__
    return {"is": "control", "kind": kind, "name": named, "value": shown, "range": ends}


# ─── What a reader moves ─────────────────────────────────────────────────────────────────────────────────────────────


class Explorer(ipywidgets.VBox):
    """A view with a translator behind it: type a sentence, Enter, and the view follows; `.reading` is what it made.

    A topic's explorer writes what is its own: how a sentence is `read`, the `first_view`, the `contents` of the view,
    what is set back for another sentence (`afresh`), the line that is `told`, and `examples`: sentences to choose from
    beside the box, each with what it shows. A sentence that `read` refuses with a ValueError leaves everything as it
    was, and its message becomes the line.
    """

    examples: tuple[tuple[str, str], ...] = ()

    def __init__(self, translator: Any, text: str, **opens_with: Any) -> None:
        self.translator, self.last_text = translator, text
        self.status = ipywidgets.HTML()  # first: reading may tell how far it is
        self.reading = self.read_words(text)
        self.view = self.first_view(**opens_with)
        if type(self).__name__ in page.EXPLORERS and self.asked_in_page:
            self.view.twin = self.in_page
        self.sentence = ipywidgets.Text(
            value=text,
            placeholder="Type a sentence and press Enter",
            continuous_update=False,
            description="Sentence",
            layout=ipywidgets.Layout(width="100%", max_width="760px"),
        )
        self.sentence.add_class("view-input")
        choices = [("…", ""), *((f"{shows}: {example}", example) for example, shows in self.examples)]
        beside = dict(layout=ipywidgets.Layout(width="150px"), style={"description_width": "initial"})
        self.menu = ipywidgets.Dropdown(options=choices, description="Examples", **beside)
        self.menu.tooltip = "Sentences to try, and what each shows"
        self.menu.add_class("view-examples")
        self.status.add_class("view-status")
        box = ipywidgets.HBox([self.sentence, self.menu]) if self.examples else self.sentence
        super().__init__([box, self.status, self.view])
        self.say(self.told())
        self.sentence.observe(lambda _: self.answer(), "value")
        self.menu.observe(lambda _: self.choose(), "value")

    # ---- what a topic writes

    def read(self, text: str) -> Any:
        """What the model makes of a sentence, or a ValueError that says why it cannot be shown."""
        raise NotImplementedError

    def first_view(self, **opens_with: Any) -> Any:
        """The view as it opens, with its picture and its answers."""
        raise NotImplementedError

    def contents(self) -> dict[str, Any]:
        """The traits that show the reading."""
        raise NotImplementedError

    def afresh(self, contents: dict[str, Any]) -> dict[str, Any]:
        """The traits that belonged to the sentence before, and what they are set to."""
        return {}

    def told(self) -> str:
        """The line below the sentence."""
        raise NotImplementedError

    def known_in_page(self) -> dict[str, Any]:
        """What the explorer's twin in a page without Python (viz/page) must know beyond the view's traits."""
        return {}

    # ---- what all do

    @property
    def text(self) -> str:
        """The sentence; setting it is typing it."""
        return self.sentence.value

    @text.setter
    def text(self, text: str) -> None:
        self.sentence.value = text

    def read_words(self, text: str) -> Any:
        """What the model makes of a sentence that has a word."""
        check_words(text)
        return self.read(text)

    def say(self, line: str) -> None:
        """Show one line; it is text, whatever it holds."""
        self.line = line
        self.status.value = f'<span role="status">{html.escape(line)}</span>'

    def choose(self) -> None:
        """Type the example chosen; the menu shows its name again."""
        if self.menu.value:
            self.text, self.menu.value = self.menu.value, ""

    def answer(self) -> None:
        """Let the model answer the sentence that stands in the box."""
        self.say("the model answers …")
        try:
            if self.text != self.last_text:
                self.view.waits = True
                self.take(self.read_words(self.text))
                self.last_text = self.text
            self.say(" · ".join(filter(None, [self.told(), beyond(self.translator, self.plain_text)])))
        except ValueError as error:
            self.say(str(error))
        finally:
            self.view.waits = False

    def take(self, reading: Any) -> None:
        """Show another reading; the version in meta counts those shown."""
        self.reading, meta = reading, self.view.meta
        contents = self.contents()
        contents["meta"] = meta | contents["meta"] | {"version": meta["version"] + 1, "call": self.called(meta["call"])}
        with self.view.hold_sync():
            for name, value in (self.afresh(contents) | contents).items():
                self.view.set_trait(name, value)
            self.view.waits = False

    @property
    def plain_text(self) -> str:
        """The sentence as a model reads it, without signs that only the box understands."""
        return self.text

    @property
    def asked_in_page(self) -> tc.Translator | None:
        """Whom a page without Python may ask, if it is one that ships."""
        return self.translator if isinstance(self.translator, tc.Translator) else None

    def in_page(self) -> dict[str, Any]:
        """Who answers in a page without Python, which model it asks, and where the view stands."""
        translator = self.asked_in_page
        assert translator
        about = {"text": self.last_text, "told": self.line, "shows": self.view.meta["shows"]}
        return {"is": type(self).__name__} | page_weights.named(translator) | about | self.known_in_page()

    def called(self, call: dict[str, str]) -> dict[str, str]:
        """The call that makes the view, and the sentence typed since."""
        typing = "\nexplorer.text = "
        typed = json.dumps(self.text, ensure_ascii=False)
        return call and call | {"text": call["text"].partition(typing)[0] + typing + typed}

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_picture(super()._repr_mimebundle_(**options), self.view.picture)


class RunHere(ipywidgets.VBox):
    """A button that runs here what made a stored result, a button that stops it, and a line that says how far it is.

    work: a command such as "python -m experiments.masks --out {out}", run in the project's folder (where the project
    is installed, in an empty one), whose result is the JSON it writes to {out}; or a function that returns a generator
    of lines of progress (None where there is nothing new, so that it can be stopped there), whose result is what the
    generator returns.
    then: takes the result, and may return the last line. takes: how long it took, in words, and where.

    >>> button = RunHere(lambda: (f"step {n}" for n in (1, 2)))
    >>> button.press(), button.wait(), button.line
    (None, True, 'step 2 · done')
    """

    def __init__(
        self, work: str | Callable[[], Work], *, takes: str = "", then: Callable[[Any], str | None] | None = None
    ) -> None:
        self._work = work if callable(work) else lambda: command(work)
        self._then, self.takes, self.line = then, takes, ""
        self._stop, self._thread, self.result = threading.Event(), threading.Thread(), None
        self.run, self.stop = ipywidgets.Button(description="Run it here"), ipywidgets.Button(description="Stop")
        self.run.tooltip = work if isinstance(work, str) else "in this notebook's kernel"
        self.stop.disabled = True
        self.run.on_click(lambda _: self.press())
        self.stop.on_click(lambda _: self.cancel())
        self.status = ipywidgets.HTML()
        self.status.add_class("view-status")
        super().__init__([ipywidgets.HBox([self.run, self.stop, self.status])])
        self.say(takes)

    @property
    def running(self) -> bool:
        """Whether it runs now."""
        return self._thread.is_alive()

    def press(self) -> None:
        """Start, unless it runs already."""
        if self.running:
            return
        self._stop.clear()
        self.run.disabled, self.stop.disabled = True, False
        self.say("starting …")
        self._thread = threading.Thread(target=self._finish, daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Stop at the next line of progress; a command is ended at once."""
        self._stop.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the end; whether it came."""
        if self.running:
            self._thread.join(seconds)
        return not self.running

    def say(self, line: str) -> None:
        """Show one line; it is text, whatever it holds."""
        self.line = line
        self.status.value = f'<span role="status">{html.escape(line)}</span>'

    def _finish(self) -> None:
        """Run to the end, to a stop or to an error, and say which it was."""
        try:
            if self._run():
                summary = self._then(self.result) if self._then else None
                self.say(summary or " · ".join(filter(None, [self.line.removeprefix("starting …"), "done"])))
            else:
                self.say("stopped; nothing was changed")
        except Exception as error:
            self.say(f"{type(error).__name__}: {error}")
        finally:
            self.run.disabled, self.stop.disabled = False, True

    def _run(self) -> bool:
        """Whether the work came to its end before it was stopped."""
        with contextlib.closing(self._work()) as work:
            while not self._stop.is_set():
                try:
                    line = next(work)
                except StopIteration as end:
                    self.result = end.value
                    return True
                if line:
                    self.say(line)
        return False

    def _repr_mimebundle_(self, **options: Any) -> Any:
        return with_picture(super()._repr_mimebundle_(**options), self.picture)

    def picture(self) -> stills.Svg:
        """For a page without Python: what the button would do, and how to get it."""
        hint = " · ".join(filter(None, ["Run it here: needs Python, open the notebook in JupyterLab", self.takes]))
        text = stills.element("text", theme.escaped(hint), x=8, y=18, fill="#6b7680", font_size=13)
        return stills.drawing([text], 760, 28, hint)


def ignore_interrupts() -> None:
    """Lab's Interrupt is for cells and reaches every process of the kernel; Stop ends this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def command(line: str) -> Work:
    """Run a command: its lines are the progress, the JSON it writes to {out} is the result."""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as leaving:
        out = pathlib.Path(folder) / "result.json"
        words = [word.replace("{out}", str(out)) for word in shlex.split(line)]
        words[0] = sys.executable if words[0] == "python" else words[0]
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        apart = dict(preexec_fn=ignore_interrupts) if os.name == "posix" else {}
        at = ROOT if (ROOT / "pyproject.toml").is_file() else folder  # installed, nothing is left among packages
        process = subprocess.Popen(words, cwd=at, env=os.environ | {"PYTHONUNBUFFERED": "1"}, **pipes, **apart)  # type: ignore[call-overload]
        atexit.register(process.kill)  # it does not outlive the notebook's kernel
        for tidy in (process.wait, process.kill):
            leaving.callback(tidy)
        leaving.callback(atexit.unregister, process.kill)
        last = ""
        for printed in lines_of(process):
            last = printed or last
            yield printed
        if process.wait():
            raise RuntimeError(f"{last or 'it said nothing'} (the command ended with status {process.returncode})")
        return json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def lines_of(process: subprocess.Popen) -> Iterator[str | None]:
    """What a process says, line by line as it comes; None every tenth of a second in which it says nothing."""
    lines: queue.Queue[str | None] = queue.Queue()

    def read() -> None:
        for line in process.stdout or ():
            lines.put(line.strip())
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    while True:
        try:
            line = lines.get(timeout=0.1)
        except queue.Empty:
            yield None
            continue
        if line is None:
            return
        yield line
