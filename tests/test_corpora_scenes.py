"""Scenes written by hand: their files hold what they should, the pronoun agrees, and what is held out stays out."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from corpora import scenes
from corpora.pronouns import IT, is_held_out, pair_key

ROOT = Path(__file__).parent.parent
FILES = sorted(scenes.FOLDER.glob("*.txt"))
SCENE = """\
The [A] would not open a [B] = [A1] wollte [B4 ein] nicht öffnen
A: otter = der Otter; bear = der Bär Bären; duck = die Ente
B: shell = die Muschel; egg = das Ei; box = der Kasten
a because it was tired. = , weil [1] müde war.
a , so Tom helped it. = , also half Tom [3].
a . It had no teeth. = . [1] hatte keine Zähne.
b because it was too hard. = , weil [1] zu hart war.
b . Tom had glued it. = . Tom hatte [4] geklebt.
b until it cracked. = , bis [1] aufsprang.
"""


@pytest.fixture(scope="module")
def train():
    return scenes.sample(3000, seed=2)


def written(folder, text):
    (folder / "own.txt").write_text(text, encoding="utf-8")
    return scenes.read(folder / "own.txt")


# ─── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_scenes_has_nothing_wrong(path):
    read, problems = scenes.read(path)
    assert read and not problems


def test_no_scene_is_written_twice_and_no_end_is_of_both_nouns():
    counted = Counter((scene.english, scene.a, scene.b) for scene in scenes.scenes())
    assert len(counted) >= 500 and set(counted.values()) == {1}
    for scene in scenes.scenes():
        ends = Counter(end.english for end in scene.ends)
        assert set(ends.values()) == {1}, scene.english


def test_a_scene_is_read_and_told_in_both_languages(tmp_path):
    (scene,), problems = written(tmp_path, f"# a comment\n{SCENE}\n")
    assert not problems and (len(scene.a), len(scene.b), len(scene.ends)) == (3, 3, 6)
    otter, bear, duck = scene.a
    _, egg, box = scene.b
    assert (otter, box) not in scene.pairs() and (duck, box) in scene.pairs()
    told = [scene.told(end, bear, egg) for end in scene.ends]
    assert told[0].english == "The bear would not open an egg because it was tired."
    assert told[0].german == "Der Bär wollte ein Ei nicht öffnen, weil er müde war."
    assert [(x.pronoun, x.meant.english, x.other.english) for x in told] == [
        ("er", "bear", "egg"), ("ihm", "bear", "egg"), ("er", "bear", "egg"),
        ("es", "egg", "bear"), ("es", "egg", "bear"), ("es", "egg", "bear"),
    ]  # fmt: skip
    german = scene.told(scene.ends[2], duck, box).german
    assert german == "Die Ente wollte einen Kasten nicht öffnen. Sie hatte keine Zähne."


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("[A1] wollte", "[A] wollte", "needs [A] and [B] once each"),
        ("a [B] =", "a box =", "needs [A] and [B] once each"),
        ("[B4 ein]", "[B4 einen]", "is none of der, dieser, ein"),
        ("The [A] would", "When it rains, the [A] would", "no it or its before the end"),
        ("; duck = die Ente", "", "at least three nouns"),
        ("duck = die Ente", "duck = Ente", "nouns are written"),
        ("a . It had no teeth. = . [1] hatte keine Zähne.\n", "", "at least three ends of a"),
        ("it was tired", "it said it was tired", "the English says it once"),
        ("It had no teeth", "It and its teeth", "the English says it once"),
        ("half Tom [3]", "half Tom ihm", "the German has one slot"),
        ("half Tom [3]", "half er [3]", "another pronoun in the German"),
        ("keine Zähne.\n", "keine Zähne\n", "both sides end with a full stop"),
        ("a because it was tired. = , weil", "because it was tired. = , weil", 'an end is "a because'),
        ("A: otter", "otter", "a scene is a line of what happens"),
        ("shell = die Muschel; egg = das Ei", "top = der Deckel; nut = der Kern", "more nouns of different genders"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path, old, new, problem):
    assert old in SCENE
    read, problems = written(tmp_path, SCENE.replace(old, new))
    assert not read and any(re.match(r"own\.txt:\d+: ", said) and problem in said for said in problems), problems


# ─── Sentences ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_pronoun_has_the_gender_of_the_noun_meant_and_both_nouns_stand_in_both_sentences(train):
    for example in train:
        assert example.pronoun in IT[example.meant.gender].split() and example.meant.gender != example.other.gender
        assert re.search(rf"\b{example.pronoun}\b", example.german, re.I), example.german
        for noun in (example.meant, example.other):
            assert re.search(rf"\b{re.escape(noun.english)}\b", example.english, re.I), example.english
            assert noun.german in example.german or noun.oblique in example.german, example.german


def test_sentences_are_written_as_one_writes(train):
    for example in train:
        for text in (example.english, example.german):
            assert text[0].isupper() or not text[0].isalpha(), text
            assert text[-1] in '.?!"“' and not re.search(r"[\[\]=]|  | [,.?!]", text), text
            assert not re.search(r"[.?!] [a-zäöü]", text), text
        assert not re.search(r"\ba [aeio]", example.english, re.I), example.english
        assert not re.search(r"\b(in|an|von|bei|zu) dem\b|\b(in|an) das\b", example.german), example.german


def test_both_nouns_are_meant_about_as_often_and_all_pronouns_come(train):
    first = sum(example.english.find(example.meant.english) < example.english.find(example.other.english)
                for example in train)  # fmt: skip
    assert 0.4 < first / len(train) < 0.6
    counted = Counter(example.pronoun for example in train)
    assert min(counted[pronoun] for pronoun in ("er", "ihn", "sie", "es")) > 0.08 * len(train)


def test_what_is_held_out_of_training_is_in_no_training_sentence(train):
    held_out = scenes.sample(60, seed=2, split="test")
    for examples, expected in ((train, False), (held_out, True)):
        for example in examples:
            assert is_held_out(pair_key(example.meant, example.other)) == expected
            assert is_held_out(f"end {example.reason}") == expected


def test_no_sentence_has_both_nouns_of_one_that_is_kept_apart(train):
    apart = [f"{train[0].meant.english}, {noun.english}" for noun in (train[0].other, train[1].other)]
    drawn = scenes.sample(500, seed=2, apart=apart)
    assert train[0].english not in {example.english for example in drawn}
    assert not any(scenes.is_apart(example, apart) for example in drawn)
    assert not any({"animal", "street"} == {x.meant.english, x.other.english} for x in train)


def test_the_same_seed_draws_the_same_and_another_seed_others(train):
    assert scenes.sample(50, seed=2) == train[:50] != scenes.sample(50, seed=3)


def test_an_unknown_split_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="split is 'valid'; choose train or test"):
        scenes.sample(1, split="valid")


def test_the_command_writes_a_folder_and_refuses_without_a_traceback(tmp_path):
    (tmp_path / "table.tsv").write_text("english\tgerman\nThe dog bit the ball.\tDer Hund biss in den Ball.\n")
    command = [sys.executable, "-m", "corpora.scenes", str(tmp_path / "made"), "--test", "9"]
    subprocess.run([*command, "--n", "30", "--apart", str(tmp_path / "table.tsv")], cwd=ROOT, check=True)
    lines = {name: (tmp_path / "made" / name).read_text().splitlines() for name in ("train.en", "train.de", "test.de")}
    assert [len(text) for text in lines.values()] == [30, 30, 9]
    (tmp_path / "other.tsv").write_text("german\nHallo.\n")
    tables = {name: ["--apart", str(tmp_path / name)] for name in ("no.tsv", "other.tsv")}
    for wrong, problem in (
        (["--n", "0"], "at least 1 pair"), (tables["no.tsv"], "no.tsv"), (tables["other.tsv"], "no column english;"),
    ):  # fmt: skip
        refused = subprocess.run([*command, *wrong], cwd=ROOT, capture_output=True, text=True)
        assert refused.returncode == 2 and problem in refused.stderr.splitlines()[-1]


# ─── Other beginnings ────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def both(train):
    """The same nouns and ends, as their scenes begin and with other beginnings."""
    return list(zip(train, scenes.sample(3000, seed=2, loose=0.6), strict=True))


@pytest.fixture(scope="module")
def loose(both):
    return [other for own, other in both if own != other]


def test_a_share_of_the_ends_that_stand_alone_gets_another_beginning_and_nothing_else_changes(both, loose):
    alone = [own.reason[0] == "." and not re.search(r"\b(he|she|his|her|they)\b", own.reason, re.I) for own, _ in both]
    assert 0.55 < len(loose) / sum(alone) < 0.65
    beginnings = {english for english, _ in scenes.frames()}
    for (own, other), may in zip(both, alone, strict=True):
        assert own == other or (may and other.frame in beginnings)
        assert own == replace(other, english=own.english, german=own.german, frame=own.frame)


def test_behind_another_beginning_the_noun_meant_comes_first_as_often_as_second(loose):
    first = [x.english.index(x.meant.english) < x.english.index(x.other.english) for x in loose]
    assert 0.45 < sum(first) / len(first) < 0.55 and len(first) > 500


def test_every_beginning_has_both_nouns_in_both_languages_and_tells_them_as_the_grammar_wants(loose):
    for english, german in scenes.frames():
        nouns = re.findall(r"\[([AB])", english)
        assert sorted(nouns) == ["A", "B"] and re.findall(r"\[([AB])", german) == nouns
    assert len(set(scenes.frames())) == 2 * len(scenes.FRAMES.strip().splitlines())
    for x in loose:
        assert "[" not in x.english + x.german and x.meant.gender != x.other.gender
        assert x.pronoun in IT[x.meant.gender].split() and re.search(rf"\b{x.pronoun}\b", x.german, re.I)


def test_a_share_that_is_none_is_refused():
    with pytest.raises(ValueError, match="from 0 to 1"):
        next(scenes.examples(loose=1.5))
