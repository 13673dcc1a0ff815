"""Scenes of two nouns, written by hand, and how each goes on with *it*: what only the meaning of the words can tell.

    python -m corpora.scenes DIR [--n 60000] [--seed 0] [--into FOLDER] [--apart TSV …] [--loose 0]

The sentences of corpora.antecedents are put together out of tables; these are written as people write, whole, and only
their nouns are exchanged for others of which the same is true. A scene in corpora/scenes/*.txt:

    The [A] did not eat the [B] = [A1] fraß [B4] nicht
    A: dog = der Hund; cat = die Katze; pig = das Schwein
    B: meat = das Fleisch; sausage = die Wurst; fish = der Fisch
    a because it had a stomach ache. = , weil [1] Bauchschmerzen hatte.
    a . It had been fed an hour before. = . [1] war eine Stunde vorher gefüttert worden.
    b because it had gone bad. = , weil [1] verdorben war.

[A] and [B] are the nouns; in German with their article and a case (1 nominative, 4 accusative, 3 dative), another
article behind it ([A4 ein], [B3 mein]). Each line in small letters is an end of which *it* is a or b; in its German
[1], [4] and [3] are the pronoun. "der Bär Bären" has a form of its own in the other cases. There are at least three
nouns and three ends of each.

In a scene the place of a noun tells which is meant, to whoever knows the end by heart. With --loose, this share of the
ends that are sentences of their own stands behind another beginning, where either noun may come first: *Tom told me
about the meat and the dog. It had been fed an hour before.*

Held out, by the hash of corpora.pronouns: one in six pairs of nouns, and one in six ends.

    from corpora.scenes import sample
    for example in sample(300, split="test"):
        example.english, example.german, example.pronoun, example.meant, example.other
"""

from __future__ import annotations

import csv
import functools
import itertools
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from corpora import pronouns
from corpora.clauses import OWN_ENDINGS
from corpora.pronoun_words import SHOWN
from corpora.pronouns import IT, THE, THIS, Example, Noun, capital, form, is_held_out, pair_key

FOLDER = Path(__file__).with_name("scenes")
OTHERS = re.compile(r"\b(he|him|his|she|her|they|them|their)\b", re.I)  # whom the beginning has named
SLOT = re.compile(r"\[([AB])([134])?(?: (\w+))?\]")
ARTICLES = {"der": THE, "dieser": THIS} | {
    own: {gender: " ".join(own + ending for ending in endings) for gender, endings in OWN_ENDINGS.items()}
    for own in ("ein", "mein", "unser", "dein", "sein", "ihr", "kein")
}
CONTRACTED = pronouns.CONTRACTED | {"bei dem": "beim", "zu dem": "zum", "zu der": "zur"}

FRAMES = """
    I was thinking of the [A] and the [B] = Ich dachte an [A4] und [B4]
    Tom told me about the [A] and the [B] = Tom erzählte mir von [A3] und [B3]
    Mary asked about the [A] and the [B] = Mary fragte nach [A3] und [B3]
    We were talking about the [A] and the [B] = Wir sprachen über [A4] und [B4]
    I dreamed of the [A] and the [B] = Ich träumte von [A3] und [B3]
    There is the [A], and there is the [B] = Da ist [A1], und da ist [B1]
    I know the [A] and the [B] = Ich kenne [A4] und [B4]
    My sister has drawn the [A] and the [B] = Meine Schwester hat [A4] und [B4] gezeichnet
    Nobody has forgotten the [A] and the [B] = Niemand hat [A4] und [B4] vergessen
    Everybody was looking at the [A] and the [B] = Alle sahen [A4] und [B4] an
    Tom noticed the [A] and then the [B] = Tom bemerkte [A4] und dann [B4]
    First I saw the [A], then the [B] = Zuerst sah ich [A4], dann [B4]
    Here you see the [A], there the [B] = Hier siehst du [A4], dort [B4]
    This is the [A], and that is the [B] = Das hier ist [A1], und das dort ist [B1]
    Mary was interested in the [A] and the [B] = Mary interessierte sich für [A4] und [B4]
    My father showed us the [A] and the [B] = Mein Vater zeigte uns [A4] und [B4]
    Tom compared the [A] with the [B] = Tom verglich [A4] mit [B3]
    I know more about the [A] than about the [B] = Ich weiß mehr über [A4] als über [B4]
    Mary wrote to me about the [A] and the [B] = Mary schrieb mir von [A3] und [B3]
    I can describe the [A] and the [B] = Ich kann [A4] und [B4] beschreiben
    Tom laughed about the [A] and the [B] = Tom lachte über [A4] und [B4]
    Besides the [A] we saw the [B] = Neben [A3] sahen wir [B4]
    I saw not only the [A] but also the [B] = Ich sah nicht nur [A4], sondern auch [B4]
    I like the [A] better than the [B] = Mir gefällt [A1] besser als [B1]
    Tom said something about the [A] and the [B] = Tom sagte etwas über [A4] und [B4]
    Mary cannot forget the [A] and the [B] = Mary kann [A4] und [B4] nicht vergessen
    Tom recognised the [A] and the [B] at once = Tom erkannte [A4] und [B4] sofort
    The children asked us about the [A] and the [B] = Die Kinder fragten uns nach [A3] und [B3]
    Not far from the [A] we saw the [B] = Nicht weit von [A3] sahen wir [B4]
    Behind the [A] I saw the [B] = Hinter [A3] sah ich [B4]
    I photographed the [A] and the [B] = Ich fotografierte [A4] und [B4]
    We had heard of the [A], but not of the [B] = Wir hatten von [A3] gehört, aber nicht von [B3]
    Anna told us first about the [A], then about the [B] = Anna erzählte uns zuerst von [A3], dann von [B3]
"""


# ─── 1 Scenes ────────────────────────────────────────────────────────────────────────────────────────────────────────
class End(NamedTuple):
    """How a scene goes on where *it* is noun A or B."""

    slot: str
    english: str
    german: str


@dataclass(frozen=True)
class Scene:
    """What happens to A and B, and what may follow of either."""

    english: str
    german: str
    a: tuple[Noun, ...]
    b: tuple[Noun, ...]
    ends: tuple[End, ...]

    def pairs(self) -> list[tuple[Noun, Noun]]:
        """Nouns that can stand side by side: of two genders, so that the pronoun tells which is meant."""
        return [(a, b) for a, b in itertools.product(self.a, self.b) if a.gender != b.gender and a.english != b.english]

    def told(self, end: End, a: Noun, b: Noun) -> Example:
        """The scene of these nouns, with this end."""
        named, meant, other = {"A": a, "B": b}, *((a, b) if end.slot == "a" else (b, a))
        case = re.findall(r"\[([134])\]", end.german)[0]
        pronoun = form(IT, meant.gender, case)
        english, german = (put(*sides) for sides in ((self.english, end.english), (self.german, end.german)))
        english = SLOT.sub(lambda slot: named[slot[1]].english, english)
        english = re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", english)
        german = SLOT.sub(lambda slot: noun_phrase(named[slot[1]], slot[2], slot[3] or "der"), german)
        german = re.sub(r"\[[134]\]", pronoun, german)
        german = re.sub(rf"\b({'|'.join(CONTRACTED)})\b", lambda two: CONTRACTED[two[1].lower()], german, flags=re.I)
        return Example(sentences(english), sentences(german), meant, other, pronoun, end.english, self.english)


def put(scene: str, end: str) -> str:
    return scene + ("" if end[0] in ",.!?:;" else " ") + end


def noun_phrase(noun: Noun, case: str, article: str) -> str:
    return f"{form(ARTICLES[article], noun.gender, case)} {noun.german if case == '1' else noun.oblique}"


def sentences(text: str) -> str:
    """Each sentence with a capital."""
    return re.sub(r"(?<=[.!?] )\w", lambda letter: letter[0].upper(), capital(text))


# ─── 2 Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def read(path: Path) -> tuple[list[Scene], list[str]]:
    """The scenes of a file, and what is wrong with it."""
    scenes, problems, lines = list[Scene](), list[str](), list[tuple[int, str]]()
    numbered = enumerate([*path.read_text(encoding="utf-8").splitlines(), ""], 1)
    for number, line in numbered:
        if line.strip() and not line.startswith("#"):
            lines.append((number, line.strip()))
        elif lines:
            wrong = [f"{path.name}:{where}: {what}" for where, what in wrong_with(lines)]
            problems += wrong
            if not wrong:
                scenes.append(scene_of([text for _, text in lines]))
            lines = []
    return scenes, problems


def scene_of(lines: Sequence[str]) -> Scene:
    first, a, b, *ends = lines
    english, german = halves(first)
    ones, others = (pronouns.read_nouns(line[2:], "scene") for line in (a, b))
    return Scene(english, german, ones, others, tuple(End(line[0], *halves(line[1:])) for line in ends))


def halves(line: str) -> tuple[str, str]:
    english, _, german = line.partition(" = ")
    return english.strip(), german.strip()


def wrong_with(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """What is wrong with the lines of one scene, and where."""
    number, first = lines[0]
    if len(lines) < 5 or not lines[1][1].startswith("A:") or not lines[2][1].startswith("B:"):
        yield number, "a scene is a line of what happens, A: nouns, B: nouns, ends of a and ends of b"
        return
    if re.search(r"\b(it|its)\b", first, re.I):
        yield number, "no it or its before the end"
    for side, cased in zip(halves(first), (False, True), strict=True):
        slots = SLOT.findall(side)
        if sorted(slot[0] for slot in slots) != ["A", "B"] or any(bool(slot[1]) != cased for slot in slots):
            yield number, f"{side!r} needs [A] and [B] once each, in German with a case, such as [A1] or [B4 ein]"
        if any(slot[2] and slot[2] not in ARTICLES for slot in slots):
            yield number, f"an article in {side!r} is none of {', '.join(ARTICLES)}"
    nouns = dict[str, tuple[Noun, ...]]()
    for where, line in lines[1:3]:
        try:
            nouns[line[0]] = pronouns.read_nouns(line[2:], "scene")
            if len(nouns[line[0]]) < 3:
                yield where, "at least three nouns"
            if any(len(german.split()) > 3 for _, german in pronouns.entries(line[2:])):
                yield where, "German nouns are one word, but for a form of the other cases"
        except (KeyError, ValueError, IndexError):
            yield where, 'nouns are written "dog = der Hund; bear = der Bär Bären"'
    genders = itertools.product(*({noun.gender for noun in listed} for listed in nouns.values()))
    if len(nouns) == 2 and sum(a != b for a, b in genders) < 2:
        yield number, "A and B need more nouns of different genders"
    for slot in "ab":
        if sum(line[0] == slot for _, line in lines[3:]) < 3:
            yield number, f"at least three ends of {slot}"
    for where, line in lines[3:]:
        yield from ((where, problem) for problem in wrong_with_end(line))


def wrong_with_end(line: str) -> Iterator[str]:
    """What is wrong with the line of an end."""
    english, german = halves(line[1:])
    if line[:2] not in ("a ", "b ") or not german:
        yield 'an end is "a because it was old. = , weil [1] alt war."'
        return
    if len(re.findall(r"\bit\b", english, re.I)) != 1 or re.search(r"\b(its|itself)\b", english, re.I):
        yield "the English says it once, and not its"
    if len(re.findall(r"\[[134]\]", german)) != 1 or german.count("[") != 1:
        yield "the German has one slot, [1], [4] or [3], for the pronoun"
    if re.search(r"\b(er|sie|es|ihn|ihm|ihr|ihnen)\b", german, re.I):
        yield "another pronoun in the German; say the person or choose other words"
    if not (english[-1] in ".!?" and german[-1] in ".!?"):
        yield "both sides end with a full stop"


@functools.cache
def scenes() -> tuple[Scene, ...]:
    """All that are written."""
    return tuple(scene for path in sorted(FOLDER.glob("*.txt")) for scene in read(path)[0])


# ─── 3 Draws ─────────────────────────────────────────────────────────────────────────────────────────────────────────
@functools.cache
def frames() -> tuple[tuple[str, str], ...]:
    """Beginnings for any two nouns, with either first."""
    read = [halves(line) for line in FRAMES.strip().splitlines()]
    return (*read, *((exchanged(english), exchanged(german)) for english, german in read))


def stands_alone(end: End) -> bool:
    """Whether an end is a sentence of its own that names nobody of its scene."""
    return end.english[0] == "." and not OTHERS.search(end.english)


def exchanged(text: str) -> str:
    return re.sub(r"(?<=\[)[AB]", lambda letter: "B" if letter[0] == "A" else "A", text)


def is_apart(example: Example, sentences: Sequence[str]) -> bool:
    """Whether one of these sentences has both of its nouns."""
    nouns = [re.compile(rf"\b{re.escape(noun.english)}\b", re.I) for noun in (example.meant, example.other) if noun]
    return any(all(noun.search(sentence) for noun in nouns) for sentence in sentences)


def examples(
    seed: int = 0, split: str = "train", apart: Sequence[str] = tuple(SHOWN), loose: float = 0.0
) -> Iterator[Example]:
    """All examples of a split in a random order, none twice; at any place each scene is as likely as the others.

    apart: English sentences kept for another purpose; no example has both of its nouns in one of them. loose: share of
    the ends that stand alone whose beginning is one of `frames`.
    """
    if split not in ("train", "test"):
        raise ValueError(f"split is {split!r}; choose train or test.")
    if not 0 <= loose <= 1:
        raise ValueError(f"loose is {loose}; it is a share, from 0 to 1.")
    rng, order, seen = random.Random(f"scenes {seed}"), list[tuple[float, Scene, End, Noun, Noun]](), set[str]()
    for scene in scenes():
        held_out = {pair: is_held_out(pair_key(*pair)) for pair in scene.pairs()}
        for end, pair in itertools.product(scene.ends, held_out):
            place = rng.random() ** (len(scene.ends) * len(held_out))  # as in a weighted draw without replacement
            if {held_out[pair], is_held_out(f"end {end.english}")} == {split == "test"}:
                order.append((place, scene, end, *pair))
    for _, scene, end, a, b in sorted(order, key=lambda drawn: -drawn[0]):
        if loose and stands_alone(end) and rng.random() < loose:
            english, german = rng.choice(frames())
            scene = replace(scene, english=english, german=german)
        example = scene.told(end, a, b)
        if example.english not in seen and not is_apart(example, apart):
            seen.add(example.english)
            yield example


def sample(
    n: int, seed: int = 0, split: str = "train", apart: Sequence[str] = tuple(SHOWN), loose: float = 0.0
) -> list[Example]:
    """n different examples; the same for the same arguments."""
    drawn = list(itertools.islice(examples(seed, split, apart, loose), n))
    if len(drawn) < n:
        raise ValueError(f"n is {n}, but the scenes make {len(drawn)} sentences for {split}; ask for at most so many.")
    return drawn


def column(table: str) -> list[str]:
    """The column "english" of a table."""
    with open(table, encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if "english" not in (rows.fieldnames or ()):
            raise ValueError(f"{table} has no column english; its first line names columns, with tabs between them.")
        return [row["english"] for row in rows]


# ─── 4 Corpus ────────────────────────────────────────────────────────────────────────────────────────────────────────
def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = pronouns.parser_of("corpora.scenes", __doc__, 60000)
    parser.add_argument("--apart", nargs="+", default=[], metavar="TSV", help="tables of English sentences to keep off")
    parser.add_argument("--loose", type=float, default=0.0, help="share of ends that stand behind another beginning")
    options = pronouns.asked(parser, arguments)
    try:
        apart = [*SHOWN, *itertools.chain.from_iterable(map(column, options.apart))]
        made = {split: [(example.english, example.german)
                        for example in sample(n, options.seed, split, apart, options.loose)]
                for split, n in (("train", options.n), ("test", options.test))}  # fmt: skip
        pronouns.save(options.folder, made["train"], made["test"], options.into)
    except (ValueError, OSError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
