"""Jobs: heads that are made to do one, heads that do none, and arcs read off trees by hand."""

from dataclasses import replace
from itertools import islice

import pytest
import torch
import toys_evidence

import transformer_core as tc
from corpora import grammar, treebank
from corpora.pronouns import examples
from studies import alignment, jobs, pronoun_heads

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return toys_evidence.translator()


# ─── Better than a baseline ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_head_is_surely_better_only_where_the_whole_interval_of_the_difference_is_above_0():
    always, chance = torch.tensor([[2, 2]] * 30), torch.tensor([[1, 2]] * 30)
    lucky = torch.tensor([[2, 2], [0, 2], [1, 2]] * 10)  # as good as chance on the whole
    rows = jobs.better(torch.stack([always, lucky, chance], 1), chance, jobs.share)
    assert [row["score"] for row in rows] == [1, 0.5, 0.5] and {row["baseline"] for row in rows} == {0.5}
    assert [row["sure"] for row in rows] == [True, False, False]
    assert rows[0]["gain"] == [0.5] * 3 and rows[2]["gain"] == [0] * 3  # what is the same in each sentence is sure
    gain, low, high = rows[1]["gain"]
    assert gain == 0 and low < 0 < high


def test_sentences_are_drawn_with_all_their_counts():
    counts = torch.tensor([[[1.0, 4.0]], [[3.0, 4.0]]]).double()
    drawn = set(jobs.drawn_again(counts, jobs.share, 200)[:, 0].tolist())
    assert drawn == {0.25, 0.5, 0.75}


# ─── Alignment ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_head_made_to_look_at_the_truth_has_the_role_in_its_own_reading_and_no_other_has():
    pairs = grammar.sample(40, difficulty=1)
    texts = [text for pair in pairs for text in (pair.english, pair.german)]
    tokenizer = tc.Tokenizer.train(texts, 600)
    shape = dict(n_layers=2, d_model=24, d_ff=16, n_heads=2, d_k=8, d_v=5)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **shape)).eval()
    truths = [alignment.truth(tokenizer, pair) for pair in pairs]
    coming = iter(truths)

    def look(scores: torch.Tensor) -> torch.Tensor:  # head 1 reads the gold link of the piece it says
        truth, scores = next(coming), scores.clone()
        scores[:, 1] = -50.0
        for row, word in enumerate(truth.tgt_words):
            columns = [col for col, source in enumerate(truth.src_words) if (source, word) in truth.gold]
            scores[:, 1, row, columns] = 50.0
        return scores

    with tc.intervene(model, "decoder.1.cross_attention.scores", look):
        rows = jobs.alignment_roles(model, truths)
    assert len(rows) == 2 * 4 and {row["kind"] for row in rows} == {"cross"}
    best = max(rows, key=lambda row: row["score"])
    assert (best["layer"], best["head"], best["job"], best["sure"]) == (1, 1, "alignment, naive", True)
    assert best["score"] > 0.8 and rows[0]["diagonal"] == pytest.approx(1 - alignment.diagonal_error(truths))
    assert rows[0]["baseline"] == max(rows[0]["diagonal"], rows[0]["chance"])
    assert jobs.with_roles(rows)["cross", 1, 1] == ["alignment, naive"]
    untaught = alignment.head_alignments(model, truths)
    assert rows[0]["score"] == pytest.approx(1 - untaught["naive"][0, 0].item(), abs=1e-6)
    assert rows[4]["score"] == pytest.approx(1 - untaught["shifted"][0, 0].item(), abs=1e-6)


# ─── Coreference ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_head_that_goes_by_place_is_right_about_one_twin_and_one_that_knows_about_both():
    tokenizer = tc.load_pretrained("tatoeba-en-de").tokenizer
    twins = pronoun_heads.twins_of(tokenizer, islice(examples(3, "test"), 400), 8)
    config = replace(tc.TransformerConfig(len(tokenizer)), n_layers=1, n_heads=2, d_model=16, d_ff=8, d_k=8, d_v=8)
    model = tc.Transformer(config).eval()
    first = torch.minimum(twins.meant.argmax(-1), twins.other.argmax(-1))

    def look(scores: torch.Tensor) -> torch.Tensor:
        scores, rows = scores.clone(), torch.arange(len(scores))
        query = twins.it.argmax(-1)
        scores[rows, 0, query] = -50.0
        scores[rows, 0, query, first] = 50.0  # head 0: the first of the two nouns
        scores[rows, 1, query] = 100 * twins.meant - 50  # head 1: the one that is meant
        return scores

    with tc.intervene(model, "encoder.0.self_attention.scores", look):
        rows = jobs.coreference_roles(pronoun_heads.studied(model, twins))
    assert [(row["kind"], row["layer"], row["head"]) for row in rows] == [
        ("encoder", 0, 0), ("encoder", 0, 1), ("cross", 0, 0), ("cross", 0, 1),
    ]  # fmt: skip
    by_place, knows = rows[:2]
    assert by_place["score"] == by_place["baseline"] == 0.5 and not by_place["sure"]
    assert knows["score"] == 1 and knows["gain"] == [0.5] * 3 and knows["sure"]


# ─── Syntax ──────────────────────────────────────────────────────────────────────────────────────────────────────────

SENTENCE = """(S (NP (NP (DT The) (JJ old) (NN man))
(SBAR (WHNP (WP who)) (S (VP (VBD helped) (NP (DT the) (NN boy)))))) (VP (VBD did) (RB not)
(VP (VB buy) (NP (DT a) (NN love) (NN letter)) (NP (NN yesterday)))) (. .))"""


def test_arcs_are_those_of_a_tree_read_by_hand():
    tree = treebank.parse(SENTENCE)
    arcs = {(relation, tree.words[a], tree.words[b]) for relation, a, b in jobs.arcs(tree)}
    assert arcs == {
        ("verb → subject", "buy", "man"),
        ("verb → object", "buy", "letter"),
        ("verb → object", "helped", "boy"),
        ("determiner → noun", "The", "man"),
        ("determiner → noun", "the", "boy"),
        ("determiner → noun", "a", "letter"),
    }


def test_arcs_of_the_grammar_join_what_their_tags_say():
    seen = dict.fromkeys(jobs.RELATIONS, 0)
    for pair in grammar.sample(200, difficulty=3):
        tree = treebank.parse(pair.tree)
        for relation, word, partner in jobs.arcs(tree):
            seen[relation] += 1
            assert tree.tags[partner] in jobs.NOUNS
            assert tree.tags[word] == "DT" if relation == "determiner → noun" else tree.tags[word].startswith("VB")
            assert word < partner or relation == "verb → subject"
    assert min(seen.values()) > 100


def test_a_map_of_words_adds_up_key_pieces_and_averages_query_pieces():
    weights = torch.tensor([[[0.1, 0.2, 0.3, 0.4], [0.5, 0.3, 0.1, 0.1], [0.2, 0.2, 0.5, 0.1], [1.0, 0, 0, 0]]])
    words = jobs.word_map(weights, [0, 0, 1])  # two words of two pieces and one, then the end
    torch.testing.assert_close(words, torch.tensor([[[(0.3 + 0.8) / 2, (0.3 + 0.1) / 2], [0.4, 0.5]]]))


def test_words_are_told_apart_where_pieces_spell_them_one_by_one(translator):
    assert jobs.told_apart(translator.tokenizer, "the cat sees", ["the", "cat", "sees"])
    assert not jobs.told_apart(translator.tokenizer, "the cat", ["the", "dog"])
    assert not jobs.told_apart(translator.tokenizer, "the", ["t", "h", "e"])  # one piece of all three


def test_maps_of_a_batch_are_those_of_sentences_alone(translator):
    texts = ["the cat sees a dog .", "a dog"]
    sentences = [(text, text.split()) for text in texts]
    together = list(jobs.encoder_maps(translator, sentences))
    assert [tuple(maps.shape) for maps in together] == [(3, 2, 6, 6), (3, 2, 2, 2)]
    for maps, sentence in zip(together, sentences, strict=True):
        torch.testing.assert_close(maps, next(jobs.encoder_maps(translator, [sentence])), atol=1e-6, rtol=1e-4)


def test_a_sentence_without_arcs_has_neither_hits_nor_tries():
    assert jobs.hits_of(torch.tensor([[1, 0, 2]] * 3), []).tolist() == [[0, 0]] * 3
    arcs = [jobs.Arc("verb → object", 0, 1), jobs.Arc("verb → object", 2, 1)]
    assert jobs.hits_of(torch.tensor([[1, 0, 2], [1, 0, 1]]), arcs).tolist() == [[1, 2], [2, 2]]


def test_a_head_that_finds_the_noun_beats_the_best_offset_and_one_that_reads_the_next_word_does_not(translator):
    trees = [
        treebank.parse(text)
        for text in (
            "(S (NP (DT the) (NN cat)) (VP (VBZ sees) (NP (DT a) (NN dog))) (. .))",
            "(S (NP (DT a) (JJ cat) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN street))) (. .))",
            "(S (NP (DT a) (JJ the) (JJ cat) (NN dog)) (VP (VBZ sees) (NP (DT the) (JJ cat) (NN street))) (. .))",
        )
    ] * 6
    sentences = [(" ".join(tree.words), tree) for tree in trees]
    places = []
    for _, tree in sentences:
        partner = {arc.word: arc.partner for arc in jobs.arcs(tree) if arc.relation == "determiner → noun"}
        places.append(partner)
    assert (
        jobs.best_offset([[arc for arc in jobs.arcs(tree) if arc.relation == "determiner → noun"] for tree in trees])
        == 1
    )

    def fake(_: tc.Translator, texts: list) -> list[torch.Tensor]:
        maps = []
        for (_, words), partner in zip(texts, places, strict=True):
            n = len(words)
            rows = torch.zeros(3, 2, n, n)
            for word in range(n):
                rows[:, 0, word, min(word + 1, n - 1)] = 1
                rows[:, 1, word, partner.get(word, 0)] = 1
            maps.append(rows)
        return maps

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jobs, "encoder_maps", fake)
        rows = jobs.syntax_roles(translator, sentences)
    nouns = [row for row in rows if row["job"] == "determiner → noun"]
    assert {row["offset"] for row in nouns} == {1} and {row["n"] for row in nouns} == {36}
    for row in nouns:
        assert row["baseline"] == pytest.approx(3 / 6)
        assert (row["score"], row["sure"]) == ((1, True) if row["head"] else (pytest.approx(0.5), False))
    assert {"determiner → noun"} <= set(jobs.with_roles(rows)["encoder", 0, 1])
    assert not [row for row in jobs.syntax_roles(translator, sentences[:3], least=7) if row["job"] == "verb → object"]
