"""The decoding views: the recorded search is the core's at every width and α, in Python and in the page's script."""

import itertools
import json
import math
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

import transformer_core as tc
from studies import decoding as study
from viz import decoding

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so

NASTY = ["<script>alert(1)</script>", "</svg>", "\"&'"]
ALPHAS = [0.0, 0.6, 1.0, 1.5, 2.0]
WIDTHS = range(1, 6)


def grown(seed: int, width: int, max_extra: int = 7, vocab_size: int = 9) -> tuple[Any, torch.Tensor, study.Tree]:
    model, src = study.Little(seed, vocab_size, lean=0.5), torch.tensor([[4 + seed % 3, 5, tc.EOS]])
    return model, src, study.grow(model, src, width, {}, [], max_extra)


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    texts = ["the cat sees a dog .", "die Katze sieht einen Hund ."]
    with pytest.warns(UserWarning):
        tokenizer = tc.Tokenizer.train(texts * 3, 1000)
    config = tc.TransformerConfig(vocab_size=len(tokenizer), n_layers=3, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5)
    with tc.seeded(torch.device("cpu"), 3):
        return tc.Translator(tc.Transformer(config), tokenizer, "little")


# ─── The recorded search ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("width", WIDTHS)
def test_one_recording_answers_as_the_core_does_at_every_alpha(width):
    ends = set()
    for seed in (0, 1, 2, 4, 6, 9):
        model, src, tree = grown(seed, width)
        for alpha in ALPHAS:
            assert tree.result(alpha) == tc.beam_search(model, src, width, alpha, max_extra=7)[0]  # to the last bit
            ends.add(tree.n_steps(alpha))
    assert len(ends) > 2  # some stopped early, some late


@pytest.mark.parametrize("width", [2, 4])
def test_the_core_stops_after_as_many_steps_as_the_recording_says(width):
    for seed, alpha in itertools.product(range(4), ALPHAS):
        model, src, tree = grown(seed, width)
        with tc.evaluating(model):
            steps = list(tc.beam_steps(model, src, width, alpha, 7))
        assert tree.n_steps(alpha) == len(steps)


def test_a_larger_alpha_stops_no_sooner_and_gives_no_shorter_sentence():
    longer = 0
    for seed in range(12):
        _, _, tree = grown(seed, 4)
        steps, lengths = [tree.n_steps(alpha) for alpha in ALPHAS], [len(tree.result(alpha).ids) for alpha in ALPHAS]
        assert steps == sorted(steps) and lengths == sorted(lengths)
        longer += lengths[-1] > lengths[0]
    assert longer  # or nothing was shown


def test_candidates_stand_best_first_and_those_below_the_beam_are_worse_than_those_in_it():
    seen = set()
    for seed in range(8):
        _, _, tree = grown(seed, 3)
        for step in tree.steps:
            log_probs = [one.log_prob for one in step]
            assert log_probs == sorted(log_probs, reverse=True)
            assert [one.fate == study.BELOW for one in step] == [rank >= tree.width for rank in range(len(step))]
            assert all(one.token not in (tc.PAD, tc.BOS) for one in step)
            seen |= {one.fate for one in step}
    assert seen == {study.LIVE, study.FINISHED, study.NO_SLOT, study.BELOW}


def test_a_candidates_log_probability_is_its_parents_and_its_own_tokens():
    model, src, tree = grown(3, 3)
    for n, step in enumerate(tree.steps, 1):
        for rank, one in enumerate(step):
            ids = tree.ids(n, rank)
            assert ids[-1] == one.token and len(ids) == n
            with tc.evaluating(model):
                log_probs = model(src, torch.tensor([[tc.BOS, *ids[:-1]]]))[0].log_softmax(-1)
            whole = sum(log_probs[i, token].item() for i, token in enumerate(ids))
            assert one.log_prob == pytest.approx(whole, abs=1e-4)


def test_what_finished_is_ranked_by_score_and_scores_are_the_formulas():
    _, _, tree = grown(9, 5)
    found = tree.finished(0.6, len(tree.steps))
    assert len(found) > 1 and [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for one in found:
        assert one.score == pytest.approx(one.log_prob / ((5 + one.step) / 6) ** 0.6)
        assert tree.steps[one.step - 1][one.rank].token == tc.EOS


def test_an_alpha_that_was_not_recorded_is_refused():
    _, _, tree = grown(1, 2)
    short = replace(tree, steps=tree.steps[:1], limit=50)
    with pytest.raises(ValueError, match=r"alpha is 0\.6, larger than the 2\.0"):
        short.n_steps(0.6)


SCRIPT = """
import { script } from "SCRIPT_MJS";
const view = await script("decoding/beam.js"), { trees, alphas } = JSON.parse(await new Response(process.stdin).text());
const answers = trees.map((tree) => alphas.map((alpha) => {
  const { n, result } = view.outcome(tree, alpha);
  return [n, view.idsOf(tree, result.step, result.rank), result.score];
}));
console.log(JSON.stringify(answers));
"""


def test_the_pages_script_chooses_what_the_core_chooses_at_every_width_and_alpha(tmp_path):
    node = shutil.which("node") or pytest.skip("node is not installed")
    runner = tmp_path / "run.mjs"
    runner.write_text(SCRIPT.replace("SCRIPT_MJS", Path(__file__).with_name("script.mjs").as_uri()))
    cases = [grown(seed, width) for seed in (1, 4, 6, 9) for width in (1, 2, 4)]
    given = json.dumps({"trees": [decoding.tree_json(tree) for *_, tree in cases], "alphas": ALPHAS})
    done = subprocess.run([node, str(runner)], input=given, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for (model, src, tree), answers in zip(cases, json.loads(done.stdout), strict=True):
        for alpha, (n, ids, score) in zip(ALPHAS, answers, strict=True):
            core = tc.beam_search(model, src, tree.width, alpha, max_extra=7)[0]
            assert (n, ids) == (tree.n_steps(alpha), core.ids)
            assert score == pytest.approx(core.score, rel=1e-6)


def test_a_place_holds_the_models_own_softmax_and_cross_attention():
    known: dict[tuple[int, ...], int] = {}
    places: list[study.Place] = []
    model, src = study.Little(2, 14), torch.tensor([[6, 5, 8, tc.EOS]])
    for width in (1, 3):
        tree = study.grow(model, src, width, known, places, 3)
        assert all(0 <= place < len(places) for row in tree.places for place in row if place >= 0)
    assert len(known) == len(places) > 4
    for ids, number in known.items():
        with tc.evaluating(model), tc.record(model, "decoder.*.cross_attention.weights") as trace:
            p = model(src, torch.tensor([[tc.BOS, *ids]]))[0, -1].softmax(-1)
        one, weights = places[number], [trace[f"decoder.{n}.cross_attention.weights"][0, :, -1] for n in range(2)]
        assert torch.allclose(torch.tensor(one.probabilities, dtype=p.dtype), p[one.tokens], atol=1e-5)
        assert torch.allclose(one.attention, torch.stack(weights).mean(1), atol=1e-5)  # (L, S), mean of the heads
        assert one.attention.shape == (2, 4) and len(one.tokens) == study.TOP
        assert not {tc.PAD, tc.BOS} & set(one.tokens)


# ─── The live view ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_typed_sentence_takes_the_old_ones_place_and_a_refused_one_leaves_it_standing(translator):
    explorer = decoding.explore_beam(translator, "the cat sees a dog .", width=2, alpha=1.0, step=1, node=[1, 0])
    view = explorer.view
    before = view.trees
    assert (view.width, view.alpha, view.meta["version"]) == (2, 1.0, 0) and len(before) == study.MOST_WIDTH
    explorer.text = "a dog"
    assert view.meta["title"] == "a dog" and view.meta["version"] == 1 and view.trees != before
    assert (view.width, view.alpha, view.step, view.node) == (2, 1.0, 0, [])
    assert "at most" in explorer.status.value
    explorer.text = "the " * 60
    assert view.meta["title"] == "a dog" and "more than the 40 shown" in explorer.status.value
    explorer.text = "   "
    assert view.meta["title"] == "a dog" and "at least one word" in explorer.status.value


def test_the_line_tells_which_beam_is_searched(translator, monkeypatch):
    explorer, lines = decoding.explore_beam(translator, "a dog"), []
    monkeypatch.setattr(explorer, "say", lines.append)
    explorer.text = "the cat"
    assert lines[1:-1] == [f"the model answers: beam of {width}, of 1 to 8 …" for width in range(1, 9)]
    assert "searched with beams of 1 to 8" in lines[-1]


def test_what_the_view_holds_fits_together(translator):
    view = decoding.explore_beam(translator, "the cat sees a dog .").view
    places, n_source = len(view.meta["likeliest"]), len(view.meta["source"])
    assert len(view.data) == 4 * places * view.meta["n_layers"] * n_source
    for width, tree in enumerate(view.trees, 1):
        assert tree["width"] == width
        for step in tree["steps"]:
            assert {str(token) for token in step["token"]} <= set(view.meta["words"])
            assert len(step["parent"]) == len(step["token"]) == len(step["log_prob"]) == len(step["fate"])
    for name, value in [("width", 99), ("layer", 3), ("alpha", 2.5), ("alpha", math.nan)]:
        with pytest.raises(ValueError, match=f"{name} is {value}; here it goes up to"):
            setattr(view, name, value)


def test_the_picture_shows_the_chosen_sentence_in_light_and_dark(translator):
    explorer = decoding.explore_beam(translator, "a dog", width=3)
    words = {token: NASTY[i % 3] for i, token in enumerate(explorer.view.meta["words"])}
    meta = explorer.view.meta | {"words": words, "title": "<b>bold</b>"}
    for dark in (False, True):
        drawn = ET.fromstring(decoding.tree_picture(explorer.reading.trees[3], meta, 0.6, dark=dark).text)
        text = "".join(drawn.itertext())
        assert "trained: little" in text and "<b>bold</b>" in text and "beam width 3, α = 0.6" in text
    data, _ = explorer._repr_mimebundle_()
    assert "%3Csvg" in data["text/markdown"] and "application/vnd.jupyter.widget-view+json" in data


def drawn_of(tree: study.Tree, greedy: Any, pruned: bool) -> tuple[list[bool], list[int]]:
    """Of a tree's picture: of each box, rank by rank, whether it is dashed; and at which of them dashed lines end."""
    words = {str(token): f"w{token}" for token in range(9)}
    meta = {"title": "toy", "words": words, "shows": "untrained"}
    picture = ET.fromstring(decoding.tree_picture(tree, meta, 0.6, pruned, greedy).text)
    boxes = [box for box in picture.iterfind(".//{*}rect") if "rx" in box.attrib]
    tips = [
        (line.get("x2"), line.get("y2")) for line in picture.iterfind(".//{*}line") if "stroke-dasharray" in line.attrib
    ]
    middles = [(box.get("x"), f"{float(box.get('y')) + 18:.1f}") for box in boxes]
    return ["stroke-dasharray" in box.attrib for box in boxes], [middles.index(tip) for tip in tips]


def test_the_picture_dashes_greedys_path_and_frames_what_was_pruned_in_dashes_unless_it_is_left_out():
    model, src, tree = grown(4, 3)
    greedy, n = tc.greedy_decode(model, src, max_extra=7)[0].ids, tree.n_steps(0.6)
    steps = tree.steps[:n]
    ranks = range(max(map(len, steps)))
    places = [(n, rank) for rank in ranks for n, step in enumerate(steps, 1) if rank < len(step)]
    fates = [steps[step - 1][rank].fate for step, rank in places]
    path = [step > 1 and tree.ids(step, rank) == greedy[:step] for step, rank in places]
    assert any(path) and {study.LIVE, study.BELOW} <= {*fates}
    dashed, tips = drawn_of(tree, greedy, pruned=True)
    assert dashed == [fate > study.FINISHED for fate in fates]
    assert sorted(tips) == [place for place, on_path in enumerate(path) if on_path]
    dashed, tips = drawn_of(tree, greedy, pruned=False)
    assert dashed == [False] * sum(fate <= study.FINISHED for fate in fates) and len(dashed) < len(fates)


# ─── Greedy, teacher forcing, every sentence ─────────────────────────────────────────────────────────────────────────


def test_greedy_without_a_cache_says_what_greedy_with_one_says():
    lengths = set()
    for seed in range(10):
        model, src = study.Little(seed, 11), torch.tensor([[4 + seed % 5, 7, tc.EOS]])
        ids = tc.greedy_decode(model, src, max_extra=6, cached=False)[0].ids
        assert ids == tc.greedy_decode(model, src, max_extra=6)[0].ids
        lengths.add(len(ids))
    assert len(lengths) > 1 and max(lengths) == 8  # some were cut off: 2 source tokens and 6


# ─── Sampling ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_pages_script_cuts_where_python_cuts(tmp_path):
    node = shutil.which("node") or pytest.skip("node is not installed")
    logits = torch.randn(3, 40, generator=torch.Generator().manual_seed(0)).mul(2).sort(-1, descending=True).values
    settings = [*itertools.product((0.4, 1.0, 2.5), (0, 1, 7), (0.3, 0.9, 1.0))]
    uri = Path(__file__).with_name("script.mjs").as_uri()
    runner = tmp_path / "run.mjs"
    runner.write_text(
        f'import {{ script }} from "{uri}"; const view = await script("decoding/sampling.js");'
        f"const rows = {json.dumps(logits.tolist())}, settings = {json.dumps(settings)};"
        "console.log(JSON.stringify(rows.map((row) => settings.map(([t, k, p]) => {"
        "const free = view.softmax(row, t), { count, mass } = view.kept(free, k, p); "
        "return [count, free[0] / mass]; }))));"
    )
    done = subprocess.run([node, str(runner)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for row, answers in zip(logits, json.loads(done.stdout), strict=True):
        for (t, k, p), (count, first) in zip(settings, answers, strict=True):
            kept = study.cut(row, t, k, p)
            assert (kept > 0).sum() == count and kept[0].item() == pytest.approx(first, rel=1e-5)


def test_the_sampling_view_sorts_and_refuses_what_does_not_fit():
    view = decoding.sampling_view([[1.0, 3.0, 2.0], [0.0, -1.0, 5.0]], NASTY, ["p0", "p1"], top_k=2, title="<i>")
    assert view.meta["words"] == [[NASTY[1], NASTY[2], NASTY[0]], [NASTY[2], NASTY[0], NASTY[1]]]
    assert len(view.data) == 4 * 2 * 3
    text = "".join(ET.fromstring(view.picture().text).itertext())
    assert all(part in text for part in NASTY) and "2 of 3 tokens kept" in text
    with pytest.raises(ValueError, match="no place 2 here; choose from 0 to 1"):
        view.place = 2
    for logits, tokens, places in [([[1.0, 2.0]], ["a"], ["p"]), ([1.0], ["a"], ["p"]), (torch.zeros(0, 0), [], [])]:
        with pytest.raises(ValueError, match="pass one row of logits for each place"):
            decoding.sampling_view(logits, tokens, places)


def test_places_that_a_translation_does_not_have_are_refused(translator):
    for at in ([], [2], [-1], [0, 9]):
        with pytest.raises(ValueError, match="of the 2 tokens, from 0 to 1"):
            decoding.explore_sampling(translator, "a dog", [5, tc.EOS], at)
    assert decoding.explore_sampling(translator, "a dog", [5, tc.EOS], [1, 0]).meta["places"][1] == "the first word"


# ─── Pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_picture_of_two_ways_marks_the_first_divergence_only():
    picture = decoding.two_ways_picture(["a", "b", NASTY[0], "</s>"], ["a", "x", NASTY[0], "</s>"], ["a", "x", "</s>"])
    text = "".join(ET.fromstring(picture.text).itertext())
    assert "first divergence: place 2" in text and NASTY[0] in text
    same = decoding.two_ways_picture(["a", "b"], ["a", "b"], ["a", "b"], dark=True)
    assert "divergence" not in "".join(ET.fromstring(same.text).itertext())
    shorter = decoding.two_ways_picture(["a", "b"], ["a", "b"], ["a"])
    assert "first divergence: place 2" in shorter.text
    for reference, taught in [([], []), (["a"], []), (["a"], ["a", "b"])]:
        with pytest.raises(ValueError, match="one guess for each token"):
            decoding.two_ways_picture(reference, taught, ["a"])


def test_the_chart_of_operations_wants_one_number_of_each_for_every_token():
    chart = decoding.operations_chart([1e6, 2e6, 3e6], [2e6, 5e6, 9e6], "synthetic")
    assert chart.panels[1].curves[0].y == [2, 7, 16] and chart.panels[1].curves[1].y == [1, 3, 6]
    for with_cache, without in [([1], [1, 2]), ([], [])]:
        with pytest.raises(ValueError, match="one of each for every token"):
            decoding.operations_chart(with_cache, without, "synthetic")


def test_the_chart_of_places_marks_what_each_width_found():
    chart = decoding.places_chart([-1.0, -2.0, -4.0], {1: 3, 2: 1}, "synthetic")
    assert [(curve.x, curve.y) for curve in chart.panels[0].curves[1:]] == [([3], [-4.0]), ([1], [-1.0])]
    for log_probs, places in [([], {}), ([-1.0], {1: 2}), ([-1.0], {1: 0})]:
        with pytest.raises(ValueError, match="places from 1 to their number"):
            decoding.places_chart(log_probs, places, "synthetic")


# ─── Taught and alone ────────────────────────────────────────────────────────────────────────────────────────────────


def forced(**opens_with: Any) -> decoding.ForcedView:
    """Three places, two layers, two heads, three source tokens; the second place is where they part."""
    numbers = torch.arange(2 * 3 * 4, dtype=torch.float32).reshape(2, 3, 4).softmax(-1)
    cross = torch.arange(2 * 3 * 2 * 2 * 3, dtype=torch.float32).reshape(2, 3, 2, 2, 3).sin().softmax(-1)
    words = (["a", "b", *NASTY], ["a", "x", "</s>"], [*NASTY[:2], "</s>"])
    return decoding.forced_view(numbers, cross, [*NASTY, "d"], *words, title="<b>bold</b>", **opens_with)


def test_the_view_of_taught_and_alone_holds_both_distributions_of_each_place():
    view = forced(place=2, layer=1)
    assert (view.meta["parts"], view.meta["n_places"], view.head) == (1, 3, -1) and len(view.meta["places"]) == 3
    for place in view.meta["places"]:
        assert len(place["words"]) == len(place["taught"]) == len(place["alone"]) == 4
        assert sum(place["taught"]) == pytest.approx(1, abs=1e-4) and 0 <= place["apart"] <= 1
    assert len(view.data) == 4 * 2 * 3 * 2 * 2 * 3
    for name, value in [("place", 3), ("layer", 2), ("head", 2), ("head", -2)]:
        with pytest.raises(ValueError, match=f"There is no {name} {value} here"):
            setattr(view, name, value)


def test_numbers_that_do_not_fit_the_lines_are_refused():
    for distributions, cross in [((2, 2, 4), (2, 3, 1, 1, 2)), ((2, 3, 4), (2, 3, 1, 1, 5)), ((2, 3, 4), (2, 3, 1, 2))]:
        with pytest.raises(ValueError, match=r"distributions has shape .* for 3 places"):
            decoding.forced_view(torch.zeros(distributions), torch.zeros(cross), list("abcd"), "xyz", "xyw", "st")


def test_the_picture_of_taught_and_alone_says_where_they_part_in_light_and_dark():
    for dark, view in itertools.product((False, True), (forced(place=2), forced(head=1))):
        text = "".join(ET.fromstring(decoding.forced_picture(view, dark=dark).text).itertext())
        assert "first divergence: place 2" in text and "<b>bold</b>" in text and all(word in text for word in NASTY)
        assert ("mean of the heads" if view.head < 0 else "head 1") in text


def test_a_sentence_and_its_reference_are_typed_in_one_line(translator):
    explorer = decoding.explore_forced(translator, "the cat sees a dog .", "die Katze sieht einen Hund .", layer=2)
    view, ways = explorer.view, explorer.reading
    assert explorer.text == "the cat sees a dog . | die Katze sieht einen Hund ." and view.layer == 2
    assert view.meta["reference"] == ways.taught.predicted_pieces and view.meta["own"] == ways.alone.predicted_pieces
    assert view.place == min(ways.parts + 1, ways.n_places - 1)
    numbers = torch.frombuffer(bytearray(view.data), dtype=torch.float32)
    assert torch.equal(numbers, ways.cross_attention().flatten()) and "at place" in explorer.line
    explorer.text = "a dog"
    assert view.meta["title"] == "a dog" and view.meta["version"] == 1
    assert explorer.reading.taught.ids == tc.beam_search(translator.model, translator.source(["a dog"]))[0].ids
    explorer.text = "the cat | " + "Hund " * 60
    assert view.meta["title"] == "a dog" and "more than the 40 shown" in explorer.line
    explorer.text = " | Hund"
    assert view.meta["title"] == "a dog" and "at least one word" in explorer.line
