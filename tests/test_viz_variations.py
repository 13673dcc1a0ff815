"""Table 3's view and charts: the script against Python, and what the pictures say."""

import argparse
import itertools
import json
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import torch
from toys_variations import ROWS, made, of, small_runs

import transformer_core as tc
from experiments import bench
from experiments import variations as benchmark
from studies import stored
from studies import variations as study
from viz import theme, variations

TESTS = Path(__file__).parent


@pytest.fixture
def result() -> dict:
    return small_runs()


# ─── The small runs ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_learning_curves_have_the_mean_and_the_ends_over_seeds(result):
    curve = study.learning_curve(result, "base")
    assert curve == {"x": [25.0, 75.0], "y": [4.0, 3.0], "low": [4.0, 2.0], "high": [4.0, 4.0]}
    panels = variations.norm_chart(result, {"base": [1.0, 2.0, 1.0], "no warm-up": [2.0, 1.0]}).panels
    drawn = panels[0].curves
    assert list(panels[1].curves[1].x) == [50, 100] and list(panels[1].curves[0].y) == [1, 2, 1]
    assert [one.name for one in drawn] == [name for name, *_ in variations.NORMS.values()]
    assert set(variations.NORMS) == {"base", *benchmark.NORMS}
    with pytest.raises(ValueError, match="rates has 'big'; give them of 'base'"):
        variations.norm_chart(result, {"big": [1.0]})


def test_the_linked_chart_holds_every_difference_and_every_curve(result):
    chart = variations.difference_chart(result)
    spec = json.dumps(chart.spec)
    assert spec.count('"row": "C-N2"') == 2 + 2 and spec.count('"row": "base"') == 2  # two measures, two points a curve
    drawn = ET.fromstring(chart.picture.text)
    texts = ["".join(node.itertext()) for node in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"A-h1", "C-N2", "D-drop0.0", "base"} <= set(texts)
    assert "D-drop0.0 perplexity, % against base: paper +17.3, here −10.1, opposite" in chart.description
    with pytest.raises(ValueError, match="no run of a row of Table 3 beside base"):
        variations.difference_chart(made(of("base", 0, 2.0, 50)))


# ─── The stored runs ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_row_is_stored_with_every_seed_and_is_of_the_row_as_it_is():
    result, default = stored.load(benchmark.OUT), benchmark.PARSER.get_default
    assert all(result[name] == default(name) for name in ("shrink", "steps", "peak", "tokens_per_batch"))
    made = sorted((run["row"], run["seed"]) for run in result["runs"])
    assert made == sorted(itertools.product(benchmark.ROWS, range(default("seeds"))))  # every row, three seeds, once
    for run in result["runs"]:
        shape = benchmark.smaller(run["row"], result["shrink"])
        with torch.device("meta"):
            model = tc.Transformer(tc.TransformerConfig(result["vocabulary"], **shape))
        assert run["parameters"] == tc.count_parameters(model)
        assert run["steps"] == result["steps"] * (3 if run["row"] == "big" else 1)
        assert math.isfinite(run["ppl"]) and 0 <= run["bleu"] <= 100


def test_every_change_of_table_3_has_a_verdict_in_both_measures_from_the_stored_runs():
    result = stored.load(benchmark.OUT)
    for measure in study.MEASURES:
        assert sum(map(len, study.tally(result, measure).values())) == len(tc.PAPER_TABLE_3) - 1
    warm, cold, peak = benchmark.rates("base", result), benchmark.rates("no warm-up", result), result["steps"] // 5
    assert cold[:peak] == [max(warm)] * peak and cold[peak:] == warm[peak:]


class TestTheBenchmark:
    def test_a_smaller_row_makes_the_same_change_to_a_smaller_base(self):
        base = benchmark.smaller("base", 8)
        assert {name: base[name] for name in ("d_model", "d_ff", "d_k", "n_heads", "n_layers")} == {
            "d_model": 64, "d_ff": 256, "d_k": 8, "n_heads": 8, "n_layers": 3,
        }  # fmt: skip
        for row, changes in benchmark.ROWS.items():
            small = benchmark.smaller(row, 8)
            assert {name for name in small if small[name] != base.get(name)} == set(changes), row
            full = tc.TransformerConfig(9, **benchmark.smaller(row, 1))
            assert full == tc.TransformerConfig(9, **changes)

    def test_rows_of_a_stay_equal_in_parameters_when_they_are_smaller(self):
        counts = set()
        for row in ("base", "A-h1", "A-h4", "A-h16", "A-h32"):
            with torch.device("meta"):
                counts.add(tc.count_parameters(tc.Transformer(tc.TransformerConfig(50, **benchmark.smaller(row, 8)))))
        assert len(counts) == 1

    def test_without_warm_up_the_first_steps_have_the_highest_rate_and_all_later_ones_are_the_same(self):
        about = dict(steps=400, peak=4e-3, shrink=8)
        warm, cold, big = (benchmark.rates(row, about) for row in ("base", "no warm-up", "big"))
        assert (len(warm), len(cold), len(big)) == (400, 400, 1200)
        assert warm.index(max(warm)) == 79 and max(warm) == pytest.approx(4e-3)
        assert cold[:80] == [max(warm)] * 80 and cold[79:] == warm[79:] and warm[0] == pytest.approx(4e-3 / 80)
        assert max(big) == pytest.approx(4e-3 / math.sqrt(2))
        assert benchmark.rates("pre-LN, no warm-up", about) == cold and benchmark.rates("pre-LN", about) == warm

    @pytest.fixture
    def options(self, tmp_path: Path) -> argparse.Namespace:
        words = ["--steps", "4", "--shrink", "32", "--vocab-size", "400", "--out", str(tmp_path / "x.json")]
        return benchmark.PARSER.parse_args([*words, "--only", "base", "big", "no warm-up", "--seeds", "1"])

    def test_a_short_run_is_written_and_a_stopped_command_goes_on_where_it_was(
        self, options, monkeypatch, tmp_path, one_thread, capsys
    ):
        for name, n in dict(N_TRAIN=40, N_VALID=8, N_TRANSLATED=2, EVERY=3).items():
            monkeypatch.setattr(benchmark, name, n)
        monkeypatch.setattr(benchmark.PARSER, "parse_args", lambda: options)
        benchmark.main()
        assert "base, seed 0: step 3 of 4, nll" in capsys.readouterr().err
        first = stored.load(options.out)
        assert [(run["row"], run["seed"], run["steps"]) for run in first["runs"]] == [
            ("base", 0, 4), ("big", 0, 12), ("no warm-up", 0, 4),
        ]  # fmt: skip
        said = "--only base big 'no warm-up' --shrink 32 --seeds 1 --steps 4 --vocab-size 400"
        assert first["command"] == f"python -m experiments.variations {said} --out {options.out}"
        first["runs"].pop(1)
        bench.write(options.out, first)
        benchmark.main()
        again = stored.load(options.out)["runs"]
        assert [run["row"] for run in again] == ["base", "no warm-up", "big"] and again[:2] == first["runs"]
        options.only, options.data, options.out = ["base"], str(benchmark.write_grammar(tmp_path)), tmp_path / "y.json"
        benchmark.main()  # the same sentences, from a folder
        assert stored.load(options.out)["runs"][0]["curve"] == first["runs"][0]["curve"]
        options.steps = 5
        with pytest.raises(SystemExit, match=r"holds runs of another kind .* give another --out"):
            benchmark.main()

    @pytest.mark.parametrize(
        "words, said",
        [
            (["--seeds", "0"], "--seeds is 0; it must be at least 1."),
            (["--data", "nowhere"], "nowhere/train.en cannot be read"),
            (["--data", "nowhere", "--steps", "-1"], "--steps is -1; it must be at least 1."),
        ],
    )
    def test_a_wrong_option_ends_in_one_sentence_and_writes_nothing(self, words, said, tmp_path, monkeypatch, capsys):
        out = tmp_path / "x.json"
        monkeypatch.setattr("sys.argv", ["variations", *words, "--out", str(out)])
        with pytest.raises(SystemExit) as ended:
            benchmark.main()
        assert ended.value.code == 2 and said in capsys.readouterr().err and not out.exists()


# ─── Gradients before the first step ─────────────────────────────────────────────────────────────────────────────────


def toy_gradients() -> dict:
    one = {stack: [0.1] for stack in ("encoder", "decoder")}
    two = {"encoder": [0.1, 0.2], "decoder": [0.3, 1.5]}
    return {"depths": [1, 2], "settings": {name: {"1": one, "2": two} for name in study.SETTINGS}}


def test_the_view_of_gradients_refuses_other_depths_and_missing_layers():
    view = variations.norms_view(toy_gradients(), depth=2)
    assert "untrained" in view.meta["shows"] and "decoder, 2 layers" in view.picture().text
    fine = {"post-LN": {"1": {stack: [0.190694999] for stack in ("encoder", "decoder")}}}
    assert variations.norms_view({"depths": [1], "settings": fine}, 1).meta["settings"] == fine
    with pytest.raises(ValueError, match=r"Depth 3 was not measured; choose from \[1, 2\]"):
        view.depth = 3
    with pytest.raises(ValueError, match="depth is 6, but gradients are of depths"):
        variations.norms_view(toy_gradients())
    short = toy_gradients()
    short["settings"]["pre-LN"]["2"] = {"encoder": [0.1, 0.2], "decoder": [0.3]}
    with pytest.raises(ValueError, match="'pre-LN' at depth 2 needs 2 numbers for each stack"):
        variations.norms_view(short, depth=2)


# ─── The view ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_picture_of_the_table_has_a_bar_for_every_printed_count(result):
    view = variations.explore_variations(result, vocabulary=41_100)
    text = view.picture().text
    assert text.count("<rect") - 2 == len(study.COUNTED) == 11  # the page, and where this vocabulary lies
    assert len(re.findall(f'<rect[^>]*fill="{theme.VALUE}"', text)) == 10
    assert "10 of 11 printed counts are met" in view.picture().description
    assert f"{44_101_632 + 41_100 * 512:,}" in text  # facts.md, 5: the body of base
    data, _ = view._repr_mimebundle_()
    assert "%3Csvg" in data["text/markdown"] and "application/vnd.jupyter.widget-view+json" in data
    told = {row["name"]: row["ours"] for row in view.meta["rows"]}
    assert len(told["C-N2"]) == 2 and told["base"] == told["big"] == []


def test_the_view_refuses_rows_it_does_not_have():
    view = variations.explore_variations()
    with pytest.raises(ValueError, match="no row 'F' here; choose from base"):
        view.picked = "F"


def test_the_scripts_numbers_are_those_of_python_for_every_row(tmp_path):
    node = shutil.which("node") or pytest.skip("node is not installed")
    (tmp_path / "rows.json").write_text(json.dumps(variations.rows_of_table()))
    (tmp_path / "ask.mjs").write_text(f"""
        import {{ readFileSync }} from "node:fs";
        import {{ script }} from "{TESTS / "script.mjs"}";
        const view = await script("variations/table.js");
        const rows = JSON.parse(readFileSync("{tmp_path / "rows.json"}"));
        console.log(JSON.stringify(rows.map((row) => [view.parameters(row, 37000), view.parameters(row, 41103),
          view.sum(view.costParts(row, 37000, 25)), Object.fromEntries(view.parameterParts(row, 301)),
          view.vocabularies(row)])));
    """)
    done = subprocess.run([node, str(tmp_path / "ask.mjs")], capture_output=True, text=True, check=True)
    for row, (at_37, at_41, cost, parts, ends) in zip(ROWS, json.loads(done.stdout), strict=True):
        assert (at_37, at_41) == (study.parameters(row, 37_000), study.parameters(row, 41_103))
        assert cost == study.cost_per_token(row, 25, 37_000)
        assert parts == study.parameter_parts(study.config_of(row, 301))
        assert ends == (list(study.vocabularies(row)) if row in study.COUNTED else None)
