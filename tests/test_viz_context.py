"""The gate by hand, the contexts drawn, and the charts of our runs."""

import json
import math
import shutil
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from toys_context import RESULT, translator_with

import transformer_core as tc
from experiments import context as benchmark
from studies import context as study
from viz import context

pytestmark = pytest.mark.usefixtures("one_thread")  # so small a model is quickest so

NASTY = "<script>alert(1)</script>"


def given(n_sentences=2, n_layers=1, n_heads=2, n=3, d_k=4, n_gates=1) -> study.Vectors:
    """Made-up vectors with unequal sides."""
    generator = torch.Generator().manual_seed(5)
    mixed = torch.randn(n_sentences, n_layers, 4, n_heads, n, d_k, generator=generator)
    gates = torch.rand(n_sentences, n_layers, 2, n, n_gates, generator=generator)
    tokens = [[NASTY, *"bcdefg"[: n - 1]]] * n_sentences
    names = ["old", "young"][:n_sentences]
    return study.Vectors(mixed, gates, tokens, names, names, [{"q": True, "k": True}] * n_layers)


@pytest.fixture(scope="module")
def translator() -> tc.Translator:
    return translator_with()


# ─── The views ───────────────────────────────────────────────────────────────────────────────────────────────────────


SCRIPT = """
import { script } from "SCRIPT_MJS";
const view = await script("context/gate.js");
const { meta, data, places } = JSON.parse(await new Response(process.stdin).text());
const read = view.reader(Float32Array.from(data), meta);
const answers = places.map(({ gate_q, gate_k, ...at }) => view.attention(read, { ...at, n: meta.n }, (side, i) => {
  const hand = side === "q" ? gate_q : gate_k;
  return hand === null ? read.gate(at.sentence, at.layer, side, at.head, i) : hand;
}).weights);
console.log(JSON.stringify(answers));
"""


@pytest.mark.parametrize("n_gates", [1, 2])
def test_the_pages_script_makes_the_weights_that_the_core_makes(tmp_path, n_gates):
    node = shutil.which("node") or pytest.skip("node is not installed")
    runner, found = tmp_path / "run.mjs", given(n_layers=3, n_gates=n_gates)
    runner.write_text(SCRIPT.replace("SCRIPT_MJS", Path(__file__).with_name("script.mjs").as_uri()))
    hands = [(None, None), (0.0, 0.0), (0.25, None), (None, 1.0)]
    places = [
        dict(sentence=s, layer=layer, head=head, gate_q=q, gate_k=k)
        for s in range(2) for layer in (0, 2) for head in range(2) for q, k in hands
    ]  # fmt: skip
    contents = context.gate_contents(found, "synthetic")
    data = torch.frombuffer(bytearray(contents["data"]), dtype=torch.float32).tolist()
    text = json.dumps({"meta": contents["meta"], "data": data, "places": places})
    done = subprocess.run([node, str(runner)], input=text, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for place, weights in zip(places, json.loads(done.stdout), strict=True):
        s, layer, head = place["sentence"], place["layer"], place["head"]
        gates = found.gates[s, layer, ..., head % n_gates]
        core = study.mixed_attention(found.mixed[s, layer, :, head], gates, place["gate_q"], place["gate_k"])[1]
        torch.testing.assert_close(torch.tensor(weights), core, atol=1e-6, rtol=1e-5)


def test_the_gates_view_refuses_numbers_that_do_not_fit():
    found = given()
    for spoilt, said in (
        (replace(found, mixed=found.mixed[..., 0]), r"pass \(N, L, 4, H, n, K\)"),
        (replace(found, gates=found.gates[:1]), "of the same N, L and n"),
        (replace(found, tokens=[["a"], ["b"]]), "2 sentences of 3 tokens need as many"),
        (replace(found, gates=found.gates.expand(-1, -1, -1, -1, 3)), "1 gate or 2"),
    ):
        with pytest.raises(ValueError, match=said):
            context.gate_view(spoilt)
    view = context.gate_view(found, "synthetic", query=2, gate_q=0.5)
    for trait, value in (("query", 3), ("layer", 1), ("head", 2), ("sentence", 2)):
        with pytest.raises(ValueError, match=f"There is no {trait} {value} here; choose from 0"):
            setattr(view, trait, value)


def test_pictures_are_svg_with_the_words_as_text(translator):
    explorer = context.explore_gate(translator, "the king|queen fed the old dog .", layer=1, query=2)
    drawing = context.context_view([NASTY, "b", "pad"], ["<s>", "x"], 1, kinds=["deep", "deep-global"], word=1)
    for picture, said in (
        (context.gate_view(given()).picture(), NASTY),
        (explorer.view.picture(), "trained: little"),
        (drawing.picture(), NASTY),
    ):
        ET.fromstring(picture.text)
        assert said in "".join(ET.fromstring(picture.text).itertext()) + picture.description
        assert "<script" not in picture.text


def test_another_sentence_is_shown_and_a_model_without_context_is_refused(translator):
    explorer = context.explore_gate(translator, "the king|queen fed the old dog .", query=6, sentence=1)
    explorer.text = "an old cat ."
    n = explorer.view.meta["n"]
    assert explorer.view.meta["sentences"][0]["text"] == "an old cat ." and explorer.view.meta["version"] == 1
    assert explorer.view.sentence == 0 and explorer.view.query == n - 1
    explorer.text = "a|b c|d"
    assert "one word with 2 to 6 alternatives" in explorer.status.value and explorer.view.meta["version"] == 1
    plain = tc.Translator(
        tc.Transformer(tc.TransformerConfig(len(translator.tokenizer), 1, 8, 8, 1, 8, 8)), translator.tokenizer, "plain"
    )
    with pytest.raises(ValueError, match="plain has no context in its encoder"):
        context.explore_gate(plain, "the king .")


def test_the_page_draws_the_parts_that_python_names(tmp_path):
    node = shutil.which("node") or pytest.skip("node is not installed")
    runner = tmp_path / "run.mjs"
    source = 'import { script } from "SCRIPT_MJS"; const view = await script("context/parts.js");'
    source += "console.log(JSON.stringify(CASES.map(([kinds, layer]) => view.segments(kinds, layer))));"
    cases = [
        (name, layer) for name in ("global", "deep", "deep-global+deep", "deep-global+global") for layer in range(3)
    ]
    given_cases = json.dumps([[study.kinds_of(name), layer] for name, layer in cases])
    at = Path(__file__).with_name("script.mjs").as_uri()
    runner.write_text(source.replace("SCRIPT_MJS", at).replace("CASES", given_cases))
    done = subprocess.run([node, str(runner)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for (name, layer), parts in zip(cases, json.loads(done.stdout), strict=True):
        drawn = [study.Part(part["kind"], part["from"], part["mean"]) for part in parts]
        assert drawn == study.segments(name, layer)


def test_a_drawing_without_words_or_of_an_unknown_context_is_refused():
    with pytest.raises(ValueError, match="There are 0 source words"):
        context.context_view([], ["a"])
    with pytest.raises(ValueError, match="2 of them padding"):
        context.context_view(["a", "b"], ["a"], n_pad=2)
    with pytest.raises(ValueError, match="context is 'shallow'; join one or more of global, deep, deep-global"):
        study.segments("shallow", 0)
    with pytest.raises(ValueError, match="There is no layer 6 here"):
        context.context_view(["a", "b"], ["c"], layer=6)


# ─── What we found ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_charts_show_the_printed_gain_beside_ours_with_its_spread():
    chart = context.quality_chart({"toy": RESULT})
    printed, here = chart.panels[0].curves
    assert list(printed.x) == ["4", "k"] and list(printed.y) == [0.7, 0.52]
    assert list(here.y) == [2.0, -2.0] and list(here.low) == [1.0, -2.0] and list(here.high) == [3.0, -2.0]
    with pytest.raises(ValueError, match="There is no result"):
        context.quality_chart({})
    with pytest.raises(ValueError, match="no row beside base"):
        context.quality_chart({"toy": {"runs": RESULT["runs"][:2]}})


def test_gates_are_drawn_only_where_a_layer_has_some():
    found = study.gates_of(RESULT, "encoder deep")
    assert list(found["q"]) == [1, 2] and found["k"][2] == (pytest.approx(0.7), 0.5, 0.9, 2)
    chart = context.gate_chart(RESULT, ["encoder deep", "key only"])
    assert [[curve.name for curve in panel.curves] for panel in chart.panels] == [
        ["λ of queries", "queries, untrained", "λ of keys", "keys, untrained"], ["λ of keys", "keys, untrained"],
    ]  # fmt: skip
    assert [list(curve.x) for curve in chart.panels[0].curves] == [[1, 2]] * 4
    assert list(chart.panels[1].curves[0].y) == [0.1, 0.2, 0.3] and list(chart.panels[1].curves[1].y) == [0.6, 0.7, 0.8]
    with pytest.raises(ValueError, match="There is no λ of 'base' in the encoder"):
        study.gates_of(RESULT, "base")


SPEED = {"runs": [
    dict(row="base", size="small", training=1.0, training_quartiles=[0.9, 1.0, 1.1],
         decoding=1.0, decoding_quartiles=[0.9, 1.0, 1.1]),
    dict(row="encoder deep", size="small", training=0.8, training_quartiles=[0.7, 0.75, 0.78],
         decoding=0.9, decoding_quartiles=[0.8, 0.9, 0.95]),
]}  # fmt: skip


def test_speeds_stand_beside_the_printed_shares():
    row = study.speed_rows(SPEED, "small")[-1]
    assert [row[f"{kind}, here"] for kind in study.SPEEDS] == ["0.80 (0.70 to 0.78)", "0.90 (0.80 to 0.95)"]
    assert [round(row[f"{kind}, printed"], 2) for kind in study.SPEEDS] == [0.92, 0.91]
    chart = context.speed_chart(SPEED, "small")
    assert [list(curve.y) for curve in chart.panels[0].curves] == [[1.0, 0.922], [1.0, 0.8]]
    assert list(chart.panels[0].curves[1].high) == [1.1, 0.8]  # no whisker ends inside its bar
    for make in (study.speed_rows, context.speed_chart):
        with pytest.raises(ValueError, match=r"No speed was measured at size 'large'; there are \['small'\]"):
            make(SPEED, "large")


def test_speeds_are_read_as_the_benchmark_writes_them(monkeypatch):
    shape = dict(n_layers=2, d_model=8, d_ff=8, n_heads=2, d_k=4, d_v=4)
    monkeypatch.setitem(benchmark.SHAPES, "grammar", shape)
    monkeypatch.setitem(benchmark.TURNS, "grammar", (2, 3, 2, 1, 3))
    timed = benchmark.speed("encoder global", "grammar")
    share, low, high, _ = study.shares({"runs": [timed]}, "grammar", "decoding")[study.ABLATION[1]]
    assert share == timed["decoding"] and 0 < low <= high


# ─── Decoding ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_views_are_the_canvas_widgets_of_their_scripts():
    assert "class GateStage" in context.GateView._esm and "class ContextStage" in context.ContextView._esm
    assert math.isclose(len(context.gate_contents(given(), "x")["data"]) / 4, 2 * (4 * 2 * 3 * 4 + 2 * 3))
