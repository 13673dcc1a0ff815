"""A small grammar that speaks English and German at once, so that every answer is known.

    python -m corpora.grammar DIR [--n 20000] [--difficulty 2] [--seed 0]

Each pair comes with the truth that a model is never told: which English word became which German one, the English
sentence's tree, and what each pronoun stands for. So attention can be held against it.

    1  The pair      what is given out: both sentences, alignment, tree, coreference
    2  Difficulty    how often each thing comes
    3  Phrases       noun phrases and clauses, before the German words have found their order
    4  The speaker   noun phrases, relative clauses, clauses, and the constructions of whole sentences
    5  Corpus        an endless stream, split by the sentence itself, and its files

The words and their forms are tables, in lexicon.py.

At the default difficulty the preset tiny learns to get 96.7 % of 2,500 unseen sentences right to the last letter, in
2 minutes and 23 seconds on two idle cores (everything counted, from reading the text to the last validation; without
--precision fp32 a core that multiplies in bf16 does so, which takes half as long again at this size):

    python -m corpora.grammar my_grammar --n 50000
    python transformer_core.py train --data my_grammar --preset tiny --p-drop 0 --vocab-size 2000 \\
        --tokens-per-batch 1000 --warmup-steps 100 --peak-learning-rate 3e-3 --clip-norm 1 \\
        --steps 1100 --cooldown-steps 600 --precision fp32 --save-every 1100 --bleu-sentences 100 --out runs/grammar
    python transformer_core.py translate --checkpoint runs/grammar --beam-size 1 < my_grammar/test.en \\
        | diff - my_grammar/test.de | grep -c "^<"     # how many of 2,500 are not exactly right
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from corpora import lexicon as lex

# ─── 1 The pair ──────────────────────────────────────────────────────────────────────────────────────────────────────
T = TypeVar("T")
Span = tuple[int, int]  # of English tokens, the end not included


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence, its translation, and the truth about both.

    alignment: (i, j) where English token i and German token j say the same; only commas stand for nothing.
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
        """The alignment as a line of "i-j", English first."""
        return " ".join(f"{i}-{j}" for i, j in sorted(self.alignment))

    @property
    def references(self) -> str:
        """The coreference as a line of "pronoun:antecedent", each "start-end", the end not included."""
        return " ".join(f"{a}-{b}:{c}-{d}" for (a, b), (c, d) in sorted(self.coreference.items()))


def written(tokens: Sequence[str]) -> str:
    """Tokens as one writes them: no space before a comma, a full stop, or 's."""
    return " ".join(tokens).replace(" ,", ",").replace(" .", ".").replace(" '", "'")


class Leaf:
    """An English word in its tree; `at` is its place once the sentence is whole."""

    __slots__ = ("at", "tag", "text")

    def __init__(self, tag: str, text: str):
        self.tag, self.text, self.at = tag, text, -1


Tree = list[Any]  # a label, then trees and leaves
Word = tuple[str, tuple[Leaf, ...]]  # a German word, with the English ones it stands for
COMMA: Word = (",", ())


def brackets(tree: Tree, leaves: list[Leaf]) -> str:
    """The tree as text; its leaves are numbered and gathered on the way."""
    parts = [tree[0]]
    for child in tree[1:]:
        if isinstance(child, Leaf):
            child.at = len(leaves)
            leaves.append(child)
            if not child.at:
                child.text = capital(child.text)
            parts.append(f"({child.tag} {child.text})")
        else:
            parts.append(brackets(child, leaves))
    return f"({' '.join(parts)})"


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


# ─── 2 Difficulty ────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """How often things come, as shares from 0 to 1; how deep clauses nest; the weight of each construction."""

    adjective: float = 0.25
    plural: float = 0.2
    adverbial: float = 0.3
    negation: float = 0.2
    relative: float = 0.0
    possession: float = 0.0
    because_first: float = 0.0
    depth: int = 0
    constructions: dict[str, int]


LEVELS = {
    1: Level(constructions={"simple": 1}),
    2: Level(
        relative=0.15, possession=0.1, depth=1, constructions={"simple": 5, "hindered": 2, "wanted": 2, "making": 1}
    ),
    3: Level(
        adjective=0.4, plural=0.3, adverbial=0.4, relative=0.3, possession=0.2, because_first=0.2, depth=2,
        constructions={"simple": 4, "hindered": 3, "wanted": 3, "making": 2, "reported": 3},
    ),
}  # fmt: skip


# ─── 3 Phrases ───────────────────────────────────────────────────────────────────────────────────────────────────────
@dataclass(slots=True)
class NounPhrase:
    """A noun phrase or a pronoun, in both languages. tail: its German relative clause, which may stand apart."""

    tree: Tree
    german: list[Word]
    gender: str  # m f n, p for all plurals
    he: str  # the English pronoun: he she it they
    kind: str = ""  # of the noun; none if it is a pronoun
    ends: tuple[Leaf, ...] = ()  # first and last word, without a relative clause
    tail: list[Word] = field(default_factory=list)


@dataclass(slots=True)
class Clause:
    """A clause whose German words still wait for their order.

    inner: the English verb phrase that more may join. early, late: German before and after the adverbial. apart: the
    finite verb, then what ends a main clause; together: how the same words end a subordinate one. tail: what follows.
    """

    tree: Tree
    inner: Tree
    subject: NounPhrase
    objects: list[NounPhrase]
    apart: list[Word]
    together: list[Word]
    early: list[Word] = field(default_factory=list)
    adverbial: list[Word] = field(default_factory=list)
    late: list[Word] = field(default_factory=list)
    tail: list[Word] = field(default_factory=list)
    front: list[Word] = field(default_factory=list)

    def main(self) -> list[Word]:
        """The finite verb comes second: after the subject, or after what stands in front of it."""
        first, then = (self.front, self.opening()) if self.front else (self.opening(), [])
        return [*first, self.apart[0], *then, *self.middle(), *self.apart[1:], *self.tail]

    def subordinate(self) -> list[Word]:
        """The verb comes last: weil es zu müde war."""
        return [*self.opening(), *self.middle(), *self.together, *self.tail]

    def opening(self) -> list[Word]:
        relative = [*self.subject.tail, COMMA] if self.subject.tail else []
        return [*self.subject.german, *relative]

    def middle(self) -> list[Word]:
        return [*self.early, *self.adverbial, *self.late]

    def join(self, conjunction: str, other: Clause, first: bool = False) -> Clause:
        """Take in another clause, as in "…, because it was tired" or "Because it was tired, …"."""
        leaf = Leaf("IN", conjunction)
        tree, german = ["SBAR", leaf, other.tree], [(lex.CONJUNCTIONS[conjunction], (leaf,)), *other.subordinate()]
        if first:
            self.tree[1:1], self.front = [tree, Leaf(",", ",")], [*german, COMMA]
        else:
            self.inner.append(tree)
            self.tail += [COMMA, *german]
        return self


def contracted(words: list[Word]) -> list[Word]:
    """in dem Garten: im Garten; in das Haus: ins Haus."""
    (preposition, a), (following, b), *rest = words
    short = lex.CONTRACTIONS.get((preposition, following))
    return [(short, a + b), *rest] if short else words


def determiner(
    word: str, case: str, gender: str, following: str, no: Leaf | None
) -> tuple[Tree, list[Word], lex.Forms]:
    """the, this, a or nothing ("") in both languages, and what adjectives end in after it; "not … a" is kein."""
    if word in ("the", "this"):
        leaf = Leaf("DT", "these" if word == "this" and gender == "p" else word)
        german = lex.DER[case][gender] if word == "the" else "dies" + lex.DIESER[case][gender]
        return [leaf], [(german, (leaf,))], lex.WEAK
    leaves = [Leaf("DT", "an" if following[0] in "aeiou" else "a")] if word else []
    if no:
        return leaves, [("kein" + lex.EIN[case][gender], (no, *leaves))], lex.MIXED
    if word:
        return leaves, [("ein" + lex.EIN[case][gender], tuple(leaves))], lex.MIXED
    return [], [], lex.STRONG


# ─── 4 The speaker ───────────────────────────────────────────────────────────────────────────────────────────────────
THE, DEFINITE = ("the",), (*["the"] * 7, "this")
ANY = (*DEFINITE, "a", "a", "a")


class Speaker:
    """Says sentences: each method makes one kind of phrase, in both languages at once."""

    def __init__(self, seed: int = 0, difficulty: int = 2):
        if difficulty not in LEVELS:
            raise ValueError(f"difficulty is {difficulty!r}; choose one of {', '.join(map(str, LEVELS))}.")
        self.rng, self.level = random.Random(f"{seed} {difficulty}"), LEVELS[difficulty]
        self.links: list[tuple[Leaf, NounPhrase]] = []  # pronouns and what they stand for

    def maybe(self, share: float) -> bool:
        return self.rng.random() < share

    def choose(self, options: Sequence[T]) -> T:
        return options[int(self.rng.random() * len(options))]  # twice as fast as random.choice

    def pick(self, words: str) -> str:
        return self.choose(words.split())

    # Noun phrases

    def noun_phrase(
        self, kinds: tuple[str, ...], case: str, articles: tuple[str, ...] = ANY, *, no: Leaf | None = None,
        owner: NounPhrase | None = None, plural: float = -1, adjective: float = -1, depth: int = 0,
    ) -> NounPhrase:  # fmt: skip
        """A noun of these kinds. no: a "not" that kein may take over; owner: whom his or her means; -1: the level's."""
        noun, level = self.choose(lex.nouns(kinds)), self.level
        many = noun.countable and self.maybe(level.plural if plural < 0 else plural)
        gender = "p" if many else noun.gender
        describe = noun.fitting and self.maybe(level.adjective if adjective < 0 else adjective)
        adjectives = [Leaf("JJ", self.choose(noun.fitting))] if describe else []
        names = [Leaf("JJ" if word in lex.MATERIALS else "NN", word) for word in noun.english[many]]
        names[-1].tag = "NNS" if many else "NN"
        words, word, after = [*adjectives, *names], self.choose(articles), list[Word]()
        if noun.kind in lex.OWNED and articles is ANY and word != "this" and self.maybe(level.possession):
            front, german, endings, after = self.possessive(case, gender, owner)
        else:
            if word == "a" and (many or not noun.countable):
                word = "the" if noun.kind in lex.LIVING else ""
            front, german, endings = determiner(word, case, gender, words[0].text, no)
        for leaf in adjectives:
            base = lex.GERMAN_ADJECTIVES[leaf.text]
            german.append((lex.STEMS.get(base, base) + endings[case][gender], (leaf,)))
        german += [(noun.german[many][case], tuple(names)), *after]
        first = front[0] if front else words[0]
        ends = (first if isinstance(first, Leaf) else first[1], names[-1])
        he = "they" if many else noun.he
        phrase = NounPhrase(["NP", *front, *words], german, gender, he, noun.kind, ends)
        if depth and self.maybe(level.relative):
            self.add_relative_clause(phrase, depth - 1)
        return phrase

    def possessive(
        self, case: str, gender: str, owner: NounPhrase | None
    ) -> tuple[Tree, list[Word], lex.Forms, list[Word]]:
        """his, her … if there is an owner, else the teacher's …; in German, des Lehrers follows the noun."""
        if owner and owner.kind:
            leaf = Leaf("PRP$", lex.HE[owner.he][2])
            self.links.append((leaf, owner))
            german = ("sein" if owner.gender in "mn" else "ihr") + lex.EIN[case][gender]
            return [leaf], [(german, (leaf,))], lex.MIXED, []
        other = self.noun_phrase(("person",), "gen", THE)
        leaf = Leaf("POS", "'" if other.ends[1].text.endswith("s") else "'s")
        return [[*other.tree, leaf]], [(lex.DER[case][gender], (leaf,))], lex.WEAK, other.german

    def pronoun(self, antecedent: NounPhrase, case: str) -> NounPhrase:
        """he, him, it …; in German its gender is the antecedent's: the street … it, die Straße … sie."""
        leaf = Leaf("PRP", lex.HE[antecedent.he][case != "nom"])
        self.links.append((leaf, antecedent))
        german = lex.PRONOUNS[case][antecedent.gender]
        return NounPhrase(["NP", leaf], [(german, (leaf,))], antecedent.gender, antecedent.he)

    def add_relative_clause(self, head: NounPhrase, depth: int) -> None:
        """… who helped the boy, … that the man bought, … whose dog was very tired."""
        word = self.pick("who whom whose") if head.kind == "person" else "that"
        leaf = Leaf({"whose": "WP$", "that": "WDT"}.get(word, "WP"), word)
        wh, case, relative = ["WHNP", leaf], "nom", NounPhrase(["NP"], [], head.gender, head.he)
        if word == "whose":
            owned = self.noun_phrase(("animal",), "nom", ("",))
            wh, case = [*wh, *owned.tree[1:]], "gen"
            clause = self.being(NounPhrase(["NP"], owned.german, owned.gender, owned.he), "very", "animate", "past")
        elif word == "who":
            clause = self.clause(self.choose(lex.transitive(who="person")), "past", relative, depth=depth)
        else:
            verb = self.choose(lex.transitive(what=head.kind))
            case, clause = verb.what[0][0], self.clause(verb, "past", objects=[], depth=depth)
        head.tree = ["NP", head.tree, ["SBAR", wh, clause.tree]]
        head.tail = [COMMA, (lex.RELATIVES[case][head.gender], (leaf,)), *clause.subordinate()]

    def place(self, verb: lex.Verb, who: str) -> tuple[Tree, list[Word]]:
        """Where (dative) or whither (accusative): in the garden, im Garten; into the garden, in den Garten."""
        where, whither, german, kinds = self.choose(lex.PLACES["animal" if verb.what else who])
        case, english = ("dat", where) if "where" in verb.uses else ("acc", whither)
        leaves = [Leaf("IN", word) for word in english.split()]
        phrase = self.noun_phrase(tuple(kinds.split()), case, THE, plural=0)
        return ["PP", *leaves, phrase.tree], contracted([(german, tuple(leaves)), *phrase.german])

    def adverbial(self, tense: str) -> tuple[Tree, list[Word]]:
        """yesterday, every day …; of what is past also during the concert, because of the rain, with the genitive."""
        if tense == "past" and self.maybe(0.3):
            kind, english, german = self.choose(lex.CIRCUMSTANCES)
            leaves = [Leaf("IN", word) for word in english.split()]
            bare = kind == "weather" and self.maybe(0.5)  # because of bad weather, wegen schlechten Wetters
            phrase = self.noun_phrase((kind,), "gen", ("",) if bare else THE, plural=0, adjective=1 if bare else -1)
            return ["PP", *leaves, phrase.tree], [(german, tuple(leaves)), *phrase.german]
        words = [word.split("=") for word in self.choose(lex.TIMES[tense])]
        leaves = [Leaf(lex.TIME_TAGS.get(english, "NN"), english) for english, _ in words]
        label = "ADVP" if leaves[0].tag == "RB" else "NP"
        return [label, *leaves], [(german, (leaf,)) for (_, german), leaf in zip(words, leaves, strict=True)]

    # Clauses

    def clause(
        self, verb: lex.Verb, tense: str, subject: NounPhrase | None = None, *, negated: bool = False,
        timed: bool = False, objects: list[NounPhrase] | None = None, articles: tuple[str, ...] = ANY,
        adjective: float = -1, depth: int = 0,
    ) -> Clause:  # fmt: skip
        """A verb with its subject, objects ([]: they stand elsewhere), place and, if timed, an adverbial."""
        subject = subject or self.noun_phrase(verb.who, "nom", DEFINITE if negated else ANY, depth=depth)
        no = Leaf("RB", "not") if negated else None
        if objects is None:
            last = depth if not timed and not verb.uses & lex.PLACED else 0  # only what comes last has a clause
            objects = self.objects(verb, subject, articles, no, adjective, last)
        clause = self.verb_phrase(verb, tense, subject, objects, no)
        for phrase in objects:
            (clause.late if phrase.kind else clause.early).extend(phrase.german)
            clause.tail = list(phrase.tail)
        if no and not any(no in sources for _, sources in clause.late):
            clause.late.append(("nicht", (no,)))
        if verb.uses & lex.PLACED:
            place, german = self.place(verb, subject.kind)
            clause.inner.append(place)
            clause.late += german
        if timed:
            self.add_adverbial(clause, tense)
        return clause

    def verb_phrase(
        self, verb: lex.Verb, tense: str, subject: NounPhrase, objects: list[NounPhrase], no: Leaf | None
    ) -> Clause:
        """The verb with its auxiliary and particle, and the trees of its objects."""
        plural = subject.gender == "p"
        forms = lex.english_verb(verb, tense, plural, no is not None)
        *auxiliaries, main = (Leaf(*form) for form in forms)
        particles = [Leaf(*verb.particle)] if verb.particle else []
        trees = [*particles, *(phrase.tree for phrase in objects)]
        if particles:
            trees = [["PP", *trees]] if verb.takes_preposition else [["PRT", *particles], *trees[1:]]
        inner = ["VP", main, *trees]
        outer = ["VP", *auxiliaries, *([no] if no else []), inner] if auxiliaries else inner
        tree = ["S", *([subject.tree] if len(subject.tree) > 1 else []), outer]
        finite, end = lex.german_verb(verb, tense, plural)
        sources = (main, *particles)
        if tense in ("past", "present"):  # one word, which may come apart: rief … an, weil er anrief
            sources = (*auxiliaries, *sources)
            apart: list[Word] = [(finite, sources), (end, sources)] if end else [(finite, sources)]
            return Clause(tree, inner, subject, objects, apart, [(end + finite, sources)])
        apart = [(finite, tuple(auxiliaries)), (end, sources)]  # two words: hat … angerufen, weil er angerufen hat
        return Clause(tree, inner, subject, objects, apart, apart[::-1])

    def objects(
        self, verb: lex.Verb, subject: NounPhrase, articles: tuple[str, ...], no: Leaf | None, adjective: float,
        depth: int,
    ) -> list[NounPhrase]:  # fmt: skip
        """The objects of a verb; only the last may be indefinite where there is a "not", which then becomes kein."""
        phrases = [self.noun_phrase(kinds, case, DEFINITE, owner=subject) for case, kinds in verb.what[:-1]]
        for case, kinds in verb.what[-1:]:
            owner = None if phrases and phrases[0].he == subject.he else subject  # "his" must not be either's
            phrase = self.noun_phrase(kinds, case, articles, no=no, owner=owner, adjective=adjective, depth=depth)
            phrases.append(phrase)
        return phrases

    def add_adverbial(self, clause: Clause, tense: str) -> None:
        """Yesterday the dog slept: gestern schlief der Hund; the dog slept yesterday: der Hund schlief gestern."""
        tree, german = self.adverbial(tense)
        if self.maybe(0.3):
            clause.tree[1:1], clause.front = [tree], german
        else:
            clause.inner.append(tree)
            clause.adverbial = german

    def being(self, subject: NounPhrase, degree: str, kind: str, tense: str) -> Clause:
        """… was too tired: zu müde war. kind: of what is hindered, or hinders."""
        plural = subject.gender == "p"
        verb = Leaf(*lex.BE[tense, plural])
        how, what = Leaf("RB", degree), Leaf("JJ", self.pick(lex.HINDRANCES[kind]))
        inner = ["VP", verb, ["ADJP", how, what]]
        finite: list[Word] = [(lex.AUXILIARIES[tense][plural], (verb,))]
        words: list[Word] = [
            ({"too": "zu", "very": "sehr"}[degree], (how,)),
            (lex.GERMAN_ADJECTIVES[what.text], (what,)),
        ]
        tree = ["S", *([subject.tree] if len(subject.tree) > 1 else []), inner]
        return Clause(tree, inner, subject, [], finite, finite, late=words)

    # Constructions: free says that the clause may begin with something else than its subject

    def simple(self, free: bool) -> Clause:
        """The girl did not read the love letter yesterday."""
        verb, level = self.choose(lex.simple()), self.level
        tense = self.pick(next(tenses for use, tenses in lex.TENSES.items() if not use or use in verb.uses))
        timed = free and tense in lex.TIMES and "state" not in verb.uses
        if tense == "present" and not timed and "state" not in verb.uses:
            tense = "past"  # she feeds the cat every day, but: she fed the cat
        timed = timed and (tense == "present" or self.maybe(level.adverbial))
        negated = not (timed and tense == "present") and self.maybe(level.negation)  # "not every day" is not "never"
        articles = DEFINITE if "state" in verb.uses else ANY
        return self.clause(verb, tense, negated=negated, timed=timed, articles=articles, depth=level.depth)

    def hindered(self, free: bool) -> Clause:
        """The animal did not cross the street because it was too tired; … because it was too wide."""
        negated, tense = self.maybe(0.7), self.pick("past past could will")
        verb = self.choose(lex.used("too"))
        clause = self.clause(verb, tense, negated=negated, articles=DEFINITE, adjective=0)
        who, kind = clause.subject, "animate"
        if self.maybe(0.5):
            who, kind = clause.objects[0], clause.objects[0].kind
        conjunction, degree = ("because", "too") if negated else ("although", "very")
        reason = self.being(self.pronoun(who, "nom"), degree, kind, "present" if tense == "will" else "past")
        return clause.join(conjunction, reason, free and self.maybe(self.level.because_first))

    def wanted(self, free: bool) -> Clause:
        """The woman bought the lamp because she needed it; … although she did not like it."""
        away, tense = self.maybe(0.2), self.pick("past past will")
        verb = self.choose(lex.used("away" if away else "want"))
        while True:
            self.links.clear()
            clause = self.clause(verb, tense, articles=ANY if away else DEFINITE)
            who, what = clause.subject, clause.objects[0]
            if who.he != what.he and not who.gender == what.gender == "n":  # so that each pronoun can mean one only
                break
        negated = not away and self.maybe(0.3)
        feeling = self.choose(lex.used("liking" if away or negated else "state", what.kind))
        reason = self.clause(
            feeling, "present" if tense == "will" else "past", self.pronoun(who, "nom"),
            negated=negated, objects=[self.pronoun(what, "acc")],
        )  # fmt: skip
        conjunction = "although" if away or negated else "because"
        return clause.join(conjunction, reason, free and self.maybe(self.level.because_first))

    def making(self, free: bool) -> Clause:
        """The government has passed new laws making the work of the young teachers in the city more difficult."""
        tense, ruler = self.pick("past perfect perfect"), self.noun_phrase(("ruler",), "nom", THE, plural=0)
        clause = self.clause(self.choose(lex.used("making")), tense, ruler, articles=("a",))
        law, affair = clause.objects[0], self.affair()
        making, more, what = Leaf("VBG", "making"), Leaf("RBR", "more"), Leaf("JJ", self.pick(lex.WORSE))
        clause.inner.append(["S", ["VP", making, ["S", affair.tree, ["ADJP", more, what]]]])
        german = lex.GERMAN_ADJECTIVES[what.text]
        make = {"past": ("machte", "machten"), "perfect": ("macht", "machen")}[tense][law.gender == "p"]
        clause.tail += [COMMA, (lex.RELATIVES["nom"][law.gender], (making,)), *affair.german]
        clause.tail += [(lex.COMPARATIVES.get(german, german + "er"), (more, what)), (make, (making,))]
        return clause

    def affair(self) -> NounPhrase:
        """the work of the young teachers in the city: die Arbeit der jungen Lehrer in der Stadt; or life: das Leben."""
        phrase = self.noun_phrase(("affair",), "acc", THE, plural=0)
        if phrase.ends[1].text != "trade" and self.maybe(0.7):
            others, of = self.noun_phrase(("worker",), "gen", THE, plural=0.8), Leaf("IN", "of")
            (article, sources), *rest = others.german
            phrase.tree = ["NP", phrase.tree, ["PP", of, others.tree]]
            phrase.german += [(article, (of, *sources)), *rest]
        elif phrase.ends[1].text in lex.BARE:
            (article, _), noun = phrase.german
            phrase.tree, phrase.german = ["NP", phrase.ends[1]], [(article, (phrase.ends[1],)), noun]
        if self.maybe(0.5):
            town, leaf = self.noun_phrase(("town",), "dat", THE, plural=0), Leaf("IN", "in")
            phrase.tree = ["NP", phrase.tree, ["PP", leaf, town.tree]]
            phrase.german += contracted([("in", (leaf,)), *town.german])
        return phrase

    def reported(self, free: bool) -> Clause:
        """The man says that …, and in it any other sentence, this kind too; its pronouns mean what stands in it."""
        clause = self.clause(self.choose(lex.used("report")), self.pick("past present"), articles=DEFINITE)
        links, self.links = self.links, []
        clause.join("that", self.construction(free=False))
        self.links += links
        return clause

    def construction(self, free: bool = True) -> Clause:
        """One of the constructions above, as often as the level says."""
        names = self.level.constructions
        return getattr(self, self.rng.choices([*names], [*names.values()])[0])(free)

    def pair(self) -> Pair:
        """One sentence and its translation."""
        self.links, leaves = [], list[Leaf]()
        clause = self.construction()
        tree = brackets([*clause.tree, Leaf(".", ".")], leaves)
        words = list[Word]()
        for word in [*clause.main(), (".", (leaves[-1],))]:
            if words and words[-1] is COMMA and word[0] in ",.":  # one sign ends two clauses
                words.pop()
            words.append(word)
        german = (capital(words[0][0]), *(text for text, _ in words[1:]))
        alignment = {(leaf.at, j) for j, (text, sources) in enumerate(words) for leaf in sources}
        spans = {(leaf.at, leaf.at + 1): (who.ends[0].at, who.ends[1].at + 1) for leaf, who in self.links}
        return Pair(tuple(leaf.text for leaf in leaves), german, frozenset(alignment), tree, spans)


# ─── 5 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
FILES = {"en": "english", "de": "german", "align": "pharaoh", "trees": "tree", "coref": "references"}


def split_of(english: str) -> str:
    """Where a sentence belongs, by its own hash, so no two splits share one: of 20 one to valid and one to test."""
    return {0: "valid", 1: "test"}.get(hashlib.sha256(english.encode()).digest()[0] % 20, "train")


def pairs(seed: int = 0, difficulty: int = 2, split: str | None = None) -> Iterator[Pair]:
    """Pairs without end, no English sentence twice; of one split, or of all."""
    speaker, seen = Speaker(seed, difficulty), set[str]()
    while True:
        pair = speaker.pair()
        english = pair.english
        if english not in seen and (split is None or split == split_of(english)):
            seen.add(english)
            yield pair


def sample(n: int, seed: int = 0, difficulty: int = 2, split: str | None = None) -> list[Pair]:
    """n different pairs; the same for the same arguments."""
    return list(itertools.islice(pairs(seed, difficulty, split), n))


def write(folder: str | Path, n: int = 20000, difficulty: int = 2, seed: int = 0) -> None:
    """Write n pairs for training and a twentieth each for valid and test; line i of every file is about pair i."""
    if n < 1:
        raise ValueError(f"n is {n}; ask for at least 1 pair.")
    folder, short = Path(folder), {"train": n, "valid": -(-n // 20), "test": -(-n // 20)}
    by_split: dict[str, list[Pair]] = {split: [] for split in short}
    for pair in pairs(seed, difficulty):
        split = split_of(pair.english)
        if short[split]:
            by_split[split].append(pair)
            short[split] -= 1
        if not any(short.values()):
            break
    folder.mkdir(parents=True, exist_ok=True)
    for (split, chosen), (ending, attribute) in itertools.product(by_split.items(), FILES.items()):
        lines = "".join(getattr(pair, attribute) + "\n" for pair in chosen)
        (folder / f"{split}.{ending}").write_text(lines, encoding="utf-8", newline="\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m corpora.grammar", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", metavar="DIR", help="gets train, valid and test: .en .de .align .trees .coref")
    parser.add_argument("--n", type=int, default=20000, help="pairs for training; valid and test get a twentieth each")
    parser.add_argument("--difficulty", type=int, default=2, choices=sorted(LEVELS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    try:
        write(options.folder, options.n, options.difficulty, options.seed)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
