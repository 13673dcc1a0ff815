"""What notebook 10 says of trees as tokens, of the shipped parser, and of the parsers whose scores are stored."""

from collections import Counter
from pathlib import Path

import pytest

import transformer_core as tc
from corpora import grammar, treebank
from studies import parsing, stored

JOHN = treebank.parse("(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))")
LOW = "(S (NP XX )NP (VP XX (NP (NP XX XX )NP (PP XX (NP XX XX )NP )PP )NP )VP XX )S"
TELESCOPE = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (DT the) (NN telescope)))) (. .))"
BROKEN = [
    "(S (NP XX XX XX )NP (VP XX (NP XX XX )NP XX",
    "(S (NP XX XX XX )VP (VP XX (NP XX XX )NP )VP XX )S",
    "XX XX XX )NP (VP XX (NP XX XX )NP )VP XX )S",
    "(S (NP XX XX )NP (VP XX (NP XX XX )NP )VP XX )S",
    "(S (NP XX XX XX )NP (VP XX (NP XX XX XX XX )NP )VP XX )S",
    "(S (NP XX XX XX )NP (ADVP )ADVP (VP XX (NP XX XX )NP )VP XX )S",
    "(NP XX XX XX )NP (VP XX (NP XX XX )NP )VP XX",
    "(S (NP XX XX XX )NP cat (VP XX (NP XX XX )NP )VP XX )S",
    "",
]


@pytest.fixture(scope="module")
def trees() -> list[treebank.Tree]:
    return [treebank.parse(pair.tree) for pair in grammar.sample(2000, seed=10)]


# ─── Trees as tokens ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_typed_words_are_cut_as_a_treebank_cuts_them():
    assert treebank.words("She cannot.") == ["She", "can", "not", "."]
    assert treebank.words("It isn't (yet)") == ["It", "is", "n't", "-LRB-", "yet", "-RRB-"]


def test_a_line_has_a_token_for_each_word_and_two_for_each_constituent_and_gives_its_tree_back(trees):
    assert len(treebank.linearise(JOHN).split()) == len(JOHN.words) + 2 * len(JOHN.brackets) == 13
    for tree in trees:
        line = treebank.linearise(tree)
        assert len(line.split()) == len(tree.words) + 2 * len(tree.brackets)
        assert treebank.with_gold_tags(treebank.delinearise(line, tree.words), tree) == tree


def test_no_tree_of_the_grammar_is_longer_than_its_sentence_by_more_than_the_limit(trees):
    assert max(2 * len(tree.brackets) for tree in trees) <= parsing.MAX_EXTRA == 300


def test_a_clean_tree_has_no_traces():
    raw = "( (S (NP-SBJ-1 (NNP John)) (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1)) (NP-TMP (RB today)))) (. .)))"
    assert "-NONE-" not in str(treebank.clean(treebank.parse(raw)))


def test_the_broken_lines_of_the_notebook_need_each_step_of_repair_and_a_whole_one_none():
    words = ["The", "old", "man", "saw", "the", "dog", "."]
    counts = sum((Counter(treebank.repair(line, words)[1]) for line in BROKEN), Counter())
    assert set(+counts) == set(treebank.STEPS)
    assert treebank.repair(treebank.linearise(JOHN), JOHN.words)[0].brackets == JOHN.brackets


@pytest.mark.parametrize("pair", [*parsing.HAND_CASES, parsing.Pair("telescope", TELESCOPE, LOW)], ids=lambda p: p.name)
def test_f1_is_twice_the_matched_over_predicted_and_gold(pair):
    gold = treebank.parse(pair.gold)
    total = treebank.score([gold], [parsing.predicted_tree(pair.predicted, gold)])
    matched, predicted, wanted = (counts.total() for counts in (total.matched, total.predicted, total.gold))
    assert total.f1 == 200 * matched / (predicted + wanted) and not total.errors


def test_without_the_gold_tags_a_right_tree_is_an_error_that_counts_nothing():
    gold = treebank.parse(parsing.CAT)
    without_tags = treebank.delinearise(treebank.linearise(gold), gold.words)
    alone = treebank.score([gold], [without_tags])
    assert (alone.errors, alone.gold.total()) == (1, 0)
    assert treebank.score([gold], [treebank.with_gold_tags(without_tags, gold)]).f1 == 100


# ─── The shipped parser, and the stored scores ───────────────────────────────────────────────────────────────────────


def test_over_a_hundred_unseen_sentences_recall_can_only_fall_where_malformed_lines_count_as_no_tree():
    parser = tc.load_pretrained("parser")
    golds = [treebank.parse(pair.tree) for pair in grammar.sample(100, seed=31, split="test")]
    lines = parser.translate([" ".join(gold.words) for gold in golds], beam_size=1, alpha=0.0, max_extra=300)
    report = treebank.report(golds, lines, keep_tags=True)
    assert not report.repaired.errors and report.repaired.of()[1] >= report.strict.of()[1]
    assert report.repaired.f1 > 95


def test_most_shapes_of_unseen_sentences_stand_among_two_thousand_others(trees):
    shapes = {treebank.linearise(tree) for tree in trees}
    golds = [treebank.parse(pair.tree) for pair in grammar.sample(100, seed=31, split="test")]
    assert sum(treebank.linearise(gold) in shapes for gold in golds) > 70


def test_stored_scores_have_no_errors_and_repair_never_lowers_recall():
    found = stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "parsing.json")
    scores = [score for run in found.values() for score in run["scores"]]
    assert not any(score["errors"] for score in scores)
    assert all(score["repaired"]["recall"] >= score["strict"]["recall"] for score in scores)
    silent = [row for row in parsing.results_rows(found) if row["said nothing"] > row["n"] / 4]
    assert [(row["parser"], row["search"]) for row in silent] == [("craft", "beam 21")]


def test_the_preset_parser_is_the_paper_s_with_eight_heads_of_128():
    config = tc.TransformerConfig(16_000, tgt_vocab_size=200, **tc.PRESETS["parser"])
    assert (config.n_layers, config.d_model, config.d_ff, config.n_heads, config.d_k) == (4, 1024, 2048, 8, 128)


# ─── Where the shipped parser ends ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def limits() -> dict:
    return stored.load(Path(__file__).parent.parent / "notebooks" / "data" / "parser_limits.json")


def test_known_shapes_are_all_right_whatever_their_length_and_new_ones_are_not(limits):
    known, new, as_long = limits["shapes"]["groups"]
    assert known["exact"] == as_long["exact"] == 100 and abs(as_long["words"] - new["words"]) < 0.1
    assert new["words"] > known["words"] + 2
    mean, low, high = new["f1"]
    assert 94 < low < mean < high < 99 and 90 < new["exact"] < 95


def test_nothing_is_likelier_than_a_long_line_and_alpha_0_3_is_just_too_low(limits):
    silent = limits["silence"]["quarters"]
    assert silent["lines_likelier"] == 0 and silent["sentences"] == 25
    assert min(silent["log_prob_of_nothing"]) > max(silent["log_prob_of_line"]) + 10
    assert 0.3 < silent["break_even"][0] < silent["break_even"][2] < 0.5


def test_only_a_wide_beam_with_a_low_alpha_is_silent_and_then_worse(limits):
    rows = {(row["width"], row["alpha"], row["may_be_empty"]): row for row in limits["silence"]["searches"]}
    silent = {search for search, row in rows.items() if row["silent"]}
    assert silent == {(21, 0.0, True), (21, 0.3, True)}
    fair = [row for (width, alpha, _), row in rows.items() if width == 4 or (width == 21 and alpha >= 0.6)]
    assert len(fair) == 5 and all(row["minus_greedy"][1] > 0 for row in fair)
    held_back = rows[21, 0.3, False]  # the empty line is forbidden, and no more
    assert held_back["minus_greedy"][1] < 0 < held_back["minus_greedy"][0]
    assert held_back["tokens"] < limits["silence"]["gold_tokens"] - 5
    assert rows[21, 0.3, True]["minus_greedy"][0] < 0
    assert rows[21, 0.0, True]["minus_greedy"][2] < 0
