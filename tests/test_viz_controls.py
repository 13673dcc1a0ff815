"""The button that runs here: to the end, to a stop, to an error; and a command's result is the JSON it wrote."""

import time
from collections.abc import Callable

import pytest

from viz.controls import RunHere


def until(happened: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


def counting(n: int):
    for i in range(n):
        yield f"step {i + 1} of {n}"
    return n


def endless():
    try:
        while True:
            time.sleep(0.005)
            yield "on and on"
    finally:
        endless.closed = True


def test_what_runs_to_its_end_hands_its_result_on_and_its_line_stays():
    got = []
    button = RunHere(lambda: counting(3), takes="a moment", then=got.append)
    assert button.line == "a moment"
    button.press()
    assert button.wait(20)
    assert (got, button.result, button.line) == ([3], 3, "step 3 of 3 · done")
    assert not button.run.disabled and button.stop.disabled


def test_the_last_line_may_come_from_the_result():
    button = RunHere(lambda: counting(2), then=lambda n: f"{n} steps were taken")
    button.press()
    assert button.wait(20) and button.line == "2 steps were taken"


def test_a_stop_ends_the_generator_and_hands_nothing_on():
    got = []
    button = RunHere(endless, then=got.append)
    button.press()
    until(lambda: button.line == "on and on")
    assert button.running and button.run.disabled and not button.stop.disabled
    button.press()  # a second press starts nothing
    button.stop.click()
    assert button.wait(20)
    assert got == [] and endless.closed and button.line.startswith("stopped") and not button.run.disabled


def test_it_can_be_run_again_after_a_stop():
    button = RunHere(lambda: counting(1))
    button.cancel()
    button.press()
    assert button.wait(20) and button.result == 1


def test_an_error_is_one_line_and_text_whatever_it_holds():
    def failing():
        yield "<b>going</b>"
        raise ValueError("no such thing: <script>")

    button = RunHere(failing)
    button.press()
    assert button.wait(20)
    assert button.line == "ValueError: no such thing: <script>"
    assert "<script>" not in button.status.value and not button.run.disabled


WRITES = "import json, sys; print('half way', flush=True); json.dump([1, 2], open(sys.argv[1], 'w')); print('there')"


def test_a_command_shows_its_lines_and_its_result_is_what_it_wrote():
    got = []
    button = RunHere(f'python -c "{WRITES}" {{out}}', then=got.append)
    button.press()
    assert button.wait(30)
    assert (got, button.line) == ([[1, 2]], "there · done")


def test_a_command_that_fails_says_its_last_line_and_its_status():
    button = RunHere("python -c \"import sys; sys.exit('there is no such task')\"")
    button.press()
    assert button.wait(30)
    assert button.line == "RuntimeError: there is no such task (the command ended with status 1)"


def test_a_command_is_ended_by_a_stop():
    button = RunHere("python -c \"import time; print('began', flush=True); time.sleep(60)\"")
    button.press()
    until(lambda: button.line == "began")
    started = time.monotonic()
    button.cancel()
    assert button.wait(20) and time.monotonic() - started < 10
    assert button.line.startswith("stopped")


@pytest.mark.parametrize("takes", ["", "2 minutes on two cores"])
def test_a_page_without_python_says_what_the_button_needs(takes):
    button = RunHere(lambda: counting(1), takes=takes)
    data, _ = button._repr_mimebundle_()
    assert "needs Python" in data["text/markdown"] and takes in data["text/plain"]
