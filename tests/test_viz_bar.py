"""What Python gives to the bar of every view: the call that makes it, and its picture."""

from typing import Any

import pytest
import torch
from traitlets import TraitError

from viz.attention import attention_view
from viz.canvas import Canvas
from viz.positions import explore_positions
from viz.scaled_dot_product import scaling_view


def made_again(text: str, **names: Any) -> Any:
    """The view that a copied call makes."""
    exec(text, names)
    return names["view"]


def test_a_view_knows_the_call_that_makes_it_without_what_is_usual():
    view = scaling_view(16)
    assert view.meta["call"]["text"] == "from viz.scaled_dot_product import scaling_view\n\nview = scaling_view(d_k=16)"
    assert "(d_k=" not in scaling_view().meta["call"]["text"]
    assert made_again(view.meta["call"]["text"]).state()["d_k"] == 16


def test_what_is_no_plain_value_or_long_stands_as_its_name_and_the_call_still_runs():
    weights, query_tokens = torch.eye(3), ["▁a" * 200, '"', "c"]
    view = attention_view(weights, query_tokens, title="ä", panel="text")
    text = view.meta["call"]["text"]
    assert text.endswith('view = attention_view(weights, query_tokens, title="ä", panel="text")')
    again = made_again(text, weights=weights, query_tokens=query_tokens)
    assert again.meta == view.meta and again.state()["panel"] == "text"


def test_what_follows_a_call_sets_traits_of_the_view_it_names():
    call = explore_positions(tab="rotation").meta["call"]
    assert made_again(f"{call['text']}\n{call['view']}.position = 7").position == 7


def test_a_view_that_no_function_makes_has_no_call():
    class Bare(Canvas):
        _esm = "export default {}"

    assert Bare().meta["call"] == {}


def test_what_the_bar_copied_of_a_state_is_put_back_or_nothing_is():
    view = explore_positions()
    first = view.state()
    view.put_back('{"tab": "rotation", "position": 9}')
    assert (view.tab, view.position) == ("rotation", 9)
    with pytest.raises(ValueError, match=r"^This view has no 'meta' to put back; it has .*position"):
        view.put_back({"position": 3, "meta": {}})
    with pytest.raises((ValueError, TraitError)):
        view.put_back({"position": 3, "tab": "none of them"})
    assert (view.tab, view.position) == ("rotation", 9)
    view.put_back({name: first[name] for name in ("tab", "position")})
    assert view.state() == first


def test_a_page_without_python_has_the_call():
    meta = scaling_view(16).frozen()["state"]["meta"]
    assert meta["live"] is False and "d_k=16" in meta["call"]["text"]
