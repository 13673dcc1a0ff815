"""The recurrent translator's view and charts; and what was trained and stored."""

import html
import json
import os
import random
import re
import sys
import xml.etree.ElementTree as ET
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from toys_recurrence import TEXTS, additive, dot, fixed, toy_tokenizer, translator

import transformer_core as tc
from corpora import grammar
from experiments import recurrence as trained
from studies import complexity, stored
from studies import recurrence as study
from studies.alignment import Truth, cross_weights
from studies.reading import beyond
from viz import recurrence

DATA = Path(__file__).parent.parent / "notebooks" / "data"
NASTY = ["<script>alert(1)</script>", "&amp; \"quoted\" 'too'", "]]>"]


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return toy_tokenizer()


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def numbers(view) -> torch.Tensor:
    return torch.frombuffer(bytearray(view.data), dtype=torch.float32)


def test_the_page_gets_every_vector_in_its_place():
    view = recurrence.alignment_view([{"additive": additive(), "fixed": fixed()}, {"dot": dot(keys="abcd")}])
    for sentence, told in zip(view.steps, view.meta["sentences"], strict=True):
        for name, steps in sentence.items():
            places = told["models"][name]["places"]
            for part, values in steps.parts().items():
                start, count = places[part]
                assert torch.equal(numbers(view)[start : start + count], values.flatten())
    json.dumps(view.meta)
    assert view.score == "additive"


def test_steps_under_a_wrong_name_and_nothing_at_all_are_refused():
    with pytest.raises(ValueError, match="called 'dot' are of score 'additive'"):
        recurrence.alignment_view([{"dot": additive()}])
    for nothing in ([], [{}]):
        with pytest.raises(ValueError, match="give at least one"):
            recurrence.alignment_view(nothing)


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("make", [additive, dot, fixed])
def test_a_still_picture_says_what_it_shows_and_takes_any_token_as_text(make, dark):
    steps = make() if make is fixed else make(NASTY[:2], NASTY)
    view = recurrence.alignment_view([{steps.score: steps}], "A <title>", "synthetic", ["<b>one</b>"], step=1)
    drawn = recurrence.view_picture(view, dark)
    root = ET.fromstring(drawn.text)
    assert root.get("role") == "img" and "synthetic" in root.get("aria-label")
    texts = "".join(root.itertext())
    assert steps.queries[1] in texts and (steps.score == "fixed" or f"{steps.weights[1, 2]:.3f}" in texts)
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_a_typed_sentence_is_translated_by_each_model_and_stands_first_in_the_list(tokenizer):
    both = {"additive": translator(tokenizer), "fixed": translator(tokenizer, "LSTM", None)}
    explorer = recurrence.explore_alignment(both, TEXTS[:2], "untrained")
    assert [s["name"] for s in explorer.view.meta["sentences"]] == TEXTS[:2]
    version = explorer.view.meta["version"]
    explorer.text = TEXTS[2]
    assert explorer.view.meta["sentences"][0]["name"] == TEXTS[2] and explorer.view.sentence == 0
    assert explorer.view.meta["version"] == version + 1
    assert set(explorer.view.meta["sentences"][0]["models"]) == {"additive", "fixed"}
    assert explorer.view.steps[0]["additive"].text in html.unescape(explorer.status.value)
    explorer.text = TEXTS[1]
    assert explorer.view.sentence == 1 and len(explorer.view.meta["sentences"]) == 2


@pytest.mark.parametrize(("text", "says"), [("", "at least one word"), ("the cat " * 12, "try a shorter one")])
def test_a_sentence_without_words_or_too_long_is_answered_in_one_sentence(tokenizer, text, says):
    explorer = recurrence.explore_alignment({"dot": translator(tokenizer, score="dot")}, TEXTS[:1], "untrained")
    before = explorer.view.meta
    explorer.text = text
    assert says in explorer.status.value and explorer.view.meta == before


def test_maps_stand_side_by_side_and_none_is_refused():
    one, other = torch.eye(2, 3), torch.rand(3, 2).softmax(-1)
    drawn = recurrence.maps_picture([("one", one, NASTY[:2], NASTY), ("two", other, "xyz", "ab")], "synthetic")
    assert {"one", "two", *NASTY} <= {text.text for text in ET.fromstring(drawn.text).iter() if text.text}
    with pytest.raises(ValueError, match="no maps"):
        recurrence.maps_picture([], "synthetic")
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        recurrence.maps_picture([("one", one, "xyz", "ab")], "synthetic")


# ─── What is trained ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("vocabulary", [14, 2000])
def test_all_kinds_have_the_same_budget_within_two_percent(vocabulary):
    wanted = trained.budget(vocabulary)
    for kind in trained.KINDS:
        assert tc.count_parameters(trained.made(kind, vocabulary)) == pytest.approx(wanted, rel=0.02), kind


def test_runs_of_other_steps_are_neither_mixed_into_a_result_nor_taken_for_trained(tmp_path, monkeypatch):
    out = tmp_path / "result.json"
    given = ["recurrence", "reverse", "--only", "GRU, dot", "--out", str(out), "--runs", str(tmp_path), "--steps", "2"]
    monkeypatch.setattr(sys, "argv", given)
    trained.main()
    first = json.loads(out.read_text())
    assert first["steps"] == 2
    assert first["command"] == "python -m experiments.recurrence reverse --steps 2 --only 'GRU, dot'"
    monkeypatch.setattr(sys, "argv", [*sys.argv[:-1], "3"])
    with pytest.raises(SystemExit, match=r"holds runs of another kind \(steps 2\), asked for is steps 3"):
        trained.main()
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--out", str(tmp_path / "other.json")])
    trained.main()
    (run,) = json.loads((tmp_path / "other.json").read_text())["runs"]
    assert run["nll"] != first["runs"][0]["nll"]


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="no kind of model 'CNN'"):
        trained.made("CNN", 14)


def test_a_map_that_reads_from_the_end_is_anti_diagonal_and_one_that_reads_in_order_is_not():
    n = 5
    backwards = torch.eye(n + 1)
    backwards[:n, :n] = torch.eye(n).flip(0)
    maps = torch.stack([backwards, torch.eye(n + 1)])[None]  # (1, 2 heads, T, S), the last place is </s>
    assert trained.anti_diagonal(maps).tolist() == [1.0, pytest.approx(1 / n)]
    beside = maps.roll(1, -1)  # each weight one place to the right
    assert trained.anti_diagonal(beside, 1)[0] == 1 and trained.anti_diagonal(beside)[0] == 0


def test_batches_of_symbols_are_reversed_never_the_same_and_a_function_of_the_seed():
    first, second = (next(trained.Backwards(0).epoch(0, start)) for start in (0, 1))
    assert not torch.equal(first.src[:, :1], second.src[:, :1])
    again = next(trained.Backwards(0).epoch(0, 1))
    assert torch.equal(again.src, second.src)
    for src, out in zip(first.src.tolist(), first.tgt_out.tolist(), strict=True):
        row = src[: src.index(tc.EOS)]
        assert out[: len(row) + 1] == [*row[::-1], tc.EOS] and len(row) <= trained.LONGEST


def test_of_sequences_said_backwards_whole_ones_and_single_symbols_are_counted(monkeypatch):
    def said(model, src, max_extra):
        rows = [[token for token in row if token > 3][::-1] for row in src.tolist()]
        for row in rows[:model]:
            row[0] = 4 + (row[0] - 3) % 10  # one symbol wrong
        return [tc.Hypothesis([*row, tc.EOS], 0.0, 0.0) for row in rows]

    monkeypatch.setattr(trained.tc, "greedy_decode", said)
    assert trained.reversed_right(0, 4, 10) == (1.0, 1.0)
    assert trained.reversed_right(3, 4, 10) == (0.7, pytest.approx(1 - 3 / 50))


# ─── Alignment ───────────────────────────────────────────────────────────────────────────────────────────────────────


def pair_of(gold) -> Truth:
    """Three source pieces, two target pieces, each a word."""
    return Truth(torch.zeros(1, 4), torch.zeros(1, 3), [0, 1, 2], [0, 1], frozenset(gold))


def test_the_error_of_each_head_is_added_over_sentences_in_both_readings():
    right = torch.tensor([[0.0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]])  # says word 0 from 1, word 1 from 0
    late = right.roll(1, 0)  # the same, one row later
    pairs = [pair_of({(1, 0), (0, 1)}), pair_of({(1, 0), (2, 1)})]
    found = trained.errors(lambda pair: torch.stack([right, late]), pairs)
    assert found["naive"][0] == pytest.approx(1 - 2 * 3 / 8) and found["shifted"][1] == pytest.approx(1 - 2 * 3 / 8)
    assert found["naive"][1] > 0.5 and found["shifted"][0] > 0.5


def test_pieces_of_one_character_in_bytes_have_its_letter_once():
    assert trained.spelled(["▁a", "<0xC3>", "<0xA4>", "b", "<0x59>", "<0xE2>", "<0x82>", "<0xAC>"]) == [
        "▁a", "ä", "", "b", "Y", "€", "", "",
    ]  # fmt: skip


def test_links_between_words_hold_for_pieces_of_a_tokenizer_that_spells_in_bytes(tokenizer):
    sides = (["the", "Zebra", "saw", "a", "dog", "."], ["das", "Zebra", "sah"])
    found = trained.linked(tokenizer, sides, frozenset({(1, 1)}))
    assert "<0x5A>" in tokenizer.pieces(found.src[0].tolist())
    assert sorted(set(found.src_words)) == list(range(6)) and sorted(set(found.tgt_words)) == [0, 1, 2]
    assert len(found.src_words) == found.src.size(1) - 1 and len(found.tgt_words) == found.tgt_in.size(1) - 1


def test_the_diagonal_reads_in_order_and_is_right_where_nothing_moves():
    pair = Truth(torch.zeros(1, 5), torch.zeros(1, 5), [0, 1, 2, 3], [0, 1, 2, 3], frozenset())
    assert trained.diagonal(pair)[0, :4, :4].equal(torch.eye(4))


def test_the_shipped_model_s_alignment_error_is_that_of_the_stored_result():
    if not os.environ.get("TRANSFORMER_DATA"):
        pytest.skip("TRANSFORMER_DATA is not set")
    gold = stored.load(DATA / "recurrence_gold.json")
    translator = tc.load_pretrained("tatoeba-en-de")
    pairs = trained.gold_pairs(translator.tokenizer)
    assert len(pairs) == gold["sentences"] == 50
    found = trained.errors(lambda pair: cross_weights(translator.model, pair.src, pair.tgt_in)[1], pairs)
    assert found["shifted"] == pytest.approx(gold["shifted"][1], abs=0.01)
    assert found["naive"] == pytest.approx(gold["naive"][1], abs=0.01)


# ─── What was found ──────────────────────────────────────────────────────────────────────────────────────────────────


def stored_runs(name: str) -> tuple[dict, dict[str, list[dict]]]:
    found = stored.load(DATA / f"recurrence_{name}.json")
    return found, study.of_kind(found)


@pytest.mark.parametrize("name", ["reverse", "grammar"])
def test_the_stored_runs_are_of_one_size_and_say_what_made_them(name):
    found, kinds = stored_runs(name)
    assert found["command"].startswith("python -m experiments.recurrence") and found["machine"]
    assert {"GRU, one vector", "GRU, additive", "GRU, dot", "Transformer"} <= set(kinds)
    for runs in kinds.values():
        assert all(run["parameters"] == pytest.approx(found["budget"], rel=0.02) for run in runs)


def test_with_one_vector_long_sources_fall_off_and_with_attention_they_do_not():
    _, kinds = stored_runs("reverse")
    for run in kinds["GRU, one vector"] + kinds["LSTM, one vector"]:
        assert run["exact"][3] > 0.9 and run["exact"][19] < 0.2
    for kind in ("GRU, additive", "GRU, dot", "LSTM, additive", "LSTM, dot"):
        assert all(run["exact"][19] > 0.8 for run in kinds[kind])
    _, kinds = stored_runs("grammar")
    short, long = (4, 8), (15, 21)
    for plain, attentive in zip(kinds["GRU, one vector"], kinds["GRU, additive"], strict=True):
        ends = [study.exact_by_length(run, (short, long)) for run in (plain, attentive)]
        assert ends[0][1] < 0.5 * ends[1][1] and ends[0][0] < ends[1][0]


def test_as_notebook_12_says_twenty_symbols_are_as_easy_as_five_to_attention_and_out_of_reach_of_one_vector():
    rows = {row["model"]: row for row in study.said_backwards(stored_runs("reverse")[0], (5, 20))}
    for kind, row in rows.items():
        assert row["5 symbols"] > 0.95
        assert row["20 symbols"] < 0.05 if "vector" in kind else row["20 symbols"] > 0.95


def test_as_notebook_12_says_past_the_longest_of_training_the_transformer_fails_first_and_dot_products_last():
    found = stored_runs("reverse")[0]
    rows = {row["model"]: row for row in study.said_backwards(found, range(found["trained"] + 1, found["tested"] + 1))}
    assert all(rows["Transformer"][n] < 0.2 and rows["GRU, dot"][n] > 0.65 for n in list(rows["GRU, dot"])[1:])
    additive = list(rows["GRU, additive"].values())[1:]
    assert additive[0] > 0.95 and 0.6 < additive[1] < 0.9 and additive[2] < 0.2
    assert additive == sorted(additive, reverse=True)


def test_as_notebook_12_says_long_sentences_cost_one_vector_and_dot_products_much_and_additive_scores_little():
    rows = {row.pop("model"): row for row in study.translated_by_length(stored_runs("grammar")[0], [(4, 8), (15, 21)])}
    kept = {kind: row["15 to 21 words"] / row["4 to 8 words"] for kind, row in rows.items()}
    assert kept["GRU, one vector"] < 0.5 and kept["GRU, dot"] < 0.65
    assert kept["GRU, additive"] > 0.85 and kept["Transformer"] > 0.85
    over_all = {kind: row["unseen, any length"] for kind, row in rows.items()}
    assert over_all["GRU, dot"] < over_all["GRU, one vector"] < over_all["GRU, additive"] - 0.2


def test_on_reversal_the_stored_alignments_are_anti_diagonal_on_the_word_or_right_beside_it():
    _, kinds = stored_runs("reverse")
    for kind in ("GRU, additive", "GRU, dot", "LSTM, additive", "LSTM, dot", "Transformer"):
        for run in kinds[kind]:
            assert run["anti_diagonal"][str(run["offset"])] > 0.8, kind
            assert all(sum(row) == pytest.approx(1, abs=0.02) for row in run["mean_map"])
            assert kind != "GRU, additive" or run["offset"] == 0


def test_a_kind_with_several_runs_is_drawn_as_their_mean_with_a_band():
    one = recurrence.drawn_as("GRU, dot", [1, 2, 3], [[0.0, 0.5, 1.0]])
    two = recurrence.drawn_as("GRU, dot", [1, 2, 3], [[0.0, 0.5, 1.0], [0.5, 0.5, 0.0]])
    assert one.low is None and two.y == [0.25, 0.5, 0.5] and two.low == [0.0, 0.5, 0.0]


def test_each_chart_of_stored_results_can_be_drawn_and_says_that_sizes_are_equal():
    reverse, sentences, speed = (stored_runs(name)[0] for name in ("reverse", "grammar", "speed"))
    charts = recurrence.length_chart(reverse, sentences), recurrence.alignment_chart(sentences)
    for chart in (*charts, recurrence.speed_chart(speed)):
        assert "equal sizes" in chart.shows
        ET.fromstring(chart.picture.text)


def test_what_must_wait_grows_with_length_in_a_recurrent_model_and_not_in_a_transformer():
    found, kinds = stored_runs("speed")
    for kind, (run,) in kinds.items():
        if kind == "Transformer":
            assert len(set(run["chain"])) == 1
        assert kind == "Transformer" or all(b > 1.5 * a for a, b in pairwise(run["chain"])), kind
    assert {kind for kind, (run,) in kinds.items() if run["chain"]} == {kind for kind in kinds if "LSTM" not in kind}
    assert found["lengths"] == sorted(found["lengths"])


def test_as_notebook_12_says_with_length_attention_s_loop_grows_slow_and_one_call_for_all_words_does_not():
    longer = {row["model"]: row["times as long"] for row in study.growth(stored_runs("speed")[0])}
    for kind in ("GRU, additive", "GRU, dot"):
        assert longer[kind] > 2 * longer["Transformer"]
    assert longer["LSTM, one vector"] < 1.2 < 2 < longer["LSTM, dot"] < longer["LSTM, additive"]


def test_as_notebook_12_says_torch_s_lstm_waits_as_ours_does_and_takes_a_third_of_its_time_or_less():
    timed = stored.load(DATA / "complexity_cpu.json")
    ours, torchs = (complexity.timed(timed, name, 256) for name in ("LSTM", "torch.nn.LSTM"))
    assert all(torchs[n] < ours[n] / 3 for n in ours)


def test_the_korean_result_holds_one_sentence_of_ours_its_attribution_and_nothing_else():
    found = stored.load(DATA / "recurrence_korean.json")
    assert "CC BY 2.0" in found["attribution"] and "tatoeba.org" in found["attribution"]
    assert found["source"] == trained.SLIDE and found["seen"] == 0
    for reading in found["readings"].values():
        assert len(reading["weights"]) == len(reading["queries"])
        for row in reading["weights"]:
            assert len(row) == len(reading["keys"]) and sum(row) == pytest.approx(1, abs=0.01)


def test_the_korean_row_that_begins_the_cat_s_name_reads_stray_cat_more_than_an_even_reader():
    made = stored.load(DATA / "recurrence_korean.json")["readings"]["made to say"]
    assert dict(study.rows_on(made, "stray cat"))["▁길"] > 0.5 > 3 / len(made["keys"])


def test_of_the_gold_result_the_best_head_of_each_reading_is_told_with_what_it_was_judged_on():
    gold = stored.load(DATA / "recurrence_gold.json")
    for row in study.best_heads(gold):
        every = [error for layer in gold[row["reading"]] for error in layer]
        assert row["AER"] == min(every) and row["heads better than the diagonal"] == sum(
            error < gold["diagonal"] for error in every
        )
        layer, head = (int(word.split()[1]) for word in row["best head"].split(", "))
        assert gold[row["reading"]][layer][head] == row["AER"]


def test_a_sentence_in_scraps_is_told_from_those_that_the_model_knows():
    additive_one = study.shipped()["additive"]
    assert not any(beyond(additive_one, pair.english) for pair in grammar.sample(100, seed=1, split="test"))
    assert "hardly met some" in beyond(additive_one, "Politicians debate quantum taxes.")
    assert re.fullmatch(r"its word is in \d+ pieces: the model has hardly met it", beyond(additive_one, "Politicians"))


def test_random_sequences_are_those_of_the_positions_task():
    rows = trained.reversals(3, 4, random.Random(0))
    assert all(target == source[::-1] and len(source) == 4 for source, target in rows)


def test_the_grammar_has_one_german_word_for_a_stray_cat():
    pairs = (pair for pair in grammar.sample(3000, split="test") if "stray" in pair.english_tokens)
    for pair in pairs:
        at = pair.english_tokens.index("stray")
        said = {j for i, j in pair.alignment if i in (at, at + 1)}
        assert len(said) == 1 and pair.german_tokens[said.pop()].startswith("Streunerkatze")
