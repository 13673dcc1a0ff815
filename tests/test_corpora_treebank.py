"""Trees: nothing is lost on the way to tokens and back, repair always ends in a tree, and F1 is EVALB's to the bracket.

`python tests/test_corpora_treebank.py EVALB` writes evalb_cases.json anew: made-up trees, and what the program EVALB
(Sekine and Collins, 1997) counts with COLLINS.prm. EVALB is a folder that holds both, evalb and COLLINS.prm; the stored
counts are those of evalb.c as it comes in the wheel of allennlp 0.9.0 (public domain), compiled with its limits of 200
words, 200 brackets and 5,000 characters a sentence raised, which some sentences of craft_treebank exceed.
"""

import functools
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import transformer_core as tc
from corpora import grammar, treebank
from corpora.treebank import (
    Bracket,
    Tree,
    clean,
    delinearise,
    linearise,
    parse,
    parse_trees,
    read_trees,
    repair,
    report,
    score,
    with_gold_tags,
)

CASES = Path(__file__).with_name("evalb_cases.json")
DOG = "(S (NP (NNP John)) (VP (VBZ has) (NP (DT a) (NN dog))) (. .))"  # from Vinyals et al.
DOG_TOKENS = "(S (NP XX )NP (VP XX (NP XX XX )NP )VP XX )S"
quick = settings(max_examples=200, deadline=None, derandomize=True)

NAMES = st.text(st.characters(exclude_categories=["Z", "C"], exclude_characters="()"), min_size=1, max_size=6)
LEAVES = st.tuples(st.sampled_from(["NN", ",", "-LRB-", "-NONE-", "PRP$"]) | NAMES, NAMES)
LABELS = st.sampled_from(["S", "NP", "NP-SBJ-1", "VP=2", "TOP", "ROOT", "ADVP|PRT"]) | NAMES
NESTED = st.recursive(LEAVES, lambda inside: st.tuples(LABELS, st.lists(inside, min_size=1, max_size=4)), max_leaves=12)


def text_of(nested) -> str:
    label, inside = nested
    return f"({label} {inside if isinstance(inside, str) else ' '.join(map(text_of, inside))})"


def spans_of(nested, start: int = 0) -> tuple[list[tuple[str, str]], list[Bracket]]:
    """Leaves and brackets of nested pairs, by recursion."""
    label, inside = nested
    if isinstance(inside, str):
        return [(label, inside)], []
    leaves, brackets = [], []
    for child in inside:
        more, below = spans_of(child, start + len(leaves))
        leaves += more
        brackets += below
    return leaves, [Bracket(label, start, start + len(leaves)), *brackets]


def squeezed(text: str) -> str:
    """Without the white space that means nothing."""
    return re.sub(r" ?([()]) ?", r"\1", " ".join(text.split()))


# ─── Reading and writing ─────────────────────────────────────────────────────────────────────────────────────────────


@quick
@given(NESTED, st.sampled_from([" ", "\n   ", "\t", "\r\n"]))
def test_a_tree_is_read_as_nested_pairs_say_and_written_without_loss(nested, space):
    leaves, brackets = spans_of(nested)
    tree = parse(text_of(nested).replace(" ", space))
    assert list(zip(tree.tags, tree.words, strict=True)) == leaves
    assert list(tree.brackets) == brackets
    assert str(tree) == text_of(nested)
    assert parse(str(tree)) == tree


PENN = """
( (S
    (NP-SBJ-1 (DT The) (NN cat) )
    (VP (VBD sat)
      (S (NP-SBJ (-NONE- *-1) ) (ADVP (RB there) )))
    (. .) ))
( (NP (-LRB- -LRB-) (NNP A) (-RRB- -RRB-)))((NN yes))
"""


def test_the_files_of_the_penn_treebank_are_read_with_their_nameless_brackets():
    trees = list(parse_trees(PENN))
    assert [tree.words for tree in trees] == [
        ("The", "cat", "sat", "*-1", "there", "."),
        ("-LRB-", "A", "-RRB-"),
        ("yes",),
    ]
    assert trees[0].brackets[0] == Bracket("", 0, 6)
    assert squeezed("".join(map(str, trees))) == squeezed(PENN)
    assert str(trees[1]) == "( (NP (-LRB- -LRB-) (NNP A) (-RRB- -RRB-)))"


@pytest.mark.parametrize(
    "text, line, problem",
    [
        ("(S (NN a)", 1, "brackets still open: 1"),
        ("(NN a)\n\n(S\n(NP (NN b))\n", 3, "brackets still open: 1"),
        ("(NN a))", 1, "')' stands outside of any tree"),
        ("(NN a)\nhello (NN b)", 2, "'hello' stands outside of any tree"),
        ("()", 1, "'(' has nothing in it"),
        ("(S (NN a)\n(NP ))", 2, "'(NP' has nothing in it"),
        ("(S ( (NN a)))", 1, "a bracket has no label"),
        ("(( (NN a)))", 1, "a bracket has no label"),
        ("(NP the cat)", 1, "'cat' has no bracket of its own"),
        ("(NP the (NN cat))", 1, "'the' has no bracket of its own"),
        ("(NP (DT the)\n cat)", 2, "'cat' has no bracket of its own"),
        ("(NN " + "a" * 1000, 1, "never ends"),
        ("(NN a) " + "b" * 1000, 1, "…"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence_with_file_and_line(text, line, problem, tmp_path):
    path = tmp_path / "bad.mrg"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(problem)) as error:
        list(read_trees(path))
    said = str(error.value)
    assert said.startswith(f"{path}, line {line}: ") and said.endswith(".") and "\n" not in said
    assert len(said) < 200 + len(str(path))


@pytest.mark.parametrize("name, data", [("a.mrg", b"(NN a)\n(NN \xff)"), ("a.mrg.gz", b"no gzip"), ("no.mrg", None)])
def test_an_unreadable_file_is_named(name, data, tmp_path):
    if data:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(ValueError, match=r"a.mrg, line 2: this is not UTF-8|cannot be read"):
        read_trees(tmp_path / name)


@pytest.mark.parametrize(
    "text",
    ["(" * 10**6, "(S " * 10**6, ")" * 10**6, "(S " * 10**5 + ")" * 10**5, "x" * 10**6],
    ids=["nameless", "unclosed", "unopened", "empty", "a word"],
)
def test_a_million_brackets_end_in_one_short_sentence(text):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert len(str(error.value)) < 150


def test_no_tree_is_too_deep():
    n = 20_000
    text = "(S (NP (NN a)) " * n + "(NN b)" + ")" * n
    tree = parse(text)
    assert squeezed(str(tree)) == squeezed(text)
    assert clean(tree) == tree == delinearise(linearise(tree, keep_tags=True), tree.words, keep_tags=True)
    assert score([tree], [tree]).of() == (100, 100, 100)
    assert repair("(NP " * n, ["a"])[1]["closed"] == repair(")NP " * n, ["a"])[1]["opened"] == n


@pytest.mark.parametrize(
    "words, tags, brackets",
    [
        ("", "", []),
        ("a b", "X", [("S", 0, 2)]),
        ("a b", "X Y", []),
        ("a b", "X Y", [("S", 0, 1)]),
        ("a b", "X Y", [("S", 0, 2), ("", 0, 1)]),
        ("a b", "X Y", [("S", 0, 2), ("A(", 0, 1)]),
        ("a) b", "X Y", [("S", 0, 2)]),
        ("a b", "X Y", [("S", 0, 2), ("A", 1, 1)]),
        ("a b", "X Y", [("S", 0, 2), ("A", 1, 2), ("B", 0, 1)]),
        ("a b c", "X Y Z", [("S", 0, 3), ("A", 0, 2), ("B", 1, 3)]),
        ("a b c", "X Y Z", [("S", 0, 3), ("A", 1, 4)]),
    ],
)
def test_what_is_no_tree_cannot_be_made(words, tags, brackets):
    with pytest.raises(ValueError):
        Tree(tuple(words.split()), tuple(tags.split()), tuple(Bracket(*bracket) for bracket in brackets))


# ─── Typed sentences ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "text, words",
    [
        ("The cat sat down.", "The cat sat down ."),
        ("Don't! They'll've gone, wouldn't they?", "Do n't ! They 'll 've gone , would n't they ?"),
        ("It's John's; the dogs' bowls aren't.", "It 's John 's ; the dogs ' bowls are n't ."),
        ('He said, "I CAN\'T," and left.', "He said , `` I CA N'T , '' and left ."),
        ("“Stop!” she cried.", "`` Stop ! '' she cried ."),
        ("'Tis what 'the man' said.", "'Tis what ` the man ' said ."),
        ("(See [1] {or} 2.)", "-LRB- See -LSB- 1 -RSB- -LCB- or -RCB- 2 . -RRB-"),
        ("$3,000.50, i.e. 5% more -- really...", "$ 3,000.50 , i.e. 5 % more -- really ..."),
        ("Mr. Smith cannot come at 3:30.", "Mr. Smith can not come at 3:30 ."),
        ("well-known", "well-known"),
        (" \t", ""),
    ],
)
def test_a_typed_sentence_is_cut_as_the_penn_treebank_cuts_it(text, words):
    assert treebank.words(text) == words.split()


def test_the_grammar_s_sentences_are_cut_into_the_words_of_their_trees():
    for pair in grammar.sample(500, seed=3, difficulty=3):
        assert treebank.words(pair.english) == list(parse(pair.tree).words)


@quick
@given(st.text())
def test_whatever_is_typed_becomes_words_that_a_tree_can_hold(text):
    words = treebank.words(text)
    if words:
        assert repair("", words)[0].words == tuple(words)


# ─── Cleaning ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "dirty, cleaned",
    [
        (DOG, DOG),
        ("( " + DOG + ")", DOG),
        ("(TOP " + DOG + ")", DOG),
        ("( (ROOT (S1 " + DOG + ")))", DOG),
        ("(S (NP-SBJ-1 (NN a)) (VP=2 (VB b) (PP-LOC-CLR=3 (IN c))))", "(S (NP (NN a)) (VP (VB b) (PP (IN c))))"),
        ("(S (-LRB- -LRB-) (NN-HL a=b-c) (-RRB- -RRB-) (: --))", "(S (-LRB- -LRB-) (NN a=b-c) (-RRB- -RRB-) (: --))"),
        ("(S (NP (-NONE- *T*-1)) (VP (VB go) (SBAR (-NONE- 0) (S (-NONE- *)))))", "(S (VP (VB go)))"),
        ("( (S (NP (NN a)) (NP (-NONE- *))))", "(S (NP (NN a)))"),
        ("( (S (NN a)) (. .))", "(TOP (S (NN a)) (. .))"),
        ("( (NN a))", "(TOP (NN a))"),
        ("(ROOT (S (NN a)) (S (NN b)))", "(TOP (S (NN a)) (S (NN b)))"),
        ("(S (TOP (NN a)))", "(S (TOP (NN a)))"),
        ("(NN a)", "(NN a)"),
        ("( (S (-NONE- *)))", "None"),
    ],
)
def test_traces_function_tags_and_the_outermost_bracket_go(dirty, cleaned):
    assert str(clean(parse(dirty))) == cleaned


@quick
@given(NESTED)
def test_cleaning_keeps_every_real_word_and_cleans_all_at_once(nested):
    tree = parse(text_of(nested))
    cleaned = clean(tree)
    real = [word for tag, word in zip(tree.tags, tree.words, strict=True) if tag != "-NONE-"]
    assert (list(cleaned.words) if cleaned else []) == real
    assert cleaned is None or clean(cleaned) == cleaned


# ─── Tokens ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_tree_becomes_the_tokens_of_vinyals_and_others():
    assert linearise(parse(DOG)) == DOG_TOKENS
    assert linearise(parse(DOG), keep_tags=True) == "(S (NP NNP )NP (VP VBZ (NP DT NN )NP )VP . )S"
    assert delinearise(DOG_TOKENS, parse(DOG).words).brackets == parse(DOG).brackets


@quick
@given(NESTED)
def test_tokens_and_words_say_the_whole_tree(nested):
    tree = parse(text_of(nested))
    kept, bare = linearise(tree, keep_tags=True), linearise(tree)
    assert len(bare.split()) == len(kept.split()) == len(tree.words) + 2 * len(tree.brackets)
    assert delinearise(kept, tree.words, keep_tags=True) == tree
    assert with_gold_tags(delinearise(bare, tree.words), tree) == tree
    assert score([tree], [tree]).of()[2] in (0, 100)


def test_a_malformed_line_is_refused_with_what_is_wrong():
    with pytest.raises(ValueError, match=r"no tree of 2 words \(brackets closed at the end: 1, words put .*: 1\)"):
        delinearise("(S XX", ["a", "b"])


# ─── Repair ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "line, n, repaired, counts",
    [
        (DOG_TOKENS, 5, DOG_TOKENS, {}),
        ("XX", 1, "XX", {}),
        ("(S (NP XX )VP XX )S", 2, "(S (NP XX )NP XX )S", {"mislabelled": 1}),
        ("(S (NP XX )S )NP", 1, "(S (NP XX )NP )S", {"mislabelled": 2}),
        ("XX )NP XX )S", 2, "(S (NP XX )NP XX )S", {"opened": 2}),
        ("(NP XX )NP XX )S (VP XX )VP", 3, "(S (S (NP XX )NP XX )S (VP XX )VP )S", {"opened": 1, "wrapped": 1}),
        ("(S (NP XX XX", 2, "(S (NP XX XX )NP )S", {"closed": 2}),
        ("(S XX XX (NP XX )NP XX )S", 2, "(S XX XX )S", {"surplus": 2, "emptied": 1}),
        ("(S (NP XX )NP )S", 3, "(S (NP XX )NP XX XX )S", {"missing": 2}),
        ("(S (NP XX", 3, "(S (NP XX )NP XX XX )S", {"closed": 2, "missing": 2}),
        ("(NP )NP", 2, "(NP XX XX )NP", {"missing": 2}),
        ("(S (NP )NP XX (VP (PP )PP )VP )S", 1, "(S XX )S", {"emptied": 3}),
        ("(NP XX )NP (VP XX )VP", 2, "(S (NP XX )NP (VP XX )VP )S", {"wrapped": 1}),
        ("(NP XX )NP (VP )VP", 1, "(NP XX )NP", {"emptied": 1}),
        ("(NP XX )NP XX", 3, "(S (NP XX )NP XX XX )S", {"missing": 1, "wrapped": 1}),
        ("XX", 2, "(S XX XX )S", {"missing": 1, "wrapped": 1}),
        ("", 3, "(S XX XX XX )S", {"flat": 1}),
        ("", 1, "(S XX )S", {"flat": 1}),
        ("( NP XX) ) (a(b", 2, "(S XX XX )S", {"unknown": 5, "flat": 1}),
    ],
)
def test_each_step_of_the_repair_by_hand(line, n, repaired, counts):
    words = [f"w{i}" for i in range(n)]
    tree, found = repair(line, words)
    assert (linearise(tree), found) == (repaired, counts)
    assert tree.words == tuple(words)


SOUP = st.lists(st.sampled_from(["XX", "XX", "(S", ")S", "(NP", ")NP", "NN", "(", ")", "((", "(N)"]), max_size=14)


def reduces_to_one(line: str, n: int) -> bool:
    """Whether a line is well-formed, found another way: brackets around words only become a word until none is left."""
    if line.split().count("XX") != n:
        return False
    while (shorter := re.sub(r"(?<!\S)\(([^\s()]+)(?: XX)+ \)\1(?!\S)", "XX", line)) != line:
        line = shorter
    return line == "XX"


@settings(max_examples=800, deadline=None, derandomize=True)
@given(SOUP, st.integers(1, 6))
def test_any_soup_becomes_one_tree_over_all_words_and_a_tree_stays_as_it_is(tokens, n):
    line, words = " ".join(tokens), [f"w{i}" for i in range(n)]
    tree, counts = repair(line, words)
    assert tree.words == tuple(words)
    assert reduces_to_one(linearise(tree), n)
    assert (not counts) == reduces_to_one(line, n)
    assert all(count > 0 and step in treebank.STEPS for step, count in counts.items())
    if not counts:
        assert linearise(tree) == line
    assert repair(linearise(tree), words) == (tree, {})


@quick
@given(st.text(max_size=40), st.integers(1, 3))
def test_any_text_becomes_a_tree(text, n):
    for keep_tags in (False, True):
        tree, _ = repair(text, ["w"] * n, keep_tags)
        assert parse(str(tree)) == tree and len(tree.words) == n


@quick
@given(NESTED, st.floats(0, 1))
def test_a_tree_cut_off_needs_closing_and_nothing_else(nested, share):
    tree = parse(text_of(nested))
    tokens = linearise(tree).split()
    half, counts = repair(" ".join(tokens[: int(share * len(tokens))]), tree.words)
    assert counts.keys() <= {"closed", "missing", "emptied", "flat"}
    assert half.words == tree.words


def test_a_sentence_without_words_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        repair("(S )S", [])


# ─── Score ───────────────────────────────────────────────────────────────────────────────────────────────────────────

CAT = "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PRT (RP down))) (. .))"


@pytest.mark.parametrize(
    "gold, predicted, figures",
    [
        (CAT, CAT, (4, 4, 4)),
        (CAT, CAT.replace("PRT", "ADVP"), (4, 4, 4)),
        (CAT, "(S (NP (DT The)) (VP (NN cat) (VBD sat) (ADVP (RP down))) (. .))", (2, 4, 4)),
        ("(NP (NP (DT the) (NN cat)))", "(NP (DT the) (NN cat))", (1, 2, 1)),
        (CAT, "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PRT (RP down)) (. .)))", (4, 4, 4)),  # wherever the stop is
        (CAT, "(S (NP (DT The) (NN cat)) (VP (VBD sat) (PRT (RP down))))", (4, 4, 4)),  # or where there is none
    ],
)
def test_the_hand_cases(gold, predicted, figures):
    total = score([parse(gold)], [parse(predicted)])
    assert tuple(counts.total() for counts in (total.matched, total.gold, total.predicted)) == figures
    matched, n_gold, n_predicted = figures
    assert total.of() == pytest.approx(
        (100 * matched / n_predicted, 100 * matched / n_gold, 200 * matched / (n_gold + n_predicted))
    )
    assert total.exact == (figures[0] == figures[1] == figures[2]) and not total.errors


def test_figures_of_a_label_match_as_multisets():
    total = score([parse("(NP (NP (DT the) (NN cat)))")], [parse("(NP (DT the) (NN cat))")])
    precision, recall, _ = total.of("NP")
    assert (precision, recall) == (100, 50)
    assert total.of("VP") == (0, 0, 0)


def test_without_gold_tags_every_sentence_with_punctuation_is_an_error():
    gold = parse(CAT)
    guess = delinearise(linearise(gold), gold.words)
    assert score([gold], [guess]).errors == 1
    total = score([gold], [with_gold_tags(guess, gold)])
    assert (total.errors, total.f1, total.exact_match) == (0, 100, 100)


def test_counts_are_pooled_over_the_corpus_and_no_tree_matches_nothing():
    small, big = parse("(S (NN a) (NN b))"), parse("(S (NP (NN a)) (VP (VB b) (NP (NN c))))")
    total = score([small, big], [parse("(X (NN a) (NN b))"), big])
    assert total.of() == (80, 80, 80)  # 4 of 5, not the mean of 0 and 100
    total = score([small, big], [small, None])
    assert total.of() == pytest.approx((100, 20, 100 / 3))
    assert (total.exact_match, total.errors, total.skipped) == (50, 0, 0)
    with pytest.raises(ValueError):
        score([small, big], [small])


def cases() -> dict:
    return json.loads(CASES.read_text(encoding="utf-8"))


def test_every_case_is_counted_as_evalb_counts_it():
    kinds = Counter()
    for gold, predicted, status, *figures in cases()["cases"]:
        total = score([parse(gold)], [parse(predicted)])
        assert (total.errors, total.skipped) == (status == 1, status == 2), predicted
        assert [total.matched.total(), total.gold.total(), total.predicted.total()] == figures, (gold, predicted)
        kinds[status, figures[0] == figures[1] == figures[2]] += 1
    assert kinds[0, False] > 50 and kinds[0, True] > 5 and kinds[1, True] > 5 and kinds[2, True] > 1


def test_a_noisy_parse_of_the_grammar_has_evalb_s_score():
    assert list(totals(grammar_trees())) == cases()["totals"]["grammar"]


@pytest.mark.parametrize("name", ["ptb_sample/dev", "craft_treebank/dev"])
def test_a_noisy_parse_of_a_real_treebank_has_evalb_s_score(name, corpora_folder):
    trees = [clean(tree) for tree in read_trees(corpora_folder / f"{name}.clean.mrg.gz")]
    assert list(totals(trees)) == cases()["totals"][name]


def totals(trees: list[Tree]) -> tuple[int, ...]:
    total = score(trees, [noisy(tree, i) for i, tree in enumerate(trees)])
    assert not total.errors
    counts = (total.matched, total.gold, total.predicted)
    return (total.sentences, total.skipped, total.exact, *(count.total() for count in counts))


@functools.cache
def grammar_trees() -> list[Tree]:
    return [parse(pair.tree) for pair in grammar.sample(500, seed=5, difficulty=3)]


def noisy(gold: Tree, seed: int, noise: float = 0.06) -> Tree:
    """What a bad parser would say: tokens lost, doubled, renamed; repaired, with the gold tags. Plain random() only."""
    rng, tokens = random.Random(seed), []
    for token in linearise(gold).split():
        dice = rng.random() / noise
        if dice < 1:
            labels = ["NP", "VP", "ADVP", "PRT", "S", "TOP", "NP-SBJ", "X"]
            change = [[], [token] * 2, [token[:1] + labels[int(8 * rng.random())]], [token, "XX"], ["(NP", token]]
            tokens += change[int(5 * rng.random())]
        else:
            tokens.append(token)
    return with_gold_tags(repair(" ".join(tokens), gold.words)[0], gold)


# ─── Commands ────────────────────────────────────────────────────────────────────────────────────────────────────────


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@pytest.mark.parametrize("place", ["{0:02}/wsj_{0:02}{1:02}.mrg", "wsj_{0:02}{1:02}.mrg.gz"])
def test_the_wsj_is_split_by_section(place, tmp_path):
    source, out = tmp_path / "wsj", tmp_path / "out"
    for section in range(25):
        for number in (1, 10):
            path = source / place.format(section, number)
            write(path, f"( (S (NP-SBJ (NN s{section}) (-NONE- *)) (VP (VB n{number}))))\n")
            if path.suffix == ".gz":
                path.write_bytes(gzip.compress(path.read_bytes()))
    assert treebank.prepare([source], out) == {"train": 40, "valid": 2, "test": 2}
    assert lines(out / "train.words") == [f"s{i} n{j}" for i in range(2, 22) for j in (1, 10)]
    assert lines(out / "valid.words") == ["s22 n1", "s22 n10"]
    assert lines(out / "test.trees") == [f"(S (NP (NN s23)) (VP (VB n{j})))" for j in (1, 10)]
    assert set(lines(out / "train.tree")) == {"(S (NP XX )NP (VP XX )VP )S"}


def test_files_are_split_by_their_names(tmp_path, capsys):
    for name in ("train", "dev", "test", "more"):
        write(tmp_path / "in" / f"{name}.clean.mrg", f"(S (NN {name}))")
    assert treebank.prepare([tmp_path / "in"], tmp_path / "out") == {"train": 1, "valid": 1, "test": 1}
    assert "3 of 4 files; split by the names" in capsys.readouterr().err
    assert lines(tmp_path / "out" / "valid.words") == ["dev"]
    assert treebank.prepare([tmp_path / "in/train.clean.mrg", tmp_path / "in/dev.clean.mrg"], tmp_path / "out")
    assert not (tmp_path / "out/test.words").exists()  # a test of another corpus would mislead


def test_other_trees_are_split_by_sentence_and_no_sentence_is_in_two_splits(tmp_path, capsys):
    trees = [str(tree) for tree in grammar_trees()]
    source = write(tmp_path / "all.mrg", "\n".join(trees * 2) + "( (S (-NONE- *)))")
    write(tmp_path / "02/wsj_0200.mrg", trees[0])
    counts = treebank.prepare([source, tmp_path / "02"], tmp_path / "out", keep_tags=True)
    said = capsys.readouterr().err
    assert "not all WSJ sections" in said and "1 trees of traces only" in said
    assert sum(counts.values()) == 1001 and counts["train"] > 800 and min(counts["valid"], counts["test"]) > 20
    words = [set(lines(tmp_path / f"out/{split}.words")) for split in counts]
    assert not (words[0] & words[1] or words[0] & words[2] or words[1] & words[2])
    first = parse(lines(tmp_path / "out/valid.trees")[0])
    assert lines(tmp_path / "out/valid.tree")[0] == linearise(first, keep_tags=True)
    assert lines(tmp_path / "out/valid.words")[0] == " ".join(first.words)


def test_the_core_trains_on_what_prepare_writes_from_the_grammar(tmp_path):
    folder, out, run = tmp_path / "grammar", tmp_path / "trees", tmp_path / "run"
    grammar.main([str(folder), "--n", "60"])
    assert treebank.main(["prepare", str(folder), str(out)]) == 0
    assert lines(out / "train.trees") == lines(folder / "train.trees")
    words, trees = tc.read_parallel(out, "valid", "words", "tree")
    assert len(words) == 3 and all(map(delinearise, trees, map(str.split, words)))
    arguments = "--src words --tgt tree --preset tiny --vocab-size 400 --steps 2 --tokens-per-batch 300 --device cpu"
    assert tc.main(["train", "--data", str(out), "--out", str(run), *arguments.split()]) == 0
    tokenizer = tc.Tokenizer.load(run / "tokenizer.model")
    assert all(tokenizer.decode(tokenizer.encode(tree)) == tree for tree in trees)


def test_score_repairs_and_says_both_scores_and_each_step(tmp_path, capsys):
    trees = [DOG, CAT, CAT, "( (S-1 (NP (-NONE- *)) (VP (VB go)) (. !)))"]
    gold = write(tmp_path / "gold.trees", "\n".join(trees))
    good = "(S (NP XX XX )NP (VP XX (PRT XX )PRT )VP XX )S"
    cut = "(S (NP XX XX )NP (VP XX (ADVP XX"
    predicted = write(tmp_path / "out.tree", f"{DOG_TOKENS}\n{good}\n{cut}\n(S (VP XX )VP XX )S\n")
    assert treebank.main(["score", str(gold), str(predicted)]) == 0
    said = capsys.readouterr().out
    assert re.search(r"F1 +100.00 +83.33\n", said)  # all 14 brackets; without the line cut off 10: 2 · 10 / (14 + 10)
    assert re.search(r"exact match +100.00 +75.00\n", said)
    assert "1 malformed (25.00 %)" in said
    assert f"       3  {treebank.STEPS['closed']}" in said and f"       1  {treebank.STEPS['missing']}" in said
    assert re.search(r"\nNP +100.00 +100.00 +100.00 +4 +4\n", said)


def test_a_noisy_line_scores_in_the_report_as_in_the_tree():
    gold = grammar_trees()[:50]
    guesses = [noisy(tree, i) for i, tree in enumerate(gold)]
    found = report(gold, list(map(linearise, guesses)))
    assert found.malformed == 0 and found.strict == found.repaired == score(gold, guesses)


@pytest.mark.parametrize(
    "arguments, problem",
    [
        (["prepare", "nothing", "out"], "nothing cannot be read"),
        (["prepare", "empty", "out"], "holds no file of trees"),
        (["prepare", "bad.mrg", "out"], "bad.mrg, line 2: "),
        (["prepare", "traces.mrg", "out"], "gives no tree to train on"),
        (["prepare", "in/good.mrg", "in"], "name another folder"),
        (["score", "in/good.mrg", "two.tree"], "There are 1 gold trees and 2 predicted lines"),
        (["score", "traces.mrg", "two.tree"], "Tree 1 of traces.mrg has only traces"),
        (["score", "two.tree", "two.tree"], "two.tree, line 1: "),
        (["score", "in/good.mrg", "nothing"], "nothing cannot be read"),
    ],
)
def test_a_wrong_command_ends_in_one_sentence_and_writes_nothing(arguments, problem, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    write(tmp_path / "bad.mrg", "(NN a)\n(NN")
    write(tmp_path / "traces.mrg", "(NP (-NONE- *))")
    write(tmp_path / "in/good.mrg", DOG)
    write(tmp_path / "two.tree", "XX\nXX\n")
    before = sorted(tmp_path.rglob("*"))
    assert treebank.main(arguments) == 2
    said = capsys.readouterr()
    assert said.out == "" and problem in said.err.splitlines()[-1] and said.err.splitlines()[-1].startswith("Error: ")
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["ptb_sample/train", "ptb_sample/dev", "craft_treebank/dev"])
def test_real_treebanks_survive_the_round_trip(name, corpora_folder):
    text = treebank.read_text(corpora_folder / f"{name}.clean.mrg.gz")
    trees = list(parse_trees(text))
    assert "".join(f"{tree}\n" for tree in trees) == text
    for tree in trees:
        assert delinearise(linearise(tree, keep_tags=True), tree.words, keep_tags=True) == tree


# ─── The oracle: python tests/test_corpora_treebank.py EVALB ─────────────────────────────────────────────────────────


def evalb(folder: Path, gold: list[str], predicted: list[str]) -> tuple[list[list[int]], dict[str, float]]:
    """Status, matched, gold and test brackets of each sentence, as the program says; and its summary."""
    with tempfile.TemporaryDirectory() as scratch:
        paths = [write(Path(scratch, name), "".join(t + "\n" for t in texts)) for name, texts in
                 (("gold", gold), ("test", predicted))]  # fmt: skip
        command = [folder / "evalb", "-p", folder / "COLLINS.prm", "-e", "1000000", *paths]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table = re.findall(r"^ *\d+ +\d+ +([012]) +[\d.]+ +[\d.]+ +(\d+) +(\d+) +(\d+) ", said, re.M)
    assert len(table) == len(gold), said
    summary = re.findall(r"^(\w.*\w) += +([\d.]+)$", said.split("-- len")[0], re.M)
    return [[int(figure) for figure in row] for row in table], {name: float(value) for name, value in summary}


def made_up(seed: int) -> Tree:
    """A random tree with all that EVALB treats in a way of its own."""
    rng = random.Random(seed)
    tags = ["NN", "DT", ",", ".", ":", "``", "''", "-NONE-", "-LRB-", "$"]
    labels = ["S", "NP", "NP-SBJ-1", "VP=2", "ADVP", "PRT", "PRT-CLR", "TOP", "SBAR", "-X-", "ADVP|PRT", ","]

    def grow(depth: int) -> str:
        if rng.random() < 0.2 * depth:
            word = "abcdefgh"[int(8 * rng.random())]
            return f"({tags[int(len(tags) * rng.random())]} {word})"
        inside = " ".join(grow(depth + 1) for _ in range(1 + int(3 * rng.random())))
        return f"({labels[int(len(labels) * rng.random())]} {inside})"

    return parse(grow(0))


def case(seed: int) -> tuple[Tree, Tree]:
    """A gold tree and a guess; of three guesses one has tags, words or a length of its own."""
    gold = made_up(seed) if seed % 2 else grammar_trees()[seed]
    guess, rng = noisy(gold, seed, noise=0.3), random.Random(-1 - seed)
    if seed % 3 == 0:
        kept = [tag if rng.random() < 0.9 else ["XX", "."][int(2 * rng.random())] for tag in gold.tags]
        guess = Tree(gold.words, tuple(kept), guess.brackets)
    elif seed % 7 == 0:
        guess = Tree(tuple(w if rng.random() < 0.9 else "other" for w in gold.words), gold.tags, guess.brackets)
    return gold, guess


def write_cases(folder: Path) -> None:
    pairs = [case(seed) for seed in range(160)]
    pairs += [(tree, tree) for tree in map(made_up, range(200, 220))]
    gold, predicted = ([str(pair[i]) for pair in pairs] for i in (0, 1))
    figures, _ = evalb(folder, gold, predicted)
    stored = {"command": "python tests/test_corpora_treebank.py EVALB", "totals": {}}
    corpora = {"grammar": grammar_trees()}
    for name in ("ptb_sample/dev", "craft_treebank/dev"):
        path = Path(os.environ["TRANSFORMER_DATA"], f"{name}.clean.mrg.gz")
        corpora[name] = [tree for tree in map(clean, read_trees(path)) if tree]
    for name, trees in corpora.items():
        table, summary = evalb(folder, [str(t) for t in trees], [str(noisy(t, i)) for i, t in enumerate(trees)])
        sums = [sum(row[i] for row in table) for i in (1, 2, 3)]
        skipped = sum(row[0] == 2 for row in table)
        exact = round(summary["Complete match"] * (len(trees) - skipped) / 100)
        stored["totals"][name] = [len(trees), skipped, exact, *sums]
        total = score(trees, [noisy(t, i) for i, t in enumerate(trees)])
        print(name, summary, total.of(), total.exact_match, sep="\n")
    stored["cases"] = [[*texts, *row] for *texts, row in zip(gold, predicted, figures, strict=True)]
    text = json.dumps(stored, ensure_ascii=False).replace('["(', '\n["(')
    CASES.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_cases(Path(sys.argv[1]))
