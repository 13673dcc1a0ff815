"""Every notebook as one HTML file that moves with no Python and no network: `python -m viz.pages`.

A notebook is run in a kernel of its own. Its text, code and pictures become HTML; its canvases, Plotly figures and
Altair charts go on moving in the page (page.js). Controls that Python answers are shown as they stand, and marked.
"""

from __future__ import annotations

import base64
import functools
import gzip
import html
import mimetypes
import os
import pathlib
import re
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
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

from viz import canvas, stills

HERE = pathlib.Path(__file__).parent
MOST_BYTES = 6_000_000  # of a page
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
            if not shown_widgets(cell):
                places.append(place)
    return places


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
PICTURE = re.compile(r"^<img (.*>)$", re.MULTILINE)  # as `stills.Svg.markdown` writes it


def pictured(data: Mapping[str, Any]) -> bool:
    """Whether a picture is among the forms of an output."""
    return any(form.startswith("image/") for form in data) or bool(PICTURE.search(data.get("text/markdown", "")))


def image(kind: str, content: bytes, description: str = "") -> str:
    """A picture as part of the page."""
    address = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return f'<img class="pg-picture" loading="lazy" alt="{html.escape(description)}" src="{address}">'


def text_block(text: str, kind: str = "") -> str:
    """What a program printed, without the colours of a terminal."""
    return f'<pre class="pg-out {kind}">{html.escape(ANSI.sub("", text).rstrip())}</pre>\n'


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


class Sheet:
    """One page as it is written: what it holds so far of views, figures and libraries, one copy of each."""

    def __init__(self, path: pathlib.Path, widgets: Mapping[str, dict], out: pathlib.Path) -> None:
        self.path, self.widgets, self.out = path, widgets, out
        self.views: dict[str, dict] = {}  # by the widget's id: two views of one widget share its state
        self.figures: list[dict] = []
        self.libraries: dict[str, str] = {}

    def cell(self, cell: nbformat.NotebookNode, named: str, folded: bool = False) -> str:
        """A cell as HTML: text, or code and what it brought forth, folded where a reader is to predict it first."""
        try:
            if cell.cell_type == "markdown":
                return f'<section class="pg-text">\n{self.text(cell)}</section>\n'
            if cell.cell_type != "code" or not cell.source.strip():
                return ""
            source = re.sub(r"^# NBVAL_\w+\n", "", cell.source)
            outputs = self.outputs(cell.outputs)
            if folded:
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
            return (self.widget(tree) if tree else self.still(data)) + needs
        return self.still(data)

    def still(self, data: Mapping[str, Any]) -> str:
        """Something that does not move, in its best form."""
        plain = data.get("text/plain", "")
        if drawn := PICTURE.search(data.get("text/markdown", "")):
            return f'<img class="pg-picture" loading="lazy" {drawn[1]}'
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
            self.views.setdefault(tree["id"], dict(tree))
            return self.place("canvas", list(self.views).index(tree["id"]), tree["still"])
        if tree["is"] == "bundle":
            return self.bundle(tree["data"])
        if tree["is"] == "outputs":
            return self.outputs(tree["outputs"])
        if tree["is"] == "control":
            return control(tree["kind"], tree["name"], tree["value"], tree["range"])
        return self.box(tree["children"], tree["titles"], tree["across"])

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
            return f'{tag["before"]}"{html.escape(target)}"'

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
        if parts.scheme or parts.netloc or not parts.path:
            return address
        target = (self.path.parent / urllib.parse.unquote(parts.path)).resolve()
        if target.suffix == ".ipynb" and target.parent == self.path.parent.resolve():
            path = f"{target.stem}.html"
        else:
            path = pathlib.Path(os.path.relpath(target, self.out.resolve())).as_posix()
        return urllib.parse.urlunsplit(("", "", urllib.parse.quote(path), parts.query, parts.fragment))


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
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


# ─── Pages ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Page:
    """A written page: its name without .html, title, first sentence, and text."""

    name: str
    title: str
    sentence: str
    text: str


HEAD = """<title>{title}</title>
<meta name="description" content="{sentence}">
<meta name="generator" content="viz.pages">"""

BODY = """<body class="pg">
<header class="pg-top"><nav aria-label="Pages">{links}</nav>
<p>{name}.ipynb, as it ran. Its views move here without Python; what is marked {needs} moves in JupyterLab
(<code>make lab</code>).</p>
</header>
<main>
{cells}</main>
<footer class="pg-top"><nav aria-label="Pages again">{links}</nav></footer>
</body>"""

INDEX = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>Attention is all you need, explained</title>
<style>{style}</style>
</head>
<body class="pg">
<main>
<h1>Attention is all you need, explained</h1>
<p>One page for each notebook. They move with no Python and no network.</p>
<ul class="pg-index">
{entries}</ul>
</main>
<script type="module">{script}</script>
</body>
</html>
"""


def page_of(path: pathlib.Path, names: Sequence[str], out: pathlib.Path, say: Callable[[str], None]) -> Page:
    """The page of a notebook; names: the pages of this run, for the way to the one before and the one after."""
    notebook, widgets = run(path, say)
    sheet = Sheet(path, widgets, out)
    folded, at = answers(notebook.cells), f"{path.name}, cell"
    cells = "".join(sheet.cell(cell, f"{at} {n + 1}", n in folded) for n, cell in enumerate(notebook.cells))
    heading = re.search(r"<h1\b[^>]*>(.*?)</h1>", cells, re.DOTALL)
    title = plain_text(heading[1]) if heading else path.stem
    head = HEAD.format(title=html.escape(title), sentence=html.escape(sentence := first_sentence(cells)))
    body = BODY.format(links=links_of(path.stem, names), name=html.escape(path.stem), needs=NEEDS, cells=cells)
    text = canvas.offline_page(head, body, style(), list(sheet.views.values()), sheet.figures, sheet.libraries)
    if (size := len(text.encode())) > MOST_BYTES:
        most = f"{MOST_BYTES / 1e6:.0f}"
        raise Stopped(f"The page of {path.name} has {size / 1e6:.1f} MB, more than {most}; let its views hold less.")
    return Page(path.stem, title, sentence, text)


def links_of(name: str, names: Sequence[str]) -> str:
    """The way to the index, to the page before and to the page after."""
    place = names.index(name)
    around = [("←", names[place - 1] if place else ""), ("→", names[place + 1] if place + 1 < len(names) else "")]
    others = [("All pages", "index"), *((f"{arrow} {other}", other) for arrow, other in around if other)]
    link = '<a href="{}.html">{}</a>'
    return " ".join(link.format(urllib.parse.quote(other), html.escape(text)) for text, other in others)


@functools.cache
def style() -> str:
    """The style sheet of every page: the canvases', the page's own, and the colours of code."""
    own = "".join((HERE / name).read_text(encoding="utf-8") for name in ("canvas.css", "page.css"))
    light, dark = (
        f"@media {when} {{ {pygments.formatters.HtmlFormatter(style=name).get_style_defs('.pg-code')} }}\n"
        for name, when in (
            ("default", "not (prefers-color-scheme: dark)"),
            ("github-dark", "(prefers-color-scheme: dark)"),
        )
    )
    return f"{own}{light}{dark}"


def index_of(pages: Sequence[Page]) -> str:
    """The page that lists all pages."""
    entries = "".join(
        f'<li><a href="{urllib.parse.quote(page.name)}.html">{html.escape(page.title)}</a>'
        f"<p>{html.escape(page.sentence)}</p></li>\n"
        for page in pages
    )
    allowed = canvas.policy([style()], [canvas.page_script()])
    return INDEX.format(policy=allowed, style=style(), entries=entries, script=canvas.page_script())


def pages_in(out: pathlib.Path) -> Iterator[Page]:
    """The pages that an earlier run left in a folder, without their texts."""
    for path in sorted(out.glob("*.html")):
        start = path.read_text(encoding="utf-8")[:4000]
        head = re.search(HEAD.format(title="(.*)", sentence="(.*)"), start)
        if head:
            yield Page(path.stem, html.unescape(head[1]), html.unescape(head[2]), "")


def write(pages: Sequence[Page], out: pathlib.Path) -> None:
    """Write pages and the index; each file is whole or not there."""
    out.mkdir(parents=True, exist_ok=True)
    known = {page.name: page for page in [*pages_in(out), *pages]}
    texts = {page.name: page.text for page in pages} | {"index": index_of([known[name] for name in sorted(known)])}
    for name, text in texts.items():
        part = out / f"{name}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(out / f"{name}.html")


def progress(line: str) -> None:
    """Say on a terminal what is being done, each line over the last."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)


def make(notebooks: Sequence[pathlib.Path], out: pathlib.Path) -> None:
    """Run notebooks and write their pages: all of them, or if one stops, none."""
    pages, names = [], [path.stem for path in notebooks]
    for path in notebooks:
        start = time.monotonic()
        pages.append(page := page_of(path, names, out, progress))
        progress("")
        size, took = len(page.text.encode()) / 1e6, time.monotonic() - start
        print(f"{path.name}: {size:.1f} MB, {took:.0f} s", file=sys.stderr, flush=True)
    write(pages, out)
    print(out / "index.html")


def main(notebooks: tuple[pathlib.Path, ...] = (), /, out: pathlib.Path = pathlib.Path("pages")) -> None:
    """Write every notebook as one HTML file that moves with no Python and no network, and an index.

    Args:
        notebooks: those to write; all of the project's if none is named
        out: the folder to write into
    """
    make(chosen(notebooks), out)


def run_command(command: Callable[..., None], tail: str) -> None:
    """Run a command of sys.argv; what stops it is said in one sentence, which ends in this tail."""
    try:
        tyro.cli(command)
    except (Stopped, OSError) as stopped:
        print(f"{str(stopped).rstrip('.')}. {tail}", file=sys.stderr)
        sys.exit(getattr(stopped, "status", 1))


if __name__ == "__main__":
    run_command(main, "Nothing was written.")
