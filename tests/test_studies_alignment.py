"""Alignment: what a head claims is held against gold links, in the two readings of a row."""

import math

import pytest
import torch

import transformer_core as tc
from corpora import grammar
from studies import alignment
from studies.attention import entropy
from studies.text import words_of
from studies.training import Lessons

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so
SMALL = dict(n_layers=2, d_model=32, d_ff=48, n_heads=3, d_k=8, d_v=5)


@pytest.fixture(scope="module")
def pairs() -> list:
    return grammar.sample(400, difficulty=1)


@pytest.fixture(scope="module")
def lessons(pairs) -> Lessons:
    return Lessons([(pair.english, pair.german) for pair in pairs[20:]], texts(pairs[:20]), 900, 200)


def texts(pairs) -> list[tuple[str, str]]:
    return [(pair.english, pair.german) for pair in pairs]


def test_pieces_belong_to_the_word_whose_letters_they_hold(lessons, pairs):
    for pair in pairs[:50]:
        pieces = lessons.tokenizer.pieces(lessons.tokenizer.encode(pair.german))
        places = words_of(pieces, pair.german_tokens)
        spelled = ["".join(p.replace("▁", "") for p, at in zip(pieces, places, strict=True) if at == n)
                   for n in range(len(pair.german_tokens))]  # fmt: skip
        assert spelled == list(pair.german_tokens)


def test_pieces_of_another_sentence_are_refused():
    with pytest.raises(ValueError, match=r"'Thefo'.*'Thefox'"):
        words_of(["▁The", "▁fo"], ["The", "fox"])


def test_entropy_is_ln_n_for_even_rows_and_0_for_sharp_ones():
    assert entropy(torch.full((2, 5), 0.2)).tolist() == pytest.approx([math.log(5)] * 2)
    assert entropy(torch.eye(3)).tolist() == [0, 0, 0]


TRUTH = alignment.Truth(
    torch.empty(0), torch.empty(0), src_words=[0, 0, 1], tgt_words=[0, 1, 1], gold=frozenset({(0, 1), (1, 0)})
)


def test_a_perfect_map_has_aer_0_in_its_own_reading_only():
    naive = torch.zeros(4, 4)
    naive[0, 2] = naive[1, 0] = naive[2, 1] = naive[3, 2] = 1  # row n says piece n
    for weights, right, wrong in ((naive, False, True), (naive.roll(1, 0), True, False)):
        assert alignment.alignment_error(alignment.links(weights, TRUTH, right), TRUTH.gold) == (4, 4)
        found = alignment.alignment_error(alignment.links(weights, TRUTH, wrong), TRUTH.gold)
        assert found[0] < found[1]


def test_the_end_of_the_source_is_no_word_even_if_it_is_read_most():
    weights = torch.zeros(4, 4)
    weights[:, 3], weights[:, 0] = 0.9, 0.1
    assert alignment.links(weights, TRUTH, False) == {(0, 0), (0, 1)}


def test_readings_of_a_head_made_to_look_at_the_truth(lessons, pairs):
    pair = alignment.truth(lessons.tokenizer, pairs[0])
    model = lessons.model(**SMALL)
    gold = torch.full((len(pair.tgt_words) + 1, pair.src.size(1)), -50.0)
    for row, word in enumerate(pair.tgt_words):
        columns = [col for col, source in enumerate(pair.src_words) if (source, word) in pair.gold]
        gold[row, columns] = 50.0
    with tc.intervene(model, "decoder.1.cross_attention.scores", lambda scores: gold.expand_as(scores)):
        found = alignment.head_alignments(model, [pair])
    assert found["naive"].shape == (2, 3) and found["naive"][1].max() < 0.25 < found["naive"][0].min()
    assert found["entropy"][1].max() < found["entropy"][0].min()


def test_it_locks_on_where_the_error_stays_below_and_not_where_it_dips():
    assert alignment.locked_on([0, 5, 10, 15], [0.9, 0.4, 0.6, 0.3]) == 15
    assert alignment.locked_on([0, 5], [0.9, 0.9]) is None and alignment.locked_on([3, 5], [0.1, 0.2]) == 3
    with pytest.raises(ValueError, match="2 steps and 1 errors"):
        alignment.locked_on([1, 2], [0.5])


def test_no_map_has_less_than_the_least_error_and_some_map_reaches_it():
    links = [(0, 1), (1, 0), (1, 2)]  # three words of the target: the second has two pieces, the third none of its own
    pair = alignment.Truth(torch.empty(0), torch.empty(0), [0, 0, 1], [0, 1, 1, 2, 3], frozenset(links))
    errors = []
    for columns in torch.cartesian_prod(*[torch.arange(3)] * 5).tolist():
        weights = torch.eye(3)[[*columns, 2]]
        right, both = alignment.alignment_error(alignment.links(weights, pair, shifted=False), pair.gold)
        errors.append(1 - right / both)
    assert min(errors) == pytest.approx(alignment.least_error([pair]))


def test_a_word_for_word_translation_is_aligned_by_the_plain_diagonal_and_a_reversed_one_is_not():
    words, ids = [0, 1, 2, 3], torch.empty(0)
    straight = alignment.Truth(ids, ids, words, words, frozenset((i, i) for i in words))
    reversed_ = alignment.Truth(ids, ids, words, words, frozenset((i, 3 - i) for i in words))
    assert alignment.diagonal_error([straight]) == 0
    assert alignment.diagonal_error([reversed_]) == 1
    assert alignment.least_error([straight, reversed_]) == 0


# ─── Several runs ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_is_half_way_where_it_stays_on_the_far_side_of_the_middle_whichever_way_it_goes():
    steps, falling = [0, 10, 20, 30, 40], [0.9, 0.4, 0.7, 0.5, 0.3]
    assert alignment.half_way(steps, falling) == 30  # it dips at 10 and comes back
    assert alignment.half_way(steps, [-error for error in falling]) == 30
    assert alignment.half_way(steps, [0.0, 1.0, 60.0, 80.0, 90.0]) == 20


def test_every_run_has_its_own_row_and_so_has_each_of_its_averages():
    last, mean = dict(nll=0.21, bleu=93.0, right=0.8), dict(nll=0.15, bleu=95.0, right=0.9)
    run = dict(
        layer=2, head=1, steps=[0, 50, 100], aer=[0.9, 0.7, 0.3], entropy=[2.2, 2.0, 0.5], nll=[9.0, 4.0, 0.1],
        bleu=[0.0, 60.0, 99.0], naive=[0.8, 0.3], shifted=[0.8, 0.8],
        averaged={"500": dict(last=last, mean=mean), "1100": dict(last=mean, mean=mean)},
    )  # fmt: skip
    result = dict(
        runs=[run | dict(seed=0), run | dict(seed=1, bleu=[0.0, 2.0, 99.0])], means_of={"500": [], "1100": []}
    )
    rows = alignment.forming_rows(result)
    assert [row["half of the fall of AER, step"] for row in rows] == [100, 100]
    assert [row["half of BLEU's rise, step"] for row in rows] == [50, 100]
    averages = [(row["run"], row["step"], row["BLEU, mean of 5"]) for row in alignment.averaged_rows(result)]
    assert averages == [(1, 500, 95.0), (2, 500, 95.0), (1, 1100, 95.0), (2, 1100, 95.0)]
