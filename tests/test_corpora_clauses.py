"""Clauses in both languages: the forms of verbs, the words around a noun, and the orders of German."""

import pytest

from corpora import pronouns
from corpora.clauses import (
    Joint,
    Named,
    Said,
    Who,
    ing,
    it,
    past,
    people,
    pronoun_of,
    sentence,
    third,
    verb,
)
from corpora.pronouns import Noun

LETTER = Noun("letter", "Brief", "Brief", "m", "text")
BOX = Noun("box", "Kiste", "Kiste", "f", "container")
KNIFE = Noun("knife", "Messer", "Messer", "n", "blade")
LION = Noun("lion", "Löwe", "Löwen", "m", "animal")
ME, WE, YOU, TOM = people("I = ich 1 I ich my mein; we = wir 4 we wir our unser; you = du 2 you du your dein; "
                         "Tom = Tom 3 he er his sein")  # fmt: skip


# ─── Verbs ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "infinitive, forms",
    [
        ("kaufen", "kaufe kaufst kauft kaufen kaufte gekauft haben"),
        ("arbeiten", "arbeite arbeitest arbeitet arbeiten arbeitete gearbeitet haben"),
        ("öffnen", "öffne öffnest öffnet öffnen öffnete geöffnet haben"),
        ("bügeln", "bügle bügelst bügelt bügeln bügelte gebügelt haben"),
        ("füttern", "füttere fütterst füttert füttern fütterte gefüttert haben"),
        ("reparieren", "repariere reparierst repariert reparieren reparierte repariert haben"),
        ("verstecken", "verstecke versteckst versteckt verstecken versteckte versteckt haben"),
        ("putzen", "putze putzt putzt putzen putzte geputzt haben"),
        ("lesen", "lese liest liest lesen las gelesen haben"),
        ("fahren", "fahre fährst fährt fahren fuhr gefahren sein"),
        ("behalten", "behalte behältst behält behalten behielt behalten haben"),
        ("erben", "erbe erbst erbt erben erbte geerbt haben"),  # no er- before the verb
        ("wollen", "will willst will wollen wollte gewollt haben"),
        ("sein", "bin bist ist sind war gewesen sein"),
        ("haben", "habe hast hat haben hatte gehabt haben"),
        ("werden", "werde wirst wird werden wurde geworden sein"),
    ],
)
def test_german_verbs_have_their_forms_by_rule_or_by_table(infinitive, forms):
    """By hand: ich, du, er, wir, the past, the participle, and the verb of the perfect."""
    found = verb(infinitive)
    spoken = [found.finite(person, in_past=False) for person in (1, 2, 3, 4)]
    assert " ".join([*spoken, found.past, found.participle, found.helper]) == forms


@pytest.mark.parametrize(
    "bare, forms",
    [
        ("carry", "carries carried carried carrying"),
        ("buy", "buys bought bought buying"),
        ("put", "puts put put putting"),
        ("stop", "stops stopped stopped stopping"),
        ("lie", "lies lay lain lying"),
        ("see", "sees saw seen seeing"),
        ("wash", "washes washed washed washing"),
        ("give", "gives gave given giving"),
    ],
)
def test_english_verbs_have_their_forms(bare, forms):
    assert " ".join([third(bare), *past(bare), ing(bare)]) == forms


def test_the_verbs_of_the_pronoun_sentences_come_out_as_their_tables_have_them():
    for event in pronouns.EVENTS:
        infinitive, today, before = event.german.partition(": ")[0].split()
        assert (verb(infinitive).third, verb(infinitive).past) == (today, before)
        bare, today, before = event.english.partition(": ")[0].split()
        assert (third(bare), past(bare)[0]) == (today, before)


# ─── Nouns ───────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "named, english, german",
    [
        (Named(LION), "the lion", "der Löwe, den Löwen, dem Löwen"),
        (Named(LION, ("a", ""), ("old", "alt")), "an old lion",
         "ein alter Löwe, einen alten Löwen, einem alten Löwen"),
        (Named(KNIFE, ("my", "mein"), ("new", "neu")), "my new knife",
         "mein neues Messer, mein neues Messer, meinem neuen Messer"),
        (Named(BOX, ("our", "unser")), "our box", "unsere Kiste, unsere Kiste, unserer Kiste"),
        (Named(KNIFE, ("that", ""), ("red", "rot")), "that red knife",
         "dieses rote Messer, dieses rote Messer, diesem roten Messer"),
    ],
)  # fmt: skip
def test_a_noun_stands_with_its_determiner_and_adjective(named, english, german):
    assert (named.english, ", ".join(named.german(case) for case in "143")) == (english, german)


# ─── Clauses ─────────────────────────────────────────────────────────────────────────────────────────────────────────
PUT = ("put A into B", "legen A4 - in B4")
TAKE_ALONG = ("take A along", "mit|nehmen A4 -")
SLOTS = {"A": Named(LETTER), "B": Named(BOX)}


@pytest.mark.parametrize(
    "said, english, main, subordinate",
    [
        (Said(PUT, TOM, "past"), "Tom put the letter into the box",
         "Tom legte den Brief in die Kiste", "Tom den Brief in die Kiste legte"),
        (Said(PUT, TOM, "perfect"), "Tom has put the letter into the box",
         "Tom hat den Brief in die Kiste gelegt", "Tom den Brief in die Kiste gelegt hat"),
        (Said(PUT, WE, "spoken", negated=True), "we did not put the letter into the box",
         "wir haben den Brief nicht in die Kiste gelegt", "wir den Brief nicht in die Kiste gelegt haben"),
        (Said(PUT, ME, "can", negated=True), "I cannot put the letter into the box",
         "ich kann den Brief nicht in die Kiste legen", "ich den Brief nicht in die Kiste legen kann"),
        (Said(TAKE_ALONG, TOM, "present"), "Tom takes the letter along",
         "Tom nimmt den Brief mit", "Tom den Brief mitnimmt"),
        (Said(TAKE_ALONG, YOU, "wants", negated=True), "you do not want to take the letter along",
         "du willst den Brief nicht mitnehmen", "du den Brief nicht mitnehmen willst"),
        (Said(TAKE_ALONG, WE, "past", adverb=("yesterday", "gestern")), "we took the letter along yesterday",
         "wir nahmen den Brief gestern mit", "wir den Brief gestern mitnahmen"),
        (Said(("steal", "stehlen"), it(KNIFE), "has been done"), "it has been stolen",
         "es ist gestohlen worden", "es gestohlen worden ist"),
        (Said(("be heavy", "sein schwer"), it(LETTER), "past", degree=("too", "zu")), "it was too heavy",
         "er war zu schwer", "er zu schwer war"),
    ],
)  # fmt: skip
def test_a_row_is_said_of_a_subject_in_a_mood(said, english, main, subordinate):
    told = said.told(**SLOTS)
    assert (told[0], told[1].main(), told[1].subordinate()) == (english, main, subordinate)


def test_an_adverb_stands_before_what_is_new():
    """*gestern einen Brief*, but *den Brief gestern*."""
    said = Said(TAKE_ALONG, WE, "past", adverb=("yesterday", "gestern"))
    assert said.told(A=Named(LETTER, ("a", "")))[1].main() == "wir nahmen gestern einen Brief mit"


def test_a_question_has_its_verb_first():
    assert Said(PUT, TOM, "past").english(SLOTS, asked=True) == "did Tom put the letter into the box"
    assert Said(PUT, TOM, "perfect").english(SLOTS, asked=True) == "has Tom put the letter into the box"


@pytest.mark.parametrize(
    "joint, mood, text",
    [
        (Joint("reason", "because"), "had to",
         "We took the letter along because we had to read it. | Wir nahmen den Brief mit, weil wir ihn lesen mussten."),
        (Joint("reason", "because first"), "wanted",
         "Because we wanted to read it, we took the letter along. | "
         "Weil wir ihn lesen wollten, nahmen wir den Brief mit."),
        (Joint("sequence", "and then"), "past",
         "We took the letter along, and then we read it. | Wir nahmen den Brief mit, und dann lasen wir ihn."),
        (Joint("sequence", "when first"), "past",
         "When we took the letter along, we read it. | Als wir den Brief mitnahmen, lasen wir ihn."),
        (Joint("consequence", "which is why"), "could",
         "We took the letter along, which is why we could read it. | "
         "Wir nahmen den Brief mit, weshalb wir ihn lesen konnten."),
        (Joint("purpose", "to"), "to",
         "We took the letter along to read it. | Wir nahmen den Brief mit, um ihn zu lesen."),
        (Joint("reason", "why"), "wanted",
         "We took the letter along. - Why? - Because we wanted to read it. | "
         "Wir nahmen den Brief mit. - Warum? - Weil wir ihn lesen wollten."),
    ],
)  # fmt: skip
def test_two_clauses_are_joined(joint, mood, text):
    second = Said(("read I", "lesen I4 -"), WE, mood).told(I=pronoun_of(LETTER))
    assert " | ".join(sentence(joint, Said(TAKE_ALONG, WE, "past").told(**SLOTS), second)) == text


def test_a_separable_verb_takes_its_zu_inside():
    english, german = Said(("put I on", "an|ziehen I4 -"), TOM, "to").told(I=pronoun_of(LETTER))
    assert (english, german.main()) == ("put it on", "ihn anzuziehen")


def test_a_preposition_and_its_article_are_one_word():
    first = Said(("lead to B", "führen zu B3"), Who("the path", "der Weg"), "past").told(B=Named(BOX))
    second = Said(("end", "enden"), it(LETTER), "past").told()
    assert sentence(Joint("addition", "and"), first, second)[1] == "Der Weg führte zur Kiste, und er endete."
