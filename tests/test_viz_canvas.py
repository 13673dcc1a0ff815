"""What a view's class is made of: traits that page and Python share, each held against its own check."""

import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import viz
from viz.canvas import Canvas, OneOf, PlaceIn, Takes, trait
from viz.positions import explore_positions
from viz.scaled_dot_product import toy_sheet

VIZ = Path(viz.__file__).parent


def short(_: Canvas, name: str, text: str) -> str:
    if len(text) > 3:
        raise ValueError(f"The {name} has {len(text)} characters, more than 3.")
    return text.strip()


class Small(Canvas):
    _esm = "export default {}"
    word = trait("", "what is written", check=short)
    row = PlaceIn("rows")
    column = PlaceIn("n_columns", "-1: none", -1, least=-1, otherwise="no {name} {value}, there are {n}")
    kind = OneOf(["bar", "line"])
    steps = trait([], of=trait(0, min=0))


class Smaller(Small):
    extra = PlaceIn("rows")


def view(**traits) -> Small:
    return Small(meta={"rows": ["a", "b"], "n_columns": 3}, **traits)


def test_a_trait_is_shared_with_the_page_and_goes_into_a_page_without_python():
    assert {"word", "row", "column", "kind", "steps"} <= set(Small.class_trait_names(sync=True, own=True))
    assert view(row=1, kind="line").state()["kind"] == "line" and view().state()["column"] == -1


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("word", "long", "The word has 4 characters, more than 3."),
        ("row", 2, "There is no row 2 here; choose from 0 to 1."),
        ("row", -1, "There is no row -1 here; choose from 0 to 1."),
        ("column", 3, "no column 3, there are 3"),
        ("column", -2, "no column -2, there are 3"),
    ],
)
def test_what_a_view_does_not_have_is_refused_at_the_beginning_and_later(name, value, said):
    with pytest.raises(ValueError, match=said):
        view(**{name: value})
    one = view()
    before = getattr(one, name)
    with pytest.raises(ValueError, match=said):
        setattr(one, name, value)
    assert getattr(one, name) == before


def test_a_view_opens_with_nothing_that_it_does_not_have():
    with pytest.raises(ValueError, match=r"^This view has no 'rwo' to open with; it has column, kind, row, steps, wo"):
        view(rwo=1)


def test_a_check_may_say_what_is_taken_in_the_place_of_what_was_given():
    one = view(word=" a ")
    assert one.word == "a"


def test_the_values_of_a_list_are_held_to_their_bounds_and_no_two_views_share_one():
    one, other = view(steps=[1, 2]), view()
    with pytest.raises(Exception, match="steps"):
        one.steps = [-1]
    assert (one.steps, other.steps) == ([1, 2], [])


def test_a_view_that_inherits_keeps_the_checks_of_its_parent_beside_its_own():
    one = Smaller(meta={"rows": ["a"], "n_columns": 1})
    for name in ("extra", "row", "column"):
        with pytest.raises(ValueError, match=f"no {name} 1"):
            setattr(one, name, 1)


def test_a_page_of_one_view_has_the_style_of_all_and_its_own_alone():
    sheet, places = toy_sheet().style(), explore_positions().style()
    assert ".view-tools" in sheet and ".sh-lane" in sheet and ".pos-board" not in sheet
    assert ".view-tools" in places and ".pos-board" in places and ".sh-lane" not in places


# ─── What an address may set ─────────────────────────────────────────────────────────────────────────────────────────

TOPICS = sorted({path.parent.name for path in VIZ.glob("*/*.js")} - {"page"})
KINDS = {"any", "bool", "int", "float", "text", "one", "list", "row", "map", "like"}  # as viz/page/address.js has them
BY_PYTHON = {("TrainingView", "factor")}  # the hand sets it, and only Python follows


def views() -> list[type[Canvas]]:
    """The class of every view."""
    for topic in TOPICS:
        importlib.import_module(f"viz.{topic}")
    return [each for each in Canvas.__subclasses__() if each.__module__.startswith("viz.")]


def parts(takes: dict) -> Iterator[dict]:
    yield takes
    inner = takes.get("of", [])
    for part in inner if isinstance(inner, list) else [inner]:
        yield from parts(part)


@pytest.mark.parametrize("kind", views(), ids=lambda kind: kind.__name__)
def test_an_address_may_set_what_the_reader_s_hand_sets_and_nothing_that_came_with_the_data(kind):
    takes, shared = kind.takes(), set(kind.class_trait_names(sync=True, own=True))
    assert takes.keys() <= shared - {"data", "look", "meta", "facts", "ablation", "leak", "known", "trees", "running"}
    assert {part["is"] for each in takes.values() for part in parts(each)} <= KINDS
    json.dumps(takes, allow_nan=False)
    script = Path(inspect.getfile(kind)).with_suffix(".js").read_text(encoding="utf-8")
    objects = re.findall(r"\.(?:set|pick)\(\{([^}]*)\}?", script)
    named = {name for text in objects for name in re.findall(r"(?:^|,)\s*(\w+)\s*(?=[:,]|$)", text)}
    by_hand = {name for name in named & shared if (kind.__name__, name) not in BY_PYTHON} - {"meta", "known"}
    assert by_hand <= takes.keys()


def test_a_trait_says_what_an_address_may_set_it_to_by_its_type_or_by_itself():
    assert Small.takes() == {
        "row": {"is": "int", "min": 0, "below": "rows"}, "column": {"is": "int", "min": -1, "below": "n_columns"},
        "kind": {"is": "one", "values": ["bar", "line"]},
    }  # fmt: skip

    class More(Canvas):
        _esm = "export default {}"
        on = trait(False)
        share = trait(0.5, min=0.0, max=1.0)
        far = trait(0.5, min=0.0)
        hidden = trait(False, takes={})
        words = trait([], of=trait(""), takes=Takes.list_of(Takes.text(9), most=3))

    assert More.takes() == {
        "on": {"is": "bool"}, "share": {"is": "float", "min": 0.0, "max": 1.0}, "far": {"is": "float", "min": 0.0},
        "words": {"is": "list", "of": {"is": "text", "least": 0, "most": 9}, "least": 0, "most": 3},
    }  # fmt: skip
