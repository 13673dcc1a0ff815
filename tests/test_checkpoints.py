"""Checkpoints: what is written comes back, nothing else is written, and what is damaged is refused in a sentence."""

import json
import os
import pickle
import shutil
import struct
import time
from pathlib import Path
from typing import Any

import pytest
import safetensors
import safetensors.torch
import sentencepiece
import torch
import toys
from toys import assert_one_sentence

import transformer_core as tc
from core_options import pairs, words

pytestmark = pytest.mark.usefixtures("one_thread")

VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "learned positions": dict(positions="learned", max_len=11),
    "pre-LN": dict(norm="pre"),
    "window": dict(window=3),
    "two vocabularies": dict(tgt_vocab_size=23),
    "untied softmax": dict(tie_softmax=False),
    "two vocabularies, untied": dict(tgt_vocab_size=23, tie_softmax=False, p_drop=0.25, eps_ls=0.0),
}


@pytest.fixture(params=VARIANTS.values(), ids=VARIANTS)
def model(request: pytest.FixtureRequest) -> tc.Transformer:
    torch.manual_seed(5)
    return tc.Transformer(tc.TransformerConfig(17, **toys.TOY | request.param))


def assert_equal_weights(left: dict[str, torch.Tensor], right: dict[str, torch.Tensor]) -> None:
    assert left.keys() == right.keys()
    for name in left:
        assert left[name].dtype == right[name].dtype and torch.equal(left[name], right[name]), name


# ─── Writing and reading ─────────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_saved_comes_back(model: tc.Transformer, tokenizer: tc.Tokenizer, tmp_path: Path) -> None:
    tc.save_checkpoint(tmp_path / "a" / "b", model.config, tc.weights_of(model), tokenizer)
    back = tc.load_model(tmp_path / "a" / "b")
    assert back.config == model.config and not back.training
    assert_equal_weights(tc.weights_of(back), tc.weights_of(model))
    assert tc.Tokenizer.load(tmp_path / "a" / "b" / "tokenizer.model").model == tokenizer.model
    src, tgt_in = torch.randint(4, 17, (2, 7)), torch.randint(4, 17, (2, 5))
    assert torch.equal(back(src, tgt_in), model.eval()(src, tgt_in))


def test_a_shared_matrix_is_stored_once_and_shared_again(model: tc.Transformer, tmp_path: Path) -> None:
    tc.save_checkpoint(tmp_path, model.config, tc.weights_of(model))
    stored = safetensors.torch.load_file(tmp_path / "model.safetensors")
    assert sum(tensor.numel() for tensor in stored.values()) == tc.count_parameters(model)
    back = tc.load_model(tmp_path)
    assert (back.src_embedding is back.tgt_embedding) == (model.config.tgt_vocab_size is None)


def test_saving_again_replaces_what_was_there(checkpoint: Path, tokenizer: tc.Tokenizer) -> None:
    torch.manual_seed(7)
    other = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY | dict(n_layers=2)))
    tc.save_checkpoint(checkpoint, other.config, tc.weights_of(other), tokenizer)
    assert_equal_weights(tc.weights_of(tc.load_model(checkpoint)), tc.weights_of(other))
    assert {path.name for path in checkpoint.iterdir()} == {"config.json", "model.safetensors", "tokenizer.model"}


@pytest.fixture(scope="module")
def trees() -> tc.Tokenizer:
    return words.train(["(S (NP XX )NP )S"], 20)


@pytest.fixture
def apart(tmp_path: Path, tokenizer: tc.Tokenizer, trees: tc.Tokenizer) -> Path:
    """A checkpoint with two vocabularies."""
    torch.manual_seed(6)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), tgt_vocab_size=len(trees), **toys.TOY))
    tc.save_checkpoint(tmp_path / "apart", model.config, tc.weights_of(model), tokenizer, trees)
    return tmp_path / "apart"


def test_two_vocabularies_come_back_and_one_is_written_once(
    apart: Path, checkpoint: Path, tokenizer: tc.Tokenizer, trees: tc.Tokenizer, tmp_path: Path
) -> None:
    translator = tc.load_pretrained(apart)
    assert (translator.tokenizer.model, translator.tgt_tokenizer.model) == (tokenizer.model, trees.model)
    line = tc.Translator(translator.model, tokenizer, "", trees).translate(["cat"], 1)
    assert translator.translate(["cat"], 1) == line and {*line[0].split()} <= {"(S", "(NP", "XX", ")NP", ")S", "⁇"}
    shared = tc.load_pretrained(checkpoint)
    assert shared.tgt_tokenizer is shared.tokenizer
    tc.save_checkpoint(tmp_path / "both", shared.model.config, {}, shared.tokenizer, shared.tgt_tokenizer)
    assert sorted(path.name for path in (tmp_path / "both").glob("*.model")) == ["tokenizer.model"]


def test_a_checkpoint_without_its_target_vocabulary_says_what_is_missing(apart: Path, tokenizer: tc.Tokenizer) -> None:
    (apart / "tgt_tokenizer.model").rename(apart / "elsewhere")
    with pytest.raises(ValueError) as caught:
        tc.load_pretrained(apart)
    assert_one_sentence(str(caught.value), str(apart / "tgt_tokenizer.model"))
    (apart / "tgt_tokenizer.model").write_bytes(tokenizer.model)
    with pytest.raises(ValueError) as caught:
        tc.load_pretrained(apart)
    assert_one_sentence(str(caught.value), str(len(tokenizer)), "9")


def test_nothing_is_pickled(toy_run: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("something was pickled or unpickled")

    for owner, name in ((pickle, "loads"), (pickle, "load"), (pickle, "dumps"), (pickle, "dump"), (torch, "load")):
        monkeypatch.setattr(owner, name, refuse)
    monkeypatch.setattr(torch, "save", refuse)
    monkeypatch.setattr(pickle, "Unpickler", refuse)
    translator = tc.load_pretrained(toy_run)
    tc.save_checkpoint(tmp_path, translator.model.config, tc.weights_of(translator.model), translator.tokenizer)
    state = tc.TrainingState(translator.model, tc.TrainingConfig(device="cpu"))
    state.load(toy_run / "state.safetensors")
    state.save(tmp_path / "state.safetensors")


def test_every_file_of_a_run_is_json_safetensors_sentencepiece_or_an_array_of_ids(toy_run: Path) -> None:
    for path in filter(Path.is_file, toy_run.rglob("*")):
        match path.suffix:
            case ".json" | ".jsonl":
                [json.loads(line) for line in ([path.read_text()] if path.suffix == ".json" else path.open())]
            case ".safetensors":
                assert_plain_safetensors(path.read_bytes())
            case ".model":
                sentencepiece.SentencePieceProcessor().LoadFromSerializedProto(path.read_bytes())
            case ".bin":
                assert len(pairs.Pairs(path)) == len(list(pairs.Pairs(path))) > 0
            case _:
                raise AssertionError(f"{path} is of no known kind")


def assert_plain_safetensors(data: bytes) -> None:
    """A length, a JSON header, and numbers that fill the rest to the last byte."""
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    assert max(tensor["data_offsets"][1] for tensor in header.values()) == len(data) - 8 - length


def test_no_time_of_day_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same run at another time of day, on a machine exactly as fast, writes the same bytes."""
    data = toys.write_corpus(tmp_path / "data")
    runs = tmp_path / "one" / "run", tmp_path / "another" / "run"
    for year, folder in enumerate(runs):
        clock = iter(range(10**9))
        monkeypatch.setattr(time, "perf_counter", lambda clock=clock: next(clock) / 64)
        monkeypatch.setattr(time, "time", lambda year=year: 1e9 + year * 3e7)
        arguments = toys.train_arguments(data, folder, steps=3)
        assert toys.command(*arguments).status == 0
        monkeypatch.undo()
    names = [sorted(str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()) for run in runs]
    assert names[0] == names[1]
    different = [name for name in names[0] if (runs[0] / name).read_bytes() != (runs[1] / name).read_bytes()]
    assert [name for name in different if name != "state.safetensors"] == []
    headers = []  # their entries come in an order of the library's choice
    for run in runs:
        with safetensors.safe_open(run / "state.safetensors", framework="pt") as file:
            headers.append(file.metadata())
    assert headers[0] == headers[1]
    assert_equal_weights(*(safetensors.torch.load_file(run / "state.safetensors") for run in runs))


# ─── Whole or not at all ─────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("where", ["os.fsync", "os.replace"])
@pytest.mark.parametrize("error", [toys.Killed, OSError], ids=["killed", "disk full"])
def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path, where: str, error: type[BaseException]) -> None:
    path = tmp_path / "file"
    tc.write_atomically(path, b"old")

    def interrupt() -> None:
        raise error

    with pytest.raises((error, ValueError)), toys.at_call(1, where, interrupt):
        tc.write_atomically(path, b"new and longer")
    assert path.read_bytes() == b"old"
    tc.write_atomically(path, b"n")  # and what was left behind is in nobody's way
    assert path.read_bytes() == b"n" and os.listdir(tmp_path) == ["file"]


def test_a_new_file_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    path, seen = tmp_path / "new folder" / "file", []
    with toys.at_call(1, "os.replace", lambda: seen.append(path.exists())):
        tc.write_atomically(path, b"data")
    assert seen == [False] and path.read_bytes() == b"data"


def test_the_bytes_are_on_the_disk_before_the_name_is(tmp_path: Path) -> None:
    order: list[str] = []
    with (
        toys.at_call(1, "os.fsync", lambda: order.append("fsync")),
        toys.at_call(1, "os.replace", lambda: order.append("replace")),
    ):
        tc.write_atomically(tmp_path / "file", b"data")
    assert order == ["fsync", "replace"]


def test_weights_are_written_last_so_a_folder_with_weights_is_whole(checkpoint: Path, tmp_path: Path) -> None:
    model, tokenizer = tc.load_model(checkpoint), tc.Tokenizer.load(checkpoint / "tokenizer.model")
    for number in (1, 2, 3):
        folder = tmp_path / f"cut at {number}"
        with pytest.raises(toys.Killed), toys.at_call(number, "os.replace"):
            tc.save_checkpoint(folder, model.config, tc.weights_of(model), tokenizer)
        assert not (folder / "model.safetensors").exists()


# ─── What is damaged is refused ──────────────────────────────────────────────────────────────────────────────────────


def refusal(folder: Path) -> str:
    with pytest.raises(ValueError) as caught:
        tc.load_pretrained(folder)
    return str(caught.value)


@pytest.mark.parametrize("kept", [0, 4, 8, 100, 0.5, -3], ids=lambda kept: f"keeping {kept}")
@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.model", "config.json"])
def test_a_truncated_file_is_refused(checkpoint: Path, name: str, kept: float) -> None:
    data = (checkpoint / name).read_bytes()
    cut = data.rstrip()[: int(kept * len(data)) if isinstance(kept, float) else kept]
    (checkpoint / name).write_bytes(cut)
    assert_one_sentence(refusal(checkpoint), name)


def test_a_damaged_header_is_refused(checkpoint: Path) -> None:
    path = checkpoint / "model.safetensors"
    data = bytearray(path.read_bytes())
    data[0:8] = struct.pack("<Q", 1 << 60)
    path.write_bytes(data)
    assert_one_sentence(refusal(checkpoint), "model.safetensors")


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.model"])
def test_a_missing_file_is_named(checkpoint: Path, name: str) -> None:
    (checkpoint / name).unlink()
    assert_one_sentence(refusal(checkpoint), name, str(checkpoint))


def test_a_missing_config_is_named(checkpoint: Path) -> None:
    (checkpoint / "config.json").unlink()
    assert_one_sentence(refusal(checkpoint), str(checkpoint))
    with pytest.raises(ValueError) as caught:
        tc.load_model(checkpoint)
    assert_one_sentence(str(caught.value), "config.json", str(checkpoint))


def test_a_folder_in_the_place_of_a_file_is_refused(checkpoint: Path) -> None:
    (checkpoint / "model.safetensors").unlink()
    (checkpoint / "model.safetensors").mkdir()
    assert_one_sentence(refusal(checkpoint), "model.safetensors")


ODD_CONFIGS: dict[str, Any] = {
    "not JSON": b"n_layers: 2\n",
    "not UTF-8": b'{"norm": "\xff"}',
    "a list": [1, 2],
    "a list of names": ["vocab_size"],
    "a number": 5,
    "null": None,
    "a string": "vocab_size",
    "empty": {},
    "an unknown entry": dict(n_heeds=3),
    "a missing entry": dict(vocab_size=...),
    "words for numbers": dict(n_layers="two"),
    "null for a number": dict(d_model=None),
    "a fraction of a layer": dict(n_layers=1.5),
    "true for a number": dict(n_heads=True),
    "no layers": dict(n_layers=0),
    "negative width": dict(d_ff=-4),
    "an odd width": dict(d_model=25),
    "a list for a number": dict(d_k=[10]),
    "a probability above 1": dict(p_drop=1.5),
    "words for a probability": dict(p_drop="little"),
    "not a number": dict(eps_ls=float("nan")),
    "an unknown norm": dict(norm="middle"),
    "a list for a norm": dict(norm=["pre"]),
    "unknown positions": dict(positions="rotary"),
    "an even window": dict(window=4),
    "words for a window": dict(window="wide"),
    "a fraction of a window": dict(window=3.5),
    "words for the target vocabulary": dict(tgt_vocab_size="many"),
    "an empty target vocabulary": dict(tgt_vocab_size=0),
    "a negative target vocabulary": dict(tgt_vocab_size=-3),
    "words for a yes or no": dict(tie_softmax="maybe"),
}


@pytest.mark.parametrize("odd", ODD_CONFIGS.values(), ids=ODD_CONFIGS)
def test_an_odd_config_is_refused(checkpoint: Path, odd: Any) -> None:
    path = checkpoint / "config.json"
    if isinstance(odd, dict) and odd:
        values = json.loads(path.read_text()) | odd
        odd = {name: value for name, value in values.items() if value is not ...}
    path.write_bytes(odd if isinstance(odd, bytes) else json.dumps(odd).encode())
    assert_one_sentence(refusal(checkpoint), "config.json")


@pytest.mark.parametrize("changes", [dict(n_layers=2), dict(norm="pre"), dict(tie_softmax=False)], ids=str)
def test_a_config_with_other_weights_than_the_file_is_refused(checkpoint: Path, changes: dict[str, Any]) -> None:
    path = checkpoint / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    assert_one_sentence(refusal(checkpoint), "model.safetensors")


def test_a_config_of_another_width_is_refused_with_both_shapes(checkpoint: Path) -> None:
    path = checkpoint / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | dict(d_ff=41)))
    assert_one_sentence(refusal(checkpoint), "model.safetensors", "(40, 24)", "(41, 24)")


def test_a_refused_file_leaves_the_model_as_it_was(checkpoint: Path) -> None:
    model = tc.load_model(checkpoint)
    before = {name: weight.clone() for name, weight in tc.weights_of(model).items()}
    wrong = {name: torch.zeros_like(weight) for name, weight in before.items()}
    wrong["decoder.0.add_norm.2.layer_norm.bias"] = torch.zeros(25)
    with pytest.raises(ValueError, match="layer_norm"):
        tc.load_weights(model, wrong, "here")
    assert_equal_weights(tc.weights_of(model), before)


# ─── Averages ────────────────────────────────────────────────────────────────────────────────────────────────────────


def saved(folder: Path, weights: dict[str, torch.Tensor]) -> Path:
    tc.save_checkpoint(folder, tc.TransformerConfig(17, **toys.TOY), weights)
    return folder


def test_the_average_of_identical_checkpoints_is_the_same(checkpoint: Path) -> None:
    for n in (1, 2, 3, 7):
        assert_equal_weights(tc.average_checkpoints([checkpoint] * n), tc.weights_of(tc.load_model(checkpoint)))


def test_the_average_is_the_mean_in_any_order(tmp_path: Path) -> None:
    torch.manual_seed(0)
    all_weights = [dict(a=torch.randn(3, 2), b=torch.randn(5)) for _ in range(3)]
    folders = [saved(tmp_path / str(i), weights) for i, weights in enumerate(all_weights)]
    average = tc.average_checkpoints(folders)
    for name in ("a", "b"):
        torch.testing.assert_close(average[name], torch.stack([weights[name] for weights in all_weights]).mean(0))
    assert_equal_weights(average, tc.average_checkpoints(folders[::-1]))
    two = tc.average_checkpoints(folders[:2])
    assert torch.equal(two["a"], (all_weights[0]["a"] + all_weights[1]["a"]) / 2)


def test_an_average_is_summed_more_finely_than_it_is_stored(tmp_path: Path) -> None:
    numbers = [2.0**24, 1.0, 1.0, 1.0, -(2.0**24)]  # in float32 the ones would be lost
    folders = [saved(tmp_path / str(i), dict(a=torch.tensor([x]))) for i, x in enumerate(numbers)]
    assert tc.average_checkpoints(folders)["a"].tolist() == [torch.tensor(3 / 5).item()]


def test_different_models_are_not_averaged(tmp_path: Path) -> None:
    one = saved(tmp_path / "one", dict(a=torch.zeros(3, 2)))
    for i, other in enumerate(
        (dict(a=torch.zeros(2, 3)), dict(b=torch.zeros(3, 2)), dict(a=torch.zeros(3, 2), b=torch.zeros(1)))
    ):
        folder = saved(tmp_path / f"other {i}", other)
        for pair in ((one, folder), (folder, one)):
            with pytest.raises(ValueError) as caught:
                tc.average_checkpoints(pair)
            assert_one_sentence(str(caught.value), str(one), str(folder))


def test_nothing_has_no_average(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="nothing to average"):
        tc.average_checkpoints([])
    with pytest.raises(ValueError, match=r"model\.safetensors"):
        tc.average_checkpoints([tmp_path])


# ─── Half precision ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_weights_stored_in_float16_load_in_float32(checkpoint: Path, tmp_path: Path) -> None:
    whole = tc.weights_of(tc.load_model(checkpoint))
    config = tc.read_config(checkpoint)
    tc.save_checkpoint(tmp_path / "half", config, {name: weight.half() for name, weight in whole.items()})
    shutil.copy(checkpoint / "tokenizer.model", tmp_path / "half")
    sizes = [(folder / "model.safetensors").stat().st_size for folder in (tmp_path / "half", checkpoint)]
    assert sizes[0] < 0.6 * sizes[1]
    back = tc.weights_of(tc.load_pretrained(tmp_path / "half").model)
    for name, weight in whole.items():
        assert back[name].dtype == torch.float32
        torch.testing.assert_close(back[name], weight, rtol=2**-11, atol=2**-24)


def test_checkpoints_in_float16_average_in_float32(tmp_path: Path) -> None:
    folders = [saved(tmp_path / name, dict(a=torch.tensor([x]).half())) for name, x in (("x", 1.0), ("y", 1 + 2**-10))]
    average = tc.average_checkpoints(folders)["a"]
    assert average.dtype == torch.float32 and average.item() == 1 + 2**-11
