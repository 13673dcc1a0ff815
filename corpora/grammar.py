"""A small grammar that speaks English and German at once, so that every answer is known.

    python -m corpora.grammar DIR [--n 20000] [--difficulty 2] [--seed 0]

Each pair comes with the truth that a model is never told: which English word became which German one, the English
sentence's tree, and what each pronoun stands for. So attention can be held against it.

    1  Words         tables: the row is the dictionary entry, the columns are its forms
    2  Inflection    tables: articles, endings, pronouns
    3  The pair      what a sentence is given out with
    4  Phrases       noun phrases and relative clauses
    5  Clauses       one verb and its places; German main clauses put the verb second, others put it last
    6  Sentences     the constructions, and how often each comes at a difficulty
    7  Corpus        an endless stream, split by the sentence itself, and its files
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora.lexicon import *

# ─── 3 The pair ──────────────────────────────────────────────────────────────────────────────────────────────────────
Span = tuple[int, int]  # of English tokens, the end not included


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, its translation, and the truth about both.

    alignment: (i, j) where English token i and German token j say the same; only German commas stand for nothing.
    tree: the English sentence in brackets, as in the Penn Treebank. coreference: pronoun -> what it stands for.
    """

    english_tokens: tuple[str, ...]
    german_tokens: tuple[str, ...]
    alignment: frozenset[tuple[int, int]]
    tree: str
    coreference: dict[Span, Span]

    @property
    def english(self) -> str:
        return written(self.english_tokens)

    @property
    def german(self) -> str:
        return written(self.german_tokens)

    @property
    def pharaoh(self) -> str:
        """The alignment as a line of "i-j"."""
        return " ".join(f"{i}-{j}" for i, j in sorted(self.alignment))

    @property
    def references(self) -> str:
        """The coreference as a line of "pronoun:antecedent", each a span "start-end"."""
        return " ".join(f"{a}-{b}:{c}-{d}" for (a, b), (c, d) in sorted(self.coreference.items()))


def written(tokens: Sequence[str]) -> str:
    """Tokens as one writes them: no space before a comma, a full stop, or 's."""
    return " ".join(tokens).replace(" ,", ",").replace(" .", ".").replace(" 's", "'s")


class Leaf:
    """An English word in its tree; `at` is its place once the sentence is whole."""

    __slots__ = ("at", "tag", "text")

    def __init__(self, tag: str, text: str):
        self.tag, self.text, self.at = tag, text, -1


Tree = list[Any]  # a label, then trees and leaves
Words = list[tuple[str, tuple[Leaf, ...]]]  # German words, each with the English ones it stands for
COMMA: tuple[str, tuple[Leaf, ...]] = (",", ())


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def first_leaf(tree: Tree) -> Leaf:
    return tree[1] if isinstance(tree[1], Leaf) else first_leaf(tree[1])


def brackets(tree: Tree, leaves: list[Leaf]) -> str:
    """The tree as text; its leaves are numbered and gathered on the way."""
    parts = [tree[0]]
    for child in tree[1:]:
        if child.__class__ is Leaf:
            child.at = len(leaves)
            leaves.append(child)
            parts.append(f"({child.tag} {child.text})")
        else:
            parts.append(brackets(child, leaves))
    return f"({' '.join(parts)})"


@dataclass(frozen=True, slots=True)
class Level:
    """How often things come: shares from 0 to 1, how deep clauses nest, and the weight of each construction."""

    adjective: float
    plural: float
    adverbial: float
    negation: float
    relative: float
    possession: float
    leading: float
    depth: int
    constructions: dict[str, int]


LEVELS = {
    1: Level(0.25, 0.15, 0.2, 0.15, 0.0, 0.0, 0.0, 0, {"simple": 1}),
    2: Level(0.25, 0.2, 0.3, 0.2, 0.15, 0.1, 0.0, 1, {"simple": 5, "hindered": 2, "wanted": 2, "making": 1}),
    3: Level(0.4, 0.3, 0.4, 0.25, 0.3, 0.2, 0.2, 2, {"simple": 4, "hindered": 3, "wanted": 3, "making": 2, "reported": 3}),
}


# ─── 4 Phrases and clauses ───────────────────────────────────────────────────────────────────────────────────────────
@dataclass(slots=True)
class NounPhrase:
    """A noun phrase in both languages. tail: its German relative clause, which may stand apart from it."""

    tree: Tree
    german: Words
    gender: str  # m f n p
    he: str  # the English pronoun: he she it they
    kind: str = ""  # of the noun; none if it is a pronoun
    ends: tuple[Leaf, ...] = ()  # first and last word, without a relative clause
    tail: Words = field(default_factory=list)


@dataclass(slots=True)
class Clause:
    """A clause whose German words still wait for their order.

    inner: the English verb phrase that another clause may join. verb: the finite verb and what ends a main clause;
    final: how the same end a subordinate one. tail: German clauses after the verb. front: what comes before the subject.
    """

    tree: Tree
    inner: Tree
    subject: NounPhrase
    objects: list[NounPhrase]
    middle: Words
    verb: Words
    final: Words
    tail: Words = field(default_factory=list)
    front: Words = field(default_factory=list)

    def german(self, last: bool = False) -> Words:
        """With the finite verb second, after the subject or what stands in front; or last: weil es zu müde war."""
        subject = [*self.subject.german, *self.subject.tail, *([COMMA] if self.subject.tail else [])]
        if last:
            return [*subject, *self.middle, *self.final, *self.tail]
        first, then = (self.front, subject) if self.front else (subject, [])
        return [*first, self.verb[0], *then, *self.middle, *self.verb[1:], *self.tail]

    def put_first(self, tree: Tree, german: Words) -> None:
        self.tree[1:1], self.front = [tree], german


def conjugated(verb: Verb, tense: str, plural: bool, sources: tuple[Leaf, ...], aux: Leaf | None) -> tuple[Words, Words]:
    """A German verb as a main clause has it, its parts apart, and as it ends a subordinate one."""
    if tense in ("past", "present"):
        form = verb.german["base" if plural and tense == "present" else tense]
        form += ("n" if form.endswith("e") else "en") if plural and tense == "past" else ""
        apart: Words = [(form, sources), (verb.prefix, sources)]
        return apart if verb.prefix else apart[:1], [(verb.prefix + form, sources)]
    assert aux is not None
    finite = (AUXILIARY[verb.auxiliary if tense == "perfect" else tense][plural], (aux,))
    rest = (verb.prefix + verb.german["participle" if tense == "perfect" else "base"], sources)
    return [finite, rest], [rest, finite]


def article(word: str, case: str, gender: str, following: str, negation: Leaf | None) -> tuple[Tree, Words, Forms]:
    """the, this, a or nothing, its German, and the endings of adjectives after it; "not … a" becomes kein."""
    if word in ("the", "this"):
        leaf = Leaf("DT", "these" if word == "this" and gender == "p" else word)
        german = DER[case][gender] if word == "the" else "dies" + DIESER[case][gender]
        return [leaf], [(german, (leaf,))], WEAK
    leaves = [Leaf("DT", "an" if following[0] in "aeiou" else "a")] if word else []
    if negation:
        return leaves, [("kein" + EIN[case][gender], (negation, *leaves))], MIXED
    return leaves, [("ein" + EIN[case][gender], tuple(leaves))] if word else [], MIXED if word else STRONG


THE, DEFINITE = ("the",), (*["the"] * 7, "this")
ANY = (*DEFINITE, "a", "a", "a")
LIVING = ("person", "animal", "ruler")


def english_verb(verb: Verb, tense: str, plural: bool, negated: bool) -> tuple[Leaf | None, Leaf]:
    """The auxiliary, if there is one, and the verb: did … cross, has crossed, crossed."""
    tag = "VBD" if tense == "past" else "VBP" if plural else "VBZ"
    if tense in ("past", "present"):
        if negated:
            return Leaf(tag, "did" if tense == "past" else "do" if plural else "does"), Leaf("VB", verb.english["base"])
        return None, Leaf(tag, verb.english["base" if tag == "VBP" else tense])
    if tense == "perfect":
        return Leaf(tag, "have" if plural else "has"), Leaf("VBN", verb.english["participle"])
    return Leaf("MD", tense), Leaf("VB", verb.english["base"])


def contracted(words: Words) -> Words:
    """in dem Garten: im Garten; in das Haus: ins Haus."""
    (preposition, a), (following, b), *rest = words
    if short := CONTRACTED.get((preposition, following)):
        return [(short, a + b), *rest]
    return words


class Speaker:
    """Says sentences: each method makes one kind of phrase, in both languages at once."""

    def __init__(self, seed: int = 0, difficulty: int = 2):
        if difficulty not in LEVELS:
            raise ValueError(f"difficulty is {difficulty!r}; choose one of {', '.join(map(str, LEVELS))}.")
        self.rng, self.level = random.Random(f"{seed} {difficulty}"), LEVELS[difficulty]
        self.links: list[tuple[Leaf, NounPhrase]] = []  # pronouns and what they stand for

    def maybe(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, words: str) -> str:
        return self.rng.choice(words.split())

    def noun_phrase(
        self, kinds: tuple[str, ...], case: str, articles: tuple[str, ...] = ANY, *, negation: Leaf | None = None,
        owner: NounPhrase | None = None, plural: float = -1, adjective: float = -1, depth: int = 0,
    ) -> NounPhrase:  # fmt: skip
        """A noun of these kinds. negation: a "not" that kein may take over; owner: who his or her may mean."""
        noun, level = self.rng.choice(nouns(kinds)), self.level
        many = noun.countable and self.maybe(plural if plural >= 0 else level.plural)
        gender, fitting = "p" if many else noun.gender, FITTING.get(noun.kind)
        adjectives = [Leaf("JJ", self.pick(fitting))] if fitting and self.maybe(adjective if adjective >= 0 else level.adjective) else []
        names = [Leaf("JJ" if word in ("stray", "wooden") else "NN", word) for word in noun.english[many]]
        names[-1].tag = "NNS" if many else "NN"
        words, after = [*adjectives, *names], Words()
        word = self.rng.choice(articles)
        if noun.kind in OWNED and case != "gen" and word not in ("this", "") and self.maybe(level.possession):
            determiner, german, endings, after = self.possessive(case, gender, owner)
        else:
            if word == "a" and (many or not noun.countable):
                word = "the" if noun.kind in LIVING else ""
            determiner, german, endings = article(word, case, gender, words[0].text, negation)
        for adjective in adjectives:
            base = GERMAN_ADJECTIVE[adjective.text]
            german.append((STEMS.get(base, base) + endings[case][gender], (adjective,)))
        german += [(noun.german[many][case], tuple(names)), *after]
        he = "they" if many else "it" if noun.kind != "person" else "she" if names[-1].text in SHE else "he"
        first = determiner[0] if determiner else words[0]
        first = first[1] if isinstance(first, list) else first
        phrase = NounPhrase(["NP", *determiner, *words], german, gender, he, noun.kind, (first, names[-1]))
        if depth and self.maybe(level.relative):
            self.add_relative_clause(phrase, depth - 1)
        return phrase

    def possessive(self, case: str, gender: str, owner: NounPhrase | None) -> tuple[Tree, Words, Forms, Words]:
        """his, her … of the owner, or the teacher's …; the last words of German, des Lehrers, follow the noun."""
        if owner and owner.kind:
            leaf = Leaf("PRP$", HE[owner.he][2])
            self.links.append((leaf, owner))
            stem = "sein" if owner.gender in "mn" else "ihr"
            return [leaf], [(stem + EIN[case][gender], (leaf,))], MIXED, []
        other, leaf = self.noun_phrase(("person",), "gen", THE), Leaf("POS", "'s")
        if other.gender == "p":
            leaf.text = "'s" if not other.ends[1].text.endswith("s") else "'"
        return [[*other.tree, leaf]], [(DER[case][gender], (leaf,))], WEAK, other.german

    def pronoun(self, antecedent: NounPhrase, case: str) -> NounPhrase:
        """he, him, it …; in German its gender is the antecedent's: the street … it, die Straße … sie."""
        leaf = Leaf("PRP", HE[antecedent.he][case != "nom"])
        self.links.append((leaf, antecedent))
        return NounPhrase(["NP", leaf], [(PRONOUN[case][antecedent.gender], (leaf,))], antecedent.gender, antecedent.he)

    def add_relative_clause(self, head: NounPhrase, depth: int) -> None:
        """… who helped the boy, … that the man bought, … whose dog was very tired."""
        style = self.pick("who whom whose") if head.kind == "person" else "that"
        leaf = Leaf({"whose": "WP$", "that": "WDT"}.get(style, "WP"), style)
        wh, case, owned = ["WHNP", leaf], "nom", NounPhrase([], [], head.gender, head.he)
        if style in ("whom", "that"):
            verb = self.rng.choice(verbs("", "", head.kind))
            case, clause = verb.what[0][0], self.clause(verb, "past", objects=[], depth=depth)
        elif style == "whose":
            case, owned = "gen", self.noun_phrase(("animal",), "nom", ("",))
            wh += owned.tree[1:]
        relative = (RELATIVE[case][head.gender], (leaf,))
        if style in ("who", "whose"):
            subject = NounPhrase(["NP"], [relative, *owned.german], owned.gender, owned.he)
            if style == "who":
                clause = self.clause(self.rng.choice(verbs("", "person", "*")), "past", subject, depth=depth)
            else:
                clause = self.being(subject, "very", "animate", "past")
        words = clause.german(last=True)
        head.tree = ["NP", head.tree, ["SBAR", wh, clause.tree]]
        head.tail = [COMMA, *words] if style in ("who", "whose") else [COMMA, relative, *words]

    def place(self, verb: Verb, subject: str) -> tuple[Tree, Words]:
        """Where (dative) or whither (accusative): in the garden, im Garten; into the garden, in den Garten."""
        where, whither, german, kinds = self.rng.choice(PLACES["animal" if verb.what else subject])
        case, english = ("dat", where) if "where" in verb.uses else ("acc", whither)
        leaves = [Leaf("IN", word) for word in english.split("_")]
        phrase = self.noun_phrase(tuple(kinds.split()), case, THE, plural=0)
        return ["PP", *leaves, phrase.tree], contracted([(german, tuple(leaves)), *phrase.german])

    def adverbial(self, tense: str) -> tuple[Tree, Words]:
        """yesterday, every day …; of what is past also during the concert, because of the rain, with the genitive."""
        if tense == "past" and self.maybe(0.3):
            kind, english, german = self.rng.choice(CIRCUMSTANCES)
            leaves = [Leaf("IN", word) for word in english.split()]
            bare = kind == "weather" and self.maybe(0.5)  # wegen schlechten Wetters
            phrase = self.noun_phrase((kind,), "gen", ("",) if bare else THE, plural=0, adjective=1 if bare else -1)
            return ["PP", *leaves, phrase.tree], [(german, tuple(leaves)), *phrase.german]
        pairs = [word.split("=") for word in self.pick(TIMES[tense]).split("_")]
        leaves = [Leaf("RB" if len(pairs) == 1 else "NN" if i else "JJ", english) for i, (english, _) in enumerate(pairs)]
        words: Words = [(german, (leaf,)) for (_, german), leaf in zip(pairs, leaves, strict=True)]
        return ["ADVP" if len(pairs) == 1 else "NP", *leaves], words

    def clause(
        self, verb: Verb, tense: str, subject: NounPhrase | None = None, *, negated: bool = False, adverbials: bool = False,
        objects: list[NounPhrase] | None = None, articles: tuple[str, ...] = ANY, plain: bool = False, depth: int = 0,
    ) -> Clause:  # fmt: skip
        """One verb with its subject, its objects ([]: they stand elsewhere), a place or an adverbial."""
        subject = subject or self.noun_phrase(verb.who, "nom", DEFINITE if negated else ANY, depth=depth)
        plural, no = subject.gender == "p", Leaf("RB", "not") if negated else None
        when = self.adverbial(tense) if adverbials else None
        if objects is None:
            deepest = 0 if when or verb.uses & PLACED else depth
            *others, direct = verb.what or [None]
            objects = [self.noun_phrase(kinds, case, DEFINITE, owner=subject) for case, kinds in others]
            if direct:
                owner = None if objects and objects[0].he == subject.he else subject  # else his would be either's
                objects.append(self.noun_phrase(direct[1], direct[0], articles, negation=no, owner=owner, adjective=-(not plain), depth=deepest))
        place = self.place(verb, subject.kind) if verb.uses & PLACED else None

        aux, main = english_verb(verb, tense, plural, negated)
        particle = Leaf(*verb.particle) if verb.particle else None
        trees = [phrase.tree for phrase in objects]
        if particle:
            trees = [["PP", particle, *trees]] if particle.tag == "IN" else [["PRT", particle], *trees]
        inner = ["VP", main, *trees, *([place[0]] if place else [])]
        outer = ["VP", aux, *([no] if no else []), inner] if aux else inner
        tree = ["S", *([subject.tree] if len(subject.tree) > 1 else []), outer]

        simple = tense in ("past", "present")
        sources = tuple(leaf for leaf in (aux if simple else None, main, particle) if leaf)
        apart, final = conjugated(verb, tense, plural, sources, aux)
        taken = any(no in sources for phrase in objects for _, sources in phrase.german[:1])
        late = [("nicht", (no,))] if no and not taken else []
        late += place[1] if place else []
        early = [word for phrase in objects if not phrase.kind for word in phrase.german]
        nouns = [word for phrase in objects if phrase.kind for word in phrase.german]
        tail = objects[-1].tail if objects else []
        result = Clause(tree, inner, subject, objects, [*early, *nouns, *late], apart, final, list(tail))
        if when and self.maybe(0.3):
            result.put_first(*when)
        elif when:
            inner.append(when[0])
            result.middle = [*early, *when[1], *nouns, *late]
        return result

    def being(self, subject: NounPhrase, degree: str, kind: str, tense: str) -> Clause:
        """… was too tired: zu müde war."""
        plural = subject.gender == "p"
        verb = Leaf("VBD", "were" if plural else "was") if tense == "past" else Leaf("VBP", "are") if plural else Leaf("VBZ", "is")
        how, what = Leaf("RB", degree), Leaf("JJ", self.pick(HINDRANCES[kind]))
        inner = ["VP", verb, ["ADJP", how, what]]
        tree = ["S", *([subject.tree] if len(subject.tree) > 1 else []), inner]
        finite = (AUXILIARY[tense][plural], (verb,))
        words = [({"too": "zu", "very": "sehr"}[degree], (how,)), (GERMAN_ADJECTIVE[what.text], (what,))]
        return Clause(tree, inner, subject, [], words, [finite], [finite])

    # ─── 5 Sentences ─────────────────────────────────────────────────────────────────────────────────────────────────
    def subordinate(self, main: Clause, conjunction: str, other: Clause, may_lead: bool) -> Clause:
        """Join "because …" to a clause, after it or, at some difficulties, before it."""
        leaf, german = Leaf("IN", conjunction), CONJUNCTIONS[conjunction]
        tree = ["SBAR", leaf, other.tree]
        words = [(german, (leaf,)), *other.german(last=True)]
        if may_lead and self.maybe(self.level.leading):
            main.tree[1:1] = [tree, Leaf(",", ",")]
            main.front = [*words, COMMA]
        else:
            main.inner.append(tree)
            main.tail += [COMMA, *words]
        return main

    def simple(self, whole: bool) -> Clause:
        """The girl did not read the love letter yesterday."""
        verb = self.rng.choice(verbs("simple"))
        tense = self.pick(next(tenses for use, tenses in TENSES.items() if not use or use in verb.uses))
        time = whole and tense in TIMES and "state" not in verb.uses
        adverbials = time and (tense == "present" or self.maybe(self.level.adverbial))
        if tense == "present" and not adverbials and "state" not in verb.uses:
            tense = "past"
        return self.clause(verb, tense, negated=self.maybe(self.level.negation), adverbials=adverbials, depth=self.level.depth)

    def hindered(self, whole: bool) -> Clause:
        """The animal did not cross the street because it was too tired; … because it was too wide."""
        negated = self.maybe(0.7)
        tense = self.pick("past past could will")
        main = self.clause(self.rng.choice(verbs("too")), tense, negated=negated, articles=DEFINITE, plain=True)
        if self.maybe(0.5):
            who, kind = main.subject, "animate"
        else:
            who, kind = main.objects[0], main.objects[0].kind
        conjunction, degree = ("because", "too") if negated else ("although", "very")
        other = self.being(self.pronoun(who, "nom"), degree, kind, "present" if tense == "will" else "past")
        return self.subordinate(main, conjunction, other, whole)

    def wanted(self, whole: bool) -> Clause:
        """The woman bought the lamp because she needed it; … although she did not like it."""
        away = self.maybe(0.2)
        verb, tense = self.rng.choice(verbs("away" if away else "want")), self.pick("past past will")
        while True:
            links = len(self.links)
            main = self.clause(verb, tense, articles=DEFINITE)
            who, what = main.subject, main.objects[0]
            if who.he != what.he and not who.gender == what.gender == "n":  # so that it is clear who is meant
                break
            del self.links[links:]
        negated = not away and self.maybe(0.3)
        feeling = self.rng.choice(verbs("liking" if away or negated else "state", "person", what.kind))
        tense = "present" if tense == "will" else "past"
        objects = [self.pronoun(what, "acc")]
        other = self.clause(feeling, tense, self.pronoun(who, "nom"), negated=negated, objects=objects)
        return self.subordinate(main, "although" if away or negated else "because", other, whole)

    def making(self, whole: bool) -> Clause:
        """The government has passed new laws making the work of the young teachers in the city more difficult."""
        tense = self.pick("past perfect perfect")
        ruler = self.noun_phrase(("ruler",), "nom", THE, plural=0)
        main = self.clause(self.rng.choice(verbs("making")), tense, ruler, articles=("a",))
        law, thing = main.objects[0], self.noun_phrase(("affair",), "acc", THE, plural=0)
        if self.maybe(0.7):
            self.attach(thing, "of", "", ("worker",), "gen", 0.8)
        elif thing.tree[-1].text in ("work", "life", "trade"):  # no article in English, one in German
            thing.german[0] = (thing.german[0][0], (thing.tree.pop(1), thing.tree[-1])[1:])
        if self.maybe(0.5):
            self.attach(thing, "in", "in", ("town",), "dat", 0)
        verb, more, what = Leaf("VBG", "making"), Leaf("RBR", "more"), Leaf("JJ", self.pick(WORSE))
        german = GERMAN_ADJECTIVE[what.text]
        plural, past = law.gender == "p", tense == "past"
        does = {(0, 0): "macht", (1, 0): "machen", (0, 1): "machte", (1, 1): "machten"}[plural, past]
        main.inner.append(["S", ["VP", verb, ["S", thing.tree, ["ADJP", more, what]]]])
        main.tail = [
            COMMA, (RELATIVE["nom"][law.gender], (verb,)), *thing.german,
            (COMPARATIVES.get(german, german + "er"), (more, what)), (does, (verb,)),
        ]  # fmt: skip
        return main

    def attach(self, phrase: NounPhrase, english: str, german: str, kinds: tuple[str, ...], case: str, plural: float) -> None:
        """… of the teachers: der Lehrer; … in the city: in der Stadt."""
        other, leaf = self.noun_phrase(kinds, case, THE, plural=plural), Leaf("IN", english)
        words = other.german
        words = contracted([(german, (leaf,)), *words]) if german else [(words[0][0], (leaf, *words[0][1])), *words[1:]]
        phrase.tree, phrase.german = ["NP", phrase.tree, ["PP", leaf, other.tree]], phrase.german + words

    def reported(self, whole: bool) -> Clause:
        """The man says that …, and in it any other sentence, this kind too."""
        verb = self.rng.choice(verbs("report"))
        main = self.clause(verb, self.pick("past present"), articles=DEFINITE)
        return self.subordinate(main, "that", self.construction(whole=False), may_lead=False)

    def construction(self, whole: bool = True) -> Clause:
        names = self.level.constructions
        (name,) = self.rng.choices([*names], [*names.values()])
        return getattr(self, name)(whole)

    def pair(self) -> Pair:
        """One sentence and its translation."""
        self.links = []
        clause = self.construction()
        leaves: list[Leaf] = []
        tree = [*clause.tree, Leaf(".", ".")]
        first = first_leaf(tree)
        first.text = capital(first.text)
        bracketed = brackets(tree, leaves)
        words = Words()
        for word in [*clause.german(), (".", (leaves[-1],))]:
            if words and words[-1] is COMMA and word[0] in ",.":  # one sign closes both clauses
                words.pop()
            words.append(word)
        german = [capital(words[0][0]), *(text for text, _ in words[1:])]
        alignment = frozenset((leaf.at, j) for j, (_, sources) in enumerate(words) for leaf in sources)
        spans = {(leaf.at, leaf.at + 1): (who.ends[0].at, who.ends[1].at + 1) for leaf, who in self.links}
        return Pair(tuple(leaf.text for leaf in leaves), tuple(german), alignment, bracketed, spans)


# ─── 6 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
def split_of(english: str) -> str:
    """Where a sentence belongs, by its own hash: of 20 one is for valid, one for test, so no two splits share one."""
    return {0: "valid", 1: "test"}.get(hashlib.sha256(english.encode()).digest()[0] % 20, "train")


def pairs(seed: int = 0, difficulty: int = 2, split: str | None = None) -> Iterator[Pair]:
    """Pairs without end, each English sentence once; of one split, or of all."""
    speaker, said = Speaker(seed, difficulty), set[int]()
    while True:
        pair = speaker.pair()
        key = hash(pair.english_tokens)
        if key not in said and split in (None, split_of(pair.english)):
            said.add(key)
            yield pair


def sample(n: int, seed: int = 0, difficulty: int = 2, split: str | None = None) -> list[Pair]:
    """n different pairs."""
    return list(itertools.islice(pairs(seed, difficulty, split), n))


def write(folder: str | Path, n: int = 20000, difficulty: int = 2, seed: int = 0) -> None:
    """Write n pairs for training and a twentieth each for valid and test; line i of every file is about pair i."""
    folder, wanted = Path(folder), {"train": n, "valid": max(1, n // 20), "test": max(1, n // 20)}
    kept: dict[str, list[Pair]] = {split: [] for split in wanted}
    for pair in pairs(seed, difficulty):
        split = split_of(pair.english)
        if len(kept[split]) < wanted[split]:
            kept[split].append(pair)
        elif all(len(kept[split]) == wanted[split] for split in wanted):
            break
    folder.mkdir(parents=True, exist_ok=True)
    for split, found in kept.items():
        for ending, attribute in FILES.items():
            lines = "".join(getattr(pair, attribute) + "\n" for pair in found)
            (folder / f"{split}.{ending}").write_text(lines, encoding="utf-8", newline="\n")


FILES = {"en": "english", "de": "german", "align": "pharaoh", "trees": "tree", "coref": "references"}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m corpora.grammar", description=__doc__.split("\n")[0])
    parser.add_argument("folder", metavar="DIR", help="where train, valid and test go: .en .de .align .trees .coref")
    parser.add_argument("--n", type=int, default=20000, help="pairs for training (a twentieth more each to validate and to test)")
    parser.add_argument("--difficulty", type=int, default=2, choices=sorted(LEVELS))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    write(given.folder, given.n, given.difficulty, given.seed)


if __name__ == "__main__":
    main()
