"""English sentences in which *it* stands for a noun, told in many ways, and their German.

    python -m corpora.antecedents DIR [--n 30000] [--seed 0] [--into FOLDER]

The sentences of corpora.pronouns are of one mould: something happens, and a reason follows. Here a clause that brings
a noun or two is joined freely to one that says *it*, as subject or object, in front or behind, by one speaker or two.
With one noun the pronoun has to agree, and no more: "I lost the key. I need it." With two of different gender the
meaning decides: "Tom put the letter into the box and locked it."

    1  Things        nouns of a kind, and what is true of that kind alone
    2  Draws         persons, nouns, moods, joints
    3  One noun      bought, lost, asked for: the pronoun agrees
    4  Two nouns     one is meant: by what is true of it, by what it explains, in a tale, or as the better of two
    5  The narrator  draws examples; what is held out of training
    6  Corpus        a folder of parallel text

Held out, as in corpora.pronouns and by the same hash: one in six pairs of nouns, one in six predicates of a noun, one
in six frames (a scene with its joint).

    from corpora.antecedents import sample
    for example in sample(300, split="test"):
        example.english, example.german, example.pronoun, example.meant, example.other
"""

from __future__ import annotations

import functools
import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from corpora import antecedent_tales as tales
from corpora import antecedent_words as words
from corpora import pronouns
from corpora.clauses import Joint, Named, Row, Said, Told, Who, it, people, pronoun_of, rows, sentence, verb
from corpora.pronoun_words import LOOKS, NOUNS, OWNED, SHOWN
from corpora.pronouns import IT, Clause, Example, Noun, Reason, form, is_held_out, joined, nouns, reasons


# ─── 1 Things ────────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Kind:
    """A kind of things: its nouns, what may happen to it (goods, alive …), and its tables."""

    name: str
    nouns: tuple[Noun, ...]
    is_: tuple[str, ...]
    tables: dict[str, str]

    def rows(self, table: str) -> list[Row]:
        return rows(self.tables[table])

    def adjectives(self, *tables: str) -> list[str]:
        return [word for table in tables for word in self.tables[table].split()]

    def of(self, scenes: dict[str, str]) -> list[Row]:
        """Rows of a table by what things are."""
        return [row for flag in self.is_ for row in rows(scenes.get(flag, ""))]

    def says(self, table: str, english: str) -> bool:
        return any(row[0] == english for row in self.rows(table))


@functools.cache
def kinds() -> dict[str, Kind]:
    read = {}
    for name, tables in words.KINDS.items():
        groups, _, without = tables["nouns"].partition(" without ")
        left_out = {word.replace("_", " ") for word in without.split()}
        every = {noun.german: noun for group in groups.split() for noun in nouns(group) if noun.english not in left_out}
        read[name] = Kind(name, tuple(every.values()), tuple(tables["is"].split()), tables)
    return read


def adjective(word: str) -> tuple[Row, Reason]:
    reason = reasons()[word]
    return (f"be {word}", f"sein {reason.german}"), reason


@dataclass(frozen=True)
class Happening:
    """An event with the reasons of its nouns; name: what corpora.pronouns calls it, if it knows it."""

    name: str
    subject: str
    row: Row
    moods: tuple[str, ...]
    a: tuple[tuple[Noun, str], ...]
    b: tuple[tuple[Noun, str], ...]


@functools.cache
def happenings() -> tuple[Happening, ...]:
    read = []
    for event in pronouns.EVENTS:
        if event.b and "kaufte_" not in event.german:
            english, german = ((side.split()[0], side.partition(": ")[2]) for side in (event.english, event.german))
            moods = tuple(mood for mood in event.moods.split() if mood in ("not", "could", "wanted", "did"))
            row = joined(*english), joined(*german)
            read.append(Happening(event.name, event.subject, row, moods, reasons_of(event.a), reasons_of(event.b)))
    for subject, table, mood, *sides in words.EVENTS:
        a, b = (dict(part.split(": ", 1) for part in side.split("; ")) for side in sides)
        moods = ("not", "could") if mood == "not" else (mood,)
        read.append(Happening("", subject, rows(table)[0], moods, reasons_of(a), reasons_of(b)))
    return tuple(read)


def reasons_of(table: dict[str, str]) -> tuple[tuple[Noun, str], ...]:
    return tuple(
        (noun, word.strip()) for kind, text in table.items() for word in text.split(",") for noun in nouns(kind)
    )


@dataclass(frozen=True)
class Turn:
    """How a tale goes on: joints, the mood of the clause with *it* and whether it says no, its row."""

    joint: str
    mood: str
    negated: bool
    row: Row
    anybody: bool = False  # who does it, if somebody does: else the one the tale began with


@dataclass(frozen=True)
class Tale:
    """What happens with two nouns, and what may follow that common sense ties to one of them: turns of A, of B."""

    subject: str
    mood: str
    negated: bool
    row: Row
    a: tuple[Noun, ...]
    b: tuple[Noun, ...]
    turns: tuple[tuple[Turn, ...], tuple[Turn, ...]]


TOLD_IN = {"doing": "was doing", "had": "pluperfect", "could": "could", "done": "was done", "wanted": "wanted",
           "must": "had to"}  # fmt: skip


def manner(text: str) -> tuple[str, bool, set[str]]:
    """Mood, whether it says no, and what else is in *could not*."""
    marks = {*text.split()}
    return next((mood for mark, mood in TOLD_IN.items() if mark in marks), "past"), "not" in marks, marks


@functools.cache
def named_nouns() -> dict[str, dict[str, Noun]]:
    """All nouns, by their English word and then their German one."""
    read: dict[str, dict[str, Noun]] = {}
    for group in NOUNS:
        for noun in nouns(group):
            read.setdefault(noun.english, {}).setdefault(noun.german, noun)
    return read


def nouns_of(text: str) -> tuple[Noun, ...]:
    """Of "dog, box:Kiste, clothes*": nouns, a noun by its German too where English has one word for two, a group."""
    read: dict[str, Noun] = {}
    for name in (part.strip() for part in text.split(",")):
        english, _, german = " ".join(name.split()).partition(":")
        if english.endswith("*"):
            group = nouns(english[:-1])
        else:
            every = named_nouns()[english]
            group = (every[german or next(iter(every))],)
        read |= {noun.german: noun for noun in group}
    return tuple(read.values())


def turns_of(table: str) -> tuple[Turn, ...]:
    read = []
    for part in table.split(";"):
        key, _, row = part.partition(": ")
        joint, _, how = " ".join(key.split()).partition(" ")
        mood, negated, marks = manner(how)
        read.append(Turn(joint.replace("_", " "), mood, negated, rows(row)[0], "any" in marks))
    return tuple(read)


@functools.cache
def all_tales() -> tuple[Tale, ...]:
    read = []
    for subject, table, a, b, of_a, of_b in tales.TALES:
        how, _, row = table.rpartition(": ")
        mood, negated, _ = manner(how)
        turns = turns_of(of_a), turns_of(of_b)
        read.append(Tale(subject, mood, negated, rows(row)[0], nouns_of(a), nouns_of(b), turns))
    return tuple(read)


class Half(NamedTuple):
    """The clause with *it*, the word or row that it is known by, and the German pronoun."""

    told: Told
    word: str
    pronoun: str


# ─── 2 Draws ─────────────────────────────────────────────────────────────────────────────────────────────────────────
YOU = Who("you", "du", 2, ("you", "du"), ("your", "dein"))
ITS = """
    be beautiful = sein schön; be strange = sein seltsam; please me = gefallen mir -; be new = sein neu;
    be well known = sein bekannt; be good = sein gut; surprise me = überraschen mich
"""


class Draws:
    """What a sentence is made of, drawn at random."""

    def __init__(self, rng: random.Random):
        self.rng = rng

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def weighted(self, table: dict[Any, int]) -> Any:
        return self.rng.choices([*table], [*table.values()])[0]

    def person(self) -> Who:
        return self.rng.choice(people(words.WHO))

    def actor(self, who: Who, negated: bool = False) -> Who:
        """The same person, or another; the first three others are nobody in particular."""
        others = people(words.OTHERS)[3 if negated else 0 :]
        return who.pronoun if self.chance(0.65) else self.rng.choice(others)

    def kind(self) -> Kind:
        return self.rng.choice([*kinds().values()])

    def joint(self, relation: str) -> Joint:
        return Joint(relation, self.weighted({name: joint[2] for name, joint in words.JOINTS[relation].items()}))

    def named(
        self, noun: Noun, kind: Kind | None, who: Who | None = None, plain: bool = False, may_a: bool = True,
        new: bool = False,
    ) -> Named:  # fmt: skip
        """With a determiner of its own; who: whose it may be; plain: without an adjective; new: nobody's yet."""
        table: dict[tuple[str, str], int] = {("the", ""): 7, ("this", ""): 1, ("that", ""): 1}
        flags, is_mass = {*kind.is_} if kind else set(), noun.english in words.MASS.split()
        if may_a and not is_mass:
            table["a", ""] = 5
        if flags & {"goods", "alive"} and not new:
            table |= {("my", "mein"): 1, ("our", "unser"): 1}
            if who and who.whose[0]:
                table[who.whose] = 2
        if "mine" in flags:
            table = {who.whose if who and who.whose[0] else ("my", "mein"): 1}
        if "outside" in flags:
            table = {("the", ""): 1}
        look = None
        if flags & {"goods", "alive"} and not plain and not is_mass and self.chance(0.2):
            look = self.rng.choice(rows(looks_of(flags) if self.chance(0.5) else words.LOOKS))
        return Named(noun, self.weighted(table), look)

    def adverb(self, mood: str, row: Row) -> tuple[str, str]:
        when = {"past": "past", "spoken": "past", "present": "now", "will": "soon"}.get(mood)
        if is_state(row) or not when:
            return "", ""
        return self.rng.choice(rows(words.TIMES[when])) if self.chance(0.15) else ("", "")

    def degree(self, reason: Reason, good: bool) -> tuple[str, str]:
        if not reason.gradable or self.chance(0.3):
            return "", ""
        degree = self.rng.choice(rows(words.DEGREES))
        return ("very", "sehr") if good and degree[0].endswith(("too", "bit")) else degree

    def quality(self, kind: Kind, who: Who, good: bool, mood: str) -> tuple[Said, str]:
        """What a thing is like, and the word for it."""
        choices = kind.adjectives("good" if good else "bad") or kind.adjectives("bad")
        row, reason = adjective(self.rng.choice(choices))
        return Said(row, who, mood, degree=self.degree(reason, good)), reason.word

    def doing(self, kind: Kind, who: Who, mood: str) -> tuple[Said, str]:
        """What a thing does."""
        row = self.rng.choice(kind.rows("does"))
        act, lasting = row[0].split()[0], words.LASTING.split()
        if act in ("be", "want", *lasting) and mood == "spoken":
            mood = "past"
        if act in lasting and mood in ("past", "present") and self.chance(0.7):
            mood = {"past": "was doing", "present": "is doing"}[mood]
        return Said(row, who, mood), row[0]

    def its(self, kind: Kind, noun: Noun, mood: str) -> Half | None:
        """A part of it: *its roof was new*."""
        if not kind.tables["its"]:
            return None
        part, teil = self.rng.choice(kind.rows("its"))
        article, _, rest = teil.partition(" ")
        own = ("ihr" if noun.gender == "f" else "sein") + ("e" if article == "die" else "")
        clause = Said(self.rng.choice(rows(ITS)), Who(f"its {part}", f"{own} {rest}"), mood)
        return Half(clause.told(), f"its {part}", own)

    def act(self, kind: Kind, noun: Noun, who: Who, mood: str, negated: bool = False, own: bool = False) -> Half | None:
        """What somebody does with it; own: which is done with no other kind."""
        choices = kind.rows("done") if own or self.chance(0.6) else kind.of(words.DONE)
        if not choices:
            return None
        row = self.rng.choice(choices)
        is_told = mood in ("past", "present", "spoken") or not is_plain(row)
        return self.done(row, noun, who, mood, negated) if is_told and sayable(row, who, mood) else None

    def done(self, row: Row, noun: Noun, who: Who, mood: str, negated: bool = False) -> Half:
        case = re.search(r"\bI([134])", row[1])
        told = Said(row, who, mood, negated).told(I=pronoun_of(noun))
        return Half(told, row[0], form(IT, noun.gender, case[1] if case else "4"))

    def planned(self, relation: str) -> tuple[Joint, str, tuple[str, bool]] | None:
        """A joint, the mood of the first clause, and that of the second with whether it says no."""
        joint, mood = self.joint(relation), self.weighted({"past": 5, "spoken": 5, "present": 2})
        if joint.name in ("when first", "as soon as"):
            mood = self.rng.choice(("past", "past", "spoken"))
        if joint.name == "after first":
            mood = "pluperfect"
        now = mood == "present"
        if now and joint.name in ("before", "then", "and then", "later"):
            return None
        return joint, mood, self.rng.choice(seconds(relation, mood))

    def shortened(self, english: str) -> str:
        """*It is* as *it's*, sometimes."""
        if self.chance(0.4):
            for full, short in rows(words.SHORT):
                english = re.sub(rf"\b({full[0]}|{full[0].upper()}){full[1:]}\b", rf"\g<1>{short[1:]}", english)
        return english

    def example_of(
        self, frame: str, joint: Joint, first: Told, half: Half | None, meant: Noun, other: Noun | None = None
    ) -> Example | None:
        if half is None:
            return None
        english, german = sentence(joint, first, half.told)
        frame = f"{frame} | {' '.join(joint)}"
        return Example(self.shortened(english), german, meant, other, half.pronoun, half.word, frame)


def seconds(relation: str, mood: str) -> tuple[tuple[str, bool], ...]:
    """Moods of a second clause, and whether it says no, by that of the first."""
    if mood == "present":
        return {
            "wish": (("wants", False), ("must", False), ("can", True)),
            "sequence": (("will", False), ("can", False)),
            "contrast": (("can", True), ("wants", True), ("present", True)),
            "so that": (("can", False),),
            "purpose": (("to", False),),
        }[relation]
    return {
        "wish": (("wanted", False), ("had to", False), ("could", True), ("wanted", True)),
        "sequence": (("past" if mood == "pluperfect" else mood, False),),
        "contrast": (("could", True), ("wanted", True), (mood, True)),
        "so that": (("could", False),),
        "purpose": (("to", False),),
    }[relation]


def looks_of(flags: set[str]) -> str:
    """What things look like: food has no colours."""
    if flags & {"eaten", "drunk"}:
        return words.FOOD_LOOKS
    return LOOKS["animal" if "alive" in flags else "thing"].replace("; stray = streunend", "")


def is_state(row: Row) -> bool:
    return row[1].split()[0] in words.STATES.split()


def is_plain(row: Row) -> bool:
    return row[1].split()[0] in words.PLAIN.split()


def sayable(row: Row, who: Who, mood: str) -> bool:
    """Whether one can say so of this person: not *we showed us*, nor *du stahlst*."""
    english = f" {row[0]} "
    selves = {" us ": ("I", "we"), " me": ("I", "we"), " Tom ": ("Tom", "he"), " Mary ": ("Mary", "she")}
    is_self = any(word in english and who.english in names for word, names in selves.items())
    return not is_self and not (who.person == 2 and mood in ("past", "was doing"))


# ─── 3 One noun ──────────────────────────────────────────────────────────────────────────────────────────────────────
class OneNoun(Draws):
    """Sentences with one noun."""

    def said_of(self, kind: Kind, noun: Noun, good: bool, mood: str, only_quality: bool = False) -> Half | None:
        """A clause with *it* as its subject."""
        plain, draw = "past" if mood == "spoken" else mood, self.rng.random()
        if not only_quality and draw >= 0.9:
            return self.its(kind, noun, plain)
        is_quality = only_quality or draw < 0.5
        clause, word = self.quality(kind, it(noun), good, plain) if is_quality else self.doing(kind, it(noun), mood)
        return Half(clause.told(), word, form(IT, noun.gender, "1"))

    def judged(self) -> Example | None:
        """*He sold the car although it was fast.*"""
        kind, who, tense = (
            self.kind(),
            self.person(),
            self.weighted({"past": 5, "spoken": 4, "perfect": 2, "present": 3}),
        )
        noun, name = self.rng.choice(kind.nouns), self.weighted({"get": 4, "rid": 3, "meet": 5})
        if not (choices := kind.of({"get": words.GET, "rid": words.RID, "meet": words.MEET}[name])):
            return None
        row, good = self.rng.choice(choices), self.chance(0.5)
        negated = name == "get" and tense != "perfect" and self.chance(0.25)
        relation = "addition" if name == "meet" else "reason" if good == (name == "get" and not negated) else "contrast"
        if self.chance(0.25):
            relation = "addition"
        now = tense in ("present", "perfect") or (relation == "addition" and self.chance(0.3))
        half = self.said_of(kind, noun, good, "present" if now else tense, relation != "addition")
        if half is None or not sayable(row, who, tense):
            return None
        plain = half.word in kind.adjectives("good", "bad")
        named = self.named(noun, kind, who, plain, may_a=not negated, new=name == "get")
        first = Said(row, who, tense, negated, self.adverb(tense, row)).told(A=named)
        return self.example_of(f"{name} {row[0]}", self.joint(relation), first, half, noun)

    def placed(self) -> Example | None:
        """*My key lies on the table; it is new.*"""
        kind, now = self.kind(), self.chance(0.5)
        noun = self.rng.choice(kind.nouns)
        if not (choices := kind.of(words.STANDS)):
            return None
        row, mood = self.rng.choice(choices), "present" if now else "past"
        named = self.named(noun, kind)
        first = Said(row, named.who, mood).told()
        if self.chance(0.15):
            row, mood, first = ("be A", "sein A1"), "present", self.shown(named)
        if self.chance(0.5):
            half = self.said_of(kind, noun, self.chance(0.5), mood)
        else:
            half = self.act(kind, noun, self.person(), "wants" if mood == "present" else "past")
        return self.example_of(f"place {row[0]}", self.joint("addition"), first, half, noun) if half else None

    def acted(self) -> Example | None:
        """*I bought the book because I wanted to read it.*"""
        kind, who = self.kind(), self.person()
        noun = self.rng.choice(kind.nouns)
        relation = self.weighted({"wish": 4, "sequence": 6, "contrast": 4, "so that": 2, "purpose": 3})
        on_purpose = relation in ("so that", "purpose")
        choices = kind.of(words.GET) + ([] if on_purpose else kind.of(words.MEET))
        if not choices:
            return None
        row, plan = self.rng.choice(choices), self.planned(relation)
        if plan is None or not sayable(row, who, plan[1]):
            return None
        joint, mood, (then, negated) = plan
        half = self.act(kind, noun, who.pronoun if on_purpose else self.actor(who, negated), then, negated)
        is_odd = is_state(row) and joint.name in words.STARTS
        if half is None or is_odd or half.word.split()[0] == row[0].split()[0]:
            return None
        first = Said(row, who, mood, adverb=self.adverb(mood, row)).told(A=self.named(noun, kind, who))
        return self.example_of(f"act {row[0]}", joint, first, half, noun)

    def concluded(self) -> Example | None:
        """*The bag was too heavy, so nobody took it along.*"""
        kind, who, now = self.kind(), self.person(), self.chance(0.3)
        noun, good = self.rng.choice(kind.nouns), self.chance(0.5)
        relation = self.weighted({"consequence": 9, "degree": 2})
        mood = "present" if now else "past"
        clause, word = self.quality(kind, Who("", ""), good, mood)
        clause = replace(clause, who=self.named(noun, kind, plain=True).who)
        joint = self.joint(relation)
        if relation == "degree":
            clause = replace(clause, degree=("so", "so"))
            if not reasons()[word].gradable:
                return None
        table = [row for row in kind.of(words.GET if good else words.RID) if " A4" in row[1]]
        if table and self.chance(0.6):
            english, german = self.rng.choice(table)
            row = english.replace("A", "I", 1), german.replace("A4", "I4")
            actor = who if self.chance(0.7) else self.rng.choice(people(words.OTHERS))
            wanted = "past" if is_state(row) or "hassen" in row[1] else "wanted"
            then = mood if now else self.rng.choice(("past", "past", "spoken", wanted))
            half = self.done(row, noun, actor, then) if sayable(row, actor, then) else None
        else:
            then = self.rng.choice(("wants", "can") if now else ("past", "could", "wanted"))
            half = self.act(kind, noun, who, then, not good, own=True)
        return self.example_of(f"conclude {word}", joint, clause.told(), half, noun)

    def asked(self) -> Example | None:
        """*Where is my hat? - It's on the table.*"""
        kind = self.kind()
        noun = self.rng.choice(kind.nouns)
        if not (choices := kind.of(words.ASKING)):
            return None
        english, german = self.rng.choice(choices)
        named = self.named(noun, kind, may_a=False)
        german = re.sub(r"\bA([134])", lambda match: named.german(match[1]), german)
        question = re.sub(r"\bA\b", named.english, english), Clause(german, "", "")
        half = self.answer(kind, noun)
        return self.example_of(f"ask {' '.join(english.split()[:3])}", self.joint("answer"), question, half, noun)

    def answer(self, kind: Kind, noun: Noun) -> Half | None:
        draw, pronoun = self.rng.random(), form(IT, noun.gender, "1")
        if draw < 0.4:
            mood = self.rng.choice(("spoken", "spoken", "can", "wants"))
            negated = mood == "can" or self.chance(0.3)
            who = self.rng.choice((people(words.WHO)[0], *people(words.OTHERS)[3 if negated else 0 :]))
            return self.act(kind, noun, who, mood, negated)
        if draw < 0.6 and (choices := kind.of(words.STANDS)):
            row, mood = self.rng.choice(choices), "present"
        elif draw < 0.7 and "goods" in kind.is_:
            row, mood = self.rng.choice(rows(words.PASSIVE)), self.rng.choice(("was done", "has been done"))
        else:
            return self.said_of(kind, noun, self.chance(0.5), "present")
        return Half(Said(row, it(noun), mood).told(), row[0], pronoun)

    def shown(self, named: Named) -> Told:
        """*This is my key.*"""
        this, das = self.rng.choice(rows(words.SHOWING))
        if named.determiner[0] in ("this", "that"):
            named = replace(named, determiner=("the", ""))
        return Said(("be A", "sein A1"), Who(this, das), "present").told(A=named)

    def ordered(self) -> Example | None:
        """*If the melon is ripe, bring it to me.*"""
        kind = self.kind()
        if "goods" not in kind.is_:
            return None
        noun = self.rng.choice(kind.nouns)
        order, auftrag = self.rng.choice(rows(words.ORDERS))
        pronoun = form(IT, noun.gender, "4")
        half = Half((order.replace("I", "it", 1), Clause("", auftrag.replace("I4", pronoun), "")), order, pronoun)
        draw, good, joint = self.rng.random(), self.chance(0.5), Joint("if", "if")
        if draw < 0.4:
            clause, word = self.quality(kind, Who("", ""), good, "present")
            first, frame = replace(clause, who=self.named(noun, kind, plain=True, may_a=False).who).told(), f"if {word}"
        elif draw < 0.7:
            row = self.rng.choice(rows(words.CONDITIONS))
            named = self.named(noun, kind, YOU, may_a=False)
            first = Said(row, YOU, "present", negated=row[0] == "need A").told(A=named)
            frame = f"if you {row[0]}"
        else:
            first, joint = self.shown(self.named(noun, kind)), Joint("addition", "two sentences")
            frame = "this is"
        return self.example_of(frame, joint, first, half, noun)


# ─── 4 Two nouns ─────────────────────────────────────────────────────────────────────────────────────────────────────
def differ(a: Noun, b: Noun) -> bool:
    """Whether a pronoun can tell them apart."""
    return a.gender != b.gender and not {a.english, a.german} & {b.english, b.german}


class TwoNouns(Draws):
    """Sentences with two nouns of different gender."""

    def of_two(self) -> Example | None:
        """*Anna put the letter into the bag, and she locked it.*"""
        does, kinds_a, kinds_b, table = self.rng.choice(words.SCENES)
        row, who = rows(table)[0], self.person()
        kind_a, kind_b = (kinds()[self.rng.choice(names.split())] for names in (kinds_a, kinds_b))
        a, b = self.rng.choice(kind_a.nouns), self.rng.choice(kind_b.nouns)
        if kind_a.name == kind_b.name or not differ(a, b):
            return None
        meant, kind, other, against = (a, kind_a, b, kind_b) if self.chance(0.5) else (b, kind_b, a, kind_a)
        relation = self.weighted({"addition": 7, "sequence": 9, "wish": 2 * (does == "S"), "contrast": 2})
        if relation == "addition":
            joint, mood = self.joint(relation), self.rng.choice(("past", "past", "spoken", "present"))
            half = self.only_of(kind, against, meant, mood if self.chance(0.8) else "present")
        else:
            if (plan := self.planned(relation)) is None:
                return None
            joint, mood, (then, negated) = plan
            actor = self.actor(who, negated) if does == "S" else self.person()
            half = self.act(kind, meant, actor, then, negated, own=True)
        if half is None or not sayable(row, who, mood) or against.says("done", half.word):
            return None
        slots = {"A": self.named(a, kind_a, who), "B": self.named(b, kind_b, who)}
        mood = "past" if does == "A" and mood == "spoken" else mood
        subject = who if does == "S" else slots["A"].who
        first = Said(row, subject, mood, adverb=self.adverb(mood, row)).told(**slots)
        return self.example_of(f"two {row[0]}", joint, first, half, meant, other)

    def only_of(self, kind: Kind, against: Kind, meant: Noun, mood: str) -> Half | None:
        """A clause with *it* as its subject that is true of one kind and not of the other."""
        plain, draw = "past" if mood == "spoken" else mood, self.rng.random()
        own = [word for word in kind.adjectives("own") if word not in against.adjectives("good", "bad", "own")]
        if own and draw < 0.45:
            row, reason = adjective(self.rng.choice(own))
            degree = self.degree(reason, reason.word not in kind.adjectives("bad"))
            clause, word = Said(row, it(meant), plain, degree=degree), reason.word
        elif draw < 0.9:
            clause, word = self.doing(kind, it(meant), mood)
        else:
            half = self.its(kind, meant, plain)
            return None if half is None or against.says("its", half.word.removeprefix("its ")) else half
        return None if against.says("does", word) else Half(clause.told(), word, form(IT, meant.gender, "1"))

    def caused(self) -> Example | None:
        """*The camel could not cross the street because it was icy.*"""
        event = self.rng.choice(happenings())
        (a, why_a), (b, why_b) = self.rng.choice(event.a), self.rng.choice(event.b)
        if not differ(a, b) or (event.name in pronouns.LIKE_FOR_LIKE and a.kind != b.kind):
            return None
        is_a, drawn, who = self.chance(0.5), self.rng.choice(event.moods), self.person()
        mood, negated = {"did": "past", "not": "past"}.get(drawn, drawn), drawn != "did"
        if self.chance(0.25):
            mood = {"past": "present", "could": "can", "wanted": "wants"}[mood]
        elif mood == "past" and self.chance(0.4):
            mood = "spoken"
        if not sayable(event.row, who, mood):
            return None
        named_a = self.named(a, None, may_a=not negated and not is_a)
        slots = {"A": named_a, "B": self.named(b, None, may_a=False)}
        subject = who if event.subject == "S" else named_a.who
        first = Said(event.row, subject, mood, negated)
        if self.chance(0.4):
            return self.conclusion(event, slots, is_a, why_a if is_a else why_b, first)
        joint = self.joint("reason")
        earlier = {"two sentences": "full stop"}.get(joint.name, joint.name)
        if is_held_out(f"frame {event.name} | {drawn} | {earlier}"):
            return None  # corpora.pronouns keeps it apart
        degree = self.rng.choice(rows(words.TOO if negated else words.VERY))
        halves = [(noun, self.because(why, it(noun), degree, mood)) for noun, why in ((a, why_a), (b, why_b))]
        (meant, half), (other, turned) = halves if is_a else reversed(halves)
        example = self.example_of(f"cause {event.row[0]} {mood}", joint, first.told(**slots), half, meant, other)
        twin_like = pronouns.twins(reasons()[half.word], reasons()[turned.word], degree[0])
        if example is None or not twin_like or "'" in example.english:
            return example
        english, german = sentence(joint, first.told(**slots), turned.told)
        return with_twin(example, Example(english, german, other, meant, turned.pronoun, turned.word, example.frame))

    def because(self, word: str, who: Who, degree: tuple[str, str], mood: str) -> Half:
        """The reason, of *it* or of its noun."""
        reason, in_past = reasons()[word], mood not in ("present", "can", "wants")
        if reason.is_adjective:
            degree = degree if reason.gradable else ("", "")
            told = Said(adjective(word)[0], who, "past" if in_past else "present", degree=degree).told()
        else:
            clause = Clause(who.german, reason.verbs[in_past], reason.german)
            told = f"{who.english} {reason.english[in_past]}", clause
        return Half(told, word, who.german)

    def told(self) -> Example | None:
        """*Tom rocked the cradle until it creaked*: common sense ties what follows to one of the two."""
        tale = self.rng.choice(all_tales())
        a, b = self.rng.choice(tale.a), self.rng.choice(tale.b)
        if not differ(a, b):
            return None
        who, is_a = self.rng.choice(people(words.WHO + ";" + tales.WHO)), self.chance(0.5)
        turn, meant, other = self.rng.choice(tale.turns[not is_a]), a if is_a else b, b if is_a else a
        relation, names = tales.JOINTS[turn.joint]
        table = {name: joint[2] for name, joint in words.JOINTS[relation].items() if name in names.split(", ")}
        joint = Joint(relation, self.weighted(table))
        mood = "past" if tale.mood != "past" else self.weighted({"past": 5, "spoken": 4, "present": 2})
        if mood == "present" and (relation == "time" and turn.joint not in ("until", "while")):
            mood = "past"
        if not sayable(tale.row, who, mood):
            return None
        slots = {"A": self.told_of(a, who, tale), "B": self.told_of(b, who, tale)}
        first_mood = tale.mood if tale.mood != "past" else mood
        if turn.joint == "until" and first_mood == "spoken" and self.chance(0.5):
            first_mood = "past"
        subject = who if tale.subject == "S" else slots["A"].who
        first = Said(tale.row, subject, first_mood, tale.negated).told(**slots)
        half = self.turned(turn, meant, who, mood, tale)
        frame = f"tale {tale.row[0]}"
        example = self.example_of(frame, joint, first, half, meant, other)
        twin_turns = [twin for twin in tale.turns[is_a] if twin.joint == turn.joint]
        if example is None or "'" in example.english or not twin_turns:
            return example
        half = self.turned(self.rng.choice(twin_turns), other, who, mood, tale)
        if half is None:
            return example
        english, german = sentence(joint, first, half.told)
        return with_twin(example, Example(english, german, other, meant, half.pronoun, half.word, example.frame))

    def told_of(self, noun: Noun, who: Who, tale: Tale) -> Named:
        """A noun of a tale with its determiner."""
        if noun.english in tales.ONLY.strip().split(", "):
            return Named(noun)
        is_mass = noun.english in words.MASS.split()
        table: dict[tuple[str, str], int] = {("the", ""): 8}
        if not is_mass:
            table |= {("this", ""): 1, ("that", ""): 1}
            if not tale.negated and noun.english not in known():
                table["a", ""] = 3
        if not is_mass and noun.german in owned():
            table["my", "mein"] = 1
            if tale.subject == "S" and who.whose[0]:
                table[who.whose] = 2
        return Named(noun, self.weighted(table))

    def turned(self, turn: Turn, meant: Noun, who: Who, mood: str, tale: Tale) -> Half | None:
        """The clause with *it* of a tale."""
        then, verb_of = turn.mood, turn.row[1].split()[0]
        if then == "past":
            then = mood
            if mood == "spoken" and verb_of in tales.IN_PAST.split():
                then = "past"
        elif mood == "present":
            then = {"was doing": "is doing", "could": "can", "wanted": "wants", "had to": "must"}.get(then, "perfect")
            if turn.mood == "was done":
                return None
        if turn.joint == "after" and turn.mood == "past":
            then = "pluperfect"
        if turn.joint == "to":
            then = "to"
        english = turn.row[0]
        if not re.search(r"\bI\b", english):
            degree = ("", "")
            reason = reasons().get(english.removeprefix("be "))
            is_open = turn.joint in ("because", "although", "stop") and not turn.negated
            if english.startswith("be ") and reason and reason.gradable and is_open and self.chance(0.35):
                degree = self.rng.choice(rows(words.VERY))
            told = Said(turn.row, it(meant), then, turn.negated, degree=degree).told()
            return Half(told, english, form(IT, meant.gender, "1"))
        actor, negated = who.pronoun, turn.negated
        if tale.subject == "A" or turn.anybody:
            nobody, somebody, _, *others = people(words.OTHERS)
            if negated and self.chance(0.6):
                actor, negated = nobody, False
            else:
                others = [other for other in (*others, *people(tales.WHO)) if who.again[0] not in other.again]
                is_bad = turn.row[1].split()[0] in tales.BAD.split()
                actor = somebody if is_bad else self.rng.choice([*others, *([] if negated else [somebody] * 4)])
        return self.done(turn.row, meant, actor, then, negated) if sayable(turn.row, actor, then) else None

    def conclusion(self, event: Happening, slots: dict[str, Named], is_a: bool, word: str, act: Said) -> Example | None:
        """*The street was icy. That's why the camel could not cross it.*"""
        slot, other = ("A", slots["B"]) if is_a else ("B", slots["A"])
        meant, case = slots[slot], "4"
        english, german = event.row
        if is_a and event.subject == "A":
            act, case = replace(act, who=it(meant.noun)), "1"
        elif re.search(rf"^\S+ {slot}4| (mir|uns) {slot}4", german):
            act = replace(act, row=(re.sub(rf"\b{slot}\b", "I", english), german.replace(f"{slot}4", "I4")))
        else:  # behind a preposition
            return None
        first = self.because(word, meant.who, ("", ""), act.mood).told
        half = Half(act.told(I=pronoun_of(meant.noun), **slots), word, form(IT, meant.noun.gender, case))
        frame = f"follow {event.row[0]} {act.mood}"
        return self.example_of(frame, self.joint("consequence"), first, half, meant.noun, other.noun)

    def contest(self) -> Example | None:
        """*I like the lamp better than the clock because it is cheaper.*"""
        groups, better, worse = self.rng.choice(words.CONTESTS)
        a, b = (self.rng.choice([noun for name in groups.split() for noun in nouns(name)]) for _ in range(2))
        if not differ(a, b):
            return None
        good, shape = self.chance(0.5), self.rng.choice(("like", "rather", "not … but", "compare", "want"))
        more, mehr = self.rng.choice(rows(better if good else worse))
        who, mood = self.person(), self.rng.choice(("present", "past"))
        if shape == "like" and who.english not in DATIVE:
            return None
        if shape in ("compare", "want"):
            return self.compared(shape, Named(a), Named(b), who, mood, (more, mehr), good)
        meant, other = (b, a) if good == (shape == "not … but") else (a, b)
        reason = Said((f"be {more}", f"sein {mehr}"), it(meant), mood).told()
        half = Half(reason, more, form(IT, meant.gender, "1"))
        first = preferred(shape, Named(a), Named(b), who, mood)
        return self.example_of(f"contest {shape}", self.joint("reason"), first, half, meant, other)

    def compared(
        self, shape: str, one: Named, two: Named, who: Who, mood: str, more: tuple[str, str], good: bool
    ) -> Example | None:
        """*The lamp is cheaper than the clock, so I take it*; *I wanted the clock, but the lamp was cheaper …*"""
        row = self.rng.choice(rows(words.CHOOSING))
        name, joint = row[1].split()[0], self.joint("consequence")
        if shape == "compare":
            first = Said((f"be {more[0]} than B", f"sein {more[1]} als B1"), one.who, mood).told(B=two)
            half = self.done(row, one.noun, who, mood, negated=not good)
            return self.example_of(f"contest {shape}", joint, first, half._replace(word=more[0]), one.noun, two.noun)
        if not good or is_state(row):
            return None
        wanted = Said((row[0].replace("I", "A"), f"{name} A4"), who, "wanted").told(A=one)
        was = Said((f"be {more[0]}", f"sein {more[1]}"), two.who).told()
        first = f"{wanted[0]}, but {was[0]}", Clause(f"{wanted[1].main()}, aber {was[1].main()}", "", "")
        half = self.done(row, two.noun, who.pronoun, "past")
        if joint.name == "which is why":
            return None
        return self.example_of(f"contest {shape}", joint, first, half._replace(word=more[0]), two.noun, one.noun)


@functools.cache
def known() -> frozenset[str]:
    """English nouns that have no *a*."""
    return frozenset(" ".join(word.split()) for word in tales.KNOWN.split(","))


@functools.cache
def owned() -> frozenset[str]:
    """German nouns of what can be mine."""
    return frozenset(noun.german for group in OWNED.split() for noun in nouns(group))


def with_twin(example: Example, twin: Example) -> Example:
    return replace(example, twin=replace(twin, twin=example))


DATIVE = {"I": "mir", "you": "dir", "he": "ihm", "she": "ihr", "we": "uns", "they": "ihnen"}


def preferred(shape: str, one: Named, two: Named, who: Who, mood: str) -> Told:
    """One rather than the other."""
    if shape == "not … but":
        return Said(("choose B instead of A", "nehmen nicht A4, sondern B4"), who, mood).told(A=one, B=two)
    if shape == "rather":
        had = {2: "hättest", 4: "hätten", 6: "hätten"}.get(who.person, "hätte")
        german = Clause(who.german, had, f"lieber {one.german('4')} als {two.german('4')}")
        return f"{who.english} would rather have {one.english} than {two.english}", german
    english = Said(("like A better than B", ""), who, mood).english({"A": one, "B": two})
    middle = f"{DATIVE[who.english]} besser als {two.german('1')}"
    return english, Clause(one.german("1"), verb("gefallen").finite(3, mood == "past"), middle)


# ─── 5 The narrator ──────────────────────────────────────────────────────────────────────────────────────────────────
GENDERS = {"m": 42, "f": 31, "n": 27}  # a model that knows little says *es*; *er* and *ihn* share the first


class Narrator(OneNoun, TwoNouns):
    """Draws examples of one split, "train" or "test"."""

    def __init__(self, seed: int = 0, split: str = "train"):
        if split not in ("train", "test"):
            raise ValueError(f"split is {split!r}; choose train or test.")
        super().__init__(random.Random(f"antecedents {seed} {split}"))
        self.split = split
        self.makers: dict[Callable[[], Example | None], int] = {
            self.judged: 17, self.placed: 9, self.acted: 14, self.concluded: 10, self.asked: 9, self.ordered: 4,
            self.of_two: 27, self.caused: 34, self.told: 30, self.contest: 8,
        }  # fmt: skip

    def example(self) -> Example:
        while True:
            gender, make = self.weighted(GENDERS), self.weighted(self.makers)
            for _ in range(200):
                example = make()
                if example and example.meant.gender == gender and self.fits(example):
                    is_apart = example.twin is not None and not self.fits(example.twin)
                    return replace(example, twin=None) if is_apart else example

    def fits(self, example: Example) -> bool:
        """Whether all that may be held out is (test), or nothing (train)."""
        names = {noun.english for noun in (example.meant, example.other) if noun}
        if example.english in SHOWN or names == {"animal", "street"}:  # the documents' own
            return False
        keys = example.keys if example.other else example.keys[1:]
        return all(is_held_out(key) == (self.split == "test") for key in keys)


def examples(seed: int = 0, split: str = "train") -> Iterator[Example]:
    """Examples without end, no English sentence twice."""
    narrator, seen = Narrator(seed, split), set[str]()
    while True:
        example = narrator.example()
        if example.english not in seen:
            seen.add(example.english)
            yield example


def sample(n: int, seed: int = 0, split: str = "train") -> list[Example]:
    """n different examples; the same for the same arguments."""
    return list(itertools.islice(examples(seed, split), n))


# ─── 6 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = pronouns.parser_of("corpora.antecedents", __doc__, 30000)
    options = pronouns.asked(parser, arguments)
    splits = {split: sample(n, options.seed, split) for split, n in (("train", options.n), ("test", options.test))}
    pairs = {split: [(example.english, example.german) for example in drawn] for split, drawn in splits.items()}
    try:
        pronouns.save(options.folder, pairs["train"], pairs["test"], options.into)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
