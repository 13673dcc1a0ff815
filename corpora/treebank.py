"""Constituency parsing as translation: from a treebank to parallel text, and from what a model writes to its F1.

    python -m corpora.treebank prepare MRG… DIR         trees -> train, valid, test: .words, .tree and .trees
    python -m corpora.treebank score GOLD PREDICTED     gold .trees against lines of tree tokens, as EVALB counts

MRG is a file of bracketed trees (.mrg, .trees, .ptb, .parse, also .gz), as in the Penn Treebank, or a folder of them:

    WSJ sections 02 to 23, by folder or file name (wsj_0203.mrg)      02-21 train, 22 valid, 23 test
    files named train, dev or valid, test (train.clean.mrg.gz)        as they say; 02-21, 22 and 23 too
    anything else                                                     by the sentence's hash: 18, 1 and 1 of 20

Line i of .words, .tree and .trees is about sentence i: its words, its tree as tokens, its tree in brackets (gold).
So the core trains on it as on any parallel text, and what it says about new words is scored:

    python -m corpora.grammar my_grammar
    python -m corpora.treebank prepare my_grammar my_trees
    python transformer_core.py train --data my_trees --src words --tgt tree --tgt-vocab-size 200 --max-extra 300 \\
        --preset tiny --out runs/parser
    python transformer_core.py translate --checkpoint runs/parser --max-extra 300 < my_trees/test.words > parsed.tree
    python -m corpora.treebank score my_trees/test.trees parsed.tree

The tree tokens are a vocabulary of their own, one piece each, and a tree is longer than its sentence; what has been
reached, and with which options, is in experiments/parsing.py.

    1  The tree        words, their tags, and brackets over them
    2  Reading         from text in brackets; and typed sentences, cut into words
    3  Cleaning        traces, function tags and the outermost bracket go
    4  As tokens       the language that the model writes (Vinyals et al., 2015), and back
    5  Repair          a tree from whatever it wrote, every change counted
    6  Score           labelled F1, equal to EVALB's with COLLINS.prm
    7  Command line    prepare, score
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from corpora.grammar import split_of
from corpora.translation import say


# ─── 1 The tree ──────────────────────────────────────────────────────────────────────────────────────────────────────
class Bracket(NamedTuple):
    """A constituent: what it is called, and the words it spans, `end` not included."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence and its tree: str(tree) writes it in brackets.

    tags[i] is the part of speech of words[i]. brackets: in the order in which they open, so the first is the root and
    a tree is never too deep. A lone word has none. Only the root may be nameless (""), as in the Penn Treebank's files.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    brackets: tuple[Bracket, ...] = ()

    def __post_init__(self) -> None:
        n = len(self.words)
        if n == 0 or len(self.tags) != n:
            raise ValueError(f"A tree has {n} words and {len(self.tags)} tags; it needs a word, and a tag for each.")
        if (self.brackets or n > 1) and self.brackets[:1] != ((self.label, 0, n),):
            raise ValueError(f"The first bracket is {self.brackets[:1]}; it must span all {n} words.")
        names = (*self.words, *self.tags, *(bracket.label for bracket in self.brackets[1:]), self.label or "root")
        if (wrong := next((name for name in names if not NAME.fullmatch(name)), None)) is not None:
            raise ValueError(f"{wrong!r} is no word or label; write -LRB- and -RRB- for brackets, and leave no space.")
        ends, last = [n], 0
        for bracket in self.brackets:
            while ends[-1] <= bracket.start:
                ends.pop()
            if not last <= bracket.start < bracket.end <= ends[-1]:
                raise ValueError(f"{bracket} is out of order, empty, or crosses the bracket that is open there.")
            ends.append(bracket.end)
            last = bracket.start

    @property
    def label(self) -> str:
        """The root's; of a lone word, its tag."""
        return self.brackets[0].label if self.brackets else self.tags[0]

    def __str__(self) -> str:
        opens = {"open": " ({}", "word": " ({})", "close": ")"}
        leaves = [f"{tag} {word}" for tag, word in zip(self.tags, self.words, strict=True)]
        return "".join(opens[what].format(name) for what, name in walk(self, leaves)).removeprefix(" ")


NAME = re.compile(r"[^\s()]+")


def walk(tree: Tree, leaves: Sequence[str]) -> Iterator[tuple[str, str]]:
    """From left to right: ("open", label), ("word", leaves[i]) and ("close", label)."""
    brackets, unclosed = iter(tree.brackets), list[Bracket]()
    coming = next(brackets, None)
    for i, leaf in enumerate(leaves):
        while coming and coming.start == i:
            yield "open", coming.label
            unclosed.append(coming)
            coming = next(brackets, None)
        yield "word", leaf
        while unclosed and unclosed[-1].end == i + 1:
            yield "close", unclosed.pop().label


# ─── 2 Reading ───────────────────────────────────────────────────────────────────────────────────────────────────────
TOKEN = re.compile(r"[()]|[^\s()]+")


class Growing:
    """A tree as far as it has been read."""

    def __init__(self) -> None:
        self.words, self.tags = list[str](), list[str]()
        self.brackets: list[Bracket] = []  # end: -1 while it is open
        self.unclosed: list[int] = []  # their places in brackets
        self.word: str | None = None  # of the innermost bracket, which then is a leaf

    def take(self, token: str) -> Tree | None:
        """The next token; the tree, when that was its last."""
        if token == "(":
            self.open()
        elif not self.unclosed:
            raise ValueError(f"{short(token)} stands outside of any tree; a tree begins with '('.")
        elif token == ")":
            self.close()
            return None if self.unclosed else Tree(tuple(self.words), tuple(self.tags), tuple(self.brackets))
        else:
            self.name(token)
        return None

    def open(self) -> None:
        if self.word is not None:
            raise ValueError(f"{short(self.word)} has no bracket of its own; write the words as (NN cat), a tag each.")
        if len(self.unclosed) > 1 and not self.brackets[self.unclosed[-1]].label:
            raise ValueError("a bracket has no label; only the outermost may do without.")
        self.unclosed.append(len(self.brackets))
        self.brackets.append(Bracket("", len(self.words), -1))

    def name(self, token: str) -> None:
        """The first is the bracket's label; the second makes it a leaf, and is its word."""
        bracket = self.brackets[self.unclosed[-1]]
        if bracket.start < len(self.words) or self.word is not None:
            raise ValueError(f"{short(token)} has no bracket of its own; write the words as (NN cat), a tag each.")
        if bracket.label:
            self.word = token
        else:
            self.brackets[self.unclosed[-1]] = bracket._replace(label=token)

    def close(self) -> None:
        at = self.unclosed.pop()
        label, start, _ = self.brackets[at]
        if self.word is not None:
            self.words.append(self.word)
            self.tags.append(label)
            self.brackets.pop()
            self.word = None
        elif start == len(self.words):
            raise ValueError(f"{short('(' + label)} has nothing in it; every bracket holds a word or a bracket.")
        else:
            self.brackets[at] = Bracket(label, start, len(self.words))


def short(token: str) -> str:
    return repr(token if len(token) <= 40 else token[:40] + "…")


def parse_trees(text: str, name: str = "the text") -> Iterator[Tree]:
    """The trees of a text, one or many a line, or over many lines; an error names the line."""
    growing, first = Growing(), 1
    for number, line in enumerate(text.split("\n"), 1):
        for match in TOKEN.finditer(line):
            if not growing.unclosed:
                first = number
            try:
                tree = growing.take(match[0])
            except ValueError as error:
                raise ValueError(f"{name}, line {number}: {error}") from None
            if tree:
                yield tree
                growing = Growing()
    if missing := len(growing.unclosed):
        raise ValueError(f"{name}, line {first}: a tree begins here and never ends; brackets still open: {missing}.")


def parse(text: str) -> Tree:
    """The one tree of a text."""
    trees = list(parse_trees(text))
    if len(trees) != 1:
        raise ValueError(f"The text holds {len(trees)} trees; pass one, or use parse_trees.")
    return trees[0]


def read_text(path: str | Path) -> str:
    """A UTF-8 file, plain or .gz."""
    try:
        data = Path(path).read_bytes()
        data = gzip.decompress(data) if Path(path).suffix == ".gz" else data
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {number}: this is not UTF-8; convert the text to UTF-8 first.") from None
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ValueError(f"{path} cannot be read ({reason}); give a file, plain or .gz.") from None


def read_trees(path: str | Path) -> Iterator[Tree]:
    """The trees of a file; an error names file and line."""
    return parse_trees(read_text(path), str(path))


# Each rule puts spaces around what becomes a word; opening quotes stand before a word, all others close.
RULES = [
    (r"…", "..."),
    (r"[‘’]", "'"),
    (r"“|(?<![^\s(\[{<])\"", " `` "),
    (r"”|\"", " '' "),
    (r"(?i)(?<![^\s(\[{<`])'(?=[a-z])(?!(?:s|re|ve|ll|d|m|tis|twas|em)\b)", " ` "),  # 'quoted', but 'tis
    (r"(\.\.+|--+|—|[;?!@#$%&()\[\]{}]|[,:](?!\d)|(?<!\d)[,:])", r" \1 "),
    (r"(?<![.\s])\.(?=[\s')\]}]*$)", " . "),  # the last one only: Mr. and U.S. keep theirs
    (r"(?i)(?<=\w)(n't|'(?:s|re|ve|ll|d|m))(?!\w)", r" \1"),
    (r"(?<=\w)'(?!\w)", " ' "),  # the dogs' bowls
    (r"(?i)\b(can)(not)\b", r"\1 \2"),
]
BRACKETS = dict(zip("()[]{}", ["-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"], strict=True))


def words(text: str) -> list[str]:
    """A typed sentence in words, as the Penn Treebank cuts them: a subset of its rules, for one sentence.

    >>> words("Don't say (again) that it's John's, please.")
    ['Do', "n't", 'say', '-LRB-', 'again', '-RRB-', 'that', 'it', "'s", 'John', "'s", ',', 'please', '.']
    """
    for pattern, becomes in RULES:
        text = re.sub(pattern, becomes, text)
    return [BRACKETS.get(word, word) for word in text.split()]


# ─── 3 Cleaning ──────────────────────────────────────────────────────────────────────────────────────────────────────
OUTERMOST = {"", "TOP", "ROOT", "S1"}


def bare(label: str) -> str:
    """Without function tags and indices: NP-SBJ-1 -> NP, NP=2 -> NP; -LRB- and the like stay."""
    return re.split("[-=]", label)[0] or label


def clean(tree: Tree) -> Tree | None:
    """The tree to learn: without traces, what they leave empty, function tags, indices and the outermost bracket.

    None where only traces were. An outermost bracket over several brackets, or over a word, stays, as TOP.
    """
    indices, place = list[int](), [0]  # place[i]: how many words stay before word i
    for i, tag in enumerate(tree.tags):
        indices += [i] * (tag != "-NONE-")
        place.append(len(indices))
    if not indices:
        return None
    moved = (Bracket(bare(label), place[start], place[end]) for label, start, end in tree.brackets)
    brackets = [bracket for bracket in moved if bracket.start < bracket.end]
    while brackets and brackets[0].label in OUTERMOST:
        if brackets[1:] and brackets[1][1:] == brackets[0][1:]:  # one bracket fills it
            del brackets[0]
        else:
            brackets[0] = brackets[0]._replace(label="TOP")
            break
    return Tree(tuple(tree.words[i] for i in indices), tuple(bare(tree.tags[i]) for i in indices), tuple(brackets))


# ─── 4 As tokens ─────────────────────────────────────────────────────────────────────────────────────────────────────
WORD = "XX"


def linearise(tree: Tree, keep_tags: bool = False) -> str:
    """The tree as a sentence (Vinyals et al., 2015): (S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S.

    XX stands for the next word, whatever it is; closing tokens say what they close; n words and m brackets give n + 2m
    tokens. keep_tags: the part of speech in place of XX, (S (NP NNP )NP …. The paper's code base, tensor2tensor, keeps
    them too and writes the same tokens without round brackets: S NP NNP /NP ….
    """
    written = {"open": "({}", "word": "{}", "close": "){}"}
    return " ".join(
        written[what].format(name) for what, name in walk(tree, tree.tags if keep_tags else [WORD] * len(tree.tags))
    )


def delinearise(line: str, words: Sequence[str], keep_tags: bool = False) -> Tree:
    """The tree that a well-formed line of tokens says, over these words; what is wrong with any other."""
    tree, changes = repair(line, words, keep_tags)
    if changes:
        counts = ", ".join(f"{STEPS[step]}: {count}" for step, count in changes.items())
        raise ValueError(f"This is no tree of {len(words)} words ({counts}); repair makes one of it.")
    return tree


# ─── 5 Repair ────────────────────────────────────────────────────────────────────────────────────────────────────────
STEPS = {  # in the order in which they are taken
    "unknown": "tokens dropped that are no (X, XX or )X",
    "mislabelled": "closing tokens that name another bracket than they close",
    "opened": "brackets opened at the beginning, as they are closed only",
    "closed": "brackets closed at the end",
    "surplus": "XX dropped, as there are no more words",
    "missing": "words put under the root, as their XX is missing",
    "emptied": "brackets dropped, as no word is in them",
    "wrapped": "several roots put under one S",
    "flat": "empty lines made one S over all words",
}


@dataclass
class Repair:
    """A line of tokens, read with a stack; no step looks ahead, and each is counted."""

    n: int  # words
    keep_tags: bool = False
    at: int = 0  # words that have been read
    tags: list[str] = field(default_factory=list)
    brackets: list[list] = field(default_factory=list)  # [label, start, end], in the order in which they open
    before: list[list] = field(default_factory=list)  # those opened at the beginning, the last one outermost
    stack: list[list] = field(default_factory=list)
    tops: list[list] = field(default_factory=list)  # brackets in no other
    loose: int = 0  # words in no bracket
    done: Counter[str] = field(default_factory=Counter)

    def take(self, token: str) -> None:
        name = token[1:] if token[0] in "()" else token
        if not NAME.fullmatch(name):
            self.done["unknown"] += 1
        elif token[0] == "(":
            self.open(name)
        elif token[0] == ")":
            self.close(name)
        elif token == WORD or self.keep_tags:
            self.word(token)
        else:
            self.done["unknown"] += 1

    def open(self, label: str) -> None:
        bracket = [label, self.at, self.at]
        if not self.stack:
            self.tops.append(bracket)
        self.brackets.append(bracket)
        self.stack.append(bracket)

    def close(self, label: str) -> None:
        if self.stack:
            bracket = self.stack.pop()
            bracket[2] = self.at
            self.done["mislabelled"] += label != bracket[0]
        else:
            self.before.append([label, 0, self.at])
            self.tops, self.loose = self.before[-1:], 0
            self.done["opened"] += 1

    def word(self, tag: str) -> None:
        if self.at == self.n:
            self.done["surplus"] += 1
            return
        self.tags.append(tag)
        self.at += 1
        self.loose += not self.stack

    def finish(self) -> list[Bracket]:
        """What is left to do at the end: the brackets of one tree over all words."""
        for bracket in self.stack:
            bracket[2] = self.at
        self.done["closed"] += len(self.stack)
        brackets = self.before[::-1] + self.brackets
        if not brackets and not self.at:
            self.done["flat"] += 1
            return [Bracket("S", 0, self.n)]
        self.add_missing()
        spans = [Bracket(*bracket) for bracket in brackets if bracket[1] < bracket[2]]
        self.done["emptied"] += len(brackets) - len(spans)
        if self.loose + sum(start < end for _, start, end in self.tops) > 1:
            self.done["wrapped"] += 1
            spans.insert(0, Bracket("S", 0, self.n))
        return spans

    def add_missing(self) -> None:
        missing = self.n - self.at
        self.done["missing"] += missing
        if len(self.tops) == 1 and not self.loose:
            self.tops[0][2] = self.n
        else:
            self.loose += missing


def repair(line: str, words: Sequence[str], keep_tags: bool = False) -> tuple[Tree, Counter[str]]:
    """A tree over these words from whatever a model wrote, and how often each of STEPS was needed.

    A well-formed line says its own tree, and nothing is counted. keep_tags: as in linearise.
    """
    if not words:
        raise ValueError("There are no words for a tree to stand on; pass at least one.")
    reading = Repair(len(words), keep_tags)
    for token in line.split():
        reading.take(token)
    brackets = reading.finish()
    tags = reading.tags + [WORD] * (len(words) - len(reading.tags))
    return Tree(tuple(words), tuple(tags), tuple(brackets)), +reading.done


# ─── 6 Score ─────────────────────────────────────────────────────────────────────────────────────────────────────────
DELETED = {"TOP", "-NONE-", ",", ":", "``", "''", "."}  # COLLINS.prm: as a tag, with its word; as a label, the bracket


def as_evalb_sees(tree: Tree) -> tuple[list[str], list[Bracket | None]]:
    """The words that count, and for each bracket of the tree what it is compared as; None: it does not count.

    Punctuation is deleted by its tag and the rest numbered anew; PRT counts as ADVP.
    """
    words, place = list[str](), [0]
    for word, tag in zip(tree.words, tree.tags, strict=True):
        words += [word] * (tag not in DELETED)
        place.append(len(words))
    seen = list[Bracket | None]()
    for label, start, end in tree.brackets:
        label = re.split("[-=]", label)[0]
        counts = place[start] < place[end] and label not in DELETED
        seen.append(Bracket("ADVP" if label == "PRT" else label, place[start], place[end]) if counts else None)
    return words, seen


def with_gold_tags(predicted: Tree, gold: Tree) -> Tree:
    """A predicted tree with the tags of the gold one: a model that writes XX cannot say which words are punctuation."""
    return replace(predicted, tags=gold.tags)


@dataclass
class Score:
    """What EVALB counts over all sentences, by label; figures in percent. PRT is counted as ADVP.

    errors: sentences left out because the words differ, which hides mistakes: there must be none.
    skipped: sentences without a word that counts, such as "..." (EVALB leaves them out of the exact matches).
    """

    gold: Counter[str] = field(default_factory=Counter)
    predicted: Counter[str] = field(default_factory=Counter)
    matched: Counter[str] = field(default_factory=Counter)
    sentences: int = 0
    exact: int = 0
    errors: int = 0
    skipped: int = 0

    def add(self, gold: Tree, predicted: Tree | None) -> None:
        """Count a sentence; None, nothing predicted, matches nothing."""
        self.sentences += 1
        words, seen = as_evalb_sees(gold)
        other, predicted_brackets = as_evalb_sees(predicted) if predicted else (words, [])
        if not other or words != other:
            self.skipped += not other
            self.errors += bool(other)
            return
        a, b = (Counter(bracket for bracket in brackets if bracket) for brackets in (seen, predicted_brackets))
        for counts, brackets in ((self.gold, a), (self.predicted, b), (self.matched, a & b)):
            for bracket, times in brackets.items():
                counts[bracket.label] += times
        self.exact += a == b and predicted is not None

    def of(self, label: str | None = None) -> tuple[float, float, float]:
        """Precision, recall and F1 of a label, or of all."""
        gold, predicted, matched = (
            counts.total() if label is None else counts[label] for counts in (self.gold, self.predicted, self.matched)
        )
        return percent(matched, predicted), percent(matched, gold), percent(2 * matched, predicted + gold)

    @property
    def f1(self) -> float:
        return self.of()[2]

    @property
    def exact_match(self) -> float:
        return percent(self.exact, self.sentences - self.errors - self.skipped)


def percent(part: float, whole: float) -> float:
    return 100 * part / whole if whole else 0.0


def score(gold: Iterable[Tree], predicted: Iterable[Tree | None]) -> Score:
    """Labelled precision, recall and F1 of predicted trees, equal to those of EVALB with COLLINS.prm.

    Like EVALB it goes by each tree's own tags: see with_gold_tags. None stands for no tree at all.
    """
    total = Score()
    for pair in zip(gold, predicted, strict=True):
        total.add(*pair)
    return total


# ─── 7 Command line ──────────────────────────────────────────────────────────────────────────────────────────────────
ENDINGS = (".mrg", ".trees", ".ptb", ".parse")
NAMED = {
    "train": "train",
    "02-21": "train",
    "dev": "valid",
    "valid": "valid",
    "22": "valid",
    "test": "test",
    "23": "test",
}
WSJ = {**{f"{i:02}": "train" for i in range(2, 22)}, "22": "valid", "23": "test"}


def tree_files(sources: Sequence[str | Path]) -> list[Path]:
    """The files named, and those in the folders named, in order."""
    files = list[Path]()
    for source in map(Path, sources):
        if source.is_dir():
            inside = (path for path in source.rglob("*") if path.name.removesuffix(".gz").endswith(ENDINGS))
            files += sorted(path for path in inside if path.is_file())
        else:
            files.append(source)
    if not files:
        raise ValueError(f"{sources[0]} holds no file of trees; their names end in {', '.join(ENDINGS)} (or .gz).")
    return files


def section(path: Path) -> str:
    """The section of the WSJ that a file belongs to, by its folder or its name; "" of any other."""
    match = re.fullmatch(r"\d\d", path.parent.name) or re.match(r"wsj_(\d\d)\d\d(?!\d)", path.name)
    return match[match.re.groups] if match else ""


def split_files(files: Sequence[Path]) -> tuple[str, dict[Path, str]]:
    """How a treebank is split, in words, and which split each file is of; "" where each sentence decides for itself."""
    by_section = {path: WSJ[section(path)] for path in files if section(path) in WSJ}
    if {section(path) for path in by_section} == {*WSJ}:
        return "WSJ sections 02-21, 22 and 23", by_section
    by_name = {path: NAMED[name] for path in files if (name := path.name.split(".")[0]) in NAMED}
    if {"train"} < {*by_name.values()}:
        return "by the names of the files", by_name
    lacking = f"not all WSJ sections from 02 to 23 are here ({len({section(path) for path in by_section})} of 22): "
    return f"{lacking if by_section else ''}by the hash of each sentence", dict.fromkeys(files, "")


def prepare(sources: Sequence[str | Path], folder: str | Path, keep_tags: bool = False) -> dict[str, int]:
    """Write folder/train, valid, test .words, .tree, .trees; return how many sentences each has."""
    files, folder = tree_files(sources), Path(folder)
    how, splits = split_files(files)
    say(f"{len(splits)} of {len(files)} files; split {how}")
    by_split: dict[str, list[Tree]] = {split: [] for split in ("train", "valid", "test")}
    empty = 0
    for path, split in splits.items():
        if path.resolve().parent == folder.resolve():
            raise ValueError(f"{path} lies in {folder}, which is written to; name another folder.")
        for tree in map(clean, read_trees(path)):
            if tree:
                by_split[split or split_of(" ".join(tree.words))].append(tree)
            empty += tree is None
    if not by_split["train"]:
        raise ValueError(f"{sources[0]} gives no tree to train on; see which files it holds.")
    folder.mkdir(parents=True, exist_ok=True)
    for split, trees in by_split.items():
        write_split(folder, split, trees, keep_tags)
    if empty:
        say(f"{empty:,} trees of traces only are left out.")
    return {split: len(trees) for split, trees in by_split.items() if trees}


def write_split(folder: Path, split: str, trees: Sequence[Tree], keep_tags: bool) -> None:
    """Write split.words, .tree and .trees; none of them where there is no tree, as an earlier corpus may have left."""
    lines = {
        "words": [" ".join(tree.words) for tree in trees],
        "tree": [linearise(tree, keep_tags) for tree in trees],
        "trees": [str(tree) for tree in trees],
    }
    for ending, written in lines.items():
        path = folder / f"{split}.{ending}"
        part = path.with_name(path.name + ".part")
        part.write_text("".join(line + "\n" for line in written), encoding="utf-8", newline="\n")
        os.replace(part, path)
        if not trees:
            path.unlink()
    if trees:
        n, most = sum(len(tree.words) for tree in trees), max(line.count(" ") + 1 for line in lines["tree"])
        say(f"{folder / split}: {len(trees):,} trees over {n:,} words; the longest has {most} tokens")


def read_gold(path: str | Path) -> list[Tree]:
    """The trees to compare with, cleaned as prepare does."""
    gold = [(clean(tree), i) for i, tree in enumerate(read_trees(path), 1)]
    if not gold:
        raise ValueError(f"{path} holds no tree; give the .trees that prepare wrote.")
    if lost := next((i for tree, i in gold if not tree), None):
        raise ValueError(f"Tree {lost} of {path} has only traces, so no line can stand for it; prepare leaves it out.")
    return [tree for tree, _ in gold if tree]


@dataclass(frozen=True)
class Report:
    """Two scores, with every line repaired and with malformed ones as no tree at all; how many; and each of STEPS.

    strict: a malformed line matches nothing and predicts nothing, but its sentence's gold brackets count: recall falls.
    """

    repaired: Score
    strict: Score
    malformed: int
    steps: Counter[str]

    def __str__(self) -> str:
        def row(name: str, *figures: float) -> str:
            return f"{name:<12}" + "".join(f"{figure:10.2f}" for figure in figures)

        pairs = [("precision", "recall", "F1"), self.repaired.of(), self.strict.of()]
        exact = row("exact match", self.repaired.exact_match, self.strict.exact_match)
        share = percent(self.malformed, self.repaired.sentences)
        lines = [f"{self.repaired.sentences:,} sentences", f"{'':<12}{'repaired':>10}{'as is':>10}"]
        lines += [*(row(*figures) for figures in zip(*pairs, strict=True)), exact, ""]  # type: ignore[arg-type]
        lines += [f"{self.malformed} malformed ({share:.2f} %): 'as is' counts them as no tree, their gold brackets as"]
        lines += ["missed; repaired by"]
        lines += [f"{self.steps[step]:8}  {what}" for step, what in STEPS.items()]
        labels = sorted(self.repaired.gold | self.repaired.predicted, key=lambda label: -self.repaired.gold[label])
        lines += ["", f"{'repaired':<12}{'precision':>10}{'recall':>10}{'F1':>10}{'gold':>8}{'found':>8}"]
        for label in labels:
            counts = (self.repaired.gold[label], self.repaired.predicted[label])
            name = "ADVP, PRT" if label == "ADVP" else label
            lines.append(row(name, *self.repaired.of(label)) + "".join(f"{count:8}" for count in counts))
        return "\n".join(lines)


def report(gold: Sequence[Tree], lines: Sequence[str], keep_tags: bool = False) -> Report:
    """Score what a model wrote, a line for each gold tree."""
    if len(gold) != len(lines):
        raise ValueError(f"There are {len(gold)} gold trees and {len(lines)} predicted lines; give one for each.")
    repaired, strict, steps, malformed = Score(), Score(), Counter[str](), 0
    for tree, line in zip(gold, lines, strict=True):
        predicted, changes = repair(line, tree.words, keep_tags)
        predicted = with_gold_tags(predicted, tree)
        repaired.add(tree, predicted)
        strict.add(tree, None if changes else predicted)
        malformed += bool(changes)
        steps += changes
    return Report(repaired, strict, malformed, steps)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; what goes wrong ends in one sentence and exit status 2."""
    parser = argparse.ArgumentParser(
        prog="python -m corpora.treebank", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    preparing = commands.add_parser("prepare", help="trees to parallel text")
    preparing.add_argument("sources", metavar="MRG", nargs="+", help="files of trees, or folders of them")
    preparing.add_argument("folder", metavar="DIR", help="gets train, valid and test: .words .tree .trees")
    scoring = commands.add_parser("score", help="precision, recall and F1, with repair and without")
    scoring.add_argument("gold", metavar="GOLD", help="trees in brackets, such as DIR/test.trees")
    scoring.add_argument("predicted", metavar="PREDICTED", help="tree tokens, a line for each gold tree")
    for command in (preparing, scoring):
        command.add_argument("--keep-tags", action="store_true", help="tree tokens have parts of speech in place of XX")
    asked = parser.parse_args(arguments)
    try:
        if asked.command == "prepare":
            prepare(asked.sources, asked.folder, asked.keep_tags)
        else:
            lines = read_text(asked.predicted).removesuffix("\n").split("\n")
            print(report(read_gold(asked.gold), lines, asked.keep_tags))
    except (ValueError, OSError) as error:
        say(f"Error: {error}")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
