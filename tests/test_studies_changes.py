"""Words changed in place: what stands then, who may read it, and what the model says; held against padding."""

import doctest

import pytest
import torch

import transformer_core as tc
from studies import changes
from studies.attention import without_heads
from studies.reading import Reading, log_probs, probe_of, read, shifted_right

SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    torch.manual_seed(4)
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 1000)
    config = tc.TransformerConfig(vocab_size=len(tokenizer), n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5)
    return tc.Translator(tc.Transformer(config), tokenizer, "little")


def test_examples():
    assert doctest.testmod(changes).failed == 0


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ([], "The cat (a tom) sees the dog."),
        ([["replace", 1, " old   cat "]], "The old cat (a tom) sees the dog."),
        ([["delete", 0]], "cat (a tom) sees the dog."),
        ([["delete", 8]], "The cat (a tom) sees the."),
        ([["mask", 1]], "The cat (a tom) sees the dog."),
        ([["swap", 7, 8]], "The cat (a tom) sees dog the."),
        ([["swap", 1, 8], ["replace", 1, "cow"]], "The dog (a tom) sees the cow."),
        ([["swap", 1, 8], ["swap", 8, 1]], "The cat (a tom) sees the dog."),
    ],
)
def test_words_change_where_they_stand_and_marks_are_words_of_their_own(asked, sentence):
    words = changes.words_in("The cat (a tom) sees the dog.")
    standing = changes.in_place(words, asked)
    assert changes.sentence_of(standing) == sentence
    assert changes.as_typed(standing) == words


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["move", 1], 'not \\["move", 1\\]|not \\[.move., 1\\]'),
        (["delete"], "A change of a word is"),
        ("delete", "A change of a word is"),
        ([], "A change of a word is"),
        ([["delete"], 1], "A change of a word is"),
        (["delete", 2], "places here are 0 to 1"),
        (["swap", 0, -1], "places here are 0 to 1"),
        (["mask", "0"], "places here are 0 to 1"),
        (["replace", 0, " "], "give a word, or delete it"),
        (["replace", 0, 7], "give a word, or delete it"),
    ],
)
def test_a_change_that_cannot_be_is_refused_in_a_sentence(change, message):
    with pytest.raises(ValueError, match=message):
        changes.in_place([("a", False), ("dog", True)], [change])


def test_one_word_must_stay():
    with pytest.raises(ValueError, match="leave one"):
        changes.in_place([("a", False), ("dog", True)], [["delete", 0], ["delete", 1]])


@pytest.mark.parametrize("text", ["the cat , a cat", "Zoë's “café” 日本 ▁x a\u0301b ﬁne.", "<0x41> a <pad> \x00b"])
def test_the_pieces_of_a_word_are_those_that_spell_it(translator, text):
    tokenizer, words = translator.tokenizer, changes.words_in(text)
    ids = tokenizer.encode(tc.clean(text))
    for place, (word, _) in enumerate(words):
        standing = changes.in_place(words, [["mask", place]])
        places = changes.masked_pieces(tokenizer, standing)
        assert tokenizer.decode([ids[at] for at in places]).strip() == word
    everything = changes.in_place(words, [["mask", place] for place in range(len(words))])
    spaces = [at for at, piece in enumerate(tokenizer.pieces(ids)) if piece == "▁"]
    assert sorted({*changes.masked_pieces(tokenizer, everything), *spaces}) == list(range(len(ids)))


def masked(translator: tc.Translator, text: str, place: int) -> tuple[Reading, list[int]]:
    """A sentence read with a word masked, and the places that nobody read."""
    hidden = changes.masked_pieces(translator.tokenizer, changes.in_place(changes.words_in(text), [["mask", place]]))
    with changes.unread(translator.model, hidden):
        return read(translator, text), hidden


def test_a_masked_word_is_read_by_nobody_just_as_padding(translator):
    reading, hidden = masked(translator, SENTENCES[0], 1)
    padded = reading.src.clone()
    padded[0, hidden] = tc.PAD
    with torch.no_grad():
        logits = translator.model(padded, reading.tgt_in)[0]
    assert hidden and torch.allclose(logits, reading.logits, atol=1e-5)
    for kind in ("encoder", "cross"):
        assert not reading.stack(kind)[..., hidden].any()
    with torch.no_grad():
        whole = translator.model(reading.src, reading.tgt_in)[0]
    assert not torch.allclose(whole, reading.logits, atol=1e-5)


def test_what_is_changed_is_held_against_the_first_translation(translator):
    first = read(translator, SENTENCES[0])
    now = read(translator, "the dog sees a cat .")
    told = changes.retold(first, now)
    with torch.no_grad():
        rows = translator.model(now.src, first.tgt_in)[0].log_softmax(-1)
    expected = torch.stack([row[token] for row, token in zip(rows, first.ids, strict=True)])
    assert torch.allclose(torch.tensor(told["log_prob"]) + torch.tensor(told["delta"]), expected, atol=1e-5)
    assert told["translation"] == now.translation and told["tokens"] == first.predicted_pieces


def test_without_changed_words_heads_go_as_they_did(translator):
    reading, off = read(translator, SENTENCES[0]), [["cross", 1, 0], ["encoder", 0, 2]]
    told, alone = changes.retold(reading, reading, off), without_heads(reading, off)
    assert told.pop("delta") == pytest.approx(alone.pop("delta"), abs=1e-5)
    assert told.pop("total") == pytest.approx(alone.pop("total"), abs=1e-4) and told.pop("idle") == []
    assert told == alone


def test_a_masked_word_stays_masked_when_heads_are_off_too(translator):
    first, (now, hidden) = read(translator, SENTENCES[0]), masked(translator, SENTENCES[0], 1)
    off = [["cross", layer, head] for layer in range(2) for head in range(3)]
    padded = first.src.clone()
    padded[0, hidden] = tc.PAD
    told = changes.retold(first, now, off, hidden)
    silent = lambda heads: torch.zeros_like(heads)  # noqa: E731
    with torch.no_grad(), tc.intervene(translator.model, "decoder.*.cross_attention.heads", silent):
        rows = translator.model(padded, first.tgt_in)[0].log_softmax(-1)
    expected = [row[token].item() for row, token in zip(rows, first.ids, strict=True)]
    assert [a + b for a, b in zip(told["log_prob"], told["delta"], strict=True)] == pytest.approx(expected, abs=1e-4)


# ─── Rows of weights held ────────────────────────────────────────────────────────────────────────────────────────────


def recorded_row(reading, kind: str, layer: int, head: int, query: int) -> list:
    """A row as the model made it, to be held."""
    weights = reading.stack(kind)[layer, head, query]
    return [kind, layer, head, query, (weights[: query + 1] if kind == "decoder" else weights).tolist()]


def one_hot(n: int, key: int) -> list[float]:
    return [float(place == key) for place in range(n)]


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_row_held_at_what_it_is_changes_nothing(translator, kind):
    reading = read(translator, SENTENCES[0])
    rows = [recorded_row(reading, kind, layer, head, 1) for layer in range(2) for head in range(3)]
    told = changes.retold(reading, reading, held=rows)
    assert told["translation"] == reading.translation and told["idle"] == []
    assert told["delta"] == pytest.approx([0] * len(reading.ids), abs=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_head_whose_row_is_all_on_one_key_gives_the_value_of_that_key(translator, kind):
    reading, probe = read(translator, SENTENCES[0]), probe_of(kind, 1)
    n = 3 if kind == "decoder" else reading.src.size(1)
    with tc.record(translator.model) as trace, changes.rows_held(translator.model, [[kind, 1, 2, 2, one_hot(n, 1)]]):
        translator.model(reading.src, reading.tgt_in)
    heads, values = trace[f"{probe}.heads"][0], trace[f"{probe}.v"][0]
    assert torch.allclose(heads[2, 2], values[2, 1], atol=1e-6)
    assert torch.equal(heads[1], reading.trace[f"{probe}.heads"][0, 1])  # another head reads as it did
    assert torch.equal(heads[2, :2], reading.trace[f"{probe}.heads"][0, 2, :2])  # and so does another query


def test_all_heads_of_a_layer_can_be_held_at_once(translator):
    reading = read(translator, SENTENCES[0])
    row = one_hot(reading.src.size(1), 0)
    single = changes.retold(reading, reading, held=[["cross", 0, head, 1, row] for head in range(3)])
    assert changes.retold(reading, reading, held=[["cross", 0, -1, 1, row]])["delta"] == single["delta"]


@pytest.mark.parametrize("kind", ["decoder", "cross"])
def test_a_search_holds_the_row_of_a_step_as_a_reading_holds_it(translator, kind):
    """The log-probability of what a search found is that of the same translation read with the same row held."""
    reading, query = read(translator, SENTENCES[0]), 2
    row = [kind, 1, -1, query, one_hot(query + 1 if kind == "decoder" else reading.src.size(1), 0)]
    with tc.evaluating(translator.model):
        with changes.rows_held(translator.model, [row], searching=True):
            (best,) = tc.beam_search(translator.model, reading.src)
        with changes.rows_held(translator.model, [row]):
            logits = translator.model(reading.src, shifted_right(best.ids))[0]
        plain = translator.model(reading.src, shifted_right(best.ids))[0]
    said, otherwise = (log_probs(rows, best.ids).sum().item() for rows in (logits, plain))
    assert len(best.ids) > query and said == pytest.approx(best.log_prob, abs=1e-3)
    assert abs(said - otherwise) > 1e-2


def test_a_row_of_other_tokens_or_of_a_step_that_is_not_reached_is_idle(translator):
    reading = read(translator, SENTENCES[0])
    n = reading.src.size(1)
    rows = [
        ["cross", 0, 0, 1, one_hot(n + 1, 0)],
        ["cross", 0, 0, 400, one_hot(n, 0)],
        ["encoder", 0, 0, n, one_hot(n, 0)],
    ]
    told = changes.retold(reading, reading, held=rows)
    assert told["idle"] == [0, 1, 2] and told["delta"] == pytest.approx([0] * len(reading.ids), abs=1e-5)


def test_rows_words_and_heads_change_together(translator):
    first, (now, hidden) = read(translator, SENTENCES[0]), masked(translator, SENTENCES[0], 1)
    off, row = [["cross", 1, 0]], ["cross", 0, 1, 1, one_hot(first.src.size(1), 0)]
    told = changes.retold(first, now, off, hidden, [row])
    alone = [changes.retold(first, now, off, hidden), changes.retold(first, now, (), hidden, [row])]
    assert all(told["delta"] != other["delta"] for other in alone) and told["idle"] == []


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (["cross", 0, 0, 1], "A row to hold is"),
        (["middle", 0, 0, 1, [1]], "A row to hold is"),
        (["cross", 0, -2, 1, [1]], "whole numbers"),
        (["cross", 0, 0, 1.5, [1]], "whole numbers"),
        (["cross", 0, 0, 1, [1, 1.5]], "from 0 to 1"),
        (["cross", 0, 0, 1, [float("nan")]], "from 0 to 1"),
        (["cross", 0, 0, 1, []], "from 0 to 1"),
        (["decoder", 0, 0, 1, [1, 0, 0]], "reads 2 keys"),
    ],
)
def test_a_row_that_cannot_be_held_is_refused_in_a_sentence(row, message):
    with pytest.raises(ValueError, match=message):
        changes.checked_row(row)
