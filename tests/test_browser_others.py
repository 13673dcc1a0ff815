"""Pages in Firefox and WebKit, opened from files, no network: a sentence typed, translated, a head switched off."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from drivers import FIREFOX, WEBKIT, Page, firefox, webkit
from lab import wait_until

import transformer_core as tc
from viz import canvas, controls, pages
from viz.attention import explore_attention
from viz.decoding import explore_beam
from viz.model import explore_model

FIRST, NEXT = "The cat sees the dog.", "Tom loves Mary."
CORNER = "trained: tatoeba-en-de, int8, in this page"
pytestmark = pytest.mark.usefixtures("one_thread")


def browser(start: Any, name: str, there: Any) -> Any:
    """A parameter that is left out where its browser is not there, also where browsers are required."""
    return pytest.param(start, id=name, marks=pytest.mark.browser if there else pytest.mark.skip(f"no {name}"))


BROWSERS = [browser(firefox, "Firefox", FIREFOX), browser(webkit, "WebKit", WEBKIT)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages of the views with which notebooks 00, 05 and 07 begin, the index, and the model."""
    folder, everyday = tmp_path_factory.mktemp("site"), tc.load_pretrained("tatoeba-en-de")
    views = {"00_start_here": explore_model(everyday, FIRST), "05_attention_heads": explore_attention(everyday, FIRST),
             "07_decoding": explore_beam(everyday, "Yes.")}  # fmt: skip
    made = []
    for name, view in views.items():
        sheet = pages.Sheet(folder / f"{name}.ipynb", controls.frozen_widgets([view.model_id]), folder)
        body = f'<body class="pg">\n<main>{sheet.bundle({pages.WIDGET: {"model_id": view.model_id}})}</main>\n</body>'
        shown, head = [*sheet.views.values()], pages.HEAD.format(title=name, sentence="")
        text = canvas.offline_page(head, body, pages.style(), shown, translators=sheet.translators)
        made.append(pages.Page(name, name, "", text, tuple(sheet.translators)))
    pages.write(made, folder)
    return folder


@pytest.fixture(scope="module", params=BROWSERS)
def tab(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with request.param(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    yield tab
    errors, tab.errors = tab.errors, []
    assert errors == []


BOX, LINE, CORNER_OF = ".pg-asks input", ".pg-asks [role=status]", ".view-badge"


def test_page_00_takes_a_sentence_through_figure_1(page: Page, site: Path) -> None:
    page.open((site / "00_start_here.html").as_uri())
    page.wait_for(".view-badge", "trained")
    page.type_in(BOX, NEXT)
    page.wait_for(".view-sentence", NEXT)
    page.wait_for(CORNER_OF, CORNER)
    page.wait_for(LINE, "pieces in")


def test_page_05_translates_and_again_without_a_head(page: Page, site: Path) -> None:
    page.open((site / "05_attention_heads.html").as_uri())
    page.wait_for(".view-sentence", FIRST)
    page.type_in(BOX, NEXT)
    page.wait_for(".view-sentence", "Tom liebt")
    page.wait_for(CORNER_OF, CORNER)
    page.click(".att-switch[data-head='2']")
    page.wait_for(".att-without", "Δ log-probability")


def test_page_07_searches_with_every_beam(page: Page, site: Path) -> None:
    page.open((site / "07_decoding.html").as_uri())
    page.wait_for(".view-badge", "trained")
    page.type_in(BOX, "I am a teacher.")
    page.wait_for(LINE, "searched with beams")
    page.wait_for(CORNER_OF, CORNER)
    page.wait_for(".view", "Lehrer")


def test_the_index_answers_and_an_address_opens_its_view(page: Page, site: Path) -> None:
    page.open((site / "index.html").as_uri())
    page.wait_for(".view-sentence", pages.EXAMPLE)
    page.type_in(BOX, NEXT)
    page.wait_for(".view-sentence", "Tom liebt")
    page.open(f"{(site / '05_attention_heads.html').as_uri()}#view=AttentionView&sentence=Yes.&layer=3&heads=[1]")
    page.wait_for(".view-sentence", "Yes.")
    wait_until(lambda: page.run("({...document.querySelector('.view').dataset}).layer") == "3", "the layer")
    assert page.run("document.querySelector('.view').dataset.heads") == "1"
