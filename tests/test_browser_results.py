"""Notebook 09 in a real JupyterLab in headless Chromium: Table 2, its claims and the cost of training."""

import statistics
from collections.abc import Iterator
from typing import Any

import pytest
from lab import SLIDE, Lab, Reader, remember_latencies, wait_until

from studies import results

pytestmark = pytest.mark.browser

CALCULATOR = ("model", "by", "hours", "steps", "gpus", "hardware", "share", "n_now", "measured")
MORE = "{" + ", ".join(f'"{name}": calculator.{name}' for name in CALCULATOR) + "}"
FOLLOW = "calculator.observe(tell)"


@pytest.fixture(scope="module")
def reader(lab: Lab) -> Iterator[Reader]:
    with lab.opened(
        "09_results.ipynb", "view", ("language", "picked", "claim"), MORE, [FOLLOW], shown=["calculator.measured ="]
    ) as opened:
        for name in ("Table 2", "Cost of training"):
            view(opened, name).scroll_into_view_if_needed()
            wait_until(lambda name=name: view(opened, name).get_attribute("data-paint-ms"), f"{name} to be painted")
        yield opened


def view(reader: Reader, name: str) -> Any:
    return reader.page.locator(f'.view[aria-label="{name}"]').first


def test_the_languages_change_by_click_and_by_key_and_draw_other_points(reader: Reader) -> None:
    table = view(reader, "Table 2")
    board, tabs = table.locator("canvas.res-board"), table.get_by_role("tab")
    before = reader.pixels(board)
    tabs.nth(1).click()
    reader.wait_for("language", "fr")
    wait_until(lambda: reader.pixels(board) != before, "other points")
    assert "ByteNet" not in board.get_attribute("data-models")
    reader.page.keyboard.press("ArrowLeft")
    reader.wait_for("language", "de")
    wait_until(lambda: "ByteNet" in board.get_attribute("data-models"), "the first points again")


def test_a_row_and_its_point_belong_together_by_pointer_and_by_keyboard(reader: Reader) -> None:
    table = view(reader, "Table 2")
    table.locator('tr[data-model="MoE"]').hover()
    reading = table.locator(".res-reading")
    wait_until(lambda: "MoE. English-German: 26.03 BLEU, 2.0·10¹⁹ FLOP" in reading.inner_text(), "the row to be told")
    board = table.locator("canvas.res-board")
    board.focus()
    reader.page.keyboard.press("End")
    reader.wait_for("picked", "GNMT + RL ensemble")
    reader.page.keyboard.press("ArrowLeft")
    reader.wait_for("picked", "ConvS2S ensemble")
    row = table.locator('tr[data-model="ConvS2S ensemble"]')
    reader.page.mouse.move(5, 5)
    wait_until(lambda: row.get_attribute("aria-selected") == "true", "the row to be marked")
    assert "26.36 BLEU" in table.locator(".view-live").text_content()
    reader.page.keyboard.press("Escape")
    reader.wait_for("picked", "")


def test_every_claim_is_drawn_with_its_sum(reader: Reader) -> None:
    table = view(reader, "Table 2")
    board, verdict, painted = table.locator("canvas.res-board"), table.locator(".res-verdict"), set()
    for i, claim in enumerate(results.claims()):
        table.locator(".view-chip").nth(i).click()
        reader.wait_for("claim", i)
        wait_until(lambda claim=claim: claim.arithmetic in verdict.inner_text(), f"the sum of claim {i}")
        wait_until(lambda i=i: table.get_attribute("data-claim") == str(i), f"claim {i} to be drawn")
        assert reader.python("language") == claim.language
        painted.add(reader.pixels(board))
    assert len(painted) == 6
    table.locator(".view-chip").nth(5).click()
    reader.wait_for("claim", -1)


def test_the_paper_s_runs_give_table_2_s_costs(reader: Reader) -> None:
    cost = view(reader, "Cost of training")
    formula, printed = cost.locator(".cost-formula").first, cost.locator(".cost-note").first
    wanted = {
        "base, by hours": ("12 h", "3.2832·10¹⁸"), "base, by step times": ("(11.11 h)", "3.0400·10¹⁸"),
        "big, by hours": ("84 h", "2.2982·10¹⁹"), "big, by step times": ("(83.33 h)", "2.2800·10¹⁹"),
    }  # fmt: skip
    for name, (hours, value) in wanted.items():
        cost.locator(".view-chip", has_text=name).click()
        wait_until(lambda value=value: f"= {value} FLOP" in formula.inner_text(), f"{name} to cost {value}")
        assert hours in formula.inner_text()
        assert "Table 2 prints" in printed.inner_text()
    reader.wait_for("model", "big")
    cost.locator(".view-chip", has_text="base, by hours").click()
    reader.wait_for("model", "base")


def test_hours_gpus_and_hardware_move_the_cost_among_those_of_the_table(reader: Reader) -> None:
    cost = view(reader, "Cost of training")
    strip = cost.locator("canvas.cost-strip")
    before = reader.pixels(strip)
    slider = cost.get_by_label("hours", exact=True)
    slider.focus()
    reader.page.keyboard.press("ArrowRight")
    wait_until(lambda: reader.python("hours") > 12, "an arrow key to move the hours")
    wait_until(lambda: reader.pixels(strip) != before, "the cost to move")
    cost.get_by_label("GPUs, exactly").fill("3")
    reader.page.keyboard.press("Enter")
    reader.wait_for("gpus", 3)
    cost.get_by_label("Hardware of the run").select_option("K80")
    reader.wait_for("hardware", "K80")
    wait_until(lambda: "3 GPUs × 2.80·10¹²" in cost.locator(".cost-formula").first.inner_text(), "the sum to follow")
    steps = cost.get_by_label("steps, exactly")
    steps.fill("10000000")
    reader.page.keyboard.press("Enter")
    assert steps.evaluate("box => box.scrollWidth <= box.clientWidth")
    steps.fill("100000")
    reader.page.keyboard.press("Enter")
    cost.get_by_label("hours, exactly").fill("1")
    reader.page.keyboard.press("Enter")
    impossible = cost.locator(".cost-fails")
    wait_until(lambda: "cannot be" in impossible.inner_text(), "the impossible to be said")


def test_the_same_arithmetic_is_timed_on_other_hardware_and_on_this_machine(reader: Reader) -> None:
    cost = view(reader, "Cost of training")
    cost.locator(".view-chip", has_text="base, by hours").click()
    reader.wait_for("gpus", 8)
    row = cost.locator('tr[data-name="1 × H200"] td')
    cost.locator(".cost-wide").fill("30")
    wait_until(lambda: row.nth(3).inner_text() == "53.1 min", "the run's minutes on an H200 at 30 %")
    assert row.nth(3).inner_text() == results.duration(results.seconds_on(9.4476288e17, 1, 989, 0.3))
    cost.get_by_label("how many of them").fill("3")
    reader.wait_for("n_now", 8)
    wait_until(lambda: cost.locator('tr[data-name="8 × H200"]').count(), "eight of them")
    assert cost.get_by_label("how many of them").get_attribute("aria-valuetext") == "8"
    cost.get_by_label("TFLOPS of another machine").fill("100")
    reader.page.keyboard.press("Enter")
    other = cost.locator('tr[data-name^="8 × another"] td').nth(3)
    seconds = results.seconds_on(9.4476288e17, 8, 100, 0.3)
    wait_until(lambda: other.inner_text() == results.duration(seconds), "another machine's time")
    mine = cost.locator("tr.cost-mine")
    assert mine.count() == 1 and reader.python("measured")["name"] in mine.inner_text()
    cost.get_by_label("how many of them").fill("0")
    reader.wait_for("n_now", 1)


def test_latency_is_measured(reader: Reader) -> None:
    took = reader.page.evaluate(SLIDE, ["share of the data sheet's TFLOPS that is reached", "share", 30])
    summary = {"median": round(statistics.median(took), 1), "p95": round(sorted(took)[28], 1), "n": len(took)}
    remember_latencies({"notebook 09, share to repaint, ms": summary})


def test_nothing_left_the_machine_and_nothing_went_wrong(reader: Reader) -> None:
    assert reader.failed() == []
    assert reader.refused == []
    assert reader.errors == []
