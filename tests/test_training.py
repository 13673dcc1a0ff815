"""Training: each step is the paper's, and a run that is split, stopped or killed is the run that was not."""

import contextlib
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sacrebleu
import safetensors.torch
import torch
import torch.nn.functional as F
import toys
from torch import Tensor

import transformer_core as tc
from core_options import fast_cpu, schedule, ways

pytestmark = pytest.mark.usefixtures("one_thread")

VOCABULARY = 13
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2")


def new_model(seed: int = 0, **changes: Any) -> tc.Transformer:
    torch.manual_seed(seed)
    return tc.Transformer(tc.TransformerConfig(VOCABULARY, **toys.TOY | changes))


def random_pairs(n: int, seed: int = 0, longest: int = 6) -> list[tuple[list[int], list[int]]]:
    """Pairs of unequal lengths; the target is the source backwards, with its first token said twice."""
    rng = random.Random(seed)
    rows = [[rng.randrange(4, VOCABULARY) for _ in range(rng.randint(1, longest))] for _ in range(n)]
    return [(row, [row[-1], *row[::-1]]) for row in rows]


def settings(**changes: Any) -> schedule.TrainingConfig:
    values = dict(steps=7, warmup_steps=3, peak_learning_rate=0.01, device="cpu", precision="fp32")
    return schedule.TrainingConfig(**values | changes)


def weights(model: tc.Transformer) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in tc.weights_of(model).items()}


def assert_equal(left: dict[str, Tensor], right: dict[str, Tensor]) -> None:
    assert left.keys() == right.keys()
    assert [name for name in left if not torch.equal(left[name], right[name])] == []


def assert_close(left: dict[str, Tensor], right: dict[str, Tensor], atol: float = 1e-5) -> None:
    assert left.keys() == right.keys()
    for name in left:
        torch.testing.assert_close(left[name], right[name], rtol=0, atol=atol, msg=lambda m, name=name: f"{name}: {m}")


def numbers(step: tc.Step) -> tuple[Any, ...]:
    """A step without its duration."""
    return step._replace(seconds=0.0)


# ─── One step is the paper's ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_defaults_are_those_of_section_5() -> None:
    for config in (tc.TrainingConfig(), schedule.TrainingConfig()):
        assert (config.beta1, config.beta2, config.eps_adam, config.warmup_steps) == (0.9, 0.98, 1e-9, 4000)
        assert (config.steps, config.clip_norm) == (100_000, None)
    assert (config.peak_learning_rate, config.cooldown_steps) == (None, 0)


def test_an_update_is_adam_s() -> None:
    """Against Kingma and Ba's algorithm written out, on gradients that autograd finds by itself."""
    config = settings(beta1=0.8, beta2=0.95, eps_adam=1e-6, steps=4)
    model, twin = new_model(p_drop=0.0), new_model(p_drop=0.0)
    batches = tc.make_batches(random_pairs(12), 30)
    parameters = dict(twin.named_parameters())
    m = {name: torch.zeros_like(p) for name, p in parameters.items()}
    v = {name: torch.zeros_like(p) for name, p in parameters.items()}
    for t, (batch, _) in enumerate(zip(itertools.cycle(batches), range(4), strict=False), start=1):
        if t > len(batches):
            break
        twin.zero_grad()
        tc.label_smoothed_loss(twin(batch.src, batch.tgt_in), batch.tgt_out, twin.config.eps_ls).backward()
        rate = 0.01 * 3**0.5 * min(t**-0.5, t * 3**-1.5)
        with torch.no_grad():
            for name, p in parameters.items():
                m[name] = 0.8 * m[name] + 0.2 * p.grad
                v[name] = 0.95 * v[name] + 0.05 * p.grad**2
                p -= rate * (m[name] / (1 - 0.8**t)) / ((v[name] / (1 - 0.95**t)).sqrt() + 1e-6)
    steps = min(4, len(batches))
    assert steps >= 3
    list(itertools.islice(tc.train(model, batches, config), steps))
    assert_close(weights(model), weights(twin), atol=2e-5)


@pytest.mark.parametrize("peak", [None, 0.003])
def test_the_learning_rate_of_each_step_is_equation_3(peak: float | None) -> None:
    model = new_model()
    state = tc.TrainingState(model, settings(steps=9, warmup_steps=4, peak_learning_rate=peak))
    scale = 24**-0.5 if peak is None else peak * 4**0.5
    for n, step in enumerate(tc.train(model, tc.make_batches(random_pairs(9), 30), state.config, state), start=1):
        assert step.step == n
        assert step.learning_rate == pytest.approx(scale * min(n**-0.5, n * 4**-1.5), rel=1e-12)
        assert state.optimizer.param_groups[0]["lr"] == step.learning_rate
        assert peak is None or step.learning_rate <= peak
        assert n != 4 or peak is None or step.learning_rate == pytest.approx(peak)


def test_the_peak_comes_at_the_end_of_the_warmup() -> None:
    for d_model, peak in ((512, 6.987712e-4), (1024, 4.941059e-4)):  # facts.md, section 0, fact 7
        rates = [tc.learning_rate(step, d_model) for step in range(1, 8001)]
        assert max(rates) == rates[3999] == pytest.approx(peak, rel=1e-6)
    with pytest.raises(ValueError, match="count from 1"):
        tc.learning_rate(0, 512)


def test_the_rate_past_the_last_step_is_zero() -> None:
    assert settings(steps=10, cooldown_steps=5).learning_rate(13, 16) == 0.0


def test_the_cooldown_falls_to_zero_in_a_straight_line() -> None:
    with_cooldown = settings(steps=20, warmup_steps=5, cooldown_steps=8)
    without = settings(steps=20, warmup_steps=5)
    share = [with_cooldown.learning_rate(n, 24) / without.learning_rate(n, 24) for n in range(1, 22)]
    assert share[:13] == [1.0] * 13  # step 13 is the first of the last eight
    assert share[12:] == pytest.approx([1 - n / 8 for n in range(9)])


def test_a_step_says_what_it_did() -> None:
    model, batches = new_model(p_drop=0.0), tc.make_batches(random_pairs(20), 25, seed=3)
    first = next(batches.epoch(0))
    before = new_model(p_drop=0.0)
    loss = tc.label_smoothed_loss(before(first.src, first.tgt_in), first.tgt_out, 0.1)
    loss.backward()
    nll = F.cross_entropy(before(first.src, first.tgt_in).flatten(0, 1), first.tgt_out.flatten(), ignore_index=0)
    steps = list(tc.train(model, batches, settings(steps=len(batches) + 2)))
    assert steps[0].loss == pytest.approx(loss.item(), abs=1e-5)
    assert steps[0].nll == pytest.approx(nll.item(), abs=1e-5)
    norm = math.sqrt(sum(p.grad.square().sum().item() for p in before.parameters()))
    assert steps[0].gradient_norm == pytest.approx(norm, rel=1e-4)
    n_real = [batch.n_tokens for epoch in (0, 1) for batch in batches.epoch(epoch)]
    assert [step.n_tokens for step in steps] == n_real[: len(steps)]
    assert [step.epoch for step in steps] == [0] * len(batches) + [1, 1]
    assert [step.step for step in steps] == list(range(1, len(steps) + 1))


def test_clipping_shortens_the_gradient_but_reports_it_whole() -> None:
    norms = []
    for clip_norm in (None, 0.1, 1e6):
        model = new_model(p_drop=0.0)
        config = settings(clip_norm=clip_norm, steps=1)
        state = tc.TrainingState(model, config)
        (step,) = tc.train(model, tc.make_batches(random_pairs(9), 60), config, state)
        moments = [state.optimizer.state[p]["exp_avg"] for p in model.parameters()]
        taken = torch.stack([moment.norm() for moment in moments]).norm().item() / (1 - config.beta1)
        norms.append((step.gradient_norm, taken))
    whole = norms[0][0]
    assert whole > 0.1
    for (reported, taken), wanted in zip(norms, (whole, 0.1, whole), strict=True):
        assert reported == pytest.approx(whole, rel=1e-6) and taken == pytest.approx(wanted, rel=1e-3)


def test_autocast_to_bf16_is_near_and_leaves_weights_in_float32() -> None:
    steps = []
    for precision in ("fp32", "bf16"):
        model = new_model(p_drop=0.0)
        steps.append(next(tc.train(model, tc.make_batches(random_pairs(9), 60), settings(precision=precision))))
        assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert steps[0].loss != steps[1].loss
    assert steps[0].loss == pytest.approx(steps[1].loss, rel=0.02)


@pytest.mark.parametrize("changes", [dict(device="nowhere"), dict(precision="fp7")], ids=str)
def test_an_unknown_device_or_precision_is_refused(changes: dict[str, str]) -> None:
    with pytest.raises(ValueError) as caught:
        next(tc.train(new_model(), tc.make_batches(random_pairs(5), 60), settings(**changes)))
    toys.assert_one_sentence(str(caught.value), *changes.values())


# ─── Several processes ───────────────────────────────────────────────────────────────────────────────────────────────


def logged(run: Path, kind: str = "loss") -> list[dict[str, Any]]:
    """The lines of a run's log that hold such a number."""
    return [line for line in map(json.loads, (run / "log.jsonl").open()) if kind in line]


def test_two_processes_are_one(tmp_path: Path) -> None:
    """Under torchrun, with batches of one sentence too (the other part is empty); and one goes on where two stopped."""
    data = toys.write_corpus(tmp_path / "data", n=14, n_valid=7)
    common = dict(tokens_per_batch=9, p_drop=0.0, precision="fp32", steps=6, save_every=3, bleu_sentences=9)
    assert toys.command(*toys.train_arguments(data, tmp_path / "one", **common)).status == 0
    two = toys.process(*toys.train_arguments(data, tmp_path / "two", **common), launcher=TORCHRUN)
    assert two.status == 0 and two.out == b"", two.err
    one_log, two_log = logged(tmp_path / "one"), logged(tmp_path / "two")
    assert len(one_log) == len(two_log) == 6
    for one, two in zip(one_log, two_log, strict=True):
        assert one["n_tokens"] == two["n_tokens"]
        assert one["loss"] == pytest.approx(two["loss"], abs=2e-5) and one["nll"] == pytest.approx(two["nll"], abs=2e-5)
    one_valid, two_valid = (logged(tmp_path / run, "valid_nll") for run in ("one", "two"))
    assert len(one_valid) == len(two_valid) == 2
    for one, two in zip(one_valid, two_valid, strict=True):  # 7 sentences, 4 translated by one process, 3 by the other
        assert one["valid_nll"] == pytest.approx(two["valid_nll"], abs=2e-5)
        assert one["valid_bleu"] == pytest.approx(two["valid_bleu"], abs=1e-3)
    for name in ("model.safetensors", "averaged/model.safetensors", "best/model.safetensors", "state.safetensors"):
        assert_close(*(safetensors.torch.load_file(tmp_path / run / name) for run in ("one", "two")))
    for out in ("one", "two"):
        assert (
            toys.command(*toys.train_arguments(data, tmp_path / out, **common | dict(steps=8, resume=True))).status == 0
        )
    assert logged(tmp_path / "one")[-1]["loss"] == pytest.approx(logged(tmp_path / "two")[-1]["loss"], abs=2e-5)
    lengths = [len(batch.src) for batch in toy_batches(data, tmp_path / "one", 9)]
    assert 1 in lengths[:6] and max(lengths[:6]) > 1
    assert (tmp_path / "one" / "tokenizer.model").read_bytes() == (tmp_path / "two" / "tokenizer.model").read_bytes()


def test_two_processes_are_one_where_a_sentence_outgrows_the_position_table(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data", n=6, n_valid=1)
    for ending, words in (
        ("en", "cat dog " * 140),
        ("de", "dog cat " * 140),
    ):  # longer than max_len, in one rank's share
        (data / f"train.{ending}").write_text(words + "\n" + (data / f"train.{ending}").read_text())
    common = dict(tokens_per_batch=700, p_drop=0.0, precision="fp32", steps=3, save_every=9)
    assert toys.command(*toys.train_arguments(data, tmp_path / "one", **common)).status == 0
    two = toys.process(*toys.train_arguments(data, tmp_path / "two", **common), launcher=toys.LAUNCHER)
    assert two.status == 0 and "Error" not in two.err, two.err
    losses = [[line["loss"] for line in logged(tmp_path / run)] for run in ("one", "two")]
    assert losses[0] == pytest.approx(losses[1], abs=2e-5) and len(losses[0]) == 3


def test_two_packed_processes_with_less_to_validate_than_processes_are_one_padded(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data", n=9, n_valid=1)
    common = dict(tokens_per_batch=30, p_drop=0.0, precision="fp32", steps=3, save_every=3)
    assert toys.command(*toys.train_arguments(data, tmp_path / "one", **common)).status == 0
    two = toys.process(*toys.train_arguments(data, tmp_path / "two", packed="yes", **common), launcher=TORCHRUN)
    assert two.status == 0, two.err
    for kind in ("loss", "valid_nll", "valid_bleu"):
        one, two = ([line[kind] for line in logged(tmp_path / run, kind)] for run in ("one", "two"))
        assert one == pytest.approx(two, abs=2e-5) and len(one) in (1, 3)
    assert_close(*(safetensors.torch.load_file(tmp_path / run / "model.safetensors") for run in ("one", "two")))


def test_a_state_knows_how_to_train() -> None:
    model = new_model()
    state = tc.TrainingState(model, settings(steps=2, warmup_steps=3, peak_learning_rate=0.01))
    steps = list(tc.train(model, tc.make_batches(random_pairs(9), 40), state=state))
    assert [step.learning_rate for step in steps] == pytest.approx([0.01 / 3, 0.02 / 3])


def test_a_folder_named_by_the_reader_is_not_one_of_the_runs_own(toy_run: Path, tmp_path: Path) -> None:
    shutil.copytree(toy_run, tmp_path / "run")
    shutil.copytree(toy_run / "step-20", tmp_path / "run" / "step-20-good")
    assert [folder.name for folder in tc.step_folders(tmp_path / "run")] == ["step-20", "step-30"]


def toy_batches(data: Path, run: Path, tokens_per_batch: int) -> tc.Batches:
    tokenizer = tc.Tokenizer.load(run / "tokenizer.model")
    sides = tc.read_parallel(data, "train", "en", "de")
    return tc.make_batches(list(zip(*(map(tokenizer.encode, side) for side in sides), strict=True)), tokens_per_batch)


# ─── A generator that one can stop ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("cut", [1, 3, 4, 6])
def test_train_can_be_stopped_and_gone_on_with(cut: int, tmp_path: Path) -> None:
    """In memory and through a file, in the middle of an epoch and at its end, dropout on."""
    batches, config = tc.make_batches(random_pairs(16), 25), settings()
    assert 1 < len(batches) < 6
    model = new_model()
    whole = [numbers(step) for step in tc.train(model, batches, config)]

    again = new_model()
    state = tc.TrainingState(again, config)
    first = [numbers(step) for step in itertools.islice(tc.train(again, batches, config, state), cut)]
    state.save(tmp_path / "state.safetensors", {"note": "half-way"})
    rest = [numbers(step) for step in tc.train(again, batches, config, state)]
    assert first + rest == whole
    assert_equal(weights(again), weights(model))

    third = new_model(seed=99)  # its own numbers are overwritten
    state = tc.TrainingState(third, config)
    assert state.load(tmp_path / "state.safetensors") == {"note": "half-way"}
    assert state.step == cut
    assert [numbers(step) for step in tc.train(third, batches, config, state)] == whole[cut:]
    assert_equal(weights(third), weights(model))
    assert list(tc.train(third, batches, config, state)) == []  # it is finished


def test_a_state_taken_up_again_by_the_one_that_went_on_forgets_what_came_after(tmp_path: Path) -> None:
    batches = tc.make_batches(random_pairs(40), tokens_per_batch=30)
    state = tc.TrainingState(new_model(), settings(steps=3))
    state.save(tmp_path / "state.safetensors")
    ends = []
    for _ in range(2):
        for _step in tc.train(state.model, batches, state=state):
            pass
        ends.append({name: weight.clone() for name, weight in weights(state.model).items()})
        state.load(tmp_path / "state.safetensors")
    assert_equal(*ends)


def test_what_the_caller_does_between_steps_changes_nothing() -> None:
    batches, config = tc.make_batches(random_pairs(16), 25), settings()
    model, disturbed = new_model(), new_model()
    whole = [numbers(step) for step in tc.train(model, batches, config)]
    steps = []
    for step in tc.train(disturbed, batches, config):
        steps.append(numbers(step))
        torch.rand(step.step), random.random()
        ways.validation_nll(disturbed, batches)
        disturbed.eval()
        disturbed.zero_grad()
    assert steps == whole
    assert_equal(weights(disturbed), weights(model))


def test_the_caller_s_random_numbers_are_left_alone() -> None:
    model, batches = new_model(p_drop=0.5), tc.make_batches(random_pairs(16), 25)
    torch.manual_seed(123)
    random.seed(123)
    before = torch.get_rng_state(), random.getstate()
    for _ in tc.train(model, batches, settings()):
        assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[1]
    assert torch.equal(torch.get_rng_state(), before[0]) and random.getstate() == before[1]


def test_another_seed_is_another_dropout_and_the_same_seed_the_same() -> None:
    losses = []
    for seed in (0, 0, 1):
        batches = tc.make_batches(random_pairs(16), 25)
        losses.append([step.loss for step in tc.train(new_model(), batches, settings(seed=seed))])
    assert losses[0] == losses[1] != losses[2]


def test_anything_with_epochs_can_be_trained_on() -> None:
    class Twice:
        asked: list[tuple[int, int]] = []  # noqa: RUF012

        def epoch(self, number: int, start: int = 0) -> Iterator[tc.Batch]:
            self.asked.append((number, start))
            return iter([tc.Batch.of(random_pairs(3, seed=number)), tc.Batch.of(random_pairs(2, seed=number))][start:])

    model, config = new_model(), settings(steps=5)
    state = tc.TrainingState(model, config)
    assert len(list(itertools.islice(tc.train(model, Twice(), config, state), 3))) == 3
    assert [step.epoch for step in tc.train(model, Twice(), config, state)] == [1, 2]
    assert Twice.asked == [(0, 0), (1, 0), (1, 1), (2, 0)]


def test_an_empty_corpus_does_not_spin_for_ever() -> None:
    class Nothing:
        calls = 0

        def epoch(self, number: int, start: int = 0) -> Iterator[tc.Batch]:
            self.calls += 1
            assert self.calls < 5, "asked again and again for what is not there"
            return iter(())

    with pytest.raises(ValueError, match=r"empty|no batch|nothing"):
        next(tc.train(new_model(), Nothing(), settings()))


def test_a_state_of_another_model_is_refused() -> None:
    state = tc.TrainingState(new_model(), settings())
    with pytest.raises(ValueError) as caught:
        next(tc.train(new_model(), tc.make_batches(random_pairs(5), 60), settings(), state))
    toys.assert_one_sentence(str(caught.value), "another model")


# ─── What goes wrong, and what goes well ─────────────────────────────────────────────────────────────────────────────


def test_a_loss_that_is_no_number_names_its_pairs_and_makes_no_update() -> None:
    pairs = random_pairs(12)
    bad = next(i for i, (source, _) in enumerate(pairs) if 12 not in source and i > 2)
    pairs = [(s, t) if i == bad else ([x if x != 12 else 4 for x in s], t) for i, (s, t) in enumerate(pairs)]
    pairs[bad] = ([12, 5], [5, 7])
    model = new_model(tgt_vocab_size=VOCABULARY)
    with torch.no_grad():
        model.src_embedding.weight[12] = math.inf  # poison for the one pair that reads it
    config = settings(steps=50)
    orders = (tc.make_batches(pairs, 12, seed) for seed in itertools.count())
    batches = next(order for order in orders if bad not in next(order.epoch(0)).rows)  # good steps come first
    state = tc.TrainingState(model, config)
    steps, before = 0, None
    with pytest.raises(FloatingPointError) as caught:
        for step in tc.train(model, batches, config, state):
            steps, before = step.step, (weights(model), moments(state))
    assert steps > 0 and before is not None and state.step == steps
    assert_equal(weights(model), before[0])
    assert_equal(moments(state), before[1])
    rows = list(batches.epoch(0))[steps].rows
    assert bad in rows
    named = set(map(int, re.findall(r"\d+", re.split(r"lines|pairs", str(caught.value))[1].split("(")[0])))
    assert named >= set(rows) or named >= {row + 1 for row in rows}
    toys.assert_one_sentence(str(caught.value), f"Step {steps + 1} ")


def moments(state: tc.TrainingState) -> dict[str, Tensor]:
    names = [(name, p) for name, p in state.model.named_parameters() if p in state.optimizer.state]
    return {f"{m} {name}": x.clone() for name, p in names for m, x in state.optimizer.state[p].items()}


def test_a_small_model_learns_to_write_backwards() -> None:
    torch.manual_seed(1)
    shape = dict(n_layers=2, d_model=32, d_ff=64, n_heads=4, d_k=8, d_v=8, p_drop=0.0, eps_ls=0.0)
    model = tc.Transformer(tc.TransformerConfig(VOCABULARY, **shape))
    pairs = random_pairs(1500, longest=4)
    known = {tuple(source) for source, _ in pairs[300:]}
    unseen = [(source, target) for source, target in pairs[:300] if tuple(source) not in known][:40]
    assert len(unseen) == 40
    batches = tc.make_batches(pairs[300:], 250, seed=1)
    config = settings(steps=220, warmup_steps=40, peak_learning_rate=8e-3, cooldown_steps=80)
    nlls = [step.nll for step in tc.train(model, batches, config)]
    assert sum(nlls[-10:]) / 10 < 0.2 < 2 < nlls[0]
    assert ways.validation_nll(model, [tc.Batch.of(unseen)]) < 0.2
    found = tc.greedy_decode(model, tc.pad([[*source, tc.EOS] for source, _ in unseen]))
    right = sum(hypothesis.ids == [*target, tc.EOS] for hypothesis, (_, target) in zip(found, unseen, strict=True))
    assert right >= 36


@pytest.mark.parametrize("training", [True, False])
def test_the_validation_nll_is_the_mean_over_real_tokens(training: bool) -> None:
    model, pairs = new_model(p_drop=0.5).train(training), random_pairs(9, seed=5)
    total, n_tokens = 0.0, 0
    for source, target in pairs:  # one at a time, so nothing is padded
        logits = new_model(p_drop=0.5).eval()(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]))
        total += F.cross_entropy(logits[0], torch.tensor([*target, tc.EOS]), reduction="sum").item()
        n_tokens += len(target) + 1
    for size in (1, 4, 9):
        batches = [tc.Batch.of(pairs[i : i + size]) for i in range(0, 9, size)]
        assert ways.validation_nll(model, batches, "fp32") == pytest.approx(total / n_tokens, abs=1e-5)
    assert model.training is training and all(p.grad is None for p in model.parameters())


# ─── A run and its folder ────────────────────────────────────────────────────────────────────────────────────────────


def run(data: Path, out: Path, **changes: Any) -> toys.Outcome:
    return toys.command(*toys.train_arguments(data, out, **changes))


def contents(folder: Path) -> dict[str, Any]:
    """All that a run has written, the time it took and an interrupted write's remains set aside."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name == "log.jsonl":
            found[name] = [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in path.open()]
        elif name == "state.safetensors":
            tensors = safetensors.torch.load_file(path)
            found[name] = {name: tensor.numpy().tobytes() for name, tensor in tensors.items()}
        elif path.is_file() and path.suffix != ".part":
            found[name] = path.read_bytes()
    return found


def assert_same_run(left: Path, right: dict[str, Any]) -> None:
    written = contents(left)
    assert sorted(written) == sorted(right)
    assert written["log.jsonl"] == right["log.jsonl"]
    assert [name for name in written if written[name] != right[name]] == []


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return toys.write_corpus(tmp_path_factory.mktemp("corpus"))


@pytest.fixture(scope="module")
def uninterrupted(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five steps with dropout, saved at 2, 4 and 5, two epochs touched; the folder is only read."""
    n = torch.get_num_threads()
    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("uninterrupted") / "run"
    done = run(data, out)
    torch.set_num_threads(n)
    assert done.status == 0, done.err
    return out


INSTANTS = [
    *[("adam", n) for n in (1, 3, 5)],  # before anything is saved, between saves, in the last step
    *[("os.replace", n) for n in (1, 4, 9, 10, 11, 12, 17, 22)],
    *[("os.fsync", n) for n in (2, 10, 15, 20)],
    ("shutil.rmtree", 1),
    ("last os.replace", 0),
    ("last os.replace", 1),
]


@pytest.mark.parametrize(("where", "number"), INSTANTS, ids=lambda part: str(part))
def test_a_run_killed_at_any_instant_ends_as_if_it_had_not_been(
    where: str, number: int, data: Path, uninterrupted: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    if where.startswith("last "):  # counted from the end: of all files of this run, state.safetensors is the last
        where = where.removeprefix("last ")
        with toys.at_call(0, where) as calls:
            assert run(data, tmp_path / "counted").status == 0
        number = calls[0] - number
    with pytest.raises(toys.Killed), toys.at_call(number, where):
        run(data, out)
    done = run(data, out, resume=True)
    assert done.status == 0, done.err
    assert_same_run(out, contents(uninterrupted))


@pytest.mark.parametrize("place", ["os.fsync 20"])
def test_a_real_sigkill_is_survived_too(place: str, data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = toys.process(*toys.train_arguments(data, out), TOY_KILL=place)
    assert done.status == -signal.SIGKILL
    assert run(data, out, resume=True).status == 0
    assert_same_run(out, contents(uninterrupted))


def test_a_run_killed_again_and_again_ends_the_same(data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    for n in (3, 2, 2, 1):  # each time a little further
        with contextlib.suppress(toys.Killed), toys.at_call(n, "adam"):
            run(data, tmp_path / "run", resume=True)
    assert run(data, tmp_path / "run", resume=True).status == 0
    assert_same_run(tmp_path / "run", contents(uninterrupted))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("step", [1, 4, 5], ids=["between saves", "at a save", "in the last step"])
def test_sigterm_and_sigint_save_and_stop(
    number: signal.Signals, step: int, data: Path, uninterrupted: Path, tmp_path: Path
) -> None:
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with toys.at_call(step, "adam", lambda: os.kill(os.getpid(), number)):
        done = run(data, tmp_path / "run")
    assert done.status == 128 + number and number.name in done.err and done.out == b""
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == handlers
    assert [line["step"] for line in logged(tmp_path / "run")] == list(range(1, step + 1))
    tc.load_pretrained(tmp_path / "run")
    assert run(data, tmp_path / "run", resume=True).status == 0
    assert_same_run(tmp_path / "run", contents(uninterrupted))


def test_a_second_signal_ends_at_once(data: Path, tmp_path: Path) -> None:
    """Only a process of its own may die of it; that it would is seen from the handler."""
    seen: list[Any] = []
    with toys.at_call(
        1, "adam", lambda: (os.kill(os.getpid(), signal.SIGINT), seen.append(signal.getsignal(signal.SIGINT)))
    ):
        assert run(data, tmp_path / "run").status == 128 + signal.SIGINT
    assert seen == [signal.SIG_DFL]


def test_more_steps_can_be_asked_for_later(data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    assert run(data, tmp_path / "run", steps=2).status == 0
    assert run(data, tmp_path / "run", steps=5, resume=True).status == 0
    assert contents(tmp_path / "run")["model.safetensors"] == contents(uninterrupted)["model.safetensors"]
    assert_same_run(tmp_path / "run", contents(uninterrupted))


def test_minutes_end_a_run_and_more_of_them_go_on_with_it(data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    assert run(data, tmp_path / "run", minutes=1e-9).status == 0
    assert [line["step"] for line in logged(tmp_path / "run")] == [1]
    assert run(data, tmp_path / "run", minutes=1e-9, resume=True).status == 0
    assert len(logged(tmp_path / "run")) == 1
    assert run(data, tmp_path / "run", resume=True).status == 0
    assert contents(tmp_path / "run")["model.safetensors"] == contents(uninterrupted)["model.safetensors"]


def test_resume_on_a_finished_run_ends_at_once_without_reading_data(uninterrupted: Path, tmp_path: Path) -> None:
    before = contents(uninterrupted)
    done = run(tmp_path / "no such data", uninterrupted, resume=True)
    assert done.status == 0 and done.out == b""
    toys.assert_one_sentence(done.err.rstrip("\n"), "finished", "5")
    assert contents(uninterrupted) == before


def test_resume_where_nothing_is_starts(data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    assert run(data, tmp_path / "new" / "run", resume=True).status == 0
    assert_same_run(tmp_path / "new" / "run", contents(uninterrupted))


def test_a_run_with_two_vocabularies_goes_on_as_if_nothing_had_been(data: Path, tmp_path: Path) -> None:
    assert run(data, tmp_path / "whole", tgt_vocab_size=200).status == 0
    with pytest.raises(toys.Killed), toys.at_call(4, "adam"):
        run(data, tmp_path / "cut", tgt_vocab_size=200)
    assert run(data, tmp_path / "cut", tgt_vocab_size=200, resume=True).status == 0
    assert_same_run(tmp_path / "cut", contents(tmp_path / "whole"))


def test_the_same_command_gives_the_same_run_and_another_seed_another(
    data: Path, uninterrupted: Path, tmp_path: Path
) -> None:
    assert run(data, tmp_path / "same").status == run(data, tmp_path / "other", seed=1, steps=2).status == 0
    assert_same_run(tmp_path / "same", contents(uninterrupted))
    losses = [[line["loss"] for line in logged(folder)][:2] for folder in (uninterrupted, tmp_path / "other")]
    assert losses[0][0] != losses[1][0]


REFUSED: dict[str, Callable[[Path], dict[str, Any]]] = {
    "without --resume": lambda new: dict(resume=None),
    "another seed": lambda new: dict(seed=7),
    "another preset": lambda new: dict(preset="tiny"),
    "another dropout": lambda new: dict(p_drop=0.3),
    "another vocabulary": lambda new: dict(vocab_size=300),
    "a vocabulary of the target's own": lambda new: dict(tgt_vocab_size=200),
    "other batches": lambda new: dict(tokens_per_batch=70),
    "another language": lambda new: dict(src="de", tgt="en"),
    "other data": lambda new: dict(data=toys.write_corpus(new, seed=8)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_run_does_not_go_on_as_another(name: str, data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    before = contents(uninterrupted)
    changes = dict(steps=9, resume=True) | REFUSED[name](tmp_path / "new")
    done = run(changes.pop("data", data), uninterrupted, **changes)
    assert done.status == 2 and done.out == b""
    message = done.err.strip().splitlines()[-1]
    argument = next((key for key in changes if key not in ("steps", "resume")), None)
    toys.assert_one_sentence(message, str(uninterrupted), *([argument] if argument else []))
    assert contents(uninterrupted) == before


@pytest.mark.parametrize("damage", ["cut short", "empty", "another file", "a folder"])
def test_a_damaged_state_is_refused_in_a_sentence(damage: str, data: Path, uninterrupted: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    shutil.copytree(uninterrupted, out)
    state = out / "state.safetensors"
    whole = state.read_bytes()
    state.unlink()
    match damage:
        case "cut short" | "empty":
            state.write_bytes(whole[: len(whole) // 2] if damage == "cut short" else b"")
        case "another file":
            shutil.copy(out / "model.safetensors", state)
        case "a folder":
            state.mkdir()
    done = run(data, out, steps=9, resume=True)
    assert done.status == 2 and done.out == b""
    toys.assert_one_sentence(done.err.strip().splitlines()[-1], "state.safetensors")


def test_the_log_has_one_line_a_step_strictly_increasing(data: Path, tmp_path: Path) -> None:
    for n in (9, 5, 3):
        with contextlib.suppress(toys.Killed), toys.at_call(n, "os.replace"):
            run(data, tmp_path / "run", resume=True, steps=12)
    assert run(data, tmp_path / "run", resume=True, steps=12).status == 0
    lines = logged(tmp_path / "run")
    assert [line["step"] for line in lines] == list(range(1, 13))
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)
    assert [line["step"] for line in logged(tmp_path / "run", "valid_nll")] == [2, 4, 6, 8, 10, 12]
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 12 + 6


@pytest.mark.parametrize("keep", [1, 2, 9])
def test_the_last_few_checkpoints_are_kept_and_averaged(keep: int, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run(data, out, keep=keep, steps=7).status == 0
    kept = [2, 4, 6, 7][-keep:]
    assert {path.name for path in out.glob("step-*")} == {f"step-{n}" for n in kept}
    mean = tc.average_checkpoints([out / f"step-{n}" for n in kept])
    assert_equal(tc.weights_of(tc.load_pretrained(out / "averaged").model), mean)
    last = tc.weights_of(tc.load_pretrained(out).model)
    assert_equal(last, tc.weights_of(tc.load_pretrained(out / "step-7").model))
    state = safetensors.torch.load_file(out / "state.safetensors")
    assert_equal(last, {k.removeprefix("model."): x for k, x in state.items() if k.startswith("model.")})


def test_the_best_is_that_of_the_highest_bleu_and_validation_is_that_of_the_folder(data: Path, toy_run: Path) -> None:
    valid = logged(toy_run, "valid_nll")
    assert [line["step"] for line in valid] == [10, 20, 30]
    best = max(valid, key=lambda line: (line["valid_bleu"], -line["valid_nll"]))["step"]
    assert_equal(*(tc.weights_of(tc.load_model(toy_run / name)) for name in ("best", f"step-{best}")))
    translator = tc.load_pretrained(toy_run / "step-30")
    sides = tc.read_parallel(toy_run.parent / "data", "valid", "en", "de")
    pairs = list(zip(*(map(translator.tokenizer.encode, side) for side in sides), strict=True))
    nll = ways.validation_nll(translator.model, [tc.Batch.of(pairs)])
    assert valid[-1]["valid_nll"] == pytest.approx(nll, rel=1e-5)
    assert valid[-1]["valid_perplexity"] == pytest.approx(math.exp(valid[-1]["valid_nll"]), rel=1e-4)
    lines = translator.translate(sides[0][:3], beam_size=1)
    assert valid[-1]["valid_bleu"] == pytest.approx(tc.corpus_bleu(lines, sides[1][:3])[0].score, rel=1e-4, abs=1e-4)


def test_the_best_has_the_highest_bleu_and_nll_decides_between_equals(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bleus, nlls = iter([10.0, 30.0, 30.0, 20.0]), iter([3.0, 2.0, 1.5, 1.0])
    monkeypatch.setattr(tc, "corpus_bleu", lambda *_: (SimpleNamespace(score=next(bleus)), None))
    monkeypatch.setattr(ways, "validation_nll", lambda *_: next(nlls))
    assert run(data, tmp_path / "run", steps=8, keep=9).status == 0
    assert_equal(*(tc.weights_of(tc.load_model(tmp_path / "run" / name)) for name in ("best", "step-6")))


def test_the_bleu_of_a_validation_is_sacrebleus(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    references = (data / "valid.de").read_text().splitlines()[:3]
    said = [references[0], references[1] + " ant", "hen " + references[2]]
    monkeypatch.setattr(fast_cpu.Translator, "translate", lambda *_, **__: said)
    assert run(data, tmp_path / "run", steps=2).status == 0
    score = sacrebleu.corpus_bleu(said, [references]).score
    assert 0 < score != pytest.approx(sacrebleu.corpus_bleu(references, [said]).score)
    assert logged(tmp_path / "run", "valid_bleu")[-1]["valid_bleu"] == pytest.approx(score, rel=1e-4)


def test_a_run_needs_no_validation_text(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    for path in (tmp_path / "data").glob("valid.*"):
        path.unlink()
    assert run(tmp_path / "data", tmp_path / "run").status == 0
    assert logged(tmp_path / "run", "valid_nll") == [] and len(logged(tmp_path / "run")) == 5
    assert (tmp_path / "run" / "averaged").is_dir() and not (tmp_path / "run" / "best").exists()


def test_validation_can_do_without_translating(data: Path, tmp_path: Path) -> None:
    done = run(data, tmp_path / "run", bleu_sentences=0)
    assert done.status == 0, done.err
    assert len(logged(tmp_path / "run", "valid_nll")) == 3


def test_a_run_that_diverges_stops_and_says_so(data: Path, tmp_path: Path) -> None:
    done = run(data, tmp_path / "run", peak_learning_rate=1e30, steps=20, save_every=50)
    assert done.status == 2 and done.out == b""
    toys.assert_one_sentence(done.err.strip().splitlines()[-1], "lower rate", "clip_norm=1")
    steps = [line["step"] for line in logged(tmp_path / "run")]
    assert steps == list(range(1, len(steps) + 1))
    assert all(math.isfinite(line["loss"]) for line in logged(tmp_path / "run"))


class Still(schedule.TrainingConfig):
    """A training that does not move."""

    def learning_rate(self, step: int, d_model: int) -> float:
        return 0.0


@pytest.mark.parametrize("train", [tc.train, ways.train])
def test_each_step_draws_its_own_dropout(train: Callable[..., Iterator[tc.Step]]) -> None:
    batches = tc.make_batches(random_pairs(9), 1000)  # one batch, the same in each epoch
    losses = [
        step.loss for step in train(new_model(p_drop=0.5), batches, Still(steps=4, device="cpu", precision="fp32"))
    ]
    assert max(losses) - min(losses) > 0.01
    again = [
        step.loss for step in train(new_model(p_drop=0.0), batches, Still(steps=4, device="cpu", precision="fp32"))
    ]
    assert max(again) - min(again) < 1e-5


def test_what_is_drawn_depends_on_the_seed_the_step_and_the_process() -> None:
    drawn = []
    for key in ((0, 1, 0), (0, 2, 0), (0, 1, 1), (1, 1, 0), (0, 1, 0)):
        with tc.seeded(torch.device("cpu"), *key):
            drawn.append(torch.rand(1).item())
    assert drawn[0] == drawn[-1] and len(set(drawn)) == 4


# ─── The core's own command ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Train by the core's command, which a copy of that file alone has."""
    monkeypatch.setitem(tc.PRESETS, "toy", toys.TOY)
    common = dict(preset="toy", vocab_size=290, steps=5, tokens_per_batch=60, warmup_steps=4, save_every=2)
    common |= dict(precision="fp32")

    def train(data: Path, out: Path, **changes: Any) -> int:
        values = common | dict(data=str(data), out=str(out), device="cpu") | changes
        return tc.train_command(tc.TrainArguments(**values))

    return train


def plain_contents(folder: Path) -> dict[str, Any]:
    """All files, of the state what is not a time."""
    tensors = safetensors.torch.load_file(folder / "state.safetensors")
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return files | {"state.safetensors": {name: x.numpy().tobytes() for name, x in tensors.items()}}


@pytest.mark.parametrize("killed", [("adam", 1), ("adam", 4), ("os.replace", 5), ("os.replace", 12)], ids=str)
def test_a_plain_run_that_was_killed_goes_on_as_if_it_had_not_been(
    plainly: Callable[..., int], killed: tuple[str, int], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert plainly(data, tmp_path / "whole") == 0
    assert len(re.findall(r"step \d: nll .* tok/s", capsys.readouterr().err)) == 3
    assert [folder.name for folder in tc.step_folders(tmp_path / "whole")] == ["step-2", "step-4", "step-5"]
    with pytest.raises(toys.Killed), toys.at_call(killed[1], killed[0]):
        plainly(data, tmp_path / "cut")
    assert plainly(data, tmp_path / "cut", resume=True) == 0
    left, right = (plain_contents(tmp_path / run) for run in ("whole", "cut"))
    assert {name for name in right if not name.endswith(".part")} == left.keys()
    assert [name for name in left if left[name] != right[name]] == []


def test_a_plain_run_that_saves_at_the_end_alone(plainly: Callable[..., int], data: Path, tmp_path: Path) -> None:
    assert plainly(data, tmp_path / "run", steps=3, save_every=0) == 0
    assert [folder.name for folder in tc.step_folders(tmp_path / "run")] == ["step-3"]


def test_a_plain_run_passes_over_pairs_with_an_empty_side(
    plainly: Callable[..., int], data: Path, tmp_path: Path
) -> None:
    for language in ("en", "de"):
        lines = (data / f"train.{language}").read_text().splitlines()
        (tmp_path / f"train.{language}").write_text("\n".join(["cat" if language == "en" else "", *lines]) + "\n")
    assert plainly(tmp_path, tmp_path / "run", steps=2) == plainly(data, tmp_path / "whole", steps=2) == 0
    left, right = (tc.weights_of(tc.load_model(tmp_path / name)) for name in ("run", "whole"))
    assert_equal(left, right)


def test_the_core_alone_averages_the_last_steps(toy_run: Path, tmp_path: Path) -> None:
    for last, steps in ((1, [30]), (2, [20, 30])):
        assert tc.average_command(str(toy_run), str(tmp_path / f"mean-{last}"), last) == 0
        mean = tc.weights_of(tc.load_model(tmp_path / f"mean-{last}"))
        parts = [tc.weights_of(tc.load_model(toy_run / f"step-{step}")) for step in steps]
        assert_close(mean, {name: sum(part[name] for part in parts) / last for name in mean}, 1e-6)


def test_the_core_alone_translates_line_by_line_as_asked(toy_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines, translator = ["cat dog", "", "hen fox gnu ant"], tc.load_pretrained(toy_run)
    wanted = {beam_size: translator.translate(lines, beam_size) for beam_size in (1, 4)}
    assert wanted[1] != wanted[4]
    for beam_size, said in wanted.items():
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode()), "utf-8"))
        monkeypatch.setattr(sys, "stdout", out)
        assert tc.translate_command(tc.SearchArguments(checkpoint=str(toy_run), beam_size=beam_size)) == 0
        assert out.buffer.getvalue().decode() == "".join(line + "\n" for line in said)  # type: ignore[attr-defined]


def test_a_plain_run_goes_on_and_a_finished_one_ends_at_once(
    plainly: Callable[..., int], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    assert plainly(data, tmp_path / "run", steps=1) == 0
    assert [folder.name for folder in tc.step_folders(tmp_path / "run")] == ["step-1"]
    assert plainly(data, tmp_path / "run", resume=True) == plainly(data, tmp_path / "whole") == 0
    assert_equal(*(tc.weights_of(tc.load_model(tmp_path / run)) for run in ("run", "whole")))
    capsys.readouterr()
    assert plainly(data, tmp_path / "run", resume=True) == 0
    toys.assert_one_sentence(capsys.readouterr().err.rstrip("\n").splitlines()[-1], "finished", "5")


def test_a_run_begun_plainly_goes_on_in_full_and_back(plainly: Callable[..., int], data: Path, tmp_path: Path) -> None:
    assert plainly(data, tmp_path / "run", steps=2) == 0
    assert run(data, tmp_path / "run", steps=4, resume=True).status == 0
    assert plainly(data, tmp_path / "run", steps=6, resume=True) == 0
    assert tc.saved_training(tmp_path / "run" / "state.safetensors")["place"]["step"] == 6


def test_a_plain_run_is_not_written_over(plainly: Callable[..., int], data: Path, tmp_path: Path) -> None:
    assert plainly(data, tmp_path / "run", steps=2) == 0
    before = plain_contents(tmp_path / "run")
    with pytest.raises(ValueError) as caught:
        plainly(data, tmp_path / "run", steps=9)
    toys.assert_one_sentence(str(caught.value), str(tmp_path / "run"))
    assert plain_contents(tmp_path / "run") == before


def test_a_finished_run_says_so_before_it_reads_any_text(
    plainly: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert plainly(data, out) == 0
    assert plainly(tmp_path / "no data", out, resume=True) == 0
    assert capsys.readouterr().err.endswith(f"{out} is finished, with 5 steps or more.\n")
