"""Positions: the numbers of facts, the rotation that the paper claims, and what models do without them."""

import math
import random
import re
import xml.etree.ElementTree as ET

import anywidget
import pytest
import torch

import transformer_core as tc
from experiments import positions as experiment
from studies.positions import learned_table
from viz import positions, text

ROWS = [[0.5, -1.0, 0.0, 2.0], [1.0, 0.25, -2.0, 0.0], [0.0, 0.0, 0.1, 0.2]]  # three positions of four features


pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so


def toy(**changes) -> tc.Transformer:
    torch.manual_seed(2)
    size = dict(n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5)
    return tc.Transformer(tc.TransformerConfig(30, **size | changes)).eval()


def little() -> tc.Translator:
    """An untrained translator of a few words."""
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(["the cat sees a dog", "die Katze sieht einen Hund"] * 3, 1000)
    torch.manual_seed(0)
    config = tc.TransformerConfig(len(tokenizer), n_layers=1, d_model=16, d_ff=16, n_heads=2, d_k=8, d_v=8)
    return tc.Translator(tc.Transformer(config), tokenizer)


# ─── Figures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dark", [False, True])
def test_a_heat_map_has_rows_for_positions_and_columns_for_features(dark):
    drawn = positions.table_picture(ROWS, "T <1>", "synthetic", dark=dark)
    root = ET.fromstring(drawn.text)
    paths = [node.get("d") for node in root.iter("{http://www.w3.org/2000/svg}path")]
    boxes = [
        tuple(map(int, re.split("[ hv]", part)[:4])) for path in paths for part in path.split("M")[1:] if "v" in part
    ]
    covered = {(i, j) for x, y, n, m in boxes for i in range(y, y + m) for j in range(x, x + n)}
    assert covered == {(i, j) for i, row in enumerate(ROWS) for j, value in enumerate(row) if value}
    assert "T <1>" in drawn.description and "synthetic" in drawn.description


def test_clocks_turn_to_the_right_from_twelve():
    drawn = positions.clocks_picture([math.pi / 2], 1, 1)  # a quarter a position
    lines = list(ET.fromstring(drawn.text).iter("{http://www.w3.org/2000/svg}polyline"))
    later, here = ([float(number) for number in re.split("[ ,]", line.get("points"))] for line in lines[1:])
    assert here[2] - here[0] == pytest.approx(48, abs=0.1) and here[3] == pytest.approx(here[1], abs=0.1)
    assert later[3] - later[1] == pytest.approx(48, abs=0.1)


@pytest.mark.parametrize("tab", ["map", "waves", "clocks", "similarity", "rotation", "learned"])
def test_every_tab_brings_a_picture_of_at_most_60_kilobytes(tab):
    learned = {"rows": torch.randn(25, 48).tolist(), "trained": 13, "shows": "trained: x"}
    view = positions.explore_positions(learned, tab=tab, d_model=128, length=200)
    data, _ = view._repr_mimebundle_()
    assert len(data["text/markdown"]) < 60_000 and ET.fromstring(view.picture().text) is not None


def test_wrong_traits_and_tables_are_refused_with_what_is_needed():
    with pytest.raises(ValueError, match=r"d_model is 63.*even"):
        positions.explore_positions(d_model=63)
    with pytest.raises(ValueError, match="no learned table"):
        positions.explore_positions(tab="learned")
    for wrong in ({"rows": [[1.0, 2.0], [1.0]], "trained": 1}, {"rows": [[1.0, 2.0]], "trained": 2}):
        with pytest.raises(ValueError, match="rows of one even width"):
            positions.explore_positions(wrong | {"shows": "x"})


# ─── Positions inside a model ────────────────────────────────────────────────────────────────────────────────────────


def test_the_order_view_translates_places_once_and_remembers_them():
    translator = little()
    explorer = positions.explore_order(translator, "a cat", [[1, 0, 2]])
    view = explorer.view
    assert view.meta["tokens"] == translator.tokenizer.pieces(translator.source(["a cat"])[0].tolist())
    n = len(view.meta["tokens"])
    assert view.places == [*range(n)] and view.known[0]["loss"] == 0
    before = len(view.known)
    view.places = [-1] * n
    view.places = [*range(n)]
    view.places = [-1] * n
    assert len(view.known) == before + 1 and view.known[-1]["places"] == [-1] * n
    assert explorer.status.value.count(view.known[0]["translation"]) == 1
    assert "%3C/svg>" in view._repr_mimebundle_()[0]["text/markdown"]


def test_a_sentence_too_long_or_empty_is_refused_in_the_line_and_the_view_stays():
    explorer = positions.explore_order(little(), "a cat")
    before = explorer.view.meta
    for wrong, told in (("", "at least one word"), ("x" * 60, "more than the 40 shown; try a shorter one")):
        explorer.text = wrong
        assert told in explorer.status.value and explorer.view.meta == before
    n = len(before["tokens"])
    explorer.view.places = [*range(n)][::-1]  # words still exchange their places, in the sentence that stands
    assert explorer.view.known[-1]["places"] == [*range(n)][::-1]
    explorer.view.places = [0]  # of another sentence, come late
    assert explorer.view.places == [*range(n)]


# ─── Learned tables, and the experiment on length ────────────────────────────────────────────────────────────────────


def test_learned_positions_have_no_value_beyond_their_table():
    model = toy(positions="learned", max_len=6)
    assert model.src_positions(6).shape == (6, 24)
    with pytest.raises(ValueError, match=r"reaches 7 tokens.*end at 6.*sinusoidal"):
        model.encode(torch.full((1, 7), 5))


def test_a_lengthened_table_keeps_its_rows_and_its_answers():
    torch.manual_seed(0)
    model = experiment.make_model("learned")
    longer = experiment.lengthened(model, 25)
    batch = tc.Batch.of(experiment.sequences(3, 5, "copy", random.Random(0)))
    with tc.evaluating(model), tc.evaluating(longer):
        assert torch.equal(model(batch.src, batch.tgt_in), longer(batch.src, batch.tgt_in))
    assert longer.src_positions.table.shape == (25, experiment.SIZE["d_model"])


def test_a_learned_model_is_scored_up_to_its_table_and_its_refusal_is_kept():
    torch.manual_seed(0)
    found = experiment.scores(experiment.make_model("learned"), "reverse")
    known = [score is not None for score in found["accuracy"]]
    assert known == [True] * experiment.TRAINED + [False] * (experiment.TESTED - experiment.TRAINED)
    assert "learned positions end at 13" in found["refusal"]


@pytest.mark.parametrize(("task", "wanted"), [("copy", [5, 6, 7]), ("reverse", [7, 6, 5])])
def test_the_tasks_are_what_they_are_called(task, wanted):
    assert experiment.TASKS[task]([5, 6, 7]) == wanted


def test_batches_of_the_experiment_are_a_function_of_the_seed_and_no_longer_than_trained():
    one, same, other = (next(experiment.Fresh("copy", seed, 20).epoch(0)) for seed in (0, 0, 1))
    assert torch.equal(one.src, same.src) and not torch.equal(one.src[:, :1], other.src[:, :1])
    assert one.src.size(1) <= experiment.TRAINED + 1


def test_a_model_without_positions_cannot_tell_the_order_of_its_source():
    torch.manual_seed(0)
    model, ids = experiment.make_model("none"), torch.tensor([[5, 6, 7, 8]])
    with torch.no_grad():
        assert torch.allclose(model.encode(ids.flip(1)), model.encode(ids).flip(1), atol=1e-5)


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match=r"'rotary'.*sinusoidal, learned, none"):
        experiment.make_model("rotary")


def test_the_chart_of_lengths_has_a_line_for_each_kind_as_long_as_the_core_answered():
    runs = [
        {"task": "copy", "positions": "sinusoidal", "accuracy": [1, 0.9, 0.5], "by_place": [1, 1, 0.2, 0]},
        {"task": "copy", "positions": "sinusoidal", "accuracy": [1, 0.7, 0.3], "by_place": [1, 1, 0.4, 0]},
        {"task": "copy", "positions": "learned", "accuracy": [1, 0.8, None], "by_place": []},
        {"task": "copy", "positions": "learned, longer table", "accuracy": [1, 0.8, 0.1], "table": [[1.0, 2.0]] * 4},
        {"task": "reverse", "positions": "none", "accuracy": [0, 0, 0], "by_place": [0, 0, 0, 0]},
    ]
    runs[3]["by_place"] = [0.5, 0.5, 0.1, 0]
    results = {"lengths": [1, 2, 3], "trained": 2, "runs": runs}
    by_length, by_place = positions.length_chart(results, "copy", "trained: toys").panels
    lines = {curve.name: list(curve.y) for curve in by_length.curves}
    assert lines["sinusoidal"] == pytest.approx([1, 0.8, 0.4]) and lines["learned"] == [1, 0.8]
    assert [curve.name for curve in by_place.curves] == ["sinusoidal", "learned, longer table"]
    assert list(by_length.curves[0].low) == [1, 0.7, 0.3] and by_length.marks == [(2, "training ends")]
    assert learned_table(results, "copy")["trained"] == 3


def test_no_trait_of_a_view_hides_one_that_the_notebook_s_machinery_needs():
    for view in (positions.PositionsView, positions.OrderView, text.TextView):
        own = set(view.class_trait_names(own=True))
        assert not own & set(anywidget.AnyWidget.class_trait_names())
