"""The pages of all notebooks at several widths: no text of a view is cut, on another or too small to read.

A page's views are those of the notebook, and a view's own width, not the window's, decides how its parts stand:
a narrow page is JupyterLab beside its side bar and a zoom of 200 % too. fits.js measures.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from lab import ROOT, Reader

from viz import pages
from viz.attention import attention_view
from viz.canvas import offline_page, slot
from viz.complexity import STYLES, complexity_view
from viz.pages import image
from viz.training import recipe_view

pytestmark = pytest.mark.browser

NOTEBOOKS = [path.stem for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))]
WIDTHS = (1440, 1000, 390)
HEIGHT = 20_000

# Leaves a page its views, also those that are folded: so all are in sight at once, and built.
VIEWS_ALONE = """() => {
  document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  document.querySelectorAll(".pg-code, .pg-out, section.pg-text").forEach((text) => { text.style.display = "none"; });
}"""

# What a hand does, and then all is measured again: a notebook's beginning, and the script.
GESTURES = {
    "01": """(async () => {
      const slide = (name, value) => {
        const slider = document.querySelector(`.pos-slider[aria-label="${name}"]`);
        slider.value = value;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      };
      document.querySelector(".view-tab[data-tab=rotation]").click();
      await fits.frames(3);
      slide("position p", 10000);
      slide("offset k", 128);
    })()""",
    "03": """document.querySelectorAll(".mask-layer canvas").forEach((canvas) => {
      canvas.focus();
      for (const key of ["ArrowDown", "ArrowRight", " "]) {
        canvas.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      }
    });
    document.querySelectorAll(".mask-field").forEach((field) => {
      field.value = "-1e9";
      field.dispatchEvent(new Event("input", { bubbles: true }));
    })""",
    "06": "document.querySelectorAll('.cpl-chip[aria-pressed=false]').forEach((chip) => chip.click())",
}


@pytest.fixture
def reader(browser: Any) -> Iterator[Reader]:
    opened = Reader(browser.new_page(viewport={"width": WIDTHS[0], "height": HEIGHT}, offline=True))
    opened.page.add_init_script(path=Path(__file__).with_name("fits.js"))
    yield opened
    opened.page.close()


def findings(page: Any, width: int) -> list[list[str]]:
    """What is wrong at a width: kind, view, open tabs, place, text."""
    page.set_viewport_size({"width": width, "height": HEIGHT})
    page.evaluate("fits.settled()")
    return [[str(width), *finding] for finding in page.evaluate("fits.findings()")]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_text_of_a_notebooks_views_is_whole_apart_and_large_enough(name: str, real: Path, reader: Reader) -> None:
    reader.page.goto((real / f"{name}.html").as_uri())
    reader.page.evaluate(VIEWS_ALONE)
    found = [finding for width in WIDTHS for finding in findings(reader.page, width)]
    if gesture := GESTURES.get(name[:2]):
        reader.page.evaluate(gesture)
        found += [finding for width in WIDTHS for finding in findings(reader.page, width)]
    assert found == [] and reader.errors == []


def test_a_long_sentence_has_large_cells_with_every_name_and_its_title_is_whole(reader: Reader, tmp_path: Path) -> None:
    n = 75
    weights = torch.rand(1, 2, n, n, generator=torch.Generator().manual_seed(0)).softmax(-1)
    names, title = [f"▁word{i}" for i in range(n)], "a title of many words " * 12
    view = attention_view(weights, names, names, title=title, shows="synthetic")
    body = f'<body class="view-page">{slot("canvas", 0)}</body>'
    (tmp_path / "long.html").write_text(offline_page("", body, pages.style(), [view.frozen()]), encoding="utf-8")
    reader.page.goto((tmp_path / "long.html").as_uri())
    assert [finding for width in (1000, 390) for finding in findings(reader.page, width)] == []
    reader.page.get_by_label("large cells").check()
    assert [finding for width in (1000, 390) for finding in findings(reader.page, width)] == []
    drawn = reader.page.evaluate("fits.written(document.querySelector('canvas.att-heat'))")
    assert {name: drawn.count(name) for name in names} == dict.fromkeys(names, 2)  # a row and a column
    assert reader.errors == []


# A canvas remembers what its picture was drawn of: [act, values] each.
ACTS = """for (const act of ["clearRect", "moveTo", "lineTo", "fillText", "fillRect", "clip"]) {
  const { prototype } = CanvasRenderingContext2D, draw = prototype[act];
  prototype[act] = function (...values) {
    this.canvas.acts = act === "clearRect" ? [] : [...this.canvas.acts ?? [], [act, values]];
    return draw.apply(this, values);
  };
}"""
DRAWN = "canvas => canvas.acts"


def shown_alone(reader: Reader, view: Any, folder: Path) -> Any:
    """A view in a page of its own, whose canvases remember the acts of drawing."""
    body = f'<body class="view-page">{slot("canvas", 0)}</body>'
    (folder / "view.html").write_text(offline_page("", body, pages.style(), [view.frozen()]), encoding="utf-8")
    reader.page.add_init_script(ACTS)
    reader.page.goto((folder / "view.html").as_uri())
    return reader.page.locator(".view")


def test_a_name_is_led_to_its_line_and_a_crossings_label_lies_on_a_ground_of_its_own(
    reader: Reader, tmp_path: Path
) -> None:
    view = shown_alone(reader, complexity_view(shown=list(STYLES)), tmp_path)
    reader.drawn()
    cost, chain = (view.locator(f'[data-column="{name}"]').evaluate(DRAWN) for name in ("cost", "chain"))
    begins = {}  # of each name on the chart of sequential operations: where its line ends
    for n, (act, values) in enumerate(chain):
        if act == "fillText" and values[0] in {short for _, _, short in STYLES.values()}:
            begins[values[0]] = chain[n - 4][1]
            assert chain[n - 1] == ["lineTo", [values[1] - 3, values[2]]]
    lines = [["RNN", "GRU", "LSTM"], ["attention", "window"], ["separable", "FFN"], ["conv", "dilated", "doubling"]]
    assert [len({tuple(begins[name]) for name in names}) for names in lines] == [1, 1, 1, 1]
    assert len({tuple(place) for place in begins.values()}) == 4
    crossings = [n for n, (act, values) in enumerate(cost) if act == "fillText" and "n = " in values[0]]
    assert len(crossings) == 6 and all(cost[n - 1][0] == "fillRect" for n in crossings)
    assert view.get_by_text("measured here").count() == 1 and not view.get_by_text("measured here").is_visible()


def test_at_the_ends_of_their_sliders_the_texts_of_the_recipe_are_clear_of_each_other_and_of_curves_and_bars(
    reader: Reader, tmp_path: Path
) -> None:
    view = shown_alone(reader, recipe_view([(3, 4), (5, 6)], "rate"), tmp_path)

    def slide(label: str, value: float) -> None:
        bar = view.get_by_label(label, exact=True)
        bar.evaluate("(bar, value) => { bar.value = value; bar.dispatchEvent(new Event('input')); }", value)
        reader.drawn()

    slide("d_model", 0), slide("warmup_steps", 0), slide("steps shown", 99)
    heights = [
        values[2]
        for act, values in view.locator("canvas").evaluate(DRAWN)
        if act == "fillText" and "paper, " in values[0]
    ]
    assert heights[1] - heights[0] > 13
    assert [finding for width in (1440, 390) for finding in findings(reader.page, width)] == []
    view.get_by_role("tab", name="Label smoothing").click()
    slide("ε", 0.5), slide("V", 99), slide("the model's p(right word)", 0.01)
    assert [finding for width in (390, 1440) for finding in findings(reader.page, width)] == []
    acts = view.locator("canvas").evaluate(DRAWN)
    bar = next(values for act, values in acts if act == "fillRect")
    texts = {values[0]: values[1:] for act, values in acts if act == "fillText"}
    middle, height = texts["0.0100"]
    assert bar[1] < height and middle - 20 > bar[0] + bar[2]  # beside the target's bar, whose top is higher
    top = 30  # of the frame of losses
    assert texts["plain nll"][1] < top and texts["floor 6.4495"][1] < top
    slide("V", 0)
    acts = view.locator("canvas").evaluate(DRAWN)
    assert ["clip", []] in acts and min(values[1] for act, values in acts if act == "lineTo") < top - 10  # no plateau


WIDE = """<svg xmlns='http://www.w3.org/2000/svg' width='900' height='90'><text y='20'>type</text></svg>"""


def test_on_a_phone_a_wide_still_scrolls_so_that_its_type_can_be_read(reader: Reader, tmp_path: Path) -> None:
    body = f'<body class="view-page"><main><div class="pg-output">{image("image/svg+xml", WIDE.encode())}</div></main>'
    (tmp_path / "still.html").write_text(offline_page("", body + "</body>", pages.style(), []), encoding="utf-8")
    reader.page.set_viewport_size({"width": 390, "height": 600})
    reader.page.goto((tmp_path / "still.html").as_uri())
    assert reader.page.evaluate("document.images[0].clientWidth") >= 640
    assert reader.page.evaluate("document.documentElement.scrollWidth") == 390


# Of every canvas in sight: by how much it is stretched, and how wide it is on the page.
PRINTED = """() => [...document.querySelectorAll(".view canvas")].filter((one) => one.clientWidth).map((canvas) => {
  const { width, height } = canvas.getBoundingClientRect();
  return [canvas.width / canvas.height / (width / height), canvas.closest(".view").getBoundingClientRect().right];
})"""


def test_on_paper_a_view_is_smaller_and_nothing_is_stretched(real: Path, reader: Reader) -> None:
    reader.page.goto((real / "05_attention_heads.html").as_uri())
    reader.page.evaluate("fits.settled()")
    reader.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    reader.page.emulate_media(media="print")
    reader.page.set_viewport_size({"width": 718, "height": HEIGHT})  # a sheet of A4
    printed = reader.page.evaluate(PRINTED)
    assert len(printed) > 5
    assert all(abs(stretched - 1) < 0.05 and right <= 718 for stretched, right in printed), printed
    reader.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert reader.page.evaluate("document.querySelector('.view').style.cssText.includes('zoom: 0')") is False


CASES = """<!doctype html>
<style>
  div { width: 200px; font: 14px/20px sans-serif; white-space: nowrap; }
  .cut, .dots, .scrolls { overflow: hidden; } .dots { text-overflow: ellipsis; } .scrolls { overflow: auto; }
  .on { margin-top: -20px; } .tiny { font-size: 12px; } .far { position: absolute; left: 500px; }
  canvas { width: 100px; height: 40px; }
</style>
<main class="pg-view" data-moves>
  <div class="whole">short</div>
  <div class="cut">a text that is longer than its box, much longer</div>
  <div class="dots">another text that is longer than its box</div>
  <div class="scrolls">and one that can be scrolled to its end</div>
  <div class="under">one text</div><div class="on">its neighbour</div>
  <div class="tiny">small</div><div class="far">outside</div>
  <canvas width="100" height="40"></canvas>
</main>
<script>
  const ctx = document.querySelector("canvas").getContext("2d");
  ctx.clearRect(0, 0, 100, 40);
  ctx.font = "13px sans-serif";
  for (const [text, x] of [["middle", 20], ["on it", 30], ["beyond", 80]]) ctx.fillText(text, x, 20);
</script>"""


def test_the_measure_finds_what_is_cut_on_another_small_or_outside_and_nothing_else(
    reader: Reader, tmp_path: Path
) -> None:
    reader.page.set_viewport_size({"width": 520, "height": 600})
    (tmp_path / "cases.html").write_text(CASES, encoding="utf-8")
    reader.page.goto((tmp_path / "cases.html").as_uri())
    found = sorted((kind, place) for kind, _, _, place, _ in reader.page.evaluate("fits.findings()"))
    assert found == [
        ("cut", ".cut"), ("cut", ".dots"), ("cut", ".pg-view"), ("outside", ".far"), ("outside", "html"),
        ("overlap", ".pg-view"), ("overlap", ".under"), ("small", ".tiny"),
    ]  # fmt: skip
