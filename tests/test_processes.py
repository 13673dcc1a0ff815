"""A batch worked in parts, one after the other or shared out over processes, is the whole batch."""

import json
import random
from pathlib import Path

import pytest
import torch
import toys

import transformer_core as tc
from core_options import processes, schedule

pytestmark = pytest.mark.usefixtures("one_thread")

VOCABULARY = 13


def new_model() -> tc.Transformer:
    torch.manual_seed(0)
    return tc.Transformer(tc.TransformerConfig(VOCABULARY, **toys.TOY | dict(p_drop=0.0)))


def random_pairs(n: int, longest: int = 6) -> list[tuple[list[int], list[int]]]:
    """Pairs of unequal lengths; the target is the source backwards, with its first token said twice."""
    rng = random.Random(0)
    rows = [[rng.randrange(4, VOCABULARY) for _ in range(rng.randint(1, longest))] for _ in range(n)]
    return [(row, [row[-1], *row[::-1]]) for row in rows]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
def test_the_parts_of_a_batch_are_the_batch(n: int) -> None:
    lengths = [(1, 6), (3, 3), (2, 2), (7, 1), (4, 0)]
    pairs = [([4 + i] * source, [9 + i] * target) for i, (source, target) in enumerate(lengths)]
    batch = tc.Batch.of(pairs, rows=[10, 11, 12, 13, 14])
    parts = processes.split(batch, n)
    assert len(parts) == n
    assert sorted(row for part in parts for row in part.rows) == list(batch.rows)
    assert sum(part.n_tokens for part in parts) == batch.n_tokens
    assert max(len(part.rows) for part in parts) - min(len(part.rows) for part in parts) <= 1
    for part in parts:
        assert len(part.src) == len(part.tgt_in) == len(part.tgt_out) >= 1  # also where it counts for nothing
        for i, row in enumerate(part.rows):
            source, target = pairs[row - 10]
            assert part.src[i][part.src[i] != 0].tolist() == [*source, tc.EOS]
            assert part.tgt_in[i][part.tgt_in[i] != 0].tolist() == [tc.BOS, *target]
            assert part.tgt_out[i][part.tgt_out[i] != 0].tolist() == [*target, tc.EOS]
        for side in (part.src, part.tgt_in) if part.rows else ():
            assert side.any(0).all()  # no column of padding alone


@pytest.mark.parametrize("accumulate", [2, 3, 50])
def test_a_batch_worked_in_parts_is_the_whole_batch(accumulate: int) -> None:
    """50 parts are more than any batch has sentences, so most of them are empty."""
    runs = []
    for parts in (1, accumulate):
        model = new_model()
        way = processes.SharedWay(model, accumulate=parts)
        config = schedule.TrainingConfig(
            steps=7, warmup_steps=3, peak_learning_rate=0.01, device="cpu", precision="fp32", clip_norm=1.0
        )
        steps = list(tc.train(model, tc.make_batches(random_pairs(30), 40), config, way=way))
        runs.append((steps, tc.weights_of(model)))
    for whole, split in zip(runs[0][0], runs[1][0], strict=True):
        assert split.n_tokens == whole.n_tokens
        for name in ("loss", "nll", "gradient_norm"):
            assert getattr(split, name) == pytest.approx(getattr(whole, name), abs=1e-5)
    for name, weight in runs[0][1].items():
        torch.testing.assert_close(runs[1][1][name], weight, rtol=0, atol=1e-5)


# ─── Processes that fail ─────────────────────────────────────────────────────────────────────────────────────────────


def test_where_processes_share_a_training_that_fails_its_sentence_is_the_last_line(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    words = toys.train_arguments(data, tmp_path / "run", save_every=99)
    done = toys.process(*words, "--tgt", "xx", launcher=toys.LAUNCHER)
    toys.assert_refused(done, "train.xx cannot be read")
    killed = toys.process(*words, launcher=toys.LAUNCHER, TOY_KILL="adam 2 1")
    assert killed.status == 128 + 9 and "Traceback" not in killed.err, killed.err
    assert killed.err.splitlines()[-1].startswith("Error: Process 1 of the training was ended by SIGKILL")


def test_a_process_that_fails_alone_says_so_through_torchrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    done = toys.command("average", tmp_path / "nowhere", "--out", tmp_path / "out")
    assert f"{json.loads((tmp_path / 'error.json').read_text())['message']}\n" == done.err
