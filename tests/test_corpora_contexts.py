"""Real sentences of which a noun has become *it*: the pronoun agrees, and stands where a pronoun can."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from corpora.contexts import Reader, contexts, lexicon, sample, together
from corpora.pronouns import IT, is_held_out, pair_key

ROOT = Path(__file__).parent.parent
TEXT = [  # made for these tests
    ("Tom closed the window.", "Tom schloss das Fenster."),
    ("I have lost my old key.", "Ich habe meinen alten Schlüssel verloren."),
    ("The milk is sour.", "Die Milch ist sauer."),
    ("We painted the door.", "Wir strichen die Tür."),
    ("Where did you park your car?", "Wo hast du dein Auto geparkt?"),
    ("The train arrived late.", "Der Zug kam spät an."),
    ("I ate the apple.", "Ich aß den Apfel."),
    ("The book has two hundred pages.", "Das Buch hat zweihundert Seiten."),
    ("She knitted this scarf.", "Sie hat diesen Schal gestrickt."),
    ("Put the knife down!", "Leg das Messer hin!"),
    ("The lamp is broken.", "Die Lampe ist kaputt."),
    ("We climbed the mountain.", "Wir bestiegen den Berg."),
    ("The shirt doesn't fit me.", "Das Hemd passt mir nicht."),
    ("He read the letter aloud.", "Er las den Brief laut vor."),
    ("The soup smells good.", "Die Suppe riecht gut."),
    ("I met a dog on the bridge.", "Ich traf einen Hund auf der Brücke."),
    ("The dog barked all night.", "Der Hund bellte die ganze Nacht."),
    ("They built the bridge of stone.", "Sie bauten die Brücke aus Stein."),
    ("The house was sold.", "Das Haus wurde verkauft."),
    ("Please water the flower.", "Gieß bitte die Blume."),
    ("The key is in the car.", "Der Schlüssel ist im Auto."),
    ("I put the book next to the lamp.", "Ich legte das Buch neben die Lampe."),
    ("There is an apple on the shirt.", "Auf dem Hemd liegt ein Apfel."),
    ("The letter is behind the door.", "Der Brief ist hinter der Tür."),
]


@pytest.mark.parametrize(
    ("english", "german", "expected"),
    [
        ("Tom closed the window.", "Tom schloss das Fenster.", ("Tom closed {}.", "Tom schloss {}.", "es")),
        ("I lost my old key.", "Ich verlor meinen alten Schlüssel.", ("I lost {}.", "Ich verlor {}.", "ihn")),
        ("The milk is sour.", "Die Milch ist sauer.", ("{} is sour.", "{} ist sauer.", "sie")),
        ("The train is late.", "Der Zug ist spät dran.", ("{} is late.", "{} ist spät dran.", "er")),
        ("I saw the film today.", "Ich sah heute den Film.", ("I saw {} today.", "Ich sah {} heute.", "ihn")),
        ("He gave me the book.", "Er gab mir das Buch.", ("He gave me {}.", "Er gab {} mir.", "es")),
        ("I bought a lamp.", "Ich kaufte eine Lampe.", ("I bought {}.", "Ich kaufte {}.", "sie")),
        ("Put down the knife!", "Leg das Messer hin!", ("Put {} down!", "Leg {} hin!", "es")),
    ],
)
def test_a_noun_with_its_article_becomes_a_pronoun(english, german, expected):
    (context,) = contexts((english, german))
    assert (context.english, context.german, context.pronoun) == expected


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("I closed the window because it was cold.", "Ich schloss das Fenster, weil es kalt war."),  # another it
        ("We waited for the train.", "Wir warteten auf den Zug."),  # a preposition: darauf
        ("I trust the dog.", "Ich traue dem Hund."),  # a dative
        ("The roof of the house is red.", "Das Dach des Hauses ist rot."),  # a genitive goes on
        ("I saw the book that you read.", "Ich sah das Buch, das du liest."),  # a relative clause goes on
        ("Yesterday I gave Tom the book.", "Gestern gab ich Tom das Buch."),  # es does not stand behind a dative
        ("The teacher is tired.", "Der Lehrer ist müde."),  # no thing
        ("I painted the car door.", "Ich strich die Autotür."),  # another noun in German
        ("The book I read was long.", "Das Buch, das ich las, war lang."),
        ("Tom likes the {x}.", "Tom mag das {x}."),
    ],
)
def test_where_no_pronoun_could_stand_none_is_put(english, german):
    assert list(contexts((english, german))) == []


def test_an_example_has_both_nouns_of_two_genders_and_the_pronoun_of_the_one_meant():
    frames = set()
    for example in sample(TEXT, 200, seed=3):
        assert example.other is not None and example.meant.gender != example.other.gender
        assert example.pronoun in (IT[example.meant.gender].split())
        for noun in (example.meant, example.other):
            assert re.search(rf"\b{noun.english}\b", example.english, re.IGNORECASE), example
            assert noun.german in example.german or noun.oblique in example.german, example
        assert re.search(r"\bit\b", example.english, re.IGNORECASE), example
        assert re.search(rf"\b{example.pronoun}\b", example.german, re.IGNORECASE), example
        assert "{" not in example.english + example.german
        assert example.english[0].isupper() and example.german[0].isupper()
        frames.add(example.frame)
    assert len(frames) > 60 and "list two sentences" in frames


def test_a_sentence_of_the_text_that_has_both_nouns_is_used_as_it_stands():
    two = together(("I met a dog on the bridge.", "Ich traf einen Hund auf der Brücke."))
    assert {noun.german for noun in two} == {"Hund", "Brücke"}
    met = [example for example in sample(TEXT, 200) if example.frame.startswith("met ")]
    firsts = {(re.match(r".*?\.", example.english)[0], re.match(r".*?\.", example.german)[0]) for example in met}
    assert len(firsts) > 1 and firsts <= set(TEXT)


def test_a_statement_is_joined_on_with_the_german_verb_where_it_belongs():
    (context,) = contexts(("The train arrived late.", "Der Zug kam spät an."))
    english, clause = context.clause()
    assert english == "it arrived late" and clause.subordinate() == "er spät ankam"
    (context,) = contexts(("Where did you park your car?", "Wo hast du dein Auto geparkt?"))
    assert context.clause() is None and context.said() == ("Where did you park it?", "Wo hast du es geparkt?")


def test_neither_noun_is_the_likelier_one_before_the_second_sentence():
    """How often a noun is meant, of all examples that have it: one half each, within four standard errors."""
    counts: dict[str, list[int]] = {}
    for example in sample(TEXT, 1500, seed=1):
        counts.setdefault(example.meant.german, [0, 0])[0] += 1
        counts.setdefault(example.other.german, [0, 0])[1] += 1
    for noun, (meant, other) in counts.items():
        n = meant + other
        assert abs(meant - n / 2) < 4 * n**0.5 / 2, (noun, meant, other)


def test_what_is_held_out_of_training_is_in_no_training_sentence():
    for example in sample(TEXT, 200):
        assert not is_held_out(f"context {example.reason}")
        assert not is_held_out(pair_key(example.meant, example.other))


def test_the_same_seed_draws_the_same_and_another_seed_others():
    assert sample(TEXT, 20, seed=2) == sample(TEXT, 20, seed=2) != sample(TEXT, 20, seed=3)


def test_a_noun_of_the_lexicon_has_one_gender_but_for_a_band():
    genders: dict[str, set[str]] = {}
    for nouns in lexicon().values():
        for noun in nouns:
            genders.setdefault(noun.german, set()).add(noun.gender)
    assert {german for german, every in genders.items() if len(every) > 1} == {"Band"}  # das, of cloth; die, with music


def test_bad_input_is_refused_in_one_sentence():
    with pytest.raises(ValueError, match="choose train or test"):
        Reader(TEXT, split="dev")
    with pytest.raises(ValueError, match=r"No sentence of 1 pairs .* give more text"):
        Reader([("Hello.", "Hallo.")])
    with pytest.raises(ValueError, match=r"No two of 2 nouns differ in gender"):
        Reader([("The shirt fits.", "Das Hemd passt."), ("The book is red.", "Das Buch ist rot.")]).example()


def test_the_command_writes_a_folder_and_refuses_without_a_traceback(tmp_path):
    for side, column in (("en", 0), ("de", 1)):
        lines = "".join(pair[column] + "\n" for pair in TEXT)
        for split in ("train", "valid"):
            (tmp_path / f"{split}.{side}").write_text(lines, encoding="utf-8")
    command = [sys.executable, "-m", "corpora.contexts", str(tmp_path / "out"), "--data", str(tmp_path), "--test", "0"]
    run = subprocess.run([*command, "--n", "5", "--into", str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    lines = (tmp_path / "out" / "train.en").read_text(encoding="utf-8").splitlines()
    assert lines == [*(pair[0] for pair in TEXT), *(example.english for example in sample(TEXT, 5))]
    refused = subprocess.run([*command, "--n", "0"], cwd=ROOT, capture_output=True, text=True)
    assert refused.returncode == 2 and "n is 0 and test" in refused.stderr and "ask for at least 1" in refused.stderr
    assert "Traceback" not in refused.stderr
