"""Notebook 13 in a real JupyterLab in headless Chromium: answers held against what happens, graph, pruning, jobs."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import SLIDE, Lab, Reader, remember_latencies, wait_until

pytestmark = pytest.mark.browser

NAMES = ("answer", "truth", "row")
MORE = """{
    "agreement": __import__("studies.evidence").evidence.agreement(
        *(list(explorer.view.maps.values())[n] for n in (explorer.view.answer, 8 + explorer.view.truth))).item(),
}"""


class Evidence:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    def view(self, part: str) -> Any:
        """The view that has this element, scrolled into sight: Lab takes from the page what is far from it."""
        view = self.page.locator(".view", has=self.page.locator(part)).first
        scroll = "document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 500)"
        wait_until(lambda: view.count() or self.page.evaluate(scroll), f"{part} to come into sight")
        view.scroll_into_view_if_needed()
        return view


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[Evidence]:
    with lab.opened(
        "13_evidence.ipynb", "explorer.view", NAMES, MORE, shown=["explore_graph(", "explore_pruning(", "jobs_view("]
    ) as opened:
        yield Evidence(opened)


@pytest.fixture(autouse=True)
def first_screen(reader: Evidence) -> None:
    reader.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")


def test_an_answer_is_chosen_and_its_agreement_is_python_s(reader: Evidence) -> None:
    view = reader.view(".evi-map")
    for name, trait, value in (("integrated", "answer", 6), ("of its kind", "truth", 1), ("rollout", "answer", 2)):
        view.get_by_role("tab", name=name, exact=True).click()
        reader.reader.wait_for(trait, value)
        wait_until(
            lambda: float(view.get_attribute("data-agreement")) == pytest.approx(reader.python("agreement"), abs=1e-5),
            lambda: f"{reader.python('agreement')}; the page has {view.get_attribute('data-agreement')}",
        )
    assert "Over 200 sentences" in view.locator(".evi-agreed").inner_text()


def test_a_row_is_walked_to_and_its_words_listed(reader: Evidence) -> None:
    view = reader.view(".evi-map")
    view.locator(".evi-map").first.focus()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        reader.page.keyboard.press(key)
    reader.reader.wait_for("row", 1)
    words = view.locator(".evi-words tbody tr")
    wait_until(lambda: words.count() == 14, "its words and the row's agreement")  # 13 pieces without the end
    assert "by" in view.locator(".view-live").text_content()


def test_a_typed_sentence_is_answered_and_a_long_one_refused(reader: Evidence) -> None:
    view, box = reader.view(".evi-map"), reader.page.locator(".view-input input").first
    box.fill("Tom loves Mary.")
    box.press("Enter")
    wait_until(lambda: view.get_attribute("aria-busy") == "true", "the old picture dimmed, as its model reads")
    wait_until(lambda: "Tom liebt Maria" in view.locator(".view-sentence").inner_text(), "the new sentence")
    wait_until(lambda: view.get_attribute("aria-busy") == "false", "the new picture at full strength")
    box.fill("the cat " * 40)
    box.press("Enter")
    wait_until(lambda: "try a shorter one" in reader.page.locator(".view-status").first.inner_text(), "the refusal")
    assert "Tom liebt Maria" in view.locator(".view-sentence").inner_text()


def test_another_word_has_another_graph_and_a_head_taken_out_is_answered(reader: Evidence) -> None:
    view = reader.view(".evi-graph")
    before, told = reader.reader.pixels(view.locator(".evi-graph")), view.locator(".evi-said")
    view.locator(".evi-word").nth(2).click()
    wait_until(lambda: view.get_attribute("data-row") == "2", "the third word")
    wait_until(lambda: reader.reader.pixels(view.locator(".evi-graph")) != before, "another drawing")
    view.locator(".evi-head").first.click()
    wait_until(lambda: "→" in told.inner_text() and "nats" in told.inner_text(), "what Python says without it")
    view.locator(".evi-head[aria-pressed=true]").click()
    wait_until(lambda: not told.inner_text(), "no translation but the first")


def test_heads_go_by_the_slider_and_the_sentence_is_translated_with_what_is_left(reader: Evidence) -> None:
    view = reader.view(".evi-heads")
    view.locator(".evi-curve").focus()
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: view.get_attribute("data-n") == "37" and view.get_attribute("data-translation"), "37 heads gone")
    text = view.get_attribute("data-translation")
    view.get_by_label("Order", exact=True).select_option(label="most important first")
    wait_until(lambda: view.get_attribute("data-translation") not in ("", text), "what the other order leaves")
    assert view.locator(".evi-agreed").inner_text().startswith("most important first: nll")


def test_jobs_are_searched_and_a_head_s_own_are_a_click_away(reader: Evidence) -> None:
    view = reader.view(".evi-jobs")
    heads, whole = view.locator(".evi-jobs tbody button"), int(view.get_attribute("data-rows"))
    view.get_by_label("Search").fill("coreference")
    wait_until(lambda: 0 < int(view.get_attribute("data-rows")) < whole, "the heads that find the noun meant")
    first = heads.first.inner_text()
    heads.first.click()
    wait_until(lambda: set(heads.all_inner_texts()) == {first}, "its jobs alone")
    assert view.get_by_label("Search").input_value() == first


def test_a_slider_repaints_within_a_frame_and_nothing_left_the_machine(reader: Evidence) -> None:
    view = reader.view(".evi-graph")
    view.get_by_label("threshold").focus()
    took = sorted(reader.page.evaluate(SLIDE, ["threshold", "threshold", 9]))
    paint = float(view.get_attribute("data-paint-ms"))
    remember_latencies(
        {"13 evidence, ms": {"threshold to frame, median": round(took[4], 1), "one paint": round(paint, 1)}}
    )
    assert reader.reader.refused == [] and reader.reader.errors == []
