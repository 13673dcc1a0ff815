"""What holds for every study: numbers are had without anything that draws, and one reading serves them all."""

import pkgutil
import subprocess
import sys

import pytest
import torch

import studies
import transformer_core as tc
from core_options import ways
from studies import reading

DRAWING = ("altair", "anywidget", "ipywidgets", "plotly", "viz")
SENTENCES = ["the cat sees a dog .", "die Katze sieht einen Hund .", "a dog , a cat and the street"]

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    torch.manual_seed(3)
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(SENTENCES * 3, 1000)
    shape = dict(n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5, p_drop=0.5)
    return tc.Translator(tc.Transformer(tc.TransformerConfig(len(tokenizer), **shape)), tokenizer, "little")


def test_studies_are_imported_without_anything_that_draws():
    topics = [module.name for module in pkgutil.iter_modules(studies.__path__)]
    lines = f"import importlib, sys\nfor topic in {topics}:\n    importlib.import_module(f'studies.{{topic}}')\n"
    lines += f"    print(topic, [name for name in {DRAWING} if name in sys.modules])"  # the first that does is named
    ran = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True)
    assert len(topics) > 20 and (ran.stdout.splitlines(), ran.stderr) == ([f"{topic} []" for topic in topics], "")


def test_a_reading_records_what_the_model_did_with_a_sentence_and_its_translation(translator):
    one = reading.read(translator, SENTENCES[0])
    assert one.ids == tc.beam_search(translator.model, one.src)[0].ids
    assert one.translation == translator.tokenizer.decode(one.ids)
    assert one.tgt_in[0].tolist() == [tc.BOS, *one.ids[:-1]]
    with torch.no_grad(), tc.record(translator.model) as trace:
        logits = translator.model(one.src, one.tgt_in)
    assert one.trace.keys() == trace.keys() and all(torch.equal(one.trace[name], trace[name]) for name in trace)
    assert torch.equal(one.logits, logits[0])
    by_hand = [logits[0, i].log_softmax(-1)[token].item() for i, token in enumerate(one.ids)]
    assert one.log_prob.tolist() == pytest.approx(by_hand)


def test_a_readings_pieces_are_the_sides_of_its_weights(translator):
    one = reading.read(translator, SENTENCES[0])
    for kind in reading.KINDS:
        queries, keys = one.tokens(kind)
        assert one.stack(kind).shape == (2, 3, len(queries), len(keys))
        assert len(one.allowed(kind)) == len(queries)
    assert one.source_pieces[-1] == "</s>" and one.target_pieces[0] == "<s>"
    assert one.predicted_pieces[:-1] == one.target_pieces[1:]
    assert one.allowed("decoder") == [[0, i + 1] for i in range(len(one.ids))]


def test_a_known_translation_is_read_as_in_training_and_only_the_probes_asked_for_record(translator):
    ids = [*translator.tokenizer.encode(SENTENCES[1]), tc.EOS]
    one = reading.teacher_forced(translator, SENTENCES[0], ids, "decoder.*.cross_attention.weights")
    assert (one.ids, one.translation) == (ids, SENTENCES[1])
    assert set(one.trace) == {f"decoder.{layer}.cross_attention.weights" for layer in range(2)}
    batch = tc.Batch.of([(translator.tokenizer.encode(SENTENCES[0]), ids[:-1])])
    assert -one.log_prob.mean().item() == pytest.approx(ways.validation_nll(translator.model, [batch], "fp32"))


def test_a_reading_is_made_without_dropout_and_leaves_the_model_in_its_mode(translator):
    translator.model.train()
    first, second = (reading.read(translator, SENTENCES[0]) for _ in range(2))
    assert translator.model.training
    translator.model.eval()
    assert first.ids == second.ids and torch.equal(first.logits, second.logits)


def test_a_sentence_that_is_too_long_is_refused_with_both_numbers(translator):
    n = translator.source(SENTENCES[:1]).size(1)
    assert reading.read(translator, SENTENCES[0], most=n).src.size(1) == n
    with pytest.raises(ValueError, match=rf"^This sentence has {n} tokens, more than the {n - 1} shown; try a shorter"):
        reading.read(translator, SENTENCES[0], most=n - 1)


def test_what_is_no_sentence_is_refused(translator):
    with pytest.raises(TypeError, match="list; give one sentence"):
        reading.read(translator, SENTENCES)
    with pytest.raises(ValueError, match="at least one word"):
        reading.source_of(translator, " ", least=1)
    assert reading.read(translator, "").source_pieces == ["</s>"]
