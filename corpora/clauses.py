"""Clauses said in English and in German: verbs in every form, persons, noun phrases, and how two clauses are joined.

A clause is a row of a table, "find A in B" and "finden A4 - in B3" (antecedent_words.py says how it is written), said
of a subject in a mood. English comes out whole; German as a Clause, which has yet to take the order of a main, an
inverted or a subordinate clause.

    1  Verbs    every form of a verb, by rule or by table
    2  Persons  who does it, or what
    3  Clauses  a row in a mood, of a subject
    4  Joints   two clauses in one sentence, or in two

    row = ("put A into B", "legen A4 - in B4")
    Said(row, tom, "perfect").told(A=Named(letter), B=Named(box))     # Tom has put the letter into the box
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from corpora import antecedent_words as words
from corpora.pronouns import CASES, ENDINGS, IT, MIXED, THE, THIS, Clause, Noun, entries, finished, form, joined, plural

Told = tuple[str, Clause]  # a clause: the English one, and the German one before its order
Row = tuple[str, str]  # "find A", "finden A4 -"


@functools.cache
def rows(table: str) -> list[Row]:
    """ "a = b; c = d" as [(a, b), (c, d)]."""
    return [(english, german) for english, german in entries(table)]


# ─── 1 Verbs ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@functools.cache
def irregular() -> dict[str, list[str]]:
    return {row.split()[0]: row.split() for row in words.IRREGULAR.split(";")}


@functools.cache
def strong() -> dict[str, list[str]]:
    return {row.split()[0]: row.split() for row in words.STRONG.split(";")}


def third(verb: str) -> str:
    """*he carries*."""
    special = {"be": "is", "have": "has"}.get(verb)
    if verb[-1] == "y" and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return special or verb + ("es" if re.search(r"(s|x|ch|sh|o)$", verb) else "s")


def past(verb: str) -> list[str]:
    """*carried*, *has carried*."""
    if verb in irregular():
        return irregular()[verb][1:]
    if verb[-1] == "y" and verb[-2] not in "aeiou":
        return [verb[:-1] + "ied"] * 2
    doubled = verb[-1] if verb in words.DOUBLED.split() else ""
    return [verb + ("d" if verb.endswith("e") else doubled + "ed")] * 2


def ing(verb: str) -> str:
    """*carrying*."""
    if verb in words.DOUBLED.split():
        return verb + verb[-1] + "ing"
    return {"lie": "lying", "be": "being", "die": "dying", "tie": "tying"}.get(verb) or re.sub(
        r"([^e])e$", r"\1", verb
    ) + "ing"


@dataclass(frozen=True)
class Verb:
    """A German verb: er trägt … mit, er trug … mit, er hat … mitgetragen."""

    particle: str
    infinitive: str
    third: str
    past: str
    participle: str
    helper: str  # haben or sein

    def finite(self, person: int, in_past: bool) -> str:
        """Of ich 1, du 2, er 3, wir 4, sie 6."""
        if in_past:
            return plural(self.past) if person > 3 else self.past + ("st" if person == 2 else "")
        if person > 3:
            return "sind" if self.infinitive == "sein" else self.infinitive
        return {1: self.first(), 2: self.second(), 3: self.third}[person]

    def first(self) -> str:
        if self.third[-1] != "t":  # kann, will, mag
            return "werde" if self.infinitive == "werden" else self.third
        special = {"sein": "bin", "tun": "tue"}.get(self.infinitive)
        return special or re.sub(r"eln$", "le", re.sub(r"ern$", "ere", self.infinitive)).removesuffix("n")

    def second(self) -> str:
        stem = self.third.removesuffix("t")
        return words.YOU.get(self.infinitive) or stem + ("t" if stem[-1] in "sßzx" else "st")


@functools.cache
def verb(infinitive: str) -> Verb:
    """By its infinitive; a "|" stands behind the particle of a separable one, a digit sets two verbs apart."""
    particle, _, base = infinitive.rpartition("|")
    with_sein = {base, particle + base} & set(words.WITH_SEIN.split())
    helper = "sein" if with_sein else "haben"
    if base in strong():
        _, er, once, done = strong()[base]
        return Verb(particle, base.rstrip("2"), er, once, done, helper)
    stem = re.sub(r"(e?n)$", "", base) if not base.endswith(("eln", "ern")) else base[:-1]
    e = "e" if re.search(r"([td]|(ch|[bfgkt])n|tm)$", stem) else ""
    without_ge = base.startswith(("be", "ver", "er", "ent", "zer", "ge")) or base.endswith("ieren")
    return Verb(particle, base, f"{stem}{e}t", f"{stem}{e}te", f"{'' if without_ge else 'ge'}{stem}{e}t", helper)


# ─── 2 Persons ───────────────────────────────────────────────────────────────────────────────────────────────────────
EIN = {"m": "ein einen einem", "f": "eine eine einer", "n": "ein ein einem"}
OWN_ENDINGS = {"m": ("", "en", "em"), "f": ("e", "e", "er"), "n": ("", "", "em")}
BE = {1: "am", 3: "is"}


@dataclass(frozen=True)
class Who:
    """The subject of a clause; person as in Verb.finite. again: its pronoun; whose: of what is its own."""

    english: str
    german: str
    person: int = 3
    again: tuple[str, str] = ("", "")
    whose: tuple[str, str] = ("", "")

    @property
    def pronoun(self) -> Who:
        return replace(self, english=self.again[0], german=self.again[1])


@functools.cache
def people(table: str) -> tuple[Who, ...]:
    read = []
    for english, german in entries(table):
        name, *rest = re.split(r" (?=\d )", german)
        person, *forms = rest[0].split()
        read.append(Who(english, name, int(person), (forms[0], forms[1]), (forms[2], forms[3])))
    return tuple(read)


@dataclass(frozen=True)
class Named:
    """A noun with its determiner (the, a, this, that, or whose it is) and perhaps an adjective, (English, German)."""

    noun: Noun
    determiner: tuple[str, str] = ("the", "")
    look: tuple[str, str] | None = None

    @property
    def english(self) -> str:
        rest = joined(self.look[0] if self.look else "", self.noun.english)
        vowel = rest[0] in "aeioAEIO" or (rest[0] == "u" and not rest.startswith(("uni", "use")))
        return f"an {rest}" if self.determiner[0] == "a" and vowel else f"{self.determiner[0]} {rest}"

    def german(self, case: str) -> str:
        g, (english, own) = self.noun.gender, self.determiner
        if own:
            word = own + OWN_ENDINGS[g][CASES[case]]
        else:
            word = form({"the": THE, "a": EIN, "this": THIS, "that": THIS}[english], g, case)
        endings = MIXED if own or english == "a" else ENDINGS
        look = self.look[1] + form(endings, g, case) if self.look else ""
        return joined(word, look, self.noun.german if case == "1" else self.noun.oblique)

    @property
    def who(self) -> Who:
        return Who(self.english, self.german("1"))


def it(noun: Noun) -> Who:
    return Who("it", form(IT, noun.gender, "1"), 3, ("it", form(IT, noun.gender, "1")))


# ─── 3 Clauses ───────────────────────────────────────────────────────────────────────────────────────────────────────
MOODS = {  # English helper, the form behind; German helper, in the past; the form behind
    "present": ("", "", "", False, ""),
    "past": ("", "", "", True, ""),
    "spoken": ("", "", "haben", False, "participle"),
    "perfect": ("have", "participle", "haben", False, "participle"),
    "pluperfect": ("had", "participle", "haben", True, "participle"),
    "was doing": ("be", "ing", "", True, ""),
    "is doing": ("be", "ing", "", False, ""),
    "will": ("will", "bare", "werden", False, "infinitive"),
    "can": ("can", "bare", "können", False, "infinitive"),
    "could": ("could", "bare", "können", True, "infinitive"),
    "must": ("must", "bare", "müssen", False, "infinitive"),
    "wanted": ("want to", "", "wollen", True, "infinitive"),
    "wants": ("want to", "", "wollen", False, "infinitive"),
    "had to": ("have to", "", "müssen", True, "infinitive"),
    "to": ("", "", "", False, "infinitive"),
    "was done": ("be", "participle", "werden", True, "participle"),
    "has been done": ("have been", "participle", "sein", False, "worden"),
    "will be done": ("will be", "participle", "werden", False, "werden"),
}
IN_PAST = ("past", "spoken", "pluperfect", "was doing", "wanted", "had to", "was done")


@dataclass(frozen=True)
class Said:
    """A row in a mood, said of a subject. slots: A, B, I (*it*), each with its English, and its German by case."""

    row: Row
    who: Who
    mood: str = "past"
    negated: bool = False
    adverb: tuple[str, str] = ("", "")
    degree: tuple[str, str] = ("", "")

    def english(self, slots: dict[str, Named | Who], asked: bool = False) -> str:
        bare, _, rest = self.row[0].partition(" ")
        for slot, named in slots.items():
            rest = re.sub(rf"\b{slot}\b", "it" if isinstance(named, Who) else named.english, rest)
        helper, main = self.english_verb(bare, asked)
        middle = "not" if self.negated else ""
        order = (helper, self.who.english, middle) if asked else (self.who.english, helper, middle)
        text = joined(*order, main, self.degree[0], rest, self.adverb[0])
        return text.replace("can not", "cannot")

    def english_verb(self, bare: str, asked: bool) -> tuple[str, str]:
        """The finite helper, if there is one, and the verb behind."""
        helper, kind, *_ = MOODS[self.mood]
        is_third, in_past = self.who.person == 3, self.mood in IN_PAST
        forms = {"bare": bare, "ing": ing(bare), "participle": past(bare)[1], "": bare}
        be = ("was" if self.who.person in (1, 3) else "were") if in_past else BE.get(self.who.person, "are")
        if helper in ("", "want to", "have to"):
            head, tail = (bare, "") if not helper else (helper[:4], f"to {bare}")
            if head == "be":
                return be, tail
            if self.negated or asked:
                return "did" if in_past else "does" if is_third else "do", joined(head, tail)
            return "", joined(past(head)[0] if in_past else third(head) if is_third else head, tail)
        first, _, rest = helper.partition(" ")
        first = {"be": be, "have": "has" if is_third else "have"}.get(first, first)
        return first, joined(rest, forms[kind])

    def german(self, slots: dict[str, Named | Who]) -> Clause:
        name, _, middle = self.row[1].partition(" ")
        act, (_, _, helper, in_past, last) = verb(name), MOODS[self.mood]
        if self.mood == "spoken" and name in words.PLAIN.split():
            helper, in_past, last = "", True, ""
        middle = self.with_words(middle, slots)
        if not helper:
            return Clause(
                self.who.german, act.finite(self.who.person, in_past), middle, act.particle, bool(act.particle)
            )
        if helper == "haben":
            helper = act.helper
        end = act.particle + (act.infinitive if last == "infinitive" else act.participle)
        end = joined(end, last if last in ("worden", "werden") else "")
        return Clause(self.who.german, verb(helper).finite(self.who.person, in_past), middle, end)

    def with_words(self, middle: str, slots: dict[str, Named | Who]) -> str:
        """The middle of the clause, with its nouns, its *nicht* and its adverb."""
        indefinite = any(isinstance(named, Named) and named.determiner[0] == "a" and f"{slot}4" in middle
                         for slot, named in slots.items())  # fmt: skip
        ahead, here = (self.adverb[1], "") if indefinite else ("", self.adverb[1])
        if " -" not in f" {middle}":
            here, ahead = "", joined(here, ahead)
        placed = joined(here, "nicht" if self.negated else "")
        text = joined(*(placed if word == "-" else word for word in middle.split(" ")))
        text = joined(self.degree[1], text) if self.degree[1] else text
        for slot, named in slots.items():
            for case in "134":
                german = form(IT, named.whose[1], case) if isinstance(named, Who) else named.german(case)
                text = re.sub(rf"\b{slot}{case}\b", german, text)
        return joined(ahead, text)

    def told(self, **slots: Named | Who) -> Told:
        """Both; in the mood "to" without a subject."""
        if self.mood == "to":
            bare, _, rest = self.row[0].partition(" ")
            name, _, middle = self.row[1].partition(" ")
            act = verb(name)
            last = f"{act.particle}zu{act.infinitive}" if act.particle else f"zu {act.infinitive}"
            return joined(bare, re.sub(r"\bI\b", "it", rest)), Clause("", "", self.with_words(middle, slots), last)
        return self.english(slots), self.german(slots)


def pronoun_of(noun: Noun) -> Who:
    """*It* as an object; whose: its gender."""
    return Who("it", "", 3, whose=("its", noun.gender))


# ─── 4 Joints ────────────────────────────────────────────────────────────────────────────────────────────────────────
class Joint(NamedTuple):
    relation: str
    name: str


def sentence(joint: Joint, first: Told, second: Told) -> tuple[str, str]:
    """Two clauses joined, English and German, with their capitals."""
    template = words.JOINTS[joint.relation][joint.name]
    forms: dict[str, str] = {}
    for key, (_, clause) in (("F", first), ("S", second)):
        forms |= {key: clause.main(), f"{key}i": clause.inverted(), f"{key}s": clause.subordinate()}
    return start(template[0].format(F=first[0], S=second[0])), written(template[1].format(**forms))


def start(text: str) -> str:
    """A capital at the start of each sentence."""
    return re.sub(r'(^|[.?!]["“]? (?:- )?)(["„]?)(\w)', lambda match: match[1] + match[2] + match[3].upper(), text)


def written(german: str) -> str:
    german = re.sub(r"\bzu dem\b", "zum", re.sub(r"\bzu der\b", "zur", german))
    return start(finished(german))
