"""What a parser says and where it reads, brackets that match, Table 4 and its claims."""

import pytest
import torch
from toys_parsing import RUN, parse_of, untrained_parser

import transformer_core as tc
from corpora import treebank
from studies import parsing

# ─── What a parser says ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return untrained_parser()


def test_a_parse_has_a_row_for_each_token_and_a_column_for_each_word_and_rows_sum_to_one(
    translator: tc.Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MAX_EXTRA", 9)
    found = parsing.parse(translator, "The zebra's cat didn't sleep.")
    assert found.words == ["The", "zebra", "'s", "cat", "did", "n't", "sleep", "."]
    assert found.attention.shape == (2, 3, len(found.tokens) + 1, len(found.words) + 1)
    torch.testing.assert_close(found.attention.sum(-1), torch.ones(found.attention.shape[:-1]))
    assert found.tree.words == tuple(found.words)
    src = translator.source([" ".join(found.words)])
    ids = tc.beam_search(translator.model, src, 1, 0.0, 9)[0].ids
    assert found.line.replace(" ", "") == "".join(translator.tgt_tokenizer.decode(ids).split())


def test_pieces_of_a_word_are_one_column_whose_weight_is_their_sum(translator: tc.Translator) -> None:
    ids = translator.source(["cat qqqq dog"])[0].tolist()
    groups = parsing.word_places(translator.tokenizer, ids)
    assert [i for places in groups for i in places] == [*range(len(ids))]
    assert len(groups) == 4 and len(groups[1]) > 1 and groups[-1] == [len(ids) - 1]
    spelled = [translator.tokenizer.decode(ids[i] for i in places) for places in groups[:-1]]
    assert spelled == ["cat", "qqqq", "dog"]


def test_reads_is_the_share_of_words_at_which_a_head_looks_when_it_places_them() -> None:
    attention = torch.zeros(1, 2, 4, 3)  # (S XX XX )S and the end, over two words and the end
    attention[0, 0, [1, 2], [0, 1]] = 1.0  # this head reads the word it places
    attention[0, 1, [1, 2], [1, 1]] = 1.0  # this one the second word, always
    parse = parse_of("(S XX XX", attention, ["a", "b"])
    assert parsing.reads(parse).tolist() == [[1.0, 0.5]]
    assert parsing.reads(parse, shift=1).tolist() == [[0.0, 0.5]]
    with pytest.raises(ValueError, match="places no word"):
        parsing.reads(parse_of("(S )S", attention, ["a", "b"]))


# ─── Scores ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_hand_cases_score_as_facts_say() -> None:
    figures = {}
    for pair in parsing.HAND_CASES:
        gold = treebank.parse(pair.gold)
        figures[pair.name] = treebank.score([gold], [parsing.predicted_tree(pair.predicted, gold)]).of()
    assert [tuple(round(figure, 4) for figure in row) for row in figures.values()] == [
        (50.0, 50.0, 50.0), (100.0, 100.0, 100.0), (100.0, 50.0, 66.6667),
    ]  # fmt: skip


def test_matches_of_a_bracket_that_stands_there_twice_are_counted_once_each() -> None:
    twice, once = treebank.parse(parsing.TWICE), treebank.parse("(NP (DT the) (NN cat))")
    assert (parsing.matched_brackets(twice, once), parsing.matched_brackets(once, twice)) == ([True, False], [True])
    assert parsing.matched_brackets(treebank.parse("(TOP (S (NN a)) (X (. .)))"), twice) == [None, False, None]


# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


PRINTED = """
Vinyals & Kaiser et al. (2014) | WSJ only, discriminative | 88.3
Petrov et al. (2006)           | WSJ only, discriminative | 90.4
Zhu et al. (2013)              | WSJ only, discriminative | 90.4
Dyer et al. (2016)             | WSJ only, discriminative | 91.7
Transformer (4 layers)         | WSJ only, discriminative | 91.3
Zhu et al. (2013)              | semi-supervised          | 91.3
Huang & Harper (2009)          | semi-supervised          | 91.3
McClosky et al. (2006)         | semi-supervised          | 92.1
Vinyals & Kaiser et al. (2014) | semi-supervised          | 92.1
Transformer (4 layers)         | semi-supervised          | 92.7
Luong et al. (2015)            | multi-task               | 93.0
Dyer et al. (2016)             | generative               | 93.3
"""


def test_table_4_has_its_twelve_rows_exactly_as_printed() -> None:
    rows = [[cell.strip() for cell in line.split("|")] for line in PRINTED.strip().splitlines()]
    assert [list(row) for row in parsing.TABLE_4] == rows
    assert [list(row.values()) for row in parsing.table_4_rows()] == rows and len(rows) == 12


def test_the_claim_all_but_rnng_holds_on_the_wsj_and_not_in_the_whole_table() -> None:
    found = parsing.claims()
    assert [claim.holds for claim in found] == [True, True, True, False]
    assert [claim.arithmetic for claim in found[:2]] == ["91.3 − 88.3 = 3.0", "91.3 − 90.4 = 0.9"]
    assert [row.parser for row in found[3].against] == ["Luong et al. (2015)"]
    without = parsing.claims([row for row in parsing.TABLE_4 if row.training != parsing.MULTI])
    assert without[3].holds  # the claim turns with the rows
    with pytest.raises(ValueError, match="pass all of TABLE_4"):
        parsing.claims(parsing.TABLE_4[:3])


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────


def test_stored_scores_are_told_with_their_treebank_search_and_share_of_malformed_lines() -> None:
    (size,) = parsing.sizes_rows({"ptb": RUN})
    assert (round(size["million parameters"], 2), size["trees to learn from"], size["steps"]) == (1.23, 3000, 50)
    (row,) = parsing.results_rows({"ptb": RUN})
    assert [*row.values()] == ["ptb", "ptb_sample, valid", 200, "beam 21", 71.234, 70.5, 1.5, 0]
    twice = RUN | dict(scores=[RUN["scores"][0] | dict(also_in_train=7)])
    assert parsing.results_rows({"ptb": twice})[0]["trained on, too"] == 7
    with pytest.raises(ValueError, match="no result"):
        parsing.sizes_rows({})


# ─── Shapes, and silence ─────────────────────────────────────────────────────────────────────────────────────────────


def test_brackets_of_each_sentence_add_up_to_the_f1_of_all() -> None:
    golds = [treebank.parse(pair.gold) for pair in parsing.HAND_CASES]
    lines = [pair.predicted for pair in parsing.HAND_CASES]
    counts = parsing.bracket_counts(golds, lines, keep_tags=False)
    assert parsing.f1_of(counts) == pytest.approx(treebank.report(golds, lines).repaired.f1)
    assert [parsing.f1_of([count]) for count in counts] == [
        pytest.approx(treebank.report([gold], [line]).repaired.f1) for gold, line in zip(golds, lines, strict=True)
    ]


def test_trees_of_like_length_are_taken_in_their_order_and_never_twice() -> None:
    short, long = (treebank.parse(pair.gold) for pair in (parsing.HAND_CASES[2], parsing.HAND_CASES[0]))
    other = treebank.parse("(NP (DT a) (NN dog))")
    assert [len(tree.words) for tree in (short, other, long)] == [2, 2, 5]
    assert parsing.of_like_length([short, short], [other, long, short]) == [other, short]
    assert parsing.of_like_length([short, long, long], [long, other]) == [other, long]


@pytest.mark.parametrize("width", [1, 3, 6])
def test_what_ended_in_a_search_holds_the_core_s_choice_of_every_smaller_alpha(width: int) -> None:
    translator = untrained_parser()
    for text in ("The cat sat .", "A dog", "the old man saw the dog"):
        src = translator.source([text])
        ended = parsing.endings(translator.model, src, width, 1.5, max_extra=7)
        for alpha in (0.0, 0.6, 1.5):
            core = tc.beam_search(translator.model, src, width, alpha, 7)[0]
            ours = parsing.chosen(ended, alpha)
            assert (ours.ids, ours.log_prob) == (core.ids, pytest.approx(core.log_prob, abs=1e-4))


def test_the_empty_line_is_chosen_only_where_it_may_be_and_below_the_alpha_at_which_it_is_overtaken() -> None:
    nothing, line = tc.Hypothesis([tc.EOS], -6.9, -6.9), tc.Hypothesis([5, 6, 7, 8, tc.EOS], -8.0, 0.0)
    overtaken = parsing.break_even(line.log_prob, len(line.ids), nothing.log_prob)
    assert parsing.chosen([line, nothing], overtaken - 0.01) is nothing
    assert parsing.chosen([line, nothing], overtaken + 0.01) is line
    assert parsing.chosen([line, nothing], 0.0, may_be_empty=False) is line
    assert parsing.chosen([nothing], 0.0, may_be_empty=False) is nothing
