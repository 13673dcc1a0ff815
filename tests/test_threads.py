"""Parts side by side on the cores of a CPU: in order, to the same bits however many work, and no longer than wanted."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import pytest
import torch
import toys

import transformer_core as tc
from core_options import fast_cpu, schedule, threads, ways


@pytest.fixture(params=[1, 2, 3])
def n(request: pytest.FixtureRequest) -> Iterator[int]:
    """So many threads of torch's."""
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


def test_results_come_in_order_from_as_many_threads_as_torch_has(n: int) -> None:
    all_at_work = threading.Barrier(n)

    def work(part: int) -> tuple[int, int]:
        all_at_work.wait(20)  # ends only when n of them stand here
        time.sleep(0.01 * (7 - part))
        return part, torch.get_num_threads()

    assert [*threads.side_by_side(work, range(n * 2))] == [(part, 1) for part in range(n * 2)]
    assert torch.get_num_threads() == n


def test_where_torch_is_left_one_thread_parts_have_those_it_had(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", 1)
    threads.leave_one()
    assert torch.get_num_threads() == 1
    threads.leave_one()  # once more
    all_at_work = threading.Barrier(n)
    assert len({*threads.side_by_side(lambda part: all_at_work.wait(20), range(n))}) == n


def test_a_notebook_has_one_thread_for_a_sentence_and_all_cores_to_train() -> None:
    """Whoever started it: what `make` sets, conda, plain Python and their kernels do not."""
    tell = "import viz, torch; from core_options import threads; print(torch.get_num_threads(), threads.cores)"
    words, env = [sys.executable, "-c", tell], os.environ | {"OMP_NUM_THREADS": "2"}
    done = subprocess.run(words, env=env, cwd=toys.ROOT, capture_output=True, check=True, text=True)
    assert done.stdout.split() == ["1", f"{min(2, os.cpu_count() or 1)}"]


def test_an_error_comes_out_and_leaves_torch_its_threads(n: int) -> None:
    def work(part: int) -> float:
        return 1 / (2 - part)

    done = []
    with pytest.raises(ZeroDivisionError):
        done.extend(threads.side_by_side(work, range(5)))
    assert done == [0.5, 1.0] and torch.get_num_threads() == n


def test_what_nobody_waits_for_ends() -> None:
    begun, ended = threading.Event(), threading.Event()

    def work(part: int) -> int:
        while part:
            begun.set()
            time.sleep(0.001)
            try:
                threads.check_wanted()
            except threads.Left:
                ended.set()
                raise
        return part

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        results = threads.side_by_side(work, [0, 1])
        assert next(results) == 0 and begun.wait(20) and not ended.is_set()
        results.close()  # type: ignore[attr-defined]
        assert ended.wait(20)
    finally:
        torch.set_num_threads(before)


# ─── Training ────────────────────────────────────────────────────────────────────────────────────────────────────────
def corpus(n: int) -> list[tc.Pair]:
    lengths = torch.randint(1, 30, (n, 2), generator=torch.Generator().manual_seed(1)).tolist()
    ids = torch.randint(4, 41, (30,), generator=torch.Generator().manual_seed(2)).tolist()
    return [(ids[:source], ids[-target:]) for source, target in lengths]


def trained(n: int, p_drop: float, precision: str = "fp32", tokens: int = 900) -> list[torch.Tensor]:
    """The losses of three steps and the weights they end in, with so many threads."""
    torch.set_num_threads(n)
    torch.manual_seed(5)
    sizes = dict(n_layers=2, d_model=16, d_ff=24, n_heads=2, d_k=8, d_v=8)
    model = tc.Transformer(tc.TransformerConfig(41, p_drop=p_drop, **sizes))
    settings = schedule.TrainingConfig(
        steps=3, warmup_steps=2, peak_learning_rate=0.01, device="cpu", precision=precision, seed=4
    )
    losses = [step.loss for step in ways.train(model, tc.make_batches(corpus(200), tokens), settings)]
    return [torch.tensor(losses), *model.parameters()]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_no_bit_of_a_training_depends_on_how_many_threads_work(n: int, precision: str, monkeypatch) -> None:
    monkeypatch.setattr(fast_cpu, "PART", 200)  # so that a batch has many
    here, alone = trained(n, 0.3, precision), trained(1, 0.3, precision)
    assert all(map(torch.equal, here, alone))
    assert not torch.equal(here[0], trained(n, 0.2, precision)[0])


def test_parts_add_up_to_the_batch(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = trained(1, 0.0)
    monkeypatch.setattr(fast_cpu, "PART", 100)
    for ours, plain in zip(trained(n, 0.0), whole, strict=True):
        torch.testing.assert_close(ours, plain, atol=2e-5, rtol=1e-4)


def test_a_batch_of_one_part_is_halved_where_it_is_work_enough_for_two_cores() -> None:
    config = tc.TransformerConfig(41, 1, 16, 24, 2, 8, 8)
    way = fast_cpu.LikeLengths(tc.Transformer(config))
    batch = tc.Batch.of([([5] * 20, [6] * 20)] * 40)  # 840 target tokens, all of one length
    state = tc.TrainingState(tc.Transformer(config), tc.TrainingConfig())
    assert len(way.parts(state, batch)) == 1
    way.size = 61_000_000  # the base model's
    assert [part.n_tokens for part in way.parts(state, batch)] == [420, 420]
    many = tc.Batch.of([([5] * 20, [6] * 20)] * 120)  # 2,520: three parts would leave one core waiting for the other
    assert [part.n_tokens for part in way.parts(state, many)] == [630, 630, 630, 630]
    alone = tc.Batch.of([([5] * 200, [6] * 200)])
    assert [part.n_tokens for part in way.parts(state, alone)] == [201]  # one sentence is not cut


def test_each_part_draws_its_own_dropout_and_the_callers_generator_is_left_alone(n: int) -> None:
    before = torch.get_rng_state()
    layer = fast_cpu.quick_dropout(torch.nn.Dropout(0.5).train())
    state = tc.Transformer(tc.TransformerConfig(41, 1, 16, 24, 2, 8, 8, p_drop=0.5)).train()
    way = fast_cpu.LikeLengths(state)
    torch.manual_seed(5)
    masks = []
    left_alone = torch.get_rng_state()
    for seed in (1, 2, 1):
        with fast_cpu.drawing_from(seed):
            masks.append(layer(torch.ones(64)))
    assert torch.equal(torch.get_rng_state(), left_alone)
    assert torch.equal(masks[0], masks[2]) and not torch.equal(masks[0], masks[1])
    batch = next(iter(tc.make_batches(corpus(200), 3000)))
    assert max(part.n_tokens for part in way.parts(tc.TrainingState(state, tc.TrainingConfig()), batch)) < 1.3 * 1024
    half = tc.Batch.of([([5] * 20, [6] * 20)] * 3)
    way.parts = lambda *_: [half, half]  # type: ignore[method-assign]
    run = tc.TrainingState(state, tc.TrainingConfig(device="cpu", precision="fp32"))
    first, second = (loss.item() for loss, _ in way.sums(run, half))
    assert abs(first - second) > 0.01
    torch.set_rng_state(before)


def test_no_bit_of_a_validation_depends_on_how_many_threads_work(n: int, toy_run) -> None:
    model, batches = tc.load_pretrained(toy_run).model, [*tc.make_batches(corpus(200), 300)]
    model.train()
    here = ways.validation_nll(model, iter(batches), "fp32")
    assert model.training and len(batches) > n
    torch.set_num_threads(1)
    assert here == ways.validation_nll(model, batches, "fp32")


def test_sinusoids_reach_far_enough_before_threads_read_them(n: int, monkeypatch: pytest.MonkeyPatch, toy_run) -> None:
    """One thread's longer table would take the place of another's while that reads it."""
    makers, plain = [], tc.sinusoidal_positions
    monkeypatch.setattr(fast_cpu, "PART", 200)
    monkeypatch.setattr(
        tc, "sinusoidal_positions", lambda *sizes: makers.append(threading.current_thread()) or plain(*sizes)
    )
    pairs = [([5] * (40 * i), [6] * (35 * i)) for i in range(1, 30)]  # up to 1,160 tokens
    config = tc.TransformerConfig(41, 1, 16, 24, 2, 8, 8)
    settings = schedule.TrainingConfig(steps=6, warmup_steps=2, device="cpu", precision="fp32")
    assert len([*ways.train(tc.Transformer(config), tc.make_batches(pairs, 2000), settings)]) == 6
    ways.validation_nll(tc.Transformer(config), tc.make_batches(pairs, 1200), "fp32")
    translator = fast_cpu.Translator.of(tc.load_pretrained(toy_run))
    texts = [" ".join(["dog"] * length) for length in range(240, 300, 4)]
    translator.translate(texts, beam_size=1, max_extra=3, batch=600)
    assert len(makers) >= 5 and {*makers} == {threading.main_thread()}


# ─── Translating ─────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("beam_size", [1, 3])
def test_translations_do_not_depend_on_how_many_threads_work(n: int, beam_size: int, toy_run) -> None:
    translator, texts = fast_cpu.Translator.of(tc.load_pretrained(toy_run)), toys.sentences(30, seed=8, longest=12)
    lines = translator.translate(texts, beam_size, batch=20)
    torch.set_num_threads(1)
    assert lines == translator.translate(texts, beam_size, batch=20) and len(set(lines)) > 9


def test_a_model_that_is_being_trained_is_so_again_after_its_translations(n: int, toy_run) -> None:
    translator = fast_cpu.Translator.of(tc.load_pretrained(toy_run))
    translator.model.train()
    translator.translate(toys.sentences(40, seed=8), 1, batch=40)
    assert translator.model.training and not any("forward" in vars(module) for module in translator.model.modules())


def test_two_that_overlap_leave_torch_with_as_many_threads_as_it_had(n: int) -> None:
    inside, out = threading.Event(), threading.Event()

    def first() -> None:
        with threads.one_thread():
            inside.set()
            out.wait(20)

    other = threading.Thread(target=first)
    other.start()
    inside.wait(20)
    with threads.one_thread() as own:  # begun while the other is inside, ended after it
        out.set()
        other.join()
        assert (own, torch.get_num_threads()) == (n, 1)
        with threads.one_thread() as inner:
            assert inner == 1
    assert torch.get_num_threads() == n
