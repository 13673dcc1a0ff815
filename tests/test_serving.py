"""Serving: what CTranslate2 computes from an exported folder, and a lower precision, against the model itself."""

import importlib.util
import itertools
import math
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import toys

import transformer_core as tc
from core_options import serving, words
from core_options.context_aware import ContextTransformer, config_of

pytestmark = pytest.mark.usefixtures("one_thread")
needs_ctranslate2 = pytest.mark.skipif(
    importlib.util.find_spec("ctranslate2") is None, reason='needs ctranslate2, of the extra "test": pip install it'
)

SMALL = dict(n_layers=2, d_model=24, d_ff=40, n_heads=3, d_k=8, d_v=8, max_len=60)
VARIANTS: dict[str, dict[str, Any]] = {
    "paper": {},
    "wider values": dict(n_heads=2, d_k=6, d_v=10),
    "wider keys": dict(n_heads=2, d_k=14, d_v=10),
    "learned positions": dict(positions="learned"),
    "pre-LN": dict(norm="pre"),
    "two vocabularies": dict(tgt_vocab_size=0),  # as many as there are
    "untied softmax": dict(tie_softmax=False),
}


def text_of(n: int, seed: int = 0) -> list[str]:
    return [*toys.sentences(n, seed), "Grüße: naïve ☃", "a" * 30]


def translator(variant: str = "paper", seed: int = 0, endless: bool = False) -> tc.Translator:
    """A random model with tokenizers, sharper than it begins; an endless one never says eos."""
    tokenizer = tc.Tokenizer.train(toys.sentences(60, 1), 290)
    changes = dict(VARIANTS[variant])
    targets = words.train(["(S (NP DT NN )NP )S"], 40) if "tgt_vocab_size" in changes else None
    if targets:
        changes["tgt_vocab_size"] = len(targets)
    torch.manual_seed(seed)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **SMALL | changes))
    for parameter in model.parameters():
        parameter.data *= 1.5
    if endless:
        model.decoder[-1].add_norm[-1].layer_norm.bias.data -= 20 * model.tgt_embedding.weight.data[tc.EOS]
    return tc.Translator(model, tokenizer, "toy", targets)


def exported(translator: tc.Translator, out: Path, quantization: str = "float32") -> Any:
    import ctranslate2

    serving.export(translator, "ctranslate2", out, quantization)
    return ctranslate2.Translator(str(out), intra_threads=1)


def script_of(folder: Path) -> dict[str, Any]:
    """The names in the folder's translate.py."""
    path = folder / "translate.py"
    names = {"__name__": "translate", "__file__": str(path)}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    return names


def served(folder: Path, lines: list[str], *search: Any) -> list[str]:
    """What the folder's script makes of some lines."""
    import ctranslate2
    import sentencepiece

    sides = (sentencepiece.SentencePieceProcessor(model_file=str(folder / name)) for name in tc.TOKENIZERS)
    engine = ctranslate2.Translator(str(folder), intra_threads=1)
    return script_of(folder)["translate"](lines, engine, *sides, *search)


# ─── The same numbers ────────────────────────────────────────────────────────────────────────────────────────────────


@needs_ctranslate2
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_token_of_any_translation_has_the_probability_that_the_model_gives_it(tmp_path: Path, variant: str):
    ours = translator(variant)
    theirs = exported(ours, tmp_path / "out")
    rng, n_target = random.Random(0), len(ours.tgt_tokenizer)
    sources = [ours.tokenizer.encode(text) for text in text_of(3)]
    targets = [[rng.randrange(tc.UNK + 1, n_target) for _ in range(n)] for n in (4, 1, 7, 12, 2)]
    pieces = [ours.tokenizer.pieces(ids) for ids in sources], [ours.tgt_tokenizer.pieces(ids) for ids in targets]
    for source, target, found in zip(sources, targets, theirs.score_batch(*pieces), strict=True):
        with torch.no_grad():
            logits = ours.model(torch.tensor([[*source, tc.EOS]]), torch.tensor([[tc.BOS, *target]]))[0]
        logits[:, [tc.PAD, tc.BOS]] = -math.inf  # never produced
        wanted = logits.log_softmax(-1)[range(len(target) + 1), [*target, tc.EOS]]
        torch.testing.assert_close(torch.tensor(found.log_probs), wanted, atol=2e-4, rtol=1e-4)


@needs_ctranslate2
@pytest.mark.parametrize("variant", VARIANTS)
def test_greedy_translations_are_the_same(tmp_path: Path, variant: str):
    for seed, endless in ((1, False), (2, True)):
        ours = translator(variant, seed, endless)
        exported(ours, tmp_path / f"out{seed}")
        texts = ["", *text_of(5), " ", "cat"]
        assert served(tmp_path / f"out{seed}", texts, 1, 0.6, 9) == ours.translate(texts, 1, max_extra=9)


@needs_ctranslate2
def test_a_beam_that_no_ended_hypothesis_narrows_finds_the_same(tmp_path: Path):
    ours = translator(endless=True)
    exported(ours, tmp_path / "out")
    for text, (width, alpha) in itertools.product(text_of(2), ((2, 0.0), (5, 1.0))):
        wanted = ours.translate([text], width, alpha, max_extra=7)
        assert wanted[0] and served(tmp_path / "out", [text], width, alpha, 7) == wanted


@needs_ctranslate2
def test_the_shipped_translator_says_the_same_from_its_folder_alone(tmp_path: Path):
    texts = ["I am a teacher.", "", "Where did you buy these flowers?", "My sister has never been to Berlin.", "No."]
    done = toys.command("export", "--checkpoint", "tatoeba-en-de", "--out", tmp_path / "out", "--format", "ctranslate2")
    assert done.status == 0 and not done.out, done.err
    wanted = {width: tc.load_pretrained("tatoeba-en-de").translate(texts, width) for width in (1, 4)}
    for width, lines in wanted.items():
        words = [sys.executable, tmp_path / "out" / "translate.py", "--beam-size", str(width), "--threads", "1"]
        run = subprocess.run(words, input="\n".join(texts).encode(), capture_output=True, cwd=tmp_path)
        assert run.stdout.decode().split("\n") == [*lines, ""], run.stderr.decode()


@needs_ctranslate2
@pytest.mark.parametrize(("quantization", "bytes_a_weight"), [("float32", 4), ("float16", 2), ("int8", 1)])
def test_a_quantization_makes_the_folder_so_much_smaller_and_runs(
    tmp_path: Path, quantization: str, bytes_a_weight: int
):
    ours = translator()
    before = {name: weight.clone() for name, weight in tc.weights_of(ours.model).items()}
    exported(ours, tmp_path / "out", quantization)
    assert all(torch.equal(weight, before[name]) for name, weight in tc.weights_of(ours.model).items())
    tables = serving.LONGEST * SMALL["d_model"]  # of positions, once for both sides
    weights = tc.count_parameters(ours.model) + (0 if quantization == "int8" else tables)
    size = (tmp_path / "out" / "model.bin").stat().st_size - (4 * tables if quantization == "int8" else 0)
    assert bytes_a_weight * weights < size < 1.5 * bytes_a_weight * weights + 20_000
    assert len(served(tmp_path / "out", ["cat dog", "ant"], 2)) == 2


@needs_ctranslate2
def test_a_long_source_is_read_whole_up_to_the_last_position_and_then_left_empty(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    ours = translator(endless=True)
    exported(ours, tmp_path / "out")
    text = " ".join(toys.WORDS * 90)
    n = len(ours.tokenizer.encode(text))
    assert 1024 < n < serving.LONGEST  # CTranslate2 would cut at 1024
    with tc.evaluating(ours.model):
        steps = tc.beam_steps(ours.model, ours.source([text]), 1, 0.0, 0)
        *_, fifth = itertools.islice(steps, 5)
    assert served(tmp_path / "out", [text], 1, 0.0, 5 - n) == [ours.tokenizer.decode(fifth.best.ids)]
    assert served(tmp_path / "out", ["cat", f"{text} {text}", "dog"], 1)[1] == ""
    assert f"line 2 stays empty: {2 * n:,} tokens, above {serving.LONGEST - 1:,}." in capfd.readouterr().err


# ─── The script, through real pipes ──────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("served") / "out"
    exported(translator(), out)
    return out


def script(folder: Path, stdin: bytes) -> subprocess.CompletedProcess[bytes]:
    words = [sys.executable, str(folder / "translate.py"), "--device", "cpu", "--threads", "1"]
    return subprocess.run(words, input=stdin, capture_output=True, timeout=200)


@needs_ctranslate2
def test_the_script_refuses_bytes_that_are_no_text_in_a_sentence(folder: Path):
    for stdin, line in ((b"\xff\xfe\x00\x01", 1), (b"cat\ndog\ncaf\xe9\n", 3)):
        done = script(folder, stdin)
        assert done.returncode == 2 and done.stdout == b""
        assert done.stderr.startswith(b"Error: ") and f"Line {line} is not".encode() in done.stderr
        toys.assert_one_sentence(done.stderr.decode().strip().removeprefix("Error: "), "UTF-8")


@needs_ctranslate2
def test_the_script_writes_a_line_for_each_line_also_for_one_too_long(folder: Path):
    texts = [*["cat dog", "", "hen"] * 40, "ant " * 3000, "\r", "eel\u2028fox"]
    done = script(folder, b"\xef\xbb\xbf" + "\n".join(texts).encode())
    assert done.returncode == 0 and done.stderr.count(b"\n") == 1 and b"line 121 stays empty" in done.stderr
    lines = done.stdout.decode().split("\n")
    assert len(lines) == len(texts) + 1 and lines[120] == lines[121] == "" and lines[:3] == lines[3:6]


@needs_ctranslate2
def test_the_script_ends_quietly_when_nobody_reads_any_more(folder: Path):
    words = [sys.executable, str(folder / "translate.py"), "--device", "cpu", "--threads", "1", "--beam-size", "1"]
    with (
        subprocess.Popen(["yes", "cat dog"], stdout=subprocess.PIPE) as lines,
        subprocess.Popen(words, stdin=lines.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
    ):
        assert process.stdout and process.stderr and process.stdout.readline()
        process.stdout.close()
        assert process.wait(60) == 141 and process.stderr.read() == b""
        lines.kill()


# ─── What is refused, and what stays ─────────────────────────────────────────────────────────────────────────────────


def refused(ours: tc.Translator, out: Path, *needed: str, **asked: Any) -> None:
    words = dict(format="ctranslate2", quantization="float32") | asked
    with pytest.raises(ValueError) as caught:
        serving.export(ours, out=out, **words)
    toys.assert_one_sentence(str(caught.value), *needed)


def test_what_ctranslate2_cannot_say_is_refused_before_anything_is_written(tmp_path: Path):
    tokenizer = tc.Tokenizer.train(toys.sentences(60, 1), 290)
    for changes in (dict(window=3), dict(context="deep-global+deep"), dict(context="global", context_in="decoder")):
        config = config_of(len(tokenizer), **SMALL | changes)
        model = (ContextTransformer if "context" in changes else tc.Transformer)(config)
        (name, value), *_ = changes.items()
        refused(tc.Translator(model, tokenizer), tmp_path / "out", name, repr(value))
    assert not list(tmp_path.iterdir())


def test_unknown_words_and_a_missing_package_are_one_sentence(tmp_path: Path):
    ours = translator()
    refused(ours, tmp_path / "out", "'onnx'", "ctranslate2", format="onnx")
    refused(ours, tmp_path / "out", "'int4'", "int8", quantization="int4")
    with mock.patch.object(importlib.util, "find_spec", lambda name: None):
        refused(ours, tmp_path / "out", "pip install ctranslate2")
    assert not list(tmp_path.iterdir())


@needs_ctranslate2
def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("precious")
    refused(translator(), tmp_path / "out", "is there already", str(tmp_path / "out"))
    assert os.listdir(tmp_path) == ["out"] and os.listdir(tmp_path / "out") == ["mine"]
    for overwrite in (False, True):
        refused(translator(), tmp_path / "out" / "mine", "is no folder; name another", overwrite=overwrite)
    assert (tmp_path / "out" / "mine").read_text() == "precious"


@needs_ctranslate2
def test_a_folder_is_whole_or_absent(tmp_path: Path):
    ours = translator()
    broken = mock.patch.object(serving, "SCRIPT", None)
    with broken, pytest.raises(AttributeError):
        serving.export(ours, "ctranslate2", tmp_path / "out")
    assert not list(tmp_path.iterdir())
    (tmp_path / "out.part").mkdir()  # left by a kill
    (tmp_path / "out.part" / "model.bin").write_text("")
    serving.export(ours, "ctranslate2", tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]
    assert {*os.listdir(tmp_path / "out")} == {
        "model.bin", "config.json", "shared_vocabulary.json", *tc.TOKENIZERS, "translate.py", "README.md",
    }  # fmt: skip


def test_the_core_alone_translates_and_knows_no_export(tmp_path: Path):
    shutil.copy(toys.ROOT / "transformer_core.py", tmp_path)
    elsewhere = [path for path in sys.path if path and not (Path(path) / "transformer_core.py").exists()]
    shipped = toys.ROOT / "checkpoints" / "tatoeba-en-de"

    def script(*words: Any) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-S", tmp_path / "transformer_core.py", *words, "--checkpoint", shipped],
            input=b"I am a teacher.", capture_output=True, env=os.environ | {"PYTHONPATH": os.pathsep.join(elsewhere)},
        )  # fmt: skip

    for arguments in (["export", "--out", tmp_path / "out"], ["translate", "--precision", "int8"]):
        refused = script(*arguments)
        assert refused.returncode == 2 and arguments[0 if "export" in arguments else 1].encode() in refused.stderr
        assert not refused.stdout and b"Traceback" not in refused.stderr
    assert not (tmp_path / "out").exists()
    assert script("translate").stdout.decode() == "Ich bin Lehrer.\n"


# ─── Precision ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("precision", "gap"), [("bf16", 0.02), ("int8", 0.05)])
def test_a_lower_precision_changes_probabilities_by_little(variant: str, precision: str, gap: float):
    model = translator(variant).model
    ids = tc.pad([[*range(5, 12), tc.EOS], [20, 30, tc.EOS]])
    tgt_in = torch.tensor([[tc.BOS, 4, 5, 6], [tc.BOS, 6, 5, 7]])
    with torch.no_grad():
        wanted = model(ids, tgt_in).log_softmax(-1)
        found = serving.in_precision(model, precision)(ids, tgt_in).float().log_softmax(-1)
    assert 0 < (found.exp() - wanted.exp()).abs().max() < (0.005 if variant == "untied softmax" else gap)


@pytest.mark.parametrize("variant", VARIANTS)
def test_int8_rounds_the_layers_projections_alone(variant: str):
    model = translator(variant).model
    layers = {
        name for name, module in model.named_modules()
        if type(module) is torch.nn.Linear and name.startswith(("encoder.", "decoder."))
    }  # fmt: skip
    low = serving.in_precision(model, "int8")
    rounded = {
        name for name, module in low.named_modules()
        if "quantized" in type(module).__module__ and hasattr(module, "in_features")
    }  # fmt: skip
    assert layers and rounded == layers


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_the_shipped_translator_translates_in_a_lower_precision(precision: str):
    low = serving.load_pretrained("tatoeba-en-de", precision=precision)
    assert low.translate(["I am a teacher.", ""]) == ["Ich bin Lehrer.", ""]
    done = toys.command("translate", "--checkpoint", "tatoeba-en-de", "--precision", precision, stdin=b"Good morning.")
    assert done.status == 0 and done.out.decode() == low.translate(["Good morning."])[0] + "\n", done.err


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError) as caught:
        serving.load_pretrained("tatoeba-en-de", precision="fp8")
    toys.assert_one_sentence(str(caught.value), "'fp8'", "bf16", "int8")
