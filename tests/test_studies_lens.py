"""The logit lens: its last layer is the model, ranks count what is likelier, and a decision is one that stays."""

import pytest
import torch
import toys_evidence

from studies import lens

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_after_the_last_layer_stand_the_models_own_logits(norm):
    reading = toys_evidence.reading(toys_evidence.translator(norm))
    logits = lens.logits_by_layer(reading)
    assert logits.shape == (3, len(reading.ids), reading.logits.size(-1))
    torch.testing.assert_close(logits[-1], reading.logits)
    assert not torch.allclose(logits[0], logits[1])
    if norm == "pre":  # the last norm comes before the softmax
        model = reading.translator.model
        early = model.softmax(model.decoder_norm(reading.trace["decoder.0.residual"]))[0]
        torch.testing.assert_close(logits[0], early)


def test_rank_probability_and_top_are_those_of_the_word_that_is_said():
    reading = toys_evidence.reading(toys_evidence.translator())
    facts, logits = lens.lens(reading), lens.logits_by_layer(reading)
    for layer in range(3):
        for row, token in enumerate(reading.ids):
            order = logits[layer, row].argsort(descending=True).tolist()
            assert facts["rank"][layer, row] == order.index(token) and facts["top"][layer, row] == order[0]
            probability = logits[layer, row].softmax(-1)[token]
            assert facts["probability"][layer, row].item() == pytest.approx(probability.item(), abs=1e-6)
    assert facts["probability"][-1].log().tolist() == pytest.approx(reading.log_prob.tolist(), abs=1e-5)


def test_a_word_is_decided_where_it_becomes_the_likeliest_for_good():
    rank = torch.tensor([[0, 0, 5, 2], [0, 3, 2, 0], [0, 0, 0, 1]])
    assert lens.decided(rank) == [0, 2, 2, None]


def test_layers_over_many_sentences_are_means_of_sentences():
    translator = toys_evidence.translator()
    readings = [toys_evidence.reading(translator), toys_evidence.reading(translator, "the dog", "die Katze sieht")]
    rows = lens.by_layer(readings)
    for layer, row in enumerate(rows):
        tables = [lens.lens(reading) for reading in readings]
        probability = sum(facts["probability"][layer].mean().item() for facts in tables) / 2
        again = [
            (facts["top"][layer] == r.tgt_in[0]).double().mean() for facts, r in zip(tables, readings, strict=True)
        ]
        assert row["read"][0] == pytest.approx(sum(again).item() / 2)
        assert row["layer"] == layer and row["probability"][0] == pytest.approx(probability)
        assert row["probability"][1] < probability < row["probability"][2]
        assert row["decided"][0] <= row["top"][0]  # what is decided is the likeliest
    places = torch.cat([lens.lens(reading)["rank"][-1] for reading in readings])
    assert rows[-1]["median rank"] == places.median()
    never = 1 - sum(row["decided"][0] for row in rows)
    assert never == pytest.approx(1 - rows[-1]["top"][0])
