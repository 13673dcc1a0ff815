"""Sheets, scaling and attention tasks: JavaScript, torch and the core agree, and the paper's claims hold as stated."""

import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import transformer_core as tc
from experiments import scaled_dot_product as attention_tasks
from studies import scaled_dot_product as study
from viz import scaled_dot_product as sdp
from viz import theme

ROOT = Path(__file__).resolve().parent.parent
SWITCHES = [{"scale": scale, "causal": causal} for scale in (True, False) for causal in (True, False)]


def random_toy(n: int = 3, d_model: int = 8, h: int = 2, d_k: int = 4, d_v: int = 3, seed: int = 0) -> study.Toy:
    torch.manual_seed(seed)
    w_q, w_k = (torch.randn(h, d_model, d_k, dtype=torch.float64) for _ in range(2))
    w_v, w_o = (torch.randn(*size, dtype=torch.float64) for size in ((h, d_model, d_v), (h * d_v, d_model)))
    return study.Toy([f"t{i}" for i in range(n)], torch.randn(n, d_model, dtype=torch.float64), w_q, w_k, w_v, w_o)


def found_in(toy: study.Toy, **options: bool) -> dict[str, torch.Tensor]:
    view = sdp.attention_sheet(toy, shows="synthetic")
    return sdp.evaluate(sdp.attention_nodes(len(toy.w_q), toy.w_q.shape[-1]), view.values, view.options | options)


# ─── The sheet is the core's attention, and torch's ──────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("toy", [random_toy(), study.toy(), study.toy(6)], ids=["random", "4 tokens", "6 tokens"])
def test_every_matrix_of_the_sheet_is_what_passes_the_probes_of_the_core(toy, causal):
    found, x = found_in(toy, causal=causal), toy.x[None]
    mask = tc.causal_mask(len(toy.x)) if causal else None
    module = study.as_module(toy)
    with tc.record(module) as trace:
        out = module(x, x, mask)[0]
    for h in range(len(toy.w_q)):
        for name, probe in zip("QKVMAH", ("q", "k", "v", "scores", "weights", "heads"), strict=True):
            torch.testing.assert_close(found[f"{name}.{h}"], trace[probe][0, h], rtol=0, atol=1e-12)
    torch.testing.assert_close(found["out"], out, rtol=0, atol=1e-12)


@pytest.mark.parametrize("causal", [False, True])
def test_one_head_is_torchs_scaled_dot_product_attention(causal):
    found = found_in(random_toy(), causal=causal)
    q, k, v = (found[f"{name}.1"][None] for name in "QKV")
    wanted = F.scaled_dot_product_attention(q, k, v, is_causal=causal)[0]
    torch.testing.assert_close(found["H.1"], wanted, rtol=0, atol=1e-6)


def test_the_toy_is_torchs_multi_head_attention_with_these_weights():
    toy = study.toy()
    theirs = nn.MultiheadAttention(6, 3, bias=False, batch_first=True, dtype=torch.float64)
    stacked = torch.cat([w.transpose(1, 2).flatten(0, 1) for w in (toy.w_q, toy.w_k, toy.w_v)])
    with torch.no_grad():
        theirs.in_proj_weight.copy_(stacked)
        theirs.out_proj.weight.copy_(toy.w_o.T)
    wanted, _ = theirs(toy.x[None], toy.x[None], toy.x[None], need_weights=False)
    torch.testing.assert_close(found_in(toy)["out"], wanted[0], rtol=0, atol=1e-12)


def test_the_toy_can_be_checked_by_hand_and_its_heads_read_different_words():
    found = found_in(study.toy())
    for name in ("X", "W_Q.0", "W_K.1", "W_V.2", "W_O", "Q.0", "K.1", "V.2"):
        assert torch.equal(found[name] * 2, (found[name] * 2).round()), name  # whole numbers and halves
    best = [found[f"A.{h}"].argmax(-1).tolist() for h in range(3)]
    assert len({tuple(row) for row in best}) == 3
    assert all(torch.allclose(found[f"A.{h}"].sum(-1), torch.ones(4, dtype=torch.float64)) for h in range(3))


JAVASCRIPT = """
import { script } from %s;
const sheet = await script("scaled_dot_product/sheet.js"), chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const { nodes, values, runs } = JSON.parse(Buffer.concat(chunks).toString());
const text = (x) => (Number.isFinite(x) ? x : String(x));
console.log(JSON.stringify(runs.map((options) => Object.fromEntries(Object.entries(sheet.evaluate(nodes,
  { values, options, n_rows: values.X.length })).map(([name, m]) => [name, m.map((row) => row.map(text))])))));
"""


def by_javascript(view, runs: list[dict]) -> list[dict[str, torch.Tensor]]:
    node = shutil.which("node") or pytest.skip("node not found")
    program = JAVASCRIPT % json.dumps((ROOT / "tests" / "script.mjs").as_uri())
    given = json.dumps({"nodes": view.meta["nodes"], "values": view.values, "runs": runs})
    done = subprocess.run([node, "--input-type=module", "-e", program], input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [{name: numbers(m) for name, m in run.items()} for run in json.loads(done.stdout)]


def numbers(matrix: list) -> torch.Tensor:
    return torch.tensor(
        [[float(str(x).replace("Infinity", "inf")) for x in row] for row in matrix], dtype=torch.float64
    )


def sheets() -> dict:
    torch.manual_seed(1)
    x, w_1, w_2 = (torch.randn(*size, dtype=torch.float64) for size in ((3, 2), (2, 5), (5, 2)))
    b_1, b_2 = torch.randn(5, dtype=torch.float64), torch.randn(2, dtype=torch.float64)
    return {
        "attention": sdp.attention_sheet(random_toy(), shows="synthetic"),
        "feed-forward": sdp.feed_forward_sheet(x, w_1, b_1, w_2, b_2, shows="synthetic"),
        "normalisation": sdp.normalisation_sheet(x, shows="synthetic"),
        "residual": sdp.residual_sheet(x, torch.randn(2, 2, dtype=torch.float64), shows="synthetic"),
    }


@pytest.mark.parametrize("name", ["attention", "feed-forward", "normalisation", "residual"])
def test_the_page_computes_what_torch_computes_with_every_switch(name):
    view = sheets()[name]
    runs = SWITCHES if name == "attention" else [{}]
    nodes = [sdp.Node(**node) for node in view.meta["nodes"]]
    for options, found in zip(runs, by_javascript(view, runs), strict=True):
        wanted = sdp.evaluate(nodes, view.values, options)
        assert found.keys() == wanted.keys()
        for matrix, numbers in found.items():
            torch.testing.assert_close(numbers, wanted[matrix], rtol=0, atol=1e-12, msg=f"{matrix}, {options}")


@pytest.mark.parametrize("example", [0, 1], ids=["I am a teacher", "I am a student"])
def test_both_sentences_of_the_sheet_are_computed_as_torch_does(example):
    view = sdp.toy_sheet()
    view.values = view.values | {"X": view.meta["examples"][example]["X"][:4]}
    (found,) = by_javascript(view, [view.options])
    x, whole = torch.tensor(view.values["X"]).double(), study.as_module(study.toy())
    for h in range(3):
        q, k, v = ((x @ w[h])[None] for w in (study.toy().w_q, study.toy().w_k, study.toy().w_v))
        wanted = F.scaled_dot_product_attention(q, k, v)[0]
        torch.testing.assert_close(found[f"H.{h}"], wanted, rtol=0, atol=1e-6)
    torch.testing.assert_close(found["out"], whole(x[None], x[None], None)[0], rtol=0, atol=1e-6)


# ─── Sheets as widgets and pictures ──────────────────────────────────────────────────────────────────────────────────


def test_a_sheet_holds_its_numbers_as_json_and_starts_with_four_of_six_tokens():
    view = sdp.toy_sheet()
    state = view.state()
    assert json.loads(json.dumps(state, allow_nan=False)) == state
    assert view.n_rows == 4 and len(view.values["X"]) == 6
    teacher, student = (example["X"] for example in view.meta["examples"])
    assert [i for i in range(6) if teacher[i] != student[i]] == [3]
    numbers = sdp.numbers_of(view)
    assert numbers["A.0"].shape == (4, 4)
    view.n_rows, view.options = 2, {"scale": False, "causal": True}
    assert sdp.numbers_of(view)["A.0"].tolist()[0] == [1.0, 0.0]


def test_the_picture_shows_every_number_of_the_head_shown_light_and_dark():
    view = sdp.attention_sheet(random_toy(), shows="synthetic: random")
    view.head = 1
    for dark in (False, True):
        drawn = sdp.sheet_picture(view, dark).text
        for name, numbers in sdp.numbers_of(view).items():
            if name.endswith(".0"):
                continue
            for number in numbers.flatten().tolist():
                assert f">{sdp.short(number)}</text>" in drawn, name
        assert "synthetic: random" in drawn and (theme.DARK if dark else theme.LIGHT)["page"] in drawn


def test_a_token_of_markup_is_text_in_the_picture():
    toy = random_toy()._replace(tokens=["<script>", "&", "b"])
    drawn = sdp.sheet_picture(sdp.attention_sheet(toy, shows="synthetic")).text
    assert "<script>" not in drawn and "&lt;script&gt;" in drawn


def test_every_sheet_carries_a_picture_and_says_what_it_is():
    for name, view in sheets().items():
        data, _ = view._repr_mimebundle_()
        assert "%3Csvg" in data["text/markdown"] and "synthetic" in data["text/plain"], name


@pytest.mark.parametrize(
    "change",
    [dict(tokens=["a"]), dict(w_k=torch.zeros(2, 8, 3)), dict(w_v=torch.zeros(3, 8, 3)), dict(w_o=torch.zeros(5, 8))],
)
def test_matrices_that_do_not_fit_are_refused_by_name(change):
    with pytest.raises(ValueError, match=rf"^{next(iter(change))} has .* is needed"):
        sdp.attention_sheet(random_toy()._replace(**change), shows="synthetic")


def test_bad_sizes_are_refused_in_one_sentence():
    for call in (lambda: study.toy(7), lambda: sdp.scaling_view(2000), lambda: study.stored("nothing")):
        with pytest.raises(ValueError, match=r"; "):
            call()


# ─── Claims of the paper ─────────────────────────────────────────────────────────────────────────────────────────────


def test_queries_keys_and_values_share_their_origin_and_differ():
    found = found_in(study.toy())
    for h in range(3):
        assert not any(torch.equal(found[f"{a}.{h}"], found[f"{b}.{h}"]) for a, b in ("QK", "KV", "QV"))


def test_the_sheet_of_a_feed_forward_layer_is_the_cores():
    torch.manual_seed(2)
    ffn = tc.FeedForward(tc.TransformerConfig(1, d_model=6, d_ff=10)).double()
    for parameter in ffn.parameters():
        nn.init.normal_(parameter)
    x = torch.randn(3, 6, dtype=torch.float64)
    weights = (ffn.w_1.weight.T, ffn.w_1.bias, ffn.w_2.weight.T, ffn.w_2.bias)
    view = sdp.feed_forward_sheet(x, *(w.detach() for w in weights), shows="synthetic")
    torch.testing.assert_close(sdp.numbers_of(view)["out"], ffn(x), rtol=0, atol=1e-12)


def test_layer_norm_does_not_see_the_other_rows_and_batch_norm_does():
    x = torch.randn(4, 3, dtype=torch.float64)
    other = torch.cat([x[:1], torch.randn(3, 3, dtype=torch.float64)])
    before, after = (sdp.numbers_of(sdp.normalisation_sheet(some, shows="synthetic")) for some in (x, other))
    assert torch.equal(before["layer"][0], after["layer"][0]) and not torch.allclose(
        before["batch"][0], after["batch"][0]
    )
    torch.testing.assert_close(before["layer"], nn.LayerNorm(3, eps=1e-6).double()(x))
    torch.testing.assert_close(before["batch"], nn.BatchNorm1d(3, eps=1e-6).double()(x))


def test_a_sub_layer_of_zeros_leaves_the_layer_norm_of_x():
    x = torch.randn(3, 4, dtype=torch.float64)
    found = sdp.numbers_of(sdp.residual_sheet(x, torch.zeros(4, 4, dtype=torch.float64), shows="synthetic"))
    assert torch.equal(found["out"], found["plain"])
    residual = tc.Residual(tc.TransformerConfig(1, d_model=4, p_drop=0.0)).double()
    torch.testing.assert_close(residual(x, torch.zeros_like), found["out"])


# ─── The stored results ──────────────────────────────────────────────────────────────────────────────────────────────


def test_additive_scores_are_v_tanh_of_q_plus_k():
    q, k, v = torch.randn(2, 1, 3, 4), torch.randn(2, 1, 5, 4), torch.randn(4)
    found = attention_tasks.additive_scores(q, k, v)
    for b, i, j in [(0, 0, 0), (1, 2, 4), (1, 0, 3)]:
        wanted = sum(v[n] * math.tanh(q[b, 0, i, n] + k[b, 0, j, n]) for n in range(4))
        assert found[b, 0, i, j].item() == pytest.approx(wanted.item(), abs=1e-5)


def test_a_look_up_has_one_right_answer_and_neighbours_are_neighbours():
    keys, values, queries, answers = attention_tasks.lookup_batch(7, torch.Generator().manual_seed(0))
    for row in range(7):
        pairs = dict(zip(keys[row].tolist(), values[row].tolist(), strict=True))
        assert len(pairs) == attention_tasks.S and [pairs[q] for q in queries[row].tolist()] == answers[row].tolist()
    tokens, wanted = attention_tasks.neighbours_batch(3, torch.Generator().manual_seed(0))
    assert wanted[2, 4].tolist() == [tokens[2, 4].item(), tokens[2, 6].item()] and wanted.shape == (
        3,
        attention_tasks.N - 2,
        2,
    )


def test_without_the_division_scores_are_larger_by_the_root_of_d_k():
    batch = attention_tasks.lookup_batch(2, torch.Generator().manual_seed(0))[:3]
    traces = []
    for scores in ("scaled", "dot product"):
        torch.manual_seed(0)
        model = attention_tasks.Lookup(scores, 9, 6)
        with tc.record(model, "*scores") as trace:
            model(*batch)
        traces.append(trace["attention.scores"])
    torch.testing.assert_close(traces[0] * 3, traces[1])


@pytest.mark.parametrize(
    ("name", "given"), [("scale", dict(d_k=8)), ("scores", dict(widths=(4, 16))), ("heads", dict(seeds=2))]
)
def test_each_command_says_how_far_it_is_and_writes_a_result_of_the_stored_shape(name, given, tmp_path, capsys):
    out = tmp_path / "result.json"
    getattr(attention_tasks, f"{name}_command")(**dict(steps=10, seeds=1, out=out) | given)
    result = json.loads(out.read_text())
    assert result.keys() == study.stored(name).keys()
    assert " right" in capsys.readouterr().out
    assert re.search(r"right after 10+ steps.*: .*\d\.\d\d", study.in_a_line(result))


def test_a_command_line_without_a_task_or_with_a_wrong_one_is_refused():
    command = [sys.executable, "-m", "experiments.scaled_dot_product", "nothing"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True)
    assert done.returncode == 2 and b"scores" in done.stderr + done.stdout


@pytest.mark.parametrize("make", [sdp.scale_chart, sdp.scores_chart, sdp.cost_chart, sdp.heads_chart])
def test_charts_of_results_say_that_they_were_trained_or_measured(make):
    drawn = make(study.stored(make.__name__.removesuffix("_chart").replace("cost", "scores")))
    assert re.match("trained|measured", drawn.shows) and drawn.picture.text.startswith("<svg")


def test_the_picture_shows_the_numbers_typed_over_computed_ones():
    view = sdp.toy_sheet()
    before, drawn = sdp.numbers_of(view), view.picture().text
    view.by_hand = {"Q.0:1:0": 7.25}
    after = sdp.numbers_of(view)
    assert after["Q.0"][1, 0] == 7.25 and torch.equal(after["K.0"], before["K.0"])
    assert not torch.equal(after["H.0"][1], before["H.0"][1]) and torch.equal(after["H.0"][0], before["H.0"][0])
    assert view.picture().text != drawn


def test_one_row_is_its_own_batch_and_becomes_zero():
    view = sdp.normalisation_sheet(study.matrix("1 -2 5"), shows="synthetic")
    assert sdp.numbers_of(view)["batch"].tolist() == [[0, 0, 0]]
    assert view.picture().text.startswith("<svg")


def test_shapes_that_do_not_fit_are_refused_with_those_that_do():
    with pytest.raises(ValueError, match=r"for this x pass \[\(2, 3\), \(3, 4\), \(4,\), \(4, 2\), \(2,\)\]"):
        sdp.feed_forward_sheet(
            torch.zeros(2, 3), torch.zeros(5, 4), torch.zeros(4), torch.zeros(4, 2), torch.zeros(2), shows="synthetic"
        )
    with pytest.raises(ValueError, match=r"w has shape \(2, 3\)"):
        sdp.residual_sheet(torch.zeros(2, 3), torch.zeros(2, 3), shows="synthetic")


def test_a_head_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="no head 7; choose from 0 to 2"):
        sdp.toy_sheet().head = 7
