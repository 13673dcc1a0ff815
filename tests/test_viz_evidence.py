"""The evidence views: what the page gets, what is refused, and a translator behind them."""

import html
import json
import xml.etree.ElementTree as ET

import pytest
import torch
import toys_evidence

from studies import evidence as study
from studies import lens, pruning, rollout
from studies.attention import without_heads
from viz import evidence
from viz.evidence.graph import FIELDS, LEAST

pytestmark = pytest.mark.usefixtures("one_thread")
NASTY = ["<script>alert(1)</script>", "&amp; 'too'", "]]>"]
TABLES = {"weights": torch.tensor([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1]]), "gradient": torch.tensor([[1.0, -2, 0]] * 2)}
TRUTHS = {"hidden": torch.tensor([[0.0, 3, -1], [2, 1, 0]])}


@pytest.fixture(scope="module")
def translator():
    return toys_evidence.translator()


@pytest.fixture(scope="module")
def orders(translator) -> list[dict]:
    """Two orders as they are stored."""
    config = translator.model.config
    batches = toys_evidence.batches(translator)
    heads = [pruning.at_random(config, seed) for seed in (0, 1)]
    return [
        dict(name=f"at random, {seed}", order=[list(at) for at in order],
             points=pruning.curve(translator.model, batches, order, [0, 6, len(order)]))
        for seed, order in enumerate(heads)
    ]  # fmt: skip


# ─── Answers ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_page_gets_every_table_in_its_place():
    view = evidence.answers_view(
        TABLES, TRUTHS, NASTY[:2], NASTY, agreement={"weights": {"hidden": [0.1, 0, 0.2]}}, n=7
    )
    numbers = torch.frombuffer(bytearray(view.data), dtype=torch.float32).view(3, 2, 3)
    assert torch.equal(numbers, torch.stack([*TABLES.values(), *TRUTHS.values()]))
    assert [entry["name"] for entry in view.meta["answers"]] == ["weights", "gradient"] and view.meta["n"] == 7
    assert view.meta["answers"][0]["stored"] == {"hidden": [0.1, 0, 0.2]} and view.meta["answers"][1]["stored"] == {}
    json.dumps(view.meta)


def test_tables_of_another_shape_and_none_at_all_are_refused():
    with pytest.raises(ValueError, match=r"'weights' of the answers has shape \(2, 3\), but there are 3 target and 2"):
        evidence.answers_view(TABLES, TRUTHS, NASTY, NASTY[:2])
    with pytest.raises(ValueError, match="There are no truths"):
        evidence.answers_view(TABLES, {}, NASTY[:2], NASTY)
    view = evidence.answers_view(TABLES, TRUTHS, NASTY[:2], NASTY)
    with pytest.raises(ValueError, match="There is no answer 2 here; choose from 0 to 1"):
        view.answer = 2


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("answer", [0, 1])
def test_a_still_picture_of_answers_says_how_well_they_agree_and_takes_any_token_as_text(answer, dark):
    view = evidence.answers_view(TABLES, TRUTHS, NASTY[:2], NASTY, title="A <title>", shows="synthetic", answer=answer)
    root = ET.fromstring(evidence.answers_picture(view, dark).text)
    texts = "".join(root.itertext())
    rho = study.agreement([*TABLES.values()][answer], TRUTHS["hidden"]).item()
    assert f"rank agreement in this sentence {rho:.2f}" in texts.replace("−", "-") and "synthetic" in root.get(
        "aria-label"
    )
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_a_view_waits_while_its_model_reads_another_sentence(translator, orders):
    explorer = evidence.explore_pruning(translator, "the cat sees a dog", orders)
    waited = []
    explorer.view.observe(lambda change: waited.append((change.new, explorer.view.meta["version"])), "waits")
    explorer.text = "a dog and the street"
    explorer.text = "the cat " * 40  # refused
    assert waited == [(True, 0), (False, 1), (True, 1), (False, 1)] and "waits" not in explorer.view.state()


def test_a_typed_sentence_gets_answers_and_truths_of_its_own(translator):
    explorer = evidence.explore_answers(translator, "the cat sees a dog", answer=3)
    view = explorer.view
    names = [entry["name"] for entry in view.meta["answers"]]
    assert names == list(study.answers(explorer.reading, steps=2)) and view.answer == 3 and view.meta["live"]
    assert [entry["name"] for entry in view.meta["truths"]] == ["hidden", "of its kind"]
    assert all(entry["note"] for entry in (*view.meta["answers"], *view.meta["truths"]))
    before = view.data
    explorer.text = "a dog and the street"
    assert view.data != before and view.meta["source"] == explorer.reading.source_pieces and view.meta["version"] == 1
    shown = torch.frombuffer(bytearray(view.data), dtype=torch.float32)
    T, S = len(view.meta["target"]), len(view.meta["source"])
    hidden = study.losses(explorer.reading, [0] * (S - 1))
    torch.testing.assert_close(shown.view(-1, T, S)[-2], hidden, atol=1e-5, rtol=1e-4)
    assert ET.fromstring(view.picture().text) is not None
    explorer.text = "the cat " * 40
    assert "try a shorter one" in html.unescape(explorer.status.value)


# ─── Pruning ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_heads_that_are_not_there_and_curves_that_do_not_begin_whole_are_refused(orders):
    with pytest.raises(ValueError, match="names heads twice, or heads that are not there"):
        evidence.pruning_view(orders, n_layers=2, n_heads=2)
    late = [orders[0] | {"points": orders[0]["points"][1:]}]
    with pytest.raises(ValueError, match="must begin with n = 0"):
        evidence.pruning_view(late, 3, 2)
    with pytest.raises(ValueError, match="no order in which heads could go"):
        evidence.pruning_view([], 3, 2)


@pytest.mark.parametrize("dark", [False, True])
def test_a_still_picture_of_pruning_has_curves_heads_and_translations(orders, dark):
    known = [dict(order=0, n=n, translation=f"{n} <b>") for n in (0, 6)]
    view = evidence.pruning_view(orders, 3, 2, text=NASTY[0], known=known, n=6, shows="trained: x")
    root = ET.fromstring(evidence.pruning_picture(view, dark).text)
    texts = "".join(root.itertext())
    assert "6 of 18 heads gone" in texts and "6 <b>" in texts and "trained: x" in root.get("aria-label")
    assert not [node for node in root.iter() if node.tag.endswith("script")]


def test_moving_the_slider_translates_without_the_heads_that_are_gone_and_remembers_it(translator, orders):
    explorer = evidence.explore_pruning(translator, "the cat sees a dog", orders, n=6)
    view = explorer.view
    assert [(answer["order"], answer["n"]) for answer in view.known] == [(0, 0), (0, 6), (0, 18)]
    assert view.known[0]["translation"] == translator.translate(["the cat sees a dog"], 1)[0]
    view.n = 5
    gone = [tuple(at) for at in orders[0]["order"]][:5]
    assert view.known[-1] == dict(
        order=0, n=5, translation=pruning.translations(translator, ["the cat sees a dog"], gone)[0]
    )
    n = len(view.known)
    view.n = 6
    assert len(view.known) == n  # that was known
    view.order = 1
    assert (view.known[-1]["order"], view.known[-1]["n"]) == (1, 6)
    explorer.text = "a dog"
    assert view.meta["text"] == "a dog"
    assert [(answer["order"], answer["n"]) for answer in view.known] == [(0, 0), (1, 6)]
    assert view.known[0]["translation"] == translator.translate(["a dog"], 1)[0]


# ─── The graph of one word ───────────────────────────────────────────────────────────────────────────────────────────


def test_the_page_gets_the_edges_of_every_row_in_their_places(translator):
    explorer = evidence.explore_graph(translator, "the cat sees", row=1, threshold=0.1)
    view, reading = explorer.view, explorer.reading
    numbers = torch.frombuffer(bytearray(view.data), dtype=torch.float32).view(-1, len(FIELDS))
    starts = view.meta["starts"]
    assert len(starts) == len(reading.ids) + 1 and starts[-1] == len(numbers)
    for row in (0, 1):
        edges = rollout.graph(reading, row, LEAST)["edges"]
        part = numbers[starts[row] : starts[row + 1]]
        assert part[:, -1].tolist() == pytest.approx([edge["amount"] for edge in edges])
        assert part[:, 2].tolist() == [-1 if edge["head"] is None else edge["head"] for edge in edges]
    assert view.meta["inputs"] == reading.target_pieces and view.meta["target"] == reading.predicted_pieces
    view.off = [["cross", 2, 1], ["decoder", 0, 0]]
    alone = without_heads(reading, view.off, 1)
    assert view.ablation["translation"] == alone["translation"]
    assert view.ablation["total"] == pytest.approx(alone["total"])
    assert view.ablation["off"] == view.off
    explorer.text = "a dog"
    assert (
        view.row == 0
        and view.off == []
        and view.ablation == {}
        and view.meta["source"] == explorer.reading.source_pieces
    )
    with pytest.raises(ValueError, match="There are 1 graphs, 2 tokens said and 2 read"):
        evidence.graph_view(explorer.graphs[:1], "ab", "ab", "abc", 3)


def test_a_still_graph_has_an_edge_for_each_from_its_threshold_on(translator):
    explorer = evidence.explore_graph(translator, "the cat sees", row=1, threshold=0.05)
    root = ET.fromstring(evidence.graph_picture(explorer.view, dark=True).text)
    edges = [edge for edge in explorer.graphs[1]["edges"] if edge["amount"] >= 0.05]
    paths = [node for node in root.iter("{http://www.w3.org/2000/svg}path") if node.get("stroke-opacity")]
    assert len(paths) == len(edges) > 3 and f"{len(edges)} edges" in root.get("aria-label")


# ─── The logit lens ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_lens_shows_what_each_layer_would_say_and_where_it_is_decided(translator):
    reading = toys_evidence.reading(translator)
    root = ET.fromstring(evidence.lens_of(reading).text)
    texts = {text.text for text in root.iter() if text.text}
    top = lens.lens(reading)["top"]
    assert {"layer 0", "layer 2", *reading.predicted_pieces, "has read", *reading.target_pieces} <= texts
    assert translator.tokenizer.pieces([top[1, 0]])[0] in " ".join(texts)
    with pytest.raises(ValueError, match="give one of each a layer and token"):
        evidence.lens_picture([[0.1, 0.2]], [["a", "b"]], "abc")


# ─── Charts ──────────────────────────────────────────────────────────────────────────────────────────────────────────

TABLE = [[[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], [[0.0, 0.0, 0.1]] * 2, [[0.2, 0.9, 0.1], [0.3, 0.2, 0.1]]]  # L 2, H 3


def test_every_head_is_a_dot_at_its_two_numbers():
    tables = {
        "importance": TABLE,
        "confidence": TABLE,
        "zeroed": [[[2 * x for x in row] for row in kind] for kind in TABLE],
    }
    drawn = evidence.importance_chart(tables, "synthetic")
    assert [panel.title for panel in drawn.panels] == ["importance", "confidence"]
    cross = drawn.panels[0].curves[2]
    assert (cross.name, len(cross.x)) == ("cross", 6) and cross.y == pytest.approx([2 * x for x in cross.x])


def test_orders_at_random_are_one_curve_between_their_extremes():
    def points(*losses: float) -> list[dict]:
        return [dict(n=6 * n, nll=nll) | (dict(bleu=30.0 - n) if n != 1 else {}) for n, nll in enumerate(losses)]

    orders = [dict(name="least important first", points=points(1, 1, 5))]
    orders += [dict(name=f"at random, {n}", points=points(1, 2 + n, 5)) for n in range(3)]
    loss, translations = evidence.pruning_chart(orders, "synthetic").panels
    lot = loss.curves[-1]
    assert (lot.name, lot.y, lot.low, lot.high) == ("at random, mean of 3 draws", [1, 3, 5], [1, 2, 5], [1, 4, 5])
    first, drawn = translations.curves[0], translations.curves[-1]
    assert (first.x, first.y) == ([0, 12], [30, 28])
    assert (drawn.name, drawn.dash == lot.dash) == ("at random, one draw", False)  # one legend entry would say of both
    with pytest.raises(ValueError, match="no order to draw"):
        evidence.pruning_chart([], "synthetic")


def test_a_map_of_heads_names_the_largest():
    drawn = evidence.heads_picture(TABLE, "Importance", "synthetic")
    assert "cross layer 0 head 1: 0.9" in drawn.description
    with pytest.raises(ValueError, match="The table has 2 kinds; give 3"):
        evidence.heads_picture(TABLE[:2], "", "")


# ─── Jobs ────────────────────────────────────────────────────────────────────────────────────────────────────────────

JOBS = [
    dict(
        job="alignment",
        baseline=0.5,
        heads=[["cross", 1, 0, 0.7, 0.2, 0.1, 0.3, True], ["cross", 0, 3, 0.4, -0.1, -0.2, 0, False]],
    ),
    dict(job="coreference", baseline=0.25, heads=[["encoder", 1, 0, 0.6, 0.35, -0.1, 0.6, False]]),
]


def test_jobs_stand_with_the_largest_gain_first_and_are_searched_by_head_and_by_job():
    view = evidence.jobs_view(JOBS, sure=False)
    assert [row[6] for row in view.meta["rows"]] == [0.35, 0.2, -0.1]
    for traits, n in (
        (dict(search="Layer 1, head 0"), 2), (dict(search="alignment"), 2), (dict(search="", kind="cross"), 2),
        (dict(sure=True), 1), (dict(kind="decoder"), 0),
    ):  # fmt: skip
        for name, value in traits.items():
            setattr(view, name, value)
        assert f"{n} of 3 rows" in evidence.jobs_picture(view).description
    with pytest.raises(ValueError, match="There are no jobs to show"):
        evidence.jobs_view([])


@pytest.mark.parametrize("dark", [False, True])
def test_a_still_picture_of_jobs_has_heads_scores_and_intervals(dark):
    root = ET.fromstring(evidence.jobs_picture(evidence.jobs_view(JOBS, shows="synthetic", sure=False), dark).text)
    texts = "".join(root.itertext())
    assert (
        "cross, layer 1, head 0" in texts
        and "0.200 (0.100 to 0.300)" in texts
        and "synthetic" in root.get("aria-label")
    )
