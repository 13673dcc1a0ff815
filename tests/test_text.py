"""Text: nothing is lost in sub-words, every pair is read once an epoch, and files are read as they are."""

import gzip
import io
import math
import random
import warnings
from pathlib import Path

import pytest
import sentencepiece
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer_core as tc

SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]
STRANGE = [
    "", " ", "  two  spaces ", "\ttab\tand\n", "\r\n", "a\u2028b\u2029c\x85d", "\x00", "\x01\x1b\x7f", "\ufeffx\u200b",
    "😀👩\u200d👧", "고양이가 본다", "e\u0301 é ﬁ Ⅷ", "\U0010ffff\ue000\ufffd", " ⁇ ", "▁", "a▁b ▁", "▁\U0010ffff",
    "<s>", "</s>", "<unk>", "<pad>", "<s> the cat </s>", "<0xE2>", "<script>alert(1)</script>", "<b>bold</b>",
]  # fmt: skip


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.Tokenizer.train(SENTENCES * 3, 300)


# ─── Tokenizer ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", STRANGE, ids=ascii)
def test_no_text_is_lost(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(max_size=20))
def test_no_text_is_lost_however_random(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.parametrize("text", [*SENTENCES, *STRANGE], ids=ascii)
def test_text_never_becomes_a_special_id(tokenizer, text):
    assert all(3 < i < len(tokenizer) for i in tokenizer.encode(text))


def test_the_special_pieces_have_ids_0_to_3_and_vanish_in_text(tokenizer):
    assert (tc.PAD, tc.BOS, tc.EOS, tc.UNK) == (0, 1, 2, 3)
    assert tokenizer.pieces(range(4)) == ["<pad>", "<s>", "</s>", "<unk>"]
    ids = tokenizer.encode(SENTENCES[0])
    assert tokenizer.decode([1, *ids, 2, 0, 0]) == SENTENCES[0]
    assert tokenizer.decode(torch.tensor([1, *ids, 2, 0])) == SENTENCES[0]


def test_what_is_unknown_is_shown_in_text(tokenizer):
    assert tokenizer.decode([*tokenizer.encode("the cat"), tc.UNK]) == "the cat ⁇ "


def test_a_vocabulary_with_other_special_ids_is_refused():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES * 3), model_writer=model, vocab_size=60, model_type="bpe",
        hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    with pytest.raises(ValueError, match=r"but \(-1, 1, 2, 0\)"):
        tc.Tokenizer(model.getvalue())


def test_a_long_line_is_learned_from():
    assert len(tc.Tokenizer.train(["wort " * 1000, "cat"], 280).encode("wort")) == 1


def test_pieces_show_where_words_begin_and_which_are_bytes(tokenizer):
    pieces = tokenizer.pieces(tokenizer.encode("the cat 😀"))
    assert "".join(pieces) == "▁the▁cat▁<0xF0><0x9F><0x98><0x80>"


def test_a_tokenizer_is_read_back_as_it_was(tokenizer, tmp_path):
    (tmp_path / "tokenizer.model").write_bytes(tokenizer.model)
    loaded = tc.Tokenizer.load(tmp_path / "tokenizer.model")
    assert len(loaded) == len(tokenizer) and loaded.encode(SENTENCES[1]) == tokenizer.encode(SENTENCES[1])


def test_enough_text_gives_exactly_the_vocabulary_asked_for():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(tc.Tokenizer.train(SENTENCES * 3, 300)) == 300


def test_a_small_text_gives_fewer_pieces_and_says_so_once():
    with pytest.warns(UserWarning) as said:
        tokenizer = tc.Tokenizer.train(SENTENCES, 5000)
    assert 260 < len(tokenizer) < 5000
    assert len(said) == 1 and said[0].filename == __file__
    assert str(len(tokenizer)) in str(said[0].message) and "5000" in str(said[0].message)


def one_sentence(refusal: pytest.ExceptionInfo) -> None:
    text = str(refusal.value)
    assert "\n" not in text and text.endswith((".", "?"))


@pytest.mark.parametrize("size", [-1, 0, 10, 260])
def test_a_vocabulary_too_small_for_the_text_is_refused(size):
    with pytest.raises(ValueError, match=f"vocabulary of {size} is too small.* 256 bytes") as refusal:
        tc.Tokenizer.train(SENTENCES, size)
    one_sentence(refusal)


@pytest.mark.parametrize("texts", [[], ["", "  ", "\t\n"]])
def test_no_text_is_refused(texts):
    with pytest.raises(ValueError, match="no text") as refusal:
        tc.Tokenizer.train(texts, 300)
    one_sentence(refusal)


@pytest.mark.parametrize("data", [b"", b"no model", bytes(100)])
def test_what_is_no_tokenizer_is_refused(data):
    with pytest.raises(ValueError, match=r"SentencePiece model") as refusal:
        tc.Tokenizer(data)
    one_sentence(refusal)


def test_a_tokenizer_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"tokenizer\.model cannot be read") as refusal:
        tc.Tokenizer.load(tmp_path / "tokenizer.model")
    one_sentence(refusal)


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────

Pairs = list[tuple[list[int], list[int]]]


def pairs_of(lengths: list[tuple[int, int]]) -> Pairs:
    """Sentences in which every id says where it stands, from 4 upwards."""
    return [([4 + i % 50] * s, [4 + (7 * i) % 50] * t) for i, (s, t) in enumerate(lengths)]


def random_pairs(n: int) -> Pairs:
    rng = random.Random(0)
    lengths = [min(40, 1 + int(rng.expovariate(0.12))) for _ in range(n)]
    return pairs_of([(length, max(1, length + rng.randint(-3, 3))) for length in lengths])


def n_real(ids: torch.Tensor) -> int:
    return int((ids != tc.PAD).sum())


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    lengths=st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=40),
    budget=st.integers(31, 90),
    seed=st.integers(0, 3),
    window=st.integers(1, 50),
    epoch=st.integers(0, 3),
)
def test_each_pair_is_read_once_an_epoch_and_no_batch_exceeds_its_budget(lengths, budget, seed, window, epoch):
    pairs = pairs_of(lengths)
    rows = []
    for batch in tc.make_batches(pairs, budget, seed=seed, window=window).epoch(epoch):
        assert n_real(batch.src) <= budget and n_real(batch.tgt_in) <= budget
        assert batch.n_tokens == n_real(batch.tgt_out) <= budget
        assert len(batch.rows) == len(batch.src) == len(batch.tgt_in) == len(batch.tgt_out)
        for row, src, tgt_in, tgt_out in zip(batch.rows, batch.src, batch.tgt_in, batch.tgt_out, strict=True):
            source, target = pairs[row]
            for ids, wanted in ((src, [*source, tc.EOS]), (tgt_in, [tc.BOS, *target]), (tgt_out, [*target, tc.EOS])):
                assert ids.tolist() == wanted + [tc.PAD] * (len(ids) - len(wanted))
        rows += batch.rows
    assert sorted(rows) == list(range(len(pairs)))


def test_batches_come_in_no_order_of_length_equal_pairs_in_none_and_targets_are_not_sorted():
    batches = tc.make_batches(pairs_of([(1 + i % 20, 1 + (i * 7) % 13) for i in range(400)]), 60)
    rows_of, lengths = batches.plan(0), batches.lengths
    first = [lengths[rows[0]][0] for rows in rows_of]
    assert first != sorted(first)
    targets = [[lengths[row][1] for row in rows if lengths[row][0] == lengths[rows[0]][0]] for rows in rows_of]
    assert any(in_order != sorted(in_order) for in_order in targets)
    alike = tc.make_batches(pairs_of([(5, 5)] * 50), 60)
    assert sorted(map(sorted, alike.plan(0))) != sorted(map(sorted, alike.plan(1)))


def test_a_plain_file_comes_before_one_that_is_packed(tmp_path):
    for name in ("train.en", "train.de"):
        (tmp_path / name).write_text("plain\n")
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(b"packed\n"))
    assert tc.read_parallel(tmp_path, "train", "en", "de") == (["plain"], ["plain"])


def test_the_targets_input_is_its_output_shifted_right_by_one():
    batch = tc.Batch.of([([5, 6, 7], [8, 9]), ([5], [10, 11, 12])])
    assert batch.src.tolist() == [[5, 6, 7, 2], [5, 2, 0, 0]]
    assert batch.tgt_in.tolist() == [[1, 8, 9, 0], [1, 10, 11, 12]]
    assert batch.tgt_out.tolist() == [[8, 9, 2, 0], [10, 11, 12, 2]]
    assert batch.n_tokens == 7


def test_a_batch_is_filled_as_far_as_the_budget_goes():
    batches = tc.make_batches(pairs_of([(3, 4)] * 20), 20)
    assert [len(batch.rows) for batch in batches] == [4] * 5  # 5 target tokens a pair, eos included
    batches = tc.make_batches(pairs_of([(9, 4)] * 20), 20)
    assert [len(batch.rows) for batch in batches] == [2] * 10  # here the 10 source tokens decide


def test_the_order_is_a_pure_function_of_seed_and_epoch():
    pairs = random_pairs(200)
    random.seed(5)
    state, torch_state = random.getstate(), torch.get_rng_state()
    plan = tc.make_batches(pairs, 60, seed=1).plan(3)
    again = tc.make_batches(pairs, 60, seed=1)
    again.plan(0), again.plan(4)
    assert again.plan(3) == plan
    assert random.getstate() == state and torch.equal(torch.get_rng_state(), torch_state)
    assert plan != again.plan(4) and plan != tc.make_batches(pairs, 60, seed=2).plan(3)


def test_an_epoch_can_be_taken_up_anywhere():
    batches = tc.make_batches(random_pairs(100), 60)
    whole = [batch.rows for batch in batches.epoch(2)]
    assert [batch.rows for batch in batches.epoch(2, start=4)] == whole[4:]
    assert [batch.rows for batch in batches] == [batch.rows for batch in batches.epoch(0)]
    assert len(batches) == len(list(batches))


def share_of_padding(pairs: Pairs, plan: list[list[int]]) -> float:
    batches = [tc.Batch.of([pairs[row] for row in rows]) for rows in plan]
    sides = [ids for batch in batches for ids in (batch.src, batch.tgt_out)]
    return 1 - sum(map(n_real, sides)) / sum(ids.numel() for ids in sides)


def test_batches_of_like_lengths_pad_far_less_than_random_ones():
    pairs = random_pairs(2000)
    sorted_by_length = share_of_padding(pairs, tc.make_batches(pairs, 500).plan(0))
    narrow = share_of_padding(pairs, tc.make_batches(pairs, 500, window=200).plan(0))
    rows = random.Random(0).sample(range(len(pairs)), len(pairs))
    at_random = share_of_padding(pairs, [rows[i : i + 40] for i in range(0, len(rows), 40)])
    assert sorted_by_length < narrow < at_random
    assert sorted_by_length < at_random / 4


def test_pairs_too_long_for_a_batch_are_left_out_with_one_warning():
    pairs = pairs_of([(3, 4), (12, 2), (2, 9), (9, 2), (5, 10)])
    with pytest.warns(UserWarning, match="2 of 5 pairs exceed 10 tokens: left out") as said:
        batches = tc.make_batches(pairs, 10)
        for epoch in range(2):
            assert sorted(row for rows in batches.plan(epoch) for row in rows) == [0, 2, 3]
    assert len(said) == 1 and said[0].filename == __file__


@pytest.mark.parametrize("pairs, advice", [([], "empty"), (pairs_of([(9, 2), (1, 9)]), "raise")])
def test_nothing_to_make_batches_of_is_refused(pairs, advice):
    with pytest.raises(ValueError, match=advice) as refusal:
        tc.make_batches(pairs, 5)
    one_sentence(refusal)


def test_rows_are_padded_on_the_right_with_0():
    assert tc.pad([[5, 6], [7], [8, 9, 10]]).tolist() == [[5, 6, 0], [7, 0, 0], [8, 9, 10]]


# ─── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

LINES = ["a\u2028b\r", "c\x85d\x0be\x0c", "", " 고양이 😀 ", "\ufeff<s>\t"]


@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("name", ["text.en", "text.en.gz"])
def test_lines_end_in_newlines_and_in_nothing_else(tmp_path, name, end):
    data = ("\n".join(LINES) + end).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert tc.read_lines(tmp_path / name) == LINES


@pytest.mark.parametrize("data, lines", [(b"", []), (b"\n", [""]), (b"\n\n", ["", ""]), (b"a\n\n", ["a", ""])])
def test_empty_lines_count_and_an_empty_file_has_none(tmp_path, data, lines):
    (tmp_path / "text").write_bytes(data)
    assert tc.read_lines(str(tmp_path / "text")) == lines


def test_a_file_that_is_not_utf_8_is_named(tmp_path):
    (tmp_path / "text.en").write_bytes(b"fine\nna\xefve\n")
    with pytest.raises(ValueError, match=r"text\.en cannot be read \(.*0xef") as refusal:
        tc.read_lines(tmp_path / "text.en")
    one_sentence(refusal)


def damaged(place: int) -> bytes:
    data = bytearray(gzip.compress("".join(f"line {math.sin(i)}\n" for i in range(200)).encode(), mtime=0))
    data[place] ^= 0xFF
    return bytes(data)


@pytest.mark.parametrize(
    "data", [None, b"no gzip", gzip.compress(b"cut short" * 9)[:-9], *map(damaged, (0, 10, 200, -6))],
    ids=["missing", "no gzip", "cut short", "first byte", "header", "middle", "checksum"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named(tmp_path, data):
    if data is not None:
        (tmp_path / "text.gz").write_bytes(data)
    with pytest.raises(ValueError, match=r"text\.gz cannot be read") as refusal:
        tc.read_lines(tmp_path / "text.gz")
    one_sentence(refusal)


def write_parallel(folder: Path, n_source: int, n_target: int) -> None:
    (folder / "train.en").write_text("".join(f"line {i}\n" for i in range(n_source)))
    (folder / "train.de.gz").write_bytes(gzip.compress(b"".join(b"Zeile %d\n" % i for i in range(n_target))))


def test_parallel_text_is_read_line_by_line_plain_or_packed(tmp_path):
    write_parallel(tmp_path, 3, 3)
    assert tc.read_parallel(tmp_path, "train", "en", "de") == (
        ["line 0", "line 1", "line 2"],
        ["Zeile 0", "Zeile 1", "Zeile 2"],
    )


def test_sides_of_unequal_length_are_refused_with_both_lengths(tmp_path):
    write_parallel(tmp_path, 3, 5)
    with pytest.raises(ValueError, match=r"train\.en has 3 lines and train\.de has 5") as refusal:
        tc.read_parallel(tmp_path, "train", "en", "de")
    one_sentence(refusal)


def test_a_side_that_is_missing_is_named(tmp_path):
    write_parallel(tmp_path, 3, 3)
    with pytest.raises(ValueError, match=r"train\.fr cannot be read") as refusal:
        tc.read_parallel(tmp_path, "train", "en", "fr")
    one_sentence(refusal)


def test_clean_leaves_one_space_between_words():
    assert tc.clean("  a\t b\u2028c\n") == "a b c" and tc.clean(" \n") == ""
