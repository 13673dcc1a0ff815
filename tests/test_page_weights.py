"""A checkpoint as one script for a page: whole, the same each time, its rows rounded to 255 steps."""

import base64
import gzip
import hashlib
import json
import re
import shutil
from pathlib import Path

import pytest
import safetensors.torch
import torch

import transformer_core as tc
from benchmarks.page_engine import Page, apart
from core_options import page_weights
from viz import canvas


def read(script: str) -> dict:
    """What a script tells the page."""
    start, end = page_weights.SCRIPT.split("{}")
    assert script.startswith(start.replace("{{", "{")) and script.endswith(end.replace("}}", "}"))
    return json.loads(script[len(start) - 1 : -len(end) + 1])


@pytest.mark.parametrize("precision", ["f16", "int8"])
def test_a_script_holds_the_checkpoint_whole(checkpoint: Path, precision: str):
    model = read(page_weights.script_of(page_weights.packed(checkpoint, precision)))
    whole = gzip.decompress(base64.b64decode("".join(model["base64"])))
    weights, tokenizer = whole[: model["parts"]["weights"]], whole[model["parts"]["weights"] :]
    assert model["sha256"] == hashlib.sha256(whole).hexdigest() and sum(model["parts"].values()) == len(whole)
    assert tokenizer == (checkpoint / "tokenizer.model").read_bytes()
    assert model["config"] == json.loads((checkpoint / "config.json").read_text())
    stored = safetensors.torch.load(weights)
    assert stored["src_embedding.weight"].dtype == {"f16": torch.float16, "int8": torch.int8}[precision]
    assert page_weights.widened(stored).keys() == tc.weights_of(tc.load_model(checkpoint)).keys()


def test_a_script_is_the_same_each_time_and_can_stand_inside_a_page(checkpoint: Path, tmp_path: Path):
    for name in ("a.js", "b.js"):
        page_weights.write(str(checkpoint), tmp_path / name)
    script = (tmp_path / "a.js").read_text()
    assert script == (tmp_path / "b.js").read_text() and "<" not in script


def test_a_row_of_int8_is_half_a_step_away_at_most_and_its_largest_number_is_a_whole_one():
    weights = {"w": torch.randn(5, 7, generator=torch.Generator().manual_seed(0)), "b": torch.tensor([0.5, -2.0])}
    weights["w"][3] = 0
    stored = page_weights.rows_of_int8(weights)
    read = page_weights.widened(stored)
    steps = weights["w"].abs().amax(1) / 127
    assert ((read["w"] - weights["w"]).abs() <= steps[:, None] / 2 + 1e-7).all()
    assert stored["w"].abs().amax(1).tolist() == [127, 127, 127, 0, 127]
    assert torch.equal(read["b"], weights["b"]) and read["w"].shape == (5, 7)


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match="choose f16 or int8"):
        page_weights.in_precision({}, "int4")


def test_a_page_reads_int8_as_what_it_stands_for(checkpoint: Path, tmp_path: Path):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    translator, folder = tc.load_pretrained(checkpoint), tmp_path / "int8"
    shutil.copytree(checkpoint, folder)
    stored = page_weights.rows_of_int8(tc.weights_of(translator.model))
    (folder / "model.safetensors").write_bytes(safetensors.torch.save(stored))
    translator.model.load_state_dict(page_weights.widened(stored), strict=False)
    src, tgt_in = translator.source(["ant bee"]), torch.tensor([[1, 9, 5]])
    with Page(folder) as page, tc.evaluating(translator.model):
        answer = page.ask(kind="read", src=src[0].tolist(), ids=[9, 5, 2])
        assert apart(translator.model(src, tgt_in), answer["logits"]) < 1e-4


def test_the_policy_of_a_page_that_answers_allows_its_model_and_no_more():
    plain, answering = canvas.policy([], ["x"]), canvas.policy([], ["x"], model=True)
    more = answering.replace(" 'self' file: 'wasm-unsafe-eval'", "").replace("worker-src blob:; ", "")
    assert more == plain and "unsafe-eval" not in more and "connect-src 'none'" in answering
    holding = canvas.policy([], ["x"], model=True, beside=False)
    assert holding == answering.replace(" 'self' file:", "")


def test_a_page_that_holds_its_models_has_them_as_scripts_that_no_browser_runs():
    model = {"name": "a", "base64": ["</script><script>alert(1)</script>"]}
    page = page_weights.within("<html><p>text</p></html>\n", [model, model | {"name": "b"}])
    scripts = re.findall(r'<script type="application/x-model">(.*?)</script>\n', page)
    assert [json.loads(script)["name"] for script in scripts] == ["a", "b"] and json.loads(scripts[0]) == model
    assert (
        page.startswith("<html><p>text</p><script") and page.endswith("</script>\n</html>\n") and "<script>" not in page
    )
