"""The model in JavaScript says what the core says: pieces, translations, log-probabilities, and every tensor inside."""

import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import toys

import core_options.context_aware as ca
import transformer_core as tc
from benchmarks.page_engine import Page, apart, interventions, translations

ROOT = Path(__file__).resolve().parent.parent
CHECKPOINTS = ROOT / "checkpoints"
SENTENCES = {
    "grammar-context": "The animal did not cross the street because it was too tired.",
    "parser": "The animal did not cross the street because it was too tired .",
}
HOSTILE = [
    "", " ", "▁", "▁the ▁▁ a▁b", "a\u3000b\x85c", "the  cat", "🙂🙂 ünïcödé", "안녕하세요", "aaaaaaaaaaaaaaaa",
    "\x00\x01", "e\u0301", "<s> </s> <0x41> <unk>", "ﬁne ①", "The " * 40, "\u202ertl\u202c", "\ufeffbom",
    "don't", "x" * 300,
]  # fmt: skip

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
]


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    """With the products in WebAssembly, as in most browsers."""
    with Page(CHECKPOINTS / "tatoeba-en-de") as opened:
        yield opened


@pytest.fixture(scope="module")
def plain() -> Iterator[Page]:
    """With plain loops alone."""
    with Page(CHECKPOINTS / "tatoeba-en-de", way="plain") as opened:
        yield opened


@pytest.fixture(scope="module")
def everyday(corpora_folder: Path) -> list[str]:
    return tc.read_lines(corpora_folder / "tatoeba_en_de" / "valid.en.gz")[:2000]


def saved(folder: Path, tokenizer: tc.Tokenizer, **shape: Any) -> tc.Translator:
    """An untrained model of a shape, with a tokenizer of its own target where it has a vocabulary for it; saved."""
    torch.manual_seed(0)
    if "tgt_vocab_size" in shape:
        shape["tgt_vocab_size"] = len(tokenizer)
    model = tc.MODELS["context" if "context" in shape else "transformer"](
        ca.config_of(len(tokenizer), **{**toys.TOY, "n_layers": 2, **shape})
    )
    sides = (tokenizer, tc.Tokenizer(tokenizer.model)) if "tgt_vocab_size" in shape else (tokenizer,)
    for parameter in model.parameters():  # gains and biases that matter
        parameter.data.add_(0.1 * torch.randn(parameter.shape))
    tc.save_checkpoint(folder, model.config, tc.weights_of(model), *sides)
    return tc.load_pretrained(folder)


SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "pre-LN": dict(norm="pre"),
    "learned positions": dict(positions="learned", max_len=32),
    "window": dict(window=3),
    "a target vocabulary": dict(tgt_vocab_size=True),
    "an untied softmax": dict(tie_softmax=False),
    "context": dict(context="deep-global+deep", context_in="both"),
    "context, a gate for each head": dict(context="global", context_in="both", context_gate="each", norm="pre"),
    "context on keys": dict(context="deep", context_in="encoder", context_on="k"),
}


@pytest.mark.parametrize("way", ["", "plain"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_model_of_any_shape_says_the_same(shape: dict, way: str, tmp_path: Path, tokenizer: tc.Tokenizer):
    untrained = saved(tmp_path / "model", tokenizer, **shape)
    src, tgt_in = untrained.source(["ant bee cat"]), torch.tensor([[1, 9, 5, 30, 7]])
    with Page(tmp_path / "model", way) as page:
        answer = page.ask(kind="read", src=src[0].tolist(), ids=[9, 5, 30, 7, 2], record="*")
        with tc.evaluating(untrained.model), tc.record(untrained.model) as trace:
            logits = untrained.model(src, tgt_in)
        assert apart(logits, answer["logits"]) < 1e-4
        assert trace.keys() == {name for name in answer["trace"] if name.count(".")}
        assert all(apart(x, answer["trace"][name]) < 1e-4 for name, x in trace.items())
        for extra, beam in ((6, 3), (0, 2)):
            greedy = page.ask(kind="greedy", text="ant bee cat", max_extra=extra)
            assert greedy["ids"] == tc.greedy_decode(untrained.model, src, max_extra=extra)[0].ids
            best = page.ask(kind="translate", text="ant bee cat", beam_size=beam, alpha=1.0, max_extra=extra)
            (expected,) = tc.beam_search(untrained.model, src, beam_size=beam, alpha=1.0, max_extra=extra)
            assert (best["ids"], best["score"]) == (expected.ids, pytest.approx(expected.score, abs=1e-3))


@pytest.mark.parametrize("name", SENTENCES)
def test_the_other_checkpoints_translate_alike(name: str):
    translator = tc.load_pretrained(name)
    with Page(CHECKPOINTS / name) as page:
        answer = page.ask(kind="translate", text=SENTENCES[name])
    assert [answer["text"]] == translator.translate([SENTENCES[name]])


def test_hostile_text_is_cut_into_the_same_pieces(translator: tc.Translator, page: Page):
    for text in HOSTILE:
        assert page.ask(kind="encode", text=text)["ids"] == translator.tokenizer.encode(tc.clean(text)), repr(text)


def test_real_text_is_cut_into_the_same_pieces(translator: tc.Translator, page: Page, corpora_folder: Path):
    paths = sorted((corpora_folder / "wmt_newstest").glob("*.gz"))
    for text in [line for path in paths for line in tc.read_lines(path)[:1000]]:
        assert page.ask(kind="encode", text=text)["ids"] == translator.tokenizer.encode(tc.clean(text)), repr(text)


def test_any_ids_become_the_same_text(translator: tc.Translator, page: Page):
    rng = random.Random(0)
    for _ in range(300):
        ids = [rng.choice([rng.randrange(8000), rng.randrange(264)]) for _ in range(rng.randrange(12))]
        assert tc.clean(page.ask(kind="decode", ids=ids)["text"]) == tc.clean(translator.tokenizer.decode(ids)), ids


def test_real_sentences_get_the_same_translation(
    translator: tc.Translator, page: Page, plain: Page, everyday: list[str]
):
    rows = [*translations(translator, page, everyday[::50]), *translations(translator, plain, everyday[25::500])]
    assert len(rows) == 44 and all(row[way]["same"] for row in rows for way in ("greedy", "beam 4"))
    assert max(row[way]["apart"] for row in rows for way in ("greedy", "beam 4")) < 1e-3


def test_the_kernel_is_used_where_it_may_be(page: Page, plain: Page):
    assert [which.ask(kind="next", text="Yes.")["way"] for which in (page, plain)] == ["simd", "plain"]


def test_interventions_change_the_same_tensors_alike(translator: tc.Translator, page: Page, everyday: list[str]):
    rows = list(interventions(translator, page, everyday[:200:8]))
    assert len({row["edit"].split(".")[-1] for row in rows}) >= 5
    assert max(row["apart"] for row in rows) < 1e-4


def test_a_translation_without_heads_is_the_core_s(translator: tc.Translator, page: Page):
    probe, text = "decoder.*.cross_attention.heads", "I want to learn to play the piano."
    answer = page.ask(kind="translate", text=text, edits=[dict(probe=probe, heads=[0, 1, 2, 3, 5])])
    with tc.intervene(translator.model, probe, lambda x: x.index_fill(1, torch.tensor([0, 1, 2, 3, 5]), 0.0)):
        assert [answer["text"]] == translator.translate([text])
    assert answer["text"] != page.ask(kind="translate", text=text)["text"]


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (dict(kind="translate", text=" \t"), "at least one word"),
        (dict(kind="translate", text="a b c d e f g h", most=4), "more than the 4 shown"),
        (dict(kind="dance", text="a"), 'no question "dance"'),
        (dict(kind="read", text="a", edits=[dict(probe="encoder.9.residual", off=True)]), "no probe"),
        (dict(kind="greedy", text="a", edits=[dict(probe="decoder.*.scores", cells=[[0, 0]])]), "searched"),
        (dict(kind="translate", text="a", beam_size=0), "pass at least 1, 0 and 0"),
        (dict(kind="read", text="a", ids=[9000, 2]), "no id 9000"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_refused_in_a_sentence(page: Page, question: dict, words: str):
    with pytest.raises(ValueError, match=words):
        page.ask(**question)


def test_tensors_whose_infinities_differ_lie_infinitely_apart():
    here, there = torch.tensor([1.0, -torch.inf]), torch.tensor([1.5, -torch.inf])
    assert apart(here, there) == 0.5
    assert apart(here, torch.zeros(2)) == torch.inf
    assert apart(torch.full((2,), -torch.inf), torch.full((1, 2), -torch.inf)) == 0
