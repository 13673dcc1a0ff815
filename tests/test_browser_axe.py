"""Views for everyone: what axe-core finds in JupyterLab's outputs; a reader's own colours, less motion, keys, faces.

What it finds in the pages of all notebooks is held in test_pages.py, which has these pages. Of JupyterLab only what is
ours is looked at: cells' outputs and rendered text; not its menus, panels, editors and prompts.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from lab import AXE, WORN, Lab, Reader, wait_until

OURS = {"include": [[".jp-OutputArea-output"], [".jp-MarkdownOutput"]]}
THEMES = ("JupyterLab Dark", "JupyterLab Light")
BACK = "(node, part) => getComputedStyle(node, part).backgroundColor"
MOVING = """() => [...document.querySelectorAll(".view, .view *")]
  .flatMap((node) => [null, "::before", "::after"].map((part) => getComputedStyle(node, part)))
  .filter((style) => parseFloat(style.transitionDuration) + parseFloat(style.animationDuration)).length"""
ABSENT = f"no axe-core, an npm package: AXE should name its axe.min.js, or {AXE} be it"
with_axe = pytest.mark.browser if AXE.is_file() else pytest.mark.skip(ABSENT)  # also where browsers are required


def wear(page: Any, theme: str) -> None:
    """Choose a theme of JupyterLab by its menu; the views follow."""
    page.get_by_role("menuitem", name="Settings", exact=True).click()
    page.locator(".lm-Menu-item", has_text="Theme").first.hover()
    page.locator(".lm-Menu-item", has_text=re.compile(f"^{theme}$")).click()
    look = theme.split()[-1].lower()
    page.wait_for_function(WORN, arg=look)


def faults_in_both(reader: Reader) -> list[tuple[str, str]]:
    faults = []
    for theme in THEMES:  # ends with the one that other tests begin with
        wear(reader.page, theme)
        faults += [(theme, fault) for fault in reader.faults(OURS)]
    return faults


@with_axe
def test_what_notebook_02_shows_shuts_nobody_out(lab: Lab) -> None:
    with lab.opened("02_scaled_dot_product.ipynb", "sheet", (), shown=['"q · k"', "torchs =", "X = E[ids]"]) as reader:
        assert faults_in_both(reader) == []


@pytest.fixture(scope="module")
def heads(lab: Lab) -> Iterator[Reader]:
    """Notebook 05, its first view and a section."""
    with lab.opened(
        "05_attention_heads.ipynb",
        "explorer.view",
        ("off",),
        shown=['best = {"layer": 4', "sum of the row", "getsource(tc.attention_s"],
    ) as reader:
        yield reader


@with_axe
def test_what_notebook_05_shows_shuts_nobody_out(heads: Reader) -> None:
    assert faults_in_both(heads) == []


@pytest.mark.browser
def test_few_stops_lead_to_the_maps_and_arrow_keys_go_along_the_heads(heads: Reader) -> None:
    page, view = heads.page, heads.page.locator(".view").first
    here = "selector => document.activeElement.matches(selector)"
    page.locator(".view-input input").first.focus()
    stops = 1
    while not page.evaluate(here, "canvas.att-heat") and stops <= 12:
        page.keyboard.press("Tab")
        stops += 1
    assert page.evaluate(here, "canvas.att-heat"), stops
    view.locator('.att-head[data-head="0"]').focus()
    for key, place in (("ArrowRight", ".att-head[data-head='1']"), ("ArrowDown", ".att-switch[data-head='1']"),
                       ("End", ".att-switch[data-head='7']"), ("ArrowUp", ".att-head[data-head='7']"),
                       ("ArrowRight", ".view-all"), ("ArrowRight", ".att-head[data-head='0']")):  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(here, place), (key, place)
    assert view.locator(":is(.att-head, .att-switch, .att-strip .view-all)[tabindex='0']").count() == 1


@pytest.mark.browser
def test_what_is_chosen_is_seen_in_a_readers_own_colours(heads: Reader) -> None:
    view, switch = heads.page.locator(".view").first, heads.page.locator('.att-switch[data-head="3"]').first
    heads.page.emulate_media(forced_colors="active")
    try:
        for name, state in (
            (".att-head", "aria-pressed"),
            (".att-kind", "aria-pressed"),
            (".view-tab", "aria-selected"),
        ):
            chosen, other = (
                view.locator(f"{name}[{state}={value}]").first.evaluate(BACK) for value in ("true", "false")
            )
            assert chosen != other, name
        strip, knob = view.locator(".att-head").first.evaluate(BACK, "::before"), switch.evaluate(BACK, "::before")
        page = heads.page.locator("body").evaluate(BACK)
        assert page not in (strip, knob)
        menus = view.locator("select")
        drawn = menus.evaluate_all("menus => menus.map((menu) => getComputedStyle(menu).appearance)")
        assert drawn and set(drawn) == {"auto"}  # with the browser's own arrow: ours, a background, is not drawn
        on = switch.screenshot()
        switch.click()
        heads.wait_for("off", [["cross", 4, 3]])
        wait_until(lambda: switch.get_attribute("aria-checked") == "false", "the switch to be off")
        assert switch.screenshot() != on
    finally:
        heads.page.emulate_media(forced_colors="none")


@pytest.mark.browser
def test_nothing_moves_by_itself_for_whom_less_motion_is_asked(heads: Reader) -> None:
    assert heads.page.evaluate(MOVING) > 0
    heads.page.emulate_media(reduced_motion="reduce")
    assert heads.page.evaluate(MOVING) == 0


@pytest.mark.browser
def test_faces_that_have_korean_and_emoji_are_asked_for_by_name(heads: Reader) -> None:
    for name in (".view", ".view-q, .view-address, .view-source"):
        for node in heads.page.locator(name).all():
            face = node.evaluate("node => getComputedStyle(node).fontFamily")
            assert '"Noto Sans KR"' in face and '"Noto Color Emoji"' in face, name
