"""The text view: its script merges as SentencePiece does, and its pictures hold every piece."""

import json
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest

import transformer_core as tc
from studies.text import FIRST, merges, vocabulary
from viz import text

CHECKPOINT = pathlib.Path(tc.__file__).parent / "checkpoints" / "tatoeba-en-de"
SENTENCES = [
    "The grandmothers' playground", "Ich verstehe das nicht.", "naïve façade", "고양이 🙂 와 개",
    "a\tb\u3000c  d ", "▁ and ▁▁",
    "<b>x</b> & </s> <s> <0x41>", "ÄÖÜäöüß – „Straßenbahn“", "x" * 40, "1,234.56 €", "e\u0301\u200d\ufe0f", "",
    "the the the the", "Tom's dog, that barks; every-night!",
]  # fmt: skip


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.Tokenizer.load(CHECKPOINT / "tokenizer.model")


def pieces(tokenizer: tc.Tokenizer, words: str) -> list[str]:
    return tokenizer.pieces(tokenizer.encode(tc.clean(words)))


def test_the_script_in_the_page_merges_as_sentencepiece_does(tokenizer, tmp_path):
    node = shutil.which("node") or pytest.skip("node not found")
    given = {"vocabulary": vocabulary(tokenizer), "texts": SENTENCES}
    (tmp_path / "given.json").write_text(json.dumps(given))
    loader = pathlib.Path(__file__).parent / "script.mjs"
    (tmp_path / "run.mjs").write_text(f"""
        import {{ readFileSync }} from "node:fs";
        const {{ script }} = await import({json.dumps(loader.as_uri())}), view = await script("text/pieces.js");
        const {{ vocabulary, texts }} = JSON.parse(readFileSync({json.dumps(str(tmp_path / "given.json"))}, "utf8"));
        const ranks = new Map(vocabulary.map((piece, n) => [piece, n + 1]));
        const read = (text) => view.spelled(view.merges(text, ranks).at(-1)?.pieces ?? view.characters(text), ranks);
        const ids = (text) => read(text).map((piece) => view.idOf(piece, ranks, {FIRST}));
        console.log(JSON.stringify(texts.map((text) => [read(text), ids(text)])));
    """)
    found = json.loads(subprocess.run([node, tmp_path / "run.mjs"], capture_output=True, check=True).stdout)
    for words, (cut, ids) in zip(SENTENCES, found, strict=True):
        assert cut == pieces(tokenizer, words)
        assert ids == tokenizer.encode(tc.clean(words))


def test_the_view_opens_at_a_step_and_refuses_what_it_cannot_show(tokenizer):
    view = text.explore_text(tokenizer, SENTENCES[0], shows="trained: x", step=3)
    assert (view.text, view.step, view.meta["first"]) == (SENTENCES[0], 3, 260)
    assert text.explore_text(tokenizer, "cat").step == len(merges(tokenizer, "cat")) + 1
    with pytest.raises(ValueError, match=r"161 characters.*160.*shorter"):
        text.explore_text(tokenizer, "x" * 161)
    with pytest.raises(ValueError, match=r"list.*one sentence"):
        text.explore_text(tokenizer, ["x"])


# ─── Pictures ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_holds_every_piece_as_text_whatever_it_is(dark):
    rows = [["<b>", "\"&'", "\x00"], ["▁a", "고양이", "</svg>"]]
    drawn = text.piece_rows(rows, ["first", "second"], "<i>title</i>", "synthetic", dark=dark)
    shown = [node.text for node in ET.fromstring(drawn.text).iter("{http://www.w3.org/2000/svg}text")]
    assert {"<b>", "\"&'", "▁a", "고양이", "</svg>", "first", "<i>title</i>", "synthetic"} <= set(shown)
    assert "second: ▁a 고양이 </svg>" in drawn.description


def test_rows_and_names_must_be_as_many():
    with pytest.raises(ValueError, match=r"2 rows.*1 names"):
        text.piece_rows([["a"], ["b", "c"]], ["only"])


def test_a_view_brings_its_picture_with_bytes_and_ids(tokenizer):
    view = text.explore_text(tokenizer, "naïve", shows="trained: tatoeba-en-de")
    data, _ = view._repr_mimebundle_()
    assert "%26lt;0xC3%26gt;" in data["text/markdown"] and "trained: tatoeba-en-de" in data["text/plain"]
