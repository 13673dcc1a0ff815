"""The parsing experiment: it trains, goes on, scores every unseen sentence, and stores figures and no text."""

import json
import re
from pathlib import Path

import pytest
import toys

import transformer_core as tc
from corpora import treebank
from experiments import parsing

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = parsing.Recipe(
    {"grammar": 30}, steps=2, cooldown_steps=1, tokens_per_batch=300, vocab_size=400, longest=40, made=80, points=2,
    curve_sentences=2, beam_sentences=2,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:The text gives")
def test_an_experiment_goes_on_where_it_stopped_and_stores_figures_without_text(tmp_path: Path) -> None:
    assert parsing.experiment("tiny", TINY, tmp_path, minutes=0) is None
    found = parsing.experiment("tiny", TINY, tmp_path)
    assert found is not None
    test, train = (treebank.read_gold(tmp_path / "grammar" / f"{split}.trees") for split in ("test", "train"))
    assert [score["sentences"] for score in found["scores"]] == [len(test), 2, 2]
    assert [score["beam_size"] for score in found["scores"]] == [1, 1, 21]
    assert {score["also_in_train"] for score in found["scores"]} == {0}
    short = [tree for tree in train if len(treebank.linearise(tree).split()) <= 40]
    assert (found["pairs"], found["too_long"]) == (min(30, len(short)), len(train) - len(short)) and found["too_long"]
    assert [point["step"] for point in found["curve"]] == [1, 2]
    assert found["config"]["tgt_vocab_size"] == len(tc.load_pretrained(tmp_path / "run").tgt_tokenizer) < 200
    said = json.dumps(found)
    assert not [word for tree in test for word in tree.words if len(word) > 3 and re.search(rf"\b{word}\b", said)]


def test_scores_are_those_of_the_treebank_and_of_the_papers_search() -> None:
    gold = [treebank.parse("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"), treebank.parse("(NP (NN dog))")]

    class Said:
        def translate(self, texts: list[str], beam_size: int, alpha: float, max_extra: int) -> list[str]:
            assert (texts, beam_size, alpha, max_extra) == (["the cat sleeps", "dog"], 21, 0.3, 300)
            return ["(S (NP DT NN )NP (VP VBZ )VP )S", "(VP NN"]

    found = parsing.measured(Said(), gold, 21, keep_tags=True)  # type: ignore[arg-type]
    assert found["repaired"] == dict(precision=75.0, recall=75.0, f1=75.0, exact=50.0)
    assert found["strict"]["recall"] == 75.0 and found["strict"]["precision"] == 100.0
    assert (found["malformed"], found["steps"], found["errors"]) == (1, {"closed": 1}, 0)
    assert found["labels"] == {"NP": [2, 1, 1], "S": [1, 1, 1], "VP": [1, 2, 1]}


def test_real_treebanks_are_asked_for_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRANSFORMER_DATA", raising=False)
    with pytest.raises(ValueError) as caught:
        parsing.read_treebank("craft", tmp_path, 10)
    assert "TRANSFORMER_DATA" in str(caught.value) and "craft_treebank" in str(caught.value)


@pytest.mark.parametrize("name", parsing.RECIPES)
def test_every_recipe_is_a_command_that_the_core_understands(name: str, tmp_path: Path) -> None:
    done = toys.command(*parsing.RECIPES[name].words(tmp_path / "no-data", tmp_path / "run"))
    assert done.status == 2 and "no-data" in done.err.splitlines()[-1]


def test_the_papers_command_is_one_that_the_core_understands(tmp_path: Path) -> None:
    text = (parsing.__doc__ or "").replace("\\\n", " ")
    commands = [line.split()[2:] for line in text.splitlines() if "python transformer_core.py" in line]
    assert [words[0] for words in commands] == ["train", "translate"]
    for words in commands:
        words = words[: words.index("<")] if "<" in words else words
        done = toys.command(*words)
        assert done.status == 2 and re.search("wsj", done.err.splitlines()[-1]), done.err
