"""What notebook 00 says of one sentence's way through the shipped model."""

import json
import re
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from studies.model import Journey, greedy_steps, shapes, shuffling_gap, travel, watch, without_positions
from viz.model import drawing

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = json.loads((ROOT / "notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8"))
SENTENCE = "The animal did not cross the street because it was too tired."
ENGLISH = ["I am a teacher.", "It rains.", "The children are playing in the garden."]
GERMAN = ["Ich bin Lehrer.", "Es regnet.", "Die Kinder spielen im Garten."]


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.fixture(scope="module")
def journey(translator) -> Journey:
    return travel(translator, SENTENCE)


@pytest.mark.parametrize("text", ["The animal", "Schadenfreude", "naïve ♥"])
def test_nothing_is_unknown_and_the_text_is_put_together_again(translator, text):
    assert translator.tokenizer.decode(translator.tokenizer.encode(text)) == text


def test_no_block_but_the_first_and_the_last_changes_the_shape(translator):
    pairs = [tuple(map(translator.tokenizer.encode, pair)) for pair in zip(ENGLISH, GERMAN, strict=True)]
    model, batch = translator.model, tc.Batch.of(pairs)
    (B, S), T, D = batch.src.shape, batch.tgt_in.size(1), model.config.d_model
    seen = shapes(model, batch.src, batch.tgt_in)
    of_layers = {shape for name, shape in seen.items() if name.startswith(("encoder", "decoder"))}
    inner = watch(model, batch.src, batch.tgt_in)["encoder.0.feed_forward.w_1"][0].out
    assert of_layers == {(B, S, D), (B, T, D)} and seen["linear"] == (B, T, 8000) and inner.shape == (B, S, 1024)


def test_rows_of_all_eighteen_attentions_sum_to_1(journey):
    assert len(journey.weights) == 18
    assert all((weights.sum(-1) - 1).abs().max() < 1e-4 for weights in journey.weights.values())


def test_with_positions_a_shuffled_sentence_is_another_and_without_them_it_is_not(translator, journey):
    order = torch.randperm(journey.src.size(1), generator=torch.Generator().manual_seed(0))
    assert shuffling_gap(translator.model, journey.src, order) > 1
    with without_positions(translator.model):
        assert shuffling_gap(translator.model, journey.src, order) < 1e-4


def test_a_dog_at_any_place_moves_no_score_before_it_and_every_score_from_it_on(translator, journey):
    dog, tgt_in = translator.tokenizer.encode("Hund")[0], journey.tgt_in
    with tc.evaluating(translator.model):
        logits = translator.model(journey.src, tgt_in)  # (1, T, V)
        for j in range(1, tgt_in.size(1)):
            changed = tgt_in.index_fill(1, torch.tensor(j), dog)
            moved = (translator.model(journey.src, changed) - logits).abs().amax(-1)[0]  # (T,)
            assert moved[:j].max() == 0 < moved[j:].min()


def test_what_leaves_a_norm_has_mean_0_and_variance_1_before_gain_and_bias(translator, journey):
    for block in [block for block in journey.blocks if block.kind == "residual"]:
        norm = translator.model.get_submodule(block.module).layer_norm
        plain = (block.out - norm.bias) / norm.weight
        assert plain.mean(-1).abs().max() < 1e-5
        assert (plain.var(-1, correction=0) - 1).abs().max() < 1e-4


def test_with_the_norm_before_the_sub_layer_the_connections_are_others():
    assert drawing(6, "post").edges != drawing(6, "pre").edges


def test_probabilities_sum_to_1_at_every_step_and_the_core_s_cached_decoder_says_the_same(translator, journey):
    steps = greedy_steps(translator.model, journey.src)
    assert all(abs(step.total - 1) < 1e-5 for step in steps)
    assert tc.greedy_decode(translator.model, journey.src)[0].ids == [step.chosen for step in steps]


def test_the_blocks_parameters_are_the_model_s_counted_once(translator, journey):
    counted = ("attention", "feed_forward", "residual")
    blocks = sum(block.n_parameters for block in journey.blocks if block.kind in counted)
    assert translator.model.src_embedding.weight.numel() + blocks == tc.count_parameters(translator.model)


def test_its_table_of_words_is_the_one_that_views_explain_by():
    code = (ROOT / "viz" / "canvas.js").read_text(encoding="utf-8")
    terms = dict(re.findall(r'^  "([^"]+)": "([^"]+)",$', code.split("TERMS = {")[1].split("};")[0], re.MULTILINE))
    text = "".join(next(cell for cell in NOTEBOOK["cells"] if cell["id"] == "words")["source"])
    rows = dict(re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE))
    assert len(terms) > 20 and rows == {"word": "what it means"} | terms
