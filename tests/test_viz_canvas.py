"""What a view's class is made of: traits that page and Python share, each held against its own check."""

import pytest

from viz.canvas import Canvas, OneOf, PlaceIn, trait
from viz.positions import explore_positions
from viz.scaled_dot_product import toy_sheet


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
