"""Notebook 01 in a real JupyterLab in headless Chromium: merges, positions and places under a reader's hands."""

import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from lab import PLAY, SLIDE, Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

MORE = (
    '{"tab": places.tab, "p": places.position, "d": places.d_model, "text": words.text, "step": words.step,'
    ' "places": order.view.places, "known": order.view.known}'
)
# the file that the test reads follows every view
FOLLOW = "words.observe(tell); places.observe(tell)"


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[Reader]:
    with lab.opened("01_tokens_and_positions.ipynb", "order.view", (), MORE, [FOLLOW], shown=[]) as opened:
        wait_until(lambda: view(opened, "Positions").get_attribute("data-paint-ms"), "the views to be painted")
        yield opened


def view(reader: Reader, name: str) -> Any:
    return reader.page.locator(f'.view[aria-label="{name}"]').first


def test_merges_move_by_keyboard_and_a_typed_text_merges_at_once(reader: Reader) -> None:
    merges = view(reader, "Merges of a text")
    slider = merges.get_by_label("Merges made", exact=True)
    slider.focus()
    reader.page.keyboard.press("Home")
    reader.wait_for("step", 0)
    assert merges.locator(".txt-piece").count() == len("▁The▁grandmothers'▁playground")
    reader.page.keyboard.press("End")
    wait_until(lambda: merges.locator(".txt-piece small").first.inner_text(), "ids under the pieces")
    merges.locator(".txt-input").fill("<b>Katze</b>")
    reader.wait_for("text", "<b>Katze</b>")
    shown = merges.locator(".txt-piece b").all_inner_texts()
    assert shown == ["▁", "<0x3C>", "b", "<0x3E>", "K", "at", "ze", "<0x3C>", "<0x2F>", "b", "<0x3E>"]


def test_merges_play_and_stop(reader: Reader) -> None:
    merges = view(reader, "Merges of a text")
    merges.locator(".view-chip", has_text="Ich verstehe").click()
    merges.evaluate(PLAY, [".txt-play", 2])
    wait_until(lambda: "merge number" in merges.locator(".txt-told").inner_text(), "the page to say so")


def test_every_tab_of_positions_is_painted(reader: Reader) -> None:
    positions = view(reader, "Positions")
    canvas = positions.locator("canvas.pos-board")
    painted = []
    for tab in ("waves", "clocks", "similarity", "rotation", "learned", "map"):
        positions.locator(f'.view-tab[data-tab="{tab}"]').click()
        wait_until(lambda tab=tab: positions.get_attribute("data-tab") == tab, f"the tab {tab}")
        painted.append(reader.pixels(canvas))
    assert len(set(painted)) == len(painted)
    reader.wait_for("tab", "map")


def test_arrow_keys_walk_over_the_heat_map_and_say_the_number(reader: Reader) -> None:
    positions = view(reader, "Positions")
    positions.locator("canvas.pos-board").focus()
    for _ in range(2):
        reader.page.keyboard.press("ArrowDown")
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: "position 2, feature 1" in positions.locator(".pos-reading").inner_text(), "the cell's number")
    wait_until(lambda: "−0.416" in positions.locator(".pos-reading").inner_text(), "the page to say so")


def test_the_rotation_s_error_is_counted_over_all_positions(reader: Reader) -> None:
    positions = view(reader, "Positions")
    positions.locator('.view-tab[data-tab="rotation"]').click()
    worst = wait_until(lambda: positions.get_attribute("data-worst"), "the error over 10,001 positions")
    assert 0 < float(worst) <= 1e-11
    slider = positions.get_by_label("position p", exact=True)
    slider.focus()
    reader.page.keyboard.press("ArrowRight")
    reader.wait_for("p", 11)
    wait_until(lambda: "PE(11)" in positions.locator(".pos-blocks thead").inner_text(), "the block at position 11")


def test_every_row_of_the_rotation_is_in_sight(reader: Reader) -> None:
    hidden = view(reader, "Positions").locator(".pos-pane").evaluate("pane => pane.scrollHeight - pane.clientHeight")
    assert hidden == 0


def test_a_single_pair_is_compared_with_none_before_it(reader: Reader) -> None:
    positions = view(reader, "Positions")
    positions.locator('.view-tab[data-tab="waves"]').click()
    width = positions.get_by_label("d_model", exact=True)
    reading, before = positions.locator(".pos-reading"), width.input_value()
    wait_until(lambda: "the one before" in reading.inner_text(), "many pairs")
    width.fill("0")
    reader.wait_for("d", 2)
    wait_until(lambda: "= 6.283185; the last is 6.28, short of" in reading.inner_text(), "one pair")
    width.fill(before)


def test_tabs_are_walked_by_arrow_keys(reader: Reader) -> None:
    positions = view(reader, "Positions")
    positions.locator('.view-tab[data-tab="map"]').click()
    reader.wait_for("tab", "map")
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: reader.python("tab") != "map", "the next tab")
    reader.page.keyboard.press("ArrowLeft")
    reader.wait_for("tab", "map")


def test_two_words_that_exchange_their_places_are_translated_again(reader: Reader) -> None:
    order = view(reader, "Places of a sentence's words")
    tokens = order.locator(".ord-token")
    tokens.nth(1).click()
    tokens.nth(5).click()
    reader.wait_for("places", [0, 5, 2, 3, 4, 1, 6, 7])
    wait_until(lambda: "Der Mann beißt den Hund." in order.locator(".ord-said").inner_text(), "the man to bite")
    tokens.nth(0).focus()
    reader.page.keyboard.press("ArrowRight")
    reader.wait_for("places", [5, 0, 2, 3, 4, 1, 6, 7])
    wait_until(lambda: len(reader.python("known")) == 8, "a new translation")
    order.locator(".view-chip", has_text="as trained").click()
    reader.wait_for("places", [*range(8)])


def test_latency_is_measured(reader: Reader) -> None:
    view(reader, "Positions").locator('.view-tab[data-tab="map"]').click()
    latencies = {}
    for name, trait in (("offset k", "offset"), ("d_model", "dModel"), ("Merges made", "step")):
        took = reader.page.evaluate(SLIDE, [name, trait, 30])
        assert len(took) == 30
        summary = {"median": round(statistics.median(took), 1), "p95": round(sorted(took)[28], 1), "n": len(took)}
        latencies[f"notebook 01, {name} to repaint, ms"] = summary
    remember_latencies(latencies)


def test_nothing_left_the_machine_and_nothing_went_wrong(reader: Reader) -> None:
    assert reader.failed() == []
    assert reader.refused == []
    assert reader.errors == []
