"""Training pairs in flat arrays: the core's batches to the last bit, small, shared, kept, and not to be fooled."""

import gzip
import hashlib
import itertools
import random
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

import pytest
import safetensors.torch
import torch
import toys
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import assert_refused

import transformer_core as tc
from core_options import pairs, safekeeping

pytestmark = pytest.mark.usefixtures("one_thread")


class Numbers(tc.Tokenizer):
    """A vocabulary of so many numbers, each its own id, which needs no learning."""

    def __init__(self, size: int):
        self.model, self.size = str(size).encode(), size

    def __len__(self) -> int:
        return self.size

    def encode(self, text: str) -> list[int]:
        return [int(word) for word in text.split()]


def write(folder: Path, texts: Sequence[tuple[str, str]]) -> pairs.Text:
    folder.mkdir(parents=True, exist_ok=True)
    for language, side in zip(("en", "de"), zip(*texts, strict=True), strict=True):
        (folder / f"train.{language}").write_text("".join(line + "\n" for line in side), encoding="utf-8")
    return pairs.Text(str(folder), "train", "en", "de")


def numbers(n: int, size: int, longest: int, shortest: int = 0) -> list[tuple[str, str]]:
    """Pairs of lines of numbers; some sides are empty where the shortest may be."""
    rng = random.Random(n)
    sides = [" ".join(str(rng.randrange(4, size)) for _ in range(rng.randint(shortest, longest))) for _ in range(2 * n)]
    return list(zip(sides[:n], sides[n:], strict=True))


def cut(folder: Path, texts: Sequence[tuple[str, str]], *tokenizers: tc.Tokenizer) -> pairs.Pairs:
    text = write(folder, texts)
    pairs.cut(folder / pairs.NAME, text, text.counts(), tokenizers)
    return pairs.Pairs(folder / pairs.NAME)


# ─── Batches ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("sizes", [(300,), (65_536,), (65_537,), (400, 90_000)], ids=str)
def test_batches_are_the_cores_to_the_last_bit(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    texts, tokenizers = numbers(400, min(sizes), 30), [*map(Numbers, sizes)]
    texts += [(str(sizes[0] - 1), str(sizes[-1] - 1))]
    flat, plain = cut(tmp_path, texts, *tokenizers), tc.encode_pairs(texts, tokenizers[0], tokenizers[-1])
    assert flat.ids.itemsize == (2 if max(sizes) <= 65_536 else 4) and [*flat] == plain and len(flat) == 401
    for tokens, seed, window in ((60, 0, 1 << 15), (31, 7, 50), (500, 3, 90)):
        ours, theirs = (make(rows, tokens, seed, window) for make, rows in ((pairs.Batches, flat), (tc.Batches, plain)))
        theirs.usable = [row for row in theirs.usable if all(texts[row])]
        assert [*ours.usable] == theirs.usable and [*ours.lengths] == theirs.lengths and len(ours) == len(theirs)
        for epoch, start in ((0, 0), (1, 0), (5, 3)):
            both = zip(ours.epoch(epoch, start), theirs.epoch(epoch, start), strict=True)
            for a, b in both:
                assert a.rows == b.rows and all(
                    torch.equal(getattr(a, side), getattr(b, side)) for side in ("src", "tgt_in", "tgt_out")
                )


def test_what_is_too_long_is_left_out_or_refused_in_the_cores_words(tmp_path: Path) -> None:
    texts, tokenizer = numbers(40, 300, 30), Numbers(300)
    flat, plain = cut(tmp_path, texts, tokenizer), tc.encode_pairs(texts, tokenizer, tokenizer)
    for tokens in (20, 1):
        said = []
        for make, rows in ((pairs.Batches, flat), (tc.Batches, plain)):
            with pytest.warns(UserWarning) if tokens > 1 else pytest.raises(ValueError) as caught:
                make(rows, tokens)
            said.append(str(caught[0].message if tokens > 1 else caught.value))
        assert said[0] == said[1]


def test_a_pair_of_30_and_30_tokens_takes_150_bytes_at_most(tmp_path: Path) -> None:
    texts = [(" ".join(["7"] * 30), " ".join(["8"] * 30))] * 20_000
    flat, path = cut(tmp_path, texts, Numbers(37_000)), tmp_path / pairs.NAME
    tracemalloc.start()
    try:
        batches = pairs.Batches(flat, 4096)
        next(iter(batches))  # after an epoch has been planned
        own = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert path.stat().st_size < 129 * len(texts)  # all processes together
    assert path.stat().st_size + own < 150 * len(texts)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="Linux alone tells")
def test_the_ids_are_the_files_own_pages_which_processes_share(tmp_path: Path) -> None:
    flat = cut(tmp_path, numbers(20_000, 37_000, 30, 30), Numbers(37_000))
    assert sum(len(source) + len(target) for source, target in flat) == 60 * 20_000
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    mapped = itertools.takewhile(lambda line: not line.startswith("VmFlags"), itertools.dropwhile(
        lambda line: str(tmp_path / pairs.NAME) not in line, lines))  # fmt: skip
    sizes = {name: int(size.split()[0]) for name, _, size in (line.partition(":") for line in [*mapped][1:])}
    assert sizes["Rss"] > 2000 and sizes["Anonymous"] == sizes["Private_Dirty"] == 0


# ─── Text ────────────────────────────────────────────────────────────────────────────────────────────────────────────
LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=9), min_size=1)


@settings(max_examples=200, deadline=None)
@given(LINES, LINES, st.booleans(), st.booleans(), st.booleans())
def test_a_text_is_read_as_the_core_reads_it(
    tmp_path_factory: pytest.TempPathFactory, ours: list[str], theirs: list[str], gz: bool, mark: bool, end: bool
) -> None:
    """Also its digest, which a run that was begun before must meet again."""
    folder, n = tmp_path_factory.mktemp("text"), min(len(ours), len(theirs))
    for language, side in (("en", ours), ("de", theirs)):
        data = ("\ufeff" * mark + "\n".join([*side[:n], "x"]) + "\n" * end).encode()
        path = folder / f"train.{language}"
        path.with_suffix(path.suffix + ".gz").write_bytes(gzip.compress(data)) if gz else path.write_bytes(data)
    text = pairs.Text(str(folder), "train", "en", "de")
    sides = tc.read_parallel(folder, "train", "en", "de")
    read = list(zip(*(map(tc.clean, side) for side in sides), strict=True))
    assert [*text] == read
    if any(map(all, read)) and "\r" not in "".join(ours + theirs):
        counts = text.counts()
        assert counts.digest == hashlib.sha256(repr(read).encode()).hexdigest()[:16]
        assert counts.n_words == sum(len(side.split()) for pair in read for side in pair)
        assert counts.n_pairs == len(read) and counts.n_same == sum(a == b != "" for a, b in read)


def test_sides_of_unequal_lengths_and_texts_without_a_pair_are_refused(tmp_path: Path) -> None:
    text = write(tmp_path, [("a", "b"), ("c", "d")])
    text.paths[1].write_text("b\n")
    with pytest.raises(ValueError, match=r"train.en has 2 lines and train.de has 1; they must match"):
        text.counts()
    with pytest.raises(ValueError, match="hold no pair of sentences"):
        write(tmp_path, [("a", ""), ("", "d")]).counts()


# ─── Runs ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture()
def run(tmp_path: Path) -> tuple[Path, Path]:
    data, out = toys.write_corpus(tmp_path / "data"), tmp_path / "run"
    assert toys.command(*toys.train_arguments(data, out, steps=3)).status == 0
    return data, out


def ends_as_uninterrupted(data: Path, out: Path) -> toys.Outcome:
    """The run goes on to step 5, to the weights of one that was never stopped."""
    whole = out.with_name("whole")
    assert toys.command(*toys.train_arguments(data, whole)).status == 0
    done = toys.command(*toys.train_arguments(data, out, resume=True))
    assert done.status == 0, done.err
    one, other = (safetensors.torch.load_file(folder / "model.safetensors") for folder in (out, whole))
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert (out / pairs.NAME).read_bytes() == (whole / pairs.NAME).read_bytes()
    return done


def test_a_run_that_goes_on_reads_its_pairs_and_not_the_text(run: tuple[Path, Path]) -> None:
    data, out = run
    with mock.patch.object(pairs, "lines", side_effect=AssertionError):
        done = toys.command(*toys.train_arguments(data, out, resume=True))
    assert done.status == 0 and pairs.NAME not in done.err, done.err


def test_a_run_that_was_begun_without_such_a_file_goes_on(run: tuple[Path, Path]) -> None:
    data, out = run
    (out / pairs.NAME).unlink()
    assert pairs.NAME not in ends_as_uninterrupted(data, out).err


@pytest.mark.parametrize(
    "damage", ["a bit", "its end", "all of it", "another vocabulary's", "a list", "another text's"]
)
def test_a_damaged_or_foreign_file_is_made_anew_in_one_sentence(run: tuple[Path, Path], damage: str) -> None:
    data, out = run
    path, whole = out / pairs.NAME, (out / pairs.NAME).read_bytes()
    text = pairs.Text(str(data), "train", "en", "de")
    match damage:
        case "a bit":
            path.write_bytes(bytes([whole[0] ^ 1]) + whole[1:])
        case "its end":
            path.write_bytes(whole[:-1])
        case "all of it":
            path.write_bytes(b"")
        case "a list":
            path.write_bytes(b"\n[]" + hashlib.sha256(b"\n[]").digest())
        case "another vocabulary's":
            pairs.cut(path, text, text.counts(), [tc.Tokenizer.train(["another vocabulary"], 300)])
        case "another text's":
            other = pairs.Text(str(toys.write_corpus(data.parent / "other", 50)), "train", "en", "de")
            pairs.cut(path, other, other.counts(), [tc.Tokenizer.load(out / "tokenizer.model")])
    note = [line for line in ends_as_uninterrupted(data, out).err.splitlines() if str(path) in line]
    assert len(note) == (damage != "another vocabulary's")
    assert all(line.startswith("Note: ") and line.endswith("; it is made anew.") for line in note)


def test_every_bit_of_the_file_is_looked_after(run: tuple[Path, Path]) -> None:
    path, whole, rng = run[1] / pairs.NAME, (run[1] / pairs.NAME).read_bytes(), random.Random(0)
    for place in {0, len(whole) - 1, *(rng.randrange(len(whole)) for _ in range(50))}:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << rng.randrange(8)]) + whole[place + 1 :])
        with pytest.raises(ValueError, match="is damaged"):
            pairs.Pairs(path)


def test_the_same_text_packed_anew_is_cut_anew_and_another_text_is_refused(run: tuple[Path, Path]) -> None:
    data, out = run
    for side in ("en", "de"):
        path = data / f"train.{side}"
        path.with_suffix(f".{side}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    done = ends_as_uninterrupted(data, out)
    assert "is of other files; it is made anew." in done.err
    toys.write_corpus(data, 50)
    assert_refused(toys.command(*toys.train_arguments(data, out, steps=6, resume=True)), "digest of the text")


def test_the_file_is_trainings_own(run: tuple[Path, Path]) -> None:
    data, out = run
    assert pairs.NAME in safekeeping.LARGEST
    (out / f"{pairs.NAME}.part").write_bytes(b"left by a kill")
    assert toys.command(*toys.train_arguments(data, out, steps=1, overwrite=True, vocab_size=280)).status == 0
    assert not (out / f"{pairs.NAME}.part").exists()
    assert max(max(map(max, pair)) for pair in pairs.Pairs(out / pairs.NAME)) < 280


def test_a_file_of_nothing_but_a_byte_order_mark_has_no_line(tmp_path: Path) -> None:
    (tmp_path / "train.en").write_bytes(b"\xef\xbb\xbf")
    (tmp_path / "train.de").write_bytes(b"")
    with pytest.raises(ValueError, match="hold no pair of sentences"):
        pairs.Text(str(tmp_path), "train", "en", "de").counts()
