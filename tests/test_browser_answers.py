"""A page opened from a file translates: in a worker or in slices, with WebAssembly or without."""

import html
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import toys
from lab import Reader

import transformer_core as tc
from core_options import page_weights
from viz import canvas
from viz.page import script

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("one_thread")]

SENTENCE = "The animal did not cross the street because it was too tired."
SENTENCES = [
    SENTENCE, "I have never seen such a beautiful sunset.", "Tom said that he would come back on Monday.",
    "If you had asked me, I would have helped you.", "Do you know where my keys are?", "She gave him the book.",
]  # fmt: skip
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>A page that translates</title>
</head>
<body>
<label>Sentence <input value="{sentence}"></label> <button>Translate</button>
<p role="status"></p>
<script type="module">{code}</script>
</body>
</html>
"""
CODE = """
const line = document.querySelector("p"), input = document.querySelector("input"), source = SOURCE;
const door = new Answers({ source: WORKER ? source : null, read: () => modelBeside("model.js", NEEDED), way: WAY });
window.addEventListener("ask", async ({ detail: { question, leave } }) => {
  const told = [], leaving = new AbortController();
  const hear = (part) => {
    told.push(part);
    if (part.n === leave) leaving.abort();
  };
  const detail = await door.ask(question, { told: hear, signal: leaving.signal }).then((answer) => ({ answer }),
    ({ name, message }) => ({ name, error: message }));
  window.dispatchEvent(new CustomEvent("answer", { detail: JSON.stringify({ ...detail, told, about: door.about }) }));
});
document.querySelector("button").onclick = async () => {
  try {
    const told = ({ text }) => { line.textContent = `${text ?? ""} …`; };
    line.textContent = (await door.ask({ kind: "translate", text: input.value }, { told })).text;
  } catch ({ message }) {
    line.textContent = message;
  }
};
"""
ASK = """([question, leave]) => new Promise((resolve) => {
  window.addEventListener("answer", ({ detail }) => resolve(JSON.parse(detail)), { once: true });
  window.dispatchEvent(new CustomEvent("ask", { detail: { question, leave } }));
})"""


def written(folder: Path, model: dict | str | None, needed: dict[str, str], worker: bool = True, way: str = "",
            strict: bool = False) -> Path:  # fmt: skip
    """A page, and beside it a model's script; strict: under the policy of other pages, but for that script."""
    folder.mkdir(parents=True, exist_ok=True)
    code = CODE
    for name, value in dict(WORKER=worker, NEEDED=needed, WAY=way, SOURCE=script()).items():
        code = code.replace(name, json.dumps(value).replace("<", "\\u003c"), 1)
    code = f"{script()}\n{code}"
    policy = canvas.policy([], [code], model=True)
    if strict:
        policy = policy.replace(" 'wasm-unsafe-eval'", "").replace("worker-src blob:", "worker-src 'none'")
    page = PAGE.format(policy=policy, sentence=html.escape(SENTENCE), code=code)
    (folder / "page.html").write_text(page, encoding="utf-8")
    if model is not None:
        text = model if isinstance(model, str) else page_weights.script_of(model)
        (folder / "model.js").write_text(text, encoding="utf-8")
    return folder / "page.html"


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return tc.load_pretrained("tatoeba-en-de")


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return page_weights.packed("tatoeba-en-de", "f16")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """A small untrained model, packed."""
    folder = tmp_path_factory.mktemp("toy") / "toy"
    tokenizer = tc.Tokenizer.train(toys.sentences(30, seed=0), 280)
    torch.manual_seed(0)
    model = tc.Transformer(tc.TransformerConfig(len(tokenizer), **toys.TOY))
    tc.save_checkpoint(folder, model.config, tc.weights_of(model), tokenizer)
    return page_weights.packed(folder)


@pytest.fixture
def opened(browser: Any) -> Iterator[Callable[[Path], Reader]]:
    """Opens a page from its file, with the network shut."""
    readers = []

    def open_page(path: Path) -> Reader:
        readers.append(Reader(browser.new_page(offline=True)))
        readers[-1].page.goto(path.as_uri())
        return readers[-1]

    yield open_page
    for reader in readers:
        reader.page.close()


def asked(reader: Reader, question: dict, leave: int | None = None) -> dict:
    """What comes of a question; leave: it is given up when it tells that it is so far."""
    return reader.page.evaluate(ASK, [question, leave])


def test_a_page_from_a_file_translates_as_python_does(opened, shipped: dict, translator: tc.Translator, tmp_path: Path):
    reader = opened(written(tmp_path, shipped, dict(name="tatoeba-en-de", sha256=shipped["sha256"])))
    for text in (SENTENCE, "Where is the nearest station?", "\u202e▁ 🙂 <img src=x onerror=alert(1)>"):
        reader.page.fill("input", text)
        reader.page.click("button")
        (expected,) = translator.translate([text])
        reader.page.wait_for_function("text => document.querySelector('p').textContent === text", arg=expected)
    last = asked(reader, dict(kind="greedy", text=SENTENCE))
    assert last["about"] == dict(where="worker", way="simd", name="tatoeba-en-de", precision="f16")
    assert [part["n"] for part in last["told"]] == [*range(1, len(last["answer"]["ids"]) + 1)]
    assert reader.errors == reader.refused == []


def test_in_a_browser_translations_and_what_heads_do_are_the_core_s(
    opened, shipped: dict, translator: tc.Translator, tmp_path: Path
):
    reader = opened(written(tmp_path, shipped, dict(name="tatoeba-en-de")))
    probe, off = "decoder.*.cross_attention.heads", [0, 1, 2, 3, 5]
    for text in SENTENCES:
        src = translator.source([text])
        for edits, edit in (([], lambda x: x), ([dict(probe=probe, heads=off)], without(off))):
            with tc.intervene(translator.model, probe, edit):
                expected = [tc.greedy_decode(translator.model, src)[0], tc.beam_search(translator.model, src)[0]]
            for kind, best in zip(("greedy", "translate"), expected, strict=True):
                answer = asked(reader, dict(kind=kind, text=text, edits=edits))["answer"]
                assert answer["ids"] == best.ids and abs(answer["log_prob"] - best.log_prob) < 1e-3


def without(heads: list[int]) -> Callable[[torch.Tensor], torch.Tensor]:
    """An edit that silences these heads."""
    return lambda x: x.index_fill(1, torch.tensor(heads), 0.0)


def test_an_answer_is_the_same_wherever_it_is_made(opened, toy: dict, tmp_path: Path):
    question = dict(kind="translate", src=[264, 265, 270, 2], max_extra=20)
    ways = {
        ("worker", "simd"): {}, ("page", "simd"): dict(worker=False), ("worker", "plain"): dict(way="plain"),
        ("page", "plain"): dict(strict=True),
    }  # fmt: skip
    found = {}
    for number, (way, how) in enumerate(ways.items()):
        answer = asked(opened(written(tmp_path / str(number), toy, dict(name="toy"), **how)), question)
        assert (answer["about"]["where"], answer["about"]["way"]) == way
        found[way] = answer["answer"]["ids"]
    assert len({*map(tuple, found.values())}) == 1


def test_a_question_can_be_given_up_and_the_next_one_is_answered(opened, toy: dict, tmp_path: Path):
    long = dict(kind="effects", src=[264, 265, 270, 2], ids=[*range(264, 276), 2] * 40)
    for number, worker in enumerate((True, False)):
        reader = opened(written(tmp_path / str(number), toy, dict(name="toy"), worker=worker))
        left = asked(reader, long, leave=2)
        assert left["name"] == "AbortError" and left["told"][-1]["n"] == 2
        assert asked(reader, dict(kind="greedy", src=[264, 2]))["answer"]["ids"]


def test_what_is_wrong_with_the_weights_is_said_in_a_sentence(opened, toy: dict, tmp_path: Path):
    whole, sha = page_weights.script_of(toy), toy["sha256"]
    damaged = toy | {"base64": [toy["base64"][0][:-400] + "A" * 400]}
    wrong = {
        "missing beside this page": (None, {}),
        "cut or damaged": (whole[: len(whole) // 2], {}),
        "holds the model toy, but this page needs tatoeba-en-de": (whole, dict(name="tatoeba-en-de")),
        "holds another toy than": (whole, dict(sha256="0" * 64)),
        "The weights of toy are damaged": (damaged, {}),
        "its digest is another": (toy | {"sha256": "0" * 64}, {}),
        "do not fit their model": (toy | {"config": toy["config"] | {"d_ff": 41}}, {}),
    }
    for number, (words, (model, needed)) in enumerate(wrong.items()):
        reader = opened(written(tmp_path / str(number), model, dict(name="toy") | needed))
        answer = asked(reader, dict(kind="greedy", src=[264, 2]))
        assert words in answer.get("error", ""), (words, answer)
    (tmp_path / "0" / "model.js").write_text(whole, encoding="utf-8")
    again = opened(tmp_path / "0" / "page.html")
    assert sha and asked(again, dict(kind="greedy", src=[264, 2]))["answer"]["ids"]


def test_hostile_questions_are_refused_or_answered(opened, shipped: dict, tmp_path: Path):
    reader = opened(written(tmp_path, shipped, dict(name="tatoeba-en-de")))
    for question in (
        dict(kind="translate", text=" "),
        dict(kind="read", text="x" * 5000, most=48),
        dict(kind="__proto__"),
    ):
        assert asked(reader, question)["error"].endswith((".", "?"))
    for text in ("안녕하세요", "🙂", "</script><script>alert(1)</script>", "\x00", "a" * 300):
        assert "text" in asked(reader, dict(kind="greedy", text=text, max_extra=2))["answer"]
    assert reader.errors == reader.refused == []
