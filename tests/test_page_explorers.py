"""What stands behind views in a page says what their explorers in Python say, over the same rounded weights."""

import base64
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import transformer_core as tc
from core_options import page_weights
from studies import pruning, recurrence
from viz import page
from viz.attention import explore_attention, explore_beside, explore_geometry
from viz.canvas import plain
from viz.context import explore_gate
from viz.decoding import explore_beam, explore_forced
from viz.evidence import explore_answers, explore_graph, explore_pruning
from viz.evidence.graph import LEAST
from viz.masks import explore_masks
from viz.model import explore_model
from viz.parsing import explore_parse
from viz.positions import explore_order
from viz.recurrence import explore_alignment

ROOT = Path(__file__).resolve().parent.parent
FIRST, NEXT = "The cat sees the dog.", "She does not know when he will come."

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
]

Models = Callable[[str], tuple[tc.Translator, Path]]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Models:
    """By name: a translator with the weights that a page reads, and the file that the page reads them from."""
    known: dict[str, tuple[tc.Translator, Path]] = {}

    def of(name: str) -> tuple[tc.Translator, Path]:
        if name == recurrence.SHIPPED:
            return several(tmp_path_factory.mktemp("model") / "model.js")
        if name not in known:
            translator = tc.load_pretrained(name)
            rounded = page_weights.widened(page_weights.in_precision(tc.weights_of(translator.model), "int8"))
            translator.model.load_state_dict(rounded, strict=False)
            file = tmp_path_factory.mktemp("model") / "model.js"
            file.write_text(page_weights.script_of(page_weights.packed(name)), encoding="utf-8")
            known[name] = translator, file
        return known[name]

    return of


def several(file: Path) -> tuple[tc.Translator, Path]:
    """The recurrent translators, whose weights a page reads as they ship."""
    translator = recurrence.together(recurrence.shipped())
    assert translator
    file.write_text(page_weights.script_of(page_weights.packed(translator, "f16")), encoding="utf-8")
    return translator, file


def in_page(explorer: Any, file: Path, *acts: tuple[str, Any]) -> list[dict[str, Any]]:
    """What the twin of an explorer, or of a view, makes of these acts: traits, line and replies after each."""
    frozen = json.loads(json.dumps(getattr(explorer, "view", explorer).frozen()))
    names = [*page.SCRIPTS, "explorer.js", page.EXPLORERS[frozen["twin"]["is"]]]
    question = dict(scripts=names, model=str(file), twin=frozen["twin"], state=frozen["state"], acts=acts)
    command = ["node", str(ROOT / "tests" / "explorers.mjs")]
    done = subprocess.run(command, input=json.dumps(question), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def alike(here: Any, there: Any, slack: float = 1e-3, where: str = "") -> None:
    """Two values from JSON are the same, numbers within a slack."""
    if isinstance(here, dict):
        assert isinstance(there, dict) and here.keys() == there.keys(), where
        for name in here:
            alike(here[name], there[name], slack, f"{where}.{name}")
    elif isinstance(here, list):
        assert isinstance(there, list) and len(here) == len(there), where
        for place, pair in enumerate(zip(here, there, strict=True)):
            alike(*pair, slack, f"{where}[{place}]")
    elif isinstance(here, float) and isinstance(there, (int, float)):
        assert abs(here - there) <= slack * max(1, abs(here)), f"{where}: {here} and {there}"
    else:
        assert here == there, f"{where}: {here!r} and {there!r}"


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(plain(value)))


def same_bytes(here: bytes, there: dict[str, str], slack: int = 1) -> None:
    """Bytes that stand for numbers, within a step; those of a signed number next to 0 may be 255."""
    numbers = torch.frombuffer(bytearray(base64.b64decode(there["bytes"])), dtype=torch.uint8).int()
    expected = torch.frombuffer(bytearray(here), dtype=torch.uint8).int()
    assert numbers.shape == expected.shape and ((numbers - expected + 128) % 256 - 128).abs().max() <= slack


def floats_in(buffer: dict[str, str]) -> torch.Tensor:
    return torch.frombuffer(bytearray(base64.b64decode(buffer["bytes"])), dtype=torch.float32)


CORNER = "trained: tatoeba-en-de, int8, in this page"


def test_a_page_reads_a_sentence_as_the_attention_explorer_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    cell = ["cross", 2, 1, 3, 4]
    asks = dict(ask="maps", kind="decoder", heads=[[1, 0], [5, 7]])
    off = [["cross", layer, head] for layer in range(2, 6) for head in range(8)] + [["encoder", 0, 1]]
    answers = in_page(
        explorer, file, ("answer", NEXT), ("ask", asks), ("ask", dict(ask="cell", cell=cell)), ("set", dict(off=off)),
        ("ask", dict(ask="effects")), ("answer", FIRST), ("answer", " \t"), ("answer", "a " * 300),
        ("set", dict(off=[])),
    )  # fmt: skip
    read, maps, cells, without, effects, back, none, long, whole = answers
    explorer.text = NEXT
    assert read["line"] == explorer.line
    meta = as_json(explorer.view.meta)
    alike(meta | {"shows": CORNER, "live": False}, read["traits"]["meta"])
    alike(as_json(explorer.view.facts), read["traits"]["facts"])
    same_bytes(explorer.view.data, read["traits"]["data"])
    content, buffers = explorer.view.answers["maps"](asks)
    (reply,) = maps["heard"]
    numbers = torch.frombuffer(bytearray(buffers[0]), dtype=torch.float32)
    assert reply["heads"] == content["heads"] and (floats_in(reply["buffers"][0]) - numbers).abs().max() < 1e-3
    content, _ = explorer.view.answers["cell"](dict(cell=cell))
    (reply,) = cells["heard"]
    alike(as_json(content), {name: reply[name] for name in content})
    explorer.view.off = off
    alike(as_json(explorer.view.ablation), without["traits"]["ablation"])
    assert without["traits"]["ablation"]["changed"]
    explorer.view.answers["effects"]({})
    alike(as_json(explorer.view.facts), effects["traits"]["facts"])
    assert effects["heard"] == [dict(ask="effects", answer="effects", buffers=[])]
    explorer.text = FIRST
    alike(as_json(explorer.view.ablation), back["traits"]["ablation"])
    assert back["traits"]["meta"]["version"] == 2 and back["traits"]["meta"]["call"]["text"].endswith(f'"{FIRST}"')
    for refused, words in ((none, "at least one word"), (long, "more than the 160 shown")):
        assert words in refused["line"] and refused["traits"] == back["traits"]
    assert whole["traits"]["ablation"] == {} and whole["line"] == back["line"]


def test_words_are_changed_in_place_in_a_page_as_in_python(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    words = [
        [["replace", 4, "big horse"]],
        [["replace", 4, "big horse"], ["mask", 1], ["swap", 0, 3]],
        [["delete", 0], ["delete", 5]],
        [],
    ]
    off = [["cross", 4, head] for head in range(8)]
    acts = [("set", dict(words=change)) for change in words]
    acts += [("set", dict(words=words[1])), ("set", dict(off=off)), ("ask", dict(ask="effects"))]
    long = [["replace", 1, "a " * 300]]
    *read, _, without, effects, refused, typed = in_page(
        explorer, file, *acts, ("set", dict(words=long)), ("answer", NEXT)
    )
    for change, answer in zip(words, read, strict=True):
        explorer.view.words = change
        same_reading(explorer, answer)
        assert answer["traits"]["meta"]["since"] == 0 and answer["traits"]["meta"]["call"] == explorer.view.meta["call"]
    assert explorer.text == FIRST and explorer.view.ablation == {}
    explorer.view.words = words[1]
    explorer.view.off = off
    same_reading(explorer, without)
    assert without["traits"]["meta"]["kinds"][0]["masked"] == [1]
    explorer.view.answers["effects"]({})
    alike(as_json(explorer.view.facts), effects["traits"]["facts"])
    explorer.view.words = long
    assert refused["line"] == explorer.line and "more than the 160 shown" in explorer.line
    assert refused["traits"]["words"] == explorer.view.words == words[1]
    assert refused["traits"]["ablation"] == effects["traits"]["ablation"]
    explorer.text = NEXT
    same_reading(explorer, typed)
    assert typed["traits"]["words"] == explorer.view.words == []
    assert typed["traits"]["meta"]["since"] == typed["traits"]["meta"]["version"]


def test_rows_are_held_in_a_page_as_in_python(models: Models):
    """Of each kind, one head and all, with heads off, words changed, and rows that do not apply."""
    translator, file = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    n, one = explorer.reading.src.size(1), lambda size, key: [float(key == place) for place in range(size)]
    cross = [["cross", layer, -1, 2, one(n, n - 2)] for layer in range(2, 6)]
    states = [
        dict(held=[["encoder", 0, 3, 2, one(n, 0)], ["encoder", 1, -1, 1, [0.5 / n] * n]]),
        dict(held=[["decoder", 1, -1, 2, [0.25, 0.25, 0.5]]]),
        dict(held=cross),
        dict(held=[*cross, ["cross", 0, 0, 300, one(n, 0)], ["cross", 0, 0, 1, one(n + 1, 0)]]),
        dict(off=[["cross", 4, head] for head in range(8)]),
        dict(words=[["replace", 4, "horse"], ["mask", 1]]),
        dict(words=[], off=[]),
    ]
    *answers, typed, back = in_page(
        explorer, file, *[("set", state) for state in states], ("answer", NEXT), ("set", dict(held=[]))
    )
    for state, answer in zip(states, answers, strict=True):
        for name, value in state.items():
            setattr(explorer.view, name, value)
        alike(as_json(explorer.view.ablation), answer["traits"]["ablation"], 1e-4)
        assert answer["traits"]["held"] == explorer.view.held
    assert answers[2]["traits"]["ablation"]["changed"] and answers[3]["traits"]["ablation"]["idle"] == [4, 5]
    assert typed["traits"]["held"] == [] == back["traits"]["held"] and typed["traits"]["ablation"] == {}


def same_reading(explorer: Any, answer: dict[str, Any]) -> None:
    """The same sentence with the same weights, and the same said of what is changed."""
    assert answer["line"] == explorer.line
    version = answer["traits"]["meta"]["version"]
    alike(as_json(explorer.view.meta) | dict(shows=CORNER, live=False, version=version), answer["traits"]["meta"])
    same_bytes(explorer.view.data, answer["traits"]["data"])
    alike(as_json(explorer.view.ablation), answer["traits"]["ablation"])
    alike(as_json(explorer.view.facts), answer["traits"]["facts"])


def test_a_page_made_while_words_were_changed_goes_on_from_there(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    explorer.view.words = [["mask", 1], ["replace", 4, "horse"]]
    off = [["cross", 5, head] for head in range(8)]
    without, back = in_page(explorer, file, ("set", dict(off=off)), ("set", dict(words=[], off=[])))
    explorer.view.off = off
    alike(as_json(explorer.view.ablation), without["traits"]["ablation"])
    explorer.view.words, explorer.view.off = [], []
    same_bytes(explorer.view.data, back["traits"]["data"])
    assert back["traits"]["meta"]["title"] == FIRST and back["traits"]["ablation"] == {}


def test_a_page_reads_two_sentences_side_by_side_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_beside(translator, FIRST, NEXT, layer=4, head=7)
    asks = dict(ask="maps", kind="encoder", layer=1, heads=[0, 5])
    off, long = [["cross", 3, 0], ["encoder", 5, 2]], "a " * 100
    acts = [
        ("answer", "Tom bought the bread."),
        ("ask", asks),
        ("set", dict(pin=[0, 1], second="")),
        ("set", dict(pin=[1, 0], off=off)),
    ]
    twin, replies, itself, less, refused = in_page(explorer, file, *acts, ("set", dict(second=long)))

    def same_as_python(answer: dict[str, Any]) -> None:
        assert answer["line"] == explorer.line
        same_bytes(explorer.view.data, answer["traits"]["data"])
        alike(as_json(explorer.view.meta) | {"shows": CORNER, "live": False}, answer["traits"]["meta"])
        for name in ("second", "off", "pin"):
            assert answer["traits"][name] == getattr(explorer.view, name)

    explorer.text = "Tom bought the bread."
    assert explorer.view.second == "Tom bought the red bread."
    same_as_python(twin)
    _, buffers = explorer.view.answers["maps"](asks)
    for here, there in zip(buffers, replies["heard"][0]["buffers"], strict=True):
        assert (torch.frombuffer(bytearray(here), dtype=torch.float32) - floats_in(there)).abs().max() < 1e-3
    explorer.view.pin, explorer.view.second = [0, 1], ""
    same_as_python(itself)
    explorer.view.pin = [1, 0]
    explorer.view.off = off
    assert explorer.view.pin == [1, 0]
    same_as_python(less)
    assert "more than the 48 shown" in refused["line"] and refused["traits"]["meta"] == less["traits"]["meta"]


def test_a_page_scores_queries_and_keys_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_geometry(translator, FIRST, kind="decoder", layer=3, query=1)
    acts = [("answer", NEXT), ("set", dict(query=0, centred=False)), ("answer", "a " * 60)]
    answer, moved, refused = in_page(explorer, file, *acts)
    explorer.text = NEXT
    assert answer["line"] == explorer.line and answer["traits"]["query"] == explorer.view.query
    alike(as_json(explorer.view.meta) | {"shows": CORNER, "live": False}, answer["traits"]["meta"])
    numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
    assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 2e-3
    assert moved["traits"]["data"] == answer["traits"]["data"] and moved["traits"]["query"] == 0
    assert "more than the 36 shown" in refused["line"] and refused["traits"]["meta"] == answer["traits"]["meta"]


def test_a_page_sends_a_sentence_through_figure_1_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_model(translator, FIRST)
    explorer.view.stop = 3
    (answer,) = in_page(explorer, file, ("answer", NEXT))
    explorer.text = NEXT
    assert answer["line"] == explorer.line
    alike(as_json(explorer.view.meta) | {"shows": CORNER, "live": False}, answer["traits"]["meta"])
    same_bytes(explorer.view.data, answer["traits"]["data"])
    assert answer["traits"]["stop"] == explorer.view.stop == 0


def test_a_page_searches_with_every_width_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_beam(translator, "Yes.", step=2)
    (answer,) = in_page(explorer, file, ("answer", "I am a teacher."))
    explorer.text = "I am a teacher."
    assert answer["line"] == explorer.line and answer["traits"]["step"] == 0
    alike(as_json(explorer.view.trees), answer["traits"]["trees"])
    alike(as_json(explorer.view.meta) | {"shows": CORNER, "live": False}, answer["traits"]["meta"])
    numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
    assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 1e-3


def test_a_page_reads_a_sentence_taught_and_alone_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_forced(translator, "Yes.", "Ja.")
    texts = ["I am a teacher. | Ich bin Lehrer.", "Tom loves Mary."]  # with a reference, and with a beam's
    answers = in_page(explorer, file, *(("answer", text) for text in [*texts, "Yes. | " + "ja " * 60]))
    for text, answer in zip(texts, answers, strict=False):
        explorer.text = text
        assert answer["line"] == explorer.line and answer["traits"]["place"] == explorer.view.place
        ours, theirs = as_json(explorer.view.meta) | {"shows": CORNER, "live": False}, answer["traits"]["meta"]
        for here, there in zip(ours.pop("places"), theirs.pop("places"), strict=True):
            assert here["apart"] == pytest.approx(there["apart"], abs=1e-4)
            for side in ("taught", "alone"):  # of words that are hardly likely the order may be another
                one, other = (dict(zip(place["words"], place[side], strict=True)) for place in (here, there))
                assert len(one.keys() & other.keys()) >= 5
                assert all(one[word] == pytest.approx(other[word], abs=1e-4) for word in one.keys() & other.keys())
        alike(ours, theirs)
        numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
        assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 1e-4
    assert "more than the 40 shown" in answers[2]["line"] and answers[2]["traits"]["meta"]["title"] == texts[1]


def test_words_are_given_other_places_in_a_page_as_in_python(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer, places = explore_order(translator, "The dog bites the man."), [0, 5, 2, 3, 4, 1, 6, 7]
    acts = [("set", dict(places=places)), ("answer", "Tom loves Mary."), ("set", dict(places=[-1] * 5))]
    first, other, none = in_page(explorer, file, *acts, ("set", dict(places=[0, 1, 2, 3, 4])))[:3]
    explorer.view.places = places
    alike(as_json(explorer.view.known), first["traits"]["known"])
    explorer.text = "Tom loves Mary."
    alike(as_json(explorer.view.known), other["traits"]["known"])
    assert other["line"] == explorer.line and first["traits"]["meta"]["shows"] == CORNER
    explorer.view.places = [-1] * 5
    alike(as_json(explorer.view.known), none["traits"]["known"])


def test_a_page_answers_how_much_a_word_matters_and_what_really_happens(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_answers(translator, FIRST, answer=6, truth=1)
    first, long = in_page(explorer, file, ("answer", NEXT), ("answer", "a " * 30))
    explorer.text = NEXT
    meta = first["traits"]["meta"]
    alike(as_json(explorer.view.meta) | dict(shows=CORNER, live=False), meta)
    assert first["line"] == explorer.line and first["traits"]["row"] == 0
    assert meta["answers"][first["traits"]["answer"]]["name"] == "integrated"  # last to come, and shown again
    tables = floats_in(first["traits"]["data"]).view(-1, len(meta["target"]), len(meta["source"]))
    mine = [*explorer.answers.values(), *explorer.truths.values()]
    for name, table, here in zip([*explorer.answers, *explorer.truths], tables, mine, strict=True):
        assert (table - here.float()).abs().max() < 1e-4 * max(1, here.abs().max()), name
    assert "more than the 24 shown" in long["line"] and long["traits"] == first["traits"]


def test_a_page_takes_heads_out_in_an_order_and_translates_with_what_is_left(models: Models):
    translator, file = models("tatoeba-en-de")
    heads = [[list(at) for at in pruning.at_random(translator.model.config, seed)] for seed in (0, 1)]
    orders = [dict(name=f"at random, {n}", order=order, points=[dict(n=0, nll=1.0)]) for n, order in enumerate(heads)]
    explorer = explore_pruning(translator, FIRST, orders)
    acts = [("set", dict(n=70)), ("answer", NEXT), ("set", dict(order=1)), ("set", dict(n=0)), ("answer", "a " * 300)]
    less, other, drawn, whole, long = in_page(explorer, file, *acts)
    explorer.view.n = 70
    alike(as_json(explorer.view.known), less["traits"]["known"])
    assert less["traits"]["known"][0] != less["traits"]["known"][1] and less["traits"]["meta"]["shows"] == CORNER
    explorer.text = NEXT
    alike(as_json(explorer.view.known), other["traits"]["known"])
    assert other["line"] == explorer.line and other["traits"]["meta"]["text"] == NEXT
    explorer.view.order = 1
    alike(as_json(explorer.view.known), drawn["traits"]["known"])
    assert whole["traits"]["known"][-1] == dict(order=1, n=0, translation=explorer.view.known[0]["translation"])
    assert "more than the 60 shown" in long["line"] and long["traits"] == whole["traits"]


def test_a_page_spreads_a_word_out_over_all_layers_as_python_does(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_graph(translator, FIRST)
    off = [["cross", 4, head] for head in range(8)] + [["encoder", 0, 1]]
    without, other, whole = in_page(explorer, file, ("set", dict(off=off)), ("answer", NEXT), ("set", dict(off=[])))
    same_edges(explorer.view.data, without["traits"]["data"])
    explorer.view.off = off
    alike(as_json(explorer.view.ablation), without["traits"]["ablation"])
    explorer.text = NEXT
    same_edges(explorer.view.data, other["traits"]["data"])
    starts = {"starts": other["traits"]["meta"]["starts"]}  # an edge at the threshold may be on either side
    alike(as_json(explorer.view.meta) | starts | {"shows": CORNER, "live": False}, other["traits"]["meta"])
    assert other["line"] == explorer.line and other["traits"]["off"] == [] == whole["traits"]["off"]
    assert other["traits"]["ablation"] == {} == whole["traits"]["ablation"]


def same_edges(here: bytes, there: dict[str, str]) -> None:
    """The same edges with the same amounts, but for those at the threshold."""
    sides = []
    for numbers in (torch.frombuffer(bytearray(here), dtype=torch.float32), floats_in(there)):
        rows = numbers.view(-1, 6)
        assert (rows[:, 5] >= LEAST - 1e-9).all()
        sides.append({(n, *row[:5]): row[5] for n, row in enumerate_rows(rows.tolist())})
    both = sides[0].keys() & sides[1].keys()
    assert len(both) > 100 and all(abs(sides[0][edge] - sides[1][edge]) < 1e-4 for edge in both)
    assert all(side[edge] < LEAST + 1e-4 for side in sides for edge in side.keys() - both)


def enumerate_rows(edges: list[list[float]]) -> list[tuple[int, list[float]]]:
    """Each edge with the number of its word: a word's begin in the last layer again."""
    word, numbered, before = -1, [], 0.0
    for edge in edges:
        top = edge[0] in (1, 2, 4) and edge[1] == 5
        word += top and not before
        before = top
        numbered.append((word, edge))
    return numbered


def test_a_page_tests_a_painted_mask_on_the_model(models: Models):
    translator, file = models("tatoeba-en-de")
    view = explore_masks(translator, "The old man reads a book.")
    T = len(view.meta["queries"])
    opened = [1 if column == row + 1 else view.layer[row * T + column] for row in range(T) for column in range(T)]
    small = view.meta["models"][1]["name"]
    acts = [("set", dict(layer=opened)), ("set", dict(model=small)), ("set", dict(layer=view.layer))]
    leaks = [answer["traits"]["leak"] for answer in in_page(view, file, *acts)]
    view.layer = opened
    alike(as_json(view.leak) | {"by": "int8, in this page"}, leaks[0])
    changes = [torch.tensor(leak["change"]).reshape(T, T) for leak in leaks]
    view.model = small
    moved = torch.tensor(view.leak["change"]).reshape(T, T) > 0  # other untrained weights, the same way through
    assert leaks[1]["model"] == small and (changes[1] > 0).equal(moved)
    assert changes[2].triu(1).abs().max() == 0 < changes[2].tril().max()


def test_a_page_mixes_what_a_gate_mixes(models: Models):
    translator, file = models("grammar-context")
    explorer = explore_gate(translator, "The animal did not cross the street because it was too tired|wide.", query=9)
    texts = ["The old|young man reads a book.", "The old|oldest man reads a book.", "a|b c|d", "The man sleeps."]
    answers = in_page(explorer, file, *(("answer", text) for text in texts))
    for text, answer in zip(texts, answers, strict=True):
        explorer.text = text
        shows = answer["traits"]["meta"]["shows"]
        assert shows == "trained: grammar-context, int8, in this page"
        alike(as_json(explorer.view.meta) | dict(shows=shows, live=False), answer["traits"]["meta"])
        numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
        assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 1e-3
        assert [answer["traits"][name] for name in ("sentence", "query")] == [0, explorer.view.query]
    lines = [answer["line"] for answer in answers]
    assert lines[0].endswith("; 2 sentences that differ in one word") and lines[3] == explorer.line
    assert "numbers of tokens" in lines[1] and "should have one word with 2 to 6 alternatives" in lines[2]


def test_a_page_parses_as_python_does(models: Models):
    translator, file = models("parser")
    given = ["The old man reads a book .", "The dog sleeps ."]
    explorer = explore_parse(translator, given)
    text = "Don't say that it's John's dog, please."
    answers = in_page(
        explorer, file, ("answer", text), ("set", dict(beam_size=4)), ("answer", given[1]),
        ("answer", "The cat sleeps."), ("answer", "a " * 41),
    )  # fmt: skip
    explorer.text = text
    same_trees(explorer, answers[0])
    explorer.view.beam_size = 4
    same_trees(explorer, answers[1])
    explorer.text = given[1]
    same_trees(explorer, answers[2])
    explorer.text = "The cat sleeps."
    same_trees(explorer, answers[3])
    assert answers[4]["line"] == "This sentence has 41 words; type one of 1 to 40."


def same_trees(explorer: Any, answer: dict[str, Any]) -> None:
    """The same sentences, lines and cross-attention, the same one shown."""
    assert explorer.line == answer["line"]
    for name in ("example", "beam_size", "step"):
        assert answer["traits"][name] == getattr(explorer.view, name)
    assert answer["traits"]["meta"]["examples"] == as_json(explorer.view.meta["examples"])
    numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
    assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 1e-3


def test_recurrent_translators_say_in_a_page_what_they_say_in_python(models: Models):
    _, file = models(recurrence.SHIPPED)
    listed = [
        "The man looked for the brown stray cat although he did not love it.",
        "The stray cat has heard the cats.",
    ]
    explorer = explore_alignment(recurrence.shipped(), listed, "trained: grammar-gru")
    texts = [
        "The dog slept.",
        " The old  dogs found the king who heard the cup.",
        "Politicians debate quantum taxes.",
        "Politicians",
        listed[1],
    ]
    texts.append("a " * 40)
    answers = in_page(explorer, file, *(("answer", text) for text in texts))
    for text, answer in zip(texts[:-1], answers, strict=False):
        explorer.text = text
        assert answer["line"] == explorer.line and ("hardly met" in explorer.line) == text.startswith("Politicians")
        shows = "trained: grammar-gru, f16, in this page"
        alike(as_json(explorer.view.meta) | dict(shows=shows, live=False), answer["traits"]["meta"])
        numbers = torch.frombuffer(bytearray(explorer.view.data), dtype=torch.float32)
        assert (floats_in(answer["traits"]["data"]) - numbers).abs().max() < 1e-4
        assert [answer["traits"][name] for name in ("sentence", "step", "place")] == [explorer.view.sentence, 0, -1]
    explorer.text = texts[-1]
    assert answers[-1]["line"] == explorer.line and "more than the 23 shown" in explorer.line
    assert answers[-1]["traits"] == answers[-2]["traits"]


def test_the_first_sentence_is_python_s_until_something_is_asked_of_it(models: Models):
    translator, file = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    maps = dict(ask="maps", kind="cross", heads=[[0, 0]])
    off = [["cross", 5, 2]]
    silent, without = in_page(explorer, file, ("ask", maps), ("set", dict(off=off)))
    assert silent["heard"] == [] and silent["traits"]["meta"]["shows"] == "trained: tatoeba-en-de"
    explorer.view.off = off
    alike(as_json(explorer.view.ablation), without["traits"]["ablation"])
    assert without["traits"]["meta"]["shows"] == CORNER and without["traits"]["meta"]["version"] == 0
    same_bytes(explorer.view.data, without["traits"]["data"])


def test_without_weights_the_view_stays_as_it_was_and_the_line_says_why(models: Models, tmp_path: Path):
    translator, _ = models("tatoeba-en-de")
    explorer = explore_attention(translator, FIRST)
    (tmp_path / "model.js").write_text("throw new Error('model.js is missing beside this page.');", encoding="utf-8")
    acts = [
        ("set", dict(off=[["cross", 0, 0]])),
        ("answer", NEXT),
        ("ask", dict(ask="cell", cell=["cross", 0, 0, 1, 1])),
    ]
    before = as_json(explorer.view.frozen())["state"] | {"waits": False}
    for answer in (answers := in_page(explorer, tmp_path / "model.js", *acts)):
        assert answer["line"] == "model.js is missing beside this page."
        assert {"waits": False, **answer["traits"], "data": before["data"]} == before
    assert answers[-1]["heard"][0]["error"] == "model.js is missing beside this page."
