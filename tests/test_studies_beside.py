"""Two readings side by side: partners are a longest common subsequence, and a difference is of partners alone."""

import difflib
import math

import pytest
import torch
import toys

import transformer_core as tc
from studies import beside
from studies.attention import without_heads
from studies.reading import read

pytestmark = pytest.mark.usefixtures("one_thread")
HEADS = [["cross", 0, 1], ["encoder", 1, 0], ["cross", 1, 0]]


@pytest.fixture(scope="module")
def translator(tokenizer) -> tc.Translator:
    torch.manual_seed(6)
    shape = tc.TransformerConfig(len(tokenizer), **toys.TOY | {"n_layers": 2})
    return toys.ending(tc.Translator(tc.Transformer(shape), tokenizer))


def test_every_token_keeps_its_order_and_partners_are_alike():
    first, second = list("the cat sat on a mat"), list("a cat was seated on that mat")
    axis = beside.aligned(first, second)
    assert [i for i, _ in axis if i is not None] == [*range(len(first))]
    assert [j for _, j in axis if j is not None] == [*range(len(second))]
    pairs = [(i, j) for i, j in axis if i is not None and j is not None]
    assert all(first[i] == second[j] for i, j in pairs)
    blocks = difflib.SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert len(pairs) >= sum(block.size for block in blocks)  # which takes long runs first, and so may miss some


def test_an_inserted_token_has_no_partner_and_shifts_those_that_follow():
    assert beside.aligned(["a", "b", "."], ["a", "x", "b", "."]) == [[0, 0], [None, 1], [1, 2], [2, 3]]
    assert beside.aligned([], ["a"]) == [[None, 0]] and beside.aligned(["a"], ["b"]) == [[0, None], [None, 0]]


def test_a_difference_is_the_second_less_the_first_where_both_tokens_have_partners():
    first, second = torch.rand(2, 3, 2, 3), torch.rand(2, 3, 3, 4)
    rows, columns = [[0, 0], [None, 1], [1, 2]], [[0, 1], [1, None], [2, 3], [None, 0], [None, 2]]
    gap = beside.difference(first, second, rows, columns)
    assert gap.shape == (2, 3, 3, 5)
    for r, (i, k) in enumerate(rows):
        for c, (j, n) in enumerate(columns):
            if None in (i, j, k, n):
                assert gap[..., r, c].isnan().all()
            else:
                assert gap[..., r, c].equal(second[..., k, n] - first[..., i, j])


def test_a_map_differs_from_itself_nowhere_and_the_head_that_was_changed_is_found():
    weights = torch.rand(2, 3, 4, 5).softmax(-1)
    rows, columns = ([[n, n] for n in range(count)] for count in (4, 5))
    assert not beside.difference(weights, weights, rows, columns).any()
    other = weights.clone()
    other[1, 2] = other[1, 2].flip(-1)
    assert beside.most_different(weights, other, rows, columns) == (1, 2)


def test_a_reading_without_heads_is_that_of_the_model_without_them_and_leaves_the_model_whole(translator):
    whole = read(translator, "ant bee cat")
    less = beside.read_without(translator, "ant bee cat", HEADS)
    expected = without_heads(whole, HEADS)
    assert less.translation == expected["translation"]
    then = beside.in_the_second(whole, less, HEADS)
    changed = [a + b for a, b in zip(expected["log_prob"], expected["delta"], strict=True)]
    assert then == pytest.approx(changed, abs=1e-4)
    assert read(translator, "ant bee cat").ids == whole.ids


def test_a_translation_in_the_same_sentence_and_model_is_as_likely_as_it_was(translator):
    reading = beside.read_without(translator, "ant bee")
    assert beside.in_the_second(reading, reading) == pytest.approx(reading.log_prob.tolist(), abs=1e-4)


def test_a_model_with_other_words_is_given_the_translation_in_its_own(translator):
    words = tc.Tokenizer.train(toys.sentences(30, seed=2), 275)
    torch.manual_seed(7)
    shape = tc.TransformerConfig(len(words), **toys.TOY | {"n_layers": 2})
    other = toys.ending(tc.Translator(tc.Transformer(shape), words))
    first, second = beside.read_without(translator, "ant bee"), beside.read_without(other, "ant bee")
    then = beside.in_the_second(first, second)
    assert len(then) == len(words.encode(first.translation)) + 1 and all(math.isfinite(value) for value in then)
