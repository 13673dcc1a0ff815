"""The mask view: layers and their AND, the leak test on real models, and what the pictures say."""

import math
import xml.etree.ElementTree as ET

import pytest
import torch

import transformer_core as tc
from experiments import masks as masking
from studies.masks import Leak, decoder_mask, leak_test, reach, training_ends
from viz import masks

THREE = [[1.0, 2.0, 3.0], [0.5, 0.5, 9.0], [2.0, 2.0, 2.0]]
NASTY = ["<script>alert(1)</script>", "</svg>", "\"&'"]


pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


SRC, TGT = torch.tensor([[7, 8, 9, tc.EOS]]), torch.tensor([[tc.BOS, 11, 12, 13, 14, 15]])


def ones(n: int, diagonal: int) -> torch.Tensor:
    return torch.ones(n, n, dtype=torch.bool).tril(diagonal)


# ─── Layers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ─── Training with and without the mask ──────────────────────────────────────────────────────────────────────────────


def run_of(model: str, *accuracies: float) -> dict:
    curve = [dict(step=n, accuracy=a, nll=1 - a, right=a / 2, bleu=10 * a) for n, a in enumerate(accuracies)]
    return {"model": model, "curve": curve, "best": {"accuracy": 0.75, "nll": 0.5}}


def test_the_chart_of_the_training_has_the_mean_over_seeds_and_all_of_them_as_a_band():
    names = ["with the mask", "without the mask"]
    found = {"runs": [run_of(name, 0.0, end) for end in (0.5, 0.75) for name in names]}
    assert training_ends(found)[names[1]]["accuracy"] == pytest.approx(0.625)
    chart = masks.training_chart(found)
    curve = chart.panels[0].curves[0]
    assert (curve.name, list(curve.y), list(curve.low), list(curve.high)) == (names[0], [0, 0.625], [0, 0.5], [0, 0.75])
    assert [len(panel.curves) for panel in chart.panels] == [3, 3, 2]
    assert chart.panels[0].curves[2].y == [0.75, 0.75]


class TestTheTaskOfTheTraining:
    """experiments/masks.py: the best possible is what it says, and the bug is the only difference."""

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
        passed = {name: leak_test(make(config), SRC, TGT).passed for name, make in masking.MODELS.items()}
        assert passed == {"with the mask": True, "without the mask": False}

    def test_a_few_steps_give_curves_and_examples(self):
        points = list(masking.learn("without the mask", seed=0, steps=2, every=1))
        assert [point["step"] for point in points] == [1, 2]
        assert len(points[-1]["examples"]) == 4 and "bleu" in points[-1]


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

    assert Leak(change()).passed
    explored.layer = ones(n, 1).int().flatten().tolist()
    assert Leak(change()).failed and torch.equal(change() > 0, reach(explored.mask, 3))
    explored.model = "untrained, 1 layer"
    assert torch.equal(change() > 0, reach(explored.mask, 1))
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
        decoder_mask(translator.model, explored.mask),
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
