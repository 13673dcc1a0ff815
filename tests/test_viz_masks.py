"""The mask view: layers and their AND, the leak test on real models, and what the pictures say."""

import math
import xml.etree.ElementTree as ET

import pytest
import torch

import transformer_core as tc
from benchmarks import masking
from viz import masks

THREE = [[1.0, 2.0, 3.0], [0.5, 0.5, 9.0], [2.0, 2.0, 2.0]]
NASTY = ["<script>alert(1)</script>", "</svg>", "\"&'"]


pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


def little(n_layers: int, norm: str = "post") -> tc.Transformer:
    torch.manual_seed(n_layers)
    config = tc.TransformerConfig(
        vocab_size=30, n_layers=n_layers, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5, p_drop=0.5, norm=norm
    )
    return tc.Transformer(config)


SRC, TGT = torch.tensor([[7, 8, 9, tc.EOS]]), torch.tensor([[tc.BOS, 11, 12, 13, 14, 15]])


def ones(n: int, diagonal: int) -> torch.Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril(diagonal)


# ─── Layers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_mask_is_the_and_of_both_layers_and_padding_is_the_same_for_every_query():
    layer = [[1, 0, 1], [1, 1, 0]]
    assert masks.both(layer, [1, 1, 0]).tolist() == [[True, False, False], [True, True, False]]
    assert torch.equal(masks.both(ones(5, 0), torch.tensor([1, 1, 1, 0, 0])), ones(5, 0) & torch.arange(5).lt(3))


def test_layers_that_do_not_fit_are_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2,\).*\(S,\)"):
        masks.both([[1, 0, 1], [1, 1, 0]], [1, 1])


def test_reach_is_what_powers_of_the_mask_say():
    for n_layers in (1, 2, 4):
        mask = torch.rand(7, 7, generator=torch.Generator().manual_seed(n_layers)) < 0.2
        step = (mask | torch.eye(7, dtype=torch.bool)).double()
        assert torch.equal(masks.reach(mask, n_layers), torch.linalg.matrix_power(step, n_layers) > 0)


def test_three_by_three_under_the_causal_mask_has_zeros_above_and_rows_that_sum_to_1():
    view = masks.mask_view(THREE, ["I", "am", "here"], d_k=4)
    weights = masks.weights_of(view)
    assert not weights.triu(1).any() and torch.allclose(weights.sum(-1), torch.ones(3))
    view.scores = [1.0] * 9
    expected = torch.tensor([[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]])  # facts.md, section 10
    assert torch.allclose(masks.weights_of(view), expected)


def test_a_row_all_hidden_is_all_zero_in_the_core_and_nan_in_plain_softmax():
    view = masks.mask_view([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]], ["q0", "q1"], list("abc"), layer=[0, 0, 0, 1, 1, 0])
    weights = masks.weights_of(view)
    assert weights[0].tolist() == [0, 0, 0] and weights[1].sum() == pytest.approx(1)
    assert masks.scores_of(view).softmax(-1)[0].isnan().all()


def test_unequal_sides_rows_are_queries_and_columns_keys():
    view = masks.mask_view([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], ["q0", "q1"], ["k0", "k1", "k2"], padding=[1, 1, 0])
    assert view.mask.tolist() == [[True, False, False], [True, True, False]]
    assert masks.scores_of(view)[1].tolist() == [4, 5, -math.inf]


def test_what_does_not_fit_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"\(2, 2\).*3 query and 3 key.*\(3, 3\)"):
        masks.mask_view([[1.0, 2.0], [3.0, 4.0]], list("abc"))
    with pytest.raises(ValueError, match="finite"):
        masks.mask_view([[1.0, -math.inf], [3.0, 4.0]], list("ab"))
    view = masks.mask_view(THREE, list("abc"))
    for name, value in [("layer", [1, 0]), ("padding", [1, 1]), ("scores", [1.0])]:
        with pytest.raises(ValueError, match=f"{name} has {len(value)} cells, but 3 queries and 3 keys need"):
            setattr(view, name, value)


# ─── The leak test ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_a_later_token_never_moves_an_earlier_logit_not_by_one_bit(n_layers, norm):
    leak = masks.leak_test(little(n_layers, norm), SRC, TGT)
    assert leak.passed and leak.failed == [] and leak.later.eq(0).all()
    assert leak.change.tril().gt(0).sum() == 6 * 7 / 2  # and every own or earlier token moves it


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_what_moves_is_exactly_what_the_mask_lets_through_whatever_the_mask(n_layers):
    for seed in range(5):
        mask = torch.rand(6, 6, generator=torch.Generator().manual_seed(seed)) < 0.3
        leak = masks.leak_test(little(n_layers), SRC, TGT, mask)
        assert torch.equal(leak.change > 0, masks.reach(mask, n_layers))


def test_one_open_cell_leaks_into_one_row_of_one_layer_and_into_later_rows_of_two():
    mask = ones(6, 0)
    mask[1, 4] = True
    assert masks.leak_test(little(1), SRC, TGT, mask).failed == [1]
    assert masks.leak_test(little(2), SRC, TGT, mask).failed == [1, 2, 3]


def test_a_mask_too_open_by_one_lets_each_layer_see_one_token_further():
    for n_layers in (1, 2, 3):
        change = masks.leak_test(little(n_layers), SRC, TGT, ones(6, 1)).change
        assert torch.equal(change > 0, ones(6, n_layers))


def test_the_token_put_in_differs_even_where_it_stood_already():
    leak = masks.leak_test(little(1), SRC, torch.tensor([[tc.BOS, tc.UNK, 12]]), other=tc.UNK)
    assert leak.change.diagonal().gt(0).all()


def test_the_model_is_left_as_it_was_also_after_an_error():
    model = little(2).train()
    with pytest.raises(ZeroDivisionError), masks.decoder_mask(model, ones(6, 1)):
        1 / 0  # noqa: B018
    masks.leak_test(model, SRC, TGT, ones(6, 3))
    assert "tgt_mask" not in vars(model) and model.training


def test_padding_tokens_move_nothing_while_the_padding_layer_hides_them():
    tgt = torch.tensor([[tc.BOS, 11, 12, tc.PAD, tc.PAD]])
    real = tgt[0] != tc.PAD
    change = masks.leak_test(little(2), SRC, tgt, masks.both(torch.ones(5, 5), real)).change
    assert change[:3, 3:].eq(0).all() and change[:3, :3].gt(0).all()
    assert masks.leak_test(little(2), SRC, tgt, torch.ones(5, 5).bool()).change[:3, 3:].gt(0).all()


# ─── Test time ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_the_mask_one_layer_predicts_the_same_and_two_do_not_while_the_cache_agrees():
    for n_layers in (1, 2, 3):
        found = masks.at_test_time(little(n_layers), SRC, TGT)
        assert found["cache"].max() < 1e-5
        assert found["no mask"][0] == 0
        assert found["no mask"].eq(0).all() if n_layers == 1 else found["no mask"][1:].gt(1e-3).all()


def test_greedy_decoding_without_the_mask_is_the_cores_own_in_one_layer():
    model = little(1).eval()
    said = masks.say_without_mask(model, SRC, 8)
    kept = tc.greedy_decode(model, SRC, max_extra=5)[0].ids
    assert said[: len(kept)] == kept


# ─── Training with and without the mask ──────────────────────────────────────────────────────────────────────────────


def run_of(model: str, *accuracies: float) -> dict:
    curve = [dict(step=n, accuracy=a, nll=1 - a, right=a / 2, bleu=10 * a) for n, a in enumerate(accuracies)]
    return {"model": model, "curve": curve, "best": {"accuracy": 0.75, "nll": 0.5}}


def test_the_chart_of_the_training_has_the_mean_over_seeds_and_all_of_them_as_a_band():
    names = ["with the mask", "without the mask"]
    found = {"runs": [run_of(name, 0.0, end) for end in (0.5, 0.75) for name in names]}
    assert masks.training_ends(found)[names[1]]["accuracy"] == pytest.approx(0.625)
    chart = masks.training_chart(found)
    curve = chart.panels[0].curves[0]
    assert (curve.name, list(curve.y), list(curve.low), list(curve.high)) == (names[0], [0, 0.625], [0, 0.5], [0, 0.75])
    assert [len(panel.curves) for panel in chart.panels] == [3, 3, 2]
    assert chart.panels[0].curves[2].y == [0.75, 0.75]


class TestTheTaskOfTheTraining:
    """benchmarks/masking.py: the best possible is what it says, and the bug is the only difference."""

    SENTENCE = ("the", "wise", "teacher", "saw", "a", "table", "often")

    def test_the_translations_of_a_sentence_are_all_there_and_their_chances_sum_to_1(self):
        chances = masking.translations(self.SENTENCE)
        assert len(chances) == 2 * 2**4 and sum(chances.values()) == pytest.approx(1)
        assert chances["oft", "sah", "der", "weise", "Lehrer", "einen", "Tisch"] == pytest.approx(0.5 * 0.7**4)
        assert ("der", "kluge", "Schulmeister", "erblickte", "häufig", "einen", "Tisch") in chances

    def test_the_best_possible_is_the_entropy_of_the_choices(self):
        chances, n = masking.translations(self.SENTENCE), 8
        h = -0.7 * math.log(0.7) - 0.3 * math.log(0.3)
        each = [(masking.best_possible([(self.SENTENCE, target)]), chance) for target, chance in chances.items()]
        assert sum(score.nll * n * chance for score, chance in each) == pytest.approx(math.log(2) + 4 * h)
        assert sum(score.accuracy * n * chance for score, chance in each) == pytest.approx(
            0.5 * (1 + 4 * 0.7 + 3) + 0.5 * (0 + 3 * 0.7 + 4)
        )  # "der" in front is guessed; "oft" or "häufig" there is not

    def test_every_word_of_the_task_has_an_id_of_its_own(self):
        pairs = masking.make_pairs(50, 0)
        assert all(masking.spelled(masking.ids(words)) == words for pair in pairs for words in pair)

    def test_the_bug_leaks_and_the_core_does_not(self):
        config = tc.TransformerConfig(vocab_size=30, **masking.SIZE)
        passed = {name: masks.leak_test(make(config), SRC, TGT).passed for name, make in masking.MODELS.items()}
        assert passed == {"with the mask": True, "without the mask": False}

    def test_a_few_steps_give_curves_and_examples(self):
        points = list(masking.learn("without the mask", seed=0, steps=2, every=1))
        assert [point["step"] for point in points] == [1, 2]
        assert len(points[-1]["examples"]) == 4 and "bleu" in points[-1]


# ─── A batch ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PAIRS = [([5, 6], [7, 8, 9]), ([5, 6, 7, 8], [9])]


def test_the_masks_in_use_are_the_ones_the_core_makes():
    batch = tc.Batch.of(PAIRS)
    found = masks.masks_in_use(little(2), batch)
    source, n, T = batch.src != tc.PAD, batch.src.size(1), batch.tgt_in.size(1)
    assert torch.equal(found["encoder self-attention"], source[:, None].expand(-1, n, -1))
    assert torch.equal(found["cross-attention"], source[:, None].expand(-1, T, -1))
    assert torch.equal(found["decoder self-attention"], tc.causal_mask(T) & (batch.tgt_in != tc.PAD)[:, None])


def test_the_target_is_shifted_right_by_one():
    batch = tc.Batch.of(PAIRS)
    assert batch.tgt_in.tolist() == [[tc.BOS, 7, 8, 9], [tc.BOS, 9, tc.PAD, tc.PAD]]
    assert batch.tgt_out.tolist() == [[7, 8, 9, tc.EOS], [9, tc.EOS, tc.PAD, tc.PAD]]


def test_padding_in_the_source_gets_no_weight_and_gradients_flow_into_the_encoder():
    model, batch = little(2), tc.Batch.of(PAIRS)
    with tc.record(model, "decoder.*.cross_attention.weights") as trace:
        tc.label_smoothed_loss(model(batch.src, batch.tgt_in), batch.tgt_out).backward()
    for weights in trace.values():
        assert weights[0, :, :, 3:].eq(0).all() and torch.allclose(weights.sum(-1), torch.ones(2, 3, 4))
    assert all(p.grad.abs().sum() > 0 for p in model.encoder[0].self_attention.parameters())


def test_a_sentence_of_padding_alone_gives_no_nan():
    model = little(2).eval()
    tgt = torch.tensor([[tc.PAD, tc.PAD, tc.PAD]])
    with torch.no_grad():
        assert model(torch.zeros(1, 4, dtype=torch.long), tgt).isfinite().all()
        with tc.record(model, "*.weights") as trace:
            model(torch.zeros(1, 4, dtype=torch.long), tgt)
    assert all(weights.eq(0).all() for weights in trace.values())


# ─── Pictures and the live view ──────────────────────────────────────────────────────────────────────────────────────


def test_pictures_hold_every_token_as_text_and_no_token_as_markup():
    view = masks.mask_view(THREE, NASTY, title="<b>bold</b>", shows="synthetic")
    for dark in (False, True):
        drawn = ET.fromstring(masks.view_picture(view, dark).text)
        texts = ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
        assert {*NASTY, "<b>bold</b>", "synthetic"} <= set(texts)
    data, _ = view._repr_mimebundle_()
    assert "%3Csvg" in data["text/markdown"] and "application/vnd.jupyter.widget-view+json" in data


def test_the_picture_of_a_batch_has_a_dot_for_every_open_cell():
    masks_of = {"one": torch.tensor([[[1, 0, 1], [0, 0, 1]]]).bool(), "two": torch.tensor([[[1], [1]]]).bool()}
    picture = masks.batch_picture(masks_of, [[["q0", "q1"]]] * 2, [[["a", "b", "c"]], [["a"]]])
    assert picture.text.count("●") == 3 + 2
    with pytest.raises(ValueError, match="2 rows of 3 cells, 2 queries and 2 keys"):
        masks.batch_picture({"one": masks_of["one"]}, [[["q0", "q1"]]], [[["a", "b"]]])


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    texts = ["the cat sees a dog .", "die Katze sieht einen Hund ."]
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(texts * 3, 1000)
    torch.manual_seed(3)
    config = tc.TransformerConfig(vocab_size=len(tokenizer), n_layers=3, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5)
    return tc.Translator(tc.Transformer(config), tokenizer, "little")


@pytest.fixture
def explored(translator: tc.Translator, monkeypatch: pytest.MonkeyPatch):
    ids = translator.tokenizer.encode("die Katze sieht")
    monkeypatch.setattr(tc, "beam_search", lambda *_: [tc.Hypothesis([*ids[:5], tc.EOS], 0.0, 0.0)])
    return masks.explore_masks(translator, "the cat", n_padding=2, head=1)


def test_every_stroke_runs_the_leak_test_under_the_mask_in_hand(explored):
    n = len(explored.meta["queries"])

    def change() -> torch.Tensor:
        assert explored.leak["mask"] == explored.mask.int().flatten().tolist()
        return torch.tensor(explored.leak["change"]).reshape(n, n)

    assert masks.Leak(change()).passed
    explored.layer = ones(n, 1).int().flatten().tolist()
    assert masks.Leak(change()).failed and torch.equal(change() > 0, masks.reach(explored.mask, 3))
    explored.model = "untrained, 1 layer"
    assert torch.equal(change() > 0, masks.reach(explored.mask, 1))
    with pytest.raises(ValueError, match="no model 'other' here; choose from"):
        explored.model = "other"


def test_the_weights_shown_are_those_of_the_model_under_the_painted_mask(explored, translator):
    n = len(explored.meta["queries"])
    explored.layer = [1, *ones(n, 1).int().flatten().tolist()[1:-1], 0]
    src = translator.source(["the cat"])
    ids = [translator.tokenizer.processor.piece_to_id(piece) for piece in explored.meta["queries"]]
    name = "decoder.0.self_attention.weights"
    with (
        tc.evaluating(translator.model),
        masks.decoder_mask(translator.model, explored.mask),
        tc.record(translator.model, name) as trace,
    ):
        translator.model(src, torch.tensor([ids]))
    assert torch.allclose(masks.weights_of(explored), trace[name][0, 1], atol=1e-6)


def test_a_sentence_too_long_to_paint_is_refused(translator, monkeypatch):
    monkeypatch.setattr(tc, "beam_search", lambda *_: [tc.Hypothesis([5] * 20, 0.0, 0.0)])
    with pytest.raises(ValueError, match="becomes 22 tokens, 2 of them padding; 2 to 16 can be painted"):
        masks.explore_masks(translator, "the cat")


def test_a_mask_that_hides_everything_still_has_its_picture():
    view = masks.mask_view([[1.0, 2.0, 0.0], [3.0, 4.0, 1.0]], ["a", "b"], ["c", "d", "e"])
    view.layer = [0] * 6
    assert view.picture().text.count("−∞") >= 6


def test_the_picture_shows_the_plain_softmax_where_the_view_does():
    view = masks.mask_view([[1.0, 2.0], [3.0, 4.0]], ["a", "b"])
    view.layer = [0, 0, 1, 1]
    assert "NaN" not in view.picture().text
    view.plain = True
    assert view.picture().text.count("NaN") == 2


def test_no_tokens_and_no_width_are_refused():
    with pytest.raises(ValueError, match="0 query and 0 key tokens"):
        masks.mask_view(torch.zeros(0, 0), [])
    with pytest.raises(ValueError, match="d_k is 0"):
        masks.mask_view([[1.0]], ["a"], d_k=0)
