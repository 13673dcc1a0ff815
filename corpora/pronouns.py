"""English sentences with a pronoun, their German, and what the pronoun stands for.

    python -m corpora.pronouns DIR [--n 18000] [--seed 0] [--into FOLDER]

*The goat did not jump over the wall because it was too tired / too high.* English says *it* either way; German has to
know: "weil sie zu müde war" is the goat, "weil sie zu hoch war" is the wall, and where the two nouns differ in gender
the pronouns differ. A test sentence brings two nouns of different gender and a word that fits one of them alone, so
the right pronoun is known; its twin is the same sentence with that one word changed, and the other noun is meant. For
training there are also sentences of one noun, one in five, and such as have no twin.

    1  Words         nouns with their gender, reasons, persons, as pronoun_words.py has them
    2  Frames        who does what with what, and which reasons are whose
    3  German        noun phrases, pronouns, and the three orders of a clause
    4  The example   a sentence, its translation, the two nouns, which is meant, and the twin
    5  The speaker   draws examples; what is held out of training
    6  The lexicon   other sentences, with the words that the project's own examples use
    7  Corpus        a folder of parallel text

Held out: one in six pairs of nouns, one in six reasons of a noun, one in six frames (what happens, with its mood and
the way the reason is joined on). A training sentence uses nothing that is held out; a test sentence, all three. Which
they are is fixed by a hash of the words, not by the seed.

    from corpora.pronouns import sample
    for example in sample(300, split="test"):     # each has a twin
        example.english, example.german, example.pronoun, example.meant, example.other, example.twin
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import itertools
import random
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.pronoun_words import (
    ADJECTIVES,
    FOLK,
    FOR_WHOM,
    HARDER,
    LOOKS,
    MAKERS,
    NOUNS,
    OWNED,
    PARTS,
    PASSED,
    PERSONS,
    PHRASES,
    QUALITIES,
    SHOWN,
    SIZES_AND_AGES,
    SPIRITS,
    STRAYS,
    TASKS,
    WHOLES,
    WITH_STRAYS,
)
from corpora.pronoun_words import EVENTS as ROWS

# ─── 1 Words ─────────────────────────────────────────────────────────────────────────────────────────────────────────
MOODS = {"not": 5, "could": 5, "wanted": 2, "although": 3, "did": 6}  # how often, where the frame knows them


@dataclass(frozen=True)
class Noun:
    """A noun in the singular: its gender is m, f or n; `oblique` is its form in accusative and dative."""

    english: str
    german: str
    oblique: str
    gender: str
    kind: str


@dataclass(frozen=True)
class Reason:
    """What is said of *it*: by a form of *be* (an adjective) or a verb of its own (a phrase)."""

    english: tuple[str, str]  # of today, of the past
    german: str
    verbs: tuple[str, str] = ("ist", "war")
    gradable: bool = False
    is_adjective: bool = True

    @property
    def word(self) -> str:
        return self.english[0]


@dataclass(frozen=True)
class Person:
    english: str
    german: str
    number: int


def entries(table: str) -> list[list[str]]:
    """ "a = b; c = d" as [[a, b], [c, d]]."""
    return [[" ".join(side.split()) for side in entry.split("=")] for entry in table.split(";") if entry.strip()]


@functools.cache
def nouns(kind: str) -> tuple[Noun, ...]:
    return read_nouns(NOUNS[kind], kind)


def read_nouns(table: str, kind: str) -> tuple[Noun, ...]:
    """ "goat = die Ziege; bear = der Bär Bären" as nouns."""
    read = []
    for english, german in entries(table):
        article, *forms = german.split()
        gender = {"der": "m", "die": "f", "das": "n"}[article]
        read.append(Noun(english, forms[0], forms[-1], gender, kind))
    return tuple(read)


@functools.cache
def reasons() -> dict[str, Reason]:
    """All of them, by their English word, or the phrase of today."""
    read = {}
    for english, german in entries(ADJECTIVES):
        read[english] = Reason((english, english), german.rstrip("!"), gradable=not german.endswith("!"))
    for english, german in entries(PHRASES):
        today, past = (form.strip() for form in english.split("|"))
        rest, *verbs = (form.strip() for form in german.split("|"))
        read[today] = Reason((today, past), rest, (verbs[0], verbs[1]), is_adjective=False)
    return read


@functools.cache
def persons() -> tuple[Person, ...]:
    return tuple(Person(english, german[:-2], int(german[-1])) for english, german in entries(PERSONS))


# ─── 2 Frames ────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Event:
    """What happens, or does not: A and B are nouns, S a person; a number is the case (3 dative, 4 accusative).

    english: verb (bare, of today, past) and the words behind. german: verb (infinitive, today, past; "an|sehen" is
    separable) and the words behind, where "-" is the place of *nicht*. a, b: reasons that fit this noun, by kind.
    """

    name: str
    subject: str
    english: str
    german: str
    moods: str
    a: dict[str, str]
    b: dict[str, str]
    degree: str = "too"  # for moods that say no; others have "very"


def event(name: str, subject: str, english: str, german: str, moods: str, a: str, b: str = "") -> Event:
    def split(table: str) -> dict[str, str]:
        rows = (row.partition(":") for row in table.split(";") if row.strip())
        return {" ".join(kind.split()): words for kind, _, words in rows}

    return Event(name, subject, english, german, moods, split(a), split(b))


EVENTS = [event(*row) for row in ROWS]


# ─── 3 German ────────────────────────────────────────────────────────────────────────────────────────────────────────
CASES = {"1": 0, "4": 1, "3": 2}
THE = {"m": "der den dem", "f": "die die der", "n": "das das dem"}
THIS = {"m": "dieser diesen diesem", "f": "diese diese dieser", "n": "dieses dieses diesem"}
MY = {"m": "mein meinen meinem", "f": "meine meine meiner", "n": "mein mein meinem"}
OUR = {"m": "unser unseren unserem", "f": "unsere unsere unserer", "n": "unser unser unserem"}
DETERMINERS = {"the": THE, "this": THIS, "my": MY, "our": OUR}
IT = {"m": "er ihn ihm", "f": "sie sie ihr", "n": "es es ihm"}
ENDINGS = {"m": "e en en", "f": "e e en", "n": "e e en"}  # of an adjective behind the or this
MIXED = {"m": "er en en", "f": "e e en", "n": "es es en"}  # behind my or our
CONTRACTED = {"in dem": "im", "an dem": "am", "von dem": "vom", "in das": "ins", "an das": "ans"}


def form(table: dict[str, str], gender: str, case: str) -> str:
    return table[gender].split()[CASES[case]]


@dataclass(frozen=True)
class Phrase:
    """A noun with its determiner and perhaps an adjective, (English, German)."""

    noun: Noun
    determiner: str = "the"
    look: tuple[str, str] | None = None

    @property
    def english(self) -> str:
        return " ".join([self.determiner, *([self.look[0]] if self.look else []), self.noun.english])

    def german(self, case: str) -> str:
        gender = self.noun.gender
        words = [form(DETERMINERS[self.determiner], gender, case)]
        if self.look:
            endings = MIXED if self.determiner in ("my", "our") else ENDINGS
            words.append(self.look[1] + form(endings, gender, case))
        return " ".join([*words, self.noun.german if case == "1" else self.noun.oblique])


@dataclass(frozen=True)
class Clause:
    """A German clause before its order: subject, finite verb, the middle, and what stands at the end."""

    subject: str
    finite: str
    middle: str
    end: str = ""
    joined: bool = False  # the end is a particle, written as one word with a verb that stands behind it

    def main(self) -> str:
        return joined(self.subject, self.finite, self.middle, self.end)

    def inverted(self) -> str:
        return joined(self.finite, self.subject, self.middle, self.end)

    def subordinate(self) -> str:
        last = self.end + self.finite if self.joined else joined(self.end, self.finite)
        return joined(self.subject, self.middle, last)


def joined(*words: str) -> str:
    return " ".join(word for word in words if word)


def finished(german: str) -> str:
    """Prepositions and articles drawn together, the first letter a capital."""
    for two, contracted in CONTRACTED.items():
        german = re.sub(rf"\b{two}\b", contracted, german)
    return capital(german)


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def plural(verb: str) -> str:
    """The past of wir and sie, from that of er."""
    return verb + ("n" if verb.endswith("e") else "en")


# ─── 4 The example ───────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Example:
    """A sentence with *it*, its translation, and the truth about both.

    meant, other: what *it* stands for, and the noun it might have stood for (None: there is but one). pronoun: the
    German one. reason: the English word that decides. frame: what happens, its mood, and how the reason is joined on.
    twin: the same beginning that goes on otherwise, here by one word, so that the other noun is meant; None where
    there is none.
    """

    english: str
    german: str
    meant: Noun
    other: Noun | None
    pronoun: str
    reason: str
    frame: str
    twin: Example | None = None

    @property
    def keys(self) -> tuple[str, str, str]:
        """What may be held out: the pair of nouns, the reason with its noun, the frame."""
        reason = f"reason {self.reason} {self.meant.english}"
        return pair_key(self.meant, self.other or self.meant), reason, f"frame {self.frame}"


def pair_key(one: Noun, two: Noun) -> str:
    return f"pair {sorted([one.english, two.english])}"


def reason_key(reason: Reason, noun: Noun) -> str:
    return f"reason {reason.word} {noun.english}"


@functools.cache
def is_held_out(key: str) -> bool:
    """One key in six, by its own hash."""
    return hashlib.sha256(key.encode()).digest()[0] % 6 == 0


JOINTS = {  # of main clause and reason: how often
    "because": 7, "as": 2, "since": 1, "for": 2, "full stop": 2, "because first": 1, "as first": 1, "so that": 3,
    "said": 1,
}  # fmt: skip
CONCESSIONS = {"although": 3, "even though": 1, "although first": 1}
OPENERS = (
    ("yesterday", "gestern", 1), ("this morning", "heute Morgen", 1), ("last night", "gestern Abend", 1),
    ("that day", "an diesem Tag", 1), ("today", "heute", 0), ("in the end", "am Ende", 1), ("at first", "zuerst", 1),
)  # fmt: skip
SAID = (
    ("Tom said that", "Tom sagte, dass"), ("I think that", "Ich glaube, dass"), ("we know that", "wir wissen, dass"),
    ("Mary told me that", "Maria sagte mir, dass"), ("I heard that", "ich habe gehört, dass"),
)  # fmt: skip
DEGREES = {"too": "zu", "very": "sehr", "so": "so", "": ""}


@dataclass(frozen=True)
class Plan:
    """All that was drawn for one sentence; `example` says it."""

    event: Event
    mood: str
    joint: str
    past: bool
    a: Phrase
    b: Phrase | None
    person: Person | None
    meant_a: bool
    reason: Reason
    degree: str
    opener: tuple[str, str] | None = None
    speech: tuple[str, str] | None = None
    short: bool = False  # didn't, it's

    @property
    def frame(self) -> str:
        return f"{self.event.name} | {self.mood} | {self.joint}"

    @property
    def meant(self) -> Phrase:
        return self.a if self.meant_a or self.b is None else self.b

    def english_clause(self, it: Phrase | None = None) -> str:
        """The main clause; `it` says which noun is to be *it*."""
        forms, _, rest = self.event.english.partition(": ")
        bare, today, past = forms.split()
        plural_today = self.person is not None and self.person.number != 3
        do = "did" if self.past else "do" if plural_today else "does"
        can = "could" if self.past else "cannot"
        verb = {
            "not": f"{do}n't {bare}" if self.short else f"{do} not {bare}",
            "could": f"{can}n't {bare}" if self.short and self.past else f"{can.replace('could', 'could not')} {bare}",
            "wanted": f"{do}n't want to {bare}" if self.short else f"{do} not want to {bare}",
        }.get(self.mood, past if self.past else bare if plural_today else today)
        subject = self.person.english if self.person else "it" if it is self.a else self.a.english
        for slot, phrase in (("A", self.a), ("B", self.b)):
            if phrase is not None:
                rest = re.sub(rf"\b{slot}\b", "it" if phrase is it else phrase.english, rest)
        return joined(subject, verb, rest)

    def german_clause(self, it: Phrase | None = None) -> Clause:
        forms, _, middle = self.event.german.partition(": ")
        infinitive, today, past = forms.split()
        particle, bar, infinitive = infinitive.rpartition("|")
        number = self.person.number if self.person else 3
        if self.mood in ("could", "wanted"):
            modal = {"could": ("kann", "konnte"), "wanted": ("will", "wollte")}[self.mood][self.past]
            finite = {"kann": "können", "will": "wollen"}.get(modal, plural(modal)) if number == 4 else modal
            end, one_word = particle + infinitive, False
        else:
            finite = plural(past) if number == 4 else past
            finite, end, one_word = finite if self.past else today, particle, bool(bar)
        for slot, phrase in (("A", self.a), ("B", self.b)):
            if phrase is not None:
                pronouns = IT[phrase.noun.gender].split()
                for case in "34":
                    text = pronouns[CASES[case]] if phrase is it else phrase.german(case)
                    middle = re.sub(rf"\b{slot}{case}\b", text, middle)
        middle = middle.replace("kaufte_", "kauften" if number == 4 else "kaufte")
        negated = "nicht" if self.mood in ("not", "could", "wanted") else ""
        middle = joined(*(negated if word == "-" else word for word in middle.split(" ")))
        subject = IT[self.a.noun.gender].split()[0] if it is self.a else self.a.german("1")
        return Clause(self.person.german if self.person else subject, finite, middle, end, one_word)

    def said_of(self, subject: tuple[str, str]) -> tuple[str, Clause]:
        """The reason, of *it* or of the noun: (English, German)."""
        degree = self.degree if self.reason.gradable else ""
        words = self.reason.english[self.past]
        if self.reason.is_adjective:
            be = "was" if self.past else "is"
            start = "it's" if self.short and not self.past and subject[0] == "it" else f"{subject[0]} {be}"
            words = joined(start, degree, words)
        else:
            words = f"{subject[0]} {words}"
        return words, Clause(subject[1], self.reason.verbs[self.past], joined(DEGREES[degree], self.reason.german))

    def example(self, twin: Example | None = None) -> Example:
        pronoun = IT[self.meant.noun.gender].split()[0]
        because, weil = self.said_of(("it", pronoun))
        english, german = self.english_clause(), self.german_clause()
        inverted, main, behind = german.inverted(), german.main(), weil.subordinate()
        if self.opener:
            english, main = f"{self.opener[0]}, {english}", f"{self.opener[1]} {inverted}"
        if self.joint == "because" and self.speech:
            english, main = f"{self.speech[0]} {english}", f"{self.speech[1]} {german.subordinate()}"
        if self.joint == "said":
            raise ValueError("The joint 'said' is 'because' with words before it.")
        if self.joint == "so that":
            start, es = replace(self, degree="so").said_of((self.meant.english, self.meant.german("1")))
            clause = self.german_clause(self.meant)
            inside = self.meant is not self.a or self.person is not None
            if inside:
                case = re.search(rf"\b{'A' if self.meant is self.a else 'B'}([34])", self.event.german)
                pronoun = form(IT, self.meant.noun.gender, case[1] if case else "4")
            sentences = f"{start} that {self.english_clause(self.meant)}.", f"{es.main()}, dass {clause.subordinate()}."
        else:
            sentences = {
                "because": (f"{english} because {because}.", f"{main}, weil {behind}."),
                "as": (f"{english}, as {because}.", f"{main}, da {behind}."),
                "since": (f"{english} since {because}.", f"{main}, da {behind}."),
                "for": (f"{english}, for {because}.", f"{main}, denn {weil.main()}."),
                "full stop": (f"{english}. {capital(because)}.", f"{main}. {capital(weil.main())}."),
                "because first": (f"because {because}, {english}.", f"weil {behind}, {inverted}."),
                "as first": (f"as {because}, {english}.", f"da {behind}, {inverted}."),
                "although": (f"{english} although {because}.", f"{main}, obwohl {behind}."),
                "even though": (f"{english} even though {because}.", f"{main}, obwohl {behind}."),
                "although first": (f"although {because}, {english}.", f"obwohl {behind}, {inverted}."),
            }[self.joint]
        other = None if self.b is None else (self.b if self.meant is self.a else self.a).noun
        written = capital(sentences[0]), finished(sentences[1])
        return Example(*written, self.meant.noun, other, pronoun, self.reason.word, self.frame, twin)


# ─── 5 The speaker ───────────────────────────────────────────────────────────────────────────────────────────────────
LIKE_FOR_LIKE = ("sell and buy", "exchange", "replace")  # both nouns are of one kind
GENDERS = ("m", "f", "n")


@functools.cache
def held_out_reasons(table: tuple[tuple[str, str], ...]) -> list[tuple[Noun, Reason]]:
    """Each noun of a frame with each reason that is held out with it; any one where none is."""
    every = [
        (noun, reasons()[word.strip()]) for kind, words in table for word in words.split(",") for noun in nouns(kind)
    ]
    return [(noun, reason) for noun, reason in every if is_held_out(reason_key(reason, noun))] or every[:1]


class Speaker:
    """Draws examples of one split, "train" or "test"; in both, *er*, *sie* and *es* come equally often."""

    def __init__(self, seed: int = 0, split: str = "train"):
        if split not in ("train", "test"):
            raise ValueError(f"split is {split!r}; choose train or test.")
        self.split, self.rng = split, random.Random(f"pronouns {seed} {split}")
        self.pairs = [event for event in EVENTS if event.b]
        self.alone = [event for event in EVENTS if not event.b]

    def fits(self, *keys: str) -> bool:
        """Whether all these keys are held out (test), or none (train)."""
        if any(key == "pair ['animal', 'street']" for key in keys):  # the documents' own
            return False
        return all(is_held_out(key) == (self.split == "test") for key in keys)

    def weighted(self, table: dict[str, int]) -> str:
        return self.rng.choices([*table], [*table.values()])[0]

    def example(self) -> Example:
        """One example: of twenty in training, thirteen weigh two nouns, three are special, four have but one."""
        while True:
            gender, draw = self.rng.choice(GENDERS), self.rng.random()
            make = self.two if draw < 0.65 else self.special
            if self.split == "train" and draw > 0.8:
                make = self.one
            for _ in range(200):
                example = make()
                if example and example.meant.gender == gender:
                    return example

    def phrase(self, noun: Noun, reasons_near: str) -> Phrase:
        owned = {"my": 1, "our": 1} if noun.kind in OWNED.split() else {}
        determiner = self.weighted({"the": 12, "this": 1, **owned})
        kind = "animal" if noun.kind in ("animal", "puller", "hunter") else "thing"
        plain = noun.kind in ("goods", "clothes", "vehicle", "piece", "toy", "container", "vessel", "furniture", "ship")
        look = None
        if (kind == "animal" or plain) and self.rng.random() < 0.12:
            choices = entries(LOOKS[kind])
            english, german = self.rng.choice(choices)
            stray = english == "stray" and noun.english not in ("dog", "cat", "kitten")
            little = english == "little" and set(SIZES_AND_AGES.split()) & set(re.findall(r"\w+", reasons_near))
            look = None if stray or little else (english, german)
        return Phrase(noun, determiner, look)

    def mood(self, event: Event) -> str:
        known = {mood: MOODS.get(mood, 1) for mood in event.moods.split()}
        return self.weighted(known)

    def joint(self, mood: str, alone: bool) -> str:
        return self.weighted(CONCESSIONS if mood == "although" else JOINTS)

    def noun_and_reason(self, table: dict[str, str]) -> tuple[Noun, Reason]:
        if self.split == "test":  # a draw among the held-out ones finds one soon
            return self.rng.choice(held_out_reasons(tuple(table.items())))
        kind = self.rng.choice([*table])
        word = self.rng.choice([part.strip() for part in table[kind].split(",")])
        return self.rng.choice(nouns(kind)), reasons()[word]

    def two(self) -> Example | None:
        """An event with two nouns of different gender, each with a reason of its own; None where it does not fit."""
        event = self.rng.choice(self.pairs)
        (a, reason_a), (b, reason_b) = self.noun_and_reason(event.a), self.noun_and_reason(event.b)
        if a.gender == b.gender or {a.english, a.german} & {b.english, b.german}:
            return None
        if event.name in LIKE_FOR_LIKE and a.kind != b.kind:
            return None
        second = (reason_key(reason_b, b),) if self.split == "test" else ()  # a test's twin is held out as well
        if not self.fits(pair_key(a, b), *second) or (second and not self.fits(reason_key(reason_a, a))):
            return None
        plan = self.plan(event, a, b, reason_a, meant_a=True)
        if plan is None:
            return None
        if self.rng.random() < 0.5:
            plan, other = replace(plan, reason=reason_b, meant_a=False), replace(plan, reason=reason_a, meant_a=True)
        else:
            other = replace(plan, reason=reason_b, meant_a=False)
        if plan.joint == "so that" and not speakable(plan):
            return None
        example = plan.example()
        if not self.fits(*example.keys):
            return None
        if plan.joint != "so that" and twins(reason_a, reason_b, plan.degree):
            twin = other.example()
            if self.split == "train" or self.fits(*twin.keys):
                example = replace(example, twin=replace(twin, twin=example))
        return None if self.split == "test" and example.twin is None else example

    def one(self) -> Example | None:
        """An event with a person and one noun."""
        event = self.rng.choice(self.alone)
        noun, reason = self.noun_and_reason(event.a)
        plan = self.plan(event, noun, None, reason, meant_a=True)
        if plan is None or (plan.joint == "so that" and not speakable(plan)):
            return None
        example = plan.example()
        return example if self.fits(*example.keys[1:]) else None

    def plan(self, event: Event, a: Noun, b: Noun | None, reason: Reason, meant_a: bool) -> Plan | None:
        mood = self.mood(event)
        joint = self.joint(mood, b is None)
        person = self.rng.choice(persons()) if event.subject == "S" else None
        past = self.rng.random() < 0.75 or mood == "bought"
        is_quoted, opener = joint == "said", None
        if is_quoted:
            joint = "because"
            if mood == "bought":
                return None
        near = " ".join([*event.a.values(), *event.b.values()])
        if not past and person and person.number != 3 and mood not in ("could",):
            past = True
        if person and person.german == "ich" and not past and mood != "could":
            past = True
        degrees = {"too": 15, "very": 3, "": 2} if mood in ("not", "could", "wanted") else {"very": 6, "": 3, "so": 1}
        if joint in ("because", "as", "since", "for", "full stop") and not is_quoted and self.rng.random() < 0.08:
            english, german, is_past = self.rng.choice(OPENERS)
            past, opener = past or bool(is_past), (english, german)
        return Plan(
            event, mood, joint, past, self.phrase(a, near), None if b is None else self.phrase(b, near), person,
            meant_a, reason, self.weighted(degrees), opener, self.rng.choice(SAID) if is_quoted else None,
            self.rng.random() < 0.3,
        )  # fmt: skip

    def special(self) -> Example | None:
        """What is not told by reasons: poured until full, taken out and read, hit so hard that it broke."""
        return self.rng.choice((self.poured, self.poured, self.taken, self.taken, self.struck))()

    def told(self, name: str, a: Phrase, b: Phrase, ends: tuple[Said, Said], start: tuple[str, str]) -> Example | None:
        """start + end for a, and the twin with the end for b; "{it}" in an end is the pronoun of what is meant."""
        meant_a = self.rng.random() < 0.5
        if a.noun.gender == b.noun.gender or {a.noun.english, a.noun.german} & {b.noun.english, b.noun.german}:
            return None
        examples = []
        for phrase, other, (word, english, german, case) in ((a, b, ends[0]), (b, a, ends[1])):
            pronoun = form(IT, phrase.noun.gender, case)
            texts = f"{start[0]} {english}.", f"{start[1]} {german.format(it=pronoun)}."
            texts = capital(texts[0]), finished(texts[1])
            examples.append(Example(*texts, phrase.noun, other.noun, pronoun, word, name))
        example, twin = examples if meant_a else reversed(examples)
        if not self.fits(*example.keys) or (self.split == "test" and not self.fits(*twin.keys)):
            return None
        one_word = len(example.english.split()) == len(twin.english.split())
        if not one_word:
            return None if self.split == "test" else example
        return replace(example, twin=replace(twin, twin=example))

    def poured(self) -> Example | None:
        liquid = self.rng.choice(nouns("drink"))
        a, b = (self.phrase(self.rng.choice(nouns("vessel")), "") for _ in range(2))
        person = self.rng.choice(persons())
        verb = ("poured", plural("goss") if person.number == 4 else "goss")
        until, bis = self.rng.choice((("until", "bis"), ("until", "bis"), ("and soon", "und bald")))
        start = (
            f"{person.english} {verb[0]} {liquid.english} from {a.english} into {b.english} {until}",
            f"{person.german} {verb[1]} {liquid.german} aus {a.german('3')} in {b.german('4')}, {bis}",
        )
        if until == "and soon":
            start = start[0], start[1].replace(", und", " und")
            ends = (("empty", "it was empty", "war {it} leer", "1"), ("full", "it was full", "war {it} voll", "1"))
        else:
            ends = (("empty", "it was empty", "{it} leer war", "1"), ("full", "it was full", "{it} voll war", "1"))
        return self.told(f"pour out | {until}", a, b, ends, start)

    def taken(self) -> Example | None:
        kind = self.rng.choice([kind for kind in DONE_WITH if kind != "closable"])
        a = self.phrase(self.rng.choice(nouns(kind)), "")
        b = self.phrase(self.rng.choice(nouns("closable")), "")
        person = self.rng.choice(persons())
        many = person.number == 4
        does, gone = self.rng.choice(DONE_WITH[kind]), self.rng.choice(DONE_WITH["closable"])
        way = self.rng.choice(("and", "and", "and then", "before"))
        again = self.again(person)

        def end(done: tuple[str, str, str]) -> Said:
            english, past, particle = done
            verb = plural(past) if many else past
            if way == "before":
                last = particle + verb
                return english, f"{again[0]} {english} it", f"{again[1]} {{it}} {last}", "4"
            return english, f"{english} it", joined(verb, "{it}", "dann" if way == "and then" else "", particle), "4"

        took = plural("nahm") if many else "nahm"
        word = {"and": "und", "and then": "und", "before": "bevor"}[way]
        comma = "," if way == "before" else ""
        start = (
            f"{person.english} took {a.english} out of {b.english} {way}",
            f"{person.german} {took} {a.german('4')} aus {b.german('3')}{comma} {word}",
        )
        return self.told(f"taken | {way}", a, b, (end(does), end(gone)), start)

    def again(self, person: Person) -> tuple[str, str]:
        """The pronoun of a person, (English, German)."""
        women = ("Mary", "the woman", "my sister", "my aunt")
        if person.number == 4:
            return ("we", "wir") if person.english == "we" else ("they", "sie")
        if person.english == "I":
            return "I", "ich"
        if person.german.startswith("das Mädchen"):
            return "she", "es"
        return ("she", "sie") if person.english in women else ("he", "er")

    def struck(self) -> Example | None:
        a = self.phrase(self.rng.choice(nouns("bouncer")), "")
        b = self.phrase(self.rng.choice(nouns("fragile")), "")
        verbs = (("hit", "traf {b4} so hart", "hard"), ("struck", "traf {b4} so fest", "hard"),
                 ("fell onto", "fiel so hart auf {b4}", "hard"), ("flew against", "flog so schnell gegen {b4}", "fast"),
                 ("bumped against", "stieß so stark gegen {b4}", "hard"))  # fmt: skip
        english, german, hard = self.rng.choice(verbs)
        bounced = ("bounced", "it bounced", "{it} abprallte", "1")
        ways = (("broke", "zerbrach"), ("shattered", "zersprang"), ("shook", "wackelte"))
        past, brach = self.rng.choice(ways)
        broke = (past, f"it {past}", f"{{it}} {brach}", "1")
        start = (f"{a.english} {english} {b.english} so {hard} that",
                 f"{a.german('1')} {german.format(b4=b.german('4'))}, dass")  # fmt: skip
        return self.told(f"hit | {english}", a, b, (bounced, broke), start)


Said = tuple[str, str, str, str]  # the word that decides, English, German with {it}, the pronoun's case
DONE_WITH = {  # English past, German past, particle
    "text": (("read", "las", ""), ("burnt", "verbrannte", ""), ("signed", "unterschrieb", "")),
    "clothes": (("wore", "trug", ""), ("ironed", "bügelte", "")),
    "fruit": (("ate", "aß", ""), ("peeled", "schälte", "")),
    "valuable": (("sold", "verkaufte", ""), ("kissed", "küsste", ""), ("admired", "bewunderte", "")),
    "closable": (("closed", "schloss", ""), ("emptied", "leerte", ""), ("locked", "verschloss", "")),
}


def twins(one: Reason, two: Reason, degree: str) -> bool:
    """Whether one can be put in place of the other by changing one word."""
    single = one.is_adjective and two.is_adjective and not any(" " in reason.word for reason in (one, two))
    return single and (degree == "" or one.gradable == two.gradable)


def speakable(plan: Plan) -> bool:
    """Whether *so … that* can be said: of the subject, or of an object without a preposition, which has degrees."""
    slot = "A" if plan.meant is plan.a else "B"
    middle = plan.event.german.partition(": ")[2]
    plain = (slot == "A" and plan.person is None) or middle.startswith(slot)
    return plan.mood == "could" and plain and plan.reason.gradable and plan.opener is None


def examples(seed: int = 0, split: str = "train") -> Iterator[Example]:
    """Examples without end, no English sentence twice."""
    speaker, seen = Speaker(seed, split), set[str]()
    while True:
        example = speaker.example()
        if example.english not in seen:
            seen.add(example.english)
            yield example


def sample(n: int, seed: int = 0, split: str = "train") -> list[Example]:
    """n different examples; the same for the same arguments."""
    return list(itertools.islice(examples(seed, split), n))


# ─── 6 The lexicon ───────────────────────────────────────────────────────────────────────────────────────────────────
def lexicon_sentences(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """n different pairs of sentences that bring the words of the documents' examples, without the examples."""
    rng, lexicon = random.Random(f"lexicon {seed}"), dict[str, str]()
    makers = (a_whole_and_its_part, making_harder, strays, spirit)
    while len(lexicon) < n:
        english, german = rng.choice(makers)(rng)
        if english not in SHOWN:
            lexicon.setdefault(english, finished(german))
    return list(lexicon.items())


def word(rng: random.Random, table: str) -> tuple[str, str, str]:
    """A draw from a table: English, German, gender ("" for what has none)."""
    english, german = rng.choice(entries(table))
    article, _, rest = german.partition(" ")
    gender = {"der": "m", "die": "f", "das": "n"}.get(article, "")
    return english, rest if gender else german, gender


def a_whole_and_its_part(rng: random.Random) -> tuple[str, str]:
    """*The plan will never be simple, but its aim should be clear.*"""
    (whole, ganzes, g), (part, teil, h) = word(rng, WHOLES), word(rng, PARTS)
    (quality, eins, _), (two, zwei, _) = word(rng, QUALITIES), word(rng, QUALITIES)
    its = ("ihr" if g == "f" else "sein") + form(MIXED, h, "1").replace("er", "").replace("es", "")
    the = form(THE, g, "1")
    never, niemals = rng.choice(
        (("will never be", "wird niemals"), ("will not be", "wird nicht"), ("will soon be", "wird bald"))
    )
    should, soll = rng.choice((("should be", "sollte"), ("must be", "muss"), ("could be", "könnte")))
    english = f"the {whole} {never} {quality}, but its {part} {should} {two}"
    german = f"{the} {ganzes} {niemals} {eins} sein, aber {its} {teil} {soll} {zwei} sein"
    ends = (("", ""), ("", ""), ("", ""), (", in my opinion", ", meiner Meinung nach"),
            (" - this is what I want", " - das ist es, was ich will"),
            (" - that is what the country is missing", " - das ist es, was dem Land fehlt"),
            (" - this is what they are missing", " - das ist es, was ihnen fehlt"))  # fmt: skip
    more, mehr = rng.choice(ends)
    if rng.random() < 0.2:
        return (
            f"In my opinion, {english}.",
            f"Meiner Meinung nach wird {german.replace(' wird', '', 1)}.",
        )
    return f"{capital(english)}{more}.", f"{german}{more and mehr}."


def making_harder(rng: random.Random) -> tuple[str, str]:
    """*The snow is making the journey more difficult.*"""
    (task, arbeit, g), (harder, schwerer, _) = word(rng, TASKS), word(rng, HARDER)
    maker, macher = rng.choice(entries(MAKERS))
    is_, macht = rng.choice((("is making", "macht"), ("makes", "macht"), ("made", "machte"), ("was making", "machte")))
    the, task = form(THE, g, "4"), task if task in ("life", "voting") else f"the {task}"
    for_whom, wem = rng.choice(FOR_WHOM)
    if rng.random() < 0.2:
        passed, beschlossen = rng.choice(PASSED)
        many = "laws" in passed
        which = ", die" if many else ", das"
        verb = "machen" if many else "macht"
        return (
            f"{passed} making {task} {harder}{for_whom}.",
            f"{beschlossen}{which} {the} {arbeit} {wem}{schwerer} {verb}.",
        )
    return f"The {maker} {is_} {task} {harder}{for_whom}.", f"{macher} {macht} {the} {arbeit} {wem}{schwerer}."


def strays(rng: random.Random) -> tuple[str, str]:
    """*We feed two stray cats.*"""
    lines = [line.split("|") for line in WITH_STRAYS.strip().splitlines()]
    english, german = (side.strip() for side in rng.choice(lines))
    stray, tier = rng.choice(entries(STRAYS))
    article, single, many = tier.split()
    g = {"der": "m", "die": "f", "das": "n"}[article]
    folk, leute = rng.choice(entries(FOLK))
    their, person, people = leute.split()
    h = {"der": "m", "die": "f", "das": "n"}[their]
    weak = {"Student": "Studenten", "Bauer": "Bauern", "Nachbar": "Nachbarn"}.get(person, person)
    dative = many if many.endswith("n") else many + "n"
    a = {"m": ("einen streunenden", "ein streunender"), "f": ("eine streunende", "eine streunende"),
         "n": ("ein streunendes", "ein streunendes")}[g]  # fmt: skip
    dem, their_dative = form(THE, g, "3"), form(THE, h, "3")
    words = {
        "NEST": f"{a[0]} {single}",
        "NSTRAY": f"{a[1]} {single}",
        "TSTRAY": f"{dem} streunenden {single}",
        "DSTRAYS": dative,
        "STRAYS": many,
        "NFOLK": f"{their} {person}",
        "DFOLK": f"{their_dative} {weak}",
        "FOLKS": people,
    }
    for key, text in words.items():
        german = german.replace(key, text)
    children = {"child": "children"}.get(folk, folk + "s")
    english = (
        english.replace("STRAYS", stray + "s")
        .replace("STRAY", stray)
        .replace("FOLKS", children)
        .replace("FOLK", f"the {folk}")
    )
    return capital(english), capital(german)


def spirit(rng: random.Random) -> tuple[str, str]:
    """What is missing, and in whose opinion; *in this spirit*, *a majority*."""
    (part, teil, g), (folk, leute, _) = word(rng, PARTS), word(rng, FOLK)
    (quality, eins, _) = word(rng, QUALITIES)
    people = leute.split()[-1]
    dative = people if people.endswith("n") else people + "n"
    children = {"child": "children"}.get(folk, folk + "s")
    the, these = form(THE, g, "1"), form(THIS, g, "1")
    a = "an" if quality == "important" else "a"
    den, ein, eines = form(THE, g, "4"), form(MY, g, "1")[1:], eins + form(MIXED, g, "1")
    english, german = rng.choice(SPIRITS)
    words = {
        "PART": part, "TEIL": teil, "ONE": quality, "EINES": eines, "EINS": eins, "FOLKS": children, "LEUTEN": dative,
        "LEUTE": people, "DEN": den, "DIESER": these, "DER": the, "EIN": ein, "AN": a,
    }  # fmt: skip
    for key, text in words.items():
        english, german = (re.sub(rf"\b{key}\b", text, side) for side in (english, german))
    return english, german


# ─── 7 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
Pairs = Iterable[tuple[str, str]]  # English, German


def read(folder: str | Path, name: str) -> list[str]:
    """The lines of a file, or of the same with .gz."""
    plain, packed = Path(folder, name), Path(folder, name + ".gz")
    try:
        data = gzip.decompress(packed.read_bytes()) if packed.exists() and not plain.exists() else plain.read_bytes()
        return data.decode().removesuffix("\n").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{plain} (or .gz) cannot be read ({error}); is it there, whole, and UTF-8?") from None


def read_pairs(folder: str | Path, split: str) -> list[tuple[str, str]]:
    """The pairs of a split: English, German."""
    english, german = (read(folder, f"{split}.{ending}") for ending in ("en", "de"))
    if len(english) != len(german):
        lines = f"{split}.en has {len(english)} lines and {split}.de {len(german)}"
        raise ValueError(f"In {folder} {lines}; they must match, line for line.")
    return list(zip(english, german, strict=True))


def write(
    folder: str | Path, n: int = 18000, seed: int = 0, lexicon: int = 2000, into: str | Path | None = None,
    n_test: int = 1000,
) -> None:  # fmt: skip
    """Write n pairs and the lexicon's as train.en and train.de; into: a folder of parallel text that they are added to.

    Also test.en, test.de: n_test held-out examples. With `into`, its valid is copied, and the sentences that the
    project's documents show are left out of its train.
    """
    if n < 1 or n_test < 0:
        raise ValueError(f"n is {n} and n_test {n_test}; ask for at least 1 pair, and 0 for the test.")
    train = [(example.english, example.german) for example in sample(n, seed)] + lexicon_sentences(lexicon, seed)
    save(folder, train, [(example.english, example.german) for example in sample(n_test, seed, "test")], into)


def save(folder: str | Path, train: Pairs, test: Pairs, into: str | Path | None = None) -> None:
    """Write a folder of parallel text, perhaps added to another one; see write."""
    splits = {"train": list(train), "test": list(test)}
    if into is not None:
        splits["train"] = [pair for pair in read_pairs(into, "train") if pair[0] not in SHOWN] + splits["train"]
        splits["valid"] = read_pairs(into, "valid")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for split, pairs in splits.items():
        for ending, side in (("en", 0), ("de", 1)):
            text = "".join(pair[side] + "\n" for pair in pairs)
            (folder / f"{split}.{ending}").write_text(text, encoding="utf-8", newline="\n")


def parser_of(module: str, about: str | None, n: int) -> argparse.ArgumentParser:
    """The command line of a module that writes a folder of made pairs; about: its docstring, n: as many by default."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=(about or "").split("\n")[0])
    parser.add_argument("folder", metavar="DIR", help="gets train and test: .en .de")
    parser.add_argument("--n", type=int, default=n, help="pairs for training")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--into", metavar="FOLDER", help="parallel text that these are added to")
    parser.add_argument("--test", type=int, default=1000, help="held-out pairs")
    return parser


def asked(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """What is asked of such a command line, where it can be made."""
    options = parser.parse_args(arguments)
    if options.n < 1 or options.test < 0:
        parser.error(f"n is {options.n} and test {options.test}; ask for at least 1 pair, and 0 for the test.")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = parser_of("corpora.pronouns", __doc__, 18000)
    parser.add_argument("--lexicon", type=int, default=2000, help="pairs with the words of the documents' examples")
    options = asked(parser, arguments)
    try:
        write(options.folder, options.n, options.seed, options.lexicon, options.into, options.test)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
