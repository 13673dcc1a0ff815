"""The view of two readings: its numbers are those of the model, and what cannot be read leaves all as it was."""

import xml.etree.ElementTree as ET

import pytest
import torch
import toys

import transformer_core as tc
from studies.attention import without_heads
from studies.beside import difference, read_without
from studies.reading import KINDS
from viz import attention, canvas

FIRST, SECOND = "ant bee cat", "ant dog eel cat"

pytestmark = pytest.mark.usefixtures("one_thread")


def model_of(tokenizer: tc.Tokenizer, seed: int, **changes: int) -> tc.Translator:
    torch.manual_seed(seed)
    shape = tc.TransformerConfig(len(tokenizer), **toys.TOY | {"n_layers": 2} | changes)
    return toys.ending(tc.Translator(tc.Transformer(shape), tokenizer, f"toy {seed}"))


@pytest.fixture(scope="module")
def translator(tokenizer) -> tc.Translator:
    return model_of(tokenizer, 6)


@pytest.fixture
def explorer(translator: tc.Translator) -> attention.BesideExplorer:
    return attention.explore_beside(translator, FIRST, SECOND)


def kind_of(view: attention.BesideView, name: str) -> dict:
    return next(kind for kind in view.meta["kinds"] if kind["name"] == name)


def sent_by(view: attention.BesideView, message: dict) -> tuple[dict, list[bytes]]:
    sent = []
    view.send = lambda content, buffers=None: sent.append((content, buffers))  # type: ignore[method-assign]
    view._asked(view, message, [])
    return sent[0]


def test_both_readings_lie_in_the_bytes_one_after_the_other(explorer):
    expected = b"".join(canvas.packed(reading.stack(kind)) for reading in explorer.reading for kind in KINDS)
    assert explorer.view.data == expected
    kind = kind_of(explorer.view, "encoder")
    assert kind["queries"] == [reading.source_pieces for reading in explorer.reading]
    assert len(kind["rows"]) > max(map(len, kind["queries"])) and None not in kind["rows"][0]


def test_the_exact_numbers_are_those_of_both_readings(explorer):
    message = {"ask": "maps", "kind": "cross", "layer": 1, "heads": [1, 0], "version": 0}
    content, buffers = sent_by(explorer.view, message)
    assert content["answer"] == "maps"
    for reading, buffer in zip(explorer.reading, buffers, strict=True):
        numbers = torch.frombuffer(bytearray(buffer), dtype=torch.float32)
        assert numbers.equal(reading.stack("cross")[1, [1, 0]].flatten())


def test_it_opens_at_the_head_that_differs_most_or_at_the_one_asked_for(explorer, translator):
    first, second = explorer.reading
    cross = kind_of(explorer.view, "cross")
    gap = difference(first.stack("cross"), second.stack("cross"), cross["rows"], cross["columns"])
    most = gap.abs().nansum((-1, -2))
    assert most[explorer.view.layer, explorer.view.head] == most.max()
    view = attention.explore_beside(translator, FIRST, SECOND, layer=1, head=-1, kind="decoder", pin=[1, 2]).view
    assert (view.layer, view.head, view.kind, view.pin) == (1, -1, "decoder", [1, 2])


def test_a_row_stays_pinned_while_it_is_that_token_s(explorer):
    view = explorer.view
    one, other = (reading.source_pieces for reading in explorer.reading)
    same, parts = 0, next(n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
    view.kind, view.pin = "encoder", [1, parts]
    view.off = [["encoder", 0, 0]]
    assert view.pin == [1, parts]  # the same second sentence, without a head
    view.second = FIRST
    assert view.pin == []  # another token stands there
    view.pin = [1, same]
    view.second = SECOND
    assert view.pin == [1, same]
    view.pin = [0, parts]
    view.second = FIRST
    assert view.pin == [0, parts]  # of the first sentence, which stays
    explorer.text = SECOND
    assert view.pin == []  # typed: all begins anew


def test_without_a_second_sentence_it_is_the_first_once_more_and_differs_nowhere(translator):
    explorer = attention.explore_beside(translator, FIRST)
    first, second = explorer.reading
    assert first is second and "do not differ" in explorer.view.picture().description
    assert explorer.view.meta["then"] == first.log_prob.tolist()


def test_heads_taken_out_are_out_of_the_second_reading_alone(explorer, translator):
    heads = [["cross", 0, head] for head in range(translator.model.config.n_heads)]
    first = explorer.reading[0]
    explorer.view.second, explorer.view.off = "", heads
    whole, less = explorer.reading
    assert whole is first and less.translation == without_heads(first, heads)["translation"]
    assert sum(explorer.view.meta["then"]) == pytest.approx(
        first.log_prob.sum().item() + without_heads(first, heads)["total"], abs=1e-4
    )
    explorer.view.off = []
    assert explorer.reading == (first, first)


def test_a_second_sentence_is_read_and_the_pin_of_the_first_stays(explorer):
    explorer.view.pin = [0, 1]
    version = explorer.view.meta["version"]
    explorer.view.second = FIRST + " dog"
    assert explorer.reading[1].text == FIRST + " dog" and explorer.view.pin == [0, 1]
    assert explorer.view.meta["version"] == version + 1 and explorer.view.meta["since"] == 0


def test_a_first_sentence_typed_begins_anew_and_the_second_stays(explorer):
    explorer.view.pin = [0, 1]
    explorer.text = "dog eel"
    assert [reading.text for reading in explorer.reading] == ["dog eel", SECOND] and explorer.view.pin == []
    assert explorer.view.meta["since"] == explorer.view.meta["version"]
    assert "dog eel" in explorer.view.meta["call"]["text"]


def test_an_example_brings_its_twin_along(translator):
    explorer = attention.explore_beside(translator, FIRST, SECOND)
    explorer.menu.value = "The dog bites the man."
    assert [reading.text for reading in explorer.reading] == ["The dog bites the man.", "The man bites the dog."]
    assert explorer.view.second == "The man bites the dog."


@pytest.mark.parametrize("second", ["ant " * 80, "​  ​"])
def test_what_cannot_be_read_leaves_all_as_it_was_and_says_why(explorer, second):
    before = explorer.view.state()
    explorer.view.second = second
    if explorer.view.second != second:  # refused
        assert explorer.view.state() == before and "more than the 48 shown" in explorer.line
    assert explorer.reading[0].text == FIRST


def test_what_is_not_there_is_refused_by_name(explorer):
    for name, value, why in [
        ("off", [["cross", 0, 9]], "no head"), ("off", [["sideways", 0, 0]], "no head"),
        ("off", [["cross", 0]], "no head"), ("layer", 2, "no layer 2"),
        ("head", -2, "no head -2"), ("pin", [2, 0], "no row"), ("pin", [0, 99], "no row"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=why):
            setattr(explorer.view, name, value)
    assert explorer.view.off == [] and explorer.view.pin == []


def test_what_the_bar_copied_is_put_back(explorer):
    state = {"second": FIRST, "off": [["cross", 1, 0]], "kind": "encoder", "pin": [0, 2], "head": -1}
    explorer.view.put_back(state)
    assert {name: getattr(explorer.view, name) for name in state} == state
    assert explorer.reading[1].text == FIRST


def test_two_models_read_one_sentence(tokenizer, translator):
    other = model_of(tokenizer, 7)
    explorer = attention.explore_beside(translator, FIRST, other=other)
    assert [reading.translator for reading in explorer.reading] == [translator, other]
    assert explorer.view.meta["shows"] == "trained: toy 6 · trained: toy 7" and explorer.view.twin is None
    explorer.text = "dog eel"
    assert [reading.text for reading in explorer.reading] == ["dog eel", "dog eel"]
    with pytest.raises(ValueError, match="2 layers of 2 heads, the second 1 of 2"):
        attention.explore_beside(translator, FIRST, other=model_of(tokenizer, 8, n_layers=1))


def test_two_readings_at_hand_make_a_view_that_takes_no_other_sentence(translator):
    first, second = read_without(translator, FIRST), read_without(translator, SECOND)
    view = attention.beside_view(first, second, kind="encoder", layer=1, head=1)
    assert len(sent_by(view, {"ask": "maps", "kind": "encoder", "layer": 1, "heads": [1], "version": 0})[1]) == 2
    for name, value in [("second", "ant"), ("off", [["cross", 0, 0]])]:
        with pytest.raises(ValueError, match="no model answers"):
            setattr(view, name, value)


def test_the_picture_marks_what_differs_and_hatches_what_has_no_partner(explorer):
    explorer.view.kind = "encoder"
    picture = explorer.view.picture()
    texts = {"".join(node.itertext()) for node in ET.fromstring(picture.text).iter() if node.tag.endswith("text")}
    assert {"first", "second", "second − first"} <= texts
    kind = kind_of(explorer.view, "encoder")
    alone = next(i for i, j in kind["rows"] if j is None)
    assert f"≠ {kind['queries'][0][alone]}" in texts and f"1: {kind['queries'][0][alone]}" in texts
    assert 'stroke-opacity="0.5"' in picture.text  # hatched
    assert FIRST in picture.description and "They differ most in row" in picture.description
    assert "2: " in attention.beside_picture(explorer.view, dark=True).text
