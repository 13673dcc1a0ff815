"""Pages of notebooks: what a cell becomes, that it moves without Python, and that nothing leaves the page."""

import base64
import contextlib
import copy
import gzip
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path

import ipywidgets
import nbformat
import pytest
import torch
import toys
import vl_convert
from lab import AXE, WORN, Reader, wait_until

import transformer_core as tc
from viz import canvas, controls, pages, stills, store, theme
from viz.attention import attention_view, heads
from viz.page import contents

ROOT = Path(__file__).resolve().parent.parent
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
NASTY = "</script><script>alert(1)</script>"

# A notebook with one of each: what the pages of the real ones are made of.
TEXT = r"""# Little *try*

Every $d_k$ is <b>positive</b>, see [the other](02_other.ipynb#Its-part). A second sentence.

$$\mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{d_k}}\right)V$$

![a pixel](pixel.png) ![another](attachment:dot.png) [a file](../README.md) [away](https://example.org/x?y=1&z=2)

<details><summary>Answer</summary>

`42`
</details>
"""
CODE = [
    """
import torch, ipywidgets, altair, plotly.graph_objects as go
from viz.attention import attention_view, explore_attention
from viz.charts import Curve, Panel, chart
weights = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0)).softmax(-1)
""",
    f'view = attention_view(weights, list("abcd"), ["{NASTY}", "<b>x", "y", "z", "w"], shows="synthetic")\nview',
    "# NBVAL_IGNORE_OUTPUT\nview.layer = 1\nview",
    'go.Figure([go.Bar(y=[3, 1, 2], name="bars"), go.Bar(y=[1, 2, 3], name="more")])',
    'chart(Panel([Curve("line", [1, 2, 3], [1, 4, 9])]), shows="synthetic")',
    """
altair.renderers.enable("jupyter", offline=True)
pick = altair.selection_point(fields=["n"])
colour = altair.condition(pick, altair.value("#0072b2"), altair.value("#dddddd"))
rows = altair.Data(values=[{"n": 1, "cost": 2}, {"n": 2, "cost": 5}])
altair.Chart(rows, width=300).mark_bar().encode(x="n:O", y="cost:Q", color=colour).add_params(pick)
""",
    """
slider = ipywidgets.IntSlider(3, 1, 7, description="heads <h>")
ipywidgets.VBox([slider, ipywidgets.Button(description="Run")])
""",
    'print("\\x1b[31mred\\x1b[0m <i>text</i>")',
]


def synthetic(folder: Path, code: list[str]) -> Path:
    """A notebook of TEXT and some code in a folder, with the pictures that it shows."""
    cells = [nbformat.v4.new_markdown_cell(TEXT, attachments={"dot.png": {"image/png": PIXEL}})]
    cells += [nbformat.v4.new_code_cell(source.strip()) for source in code]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pixel.png").write_bytes(bytes.fromhex("89504e47"))
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=metadata), folder / "01_try.ipynb")
    return folder / "01_try.ipynb"


def command(*arguments: object) -> subprocess.CompletedProcess:
    line = [sys.executable, "-m", "viz.pages", *map(str, arguments)]
    return subprocess.run(line, cwd=ROOT, capture_output=True, text=True, timeout=1200)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """The folder of pages of the synthetic notebook, written by the command, and an empty page beside it."""
    folder = tmp_path_factory.mktemp("project")
    done = command(synthetic(folder / "notebooks", CODE), "--out", folder / "pages")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{folder / 'pages' / 'index.html'}\n"
    assert re.fullmatch(r"01_try\.ipynb: \d\.\d MB, \d+ s\n", done.stderr)
    return folder / "pages"


@pytest.fixture(scope="module")
def page(written) -> str:
    return (written / "01_try.html").read_text(encoding="utf-8")


def code_of(page: str) -> dict[str, str]:
    """The scripts that a page holds."""
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])
    return json.loads(gzip.decompress(base64.b64decode(data["code"])))


def sheet(tmp_path: Path) -> pages.Sheet:
    return pages.Sheet(tmp_path / "notebooks" / "01_try.ipynb", {}, tmp_path / "pages")


# ─── What a cell becomes ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_formula_becomes_mathml_alone_and_within_a_line():
    markup = pages.prose("where $d_k$ is\n\n$$\\sqrt{d_k}$$\n\n| $x^2$ |\n|---|\n| b |")
    assert markup.count("<math") == 3 and markup.count('display="block"') == 1
    assert "<msqrt>" in markup and "$" not in markup


def test_equations_stand_one_below_the_other():
    assert pages.mathml(r"\begin{aligned}a&=b\\c&=d\end{aligned}", block=True).count("<mtr>") == 2


def test_a_formula_that_cannot_be_drawn_ends_in_one_sentence(tmp_path):
    cell = nbformat.v4.new_markdown_cell(r"$\nosuchthing{x}$")
    with pytest.raises(pages.Stopped, match=r"01, cell 3: the formula .* has \\nosuchthing, which a page cannot draw"):
        sheet(tmp_path).cell(cell, "01, cell 3")


def test_a_heading_has_the_anchor_that_notebooks_link_to():
    assert '<h2 id="Its-own-part">' in pages.prose("## Its *own* part")


def test_code_is_coloured_and_its_text_stays():
    markup = pages.coloured('x = "<b>"  # why\n')
    assert pages.plain_text(markup) == 'x = "<b>"  # why'
    assert 'class="c1"' in markup and "<b>" not in markup


def test_links_lead_to_pages_to_files_and_out(tmp_path):
    there = sheet(tmp_path)
    assert there.link("02_other.ipynb#A-part") == "02_other.html#A-part"
    assert there.link("../viz/theme.py") == "../viz/theme.py"
    assert there.link("data/a%20b.json") == "../notebooks/data/a%20b.json"
    assert [there.link(same) for same in ("#below", "https://example.org/a?b=1")] == [
        "#below",
        "https://example.org/a?b=1",
    ]


def test_a_picture_from_the_network_or_missing_is_refused(tmp_path):
    for address in ("https://example.org/a.png", "gone.png"):
        with pytest.raises(ValueError, match="is no file; keep it beside the notebook"):
            sheet(tmp_path).picture(address, {})


def test_an_output_takes_the_form_that_moves_most(tmp_path):
    there = sheet(tmp_path)
    figure = {
        pages.PLOTLY: {"data": [], "layout": {}},
        "text/markdown": stills.Svg("<svg/>", "said").markdown(),
        "text/html": "<b>",
        "text/plain": "said",
    }
    assert 'data-kind="plotly"' in there.bundle(figure) and 'alt="said"' in there.bundle(figure)
    assert there.bundle({"application/vnd.vegalite.v5+json": {"mark": "bar"}}).startswith(
        '<div class="pg-view" data-kind="vega"'
    )
    assert there.bundle({"image/png": PIXEL, "text/html": "<b>"}).startswith("<img")
    assert there.bundle({"text/plain": "<3 \x1b[31mred"}) == pages.text_block("<3 red")


def test_scripts_of_an_output_are_taken_out_and_marked(tmp_path):
    shown = sheet(tmp_path).bundle({"text/html": "<p>so</p><SCRIPT src=x>alert(1)</SCRIPT >"})
    assert "alert" not in shown and "<p>so</p>" in shown and pages.NEEDS in shown


def test_a_closed_widget_leaves_its_picture_and_a_mark(tmp_path):
    shown = sheet(tmp_path).bundle(
        {pages.WIDGET: {"model_id": "gone"}} | stills.Svg("<svg/>", "a view").beside_a_view()
    )
    assert 'alt="a view"' in shown and shown.endswith(pages.NEEDS) and "Run the cells" not in shown


@pytest.mark.parametrize(
    ("widget", "shown"),
    [
        (
            ipywidgets.FloatSlider(2.5, min=1, max=4, description="d<k>"),
            'd&lt;k&gt; <input type="range" disabled min="1.0"',
        ),
        (ipywidgets.Checkbox(True, description="scale"), 'type="checkbox" disabled checked> scale'),
        (ipywidgets.Dropdown(options=[("one", 1), ("two", 2)], value=2, description="n"), 'disabled value="two"'),
        (ipywidgets.Button(description="Run it"), '<button class="pg-control" disabled>Run it</button>'),
        (ipywidgets.Text('"quoted"', description="Sentence"), 'value="&quot;quoted&quot;"'),
        (ipywidgets.DatePicker(description="day"), 'day <input type="text" disabled value=""'),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_control_is_shown_as_it_stands_and_marked(widget, shown, tmp_path):
    there = pages.Sheet(tmp_path / "a.ipynb", controls.frozen_widgets([widget.model_id]), tmp_path)
    markup = there.bundle({pages.WIDGET: {"model_id": widget.model_id}})
    assert shown in markup and "disabled" in markup and markup.endswith(pages.NEEDS)


def test_boxes_keep_their_order_and_bear_one_mark(tmp_path):
    row = ipywidgets.HBox([ipywidgets.IntSlider(description="n"), ipywidgets.IntSlider(description="k")])
    hidden = ipywidgets.Text("unseen", layout=ipywidgets.Layout(display="none"))
    box = ipywidgets.VBox([row, ipywidgets.HTML("<b>said</b>"), ipywidgets.Label("<l>"), hidden])
    there = pages.Sheet(tmp_path / "a.ipynb", controls.frozen_widgets([box.model_id]), tmp_path)
    markup = there.bundle({pages.WIDGET: {"model_id": box.model_id}})
    places = [markup.index(part) for part in ("n <input", "k <input", pages.NEEDS, "<b>said</b>", "&lt;l&gt;")]
    assert places == sorted(places) and markup.count(pages.NEEDS) == 1 and "unseen" not in markup


@pytest.mark.parametrize("answered", [True, False])
def test_an_explorer_keeps_its_box_where_a_model_answers_and_is_marked_where_none_does(
    answered, tmp_path, tokenizer, monkeypatch
):
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY))
    explorer = heads.explore_attention(tc.Translator(model, tokenizer, "toy"), f"ant bee {NASTY}")
    (frozen,) = controls.frozen_widgets([explorer.model_id]).values()
    twin = frozen["view"]["twin"]
    assert (twin["is"], twin["model"], twin["text"]) == ("AttentionExplorer", "toy", explorer.text)
    monkeypatch.setattr(pages, "shipped", lambda name: twin["fingerprint"] if answered else "")
    monkeypatch.setattr(pages, "model_of", lambda name: {"name": name, "sha256": "abc"})
    there = pages.Sheet(tmp_path / "a.ipynb", {explorer.model_id: frozen}, tmp_path)
    markup = there.bundle({pages.WIDGET: {"model_id": explorer.model_id}})
    assert "<script" not in markup and 'data-kind="canvas" data-number="0"' in markup
    assert (pages.NEEDS in markup, 'class="pg-asks"' in markup, "<select" in markup) == (
        not answered,
        answered,
        answered,
    )
    assert [bool(view["twin"]) for view in there.views.values()] == [answered]
    assert there.translators == ({"toy": dict(src="toy.js", name="toy", sha256="abc")} if answered else {})
    text = canvas.offline_page("", markup, "", [*there.views.values()], translators=there.translators)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert ("worker-src blob:" in policy) == ("wasm-unsafe-eval" in policy) == answered
    code = code_of(text)
    assert ("class AttentionExplorer" in code.get("explorers", ""), "class Transformer" in code.get("engine", "")) == (
        answered, answered,
    )  # fmt: skip


def test_every_notebook_says_what_it_asks_as_the_readme_does():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    asked = dict(re.findall(r"\| \[(\w+)\]\(notebooks/\1\.ipynb\) \| (.*\?) \|\n", readme))
    there = {path.stem: nbformat.read(path, 4).metadata["question"] for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert there == asked


@pytest.mark.parametrize(("metadata", "told"), [({}, "Five <b>."), ({"question": "How <many>?"}, "How <many>?")])
def test_a_page_is_listed_by_its_notebook_s_question_or_by_its_first_sentence(tmp_path, metadata, told):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title\n\nFive &lt;b&gt;. Six.")])
    notebook.metadata |= metadata
    nbformat.write(notebook, tmp_path / "one.ipynb")
    assert pages.page_of(tmp_path / "one.ipynb", ["one"], tmp_path, print).sentence == told


def test_the_weights_of_all_pages_lie_beside_them_once(tmp_path, monkeypatch):
    packed = []
    monkeypatch.setattr(pages, "model_of", lambda name: packed.append(name) or {"name": name, "sha256": ""})
    made = [
        pages.Page(name, name, "", "<p>", models) for name, models in (("a", ("tatoeba-en-de",)), ("b", ("parser",)))
    ]
    pages.write([*made, pages.Page("c", "c", "", "<p>", ("tatoeba-en-de",))], tmp_path)
    views = {"alive.js", *(f"{page}.views.js" for page in "abc")}  # for stored notebooks
    assert {path.name for path in tmp_path.glob("*.js")} - views == {"model.js", "parser.js"}
    assert set(packed) == {"parser", "tatoeba-en-de"}
    assert '"name": "tatoeba-en-de"' in (tmp_path / "model.js").read_text(encoding="utf-8")


def test_a_frozen_view_is_json_without_what_the_page_holds_once_and_does_not_ask_python():
    view = attention_view(torch.full((2, 4), 0.25), ["a", "b"], list("wxyz"), shows="synthetic")
    frozen = json.loads(json.dumps(view.frozen()))
    assert frozen["script"] == "AttentionView" and frozen["state"]["meta"]["live"] is False
    assert "look" not in frozen["state"] and len(frozen["state"]["data"]["base64"]) == 12  # 8 bytes
    assert frozen["still"]["text/markdown"].startswith("<img") and view.meta["live"] is True


def test_a_page_holds_the_shared_script_once():
    shared = canvas.with_imports(Path(canvas.__file__).parent / "canvas.js")
    whole = canvas.script(heads.__file__)
    own = canvas.own_script(whole, shared, "AttentionView")
    assert shared in whole and "class Stage {" not in own and "export default" not in own
    assert own.count(canvas.SHARED) == 1 and 'name: "AttentionView", view: widget(View, HINTS)' in own
    view = attention_view(torch.full((1, 1), 1.0), ["a"])
    code = json.dumps(code_of(canvas.offline_page("", canvas.slot("canvas", 0), "", [view.frozen()])))
    assert code.count("export class Stage") == code.count("export class Pen") == 1


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("<h1>A</h1><p>It has 1.5 heads, e.g. two. Then more.</p>", "It has 1.5 heads, e.g. two."),
        ("<p>No <em>end</em>\nhere</p><p>B.</p>", "No end here"),
        ("<h1>only</h1>", ""),
    ],
)
def test_the_index_takes_the_first_sentence(text, first):
    assert pages.first_sentence(text) == first


def test_the_output_that_answers_a_prediction_is_folded_and_a_live_view_is_not(tmp_path):
    new = nbformat.v4
    shown = [new.new_output("stream", text="42")]
    live = [new.new_output("display_data", {pages.WIDGET: {"model_id": "1"}})]
    cells = [
        new.new_markdown_cell("What is it? **Predict.**"),
        new.new_code_cell("import x"),
        new.new_code_cell("print(42)", outputs=shown),
        new.new_code_cell("print(42)  # again", outputs=shown),
        new.new_markdown_cell("**Predict:** and this?"),
        new.new_code_cell("view", outputs=live),
        new.new_code_cell("print(42)", outputs=shown),
        new.new_markdown_cell("**Predict:** nothing comes."),
        new.new_markdown_cell("It is so."),
        new.new_code_cell("print(42)", outputs=shown),
    ]
    assert pages.answers(cells) == [2]
    sheet = pages.Sheet(tmp_path / "x.ipynb", {}, tmp_path)
    folded, plain = (sheet.cell(cells[2], "x", fold) for fold in (True, False))
    assert re.search(r"<details [^>]*><summary>See what comes out</summary>\s*<pre[^>]*>42</pre>\s*</details>", folded)
    assert "<details" not in plain and "42" in plain


def test_what_would_tell_a_prediction_is_folded_with_it_and_not_a_word_is_lost(tmp_path):
    new = nbformat.v4
    shown, live = new.new_output("stream", text="42"), new.new_output("display_data", {pages.WIDGET: {"model_id": "1"}})
    cells = [
        new.new_markdown_cell("**Predict:** what is it?"),
        new.new_code_cell("print(42)", outputs=[shown]),
        new.new_code_cell("print(6 * 7)", outputs=[shown]),
        new.new_markdown_cell("Forty-two.\n\nAnd **why**? **Predict.**"),
        new.new_code_cell("print(43)", outputs=[shown]),
        new.new_code_cell("view", outputs=[live]),
        new.new_markdown_cell("Plain."),
    ]
    hidden = [cell.metadata.get("collapsed", False) for cell in store.folded(new.new_notebook(cells=cells)).cells]
    assert hidden == [False, True, True, False, True, False, False]  # as much in JupyterLab
    groups = pages.grouped(cells)
    assert [(place, folded, [each.source for each in told]) for place, _, folded, told in groups] == [
        (0, False, []),
        (1, True, ["print(6 * 7)", "Forty-two."]),
        (3, False, []),
        (4, True, []),
        (5, False, []),
        (6, False, []),
    ]
    assert groups[2][1].source == "And **why**? **Predict.**"
    written = pages.Sheet(tmp_path / "x.ipynb", {}, tmp_path).cell(groups[1][1], "x", *groups[1][2:])
    before, within = written.split("<details")
    assert "Forty-two" not in before and "Forty-two" in within and within.count(">42</pre>") == 2


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_of_a_notebook_no_text_and_no_code_is_lost_in_folds(path):
    cells = nbformat.read(path, as_version=4).cells
    parts = [part for _, cell, _, told in pages.grouped(cells) for part in (cell, *told)]
    words = ["".join(part.source.split()) for part in parts]
    assert "".join(words) == "".join("".join(cell.source.split()) for cell in cells)


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_fold_ends_in_the_midst_of_a_sentence_or_with_one_that_announces_what_stands_behind_it(path):
    groups = pages.grouped(nbformat.read(path, as_version=4).cells)
    for (*_, told), (_, cell, _, _) in itertools.pairwise(groups):
        texts = [each.source for each in told if each.cell_type == "markdown"]
        assert not any(text.rstrip().endswith((":", ",")) for text in texts)
        if texts and cell.cell_type == "markdown":
            assert not re.match(r"\$\$|[a-z]", cell.source), cell.source[:60]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_says_its_place_leads_on_and_back_and_folds_what_is_to_be_predicted(path):
    names = [each.stem for each in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    place, cells = names.index(path.stem), nbformat.read(path, as_version=4).cells
    around = [*names[max(place - 1, 0) : place], *names[place + 1 : place + 2]]
    for cell in (cells[0], cells[-1]):
        last = cell.source.splitlines()[-1]
        assert f"notebook {path.stem[:2]} of 00 to {names[-1][:2]}" in last
        assert re.findall(r"\((\w+)\.ipynb\)", last) == around
    folded = [n for n, cell in enumerate(cells) if cell.metadata.get("jupyter", {}).get("outputs_hidden")]
    assert folded and set(pages.answers(cells)) <= set(folded)
    stored = store.folded(nbformat.from_dict({"cells": copy.deepcopy(cells)})).cells
    assert [cell.metadata for cell in stored] == [cell.metadata for cell in cells]


# ─── The command ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_cell_that_stops_ends_the_command_with_one_sentence_and_nothing_is_written(tmp_path):
    notebook = synthetic(tmp_path / "notebooks", ["one = 1", "one / 0", "print('not reached')"])
    done = command(notebook, "--out", tmp_path / "pages")
    assert done.returncode == 1 and done.stdout == ""
    said = "01_try.ipynb, code cell 2 of 3 stopped: ZeroDivisionError: division by zero. Nothing was written.\n"
    assert done.stderr == said
    assert not (tmp_path / "pages").exists()


def test_a_notebook_that_is_not_there_is_named(tmp_path):
    with pytest.raises(pages.Stopped, match=r"There is no notebook .*gone\.ipynb"):
        pages.main((tmp_path / "gone.ipynb",), out=tmp_path)


def test_a_page_above_the_limit_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "MOST_BYTES", 10_000)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Large\n\n" + "word " * 3000)])
    monkeypatch.setattr(pages, "run", lambda path, say: (notebook, {}))
    with pytest.raises(
        pages.Stopped, match=r"The page of large\.ipynb has 0\.\d MB, more than 0; let its views hold less"
    ):
        pages.make([tmp_path / "large.ipynb"], tmp_path / "pages")
    assert not (tmp_path / "pages").exists()


def test_the_index_lists_the_pages_of_this_run_and_of_earlier_ones(tmp_path, monkeypatch):
    def run(path, say):
        text = nbformat.v4.new_markdown_cell(f"# About {path.stem} & <b>more</b>\n\nIt says. Then on.")
        return nbformat.v4.new_notebook(cells=[text]), {}

    monkeypatch.setattr(pages, "run", run)
    for names in (["b", "c"], ["a", "b"]):
        pages.make([tmp_path / f"{name}.ipynb" for name in names], tmp_path)
    index = (tmp_path / "index.html").read_text(encoding="utf-8")
    entries = re.findall(r'<li><a href="(.*?)">(.*?)</a><p>(.*?)</p>', index)
    assert entries == [(f"{name}.html", f"About {name} &amp; more", "It says.") for name in "abc"]
    assert '<a href="b.html">→ b</a>' in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert not list(tmp_path.glob("*.part"))


def test_a_page_that_stands_alone_leads_to_no_file_and_holds_its_model(tmp_path, monkeypatch, capsys):
    text = nbformat.v4.new_markdown_cell(
        "# Alone\n\nSee [b](b.ipynb), [c](../c.py), [below](#d) and [e](https://example.org)."
    )
    monkeypatch.setattr(pages, "run", lambda path, say: (nbformat.v4.new_notebook(cells=[text]), {}))
    pages.make([tmp_path / "a.ipynb"], tmp_path / "out", alone=True)
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'a.html'}\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["a.html"]
    page = (tmp_path / "out" / "a.html").read_text(encoding="utf-8")
    assert re.findall(r'<a [^>]*href="([^"]*)"', page) == ["#d", "https://example.org"] and "<nav" not in page
    assert re.findall(r'<a data-leads-to="([^"]*)"', page) == ["b.html", "../../c.py"]


def test_the_index_shows_pictures_and_ways_in_as_far_as_their_chapters_are_there():
    names = ["02_scaled_dot_product", "03_masking", "05_attention_heads", "99_mine"]
    chapters = [contents.Chapter(name, f"<{name}>", "Why & how?", "data:image/png;base64,AA'==") for name in names]
    body = contents.body(chapters)
    assert (
        body.count("<h3>") == 3
        and body.count("<section>") == 3
        and "01_tokens" not in body
        and "13_evidence" not in body
    )
    assert re.findall(r'<li><a href="([^"]*)">', body[: body.index("pg-index")]) == [
        f"{names[place]}.html"
        for place in (0, 2, 0, 1, 2)  # of those to learn, to teach and to look into it
    ]
    assert (
        body.count("src='data:image/png;base64,AA%27=='") == 4
        and "&lt;99_mine&gt;" in body
        and "Why &amp; how?" in body
    )
    few = contents.body([contents.Chapter("99_mine", "Mine", "", "data:" + "x" * contents.MOST_LETTERS)])
    assert "<h3>" not in few and "<img" not in few and "pg-small" not in few


def test_every_way_in_leads_to_chapters_that_are_there_or_planned():
    names = {path.stem for path in NOTEBOOKS} | {"13_evidence"}
    for _, steps in contents.WAYS:
        assert 3 <= len(steps) <= 4 and {name for name, _ in steps} <= names


def test_the_first_picture_of_a_page_is_taken_with_all_that_it_shows():
    svg = stills.Svg('<svg width="20">"a" & <b/></svg>', 'alt > "quoted"')
    page = sheet(Path("/tmp")).still(svg._repr_mimebundle_())
    assert pages.picture_in(f"<p>{page}{page}") == stills.data_address(svg.text)
    assert pages.picture_in(pages.image("image/png", b"1")).endswith(base64.b64encode(b"1").decode())
    assert pages.picture_in("<p>none") == ""


def test_the_page_holds_one_copy_of_each_library_and_is_under_six_megabytes(page, written):
    assert (written / "01_try.html").stat().st_size < 6e6
    for name in ("plotly", "vega"):
        assert page.count(pages.zipped(name)) == 1
    data = json.loads(re.search(r'<script type="application/json">(.*?)</script>', page, re.S)[1])
    assert (
        list(code_of(page)["scripts"]) == ["AttentionView"] and len(data["models"]) == 1 and len(data["figures"]) == 3
    )
    assert page.count('data-kind="canvas" data-number="0"') == 2  # two views of one model


def test_the_page_keeps_text_links_pictures_and_what_was_printed(page):
    assert "<title>Little try</title>" in page and 'content="Every dk is positive, see the other."' in page
    assert 'href="02_other.html#Its-part"' in page and 'href="https://example.org/x?y=1&amp;z=2"' in page
    assert f'src="data:image/png;base64,{PIXEL}"' in page and 'alt="a pixel" />' in page
    assert "red &lt;i&gt;text&lt;/i&gt;" in page and "<summary>Answer</summary>" in page and "NBVAL" not in page


def test_nothing_of_the_page_is_fetched_and_no_token_is_markup(page):
    fetched = re.findall(r"""<(?:script|img|link|iframe|source)[^>]*\s(?:src|href)="(?!data:)[^"]*""", page)
    assert fetched == [] and "@import" not in page
    assert page.count("<script") == page.count("</script") == 2 and "<script>alert" not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and str(Path.home()) not in page
    scripts, styles = policy.split("; ")[1:3]
    for loose in ("unsafe", "blob:", "http", "data:", "*"):
        assert loose not in scripts + styles
    assert "connect-src 'none'; base-uri 'none'; form-action 'none'" in policy


# ─── In a browser, with the network shut ─────────────────────────────────────────────────────────────────────────────


VIOLATIONS = """window.violations = [];
addEventListener("securitypolicyviolation",
  (event) => window.violations.push(`${event.violatedDirective}: ${event.sample}`));
"""


@pytest.fixture
def reader(browser, written):
    opened = Reader(browser.new_page(viewport={"width": 1200, "height": 1000}, offline=True))
    opened.page.add_init_script(VIOLATIONS)
    with contextlib.closing(opened.page):
        opened.page.goto((written / "01_try.html").as_uri())
        yield opened
        assert opened.page.evaluate("window.violations") == []  # of the page's own policy


def come_to(reader: Reader, kind: str, nth: int = 0):
    """Scroll to the nth view of a kind and wait until it stands there."""
    view = reader.page.locator(f'.pg-view[data-kind="{kind}"]').nth(nth)
    view.scroll_into_view_if_needed()
    wait_until(lambda: view.get_attribute("data-moves") is not None, f"{kind} {nth} to be filled")
    return view


def changes(view, act) -> bool:
    """Whether an action changes the pixels of a view."""
    before = view.screenshot()
    act()
    with contextlib.suppress(AssertionError):
        return wait_until(lambda: view.screenshot() != before, "another picture", 20)
    return False


@pytest.mark.browser
def test_views_and_charts_of_a_page_move_with_no_kernel_no_network_and_no_error(reader):
    first, second = come_to(reader, "canvas"), come_to(reader, "canvas", 1)
    for view in (first, second):
        view.locator(".view[data-paint-ms]").wait_for()
    slider = first.get_by_label("Layer", exact=True)
    assert changes(first, lambda: slider.press("ArrowLeft"))
    assert [view.locator(".view").get_attribute("data-layer") for view in (first, second)] == ["0", "0"]
    bars = come_to(reader, "plotly")
    offers = bars.locator(".modebar-btn").evaluate_all("all => all.map((each) => each.dataset.title)")
    assert any("PNG" in offer for offer in offers) and not any("Share" in offer for offer in offers)
    assert changes(bars, lambda: bars.locator(".legendtoggle").first.click())
    chart = come_to(reader, "vega")
    assert changes(chart, lambda: chart.locator("path[aria-roledescription=bar]").first.click())
    assert reader.errors == [] and reader.refused == []


@pytest.mark.browser
def test_what_needs_python_is_marked_and_does_not_move(reader):
    slider = reader.page.locator(".pg-control input[type=range]")
    assert slider.is_disabled() and reader.page.locator("main .pg-needs").count() == 1
    assert "heads <h>" in slider.locator("..").inner_text()


@pytest.mark.browser
def test_a_view_far_below_is_not_built_before_the_reader_comes_near(reader):
    views = reader.page.locator(".pg-view")
    come_to(reader, "canvas")
    assert views.last.get_attribute("data-moves") is None
    come_to(reader, "vega")
    assert views.last.get_attribute("data-moves") is not None


@pytest.mark.browser
def test_charts_follow_a_change_between_light_and_dark(reader):
    chart, figure = come_to(reader, "vega"), come_to(reader, "plotly")
    colour = "el => getComputedStyle(el).fill"
    ink = [view.locator("text").first.evaluate(colour) for view in (chart, figure)]
    reader.page.emulate_media(color_scheme="dark")
    wait_until(lambda: chart.locator("text").first.evaluate(colour) != ink[0], "the chart to be redrawn")
    wait_until(lambda: figure.locator("text").first.evaluate(colour) != ink[1], "the figure to be redrawn")
    assert reader.errors == []


@pytest.mark.browser
def test_the_index_leads_to_the_page(reader, written):
    reader.page.goto((written / "index.html").as_uri())
    assert "default-src 'none'; script-src 'sha256-" in reader.page.content()
    assert reader.page.locator(".pg-back").count() == 0  # nothing has been read yet
    reader.page.get_by_role("link", name="Little try").click()
    reader.page.wait_for_url("**/01_try.html")
    assert reader.errors == [] and reader.refused == []


@pytest.mark.browser
def test_the_index_and_the_page_lead_back_to_where_the_reader_was(reader, written):
    kept = 'localStorage.getItem("viz: the reader\'s place")'
    page = (written / "01_try.html").read_text(encoding="utf-8")
    other = written / "02_more.html"
    other.write_text(
        page.replace("</main>", '<h2 id="Far-below">Far below</h2><p style="height: 2000px">It ends.</p></main>'),
        encoding="utf-8",
    )
    reader.page.goto(other.as_uri())
    reader.page.locator("#Far-below").scroll_into_view_if_needed()
    reader.page.evaluate("document.querySelector('#Far-below').scrollIntoView()")
    wait_until(lambda: reader.page.evaluate(kept), "the place to be kept")
    for address, name in ((written / "index.html", "try, Far below"), (other, "Far below")):
        reader.page.goto(address.as_uri())
        link = reader.page.locator(".pg-back")
        assert (
            link.count() == 1
            and link.inner_text().startswith("Go on where you were: ")
            and link.inner_text().endswith(name)
        )
        link.click()
        reader.page.wait_for_url("**/02_more.html#Far-below")
    reader.page.goto((written / "index.html").as_uri())  # the page that was left keeps no place any more
    reader.page.evaluate("localStorage.clear()")
    reader.page.goto(other.as_uri())
    reader.page.evaluate("document.querySelector('main').style.paddingTop = '3000px'")
    reader.page.evaluate("scrollTo(0, 300)")  # above every heading
    wait_until(lambda: reader.page.evaluate(kept), "the place to be kept")
    reader.page.goto((written / "index.html").as_uri())
    assert reader.page.locator(".pg-back").inner_text().endswith("try, the beginning")
    reader.page.locator(".pg-back").click()
    reader.page.wait_for_url("**/02_more.html")
    assert reader.errors == [] and reader.refused == []


@pytest.mark.browser
def test_the_numbers_under_the_pointer_stand_beside_it_and_a_word_is_explained_to_whoever_rests_on_it(reader):
    view = come_to(reader, "canvas")
    board = view.locator("canvas[role=application]").first
    board.scroll_into_view_if_needed()
    tip, line = view.locator(".view-tip"), view.locator(".view-cell")
    assert not tip.is_visible()
    board.hover(position={"x": 110, "y": 180})  # a cell
    wait_until(tip.is_visible, "the tip")
    assert tip.inner_text() == line.inner_text().strip() and "query" in tip.inner_text()
    assert abs(tip.bounding_box()["y"] - board.bounding_box()["y"] - 180) < 60  # near the pointer
    reader.page.keyboard.press("Shift")
    view.locator(".view-name", has_text="Heads").hover()
    wait_until(lambda: tip.is_visible() and tip.inner_text().startswith("head: one of several"), "the word")
    view.locator('[data-tool="help"]').click()
    assert (
        "Words" in view.locator(".view-panel").inner_text()
        and "one of several" in view.locator(".view-panel").inner_text()
    )


UNEXPLAINED = """() => [...document.querySelectorAll(".view :is(button, select, input, textarea)")]
    .filter((control) => !control.title && control.checkVisibility())
    .map((one) => [one.closest(".view").ariaLabel, one.ariaLabel, one.className, one.textContent].join(" | "))"""
UNSPOKEN = """() => [...document.querySelectorAll(".view label:has(.view-value) input[type=range]")]
    .filter((bar) => bar.checkVisibility() && !bar.hasAttribute("aria-valuetext")).map((bar) => bar.ariaLabel)"""
NOTEBOOKS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


def moves(view, slider) -> bool:
    """Whether one end of a slider shows other pixels than the other."""
    slider.press("Home")
    frames = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    view.page.evaluate(frames)
    return changes(view, lambda: slider.press("End"))


def is_drawing(page, button) -> bool:
    """Whether what a button saves is SVG of shapes and text, as another program draws it."""
    with page.expect_download() as download:
        button.click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    return "<text" in svg and "foreignObject" not in svg and len(vl_convert.svg_to_png(svg)) > 5_000


@pytest.mark.browser
@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_the_page_of_every_notebook_moves_offline_without_an_error_and_shuts_nobody_out(name, real, browser, request):
    opened = Reader(browser.new_page(viewport={"width": 1300, "height": 1100}, offline=True))
    request.addfinalizer(opened.page.close)
    opened.page.add_init_script(VIOLATIONS)
    opened.page.goto((real / f"{name}.html").as_uri())
    opened.page.evaluate("document.querySelectorAll('.pg-folded').forEach((fold) => { fold.open = true; })")
    views = opened.page.locator(".pg-view")
    assert views.count() > 0
    for view in views.all():
        view.scroll_into_view_if_needed()
        wait_until(lambda view=view: view.get_attribute("data-moves") is not None, "a view to be filled")
        if (slider := view.locator("input[type=range]:enabled:visible").first).count():
            assert moves(view, slider), f"{slider.get_attribute('aria-label')} of a view of {name} moves nothing"
        if (svg := view.locator('[data-tool="svg"]')).count():
            assert is_drawing(opened.page, svg), f"a view of {name} saves no drawing"
    assert opened.errors == [] and opened.refused == []
    assert opened.page.evaluate("window.violations") == []
    assert opened.page.evaluate(UNEXPLAINED) == []  # every control says what it does
    assert opened.page.evaluate(UNSPOKEN) == []  # and every slider its value as it stands beside it
    for look, rules in ("light", None), ("dark", ["color-contrast"]):
        if AXE.is_file():  # as in test_browser_axe.py
            opened.page.emulate_media(color_scheme=look)
            opened.page.wait_for_function(WORN, arg=look)
            assert opened.faults(rules=rules) == [], look


@pytest.mark.browser
def test_a_browser_that_runs_no_scripts_shows_the_pictures(browser, written):
    with contextlib.closing(Reader(browser.new_page(java_script_enabled=False)).page) as page:
        page.goto((written / "01_try.html").as_uri())
        assert page.locator(".pg-still img").first.bounding_box()["height"] > 100
        assert not page.locator(".pg-place").first.is_visible()


def test_a_static_picture_is_in_the_page_for_browsers_without_scripts(page):
    stills = re.findall(r'<div class="pg-still" hidden><img class="pg-picture" loading="lazy" alt="([^"]*)"', page)
    assert len(stills) == 4 and theme.escaped("line (synthetic)") in "".join(stills)
