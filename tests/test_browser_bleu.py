"""Notebook 07 in a real JupyterLab in headless Chromium: sentences are typed, BLEU follows, and Python agrees."""

from collections.abc import Iterator
from typing import Any

import pytest
from lab import Lab, Reader, remember_latencies, wait_until

from studies import bleu

pytestmark = pytest.mark.browser

TRAITS = ("hypothesis", "reference", "tokenize", "lowercase", "smooth", "effective", "brevity", "n")
SETTINGS = TRAITS[2:6]

# Types ten tokens at the end of the hypothesis; milliseconds from each to the frame that shows the new score.
TYPED = """async (root) => {
  const input = root.querySelector("input[aria-label='Hypothesis']"), took = [];
  for (const letter of "abcdefghij") {
    const before = root.dataset.score, start = performance.now();
    input.value += " " + letter;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    took.push(performance.now() - start);
    if (root.dataset.score === before) throw new Error("the frame after the key shows the old score");
    await new Promise(resolve => setTimeout(resolve, 67));
  }
  return took;
}"""


class BleuReader:
    def __init__(self, reader: Reader):
        self.reader, self.page, self.python = reader, reader.page, reader.python

    @property
    def view(self) -> Any:
        """The notebook's first view of BLEU, whose traits Python tells."""
        return self.page.get_by_role("group", name="BLEU taken apart").first

    def board(self, name: str) -> Any:
        return self.view.locator(f'canvas[data-board="{name}"]')

    def field(self, label: str) -> Any:
        return self.view.get_by_label(label, exact=True)

    def open(self, example: str) -> None:
        self.field("Example").select_option(label=example)

    def says(self, words: str) -> None:
        told = self.view.locator(".bleu-told")
        wait_until(lambda: words in told.inner_text(), lambda: f"{words!r} to be said; it says {told.inner_text()!r}")

    def shows(self, wanted: float, asks: bool = True) -> None:
        """The page shows this score; and sacreBLEU, asked in Python, has said the same beside it."""
        shown, proof = (self.view.locator(f".bleu-{name}") for name in ("sum", "proof"))
        score, said = f"{wanted:.4f}", f"sacreBLEU in Python: {wanted:.4f}, equal to 12 digits"
        wait_until(lambda: shown.inner_text().endswith(score), lambda: f"{score}; there is {shown.inner_text()}")
        wait_until(lambda: not asks or said in proof.inner_text(), lambda: f"{said!r}; there is {proof.inner_text()!r}")

    def shows_what_python_has(self) -> None:
        """The score on the page is sacreBLEU's of what the traits in Python hold."""
        settings = {name: self.python(name) for name in SETTINGS}
        self.shows(bleu.score(self.python("hypothesis"), self.python("reference"), **settings).score)


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[BleuReader]:
    with lab.opened("07_decoding.ipynb", "apart", TRAITS, shown=[]) as opened:
        reader = BleuReader(opened)
        wait_until(lambda: reader.view.count(), "the view to be on the page")
        reader.view.scroll_into_view_if_needed()
        yield reader


def test_the_slides_example_opens_at_25_4003_and_its_variants_at_theirs(reader: BleuReader) -> None:
    reader.shows(25.4003)
    reader.open("one word split in two")
    reader.shows(22.8942)
    reader.reader.wait_for("hypothesis", bleu.SPLIT)
    reader.open("two words shorter")
    reader.shows(22.9329)
    reader.field("Brevity factor").select_option("printed")
    reader.shows(23.2217, asks=False)
    reader.field("Brevity factor").select_option("standard")
    reader.open("the Korean example")
    reader.shows(25.4003)


def test_typed_sentences_are_scored_at_every_key_and_python_says_the_same(reader: BleuReader) -> None:
    typed = "<b>Eine</b> Katze, die 3.5 &amp; 'x' $& schläft – 빛이"
    reader.field("Hypothesis").fill("")
    reader.field("Hypothesis").press_sequentially(typed)
    reader.field("Reference").fill(typed.replace("Katze", "Maus"))
    reader.reader.wait_for("hypothesis", typed)
    for tokenize in ("13a", "intl", "char", "none"):
        reader.field("Tokens").select_option(tokenize)
        reader.reader.wait_for("tokenize", tokenize)
        reader.shows_what_python_has()
    assert reader.view.locator(".view-badge").inner_text() == "typed here"
    assert reader.view.locator("b", has_text="Eine").count() == 0  # a token is text, never markup


def test_a_writing_that_no_font_here_has_is_named_as_long_as_it_stands_there(reader: BleuReader) -> None:
    note = reader.view.locator(".view-note", has_text="This browser has no font for another script")
    reader.field("Reference").fill("Ελένη, naïve Straße, дом")
    reader.field("Hypothesis").fill("Ελένη \U00012000\U00012401")  # cuneiform, of which no machine of a test has a font
    note.wait_for()
    reader.field("Hypothesis").fill("Ελένη")
    note.wait_for(state="hidden")


def test_smoothing_case_and_orders_change_the_score_as_sacrebleu_has_it(reader: BleuReader) -> None:
    reader.field("Tokens").select_option("13a")
    reader.field("Hypothesis").fill("The Cat")
    reader.field("Reference").fill("the cat is on the mat")
    for smooth in ("exp", "none", "floor", "add-k"):
        reader.field("Smoothing").select_option(smooth)
        for box, trait in (("lower case", "lowercase"), ("only orders that exist", "effective")):
            reader.view.get_by_label(box).click()
            reader.reader.wait_for(trait, reader.view.get_by_label(box).is_checked())
            reader.reader.wait_for("smooth", smooth)
            reader.shows_what_python_has()
    reader.field("Smoothing").select_option("exp")


def test_an_n_gram_is_walked_by_keys_and_found_in_both_sentences(reader: BleuReader) -> None:
    reader.open("the Korean example")
    reader.shows(25.4003)
    board = reader.board("hypothesis")
    before = reader.reader.pixels(board), reader.reader.pixels(reader.board("reference"))
    board.focus()
    for _ in range(5):
        board.press("ArrowRight")
    reader.says("“잠든 사람과” stands 1 × in the hypothesis (at 6–7) and 1 × in the reference (at 6–7): 1 counts.")
    after = reader.reader.pixels(board), reader.reader.pixels(reader.board("reference"))
    assert before[0] != after[0] and before[1] != after[1]
    board.press("ArrowDown")
    reader.reader.wait_for("n", 3)
    wait_until(lambda: "n = 3: 2 of 12 count" in reader.view.locator(".view-live").inner_text(), "3-grams to be spoken")
    board.press("ArrowUp")
    reader.reader.wait_for("n", 2)


def test_what_is_clipped_is_said_on_hover(reader: BleuReader) -> None:
    reader.open("the the the")
    reader.reader.wait_for("n", 1)
    reader.board("hypothesis").hover(position={"x": 14, "y": 24})
    reader.says("“the” stands 7 × in the hypothesis (at 1, 2, 3, 4, 5, 6, 7) and 2 × in the reference (at 1, 5)")
    reader.says("clipped: 2 count, not 7.")
    reader.board("reference").hover(position={"x": 55, "y": 24})
    reader.says("“cat” stands in the reference only (at 2)")


def test_the_steps_are_walked_from_the_precisions_to_the_score_and_open_their_n_grams(reader: BleuReader) -> None:
    reader.open("two words shorter")
    steps = reader.board("steps")
    steps.focus()
    for words in (
        "p₁ = 8/12",
        "p₂",
        "p₃",
        "p₄",
        "Geometric mean of the 4",
        "12 tokens against 14, factor 0.846",
        "BLEU 22.9329",
    ):
        steps.press("ArrowRight")
        reader.says(words)
    for _ in range(4):
        steps.press("ArrowLeft")
    steps.press("Enter")
    reader.reader.wait_for("n", 3)


def test_typing_repaints_within_a_frame_and_nothing_left_the_machine(reader: BleuReader) -> None:
    reader.open("the Korean example")
    reader.shows(25.4003)
    took = sorted(reader.view.evaluate(TYPED))
    reader.reader.wait_for("hypothesis", reader.field("Hypothesis").input_value())
    paint = float(reader.view.get_attribute("data-paint-ms"))
    reader.shows_what_python_has()
    measured = {"key to frame, median": took[5], "one paint": paint}
    remember_latencies({"07 BLEU, ms": {name: round(ms, 1) for name, ms in measured.items()}})
    assert reader.reader.refused == [] and reader.reader.errors == []
