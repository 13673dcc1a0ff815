"""The command line: results on standard output, all else on standard error, and no traceback for any input."""

import contextlib
import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
import safetensors.torch
import torch
import toys
from toys import assert_refused

import transformer_core as tc
from core_options import safekeeping

pytestmark = pytest.mark.usefixtures("one_thread")

STRANGE = [
    "",
    "cat dog",
    "\r",
    "ant\r",
    "\u2028",
    "cat\u2028dog",
    "\u0085",
    "a\x00b",
    "\x00",
    "🦊 🐺",
    "   ",
    "\x0c",
    "ﬁ",
]


def translated(run: Path, texts: list[str], *words: str) -> list[str]:
    done = toys.command("translate", "--checkpoint", run, *words, stdin="".join(f"{t}\n" for t in texts).encode())
    assert done.status == 0, done.err
    return done.out.decode().split("\n")[:-1]


# ─── The four commands, one after the other ──────────────────────────────────────────────────────────────────────────


def test_train_translate_average_evaluate_follow_each_other(toy_run: Path, tmp_path: Path) -> None:
    texts = toys.sentences(6, seed=5)
    translator = tc.load_pretrained(toy_run)
    assert translated(toy_run, texts) == translator.translate(texts, 4, 0.6)
    assert translated(toy_run, texts, "--beam-size", "1") == translator.translate(texts, 1)

    done = toys.command("average", toy_run, "--last", "2", "--out", tmp_path / "mean")
    assert done.status == 0 and done.out == b""
    mean = tc.average_checkpoints([toy_run / "step-20", toy_run / "step-30"])
    assert all(torch.equal(mean[k], x) for k, x in tc.weights_of(tc.load_model(tmp_path / "mean")).items())
    assert {p.name for p in (tmp_path / "mean").iterdir()} == {"model.safetensors", "config.json", "tokenizer.model"}
    assert len(translated(tmp_path / "mean", texts)) == 6

    (tmp_path / "src").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "ref").write_text("".join(f"{toys.backwards(text)}\n" for text in texts))
    done = toys.command(
        "evaluate", "--checkpoint", tmp_path / "mean", "--src", tmp_path / "src", "--ref", tmp_path / "ref"
    )
    assert done.status == 0 and b"BLEU" in done.out


def test_vocabularies_apart_are_learned_and_kept_by_every_command(tmp_path: Path) -> None:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    done = toys.command(*toys.train_arguments(data, out, tgt_vocab_size=200, max_extra=3))
    assert done.status == 0, done.err
    folders = [out, out / "best", out / "averaged", *tc.step_folders(out)]
    done = toys.command("average", out, "--last", "2", "--out", tmp_path / "mean")
    assert done.status == 0, done.err
    translators = [tc.load_pretrained(folder) for folder in (*folders, tmp_path / "mean")]
    assert {one.tokenizer.model for one in translators} == {tc.Tokenizer.train((data / "train.en").open(), 290).model}
    assert {one.tgt_tokenizer.model for one in translators} == {translators[0].tgt_tokenizer.model}
    assert {one.model.config.tgt_vocab_size for one in translators} == {4 + len(toys.WORDS)}
    assert sorted(translators[0].tgt_tokenizer.pieces(range(4, 12))) == [f"▁{word}" for word in toys.WORDS]
    texts = toys.sentences(5, seed=5)
    for extra in (0, 4):
        lines = translated(out, texts, "--max-extra", str(extra), "--beam-size", "1")
        assert lines == translators[0].translate(texts, 1, max_extra=extra)
        most = [len(ids) + extra for ids in map(translators[0].tokenizer.encode, texts)]
        assert all(len(line.split()) <= n for line, n in zip(lines, most, strict=True))


def test_an_average_in_float16_is_half_the_size_and_loads(toy_run: Path, tmp_path: Path) -> None:
    for dtype in ("float32", "float16"):
        words = ("average", toy_run, "--last", "1", "--out", tmp_path / dtype, "--dtype", dtype)
        assert toys.command(*words).status == 0
    sizes = [(tmp_path / dtype / "model.safetensors").stat().st_size for dtype in ("float16", "float32")]
    assert sizes[0] < 0.6 * sizes[1]
    stored = safetensors.torch.load_file(tmp_path / "float16" / "model.safetensors")
    assert {weight.dtype for weight in stored.values()} == {torch.float16}
    assert {p.dtype for p in tc.load_model(tmp_path / "float16").parameters()} == {torch.float32}


@pytest.mark.parametrize("words", [(), ("--lowercase",), ("--beam-size", "1")], ids=str)
def test_evaluate_is_sacrebleu_on_what_translate_writes(toy_run: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    texts = toys.sentences(8, seed=6)
    output = translated(toy_run, texts, *(word for word in words if word != "--lowercase"))
    references = [line.upper() if i % 2 else line + " ant" for i, line in enumerate(output)]
    (tmp_path / "src").write_text("".join(f"{text}\n" for text in texts))
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in references))
    metric = sacrebleu.BLEU(lowercase="--lowercase" in words)
    wanted = metric.corpus_score(output, [references])
    done = toys.command(
        "evaluate", "--checkpoint", toy_run, "--src", tmp_path / "src", "--ref", tmp_path / "ref", *words
    )
    assert done.status == 0, done.err
    assert str(metric.get_signature()) in done.out.decode()
    assert ("case:lc" if "--lowercase" in words else "case:mixed") in done.out.decode()
    assert str(wanted) in done.out.decode()


def test_evaluate_reads_compressed_files(toy_run: Path, tmp_path: Path) -> None:
    import gzip

    for name in ("src", "ref"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(b"cat dog\nant\n"))
        (tmp_path / name).write_bytes(b"cat dog\nant\n")
    outputs = set()
    for ending in ("", ".gz"):
        sides = ("--src", tmp_path / f"src{ending}", "--ref", tmp_path / f"ref{ending}")
        outputs.add(toys.command("evaluate", "--checkpoint", toy_run, *sides).out)
    assert len(outputs) == 1 and b"BLEU" in outputs.pop()


def test_train_reads_compressed_folders(tmp_path: Path) -> None:
    import gzip

    data = toys.write_corpus(tmp_path / "data")
    for path in list(data.iterdir()):
        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", steps=1))
    assert done.status == 0 and done.out == b"", done.err
    assert len((tmp_path / "run" / "log.jsonl").read_text().splitlines()) == 2


# ─── One line for each line ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("ending", ["\n", ""], ids=["newline at the end", "none"])
def test_translate_writes_one_line_for_each_line_through_real_pipes(toy_run: Path, ending: str) -> None:
    """In a locale that knows ASCII alone."""
    strange = [*STRANGE, "hen"]
    stdin = ("\n".join(strange) + ending).encode()
    if ending:
        done = toys.process("translate", "--checkpoint", toy_run, stdin=stdin, LC_ALL="C", PYTHONIOENCODING="ascii")
    else:
        done = toys.command("translate", "--checkpoint", toy_run, stdin=stdin)
    assert done.status == 0, done.err
    assert done.out.endswith(b"\n")
    lines = done.out.decode().split("\n")[:-1]
    assert lines == tc.load_pretrained(toy_run).translate(strange)
    assert [bool(line) for line, text in zip(lines, strange, strict=True) if not text.split()] == [False] * 6


@pytest.mark.parametrize(
    ("stdin", "n"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"\n\n\n", 3),
        (b"cat", 1),
        (b"cat\n", 1),
        (b"\ncat", 2),
        (b"cat\n\n", 2),
        (b"\r\n\r\n", 2),
    ],
    ids=lambda part: repr(part),
)
def test_lines_end_at_line_feeds_alone(toy_run: Path, stdin: bytes, n: int) -> None:
    done = toys.command("translate", "--checkpoint", toy_run, stdin=stdin)
    assert done.status == 0 and done.out.count(b"\n") == n and (not n or done.out.endswith(b"\n"))


@pytest.mark.parametrize("bad", [b"\xff", b"caf\xe9", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf"], ids=repr)
def test_what_is_not_utf8_ends_before_any_output_and_names_the_line(toy_run: Path, bad: bytes) -> None:
    for before in (0, 2):
        stdin = b"cat\n" * before + bad + b"\ndog\n"
        done = toys.command("translate", "--checkpoint", toy_run, stdin=stdin)
        assert_refused(done, f"ine {before + 1} ", "UTF-8")


def test_a_file_that_is_not_utf8_is_named_with_its_line(toy_run: Path, tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"cat\ndog\n")
    (tmp_path / "latin").write_bytes(b"cat\nh\xe9n\n")
    for sides in (("latin", "good"), ("good", "latin")):
        words = ("--src", tmp_path / sides[0], "--ref", tmp_path / sides[1])
        assert_refused(toys.command("evaluate", "--checkpoint", toy_run, *words), "ine 2 ", "latin", "UTF-8")
    data = toys.write_corpus(tmp_path / "data")
    with (data / "train.de").open("ab") as file:
        file.write(b"\xff\n")
    done = toys.command(*toys.train_arguments(data, tmp_path / "run"))
    assert_refused(done, "ine 41 ", "train.de", "UTF-8")


# ─── Bad input ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_checkpoint_is_refused_in_a_real_process() -> None:
    assert_refused(toys.process("translate", "--checkpoint", "no-such-model", stdin=b"cat\n"), "no-such-model")


@pytest.mark.parametrize("command", ["translate", "evaluate"])
@pytest.mark.parametrize(
    "damage", ["unknown", "empty folder", "truncated", "no weights", "another tokenizer", "bad config"]
)
def test_a_damaged_checkpoint_is_refused(toy_run: Path, tmp_path: Path, command: str, damage: str) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.model"):
        shutil.copy(toy_run / name, folder)
    match damage:
        case "unknown":
            shutil.rmtree(folder)
        case "empty folder":
            shutil.rmtree(folder)
            folder.mkdir()
        case "truncated":
            data = (folder / "model.safetensors").read_bytes()
            (folder / "model.safetensors").write_bytes(data[: len(data) // 2])
        case "no weights":
            (folder / "model.safetensors").unlink()
        case "another tokenizer":
            (folder / "tokenizer.model").write_bytes(tc.Tokenizer.train(["one two three"], 270).model)
        case "bad config":
            (folder / "config.json").write_text(json.dumps(dict(vocab_size=3, layers=6)))
    named = {"truncated": "model.safetensors", "no weights": "model.safetensors", "bad config": "config.json"}
    (tmp_path / "text").write_text("cat dog\n")
    sides = ("--src", tmp_path / "text", "--ref", tmp_path / "text") if command == "evaluate" else ()
    done = toys.command(command, "--checkpoint", folder, *sides, stdin=b"cat dog\n")
    assert_refused(done, named.get(damage, "270" if damage == "another tokenizer" else str(folder)))


def test_evaluate_refuses_files_that_do_not_match(toy_run: Path, tmp_path: Path) -> None:
    (tmp_path / "two").write_text("cat\ndog\n")
    (tmp_path / "three").write_text("cat\ndog\neel\n")
    (tmp_path / "none").write_text("")

    def evaluate(src: str, ref: str) -> toys.Outcome:
        return toys.command("evaluate", "--checkpoint", toy_run, "--src", tmp_path / src, "--ref", tmp_path / ref)

    assert_refused(evaluate("two", "three"), "two", "three", "2", "3")
    assert_refused(evaluate("three", "two"), "two", "three", "2", "3")
    assert_refused(evaluate("none", "none"), "none")
    assert_refused(evaluate("missing", "two"), "missing")
    assert_refused(evaluate("two", "missing"), "missing")


@pytest.mark.parametrize(
    ("split", "sizes"),
    [("train", (40, 39)), ("train", (0, 40)), ("train", (0, 0)), ("valid", (5, 4)), ("valid", (0, 5))],
    ids=str,
)
def test_train_refuses_files_that_do_not_match_or_are_empty(tmp_path: Path, split: str, sizes: tuple[int, int]) -> None:
    data = toys.write_corpus(tmp_path / "data")
    for language, n in zip(("en", "de"), sizes, strict=True):
        (data / f"{split}.{language}").write_text("cat\n" * n)
    assert_refused(
        toys.command(*toys.train_arguments(data, tmp_path / "run")), *[str(n) for n in sizes if n != sizes[0]]
    )
    assert not (tmp_path / "run" / "state.safetensors").exists()


def test_files_beside_the_validation_text_are_no_validation_text(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    (data / "valid.en").rename(data / "valid.en.bak")
    (data / "valid.de").unlink()
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", steps=1))
    assert done.status == 0, done.err


def test_a_vocabulary_left_by_a_run_that_saved_nothing_is_not_taken_for_other_text(tmp_path: Path) -> None:
    data, left = toys.write_corpus(tmp_path / "data"), tmp_path / "run" / "tokenizer.model"
    left.parent.mkdir()
    safekeeping.claim(left.parent)
    left.write_bytes(tc.Tokenizer.train(["Привет мир"] * 9, 280).model)
    for out in ("run", "fresh"):
        done = toys.command(*toys.train_arguments(data, tmp_path / out, steps=1))
        assert done.status == 0, done.err
    assert left.read_bytes() == (tmp_path / "fresh" / "tokenizer.model").read_bytes()


@pytest.mark.parametrize("part", ["train", "valid"])
def test_learned_positions_refuse_a_sentence_beyond_their_end_before_any_step(tmp_path: Path, part: str) -> None:
    data = toys.write_corpus(tmp_path / "data")
    for ending in ("en", "de"):
        with (data / f"{part}.{ending}").open("a") as file:
            file.write("cat " * 300 + "\n")
    arguments = toys.train_arguments(data, tmp_path / "run", preset="E-learned", tokens_per_batch=400)
    assert_refused(toys.command(*arguments), "301", "256")
    assert not list((tmp_path / "run").glob("*.safetensors"))


def test_a_corpus_of_empty_lines_is_empty(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    (data / "train.en").write_text("\n \n\t\ncat\n")
    (data / "train.de").write_text("Hund\n\n\u3000\n\n")
    assert_refused(toys.command(*toys.train_arguments(data, tmp_path / "run")), str(data))


@pytest.mark.parametrize("missing", ["train.en", "train.de", "valid.en", "valid.de"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    data = toys.write_corpus(tmp_path / "data")
    (data / missing).unlink()
    assert_refused(toys.command(*toys.train_arguments(data, tmp_path / "run")), missing)
    assert_refused(toys.command(*toys.train_arguments(tmp_path / "nowhere", tmp_path / "run")), "nowhere")
    assert not (tmp_path / "run").exists()


BAD_ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown preset": (dict(preset="huge"), "huge"),
    "an unknown device": (dict(device="abacus"), "abacus"),
    "a device of no machine": (dict(device="cuda:99"), "cuda:99"),
    "an unknown precision": (dict(precision="fp7"), "fp7"),
    "dropout of one": (dict(p_drop=1.0), "p_drop"),
    "negative smoothing": (dict(eps_ls=-0.1), "eps-ls"),
    "batches too small for a sentence": (dict(tokens_per_batch=1), "1"),
    "batches of nothing": (dict(tokens_per_batch=-1), "-1"),
    "a vocabulary without room for bytes": (dict(vocab_size=100), "100"),
    "no warm-up": (dict(warmup_steps=-1), "warmup"),
    "a save every -1 steps": (dict(save_every=-1), "save"),
    "no checkpoint kept": (dict(keep=0), "keep"),
    "no parts": (dict(accumulate=0), "accumulate"),
    "a cooldown of minus three": (dict(cooldown_steps=-3), "cooldown"),
    "minus one sentence to translate": (dict(bleu_sentences=-1), "bleu"),
    "less than no time": (dict(minutes=-1), "minutes"),
    "a rate that climbs": (dict(peak_learning_rate=-0.01), "peak-learning-rate"),
    "a clip that turns gradients round": (dict(clip_norm=-1.0), "clip-norm"),
    "a target vocabulary of nothing": (dict(tgt_vocab_size=0), "tgt-vocab-size"),
    "a target vocabulary without room for words or bytes": (dict(tgt_vocab_size=9), "9"),
    "translations that must be shorter": (dict(max_extra=-1), "max-extra"),
}


@pytest.mark.parametrize("name", BAD_ARGUMENTS)
def test_train_refuses_what_makes_no_sense(tmp_path: Path, name: str) -> None:
    changes, needed = BAD_ARGUMENTS[name]
    done = toys.command(*toys.train_arguments(toys.write_corpus(tmp_path / "data"), tmp_path / "run", **changes))
    assert_refused(done, needed)
    assert not list((tmp_path / "run").glob("*.safetensors"))


def test_an_unknown_preset_lists_what_there_is(tmp_path: Path) -> None:
    done = toys.command(*toys.train_arguments(toys.write_corpus(tmp_path / "data"), tmp_path / "run", preset="huge"))
    assert_refused(done, "tiny", "small", "base", "big", "A-h4", "E-learned")


def test_a_text_too_small_for_the_vocabulary_gives_fewer_pieces_and_says_so_once(tmp_path: Path) -> None:
    data = toys.write_corpus(tmp_path / "data")
    done = toys.command(*toys.train_arguments(data, tmp_path / "run", vocab_size=8000, steps=1))
    assert done.status == 0, done.err
    tokenizer = tc.Tokenizer.load(tmp_path / "run" / "tokenizer.model")
    assert 260 < len(tokenizer) < 8000
    assert len(re.findall("fewer", done.err)) == 1 and str(len(tokenizer)) in done.err and "8000" in done.err
    again = toys.command(*toys.train_arguments(data, tmp_path / "run", vocab_size=8000, steps=2, resume=True))
    assert again.status == 0 and "fewer" not in again.err


@pytest.mark.parametrize("out", ["file", "file/run"])
def test_a_folder_that_cannot_be_written_is_named(toy_run: Path, tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("in the way")
    data = toys.write_corpus(tmp_path / "data")
    assert_refused_by_system(toys.command(*toys.train_arguments(data, tmp_path / out)), str(tmp_path / "file"))
    done = toys.command("average", toy_run, "--last", "1", "--out", tmp_path / out)
    assert_refused_by_system(done, str(tmp_path / "file"))
    assert (tmp_path / "file").read_text() == "in the way"


def assert_refused_by_system(done: toys.Outcome, needed: str) -> None:
    """As assert_refused, in the system's own words."""
    assert done.status == 2 and done.out == b"" and "Traceback" not in done.err
    assert needed in done.err.strip().splitlines()[-1], done.err


@pytest.mark.parametrize("last", [0, -1, 4, 1000])
def test_there_must_be_enough_to_average(toy_run: Path, tmp_path: Path, last: int) -> None:
    """The toy run kept two."""
    done = toys.command("average", toy_run, "--last", last, "--out", tmp_path / "out")
    assert_refused(done, str(last), str(toy_run))
    assert not (tmp_path / "out").exists()


def test_nothing_to_average_is_refused(toy_run: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for folder in ("empty", "nowhere"):
        done = toys.command("average", tmp_path / folder, "--last", "1", "--out", tmp_path / "out")
        assert_refused(done, str(tmp_path / folder))
    done = toys.command("average", toy_run, "--last", "1", "--out", tmp_path / "out", "--dtype", "int8")
    assert_refused(done, "int8")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words", [("--beam-size", "0"), ("--alpha", "-1"), ("--max-extra", "-2"), ("--device", "abacus")], ids=str
)
def test_translate_refuses_what_makes_no_sense(toy_run: Path, words: tuple[str, str]) -> None:
    done = toys.command("translate", "--checkpoint", toy_run, *words, stdin=b"cat\n")
    assert_refused(done, words[1])


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("translat",),
        ("translate",),
        ("train", "--data", "x"),
        ("translate", "--checkpoint", "x", "--beam-size", "y"),
    ],
    ids=str,
)
def test_words_that_are_no_command_exit_with_2_and_say_nothing_on_standard_output(words: tuple[str, ...]) -> None:
    done = toys.command(*words)
    assert done.status == 2 and done.out == b"" and done.err and "Traceback" not in done.err


# ─── Help ────────────────────────────────────────────────────────────────────────────────────────────────────────────

OPTIONS = {
    "train": "--data --src --tgt --preset --out --vocab-size --steps --minutes --save-every --resume --seed --device",
    "translate": "--checkpoint --beam-size --alpha",
    "evaluate": "--checkpoint --src --ref",
    "average": "--last --out",
}


@pytest.mark.parametrize("command", OPTIONS)
def test_help_teaches_every_option(command: str) -> None:
    done = toys.command(command, "--help")
    assert done.status == 0
    text = done.out.decode()
    assert [option for option in OPTIONS[command].split() if option not in text] == []
    assert len(text.split()) > 40  # words, not only names


def test_help_names_every_command() -> None:
    done = toys.command("--help")
    assert done.status == 0
    assert [command for command in OPTIONS if command not in done.out.decode()] == []


def test_calling_main_leaves_the_process_as_it_was(toy_run: Path) -> None:
    import warnings

    before = warnings.showwarning
    with contextlib.redirect_stderr(None):
        tc.main(["average", str(toy_run), "--last", "0", "--out", "nowhere"])
    after, warnings.showwarning = warnings.showwarning, before
    assert after is before


def test_options_that_are_half_installed_are_not_taken_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "core_options.command_line", raising=False)
    monkeypatch.setitem(sys.modules, "core_options.runs", None)
    with pytest.raises(ModuleNotFoundError, match=r"core_options\.runs"):
        tc.main(["train", "--help"])
