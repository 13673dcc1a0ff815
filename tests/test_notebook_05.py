"""What notebook 05 says of the habits of heads and of the layers that the shipped translator can do without."""

import re
from pathlib import Path

import pytest

import transformer_core as tc
from studies import stored
from studies.attention import MARKS


@pytest.fixture(scope="module")
def measured() -> dict:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "head_habits.json")
    assert result["sentences"] == 200 and len(result["heads"]) == 144
    return result


def test_the_readmes_picture_says_what_the_shipped_model_says():
    readme = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
    told = re.search(r"!\[[^\]]*: (The animal [^→]*\.) → ([^\]]*?war\.)", readme)
    assert told, "README's first picture should be told as: sentence → translation"
    assert tc.load_pretrained("tatoeba-en-de").translate([told[1]]) == [told[2]]  # else take the picture anew


def layers(measured: dict, kind: str, fact: str) -> list[list[float]]:
    return [row[fact] for row in measured["layers"] if row["kind"] == kind]


def highest(measured: dict, kind: str, fact: str) -> dict:
    return max((head for head in measured["heads"] if head["kind"] == kind), key=lambda head: head[fact][0])


def test_cross_attention_sharpens_and_nears_the_diagonal_up_to_layer_4(measured):
    entropy, alignment = (layers(measured, "cross", fact) for fact in ("entropy", "alignment"))
    means = [mean for mean, *_ in entropy]
    assert means[:5] == sorted(means[:5], reverse=True) and entropy[4][2] < entropy[5][1] < measured["alike"] / 1.5
    assert max(alignment) == alignment[4] and alignment[4][1] > alignment[0][2] + 0.1


def test_fourteen_heads_have_a_role_thirteen_rest_on_the_start_seven_in_the_decoder_s_first_layer(measured):
    *sinks, shifted = [head for head in measured["heads"] if head["role"]]
    assert [(head["kind"], head["role"]) for head in sinks] == [("decoder", "sink")] * 13
    assert [head["layer"] for head in sinks] == [0] * 7 + [2, 2, 3, 3, 4, 4]
    near = [(head["layer"], head["head"]) for head in sinks if head["mark"] == "near"]
    assert near == [(0, 2), (2, 3), (2, 4), (4, 3), (4, 5)]
    assert all(MARKS["sink"] < head["sink"][0] < 0.8 for head in sinks)
    assert [shifted[key] for key in ("kind", "layer", "head", "role", "mark")] == ["cross", 1, 7, "shifted", "near"]
    nearest = highest(measured, "cross", "alignment")
    assert (nearest["layer"], nearest["head"]) == (2, 4) and nearest["alignment"][0] < MARKS["alignment"]


def test_the_decoder_s_first_layer_is_about_twice_as_sharp_as_the_others(measured):
    first, *others = layers(measured, "decoder", "entropy")
    assert first[2] < 0.6 * min(low for _, low, _ in others) and max(mean for mean, *_ in others) < 0.9


def test_no_encoder_head_is_positional_or_rests_on_the_end(measured):
    assert highest(measured, "encoder", "previous")["previous"][2] < 0.62 < MARKS["previous"]
    nearest = highest(measured, "encoder", "next")
    assert (nearest["layer"], nearest["head"]) == (2, 4) and nearest["next"][2] < 0.63 < MARKS["next"]
    assert highest(measured, "encoder", "sink")["sink"][2] < 0.46


def test_the_last_layer_of_cross_attention_is_needed_most_and_no_layer_of_the_encoder_much(measured):
    cross, encoder = (layers(measured, kind, "effect") for kind in ("cross", "encoder"))
    assert min(cross) == cross[5] and cross[5][2] < -2.4 and cross[4][2] < -2
    assert all(mean > -1.3 for mean, *_ in cross[:4])
    assert all(mean > -0.43 and high < 0 for mean, _, high in encoder) and max(encoder) == encoder[0]


# ─── The pronoun ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def who() -> dict:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "pronoun_heads.json")
    assert result["pairs"] == 150 and len(result["heads"]) == 144 and result["sure"] > 0.97
    return result


def test_layer_3_of_cross_attention_carries_the_pronoun_and_no_layer_of_the_encoder(who):
    follows = {(row["kind"], row["layer"]): row["follows"] for row in who["layers"]}
    assert follows["cross", 3] == 1 and 0.1 < follows["cross", 4] < 0.12 and follows["decoder", 4] == 0.5
    assert max(follows["encoder", layer] for layer in range(6)) < 0.12


def test_one_head_reads_the_word_that_decides_the_next_the_noun_meant_and_three_together_carry_all(who):
    places = [(head["kind"], head["layer"], head["head"]) for head in who["together"][:3]]
    assert places == [("decoder", 4, 3), ("cross", 3, 0), ("cross", 4, 7)]
    assert [head["alone"] for head in who["together"][:3]] == [0.4832, 0.1477, 0.1107]
    assert [head["follows"] for head in who["together"][:3]] == [0.4832, 0.755, 1.0]
    facts = {(head["kind"], head["layer"], head["head"]): head for head in who["heads"]}
    assert facts[places[2]]["meant"][1] > 0.9 > 0.1 > facts[places[2]]["other"][2]
    assert facts[places[1]]["differs"][1] > 0.95
    assert all(head["follows"] < 0.04 for place, head in facts.items() if place not in places)
    others = [head for head in range(8) if head and facts["cross", 3, head]["differs"][0] > 0.5]
    assert others == [1, 3, 4, 7]


def test_without_any_of_the_three_the_pronoun_is_mostly_right_all_the_same(who):
    facts = {(head["kind"], head["layer"], head["head"]): head for head in who["heads"]}
    for way in ("zeroed", "mean-ablated"):
        assert 0.94 < facts["cross", 4, 7][way] < 0.96 and who["right"] > 0.99
        assert min(facts[place][way] for place in (("cross", 3, 0), ("decoder", 4, 3))) > 0.98


def test_in_the_encoder_it_is_not_where_the_noun_is_known(who):
    assert {row["from the twin"]: row["follows"] for row in who["places"]} == {
        "the word that differs": 1, "it": 0, "the two nouns": 0, "all other words": 0
    }  # fmt: skip
    encoder = [head for head in who["heads"] if head["kind"] == "encoder"]
    assert all(head["meant"][0] - head["other"][0] < 0.01 for head in encoder)


# ─── The plane ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def planes() -> dict:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "geometry.json")
    assert result["sentences"] == 200 and len(result["heads"]) == 144
    return result


def of(planes: dict, whose: str, fact: str) -> dict[str, list[float]]:
    return {row["kind"]: row[fact] for row in planes["kinds"] if row["whose"] == whose}


def test_a_plane_holds_most_of_the_scores_more_than_of_vectors_by_lot_or_of_an_untrained_model(planes):
    trained, untrained, random = (of(planes, whose, "share") for whose in ("trained", "untrained", "random"))
    for kind, (share, low, _) in trained.items():
        assert (
            share > 0.75 and low > untrained[kind][2] and untrained[kind][1] > random[kind][2] and random[kind][0] > 0.6
        )
    assert trained["cross"][2] < trained["encoder"][1] and trained["encoder"][2] < trained["decoder"][1]
    flattest = max(planes["heads"], key=lambda head: head["share"][0])
    assert [flattest[name] for name in ("kind", "layer", "head")] == ["decoder", 3, 3]


def test_and_yet_in_cross_attention_it_names_another_first_key_in_four_rows_of_ten(planes):
    assert 0.55 < of(planes, "trained", "first")["cross"][0] < 0.62
    assert of(planes, "trained", "apart")["cross"][1] > of(planes, "random", "apart")["cross"][2]


def test_the_mean_key_has_a_fifth_of_self_attention_s_scores_and_less_of_cross_attention_s(planes):
    unseen = of(planes, "trained", "unseen")
    assert all(0.19 < unseen[kind][0] < 0.22 for kind in ("encoder", "decoder")) and unseen["cross"][2] < 0.11
