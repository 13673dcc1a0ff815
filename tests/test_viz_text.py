"""The text view: its merges end where SentencePiece ends, and the embeddings are those of the core."""

import itertools
import json
import math
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest
import torch

import transformer_core as tc
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


@pytest.fixture(scope="module")
def model(tokenizer) -> tc.Transformer:
    torch.manual_seed(1)
    return tc.Transformer(tc.TransformerConfig(50, n_layers=2, d_model=24, d_ff=16, n_heads=3, d_k=8, d_v=5))


def pieces(tokenizer: tc.Tokenizer, words: str) -> list[str]:
    return tokenizer.pieces(tokenizer.encode(tc.clean(words)))


@pytest.mark.parametrize("words", SENTENCES)
def test_the_merges_end_at_the_pieces_of_sentencepiece(tokenizer, words):
    assert text.final_pieces(tokenizer, words) == pieces(tokenizer, words)


def test_merges_of_many_real_sentences_end_at_the_pieces_of_sentencepiece(tokenizer, corpora_folder):
    for name in ("tatoeba_en_de/valid.en.gz", "tatoeba_en_de/valid.de.gz"):
        for line in tc.read_lines(corpora_folder / name)[:300]:
            assert text.final_pieces(tokenizer, line) == pieces(tokenizer, line)


def test_a_vocabulary_learned_here_plays_as_well():
    with pytest.warns(UserWarning):
        own = tc.Tokenizer.train(["low lower lowest", "new newer newest wide wider"] * 5, 1000)
    for words in ("lowest newer", "widest ✓"):
        assert text.final_pieces(own, words) == pieces(own, words)


def test_every_merge_joins_two_neighbours_and_the_first_learned_goes_first(tokenizer):
    before = text.characters(SENTENCES[0])
    ranks = {piece: n + 1 for n, piece in enumerate(text.vocabulary(tokenizer))}
    for step in text.merges(tokenizer, SENTENCES[0]):
        assert (before[step.at], before[step.at + 1]) == (step.left, step.right)
        assert step.pieces == [*before[: step.at], step.left + step.right, *before[step.at + 2 :]]
        possible = [ranks.get(a + b, math.inf) for a, b in itertools.pairwise(before)]
        assert step.rank == min(possible)
        before = step.pieces


def test_the_script_in_the_page_merges_as_sentencepiece_does(tokenizer, tmp_path):
    node = shutil.which("node") or pytest.skip("node not found")
    given = {"vocabulary": text.vocabulary(tokenizer), "texts": SENTENCES}
    (tmp_path / "given.json").write_text(json.dumps(given))
    loader = pathlib.Path(__file__).parent / "script.mjs"
    (tmp_path / "run.mjs").write_text(f"""
        import {{ readFileSync }} from "node:fs";
        const {{ script }} = await import({json.dumps(loader.as_uri())}), view = await script("text.js");
        const {{ vocabulary, texts }} = JSON.parse(readFileSync({json.dumps(str(tmp_path / "given.json"))}, "utf8"));
        const ranks = new Map(vocabulary.map((piece, n) => [piece, n + 1]));
        const read = (text) => view.spelled(view.merges(text, ranks).at(-1)?.pieces ?? view.characters(text), ranks);
        const ids = (text) => read(text).map((piece) => view.idOf(piece, ranks, {text.FIRST}));
        console.log(JSON.stringify(texts.map((text) => [read(text), ids(text)])));
    """)
    found = json.loads(subprocess.run([node, tmp_path / "run.mjs"], capture_output=True, check=True).stdout)
    for words, (cut, ids) in zip(SENTENCES, found, strict=True):
        assert cut == pieces(tokenizer, words)
        assert ids == tokenizer.encode(tc.clean(words))


def test_the_view_opens_at_a_step_and_refuses_what_it_cannot_show(tokenizer):
    view = text.explore_text(tokenizer, SENTENCES[0], shows="trained: x", step=3)
    assert (view.text, view.step, view.meta["first"]) == (SENTENCES[0], 3, 260)
    assert text.explore_text(tokenizer, "cat").step == len(text.merges(tokenizer, "cat")) + 1
    with pytest.raises(ValueError, match=r"161 characters.*160.*shorter"):
        text.explore_text(tokenizer, "x" * 161)
    with pytest.raises(ValueError, match=r"list.*one sentence"):
        text.explore_text(tokenizer, ["x"])


def test_a_vocabulary_that_is_not_in_the_order_of_its_merges_is_refused(tokenizer):
    class Scrambled:
        processor = type("P", (), {"is_byte": lambda *_: False, "get_score": lambda _, i: float(i)})()

        def __len__(self):
            return 300

    with pytest.raises(ValueError, match=r"300 pieces.*order of their merges.*Tokenizer\.train"):
        text.vocabulary(Scrambled())


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


# ─── Embeddings ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_row_is_multiplied_by_the_root_of_d_model_and_its_place_is_added(model):
    found = text.embedded(model, [7, 9, 7])
    ratio = found["scaled"].norm(dim=-1) / found["row"].norm(dim=-1)
    assert torch.allclose(ratio, torch.full((3,), math.sqrt(24)))
    assert torch.allclose(found["sum"], found["scaled"] + found["place"], atol=1e-6)


def test_one_word_at_two_places_has_one_row_and_two_vectors_that_differ_by_their_places(model):
    found = text.embedded(model, [7, 9, 7])
    assert torch.equal(found["row"][0], found["row"][2])
    gap = tc.sinusoidal_positions(3, 24)[2] - tc.sinusoidal_positions(3, 24)[0]
    assert torch.allclose(found["sum"][2] - found["sum"][0], gap.float(), atol=1e-5)


def test_the_gradient_of_the_shared_matrix_is_the_sum_of_its_three_uses(model):
    batch = tc.Batch.of([([5, 6, 7], [8, 9]), ([6, 5], [10, 11, 12])])
    found = text.tied_gradients(model, batch)
    assert model.src_embedding.weight.data_ptr() == model.tgt_embedding.weight.data_ptr()
    assert torch.allclose(found["shared"], found["source"] + found["target"] + found["softmax"], atol=1e-6)
    assert all(found[use].abs().max() > 0 for use in ("source", "target", "softmax"))
    used_as_source = found["source"].abs().sum(-1).nonzero().flatten().tolist()
    assert used_as_source == [tc.EOS, 5, 6, 7]
    assert model.training and model.src_embedding.weight.grad is None


def test_a_model_with_several_matrices_is_refused(model):
    with pytest.raises(ValueError, match="several embedding matrices"):
        text.untied(text.untied(model))


def test_one_two_or_three_matrices_make_the_paper_s_base_model_as_large_as_computed():
    sizes = []
    for change in ({}, {"tgt_vocab_size": 37000}, {"tgt_vocab_size": 37000, "tie_softmax": False}):
        with torch.device("meta"):
            sizes.append(tc.count_parameters(tc.Transformer(tc.TransformerConfig(37000, **change))))
    assert sizes == [63_045_632, 81_989_632, 100_933_632]
