"""What notebook 13 says of answers, heads, pruning, jobs and layers, held against what was measured."""

import re
from pathlib import Path

import nbformat
import pytest

from studies import stored
from studies.statistics import mean

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "13_evidence.ipynb"
KNOWS = ("weights", "norms", "rollout", "rollout of norms", "flow", "gradient", "integrated")


@pytest.fixture(scope="module")
def measured() -> dict:
    result = stored.load(NOTEBOOK.parent / "data" / "evidence.json")
    assert result["sentences"] == 200
    return {run["part"]: run for run in result["runs"]}


# ─── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("truth", ["of its kind", "hidden"])
def test_integrated_gradients_come_nearest_beyond_chance_where_words_are_hidden_then_the_weights(measured, truth):
    ranks = {name: row[truth] for name, row in measured["answers"]["answers"].items()}
    best, second, third, *_ = sorted(KNOWS, key=lambda name: -ranks[name][0])
    assert (best, second, third) == ("integrated", "weights", "norms")
    assert (ranks[best][1] > ranks[second][2]) == (truth == "hidden") and ranks[second][1] < ranks[third][2]
    assert ranks["norms"][0] > ranks["diagonal"][2]


@pytest.mark.parametrize("truth", ["of its kind", "hidden"])
def test_rollout_flow_and_the_gradient_at_one_point_say_less_than_the_diagonal(measured, truth):
    ranks = {name: row[truth] for name, row in measured["answers"]["answers"].items()}
    assert all(ranks[name][2] < ranks["diagonal"][1] for name in ("rollout", "rollout of norms", "flow", "gradient"))


def test_two_ways_of_taking_a_word_away_agree_better_than_any_answer_with_either_and_far_from_wholly(measured):
    answers = measured["answers"]["answers"]
    low, high = answers["hidden"]["of its kind"][1:]
    assert max(answers[name][truth][2] for name in KNOWS for truth in ("of its kind", "hidden")) < low and high < 0.7


def test_the_word_with_the_largest_weight_matters_most_in_about_two_rows_of_three(measured):
    row = measured["answers"]["answers"]["weights"]["of its kind first"]
    assert row[1] > 0.6 and row[2] < 0.75 and measured["answers"]["chance"] < 0.15


# ─── Layers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_lens_repeats_what_was_read_at_first_and_finds_the_word_in_the_last_three_layers(measured):
    layers = measured["lens"]["layers"]
    assert layers[0]["read"][1] > 0.8 and layers[0]["top"][2] < 0.02
    assert [row["top"][0] for row in layers] == sorted(row["top"][0] for row in layers)
    assert sum(row["decided"][0] for row in layers[3:]) > 0.75


# ─── Heads ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_importance_agrees_most_with_exchanging_and_confidence_less_and_the_intervals_overlap(measured):
    agreement, ways = measured["heads"]["agreement"], ("zeroed", "mean-ablated", "exchanged")
    importance, confidence = ([agreement[f"{name}, {way}"] for way in ways] for name in ("importance", "confidence"))
    assert max(importance) == importance[2] and all(low > 0 for _, low, _ in importance)
    assert not any(low > 0 for _, low, _ in confidence) and importance[2][1] > confidence[2][2]
    assert all(more[0] > less[0] for more, less in zip(importance, confidence, strict=True))
    assert importance[2][1] < importance[1][2] and all(high < 1 for *_, high in importance)


# ─── Pruning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def cost(measured: dict, order: str, n: int) -> float:
    points = measured[f"pruning, {order}"]["points"]
    return next(point["nll"] for point in points if point["n"] == n) - points[0]["nll"]


def test_the_right_quarter_of_the_heads_goes_at_a_fraction_of_what_a_quarter_by_lot_costs(measured):
    lots = [cost(measured, f"at random, {seed}", 36) for seed in range(5)]
    assert cost(measured, "least important first", 36) < 0.65 * min(lots)
    assert 4 < mean(lots) / cost(measured, "least important first", 36) < 5
    assert 9 < cost(measured, "most important first", 36) / cost(measured, "least important first", 36) < 10


def test_the_notebook_s_sentence_stays_to_84_heads_and_its_animal_is_tired_as_long_as_it_is_a_translation():
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    (cell,) = [cell for cell in cells if "explore_pruning(" in cell.source]
    said = re.findall(r"(\d+) gone: (.*?)(?=; \d+ gone: |$)", cell.outputs[0].data["text/plain"])
    lines = {int(n): line for n, line in said}
    same = [n for n, line in lines.items() if line == lines[0]]
    assert same == list(range(0, 85, 6))
    assert all("weil es zu müde war" in lines[n] for n in (90, 96, 102)) and "müde" not in lines[108]
    assert lines[90] == "Das Tier ging nicht auf die Straße, weil es zu müde war."


def test_measuring_again_on_the_way_changes_little_up_to_half_of_the_heads_and_helps_where_little_is_left(measured):
    least, again = (
        {n: cost(measured, order, n) for n in range(0, 145, 6)} for order in ("least important first", "measured again")
    )
    won = {n: least[n] - again[n] for n in least}
    assert all(-0.01 < won[n] < 0.1 for n in range(0, 73, 6))
    assert -0.04 < won[84] < -0.03 and 0.14 < won[96] < 0.15
    assert max(won, key=won.get) >= 114


def test_without_cross_attention_most_is_lost_and_without_the_encoder_s_least(measured):
    whole = [cost(measured, f"{kind} alone", 48) for kind in ("encoder", "decoder", "cross")]
    assert 2 * whole[0] < whole[1] < whole[2] / 2


# ─── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_heads_with_a_job_align_or_find_the_noun_meant_and_none_beats_a_fixed_distance_at_syntax(
    measured,
):
    roles = measured["jobs"]["roles"]
    assert {role["kind"] for role in roles} == {"cross"}
    assert {job.split(",")[0] for role in roles for job in role["jobs"]} == {"alignment", "coreference"}
    for job in measured["jobs"]["jobs"]:
        if "→" in job["job"]:
            assert not any(head[-1] for head in job["heads"]) and max(head[4] for head in job["heads"]) < 0


def test_on_europarl_two_heads_beat_the_diagonal_shifted_by_far_and_three_others_as_they_are_by_little(measured):
    having = {job["job"]: sum(head[-1] for head in job["heads"]) for job in measured["jobs"]["jobs"]}
    gains = {job["job"]: max(head[4] for head in job["heads"]) for job in measured["jobs"]["jobs"]}
    naive, shifted = "alignment, naive (Europarl)", "alignment, shifted (Europarl)"
    assert having[naive] == 3 and having[shifted] == 2 and gains[shifted] > 3 * gains[naive]
    assert having["alignment, naive (grammar)"] == 21 and having["coreference"] == 1
    (finder,) = [role for role in measured["jobs"]["roles"] if "coreference" in role["jobs"]]
    assert (finder["layer"], finder["head"]) == (4, 7)
