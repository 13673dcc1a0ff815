"""Parsing, seen: the page's stack, repair and score are the corpora's own; Table 4 is as printed, and its claims."""

import itertools
import json
import random
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch

import transformer_core as tc
from corpora import grammar, treebank
from viz import parsing, theme

SVG = "{http://www.w3.org/2000/svg}"
WORDS = ["The", "<b>cat</b>", "sat", "."]
LINE = "(S (NP XX XX )NP (VP XX )VP XX )S"

ASK = """
import { readFileSync } from "node:fs";
const { script } = await import(process.argv[1]);
const view = await script("parsing.js");
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
        assert found["fates"]["predicted"] == [marks[one] for one in parsing.matched(tagged, gold)]
        assert found["fates"]["gold"] == [marks[one] for one in parsing.matched(gold, tagged)]
        steps |= set(counts)
    assert steps == set(treebank.STEPS)


# ─── What a parser says ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    """An untrained model with a vocabulary for words and one for trees."""
    pairs = grammar.sample(60, seed=5)
    trees = [treebank.parse(pair.tree) for pair in pairs]
    source = tc.Tokenizer.train([" ".join(tree.words) for tree in trees], 380)
    target = tc.Tokenizer.train([treebank.linearise(tree) for tree in trees], 300)
    sizes = dict(n_layers=2, d_model=16, d_ff=20, n_heads=3, d_k=6, d_v=10, p_drop=0.0)
    config = tc.TransformerConfig(len(source), tgt_vocab_size=len(target), **sizes)
    with tc.seeded(torch.device("cpu"), 0):
        return tc.Translator(tc.Transformer(config), source, "untrained", target)


def test_a_parse_has_a_row_for_each_token_and_a_column_for_each_word_and_rows_sum_to_one(
    translator: tc.Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsing, "MAX_EXTRA", 9)
    found = parsing.parse(translator, "The zebra's cat didn't sleep.")
    assert found.words == ["The", "zebra", "'s", "cat", "did", "n't", "sleep", "."]
    assert found.attention.shape == (2, 3, len(found.tokens) + 1, len(found.words) + 1)
    torch.testing.assert_close(found.attention.sum(-1), torch.ones(found.attention.shape[:-1]))
    assert found.tree.words == tuple(found.words)
    src = translator.source([" ".join(found.words)])
    ids = tc.beam_search(translator.model, src, 1, 0.0, 9)[0].ids
    assert found.line.replace(" ", "") == "".join(translator.tgt_tokenizer.decode(ids).split())


def test_pieces_of_a_word_are_one_column_whose_weight_is_their_sum(translator: tc.Translator) -> None:
    ids = translator.source(["cat qqqq dog"])[0].tolist()
    groups = parsing.whole(translator.tokenizer, ids)
    assert [i for places in groups for i in places] == [*range(len(ids))]
    assert len(groups) == 4 and len(groups[1]) > 1 and groups[-1] == [len(ids) - 1]
    spelled = [translator.tokenizer.decode(ids[i] for i in places) for places in groups[:-1]]
    assert spelled == ["cat", "qqqq", "dog"]


def reading(line: str, attention: torch.Tensor, words: list[str]) -> parsing.Parse:
    return parsing.Parse(" ".join(words), words, line.split(), attention, -0.5, 1)


def test_reads_is_the_share_of_words_at_which_a_head_looks_when_it_places_them() -> None:
    attention = torch.zeros(1, 2, 4, 3)  # (S XX XX )S and the end, over two words and the end
    attention[0, 0, [1, 2], [0, 1]] = 1.0  # this head reads the word it places
    attention[0, 1, [1, 2], [1, 1]] = 1.0  # this one the second word, always
    parse = reading("(S XX XX", attention, ["a", "b"])
    assert parsing.reads(parse).tolist() == [[1.0, 0.5]]
    assert parsing.reads(parse, shift=1).tolist() == [[0.0, 0.5]]
    with pytest.raises(ValueError, match="places no word"):
        parsing.reads(reading("(S )S", attention, ["a", "b"]))


def test_the_view_finds_each_example_s_attention_where_it_begins() -> None:
    generator = torch.Generator().manual_seed(1)
    parses = [
        reading("(S XX )S", torch.rand(2, 3, 4, 2, generator=generator), ["a"]),
        reading(LINE, torch.rand(2, 3, 11, 5, generator=generator), WORDS),
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
    monkeypatch.setattr(parsing, "MAX_EXTRA", 6)
    explorer = parsing.explore_parse(translator, ["The cat slept.", "It rained."])
    explorer.text = "Don't (ever) sing."
    assert explorer.parse.words == ["Do", "n't", "-LRB-", "ever", "-RRB-", "sing", "."] and explorer.view.example == 2
    explorer.text = "Sing."
    assert len(explorer.parses) == 3 and explorer.parse.words == ["Sing", "."]
    explorer.view.example = 1
    assert explorer.text == "It rained." and explorer.parse.beam_size == 1
    explorer.view.beam_size = 4
    assert explorer.parse.beam_size == 4 and "with a beam of 4" in explorer.status.value
    assert explorer.view.meta["examples"][1]["line"] == explorer.parse.line
    explorer.text = "word " * 41
    assert "41 words" in explorer.status.value and explorer.view.example == 1
    explorer.text = "   "
    assert "0 words" in explorer.status.value


def test_traits_that_point_nowhere_are_refused(translator: tc.Translator) -> None:
    view = parsing.ParseView(**parsing.contents([reading("(S XX )S", torch.rand(2, 3, 4, 2), ["a"])], "synthetic"))
    for name, value in (("example", 1), ("layer", 2), ("head", 3)):
        with pytest.raises(ValueError, match=f"no {name} {value} here"):
            setattr(view, name, value)
    with pytest.raises(ValueError, match="no example 3 here; there are 3"):
        parsing.explore_score(parsing.HAND_CASES, example=3)
    score = parsing.explore_score(parsing.HAND_CASES, example=2)
    assert score.predicted == parsing.HAND_CASES[2].predicted
    with pytest.raises(ValueError, match="no example 4 here; there are 3"):
        score.example = 4
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_parse(translator, [])
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_repair([])
    with pytest.raises(ValueError, match="give at least one"):
        parsing.explore_score([])


# ─── Scores ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_hand_cases_score_as_facts_say() -> None:
    figures = {}
    for pair in parsing.HAND_CASES:
        gold = treebank.parse(pair.gold)
        figures[pair.name] = treebank.score([gold], [parsing.predicted_tree(pair.predicted, gold)]).of()
    assert [tuple(round(figure, 4) for figure in row) for row in figures.values()] == [
        (50.0, 50.0, 50.0), (100.0, 100.0, 100.0), (100.0, 50.0, 66.6667),
    ]  # fmt: skip


def test_matches_of_a_bracket_that_stands_there_twice_are_counted_once_each() -> None:
    twice, once = treebank.parse(parsing.TWICE), treebank.parse("(NP (DT the) (NN cat))")
    assert (parsing.matched(twice, once), parsing.matched(once, twice)) == ([True, False], [True])
    assert parsing.matched(treebank.parse("(TOP (S (NN a)) (X (. .)))"), twice) == [None, False, None]


# ─── Table 4 ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PRINTED = """
Vinyals & Kaiser et al. (2014) | WSJ only, discriminative | 88.3
Petrov et al. (2006)           | WSJ only, discriminative | 90.4
Zhu et al. (2013)              | WSJ only, discriminative | 90.4
Dyer et al. (2016)             | WSJ only, discriminative | 91.7
Transformer (4 layers)         | WSJ only, discriminative | 91.3
Zhu et al. (2013)              | semi-supervised          | 91.3
Huang & Harper (2009)          | semi-supervised          | 91.3
McClosky et al. (2006)         | semi-supervised          | 92.1
Vinyals & Kaiser et al. (2014) | semi-supervised          | 92.1
Transformer (4 layers)         | semi-supervised          | 92.7
Luong et al. (2015)            | multi-task               | 93.0
Dyer et al. (2016)             | generative               | 93.3
"""


def test_table_4_has_its_twelve_rows_exactly_as_printed() -> None:
    rows = [[cell.strip() for cell in line.split("|")] for line in PRINTED.strip().splitlines()]
    assert [list(row) for row in parsing.TABLE_4] == rows
    lines = parsing.table_4_lines()
    assert len(lines) == 13 and all(
        row[0] in line and line.endswith(row[2]) for row, line in zip(rows, lines[1:], strict=True)
    )


def test_the_claim_all_but_rnng_holds_on_the_wsj_and_not_in_the_whole_table() -> None:
    found = parsing.claims()
    assert [claim.holds for claim in found] == [True, True, True, False]
    assert [claim.arithmetic for claim in found[:2]] == ["91.3 − 88.3 = 3.0", "91.3 − 90.4 = 0.9"]
    assert [row.parser for row in found[3].against] == ["Luong et al. (2015)"]
    without = parsing.claims([row for row in parsing.TABLE_4 if row.training != parsing.MULTI])
    assert without[3].holds  # the claim turns with the rows
    with pytest.raises(ValueError, match="pass all of TABLE_4"):
        parsing.claims(parsing.TABLE_4[:3])


def test_the_chart_of_table_4_names_every_row_and_tells_it_to_who_cannot_see_it() -> None:
    chart = parsing.table_4_chart()
    assert all(f"{row.parser}, {row.training}: {row.printed}" in chart.description for row in parsing.TABLE_4)
    texts = ["".join(node.itertext()) for node in ET.fromstring(chart.picture.text).iter(f"{SVG}text")]
    assert {"Petrov et al. (2006), the Berkeley parser", "93.3", "Dyer et al. (2016), RNNG"} <= set(texts)
    assert len(parsing.table_4_chart(parsing.TABLE_4[:2]).spec["data"]["values"]) == 2
    with pytest.raises(ValueError, match="no rows"):
        parsing.table_4_chart([])


# ─── What was trained here ───────────────────────────────────────────────────────────────────────────────────────────

SCORE = dict(treebank="ptb", split="valid", sentences=200, beam_size=21, malformed=3)
RUN = dict(
    n_parameters=1_234_567, pairs=3000, steps=50,
    scores=[SCORE | dict(repaired=dict(f1=71.234), strict=dict(f1=70.5))],
    curve=[
        dict(step=25, f1=20.0, strict=10.0, nll=1.5, valid_nll=1.75),
        dict(step=50, f1=71, strict=70, nll=1, valid_nll=1.5),
    ],
)  # fmt: skip


def test_stored_scores_are_told_with_their_treebank_search_and_share_of_malformed_lines() -> None:
    lines = parsing.results_lines({"ptb": RUN})
    assert lines[0] == "ptb: 1.23 million parameters, 3,000 trees to learn from, 50 steps"
    assert lines[2].split() == ["ptb_sample,", "valid:", "200", "beam", "21", "71.23", "70.50", "1.5%"]
    twice = RUN | dict(scores=[RUN["scores"][0] | dict(also_in_train=7)])
    assert parsing.results_lines({"ptb": twice})[2].endswith("7 were trained on, too")
    with pytest.raises(ValueError, match="no result"):
        parsing.results_lines({})


def test_a_learning_curve_has_both_scores_and_both_losses() -> None:
    chart = parsing.curve_chart(RUN, "trained here")
    assert [[curve.y for curve in panel.curves] for panel in chart.panels] == [
        [[20.0, 71], [10.0, 70]], [[1.5, 1], [1.75, 1.5]],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no learning curve"):
        parsing.curve_chart(RUN | {"curve": []}, "trained here")


# ─── Pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────


def texts_of(picture: theme.Svg) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture.text).iter(f"{SVG}text")]


@pytest.mark.parametrize("dark", [False, True])
def test_a_tree_s_picture_holds_every_word_and_label_in_order_and_words_are_no_markup(dark: bool) -> None:
    tree = treebank.delinearise(LINE, WORDS)
    picture = parsing.tree_picture(tree, "A <i>title</i>", "synthetic", dark)
    assert texts_of(picture) == ["A <i>title</i>", "S", "NP", "VP", *WORDS, "synthetic"]
    assert str(tree) in picture.description


def test_brackets_stand_in_the_middle_of_their_parts_and_words_keep_their_distance() -> None:
    tree = treebank.parse("(S (NP (DT the) (JJ extraordinary) (NN ox)) (VP (VP (VB go))))")
    xs = parsing.middles([tree])
    place = parsing.placed(tree, xs)
    assert all(there - here > 20 for here, there in itertools.pairwise(xs))
    assert place.brackets[1] == (xs[0] + xs[2]) / 2 and place.brackets[2] == place.brackets[3] == xs[3]
    assert (place.depths, place.parents, place.leaves) == ([0, 1, 1, 2], [-1, 0, 0, 2], [1, 1, 1, 3])


def test_a_score_s_picture_has_both_trees_and_says_the_figures() -> None:
    view = parsing.explore_score(parsing.HAND_CASES)
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
