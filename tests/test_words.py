"""Whole words as a vocabulary: each is one piece, known or not, and what was seen comes back."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer_core as tc
from core_options import words

TREES = ["(S (NP XX XX )NP (VP XX )VP )S", "(S (VP XX (NP XX )NP )VP XX )S"]


def test_few_words_can_be_a_piece_each_and_lose_nothing_that_was_seen():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tokenizer = words.train(TREES, 200)
    assert len(tokenizer) == 4 + 7
    for tree in TREES:
        assert tokenizer.pieces(tokenizer.encode(tree)) == [f"▁{word}" for word in tree.split()]
        assert tokenizer.decode(tokenizer.encode(tree)) == tree
    unseen = tokenizer.encode("(S (ADVP (SBAR a▁b XX <unk>")
    assert [i == tc.UNK for i in unseen] == [False, True, True, True, False, True]  # one piece each all the same


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"], exclude_characters="<▁"), min_size=1)))
def test_whatever_the_words_each_is_a_piece(drawn):
    text = tc.clean(" ".join(["x", *drawn]))
    tokenizer = words.train([text], 200)
    assert len(tokenizer) == 4 + len({*text.split()})
    assert tokenizer.decode(tokenizer.encode(text)) == text and tc.UNK not in tokenizer.encode(text)


@pytest.mark.filterwarnings("ignore:The text gives")
@pytest.mark.parametrize("more", ["a <s> b </s>", "a ▁ b ▁c", " ".join(f"w{i}" for i in range(290))], ids=ascii)
def test_words_too_strange_or_too_many_are_cut_as_ever(more):
    texts = [*TREES, more]
    whole = words.train(texts, 290)
    assert whole.model == tc.Tokenizer.train(texts, 290).model
    assert all(whole.decode(whole.encode(text)) == text for text in texts)


def test_a_file_of_either_kind_is_loaded_as_what_it_is(tmp_path):
    for tokenizer in (words.train(TREES, 200), tc.Tokenizer.train(TREES * 3, 275)):
        (tmp_path / "tokenizer.model").write_bytes(tokenizer.model)
        loaded = words.load(tmp_path / "tokenizer.model")
        assert type(loaded) is type(tokenizer)
        assert loaded.encode("(S unseen words") == tokenizer.encode("(S unseen words")


def test_the_core_reads_and_decodes_words_and_encodes_those_seen(tmp_path):
    tokenizer = words.train(TREES, 200)
    plain = tc.Tokenizer(tokenizer.model)
    for tree in TREES:
        assert plain.encode(tree) == tokenizer.encode(tree) and plain.decode(plain.encode(tree)) == tree
