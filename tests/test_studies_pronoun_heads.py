"""Which heads choose the pronoun: the batch of twins, and what exchanging and taking out must do by construction."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

import transformer_core as tc
from corpora.pronouns import examples
from studies import pronoun_heads as study
from studies.reading import KINDS

N = 12


@pytest.fixture(scope="module")
def tokenizer() -> tc.Tokenizer:
    return tc.load_pretrained("tatoeba-en-de").tokenizer


@pytest.fixture(scope="module")
def twins(tokenizer) -> study.Twins:
    return study.twins_of(tokenizer, islice(examples(3, "test"), 400), N)


@pytest.fixture(scope="module")
def model(tokenizer) -> tc.Transformer:
    torch.manual_seed(5)
    config = replace(tc.TransformerConfig(len(tokenizer)), n_layers=2, n_heads=2, d_model=24, d_ff=40, d_k=8, d_v=16)
    return tc.Transformer(config).eval()


@pytest.fixture(scope="module")
def read(model, twins) -> study.Study:
    return study.studied(model, twins)


def test_a_twin_differs_in_one_word_and_in_the_noun_and_pronoun_that_follow_from_it(tokenizer, twins):
    for n in range(N):
        one, two = twins.examples[n], twins.examples[n + N]
        assert one.twin.english == two.english and (one.meant, one.other) == (two.other, two.meant)
        assert sum(a != b for a, b in zip(one.english.split(), two.english.split(), strict=True)) == 1
        assert twins.right[n] == twins.wrong[n + N] and twins.tgt_in[n].tolist() == twins.tgt_in[n + N].tolist()
    for example, src, tgt_in, at in zip(twins.examples, twins.src, twins.tgt_in, twins.at, strict=True):
        before = tokenizer.decode(tgt_in[: at + 1].tolist())
        assert example.german.startswith(before) and not tgt_in[at + 1 :].any()
        assert example.german[len(before) :].lstrip().lower().startswith(example.pronoun)
        assert tokenizer.decode(src.tolist()) == example.english


def test_marks_stand_on_the_words_they_name(tokenizer, twins):
    for i, example in enumerate(twins.examples):
        named = {
            name: tokenizer.decode(twins.src[i][getattr(twins, name)[i] > 0].tolist())
            for name in ("meant", "other", "it")
        }
        assert named == {"meant": example.meant.english, "other": example.other.english, "it": named["it"]}
        assert named["it"].lower() == "it"
        assert example.reason in tokenizer.decode(twins.src[i].tolist())
        changed = tokenizer.decode(twins.src[i][twins.differs[i] > 0].tolist())
        assert changed and any(changed in word for word in example.english.split())


def test_too_few_twins_are_refused_in_a_sentence(tokenizer):
    with pytest.raises(ValueError, match=r"Of these sentences \d+ are twins that can be exchanged, not 9; give more\."):
        study.twins_of(tokenizer, islice(examples(3, "test"), 4), 9)


def test_margins_are_differences_of_log_probabilities(model, twins):
    got = study.margins(model, twins)
    for i in (0, N, 2 * N - 1):
        src, tgt_in = twins.src[i : i + 1], twins.tgt_in[i : i + 1, : twins.at[i] + 1]
        log_p = model(src[src != 0][None], tgt_in)[0, -1].log_softmax(-1)
        torch.testing.assert_close(got[i], log_p[twins.right[i]] - log_p[twins.wrong[i]], atol=1e-5, rtol=1e-4)


def test_the_twin_s_whole_memory_makes_the_twin_s_choice(read, twins):
    there = study.margins(read.model, twins, twins.swapped(read.memory))
    torch.testing.assert_close(there, -twins.swapped(read.clear))


def test_every_head_of_the_encoder_exchanged_is_less_than_the_twin_s_memory_and_none_is_nothing(read):
    torch.testing.assert_close(read.margins(read.exchange([])), read.clear, atol=1e-5, rtol=1e-4)
    every = read.exchange([("encoder", layer, head) for layer in range(2) for head in range(2)])
    assert len(every) == 2 and not read.margins(every).allclose(read.clear)


@pytest.mark.parametrize("kind", KINDS)
def test_an_exchange_gives_one_head_what_it_hands_on_in_the_twin_and_leaves_the_others(read, twins, kind):
    ((name, edit),) = read.exchange([(kind, 1, 0)]).items()
    heads = read.heads(kind, 1)
    got = edit(heads)
    for i in range(2 * N):
        assert got[i, 0].equal(heads[(i + N) % (2 * N), 0]) and got[i, 1].equal(heads[i, 1])
    assert name == study.probe_of(kind, 1) + ".heads"


@pytest.mark.parametrize("kind", KINDS)
def test_a_head_whose_output_nobody_reads_changes_nothing(model, twins, kind):
    layer = (model.encoder if kind == "encoder" else model.decoder)[1]
    attention = layer.cross_attention if kind == "cross" else layer.self_attention
    before = attention.w_o.weight.detach().clone()
    try:
        with torch.no_grad():
            attention.w_o.weight[:, 16:] = 0  # head 1 of 2, d_v = 16
        of_model = study.studied(model, twins)
        facts = of_model.of_head(kind, 1, 1)
        clear = study.share(of_model.clear > 0)
        assert facts["zeroed"] == facts["mean-ablated"] == clear and not facts["follows"] > 0
    finally:
        with torch.no_grad():
            attention.w_o.weight.copy_(before)


def test_the_mean_is_over_places_that_are_no_padding(twins):
    rows, real = torch.randn(2 * N, twins.src.size(1), 3), twins.real("encoder")
    by_hand = torch.stack([rows[i, j] for i in range(2 * N) for j in range(rows.size(1)) if twins.src[i, j] != 0]).mean(
        0
    )
    torch.testing.assert_close(study.mean_of(rows, real)[3, 4], by_hand)


def test_reads_adds_up_a_row_s_weights_on_the_pieces_of_a_word(read, twins):
    for kind in ("encoder", "cross"):
        weights, reads = read.trace[study.probe_of(kind, 0) + ".weights"], read.reads(kind, 0)
        for i in (1, N + 2):
            query = int(twins.it[i].nonzero()[0]) if kind == "encoder" else int(twins.at[i])
            for name, marks in (("meant", twins.meant), ("other", twins.other), ("differs", twins.differs)):
                by_hand = sum(weights[i, 1, query, j].item() for j in marks[i].nonzero().flatten())
                assert reads[name][i, 1].item() == pytest.approx(by_hand, abs=1e-6)


def test_only_pairs_that_are_right_twice_are_asked_to_follow(read, twins):
    right = read.clear > 0
    assert read.sure.tolist() == [bool(right[i] and right[(i + N) % (2 * N)]) for i in range(2 * N)]
    assert read.follows({}) == 0 or not read.sure.any()
