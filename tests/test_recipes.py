"""What a training is not told is chosen to suit its text, its model and its time; what it is told holds."""

from __future__ import annotations

import json
import signal
from dataclasses import asdict
from pathlib import Path

import pytest
import torch
import toys

import transformer_core as tc
from core_options import recipes, ways
from core_options.runs import Run, TrainArguments, stop_signals


def arguments(**given) -> TrainArguments:
    return TrainArguments(data="pairs", out="run", **given)


def chosen(epoch: int = 100_000, pace: float = 1000.0, preset: float = 0.1, **given) -> TrainArguments:
    return recipes.for_time(recipes.for_text(arguments(**given), 9000), epoch, 128, preset, pace)


# ─── What is chosen ──────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("words, pieces", [(1, 1500), (1_000_000, 5000), (2_560_000, 8000), (10**9, 37_000)])
def test_the_vocabulary_grows_with_the_root_of_the_words(words: int, pieces: int) -> None:
    assert recipes.for_text(arguments(), words).vocab_size == pieces


def test_the_time_given_decides_how_large_batches_are_and_how_long_the_rate_rises() -> None:
    a = chosen(minutes=50.0)  # 3 million tokens
    assert a.tokens_per_batch == 1200 and a.steps == recipes.ENDLESS and a.warmup_steps == 250
    assert a.peak_learning_rate == 2e-3 and a.p_drop == 0.3 and a.save_every == 0 and a.cooldown_steps == 0
    assert chosen(minutes=5.0).tokens_per_batch == 400 and chosen(minutes=500.0).tokens_per_batch == 4096
    assert [chosen(minutes=50.0, epoch=n).p_drop for n in (10**5, 10**5 * 4, 10**6)] == [0.3, 0.2, 0.1]
    assert chosen(minutes=50.0, preset=0.4).p_drop == 0.4  # the preset's


def test_without_a_time_the_text_is_read_thirty_times() -> None:
    a = chosen()  # 100,000 tokens
    assert a.tokens_per_batch == 2000 and a.steps == 2000 and a.cooldown_steps == 667 and a.save_every == 200
    a = chosen(epoch=10**8)
    assert a.tokens_per_batch == 4096 and a.steps == 100_000 and a.warmup_steps == 4000 and a.save_every == 1000


def test_what_is_given_holds(tmp_path: Path) -> None:
    given = dict(vocab_size=77, tokens_per_batch=333, warmup_steps=9, peak_learning_rate=0.5, p_drop=0.0, save_every=3)
    for length in (dict(minutes=10.0), dict(steps=40), {}):
        a = asdict(chosen(**given, **length))
        assert {name: a[name] for name in given} == given and a["steps"] >= 40
    assert chosen(steps=40, minutes=10.0).steps == 40 and not chosen(steps=40, minutes=10.0).is_clocked


def test_steps_that_are_given_have_the_rates_of_a_run_that_may_go_on() -> None:
    a = chosen(steps=40)
    assert a.cooldown_steps == 0 and a.p_drop is None and a.save_every == 4
    assert chosen(steps=40, warmup_steps=9).peak_learning_rate is None  # equation 3's


def test_the_recipe_of_the_paper_is_the_papers() -> None:
    a = recipes.for_paper(arguments(recipe="paper", warmup_steps=7))
    assert (a.vocab_size, a.tokens_per_batch, a.steps, a.warmup_steps) == (37_000, 25_000, 100_000, 7)
    assert a.peak_learning_rate is None and a.p_drop is None and a.cooldown_steps == 0


def test_a_run_that_ends_within_its_warmup_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    recipes.say(chosen(steps=40, warmup_steps=40), 1000, 0.0)
    recipes.say(chosen(steps=41, warmup_steps=40), 1000, 0.0)
    first, note, second = capsys.readouterr().err.splitlines()
    assert first.startswith("Recipe: at most 1,500 pieces, batches of") and second.startswith("Recipe")
    assert note.startswith("Note: The run ends after some 40 steps, within its warm-up of 40")


@pytest.mark.parametrize(
    ("paces", "best"),
    [
        (dict(fp32=100.0, medium=104.0, bf16=104.9), "fp32"),
        (dict(fp32=100.0, medium=106.0, bf16=111.0), "medium"),
        (dict(fp32=100.0, medium=104.0, bf16=106.0), "bf16"),
        (dict(fp32=100.0, medium=120.0, bf16=30.0), "medium"),
    ],
    ids=str,
)
def test_a_precision_must_be_clearly_faster_than_a_more_exact_one(
    paces: dict[str, float], best: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert recipes.for_machine(arguments(), paces).precision == best
    assert capsys.readouterr().err.startswith(f"Precision: {best}; in a trial, tokens/s: fp32 100, medium")


# ─── Runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────
BARE = dict(
    vocab_size=None, steps=None, tokens_per_batch=None, warmup_steps=None, peak_learning_rate=None, save_every=None
)


def rows(run: Path) -> list[dict]:
    return [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def clocked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, toys.Outcome]:
    folder = tmp_path_factory.mktemp("clocked")
    data = toys.write_corpus(folder / "data", 300, 5)
    words = toys.train_arguments(data, folder / "run", **BARE, minutes=0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipes, "FEWEST", 300)
        return data, folder / "run", toys.command(*words)


def test_a_run_by_the_clock_warms_up_cools_down_and_validates_ten_times(clocked) -> None:
    _, run, done = clocked
    assert done.status == 0 and "Recipe: at most 300 pieces" in done.err
    log = rows(run)
    rates = [row["learning_rate"] for row in log if "loss" in row]
    rising = rates[: min(50, len(rates) // 2)]  # on a busy machine the cooldown may come before the warm-up's end
    least = max(0.2, 5 / len(rates))  # and has so few steps that the last is not near zero
    assert len(rising) > 5 and rising == sorted(rising) and rates[-1] < least * max(rates)
    assert all(after < before for before, after in zip(rates[-9:], rates[-8:], strict=False))
    assert 8 <= sum("valid_bleu" in row for row in log) <= 11
    assert 5 < log[-2]["seconds"] < 9


def test_a_run_goes_on_with_what_was_chosen_when_it_began(clocked) -> None:
    data, run, _ = clocked
    begun = tc.saved_training(run / "state.safetensors")["about"]["arguments"]
    done = toys.command(*toys.train_arguments(data, run, **BARE, minutes=0.12, resume=True))
    assert done.status == 0 and "Recipe" not in done.err
    about = tc.saved_training(run / "state.safetensors")["about"]
    assert about["arguments"] == begun and begun["tokens_per_batch"] and begun["warmup_steps"]


def test_a_run_without_time_or_steps_ends_where_its_recipe_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recipes, "FEWEST", 300)
    monkeypatch.setattr(recipes, "SHORTEST", 20)
    words = toys.train_arguments(toys.write_corpus(tmp_path / "data", 20, 0), tmp_path / "run", **BARE)
    assert toys.command(*words).status == 0
    state = tc.saved_training(tmp_path / "run" / "state.safetensors")
    assert state["place"]["step"] == state["about"]["length"]["steps"] >= 20
    done = toys.command(*words, "--resume")
    assert done.status == 0 and "is finished" in done.err
    assert rows(tmp_path / "run")[-1]["learning_rate"] < 1e-3


def test_warmup_and_peak_may_change_on_the_way_and_that_is_said(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    assert toys.command(*toys.train_arguments(data, tmp_path / "run", steps=2)).status == 0
    again = dict(steps=4, resume=True, warmup_steps=9)
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", **again))
    assert done.status == 0 and "was begun with warmup_steps 4 and goes on with 9" in done.err


@pytest.mark.parametrize("best", recipes.PRECISIONS)
def test_the_precision_is_found_by_a_trial_and_kept_to_the_runs_end(
    best: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def pace(run: Run, precision: str, batches: tc.Batches, first: int, n: int) -> float:
        assert (batches.tokens_per_batch, first, n) == (1500, 1, 3)
        tried.append(precision)
        return 2.0 if precision == best else 1.0

    monkeypatch.setattr(Run, "pace_in", pace)
    monkeypatch.setattr(recipes, "worth_a_trial", lambda: [*recipes.PRECISIONS])
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    words = toys.train_arguments(data, out, steps=2, precision=None)
    done = toys.command(*words)
    assert done.status == 0 and f"on cpu in {best}" in done.err and f"Precision: {best};" in done.err
    assert tried == [*recipes.PRECISIONS]
    done = toys.command(*toys.train_arguments(data, out, steps=4, precision=None, resume=True))
    assert done.status == 0 and f"on cpu in {best}" in done.err and "Precision" not in done.err
    assert tried == [*recipes.PRECISIONS] and rows(out)[-1]["step"] == 4
    other = {"fp32": "bf16", "medium": "fp32", "bf16": "fp32"}[best]
    done = toys.command(*toys.train_arguments(data, out, steps=6, precision=other, resume=True))
    assert done.status == 0 and f"was begun with precision '{best}' and goes on with '{other}'" in done.err


@pytest.mark.parametrize("has_it", [True, False])
def test_bf16_is_tried_only_where_the_processor_has_it(has_it: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: has_it)
    assert ("bf16" in recipes.worth_a_trial()) is has_it and recipes.worth_a_trial()[0] == "fp32"


@pytest.mark.parametrize("asked, tried", [(0, 4096), (600, 600)])
def test_on_a_gpu_the_pace_is_that_of_the_batches_to_come(
    asked: int, tried: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, trials = toys.write_corpus(tmp_path / "data"), []

    def pace(run: Run, precision: str, batches: tc.Batches, first: int, n: int) -> float:
        trials.append((batches.tokens_per_batch, first, n))
        raise ValueError("no GPU")

    monkeypatch.setattr(tc, "pick_device", torch.device)
    monkeypatch.setattr(Run, "pace_in", pace)
    where = dict(data=str(data), out=str(tmp_path / "run"), device="cuda")
    run = Run(TrainArguments(**where, minutes=1, tokens_per_batch=asked))
    with pytest.raises(ValueError, match="no GPU"):
        run.read_data()
    assert trials == [(tried, 10, 10)]


def test_the_trial_itself_runs_and_leaves_the_training_as_it_is(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    assert toys.command(*toys.train_arguments(data, tmp_path / "run", precision=None)).status == 0
    begun = tc.saved_training(tmp_path / "run" / "state.safetensors")["about"]["arguments"]
    assert begun["precision"] in recipes.PRECISIONS
    again = toys.train_arguments(data, tmp_path / "again", precision=begun["precision"])
    assert toys.command(*again).status == 0
    one, other = (tc.load_model(tmp_path / name).state_dict() for name in ("run", "again"))
    assert all(torch.equal(one[name], other[name]) for name in one)


# ─── From weights that are there ─────────────────────────────────────────────────────────────────────────────────────
def test_a_run_may_start_from_a_checkpoint(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    assert toys.command(*toys.train_arguments(data, tmp_path / "first", steps=3)).status == 0
    more = dict(start_from=tmp_path / "first", steps=1, peak_learning_rate=1e-12, vocab_size=None)
    done = toys.command(*toys.train_arguments(data, tmp_path / "second", **more))
    assert done.status == 0, done.err
    first, second = (tc.load_pretrained(tmp_path / name) for name in ("first", "second"))
    assert first.tokenizer.model == second.tokenizer.model
    for name, weight in tc.weights_of(first.model).items():
        torch.testing.assert_close(tc.weights_of(second.model)[name], weight, atol=1e-9, rtol=1e-6)
    about = tc.saved_training(tmp_path / "second" / "state.safetensors")["about"]
    assert about["arguments"]["start_from"] == str(tmp_path / "first")


def test_a_start_from_nothing_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", start_from=tmp_path / "nowhere"))
    assert done.status == 2 and "There is no checkpoint" in done.err and not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "asked, said",
    [
        (dict(start_from="{run}"), "lies in --out"),
        (dict(start_from="{run}/best"), "lies in --out"),
        (dict(start_from="nowhere"), "There is no checkpoint"),
        (dict(vocab_size=10), "10"),
    ],
)
def test_what_cannot_begin_anew_leaves_the_model_that_it_would_have_replaced(
    asked: dict, said: str, tmp_path: Path
) -> None:
    data, run = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, run, steps=2)).status == 0
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    changes = {name: value.format(run=run) if isinstance(value, str) else value for name, value in asked.items()}
    done = toys.command(*toys.train_arguments(data, run, overwrite=True, **changes))
    assert done.status == 2 and said in done.err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_a_run_that_started_from_a_checkpoint_goes_on_where_that_is_gone(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    assert toys.command(*toys.train_arguments(data, tmp_path / "first", steps=2)).status == 0
    more = dict(start_from=tmp_path / "first", steps=2, vocab_size=None)
    assert toys.command(*toys.train_arguments(data, tmp_path / "second", **more)).status == 0
    (tmp_path / "first").rename(tmp_path / "elsewhere")
    done = toys.command(*toys.train_arguments(data, tmp_path / "second", **more | dict(steps=3, resume=True)))
    assert done.status == 0, done.err


@pytest.mark.parametrize("device, goes_on", [("cpu", "medium"), ("cuda", "fp32")])
def test_a_run_in_medium_goes_on_in_fp32_where_there_is_no_medium(
    device: str, goes_on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tc, "pick_device", torch.device)
    about = dict(arguments=dict(precision="medium"), length=dict(steps=9))
    assert recipes.as_begun(arguments(resume=True, device=device), about).precision == goes_on


# ─── By the clock ────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_finished_run_by_the_clock_needs_no_minutes_to_know_that_it_is(clocked) -> None:
    data, run, _ = clocked
    done = toys.command(*toys.train_arguments(data, run, **BARE, resume=True))
    assert done.status == 0 and "is finished" in done.err
    about = tc.saved_training(run / "state.safetensors")["about"]
    asked = recipes.as_begun(arguments(resume=True), about)
    assert asked.minutes == about["length"]["minutes"] and asked.is_clocked
    assert recipes.as_begun(arguments(resume=True, steps=9), about).minutes is None


@pytest.mark.parametrize("seconds, share", [(0.0, 1.0), (399.0, 1.0), (500.0, 0.5), (590.0, 0.05), (700.0, 0.0)])
def test_the_first_step_too_that_is_made_near_the_end_has_a_rate_of_the_time_left(
    seconds: float, share: float, tmp_path: Path
) -> None:
    """Of ten minutes the last third is the cooldown; a run that goes on begins at its place in it."""
    run = Run(TrainArguments(data="pairs", out=str(tmp_path / "run"), minutes=10.0, steps=recipes.ENDLESS,
                             warmup_steps=4, peak_learning_rate=0.1))  # fmt: skip
    model = tc.Transformer(tc.TransformerConfig(9, n_layers=1, d_model=8, d_ff=8, n_heads=1, d_k=8, d_v=8))
    run.state = tc.TrainingState(model, run.arguments)
    run.state.step, run.state.seconds = 3, seconds
    batches = tc.make_batches([([4, 5], [6, 7])] * 4, 20)
    step = next(ways.train(model, batches, run.cooled(), run.state))
    assert step.step == 4 and step.learning_rate == pytest.approx(0.1 * share)


# ─── Batches that hold the text ──────────────────────────────────────────────────────────────────────────────────────
def test_a_batch_is_large_enough_for_99_pairs_of_100() -> None:
    asked = recipes.for_text(arguments(minutes=1.0), 9000)
    for fits, tokens in ((0, 400), (500, 500), (1234, 1234), (9000, 4096)):
        assert recipes.for_time(asked, 10**5, 128, 0.1, 100.0, fits).tokens_per_batch == tokens


@pytest.mark.parametrize("least, x, most, y", [(400, 4090, 4096, 4096), (1234, 3, 4096, 1234), (50, 123, 4000, 120)])
def test_a_number_of_two_digits_stays_within_its_limits(least: int, x: float, most: int, y: int) -> None:
    assert recipes.between(least, x, most) == y


# ─── Ends ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_closed_terminal_ends_a_run_unless_it_is_to_outlive_it():
    before = signal.getsignal(signal.SIGHUP)
    try:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        assert {signal.SIGINT, signal.SIGTERM, signal.SIGHUP} == {*stop_signals()}
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
        assert {signal.SIGINT, signal.SIGTERM} == {*stop_signals()}
    finally:
        signal.signal(signal.SIGHUP, before)
