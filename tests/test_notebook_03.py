"""What notebook 03 says of masks in the trained model, and of a model that was trained without one."""

import math
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from experiments import masks as experiment
from studies import masks, stored
from viz.masks import mask_view, weights_of

pytestmark = pytest.mark.usefixtures("one_thread")
DATA = Path(__file__).parent.parent / "notebooks" / "data"
SENTENCE = "The old man reads a book."
TEXTS = [SENTENCE, "I am a teacher.", "She did not know what to say.", "Tom has never been to Germany."]
PAIRS = [
    ("I am a teacher.", "Ich bin Lehrer."),
    ("Good luck!", "Viel Glück!"),
    ("He reads a good book.", "Er liest ein gutes Buch."),
]


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.fixture(scope="module")
def models(translator) -> dict[int, tc.Transformer]:
    """By their number of layers."""
    config = translator.model.config
    return {1: masks.untrained(config, 1), 2: masks.untrained(config, 2), 6: translator.model}


@pytest.fixture(scope="module")
def batch(translator) -> tc.Batch:
    pairs = [tuple(map(translator.tokenizer.encode, pair)) for pair in PAIRS]
    return next(iter(tc.make_batches(pairs, 60, seed=0)))


def test_causal_and_padding_make_the_mask():
    causal, padding = tc.causal_mask(4), tc.padding_mask(torch.tensor([[tc.BOS, 7, 8, tc.PAD]]))
    assert torch.equal((causal & padding)[0, 0], masks.both(causal, padding.flatten()))


@pytest.mark.parametrize(
    "scores", [torch.ones(3, 3), torch.tensor([[2.0, 9.0, 4.0], [0.0, 3.0, 7.0], [1.0, 2.0, 3.0]])]
)
def test_weights_of_three_tokens_are_zero_above_the_diagonal_and_sum_to_1_and_the_view_has_them(scores):
    weights = tc.attention_weights((scores / math.sqrt(4)).masked_fill(~tc.causal_mask(3), -math.inf))
    assert not weights.triu(1).any() and torch.allclose(weights.sum(-1), torch.ones(3))
    view = mask_view(scores, ["I", "am", "here"], d_k=4, editable=True, title="Three tokens", shows="synthetic")
    assert torch.equal(weights, weights_of(view))


def test_a_mask_after_the_softmax_lets_hidden_scores_have_their_say():
    others = torch.tensor([[2.0, 9.0, 4.0], [0.0, 3.0, 7.0], [1.0, 2.0, 3.0]]) / math.sqrt(4)
    assert (others.softmax(-1) * tc.causal_mask(3)).sum(-1)[0] < 0.1


def test_a_row_with_nothing_to_look_at_is_nan_in_plain_softmax_and_zero_in_the_core():
    empty = torch.full((1, 3), -math.inf)
    assert empty.softmax(-1).isnan().all() and tc.attention_weights(empty).eq(0).all()


def test_a_sentence_of_padding_alone_has_finite_logits_in_the_trained_model(translator):
    src, tgt_in = torch.tensor([[5, 6, tc.EOS], [tc.PAD] * 3]), torch.tensor([[tc.BOS, 7], [tc.PAD] * 2])
    with torch.no_grad(), tc.record(translator.model, "*.weights") as trace:
        logits = translator.model(src, tgt_in)
    assert len(trace) == 18 and logits.isfinite().all()
    assert all(weights[1].eq(0).all() for weights in trace.values())


@pytest.mark.parametrize("text", TEXTS)
def test_no_later_token_moves_a_logit_of_the_trained_model(translator, text):
    leak = masks.leak_test(translator.model, *masks.taught(translator, text))
    assert leak.passed and leak.change[~tc.causal_mask(len(leak.change))].eq(0).all()


@pytest.mark.parametrize(("n_layers", "rows"), [(1, [1]), (2, [1, 2, 3]), (6, [1, 2, 3])])
def test_one_open_cell_leaks_into_one_row_of_one_layer_and_three_of_more(translator, models, n_layers, rows):
    src, tgt_in = masks.taught(translator, SENTENCE)
    one_hole = tc.causal_mask(tgt_in.size(1))
    one_hole[1, 4] = True
    assert masks.leak_test(models[n_layers], src, tgt_in, one_hole).failed == rows


@pytest.mark.parametrize("n_layers", [1, 2, 6])
def test_under_a_mask_too_open_by_one_moves_what_powers_of_the_mask_foretell(translator, models, n_layers):
    src, tgt_in = masks.taught(translator, SENTENCE)
    n = tgt_in.size(1)
    too_many = torch.ones(n, n, dtype=torch.bool).tril(1)
    moved = masks.leak_test(models[n_layers], src, tgt_in, too_many).change > 0
    assert torch.equal(moved, masks.reach(too_many, n_layers))
    assert moved[0].nonzero().flatten().tolist() == [*range(n_layers + 1)]


def test_the_decoder_reads_its_target_shifted_right_by_one(translator):
    pair = [translator.tokenizer.encode(text) for text in (SENTENCE, "Der alte Mann liest ein Buch.")]
    batch = tc.Batch.of([pair])
    assert torch.equal(batch.tgt_in[:, 1:], batch.tgt_out[:, :-1]) and batch.tgt_in[0, 0] == tc.BOS


def test_without_the_mask_a_model_is_better_than_possible_when_taught_and_says_nothing_right_alone():
    ends = masks.training_ends(stored.load(DATA / "masking.json"))
    good, bug, best = (ends[name] for name in ("with the mask", "without the mask", "best possible"))
    assert bug["accuracy"] > best["accuracy"] + 0.1 and bug["nll"] < 0.1 * best["nll"]
    assert good["right"] > 0.95 and bug["right"] < 0.05 and bug["bleu"] < 0.2 * good["bleu"]


@pytest.mark.parametrize("name", experiment.MODELS)
def test_the_leak_test_finds_the_bug_before_any_training(name):
    config = tc.TransformerConfig(vocab_size=len(experiment.vocabulary()), **experiment.SIZE)
    src, tgt_in = torch.tensor([[5, 6, 7, tc.EOS]]), torch.tensor([[tc.BOS, 8, 9, 10, 11]])
    assert masks.leak_test(experiment.MODELS[name](config), src, tgt_in).passed == (name == "with the mask")


@pytest.mark.parametrize("n_layers", [1, 2, 6])
def test_in_decoding_a_missing_mask_changes_nothing_in_one_layer_and_logits_in_more(translator, models, n_layers):
    ways = masks.at_test_time(models[n_layers], *masks.taught(translator, SENTENCE))
    without, cached = ways["no mask"][1:], ways["cache"][1:]
    assert without.eq(0).all() if n_layers == 1 else without.gt(1e-3).all()
    assert cached.max() < 1e-5


def test_in_decoding_a_missing_mask_changes_translations(translator):
    changed = []
    for text in ("I am a teacher.", "Fish and visitors stink after three days."):
        src = translator.source([text])
        bare, ids = masks.say_without_mask(translator.model, src, 30), tc.greedy_decode(translator.model, src)[0].ids
        changed.append(translator.tokenizer.decode(bare) != translator.tokenizer.decode(ids))
    assert changed == [True, True]


def test_masks_in_use_in_the_trained_model_are_those_the_core_makes(translator, batch):
    found = masks.masks_in_use(translator.model, batch)
    assert torch.equal(found["decoder self-attention"], translator.model.tgt_mask(batch.tgt_in)[:, 0])


def test_no_head_of_the_trained_model_looks_at_padding_of_the_source(translator, batch):
    hidden = ~masks.masks_in_use(translator.model, batch)["cross-attention"][:, None]
    with torch.no_grad(), tc.record(translator.model, "decoder.*.cross_attention.weights") as trace:
        translator.model(batch.src, batch.tgt_in)
    assert all(weights.masked_select(hidden).eq(0).all() for weights in trace.values())
