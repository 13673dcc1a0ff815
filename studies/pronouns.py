"""Which noun a translator takes *it* for, read off the German pronoun.

The rule, for a sentence whose two German nouns differ in gender (corpora.pronouns):

    1  The clause with the pronoun is found: behind weil, da, denn, obwohl, dass and the like (OPENING), a full stop or
       a semicolon; or, where the translation begins with weil, da, obwohl, wenn or als (FIRST), up to the comma.
    2  In it the first of er, ihn, ihm, dieser (masculine), sie, ihr, diese (feminine), es, dieses (neuter) counts;
       where the reference has the pronoun as an object (ihn, sie, es), the last. A clause that repeats the noun instead
       is judged by the noun.
    3  It is right if it has the gender of the noun meant *as translated*: of the reference's noun where that stands in
       the translation, else of any other noun there, read off its article, that is not the other noun of the pair.
       Where neither can be told, the reference's gender is asked for.
    4  In sentences written by hand, of any shape, the last pronoun of the whole translation counts.

A translation without pronoun or noun in that clause is wrong.

Where a sentence can be told in many ways, `likeliest` asks what stands in the pronoun's place once the German before it
is given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.nn.utils.rnn import pad_sequence

import transformer_core as tc
from corpora.grammar import Pair
from corpora.pronouns import Example, Noun

OPENING = re.compile(r"\b(weil|da|denn|obwohl|dass|daß|sodass|bis|bevor|ehe|und|doch|aber)\b|[.;](?=\s)", re.IGNORECASE)
FIRST = re.compile(r"^(weil|da|obwohl|obgleich|wenn|als)\b", re.IGNORECASE)
GENDER = {
    "er": "m",
    "ihn": "m",
    "ihm": "m",
    "sie": "f",
    "ihr": "f",
    "es": "n",
    "dieser": "m",
    "dieses": "n",
    "diese": "f",
}
BY_HAND = "by hand"
ARTICLES = {  # of a noun: the genders that it can have
    "der": "mf", "den": "m", "dem": "mn", "die": "f", "das": "n", "dieser": "mf", "diesen": "m", "diesem": "mn",
    "diese": "f", "dieses": "n", "ein": "mn", "einen": "m", "eine": "f", "einem": "mn", "einer": "f",
    "mein": "mn", "meinen": "m", "meine": "f", "meinem": "mn", "meiner": "f",
    "unser": "mn", "unseren": "m", "unsere": "f", "unserem": "mn", "unserer": "f",
    "im": "mn", "am": "mn", "vom": "mn", "zum": "mn", "zur": "f", "ins": "n", "ans": "n", "aufs": "n", "durchs": "n",
}  # fmt: skip


def clauses(german: str) -> tuple[str, str]:
    """The clause with the pronoun, and the rest (rule 1)."""
    if FIRST.match(german) and "," in german:
        clause, _, rest = german.partition(",")
        return clause, rest
    cuts = [match for match in OPENING.finditer(german) if match.start() > 0]
    if not cuts:
        return german, german
    return german[cuts[-1].end() :], german[: cuts[-1].start()]


def names(text: str, noun: str) -> bool:
    """Whether a text names this noun, also as an oblique form."""
    return re.search(rf"\b{re.escape(noun)}(n|en|s|es|e)?\b", text) is not None


def genders_as_translated(rest: str, example: Example) -> str:
    """The genders, some of "mfn", that the noun meant can have in this translation (rule 3)."""
    if names(rest, example.meant.german) or names(rest, example.meant.oblique):
        return example.meant.gender
    words, genders = re.findall(r"\w+", rest), ""
    for article, *after in zip(words, words[1:], [*words[2:], ""], strict=False):
        noun = next((word for word in after if word[:1].isupper()), "")
        is_other = example.other is not None and names(noun, example.other.german)
        possible = ARTICLES.get(article.lower(), "") if noun and not is_other else ""
        if example.other and len(possible) > 1:  # der, dem: not taken for the other noun's gender
            possible = possible.replace(example.other.gender, "")
        genders += possible
    return genders or example.meant.gender


def is_right(german: str, example: Example) -> bool:
    """Whether this translation takes *it* for the noun that is meant."""
    clause, rest = (german, german) if example.frame == BY_HAND else clauses(german)
    pronouns = [word for word in re.findall(r"\w+", clause.lower()) if word in GENDER]
    if not pronouns:
        other = example.other is not None and names(clause, example.other.german)
        return names(clause, example.meant.german) and not other
    as_object = example.frame.startswith(("taken", BY_HAND)) or (
        example.frame.endswith("so that") and example.pronoun != "er"
    )
    pronoun = pronouns[-1 if as_object else 0]
    return GENDER[pronoun] in genders_as_translated(rest, example)


def by_hand(path: str | Path) -> list[Example]:
    """Sentences written by hand: a table with a header, one sentence a line, twins below each other."""
    header, *lines = Path(path).read_text(encoding="utf-8").splitlines()
    rows = [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]
    examples = [
        Example(
            row["english"], row["reference"], noun(row["antecedent_german"]), noun(row["other_german"]),
            row["pronoun_german"], row["id"], BY_HAND,
        )
        for row in rows
    ]  # fmt: skip
    return [
        replace(example, twin=twin)
        for left, right in zip(examples[::2], examples[1::2], strict=True)
        for example, twin in ((left, right), (right, left))
    ]


def noun(german: str) -> Noun:
    """A noun from its German with the article: "der Löwe"."""
    article, name = german.split(" ", 1)
    return Noun("", name, name, {"der": "m", "die": "f", "das": "n"}[article], "by hand")


@dataclass(frozen=True)
class Accuracy:
    """Shares from 0 to 1: of all, of those with each German pronoun, and of pairs of twins with both right."""

    n: int
    right: float
    of_pronoun: dict[str, float]
    twins: float
    length_ratio: float
    wrong: list[tuple[str, str, str]]  # English, translation, reference


def accuracy(translate: Callable[[Sequence[str]], list[str]], examples: Sequence[Example]) -> Accuracy:
    """Translate examples and their twins; score by the rule. length_ratio: words translated by words of references."""
    both = list({each.english: each for example in examples for each in (example, example.twin) if each}.values())
    german = translate([example.english for example in both])
    right = {example.english: is_right(text, example) for example, text in zip(both, german, strict=True)}
    first = [right[example.english] for example in examples]
    paired = [right[example.english] and right[example.twin.english] for example in examples if example.twin]
    of_pronoun = {
        pronoun: share([ok for ok, example in zip(first, examples, strict=True) if example.pronoun == pronoun])
        for pronoun in sorted({example.pronoun for example in examples})
    }
    ratio = sum(len(text.split()) for text in german) / sum(len(example.german.split()) for example in both)
    wrong = [(e.english, t, e.german) for e, t in zip(both, german, strict=True) if not right[e.english]]
    return Accuracy(len(examples), share(first), of_pronoun, share(paired), ratio, wrong)


def share(answers: Sequence[bool]) -> float:
    return sum(answers) / len(answers) if answers else float("nan")


FORMS = ("er", "ihn", "sie", "es")


def likeliest(translator: tc.Translator, examples: Sequence[Example], at_once: int = 50) -> list[tuple[Example, str]]:
    """Each example with the likeliest of FORMS where its own pronoun stands, after the German before it as it is given.

    Examples with another pronoun (ihm, ihr) are left out, and those in whose German it stands twice.
    """
    model, tokenizer = translator.model, translator.tgt_tokenizer
    device = next(model.parameters()).device
    asked = list[tuple[Example, str, list[int]]]()  # what stands before the pronoun, and the first token of each form
    for example in examples:
        places = [*re.finditer(rf"\b{example.pronoun}\b", example.german, re.IGNORECASE)]
        if example.pronoun in FORMS and len(places) == 1:
            (place,) = places
            before, begins = example.german[: place.start()], place[0][0].isupper()
            forms = [form.capitalize() if begins else form for form in FORMS]
            n = len(tokenizer.encode(before.rstrip()))
            asked.append((example, before.rstrip(), [tokenizer.encode(before + form)[n] for form in forms]))
    answers = list[tuple[Example, str]]()
    for start in range(0, len(asked), at_once):
        part = asked[start : start + at_once]
        read = [[tc.BOS, *tokenizer.encode(german)] for _, german, _ in part]
        tgt_in = pad_sequence([torch.tensor(ids) for ids in read], True, tc.PAD).to(device)
        with tc.evaluating(model):
            logits = model(translator.source([example.english for example, *_ in part]), tgt_in)  # (B, T, V)
        for row, ids, (example, _, first) in zip(logits, read, part, strict=True):
            answers.append((example, FORMS[row[len(ids) - 1, first].argmax()]))
    return answers


# ─── The grammar's own pronouns ──────────────────────────────────────────────────────────────────────────────────────

PERSONAL = ("er", "ihn", "ihm", "sie", "ihr", "es")


class Asked(NamedTuple):
    """An English *it* of the grammar: the German pronoun that it asks for, and its place among the pronouns, from 0."""

    german: str
    place: int


def personal(german: str) -> list[str]:
    """The personal pronouns of a sentence, in their order.

    >>> personal("Ein Student behielt die Lampe, weil er sie brauchte.")
    ['er', 'sie']
    """
    return [word for word in re.findall(r"\w+", german.lower()) if word in PERSONAL]


def asked(pair: Pair) -> list[Asked]:
    """Every *it* of a pair of corpora.grammar that stands for a noun, by its gold coreference and alignment."""
    wanted = []
    for (word, _), _ in sorted(pair.coreference.items()):
        if pair.english_tokens[word].lower() == "it":
            target = min(german for english, german in pair.alignment if english == word)
            earlier = personal(" ".join(pair.german_tokens[:target]))
            wanted.append(Asked(pair.german_tokens[target].lower(), len(earlier)))
    return wanted


def on_coreference(translate: Callable[[Sequence[str]], list[str]], pairs: Sequence[Pair]) -> dict[str, Any]:
    """How often *it* has the pronoun of its gold antecedent in the translations of some pairs of corpora.grammar.

    right: the share of all; of_pronoun: of those that ask for er, ihn, sie, es; commonest: what the likeliest pronoun
    alone would reach. A translation with fewer pronouns than the place asked for is wrong.
    """
    questions = [(pair, question) for pair in pairs for question in asked(pair)]
    if not questions:
        raise ValueError(f"None of these {len(pairs)} pairs has an “it” that stands for a noun; give more of them.")
    texts = list(dict.fromkeys(pair.english for pair, _ in questions))
    lines = dict(zip(texts, translate(texts), strict=True))
    answers: dict[str, list[bool]] = {}
    for pair, (german, place) in questions:
        pronouns = personal(lines[pair.english])
        answers.setdefault(german, []).append(pronouns[place : place + 1] == [german])
    counts = [len(group) for group in answers.values()]
    return {
        "n": sum(counts), "right": share([answer for group in answers.values() for answer in group]),
        "of_pronoun": {german: share(group) for german, group in sorted(answers.items())},
        "commonest": max(counts) / sum(counts),
    }  # fmt: skip
