"""The translator: a line for every text, whatever the text and whatever the model says."""

import random
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import torch
import toys

import transformer_core as tc
from core_options import beams, fast_cpu, words

pytestmark = pytest.mark.usefixtures("one_thread")

STRANGE = [
    "",
    " ",
    "\t \r",
    "\u2028",
    "cat\u2028dog",
    "cat\u0085dog",
    "cat\ndog",
    "\x00",
    "a\x00b",
    "🦊 🐺",
    "<s> </s>",
]
STRANGE += ["<pad>", "<0x0A>", "▁", "ﬁ é é", "שלום", "\ufeffcat", "\x1b[31m", "x" * 40, "<script>alert(1)</script>"]


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.Tokenizer.train(toys.sentences(30, seed=0), 280)


def untrained(tokenizer: tc.Tokenizer, seed: int = 0) -> tc.Translator:
    torch.manual_seed(seed)
    return tc.Translator(tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY)), tokenizer)


class Muttering(tc.Transformer):
    """A model that says the same pieces over and over, whatever it reads."""

    pieces: tuple[int, ...] = ()

    def decode(self, *args: object, **kwargs: object) -> torch.Tensor:
        logits = super().decode(*args, **kwargs)
        noise = torch.randn(logits.shape, generator=torch.Generator().manual_seed(random.randrange(10**6)))
        logits[..., list(self.pieces)] += 50 + 5 * noise[..., : len(self.pieces)]
        return logits


# ─── One line for each text ──────────────────────────────────────────────────────────────────────────────────────────


each_kind = pytest.mark.parametrize("kind", [tc.Translator, fast_cpu.Translator], ids=["core", "fast_cpu"])


@each_kind
@pytest.mark.parametrize("beam_size", [1, 3])
def test_each_text_gives_one_line_in_its_place(tokenizer: tc.Tokenizer, kind: Any, beam_size: int) -> None:
    translator = kind(untrained(tokenizer).model, tokenizer)
    texts = ["cat dog", "ant", "", "eel fox gnu hen ant bee cat", "  ", "ant", "fox  eel\tgnu", "hen bee"]
    lines = translator.translate(texts, beam_size=beam_size)
    assert lines == [translator.translate([text], beam_size=beam_size)[0] for text in texts]
    assert len(set(lines)) > 2 and lines[1] == lines[5]
    order = [3, 0, 7, 2, 1, 6, 5, 4]
    assert translator.translate([texts[i] for i in order], beam_size=beam_size) == [lines[i] for i in order]


def test_how_texts_are_batched_changes_nothing(toy_run: Path) -> None:
    translator = fast_cpu.Translator.of(tc.load_pretrained(toy_run))
    texts = toys.sentences(9, seed=4)
    together = translator.translate(texts)
    assert [line for text in texts for line in translator.translate([text])] == together
    assert translator.translate(tuple(texts)) == together == tc.load_pretrained(toy_run).translate(texts)


def test_spaces_around_and_between_words_do_not_matter(toy_run: Path) -> None:
    translator = tc.load_pretrained(toy_run)
    assert len(set(translator.translate(["cat dog", " cat  dog ", "cat\tdog\n", "cat\u3000dog"]))) == 1


@each_kind
@pytest.mark.parametrize("empty", ["", " ", "\t", "\n", "\r\n", "\u2028", "\u0085", "\u3000 \u00a0"])
def test_an_empty_text_gives_an_empty_line(tokenizer: tc.Tokenizer, kind: Any, empty: str) -> None:
    translator = kind(untrained(tokenizer).model, tokenizer)
    assert translator.translate([empty, "cat", empty])[::2] == ["", ""]
    assert translator.translate([empty]) == [""]


@each_kind
def test_no_texts_give_no_lines(tokenizer: tc.Tokenizer, kind: Any) -> None:
    assert kind(untrained(tokenizer).model, tokenizer).translate([]) == []


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_read_one_line_is_said(tokenizer: tc.Tokenizer, seed: int) -> None:
    for beam_size in (1, 2):
        lines = untrained(tokenizer, seed).translate(STRANGE, beam_size=beam_size)
        assert len(lines) == len(STRANGE)
        assert all("\n" not in line and line == tc.clean(line) for line in lines)


@pytest.mark.parametrize(
    "said", ["\n", "\r", "\r\n", "\u2028", "\u0085", "a\nb", "\n\n", "🦊", "\x00", "\xff\n"], ids=ascii
)
def test_bytes_of_a_line_break_do_not_break_the_line(tokenizer: tc.Tokenizer, said: str) -> None:
    """A model may put any bytes together, a line break or half a character among them."""
    torch.manual_seed(0)
    random.seed(0)
    model = Muttering(tc.TransformerConfig(len(tokenizer), **toys.TOY))
    model.pieces = tuple({tokenizer.processor.piece_to_id(f"<0x{byte:02X}>") for byte in said.encode()})
    assert tc.UNK not in model.pieces
    for beam_size in (1, 2):
        lines = tc.Translator(model, tokenizer).translate(["cat", "dog eel"], beam_size=beam_size)
        assert len(lines) == 2 and all("\n" not in line and len(line.splitlines()) <= 1 for line in lines)
        for line in lines:
            line.encode("utf-8")  # it can be written


class Endless(tc.Transformer):
    """A model that never says that it is at the end."""

    def decode(self, *args: object, **kwargs: object) -> torch.Tensor:
        logits = super().decode(*args, **kwargs)
        logits[..., tc.EOS] = -1e4
        return logits


def test_a_translation_has_at_most_so_many_tokens_more_than_its_source(tokenizer: tc.Tokenizer) -> None:
    trees = words.train(["(S (NP XX )NP )S"], 20)
    torch.manual_seed(0)
    config = tc.TransformerConfig(len(tokenizer), tgt_vocab_size=len(trees), **toys.TOY)
    translator = tc.Translator(Endless(config), tokenizer, "", trees)
    texts = ["cat dog", "ant"]
    for beam_size, max_extra in ((1, 0), (1, 7), (3, 7), (2, 70)):
        lines = translator.translate(texts, beam_size, max_extra=max_extra)
        limits = [len(tokenizer.encode(text)) + max_extra for text in texts]
        assert [len(line.split()) for line in lines] == limits
    assert [len(line.split()) for line in translator.translate(texts, 1)] == [
        len(tokenizer.encode(text)) + 50 for text in texts
    ]
    with pytest.raises(ValueError) as caught:
        translator.translate(texts, max_extra=-1)
    toys.assert_one_sentence(str(caught.value), "max_extra -1")


def test_a_wide_beam_works_fewer_sentences_at_once_and_says_the_same(toy_run: Path) -> None:
    translator = fast_cpu.Translator.of(tc.load_pretrained(toy_run))
    texts = toys.sentences(9, seed=4)
    most = {}
    for width in (4, 12):
        with mock.patch.object(beams, "beam_search", side_effect=beams.beam_search) as search:
            together = translator.translate(texts, width, batch=60)
        most[width] = max(len(call.args[1]) for call in search.call_args_list)
        assert together == [translator.translate([text], width)[0] for text in texts]
    assert 1 <= most[12] < most[4]


# ─── What is refused ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_string_is_no_list_of_texts(tokenizer: tc.Tokenizer) -> None:
    with pytest.raises(TypeError) as caught:
        untrained(tokenizer).translate("a cat")
    assert "[" in str(caught.value)
    toys.assert_one_sentence(str(caught.value))


@pytest.mark.parametrize("changes", [dict(vocab_size=279), dict(vocab_size=400), dict(tgt_vocab_size=300)], ids=str)
def test_a_tokenizer_of_another_size_is_refused(tokenizer: tc.Tokenizer, changes: dict[str, int]) -> None:
    config = tc.TransformerConfig(**dict(vocab_size=len(tokenizer)) | toys.TOY | changes)
    with pytest.raises(ValueError) as caught:
        tc.Translator(tc.Transformer(config), tokenizer)
    toys.assert_one_sentence(str(caught.value), str(len(tokenizer)), str(*changes.values()))


def test_a_target_tokenizer_of_another_size_is_refused(tokenizer: tc.Tokenizer) -> None:
    other = words.train(["(S XX )S"], 20)
    for n in (len(other) + 1, len(tokenizer), None):
        model = tc.Transformer(tc.TransformerConfig(len(tokenizer), tgt_vocab_size=n, **toys.TOY))
        with pytest.raises(ValueError) as caught:
            tc.Translator(model, tokenizer, tgt_tokenizer=other)
        toys.assert_one_sentence(str(caught.value), f"[{len(tokenizer)}, 7]", str(n or len(tokenizer)))


def test_one_tokenizer_serves_both_sides_unless_two_are_given(tokenizer: tc.Tokenizer) -> None:
    assert untrained(tokenizer).tgt_tokenizer is tokenizer


@pytest.mark.parametrize("arguments", [dict(beam_size=0), dict(beam_size=-1), dict(beam_size=3, alpha=-1.0)], ids=str)
def test_a_search_without_sense_is_refused(tokenizer: tc.Tokenizer, arguments: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        untrained(tokenizer).translate(["cat"], **arguments)


# ─── Loading ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", [str, Path])
@pytest.mark.parametrize("folder", [".", "best", "averaged", "step-30"])
def test_every_folder_of_a_run_is_a_checkpoint(toy_run: Path, kind: type, folder: str) -> None:
    translator = tc.load_pretrained(kind(toy_run / folder))
    assert not translator.model.training and translator.device.type == "cpu"
    assert len(translator.translate(["cat dog"])) == 1
    assert translator.name == (toy_run / folder).resolve().name


def test_a_name_is_a_folder_beside_the_core(toy_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tc, "__file__", str(tmp_path / "transformer_core.py"))
    (tmp_path / "checkpoints").mkdir()
    for name in ("toy-en-de", "toy-de-en"):
        (tmp_path / "checkpoints" / name).symlink_to(toy_run / "best")
    (tmp_path / "checkpoints" / "not a checkpoint").mkdir()
    assert len(tc.load_pretrained("toy-en-de").translate(["cat"])) == 1
    with pytest.raises(ValueError) as caught:
        tc.load_pretrained("toy-en-fr")
    toys.assert_one_sentence(str(caught.value), "toy-en-fr", "toy-de-en, toy-en-de")
    assert "not a checkpoint" not in str(caught.value)


def test_an_unknown_device_is_refused(toy_run: Path) -> None:
    with pytest.raises(ValueError, match="abacus"):
        tc.load_pretrained(toy_run, device="abacus")


def test_source_ids_end_in_eos_and_are_padded_on_the_right(tokenizer: tc.Tokenizer) -> None:
    src = untrained(tokenizer).source(["cat dog eel", "ant"])
    assert src.shape[0] == 2
    for row, text in zip(src.tolist(), ["cat dog eel", "ant"], strict=True):
        ids = tokenizer.encode(text)
        assert row == [*ids, tc.EOS] + [tc.PAD] * (src.size(1) - len(ids) - 1)
