"""Pages opened from their files answer: a sentence typed, a head off, a mask painted, with the network shut."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lab import AXE, WORN, Reader, wait_until

import transformer_core as tc
from core_options import page_weights
from studies import evidence, geometry, recurrence
from studies.statistics import three_digits
from viz import canvas, controls, pages
from viz.attention import explore_attention, explore_beside, explore_geometry
from viz.context import explore_gate
from viz.decoding import explore_beam
from viz.evidence import explore_answers
from viz.masks import explore_masks
from viz.model import explore_model
from viz.parsing import explore_parse
from viz.positions import explore_order
from viz.recurrence import explore_alignment

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("one_thread")]

FIRST, NEXT = "The cat sees the dog.", "She does not know when he will come."
CORNER = "trained: tatoeba-en-de, int8, in this page"
STORED = "trained: tatoeba-en-de, fp32, from Python"
VIOLATIONS = """window.violations = [];
addEventListener("securitypolicyviolation",
  (event) => window.violations.push(`${event.violatedDirective}: ${event.sample}`));
"""
MODELS = ("tatoeba-en-de", "parser", "grammar-context")


@pytest.fixture(scope="module")
def translators() -> dict[str, tc.Translator]:
    return {name: tc.load_pretrained(name) for name in MODELS}


@pytest.fixture(scope="module")
def rounded() -> tc.Translator:
    """The translator with the weights that a page reads."""
    translator = tc.load_pretrained("tatoeba-en-de")
    weights = page_weights.widened(page_weights.in_precision(tc.weights_of(translator.model), "int8"))
    translator.model.load_state_dict(weights, strict=False)
    return translator


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, translators: dict[str, tc.Translator]) -> Path:
    """A folder with a page for each view that a model answers, and the models."""
    folder, everyday = tmp_path_factory.mktemp("site"), translators["tatoeba-en-de"]
    views = {
        "attention": explore_attention(everyday, FIRST), "model": explore_model(everyday, FIRST),
        "beam": explore_beam(everyday, "Yes."), "order": explore_order(everyday, "The dog bites the man."),
        "beside": explore_beside(everyday, FIRST, "The man sees the dog.", layer=4, head=7),
        "geometry": explore_geometry(everyday, FIRST, layer=4, head=0, query=2),
        "masks": explore_masks(everyday, "The old man reads a book."),
        "parse": explore_parse(translators["parser"], ["The old man reads a book ."]),
        "gate": explore_gate(translators["grammar-context"], "The old|young man reads a book."),
        "answers": explore_answers(everyday, "Yes."),
        "alignment": explore_alignment(recurrence.shipped(), ["The dog slept."], f"trained: {recurrence.SHIPPED}"),
    }  # fmt: skip
    for name, view in views.items():
        sheet = pages.Sheet(folder / f"{name}.ipynb", controls.frozen_widgets([view.model_id]), folder)
        body = f'<body class="pg">\n<main>{sheet.bundle({pages.WIDGET: {"model_id": view.model_id}})}</main>\n</body>'
        shown, head = [*sheet.views.values()], f"<title>{name}</title>"
        text = canvas.offline_page(head, body, pages.style(), shown, translators=sheet.translators)
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    pages.write_models([*MODELS, recurrence.SHIPPED], folder)
    return folder


Open = Callable[..., Reader]


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Opens a page from its file, with the network shut; at the end nothing has gone wrong in it."""
    readers: list[Reader] = []

    def open_page(path: Path, **options: Any) -> Reader:
        readers.append(
            reader := Reader(browser.new_page(**dict(viewport={"width": 1280, "height": 1000}) | options, offline=True))
        )
        reader.page.add_init_script(VIOLATIONS)
        reader.page.goto(path.as_uri())
        reader.page.locator(".view[data-paint-ms]").first.wait_for()
        return reader

    yield open_page
    for reader in readers:
        violations = reader.page.evaluate("window.violations")
        reader.page.close()
        assert reader.errors == reader.refused == violations == []


def line(reader: Reader) -> str:
    return reader.page.locator(".pg-asks [role=status]").inner_text()


def badge(reader: Reader) -> str:
    return reader.page.locator(".view-badge").first.inner_text()


def type_in(reader: Reader, text: str) -> None:
    box = reader.page.locator(".pg-asks input")
    box.fill(text)
    box.press("Enter")


def tokens(translator: tc.Translator, text: str) -> int:
    return translator.source([text]).size(1)


def told(reader: Reader, words: str) -> None:
    wait_until(lambda: words in line(reader), lambda: f"{words!r} in the line, which says {line(reader)!r}")


def test_a_sentence_is_read_and_every_head_answers_as_in_python(opened: Open, site: Path, rounded: tc.Translator):
    reader, explorer = opened(site / "attention.html"), explore_attention(rounded, FIRST)
    assert badge(reader) == STORED and line(reader).startswith(f"{tokens(rounded, FIRST)} source and")
    explorer.text = NEXT
    type_in(reader, NEXT)
    told(reader, explorer.line)
    title = reader.page.locator(".view-sentence")
    wait_until(lambda: explorer.reading.translation in title.inner_text(), "the translation")
    assert badge(reader) == CORNER
    reading = reader.page.locator(".view-cell")
    reader.page.locator("canvas.att-heat").nth(2).hover(position={"x": 200, "y": 200})
    wait_until(lambda: "with" in reading.inner_text() and "≈" not in reading.inner_text(), "an exact weight")
    switch = reader.page.locator(".att-switch").nth(2)
    switch.click()
    layer = int(reader.page.locator(".view").get_attribute("data-layer"))
    explorer.view.off = [["cross", layer, 2]]
    total = three_digits(explorer.view.ablation["total"]).replace("-", "−")
    without = reader.page.locator(".att-without")
    wait_until(lambda: "Δ log-probability" in without.inner_text(), "the translation without the head")
    assert without.inner_text().endswith(total)
    pane = reader.page.locator(".att-pane-off")
    assert [*filter(None, pane.locator(".att-after").inner_text().split())] == explorer.view.ablation[
        "translation"
    ].split()


def test_words_are_changed_where_they_stand_by_pointer_and_by_keys_and_taken_back(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader, explorer = opened(site / "attention.html"), explore_attention(rounded, FIRST)
    words, headline = reader.page.locator(".att-word"), reader.page.locator(".view-sentence")
    box, press = reader.page.locator(".pg-asks input"), reader.page.keyboard.press

    def stands() -> None:
        total = three_digits(explorer.view.ablation["total"]).replace("-", "−")
        wait_until(lambda: headline.inner_text().endswith(f"Δ log-probability of the first {total}"), explorer.text)
        assert explorer.reading.translation in headline.inner_text().replace("\n", " ")
        assert box.input_value() == explorer.text and "first → " in headline.inner_text()

    words.nth(4).click()
    reader.page.locator(".att-edit input").fill("horse")
    press("Enter")
    explorer.view.words = [["replace", 4, "horse"]]
    stands()
    assert words.nth(4).inner_text() == "horse" and words.nth(4).get_attribute("aria-label") == "horse: was “dog”"
    assert words.nth(4).evaluate("word => word === document.activeElement")
    live = reader.page.locator(".view-live")
    wait_until(lambda: live.inner_text().startswith("1 source word changed → "), "the change to be spoken")
    for key in ("Home", "ArrowRight", "m", "Shift+ArrowRight"):
        press(key)
    explorer.view.words = [["replace", 4, "horse"], ["mask", 1], ["swap", 1, 2]]
    stands()
    assert words.nth(2).get_attribute("aria-label") == "cat: masked: nobody reads it, moved"
    assert words.nth(2).evaluate("word => word === document.activeElement")
    press("Delete")
    explorer.view.words = [*explorer.view.words, ["delete", 1]]
    stands()
    for _ in range(4):
        press("Control+z")
    explorer.view.words = []
    wait_until(
        lambda: box.input_value() == FIRST and "→ " + explorer.reading.translation in headline.inner_text(), FIRST
    )
    assert "changed" not in headline.inner_text() and line(reader).startswith(f"{tokens(rounded, FIRST)} source and")


def test_a_cell_s_arithmetic_and_every_head_s_effect_are_asked_of_the_first_sentence(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader = opened(site / "attention.html")
    map_ = reader.page.locator("canvas.att-heat").nth(2)
    left, top, cell = (float(map_.get_attribute(f"data-{name}")) for name in ("left", "top", "cell"))
    map_.click(position={"x": left + 1.5 * cell, "y": top + 2.5 * cell})
    gap = reader.page.locator(".att-gap")
    wait_until(gap.count, "the arithmetic")
    assert float(gap.inner_text().split()[-1]) < 1e-5 and badge(reader) == CORNER
    reader.page.get_by_role("tab", name="Head facts").click()
    reader.page.locator(".att-measure").click()
    wait_until(lambda: "measuring each head's effect" in line(reader), "progress")
    told(reader, "source and")
    explorer = explore_attention(rounded, FIRST)
    explorer.view.answers["effects"]({})
    row = next(r for r in explorer.view.facts["rows"] if (r["kind"], r["layer"], r["head"]) == ("cross", 0, 0))
    shown = reader.page.locator('tr[data-layer="0"][data-head="0"] td').last
    assert abs(float(shown.get_attribute("title")) - row["effect"]) < 1e-3


def test_the_next_question_ends_the_one_before(opened: Open, site: Path, rounded: tc.Translator):
    reader = opened(site / "attention.html")
    type_in(reader, "Tom bought the bread that Mary had baked, and then he went home because it was late.")
    type_in(reader, "Yes.")
    told(reader, f"{tokens(rounded, 'Yes.')} source and")
    reader.page.get_by_role("tab", name="Head facts").click()
    reader.page.locator(".att-measure").click()
    wait_until(lambda: "of 144" in line(reader), "the measure to run")
    reader.page.locator(".att-switch").first.click()
    wait_until(lambda: "Δ log-probability" in reader.page.locator(".att-without").inner_text(), "the translation")
    reader.page.get_by_role("tab", name="Head facts").click()
    button = reader.page.locator(".att-measure")
    wait_until(lambda: button.inner_text() == "measure each head's effect", "the button to be there again")


def test_without_its_weights_a_page_says_what_is_missing_and_stays_as_it_was(opened: Open, site: Path, tmp_path: Path):
    (tmp_path / "attention.html").write_bytes((site / "attention.html").read_bytes())
    reader = opened(tmp_path / "attention.html")
    before = reader.page.locator(".view-sentence").inner_text()
    type_in(reader, NEXT)
    told(reader, "model.js is missing beside this page")
    reader.page.locator(".att-switch").first.click()
    wait_until(
        lambda: reader.page.locator(".att-switch").first.get_attribute("aria-checked") == "true", "the head to be on"
    )
    assert "model.js is missing" in line(reader)
    assert reader.page.locator(".view-sentence").inner_text() == before and badge(reader) == STORED
    whole = (site / "model.js").read_bytes()
    (tmp_path / "model.js").write_bytes(whole[: len(whole) // 2])
    type_in(reader, NEXT)
    told(reader, "model.js is cut or damaged")
    (tmp_path / "model.js").write_bytes((site / "parser.js").read_bytes())
    type_in(reader, NEXT)
    told(reader, "holds the model parser, but this page needs tatoeba-en-de")
    (tmp_path / "model.js").write_bytes(whole)
    type_in(reader, NEXT)
    told(reader, "source and")
    of_the_file = ("ERR_FILE_NOT_FOUND", "Invalid or unexpected token")
    reader.errors[:] = [error for error in reader.errors if not any(words in error for words in of_the_file)]


def test_hostile_sentences_are_answered_or_refused(opened: Open, site: Path):
    reader = opened(site / "attention.html")
    for text, words in {
        " ": "at least one word", "x" * 5000: "more than the 160 shown", "안녕하세요": "single bytes",
        "<img src=x onerror=alert(1)>": "source and", "🙂": "single bytes", "\u202e▁": "source and",
    }.items():  # fmt: skip
        before = line(reader)
        type_in(reader, text)
        wait_until(lambda before=before, words=words: line(reader) != before and words in line(reader), words)
    assert reader.page.locator("main img[src=x]").count() == 0


def test_a_sentence_goes_through_figure_1(opened: Open, site: Path, rounded: tc.Translator):
    reader, explorer = opened(site / "model.html"), explore_model(rounded, FIRST)
    explorer.text = NEXT
    reader.page.locator(".pg-asks select").select_option(index=3)
    assert reader.page.locator(".pg-asks input").input_value() == NEXT
    told(reader, explorer.line)
    wait_until(lambda: badge(reader) == CORNER, "the corner")
    assert NEXT in reader.page.locator(".view-sentence").inner_text()


def test_beams_of_every_width_are_searched(opened: Open, site: Path, rounded: tc.Translator):
    reader, explorer = opened(site / "beam.html"), explore_beam(rounded, "I am a teacher.")
    type_in(reader, "I am a teacher.")
    told(reader, explorer.line)
    wait_until(lambda: "Lehrer" in reader.page.locator(".view").inner_text(), "the tree")


def test_words_are_given_other_places(opened: Open, site: Path, rounded: tc.Translator):
    reader, explorer = opened(site / "order.html"), explore_order(rounded, "The dog bites the man.")
    reader.page.get_by_role("button", name="last first").click()
    explorer.view.places = [*range(8)][::-1]
    wait_until(lambda: explorer.view.known[-1]["translation"] in reader.page.locator(".ord-said").inner_text(), "words")
    assert badge(reader) == CORNER
    type_in(reader, "Tom loves Mary.")
    told(reader, "Tom liebt")


def test_two_readings_stand_side_by_side_and_the_second_is_another_when_it_is_typed(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader, explorer = opened(site / "beside.html"), explore_beside(rounded, FIRST, "The man sees the dog.")
    root, second = reader.page.locator(".view").first, reader.page.get_by_label("Second sentence")
    board = reader.page.locator("canvas[data-which=second]")
    assert reader.page.locator(".bes-map").count() == 3
    board.focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        board.press(key)
    wait_until(lambda: root.get_attribute("data-pinned") not in ("-1", None), "a row that is kept")
    assert "in the second it reads" in reader.page.locator(".view-live").inner_text()
    second.fill(NEXT)
    second.press("Enter")
    explorer.view.second = NEXT
    told(reader, explorer.line)
    wait_until(
        lambda: badge(reader) == CORNER and root.get_attribute("data-exact") == "true", "this page's own numbers"
    )
    assert second.evaluate("node => node === document.activeElement")  # also where the view is made anew
    assert explorer.reading[1].translation in " ".join(root.inner_text().split())
    reader.page.get_by_label("the head shown taken out").check()
    wait_until(lambda: "1 head out" in root.inner_text(), "the head taken out")
    reader.page.get_by_role("button", name="Undo").click()
    wait_until(lambda: "1 head out" not in root.inner_text(), "the head back in")
    type_in(reader, "Tom bought the bread.")
    told(reader, "Tom kaufte")
    wait_until(lambda: second.input_value() == "Tom bought the red bread.", "the example's twin")
    second.fill("")
    second.press("Enter")
    wait_until(lambda: "do not differ" in root.inner_text(), "a sentence beside itself")
    assert root.get_attribute("data-largest") == "-1"


def test_what_is_set_in_the_second_reading_holds_for_the_sentence_typed_next_and_what_is_typed_there_stays(
    opened: Open, site: Path
):
    reader = opened(site / "beside.html")
    root, second = reader.page.locator(".view").first, reader.page.get_by_label("Second sentence")
    out = reader.page.get_by_label("the head shown taken out")
    reader.page.evaluate("""() => {   // the head goes; before that is answered the next sentence is begun
      document.querySelector("[data-key=out]").click();
      const second = document.querySelector("[data-key=second]");
      second.focus();
      second.value = "The man";
    }""")
    told(reader, "first: ")
    wait_until(lambda: badge(reader) == CORNER, "this page's own numbers")
    assert second.input_value() == "The man" and out.is_checked()
    second.press("End")
    second.press_sequentially(" sleeps.")
    second.press("Enter")
    wait_until(lambda: "Der Mann schläft" in root.inner_text(), "the second sentence, typed to its end")
    reader.page.evaluate(
        """(text) => {   // the head is back; before that is answered a sentence is entered
      document.querySelector("[data-key=back]").click();
      const first = document.querySelector(".pg-asks input");
      first.value = text;
      first.dispatchEvent(new Event("change"));
    }""",
        "The man sleeps.",
    )
    told(reader, "first: Der Mann")
    wait_until(
        lambda: "is as likely in the second reading" in root.inner_text(), "a sentence, its heads in, beside itself"
    )
    assert second.input_value() == "The man sleeps."


def test_what_is_typed_while_the_sentence_before_is_answered_stays_and_is_asked_next(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader = opened(site / "attention.html")
    box = reader.page.locator(".pg-asks input")
    reader.page.evaluate(
        """(text) => {   // one is entered, and before its answer the next is begun
          const box = document.querySelector(".pg-asks input");
          box.value = text;
          box.dispatchEvent(new Event("change"));
          box.focus();
          box.value = "Yes";
        }""",
        NEXT,
    )
    told(reader, f"{tokens(rounded, NEXT)} source and")
    assert box.input_value() == "Yes"
    box.press("End")
    box.press_sequentially(".")
    box.press("Enter")
    told(reader, f"{tokens(rounded, 'Yes.')} source and")
    assert box.input_value() == "Yes."


def test_a_query_is_chosen_in_the_plane_and_another_sentence_has_another_plane(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader, explorer = opened(site / "geometry.html"), explore_geometry(rounded, FIRST, layer=4, head=0, query=2)
    root, plane, live = (reader.page.locator(place).first for place in (".view", ".geo-plane", ".view-live"))
    names = explorer.view.meta["kinds"][2]

    def weights() -> list[str]:
        return root.locator(".geo-list tbody tr td:nth-child(5)").all_inner_texts()

    before = weights()
    reader.page.get_by_label("mean key subtracted").uncheck()
    wait_until(lambda: "+ zero" in root.inner_text(), "the plane of the scores as they are")
    assert sorted(weights()) == sorted(before)
    plane.focus()
    plane.press("ArrowDown")
    wait_until(lambda: root.get_attribute("data-query") == "3", "the next query")
    assert names["queries"][3] in live.inner_text() and "first in the plane" in live.inner_text()
    plane.press("ArrowRight")
    wait_until(
        lambda: "in the plane" in live.inner_text() and ", key " in live.inner_text(), "the first key of the line"
    )
    assert root.locator(".geo-list .view-here").count() == 1
    plane.press("Enter")
    wait_until(lambda: root.locator(".geo-list").is_hidden(), "the line let go")
    for _ in range(3):
        reader.page.get_by_role("button", name="Undo").click()
    wait_until(lambda: root.get_attribute("data-query") == "2" and weights() == before, "all taken back")
    type_in(reader, NEXT)
    explorer.text = NEXT
    told(reader, explorer.line)
    wait_until(lambda: badge(reader) == CORNER, "this page's own numbers")
    scores = explorer.view.maps["cross"][4, 0].double()
    share = geometry.plane_of(geometry.centred(scores)).share.item()
    assert abs(float(root.get_attribute("data-share") or 0) - share) < 0.005
    reader.page.get_by_role("tab", name="Decoder self-attention").click()
    wait_until(lambda: "hidden by the mask" in root.inner_text(), "the masked plane")


def test_a_painted_mask_is_tested_on_the_model(opened: Open, site: Path):
    reader = opened(site / "masks.html")
    board, result = reader.page.locator("canvas[role=application]").first, reader.page.locator("[data-passed]")
    assert result.get_attribute("data-passed") == "true"
    board.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        board.press(key)
    told(reader, "leak test: int8, in this page")
    corner = f"{STORED} · leak test: int8, in this page"
    wait_until(lambda: badge(reader).endswith(corner), "the corner")
    wait_until(lambda: result.get_attribute("data-passed") == "false", "the leak")
    reader.page.get_by_label("Leak test on").select_option(index=1)
    told(reader, "untrained weights drawn in this page")


def test_a_sentence_is_parsed_greedily_and_with_a_beam(opened: Open, site: Path):
    reader = opened(site / "parse.html")
    type_in(reader, "The young dog sees the cat.")
    told(reader, "7 words")
    reader.page.get_by_label("Search").select_option("4")
    told(reader, "said with a beam of 4")
    assert reader.page.locator(".pg-asks input").input_value() == "The young dog sees the cat."
    reader.page.get_by_label("Example", exact=True).select_option("0")
    wait_until(
        lambda: reader.page.locator(".pg-asks input").input_value() == "The old man reads a book .", "the box to follow"
    )


def test_gates_mix_another_sentence(opened: Open, site: Path):
    reader = opened(site / "gate.html")
    type_in(reader, "The dog|cat sleeps.")
    told(reader, "2 sentences that differ in one word")
    wait_until(lambda: badge(reader) == "trained: grammar-context, int8, in this page", "the corner")


def test_answers_are_held_against_what_happens_and_gradients_come_last(
    opened: Open, site: Path, rounded: tc.Translator
):
    reader, explorer = opened(site / "answers.html"), explore_answers(rounded, "Tom loves Mary.")
    reader.page.get_by_role("tab", name="integrated").click()
    type_in(reader, "Tom loves Mary.")
    told(reader, explorer.line)
    wait_until(lambda: badge(reader) == CORNER, "the corner")
    view = reader.page.locator(".view")
    wait_until(lambda: view.get_attribute("data-answer") == "integrated", "the answer chosen before")
    agreed = evidence.agreement(explorer.answers["integrated"], explorer.truths["hidden"]).item()
    wait_until(
        lambda: float(view.get_attribute("data-agreement")) == pytest.approx(agreed, abs=1e-5),
        lambda: f"{agreed}; the page has {view.get_attribute('data-agreement')}",
    )
    assert "Tom liebt Maria." in view.inner_text()


def test_recurrent_translators_answer(opened: Open, site: Path):
    reader, explorer = opened(site / "alignment.html"), explore_alignment(recurrence.shipped(), ["The cat slept."])
    type_in(reader, "The cat slept.")
    told(reader, explorer.line)
    wait_until(lambda: badge(reader) == "trained: grammar-gru, f16, in this page", "the corner")
    reader.page.get_by_role("tab", name="one fixed vector").click()
    fixed = explorer.view.steps[0]["fixed"].text
    wait_until(lambda: f"Whole: {fixed}" in reader.page.locator(".view").inner_text(), "what one vector carries")


def test_a_page_that_answers_shuts_nobody_out_and_fits_a_narrow_screen(opened: Open, site: Path):
    for name in ("attention", "masks"):
        reader = opened(site / f"{name}.html", viewport={"width": 390, "height": 800})
        assert reader.page.evaluate("document.documentElement.scrollWidth") <= 390
        for look in ("light", "dark"):
            reader.page.emulate_media(color_scheme=look)
            reader.page.wait_for_function(WORN, arg=look)
            if AXE.is_file():
                assert reader.faults() == [], (name, look)


def test_the_first_answer_of_a_page_comes_soon(opened: Open, site: Path, rounded: tc.Translator):
    reader = opened(site / "attention.html")
    began = time.monotonic()
    type_in(reader, NEXT)
    told(reader, f"{tokens(rounded, NEXT)} source and")
    assert time.monotonic() - began < 20  # two seconds on a quiet machine
