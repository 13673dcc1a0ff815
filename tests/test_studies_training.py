"""A training that is watched: a run that pauses and goes back, batches, smoothed targets, Adam's moments, averages."""

import math
import threading
import time
from dataclasses import replace

import pytest
import torch

import transformer_core as tc
from core_options import ways
from corpora import grammar
from studies import training
from studies.alignment import truth

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so
SMALL = dict(n_layers=2, d_model=32, d_ff=48, n_heads=3, d_k=8, d_v=5)
QUICK = replace(training.RECIPE, steps=60, warmup_steps=10, cooldown_steps=20, device="cpu")


@pytest.fixture(scope="module")
def pairs() -> list:
    return grammar.sample(400, difficulty=1)


@pytest.fixture(scope="module")
def lessons(pairs) -> training.Lessons:
    return training.Lessons(texts(pairs[20:]), texts(pairs[:20]), 900, 200)


def texts(pairs) -> list[tuple[str, str]]:
    return [(pair.english, pair.german) for pair in pairs]


@pytest.fixture
def run(lessons, pairs):
    run = begun(lessons, pairs)
    yield run
    run.pause()
    assert run.wait(20)


def begun(lessons: training.Lessons, pairs: list) -> training.LiveRun:
    run = training.LiveRun(lessons, lessons.model(**SMALL), truth(lessons.tokenizer, pairs[0]), QUICK, n_bleu=3)
    run.patience = 0.0
    return run


def until(run: training.LiveRun, step: int) -> list[float]:
    run.start(step)
    assert run.wait(60) and not run.trouble, run.trouble
    return [one.nll for one in run.steps]


# ─── The run ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_live_run_makes_the_very_steps_of_train(run, lessons):
    made = until(run, 12)
    model = lessons.model(**SMALL)
    steps = zip(range(12), ways.train(model, lessons.batches(), run.config), strict=False)
    assert made == [step.nll for _, step in steps]
    now = tc.weights_of(run.model)
    assert all(torch.equal(weight, now[name]) for name, weight in tc.weights_of(model).items())


def test_pausing_and_going_on_changes_nothing(run, lessons, pairs):
    until(run, 5), until(run, 9)
    other = begun(lessons, pairs)
    assert until(run, 12) == until(other, 12)


def test_a_kept_checkpoint_is_not_changed_by_the_steps_after_it(run):
    until(run, 20)
    kept = {name: weight.clone() for name, weight in tc.weights_of(run.snapshots[20].model).items()}
    until(run, 24)
    run.back(20), until(run, 23)
    assert all(torch.equal(weight, kept[name]) for name, weight in tc.weights_of(run.snapshots[20].model).items())


def test_a_step_that_was_not_kept_is_refused_with_those_that_were(run):
    until(run, 20)
    with pytest.raises(ValueError, match="Step 7 was not kept; choose one of 0, 20"):
        run.back(7)


def test_a_pause_ends_the_thread_and_costs_no_time_after(run):
    before = threading.active_count()
    run.start()
    while len(run.steps) < 3:
        time.sleep(0.01)
    run.pause()
    assert run.wait(20) and threading.active_count() == before
    made, began = len(run.steps), time.process_time()
    time.sleep(0.3)
    assert len(run.steps) == made < 60 and time.process_time() - began < 0.1


def test_a_run_ends_at_the_recipes_end_and_not_after(run):
    until(run, 1000)
    assert len(run.steps) == 60 and until(run, 1000) and len(run.steps) == 60


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────

LENGTHS = [(3, 9), (8, 2), (5, 5), (2, 2), (9, 9), (4, 1), (6, 7)]


def test_no_batch_exceeds_either_budget_and_sorting_pads_less(lessons):
    lengths = lessons.batches().lengths
    core = lessons.batches(200).plan(0)
    plain = training.cut_in_order(lengths, 200, range(len(lengths)))
    for plan in (core, plain):
        assert sorted(row for batch in plan for row in batch) == list(range(len(lengths)))
        assert all(sum(lengths[row][side] for row in batch) <= 200 for batch in plan for side in (0, 1))
    sorted_, random_ = (training.filling(lengths, plan) for plan in (core, plain))
    assert sorted_.padding < random_.padding and sorted_.most <= 200 >= random_.most


def test_padding_is_what_the_batch_of_the_core_really_holds(lessons):
    batches = lessons.batches(300)
    real = cells = 0
    for batch in batches:
        for ids in (batch.src, batch.tgt_out):
            real, cells = real + int((ids != tc.PAD).sum()), cells + ids.numel()
    assert training.filling(batches.lengths, batches.plan(0)).padding == pytest.approx(1 - real / cells)


def test_a_fixed_count_goes_over_a_budget_of_tokens():
    plan = training.cut_by_count(3, range(7))
    assert [len(batch) for batch in plan] == [3, 3, 1] and training.filling(LENGTHS, plan).most == 16


# ─── Targets, Adam, averages ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_floor_is_the_smoothed_targets_entropy_in_both_conventions():
    assert f"{training.smoothing_floor(37_000):.5f}" == "1.37691"
    assert f"{training.smoothing_floor(37_000, among='others'):.5f}" == "1.37695"
    assert training.smoothing_floor(50, 0.0) == 0
    with pytest.raises(ValueError, match=r"V is 1 and ε 0\.1"):
        training.smoothing_floor(1)


def test_the_cores_loss_is_kl_plus_entropy_and_never_below_the_floor():
    V, eps = 13, 0.2
    logits, right = torch.randn(1, 6, V, dtype=torch.float64), torch.randint(4, V, (1, 6))
    q = torch.full((6, V), eps / V).double().scatter_add(1, right.T, torch.full((6, 1), 1 - eps).double())
    kl = (q * (q.log() - logits[0].log_softmax(-1))).sum(-1).mean().item()
    loss, floor = tc.label_smoothed_loss(logits, right, eps).item(), training.smoothing_floor(V, eps)
    assert loss == pytest.approx(kl + floor, abs=1e-5) and loss > floor


def test_the_moments_watched_are_those_of_equation_and_adam(lessons):
    moments = training.watch_adam(
        lessons, lessons.model(**SMALL), QUICK, "encoder.0.feed_forward.w_1.weight", (3, 7), 15
    )[7]
    m = v = 0.0
    for n, one in enumerate(moments, 1):
        m, v = 0.9 * m + 0.1 * one.gradient, 0.98 * v + 0.02 * one.gradient**2
        moved = m / (1 - 0.9**n) / (math.sqrt(v / (1 - 0.98**n)) + 1e-9)
        assert (one.m, one.v, one.moved) == pytest.approx((m, v, moved), rel=1e-3)
    assert abs(moments[0].moved) == pytest.approx(1, abs=1e-3)


def test_the_average_is_the_mean_and_of_equal_checkpoints_the_checkpoint(lessons):
    one, other = (tc.weights_of(lessons.model(seed, **SMALL)) for seed in (1, 2))
    config = lessons.model(**SMALL).config
    same, mean = training.average_of([one, one], config), training.average_of(iter([one, other]), config)
    assert all(torch.equal(same[name], one[name]) for name in one)
    assert all(torch.allclose(mean[name], (one[name] + other[name]) / 2) for name in one)


# ─── What is learned from ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.filterwarnings("ignore:The text gives")
def test_captions_are_learned_where_there_is_a_gpu_and_the_folder_and_else_the_grammar(tmp_path, monkeypatch, pairs):
    def sample(n: int, split: str) -> list:
        return {"train": pairs[20:], "test": pairs[:20]}[split]

    plain = training.setting(sample, watched=2)
    assert plain.pair == pairs[2] and plain.config.steps == 1100 and len(plain.lessons.pairs) == 380
    for split, some in (("train", pairs[20:]), ("valid", pairs[:20])):
        for language, name in (("en", "english"), ("de", "german")):
            path = tmp_path / "multi30k" / f"{split}.{language}"
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(f"{getattr(pair, name)}\n" for pair in some), encoding="utf-8")
    monkeypatch.setenv("TRANSFORMER_DATA", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert training.captions() is None
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    chosen = training.captions()
    assert chosen.pair.english == pairs[1].english and chosen.config.steps == 4000 and len(chosen.lessons.pairs) == 380
    monkeypatch.setenv("TRANSFORMER_DATA", str(tmp_path / "elsewhere"))
    assert training.captions() is None
