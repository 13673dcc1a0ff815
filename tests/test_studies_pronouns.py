"""What a translation takes *it* for: the rule reads other wordings too, and counts what it says."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
import toys_evidence

import transformer_core as tc
from corpora import grammar
from corpora.pronouns import Example, Noun, sample
from studies import pronouns
from studies.pronouns import accuracy, by_hand, clauses, is_right

GOAT = Noun("goat", "Ziege", "Ziege", "f", "animal")
PATH = Noun("path", "Weg", "Weg", "m", "street")
BOOK = Noun("book", "Buch", "Buch", "n", "text")
CASE = Noun("suitcase", "Koffer", "Koffer", "m", "closable")
ON_PATH = Example(
    "…", "Die Ziege überquerte den Weg nicht, weil er zu breit war.", PATH, GOAT, "er", "wide", "cross | not | because"
)
IN_CASE = Example("…", "Sie nahm das Buch aus dem Koffer und las es.", BOOK, CASE, "es", "read", "taken | and")


@pytest.mark.parametrize(
    "german, right",
    [
        ("Die Ziege überquerte den Weg nicht, weil er zu breit war.", True),
        ("Die Ziege überquerte den Weg nicht, weil sie zu breit war.", False),
        ("Die Ziege ging nicht über den Weg, denn er war zu breit.", True),
        ("Weil er zu breit war, ging die Ziege nicht über den Weg.", True),
        ("Da sie zu breit war, ging die Ziege nicht über den Weg.", False),
        ("Die Ziege ging nicht über den Weg. Er war zu breit.", True),
        ("Die Ziege ging nicht über das Feld, weil es zu breit war.", True),  # another word: its own gender counts
        ("Die Ziege ging nicht über das Feld, weil er zu breit war.", False),
        ("Die Ziege ging nicht über die Straße, weil sie zu breit war.", True),  # both feminine: it agrees
        ("Die Ziege ging nicht über den Weg, weil der Weg zu breit war.", True),
        ("Die Ziege ging nicht über den Weg, weil die Ziege zu breit war.", False),
        ("Die Ziege ging nicht.", False),
    ],
)
def test_the_pronoun_must_agree_with_the_noun_as_it_was_translated(german, right):
    assert is_right(german, ON_PATH) is right


def test_an_object_is_read_behind_the_person():
    """In *bevor sie es las* the first pronoun is the reader."""
    assert is_right("Sie nahm das Buch aus dem Koffer, bevor sie es las.", IN_CASE)
    assert not is_right("Sie nahm das Buch aus dem Koffer, bevor sie ihn las.", IN_CASE)


def test_the_clause_is_found_in_front_and_behind():
    assert clauses("Weil er zu breit war, ging sie nicht.") == ("Weil er zu breit war", " ging sie nicht.")
    assert clauses("Sie ging nicht, weil er zu breit war.")[0] == " er zu breit war."


def test_references_are_all_right_and_with_the_twins_translation_all_wrong():
    """The rule's own floor and ceiling on held-out sentences, object pronouns included."""
    examples = sample(60, seed=2, split="test")
    truth = {each.english: each.german for example in examples for each in (example, example.twin)}
    swapped = {each.english: each.twin.german for example in examples for each in (example, example.twin)}
    best = accuracy(lambda texts: [truth[text] for text in texts], examples)
    worst = accuracy(lambda texts: [swapped[text] for text in texts], examples)
    assert (best.right, best.twins, best.length_ratio, best.wrong) == (1.0, 1.0, 1.0, [])
    assert (worst.right, worst.twins, len(worst.wrong)) == (0.0, 0.0, len(truth))


@pytest.mark.parametrize("table, n", [("by_hand", 60), ("everyday", 130)])
def test_by_hand_the_references_are_right_and_their_twins_wrong(table, n):
    """The rule reads sentences of any shape; the twins' references are its floor."""
    examples = by_hand(Path(__file__).parent / f"pronouns_{table}.tsv")
    truth = {example.english: example.german for example in examples}
    swapped = {example.english: example.twin.german for example in examples}
    best = accuracy(lambda texts: [truth[text] for text in texts], examples)
    worst = accuracy(lambda texts: [swapped[text] for text in texts], examples)
    assert (best.n, best.right, best.twins, best.wrong) == (n, 1.0, 1.0, [])
    assert worst.right == 0.0


# ─── The grammar's own pronouns ──────────────────────────────────────────────────────────────────────────────────────


def test_the_likeliest_pronoun_is_the_one_that_a_sentence_at_a_time_has_in_its_place():
    translator = toys_evidence.translator()
    model, tokenizer = translator.model, translator.tokenizer
    others = replace(ON_PATH, pronoun="ihm"), replace(ON_PATH, german=f"{ON_PATH.pronoun} {ON_PATH.german}")
    examples = [replace(example, english=english) for example in (ON_PATH, IN_CASE, *others)
                for english in ("a cat", "the dog sees a street")]  # fmt: skip
    answers = pronouns.likeliest(translator, examples, at_once=3)
    assert [example for example, _ in answers] == examples[:4]  # ihm may be of either gender, one of two of either noun
    for example, form in answers:
        before = example.german[: example.german.rindex(f" {example.pronoun}")]  # the space is a part of the next piece
        tgt_in = torch.tensor([[tc.BOS, *tokenizer.encode(before)]])
        with tc.evaluating(model):
            logits = model(translator.source([example.english]), tgt_in)[0, -1]
        firsts = {form: logits[tokenizer.encode(form)[0]].item() for form in pronouns.FORMS}
        assert firsts[form] == max(firsts.values()) and len(set(firsts.values())) > 1


@pytest.fixture(scope="module")
def grammar_pairs() -> list[grammar.Pair]:
    return [pair for pair in grammar.sample(1500, split="test") if pronouns.asked(pair)]


def test_the_pronoun_asked_for_is_the_german_one_at_its_place_among_the_pronouns(grammar_pairs):
    assert len(grammar_pairs) > 100
    for pair in grammar_pairs:
        assert [pronouns.personal(pair.german)[place] for _, place in pronouns.asked(pair)] == [
            german for german, _ in pronouns.asked(pair)
        ]


def test_the_reference_is_all_right_and_a_fixed_pronoun_reaches_its_own_share_and_no_more(grammar_pairs):
    gold = {pair.english: pair.german for pair in grammar_pairs}
    whole = pronouns.on_coreference(lambda texts: [gold[text] for text in texts], grammar_pairs)
    assert whole["right"] == 1 and set(whole["of_pronoun"]) <= set(pronouns.PERSONAL)
    always = {german: f" {german}" * 3 for german in whole["of_pronoun"]}
    shares = {
        german: pronouns.on_coreference(lambda texts, line=line: [line] * len(texts), grammar_pairs)
        for german, line in always.items()
    }
    for german, score in shares.items():
        assert score["of_pronoun"] == {other: float(other == german) for other in always}
    assert max(score["right"] for score in shares.values()) == pytest.approx(whole["commonest"])
    assert sum(score["right"] for score in shares.values()) == pytest.approx(1)


def test_a_translation_with_too_few_pronouns_is_wrong_and_pairs_without_it_are_refused(grammar_pairs):
    assert pronouns.on_coreference(lambda texts: [""] * len(texts), grammar_pairs)["right"] == 0
    without = [pair for pair in grammar.sample(50, split="test") if not pronouns.asked(pair)]
    with pytest.raises(ValueError, match="has an “it” that stands for a noun"):
        pronouns.on_coreference(lambda texts: texts, without)
