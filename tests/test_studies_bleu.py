"""BLEU taken apart: the numbers of the slides, what counts, and what cannot be scored."""

import random

import pytest

from corpora import grammar
from studies import bleu

# ─── The numbers of the slides ───────────────────────────────────────────────────────────────────────────────────────


def test_the_slides_example_is_25_4003_and_22_89_where_one_word_is_split():
    found, split = (bleu.score(text, bleu.REFERENCE, tokenize="none") for text in (bleu.HYPOTHESIS, bleu.SPLIT))
    assert (found.counts, found.totals, found.bp) == ([10, 5, 2, 1], [14, 13, 12, 11], 1)
    assert f"{found.score:.4f}" == "25.4003"
    assert split.sys_len == 15 and f"{split.score:.2f}" == "22.89"


def test_its_matching_n_grams_stand_where_the_slides_have_them():
    words, reference = bleu.HYPOTHESIS.split(), bleu.REFERENCE.split()
    places = {n: [place + 1 for place in bleu.clipped_matches(words, reference, n)] for n in (2, 3, 4)}
    assert places == {2: [1, 6, 7, 8, 13], 3: [6, 7], 4: [6]}


def test_seven_times_the_count_as_two_of_seven():
    found = bleu.score("the " * 7, "the cat is on the mat")
    assert (found.counts[0], found.totals[0]) == (2, 7)


def test_what_counts_is_as_many_as_sacrebleu_counts():
    for pair in grammar.sample(40, seed=1, difficulty=2):
        words = pair.german.split()
        moved = words[len(words) // 2 :] + words[: len(words) // 2] + words[:3]
        counts = bleu.score(" ".join(moved), pair.german, tokenize="none", smooth="none").counts
        assert [len(bleu.clipped_matches(moved, words, n)) for n in (1, 2, 3, 4)] == counts


def test_the_printed_factor_is_milder_than_the_standard_one_wherever_the_hypothesis_is_short():
    factors = [(bleu.brevity_factor(c, 14, "printed"), bleu.brevity_factor(c, 14)) for c in range(15)]
    assert all(printed > standard for printed, standard in factors[1:14])
    assert factors[0] == (0, 0) and factors[14] == (1, 1)
    assert [f"{factor:.6f}" for factor in factors[12]] == ["0.857143", "0.846482"]


@pytest.mark.parametrize(
    ("c", "mean", "printed", "standard"), [(12, 0.270920, 23.2217, 22.9329), (10, 0.324668, 23.1906, 21.7631)]
)
def test_a_shorter_hypothesis_scores_as_the_facts_have_it_by_either_factor(c, mean, printed, standard):
    found = bleu.score(" ".join(bleu.HYPOTHESIS.split()[:c]), bleu.REFERENCE, tokenize="none")
    assert bleu.geometric_mean(found.precisions) == pytest.approx(100 * mean, abs=5e-5)
    assert bleu.geometric_mean(found.precisions) * bleu.brevity_factor(c, 14, "printed") == pytest.approx(
        printed, abs=5e-5
    )
    assert found.score == pytest.approx(standard, abs=5e-5)


def test_compounds_are_split_at_hyphens_between_two_characters_only():
    assert bleu.compounds_split("a-b - -c d- EU-Rat") == "a ##AT##-##AT## b - -c d- EU ##AT##-##AT## Rat"


def test_what_cannot_be_scored_is_refused_in_one_sentence():
    for call, said in [
        (lambda: bleu.score(["a"], "a"), "hypothesis is a list; pass one sentence as a string"),
        (lambda: bleu.score("a", "a", tokenize="words"), "tokenize is 'words' and smooth 'exp'; sacreBLEU knows"),
        (lambda: bleu.metric(smooth="much"), "smoothings none, floor, add-k, exp"),
        (lambda: bleu.ngrams(["a"], 0), "n is 0"),
        (lambda: bleu.brevity_factor(1, 2, "mild"), 'brevity is \'mild\'; choose "standard" or "printed"'),
        (lambda: bleu.brevity_factor(-1, 2), "lengths are 0 or more"),
        (lambda: bleu.geometric_mean([]), "give one or more"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()


# ─── Two systems, one test set ───────────────────────────────────────────────────────────────────────────────────────

LINES = ["the cat is on the mat", "a dog sleeps here now", "two birds sing in a tree", "nobody knows the old man"]
OTHERS = ["the cat is on a mat", "a dog is here", "birds sing in a tree", "nobody knows an old man"]
REFERENCES = [
    "the cat sat on the mat",
    "a dog sleeps here now",
    "two birds sing in the tree",
    "nobody knew the old man",
]


def test_sentences_added_up_have_sacrebleu_s_score_of_the_corpus():
    total = bleu.summed(bleu.sentence_counts(LINES, REFERENCES))
    corpus = bleu.metric().corpus_score(LINES, [REFERENCES])
    assert (total.score, total.bp, total.sys_len, total.ref_len) == pytest.approx(
        (corpus.score, corpus.bp, corpus.sys_len, corpus.ref_len)
    )


def test_resampled_differences_are_zero_of_a_system_from_itself_and_change_sign_when_the_systems_are_exchanged():
    ours, theirs = (bleu.sentence_counts(lines, REFERENCES) for lines in (LINES, OTHERS))
    assert bleu.resampled_differences(ours, ours, 20) == [0] * 20
    there, back = bleu.resampled_differences(ours, theirs, 200), bleu.resampled_differences(theirs, ours, 200)
    assert there == [-difference for difference in back] and len(set(there)) > 10
    whole = bleu.summed(ours).score - bleu.summed(theirs).score
    assert min(there) < whole < max(there)


def test_every_resampled_test_set_is_scored_as_sacrebleu_scores_it():
    ours, theirs = (bleu.sentence_counts(lines, REFERENCES) for lines in (LINES, OTHERS))
    rows = random.Random(3).choices(range(4), k=4)
    scores = [
        bleu.metric().corpus_score([lines[row] for row in rows], [[REFERENCES[row] for row in rows]]).score
        for lines in (LINES, OTHERS)
    ]
    assert bleu.resampled_differences(ours, theirs, 1, seed=3) == [pytest.approx(scores[0] - scores[1])]


def test_systems_of_other_sentences_are_not_compared():
    ours = bleu.sentence_counts(LINES, REFERENCES)
    with pytest.raises(ValueError, match="4 and 3 sentences"):
        bleu.resampled_differences(ours, ours[:3])
    with pytest.raises(ValueError, match="2 lines and 4 references"):
        bleu.sentence_counts(LINES[:2], REFERENCES)


def test_greedy_search_has_no_difference_from_itself_and_no_alpha_to_choose():
    about = dict(bleu=44.14, length_ratio=0.998, brevity_penalty=0.998)
    searches = [
        about | {"width": 1, "alpha": 0.0, "other than greedy": 0},
        about
        | {
            "width": 2,
            "alpha": 0.6,
            "other than greedy": 84,
            "minus greedy": [0.974, -0.252, 2.447],
            "minus paper": [-0.1, -1.0, 0.7],
        },
    ]
    greedy, wider = (list(row.values()) for row in bleu.search_rows(dict(searches=searches)))
    assert greedy[:2] == [1, "any"] and greedy[-3:] == [0, "", ""]
    assert wider[:2] == [2, 0.6] and wider[-2:] == ["+0.97 (−0.25 to +2.45)", "−0.10 (−1.00 to +0.70)"]
