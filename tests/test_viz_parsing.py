"""Parsing's views: the scripts against Python, and what the pictures say."""

import json
import random
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch
from toys_parsing import RUN, parse_of, untrained_parser

import transformer_core as tc
from corpora import grammar, treebank
from studies import parsing as study
from viz import parsing, stills
from viz.parsing.branches import bracket_rows

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["The", "<b>cat</b>", "sat", "."]
LINE = "(S (NP XX XX )NP (VP XX )VP XX )S"

ASK = """
import { readFileSync } from "node:fs";
const { script } = await import(process.argv[1]);
const view = await script("parsing/trees.js");
const out = JSON.parse(readFileSync(0)).map(({ line, gold, n, tags, keep }) => {
  const found = view.read(line, n, keep);
  const { matched, precision, recall, f1, fates } = view.scored(gold, found.brackets, tags);
  return { counts: found.counts, brackets: found.brackets, matched, precision, recall, f1, fates,
    tags: found.tags, again: view.linear(view.nested(found.brackets, n)) };
});
console.log(JSON.stringify(out));
"""


def in_the_page(cases: list[dict]) -> list[dict]:
    """What the view's script makes of lines, run in node."""
    node = shutil.which("node") or pytest.skip("node is not installed")
    command = [node, "--input-type=module", "-e", ASK, Path(__file__).with_name("script.mjs").as_uri()]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def broken_lines(n: int, keep_tags: bool) -> list[tuple[treebank.Tree, str]]:
    """Trees of the grammar with their lines, most of them broken by chance."""
    rng, found = random.Random(3), []
    for pair in grammar.sample(n, seed=17, difficulty=3):
        tree = treebank.parse(pair.tree)
        tokens = treebank.linearise(tree, keep_tags).split()
        for _ in range(rng.choice([0, 1, 2, 5, 20])):
            at = rng.randrange(len(tokens) + 1)
            change = rng.choice(["drop", "add", "swap", "cut"])
            if change == "drop":
                del tokens[at : at + 1]
            elif change == "add":
                tokens.insert(at, rng.choice(["(NP", ")NP", "XX", "(PRT", ")PRT", "foo", "()", "(", "(A)B", "(-X-"]))
            elif change == "cut" and rng.random() < 0.3:
                tokens = tokens[at:]
            elif tokens:
                other = rng.randrange(len(tokens))
                at = min(at, len(tokens) - 1)
                tokens[at], tokens[other] = tokens[other], tokens[at]
        found.append((tree, " ".join(tokens)))
    return [*found, (found[0][0], ""), (found[0][0], ") ( XX"), (found[0][0], "XX " * 60)]


@pytest.mark.parametrize("keep_tags", [False, True])
def test_the_page_repairs_and_scores_as_the_corpora_do_whatever_the_line(keep_tags: bool) -> None:
    trees = broken_lines(300, keep_tags)
    cases = [
        {
            "line": line,
            "keep": keep_tags,
            "n": len(tree.words),
            "tags": tree.tags,
            "gold": [b._asdict() for b in tree.brackets],
        }
        for tree, line in trees
    ]
    steps = set()
    for (gold, line), found in zip(trees, in_the_page(cases), strict=True):
        repaired, counts = treebank.repair(line, gold.words, keep_tags)
        assert repaired.tags[: len(found["tags"])] == tuple(found["tags"])
        assert (found["counts"], found["brackets"]) == (dict(counts), [b._asdict() for b in repaired.brackets]), line
        if repaired.brackets:
            assert found["again"] == treebank.linearise(repaired)
        tagged = treebank.with_gold_tags(repaired, gold)
        total = treebank.score([gold], [tagged])
        assert found["matched"] == total.matched.total()
        assert (found["precision"], found["recall"], found["f1"]) == pytest.approx(total.of())
        marks = {True: "matched", False: "wrong", None: "uncounted"}
        assert found["fates"]["predicted"] == [marks[one] for one in study.matched_brackets(tagged, gold)]
        assert found["fates"]["gold"] == [marks[one] for one in study.matched_brackets(gold, tagged)]
        steps |= set(counts)
    assert steps == set(treebank.STEPS)


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return untrained_parser()


# ─── What a parser says ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_view_finds_each_example_s_attention_where_it_begins() -> None:
    generator = torch.Generator().manual_seed(1)
    parses = [
        parse_of("(S XX )S", torch.rand(2, 3, 4, 2, generator=generator), ["a"]),
        parse_of(LINE, torch.rand(2, 3, 11, 5, generator=generator), WORDS),
    ]
    found = parsing.contents(parses, "synthetic")
    numbers = torch.frombuffer(bytearray(found["data"]), dtype=torch.float32)
    for one, example in zip(parses, found["meta"]["examples"], strict=True):
        rows = one.attention.permute(2, 0, 1, 3)
        assert example["n_rows"] == len(rows)
        assert torch.equal(numbers[example["begin"] :][: rows.numel()].reshape(rows.shape), rows)
    assert parsing.ParseView(**found, layer=1, head=2).example == 0


def test_a_typed_sentence_a_chosen_one_and_another_search_keep_page_and_python_together(
    translator: tc.Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "MAX_EXTRA", 6)
    explorer = parsing.explore_parse(translator, ["The cat slept.", "It rained."])
    explorer.text = "Don't (ever) sing."
    assert explorer.parse.words == ["Do", "n't", "-LRB-", "ever", "-RRB-", "sing", "."] and explorer.view.example == 2
    explorer.text = "Sing."
    assert len(explorer.reading) == 3 and explorer.parse.words == ["Sing", "."]
    explorer.view.example = 1
    assert explorer.text == "It rained." and explorer.parse.beam_size == 1
    explorer.view.beam_size = 4
    assert explorer.parse.beam_size == 4 and "with a beam of 4" in explorer.status.value
    assert explorer.view.meta["examples"][1]["line"] == explorer.parse.line
    explorer.text = "word " * 41
    assert "41 words" in explorer.status.value and explorer.view.example == 1
    explorer.text = "   "
    assert "at least one word" in explorer.status.value


def test_traits_that_point_nowhere_are_refused(translator: tc.Translator) -> None:
    view = parsing.ParseView(**parsing.contents([parse_of("(S XX )S", torch.rand(2, 3, 4, 2), ["a"])], "synthetic"))
    for name, value in (("example", 1), ("layer", 2), ("head", 3)):
        with pytest.raises(ValueError, match=f"no {name} {value} here"):
            setattr(view, name, value)
    with pytest.raises(ValueError, match="no example 3 here; there are 3"):
        parsing.explore_score(study.HAND_CASES, example=3)
    score = parsing.explore_score(study.HAND_CASES, example=2)
    assert score.predicted == study.HAND_CASES[2].predicted
    with pytest.raises(ValueError, match="no example 4 here; there are 3"):
        score.example = 4
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_parse(translator, [])
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_repair([])
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_score([])


# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_chart_of_table_4_names_every_row_and_tells_it_to_who_cannot_see_it() -> None:
    chart = parsing.table_4_chart()
    assert all(f"{row.parser}, {row.training}: {row.printed}" in chart.description for row in study.TABLE_4)
    texts = ["".join(node.itertext()) for node in ET.fromstring(chart.picture.text).iter(f"{SVG}text")]
    assert {"Petrov et al. (2006), the Berkeley parser", "93.3", "Dyer et al. (2016), RNNG"} <= set(texts)
    assert len(parsing.table_4_chart(study.TABLE_4[:2]).spec["data"]["values"]) == 2
    with pytest.raises(ValueError, match="no rows"):
        parsing.table_4_chart([])


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────


def test_a_learning_curve_has_both_scores_and_both_losses() -> None:
    chart = parsing.curve_chart(RUN, "trained here")
    assert [[curve.y for curve in panel.curves] for panel in chart.panels] == [
        [[20.0, 71], [10.0, 70]], [[1.5, 1], [1.75, 1.5]],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no learning curve"):
        parsing.curve_chart(RUN | {"curve": []}, "trained here")


# ─── Pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def texts_of(picture: stills.Svg) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture.text).iter(f"{SVG}text")]


@pytest.mark.parametrize("dark", [False, True])
def test_a_tree_s_picture_holds_every_word_and_label_in_order_and_words_are_no_markup(dark: bool) -> None:
    tree = treebank.delinearise(LINE, WORDS)
    picture = parsing.tree_picture(tree, "A <i>title</i>", "synthetic", dark)
    assert texts_of(picture) == ["A <i>title</i>", "S", "NP", "VP", *WORDS, "synthetic"]
    assert str(tree) in picture.description


def test_every_bracket_is_a_box_over_its_words_the_root_first() -> None:
    tree = treebank.parse("(S (NP (DT the) (JJ extraordinary) (NN ox)) (VP (VP (VB go))))")
    rows = bracket_rows(tree, lambda _: {})
    assert [[(box.text, box.span) for box in row] for row in rows] == [
        [("S", 4)], [("NP", 3), ("VP", 1)], [("", 3), ("VP", 1)],
    ]  # fmt: skip


def test_a_score_s_picture_has_both_trees_and_says_the_figures() -> None:
    view = parsing.explore_score(study.HAND_CASES)
    picture = view.picture()
    texts = texts_of(picture)
    assert texts[0] == "precision 50.0, recall 50.0, F1 50.0" and texts.count("S") == texts.count("VP") == 2
    assert {"PRT", "ADVP", "gold", "predicted"} <= set(texts)
    view.example, view.predicted = 2, "(NP XX"
    assert texts_of(view.picture())[0] == "precision 100.0, recall 50.0, F1 66.7"


def test_a_broken_line_s_picture_says_what_was_repaired() -> None:
    view = parsing.explore_repair([("open", WORDS, "(S (NP XX XX"), ("whole", WORDS, LINE)])
    assert "closed 2, missing 2" in texts_of(view.picture())[0]
    view.example, view.line = 1, LINE
    assert texts_of(view.picture())[0].endswith("repaired: nothing")
