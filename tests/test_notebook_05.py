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
    assert (
        means[:5] == sorted(means[:5], reverse=True)
        and means[4] < means[5]
        and entropy[5][1] < entropy[4][2] < measured["alike"] / 1.5
    )
    assert max(alignment) == alignment[4] and alignment[4][1] > alignment[0][2] + 0.1


def test_eighteen_heads_have_a_role_seventeen_rest_on_the_start_seven_in_the_decoder_s_first_layer(measured):
    *sinks, shifted = [head for head in measured["heads"] if head["role"]]
    assert [(head["kind"], head["role"]) for head in sinks] == [("decoder", "sink")] * 17
    assert [head["layer"] for head in sinks] == [0] * 7 + [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]
    near = [(head["layer"], head["head"]) for head in sinks if head["mark"] == "near"]
    assert near == [(1, 4), (3, 4), (4, 2)]
    assert all(MARKS["sink"] < head["sink"][0] < 0.85 for head in sinks)
    assert [shifted[key] for key in ("kind", "layer", "head", "role", "mark")] == ["cross", 1, 7, "shifted", "near"]
    nearest = highest(measured, "cross", "alignment")
    assert (nearest["layer"], nearest["head"]) == (2, 4) and nearest["alignment"][2] < MARKS["alignment"]


def test_the_decoder_s_first_layer_is_seven_times_as_sharp_as_the_others(measured):
    first, *others = layers(measured, "decoder", "entropy")
    assert first[2] < 0.17 * min(low for _, low, _ in others) and max(mean for mean, *_ in others) < 0.9


def test_no_encoder_head_is_positional_and_one_all_but_rests_on_the_end(measured):
    assert highest(measured, "encoder", "previous")["previous"][2] < 0.63 < MARKS["previous"]
    nearest = highest(measured, "encoder", "next")
    assert (nearest["layer"], nearest["head"]) == (2, 4) and nearest["next"][2] < 0.7 < MARKS["next"]
    sinks = highest(measured, "encoder", "sink")
    assert (sinks["layer"], sinks["head"]) == (5, 0) and sinks["sink"][0] < MARKS["sink"] < sinks["sink"][2]


def test_the_last_layer_of_cross_attention_is_needed_most_and_no_layer_of_the_encoder_much(measured):
    cross, encoder = (layers(measured, kind, "effect") for kind in ("cross", "encoder"))
    assert min(cross) == cross[5] and cross[5][2] < -2.4 and cross[4][2] < -2
    assert all(mean > -1.3 for mean, *_ in cross[:4])
    assert all(mean > -0.43 for mean, *_ in encoder) and all(high < 0 for *_, high in encoder[1:]) and encoder[0][2] > 0


# ─── The pronoun ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def who() -> dict:
    result = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "pronoun_heads.json")
    assert result["pairs"] == 150 and len(result["heads"]) == 144 and result["sure"] > 0.95
    return result


def test_layer_3_of_cross_attention_carries_the_pronoun_and_no_layer_of_the_encoder_much(who):
    follows = {(row["kind"], row["layer"]): row["follows"] for row in who["layers"]}
    assert follows["cross", 3] == 1 and 0.08 < follows["cross", 4] < 0.1 and 0.9 < follows["decoder", 4] < 0.92
    assert max(follows["encoder", layer] for layer in range(6)) == follows["encoder", 5] < 0.28


def test_one_head_reads_the_word_that_decides_another_the_noun_meant_and_four_together_carry_all(who):
    together = who["together"][:4]
    places = [(head["kind"], head["layer"], head["head"]) for head in together]
    assert places == [("decoder", 4, 3), ("encoder", 5, 1), ("cross", 3, 0), ("cross", 4, 7)]
    assert [round(100 * head["alone"]) for head in together] == [76, 20, 11, 9]
    assert [round(100 * head["follows"]) for head in together] == [76, 80, 91, 100]
    facts = {(head["kind"], head["layer"], head["head"]): head for head in who["heads"]}
    assert facts[places[3]]["meant"][1] > 0.79 > 0.1 > facts[places[3]]["other"][2]
    assert facts[places[2]]["differs"][1] > 0.98
    assert all(head["follows"] < 0.07 for place, head in facts.items() if place not in places)
    others = [head for head in range(8) if head and facts["cross", 3, head]["differs"][0] > 0.5]
    assert others == [1, 3, 4, 7]


def test_without_any_of_the_four_the_pronoun_is_mostly_right_all_the_same(who):
    facts = {(head["kind"], head["layer"], head["head"]): head for head in who["heads"]}
    least = min(who["heads"], key=lambda head: head["zeroed"])
    assert (least["kind"], least["layer"], least["head"]) == ("encoder", 4, 1) and 0.91 < least["zeroed"] < 0.92
    for way in ("zeroed", "mean-ablated"):
        assert 0.92 < facts["cross", 4, 7][way] < 0.94 and 0.97 < who["right"] < 0.98
        assert min(facts[place][way] for place in (("cross", 3, 0), ("decoder", 4, 3))) > 0.97


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
    assert trained["cross"][2] < min(trained[kind][1] for kind in ("encoder", "decoder"))
    flattest = max(planes["heads"], key=lambda head: head["share"][0])
    assert [flattest[name] for name in ("kind", "layer", "head")] == ["encoder", 0, 4]


def test_and_yet_in_cross_attention_it_names_another_first_key_in_four_rows_of_ten(planes):
    assert 0.58 < of(planes, "trained", "first")["cross"][0] < 0.62
    assert of(planes, "trained", "apart")["cross"][1] > of(planes, "random", "apart")["cross"][2]


def test_the_mean_key_has_a_fifth_of_self_attention_s_scores_and_less_of_cross_attention_s(planes):
    unseen = of(planes, "trained", "unseen")
    assert all(0.18 < unseen[kind][0] < 0.24 for kind in ("encoder", "decoder")) and unseen["cross"][2] < 0.14
