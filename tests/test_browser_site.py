"""The exported pages as a site, opened from files with the network shut: the index, addresses of views, pages alone."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from lab import AXE, WORN, Reader, wait_until

import transformer_core as tc
from core_options import page_weights
from viz import canvas, controls, pages
from viz.attention import explore_attention
from viz.masks import explore_masks
from viz.positions import explore_order, explore_positions

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("one_thread")]

FIRST, NEXT = "The cat sees the dog.", "Tom loves Mary."
HEADS = "05_attention_heads"
CORNER = "trained: tatoeba-en-de, int8, in this page"
STORED = "trained: tatoeba-en-de, fp32, from Python"
VIOLATIONS = """window.violations = [];
addEventListener("securitypolicyviolation",
  (event) => window.violations.push(`${event.violatedDirective}: ${event.sample}`));
"""
COPIED = """window.copied = [];
Object.defineProperty(navigator, "clipboard",
  { value: { writeText: async (text) => { window.copied.push(text); } } })"""
REFUSED = """() => (document.querySelector(".pg-refused")
  ?? document.querySelector(".pg-asks [role=status]")).textContent"""


@pytest.fixture(scope="module")
def everyday() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


def page_with(views: list[Any], name: str, folder: Path, alone: bool = False) -> pages.Page:
    """A page of these views."""
    sheet = pages.Sheet(
        folder / f"{name}.ipynb", controls.frozen_widgets([view.model_id for view in views]), folder, alone
    )
    shown = "".join(f"<p>Above it.</p>{sheet.bundle({pages.WIDGET: {'model_id': view.model_id}})}" for view in views)
    body = f'<body class="pg">\n<main><h1>{name}</h1>{shown}</main>\n</body>'
    head = pages.HEAD.format(title=name, sentence="It asks.")
    text = canvas.offline_page(
        head, body, pages.style(), [*sheet.views.values()], translators=sheet.translators, beside=not alone
    )
    return pages.Page(name, name, "It asks.", text, tuple(sheet.translators))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, everyday: tc.Translator) -> Path:
    """A folder with pages, the index and the model."""
    folder = tmp_path_factory.mktemp("site")
    others = [explore_order(everyday, "The dog bites the man."), explore_masks(everyday, "The old man reads a book."),
              explore_positions(), explore_positions()]  # fmt: skip
    made = [page_with([explore_attention(everyday, FIRST)], HEADS, folder), page_with(others, "07_decoding", folder),
            page_with([explore_positions()], "02_scaled_dot_product", folder)]  # fmt: skip
    pages.write(made, folder)
    return folder


Open = Callable[..., Reader]


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens an address of a file, with the network shut; at the end nothing has gone wrong in it."""
    readers: list[Reader] = []

    def open_page(address: str, **options: Any) -> Reader:
        usual = dict(viewport={"width": 1280, "height": 1000}, offline=True)
        readers.append(reader := Reader(browser.new_page(**usual | options)))
        reader.page.add_init_script(VIOLATIONS + COPIED)
        reader.page.goto(address)
        return reader

    yield open_page
    for reader in readers:
        violations = reader.page.evaluate("window.violations")
        reader.page.close()
        assert reader.errors == reader.refused == violations == []


def line(reader: Reader) -> str:
    return reader.page.locator(".pg-asks [role=status]").first.inner_text()


def badge(reader: Reader) -> str:
    return reader.page.locator(".view-badge").first.inner_text()


def headline(reader: Reader) -> str:
    return reader.page.locator(".view-sentence").first.inner_text()


def type_in(reader: Reader, text: str) -> None:
    box = reader.page.locator(".pg-asks input").first
    box.fill(text)
    box.press("Enter")


def told(reader: Reader, words: str) -> None:
    wait_until(lambda: words in line(reader), lambda: f"{words!r} in the line, which says {line(reader)!r}")


def data(reader: Reader, name: str, nth: int = 0) -> str:
    return reader.page.locator(".view").nth(nth).get_attribute(f"data-{name}")


def address_of(reader: Reader, nth: int = 0) -> str:
    """What the bar of a view copies."""
    before = reader.page.evaluate("window.copied.length")
    reader.page.locator('[data-tool="link"]').nth(nth).click()
    wait_until(lambda: reader.page.evaluate("window.copied.length") > before, "the address to be copied")
    return reader.page.evaluate("window.copied.at(-1)")


# ─── The index ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_sentence_waits_for_enter_and_says_so_and_undo_and_reset_bring_back_the_one_before(site: Path, opened: Open):
    reader = opened((site / f"{HEADS}.html").as_uri())
    undo, reset = (reader.page.locator(f'[data-tool="{tool}"]').first for tool in ("undo", "reset"))
    box = reader.page.locator(".pg-asks input").first
    told(reader, "log-probability")
    first = line(reader)
    box.fill(NEXT)
    told(reader, "Press Enter")
    assert undo.get_attribute("aria-disabled") == reset.get_attribute("aria-disabled") == "true"
    box.press("Enter")
    wait_until(lambda: headline(reader).startswith(NEXT), "the sentence to be answered")
    wait_until(lambda: undo.get_attribute("aria-disabled") == "false", "undo to be had")
    undo.click()
    wait_until(lambda: headline(reader).startswith(FIRST) and box.input_value() == FIRST, "the sentence before")
    type_in(reader, NEXT)
    wait_until(lambda: headline(reader).startswith(NEXT), "the sentence to be answered")
    wait_until(lambda: reset.get_attribute("aria-disabled") == "false", "reset to be had")
    reset.click()
    wait_until(lambda: line(reader) == first and box.input_value() == FIRST, "all to be as at first")
    wait_until(lambda: headline(reader).startswith(FIRST), "the first sentence in the view")
    assert reset.get_attribute("aria-disabled") == "true"


def test_the_index_translates_a_sentence_shows_where_a_head_looked_and_leads_on_with_it(opened: Open, site: Path):
    assert (site / "index.html").stat().st_size < 1_000_000
    reader = opened((site / "index.html").as_uri())
    reader.page.locator(".view[data-paint-ms]").wait_for()
    assert pages.EXAMPLE in headline(reader) and badge(reader) == STORED  # stored
    assert reader.page.locator("canvas.att-heat").count() == 1
    assert not reader.page.locator(".att-side").is_visible() and not reader.page.locator(".att-strip").is_visible()
    assert reader.page.locator(".pg-ways h3").count() == 3
    type_in(reader, NEXT)
    told(reader, "source and")
    wait_until(lambda: "Tom liebt" in headline(reader), "the translation")
    assert badge(reader) == CORNER
    picture = reader.pixels(reader.page.locator("canvas.att-heat"))
    type_in(reader, "Yes.")
    wait_until(lambda: reader.pixels(reader.page.locator("canvas.att-heat")) != picture, "another map")
    type_in(reader, NEXT)
    wait_until(lambda: "Tom liebt" in headline(reader), "the translation")
    reader.page.locator("a[data-goes-on]").click()
    reader.page.wait_for_url(f"**/{HEADS}.html#view=AttentionView*")
    wait_until(lambda: reader.page.locator(".view-sentence").count() and "Tom liebt" in headline(reader), "its heads")
    assert reader.page.locator(".pg-asks input").input_value() == NEXT


def test_the_index_without_weights_says_so_and_keeps_what_was_stored(opened: Open, site: Path, tmp_path: Path):
    (tmp_path / "index.html").write_bytes((site / "index.html").read_bytes())
    reader = opened((tmp_path / "index.html").as_uri())
    reader.page.locator(".view[data-paint-ms]").wait_for()
    type_in(reader, NEXT)
    told(reader, "model.js is missing beside this page")
    assert pages.EXAMPLE in headline(reader)
    reader.errors[:] = [error for error in reader.errors if "ERR_FILE_NOT_FOUND" not in error]


@pytest.mark.parametrize(
    "options", [dict(viewport={"width": 390, "height": 800}), dict(viewport={"width": 640, "height": 500})]
)
def test_the_index_fits_a_phone_and_a_page_twice_as_large_and_shuts_nobody_out(opened: Open, site: Path, options: dict):
    reader = opened((site / "index.html").as_uri(), **options)
    reader.page.locator(".view[data-paint-ms]").wait_for()
    assert reader.page.evaluate("document.documentElement.scrollWidth") <= options["viewport"]["width"]
    for look in ("light", "dark"):
        reader.page.emulate_media(color_scheme=look)
        reader.page.wait_for_function(WORN, arg=look)
        if AXE.is_file():
            assert reader.faults() == [], look


def test_a_browser_without_scripts_reads_the_index_with_its_pictures(browser: Any, site: Path):
    page = browser.new_page(java_script_enabled=False)
    page.goto((site / "index.html").as_uri())
    assert page.locator(".pg-small .pg-still img").bounding_box()["height"] > 100
    assert page.locator(".pg-index img").count() == 3
    page.close()


# ─── Addresses ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_address_opens_a_view_with_its_sentence_layer_heads_pins_tab_and_heads_off(opened: Open, site: Path):
    reader = opened((site / f"{HEADS}.html").as_uri())
    view = reader.page.locator(".view")
    view.locator("canvas.att-heat").first.wait_for()
    assert address_of(reader).endswith(f"{HEADS}.html#view=AttentionView")
    type_in(reader, NEXT)
    wait_until(lambda: "Tom liebt" in headline(reader), "the translation")
    view.get_by_label("Layer", exact=True).press("ArrowLeft")
    view.locator(".att-head[data-head='5']").click()
    heat = view.locator("canvas.att-heat").nth(2)
    heat.focus()
    for key in ("ArrowDown", "q"):
        heat.press(key)
    view.locator(".att-switch[data-head='2']").click()
    without = view.locator(".att-without")
    wait_until(lambda: "Δ log-probability" in without.inner_text(), "the translation without the head")
    address = address_of(reader)
    assert "words" not in address  # none was changed
    other = opened(address)
    again = other.page.locator(".att-without")
    wait_until(lambda: again.count() and again.inner_text() == without.inner_text(), "the same translation")
    for name in ("kind", "layer", "heads", "pin"):
        assert data(other, name) == data(reader, name), name
    assert other.page.get_by_role("tab", name="What if").get_attribute("aria-selected") == "true"
    assert headline(other) == headline(reader) and line(other) == line(reader) and badge(other) == CORNER
    assert address_of(other) == address


def test_an_address_holds_what_was_typed_and_the_words_changed_in_it(opened: Open, site: Path):
    page = (site / f"{HEADS}.html").as_uri()
    words = quote(json.dumps([["replace", 2, "John"]]))
    reader = opened(f"{page}#view=AttentionView&pin=[[%22query%22,1]]&sentence={quote(NEXT)}&words={words}")
    without = reader.page.locator(".att-without")
    wait_until(lambda: without.count() and "1 source word changed" in without.inner_text(), "the word to be changed")
    wait_until(lambda: data(reader, "pin") == '[["query",1]]', "the pin, set after the answer")
    assert "John" in headline(reader) and badge(reader) == CORNER
    wait_until(lambda: "Joh" in without.inner_text(), "what is said then")  # the model may say Johannes
    other = opened(address := address_of(reader))
    again = other.page.locator(".att-without")
    wait_until(lambda: again.count() and again.inner_text() == without.inner_text(), "the same again")
    assert data(other, "pin") == data(reader, "pin") and address_of(other) == address


def test_an_address_leads_to_its_view_far_below_and_another_one_begins_from_what_was_stored(opened: Open, site: Path):
    page = (site / "07_decoding.html").as_uri()
    reader = opened(f"{page}#view=PositionsView-2&tab=%22rotation%22&position=7")
    view = reader.page.locator(".pg-view").nth(3)
    wait_until(lambda: view.locator(".view[data-paint-ms]").count(), "the view to be painted")
    wait_until(lambda: abs(view.bounding_box()["y"]) < 400, "the view to be in sight")
    tab = view.get_by_role("tab", selected=True)
    wait_until(lambda: "rotation" in tab.inner_text().lower(), "its tab")
    assert reader.page.evaluate("document.activeElement.dataset.number") == "3"
    reader.page.evaluate("location.hash = '#view=PositionsView-2&position=9'")
    wait_until(lambda: "rotation" not in tab.inner_text().lower(), "the tab that was stored")
    places = [7, 6, 5, 4, 3, 2, 1, 0]
    reader.page.evaluate("hash => { location.hash = hash; }", f"#view=OrderView&places={json.dumps(places)}")
    known = reader.page.locator(".ord-said")
    wait_until(lambda: known.count() and badge(reader) == CORNER, "the model to answer")
    mask = json.dumps([1] * 36)
    reader.page.evaluate("hash => { location.hash = hash; }", f"#view=MaskView&layer={mask}")
    wait_until(
        lambda: reader.page.locator(".pg-refused, .pg-asks [role=status]").nth(1).inner_text() != "", "an answer"
    )


HOSTILE = {
    "layer=99": "layer cannot be 99 here",
    "layer=-1": "layer cannot be -1 here",
    "layer=%221%22": 'layer cannot be "1" here',
    "heads=[0,8]": "heads cannot be [0,8] here",
    "heads=[]": "heads cannot be [] here",
    "pin=[[%22query%22]]": "pin cannot be",
    "kind=%22__proto__%22": "kind cannot be",
    "panel=%22%3Cimg%20src=x%20onerror=alert(1)%3E%22": "panel cannot be",
    "off=[[%22cross%22,0,99]]": "off cannot be",
    "words=[[%22replace%22,99,%22x%22]]": "words cannot be",
    "words=[[%22drop%22,0]]": "words cannot be",
    "held=[[%22cross%22,0,0,1,[2]]]": "held cannot be",
    "held=[[%22cross%22,0,-2,1,[1]]]": "held cannot be",
    "colours_to=0": "colours_to cannot be 0 here",
    "data=%22%22": "has no data that can be set",
    "meta={}": "has no meta that can be set",
    "facts={}": "has no facts that can be set",
    "__proto__={%22layer%22:1}": "has no __proto__ that can be set",
    "layer=alert(1)": "which is cut or no value",
    "layer=1&layer=2": "says layer twice",
    "%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E=1": "has no <img src=x",
    f"x={'1' * 7000}": "more than the 6000",
}  # fmt: skip


def test_what_a_stranger_s_address_may_not_open_is_told_and_the_stored_view_stays(opened: Open, site: Path):
    page = (site / f"{HEADS}.html").as_uri()
    reader = opened(page)
    reader.page.locator("canvas.att-heat").first.wait_for()
    before = {name: data(reader, name) for name in ("kind", "layer", "heads", "pin")} | {"line": headline(reader)}
    for state, words in HOSTILE.items():
        reader.page.evaluate("hash => { location.hash = hash; }", f"#view=AttentionView&sqrt=true&{state}")
        wait_until(lambda words=words: words in reader.page.evaluate(REFUSED),
                   lambda words=words: f"{words!r}, not {reader.page.evaluate(REFUSED)!r}")  # fmt: skip
        assert {name: data(reader, name) for name in ("kind", "layer", "heads", "pin")} | {
            "line": headline(reader)
        } == before
        assert not reader.page.get_by_label("√ colours").is_checked()
        reader.page.evaluate("document.querySelector('.pg-refused')?.remove()")
    reader.page.evaluate("location.hash = '#view=%3Cb%3ENoView%3C/b%3E'")
    wait_until(lambda: "there is no view <b>NoView</b> in this page" in reader.page.evaluate(REFUSED), "no such view")
    assert reader.page.locator("main img[src=x], main b:has-text('NoView')").count() == 0
    sentence = quote("x" * 1500)
    reader.page.evaluate("hash => { location.hash = hash; }", f"#view=AttentionView&sentence={sentence}&layer=1")
    told(reader, "more than the 160 shown")
    assert headline(reader) == before["line"] and data(reader, "layer") == before["layer"]
    reader.page.evaluate(
        "hash => { location.hash = hash; }", f"#view=AttentionView&sentence={quote(NEXT)}&pin=[[%22query%22,600]]"
    )
    told(reader, "pin cannot be")
    assert headline(reader) == before["line"]


def test_markup_in_an_address_s_sentence_stays_text(opened: Open, site: Path):
    text = "<img src=x onerror=alert(1)>"
    reader = opened(f"{(site / f'{HEADS}.html').as_uri()}#view=AttentionView&sentence={quote(text)}")
    wait_until(
        lambda: reader.page.locator(".view-sentence").count() and text in headline(reader), "the sentence as text"
    )
    assert reader.page.locator("main img[src=x]").count() == 0


# ─── Alone ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_that_holds_its_weights_answers_alone_in_its_folder(
    opened: Open, everyday: tc.Translator, tmp_path: Path
):
    page = page_with([explore_attention(everyday, FIRST)], HEADS, tmp_path, alone=True)
    whole = page_weights.within(page.text, [pages.model_of("tatoeba-en-de")])
    assert "'self'" not in whole[:3000] and "file:" not in whole[:3000]
    (tmp_path / "one.html").write_text(whole, encoding="utf-8")
    reader = opened((tmp_path / "one.html").as_uri())
    reader.page.locator("canvas.att-heat").first.wait_for()
    type_in(reader, NEXT)
    wait_until(lambda: "Tom liebt" in headline(reader), "the translation")
    assert badge(reader) == CORNER
    cut = whole[: whole.index("application/x-model") + 5000]
    (tmp_path / "cut.html").write_text(cut, encoding="utf-8")
    broken = opened((tmp_path / "cut.html").as_uri())
    broken.page.locator("canvas.att-heat").first.wait_for()
    type_in(broken, NEXT)
    told(broken, "This page is cut or damaged; copy it again.")
    assert FIRST in headline(broken)
