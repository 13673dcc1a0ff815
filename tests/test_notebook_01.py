"""What notebook 01 says of the shipped model's pieces and places, and of the tables of sines."""

import pytest
import torch

import transformer_core as tc
from studies import positions, text

SENTENCE = "the dog sees the dog."


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.mark.parametrize(
    "sentence",
    ["the cat", "Our teacher rides her bicycle.", "Sie fährt mit der Straßenbahn.", "naïve", "▁ is one"],
)
def test_our_merges_end_where_the_library_ends(translator, sentence):
    pieces = translator.tokenizer.pieces(translator.tokenizer.encode(sentence))
    assert text.final_pieces(translator.tokenizer, sentence) == pieces


def test_the_last_merge_of_the_cat_leaves_its_pieces(translator):
    pieces = translator.tokenizer.pieces(translator.tokenizer.encode("the cat"))
    assert text.merges(translator.tokenizer, "the cat")[-1].pieces == pieces


@pytest.mark.parametrize("word", ["cat", "Katze", "naïve", "고양이", "🙂"])
def test_no_character_is_lost(translator, word):
    assert translator.tokenizer.decode(translator.tokenizer.encode(word)) == word


def test_a_row_of_the_shipped_model_is_multiplied_by_16(translator):
    found = text.embedded(translator.model, translator.tokenizer.encode(SENTENCE))
    ratio = found["scaled"].norm(dim=-1) / found["row"].norm(dim=-1)
    assert torch.equal(ratio, torch.full_like(ratio, 16.0))


def test_source_and_target_embedding_are_one_place_in_memory(translator):
    model = translator.model
    assert model.src_embedding.weight.data_ptr() == model.tgt_embedding.weight.data_ptr()


@pytest.mark.parametrize(
    ("change", "size"),
    [
        ({}, 63_045_632),
        ({"tgt_vocab_size": 37000}, 81_989_632),
        ({"tgt_vocab_size": 37000, "tie_softmax": False}, 100_933_632),
    ],
)
def test_base_with_one_two_and_three_matrices(change, size):
    with torch.device("meta"):
        assert tc.count_parameters(tc.Transformer(tc.TransformerConfig(37000, **change))) == size


def test_the_gradient_of_the_shipped_matrix_is_that_of_its_three_uses(translator):
    encode = translator.tokenizer.encode
    batch = tc.Batch.of([(encode("The dog sees the cat."), encode("Der Hund sieht die Katze."))])
    gradient = text.tied_gradients(translator.model, batch)
    added = gradient["source"] + gradient["target"] + gradient["softmax"]
    assert (added - gradient["shared"]).abs().max() < 1e-6


def test_without_positions_the_man_and_the_dog_are_the_same_vectors_in_another_order(translator):
    ids, order = torch.tensor([translator.tokenizer.encode("the dog bites the man.")]), [0, 5, 2, 3, 4, 1, 6]
    with torch.no_grad(), positions.moved(translator.model, "source", positions.removed):
        gap = translator.model.encode(ids[:, order]) - translator.model.encode(ids)[:, order]
    assert gap.abs().max() < 1e-4


def test_the_small_table_is_that_of_the_formula_and_every_place_is_16_long():
    row = tc.sinusoidal_positions(4, 6)[1].tolist()
    assert [round(x, 6) for x in row] == [0.841471, 0.540302, 0.046399, 0.998923, 0.002154, 0.999998]
    assert torch.allclose(tc.sinusoidal_positions(10_000, 512).square().sum(-1), torch.tensor(256.0).double())


def test_likeness_depends_on_the_offset_alone_over_300_positions_and_101_offsets():
    table, sums = tc.sinusoidal_positions(400, 512), positions.similarity(101, 512)
    assert max((table[p : p + 101] @ table[p] - sums).abs().max().item() for p in range(300)) < 1e-11


@pytest.mark.parametrize("k", [1, 37, 1000])
def test_one_rotation_serves_every_position_up_to_10_000(k):
    assert positions.rotation_error(k, 10_001, 512).max() <= 1e-11


def test_sines_first_are_the_papers_numbers_in_another_order():
    ours = tc.sinusoidal_positions(1000, 512)
    assert torch.equal(positions.halves(ours), ours[:, [*range(0, 512, 2), *range(1, 512, 2)]])


def test_one_word_at_two_places_differs_by_the_two_places_alone(translator):
    ids = translator.tokenizer.encode(SENTENCE)
    found, pieces = text.embedded(translator.model, ids), translator.tokenizer.pieces(ids)
    first, second = [n for n, piece in enumerate(pieces) if piece == "▁dog"]
    assert torch.equal(found["row"][first], found["row"][second])
    apart = found["sum"][second] - found["sum"][first]
    assert (apart - (found["place"][second] - found["place"][first])).abs().max() < 1e-5


@pytest.mark.parametrize("places", [[0, 5, 2, 3, 4, 1, 6, 7], [-1] * 8, [*range(8)][::-1]])
def test_another_order_of_places_makes_the_translation_e_to_the_10_less_likely(translator, places):
    changes = {"moved": [("source", positions.placed(places))]}
    assert positions.without_order(translator, "The dog bites the man.", changes)[1]["loss"] > 10


def test_the_targets_places_and_one_step_further_are_missed_little_and_twenty_steps_much(translator):
    changes = {"no positions in the target": [("target", positions.removed)]}
    for k in (1, 5, 20, 100):
        changes[f"all {k} further on"] = [("source", positions.later(k)), ("target", positions.later(k))]
    rows = positions.without_order(translator, "The dog bites the man.", changes)
    assert rows[1]["loss"] < 2 and rows[2]["loss"] < 1 and rows[4]["loss"] > 5
