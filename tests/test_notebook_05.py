"""What notebook 05 says of the habits of heads and of the layers that the shipped translator can do without."""

from pathlib import Path

import pytest

from studies import stored
from studies.attention import MARKS


@pytest.fixture(scope="module")
def measured() -> dict:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "head_habits.json")
    assert result["sentences"] == 200 and len(result["heads"]) == 144
    return result


def layers(measured: dict, kind: str, fact: str) -> list[list[float]]:
    return [row[fact] for row in measured["layers"] if row["kind"] == kind]


def highest(measured: dict, kind: str, fact: str) -> dict:
    return max((head for head in measured["heads"] if head["kind"] == kind), key=lambda head: head[fact][0])


def test_cross_attention_sharpens_up_to_layer_4_and_nears_the_diagonal_up_to_layer_3(measured):
    entropy, alignment = (layers(measured, "cross", fact) for fact in ("entropy", "alignment"))
    means = [mean for mean, *_ in entropy]
    assert means[:5] == sorted(means[:5], reverse=True) and entropy[4][2] < entropy[5][1] < measured["alike"] / 1.5
    assert max(alignment) == alignment[3] and alignment[3][1] > alignment[0][2] + 0.1


def test_one_head_has_a_role_and_its_interval_holds_the_mark(measured):
    (head,) = [head for head in measured["heads"] if head["role"]]
    assert (head["kind"], head["layer"], head["head"], head["role"], head["mark"]) == ("cross", 1, 7, "shifted", "near")
    assert head["shifted"][1] < MARKS["shifted"] < head["shifted"][0]
    nearest = highest(measured, "cross", "alignment")
    assert (nearest["layer"], nearest["head"]) == (3, 3) and nearest["alignment"][0] < MARKS["alignment"]


def test_the_decoder_s_first_layer_is_about_twice_as_sharp_as_the_others(measured):
    first, *others = layers(measured, "decoder", "entropy")
    assert first[2] < 0.6 * min(low for _, low, _ in others) and max(mean for mean, *_ in others) < 0.9


def test_no_encoder_head_is_positional_or_rests_on_the_end(measured):
    assert highest(measured, "encoder", "previous")["previous"][2] < 0.6 < MARKS["previous"]
    assert highest(measured, "encoder", "next")["next"][2] < 0.5
    assert highest(measured, "encoder", "sink")["sink"][2] < 0.3


def test_the_last_layer_of_cross_attention_is_needed_most_and_no_layer_of_the_encoder_much(measured):
    cross, encoder = (layers(measured, kind, "effect") for kind in ("cross", "encoder"))
    assert min(cross) == cross[5] and cross[5][2] < -3 and cross[4][2] < -2
    assert all(mean > -1.3 for mean, *_ in cross[:4])
    assert all(mean > -0.6 and high < 0 for mean, _, high in encoder)
