"""*It*, told in many ways: the pronoun agrees, the meaning decides, and what is held out stays out."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from corpora import antecedent_tales as tales
from corpora import antecedent_words as words
from corpora.antecedents import Narrator, adjective, all_tales, differ, happenings, kinds, sample
from corpora.clauses import people, rows, verb
from corpora.pronouns import IT, SHOWN, Example, is_held_out, nouns, reasons

ROOT = Path(__file__).parent.parent
OWN = {"m": ("sein", "seine"), "f": ("ihr", "ihre"), "n": ("sein", "seine")}  # of its parts


@pytest.fixture(scope="module")
def train() -> list[Example]:
    return sample(2000, seed=4)


@pytest.fixture(scope="module")
def held_out() -> list[Example]:
    return sample(40, seed=4, split="test")


# ─── Tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_every_kind_has_nouns_of_two_genders_and_its_words_have_their_german():
    for kind in kinds().values():
        assert len({noun.gender for noun in kind.nouns}) >= 2, kind.name
        for word in kind.adjectives("good", "bad", "own"):
            assert adjective(word)[0][1].startswith("sein "), (kind.name, word)
        for table in ("does", "done"):
            assert kind.rows(table), kind.name


def test_every_row_has_a_verb_with_a_past_and_a_participle():
    tables = [
        table for scenes in (words.GET, words.RID, words.MEET, words.STANDS, words.DONE) for table in scenes.values()
    ]
    tables += [kind.tables[name] for kind in kinds().values() for name in ("does", "done")]
    for _, german in [row for table in tables for row in rows(table)] + [rows(row)[0] for *_, row in words.SCENES]:
        found = verb(german.split()[0])
        assert re.fullmatch(r"[a-zäöüß]+", found.past + found.participle) and found.past != found.third, german


def test_a_scene_brings_two_kinds_that_can_be_told_apart():
    """What one does, and what is done with it, is said of the other in no scene."""
    for _, ones, others, table in words.SCENES:
        pairs = [(kinds()[one], kinds()[other]) for one in ones.split() for other in others.split() if one != other]
        assert pairs, table
        for one, other in pairs:
            assert any(not other.says("done", row[0]) for row in one.rows("done")), (table, one.name, other.name)


def test_no_event_gives_both_of_its_nouns_the_same_reason():
    for event in happenings():
        a, b = ({word for _, word in side} for side in (event.a, event.b))
        assert a | b <= set(reasons()), event.row
        assert (not event.name and not a & b) or event.name, event.row


def test_a_tale_has_nouns_that_differ_and_turns_that_are_of_one_of_them_alone():
    assert len(all_tales()) > 100
    for tale in all_tales():
        assert sum(differ(a, b) for a in tale.a for b in tale.b) >= 4, tale.row
        ones, others = ({(turn.joint, turn.negated, turn.row) for turn in side} for side in tale.turns)
        assert len(ones) > 1 and len(others) > 1 and not ones & others, tale.row
        for turn in (turn for side in tale.turns for turn in side):
            relation, names = tales.JOINTS[turn.joint]
            assert {*names.split(", ")} <= {*words.JOINTS[relation]}, turn
            assert " -" in turn.row[1] or not turn.negated, turn
            assert bool(re.search(r"\bI\b", turn.row[0])) == bool(re.search(r"\bI[134]\b", turn.row[1])), turn


def test_everybody_has_a_pronoun_and_what_is_theirs():
    for who in (*people(words.WHO), *people(words.OTHERS)):
        assert who.person in (1, 2, 3, 4, 6) and all(who.again) and all(who.whose)


# ─── German ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_no_mark_of_the_tables_is_left_in_a_sentence(train, held_out):
    for example in train + held_out:
        for text in (example.english, example.german):
            assert text[0] in '"„' or text[0].isupper(), text
            assert text[-1] in '.“"' and "  " not in text and " ," not in text, text
            assert not re.search(r"[{}_|=]|\b[ABI][134]\b|\bB\b| -[^ ]", text), text


def test_main_clauses_begin_with_a_capital(train):
    for example in train:
        assert not re.search(r"[.?!] (- )?[a-zäöü]", example.german + " " + example.english), example


def test_a_mass_has_no_indefinite_article(train):
    mass = rf"\ba ({'|'.join(words.MASS.split())})\b(?! (tree|machine)\b)"
    for example in train:
        assert not re.search(mass, example.english), example.english


def test_a_vowel_takes_an(train):
    for example in train:
        assert not re.search(r"\ba [aeio]|\ban [^aeiou]", example.english, re.IGNORECASE), example.english


# ─── The truth ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_pronoun_has_the_gender_of_the_noun_meant_and_not_of_the_other(train, held_out):
    for example in train + held_out:
        assert example.pronoun in (*IT[example.meant.gender].split(), *OWN[example.meant.gender]), example
        assert example.pronoun in re.findall(r"\w+", example.german.lower()), example
        if example.other:
            assert example.other.gender != example.meant.gender


def test_both_nouns_stand_in_both_sentences(train, held_out):
    for example in train + held_out:
        for noun in filter(None, (example.meant, example.other)):
            assert re.search(rf"\b{noun.english}\b", example.english, re.IGNORECASE), example
            assert noun.german in example.german or noun.oblique in example.german, example


def test_a_predicate_of_one_kind_is_not_said_of_the_other(train):
    """*It was translated* is the letter's, whatever it was put into."""
    scenes = {rows(table)[0][0]: (ones, others) for _, ones, others, table in words.SCENES}
    for example in train:
        if example.other and example.frame.startswith("two "):
            kind_names = " ".join(scenes[example.frame[4:].partition(" | ")[0]]).split()
            others = [kinds()[name] for name in kind_names if example.other in kinds()[name].nouns]
            meant = [kinds()[name] for name in kind_names if example.meant in kinds()[name].nouns]
            assert any(not kind.says("done", example.reason) for kind in others), example
            assert meant, example


def test_er_ihn_sie_and_es_all_come_often(train):
    """Masculine a little more, as it has two forms."""
    share = Counter(example.pronoun for example in train)
    assert all(0.15 < share[pronoun] / len(train) < 0.35 for pronoun in ("er", "ihn", "sie", "es")), share
    gender = Counter(example.meant.gender for example in train)
    assert gender["m"] > gender["f"] > gender["n"] > 0.22 * len(train)


def test_the_antecedent_comes_first_and_second_and_behind(train):
    two = [example for example in train if example.other]
    assert 0.55 < len(two) / len(train) < 0.7
    places = [
        (e.english.find(e.meant.english), e.english.find(e.other.english), e.english.lower().find("it ")) for e in two
    ]
    assert 0.4 < sum(meant < other for meant, other, _ in places) / len(two) < 0.7
    assert sum(0 <= it < meant for meant, _, it in places) > 20


def test_many_wordings_are_told(train):
    """No frame has a twentieth of the sentences; there are hundreds."""
    frames = Counter(example.frame for example in train)
    assert len(frames) > 1000 and max(frames.values()) < len(train) / 20
    assert len({example.frame.rpartition(" | ")[2] for example in train}) > 40


def test_a_twin_differs_in_one_english_word_and_means_the_other_noun(train, held_out):
    paired = [example for example in train + held_out if example.twin]
    assert len(paired) > 50
    for example in paired:
        assert (example.twin.meant, example.twin.other) == (example.other, example.meant)
        if example.frame.startswith("tale "):  # the whole clause with *it* is another
            assert example.frame == example.twin.frame and example.reason != example.twin.reason
            continue
        pairs = zip(example.english.split(), example.twin.english.split(), strict=True)
        changed = [(a.strip(".,"), b.strip(".,")) for a, b in pairs if a != b]
        assert changed == [(example.reason, example.twin.reason)]


# ─── Held out ────────────────────────────────────────────────────────────────────────────────────────────────────────
def keys(example: Example) -> tuple[str, ...]:
    return example.keys if example.other else example.keys[1:]


def test_training_uses_nothing_held_out_and_a_test_sentence_nothing_else(train, held_out):
    for example in train:
        assert not any(map(is_held_out, keys(example))), example
    for example in held_out:
        assert all(map(is_held_out, keys(example))), example


def test_what_the_pronoun_sentences_hold_out_is_held_out_here(train):
    """A frame of theirs, said with the same joint, and their pairs and reasons."""
    joints = {"two sentences": "full stop"}
    moods = {"past": ("did", "not"), "spoken": ("did", "not"), "present": ("did", "not"), "could": ("could",),
             "can": ("could",), "wanted": ("wanted",), "wants": ("wanted",)}  # fmt: skip
    names = {event.row[0]: event.name for event in happenings() if event.name}
    rows_once = {row for row, n in Counter(event.row[0] for event in happenings()).items() if n == 1}
    for example in train:
        scene, _, joint = example.frame.partition(" | reason ")
        if scene.startswith("cause "):
            row, _, mood = scene[6:].rpartition(" ")
            if row in names and row in rows_once:
                said = moods[mood][-1] if " not " in example.english or "n't" in example.english else moods[mood][0]
                assert not is_held_out(f"frame {names[row]} | {said} | {joints.get(joint, joint)}"), example


def test_no_split_repeats_a_sentence_and_the_seed_decides_which_come():
    assert sample(40, 1) == sample(40, 1) != sample(40, 2)
    english = [example.english for example in sample(300, 1)]
    assert len(set(english)) == 300


def test_an_unknown_split_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="'valid'; choose train or test"):
        Narrator(0, "valid")


# ─── The documents' examples ─────────────────────────────────────────────────────────────────────────────────────────
def test_no_sentence_of_the_documents_is_told_nor_their_animal_beside_their_street(train, held_out):
    for example in train + held_out:
        assert example.english not in SHOWN
        assert {"animal", "street"} != {noun.english for noun in (example.meant, example.other) if noun}


# ─── Nouns ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_noun_of_a_kind_is_written_with_one_gender():
    genders: dict[str, set[str]] = {}
    for kind in kinds().values():
        for noun in kind.nouns:
            genders.setdefault(noun.german, set()).add(noun.gender)
    assert {german for german, every in genders.items() if len(every) > 1} == set()
    assert len(genders) > 400 and nouns("writing")


# ─── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_command_adds_to_a_folder_and_refuses_no_sentences_without_a_traceback(tmp_path):
    base = tmp_path / "base"
    base.mkdir()
    for name, text in (("train.en", "I am a teacher.\nHello.\n"), ("train.de", "Ich bin Lehrer.\nHallo.\n"),
                       ("valid.en", "Bye.\n"), ("valid.de", "Tschüss.\n")):  # fmt: skip
        (base / name).write_text(text, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "corpora.antecedents",
        str(tmp_path / "out"),
        "--test",
        "1",
        "--into",
        str(base),
        "--n",
    ]
    assert subprocess.run([*command, "3"], cwd=ROOT, capture_output=True, timeout=120).returncode == 0
    lines = (tmp_path / "out" / "train.en").read_text(encoding="utf-8").splitlines()
    assert lines == ["Hello.", *(example.english for example in sample(3))]
    refused = subprocess.run([*command, "0"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2 and "n is 0 and test" in refused.stderr and "ask for at least 1" in refused.stderr
    assert "Traceback" not in refused.stderr
