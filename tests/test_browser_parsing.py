"""Notebook 10 in a real JupyterLab in headless Chromium: a tree grown, folded, broken, scored and typed."""

import json
import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from lab import PLAY, SLIDE, Lab, Reader, remember_latencies, wait_until

from corpora import treebank
from studies import parsing

pytestmark = pytest.mark.browser

NAMES = ("example", "step", "layer", "head", "folded", "beam_size")
MORE = (
    "{'line': tree.parse.line, 'words': tree.parse.words, 'beam': tree.parse.beam_size,"
    " 'broken': broken.line, 'predicted': score.predicted, 'node': score.node}"
)
FOLLOW = "tree.view.observe(lambda _: tell()); broken.observe(lambda _: tell()); score.observe(lambda _: tell())"


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[Reader]:
    with lab.opened("10_parsing.ipynb", "tree.view", NAMES, MORE, [FOLLOW], shown=[]) as opened:
        yield opened


def view(reader: Reader, name: str) -> Any:
    """The first view of a kind, in sight; Lab puts into the page only what is near, so this scrolls to it."""
    found = reader.page.locator(f'.view[data-view="{name}"]').first
    reader.page.evaluate("document.querySelector('.jp-WindowedPanel-outer').scrollTop = 0")
    on = "document.querySelector('.jp-WindowedPanel-outer').scrollBy(0, 500)"
    wait_until(lambda: found.count() or reader.page.evaluate(on), f"the view {name} to come into the page")
    found.scroll_into_view_if_needed()
    wait_until(lambda: found.get_attribute("data-paint-ms"), "it to be painted")
    return found


@pytest.fixture
def tree(reader: Reader) -> Any:
    return view(reader, "parse")


@pytest.fixture
def broken(reader: Reader) -> Any:
    return view(reader, "repair")


@pytest.fixture
def score(reader: Reader) -> Any:
    return view(reader, "score")


def boxes(canvas: Any) -> list:
    return json.loads(canvas.get_attribute("data-boxes"))


def test_the_tree_grows_token_by_token_as_the_stack_says(reader: Reader, tree: Any) -> None:
    line, words = reader.python("line"), reader.python("words")
    n, board = len(line.split()), tree.locator(".prs-canvas")
    assert tree.get_attribute("data-last") == str(n + 1)
    reader.page.evaluate("document.activeElement.blur()")
    board.focus()
    for _ in range(3):
        reader.page.keyboard.press("ArrowLeft")
    reader.wait_for("step", n - 2)
    for step, stack in ((1, "S"), (0, "")):
        tree.locator(".prs-slider").evaluate(
            f"e => {{ e.value = {step}; e.dispatchEvent(new Event('input', {{bubbles: true}})); }}"
        )
        reader.wait_for("step", step)
        wait_until(lambda stack=stack: tree.get_attribute("data-stack") == stack, f"the stack to be {stack!r}")
        wait_until(lambda step=step: len(boxes(board)) == step, f"{step} brackets to be drawn")
    assert "stack is empty" in tree.locator(".view-live").text_content()
    tree.get_by_role("button", name="One token on").click()
    reader.wait_for("step", 1)
    assert words[0] in tree.locator(".prs-said").inner_text()
    tree.evaluate(PLAY, [".prs-play", 3])
    wait_until(lambda: reader.python("step") not in (0, 1, 2), "play to go on")
    wait_until(lambda: tree.locator(".prs-play").inner_text() == "▶ play", "play to stand still")
    tree.locator(".prs-slider").evaluate(
        "e => { e.value = e.max; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    reader.wait_for("step", -1)
    wait_until(lambda: len(boxes(board)) >= int(tree.get_attribute("data-brackets")), "all brackets, and any dropped")


def test_a_bracket_folds_by_click_and_by_key_and_unfolds(reader: Reader, tree: Any) -> None:
    board = tree.locator(".prs-canvas")
    before, (label, x, y) = boxes(board), boxes(board)[1]
    board.click(position={"x": x, "y": y})
    wait_until(lambda: reader.python("folded"), "a bracket to be folded")
    assert label in tree.locator(".view-live").text_content()
    reader.page.keyboard.press("Enter")
    reader.wait_for("folded", [])
    wait_until(lambda: boxes(board) == before, "all brackets again")
    assert reader.page.evaluate("document.activeElement.className") == "prs-canvas"  # no key reached JupyterLab


def test_another_head_shows_other_rows_and_a_row_leads_to_its_token(reader: Reader, tree: Any) -> None:
    board, rows = tree.locator(".prs-canvas"), tree.locator(".prs-list")
    before = reader.pixels(rows)
    tree.get_by_label("Layer").select_option("-1")
    tree.get_by_label("Head").select_option("-1")
    reader.wait_for("head", -1)
    wait_until(lambda: reader.pixels(rows) != before, "the mean of all heads")
    tree.locator(".prs-listscroll").evaluate("e => { e.scrollTop = 0; }")
    rows.click(position={"x": 20, "y": 10})
    reader.wait_for("step", 1)
    wait_until(lambda: len(boxes(board)) == 1, "the tree at the first token")
    tree.locator(".prs-slider").evaluate(
        "e => { e.value = e.max; e.dispatchEvent(new Event('input', {bubbles: true})); }"
    )
    reader.wait_for("step", -1)


def test_a_typed_sentence_is_cut_into_words_and_parsed_and_a_beam_searches_again(reader: Reader, tree: Any) -> None:
    box = reader.page.locator(".view-input input").first
    box.fill("The dog didn't sleep.")
    box.press("Enter")
    wait_until(lambda: tree.locator(".view-sentence").inner_text() == "The dog did n't sleep .", "the words")
    reader.wait_for("words", ["The", "dog", "did", "n't", "sleep", "."])
    tree.get_by_label("Search").select_option("4")
    reader.wait_for("beam_size", 4)
    reader.wait_for("beam", 4)
    status = reader.page.locator(".view-status").first
    wait_until(lambda: "with a beam of 4" in status.inner_text(), "how it was said")
    tree.get_by_label("Search").select_option("1")
    reader.wait_for("beam", 1)
    tree.get_by_label("Example").select_option("0")
    reader.wait_for("example", 0)
    wait_until(lambda: "radio" in tree.locator(".view-sentence").inner_text(), "the first sentence again")
    wait_until(lambda: "radio" in box.input_value(), "the box to follow")


def test_a_broken_line_is_repaired_as_the_corpora_do_while_it_is_typed(reader: Reader, broken: Any) -> None:
    box = broken.get_by_label("Tree tokens")
    words = wait_until(lambda: broken.locator(".view-sentence").inner_text().split(), "the words")
    for line in ("(S (NP XX", "XX XX )NP (VP )PP foo XX XX XX XX XX XX XX", ""):
        box.fill(line)
        reader.wait_for("broken", line)
        counts = dict(treebank.repair(line, words)[1])
        wait_until(lambda counts=counts: json.loads(broken.get_attribute("data-counts")) == counts, f"{counts}")
        for name, times in counts.items():
            row = broken.locator(f'tr[data-repair="{name}"] td')
            wait_until(lambda row=row, times=times: row.inner_text() == str(times), f"{name} to be counted")
    broken.get_by_role("button", name="as it was", exact=True).click()
    wait_until(lambda: reader.python("broken").startswith("(S (NP XX XX XX )NP"), "the first line again")
    reader.drawn()  # a step back is one from the end of what the page has read
    broken.get_by_role("button", name="One token back").click()
    broken.get_by_role("button", name="remove this token").click()
    wait_until(lambda: json.loads(broken.get_attribute("data-counts")).get("missing") == 1, "a word to be missing")


def test_a_bracket_that_is_changed_changes_the_score_as_evalb_counts(reader: Reader, score: Any) -> None:
    board, gold = score.locator(".prs-canvas"), treebank.parse(parsing.CAT)
    assert score.get_attribute("data-f1") == "50.00"
    _, x, y, fate = next(box for box in boxes(board)["predicted"] if box[0] == "VP")
    assert fate == "wrong"
    board.click(position={"x": x, "y": y})
    wait_until(lambda: reader.python("node") >= 0, "the VP to be chosen")
    score.locator('[data-edit="remove"]').click()
    wait_until(lambda: "(VP" not in reader.python("predicted"), "the VP to be gone")
    expected = treebank.score([gold], [parsing.predicted_tree(reader.python("predicted"), gold)]).f1
    wait_until(lambda: score.get_attribute("data-f1") == f"{expected:.2f}", f"F1 {expected:.2f}")
    assert f"becomes {expected:.1f}" in score.locator(".view-live").text_content()
    score.get_by_label("The predicted tree as tokens").fill("(S (NP XX XX )NP (VP XX (PRT XX )PRT )VP XX )S")
    wait_until(lambda: score.get_attribute("data-f1") == "100.00", "all to match")
    score.get_by_role("button", name="as it was", exact=True).click()
    wait_until(lambda: score.get_attribute("data-f1") == "50.00", "the first case again")


def test_a_step_repaints_within_a_frame_and_nothing_left_the_machine(reader: Reader, tree: Any) -> None:
    took = reader.page.evaluate(SLIDE, ["Tokens said", "step", 12])
    remember_latencies({"10 parsing, ms": {"step to frame, median": round(statistics.median(took), 1),
                                           "one paint": float(tree.get_attribute("data-paint-ms"))}})  # fmt: skip
    assert reader.refused == [] and reader.errors == []
