"""Taught and alone, one place of a translation read two ways, in headless Chromium: walked, chosen, spoken."""

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from lab import AXE, Reader, wait_until

from viz import pages
from viz.canvas import offline_page, slot
from viz.decoding import forced_view

pytestmark = pytest.mark.browser

REFERENCE = ["▁Zwei", "▁Männer", "▁trugen", "▁ein", "▁Klavier", "</s>"]
OWN = ["▁Zwei", "▁Männer", "▁waren", "▁mit", "▁Klavier", "</s>"]
SOURCE = ["▁Two", "▁men", "▁were", "▁carrying", "▁a", "▁piano", "▁up", "▁the", "▁stairs", "</s>"]
PARTS, LAYERS, HEADS = 2, 3, 2
NAMES = sorted({*REFERENCE, *OWN})


@pytest.fixture
def cross() -> torch.Tensor:
    """Cross-attention (2, places, L, H, S) of given numbers."""
    shape = (2, len(REFERENCE), LAYERS, HEADS, len(SOURCE))
    return torch.rand(shape, generator=torch.Generator().manual_seed(0)).softmax(-1)


@pytest.fixture
def reader(browser: Any, tmp_path: Any, cross: torch.Tensor) -> Iterator[Reader]:
    drawn = torch.rand(2, len(REFERENCE), len(NAMES), generator=torch.Generator().manual_seed(1)).softmax(-1)
    distributions = torch.where(torch.arange(len(REFERENCE))[:, None] > PARTS, drawn, drawn[:1])
    view = forced_view(distributions, cross, NAMES, REFERENCE, OWN, SOURCE, title="Two men", shows="synthetic")
    body = f'<body class="view-page">{slot("canvas", 0)}</body>'
    path = tmp_path / "forced.html"
    path.write_text(offline_page("<title>ways</title>", body, pages.style(), [view.frozen()]), encoding="utf-8")
    opened = Reader(browser.new_page(viewport={"width": 1000, "height": 900}, offline=True))
    opened.page.goto(path.as_uri())
    opened.page.locator(".view[data-paint-ms]").wait_for()
    yield opened
    assert opened.refused == [] and opened.errors == []
    opened.page.close()


def stands_at(reader: Reader, place: int) -> None:
    """The view shows a place, counted from 0; the keyboard is on it."""
    view = reader.page.locator(".view")
    wait_until(lambda: view.get_attribute("data-place") == str(place), f"place {place}")
    reader.drawn()
    assert view.locator(".view-value").first.inner_text() == f"{place + 1} of {len(REFERENCE)}"
    assert reader.page.evaluate("document.activeElement.dataset.key").endswith(f" {place}")


def test_arrow_keys_walk_the_places_and_say_what_each_line_has_read(reader: Reader) -> None:
    spoken = reader.page.locator(".view-live")
    reader.page.locator('.frc-token[tabindex="0"]').focus()
    for key, place in (("ArrowRight", 1), ("ArrowRight", 2), ("End", 5), ("ArrowRight", 5), ("Home", 0), ("End", 5)):
        reader.page.keyboard.press(key)
        stands_at(reader, place)
    said = "place 6: Taught has read “Zwei Männer trugen ein Klavier”, alone “Zwei Männer waren mit Klavier”"
    wait_until(lambda: spoken.text_content().startswith(said), lambda: f"it to be spoken, not {spoken.text_content()}")
    reader.page.keyboard.press("Home")
    wait_until(lambda: "nothing yet: one distribution" in spoken.text_content(), "the first place to be spoken")


def test_the_first_divergence_is_marked_named_and_said_at_its_place_alone(reader: Reader) -> None:
    assert reader.page.locator("th.frc-parts").all_inner_texts() == [f"{PARTS + 1}: parts"]
    marked = reader.page.locator("td.frc-parts .frc-token")
    assert marked.all_inner_texts() == [REFERENCE[PARTS], OWN[PARTS]]
    assert all("first divergence" in name.get_attribute("aria-label") for name in marked.all())
    said, ends = reader.page.locator(".frc-said"), []
    for place in range(len(REFERENCE)):
        reader.page.locator(".frc-token[data-side='1']").nth(place).click()
        stands_at(reader, place)
        ends.append("here they part" in said.inner_text())
    assert ends == [place == PARTS for place in range(len(REFERENCE))]


def test_another_layer_or_head_shows_the_weights_that_were_given(reader: Reader, cross: torch.Tensor) -> None:
    place, reads = 4, reader.page.locator(".frc-reads tbody tr")
    reader.page.locator(".frc-token[data-side='0']").nth(place).click()
    stands_at(reader, place)
    for layer, head in ((0, -1), (2, 1), (1, 0)):
        reader.page.get_by_label("Layer", exact=True).select_option(str(layer))
        reader.page.get_by_label("Head", exact=True).select_option(str(head))
        heads = cross[:, place, layer]
        weights = heads.mean(1) if head < 0 else heads[:, head]
        shown = [[f"{weight:.2f}" for weight in row] for row in weights.tolist()]
        wait_until(
            lambda shown=shown: [row.locator("td").all_inner_texts() for row in reads.all()] == shown,
            f"the weights of layer {layer}, head {head}",
        )


@pytest.mark.skipif(not AXE.is_file(), reason="no axe-core, an npm package")
def test_what_scrolls_on_a_phone_can_be_reached_and_scrolled_by_the_keyboard(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 900})
    reader.drawn()
    wide = "part => part.scrollWidth > part.clientWidth"
    rows = reader.page.get_by_role("region", name="What each reads of the source")
    assert rows.evaluate(wide)
    assert reader.faults(rules=["scrollable-region-focusable"]) == []
    rows.focus()
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: rows.evaluate("part => part.scrollLeft") > 0, "the region to scroll")
    reader.page.locator('.frc-token[tabindex="0"]').focus()
    reader.page.keyboard.press("End")
    stands_at(reader, len(REFERENCE) - 1)
    inside = "([token, line]) => token.getBoundingClientRect().right <= line.getBoundingClientRect().right + 1"
    token, line = reader.page.locator(".frc-token[aria-pressed=true]").first, reader.page.locator(".frc-lines")
    assert reader.page.evaluate(inside, [token.element_handle(), line.element_handle()])
