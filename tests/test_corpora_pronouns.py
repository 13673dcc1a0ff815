"""Sentences with a pronoun: their German is right, the truth they carry is true, and what is held out stays out."""

import csv
import gzip
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from corpora import pronouns
from corpora.pronouns import (
    EVENTS,
    IT,
    NOUNS,
    SHOWN,
    THE,
    Example,
    Speaker,
    is_held_out,
    lexicon_sentences,
    nouns,
    reasons,
    sample,
    write,
)

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def train() -> list[Example]:
    return sample(1500, seed=4)


@pytest.fixture(scope="module")
def held_out() -> list[Example]:
    return sample(120, seed=4, split="test")


# ─── Words ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_there_are_more_than_three_hundred_nouns_and_each_gender_has_its_share():
    """Each kind of noun brings at least two genders, so that two nouns can differ."""
    every = {(noun.english, noun.german): noun.gender for kind in NOUNS for noun in nouns(kind)}
    count = Counter(every.values())
    assert len(every) > 300 and min(count.values()) > 80
    for kind in NOUNS:
        assert len({noun.gender for noun in nouns(kind)}) >= 2, kind


def test_a_noun_has_one_gender_wherever_it_is_written():
    genders: dict[str, set[str]] = {}
    for kind in NOUNS:
        for noun in nouns(kind):
            genders.setdefault(noun.german, set()).add(noun.gender)
    assert {german for german, g in genders.items() if len(g) > 1} == {"Band"}  # das Band a ribbon, die Band musicians


def test_every_reason_of_every_frame_has_its_german():
    """And no frame gives both of its nouns the same reason, which would fit either."""
    for event in EVENTS:
        words = [{word.strip() for row in table.values() for word in row.split(",")} for table in (event.a, event.b)]
        assert words[0] | words[1] - {""} <= set(reasons()), event.name
        assert event.name == "accept gladly" or not words[0] & words[1], event.name


def test_nouns_are_declined_with_their_article():
    """By hand, nominative, accusative and dative; weak nouns take -n or -en."""
    by_hand = {
        "bear": "der Bär, den Bären, dem Bären",
        "goat": "die Ziege, die Ziege, der Ziege",
        "pony": "das Pony, das Pony, dem Pony",
    }
    animals = {noun.english: noun for noun in nouns("animal")}
    for english, forms in by_hand.items():
        assert ", ".join(pronouns.Phrase(animals[english]).german(case) for case in "143") == forms
    dog = pronouns.Phrase(animals["dog"], "my", ("black", "schwarz"))
    assert [dog.german(case) for case in "143"] == [
        "mein schwarzer Hund",
        "meinen schwarzen Hund",
        "meinem schwarzen Hund",
    ]


# ─── German ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def spoken(name: str, joint: str, meant_a: bool, a: str, b: str, word: str, past: bool = True, mood: str = "") -> str:
    """One plan, said: "English | German"."""
    event = next(event for event in EVENTS if event.name == name)
    one = next(noun for kind in event.a for noun in nouns(kind) if noun.english == a)
    two = next(noun for kind in event.b for noun in nouns(kind) if noun.english == b)
    person = pronouns.Person("we", "wir", 4) if event.subject == "S" else None
    plan = pronouns.Plan(
        event, mood or event.moods.split()[0], joint, past, pronouns.Phrase(one), pronouns.Phrase(two), person,
        meant_a, reasons()[word], "too",
    )  # fmt: skip
    example = plan.example()
    return f"{example.english} | {example.german}"


@pytest.mark.parametrize(
    "arguments, text",
    [
        (("jump over", "because", True, "goat", "wall", "tired"),
         "The goat did not jump over the wall because it was too tired. | "
         "Die Ziege sprang nicht über die Mauer, weil sie zu müde war."),
        (("cross", "because first", False, "dog", "meadow", "wide"),
         "Because it was too wide, the dog did not cross the meadow. | "
         "Weil sie zu breit war, überquerte der Hund die Wiese nicht."),
        (("cut", "for", False, "bread", "saw", "blunt"),
         "We could not cut the bread with the saw, for it was too blunt. | "
         "Wir konnten das Brot nicht mit der Säge schneiden, denn sie war zu stumpf."),
        (("pull", "so that", False, "donkey", "boat", "heavy", True, "could"),
         "The boat was so heavy that the donkey could not pull it. | "
         "Das Boot war so schwer, dass der Esel es nicht ziehen konnte."),
        (("pull", "so that", True, "donkey", "boat", "weak", True, "could"),
         "The donkey was so weak that it could not pull the boat. | "
         "Der Esel war so schwach, dass er das Boot nicht ziehen konnte."),
        (("reject", "as", True, "bank", "plan", "strict"),
         "The bank rejected the plan, as it was too strict. | Die Bank lehnte den Plan ab, da sie zu streng war."),
        (("look at", "full stop", False, "cat", "star", "bright", False),
         "The cat looks at the star. It is too bright. | Die Katze sieht den Stern an. Er ist zu hell."),
        (("sell and buy", "because", False, "car", "bicycle", "cheap"),
         "We sold the car and bought the bicycle because it was too cheap. | "
         "Wir verkauften das Auto und kauften das Fahrrad, weil es zu billig war."),
    ],
)  # fmt: skip
def test_the_order_of_the_german_clause_is_right(arguments, text):
    """Verb last behind weil, second in a main clause, first where the reason comes first; particles where they go."""
    english_and_german = spoken(*arguments)
    assert english_and_german == text


def test_every_sentence_begins_with_a_capital_and_ends_with_a_full_stop(train, held_out):
    for example in train + held_out:
        for text in (example.english, example.german):
            assert text[0].isupper() and text.endswith(".") and "  " not in text and " ," not in text, text
            assert not re.search(r"[{}_|]|\b[AB][34]?\b", text.replace("A ", "", 1)), text


def test_a_preposition_and_its_article_are_one_word_where_german_says_so(train):
    for example in train:
        assert not re.search(r"\b(in|an|von) dem\b|\b(in|an) das\b", example.german), example.german


# ─── The truth ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_pronoun_has_the_gender_of_the_noun_meant_and_not_of_the_other(train, held_out):
    for example in train + held_out:
        assert example.pronoun in IT[example.meant.gender].split()
        assert example.pronoun in re.findall(r"\w+", example.german.lower())
        if example.other:
            assert example.other.gender != example.meant.gender


def test_both_nouns_stand_in_both_sentences(train, held_out):
    for example in train + held_out:
        for noun in filter(None, (example.meant, example.other)):
            assert re.search(rf"\b{noun.english}\b", example.english, re.IGNORECASE)
            assert noun.german in example.german or noun.oblique in example.german


def test_a_twin_differs_in_one_english_word_and_means_the_other_noun(train, held_out):
    """Whose own twin is the first again."""
    paired = [example for example in train + held_out if example.twin]
    assert len(paired) > 600
    for example in paired:
        twin = example.twin
        pairs = zip(example.english.split(), twin.english.split(), strict=True)
        changed = [(a.strip(".,"), b.strip(".,")) for a, b in pairs if a != b]
        assert changed == [(example.reason, twin.reason)]
        assert (twin.meant, twin.other) == (example.other, example.meant)
        assert twin.twin.english == example.english


def test_er_sie_and_es_come_equally_often(train):
    share = Counter(example.meant.gender for example in train)
    assert all(0.28 < share[gender] / len(train) < 0.39 for gender in THE)


def test_the_antecedent_comes_first_and_second_subject_and_object(train):
    """*It* stands for the noun said first and for the one said second, before the nouns and behind them."""
    two = [example for example in train if example.other]
    first = [
        example.english.find(example.meant.english) < example.english.find(example.other.english) for example in two
    ]
    assert 0.35 < sum(first) / len(two) < 0.65
    joints = Counter(example.frame.rpartition(" | ")[2] for example in train)
    assert {"because", "as", "since", "for", "full stop", "because first", "so that", "although"} <= set(joints)
    assert sum(example.pronoun in ("ihn", "ihm") for example in train) > 20


# ─── Held out ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_training_uses_no_held_out_pair_reason_or_frame(train):
    for example in train:
        keys = example.keys if example.other else example.keys[1:]
        assert not any(map(is_held_out, keys)), example


def test_a_test_sentence_and_its_twin_hold_out_all_three(held_out):
    for example in held_out:
        assert example.twin and all(map(is_held_out, (*example.keys, *example.twin.keys)))


def test_no_pair_reason_or_frame_of_the_test_is_met_in_training(train, held_out):
    """Said once more without the hash: the sets that come about do not meet."""
    for index in range(3):
        met = {example.keys[index] for example in train if example.other or index}
        assert met.isdisjoint(example.keys[index] for example in held_out)


def test_no_split_repeats_a_sentence_and_the_seed_decides_which_come():
    assert sample(40, 1) == sample(40, 1) != sample(40, 2)
    english = [example.english for example in sample(300, 1)]
    assert len(set(english)) == 300


def test_an_unknown_split_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="'valid'; choose train or test"):
        Speaker(0, "valid")


# ─── The documents' examples ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_documents_sentences_do_not_occur_but_their_words_do(train):
    lexicon = lexicon_sentences(800, seed=4)
    english = " ".join(pair[0] for pair in lexicon).lower()
    assert not {pair[0] for pair in lexicon} & SHOWN and not {example.english for example in train} & SHOWN
    for word in ("stray cat", "teacher", "student", "law", "application", "its application", "missing", "in my opinion",
                 "making", "more difficult", "registration", "voting process", "new voters", "spirit", "majority",
                 "passed", "never be perfect", "should be just", "2009", "american"):  # fmt: skip
        assert word in english, word


def test_an_animal_and_a_street_are_never_weighed_against_each_other(train, held_out):
    """The documents' demonstration is theirs: the pair is in neither split."""
    for example in train + held_out:
        assert {"animal", "street"} != {noun.english for noun in (example.meant, example.other) if noun}


@pytest.mark.parametrize(
    "english, german",
    [
        ("In my opinion, the result is cheap.", "Meiner Meinung nach ist das Ergebnis billig."),
        (
            "The rain makes the registration process more difficult.",
            "Der Regen macht das Anmeldeverfahren schwieriger.",
        ),
        ("I found a stray cat in the garden.", "Ich habe eine streunende Katze im Garten gefunden."),
        ("A stray cat followed the farmer.", "Eine streunende Katze folgte dem Bauern."),
    ],
)
def test_the_lexicons_german_is_right(english, german):
    """By hand, of each kind one."""
    assert dict(lexicon_sentences(4000, seed=0))[english] == german


def test_a_possessive_has_the_gender_of_its_owner_and_the_ending_of_what_is_owned():
    for english, german in lexicon_sentences(400, seed=1):
        if found := re.search(r"^(?:In my opinion, )?the (\w+) .*\bbut its", english, re.IGNORECASE):
            whole = dict(pronouns.entries(pronouns.WHOLES))[found[1]]
            assert ("aber ihr" if whole.startswith("die") else "aber sein") in german


# ─── Files ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_mixture_is_the_corpus_without_the_documents_sentences_and_then_the_pairs(tmp_path):
    base = tmp_path / "base"
    base.mkdir()
    for name, text in (("train.en", "I am a teacher.\nHello.\n"), ("train.de", "Ich bin Lehrer.\nHallo.\n"),
                       ("valid.en", "Bye.\n"), ("valid.de", "Tschüss.\n")):  # fmt: skip
        (base / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    write(tmp_path / "mixed", n=5, lexicon=3, into=base, n_test=2)
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in (tmp_path / "mixed").iterdir()}
    assert {name: len(text) for name, text in lines.items()} == {
        "train.en": 9, "train.de": 9, "valid.en": 1, "valid.de": 1, "test.en": 2, "test.de": 2,
    }  # fmt: skip
    assert lines["train.en"][0] == "Hello." and lines["valid.de"] == ["Tschüss."]
    assert lines["train.en"][1:6] == [example.english for example in sample(5)]


def test_the_command_writes_the_files_and_refuses_no_sentences_without_a_traceback(tmp_path):
    command = [sys.executable, "-m", "corpora.pronouns", str(tmp_path / "out"), "--lexicon", "2", "--test", "1", "--n"]
    assert subprocess.run([*command, "2"], cwd=ROOT, capture_output=True, timeout=120).returncode == 0
    assert len((tmp_path / "out" / "train.de").read_text(encoding="utf-8").splitlines()) == 4
    refused = subprocess.run([*command, "0"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2 and "n is 0 and test 1; ask for at least 1" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_folder_to_add_to_that_is_not_right_is_named_with_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match=r"train\.en \(or \.gz\) cannot be read .* is it there"):
        pronouns.read_pairs(tmp_path, "train")
    (tmp_path / "train.en").write_text("One.\nTwo.\n")
    (tmp_path / "train.de.gz").write_bytes(gzip.compress(b"Eins.\n")[:-6])
    with pytest.raises(ValueError, match=r"train\.de \(or \.gz\) cannot be read"):
        pronouns.read_pairs(tmp_path, "train")
    (tmp_path / "train.de.gz").write_bytes(gzip.compress(b"Eins.\n"))
    with pytest.raises(ValueError, match=r"train\.en has 2 lines and train\.de 1; they must match"):
        pronouns.read_pairs(tmp_path, "train")
    with pytest.raises(ValueError, match="n is 5 and n_test -1; ask for at least 1 pair, and 0"):
        write(tmp_path / "out", n=5, n_test=-1)


# ─── Sentences by hand ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("table, n", [("by_hand", 60), ("everyday", 130)])
def test_the_sentences_by_hand_are_twins_whose_pronoun_has_the_gender_of_what_is_meant(table: str, n: int) -> None:
    """Each table by someone who had seen no generator, nor the other table; no model was trained on them."""
    with (Path(__file__).parent / f"pronouns_{table}.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == n
    of_article = {"der": {"er", "ihn"}, "die": {"sie"}, "das": {"es"}}
    for one, twin in zip(rows[::2], rows[1::2], strict=True):
        assert (one["antecedent_german"], one["other_german"]) == (twin["other_german"], twin["antecedent_german"])
        for row in (one, twin):
            assert row["pronoun_german"] in of_article[row["antecedent_german"].split()[0]]
            assert row["pronoun_german"] in re.findall(r"\w+", row["reference"].lower())
