"""The measurement behind notebook 13, on a model that has learned nothing: every part gives what is stored of it."""

import json
import math

import pytest
import torch
import toys_evidence

import transformer_core as tc
from corpora import treebank
from experiments import bench, evidence
from studies import pruning

pytestmark = pytest.mark.usefixtures("one_thread")
PAIRS = [("the cat sees a dog", "die Katze sieht"), ("a dog and a cat", "ein Hund und"), ("the street", "einen Hund")]


@pytest.fixture(scope="module")
def translator():
    return toys_evidence.translator()


def test_answers_are_means_over_sentences_with_their_intervals(translator):
    known = list(range(260, len(translator.tokenizer)))
    result = evidence.plain(evidence.answers(translator, [source for source, _ in PAIRS], known))
    json.dumps(bench.rounded(result), allow_nan=False)
    truths = {f"{name}{more}" for name in ("hidden", "of its kind") for more in ("", " in size", " first")}
    assert all(set(row) == truths for row in result["answers"].values())
    assert result["answers"]["hidden"]["hidden"] == pytest.approx([1, 1, 1])  # a truth against itself
    assert torch.tensor(result["heads"]["hidden"]).shape == (3, 2) and result["incomplete"][0] >= 0
    lengths = [len(translator.tokenizer.encode(source)) for source, _ in PAIRS]
    assert result["chance"] == pytest.approx(sum(1 / n for n in lengths) / 3)


def test_tables_of_heads_are_losses_per_token_and_agreements_have_intervals(translator):
    result = evidence.plain(evidence.heads(translator, PAIRS))
    assert set(result["tables"]) == {*pruning.WAYS, "importance", "confidence"}
    assert all(torch.tensor(table).shape == (3, 3, 2) for table in result["tables"].values())
    batches = evidence.batches_of(translator, PAIRS)
    torch.testing.assert_close(
        torch.tensor(result["tables"]["importance"]),
        pruning.importance(translator.model, batches),
        atol=1e-6,
        rtol=1e-4,
    )
    for whole, low, high in [*result["agreement"].values(), *result["by_kind"].values()]:
        assert -1 <= low <= high <= 1 and -1 <= whole <= 1


def test_every_order_has_a_curve_that_begins_whole_and_ends_with_no_head_of_its_kinds(translator):
    names, ends = [], {}
    for name, order, scored in evidence.orders(translator, PAIRS):
        result = evidence.pruned(translator, PAIRS, order(), scored)
        names.append(name)
        ends[name] = result["points"][-1]
        assert result["points"][0]["n"] == 0 and ends[name]["n"] == len(result["order"]) == (
            6 if "alone" in name else 18
        )
        assert ("bleu" in result["points"][0]) == scored
    assert names[:3] == ["least important first", "most important first", "measured again"]
    assert names[3:6] == ["encoder alone", "decoder alone", "cross alone"] and len(names) == 6 + evidence.N_DRAWS
    whole = [ends[name]["nll"] for name in names if "alone" not in name]
    assert whole == pytest.approx([whole[0]] * len(whole), rel=1e-4)  # without any head there is one model


def test_trees_are_sentences_whose_words_can_be_told_apart(monkeypatch):
    monkeypatch.delenv("TRANSFORMER_DATA", raising=False)
    tokenizer = tc.load_pretrained("tatoeba-en-de").tokenizer
    sentences = evidence.trees(tokenizer, 30)
    assert list(sentences) == ["grammar"] and 20 < len(sentences["grammar"]) <= 30
    for text, tree in sentences["grammar"]:
        assert isinstance(tree, treebank.Tree) and "".join(tree.words) == text.replace(" ", "")


def test_the_heads_of_a_job_are_stored_below_what_they_have_in_common():
    row = dict(
        kind="encoder", layer=1, head=0, job="a", offset=2, score=0.5, baseline=0.25, gain=[0.25, 0.1, 0.4], sure=True
    )
    rows = evidence.in_corpus([row, row | dict(head=1, sure=False), row | dict(job="b", offset=3)], "here")
    first, second = evidence.by_job(rows)
    assert first == dict(job="a (here)", offset=2, baseline=0.25, heads=[
        ["encoder", 1, 0, 0.5, 0.25, 0.1, 0.4, True], ["encoder", 1, 1, 0.5, 0.25, 0.1, 0.4, False],
    ])  # fmt: skip
    assert (second["job"], second["offset"], len(second["heads"])) == ("b (here)", 3, 1)
    assert len(evidence.HEAD) == len(first["heads"][0])


def test_what_is_no_number_is_stored_as_none_and_tensors_as_lists():
    value = {"a": torch.tensor([[1.0, math.nan]]), "b": (2, [math.nan, "x"])}
    assert evidence.plain(value) == {"a": [[1.0, None]], "b": [2, [None, "x"]]}
