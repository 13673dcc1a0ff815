"""Whether a lower precision ends where fp32 does: the same weights and batches, told apart within a seed."""

from pathlib import Path

import pytest
import toys

import transformer_core as tc
from benchmarks import precision

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def toy_presets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(tc.PRESETS, "toy", toys.TOY)


def test_the_runs_of_a_seed_differ_by_their_precision_alone(
    tmp_path: Path, toy_presets: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision.bench, "rounded", list)
    toys.write_corpus(tmp_path, n=40)
    tokenizer, pairs, valid = precision.text(tmp_path)
    assert len(pairs) == 40 and sum(len(batch.src) for batch in valid) > 0
    runs = [
        precision.trained("toy", kind, seed, len(tokenizer), pairs, valid, 10)
        for kind, seed in (("fp32", 0), ("fp32", 0), ("bf16", 0), ("fp32", 1))
    ]
    first, again, rounded, other = (run["nll"] for run in runs)
    assert len(first) == precision.MOMENTS and first[-1] < first[0]
    assert first == again != other
    assert rounded == pytest.approx(first, rel=0.02) and rounded != first


def test_a_precision_is_set_beside_fp32_of_the_same_seed() -> None:
    ends = {("fp32", 0): 3.0, ("fp32", 1): 4.0, ("bf16", 0): 3.25, ("bf16", 1): 3.75}
    runs = [dict(preset="tiny", precision=kind, seed=seed, nll=[9.0, nll]) for (kind, seed), nll in ends.items()]
    _, _, exact, rounded = precision.table(runs)
    assert exact == "| tiny | fp32 | 3.500 | +0.000, +0.000 | 0.707 |"
    assert rounded == "| tiny | bf16 | 3.500 | +0.250, -0.250 | 0.354 |"
