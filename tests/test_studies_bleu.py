"""BLEU taken apart: the numbers of the slides, what counts, and what cannot be scored."""

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
