"""Training: a run that pauses, goes back and changes its rate; alignment error; batches; targets; experiments."""

import json
import math
import shutil
import subprocess
import threading
import time
import xml.etree.ElementTree as ET
from array import array
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from core_options import schedule, ways
from corpora import grammar
from experiments import training as experiment
from studies.alignment import cross_weights, truth
from studies.training import RECIPE, Lessons, LiveRun, Unaligned, filling
from viz import training

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so
ROOT = Path(__file__).resolve().parent.parent
SMALL = dict(n_layers=2, d_model=32, d_ff=48, n_heads=3, d_k=8, d_v=5)
QUICK = replace(RECIPE, steps=60, warmup_steps=10, cooldown_steps=20, device="cpu")
NASTY = ["<script>alert(1)</script>", "</svg>", "\"&'"]


@pytest.fixture(scope="module")
def pairs() -> list:
    return grammar.sample(400, difficulty=1)


@pytest.fixture(scope="module")
def lessons(pairs) -> Lessons:
    return Lessons([(pair.english, pair.german) for pair in pairs[20:]], texts(pairs[:20]), 900, 200)


def texts(pairs) -> list[tuple[str, str]]:
    return [(pair.english, pair.german) for pair in pairs]


@pytest.fixture
def view(lessons, pairs):
    view = training.explore_training(lessons, pairs[0], QUICK, n_bleu=3, **SMALL)
    view.run.patience = 0.0
    yield view
    view.run.pause()
    assert view.run.wait(20)


def until(run: LiveRun, step: int) -> list[float]:
    run.start(step)
    assert run.wait(60) and not run.trouble, run.trouble
    return [one.nll for one in run.steps]


# ─── The run ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_going_back_brings_back_weights_moments_and_place_so_the_same_steps_come_again(view):
    first = until(view.run, 33)
    view.run.back(20)
    assert view.run.state.step == 20 and len(view.run.steps) == 20 and max(view.run.frames) == 20
    assert until(view.run, 33) == first
    assert [check["step"] for check in view.checks] == [20]


def test_the_rate_really_changes_and_only_the_rate(view):
    until(view.run, 12)
    view.factor = 0.5
    until(view.run, 14)
    rates = [step.learning_rate for step in view.run.steps]
    plain = [QUICK.learning_rate(step, 32) for step in range(1, 15)]
    assert rates[:12] == pytest.approx(plain[:12]) and rates[12:] == pytest.approx([rate / 2 for rate in plain[12:]])
    assert replace(view.run.config, peak_learning_rate=QUICK.peak_learning_rate) == QUICK


def test_a_page_that_has_gone_stops_the_run_with_a_word_and_the_run_can_go_on(view):
    tell = view.run.tell
    view.run.tell = lambda run: (tell(run), setattr(run, "heard", time.monotonic() - 200))
    view.run.start()
    assert view.run.wait(20) and len(view.run.steps) < 60 and not view.run.running
    assert view.trouble == "Paused: no page was heard for 150 seconds; press Go on."
    view.run.tell, made = tell, len(view.run.steps)
    assert len(until(view.run, made + 2)) == made + 2 and view.trouble == ""


def test_starting_twice_makes_one_run_and_starting_right_after_a_pause_loses_nothing(view, lessons):
    before = threading.active_count()
    view.run.start(15), view.run.start(15)
    assert threading.active_count() == before + 1
    view.run.pause()
    while view.run.running:
        time.sleep(0.001)
    made = until(view.run, 15)  # the first thread may still be telling
    model = lessons.model(**SMALL)
    assert made == [step.nll for _, step in zip(range(15), ways.train(model, lessons.batches(), QUICK), strict=False)]
    assert rows(view.curve)[:, 0].tolist() == list(range(1, 16))


def test_going_back_that_is_asked_for_during_the_last_step_is_still_done(view):
    until(view.run, 20)

    def remember(step: tc.Step, remember=view.run._remember) -> None:
        remember(step)
        view.run.pause(), view.run.back(20)  # as the page may, while the thread is at work

    view.run._remember = remember
    view.run.start(30)
    assert view.run.wait(20) and view.run.state.step == 20 and len(rows(view.curve)) == 20


def test_whatever_ends_a_run_is_told_in_the_view(view, monkeypatch):
    monkeypatch.setattr(view.run, "say", lambda: {}["no such word"])
    view.run.start(25)
    assert view.run.wait(20) and view.trouble == "KeyError: 'no such word'" and not view.running


def test_a_loss_that_is_no_number_is_told_and_one_can_go_back_from_it(view):
    until(view.run, 20)
    with torch.no_grad():
        next(view.run.model.parameters()).fill_(math.nan)
    view.run.start(25), view.run.wait(30)
    assert "Step 21 has loss nan" in view.trouble and not view.running
    view.run.back(20), until(view.run, 22)
    assert view.trouble == "" and math.isfinite(view.run.steps[-1].nll)


# ─── What the page is told ───────────────────────────────────────────────────────────────────────────────────────────


def rows(curve: bytes) -> torch.Tensor:
    values = array("f")
    values.frombytes(curve)
    return torch.tensor(values).reshape(-1, 6)


def test_what_is_sent_step_by_step_adds_up_to_what_stands_in_the_traits_at_the_end(view):
    sent: list[tuple[dict, list[bytes]]] = []
    view.send = lambda message, buffers=None: sent.append((message, buffers or []))
    until(view.run, 22)
    news = [(message, buffers) for message, buffers in sent if message["answer"] == "news"]
    assert len(news) > 3 and b"".join(buffers[0] for _, buffers in news) == view.curve
    assert [0, *(frame for message, _ in news for frame in message["frames"])] == view.frames == [0, 5, 10, 15, 20]
    maps = b"".join(buffers[1] for _, buffers in news)
    assert view.data.endswith(maps) and len(view.data) == len(maps) * 5 // 4
    assert rows(view.curve)[:, 0].tolist() == list(range(1, 23))


def test_going_back_while_it_runs_tells_the_page_to_cut_and_then_what_is_new(view):
    sent: list[tuple[dict, list[bytes]]] = []
    until(view.run, 22)
    view.send = lambda message, buffers=None: sent.append((message, buffers or []))
    view.run._back = 20
    until(view.run, 24)
    cut = next(at for at, (message, _) in enumerate(sent) if message["answer"] == "gone back")
    steps = rows(b"".join(buffers[0] for _, buffers in sent[cut + 1 :]))[:, 0].tolist()
    assert sent[cut][0]["step"] == 20 and steps == [21, 22, 23, 24]
    assert rows(view.curve)[:, 0].tolist() == list(range(1, 25))


def test_the_page_starts_pauses_and_goes_back(view):
    ask = lambda **message: view._asked(view, message | {"version": 0}, [])  # noqa: E731
    ask(ask="start")
    while len(view.run.steps) < 22:
        time.sleep(0.01)
    ask(ask="pause")
    assert view.run.wait(20) and not view.running
    ask(ask="back", step=20)
    assert view.run.state.step == 20 and len(rows(view.curve)) == 20 and view.snapshots == [0, 20]


def test_an_exported_run_holds_its_curve_and_frames(view):
    until(view.run, 20)
    state = view.frozen()["state"]
    assert state["meta"]["live"] is False and state["frames"] == [0, 5, 10, 15, 20]
    assert len(state["curve"]["base64"]) == pytest.approx(4 / 3 * 20 * 24, abs=4) and json.dumps(state)


def test_a_page_which_cannot_train_shows_a_whole_run_where_one_is_at_hand(lessons, pairs, formed):
    view = training.explore_training(lessons, pairs[0], QUICK, n_bleu=3, whole=formed, **SMALL)
    state = view.frozen()["state"]
    assert state["meta"]["can_run"] is False and state["frames"][-1] == formed["steps"] and view.meta["can_run"]
    assert state["meta"]["title"].startswith("This page cannot train") and state["frame"] == len(state["frames"]) - 1


def test_what_the_model_says_stands_below_the_picture_of_its_step(formed):
    view = training.forming_view(formed)
    for frame in (0, len(view.frames) - 1):
        view.frame, view.sentence = frame, 1
        reading = next(row for row in formed["readings"] if row["step"] == view.frames[frame])
        assert f"says at step {reading['step']}: {reading['says'][1]}" in "".join(
            ET.fromstring(training.run_picture(view).text).itertext()
        )


def test_the_shown_map_is_the_heads_own(view, pairs, lessons):
    until(view.run, 10)
    view.layer, view.head = 1, 2
    gold = truth(lessons.tokenizer, pairs[0])
    mine = cross_weights(view.run.model, gold.src, gold.tgt_in)[1, 2]
    assert (training.shown_map(view) - mine).abs().max() < 0.005
    assert mine.sum(-1) == pytest.approx(torch.ones(len(mine)).tolist(), abs=1e-5)


def test_traits_that_cannot_be_are_refused(view):
    for name, value, most in (("layer", 2, 1), ("head", 3, 2), ("sentence", 1, 0)):
        with pytest.raises(ValueError, match=f"There is no {name} {value} here; choose from 0 to {most}"):
            setattr(view, name, value)


LENGTHS = [(3, 9), (8, 2), (5, 5), (2, 2), (9, 9), (4, 1), (6, 7)]

# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_empty_batches_and_empty_corpora_are_refused():
    with pytest.raises(ValueError, match="2 batches, some of them empty"):
        filling(LENGTHS, [[0], []])
    with pytest.raises(ValueError, match="0 pairs of lengths"):
        training.recipe_view([])
    with pytest.raises(ValueError, match="0 pairs to learn from and 1 unseen"):
        Lessons([], [("a", "b")])


def test_the_page_cuts_batches_as_python_does():
    node = shutil.which("node") or pytest.skip("node is not installed")
    lengths = [list(pair) for pair in LENGTHS * 9]
    plans = [
        training.plan_of(training.recipe_view(lengths, way=way, budget=50, window=20)) for way in ("sorted", "random")
    ]
    asked = f"""
    import {{ script }} from "./tests/script.mjs";
    const view = await script("training/recipe.js"), lengths = {json.dumps(lengths)}, order = lengths.map((_, i) => i);
    const plans = [view.cutSorted(lengths, 50, order, 20), view.cutInOrder(lengths, 50, order)];
    console.log(JSON.stringify([plans, plans.map((plan) => view.filling(lengths, plan).padding)]));
    """
    told = subprocess.run([node, "--input-type=module", "-e", asked], cwd=ROOT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    theirs, padding = json.loads(told.stdout)
    assert theirs == plans
    assert padding == pytest.approx([filling(lengths, plan).padding for plan in plans])


# ─── Targets, Adam, averages ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_chart_of_weights_without_steps_is_refused():
    with pytest.raises(ValueError, match="1 weights, some without a step"):
        training.adam_chart({"w": []}, "synthetic")


# ─── Stored experiments ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def formed() -> dict:
    return json.loads((ROOT / "notebooks/data/forming.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def broken() -> dict:
    return json.loads((ROOT / "notebooks/data/breaking.json").read_text(encoding="utf-8"))


def test_kept_maps_are_whole_and_their_rows_sum_to_1(formed):
    view = training.forming_view(formed)
    assert (ROOT / "notebooks/data/forming.json").stat().st_size <= 150_000
    for sentence, about in enumerate(view.meta["sentences"]):
        view.sentence = sentence
        for frame in range(len(view.frames)):
            view.frame = frame
            shown = training.shown_map(view)
            assert shown.shape == (len(about["queries"]), len(about["keys"]))
            assert (shown.sum(-1) - 1).abs().max() < 0.04  # what bytes leave


def test_the_stored_run_is_of_sentences_that_it_never_saw(formed):
    seen = {pair.english for pair in grammar.sample(experiment.N_TRAIN, split="train")}
    assert seen.isdisjoint(one["english"] for one in formed["sentences"])


def test_points_of_changed_runs_stand_beside_those_they_are_compared_with(broken):
    rows = training.breaking_rows(broken)
    for name in {row["pick"] for row in rows} - {"healthy"}:
        sides = {row["side"]: row["run"] for row in rows if row["pick"] == name}
        assert sides == {"this run": name, "beside it": broken["beside"][name]}
    assert all(len(row["x"]) == len(row["y"]) > 0 for row in rows) and {row["part"] for row in rows} == {
        "nll",
        "gradient_norm",
        "unseen nll",
        "unseen bleu",
    }


def test_the_legend_names_the_run_beside_the_one_that_is_chosen(broken):
    for name in ("no mask", "3 × the rate, no warm-up"):
        drawn = ET.fromstring(training.breaking_chart(broken, name).picture.text)
        assert f"beside it: {broken['beside'][name]}" in drawn.itertext()


def test_a_run_that_is_not_there_is_refused_with_those_that_are(broken):
    with pytest.raises(ValueError, match=r"There is no run 'no such'.*'no mask'"):
        training.breaking_chart(broken, "no such")


def test_the_commands_that_made_the_files_are_those_of_their_parsers(formed, broken):
    assert formed["command"] == "python -m experiments.training forming"
    assert broken["command"] == "python -m experiments.training breaking"
    assert {run["name"] for run in broken["runs"]} == set(experiment.CHANGES)
    assert formed["steps"] == experiment.RECIPE.steps and len(formed["readings"]) == len(experiment.READ)


def little(name: str) -> tuple[tc.Transformer, experiment.Change]:
    change = experiment.CHANGES[name]
    with tc.seeded(torch.device("cpu"), 3):
        config = tc.TransformerConfig(
            30, **SMALL | {k: v for k, v in change.shape.items() if k in ("eps_ls", "norm")}, p_drop=0.0
        )
        return change.model(config), change


SRC, TGT = torch.tensor([[7, 8, 9, tc.EOS]]), torch.tensor([[tc.BOS, 11, 12, 13]])


def test_no_scale_multiplies_the_scores_by_root_d_k_and_only_inside():
    model, change = little("no scale")
    with tc.record(model, "encoder.0.self_attention.scores") as plain:
        model(SRC, TGT)
    with change.inside(model), tc.record(model, "encoder.0.self_attention.scores") as bare:
        model(SRC, TGT)
    name = "encoder.0.self_attention.scores"
    assert torch.allclose(bare[name], plain[name] * math.sqrt(8), atol=1e-5)
    assert not any(probe.watched for probe in tc.probes(model).values())


def test_without_positions_the_encoder_does_not_know_the_order():
    model, change = little("no positions")
    shuffled = SRC[:, [2, 0, 3, 1]]
    assert not torch.allclose(model.encode(SRC)[:, [2, 0, 3, 1]], model.encode(shuffled), atol=1e-4)
    with change.inside(model):
        assert torch.allclose(model.encode(SRC)[:, [2, 0, 3, 1]], model.encode(shuffled), atol=1e-5)


def test_without_the_residual_the_input_of_a_dead_sublayer_is_gone():
    model, change = little("no residual")
    with change.inside(model):
        add_norm = model.encoder[0].add_norm[0]
        assert add_norm(torch.randn(1, 3, 32), torch.zeros_like).eq(0).all()
    assert sum(type(module) is experiment.NoResidual for module in model.modules()) == 2 * 2 + 2 * 3


def test_without_warmup_the_first_steps_have_the_peak_and_the_others_are_as_before():
    times = dict(steps=40, warmup_steps=8, cooldown_steps=20, peak_learning_rate=4e-3)
    cold, plain = experiment.NoWarmup(**times), schedule.TrainingConfig(**times)
    assert [cold.learning_rate(step, 64) for step in range(1, 9)] == pytest.approx([4e-3] * 8)
    assert [cold.learning_rate(step, 64) for step in range(8, 41)] == [
        plain.learning_rate(step, 64) for step in range(8, 41)
    ]


def test_without_the_mask_a_later_token_changes_an_earlier_prediction():
    for name, leaks in (("no mask", True), ("healthy", False)):
        model, _ = little(name)
        other = TGT.clone()
        other[0, 3] = 20
        assert torch.equal(model(SRC, TGT)[0, :3], model(SRC, other)[0, :3]) != leaks


# ─── Pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_picture_tells_the_step_the_head_and_where_it_is_from_and_shows_tokens_as_text(view):
    until(view.run, 20)
    drawn = ET.fromstring(view.picture().text)
    said = " ".join(drawn.itertext())
    assert "layer 1, head 0, step 20" in said and "trained here, from nothing" in said and "nats per token" in said


def test_each_tab_of_the_recipe_has_its_picture(lessons):
    for tab, words in (("batches", "padding"), ("rate", "6.987712e-04"), ("smoothing", "1.3769")):
        assert words in training.recipe_view(lessons.batches().lengths[:40], tab).picture().text


def test_a_sentence_without_a_known_alignment_can_be_watched(lessons):
    told = Unaligned(*lessons.unseen[1])
    view = training.explore_training(lessons, told, QUICK, n_bleu=3, **SMALL)
    assert view.meta["sentences"][0]["gold"]["naive"] == [] and view.meta["sentences"][0]["english"] == told.english
