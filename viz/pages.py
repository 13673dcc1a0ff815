"""Every notebook as one HTML file that moves with no Python and no network: `python -m viz.pages`.

A notebook is run in a kernel of its own. Its text, code and pictures become HTML; its canvases, Plotly figures and
Altair charts go on moving in the page (page.js). Where a trained model that ships stands behind a view, it answers in
the page too (viz/page): its weights lie beside the pages, once for all of them, or within a page that is to stand
`--alone`. Controls that only Python can answer are shown as they stand, and marked. The index lists the pages, and is
itself alive where the weights are.
"""

from __future__ import annotations

import base64
import functools
import html
import itertools
import json
import mimetypes
import os
import pathlib
import re
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import latex2mathml.converter
import mistune
import nbclient
import nbformat
import plotly.offline
import pygments
import pygments.formatters
import pygments.lexers
import tyro
import vl_convert

import transformer_core as tc
from core_options import page_weights
from studies import recurrence
from viz import canvas, stills
from viz.attention import cross_attention_alone, explore_attention
from viz.controls import frozen
from viz.page import contents

HERE = pathlib.Path(__file__).parent
MOST_BYTES = 6_000_000  # of a page
MOST_KERNELS = 4  # at a time: each takes up to a gigabyte
PLOTLY, WIDGET, FROZEN = (
    "application/vnd.plotly.v1+json", "application/vnd.jupyter.widget-view+json", "application/vnd.frozen-widgets+json",
)  # fmt: skip
ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class Stopped(Exception):
    """What ends the command, as one sentence for the reader."""

    status = 1


class NoNotebook(Stopped):
    """There is nothing to run, as it was named wrongly, or the notebooks were not installed."""

    status = 2


def chosen(notebooks: Sequence[pathlib.Path]) -> list[pathlib.Path]:
    """These notebooks, or where none is named all of the project's."""
    folder = HERE.parent / "notebooks"
    paths = [path.resolve() for path in notebooks] or sorted(folder.glob("*.ipynb"))
    if absent := [str(path) for path in paths if not path.is_file()] or ([] if paths else [f"in {folder}"]):
        raise NoNotebook(f"There is no notebook {absent[0]}; name files ending in .ipynb.")
    return paths


# ─── Running a notebook ──────────────────────────────────────────────────────────────────────────────────────────────

KERNEL: dict[str, Any] = dict(timeout=600, coalesce_streams=True, extra_arguments=["--log-level=ERROR"])
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",  # as notebooks are stored
    "PLOTLY_RENDERER": "plotly_mimetype",
    "PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
}

# The last cell that is run: the widgets on show, as they are at the end, which is how a notebook shows them.
FREEZE = """
from IPython.display import display
from viz.controls import frozen_widgets
display({{"{mime}": frozen_widgets({ids})}}, raw=True)
"""


def run(path: pathlib.Path, say: Callable[[str], None]) -> tuple[nbformat.NotebookNode, dict[str, Any]]:
    """Run a notebook from top to bottom in its folder; returns it with its outputs, and its widgets by their ids."""
    notebook = nbformat.read(path, as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    client = nbclient.NotebookClient(notebook, resources=folder, **KERNEL)
    code = [place for place, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    with client.setup_kernel(env=os.environ | ENVIRONMENT):
        for number, place in enumerate(code, 1):
            say(f"{path.name}: code cell {number} of {len(code)}")
            run_cell(client, place, f"{path.name}, code cell {number} of {len(code)}")
        ids = [model_id for cell in notebook.cells for model_id in shown_widgets(cell)]
        if not ids:
            return notebook, {}
        last = nbformat.v4.new_code_cell(FREEZE.format(mime=FROZEN, ids=ids))
        notebook.cells.append(last)
        run_cell(client, len(notebook.cells) - 1, f"{path.name}, the views at its end")
        return notebook, notebook.cells.pop().outputs[0].data[FROZEN]


def run_cell(client: nbclient.NotebookClient, place: int, named: str) -> None:
    """Run one cell; if it stops, say which, and why."""
    cell = client.nb.cells[place]
    try:
        client.execute_cell(cell, place)
    except nbclient.exceptions.CellExecutionError as error:
        why = [error.ename, *ANSI.sub("", error.evalue).splitlines()[:1]]
        raise Stopped(f"{named} stopped: {': '.join(why)}") from error
    except nbclient.exceptions.CellTimeoutError as error:
        raise Stopped(f"{named} took more than {client.timeout} seconds.") from error
    except nbclient.exceptions.DeadKernelError as error:
        raise Stopped(f"{named} did not end: Python died in it.") from error


def shown_widgets(cell: nbformat.NotebookNode) -> list[str]:
    """The ids of the widgets that a cell's outputs show."""
    views = [output.get("data", {}).get(WIDGET) for output in cell.get("outputs", [])]
    return [view["model_id"] for view in views if view]


def is_live(cell: nbformat.NotebookNode) -> bool:
    """Whether a cell shows a live view, or the picture that is stored of one (a chart's has other forms beside it)."""
    bundles = [output.get("data", {}) for output in cell.get("outputs", [])]
    stored = [data["text/markdown"] for data in bundles if data.keys() == {"text/markdown", "text/plain"}]
    return bool(shown_widgets(cell)) or any(text.startswith(stills.LIVE) for text in stored)


def answers(cells: Sequence[nbformat.NotebookNode]) -> list[int]:
    """The places of code cells whose output answers a **Predict** in the text above: folded, until it is asked for.

    A live view is not folded: it is what the reader predicts with.
    """
    places, asked = [], False
    for place, cell in enumerate(cells):
        if cell.cell_type == "markdown":
            asked = "**Predict" in cell.source
        elif asked and cell.cell_type == "code" and cell.outputs:
            asked = False
            if not is_live(cell):
                places.append(place)
    return places


OTHERWISE = re.compile(r"[#|>$]|\*\*(How to read it|The formula|Do it yourself)\b")  # it begins, and tells no answer


def parted(text: str) -> tuple[str, str]:
    """What a text begins with that would tell a prediction's answer, and the rest: a paragraph, and what it announces.

    A formula and what follows it in the same sentence belong to the paragraph.

    >>> parted("Ten.\\n\\nNow *why* is it ten?"), parted("### Why ten?"), parted("Ten. **Predict:** why?")
    (('Ten.', 'Now *why* is it ten?'), ('', '### Why ten?'), ('', 'Ten. **Predict:** why?'))
    >>> parted("These two:\\n\\n- one\\n- two\\n\\nThat is all.")
    ('These two:\\n\\n- one\\n- two', 'That is all.')
    >>> parted("It is,\\n\\n$$x$$\\n\\nand no more.\\n\\nNext.")
    ('It is,\\n\\n$$x$$\\n\\nand no more.', 'Next.')
    """
    blocks = text.strip().split("\n\n")
    ends = (n for n, (block, after) in enumerate(itertools.pairwise([*blocks, "."]), 1) if not goes_on(block, after))
    end = next(ends, len(blocks))
    told, rest = ("\n\n".join(part) for part in (blocks[:end], blocks[end:]))
    return ("", text) if OTHERWISE.match(told) or re.search(r"\*\*(Predict|Question)", told) else (told, rest)


def goes_on(block: str, after: str) -> bool:
    """Whether a text's next block belongs to the sentence that this one has begun, or is what it announces."""
    return block.rstrip().endswith((":", ",")) or after.startswith("$$") or after[:1].islower()


def announcing(told: str) -> tuple[str, str]:
    """A text without its last sentence, and that one if it announces what stands below.

    >>> announcing("Ten. (So it is.) And the rest, one by one:"), announcing("Ten."), announcing("All of them:")
    (('Ten. (So it is.)', 'And the rest, one by one:'), ('Ten.', ''), ('', 'All of them:'))
    """
    if not told.rstrip().endswith(":"):
        return told, ""
    *_, end = [0, *(match.end() for match in re.finditer(r"[.!?][)*\"”]*\s+(?=[^a-z])", told))]
    return told[:end].rstrip(), told[end:]


Group = tuple[int, nbformat.NotebookNode, bool, list[nbformat.NotebookNode]]


def grouped(cells: Sequence[nbformat.NotebookNode]) -> list[Group]:
    """Cells by their place, each with whether its output is folded, and with what is folded with it, as it would tell.

    That is the code right below, with its output, and how the text below begins; a sentence that announces what stands
    below the text stays with that.
    """
    folded, telling = answers(cells), False
    groups: list[Group] = []
    for place, cell in enumerate(cells):
        text, telling = cell.cell_type == "markdown", telling and place not in folded and not is_live(cell)
        told, rest = (cell.source, "") if not (telling and text) else parted(cell.source)
        if telling and text and not rest:
            told, rest = announcing(told)
        if telling and told:
            groups[-1][-1].append(nbformat.from_dict({**cell, "source": told}))
        if not telling or rest:
            groups.append((place, nbformat.from_dict({**cell, "source": rest or told}), place in folded, []))
        telling = place in folded or (telling and not text)
    return groups


# ─── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def mathml(tex: str, block: bool) -> str:
    """A formula as MathML, which browsers draw by themselves.

    >>> plain_text(mathml("x^2", block=False)), "<msup>" in mathml("x^2", block=False)
    ('x2', True)
    """
    known = re.sub(r"\\(begin|end)\{(?:aligned|split|align)\}", r"\\\1{align*}", tex.strip())
    drawn = latex2mathml.converter.convert(known, display="block" if block else "inline")
    if unknown := re.search(r"<m[ion]>(\\\w+)<", drawn):
        raise ValueError(f"the formula {tex.strip()!r} has {unknown[1]}, which a page cannot draw; write it otherwise.")
    return re.sub(r'"negative(\w+)mathspace"', lambda m: f'"-{SPACES.get(m[1], 0.17)}em"', drawn)


SPACES = {"thin": 0.17, "medium": 0.22, "thick": 0.28}  # \! and its kin, in em


def coloured(code: str, language: str = "python") -> str:
    """Code as HTML with a class for each part of speech; an unknown language stays as it is."""
    try:
        lexer = pygments.lexers.get_lexer_by_name(language, stripnl=False)
    except pygments.util.ClassNotFound:
        lexer = pygments.lexers.TextLexer(stripnl=False)
    written = pygments.highlight(code.rstrip("\n"), lexer, pygments.formatters.HtmlFormatter(nowrap=True))
    return f'<pre class="pg-code" tabindex="0"><code>{written.rstrip()}</code></pre>\n'


class Prose(mistune.HTMLRenderer):
    """Markdown as a notebook means it: headings that links find, formulas as MathML, code in colour."""

    def __init__(self) -> None:
        super().__init__(escape=False, allow_harmful_protocols=["attachment:", "data:image/"])

    def heading(self, text: str, level: int, **attributes: Any) -> str:
        anchor = html.escape(plain_text(text).replace(" ", "-"))
        return f'<h{level} id="{anchor}">{text}</h{level}>\n'

    def block_code(self, code: str, info: str | None = None) -> str:
        return coloured(code, (info or "text").split()[0])

    def inline_math(self, text: str) -> str:
        return mathml(text, block=False)

    def block_math(self, text: str) -> str:
        return f'<div class="pg-formula">{mathml(text, block=True)}</div>\n'


def prose(markdown: str) -> str:
    """The HTML of a text cell."""
    plugins = ["table", "strikethrough", "url", "task_lists", "math"]
    return str(mistune.create_markdown(renderer=Prose(), plugins=plugins)(markdown))


def plain_text(markup: str) -> str:
    """What remains of HTML when the tags are taken out.

    >>> plain_text("one <em>head</em> &amp; more")
    'one head & more'
    """
    return html.unescape(re.sub(r"<[^>]*>", "", markup)).strip()


def first_sentence(markup: str) -> str:
    """The first sentence of the first paragraph."""
    paragraph = re.search(r"<p>(.*?)</p>", markup, re.DOTALL)
    text = " ".join(plain_text(paragraph[1]).split()) if paragraph else ""
    return re.split(r"(?<=[.?!]) (?=[A-Z“])", text, maxsplit=1)[0]


# ─── Pictures and controls ───────────────────────────────────────────────────────────────────────────────────────────

FOLDED = "See what comes out"
NEEDS = '<span class="pg-needs">needs Python</span>'
SCRIPTS = re.compile(r"<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE)
PICTURE = re.compile(r'^<img (.*?)(?: onload="[^"]*")?>$', re.MULTILINE)  # as viz/stills.py writes it


def pictured(data: Mapping[str, Any]) -> bool:
    """Whether a picture is among the forms of an output."""
    return any(form.startswith("image/") for form in data) or bool(PICTURE.search(data.get("text/markdown", "")))


def said_of(picture: str) -> str:
    """The text alternative of a picture, of an <img>'s attributes.

    >>> said_of('alt="a &lt;b&gt; c" width="10"')
    'a <b> c'
    """
    alternative = re.search(r'\balt="([^"]*)"', picture)
    return html.unescape(alternative[1]) if alternative else ""


def image(kind: str, content: bytes, description: str = "") -> str:
    """A picture as part of the page."""
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return f'<img class="pg-picture" loading="lazy" alt="{html.escape(description)}" src="{address}">'


def text_block(text: str, kind: str = "") -> str:
    """What a program printed, without the colours of a terminal; of source no line is broken."""
    source = ' pg-source" tabindex="0' if re.search(r"^ *(def|class) \w+.*[:(]$", text, re.MULTILINE) else ""
    return f'<pre class="pg-out {kind}{source}">{html.escape(ANSI.sub("", text).rstrip())}</pre>\n'


def control(kind: str, name: str, value: Any, ends: Sequence[float]) -> str:
    """A control as it stood; nobody answers it, so it cannot be moved."""
    name, shown = html.escape(name), html.escape(str(value))
    if kind == "button":
        return f'<button class="pg-control" disabled>{name}</button>'
    if kind == "check":
        return f'<label class="pg-control"><input type="checkbox" disabled{" checked" if value else ""}> {name}</label>'
    if kind == "number":
        slider = f'<input type="range" disabled min="{ends[0]}" max="{ends[1]}" step="any" value="{shown}">'
        return f'<label class="pg-control">{name} {slider} <output>{shown}</output></label>'
    return f'<label class="pg-control">{name} <input type="text" disabled value="{shown}"></label>'


def frozen_text(name: str, value: str) -> dict[str, Any]:
    """A field for text as it stood."""
    return {"is": "control", "kind": "value", "name": name, "value": value, "range": [None, None]}


class Sheet:
    """One page as it is written: what it holds so far of views, figures and libraries, one copy of each."""

    def __init__(self, path: pathlib.Path, widgets: Mapping[str, dict], out: pathlib.Path, alone: bool = False) -> None:
        self.path, self.widgets, self.out = path, widgets, out
        self.alone = alone  # nothing will lie beside the page: no weights, no other pages
        self.views: dict[str, dict] = {}  # by the widget's id: two views of one widget share its state
        self.figures: list[dict] = []
        self.libraries: dict[str, str] = {}
        self.translators: dict[str, dict[str, str]] = {}  # by name: the scripts beside the page that hold their weights
        self.pictured: dict[str, str] = {}  # the HTML of live views by what the notebook says of their pictures

    def cell(
        self,
        cell: nbformat.NotebookNode,
        named: str,
        folded: bool = False,
        told: Sequence[nbformat.NotebookNode] = (),
    ) -> str:
        """A cell as HTML: text, or code and what it brought forth, folded where a reader is to predict it first.

        told: cells that are folded with it.
        """
        try:
            if cell.cell_type == "markdown":
                return f'<section class="pg-text">\n{self.text(cell)}</section>\n'
            if cell.cell_type != "code" or not cell.source.strip():
                return ""
            source = re.sub(r"^# NBVAL_\w+\n", "", cell.source)
            outputs = self.outputs(cell.outputs)
            if folded:
                outputs += "".join(self.cell(each, f"{named}, or below it") for each in told)
                outputs = f'<details class="pg-folded"><summary>{FOLDED}</summary>\n{outputs}</details>\n'
            return f'<section class="pg-cell">\n{coloured(source)}{outputs}</section>\n'
        except ValueError as error:
            raise Stopped(f"{named}: {error}") from error

    def text(self, cell: nbformat.NotebookNode) -> str:
        """A text cell, its pictures with it."""
        return self.at_home(prose(cell.source), cell.get("attachments", {}))

    def outputs(self, outputs: Sequence[Mapping]) -> str:
        """What a cell brought forth, in order."""
        return "".join(self.output(output) for output in outputs)

    def output(self, output: Mapping) -> str:
        """One output: printed text, an error that the cell was to show, or something in one of several forms."""
        if output["output_type"] == "stream":
            return text_block(output["text"], "pg-aside" if output["name"] == "stderr" else "")
        if output["output_type"] == "error":
            return text_block(f"{output['ename']}: {output['evalue']}", "pg-aside")
        return f'<div class="pg-output">{self.bundle(output["data"])}</div>\n'

    def bundle(self, data: Mapping[str, Any]) -> str:
        """Something in the form that moves most: a live view, a figure, a picture, HTML, text."""
        if PLOTLY in data:
            return self.figure("plotly", data[PLOTLY], data)
        if vega := next((form for form in data if form.startswith("application/vnd.vegalite")), None):
            if not pictured(data):
                data = {**data, **stills.Svg(vl_convert.vegalite_to_svg(data[vega]), "a chart")._repr_mimebundle_()}
            return self.figure("vega", data[vega], data)
        if WIDGET in data:
            tree = self.widgets.get(data[WIDGET]["model_id"])
            needs = NEEDS if tree is None or tree["is"] == "control" else ""
            shown = self.widget(tree) if tree else self.still(data)
            self.keep_for_the_notebook(data, shown)
            return shown + needs
        return self.still(data)

    def still(self, data: Mapping[str, Any]) -> str:
        """Something that does not move, in its best form."""
        plain = data.get("text/plain", "")
        if drawn := PICTURE.search(data.get("text/markdown", "")):
            return f'<img class="pg-picture" loading="lazy" {drawn[1]}>'
        if "image/svg+xml" in data:
            return image("image/svg+xml", data["image/svg+xml"].encode(), plain)
        for kind in ("image/png", "image/jpeg", "image/gif"):
            if kind in data:
                return image(kind, base64.b64decode(data[kind]), plain)
        if "text/html" in data:
            return f'<div class="pg-html">{self.at_home(SCRIPTS.sub(NEEDS, data["text/html"]))}</div>'
        if "text/markdown" in data:
            return f'<div class="pg-text">{self.at_home(prose(data["text/markdown"]))}</div>'
        return prose(data["text/latex"]) if "text/latex" in data else text_block(plain)

    def keep_for_the_notebook(self, data: Mapping[str, Any], shown: str) -> None:
        """Keep the HTML of canvases for the notebook itself, which has their picture already."""
        picture = PICTURE.search(data.get("text/markdown", ""))
        if picture and set(re.findall(r'class="pg-view" data-kind="(\w+)"', shown)) == {"canvas"}:
            self.pictured[said_of(picture[1])] = canvas.without_stills(shown)

    def figure(self, kind: str, figure: dict, data: Mapping[str, Any]) -> str:
        """A place for a Plotly figure or an Altair chart, drawn when the reader comes near."""
        self.libraries.setdefault(kind, zipped(kind))
        self.figures.append(figure)
        return self.place(kind, len(self.figures) - 1, data)

    def place(self, kind: str, number: int, data: Mapping[str, Any]) -> str:
        """A place for something that moves, with its still picture for a browser that runs no scripts."""
        return canvas.slot(kind, number, self.still(data) if pictured(data) else "")

    def widget(self, tree: Mapping[str, Any]) -> str:
        """A frozen widget: what moves without Python goes on moving, the rest is shown as it stands."""
        if tree["is"] == "canvas":
            return self.asks(tree) + self.canvas(tree)
        if tree["is"] == "explorer":
            return self.explorer(tree)
        if tree["is"] == "bundle":
            return self.bundle(tree["data"])
        if tree["is"] == "outputs":
            return self.outputs(tree["outputs"])
        if tree["is"] == "control":
            return control(tree["kind"], tree["name"], tree["value"], tree["range"])
        return self.box(tree["children"], tree["titles"], tree["across"])

    def canvas(self, tree: Mapping[str, Any]) -> str:
        """A place for a canvas, with its still picture."""
        return self.place("canvas", self.number(tree), tree["still"])

    def number(self, tree: Mapping[str, Any]) -> int:
        """The place of a canvas among the page's views; it has a twin only where a model answers."""
        self.views.setdefault(tree["id"], {**tree, "twin": tree["twin"] if self.answered(tree) else None})
        return list(self.views).index(tree["id"])

    def answered(self, tree: Mapping[str, Any]) -> bool:
        """Whether a canvas is answered by a model that lies beside the page: one that ships, and is the one it had."""
        twin = tree.get("twin")
        if not twin or twin["fingerprint"] != shipped(twin["model"]):
            return False
        model = model_of(twin["model"])
        about = {
            "src": "" if self.alone else urllib.parse.quote(script_name(model["name"])),
            "name": model["name"],
            "sha256": model["sha256"],
        }
        self.translators[twin["model"]] = about
        return True

    def asks(self, tree: Mapping[str, Any], controls: str = "", line: str = "") -> str:
        """What stands above a canvas that a model in the page answers: controls, and the line that it speaks."""
        if not self.answered(tree):
            return ""
        line = f'<p role="status">{html.escape(line)}</p>'
        return f'<div class="pg-asks" data-kind="asks" data-number="{self.number(tree)}">{controls}{line}</div>\n'

    def explorer(self, tree: Mapping[str, Any]) -> str:
        """A sentence box, its examples, the line below and the view; where no model answers the box stands still."""
        view, text = tree["view"], html.escape(tree["sentence"])
        if not self.answered(view):
            line = {"is": "bundle", "data": {"text/html": html.escape(tree["line"])}}
            return self.box([frozen_text("Sentence", tree["sentence"]), line, view], [], across=False)
        shown = "".join(
            f'<option value="{html.escape(example)}">{html.escape(f"{shows}: {example}")}</option>'
            for example, shows in tree["examples"]
        )
        hints = 'placeholder="Type a sentence and press Enter" autocomplete="off"'
        field = f'<input type="text" disabled value="{text}" {hints}>'
        titled = 'title="Sentences to try, and what each shows"'
        menu = f'<select disabled {titled}><option value="">…</option>{shown}</select>'
        controls = f'<label class="pg-control">Sentence {field}</label> '
        controls += f'<label class="pg-control">Examples {menu}</label>' if shown else ""
        return self.asks(view, controls, tree["line"]) + self.canvas(view)

    def box(self, children: Sequence[Mapping], titles: Sequence[str], across: bool) -> str:
        """Widgets side by side or one above the other; a mark after the last that needs Python."""
        last = max((place for place, child in enumerate(children) if child["is"] == "control"), default=None)
        parts = []
        for place, child in enumerate(children):
            title = f"<p><b>{html.escape(titles[place])}</b></p>" if place < len(titles) else ""
            parts.append(f"<div>{title}{self.widget(child)}{NEEDS if place == last else ''}</div>")
        return f'<div class="{"pg-row" if across else "pg-box"}">{"".join(parts)}</div>'

    def at_home(self, markup: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> str:
        """HTML whose pictures are part of the page, and whose links to notebooks lead to their pages."""

        def settled(tag: re.Match) -> str:
            address = html.unescape(tag["address"])
            target = self.picture(address, attachments or {}) if tag["name"] == "img" else self.link(address)
            before = tag["before"]
            if self.alone and tag["name"] == "a" and is_local(address):
                before = f"{before.removesuffix('href=')}data-leads-to="  # it stays, and leads nowhere
            return f'{before}"{html.escape(target)}"'

        pattern = r"""(?P<before><(?P<name>img|a)\b[^>]*?\s(?:src|href)=)(?:"(?P<address>[^"]*)")"""
        return re.sub(pattern, settled, markup)

    def picture(self, address: str, attachments: Mapping[str, Mapping[str, str]]) -> str:
        """A picture's content as its address."""
        if address.startswith("data:"):
            return address
        if address.startswith("attachment:"):
            kind, content = next(iter(attachments[address.removeprefix("attachment:")].items()))
            return f"data:{kind};base64,{content}"
        file = self.path.parent / urllib.parse.unquote(address)
        if "://" in address or not file.is_file():
            raise ValueError(f"the picture {address} is no file; keep it beside the notebook.")
        kind = mimetypes.guess_type(file.name)[0] or "image/png"
        return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"

    def link(self, address: str) -> str:
        """A link as it leads on from the page: to another page, to a file of the project, or out as it was."""
        parts = urllib.parse.urlsplit(address)
        if not is_local(address):
            return address
        target = (self.path.parent / urllib.parse.unquote(parts.path)).resolve()
        if target.suffix == ".ipynb" and target.parent == self.path.parent.resolve():
            path = f"{target.stem}.html"
        else:
            path = pathlib.Path(os.path.relpath(target, self.out.resolve())).as_posix()
        return urllib.parse.urlunsplit(("", "", urllib.parse.quote(path), parts.query, parts.fragment))


def is_local(address: str) -> bool:
    """Whether an address is that of a file beside the notebook: not one elsewhere, nor a place in the page.

    >>> [is_local(address) for address in ("a.ipynb#b", "#b", "https://example.org")]
    [True, False, False]
    """
    parts = urllib.parse.urlsplit(address)
    return bool(parts.path) and not (parts.scheme or parts.netloc)


@functools.cache
def zipped(name: str) -> str:
    """A library for the page, as base64 of gzip: Plotly's 4.8 MB take 2.0 MB so."""
    if name == "plotly":
        own = plotly.offline.get_plotlyjs()
        maps = sorted(set(re.findall(r'document\.getElementById\("([0-9a-f]{64})"\)', own)))  # the sheet of its maps
        known = (
            f'{maps}.forEach((id) => document.head.append(Object.assign(document.createElement("meta"), {{ id }})));'
        )
        text = f"{known}\n{own}\n{canvas.said(name, 'window.Plotly')}"
    else:
        text = vl_convert.javascript_bundle(canvas.said(name, "vegaEmbed"))
    return canvas.zipped(text)


# ─── Models beside the pages ─────────────────────────────────────────────────────────────────────────────────────────

MOST_USED = "tatoeba-en-de"


def script_name(name: str) -> str:
    """The file beside the pages that holds a translator's weights."""
    return "model.js" if name == MOST_USED else f"{name}.js"


def translator_of(name: str) -> tc.Translator | None:
    """The translator of this name among the checkpoints; the recurrent ones are one."""
    return recurrence.together(recurrence.shipped()) if name == recurrence.SHIPPED else tc.load_pretrained(name)


@functools.cache
def shipped(name: str) -> str:
    """The fingerprint of the translator of this name among the checkpoints; "" where there is none."""
    try:
        translator = translator_of(name) if name else None
        return page_weights.fingerprint(translator) if translator else ""
    except (ValueError, OSError):
        return ""


@functools.cache
def model_of(name: str) -> dict[str, Any]:
    """A translator as its script holds it."""
    small = name == recurrence.SHIPPED  # so small that it need lose nothing
    return page_weights.packed(translator_of(name) or name, "f16" if small else "int8")


def write_models(names: Iterable[str], out: pathlib.Path) -> None:
    """Write the weights of these translators beside the pages."""
    for name in sorted(names):
        tc.write_atomically(out / script_name(name), page_weights.script_of(model_of(name)).encode())


# ─── Pages ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Page:
    """A written page: its name without .html, title, what it asks, text, the models that answer in it, and its views.

    views: as a script for the notebook itself, if there are any.
    """

    name: str
    title: str
    sentence: str
    text: str
    models: tuple[str, ...] = ()
    views: str = ""


HEAD = """<title>{title}</title>
<meta name="description" content="{sentence}">
<meta name="generator" content="viz.pages">"""

BODY = """<body class="pg">
<header class="pg-top">{links}
<p>{answers}This is the notebook {name}.ipynb as it ran.{needs}</p>
</header>
<main>
{cells}</main>
<footer class="pg-top">{again}</footer>
</body>"""

ANSWERS = "What you type or change is answered in this page, by a trained model ({}). "
NEEDED = f" What is marked {NEEDS} moves there alone, in JupyterLab."


def page_of(path: pathlib.Path, names: Sequence[str], out: pathlib.Path, say: Callable[[str], None]) -> Page:
    """The page of a notebook; names: the pages of this run, for the way to the one before and the one after.

    No names: the page will stand alone, and holds the weights of its models itself.
    """
    notebook, widgets = run(path, say)
    sheet = Sheet(path, widgets, out, alone=not names)
    groups, at = grouped(notebook.cells), f"{path.name}, cell"
    cells = "".join(sheet.cell(cell, f"{at} {n + 1}", folded, told) for n, cell, folded, told in groups)
    heading = re.search(r"<h1\b[^>]*>(.*?)</h1>", cells, re.DOTALL)
    title = plain_text(heading[1]) if heading else path.stem
    sentence = str(notebook.metadata.get("question") or first_sentence(cells))
    head = HEAD.format(title=html.escape(title), sentence=html.escape(sentence))
    files = ", ".join(f"<code>{html.escape(about['src'])}</code> beside it" for about in sheet.translators.values())
    answers_from = ANSWERS.format(files if names else "which holds it") if files else ""
    links, again = (links_of(path.stem, names, label) for label in ("Pages", "Pages again"))
    named = dict(links=links, again=again, name=html.escape(path.stem))
    body = BODY.format(**named, answers=answers_from, needs=NEEDED if NEEDS in cells else "", cells=cells)
    views, models = list(sheet.views.values()), sheet.translators
    text = canvas.offline_page(head, body, style(), views, sheet.figures, sheet.libraries, models, beside=bool(names))
    if (size := len(text.encode())) > MOST_BYTES:
        most = f"{MOST_BYTES / 1e6:.0f}"
        raise Stopped(f"The page of {path.name} has {size / 1e6:.1f} MB, more than {most}; let its views hold less.")
    if not names:
        return Page(path.stem, title, sentence, page_weights.within(text, map(model_of, models)))
    markup = sheet.pictured
    beside = canvas.views_script(path.stem, views_style(), markup, views, models) if markup else ""
    return Page(path.stem, title, sentence, text, tuple(models), beside)


def links_of(name: str, names: Sequence[str], label: str) -> str:
    """The way to the index, to the page before and to the page after, where there are any."""
    if not names:
        return ""
    place = names.index(name)
    around = [("←", names[place - 1] if place else ""), ("→", names[place + 1] if place + 1 < len(names) else "")]
    others = [
        ("All pages", "index"),
        *((f"{arrow} {other}".replace("_", " "), other) for arrow, other in around if other),
    ]
    link = '<a href="{}.html">{}</a>'
    links = " ".join(link.format(urllib.parse.quote(other), html.escape(text)) for text, other in others)
    return f'<nav aria-label="{label}">{links}</nav>'


def views_style() -> str:
    """The style sheet of canvases and of what stands around them."""
    return "".join((HERE / name).read_text(encoding="utf-8") for name in ("canvas.css", "page.css"))


@functools.cache
def style() -> str:
    """The style sheet of every page: the canvases', the page's own, and the colours of code."""
    light, dark = (
        f"@media {when} {{ {pygments.formatters.HtmlFormatter(style=name).get_style_defs('.pg-code')} }}\n"
        for name, when in (
            ("default", "not (prefers-color-scheme: dark)"),
            ("github-dark", "(prefers-color-scheme: dark)"),
        )
    )
    return f"{views_style()}{light}{dark}"


EXAMPLE = "She does not know when he will come."  # in German the verb comes last


def index_of(pages: Sequence[Page], out: pathlib.Path) -> str:
    """The page that lists all pages; where the weights lie in `out`, or will, a model answers in it."""
    chapters = [contents.Chapter(page.name, page.title, page.sentence, picture_in(page.text)) for page in pages]
    alive = (out / script_name(MOST_USED)).is_file() or any(MOST_USED in page.models for page in pages)
    sheet = Sheet(out / "index.html", {}, out)
    first = example(sheet, any(page.name == "05_attention_heads" for page in pages)) if alive else ""
    body, views = contents.body(chapters, first), list(sheet.views.values())
    return canvas.offline_page(contents.HEAD, body, style(), views, translators=sheet.translators)


def example(sheet: Sheet, onward: bool) -> str:
    """A sentence box, and where one head of the translator looked: what the index begins with."""
    translator = tc.load_pretrained(MOST_USED)
    explorer = cross_attention_alone(explore_attention(translator, EXAMPLE))
    model = translator.model
    counts = dict(
        millions=round(tc.count_parameters(model) / 1e6), heads=3 * model.config.n_layers * model.config.n_heads
    )
    return contents.living(sheet.widget(frozen(explorer)), onward, **counts)


STILL = re.compile(r"""<img class="pg-picture"[^>]*? src=(?:'(?P<one>[^']*)'|"(?P<other>[^"]*)")""")


def picture_in(text: str) -> str:
    """The address of a page's first picture, with all that it shows; "" where it has none."""
    picture = STILL.search(text)
    return html.unescape(picture["one"] or picture["other"] or "") if picture else ""


def pages_in(out: pathlib.Path) -> Iterator[Page]:
    """The pages that an earlier run left in a folder."""
    for path in sorted(out.glob("*.html")):
        text = path.read_text(encoding="utf-8")
        head = re.search(HEAD.format(title="(.*)", sentence="(.*)"), text[:4000])
        if head:
            yield Page(path.stem, html.unescape(head[1]), html.unescape(head[2]), text)


def write_views(pages: Sequence[Page], out: pathlib.Path) -> None:
    """Write the views of pages as scripts, for stored notebooks, and alive.js, which knows where each view is."""
    for page in pages:
        if page.views:
            tc.write_atomically(out / f"{page.name}.views.js", page.views.encode())
    known: dict[str, str] = {}
    for path in sorted(out.glob("*.views.js")):
        with path.open(encoding="utf-8") as script:
            descriptions = json.loads(script.readline().removeprefix("//"))
        known |= dict.fromkeys(descriptions, path.name.removesuffix(".views.js"))
    tc.write_atomically(out / "alive.js", canvas.plain_script("pictures.js", PAGES=known).encode())


def write(pages: Sequence[Page], out: pathlib.Path) -> None:
    """Write pages, the index, the weights of their models, and the views for stored notebooks."""
    known = {page.name: page for page in [*pages_in(out), *pages]}
    index = index_of([known[name] for name in sorted(known)], out)
    out.mkdir(parents=True, exist_ok=True)
    write_models({name for page in pages for name in page.models}, out)
    write_views(pages, out)
    write_texts({page.name: page.text for page in pages} | {"index": index}, out)


def write_texts(texts: Mapping[str, str], out: pathlib.Path) -> None:
    """Write pages by their names; each file is whole or not there."""
    out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        part = out / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(out / f"{name}.html")


def progress(line: str) -> None:
    """Say on a terminal what is being done, each line over the last."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def make(notebooks: Sequence[pathlib.Path], out: pathlib.Path, alone: bool = False) -> None:
    """Run notebooks, each on a core of its own, and write their pages: all of them, or if one stops, none."""
    names = [] if alone else [path.stem for path in notebooks]

    def made(path: pathlib.Path) -> Page:
        start = time.monotonic()
        page = page_of(path, names, out, progress)
        progress("")
        size, took = len(page.text.encode()) / 1e6, time.monotonic() - start
        print(f"{path.name}: {size:.1f} MB, {took:.0f} s", file=sys.stderr, flush=True)
        return page

    with ThreadPoolExecutor(min(MOST_KERNELS, os.cpu_count() or 1)) as kernels:
        pages = list(kernels.map(made, notebooks))
    if alone:
        write_texts({page.name: page.text for page in pages}, out)
        print(*(out / f"{page.name}.html" for page in pages), sep="\n")
    else:
        write(pages, out)
        print(out / "index.html")


def main(
    notebooks: tuple[pathlib.Path, ...] = (), /, out: pathlib.Path = pathlib.Path("pages"), alone: bool = False
) -> None:
    """Write every notebook as one HTML file that moves with no Python and no network, and an index.

    Args:
        notebooks: those to write; all of the project's if none is named
        out: the folder to write into
        alone: each file holds all that it needs, also the models' weights (17 MB), and leads to no other; no index
    """
    make(chosen(notebooks), out, alone)


def run_command(command: Callable[..., None], tail: str) -> None:
    """Run a command of sys.argv; what stops it is said in one sentence, which ends in this tail."""
    try:
        tyro.cli(command)
    except (Stopped, OSError) as stopped:
        print(f"{str(stopped).rstrip('.')}. {tail}", file=sys.stderr)
        sys.exit(getattr(stopped, "status", 1))


if __name__ == "__main__":
    run_command(main, "Nothing was written.")
