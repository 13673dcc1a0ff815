"""A stranger's checkpoint does no harm, a killed run loses nothing, and broken input is refused in one sentence."""

import contextlib
import gzip
import json
import math
import os
import random
import resource
import signal
import struct
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import toys
from toys import assert_one_sentence

import transformer_core as tc
from benchmarks import fuzz, kills
from core_options import fast_cpu, safekeeping
from core_options.context_aware import ContextConfig, ContextTransformer

pytestmark = pytest.mark.usefixtures("one_thread")

# ─── Strangers ───────────────────────────────────────────────────────────────────────────────────────────────────────


def refusal(folder: Path) -> str:
    with pytest.raises(ValueError) as caught:
        safekeeping.load_pretrained(folder)
    return str(caught.value)


def peak_while(work: Any) -> int:
    """By how many MB the process has grown at most, measured in a process of its own."""
    read, tell = os.pipe()
    if (pid := os.fork()) == 0:
        with contextlib.suppress(BaseException):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            work()
            os.write(tell, str((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024).encode())
        os._exit(0)
    os.close(tell)
    os.waitpid(pid, 0)
    said = os.read(read, 99)
    os.close(read)
    return int(said)


LIES: dict[str, dict[str, Any]] = {
    "a vocabulary": dict(vocab_size=10**12),
    "layers": dict(n_layers=10**9),
    "wide layers": dict(d_ff=10**12),
    "heads": dict(n_heads=10**400),
    "learned positions": dict(positions="learned", max_len=10**12),
    "a vocabulary of the target's own": dict(tgt_vocab_size=10**11),
    "a deep context": dict(kind="context", context="deep", n_layers=10**6),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_configuration_that_lies_of_its_size_costs_no_memory(checkpoint: Path, lie: str) -> None:
    values = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps(values | LIES[lie]))
    assert_one_sentence(refusal(checkpoint), "model.safetensors")
    assert peak_while(lambda: refusal(checkpoint)) < 50


def test_what_a_stranger_wrote_cannot_steer_the_terminal(checkpoint: Path) -> None:
    values = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps(values | {"\x1b[2J\x7f\u202e": 1}))
    assert_one_sentence(refusal(checkpoint), "config.json", "[2J")


def test_a_long_reach_of_sinusoids_is_not_laid_out_before_it_is_needed(checkpoint: Path) -> None:
    before = safekeeping.load_pretrained(checkpoint).translate(["cat dog"], 1)
    values = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps(values | dict(max_len=10**12)))
    assert safekeeping.load_pretrained(checkpoint).translate(["cat dog"], 1) == before


@pytest.mark.parametrize("name", ["base", "A-h4", "B-dk16", "C-ff1024", "big"])
def test_the_least_size_is_the_size_but_for_biases_and_norms(name: str) -> None:
    for changes in ({}, dict(tgt_vocab_size=77), dict(positions="learned", max_len=9)):
        small = tc.PRESETS[name] | dict(n_layers=2, d_ff=30, d_model=26) | changes
        config = tc.TransformerConfig(50, **small)
        model = tc.Transformer(config)
        plain = sum(p.numel() for n, p in model.named_parameters() if not ("norm" in n or n.endswith("bias")))
        assert safekeeping.least_size(config) == plain


@pytest.mark.parametrize("context", ["global", "deep", "deep-global", "deep-global+deep"])
@pytest.mark.parametrize("where", ["encoder", "both"])
def test_the_least_size_is_not_above_that_of_a_model_with_a_context(context: str, where: str) -> None:
    config = ContextConfig(50, **toys.TOY | dict(n_layers=3), context=context, context_in=where)
    assert safekeeping.least_size(config) <= tc.count_parameters(ContextTransformer(config))


@pytest.mark.parametrize("length", [1 << 40, (1 << 64) - 1, 5])
def test_a_header_that_lies_of_its_length_costs_no_memory(checkpoint: Path, length: int) -> None:
    path = checkpoint / "model.safetensors"
    path.write_bytes(struct.pack("<Q", length) + path.read_bytes()[8:])
    assert_one_sentence(refusal(checkpoint), "model.safetensors")
    assert peak_while(lambda: refusal(checkpoint)) < 50


def test_a_tensor_larger_than_its_file_costs_no_memory(checkpoint: Path) -> None:
    path = checkpoint / "model.safetensors"
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header["src_embedding.weight"] = dict(dtype="F32", shape=[1 << 20, 1 << 14], data_offsets=[0, 1 << 36])
    changed = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(changed)) + changed + data[8 + length :])
    assert_one_sentence(refusal(checkpoint), "model.safetensors")
    assert peak_while(lambda: refusal(checkpoint)) < 50


@pytest.mark.parametrize("name", ["config.json", "tokenizer.model"])
def test_a_small_file_that_is_huge_is_not_read(checkpoint: Path, name: str) -> None:
    with (checkpoint / name).open("r+b") as file:
        file.truncate(1 << 36)  # a hole: it takes no room on the disk
    assert_one_sentence(refusal(checkpoint), name, f"{1 << 36:,}")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.model", "model.safetensors", "notes.txt"])
def test_a_link_that_leads_out_of_the_folder_is_refused(checkpoint: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes((checkpoint / name).read_bytes() if (checkpoint / name).exists() else b"")
    (checkpoint / name).unlink(missing_ok=True)
    (checkpoint / name).symlink_to("../outside")
    assert_one_sentence(refusal(checkpoint), name, "link")


def test_links_within_a_folder_and_to_it_are_followed(checkpoint: Path, tmp_path: Path) -> None:
    (checkpoint / "tokenizer.model").rename(checkpoint / "pieces")
    (checkpoint / "tokenizer.model").symlink_to("pieces")
    (tmp_path / "link").symlink_to("good")
    assert len(safekeeping.load_pretrained(tmp_path / "link").translate(["cat"], 1)) == 1


@pytest.mark.parametrize("name", ["config.json", "tokenizer.model", "model.safetensors"])
def test_a_pipe_in_the_place_of_a_file_does_not_hang(checkpoint: Path, name: str) -> None:
    (checkpoint / name).unlink()
    os.mkfifo(checkpoint / name)
    assert_one_sentence(refusal(checkpoint), str(checkpoint))


def test_a_link_in_the_place_of_a_half_written_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "file.part").symlink_to("precious")
    tc.write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "precious").read_bytes() == b"mine" and (tmp_path / "file").read_bytes() == b"new"


def test_the_command_line_checks_what_it_loads(checkpoint: Path) -> None:
    values = json.loads((checkpoint / "config.json").read_text())
    (checkpoint / "config.json").write_text(json.dumps(values | LIES["layers"]))
    for words in (["translate"], ["export", "--out", "out"]):
        done = toys.command(*words, "--checkpoint", checkpoint)
        assert done.status == 2 and done.out == b""
    assert_one_sentence(done.err.strip().removeprefix("Error: "), "model.safetensors")


# ─── Runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> kills.Harness:
    kills.prepare()
    return kills.Harness(tmp_path_factory.mktemp("kills"))


INSTANTS = ["kill 0", "write 0", "term 0", "limit 0"]


@pytest.mark.parametrize("instant", INSTANTS)
def test_an_interrupted_run_ends_as_if_it_had_not_been(harness: kills.Harness, instant: str) -> None:
    """A sample of `python -m benchmarks.kills`, which kills 50 times."""
    name, rng = instant.replace(" ", "-"), random.Random(instant)
    match instant.split()[0]:
        case "kill" | "write" as how:
            harness.kill(name, rng, in_a_write=how == "write")
        case "term":
            harness.terminate(name, rng)
        case "limit":
            harness.fill(name, rng)


def test_a_folder_is_trained_in_by_one_process_at_a_time(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    words = toys.train_arguments(data, out, steps=1)
    with safekeeping.held(out):
        done = toys.command(*words)
    assert done.status == 2 and done.out == b""
    assert_one_sentence(done.err.strip().splitlines()[-1].removeprefix("Error: "), str(out), "process")
    assert toys.command(*words).status == 0


def test_what_a_kill_left_half_written_goes_and_nothing_else(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, out, steps=1)).status == 0
    left = [
        out / "state.safetensors.part",
        out / "step-7.part" / "config.json",
        out / "best" / "model.safetensors.part",
    ]
    kept = [out / "notes" / "my.part", out / "mine"]
    for path in (*left, *kept):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("something")
    assert toys.command(*toys.train_arguments(data, out, steps=2, resume=True)).status == 0
    assert all(path.exists() for path in kept)
    assert not any(path.exists() for path in left) and not (out / "step-7.part").exists()


def test_a_checkpoint_on_its_way_out_is_none(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    with pytest.raises(toys.Killed), toys.at_call(1, "shutil.rmtree"):
        toys.command(*toys.train_arguments(data, out, steps=9, keep=1, save_every=2))
    assert [folder.name for folder in tc.step_folders(out)] == ["step-4"] and (out / "step-2.part").is_dir()
    tc.load_pretrained(out / "step-4")


def test_a_full_disk_is_said_in_a_sentence_that_names_the_file(tmp_path: Path) -> None:
    with (
        pytest.raises(ValueError) as caught,
        toys.at_call(1, "os.fsync", lambda: (_ for _ in ()).throw(OSError(28, "No space left on device"))),
    ):
        tc.write_atomically(tmp_path / "file", b"data")
    assert_one_sentence(str(caught.value), str(tmp_path / "file"), "No space left")
    assert not (tmp_path / "file").exists()


STRANGE_STATES: dict[str, dict[str, Any]] = {
    "no place": dict(place={}),
    "a place of words": dict(place=dict(step="one", epoch=0, index=0, seconds=0.0)),
    "a place before the beginning": dict(place=dict(step=-1, epoch=0, index=0, seconds=0.0)),
    "a place that is more": dict(place=dict(step=1, epoch=0, index=0, seconds=0.0, device="here")),
    "arguments that are none": dict(about=dict(arguments=[1], best=[])),
    "scores that are none": dict(about=dict(arguments={}, best=["good"])),
    "lengths that are none": dict(about=dict(arguments={}, best=[], length=3.5)),
    "lengths of words": dict(about=dict(arguments={}, best=[], length=dict(steps="many"))),
    "a list": dict(about=[]),
}


@pytest.mark.parametrize("strange", STRANGE_STATES)
def test_a_strange_state_is_refused_in_a_sentence(toy_run: Path, tmp_path: Path, strange: str) -> None:
    import safetensors.torch

    tensors = safetensors.torch.load_file(toy_run / "state.safetensors")
    saved = tc.saved_training(toy_run / "state.safetensors") | STRANGE_STATES[strange]
    safetensors.torch.save_file(tensors, tmp_path / "state.safetensors", {k: json.dumps(v) for k, v in saved.items()})
    with pytest.raises(ValueError) as caught:
        safekeeping.check_state(tmp_path / "state.safetensors")
    assert_one_sentence(str(caught.value), "state.safetensors")


@pytest.mark.parametrize("line", ["{}", '{"step": "2"}', "no json", "[1]"])
def test_a_strange_log_is_refused_by_its_line(line: str, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"step": 1}\n' + line + "\n")
    with pytest.raises(ValueError, match=r"log\.jsonl, line 2,"):
        safekeeping.check_log(tmp_path / "log.jsonl")


def test_moments_of_another_shape_are_refused(toy_run: Path, tmp_path: Path) -> None:
    import safetensors.torch

    path = toy_run / "state.safetensors"
    tensors, saved = safetensors.torch.load_file(path), tc.saved_training(path)
    tensors["adam.exp_avg.src_embedding.weight"] = torch.zeros(2, 3)
    safetensors.torch.save_file(tensors, tmp_path / path.name, {k: json.dumps(v) for k, v in saved.items()})
    with pytest.raises(ValueError, match=r"src_embedding\.weight.*\(2, 3\)"):
        safekeeping.check_state(tmp_path / path.name)


# ─── Bad batches and odd corpora ─────────────────────────────────────────────────────────────────────────────────────


def test_a_bad_batch_is_named_by_its_lines_and_the_good_state_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    for language in ("en", "de"):  # two lines that are left out come first
        text = (data / f"train.{language}").read_text().splitlines()
        (data / f"train.{language}").write_text("\n".join(["cat" if language == "en" else "", "", *text]) + "\n")
    real, poisoned = fast_cpu.objective, []

    def objective(logits: torch.Tensor, tgt_out: torch.Tensor, eps_ls: float) -> Any:
        poisoned.append(tgt_out)
        loss, nll = real(logits, tgt_out, eps_ls)
        return (loss * math.nan if len(poisoned) == 4 else loss), nll

    monkeypatch.setattr(fast_cpu, "objective", objective)
    done = toys.command(*toys.train_arguments(data, out, save_every=50))
    assert done.status == 2
    message = done.err.strip().splitlines()[-1].removeprefix("Error: ")
    assert_one_sentence(message, "Step 4 ", "lines")
    named = [int(word) for word in message.split("lines ")[1].split(" of ")[0].split(", ")]
    assert named == sorted(named) and min(named) >= 3
    translator = tc.load_pretrained(out)
    rows = (data / "train.de").read_text().splitlines()
    said = {translator.tokenizer.decode([i for i in row if i > tc.EOS]) for row in poisoned[3].tolist()}
    assert said == {rows[number - 1] for number in named}
    assert tc.saved_training(out / "state.safetensors")["place"]["step"] == 3


def test_weights_that_are_no_numbers_do_not_take_the_place_of_good_ones(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, out, steps=2)).status == 0
    good = (out / "state.safetensors").read_bytes()

    step = torch.optim.Adam.step

    def spoil(optimizer: torch.optim.Adam, *args: Any, **kwargs: Any) -> Any:
        with torch.no_grad():
            optimizer.param_groups[0]["params"][0].fill_(math.inf)
        return step(optimizer, *args, **kwargs)

    with mock.patch.object(torch.optim.Adam, "step", spoil):
        done = toys.command(*toys.train_arguments(data, out, steps=9, save_every=50, resume=True))
    assert done.status == 2 and (out / "state.safetensors").read_bytes() == good


@pytest.mark.parametrize("vocab_size", [290, 5000])
def test_a_corpus_of_one_word_is_trained_on(tmp_path: Path, vocab_size: int) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for split in ("train", "valid"):
        (data / f"{split}.en").write_text("cat\n")
        (data / f"{split}.de").write_text("Katze\n")
    done = toys.command(
        *toys.train_arguments(data, tmp_path / "run", vocab_size=vocab_size if vocab_size > 300 else 270)
    )
    assert done.status == 0, done.err
    assert len(tc.load_pretrained(tmp_path / "run").translate(["cat", "dog"])) == 2


def test_sources_of_padding_alone_and_targets_of_nothing_give_numbers() -> None:
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(13, **toys.TOY))
    batch = tc.Batch.of([([5, 6], []), ([], [7]), ([8], [9, 10])])
    src = batch.src.clone()
    src[1] = tc.PAD
    logits = model(src, batch.tgt_in)
    loss = tc.label_smoothed_loss(logits, batch.tgt_out)
    loss.backward()
    assert loss.isfinite() and all(p.grad.isfinite().all() for p in model.parameters() if p.grad is not None)
    assert batch.n_tokens == 1 + 2 + 3


# ─── Long lines ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("limit", [5000, 9], ids=["sinusoids", "learned positions"])
def test_a_line_beyond_the_limit_is_named_with_its_length_and_the_others_are_translated(
    tokenizer: tc.Tokenizer, tmp_path: Path, limit: int
) -> None:
    torch.manual_seed(6)
    learned = dict(positions="learned", max_len=limit + 1) if limit < 5000 else {}
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY | learned))
    tc.save_checkpoint(tmp_path / "model", model.config, tc.weights_of(model), tokenizer)
    n = len(tokenizer.encode("cat " * 20)) // 20
    long = "cat " * (limit // n + 1)
    done = toys.command("translate", "--checkpoint", tmp_path / "model", stdin=f"hen\n{long}\ndog\n".encode())
    assert done.status == 0, done.err
    lines = done.out.decode().split("\n")
    assert lines[1] == "" and lines[:3:2] == tc.load_pretrained(tmp_path / "model").translate(["hen", "dog"])
    assert "line 2 " in done.err and f"{limit:,}" in done.err and f"{len(tokenizer.encode(long.strip())):,}" in done.err


# ─── Fuzz ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_broken_input_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """The first cases of `python -m benchmarks.fuzz`, which tries 10,000 of each; a process may die of none."""
    done, failed = fuzz.attempt(name, 0, 5 if name == "state" else 25, tmp_path / "journal")
    assert failed == {} and done > 4


def test_the_fuzzer_notices_what_is_wrong_and_goes_on_after_a_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(fuzz.Target):
        def case(self, rng: random.Random) -> None:
            number = int(rng.random() * 4)
            if number == 0:
                raise KeyError("odd")
            if number == 1:
                os.kill(os.getpid(), signal.SIGSEGV)
            if number == 2:
                fuzz.refused_or(lambda: int("no number"))

    monkeypatch.setitem(fuzz.TARGETS, "wrong", Wrong)
    assert fuzz.main(["--only", "text", "--cases", "3", "--seeds", str(tmp_path)]) == 0
    failed = fuzz.campaign("wrong", 0, 12, tmp_path)
    wanted = {str(n) for n in range(12) if random.Random(f"wrong {n}").random() < 0.75}
    assert set(failed) == wanted and len({problem.split()[0] for problem in failed.values()}) == 3
    assert fuzz.campaign("wrong", 0, 12, tmp_path) == failed  # all done: nothing is tried again


@pytest.mark.parametrize("name", ["text.en", "text.en.gz"])
def test_a_line_that_is_not_utf_8_is_named(name: str, tmp_path: Path) -> None:
    data = b"fine\nalso fine\nna\xefve\nbad too \xff\n"
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.raises(ValueError, match="is not valid UTF-8") as caught:
        safekeeping.check_text(tmp_path / name)
    assert_one_sentence(str(caught.value), f"Line 3 of {tmp_path / name}")
