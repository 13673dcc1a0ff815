"""Speed: packed training is padded training, one graph serves all batches, and the arithmetic is counted exactly."""

import functools
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
import toys
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

import transformer_core as tc
from benchmarks import cost, gpu
from core_options import packing, schedule, ways
from core_options.context_aware import ContextTransformer, config_of
from core_options.precision import autocast

pytestmark = pytest.mark.usefixtures("one_thread")

VOCABULARY = 13
VARIANTS = {
    "base": {},
    "window": dict(window=3),
    "learned positions": dict(positions="learned", max_len=10),
    "pre-norm, own softmax": dict(norm="pre", tie_softmax=False, tgt_vocab_size=17),
    "no smoothing": dict(eps_ls=0.0),
    "context": dict(context="deep-global+deep", context_in="both", n_layers=2),
}


def new_model(**changes: Any) -> tc.Transformer:
    torch.manual_seed(0)
    config = config_of(VOCABULARY, **toys.TOY | dict(p_drop=0.0) | changes)
    model = ContextTransformer(config) if "context" in changes else tc.Transformer(config)
    for positions in (model.src_positions, model.tgt_positions):
        positions(min(10, model.config.max_len))  # PackedBatches makes room for the longest sentence
    return model


def pairs_of(n: int, seed: int = 0) -> list[tuple[list[int], list[int]]]:
    """Sources of 1 to 7 tokens, targets of 1 to 9."""
    rng = random.Random(seed)
    return [
        tuple([rng.randrange(4, VOCABULARY) for _ in range(rng.randint(1, longest))] for longest in (7, 9))
        for _ in range(n)
    ]


def trained(
    model: tc.Transformer, batches: tc.Batches, config: tc.TrainingConfig, packed: str, compiled: bool = False,
    accumulate: int = 1,
) -> Iterator[tc.Step]:  # fmt: skip
    state = tc.TrainingState(model, config)
    way = ways.pick_way(state, batches, packed, compiled, accumulate)
    return ways.train(model, batches, config, state, way)


def sums_and_gradients(model: tc.Transformer, sums: Any, precision: str) -> tuple[Tensor, dict[str, Tensor]]:
    """Loss and nll a token, and the gradients of the loss, of what `sums` computes."""
    model.zero_grad(set_to_none=True)
    with autocast(torch.device("cpu"), precision):
        loss, nll = sums()
    loss.backward()
    return torch.stack([loss.detach(), nll.detach()]), {name: p.grad for name, p in model.named_parameters()}


# ─── Packed is padded ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_a_packed_batch_has_the_loss_and_the_gradients_of_the_padded_one(changes: dict, precision: str) -> None:
    model, batch = new_model(**changes), tc.Batch.of(pairs_of(9))
    row = packing.pack(batch, 128, whole_tail=True)
    assert batch.src.size(1) != batch.tgt_in.size(1) and row.src.shape == row.tgt_in.shape == (1, 128)

    def padded() -> tuple[Tensor, Tensor]:
        return tc.objective(model(batch.src, batch.tgt_in), batch.tgt_out, model.config.eps_ls)

    with_padding, its_gradients = sums_and_gradients(model, padded, precision)
    without, gradients = sums_and_gradients(model, lambda: packing.Packed(model, varlen=False)(*row), precision)
    n = batch.n_tokens
    torch.testing.assert_close(without / n, with_padding / n, rtol=0, atol=1e-5 if precision == "fp32" else 1e-3)
    for name, gradient in gradients.items():
        scale = its_gradients[name].abs().max().clamp(min=n / 100)
        tolerance = 1e-5 if precision == "fp32" else 2e-2  # bf16 has 8 bits, and sums in another order
        assert (gradient - its_gradients[name]).abs().max() <= tolerance * scale, name


def test_packed_training_takes_the_steps_of_padded_training() -> None:
    runs = []
    for packed, accumulate in (("no", 1), ("yes", 1), ("yes", 3), ("yes", 50)):
        model, batches = new_model(), tc.make_batches(pairs_of(40), 60)
        config = schedule.TrainingConfig(
            steps=9, warmup_steps=3, peak_learning_rate=0.01, device="cpu", precision="fp32"
        )
        steps = trained(model, batches, config, packed, accumulate=accumulate)
        runs.append((list(steps), tc.weights_of(model)))
    (padded, weights), *others = runs
    for steps, packed_weights in others:
        for step, other in zip(padded, steps, strict=True):
            assert step.n_tokens == other.n_tokens
            assert other.loss == pytest.approx(step.loss, abs=1e-5)
            assert other.gradient_norm == pytest.approx(step.gradient_norm, rel=1e-4)
        for name, weight in weights.items():
            torch.testing.assert_close(packed_weights[name], weight, rtol=0, atol=1e-4)


def test_every_row_has_the_same_shape_and_holds_every_token_once() -> None:
    batches = tc.make_batches(pairs_of(90), 100, window=40)
    way = packing.PackedWay(packing.Packed(new_model(), varlen=False), batches.tokens_per_batch)
    shapes = set()
    for batch in batches.epoch(1):
        row = way.pack(batch, 1)
        shapes.add((row.src.shape, row.tgt_in.shape, row.tgt_out.shape, row.src_starts.shape, row.tgt_starts.shape))
        for ids, given in ((row.src, batch.src), (row.tgt_in, batch.tgt_in), (row.tgt_out, batch.tgt_out)):
            assert ids[ids != tc.PAD].tolist() == given[given != tc.PAD].tolist()
        for starts, given in ((row.src_starts, batch.src), (row.tgt_starts, batch.tgt_in)):
            assert starts.diff()[: len(given)].tolist() == (given != tc.PAD).sum(1).tolist()
    assert shapes == {((1, 128), (1, 128), (1, 128), (65,), (65,))}


def test_a_padding_tail_is_cut_into_short_sentences_for_the_kernel() -> None:
    row = packing.pack(tc.Batch.of(pairs_of(9)), 1000)
    assert row.longest == 128
    for starts in (row.src_starts, row.tgt_starts):
        lengths = starts.diff()
        assert starts[0] == 0 and starts[-1] == 1000 and lengths.min() >= 0 and lengths.max() <= row.longest
        assert len(starts) == 65


# ─── The kernel for sentences of unequal lengths ─────────────────────────────────────────────────────────────────────


def one_by_one(q: Tensor, k: Tensor, v: Tensor, q_starts: Tensor, k_starts: Tensor, *longest: int, **options: Any):
    """What torch's varlen_attn promises, sentence by sentence: (n, H, K) -> (n, H, K)."""
    out, (back, ahead) = torch.full((*q.shape[:2], v.size(-1)), 1e3), options["window_size"]
    for i in range(len(q_starts) - 1):
        rows, columns = (slice(int(x[i]), int(x[i + 1])) for x in (q_starts, k_starts))
        assert rows.stop - rows.start <= longest[0] and columns.stop - columns.start <= longest[1]
        t, s = torch.arange(rows.stop - rows.start)[:, None], torch.arange(columns.stop - columns.start)[None]
        mask = ((t - s <= back) | (back < 0)) & ((s - t <= ahead) | (ahead < 0))
        parts = (x.transpose(0, 1) for x in (q[rows], k[columns], v[columns]))  # (H, n, K)
        out[rows] = F.scaled_dot_product_attention(*parts, attn_mask=mask).nan_to_num().transpose(0, 1)
    return out


def test_weights_cannot_be_watched_where_the_kernel_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "varlen_kernel", lambda: one_by_one)
    row = packing.pack(tc.Batch.of(pairs_of(9)), 300)
    model = new_model()
    with torch.no_grad():
        packing.Packed(model, True)(*row)
        with pytest.raises(ValueError, match="cannot be watched"), tc.record(model, "*.weights"):
            packing.Packed(model, True)(*row)


@pytest.mark.parametrize("changes", [{}, dict(window=3), dict(window=1, n_layers=2)], ids=str)
def test_the_kernel_is_told_what_the_mask_says(changes: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a CPU, with a stand-in for the kernel that needs an NVIDIA GPU."""
    monkeypatch.setattr(packing, "varlen_kernel", lambda: one_by_one)
    model, batch = new_model(**changes), tc.Batch.of(pairs_of(9))
    with torch.no_grad():
        by_mask = packing.Packed(model, varlen=False)(*packing.pack(batch, 300, whole_tail=True))
        by_kernel = packing.Packed(model, varlen=True)(*packing.pack(batch, 300))
    torch.testing.assert_close(by_kernel, by_mask, rtol=1e-5, atol=1e-4)


@torch.library.custom_op("tests::one_by_one", mutates_args=())
def opaque(
    q: Tensor, k: Tensor, v: Tensor, q_starts: Tensor, k_starts: Tensor, n: int, back: int, ahead: int
) -> Tensor:
    return one_by_one(q, k, v, q_starts, k_starts, n, n, window_size=(back, ahead))


@opaque.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, *options: Any) -> Tensor:
    return q.new_empty((*q.shape[:2], v.size(-1)))


def test_one_graph_holds_the_calls_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stand-in is as opaque to the compiler as torch's kernel is."""
    from torch._dynamo.testing import CompileCounter

    def kernel(*tensors: Any, window_size: tuple[int, int]) -> Tensor:
        return opaque(*tensors[:6], *window_size)

    monkeypatch.setattr(packing, "varlen_kernel", lambda: kernel)
    torch._dynamo.reset()
    counter, packed = CompileCounter(), packing.Packed(new_model(), varlen=True)
    compiled = torch.compile(packed, backend=counter, fullgraph=True)
    with torch.no_grad():
        for n in (9, 69):  # sentences: another power of two
            row = packing.pack(tc.Batch.of(pairs_of(n)), 600).to(torch.device("cpu"))
            torch.testing.assert_close(compiled(*row), packed(*row))
    assert counter.frame_count == 1


def test_the_kernel_of_this_torch_is_the_one_that_is_called() -> None:
    assert callable(packing.varlen_kernel())
    assert not packing.has_varlen(new_model().config, torch.device("cpu"), "bf16")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU")
def test_on_a_gpu_packed_training_is_padded_training() -> None:
    losses = []
    for packed in ("no", "yes"):
        model = new_model(d_k=16, d_v=16)
        config = tc.TrainingConfig(steps=9, warmup_steps=3, device="cuda", precision="bf16")
        losses.append([step.loss for step in trained(model, tc.make_batches(pairs_of(40), 60), config, packed)])
    assert losses[1] == pytest.approx(losses[0], abs=2e-2)


# ─── One graph ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_graph_serves_all_packed_batches_with_dropout_too(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._dynamo.testing import CompileCounter

    torch._dynamo.reset()
    counter, compiled = CompileCounter(), torch.compile
    monkeypatch.setattr(torch, "compile", lambda module, **options: compiled(module, backend=counter, **options))
    batches = tc.make_batches([*pairs_of(60), *[([5], [6, 7])] * 100], 240)
    sentences = [len(batch.src) for batch in batches]
    assert min(sentences) < 50 and max(sentences) > 70  # of unequal powers of two
    config = tc.TrainingConfig(steps=5, device="cpu", precision="fp32")
    assert len(list(trained(new_model(p_drop=0.1), batches, config, "yes", compiled=True))) == 5
    assert counter.frame_count == 1


# ─── The last projection and the loss ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rows", [4, 9, 100])
def test_the_fused_objective_is_the_objective_of_the_logits(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "ROWS", rows)
    torch.manual_seed(0)
    x, weight = torch.randn(9, 6, requires_grad=True), torch.randn(11, 6, requires_grad=True)
    target = torch.tensor([3, 0, 10, 4, 0, 1, 2, 9, 0])
    loss, nll = tc.objective(x @ weight.T, target, 0.2)
    wanted = torch.autograd.grad(3 * loss, (x, weight))
    sums = packing.linear_objective(x, weight, target, 0.2)
    torch.testing.assert_close(sums, torch.stack([loss, nll]))
    for given, right in zip(torch.autograd.grad(3 * sums[0], (x, weight)), wanted, strict=True):
        torch.testing.assert_close(given, right)


# ─── What is refused ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_too_long_for_a_mask_is_refused_before_any_step() -> None:
    batches = tc.make_batches(pairs_of(9), 25_000)
    with pytest.raises(ValueError) as caught:
        next(trained(new_model(), batches, tc.TrainingConfig(device="cpu"), "yes"))
    toys.assert_one_sentence(str(caught.value), "25024", "8192", "--packed no")


def test_learned_positions_still_refuse_a_longer_sentence() -> None:
    model = new_model(positions="learned", max_len=4)
    with pytest.raises(ValueError, match="learned positions end at 4"):
        next(trained(model, tc.make_batches(pairs_of(9), 60), tc.TrainingConfig(device="cpu"), "yes"))


def test_the_core_alone_trains_as_it_does_with_its_options(tmp_path: Path) -> None:
    """In a folder of its own, by the command, in one precision: the same numbers but for rounding.

    Without dropout, as batches worked in parts draw it in another order.
    """
    data = toys.write_corpus(tmp_path / "data", n=20, n_valid=2)
    (tmp_path / "alone").mkdir()
    shutil.copy(toys.ROOT / "transformer_core.py", tmp_path / "alone")
    elsewhere = [path for path in sys.path if path and not (Path(path) / "transformer_core.py").exists()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(elsewhere)}
    code = """
import sys
sys.path.insert(0, sys.argv[1])
import transformer_core as tc
tc.PRESETS["wide"] = dict(n_layers=2, d_model=256, d_ff=64, n_heads=2, d_k=32, d_v=32, p_drop=0.0)
for more in [], ["--steps", "4", "--resume"]:  # and it goes on
    assert tc.main(sys.argv[2:] + more) == 0
"""
    words = ["--data", data, "--preset", "wide", "--vocab-size", "300", "--steps", "3", "--warmup-steps", "300"]
    words += ["--tokens-per-batch", "4096", "--precision", "fp32"]  # else chosen
    nlls = []
    for out, core in (("with", toys.ROOT), ("without", tmp_path / "alone")):
        script = [sys.executable, "-S", "-c", code, core, "train"]  # -S: the installed project is not seen
        command = [*script, *words, "--save-every", "1", "--out", tmp_path / out]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and done.stderr.count(" on cpu in fp32") == 2, done.stderr
        log = tmp_path / out / "log.jsonl"
        said = log.read_text() if log.exists() else done.stderr
        nlls.append([float(number) for number in re.findall(r'[ "]nll"?:? ([\d.]+)', said)])
    assert len(nlls[0]) == 4 and nlls[0] == pytest.approx(nlls[1], rel=1e-3)


# ─── Arithmetic ──────────────────────────────────────────────────────────────────────────────────────────────────────


COUNTED = VARIANTS | {"context": dict(context="deep", context_in="both", context_on="q", n_layers=3)}


@pytest.mark.parametrize("changes", COUNTED.values(), ids=COUNTED)
def test_the_arithmetic_of_a_step_is_what_torch_counts_without_padding(changes: dict) -> None:
    model, pairs = new_model(**changes), pairs_of(7)
    with FlopCounterMode(display=False) as counter:
        for source, target in pairs:
            batch = tc.Batch.of([(source, target)])
            model(batch.src, batch.tgt_in).sum().backward()
    assert packing.step_flop(model.config, tc.Batch.of(pairs)) == counter.get_total_flops()


def test_a_step_of_the_paper_is_9_45_tflop_and_the_pairs_of_attention() -> None:
    lengths, config = torch.full((1000,), 25), tc.TransformerConfig(37_000)
    attention = 6 * 3 * 6 * 1000 * 25 * 25 * 8 * (64 + 64)
    total = 6 * sum(packing.multiply_adds(config, lengths, lengths).values())
    assert (total - attention) / 1e12 == pytest.approx(9.45, abs=0.005)
    assert attention / total < 0.01


@pytest.mark.parametrize(
    ("name", "tflops"),
    [("NVIDIA H200", 989.4), ("NVIDIA A100-SXM4-80GB", 312), ("NVIDIA H100 PCIe", 756), ("Tesla K80", None)],
)
def test_mfu_is_a_share_of_the_card_s_nominal_rate(name: str, tflops: float | None, monkeypatch: Any) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: name)
    device = torch.device("cuda")
    assert packing.peak(device) == (tflops and pytest.approx(tflops * 1e12))
    said = packing.pace(400e12, 2.0, device)
    assert "200 TFLOP/s" in said and ("MFU" in said) == bool(tflops)
    assert not tflops or f"{200 / tflops:.1%}" in said
    assert packing.pace(5e9, 2.0, torch.device("cpu")) == ", 2.5 GFLOP/s"


# ─── The commands that measure ───────────────────────────────────────────────────────────────────────────────────────


def test_the_gpu_benchmark_runs_through_on_a_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = toys.write_corpus(tmp_path / "data", n=20, n_valid=2)
    for ending in ("en", "de"):
        shutil.copy(data / f"valid.{ending}", data / f"test_2016_flickr.{ending}")
    out = tmp_path / "gpu.json"
    words = ["--device", "cpu", "--small", "--multi30k", str(data), "--bleu", "0", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["gpu", *words])
    monkeypatch.setattr(gpu, "VARIANTS", {name: gpu.VARIANTS[name] for name in ("padded", "packed, compiled")})
    gpu.main()
    found = json.loads(out.read_text())["found"]
    assert [name for name, value in found.items() if "failed" in value] == []
    assert found["packed against padded"]["apart"] < 1e-2
    assert found["Multi30k"]["seconds to the goal"] > 0 and found["decoding, beam 4, fp32"]["tokens"] > 0
    padded, packed = found["tiny, padded"], found["tiny, packed, compiled"]
    assert padded["TFLOP"] == pytest.approx(packed["TFLOP"], rel=0.2) and packed["TFLOP/s"] > 0
    assert "left out" in found["hours"]


def test_the_gpu_benchmark_writes_down_what_failed_and_goes_on(tmp_path: Path) -> None:
    report = gpu.Report({"found": {}}, tmp_path / "gpu.json", deadline=float("inf"))
    report.add("one", lambda: 1 / 0)
    report.add("base, packed", lambda: {"seconds": 0.024})
    report.add("hours", report.project)
    found = json.loads((tmp_path / "gpu.json").read_text())["found"]
    assert "ZeroDivisionError" in found["one"]["failed"]
    assert found["hours"] == {"base, 100,000 steps": 0.6667}
    report.deadline = 0.0
    report.add("late", dict)
    assert report.made["found"]["late"] == {"left out": "no time was left"}


def test_a_gpu_benchmark_without_a_gpu_says_what_to_add(monkeypatch: Any, capsys: Any) -> None:
    for words, needed in ((["--device", "cpu"], "--small"), (["--device", "nowhere"], "nowhere")):
        monkeypatch.setattr(sys, "argv", ["gpu", *words])
        with pytest.raises(SystemExit) as ended:
            gpu.main()
        assert ended.value.code == 2 and needed in capsys.readouterr().err


def test_the_slope_of_a_power_is_its_exponent() -> None:
    sizes = [16, 32, 128]
    assert cost.slope(sizes, [7.0 * size**1.5 for size in sizes]) == pytest.approx(1.5)


def test_cost_grows_with_size_as_it_is_counted(tmp_path: Path, monkeypatch: Any) -> None:
    """Not the time, which other programs disturb: arithmetic and memory."""
    middle, curves = {"length": 6, "width": 32, "batch": 2}, {"length": (64, 128, 256), "batch": (1, 2, 4)}
    found = cost.measure(curves, middle, 1, torch.device("cpu"))
    assert found["batch"]["slopes"]["expected of time"] == pytest.approx(1, abs=1e-3)
    assert found["batch"]["slopes"]["memory"] == pytest.approx(1, abs=0.05)
    assert 1 < found["length"]["slopes"]["expected of time"] < 2
    assert 1 < found["length"]["slopes"]["memory"] < 2
    assert all(point["seconds"] > 0 for curve in found.values() for point in curve["points"])


@pytest.mark.parametrize("accumulate", [1, 2])
def test_rows_packed_ahead_are_those_of_their_batches(accumulate: int) -> None:
    batches = tc.make_batches(pairs_of(30), 40)
    plain, ahead = (packing.PackedWay(packing.Packed(new_model(), False), 40, accumulate=accumulate) for _ in range(2))
    state = tc.TrainingState(new_model(), tc.TrainingConfig(device="cpu"))
    coming = packing.Ahead(batches, functools.partial(ahead.prepare, state))
    for mine, given in itertools.zip_longest(coming.epoch(2, 1), batches.epoch(2, 1)):
        rows = zip(ahead.parts(state, mine), plain.parts(state, given), strict=True)
        assert all(torch.equal(x, y) for one, other in rows for x, y in zip(one[:5], other[:5], strict=True))
    left = next(iter(batches))
    ahead.prepare(state, left)
    other = batches.epoch(1)
    assert torch.equal(ahead.parts(state, this := next(other))[0].src, plain.parts(state, this)[0].src)


def test_batches_made_ahead_are_the_same_and_an_error_among_them_arrives() -> None:
    batches = tc.make_batches(pairs_of(30), 40)
    for mine, given in itertools.zip_longest(packing.Ahead(batches).epoch(2, 1), batches.epoch(2, 1)):
        assert mine.rows == given.rows and torch.equal(mine.src, given.src)

    class Broken:
        def epoch(self, number: int, start: int) -> Any:
            yield 1
            raise ValueError("no more")

    coming = packing.Ahead(Broken()).epoch(0)
    assert next(coming) == 1
    with pytest.raises(ValueError, match="no more"):
        next(coming)
