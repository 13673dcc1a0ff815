"""BLEU's view: its script against sacreBLEU, what the charts and pictures say."""

import collections
import itertools
import json
import math
import random
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import sacrebleu

from corpora import grammar
from studies import bleu as study
from viz import bleu

# ─── The script against sacreBLEU ────────────────────────────────────────────────────────────────────────────────────


SCRIPT = """
import { readFileSync } from "node:fs";
const view = await (await import(process.argv[1])).script("bleu/score.js");
const found = JSON.parse(readFileSync(0, "utf8")).map(({ hypothesis, reference, settings, version }) => {
  const read = (text) => view.tokens(text, settings.tokenize, settings.lowercase), words = read(hypothesis);
  const counted = view.statistics(words, read(reference));
  return { words, ...counted, ...view.bleu(counted, settings), signature: view.signature(settings, version) };
});
console.log(JSON.stringify(found));
"""

WORDS = ["the", "the", "the", "a", "cat", "sat", "on", "mat", ",", ".", "hat"]
LETTERS = "ab AZ09 .,.,--'\"&;:!?/%$€£ \t\n\u00a0\u3000 äß İſΣσς 가나 中文 😀 \x1c\x85 ()[]{}<>|~`^_+=*#@\\"
PIECES = [
    "<skipped>",
    "&quot;",
    "&amp;",
    "&lt;",
    "&gt;",
    "&amp;lt;",
    "-\n",
    "3.5",
    "1,000",
    "2017.",
    "U.S.",
    "co-op",
    "5-6",
]
EDGES = [
    ("", ""), ("", "a b c d"), ("a b c d", ""), ("a", "a"), ("a b", "a b"), ("a b c", "a b c"), ("a b c d", "a b c d"),
    ("x y z w v", "a b c d e"), ("the " * 7, "the cat is on the mat"), ("a a a a a a", "a a"), ("a a", "a a a a a a"),
    (study.HYPOTHESIS, study.REFERENCE), (study.SPLIT, study.REFERENCE), ("foo-\n", "foo"), ("2017.", "2017 ."),
]  # fmt: skip


def nasty(chance: random.Random) -> str:
    """Letters, signs and spaces that tokenizers stumble over."""
    n = chance.randint(0, 40)
    return "".join(chance.choice(PIECES) if chance.random() < 0.2 else chance.choice(LETTERS) for _ in range(n))


def sentence_pairs() -> list[tuple[str, str]]:
    """Edges, words drawn at random, real German with words lost and moved, and nasty text."""
    chance, pairs = random.Random(0), list(EDGES)
    pairs += [tuple(" ".join(chance.choices(WORDS, k=chance.randint(0, 14))) for _ in "hr") for _ in range(800)]
    for pair in grammar.sample(300, seed=3, difficulty=3):
        kept = [word for word in pair.german.split() if chance.random() < 0.85]
        if chance.random() < 0.4:
            chance.shuffle(kept)
        pairs.append((" ".join(kept), pair.german))
    pairs += [(nasty(chance), nasty(chance)) for _ in range(400)]
    return pairs + [(text, text + nasty(chance)[:3]) for text in (nasty(chance) for _ in range(300))]


@pytest.fixture(scope="module")
def cases() -> list[dict]:
    """Each pair under one of all 64 settings, in turn; the edges under every one."""
    names = ("tokenize", "lowercase", "smooth", "effective")
    values = (["13a", "none", "intl", "char"], [False, True], ["exp", "none", "floor", "add-k"], [False, True])
    ways = [dict(zip(names, way, strict=True)) for way in itertools.product(*values)]
    pairs = sentence_pairs()
    chosen = [(pair, way) for pair in EDGES for way in ways]
    chosen += list(zip(pairs[len(EDGES) :], itertools.cycle(ways), strict=False))
    version = sacrebleu.__version__
    return [dict(hypothesis=h, reference=r, settings=way, version=version) for (h, r), way in chosen]


@pytest.fixture(scope="module")
def found(cases: list[dict]) -> list[dict]:
    node = shutil.which("node") or pytest.skip("node is not installed")
    command = [node, "--input-type=module", "-e", SCRIPT, Path(__file__).with_name("script.mjs").as_uri()]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_the_scripts_tokens_are_sacrebleus_for_13a_intl_char_and_none_on_real_and_nasty_text(cases, found):
    for case, got in zip(cases, found, strict=True):
        settings = case["settings"]
        assert got["words"] == study.tokens(case["hypothesis"], settings["tokenize"], settings["lowercase"]), case


def test_the_scripts_score_is_sacrebleus_to_the_last_digit(cases, found):
    """Precisions bit for bit. Score and brevity factor go through exp and log, in which libraries of mathematics differ
    by a few units in the last of 53 bits: 8 of them are 14 digits."""
    kinds = collections.Counter()
    for case, got in zip(cases, found, strict=True):
        wanted = study.score(case["hypothesis"], case["reference"], **case["settings"])
        assert (got["c"], got["r"]) == (wanted.sys_len, wanted.ref_len), case
        assert got["precisions"] == wanted.precisions, case
        for mine, theirs in ((got["score"], wanted.score), (got["factor"], wanted.bp)):
            assert abs(mine - theirs) <= 8 * math.ulp(theirs), case
        kinds["between 0 and 100" if 0 < wanted.score < 99.9 else "at an end"] += 1
        kinds["too short"] += 0 < wanted.bp < 1
    assert kinds["between 0 and 100"] > 1000 and kinds["at an end"] > 100 and kinds["too short"] > 300


def test_the_scripts_counts_are_sacrebleus(cases, found):
    for case, got in zip(cases, found, strict=True):
        plain = study.score(case["hypothesis"], case["reference"], **case["settings"] | {"smooth": "none"})
        assert (got["correct"], got["total"]) == (plain.counts, plain.totals), case


def test_the_scripts_signature_is_sacrebleus(cases, found):
    for case, got in zip(cases, found, strict=True):
        metric = study.metric(**case["settings"])
        metric.corpus_score(["a"], [["a"]])
        assert got["signature"] == str(metric.get_signature())


# ─── The numbers of the slides ───────────────────────────────────────────────────────────────────────────────────────


def test_what_cannot_be_scored_is_refused_in_one_sentence():
    for call, said in [
        (lambda: bleu.explore_bleu("a", None), "reference is a NoneType; pass one sentence"),
        (lambda: bleu.explore_bleu("a", "b" * 401), "reference has 401 characters; the view shows 400"),
        (lambda: bleu.sentence_chart([], 3.0, ""), "There are 0 scores"),
        (lambda: bleu.sentence_chart([3.0], 300.0, ""), "each from 0 to 100"),
        (lambda: bleu.brevity_chart([(3, 0)]), "with r at least 1"),
    ]:
        with pytest.raises(ValueError, match=said):
            call()


# ─── Charts, the picture and the live view ───────────────────────────────────────────────────────────────────────────


def test_the_bars_are_the_sentences_best_first_with_mean_and_corpus_as_lines():
    bars, mean, corpus = bleu.sentence_chart([10.0, 60.0, 20.0], 25.0, "three").panels[0].curves
    assert list(bars.y) == [60, 20, 10] and bars.kind == "bars"
    assert list(mean.y) == [30] * 3 and mean.name == "mean of the sentences 30.0"
    assert list(corpus.y) == [25] * 3 and "corpus 25.0" in corpus.name


def test_the_brevity_chart_has_both_factors_and_marks_the_lengths():
    panel = bleu.brevity_chart([(12, 14)]).panels[0]
    printed, standard = panel.curves
    assert all(p >= s for p, s in zip(printed.y, standard.y, strict=True)) and printed.y[-1] == standard.y[-1] == 1
    assert panel.marks == [(12 / 14, "12 of 14")]


def texts_of(picture: str) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_holds_tokens_as_text_and_the_four_fractions(dark):
    view = bleu.explore_bleu(
        "<script>alert(1)</script> a b c", "</svg> a b c d", tokenize="none", title="<b>", shows="typed"
    )
    texts = texts_of(bleu.view_picture(view, dark).text)
    assert {"<script>alert(1)</script>", "</svg>", "<b>", "p₁ = 3/4", "p₂ = 2/3", "p₃ = 1/2", "p₄ = 0/1"} <= set(texts)
    assert any(text.endswith("· typed") for text in texts)


@pytest.mark.parametrize("brevity", ["standard", "printed"])
@pytest.mark.parametrize("smooth", ["exp", "none", "floor", "add-k"])
@pytest.mark.parametrize("pair", [("", ""), ("", "a b"), ("a b", "a b"), ("x", "a b c d e"), ("a " * 80, "a b " * 50)])
def test_whatever_is_typed_has_a_picture_with_its_score(pair, smooth, brevity):
    for effective in (False, True):
        view = bleu.explore_bleu(*pair, smooth=smooth, brevity=brevity, effective=effective, n=4)
        picture = view.picture()
        if brevity == "standard":
            wanted = study.score(*pair, smooth=smooth, effective=effective).score
            assert f"BLEU {wanted:.4f}" in picture.description


def test_python_answers_with_sacrebleus_own_score():
    view, sent = bleu.explore_bleu(study.HYPOTHESIS, study.REFERENCE), []
    view.send = lambda content, buffers=None: sent.append(content)
    settings = dict(tokenize="none", lowercase=False, smooth="exp", effective=False)
    asked = {"ask": "sacrebleu", "hypothesis": study.HYPOTHESIS, "reference": study.REFERENCE, "key": "k", "version": 0}
    view._asked(view, asked | settings, [])
    assert sent[0]["answer"] == "sacrebleu" and sent[0]["key"] == "k" and f"{sent[0]['score']:.4f}" == "25.4003"


def test_every_example_can_be_opened_and_says_what_it_shows():
    view = bleu.explore_bleu("a", "b")
    for example in view.meta["examples"]:
        for name, value in example.items():
            if name not in ("name", "shows"):
                setattr(view, name, value)
        assert view.picture().description.endswith(f"({example['shows']})")


def test_the_corner_tells_a_typed_pair_from_the_one_that_opened():
    view = bleu.explore_bleu("a b", "a c", title="Opened", shows="trained: some", examples=[])
    assert "· trained: some" in view.picture().text and "Opened" in view.picture().text
    view.hypothesis = "a d"
    assert "· typed here" in view.picture().text and "trained" not in view.picture().text
